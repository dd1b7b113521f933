(* As RowInstances.v: the theorems of rows of answers with noise at numbers. *)

From Coq Require Import Reals Lra Lia List Arith Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Binomial Guesses Line Normal Rounded Steps Tangent Joint OneTail StraightLine
  JoinedTangents Endless Differences KnownVariance LowVariance Kinds Coins Instances RowInstances.
From dpcalc Require Posterior Kappa Certificate Stages Arrivals.
Import ListNotations.
Open Scope R_scope.
Opaque coins.

(* Noise with a standard deviation of .05. The tangent at one deviation touches the logarithm of its tail. *)
Notation noise := (Plain (1/20)).
Definition steep : R := phi 1 / PhiBar 1 / (1/20).
Definition factor : R := PhiBar 1 * exp (phi 1 / PhiBar 1 * 1).

Lemma one_noise : noisy noise.
Proof. split; [discriminate|simpl; lra]. Qed.

Lemma touching : line noise factor steep.
Proof. apply plain_line. Qed.

Lemma steep_pos : 0 < steep.
Proof. apply Rdiv_lt_0_compat; [|lra]. apply Rdiv_lt_0_compat; [apply phi_pos|apply PhiBar_pos]. Qed.

Lemma factor_pos : 0 < factor.
Proof. apply Rmult_lt_0_compat; [apply PhiBar_pos|apply exp_pos]. Qed.

Lemma touches : tail noise (1/20) = factor * exp (- steep * (1/20)).
Proof.
  unfold tail, cdf_of, rescaled, factor, steep. replace ((1/20 - 0) / (1/20)) with 1 by field.
  assert (H := PhiBar_pos 1). rewrite Rmult_assoc, <- exp_plus.
  replace (_ + _) with 0 by (field; lra). rewrite exp_0. unfold PhiBar. ring.
Qed.

Definition below_tangent : forall t, straight noise t <= factor * exp (- steep * t) :=
  straight_line noise one_noise factor steep (1/20) touching ltac:(lra) touches.

Definition below_steep_tangent : forall t, straight noise t <= straight noise (- (1/10)) * exp _ :=
  straight_steep noise one_noise (- (1/10)) ltac:(lra).

Definition integrand_below_tangent : forall z,
  phi z * power (straight noise (1/10 - 1/100 * z)) 2 <= phi 2 * _ * _ * _ :=
  integrand_tangent noise 2 factor steep (1/10) (1/100) 2 ltac:(lra) factor_pos below_tangent.

(* One answer to a 0/1 query on a thousand rows, a tenth above its truth, at the order 2. *)
Notation n := (Tails.n Ds).
Notation start := (Rpower factor 2 * exp (- (2 * steep) * (1/10 - 1 / n))).
Notation slope := (2 * steep * / (2 * sqrt n)).

Lemma integrand_below z :
  phi z * power (straight noise (1/10 - (1 / n + z / (2 * sqrt n)))) 2 <= start * (phi z * exp (slope * z)).
Proof.
  replace (1/10 - (1 / n + z / (2 * sqrt n))) with (1/10 - 1 / n - / (2 * sqrt n) * z) by (unfold Rdiv; ring).
  eapply Rle_trans; [apply (integrand_tangent noise 2 factor steep (1/10 - 1 / n) (/ (2 * sqrt n)) z);
    [lra|exact factor_pos|exact below_tangent]|]. right.
  replace (z - z) with 0 by ring. rewrite Rmult_0_r, exp_0, Rmult_1_r.
  replace (- (2 * steep) * (1/10 - 1 / n - / (2 * sqrt n) * z)) with
    (- (2 * steep) * (1/10 - 1 / n) + slope * z) by ring. rewrite exp_plus. ring.
Qed.

Lemma start_nonneg z : 0 <= start * (phi z * exp (slope * z)).
Proof.
  assert (H1 := phi_pos z). assert (H2 := exp_pos (slope * z)). assert (H3 := Rpower_pos factor 2).
  assert (H4 := exp_pos (- (2 * steep) * (1/10 - 1 / n))). left. apply Rmult_lt_0_compat; now apply Rmult_lt_0_compat.
Qed.

Definition one_answer_above (Z : ZubkovSerov2013 (fun x => Phi x)) :
  moment Ds noise (1/10) 2 (power (straight noise (1/10 - 1 / n)) 2 / 2 + over _ m_infty p_infty) :=
  one_tail Ds some noise one_noise (1/10) 2 ltac:(lra) _ _ Z start_nonneg (fun z _ => integrand_below z)
    (int_scal start _ _ (moment_int slope)).

