(* With one row fewer both tails at a break point add up to too much. *)
Theorem one_row_fewer : ${.level} < binomial (Z.to_nat ${.tail.N}) (${.tail.P} / ${.tail.Over}) (Z.to_nat ${.tail.K}) +
  binomial (Z.to_nat ${.tail.N}) (${.ones.P} / ${.tail.Over}) (Z.to_nat ${.ones.K}).
Proof. apply (both_above_valid ${.tail.N} ${.bits} ${.width} ${.l} ${.shares} ${.tail.Over} ${.tail.P} ${.tail.K} ${.ones.P} ${.ones.K} ${.share}).
  vm_cast_no_check (eq_refl true). Qed.

