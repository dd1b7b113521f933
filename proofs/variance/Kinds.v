(* docs/theorems/variance.md, "Low-variance bound" and "Checked bounds", the three kinds of queries: differences, accuracies
   and values of a known variance. What the low-variance bound asks of fresh records, and of the sample's share.

   A difference f in [-1,1] is asked as the query (1+f)/2: its values are in [0,1], and noise, tau and g are halves. *)

From Coq Require Import Reals Lra Lia List Psatz ClassicalDescription.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Entropy Binomial Records Line Normal Posterior Rounded Steps Tangent Joint OneTail
  Constraint LowVariance.
From dpcalc Require Import Weights Differences KnownVariance.
Import ListNotations.
Open Scope R_scope.

(* The mean that is most likely to be far, of those up to q. *)
Definition worst (l q : R) : R := Rmin q (1 / l - 1 / (exp l - 1)).

Lemma H01_rises l p q : l <> 0 -> 0 <= p <= q -> q <= 1 -> H01 l p <= H01 l (worst l q).
Proof.
  intros Hl Hp Hq1. unfold H01, worst. set (c := exp l - 1). assert (Hc : 0 < 1 + c) by (unfold c;
    generalize (exp_pos l); lra).
  assert (Hc0 : c <> 0).
  { intros E. apply Hl. assert (H : exp l = 1) by (unfold c in E; lra). rewrite <- (ln_exp l), H. apply ln_1. }
  assert (Hpos : forall x, 0 <= x <= 1 -> 0 < 1 + x * c) by (intros; nra).
  (* the tangent of ln at y *)
  assert (Hln : forall y, 0 < 1 + y * c -> ln (1 + p * c) <= ln (1 + y * c) + (p - y) * (c / (1 + y * c))).
  { intros y Hy. assert (Hpc := Hpos p ltac:(lra)). assert (H := ln_chord ((1 + p * c) / (1 + y * c)) ltac:(now apply
    Rdiv_lt_0_compat)).
    unfold Rdiv at 1 in H. rewrite ln_mult, ln_Rinv in H; auto; [|now apply Rinv_0_lt_compat].
    replace ((p - y) * (c / (1 + y * c))) with ((1 + p * c) / (1 + y * c) - 1) by (field; lra). lra. }
  assert (Hel : (exp l - 1) / l > 0).
  { destruct (Rlt_dec 0 l) as [H|H].
    - apply Rdiv_lt_0_compat; auto. generalize (exp_ineq1 l Hl). lra.
    - replace ((exp l - 1) / l) with ((1 - exp l) / (- l)) by (field; lra). apply Rdiv_lt_0_compat; [|lra].
      assert (exp l < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in H0. lra. }
  set (y := 1 / l - 1 / c) in *. assert (Ey : 1 + y * c = c / l) by (unfold y; field; auto).
  assert (Hy : 0 < 1 + y * c) by (rewrite Ey; exact Hel).
  unfold Rmin. destruct (Rle_dec q y) as [Hqy|Hqy].
  - assert (Hqc := Hpos q ltac:(lra)). specialize (Hln q Hqc).
    assert (l <= c / (1 + q * c)).
    { apply Rmult_le_reg_r with (1 + q * c); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      assert (l * (1 + y * c) = c) by (rewrite Ey; field; auto).
      assert (0 <= l * c). { unfold Rdiv in Hel. fold c in Hel. assert (0 < c * / l * (l * l)) by (apply
        Rmult_lt_0_compat; auto; nra).
        replace (c * / l * (l * l)) with (l * c) in H0 by (field; auto). lra. }
      nra. }
    nra.
  - specialize (Hln y Hy). rewrite Ey in Hln at 2. replace (c / (c / l)) with l in Hln by (field; auto). lra.
Qed.

(* y - ln(1+y) at 1 + y = z: the most that ln(1 - ps) + lp can be, z = l/s. *)
Definition room (z : R) : R := z - 1 - ln z.

Lemma room_above l s M : 0 < l -> 0 < s -> 0 < M -> ln M <= room (l / s) + (M - 1) * (l / s).
Proof.
  intros Hl Hs HM. assert (Hz : 0 < l / s) by now apply Rdiv_lt_0_compat.
  assert (H := ln_chord (M * (l / s)) ltac:(now apply Rmult_lt_0_compat)). rewrite ln_mult in H by auto. unfold room.
  lra.
Qed.

Section Moments.
Context {X : Type}.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Notation E := (prodE Ds).
Notation n := (Tails.n Ds).
Notation over_truth := (over_truth Ds).

Definition average (f : law X -> R) : R := sumR Ds f / n.

Lemma rows_exponent (f : X -> R) l (b : law X -> R) : (forall D, In D Ds -> D (fun x => exp (l * f x)) <= exp (b D)) ->
  E (fun S => exp (l * sumR S f)) <= exp (sumR Ds b).
Proof.
  intros H. eapply Rle_trans; [|apply (prod_exp Ds (fun x => exp (l * f x)) b)]; auto.
  - right. apply mean_ext. intros S. f_equal. rewrite <- sumR_scal. apply sumR_ext. intros x _. now rewrite ln_exp.
  - intros; apply exp_pos.
Qed.

(* What a row says of the deviation of a mean. *)
Lemma deviation (q : query X) (f : X -> R) (u l x : R) (b : law X -> R) :
  (forall S, length S = length Ds -> u * over_truth q S = l * sumR S f - x) ->
  (forall D, In D Ds -> D (fun x => exp (l * f x)) <= exp (b D)) ->
  E (fun S => exp (u * over_truth q S)) <= exp (sumR Ds b - x).
Proof.
  intros Hu Hb. rewrite (prodE_length Ds _ (fun S => exp (l * sumR S f) * exp (- x))).
  - rewrite mean_scal_r. unfold Rminus. rewrite exp_plus. apply Rmult_le_compat_r; [left; apply exp_pos|].
  now apply rows_exponent.
  - intros S HS. rewrite Hu, <- exp_plus by auto. reflexivity.
Qed.

(* Errors: values in [0,1] with a mean of at most q. *)
Theorem errors_exponent (q : query X) (u p : R) : u <> 0 -> pop Ds q <= p -> p <= 1 ->
  E (fun S => exp (u * over_truth q S)) <= exp (n * H01 (u / n) (worst (u / n) p)).
Proof.
  intros Hu Hp Hp1. assert (Hn := Tails.n_pos Ds some_rows). set (l := u / n). assert (Hl : l <> 0).
  { unfold l. intros H. apply Hu. apply Rmult_eq_reg_r with (/ n); [|apply Rinv_neq_0_compat; lra].
  now rewrite Rmult_0_l. }
  assert (Hr := pop_range Ds some_rows q). set (m := pop Ds q) in *.
  set (y := 1 + m * (exp l - 1)). assert (Hy : 0 < y) by (unfold y; generalize (exp_pos l); nra).
  apply Rle_trans with (exp (sumR Ds (fun D => ln y + (D (fn q) - m) * ((exp l - 1) / y)) - l * (n * m))).
  - apply (deviation q (fn q) u l); auto.
    + intros S HS. unfold Joint.over_truth, emp, l, m. field. lra.
    + intros D _. rewrite exp_plus, exp_ln by auto. apply Rle_trans with (1 + D (fn q) * (exp l - 1)).
      * apply Rle_trans with (D (fun x => 1 + fn q x * (exp l - 1))).
        -- apply mean_mono. intros x. destruct q as [f Hf]. simpl. generalize (exp_chord l (f x) (Hf x)). lra.
        -- rewrite mean_plus, mean_one, mean_scal_r. lra.
      * apply Rle_trans with (y * (1 + (D (fn q) - m) * ((exp l - 1) / y))).
        -- right. unfold y. field. fold y. lra.
        -- apply Rmult_le_compat_l; [lra|]. apply exp_ge_1.
  - apply exp_le. rewrite sumR_plus, sumR_const. fold n.
    rewrite (sumR_ext Ds _ (fun D => (exp l - 1) / y * (D (fn q) + - m))) by (intros; ring).
    rewrite sumR_scal, sumR_plus, sumR_const. fold n.
    assert (Es : sumR Ds (fun D => D (fn q)) = n * m) by (unfold m, pop; field; lra). rewrite Es.
    assert (H := H01_rises l m p Hl ltac:(lra) Hp1). unfold H01 at 1 in H. fold y in H.
    apply Rmult_le_compat_l with (r := n) in H; [|lra]. change (INR (length Ds)) with n. nra.
Qed.

(* Differences with a mean size of at most d. *)
Lemma over_truth_difference f S : length S = length Ds ->
  over_truth (as_query f) S = (sumR S (dn f) - sumR Ds (fun D => D (dn f))) / (2 * n).
Proof.
  intros HS. assert (Hn := Tails.n_pos Ds some_rows).
  assert (Ee : emp Ds (as_query f) S = 1/2 + sumR S (dn f) / (2 * n)).
  { unfold emp. rewrite (sumR_ext S (fn (as_query f)) (fun x => 1/2 + / 2 * dn f x)) by (intros; simpl; field).
    rewrite sumR_plus, sumR_const, sumR_scal, HS. unfold Tails.n in *. field. lra. }
  assert (Ep : pop Ds (as_query f) = 1/2 + sumR Ds (fun D => D (dn f)) / (2 * n)).
  { unfold pop. rewrite (sumR_ext Ds (fun D => D (fn (as_query f))) (fun D => 1/2 + / 2 * D (dn f))).
    - rewrite sumR_plus, sumR_const, sumR_scal. unfold Tails.n in *. field. lra.
    - intros D _. rewrite (mean_ext D _ (fun x => 1/2 + / 2 * dn f x)) by (intros; simpl; field).
      rewrite (mean_plus D (fun _ => 1/2)), mean_const, mean_scal. reflexivity. }
  unfold Joint.over_truth. rewrite Ee, Ep. field. lra.
Qed.

Theorem difference_exponent (f : difference X) (u d : R) : 0 < u -> 0 < d ->
  average (fun D => D (fun x => Rabs (dn f x))) <= d ->
  E (fun S => exp (u * over_truth (as_query f) S)) <= exp (n * G d (u / (2 * n))).
Proof.
  intros Hu Hd Hf. assert (Hn := Tails.n_pos Ds some_rows). set (l := u / (2 * n)).
  assert (Hl : 0 < l) by (apply Rdiv_lt_0_compat; lra).
  destruct (G_greatest d l Hl Hd) as (M & HM & HG). set (g := dn f) in *.
  set (size := average (fun D => D (fun x => Rabs (g x)))) in *. set (t := average (fun D => D g)).
  assert (Es : sumR Ds (fun D => D (fun x => Rabs (g x))) = n * size) by (unfold size, average; field; lra).
  assert (Et : sumR Ds (fun D => D g) = n * t) by (unfold t, average; field; lra).
  assert (Ht : - size <= t <= size).
  { split; apply Rmult_le_reg_l with n; auto; rewrite <- Et.
    - replace (n * - size) with (-1 * (n * size)) by ring. rewrite <- Es, <- sumR_scal. apply sumR_le. intros D _.
      rewrite <- mean_scal. apply mean_mono. intros x. generalize (Rle_abs (- g x)). rewrite Rabs_Ropp. lra.
    - rewrite <- Es. apply sumR_le. intros D _. apply mean_mono. intros x. apply Rle_abs. }
  apply Rle_trans with (exp (sumR Ds (fun D => ln M + (1 + (D (fun x => Rabs (g x)) * (cosh l - 1) + D g * sinh l) - M)
    / M) - l * (n * t))).
  - apply (deviation (as_query f) g u l).
    + intros S HS. rewrite (over_truth_difference f S HS). fold g. rewrite Et. unfold l. field. lra.
    + intros D _. eapply Rle_trans; [|apply exp_tangent; exact HM].
      apply Rle_trans with (D (fun x => 1 + (Rabs (g x) * (cosh l - 1) + g x * sinh l))).
      * apply mean_mono. intros x. generalize (exp_angle l (g x) (proj2_sig f x)). lra.
      * rewrite (mean_plus D (fun _ => 1)), mean_one, (mean_plus D (fun x => Rabs (g x) * (cosh l - 1))),
        !mean_scal_r. lra.
  - apply exp_le.
    set (K := ln M + (1 - M) / M) in *.
    rewrite (sumR_ext Ds _ (fun D => K + ((cosh l - 1) / M * D (fun x => Rabs (g x)) + sinh l / M * D g)))
      by (intros; unfold K; field; lra).
    rewrite !sumR_plus, !sumR_scal, sumR_const, Es, Et. change (INR (length Ds)) with n.
    specialize (HG ((size + t) / 2) ((size - t) / 2) ltac:(lra) ltac:(lra) ltac:(lra)).
    assert (EM : K + ((cosh l - 1) / M * size + sinh l / M * t) =
      ln M + (1 + (size + t) / 2 * (exp l - 1) + (size - t) / 2 * (exp (- l) - 1) - M) / M).
    { unfold K, cosh, sinh. field. lra. }
    apply Rmult_le_compat_l with (r := n) in HG; [|lra].
    replace ((size + t) / 2 - (size - t) / 2) with t in HG by field. rewrite <- EM in HG. lra.
Qed.

(* Values in [0,1] whose mean variance is at most p(1-p). *)
Theorem variance_exponent (q : query X) (u p : R) : 0 < u -> 0 < p <= 1/2 ->
  average (fun D => variance D (fn q)) <= p * (1 - p) ->
  E (fun S => exp (u * over_truth q S)) <= exp (n * H01 (u / n) (worst (u / n) p)).
Proof.
  intros Hu Hp Hv. assert (Hn := Tails.n_pos Ds some_rows). set (l := u / n).
  assert (Hl : 0 < l) by (apply Rdiv_lt_0_compat; lra).
  assert (Hc : 0 < exp l - 1) by (generalize (exp_ineq1 l ltac:(lra)); lra).
  assert (Hk : exists k, 0 <= k /\ forall x, 0 <= x <= 1/2 -> H01 l x <= H01 l (worst l p) + k * (x * (1 - x) - p * (1
    - p))).
  { unfold worst. set (y := 1 / l - 1 / (exp l - 1)). destruct (Rle_dec p y) as [Hpy|Hpy].
    - rewrite Rmin_left by auto. apply H01_tangent; auto.
      assert (Hpc : 0 < 1 + p * (exp l - 1)) by nra. apply (proj1 (Rle_div_r l _ _ Hpc)).
      assert (l * (1 + y * (exp l - 1)) = exp l - 1) by (unfold y; field; lra).
      assert (0 <= l * ((y - p) * (exp l - 1))) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]). nra.
    - exists 0. split; [lra|]. intros x Hx. rewrite Rmin_right by lra. rewrite Rmult_0_l, Rplus_0_r.
      assert (H := H01_rises l x 1 ltac:(lra) ltac:(lra) ltac:(lra)). unfold worst in H. fold y in H.
      rewrite Rmin_right in H by lra. exact H. }
  destruct Hk as (k & Hk & Ht). set (f := fn q) in *.
  set (m := pop Ds q).
  assert (Em : sumR Ds (fun D => D f) = n * m) by (unfold m, pop; fold f; field; lra).
  apply Rle_trans with (exp (sumR Ds (fun D => l * D f + (H01 l (worst l p) + k * (variance D f - p * (1 - p)))) - l
    * (n * m))).
  - apply (deviation q f u l).
    + intros S HS. unfold Joint.over_truth, emp, l, m, f. field. lra.
    + intros D _. assert (Hvr := variance_range D q). fold f in Hvr. assert (Hm := mean_range q D). fold f in Hm.
      set (a := D f) in *. assert (Hv4 : 0 <= variance D f <= 1/4) by (generalize (pow2_ge_0 (a - 1/2)); nra).
      destruct (variance_mean _ Hv4) as (x & Hx & Ex).
      eapply Rle_trans; [apply (row_moment D f l x)|].
      * destruct q as [g Hg]. exact Hg.
      * lra.
      * lra.
      * fold a. apply Rnot_lt_le. intros Hlt. nra.
      * rewrite Ex. apply Rle_refl.
      * apply exp_le. fold a. apply Rplus_le_compat_l. rewrite <- Ex. now apply Ht.
  - apply exp_le. rewrite (sumR_ext Ds _ (fun D => (H01 l (worst l p) - k * (p * (1 - p))) + (l * D f + k * variance D f)))
      by (intros; ring).
    rewrite !sumR_plus, !sumR_scal, sumR_const, Em. change (INR (length Ds)) with n. unfold average in Hv.
    assert (sumR Ds (fun D => variance D f) <= n * (p * (1 - p))).
    { apply Rmult_le_compat_l with (r := n) in Hv; [|lra].
      replace (n * (sumR Ds (fun D => variance D f) / n)) with (sumR Ds (fun D => variance D f)) in Hv by (field;
        lra).
      exact Hv. }
    assert (k * sumR Ds (fun D => variance D f) <= k * (n * (p * (1 - p)))) by (apply Rmult_le_compat_l; auto). nra.