(* The same with noise that is cut at one deviation, by two cells and the last. Before from_cut the tail is 0. *)
Notation cut_noise := (Cut (1/20) 1).
Notation per_z := (/ (2 * sqrt n)).
Definition from_cut : R := (1/10 - 1 / n - 1/20) / per_z.

Lemma cut_noisy : noisy cut_noise.
Proof. split; [discriminate|simpl; lra]. Qed.

Definition at_0 (z : R) : piece := Piece z (1/2) (2 * density_of cut_noise 0).
Definition below_0 (z : R) : piece := let u := straight cut_noise (- (1/100)) in
  Piece z (u * exp (density_of cut_noise 0 / u * - (1/100))) (density_of cut_noise 0 / u).

Lemma at_0_above z : tangent_of cut_noise (at_0 z).
Proof. split; [simpl; lra|]. intros t. exact (straight_below_line_at_0 cut_noise cut_noisy t). Qed.

Lemma below_0_above z : tangent_of cut_noise (below_0 z).
Proof.
  assert (Hu : 0 < straight cut_noise (- (1/100))).
  { assert (H := psi0_nonneg cut_noise cut_noisy). unfold straight. destruct (Rle_dec 0 (- (1/100))); lra. }
  unfold below_0. split; cbn [JoinedTangents.factor fall]; [apply Rmult_lt_0_compat; auto; apply exp_pos|]. intros t.
  eapply Rle_trans; [apply (straight_steep cut_noise cut_noisy (- (1/100))); lra|]. right.
  rewrite Rmult_assoc, <- exp_plus. f_equal. f_equal. ring.
Qed.

Lemma per_z_pos : 0 < per_z.
Proof. apply Rinv_0_lt_compat. assert (0 < sqrt n) by (apply sqrt_lt_R0, (Tails.n_pos Ds some)). lra. Qed.

Lemma none_before z : 0 < z <= from_cut -> straight cut_noise (1/10 - 1 / n - per_z * z) <= 0.
Proof.
  intros [_ Hz]. right. apply straight_cut; try lra. assert (H := per_z_pos). unfold from_cut in Hz.
  apply (Rmult_le_compat_l per_z) in Hz; [|lra].
  replace (per_z * ((1/10 - 1 / n - 1/20) / per_z)) with (1/10 - 1 / n - 1/20) in Hz; [lra|].
  set (u := per_z) in *. set (w := 1 / n). field. lra.
Qed.

Notation two_cells := [(below_0 (from_cut + 1), from_cut + 2); (at_0 (from_cut + 3), from_cut + 4)].
Notation last_cell := (at_0 (2 * (2 * density_of cut_noise 0) * per_z + 1)).

Definition one_answer_by_cells (Z : ZubkovSerov2013 (fun x => Phi x)) :
  moment Ds cut_noise (1/10) 2 (power (straight cut_noise (1/10 - 1 / n)) 2 / 2 +
    areas 2 (1/10 - 1 / n) per_z from_cut two_cells last_cell).
Proof.
  apply one_tail_by_cells; auto using some, cut_noisy, at_0_above, none_before.
  - lra.
  - simpl. lra.
  - unfold rate. simpl touch. simpl fall. lra.
  - intros p hi [E|[E|[]]]; injection E as <- _; [apply below_0_above|apply at_0_above].
Qed.

(* A thousand rows, nine of ten of which are right. Two answers, the first counted by its second moment. *)
Definition right_9_of_10 : law bool.
Proof.
  refine (finite_law [(true, 9/10); (false, 1/10)] _ _); simpl; [|lra].
  intros a [<-|[<-|[]]]; simpl; lra.
Defined.
Definition labelled : list (law bool) := repeat right_9_of_10 1000.

Lemma labelled_n : Tails.n labelled = 1000.
Proof. unfold Tails.n, labelled. rewrite repeat_length, INR_IZR_INZ. reflexivity. Qed.

Lemma labelled_some : labelled <> nil.
Proof. discriminate. Qed.

Lemma labelled_law D : In D labelled -> D = right_9_of_10.
Proof. apply repeat_spec. Qed.

Opaque labelled.

Lemma labelled_finite D : In D labelled -> Posterior.finite D.
Proof.
  intros H. rewrite (labelled_law D H). exists [(true, 9/10); (false, 1/10)]. split; [|reflexivity].
  intros a [<-|[<-|[]]]; simpl; lra.
Qed.

Lemma labelled_truth (q : query bool) : pop labelled q = 9/10 * fn q true + 1/10 * fn q false.
Proof.
  unfold pop. rewrite (sumR_ext labelled _ (fun _ => 9/10 * fn q true + 1/10 * fn q false)).
  - rewrite sumR_const. change (INR (length labelled)) with (Tails.n labelled). rewrite labelled_n. field.
  - intros D HD. rewrite (labelled_law D HD). simpl. ring.
