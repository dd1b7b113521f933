(* docs/theorems/transfer.md, "Joint bound", noise and its tails: the three kinds of noise, and tangents of the
   logarithms of their tails. *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Line Normal Rounded Steps.
Import ListNotations.
Open Scope R_scope.

(* The mass beyond w, up to K, against the density at w. *)
Lemma mills (K : Rbar) (w : R) : Rbar_le w K -> w * (Phi K - Phi w) <= phi w.
Proof.
  intros HK. destruct (Rle_dec w 0) as [Hw|Hw].
  { assert (H := Phi_rises w K HK). generalize (phi_pos w). nra. }
  assert (Hz : forall z, w <= z -> w * (Phi z - Phi w) <= phi w).
  { intros z Hz. assert (H : - w * Phi w + - phi w <= - w * Phi z + - phi z); [|generalize (phi_pos z); lra].
    assert (Dphi : forall y, is_derive phi y (- y * phi y)).
    { intros y. apply (is_derive_ext (fun y => phi 0 * bell y)); [intros; symmetry; apply phi_bell|].
      rewrite (phi_bell y). replace (- y * (phi 0 * bell y)) with (phi 0 * (- y * bell y)) by ring.
      apply is_derive_scal.
      unfold bell. auto_derive; auto. replace (- (y * (y * 1)) * / 2) with (- y^2 / 2) by field. field. }
    assert (D : forall y, is_derive (fun y : R => - w * Phi y + - phi y) y (- w * phi y + - (- y * phi y))).
    { intros y. apply (is_derive_plus (fun y : R => - w * Phi y) (fun y : R => - phi y)).
      - apply is_derive_scal, Phi_derive.
      - apply (is_derive_opp phi y), Dphi. }
    apply (rises (fun y : R => - w * Phi y + - phi y) nil); auto.
    - intros y. apply (ex_derive_continuous (fun y : R => - w * Phi y + - phi y)). eexists. apply D.
    - intros y Hy _. eexists. split; [apply D|]. generalize (phi_pos y). nra. }
  destruct K as [z| |]; [now apply Hz| |destruct HK].
  assert (H : Rbar_le (w * (Phi p_infty - Phi w)) (phi w)); [|exact H].
  apply (is_lim_le_loc (fun z : R => w * (Phi z - Phi w)) (fun _ => phi w) p_infty).
  - exists w. intros z Hwz. apply Hz. lra.
  - replace (Finite (w * (Phi p_infty - Phi w))) with (Rbar_mult w (Finite (Phi p_infty + - Phi w))) by (simpl;
      f_equal; ring).
    apply is_lim_scal_l. apply (is_lim_plus' (fun z : R => Phi z) (fun _ => - Phi w));
      [apply normal|apply is_lim_const].
  - apply is_lim_const.
Qed.

(* The logarithm of a tail is below its tangent. *)
Theorem tangent (K : Rbar) (w z : R) : Rbar_lt w K -> Rbar_le z K ->
  Phi K - Phi z <= (Phi K - Phi w) * exp (- (phi w / (Phi K - Phi w)) * (z - w)).
Proof.
  intros HwK HzK. set (A := Phi K - Phi w).
  assert (HA : 0 < A).
  { unfold A. destruct K as [k| |]; simpl in HwK; try tauto.
    - generalize (Phi_increasing w k HwK). lra.
    - generalize (PhiBar_pos w). unfold PhiBar. simpl. lra. }
  set (rho := phi w / A). assert (Hrho : rho * A = phi w) by (unfold rho; field; lra).
  assert (Hw : w <= rho).
  { apply Rmult_le_reg_r with A; auto. rewrite Hrho. apply mills. now apply Rbar_lt_le. }
  set (h := fun y : R => A * exp (- rho * (y - w)) - (Phi K - Phi y)).
  assert (D : forall y, is_derive h y (phi y - phi w * exp (- rho * (y - w)))).
  { intros y. unfold h. replace (phi y - phi w * exp (- rho * (y - w))) with
      (minus (A * (- rho * exp (- rho * (y - w)))) (minus 0 (phi y))).
    - apply (is_derive_minus (fun y : R => A * exp (- rho * (y - w))) (fun y : R => Phi K - Phi y)).
      + apply is_derive_scal. auto_derive; auto. unfold Rminus. ring.
      + apply (is_derive_minus (fun _ => Phi K) (fun y : R => Phi y)); [|apply Phi_derive].
        apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) (Phi K) y).
    - unfold minus, plus, opp. simpl. rewrite <- Hrho. ring. }
  assert (Hc : forall y, continuous h y).
  { intros y. apply (ex_derive_continuous h). eexists. apply D. }
  assert (Hphi : forall y, phi y = phi w * exp (- (w * (y - w)) - (y - w)^2 / 2)).
  { intros y. rewrite (phi_bell y), (phi_bell w), Rmult_assoc. f_equal. unfold bell. rewrite <- exp_plus. f_equal.
    field. }
  assert (Hup : forall y, 0 <= (y - w) * (2 * (rho - w) - (y - w)) -> 0 <= phi y - phi w * exp (- rho * (y - w))).
  { intros y H. rewrite Hphi, <- Rmult_minus_distr_l. apply Rmult_le_pos; [left; apply phi_pos|].
    assert (exp (- rho * (y - w)) <= exp (- (w * (y - w)) - (y - w)^2 / 2)); [|lra]. apply exp_le. lra. }
  assert (Hdown : forall y, (y - w) * (2 * (rho - w) - (y - w)) <= 0 -> phi y - phi w * exp (- rho * (y - w)) <= 0).
  { intros y H. rewrite Hphi, <- Rmult_minus_distr_l. 
    assert (exp (- (w * (y - w)) - (y - w)^2 / 2) <= exp (- rho * (y - w))) by (apply exp_le; lra).
    generalize (phi_pos w). nra. }
  assert (Hfall : forall y y', y <= y' -> (forall t,
    y < t < y' -> (t - w) * (2 * (rho - w) - (t - w)) <= 0) -> h y' <= h y).
  { intros y y' Hyy H. assert (- h y <= - h y'); [|lra].
    apply (rises (fun t => - h t) nil); auto.
    - intros t. apply (continuous_opp h). apply Hc.
    - intros t Ht _. eexists. split; [apply (is_derive_opp h t), D|]. specialize (Hdown t (H t Ht)).
      unfold opp. simpl. lra. }
  assert (Hh0 : h w = 0).
  { unfold h. rewrite Rminus_eq_0, Rmult_0_r, exp_0. unfold A. ring. }
  assert (0 <= h z); [|unfold h in H; lra].
  destruct (Rle_dec z w) as [Hz|Hz].
  - rewrite <- Hh0. apply Hfall; auto. intros t Ht. nra.
  - destruct (Rle_dec (z - w) (2 * (rho - w))) as [Hz'|Hz'].
    + rewrite <- Hh0. apply (rises h nil); auto; [lra|]. intros t Ht _. eexists. split; [apply D|]. apply Hup.
      apply Rmult_le_pos; lra.
    + assert (Hlow : forall y, z <= y -> - (Phi K - Phi y) <= h z).
      { intros y Hy. apply Rle_trans with (h y).
        - unfold h. assert (0 < A * exp (- rho * (y - w))) by (apply Rmult_lt_0_compat; auto; apply exp_pos). lra.
        - apply Hfall; auto. intros t Ht. nra. }
      destruct K as [k| |]; [|clear Hlow|destruct HzK].
      * specialize (Hlow k HzK). lra.
      * assert (Rbar_le (- (Phi p_infty - Phi p_infty)) (h z)); [|unfold Rbar_le in *; lra].
        apply (is_lim_le_loc (fun y : R => - (Phi p_infty - Phi y)) (fun _ => h z) p_infty).
        -- exists z. intros y Hy. apply Rle_trans with (h y).
           ++ unfold h. assert (0 < A * exp (- rho * (y - w))) by (apply Rmult_lt_0_compat; auto; apply exp_pos). lra.
           ++ apply Hfall; [lra|]. intros t Ht. nra.
        -- apply (is_lim_ext (fun y : R => Phi y + - Phi p_infty)); [intros; ring|].
           replace (Finite (- (Phi p_infty - Phi p_infty))) with (Finite (Phi p_infty + - Phi p_infty)) by (f_equal;
             ring).
           apply is_lim_plus'; [apply normal|apply is_lim_const].
        -- apply is_lim_const.
