(* docs/theorems/theory.md, "Supremum of the binomial tail": both tails of 0/1 values are worst at a break point (Chen
   2011), since between two break points their sum falls and then rises.

   j, k       at most j ones or at least k are too far from the truth
   p, p0, p1  the truth, and the ends of an interval between break points
   Ds, n, tau the laws of the records, their number, the distance that is too far *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Count Gate Tails Binomial.
Import ListNotations.
Open Scope R_scope.

Lemma binomial_S n p k : binomial (S n) p (S k) = p * binomial n p k + (1 - p) * binomial n p (S k).
Proof. reflexivity. Qed.

(* The slope of a tail is n times a mass of one record fewer. *)
Lemma binomial_slope n k p :
  is_derive (fun x => binomial (S n) x (S k)) p (INR (S n) * (binomial n p k - binomial n p (S k))).
Proof.
  revert k. induction n as [|n IH]; intros k.
  - apply is_derive_ext with (fun x => x * binomial 0 0 k).
    { intros x. rewrite binomial_S. destruct k; unfold binomial; simpl; ring. }
    destruct k; unfold binomial; simpl; auto_derive; auto; ring.
  - apply is_derive_ext with (fun x => x * binomial (S n) x k + (1 - x) * binomial (S n) x (S k)).
    { intros x. now rewrite binomial_S. }
    assert (H : is_derive (fun x => binomial (S n) x k) p
      (INR (S n) * match k with O => 0 | S l => binomial n p l - binomial n p k end)).
    { destruct k as [|k]; [|apply IH]. apply is_derive_ext with (fun _ => 1).
      - intros x. unfold binomial. now rewrite at_least_0.
      - rewrite Rmult_0_r. apply @is_derive_const. }
    evar_last.
    { apply @is_derive_plus; apply @is_derive_mult.
      - apply @is_derive_id.
      - exact H.
      - intros; apply Rmult_comm.
      - apply @is_derive_minus; [apply @is_derive_const|apply @is_derive_id].
      - apply IH.
      - intros; apply Rmult_comm. }
    unfold plus, mult, minus, opp, one, zero. simpl. unfold plus, opp, mult, one, zero. simpl.
    change (match n with 0%nat => 1 | S _ => INR n + 1 end) with (INR (S n)).
    destruct k as [|k].
    + rewrite (proj1 (binomial_ends (S n) p)), binomial_S, (proj1 (binomial_ends n p)). ring.
    + rewrite !binomial_S. ring.
Qed.

(* P[at most j ones, or at least k]. *)
Definition outside (n j k : nat) (p : R) : R := 1 - binomial n p (S j) + binomial n p k.

(* Its slope is at p^j (1-p)^(n-k) times what rises in p. *)
Lemma outside_slope n j i p : (j <= i <= n)%nat ->
  is_derive (outside (S n) j (S i)) p (INR (S n) * (p^j * (1 - p)^(n - i)) *
    (INR (C n i) * p^(i - j) - INR (C n j) * (1 - p)^(i - j))).
Proof.
  intros H. apply is_derive_ext with (fun x => 1 - binomial (S n) x (S j) + binomial (S n) x (S i)); [reflexivity|].
  evar_last.
  { apply @is_derive_plus; [apply @is_derive_minus; [apply @is_derive_const|apply binomial_slope]|apply binomial_slope]. }
  unfold plus, minus, opp, zero. cbn -[INR pow C]. rewrite !binomial_mass.
  replace (p^i) with (p^j * p^(i - j)) by (rewrite <- pow_add; f_equal; lia).
  replace ((1 - p)^(n - j)) with ((1 - p)^(n - i) * (1 - p)^(i - j)) by (rewrite <- pow_add; f_equal; lia). ring.
Qed.

Lemma by_slope f df x y : x <= y -> (forall z, is_derive f z (df z)) -> (forall z, x <= z <= y -> 0 <= df z) -> f x <= f y.
Proof.
  intros Hxy Hd Hp. destruct (MVT_gen f x y df) as (c & Hc & E).
  - intros; apply Hd.
  - intros z _. apply continuity_pt_filterlim, (ex_derive_continuous f z). eexists; apply Hd.
  - rewrite Rmin_left, Rmax_right in Hc by auto. specialize (Hp c Hc). nra.
Qed.

Lemma outside_valley n j k p0 p p1 : (j < k <= n)%nat -> 0 <= p0 <= p -> p <= p1 <= 1 ->
  outside n j k p <= outside n j k p0 \/ outside n j k p <= outside n j k p1.
Proof.
  intros Hj H0 H1. destruct n as [|n]; [lia|]. destruct k as [|i]; [lia|].
  set (g := fun x => INR (C n i) * x^(i - j) - INR (C n j) * (1 - x)^(i - j)).
  assert (Hg : forall x y, 0 <= x <= y -> y <= 1 -> g x <= g y).
  { intros x y Hx Hy. unfold g. assert (A := pow_incr x y (i - j) ltac:(lra)).
    assert (B := pow_incr (1 - y) (1 - x) (i - j) ltac:(lra)). generalize (pos_INR (C n i)) (pos_INR (C n j)). nra. }
  assert (Hw : forall x, 0 <= x <= 1 -> 0 <= INR (S n) * (x^j * (1 - x)^(n - i))).
  { intros x Hx. repeat apply Rmult_le_pos; try apply pos_INR; apply pow_le; lra. }
  assert (Hd := fun x => outside_slope n j i x ltac:(lia)). fold g in Hd.
  destruct (Rle_dec 0 (g p)) as [Hp|Hp].
  - right. apply (by_slope _ _ p p1 (proj1 H1) Hd). intros z Hz. apply Rmult_le_pos; [apply Hw; lra|].
    eapply Rle_trans; [exact Hp|apply Hg; lra].
  - left. apply Ropp_le_cancel.
    apply (by_slope (fun x => - outside (S n) j (S i) x) (fun x => - (INR (S n) * (x^j * (1 - x)^(n - i)) * g x)) p0 p).
    + lra.
    + intros z. apply @is_derive_opp, Hd.
    + intros z Hz. rewrite <- Ropp_mult_distr_r_reverse. apply Rmult_le_pos; [apply Hw; lra|].
      generalize (Hg z p ltac:(lra) ltac:(lra)). lra.
Qed.

Section BreakPoints.
Context {X : Type}.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Notation n := (n Ds).
Notation rows := (length Ds).
Variable tau : R.
Hypothesis tau_range : 0 < tau <= 1.

(* The other side: zeros for ones. *)
Lemma outside_flip m j k p : (j <= m)%nat -> (k <= m)%nat -> outside m j k p = outside m (m - k) (m - j) (1 - p).
Proof.
  intros Hj Hk. assert (H : forall i, (i <= S m)%nat -> binomial m (1 - p) (S m - i) = 1 - binomial m p i).
  { intros i Hi. generalize (zeros_at_least (repeat p m) i). rewrite repeat_length, zeros_repeat. auto. }
  unfold outside. replace (S (m - k)) with (S m - k)%nat by lia. replace (m - j)%nat with (S m - S j)%nat by lia.
  rewrite !H by lia. ring.
Qed.

(* What [binomial_above] asks of every p holds if it does at break points. *)
Theorem break_points_above b : 0 <= b -> (forall j p, p = INR j / n + tau -> p <= 1 -> 1 - binomial rows p (S j) <= b) ->
  above_by Ds tau b.
Proof.
  intros Hb0 Hb p k Hp Hk. assert (Hn := n_pos Ds some_rows).
  destruct (le_lt_dec k rows) as [Hkr|Hkr].
  2:{ unfold binomial. rewrite at_least_above by (now rewrite repeat_length). auto. }
  assert (H1 : p <= INR k / n - tau).
  { apply Rmult_le_reg_l with n; auto. replace (n * (INR k / n - tau)) with (INR k - n * tau) by (field; lra). lra. }
  assert (H2 : INR k / n <= 1).
  { apply Rmult_le_reg_l with n; auto. replace (n * (INR k / n)) with (INR k) by (field; lra).
    apply le_INR in Hkr. unfold Tails.n. lra. }
  eapply Rle_trans; [apply (binomial_rises rows p (INR k / n - tau) k); lra|].
  generalize (zeros_at_least (repeat (INR k / n - tau) rows) k). rewrite repeat_length, zeros_repeat. intros E.
  specialize (Hb (rows - k)%nat (1 - (INR k / n - tau))). replace (S (rows - k)) with (S rows - k)%nat in Hb by lia.
  unfold binomial in *. rewrite E in Hb by lia.
  apply Rle_trans with (1 - (1 - at_least (repeat (INR k / n - tau) rows) k)); [lra|]. apply Hb; [|lra].
  rewrite minus_INR by auto. unfold Tails.n in *. field. lra.
Qed.

(* What [binomial_off] asks. *)
Theorem break_points b : (forall (j k : nat) p, p = INR j / n + tau -> p <= 1 -> n * (p + tau) <= INR k ->
  outside rows j k p <= b) -> off_by Ds tau b.
Proof.
  intros Hb p k k' Hp Hk Hk'. assert (Hn := n_pos Ds some_rows). assert (Er : INR rows = n) by reflexivity.
  assert (Hj0 : forall j, 0 <= INR j / n) by (intros; apply Rdiv_le_0_compat; [apply pos_INR|auto]).
  assert (Hbreak : forall j, n * (INR j / n + tau) = INR j + n * tau) by (intros; field; lra).
  assert (Hone : forall j q, q = INR j / n + tau -> q <= 1 -> 1 - binomial rows q (S j) <= b).
  { intros j q E H. destruct (whole_above (n * (q + tau))) as (i & Hi & _).
    eapply Rle_trans; [|apply (Hb j i q E H Hi)]. unfold outside. specialize (Hj0 j).
    assert (0 <= binomial rows q i) by (apply at_least_range, means_repeat; lra). lra. }
  assert (Hb0 : 0 <= b).
  { specialize (Hone 0%nat tau ltac:(simpl; field; lra) ltac:(lra)).
    generalize (at_least_range (repeat tau rows) 1 (means_repeat tau rows ltac:(lra))). unfold binomial in Hone. lra. }
  assert (Habove := break_points_above b Hb0 Hone p k Hp Hk).
  assert (Hzero : k' = 0%nat -> binomial rows p k + (1 - binomial rows p k') <= b).
  { intros ->. rewrite (proj1 (binomial_ends rows p)). lra. }
  destruct Hk' as [Hk'|]; auto. destruct k' as [|j]; auto.
  rewrite S_INR in Hk'. set (p0 := INR j / n + tau).
  assert (H0 : p0 <= p).
  { apply Rmult_le_reg_l with n; auto. unfold p0. rewrite Hbreak. lra. }
  assert (0 <= p0) by (unfold p0; specialize (Hj0 j); lra).
  destruct (le_lt_dec k rows) as [Hkr|Hkr].
  2:{ replace (binomial rows p k) with 0 by (symmetry; apply at_least_above; now rewrite repeat_length).
    generalize (Hone j p0 eq_refl ltac:(lra)) (binomial_rises rows p0 p (S j)). lra. }
  set (p1 := INR k / n - tau).
  assert (Ek : 1 - p1 = INR (rows - k) / n + tau) by (unfold p1; rewrite minus_INR, Er by auto; field; lra).
  assert (Hp1 : p <= p1).
  { apply Rmult_le_reg_l with n; auto. unfold p1.
    replace (n * (INR k / n - tau)) with (INR k - n * tau) by (field; lra). lra. }
  specialize (Hj0 (rows - k)%nat).
  assert (Hj : (j < k)%nat).
  { apply INR_lt. assert (0 < n * tau) by now apply Rmult_lt_0_compat. lra. }
  replace (binomial rows p k + (1 - binomial rows p (S j))) with (outside rows j k p) by (unfold outside; ring).
  destruct (outside_valley rows j k p0 p p1 ltac:(lia) ltac:(lra) ltac:(lra)) as [H1|H1];
    (eapply Rle_trans; [exact H1|]).
  - apply (Hb j k p0 eq_refl ltac:(lra)). nra.
  - rewrite outside_flip by lia. apply Hb; [exact Ek|lra|]. rewrite minus_INR, Er by lia.
    assert (n * p0 <= n * p1) by (apply Rmult_le_compat_l; lra). unfold p0, p1 in *. rewrite Hbreak in *.
    replace (n * (1 - (INR k / n - tau) + tau)) with (n - n * (INR k / n - tau) + n * tau) by ring. lra.
Qed.
End BreakPoints.