Qed.

Definition noises (j : nat) : Tangent.noise := noise.
Definition margin (j : nat) : R := 1/10.
Definition share (j : nat) : R := 3/20.
Definition cuts (u : list cell) : list R := [1/2].
Notation N := (Tails.n labelled).

Lemma all_proper j : proper (noises j).
Proof. simpl. lra. Qed.

Lemma all_normal m : normal_before noises m.
Proof. intros l _. now exists (1/20). Qed.

Lemma cuts_sorted u : sorted m_infty (cuts u).
Proof. simpl. auto. Qed.

Lemma share_pos j : 0 < share j.
Proof. unfold share. lra. Qed.

Lemma kap_1 : Posterior.kap (length labelled) 0 = 1.
Proof.
  unfold Posterior.kap, Kappa.kappa_poly. destruct (Nat.eqb (length labelled) 1); auto. rewrite Rmult_0_r. field.
Qed.

(* The power of a tail at each answer, and what becomes of a bound for its mean. *)
Notation order := (fun j : nat => match j with O => 1 | _ => 2 end).
Notation cost g v := (Rpower (Certificate.certificate N 1 g v 2 (1/20) (1/1000) (1/100) (1/2) (11/2)) (/ 2)).
Notation carried g v j := (match j with
  O => fun M : R => M | S _ => fun M => Rpower M (1 - / 2) * product (fun _ => cost (g 0%nat) (v 0%nat)) 0 1 end).

Lemma weights (g v : nat -> R) (j : nat) : (j < 2)%nat -> weight labelled noises g v j (order j) (carried g v j).
Proof.
  intros Hj. destruct j as [|[|j]]; [now apply at_once| |lia].
  assert (E : 2 / (2 - 1) = 2) by field. rewrite <- E at 1. apply at_order; [lra|]. intros [|l] Hl; [|lia].
  assert (H : revealed labelled noises g v 2 0 (Rpower (Certificate.certificate N (Posterior.kap (length labelled)
    (r labelled noises 2 0)) (g 0%nat) (v 0%nat) 2 (1/20) (1/1000) (1/100) (1/2) (11/2)) (/ 2))).
  { apply by_moment; try lra; [reflexivity|]. rewrite r_0, kap_1. lra. }
  rewrite r_0, kap_1 in H. exact H.
Qed.

Lemma order_pos j : 0 < order j.
Proof. destruct j; lra. Qed.

Lemma both_sides ask psi g v j Mu Md : (j < 2)%nat ->
  fresh labelled j (on (held labelled psi v) (up labelled noises ask margin true)) (order j) Mu ->
  fresh labelled j (on (held labelled psi v) (down labelled noises ask margin true)) (order j) Md ->
  certified labelled noises ask margin true true psi g v j (carried g v j Mu + carried g v j Md).
Proof.
  intros Hj Hu Hd. apply alike. apply apart with (b := order j) (W := carried g v j) (Mu := Mu) (Md := Md); auto.
  - now apply weights.
  - lra.
Qed.

(* 0/1 values of a mean of .9 or more: an answer is off or a share of .15 of errors is exceeded. *)
Definition right_at (b : bool) : R := if b then 1 else 0.
Definition right : query bool.
Proof. exists right_at. intros [|]; simpl; lra. Defined.

Lemma right_01 : zero_one right.
Proof. intros [|]; simpl; auto. Qed.

Definition asked (u : list cell) : {f : query bool | zero_one f} := exist _ right right_01.
Notation seen := (fun u => proj1_sig (asked u)).

Lemma few_errors u : 1 - 1/10 <= pop labelled (proj1_sig (asked u)).
Proof. rewrite labelled_truth. simpl. lra. Qed.

Notation g_right := (fun _ : nat => 1 - 1/10).
Notation v_right := (fun j : nat => (1/10)^2 + (1 - 2 * (1/10)) * share j).
Notation psi_right := (psi_accuracy (1/10) asked).
Notation error j sign := (N * H01 (sign (order j * steep) / N) (worst (sign (order j * steep) / N) (1/10))).
Notation off j := (carried g_right v_right j (tail_bound (order j) factor steep (error j Ropp) (margin j)) +
  carried g_right v_right j (tail_bound (order j) factor steep (error j (fun x : R => x)) (margin j))).
Notation crossed j := (carried g_right v_right j (exp (- N * kl (share j) (1/10)))).

Lemma right_answer j : (j < 2)%nat ->
  certified labelled noises seen margin true true psi_right g_right v_right j (off j) /\
  crossing labelled noises psi_right g_right v_right j (crossed j).
