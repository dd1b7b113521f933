(* docs/theorems/maxinfo.md, "renyi": pure privacy. Records have any laws; transcripts are finitely many.

   The divergence is bounded record by record: the mean over the later records of a likelihood that one record
   changes by a factor of e^eps at most is such a likelihood. *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Line.
From dpcalc Require Import Tree Count Gate Tails Weights Cvar.
Import ListNotations.
Open Scope R_scope.

(* The tangent of a power at 1. *)
Lemma power_tangent a z : 1 < a -> 1 + a * (exp z - 1) <= exp (a * z).
Proof.
  intros Ha. set (e := exp z). assert (He : 0 < e) by apply exp_pos.
  assert (H1 : e * (1 + (a - 1) * z) <= exp (a * z)).
  { replace (a * z) with (z + (a - 1) * z) by ring. rewrite exp_plus. fold e.
    apply Rmult_le_compat_l; [lra|apply exp_ge_1]. }
  assert (H2 : e * (1 - z) <= 1).
  { assert (E : e * exp (- z) = 1) by (unfold e; rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
    generalize (exp_ge_1 (- z)). nra. }
  nra.
Qed.

(* Its chord. *)
Lemma power_chord a eps z : 1 < a -> 0 <= z <= eps ->
  (exp eps - 1) * exp (a * z) <= (exp eps - exp z) + (exp z - 1) * exp (a * eps).
Proof.
  intros Ha Hz. assert (Hv := exp_pos z). assert (Hv1 : 1 <= exp z) by (generalize (exp_ge_1 z); lra).
  assert (HE : exp z <= exp eps) by now apply exp_le.
  assert (Hp := exp_pos (a * z)).
  assert (T : forall y, exp (a * z) * (exp z + a * (exp y - exp z)) <= exp (a * y) * exp z).
  { intros y. assert (H := power_tangent a (y - z) Ha).
    replace (exp (a * y)) with (exp (a * z) * exp (a * (y - z))) by (rewrite <- exp_plus; f_equal; ring).
    replace (exp y) with (exp z * exp (y - z)) by (rewrite <- exp_plus; f_equal; ring).
    replace (exp (a * z) * (exp z + a * (exp z * exp (y - z) - exp z))) with
      (exp (a * z) * exp z * (1 + a * (exp (y - z) - 1))) by ring.
    replace (exp (a * z) * exp (a * (y - z)) * exp z) with (exp (a * z) * exp z * exp (a * (y - z))) by ring.
    apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact H]. }
  assert (T0 := T 0). rewrite Rmult_0_r, exp_0 in T0. assert (T1 := T eps).
  apply Rmult_le_reg_r with (exp z); auto.
  apply Rmult_le_compat_l with (r := exp eps - exp z) in T0; [|lra].
  apply Rmult_le_compat_l with (r := exp z - 1) in T1; [|lra].
  replace ((exp eps - 1) * exp (a * z) * exp z) with
    ((exp eps - exp z) * (exp (a * z) * (exp z + a * (1 - exp z))) +
     (exp z - 1) * (exp (a * z) * (exp z + a * (exp eps - exp z)))) by ring.
  lra.
Qed.

(* Two points. *)
Lemma two_points p a eps : 0 <= p <= 1 -> 1 < a ->
  1 - p + p * exp (a * eps) <= exp (a * (a - 1) * eps^2 / 8 + a * ln (1 - p + p * exp eps)).
Proof.
  intros Hp Ha. set (y := 1 - p + p * exp eps). assert (Hy : 0 < y) by (unfold y; generalize (exp_pos eps); nra).
  set (r := p * exp eps / y).
  assert (Hr : 0 <= r <= 1).
  { unfold r. split; [apply Rmult_le_pos; [apply Rmult_le_pos; [lra|left; apply exp_pos]|left; now apply Rinv_0_lt_compat]|].
    apply Rmult_le_reg_r with y; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. unfold y. lra. }
  assert (H1 := bernoulli_mgf r ((a - 1) * eps) Hr). assert (H2 := bernoulli_mgf r (- eps) Hr).
  assert (E1 : 1 - r + r * exp ((a - 1) * eps) = (1 - p + p * exp (a * eps)) / y).
  { replace (a * eps) with (eps + (a - 1) * eps) by ring. rewrite exp_plus. unfold r, y. field. fold y. lra. }
  assert (E2 : 1 - r + r * exp (- eps) = / y).
  { rewrite exp_Ropp. assert (He := exp_pos eps). unfold r, y. field. fold y. lra. }
  rewrite E1 in H1. rewrite E2 in H2.
  assert (H3 : - ln y <= - eps * r + eps^2 / 8).
  { rewrite <- ln_Rinv by auto. rewrite <- (ln_exp (- eps * r + eps^2 / 8)).
    apply Rcomplements.ln_le; [now apply Rinv_0_lt_compat|]. replace (eps^2) with ((- eps)^2) by ring. exact H2. }
  apply Rle_trans with (y * exp ((a - 1) * eps * r + ((a - 1) * eps)^2 / 8)).
  - apply Rmult_le_reg_r with (/ y); [now apply Rinv_0_lt_compat|].
    replace (y * exp ((a - 1) * eps * r + ((a - 1) * eps)^2 / 8) * / y) with
      (exp ((a - 1) * eps * r + ((a - 1) * eps)^2 / 8)) by (field; lra). exact H1.
  - rewrite <- (exp_ln y Hy) at 1. rewrite <- exp_plus. apply exp_le.
    assert ((a - 1) * - ln y <= (a - 1) * (- eps * r + eps^2 / 8)) by (apply Rmult_le_compat_l; lra). nra.
Qed.

(* One record. *)
Lemma one_record {X} (D : law X) (F : X -> R) eps a : 0 <= eps -> 1 < a -> (forall x, 0 < F x) ->
  (forall x y, F x <= exp eps * F y) ->
  0 < D F /\ D (fun x => Rpower (F x) a) <= exp (a * (a - 1) * eps^2 / 8) * Rpower (D F) a.
Proof.
  intros He Ha HF Hr.
  assert (Hl : forall x y, ln (F x) <= ln (F y) + eps).
  { intros x y. rewrite <- (ln_exp eps), Rplus_comm, <- ln_mult by (auto using exp_pos).
    apply Rcomplements.ln_le; auto. }
  destruct (lowest D (fun x => ln (F x)) eps Hl) as [lo Hlo]. set (c := exp lo). assert (Hc : 0 < c) by apply exp_pos.
  set (v := fun x => exp (ln (F x) - lo)).
  assert (HFv : forall x, F x = c * v x).
  { intros x. unfold c, v. rewrite <- exp_plus. replace (lo + (ln (F x) - lo)) with (ln (F x)) by ring. now rewrite exp_ln. }
  assert (Hv : forall x, 1 <= v x <= exp eps).
  { intros x. specialize (Hlo x). split; [rewrite <- exp_0|]; unfold v; apply exp_le; lra. }
  assert (HDv : 1 <= D v <= exp eps).
  { split; [rewrite <- (mean_one D)|rewrite <- (mean_const D (exp eps))]; apply mean_mono; intros x; apply Hv. }
  assert (HDF : D F = c * D v) by (rewrite <- mean_scal; apply mean_ext; auto).
  split; [rewrite HDF; apply Rmult_lt_0_compat; lra|].
  assert (Hpow : forall x, Rpower (F x) a = exp (a * lo) * exp (a * (ln (F x) - lo))).
  { intros x. unfold Rpower. rewrite <- exp_plus. f_equal. ring. }
  rewrite (mean_ext D _ _ Hpow), mean_scal.
  assert (HR : Rpower (D F) a = exp (a * lo) * exp (a * ln (D v))).
  { unfold Rpower. rewrite HDF, ln_mult by lra. unfold c. rewrite ln_exp, <- exp_plus. f_equal. ring. }
  rewrite HR. replace (exp (a * (a - 1) * eps^2 / 8) * (exp (a * lo) * exp (a * ln (D v)))) with
    (exp (a * lo) * (exp (a * (a - 1) * eps^2 / 8) * exp (a * ln (D v)))) by ring.
  apply Rmult_le_compat_l; [left; apply exp_pos|]. rewrite <- exp_plus.
  destruct (Req_dec eps 0) as [E0|E0].
  - rewrite E0 in *. rewrite exp_0 in *. apply Rle_trans with (D (fun _ => 1)).
    + apply mean_mono. intros x. rewrite <- exp_0. apply exp_le. specialize (Hlo x). nra.
    + rewrite mean_const. replace (D v) with 1 by lra. rewrite ln_1, <- exp_0. apply exp_le. lra.
  - assert (HE : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing; lra).
    set (p := (D v - 1) / (exp eps - 1)).
    assert (Hp : 0 <= p <= 1).
    { unfold p. split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
      apply Rle_div_l; lra. }
    assert (HDp : D v = 1 - p + p * exp eps) by (unfold p; field; lra).
    rewrite HDp. eapply Rle_trans; [|apply two_points; auto].
    apply Rle_trans with (D (fun x => (exp eps - exp (a * eps)) / (exp eps - 1) + (exp (a * eps) - 1) / (exp eps - 1) * v x)).
    + apply mean_mono. intros x. specialize (Hlo x).
      assert (H := power_chord a eps (ln (F x) - lo) Ha ltac:(lra)). fold (v x) in H.
      apply Rmult_le_reg_l with (exp eps - 1); [lra|]. eapply Rle_trans; [exact H|]. right. field. lra.
    + rewrite mean_plus, mean_const, mean_scal. right. unfold p. field. lra.
Qed.

Section Records.
Context {X : Type}.
Variable eps a : R.
Hypothesis eps_nonneg : 0 <= eps.
Hypothesis order : 1 < a.

Lemma power_moment (Ds : list (law X)) (L : list X -> R) :
  (forall S, length S = length Ds -> 0 < L S) -> (forall s x y t, L (s ++ x :: t) <= exp eps * L (s ++ y :: t)) ->
  0 < prodE Ds L /\
  prodE Ds (fun S => Rpower (L S) a) <= exp (a * (a - 1) * (INR (length Ds) * eps^2 / 8)) * Rpower (prodE Ds L) a.
Proof.
  revert L. induction Ds as [|D Ds IH]; intros L Hpos Hratio.
  - simpl. split; [now apply Hpos|]. replace (a * (a - 1) * (0 * (eps * (eps * 1)) / 8)) with 0 by field. rewrite exp_0. lra.
  - set (F := fun x => prodE Ds (fun S => L (x :: S))).
    assert (HI : forall x, 0 < F x /\ prodE Ds (fun S => Rpower (L (x :: S)) a) <=
      exp (a * (a - 1) * (INR (length Ds) * eps^2 / 8)) * Rpower (F x) a).
    { intros x. apply (IH (fun S => L (x :: S))).
      - intros S HS. apply Hpos. simpl. now rewrite HS.
      - intros s y z t. apply (Hratio (x :: s)). }
    assert (HF : forall x y, F x <= exp eps * F y).
    { intros x y. unfold F. rewrite <- mean_scal. apply mean_mono. intros S. apply (Hratio nil). }
    destruct (one_record D F eps a eps_nonneg order (fun x => proj1 (HI x)) HF) as [H1 H2].
    change (prodE (D :: Ds) L) with (D F). split; auto.
    change (prodE (D :: Ds) (fun S => Rpower (L S) a)) with
      (D (fun x => prodE Ds (fun S => Rpower (L (x :: S)) a))).
    eapply Rle_trans; [apply mean_mono; intros x; apply (proj2 (HI x))|]. rewrite mean_scal.
    cbn [length]. rewrite S_INR.
    replace (a * (a - 1) * ((INR (length Ds) + 1) * eps^2 / 8)) with
      (a * (a - 1) * (INR (length Ds) * eps^2 / 8) + a * (a - 1) * eps^2 / 8) by field.
    rewrite exp_plus, (Rmult_assoc (exp _) (exp _)). apply Rmult_le_compat_l; [left; apply exp_pos|exact H2].
Qed.

End Records.

Section Renyi.
Context {X Pi : Type}.
Variable outcomes : list Pi.
Variable Ds : list (law X).
Variable k : kernel X Pi.
Variable eps : R.
Hypothesis eps_nonneg : 0 <= eps.
Hypothesis pure : private eps k.
Hypothesis k_total : forall S, sumR outcomes (k S) = 1.

Definition rho : R := INR (length Ds) * eps^2 / 8.
Notation chance := (Cvar.chance Ds k).

(* The transcript drawn with the sample, and drawn without it. *)
Notation together := (average outcomes Ds k).
Definition apart (f : list X -> Pi -> R) : R := sumR outcomes (fun pi => chance pi * prodE Ds (fun S => f S pi)).

(* A transcript that some sample does not give is given by none. *)
Lemma all_or_none pi : (forall S, length S = length Ds -> 0 < k S pi) \/ (forall S, length S = length Ds -> k S pi = 0).
Proof.
  assert (H : forall S T pre : list X, length S = length T -> k (pre ++ S) pi = 0 -> k (pre ++ T) pi = 0).
  { induction S as [|x S IH]; intros [|y T] pre Hl H0; simpl in Hl; try discriminate; auto.
    assert (Hy : k (pre ++ y :: S) pi = 0).
    { apply Rle_antisym; [|apply pure]. generalize (proj2 pure pre y x S pi). rewrite H0. lra. }
    replace (pre ++ y :: T) with ((pre ++ [y]) ++ T) by now rewrite <- app_assoc. apply IH; [congruence|].
    now rewrite <- app_assoc. }
  destruct (Classical_Prop.classic (exists S, length S = length Ds /\ k S pi = 0)) as [(S & HS & H0)|Hno].
  - right. intros T HT. apply (H S T nil); auto. congruence.
  - left. intros S HS. destruct (proj1 pure S pi) as [Hp|Hp]; auto. elim Hno. exists S. auto.
Qed.

Lemma chance_nonneg pi : 0 <= chance pi.
Proof. apply mean_nonneg. intros S. apply pure. Qed.

Lemma chance_total : sumR outcomes chance = 1.
Proof. unfold Cvar.chance. rewrite <- mean_sum. rewrite (mean_ext _ _ (fun _ => 1)); [apply mean_one|exact k_total]. Qed.

Definition all_zero (pi : Pi) : Prop := forall S, length S = length Ds -> k S pi = 0.

Lemma chance_zero pi : all_zero pi -> chance pi = 0.
Proof. intros H. unfold Cvar.chance. rewrite (prodE_length Ds _ (fun _ => 0)) by auto. apply mean_const. Qed.

(* (a): e^{(a-1) D_a} is the sum over the transcripts of the mean of the power a of the likelihood ratio, times the chance. *)
Definition moment (a : R) : R := sumR outcomes (fun pi =>
  if ClassicalDescription.excluded_middle_informative (all_zero pi) then 0
  else chance pi * prodE Ds (fun S => Rpower (k S pi / chance pi) a)).

Lemma one_transcript a pi : 1 < a -> ~ all_zero pi ->
  0 < chance pi /\ prodE Ds (fun S => Rpower (k S pi / chance pi) a) <= exp (a * (a - 1) * rho).
Proof.
  intros Ha Hz. destruct (all_or_none pi) as [Hpos|H]; [|now elim Hz].
  destruct (power_moment eps a eps_nonneg Ha Ds (fun S => k S pi) Hpos (fun s x y t => proj2 pure s x y t pi)) as [H1 H2].
  fold (chance pi) in H1, H2. fold rho in H2. split; auto.
  rewrite (prodE_length Ds _ (fun S => / Rpower (chance pi) a * Rpower (k S pi) a)).
  - rewrite mean_scal. assert (Hc : 0 < Rpower (chance pi) a) by apply exp_pos.
    apply Rmult_le_reg_l with (Rpower (chance pi) a); auto. rewrite <- Rmult_assoc, Rinv_r by lra. lra.
  - intros S HS. specialize (Hpos S HS). unfold Rpower, Rdiv. rewrite ln_mult, ln_Rinv by (auto; now apply Rinv_0_lt_compat).
    rewrite <- exp_Ropp, <- exp_plus. f_equal. ring.
Qed.

Theorem renyi_divergence a : 1 < a -> moment a <= exp (a * (a - 1) * rho).
Proof.
  intros Ha. unfold moment. apply Rle_trans with (sumR outcomes (fun pi => exp (a * (a - 1) * rho) * chance pi)).
  - apply sumR_le. intros pi _. destruct (ClassicalDescription.excluded_middle_informative (all_zero pi)) as [H|H].
    + rewrite (chance_zero pi H). lra.
    + rewrite Rmult_comm. apply Rmult_le_compat_r; [apply chance_nonneg|now apply one_transcript].
  - rewrite sumR_scal. change (sumR outcomes (fun pi => chance pi)) with (sumR outcomes chance). rewrite chance_total. lra.
Qed.

Lemma rho_nonneg : 0 <= rho.
Proof. unfold rho. apply Rmult_le_pos; [apply Rmult_le_pos; [apply pos_INR|apply pow2_ge_0]|lra]. Qed.

Lemma apart_nonneg (f : list X -> Pi -> R) : (forall S pi, 0 <= f S pi <= 1) -> 0 <= apart f.
Proof.
  intros Hf. apply sumR_nonneg. intros pi _. apply Rmult_le_pos; [apply chance_nonneg|]. apply mean_nonneg. intros; apply Hf.
Qed.

Lemma together_le_1 (f : list X -> Pi -> R) : (forall S pi, 0 <= f S pi <= 1) -> together f <= 1.
Proof.
  intros Hf. unfold average, joint. apply Rle_trans with (prodE Ds (fun _ => 1)); [|rewrite mean_const; lra].
  apply mean_mono. intros S. rewrite <- (k_total S). apply sumR_le. intros pi _. generalize (proj1 pure S pi) (Hf S pi). nra.
Qed.

(* Hoelder's inequality as a tangent, for an event with coins. *)
Lemma tangent_form (f : list X -> Pi -> R) a w : 1 < a -> (forall S pi, 0 <= f S pi <= 1) ->
  together f <= exp (a * (a - 1) * rho - (a - 1) * w) / a + exp w * (1 - 1 / a) * apart f.
Proof.
  intros Ha Hf. unfold average, apart, joint. rewrite mean_sum.
  set (A := exp (a * (a - 1) * rho - (a - 1) * w) / a). set (B := exp w * (1 - 1 / a)).
  assert (H1a : 0 < 1 / a) by (apply Rdiv_lt_0_compat; lra).
  assert (H1a1 : 1 / a < 1) by (apply Rlt_div_l; lra).
  assert (HB : 0 <= B) by (unfold B; apply Rmult_le_pos; [left; apply exp_pos|lra]).
  assert (HA : 0 <= A) by (unfold A; apply Rmult_le_pos; [left; apply exp_pos|left; apply Rinv_0_lt_compat; lra]).
  apply Rle_trans with (sumR outcomes (fun pi => A * chance pi + B * (chance pi * prodE Ds (fun S => f S pi)))).
  - apply sumR_le. intros pi _.
    destruct (ClassicalDescription.excluded_middle_informative (all_zero pi)) as [H|H].
    + rewrite (prodE_length Ds _ (fun _ => 0)); [rewrite mean_const, (chance_zero pi H); lra|].
      intros S HS. rewrite (H S HS). ring.
    + destruct (one_transcript a pi Ha H) as [Hc Hm]. destruct (all_or_none pi) as [Hpos|H']; [|now elim H].
      apply Rle_trans with (prodE Ds (fun S => chance pi *
        (exp (- (a - 1) * w) / a * Rpower (k S pi / chance pi) a + B * f S pi))).
      * apply prodE_mono. intros S HS. specialize (Hpos S HS). specialize (Hf S pi).
        set (u := ln (k S pi / chance pi)).
        assert (Hk : k S pi = chance pi * exp u).
        { unfold u. rewrite exp_ln by (now apply Rdiv_lt_0_compat). field. lra. }
        rewrite Hk at 1. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
        assert (T := power_tangent a (u - w) Ha).
        assert (HT : exp u <= exp (- (a - 1) * w) / a * Rpower (k S pi / chance pi) a + B).
        { unfold Rpower. fold u. unfold B.
          replace (exp (- (a - 1) * w) / a * exp (a * u)) with (exp w * exp (a * (u - w)) / a).
          2:{ rewrite <- exp_plus. replace (w + a * (u - w)) with (- (a - 1) * w + a * u) by ring. rewrite exp_plus. field. lra. }
          replace (exp u) with (exp w * exp (u - w)) by (rewrite <- exp_plus; f_equal; ring).
          replace (exp w * exp (a * (u - w)) / a + exp w * (1 - 1 / a)) with
            (exp w * ((exp (a * (u - w)) + (a - 1)) / a)) by (field; lra).
          apply Rmult_le_compat_l; [left; apply exp_pos|]. apply Rle_div_r; lra. }
        assert (0 <= exp (- (a - 1) * w) / a * Rpower (k S pi / chance pi) a).
        { apply Rmult_le_pos; [|left; apply exp_pos]. apply Rmult_le_pos; [left; apply exp_pos|left; apply Rinv_0_lt_compat; lra]. }
        nra.
      * rewrite mean_scal, mean_plus, !mean_scal.
        replace (A * chance pi + B * (chance pi * prodE Ds (fun S => f S pi))) with
          (chance pi * (A + B * prodE Ds (fun S => f S pi))) by ring.
        apply Rmult_le_compat_l; [lra|]. apply Rplus_le_compat_r. unfold A.
        replace (a * (a - 1) * rho - (a - 1) * w) with (- (a - 1) * w + a * (a - 1) * rho) by ring. rewrite exp_plus.
        replace (exp (- (a - 1) * w) * exp (a * (a - 1) * rho) / a) with
          (exp (- (a - 1) * w) / a * exp (a * (a - 1) * rho)) by (field; lra).
        apply Rmult_le_compat_l; [|exact Hm].
        apply Rmult_le_pos; [left; apply exp_pos|left; apply Rinv_0_lt_compat; lra].
  - rewrite sumR_plus, !sumR_scal. change (sumR outcomes (fun pi => chance pi)) with (sumR outcomes chance).
    rewrite chance_total. lra.
Qed.

(* (c): the max-information of slack b. *)
Theorem renyi_max_information (f : list X -> Pi -> R) a b : 1 < a -> 0 < b -> (forall S pi, 0 <= f S pi <= 1) ->
  together f <= exp (a * rho + ln (1 - 1 / a) + (ln (1 / b) - ln a) / (a - 1)) * apart f + b.
Proof.
  intros Ha Hb Hf. assert (H1a1 : 0 < 1 - 1 / a) by (replace (1 - 1 / a) with ((a - 1) / a) by (field; lra); apply Rdiv_lt_0_compat; lra).
  assert (H := tangent_form f a (a * rho + (ln (1 / b) - ln a) / (a - 1)) Ha Hf).
  eapply Rle_trans; [exact H|]. rewrite Rplus_comm. apply Rplus_le_compat.
  - right. replace (a * rho + ln (1 - 1 / a) + (ln (1 / b) - ln a) / (a - 1)) with
      (a * rho + (ln (1 / b) - ln a) / (a - 1) + ln (1 - 1 / a)) by ring. rewrite (exp_plus _ (ln (1 - 1 / a))), exp_ln; auto.
  - replace (a * (a - 1) * rho - (a - 1) * (a * rho + (ln (1 / b) - ln a) / (a - 1))) with (ln a + - ln (1 / b)) by (field; lra).
    rewrite exp_plus, exp_Ropp, !exp_ln by (try lra; apply Rdiv_lt_0_compat; lra). right. field. lra.
Qed.

(* (1) *)
Lemma hoelder (f : list X -> Pi -> R) a l : 1 < a -> (forall S pi, 0 <= f S pi <= 1) -> apart f <= exp (- l) ->
  together f <= exp ((a - 1) / a * (a * rho - l)).
Proof.
  intros Ha Hf Hq. assert (H := tangent_form f a ((a - 1) * rho + l / a) Ha Hf). eapply Rle_trans; [exact H|].
  assert (H1a1 : 0 < 1 - 1 / a) by (replace (1 - 1 / a) with ((a - 1) / a) by (field; lra); apply Rdiv_lt_0_compat; lra).
  replace (a * (a - 1) * rho - (a - 1) * ((a - 1) * rho + l / a)) with ((a - 1) / a * (a * rho - l)) by (field; lra).
  set (e := exp ((a - 1) / a * (a * rho - l))).
  assert (Hw : exp ((a - 1) * rho + l / a) * exp (- l) = e).
  { unfold e. rewrite <- exp_plus. f_equal. field. lra. }
  apply Rle_trans with (e / a + (1 - 1 / a) * e); [|right; field; lra]. apply Rplus_le_compat_l.
  rewrite <- Hw. replace ((1 - 1 / a) * (exp ((a - 1) * rho + l / a) * exp (- l))) with
    (exp ((a - 1) * rho + l / a) * (1 - 1 / a) * exp (- l)) by ring.
  apply Rmult_le_compat_l; auto. apply Rmult_le_pos; [left; apply exp_pos|lra].
Qed.

(* (b): the probability of an event whose probability without the transcript is at most p. *)
Theorem renyi_adjusted (f : list X -> Pi -> R) p : 0 < p <= 1 -> (forall S pi, 0 <= f S pi <= 1) ->
  (forall pi, prodE Ds (fun S => f S pi) <= p) ->
  together f <= exp (- (Rmax 0 (sqrt (ln (1 / p)) - sqrt rho))^2).
Proof.
  intros Hp Hf Hfix.
  assert (Hrho := rho_nonneg).
  assert (Hq : apart f <= p).
  { unfold apart. apply Rle_trans with (sumR outcomes (fun pi => p * chance pi)).
    - apply sumR_le. intros pi _. rewrite (Rmult_comm p). apply Rmult_le_compat_l; [apply chance_nonneg|auto].
    - rewrite sumR_scal. change (sumR outcomes (fun pi => chance pi)) with (sumR outcomes chance). rewrite chance_total. lra. }
  set (l := ln (1 / p)) in *.
  assert (Hlp : exp (- l) = p).
  { unfold l. rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra. }
  assert (H1 := together_le_1 f Hf).
  set (r := sqrt rho) in *. set (s := sqrt l) in *.
  assert (Hr0 : 0 <= r) by apply sqrt_pos.
  destruct (Rle_dec s r) as [Hsr|Hsr].
  - rewrite Rmax_left by lra. replace (- 0^2) with 0 by ring. now rewrite exp_0.
  - rewrite Rmax_right by lra. assert (Hs0 : 0 < s) by lra.
    assert (Hl : l = s * s).
    { unfold s in *. symmetry. apply sqrt_sqrt. destruct (Rle_dec 0 l) as [H|H]; auto. rewrite sqrt_neg_0 in Hs0; lra. }
    assert (Hrho2 : rho = r * r) by (unfold r; symmetry; now apply sqrt_sqrt).
    destruct (Req_dec r 0) as [Er|Er].
    + (* without privacy loss any order serves *)
      apply Rnot_lt_le. intros Hlt. set (T := together f) in *.
      assert (HT : 0 < T) by (eapply Rlt_trans; [apply exp_pos|exact Hlt]).
      assert (Hln : - l < ln T).
      { replace (- l) with (ln (exp (- (s - r)^2))) by (rewrite ln_exp, Er, Hl; ring). now apply ln_increasing; [apply exp_pos|]. }
      assert (Hl0 : 0 < l) by (rewrite Hl; now apply Rmult_lt_0_compat).
      set (a := 1 + 2 * l / (ln T + l)).
      assert (Hg : 0 < 2 * l / (ln T + l)) by (apply Rdiv_lt_0_compat; lra).
      assert (H := hoelder f a l ltac:(unfold a; lra) Hf ltac:(lra)). fold T in H.
      rewrite Hrho2, Er in H. assert (H2 := Rcomplements.ln_le _ _ HT H). rewrite ln_exp in H2.
      apply Rmult_le_compat_r with (r := a) in H2; [|unfold a; lra].
      replace ((a - 1) / a * (a * (0 * 0) - l) * a) with (- (a - 1) * l) in H2 by (field; unfold a; lra).
      assert (E : (ln T + l) * a = ln T + 3 * l) by (unfold a; field; lra). lra.
    + assert (Hr : 0 < r) by lra. set (a := s / r).
      assert (Ha : 1 < a) by (unfold a; apply Rlt_div_r; lra).
      eapply Rle_trans; [apply (hoelder f a l Ha Hf ltac:(lra))|]. apply exp_le. right.
      rewrite Hl, Hrho2. unfold a. field. lra.
Qed.

(* (b): the threshold. A test of a level gamma that the transcript selects has the level alpha. *)
Theorem renyi_threshold {Test : Type} (p : Test -> list X -> R) (null : Test -> Prop) (selected : Pi -> Test) alpha :
  0 < alpha <= 1 -> let gamma := exp (- (sqrt (ln (1 / alpha)) + sqrt rho)^2) in
  (forall t, null t -> law_outer (prodE Ds) (fun S => p t S <= gamma) <= gamma) ->
  together (fun S pi => ind (fun S => null (selected pi) /\ p (selected pi) S <= gamma) S) <= alpha.
Proof.
  intros Ha gamma Hp. set (L := ln (1 / alpha)) in *.
  assert (HLa : exp (- L) = alpha).
  { unfold L. rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra. }
  assert (HL : 0 <= L).
  { unfold L. rewrite <- ln_1. apply Rcomplements.ln_le; [lra|]. apply Rle_div_r; lra. }
  set (z := sqrt L + sqrt rho) in *. assert (Hz : 0 <= z) by (unfold z; generalize (sqrt_pos L) (sqrt_pos rho); lra).
  assert (Hg : 0 < gamma <= 1).
  { unfold gamma. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_le. generalize (pow2_ge_0 z). lra. }
  eapply Rle_trans; [apply (renyi_adjusted _ gamma Hg)|].
  - intros S pi. decide_ind.
  - intros pi. destruct (Classical_Prop.classic (null (selected pi))) as [H|H].
    + eapply Rle_trans; [|apply (Hp _ H)]. simpl. apply mean_mono. intros S. apply ind_le. tauto.
    + rewrite (mean_ext _ _ (fun _ => 0)); [rewrite mean_const; lra|]. intros S. decide_ind.
  - assert (E : ln (1 / gamma) = z^2).
    { unfold Rdiv. rewrite Rmult_1_l. unfold gamma. rewrite <- exp_Ropp, ln_exp. ring. }
    rewrite E, sqrt_pow2 by auto. replace (z - sqrt rho) with (sqrt L) by (unfold z; ring).
    rewrite Rmax_right by apply sqrt_pos. replace ((sqrt L)^2) with L; [lra|]. simpl. now rewrite Rmult_1_r, sqrt_sqrt.
Qed.

(* (c): the closed bound. *)
Theorem renyi_max_information_closed (f : list X -> Pi -> R) b : 0 < b < 1 -> (forall S pi, 0 <= f S pi <= 1) ->
  together f <= exp (rho + 2 * sqrt (rho * ln (1 / b))) * apart f + b.
Proof.
  intros Hb Hf. assert (Hr := rho_nonneg). assert (Hap := apart_nonneg f Hf). set (L := ln (1 / b)).
  assert (HL : 0 < L).
  { unfold L. rewrite <- ln_1. apply ln_increasing; [lra|]. apply Rlt_div_r; lra. }
  assert (Key : forall a, 1 < a -> a * rho + (L - ln a) / (a - 1) + ln (1 - 1 / a) <= rho + 2 * sqrt (rho * L) ->
    together f <= exp (rho + 2 * sqrt (rho * L)) * apart f + b).
  { intros a Ha Hle. eapply Rle_trans; [apply (renyi_max_information f a b Ha (proj1 Hb) Hf)|]. fold L.
    apply Rplus_le_compat_r. apply Rmult_le_compat_r; auto. apply exp_le. lra. }
  assert (Hneg : forall a, 1 < a -> ln (1 - 1 / a) < 0).
  { intros a Ha. rewrite <- ln_1. assert (0 < 1 / a) by (apply Rdiv_lt_0_compat; lra).
    assert (1 / a < 1) by (apply Rlt_div_l; lra).
    apply ln_increasing; lra. }
  destruct (Req_dec rho 0) as [H0|H0].
  - rewrite H0 in *. apply (Key (exp L)).
    + rewrite <- exp_0. apply exp_increasing. lra.
    + assert (H := Hneg (exp L) ltac:(rewrite <- exp_0; apply exp_increasing; lra)). rewrite ln_exp.
      replace ((L - L) / (exp L - 1)) with 0 by (unfold Rdiv; ring). rewrite Rmult_0_l, sqrt_0. lra.
  - set (w := sqrt (L / rho)). assert (Hw : 0 < w) by (apply sqrt_lt_R0, Rdiv_lt_0_compat; lra).
    assert (Hww : w * w = L / rho) by (apply sqrt_sqrt; left; apply Rdiv_lt_0_compat; lra).
    assert (Es : sqrt (rho * L) = w * rho).
    { replace (rho * L) with ((w * rho)^2) by (replace ((w * rho)^2) with (w * w * rho * rho) by ring; rewrite Hww; field; lra).
      apply sqrt_pow2. apply Rmult_le_pos; lra. }
    apply (Key (1 + w)); [lra|]. assert (H := Hneg (1 + w) ltac:(lra)). rewrite Es.
    assert (Hln : 0 < ln (1 + w)) by (rewrite <- ln_1; apply ln_increasing; lra).
    assert (EL : L / w = w * rho) by (replace L with (w * w * rho) by (rewrite Hww; field; lra); field; lra).
    replace (1 + w - 1) with w by ring.
    assert ((L - ln (1 + w)) / w <= w * rho); [|lra]. rewrite <- EL. apply Rmult_le_compat_r; [|lra].
    left. now apply Rinv_0_lt_compat.
Qed.

(* (c): the second form, where a b >= 1. *)
Theorem renyi_max_information_high (f : list X -> Pi -> R) a b : 1 < a -> 0 < b < 1 -> 1 <= a * b ->
  (forall S pi, 0 <= f S pi <= 1) -> together f <= exp (a * rho + ln (1 - b)) * apart f + b.
Proof.
  intros Ha Hb Hab Hf. assert (Hap := apart_nonneg f Hf). assert (H1 := together_le_1 f Hf).
  rewrite exp_plus, exp_ln by lra. set (p := together f) in *. set (s := a / (a - 1)).
  destruct (Rle_dec p b) as [Hpb|Hpb].
  { assert (0 <= exp (a * rho) * (1 - b) * apart f); [|lra]. apply Rmult_le_pos; auto.
    apply Rmult_le_pos; [left; apply exp_pos|lra]. }
  assert (Hp : 0 < p) by lra.
  (* (1), solved for what holds apart *)
  assert (Hq : exp (s * ln p) <= exp (a * rho) * apart f).
  { assert (Hall : forall l, apart f <= exp (- l) -> exp (s * ln p) <= exp (a * rho) * exp (- l)).
    { intros l Hl. assert (H := hoelder f a l Ha Hf Hl). fold p in H. apply Rcomplements.ln_le in H; auto. rewrite ln_exp in H.
      rewrite <- exp_plus. apply exp_le. unfold s. apply Rmult_le_reg_r with ((a - 1) / a); [apply Rdiv_lt_0_compat; lra|].
      replace (a / (a - 1) * ln p * ((a - 1) / a)) with (ln p) by (field; lra). lra. }
    destruct Hap as [Hap|Hap].
    - specialize (Hall (- ln (apart f))). rewrite Ropp_involutive, exp_ln in Hall by auto. apply Hall. lra.
    - exfalso. assert (H := Hall (a * rho - s * ln p + 1) ltac:(rewrite <- Hap; left; apply exp_pos)).
      rewrite <- exp_plus in H. assert (exp (a * rho + - (a * rho - s * ln p + 1)) < exp (s * ln p)) by (apply exp_increasing; lra). lra. }
  (* the tangent at 1 of the power s *)
  assert (Ht : 1 + s * (p - 1) <= exp (s * ln p)).
  { assert (T := power_tangent s (ln p)). assert (Hs : 1 < s).
    { unfold s. apply Rlt_div_r; lra. }
    specialize (T Hs). rewrite exp_ln in T by auto. lra. }
  assert (Hsb : s * (1 - b) <= 1).
  { unfold s. apply Rmult_le_reg_r with (a - 1); [lra|].
    replace (a / (a - 1) * (1 - b) * (a - 1)) with (a - a * b) by (field; lra). lra. }
  apply Rle_trans with ((1 - b) * (1 + s * (p - 1)) + b).
  - assert (0 <= (1 - p) * (1 - s * (1 - b))) by (apply Rmult_le_pos; lra). lra.
  - apply Rplus_le_compat_r. replace (exp (a * rho) * (1 - b) * apart f) with ((1 - b) * (exp (a * rho) * apart f)) by ring.
    apply Rmult_le_compat_l; lra.
Qed.

(* (a): the information that the transcript has of the sample, in nats. *)
Definition information : R := sumR outcomes (fun pi =>
  if ClassicalDescription.excluded_middle_informative (all_zero pi) then 0
  else chance pi * prodE Ds (fun S => k S pi / chance pi * ln (k S pi / chance pi))).

Theorem renyi_information : information <= rho.
Proof.
  assert (Hr := rho_nonneg).
  assert (Hw : forall w, 0 < w -> information <= (exp (w * (1 + w) * rho) - 1) / w).
  { intros w Hw. unfold information.
    apply Rle_trans with (sumR outcomes (fun pi => (exp (w * (1 + w) * rho) - 1) / w * chance pi)).
    - apply sumR_le. intros pi _. destruct (ClassicalDescription.excluded_middle_informative (all_zero pi)) as [H|H].
      + rewrite (chance_zero pi H). lra.
      + destruct (one_transcript (1 + w) pi ltac:(lra) H) as [Hc Hm]. destruct (all_or_none pi) as [Hpos|H']; [|now elim H].
        rewrite (Rmult_comm _ (chance pi)). apply Rmult_le_compat_l; [lra|].
        assert (E1 : prodE Ds (fun S => k S pi / chance pi) = 1).
        { rewrite (mean_ext _ _ (fun S => / chance pi * k S pi)) by (intros; unfold Rdiv; ring). rewrite mean_scal.
          fold (chance pi). field. lra. }
        apply Rle_trans with (prodE Ds (fun S => / w * Rpower (k S pi / chance pi) (1 + w) + (- / w) * (k S pi / chance pi))).
        * apply prodE_mono. intros S HS. specialize (Hpos S HS). set (x := k S pi / chance pi).
          assert (Hx : 0 < x) by (now apply Rdiv_lt_0_compat). unfold Rpower.
          replace ((1 + w) * ln x) with (ln x + w * ln x) by ring. rewrite exp_plus, exp_ln by auto.
          assert (He := exp_ge_1 (w * ln x)). apply Rmult_le_reg_l with w; auto.
          replace (w * (/ w * (x * exp (w * ln x)) + - / w * x)) with (x * (exp (w * ln x) - 1)) by (field; lra).
          replace (w * (x * ln x)) with (x * (w * ln x)) by ring. apply Rmult_le_compat_l; lra.
        * rewrite mean_plus, !mean_scal, E1. replace ((1 + w) * (1 + w - 1) * rho) with (w * (1 + w) * rho) in Hm by ring.
          replace ((exp (w * (1 + w) * rho) - 1) / w) with (/ w * exp (w * (1 + w) * rho) + - / w * 1) by (field; lra).
          apply Rplus_le_compat_r. apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|exact Hm].
    - rewrite sumR_scal. change (sumR outcomes (fun pi => chance pi)) with (sumR outcomes chance). rewrite chance_total. lra. }
  replace rho with ((1 + 0) * rho * exp (0 * (1 + 0) * rho)) by (rewrite !Rmult_0_l, exp_0; ring).
  apply (Line.from_above (fun w => (1 + w) * rho * exp (w * (1 + w) * rho))); [auto_derive; auto|].
  intros w Hw0. eapply Rle_trans; [apply (Hw w Hw0)|]. set (x := w * (1 + w) * rho).
  assert (He := exp_ge_1 (- x)). assert (Hp := exp_pos x).
  assert (Hi : exp x * exp (- x) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  apply Rmult_le_reg_r with w; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  replace ((1 + w) * rho * exp x * w) with (x * exp x) by (unfold x; ring). nra.
Qed.

End Renyi.
