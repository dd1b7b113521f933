(* docs/theorems/transfer.md, "Joint bound", "Evaluation": the logarithm of N's integrand is below its tangents, those
   that touch where u is straight too.

   v        the noise; tail v its upper tail, density_of v 0 its density at 0
   u        straight v: the tail that goes on as a straight line below 0
   c, h     a tangent of ln u: u t <= c exp (- h t)
   b        the power of u in N *)

From Coq Require Import Reals Lra Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Line Normal Rounded Steps Tangent Joint OneTail.
Open Scope R_scope.

Section StraightLine.
Variable v : noise.
Hypothesis v_noisy : noisy v.
Notation psi0 := (density_of v 0).

Lemma psi0_nonneg : 0 <= psi0.
Proof. apply density_of_nonneg, v_noisy. Qed.

(* The tangent at 0. *)
Lemma line_at_0 : line v (1/2) (2 * psi0).
Proof.
  destruct v_noisy as (Hn & Hp). destruct v as [|s|s k]; [congruence| |]; cbn [density_of].
  - assert (HB : PhiBar 0 = 1/2) by (unfold PhiBar; rewrite Phi_0; lra).
    assert (H := plain_line s 0). rewrite HB, Rmult_0_r, exp_0, Rmult_1_r in H.
    replace (2 * density 0 s 0) with (phi 0 / (1/2) / s); auto. unfold density.
    replace ((0 - 0) / s) with 0 by (unfold Rdiv; ring). simpl in Hp. field. lra.
  - destruct Hp as [Hs Hk]. assert (Hz := share_pos k Hk).
    assert (E1 : Phi k - Phi 0 = share k / 2) by (unfold share; rewrite Phi_opp, Phi_0; field).
    assert (H := cut_line s k 0 ltac:(lra)). rewrite E1, Rmult_0_r, exp_0, Rmult_1_r in H.
    replace (share k / 2 / share k) with (1/2) in H by (field; lra).
    replace (2 * (/ share k * cut_density s k 0)) with (phi 0 / (share k / 2) / s); auto.
    unfold cut_density, inside. assert (0 < k * s) by now apply Rmult_lt_0_compat.
    destruct (Rle_dec 0 (- (k * s))); [lra|]. destruct (Rle_dec (k * s) 0); [lra|]. unfold density.
    replace ((0 - 0) / s) with 0 by (unfold Rdiv; ring). field. split; lra.
Qed.

Lemma straight_below_line_at_0 t : straight v t <= 1/2 * exp (- (2 * psi0) * t).
Proof.
  unfold straight. destruct (Rle_dec 0 t) as [Ht|Ht].
  - apply (line_above v _ _ (proj2 v_noisy) line_at_0).
  - generalize (exp_ge_1 (- (2 * psi0) * t)). lra.
Qed.

(* A tangent that touches above 0. *)
Theorem straight_line c h t0 : line v c h -> 0 < t0 -> tail v t0 = c * exp (- h * t0) ->
  forall t, straight v t <= c * exp (- h * t).
Proof.
  intros Hl Ht0 E t. destruct (line_above v c h (proj2 v_noisy) Hl) as (Hc & Hh & Ha).
  destruct (Rle_dec 0 t) as [Ht|Ht].
  { unfold straight. destruct (Rle_dec 0 t); [apply Ha|lra]. }
  assert (H0 : tail v 0 = 1/2) by (rewrite tail_F by auto; generalize (F_0 v v_noisy); cbv beta; lra).
  assert (Hc2 : 1/2 <= c) by (specialize (Ha 0); rewrite H0, Rmult_0_r, exp_0 in Ha; lra).
  destruct (line_above v _ _ (proj2 v_noisy) line_at_0) as (_ & _ & Hb). specialize (Hb t0).
  (* The hazard rises. *)
  assert (Hr : 2 * psi0 <= h).
  { apply Rnot_lt_le. intros Hlt.
    assert (exp (- (2 * psi0) * t0) < exp (- h * t0)) by (apply exp_increasing; nra).
    rewrite E in Hb. assert (He := exp_pos (- h * t0)). nra. }
  eapply Rle_trans; [apply straight_below_line_at_0|]. apply Rmult_le_compat; try lra; [left; apply exp_pos|].
  apply exp_le. nra.
