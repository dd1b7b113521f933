(* docs/theorems/transfer.md, "Joint bound": the normal law. Its density is exp(-z^2/2) over the integral of that; phi 0
   stands for one over the root of 2 pi. *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Line.
Import ListNotations.
Open Scope R_scope.

Definition bell (z : R) : R := exp (- z^2 / 2).
Definition area (x : R) : R := RInt bell 0 x.

Lemma bell_pos z : 0 < bell z.
Proof. apply exp_pos. Qed.

Lemma bell_even z : bell (- z) = bell z.
Proof. unfold bell. f_equal. field. Qed.

Lemma bell_continuous y : continuous bell y.
Proof. apply (ex_derive_continuous bell). unfold bell. auto_derive. auto. Qed.

Lemma bell_int a b : ex_RInt bell a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros. apply bell_continuous. Qed.

Lemma area_derive x : is_derive area x (bell x).
Proof.
  apply (is_derive_RInt bell area 0 x); [|apply bell_continuous].
  apply filter_forall. intros y. apply (RInt_correct (V := R_CompleteNormedModule)), bell_int.
Qed.

Lemma area_0 : area 0 = 0.
Proof. unfold area. apply (RInt_point (V := R_CompleteNormedModule)). Qed.

Lemma area_continuous y : continuous area y.
Proof. apply (ex_derive_continuous area). eexists. apply area_derive. Qed.

Lemma area_rises a b : a <= b -> area a <= area b.
Proof.
  intros H. apply (rises area nil); auto using area_continuous. intros y _ _. exists (bell y).
  split; [apply area_derive|left; apply bell_pos].
Qed.

Lemma area_odd x : area (- x) = - area x.
Proof.
  assert (H : forall y, is_derive (fun y => area (- y) + area y) y 0).
  { intros y. replace 0 with (plus (scal (-1) (bell (- y))) (bell y)).
    - apply (is_derive_plus (fun y => area (- y)) area); [|apply area_derive].
      apply (is_derive_comp area (fun y => - y)); [apply area_derive|]. auto_derive; auto.
    - rewrite bell_even. unfold plus, scal. simpl. unfold mult. simpl. ring. }
  destruct (MVT_gen (fun y => area (- y) + area y) 0 x (fun _ => 0)) as (c & _ & E).
  - intros y _. apply H.
  - intros y _. apply continuous_pt, (ex_derive_continuous (fun y => area (- y) + area y)). eexists. apply H.
  - rewrite Ropp_0, area_0 in E. lra.
Qed.

Lemma area_bound x : area x <= exp (1/2).
Proof.
  assert (H : forall y, 0 <= y -> area y <= exp (1/2) - exp (1/2 - y)).
  { intros y Hy. assert (exp (1/2) - exp (1/2 - 0) - area 0 <= exp (1/2) - exp (1/2 - y) - area y).
    - apply (rises (fun y => exp (1/2) - exp (1/2 - y) - area y) nil); auto.
      + intros z. apply (continuous_minus (fun z => exp (1/2) - exp (1/2 - z)) area); [|apply area_continuous].
        apply (ex_derive_continuous (fun z => exp (1/2) - exp (1/2 - z))). auto_derive. auto.
      + intros z _ _. exists (exp (1/2 - z) - bell z). split.
        * apply (is_derive_minus (fun z => exp (1/2) - exp (1/2 - z)) area); [|apply area_derive].
          auto_derive; auto. unfold Rminus. ring.
        * unfold bell. assert (exp (- z^2 / 2) <= exp (1/2 - z)); [|lra]. apply exp_le.
          generalize (pow2_ge_0 (z - 1)). lra.
    - rewrite Rminus_0_r, area_0 in H. lra. }
  destruct (Rle_dec 0 x) as [Hx|Hx].
  - generalize (H x Hx) (exp_pos (1/2 - x)). lra.
  - generalize (area_rises x 0 ltac:(lra)) (exp_pos (1/2)). rewrite area_0. lra.
Qed.

(* Half of the integral. *)
Lemma half_exists : exists h, 0 < h /\ is_lim area p_infty h.
Proof.
  destruct (completeness (fun y => exists x, y = area x)) as (h & Hu & Hl).
  - exists (exp (1/2)). intros y (x & ->). apply area_bound.
  - exists 0, 0. now rewrite area_0.
  - exists h. split.
    + apply Rlt_le_trans with (area 1); [|apply Hu; now exists 1].
      destruct (MVT_gen area 0 1 bell) as (c & _ & E).
      * intros; apply area_derive.
      * intros; apply continuous_pt, area_continuous.
      * rewrite area_0 in E. generalize (bell_pos c). lra.
    + apply is_lim_spec. intros eps. simpl.
      destruct (Classical_Prop.classic (exists x, h - eps < area x)) as [(x & Hx)|Hn].
      * exists x. intros y Hy. assert (area x <= area y) by (apply area_rises; lra).
        assert (area y <= h) by (apply Hu; now exists y). apply Rabs_def1; destruct eps as [e He]; simpl in *; lra.
      * exfalso. assert (h <= h - eps); [|destruct eps as [e He]; simpl in *; lra]. apply Hl. intros y (x & ->).
        apply Rnot_lt_le. intros H. apply Hn. now exists x.
Qed.

Definition half : R := real (Lim area p_infty).

Lemma half_lim : 0 < half /\ is_lim area p_infty half.
Proof.
  destruct half_exists as (h & H0 & H). unfold half. rewrite (is_lim_unique _ _ _ H). auto.
Qed.

Definition phi (z : R) : R := bell z / (2 * half).
Definition Phi (t : Rbar) : R :=
  match t with Finite x => 1/2 + area x / (2 * half) | p_infty => 1 | m_infty => 0 end.
Definition PhiBar (x : R) : R := 1 - Phi x.

Lemma phi_pos z : 0 < phi z.
Proof. unfold phi. generalize (bell_pos z) (proj1 half_lim). intros. apply Rdiv_lt_0_compat; lra. Qed.

Lemma phi_even z : phi (- z) = phi z.
Proof. unfold phi. now rewrite bell_even. Qed.

Lemma phi_bell z : phi z = phi 0 * bell z.
Proof.
  unfold phi. replace (bell 0) with 1; [field; generalize (proj1 half_lim); lra|].
  unfold bell. replace (- 0 ^ 2 / 2) with 0 by field. now rewrite exp_0.
Qed.

Lemma Phi_derive x : is_derive (fun y : R => Phi y) x (phi x).
Proof.
  assert (Hh := proj1 half_lim). apply (is_derive_ext (fun y => / (2 * half) * area y + 1/2)).
  - intros y. simpl. unfold Rdiv. ring.
  - replace (phi x) with (/ (2 * half) * bell x + 0) by (unfold phi; field; lra).
    apply (is_derive_plus (fun y => / (2 * half) * area y) (fun _ => 1/2)).
    + apply is_derive_scal, area_derive.
    + apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) (1/2) x).
