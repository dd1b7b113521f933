(* docs/theorems/feedback.md, "Convex tail": the mean of n independent values in [0,1] of the expectation p is x or more
   with probability at most E(B-t)+/(nx-t), B binomial (n,p), for every whole t below nx (W. Hoeffding 1956, Theorem 3;
   V. Bentkus 2004). *)

From Coq Require Import Reals Lra Lia List Arith Psatz.
From dpcalc Require Import Tree Count Gate Tails Binomial ConvexOrder.
Import ListNotations.
Open Scope R_scope.

(* E(B-t)+: k-t is 0 where k < t. *)
Definition excess (n : nat) (p : R) (t : nat) : R := ones (repeat p n) (fun k => INR (k - t)).
Definition convex_tail (n : nat) (p x : R) (t : nat) : R := excess n p t / (INR n * x - INR t).

Lemma positive_part k t : Rmax 0 (INR k - INR t) = INR (k - t).
Proof.
  destruct (le_lt_dec t k) as [H|H].
  - rewrite minus_INR by auto. apply le_INR in H. apply Rmax_right. lra.
  - replace (k - t)%nat with 0%nat by lia. apply lt_INR in H. simpl. apply Rmax_left. lra.
Qed.

Lemma positive_convex t : convex_steps (fun k => INR (k - t)).
Proof. intros k. change 2 with (INR 2). rewrite <- mult_INR, <- plus_INR. apply le_INR. lia. Qed.

(* What the excess is: a sum over the terms of the binomial law. *)
Lemma ones_mass ps g :
  ones ps g = sumR (seq 0 (S (length ps))) (fun k => g k * (at_least ps k - at_least ps (S k))).
Proof.
  revert g. induction ps as [|p ps IH]; intros g; [simpl; ring|]. cbn [ones length]. set (N := length ps) in *.
  rewrite sumR_seq_S, at_least_S, !at_least_0, !IH.
  rewrite (sumR_ext _ (fun i => g (S i) * (at_least (p :: ps) (S i) - at_least (p :: ps) (S (S i)))) (fun i =>
    p * (g (S i) * (at_least ps i - at_least ps (S i))) +
    (1 - p) * (g (S i) * (at_least ps (S i) - at_least ps (S (S i))))))
    by (intros; rewrite !at_least_S; ring).
  rewrite sumR_plus, !sumR_scal, (sumR_seq_S (fun k => g k * _) N), at_least_0.
  rewrite (seq_S N), !sumR_app. cbn [sumR]. rewrite Nat.add_0_l.
  rewrite (at_least_above ps (S N)), (at_least_above ps (S (S N))) by (unfold N; lia). ring.
Qed.

Theorem excess_mass n p t :
  excess n p t = sumR (seq 0 (S n)) (fun k => INR (k - t) * (INR (C n k) * p^k * (1 - p)^(n - k))).
Proof.
  unfold excess. rewrite ones_mass, repeat_length. apply sumR_ext. intros k _. now rewrite <- binomial_mass.
Qed.

(* The mean of a function that rises rises in p, and so does the bound. *)
Lemma ones_rises n p p' g : 0 <= p -> p <= p' -> p' <= 1 -> (forall k, g k <= g (S k)) ->
  ones (repeat p n) g <= ones (repeat p' n) g.
Proof.
  intros H0 H H1. revert g. induction n as [|n IH]; intros g Hg; simpl; [lra|].
  assert (A := IH g Hg). assert (B := IH (fun k => g (S k)) (fun k => Hg (S k))).
  assert (Hs : ones (repeat p n) g <= ones (repeat p n) (fun k => g (S k))).
  { clear - Hg H0 H H1. revert g Hg. induction n as [|n IH]; intros g Hg; simpl; [apply Hg|].
    assert (A := IH g Hg). assert (B := IH (fun k => g (S k)) (fun k => Hg (S k))). nra. }
  set (a := ones (repeat p n) g) in *. set (b := ones (repeat p n) (fun k => g (S k))) in *.
  set (a' := ones (repeat p' n) g) in *. set (b' := ones (repeat p' n) (fun k => g (S k))) in *. nra.
Qed.

Theorem convex_tail_rises n p p' x t : INR t < INR n * x -> 0 <= p -> p <= p' -> p' <= 1 ->
  convex_tail n p x t <= convex_tail n p' x t.
Proof.
  intros Ht H0 H H1. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
  apply ones_rises; auto. intros k. apply le_INR. lia.
Qed.

