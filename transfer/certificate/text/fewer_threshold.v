(* With one row fewer no threshold has both errors rare enough. *)
Theorem one_row_fewer : forall y t t', INR t < ${.fewer} * y -> INR t' < ${.fewer} * (1 - y) ->
  ${.level} < convex_tail (Z.to_nat ${.fewer}) (${.c} / ${.d}) y t \/
  ${.fail} < convex_tail (Z.to_nat ${.fewer}) (${.far} / ${.d}) (1 - y) t'.
Proof. apply (no_threshold_valid {| bits := ${.bits}; width := ${.width} |} ${.fewer} ${.l} ${.e} ${.d} ${.c} ${.s} ${.k}).
  vm_cast_no_check (eq_refl true). Qed.

