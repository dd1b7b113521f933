(* docs/theorems/variance.md, "Constraints cost nothing": a bound on a mean over the sample, as a tilt that stays in the
   class. *)

From Coq Require Import Reals Lra Lia List Psatz ClassicalDescription.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Kappa Variance Posterior Line.
Import ListNotations.
Open Scope R_scope.

Section Constraint.
Context {X : Type}.
Variable x0 : X.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Hypothesis support : forall D, In D Ds -> finite D.
Notation E := (prodE Ds).
Notation n := (Tails.n Ds).
Notation rows := (length Ds).
Notation class := (class x0 Ds).

(* The mean over the sample. *)
Definition mean_on (f : X -> R) (S : list X) : R := sumR S f / n.

(* What is zero wherever a function of mean zero is. *)
Lemma E_zero f g : (forall S, length S = rows -> 0 <= f S) -> E f = 0 ->
  (forall S, length S = rows -> f S = 0 -> g S = 0) -> E g = 0.
Proof.
  intros Hf H0 Hg. destruct (finite_sample Ds support) as (L & Hw & Hl & HL). rewrite HL in *.
  rewrite (sumR_ext L _ (fun _ => 0)); [rewrite sumR_const; ring|]. intros a Ha.
  assert (Hz : snd a * f (fst a) = 0).
  { apply (Ising.sumR_zero L (fun a => snd a * f (fst a))); auto. intros b Hb. apply Rmult_le_pos; auto. }
  apply Rmult_integral in Hz. destruct Hz as [-> |Hz]; [ring|]. rewrite (Hg _ (Hl a Ha) Hz). ring.
Qed.

(* The tilt by a mean that should be at most w. *)
Definition tilt (psi : X -> R) (w xi : R) (S : list X) : R := exp (- xi * (mean_on psi S - w)).

Lemma tilt_class r lam psi w xi : class r lam -> class r (fun S => lam S * tilt psi w xi S).
Proof.
  intros H. apply (class_ext x0 Ds r (fun S => lam S * exp (- xi * (sumR S psi / n) + xi * w))).
  - intros S _. unfold tilt, mean_on. f_equal. f_equal. ring.
  - now apply class_tilted.
Qed.

Lemma tilt_above psi v w xi S : 0 <= xi -> v <= w -> mean_on psi S <= v -> 1 <= tilt psi w xi S.
Proof. intros Hx Hv H. unfold tilt. rewrite <- exp_0. apply exp_le. nra. Qed.

(* Some tilt has a mean of at most w and a total of at most that of lam, unless the mean is never below w. *)
Theorem tilt_exists r lam psi w : class r lam ->
  (exists xi, 0 <= xi /\ E (fun S => lam S * tilt psi w xi S * mean_on psi S) <= w * E (fun S => lam S * tilt psi w xi
    S) /\
    E (fun S => lam S * tilt psi w xi S) <= E lam) \/
  forall g, (forall S, w <= mean_on psi S -> g S = 0) -> E g = 0.
