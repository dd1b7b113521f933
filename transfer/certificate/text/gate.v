Theorem plan (X : Type) (Ds : list (law X)) (analyst : list bool -> ${query} X${bars}) : length Ds = Z.to_nat ${n} ->${given}
  P X Ds (fun S => exists later r v,
    gate_shown _ _ (fun t => ${mean} X Ds (fst t)) (fun ${passes}) ${asked} (Z.to_nat ${B}) (Z.to_nat ${m}) S =
      later ++ r :: v /\
    gate_wrong _ ${low} ${high} ${asked} v r) <= ${beta}.
Proof.
  intros rows${names}. apply (${theorem} X Ds ${n} rows eq_refl fine ${m} ${B} ${b} ${numbers}).
  vm_cast_no_check (eq_refl true). Qed.

