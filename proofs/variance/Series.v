(* docs/theorems/variance.md, "One answer": what is at least the integral of every power of t is at least the
   integral of every power series without a negative coefficient.

   value p t    the polynomial with the coefficients p
   near T f     f is a limit, uniform on [0,T], of polynomials below it without a negative coefficient
   rule         points and weights; its points are in [0,T] *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Kappa Line Normal.
Import ListNotations.
Open Scope R_scope.

Fixpoint value (p : list R) (t : R) : R := match p with [] => 0 | c :: p => c + t * value p t end.

(* Functions that are such polynomials. *)
Definition positive (f : R -> R) : Prop := exists p, List.Forall (Rle 0) p /\ forall t, value p t = f t.

Fixpoint add (p q : list R) : list R :=
  match p, q with [], _ => q | _, [] => p | c :: p, d :: q => c + d :: add p q end.

Lemma add_value p q t : value (add p q) t = value p t + value q t.
Proof.
  revert q. induction p as [|c p IH]; intros [|d q]; cbn [add value]; try lra. rewrite IH. ring.
Qed.

Lemma add_nonneg p q : List.Forall (Rle 0) p -> List.Forall (Rle 0) q -> List.Forall (Rle 0) (add p q).
Proof.
  intros Hp. revert q. induction Hp as [|c p Hc Hp IH]; intros [|d q] Hq; cbn [add]; auto.
  inversion Hq; subst. constructor; [lra|auto].
Qed.

Lemma scaled_value c p t : value (map (Rmult c) p) t = c * value p t.
Proof. induction p as [|d p IH]; cbn [map value]; [ring|]. rewrite IH. ring. Qed.

Lemma scaled_nonneg c p : 0 <= c -> List.Forall (Rle 0) p -> List.Forall (Rle 0) (map (Rmult c) p).
Proof. intros Hc Hp. induction Hp; cbn [map]; constructor; auto. now apply Rmult_le_pos. Qed.

Lemma positive_const c : 0 <= c -> positive (fun _ => c).
Proof. intros Hc. exists [c]. split; [constructor; auto|]. intros t. simpl. ring. Qed.

Lemma positive_id : positive (fun t => t).
Proof. exists [0; 1]. split; [constructor; [lra|]; constructor; [lra|auto]|]. intros t. simpl. ring. Qed.

Lemma positive_plus f g : positive f -> positive g -> positive (fun t => f t + g t).
Proof.
  intros (p & Hp & Ep) (q & Hq & Eq). exists (add p q). split; [now apply add_nonneg|]. intros t.
  now rewrite add_value, Ep, Eq.
Qed.

Lemma positive_mult f g : positive f -> positive g -> positive (fun t => f t * g t).
Proof.
  intros (p & Hp & Ep) (q & Hq & Eq).
  assert (H : exists s, List.Forall (Rle 0) s /\ forall t, value s t = value p t * g t).
  { clear Ep. induction Hp as [|c p Hc Hp (s & Hs & Es)].
    - exists []. split; auto. intros; simpl; ring.
    - exists (add (map (Rmult c) q) (0 :: s)). split.
      + apply add_nonneg; [now apply scaled_nonneg|constructor; [lra|auto]].
      + intros t. rewrite add_value, scaled_value, Eq. cbn [value]. rewrite Es. ring. }
  destruct H as (s & Hs & Es). exists s. split; auto. intros t. now rewrite Es, Ep.
Qed.

Lemma positive_pow f k : positive f -> positive (fun t => f t ^ k).
Proof. intros H. induction k as [|k IH]; simpl; [apply positive_const; lra|]. now apply positive_mult. Qed.

Lemma positive_ext f g : (forall t, f t = g t) -> positive f -> positive g.
Proof. intros E (p & Hp & Ep). exists p. split; auto. intros t. now rewrite Ep. Qed.

Lemma positive_range f : positive f -> forall s t, 0 <= s <= t -> 0 <= f s <= f t.
Proof.
  intros (p & Hp & E) s t H. rewrite <- !E. clear E. induction Hp as [|c p Hc Hp IH]; cbn [value]; [lra|]. nra.
Qed.

(* The sum of the first powers of the exponential function. *)
Definition part (n : nat) (x : R) : R := sum_f_R0 (fun i => / INR (fact i) * x ^ i) n.

Lemma part_slope n x : is_derive (part (S n)) x (part n x).
Proof.
  induction n as [|n IH].
  - unfold part. simpl. auto_derive; auto. simpl. field.
  - apply (is_derive_ext (fun y => part (S n) y + / INR (fact (S (S n))) * y ^ S (S n))); [reflexivity|].
    change (part (S n) x) with (part n x + / INR (fact (S n)) * x ^ S n).
    apply (is_derive_plus (part (S n))); auto.
    replace (/ INR (fact (S n)) * x ^ S n) with (/ INR (fact (S (S n))) * (INR (S (S n)) * 1 * x ^ pred (S (S n)))).
    + apply is_derive_scal. apply (is_derive_pow (fun y => y)). apply (is_derive_id x).
    + rewrite (fact_simpl (S n)), mult_INR. simpl pred. assert (H1 := INR_fact_neq_0 (S n)).
      assert (H2 : INR (S (S n)) <> 0) by (apply not_0_INR; lia). field. auto.
Qed.

Lemma part_0 n : part n 0 = 1.
Proof.
  induction n as [|n IH]; unfold part in *; cbn [sum_f_R0]; [simpl; field|]. rewrite IH, pow_ne_zero by lia. ring.
Qed.

Lemma exp_slope x : is_derive exp x (exp x).
Proof. auto_derive; auto. ring. Qed.

Lemma rest_slope n x : is_derive (fun y => exp y - part (S n) y) x (exp x - part n x).
Proof. apply (is_derive_minus exp (part (S n))); [apply exp_slope|apply part_slope]. Qed.

(* What is left is at least 0 and rises, and is at most the next power with e^x. *)
Lemma rest_nonneg n x : 0 <= x -> part n x <= exp x.
Proof.
  revert x. induction n as [|n IH]; intros x Hx.
  - unfold part. simpl. generalize (exp_ge_1 x). lra.
  - assert (H := grows (fun y => exp y - part (S n) y) (fun y => exp y - part n y) x Hx). cbv beta in H.
    rewrite exp_0, part_0 in H. assert (1 - 1 <= exp x - part (S n) x); [|lra]. apply H.
    + intros y _. apply rest_slope.
    + intros y Hy. generalize (IH y (proj1 Hy)). lra.
Qed.

Lemma rest_rises n x y : 0 <= x <= y -> exp x - part n x <= exp y - part n y.
Proof.
  intros H. destruct n as [|n].
  - unfold part. simpl. generalize (exp_le x y (proj2 H)). lra.
  - apply (rises (fun y => exp y - part (S n) y) nil); [|lra|].
    + intros z. apply (ex_derive_continuous (fun y => exp y - part (S n) y)). eexists. apply rest_slope.
    + intros z Hz _. eexists. split; [apply rest_slope|]. generalize (rest_nonneg n z ltac:(lra)). lra.
Qed.

Lemma power_exp_slope c k y :
  is_derive (fun y => exp y * (y ^ k * c)) y (exp y * (y ^ k * c) + exp y * (INR k * y ^ pred k * c)).
Proof. auto_derive; auto. ring. Qed.

Lemma rest_at_most n x : 0 <= x -> exp x - part n x <= exp x * (x ^ S n * / INR (fact (S n))).
Proof.
  revert x. induction n as [|n IH]; intros x Hx.
  - unfold part. simpl. assert (H := exp_ge_1 (- x)). assert (E : exp (- x) * exp x = 1) by
      (rewrite <- exp_plus, Rplus_opp_l; apply exp_0). assert (Hp := exp_pos x).
    assert ((1 + - x) * exp x <= exp (- x) * exp x) by (apply Rmult_le_compat_r; lra). nra.
  - set (k := S (S n)).
    assert (H := grows (fun y => exp y * (y ^ k * / INR (fact k)) - (exp y - part (S n) y))
      (fun y => exp y * (y ^ k * / INR (fact k)) + exp y * (y ^ S n * / INR (fact (S n))) - (exp y - part n y)) x Hx).
    cbv beta in H. rewrite exp_0, part_0, pow_ne_zero in H by (unfold k; lia).
    assert (1 * (0 * / INR (fact k)) - (1 - 1) <= exp x * (x ^ k * / INR (fact k)) - (exp x - part (S n) x)); [|lra].
    apply H.
    + intros y _. apply (is_derive_minus (fun y => exp y * (y ^ k * / INR (fact k))) (fun y => exp y - part (S n) y));
        [|apply rest_slope].
      assert (H2 := INR_fact_neq_0 (S n)). assert (H3 : INR k <> 0) by (apply not_0_INR; unfold k; lia).
      replace (exp y * (y ^ S n * / INR (fact (S n)))) with (exp y * (INR k * y ^ pred k * / INR (fact k))).
      * apply power_exp_slope.
      * f_equal. unfold k at 3. rewrite (fact_simpl (S n)), mult_INR. simpl pred. fold k. field. auto.
    + intros y Hy. assert (Hy0 := IH y (proj1 Hy)).
      assert (0 <= exp y * (y ^ k * / INR (fact k))); [|lra].
      apply Rmult_le_pos; [left; apply exp_pos|]. apply Rmult_le_pos; [apply pow_le; lra|].
      left. apply Rinv_0_lt_compat, lt_0_INR, lt_O_fact.
Qed.

Lemma rest_vanishes x e : 0 < e -> exists n, (2 <= n)%nat /\ Rabs (exp x - part n x) < e.
Proof.
  intros He. assert (H := proj2_sig (exist_exp x)). destruct (H e He) as (N & HN). exists (Nat.max 2 N).
  split; [lia|]. rewrite Rabs_minus_sym. apply (HN (Nat.max 2 N)). lia.
Qed.

Lemma positive_part n f : positive f -> positive (fun t => part n (f t)).
Proof.
  intros Hf. induction n as [|n IH]; unfold part in *; cbn [sum_f_R0].
  - apply positive_mult; [|now apply (positive_pow f 0)]. apply positive_const. simpl. lra.
  - apply positive_plus; auto. apply positive_mult; [|now apply positive_pow]. apply positive_const.
    left. apply Rinv_0_lt_compat, lt_0_INR, lt_O_fact.
Qed.

(* Limits of such polynomials. *)
Section Near.
Variable T : R.
Hypothesis T_pos : 0 < T.

Definition near (f : R -> R) : Prop :=
  forall e, 0 < e -> exists p, positive p /\ forall t, 0 <= t <= T -> p t <= f t <= p t + e.

Lemma near_positive f : positive f -> near f.
Proof. intros H e He. exists f. split; auto. intros; lra. Qed.

Lemma near_plus f g : near f -> near g -> near (fun t => f t + g t).
Proof.
  intros Hf Hg e He. destruct (Hf (e/2) ltac:(lra)) as (p & Hp & Bp). destruct (Hg (e/2) ltac:(lra)) as (q & Hq & Bq).
  exists (fun t => p t + q t). split; [now apply positive_plus|]. intros t Ht. specialize (Bp t Ht). specialize (Bq t Ht).
  lra.
Qed.

Lemma near_scal c f : 0 <= c -> near f -> near (fun t => c * f t).
Proof.
  intros Hc Hf e He. destruct (Hf (e / (c + 1))) as (p & Hp & Bp); [apply Rdiv_lt_0_compat; lra|].
  exists (fun t => c * p t). split; [apply positive_mult; auto; now apply positive_const|]. intros t Ht.
  specialize (Bp t Ht). assert (c * (e / (c + 1)) <= e).
  { apply Rmult_le_reg_r with (c + 1); [lra|]. unfold Rdiv. rewrite !Rmult_assoc, Rinv_l, Rmult_1_r by lra. nra. }
  split; [apply Rmult_le_compat_l; lra|]. assert (c * f t <= c * (p t + e / (c + 1))) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

Lemma near_exp f : near f -> near (fun t => exp (f t)).
Proof.
  intros Hf e He. destruct (Hf 1 ltac:(lra)) as (p1 & Hp1 & B1). set (B := p1 T + 1).
  assert (HB : forall t, 0 <= t <= T -> f t <= B).
  { intros t Ht. specialize (B1 t Ht). generalize (positive_range p1 Hp1 t T Ht). unfold B. lra. }
  destruct (rest_vanishes B (e/2) ltac:(lra)) as (n & _ & Hn). apply Rabs_def2 in Hn.
  assert (HeB := exp_pos B).
  destruct (Hf (e / 2 / exp B)) as (p & Hp & Bp); [apply Rdiv_lt_0_compat; lra|].
  exists (fun t => part n (p t)). split; [now apply positive_part|]. intros t Ht. specialize (Bp t Ht). specialize (HB t Ht).
  assert (H0 := positive_range p Hp t t ltac:(lra)).
  assert (H1 := rest_nonneg n (p t) ltac:(lra)). assert (H2 := rest_rises n (p t) B ltac:(lra)).
  assert (H3 : exp (p t) <= exp (f t)) by (apply exp_le; lra). split; [lra|].
  assert (H4 : exp (f t) - exp (p t) <= exp B * (e / 2 / exp B)).
  { assert (H5 := exp_ge_1 (p t - f t)). assert (E : exp (p t) = exp (f t) * exp (p t - f t)) by
      (rewrite <- exp_plus; f_equal; ring). assert (H6 : exp (f t) <= exp B) by now apply exp_le.
    assert (H7 := exp_pos (f t)). assert (H8 : 0 < e / 2 / exp B) by (apply Rdiv_lt_0_compat; lra).
    apply Rle_trans with (exp (f t) * (f t - p t)); [rewrite E; nra|]. apply Rmult_le_compat; lra. }
  replace (exp B * (e / 2 / exp B)) with (e / 2) in H4 by (field; lra). lra.
Qed.

(* e^u - 1 - u - u^2/2 for u = b t. *)
Lemma near_cubes b : 0 <= b -> near (fun t => exp (b * t) - 1 - b * t - (b * t)^2 / 2).
Proof.
  intros Hb e He. destruct (rest_vanishes (b * T) e He) as (n & Hn & Hr). apply Rabs_def2 in Hr.
  exists (fun t => part n (b * t) - part 2 (b * t)). split.
  - clear Hr. induction Hn as [|n Hn IH].
    + apply (positive_ext (fun _ => 0)); [intros; ring|]. apply positive_const. lra.
    + apply (positive_ext (fun t => part n (b * t) - part 2 (b * t) + / INR (fact (S n)) * (b * t) ^ S n)).
      { intros t. unfold part. cbn [sum_f_R0]. ring. }
      apply positive_plus; auto. apply positive_mult.
      * apply positive_const. left. apply Rinv_0_lt_compat, lt_0_INR, lt_O_fact.
      * apply (positive_pow (fun t => b * t)). apply positive_mult; [now apply positive_const|apply positive_id].
  - intros t Ht. assert (E : part 2 (b * t) = 1 + b * t + (b * t)^2 / 2) by (unfold part; simpl; field). rewrite E.
    assert (Hbt : 0 <= b * t <= b * T) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]).
    assert (H1 := rest_nonneg n (b * t) (proj1 Hbt)). assert (H2 := rest_rises n (b * t) (b * T) Hbt). lra.
