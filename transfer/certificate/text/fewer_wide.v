(* With one row fewer an interval is wider. *)
Theorem one_row_fewer : ~ wide ${.fewer} (${.low}) (${.high}) (${.gap} / ${.d}) (${.wide} / ${.d}).
Proof. apply (too_wide_valid ${.fewer} ${.levels} ${.d} ${.gap} ${.wide}${.numbers}).
  vm_cast_no_check (eq_refl true). Qed.

