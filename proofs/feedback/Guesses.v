(* docs/theorems/feedback.md, "sparse-validate", on independent records with unequal laws: values in [0,1] by the rate
   E, and 0/1 values by the bound of Zubkov and Serov where that is less. *)

From Coq Require Import Reals Lra Lia List Arith Psatz.
From dpcalc Require Import Tree Count Gate Tails Records Binomial Entropy Rows Sides.
From dpcalc Require Sparse.
Import ListNotations.
Open Scope R_scope.

(* A. Zubkov and A. Serov, A complete proof of universal inequalities for the distribution function of the binomial law
   (2013), Theorem 1, where (k+1)/n < p; Phi is the normal law's distribution function. It is published and not proved
   here: a theorem below that needs it has it as a hypothesis of this name. *)
Definition ZubkovSerov2013 (Phi : R -> R) : Prop := forall (n k : nat) p, 0 < p < 1 -> (k < n)%nat ->
  INR (k + 1) / INR n < p ->
  1 - binomial n p (S k) <= Phi (- sqrt (2 * INR n * kl (INR (k + 1) / INR n) p)).

Section Guesses.
Context {X : Type}.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Notation n := (n Ds).
Notation P := (P Ds).
Notation emp := (emp Ds).
Notation pop := (pop Ds).
Notation rows := (length Ds).

Notation side := (Chernoff.side n).

Lemma E_nonneg s : 0 < s < 1 -> 0 <= E s.
Proof. intros Hs. eapply Rle_trans; [|apply E_hoeffding; auto]. nra. Qed.

Lemma exp_rate_le_1 s : 0 < s < 1 -> exp (- n * E s) <= 1.
Proof.
  intros Hs. rewrite <- exp_0. apply exp_le. assert (Hn := n_pos Ds some_rows). generalize (E_nonneg s Hs). nra.
Qed.

Lemma side_falls s t : s <= t -> side t <= side s.
Proof.
  intros H. assert (Hn := n_pos Ds some_rows). unfold side.
  destruct (Rle_dec t 0), (Rle_dec s 0), (Rlt_dec t 1), (Rlt_dec s 1); try lra.
  - apply exp_rate_le_1. lra.
  - apply exp_le. assert (E s <= E t) by (apply E_rises; lra). nra.
  - left. apply exp_pos.
Qed.

Lemma side_up q s : P (fun S => emp q S - pop q >= s) <= side s.
Proof. apply (moment_side _ _ _ _ (rows_moments Ds some_rows)). Qed.

Lemma side_down q s : P (fun S => pop q - emp q S >= s) <= side s.
Proof. eapply Rle_trans; [apply to_flip; auto|apply side_up]. Qed.

Theorem unit_sides : sides P emp pop side.
Proof. intros q s. split; [apply side_up|apply side_down]. Qed.

Theorem sparse_bounded (tau T t0 : R) (B : nat) (c : nat -> nat) (r : nat -> R)
  (analyst : list Sparse.Resp -> query X * R) (m : nat) :
  Sparse.plan side tau T t0 B c r ->
  P (fun S => exists later x v, Sparse.transcript emp tau T B c analyst m S = later ++ x :: v /\
       ~ Sparse.promise pop tau t0 c analyst v x) <=
    INR (Sparse.W c m B) * side (tau - T) + sumR (seq 0 B) (fun i => INR (Sparse.Ni c m i) * r i).
Proof.
  intros. apply sparse_sides; auto; [apply unit_sides|intros; apply side_nonneg].
Qed.

(* 0/1 values. *)
Variable Phi : R -> R.
Hypothesis Phi_rises : forall x y, x <= y -> Phi x <= Phi y.
Hypothesis Phi_nonneg : forall x, 0 <= Phi x.

Definition count_side (s : R) : R :=
  if Rlt_dec 1 (n * s) then
    if Rlt_dec s 1 then Rmin (side s) (Phi (- sqrt (2 * n * E (s - 1 / n)))) else 0
  else side s.

Lemma count_side_nonneg s : 0 <= count_side s.
Proof.
  unfold count_side. destruct (Rlt_dec 1 (n * s)), (Rlt_dec s 1); try lra; try apply side_nonneg.
  apply Rmin_glb; [apply side_nonneg|apply Phi_nonneg].
Qed.

Lemma less_by_one s : 1 < n * s -> 0 < s - 1 / n.
Proof.
  intros H. assert (Hn := n_pos Ds some_rows). apply Rmult_lt_reg_l with n; auto.
  replace (n * (s - 1 / n)) with (n * s - 1) by (field; lra). lra.
Qed.

Lemma less_than s : s - 1 / n < s.
Proof. assert (Hn := n_pos Ds some_rows). assert (0 < 1 / n) by (apply Rdiv_lt_0_compat; lra). lra. Qed.

Lemma equal_rows s p k : ZubkovSerov2013 Phi -> 1 < n * s -> s < 1 -> 0 <= p <= 1 -> n * (p + s) <= INR k ->
  binomial rows p k <= Phi (- sqrt (2 * n * E (s - 1 / n))).
