(* docs/theorems/transfer.md, "Joint bound", "One tail without the tangent" (Lemma N). *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Records Binomial Entropy Guesses ConvexOrder Variance Line Normal Posterior
  Rounded
  Steps Tangent Joint.
Import ListNotations.
Open Scope R_scope.

Lemma phi_falls x y : 0 <= x <= y -> phi y <= phi x.
Proof.
  intros H. rewrite (phi_bell x), (phi_bell y). apply Rmult_le_compat_l; [left; apply phi_pos|].
  unfold bell. apply exp_le. nra.
Qed.

Lemma phi_top x : phi x <= phi 0.
Proof. destruct (Rle_dec 0 x); [apply phi_falls; lra|]. rewrite <- phi_even. apply phi_falls. lra. Qed.

Section Noise.
Variable v : noise.
Hypothesis v_noisy : noisy v.
Notation psi := (density_of v).
Notation F := (fun y : R => cdf_of v y).

Lemma psi_falls x y : 0 <= x <= y -> psi y <= psi x.
Proof.
  intros H. destruct v_noisy as (Hn & Hp). destruct v as [|s|s k]; [congruence| |]; cbn [density_of].
  - simpl in Hp. unfold density, Rdiv. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply phi_falls.
    assert (0 < / s) by now apply Rinv_0_lt_compat. split; [|apply Rmult_le_compat_r; lra]. apply Rmult_le_pos; lra.
  - destruct Hp as [Hs Hk]. assert (Hc : 0 < k * s) by now apply Rmult_lt_0_compat.
    apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat, share_pos|]. unfold cut_density, inside.
    assert (Hd : forall z, 0 < density 0 s z) by (intros; now apply density_pos).
    destruct (Rle_dec y (- (k * s))), (Rle_dec (k * s) y), (Rle_dec x (- (k * s))), (Rle_dec (k * s) x); try lra;
      try (left; apply Hd).
    unfold density, Rdiv. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply phi_falls.
    assert (0 < / s) by now apply Rinv_0_lt_compat. split; [|apply Rmult_le_compat_r; lra]. apply Rmult_le_pos; lra.
Qed.

Lemma psi_top y : psi y <= psi 0.
Proof.
  destruct v_noisy as (Hn & Hp). destruct v as [|s|s k]; [congruence| |]; cbn [density_of].
  - simpl in Hp. unfold density, Rdiv. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
    replace ((0 - 0) * / s) with 0 by ring. apply phi_top.
  - destruct Hp as [Hs Hk]. assert (Hc : 0 < k * s) by now apply Rmult_lt_0_compat.
    apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat, share_pos|]. unfold cut_density, inside.
    assert (Hd : forall z, 0 < density 0 s z) by (intros; now apply density_pos).
    destruct (Rle_dec y (- (k * s))), (Rle_dec (k * s) y), (Rle_dec 0 (- (k * s))), (Rle_dec (k * s) 0); try lra;
      try (left; apply Hd).
    unfold density, Rdiv. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
    replace ((0 - 0) * / s) with 0 by ring. apply phi_top.
Qed.

Lemma psi_nonneg y : 0 <= psi y.
Proof. apply density_of_nonneg, v_noisy. Qed.

Lemma F_slope a b m : a <= b -> (forall y, a < y < b -> psi y <= m) -> F b - F a <= m * (b - a).
Proof.
  intros Hab H. destruct (noise_int v v_noisy) as [(ps & Hd) Hc _ _].
  assert (m * a - F a <= m * b - F b); [|lra].
  apply (rises (fun y : R => m * y - F y) ps); auto.
  - intros y. apply (continuous_minus (fun y : R => m * y) F); [|apply Hc].
    apply (ex_derive_continuous (fun y : R => m * y)). auto_derive. auto.
  - intros y Hy Hn. exists (m - psi y). split; [|specialize (H y Hy); lra].
    apply (is_derive_minus (fun y : R => m * y) F); [|now apply Hd]. auto_derive; auto. ring.
Qed.

Lemma F_slope_low a b m : a <= b -> (forall y, a < y < b -> m <= psi y) -> m * (b - a) <= F b - F a.
Proof.
  intros Hab H. destruct (noise_int v v_noisy) as [(ps & Hd) Hc _ _].
  assert (F a - m * a <= F b - m * b); [|lra].
  apply (rises (fun y : R => F y - m * y) ps); auto.
  - intros y. apply (continuous_minus F (fun y : R => m * y)); [apply Hc|].
    apply (ex_derive_continuous (fun y : R => m * y)). auto_derive. auto.
  - intros y Hy Hn. exists (psi y - m). split; [|specialize (H y Hy); lra].
    apply (is_derive_minus F (fun y : R => m * y)); [now apply Hd|]. auto_derive; auto. ring.
