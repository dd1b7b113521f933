${template "fine.v" .}Theorem plan (X : Type) (Ds : list (law X)) (finalists : list (query X)) : length Ds = Z.to_nat ${.n} ->
${- if .counted}
  Hoeffding1956 -> (forall q, In q finalists -> zero_one X q) ->
${- end}
  length finalists = Z.to_nat ${.m} ->
  P X Ds (fun S => exists q, In q finalists /\
    ${if .both}Rabs (emp X Ds q S - pop X Ds q)${else}emp X Ds q S - pop X Ds q${end} >= ${.s} / ${.d}) <= ${.beta}.
Proof.
  intros rows${if .counted} H Hq${end} all. apply (sealed_${if .counted}count_${end}plan${template "side" .} X Ds ${.n} rows eq_refl fine ${.m} ${.b}
${- if not .counted} ${.d} ${.s} ${.factor} cells finalists
${- else}${if .both} ${.shares}${end} ${.d} ${.s} groups finalists H Hq${end} all).
  vm_cast_no_check (eq_refl true). Qed.