Qed.

(* The same where the sample's share is at most sigma: a price xi for the share. *)
Lemma checked_deviation (q : query X) (f s : X -> R) (u l xi sigma G : R) (A : list X -> Prop) : 0 <= xi ->
  (forall S, length S = length Ds -> u * over_truth q S = l * (sumR S f - sumR Ds (fun D => D f))) ->
  (forall S, length S = length Ds -> A S -> sumR S s <= n * sigma) ->
  (forall D, In D Ds -> D (fun x => exp (l * f x - xi * s x)) <= exp (l * D f + (G - xi * sigma))) ->
  E (fun S => ind A S * exp (u * over_truth q S)) <= exp (n * G).
Proof.
  intros Hxi Hu Hs HD. set (t := sumR Ds (fun D => D f)) in *.
  assert (Hrow := rows_exponent (fun x => l * f x - xi * s x) 1 (fun D => l * D f + (G - xi * sigma))).
  rewrite sumR_plus, sumR_scal, sumR_const in Hrow. fold t in Hrow. change (INR (length Ds)) with n in Hrow.
  rewrite (prodE_length Ds _ (fun S => if Nat.eqb (length S) (length Ds) then ind A S * exp (u * over_truth q S)
    else 0)).
  2:{ intros S HS. now rewrite HS, Nat.eqb_refl. }
  apply Rle_trans with (E (fun S => exp (n * (xi * sigma) - l * t) * exp (1 * sumR S (fun x => l * f x - xi * s x)))).
  - apply mean_mono. intros S. destruct (Nat.eqb_spec (length S) (length Ds)) as [HS|HS].
    2:{ left. apply Rmult_lt_0_compat; apply exp_pos. }
    rewrite <- exp_plus. unfold ind. destruct (excluded_middle_informative (A S)) as [HA|HA].
    + rewrite Rmult_1_l. apply exp_le. rewrite Hu by auto. specialize (Hs S HS HA).
      rewrite (sumR_ext S (fun x => l * f x - xi * s x) (fun x => l * f x + - xi * s x)) by (intros; ring).
      rewrite sumR_plus, !sumR_scal.
      assert (xi * sumR S s <= xi * (n * sigma)) by (apply Rmult_le_compat_l; auto). lra.
    + rewrite Rmult_0_l. left. apply exp_pos.
  - rewrite mean_scal. apply Rle_trans with (exp (n * (xi * sigma) - l * t) * exp (l * t + n * (G - xi * sigma))).
    + apply Rmult_le_compat_l; [left; apply exp_pos|]. apply Hrow. intros D HinD.
      rewrite (mean_ext D _ (fun x => exp (l * f x - xi * s x))) by (intros; f_equal; ring). now apply HD.
    + rewrite <- exp_plus. apply exp_le. right. ring.
Qed.

End Moments.

(* The tails of one answer under fresh records, by the exponential moment of either side. *)
Section Fresh.
Context {X : Type}.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Notation E := (prodE Ds).
Notation n := (Tails.n Ds).
Notation over_truth := (over_truth Ds).
Variable noises : nat -> noise.
Hypothesis all_proper : forall j, proper (noises j).
Variable ask : list cell -> query X.
Variable tau : nat -> R.
Variables count_above count_below : bool.
Notation up := (up Ds noises ask tau count_above).
Notation down := (down Ds noises ask tau count_below).
Notation fresh := (fresh Ds).
Notation on := (on).

(* T_b, where e bounds ln E exp(bh (f(S) - Ef)), of the samples that an event is about. *)
Definition tail_bound (b c h e t : R) : R := Rpower c b * exp (e - b * h * t).

Lemma side_fresh event (side : list cell -> query X) (f : list cell -> list X -> R) j b c h e : line (noises j) c h ->
  0 <= b ->
  (forall u S, length u = j -> 0 <= f u S <= tail (noises j) (tau j - over_truth (side u) S)) ->
  (forall u, length u = j -> E (fun S => ind (event u) S * exp (b * h * over_truth (side u) S)) <= exp e) ->
  fresh j (on event f) b (tail_bound b c h e (tau j)).
Proof.
  intros Hl Hb Hf He. split.
  - apply Rmult_lt_0_compat; [apply Rpower_pos|apply exp_pos].
  - intros u Hu. apply Rle_trans with (E (fun S => Rpower c b * exp (- (b * h * tau j)) *
      (ind (event u) S * exp (b * h * over_truth (side u) S)))).
    + apply mean_mono. intros S. unfold LowVariance.on, ind.
      destruct (excluded_middle_informative (event u S)).
      * rewrite !Rmult_1_l. apply (power_line (noises j)); auto. now apply Hf.
      * rewrite !Rmult_0_l, Rmult_0_r. unfold power. destruct (Rlt_dec 0 0); lra.
    + rewrite mean_scal. unfold tail_bound. rewrite Rmult_assoc. apply Rmult_le_compat_l; [left; apply Rpower_pos|].
      replace (e - b * h * tau j) with (- (b * h * tau j) + e) by ring. rewrite exp_plus.
      apply Rmult_le_compat_l; [left; apply exp_pos|]. now apply He.
Qed.

Lemma up_fresh event j b c h e : line (noises j) c h -> 0 <= b ->
  (forall u, length u = j -> E (fun S => ind (event u) S * exp (b * h * over_truth (ask u) S)) <= exp e) ->
  fresh j (on event up) b (tail_bound b c h e (tau j)).
Proof.
  intros Hl Hb He. apply (side_fresh event ask); auto. intros u S Hu. unfold LowVariance.up. rewrite Hu.
  assert (H := tail_nonneg (noises j) (tau j - over_truth (ask u) S) (all_proper j)). destruct count_above; lra.
Qed.

Lemma down_fresh event j b c h e : line (noises j) c h -> 0 <= b ->
  (forall u, length u = j -> E (fun S => ind (event u) S * exp (b * h * over_truth (flip (ask u)) S)) <= exp e) ->
  fresh j (on event down) b (tail_bound b c h e (tau j)).
Proof.
  intros Hl Hb He. apply (side_fresh event (fun u => flip (ask u))); auto. intros u S Hu. unfold LowVariance.down.
  rewrite Hu.
  assert (H := tail_nonneg (noises j) (tau j - over_truth (flip (ask u)) S) (all_proper j)).
  destruct count_below; lra.
Qed.

Lemma event_less (A : list X -> Prop) (f : list X -> R) e : (forall S, 0 <= f S) -> E f <= exp e ->
  E (fun S => ind A S * f S) <= exp e.
Proof.
  intros Hf He. eapply Rle_trans; [|exact He]. apply mean_mono. intros S. specialize (Hf S).
  generalize (ind_range A S). nra.
Qed.

(* Either side of an answer, of what is known of all samples. *)
Lemma sides_fresh event j b c h e e' : line (noises j) c h -> 0 < b -> 0 < h ->
  (0 < b * h -> forall u, E (fun S => exp (b * h * over_truth (ask u) S)) <= exp e) ->
  (0 < b * h -> forall u, E (fun S => exp (b * h * over_truth (flip (ask u)) S)) <= exp e') ->
  fresh j (on event up) b (tail_bound b c h e (tau j)) /\ fresh j (on event down) b (tail_bound b c h e' (tau j)).
Proof.
  intros Hl Hb Hh Hu Hd. assert (Hbh : 0 < b * h) by now apply Rmult_lt_0_compat.
  split; [apply up_fresh|apply down_fresh]; auto; try lra; intros u _; apply event_less; auto; intros; left; apply exp_pos.
Qed.

(* The power of a sum of which a term is at most k. *)
Lemma powers_add b k x y : 1 <= b -> 0 <= x -> 0 <= y -> 0 <= k -> x <= k \/ y <= k ->
  power (x + y) b <= power x b + power y b + (Rpower 2 b - 1) * k * (power x (b - 1) + power y (b - 1)).
Proof.
  intros Hb.
  assert (H2 : 1 <= Rpower 2 b).
  { apply Rle_trans with (Rpower 2 0); [rewrite Rpower_O; lra|]. apply Rle_Rpower; lra. }
  assert (Main : forall x y, 0 <= y <= x -> 0 <= k -> y <= k ->
    power (x + y) b <= power x b + power y b + (Rpower 2 b - 1) * k * (power x (b - 1) + power y (b - 1))).
  { clear x y. intros x y Hy Hk Hyk. assert (Py := power_nonneg y b). assert (Qy := power_nonneg y (b - 1)).
    assert (Qx := power_nonneg x (b - 1)).
    destruct (Rle_lt_or_eq_dec 0 x ltac:(lra)) as [Hx|Hx].
    2:{ replace x with 0 by auto. replace y with 0 by lra. rewrite Rplus_0_r. unfold power.
        destruct (Rlt_dec 0 0); [lra|]. lra. }
    set (r := y / x). assert (Hr : 0 <= r <= 1).
    { unfold r. split; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|]. apply Rle_div_l; lra. }
    assert (Hc := power_convex b 2 1 r Hb ltac:(lra) ltac:(lra) Hr).
    replace (r * 2 + (1 - r) * 1) with (1 + r) in Hc by ring.
    assert (E1 : power 1 b = 1) by (unfold power; destruct (Rlt_dec 0 1); [apply Rpower_1_l|lra]).
    assert (E2 : power 2 b = Rpower 2 b) by (unfold power; destruct (Rlt_dec 0 2); [auto|lra]).
    rewrite E1, E2 in Hc.
    assert (Ex : forall e, power x e = Rpower x e) by (intros; unfold power; destruct (Rlt_dec 0 x); [auto|lra]).
    assert (Exy : power (x + y) b = Rpower x b * power (1 + r) b).
    { unfold power. destruct (Rlt_dec 0 (x + y)); [|lra]. destruct (Rlt_dec 0 (1 + r)); [|lra].
      rewrite Rpower_mult_distr by lra. f_equal. unfold r. field. lra. }
    assert (Hxb : Rpower x b = x * Rpower x (b - 1)).
    { rewrite <- (Rpower_1 x) at 2 by auto. rewrite <- Rpower_plus. f_equal. ring. }
    rewrite Exy, (Ex b), (Ex (b - 1)). assert (Hp := Rpower_pos x (b - 1)). rewrite (Ex (b - 1)) in Qx.
    apply Rle_trans with (Rpower x b + (Rpower 2 b - 1) * (y * Rpower x (b - 1))).
    - replace (Rpower x b + (Rpower 2 b - 1) * (y * Rpower x (b - 1))) with
        (Rpower x b * (r * Rpower 2 b + (1 - r) * 1)).
      + apply Rmult_le_compat_l; [left; apply Rpower_pos|exact Hc].
      + rewrite Hxb. unfold r. field. lra.
    - assert (y * Rpower x (b - 1) <= k * Rpower x (b - 1)) by (apply Rmult_le_compat_r; lra).
      assert ((Rpower 2 b - 1) * (y * Rpower x (b - 1)) <= (Rpower 2 b - 1) * (k * Rpower x (b - 1))) by
        (apply Rmult_le_compat_l; lra).
      assert (0 <= (Rpower 2 b - 1) * k * power y (b - 1)) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|auto]).
      lra. }
  intros Hx Hy Hk Hxy. destruct (Rle_dec y x) as [H|H].
  - apply Main; auto. lra.
  - rewrite (Rplus_comm x y). eapply Rle_trans; [apply Main; lra|]. lra.