Qed.

Lemma Phi_0 : Phi 0 = 1/2.
Proof. simpl. rewrite area_0. unfold Rdiv. ring. Qed.

Lemma F_0 : F 0 = 1/2.
Proof.
  destruct v_noisy as (Hn & Hp). destruct v as [|s|s k]; [congruence| |]; cbn [cdf_of].
  - cbn [rescaled]. replace ((0 - 0) / s) with 0 by (unfold Rdiv; ring). apply Phi_0.
  - destruct Hp as [Hs Hk]. assert (Hz := share_pos k Hk). rewrite cut_at by auto.
    replace (0 / s) with 0 by (unfold Rdiv; ring). rewrite (Rmax_right (- k)), Rmin_right, Phi_0, Phi_opp by lra.
    assert (E1 : share k = 2 * (1/2 + - (1 - Phi k))) by (unfold share; rewrite Phi_opp; field).
    rewrite E1 in *. field. lra.
Qed.

(* u of the page as a function of tau - X: beyond the truth a straight line stands for the tail. *)
Definition straight (t : R) : R := if Rle_dec 0 t then tail v t else 1/2 - t * psi 0.

Lemma tail_F (t : R) : tail v t = 1 - F t.
Proof. destruct v_noisy as (Hn & _). destruct v; [congruence|reflexivity|reflexivity]. Qed.

Lemma straight_support t0 : exists rho, 0 <= rho /\ forall t, straight t0 - rho * (t - t0) <= straight t.
Proof.
  assert (H0 := F_0). unfold straight. destruct (Rle_dec 0 t0) as [Ht0|Ht0].
  - exists (psi t0). split; [apply psi_nonneg|]. intros t. rewrite !tail_F. destruct (Rle_dec 0 t) as [Ht|Ht].
    + destruct (Rle_dec t0 t) as [H|H].
      * assert (F t - F t0 <= psi t0 * (t - t0)); [|cbv beta in *; lra]. apply F_slope; auto. intros y Hy.
        apply psi_falls. lra.
      * assert (psi t0 * (t0 - t) <= F t0 - F t); [|cbv beta in *; lra]. apply F_slope_low; [lra|]. intros y Hy.
        apply psi_falls. lra.
    + assert (psi t0 * (t0 - 0) <= F t0 - F 0) by (apply F_slope_low; [lra|]; intros y Hy; apply psi_falls; lra).
      assert (- t * psi t0 <= - t * psi 0) by (apply Rmult_le_compat_l; [lra|apply psi_top]). cbv beta in *. lra.
  - exists (psi 0). split; [apply psi_nonneg|]. intros t. destruct (Rle_dec 0 t) as [Ht|Ht]; [|lra]. rewrite tail_F.
    assert (F t - F 0 <= psi 0 * (t - 0)) by (apply F_slope; auto; intros; apply psi_top). cbv beta in *. lra.
Qed.

Lemma straight_above t : tail v t <= straight t.
Proof.
  assert (H0 := F_0). unfold straight. destruct (Rle_dec 0 t) as [Ht|Ht]; [lra|]. rewrite tail_F.
  assert (F 0 - F t <= psi 0 * (0 - t)) by (apply F_slope; [lra|intros; apply psi_top]). cbv beta in *. lra.
Qed.

Lemma straight_nonneg t : 0 <= straight t.
Proof. eapply Rle_trans; [|apply straight_above]. apply tail_nonneg, v_noisy. Qed.