Proof.
  intros Hj. split.
  - destruct (accuracy_fresh labelled labelled_some noises all_proper margin true true (1/10) asked ltac:(lra)
      few_errors (held labelled psi_right v_right) j (order j) factor steep touching (order_pos j) steep_pos).
    now apply both_sides.
  - apply (accuracy_crossing labelled labelled_some noises share (1/10) asked ltac:(lra) few_errors j (order j)).
    + now apply weights.
    + unfold share. lra.
Qed.

Definition two_accuracies :
  fails labelled _ seen cuts margin true true 2 <=
    sumR (seq 0 1) (fun j => off j + crossed j) + (off 1%nat + crossed 1%nat) :=
  accuracies true labelled labelled_some labelled_finite noises all_proper cuts cuts_sorted margin true true share
    (1/10) asked ltac:(lra) share_pos 1 _ _ _ (all_normal 1) (fun j H => right_answer j (le_S _ _ H))
    (or_introl (ex_intro _ _ (ex_intro _ _ (conj (proj1 (right_answer 1 (le_n 2)))
      (conj (proj2 (right_answer 1 (le_n 2))) (Rle_refl _)))))).

(* The mechanism keeps the share of errors itself. *)
Notation l_right j := (order j * steep / N).
Notation kept_above j := (tail_bound (order j) factor steep
  (N * (l_right j / 2 * share j + room (l_right j / (1 - exp (- (l_right j + l_right j / 2)))))) (margin j)).
Notation kept_below j := (tail_bound (order j) factor steep
  (N * (l_right j / 2 * share j + room (l_right j / (exp (l_right j - l_right j / 2) - 1)))) (margin j)).

Lemma l_pos j : 0 < l_right j.
Proof.
  assert (H := order_pos j). assert (H1 := steep_pos). rewrite labelled_n. apply Rdiv_lt_0_compat; [|lra].
  now apply Rmult_lt_0_compat.
Qed.

Definition two_kept_accuracies :
  checked_fails labelled noises seen cuts margin true true psi_right v_right 2 <= _ :=
  accuracies_checked true labelled labelled_some labelled_finite noises all_proper cuts cuts_sorted margin true
    true share (1/10) asked ltac:(lra) share_pos 2 _ (all_normal 1) (fun j H =>
      both_sides seen psi_right g_right v_right j (kept_above j) (kept_below j) H
        (accuracy_checked_above labelled labelled_some noises all_proper margin true share (1/10) asked
          ltac:(lra) j (order j) factor steep (l_right j / 2) touching (order_pos j) steep_pos
          ltac:(generalize (l_pos j); lra))
        (accuracy_checked_below labelled labelled_some noises all_proper margin true share (1/10) asked
          ltac:(lra) j (order j) factor steep (l_right j / 2) touching (order_pos j) steep_pos
          ltac:(generalize (l_pos j); lra) ltac:(generalize (l_pos j); lra))).

(* Differences of which the mechanism keeps the share of rows that differ. *)
Definition wrong_at (b : bool) : R := if b then 0 else 1.
Definition worse : difference bool.
Proof. exists wrong_at. intros [|]; simpl; lra. Defined.
Definition gaps (u : list cell) : difference bool := worse.
Notation psi_gap := (psi_difference gaps).
Notation l_gap j := (order j * steep / (2 * N)).
Notation kept j := (tail_bound (order j) factor steep
  (N * (ln (cosh (l_gap j)) * share j + room (l_gap j / (1 - exp (- (l_gap j + ln (cosh (l_gap j)))))))) (margin j)).

Lemma cosh_kept l : cosh l <= exp (ln (cosh l)).
Proof. rewrite exp_ln; [lra|]. generalize (cosh_ge_1 l). lra. Qed.

Lemma gap_answer j : (j < 2)%nat -> certified labelled noises (ask_difference gaps) margin true true psi_gap
  (fun _ => 1/2) (fun j => share j / 4) j (carried (fun _ : nat => 1/2) (fun j : nat => share j / 4) j (kept j) +
    carried (fun _ : nat => 1/2) (fun j : nat => share j / 4) j (kept j)).
Proof.
  intros Hj. destruct (difference_checked_fresh labelled labelled_some noises all_proper margin true true share
    gaps j (order j) factor steep (ln (cosh (l_gap j))) touching (order_pos j) steep_pos (cosh_kept _)).
  now apply both_sides.
Qed.

Definition two_kept_differences :
  checked_fails labelled noises (ask_difference gaps) cuts margin true true psi_gap
    (fun j => share j / 4) 2 <= _ :=
  differences_checked true labelled labelled_some labelled_finite noises all_proper cuts cuts_sorted margin true
    true share gaps share_pos 2 _ (all_normal 1) gap_answer.

