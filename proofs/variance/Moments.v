(* docs/theorems/variance.md, "Posterior moments": queries whose values vary little, given Gaussian answers. *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Kappa Variance Posterior.
From dpcalc Require Ising Line.
Import ListNotations.
Open Scope R_scope.

Section Moments.
Context {X : Type}.
Variable x0 : X.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Hypothesis support : forall D, In D Ds -> finite D.
Notation E := (prodE Ds).
Notation n := (Tails.n Ds).
Notation rows := (length Ds).
Notation class := (class x0 Ds).
Notation mean_of f := (fun S => sumR S f / n).

(* The variance of a mean is at most its second moment over kappa n. *)
Lemma second_moment r lam (f : X -> R) : class r lam -> 0 < kap rows r ->
  E (fun S => lam S * (mean_of f S)^2) / E lam - (E (fun S => lam S * mean_of f S) / E lam)^2 <=
    E (fun S => lam S * mean_of (fun x => f x ^ 2) S) / E lam / (kap rows r * n).
Proof.
  intros Hc Hk. assert (Hn := n_pos Ds some_rows). assert (HE := class_E_pos x0 Ds support r lam Hc).
  unfold kap in *. destruct (Nat.eqb_spec rows 1) as [H1|H1].
  - assert (Hn1 : n = 1) by (unfold Tails.n; rewrite H1; reflexivity). rewrite Hn1.
    assert (E (fun S => lam S * (sumR S f / 1)^2) = E (fun S => lam S * (sumR S (fun x => f x ^ 2) / 1))).
    { apply (E_rows Ds support). intros S HS. destruct S as [|x [|]]; simpl in HS; try lia. simpl. field. }
    rewrite H. generalize (pow2_ge_0 (E (fun S => lam S * (sumR S f / 1)) / E lam)). lra.
  - destruct Hc as (d & v & h & Hr & H).
    assert (HX : forall D, In D Ds -> exchanges D) by (intros; apply finite_laws_exchange; auto).
    assert (U : forall F, unnorm x0 d v h Ds F = E (fun S => lam S * F S)).
    { intros F. apply (E_rows Ds support). intros S HS. now rewrite H. }
    assert (Z : Znu x0 d v h Ds = E lam).
    { unfold Znu. rewrite U. apply mean_ext. intros; ring. }
    assert (V := variance_lemma x0 d v h (fun _ x => / n * f x) Ds HX (rows_pos Ds some_rows support) r Hr Hk).
    rewrite Z in V. specialize (V HE). set (k := kappa_poly (Nat.max rows 4) (2 * r)) in *.
    assert (EG : forall S, length S = rows -> mean_of f S = sumR (Ising.I rows) (fun i => / n * f (at_ x0 S i))).
    { intros S HS. cbv beta. rewrite (sum_at x0 Ds S f HS), sumR_scal. unfold Rdiv. ring. }
    unfold Var, Enu in V. rewrite Z, !U in V.
    rewrite (E_rows Ds support (fun S => lam S * mean_of f S) (fun S => lam S * sumR (Ising.I rows) (fun i => / n *
      f (at_ x0 S i))))
      by (intros; now rewrite EG).
    rewrite (E_rows Ds support (fun S => lam S * (mean_of f S)^2) (fun S => lam S * (sumR (Ising.I rows) (fun i => /
      n * f (at_ x0 S i)))^2))
      by (intros; now rewrite EG).
    eapply Rle_trans; [exact V|].
    apply Rle_trans with (/ k * sumR (Ising.I rows) (fun i => E (fun S => lam S * (/ n * f (at_ x0 S i))^2) / E lam)).
    + apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|]. apply sumR_le. intros i _. rewrite !U.
      generalize (pow2_ge_0 (E (fun S => lam S * (/ n * f (at_ x0 S i))) / E lam)). lra.
    + right.
      assert (ES : sumR (Ising.I rows) (fun i => E (fun S => lam S * (/ n * f (at_ x0 S i))^2) / E lam) =
        / n * (E (fun S => lam S * (sumR S (fun x => f x ^ 2) / n)) / E lam)).
      { transitivity (/ E lam * E (fun S => sumR (Ising.I rows) (fun i => lam S * (/ n * f (at_ x0 S i))^2))).
        { rewrite mean_sum, <- sumR_scal. apply sumR_ext. intros; unfold Rdiv; ring. }
        assert (ER : E (fun S => sumR (Ising.I rows) (fun i => lam S * (/ n * f (at_ x0 S i))^2)) =
          / n * E (fun S => lam S * (sumR S (fun x => f x ^ 2) / n))).
        { rewrite <- mean_scal. apply (E_rows Ds support). intros S HS.
          rewrite (sum_at x0 Ds S (fun x => f x ^ 2) HS), sumR_scal.
          rewrite (sumR_ext _ _ (fun i => / n * / n * f (at_ x0 S i) ^ 2)) by (intros; ring).
          rewrite sumR_scal. unfold Rdiv. ring. }
        rewrite ER. field. lra. }
      rewrite ES. cbv beta. field. repeat split; lra.