Proof.
  intros Hc. set (W := fun S => mean_on psi S - w). set (D := fun xi => E (fun S => lam S * (W S * exp (- xi * W S)))).
  assert (Hlam : forall S, length S = rows -> 0 < lam S) by (intros; now apply (class_pos x0 Ds r)).
  set (low := ind (fun S => W S < 0)). set (q2 := E (fun S => lam S * (low S * (W S)^2))).
  assert (H2 : forall S, length S = rows -> 0 <= lam S * (low S * (W S)^2)).
  { intros S HS. apply Rmult_le_pos; [left; auto|]. apply Rmult_le_pos; [apply ind_range|apply pow2_ge_0]. }
  assert (Hq2 : 0 <= q2) by (rewrite <- (mean_const E 0); apply (E_le Ds support); auto).
  destruct (Req_dec q2 0) as [Hq|Hq].
  { right. intros g Hg. apply (E_zero _ _ H2 Hq). intros S HS H. apply Hg.
  destruct (Rle_dec w (mean_on psi S)) as [|Hn]; auto.
    exfalso. assert (W S < 0) by (unfold W; lra). unfold low, ind in H.
    destruct (excluded_middle_informative (W S < 0)); [|tauto]. specialize (Hlam S HS).
    assert (0 < lam S * (1 * (W S)^2)); [|lra]. rewrite Rmult_1_l. apply Rmult_lt_0_compat; auto. nra. }
  left.
  assert (Hall : exists xi, 0 <= xi /\ D xi <= 0 /\ xi * D xi = 0).
  { destruct (Rle_dec (D 0) 0) as [H0|H0]; [exists 0; lra|].
    set (Cp := E (fun S => lam S * Rmax 0 (W S))).
    assert (HCp : 0 <= Cp).
    { unfold Cp. rewrite <- (mean_const E 0) at 1. apply (E_le Ds support). intros S HS.
      apply Rmult_le_pos; [left; auto|apply Rmax_l]. }
    set (b := Cp / q2). assert (Hb : 0 <= b) by (apply Rmult_le_pos; auto; left; apply Rinv_0_lt_compat; lra).
    assert (HD : D b <= 0).
    { apply Rle_trans with (E (fun S => lam S * Rmax 0 (W S) + - b * (lam S * (low S * (W S)^2)))).
      - apply (E_le Ds support). intros S HS.
        replace (lam S * Rmax 0 (W S) + - b * (lam S * (low S * (W S)^2))) with
          (lam S * (Rmax 0 (W S) - b * (low S * (W S)^2))) by ring.
        apply Rmult_le_compat_l; [left; auto|]. unfold low, ind.
        destruct (excluded_middle_informative (W S < 0)) as [Hw|Hw].
        + rewrite Rmax_left by lra. assert (He := exp_ge_1 (- b * W S)). nra.
        + rewrite Rmax_right by lra. assert (exp (- b * W S) <= 1) by (rewrite <- exp_0; apply exp_le; nra). nra.
      - rewrite mean_plus, mean_scal. fold Cp q2. unfold b. right. field. lra. }
    assert (Hcont : continuity D).
    { intros xi. apply continuous_pt, (ex_derive_continuous D). eexists.
      apply (E_derive Ds support lam (fun S y => W S * exp (- y * W S)) (fun S y => W S * (- W S * exp (- y * W S)))).
      intros S. auto_derive; auto; ring. }
    destruct (IVT_cor D 0 b Hcont Hb) as (xi & Hxi & Hz); [nra|]. exists xi. rewrite Hz. lra. }
  destruct Hall as (xi & Hxi & HD & Hz). exists xi. split; auto.
  assert (ED : E (fun S => lam S * tilt psi w xi S * mean_on psi S) = D xi + w * E (fun S => lam S * tilt psi w xi S)).
  { unfold D. rewrite <- mean_scal, <- mean_plus. apply mean_ext. intros S. unfold tilt. fold (W S). unfold W at 2.
  ring. }
  split; [lra|].
  apply Rle_trans with (E (fun S => lam S + - xi * (lam S * (W S * exp (- xi * W S))))).
  - apply (E_le Ds support). intros S HS. unfold tilt. fold (W S).
    assert (He := exp_ge_1 (xi * W S)). assert (Hp := exp_pos (- xi * W S)).
    assert (Hi : exp (- xi * W S) * exp (xi * W S) = 1) by (rewrite <- exp_plus, <- exp_0; f_equal; ring).
    assert (exp (- xi * W S) * (1 + xi * W S) <= 1) by (rewrite <- Hi; apply Rmult_le_compat_l; lra).
    specialize (Hlam S HS). nra.
  - rewrite mean_plus, mean_scal. fold (D xi). lra.
Qed.

(* "Constraints cost nothing", one at a time: what a law that has the constraint on its sample says of a function is at
   most what a tilt says of it, whose mean exceeds the constraint by as little as one likes. *)
Theorem constraint_costs_nothing r lam psi v eps : class r lam -> 0 < eps ->
  0 < E (fun S => lam S * ind (fun S => mean_on psi S <= v) S) ->
  exists lam', class r lam' /\ E (fun S => lam' S * mean_on psi S) <= (v + eps) * E lam' /\
    forall F, (forall S, 0 <= F S) ->
      E (fun S => lam S * ind (fun S => mean_on psi S <= v) S * F S) / E lam <= E (fun S => lam' S * F S) / E
        lam'.
Proof.
  intros Hc He Hm. destruct (tilt_exists r lam psi (v + eps) Hc) as [(xi & Hxi & H1 & H2)|H].
  2:{ exfalso. rewrite H in Hm; [lra|]. intros S HS. unfold ind.
      destruct (excluded_middle_informative (mean_on psi S <= v)); [lra|ring]. }
  set (lam' := fun S => lam S * tilt psi (v + eps) xi S) in *. exists lam'.
  assert (Hc' : class r lam') by now apply tilt_class.
  split; [exact Hc'|]. split; [exact H1|]. intros F HF. assert (HE := class_E_pos x0 Ds support r lam Hc).
  assert (HE' := class_E_pos x0 Ds support r lam' Hc').
  assert (HF0 : 0 <= E (fun S => lam' S * F S)).
  { rewrite <- (mean_const E 0) at 1. apply (E_le Ds support). intros S HS.
    apply Rmult_le_pos; auto. left. now apply (class_pos x0 Ds r). }
  apply Rle_trans with (E (fun S => lam' S * F S) / E lam).
  - apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply (E_le Ds support). intros S HS.
    apply Rmult_le_compat_r; auto. apply Rmult_le_compat_l; [left; now apply (class_pos x0 Ds r)|]. unfold ind.
    destruct (excluded_middle_informative (mean_on psi S <= v)) as [Hv|Hv]; [|left; apply exp_pos].
    apply (tilt_above psi v); auto. lra.
  - apply Rmult_le_compat_l; auto. apply Rinv_le_contravar; auto.
Qed.

End Constraint.