(* Values of a variance of at most .09, and both sides of the last answer together. *)
Definition asked_value (u : list cell) : query bool := right.
Notation psi_value := (psi_variance labelled labelled_some asked_value).

Lemma variance_9 u : pop labelled (square labelled labelled_some asked_value u) <= 9/100.
Proof. rewrite labelled_truth. cbn [fn square proj1_sig]. rewrite !labelled_truth. simpl. lra. Qed.

Notation spread b := (N * H01 (b * steep / N) (worst (b * steep / N) (1/10))).
Notation value_tail b j := (tail_bound b factor steep (spread b) (margin j)).
Notation value_off := (value_tail 2 1%nat + value_tail 2 1%nat +
  (Rpower 2 2 - 1) * tail noise (margin 1) * (value_tail (2 - 1) 1%nat + value_tail (2 - 1) 1%nat)).

Definition value_sides (event : list cell -> list bool -> Prop) (j : nat) (b : R) (H : 0 < b) :
  fresh labelled j (on event (up labelled noises asked_value margin true)) b (value_tail b j) /\ _ :=
  variance_fresh labelled labelled_some noises all_proper margin true true (9/100) asked_value (1/10)
    ltac:(lra) ltac:(lra) variance_9 event j b factor steep touching H steep_pos.

Lemma last_value : together labelled noises asked_value margin true true (fun _ => 1) share (fun _ _ => True) 1
  (carried (fun _ : nat => 1) share 1%nat value_off).
Proof.
  destruct (value_sides (fun _ _ => True) 1 2 ltac:(lra)) as [H1 H2].
  destruct (value_sides (fun _ _ => True) 1 (2 - 1) ltac:(lra)) as [H3 H4].
  refine (joined _ _ _ _ _ _ _ _ _ _ _ 2 _ value_off (weights (fun _ => 1) share 1 (le_n 2)) _ (Rle_refl _)).
  exact (together_fresh labelled labelled_some noises all_proper asked_value margin true true (fun _ _ => True) 1 2
    _ _ _ _ ltac:(lra) H1 H2 H3 H4).
Qed.

Lemma first_value j : (j < 1)%nat ->
  certified labelled noises asked_value margin true true psi_value (fun _ => 1) share j
    (value_tail 1 j + value_tail 1 j) /\
  crossing labelled noises psi_value (fun _ => 1) share j (exp (- N * kl (share j) (9/100))).
Proof.
  intros Hj. destruct j as [|j]; [|lia]. split.
  - destruct (value_sides (held labelled psi_value share) 0 1 ltac:(lra)) as [H1 H2].
    exact (both_sides asked_value psi_value (fun _ => 1) share 0 _ _ (le_S _ _ (le_n 1)) H1 H2).
  - apply (variance_crossing labelled labelled_some noises share (9/100) asked_value (1/10) ltac:(lra) ltac:(lra)
      variance_9 0 1 (fun M => M)).
    + exact (at_once _ _ _ _ 0 eq_refl).
    + unfold share. lra.
Qed.

Definition two_values : fails labelled _ asked_value cuts margin true true 2 <= _ + _ :=
  variances true labelled labelled_some labelled_finite noises all_proper cuts cuts_sorted margin true true share
    asked_value share_pos 1 _ _ _ (all_normal 1) first_value (or_intror last_value).

Definition probabilities (j : nat) : fresh labelled j (on _ (up labelled noises seen margin true)) 2 1 /\ _ :=
  at_most_1 labelled noises all_proper seen margin true true (fun _ _ => True) j 2 ltac:(lra).

(* An analyst whose questions depend on a coin. *)
Definition with_a_coin (ask : bool -> list cell -> query bool) :
  coin (fun c => fails labelled _ (ask c) cuts (fun _ => 1) true true 2) <= _ :=
  randomised_number coin _ _ (fun c =>
    joint_instance true labelled (ask c) cuts labelled_some labelled_finite cuts_sorted).

(* The first two answers of a sequence of any length, each within a half, at a beta of a tenth. *)
Notation hazard := (phi 1 / PhiBar 1).
Definition half (j : nat) : R := 1/2.

