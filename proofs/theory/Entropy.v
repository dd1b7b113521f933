(* The binary relative entropy kl(x || p): a tangent plane, convexity, and where it rises. Then docs/theorems/theory.md,
   "hoeffding-kl": both sides of one query. *)

From Coq Require Import Reals Lra Lia List Psatz.
From dpcalc Require Import Tree Count Gate Tails Records.
Import ListNotations.
Open Scope R_scope.

Lemma ln_chord x : 0 < x -> ln x <= x - 1.
Proof. intros H. assert (E := exp_ge_1 (ln x)). rewrite exp_ln in E by auto. lra. Qed.

Lemma ln_below y : 0 < y -> 1 - / y <= ln y.
Proof.
  intros Hy. assert (Hi : 0 < / y) by now apply Rinv_0_lt_compat.
  assert (H := exp_ge_1 (ln (/ y))). rewrite exp_ln in H by auto. rewrite ln_Rinv in H by auto. lra.
Qed.

Lemma ln_quotient x y : 0 < x -> 0 < y -> ln (x / y) = ln x - ln y.
Proof.
  intros Hx Hy. unfold Rdiv. rewrite ln_mult, ln_Rinv; auto. now apply Rinv_0_lt_compat.
Qed.

Lemma term_tangent x p a b : 0 <= x -> 0 < p -> 0 < a -> 0 < b ->
  x * ln (a / b) + x - a * p / b <= x * ln (x / p).
Proof.
  intros Hx Hp Ha Hb. assert (Hab : 0 < a / b) by now apply Rdiv_lt_0_compat.
  destruct (Rle_lt_or_eq_dec 0 x Hx) as [H|<-].
  - assert (Hxp : 0 < x / p) by now apply Rdiv_lt_0_compat.
    assert (Hy : 0 < (x / p) / (a / b)) by now apply Rdiv_lt_0_compat.
    assert (Hl := ln_below _ Hy). rewrite ln_quotient in Hl by auto.
    assert (E : / (x / p / (a / b)) = a * p / (b * x)) by (field; lra). rewrite E in Hl.
    apply Rmult_le_compat_l with (r := x) in Hl; [|lra].
    replace (x * (1 - a * p / (b * x))) with (x - a * p / b) in Hl by (field; lra). lra.
  - assert (0 <= a * p / b); [|lra]. apply Rmult_le_pos; [nra|]. left. now apply Rinv_0_lt_compat.
Qed.

(* The plane touches at (a, b). *)
Lemma kl_tangent x p a b : 0 <= x <= 1 -> 0 < p < 1 -> 0 < a < 1 -> 0 < b < 1 ->
  x * ln (a / b) + (1 - x) * ln ((1 - a) / (1 - b)) + (x - a * p / b) + ((1 - x) - (1 - a) * (1 - p) / (1 - b)) <=
  kl x p.
Proof.
  intros Hx Hp Ha Hb. unfold kl.
  generalize (term_tangent x p a b ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra))
    (term_tangent (1 - x) (1 - p) (1 - a) (1 - b) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)). lra.
Qed.

Theorem kl_nonneg x p : 0 <= x <= 1 -> 0 < p < 1 -> 0 <= kl x p.
Proof.
  intros Hx Hp. assert (H := kl_tangent x p p p Hx Hp Hp Hp).
  replace (p / p) with 1 in H by (field; lra). replace ((1 - p) / (1 - p)) with 1 in H by (field; lra).
  rewrite ln_1 in H. replace (p * p / p) with p in H by (field; lra).
  replace ((1 - p) * (1 - p) / (1 - p)) with (1 - p) in H by (field; lra). lra.
Qed.

Lemma kl_self p : 0 < p < 1 -> kl p p = 0.
Proof.
  intros Hp. unfold kl. replace (p / p) with 1 by (field; lra). replace ((1 - p) / (1 - p)) with 1 by (field; lra).
  rewrite ln_1. ring.
Qed.

Lemma mix_open t p q : 0 <= t <= 1 -> 0 < p < 1 -> 0 < q < 1 -> 0 < t * p + (1 - t) * q < 1.
Proof.
  intros Ht Hp Hq. destruct (Rle_dec p q).
  - assert (0 <= (1 - t) * (q - p)) by (apply Rmult_le_pos; lra). assert (0 <= t * (q - p)) by (apply Rmult_le_pos; lra). lra.
  - assert (0 <= (1 - t) * (p - q)) by (apply Rmult_le_pos; lra). assert (0 <= t * (p - q)) by (apply Rmult_le_pos; lra). lra.
Qed.

(* Jointly convex. *)
Theorem kl_convex t x p y q : 0 <= t <= 1 -> 0 <= x <= 1 -> 0 <= y <= 1 -> 0 < p < 1 -> 0 < q < 1 ->
  0 < t * x + (1 - t) * y < 1 ->
  kl (t * x + (1 - t) * y) (t * p + (1 - t) * q) <= t * kl x p + (1 - t) * kl y q.
