${if .goal.Bar.Given}${template "fine.v" .}${end -}
(* Look ${.m} is pass ${.K} if it passes. All looks have its level, until ${.K} passed or ${.L} failed. *)
Theorem plan (X : Type) (Ds : list (law X)) (ask : list bool -> query X)
${- if not .goal.Bar.Given} (bar x : list bool -> R)${end} : length Ds = Z.to_nat ${.n} ->
${- if not .goal.Bar.Given}
  (forall v, 0 < bar v < 1) -> (forall v, threshold_of ${.n} (${.level}) (bar v) (x v)) ->
${- else if .counted}
  Hoeffding1956 -> (forall v, zero_one (ask v)) ->
${- end}
  P Ds (fun S => exists later r v,
    answered Ds ask
${- if not .goal.Bar.Given} x
${- else if .counted} (fun _ => INR (Z.to_nat ${.at}) / Tails.n Ds)
${- else} (fun _ => ${.at} / ${.d})${end} (Z.to_nat ${.K}) (Z.to_nat ${.L}) (Z.to_nat ${.m}) S = later ++ r :: v /\
    mistaken Ds ask ${if .goal.Bar.Given}(fun _ => ${.c} / ${.d})${else}bar${end} (2 * (${.s} / ${.d})) v r) <= ${.beta}.
Proof.
  intros rows
${- if not .goal.Bar.Given} Hbar Hx. apply (open_any_plan Ds ${.n} rows eq_refl ${.m} ${.K} ${.b} ${.d} ${.s} ${.l} both ask bar x Hbar Hx
${- else if .counted} H Hq. apply (open_count_plan Ds ${.n} rows eq_refl fine ${.m} ${.K} ${.b} ${.d} ${.c} ${.s} ${.at} ask H Hq
${- else}. apply (open_bar_plan Ds ${.n} rows eq_refl fine ${.m} ${.K} ${.b} ${.d} ${.c} ${.s} ${.at} ${.t} ${.missed} ask${end}).
  vm_cast_no_check (eq_refl true). Qed.

