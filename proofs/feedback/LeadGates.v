(* docs/theorems/feedback.md, "gate", "Two declared classes at a known bar", and docs/theorems/open.md, "Decided rows":
   gates of leads of two declared classes, at any bars and at a known one, of few rows and of many.

   n, m    the number of rows, and of those that may be decided at most
   M       the share of the rows that may be decided, as a count, whole or not
   s       tau less one win, 2/n
   Phi     the distribution function of the normal law *)

From Coq Require Import Reals Lra Lia List Arith Psatz.
From dpcalc Require Import Tree Count Gate Tails Binomial Records Entropy Rows Sides Guesses TwoSides Differences
  Decided Leads LeadPlans LeadCounts.
Import ListNotations.
Open Scope R_scope.

(* The log sum inequality: t more of both. *)
Lemma log_sum a b t : 0 <= a -> 0 < b -> 0 <= t -> (a + t) * ln ((a + t) / (b + t)) <= a * ln (a / b).
Proof.
  intros Ha Hb Ht. destruct (Req_dec a 0) as [->|Ha0].
  - rewrite Rmult_0_l, Rplus_0_l. destruct (Req_dec t 0) as [->|Ht0]; [lra|].
    assert (Hq : 0 < t / (b + t)) by (apply Rdiv_lt_0_compat; lra).
    assert (H := ln_chord (t / (b + t)) Hq). assert (t / (b + t) <= 1).
    { apply Rcomplements.Rle_div_l; lra. }
    nra.
  - set (q := (a + t) / (b + t)). assert (Hq : 0 < q) by (unfold q; apply Rdiv_lt_0_compat; lra).
    assert (Hab : 0 < a / b) by (apply Rdiv_lt_0_compat; lra).
    assert (Hr : 0 < q / (a / b)) by (now apply Rdiv_lt_0_compat).
    assert (H1 := ln_chord _ Hr). assert (H2 := ln_chord _ Hq).
    replace (ln (q / (a / b))) with (ln q - ln (a / b)) in H1.
    2:{ unfold Rdiv at 2. rewrite ln_mult, ln_Rinv by (auto; now apply Rinv_0_lt_compat). reflexivity. }
    assert (H3 : a * (ln q - ln (a / b)) <= a * (q / (a / b) - 1)) by (apply Rmult_le_compat_l; lra).
    assert (H4 : t * ln q <= t * (q - 1)) by (apply Rmult_le_compat_l; lra).
    assert (E : a * (q / (a / b) - 1) + t * (q - 1) = 0) by (unfold q; field; repeat split; lra). lra.
Qed.

(* More decided rows have wider ends. *)
Lemma wider n r M y z : 0 < n -> 0 < r -> r <= M -> 0 < among n r z -> among n r z < 1 ->
  0 <= among n r y <= 1 -> M * kl (among n M y) (among n M z) <= r * kl (among n r y) (among n r z).
