(* More plans that show that the hypotheses of the rows' theorems can be satisfied: gates at a known bar, an open gate for
   0/1 values, differences, known variances, widths, guesses, answers of low variance, and sensitive queries of a private
   transcript. *)

From Coq Require Import Reals ZArith Lra Lia List Arith Psatz Bool.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Count Gate Tails Budget Cells OpenGate Records Forever SharpCells Binomial Entropy Rows
  Guesses Looks OpenRows Instances Sides Weights Clusters Differences KnownVariance Widths Guess.
From dpcalc Require Tangent Joint Normal Certificate LowVariance Kinds.
From dpcalc Require Cvar Envelope Sensitive Hybrids.
Import ListNotations.
Open Scope R_scope.

(* An open gate for 0/1 values: what passes is a sample without a zero. *)
Theorem open_gate_counts_instance {X : Type} (Ds : list (law X)) (ask : list bool -> query X) (stop : list bool -> bool) m :
  Hoeffding1956 -> (forall v, zero_one (ask v)) ->
  let rows := fun _ : list bool => repeat true (length Ds) in
  (forall v, select (rows v) Ds <> nil) ->
  let n := fun v => size Ds (rows v) in
  let bar := fun v => exp (ln (level_pass (1/2) 2 (1/20) v) / n v) in
  P Ds (fun S => exists later r v,
    shown_gate Ds ask rows stop (fun v => INR (length (select (rows v) Ds)) / n v) m S = later ++ r :: v /\
    missed Ds ask rows bar (fun v => margin (n v) (level_pass (1/2) 2 (1/20) v) + 0 +
      margin (n v) (level_fail (1/2) 2 (1/20) v)) v r) <= 1/20.
Proof.
  intros H56 Hq rows Hr n bar.
  assert (Hn : forall v, 0 < n v) by (intros v; apply Tails.n_pos; auto).
  assert (HL : forall v, 0 < level_pass (1/2) 2 (1/20) v <= 1 /\ 0 < level_fail (1/2) 2 (1/20) v <= 1).
  { intros v. apply levels; lra. }
  assert (Hlt : forall v, level_pass (1/2) 2 (1/20) v < 1).
  { intros v. unfold level_pass. assert (Hw := W_range (1/2) 2 1 ltac:(lra) ltac:(lra) ltac:(lra) (true :: v)).
    unfold Records.W in Hw. lra. }
  assert (Hbar : forall v, 0 < bar v < 1).
  { intros v. unfold bar. split; [apply exp_pos|].
    apply Rlt_le_trans with (exp 0); [apply exp_increasing|rewrite exp_0; lra].
    assert (ln (level_pass (1/2) 2 (1/20) v) < 0) by (rewrite <- ln_1; apply ln_increasing; [apply HL|apply Hlt]).
    unfold Rdiv. specialize (Hn v). assert (0 < / n v) by now apply Rinv_0_lt_compat. nra. }
  assert (Hone : forall v, exp (- n v * kl 1 (bar v)) = level_pass (1/2) 2 (1/20) v).
  { intros v. specialize (Hbar v). specialize (Hn v). rewrite kl_one by lra. unfold bar. rewrite ln_exp.
    replace (- n v * - (ln (level_pass (1 / 2) 2 (1 / 20) v) / n v)) with (ln (level_pass (1/2) 2 (1/20) v)) by (field; lra).
    apply exp_ln. apply HL. }
  assert (Hrows : forall v, INR (length (select (rows v) Ds)) / n v = 1).
  { intros v. specialize (Hn v). unfold n, size, Tails.n in *. field. lra. }
  apply (open_gate_counts Ds (1/2) 2 (1/20)); auto; try lra.
  - intros v. specialize (Hbar v). lra.
  - intros v. apply wide_hoeffding; auto; try apply HL. lra.
  - intros v. assert (Hb := Hbar v). assert (Hl : (1 <= length (select (rows v) Ds))%nat).
    { destruct (select (rows v) Ds) eqn:E; [now elim (Hr v)|simpl; lia]. }
    assert (H1 : INR (length (select (rows v) Ds)) / Tails.n (select (rows v) Ds) = 1) by apply Hrows.
    split; [lia|]. split.
    + apply count_kl; rewrite ?H1; try lra. right. apply Hone.
    + destruct (Rle_dec (INR (length (select (rows v) Ds) - 1) / n v) (bar v)) as [H|H]; [now left|right].
      split; [lra|]. rewrite <- Hone. apply exp_le. specialize (Hn v).
      assert (kl (INR (length (select (rows v) Ds) - 1) / n v) (bar v) <= kl 1 (bar v)); [|unfold n in *; nra].
      apply kl_rises; try lra. rewrite <- (Hrows v). apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
      apply le_INR. lia.
