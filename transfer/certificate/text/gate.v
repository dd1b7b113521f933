${define "asked"}${if .goal.Bar.Given}(fun v => (analyst v, ${template "shown" .} / ${.one}))${else}analyst${end}${end}
${- define "shown"}${if lt .shown 0}(${.shown})${else}${.shown}${end}${end}
${- define "side"}${if .goal.OneSided}_one_side${end}${end}
${- template "queries.v" .}Theorem plan (X : Type) (Ds : list (law X)) (analyst : list bool -> ${if .signed}difference${else}query${end} X
${- if not .goal.Bar.Given} * R${end}) : length Ds = Z.to_nat ${.n} ->
${- if .counted}
  Hoeffding1956 -> (forall v, zero_one ${if .goal.Bar.Given}(analyst v)${else}(fst (analyst v))${end}) ->
${- end}
  P Ds (fun S => exists later r v,
    gate_shown (fun t => ${if .signed}gain${else}emp${end} Ds (fst t))
      (fun ${if and .counted .goal.Bar.Given}_ => INR (Z.to_nat ${.at}) / Tails.n Ds${else}t => snd t + ${.s} / ${.one}${end}) ${template "asked" .}
      (Z.to_nat ${.B}) (Z.to_nat ${.m}) S = later ++ r :: v /\
    gate_wrong ${if .signed}(below_bar (gain_truth Ds))${else}(too_low Ds)${end}
      ${if .goal.OneSided}(fun _ => False)
${- else if .signed}(far_above (gain_truth Ds) (${.s} / ${.one}))
${- else}(too_high Ds (${.s} / ${.one}))${end} ${template "asked" .} v r) <= ${.beta}.
Proof.
  intros rows${if .counted} H Hq${end}. apply (
${- if and .counted .goal.Bar.Given}gate_count_plan${template "side" .} Ds ${.n} rows eq_refl fine ${.m} ${.B} ${.b} ${.d} ${.c}
${- if not .goal.OneSided} ${.s}${end} ${.at} analyst H Hq
${- else if .counted}gate_any_count_plan Ds ${.n} rows eq_refl fine ${.m} ${.B} ${.b} ${.d} ${.s} groups analyst H Hq
${- else if .goal.Bar.Given}gate_bar_${if .signed}difference_${end}plan${template "side" .} Ds ${.n} rows eq_refl fine ${.m} ${.B} ${.b} ${.one} ${template "shown" .} ${.s} ${.t}
${- if not .goal.OneSided} ${.missed}${end}
${- else}gate_${if .signed}difference_${end}plan Ds ${.n} rows eq_refl fine ${.m} ${.B} ${.b} ${.one} ${.s} ${.factor} cells${end}).
  vm_cast_no_check (eq_refl true). Qed.