Proof.
  intros Ht Hx Hy Hp Hq Ha. set (a := t * x + (1 - t) * y) in *. set (b := t * p + (1 - t) * q).
  assert (Hb : 0 < b < 1) by now apply mix_open.
  assert (H1 := kl_tangent x p a b Hx Hp Ha Hb). assert (H2 := kl_tangent y q a b Hy Hq Ha Hb).
  apply Rmult_le_compat_l with (r := t) in H1; [|lra]. apply Rmult_le_compat_l with (r := 1 - t) in H2; [|lra].
  eapply Rle_trans; [|apply Rplus_le_compat; [exact H1|exact H2]]. right.
  transitivity (a * ln (a / b) + (1 - a) * ln ((1 - a) / (1 - b)) + (a - a * b / b) +
    ((1 - a) - (1 - a) * (1 - b) / (1 - b))).
  - unfold kl. replace (a * b / b) with a by (field; lra).
    replace ((1 - a) * (1 - b) / (1 - b)) with (1 - a) by (field; lra). ring.
  - assert (Ea : t * x + (1 - t) * y = a) by reflexivity. assert (Eb : t * p + (1 - t) * q = b) by reflexivity.
    clearbody a b. unfold Rdiv. generalize (ln (a * / b)) (ln ((1 - a) * / (1 - b))). intros u v.
    generalize (/ b) (/ (1 - b)). intros w z.
    transitivity ((t * x + (1 - t) * y) * u + (1 - (t * x + (1 - t) * y)) * v +
      ((t * x + (1 - t) * y) - a * (t * p + (1 - t) * q) * w) +
      ((1 - (t * x + (1 - t) * y)) - (1 - a) * (1 - (t * p + (1 - t) * q)) * z)).
    + rewrite Ea, Eb. ring.
    + ring.
Qed.

Theorem kl_flip x p : kl (1 - x) (1 - p) = kl x p.
Proof. unfold kl. replace (1 - (1 - x)) with x by ring. replace (1 - (1 - p)) with p by ring. ring. Qed.

(* It rises as x goes from p upwards, and as p goes from x downwards. *)
Theorem kl_rises p x y : 0 < p < 1 -> p <= x -> x <= y -> y <= 1 -> kl x p <= kl y p.
Proof.
  intros Hp Hx Hxy Hy. destruct (Req_dec x y) as [->|Hne]; [lra|].
  destruct (Req_dec p y) as [->|Hpy]; [replace x with y by lra; lra|].
  set (t := (x - p) / (y - p)).
  assert (Ht : 0 <= t <= 1).
  { unfold t. split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
    apply Rmult_le_reg_r with (y - p); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Ex : t * y + (1 - t) * p = x) by (unfold t; field; lra).
  assert (Ep : t * p + (1 - t) * p = p) by ring.
  assert (H := kl_convex t y p p p Ht ltac:(lra) ltac:(lra) Hp Hp ltac:(lra)).
  rewrite Ex, Ep, kl_self in H by auto. assert (0 <= kl y p) by (apply kl_nonneg; lra). nra.
Qed.

Lemma ln_le x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros Hx [H|H]; [left; now apply ln_increasing|right; now subst]. Qed.

