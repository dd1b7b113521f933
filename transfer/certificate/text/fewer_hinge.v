(* With one row fewer the inequality fails. *)
Theorem one_row_fewer : forall t, INR t < ${.tail.N} * (${.tail.K} / ${.tail.Over}) ->
  ${.level} < convex_tail (Z.to_nat ${.tail.N}) (${.tail.P} / ${.tail.Over}) (${.tail.K} / ${.tail.Over}) t.
Proof. apply (no_hinge_valid ${.tail.N} ${.bits} ${.width} ${.l} ${.tail.Over} ${.tail.P} ${.tail.K}). vm_cast_no_check (eq_refl true). Qed.

