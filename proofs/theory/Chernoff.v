(* docs/theorems/theory.md, "hoeffding-kl"; docs/theorems/feedback.md, "Tails": the tails of a query that follow from its
   exponential moments alone, for rows and for clusters alike. n is the number of rows, or what they are worth. *)

From Coq Require Import Reals Lra Lia List Psatz Classical.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Count Gate Tails.
Import ListNotations.
Open Scope R_scope.

Lemma vanish k y : 0 < k -> (forall l, 0 <= l -> y <= exp (- (k * l))) -> y <= 0.
Proof.
  intros Hk H. apply Rnot_lt_le. intros Hy.
  specialize (H (Rabs (ln y) / k + 1)).
  assert (H0 : 0 <= Rabs (ln y) / k).
  { apply Rmult_le_pos; [apply Rabs_pos|]. left. now apply Rinv_0_lt_compat. }
  specialize (H ltac:(lra)).
  assert (exp (- (k * (Rabs (ln y) / k + 1))) < exp (ln y)).
  { apply exp_increasing. replace (k * (Rabs (ln y) / k + 1)) with (Rabs (ln y) + k) by (field; lra).
    generalize (Rle_abs (- ln y)). rewrite Rabs_Ropp. lra. }
  rewrite exp_ln in H1 by auto. lra.
Qed.

Lemma kl_one p : 0 < p -> kl 1 p = - ln p.
Proof.
  intros Hp. unfold kl. replace (1 / p) with (/ p) by (field; lra). rewrite ln_Rinv by auto. ring.
Qed.

(* What the tail A(s) asks: the infimum of kl(p+s || p) over the means p > 0 that leave room for s. *)
Definition rates (s y : R) : Prop := exists p, 0 < p <= 1 - s /\ y = kl (p + s) p.
Definition E (s : R) : R := real (Glb_Rbar (rates s)).

Lemma rate_floor s p : 0 < s < 1 -> 0 < p <= 1 - s -> 2 * s^2 <= kl (p + s) p.
Proof.
  intros Hs Hp. destruct (Rle_lt_or_eq_dec p (1 - s)) as [H|H]; [lra|apply kl_pinsker; lra|].
  subst p. replace (1 - s + s) with 1 by ring. rewrite kl_one by lra.
  assert (Hb := bernoulli_mgf (1 - s) (4 * s) ltac:(lra)).
  assert (Hc : (1 - s) * exp (4 * s) <= exp (4 * s * (1 - s) + (4 * s)^2 / 8)) by lra.
  assert (He : ln ((1 - s) * exp (4 * s)) <= 4 * s * (1 - s) + (4 * s)^2 / 8).
  { rewrite <- (ln_exp (4 * s * (1 - s) + (4 * s)^2 / 8)).
    assert (0 < (1 - s) * exp (4 * s)) by (apply Rmult_lt_0_compat; [lra|apply exp_pos]).
    destruct Hc as [Hc|Hc]; [left; now apply ln_increasing|right; now rewrite Hc]. }
  rewrite ln_mult, ln_exp in He; [lra|lra|apply exp_pos].
Qed.

Lemma E_finite s : 0 < s < 1 -> is_glb_Rbar (rates s) (Finite (E s)).
Proof.
  intros Hs. unfold E. assert (H := Glb_Rbar_correct (rates s)).
  destruct (Glb_Rbar (rates s)) as [x| |] eqn:Eq; auto; exfalso; destruct H as [H1 H2].
  - specialize (H1 (kl (1 - s + s) (1 - s))). simpl in H1. apply H1. exists (1 - s). split; auto. lra.
  - specialize (H2 (Finite (2 * s^2))). simpl in H2. apply H2. intros y (p & Hp & ->). simpl.
    generalize (rate_floor s p Hs Hp). simpl. auto.
Qed.

Lemma E_le s p : 0 < s < 1 -> 0 < p <= 1 - s -> E s <= kl (p + s) p.
Proof. intros Hs Hp. destruct (E_finite s Hs) as [H _]. apply (H (kl (p + s) p)). now exists p. Qed.

Lemma E_greatest s e : 0 < s < 1 -> (forall p, 0 < p <= 1 - s -> e <= kl (p + s) p) -> e <= E s.
Proof.
  intros Hs H. destruct (E_finite s Hs) as [_ H']. apply (H' (Finite e)). intros y (p & Hp & ->). simpl. auto.
Qed.

