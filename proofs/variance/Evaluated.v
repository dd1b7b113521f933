(* docs/theorems/variance.md, "One answer": the bounds by which the integral I of a certificate is evaluated, and
   the certificate from them.

   A, b          of I: the integral of (2/pi)^(1/2) exp (exponent z) from 0 to G
   cut           where a rule ends: t = z T/cut
   curb          1 - A b^2; hardly skewed: t = curb^(1/2) z *)

From Coq Require Import Reals ZArith Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Kappa Line Normal Gauss Tangent Steps Certificate Series Radau.
Import ListNotations.
Open Scope R_scope.

Lemma sqrt_2_pi_above : 2.5 <= sqrt (2 * PI).
Proof.
  apply Rsqr_incr_0_var; [|apply sqrt_pos]. rewrite Rsqr_sqrt by (generalize PI_above; lra). unfold Rsqr.
  generalize PI_above. lra.
Qed.

Lemma half_above : 1.25 <= half.
Proof. assert (H := proj1 gauss). generalize sqrt_2_pi_above. lra. Qed.

(* e^(- n/8) from above. *)
Lemma eighths n : exp (- (INR n / 8)) <= / 1.1331 ^ n.
Proof.
  rewrite exp_Ropp. apply Rinv_le_contravar; [apply pow_lt; lra|].
  replace (exp (INR n / 8)) with (exp (1/8) ^ n).
  - apply pow_incr. assert (H := exp_cubic (1/8) ltac:(lra)). lra.
  - rewrite <- Rpower_pow by apply exp_pos. unfold Rpower. rewrite ln_exp. f_equal. field.
Qed.

(* The tails beyond 5.5 and 6.5. *)
Theorem beyond_6_5 : 2 * PhiBar 6.5 <= 1 / 10^10.
Proof.
  assert (Hm := mills p_infty 6.5 Logic.I). change (Phi p_infty - Phi 6.5) with (PhiBar 6.5) in Hm.
  assert (H0 := proj2 gauss). rewrite (phi_bell 6.5), H0 in Hm. assert (Hs := sqrt_2_pi_above).
  assert (Hb : bell 6.5 <= / 1480000000).
  { unfold bell. replace (- 6.5^2/2) with (- (INR 169 / 8)) by (rewrite INR_IZR_INZ; simpl; lra).
    eapply Rle_trans; [apply eighths|]. apply Rinv_le_contravar; lra. }
  assert (Hi : / sqrt (2 * PI) <= / 2.5) by (apply Rinv_le_contravar; lra).
  assert (Hbp := bell_pos 6.5). assert (Hip : 0 < / sqrt (2 * PI)) by (apply Rinv_0_lt_compat; lra).
  assert (/ sqrt (2 * PI) * bell 6.5 <= / 2.5 * / 1480000000) by (apply Rmult_le_compat; lra). lra.
Qed.

Lemma PhiBar_falls x y : x <= y -> PhiBar y <= PhiBar x.
Proof. intros H. unfold PhiBar. generalize (Phi_rises x y H). lra. Qed.

Theorem missed_5_5 k : 5.5 <= k -> / (1 - 2 * PhiBar k) <= 1 + 4.0001 / 10^8.
Proof.
  intros Hk. assert (H := beyond_5_5). assert (H1 := PhiBar_falls 5.5 k Hk).
  apply Rle_trans with (/ (1 - 4 / 10^8)); [apply Rinv_le_contravar; lra|lra].
Qed.

Theorem missed_6_5 k : 6.5 <= k -> / (1 - 2 * PhiBar k) <= 1 + 1.0001 / 10^10.
Proof.
  intros Hk. assert (H := beyond_6_5). assert (H1 := PhiBar_falls 6.5 k Hk).
  apply Rle_trans with (/ (1 - 1 / 10^10)); [apply Rinv_le_contravar; lra|lra].
Qed.

Section Integral.
Variables A b : R.
Hypothesis A_pos : 0 <= A.
Hypothesis b_pos : 0 <= b.

Definition exponent (z : R) : R := A * over_line (b * z) - z^2 / 2.
Definition incline (z : R) : R := A * b * (exp (b * z) - 1) - z.
Definition mound (z : R) : R := exp (exponent z).

Lemma mound_continuous z : continuous mound z.
Proof. apply (ex_derive_continuous mound). unfold mound, exponent, over_line. auto_derive. auto. Qed.

Lemma mound_int x y : ex_RInt mound x y.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply mound_continuous. Qed.

Lemma area_mound G : area_to A b G = / half * RInt mound 0 G.
Proof.
  assert (Hh := proj1 half_lim). unfold area_to. rewrite <- (int_times (/ half) mound 0 G (mound_int 0 G)).
  apply RInt_ext. intros z _. match goal with |- ?x = ?y => change (@eq R x y) end.
  unfold curve, phi, bell, mound, exponent. unfold Rminus. rewrite exp_plus.
  replace (- (z ^ 2 / 2)) with (- z ^ 2 / 2) by field. field. lra.
Qed.

(* The exponent falls and then rises. *)
Lemma exponent_slope z : is_derive exponent z (incline z).
Proof. unfold exponent, incline, over_line. auto_derive; auto. match goal with |- ?x = ?y => change (@eq R x y) end. field. Qed.

