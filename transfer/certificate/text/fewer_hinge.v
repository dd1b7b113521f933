(* With one row fewer the inequality fails. *)
Theorem one_row_fewer : forall t, INR t < ${n} * (${x} / ${d}) ->
  ${level} < convex_tail (Z.to_nat ${n}) (${p} / ${d}) (${x} / ${d}) t.
Proof. apply (no_hinge_valid ${n} ${bits} ${width} ${l} ${d} ${p} ${x}). vm_cast_no_check (eq_refl true). Qed.

