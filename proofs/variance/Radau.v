(* docs/theorems/variance.md, "One answer": Radau's rules for the weight e^(-t^2/2) on [0,T], as the Go code has
   their numbers, are for every power of t at least its integral, but for 1e-11 of it.

   half_up, low_end T   integers: half < half_up / scale, bell T > low_end T / scale
   rule_7, ...          the rules: points over 10^20, weights over 10^60 *)

From Coq Require Import Reals ZArith Bool Lra Lia List Psatz Machin Ratan.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Kappa Line Normal Gauss Series.
Import ListNotations.
Open Scope R_scope.

Definition unit : Z := (10 ^ 20)%Z.
Definition scale : Z := (unit * unit * unit * unit)%Z.

Lemma scale_pos : 0 < IZR scale.
Proof. apply IZR_lt. reflexivity. Qed.

(* Quotients of integers, rounded down and up. *)
Lemma div_below a b : (0 < b)%Z -> IZR (a / b) <= IZR a / IZR b.
Proof.
  intros Hb. assert (0 < IZR b) by now apply IZR_lt. apply Rmult_le_reg_r with (IZR b); auto.
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. rewrite <- mult_IZR. apply IZR_le.
  generalize (Z.mul_div_le a b Hb). lia.
Qed.

Lemma div_above a b : (0 < b)%Z -> IZR a / IZR b <= IZR (a / b + 1).
Proof.
  intros Hb. assert (0 < IZR b) by now apply IZR_lt. apply Rmult_le_reg_r with (IZR b); auto.
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. rewrite <- mult_IZR. apply IZR_le.
  generalize (Z.mul_succ_div_gt a b Hb). lia.
Qed.