Qed.

Lemma area_bottom : is_lim area m_infty (- half).
Proof.
  apply (is_lim_ext (fun x => (-1) * area (- x))).
  - intros y. rewrite area_odd. ring.
  - replace (Finite (- half)) with (Rbar_mult (-1) half) by (simpl; f_equal; ring). apply is_lim_scal_l.
    apply (is_lim_ext (fun x => area ((-1) * x + 0))); [intros; f_equal; ring|].
    apply is_lim_comp_lin; [|lra].
    replace (Rbar_plus (Rbar_mult (-1) m_infty) 0) with p_infty; [apply half_lim|].
    simpl. destruct (Rle_dec 0 (-1)) as [H|H]; [exfalso; lra|auto].
Qed.

Theorem normal : integral phi Phi.
Proof.
  assert (Hh := proj1 half_lim). split.
  - exists nil. intros y _. apply Phi_derive.
  - intros y. apply (ex_derive_continuous (fun x : R => Phi x)). eexists. apply Phi_derive.
  - simpl. replace (Finite 1) with (Finite (1/2 + half * / (2 * half))) by (f_equal; field; lra).
    apply is_lim_plus'; [apply is_lim_const|]. unfold Rdiv.
    apply (is_lim_scal_r area (/ (2 * half)) p_infty half), half_lim.
  - simpl. replace (Finite 0) with (Finite (1/2 + - half * / (2 * half))) by (f_equal; field; lra).
    apply is_lim_plus'; [apply is_lim_const|]. unfold Rdiv.
    apply (is_lim_scal_r area (/ (2 * half)) m_infty (- half)), area_bottom.
Qed.

Lemma Phi_opp (x : R) : Phi (- x) = 1 - Phi x.
Proof. simpl. rewrite area_odd. generalize (proj1 half_lim). intros. field. lra. Qed.

Lemma Phi_rises (s t : Rbar) : Rbar_le s t -> Phi s <= Phi t.
Proof.
  intros H. assert (0 <= over Phi s t); [|unfold over in *; lra]. apply (int_rises phi); auto using normal.
  intros; left; apply phi_pos.
