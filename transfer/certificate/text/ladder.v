(* Losses are 1 - score. A step has its boundary over ${.edges}, the value shown over ${.d}, and over ${.w} the
   probabilities that a loss far below the value before misses the step and that one far above the value takes it. A
   search finds the table, and can miss one for fewer rows: so no theorem says that one row fewer fails. *)
Definition steps : list step := [${.list}]%Z.
Definition fine := {| bits := ${if .counted}${.bits}${else}96${end}; width := ${if .counted}${.width}${else}0${end} |}.

Theorem plan (X : Type) (Ds : list (law X)) (analyst : list nat -> query X) : length Ds = Z.to_nat ${.n} ->
${- if .counted}
  Hoeffding1956 -> (forall v, zero_one (analyst v)) ->
${- end}
  P Ds (fun S => exists later l v,
    Ladder.transcript (emp Ds) (1 + length steps) (boundary ${.edges} steps) analyst (Z.to_nat ${.m}) S = later ++ l :: v /\
    ~ Ladder.promise (pop Ds) (${.s} / ${.d}) (${.top} / ${.d})
        (value ${.d} ${.top} ${.s} steps) analyst v l) <= ${.beta}.
Proof.
  intros rows${if .counted} H Hz${end}. apply (ladder_${if .counted}count_${end}plan Ds ${.n} rows eq_refl fine ${.edges} ${.d} ${.w}
    ${.top} ${.s} steps ${.m} ${.b} analyst${if .counted} H Hz${end}).
  vm_cast_no_check (eq_refl true). Qed.

