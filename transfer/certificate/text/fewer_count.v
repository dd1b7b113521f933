(* With one row fewer so many ${.what} are too likely. *)
Theorem one_row_fewer : ${.level} < binomial (Z.to_nat ${.tail.N}) (${.tail.P} / ${.tail.Over}) (Z.to_nat ${.tail.K}).
Proof. apply (count_above_valid ${.tail.N} ${.bits} ${.width} ${.l} ${.tail.Over} ${.tail.P} ${.tail.K}). vm_cast_no_check (eq_refl true). Qed.