Lemma incline_convex p z q : p <= z <= q -> (q - p) * incline z <= (q - z) * incline p + (z - p) * incline q.
Proof.
  intros H. set (e := exp (b * z)). assert (He : 0 < e) by apply exp_pos.
  assert (T : forall y, e * (1 + b * (y - z)) <= exp (b * y)).
  { intros y. replace (b * y) with (b * z + b * (y - z)) by ring. rewrite exp_plus. fold e.
    apply Rmult_le_compat_l; [lra|]. apply exp_ge_1. }
  assert (Hp := T p). assert (Hq := T q). unfold incline. fold e.
  assert (E : (q - p) * e <= (q - z) * exp (b * p) + (z - p) * exp (b * q)).
  { assert ((q - z) * (e * (1 + b * (p - z))) <= (q - z) * exp (b * p)) by (apply Rmult_le_compat_l; lra).
    assert ((z - p) * (e * (1 + b * (q - z))) <= (z - p) * exp (b * q)) by (apply Rmult_le_compat_l; lra).
    replace ((q - p) * e) with ((q - z) * (e * (1 + b * (p - z))) + (z - p) * (e * (1 + b * (q - z)))) by ring. lra. }
  assert (HAb : 0 <= A * b) by now apply Rmult_le_pos. apply (Rmult_le_compat_l (A * b)) in E; auto.
  replace ((q - p) * (A * b * (e - 1) - z)) with (A * b * ((q - p) * e) - (q - p) * (A * b + z)) by ring.
  replace ((q - z) * (A * b * (exp (b * p) - 1) - p) + (z - p) * (A * b * (exp (b * q) - 1) - q)) with
    (A * b * ((q - z) * exp (b * p) + (z - p) * exp (b * q)) - (q - p) * (A * b + z)) by ring. lra.
Qed.

Lemma exponent_ends cut G z : incline cut <= 0 -> cut <= z <= G -> exponent z <= Rmax (exponent cut) (exponent G).
Proof.
  intros Hc Hz. assert (C : forall y, continuous exponent y).
  { intros y. apply (ex_derive_continuous exponent). eexists. apply exponent_slope. }
  destruct (Rle_dec (incline z) 0) as [H|H].
  - eapply Rle_trans; [|apply Rmax_l].
    assert (- exponent cut <= - exponent z); [|lra]. apply (rises (fun y => - exponent y) nil); [|lra|].
    + intros y. apply (continuous_opp exponent), C.
    + intros y Hy _. exists (- incline y). split; [apply (is_derive_opp exponent), exponent_slope|].
      assert (H1 := incline_convex cut y z ltac:(lra)).
      assert ((z - y) * incline cut <= 0) by nra. assert ((y - cut) * incline z <= 0) by nra.
      assert ((z - cut) * incline y <= 0) by lra. destruct (Rle_dec (incline y) 0); [lra|nra].
  - eapply Rle_trans; [|apply Rmax_r]. apply (rises exponent nil); [exact C|lra|].
    intros y Hy _. exists (incline y). split; [apply exponent_slope|].
    assert (Hcz : cut < z) by (destruct (proj1 Hz) as [|E]; auto; subst; lra).
    assert (H1 := incline_convex cut z y ltac:(lra)). assert ((y - z) * incline cut <= 0) by nra.
    assert (0 < (y - cut) * incline z) by (apply Rmult_lt_0_compat; lra).
    destruct (Rle_dec 0 (incline y)); [lra|]. assert ((z - cut) * incline y < 0) by nra. lra.
Qed.

(* A rule up to the cut, and the greater of the ends beyond. *)
Theorem by_rule T steps rule cut G : (0 < T)%Z -> checks T steps rule = true -> 0 < cut <= G ->
  1 - A * b^2 <= (IZR T / cut)^2 -> cut = G \/ incline cut <= 0 ->
  area_to A b G <= / half * ((1 + / 10^11) * (cut / IZR T *
    sum (points rule) (fun x => exp (exponent (cut / IZR T * x) + x^2 / 2))) +
    (G - cut) * exp (Rmax (exponent cut) (exponent G))).
