(* docs/theorems/maxinfo.md, "Renyi transfer": the laws of the sample after Gaussian answers, and the sub-Gaussian
   step, for records with laws of finite support. *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Kappa Variance Line Normal.
From dpcalc Require Ising.
Import ListNotations.
Open Scope R_scope.

(* A law on finitely many points. *)
Definition finite {X : Type} (D : law X) : Prop := exists l : list (X * R),
  (forall a, In a l -> 0 <= snd a) /\ forall f : X -> R, D f = sumR l (fun a => snd a * f (fst a)).

Lemma finite_laws_exchange {X} (D : law X) : finite D -> exchanges D.
Proof.
  intros (l & _ & H) F. rewrite H.
  transitivity (sumR l (fun a => sumR l (fun b => snd a * (snd b * F (fst a) (fst b))))).
  - apply sumR_ext. intros a _. now rewrite H, sumR_scal.
  - rewrite sumR_swap, H. apply sumR_ext. intros b _. rewrite H, <- sumR_scal. apply sumR_ext. intros a _. ring.
Qed.

(* The samples of finite laws are finitely many. *)
Lemma finite_sample {X} (Ds : list (law X)) : (forall D, In D Ds -> finite D) -> exists L : list (list X * R),
  (forall a, In a L -> 0 <= snd a) /\ (forall a, In a L -> length (fst a) = length Ds) /\
  forall f : list X -> R, prodE Ds f = sumR L (fun a => snd a * f (fst a)).
Proof.
  induction Ds as [|D Ds IH]; intros H.
  - exists [(nil, 1)]. simpl. split; [|split].
    + intros a [<-|[]]. simpl. lra.
    + intros a [<-|[]]. auto.
    + intros f. lra.
  - destruct IH as (L & Hw & Hl & HL); [intros; apply H; simpl; auto|].
    destruct (H D (or_introl eq_refl)) as (l & Hlw & HlD).
    exists (flat_map (fun a => map (fun b => (fst a :: fst b, snd a * snd b)) L) l). split; [|split].
    + intros c Hc. apply in_flat_map in Hc. destruct Hc as (a & Ha & Hc). apply in_map_iff in Hc.
      destruct Hc as (b & <- & Hb). simpl. apply Rmult_le_pos; auto.
    + intros c Hc. apply in_flat_map in Hc. destruct Hc as (a & Ha & Hc). apply in_map_iff in Hc.
      destruct Hc as (b & <- & Hb). simpl. now rewrite (Hl b Hb).
    + intros f. simpl. rewrite HlD, sumR_flat_map. apply sumR_ext. intros a _. rewrite sumR_map, HL, <- sumR_scal.
      apply sumR_ext. intros b _. simpl. ring.
Qed.

(* kappa of the variance lemma. *)
Definition kap (n : nat) (r : R) : R := if Nat.eqb n 1 then 1 else kappa_poly (Nat.max n 4) (2 * r).

Section Posterior.
Context {X : Type}.
Variable x0 : X.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Hypothesis support : forall D, In D Ds -> finite D.
Notation E := (prodE Ds).
Notation n := (Tails.n Ds).
Notation emp := (emp Ds).
Notation rows := (length Ds).

Lemma rows_pos : (0 < rows)%nat.
Proof. destruct Ds; [congruence|simpl; lia]. Qed.

Lemma E_rows f g : (forall S, length S = rows -> f S = g S) -> E f = E g.
Proof.
  intros H. destruct (finite_sample Ds support) as (L & _ & Hl & HL). rewrite !HL. apply sumR_ext.
  intros a Ha. now rewrite H by auto.
Qed.

Lemma E_le f g : (forall S, length S = rows -> f S <= g S) -> E f <= E g.
Proof.
  intros H. destruct (finite_sample Ds support) as (L & Hw & Hl & HL). rewrite !HL. apply sumR_le.
  intros a Ha. apply Rmult_le_compat_l; auto.
Qed.

Lemma E_pos f : (forall S, length S = rows -> 0 < f S) -> 0 < E f.
Proof.
  intros H. destruct (finite_sample Ds support) as (L & Hw & Hl & HL).
  assert (H1 := HL (fun _ => 1)). rewrite (mean_one E) in H1. rewrite HL.
  destruct (Rlt_dec 0 (sumR L (fun a => snd a * f (fst a)))) as [Hp|Hp]; auto. exfalso.
  assert (Hz : sumR L (fun a => snd a * f (fst a)) = 0).
  { apply Rle_antisym; [lra|]. apply sumR_nonneg. intros a Ha. apply Rmult_le_pos; auto. left. auto. }
  assert (forall a, In a L -> snd a = 0).
  { intros a Ha. assert (Hf := H (fst a) (Hl a Ha)).
    assert (snd a * f (fst a) = 0).
    { apply (Ising.sumR_zero L (fun a => snd a * f (fst a))); auto. intros b Hb. apply Rmult_le_pos; auto.
      left; auto. }
    apply Rmult_integral in H0. destruct H0; [auto|lra]. }
  rewrite (sumR_ext _ _ (fun _ => 0)) in H1; [rewrite sumR_const in H1; lra|].
  intros a Ha. rewrite H0 by auto. ring.
Qed.

(* The mean of integrals. *)
Lemma E_int (u : list X -> R) (g : list X -> R -> R) (G : list X -> Rbar -> R) :
  (forall S, length S = rows -> integral (g S) (G S)) ->
  integral (fun y => E (fun S => u S * g S y)) (fun t => E (fun S => u S * G S t)).
Proof.
  intros H. destruct (finite_sample Ds support) as (L & Hw & Hl & HL).
  apply (int_ext (fun y => sumR L (fun a => snd a * u (fst a) * g (fst a) y))).
  { intros y. rewrite HL. apply sumR_ext. intros; ring. }
  apply (int_same _ (fun t => sumR L (fun a => snd a * u (fst a) * G (fst a) t))).
  { intros t. rewrite HL. apply sumR_ext. intros; ring. }
  apply int_sum. intros a Ha. apply int_scal. auto.
Qed.

Lemma E_derive (u : list X -> R) (g g1 : list X -> R -> R) y :
  (forall S, is_derive (g S) y (g1 S y)) ->
  is_derive (fun y => E (fun S => u S * g S y)) y (E (fun S => u S * g1 S y)).
Proof.
  intros H. destruct (finite_sample Ds support) as (L & Hw & Hl & HL).
  apply (is_derive_ext (fun y => sumR L (fun a => snd a * (u (fst a) * g (fst a) y)))); [intros; now rewrite HL|].
  rewrite HL. clear -H. induction L as [|a L IH]; cbn [sumR].
  - apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) 0 y).
  - apply (is_derive_plus (fun y => snd a * (u (fst a) * g (fst a) y))); auto.
    apply is_derive_scal, is_derive_scal, H.