(* Pi from above: Machin's series. The terms that are taken away are rounded down. *)
Definition term (n : nat) : Z := (2 * scale / (3 ^ (2 * Z.of_nat n + 1) * (2 * Z.of_nat n + 1)) +
  scale / (7 ^ (2 * Z.of_nat n + 1) * (2 * Z.of_nat n + 1)))%Z.
Fixpoint terms (n : nat) : Z :=
  (match n with O => 0 | S k => terms k end + if Nat.even n then term n + 2 else - term n)%Z.

Lemma term_near n : IZR (term n) <= IZR scale * PI_2_3_7_tg n <= IZR (term n + 2).
Proof.
  assert (E : forall b : Z, (0 < b)%Z -> forall c, IZR c * Ratan_seq (/ IZR b) n =
    IZR c / IZR (b ^ (2 * Z.of_nat n + 1) * (2 * Z.of_nat n + 1))).
  { intros b Hb c. unfold Ratan_seq. rewrite mult_IZR.
    replace (2 * Z.of_nat n + 1)%Z with (Z.of_nat (2 * n + 1)) by lia. rewrite <- pow_IZR, <- INR_IZR_INZ, pow_inv.
    assert (0 < IZR b) by now apply IZR_lt. assert (0 < IZR b ^ (2 * n + 1)) by now apply pow_lt.
    assert (0 < INR (2 * n + 1)) by (apply lt_0_INR; lia). field. lra. }
  assert (H3 := E 3%Z eq_refl (2 * scale)%Z). assert (H7 := E 7%Z eq_refl scale).
  assert (E1 : IZR scale * PI_2_3_7_tg n = IZR (2 * scale) * Ratan_seq (/ 3) n + IZR scale * Ratan_seq (/ 7) n).
  { unfold PI_2_3_7_tg. rewrite mult_IZR. ring. }
  rewrite E1, H3, H7. unfold term.
  assert (P : forall b, (0 < b)%Z -> (0 < b ^ (2 * Z.of_nat n + 1) * (2 * Z.of_nat n + 1))%Z).
  { intros b Hb. apply Z.mul_pos_pos; [apply Z.pow_pos_nonneg; lia|lia]. }
  assert (B3 := div_below (2 * scale) _ (P 3%Z eq_refl)). assert (U3 := div_above (2 * scale) _ (P 3%Z eq_refl)).
  assert (B7 := div_below scale _ (P 7%Z eq_refl)). assert (U7 := div_above scale _ (P 7%Z eq_refl)).
  rewrite !plus_IZR in *. lra.
Qed.

Lemma terms_above n : IZR scale * sum_f_R0 (tg_alt PI_2_3_7_tg) n <= IZR (terms n).
Proof.
  assert (H : forall k, IZR scale * tg_alt PI_2_3_7_tg k <= IZR (if Nat.even k then term k + 2 else - term k)).
  { intros k. assert (H := term_near k). unfold tg_alt. destruct (Nat.even k) eqn:Ek.
    - apply Nat.even_spec in Ek. destruct Ek as (j & ->). rewrite pow_1_even. lra.
    - assert (Ok : Nat.odd k = true) by (rewrite <- Nat.negb_even; now rewrite Ek).
      apply Nat.odd_spec in Ok. destruct Ok as (j & ->). replace (2 * j + 1)%nat with (S (2 * j)) by lia.
      rewrite pow_1_odd. rewrite opp_IZR. replace (S (2 * j)) with (2 * j + 1)%nat by lia. lra. }
  induction n as [|n IH].
  - cbn [sum_f_R0 terms]. rewrite plus_IZR. specialize (H 0%nat). lra.
  - cbn [sum_f_R0]. change (terms (S n)) with (terms n + if Nat.even (S n) then term (S n) + 2 else - term (S n))%Z.
    rewrite plus_IZR, Rmult_plus_distr_l. specialize (H (S n)). lra.
Qed.

Definition half_up : Z := (Z.sqrt (2 * terms 60 * scale) + 1)%Z.

Lemma sqrt_up a : (0 <= a)%Z -> (a < (Z.sqrt a + 1) * (Z.sqrt a + 1))%Z.
Proof. intros H. rewrite Z.add_1_r. apply (Z.sqrt_spec a H). Qed.

Lemma half_below : half <= IZR half_up / IZR scale.
Proof.
  assert (Hs := scale_pos). assert (Hh := proj1 half_lim). destruct gauss as [Hg _].
  assert (Hp : PI / 4 <= sum_f_R0 (tg_alt PI_2_3_7_tg) (2 * 30)) by apply PI_2_3_7_ineq.
  assert (Ht := terms_above (2 * 30)).
  assert (Hq : (half * IZR scale)^2 <= IZR (2 * terms 60 * scale)).
  { assert (E : half ^ 2 = PI / 2).
    { assert (E2 : (2 * half)^2 = 2 * PI) by (rewrite Hg; simpl; rewrite Rmult_1_r; apply sqrt_sqrt; generalize PI_RGT_0; lra).
      replace ((2 * half)^2) with (4 * half^2) in E2 by ring. lra. }
    rewrite Rpow_mult_distr, E, !mult_IZR. change (2 * 30)%nat with 60%nat in *.
    assert (IZR scale * (PI / 4) <= IZR (terms 60)) by (eapply Rle_trans; [apply Rmult_le_compat_l; [lra|exact Hp]|exact Ht]).
    replace (PI / 2 * IZR scale ^ 2) with (2 * (IZR scale * (PI / 4)) * IZR scale) by field.
    apply Rmult_le_compat_r; lra. }
  apply Rmult_le_reg_r with (IZR scale); [exact Hs|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  assert (Hr : (0 <= 2 * terms 60 * scale < half_up * half_up)%Z).
  { unfold half_up. assert (H0 : (0 <= 2 * terms 60 * scale)%Z) by (vm_compute; discriminate).
    split; [exact H0|exact (sqrt_up _ H0)]. }
  assert (Hu : 0 <= IZR half_up) by (apply IZR_le; vm_compute; discriminate).
  apply Rsqr_incr_0_var; [|exact Hu]. unfold Rsqr. rewrite <- mult_IZR.
  replace (half * IZR scale * (half * IZR scale)) with ((half * IZR scale)^2) by ring.
  eapply Rle_trans; [exact Hq|]. apply IZR_le. lia.
Qed.

(* e^(-T^2/2) from below. *)
Fixpoint horner (n m : nat) (x : R) : R := match n with O => 1 | S n => 1 + x / INR m * horner n (S m) x end.

Lemma horner_part n x : horner n 1 x = part n x.
Proof.
  assert (H : forall n k, / INR (fact k) * x ^ k * horner n (S k) x =
    sum_f_R0 (fun i => / INR (fact (k + i)) * x ^ (k + i)) n).
  { clear n. induction n as [|n IH]; intros k.
    - simpl. rewrite Nat.add_0_r. ring.
    - rewrite decomp_sum by lia. cbn [horner pred]. rewrite Nat.add_0_r.
      rewrite (sum_eq _ (fun i => / INR (fact (S k + i)) * x ^ (S k + i))) by
        (intros i _; now replace (k + S i)%nat with (S k + i)%nat by lia).
      rewrite <- IH. rewrite fact_simpl, mult_INR. assert (H1 := INR_fact_neq_0 k).
      assert (H2 : INR (S k) <> 0) by (apply not_0_INR; lia). simpl pow. field. auto. }
  specialize (H n 0%nat). simpl in H. unfold part. rewrite Rinv_1, !Rmult_1_l in H. exact H.
Qed.

Fixpoint root_e (n : nat) (m : Z) : Z := match n with O => scale | S n => scale + root_e n (m + 1) / (2 * m) + 1 end.

Lemma root_e_above n m : (0 < m)%nat -> IZR scale * horner n m (1/2) <= IZR (root_e n (Z.of_nat m)).
Proof.
  revert m. induction n as [|n IH]; intros m Hm; cbn [horner root_e]; [lra|].
  specialize (IH (S m) ltac:(lia)). rewrite Nat2Z.inj_succ in IH. unfold Z.succ in IH.
  assert (H := div_above (root_e n (Z.of_nat m + 1)) (2 * Z.of_nat m) ltac:(lia)).
  rewrite mult_IZR, <- INR_IZR_INZ in H. rewrite !plus_IZR in *. assert (H0 : 0 < INR m) by (apply lt_0_INR; lia).
  assert (IZR scale * horner n (S m) (1/2) / (2 * INR m) <= IZR (root_e n (Z.of_nat m + 1)) / (2 * INR m)).
  { apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|exact IH]. }
  replace (IZR scale * (1 + 1 / 2 / INR m * horner n (S m) (1 / 2))) with
    (IZR scale + IZR scale * horner n (S m) (1/2) / (2 * INR m)) by (field; lra). lra.
Qed.

Fixpoint facts (n : nat) : Z := match n with O => 1 | S k => Z.of_nat n * facts k end.

Lemma facts_fact n : INR (fact n) = IZR (facts n).
Proof.
  induction n as [|n IH]; [reflexivity|]. rewrite fact_simpl, mult_INR, IH, INR_IZR_INZ, <- mult_IZR. reflexivity.
Qed.

Definition root_up : Z := (root_e 55 1 + 2)%Z.

Lemma root_below : exp (1/2) <= IZR root_up / IZR scale.
Proof.
  assert (Hs := scale_pos). assert (H := root_e_above 55 1 ltac:(lia)). rewrite horner_part in H.
  change (Z.of_nat 1) with 1%Z in H. assert (Hr := rest_at_most 55 (1/2) ltac:(lra)).
  assert (Hc : IZR scale * ((1/2) ^ 56 * / INR (fact 56)) <= / 10).
  { assert (E := facts_fact 56).
    replace ((1/2) ^ 56) with (/ 2 ^ 56) by (replace (1/2) with (/ 2) by field; now rewrite pow_inv).
    rewrite E, <- Rinv_mult. change 2 with (IZR 2). rewrite pow_IZR, <- mult_IZR.
    apply Rmult_le_reg_r with (IZR (2 ^ Z.of_nat 56 * facts 56)).
    - apply IZR_lt. vm_compute. reflexivity.
    - rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (apply IZR_neq; vm_compute; discriminate).
      apply Rmult_le_reg_l with 10; [lra|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
      rewrite <- mult_IZR. apply IZR_le. vm_compute. discriminate. }
  assert (H2 : exp (1/2) <= 2).
  { assert (exp (1/2) * exp (- (1/2)) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
    assert (H3 := exp_ge_1 (- (1/2))). assert (H4 := exp_pos (1/2)). nra. }
  apply Rmult_le_reg_r with (IZR scale); auto. unfold Rdiv at 2. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  unfold root_up. rewrite plus_IZR. set (q := (1/2) ^ 56 * / INR (fact 56)) in *.
  assert (0 <= q).
  { apply Rmult_le_pos; [apply pow_le; lra|]. left. apply Rinv_0_lt_compat, lt_0_INR, lt_O_fact. }
  assert (exp (1/2) * q <= 2 * q) by (apply Rmult_le_compat_r; auto).
  assert (IZR scale * (exp (1/2) - part 55 (1/2)) <= IZR scale * (2 * q)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Fixpoint lowered (r : Z) (n : nat) : Z := match n with O => scale | S n => lowered r n * scale / r end.
Definition low_end (T : Z) : Z := lowered root_up (Z.to_nat (T * T)).

Lemma lowered_below n : IZR (lowered root_up n) / IZR scale <= / exp (1/2) ^ n.
Proof.
  assert (Hs := scale_pos). assert (Hr : (0 < root_up)%Z) by (vm_compute; reflexivity).
  assert (Hr' : 0 < IZR root_up) by now apply IZR_lt. assert (Hb := root_below). assert (He := exp_pos (1/2)).
  generalize dependent (exp (1/2)). intros x Hb Hx. generalize dependent root_up. intros r Hr Hr' Hb.
  induction n as [|n IH]; cbn [lowered pow].
  - right. field. lra.
  - assert (Hd := div_below (lowered r n * scale) r Hr). rewrite mult_IZR in Hd. rewrite Rinv_mult.
    assert (Hn : 0 < x ^ n) by now apply pow_lt. assert (Hi : 0 < / x ^ n) by now apply Rinv_0_lt_compat.
    apply Rle_trans with (IZR scale / IZR r * (IZR (lowered r n) / IZR scale)).
    + apply Rmult_le_reg_r with (IZR scale); [exact Hs|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      eapply Rle_trans; [exact Hd|]. right. field. lra.
    + assert (H1 : IZR scale / IZR r <= / x).
      { replace (IZR scale / IZR r) with (/ (IZR r / IZR scale)) by (field; lra). now apply Rinv_le_contravar. }
      assert (H2 : 0 < IZR scale / IZR r) by now apply Rdiv_lt_0_compat.
      apply Rle_trans with (IZR scale / IZR r * / x ^ n); [apply Rmult_le_compat_l; lra|apply Rmult_le_compat_r; lra].
Qed.

Lemma end_above T : (0 < T)%Z -> IZR (low_end T) / IZR scale <= bell (IZR T).
Proof.
  intros HT. unfold low_end. eapply Rle_trans; [apply lowered_below|]. right. set (k := Z.to_nat (T * T)).
  assert (Ek : (T * T)%Z = Z.of_nat k) by (unfold k; lia).
  assert (E : exp (INR k * (1/2)) = exp (1/2) ^ k).
  { rewrite <- Rpower_pow by apply exp_pos. unfold Rpower. now rewrite ln_exp. }
  rewrite <- E, <- exp_Ropp. unfold bell. f_equal. rewrite INR_IZR_INZ, <- Ek, mult_IZR. field.
Qed.

(* The integrals of the powers. *)
Lemma moment_0 T : moment T 0 <= half.
Proof.
  assert (Hh := proj1 half_lim). assert (E : moment T 0 = area T).
  { unfold moment, area. apply RInt_ext. intros t _. simpl. match goal with |- ?x = ?y => change (@eq R x y) end. ring. }
  rewrite E. assert (H := proj2 (Phi_range T)). simpl in H. apply Rmult_le_reg_r with (/ (2 * half)).
  - apply Rinv_0_lt_compat. lra.
  - replace (half * / (2 * half)) with (1/2) by (field; lra). unfold Rdiv in *. lra.
Qed.

Lemma bell_slope t : is_derive bell t (- t * bell t).
Proof.
  unfold bell. auto_derive; auto. match goal with |- ?x = ?y => change (@eq R x y) end. unfold Rdiv. simpl. field.
Qed.

Lemma moment_1 T : moment T 1 = 1 - bell T.
Proof.
  assert (H : is_RInt (fun t => bell t * t ^ 1) 0 T (minus (- bell T) (- bell 0))).
  { apply (is_RInt_derive (V := R_CompleteNormedModule) (fun t => - bell t) (fun t => bell t * t ^ 1)).
    - intros t _. replace (bell t * t ^ 1) with (opp (- t * bell t)) by (unfold opp; simpl; ring).
      apply (is_derive_opp bell), bell_slope.
    - intros t _. apply (continuous_mult bell (fun t => t ^ 1)); [apply bell_continuous|].
      apply (ex_derive_continuous (fun t : R => t ^ 1)). auto_derive. auto. }
  unfold moment. rewrite (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ H).
  assert (E : bell 0 = 1) by (unfold bell; replace (- 0 ^ 2 / 2) with 0 by field; apply exp_0). rewrite E.
  unfold minus, plus, opp. simpl. ring.
Qed.

Lemma moment_next T k : moment T (S (S k)) = INR (S k) * moment T k - T ^ S k * bell T.
Proof.
  set (f := fun t => INR (S k) * (bell t * t ^ k) + -1 * (bell t * t ^ S (S k))).
  assert (H : is_RInt f 0 T (minus (T ^ S k * bell T) (0 ^ S k * bell 0))).
  { apply (is_RInt_derive (V := R_CompleteNormedModule) (fun t => t ^ S k * bell t) f).
    - intros t _. replace (f t) with (INR (S k) * t ^ k * bell t + t ^ S k * (- t * bell t)) by (unfold f; simpl pow; ring).
      apply (is_derive_mult (fun t => t ^ S k) bell); [|apply bell_slope|intros; apply Rmult_comm].
      replace (INR (S k) * t ^ k) with (INR (S k) * 1 * t ^ pred (S k)) by (simpl pred; ring).
      apply (is_derive_pow (fun y => y)). apply (is_derive_id t).
    - intros t _. apply (ex_derive_continuous f). unfold f, bell. auto_derive. auto. }
  apply (is_RInt_unique (V := R_CompleteNormedModule)) in H.
  assert (E : RInt f 0 T = INR (S k) * moment T k + -1 * moment T (S (S k))).
  { unfold f, moment. rewrite (int_both (fun t => INR (S k) * (bell t * t ^ k)) (fun t => -1 * (bell t * t ^ S (S k))) 0 T
      (ex_RInt_scal (V := R_NormedModule) _ 0 T _ (moment_int T k))
      (ex_RInt_scal (V := R_NormedModule) _ 0 T _ (moment_int T (S (S k))))).
    now rewrite (int_times _ _ 0 T (moment_int T k)), (int_times _ _ 0 T (moment_int T (S (S k)))). }
  rewrite E in H. rewrite pow_ne_zero in H by lia. unfold minus, plus, opp in H. simpl plus in H.
  change (INR (S k) * moment T k + -1 * moment T (S (S k)) = T ^ S k * bell T + - (0 * bell 0)) in H. lra.
Qed.

Lemma moment_rises T k : 0 < T -> moment T (S k) <= T * moment T k.
Proof.
  intros HT. unfold moment. rewrite <- (int_times T _ 0 T (moment_int T k)).
  apply RInt_le; [lra|apply moment_int|apply (ex_RInt_scal (V := R_NormedModule)), moment_int|].
  intros t Ht. assert (H := bell_pos t). assert (0 <= t ^ k) by (apply pow_le; lra).
  assert (0 <= bell t * t ^ k) by (apply Rmult_le_pos; lra). simpl pow.
  replace (bell t * (t * t ^ k)) with (t * (bell t * t ^ k)) by ring. nra.
Qed.

(* The check: integrals of powers of t/T from above, the rule from below, as integers over the scale. *)
Definition points (rule : list (Z * Z)) : list (R * R) :=
  map (fun p => (IZR (fst p) / IZR unit, IZR (snd p) / IZR (unit * unit * unit))) rule.
Definition total (l : list (Z * Z)) : Z := fold_right (fun p s => snd p + s)%Z 0%Z l.
Definition enough (m s : Z) : bool := (m * 10 ^ 11 <=? (10 ^ 11 + 1) * s)%Z.
Definition next (T : Z) (l : list (Z * Z)) : list (Z * Z) :=
  map (fun p => (fst p, fst p * snd p / (T * unit)))%Z l.
Definition at_end (T : Z) (l : list (Z * Z)) : list (Z * Z) := filter (fun p => fst p =? T * unit)%Z l.

Fixpoint check (T e : Z) (steps : nat) (k m m1 : Z) (l : list (Z * Z)) : bool :=
  enough m (total l) &&
  match steps with
  | O => enough m (total (at_end T l))
  | S steps => check T e steps (k + 1) m1 ((k + 1) * m / (T * T) + 1 - e / T) (next T l)
  end.

Definition checks (T : Z) (steps : nat) (rule : list (Z * Z)) : bool :=
  let e := low_end T in
  forallb (fun p => (0 <=? fst p)%Z && (fst p <=? T * unit)%Z && (0 <=? snd p)%Z) rule &&
  check T e steps 0 half_up ((scale - e) / T + 1) (map (fun p => (fst p, snd p * unit)) rule)%Z.

Section Check.
Variable T : Z.
Hypothesis T_pos : (0 < T)%Z.
Variable rule : list (Z * Z).
Hypothesis inside : forall p, In p rule -> (0 <= fst p <= T * unit)%Z /\ (0 <= snd p)%Z.
Notation t := (IZR T).
Notation share p := (IZR (fst p) / IZR (T * unit)).
Notation weight p := (IZR (snd p) / IZR (unit * unit * unit)).
Notation M k := (moment t k / t ^ k).
Notation "x // y" := (IZR x / IZR y) (at level 40).

Lemma t_pos : 0 < t.
Proof. now apply IZR_lt. Qed.

Lemma tu_pos : 0 < IZR (T * unit).
Proof. apply IZR_lt. unfold unit. lia. Qed.

Definition behind (k : nat) : list (Z * Z) -> Prop :=
  Forall2 (fun p q => fst q = fst p /\ (0 <= snd q)%Z /\ snd q // scale <= weight p * share p ^ k) rule.

Lemma behind_next k l : behind k l -> behind (S k) (next T l).
Proof.
  assert (Hu := tu_pos). assert (Hs := scale_pos).
  unfold behind, next. intros H. assert (Hi := inside). induction H as [|p q r l (E & H0 & H1) H IH]; cbn [map]; constructor.
  - cbn [fst snd]. specialize (Hi p (or_introl eq_refl)). split; auto. rewrite E. split.
    + apply Z.div_pos; [nia|unfold unit; lia].
    + assert (Hd := div_below (fst p * snd q) (T * unit) ltac:(unfold unit; lia)). rewrite mult_IZR in Hd.
      assert (Hp : 0 <= share p).
      { apply Rmult_le_pos; [apply IZR_le; lia|left; now apply Rinv_0_lt_compat]. }
      apply Rle_trans with (share p * (snd q // scale)).
      * apply Rmult_le_reg_r with (IZR scale); auto. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
        eapply Rle_trans; [exact Hd|]. right. field. lra.
      * change (share p ^ S k) with (share p * share p ^ k).
        replace (weight p * (share p * share p ^ k)) with (share p * (weight p * share p ^ k)) by ring.
        now apply Rmult_le_compat_l.
  - apply IH; intros a Ha; apply Hi; now right.
Qed.

Lemma behind_start : behind 0 (map (fun p => (fst p, snd p * unit)%Z) rule).
Proof.
  unfold behind. assert (Hi := inside). induction rule as [|p r IH]; cbn [map]; constructor.
  - cbn [fst snd]. destruct (Hi p (or_introl eq_refl)). split; [reflexivity|]. split; [unfold unit; lia|].
    right. rewrite pow_O, Rmult_1_r. unfold scale. rewrite !mult_IZR. field. apply IZR_neq. discriminate.
  - apply IH; intros a Ha; apply Hi; now right.
Qed.

Lemma total_below k l : behind k l -> total l // scale <= sumR rule (fun p => weight p * share p ^ k).
Proof.
  unfold behind. intros H. induction H as [|p q r l (E & H0 & H1) H IH]; cbn [total fold_right sumR].
  - unfold Rdiv. lra.
  - fold (total l). rewrite plus_IZR. unfold Rdiv at 1. rewrite Rmult_plus_distr_r.
    assert (IH' := IH ltac:(intros a Ha; apply inside; now right)). unfold Rdiv in *. lra.
Qed.

Lemma end_below k l : behind k l ->
  total (at_end T l) // scale <= sumR rule (fun p => if (fst p =? T * unit)%Z then weight p else 0).
Proof.
  assert (Hu := tu_pos). unfold behind. intros H.
  induction H as [|p q r l (E & H0 & H1) H IH]; cbn [at_end filter total fold_right sumR].
  - unfold Rdiv. lra.
  - assert (IH' := IH ltac:(intros a Ha; apply inside; now right)). rewrite E.
    destruct (fst p =? T * unit)%Z eqn:Ep.
    + apply Z.eqb_eq in Ep. cbn [fold_right]. fold (total (filter (fun p => (fst p =? T * unit)%Z) l)).
      fold (at_end T l). rewrite plus_IZR. unfold Rdiv at 1. rewrite Rmult_plus_distr_r.
      rewrite Ep in H1. replace (IZR (T * unit) / IZR (T * unit)) with 1 in H1 by (field; lra).
      rewrite pow1, Rmult_1_r in H1. unfold Rdiv in *. lra.
    + fold (at_end T l). fold (total (at_end T l)). lra.
Qed.

Notation C := (1 + / 10^11).

Lemma enough_above m s : enough m s = true -> m // scale <= C * (s // scale).
Proof.
  intros H. apply Z.leb_le, IZR_le in H. rewrite !mult_IZR in H. rewrite plus_IZR in H.
  replace (IZR (10 ^ 11)) with (10 ^ 11) in H by (change (10 ^ 11) with (IZR 10 ^ 11); now rewrite pow_IZR).
  assert (Hs := scale_pos). apply Rmult_le_reg_r with (IZR scale * 10^11); [apply Rmult_lt_0_compat; [exact Hs|lra]|].
  replace (m // scale * (IZR scale * 10^11)) with (IZR m * 10^11) by (field; lra).
  replace (C * (s // scale) * (IZR scale * 10^11)) with ((10^11 + 1) * IZR s) by (field; lra). exact H.
Qed.

Lemma share_nonneg p : In p rule -> 0 <= share p /\ 0 <= weight p.
Proof.
  intros Hp. destruct (inside p Hp) as [[H0 _] H1]. split; apply Rmult_le_pos; try (apply IZR_le; lia).
  - left. apply Rinv_0_lt_compat, tu_pos.
  - left. apply Rinv_0_lt_compat, IZR_lt. reflexivity.
Qed.

Lemma check_sound steps : forall k m m1 l, M k <= m // scale -> M (S k) <= m1 // scale -> behind k l ->
  check T (low_end T) steps (Z.of_nat k) m m1 l = true ->
  forall j, (k <= j)%nat -> M j <= C * sumR rule (fun p => weight p * share p ^ j).
Proof.
  assert (Ht := t_pos). assert (Hs := scale_pos).
  assert (HC : 0 <= C) by (assert (0 < / 10^11) by (apply Rinv_0_lt_compat; lra); lra).
  induction steps as [|steps IH]; intros k m m1 l Hm Hm1 Hl Hc j Hj; cbn [check] in Hc;
    apply andb_prop in Hc; destruct Hc as [Hc1 Hc2].
  - assert (Hk : M j <= M k).
    { clear - Hj Ht. induction Hj as [|j Hj IH]; [lra|]. eapply Rle_trans; [|exact IH].
      assert (H := moment_rises t j Ht). assert (0 < t ^ j) by now apply pow_lt. assert (0 < t ^ S j) by now apply pow_lt.
      apply Rmult_le_reg_r with (t ^ S j); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      replace (moment t j * / t ^ j * t ^ S j) with (t * moment t j) by (simpl pow; field; lra). exact H. }
    assert (H1 := enough_above _ _ Hc2). assert (H2 := end_below k l Hl).
    apply Rle_trans with (C * (total (at_end T l) // scale)); [lra|]. apply Rmult_le_compat_l; auto.
    eapply Rle_trans; [exact H2|]. apply sumR_le. intros p Hp. destruct (share_nonneg p Hp) as [H3 H4].
    destruct (fst p =? T * unit)%Z eqn:Ep.
    + apply Z.eqb_eq in Ep. rewrite Ep.
      replace (IZR (T * unit) / IZR (T * unit)) with 1 by (field; generalize tu_pos; lra).
      rewrite pow1. lra.
    + apply Rmult_le_pos; auto. now apply pow_le.
  - destruct (Nat.eq_dec j k) as [->|Hjk].
    + assert (H1 := enough_above _ _ Hc1). assert (H2 := total_below k l Hl).
      apply Rle_trans with (C * (total l // scale)); [lra|]. now apply Rmult_le_compat_l.
    + refine (IH (S k) m1 _ (next T l) Hm1 _ (behind_next k l Hl) _ j ltac:(lia)).
      2:{ rewrite Nat2Z.inj_succ. exact Hc2. }
      assert (Hb := end_above T T_pos). set (e := low_end T) in *.
      assert (Hd := div_above ((Z.of_nat k + 1) * m) (T * T) ltac:(lia)).
      assert (He := div_below e T T_pos). unfold Z.sub. rewrite plus_IZR, opp_IZR.
      rewrite !mult_IZR, (plus_IZR (Z.of_nat k)), <- INR_IZR_INZ in Hd. rewrite moment_next.
      assert (Hk : 0 < t ^ k) by now apply pow_lt.
      replace ((INR (S k) * moment t k - t ^ S k * bell t) / t ^ S (S k)) with
        ((INR k + 1) / (t * t) * M k - bell t / t) by (rewrite S_INR; simpl pow; field; lra).
      assert (HI := pos_INR k).
      assert (G1 : (INR k + 1) / (t * t) * M k <= (INR k + 1) / (t * t) * (m // scale)).
      { apply Rmult_le_compat_l; auto. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. nra. }
      assert (G2 : e // scale / t <= bell t / t).
      { apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact Hb]. }
      apply Rle_trans with ((INR k + 1) / (t * t) * (m // scale) - e // scale / t); [lra|].
      set (z := IZR ((Z.of_nat k + 1) * m / (T * T) + 1)) in *. set (y := IZR (e / T)) in *.
      assert (EL : (INR k + 1) / (t * t) * (m // scale) - e // scale / t =
        ((INR k + 1) * IZR m / (t * t) - IZR e / t) / IZR scale) by (field; lra).
      rewrite EL. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. lra.
Qed.

Lemma sum_of_powers k : sum (points rule) (fun x => x ^ k) = t ^ k * sumR rule (fun p => weight p * share p ^ k).
Proof.
  assert (Ht := t_pos). unfold sum, points. rewrite sumR_map, <- sumR_scal. apply sumR_ext. intros p _. cbn [fst snd].
  assert (Hun : 0 < IZR unit) by (apply IZR_lt; reflexivity).
  replace (IZR (fst p) / IZR unit) with (t * share p) by (rewrite mult_IZR; field; lra).
  rewrite Rpow_mult_distr. ring.
Qed.
End Check.

Lemma first_above s t a b z : 0 < s -> 0 < t -> a / s <= b -> (s + - a) / t <= z -> (1 - b) / t <= z / s.
Proof.
  intros Hs Ht Hb Hz. apply Rle_trans with ((s + - a) / t / s).
  - replace ((s + - a) / t / s) with ((1 - a / s) / t) by (field; lra).
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra].
  - apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact Hz].
Qed.

Lemma unscaled a c t q : 0 < t -> a / t <= c * q -> a <= c * (t * q).
Proof.
  intros Ht H. apply (Rmult_le_compat_r t) in H; [|lra]. unfold Rdiv in H.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r in H by lra. lra.
Qed.

(* A rule that passes the check is enough for every power. *)
Theorem checked_powers T steps rule : (0 < T)%Z -> checks T steps rule = true ->
  (forall p, In p (points rule) -> 0 <= fst p <= IZR T /\ 0 <= snd p) /\
  forall k, moment (IZR T) k <= (1 + / 10^11) * sum (points rule) (fun x => x ^ k).
Proof.
  intros HT H. unfold checks in H. apply andb_prop in H. destruct H as [Hf Hc].
  assert (Hi : forall p, In p rule -> (0 <= fst p <= T * unit)%Z /\ (0 <= snd p)%Z).
  { intros p Hp. rewrite forallb_forall in Hf. specialize (Hf p Hp). rewrite !andb_true_iff, !Z.leb_le in Hf. lia. }
  assert (Hs := scale_pos). assert (Ht : 0 < IZR T) by now apply IZR_lt. split.
  - intros p Hp. apply in_map_iff in Hp. destruct Hp as (z & <- & Hz). cbn [fst snd].
    destruct (Hi z Hz) as [[H1 H2] H3]. assert (Hun : 0 < IZR unit) by (apply IZR_lt; reflexivity).
    apply IZR_le in H1. apply IZR_le in H2. apply IZR_le in H3. rewrite mult_IZR in H2. split; [split|].
    + apply Rmult_le_pos; auto. left. now apply Rinv_0_lt_compat.
    + apply Rmult_le_reg_r with (IZR unit); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r; lra.
    + apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat, IZR_lt. reflexivity.
  - intros k. rewrite (sum_of_powers T HT).
    assert (Hk : 0 < IZR T ^ k) by now apply pow_lt.
    assert (HM := check_sound T HT rule Hi steps 0 half_up ((scale - low_end T) / T + 1)
      (map (fun p => (fst p, snd p * unit)%Z) rule)).
    assert (G : moment (IZR T) k / IZR T ^ k <= (1 + / 10 ^ 11) * sumR rule (fun p => IZR (snd p) / IZR (unit * unit * unit) *
      (IZR (fst p) / IZR (T * unit)) ^ k)).
    { apply HM; [| |now apply behind_start|exact Hc|lia].
      - rewrite pow_O, Rdiv_1. eapply Rle_trans; [apply moment_0|apply half_below].
      - rewrite moment_1, pow_1. assert (Hb := end_above T HT). assert (Hd := div_above (scale - low_end T) T HT).
        unfold Z.sub in Hd. rewrite (plus_IZR scale), opp_IZR in Hd.
        exact (first_above _ _ _ _ _ Hs Ht Hb Hd). }
    exact (unscaled _ _ _ _ Hk G).
Qed.

Definition rule_7 : list (Z * Z) := [
  (8454556708147673200, 213481925529655930000000000000000000000000000000000000000000);
  (42408395033016224000, 414948000242650420000000000000000000000000000000000000000000);
  (97035170685470896000, 392625566585647190000000000000000000000000000000000000000000);
  (166641127598533830000, 189197198217932720000000000000000000000000000000000000000000);
  (248254538391953990000, 40121571063476158000000000000000000000000000000000000000000);
  (342320302617425470000, 2899592106612551100000000000000000000000000000000000000000);
  (455552466402867910000, 40282372810079670000000000000000000000000000000000000000);
  (700000000000000000000, 1193507186449378800000000000000000000000000000000000)]%Z.

Definition rule_8 : list (Z * Z) := [
  (2889655528362992000, 73896627100855995000000000000000000000000000000000000000000);
  (15029157109411996000, 165846856299139530000000000000000000000000000000000000000000);
  (36132487953791745000, 236597700594069150000000000000000000000000000000000000000000);
  (65160647555504343000, 263696417687327780000000000000000000000000000000000000000000);
  (100968249707605830000, 233240403371976770000000000000000000000000000000000000000000);
  (142497629356274000000, 159714816895298820000000000000000000000000000000000000000000);
  (188884937981742190000, 81617654770888516000000000000000000000000000000000000000000);
  (239499291338288920000, 29870514671127447000000000000000000000000000000000000000000);
  (293947348233235850000, 7484936411098443300000000000000000000000000000000000000000);
  (352070798746024410000, 1219829415132813600000000000000000000000000000000000000000);
  (413957285816836210000, 121400299114692960000000000000000000000000000000000000000);
  (479984645880793640000, 6788304046835109300000000000000000000000000000000000000);
  (550928551969623260000, 189299523271416640000000000000000000000000000000000000);
  (628180926027165330000, 2188139336905695800000000000000000000000000000000000);
  (713914735464053670000, 7753249053329786300000000000000000000000000000000);
  (800000000000000000000, 6042075976107010600000000000000000000000000000)]%Z.

Definition rule_12 : list (Z * Z) := [
  (722451024393369040, 18530765725411516000000000000000000000000000000000000000000);
  (3798545007074312100, 42925299277314425000000000000000000000000000000000000000000);
  (9300457107302417000, 66704403570606547000000000000000000000000000000000000000000);
  (17175967661861416000, 89070185975626501000000000000000000000000000000000000000000);
  (27351723671087882000, 108823027472626580000000000000000000000000000000000000000000);
  (39737769510695315000, 124361789936368100000000000000000000000000000000000000000000);
  (54231662275676609000, 133901638317363890000000000000000000000000000000000000000000);
  (70722624092644442000, 135899295163230220000000000000000000000000000000000000000000);
  (89095493432658188000, 129605736681002010000000000000000000000000000000000000000000);
  (109234264303976740000, 115551164778620850000000000000000000000000000000000000000000);
  (131025082454055430000, 95704744092564539000000000000000000000000000000000000000000);
  (154358646594582660000, 73128833659169228000000000000000000000000000000000000000000);
  (179132025939850940000, 51178148550298469000000000000000000000000000000000000000000);
  (205249948828248160000, 32561681023552708000000000000000000000000000000000000000000);
  (232625641871666860000, 18695165584152545000000000000000000000000000000000000000000);
  (261181308593429340000, 9614724023370379500000000000000000000000000000000000000000);
  (290848335360171460000, 4396725777677311000000000000000000000000000000000000000000);
  (321567304776425710000, 1774652987125696500000000000000000000000000000000000000000);
  (353287885926991960000, 627599952134219090000000000000000000000000000000000000000);
  (385968659258468990000, 193015446333947240000000000000000000000000000000000000000);
  (419576922913193190000, 51229717688175631000000000000000000000000000000000000000);
  (454088517650744380000, 11642346718042843000000000000000000000000000000000000000);
  (489487699211683490000, 2246760606150174000000000000000000000000000000000000000);
  (525767079676127510000, 364979734249108260000000000000000000000000000000000000);
  (562927652029398960000, 49442913865519248000000000000000000000000000000000000);
  (600978902811332460000, 5529080159884499300000000000000000000000000000000000);
  (639939002656748590000, 504767976063703700000000000000000000000000000000000);
  (679835036333233010000, 37161945366421175000000000000000000000000000000000);
  (720703177296725570000, 2176499236692384600000000000000000000000000000000);
  (762588594093180540000, 99878194237798631000000000000000000000000000000);
  (805544623953362480000, 3530738311987863900000000000000000000000000000);
  (849630191277063390000, 94358065957316032000000000000000000000000000);
  (894903162340509540000, 1868008988137867600000000000000000000000000);
  (941404203059270610000, 26834158015703118000000000000000000000000);
  (989117628198026090000, 274869185803260730000000000000000000000);
  (1037873280860103900000, 1998697061020818000000000000000000000);
  (1087086305664332700000, 10688586917243404000000000000000000);
  (1135022323680036600000, 48878656093537259000000000000000);
  (1176724873780058700000, 301913880017071640000000000000);
  (1200000000000000000000, 3809486652472781600000000000)]%Z.

Theorem rule_7_checks : checks 7 26 rule_7 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem rule_8_checks : checks 8 75 rule_8 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem rule_12_checks : checks 12 311 rule_12 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