Qed.

(* Rules. *)
Lemma int_times c f x y : ex_RInt f x y -> RInt (fun t => c * f t) x y = c * RInt f x y.
Proof. intros H. exact (RInt_scal (V := R_CompleteNormedModule) f x y c H). Qed.

Lemma int_both f g x y : ex_RInt f x y -> ex_RInt g x y -> RInt (fun t => f t + g t) x y = RInt f x y + RInt g x y.
Proof. intros Hf Hg. exact (RInt_plus (V := R_CompleteNormedModule) f g x y Hf Hg). Qed.

Definition sum (rule : list (R * R)) (f : R -> R) : R := sumR rule (fun p => snd p * f (fst p)).

Definition moment (k : nat) : R := RInt (fun t => bell t * t ^ k) 0 T.

Lemma moment_int k : ex_RInt (fun t => bell t * t ^ k) 0 T.
Proof.
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _.
  apply (continuous_mult bell (fun t => t ^ k)); [apply bell_continuous|].
  apply (ex_derive_continuous (fun t : R => t ^ k)). auto_derive. auto.
Qed.

Lemma bell_at_most_1 t : bell t <= 1.
Proof. unfold bell. rewrite <- exp_0. apply exp_le. generalize (pow2_ge_0 t). lra. Qed.

Variable rule : list (R * R).
Variable C : R.
Hypothesis C_pos : 0 <= C.
Hypothesis inside : forall p, In p rule -> 0 <= fst p <= T /\ 0 <= snd p.
Hypothesis powers : forall k, moment k <= C * sum rule (fun t => t ^ k).