Qed.

(* The class: after Gaussian answers, and tilts, whose squares add up to r. *)
Definition class (r : R) (lam : list X -> R) : Prop := exists (d : nat) (v : nat -> X -> nat -> R) (h : nat -> X -> R),
  (forall i x y, sumR (seq 0 d) (fun l => (v i x l - v i y l)^2) <= 4 * r) /\
  forall S, length S = rows -> lam S = dens d v h Ds (at_ x0 S).

Lemma I_rows : length (Ising.I rows) = rows.
Proof. unfold Ising.I. now rewrite seq_length. Qed.

Lemma sum_at S f : length S = rows -> sumR S f = sumR (Ising.I rows) (fun i => f (at_ x0 S i)).
Proof.
  intros <-. unfold Ising.I, at_. induction S as [|x S IH]; [reflexivity|]. cbn [sumR length seq nth].
  rewrite IH, <- seq_shift, sumR_map. reflexivity.
Qed.

Lemma class_pos r lam S : class r lam -> length S = rows -> 0 < lam S.
Proof. intros (d & v & h & _ & H) HS. rewrite H by auto. apply exp_pos. Qed.

Lemma class_E_pos r lam : class r lam -> 0 < E lam.
Proof. intros H. apply E_pos. intros S HS. now apply (class_pos r). Qed.

Lemma class_ext r lam lam' : (forall S, length S = rows -> lam S = lam' S) -> class r lam -> class r lam'.
Proof. intros E (d & v & h & Hr & H). exists d, v, h. split; auto. intros S HS. rewrite <- E; auto. Qed.