Qed.

(* Both sides together: one of them is at most what the noise alone exceeds. *)
Theorem together_fresh event j b Mu Md mu md : 1 <= b -> fresh j (on event up) b Mu -> fresh j (on event down) b Md ->
  fresh j (on event up) (b - 1) mu -> fresh j (on event down) (b - 1) md ->
  fresh j (on event (fun u S => up u S + down u S)) b
    (Mu + Md + (Rpower 2 b - 1) * tail (noises j) (tau j) * (mu + md)).
Proof.
  intros Hb (HMu & Hu) (HMd & Hd) (Hmu & Hu1) (Hmd & Hd1). set (k := tail (noises j) (tau j)).
  assert (Hk : 0 <= k) by now apply tail_nonneg.
  assert (H2 : 1 <= Rpower 2 b).
  { apply Rle_trans with (Rpower 2 0); [rewrite Rpower_O; lra|]. apply Rle_Rpower; lra. }
  assert (HK : 0 <= (Rpower 2 b - 1) * k) by (apply Rmult_le_pos; lra).
  split.
  { assert (0 <= (Rpower 2 b - 1) * k * (mu + md)) by (apply Rmult_le_pos; lra). lra. }
  intros u Hl.
  apply Rle_trans with (E (fun S => (power (on event up u S) b + power (on event down u S) b) +
    (Rpower 2 b - 1) * k * (power (on event up u S) (b - 1) + power (on event down u S) (b - 1)))).
  - rewrite (prodE_length Ds (fun S => power (on event (fun u S => up u S + down u S) u S) b)
      (fun S => if Nat.eqb (length S) (length Ds) then power (on event (fun u S => up u S + down u S) u S) b else 0)).
    2:{ intros S HS. now rewrite HS, Nat.eqb_refl. }
    apply mean_mono. intros S. destruct (Nat.eqb_spec (length S) (length Ds)) as [HS|HS].
    + replace (on event (fun u S => up u S + down u S) u S) with (on event up u S + on event down u S) by
        (unfold LowVariance.on; ring).
      assert (Hup : 0 <= up u S).
      { unfold LowVariance.up. destruct count_above; [now apply tail_nonneg|lra]. }
      assert (Hdown : 0 <= down u S).
      { unfold LowVariance.down. destruct count_below; [now apply tail_nonneg|lra]. }
      assert (Hi := ind_range (event u) S).
      assert (Hle : up u S <= k \/ down u S <= k).
      { unfold LowVariance.up, LowVariance.down. rewrite Hl, flip_over by auto. fold k.
        destruct (Rle_dec 0 (over_truth (ask u) S)) as [H|H]; [right|left].
        - destruct count_below; [|lra]. apply tail_falls; auto. lra.
        - destruct count_above; [|lra]. apply tail_falls; auto. lra. }
      eapply Rle_trans; [apply (powers_add b k); auto; try (apply Rmult_le_pos; lra)|right; ring].
      unfold LowVariance.on. destruct Hle; [left|right]; nra.
    + apply Rplus_le_le_0_compat; [apply Rplus_le_le_0_compat; apply power_nonneg|]. apply Rmult_le_pos; auto.
      apply Rplus_le_le_0_compat; apply power_nonneg.
  - rewrite mean_plus, mean_plus, mean_scal, mean_plus. specialize (Hu u Hl). specialize (Hd u Hl).
    specialize (Hu1 u Hl). specialize (Hd1 u Hl).
    assert ((Rpower 2 b - 1) * k * (E (fun S => power (on event up u S) (b - 1)) + E (fun S => power (on event down u
      S) (b - 1))) <=
      (Rpower 2 b - 1) * k * (mu + md)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* T_b is never more than 1. *)