Qed.

(* A known bar of 1/2 and tau = 1/4: what is 2 tau above it is 1. *)
Theorem gate_bar_instance {X : Type} (Ds : list (law X)) (analyst : list bool -> query X) (B m : nat) : Ds <> nil ->
  P Ds (fun S => exists later b v,
    Rows.gate_shown (fun t => emp Ds (fst t)) (fun t => snd t + 1/4) (fun v => (analyst v, 1/2)) B m S = later ++ b :: v /\
    Rows.gate_wrong (too_low Ds) (too_high Ds (1/4)) (fun v => (analyst v, 1/2)) v b) <=
  INR (N m B) * exp (- Tails.n Ds * kl (1/2 + 1/4) (1/2)).
Proof.
  intros Hd. apply (gate_bar Ds Hd (1/4) ltac:(lra) (1/2)); try lra.
  - left. apply exp_pos.
  - right. lra.
  - left. lra.
Qed.

(* The same for 0/1 values, where a sample without a zero passes. *)
Theorem gate_bar_counts_instance {X : Type} (Ds : list (law X)) (analyst : list bool -> query X) (B m : nat) : Ds <> nil ->
  Hoeffding1956 -> (forall v, zero_one (analyst v)) ->
  P Ds (fun S => exists later b v,
    Rows.gate_shown (fun t => emp Ds (fst t)) (fun _ => INR (length Ds) / Tails.n Ds) (fun v => (analyst v, 1/2)) B m S =
      later ++ b :: v /\
    Rows.gate_wrong (too_low Ds) (too_high Ds (1/4)) (fun v => (analyst v, 1/2)) v b) <=
  INR (N m B) * exp (- Tails.n Ds * kl 1 (1/2)).
Proof.
  intros Hd H56 Hq. assert (Hn := Tails.n_pos Ds Hd). assert (H1 : INR (length Ds) / Tails.n Ds = 1).
  { unfold Tails.n in *. field. lra. }
  assert (Hl : (1 <= length Ds)%nat) by (destruct Ds; [congruence|simpl; lia]).
  apply (gate_bar_counts Ds Hd (1/4) ltac:(lra) (1/2)); auto; try lia.
  - left. apply exp_pos.
  - apply count_kl; rewrite ?H1; lra.
  - unfold fewer_cert. replace (S (length Ds) - length Ds)%nat with 1%nat by lia.
    apply count_none; [left; apply exp_pos|lra|lia].
Qed.

(* Differences of two models that differ on a tenth of the rows at most, behind a gate. *)
Theorem difference_instance {X : Type} (Ds : list (law X)) :
  let cs := rows_of Ds in
  forall (analyst : list bool -> differing cs (1/10) * R) (B m : nat), Ds <> nil ->
  P (laws cs) (fun S => exists later b v,
    Gate.transcript (gap cs (1/10)) (1/20) analyst B m S = later ++ b :: v /\
    Gate.wrong (gap_truth cs (1/10)) (1/20) analyst v b) <=
  INR (N m B) * difference_side (1 / INR (length Ds)) (1/10) (1/20).
Proof.
  intros cs analyst B m Hd. apply gate_sides; [|lra]. apply difference_sides; [now apply equal_weights|lra].
Qed.

(* Values of a variance of at most .09, and of a mean square of .04, scored at the end. *)
Theorem variance_instance {X : Type} (Ds : list (law X)) :
  let cs := rows_of Ds in forall (finalists : list (steady cs (1/10))) (tau : R), Ds <> nil ->
  P (laws cs) (fun S => exists q, In q finalists /\ Rabs (steady_mean cs (1/10) q S - steady_truth cs (1/10) q) >= tau) <=
  INR (length finalists) * (2 * variance_side (1 / INR (length Ds)) (1/10) tau).
