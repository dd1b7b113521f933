(* One look shows the score itself. *)
Theorem plan (X : Type) (Ds : list (law X)) (model : query X) (start : R) : length Ds = Z.to_nat ${n} ->${given}
  P X Ds (fun S => Rabs (Rmin start (emp X Ds model S) - Rmin start (pop X Ds model)) >= ${s} / ${d}) <= ${beta}.
Proof.
  intros rows${names}. apply (${theorem} X Ds ${n} rows eq_refl fine ${d} ${s} ${b} ${numbers} model start${names}).
  vm_cast_no_check (eq_refl true). Qed.

