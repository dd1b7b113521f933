(* Plan of dpcalc: ${.method}${if .goal.Bar.Given} at the bar ${.goal.Bar.Value}${else if .goal.Floor} above a score of ${.goal.Floor}
${- end}, ${.n} independent rows, ${.m} queries, tau = ${.goal.Tau}, beta = ${.beta}.
   With the proofs compiled in the folder proofs: coqc -Q proofs dpcalc FILE *)
From Coq Require Import Reals List ZArith.
${if .answers}From Coquelicot Require Import Rbar.
From dpcalc Require Import Tree Tails Guesses Line Normal Posterior Rounded Tangent NoisePlans
${- else}From dpcalc Require Import Tree Count Gate Tails Binomial ConvexTail Records Rows Sides Certified Evaluate Differences Plans DifferencePlans
${- if .goal.Open} Budget OpenGate Looks OpenRows Board Boards OpenPlans WidePlans BoardPlans${else if .board} LadderPlans${else if .goal.Decides} LeadPlans LeadCounts LeadGatePlans${end}${end}.
Import ListNotations.
Open Scope R_scope.

