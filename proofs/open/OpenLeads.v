(* docs/theorems/open.md, "Decided rows": leads as looks of an open ledger, in any mixture with others, and behind an
   open gate. *)

From Coq Require Import Reals Lra Lia List Arith Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Count Gate Tails Budget Cells OpenGate Records Binomial Rows Looks Differences Decided
  Leads.
Import ListNotations.
Open Scope R_scope.

(* A look at a value y, mapped to ay + b: a value of that law, with its truth. *)
Section Moved.
Context {Omega : Type}.
Variable P : outer Omega.
Variable l : look P.
Variables a b : R.
Hypothesis a_pos : 0 < a.
Variable value : Omega -> R.
Variable truth : R.
Hypothesis same_law : forall A : R -> Prop, P (fun w => A (value w)) = P (fun w => A (a * value_of P l w + b)).
Hypothesis same_truth : truth = a * truth_of P l + b.

Definition moved (y : R) : R := a * y + b.
Definition end_moved (e : Rbar) : Rbar := match e with Finite y => Finite (moved y) | e => e end.

Lemma moved_le y z : y <= z <-> moved y <= moved z.
Proof. unfold moved. split; intros H; nra. Qed.

Lemma moved_back y : (moved y - b) / a = y.
Proof. unfold moved. field. lra. Qed.

Lemma moved_nth i : (i < length (cuts_of P l))%nat ->
  nth i (map moved (cuts_of P l)) 0 = moved (nth i (cuts_of P l) 0).
Proof. intros H. rewrite (nth_indep _ 0 (moved 0)) by (now rewrite map_length). apply map_nth. Qed.

Program Definition moved_look : look P := {|
  value_of := value; truth_of := truth; cuts_of := map moved (cuts_of P l);
  lower_of := fun x q => end_moved (lower_of P l ((x - b) / a) q);
  upper_of := fun x q => end_moved (upper_of P l ((x - b) / a) q)
|}.
Next Obligation.
  intros i j Hi Hj. rewrite map_length in Hj. rewrite !moved_nth by lia.
  apply (proj1 (moved_le _ _)). now apply (cuts_rise P l).
Qed.
Next Obligation.
  apply in_map_iff in H. destruct H as (c & <- & Hc). rewrite moved_back in H1.
  rewrite (same_law (fun y => y >= moved c)).
  eapply Rle_trans; [|apply (lower_holds P l c q Hc H0)].
  - apply Pr_mono. intros w Hw. now apply Rle_ge, (proj2 (moved_le _ _)), Rge_le.
  - destruct (lower_of P l c q) as [y| |]; simpl in *; auto. unfold moved in H1. nra.
Qed.
Next Obligation.
  apply in_map_iff in H. destruct H as (c & <- & Hc). rewrite moved_back in H1.
  rewrite (same_law (fun y => y < moved c)).
  eapply Rle_trans; [|apply (upper_holds P l c q Hc H0)].
  - apply Pr_mono. intros w Hw. apply Rnot_le_lt. intros Hn. apply (proj1 (moved_le _ _)) in Hn. unfold moved in *. lra.
  - destruct (upper_of P l c q) as [y| |]; simpl in *; auto. unfold moved in H1. nra.
Qed.

Lemma moved_fits : fits P l -> fits P moved_look.
Proof.
  intros H c Hc. cbn [cuts_of moved_look lower_of upper_of] in *. rewrite map_length in *.
  destruct (H c Hc) as (y & Hl & Hu). exists (moved y).
  split.
  - intros i q Hi. rewrite moved_nth, moved_back by lia. specialize (Hl i q Hi).
    destruct (lower_of _ _ _ _) as [z| |]; simpl in *; auto. now apply (proj1 (moved_le _ _)).
  - intros i q Hi Hk. rewrite moved_nth, moved_back by lia. specialize (Hu i q Hi Hk).
    destruct (upper_of _ _ _ _) as [z| |]; simpl in *; auto. now apply (proj1 (moved_le _ _)).
Qed.

End Moved.

Section OnRecords.
Context {X : Type}.
Variable Ds : list (law X).
Notation P := (P Ds).

(* A look at a lead: the cuts are those of the decided rows, mapped by y to (2y-1)D/n. *)
Section Lead.
Variables asked decided : list bool.
Notation chosen := (select decided Ds).
Hypothesis some_decided : chosen <> nil.
Notation n := (size Ds asked).
Notation d := (size Ds decided).
Variable f : difference X.
Variable q : query X.
Hypothesis f_decided : decided_by Ds asked decided f q.

Lemma scale_pos : 0 < 2 * d / n.
Proof. assert (H := sizes Ds asked decided some_decided f q f_decided). apply Rdiv_lt_0_compat; lra. Qed.

Lemma scaled y : (2 * y - 1) * d / n = 2 * d / n * y + - (d / n).
Proof. unfold Rdiv. ring. Qed.

Lemma lead_same A : P (fun S => A (lead Ds asked f S)) =
  P (fun S => A (2 * d / n * value Ds decided q S + - (d / n))).
Proof.
  rewrite (lead_law Ds asked decided some_decided f q f_decided A).
  apply Rle_antisym; apply Pr_mono; intros S; now rewrite scaled.
Qed.

Lemma truth_same : lead_truth Ds asked f = 2 * d / n * truth Ds decided q + - (d / n).
Proof. rewrite <- scaled. now apply decided_rows. Qed.

(* Any classes. *)
Variable cuts : list R.
Hypothesis cuts_ordered : ordered cuts.
Definition lead_look : look P :=
  moved_look _ (unit_look Ds q decided some_decided cuts cuts_ordered) _ _ scale_pos _ _ lead_same truth_same.

