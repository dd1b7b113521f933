(* docs/theorems/feedback.md, "Convex tail": it falls in the number of rows, as the mean of more 0/1 records is below
   that of fewer in the convex order. *)

From Coq Require Import Reals Lra Lia List Arith Psatz.
From dpcalc Require Import Tree Count Gate Tails Binomial ConvexOrder ConvexTail.
Import ListNotations.
Open Scope R_scope.

Lemma ones_plus ps f g : ones ps (fun k => f k + g k) = ones ps f + ones ps g.
Proof. revert f g. induction ps as [|p ps IH]; intros f g; simpl; [auto|]. rewrite !IH. ring. Qed.

Lemma ones_scal ps c f : ones ps (fun k => c * f k) = c * ones ps f.
Proof. revert f. induction ps as [|p ps IH]; intros f; simpl; [auto|]. rewrite !IH. ring. Qed.

Lemma ones_le ps f g : means ps -> (forall k, (k <= length ps)%nat -> f k <= g k) -> ones ps f <= ones ps g.
Proof.
  revert f g. induction ps as [|p ps IH]; intros f g Hm H; simpl; [apply H; simpl; lia|].
  apply means_cons in Hm. destruct Hm as [Hp Hm].
  assert (A := IH f g Hm (fun k Hk => H k ltac:(simpl; lia))).
  assert (B := IH (fun k => f (S k)) (fun k => g (S k)) Hm (fun k Hk => H (S k) ltac:(simpl; lia))).
  apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.

Lemma excess_nonneg n p t : 0 <= p <= 1 -> 0 <= excess n p t.
Proof.
  intros Hp. apply Rle_trans with (ones (repeat p n) (fun _ => 0 * 0)); [rewrite ones_scal; lra|].
  apply ones_le; [now apply means_repeat|]. intros k _. rewrite Rmult_0_l. apply pos_INR.
Qed.

(* Of n+1 records one that is 1 is left out, or one that is 0. *)
Lemma one_left_out n p h :
  ones (repeat p (S n)) (fun k => INR k * h k) = INR (S n) * p * ones (repeat p n) (fun k => h (S k)).
Proof.
  revert h. induction n as [|n IH]; intros h; [simpl; ring|].
  change (ones (repeat p (S (S n))) (fun k => INR k * h k)) with
    (p * ones (repeat p (S n)) (fun k => INR (S k) * h (S k)) + (1 - p) * ones (repeat p (S n)) (fun k => INR k * h k)).
  rewrite (ones_ext _ (fun k => INR (S k) * h (S k)) (fun k => INR k * h (S k) + h (S k)))
    by (intros; rewrite S_INR; ring).
  rewrite ones_plus, (IH h), (IH (fun k => h (S k))), (S_INR (S n)). cbn [repeat ones]. ring.
Qed.

Lemma zero_left_out n p h :
  ones (repeat p (S n)) (fun k => (INR (S n) - INR k) * h k) = INR (S n) * (1 - p) * ones (repeat p n) h.
Proof.
  rewrite (ones_ext _ _ (fun k => INR (S n) * h k + (-1) * (INR k * h k))) by (intros; ring).
  rewrite ones_plus, !ones_scal, one_left_out. cbn [repeat ones]. ring.
Qed.

Lemma mean_below n p (w : R -> R) : (1 <= n)%nat -> 0 <= p <= 1 -> convex w ->
  ones (repeat p (S n)) (fun k => w (INR k / INR (S n))) <= ones (repeat p n) (fun k => w (INR k / INR n)).
