(* docs/theorems/maxinfo.md, "Renyi transfer: one query", and docs/theorems/transfer.md, "Joint bound", one step of
   noise that is cut: what one answer costs, for every order.

   a, s       the order; the standard deviation of the noise
   r, r'      the class of the likelihood before the answer, and after it
   V, x       a bound on the variance of the mean of a query; V/s^2
   pp, qq     1 + ax and 1 + a^2 x
   mu, y      the mean of a query under the likelihood; an answer
   k, c       where noise is cut, in standard deviations; ks
   g          the side of mu that an answer is on, 1 or -1 *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Entropy Kappa Variance Line Normal Posterior Rounded.
Import ListNotations.
Open Scope R_scope.

Lemma Rpower_pos x y : 0 < Rpower x y.
Proof. apply exp_pos. Qed.

Lemma Rpower_1_l y : Rpower 1 y = 1.
Proof. unfold Rpower. now rewrite ln_1, Rmult_0_r, exp_0. Qed.

Lemma ln_Rpower x y : ln (Rpower x y) = y * ln x.
Proof. apply ln_exp. Qed.

(* Young's inequality: the pointwise form of Hoelder's. *)
Lemma young th x r A Z : 0 <= th <= 1 -> 0 < x -> 0 < r -> 0 < A -> 0 < Z ->
  Rpower x th * Rpower r (1 - th) <= Rpower A th * Rpower Z (1 - th) * (th * (x / A) + (1 - th) * (r / Z)).
Proof.
  intros Ht Hx Hr HA HZ. set (m := th * (x / A) + (1 - th) * (r / Z)).
  assert (HxA : 0 < x / A) by now apply Rdiv_lt_0_compat. assert (HrZ : 0 < r / Z) by now apply Rdiv_lt_0_compat.
  assert (Hm : 0 < m) by (unfold m; destruct (Req_dec th 0) as [->|]; [lra|];
    assert (0 < th * (x / A)) by (apply Rmult_lt_0_compat; lra);
    assert (0 <= (1 - th) * (r / Z)) by (apply Rmult_le_pos; lra); lra).
  rewrite <- (exp_ln m Hm). unfold Rpower. rewrite <- !exp_plus. apply exp_le.
  assert (H1 := ln_chord (x / A / m) ltac:(now apply Rdiv_lt_0_compat)).
  assert (H2 := ln_chord (r / Z / m) ltac:(now apply Rdiv_lt_0_compat)).
  unfold Rdiv in H1, H2.
  rewrite !ln_mult, !ln_Rinv in H1, H2 by (auto using Rinv_0_lt_compat; apply Rmult_lt_0_compat;
    auto using Rinv_0_lt_compat).
  assert (E : th * (x * / A * / m - 1) + (1 - th) * (r * / Z * / m - 1) = 0).
  { transitivity (m / m - 1); [unfold m at 3; unfold Rdiv; ring|field; lra]. }
  assert (th * (ln x + - ln A + - ln m) <= th * (x * / A * / m - 1)) by (apply Rmult_le_compat_l; lra).
  assert ((1 - th) * (ln r + - ln Z + - ln m) <= (1 - th) * (r * / Z * / m - 1)) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

(* Hoelder's inequality against a reference w, on a part of the line. *)
Lemma against_reference a (e W w : R -> R) (GW Gw : Rbar -> R) lo hi A Z : 1 <= a -> 0 < A -> 0 < Z ->
  (forall y, 0 < e y) -> (forall y, 0 < w y) -> (forall y, e y * Rpower (w y) (1 - a) <= W y) ->
  integral W GW -> integral w Gw -> over GW lo hi <= A -> over Gw lo hi <= Z ->
  exists (U : R -> R) (GU : Rbar -> R), (forall y, Rpower (e y) (/ a) <= U y) /\
    integral U GU /\ over GU lo hi <= Rpower A (/ a) * Rpower Z (1 - / a).
Proof.
  intros Ha HA HZ He Hw HW IW Iw OW Ow. assert (Hth : 0 < / a <= 1).
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  set (th := / a) in *. set (K := Rpower A th * Rpower Z (1 - th)).
  assert (HK : 0 < K) by (apply Rmult_lt_0_compat; apply Rpower_pos).
  exists (fun y => K * (th / A * W y + (1 - th) / Z * w y)), (fun t => K * (th / A * GW t + (1 - th) / Z * Gw t)).
  split; [|split].
  - intros y. specialize (He y). specialize (Hw y). specialize (HW y).
    assert (Hx : 0 < e y * Rpower (w y) (1 - a)) by (apply Rmult_lt_0_compat; auto using Rpower_pos).
    apply Rle_trans with (Rpower (e y * Rpower (w y) (1 - a)) th * Rpower (w y) (1 - th)).
    + right. rewrite <- Rpower_mult_distr by (auto using Rpower_pos). rewrite Rpower_mult, Rmult_assoc, <- Rpower_plus.
      replace ((1 - a) * th + (1 - th)) with 0 by (unfold th; field; lra). rewrite Rpower_O by auto. ring.
    + eapply Rle_trans; [apply (young th _ (w y) A Z); auto; lra|]. fold K. apply Rmult_le_compat_l; [lra|].
      assert (0 < / A) by now apply Rinv_0_lt_compat. unfold Rdiv.
      replace ((1 - th) * (w y * / Z)) with ((1 - th) * / Z * w y) by ring. apply Rplus_le_compat_r.
      replace (th * (e y * Rpower (w y) (1 - a) * / A)) with (th * / A * (e y * Rpower (w y) (1 - a))) by ring.
      apply Rmult_le_compat_l; auto. apply Rmult_le_pos; lra.
  - apply int_scal, int_plus; now apply int_scal.
  - unfold over in *. fold K.
    replace (K * (th / A * GW hi + (1 - th) / Z * Gw hi) - K * (th / A * GW lo + (1 - th) / Z * Gw lo)) with
      (K * (th * ((GW hi - GW lo) / A) + (1 - th) * ((Gw hi - Gw lo) / Z))) by (field; lra).
    rewrite <- (Rmult_1_r K) at 2. apply Rmult_le_compat_l; [lra|].
    assert ((GW hi - GW lo) / A <= 1).
    { apply Rmult_le_reg_r with A; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert ((Gw hi - Gw lo) / Z <= 1).
    { apply Rmult_le_reg_r with Z; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (th * ((GW hi - GW lo) / A) <= th * 1) by (apply Rmult_le_compat_l; lra).
    assert ((1 - th) * ((Gw hi - Gw lo) / Z) <= (1 - th) * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* As [step], of any laws of the sample before the answer. *)
Definition step_from {X : Type} (x0 : X) (Ds : list (law X)) (prior : (list X -> R) -> Prop) (a r' : R)
  (psi : R -> R) (C : R) : Prop :=
  forall (lam : list X -> R) (q : query X),
    prior lam -> exists (maj : R -> list X -> R) (U : R -> R) (GU : Rbar -> R),
    (forall y, class x0 Ds r' (fun S => lam S * maj y S)) /\
    (forall y S, length S = length Ds -> psi (y - emp Ds q S) <= Rpower (maj y S) (/ a)) /\
    (forall y, Rpower (prodE Ds (fun S => lam S * maj y S)) (/ a) <= U y) /\
    integral U GU /\ all GU <= C * Rpower (prodE Ds lam) (/ a).

Section Steps.
Context {X : Type}.
Variable x0 : X.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Hypothesis support : forall D, In D Ds -> finite D.
Notation E := (prodE Ds).
Notation n := (Tails.n Ds).
Notation emp := (emp Ds).
Notation rows := (length Ds).
Notation class := (class x0 Ds).

Variables a s r V : R.
Hypothesis a_1 : 1 <= a.
Hypothesis s_pos : 0 < s.
Hypothesis V_pos : 0 < V.
Notation r' := (r + a / s^2 / (4 * n^2)).
Notation x := (V / s^2).
Notation pp := (1 + a * x).
Notation qq := (1 + a^2 * x).

Lemma s2_pos : 0 < s^2.
Proof. now apply pow_lt. Qed.

Lemma x_pos : 0 < x.
Proof. apply Rdiv_lt_0_compat; [exact V_pos|apply s2_pos]. Qed.

Lemma pp_pos : 0 < pp.
Proof. generalize x_pos. intros. assert (0 < a * x) by (apply Rmult_lt_0_compat; lra). lra. Qed.

Lemma qq_pos : 0 < qq.
Proof. generalize x_pos. intros. assert (0 < a^2 * x) by (apply Rmult_lt_0_compat; [apply pow_lt; lra|lra]). lra. Qed.

Lemma th_range : 0 < / a <= 1.
Proof. split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. Qed.

(* The a-th power of a normal density, as a function of the sample. *)
Definition power_of (q : query X) (y : R) (S : list X) : R :=
  Rpower (phi 0 / s) a * exp (- (a / s^2 * (y - emp q S)^2) / 2).

Lemma phi0_s : 0 < phi 0 / s.
Proof. apply Rdiv_lt_0_compat; auto using phi_pos. Qed.

Lemma power_class lam q y : class r lam -> class r' (fun S => lam S * power_of q y S).
Proof.
  intros H. apply (class_ext x0 Ds _ (fun S => Rpower (phi 0 / s) a * (lam S * exp (- (a / s^2 * (y - emp q S)^2) /
    2)))).
  - intros S _. unfold power_of. ring.
  - apply (class_scal x0 Ds some_rows); [apply Rpower_pos|]. apply (class_gauss x0 Ds some_rows); auto.
    apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat, s2_pos.
Qed.

Lemma power_root q y S : Rpower (power_of q y S) (/ a) = density 0 s (y - emp q S).
Proof.
  assert (Ha : / a * a = 1) by (field; lra). unfold power_of.
  rewrite <- Rpower_mult_distr by (apply exp_pos). rewrite Rpower_mult, (Rmult_comm a), Ha, Rpower_1 by apply phi0_s.
  unfold Rpower. rewrite ln_exp. unfold density. rewrite (phi_bell ((y - emp q S - 0) / s)). unfold bell.
  replace (/ a * (- (a / s^2 * (y - emp q S)^2) / 2)) with (- ((y - emp q S - 0) / s)^2 / 2) by (field; lra). field.
  lra.
Qed.

(* The square is completed. *)
Notation spread := (s * sqrt (pp / qq)).
Notation wide := (s * sqrt pp).
Notation cc := (a * (a - 1) / (2 * s^2 * qq)).
Notation Kc := (Rpower pp ((a - 1) / 2) * sqrt (pp / qq)).

Lemma spread_pos : 0 < spread.
Proof. apply Rmult_lt_0_compat; auto. apply sqrt_lt_R0. apply Rdiv_lt_0_compat; [apply pp_pos|apply qq_pos]. Qed.

Lemma wide_pos : 0 < wide.
Proof. apply Rmult_lt_0_compat; auto. apply sqrt_lt_R0, pp_pos. Qed.

Lemma completed q S mu y :
  power_of q y S * Rpower (density mu wide y) (1 - a) =
  Kc * exp (cc * (emp q S - mu)^2) * density (mu + a * pp / qq * (emp q S - mu)) spread y.
Proof.
  assert (Hs2 := s2_pos). assert (Hpp := pp_pos). assert (Hqq := qq_pos). assert (Hsp := spread_pos).
  assert (Hw := wide_pos).
  assert (Hphi := phi_pos 0). assert (Hq : 0 < pp / qq) by now apply Rdiv_lt_0_compat.
  set (F := emp q S). set (m := mu + a * pp / qq * (F - mu)).
  remember wide as w eqn:Dw. remember spread as z eqn:Dz.
  assert (Ew : w^2 = s^2 * pp).
  { rewrite Dw. replace ((s * sqrt pp)^2) with (s^2 * (sqrt pp * sqrt pp)) by ring. rewrite sqrt_sqrt; lra. }
  assert (Es : z^2 = s^2 * (pp / qq)).
  { rewrite Dz. replace ((s * sqrt (pp / qq))^2) with (s^2 * (sqrt (pp / qq) * sqrt (pp / qq))) by ring.
    rewrite sqrt_sqrt; lra. }
  assert (D1 : density mu w y = phi 0 / w * exp (- (y - mu)^2 / (2 * (s^2 * pp)))).
  { unfold density. rewrite (phi_bell ((y - mu) / w)). unfold bell. rewrite <- Ew.
    replace (- ((y - mu) / w)^2 / 2) with (- (y - mu)^2 / (2 * w^2)) by (field; lra). field. lra. }
  assert (D2 : density m z y = phi 0 / z * exp (- (y - m)^2 / (2 * (s^2 * (pp / qq))))).
  { unfold density. rewrite (phi_bell ((y - m) / z)). unfold bell. rewrite <- Es.
    replace (- ((y - m) / z)^2 / 2) with (- (y - m)^2 / (2 * z^2)) by (field; lra). field. lra. }
  rewrite D1, D2. unfold power_of. fold F.
  rewrite <- Rpower_mult_distr by (try apply exp_pos; now apply Rdiv_lt_0_compat).
  assert (P : Rpower (phi 0 / s) a * Rpower (phi 0 / w) (1 - a) = Kc * (phi 0 / z)).
  { assert (Hsq : 0 < sqrt pp) by now apply sqrt_lt_R0.
    replace (Kc * (phi 0 / z)) with (phi 0 / s * Rpower pp ((a - 1) / 2)).
    2:{ assert (0 < sqrt (pp / qq)) by now apply sqrt_lt_R0. rewrite Dz. set (k := sqrt (pp / qq)) in *. field.
    split; lra. }
    replace (phi 0 / w) with (phi 0 / s * / sqrt pp) by (rewrite Dw; set (k := sqrt pp) in *; field; split; lra).
    rewrite <- Rpower_mult_distr by (auto using phi0_s, Rinv_0_lt_compat).
    rewrite <- Rmult_assoc, <- Rpower_plus. replace (a + (1 - a)) with 1 by ring. rewrite Rpower_1 by apply phi0_s.
    f_equal.
    unfold Rpower. f_equal. rewrite ln_Rinv by auto.
    replace (ln (sqrt pp)) with (/ 2 * ln pp); [field|]. rewrite <- Rpower_sqrt by auto. now rewrite ln_Rpower. }
  replace (Rpower (exp (- (y - mu)^2 / (2 * (s^2 * pp)))) (1 - a)) with (exp ((1 - a) * (- (y - mu)^2 / (2 * (s^2 *
    pp)))))
    by (unfold Rpower; now rewrite ln_exp).
  transitivity (Rpower (phi 0 / s) a * Rpower (phi 0 / w) (1 - a) *
    (exp (- (a / s^2 * (y - F)^2) / 2) * exp ((1 - a) * (- (y - mu)^2 / (2 * (s^2 * pp)))))); [ring|].
  rewrite P.
  transitivity (Kc * (phi 0 / z) * (exp (cc * (F - mu)^2) * exp (- (y - m)^2 / (2 * (s^2 * (pp / qq)))))); [|ring].
  f_equal. rewrite <- !exp_plus. f_equal. unfold m. clear -Hpp Hqq s_pos. set (u := x) in *. field.
  repeat split; try lra; intros Hz; assert (Hp2 : a^2 = a * a) by ring; lra.
Qed.

Lemma cV : 1 - 2 * cc * V = pp / qq.
Proof.
  assert (Hqq := qq_pos). replace (2 * cc * V) with (a * (a - 1) * x / qq).
  - clear -Hqq. set (u := x) in *. field. intros Hz. lra.
  - clear -Hqq s_pos. set (q := qq) in *. field. split; lra.
Qed.

(* The laws of the sample before the answer. V is enough for the variances in their class. *)
Variable prior : (list X -> R) -> Prop.
Hypothesis prior_class : forall lam, prior lam -> class r lam.
Hypothesis narrow : forall lam q t, prior lam ->
  E (fun S => lam S * exp (t * (emp q S - centre Ds lam q))) <= exp (V * t^2 / 2) * E lam.
Notation step := (step_from x0 Ds prior).

(* A part of the line. *)
Notation mean_of q mu S := (mu + a * pp / qq * (emp q S - mu)).
Notation weight q mu S := (Kc * exp (cc * (emp q S - mu)^2)).

Lemma region lam q lo hi Z2 A : prior lam -> 0 < Z2 -> 0 < A ->
  let mu := centre Ds lam q in
  over (fun t => Phi (rescaled mu wide t)) lo hi <= Z2 ->
  E (fun S => lam S * weight q mu S * over (fun t => Phi (rescaled (mean_of q mu S) spread t)) lo hi) <= A ->
  exists (U : R -> R) (GU : Rbar -> R), (forall y, Rpower (E (fun S => lam S * power_of q y S)) (/ a) <= U y) /\
    integral U GU /\ over GU lo hi <= Rpower A (/ a) * Rpower Z2 (1 - / a).
Proof.
  intros Hc HZ HA mu H2 H1.
  apply (against_reference a (fun y => E (fun S => lam S * power_of q y S))
    (fun y => E (fun S => lam S * weight q mu S * density (mean_of q mu S) spread y)) (density mu wide)
    (fun t => E (fun S => lam S * weight q mu S * Phi (rescaled (mean_of q mu S) spread t)))
    (fun t => Phi (rescaled mu wide t))); auto.
  - intros y. apply (class_E_pos x0 Ds support r'). now apply power_class, prior_class.
  - intros y. apply density_pos, wide_pos.
  - intros y. right. rewrite <- mean_scal_r. apply mean_ext. intros S. rewrite Rmult_assoc, completed. ring.
  - apply (E_int Ds support (fun S => lam S * weight q mu S)
      (fun S y => density (mean_of q mu S) spread y) (fun S t => Phi (rescaled (mean_of q mu S) spread t))).
    intros S _. apply density_int, spread_pos.
  - apply density_int, wide_pos.
  - eapply Rle_trans; [|exact H1]. right. unfold over.
    rewrite (mean_ext E (fun S => lam S * weight q mu S * (Phi (rescaled (mean_of q mu S) spread hi) -
        Phi (rescaled (mean_of q mu S) spread lo)))
      (fun S => lam S * weight q mu S * Phi (rescaled (mean_of q mu S) spread hi) +
        (-1) * (lam S * weight q mu S * Phi (rescaled (mean_of q mu S) spread lo)))) by (intros; ring).
    rewrite mean_plus, mean_scal. ring.
Qed.

Lemma weights lam q : prior lam ->
  E (fun S => lam S * weight q (centre Ds lam q) S) <= Rpower pp ((a - 1) / 2) * E lam.
Proof.
  intros Hc. assert (Hq : 0 < sqrt (pp / qq)).
  { apply sqrt_lt_R0. apply Rdiv_lt_0_compat; [apply pp_pos|apply qq_pos]. }
  assert (Hcc : 0 <= cc).
  { apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. left. apply Rinv_0_lt_compat.
    generalize qq_pos s2_pos. intros. repeat apply Rmult_lt_0_compat; lra. }
  assert (Hpq : 0 < pp / qq) by (apply Rdiv_lt_0_compat; [apply pp_pos|apply qq_pos]).
  assert (H := square_of Ds support lam q V cc (fun t => narrow lam q t Hc) Hcc). rewrite cV in H.
  specialize (H ltac:(generalize cV; lra)).
  apply Rle_trans with (Kc * E (fun S => lam S * exp (cc * (emp q S - centre Ds lam q)^2))).
  { rewrite <- mean_scal. right. apply mean_ext. intros; ring. }
  apply Rle_trans with (Kc * (/ sqrt (pp / qq) * E lam)).
  - apply Rmult_le_compat_l; auto. apply Rmult_le_pos; [left; apply Rpower_pos|lra].
  - right. field. lra.
Qed.

(* "One query": noise that is not cut. *)
Theorem normal_step_from : step a r' (density 0 s) (Rpower pp ((a - 1) / (2 * a))).
Proof.
  intros lam q Hc. assert (HE := class_E_pos x0 Ds support r lam (prior_class lam Hc)).
  destruct (region lam q m_infty p_infty 1 (Rpower pp ((a - 1) / 2) * E lam) Hc ltac:(lra)) as (U & GU & HU & IU & TU).
  - apply Rmult_lt_0_compat; auto using Rpower_pos.
  - unfold over. cbn [rescaled Phi]. lra.
  - eapply Rle_trans; [|apply (weights lam q Hc)]. right. apply mean_ext. intros S. unfold over. cbn [rescaled Phi].
    ring.
  - exists (power_of q), U, GU. split; [intros; now apply power_class, prior_class|]. split; [|split; [exact HU|split; [exact IU|]]].
    + intros y S HS. right. symmetry. apply power_root.
    + eapply Rle_trans; [exact TU|]. right.
      rewrite Rpower_1_l, Rmult_1_r, <- Rpower_mult_distr by (auto using Rpower_pos).
      rewrite Rpower_mult. f_equal. f_equal. field. lra.
Qed.

(* Noise that is cut at k standard deviations, before it is scaled to a law. *)
Section Cut.
Variable k : R.
Hypothesis k_pos : 0 < k.
Notation c := (k * s).
Notation y1 := (c * pp).
Definition cut_density (w : R) : R := inside (- c) c w (density 0 s w) 0.
Definition inner : R := Phi (k * sqrt pp) - Phi (- (k * sqrt pp)).
Definition inner2 : R := Phi (k * sqrt (pp * qq)) - Phi (- (k * sqrt (pp * qq))).
Definition outer : R := 2 * phi k * (sqrt (a * x) / phi 0) * PhiBar (k * sqrt (a * x)).
Definition cut_factor : R :=
  Rpower (Rpower inner (a - 1) * inner2) (/ a) + outer * Rpower pp (- ((a - 1) / (2 * a))).

Lemma c_pos : 0 < c.
Proof. now apply Rmult_lt_0_compat. Qed.

Lemma between u : 0 < u -> 0 < Phi u - Phi (- u).
Proof. intros H. generalize (Phi_increasing (- u) u ltac:(lra)). lra. Qed.

Lemma inner_pos : 0 < inner.
Proof. apply between. apply Rmult_lt_0_compat; auto. apply sqrt_lt_R0, pp_pos. Qed.

Lemma inner2_pos : 0 < inner2.
Proof.
  apply between. apply Rmult_lt_0_compat; auto. apply sqrt_lt_R0, Rmult_lt_0_compat; [apply pp_pos|apply qq_pos].
Qed.

(* Beyond y1 from the mean, on the side g = 1 or -1. *)
Notation over_ g mu y := (g * (y - mu) - c).
Definition tail_power (q : query X) (g mu y : R) (S : list X) : R :=
  Rpower (phi k / s) a * exp (over_ g mu y / V * (g * (emp q S - mu) - over_ g mu y)).

Lemma phik_s : 0 < phi k / s.
Proof. apply Rdiv_lt_0_compat; auto using phi_pos. Qed.

Lemma class_wider r1 r2 lam : r1 <= r2 -> class r1 lam -> class r2 lam.
Proof.
  intros Hr (d & v & h & Hv & H). exists d, v, h. split; auto. intros i u w. eapply Rle_trans; [apply Hv|]. lra.
Qed.

Lemma tail_class lam q g mu y : class r lam -> class r' (fun S => lam S * tail_power q g mu y S).
Proof.
  intros H. apply (class_wider r).
  - assert (0 <= a / s^2 / (4 * n^2)); [|lra]. assert (Hn := n_pos Ds some_rows).
    assert (Hn2 : 0 < 4 * n^2) by (generalize (pow_lt n 2 Hn); lra). generalize s2_pos. intros.
    repeat apply Rmult_le_pos; try lra; left; now apply Rinv_0_lt_compat.
  - set (t := over_ g mu y / V).
    apply (class_ext x0 Ds _ (fun S => Rpower (phi k / s) a * (lam S * exp (t * g * emp q S + (- (t * g * mu) - t *
      over_ g mu y))))).
    + intros S _. unfold tail_power. fold t.
      replace (t * (g * (emp q S - mu) - over_ g mu y)) with (t * g * emp q S + (- (t * g * mu) - t * over_ g mu y))
        by ring. ring.
    + apply (class_scal x0 Ds some_rows); [apply Rpower_pos|]. now apply class_tilt.
Qed.

Lemma tail_bound q g mu y S : g * g = 1 -> y1 <= g * (y - mu) ->
  cut_density (y - emp q S) <= Rpower (tail_power q g mu y S) (/ a).
Proof.
  intros Hg Hy. assert (Hc := c_pos). assert (Hth := th_range). assert (HV := V_pos). assert (Hx := x_pos).
  assert (Hr : Rpower (tail_power q g mu y S) (/ a) =
    phi k / s * exp (/ a * (over_ g mu y / V * (g * (emp q S - mu) - over_ g mu y)))).
  { unfold tail_power. rewrite <- Rpower_mult_distr by (apply exp_pos). rewrite Rpower_mult.
    replace (a * / a) with 1 by (field; lra). rewrite Rpower_1 by apply phik_s. unfold Rpower. now rewrite ln_exp. }
  rewrite Hr. set (F := emp q S). unfold cut_density, inside.
  assert (H0 : 0 <= phi k / s * exp (/ a * (over_ g mu y / V * (g * (F - mu) - over_ g mu y)))).
  { apply Rmult_le_pos; [left; apply phik_s|left; apply exp_pos]. }
  destruct (Rle_dec (y - F) (- c)) as [H1|H1]; auto. destruct (Rle_dec c (y - F)) as [H2|H2]; auto.
  clear H0. set (u := over_ g mu y). set (d := g * (F - mu) - u).
  assert (Hd : 0 <= d).
  { unfold d, u. assert (g = 1 \/ g = -1) by (assert ((g - 1) * (g + 1) = 0) by lra; apply Rmult_integral in H; lra).
    destruct H as [-> | ->]; lra. }
  assert (Hu : a * c * x <= u) by (unfold u; lra).
  unfold density. rewrite (phi_bell ((y - F - 0) / s)), (phi_bell k). unfold bell.
  replace (phi 0 * exp (- k^2 / 2) / s * exp (/ a * (u / V * d))) with
    (phi 0 / s * (exp (- k^2 / 2) * exp (/ a * (u / V * d)))) by (field; lra).
  replace (phi 0 * exp (- ((y - F - 0) / s)^2 / 2) / s) with (phi 0 / s * exp (- ((y - F - 0) / s)^2 / 2)) by (field;
    lra).
  apply Rmult_le_compat_l; [left; apply phi0_s|]. rewrite <- exp_plus. apply exp_le.
  assert (Es : ((y - F - 0) / s)^2 = (c - d)^2 / s^2).
  { unfold d, u. replace ((y - F - 0) / s) with ((y - F) / s) by (field; lra).
    replace (c - (g * (F - mu) - (g * (y - mu) - c))) with (g * (y - F)) by ring.
    replace ((g * (y - F))^2 / s^2) with (g * g * ((y - F) / s)^2) by (field; lra). rewrite Hg. ring. }
  rewrite Es. assert (Hs2 := s2_pos).
  assert (c * d / s^2 <= / a * (u / V * d)).
  { replace (c * d / s^2) with (/ a * (a * c * x / V * d)).
    - apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; auto. apply Rmult_le_compat_r; auto.
      left. now apply Rinv_0_lt_compat.
    - field. repeat split; lra. }
  assert ((c - d)^2 / s^2 = k^2 - 2 * (c * d / s^2) + d^2 / s^2) by (field; lra).
  assert (0 <= d^2 / s^2) by (apply Rmult_le_pos; [apply pow2_ge_0|left; now apply Rinv_0_lt_compat]). lra.
Qed.

(* The mean of that is the a-th power of a normal density around mu + g c. *)
Notation sv := (sqrt (a * V)).
Definition tail_root (g mu y : R) : R := phi k / s * (sv / phi 0) * density (mu + g * c) sv y.

Lemma sv_pos : 0 < sv.
Proof. apply sqrt_lt_R0. apply Rmult_lt_0_compat; [lra|exact V_pos]. Qed.

Lemma tail_mean lam q g y : prior lam -> g * g = 1 -> let mu := centre Ds lam q in
  Rpower (E (fun S => lam S * tail_power q g mu y S)) (/ a) <= tail_root g mu y * Rpower (E lam) (/ a).
Proof.
  intros Hc Hg mu. assert (HV := V_pos). assert (HE := class_E_pos x0 Ds support r lam (prior_class lam Hc)). assert (Hth := th_range).
  set (u := over_ g mu y). set (t := u / V).
  assert (Hm : E (fun S => lam S * tail_power q g mu y S) <= Rpower (phi k / s) a * exp (- u^2 / (2 * V)) * E lam).
  { rewrite (mean_ext E _ (fun S => Rpower (phi k / s) a * exp (- t * u) * (lam S * exp (t * g * (emp q S - mu))))).
    2:{ intros S. unfold tail_power. fold u. fold t.
        replace (t * (g * (emp q S - mu) - u)) with (- t * u + t * g * (emp q S - mu)) by ring. rewrite exp_plus.
        ring. }
    rewrite mean_scal.
    assert (H := narrow lam q (t * g) Hc). fold mu in H.
    apply Rle_trans with (Rpower (phi k / s) a * exp (- t * u) * (exp (V * (t * g)^2 / 2) * E lam)).
    - apply Rmult_le_compat_l; auto. apply Rmult_le_pos; [left; apply Rpower_pos|left; apply exp_pos].
    - right. replace (exp (- u^2 / (2 * V))) with (exp (- t * u) * exp (V * (t * g)^2 / 2)); [ring|].
      rewrite <- exp_plus. f_equal. replace ((t * g)^2) with (g * g * t^2) by ring. rewrite Hg. unfold t. field. lra. }
  apply Rle_trans with (Rpower (Rpower (phi k / s) a * exp (- u^2 / (2 * V)) * E lam) (/ a)).
  - apply Rle_Rpower_l; [lra|]. split; auto. apply (class_E_pos x0 Ds support r'). now apply tail_class, prior_class.
  - right. rewrite <- !Rpower_mult_distr by (auto using Rpower_pos, exp_pos, Rmult_lt_0_compat). f_equal.
    rewrite Rpower_mult. replace (a * / a) with 1 by (field; lra). rewrite Rpower_1 by apply phik_s.
    unfold tail_root, density. rewrite (phi_bell ((y - (mu + g * c)) / sv)). assert (Hsv := sv_pos).
    assert (Hp := phi_pos 0).
    unfold Rpower. rewrite ln_exp. unfold bell. 
    replace (- ((y - (mu + g * c)) / sv)^2 / 2) with (/ a * (- u^2 / (2 * V))); [field; repeat split; lra|].
    replace (((y - (mu + g * c)) / sv)^2) with ((y - (mu + g * c))^2 / (sv * sv)) by (field; lra).
    rewrite sqrt_sqrt by (apply Rmult_le_pos; lra). unfold u.
    replace ((g * (y - mu) - c)^2) with ((y - (mu + g * c))^2); [field; lra|].
    replace ((g * (y - mu) - c)^2) with (g * g * (y - mu)^2 - 2 * c * (g * (y - mu)) + c^2) by ring. rewrite Hg.
    replace ((y - (mu + g * c))^2) with ((y - mu)^2 - 2 * c * (g * (y - mu)) + g * g * c^2) by ring. rewrite Hg. ring.
Qed.

Lemma sv_k : c * (a * x) / sv = k * sqrt (a * x).
Proof.
  assert (Hx := x_pos). assert (Hax : 0 < a * x) by (apply Rmult_lt_0_compat; lra). assert (HV := V_pos).
  replace (a * V) with (a * x * s^2) by (field; lra). rewrite sqrt_mult by (try apply pow2_ge_0; lra).
  rewrite sqrt_pow2 by lra. assert (0 < sqrt (a * x)) by now apply sqrt_lt_R0.
  replace (c * (a * x)) with (c * (sqrt (a * x) * sqrt (a * x))) by (rewrite sqrt_sqrt; lra). field. split; lra.
Qed.

Theorem cut_step_from : step a r' cut_density (Rpower pp ((a - 1) / (2 * a)) * cut_factor).
Proof.
  intros lam q Hc. assert (HE := class_E_pos x0 Ds support r lam (prior_class lam Hc)). set (mu := centre Ds lam q).
  assert (Hcp := c_pos). assert (Hpp := pp_pos). assert (Hqq := qq_pos).
  assert (Hy1 : 0 < y1) by now apply Rmult_lt_0_compat.
  assert (Hin := inner_pos). assert (Hin2 := inner2_pos). assert (Hsv := sv_pos). assert (Hx := x_pos).
  assert (Hw := wide_pos). assert (Hsp := spread_pos). assert (Hsqp : 0 < sqrt pp) by now apply sqrt_lt_R0.
  assert (Uw : y1 / wide = k * sqrt pp).
  { replace (c * pp) with (c * (sqrt pp * sqrt pp)) by (rewrite sqrt_sqrt; lra). set (z := sqrt pp) in *. field.
    split; lra. }
  assert (Us : y1 / spread = k * sqrt (pp * qq)).
  { assert (Hz : 0 < sqrt (pp / qq)) by (apply sqrt_lt_R0; now apply Rdiv_lt_0_compat).
    assert (Ez : sqrt (pp / qq) * sqrt (pp * qq) = pp).
    { rewrite <- sqrt_mult by (try (left; now apply Rdiv_lt_0_compat); left; now apply Rmult_lt_0_compat).
      replace (pp / qq * (pp * qq)) with (pp^2); [apply sqrt_pow2; lra|]. set (w := qq) in *. set (p := pp) in *.
      field. lra. }
    replace (c * pp) with (c * (sqrt (pp / qq) * sqrt (pp * qq))) by (rewrite Ez; ring).
    set (z := sqrt (pp / qq)) in *. field. split; lra. }
  destruct (region lam q (mu - y1) (mu + y1) inner (Rpower pp ((a - 1) / 2) * E lam * inner2) Hc Hin)
    as (U & GU & HU & IU & TU); fold mu.
  - repeat apply Rmult_lt_0_compat; auto using Rpower_pos.
  - unfold over, inner. cbn [rescaled]. rewrite <- Uw. right.
    replace ((mu + y1 - mu) / wide) with (y1 / wide) by (field; split; lra).
    replace ((mu - y1 - mu) / wide) with (- (y1 / wide)) by (field; split; lra). reflexivity.
  - apply Rle_trans with (E (fun S => lam S * weight q mu S * inner2)).
    + apply (E_le Ds support). intros S HS. apply Rmult_le_compat_l.
      * apply Rmult_le_pos; [left; now apply (class_pos x0 Ds r _ _ (prior_class lam Hc))|].
        apply Rmult_le_pos; [apply Rmult_le_pos; [left; apply Rpower_pos|apply sqrt_pos]|left; apply exp_pos].
      * unfold over, inner2. cbn [rescaled]. rewrite <- Us. set (d := a * pp / qq * (emp q S - mu)).
        replace ((mu + y1 - (mu + d)) / spread) with (y1 / spread - d / spread) by (unfold Rdiv; ring).
        replace ((mu - y1 - (mu + d)) / spread) with (- (y1 / spread) - d / spread) by (unfold Rdiv; ring).
        apply interval_falls. left. now apply Rdiv_lt_0_compat.
    + rewrite mean_scal_r. apply Rmult_le_compat_r; [lra|]. now apply weights.
  - set (e := Rpower (E lam) (/ a)).
    exists (fun y S => if Rlt_dec (mu + y1) y then tail_power q 1 mu y S else
      if Rlt_dec y (mu - y1) then tail_power q (-1) mu y S else power_of q y S).
    exists (fun y => if Rlt_dec (mu + y1) y then tail_root 1 mu y * e else
      if Rlt_dec y (mu - y1) then tail_root (-1) mu y * e else U y).
    set (Kt := phi k / s * (sv / phi 0) * e).
    exists (fun t => GU (clamp (mu - y1) (mu + y1) t) +
      (Kt * Phi (rescaled (mu + 1 * c) sv (beyond (mu + y1) t)) + Kt * Phi (rescaled (mu + -1 * c) sv (before (mu -
        y1) t)))).
    split; [|split; [|split; [|split]]].
    + intros y. destruct (Rlt_dec (mu + y1) y); [now apply tail_class, prior_class|].
      destruct (Rlt_dec y (mu - y1)); [now apply tail_class, prior_class|].
      now apply power_class, prior_class.
    + intros y S HS. destruct (Rlt_dec (mu + y1) y); [apply tail_bound; lra|].
      destruct (Rlt_dec y (mu - y1)); [apply tail_bound; lra|]. rewrite power_root. unfold cut_density, inside.
      assert (Hp := density_pos 0 s (y - emp q S) s_pos). destruct (Rle_dec _ _); [lra|]. destruct (Rle_dec _ _); lra.
    + intros y. destruct (Rlt_dec (mu + y1) y); [apply tail_mean; auto; ring|].
      destruct (Rlt_dec y (mu - y1)); [apply tail_mean; auto; ring|]. apply HU.
    + apply (int_but [mu - y1; mu + y1] (fun y => inside (mu - y1) (mu + y1) y (U y) 0 +
        ((if Rle_dec y (mu + y1) then 0 else Kt * density (mu + 1 * c) sv y) +
         (if Rle_dec (mu - y1) y then 0 else Kt * density (mu + -1 * c) sv y)))).
      * intros y Hy. assert (y <> mu - y1) by (intros ->; apply Hy; simpl; auto).
        assert (y <> mu + y1) by (intros ->; apply Hy; simpl; auto). unfold inside, tail_root. fold Kt.
        destruct (Rle_dec y (mu - y1)), (Rle_dec (mu + y1) y), (Rle_dec y (mu + y1)), (Rle_dec (mu - y1) y),
          (Rlt_dec (mu + y1) y), (Rlt_dec y (mu - y1)); try lra; unfold Kt; ring.
      * apply int_plus; [now apply int_inside|]. apply int_plus.
        -- apply (int_beyond (mu + y1) (fun y => Kt * density (mu + 1 * c) sv y)
             (fun t => Kt * Phi (rescaled (mu + 1 * c) sv t))). now apply int_scal, density_int.
        -- apply (int_before (mu - y1) (fun y => Kt * density (mu + -1 * c) sv y)
             (fun t => Kt * Phi (rescaled (mu + -1 * c) sv t))). now apply int_scal, density_int.
    + unfold over, clamp. cbn [beyond before rescaled]. rewrite Rmin_right by lra.
      change (Phi p_infty) with 1. change (Phi m_infty) with 0.
      apply Rle_trans with (over GU (mu - y1) (mu + y1) +
        Kt * (1 - Phi ((mu + y1 - (mu + 1 * c)) / sv) + Phi ((mu - y1 - (mu + -1 * c)) / sv))); [right; unfold over;
          ring|].
      replace ((mu - y1 - (mu + -1 * c)) / sv) with (- (c * (a * x) / sv)) by (field; split; lra).
      replace ((mu + y1 - (mu + 1 * c)) / sv) with (c * (a * x) / sv) by (field; split; lra).
      rewrite sv_k, Phi_opp. change (1 - Phi (k * sqrt (a * x))) with (PhiBar (k * sqrt (a * x))).
      assert (EK : Kt * (PhiBar (k * sqrt (a * x)) + PhiBar (k * sqrt (a * x))) = outer * e).
      { unfold Kt, outer. replace (a * V) with (a * x * s^2) by (field; lra).
        rewrite sqrt_mult by (try apply pow2_ge_0; apply Rmult_le_pos; lra). rewrite sqrt_pow2 by lra.
        generalize (phi_pos 0). intros. field. split; lra. }
      rewrite EK. unfold cut_factor.
      assert (ER : Rpower pp ((a - 1) / (2 * a)) * Rpower pp (- ((a - 1) / (2 * a))) = 1).
      { rewrite <- Rpower_plus, Rplus_opp_r. now apply Rpower_O. }
      replace (Rpower pp ((a - 1) / (2 * a)) * (Rpower (Rpower inner (a - 1) * inner2) (/ a) +
        outer * Rpower pp (- ((a - 1) / (2 * a)))) * e) with
        (Rpower pp ((a - 1) / (2 * a)) * Rpower (Rpower inner (a - 1) * inner2) (/ a) * e +
         Rpower pp ((a - 1) / (2 * a)) * Rpower pp (- ((a - 1) / (2 * a))) * (outer * e)) by ring.
      rewrite ER, Rmult_1_l. apply Rplus_le_compat_r. eapply Rle_trans; [exact TU|]. right. unfold e.
      rewrite <- !Rpower_mult_distr by (auto using Rpower_pos, Rmult_lt_0_compat). rewrite !Rpower_mult.
      replace ((a - 1) * / a) with (1 - / a) by (field; lra).
      replace ((a - 1) / 2 * / a) with ((a - 1) / (2 * a)) by (field; lra).
      ring.
Qed.

End Cut.
End Steps.

Section Class.
Context {X : Type}.
Variable x0 : X.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Hypothesis support : forall D, In D Ds -> finite D.
Variables a s r V : R.
Hypothesis a_1 : 1 <= a.
Hypothesis s_pos : 0 < s.
Hypothesis V_pos : 0 < V.
Hypothesis kap_pos : 0 < kap (length Ds) r.
Hypothesis V_enough : 1 / (4 * Tails.n Ds * kap (length Ds) r) <= V.
Notation r' := (r + a / s^2 / (4 * (Tails.n Ds)^2)).

Lemma class_narrow lam q t : class x0 Ds r lam ->
  prodE Ds (fun S => lam S * exp (t * (emp Ds q S - centre Ds lam q))) <= exp (V * t^2 / 2) * prodE Ds lam.
Proof. intros H. now apply (sub_gaussian x0 Ds some_rows support r). Qed.

Theorem normal_step : step x0 Ds a r r' (density 0 s) (Rpower (1 + a * (V / s^2)) ((a - 1) / (2 * a))).
Proof. exact (normal_step_from x0 Ds some_rows support a s r V a_1 s_pos V_pos _ (fun _ H => H) class_narrow). Qed.

Theorem cut_step k : 0 < k ->
  step x0 Ds a r r' (cut_density s k) (Rpower (1 + a * (V / s^2)) ((a - 1) / (2 * a)) * cut_factor a s V k).
Proof. exact (cut_step_from x0 Ds some_rows support a s r V a_1 s_pos V_pos _ (fun _ H => H) class_narrow k). Qed.
End Class.

(* A smaller density, and multiples. *)
Lemma step_less {X} (x0 : X) Ds prior a r' f g C :
  step_from x0 Ds prior a r' g C -> (forall w, f w <= g w) -> step_from x0 Ds prior a r' f C.
Proof.
  intros H Hf lam q Hc. destruct (H lam q Hc) as (m & U & G & H1 & H2 & H3). exists m, U, G. split; auto. split; auto.
  intros y S HS. eapply Rle_trans; [apply Hf|auto].
Qed.

Lemma step_scal {X} x0 Ds (prior : (list X -> R) -> Prop) a r r' z f C : Ds <> nil -> (forall D, In D Ds -> finite D) ->
  (forall lam, prior lam -> class x0 Ds r lam) -> 0 < a -> 0 < z ->
  step_from x0 Ds prior a r' f C -> step_from x0 Ds prior a r' (fun w => z * f w) (z * C).
Proof.
  intros Hd Hf Hb Ha Hz H lam q Hc. destruct (H lam q Hc) as (m & U & G & H1 & H2 & H3 & H4 & H5).
  assert (Hp : 0 < Rpower z a) by apply Rpower_pos.
  assert (Hr : Rpower (Rpower z a) (/ a) = z).
  { rewrite Rpower_mult. replace (a * / a) with 1 by (field; lra). now apply Rpower_1. }
  exists (fun y S => Rpower z a * m y S), (fun y => z * U y), (fun t => z * G t). split; [|split; [|split; [|split]]].
  - intros y. apply (class_ext x0 Ds _ (fun S => Rpower z a * (lam S * m y S))); [intros; ring|].
    now apply (class_scal x0 Ds Hd).
  - intros y S HS. assert (Hm : 0 < m y S).
    { assert (H6 := class_pos x0 Ds r' _ S (H1 y) HS). cbv beta in H6.
      assert (H7 := class_pos x0 Ds r lam S (Hb lam Hc) HS). apply Rmult_lt_reg_l with (lam S); auto. now rewrite Rmult_0_r. }
    rewrite <- Rpower_mult_distr, Hr by auto. apply Rmult_le_compat_l; [lra|auto].
  - intros y. rewrite (mean_ext _ _ (fun S => Rpower z a * (lam S * m y S))) by (intros; ring).
    rewrite mean_scal, <- Rpower_mult_distr, Hr; auto.
    + apply Rmult_le_compat_l; [lra|auto].
    + now apply (class_E_pos x0 Ds Hf r').
  - now apply int_scal.
  - unfold over in *. rewrite <- Rmult_minus_distr_l, Rmult_assoc. apply Rmult_le_compat_l; [lra|auto].
Qed.
