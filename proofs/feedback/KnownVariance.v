(* docs/theorems/feedback.md, "Known variance": values in [0,1] with a known variance, values in [-1,1] with a known second
   moment, and a second moment that is seen on the sample. Independent clusters with weights of at most w are worth n =
   1/w rows; rows of equal weight are the clusters Weights.rows_of. *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Count Gate Tails Records Entropy Weights Sides Clusters Differences.
Import ListNotations.
Open Scope R_scope.

(* (e^y - 1 - y)/y^2 rises. *)
Lemma exp_parabola l u : 0 <= l -> u <= 1 -> exp (l * u) <= 1 + l * u + u^2 * (exp l - 1 - l).
Proof.
  intros Hl Hu.
  pose (f := fun y => 1 + y * u + u^2 * (exp y - 1 - y) - exp (y * u)).
  assert (H : f 0 <= f l).
  { apply (convex_at_0 f (fun y => u + u^2 * (exp y - 1) - u * exp (y * u)) (fun y => u^2 * (exp y - exp (y * u)))).
    - intros y _. unfold f. auto_derive; auto. ring.
    - intros y _. auto_derive; auto. ring.
    - intros y Hy. rewrite Rmin_left, Rmax_right in Hy by lra. apply Rmult_le_pos; [apply pow2_ge_0|].
      assert (exp (y * u) <= exp y) by (apply exp_le; nra). lra.
    - rewrite Rmult_0_l, exp_0. ring. }
  unfold f in H. rewrite Rmult_0_l, exp_0 in H. lra.
Qed.

(* ln E e^(l(X - EX)) of a 0/1 value X of the mean p. *)
Definition H01 (l p : R) : R := ln (1 + p * (exp l - 1)) - l * p.

(* Bennett's lemma: no value in [0,1] of the variance v <= p(1-p), p <= its mean, has a greater one. *)
Lemma row_moment {X} (D : law X) (f : X -> R) (l p : R) : (forall x, 0 <= f x <= 1) -> 0 <= l -> 0 <= p -> p <= D f ->
  D (fun x => (f x)^2) - (D f)^2 <= p * (1 - p) -> D (fun x => exp (l * f x)) <= exp (l * D f + H01 l p).
Proof.
  intros Hf Hl Hp Hm Hv. set (m := D f) in *.
  assert (He : 0 <= exp l - 1 - l) by (generalize (exp_ge_1 l); lra).
  assert (Hy : 0 < 1 + p * (exp l - 1)) by nra.
  apply Rle_trans with (D (fun x => (exp (l * (m - p)) * (1 - l * (m - p) + (m - p)^2 * (exp l - 1 - l))) +
     ((exp (l * (m - p)) * (l - 2 * (m - p) * (exp l - 1 - l))) * f x + (exp (l * (m - p)) * (exp l - 1 - l)) * (f x)^2))).
  - apply mean_mono. intros x. specialize (Hf x).
    replace (l * f x) with (l * (m - p) + l * (f x - m + p)) by ring. rewrite exp_plus.
    assert (H := exp_parabola l (f x - m + p) Hl ltac:(lra)). assert (0 < exp (l * (m - p))) by apply exp_pos.
    apply Rmult_le_compat_l with (r := exp (l * (m - p))) in H; [|lra]. eapply Rle_trans; [exact H|]. right. ring.
  - rewrite (mean_plus D (fun _ => _)), mean_const, mean_plus, !mean_scal. fold m.
    unfold H01. replace (l * m + (ln (1 + p * (exp l - 1)) - l * p)) with (l * (m - p) + ln (1 + p * (exp l - 1))) by ring.
    rewrite exp_plus, exp_ln by auto. set (t := exp (l * (m - p))). assert (Ht : 0 < t) by apply exp_pos.
    set (q := D (fun x => f x ^ 2)) in *. set (k := exp l - 1 - l) in *.
    replace (exp l - 1) with (k + l) by (unfold k; ring).
    assert (0 <= t * k * (p * (1 - p) - (q - m ^ 2))) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]).
    nra.
Qed.

(* The p <= 1/2 of a variance. *)
Lemma variance_mean v : 0 <= v <= 1/4 -> exists p, 0 <= p <= 1/2 /\ p * (1 - p) = v.
Proof.
  intros Hv. exists ((1 - sqrt (1 - 4 * v)) / 2). assert (H := sqrt_pos (1 - 4 * v)).
  assert (Hs : sqrt (1 - 4 * v) * sqrt (1 - 4 * v) = 1 - 4 * v) by (apply sqrt_sqrt; lra).
  split; [split; [|lra]|nra]. assert (sqrt (1 - 4 * v) <= 1); [|lra].
  apply Rle_trans with (sqrt 1); [apply sqrt_le_1_alt; lra|rewrite sqrt_1; lra].
Qed.

