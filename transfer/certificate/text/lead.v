${template "queries.v" .}Theorem plan (X : Type) (Ds : list (law X)) (analyst : list bool -> two_classes Ds (Z.to_nat ${.decided}) * R) :
  length Ds = Z.to_nat ${.n} -> Hoeffding1956 ->
  P Ds (fun S => exists later r v,
    Gate.transcript (count_ahead Ds (Z.to_nat ${.decided})) (${.s} / ${.one}) analyst (Z.to_nat ${.B}) (Z.to_nat ${.m}) S = later ++ r :: v /\
    Gate.wrong (count_truly Ds (Z.to_nat ${.decided})) (${.s} / ${.one}) analyst v r) <= ${.beta}.
Proof.
  intros rows H. apply (gate_lead_plan Ds ${.n} ${.decided} rows fine ${.m} ${.B} ${.b} ${.one} ${.s} groups analyst H).
  vm_cast_no_check (eq_refl true). Qed.

