(* As RowInstances.v: the theorems of corrected p-values at numbers, on a thousand fair coins. *)

From Coq Require Import Reals Lra Lia List Psatz Bool.
From dpcalc Require Import Tree Count Gate Tails Cvar Renyi Corrections PrivateStep Instances RowInstances.
Import ListNotations.
Open Scope R_scope.
Opaque coins N.

Notation both := [true; false].
Notation sample := (prodE Ds).

(* The first coin, told as it is. *)
Definition told : step (list bool) bool := fun S _ => point (hd true S).

Lemma told_bound : bounded_by sample told (fun c => Rmin 1 (INR (length both) * c)).
Proof.
  apply description_bound; [|exact bool_dec]. intros S before f g H. apply (H (hd true S)).
  destruct (hd true S); simpl; auto.
Qed.

(* The same with privacy .1: it is told wrongly with the probability 1/(1 + e^.1). *)
Notation e := (exp (1/10)).
Definition response (_ : list bool) : kernel bool bool :=
  fun S y => if eqb (hd true S) y then e / (1 + e) else 1 / (1 + e).

Lemma e_1 : 1 < e.
Proof. apply Rle_lt_trans with (exp 0); [rewrite exp_0; lra|apply exp_increasing; lra]. Qed.

Lemma response_masses before S y : 1 / (1 + e) <= response before S y <= e / (1 + e).
Proof.
  assert (H := e_1). assert (H0 : 0 < / (1 + e)) by (apply Rinv_0_lt_compat; lra). unfold response, Rdiv.
  destruct (eqb _ _); nra.
Qed.

Lemma response_private before : private (1/10) (response before).
Proof.
  assert (H := e_1). assert (H0 : 0 < 1 / (1 + e)) by (apply Rdiv_lt_0_compat; lra). split.
  - intros S y. generalize (response_masses before S y). lra.
  - intros s x y t z. assert (H1 := response_masses before (s ++ x :: t) z).
    assert (H2 := response_masses before (s ++ y :: t) z).
    replace (e / (1 + e)) with (e * (1 / (1 + e))) in H1 by (field; lra).
    assert (e * (1 / (1 + e)) <= e * response before (s ++ y :: t) z) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma response_total before S : sumR both (response before S) = 1.
Proof. assert (H := e_1). unfold response. simpl. destruct (hd true S); simpl; field; lra. Qed.

Definition responding : step (list bool) bool.
Proof.
  intros S before. refine (finite_law [(true, response before S true); (false, response before S false)] _ _).
  - assert (H0 : 0 < 1 / (1 + e)) by (apply Rdiv_lt_0_compat; generalize e_1; lra).
    intros a [<-|[<-|[]]]; cbn [snd]; eapply Rle_trans; try apply response_masses; lra.
  - apply (response_total before S).
Defined.

Definition responding_bound : bounded_by sample responding (private_bound Ds (1/10)) :=
  private_step both Ds (1/10) ltac:(lra) response response_private response_total responding
    (fun S before f => eq_refl).

(* What was told chooses the test. *)
Section Selected.
Context {Test : Type}.
Variable p : Test -> list bool -> R.
Variable null : Test -> Prop.
Hypothesis null_dec : forall t, {null t} + {~ null t}.
Hypothesis p_value : forall gamma t, 0 <= gamma <= 1 -> null t -> P Ds (fun S => p t S <= gamma) <= gamma.

Lemma bounds_range W c : In W [(fun c => Rmin 1 (INR (length both) * c)); private_bound Ds (1/10)] ->
  0 <= c <= 1 -> 0 <= W c <= 1.
Proof.
  intros [<-|[<-|[]]] Hc; [|apply private_bound_range]. split; [|apply Rmin_l]. apply Rmin_glb; [lra|]. simpl. lra.
Qed.

Definition one_of_two (T : list bool -> Test) : sample _ <= Rmin 1 (INR (length both) * (1/40)) :=
  selected_test sample p null T [told] [_] (1/40)
    (Forall2_cons _ _ told_bound (Forall2_nil _)) (fun W c H => bounds_range W c (or_introl (match H with
      | or_introl E => E | or_intror F => match F with end end)))
    ltac:(lra) (fun t => p_value (1/40) t ltac:(lra)).

Definition told_and_private (T : list bool -> Test) :
  sample _ <= Rmin 1 (INR (length both) * private_bound Ds (1/10) (1/100)) :=
  selected_test sample p null T [told; responding] [_; _] (1/100)
    (Forall2_cons _ _ told_bound (Forall2_cons _ _ responding_bound (Forall2_nil _))) bounds_range
    ltac:(lra) (fun t => p_value (1/100) t ltac:(lra)).

Definition private_selection (T : bool -> Test) :
  (forall t, null t -> _) -> average both Ds (response nil) _ <= 1/20 :=
  renyi_threshold both Ds (response nil) (1/10) ltac:(lra) (response_private nil) (response_total nil) p
    null T (1/20) ltac:(lra).

Definition private_p_value (f : list bool -> bool -> R) (r : forall S y, 0 <= f S y <= 1)
  (small : forall y, sample (fun S => f S y) <= 1/100) : average both Ds (response nil) f <= exp _ :=
  renyi_adjusted both Ds (response nil) (1/10) ltac:(lra) (response_private nil) (response_total nil) f
    (1/100) ltac:(lra) r small.

Definition tests_behind_a_gate (chosen : list bool -> Test) : P Ds _ <= INR (N 10 1) * (1/200) :=
  gate_rejections (P Ds) p null (1/200) ltac:(lra) null_dec (fun t => p_value (1/200) t
    ltac:(lra)) chosen 1 10.
End Selected.