Theorem kl_falls x p q : 0 < p -> p <= q -> q <= x -> x <= 1 -> q < 1 -> kl x q <= kl x p.
Proof.
  intros Hp Hpq Hqx Hx Hq. destruct (Req_dec x 1) as [->|H1].
  { rewrite !kl_one by lra. assert (ln p <= ln q) by (apply ln_le; lra). lra. }
  destruct (Req_dec p x) as [E|E]; [replace q with p by lra; lra|].
  set (t := (x - q) / (x - p)).
  assert (Ht : 0 <= t <= 1).
  { unfold t. split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
    apply Rmult_le_reg_r with (x - p); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Ex : t * x + (1 - t) * x = x) by ring.
  assert (Ep : t * p + (1 - t) * x = q) by (unfold t; field; lra).
  assert (H := kl_convex t x p x x Ht ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  rewrite Ex, Ep, kl_self in H by lra. assert (0 <= kl x p) by (apply kl_nonneg; lra). nra.
Qed.

(* The same below p. *)
Lemma kl_rises_down p x y : 0 < p < 1 -> 0 <= y -> y <= x -> x <= p -> kl x p <= kl y p.
Proof.
  intros. rewrite <- (kl_flip x p), <- (kl_flip y p). apply kl_rises; lra.
Qed.

(* The rate of a deviation s does not fall. *)
Theorem E_rises s t : 0 < s -> s <= t -> t < 1 -> E s <= E t.
Proof.
  intros Hs Hst Ht. apply E_greatest; [lra|]. intros p Hp.
  apply Rle_trans with (kl (p + s) p); [apply E_le; lra|]. apply kl_rises; lra.
Qed.

(* Both sides of one query. *)
Section Both.
Context {X : Type}.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Notation n := (n Ds).
Notation P := (P Ds).
Notation emp := (emp Ds).
Notation pop := (pop Ds).

Lemma tail_kl_down q p x : p <= pop q -> p < 1 -> x < p -> 0 <= x ->
  P (fun S => emp q S <= x) <= exp (- n * kl x p).
Proof.
  intros Hq Hp Hx H0. eapply Rle_trans; [apply flip_tail; auto|]. rewrite <- kl_flip.
  apply tail_kl; auto; rewrite ?pop_flip by auto; lra.
Qed.

(* The two terms of the supremum at a mean p. *)
Definition term_up (tau p : R) : R := if Rle_dec (p + tau) 1 then exp (- n * kl (p + tau) p) else 0.
Definition term_down (tau p : R) : R := if Rle_dec tau p then exp (- n * kl (p - tau) p) else 0.

Theorem hoeffding_kl q tau b : 0 < tau -> (forall p, 0 < p < 1 -> term_up tau p + term_down tau p <= b) ->
  P (fun S => Rabs (emp q S - pop q) >= tau) <= b.
Proof.
  intros Ht Hb. assert (Hr := pop_range Ds some_rows q).
  assert (Hb0 : 0 <= b).
  { specialize (Hb (1/2) ltac:(lra)). unfold term_up, term_down in Hb.
    generalize (exp_pos (- n * kl (1 / 2 + tau) (1 / 2))) (exp_pos (- n * kl (1 / 2 - tau) (1 / 2))).
    destruct (Rle_dec (1 / 2 + tau) 1), (Rle_dec tau (1 / 2)); lra. }
  set (U := P (fun S => emp q S - pop q >= tau)). set (V := P (fun S => pop q - emp q S >= tau)).
  assert (HUV : P (fun S => Rabs (emp q S - pop q) >= tau) <= U + V).
  { unfold U, V. eapply Rle_trans; [|apply Pr_or]. apply Pr_mono. intros S HS. unfold Rabs in HS.
    destruct (Rcase_abs (emp q S - pop q)); [right|left]; lra. }
  assert (HU1 : 1 < pop q + tau -> U <= 0).
  { intros H. eapply Rle_trans; [|apply (tail_beyond Ds some_rows q (pop q + tau)); lra]. apply Pr_mono. intros S; lra. }
  assert (HU0 : pop q <= 0 -> U <= 0).
  { intros H. eapply Rle_trans; [|apply (tail_zero Ds some_rows q (pop q + tau)); lra]. apply Pr_mono. intros S; lra. }
  assert (HV1 : pop q < tau -> V <= 0).
  { intros H. unfold V. eapply Rle_trans; [apply to_flip; auto|].
    eapply Rle_trans; [|apply (tail_beyond Ds some_rows (flip q) (pop (flip q) + tau))].
    - apply Pr_mono. intros S; lra.
    - rewrite pop_flip by auto. lra. }
  assert (HV0 : 1 <= pop q -> V <= 0).
  { intros H. unfold V. eapply Rle_trans; [apply to_flip; auto|].
    eapply Rle_trans; [|apply (tail_zero Ds some_rows (flip q) (pop (flip q) + tau))].
    - apply Pr_mono. intros S; lra.
    - rewrite pop_flip by auto. lra.
    - rewrite pop_flip by auto. lra. }
  destruct (Req_dec (pop q) 0) as [E|E]; [specialize (HU0 ltac:(lra)); specialize (HV1 ltac:(lra)); lra|].
  destruct (Req_dec (pop q) 1) as [E'|E']; [specialize (HV0 ltac:(lra)); specialize (HU1 ltac:(lra)); lra|].
  specialize (Hb (pop q) ltac:(lra)). unfold term_up, term_down in Hb.
  assert (HU : U <= if Rle_dec (pop q + tau) 1 then exp (- n * kl (pop q + tau) (pop q)) else 0).
  { destruct (Rle_dec (pop q + tau) 1); [|apply HU1; lra].
    eapply Rle_trans; [|apply (tail_kl Ds some_rows q (pop q)); lra]. apply Pr_mono. intros S; lra. }
  assert (HV : V <= if Rle_dec tau (pop q) then exp (- n * kl (pop q - tau) (pop q)) else 0).
  { destruct (Rle_dec tau (pop q)); [|apply HV1; lra].
    eapply Rle_trans; [|apply (tail_kl_down q (pop q)); lra]. apply Pr_mono. intros S; lra. }
  lra.
Qed.

End Both.
