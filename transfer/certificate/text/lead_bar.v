Theorem plan (X : Type) (Ds : list (law X)) (analyst : list bool -> two_classes X Ds (Z.to_nat ${decided})) :
  length Ds = Z.to_nat ${n} -> Hoeffding1956 ->
  P X Ds (fun S => exists later r v,
    gate_shown _ _ (fun t => count_ahead X Ds (Z.to_nat ${decided}) (fst t)) (fun ${passes}) (fun v => (analyst v, ${bar} / ${one}))
      (Z.to_nat ${B}) (Z.to_nat ${m}) S = later ++ r :: v /\
    gate_wrong _ (below_bar _ (count_truly X Ds (Z.to_nat ${decided}))) ${high} (fun v => (analyst v, ${bar} / ${one})) v r) <= ${beta}.
Proof.
  intros rows H. apply (${theorem} X Ds ${n} ${decided} rows fine ${m} ${B} ${b} ${one} ${bar} ${s} analyst H).
  vm_cast_no_check (eq_refl true). Qed.

