(* As Plans.v for a gate of differences: f in [-1,1] is twice the query (1+f)/2, less one. *)

From Coq Require Import Reals Lra Lia List Arith ZArith Bool.
From dpcalc Require Import Tree Count Gate Tails Weights Records Rows Sides Certified Differences Plans.
Import ListNotations.
Open Scope R_scope.

Section DifferencePlans.
Context {X : Type}.
Variable Ds : list (law X).
Variable n : Z.
Hypothesis rows : length Ds = Z.to_nat n.
Hypothesis n_pos : (0 < n)%Z.
Variable e : precision.
Notation P := (P Ds).

(* The mean of a difference on the sample, and its true value. *)
Definition gain (q : difference X) (S : list X) : R := sumR S (dn q) / Tails.n Ds.
Definition gain_truth (q : difference X) : R := sumR Ds (fun D => D (dn q)) / Tails.n Ds.

Lemma rows_pos : 0 < Tails.n Ds.
Proof. rewrite (rows_n Ds n rows n_pos). now apply IZR_lt. Qed.

Lemma half_pop q : pop Ds (as_query q) = (1 + gain_truth q) / 2.
Proof.
  assert (Hn := rows_pos). unfold pop, gain_truth.
  rewrite (sumR_ext Ds _ (fun D => / 2 * (1 + D (dn q)))).
  - rewrite sumR_scal, sumR_plus, sumR_const. fold (Tails.n Ds). field. lra.
  - intros D _. unfold as_query. cbn [fn proj1_sig]. rewrite mean_scal, mean_plus, mean_const. reflexivity.
Qed.

Lemma half_emp q (S : list X) : length S = length Ds -> emp Ds (as_query q) S = (1 + gain q S) / 2.
Proof.
  intros H. assert (Hn := rows_pos). unfold emp, gain, as_query. cbn [fn proj1_sig].
  rewrite sumR_scal, sumR_plus, sumR_const, H. fold (Tails.n Ds). field. lra.
Qed.

Lemma to_half q (A : R -> Prop) (B : R -> Prop) : (forall x, A x -> B ((1 + x) / 2)) ->
  P (fun S => A (gain q S)) <= P (fun S => B (emp Ds (as_query q) S)).
Proof. intros H. apply P_length. intros S HS HA. rewrite half_emp by auto. auto. Qed.

Lemma half_margin d s : (0 < d)%Z -> IZR s / IZR (2 * d) = IZR s / IZR d / 2.
Proof. intros H. apply IZR_lt in H. rewrite mult_IZR. field. lra. Qed.

Theorem gate_difference_plan m B b b' d s f cells (analyst : list bool -> difference X * R) :
  gate_keeps n e m B b b' (2 * d) s f cells = true ->
  P (fun S => exists later r v,
    gate_shown (fun t => gain (fst t)) (fun t => snd t + IZR s / IZR d) analyst (Z.to_nat B) (Z.to_nat m) S =
      later ++ r :: v /\
    gate_wrong (below_bar gain_truth) (far_above gain_truth (IZR s / IZR d)) analyst v r) <= IZR b / IZR b'.