Lemma hazard_range : 1 <= hazard <= 9.
Proof.
  assert (Hp := PhiBar_pos 1). split.
  - apply Rmult_le_reg_r with (PhiBar 1); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply (mills p_infty 1 Logic.I).
  - apply Rmult_le_reg_r with (PhiBar 1); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    assert (H1 : phi 2 <= PhiBar 1).
    { assert (phi 2 * (2 - 1) <= Phi 2 - Phi 1).
      { destruct (MVT_gen (fun y : R => Phi y) 1 2 phi) as (c & Hc & E).
        - intros y _. apply Phi_derive.
        - intros y _. apply continuity_pt_filterlim, (ex_derive_continuous (fun y : R => Phi y)). eexists.
          apply Phi_derive.
        - rewrite E. apply Rmult_le_compat_r; [lra|]. rewrite Rmin_left, Rmax_right in Hc by lra. apply phi_falls. lra. }
      unfold PhiBar. assert (H2 := proj2 (Phi_range (Finite 2))). cbv beta in *. simpl in *. lra. }
    assert (H2 : phi 1 <= 9 * phi 2); [|lra]. rewrite (phi_bell 1), (phi_bell 2). unfold bell.
    replace (- 1^2 / 2) with (- 2^2 / 2 + (1 + 1/2)) by field. rewrite exp_plus.
    assert (exp (1 + 1/2) <= 9).
    { apply Rle_trans with (exp (1 + 1)); [apply exp_le; lra|]. rewrite exp_plus. generalize exp_le_3 (exp_pos 1). nra. }
    assert (0 < phi 0 * exp (- 2^2 / 2)) by (apply Rmult_lt_0_compat; [apply phi_pos|apply exp_pos]). nra.
Qed.

Lemma exp_8 : exp (- 8) <= 1/600.
Proof.
  assert (H : 600 <= exp 8).
  { assert (Hd : forall x, exp (2 * x) = exp x * exp x) by (intros; rewrite <- exp_plus; f_equal; ring).
    replace 8 with (2 * (2 * (2 * (2 * (1/2))))) by lra. rewrite !Hd. assert (H := exp_ge_1 (1/2)).
    set (e := exp (1/2)) in *. assert (9/4 <= e * e) by nra. assert (5 <= e * e * (e * e)) by nra.
    assert (25 <= e * e * (e * e) * (e * e * (e * e))) by nra. nra. }
  replace (exp (- 8)) with (/ exp 8) by (rewrite <- exp_Ropp; f_equal; ring). unfold Rdiv. rewrite Rmult_1_l. apply Rinv_le_contravar; lra.
Qed.

(* A tail of one answer, at the power b. *)
Lemma tail_small b : 1 <= b <= 2 -> Rpower (T b (1 / (4 * N)) factor steep (1/2)) (/ b) <= 1/600.
Proof.
  intros Hb. assert (Hh := hazard_range). rewrite labelled_n. eapply Rle_trans; [|apply exp_8]. unfold T.
  rewrite <- Rpower_mult_distr by (try apply Rpower_pos; apply exp_pos). rewrite Rpower_mult.
  replace (b * / b) with 1 by (field; lra). rewrite Rpower_1 by apply factor_pos.
  unfold Rpower. rewrite ln_exp. unfold factor. rewrite Rmult_assoc, <- exp_plus.
  assert (HP : PhiBar 1 <= 1) by (unfold PhiBar; generalize (Phi_range 1); lra). assert (HP0 := PhiBar_pos 1).
  rewrite <- (Rmult_1_l (exp (- 8))). apply Rmult_le_compat; [lra|left; apply exp_pos|exact HP|]. apply exp_le.
  unfold steep. set (H := hazard) in *.
  replace (/ b * (1 / (4 * 1000) * (b * (H / (1/20)))^2 / 2 - b * (H / (1/20)) * (1/2))) with
    (b * H^2 / 20 - 10 * H) by (field; lra).
  assert (b * H^2 <= 2 * (9 * H)); [|lra]. apply Rmult_le_compat; nra.
Qed.

