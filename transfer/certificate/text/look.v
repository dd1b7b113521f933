${template "fine.v" .}(* One look shows the score itself. *)
Theorem plan (X : Type) (Ds : list (law X)) (model : query X) (start : R) : length Ds = Z.to_nat ${.n} ->
${- if .counted}
  Hoeffding1956 -> zero_one model ->
${- end}
  P Ds (fun S => Rabs (Rmin start (emp Ds model S) - Rmin start (pop Ds model)) >= ${.s} / ${.d}) <= ${.beta}.
Proof.
  intros rows${if .counted} H Hz${end}. apply (ladder_one_${if .counted}count_${end}plan Ds ${.n} rows eq_refl fine ${.d} ${.s} ${.b}
${- if .counted} ${.shares} groups model start H Hz${else} ${.factor} cells model start${end}).
  vm_cast_no_check (eq_refl true). Qed.

