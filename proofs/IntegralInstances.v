(* The theorems by which the integral I of low variance is evaluated, at numbers. *)

From Coq Require Import Reals ZArith Lra List.
From dpcalc Require Import Normal Certificate Radau Evaluated.
Open Scope R_scope.

(* A rule that ends at G, and one that ends before, with the greater of the ends beyond. *)
Definition by_8_points := by_rule 25 (1/10) ltac:(lra) ltac:(lra) 7 26 rule_7 8 8 eq_refl rule_7_checks
  ltac:(lra) ltac:(lra) (or_introl eq_refl).
Definition by_16_points := by_rule 25 (1/10) ltac:(lra) ltac:(lra) 8 75 rule_8 9 9 eq_refl rule_8_checks
  ltac:(lra) ltac:(lra) (or_introl eq_refl).

Lemma falls_at_12 : incline 1 (1/20) 12 <= 0.
Proof.
  unfold incline. assert (H : exp (1/20 * 12) <= exp 1) by (apply Tails.exp_le; lra).
  assert (H3 := exp_le_3). lra.
Qed.

Definition by_40_points := by_rule 1 (1/20) ltac:(lra) ltac:(lra) 12 311 rule_12 12 13 eq_refl rule_12_checks
  ltac:(lra) ltac:(lra) (or_intror falls_at_12).

(* A mean that is hardly skewed: 1 - A b^2 = (4/5)^2. *)
Lemma root_4_5 : sqrt (1 - 10000 * (3/500)^2) = 4/5.
Proof. replace (1 - 10000 * (3/500)^2) with ((4/5)^2) by field. apply sqrt_pow2. lra. Qed.

Definition by_moments : area_to 10000 (3/500) 8 <= skewed 10000 (3/500) 10.
Proof. apply hardly_skewed; rewrite ?root_4_5; lra. Qed.

(* x0, and the tails that G leaves out. *)
Definition start_at_1 : 1 <= h (1/3 + sqrt (1^2/9 + 2 * 1)) := enough_h 1 ltac:(lra).

Definition step_from_1 : 0 <= h (1 - (h 1 - 0) / ln (1 + 1)).
Proof.
  assert (Hl : 0 < ln (1 + 1)) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (Hl1 : ln (1 + 1) <= 1).
  { assert (H := Tails.exp_ge_1 (ln (1 + 1))). rewrite exp_ln in H by lra. lra. }
  assert (Eh : h 1 = 2 * ln (1 + 1) - 1) by (unfold h; ring).
  apply newton_h; [lra| |].
  - eapply Rle_trans; [|apply h_above; lra]. lra.
  - rewrite Eh. replace (1 - (2 * ln (1 + 1) - 1 - 0) / ln (1 + 1)) with (/ ln (1 + 1) - 1) by (field; lra).
    assert (/ 1 <= / ln (1 + 1)) by (apply Rinv_le_contravar; lra). lra.
Qed.

Definition left_out_5_5 := missed_5_5 5.5 (Rle_refl _).
Definition left_out_6_5 := missed_6_5 6.5 (Rle_refl _).

(* A certificate at order 2 of noise that is as large as the deviations that count. *)
Notation rt := (sqrt (2 * (2 - 1) / ((1/20)^2 + 2^2 * (1/1000)))).
Notation part := (area_to (1 * 1000 * (1/20) / (1/2)^2) (1/2 * rt / (1 * 1000)) (rt * 1 + 5.5) / (1 - 2 * PhiBar 5.5)).

Lemma part_nonneg : 0 <= part.
Proof.
  assert (H := sqrt_pos (2 * (2 - 1) / ((1/20)^2 + 2^2 * (1/1000)))). apply Rmult_le_pos.
  - left. apply area_to_pos. lra.
  - left. apply Rinv_0_lt_compat, above_half. lra.
Qed.

Definition evaluated := certificate_evaluated 1000 1 (1/2) (1/20) 2 (1/20) (1/1000) (1/100) 1 5.5 part 0
  ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) part_nonneg (Rle_refl 0) (Rle_refl part)
  (or_introl (Rle_refl 1)).