Lemma lead_fits : fits P lead_look.
Proof. apply moved_fits, unit_fits. Qed.

(* Two classes. *)
Hypothesis H56 : Hoeffding1956.
Hypothesis won : zero_one q.
Variable counts : list nat.
Hypothesis counts_range : forall k, In k counts -> (1 <= k <= length chosen)%nat.
Hypothesis counts_rise : forall i j, (i < j)%nat -> (j < length counts)%nat -> (nth i counts 0 < nth j counts 0)%nat.
Definition lead_count_look : look P :=
  moved_look _ (count_look Ds H56 q won decided some_decided counts counts_range counts_rise) _ _ scale_pos _ _
    lead_same truth_same.

Lemma lead_count_fits : fits P lead_count_look.
Proof. apply moved_fits, count_fits. Qed.

End Lead.

(* "open-gate": x is the threshold, c the bar, u what a failure says. *)
Section Gate.
Variable beta : R.
Hypothesis beta_nonneg : 0 <= beta.
Variables asked decided : list bool -> list bool.
Hypothesis some_decided : forall v, select (decided v) Ds <> nil.
Variable f : list bool -> difference X.
Variable q : list bool -> query X.
Hypothesis f_decided : forall v, decided_by Ds (asked v) (decided v) (f v) (q v).
Variables x c u : list bool -> R.
Hypothesis c_le_u : forall v, c v <= u v.
Variable W : list bool -> R.
Hypothesis W_nonneg : forall v, 0 <= W v.
Hypothesis W_root : W nil <= 1.
Hypothesis W_sum : forall v, W (true :: v) + W (false :: v) <= W v.
Variable stop : list bool -> bool.
Notation chosen v := (select (decided v) Ds).
Notation n v := (size Ds (asked v)).
Notation d v := (size Ds (decided v)).
Notation lead v := (lead Ds (asked v) (f v)).
Notation truth v := (lead_truth Ds (asked v) (f v)).

Definition gate_leads (m : nat) (S : list X) : list bool :=
  shown (verdict (fun v => lead v) x) stop m S.
Definition pass_level (v : list bool) : R := beta * (W v - W (false :: v)).
Definition fail_level (v : list bool) : R := beta * (W v - W (true :: v)).

Lemma gate_levels v : 0 <= pass_level v /\ 0 <= fail_level v.
Proof. generalize (W_sum v) (W_nonneg (true :: v)) (W_nonneg (false :: v)). split; apply Rmult_le_pos; lra. Qed.

(* No lead exceeds the share of the decided rows. *)
Lemma truth_most v : d v <= n v * u v -> ~ u v < truth v.
Proof.
  intros H Hu. assert (Hs := sizes Ds _ _ (some_decided v) _ _ (f_decided v)).
  rewrite (truth_same _ _ (some_decided v) _ _ (f_decided v)) in Hu.
  assert (Hr := truth_range Ds (decided v) (q v) (some_decided v)).
  apply Rmult_lt_compat_l with (r := n v) in Hu; [|lra].
  replace (n v * (2 * d v / n v * Records.truth Ds (decided v) (q v) + - (d v / n v))) with
    (d v * (2 * Records.truth Ds (decided v) (q v) - 1)) in Hu by (field; lra). nra.
Qed.

Theorem open_gate_leads m :
  (forall v, low_cert (d v) (among (n v) (d v) (x v)) (pass_level v) (among (n v) (d v) (c v))) ->
  (forall v, d v <= n v * u v \/
     up_cert (d v) (among (n v) (d v) (x v)) (fail_level v) (among (n v) (d v) (u v))) ->
  P (fun S => exists later b v, gate_leads m S = later ++ b :: v /\ wrong (fun v => truth v) c u v b) <= beta.
Proof.
  intros Hl Hu. apply open_gate with (W := W); auto.
  - intros v Ht. destruct (gate_levels v).
    apply (lead_up Ds _ _ (some_decided v) _ _ (f_decided v) (c v)); auto. apply Hl.
  - intros v Ht. destruct (gate_levels v). destruct (Hu v) as [H1|H1]; [now elim (truth_most v H1)|].
    apply (lead_down Ds _ _ (some_decided v) _ _ (f_decided v) (u v)); auto. lra.
Qed.

Theorem open_gate_lead_counts (k : list bool -> nat) m : Hoeffding1956 -> (forall v, zero_one (q v)) ->
  (forall v, (1 <= k v <= length (chosen v))%nat /\
     INR (k v) - 1 < (d v + n v * x v) / 2 <= INR (k v) /\
     count_cert (chosen v) (among (n v) (d v) (c v)) (k v) (pass_level v) /\
     (d v <= n v * u v \/ fewer_cert (chosen v) (among (n v) (d v) (u v)) (k v) (fail_level v))) ->
  P (fun S => exists later b v, gate_leads m S = later ++ b :: v /\ wrong (fun v => truth v) c u v b) <= beta.
Proof.
  intros H56 Hq Hk. apply open_gate with (W := W); auto.
  - intros v Ht. destruct (Hk v) as (Hr & Hx & Hc & _).
    apply (lead_count_up Ds _ _ (some_decided v) _ _ (f_decided v) H56 (Hq v) (c v) _ _ (k v)); auto. lra.
  - intros v Ht. destruct (Hk v) as (Hr & Hx & _ & [H1|H1]); [now elim (truth_most v H1)|].
    apply (lead_count_down Ds _ _ (some_decided v) _ _ (f_decided v) H56 (Hq v) (u v) _ _ (k v)); auto; lra.
Qed.

End Gate.
End OnRecords.
