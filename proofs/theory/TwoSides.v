(* docs/theorems/theory.md, "Zubkov and Serov's bound": the tails of 0/1 values on both sides at every truth, for plans
   of more than 10,000 rows. [Guesses.equal_rows] has one tail, with the infimum of kl over all truths.

   n, tau   the number of records, the distance that is too far
   s        tau less one record
   Phi      the distribution function of the normal law *)

From Coq Require Import Reals Lra Lia List Arith Psatz.
From dpcalc Require Import Tree Count Gate Tails Records Binomial Entropy Guesses.
Import ListNotations.
Open Scope R_scope.

Section TwoSides.
Context {X : Type}.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Notation n := (n Ds).
Notation rows := (length Ds).
Variable Phi : R -> R.
Hypothesis Phi_rises : forall x y, x <= y -> Phi x <= Phi y.
Hypothesis Phi_nonneg : forall x, 0 <= Phi x.
Variable tau : R.
Hypothesis fine : 1 < n * tau.
Hypothesis tau_1 : tau < 1.
Notation s := (tau - 1 / n).

(* The bound of the upper tail, 0 where p + tau > 1, and at p = 0, where kl has no value. *)
Definition normal_tail (p : R) : R :=
  if Rlt_dec 0 p then if Rle_dec (p + tau) 1 then Phi (- sqrt (2 * n * kl (p + s) p)) else 0 else 0.

Lemma normal_tail_nonneg p : 0 <= normal_tail p.
Proof. unfold normal_tail. destruct (Rlt_dec _ _); [destruct (Rle_dec _ _); auto|]; lra. Qed.

Lemma ones_normal_tail p k : ZubkovSerov2013 Phi -> 0 <= p <= 1 -> n * (p + tau) <= INR k ->
  binomial rows p k <= normal_tail p.
Proof.
  intros HZ Hp Hk. assert (Hn := n_pos Ds some_rows). assert (Hs := less_by_one Ds some_rows tau fine).
  destruct (le_lt_dec k rows) as [Hkn|Hkn].
  2:{ unfold binomial. rewrite at_least_above by (rewrite repeat_length; auto). apply normal_tail_nonneg. }
  assert (Hk1 : (1 <= k)%nat).
  { destruct k; [|lia]. simpl in Hk. assert (0 <= n * p) by nra. lra. }
  destruct (Req_dec p 0) as [->|Hp0].
  { assert (E0 : forall m j, (1 <= j)%nat -> binomial m 0 j = 0).
    { clear. induction m as [|m IH]; intros [|j] Hj; try lia; [reflexivity|]. unfold binomial in *. simpl repeat.
      rewrite at_least_S, (IH (S j)) by lia. ring. }
    rewrite E0 by auto. apply normal_tail_nonneg. }
  assert (Hps : p + tau <= 1).
  { apply Rmult_le_reg_l with n; auto. rewrite Rmult_1_r. apply Rle_trans with (INR k); auto. now apply le_INR. }
  unfold normal_tail. destruct (Rlt_dec _ _); [destruct (Rle_dec _ _)|]; try lra.
  assert (Hp1 : 0 < p < 1) by (generalize (less_than Ds some_rows tau); lra).
  assert (Hz := HZ rows (rows - k)%nat (1 - p) ltac:(lra) ltac:(lia)).
  replace (S (rows - k)) with (S rows - k)%nat in Hz by lia.
  replace (rows - k + 1)%nat with (S rows - k)%nat in Hz by lia.
  assert (Ez := zeros_at_least (repeat p rows) k). rewrite repeat_length in Ez. specialize (Ez ltac:(lia)).
  rewrite zeros_repeat in Ez. unfold binomial in *. rewrite Ez in Hz.
  assert (Ek : INR (S rows - k) / INR rows = 1 - (INR k - 1) / n).
  { rewrite minus_INR, S_INR by lia. unfold Tails.n in *. field. lra. }
  rewrite Ek, kl_flip in Hz.
  assert (Hlow : p + s <= (INR k - 1) / n).
  { apply Rmult_le_reg_l with n; auto. replace (n * ((INR k - 1) / n)) with (INR k - 1) by (field; lra).
    replace (n * (p + s)) with (n * (p + tau) - 1) by (field; lra). lra. }
  specialize (Hz ltac:(lra)).
  replace (1 - (1 - at_least (repeat p rows) k)) with (at_least (repeat p rows) k) in Hz by ring.
  eapply Rle_trans; [exact Hz|]. apply Phi_rises.
  assert (kl (p + s) p <= kl ((INR k - 1) / n) p).
  { apply kl_rises; try lra. apply Rmult_le_reg_l with n; auto.
    replace (n * ((INR k - 1) / n)) with (INR k - 1) by (field; lra). rewrite Rmult_1_r.
    assert (INR k <= n) by (now apply le_INR). lra. }
  assert (sqrt (2 * n * kl (p + s) p) <= sqrt (2 * n * kl ((INR k - 1) / n) p)); [|unfold Tails.n in *; lra].
  apply sqrt_le_1_alt. nra.
Qed.

Theorem zubkov_serov_above b : ZubkovSerov2013 Phi -> (forall p, 0 <= p <= 1 -> normal_tail p <= b) ->
  above_by Ds tau b.
Proof. intros HZ Hb p k Hp Hk. eapply Rle_trans; [now apply ones_normal_tail|auto]. Qed.

Theorem zubkov_serov_off b : ZubkovSerov2013 Phi ->
  (forall p, 0 <= p <= 1 -> normal_tail p + normal_tail (1 - p) <= b) ->
  off_by Ds tau b.
Proof.
  intros HZ Hb p k k' Hp Hk Hk'. assert (Hn := n_pos Ds some_rows). specialize (Hb p Hp).
  assert (H1 := ones_normal_tail p k HZ Hp Hk).
  assert (H2 : 1 - binomial rows p k' <= normal_tail (1 - p)); [|lra].
  destruct Hk' as [Hk'| ->].
  2:{ rewrite (proj1 (binomial_ends rows p)). generalize (normal_tail_nonneg (1 - p)). lra. }
  destruct (le_lt_dec k' (S rows)) as [Hl|Hl].
  - assert (Ez := zeros_at_least (repeat p rows) k'). rewrite repeat_length in Ez. specialize (Ez ltac:(lia)).
    rewrite zeros_repeat in Ez. unfold binomial. rewrite <- Ez.
    apply (ones_normal_tail (1 - p) (S rows - k')%nat HZ); [lra|].
    rewrite minus_INR, S_INR by lia. unfold Tails.n in *. lra.
  - exfalso. assert (INR (S (S rows)) <= INR k') by (apply le_INR; lia). rewrite !S_INR in H. unfold Tails.n in *. nra.
Qed.

End TwoSides.