(* At an expectation of x or more it is no bound: the ends that it gives are never beyond the value. *)
Theorem convex_tail_beyond n p x t : INR t < INR n * x -> 0 <= p <= 1 -> x <= p -> 1 <= convex_tail n p x t.
Proof.
  intros Ht Hp Hx. unfold convex_tail. assert (Hn := pos_INR n).
  assert (Hle : INR n * p - INR t <= excess n p t).
  { assert (H : forall m s, INR m * p - s <= ones (repeat p m) (fun k => Rmax 0 (INR k - s))).
    { induction m as [|m IH]; intros s; cbn [repeat ones].
      - simpl. rewrite Rmult_0_l. apply Rmax_r.
      - assert (H0 := IH s). assert (H1 := IH (s - 1)). rewrite S_INR.
        rewrite (ones_ext _ (fun k => Rmax 0 (INR (S k) - s)) (fun k => Rmax 0 (INR k - (s - 1))))
          by (intros k; rewrite S_INR; f_equal; ring).
        assert (p * (INR m * p - (s - 1)) <= p * ones (repeat p m) (fun k => Rmax 0 (INR k - (s - 1))))
          by (apply Rmult_le_compat_l; lra).
        assert ((1 - p) * (INR m * p - s) <= (1 - p) * ones (repeat p m) (fun k => Rmax 0 (INR k - s)))
          by (apply Rmult_le_compat_l; lra). lra. }
    eapply Rle_trans; [apply H|]. right. apply ones_ext. intros k. apply positive_part. }
  apply Rmult_le_reg_r with (INR n * x - INR t); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
  assert (INR n * x <= INR n * p) by (now apply Rmult_le_compat_l). lra.
Qed.

(* The mean of a convex function is convex in p. *)
Lemma ones_minus ps f g : ones ps (fun k => f k - g k) = ones ps f - ones ps g.
Proof. revert f g. induction ps as [|p ps IH]; intros f g; simpl; [auto|]. rewrite !IH. ring. Qed.

Lemma ones_convex n g p q u : convex_steps g -> 0 <= p -> p <= q -> q <= 1 -> 0 <= u <= 1 ->
  ones (repeat (u * p + (1 - u) * q) n) g <= u * ones (repeat p n) g + (1 - u) * ones (repeat q n) g.
Proof.
  intros Hg Hp Hpq Hq Hu. set (m := u * p + (1 - u) * q). assert (Hm : 0 <= m <= 1) by (unfold m; nra).
  revert g Hg. induction n as [|n IH]; intros g Hg; cbn [repeat ones]; [lra|].
  assert (B := IH g Hg). assert (A := IH (fun k => g (S k)) (fun k => Hg (S k))).
  assert (R := ones_rises n p q (fun k => g (S k) - g k) Hp Hpq Hq (fun k => ltac:(specialize (Hg k); lra))).
  rewrite !ones_minus in R.
  set (ap := ones (repeat p n) (fun k => g (S k))) in *. set (bp := ones (repeat p n) g) in *.
  set (aq := ones (repeat q n) (fun k => g (S k))) in *. set (bq := ones (repeat q n) g) in *.
  apply Rmult_le_compat_l with (r := m) in A; [|lra]. apply Rmult_le_compat_l with (r := 1 - m) in B; [|lra].
  assert (Hd : 0 <= u * (1 - u) * (q - p) * ((aq - bq) - (ap - bp))).
  { apply Rmult_le_pos; [apply Rmult_le_pos; [nra|lra]|lra]. }
  unfold m in *. lra.
Qed.

Theorem excess_convex n p q t u : 0 <= p -> p <= q -> q <= 1 -> 0 <= u <= 1 ->
  excess n (u * p + (1 - u) * q) t <= u * excess n p t + (1 - u) * excess n q t.
Proof. intros. apply ones_convex; auto. apply positive_convex. Qed.

(* A cell: with t fixed the bound on a deviation of s is greatest at an end. *)
Theorem convex_tail_cell n s t p0 p1 p : 0 <= p0 -> p0 <= p -> p <= p1 -> p1 <= 1 -> INR t < INR n * (p0 + s) ->
  convex_tail n p (p + s) t <= Rmax (convex_tail n p0 (p0 + s) t) (convex_tail n p1 (p1 + s) t).
