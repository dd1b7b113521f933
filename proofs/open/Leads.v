(* docs/theorems/open.md, "Decided rows": the tails of a lead on D decided rows of n. Of two declared classes they are
   those of a count of D rows; of any classes, and of losses of forecasts, those of values in [0,1] on D rows. *)

From Coq Require Import Reals Lra Lia List Arith Psatz.
From dpcalc Require Import Tree Count Gate Tails Binomial Records Rows Differences Decided.
Import ListNotations.
Open Scope R_scope.

(* (1+f)/2, which has the values of f on the decided rows whatever f is there. *)
Lemma as_query_decided {X} (Ds : list (law X)) asked decided f :
  decides (dn f) (dn f) Ds asked decided -> decided_by Ds asked decided f (as_query f).
Proof.
  intros H. unfold decided_by. replace (fun x => 2 * fn (as_query f) x - 1) with (dn f); auto.
  apply FunctionalExtensionality.functional_extensionality. intros x. simpl. lra.
Qed.

Section Leads.
Context {X : Type}.
Variable Ds : list (law X).
Variables asked decided : list bool.
Notation P := (P Ds).
Notation chosen := (select decided Ds).
Hypothesis some_decided : chosen <> nil.
Notation n := (size Ds asked).
Notation d := (size Ds decided).
Notation lead := (lead Ds asked).
Notation truth := (lead_truth Ds asked).
Variable f : difference X.
Variable q : query X.
Hypothesis f_decided : decided_by Ds asked decided f q.

(* Where a lead of y stands among the means of the decided rows. *)
Definition among (n d y : R) : R := (1 + n * y / d) / 2.

Lemma sizes : 0 < d <= n.
Proof. split; [now apply Tails.n_pos|]. apply le_INR. eapply decides_length, f_decided. Qed.

Lemma above_among v y : (2 * v - 1) * d / n >= y <-> v >= among n d y.
Proof.
  assert (H := sizes).
  assert (E : (2 * v - 1) * d / n - y = 2 * d / n * (v - among n d y)) by (unfold among; field; lra).
  assert (Hp : 0 < 2 * d / n) by (apply Rdiv_lt_0_compat; lra).
  split; intros Hv; apply Rnot_lt_ge; intros Hn; nra.
Qed.

Lemma lead_law A : P (fun S => A (lead f S)) = P (fun S => A ((2 * value Ds decided q S - 1) * d / n)).
Proof. now apply decided_rows. Qed.

Lemma truth_among : Records.truth Ds decided q = among n d (truth f).
Proof.
  assert (H := sizes). destruct (decided_rows Ds asked decided f q some_decided f_decided) as [_ E].
  rewrite E. unfold among. field. lra.
Qed.

Lemma among_le y z : y <= z -> among n d y <= among n d z.
Proof.
  intros Hy. assert (H := sizes). unfold among. assert (n * y / d <= n * z / d); [|lra].
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|]. apply Rmult_le_compat_l; lra.
Qed.

Lemma at_or_above x : P (fun S => lead f S >= x) = P (fun S => value Ds decided q S >= among n d x).
Proof.
  rewrite (lead_law (fun y => y >= x)). apply Rle_antisym; apply Pr_mono; intros S; apply above_among.
Qed.

Lemma below_it x : P (fun S => lead f S < x) = P (fun S => value Ds decided q S < among n d x).
Proof.
  rewrite (lead_law (fun y => y < x)). apply Rle_antisym; apply Pr_mono; intros S HS; apply Rnot_ge_lt; intros Hge;
    apply above_among in Hge; lra.
Qed.

(* Any classes. *)
Theorem lead_up c x b : 0 <= b -> low_cert d (among n d x) b (among n d c) -> truth f <= c ->
  P (fun S => lead f S >= x) <= b.
Proof.
  intros Hb Hc Ht. rewrite at_or_above. apply lower_rows with (among n d c); auto.
  rewrite truth_among. now apply among_le.
Qed.

Theorem lead_down c x b : 0 <= b -> up_cert d (among n d x) b (among n d c) -> c <= truth f ->
  P (fun S => lead f S < x) <= b.
Proof.
  intros Hb Hc Ht. rewrite below_it. apply upper_rows with (among n d c); auto.
  rewrite truth_among. now apply among_le.
Qed.

(* Two classes: f is 1 or -1 on the decided rows, and W of them are won. A lead of x or more is a W of k or more. *)
Section TwoClasses.
Hypothesis H56 : Hoeffding1956.
Hypothesis won : zero_one q.

Lemma count_value S : exists w, value Ds decided q S = INR w / d.
Proof. destruct (sum_count q (select decided S) won) as [w Hw]. exists w. unfold value, emp. now rewrite Hw. Qed.

Theorem lead_count_up c x b k : INR k < (d + n * x) / 2 + 1 -> count_cert chosen (among n d c) k b -> truth f <= c ->
  P (fun S => lead f S >= x) <= b.
Proof.
  intros Hk Hc Ht. assert (H := sizes). rewrite at_or_above.
  eapply Rle_trans; [|apply (count_cert_valid chosen some_decided q (among n d c) k b H56 won); auto].
  - rewrite <- (select_P Ds decided (fun S => emp chosen q S >= INR k / Tails.n chosen)).
    apply Pr_mono. intros S. change (value Ds decided q S >= among n d x -> value Ds decided q S >= INR k / d).
    destruct (count_value S) as [w ->]. intros HS. unfold Rdiv. apply Rmult_ge_compat_r.
    { left. apply Rinv_0_lt_compat. lra. }
    apply Rle_ge, le_INR. enough (k < Datatypes.S w)%nat by lia. apply INR_lt. rewrite S_INR.
    apply Rmult_ge_compat_r with (r := d) in HS; [|lra]. unfold among in HS.
    replace (INR w / d * d) with (INR w) in HS by (field; lra).
    replace ((1 + n * x / d) / 2 * d) with ((d + n * x) / 2) in HS by (field; lra). lra.
  - change (Records.truth Ds decided q <= among n d c). rewrite truth_among. now apply among_le.
Qed.

Theorem lead_count_down c x b k : (d + n * x) / 2 <= INR k -> (1 <= k <= length chosen)%nat ->
  fewer_cert chosen (among n d c) k b -> c <= truth f ->
  P (fun S => lead f S < x) <= b.
Proof.
  intros Hk Hr Hc Ht. assert (H := sizes). rewrite below_it.
  eapply Rle_trans; [|apply (fewer_cert_valid chosen some_decided q (among n d c) k b H56 won); auto].
  - rewrite <- (select_P Ds decided (fun S => emp chosen q S < INR k / Tails.n chosen)).
    apply Pr_mono. intros S HS. change (value Ds decided q S < INR k / d). eapply Rlt_le_trans; [exact HS|].
    unfold among. apply Rmult_le_reg_r with d; [lra|].
    replace ((1 + n * x / d) / 2 * d) with ((d + n * x) / 2) by (field; lra).
    replace (INR k / d * d) with (INR k) by (field; lra). exact Hk.
  - change (among n d c <= Records.truth Ds decided q). rewrite truth_among. now apply among_le.
Qed.

End TwoClasses.
End Leads.
