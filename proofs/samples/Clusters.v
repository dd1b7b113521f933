(* docs/theorems/samples.md, "Weighted clusters": (1) and (2), the tails of values in [0,1]. *)

From Coq Require Import Reals Lra Lia List Psatz.
From dpcalc Require Import Tree Count Gate Tails Records Weights Sides.
Import ListNotations.
Open Scope R_scope.

Section Clusters.
Context {X : Type}.
Variable cs : list (cluster X).
Variable w : R.
Hypothesis ws : weights cs w.
Notation P := (P (laws cs)).
Definition cluster_mean (q : query X) (S : list X) : R := weighted cs (fn q) S.
Definition cluster_truth (q : query X) : R := expected cs (fn q).

Lemma cluster_range q : 0 <= cluster_truth q <= 1.
Proof.
  split.
  - rewrite <- (weighted_const cs w ws 0). apply (weighted_mono cs w ws). intros c _. apply mean_range.
  - rewrite <- (weighted_const cs w ws 1). apply (weighted_mono cs w ws). intros c _. apply mean_range.
Qed.

(* (2): they are worth 1/w rows in the relative entropy. *)
Theorem cluster_moments : moments P cluster_mean cluster_truth (1 / w).
Proof.
  assert (Hw := weight_pos _ _ ws). split.
  - apply Rdiv_lt_0_compat; lra.
  - apply P_le_1.
  - apply cluster_range.
  - intros q l a c p Hp Hq Hl Ha. set (y := 1 - p + p * exp l) in *.
    assert (Hy : 0 < y) by (rewrite <- Ha; apply exp_pos).
    assert (He : 1 <= exp l) by (generalize (exp_ge_1 l); lra).
    eapply Rle_trans; [apply (clusters cs w ws (fn q) (fun D => ln y + (1 - D (fn q) + D (fn q) * exp l - y) / y) l c)|];
      auto.
    + intros k _. eapply Rle_trans; [|apply exp_tangent; exact Hy].
      apply Rle_trans with (snd k (fun x => 1 + fn q x * (exp l - 1))).
      * apply mean_mono. intros x. destruct q as [f Hf]. simpl. generalize (exp_chord l (f x) (Hf x)). lra.
      * rewrite (mean_plus (snd k) (fun _ => 1)), mean_one, mean_scal_r. lra.
    + apply exp_le. assert (Hn : 0 < 1 / w) by (apply Rdiv_lt_0_compat; lra).
      apply Rmult_le_compat_l; [lra|]. apply Rplus_le_compat_r.
      assert (Ea : ln y = a) by (rewrite <- Ha; apply ln_exp). rewrite <- Ea.
      apply (ln_jensen cs w ws (fun k => 1 - snd k (fn q) + snd k (fn q) * exp l)); auto.
      rewrite (sumR_ext cs _ (fun k => fst k * 1 + (exp l - 1) * (fst k * snd k (fn q)))) by (intros; ring).
      rewrite sumR_plus, sumR_scal, (weighted_const cs w ws). fold (expected cs (fn q)).
      unfold cluster_truth in Hq. unfold y. nra.
Qed.

(* The other side is that of one minus the query. *)
Lemma cluster_flip (q : query X) s :
  P (fun S => cluster_truth q - cluster_mean q S >= s) <=
  P (fun S => cluster_mean (flip q) S - cluster_truth (flip q) >= s).
Proof.
  apply P_length. intros S HS H. unfold cluster_mean, cluster_truth in *. cbn [flip fn proj1_sig] in *.
  change (fn (flip q)) with (fun x => 1 - fn q x).
  rewrite (weighted_flip cs w ws _ S HS), (expected_flip cs w ws). lra.
Qed.

Theorem cluster_sides : sides P cluster_mean cluster_truth (side (1 / w)).
Proof.
  intros q s. split; [apply (moment_side _ _ _ _ cluster_moments)|].
  eapply Rle_trans; [apply cluster_flip|apply (moment_side _ _ _ _ cluster_moments)].
Qed.