Proof.
  intros HZ Hs H1 Hp Hk. assert (Hn := n_pos Ds some_rows).
  destruct (le_lt_dec k rows) as [Hkn|Hkn].
  2:{ unfold binomial. rewrite at_least_above; [apply Phi_nonneg|]. now rewrite repeat_length. }
  assert (Hk1 : (1 <= k)%nat).
  { destruct k; [|lia]. simpl in Hk. assert (0 <= n * p) by nra. lra. }
  destruct (Req_dec p 0) as [->|Hp0].
  { assert (E0 : forall m j, (1 <= j)%nat -> binomial m 0 j = 0).
    { clear. induction m as [|m IH]; intros [|j] Hj; try lia; [reflexivity|]. unfold binomial in *. simpl repeat.
      rewrite at_least_S, (IH (S j)) by lia. ring. }
    rewrite E0 by auto. apply Phi_nonneg. }
  assert (Hps : p + s <= 1).
  { apply Rmult_le_reg_l with n; auto. rewrite Rmult_1_r. apply Rle_trans with (INR k); auto. now apply le_INR. }
  assert (Hp1 : 0 < p < 1) by (generalize (less_by_one s Hs) (less_than s); lra).
  assert (Hz := HZ rows (rows - k)%nat (1 - p) ltac:(lra) ltac:(lia)).
  replace (S (rows - k)) with (S rows - k)%nat in Hz by lia.
  replace (rows - k + 1)%nat with (S rows - k)%nat in Hz by lia.
  assert (Ez := zeros_at_least (repeat p rows) k). rewrite repeat_length in Ez. specialize (Ez ltac:(lia)).
  rewrite zeros_repeat in Ez. unfold binomial in *. rewrite Ez in Hz.
  assert (Ek : INR (S rows - k) / INR rows = 1 - (INR k - 1) / n).
  { rewrite minus_INR, S_INR by lia. unfold Tails.n in *. field. lra. }
  rewrite Ek, kl_flip in Hz.
  assert (Hlow : p + (s - 1 / n) <= (INR k - 1) / n).
  { apply Rmult_le_reg_l with n; auto. replace (n * ((INR k - 1) / n)) with (INR k - 1) by (field; lra).
    replace (n * (p + (s - 1 / n))) with (n * (p + s) - 1) by (field; lra). lra. }
  assert (Hs' := less_by_one s Hs).
  specialize (Hz ltac:(lra)).
  replace (1 - (1 - at_least (repeat p rows) k)) with (at_least (repeat p rows) k) in Hz by ring.
  eapply Rle_trans; [exact Hz|]. apply Phi_rises.
  assert (E (s - 1 / n) <= kl ((INR k - 1) / n) p).
  { apply Rle_trans with (kl (p + (s - 1 / n)) p).
    - apply E_le; generalize (less_than s); lra.
    - apply kl_rises; try lra. apply Rmult_le_reg_l with n; auto.
      replace (n * ((INR k - 1) / n)) with (INR k - 1) by (field; lra). rewrite Rmult_1_r.
      assert (INR k <= n) by (now apply le_INR). lra. }
  assert (sqrt (2 * n * E (s - 1 / n)) <= sqrt (2 * n * kl ((INR k - 1) / n) p)); [|unfold Tails.n in *; lra].
  apply sqrt_le_1_alt. nra.
Qed.

Lemma count_side_up q s : Hoeffding1956 -> ZubkovSerov2013 Phi -> zero_one q ->
  P (fun S => emp q S - pop q >= s) <= count_side s.
Proof.
  intros H HZ Hq. unfold count_side. destruct (Rlt_dec 1 (n * s)) as [Hs|Hs]; [|apply side_up].
  destruct (Rlt_dec s 1) as [H1|H1]; [|apply tail_up_1; auto; lra].
  apply Rmin_glb; [apply side_up|]. apply (binomial_above Ds some_rows H s); auto; [left; lra|].
  intros p k Hp Hk. now apply equal_rows.
Qed.

Definition counted := {q : query X | zero_one q}.
Definition share_of (q : counted) (S : list X) : R := emp (proj1_sig q) S.
Definition chance_of (q : counted) : R := pop (proj1_sig q).

Theorem count_sides : Hoeffding1956 -> ZubkovSerov2013 Phi -> sides P share_of chance_of count_side.
Proof.
  intros H HZ [q Hz] s. unfold share_of, chance_of. cbn [proj1_sig]. split; [now apply count_side_up|].
  eapply Rle_trans; [apply to_flip; auto|]. apply count_side_up; auto. now apply flip_zero_one.
Qed.

Theorem sparse_counts (tau T t0 : R) (B : nat) (c : nat -> nat) (r : nat -> R)
  (analyst : list Sparse.Resp -> query X * R) (m : nat) : Hoeffding1956 -> ZubkovSerov2013 Phi ->
  (forall v, zero_one (fst (analyst v))) ->
  Sparse.plan count_side tau T t0 B c r ->
  P (fun S => exists later x v, Sparse.transcript emp tau T B c analyst m S = later ++ x :: v /\
       ~ Sparse.promise pop tau t0 c analyst v x) <=
    INR (Sparse.W c m B) * count_side (tau - T) + sumR (seq 0 B) (fun i => INR (Sparse.Ni c m i) * r i).
Proof.
  intros H HZ Hq Hplan.
  pose (ask := fun v => (exist (zero_one) (fst (analyst v)) (Hq v) : counted, snd (analyst v))).
  eapply Rle_trans; [|apply (sparse_sides P share_of chance_of count_side (count_sides H HZ)) with (T := T)
    (tau := tau) (t0 := t0) (B := B) (c := c) (r := r) (analyst := ask) (m := m)]; auto.
  - apply Pr_mono. intros S (later & x & v & Hs & Hw). exists later, x, v. split; [|exact Hw].
    rewrite <- Hs. reflexivity.
  - intros; apply count_side_nonneg.
Qed.

End Guesses.
Arguments counted : clear implicits.
