(* Printed rows of docs/theorems/feedback.md, "Two declared classes at a known bar": gates with 100 looks and one pass,
   whose candidates differ from the incumbent on at most a tenth of the rows, tau = .02 and beta = .05. 2,800 rows
   serve at any bars, and 2,751 at the bar 0. Of any classes 3,160 rows do, at any bars. *)

From Coq Require Import Reals Lra Lia List Arith ZArith Bool.
From dpcalc Require Import Tree Count Gate Tails Binomial Records Rows Sides Guesses Certified Evaluate Plans Differences
  Decided Leads LeadPlans LeadCounts LeadGates.
Import ListNotations.
Open Scope R_scope.

Lemma a_hundred : INR (N (Z.to_nat 100) (Z.to_nat 1)) = 100.
Proof. rewrite nodes_N; [f_equal; vm_compute; reflexivity|discriminate|discriminate]. Qed.

Definition fine := {| bits := 69; width := 90 |}.

(* The break points of 280 decided rows in groups: the last of each. *)
Definition groups : list Z := [
  12; 22; 30; 37; 43; 48; 52; 56; 59; 62; 65; 68; 70; 72; 74; 76; 78; 80; 82; 83; 84; 85; 86; 87; 88; 89; 90; 91; 92;
  93; 94; 95; 96; 97; 98; 99; 100; 101; 102; 103; 104; 105; 106; 107; 108; 109; 110; 111; 112; 113; 114; 115; 116;
  117; 118; 119; 120; 121; 122; 123; 124; 125; 126; 127; 128; 129; 130; 131; 132; 133; 134; 135; 136; 137; 138; 139;
  140; 141; 142; 143; 144; 145; 146; 147; 148; 149; 150; 151; 152; 153; 154; 155; 156; 157; 159; 161; 163; 165; 167;
  169; 171; 174; 177; 180; 183; 187; 191; 196; 201; 207; 214; 222; 232; 245; 252]%Z.

Definition decided_rows_alike : list (law bool) := repeat (point true) (Z.to_nat 280).

Lemma tail_any_bars : above_by decided_rows_alike (1/10) (1/2000).
Proof.
  apply (groups_above decided_rows_alike 280 (repeat_length _ _) eq_refl fine 1 2000 10 1 groups); [lia|].
  vm_cast_no_check (eq_refl true).
Qed.

Theorem gate_any_bars {X : Type} (Ds : list (law X)) (analyst : list bool -> two_classes Ds (Z.to_nat 280) * R) :
  length Ds = Z.to_nat 2800 -> Hoeffding1956 ->
  P Ds (fun S => exists later b v,
    Gate.transcript (count_ahead Ds (Z.to_nat 280)) (1/50) analyst (Z.to_nat 1) (Z.to_nat 100) S =
      later ++ b :: v /\
    Gate.wrong (count_truly Ds (Z.to_nat 280)) (1/50) analyst v b) <= 1/20.
Proof.
  intros Hl H56. assert (En : INR (length Ds) = 2800) by (rewrite Hl, INR_IZR_INZ, Z2Nat.id by lia; reflexivity).
  assert (Em : INR (Z.to_nat 280) = 280) by (rewrite INR_IZR_INZ, Z2Nat.id by lia; reflexivity).
  replace (1/20) with (INR (N (Z.to_nat 100) (Z.to_nat 1)) * (1/2000)) by (rewrite a_hundred; lra).
  apply (gate_lead_counts Ds (Z.to_nat 280)) with (Es := decided_rows_alike).
  - rewrite Hl. split; apply Nat2Z.inj_le; rewrite ?Z2Nat.id by lia; lia.
  - exact H56.
  - apply repeat_length.
  - lra.
  - rewrite En. lra.
  - rewrite En, Em. replace (2800 * (1/50) / (2 * 280)) with (1/10) by lra. exact tail_any_bars.
Qed.

