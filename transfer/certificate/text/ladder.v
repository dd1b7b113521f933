(* Losses are 1 - score. A step has its boundary over ${f}, the value shown over ${d}, and over ${w} the
   probabilities that a loss far below the value before misses the step and that one far above the value takes it. A
   search finds the table, and can miss one for fewer rows: so no theorem says that one row fewer fails. *)
Definition steps : list step := [${steps}]%Z.
Definition fine := {| bits := ${bits}; width := ${width} |}.

Theorem plan (X : Type) (Ds : list (law X)) (analyst : list nat -> query X) : length Ds = Z.to_nat ${n} ->${given}
  P X Ds (fun S => exists later l v,
    Ladder.transcript _ _ (emp X Ds) (1 + length steps) (boundary ${f} steps) analyst (Z.to_nat ${m}) S = later ++ l :: v /\
    ~ Ladder.promise _ (pop X Ds) (${s} / ${d}) (${top} / ${d})
        (value ${d} ${top} ${s} steps) analyst v l) <= ${beta}.
Proof.
  intros rows${names}. apply (${theorem} X Ds ${n} rows eq_refl fine ${f} ${d} ${w}
    ${top} ${s} steps ${m} ${b} analyst${names}).
  vm_cast_no_check (eq_refl true). Qed.

