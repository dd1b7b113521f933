(* With one row fewer so many wins are too likely. *)
Theorem one_row_fewer : ${level} < binomial (Z.to_nat ${n}) (${p} / ${d}) (Z.to_nat ${k}).
Proof. apply (count_above_valid ${n} ${bits} ${width} ${l} ${d} ${p} ${k}). vm_cast_no_check (eq_refl true). Qed.