Theorem at_most_1 event j b : 0 <= b -> fresh j (on event up) b 1 /\ fresh j (on event down) b 1.
Proof.
  intros Hb.
  assert (H : forall (side : list cell -> list X -> R), (forall u S, 0 <= side u S <= 1) -> fresh j (on event side) b 1).
  { intros side Hs. split; [lra|]. intros u _. rewrite <- (mean_one E). apply mean_mono. intros S.
    destruct (Hs u S) as (H0 & H1). assert (Hi := ind_range (event u) S).
    apply Rle_trans with (power 1 b).
    - apply power_le; auto. unfold LowVariance.on. nra.
    - unfold power. destruct (Rlt_dec 0 1); [rewrite Rpower_1_l|]; lra. }
  assert (Ht : forall l y, 0 <= tail (noises l) y <= 1).
  { intros l y. split; [now apply tail_nonneg|]. assert (Hp := all_proper l). unfold tail.
    destruct (noises l) as [|s|s k] eqn:En; [destruct (Rle_dec y 0); lra| |];
      assert (Hc := cdf_of_rises _ m_infty y Hp Logic.I); rewrite (proj1 (cdf_of_ends _ Hp)) in Hc; lra. }
  split; apply H; intros u S; [unfold LowVariance.up; destruct count_above|unfold LowVariance.down; destruct count_below];
    try apply Ht; lra.