Proof.
  intros HT Hr Hcut Hk Hi. assert (Hh := proj1 half_lim). assert (Ht : 0 < IZR T) by now apply IZR_lt.
  destruct (checked_powers T steps rule HT Hr) as [Hin Hp]. rewrite area_mound.
  apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|].
  rewrite <- (RInt_Chasles (V := R_CompleteNormedModule) mound 0 cut G) by apply mound_int.
  change (plus (RInt mound 0 cut) (RInt mound cut G)) with (RInt mound 0 cut + RInt mound cut G).
  apply Rplus_le_compat.
  - set (u := cut / IZR T). assert (Hu : 0 < u) by (apply Rdiv_lt_0_compat; lra).
    set (c := (1 - u^2 * (1 - A * b^2)) / 2).
    assert (Hc : 0 <= c).
    { unfold c. assert (E : u^2 * (IZR T / cut)^2 = 1) by (unfold u; field; lra).
      assert (u^2 * (1 - A * b^2) <= u^2 * (IZR T / cut)^2) by (apply Rmult_le_compat_l; [apply pow2_ge_0|exact Hk]). lra. }
    set (f := fun x => exp (A * (exp (b * u * x) - 1 - b * u * x - (b * u * x)^2 / 2) + c * x^2)).
    assert (Ef : forall x, f x = exp (exponent (u * x) + x^2 / 2)).
    { intros x. unfold f, exponent, over_line. f_equal. replace (b * (u * x)) with (b * u * x) by ring.
      unfold c. field. }
    assert (Hf : near (IZR T) f).
    { apply near_exp; auto. apply near_plus.
      - apply near_scal; auto. apply near_cubes; auto. apply Rmult_le_pos; lra.
      - apply near_positive. apply positive_mult; [now apply positive_const|]. apply (positive_pow (fun x => x)), positive_id. }
    assert (Cf : forall x, continuous f x).
    { intros x. apply (ex_derive_continuous f). unfold f. auto_derive. auto. }
    assert (H := rule_above (IZR T) Ht (points rule) (1 + / 10^11) ltac:(assert (0 < / 10^11) by (apply Rinv_0_lt_compat;
      lra); lra) Hin Hp f Hf Cf).
    assert (E : RInt mound 0 cut = u * RInt (fun x => bell x * f x) 0 (IZR T)).
    { assert (H1 : is_RInt (fun x => scal u (mound (u * x + 0))) 0 (IZR T) (RInt mound 0 cut)).
      { apply (is_RInt_comp_lin (V := R_NormedModule) mound u 0 0 (IZR T)).
        replace (u * 0 + 0) with 0 by ring. replace (u * IZR T + 0) with cut by (unfold u; field; lra).
        apply (RInt_correct (V := R_CompleteNormedModule)), mound_int. }
      rewrite <- (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ H1).
      rewrite <- (int_times u (fun x => bell x * f x) 0 (IZR T)).
      - apply RInt_ext. intros x _. match goal with |- ?x = ?y => change (@eq R x y) end.
        change (scal u (mound (u * x + 0))) with (u * mound (u * x + 0)). rewrite Ef, Rplus_0_r. unfold mound, bell.
        rewrite <- exp_plus. f_equal. f_equal. field.
      - apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros x _.
        apply (continuous_mult bell f); [apply bell_continuous|apply Cf]. }
    rewrite E. apply Rle_trans with (u * ((1 + / 10^11) * sum (points rule) f)); [apply Rmult_le_compat_l; lra|].
    right. unfold sum. rewrite (sumR_ext _ _ (fun p => snd p * exp (exponent (u * fst p) + fst p ^ 2 / 2))) by
      (intros p _; now rewrite Ef). ring.
  - destruct Hi as [<-|Hi].
    + rewrite (RInt_point (V := R_CompleteNormedModule)). change (zero : R) with 0. lra.
    + set (m := exp (Rmax (exponent cut) (exponent G))).
      replace ((G - cut) * m) with (RInt (fun _ => m) cut G) by
        (rewrite (RInt_const (V := R_CompleteNormedModule)); reflexivity).
      apply RInt_le; [lra|apply mound_int|apply ex_RInt_const|]. intros z Hz. apply exp_le, exponent_ends; auto. lra.
Qed.
End Integral.

(* Hardly skewed. *)
Lemma cubes_above v : 0 <= v ->
  (1 - v/6) * (exp v - 1 - v - v^2/2) <= v^3/6 + v^4/72 + v^5/720.
Proof.
  intros Hv.
  assert (D5 : forall y, 0 <= y -> 0 <= 1/6 - (1 - y)/6 * exp y).
  { intros y _. assert (H := exp_ge_1 (- y)). assert (E : exp (- y) * exp y = 1) by
      (rewrite <- exp_plus, Rplus_opp_l; apply exp_0). assert (Hp := exp_pos y). nra. }
  assert (D4 : forall y, 0 <= y -> 0 <= 1/3 + y/6 - (2 - y)/6 * exp y).
  { intros y Hy. assert (H := grows (fun y => 1/3 + y/6 - (2 - y)/6 * exp y) (fun y => 1/6 - (1 - y)/6 * exp y) y Hy).
    cbv beta in H. rewrite exp_0 in H. replace 0 with (1/3 + 0/6 - (2 - 0)/6 * 1) by field. apply H.
    - intros z _. auto_derive; auto. field.
    - intros z Hz. apply D5. lra. }
  assert (D3 : forall y, 0 <= y -> 0 <= 1/2 + y/3 + y^2/12 - (3 - y)/6 * exp y).
  { intros y Hy. assert (H := grows (fun y => 1/2 + y/3 + y^2/12 - (3 - y)/6 * exp y)
      (fun y => 1/3 + y/6 - (2 - y)/6 * exp y) y Hy).
    cbv beta in H. rewrite exp_0 in H. replace 0 with (1/2 + 0/3 + 0^2/12 - (3 - 0)/6 * 1) by field. apply H.
    - intros z _. auto_derive; auto. field.
    - intros z Hz. apply D4. lra. }
  assert (D2 : forall y, 0 <= y -> 0 <= 2*y/3 + y^2/6 + y^3/36 - (4 - y)/6 * (exp y - 1)).
  { intros y Hy. assert (H := grows (fun y => 2*y/3 + y^2/6 + y^3/36 - (4 - y)/6 * (exp y - 1))
      (fun y => 1/2 + y/3 + y^2/12 - (3 - y)/6 * exp y) y Hy).
    cbv beta in H. rewrite exp_0 in H. replace 0 with (2*0/3 + 0^2/6 + 0^3/36 - (4 - 0)/6 * (1 - 1)) by field. apply H.
    - intros z _. auto_derive; auto. field.
    - intros z Hz. apply D3. lra. }
  assert (D1 : forall y, 0 <= y -> 0 <= 5*y^2/12 + y^3/18 + y^4/144 - (5 - y)/6 * (exp y - 1 - y)).
  { intros y Hy. assert (H := grows (fun y => 5*y^2/12 + y^3/18 + y^4/144 - (5 - y)/6 * (exp y - 1 - y))
      (fun y => 2*y/3 + y^2/6 + y^3/36 - (4 - y)/6 * (exp y - 1)) y Hy).
    cbv beta in H. rewrite exp_0 in H. replace 0 with (5*0^2/12 + 0^3/18 + 0^4/144 - (5 - 0)/6 * (1 - 1 - 0)) by field.
    apply H.
    - intros z _. auto_derive; auto. field.
    - intros z Hz. apply D2. lra. }
  assert (H := grows (fun y => y^3/6 + y^4/72 + y^5/720 - (1 - y/6) * (exp y - 1 - y - y^2/2))
    (fun y => 5*y^2/12 + y^3/18 + y^4/144 - (5 - y)/6 * (exp y - 1 - y)) v Hv).
  cbv beta in H. rewrite exp_0 in H.
  assert (0^3/6 + 0^4/72 + 0^5/720 - (1 - 0/6) * (1 - 1 - 0 - 0^2/2) <=
    v^3/6 + v^4/72 + v^5/720 - (1 - v/6) * (exp v - 1 - v - v^2/2)); [|lra]. apply H.
  - intros z _. auto_derive; auto. field.
  - intros z Hz. apply D1. lra.
