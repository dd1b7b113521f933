${template "fine.v" .}Theorem plan (X : Type) (Ds : list (law X)) (finalists : list (query X)) : length Ds = Z.to_nat ${.n} ->
${- if .counted}
  Hoeffding1956 -> (forall q, In q finalists -> zero_one q) ->
${- end}
  length finalists = Z.to_nat ${.m} ->
  P Ds (fun S => exists q, In q finalists /\
    ${if .both}Rabs (emp Ds q S - pop Ds q)${else}emp Ds q S - pop Ds q${end} >= ${.s} / ${.d}) <= ${.beta}.
Proof.
  intros rows${if .counted} H Hq${end} all. apply (sealed_${if .counted}count_${end}plan${template "side" .} Ds ${.n} rows eq_refl fine ${.m} ${.b}
${- if not .counted} ${.d} ${.s} ${.factor} cells finalists
${- else}${if .both} ${.shares}${end} ${.d} ${.s} groups finalists H Hq${end} all).
  vm_cast_no_check (eq_refl true). Qed.