(* (1): Hoeffding's exponent has 1/(the sum of the squares of the weights). *)
Definition effective : R := / sumR cs (fun c => fst c * fst c).

Lemma squares_pos : 0 < sumR cs (fun c => fst c * fst c).
Proof.
  assert (H : forall l : list (cluster X), 0 < sumR l fst -> 0 < sumR l (fun c => fst c * fst c)).
  { induction l as [|c l IH]; simpl; intros Hs; [lra|].
    assert (0 <= sumR l (fun c => fst c * fst c)) by (apply sumR_nonneg; intros; nra).
    destruct (Req_dec (fst c) 0) as [E|E].
    - rewrite E in *. assert (0 < sumR l (fun c => fst c * fst c)) by (apply IH; lra). lra.
    - assert (0 < fst c * fst c) by nra. lra. }
  apply H. rewrite (weight_total _ _ ws). lra.
Qed.

Lemma cluster_hoeffding_up (q : query X) s : 0 < s ->
  P (fun S => cluster_mean q S - cluster_truth q >= s) <= exp (- 2 * effective * s^2).
Proof.
  intros Hs. assert (Hv := squares_pos). set (v := sumR cs (fun c => fst c * fst c)) in *.
  set (l := 4 * s / v). assert (Hl : 0 < l) by (unfold l; apply Rdiv_lt_0_compat; lra).
  assert (Hm : prodE (laws cs) (fun S => exp (l * weighted cs (fn q) S)) <=
    exp (sumR cs (fun c => l * (fst c * snd c (fn q)) + (l^2 / 8) * (fst c * fst c)))).
  { apply prod_weighted. intros c _. assert (Hr := mean_range q (snd c)).
    eapply Rle_trans; [|eapply Rle_trans; [apply (bernoulli_mgf (snd c (fn q)) (l * fst c) Hr)|]].
    - apply Rle_trans with (snd c (fun x => 1 + fn q x * (exp (l * fst c) - 1))).
      + apply mean_mono. intros x. destruct q as [f Hf]. simpl. generalize (exp_chord (l * fst c) (f x) (Hf x)). lra.
      + rewrite (mean_plus (snd c) (fun _ => 1)), mean_one, mean_scal_r. lra.
    - apply exp_le. right. field. }
  rewrite sumR_plus, !sumR_scal in Hm. fold (expected cs (fn q)) in Hm. fold v in Hm.
  eapply Rle_trans; [|eapply Rle_trans; [apply (markov (laws cs) _ (l * (cluster_truth q + s)) _ Hm)|]].
  - apply Pr_mono. intros S HS. apply Rle_ge, Rmult_le_compat_l; [lra|]. unfold cluster_mean in HS. lra.
  - rewrite <- exp_plus. apply exp_le. right. unfold cluster_truth, effective. fold v. unfold l. field. lra.
Qed.

Definition hoeffding_side (s : R) : R := if Rle_dec s 0 then 1 else exp (- 2 * effective * s^2).

Theorem cluster_hoeffding : sides P cluster_mean cluster_truth hoeffding_side.
Proof.
  intros q s. unfold hoeffding_side. destruct (Rle_dec s 0) as [Hs|Hs]; [split; apply P_le_1|].
  split; [apply cluster_hoeffding_up; lra|].
  eapply Rle_trans; [apply cluster_flip|apply cluster_hoeffding_up; lra].
Qed.

(* A known bar. *)
Theorem cluster_bar (c tau : R) (q : query X) : 0 < tau -> 0 <= c -> c + tau < 1 ->
  (cluster_truth q <= c -> P (fun S => cluster_mean q S >= c + tau) <=
    if Rle_dec c 0 then 0 else exp (- (1 / w) * kl (c + tau) c)) /\
  (c + 2 * tau <= cluster_truth q -> P (fun S => cluster_mean q S < c + tau) <=
    if Rle_dec 1 (c + 2 * tau) then 0 else exp (- (1 / w) * kl (c + tau) (c + 2 * tau))).
Proof.
  intros Ht Hc H1. assert (Hr := cluster_range q). split; intros Hq.
  - destruct (Rle_dec c 0) as [H0|H0].
    + apply (moment_zero _ _ _ _ cluster_moments); lra.
    + apply (moment_kl _ _ _ _ cluster_moments); lra.
  - assert (Hf : cluster_truth (flip q) = 1 - cluster_truth q).
    { unfold cluster_truth. change (fn (flip q)) with (fun x => 1 - fn q x). apply (expected_flip cs w ws). }
    apply Rle_trans with (P (fun S => cluster_mean (flip q) S >= 1 - (c + tau))).
    + apply P_length. intros S HS H. unfold cluster_mean in *. change (fn (flip q)) with (fun x => 1 - fn q x).
      rewrite (weighted_flip cs w ws _ S HS). lra.
    + destruct (Rle_dec 1 (c + 2 * tau)) as [H0|H0].
      * apply (moment_zero _ _ _ _ cluster_moments); lra.
      * replace (kl (c + tau) (c + 2 * tau)) with (kl (1 - (c + tau)) (1 - (c + 2 * tau))).
        -- apply (moment_kl _ _ _ _ cluster_moments); lra.
        -- unfold kl. replace (1 - (1 - (c + tau))) with (c + tau) by ring.
           replace (1 - (1 - (c + 2 * tau))) with (c + 2 * tau) by ring. ring.
Qed.

(* Finalists: both errors of one query at its truth. *)
Definition cluster_term (tau p : R) : R := if Rle_dec (p + tau) 1 then exp (- (1 / w) * kl (p + tau) p) else 0.

Lemma cluster_up (q : query X) tau : 0 < tau ->
  P (fun S => cluster_mean q S - cluster_truth q >= tau) <=
    if Rle_dec (cluster_truth q) 0 then 0 else cluster_term tau (cluster_truth q).
Proof.
  intros Ht. assert (Hr := cluster_range q).
  apply Rle_trans with (P (fun S => cluster_mean q S >= cluster_truth q + tau)); [apply Pr_mono; intros; lra|].
  destruct (Rle_dec (cluster_truth q) 0); [apply (moment_zero _ _ _ _ cluster_moments); lra|].
  unfold cluster_term. destruct (Rle_dec (cluster_truth q + tau) 1).
  - apply (moment_kl _ _ _ _ cluster_moments); lra.
  - apply (moment_beyond _ _ _ _ cluster_moments); lra.
Qed.

Theorem cluster_finalists (finalists : list (query X)) (tau b : R) : 0 < tau -> 0 <= b ->
  (forall p, 0 < p < 1 -> cluster_term tau p + cluster_term tau (1 - p) <= b) ->
  P (fun S => exists q, In q finalists /\ Rabs (cluster_mean q S - cluster_truth q) >= tau) <= INR (length finalists) * b.
Proof.
  intros Ht Hb H. eapply Rle_trans; [apply Pr_union|]. rewrite <- sumR_const. apply sumR_le. intros q _.
  assert (Hr := cluster_range q). assert (Hu := cluster_up q tau Ht). assert (Hd := cluster_up (flip q) tau Ht).
  assert (Hf : cluster_truth (flip q) = 1 - cluster_truth q).
  { unfold cluster_truth. change (fn (flip q)) with (fun x => 1 - fn q x). apply (expected_flip cs w ws). }
  apply Rle_trans with (P (fun S => cluster_mean q S - cluster_truth q >= tau) +
    P (fun S => cluster_truth q - cluster_mean q S >= tau)).
  - eapply Rle_trans; [|apply Pr_or]. apply Pr_mono. intros S HS. unfold Rabs in HS.
    destruct (Rcase_abs (cluster_mean q S - cluster_truth q)); [right|left]; lra.
  - eapply Rle_trans; [apply Rplus_le_compat; [exact Hu|eapply Rle_trans; [apply cluster_flip|exact Hd]]|]. rewrite Hf.
    destruct (Rle_dec (cluster_truth q) 0), (Rle_dec (1 - cluster_truth q) 0); try lra.
    + unfold cluster_term. destruct (Rle_dec (1 - cluster_truth q + tau) 1); lra.
    + unfold cluster_term. destruct (Rle_dec (cluster_truth q + tau) 1); lra.
    + apply H. lra.
Qed.

(* A gate at a known bar: each of the two errors by one of its tails. *)
Definition cluster_pass (c tau a : R) : Prop := hoeffding_side tau <= a \/ c <= 0 \/ exp (- (1 / w) * kl (c + tau) c) <= a.
Definition cluster_failure (c tau a : R) : Prop :=
  hoeffding_side tau <= a \/ 1 <= c + 2 * tau \/ exp (- (1 / w) * kl (c + tau) (c + 2 * tau)) <= a.

Lemma above_bar c tau a (q : query X) : 0 < tau -> 0 <= a -> 0 <= c -> c + tau < 1 -> cluster_pass c tau a ->
  cluster_truth q <= c -> P (fun S => cluster_mean q S >= c + tau) <= a.
Proof.
  intros Ht Ha Hc H1 [H|H] Hq.
  - eapply Rle_trans; [|exact H]. eapply Rle_trans; [|apply (proj1 (cluster_hoeffding q tau))]. apply Pr_mono. intros S. lra.
  - destruct (cluster_bar c tau q Ht Hc H1) as [Hb _]. eapply Rle_trans; [apply (Hb Hq)|].
    destruct (Rle_dec c 0); [lra|]. destruct H; lra.
Qed.

Lemma below_bar c tau a (q : query X) : 0 < tau -> 0 <= a -> 0 <= c -> c + tau < 1 -> cluster_failure c tau a ->
  c + 2 * tau <= cluster_truth q -> P (fun S => cluster_mean q S < c + tau) <= a.
Proof.
  intros Ht Ha Hc H1 [H|H] Hq.
  - eapply Rle_trans; [|exact H]. eapply Rle_trans; [|apply (proj2 (cluster_hoeffding q tau))]. apply Pr_mono. intros S. lra.
  - destruct (cluster_bar c tau q Ht Hc H1) as [_ Hb]. eapply Rle_trans; [apply (Hb Hq)|].
    destruct (Rle_dec 1 (c + 2 * tau)); [lra|]. destruct H; lra.
Qed.

Theorem gate_bar_clusters (c tau a : R) (analyst : list bool -> query X) (B m : nat) :
  0 < tau -> 0 <= a -> 0 <= c -> c + tau < 1 -> cluster_pass c tau a -> cluster_failure c tau a ->
  P (fun S => exists later b v,
    Rows.gate_shown (fun t => cluster_mean (fst t)) (fun t => snd t + tau) (fun v => (analyst v, c)) B m S =
      later ++ b :: v /\
    Rows.gate_wrong (Sides.below_bar cluster_truth) (far_above cluster_truth tau) (fun v => (analyst v, c)) v b)
  <= INR (N m B) * a.
Proof.
  intros Ht Ha Hc H1 Hp Hf. apply gate_bar_sides; auto; intros q Hq; [now apply above_bar|now apply below_bar].
Qed.

Theorem gate_bar_clusters_one_side (c tau a : R) (analyst : list bool -> query X) (B m : nat) :
  0 < tau -> 0 <= a -> 0 <= c -> c + tau < 1 -> cluster_pass c tau a ->
  P (fun S => exists later b v,
    Rows.gate_shown (fun t => cluster_mean (fst t)) (fun t => snd t + tau) (fun v => (analyst v, c)) B m S =
      later ++ b :: v /\
    Rows.gate_wrong (Sides.below_bar cluster_truth) (fun _ => False) (fun v => (analyst v, c)) v b)
  <= INR (N m B) * a.
Proof. intros Ht Ha Hc H1 Hp. apply gate_bar_side; auto. intros q Hq. now apply above_bar. Qed.

End Clusters.

(* Rows of equal weight: the bounds of the clusters of the weight 1/n are those of the means over n rows. *)
Theorem sides_of_rows {X : Type} (Ds : list (law X)) {Query : Type} (f : Query -> X -> R) (pop : Query -> R) (A : R -> R) :
  sides (P (laws (rows_of Ds))) (fun q S => weighted (rows_of Ds) (f q) S) pop A ->
  sides (P Ds) (fun q S => sumR S (f q) / INR (length Ds)) pop A.
Proof.
  intros H q s. destruct (H q s) as [Hu Hd].
  rewrite (weighted_rows Ds (fun h => h (f q) - pop q >= s)) in Hu.
  rewrite (weighted_rows Ds (fun h => pop q - h (f q) >= s)) in Hd. auto.
Qed.