Proof.
  intros cs finalists tau Hd. apply (sealed_sides _ _ (steady_truth cs (1/10))).
  apply variance_sides; [now apply equal_weights|lra].
Qed.

(* Widths of tau, and the nearest whole number. *)
Theorem widths_instance {X : Type} (Ds : list (law X)) (analyst : list (Z + R) -> query X) (m : nat) (tau : R) :
  Ds <> nil -> 0 < tau ->
  let nearest := fun x => Rdefinitions.up (x - 1/2) in
  P Ds (fun S => exists later r v,
    shown_widths (emp Ds) m (fun _ => tau / 2) nearest analyst S = later ++ r :: v /\
    ~ close (pop Ds) tau m (fun _ => tau / 2) analyst v r) <=
  Widths.V (Chernoff.side (Tails.n Ds)) tau m (fun _ => tau / 2) (fun _ => 2%nat) m 0.
Proof.
  intros Hd Ht nearest. apply rounding_widths.
  - now apply unit_sides.
  - intros; apply side_nonneg.
  - intros; lra.
  - intros; split; [lia|]. simpl INR. lra.
  - intros x. unfold nearest. destruct (archimed (x - 1/2)) as [H1 H2]. unfold Rabs. destruct (Rcase_abs _); lra.
Qed.

(* Guesses with the cuts 1/4, 1/2 and 3/4, the second cell being the one that holds. More rows may come. *)
Theorem guess_instance {X : Type} (Ds : list (law X)) (ask : node -> query X) (rows : node -> list bool)
  (stop : node -> bool) (m : nat) :
  forall some : (forall v, select (rows v) Ds <> nil),
  let cuts := fun _ : node => [1/4; 1/2; 3/4] in
  forall ordered_cuts : (forall v, ordered (cuts v)),
  let looks := bounded_guesses Ds ask rows some cuts ordered_cuts in
  let q := fun _ : node => 1/2 in let down := fun _ : node => 1%nat in
  let low := guess_low Ds (1/20) q down looks in let high := guess_high Ds (1/20) q down looks in
  P Ds (guess_fails Ds rows stop (1/20) (1/4) q down looks (fun v i => nth i (cuts v) 0)
    (fun v c => width (size Ds (rows v)) (low v c) (high v c) (1/4)) m) <= 1/20.
Proof.
  intros some cuts Ho looks q down low high. apply open_guess_bounded; try lra.
  - intros; unfold q; lra.
  - intros v i Hi. unfold cuts in *. simpl in Hi. destruct i as [|[|[|i]]]; simpl; try lra; lia.
  - intros v c. apply wide_width; [now apply Tails.n_pos|lra].
Qed.

(* Two differences with a mean size of at most 1/10, which the sample exceeds by no more than 1/10 each: noise with a
  standard
   deviation of 1, and none. What the first reveals is counted by the second moment. *)
