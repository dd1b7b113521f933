(* With one row fewer no count passes with both errors rare enough. *)
Theorem one_row_fewer : forall j, (j <= Z.to_nat ${n})%nat ->
  ${level} < binomial (Z.to_nat ${n}) (${c} / ${d}) j \/
  ${fail} < binomial (Z.to_nat ${n}) (${missed} / ${d}) (S (Z.to_nat ${n}) - j).
Proof. apply (${theorem} fine ${n} ${l}${rare} ${d} ${c} ${s} ${k}). vm_cast_no_check (eq_refl true). Qed.

