(* docs/theorems/transfer.md, "Joint bound", in whole numbers: plans whose noise, orders and tangents are given.

   answer       the noise of an answer, its order, how one tail is bounded, and a tangent for the less likely side
   mass         half of the integral of exp(-t^2/2) over the noise's values, in standard deviations
   left_over    twice the mass times the tail u at w
   ..._i        an interval that holds what its name says *)

From Coq Require Import Reals ZArith Lra Lia List Bool Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Kappa Variance Guesses Line JoinedTangents Normal Posterior Rounded Steps Tangent Joint
  OneTail StraightLine Intervals.
Import ListNotations.
Open Scope R_scope.

(* Noise in numbers: its tail, and tangents of the tail's logarithm. *)
Definition mass (v : noise) : R := match v with Cut _ k => area k | _ => half end.
Definition spread (v : noise) : R := match v with Silent => 1 | Plain s => s | Cut s _ => s end.
Definition within (v : noise) (w : R) : Prop := match v with Cut _ k => w < k | _ => True end.
(* Where u is straight if bent, else what the tail itself has. *)
Definition left_over (v : noise) (bent : bool) (w : R) : R := if bent then mass v - w else mass v - area w.
Definition steepness (v : noise) (bent : bool) (w : R) : R := (if bent then 1 else bell w) / left_over v bent w.
Definition factor_at (v : noise) (bent : bool) (w : R) : R := left_over v bent w / (2 * mass v) * exp (steepness v bent w * w).
Definition fall_at (v : noise) (bent : bool) (w : R) : R := steepness v bent w / spread v.

Lemma area_increasing x y : x < y -> area x < area y.
Proof.
  intros H. assert (P := Phi_increasing x y H). assert (Hh := proj1 half_lim). simpl in P.
  apply Rmult_lt_reg_r with (/ (2 * half)); [apply Rinv_0_lt_compat; lra|]. unfold Rdiv in P. lra.
Qed.

Lemma mass_pos v : noisy v -> 0 < mass v.
Proof.
  intros (_ & Hp). destruct v as [|s|s k]; simpl in *; try apply half_lim. rewrite <- area_0. now apply area_increasing.
Qed.

Lemma spread_pos v : noisy v -> 0 < spread v.
Proof. intros (Hn & Hp). destruct v; simpl in *; [congruence|tauto|tauto]. Qed.

Lemma left_over_pos v bent w : noisy v -> within v w -> (bent = true -> w <= 0) -> 0 < left_over v bent w.
Proof.
  intros Hv Hw Hb. assert (M := mass_pos v Hv). unfold left_over. destruct bent; [specialize (Hb eq_refl); lra|].
  destruct v as [|s|s k]; simpl in *; [generalize (area_below_half w); lra|generalize (area_below_half w); lra|].
  generalize (area_increasing w k Hw). lra.
Qed.

Lemma PhiBar_area w : PhiBar w = (half - area w) / (2 * half).
Proof. unfold PhiBar. simpl. field. generalize (proj1 half_lim). lra. Qed.

Lemma share_area k : share k = area k / half.
Proof. unfold share. simpl. rewrite area_odd. field. generalize (proj1 half_lim). lra. Qed.

Lemma line_at v w : noisy v -> within v w -> within v (- w) -> line v (factor_at v false w) (fall_at v false w).
Proof.
  intros Hv Hin Hin'. assert (M := mass_pos v Hv). assert (S0 := spread_pos v Hv).
  assert (L : 0 < left_over v false w) by (apply left_over_pos; [exact Hv|exact Hin|intros E; discriminate E]).
  assert (Hh := proj1 half_lim).
  unfold factor_at, fall_at, steepness, left_over in *.
  destruct Hv as (Hn & Hp), v as [|s|s k]; [congruence| |]; cbn [mass spread within proper] in *.
  - assert (H := plain_line s w). rewrite PhiBar_area in H. unfold phi in H.
    replace (bell w / (2 * half) / ((half - area w) / (2 * half))) with (bell w / (half - area w)) in H by (field; lra).
    exact H.
  - assert (H := cut_line s k w ltac:(lra)). rewrite share_area in H. unfold phi in H. simpl in H.
    replace (1 / 2 + area k / (2 * half) - (1 / 2 + area w / (2 * half))) with ((area k - area w) / (2 * half)) in H
      by (field; lra).
    replace (bell w / (2 * half) / ((area k - area w) / (2 * half))) with (bell w / (area k - area w)) in H by (field; lra).
    replace ((area k - area w) / (2 * half) / (area k / half)) with ((area k - area w) / (2 * area k)) in H by (field; lra).
    exact H.
Qed.

Lemma tangent_at v z (bent : bool) w : noisy v -> within v w -> (if bent then w <= 0 else 0 < w) ->
  tangent_of v (Piece z (factor_at v bent w) (fall_at v bent w)).
Proof.
  intros Hv Hin Hw. assert (M := mass_pos v Hv). assert (S0 := spread_pos v Hv). assert (Hh := proj1 half_lim).
  assert (L : 0 < left_over v bent w) by (apply left_over_pos; auto; intros ->; exact Hw).
  split; cbn [factor fall].
  { unfold factor_at. apply Rmult_lt_0_compat; [|apply exp_pos]. apply Rdiv_lt_0_compat; lra. }
  assert (Ee : forall y, exp (steepness v bent w * w) * exp (- (steepness v bent w / spread v) * (y + w * spread v)) =
    exp (- (steepness v bent w / spread v) * y)) by (intros y; rewrite <- exp_plus; f_equal; field; lra).
  destruct bent.
  - intros t. assert (Hd : density_of v 0 * spread v = / (2 * mass v)).
    { destruct Hv as (Hn & Hp), v as [|s|s k]; [congruence| |]; cbn [mass spread within proper density_of] in *.
      - unfold density, phi. replace ((0 - 0) / s) with 0 by (unfold Rdiv; ring).
        replace (bell 0) with 1 by (unfold bell; replace (- 0^2 / 2) with 0 by field; now rewrite exp_0). field. lra.
      - unfold cut_density, inside. assert (0 < k * s) by (apply Rmult_lt_0_compat; tauto).
        destruct (Rle_dec 0 (- (k * s))); [lra|]. destruct (Rle_dec (k * s) 0); [lra|]. rewrite share_area.
        unfold density, phi. replace ((0 - 0) / s) with 0 by (unfold Rdiv; ring).
        replace (bell 0) with 1 by (unfold bell; replace (- 0^2 / 2) with 0 by field; now rewrite exp_0). field. lra. }
    assert (H0 : w * spread v <= 0) by (assert (0 <= - w * spread v) by (apply Rmult_le_pos; lra); lra).
    assert (H := straight_steep v Hv (w * spread v) H0 t).
    assert (Es : straight v (w * spread v) = left_over v true w / (2 * mass v)).
    { unfold straight, left_over. destruct (Rle_dec 0 (w * spread v)) as [Hz|Hz].
      - assert (E : w = 0) by nra. subst w. rewrite Rmult_0_l, tail_F by auto. assert (HF := F_0 v Hv). cbv beta in *.
        rewrite HF. field. lra.
      - replace (w * spread v * density_of v 0) with (w * (density_of v 0 * spread v)) by ring. rewrite Hd. field. lra. }
    rewrite Es in H. eapply Rle_trans; [exact H|]. right. unfold factor_at, fall_at. rewrite Rmult_assoc. f_equal.
    assert (E := Ee (t - w * spread v)). replace (t - w * spread v + w * spread v) with t in E by ring. rewrite E. f_equal.
    f_equal.
    unfold steepness. replace (density_of v 0) with (/ (2 * mass v) / spread v) by (rewrite <- Hd; field; lra).
    field. lra.
  - assert (Hin' : within v (- w)) by (destruct v; simpl in *; auto; lra).
    apply (straight_line v Hv _ _ (w * spread v) (line_at v w Hv Hin Hin')); [now apply Rmult_lt_0_compat|].
    unfold factor_at, fall_at. rewrite Rmult_assoc. replace (w * spread v) with (0 + w * spread v) at 2 by ring.
    rewrite Ee, Rmult_0_r, exp_0, Rmult_1_r. unfold left_over in *.
    destruct Hv as (Hn & Hp), v as [|s|s k]; [congruence| |]; cbn [mass spread within proper tail cdf_of] in *.
    + cbn [rescaled]. replace ((w * s - 0) / s) with w by (field; lra). change (1 - Phi w) with (PhiBar w). apply PhiBar_area.
    + rewrite cut_at by lra. replace (w * s / s) with w by (field; lra). rewrite Rmax_right, Rmin_right by lra.
      rewrite share_area, Phi_opp. simpl. field. lra.
Qed.

(* Orders and the places of tangents are over the grain. *)
Definition grain : Z := 1073741824.
Definition spot (x : Z) : R := IZR x / IZR grain.

(* One tail: a tangent of it at w; or cells from start on, where each tangent touches ln phi and ln u and the cell ends,
   the last without an end, and a tangent for u at tau - 1/n. *)
Inductive tail_by := Single (w : Z) | Cells (start edge : Z) (cells : list (Z * Z * Z)) (last : Z * Z).
(* Noise without a deviation is none, and without a cut is not cut. An answer without a tangent for the less likely side
   counts both sides alike; without noise any number but 0 stands for it. *)
Record answer := Answer { sd : Z; cut : Z; order : Z; one_side : tail_by; other : Z }.

Section Plans.
Variables n t d over : Z.     (* rows; tau is t/d; deviations and cuts are over the last *)
Variable answers : list answer.
Variable one_sided : bool.

Definition noise_of (x : answer) : noise :=
  if (sd x =? 0)%Z then Silent else
  if (cut x =? 0)%Z then Plain (IZR (sd x) / IZR over) else Cut (IZR (sd x) / IZR over) (IZR (cut x) / IZR over).
Definition unknown : answer := Answer 0 0 0 (Single 0) 0.
Definition answer_at (j : nat) : answer := nth j answers unknown.
Definition noises (j : nat) : noise := noise_of (answer_at j).

(* The numbers as intervals. *)
Section Intervals.
Variables bits unit : Z.
Variable H : interval.
Notation mul := (mul bits).
Notation div := (div bits unit).
Notation expo := (expo bits unit).
Notation logarithm := (logarithm bits unit).
Notation area_of := (area_of bits unit H).
Notation hump := (hump bits unit).
Notation root := (root unit).
Notation fr := (fraction unit).
Notation one := (fr 1 1).
Notation none := (fr 0 1).
Notation square x := (mul x x).
Definition place (x : Z) : interval := fr x grain.

Section Noise.
Variables m s : interval.     (* the mass and the deviation *)
Definition tangent_i (bent : bool) (w : Z) : interval * interval :=
  let l := sub m (if bent then place w else area_of (place w)) in
  (logarithm (div l (add m m)), div (if bent then one else hump (place w)) l).
Definition T_i (b V x : interval) (w : Z) (tangent : interval * interval) : interval :=
  let bk := mul b (snd tangent) in
  expo (add (mul b (fst tangent)) (add (mul bk (sub (place w) (div x s))) (mul (mul V (fr 1 2)) (square (div bk s))))).

Section Cells.
Variables b a g : interval.   (* the power; u is taken at a - g z *)
Definition curve_i (z w : Z) : interval * interval :=
  let tangent := tangent_i (w <=? 0)%Z w in
  (mul (hump (place z)) (T_i b none (sub a (mul g (place z))) w tangent), sub (mul (div (mul b (snd tangent)) s) g) (place z)).
Fixpoint areas_i (lo : Z) (cells : list (Z * Z * Z)) (last : Z * Z) : interval :=
  match cells with
  | [] =>
    let '(z, w) := last in let '(height, rate) := curve_i z w in
    div (mul height (expo (mul rate (sub (place lo) (place z))))) (opp rate)
  | (z, w, hi) :: rest =>
    let '(height, rate) := curve_i z w in
    add (div (mul height (sub (expo (mul rate (sub (place hi) (place z)))) (expo (mul rate (sub (place lo) (place z)))))) rate)
      (areas_i hi rest last)
  end.
Definition falls (last : Z * Z) : bool := positive (opp (snd (curve_i (fst last) (snd last)))).
End Cells.

Definition moment_i (b : interval) (how : tail_by) (silent : bool) : interval :=
  let tau := fr t d in
  if silent then expo (opp (mul (fr (2 * n) 1) (square tau))) else
  match how with
  | Single w => T_i b (inv unit (fr (4 * n) 1)) tau w (tangent_i false w)
  | Cells start edge cells last =>
    let a := sub tau (fr 1 n) in let g := inv unit (mul (fr 2 1) (root (fr n 1))) in
    add (mul (T_i b none a edge (tangent_i (edge <=? 0)%Z edge)) (fr 1 2)) (div (areas_i b a g start cells last) (add H H))
  end.
End Noise.

Definition mass_i (x : answer) : interval := if (cut x =? 0)%Z then H else area_of (fr (cut x) over).
Definition spread_i (x : answer) : interval := fr (sd x) over.

(* Tangents touch below the cut, and cells follow one another. *)
Definition inside_cut (x : answer) (w : Z) : bool := ((cut x =? 0) || (w * over <? cut x * grain))%Z.
Fixpoint in_order (x : answer) (lo : Z) (cells : list (Z * Z * Z)) : bool :=
  match cells with [] => true | (_, w, hi) :: rest => (lo <=? hi)%Z && inside_cut x w && in_order x hi rest end.
Definition tail_allowed (b : interval) (x : answer) : bool :=
  (sd x =? 0)%Z ||
  match one_side x with
  | Single w => inside_cut x w && inside_cut x (- w)
  | Cells start edge cells last =>
    let a := sub (fr t d) (fr 1 n) in let g := inv unit (mul (fr 2 1) (root (fr n 1))) in
    (0 <=? start)%Z && inside_cut x edge && inside_cut x (snd last) && in_order x start cells &&
    ((start =? 0)%Z ||
     negb (cut x =? 0)%Z && positive (sub (sub a (mul g (place start))) (mul (fr (cut x) over) (spread_i x)))) &&
    falls (mass_i x) (spread_i x) b a g last
  end.

(* The earlier answers. *)
Definition kap_i (r : interval) : interval :=
  if (n =? 1)%Z then one else
  let w := add r r in let w3 := mul w (square w) in let k := Z.max n 4 in
  sub (sub (sub one w) (mul (fr (k - 4) 12) w3)) (mul (fr (2 * (k + 1)) 15) (mul w3 (square w))).
Definition V_i (r : interval) : interval := inv unit (mul (fr (4 * n) 1) (kap_i r)).
Definition step_i (a : interval) (x : answer) : interval :=
  if (sd x =? 0)%Z then none else div a (mul (fr (4 * (n * n)) 1) (square (spread_i x))).
Definition price_i (a V : interval) (x : answer) : interval :=
  if (sd x =? 0)%Z then one else
  let ax := mul a (div V (square (spread_i x))) in let pp := add one ax in
  let e := mul (div (sub a one) (add a a)) (logarithm pp) in
  if (cut x =? 0)%Z then expo e else
  let k := fr (cut x) over in let qq := add one (mul a ax) in
  let inner y := div (area_of (mul k (root y))) H in
  let outer := mul (mul (hump k) (root ax)) (sub one (inner ax)) in
  let factor := add (expo (div (add (mul (sub a one) (logarithm (inner pp))) (logarithm (inner (mul pp qq)))) a))
    (mul outer (expo (opp e))) in
  div (mul (expo e) (least one factor)) (div (mass_i x) H).
Fixpoint r_i (a : interval) (j : nat) : interval :=
  match j with O => none | S j => add (r_i a j) (step_i a (answer_at j)) end.
Fixpoint product_i (a : interval) (l k : nat) : interval :=
  match k with O => one | S k => mul (price_i a (V_i (r_i a l)) (answer_at l)) (product_i a (S l) k) end.
Definition holds_before (a : interval) (j : nat) : bool := forallb (fun l => positive (kap_i (r_i a l))) (seq 0 j).

Definition both_i (u : interval) : interval := if one_sided then u else add u u.
Definition tail_of (b : interval) (x : answer) : interval :=
  moment_i (mass_i x) (spread_i x) b (one_side x) (sd x =? 0)%Z.
Definition chance_of (j : nat) : interval :=
  let x := answer_at j in
  if (j =? 0)%nat then both_i (tail_of one x) else
  let a := place (order x) in
  let u := mul (expo (mul (sub one (inv unit a)) (logarithm (tail_of (div a (sub a one)) x)))) (product_i a 0 j) in
  if ((other x =? 0)%Z || one_sided)%bool then both_i u else
  let V := V_i (r_i one j) in
  add u (mul (if (sd x =? 0)%Z then expo (opp (div (square (fr t d)) (add V V)))
    else T_i (spread_i x) one V (fr t d) (other x) (tangent_i (mass_i x) false (other x))) (product_i one 0 j)).
Definition allowed (j : nat) : bool :=
  let x := answer_at j in
  ((0 <=? sd x) && (0 <=? cut x) && (negb (sd x =? 0) || (S j =? length answers)%nat))%Z &&
  if (j =? 0)%nat then tail_allowed one x else
  let a := place (order x) in
  (grain <? order x)%Z && tail_allowed (div a (sub a one)) x && holds_before a j &&
  ((other x =? 0)%Z || holds_before one (S j) && ((sd x =? 0)%Z || inside_cut x (other x) && inside_cut x (- other x))).
Fixpoint chances (j : nat) : interval := match j with O => none | S j => add (chances j) (chance_of j) end.

(* They hold what they evaluate. *)
Context {X : Type}.
Variable x0 : X.
Variable Ds : list (law X).
Hypothesis rows : length Ds = Z.to_nat n.
Hypothesis support : forall D, In D Ds -> finite D.
Hypothesis known : ZubkovSerov2013 (fun x : R => Phi x).
Hypothesis bits_nonneg : (0 <= bits)%Z.
Hypothesis unit_bits : unit = (2^bits)%Z.
Hypothesis H_holds : holds unit H half.
Hypothesis n_pos : (0 < n)%Z.
Hypothesis d_pos : (0 < d)%Z.
Hypothesis t_pos : (0 < t)%Z.
Hypothesis over_pos : (0 < over)%Z.
Notation "i @ x" := (holds unit i x) (at level 70).
Notation tau := (IZR t / IZR d).

Lemma rows_n : Tails.n Ds = IZR n.
Proof. unfold Tails.n. rewrite rows, INR_IZR_INZ. f_equal. lia. Qed.

Lemma some_rows : Ds <> nil.
Proof. intros ->. simpl in rows. lia. Qed.

Lemma N_pos : 0 < IZR n.
Proof. now apply IZR_lt. Qed.

Lemma tau_pos : 0 < tau.
Proof. apply Rdiv_lt_0_compat; now apply IZR_lt. Qed.

Lemma whole k x : IZR k = x -> fr k 1 @ x.
Proof. intros <-. assert (E := fraction_holds unit k 1). now rewrite Rdiv_1 in E. Qed.

Lemma place_holds x : place x @ spot x.
Proof. apply fraction_holds. Qed.

Ltac bound := repeat first [assumption | apply place_holds | apply fraction_holds
  | apply (hump_holds bits unit bits_nonneg unit_bits) | apply (area_holds bits unit bits_nonneg unit_bits H H_holds)
  | apply (logarithm_holds bits unit bits_nonneg unit_bits) | apply (expo_holds bits unit bits_nonneg unit_bits)
  | apply (root_holds bits unit bits_nonneg unit_bits) | apply (least_holds bits unit bits_nonneg unit_bits)
  | apply sub_holds | apply add_holds | apply opp_holds | apply (div_holds bits unit bits_nonneg unit_bits)
  | apply (inv_holds bits unit bits_nonneg unit_bits) | apply (mul_holds bits unit bits_nonneg unit_bits)].
(* An interval of a number that is written otherwise. *)
Ltac rewritten E := match goal with |- holds _ ?i _ => eapply (eq_ind_r (holds unit i)); [|exact E]; bound end.

Section OneNoise.
Variable v : noise.
Hypothesis v_noisy : noisy v.
Variables m s : interval.
Hypothesis m_holds : m @ mass v.
Hypothesis s_holds : s @ spread v.

Lemma tangent_holds bent w : fst (tangent_i m bent w) @ ln (left_over v bent (spot w) / (2 * mass v)) /\
  snd (tangent_i m bent w) @ steepness v bent (spot w).
Proof.
  unfold tangent_i. cbv zeta. cbn [fst snd].
  assert (L : sub m (if bent then place w else area_of (place w)) @ left_over v bent (spot w)) by (unfold left_over;
    destruct bent; bound).
  replace (2 * mass v) with (mass v + mass v) by ring. split; bound. destruct bent; bound. now apply whole.
Qed.

Lemma T_holds bi b Vi V xi x bent w : 0 < left_over v bent (spot w) -> bi @ b -> Vi @ V -> xi @ x ->
  T_i s bi Vi xi w (tangent_i m bent w) @ T b V (factor_at v bent (spot w)) (fall_at v bent (spot w)) x.
Proof.
  intros L Hb HV Hx. assert (M := mass_pos v v_noisy). assert (S0 := spread_pos v v_noisy).
  destruct (tangent_holds bent w) as [Hu Hk]. unfold T_i. cbv zeta.
  assert (E : T b V (factor_at v bent (spot w)) (fall_at v bent (spot w)) x =
    exp (b * ln (left_over v bent (spot w) / (2 * mass v)) + (b * steepness v bent (spot w) * (spot w - x / spread v) +
      V * (1 / 2) * (b * steepness v bent (spot w) / spread v * (b * steepness v bent (spot w) / spread v))))).
  { unfold T, factor_at, fall_at, Rpower. assert (0 < left_over v bent (spot w) / (2 * mass v)) by (apply Rdiv_lt_0_compat;
      lra).
    set (u := left_over v bent (spot w) / (2 * mass v)) in *. set (k := steepness v bent (spot w)).
    rewrite ln_mult, ln_exp, <- exp_plus by (auto using exp_pos). f_equal. field. lra. }
  rewritten E.
Qed.

Section OneCurve.
Variables bi ai gi : interval.
Variables b a g : R.
Hypothesis b_holds : bi @ b.
Hypothesis a_holds : ai @ a.
Hypothesis g_holds : gi @ g.
Definition piece_at (z w : Z) : piece :=
  Piece (spot z) (factor_at v (w <=? 0)%Z (spot w)) (fall_at v (w <=? 0)%Z (spot w)).
Definition pieces (cells : list (Z * Z * Z)) : list (piece * R) := map (fun '(z, w, hi) => (piece_at z w, spot hi)) cells.

Lemma spot_sign w : if (w <=? 0)%Z then spot w <= 0 else 0 < spot w.
Proof.
  assert (G : 0 < IZR grain) by (apply IZR_lt; reflexivity). assert (Gi := Rinv_0_lt_compat _ G). unfold spot, Rdiv.
  destruct (Z.leb_spec w 0) as [Hw|Hw]; [apply IZR_le in Hw|apply IZR_lt in Hw]; nra.
Qed.

Lemma left_at w : within v (spot w) -> 0 < left_over v (w <=? 0)%Z (spot w).
Proof. intros Hw. apply left_over_pos; auto. intros E. generalize (spot_sign w). now rewrite E. Qed.

Lemma curve_holds z w : within v (spot w) ->
  fst (curve_i m s bi ai gi z w) @ height b a g (piece_at z w) * (2 * half) /\
  snd (curve_i m s bi ai gi z w) @ rate b g (piece_at z w).
Proof.
  intros Hw. assert (S0 := spread_pos v v_noisy). assert (Hh := proj1 half_lim). unfold curve_i. cbv zeta. cbn [fst snd].
  assert (L := left_at w Hw). split.
  - assert (E : height b a g (piece_at z w) * (2 * half) = bell (spot z) *
      T b 0 (factor_at v (w <=? 0)%Z (spot w)) (fall_at v (w <=? 0)%Z (spot w)) (a - g * spot z)).
    { unfold height, T, piece_at, phi. cbn [touch factor fall].
      replace (0 * (b * fall_at v (w <=? 0)%Z (spot w))^2 / 2 - b * fall_at v (w <=? 0)%Z (spot w) * (a - g * spot z)) with
        (- (b * fall_at v (w <=? 0)%Z (spot w)) * (a - g * spot z)) by field. field. lra. }
    rewrite E. bound. apply T_holds; bound. replace 0 with (IZR 0 / IZR 1) by field. bound.
  - destruct (tangent_holds (w <=? 0)%Z w) as [_ Hk]. unfold rate, piece_at, fall_at. cbn [touch fall].
    replace (b * (steepness v (w <=? 0)%Z (spot w) / spread v) * g) with (b * steepness v (w <=? 0)%Z (spot w) / spread v *
      g) by (field; lra).
    bound.
Qed.

Lemma areas_hold cells : forall lo last, (forall z w hi, In (z, w, hi) cells -> within v (spot w)) ->
    within v (spot (snd last)) ->
  areas_i m s bi ai gi lo cells last @ areas b a g (spot lo) (pieces cells) (piece_at (fst last) (snd last)) * (2 * half).
Proof.
  induction cells as [|((z, w), hi) cells IH]; intros lo [zl wl] Hc Hl; cbn [areas_i areas pieces map fst snd] in *.
  - destruct (curve_holds zl wl Hl) as [Ch Cr]. destruct (curve_i m s bi ai gi zl wl) as [hi_ ri]. cbn [fst snd] in *.
    unfold area_beyond. set (h := height _ _ _ _) in *. set (r := rate _ _ _) in *. cbn [touch piece_at].
    assert (E : h * exp (r * (spot lo - spot zl)) / - r * (2 * half) = h * (2 * half) * exp (r * (spot lo - spot zl)) / - r) by
      (unfold Rdiv; ring). rewrite E. bound.
  - specialize (IH hi (zl, wl) (fun z w h Hi => Hc z w h (or_intror Hi)) Hl). cbn [fst snd] in IH.
    destruct (curve_holds z w (Hc z w hi (or_introl eq_refl))) as [Ch Cr]. destruct (curve_i m s bi ai gi z w) as [hh ri].
    cbn [fst snd] in *.
    unfold JoinedTangents.area. set (h := height _ _ _ (piece_at z w)) in *. set (r := rate _ _ (piece_at z w)) in *.
    change (touch (piece_at z w)) with (spot z). set (rest := areas b a g (spot hi) _ _) in *.
    destruct (Req_EM_T r 0) as [E0|Hr].
    + rewrite E0 in Cr. now rewrite (div_zero bits unit _ ri Cr).
    + unfold growth. destruct (Req_EM_T r 0); [contradiction|].
      assert (E : (h * (exp (r * (spot hi - spot z)) / r - exp (r * (spot lo - spot z)) / r) + rest) * (2 * half) =
        h * (2 * half) * (exp (r * (spot hi - spot z)) - exp (r * (spot lo - spot z))) / r + rest * (2 * half)) by (field;
          auto).
      rewrite E. bound.
Qed.
End OneCurve.
End OneNoise.

(* One answer. *)
Section OneAnswer.
Variable x : answer.
Hypothesis sd_nonneg : (0 <= sd x)%Z.
Hypothesis cut_nonneg : (0 <= cut x)%Z.
Notation v := (noise_of x).

Lemma over_0 : 0 < IZR over.
Proof. now apply IZR_lt. Qed.

Lemma noise_proper : proper v.
Proof.
  unfold noise_of. assert (O := over_0). destruct (Z.eqb_spec (sd x) 0) as [E|E]; [exact I|].
  destruct (Z.eqb_spec (cut x) 0) as [F|F]; cbn [proper]; [|split]; apply Rdiv_lt_0_compat; auto; apply IZR_lt; lia.
Qed.

Lemma noise_noisy : (sd x =? 0)%Z = false -> noisy v.
Proof.
  intros E. split; [|apply noise_proper]. unfold noise_of. rewrite E. destruct (cut x =? 0)%Z; discriminate.
Qed.

Lemma mass_holds : (sd x =? 0)%Z = false -> mass_i x @ mass v.
Proof. intros E. unfold mass_i, noise_of. rewrite E. destruct (cut x =? 0)%Z; cbn [mass]; bound. Qed.

Lemma spread_holds : (sd x =? 0)%Z = false -> spread_i x @ spread v.
Proof. intros E. unfold spread_i, noise_of. rewrite E. destruct (cut x =? 0)%Z; cbn [spread]; bound. Qed.

Lemma spread_is : (sd x =? 0)%Z = false -> spread v = IZR (sd x) / IZR over.
Proof. intros E. unfold noise_of. rewrite E. destruct (cut x =? 0)%Z; reflexivity. Qed.

Lemma inside_cut_valid w : inside_cut x w = true -> within v (spot w).
Proof.
  unfold inside_cut, noise_of. rewrite orb_true_iff, Z.ltb_lt. intros H0. destruct (sd x =? 0)%Z; [exact I|].
  destruct (cut x =? 0)%Z; [exact I|]. destruct H0 as [H0|H0]; [discriminate|]. cbn [within]. unfold spot.
  assert (G : 0 < IZR grain) by (apply IZR_lt; reflexivity). assert (O := over_0). apply IZR_lt in H0. rewrite !mult_IZR in H0.
  apply Rmult_lt_reg_r with (IZR grain * IZR over); [now apply Rmult_lt_0_compat|].
  replace (IZR w / IZR grain * (IZR grain * IZR over)) with (IZR w * IZR over) by (field; lra).
  replace (IZR (cut x) / IZR over * (IZR grain * IZR over)) with (IZR (cut x) * IZR grain) by (field; lra). exact H0.
Qed.

Lemma in_order_valid lo cells : in_order x lo cells = true ->
  rising (spot lo) (pieces v cells) /\ forall z w hi, In (z, w, hi) cells -> within v (spot w).
Proof.
  revert lo. induction cells as [|((z, w), hi) cells IH]; intros lo H0; cbn [in_order pieces map rising] in *.
  - split; [exact I|intros z w hi []].
  - rewrite !andb_true_iff, Z.leb_le in H0. destruct H0 as [[Hl Hw] Hr]. destruct (IH hi Hr) as [R C].
    split; [split; [|exact R]|].
    + assert (G : 0 < IZR grain) by (apply IZR_lt; reflexivity). apply Rmult_le_compat_r; [left;
        now apply Rinv_0_lt_compat|now apply IZR_le].
    + intros z' w' hi' [E|E]; [injection E as <- <- <-; now apply inside_cut_valid|now apply (C z' w' hi')].
Qed.

Lemma moment_le w q b M M' : M <= M' -> moment Ds w q b M -> moment Ds w q b M'.
Proof. intros L (P & Q). split; [lra|]. intros f. eapply Rle_trans; [apply Q|exact L]. Qed.

Lemma inverse_4n : inv unit (fr (4 * n) 1) @ 1 / (4 * Tails.n Ds).
Proof. rewrite rows_n. replace (1 / (4 * IZR n)) with (/ IZR (4 * n)) by (rewrite mult_IZR; unfold Rdiv; ring). bound.
now apply whole. Qed.

Lemma tail_of_holds bi b : bi @ b -> 1 <= b -> tail_allowed bi x = true -> exists M, moment Ds v tau b M /\ tail_of bi x @ M.
Proof.
  intros Hb Hb1. assert (Hp := noise_proper). assert (N0 := N_pos). assert (T0 := tau_pos).
  unfold tail_allowed, tail_of, moment_i. cbv zeta.
  destruct (sd x =? 0)%Z eqn:Es; cbn [orb].
  - intros _. exists (T b (1 / (4 * Tails.n Ds)) 1 (4 * IZR n * tau / b) tau). split.
    + apply (tangent_moment x0 Ds some_rows support); auto; [|lra]. unfold noise_of. rewrite Es. apply silent_line.
      apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; lra]. apply Rmult_le_pos; lra.
    + unfold T. rewrite Rpower_1_l, Rmult_1_l, rows_n.
      replace (1 / (4 * IZR n) * (b * (4 * IZR n * tau / b))^2 / 2 - b * (4 * IZR n * tau / b) * tau)
        with (- (IZR (2 * n) * (tau * tau))) by
        (rewrite mult_IZR; set (y := tau); field; lra).
      bound. now apply whole.
  - assert (Hv := noise_noisy Es). assert (Hm := mass_holds Es). assert (Hs := spread_holds Es).
    destruct (one_side x) as [w|start edge cells last]; rewrite ?andb_true_iff.
    + intros [H1 H2]. apply inside_cut_valid in H1, H2.
      assert (Hw : within v (- spot w)) by (replace (- spot w) with (spot (- w)) by (unfold spot; rewrite opp_IZR; field;
        apply IZR_neq; discriminate); exact H2).
      eexists. split; [apply (tangent_moment x0 Ds some_rows support v (factor_at v false (spot w)) (fall_at v false (spot
        w))); auto; [|lra]|].
      * now apply line_at.
      * apply T_holds; auto; [apply left_over_pos; auto; discriminate|apply inverse_4n|bound].
    + intros [[[[[Hst He] Hl] Ho] H0] Hf]. apply inside_cut_valid in He, Hl. destruct (in_order_valid _ _ Ho) as [Hr Hc].
      assert (Hn0 := n_pos). assert (Sq : 0 < sqrt (IZR n)) by (now apply sqrt_lt_R0).
      set (a := tau - 1 / IZR n). set (g := / (2 * sqrt (IZR n))).
      assert (Ha : sub (fr t d) (fr 1 n) @ a) by (unfold a; bound).
      assert (Hg : inv unit (mul (fr 2 1) (root (fr n 1))) @ g) by (unfold g; bound; now apply whole).
      set (ai := sub (fr t d) (fr 1 n)) in *. set (gi := inv unit (mul (fr 2 1) (root (fr n 1)))) in *.
      exists (T b 0 (factor_at v (edge <=? 0)%Z (spot edge)) (fall_at v (edge <=? 0)%Z (spot edge)) a * (1 / 2) +
        areas b a g (spot start) (pieces v cells) (piece_at v (fst last) (snd last)) * (2 * half) / (half + half)). split.
      * assert (Hh := proj1 half_lim).
        assert (Ht : forall z w, within v (spot w) -> tangent_of v (piece_at v z w)).
        { intros z w Hw. apply tangent_at; auto. generalize (spot_sign w). now destruct (w <=? 0)%Z. }
        destruct (Ht 0%Z edge He) as [Hf0 Hedge]. cbn [factor fall piece_at] in Hf0, Hedge.
        set (c := factor_at v (edge <=? 0)%Z (spot edge)) in *. set (h := fall_at v (edge <=? 0)%Z (spot edge)) in *.
        eapply moment_le; [|apply (one_tail_by_cells Ds v tau b (spot start) (pieces v cells) (piece_at v (fst last) (snd
          last)) some_rows Hv Hb1 known)].
        -- rewrite rows_n. fold a g. apply Rplus_le_compat.
           ++ replace (1 / 2) with (/ 2) by field. apply Rmult_le_compat_r; [lra|]. eapply Rle_trans; [apply power_le;
                [lra|apply Hedge]|]. unfold power, T.
              assert (P : 0 < c * exp (- h * a)) by (apply Rmult_lt_0_compat; auto; apply exp_pos).
              destruct (Rlt_dec _ _); [|lra].
              rewrite <- Rpower_mult_distr by (auto; apply exp_pos). right. f_equal. unfold Rpower. rewrite ln_exp. f_equal.
              field.
           ++ right. field. lra.
        -- exact Hr.
        -- unfold falls in Hf. rewrite rows_n. fold g.
           destruct (curve_holds v Hv _ _ Hm Hs bi ai gi b a g Hb Ha Hg (fst last) (snd last) Hl) as [_ Cr].
           assert (P := positive_valid bits unit bits_nonneg unit_bits _ _ Hf (opp_holds _ _ _ Cr)). lra.
        -- now apply Ht.
        -- intros p hi Hi. unfold pieces in Hi. apply in_map_iff in Hi. destruct Hi as (((z, w), h') & E & Hi).
           injection E as <- <-. apply Ht. now apply (Hc z w h').
        -- rewrite rows_n. fold a g. intros z Hz. apply orb_prop in H0. destruct H0 as [H0|H0].
           ++ apply Z.eqb_eq in H0. subst start. unfold spot in Hz. lra.
           ++ apply andb_prop in H0. destruct H0 as [Hk H0]. apply negb_true_iff in Hk.
              assert (P := positive_valid bits unit bits_nonneg unit_bits _ (a - g * spot start - IZR (cut x) / IZR over *
                spread v) H0 ltac:(bound)).
              unfold noise_of in *. rewrite Es, Hk in *. cbn [spread] in P. destruct Hp as [P1 P2].
              rewrite straight_cut; auto; [lra|].
              assert (0 < g) by (apply Rinv_0_lt_compat; lra). nra.
      * apply add_holds; [apply (mul_holds bits unit bits_nonneg unit_bits);
          [|bound]|apply (div_holds bits unit bits_nonneg unit_bits); [|bound]].
        -- apply T_holds; auto; [now apply left_at|]. replace 0 with (IZR 0 / IZR 1) by field. bound.
        -- now apply areas_hold.
Qed.
End OneAnswer.

(* The earlier answers. *)
Hypothesis sd_nonneg : forall j, (0 <= sd (answer_at j))%Z.
Hypothesis cut_nonneg : forall j, (0 <= cut (answer_at j))%Z.
Notation r := (Joint.r Ds noises).
Notation V a l := (1 / (4 * Tails.n Ds * kap (length Ds) (r a l))).

Lemma all_proper j : proper (noises j).
Proof. now apply noise_proper. Qed.

Lemma step_holds ai a j : ai @ a -> step_i ai (answer_at j) @ a * inverse_square (noises j) / (4 * Tails.n Ds^2).
Proof.
  intros Ha. assert (N0 := N_pos). assert (O := over_0). unfold step_i, noises. rewrite rows_n.
  destruct (sd (answer_at j) =? 0)%Z eqn:E.
  - unfold noise_of. rewrite E. cbn [inverse_square]. replace (a * 0 / (4 * IZR n^2)) with (IZR 0 / IZR 1) by (field; lra).
    bound.
  - assert (S0 := spread_pos _ (noise_noisy _ (sd_nonneg j) (cut_nonneg j) E)). assert (Hs := spread_holds _ E).
    replace (inverse_square (noise_of (answer_at j))) with (/ spread (noise_of (answer_at j))^2) by
      (unfold noise_of; rewrite E; destruct (cut (answer_at j) =? 0)%Z; reflexivity).
    set (s := spread _) in *. replace (a * / s^2 / (4 * IZR n^2)) with (a / (4 * (IZR n * IZR n) * (s * s))) by (field; lra).
    bound. apply whole. rewrite !mult_IZR. ring.
Qed.

Lemma r_holds ai a j : ai @ a -> r_i ai j @ r a j.
Proof.
  intros Ha. induction j as [|j IH]; cbn [r_i].
  - rewrite r_0. replace 0 with (IZR 0 / IZR 1) by field. bound.
  - rewrite r_S. apply add_holds; auto. now apply step_holds.
Qed.

Lemma kap_holds ri y : ri @ y -> kap_i ri @ kap (length Ds) y.
Proof.
  intros Hr. unfold kap_i, kap. rewrite rows.
  destruct (Z.eqb_spec n 1) as [E|E], (Nat.eqb_spec (Z.to_nat n) 1) as [F|F]; try lia; [now apply whole|]. cbv zeta.
  unfold kappa_poly.
  replace (INR (Nat.max (Z.to_nat n) 4)) with (IZR (Z.max n 4)) by (rewrite INR_IZR_INZ; f_equal; lia).
  replace (1 - 2 * y - (IZR (Z.max n 4) - 4) * (2 * y)^3 / 12 - 2 * (IZR (Z.max n 4) + 1) * (2 * y)^5 / 15) with
    (1 - (y + y) - IZR (Z.max n 4 - 4) / IZR 12 * ((y + y) * ((y + y) * (y + y))) -
      IZR (2 * (Z.max n 4 + 1)) / IZR 15 * ((y + y) * ((y + y) * (y + y)) * ((y + y) * (y + y)))) by
    (rewrite mult_IZR, plus_IZR, minus_IZR; field).
  bound. now apply whole.
Qed.

Lemma V_holds ai a l : ai @ a -> V_i (r_i ai l) @ V a l.
Proof.
  intros Ha. unfold V_i. rewrite rows_n. replace (1 / (4 * IZR n * kap (length Ds) (r a l)))
    with (/ (4 * IZR n * kap (length Ds) (r a l))) by
    (unfold Rdiv; ring). apply (inv_holds bits unit bits_nonneg unit_bits), (mul_holds bits unit bits_nonneg unit_bits).
  - apply whole. now rewrite mult_IZR.
  - now apply kap_holds, r_holds.
Qed.

Lemma before_valid ai a j : ai @ a -> holds_before ai j = true -> forall l, (l < j)%nat -> enough Ds noises a l (V a l).
Proof.
  intros Ha Hb l Hl. unfold holds_before in Hb. rewrite forallb_forall in Hb. specialize (Hb l ltac:(apply in_seq; lia)).
  split; [|lra]. apply (positive_valid bits unit bits_nonneg unit_bits _ _ Hb). now apply kap_holds, r_holds.
Qed.

Lemma area_over_half y : area y / half = Phi y - Phi (- y).
Proof. simpl. rewrite area_odd. field. generalize (proj1 half_lim). lra. Qed.

Lemma price_holds ai a Vi W j : ai @ a -> Vi @ W -> 1 <= a -> 0 < W -> price_i ai Vi (answer_at j) @ price a W (noises j).
Proof.
  intros Ha HV Ha1 HW. assert (Hh := proj1 half_lim). assert (O := over_0). unfold price_i, noises. cbv zeta.
  set (x := answer_at j).
  destruct (sd x =? 0)%Z eqn:E; [unfold noise_of; rewrite E; now apply whole|].
  assert (Hv := noise_noisy x (sd_nonneg j) (cut_nonneg j) E). assert (S0 := spread_pos _ Hv). assert (Hs := spread_holds x E).
  assert (Hm := mass_holds x E). assert (M := mass_pos _ Hv). set (s := spread (noise_of x)) in *.
  assert (One : one @ 1) by now apply whole.
  assert (Hx : 0 < W / (s * s)) by (apply Rdiv_lt_0_compat; auto; now apply Rmult_lt_0_compat).
  set (ax := a * (W / (s * s))). assert (Hax : mul ai (div Vi (square (spread_i x))) @ ax) by (unfold ax; bound).
  set (axi := mul ai (div Vi (square (spread_i x)))) in *. assert (Ax0 : 0 < ax) by (apply Rmult_lt_0_compat; lra).
  assert (Es2 : s^2 = s * s) by ring.
  set (e := (a - 1) / (a + a) * ln (1 + ax)). set (ei := mul (div (sub ai one) (add ai ai)) (logarithm (add one axi))).
  assert (He : ei @ e) by (unfold ei, e; bound).
  assert (EC : Rpower (1 + a * (W / s^2)) ((a - 1) / (2 * a)) = exp e).
  { unfold Rpower, e, ax. rewrite Es2. f_equal. f_equal. field. lra. }
  destruct (cut x =? 0)%Z eqn:Ec.
  - assert (Ev : noise_of x = Plain s) by (unfold s, noise_of; rewrite E, Ec; reflexivity). rewrite Ev. cbn [price].
    rewrite EC. bound.
  - assert (Ev : noise_of x = Cut s (IZR (cut x) / IZR over)) by (unfold s, noise_of; rewrite E, Ec; reflexivity).
    rewrite Ev in *. cbn [price mass] in *. set (k := IZR (cut x) / IZR over) in *.
    assert (K : 0 < k) by (destruct Hv as (_ & _ & Hk); exact Hk).
    rewrite EC, share_area. apply (div_holds bits unit bits_nonneg unit_bits); [|now bound].
    assert (Hk : fr (cut x) over @ k) by (unfold k; bound).
    assert (Hi : forall yi y, yi @ y -> div (area_of (mul (fr (cut x) over) (root yi))) H @ area (k * sqrt y) / half)
      by (intros; bound).
    assert (Pi : forall y, 0 < y -> 0 < area (k * sqrt y) / half).
    { intros y Hy. apply Rdiv_lt_0_compat; auto. rewrite <- area_0. apply area_increasing. apply Rmult_lt_0_compat; auto.
      now apply sqrt_lt_R0. }
    assert (Q : 0 < a * ax) by (apply Rmult_lt_0_compat; lra).
    assert (I1 : inner a s W k = area (k * sqrt (1 + ax)) / half) by (rewrite area_over_half; unfold inner, ax;
      now rewrite Es2).
    assert (I2 : inner2 a s W k = area (k * sqrt ((1 + ax) * (1 + a * ax))) / half).
    { rewrite area_over_half. unfold inner2, ax. rewrite Es2. replace (a^2 * (W / (s * s))) with (a * (a * (W / (s * s))))
        by ring. reflexivity. }
    assert (O1 : outer a s W k = bell k * sqrt ax * (1 - area (k * sqrt ax) / half)).
    { unfold outer. rewrite Es2. fold ax. rewrite PhiBar_area. unfold phi.
      replace (bell 0) with 1 by (unfold bell; replace (- 0^2 / 2) with 0 by field; now rewrite exp_0). field. lra. }
    assert (F : cut_factor a s W k = exp (((a - 1) * ln (area (k * sqrt (1 + ax)) / half) +
      ln (area (k * sqrt ((1 + ax) * (1 + a * ax))) / half)) / a) + bell k * sqrt ax * (1 - area (k * sqrt ax) / half) * exp
        (- e)).
    { unfold cut_factor. rewrite I1, I2, O1. f_equal.
      - set (p := area (k * sqrt (1 + ax)) / half) in *. set (q := area (k * sqrt ((1 + ax) * (1 + a * ax))) / half).
        assert (P0 : 0 < p) by (apply Pi; lra). assert (Q0 : 0 < q) by (apply Pi; apply Rmult_lt_0_compat; lra).
        unfold Rpower at 1. rewrite ln_mult by (auto; apply Rpower_pos). unfold Rpower at 1. rewrite ln_exp. f_equal. field.
        lra.
      - f_equal. unfold Rpower, e, ax. rewrite Es2. f_equal. field. lra. }
    apply (mul_holds bits unit bits_nonneg unit_bits); [bound|]. apply (least_holds bits unit bits_nonneg unit_bits); auto.
    rewrite F.
    assert (Hpp : add one axi @ 1 + ax) by bound. assert (Hqq : add one (mul ai axi) @ 1 + a * ax) by bound.
    assert (Hpq : mul (add one axi) (add one (mul ai axi)) @ (1 + ax) * (1 + a * ax)) by bound.
    apply add_holds; [|apply (mul_holds bits unit bits_nonneg unit_bits); [apply (mul_holds bits unit bits_nonneg unit_bits)|]].
    + apply (expo_holds bits unit bits_nonneg unit_bits), (div_holds bits unit bits_nonneg unit_bits); auto.
      apply add_holds; [apply (mul_holds bits unit bits_nonneg unit_bits); [bound|]|];
        apply (logarithm_holds bits unit bits_nonneg unit_bits); now apply Hi.
    + bound.
    + apply sub_holds; auto.
    + bound.
Qed.

Lemma product_holds ai a k : ai @ a -> 1 <= a -> forall l, (forall i, (l <= i < l + k)%nat -> 0 < V a i) ->
  product_i ai l k @ product (fun i => price a (V a i) (noises i)) l k.
Proof.
  intros Ha Ha1. induction k as [|k IH]; intros l Hl; cbn [product_i product]; [now apply whole|].
  apply (mul_holds bits unit bits_nonneg unit_bits).
  - apply price_holds; auto; [now apply V_holds|]. apply Hl. lia.
  - apply IH. intros i Hi. apply Hl. lia.
Qed.
Lemma both_holds ui u : ui @ u -> both_i ui @ both true (negb one_sided) u.
Proof.
  intros Hu. unfold both_i, both. destruct one_sided; cbn [negb]; [replace (u + 0) with u by ring;
    exact Hu|now apply add_holds].
Qed.

Lemma enough_positive a l W : enough Ds noises a l W -> 0 < W.
Proof. apply enough_pos. exact some_rows. Qed.

Lemma chance_holds j : allowed j = true -> exists eps,
  certified noises (fun _ => tau) true (negb one_sided) (fun _ => Ds) (enough Ds noises) j eps /\ chance_of j @ eps.
Proof.
  unfold allowed, chance_of. cbv zeta. rewrite andb_true_iff. intros [_ Hj]. assert (S0 := sd_nonneg j).
  assert (C0 := cut_nonneg j).
  assert (One : one @ 1) by now apply whole. assert (T0 := tau_pos). assert (N0 := N_pos).
  destruct (Nat.eqb_spec j 0) as [E|E].
  - subst j. destruct (tail_of_holds (answer_at 0) S0 C0 one 1 One ltac:(lra) Hj) as (M & HM & Hi).
    exists (both true (negb one_sided) M). split; [|now apply both_holds].
    apply (Joint.first _ _ _ _ _ _ 0 _ M); auto. lra.
  - rewrite !andb_true_iff in Hj. destruct Hj as [[[Ho Ht] Hb] Hr]. apply Z.ltb_lt in Ho.
    set (x := answer_at j) in *. set (a := spot (order x)).
    assert (Ha1 : 1 < a).
    { assert (G : 0 < IZR grain) by (apply IZR_lt; reflexivity). apply IZR_lt in Ho. unfold a, spot.
      apply Rmult_lt_reg_r with (IZR grain); auto. replace (IZR (order x) / IZR grain * IZR grain) with (IZR (order x))
        by (field; lra). lra. }
    assert (Ha : place (order x) @ a) by apply place_holds. set (ai := place (order x)) in *.
    assert (Hbi : div ai (sub ai one) @ a / (a - 1)) by bound.
    assert (Hb1 : 1 <= a / (a - 1)).
    { apply Rmult_le_reg_r with (a - 1); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_l, Rmult_1_r by lra. lra. }
    destruct (tail_of_holds x S0 C0 _ _ Hbi Hb1 Ht) as (M & HM & Hi).
    assert (En := before_valid ai a j Ha Hb).
    assert (Hu : mul (expo (mul (sub one (inv unit ai)) (logarithm (tail_of (div ai (sub ai one)) x)))) (product_i ai 0 j) @
      Rpower M (1 - / a) * product (fun l => price a (V a l) (noises l)) 0 j).
    { apply (mul_holds bits unit bits_nonneg unit_bits); [unfold Rpower; bound|]. apply product_holds; auto; [lra|].
      intros i Hi'. apply (enough_positive a i), En. lia. }
    destruct ((other x =? 0)%Z || one_sided)%bool eqn:Eo.
    + eexists. split; [|apply both_holds, Hu]. eapply (Joint.alike _ _ _ _ _ _ j _ a M (fun l => V a l)); auto. lra.
    + apply orb_false_elim in Eo. destruct Eo as [Eo E1]. rewrite Eo in Hr. cbn [orb] in Hr. apply andb_prop in Hr.
      destruct Hr as [Hb' Hw].
      assert (En1 := before_valid one 1 (S j) One Hb'). assert (W0 := enough_positive 1 j _ (En1 j (Nat.lt_succ_diag_r j))).
      assert (Hp : product_i one 0 j @ product (fun l => price 1 (V 1 l) (noises l)) 0 j).
      { apply product_holds; auto; [lra|]. intros i Hi'. apply (enough_positive 1 i), En1. lia. }
      assert (HV := V_holds one 1 j One).
      assert (Fin : forall c h Ti, line (noises j) c h -> Ti @ T 1 (V 1 j) c h tau ->
        exists eps, certified noises (fun _ => tau) true (negb one_sided) (fun _ => Ds) (enough Ds noises) j eps /\
          add (mul (expo (mul (sub one (inv unit ai)) (logarithm (tail_of (div ai (sub ai one)) x)))) (product_i ai 0 j))
            (mul Ti (product_i one 0 j)) @ eps).
      { intros c h Ti Hl HT. eexists. split; [|apply add_holds; [exact Hu|apply (mul_holds bits unit bits_nonneg unit_bits);
          [exact HT|exact Hp]]].
        eapply (Joint.apart _ _ _ _ _ _ j _ a M (fun l => V a l) (fun l => V 1 l) c h); auto; [|lra]. intros l Hl'.
        apply En1. lia. }
      destruct (sd x =? 0)%Z eqn:Es.
      * apply (Fin 1 (tau / V 1 j)).
        -- unfold noises. fold x. unfold noise_of. rewrite Es. apply silent_line. left. now apply Rdiv_lt_0_compat.
        -- unfold T. rewrite Rpower_1_l, Rmult_1_l. set (W := V 1 j) in *. set (y := tau) in *.
           replace (W * (1 * (y / W))^2 / 2 - 1 * (y / W) * y) with (- (y * y / (W + W))) by (field; lra). unfold y. bound.
      * cbn [orb] in Hw. apply andb_prop in Hw. destruct Hw as [H1 H2]. apply inside_cut_valid in H1, H2.
        assert (Hv := noise_noisy x S0 C0 Es).
        assert (Hw : within (noise_of x) (- spot (other x))) by (replace (- spot (other x)) with (spot (- other x)) by
          (unfold spot; rewrite opp_IZR; field; apply IZR_neq; discriminate); exact H2).
        apply (Fin (factor_at (noise_of x) false (spot (other x))) (fall_at (noise_of x) false (spot (other x))));
          [now apply line_at|].
        apply T_holds; auto; [now apply mass_holds|now apply spread_holds|apply left_over_pos; auto; discriminate|bound].
Qed.

Lemma chances_hold m : (forall j, (j < m)%nat -> allowed j = true) -> exists eps,
  (forall j, (j < m)%nat -> certified noises (fun _ => tau) true (negb one_sided) (fun _ => Ds) (enough Ds noises) j (eps j)) /\ chances m @ sumR (seq 0
    m) eps.
Proof.
  induction m as [|m IH]; intros Ha; cbn [chances].
  - exists (fun _ => 0). split; [lia|]. replace (sumR (seq 0 0) (fun _ => 0)) with (IZR 0 / IZR 1) by (simpl; field). bound.
  - destruct IH as (eps & Hc & Hs); [auto|]. destruct (chance_holds m (Ha m (Nat.lt_succ_diag_r m))) as (e & He & Hi).
    exists (fun j => if (j =? m)%nat then e else eps j). split.
    + intros j Hj. destruct (Nat.eqb_spec j m) as [->|]; auto. apply Hc. lia.
    + rewrite seq_S, sumR_app. cbn [sumR]. rewrite Nat.eqb_refl, Rplus_0_r. apply add_holds; auto.
      rewrite (sumR_ext _ _ eps); auto. intros j Hj. apply in_seq in Hj. destruct (Nat.eqb_spec j m); [lia|auto].
Qed.
End Intervals.

Definition plan_keeps (bits p q : Z) : bool :=
  let unit := (2^bits)%Z in let H := half_by bits in let m := length answers in
  ((0 <=? bits) && (0 <? n) && (0 <? d) && (0 <? t) && (0 <? over) && (0 <? q))%Z &&
  forallb (allowed bits unit H) (seq 0 m) && at_most unit (chances bits unit H m) p q.

(* Whatever is asked and whatever cells are shown, the probability that some answer is off by tau is at most p/q. *)
Theorem noise_plan bits p q {X : Type} (x0 : X) (Ds : list (law X)) (ask : list cell -> query X)
  (cuts : list cell -> list R) : plan_keeps bits p q = true ->
  length Ds = Z.to_nat n -> (forall D, In D Ds -> finite D) -> (forall v, sorted m_infty (cuts v)) ->
  ZubkovSerov2013 (fun x : R => Phi x) ->
  fails Ds (fun j => cdf_of (noises j)) ask cuts (fun _ => IZR t / IZR d) true (negb one_sided) (length answers) <= IZR p /
    IZR q.
Proof.
  unfold plan_keeps. cbv zeta. rewrite !andb_true_iff, !Z.leb_le, !Z.ltb_lt, forallb_forall.
  intros [[[[[[[Hb Hn] Hd] Ht] Ho] Hq] Ha] Hs] rows support sorted known.
  set (m := length answers) in *. set (H := half_by bits) in *.
  assert (HH : holds (2^bits) H half) by now apply half_by_holds.
  assert (Hall : forall j, (j < m)%nat -> allowed bits (2^bits) H j = true) by (intros j Hj; apply Ha, in_seq; lia).
  assert (Hsign : forall j, (0 <= sd (answer_at j))%Z /\ (0 <= cut (answer_at j))%Z).
  { intros j. destruct (Nat.lt_ge_cases j m) as [Hj|Hj].
    - specialize (Hall j Hj). unfold allowed in Hall. cbv zeta in Hall. rewrite !andb_true_iff, !Z.leb_le in Hall. tauto.
    - unfold answer_at. rewrite nth_overflow by exact Hj. simpl. lia. }
  assert (Hsd := fun j => proj1 (Hsign j)). assert (Hcut := fun j => proj2 (Hsign j)).
  destruct (chances_hold bits (2^bits) H x0 Ds rows support known Hb eq_refl HH Hn Hd Ht Ho Hsd Hcut m Hall) as (eps & Hc &
    Hi).
  eapply Rle_trans; [|apply (at_most_valid bits (2^bits) Hb eq_refl _ p q _ Hq Hs Hi)].
  apply (joint_bound x0 Ds (some_rows bits Ds rows support Hb Hn) support noises); auto.
  - intros j. now apply (noise_proper bits Ds rows).
  - intros l Hl. apply (noise_noisy bits Ds rows); auto. specialize (Hall l ltac:(lia)). unfold allowed in Hall.
    cbv zeta in Hall.
    rewrite !andb_true_iff, orb_true_iff in Hall. destruct Hall as [[_ [E|E]] _]; [now apply negb_true_iff|].
    apply Nat.eqb_eq in E. fold m in E. lia.
Qed.
End Plans.