Lemma value_int p j : ex_RInt (fun t => bell t * (t ^ j * value p t)) 0 T.
Proof.
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _.
  apply (continuous_mult bell (fun t => t ^ j * value p t)); [apply bell_continuous|].
  apply (continuous_mult (fun t => t ^ j) (value p)).
  - apply (ex_derive_continuous (fun t : R => t ^ j)). auto_derive. auto.
  - induction p as [|c p IH]; cbn [value]; [apply continuous_const|].
    apply (continuous_plus (fun _ => c) (fun t => t * value p t)); [apply continuous_const|].
    apply (continuous_mult (fun t => t) (value p)); [apply continuous_id|auto].
Qed.

Lemma rule_value p : List.Forall (Rle 0) p -> forall j,
  RInt (fun t => bell t * (t ^ j * value p t)) 0 T <= C * sum rule (fun t => t ^ j * value p t).
Proof.
  intros Hp. induction Hp as [|c p Hc Hp IH]; intros j.
  - rewrite (RInt_ext _ (fun _ => 0)) by (intros; simpl; ring). rewrite RInt_const.
    unfold sum. rewrite (sumR_ext _ _ (fun _ => 0)) by (intros; simpl; ring). rewrite sumR_const.
    unfold scal. simpl. unfold mult. simpl. right. ring.
  - specialize (IH (S j)).
    assert (E : RInt (fun t => bell t * (t ^ j * value (c :: p) t)) 0 T =
      c * moment j + RInt (fun t => bell t * (t ^ S j * value p t)) 0 T).
    { unfold moment. rewrite <- (int_times c _ 0 T (moment_int j)).
      rewrite <- (int_both (fun t => c * (bell t * t ^ j)) (fun t => bell t * (t ^ S j * value p t)) 0 T
        (ex_RInt_scal (V := R_NormedModule) _ 0 T c (moment_int j)) (value_int p (S j))).
      apply RInt_ext. intros t _. cbn [value pow]. match goal with |- ?x = ?y => change (@eq R x y) end. ring. }
    rewrite E. unfold sum. rewrite (sumR_ext _ _ (fun q => c * (snd q * fst q ^ j) + snd q * (fst q ^ S j * value p (fst
      q)))) by (intros; cbn [value]; simpl; ring). rewrite sumR_plus, sumR_scal.
    assert (H := Rmult_le_compat_l c _ _ Hc (powers j)). unfold sum in *. lra.