Lemma straight_falls t t' : t <= t' -> straight t' <= straight t.
Proof.
  intros H. destruct (straight_support t') as (rho & Hr & Hs). specialize (Hs t).
  assert (0 <= rho * (t' - t)) by (apply Rmult_le_pos; lra). lra.
Qed.

End Noise.

(* Powers of convex functions. *)
Lemma bernoulli b m y : 1 <= b -> 0 < m -> 0 <= y -> power m b + b * power m b / m * (y - m) <= power y b.
Proof.
  intros Hb Hm Hy. unfold power. destruct (Rlt_dec 0 m) as [Hm'|Hm']; [clear Hm'|lra]. assert (Hp := Rpower_pos m b).
  destruct (Rlt_dec 0 y) as [Hy'|Hy'].
  - assert (Hth : 0 <= / b <= 1).
    { split; [left; apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
    assert (H := young (/ b) (Rpower (y / m) b) 1 1 1 Hth (Rpower_pos _ _) ltac:(lra) ltac:(lra) ltac:(lra)).
    rewrite !Rpower_1_l, Rpower_mult in H. replace (b * / b) with 1 in H by (field; lra).
    rewrite Rpower_1 in H by (now apply Rdiv_lt_0_compat).
    assert (E : Rpower y b = Rpower m b * Rpower (y / m) b).
    { rewrite Rpower_mult_distr by (auto; now apply Rdiv_lt_0_compat). f_equal. field. lra. }
    rewrite E. replace (Rpower m b + b * Rpower m b / m * (y - m)) with (Rpower m b * (1 + b * (y / m - 1))) by
      (field; lra).
    apply Rmult_le_compat_l; [lra|]. set (P := Rpower (y / m) b) in *. set (z := y / m) in *.
    assert (z <= / b * P + (1 - / b)) by lra.
    assert (b * z <= b * (/ b * P + (1 - / b))) by (apply Rmult_le_compat_l; lra).
    replace (b * (/ b * P + (1 - / b))) with (P + b - 1) in H1 by (field; lra). lra.
  - replace y with 0 by lra.
    replace (Rpower m b + b * Rpower m b / m * (0 - m)) with (Rpower m b * (1 - b)) by (field; lra). nra.
Qed.

Lemma power_convex b x y t : 1 <= b -> 0 <= x -> 0 <= y -> 0 <= t <= 1 ->
  power (t * x + (1 - t) * y) b <= t * power x b + (1 - t) * power y b.
Proof.
  intros Hb Hx Hy Ht. set (m := t * x + (1 - t) * y).
  assert (Hm : 0 <= m) by (unfold m; apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra).
  assert (Px := power_nonneg x b). assert (Py := power_nonneg y b).
  destruct (Rlt_dec 0 m) as [Hm'|Hm'].
  - assert (H1 := bernoulli b m x Hb Hm' Hx). assert (H2 := bernoulli b m y Hb Hm' Hy).
    set (K := b * power m b / m) in *.
    assert (t * (power m b + K * (x - m)) <= t * power x b) by (apply Rmult_le_compat_l; lra).
    assert ((1 - t) * (power m b + K * (y - m)) <= (1 - t) * power y b) by (apply Rmult_le_compat_l; lra).
    assert (t * (power m b + K * (x - m)) + (1 - t) * (power m b + K * (y - m)) = power m b) by (unfold m; ring). lra.
  - unfold power at 1. destruct (Rlt_dec 0 m); [lra|]. apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
Qed.

Section OneTail.
Context {X : Type}.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Notation E := (prodE Ds).
Notation n := (Tails.n Ds).
Notation pop := (pop Ds).
Notation rows := (length Ds).
Variable v : noise.
Hypothesis v_noisy : noisy v.
Variables tau b : R.
Hypothesis b_1 : 1 <= b.
Notation U := (fun x => power (straight v (tau - x)) b).

Lemma U_rises x y : x <= y -> U x <= U y.
Proof. intros H. apply power_le; [lra|]. apply straight_falls; auto. lra. Qed.

Lemma U_convex : convex U.
Proof.
  intros x y t Ht. eapply Rle_trans; [|apply power_convex; auto; apply straight_nonneg; auto].
  apply power_le; [lra|]. set (m := t * x + (1 - t) * y).
  destruct (straight_support v v_noisy (tau - m)) as (rho & Hr & Hs).
  assert (H1 := Hs (tau - x)). assert (H2 := Hs (tau - y)).
  assert (t * (straight v (tau - m) - rho * (tau - x - (tau - m))) <= t * straight v (tau - x)) by (apply
    Rmult_le_compat_l; lra).
  assert ((1 - t) * (straight v (tau - m) - rho * (tau - y - (tau - m))) <= (1 - t) * straight v (tau - y)) by (apply
    Rmult_le_compat_l; lra).
  assert (t * (straight v (tau - m) - rho * (tau - x - (tau - m))) + (1 - t) * (straight v (tau - m) - rho * (tau - y
    - (tau - m))) =
    straight v (tau - m)) by (unfold m; ring). lra.
Qed.

Lemma E_below_binomial q : E (fun S => power (tail v (tau - over_truth Ds q S)) b) <=
  ones (repeat (pop q) rows) (fun k => U (INR k / n - pop q)).
Proof.
  assert (Hn := n_pos Ds some_rows). set (p := pop q).
  set (w := fun s => U (s / n - p)).
  assert (Hw : convex w).
  { intros x y t Ht. unfold w.
    replace ((t * x + (1 - t) * y) / n - p) with (t * (x / n - p) + (1 - t) * (y / n - p)) by (field; lra).
    now apply U_convex. }
  apply Rle_trans with (E (fun S => w (sumR S (fn q)))).
  - apply mean_mono. intros S. unfold w, over_truth, Tails.emp. fold p. apply power_le; [lra|].
    now apply straight_above.
  - eapply Rle_trans; [now apply values_below_ones|].
    assert (Hlen : length (truths Ds q) = rows) by apply truths_length. rewrite <- Hlen.
    apply (hoeffding_convex (truths Ds q) (fun k => w (INR k)) p).
    + apply truths_means.
    + intros k. rewrite !S_INR. assert (H := Hw (INR k) (INR k + 1 + 1) (1/2) ltac:(lra)).
      replace (1/2 * INR k + (1 - 1/2) * (INR k + 1 + 1)) with (INR k + 1) in H by field. lra.
    + rewrite (truths_total Ds some_rows), Hlen. reflexivity.
Qed.

(* The binomial tail beyond a row. *)
Notation d := (1 / n).
Notation sigma := (1 / (2 * sqrt n)).
Definition at_z (k : nat) (p : R) : R := (INR k / n - p - d) / sigma.

Lemma sigma_pos : 0 < sigma.
Proof. assert (0 < sqrt n) by (apply sqrt_lt_R0, n_pos; auto). apply Rdiv_lt_0_compat; lra. Qed.

Lemma none_of_zero m k : binomial m 0 (S k) = 0.
Proof.
  unfold binomial. revert k. induction m as [|m IH]; intros k; [reflexivity|]. simpl repeat.
  rewrite at_least_S, IH. ring.
Qed.

Lemma binomial_far p k : ZubkovSerov2013 (fun x : R => Phi x) -> 0 <= p <= 1 -> (S k <= rows)%nat ->
  d < INR (S k) / n - p -> binomial rows p (S k) <= PhiBar (at_z (S k) p).
Proof.
  intros HZ Hp Hk Hd. assert (Hn := n_pos Ds some_rows). set (s := INR (S k) / n - p) in *.
  assert (Hs0 : 0 < s) by (assert (0 < d) by (apply Rdiv_lt_0_compat; lra); lra).
  assert (Hk1 : INR (S k) / n <= 1).
  { apply Rmult_le_reg_r with n; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r, Rmult_1_l.
    now apply le_INR. }
  destruct (Rlt_dec s 1) as [Hs1|Hs1].
  - assert (Hns : 1 < n * s).
    { apply Rmult_lt_compat_l with (r := n) in Hd; auto. replace (n * d) with 1 in Hd by (field; lra). exact Hd. }
    eapply Rle_trans; [apply (equal_rows Ds some_rows (fun x : R => Phi x)) with (s := s); auto|].
    + intros x y H. now apply Phi_rises.
    + intros x. apply Phi_range.
    + right. unfold s. field. lra.
    + cbv beta. rewrite Phi_opp. change (PhiBar (sqrt (2 * n * Records.E (s - d))) <= PhiBar (at_z (S k) p)).
      unfold PhiBar. assert (Phi (at_z (S k) p) <= Phi (sqrt (2 * n * Records.E (s - d)))); [|lra]. apply Phi_rises.
      simpl.
      assert (Hsd : 0 < s - d < 1) by (assert (0 < d) by (apply Rdiv_lt_0_compat; lra); lra).
      assert (HE := E_hoeffding (s - d) Hsd). assert (Hsq : 0 < sqrt n) by (now apply sqrt_lt_R0).
      replace (at_z (S k) p) with (sqrt ((2 * sqrt n * (s - d))^2)).
      2:{ rewrite sqrt_pow2 by (apply Rmult_le_pos; lra). unfold at_z. fold s. field. lra. }
      apply sqrt_le_1_alt. replace ((2 * sqrt n * (s - d))^2) with (4 * (sqrt n * sqrt n) * (s - d)^2) by ring.
      rewrite sqrt_sqrt by lra. nra.
  - assert (p = 0) by (unfold s in Hs1; lra). subst p. rewrite none_of_zero. left. apply PhiBar_pos.
Qed.

(* Lemma N. The integral of N is that of any h above its integrand, of the integrand itself or of tangents. *)
Theorem one_tail (h : R -> R) (I : Rbar -> R) : ZubkovSerov2013 (fun x : R => Phi x) ->
  (forall z, 0 <= h z) -> (forall z, 0 < z -> phi z * power (straight v (tau - (1 / n + z / (2 * sqrt n)))) b <= h z) ->
  integral h I -> moment Ds v tau b (power (straight v (tau - 1 / n)) b / 2 + all I).
Proof.
  intros HZ Hh Hhu HI. assert (Hn := n_pos Ds some_rows). assert (Hsig := sigma_pos).
  assert (HU : forall x, 0 <= U x) by (intros; apply power_nonneg).
  assert (Hpart : forall c (lo hi : Rbar), Rbar_le 0 lo -> Rbar_le lo hi ->
    (forall z : R, Rbar_lt lo z -> c <= U (d + sigma * z)) -> c * over Phi lo hi <= over I lo hi).
  { intros c lo hi H0 Hl Hc. replace (c * over Phi lo hi) with (over (fun t => c * Phi t) lo hi) by (unfold over; ring).
    apply (int_le (fun z => c * phi z) _ h I); auto; [apply int_scal, normal|]. intros z Hlo _.
    assert (Hz : Rbar_lt 0 z) by (eapply Rbar_le_lt_trans; eauto). simpl in Hz.
    eapply Rle_trans; [|now apply Hhu]. rewrite (Rmult_comm c). apply Rmult_le_compat_l; [left; apply phi_pos|].
    replace (z / (2 * sqrt n)) with (sigma * z) by (unfold Rdiv; ring). now apply Hc. }
  assert (Hstart : 0 <= over I m_infty 0).
  { apply (int_rises h); auto. exact Logic.I. }
  assert (Hall : over I 0 p_infty <= all I) by (unfold over in *; lra).
  split.
  - set (z1 := Rabs tau / sigma). assert (Hz1 : 0 <= z1).
    { apply Rmult_le_pos; [apply Rabs_pos|left; now apply Rinv_0_lt_compat]. }
    assert (Hs : 0 <= over I 0 z1).
    { apply (int_rises h); auto. }
    assert (Ht : power (1/2) b * over Phi z1 p_infty <= over I z1 p_infty).
    { apply Hpart; simpl; auto. intros z Hz. apply power_le; [lra|].
      assert (tau <= sigma * z).
      { apply Rle_trans with (Rabs tau); [apply Rle_abs|].
        replace (Rabs tau) with (sigma * z1) by (unfold z1; set (u := sigma) in *; field; lra).
        apply Rmult_le_compat_l; lra. }
      assert (0 < d) by (apply Rdiv_lt_0_compat; lra). unfold straight. destruct (Rle_dec 0 _); [lra|].
      assert (H1 := psi_nonneg v v_noisy 0).
      assert (0 <= - (tau - (d + sigma * z)) * density_of v 0) by (apply Rmult_le_pos; lra). lra. }
    assert (0 < power (1/2) b) by (unfold power; destruct (Rlt_dec 0 (1/2)); [apply Rpower_pos|lra]).
    assert (Hb : 0 < PhiBar z1) by apply PhiBar_pos. unfold PhiBar in Hb. unfold over in *.
    change (Phi p_infty) with 1 in *.
    assert (0 < power (1/2) b * (1 - Phi z1)) by (apply Rmult_lt_0_compat; lra). specialize (HU d). cbv beta in *. lra.
  - intros q. eapply Rle_trans; [apply E_below_binomial|]. set (p := pop q).
    assert (Hp : 0 <= p <= 1) by now apply pop_range.
    set (g := fun k => U (INR k / n - p)). rewrite ones_tails, repeat_length.
    assert (Hg : forall k, g k <= g (S k)).
    { intros k. apply U_rises. rewrite S_INR. unfold Rdiv. assert (0 < / n) by now apply Rinv_0_lt_compat. lra. }
    assert (Hgn : forall k, INR k / n - p <= INR (S k) / n - p).
    { intros k. rewrite S_INR. unfold Rdiv. assert (0 < / n) by now apply Rinv_0_lt_compat. lra. }
    assert (Hz : forall k, d < INR k / n - p -> 0 < at_z k p) by (intros; apply Rdiv_lt_0_compat; lra).
    assert (Hzz : forall k, d + sigma * at_z k p = INR k / n - p).
    { intros k. unfold at_z. clear -Hsig. set (u := sigma) in *. set (w := INR k / n). set (e := d). field. lra. }
    assert (Hzn : forall k, at_z k p <= at_z (S k) p).
    { intros k. unfold at_z. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. specialize (Hgn k). lra. }
    assert (Claim : forall m, (m <= rows)%nat ->
      g 0%nat + sumR (seq 0 m) (fun k => (g (S k) - g k) * binomial rows p (S k)) <=
      if Rlt_dec d (INR m / n - p) then U d / 2 + over I 0 (at_z m p) + g m * PhiBar (at_z m p) else g m).
    { induction m as [|m IH]; intros Hm.
      - cbn [seq sumR]. destruct (Rlt_dec d (INR 0 / n - p)) as [H|H]; [|lra]. exfalso. simpl in H.
        assert (0 < d) by (apply Rdiv_lt_0_compat; lra). unfold Rdiv in *. lra.
      - rewrite seq_S, sumR_app. cbn [sumR]. simpl (0 + m)%nat. rewrite Rplus_0_r, <- Rplus_assoc.
        specialize (IH ltac:(lia)). set (s0 := g 0%nat + sumR (seq 0 m) _) in *.
        assert (Hb1 : binomial rows p (S m) <= 1) by (apply at_least_range, means_repeat; auto).
        destruct (Rlt_dec d (INR (S m) / n - p)) as [H|H].
        + assert (HB := binomial_far p m HZ Hp Hm H). assert (Hz1 := Hz _ H).
          assert (Hd1 : (g (S m) - g m) * binomial rows p (S m) <= (g (S m) - g m) * PhiBar (at_z (S m) p)).
          { apply Rmult_le_compat_l; [|auto]. specialize (Hg m). lra. }
          destruct (Rlt_dec d (INR m / n - p)) as [H'|H'].
          * assert (Hz0 := Hz _ H').
            assert (Hstep : g m * over Phi (at_z m p) (at_z (S m) p) <= over I (at_z m p) (at_z (S m) p)).
            { apply Hpart; simpl; [lra|apply Hzn|]. intros z Hz2. apply U_rises. rewrite <- Hzz.
              apply Rplus_le_compat_l. apply Rmult_le_compat_l; lra. }
            unfold over, PhiBar in *. cbv beta in *. lra.
          * assert (Hg1 : g m <= U d) by (apply U_rises; lra).
            assert (Hstep : U d * over Phi 0 (at_z (S m) p) <= over I 0 (at_z (S m) p)).
            { apply Hpart; simpl; try lra. intros z Hz2. apply U_rises.
              assert (0 <= sigma * z) by (apply Rmult_le_pos; lra). lra. }
            assert (HP := Phi_range (at_z (S m) p)). unfold over, PhiBar in *. rewrite Phi_0 in Hstep.
            assert (g m * Phi (at_z (S m) p) <= U d * Phi (at_z (S m) p)) by (apply Rmult_le_compat_r; lra).
            cbv beta in *. lra.
        + destruct (Rlt_dec d (INR m / n - p)) as [H'|H']; [specialize (Hgn m); lra|].
          assert ((g (S m) - g m) * binomial rows p (S m) <= (g (S m) - g m) * 1); [|lra].
          apply Rmult_le_compat_l; [|auto]. specialize (Hg m). lra. }
    eapply Rle_trans; [apply (Claim rows (Nat.le_refl _))|]. destruct (Rlt_dec d (INR rows / n - p)) as [H|H].
    + assert (Hz1 := Hz _ H).
      assert (Hend : g rows * over Phi (at_z rows p) p_infty <= over I (at_z rows p) p_infty).
      { apply Hpart; simpl; [lra|auto|]. intros z Hz2. apply U_rises. rewrite <- Hzz. apply Rplus_le_compat_l.
        apply Rmult_le_compat_l; lra. }
      unfold over, PhiBar in *. change (Phi p_infty) with 1 in *. cbv beta in *. lra.
    + assert (Hg1 : g rows <= U d) by (apply U_rises; lra).
      assert (Hend : U d * over Phi 0 p_infty <= over I 0 p_infty).
      { apply Hpart; simpl; auto; [lra|]. intros z Hz2. apply U_rises.
        assert (0 <= sigma * z) by (apply Rmult_le_pos; lra). lra. }
      unfold over in *. change (Phi p_infty) with 1 in *. rewrite Phi_0 in Hend. cbv beta in *. lra.
Qed.

End OneTail.
