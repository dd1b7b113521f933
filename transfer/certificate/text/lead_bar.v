${template "queries.v" .}Theorem plan (X : Type) (Ds : list (law X)) (analyst : list bool -> two_classes Ds (Z.to_nat ${.decided})) :
  length Ds = Z.to_nat ${.n} -> Hoeffding1956 ->
  P Ds (fun S => exists later r v,
    gate_shown (fun t => count_ahead Ds (Z.to_nat ${.decided}) (fst t)) (fun t => snd t + ${.s} / ${.one}) ${template "asked" .}
      (Z.to_nat ${.B}) (Z.to_nat ${.m}) S = later ++ r :: v /\
    gate_wrong (below_bar (count_truly Ds (Z.to_nat ${.decided})))
      ${if .goal.OneSided}(fun _ => False)${else}(far_above (count_truly Ds (Z.to_nat ${.decided})) (${.s} / ${.one}))${end}
      ${template "asked" .} v r) <= ${.beta}.
Proof.
  intros rows H. apply (gate_bar_lead_plan${template "side" .} Ds ${.n} ${.decided} rows fine ${.m} ${.B} ${.b} ${.one} ${template "shown" .} ${.s} analyst H).
  vm_cast_no_check (eq_refl true). Qed.