Proof.
  intros H0 H H' H1 Ht. assert (Hn := pos_INR n). set (M := Rmax _ _).
  assert (HM0 : convex_tail n p0 (p0 + s) t <= M) by apply Rmax_l.
  assert (HM1 : convex_tail n p1 (p1 + s) t <= M) by apply Rmax_r.
  destruct (Req_dec p0 p1) as [E|E]; [replace p with p0 by lra; exact HM0|].
  set (u := (p1 - p) / (p1 - p0)).
  assert (Hu : 0 <= u <= 1).
  { unfold u. split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
    apply Rmult_le_reg_r with (p1 - p0); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Ep : u * p0 + (1 - u) * p1 = p) by (unfold u; field; lra).
  assert (Hc := excess_convex n p0 p1 t u H0 ltac:(lra) H1 Hu). rewrite Ep in Hc.
  assert (Hd : forall r, p0 <= r -> 0 < INR n * (r + s) - INR t) by (intros r Hr; nra).
  assert (Hq : forall r, p0 <= r -> convex_tail n r (r + s) t <= M -> excess n r t <= M * (INR n * (r + s) - INR t)).
  { intros r Hr HM. specialize (Hd r Hr). unfold convex_tail, Rdiv in HM.
    apply Rmult_le_compat_r with (r := INR n * (r + s) - INR t) in HM; [|lra].
    rewrite Rmult_assoc, Rinv_l in HM by lra. lra. }
  specialize (Hq p0 ltac:(lra) HM0) as A. specialize (Hq p1 ltac:(lra) HM1) as B.
  apply Rmult_le_compat_l with (r := u) in A; [|lra]. apply Rmult_le_compat_l with (r := 1 - u) in B; [|lra].
  specialize (Hd p H). apply Rmult_le_reg_r with (INR n * (p + s) - INR t); auto. unfold convex_tail, Rdiv.
  rewrite Rmult_assoc, Rinv_l by lra. rewrite <- Ep at 2. rewrite Rmult_1_r. eapply Rle_trans; [exact Hc|].
  eapply Rle_trans; [apply Rplus_le_compat; [exact A|exact B]|]. right. ring.
Qed.

(* On records. *)
Section ConvexTail.
Context {X : Type}.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Notation n := (n Ds).
Notation P := (P Ds).
Notation emp := (emp Ds).
Notation pop := (pop Ds).
Notation rows := (length Ds).

Theorem convex_up q p x t : pop q <= p -> p <= 1 -> INR t < n * x ->
  P (fun S => emp q S >= x) <= convex_tail rows p x t.
Proof.
  intros Hq Hp Ht. assert (Hn := n_pos Ds some_rows). assert (Hr := pop_range Ds some_rows q).
  set (d := n * x - INR t). assert (Hd : 0 < d) by (unfold d; lra).
  pose (w := fun y => Rmax 0 (y - INR t)).
  apply Rle_trans with (prodE Ds (fun S => / d * w (sumR S (fn q)))).
  - apply mean_mono. intros S. assert (Hi : 0 < / d) by now apply Rinv_0_lt_compat.
    apply ind_markov; [|apply Rmult_le_pos; [lra|apply Rmax_l]]. intros H. unfold Tails.emp in H.
    rewrite <- (Rinv_l d) by lra. apply Rmult_le_compat_l; [lra|]. eapply Rle_trans; [|apply Rmax_r].
    apply Rmult_ge_compat_r with (r := n) in H; [|lra]. unfold Rdiv in H. rewrite Rmult_assoc, Rinv_l in H by lra.
    unfold d. lra.
  - rewrite mean_scal. unfold convex_tail, Rdiv. rewrite Rmult_comm. fold n. fold d. apply Rmult_le_compat_r.
    { left. now apply Rinv_0_lt_compat. }
    eapply Rle_trans; [apply values_below_ones|].
    + intros y z u Hu. unfold w. apply Rmax_lub.
      * assert (H1 := Rmax_l 0 (y - INR t)). assert (H2 := Rmax_l 0 (z - INR t)). nra.
      * assert (H1 := Rmax_r 0 (y - INR t)). assert (H2 := Rmax_r 0 (z - INR t)). nra.
    + rewrite (ones_ext _ _ (fun k => INR (k - t))) by (intros k; apply positive_part). fold (truths Ds q).
      eapply Rle_trans; [apply (hoeffding_convex _ _ (pop q))|].
      * apply truths_means.
      * apply positive_convex.
      * rewrite truths_total, truths_length by auto. reflexivity.
      * rewrite truths_length. apply ones_rises; try lra. intros k. apply le_INR. lia.
Qed.

Theorem convex_down q p x t : p <= pop q -> 0 <= p -> INR t < n * (1 - x) ->
  P (fun S => emp q S <= x) <= convex_tail rows (1 - p) (1 - x) t.
Proof.
  intros Hq Hp Ht. eapply Rle_trans; [apply flip_tail; auto|]. apply convex_up; auto; [|lra].
  rewrite pop_flip by auto. lra.
Qed.

End ConvexTail.
