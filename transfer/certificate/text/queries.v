${template "fine.v" .}(* How many queries could be asked. *)
Theorem queries : INR (N (Z.to_nat ${.m}) (Z.to_nat ${.B})) = ${.nodes}.
Proof. rewrite nodes_N; [f_equal; vm_compute; reflexivity|discriminate|discriminate]. Qed.

