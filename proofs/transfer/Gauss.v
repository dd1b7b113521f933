(* docs/theorems/transfer.md, "Joint bound": the integral of exp(-z^2/2) over the line is the root of 2 pi. *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Line Normal.
Open Scope R_scope.

(* The square of the area up to x, and an integral over [0,1], add up to a constant. *)
Definition kernel (x t : R) : R := 2 * exp (- (x^2 * (1 + t^2)) / 2) / (1 + t^2).
Definition slope_of (x t : R) : R := - 2 * x * exp (- (x^2 * (1 + t^2)) / 2).
Definition rest (x : R) : R := RInt (kernel x) 0 1.

Lemma square_pos t : 0 < 1 + t^2.
Proof. generalize (pow2_ge_0 t). lra. Qed.

Lemma kernel_derive x t : is_derive (fun x => kernel x t) x (slope_of x t).
Proof.
  unfold kernel, slope_of. assert (H := square_pos t). auto_derive; [auto|].
  replace (- (x * (x * 1) * (1 + t * (t * 1))) * / 2) with (- (x^2 * (1 + t^2)) / 2) by field. field. lra.
Qed.

Lemma kernel_continuous x t : continuous (kernel x) t.
Proof.
  assert (H := square_pos t). apply (ex_derive_continuous (kernel x)). unfold kernel. auto_derive. simpl in H. lra.
Qed.

Lemma slope_continuous x t : continuity_2d_pt slope_of x t.
Proof.
  unfold slope_of. apply continuity_2d_pt_mult.
  - apply (continuity_1d_2d_pt_comp (fun x => - 2 * x) (fun u _ => u)); [|apply continuity_2d_pt_id1].
    apply continuity_pt_filterlim, (ex_derive_continuous (fun x : R => - 2 * x)). auto_derive. auto.
  - apply (continuity_1d_2d_pt_comp exp (fun u v => - (u^2 * (1 + v^2)) / 2)).
    + apply continuity_pt_filterlim, (ex_derive_continuous exp). auto_derive. auto.
    + apply (continuity_1d_2d_pt_comp (fun y => - y / 2) (fun u v => u^2 * (1 + v^2))).
      * apply continuity_pt_filterlim, (ex_derive_continuous (fun y : R => - y / 2)). auto_derive. auto.
      * apply continuity_2d_pt_mult.
        -- apply (continuity_1d_2d_pt_comp (fun y => y^2) (fun u _ => u)); [|apply continuity_2d_pt_id1].
           apply continuity_pt_filterlim, (ex_derive_continuous (fun y : R => y^2)). auto_derive. auto.
        -- apply (continuity_1d_2d_pt_comp (fun y => 1 + y^2) (fun _ v => v)); [|apply continuity_2d_pt_id2].
           apply continuity_pt_filterlim, (ex_derive_continuous (fun y : R => 1 + y^2)). auto_derive. auto.
Qed.

Lemma rest_derive x : is_derive rest x (RInt (slope_of x) 0 1).
Proof.
  replace (RInt (slope_of x) 0 1) with (RInt (fun t => Derive (fun u => kernel u t) x) 0 1).
  2:{ apply (RInt_ext (V := R_CompleteNormedModule)). intros t _. apply is_derive_unique, kernel_derive. }
  apply (is_derive_RInt_param kernel 0 1 x).
  - apply filter_forall. intros y t _. eexists. apply kernel_derive.
  - intros t _. apply (continuity_2d_pt_ext slope_of); [|apply slope_continuous].
    intros u w. symmetry. apply is_derive_unique, kernel_derive.
  - apply filter_forall. intros y. apply (ex_RInt_continuous (V := R_CompleteNormedModule)).
    intros; apply kernel_continuous.
Qed.

Lemma slope_area x : RInt (slope_of x) 0 1 = - 2 * bell x * area x.
Proof.
  assert (H : is_RInt (fun t => scal (- 2 * bell x) (scal x (bell (x * t + 0)))) 0 1 (scal (- 2 * bell x) (area x))).
  { apply (is_RInt_scal (V := R_NormedModule)). apply (is_RInt_comp_lin (V := R_NormedModule) bell x 0 0 1).
    replace (x * 0 + 0) with 0 by ring. replace (x * 1 + 0) with x by ring.
    apply (RInt_correct (V := R_CompleteNormedModule)), bell_int. }
  apply (is_RInt_unique (V := R_CompleteNormedModule)) in H.
  replace (- 2 * bell x * area x) with (scal (- 2 * bell x) (area x)) by reflexivity. rewrite <- H.
  apply (RInt_ext (V := R_CompleteNormedModule)). intros t _. unfold slope_of, scal. simpl. unfold mult. simpl.
  unfold bell.
  rewrite Rplus_0_r. replace (- (x * (x * 1) * (1 + t * (t * 1))) / 2) with (- x^2 / 2 + - (x * t)^2 / 2) by field.
  rewrite exp_plus. replace (- (x * (x * 1)) / 2) with (- x^2 / 2) by field. 
  replace (- (x * t * (x * t * 1)) / 2) with (- (x * t)^2 / 2) by field. ring.
Qed.

Lemma constant x : area x ^ 2 + rest x = rest 0.
Proof.
  assert (D : forall y, is_derive (fun y => area y ^ 2 + rest y) y 0).
  { intros y. replace 0 with (plus (2 * area y * bell y) (RInt (slope_of y) 0 1)).
    - apply (is_derive_plus (fun y => area y ^ 2) rest); [|apply rest_derive].
      replace (2 * area y * bell y) with (scal (bell y) (2 * area y)) by (unfold scal; simpl; unfold mult; simpl; ring).
      apply (is_derive_comp (fun z => z^2) area); [|apply area_derive]. auto_derive; auto. ring.
    - rewrite slope_area. unfold plus. simpl. ring. }
  destruct (MVT_gen (fun y => area y ^ 2 + rest y) 0 x (fun _ => 0)) as (c & _ & E).
  - intros; apply D.
  - intros y _. apply continuous_pt, (ex_derive_continuous (fun y => area y ^ 2 + rest y)). eexists. apply D.
  - rewrite area_0 in E. simpl in E. simpl. lra.
Qed.

Lemma rest_0 : rest 0 = PI / 2.
Proof.
  assert (H : is_RInt (fun t => 2 * / (1 + t^2)) 0 1 (minus (2 * atan 1) (2 * atan 0))).
  { apply (is_RInt_derive (V := R_CompleteNormedModule) (fun t => 2 * atan t) (fun t => 2 * / (1 + t^2))).
    - intros t _. apply is_derive_scal.
      apply is_derive_Reals, derivable_pt_lim_atan.
    - intros t _. apply (ex_derive_continuous (fun t => 2 * / (1 + t^2))). auto_derive. generalize (square_pos t).
      simpl. lra. }
  unfold rest. transitivity (RInt (fun t => 2 * / (1 + t^2)) 0 1).
  - apply (RInt_ext (V := R_CompleteNormedModule)). intros t _. unfold kernel.
    replace (- (0^2 * (1 + t^2)) / 2) with 0 by field. rewrite exp_0. unfold Rdiv. now rewrite Rmult_1_r.
  - rewrite (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ H), atan_1, atan_0. unfold minus, plus, opp. simpl.
    field.
Qed.

Lemma rest_small x : 0 <= rest x <= 2 * bell x.
Proof.
  assert (Hi : ex_RInt (kernel x) 0 1) by (apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros;
    apply kernel_continuous).
  assert (Hk : forall t, 0 <= kernel x t <= 2 * bell x).
  { intros t. assert (H := square_pos t). assert (H2 := pow2_ge_0 t). unfold kernel. split.
    - apply Rmult_le_pos; [generalize (exp_pos (- (x^2 * (1 + t^2)) / 2)); lra|left; now apply Rinv_0_lt_compat].
    - apply Rmult_le_reg_r with (1 + t^2); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      assert (exp (- (x^2 * (1 + t^2)) * / 2) <= bell x).
      { unfold bell. apply exp_le. assert (0 <= x^2 * t^2) by (apply Rmult_le_pos; apply pow2_ge_0). lra. }
      assert (Hb := bell_pos x). nra. }
  unfold rest. split.
  - apply RInt_ge_0; [lra|auto|]. intros t _. apply Hk.
  - replace (2 * bell x) with (RInt (fun _ => 2 * bell x) 0 1) by (rewrite RInt_const; unfold scal; simpl;
      unfold mult; simpl; ring).
    apply RInt_le; [lra|auto|apply ex_RInt_const|]. intros t _. apply Hk.
Qed.

Lemma bell_vanishes : is_lim bell p_infty 0.
Proof.
  apply is_lim_spec. intros eps. simpl. exists (Rmax 1 (/ eps)). intros x Hx.
  assert (H1 : 1 < x) by (generalize (Rmax_l 1 (/ eps)); lra).
  assert (H2 : / eps < x) by (generalize (Rmax_r 1 (/ eps)); lra).
  destruct eps as [e He]. simpl in *. rewrite Rminus_0_r, Rabs_pos_eq by (left; apply bell_pos).
  assert (Hb : bell x * (1 + x^2/2) <= 1).
  { apply Rle_trans with (bell x * exp (x^2/2)).
    - apply Rmult_le_compat_l; [left; apply bell_pos|apply exp_ge_1].
    - unfold bell. rewrite <- exp_plus. replace (- x^2/2 + x^2/2) with 0 by field. rewrite exp_0. lra. }
  assert (Hbx : bell x * x <= 1).
  { assert (x <= 1 + x^2/2) by nra. assert (Hp := bell_pos x). nra. }
  apply Rmult_lt_reg_r with x; [lra|]. eapply Rle_lt_trans; [exact Hbx|].
  apply Rmult_lt_compat_l with (r := e) in H2; auto. rewrite Rinv_r in H2 by lra. exact H2.
Qed.

Theorem gauss : 2 * half = sqrt (2 * PI) /\ phi 0 = / sqrt (2 * PI).
Proof.
  destruct half_lim as (Hh & Hl).
  assert (Hsq : half * half = PI / 2).
  { assert (L1 : is_lim (fun x => area x * area x + rest x) p_infty (half * half + 0)).
    { apply is_lim_plus'; [now apply (is_lim_mult area area p_infty half half)|].
      apply (is_lim_le_le_loc (fun _ => 0) (fun x => 2 * bell x)).
      - exists 0. intros x _. apply rest_small.
      - apply is_lim_const.
      - replace (Finite 0) with (Rbar_mult 2 0) by (simpl; f_equal; ring). apply is_lim_scal_l, bell_vanishes. }
    assert (L2 : is_lim (fun x => area x * area x + rest x) p_infty (PI / 2)).
    { apply (is_lim_ext (fun _ => PI / 2)); [|apply is_lim_const]. intros x. rewrite <- rest_0, <- (constant x). ring. }
    apply is_lim_unique in L1. apply is_lim_unique in L2. rewrite L1 in L2. injection L2. lra. }
  assert (H2 : 2 * half = sqrt (2 * PI)).
  { replace (2 * PI) with ((2 * half)^2) by (replace ((2 * half)^2) with (4 * (half * half)) by ring; rewrite Hsq;
      field).
    symmetry. apply sqrt_pow2. lra. }
  split; auto. unfold phi. rewrite H2. replace (bell 0) with 1; [unfold Rdiv; ring|].
  unfold bell. replace (- 0^2 / 2) with 0 by field. now rewrite exp_0.
Qed.