Qed.

(* Noise: none, normal of a standard deviation, or that drawn again until it is within k standard deviations. *)
Inductive noise := Silent | Plain (s : R) | Cut (s k : R).

Definition share (k : R) : R := Phi k - Phi (- k).
Definition density_of (v : noise) (w : R) : R :=
  match v with Silent => 0 | Plain s => density 0 s w | Cut s k => / share k * cut_density s k w end.
Definition cdf_of (v : noise) (t : Rbar) : R :=
  match v with
  | Silent => match t with Finite y => if Rle_dec 0 y then 1 else 0 | p_infty => 1 | m_infty => 0 end
  | Plain s => Phi (rescaled 0 s t)
  | Cut s k => / share k * (Phi (rescaled 0 s (clamp (- (k * s)) (k * s) t)) + - Phi (- k))
  end.
Definition proper (v : noise) : Prop := match v with Silent => True | Plain s => 0 < s | Cut s k => 0 < s /\ 0 < k end.
Definition noisy (v : noise) : Prop := v <> Silent /\ proper v.

Lemma share_pos k : 0 < k -> 0 < share k.
Proof. apply between. Qed.

Lemma noise_int v : noisy v -> integral (density_of v) (cdf_of v).
Proof.
  intros (Hn & Hp). destruct v as [|s|s k]; [congruence| |].
  - now apply density_int.
  - destruct Hp as [Hs Hk]. apply (int_scal (/ share k) (cut_density s k)).
    apply (int_ext (fun w => cut_density s k w + 0)); [intros; ring|].
    apply (int_plus (cut_density s k) (fun t => Phi (rescaled 0 s (clamp (- (k * s)) (k * s) t))) (fun _ => 0) (fun _
      => - Phi (- k)));
      [|apply int_const].
    apply (int_inside (- (k * s)) (k * s) (density 0 s) (fun t => Phi (rescaled 0 s t))). now apply density_int.