Qed.

(* One that touches below 0, where u is straight. *)
Theorem straight_steep t0 : t0 <= 0 ->
  forall t, straight v t <= straight v t0 * exp (- (psi0 / straight v t0) * (t - t0)).
Proof.
  intros Ht0 t. assert (Hp := psi0_nonneg).
  assert (E0 : straight v t0 = 1/2 - t0 * psi0).
  { unfold straight. destruct (Rle_dec 0 t0); auto. replace t0 with 0 by lra.
    rewrite tail_F by auto. generalize (F_0 v v_noisy). cbv beta. lra. }
  rewrite E0. set (s0 := 1/2 - t0 * psi0). assert (Hs : 1/2 <= s0) by (unfold s0; nra).
  set (k := psi0 / s0). assert (Hk : k * s0 = psi0) by (unfold k; field; lra).
  assert (Hk0 : 0 <= k) by (unfold k; apply Rmult_le_pos; auto; left; apply Rinv_0_lt_compat; lra).
  assert (Hk2 : k <= 2 * psi0) by nra.
  destruct (Rle_dec 0 t) as [Ht|Ht].
  - eapply Rle_trans; [apply straight_below_line_at_0|].
    replace (- k * (t - t0)) with (- k * t + k * t0) by ring. rewrite exp_plus, (Rmult_comm (exp _)), <- Rmult_assoc.
    apply Rmult_le_compat; try lra; [left; apply exp_pos| |apply exp_le; nra].
    generalize (exp_ge_1 (k * t0)). assert (s0 + s0 * (k * t0) = 1/2); [|nra].
    unfold s0 at 1. rewrite <- Rmult_assoc, (Rmult_comm s0 k), Hk. ring.
  - unfold straight. destruct (Rle_dec 0 t); [lra|]. generalize (exp_ge_1 (- k * (t - t0))).
    assert (s0 * (1 + - k * (t - t0)) = 1/2 - t * psi0); [|nra].
    replace (s0 * (1 + - k * (t - t0))) with (s0 - k * s0 * (t - t0)) by ring. rewrite Hk. unfold s0. ring.
Qed.
End StraightLine.

(* The tangent of the integrand's logarithm at z0. *)
Theorem integrand_tangent v b c h (a s z0 : R) : 1 <= b -> 0 < c -> (forall t, straight v t <= c * exp (- h * t)) ->
  forall z, phi z * power (straight v (a - s * z)) b <=
    phi z0 * Rpower c b * exp (- (b * h) * (a - s * z0)) * exp ((b * h * s - z0) * (z - z0)).
Proof.
  intros Hb Hc H z.
  assert (Hphi : phi z <= phi z0 * exp (- z0 * (z - z0))).
  { rewrite (phi_bell z), (phi_bell z0), Rmult_assoc. apply Rmult_le_compat_l; [left; apply phi_pos|].
    unfold bell. rewrite <- exp_plus. apply exp_le. generalize (pow2_ge_0 (z - z0)). lra. }
  assert (Hu : power (straight v (a - s * z)) b <= Rpower c b * exp (- (b * h) * (a - s * z))).
  { eapply Rle_trans; [apply power_le; [lra|apply H]|]. unfold power.
    assert (0 < c * exp (- h * (a - s * z))) by (apply Rmult_lt_0_compat; auto; apply exp_pos).
    destruct (Rlt_dec _ _); [|lra]. rewrite <- Rpower_mult_distr by (auto; apply exp_pos). right. f_equal.
    unfold Rpower at 1. rewrite ln_exp. f_equal. ring. }
  eapply Rle_trans; [apply Rmult_le_compat; [left; apply phi_pos|apply power_nonneg|exact Hphi|exact Hu]|]. right.
  rewrite !Rmult_assoc. f_equal. rewrite !(Rmult_comm (Rpower c b)), <- !Rmult_assoc. f_equal.
  rewrite <- !exp_plus. f_equal. ring.
Qed.
