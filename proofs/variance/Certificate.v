(* docs/theorems/variance.md, "Posterior moments" and "One answer": what an answer to a query of low variance costs. The
   values of a query are in [0,1], so that ell = 1. *)

From Coq Require Import Reals Lra Lia List Psatz ClassicalDescription Machin.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Kappa Variance Line Normal Gauss Posterior Rounded Steps Tangent Moments Constraint.
Import ListNotations.
Open Scope R_scope.

(* e^u - 1 - u, and (1+z) ln(1+z) - z. *)
Definition over_line (u : R) : R := exp u - 1 - u.
Definition h (z : R) : R := (1 + z) * ln (1 + z) - z.

Lemma over_line_rises u v : 0 <= u -> u <= v -> over_line u <= over_line v.
Proof.
  intros Hu Hv. unfold over_line. assert (H := exp_ge_1 (v - u)).
  assert (E : exp v = exp u * exp (v - u)) by (rewrite <- exp_plus; f_equal; ring).
  assert (1 <= exp u) by (rewrite <- exp_0; apply exp_le; lra). rewrite E. nra.
Qed.

(* The integrand of I, and I: the integral from 0 to G. *)
Definition curve (A b z : R) : R := 2 * phi z * exp (A * over_line (b * z)).
Definition area_to (A b G : R) : R := RInt (curve A b) 0 G.

Lemma curve_continuous A b z : continuous (curve A b) z.
Proof.
  apply (continuous_mult (fun z => 2 * phi z) (fun z => exp (A * over_line (b * z)))).
  - apply (continuous_mult (fun _ => 2) phi); [apply continuous_const|].
    unfold phi, Rdiv. apply (continuous_mult bell (fun _ => / (2 * half))); [|apply continuous_const].
    apply (ex_derive_continuous bell). unfold bell. auto_derive. auto.
  - apply (ex_derive_continuous (fun z => exp (A * over_line (b * z)))). unfold over_line. auto_derive. auto.
Qed.

Lemma curve_int A b x y : ex_RInt (curve A b) x y.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply curve_continuous. Qed.

Lemma area_to_derive A b z : is_derive (area_to A b) z (curve A b z).
Proof.
  apply (is_derive_RInt (V := R_NormedModule) (curve A b) (area_to A b) 0); [|apply curve_continuous].
  apply filter_forall. intros y. apply (RInt_correct (V := R_CompleteNormedModule)), curve_int.
Qed.

Lemma area_to_0 A b : area_to A b 0 = 0.
Proof. unfold area_to. now rewrite RInt_point. Qed.

Lemma area_to_pos A b G : 0 < G -> 0 < area_to A b G.
Proof.
  intros HG. apply RInt_gt_0; auto.
  - intros z _. unfold curve. apply Rmult_lt_0_compat; [generalize (phi_pos z); lra|apply exp_pos].
  - intros; apply curve_continuous.
Qed.

(* I hardly grows with A. *)
Lemma area_to_grows A A' b G : 0 <= b -> 0 <= G -> A <= A' ->
  area_to A' b G <= exp ((A' - A) * over_line (b * G)) * area_to A b G.