(* Any classes: 3,160 rows, 316 of which may be decided. A lead that is off by .02 is a mean of 316 values that is off by
   .1: the convex tail by cells of means, over 100,000. *)
Definition cells : list (Z * Z) := [
  (6202, 31); (11224, 51); (15432, 67); (18941, 80); (21962, 91); (24466, 100); (26712, 108); (28694, 115);
  (30404, 121); (32124, 127); (33565, 132); (35013, 137); (36176, 141); (37344, 145); (38223, 148); (39104, 151);
  (39989, 154); (40580, 156); (41173, 158); (41767, 160); (42363, 162); (42662, 163); (42962, 164); (43262, 165);
  (43562, 166); (43864, 167); (44166, 168); (44469, 169); (44773, 170); (45079, 171); (45385, 172); (45693, 173);
  (46003, 174); (46314, 175); (46628, 176); (46943, 177); (47260, 178); (47580, 179); (47901, 180); (48224, 181);
  (48549, 182); (48876, 183); (49204, 184); (49534, 185); (49864, 186); (50196, 187); (50529, 188); (50862, 189);
  (51197, 190); (51532, 191); (51868, 192); (52541, 194); (53217, 196); (53895, 198); (54574, 200); (55255, 202);
  (56281, 205); (57309, 208); (58342, 211); (59724, 215); (61112, 219); (62856, 224); (64611, 229); (66730, 235);
  (69224, 242); (72104, 250); (75388, 259); (79100, 269); (83668, 281); (89232, 295); (90000, 313)]%Z.

Definition decided_values : list (law bool) := repeat (point true) (Z.to_nat 316).

Lemma tail_any_classes : above_cert decided_values (1/10) (1/2000).
Proof.
  apply (any_within_valid decided_values 316 (repeat_length _ _) eq_refl fine 1 2000 10000 10 1 cells); [lia|].
  vm_cast_no_check (eq_refl true).
Qed.

Section AnyClasses.
Context {X : Type}.
Variable Ds : list (law X).
Hypothesis rows : length Ds = Z.to_nat 3160.
Notation m := (Z.to_nat 316).

Lemma of_m : (1 <= m <= length Ds)%nat /\ INR (length Ds) * (1/50) / (2 * INR m) = 1/10.
Proof.
  rewrite rows, !INR_IZR_INZ, !Z2Nat.id by lia. split; [|lra].
  split; apply Nat2Z.inj_le; rewrite ?Z2Nat.id by lia; lia.
Qed.

Theorem gate_any_classes (analyst : list bool -> sharing Ds m * R) :
  P Ds (fun S => exists later b v,
    Gate.transcript (ahead Ds m) (1/50) analyst (Z.to_nat 1) (Z.to_nat 100) S = later ++ b :: v /\
    Gate.wrong (truly Ds m) (1/50) analyst v b) <= 1/20.
Proof.
  replace (1/20) with (INR (N (Z.to_nat 100) (Z.to_nat 1)) * (1/2000)) by (rewrite a_hundred; lra).
  destruct of_m as [Hm E]. apply (gate_leads Ds m Hm) with (Es := decided_values) (s := 1/10).
  - apply repeat_length.
  - lra.
  - lra.
  - rewrite E. lra.
  - exact tail_any_classes.
Qed.

(* The same by the rate. *)
Definition gate_any_classes_by_rate (a : list bool -> sharing Ds m * R) :
  P Ds _ <= INR (N 100 1) * exp (- Tails.n decided_values * Chernoff.E (1/10)) :=
  gate_leads Ds m (proj1 of_m) decided_values (1/50) (1/10) _ a 1 100 (repeat_length _ _) ltac:(lra)
    ltac:(left; apply exp_pos) ltac:(right; symmetry; apply of_m) (rate_above decided_values ltac:(discriminate) (1/10) ltac:(lra)).

End AnyClasses.

