(* The answers: the deviation of the noise and its cut over ${.over}, an order, a tangent or the cells that bound one
   tail, and a tangent for the less likely side, or 0. *)
Definition answers : list answer := [
${- range $i, $a := .answers}${if $i};${end}
  Answer ${.SD} ${.Cut} ${.Order} ${if .Cells}(Cells ${.Start} (${.Edge}) [
${- range $j, $c := .Cells}${if $j};${end}
    (${.Touch}, ${.Excess}, ${.End})${end}]
    (${.Last.Touch}, ${.Last.Excess}))${else}(Single (${.Tangent}))${end} (${.Other})${end}]%Z.

(* Records take finitely many values. An answer is shown as a cell: the two cuts that it lies between. *)
Theorem plan (X : Type) (x : X) (Ds : list (law X)) (ask : list cell -> query X) (cuts : list cell -> list R) :
  length Ds = Z.to_nat ${.n} -> (forall D, In D Ds -> finite D) -> (forall v, sorted m_infty (cuts v)) ->
  ZubkovSerov2013 (fun x : R => Phi x) ->
  fails Ds (fun j => cdf_of (noises ${.over} answers j)) ask cuts (fun _ => ${.s} / ${.d}) true ${.both} (Z.to_nat ${.m}) <= ${.beta}.
Proof.
  apply (noise_plan ${.n} ${.s} ${.d} ${.over} answers ${not .both} ${.digits} ${.b} x Ds ask cuts).
  vm_cast_no_check (eq_refl true). Qed.

