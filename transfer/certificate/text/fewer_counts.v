(* With one row fewer no count passes with both errors rare enough. *)
Theorem one_row_fewer : forall j, (j <= Z.to_nat ${.fewer})%nat ->
  ${.level} < binomial (Z.to_nat ${.fewer}) (${.c} / ${.d}) j \/
  ${.fail} < binomial (Z.to_nat ${.fewer}) (${.far} / ${.d}) (S (Z.to_nat ${.fewer}) - j).
Proof. apply (${if .goal.Open}no_counts_valid fine ${.fewer} ${.l} ${.e}${else}no_count_valid fine ${.fewer} ${.l}${end} ${.d} ${.c} ${.s} ${.k}).
  vm_cast_no_check (eq_refl true). Qed.