Proof.
  intros Hn Hr HM Z0 Z1 Hy.
  assert (E : forall D w, 0 < D -> among n D w = (D + n * w) / 2 / D /\ 1 - among n D w = (D - n * w) / 2 / D).
  { intros D w HD. unfold among. split; field; lra. }
  assert (P : forall D w, 0 < D -> (D + n * w) / 2 = D * among n D w /\ (D - n * w) / 2 = D * (1 - among n D w)).
  { intros D w HD. unfold among. split; field; lra. }
  destruct (P r y Hr) as [Ey Ey'], (P r z Hr) as [Ez Ez'].
  set (t := (M - r) / 2).
  assert (H1 := log_sum ((r + n * y) / 2) ((r + n * z) / 2) t).
  assert (H2 := log_sum ((r - n * y) / 2) ((r - n * z) / 2) t).
  assert (A1 : 0 <= (r + n * y) / 2) by (rewrite Ey; apply Rmult_le_pos; lra).
  assert (A2 : 0 <= (r - n * y) / 2) by (rewrite Ey'; apply Rmult_le_pos; lra).
  assert (A3 : 0 < (r + n * z) / 2) by (rewrite Ez; apply Rmult_lt_0_compat; lra).
  assert (A4 : 0 < (r - n * z) / 2) by (rewrite Ez'; apply Rmult_lt_0_compat; lra).
  assert (Ht : 0 <= t) by (unfold t; lra). specialize (H1 A1 A3 Ht). specialize (H2 A2 A4 Ht).
  assert (K : forall D, 0 < D -> 0 < (D + n * z) / 2 -> 0 < (D - n * z) / 2 ->
    D * kl (among n D y) (among n D z) = (D + n * y) / 2 * ln ((D + n * y) / 2 / ((D + n * z) / 2)) +
      (D - n * y) / 2 * ln ((D - n * y) / 2 / ((D - n * z) / 2))).
  { intros D HD B1 B2. unfold kl. destruct (E D y HD) as [-> ->], (E D z HD) as [-> ->].
    replace ((D + n * y) / 2 / D / ((D + n * z) / 2 / D)) with ((D + n * y) / 2 / ((D + n * z) / 2)) by (field; lra).
    replace ((D - n * y) / 2 / D / ((D - n * z) / 2 / D)) with ((D - n * y) / 2 / ((D - n * z) / 2)) by (field; lra).
    field. repeat split; lra. }
  rewrite (K r), (K M) by (unfold t in *; lra).
  replace ((r + n * y) / 2 + t) with ((M + n * y) / 2) in H1 by (unfold t; field).
  replace ((r + n * z) / 2 + t) with ((M + n * z) / 2) in H1 by (unfold t; field).
  replace ((r - n * y) / 2 + t) with ((M - n * y) / 2) in H2 by (unfold t; field).
  replace ((r - n * z) / 2 + t) with ((M - n * z) / 2) in H2 by (unfold t; field). lra.
Qed.

Section Gates.
Context {X : Type}.
Variable Ds : list (law X).
Notation P := (P Ds).
Notation rows := (length Ds).
Notation n := (INR rows).
Variable m : nat.
Hypothesis m_range : (1 <= m <= rows)%nat.
Notation two_classes := (two_classes Ds m).
Notation ahead := (count_ahead Ds m).
Notation truly := (count_truly Ds m).

(* Any bars: the supremum over the means of m records. *)
Theorem gate_lead_counts {Y : Type} (Es : list (law Y)) (tau A : R) (analyst : list bool -> two_classes * R)
  (B looks : nat) : Hoeffding1956 -> length Es = m -> 0 < tau -> 1 <= n * tau / 2 ->
  above_by Es (n * tau / (2 * INR m)) A ->
  P (fun S => exists later b v, Gate.transcript ahead tau analyst B looks S = later ++ b :: v /\
    Gate.wrong truly tau analyst v b) <= INR (N looks B) * A.
Proof.
  intros H56 Hl Ht Hone HA. assert (Hm : 0 < INR m) by (apply lt_0_INR; lia).
  assert (HA' : forall p k, 0 <= p <= 1 -> INR m * p + n * tau / 2 <= INR k -> binomial m p k <= A).
  { intros p k Hp Hk. specialize (HA p k Hp). rewrite Hl in HA. apply HA. unfold Tails.n. rewrite Hl.
    replace (INR m * (p + n * tau / (2 * INR m))) with (INR m * p + n * tau / 2) by (field; lra). exact Hk. }
  assert (H0 : 0 <= A).
  { destruct (whole_above (INR m * 0 + n * tau / 2)) as (k & Hk & _). eapply Rle_trans; [|apply (HA' 0 k); auto; lra].
    apply at_least_range. apply means_repeat. lra. }
  apply gate_tails; auto; intros f; now apply (lead_count_above Ds m m_range H56 tau A Hone H0 HA' f).
Qed.

(* A known bar, one side: a failure is never wrong. *)
Theorem gate_bar_lead_counts_one_side (c tau a : R) (analyst : list bool -> two_classes) (B looks : nat) :
  Hoeffding1956 -> 0 < tau -> 0 <= a -> 1 <= n * tau / 2 -> at_bar Ds m c (c + tau) a ->
  P (fun S => exists later b v,
    gate_shown (fun t => ahead (fst t)) (fun t => snd t + tau) (fun v => (analyst v, c)) B looks S =
      later ++ b :: v /\
    gate_wrong (below_bar truly) (fun _ => False) (fun v => (analyst v, c)) v b) <= INR (N looks B) * a.
Proof.
  intros H56 Ht Ha Hf Hu. apply gate_bar_side; auto; intros f Hq.
  apply (lead_count_bar Ds m m_range H56 c (c + tau) a); auto. replace (c + tau - c) with tau by ring. exact Hf.
Qed.

(* The relative entropy at a known bar, one side. *)
Theorem gate_bar_leads_one_side (c tau a : R) (analyst : list bool -> sharing Ds m) (B looks : nat) : 0 <= a ->
  low_cert (INR m) (among n (INR m) (c + tau)) a (among n (INR m) c) ->
  P (fun S => exists later b v,
    gate_shown (fun t => LeadPlans.ahead Ds m (fst t)) (fun t => snd t + tau) (fun v => (analyst v, c)) B looks
      S = later ++ b :: v /\
    gate_wrong (below_bar (LeadPlans.truly Ds m)) (fun _ => False) (fun v => (analyst v, c)) v b) <=
  INR (N looks B) * a.
Proof.
  intros Ha Hl. rewrite <- (all_size Ds) in Hl. apply gate_bar_side; auto; intros q Hq.
  destruct (shared Ds m m_range q) as (decided & Hd & E & Hb). rewrite <- E in Hl.
  now apply (lead_up Ds (all Ds) decided Hd (proj1_sig q) _ Hb c).
Qed.

(* It holds of m rows if it does of M. *)
Theorem lead_cert_wider (M c x b : R) : INR m <= M -> 0 <= b -> 0 < among n M c -> among n M c < among n M x ->
  exp (- M * kl (among n M x) (among n M c)) <= b -> low_cert (INR m) (among n (INR m) x) b (among n (INR m) c).
Proof.
  intros HM Hb H0 Hx He. assert (Hn : 0 < n) by (apply lt_0_INR; lia).
  assert (Hm : 0 < INR m) by (apply lt_0_INR; lia).
  assert (Hcx : c < x).
  { apply Rnot_le_lt. intros Hc. assert (n * x / M <= n * c / M); [|unfold among in Hx; lra].
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|]. apply Rmult_le_compat_l; lra. }
  assert (Hlt : among n (INR m) c < among n (INR m) x).
  { unfold among. assert (n * c / INR m < n * x / INR m); [|lra].
    apply Rmult_lt_compat_r; [now apply Rinv_0_lt_compat|]. now apply Rmult_lt_compat_l. }
  destruct (Rle_dec (among n (INR m) c) 0) as [Hc|Hc].
  { destruct (Rlt_dec 0 (among n (INR m) x)); [now apply low_zero|]. apply low_negative. lra. }
  destruct (Rle_dec (among n (INR m) x) 1) as [H1|H1]; [|apply low_beyond; lra].
  apply low_kl; try lra. eapply Rle_trans; [|exact He]. apply exp_le.
  generalize (wider n (INR m) M x c Hn Hm HM). lra.
Qed.

(* Zubkov and Serov's bound at a known bar, for m rows and for m-1. *)
Variable Phi : R -> R.
Hypothesis Phi_rises : forall x y, x <= y -> Phi x <= Phi y.
Hypothesis Phi_nonneg : forall x, 0 <= Phi x.

Theorem zubkov_serov_bar (M c tau b : R) : ZubkovSerov2013 Phi -> INR m <= M -> 0 <= b -> 1 < n * tau / 2 ->
  (among n M c <= 0 \/ 1 < among n M (c + tau) \/
   Phi (- sqrt (2 * M * kl (among n M (c + (tau - 2 / n))) (among n M c))) <= b) ->
  at_bar Ds m c (c + tau) b.
Proof.
  intros HZ HM Hb Hone H r p k Hr Hp Hpc Hk. assert (Hn : 0 < n) by (apply lt_0_INR; lia).
  assert (Hr1 : (1 <= r <= m)%nat) by lia.
  assert (HR : 0 < INR r) by (apply lt_0_INR; lia).
  assert (HRM : INR r <= M) by (apply Rle_trans with (INR m); [apply le_INR; lia|auto]).
  set (p0 := among n (INR r) c) in *. set (u := n * tau / (2 * INR r)).
  assert (Ep : INR r * (p0 + u) = (INR r + n * (c + tau)) / 2) by (unfold p0, u, among; field; lra).
  destruct (le_lt_dec k r) as [Hkr|Hkr].
  2:{ unfold binomial. rewrite at_least_above by (now rewrite repeat_length). auto. }
  assert (Hur : INR r * u = n * tau / 2) by (unfold u; field; lra).
  assert (Hsum : p0 + u <= 1).
  { apply Rmult_le_reg_l with (INR r); auto. rewrite Ep. apply le_INR in Hkr. lra. }
  assert (Hu : 0 < u) by (apply Rmult_lt_reg_l with (INR r); auto; rewrite Hur; lra).
  assert (Hk1 : (1 <= k)%nat).
  { destruct k; [|lia]. simpl in Hk. assert (0 <= INR r * p0) by (apply Rmult_le_pos; lra). lra. }
  destruct (Req_dec p 0) as [->|Hp0].
  { assert (E0 : forall i j, (1 <= j)%nat -> binomial i 0 j = 0).
    { clear. induction i as [|i IH]; intros [|j] Hj; try lia; [reflexivity|]. unfold binomial in *. simpl repeat.
      rewrite at_least_S, (IH (S j)) by lia. ring. }
    rewrite E0 by auto. exact Hb. }
  assert (Hmean : forall w, n * w <= 0 -> among n (INR r) w <= among n M w).
  { intros w Hw. unfold among. assert (n * w / INR r <= n * w / M); [|lra].
    assert (/ M <= / INR r) by (apply Rinv_le_contravar; auto). unfold Rdiv. nra. }
  destruct H as [H|[H|H]].
  - (* no truth is so low *)
    exfalso. assert (n * c <= 0).
    { unfold among in H. assert (H0 : n * c / M <= 0) by lra. apply Rmult_le_compat_r with (r := M) in H0; [|lra].
      unfold Rdiv in H0. rewrite Rmult_assoc, Rinv_l in H0 by lra. lra. }
    specialize (Hmean c H0). fold p0 in Hmean. lra.
  - (* no mean is so high *)
    exfalso. assert (n * (c + tau) > M).
    { unfold among in H. assert (H0 : 1 < n * (c + tau) / M) by lra.
      apply Rmult_lt_compat_r with (r := M) in H0; [|lra].
      unfold Rdiv in H0. rewrite Rmult_assoc, Rinv_l in H0 by lra. lra. }
    apply le_INR in Hkr. lra.
  - eapply Rle_trans; [apply (binomial_rises r p p0 k); lra|].
    set (Es := repeat (point true) r). assert (Hl : length Es = r) by apply repeat_length.
    assert (HE : Es <> nil) by (intros E; rewrite E in Hl; simpl in Hl; lia).
    assert (En : Tails.n Es = INR r) by (unfold Tails.n; now rewrite Hl).
    assert (Hz := ones_normal_tail Es HE Phi Phi_rises Phi_nonneg u).
    rewrite En, Hl, Hur in Hz. specialize (Hz ltac:(lra) p0 k HZ ltac:(lra) ltac:(lra)).
    eapply Rle_trans; [exact Hz|]. unfold normal_tail. rewrite En.
    destruct (Rlt_dec 0 p0); [destruct (Rle_dec (p0 + u) 1)|]; auto. eapply Rle_trans; [|exact H]. apply Phi_rises.
    assert (Es' : p0 + (u - 1 / INR r) = among n (INR r) (c + (tau - 2 / n))) by (unfold p0, u, among; field; lra).
    rewrite Es'. apply Ropp_le_contravar, sqrt_le_1_alt.
    assert (0 < 1 / INR r) by (apply Rdiv_lt_0_compat; lra).
    assert (0 < u - 1 / INR r).
    { apply Rmult_lt_reg_l with (INR r); auto. replace (INR r * (u - 1 / INR r)) with (INR r * u - 1) by (field; lra).
      rewrite Hur. lra. }
    assert (Hw := wider n (INR r) M (c + (tau - 2 / n)) c Hn HR HRM). fold p0 in Hw. rewrite <- Es' in Hw |- *.
    specialize (Hw ltac:(lra) ltac:(lra) ltac:(lra)). lra.
Qed.

End Gates.
