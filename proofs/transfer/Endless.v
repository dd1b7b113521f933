(* docs/theorems/open.md, "gaussian-open": the joint bound for a sequence of answers, of which the failure probability
   is divided among all that can come. *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Entropy Line Normal Posterior Rounded Steps Tangent Joint.
Import ListNotations.
Open Scope R_scope.

(* Answer j, counted from 0, has this part of beta. *)
Definition part (beta : R) (j : nat) : R := beta * (2/7) * Rpower (INR (S j)) (- (7/5)).

Lemma part_falls x : 0 < x -> 2/5 * Rpower (x + 1) (- (7/5)) <= Rpower x (- (2/5)) - Rpower (x + 1) (- (2/5)).
Proof.
  intros Hx. set (y := x + 1). assert (Hy : 0 < y) by (unfold y; lra).
  assert (Ey : Rpower y (- (7/5)) = Rpower y (- (2/5)) / y).
  { replace (- (7/5)) with (- (2/5) + - (1)) by field. rewrite Rpower_plus, (Rpower_Ropp y 1), Rpower_1; auto. }
  assert (Ex : Rpower x (- (2/5)) = Rpower y (- (2/5)) * exp (- (2/5) * ln (x / y))).
  { unfold Rpower. rewrite <- exp_plus. f_equal. unfold Rdiv at 4. rewrite ln_mult, ln_Rinv; auto; [ring|].
    now apply Rinv_0_lt_compat. }
  assert (Hl : ln (x / y) <= - / y).
  { eapply Rle_trans; [apply ln_chord; now apply Rdiv_lt_0_compat|]. right. unfold y. field. lra. }
  assert (He := exp_ge_1 (- (2/5) * ln (x / y))). assert (Hp := Rpower_pos y (- (2/5))).
  rewrite Ey, Ex. set (P := Rpower y (- (2/5))) in *.
  assert (P * (1 + 2/5 * / y) <= P * exp (- (2/5) * ln (x / y))) by (apply Rmult_le_compat_l; lra).
  unfold Rdiv. lra.
Qed.

Lemma powers_below m : sumR (seq 0 (S m)) (fun j => Rpower (INR (S j)) (- (7/5))) <=
  7/2 - 5/2 * Rpower (INR (S m)) (- (2/5)).
Proof.
  induction m as [|m IH].
  - simpl. rewrite !Rpower_1_l. lra.
  - rewrite seq_S, sumR_app. cbn [sumR]. rewrite Nat.add_0_l, (S_INR (S m)).
    assert (H := part_falls (INR (S m)) (lt_0_INR _ (Nat.lt_0_succ m))). lra.
Qed.

(* The parts of all answers add up to no more than beta. *)
Theorem parts_below beta m : 0 <= beta -> sumR (seq 0 m) (part beta) <= beta.
Proof.
  intros Hb. unfold part. rewrite sumR_scal.
  assert (H : sumR (seq 0 m) (fun j => Rpower (INR (S j)) (- (7/5))) <= 7/2).
  { destruct m as [|m]; [simpl; lra|]. generalize (powers_below m) (Rpower_pos (INR (S m)) (- (2/5))). lra. }
  assert (beta * (2/7) * sumR (seq 0 m) (fun j => Rpower (INR (S j)) (- (7/5))) <= beta * (2/7) * (7/2)); [|lra].
  apply Rmult_le_compat_l; lra.
Qed.

Section Endless.
Context {X : Type}.
Variable x0 : X.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Hypothesis support : forall D, In D Ds -> finite D.
Variable noises : nat -> noise.
Hypothesis all_noisy : forall j, noisy (noises j).
Variable ask : list cell -> query X.
Variable cuts : list cell -> list R.
Hypothesis cuts_sorted : forall v, sorted m_infty (cuts v).
Variable tau : nat -> R.
Variables count_above count_below : bool.
Notation cdf := (fun j => cdf_of (noises j)).
Notation fails := (fails Ds cdf ask cuts tau count_above count_below).
Notation certified := (certified noises tau count_above count_below (fun _ => Ds) (enough Ds noises)).

(* Whoever stops after m answers: the noises, the accuracies and the parts of beta do not depend on m. *)
Theorem endless (eps : nat -> R) (beta : R) (m : nat) : 0 <= beta ->
  (forall j, (j < m)%nat -> certified j (eps j)) -> (forall j, (j < m)%nat -> eps j <= part beta j) ->
  fails m <= beta.
Proof.
  intros Hb Hc Hp.
  eapply Rle_trans; [apply (joint_bound x0 Ds some_rows support noises) with (eps := eps); auto|].
  - intros j. apply all_noisy.
  - eapply Rle_trans; [apply sumR_le|now apply (parts_below beta m)].
    intros j Hj. apply in_seq in Hj. apply Hp. lia.
Qed.

(* An answer more can only add to what is off. *)
Lemma fails_rise m : fails m <= fails (S m).
Proof.
  assert (Hr : forall j s t, Rbar_le s t -> cdf_of (noises j) s <= cdf_of (noises j) t)
    by (intros; apply cdf_of_rises; auto; apply all_noisy).
  assert (He : forall j, cdf_of (noises j) m_infty = 0 /\ cdf_of (noises j) p_infty = 1)
    by (intros; apply cdf_of_ends, all_noisy).
  unfold Rounded.fails. apply mean_mono. intros S. generalize (@nil cell).
  set (any := some_off (off Ds ask tau count_above count_below)).
  induction m as [|m IH]; intros v.
  - cbn [chance]. rewrite <- (Rmult_1_l (ind any v)).
    rewrite <- (mass_total cdf He cuts (length v) (emp Ds (ask v) S) v), Rmult_comm, <- sumR_scal.
    apply sumR_le. intros c Hc. rewrite Rmult_comm.
    apply Rmult_le_compat_l; [now apply (mass_nonneg cdf Hr cuts cuts_sorted _ _ v)|].
    unfold ind. destruct (ClassicalDescription.excluded_middle_informative (any v)) as [H|H],
      (ClassicalDescription.excluded_middle_informative (any (c :: v))) as [H'|H']; try lra.
    exfalso. apply H'. destruct H as (later & d & u & E & H). exists (c :: later), d, u. simpl. now rewrite E.
  - change (sumR (cells m_infty (cuts v)) (fun c => mass cdf (length v) (emp Ds (ask v) S) c *
        chance cdf cuts (fun v => emp Ds (ask v)) m (ind any) (c :: v) S) <=
      sumR (cells m_infty (cuts v)) (fun c => mass cdf (length v) (emp Ds (ask v) S) c *
        chance cdf cuts (fun v => emp Ds (ask v)) (Datatypes.S m) (ind any) (c :: v) S)).
    apply sumR_le. intros c Hc. apply Rmult_le_compat_l; auto.
    now apply (mass_nonneg cdf Hr cuts cuts_sorted _ _ v).
Qed.

(* The probability that any answer of the sequence is ever shown to be off. *)
Theorem for_ever (eps : nat -> R) (beta : R) : 0 <= beta ->
  (forall j, certified j (eps j)) -> (forall j, eps j <= part beta j) ->
  exists p : R, is_lim_seq fails p /\ p <= beta.
Proof.
  intros Hb Hc Hp.
  assert (H : forall m, fails m <= beta) by (intros; apply (endless eps); auto).
  destruct (ex_finite_lim_seq_incr fails beta fails_rise H) as [p Hl]. exists p. split; auto.
  apply (is_lim_seq_le fails (fun _ => beta) p beta H Hl). apply is_lim_seq_const.
Qed.

End Endless.
