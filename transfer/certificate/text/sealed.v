Theorem plan (X : Type) (Ds : list (law X)) (finalists : list (query X)) : length Ds = Z.to_nat ${n} ->${given}
  length finalists = Z.to_nat ${m} ->
  P X Ds (fun S => exists q, In q finalists /\ ${off} >= ${s} / ${d}) <= ${beta}.
Proof.
  intros rows${names} all. apply (${theorem} X Ds ${n} rows eq_refl fine ${m} ${b} ${numbers} finalists${names} all).
  vm_cast_no_check (eq_refl true). Qed.