Qed.

Lemma cubes_below v u : 0 <= v <= u -> u <= 1 ->
  exp v - 1 - v - v^2/2 <= v^3/6 * (1 + v/4 + v^2/(20 - 10*u/3)).
Proof.
  intros Hv Hu. assert (H := cubes_above v (proj1 Hv)). assert (Hd : 0 < 1 - v/6) by lra.
  apply Rle_trans with (v^3/6 * (1 + v/4 + v^2/(20 - 10*v/3))).
  - apply Rmult_le_reg_l with (1 - v/6); auto. eapply Rle_trans; [exact H|]. right. field. lra.
  - apply Rmult_le_compat_l; [generalize (pow_le v 3 (proj1 Hv)); lra|]. apply Rplus_le_compat_l.
    apply Rmult_le_compat_l; [apply pow2_ge_0|]. apply Rinv_le_contravar; lra.
Qed.

(* The moments of a normal variable's absolute value, and of a polynomial. *)
Fixpoint mu (k : nat) : R := match k with O => 1 | S k1 => match k1 with O => / half | S k2 => INR k1 * mu k2 end end.
Fixpoint weigh (p : list R) (j : nat) : R := match p with [] => 0 | c :: p => c * mu j + weigh p (S j) end.

Lemma moment_mu T k : 0 < T -> moment T k <= half * mu k /\ moment T (S k) <= half * mu (S k).
Proof.
  intros HT. assert (Hh := proj1 half_lim). induction k as [|k [IH0 IH1]].
  - split.
    + simpl. rewrite Rmult_1_r. apply moment_0.
    + simpl. rewrite Rinv_r by lra. rewrite moment_1. generalize (bell_pos T). lra.
  - split; auto. rewrite moment_next. change (mu (S (S k))) with (INR (S k) * mu k).
    assert (0 < T ^ S k * bell T) by (apply Rmult_lt_0_compat; [now apply pow_lt|apply bell_pos]).
    assert (INR (S k) * moment T k <= INR (S k) * (half * mu k)) by (apply Rmult_le_compat_l; [apply pos_INR|exact IH0]).
    lra.
Qed.

Lemma value_weigh T p : 0 < T -> List.Forall (Rle 0) p -> forall j,
  RInt (fun t => bell t * (t ^ j * value p t)) 0 T <= half * weigh p j.
Proof.
  intros HT Hp. induction Hp as [|c p Hc Hp IH]; intros j.
  - rewrite (RInt_ext _ (fun _ => 0)) by (intros; cbn [value]; rewrite Rmult_0_r; apply Rmult_0_r).
    rewrite (RInt_const (V := R_CompleteNormedModule)). change (scal (T - 0) 0) with ((T - 0) * 0). simpl. lra.
  - specialize (IH (S j)).
    assert (E : RInt (fun t => bell t * (t ^ j * value (c :: p) t)) 0 T =
      c * moment T j + RInt (fun t => bell t * (t ^ S j * value p t)) 0 T).
    { unfold moment. rewrite <- (int_times c _ 0 T (moment_int T j)).
      rewrite <- (int_both (fun t => c * (bell t * t ^ j)) (fun t => bell t * (t ^ S j * value p t)) 0 T
        (ex_RInt_scal (V := R_NormedModule) _ 0 T c (moment_int T j)) (value_int T p (S j))).
      apply RInt_ext. intros t _. cbn [value pow]. match goal with |- ?x = ?y => change (@eq R x y) end. ring. }
    rewrite E. cbn [weigh]. assert (H := Rmult_le_compat_l c _ _ Hc (proj1 (moment_mu T j HT))). lra.
Qed.

(* Beyond 7. *)
Lemma beyond_7 last : 7 <= last -> RInt (fun t => bell t * exp (t^2 / 20)) 7 last <= half * (4 / 10^11).
Proof.
  intros H. assert (Hh := half_above).
  set (f := fun t => t / 7 * exp (- (9/20) * t^2)).
  assert (Hi : is_RInt f 7 last (minus (- (10/63) * exp (- (9/20) * last^2)) (- (10/63) * exp (- (9/20) * 7^2)))).
  { apply (is_RInt_derive (V := R_CompleteNormedModule) (fun t => - (10/63) * exp (- (9/20) * t^2)) f).
    - intros t _. unfold f. auto_derive; auto. match goal with |- ?x = ?y => change (@eq R x y) end.
      replace (t * (t * 1)) with (t^2) by ring. field.
    - intros t _. apply (ex_derive_continuous f). unfold f. auto_derive. auto. }
  apply Rle_trans with (RInt f 7 last).
  - apply RInt_le; auto.
    + apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _.
      apply (ex_derive_continuous (fun t => bell t * exp (t^2 / 20))). unfold bell. auto_derive. auto.
    + eexists. exact Hi.
    + intros t Ht. unfold f, bell. rewrite <- exp_plus. replace (- t^2 / 2 + t^2 / 20) with (- (9/20) * t^2) by field.
      assert (Hp := exp_pos (- (9/20) * t^2)). nra.
  - rewrite (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ Hi).
    change (minus (- (10/63) * exp (- (9/20) * last^2)) (- (10/63) * exp (- (9/20) * 7^2))) with
      (- (10/63) * exp (- (9/20) * last^2) - - (10/63) * exp (- (9/20) * 7^2)).
    assert (Hp := exp_pos (- (9/20) * last^2)).
    assert (He : exp (- (9/20) * 7^2) <= / 1.1331 ^ 176).
    { eapply Rle_trans; [|apply eighths]. apply exp_le. rewrite INR_IZR_INZ. simpl. lra. }
    assert (Hq : / 1.1331 ^ 176 <= / 3500000000) by (apply Rinv_le_contravar; lra). lra.
Qed.

Section Skewed.
Variables A b G last : R.
Hypothesis A_pos : 0 <= A.
Hypothesis b_pos : 0 <= b.
Hypothesis curb_pos : 0 < 1 - A * b^2.
Notation root := (sqrt (1 - A * b^2)).
Notation beta := (b / root).
Notation alpha := (A * beta^3 / 6).
Notation u := (beta * last).
Notation p := (beta / 4).
Notation q := (beta^2 / (20 - 10 * u / 3)).
Notation most := (alpha * (1 + 7 * p + 49 * q)).
Hypothesis G_pos : 0 < G.
Hypothesis reaches : root * G <= last.
Hypothesis reaches_7 : 7 <= last.
Hypothesis u_small : u <= 1.
Hypothesis y_small : alpha * last * (1 + p * last + q * last^2) <= 1/20.

Definition skewed : R := / root * (1 + alpha * (mu 3 + p * mu 4 + q * mu 5) +
  alpha^2 / 2 * (mu 6 + 2 * p * mu 7 + (p^2 + 2 * q) * mu 8 + 2 * p * q * mu 9 + q^2 * mu 10) +
  most^3 * mu 9 / 6 + most^4 * mu 12 * exp (343 * most) / 24 + 4 / 10^11).

Theorem hardly_skewed : area_to A b G <= skewed.
Proof.
  assert (Hh := proj1 half_lim). assert (Hr : 0 < root) by now apply sqrt_lt_R0.
  assert (Hb : 0 <= beta) by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
  assert (Hu0 : 0 <= u) by (apply Rmult_le_pos; lra). unfold skewed.
  generalize y_small u_small Hu0. set (be := beta) in *. intros Hy Hu Hu'.
  assert (Ha : 0 <= A * be^3 / 6) by (assert (0 <= A * be^3) by (apply Rmult_le_pos; [lra|now apply pow_le]); lra).
  set (al := A * be^3 / 6) in *.
  assert (Hp : 0 <= be / 4) by lra. set (pp := be / 4) in *.
  assert (Hq : 0 <= be^2 / (20 - 10 * (be * last) / 3)).
  { apply Rmult_le_pos; [apply pow2_ge_0|]. left. apply Rinv_0_lt_compat. lra. }
  set (qq := be^2 / (20 - 10 * (be * last) / 3)) in *.
  set (mo := al * (1 + 7 * pp + 49 * qq)) in *. assert (Hmo : 0 <= mo) by (unfold mo; nra).
  set (w := fun t => A * (exp (be * t) - 1 - be * t - (be * t)^2 / 2)).
  set (y := fun t => al * t^3 * (1 + pp * t + qq * t^2)).
  assert (Hw : forall t, 0 <= t <= last -> w t <= y t).
  { intros t Ht. unfold w, y.
    assert (H := cubes_below (be * t) (be * last) ltac:(split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]) Hu).
    apply (Rmult_le_compat_l A) in H; auto. eapply Rle_trans; [exact H|]. right. unfold al, pp, qq. field. lra. }
  assert (Hy7 : forall t, 0 <= t <= 7 -> y t <= mo * t^3).
  { intros t Ht. unfold y, mo. assert (0 <= t^3) by (apply pow_le; lra).
    replace (al * (1 + 7 * pp + 49 * qq) * t^3) with (al * t^3 * (1 + 7 * pp + 49 * qq)) by ring.
    apply Rmult_le_compat_l; [now apply Rmult_le_pos|]. assert (t^2 <= 49) by nra. nra. }
  assert (Hyb : forall t, 0 <= t <= last -> y t <= t^2 / 20).
  { intros t Ht. unfold y.
    assert (al * t * (1 + pp * t + qq * t^2) <= al * last * (1 + pp * last + qq * last^2)).
    { assert (t^2 <= last^2) by nra. apply Rmult_le_compat; [now apply Rmult_le_pos| |nra|nra].
      assert (0 <= qq * t^2) by (apply Rmult_le_pos; [auto|apply pow2_ge_0]). nra. }
    assert (0 <= t^2) by apply pow2_ge_0. nra. }
  assert (Hy0 : forall t, 0 <= t -> 0 <= y t).
  { intros t Ht. unfold y. apply Rmult_le_pos; [apply Rmult_le_pos; auto; now apply pow_le|].
    assert (0 <= qq * t^2) by (apply Rmult_le_pos; [auto|apply pow2_ge_0]). nra. }
  set (f := fun t => bell t * exp (w t)).
  assert (Cf : forall t, continuous f t).
  { intros t. apply (ex_derive_continuous f). unfold f, w, bell. auto_derive. auto. }
  assert (If : forall x z, ex_RInt f x z).
  { intros x z. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply Cf. }
  assert (E : RInt (mound A b) 0 G = / root * RInt f 0 (root * G)).
  { assert (H1 : is_RInt (fun x => scal (/ root) (mound A b (/ root * x + 0))) 0 (root * G) (RInt (mound A b) 0 G)).
    { apply (is_RInt_comp_lin (V := R_NormedModule) (mound A b) (/ root) 0 0 (root * G)).
      replace (/ root * 0 + 0) with 0 by ring. replace (/ root * (root * G) + 0) with G by (field; lra).
      apply (RInt_correct (V := R_CompleteNormedModule)), mound_int. }
    rewrite <- (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ H1).
    rewrite <- (int_times (/ root) f 0 (root * G) (If 0 (root * G))).
    apply RInt_ext. intros x _. match goal with |- ?x = ?y => change (@eq R x y) end.
    change (scal (/ root) (mound A b (/ root * x + 0))) with (/ root * mound A b (/ root * x + 0)). rewrite Rplus_0_r.
    f_equal. unfold mound, f, bell, exponent, over_line, w. rewrite <- exp_plus. f_equal.
    replace (b * (/ root * x)) with (be * x) by (unfold be, Rdiv; ring).
    assert (Es : root * root = 1 - A * b^2) by (apply sqrt_sqrt; lra).
    assert (E2 : (/ root * x)^2 = x^2 + A * (be * x)^2).
    { unfold be. replace (x^2) with (/ root * / root * (root * root) * x^2) by (field; lra). rewrite Es. field. lra. }
    rewrite E2. field. }
  assert (HL : 0 <= root * G) by (apply Rmult_le_pos; lra).
  assert (H1 : RInt f 0 (root * G) <= RInt f 0 last).
  { rewrite <- (RInt_Chasles (V := R_CompleteNormedModule) f 0 (root * G) last) by apply If.
    change (plus (RInt f 0 (root * G)) (RInt f (root * G) last)) with (RInt f 0 (root * G) + RInt f (root * G) last).
    assert (0 <= RInt f (root * G) last); [|lra]. apply RInt_ge_0; auto. intros t _. unfold f.
    apply Rmult_le_pos; left; [apply bell_pos|apply exp_pos]. }
  set (P := [1; 0; 0; al; al * pp; al * qq; al^2/2; al^2 * pp; al^2 * (pp^2 + 2 * qq) / 2; al^2 * pp * qq + mo^3/6;
    al^2 * qq^2 / 2; 0; exp (343 * mo) * mo^4 / 24]).
  assert (HP : List.Forall (Rle 0) P).
  { assert (0 <= al^2) by apply pow2_ge_0. assert (0 <= mo^3) by now apply pow_le. assert (0 <= mo^4) by now apply pow_le.
    assert (0 <= pp^2) by apply pow2_ge_0. assert (0 <= qq^2) by apply pow2_ge_0. assert (He := exp_pos (343 * mo)).
    assert (0 <= al^2 * pp) by now apply Rmult_le_pos. assert (0 <= al^2 * pp * qq) by now apply Rmult_le_pos.
    assert (0 <= al^2 * (pp^2 + 2 * qq)) by (apply Rmult_le_pos; lra). assert (0 <= al^2 * qq^2) by now apply Rmult_le_pos.
    assert (0 <= al * pp) by now apply Rmult_le_pos. assert (0 <= al * qq) by now apply Rmult_le_pos.
    assert (0 <= exp (343 * mo) * mo^4) by (apply Rmult_le_pos; lra).
    unfold P. repeat (apply Forall_cons; [lra|]). apply Forall_nil. }
  assert (H2 : RInt f 0 7 <= half * weigh P 0).
  { eapply Rle_trans; [|apply (value_weigh 7 P ltac:(lra) HP 0)].
    apply RInt_le; [lra|apply If|apply value_int|]. intros t Ht. unfold f. rewrite pow_O, Rmult_1_l.
    apply Rmult_le_compat_l; [left; apply bell_pos|].
    assert (Ht0 : 0 <= t <= last) by lra. specialize (Hw t Ht0). specialize (Hy0 t (proj1 Ht0)). specialize (Hy7 t ltac:(lra)).
    assert (Hyy : exp (w t) <= exp (y t)) by now apply exp_le. eapply Rle_trans; [exact Hyy|].
    assert (HR := rest_at_most 3 (y t) Hy0).
    assert (E3 : part 3 (y t) = 1 + y t + y t^2/2 + y t^3/6) by (unfold part; simpl; field). rewrite E3 in HR.
    assert (E4 : INR (fact 4) = 24) by (simpl; ring). rewrite E4 in HR.
    assert (Ht3 : 0 <= t^3) by (apply pow_le; lra).
    assert (H343 : t^3 <= 343) by (replace 343 with (7^3) by ring; apply pow_incr; lra).
    assert (He : exp (y t) <= exp (343 * mo)) by (apply exp_le; nra).
    assert (H4 : y t ^ 4 <= (mo * t^3)^4) by (apply pow_incr; lra).
    assert (H3 : y t ^ 3 <= (mo * t^3)^3) by (apply pow_incr; lra).
    assert (HE := exp_pos (y t)). assert (0 <= y t^4) by now apply pow_le.
    assert (H5 : exp (y t) * (y t ^ 4 * / 24) <= exp (343 * mo) * ((mo * t^3)^4 * / 24)) by
      (apply Rmult_le_compat; lra).
    assert (EP : value P t = 1 + y t + y t^2/2 + (mo * t^3)^3/6 + exp (343 * mo) * ((mo * t^3)^4 * / 24)).
    { unfold P, y. cbn [value]. field. }
    rewrite EP. lra. }
  assert (H3 : RInt f 7 last <= half * (4 / 10^11)).
  { eapply Rle_trans; [|exact (beyond_7 last reaches_7)]. apply RInt_le; [lra|apply If| |].
    - apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _.
      apply (ex_derive_continuous (fun t => bell t * exp (t^2 / 20))). unfold bell. auto_derive. auto.
    - intros t Ht. unfold f. apply Rmult_le_compat_l; [left; apply bell_pos|]. apply exp_le.
      specialize (Hw t ltac:(lra)). specialize (Hyb t ltac:(lra)). lra. }
  assert (H4 : RInt f 0 last <= half * (weigh P 0 + 4 / 10^11)).
  { rewrite <- (RInt_Chasles (V := R_CompleteNormedModule) f 0 7 last) by apply If.
    change (plus (RInt f 0 7) (RInt f 7 last)) with (RInt f 0 7 + RInt f 7 last). lra. }
  rewrite area_mound, E. assert (Hri : 0 < / root) by now apply Rinv_0_lt_compat.
  replace (/ half * (/ root * RInt f 0 (root * G))) with (/ root * (/ half * RInt f 0 (root * G))) by ring.
  apply Rmult_le_compat_l; [lra|].
  apply Rle_trans with (/ half * (half * (weigh P 0 + 4 / 10^11))).
  - apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|lra].
  - rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. right. unfold P. cbn [weigh].
    change (mu 0) with 1. clear. generalize (mu 1) (mu 2) (mu 3) (mu 4) (mu 5) (mu 6) (mu 7) (mu 8) (mu 9) (mu 10) (mu 11) (mu 12).
    intros. field.