Lemma class_one : class 0 (fun _ => 1).
Proof.
  exists 0%nat, (fun _ _ _ => 0), (fun _ _ => 0). split.
  - intros. simpl. lra.
  - intros S HS. unfold dens. simpl. rewrite sumR_const.
    replace (INR (length (Ising.I rows)) * 0 - 0 / 2) with 0 by field.
    now rewrite exp_0.
Qed.

Lemma class_tilted r lam (f : X -> R) t u : class r lam -> class r (fun S => lam S * exp (t * (sumR S f / n) + u)).
Proof.
  intros (d & v & h & Hr & H). assert (Hn := n_pos Ds some_rows).
  exists d, v, (fun i x => h i x + (t / n * f x + u / n)). split; auto.
  intros S HS. rewrite H by auto. unfold dens. rewrite <- exp_plus. f_equal.
  rewrite sumR_plus, sumR_plus, sumR_scal, sumR_const. rewrite (sum_at S _ HS).
  rewrite I_rows. fold n. unfold Rdiv. field. lra.
Qed.

Lemma class_tilt r lam (q : query X) t u : class r lam -> class r (fun S => lam S * exp (t * emp q S + u)).
Proof. apply class_tilted. Qed.

Lemma class_scal r lam c : 0 < c -> class r lam -> class r (fun S => c * lam S).
Proof.
  intros Hc H. assert (q : query X) by (exists (fun _ => 0); intros; lra).
  apply (class_ext r (fun S => lam S * exp (0 * emp q S + ln c))); [|now apply class_tilt].
  intros S _. rewrite Rmult_0_l, Rplus_0_l, exp_ln by auto. ring.
Qed.

Lemma class_gauss r lam (q : query X) al y : 0 <= al -> class r lam ->
  class (r + al / (4 * n^2)) (fun S => lam S * exp (- (al * (y - emp q S)^2) / 2)).