Lemma half_slope l : 0 <= l -> 2 * (exp l - 1) <= l * (exp l + 1).
Proof.
  intros Hl. pose (f := fun y => y * (exp y + 1) - 2 * (exp y - 1)). assert (H : f 0 <= f l).
  { apply (convex_at_0 f (fun y => exp y + 1 + y * exp y - 2 * exp y) (fun y => y * exp y)).
    - intros y _. unfold f. auto_derive; auto. ring.
    - intros y _. auto_derive; auto. ring.
    - intros y Hy. rewrite Rmin_left, Rmax_right in Hy by lra. assert (0 < exp y) by apply exp_pos. nra.
    - rewrite exp_0. ring. }
  unfold f in H. rewrite exp_0 in H. lra.
Qed.

(* As a function of the variance x(1-x) it is below its tangent at p, where it rises. *)
Lemma H01_tangent l p : 0 < l -> 0 < p <= 1/2 -> l <= (exp l - 1) / (1 + p * (exp l - 1)) ->
  exists k, 0 <= k /\ forall x, 0 <= x <= 1/2 -> H01 l x <= H01 l p + k * (x * (1 - x) - p * (1 - p)).
Proof.
  intros Hl Hp Hr. assert (Hc : 0 < exp l - 1) by (generalize (exp_ineq1 l ltac:(lra)); lra).
  assert (Hh : exp l - 1 <= l * (1 + 1/2 * (exp l - 1))) by (generalize (half_slope l ltac:(lra)); lra).
  unfold H01. set (c := exp l - 1) in *. assert (Hpc : 0 < 1 + p * c) by nra.
  assert (Hdiv : forall x y z, 0 < z -> x <= y * z -> x / z <= y) by (intros; apply Rle_div_l; auto).
  destruct (Req_dec p (1/2)) as [->|Hne].
  - exists 0. split; [lra|]. intros x Hx. assert (Hxc : 0 < 1 + x * c) by nra.
    assert (Ht := exp_tangent (1 + x * c) (1 + 1/2 * c) Hpc).
    assert (Hln : ln (1 + x * c) <= ln (1 + 1/2 * c) + (1 + x * c - (1 + 1/2 * c)) / (1 + 1/2 * c)).
    { rewrite <- (ln_exp (ln (1 + 1/2 * c) + _)). apply ln_le; auto. }
    replace ((1 + x * c - (1 + 1/2 * c)) / (1 + 1/2 * c)) with (- (1/2 - x) * (c / (1 + 1/2 * c))) in Hln by (field; lra).
    assert (0 <= (1/2 - x) * (c / (1 + 1/2 * c) - l)) by (apply Rmult_le_pos; lra). lra.
  - set (k := (c / (1 + p * c) - l) / (1 - 2 * p)). exists k.
    assert (Hk : 0 <= k) by (unfold k; apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
    split; auto. intros x Hx.
    pose (F := fun y => k * (y * (1 - y)) - (ln (1 + y * c) - l * y)).
    pose (F' := fun y => (y - p) * (c^2 / ((1 + y * c) * (1 + p * c)) - 2 * k)).
    assert (Hyc : forall y, 0 <= y -> 0 < 1 + y * c) by (intros; nra).
    assert (Hin : forall y, Rmin p x <= y <= Rmax p x -> 0 <= y <= 1/2).
    { intros y. unfold Rmin, Rmax. destruct (Rle_dec p x); lra. }
    destruct (MVT_gen F p x F') as (y & Hy & Eq).
    + intros y Hy. assert (0 <= y <= 1/2) by (apply Hin; lra). specialize (Hyc y ltac:(lra)). unfold F, F', k. auto_derive.
      * lra.
      * unfold c in *. field. repeat split; lra.
    + intros y Hy. apply Hin in Hy. specialize (Hyc y ltac:(lra)). apply continuity_pt_filterlim, (ex_derive_continuous F y).
      unfold F. auto_derive. lra.
    + assert (Hy' := Hin y Hy). assert (Hyp := Hyc y ltac:(lra)).
      (* the slope k is at most half of the curvature at 1/2, which is the least *)
      assert (H2k : 2 * k * ((1 + 1/2 * c) * (1 + p * c)) <= c^2).
      { unfold k. replace (2 * ((c / (1 + p * c) - l) / (1 - 2 * p)) * ((1 + 1/2 * c) * (1 + p * c))) with
          ((c - l * (1 + p * c)) * (2 + c) / (1 - 2 * p)) by (field; lra). apply Rle_div_l; [lra|]. nra. }
      assert (HB : 2 * k <= c^2 / ((1 + y * c) * (1 + p * c))).
      { apply (proj1 (Rle_div_r (2 * k) _ _ (Rmult_lt_0_compat _ _ Hyp Hpc))).
        eapply Rle_trans; [|exact H2k]. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; [lra|]. nra. }
      assert (0 <= (y - p) * (x - p)).
      { revert Hy. unfold Rmin, Rmax. destruct (Rle_dec p x); intros Hy; nra. }
      assert (0 <= F' y * (x - p)).
      { unfold F'. replace ((y - p) * (c ^ 2 / ((1 + y * c) * (1 + p * c)) - 2 * k) * (x - p)) with
          ((y - p) * (x - p) * (c ^ 2 / ((1 + y * c) * (1 + p * c)) - 2 * k)) by ring. apply Rmult_le_pos; lra. }
      unfold F in Eq. lra.
Qed.

(* E_V(s): the infimum of kl(x+s || x) over the means x <= p, p(1-p) = V. *)
Definition rates_below (p s y : R) : Prop := exists x, 0 < x <= p /\ x <= 1 - s /\ y = kl (x + s) x.
Definition EV (p s : R) : R := real (Glb_Rbar (rates_below p s)).

Lemma EV_le p s x : 0 < s < 1 -> 0 < x <= p -> x <= 1 - s -> EV p s <= kl (x + s) x.
Proof.
  intros Hs Hx H1. unfold EV. assert (HG := Glb_Rbar_correct (rates_below p s)). destruct HG as [H2 H3].
  assert (HF : Rbar_le (Finite (2 * s^2)) (Glb_Rbar (rates_below p s))).
  { apply H3. intros y (z & Hz & Hz1 & ->). simpl. apply rate_floor; auto. lra. }
  specialize (H2 (kl (x + s) x)). simpl in H2. specialize (H2 (ex_intro _ x (conj Hx (conj H1 eq_refl)))).
  destruct (Glb_Rbar (rates_below p s)); simpl in *; auto; contradiction.
Qed.

Theorem EV_greatest p s e : 0 < s < 1 -> 0 < p -> (forall x, 0 < x <= p -> x <= 1 - s -> e <= kl (x + s) x) -> e <= EV p s.
Proof.
  intros Hs Hp H. unfold EV. assert (HG := Glb_Rbar_correct (rates_below p s)). destruct HG as [H2 H3].
  assert (HF : Rbar_le (Finite e) (Glb_Rbar (rates_below p s))).
  { apply H3. intros y (z & Hz & Hz1 & ->). simpl. apply H; auto. }
  assert (Hx : 0 < Rmin p (1 - s) <= p /\ Rmin p (1 - s) <= 1 - s).
  { repeat split; [apply Rmin_pos; lra|apply Rmin_l|apply Rmin_r]. }
  specialize (H2 (kl (Rmin p (1 - s) + s) (Rmin p (1 - s)))). simpl in H2.
  specialize (H2 (ex_intro _ _ (conj (proj1 Hx) (conj (proj2 Hx) eq_refl)))).
  destruct (Glb_Rbar (rates_below p s)); simpl in *; auto; contradiction.
Qed.

(* Where the derivative of kl(x+s || x) at p is not negative, the least value is the one of all means. *)
Lemma EV_is_E p s : 0 < s < 1 -> 0 < p -> p + s < 1 -> s / (p * (1 - p)) <= ln ((p + s) * (1 - p) / (p * (1 - (p + s)))) ->
  EV p s <= E s.
Proof.
  intros Hs Hp H1 Hd. apply E_greatest; auto. intros x Hx. destruct (Rle_dec x p) as [Hxp|Hxp]; [apply EV_le; lra|].
  apply Rle_trans with (kl (p + s) p); [apply EV_le; lra|].
  assert (H := kl_tangent (x + s) x (p + s) p ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  eapply Rle_trans; [|exact H]. unfold kl.
  assert (E : ln ((p + s) * (1 - p) / (p * (1 - (p + s)))) = ln ((p + s) / p) - ln ((1 - (p + s)) / (1 - p))).
  { rewrite <- ln_quotient by (apply Rdiv_lt_0_compat; lra). f_equal. field. lra. }
  rewrite E in Hd. set (u := ln ((p + s) / p)) in *. set (v := ln ((1 - (p + s)) / (1 - p))) in *.
  replace ((x + s) * u + (1 - (x + s)) * v + (x + s - (p + s) * x / p) +
    (1 - (x + s) - (1 - (p + s)) * (1 - x) / (1 - p))) with
    ((p + s) * u + (1 - (p + s)) * v + (x - p) * (u - v - s / (p * (1 - p)))) by (field; lra).
  assert (0 <= (x - p) * (u - v - s / (p * (1 - p)))) by (apply Rmult_le_pos; lra). lra.
Qed.

Section Variance.
Context {X : Type}.
Variable cs : list (cluster X).
Variable w : R.
Hypothesis ws : weights cs w.
Notation P := (P (laws cs)).
Notation n := (1 / w).

Definition variance (D : law X) (f : X -> R) : R := D (fun x => (f x)^2) - (D f)^2.

(* The variance is the least of all mean squared distances from a constant. *)
Lemma variance_least (D : law X) f a : variance D f <= D (fun x => (f x - a)^2).
Proof.
  unfold variance. rewrite (mean_ext D (fun x => (f x - a)^2) (fun x => (f x)^2 + ((- 2 * a) * f x + a^2))) by (intros; ring).
  rewrite (mean_plus D (fun x => (f x)^2)), (mean_plus D (fun x => - 2 * a * f x)), mean_scal, mean_const.
  generalize (pow2_ge_0 (D f - a)). nra.
Qed.

Lemma variance_range (D : law X) (q : query X) : 0 <= variance D (fn q) <= D (fn q) * (1 - D (fn q)).
Proof.
  split.
  - unfold variance. set (m := D (fn q)). assert (H : 0 <= D (fun x => (fn q x - m)^2)).
    { apply mean_nonneg. intros; apply pow2_ge_0. }
    rewrite (mean_ext D _ (fun x => (fn q x)^2 + ((- 2 * m) * fn q x + m^2))) in H by (intros; ring).
    rewrite (mean_plus D (fun x => (fn q x)^2)), (mean_plus D (fun x => - 2 * m * fn q x)), mean_scal, mean_const in H.
    fold m in H. nra.
  - unfold variance. assert (D (fun x => (fn q x)^2) <= D (fn q)); [|nra].
    apply mean_mono. intros x. destruct q as [f Hf]. simpl. specialize (Hf x). nra.
Qed.

(* Values in [0,1] with the mean variance p(1-p) at most. *)
Section Known.
Variable p : R.
Hypothesis p_range : 0 < p <= 1/2.
Definition steady := { q : query X | sumR cs (fun c => fst c * variance (snd c) (fn q)) <= p * (1 - p) }.
Definition steady_mean (q : steady) (S : list X) : R := cluster_mean cs (proj1_sig q) S.
Definition steady_truth (q : steady) : R := cluster_truth cs (proj1_sig q).

Theorem variance_up (q : steady) s : 0 < s < 1 -> P (fun S => steady_mean q S - steady_truth q >= s) <= exp (- n * EV p s).
Proof.
  intros Hs. assert (Hw := weight_pos _ _ ws). assert (Hn : 0 < n) by (apply Rdiv_lt_0_compat; lra).
  assert (HE : EV p s <= E s -> P (fun S => steady_mean q S - steady_truth q >= s) <= exp (- n * EV p s)).
  { intros H. eapply Rle_trans; [apply (moment_up _ _ _ _ (cluster_moments cs w ws) (proj1_sig q) s Hs)|].
    apply exp_le. nra. }
  destruct (Rle_dec 1 (p + s)) as [H1|H1].
  { apply HE. apply E_greatest; auto. intros x Hx. apply EV_le; lra. }
  set (r := (p + s) * (1 - p) / (p * (1 - (p + s)))).
  destruct (Rle_dec (s / (p * (1 - p))) (ln r)) as [Hd|Hd]; [apply HE, EV_is_E; auto; lra|].
  assert (Hr : 1 < r).
  { unfold r. apply Rmult_lt_reg_r with (p * (1 - (p + s))); [nra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by nra. nra. }
  set (l := ln r) in *. assert (Hl : 0 < l) by (unfold l; rewrite <- ln_1; apply ln_increasing; lra).
  assert (El : exp l = r) by (apply exp_ln; lra).
  assert (E1 : 1 + p * (exp l - 1) = (1 - p) / (1 - (p + s))) by (rewrite El; unfold r; field; lra).
  assert (Es : (exp l - 1) / (1 + p * (exp l - 1)) = s / (p * (1 - p))).
  { rewrite E1, El. unfold r. field. lra. }
  destruct (H01_tangent l p Hl p_range ltac:(rewrite Es; lra)) as (k & Hk & Ht).
  destruct q as [q Hq]. unfold steady_mean, steady_truth. cbn [proj1_sig]. set (f := fn q) in *.
  eapply Rle_trans; [|eapply Rle_trans; [apply (clusters cs w ws f
    (fun D => l * D f + (H01 l p + k * (variance D f - p * (1 - p)))) l (cluster_truth cs q + s))|]].
  - apply Pr_mono. intros S HS. unfold cluster_mean in HS. fold f in HS. lra.
  - intros c _. assert (Hv := variance_range (snd c) q). fold f in Hv. assert (Hm := mean_range q (snd c)). fold f in Hm.
    set (m := snd c f) in *. assert (Hv4 : 0 <= variance (snd c) f <= 1/4) by (generalize (pow2_ge_0 (m - 1/2)); nra).
    destruct (variance_mean _ Hv4) as (x & Hx & Ex).
    eapply Rle_trans; [apply (row_moment (snd c) f l x)|].
    + destruct q as [g Hg]. exact Hg.
    + lra.
    + lra.
    + fold m. apply Rnot_lt_le. intros Hlt. nra.
    + rewrite Ex. apply Rle_refl.
    + apply exp_le. fold m. apply Rplus_le_compat_l. rewrite <- Ex. now apply Ht.
  - lra.
  - apply exp_le. replace (- n * EV p s) with (n * - EV p s) by ring. apply Rmult_le_compat_l; [lra|].
    rewrite (sumR_ext cs _ (fun c => fst c * (H01 l p - k * (p * (1 - p))) +
      (l * (fst c * snd c f) + k * (fst c * variance (snd c) f)))) by (intros; ring).
    rewrite !sumR_plus, !sumR_scal, (weighted_const cs w ws).
    assert (Et : sumR cs (fun c => fst c * snd c f) = cluster_truth cs q) by reflexivity. rewrite Et.
    assert (k * sumR cs (fun c => fst c * variance (snd c) f) <= k * (p * (1 - p))) by (apply Rmult_le_compat_l; auto).
    assert (EV p s <= kl (p + s) p) by (apply EV_le; lra).
    assert (Ek : H01 l p - l * s = - kl (p + s) p).
    { unfold H01. rewrite E1. unfold l, r, kl.
      replace ((p + s) * (1 - p) / (p * (1 - (p + s)))) with ((p + s) / p * ((1 - p) / (1 - (p + s)))) by (field; lra).
      rewrite ln_mult by (apply Rdiv_lt_0_compat; lra).
      replace ((1 - (p + s)) / (1 - p)) with (/ ((1 - p) / (1 - (p + s)))) by (field; lra).
      rewrite ln_Rinv by (apply Rdiv_lt_0_compat; lra). ring. }
    lra.
Qed.

(* exp(-n E_V(s)). *)
Definition variance_side (s : R) : R := if Rle_dec s 0 then 1 else if Rlt_dec s 1 then exp (- n * EV p s) else 0.

Definition steady_flip (q : steady) : steady.
  exists (flip (proj1_sig q)). destruct q as [q Hq]. cbn [proj1_sig]. eapply Rle_trans; [|exact Hq]. right.
  apply sumR_ext. intros c _. f_equal. unfold variance. change (fn (flip q)) with (fun x => 1 - fn q x). cbv beta.
  rewrite (mean_ext (snd c) (fun x => (1 - fn q x)^2) (fun x => (fn q x)^2 + ((- 2) * fn q x + 1))) by (intros; ring).
  rewrite (mean_ext (snd c) (fun x => 1 - fn q x) (fun x => (-1) * fn q x + 1)) by (intros; ring).
  rewrite (mean_plus (snd c) (fun x => (fn q x)^2)), !(mean_plus (snd c) (fun x => _ * fn q x)), !mean_scal, mean_one.
  ring.
Defined.

Theorem variance_sides : sides P steady_mean steady_truth variance_side.
Proof.
  assert (H : forall q s, P (fun S => steady_mean q S - steady_truth q >= s) <= variance_side s).
  { intros q s. unfold variance_side. destruct (Rle_dec s 0); [apply P_le_1|].
    destruct (Rlt_dec s 1); [apply variance_up; lra|].
    apply (moment_up_1 _ _ _ _ (cluster_moments cs w ws) (proj1_sig q) s). lra. }
  intros q s. split; [apply H|]. eapply Rle_trans; [apply (cluster_flip cs w ws)|apply (H (steady_flip q) s)].
Qed.

Lemma variance_side_nonneg s : 0 <= variance_side s.
Proof. unfold variance_side. destruct (Rle_dec s 0), (Rlt_dec s 1); try lra. left. apply exp_pos. Qed.

(* A gate at a known bar: the tail of the variance, or that of the bar. *)
Theorem gate_bar_variance (c tau a : R) (analyst : list bool -> steady) (B m : nat) :
  0 < tau -> 0 <= a -> 0 <= c -> c + tau < 1 ->
  variance_side tau <= a \/ cluster_pass cs w c tau a -> variance_side tau <= a \/ cluster_failure cs w c tau a ->
  P (fun S => exists later b v,
    Rows.gate_shown (fun t => steady_mean (fst t)) (fun t => snd t + tau) (fun v => (analyst v, c)) B m S =
      later ++ b :: v /\
    Rows.gate_wrong (Sides.below_bar steady_truth) (far_above steady_truth tau) (fun v => (analyst v, c)) v b)
  <= INR (N m B) * a.
Proof.
  intros Ht Ha Hc H1 Hp Hf. apply gate_bar_sides; auto; intros q Hq.
  - destruct Hp as [H|H]; [|now apply (Clusters.above_bar cs w ws c tau)].
    eapply Rle_trans; [|exact H]. eapply Rle_trans; [|apply (proj1 (variance_sides q tau))]. apply Pr_mono. intros S. lra.
  - destruct Hf as [H|H]; [|now apply (Clusters.below_bar cs w ws c tau)].
    eapply Rle_trans; [|exact H]. eapply Rle_trans; [|apply (proj2 (variance_sides q tau))]. apply Pr_mono. intros S. lra.
Qed.

Theorem gate_bar_variance_one_side (c tau a : R) (analyst : list bool -> steady) (B m : nat) :
  0 < tau -> 0 <= a -> 0 <= c -> c + tau < 1 -> variance_side tau <= a \/ cluster_pass cs w c tau a ->
  P (fun S => exists later b v,
    Rows.gate_shown (fun t => steady_mean (fst t)) (fun t => snd t + tau) (fun v => (analyst v, c)) B m S =
      later ++ b :: v /\
    Rows.gate_wrong (Sides.below_bar steady_truth) (fun _ => False) (fun v => (analyst v, c)) v b)
  <= INR (N m B) * a.
Proof.
  intros Ht Ha Hc H1 Hp. apply gate_bar_side; auto; intros q Hq.
  destruct Hp as [H|H]; [|now apply (Clusters.above_bar cs w ws c tau)].
  eapply Rle_trans; [|exact H]. eapply Rle_trans; [|apply (proj1 (variance_sides q tau))]. apply Pr_mono. intros S. lra.
Qed.

End Known.

(* 0/1 values whose truth is at least r > 1/2: their mean variance is at most r(1-r). *)
Theorem variance_of_errors (q : query X) (r : R) : 1/2 < r -> r <= cluster_truth cs q ->
  sumR cs (fun c => fst c * variance (snd c) (fn q)) <= (1 - r) * (1 - (1 - r)).
Proof.
  intros Hr Hq. set (t := cluster_truth cs q) in *. assert (Ht : t <= 1) by apply (cluster_range cs w ws q).
  apply Rle_trans with (t * (1 - t)); [|nra].
  apply Rle_trans with (sumR cs (fun c => fst c * (t * t + (1 - 2 * t) * snd c (fn q)))).
  - apply (weighted_mono cs w ws). intros c _. assert (Hv := variance_range (snd c) q).
    generalize (pow2_ge_0 (snd c (fn q) - t)). nra.
  - rewrite (sumR_ext cs _ (fun c => fst c * (t * t) + (1 - 2 * t) * (fst c * snd c (fn q)))) by (intros; ring).
    rewrite sumR_plus, sumR_scal, (weighted_const cs w ws).
    change (sumR cs (fun c => fst c * snd c (fn q))) with t. right. ring.
Qed.

(* Values in [-1,1] with the mean second moment V at most. *)
Definition bennett (V s : R) : R := V * ((1 + s / V) * ln (1 + s / V) - s / V).

Section Moment.
Variable V : R.
Hypothesis V_range : 0 < V <= 1.
Definition small := { q : difference X | expected cs (fun x => (dn q x)^2) <= V }.
Definition small_mean (q : small) (S : list X) : R := weighted cs (dn (proj1_sig q)) S.
Definition small_truth (q : small) : R := expected cs (dn (proj1_sig q)).

Theorem moment_up (q : small) s : 0 < s -> P (fun S => small_mean q S - small_truth q >= s) <= exp (- n * bennett V s).
Proof.
  intros Hs. assert (Hw := weight_pos _ _ ws). assert (Hn : 0 < n) by (apply Rdiv_lt_0_compat; lra).
  assert (Hr : 0 < s / V) by (apply Rdiv_lt_0_compat; lra).
  set (l := ln (1 + s / V)). assert (El : exp l = 1 + s / V) by (apply exp_ln; lra).
  assert (Hl : 0 < l) by (unfold l; rewrite <- ln_1; apply ln_increasing; lra).
  destruct q as [[f Hf] Hq]. unfold small_mean, small_truth. cbn [proj1_sig dn] in *.
  eapply Rle_trans; [|eapply Rle_trans; [apply (clusters cs w ws f
    (fun D => l * D f + D (fun x => (f x)^2) * (exp l - 1 - l)) l (expected cs f + s))|]].
  - apply Pr_mono. intros S HS. lra.
  - intros c _. eapply Rle_trans; [|apply exp_ge_1].
    apply Rle_trans with (snd c (fun x => 1 + (l * f x + (f x)^2 * (exp l - 1 - l)))).
    + apply mean_mono. intros x. generalize (exp_parabola l (f x) ltac:(lra) ltac:(apply Hf)). lra.
    + rewrite (mean_plus (snd c) (fun _ => 1)), mean_one, (mean_plus (snd c) (fun x => l * f x)), mean_scal, mean_scal_r. lra.
  - lra.
  - apply exp_le. replace (- n * bennett V s) with (n * - bennett V s) by ring. apply Rmult_le_compat_l; [lra|].
    rewrite (sumR_ext cs _ (fun c => l * (fst c * snd c f) + (exp l - 1 - l) * (fst c * snd c (fun x => (f x)^2))))
      by (intros; ring).
    rewrite sumR_plus, !sumR_scal.
    change (sumR cs (fun c => fst c * snd c f)) with (expected cs f).
    change (sumR cs (fun c => fst c * snd c (fun x => (f x)^2))) with (expected cs (fun x => (f x)^2)).
    assert ((exp l - 1 - l) * expected cs (fun x => (f x)^2) <= (exp l - 1 - l) * V).
    { apply Rmult_le_compat_l; [generalize (exp_ge_1 l); lra|exact Hq]. }
    unfold bennett. fold l. rewrite El in *.
    assert (E : V * ((1 + s / V) * l - s / V) = V * l + s * l - s) by (field; lra). rewrite E.
    assert (E2 : (1 + s / V - 1 - l) * V = s - l * V) by (field; lra). lra.
Qed.

(* (1+f)/2 has values in [0,1] and the variance V/4 at most. *)
Definition halved (q : small) : query X.
  exists (fun x => (1 + dn (proj1_sig q) x) / 2). intros x. destruct q as [[f Hf] Hq]. simpl. generalize (Hf x). lra.
Defined.

Definition small_minus (q : small) : small.
  exists (minus (proj1_sig q)). destruct q as [[f Hf] Hq]. cbn [proj1_sig]. eapply Rle_trans; [|exact Hq]. right.
  unfold expected. apply sumR_ext. intros c _. f_equal. apply mean_ext. intros x. simpl. ring.
Defined.

Section Halves.
Variable p : R.
Hypothesis p_range : 0 < p <= 1/2.
Hypothesis p_variance : p * (1 - p) = V / 4.

Lemma halved_steady q : sumR cs (fun c => fst c * variance (snd c) (fn (halved q))) <= p * (1 - p).
Proof.
  rewrite p_variance. destruct q as [[f Hf] Hq]. cbn [halved fn proj1_sig dn] in *.
  apply Rle_trans with (sumR cs (fun c => fst c * ((1/4) * snd c (fun x => (f x)^2)))).
  - apply (weighted_mono cs w ws). intros c _. eapply Rle_trans; [apply (variance_least _ _ (1/2))|].
    rewrite <- mean_scal. apply mean_mono. intros x. right. simpl. field.
  - rewrite (sumR_ext cs _ (fun c => (1/4) * (fst c * snd c (fun x => (f x)^2)))) by (intros; ring).
    rewrite sumR_scal. unfold expected in Hq. lra.
Qed.

Lemma halved_mean q S : length S = length (laws cs) -> cluster_mean cs (halved q) S = 1/2 + small_mean q S / 2.
Proof.
  intros HS. unfold cluster_mean, small_mean. destruct q as [[f Hf] Hq]. cbn [halved fn proj1_sig dn].
  assert (E := weighted_flip cs w ws (fun x => 1/2 - f x / 2) S HS).
  transitivity (weighted cs (fun x => 1 - (1/2 - f x / 2)) S).
  { f_equal. apply FunctionalExtensionality.functional_extensionality. intros x. field. }
  rewrite E. assert (E2 := weighted_linear cs (fun _ => 1) f (1/2) (- (1/2)) S). cbv beta in E2.
  transitivity (1 - weighted cs (fun x => 1/2 * 1 + - (1/2) * f x) S).
  { do 2 f_equal. apply FunctionalExtensionality.functional_extensionality. intros x. field. }
  rewrite E2. assert (E3 := weighted_flip cs w ws (fun _ => 0) S HS).
  assert (E4 := weighted_linear cs (fun _ => 0) (fun _ => 0) 0 0 S).
  assert (Z : weighted cs (fun _ : X => 0) S = 0).
  { replace (fun _ : X => 0) with (fun x : X => 0 * (fun _ : X => 0) x + 0 * (fun _ : X => 0) x) at 1; [lra|].
    apply FunctionalExtensionality.functional_extensionality. intros x. ring. }
  rewrite Z in E3. replace (fun _ : X => 1 - 0) with (fun _ : X => 1) in E3.
  - rewrite E3. lra.
  - apply FunctionalExtensionality.functional_extensionality. intros x. ring.
Qed.

Lemma halved_truth q : cluster_truth cs (halved q) = 1/2 + small_truth q / 2.
Proof.
  unfold cluster_truth, small_truth, expected. destruct q as [[f Hf] Hq]. cbn [halved fn proj1_sig dn].
  rewrite (sumR_ext cs _ (fun c => fst c * (1/2) + (1/2) * (fst c * snd c f))).
  - rewrite sumR_plus, sumR_scal, (weighted_const cs w ws). field.
  - intros c _. rewrite (mean_ext (snd c) _ (fun x => 1/2 + (1/2) * f x)) by (intros; field).
    rewrite (mean_plus (snd c) (fun _ => 1/2)), mean_const, mean_scal. ring.
Qed.

(* exp(-n max{V h(s/V), E_{V/4}(s/2)}). *)
Definition moment_side (s : R) : R := Rmin (if Rle_dec s 0 then 1 else exp (- n * bennett V s)) (variance_side p (s / 2)).

Theorem moment_sides : sides P small_mean small_truth moment_side.
Proof.
  assert (H : forall q s, P (fun S => small_mean q S - small_truth q >= s) <= moment_side s).
  { intros q s. unfold moment_side. apply Rmin_glb.
    - destruct (Rle_dec s 0); [apply P_le_1|apply moment_up; lra].
    - eapply Rle_trans; [|apply (proj1 (variance_sides p p_range (exist _ (halved q) (halved_steady q)) (s / 2)))].
      apply P_length. intros S HS HA. unfold steady_mean, steady_truth. cbn [proj1_sig].
      rewrite halved_truth, (halved_mean q S HS). lra. }
  intros q s. split; [apply H|]. eapply Rle_trans; [|apply (H (small_minus q) s)]. apply Pr_mono. intros S HS.
  unfold small_mean, small_truth in *. destruct q as [[f Hf] Hq]. cbn [small_minus minus proj1_sig dn] in *.
  rewrite weighted_opp, expected_opp. lra.
Qed.

End Halves.
End Moment.

(* On the sample: nothing is known of the second moment, which is seen. *)
Lemma seen_parabola l x : 0 <= l < 1 -> -1 <= x -> l * x - (- ln (1 - l) - l) * x^2 <= ln (1 + l * x).
Proof.
  intros Hl Hx. pose (F := fun y => ln (1 + y * x) - y * x + x^2 * (- ln (1 - y) - y)).
  pose (F' := fun y => y * x^2 * (1 / (1 - y) - 1 / (1 + y * x))).
  destruct (Req_dec l 0) as [->|H0].
  { replace (1 - 0) with 1 by ring. replace (1 + 0 * x) with 1 by ring. rewrite ln_1. right. ring. }
  assert (Hpos : forall y, 0 <= y < 1 -> 0 < 1 + y * x) by (intros; nra).
  destruct (MVT_gen F 0 l F') as (y & Hy & Eq).
  - intros y Hy. rewrite Rmin_left, Rmax_right in Hy by lra. specialize (Hpos y ltac:(lra)). unfold F, F'. auto_derive.
    + lra.
    + field. lra.
  - intros y Hy. rewrite Rmin_left, Rmax_right in Hy by lra. specialize (Hpos y ltac:(lra)).
    apply continuity_pt_filterlim, (ex_derive_continuous F y). unfold F. auto_derive. lra.
  - rewrite Rmin_left, Rmax_right in Hy by lra. assert (Hp := Hpos y ltac:(lra)).
    assert (0 <= F' y * (l - 0)).
    { unfold F'. apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; [generalize (pow2_ge_0 x); nra|].
      assert (1 / (1 + y * x) <= 1 / (1 - y)); [|lra]. unfold Rdiv. rewrite !Rmult_1_l. apply Rinv_le_contravar; nra. }
    assert (F0 : F 0 = 0).
    { unfold F. replace (1 - 0) with 1 by ring. replace (1 + 0 * x) with 1 by ring. rewrite ln_1. ring. }
    rewrite F0 in Eq. unfold F in Eq. lra.
Qed.

Theorem seen_moment (f : X -> R) (V s : R) : (forall x, -1 <= f x) -> 0 < V -> 0 < s ->
  P (fun S => weighted cs f S - expected cs f >= s /\ weighted cs (fun x => (f x)^2) S <= V) <=
    exp (- n * (s - V * ln (1 + s / V))).
Proof.
  intros Hf HV Hs. assert (Hw := weight_pos _ _ ws). assert (Hn : 0 < n) by (apply Rdiv_lt_0_compat; lra).
  set (l := s / (s + V)). assert (Hl : 0 < l < 1).
  { unfold l. split; [apply Rdiv_lt_0_compat; lra|]. apply Rlt_div_l; lra. }
  set (a := - ln (1 - l) - l). assert (Ha : 0 <= a).
  { unfold a. assert (H := exp_ge_1 (- l)). assert (ln (1 - l) <= - l); [|lra].
    rewrite <- (ln_exp (- l)). apply ln_le; lra. }
  set (g := fun x => l * f x - a * (f x)^2).
  eapply Rle_trans; [|eapply Rle_trans; [apply (clusters cs w ws g (fun D => l * D f) 1 (l * (expected cs f + s) - a * V))|]].
  - apply Pr_mono. intros S [H1 H2].
    assert (E : weighted cs g S = l * weighted cs f S - a * weighted cs (fun x => (f x)^2) S).
    { transitivity (l * weighted cs f S + (- a) * weighted cs (fun x => (f x)^2) S); [|ring].
      rewrite <- weighted_linear. f_equal. apply FunctionalExtensionality.functional_extensionality. intros x. unfold g. ring. }
    rewrite E. nra.
  - intros c _. eapply Rle_trans; [|apply exp_ge_1].
    apply Rle_trans with (snd c (fun x => 1 + l * f x)).
    + apply mean_mono. intros x. rewrite Rmult_1_l. unfold g. specialize (Hf x).
      assert (Hp : 0 < 1 + l * f x) by nra. rewrite <- (exp_ln (1 + l * f x)) by auto.
      apply exp_le. apply seen_parabola; lra.
    + rewrite (mean_plus (snd c) (fun _ => 1)), mean_one, mean_scal. lra.
  - lra.
  - apply exp_le. replace (- n * (s - V * ln (1 + s / V))) with (n * (V * ln (1 + s / V) - s)) by ring.
    apply Rmult_le_compat_l; [lra|].
    rewrite (sumR_ext cs _ (fun c => l * (fst c * snd c f))) by (intros; ring). rewrite sumR_scal.
    change (sumR cs (fun c => fst c * snd c f)) with (expected cs f).
    assert (E : ln (1 + s / V) = - ln (1 - l)).
    { rewrite <- ln_Rinv by lra. f_equal. unfold l. field. lra. }
    rewrite E. assert (E2 : l * s + l * V = s) by (unfold l; field; lra). unfold a. nra.
Qed.

End Variance.