Qed.
End Skewed.

(* The tail of |X|: where it is small. *)
Theorem h_above z : 0 <= z -> z^2 / (2 + 2 * z / 3) <= h z.
Proof.
  intros Hz. unfold h.
  set (f1 := fun y => ln (1 + y) - (36 * y + 6 * y^2) / (6 + 2 * y)^2).
  assert (D1 : forall y, 0 <= y -> 0 <= f1 y).
  { intros y Hy. assert (H := grows f1 (fun y => / (1 + y) - 216 / (6 + 2 * y)^3) y Hy). unfold f1 in *. cbv beta in H.
    rewrite Rplus_0_r, ln_1 in H. replace 0 with (0 - (36 * 0 + 6 * 0^2) / (6 + 2 * 0)^2) by field. apply H.
    - intros x Hx. auto_derive; [split; [lra|split; [|auto]]; nra|]. field. split; nra.
    - intros x Hx. assert (H1 : 0 < (6 + 2 * x)^3) by (apply pow_lt; lra).
      assert (E : / (1 + x) - 216 / (6 + 2 * x)^3 = ((6 + 2 * x)^3 - 216 * (1 + x)) / ((1 + x) * (6 + 2 * x)^3)) by (field; lra).
      rewrite E. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; apply Rmult_lt_0_compat; lra].
      assert (0 <= x^2) by apply pow2_ge_0. assert (0 <= x^3) by (apply pow_le; lra).
      replace ((6 + 2 * x)^3 - 216 * (1 + x)) with (72 * x^2 + 8 * x^3) by ring. lra. }
  assert (H := grows (fun y => (1 + y) * ln (1 + y) - y - 3 * y^2 / (6 + 2 * y)) f1 z Hz). cbv beta in H.
  rewrite Rplus_0_r, ln_1 in H.
  assert (1 * 0 - 0 - 3 * 0^2 / (6 + 2 * 0) <= (1 + z) * ln (1 + z) - z - 3 * z^2 / (6 + 2 * z)).
  { replace (1 * 0) with ((1 + 0) * 0) by ring. rewrite Rplus_0_r. apply H.
    - intros x Hx. unfold f1. auto_derive; [lra|]. field. lra.
    - intros x Hx. apply D1. lra. }
  replace (z^2 / (2 + 2 * z / 3)) with (3 * z^2 / (6 + 2 * z)) by (field; lra). lra.
