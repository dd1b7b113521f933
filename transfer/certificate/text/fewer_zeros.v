(* With one row fewer a mean of zeros has too great a tail. *)
Theorem one_row_fewer : ${level} < binomial (Z.to_nat ${n}) (${p} / ${d}) (Z.to_nat ${k}).
Proof. apply (count_above_valid ${n} ${bits} ${width} ${l} ${d} ${p} ${k}). vm_cast_no_check (eq_refl true). Qed.