Lemma E_hoeffding s : 0 < s < 1 -> 2 * s^2 <= E s.
Proof. intros Hs. apply E_greatest; auto. intros p. now apply rate_floor. Qed.

(* The exponential moments of a query with values in [0,1] are those of n independent 0/1 values, or less. *)
Record moments {Omega Query : Type} (P : outer Omega) (emp : Query -> Omega -> R) (pop : Query -> R) (n : R) : Prop := {
  worth_pos : 0 < n;
  at_most_1 : forall A, P A <= 1;
  truth_unit : forall q, 0 <= pop q <= 1;
  moment : forall q l a c p, 0 <= p <= 1 -> pop q <= p -> 0 <= l -> exp a = 1 - p + p * exp l ->
    P (fun S => emp q S >= c) <= exp (n * (a - l * c))
}.

Section Moments.
Context {Omega Query : Type}.
Variable P : outer Omega.
Variable emp : Query -> Omega -> R.
Variable pop : Query -> R.
Variable n : R.
Hypothesis M : moments P emp pop n.
Let n_pos := worth_pos _ _ _ _ M.
Let P_le_1 := at_most_1 _ _ _ _ M.
Let pop_range := truth_unit _ _ _ _ M.
Let chernoff := moment _ _ _ _ M.

Lemma moment_below_1 q p c : pop q <= p -> 0 < p -> p < c -> c < 1 ->
  P (fun S => emp q S >= c) <= exp (- n * kl c p).