Proof.
  intros Hb HG HA. unfold area_to.
  rewrite <- (RInt_scal (V := R_CompleteNormedModule) (curve A b) 0 G) by apply curve_int.
  apply RInt_le; [auto|apply curve_int|apply (ex_RInt_scal (V := R_NormedModule)), curve_int|]. intros z Hz.
  unfold scal; simpl; unfold mult; simpl. unfold curve.
  replace (exp ((A' - A) * over_line (b * G)) * (2 * phi z * exp (A * over_line (b * z)))) with
    (2 * phi z * (exp ((A' - A) * over_line (b * G)) * exp (A * over_line (b * z)))) by ring.
  apply Rmult_le_compat_l; [generalize (phi_pos z); lra|]. rewrite <- exp_plus. apply exp_le.
  assert (over_line (b * z) <= over_line (b * G)) by (apply over_line_rises; nra).
  assert ((A' - A) * over_line (b * z) <= (A' - A) * over_line (b * G)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma exp_cubic x : 0 <= x -> 1 + x + x^2/2 + x^3/6 <= exp x.
Proof.
  intros Hx.
  assert (H2 : forall y, 0 <= y -> 1 + y + y^2/2 <= exp y).
  { intros y Hy. assert (H := grows (fun y => exp y - (1 + y + y^2/2)) (fun y => exp y - (1 + y)) y Hy). cbv beta in H.
    rewrite exp_0 in H. assert (1 - (1 + 0 + 0^2/2) <= exp y - (1 + y + y^2/2)); [|lra]. apply H.
    - intros z _. auto_derive; auto. field.
    - intros z _. generalize (exp_ge_1 z). lra. }
  assert (H := grows (fun y => exp y - (1 + y + y^2/2 + y^3/6)) (fun y => exp y - (1 + y + y^2/2)) x Hx). cbv beta in H.
  rewrite exp_0 in H. assert (1 - (1 + 0 + 0^2/2 + 0^3/6) <= exp x - (1 + x + x^2/2 + x^3/6)); [|lra]. apply H.
  - intros z _. auto_derive; auto. field.
  - intros z Hz. generalize (H2 z (proj1 Hz)). lra.
Qed.

Lemma PI_above : 3.135 <= PI.
Proof.
  assert (H := proj1 (PI_2_3_7_ineq 0)). unfold tg_alt, PI_2_3_7_tg, Ratan_seq in H. simpl in H. lra.
Qed.

(* 4e-8 is more than a normal variable exceeds 5.5 by either way. *)
Theorem beyond_5_5 : 2 * PhiBar 5.5 <= 4 / 10^8.
Proof.
  assert (Hm := mills p_infty 5.5 Logic.I). change (Phi p_infty - Phi 5.5) with (PhiBar 5.5) in Hm.
  assert (H0 := proj2 gauss). rewrite (phi_bell 5.5), H0 in Hm.
  assert (Hs : 2.5 <= sqrt (2 * PI)).
  { apply Rsqr_incr_0_var; [|apply sqrt_pos]. rewrite Rsqr_sqrt by (generalize PI_above; lra). unfold Rsqr.
  generalize PI_above. lra. }
  assert (Hb : bell 5.5 <= / 3650000).
  { unfold bell. replace (- 5.5^2/2) with (- (INR 121 * (1/8))) by (simpl; lra). rewrite exp_Ropp.
    apply Rinv_le_contravar; [lra|].
    assert (E : exp (INR 121 * (1/8)) = (exp (1/8))^121).
    { rewrite <- Rpower_pow by apply exp_pos. unfold Rpower. now rewrite ln_exp. }
    rewrite E. apply Rle_trans with (1.1331^121).
    - lra.
    - apply pow_incr. assert (H := exp_cubic (1/8) ltac:(lra)). lra. }
  assert (Hi : / sqrt (2 * PI) <= / 2.5) by (apply Rinv_le_contravar; lra).
  assert (Hbp := bell_pos 5.5). assert (Hip : 0 < / sqrt (2 * PI)) by (apply Rinv_0_lt_compat; lra).
  assert (/ sqrt (2 * PI) * bell 5.5 <= / 2.5 * / 3650000) by (apply Rmult_le_compat; lra). lra.
Qed.

(* F of "One answer": of noise of the standard deviation s at the order a, when the posterior mean of psi is at most v.
   Any V, z and k above 0 are valid, and any delta between 0 and 1; z is the page's x0, and k its 5.5. *)
Definition certificate (n kappa g v a s V delta z k : R) : R :=
  let A := kappa * n * v / g^2 in
  let rt := sqrt (a * (a - 1) / (s^2 + a^2 * V)) in
  Rpower (1 - delta) (1 - a) * (Rpower (1 + a * (V / s^2)) (a / 2) / sqrt (1 + a^2 * (V / s^2))) *
    (area_to A (g * rt / (kappa * n)) (rt * z + k) / (1 - 2 * PhiBar k)) +
  (if Rle_dec 1 z then 0 else
    Rpower (exp (1/2) * sqrt (1 + s^2) / s / delta) (a - 1) * (2 * exp (- A * h (g * z / v)))).

Lemma Rpower_falls x y e : 0 < x -> x <= y -> e <= 0 -> Rpower y e <= Rpower x e.
Proof.
  intros Hx Hy He. unfold Rpower. apply exp_le. assert (ln x <= ln y); [|nra].
  destruct Hy as [Hy| ->]; [left; now apply ln_increasing|lra].
Qed.

Lemma above_half k : 0 < k -> 0 < 1 - 2 * PhiBar k.
Proof.
  intros Hk. unfold PhiBar. assert (H := Phi_increasing 0 k Hk). replace (Phi 0) with (1/2) in H; [lra|].
  assert (H0 := Phi_opp 0). rewrite Ropp_0 in H0. lra.
Qed.

(* F hardly grows with v. *)
Lemma certificate_near n kappa g v a s V delta z k C :
  0 < n -> 0 < kappa -> 0 < g -> 0 < v -> 1 <= a -> 0 < s -> 0 < V -> 0 < delta < 1 -> 0 < z -> 0 < k ->
  certificate n kappa g v a s V delta z k < C ->
  exists e, 0 < e /\ certificate n kappa g (v + e) a s V delta z k < C.
Proof.
  intros Hn Hk Hg Hv Ha Hs HV Hd Hz Hk0 HC. unfold certificate in *. cbv zeta in *.
  set (rt := sqrt (a * (a - 1) / (s^2 + a^2 * V))) in *. assert (Hrt : 0 <= rt) by apply sqrt_pos.
  set (b := g * rt / (kappa * n)) in *. set (G := rt * z + k) in *. assert (HG : 0 < G) by (unfold G; nra).
  assert (Hkn : 0 < kappa * n) by now apply Rmult_lt_0_compat.
  assert (Hb : 0 <= b) by (apply Rmult_le_pos; [nra|left; now apply Rinv_0_lt_compat]).
  assert (Hh := above_half k Hk0).
  set (c1 := Rpower (1 - delta) (1 - a) * (Rpower (1 + a * (V / s^2)) (a / 2) / sqrt (1 + a^2 * (V / s^2)))) in *.
  assert (Hc1 : 0 <= c1).
  { apply Rmult_le_pos; [left; apply Rpower_pos|]. apply Rmult_le_pos; [left; apply Rpower_pos|].
    left. apply Rinv_0_lt_compat, sqrt_lt_R0. assert (0 < V / s^2) by (apply Rdiv_lt_0_compat; auto; now apply pow_lt).
    assert (0 <= a^2 * (V / s^2)) by (apply Rmult_le_pos; [apply pow2_ge_0|lra]). lra. }
  set (c2 := Rpower (exp (1 / 2) * sqrt (1 + s^2) / s / delta) (a - 1)) in *.
  set (I := area_to (kappa * n * v / g^2) b G) in *.
  set (m := kappa * n / g^2 * over_line (b * G)).
  set (H := fun e => c1 * (exp (m * e) * I / (1 - 2 * PhiBar k)) + (if Rle_dec 1 z then 0 else
    c2 * (2 * exp (- (kappa * n * (v + e) / g^2) * h (g * z / (v + e)))))).
  destruct (right_near H C) as (e & He & HHe).
  - assert (0 < 1 + g * z * / v).
    { assert (0 < g * z * / v); [|lra]. apply Rmult_lt_0_compat; [now apply Rmult_lt_0_compat|now apply
      Rinv_0_lt_compat]. }
    unfold H. destruct (Rle_dec 1 z); [auto_derive; auto|]. unfold h. auto_derive. rewrite !Rplus_0_r.
    repeat split; lra.
  - unfold H. rewrite Rmult_0_r, exp_0, Rmult_1_l, Rplus_0_r. exact HC.
  - exists e. split; auto. eapply Rle_lt_trans; [|exact HHe]. unfold H. apply Rplus_le_compat_r.
    apply Rmult_le_compat_l; auto. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
    eapply Rle_trans; [apply (area_to_grows (kappa * n * v / g^2)); auto; [lra|]|].
    + apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, pow_lt; lra|]. apply Rmult_le_compat_l; lra.
    + right. fold I. f_equal. f_equal. unfold m. field. lra.
Qed.

(* The square is completed, for either part of the law of an answer. *)
Definition wide (a s V : R) : R := s * sqrt (1 + a * (V / s^2)).
Definition narrow (a s V : R) : R := s * sqrt ((1 + a * (V / s^2)) / (1 + a^2 * (V / s^2))).
Definition prefactor (a s V : R) : R :=
  Rpower (1 + a * (V / s^2)) ((a - 1) / 2) * sqrt ((1 + a * (V / s^2)) / (1 + a^2 * (V / s^2))).
Definition rate (a s V : R) : R := a * (a - 1) / (2 * s^2 * (1 + a^2 * (V / s^2))).
Definition moved_mean (a s V mu d : R) : R := mu + a * (1 + a * (V / s^2)) / (1 + a^2 * (V / s^2)) * d.

Lemma prefactor_page a s V : 0 < 1 + a * (V / s^2) -> 0 < 1 + a^2 * (V / s^2) ->
  prefactor a s V = Rpower (1 + a * (V / s^2)) (a / 2) / sqrt (1 + a^2 * (V / s^2)).
Proof.
  intros Hp Hq. unfold prefactor. rewrite sqrt_div_alt by auto.
  replace (Rpower (1 + a * (V / s^2)) (a / 2)) with (Rpower (1 + a * (V / s^2)) ((a - 1) / 2) * sqrt (1 + a * (V /
    s^2))).
  - unfold Rdiv. ring.
  - rewrite <- Rpower_sqrt, <- Rpower_plus by auto. f_equal. field.
Qed.

Lemma moved k y : is_derive (fun y => y + k) y 1.
Proof. auto_derive; auto. Qed.

Section Certificate.
Context {X : Type}.
Variable x0 : X.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Hypothesis support : forall D, In D Ds -> finite D.
Notation E := (prodE Ds).
Notation n := (Tails.n Ds).
Notation emp := (emp Ds).
Notation rows := (length Ds).
Notation class := (class x0 Ds).
Notation mean_on := (mean_on Ds).
Notation centre := (centre Ds).

Variable q : query X.
Variable psi : X -> R.
Variables c g v : R.
Hypothesis g_pos : 0 < g.
Hypothesis psi_above : forall x, (fn q x - c)^2 <= psi x.
Hypothesis psi_below : forall x, psi x <= g^2.

Section Law.
Variable r : R.
Variable lam : list X -> R.
Hypothesis in_class : class r lam.
Hypothesis kap_pos : 0 < kap rows r.
Hypothesis enough : E (fun S => lam S * mean_on psi S) <= v * E lam.
Notation kn := (kap rows r * n).
Notation A := (kn * v / g^2).
Notation mu := (centre lam q).
Notation dev S := (emp q S - mu).

Lemma kn_pos : 0 < kn.
Proof. apply Rmult_lt_0_compat; auto. now apply n_pos. Qed.

Lemma lam_pos S : length S = rows -> 0 < lam S.
Proof. intros. now apply (class_pos x0 Ds r). Qed.

Lemma E_lam_pos : 0 < E lam.
Proof. now apply (class_E_pos x0 Ds support r). Qed.

(* The moments of the deviation either way. *)
Theorem moments_both_ways t :
  E (fun S => lam S * exp (t * dev S)) <= exp (A * over_line (g * Rabs t / kn)) * E lam.
Proof.
  assert (Hn := n_pos Ds some_rows). assert (HE := E_lam_pos).
  assert (Side : forall s, s * s = 1 -> forall y, 0 <= y ->
    E (fun S => lam S * exp (y * (s * dev S))) <= exp (A * over_line (g * y / kn)) * E lam).
  { intros s Hs y Hy. set (f := fun x => s * (fn q x - c)).
    assert (Hf : forall x, f x ^ 2 <= psi x).
    { intros x. unfold f. replace ((s * (fn q x - c))^2) with (s * s * (fn q x - c)^2) by ring.
      rewrite Hs, Rmult_1_l. apply psi_above. }
    assert (Hm := posterior_moments x0 Ds some_rows support f psi g v g_pos Hf psi_below r lam y in_class kap_pos Hy
      enough).
    cbv beta zeta in Hm. unfold over_line. eapply Rle_trans; [|exact Hm].
    assert (EF : forall S, length S = rows -> sumR S f / n = s * (emp q S - c)).
    { intros S HS. unfold f. rewrite sumR_scal. unfold Tails.emp, Rminus. rewrite sumR_plus, sumR_const, HS.
      unfold Tails.n in *. field. lra. }
    assert (Em : E (fun S => lam S * (sumR S f / n)) / E lam = s * (mu - c)).
    { rewrite (E_rows Ds support _ (fun S => s * (lam S * emp q S) + - (s * c) * lam S)).
      2:{ intros S HS. rewrite EF by auto. ring. }
      rewrite mean_plus, !mean_scal. unfold Posterior.centre. field. lra. }
    rewrite Em. right. apply (E_rows Ds support). intros S HS. rewrite EF by auto. f_equal. f_equal. ring. }
  unfold Rabs. destruct (Rcase_abs t) as [Ht|Ht].
  - specialize (Side (-1) ltac:(ring) (- t) ltac:(lra)). eapply Rle_trans; [|exact Side]. right.
    apply mean_ext. intros S. f_equal. f_equal. ring.
  - specialize (Side 1 ltac:(ring) t ltac:(lra)). eapply Rle_trans; [|exact Side]. right.
    apply mean_ext. intros S. f_equal. f_equal. ring.
Qed.

Notation far z := (fun S => z < Rabs (dev S)).
Definition ind_far (z : R) : list X -> R := ind (far z).

Lemma ind_far_range z S : 0 <= ind_far z S <= 1.
Proof. apply ind_range. Qed.

(* The tail. *)
Theorem tail_both_ways z : 0 < v -> 0 < z ->
  E (fun S => lam S * ind_far z S) <= 2 * exp (- A * h (g * z / v)) * E lam.
Proof.
  intros Hv Hz. assert (Hk := kn_pos). assert (Hn := n_pos Ds some_rows). set (y := g * z / v). assert (Hy : 0 < y) by
    (apply Rdiv_lt_0_compat; auto; now apply Rmult_lt_0_compat).
  set (u := ln (1 + y)). assert (Hu : 0 < u) by (unfold u; rewrite <- ln_1; apply ln_increasing; lra).
  set (t := kn / g * u). assert (Ht : 0 < t) by (apply Rmult_lt_0_compat; auto; now apply Rdiv_lt_0_compat).
  apply Rle_trans with (exp (- (t * z)) * (E (fun S => lam S * exp (t * dev S)) + E (fun S => lam S * exp (- t * dev
    S)))).
  - rewrite <- mean_plus, <- mean_scal. apply (E_le Ds support). intros S HS. assert (Hl := lam_pos S HS).
    replace (exp (- (t * z)) * (lam S * exp (t * dev S) + lam S * exp (- t * dev S))) with
      (lam S * (exp (t * dev S + - (t * z)) + exp (- t * dev S + - (t * z)))) by (rewrite !exp_plus; ring).
    apply Rmult_le_compat_l; [lra|]. unfold ind_far, ind.
    assert (H1 := exp_pos (t * dev S + - (t * z))). assert (H2 := exp_pos (- t * dev S + - (t * z))).
    destruct (excluded_middle_informative (z < Rabs (dev S))) as [Hf|Hf]; [|lra].
    unfold Rabs in Hf. destruct (Rcase_abs (dev S)).
    + assert (exp 0 <= exp (- t * dev S + - (t * z))) by (apply exp_le; nra). rewrite exp_0 in H. lra.
    + assert (exp 0 <= exp (t * dev S + - (t * z))) by (apply exp_le; nra). rewrite exp_0 in H. lra.
  - assert (M1 := moments_both_ways t). assert (M2 := moments_both_ways (- t)).
    rewrite Rabs_Ropp in M2. rewrite (Rabs_pos_eq t) in M1, M2 by lra.
    assert (Eu : g * t / kn = u) by (unfold t; field; repeat split; lra). rewrite Eu in M1, M2.
    apply Rle_trans with (exp (- (t * z)) * (2 * (exp (A * over_line u) * E lam))).
    + apply Rmult_le_compat_l; [left; apply exp_pos|lra].
    + right. replace (exp (- A * h y)) with (exp (- (t * z)) * exp (A * over_line u)); [ring|].
      rewrite <- exp_plus. f_equal. unfold over_line, u at 1, h. rewrite exp_ln by lra. fold u. unfold t, y. field.
      repeat split; lra.
Qed.

(* The mean of e^(c X^2) where X is not far, by a normal variable that is within G. *)
Theorem near_square rt z k : 0 <= rt -> 0 <= z -> 0 < k ->
  E (fun S => lam S * ((1 - ind_far z S) * exp ((rt * dev S)^2 / 2))) * (1 - 2 * PhiBar k) <=
    area_to A (g * rt / kn) (rt * z + k) * E lam.
Proof.
  intros Hrt Hz Hk0. set (G := rt * z + k). set (b := g * rt / kn).
  assert (HG : 0 < G) by (unfold G; nra). assert (HE := E_lam_pos). assert (Hkn := kn_pos).
  assert (Hn := n_pos Ds some_rows).
  assert (Hkk := above_half k Hk0).
  set (B := fun S => rt * dev S).
  set (Q := fun S (y : R) => exp ((B S)^2 / 2) * (Phi (y - B S) + Phi (y + B S))).
  assert (DQ : forall S y, is_derive (Q S) y (phi y * (exp (B S * y) + exp (- B S * y)))).
  { intros S y. replace (phi y * (exp (B S * y) + exp (- B S * y))) with
      (exp ((B S)^2 / 2) * (phi (y - B S) + phi (y + B S))).
    - apply is_derive_scal. apply (is_derive_plus (fun y : R => Phi (y - B S)) (fun y : R => Phi (y + B S))).
      + replace (phi (y - B S)) with (scal 1 (phi (y - B S))) by (unfold scal; simpl; unfold mult; simpl; ring).
        apply (is_derive_comp (fun x : R => Phi x) (fun y => y - B S)); [apply Phi_derive|apply (moved (- B S))].
      + replace (phi (y + B S)) with (scal 1 (phi (y + B S))) by (unfold scal; simpl; unfold mult; simpl; ring).
        apply (is_derive_comp (fun x : R => Phi x) (fun y => y + B S)); [apply Phi_derive|apply moved].
    - rewrite Rmult_plus_distr_l, <- phi_shift. replace (y + B S) with (y - - B S) by ring.
      replace ((B S)^2 / 2) with ((- B S)^2 / 2) by field. rewrite <- phi_shift. ring. }
  set (T := fun y => area_to A b y * E lam + - E (fun S => lam S * Q S y)).
  assert (DT : forall y, is_derive T y (curve A b y * E lam + - E (fun S => lam S * (phi y * (exp (B S * y) + exp (- B
    S * y)))))).
  { intros y. apply (is_derive_plus (fun y => area_to A b y * E lam) (fun y => - E (fun S => lam S * Q S y))).
    - apply (is_derive_ext (fun y => E lam * area_to A b y)); [intros; apply Rmult_comm|].
      replace (curve A b y * E lam) with (E lam * curve A b y) by ring. apply is_derive_scal, area_to_derive.
    - apply (is_derive_opp (fun y => E (fun S => lam S * Q S y))).
      apply (E_derive Ds support lam Q (fun S y => phi y * (exp (B S * y) + exp (- B S * y)))). intros; apply DQ. }
  assert (HT : T 0 <= T G).
  { apply (rises T nil); [|lra|].
    - intros y. apply (ex_derive_continuous T). eexists. apply DT.
    - intros y Hy _. eexists. split; [apply DT|].
      assert (Hm : E (fun S => lam S * (phi y * (exp (B S * y) + exp (- B S * y)))) <= curve A b y * E lam); [|lra].
      assert (M1 := moments_both_ways (rt * y)). assert (M2 := moments_both_ways (- (rt * y))).
      rewrite Rabs_Ropp in M2. rewrite (Rabs_pos_eq (rt * y)) in M1, M2 by nra.
      replace (g * (rt * y) / kn) with (b * y) in M1, M2 by (unfold b; field; repeat split; lra).
      rewrite (mean_ext E _ (fun S => phi y * (lam S * exp (rt * y * dev S) + lam S * exp (- (rt * y) * dev S)))).
      2:{ intros S. unfold B. replace (rt * dev S * y) with (rt * y * dev S) by ring.
          replace (- (rt * dev S) * y) with (- (rt * y) * dev S) by ring. ring. }
      rewrite mean_scal, mean_plus. unfold curve. assert (Hp := phi_pos y).
      apply Rle_trans with (phi y * (2 * (exp (A * over_line (b * y)) * E lam))); [|right; ring].
      apply Rmult_le_compat_l; lra. }
  assert (HQ : E (fun S => lam S * Q S G) + - E (fun S => lam S * Q S 0) <= area_to A b G * E lam).
  { unfold T in HT. rewrite area_to_0 in HT. lra. }
  eapply Rle_trans; [|exact HQ].
  rewrite <- mean_scal_r. replace (- E (fun S => lam S * Q S 0)) with (-1 * E (fun S => lam S * Q S 0)) by ring.
  rewrite <- (mean_scal E (-1)), <- mean_plus. apply (E_le Ds support). intros S HS. assert (Hl := lam_pos S HS).
  replace (lam S * Q S G + -1 * (lam S * Q S 0)) with (lam S * (Q S G - Q S 0)) by ring.
  rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|]. unfold Q. rewrite Rminus_0_l, Rplus_0_l, Phi_opp.
  replace (exp ((B S)^2/2) * (Phi (G - B S) + Phi (G + B S)) - exp ((B S)^2/2) * (1 - Phi (B S) + Phi (B S))) with
    (exp ((B S)^2/2) * (Phi (G - B S) + Phi (G + B S) - 1)) by ring.
  fold (B S). rewrite (Rmult_comm (1 - ind_far z S)), Rmult_assoc. apply Rmult_le_compat_l; [left; apply exp_pos|].
  unfold ind_far, ind. destruct (excluded_middle_informative (z < Rabs (dev S))) as [Hf|Hf].
  - rewrite Rminus_eq_0, Rmult_0_l.
    assert (Phi (- (G - B S)) <= Phi (G + B S)) by (apply Phi_rises; simpl; lra). rewrite Phi_opp in H. lra.
  - rewrite Rminus_0_r, Rmult_1_l.
    assert (HB : Rabs (B S) <= rt * z).
    { unfold B. rewrite Rabs_mult, (Rabs_pos_eq rt) by auto. apply Rmult_le_compat_l; lra. }
    assert (- Rabs (B S) <= B S <= Rabs (B S)) by (unfold Rabs; destruct (Rcase_abs (B S)); lra).
    assert (Phi k <= Phi (G - B S)) by (apply Phi_rises; unfold G; simpl; lra).
    assert (Phi k <= Phi (G + B S)) by (apply Phi_rises; unfold G; simpl; lra). unfold PhiBar. lra.
Qed.

End Law.

Section Cost.
Variables a s r V delta z k : R.
Hypothesis a_1 : 1 <= a.
Hypothesis s_pos : 0 < s.
Hypothesis V_pos : 0 < V.
Hypothesis delta_range : 0 < delta < 1.
Hypothesis z_pos : 0 < z.
Hypothesis k_pos : 0 < k.
Hypothesis v_pos : 0 < v.
Hypothesis kap_pos : 0 < kap rows r.
Notation F := (certificate n (kap rows r) g v a s V delta z k).

Lemma qq_pos W : 0 < W -> 0 < 1 + a^2 * (W / s^2).
Proof. now apply Steps.qq_pos. Qed.

Lemma wide_pos W : 0 < W -> 0 < wide a s W.
Proof. now apply Steps.wide_pos. Qed.

Lemma narrow_pos W : 0 < W -> 0 < narrow a s W.
Proof. now apply Steps.spread_pos. Qed.

Lemma part W mu y S : 0 < W -> power_of Ds a s q y S * Rpower (density mu (wide a s W) y) (1 - a) =
  prefactor a s W * exp (rate a s W * (emp q S - mu)^2) * density (moved_mean a s W mu (emp q S - mu)) (narrow a s W) y.
Proof. intros H. apply (completed Ds a s W a_1 s_pos H). Qed.

(* The wide part costs at most K^(a-1) whatever the sample is. *)
Lemma wide_cost d : -1 <= d <= 1 ->
  prefactor a s (/ a) * exp (rate a s (/ a) * d^2) <= Rpower (exp (1/2) * sqrt (1 + s^2) / s) (a - 1).
Proof.
  intros Hd. assert (Hs2 : 0 < s^2) by now apply pow_lt. assert (Ha : 0 < / a) by (apply Rinv_0_lt_compat; lra).
  assert (E1 : 1 + a * (/ a / s^2) = (1 + s^2) / s^2) by (field; lra).
  assert (E2 : 1 + a^2 * (/ a / s^2) = (a + s^2) / s^2) by (field; lra).
  unfold prefactor, rate. rewrite E1, E2.
  assert (Ep : 0 < (1 + s^2) / s^2) by (apply Rdiv_lt_0_compat; lra).
  assert (Hsq : sqrt ((1 + s^2) / s^2 / ((a + s^2) / s^2)) <= 1).
  { apply Rle_trans with (sqrt 1); [|rewrite sqrt_1; lra]. apply sqrt_le_1_alt.
    replace ((1 + s^2) / s^2 / ((a + s^2) / s^2)) with ((1 + s^2) / (a + s^2)) by (field; lra).
    apply Rmult_le_reg_r with (a + s^2); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (Hex : exp (a * (a - 1) / (2 * s^2 * ((a + s^2) / s^2)) * d^2) <= exp ((a - 1) * (1/2))).
  { apply exp_le. replace (a * (a - 1) / (2 * s^2 * ((a + s^2) / s^2)) * d^2) with ((a - 1) * (1/2) * (a * d^2 / (a +
    s^2))) by (field; lra).
    rewrite <- (Rmult_1_r ((a - 1) * (1/2))) at 2. apply Rmult_le_compat_l; [lra|].
    apply Rmult_le_reg_r with (a + s^2); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    assert (a * d^2 <= a * 1) by (apply Rmult_le_compat_l; nra). lra. }
  replace (Rpower (exp (1/2) * sqrt (1 + s^2) / s) (a - 1)) with
    (Rpower ((1 + s^2) / s^2) ((a - 1) / 2) * 1 * exp ((a - 1) * (1/2))).
  - apply Rmult_le_compat; auto; [|left; apply exp_pos|].
    + apply Rmult_le_pos; [left; apply Rpower_pos|apply sqrt_pos].
    + apply Rmult_le_compat_l; [left; apply Rpower_pos|auto].
  - assert (Eq : exp (1/2) * sqrt (1 + s^2) / s = exp (1/2) * sqrt ((1 + s^2) / s^2)).
    { rewrite sqrt_div_alt by auto. rewrite sqrt_pow2 by lra. unfold Rdiv. ring. }
    rewrite Eq, <- Rpower_mult_distr; [|apply exp_pos|now apply sqrt_lt_R0].
    rewrite <- (Rpower_sqrt ((1 + s^2) / s^2)) by auto. rewrite Rpower_mult.
    replace (/ 2 * (a - 1)) with ((a - 1) / 2) by field. unfold Rpower at 2. rewrite ln_exp. ring.
Qed.

Lemma dev_range lam S : class r lam -> length S = rows -> -1 <= emp q S - centre lam q <= 1.
Proof.
  intros Hc HS. assert (Hn := n_pos Ds some_rows). assert (HE := class_E_pos x0 Ds support r lam Hc).
  assert (Hr : forall S, length S = rows -> 0 <= emp q S <= 1).
  { intros S' HS'. unfold Tails.emp. assert (0 <= sumR S' (fn q) <= n).
    { split; [apply sumR_nonneg; intros; apply (proj2_sig q)|]. unfold Tails.n.
    rewrite <- HS', <- (Rmult_1_r (INR _)), <- sumR_const.
      apply sumR_le. intros; apply (proj2_sig q). }
    split; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|].
    apply Rmult_le_reg_r with n; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (0 <= centre lam q <= 1); [|specialize (Hr S HS); lra]. unfold Posterior.centre.
  assert (H0 : 0 <= E (fun S => lam S * emp q S) <= E lam).
  { split.
    - rewrite <- (mean_const E 0) at 1. apply (E_le Ds support). intros S' HS'.
    apply Rmult_le_pos; [|apply Hr; auto].
      left. now apply (class_pos x0 Ds r).
    - apply (E_le Ds support). intros S' HS'. rewrite <- (Rmult_1_r (lam S')) at 2.
    apply Rmult_le_compat_l; [|apply Hr; auto].
      left. now apply (class_pos x0 Ds r). }
  split; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|].
  apply Rmult_le_reg_r with (E lam); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma F_pos : 0 < F.
Proof.
  assert (Hn := n_pos Ds some_rows). unfold certificate. cbv zeta. apply Rplus_lt_le_0_compat.
  - apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [apply Rpower_pos|]|].
    + apply Rdiv_lt_0_compat; [apply Rpower_pos|]. now apply sqrt_lt_R0, qq_pos.
    + apply Rdiv_lt_0_compat; [|now apply above_half]. apply area_to_pos.
      assert (H := sqrt_pos (a * (a - 1) / (s^2 + a^2 * V))). nra.
  - destruct (Rle_dec 1 z) as [Hz|Hz]; [lra|]. apply Rmult_le_pos; [left; apply Rpower_pos|].
  generalize (exp_pos (- (kap rows r * n * v / g^2) * h (g * z / v))). lra.
Qed.

(* "One answer": whatever the law of the class, the a-th roots of the means of the powers of an answer's density have an
   integral of at most the a-th root of F. *)
Theorem one_answer_cost lam : class r lam -> E (fun S => lam S * mean_on psi S) <= v * E lam ->
  exists (U : R -> R) (GU : Rbar -> R), (forall y, Rpower (E (fun S => lam S * power_of Ds a s q y S)) (/ a) <= U y)
    /\
    integral U GU /\ over GU m_infty p_infty <= Rpower F (/ a) * Rpower (E lam) (/ a).
Proof.
  intros Hc Hv. assert (HE := class_E_pos x0 Ds support r lam Hc). assert (HF := F_pos). set (mu := centre lam q).
  assert (Hi : 0 < / a) by (apply Rinv_0_lt_compat; lra).
  assert (Hth : 0 < / a <= 1) by (split; auto; rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  set (far := ind_far lam z).
  assert (Hfar : forall S, 0 <= far S <= 1) by (intros; apply ind_far_range).
  set (D1 := fun S y => density (moved_mean a s V mu (emp q S - mu)) (narrow a s V) y).
  set (D2 := fun S y => density (moved_mean a s (/ a) mu (emp q S - mu)) (narrow a s (/ a)) y).
  set (w1 := fun S => prefactor a s V * exp (rate a s V * (emp q S - mu)^2)).
  set (w2 := fun S => prefactor a s (/ a) * exp (rate a s (/ a) * (emp q S - mu)^2)).
  set (u1 := fun S => lam S * ((1 - far S) * (Rpower (1 - delta) (1 - a) * w1 S))).
  set (u2 := fun S => lam S * (far S * (Rpower delta (1 - a) * w2 S))).
  set (R1 := fun y => density mu (wide a s V) y). set (R2 := fun y => density mu (wide a s (/ a)) y).
  set (Rm := fun y => (1 - delta) * R1 y + delta * R2 y).
  set (W := fun y => E (fun S => u1 S * D1 S y) + E (fun S => u2 S * D2 S y)).
  set (N1 := fun S t => Phi (rescaled (moved_mean a s V mu (emp q S - mu)) (narrow a s V) t)).
  set (N2 := fun S t => Phi (rescaled (moved_mean a s (/ a) mu (emp q S - mu)) (narrow a s (/ a)) t)).
  assert (IW : integral W (fun t => E (fun S => u1 S * N1 S t) + E (fun S => u2 S * N2 S t))).
  { apply int_plus; apply (E_int Ds support); intros S _; apply density_int, narrow_pos; auto. }
  assert (IR : integral Rm (fun t => (1 - delta) * Phi (rescaled mu (wide a s V) t) + delta * Phi (rescaled mu (wide a
    s (/ a)) t))).
  { apply int_plus; apply int_scal, density_int, wide_pos; auto. }
  assert (HR1 : forall y, 0 < R1 y) by (intros; apply density_pos, wide_pos; auto).
  assert (HR2 : forall y, 0 < R2 y) by (intros; apply density_pos, wide_pos; auto).
  assert (HRm : forall y, 0 < Rm y).
  { intros y. apply Rplus_lt_0_compat; apply Rmult_lt_0_compat; auto; lra. }
  assert (HW : forall y, E (fun S => lam S * power_of Ds a s q y S) * Rpower (Rm y) (1 - a) <= W y).
  { intros y. unfold W. rewrite <- mean_scal_r, <- mean_plus. apply (E_le Ds support). intros S HS.
    assert (Hl := class_pos x0 Ds r lam S Hc HS).
    assert (Hp : 0 <= power_of Ds a s q y S).
    { unfold power_of. apply Rmult_le_pos; [left; apply Rpower_pos|left; apply exp_pos]. }
    unfold u1, u2, w1, w2. rewrite !Rmult_assoc, <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [lra|].
    assert (P1 : power_of Ds a s q y S * Rpower (Rm y) (1 - a) <= Rpower (1 - delta) (1 - a) * (w1 S * D1 S y)).
    { apply Rle_trans with (power_of Ds a s q y S * Rpower ((1 - delta) * R1 y) (1 - a)).
      - apply Rmult_le_compat_l; auto. apply Rpower_falls; [apply Rmult_lt_0_compat; auto; lra| |lra]. unfold Rm.
        assert (0 < delta * R2 y) by (apply Rmult_lt_0_compat; auto; lra). lra.
      - rewrite <- Rpower_mult_distr by (auto; lra). unfold w1, D1. rewrite <- (part V mu y S V_pos). fold (R1 y).
      right. ring. }
    assert (P2 : power_of Ds a s q y S * Rpower (Rm y) (1 - a) <= Rpower delta (1 - a) * (w2 S * D2 S y)).
    { apply Rle_trans with (power_of Ds a s q y S * Rpower (delta * R2 y) (1 - a)).
      - apply Rmult_le_compat_l; auto. apply Rpower_falls; [apply Rmult_lt_0_compat; auto; lra| |lra]. unfold Rm.
        assert (0 < (1 - delta) * R1 y) by (apply Rmult_lt_0_compat; auto; lra). lra.
      - rewrite <- Rpower_mult_distr by (auto; lra). unfold w2, D2. rewrite <- (part (/ a) mu y S Hi). fold (R2 y).
      right. ring. }
    unfold w1, w2 in P1, P2. specialize (Hfar S). rewrite !Rmult_assoc in P1, P2.
    set (p := power_of Ds a s q y S * Rpower (Rm y) (1 - a)) in *.
    replace p with ((1 - far S) * p + far S * p) by ring. apply Rplus_le_compat; apply Rmult_le_compat_l; lra. }
  assert (Hnarrow : 0 <= prefactor a s V).
  { apply Rmult_le_pos; [left; apply Rpower_pos|apply sqrt_pos]. }
  assert (HT : E u1 + E u2 <= F * E lam).
  { unfold certificate. cbv zeta. rewrite Rmult_plus_distr_r. set (rt := sqrt (a * (a - 1) / (s^2 + a^2 * V))).
    apply Rplus_le_compat.
    - assert (H := near_square r lam Hc kap_pos Hv rt z k (sqrt_pos _) (Rlt_le _ _ z_pos) k_pos).
      fold mu far in H. assert (Hh := above_half k k_pos).
      rewrite <- prefactor_page by (first [now apply Steps.pp_pos|now apply qq_pos]).
      set (I := area_to (kap rows r * n * v / g^2) (g * rt / (kap rows r * n)) (rt * z + k)) in *.
      apply Rle_trans with (Rpower (1 - delta) (1 - a) * prefactor a s V *
        E (fun S => lam S * ((1 - far S) * exp ((rt * (emp q S - mu))^2 / 2)))).
      + rewrite <- mean_scal. right. apply mean_ext. intros S. unfold u1, w1.
        replace ((rt * (emp q S - mu))^2 / 2) with (rate a s V * (emp q S - mu)^2); [ring|].
        replace ((rt * (emp q S - mu))^2) with (rt * rt * (emp q S - mu)^2) by ring. unfold rt.
        assert (Hq := qq_pos V V_pos).
        assert (Hs2 : 0 < s^2) by now apply pow_lt.
        assert (Hd : 0 < s^2 + a^2 * V).
        { replace (s^2 + a^2 * V) with (s^2 * (1 + a^2 * (V / s^2))) by (field; lra). now apply Rmult_lt_0_compat. }
        rewrite sqrt_sqrt.
        * unfold rate. replace (2 * s^2 * (1 + a^2 * (V / s^2))) with (2 * (s^2 + a^2 * V)) by (field; lra). field. lra.
        * apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. left. now apply Rinv_0_lt_compat.
      + rewrite Rmult_assoc. rewrite (Rmult_assoc (Rpower (1 - delta) (1 - a))),
        (Rmult_assoc (Rpower (1 - delta) (1 - a))).
        apply Rmult_le_compat_l; [left; apply Rpower_pos|]. rewrite (Rmult_assoc (prefactor a s V)).
        apply Rmult_le_compat_l; auto.
        apply Rmult_le_reg_r with (1 - 2 * PhiBar k); auto. eapply Rle_trans; [exact H|]. right. field. lra.
    - apply Rle_trans with (Rpower (exp (1 / 2) * sqrt (1 + s^2) / s / delta) (a - 1) * E (fun S => lam S * far S)).
      + rewrite <- mean_scal. apply (E_le Ds support). intros S HS. assert (Hl := class_pos x0 Ds r lam S Hc HS).
        assert (Hw := wide_cost (emp q S - mu) (dev_range lam S Hc HS)).
        assert (Hb : 0 < exp (1 / 2) * sqrt (1 + s^2) / s).
        { apply Rdiv_lt_0_compat; auto. apply Rmult_lt_0_compat; [apply exp_pos|]. apply sqrt_lt_R0.
        generalize (pow2_ge_0 s). lra. }
        unfold Rdiv at 1. rewrite <- Rpower_mult_distr by (auto; apply Rinv_0_lt_compat; lra).
        assert (Ed : Rpower (/ delta) (a - 1) = Rpower delta (1 - a)).
        { unfold Rpower. rewrite ln_Rinv by lra. f_equal. ring. }
        rewrite Ed. unfold u2, w2. specialize (Hfar S).
        replace (Rpower (exp (1 / 2) * sqrt (1 + s^2) / s) (a - 1) * Rpower delta (1 - a) * (lam S * far S)) with
          (lam S * (far S * (Rpower delta (1 - a) * Rpower (exp (1 / 2) * sqrt (1 + s^2) / s) (a - 1)))) by ring.
        apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [lra|].
        apply Rmult_le_compat_l; [left; apply Rpower_pos|exact Hw].
      + destruct (Rle_dec 1 z) as [Hz|Hz].
        * rewrite (E_rows Ds support _ (fun _ => 0)); [rewrite mean_const; lra|]. intros S HS.
          replace (far S) with 0; [ring|]. unfold far, ind_far, ind.
          destruct (excluded_middle_informative _) as [Hf|Hf]; auto. exfalso. assert (Hd := dev_range lam S Hc HS).
          unfold Rabs in Hf. destruct (Rcase_abs _); lra.
        * rewrite Rmult_assoc. apply Rmult_le_compat_l; [left; apply Rpower_pos|].
          apply (tail_both_ways r lam Hc kap_pos Hv z v_pos z_pos). }
  destruct (against_reference a (fun y => E (fun S => lam S * power_of Ds a s q y S)) W Rm
    (fun t => E (fun S => u1 S * N1 S t) + E (fun S => u2 S * N2 S t))
    (fun t => (1 - delta) * Phi (rescaled mu (wide a s V) t) + delta * Phi (rescaled mu (wide a s (/ a)) t))
    m_infty p_infty (F * E lam) 1) as (U & GU & HU & IU & OU); auto; try lra.
  - now apply Rmult_lt_0_compat.
  - intros y. apply (class_E_pos x0 Ds support (r + a / s^2 / (4 * n^2))). now apply power_class.
  - eapply Rle_trans; [|exact HT]. right. unfold over, N1, N2. cbn [rescaled Phi].
    rewrite (mean_ext E (fun S => u1 S * 1) u1), (mean_ext E (fun S => u2 S * 1) u2) by (intros; ring).
    rewrite (mean_ext E (fun S => u1 S * 0) (fun _ => 0)), (mean_ext E (fun S => u2 S * 0) (fun _ => 0)) by
      (intros; ring).
    rewrite mean_const. ring.
  - unfold over. cbn [rescaled Phi]. lra.
  - exists U, GU. split; [exact HU|]. split; [exact IU|]. rewrite Rpower_mult_distr by auto.
    now rewrite Rpower_1_l, Rmult_1_r in OU.
Qed.

End Cost.
End Certificate.