Theorem low_variance_instance {X : Type} (x0 : X) (Ds : list (law X)) (asked : list Rounded.cell ->
  Differences.difference X)
  (cuts : list Rounded.cell -> list R) :
  Ds <> nil -> (forall D, In D Ds -> Posterior.finite D) -> (forall u, Rounded.sorted Rbar.m_infty (cuts u)) ->
  (forall u, pop Ds (Kinds.size asked u) <= 1/10) ->
  let n := Tails.n Ds in
  let noises := fun j => match j with O => Tangent.Plain (1/2) | _ => Tangent.Silent end in
  let c := Normal.PhiBar 0 * exp (Normal.phi 0 / Normal.PhiBar 0 * 0) in
  let h := Normal.phi 0 / Normal.PhiBar 0 / (1/2) in
  let T := Kinds.tail_bound 1 c h (n * Differences.G (1/10) (1 * h / (2 * n))) (1/2) in
  let T' := Kinds.tail_bound 2 1 n (n * Differences.G (1/10) (2 * n / (2 * n))) (1/2) in
  let F := Certificate.certificate n 1 (1/2) (1/5 / 4) 2 (1/2) (1/10) (1/100) (1/2) 5.5 in
  Rounded.fails Ds (fun j => Tangent.cdf_of (noises j)) (Kinds.ask_difference asked) cuts (fun _ => 1/2) true true
    2 <=
    2 * T + exp (- n * kl (1/5) (1/10)) + 2 * (sqrt T' * sqrt F).
Proof.
  intros Hd Hf Hc Hq n noises c h T T' F. assert (Hn := Tails.n_pos Ds Hd). fold n in Hn.
  assert (Hp : forall j, Tangent.proper (noises j)) by (intros [|j]; simpl; auto; lra).
  assert (Hk : Posterior.kap (length Ds) 0 = 1).
  { unfold Posterior.kap, Kappa.kappa_poly. destruct (Nat.eqb (length Ds) 1); auto. rewrite Rmult_0_r. field. }
  assert (Hh : 0 < h).
  { assert (H1 := Normal.phi_pos 0). assert (H2 := Normal.PhiBar_pos 0).
  apply Rdiv_lt_0_compat; [now apply Rdiv_lt_0_compat|lra]. }
  assert (HT' : 0 < T') by (apply Rmult_lt_0_compat; [apply Steps.Rpower_pos|apply exp_pos]).
  assert (HF : 0 < F).
  { assert (H := Certificate.F_pos Ds Hd (1/2) (1/5 / 4) 2 (1/2) 0 (1/10) (1/100) (1/2) 5.5). rewrite Hk in H.
  apply H; lra. }
  set (w := LowVariance.weight Ds noises (fun _ : nat => 1/2) (fun _ : nat => 1/5 / 4)).
  assert (W0 : w 0%nat 1 (fun M => M)) by now apply LowVariance.at_once.
  assert (W1 : w 1%nat (2 / (2 - 1)) (fun M => Rpower M (1 - / 2) * Rounded.product (fun _ => Rpower F (/ 2)) 0 1)).
  { apply LowVariance.at_order; [lra|]. intros l Hl. destruct l as [|l]; [|lia].
    assert (Hr : LowVariance.revealed Ds noises (fun _ : nat => 1/2) (fun _ : nat => 1/5 / 4) 2 0 (Rpower
      (Certificate.certificate n (Posterior.kap (length Ds) (Joint.r Ds noises 2 0)) (1/2) (1/5/4) 2 (1/2) (1/10)
        (1/100) (1/2) 5.5) (/ 2))).
    { apply LowVariance.by_moment; try lra; [reflexivity|]. rewrite Joint.r_0, Hk. lra. }
    rewrite Joint.r_0, Hk in Hr. exact Hr. }
  assert (Hfresh := Kinds.difference_fresh Ds Hd noises Hp (fun _ => 1/2) true true (1/10) asked ltac:(lra) Hq).
  assert (Hs0 : 2 / (2 - 1) = 2) by field.
  eapply Rle_trans; [apply (Kinds.differences x0 Ds Hd Hf noises Hp cuts Hc (fun _ => 1/2) true true (fun _ => 1/5)
    asked)
    with (m := 1%nat) (eps := fun _ => 2 * T) (eta := fun _ => exp (- n * kl (1/5) (1/10)))
    (last := 2 * (Rpower T' (1 - / 2) * Rounded.product (fun _ => Rpower F (/ 2)) 0 1))|].
  - intros; lra.
  - intros l Hl. destruct l as [|l]; [|lia]. now exists (1/2).
  - intros j Hj. destruct j as [|j]; [|lia]. split.
    + destruct (Hfresh (LowVariance.held Ds (Kinds.psi_difference asked) (fun _ => 1/5 / 4)) 0%nat 1 c h
        (Tangent.plain_line (1/2) 0) ltac:(lra) Hh) as (H1 & H2).
      apply LowVariance.alike. apply (LowVariance.apart _ _ _ _ _ _ _ _ _ _ _ 1 (fun M => M) T T); auto; lra.
    + apply (Kinds.difference_crossing Ds Hd noises (fun _ => 1/5) (1/10) asked ltac:(lra) Hq 0 1 (fun M => M) W0).
    lra.
  - right. destruct (Hfresh (fun _ _ => True) 1%nat 2 1 n (Tangent.silent_line n ltac:(lra)) ltac:(lra) Hn) as (H1 &
    H2).
    rewrite <- Hs0 in H1 at 1. rewrite <- Hs0 in H2 at 1.
    apply (LowVariance.apart _ _ _ _ _ _ _ _ _ _ _ (2 / (2 - 1)) _ T' T' W1); auto. lra.
  - cbn [seq sumR Rounded.product]. rewrite Rmult_1_r. replace (1 - / 2) with (/ 2) by field.
    rewrite !Rpower_sqrt by auto. lra.
Qed.

(* Sensitive queries after a transcript of pure privacy, which has the envelope of approximate privacy at delta = 0. *)
Theorem envelope_instance {X Pi : Type} (outcomes : list Pi) (Ds : list (law X)) (k : Cvar.kernel X Pi)
  (M : list X -> Pi -> R) (eps b q t D : R) (answers : Pi -> list ((list X -> R) * R)) :
  Ds <> nil -> (forall W, In W Ds -> Hybrids.swaps W) -> 0 <= eps -> Cvar.private eps k ->
  (forall S, sumR outcomes (k S) = 1) -> 0 < b <= 1 -> 0 <= D ->
  (forall pi f a, In (f, a) (answers pi) -> Sensitive.sensitive (length Ds) (D / Tails.n Ds) f) ->
  (forall S pi f a, length S = length Ds -> In (f, a) (answers pi) -> Rabs (a - f S) <= M S pi) ->
  t > q + Cvar.average outcomes Ds k (fun S pi => Rmax 0 (M S pi - q)) / b +
    D * ((exp eps - 1 + 4 * 0 / b) / (exp eps + 3)) ->
  Cvar.probability outcomes Ds k
    (fun pi => exists f a, In (f, a) (answers pi) /\ Rabs (a - Sensitive.fresh Ds f) >= t) <= b.
Proof.
  intros Hd Hs He Hk Ht Hb HD Hq HM. apply (Sensitive.cvar_sensitive outcomes Ds Hd k (proj1 Hk) M b q t); auto.
  assert (Hi : exp (- eps) * exp eps = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  assert (Hm := exp_pos (- eps)).
  assert (Hle : forall s x y r (T : Pi -> R), (forall pi, 0 <= T pi) ->
    sumR outcomes (fun pi => k (s ++ x :: r) pi * T pi) <= exp eps * sumR outcomes (fun pi => k (s ++ y :: r) pi * T pi)).
  { intros s x y r T HT. rewrite <- sumR_scal. apply sumR_le. intros pi _. rewrite <- Rmult_assoc.
    apply Rmult_le_compat_r; auto. apply Hk. }
  assert (Hone : forall S (T : Pi -> R), sumR outcomes (fun pi => k S pi * (1 - T pi)) =
    1 - sumR outcomes (fun pi => k S pi * T pi)).
  { intros S T. rewrite (sumR_ext outcomes _ (fun pi => k S pi + (-1) * (k S pi * T pi))) by (intros; ring).
    rewrite sumR_plus, sumR_scal, Ht. ring. }
  apply (Hybrids.envelope_shift_sensitive outcomes Ds Hd Hs k (proj1 Hk) Ht (Envelope.approximate eps 0)); auto.
  - now apply Envelope.approximate_symmetric; [|apply Rle_refl].
  - intros s x y r T HT a c [[-> ->]|[[-> ->]|[-> ->]]].
    + rewrite Rmult_0_l, Rplus_0_l, <- (Ht (s ++ x :: r)). apply sumR_le. intros pi _.
      generalize (proj1 Hk (s ++ x :: r) pi) (HT pi). nra.
    + rewrite Rplus_0_r. apply Hle. intros; apply HT.
    + assert (H := Hle s y x r (fun pi => 1 - T pi) ltac:(intros pi; generalize (HT pi); lra)). cbv beta in H.
      rewrite !Hone in H.
      apply Rmult_le_compat_l with (r := exp (- eps)) in H; [|lra].
      rewrite <- Rmult_assoc, Hi, Rmult_1_l in H. lra.
  - intros s _. apply Envelope.approximate_admissible. lra.
Qed.