Qed.

(* The sample's share. *)
Lemma share_crossing (psi : list cell -> X -> R) (g v : nat -> R) j b W (share : list cell ->
  query X) (alpha beta sigma q : R) :
  weight Ds noises g v j b W -> 0 < beta -> 0 < q < sigma -> sigma <= 1 -> v j = alpha + beta * sigma ->
  (forall u, length u = j -> pop Ds (share u) <= q) ->
  (forall u x, length u = j -> psi u x = alpha + beta * fn (share u) x) ->
  crossing Ds noises psi g v j (W (exp (- n * kl sigma q))).
Proof.
  intros HW Hbeta Hq Hs Hv Hpop Hpsi. assert (Hn := Tails.n_pos Ds some_rows).
  exists b, W, (exp (- n * kl sigma q)). split; auto. split; [apply exp_pos|]. split; [|lra].
  intros u Hu. eapply Rle_trans; [|apply (tail_kl Ds some_rows (share u) q sigma (Hpop u Hu)); lra].
  apply (P_length Ds). intros S HS H. unfold held, mean_on in H. rewrite Hu, Hv in H.
  assert (Es : sumR S (psi u) / n = alpha + beta * emp Ds (share u) S).
  { rewrite (sumR_ext S _ (fun x => alpha + beta * fn (share u) x)) by (intros; now apply Hpsi).
    rewrite sumR_plus, sumR_const, sumR_scal, HS. unfold emp, Tails.n in *. field. lra. }
  rewrite Es in H. apply Rle_ge. apply Rnot_lt_le. intros Hlt. apply H. nra.
Qed.

End Fresh.

(* The rows. The records and the mechanism are those of the low-variance bound. *)
Section Rows.
Context {X : Type}.
Variable x0 : X.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Hypothesis support : forall D, In D Ds -> finite D.
Notation n := (Tails.n Ds).
Variable noises : nat -> noise.
Hypothesis all_proper : forall j, proper (noises j).
Variable cuts : list cell -> list R.
Hypothesis cuts_sorted : forall u, sorted m_infty (cuts u).
Variable tau : nat -> R.
Variables count_above count_below : bool.
(* The shares that the sample may have, and the bound for the population. *)
Variable sigma : nat -> R.
Variable q : R.
Notation over_truth := (over_truth Ds).

Section Differences.
Variable asked : list cell -> difference X.
Definition size (u : list cell) : query X.
  exists (fun x => Rabs (dn (asked u) x)). intros x. destruct (asked u) as [f Hf]. simpl. specialize (Hf x).
  split; [apply Rabs_pos|]. unfold Rabs. destruct (Rcase_abs (f x)); lra.
Defined.
Definition ask_difference (u : list cell) : query X := as_query (asked u).
Definition psi_difference (u : list cell) (x : X) : R := fn (size u) x / 4.
Notation g := (fun _ : nat => 1/2).
Notation v := (fun j => sigma j / 4).
Notation up := (up Ds noises ask_difference tau count_above).
Notation down := (down Ds noises ask_difference tau count_below).

Lemma psi_difference_above u x : (fn (ask_difference u) x - 1/2)^2 <= psi_difference u x.
Proof.
  unfold psi_difference, ask_difference. simpl. destruct (asked u) as [f Hf]. simpl. specialize (Hf x).
  unfold Rabs. destruct (Rcase_abs (f x)); nra.
Qed.

Lemma psi_difference_below u x : psi_difference u x <= (1/2)^2.
Proof. unfold psi_difference. generalize (proj2_sig (size u) x). unfold fn. lra. Qed.

Hypothesis q_pos : 0 < q.
Hypothesis small_size : forall u, pop Ds (size u) <= q.

Lemma minus_flip f S : over_truth (flip (as_query f)) S = over_truth (as_query (minus f)) S.
Proof.
  assert (E : forall x, fn (flip (as_query f)) x = fn (as_query (minus f)) x) by (intros; simpl; field).
  unfold Joint.over_truth, emp, pop. rewrite (sumR_ext S (fn (flip (as_query f))) (fn (as_query (minus
    f)))) by auto.
  rewrite (sumR_ext Ds (fun D => D (fn (flip (as_query f)))) (fun D => D (fn (as_query (minus f))))); auto.
  intros D _. now apply mean_ext.
Qed.

(* T on either side, whatever the event. *)
Theorem difference_fresh event j b c h : line (noises j) c h -> 0 < b -> 0 < h ->
  fresh Ds j (on event up) b (tail_bound b c h (n * G q (b * h / (2 * n))) (tau j)) /\
  fresh Ds j (on event down) b (tail_bound b c h (n * G q (b * h / (2 * n))) (tau j)).
Proof.
  intros Hl Hb Hh. apply sides_fresh; auto; intros Hbh u.
  - apply difference_exponent; auto. apply small_size.
  - rewrite (mean_ext (prodE Ds) _ (fun S => exp (b * h * over_truth (as_query (minus (asked u))) S))) by
      (intros; unfold ask_difference; now rewrite minus_flip).
    apply difference_exponent; auto. eapply Rle_trans; [|apply (small_size u)]. right. unfold average, pop. f_equal.
    apply sumR_ext. intros D _. apply mean_ext. intros x. simpl. apply Rabs_Ropp.
Qed.

(* eta. *)
Theorem difference_crossing j b W : weight Ds noises g v j b W -> q < sigma j <= 1 ->
  crossing Ds noises psi_difference g v j (W (exp (- n * kl (sigma j) q))).
Proof.
  intros HW Hs. apply (share_crossing Ds some_rows noises psi_difference g v j b W size 0 (1/4)); auto; try lra.
  intros u x _. unfold psi_difference. field.
Qed.

(* T of a mechanism that checks, at any xi >= ln cosh l. *)
Theorem difference_checked_fresh j b c h xi : line (noises j) c h -> 0 < b -> 0 < h ->
  let l := b * h / (2 * n) in let e := n * (xi * sigma j + room (l / (1 - exp (- (l + xi))))) in
  cosh l <= exp xi ->
  fresh Ds j (on (held Ds psi_difference v) up) b (tail_bound b c h e (tau j)) /\
  fresh Ds j (on (held Ds psi_difference v) down) b (tail_bound b c h e (tau j)).
Proof.
  intros Hl Hb Hh l e Hxi. assert (Hbh : 0 < b * h) by now apply Rmult_lt_0_compat.
  assert (Hn := Tails.n_pos Ds some_rows).
  assert (Hl0 : 0 < l) by (apply Rdiv_lt_0_compat; lra).
  assert (Hx0 : 0 <= xi).
  { apply Rnot_lt_le. intros Hlt. assert (exp xi < exp 0) by now apply exp_increasing. rewrite exp_0 in H.
    generalize (cosh_ge_1 l). lra. }
  set (s := 1 - exp (- (l + xi))). assert (Hs : 0 < s).
  { unfold s. assert (exp (- (l + xi)) < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in H. lra. }
  assert (Hrow : forall (D : law X) (f : difference X),
    D (fun x => exp (l * dn f x - xi * Rabs (dn f x))) <= exp (l * D (dn f) + room (l / s))).
  { intros D f. set (g := dn f).
    set (al := D (fun x => Rmax 0 (g x))). set (be := D (fun x => Rmax 0 (- g x))).
    assert (Hg : D g = al - be).
    { unfold al, be. rewrite (mean_ext D g (fun x => Rmax 0 (g x) + -1 * Rmax 0 (- g x))).
      - rewrite mean_plus, mean_scal. ring.
      - intros x. unfold Rmax. destruct (Rle_dec 0 (g x)), (Rle_dec 0 (- g x)); lra. }
    assert (Hal : 0 <= al) by (apply mean_nonneg; intros; apply Rmax_l).
    assert (Hbe : 0 <= be) by (apply mean_nonneg; intros; apply Rmax_l).
    set (M := 1 + al * (exp (l - xi) - 1) + be * (exp (- l - xi) - 1)).
    assert (HM : D (fun x => exp (l * g x - xi * Rabs (g x))) <= M).
    { apply Rle_trans with (D (fun x => 1 + (Rmax 0 (g x) * (exp (l - xi) - 1) + Rmax 0 (- g x) * (exp (- l - xi) -
      1)))).
      - apply mean_mono. intros x. assert (Hr : -1 <= g x <= 1) by apply (proj2_sig f).
        destruct (Rle_dec 0 (g x)) as [H0|H0].
        + rewrite Rabs_pos_eq, Rmax_right, (Rmax_left 0 (- g x)) by lra.
          assert (H := exp_chord (l - xi) (g x) ltac:(lra)). replace (l * g x - xi * g x) with ((l - xi) * g x) by
            ring. lra.
        + rewrite Rabs_left, (Rmax_left 0 (g x)), (Rmax_right 0 (- g x)) by lra.
          assert (H := exp_chord (- l - xi) (- g x) ltac:(lra)).
          replace (l * g x - xi * - g x) with ((- l - xi) * - g x) by ring. lra.
      - rewrite (mean_plus D (fun _ => 1)), mean_one, mean_plus, !mean_scal_r. fold al be. unfold M. lra. }
    assert (HM0 : 0 < M).
    { eapply Rlt_le_trans; [|exact HM]. apply Rlt_le_trans with (D (fun _ => exp (- (l + xi)))).
      - rewrite mean_const. apply exp_pos.
      - apply mean_mono. intros x. assert (Hr : -1 <= g x <= 1) by apply (proj2_sig f). apply exp_le.
        unfold Rabs. destruct (Rcase_abs (g x)); nra. }
    eapply Rle_trans; [exact HM|]. rewrite <- (exp_ln M HM0). apply exp_le.
    assert (H := room_above l s M Hl0 Hs HM0). rewrite Hg.
    assert (Es : exp (- l - xi) - 1 = - s) by (unfold s; replace (- l - xi) with (- (l + xi)) by ring; ring).
    assert (EM : (M - 1) * (l / s) = al * ((exp (l - xi) - 1) * (l / s)) + - be * l) by (unfold M; rewrite Es; field;
      lra).
    assert (Hz : 0 < l / s) by now apply Rdiv_lt_0_compat.
    (* what a positive value gains is not more than its price *)
    assert (Hup : (exp (l - xi) - 1) * (l / s) <= l).
    { apply Rmult_le_reg_r with (s / l); [now apply Rdiv_lt_0_compat|].
      replace ((exp (l - xi) - 1) * (l / s) * (s / l)) with (exp (l - xi) - 1) by (field; lra).
      replace (l * (s / l)) with s by (field; lra). unfold s. replace (- (l + xi)) with (- l + - xi) by ring.
      unfold Rminus. rewrite !exp_plus, exp_Ropp. assert (He := exp_pos xi). unfold cosh in Hxi.
      apply Rmult_le_reg_r with (exp xi); auto.
      replace ((exp l * / exp xi + - (1)) * exp xi) with (exp l - exp xi) by (field; lra).
      replace ((1 + - (exp (- l) * / exp xi)) * exp xi) with (exp xi - exp (- l)) by (field; lra). lra. }
    assert (al * ((exp (l - xi) - 1) * (l / s)) <= al * l) by (apply Rmult_le_compat_l; auto). lra. }
  assert (Side : forall u (f : difference X), length u = j -> (forall x, Rabs (dn f x) = Rabs (dn (asked u) x)) ->
    prodE Ds (fun S => ind (held Ds psi_difference v u) S * exp (b * h * over_truth (as_query f) S)) <= exp e).
  { intros u f Hu Hf. apply (checked_deviation Ds (as_query f) (dn f) (fun x => Rabs (dn f x)) (b * h) l xi (sigma
    j)); auto.
    - intros S HS. rewrite (over_truth_difference Ds some_rows f S HS). unfold l. field. lra.
    - intros S HS HA. unfold held, mean_on in HA. rewrite Hu in HA.
      rewrite (sumR_ext S (psi_difference u) (fun x => / 4 * Rabs (dn f x))) in HA.
      + rewrite sumR_scal in HA. apply Rmult_le_compat_r with (r := 4 * n) in HA; [|lra].
        replace (/ 4 * sumR S (fun x => Rabs (dn f x)) / n * (4 * n)) with (sumR S (fun x => Rabs (dn f x))) in HA by
          (field; lra).
        lra.
      + intros x _. unfold psi_difference. simpl. rewrite Hf. field.
    - intros D _. eapply Rle_trans; [apply Hrow|]. apply exp_le. fold s. lra. }
  split; [apply up_fresh|apply down_fresh]; auto; try lra; intros u Hu.
  - now apply Side.
  - rewrite (mean_ext (prodE Ds) _ (fun S => ind (held Ds psi_difference v u) S *
      exp (b * h * over_truth (as_query (minus (asked u))) S))) by (intros; unfold ask_difference;
        now rewrite minus_flip).
    apply Side; auto. intros x. simpl. apply Rabs_Ropp.
Qed.

Notation certified := (certified Ds noises ask_difference tau count_above count_below psi_difference g v).
Notation crossing := (crossing Ds noises psi_difference g v).
Notation together := (together Ds noises ask_difference tau count_above count_below g v).

Hypothesis sigma_pos : forall j, 0 < sigma j.

(* Differences in [-1,1] with a mean size of at most q. *)
Theorem differences (m : nat) (eps eta : nat -> R) (last : R) : normal_before noises m ->
  (forall j, (j < m)%nat -> certified j (eps j) /\ crossing j (eta j)) ->
  (exists e e', certified m e /\ crossing m e' /\ e + e' <= last) \/ together (fun _ _ => True) m last ->
  fails Ds (fun j => cdf_of (noises j)) ask_difference cuts tau count_above count_below (S m) <=
    sumR (seq 0 m) (fun j => eps j + eta j) + last.
Proof.
  apply (low_variance x0 Ds some_rows support noises all_proper ask_difference cuts cuts_sorted tau count_above
    count_below
    psi_difference (fun _ => 1/2)).
  - intros; lra.
  - intros j. specialize (sigma_pos j). lra.
  - apply psi_difference_above.
  - intros; apply psi_difference_below.
Qed.

(* Differences whose size on the sample the mechanism checks. *)
Theorem differences_checked (m : nat) (eps : nat -> R) : normal_before noises (pred m) ->
  (forall j, (j < m)%nat -> certified j (eps j)) ->
  checked_fails Ds noises ask_difference cuts tau count_above count_below psi_difference v m <= sumR (seq 0 m) eps.
Proof.
  apply (low_variance_checked x0 Ds some_rows support noises all_proper ask_difference cuts cuts_sorted tau
    count_above
    count_below psi_difference (fun _ => 1/2)).
  - intros; lra.
  - intros j. specialize (sigma_pos j). lra.
  - apply psi_difference_above.
  - intros; apply psi_difference_below.
Qed.

End Differences.

Section Accuracies.
Variable asked : list cell -> { f : query X | zero_one f }.
Notation ask := (fun u => proj1_sig (asked u)).
(* The rate of errors. *)
Definition errors (u : list cell) : query X := flip (ask u).
Definition psi_accuracy (u : list cell) (x : X) : R := (fn (ask u) x - (1 - q))^2.
Notation g := (fun _ : nat => 1 - q).
Notation v := (fun j => q^2 + (1 - 2 * q) * sigma j).
Notation up := (up Ds noises ask tau count_above).
Notation down := (down Ds noises ask tau count_below).
Hypothesis q_range : 0 < q < 1/2.

Lemma psi_accuracy_share u x : psi_accuracy u x = q^2 + (1 - 2 * q) * fn (errors u) x.
Proof.
  unfold psi_accuracy, errors. destruct (asked u) as [f Hf]. simpl. destruct (Hf x) as [H|H]; unfold fn in *;
    rewrite H; ring.
Qed.

Lemma psi_accuracy_below u x : psi_accuracy u x <= (1 - q)^2.
Proof. rewrite psi_accuracy_share. generalize (proj2_sig (errors u) x). unfold fn. nra. Qed.

Hypothesis few_errors : forall u, 1 - q <= pop Ds (ask u).

Lemma errors_mean u : pop Ds (errors u) <= q.
Proof. unfold errors. rewrite pop_flip by auto. generalize (few_errors u). lra. Qed.

Theorem accuracy_fresh event j b c h : line (noises j) c h -> 0 < b -> 0 < h ->
  fresh Ds j (on event up) b (tail_bound b c h (n * H01 (- (b * h) / n) (worst (- (b * h) / n) q)) (tau j)) /\
  fresh Ds j (on event down) b (tail_bound b c h (n * H01 (b * h / n) (worst (b * h / n) q)) (tau j)).
Proof.
  intros Hl Hb Hh. apply sides_fresh; auto; intros Hbh u.
  - rewrite (prodE_length Ds _ (fun S => exp (- (b * h) * over_truth (errors u) S))).
    + apply errors_exponent; auto; [lra|apply errors_mean|lra].
    + intros S HS. unfold errors. rewrite flip_over by auto. f_equal. ring.
  - apply errors_exponent; auto; [lra|apply errors_mean|lra].
Qed.

Theorem accuracy_crossing j b W : weight Ds noises g v j b W -> q < sigma j <= 1 ->
  crossing Ds noises psi_accuracy g v j (W (exp (- n * kl (sigma j) q))).
Proof.
  intros HW Hs. apply (share_crossing Ds some_rows noises psi_accuracy g v j b W errors (q^2) (1 - 2 * q)); auto;
    try lra.
  - intros u _. apply errors_mean.
  - intros u x _. apply psi_accuracy_share.
Qed.

(* T of a mechanism that checks: above at any xi >= 0, below at any xi >= 0 less than l. *)
Lemma accuracy_checked_side (side : list cell -> query X) sgn j b h xi w : sgn * sgn = 1 -> 0 < b -> 0 < h ->
  0 <= xi -> 0 < w ->
  let l := b * h / n in exp (sgn * l - xi) - 1 = sgn * w ->
  (forall u S, length S = length Ds -> over_truth (side u) S = sgn * over_truth (errors u) S) ->
  forall u, length u = j -> prodE Ds (fun S => ind (held Ds psi_accuracy v u) S * exp (b * h * over_truth (side
    u) S)) <=
    exp (n * (xi * sigma j + room (l / w))).
Proof.
  intros Hsgn Hb Hh Hxi Hw l Hl Hside u Hu. assert (Hbh : 0 < b * h) by now apply Rmult_lt_0_compat.
  assert (Hn := Tails.n_pos Ds some_rows). assert (Hl0 : 0 < l) by (apply Rdiv_lt_0_compat; lra).
  assert (H01 : forall x, fn (errors u) x = 0 \/ fn (errors u) x = 1).
  { intros x. unfold errors. destruct (asked u) as [f Hf]. simpl. destruct (Hf x) as [H|H]; unfold fn in *; rewrite H;
    lra. }
  apply (checked_deviation Ds (side u) (fn (errors u)) (fn (errors u)) (b * h) (sgn * l) xi (sigma j)); auto.
  - intros S HS. rewrite Hside by auto. unfold Joint.over_truth, emp, pop, l. field. lra.
  - intros S HS HA. unfold held, mean_on in HA. rewrite Hu in HA.
    rewrite (sumR_ext S (psi_accuracy u) (fun x => q^2 + (1 - 2 * q) * fn (errors u) x)) in HA by (intros;
      apply psi_accuracy_share).
    rewrite sumR_plus, sumR_const, sumR_scal, HS in HA. change (INR (length Ds)) with n in HA.
    apply Rmult_le_reg_l with (1 - 2 * q); [lra|]. apply Rmult_le_compat_r with (r := n) in HA; [|lra].
    replace ((n * q^2 + (1 - 2 * q) * sumR S (fn (errors u))) / n * n) with (n * q^2 + (1 - 2 * q) * sumR S (fn
      (errors u))) in HA by
      (field; lra). lra.
  - intros D _. set (m := D (fn (errors u))). assert (Hm : 0 <= m <= 1) by apply mean_range.
    rewrite (mean_ext D _ (fun x => 1 + fn (errors u) x * (exp (sgn * l - xi) - 1))).
    2:{ intros x. destruct (H01 x) as [->| ->]; [rewrite !Rmult_0_r, Rminus_0_r, exp_0|rewrite !Rmult_1_r]; ring. }
    rewrite (mean_plus D (fun _ => 1)), mean_one, mean_scal_r, Hl. fold m.
    assert (HM : 0 < 1 + m * (sgn * w)) by (rewrite <- Hl; generalize (exp_pos (sgn * l - xi)); nra).
    rewrite <- (exp_ln _ HM). apply exp_le. assert (H := room_above l w _ Hl0 Hw HM).
    replace ((1 + m * (sgn * w) - 1) * (l / w)) with (sgn * l * m) in H by (field; lra). lra.
Qed.

Theorem accuracy_checked_above j b c h xi : line (noises j) c h -> 0 < b -> 0 < h -> 0 <= xi ->
  let l := b * h / n in
  fresh Ds j (on (held Ds psi_accuracy v) up) b
    (tail_bound b c h (n * (xi * sigma j + room (l / (1 - exp (- (l + xi)))))) (tau j)).
Proof.
  intros Hl Hb Hh Hxi l. assert (Hbh : 0 < b * h) by now apply Rmult_lt_0_compat.
  assert (Hn := Tails.n_pos Ds some_rows).
  assert (Hl0 : 0 < l) by (apply Rdiv_lt_0_compat; lra). apply up_fresh; auto; [lra|].
  apply (accuracy_checked_side ask (-1)); auto; try lra.
  - assert (exp (- (l + xi)) < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in H. lra.
  - fold l. replace (-1 * l - xi) with (- (l + xi)) by ring. ring.
  - intros u S HS. unfold errors. rewrite flip_over by auto. ring.
Qed.

Theorem accuracy_checked_below j b c h xi : line (noises j) c h -> 0 < b -> 0 < h -> 0 <= xi ->
  let l := b * h / n in xi < l ->
  fresh Ds j (on (held Ds psi_accuracy v) down) b
    (tail_bound b c h (n * (xi * sigma j + room (l / (exp (l - xi) - 1)))) (tau j)).
Proof.
  intros Hl Hb Hh Hxi l Hlt. assert (Hbh : 0 < b * h) by now apply Rmult_lt_0_compat.
  apply down_fresh; auto; [lra|]. apply (accuracy_checked_side errors 1); auto; try lra.
  - assert (exp 0 < exp (l - xi)) by (apply exp_increasing; lra). rewrite exp_0 in H. lra.
  - fold l. replace (1 * l - xi) with (l - xi) by ring. ring.
  - intros u S HS. ring.
Qed.

Notation certified := (certified Ds noises ask tau count_above count_below psi_accuracy g v).
Notation crossing := (crossing Ds noises psi_accuracy g v).
Notation together := (together Ds noises ask tau count_above count_below g v).
Hypothesis sigma_pos : forall j, 0 < sigma j.

(* 0/1 values with a mean of at least 1 - q. *)
Theorem accuracies (m : nat) (eps eta : nat -> R) (last : R) : normal_before noises m ->
  (forall j, (j < m)%nat -> certified j (eps j) /\ crossing j (eta j)) ->
  (exists e e', certified m e /\ crossing m e' /\ e + e' <= last) \/ together (fun _ _ => True) m last ->
  fails Ds (fun j => cdf_of (noises j)) ask cuts tau count_above count_below (S m) <=
    sumR (seq 0 m) (fun j => eps j + eta j) + last.
Proof.
  apply (low_variance x0 Ds some_rows support noises all_proper ask cuts cuts_sorted tau count_above count_below
    psi_accuracy (fun _ => 1 - q)).
  - intros; lra.
  - intros j. specialize (sigma_pos j). nra.
  - intros; apply Rle_refl.
  - intros; apply psi_accuracy_below.
Qed.

(* 0/1 values whose rate of zeros on the sample the mechanism checks. *)
Theorem accuracies_checked (m : nat) (eps : nat -> R) : normal_before noises (pred m) ->
  (forall j, (j < m)%nat -> certified j (eps j)) ->
  checked_fails Ds noises ask cuts tau count_above count_below psi_accuracy v m <= sumR (seq 0 m) eps.
Proof.
  apply (low_variance_checked x0 Ds some_rows support noises all_proper ask cuts cuts_sorted tau count_above
    count_below
    psi_accuracy (fun _ => 1 - q)).
  - intros; lra.
  - intros j. specialize (sigma_pos j). nra.
  - intros; apply Rle_refl.
  - intros; apply psi_accuracy_below.
Qed.

End Accuracies.

Section Variances.
Variable ask : list cell -> query X.
(* The square of the distance from the truth: its truth is the variance of the mean law of the records. *)
Definition square (u : list cell) : query X.
  exists (fun x => (fn (ask u) x - pop Ds (ask u))^2). intros x.
  assert (H := pop_range Ds some_rows (ask u)). assert (H1 : 0 <= fn (ask u) x <= 1) by apply (proj2_sig (ask u)).
  split; [apply pow2_ge_0|]. set (t := pop Ds (ask u)) in *. set (y := fn (ask u) x) in *. nra.
Defined.
Definition psi_variance (u : list cell) (x : X) : R := fn (square u) x.
Notation g := (fun _ : nat => 1).
Notation v := sigma.
Notation up := (up Ds noises ask tau count_above).
Notation down := (down Ds noises ask tau count_below).
(* The least p with p(1-p) = q. *)
Variable p : R.
Hypothesis p_range : 0 < p <= 1/2.
Hypothesis p_least : p * (1 - p) = q.
Hypothesis small_variance : forall u, pop Ds (square u) <= q.

Lemma rows_variance u : average Ds (fun D => variance D (fn (ask u))) <= p * (1 - p).
Proof.
  rewrite p_least. eapply Rle_trans; [|apply (small_variance u)]. assert (Hn := Tails.n_pos Ds some_rows).
  apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply sumR_le. intros D _. simpl. apply variance_least.
Qed.

Lemma flipped_variance u : average Ds (fun D => variance D (fn (flip (ask u)))) <= p * (1 - p).
Proof.
  eapply Rle_trans; [|apply (rows_variance u)]. right. unfold average. f_equal. apply sumR_ext. intros D _.
  unfold variance. change (fn (flip (ask u))) with (fun x => 1 - fn (ask u) x). cbv beta.
  rewrite (mean_ext D (fun x => (1 - fn (ask u) x)^2) (fun x => (fn (ask u) x)^2 + ((-2) * fn (ask u) x + 1)))
    by (intros; ring).
  rewrite (mean_ext D (fun x => 1 - fn (ask u) x) (fun x => (-1) * fn (ask u) x + 1)) by (intros; ring).
  rewrite (mean_plus D (fun x => (fn (ask u) x)^2)), !(mean_plus D (fun x => _ * fn (ask u) x)), !mean_scal,
    mean_one.
  ring.
Qed.

Theorem variance_fresh event j b c h : line (noises j) c h -> 0 < b -> 0 < h ->
  fresh Ds j (on event up) b (tail_bound b c h (n * H01 (b * h / n) (worst (b * h / n) p)) (tau j)) /\
  fresh Ds j (on event down) b (tail_bound b c h (n * H01 (b * h / n) (worst (b * h / n) p)) (tau j)).
Proof.
  intros Hl Hb Hh. apply sides_fresh; auto; intros Hbh u.
  - apply variance_exponent; auto. apply rows_variance.
  - apply variance_exponent; auto. apply flipped_variance.
Qed.

Theorem variance_crossing j b W : weight Ds noises g v j b W -> q < sigma j <= 1 ->
  crossing Ds noises psi_variance g v j (W (exp (- n * kl (sigma j) q))).
Proof.
  intros HW Hs. assert (0 < q) by (rewrite <- p_least; nra).
  apply (share_crossing Ds some_rows noises psi_variance g v j b W square 0 1); auto; try lra.
  intros u x _. unfold psi_variance. ring.
Qed.

Notation certified := (certified Ds noises ask tau count_above count_below psi_variance g v).
Notation crossing := (crossing Ds noises psi_variance g v).
Notation together := (together Ds noises ask tau count_above count_below g v).
Hypothesis sigma_pos : forall j, 0 < sigma j.

(* Values in [0,1] with a variance of at most q under the mean law of the records. *)
Theorem variances (m : nat) (eps eta : nat -> R) (last : R) : normal_before noises m ->
  (forall j, (j < m)%nat -> certified j (eps j) /\ crossing j (eta j)) ->
  (exists e e', certified m e /\ crossing m e' /\ e + e' <= last) \/ together (fun _ _ => True) m last ->
  fails Ds (fun j => cdf_of (noises j)) ask cuts tau count_above count_below (S m) <=
    sumR (seq 0 m) (fun j => eps j + eta j) + last.
Proof.
  apply (low_variance x0 Ds some_rows support noises all_proper ask cuts cuts_sorted tau count_above count_below
    psi_variance (fun u => pop Ds (ask u))).
  - intros; lra.
  - apply sigma_pos.
  - intros; apply Rle_refl.
  - intros u x. assert (H : 0 <= psi_variance u x <= 1) by apply (proj2_sig (square u)). lra.
Qed.

End Variances.
End Rows.