Theorem first_two : fails labelled (fun j => cdf_of (noises j)) seen cuts half true true 2 <= 1/10.
Proof.
  assert (Hn : forall j, noisy (noises j)) by (intros; exact one_noise).
  assert (Hm : forall b, 0 <= b -> moment labelled noise (1/2) b (T b (1 / (4 * N)) factor steep (1/2))).
  { intros b Hb. apply (tangent_moment true labelled labelled_some labelled_finite); [apply one_noise|apply touching|auto]. }
  apply (endless true labelled labelled_some labelled_finite noises Hn seen cuts cuts_sorted half true true
    (fun _ => 1/150)); [lra| |].
  - intros [|[|j]] Hj; [| |lia].
    + apply (Joint.first _ _ _ _ _ _ 0 _ _ eq_refl (Hm 1 ltac:(lra))).
      generalize (tail_small 1 ltac:(lra)). rewrite Rinv_1, Rpower_1 by (apply Rmult_lt_0_compat; [apply Rpower_pos|apply exp_pos]).
      unfold both. lra.
    + assert (H2 := Hm (2 / (2 - 1)) ltac:(lra)). replace (2 / (2 - 1)) with 2 in H2 by field.
      apply (Joint.alike _ _ _ _ _ _ 1 _ 2 (T 2 (1 / (4 * N)) factor steep (1/2)) (fun _ => 1 / (4 * N))); [lra| | |].
      * replace (2 / (2 - 1)) with 2 by field. exact H2.
      * intros [|l] Hl; [|lia]. unfold Joint.enough. rewrite Joint.r_0, kap_1, labelled_n. lra.
      * assert (H := tail_small 2 ltac:(lra)). replace (1 - / 2) with (/ 2) by field.
        set (M := Rpower _ (/ 2)) in *. assert (HM : 0 < M) by apply Rpower_pos. cbn [product noises price]. rewrite labelled_n.
        assert (Hp : 0 < Rpower (1 + 2 * (1 / (4 * 1000) / (1/20)^2)) ((2 - 1) / (2 * 2)) <= 2).
        { split; [apply Rpower_pos|]. apply Rle_trans with (Rpower 2 1); [|rewrite Rpower_1; lra].
          eapply Rle_trans; [apply Rle_Rpower_l; [|split; [|apply Rle_refl]]; lra|]. apply Rle_trans with (Rpower 2 ((2 - 1) / (2 * 2))).
          - apply Rle_Rpower_l; lra.
          - apply Rle_Rpower; lra. }
        set (C := Rpower (1 + _) _) in *. unfold both. nra.
  - intros [|[|j]] Hj; [| |lia]; unfold part; simpl INR.
    + rewrite Rpower_1_l. lra.
    + assert (1/4 <= Rpower (1 + 1) (- (7/5))); [|lra].
      replace (1/4) with (Rpower (1 + 1) (- INR 2)); [apply Rle_Rpower; simpl; lra|].
      rewrite Rpower_Ropp, Rpower_pow by lra. field.
Qed.

(* The same where the second half of the thousand rows comes after the first answer. *)
Definition at_hand (j : nat) : nat := match j with O => 500 | S _ => 1000 end.

Lemma labelled_length : length labelled = 1000%nat.
Proof. apply INR_eq. change (INR (length labelled)) with N. rewrite labelled_n, INR_IZR_INZ. reflexivity. Qed.

Lemma at_hand_range j : (0 < at_hand j <= length labelled)%nat.
Proof. rewrite labelled_length. destruct j; unfold at_hand; lia. Qed.

Lemma at_hand_rises j : (at_hand j <= at_hand (S j))%nat.
Proof. destruct j; unfold at_hand; lia. Qed.

Lemma at_hand_INR j : 500 <= INR (at_hand j).
Proof. destruct j; unfold at_hand; rewrite INR_IZR_INZ; simpl; lra. Qed.

Lemma tail_of_half nn b : 500 <= nn -> 1 <= b <= 2 -> Rpower (T b (1 / (4 * nn)) factor steep (1/2)) (/ b) <= 1/250.
Proof.
  intros Hnn Hb. assert (Hh := hazard_range).
  assert (He : exp (- 7) <= 1/250).
  { assert (Hd : forall x, exp (2 * x) = exp x * exp x) by (intros; rewrite <- exp_plus; f_equal; ring).
    assert (H1 := exp_ge_1 (1/2)). set (e := exp (1/2)) in *. assert (9/4 <= e * e) by nra.
    assert (5 <= e * e * (e * e)) by nra. assert (25 <= e * e * (e * e) * (e * e * (e * e))) by nra.
    assert (E7 : exp 7 = e * e * (e * e) * (e * e * (e * e)) * (e * e * (e * e)) * (e * e)).
    { replace 7 with (2 * (2 * (2 * (1/2))) + 2 * (2 * (1/2)) + 2 * (1/2)) by lra. rewrite !exp_plus, !Hd. reflexivity. }
    assert (250 <= exp 7) by (rewrite E7; nra).
    replace (exp (- 7)) with (/ exp 7) by (rewrite <- exp_Ropp; f_equal; ring). unfold Rdiv. rewrite Rmult_1_l.
    apply Rinv_le_contravar; lra. }
  eapply Rle_trans; [|exact He]. unfold T.
  rewrite <- Rpower_mult_distr by (try apply Rpower_pos; apply exp_pos). rewrite Rpower_mult.
  replace (b * / b) with 1 by (field; lra). rewrite Rpower_1 by apply factor_pos.
  unfold Rpower. rewrite ln_exp. unfold factor. rewrite Rmult_assoc, <- exp_plus.
  assert (HP : PhiBar 1 <= 1) by (unfold PhiBar; generalize (Phi_range 1); lra). assert (HP0 := PhiBar_pos 1).
  rewrite <- (Rmult_1_l (exp (- 7))). apply Rmult_le_compat; [lra|left; apply exp_pos|exact HP|]. apply exp_le.
  unfold steep. set (H := hazard) in *.
  replace (/ b * (1 / (4 * nn) * (b * (H / (1/20)))^2 / 2 - b * (H / (1/20)) * (1/2))) with
    (50 / nn * (b * H^2) - 10 * H) by (field; lra).
  assert (0 <= b * H^2 <= 2 * (9 * H)) by (split; [apply Rmult_le_pos; nra|apply Rmult_le_compat; nra]).
  assert (0 <= 50 / nn <= 1/10) by (split; [apply Rdiv_le_0_compat; lra|apply Rle_div_l; lra]). nra.
