(* The binomial tails, by groups of break points: the last of each${if .both}, and the share for few ones, of ${.unit}${end}. *)
Definition groups : list ${if .both}(Z * Z)${else}Z${end} := [${.list}]%Z.