(* The bar 0: 275 decided rows or 274, and so many wins or more. *)
Lemma tail_of (r : Z) (p : R) (k : nat) (a d j : Z) : p <= IZR a / IZR d -> 0 <= p -> (0 < a < d)%Z -> (0 <= j)%Z ->
  IZR j - 1 < INR k -> count_within r 69 200 1 2000 d a j = true -> binomial (Z.to_nat r) p k <= 1/2000.
Proof.
  intros Hp H0 Ha Hj Hk H. apply Rle_trans with (binomial (Z.to_nat r) (IZR a / IZR d) (Z.to_nat j)).
  - assert (Hd : 0 < IZR d) by (apply IZR_lt; lia).
    assert (IZR a / IZR d <= 1).
    { apply Rmult_le_reg_r with (IZR d); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_l, Rmult_1_r by lra.
      apply IZR_le. lia. }
    eapply Rle_trans; [apply (binomial_rises _ p (IZR a / IZR d)); lra|]. apply binomial_falls; [lra|].
    apply Nat2Z.inj_le. rewrite Z2Nat.id by lia. rewrite INR_IZR_INZ, <- minus_IZR in Hk. apply lt_IZR in Hk. lia.
  - now apply (count_within_valid r 69 200 1 2000 d a j).
Qed.

Section AtBar.
Context {X : Type}.
Variable Ds : list (law X).
Hypothesis rows : length Ds = Z.to_nat 2751.
Notation n := (INR (length Ds)).
Notation m := (Z.to_nat 275).

Lemma n_rows : n = 2751.
Proof. rewrite rows, INR_IZR_INZ, Z2Nat.id by lia. reflexivity. Qed.

Lemma m_range : (1 <= m <= length Ds)%nat.
Proof. rewrite rows. split; apply Nat2Z.inj_le; rewrite ?Z2Nat.id by lia; lia. Qed.

Lemma one_fewer : (m - 1)%nat = Z.to_nat 274.
Proof. apply Nat2Z.inj. rewrite Nat2Z.inj_sub by (apply m_range). rewrite !Z2Nat.id by lia. lia. Qed.

Lemma wrong_pass : at_bar Ds m 0 (0 + 1/50) (1/2000).
Proof.
  intros r p k Hr Hp Hpc Hk. rewrite n_rows in *. rewrite one_fewer in Hr. destruct Hr as [->|[-> _]];
    rewrite INR_IZR_INZ, Z2Nat.id in Hpc, Hk by lia; unfold among in Hpc.
  - apply (tail_of 275 p k 1 2 166); try lra; try lia. vm_compute. reflexivity.
  - apply (tail_of 274 p k 1 2 165); try lra; try lia. vm_compute. reflexivity.
Qed.

Lemma wrong_failure : at_bar Ds m (- (0 + 2 * (1/50))) (- (0 + 1/50)) (1/2000).
Proof.
  intros r p k Hr Hp Hpc Hk. rewrite n_rows in *. rewrite one_fewer in Hr. destruct Hr as [->|[-> _]];
    rewrite INR_IZR_INZ, Z2Nat.id in Hpc, Hk by lia; unfold among in Hpc.
  - apply (tail_of 275 p k 3 10 110); try lra; try lia. vm_compute. reflexivity.
  - apply (tail_of 274 p k 3 10 110); try lra; try lia. vm_compute. reflexivity.
Qed.

Theorem gate_at_bar (analyst : list bool -> two_classes Ds m) : Hoeffding1956 ->
  P Ds (fun S => exists later b v,
    gate_shown (fun t => count_ahead Ds m (fst t)) (fun t => snd t + 1/50) (fun v => (analyst v, 0)) (Z.to_nat 1)
      (Z.to_nat 100) S = later ++ b :: v /\
    gate_wrong (below_bar (count_truly Ds m)) (far_above (count_truly Ds m) (1/50))
      (fun v => (analyst v, 0)) v b) <= 1/20.
Proof.
  intros H56. replace (1/20) with (INR (N (Z.to_nat 100) (Z.to_nat 1)) * (1/2000)) by (rewrite a_hundred; lra).
  apply (gate_bar_lead_counts Ds m m_range H56); auto using wrong_pass, wrong_failure; try lra. rewrite n_rows. lra.