Qed.

Theorem rule_above f : near f -> (forall t, continuous f t) ->
  RInt (fun t => bell t * f t) 0 T <= C * sum rule f.
Proof.
  intros Hf Hc.
  assert (Hfi : ex_RInt (fun t => bell t * f t) 0 T).
  { apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _.
    apply (continuous_mult bell f); auto. apply bell_continuous. }
  apply le_epsilon. intros e He. destruct (Hf (e / T)) as (p & Hp & Bp); [now apply Rdiv_lt_0_compat|].
  destruct (Hp) as (q & Hq & Eq).
  assert (H := rule_value q Hq 0).
  apply Rle_trans with (RInt (fun t => bell t * (t ^ 0 * value q t) + e / T) 0 T).
  - apply RInt_le; [lra|auto| |].
    + apply (ex_RInt_plus (V := R_NormedModule)); [apply value_int|apply ex_RInt_const].
    + intros t Ht. specialize (Bp t ltac:(lra)). rewrite Eq. simpl. assert (H1 := bell_at_most_1 t). assert (H2 := bell_pos t).
      assert (bell t * f t <= bell t * (p t + e / T)) by (apply Rmult_le_compat_l; lra).
      assert (0 < e / T) by now apply Rdiv_lt_0_compat. nra.
  - rewrite (int_both (fun t => bell t * (t ^ 0 * value q t)) (fun _ => e / T) 0 T (value_int q 0)
      (ex_RInt_const (V := R_NormedModule) 0 T (e / T))).
    rewrite (RInt_const (V := R_CompleteNormedModule)). change (scal (T - 0) (e / T)) with ((T - 0) * (e / T)).
    replace ((T - 0) * (e / T)) with e by (field; lra). apply Rplus_le_compat_r.
    eapply Rle_trans; [exact H|]. apply Rmult_le_compat_l; auto. apply sumR_le. intros a Ha.
    destruct (inside a Ha) as [H1 H2]. apply Rmult_le_compat_l; auto. rewrite Eq. simpl. rewrite Rmult_1_l.
    apply Bp. lra.
Qed.

End Near.