Qed.

Lemma stages_certified : forall j, (j < 2)%nat ->
  Joint.certified noises half true true (fun j => firstn (at_hand j) labelled) (Arrivals.enough at_hand noises) j (1/50).
Proof.
  assert (Hn : forall j, Tails.n (firstn (at_hand j) labelled) = INR (at_hand j)) by
    (intros j; apply (Arrivals.at_hand_n labelled at_hand at_hand_range)).
  assert (Hm : forall j b, 0 <= b -> moment (firstn (at_hand j) labelled) noise (1/2) b
    (T b (1 / (4 * INR (at_hand j))) factor steep (1/2))).
  { intros j b Hb. rewrite <- (Hn j). apply (tangent_moment true); auto.
    - apply (Arrivals.at_hand_some labelled at_hand at_hand_range).
    - apply (Arrivals.at_hand_support labelled labelled_finite at_hand).
    - apply one_noise.
    - apply touching. }
  intros [|[|j]] Hj; [| |lia].
  - eapply Joint.first; [reflexivity|exact (Hm 0%nat 1 ltac:(lra))|].
      assert (H := tail_of_half _ 1 (at_hand_INR 0) ltac:(lra)).
      rewrite Rinv_1, Rpower_1 in H by (apply Rmult_lt_0_compat; [apply Rpower_pos|apply exp_pos]). unfold both. lra.
  - eapply Joint.alike with (a := 2) (V := fun _ => 1/2000); [lra| | |].
    + assert (H2 := Hm 1%nat (2 / (2 - 1)) ltac:(lra)). exact H2.
    + intros [|l] Hl; [|lia]. unfold Arrivals.enough, Arrivals.r. cbn [Arrivals.seen seq sumR].
        rewrite Stages.kap_0. unfold at_hand. rewrite INR_IZR_INZ. simpl. lra.
    + assert (H := tail_of_half _ 2 (at_hand_INR 1) ltac:(lra)). replace (2 / (2 - 1)) with 2 by field.
        replace (1 - / 2) with (/ 2) by field. set (M := Rpower _ (/ 2)) in *. assert (HM : 0 < M) by apply Rpower_pos.
        cbn [product noises price].
        assert (Hp : 0 < Rpower (1 + 2 * (1/2000 / (1/20)^2)) ((2 - 1) / (2 * 2)) <= 2).
        { split; [apply Rpower_pos|]. apply Rle_trans with (Rpower 2 1); [|rewrite Rpower_1; lra].
          apply Rle_trans with (Rpower 2 ((2 - 1) / (2 * 2))); [apply Rle_Rpower_l; lra|apply Rle_Rpower; lra]. }
        set (C := Rpower (1 + _) _) in *. unfold both. nra.
Qed.

Theorem two_stages : Arrivals.fails labelled at_hand noises seen cuts half true true 2 <= 1/25.
Proof.
  eapply Rle_trans; [apply (Arrivals.arrivals true labelled labelled_finite at_hand at_hand_range at_hand_rises
    noises all_proper seen cuts cuts_sorted half true true 2 (fun _ => 1/50))|simpl; lra].
  - intros l _. exact one_noise.
  - exact stages_certified.
Qed.

Theorem two_stages_of_many : Arrivals.fails labelled at_hand noises seen cuts half true true 2 <= 3/10.
Proof.
  apply (Arrivals.endless_arrivals true labelled labelled_finite at_hand at_hand_range at_hand_rises
    noises all_proper seen cuts cuts_sorted half true true (fun _ => 1/50)); [lra|intros; exact one_noise|exact stages_certified|].
  intros [|[|j]] Hj; [| |lia]; unfold part; simpl INR.
  - rewrite Rpower_1_l. lra.
  - assert (1/4 <= Rpower (1 + 1) (- (7/5))); [|lra].
    replace (1/4) with (Rpower (1 + 1) (- INR 2)); [apply Rle_Rpower; simpl; lra|].
    rewrite Rpower_Ropp, Rpower_pow by lra. field.
Qed.
