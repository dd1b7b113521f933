(* The convex tail, by cells of means: the end of each over ${.over}, and its t. *)
Definition cells : list (Z * Z) := [${.list}]%Z.