Proof.
  intros Hq Hp Hpc Hc. assert (Hn := n_pos).
  set (l := ln (c * (1 - p) / (p * (1 - c)))).
  assert (Hr : 0 < c * (1 - p) / (p * (1 - c))) by (apply Rdiv_lt_0_compat; nra).
  assert (He : exp l = c * (1 - p) / (p * (1 - c))) by (apply exp_ln; auto).
  assert (Hl : 0 <= l).
  { left. rewrite <- ln_1. apply ln_increasing; [lra|].
    apply Rmult_lt_reg_r with (p * (1 - c)); [nra|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by nra. nra. }
  assert (H1 : 0 < (1 - p) / (1 - c)) by (apply Rdiv_lt_0_compat; lra).
  eapply Rle_trans; [apply (chernoff q l (ln ((1 - p) / (1 - c))) c p)|]; auto; try lra.
  - rewrite He, exp_ln by auto. field. lra.
  - apply exp_le. apply Req_le.
    assert (E : ln ((1 - p) / (1 - c)) - l * c = - kl c p); [|rewrite E; ring].
    unfold kl, l.
    replace (c * (1 - p) / (p * (1 - c))) with ((c / p) * ((1 - p) / (1 - c))) by (field; lra).
    rewrite ln_mult; [|apply Rdiv_lt_0_compat; lra|auto].
    replace ((1 - c) / (1 - p)) with (/ ((1 - p) / (1 - c))) by (field; lra).
    rewrite ln_Rinv by auto. ring.
Qed.

Lemma moment_beyond q x : 1 < x -> P (fun S => emp q S >= x) <= 0.
Proof.
  intros Hx. apply (vanish (n * (x - 1))).
  { apply Rmult_lt_0_compat; lra. }
  intros l Hl. eapply Rle_trans; [apply (chernoff q l l x 1)|]; auto; try lra.
  - generalize (pop_range q). lra.
  - apply exp_le. right. ring.
Qed.

Lemma moment_zero q x : pop q <= 0 -> 0 < x -> P (fun S => emp q S >= x) <= 0.
Proof.
  intros Hq Hx. apply (vanish (n * x)).
  { apply Rmult_lt_0_compat; lra. }
  intros l Hl. eapply Rle_trans; [apply (chernoff q l 0 x 0)|]; auto; try lra.
  - rewrite exp_0. lra.
  - apply exp_le. right. ring.
Qed.

Lemma moment_one q p : pop q <= p -> 0 < p -> p < 1 ->
  P (fun S => emp q S >= 1) <= exp (- n * kl 1 p).
Proof.
  intros Hq Hp Hp1. rewrite kl_one by auto.
  replace (- n * - ln p) with (n * ln p) by ring.
  set (t := P (fun S => emp q S >= 1)). apply Rnot_lt_le. intros Ht.
  assert (H0 : 0 < t) by (eapply Rlt_trans; [apply exp_pos|exact Ht]).
  assert (H1 : t <= 1) by apply P_le_1.
  assert (Hl : n * ln p < ln t).
  { apply exp_lt_inv. now rewrite exp_ln. }
  assert (Hl1 : ln t <= 0).
  { rewrite <- ln_1. destruct H1 as [H1|H1]; [left; now apply ln_increasing|right; now rewrite H1]. }
  set (y := exp (ln t / n)).
  assert (Hy : p < y).
  { unfold y. rewrite <- (exp_ln p) by auto. apply exp_increasing.
    apply Rmult_lt_reg_r with n; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Hy1 : y <= 1).
  { unfold y. rewrite <- exp_0. apply exp_le. apply Rmult_le_reg_r with n; auto. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. lra. }
  set (e := (y - p) / 2). assert (He : 0 < e < 1) by (unfold e; lra).
  assert (Hle : 0 <= - ln e).
  { assert (ln e < 0) by (rewrite <- ln_1; apply ln_increasing; lra). lra. }
  assert (Hee : exp (- ln e) = / e) by (rewrite exp_Ropp, exp_ln; lra).
  assert (Hie : 0 < / e) by (apply Rinv_0_lt_compat; lra).
  assert (Hpos : 0 < 1 - p + p * / e) by nra.
  assert (H := chernoff q (- ln e) (ln (1 - p + p * / e)) 1 p).
  rewrite Hee in H. specialize (H ltac:(lra) Hq Hle (exp_ln _ Hpos)). fold t in H.
  assert (Hlt : ln (1 - p + p * / e) - - ln e * 1 < ln t / n).
  { replace (ln (1 - p + p * / e) - - ln e * 1) with (ln (1 - p + p * / e) + ln e) by ring.
    rewrite <- ln_mult by lra. apply exp_lt_inv.
    replace ((1 - p + p * / e) * e) with ((1 - p) * e + p) by (field; lra).
    rewrite exp_ln by nra. fold y. unfold e in *. nra. }
  assert (exp (n * (ln (1 - p + p * / e) - - ln e * 1)) < t); [|lra].
  rewrite <- (exp_ln t) by auto. apply exp_increasing.
  replace (ln t) with (n * (ln t / n)) by (field; lra). now apply Rmult_lt_compat_l.
Qed.

Lemma moment_kl q p x : pop q <= p -> 0 < p -> p < x -> x <= 1 ->
  P (fun S => emp q S >= x) <= exp (- n * kl x p).
Proof.
  intros Hq Hp Hx [H1| ->]; [now apply moment_below_1|now apply moment_one].
Qed.

(* "Tails" in full: the rate E, the means 0 and 1 - s, and what is beyond. *)
Theorem moment_up q s : 0 < s < 1 -> P (fun S => emp q S - pop q >= s) <= exp (- n * E s).
Proof.
  intros Hs. assert (Hr := pop_range q).
  apply Rle_trans with (P (fun S => emp q S >= pop q + s)); [apply Pr_mono; intros; lra|].
  destruct (Req_dec (pop q) 0) as [H0|H0].
  { eapply Rle_trans; [apply moment_zero; lra|]. left. apply exp_pos. }
  destruct (Rlt_dec (1 - s) (pop q)) as [H1|H1].
  { eapply Rle_trans; [apply moment_beyond; lra|]. left. apply exp_pos. }
  eapply Rle_trans; [apply (moment_kl q (pop q)); lra|]. apply exp_le.
  assert (E s <= kl (pop q + s) (pop q)) by (apply E_le; lra). nra.
Qed.

Theorem moment_up_1 q s : 1 <= s -> P (fun S => emp q S - pop q >= s) <= 0.
Proof.
  intros Hs. assert (Hr := pop_range q).
  apply Rle_trans with (P (fun S => emp q S >= pop q + s)); [apply Pr_mono; intros; lra|].
  destruct (Req_dec (pop q) 0) as [H0|H0]; [apply moment_zero; lra|apply moment_beyond; lra].
Qed.

(* What bounds a deviation of s. *)
Definition side (n s : R) : R := if Rle_dec s 0 then 1 else if Rlt_dec s 1 then exp (- n * E s) else 0.

Lemma side_nonneg m s : 0 <= side m s.
Proof. unfold side. destruct (Rle_dec s 0), (Rlt_dec s 1); try lra. left. apply exp_pos. Qed.

Lemma moment_side q s : P (fun S => emp q S - pop q >= s) <= side n s.
Proof.
  unfold side. destruct (Rle_dec s 0); [apply P_le_1|]. destruct (Rlt_dec s 1); [apply moment_up; lra|].
  apply moment_up_1. lra.
Qed.

End Moments.