Qed.

(* A z at which h is at least y, and Newton's step from such a z. *)
Theorem enough_h y : 0 <= y -> y <= h (y / 3 + sqrt (y^2 / 9 + 2 * y)).
Proof.
  intros Hy. set (s := sqrt (y^2 / 9 + 2 * y)). assert (Hs : 0 <= s) by apply sqrt_pos.
  assert (Es : s * s = y^2 / 9 + 2 * y) by (apply sqrt_sqrt; generalize (pow2_ge_0 y); lra).
  eapply Rle_trans; [|apply h_above; lra]. set (z := y / 3 + s). assert (Hz : 0 <= z) by (unfold z; lra).
  apply Rmult_le_reg_r with (2 + 2 * z / 3); [lra|]. unfold Rdiv at 2. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  right. unfold z. replace ((y / 3 + s)^2) with (y^2 / 9 + 2 * y * s / 3 + s * s) by field. rewrite Es. field.
Qed.

Theorem newton_h y z : 0 < z -> y <= h z -> 0 <= z - (h z - y) / ln (1 + z) -> y <= h (z - (h z - y) / ln (1 + z)).
Proof.
  intros Hz Hy. assert (Hl : 0 < ln (1 + z)) by (rewrite <- ln_1; apply ln_increasing; lra).
  set (x := z - (h z - y) / ln (1 + z)). intros Hx.
  assert (E : y = h z + ln (1 + z) * (x - z)) by (unfold x; field; lra). rewrite E.
  (* h lies above its tangent at z: (1+x) ln ((1+x)/(1+z)) >= x - z. *)
  unfold h. assert (Hr : 0 < (1 + z) / (1 + x)) by (apply Rdiv_lt_0_compat; lra).
  assert (H : ln ((1 + z) / (1 + x)) <= (1 + z) / (1 + x) - 1).
  { assert (H := exp_ge_1 (ln ((1 + z) / (1 + x)))). rewrite exp_ln in H by auto. lra. }
  unfold Rdiv in H at 1. rewrite ln_mult, ln_Rinv in H by (try apply Rinv_0_lt_compat; lra).
  apply (Rmult_le_compat_l (1 + x)) in H; [|lra].
  replace ((1 + x) * ((1 + z) / (1 + x) - 1)) with (z - x) in H by (field; lra). lra.
Qed.

(* The certificate: its factors, a bound J on the part with I, and one on the rest. *)
Theorem certificate_evaluated n kappa g v a s V delta z k J tail :
  let A := kappa * n * v / g^2 in let rt := sqrt (a * (a - 1) / (s^2 + a^2 * V)) in
  1 <= a -> 0 < s -> 0 < V -> 0 < delta < 1 -> 0 < k -> 0 <= J -> 0 <= tail ->
  area_to A (g * rt / (kappa * n)) (rt * z + k) / (1 - 2 * PhiBar k) <= J ->
  1 <= z \/ 0 < tail /\
    (a - 1) * ln (exp (1/2) * sqrt (1 + s^2) / s / delta) + ln (2 / tail) <= A * h (g * z / v) ->
  certificate n kappa g v a s V delta z k <= exp ((a - 1) * (delta / (1 - delta))) *
    (Rpower (1 + a * (V / s^2)) (a / 2) / sqrt (1 + a^2 * (V / s^2))) * (J + tail).
Proof.
  intros A rt Ha Hs HV Hd Hk HJ0 Ht HJ Hz. unfold certificate. fold A rt.
  assert (Hw : 0 < V / s^2) by (apply Rdiv_lt_0_compat; auto; now apply pow_lt). set (w := V / s^2) in *.
  set (c := Rpower (1 + a * w) (a / 2) / sqrt (1 + a^2 * w)).
  assert (Haw : 0 < a * w) by (apply Rmult_lt_0_compat; lra).
  assert (Haaw : 0 < a^2 * w) by (apply Rmult_lt_0_compat; [apply pow_lt; lra|lra]).
  assert (Hc : 1 <= c).
  { assert (Hq : 0 < sqrt (1 + a^2 * w)) by (apply sqrt_lt_R0; lra).
    apply Rmult_le_reg_r with (sqrt (1 + a^2 * w)); auto. unfold c, Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
    rewrite <- Rpower_sqrt by lra. unfold Rpower. apply exp_le.
    assert (B : ln (1 + a^2 * w) <= a * ln (1 + a * w)).
    { assert (H := grows (fun y => a * ln (1 + y) - ln (1 + a * y)) (fun y => a / (1 + y) - a / (1 + a * y)) (a * w) (Rlt_le _ _ Haw)).
      cbv beta in H. rewrite Rmult_0_r, Rplus_0_r, ln_1 in H.
      assert (a * 0 - 0 <= a * ln (1 + a * w) - ln (1 + a * (a * w))).
      { apply H.
        - intros y Hy. auto_derive; [repeat split; nra|]. field. split; nra.
        - intros y Hy. assert (a / (1 + a * y) <= a / (1 + y)); [|lra]. apply Rmult_le_compat_l; [lra|].
          apply Rinv_le_contravar; nra. }
      replace (a^2 * w) with (a * (a * w)) by ring. lra. }
    lra. }
  assert (Hdel : 1 <= Rpower (1 - delta) (1 - a) <= exp ((a - 1) * (delta / (1 - delta)))).
  { unfold Rpower. assert (L : - (delta / (1 - delta)) <= ln (1 - delta) <= 0).
    { split.
      - assert (H := exp_ge_1 (- ln (1 - delta))). rewrite exp_Ropp, exp_ln in H by lra.
        replace (/ (1 - delta)) with (1 + delta / (1 - delta)) in H by (field; lra). lra.
      - rewrite <- ln_1. destruct (Rle_lt_dec delta 0); [lra|]. left. apply ln_increasing; lra. }
    split; [|apply exp_le; nra].
    apply Rle_trans with (exp 0); [rewrite exp_0; lra|apply exp_le; nra]. }
  set (d := Rpower (1 - delta) (1 - a)) in *. set (e := exp ((a - 1) * (delta / (1 - delta)))) in *.
  set (I := area_to A (g * rt / (kappa * n)) (rt * z + k) / (1 - 2 * PhiBar k)) in *.
  assert (Hrest : (if Rle_dec 1 z then 0 else Rpower (exp (1 / 2) * sqrt (1 + s ^ 2) / s / delta) (a - 1) *
    (2 * exp (- A * h (g * z / v)))) <= tail).
  { destruct (Rle_dec 1 z) as [H|H]; [lra|]. destruct Hz as [Hz|[Ht0 Hz]]; [lra|].
    assert (E2 : forall x, 2 * exp x = exp (ln 2 + x)) by (intros x; rewrite exp_plus, exp_ln; lra).
    unfold Rpower. rewrite E2, <- exp_plus.
    rewrite <- (exp_ln tail) by auto. apply exp_le.
    assert (E3 : ln (2 / tail) = ln 2 - ln tail) by (unfold Rdiv; rewrite ln_mult, ln_Rinv; try lra; now apply Rinv_0_lt_compat).
    lra. }
  assert (HI : d * c * I <= e * c * J).
  { apply Rle_trans with (d * c * J).
    - apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact HJ].
    - apply Rmult_le_compat_r; auto. apply Rmult_le_compat_r; lra. }
  assert (H1 : tail <= e * c * tail) by (assert (1 <= e * c) by nra; nra). lra.
Qed.
