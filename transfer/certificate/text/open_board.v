(* Each submission is answered with a cell: 0 keeps the board, and i raises it by i steps of ${.step} / ${.d}. All looks have
   the interval of look ${.m}, until ${.K} raised or ${.L} kept the board, if each raise was by one step. *)
Theorem plan (X : Type) (Ds : list (law X)) (ask : node -> query X)
${- if .counted} (H : Hoeffding1956) (z : forall v, zero_one (ask v))${end}
  (rows : length Ds = Z.to_nat ${.n}) :
  let looks := board_of_${if .counted}counts${else}values${end} Ds ${.n} rows eq_refl ask${if .counted} H z${end} ${.step} ${.d} in
  P Ds (fun S => exists later c v,
    board_cells Ds looks (Z.to_nat ${.m}) S = later ++ c :: v /\
    one_step (c :: v) /\ ended (Z.to_nat ${.K}) (Z.to_nat ${.L}) (map raised v) = false /\
    let start := board_start Ds ${.b} looks (c :: v) in
    ~ (start <= best _ looks (c :: v) <= start + 2 * (${.s} / ${.d}))) <= ${.beta}.
Proof.
  apply (board_plan_of_${if .counted}counts${else}values${end} Ds ${.n} rows eq_refl ${.m} ${.K} ${.b} ${.d} ${.step} ${.s} keeping raising).
  vm_cast_no_check (eq_refl true). Qed.

