(* Threshold of dpcalc: ${if .looks}up to ${.looks} tests behind a gate, until ${.passes} reject
${- else}one test selected out of ${.tests}${end}, alpha = ${.alpha}.
   The threshold is alpha / ${.tests}.
   With the proofs compiled in the folder proofs: coqc -Q proofs dpcalc FILE *)
From Coq Require Import Reals List ZArith.
From dpcalc Require Import Tree Count Gate Plans Thresholds.
Import ListNotations.
Open Scope R_scope.

Theorem plan (Omega Test : Type) (P : outer Omega) (p : Test -> Omega -> R) (null : Test -> Prop)
${if .looks}  (chosen : list bool -> Test) :
${else}  (tests : list Test) (selected : Omega -> Test) :
  length tests = Z.to_nat ${.tests} -> (forall w, In (selected w) tests) ->
${end}  (forall t, null t -> P (fun w => p t w <= ${.level}) <= ${.level}) ->
  P (fun w =>
${- if .looks} exists later v,
    rejections p (${.level}) chosen (Z.to_nat ${.passes}) (Z.to_nat ${.looks}) w = later ++ true :: v /\
    null (chosen v)
${- else} null (selected w) /\ p (selected w) w <= ${.level}${end}) <= ${.alpha}.
Proof.
${if .looks}  intros p_value. apply (gates_plan P p null ${.looks} ${.passes} ${.numbers} chosen p_value).
${else}  intros number selects p_value.
  apply (description_plan P p null ${.tests} ${.numbers} tests selected number selects p_value).
${end}  vm_cast_no_check (eq_refl true). Qed.