Qed.

Theorem gate_at_bar_one_side (analyst : list bool -> two_classes Ds m) : Hoeffding1956 ->
  P Ds (fun S => exists later b v,
    gate_shown (fun t => count_ahead Ds m (fst t)) (fun t => snd t + 1/50) (fun v => (analyst v, 0)) (Z.to_nat 1)
      (Z.to_nat 100) S = later ++ b :: v /\
    gate_wrong (below_bar (count_truly Ds m)) (fun _ => False) (fun v => (analyst v, 0)) v b) <= 1/20.
Proof.
  intros H56. replace (1/20) with (INR (N (Z.to_nat 100) (Z.to_nat 1)) * (1/2000)) by (rewrite a_hundred; lra).
  apply (gate_bar_lead_counts_one_side Ds m m_range); auto using wrong_pass; try lra. rewrite n_rows. lra.
Qed.

(* The same bar by the relative entropy at a tenth of 2,751 rows, 275.1. *)
Notation tenth := (2751 / 10).
Notation passing := (exp (- tenth * kl (among n tenth (0 + 1/50)) (among n tenth 0))).
Notation failing := (exp (- tenth * kl (among n tenth (- (0 + 1/50))) (among n tenth (- (0 + 2 * (1/50)))))).
Definition level : R := Rmax passing failing.

Lemma level_nonneg : 0 <= level.
Proof. eapply Rle_trans; [|apply Rmax_l]. left. apply exp_pos. Qed.

Lemma m_tenth : INR m <= tenth.
Proof. rewrite INR_IZR_INZ, Z2Nat.id by lia. lra. Qed.

Lemma passing_cert : low_cert (INR m) (among n (INR m) (0 + 1/50)) level (among n (INR m) 0).
Proof.
  apply (lead_cert_wider Ds m m_range tenth 0 (0 + 1/50) level m_tenth level_nonneg); try apply Rmax_l;
    rewrite n_rows; unfold among; lra.
Qed.

Lemma failing_cert : up_cert (INR m) (among n (INR m) (0 + 1/50)) level (among n (INR m) (0 + 2 * (1/50))).
Proof.
  unfold up_cert. assert (E : forall y, 1 - among n (INR m) y = among n (INR m) (- y)).
  { intros y. unfold among. replace (n * - y / INR m) with (- (n * y / INR m)) by (unfold Rdiv; ring). lra. }
  rewrite !E. apply (lead_cert_wider Ds m m_range tenth _ _ level m_tenth level_nonneg); try apply Rmax_r;
    rewrite n_rows; unfold among; lra.
Qed.

Definition gate_by_entropy (a : list bool -> sharing Ds m) : P Ds _ <= INR (N 100 1) * level :=
  gate_bar_leads Ds m m_range 0 (1/50) level a 1 100 ltac:(lra) level_nonneg passing_cert failing_cert.

Definition gate_by_entropy_one_side (a : list bool -> sharing Ds m) : P Ds _ <= INR (N 100 1) * level :=
  gate_bar_leads_one_side Ds m m_range 0 (1/50) level a 1 100 level_nonneg passing_cert.

(* And by the normal law. *)
Theorem normal_pass (Phi : R -> R) : (forall x y, x <= y -> Phi x <= Phi y) -> (forall x, 0 <= Phi x) ->
  ZubkovSerov2013 Phi ->
  at_bar Ds m 0 (0 + 1/50) (Phi (- sqrt (2 * tenth * kl (among n tenth (0 + (1/50 - 2 / n))) (among n tenth 0)))).
Proof.
  intros Hr H0 HZ. apply (zubkov_serov_bar Ds m m_range Phi Hr H0 tenth); auto using m_tenth.
  - rewrite n_rows. lra.
  - right. right. apply Rle_refl.
Qed.

End AtBar.