Qed.

Variables f psi : X -> R.
Variables g vbar : R.
Hypothesis g_pos : 0 < g.
Hypothesis psi_above : forall x, f x ^ 2 <= psi x.
Hypothesis psi_below : forall x, psi x <= g^2.

(* For t >= 0; a query that stands for -f says the same of t <= 0, and one that stands for f - c of any centre. *)
Theorem posterior_moments r lam t : class r lam -> 0 < kap rows r -> 0 <= t ->
  E (fun S => lam S * mean_of psi S) <= vbar * E lam ->
  let A := kap rows r * n * vbar / g^2 in let u := g * t / (kap rows r * n) in
  E (fun S => lam S * exp (t * (mean_of f S - E (fun S => lam S * mean_of f S) / E lam))) <=
    exp (A * (exp u - 1 - u)) * E lam.
Proof.
  intros Hc Hk Ht Hv A u. assert (Hn := n_pos Ds some_rows).
  assert (HE := class_E_pos x0 Ds support r lam Hc).
  set (kn := kap rows r * n) in *. assert (Hkn : 0 < kn) by now apply Rmult_lt_0_compat.
  set (K := g / kn). assert (HK : 0 < K) by now apply Rdiv_lt_0_compat.
  set (F := fun S : list X => sumR S f / n). set (P := fun S : list X => sumR S psi / n).
  set (mu := E (fun S => lam S * F S) / E lam).
  set (I := fun (G : list X -> R) y => E (fun S => lam S * (G S * exp (y * F S)))).
  assert (DI : forall G y, is_derive (I G) y (I (fun S => G S * F S) y)).
  { intros G y. apply (E_derive Ds support lam (fun S y => G S * exp (y * F S))
      (fun S y => G S * F S * exp (y * F S))). intros S. auto_derive; auto; ring. }
  assert (Ip : forall G H y, I (fun S => G S + H S) y = I G y + I H y).
  { intros G H y. unfold I. rewrite <- mean_plus. apply mean_ext. intros; ring. }
  assert (Is : forall k G y, I (fun S => k * G S) y = k * I G y).
  { intros k G y. unfold I. rewrite <- mean_scal. apply mean_ext. intros; ring. }
  assert (Ie : forall G H y, (forall S, G S = H S) -> I G y = I H y).
  { intros G H y He. apply mean_ext. intros; now rewrite He. }
  assert (Il : forall G H y, (forall S, G S <= H S) -> I G y <= I H y).
  { intros G H y He. apply (E_le Ds support). intros S HS.
    apply Rmult_le_compat_l; [left; now apply (class_pos x0 Ds r)|]. apply Rmult_le_compat_r; auto.
    left. apply exp_pos. }
  set (M := I (fun _ => 1)).
  assert (HM : forall y, 0 < M y).
  { intros y. apply (E_pos Ds support). intros S HS. rewrite Rmult_1_l.
    apply Rmult_lt_0_compat; [now apply (class_pos x0 Ds r)|apply exp_pos]. }
  assert (DM : forall y, is_derive M y (I F y)).
  { intros y. rewrite (Ie F (fun S => 1 * F S)) by (intros; ring). apply DI. }
  (* second moments under the tilt y *)
  assert (Sec : forall y (h : X -> R), let H := fun S : list X => sumR S h / n in
    I (fun S => (H S)^2) y / M y - (I H y / M y)^2 <= I (fun S => sumR S (fun x => h x ^ 2) / n) y / M y / kn).
  { intros y h H. assert (S0 := second_moment r _ h (class_tilted x0 Ds some_rows r lam f y 0 Hc) Hk).
    assert (EE : forall G, E (fun S => lam S * exp (y * (sumR S f / n) + 0) * G S) = I G y).
    { intros G. apply mean_ext. intros S. rewrite Rplus_0_r. unfold F. ring. }
    assert (E1 : E (fun S => lam S * exp (y * (sumR S f / n) + 0)) = M y).
    { apply mean_ext. intros S. rewrite Rplus_0_r. unfold F. ring. }
    rewrite !EE, E1 in S0. exact S0. }
  set (w := fun y => I P y / M y).
  assert (Hup : forall y h k, 0 <= k -> (forall x, h x ^ 2 <= k * psi x) ->
    I (fun S => sumR S (fun x => h x ^ 2) / n) y / M y <= k * w y).
  { intros y h k Hk0 Hh. unfold w.
    replace (k * (I P y / M y)) with (k * I P y / M y) by (field; generalize (HM y); lra).
    rewrite <- Is. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply Il. intros S.
    unfold P. replace (k * (sumR S psi / n)) with (k * sumR S psi / n) by (field; lra). rewrite <- sumR_scal.
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply sumR_le. intros; auto. }
  assert (VF : forall y, I (fun S => (F S)^2) y / M y - (I F y / M y)^2 <= w y / kn).
  { intros y. eapply Rle_trans; [apply (Sec y f)|]. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
    rewrite <- (Rmult_1_l (w y)). apply Hup; [lra|]. intros x. rewrite Rmult_1_l. apply psi_above. }
  assert (VP : forall y, I (fun S => (P S)^2) y / M y - (I P y / M y)^2 <= g^2 * w y / kn).
  { intros y. eapply Rle_trans; [apply (Sec y psi)|]. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
    apply Hup; [apply pow2_ge_0|]. intros x. assert (H0 := psi_above x). assert (H1 := psi_below x).
    assert (0 <= f x ^ 2) by apply pow2_ge_0. simpl (psi x ^ 2). rewrite Rmult_1_r. apply Rmult_le_compat_r; lra. }
  assert (Cov : forall y, I (fun S => P S * F S) y / M y - I P y / M y * (I F y / M y) <= K * w y).
  { intros y. set (m := I P y / M y - g * (I F y / M y)). assert (Hm := HM y).
    assert (Hsq : 0 <= I (fun S => (P S + - g * F S + - m)^2) y).
    { unfold I. rewrite <- (mean_const E 0). apply (E_le Ds support). intros S HS.
      apply Rmult_le_pos; [left; now apply (class_pos x0 Ds r)|].
      apply Rmult_le_pos; [apply pow2_ge_0|left; apply exp_pos]. }
    assert (Eq : I (fun S => (P S + - g * F S + - m)^2) y = I (fun S => (P S)^2) y + g^2 * I (fun S => (F S)^2) y +
      m^2 * M y + - (2 * g) * I (fun S => P S * F S) y + - (2 * m) * I P y + 2 * g * m * I F y).
    { unfold M. rewrite <- !Is, <- !Ip. apply Ie. intros S. ring. }
    assert (VF' := VF y). assert (VP' := VP y).
    set (pf := I (fun S => P S * F S) y) in *. set (p2 := I (fun S => (P S)^2) y) in *.
    set (f2 := I (fun S => (F S)^2) y) in *. set (p1 := I P y) in *. set (f1 := I F y) in *. set (My := M y) in *.
    assert (H2 : 0 <= p2 / My + g^2 * (f2 / My) - (p1 / My - g * (f1 / My))^2 - 2 * g * (pf / My)).
    { rewrite Eq in Hsq. assert (0 <= / My) by (left; now apply Rinv_0_lt_compat).
      assert (Hs := Rmult_le_pos _ _ Hsq H).
      replace (p2 / My + g^2 * (f2 / My) - (p1 / My - g * (f1 / My))^2 - 2 * g * (pf / My)) with
        ((p2 + g^2 * f2 + m^2 * My + - (2 * g) * pf + - (2 * m) * p1 + 2 * g * m * f1) * / My); auto.
      unfold m. field. lra. }
    assert (g^2 * (f2 / My - (f1 / My)^2) <= g^2 * (w y / kn)) by (apply Rmult_le_compat_l; [apply pow2_ge_0|auto]).
    apply Rmult_le_reg_l with (2 * g); [lra|].
    replace (2 * g * (K * w y)) with (g^2 * w y / kn + g^2 * (w y / kn)) by (unfold K; field; lra). lra. }
  assert (Dw : forall y, is_derive w y (I (fun S => P S * F S) y / M y - I P y / M y * (I F y / M y))).
  { intros y. replace (I (fun S => P S * F S) y / M y - I P y / M y * (I F y / M y)) with
      ((I (fun S => P S * F S) y * M y - I P y * I F y) / (M y)^2) by (field; generalize (HM y); lra).
    apply (is_derive_div (I P) M); [apply DI|apply DM|]. generalize (HM y). lra. }
  assert (Hw0 : w 0 <= vbar).
  { unfold w, M, I. rewrite (mean_ext E (fun S => lam S * (P S * exp (0 * F S))) (fun S => lam S * P S)).
    2:{ intros S. rewrite Rmult_0_l, exp_0. ring. }
    rewrite (mean_ext E (fun S => lam S * (1 * exp (0 * F S))) lam).
    2:{ intros S. rewrite Rmult_0_l, exp_0. ring. }
    apply Rmult_le_reg_r with (E lam); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. exact Hv. }
  assert (Hw : forall y, 0 <= y -> w y <= vbar * exp (K * y)).
  { intros y Hy. assert (H : - (w 0 * exp (- K * 0)) <= - (w y * exp (- K * y))).
    { apply (Line.rises (fun y => - (w y * exp (- K * y))) nil); auto.
      - intros z. apply (continuous_opp (fun y => w y * exp (- K * y))).
        apply (continuous_mult w (fun y => exp (- K * y))).
        + apply (ex_derive_continuous w). eexists. apply Dw.
        + apply (ex_derive_continuous (fun y => exp (- K * y))). auto_derive. auto.
      - intros z _ _. eexists. split.
        + apply (is_derive_opp (fun y => w y * exp (- K * y))). apply (is_derive_mult w (fun y => exp (- K * y))).
          * apply Dw.
          * instantiate (1 := - K * exp (- K * z)). auto_derive; auto; ring.
          * intros; apply Rmult_comm.
        + unfold opp, plus, mult. simpl. assert (C := Cov z). assert (He := exp_pos (- K * z)). nra. }
    rewrite Rmult_0_r, exp_0 in H. assert (He := exp_pos (K * y)).
    assert (Ee : exp (- K * y) * exp (K * y) = 1) by (rewrite <- exp_plus; replace (- K * y + K * y) with 0 by ring;
      apply exp_0).
    assert (w y * exp (- K * y) * exp (K * y) <= vbar * exp (K * y)) by (apply Rmult_le_compat_r; lra).
    rewrite Rmult_assoc, Ee in H0. lra. }
  assert (Hln : forall y, is_derive (fun y => ln (M y)) y (I F y / M y)).
  { intros y. replace (I F y / M y) with (scal (I F y) (/ M y)) by reflexivity.
    apply (is_derive_comp ln M); [|apply DM]. auto_derive; [apply HM|]. rewrite Rmult_1_l. reflexivity. }
  assert (M0 : M 0 = E lam).
  { apply mean_ext. intros S. rewrite Rmult_0_l, exp_0. ring. }
  assert (Hle : A * (exp (K * 0) - 1 - K * 0) + mu * 0 - ln (M 0) <= A * (exp (K * t) - 1 - K * t) + mu * t - ln (M t)).
  { apply (convex_at_0 (fun y => A * (exp (K * y) - 1 - K * y) + mu * y - ln (M y))
      (fun y => A * (K * exp (K * y) - K) + mu - I F y / M y)
      (fun y => A * (K * K * exp (K * y)) - (I (fun S => F S * F S) y * M y - I F y * I F y) / (M y)^2)).
    - intros y _. apply (is_derive_minus (fun y => A * (exp (K * y) - 1 - K * y) + mu * y) (fun y => ln (M y)));
        [|apply Hln]. auto_derive; auto; ring.
    - intros y _. apply (is_derive_minus (fun y => A * (K * exp (K * y) - K) + mu) (fun y => I F y / M y)).
      + auto_derive; auto; ring.
      + apply (is_derive_div (I F) M); [apply DI|apply DM|]. generalize (HM y). lra.
    - intros y Hy. rewrite Rmin_left in Hy by auto. assert (Hm := HM y). assert (VF' := VF y).
      assert (Hwy := Hw y (proj1 Hy)).
      rewrite (Ie (fun S => F S * F S) (fun S => (F S)^2)) by (intros; ring).
      replace ((I (fun S => (F S)^2) y * M y - I F y * I F y) / (M y)^2) with
        (I (fun S => (F S)^2) y / M y - (I F y / M y)^2) by (field; lra).
      assert (EA : A * (K * K * exp (K * y)) = vbar * exp (K * y) / kn).
      { unfold A, K. change (kap rows r * n) with kn. field. lra. }
      rewrite EA. assert (w y / kn <= vbar * exp (K * y) / kn); [|lra].
      apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|auto].
    - rewrite Rmult_0_r, exp_0. unfold mu. rewrite M0.
      assert (E1 : I F 0 = E (fun S => lam S * F S)).
      { apply mean_ext. intros S. rewrite Rmult_0_l, exp_0. ring. }
      rewrite E1. ring. }
  rewrite M0, !Rmult_0_r, exp_0 in Hle.
  assert (Eu : K * t = u) by (unfold K, u; field; lra). rewrite Eu in Hle.
  fold F. change (E (fun S => lam S * (sumR S f / n)) / E lam) with mu.
  rewrite (mean_ext E _ (fun S => exp (- (t * mu)) * (lam S * (1 * exp (t * F S))))).
  2:{ intros S. fold (F S). replace (t * (F S - mu)) with (- (t * mu) + t * F S) by ring. rewrite exp_plus. ring. }
  rewrite mean_scal. change (E (fun S => lam S * (1 * exp (t * F S)))) with (M t).
  rewrite <- (exp_ln (M t)) by apply HM. rewrite <- (exp_ln (E lam)) by auto. rewrite <- !exp_plus.
  apply exp_le. lra.
Qed.

End Moments.