Qed.

Lemma density_of_nonneg v w : proper v -> 0 <= density_of v w.
Proof.
  destruct v as [|s|s k]; simpl; intros H; [lra|left; now apply density_pos|].
  apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, share_pos, H|]. unfold cut_density, inside.
  destruct (Rle_dec _ _); [lra|]. destruct (Rle_dec _ _); [lra|]. left. now apply density_pos.
Qed.

Lemma rescaled_order s t t' : 0 < s -> Rbar_le t t' -> Rbar_le (rescaled 0 s t) (rescaled 0 s t').
Proof.
  intros Hs. destruct t, t'; simpl; auto. intros H. unfold Rdiv. apply Rmult_le_compat_r; [|lra].
  left. now apply Rinv_0_lt_compat.
Qed.

Lemma clamp_order a b t t' : a <= b -> Rbar_le t t' -> Rbar_le (clamp a b t) (clamp a b t').
Proof.
  intros Hab. unfold clamp. assert (H1 : forall y, a <= Rmax a y) by (intros; apply Rmax_l).
  destruct t as [y| |], t' as [y'| |]; simpl; intros H; try tauto; try lra;
    try (apply Rle_min_compat_l; first [now apply Rle_max_compat_l|apply Rmax_l|apply Rle_refl]); try apply Rmin_l; lra.
Qed.

Lemma cdf_of_rises v t t' : proper v -> Rbar_le t t' -> cdf_of v t <= cdf_of v t'.
Proof.
  intros Hp Ht. destruct v as [|s|s k]; cbn [cdf_of].
  - destruct t as [y| |], t' as [y'| |]; simpl in Ht; try tauto; try (destruct (Rle_dec 0 y));
      try (destruct (Rle_dec 0 y')); lra.
  - apply Phi_rises, rescaled_order; auto.
  - destruct Hp as [Hs Hk]. assert (0 < k * s) by now apply Rmult_lt_0_compat.
    apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat, share_pos|].
    apply Rplus_le_compat_r. apply Phi_rises, rescaled_order; auto. apply clamp_order; auto. lra.
Qed.

Lemma cdf_of_ends v : proper v -> cdf_of v m_infty = 0 /\ cdf_of v p_infty = 1.
Proof.
  destruct v as [|s|s k]; intros Hp; cbn [cdf_of]; [auto|auto|].
  destruct Hp as [Hs Hk]. assert (0 < k * s) by now apply Rmult_lt_0_compat. assert (Hz := share_pos k Hk).
  unfold clamp. cbn [before beyond rescaled]. rewrite Rmin_right by lra.
  replace ((- (k * s) - 0) / s) with (- k) by (field; lra). replace ((k * s - 0) / s) with k by (field; lra).
  split; [ring|]. fold (share k). change (Phi k + - Phi (- k)) with (share k). field. lra.
Qed.

(* What the noise exceeds. *)
Definition tail (v : noise) (t : R) : R := match v with Silent => if Rle_dec t 0 then 1 else 0 |
  _ => 1 - cdf_of v t end.

Lemma cut_at s k (y : R) : 0 < s -> 0 < k ->
  rescaled 0 s (clamp (- (k * s)) (k * s) y) = Finite (Rmin k (Rmax (- k) (y / s))).
Proof.
  intros Hs Hk. unfold clamp. cbn [before beyond rescaled]. f_equal.
  replace y with (s * (y / s)) at 1 by (field; lra). set (u := y / s).
  destruct (Rle_dec u (- k)) as [H1|H1]; [|destruct (Rle_dec u k) as [H2|H2]].
  - rewrite (Rmax_left (- k)), (Rmax_left (- (k * s))), !Rmin_right by nra. field. lra.
  - rewrite (Rmax_right (- k)), (Rmax_right (- (k * s))), !Rmin_right by nra. field. lra.
  - rewrite (Rmax_right (- k)), (Rmax_right (- (k * s))), !Rmin_left by nra. field. lra.
Qed.

Lemma tail_up v (y : R) : proper v -> 1 - cdf_of v y <= tail v y.
Proof.
  destruct v as [|s|s k]; intros Hp; cbn [tail]; try lra. simpl. destruct (Rle_dec 0 y), (Rle_dec y 0); lra.
Qed.

Lemma tail_down v (y : R) : proper v -> cdf_of v (- y) <= tail v y.
Proof.
  destruct v as [|s|s k]; intros Hp; cbn [tail].
  - simpl. destruct (Rle_dec 0 (- y)), (Rle_dec y 0); lra.
  - cbn [cdf_of rescaled]. replace ((- y - 0) / s) with (- ((y - 0) / s)) by (field; simpl in Hp; lra).
    rewrite Phi_opp. lra.
  - destruct Hp as [Hs Hk]. assert (Hz := share_pos k Hk). cbn [cdf_of]. rewrite !cut_at by auto.
    replace (Rmin k (Rmax (- k) (- y / s))) with (- Rmin k (Rmax (- k) (y / s))).
    + rewrite !Phi_opp. set (p := Phi (Rmin k (Rmax (- k) (y / s)))). right.
      assert (E : share k = 2 * Phi k - 1) by (unfold share; rewrite Phi_opp; ring). 
      assert (E1 : share k - (p + - (1 - Phi k)) = 1 - p + - (1 - Phi k)) by (rewrite E; ring).
      rewrite <- E1. field. apply Rgt_not_eq, Hz.
    + replace (- y / s) with (- (y / s)) by (field; lra). set (u := y / s).
      destruct (Rle_dec u (- k)) as [H1|H1]; [|destruct (Rle_dec u k) as [H2|H2]].
      * rewrite (Rmax_left (- k) u), (Rmax_right (- k) (- u)), Rmin_right, Rmin_left by lra. ring.
      * rewrite (Rmax_right (- k) u), (Rmax_right (- k) (- u)), !Rmin_right by lra. ring.
      * rewrite (Rmax_right (- k) u), (Rmax_left (- k) (- u)), Rmin_left, Rmin_right by lra. ring.
Qed.

Lemma tail_nonneg v (y : R) : proper v -> 0 <= tail v y.
Proof.
  intros Hp. destruct v as [|s|s k]; cbn [tail].
  - destruct (Rle_dec y 0); lra.
  - assert (H := cdf_of_rises (Plain s) y p_infty Hp Logic.I). rewrite (proj2 (cdf_of_ends _ Hp)) in H. lra.
  - assert (H := cdf_of_rises (Cut s k) y p_infty Hp Logic.I). rewrite (proj2 (cdf_of_ends _ Hp)) in H. lra.
Qed.

Lemma tail_falls v (y y' : R) : proper v -> y <= y' -> tail v y' <= tail v y.
Proof.
  intros Hp Hy. destruct v as [|s|s k]; cbn [tail].
  - destruct (Rle_dec y 0), (Rle_dec y' 0); lra.
  - generalize (cdf_of_rises (Plain s) y y' Hp Hy). lra.
  - generalize (cdf_of_rises (Cut s k) y y' Hp Hy). lra.
Qed.

(* An exponential above the tail: the tangent at w, or any exponential where there is no noise. *)
Inductive line : noise -> R -> R -> Prop :=
| silent_line h : 0 <= h -> line Silent 1 h
| plain_line s w : line (Plain s) (PhiBar w * exp (phi w / PhiBar w * w)) (phi w / PhiBar w / s)
| cut_line s k w : - k < w < k ->
    line (Cut s k) ((Phi k - Phi w) / share k * exp (phi w / (Phi k - Phi w) * w)) (phi w / (Phi k - Phi w) / s).

Theorem line_above v c h : proper v -> line v c h -> 0 < c /\ 0 <= h /\ forall t, tail v t <= c * exp (- h * t).
Proof.
  intros Hp Hl. destruct Hl as [h Hh|s w|s k w Hw].
  - split; [lra|]. split; auto. intros t. simpl. destruct (Rle_dec t 0) as [Ht|Ht].
    + rewrite Rmult_1_l, <- exp_0. apply exp_le. nra.
    + rewrite Rmult_1_l. left. apply exp_pos.
  - simpl in Hp. assert (HG := PhiBar_pos w). assert (Hf := phi_pos w).
    split; [apply Rmult_lt_0_compat; auto; apply exp_pos|].
    split; [left; apply Rdiv_lt_0_compat; auto; now apply Rdiv_lt_0_compat|]. intros t. cbn [tail cdf_of rescaled].
    eapply Rle_trans; [apply (tangent p_infty w ((t - 0) / s)); exact Logic.I|]. right.
    change (Phi p_infty - Phi w) with (PhiBar w). rewrite Rmult_assoc, <- exp_plus. f_equal. f_equal. field. split; lra.
  - destruct Hp as [Hs Hk]. assert (Hz := share_pos k Hk). assert (HA := Phi_increasing w k (proj2 Hw)).
    assert (Hf := phi_pos w).
    set (A := Phi k - Phi w) in *. assert (HA0 : 0 < A) by (unfold A; lra).
    split; [apply Rmult_lt_0_compat; [now apply Rdiv_lt_0_compat|apply exp_pos]|].
    split; [left; apply Rdiv_lt_0_compat; auto; now apply Rdiv_lt_0_compat|]. intros t. cbn [tail cdf_of].
    rewrite cut_at by auto.
    set (z := Rmin k (Rmax (- k) (t / s))).
    assert (Hzr : - k <= z <= k /\ (t / s <= z \/ z = k)).
    { unfold z. set (u := t / s). destruct (Rle_dec u (- k)) as [H1|H1]; [|destruct (Rle_dec u k) as [H2|H2]].
      - rewrite (Rmax_left (- k)), Rmin_right by lra. lra.
      - rewrite (Rmax_right (- k)), Rmin_right by lra. lra.
      - rewrite (Rmax_right (- k)), Rmin_left by lra. lra. }
    replace (1 - / share k * (Phi z + - Phi (- k))) with ((Phi k - Phi z) / share k) by (unfold share in *; field; lra).
    replace (A / share k * exp (phi w / A * w) * exp (- (phi w / A / s) * t)) with
      (A * exp (- (phi w / A) * (t / s - w)) / share k).
    2:{ replace (- (phi w / A) * (t / s - w)) with (phi w / A * w + - (phi w / A / s) * t) by (field; split; lra).
        rewrite exp_plus. field. lra. }
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
    destruct (proj2 Hzr) as [Hzt| ->].
    + eapply Rle_trans; [apply (tangent k w z); simpl; lra|]. fold A. apply Rmult_le_compat_l; [lra|]. apply exp_le.
      assert (0 < phi w / A) by now apply Rdiv_lt_0_compat. nra.
    + rewrite Rminus_eq_0. left. apply Rmult_lt_0_compat; auto. apply exp_pos.
Qed.