Proof.
  unfold gate_keeps, positive. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[[[[Hd Hs] Hb] H0] Hm] HB] H1]. rewrite <- (share m B b b') by auto.
  assert (Hd' : (0 < d)%Z) by lia. assert (Dp := IZR_lt _ _ Hd').
  assert (Sp : 0 < IZR s / IZR d) by (apply Rdiv_lt_0_compat; [now apply IZR_lt|auto]).
  assert (Hl := share_nonneg Ds n rows n_pos m B b b' H0 Hm HB Hb).
  apply (any_within_valid Ds n rows n_pos e) in H1; [|lia]. rewrite half_margin in H1 by auto.
  assert (some := some_rows Ds n rows n_pos).
  apply gate_thresholds; auto; try (intros; apply Rle_dec); unfold below_bar, far_above; [intros t; lra| |].
  - intros v Hv. eapply Rle_trans; [|apply (certified_above Ds some _ _ Hl H1 (as_query (fst (analyst v))))].
    apply (to_half _ (fun x => x >= _) (fun y => y - _ >= _)). intros x. rewrite half_pop. lra.
  - intros v Hv. eapply Rle_trans; [|apply (certified_below Ds some _ _ Hl H1 (as_query (fst (analyst v))))].
    apply (to_half _ (fun x => x < _) (fun y => _ - y >= _)). intros x. rewrite half_pop. lra.
Qed.

(* A known bar c/d: (c+d)/(2d) for the query. *)
Lemma half_value d x : (0 < d)%Z -> IZR (x + d) / IZR (2 * d) = (1 + IZR x / IZR d) / 2.
Proof. intros H. apply IZR_lt in H. rewrite plus_IZR, mult_IZR. field. lra. Qed.

Lemma half_pass d c s u : (0 < d)%Z -> 0 <= u ->
  low_cert (IZR n) (IZR (c + d + s) / IZR (2 * d)) u (IZR (c + d) / IZR (2 * d)) ->
  forall q, gain_truth q <= IZR c / IZR d -> P (fun S => gain q S >= IZR c / IZR d + IZR s / IZR d) <= u.
Proof.
  intros Hd Hu H q Hq. replace (c + d + s)%Z with (c + s + d)%Z in H by lia. rewrite !half_value in H by auto.
  rewrite plus_IZR in H. unfold Rdiv at 2 in H. rewrite Rmult_plus_distr_r in H. rewrite <- (rows_n Ds n rows n_pos) in H.
  eapply Rle_trans; [|apply (lower_valid Ds (some_rows Ds n rows n_pos) (as_query q) _ _ _ Hu H)].
  - apply (to_half _ (fun x => x >= _) (fun y => y >= _)). intros x. unfold Rdiv. lra.
  - rewrite half_pop. lra.
Qed.

Theorem gate_bar_difference_plan m B b b' d c s t t' (analyst : list bool -> difference X) :
  gate_bar_keeps n e m B b b' (2 * d) (c + d) s t t' = true ->
  P (fun S => exists later r v,
    gate_shown (fun t => gain (fst t)) (fun t => snd t + IZR s / IZR d) (fun v => (analyst v, IZR c / IZR d))
      (Z.to_nat B) (Z.to_nat m) S = later ++ r :: v /\
    gate_wrong (below_bar gain_truth) (far_above gain_truth (IZR s / IZR d)) (fun v => (analyst v, IZR c / IZR d)) v r) <=
  IZR b / IZR b'.
Proof.
  unfold gate_bar_keeps, positive. cbv zeta. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[[[[[Hd Hs] Hb] H0] Hm] HB] H1] H2]. rewrite <- (share m B b b') by auto.
  assert (Hd' : (0 < d)%Z) by lia. assert (Dp := IZR_lt _ _ Hd').
  assert (Sp : 0 < IZR s / IZR d) by (apply Rdiv_lt_0_compat; [now apply IZR_lt|auto]).
  assert (Hl := share_nonneg Ds n rows n_pos m B b b' H0 Hm HB Hb). assert (some := some_rows Ds n rows n_pos).
  apply low_within_valid in H1. apply low_within_valid in H2.
  apply gate_bar_sides; auto; unfold below_bar, far_above; [now apply half_pass|].
  assert (E : forall x, IZR (2 * d - (c + d + x)) / IZR (2 * d) = 1 - (1 + (IZR c / IZR d + IZR x / IZR d)) / 2).
  { intros x. rewrite minus_IZR, !plus_IZR, mult_IZR. field. lra. }
  rewrite !E in H2. rewrite <- (rows_n Ds n rows n_pos) in H2. intros q Hq.
  eapply Rle_trans; [|apply (upper_valid Ds some (as_query q) _ _ _ Hl H2)].
  - apply (to_half _ (fun x => x < _) (fun y => y < _)). intros x. lra.
  - rewrite half_pop. rewrite mult_IZR. unfold Rdiv in *. lra.
Qed.

Theorem gate_bar_difference_plan_one_side m B b b' d c s t (analyst : list bool -> difference X) :
  gate_bar_keeps_one_side n e m B b b' (2 * d) (c + d) s t = true ->
  P (fun S => exists later r v,
    gate_shown (fun t => gain (fst t)) (fun t => snd t + IZR s / IZR d) (fun v => (analyst v, IZR c / IZR d))
      (Z.to_nat B) (Z.to_nat m) S = later ++ r :: v /\
    gate_wrong (below_bar gain_truth) (fun _ => False) (fun v => (analyst v, IZR c / IZR d)) v r) <= IZR b / IZR b'.
Proof.
  unfold gate_bar_keeps_one_side, positive. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[[[[Hd Hs] Hb] H0] Hm] HB] H1]. rewrite <- (share m B b b') by auto.
  assert (Hd' : (0 < d)%Z) by lia. assert (Dp := IZR_lt _ _ Hd').
  assert (Sp : 0 < IZR s / IZR d) by (apply Rdiv_lt_0_compat; [now apply IZR_lt|auto]).
  assert (Hl := share_nonneg Ds n rows n_pos m B b b' H0 Hm HB Hb).
  apply low_within_valid in H1. apply gate_bar_side; auto. unfold below_bar. now apply half_pass.
Qed.

End DifferencePlans.
