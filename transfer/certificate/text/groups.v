(* The binomial tails, by groups of break points: the last of each${share}. *)
Definition groups : list ${kind} := [${list}]%Z.

