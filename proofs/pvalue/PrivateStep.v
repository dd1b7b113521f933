(* docs/theorems/pvalue.md, "Composition of corrections": a step of pure privacy on independent records has a bound, the
   one of "renyi". *)

From Coq Require Import Reals Lra Lia List Psatz.
From dpcalc Require Import Tree Count Gate Tails Cvar Renyi Corrections.
Import ListNotations.
Open Scope R_scope.

Section PrivateStep.
Context {X Y : Type}.
Variable outcomes : list Y.
Variable Ds : list (law X).
Variable eps : R.
Hypothesis eps_nonneg : 0 <= eps.
(* The masses of its outcomes, after any outcomes of earlier steps. *)
Variable k : list Y -> kernel X Y.
Hypothesis pure : forall before, private eps (k before).
Hypothesis k_total : forall before S, sumR outcomes (k before S) = 1.
Variable K : step (list X) Y.
Hypothesis drawn : forall S before f, K S before f = sumR outcomes (fun y => k before S y * f y).

Definition private_bound (c : R) : R :=
  if Rlt_dec 0 c then exp (- (Rmax 0 (sqrt (ln (1 / c)) - sqrt (rho Ds eps)))^2) else 1.

Lemma private_bound_range c : 0 <= private_bound c <= 1.
Proof.
  unfold private_bound. destruct (Rlt_dec 0 c); [|lra]. split; [left; apply exp_pos|].
  apply Rle_trans with (exp 0); [apply exp_le|rewrite exp_0; lra].
  match goal with |- - ?x^2 <= 0 => generalize (pow2_ge_0 x) end. lra.
Qed.

Theorem private_step : bounded_by (prodE Ds) K private_bound.
Proof.
  intros before f c Hf Hc Hfix. rewrite (mean_ext _ _ _ (fun S => drawn S before (f S))).
  change (average outcomes Ds (k before) f <= private_bound c). unfold private_bound.
  destruct (Rlt_dec 0 c) as [H|H].
  - apply renyi_adjusted; auto. lra.
  - apply (together_le_1 outcomes Ds (k before) eps); auto.
Qed.

End PrivateStep.