Proof.
  intros Hal (d & v & h & Hr & H). assert (Hn := n_pos Ds some_rows).
  set (w := fun x : X => sqrt al * ((fn q x - y) / n)).
  exists (S d), (fun i x l => if Nat.eqb l d then w x else v i x l), h.
  assert (Hseq : forall F : nat -> R, sumR (seq 0 (S d)) F = sumR (seq 0 d) F + F d).
  { intros F. rewrite seq_S, sumR_app. cbn [sumR]. simpl (0 + d)%nat. lra. }
  assert (Hin : forall F : nat -> R -> R, forall g : nat -> R, forall k : R,
    sumR (seq 0 d) (fun l => F l (if Nat.eqb l d then k else g l)) = sumR (seq 0 d) (fun l => F l (g l))).
  { intros F g k. apply sumR_ext. intros l Hl. apply in_seq in Hl. destruct (Nat.eqb_spec l d); [lia|auto]. }
  assert (Hs : sqrt al * sqrt al = al) by now apply sqrt_sqrt.
  split.
  - intros i x x'. rewrite Hseq, Nat.eqb_refl.
    rewrite (sumR_ext (seq 0 d) _ (fun l => (v i x l - v i x' l)^2)).
    2:{ intros l Hl. apply in_seq in Hl. destruct (Nat.eqb_spec l d); [lia|auto]. }
    specialize (Hr i x x'). unfold w.
    replace ((sqrt al * ((fn q x - y) / n) - sqrt al * ((fn q x' - y) / n))^2) with
      (sqrt al * sqrt al / n^2 * (fn q x - fn q x')^2) by (field; lra).
    rewrite Hs. assert ((fn q x - fn q x')^2 <= 1).
    { destruct q as [f Hf]. simpl. generalize (Hf x) (Hf x'). intros. nra. }
    assert (0 <= al / n^2).
    { apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat. now apply pow_lt. }
    replace (4 * (r + al / (4 * n^2))) with (4 * r + al / n^2 * 1) by (field; lra).
    apply Rplus_le_compat; auto. now apply Rmult_le_compat_l.
  - intros S HS. rewrite H by auto. unfold dens. rewrite <- exp_plus. f_equal. rewrite Hseq, Nat.eqb_refl.
    rewrite (sumR_ext (seq 0 d) (fun l => (sumR (Ising.I rows) (fun i => if Nat.eqb l d then w (at_ x0 S i) else v i
      (at_ x0 S i) l))^2)
      (fun l => (sumR (Ising.I rows) (fun i => v i (at_ x0 S i) l))^2)).
    2:{ intros l Hl. apply in_seq in Hl. destruct (Nat.eqb_spec l d); [lia|auto]. }
    assert (Ew : sumR (Ising.I rows) (fun i => w (at_ x0 S i)) = sqrt al * (emp q S - y)).
    { unfold w, Tails.emp. rewrite (sum_at S _ HS), sumR_scal. f_equal.
      rewrite (sumR_ext _ _ (fun i => / n * fn q (at_ x0 S i) + - y / n)) by (intros; field; lra).
      rewrite sumR_plus, sumR_scal, sumR_const. rewrite I_rows. fold n. field. lra. }
    rewrite Ew. replace ((sqrt al * (emp q S - y))^2) with (sqrt al * sqrt al * (y - emp q S)^2) by ring.
    rewrite Hs. field.
Qed.

(* Variances in the class. *)
Lemma class_variance r lam (q : query X) : class r lam -> 0 < kap rows r ->
  E (fun S => lam S * (emp q S)^2) / E lam - (E (fun S => lam S * emp q S) / E lam)^2 <= 1 / (4 * n * kap rows r).
Proof.
  intros Hc Hk. assert (Hn := n_pos Ds some_rows). assert (HE := class_E_pos r lam Hc).
  unfold kap in *. destruct (Nat.eqb_spec rows 1) as [H1|H1].
  - assert (Hn1 : n = 1) by (unfold Tails.n; rewrite H1; reflexivity).
    set (m := E (fun S => lam S * emp q S) / E lam).
    assert (E (fun S => lam S * (emp q S)^2) / E lam <= m).
    { apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply E_le. intros S HS.
      apply Rmult_le_compat_l; [left; now apply (class_pos r)|].
      assert (0 <= emp q S <= 1).
      { unfold Tails.emp. rewrite Hn1. destruct S as [|x [|]]; simpl in HS; try lia. simpl.
        generalize (proj2_sig q x). unfold fn. lra. }
      nra. }
    rewrite Hn1. replace (1 / (4 * 1 * 1)) with (1/4) by field. generalize (pow2_ge_0 (m - 1/2)). lra.
  - destruct Hc as (d & v & h & Hr & H). destruct q as [f Hf].
    assert (HX : forall D, In D Ds -> exchanges D) by (intros; apply finite_laws_exchange; auto).
    set (G := fun S => sumR (Ising.I rows) (fun i => / INR rows * f (at_ x0 S i))).
    assert (EG : forall S, length S = rows -> emp (exist _ f Hf) S = G S).
    { intros S HS. unfold Tails.emp, G. rewrite sumR_scal, (sum_at S _ HS). unfold Tails.n, Rdiv. simpl. ring. }
    assert (U : forall F, unnorm x0 d v h Ds F = E (fun S => lam S * F S)).
    { intros F. apply E_rows. intros S HS. now rewrite H. }
    assert (Z : Znu x0 d v h Ds = E lam).
    { unfold Znu. rewrite U. apply mean_ext. intros; ring. }
    assert (V := variance_of_a_query x0 d v h Ds r f HX rows_pos Hr Hk Hf). rewrite Z in V. specialize (V HE).
    unfold Var, Enu in V. rewrite Z, !U in V. fold G in V.
    rewrite (E_rows (fun S => lam S * emp (exist _ f Hf) S) (fun S => lam S * G S)) by (intros; now rewrite EG).
    rewrite (E_rows (fun S => lam S * (emp (exist _ f Hf) S)^2) (fun S => lam S * (G S)^2)) by (intros; now rewrite EG).
    exact V.
Qed.

(* "Sub-Gaussian step." *)
Definition centre (lam : list X -> R) (q : query X) : R := E (fun S => lam S * emp q S) / E lam.

Theorem sub_gaussian r lam q V t : class r lam -> 0 < kap rows r -> 1 / (4 * n * kap rows r) <= V ->
  E (fun S => lam S * exp (t * (emp q S - centre lam q))) <= exp (V * t^2 / 2) * E lam.
Proof.
  intros Hc Hk HV. assert (HE := class_E_pos r lam Hc). set (mu := centre lam q).
  set (M := fun y => E (fun S => lam S * exp (y * emp q S))).
  set (M1 := fun y => E (fun S => lam S * (emp q S * exp (y * emp q S)))).
  set (M2 := fun y => E (fun S => lam S * ((emp q S)^2 * exp (y * emp q S)))).
  assert (HM : forall y, 0 < M y).
  { intros y. apply E_pos. intros S HS. apply Rmult_lt_0_compat; [now apply (class_pos r)|apply exp_pos]. }
  assert (D0 : forall y, is_derive M y (M1 y)).
  { intros y. apply (E_derive lam (fun S y => exp (y * emp q S)) (fun S y => emp q S * exp (y * emp q S))).
    intros S. auto_derive; auto; ring. }
  assert (D1 : forall y, is_derive M1 y (M2 y)).
  { intros y. apply (E_derive lam (fun S y => emp q S * exp (y * emp q S)) (fun S y => (emp q S)^2 * exp (y * emp q
      S))).
    intros S. auto_derive; auto; ring. }
  assert (M0 : M 0 = E lam).
  { apply mean_ext. intros S. rewrite Rmult_0_l, exp_0. ring. }
  assert (Hln : forall y, is_derive (fun y => ln (M y)) y (M1 y / M y)).
  { intros y. replace (M1 y / M y) with (scal (M1 y) (/ M y)) by reflexivity.
    apply (is_derive_comp ln M); [|apply D0]. auto_derive; [apply HM|]. rewrite Rmult_1_l. reflexivity. }
  assert (Hle : V * 0^2 / 2 + mu * 0 - ln (M 0) <= V * t^2 / 2 + mu * t - ln (M t)).
  { apply (convex_at_0 (fun y => V * y^2 / 2 + mu * y - ln (M y)) (fun y => V * y + mu - M1 y / M y)
      (fun y => V - (M2 y * M y - M1 y * M1 y) / (M y)^2)).
    - intros y _. apply (is_derive_minus (fun y => V * y^2 / 2 + mu * y) (fun y => ln (M y))); [|apply Hln].
      auto_derive; auto; field.
    - intros y _. apply (is_derive_minus (fun y => V * y + mu) (fun y => M1 y / M y)).
      + auto_derive; auto; ring.
      + apply (is_derive_div M1 M); [apply D1|apply D0|]. generalize (HM y). lra.
    - intros y _. assert (Hm := HM y).
      assert (Hv := class_variance r _ q (class_tilt r lam q y 0 Hc) Hk).
      assert (E0 : E (fun S => lam S * exp (y * emp q S + 0)) = M y).
      { apply mean_ext. intros; now rewrite Rplus_0_r. }
      assert (E1 : E (fun S => lam S * exp (y * emp q S + 0) * emp q S) = M1 y).
      { apply mean_ext. intros; rewrite Rplus_0_r. ring. }
      assert (E2 : E (fun S => lam S * exp (y * emp q S + 0) * (emp q S)^2) = M2 y).
      { apply mean_ext. intros; rewrite Rplus_0_r. ring. }
      rewrite E0, E1, E2 in Hv.
      replace ((M2 y * M y - M1 y * M1 y) / (M y)^2) with (M2 y / M y - (M1 y / M y)^2) by (field; lra). lra.
    - unfold mu, centre. rewrite M0.
      assert (E1 : M1 0 = E (fun S => lam S * emp q S)).
      { apply mean_ext. intros S. rewrite Rmult_0_l, exp_0. ring. }
      rewrite E1. field. lra. }
  rewrite M0 in Hle.
  rewrite (mean_ext E _ (fun S => exp (- (t * mu)) * (lam S * exp (t * emp q S)))).
  2:{ intros S. replace (t * (emp q S - mu)) with (- (t * mu) + t * emp q S) by ring. rewrite exp_plus. ring. }
  rewrite mean_scal. change (E (fun S => lam S * exp (t * emp q S))) with (M t).
  rewrite <- (exp_ln (M t)) by apply HM. rewrite <- (exp_ln (E lam)) by auto. rewrite <- !exp_plus.
  apply exp_le. lra.
Qed.

(* The same for any law of the sample with a sub-Gaussian mean. *)
Lemma square_of lam q V c :
  (forall t, E (fun S => lam S * exp (t * (emp q S - centre lam q))) <= exp (V * t^2 / 2) * E lam) ->
  0 <= c -> 2 * c * V < 1 ->
  E (fun S => lam S * exp (c * (emp q S - centre lam q)^2)) <= / sqrt (1 - 2 * c * V) * E lam.
Proof.
  intros Hsub H0 H1. set (mu := centre lam q). set (b := sqrt (2 * c)). set (k := sqrt (1 - 2 * c * V)).
  assert (Hb : b * b = 2 * c) by (apply sqrt_sqrt; lra).
  assert (Hk0 : 0 < k) by (apply sqrt_lt_R0; lra). assert (Hkk : k * k = 1 - 2 * c * V) by (apply sqrt_sqrt; lra).
  assert (I1 : integral (fun z => E (fun S => lam S * (phi z * exp (b * (emp q S - mu) * z))))
    (fun t => E (fun S => lam S * (exp ((b * (emp q S - mu))^2 / 2) * Phi (rescaled (b * (emp q S - mu)) 1 t))))).
  { apply (E_int lam (fun S z => phi z * exp (b * (emp q S - mu) * z))
      (fun S t => exp ((b * (emp q S - mu))^2 / 2) * Phi (rescaled (b * (emp q S - mu)) 1 t))).
    intros S _. apply moment_int. }
  assert (I2 : integral (fun z => E lam * / k * density 0 (/ k) z) (fun t => E lam * / k * Phi (rescaled 0 (/ k) t))).
  { apply int_scal, density_int. now apply Rinv_0_lt_compat. }
  assert (T1 : E (fun S => lam S * exp (c * (emp q S - mu)^2)) = over (fun t => E (fun S =>
    lam S * (exp ((b * (emp q S - mu))^2 / 2) * Phi (rescaled (b * (emp q S - mu)) 1 t)))) m_infty p_infty).
  { unfold over. cbn [rescaled Phi]. rewrite <- (Rminus_0_r (E _)). f_equal.
    - apply mean_ext. intros S. rewrite Rmult_1_r. f_equal. f_equal.
      replace ((b * (emp q S - mu))^2 / 2) with (b * b * (emp q S - mu)^2 / 2) by field. rewrite Hb. field.
    - rewrite (mean_ext E _ (fun _ => 0)) by (intros; ring). now rewrite mean_const. }
  rewrite T1. apply Rle_trans with (over (fun t => E lam * / k * Phi (rescaled 0 (/ k) t)) m_infty p_infty).
  2:{ right. unfold over. cbn [rescaled Phi]. ring. }
  apply (int_le _ _ _ _ m_infty p_infty I1 I2 Logic.I). intros z _ _.
  rewrite (mean_ext E _ (fun S => phi z * (lam S * exp (b * z * (emp q S - mu))))).
  2:{ intros S. replace (b * (emp q S - mu) * z) with (b * z * (emp q S - mu)) by ring. ring. }
  rewrite mean_scal. apply Rle_trans with (phi z * (exp (V * (b * z)^2 / 2) * E lam)).
  - apply Rmult_le_compat_l; [left; apply phi_pos|]. apply Hsub.
  - right. unfold density. rewrite (phi_bell z), (phi_bell ((z - 0) / / k)). unfold bell.
    replace (exp (- ((z - 0) / / k)^2 / 2)) with (exp (- z^2 / 2) * exp (V * (b * z)^2 / 2)).
    + field. lra.
    + rewrite <- exp_plus. f_equal. replace ((b * z)^2) with (b * b * z^2) by ring. rewrite Hb.
      replace (((z - 0) / / k)^2) with (k * k * z^2) by (field; lra). rewrite Hkk. field.
Qed.

Theorem square r lam q V c : class r lam -> 0 < kap rows r -> 1 / (4 * n * kap rows r) <= V ->
  0 <= c -> 2 * c * V < 1 ->
  E (fun S => lam S * exp (c * (emp q S - centre lam q)^2)) <= / sqrt (1 - 2 * c * V) * E lam.
Proof. intros Hc Hk HV. apply square_of. intros t. now apply (sub_gaussian r). Qed.

End Posterior.
