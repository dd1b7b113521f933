(* With one row fewer both tails at a break point add up to too much. *)
Theorem one_row_fewer : ${level} < binomial (Z.to_nat ${n}) (${p} / ${d}) (Z.to_nat ${k}) +
  binomial (Z.to_nat ${n}) (${q} / ${d}) (Z.to_nat ${j}).
Proof. apply (both_above_valid ${n} ${bits} ${width} ${l} ${shares} ${d} ${p} ${k} ${q} ${j} ${share}).
  vm_cast_no_check (eq_refl true). Qed.