Proof.
  intros Hn Hp Hw. assert (HN : 0 < INR n) by (apply lt_0_INR; lia).
  assert (HS : 0 < INR (S n)) by (apply lt_0_INR; lia).
  apply Rle_trans with (ones (repeat p (S n)) (fun k => / INR (S n) * (INR k * w ((INR k - 1) / INR n)) +
    / INR (S n) * ((INR (S n) - INR k) * w (INR k / INR n)))).
  - apply ones_le; [now apply means_repeat|]. intros k Hk. rewrite repeat_length in Hk. apply le_INR in Hk.
    assert (Hk0 := pos_INR k).
    assert (Hu : 0 <= INR k / INR (S n) <= 1).
    { split; [apply Rmult_le_pos; auto; left; now apply Rinv_0_lt_compat|].
      apply Rmult_le_reg_r with (INR (S n)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (H := Hw ((INR k - 1) / INR n) (INR k / INR n) (INR k / INR (S n)) Hu).
    replace (INR k / INR (S n) * ((INR k - 1) / INR n) + (1 - INR k / INR (S n)) * (INR k / INR n)) with
      (INR k / INR (S n)) in H by (rewrite S_INR in *; field; lra).
    eapply Rle_trans; [exact H|]. right. field. lra.
  - rewrite ones_plus, !ones_scal, one_left_out, zero_left_out.
    rewrite (ones_ext _ (fun k => w ((INR (S k) - 1) / INR n)) (fun k => w (INR k / INR n)))
      by (intros k; f_equal; rewrite S_INR; f_equal; ring).
    right. field. lra.
Qed.

(* The excess over any number c is linear between whole numbers. *)
Lemma one_row_more n p x t : (1 <= n)%nat -> 0 <= p <= 1 -> INR t < INR n * x ->
  exists t', INR t' < INR (S n) * x /\ convex_tail (S n) p x t' <= convex_tail n p x t.
Proof.
  intros Hn Hp Ht. assert (HN : 0 < INR n) by (apply lt_0_INR; lia).
  assert (HS : 0 < INR (S n)) by (apply lt_0_INR; lia).
  set (c := INR t * INR (S n) / INR n).
  assert (Hc0 : 0 <= c).
  { apply Rmult_le_pos; [apply Rmult_le_pos; [apply pos_INR|lra]|left; now apply Rinv_0_lt_compat]. }
  assert (Hc : c < INR (S n) * x).
  { unfold c. apply Rmult_lt_reg_r with (INR n); auto. 
    replace (INR t * INR (S n) / INR n * INR n) with (INR t * INR (S n)) by (field; lra). nra. }
  set (X := INR (S n) * x - c). assert (HX : 0 < X) by (unfold X; lra).
  (* The bound of n rows at t is at least that of n+1 rows at c. *)
  assert (Hm : ones (repeat p (S n)) (fun k => Rmax 0 (INR k - c)) <= X * convex_tail n p x t).
  { assert (H := mean_below n p (fun y => Rmax 0 (INR (S n) * y - c)) Hn Hp).
    rewrite (ones_ext (repeat p (S n)) _ (fun k => Rmax 0 (INR k - c))) in H by (intros; f_equal; field; lra).
    rewrite (ones_ext (repeat p n) _ (fun k => INR (S n) / INR n * INR (k - t))) in H.
    - rewrite ones_scal in H. eapply Rle_trans; [apply H|].
      + intros y z u Hu. assert (A := Rmax_r 0 (INR (S n) * y - c)). assert (B := Rmax_r 0 (INR (S n) * z - c)).
        assert (A0 := Rmax_l 0 (INR (S n) * y - c)). assert (B0 := Rmax_l 0 (INR (S n) * z - c)). apply Rmax_lub; nra.
      + right. unfold convex_tail, X, c. fold (excess n p t). field. repeat split; lra.
    - intros k. rewrite <- positive_part.
      replace (INR (S n) * (INR k / INR n) - c) with (INR (S n) / INR n * (INR k - INR t)) by (unfold c; field; lra).
      assert (Hs : 0 < INR (S n) / INR n) by (apply Rdiv_lt_0_compat; lra).
      unfold Rmax. destruct (Rle_dec 0 (INR (S n) / INR n * (INR k - INR t))), (Rle_dec 0 (INR k - INR t)); nra. }
  (* a is the whole number at or below c, and u the rest. *)
  assert (Ha : exists a, INR a <= c < INR (S a)).
  { destruct (archimed c) as [H1 H2]. assert (Hz : (0 < up c)%Z) by (apply lt_IZR; lra).
    exists (Z.to_nat (up c) - 1)%nat. assert (Hk : (0 < Z.to_nat (up c))%nat) by lia.
    assert (Ek : INR (Z.to_nat (up c)) = IZR (up c)) by (rewrite INR_IZR_INZ, Z2Nat.id; auto; lia).
    replace (S (Z.to_nat (up c) - 1)) with (Z.to_nat (up c)) by lia. rewrite minus_INR, Ek by lia. simpl (INR 1). lra. }
  destruct Ha as (a & Ha1 & Ha2). rewrite S_INR in Ha2. set (u := c - INR a).
  assert (Hu : 0 <= u < 1) by (unfold u; lra).
  assert (El : ones (repeat p (S n)) (fun k => Rmax 0 (INR k - c)) =
    (1 - u) * excess (S n) p a + u * excess (S n) p (S a)).
  { unfold excess. rewrite <- !ones_scal, <- ones_plus. apply ones_ext. intros k. unfold u.
    destruct (le_lt_dec (S a) k) as [H|H].
    - rewrite !minus_INR, S_INR by lia. apply le_INR in H. rewrite S_INR in H. rewrite Rmax_right by lra. ring.
    - replace (k - a)%nat with 0%nat by lia. replace (k - S a)%nat with 0%nat by lia. simpl (INR 0).
      assert (INR k <= INR a) by (apply le_INR; lia). rewrite Rmax_left by lra. ring. }
  rewrite El in Hm. set (M := convex_tail n p x t) in *.
  assert (Hq : forall b, INR b < INR (S n) * x -> excess (S n) p b <= M * (INR (S n) * x - INR b) ->
    convex_tail (S n) p x b <= M).
  { intros b Hb H. apply Rmult_le_reg_r with (INR (S n) * x - INR b); [lra|]. unfold convex_tail, Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (HM : 0 <= M).
  { unfold M, convex_tail. apply Rmult_le_pos; [now apply excess_nonneg|left; apply Rinv_0_lt_compat; lra]. }
  assert (HA := excess_nonneg (S n) p a Hp). assert (HB := excess_nonneg (S n) p (S a) Hp).
  destruct (Rle_dec (excess (S n) p a) (M * (INR (S n) * x - INR a))) as [H|H].
  - exists a. split; [lra|]. apply Hq; auto. lra.
  - exists (S a). assert (Hs := S_INR a).
    assert (EX : X = (1 - u) * (INR (S n) * x - INR a) + u * (INR (S n) * x - INR (S a)))
      by (unfold X, u; rewrite Hs; ring).
    apply Rnot_le_lt in H.
    assert (H1 : (1 - u) * (M * (INR (S n) * x - INR a)) < (1 - u) * excess (S n) p a)
      by (apply Rmult_lt_compat_l; lra).
    assert (H2 : u * excess (S n) p (S a) < u * (M * (INR (S n) * x - INR (S a)))) by (rewrite EX in Hm; lra).
    destruct (Req_dec u 0) as [E|E]; [rewrite E in H2; lra|].
    assert (H3 : excess (S n) p (S a) < M * (INR (S n) * x - INR (S a))) by (apply Rmult_lt_reg_l with u; lra).
    assert (H4 : INR (S a) < INR (S n) * x) by nra. split; auto. apply Hq; auto. lra.
Qed.

Theorem convex_tail_falls m n p x t : (1 <= m <= n)%nat -> 0 <= p <= 1 -> INR t < INR m * x ->
  exists t', INR t' < INR n * x /\ convex_tail n p x t' <= convex_tail m p x t.
Proof.
  intros [Hm Hn] Hp Ht. induction Hn as [|n Hn IH]; [exists t; split; [auto|lra]|]. destruct IH as (t' & H1 & H2).
  destruct (one_row_more n p x t' ltac:(lia) Hp H1) as (t'' & H3 & H4). exists t''. split; [auto|lra].
Qed.