Qed.

Lemma Phi_increasing (x y : R) : x < y -> Phi x < Phi y.
Proof.
  intros H. destruct (MVT_gen (fun x : R => Phi x) x y phi) as (c & _ & E).
  - intros; apply Phi_derive.
  - intros z _. apply continuous_pt, normal.
  - generalize (phi_pos c). intros. assert (0 < phi c * (y - x)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Lemma Phi_range (t : Rbar) : 0 <= Phi t <= 1.
Proof.
  split; [apply (Phi_rises m_infty t)|apply (Phi_rises t p_infty)]; destruct t; simpl; auto.
Qed.

Lemma PhiBar_pos x : 0 < PhiBar x.
Proof. unfold PhiBar. generalize (Phi_increasing x (x+1) ltac:(lra)) (Phi_range (x+1)). lra. Qed.

(* The law N(m, s^2). *)
Definition density (m s y : R) : R := phi ((y - m) / s) / s.

Lemma density_int m s : 0 < s -> integral (density m s) (fun t => Phi (rescaled m s t)).
Proof. intros H. apply int_rescale; auto using normal. Qed.

Lemma density_pos m s y : 0 < s -> 0 < density m s y.
Proof. intros H. apply Rdiv_lt_0_compat; auto using phi_pos. Qed.

(* The moments of e^{bz}. *)
Lemma phi_shift b z : phi z * exp (b * z) = exp (b^2 / 2) * phi (z - b).
Proof.
  rewrite (phi_bell z), (phi_bell (z - b)). unfold bell. rewrite !Rmult_assoc, (Rmult_comm (exp (b^2/2))), !Rmult_assoc.
  rewrite <- !exp_plus. f_equal. f_equal. field.
Qed.

Lemma moment_int b : integral (fun z => phi z * exp (b * z)) (fun t => exp (b^2 / 2) * Phi (rescaled b 1 t)).
Proof.
  apply (int_ext (fun z => exp (b^2/2) * density b 1 z)).
  - intros y. rewrite phi_shift. unfold density. replace ((y - b) / 1) with (y - b) by field. field.
  - apply int_scal, density_int. lra.
Qed.

Lemma away c y : is_derive (fun d => c - d) y (-1).
Proof. auto_derive; auto; ring. Qed.

(* A symmetric interval has its largest probability around the mean. *)
Lemma interval_falls u d : 0 <= u -> Phi (u - d) - Phi (- u - d) <= Phi u - Phi (- u).
Proof.
  intros Hu.
  assert (H : forall d, 0 <= d -> Phi (u - d) - Phi (- u - d) <= Phi u - Phi (- u)).
  { clear d. intros d Hd.
    assert (Phi (- u - 0) - Phi (u - 0) <= Phi (- u - d) - Phi (u - d)); [|rewrite !Rminus_0_r in H; lra].
    apply (rises (fun d => Phi (- u - d) - Phi (u - d)) nil); auto.
    - intros y. apply (continuous_minus (fun d => Phi (- u - d)) (fun d => Phi (u - d))).
      + apply (continuous_comp (fun d => - u - d) (fun x : R => Phi x)); [|apply normal].
        apply (ex_derive_continuous (fun d => - u - d)). eexists. apply away.
      + apply (continuous_comp (fun d => u - d) (fun x : R => Phi x)); [|apply normal].
        apply (ex_derive_continuous (fun d => u - d)). eexists. apply away.
    - intros y Hy _. exists (scal (-1) (phi (- u - y)) - scal (-1) (phi (u - y))). split.
      + apply (is_derive_minus (fun d => Phi (- u - d)) (fun d => Phi (u - d))).
        * apply (is_derive_comp (fun x : R => Phi x) (fun d => - u - d)); [apply Phi_derive|apply away].
        * apply (is_derive_comp (fun x : R => Phi x) (fun d => u - d)); [apply Phi_derive|apply away].
      + unfold scal. simpl. unfold mult. simpl. assert (phi (- u - y) <= phi (u - y)); [|lra].
        rewrite (phi_bell (- u - y)), (phi_bell (u - y)). apply Rmult_le_compat_l; [left; apply phi_pos|].
        unfold bell. apply exp_le. assert (0 <= u * y) by (apply Rmult_le_pos; lra). nra. }
  destruct (Rle_dec 0 d) as [Hd|Hd]; auto.
  specialize (H (- d) ltac:(lra)). replace (u - d) with (- (- u - - d)) by ring.
  replace (- u - d) with (- (u - - d)) by ring. rewrite !Phi_opp in *. lra.
Qed.
