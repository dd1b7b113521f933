(* docs/theorems/open.md, "open-gate" and "open-board": what the rows of dpcalc print, with the width of an interval. *)

From Coq Require Import Reals Lra Lia List Arith Psatz Bool.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Count Gate Tails Budget Cells OpenGate Records Forever SharpCells Binomial Entropy Rows
  Looks.
Import ListNotations.
Open Scope R_scope.

(* The truths c below x that the level q does not exclude after a value of x or more, and those u above y after a value
   below y; n rows. *)
Definition left_low (n q x c : R) : Prop := 0 <= c <= x /\ (c = x \/ 0 < c /\ q <= exp (- n * kl x c)).
Definition left_high (n q y u : R) : Prop := y <= u <= 1 /\ (u = y \/ u < 1 /\ q <= exp (- n * kl y u)).

(* D is at least the maximum over x of u(x + s) - c(x), u and c the ends: the printed inequality is 2 tau >= D. *)
Definition wide (n qa qb s D : R) : Prop := forall x c u, 0 <= x <= 1 ->
  left_low n qa x c -> left_high n qb (Rmin (x + s) 1) u -> u - c <= D.

(* Less is left at greater levels, and the mirror image of an interval is as wide. *)
Lemma wide_falls n qa qb qa' qb' s D : qa <= qa' -> qb <= qb' -> wide n qa qb s D -> wide n qa' qb' s D.
Proof.
  intros Ha Hb H x c u Hx (Hc & Hl) (Hu & Hh). apply (H x c u Hx); (split; [lra|]).
  - destruct Hl as [Hl|[H0 Hl]]; [now left|right; split; lra].
  - destruct Hh as [Hh|[H0 Hh]]; [now left|right; split; lra].
Qed.

Lemma wide_mirror n qa qb s D : 0 < n -> 0 < s -> wide n qa qb s D -> wide n qb qa s D.
Proof.
  intros Hn Hs H x c u Hx (Hc & Hl) (Hu & Hh). set (y := Rmin (x + s) 1) in *.
  assert (Hy : y <= 1) by apply Rmin_r.
  assert (Hy0 : 0 <= y) by (unfold y, Rmin; destruct (Rle_dec (x + s) 1); lra).
  assert (Hc' : left_low n qa (1 - y) (1 - u)).
  { split; [lra|]. destruct Hh as [->|[H1 Hh]]; [now left|right]. split; [lra|]. now rewrite kl_flip. }
  set (z := Rmin (1 - y + s) 1). assert (Hz1 : z <= 1) by apply Rmin_r.
  assert (Hz : 1 - x <= z).
  { unfold z, y, Rmin. destruct (Rle_dec (x + s) 1); destruct (Rle_dec _ 1); lra. }
  destruct (Rle_dec (1 - c) z) as [Hcz|Hcz].
  - assert (HD := H (1 - y) (1 - u) z ltac:(lra) Hc' ltac:(split; [fold z; lra|left; reflexivity])). lra.
  - assert (HD := H (1 - y) (1 - u) (1 - c) ltac:(lra) Hc'). fold z in HD.
    specialize (HD ltac:(split; [lra|right; destruct Hl as [->|[H0 Hl]]; [lra|split; [lra|]];
      rewrite <- (kl_flip x c) in Hl; eapply Rle_trans; [exact Hl|]; apply exp_le;
      assert (kl z (1 - c) <= kl (1 - x) (1 - c)) by (apply kl_rises_down; lra); nra])). lra.
Qed.

(* "open-gate". *)
Section Gate.
Context {X : Type}.
Variable Ds : list (law X).
Variables a b beta : R.
Hypothesis a_pos : 0 < a.
Hypothesis b_pos : 0 < b.
Hypothesis beta_range : 0 < beta <= 1.
Variable ask : list bool -> query X.
Variable rows : list bool -> list bool.
Hypothesis some_rows : forall v, select (rows v) Ds <> nil.
Variable bar : list bool -> R.
Hypothesis bar_range : forall v, 0 <= bar v < 1.
Variable stop : list bool -> bool.
Notation size v := (size Ds (rows v)).
Notation value v := (value Ds (rows v) (ask v)).
Notation truth v := (truth Ds (rows v) (ask v)).
Notation W := (beta_code a b).

(* The levels of a pass and of a failure: beta W q and beta W (1-q). *)
Definition level_pass (v : list bool) : R := beta * W (true :: v).
Definition level_fail (v : list bool) : R := beta * W (false :: v).

Lemma levels v : 0 < level_pass v <= 1 /\ 0 < level_fail v <= 1.
Proof. split; apply (W_range a b beta); auto. Qed.

Definition shown_gate (threshold : list bool -> R) (m : nat) (S : list X) : list bool :=
  shown (verdict (fun v => value v) threshold) stop m S.
(* A pass says that the truth is above the bar, a failure that it is at most the bar and D. *)
Definition missed (D : list bool -> R) (v : list bool) (r : bool) : Prop :=
  r = true /\ truth v <= bar v \/ r = false /\ bar v + D v < truth v.

Lemma gate_of (threshold D : list bool -> R) m :
  (forall v, 0 <= D v) ->
  (forall v, truth v <= bar v -> P Ds (fun S => value v S >= threshold v) <= level_pass v) ->
  (forall v, bar v + D v < truth v -> P Ds (fun S => value v S < threshold v) <= level_fail v) ->
  P Ds (fun S => exists later r v, shown_gate threshold m S = later ++ r :: v /\ missed D v r) <= beta.
Proof.
  intros HD Hp Hf. assert (Hr := beta_bet_range a b a_pos b_pos).
  assert (Hc : forall v, W (true :: v) + W (false :: v) = W v) by (intros v; apply code_sum).
  apply (open_gate (P Ds) (fun v => value v) (fun v => truth v) threshold bar (fun v => bar v + D v)) with
    (W := W) (stop := stop) (m := m); auto; try lra.
  - intros v. specialize (HD v). lra.
  - intros v. apply code_nonneg. intros u. specialize (Hr u). lra.
  - simpl. lra.
  - intros v. rewrite Hc. lra.
  - intros v H. replace (W v - W (false :: v)) with (W (true :: v)) by (generalize (Hc v); lra). now apply Hp.
  - intros v H. replace (W v - W (true :: v)) with (W (false :: v)) by (generalize (Hc v); lra). now apply Hf.
Qed.

(* A failure leaves the truths up to y, the greatest value below the threshold, and what the level does not exclude. *)
Lemma fail_within v y D : 0 <= y <= 1 -> (y <= bar v \/ 0 < bar v /\ level_pass v <= exp (- size v * kl y (bar v))) ->
  wide (size v) (level_pass v) (level_fail v) 0 D -> bar v + D < truth v ->
  P Ds (fun S => value v S <= y) <= level_fail v.
Proof.
  intros Hy Hc HD Ht. destruct (levels v) as [Hqa Hqb]. assert (Hr := truth_range Ds (rows v) (ask v) (some_rows v)).
  assert (Hbar := bar_range v).
  assert (Ey : Rmin (y + 0) 1 = y) by (rewrite Rplus_0_r; apply Rmin_left; lra).
  assert (Hself : left_low (size v) (level_pass v) y y) by (split; [lra|now left]).
  assert (HD0 : 0 <= D).
  { specialize (HD y y y Hy Hself). rewrite Ey in HD. specialize (HD ltac:(split; [lra|now left])). lra. }
  assert (Hb : bar v < y -> left_low (size v) (level_pass v) y (bar v)).
  { intros H. split; [lra|]. right. destruct Hc as [Hc|Hc]; [lra|exact Hc]. }
  assert (Hyt : y < truth v).
  { destruct (Rle_dec y (bar v)) as [H|H]; [lra|]. specialize (HD y (bar v) y Hy (Hb ltac:(lra))). rewrite Ey in HD.
    specialize (HD ltac:(split; [lra|now left])). lra. }
  set (u := (Rmax y (bar v + D) + truth v) / 2).
  assert (Hm : Rmax y (bar v + D) < truth v) by (unfold Rmax; destruct (Rle_dec y (bar v + D)); lra).
  assert (Hu : Rmax y (bar v + D) < u < truth v) by (unfold u; lra).
  assert (Hu1 : y < u /\ bar v + D < u) by (generalize (Rmax_l y (bar v + D)) (Rmax_r y (bar v + D)); lra).
  destruct Hu1 as [Hyu Hbu].
  assert (Hex : exp (- size v * kl y u) < level_fail v).
  { apply Rnot_le_lt. intros Hle.
    assert (Hh : left_high (size v) (level_fail v) y u) by (split; [lra|right; split; [lra|auto]]).
    destruct (Rle_dec y (bar v)) as [H|H].
    - specialize (HD y y u Hy Hself). rewrite Ey in HD. specialize (HD Hh). lra.
    - specialize (HD y (bar v) u Hy). rewrite Ey in HD.
      specialize (HD (Hb ltac:(lra)) Hh). lra. }
  unfold Records.value. rewrite (select_P Ds (rows v) (fun S => emp (select (rows v) Ds) (ask v) S <= y)).
  eapply Rle_trans; [apply (tail_kl_down (select (rows v) Ds) (some_rows v) (ask v) u y); try lra|].
  - unfold Records.truth in Hu. lra.
  - left. exact Hex.
Qed.

(* Values in [0,1]: what passes is certified, such as by the convex tail, and a failure leaves no value that the
   relative entropy does not leave. *)
Theorem open_gate_certified (x y D : list bool -> R) m :
  (forall v, wide (size v) (level_pass v) (level_fail v) 0 (D v)) ->
  (forall v, low_cert (size v) (x v) (level_pass v) (bar v)) ->
  (forall v, 0 <= y v <= 1 /\ (forall S, value v S < x v -> value v S <= y v) /\
             (y v <= bar v \/ 0 < bar v /\ level_pass v <= exp (- size v * kl (y v) (bar v)))) ->
  P Ds (fun S => exists later r v, shown_gate x m S = later ++ r :: v /\ missed D v r) <= beta.
Proof.
  intros HD Hl Hy. apply gate_of.
  - intros v. specialize (HD v 0 0 0 ltac:(lra)). rewrite Rmin_left in HD by lra.
    enough (0 - 0 <= D v) by lra. apply HD; (split; [lra|left; lra]).
  - intros v Ht. destruct (levels v). apply lower_rows with (bar v); auto. lra.
  - intros v Ht. destruct (Hy v) as (Hr & Hv & Hc).
    eapply Rle_trans; [|apply (fail_within v (y v) (D v)); auto]. apply Pr_mono. exact Hv.
Qed.

(* The threshold is the x whose lower end is the bar. At the bar 0 what is above 0 passes. *)
Theorem open_gate_bounded (x D : list bool -> R) m :
  (forall v, wide (size v) (level_pass v) (level_fail v) 0 (D v)) ->
  (forall v, 0 < bar v < x v /\ x v <= 1 /\ exp (- size v * kl (x v) (bar v)) = level_pass v \/
             bar v = 0 /\ 0 < x v /\ forall S, value v S < x v -> value v S <= 0) ->
  P Ds (fun S => exists later r v, shown_gate x m S = later ++ r :: v /\ missed D v r) <= beta.
Proof.
  intros HD Hx. apply open_gate_certified with (y := fun v => if Rle_dec (bar v) 0 then 0 else x v); auto.
  - intros v. destruct (Hx v) as [(H0 & H1 & E)|(H0 & H1 & _)]; [apply low_kl|apply low_zero]; lra.
  - intros v. destruct (Hx v) as [(H0 & H1 & E)|(H0 & H1 & H2)]; destruct (Rle_dec (bar v) 0); try lra.
    + split; [lra|]. split; [intros S; lra|right; lra].
    + split; [lra|]. split; [exact H2|left; lra].
Qed.

(* 0/1 values: the threshold is a count k, the least whose lower end is at least the bar. *)
Theorem open_gate_counts (k : list bool -> nat) (D : list bool -> R) m : Hoeffding1956 ->
  (forall v, zero_one (ask v)) ->
  (forall v, wide (size v) (level_pass v) (level_fail v) 0 (D v)) ->
  (forall v, (1 <= k v <= length (select (rows v) Ds))%nat /\
     count_cert (select (rows v) Ds) (bar v) (k v) (level_pass v) /\
     (INR (k v - 1) / size v <= bar v \/
      0 < bar v /\ level_pass v <= exp (- size v * kl (INR (k v - 1) / size v) (bar v)))) ->
  P Ds (fun S => exists later r v, shown_gate (fun v => INR (k v) / size v) m S = later ++ r :: v /\ missed D v r)
    <= beta.
Proof.
  intros H56 Hq HD Hk. apply gate_of.
  - intros v. specialize (HD v 0 0 0 ltac:(lra)). rewrite Rmin_left in HD by lra.
    enough (0 - 0 <= D v) by lra. apply HD; (split; [lra|left; lra]).
  - intros v Ht. destruct (Hk v) as (Hr & Hc & _).
    assert (Hv := count_cert_valid (select (rows v) Ds) (some_rows v) (ask v) (bar v) (k v) (level_pass v) H56 (Hq v) Ht Hc).
    rewrite <- (select_P Ds (rows v)
      (fun S => emp (select (rows v) Ds) (ask v) S >= INR (k v) / Tails.n (select (rows v) Ds))) in Hv. exact Hv.
  - intros v Ht. destruct (Hk v) as (Hr & _ & Hy). assert (Hn : 0 < size v) by (apply n_pos; auto).
    assert (Hk1 : INR (k v) <= size v) by (apply le_INR; lia).
    eapply Rle_trans; [|apply (fail_within v (INR (k v - 1) / size v) (D v)); auto].
    + apply Pr_mono. intros S HS. unfold Records.value in *.
      destruct (sum_count (ask v) (select (rows v) S) (Hq v)) as [c Hc]. unfold Tails.emp in *. rewrite Hc in *.
      assert (Hck : INR c < INR (k v)).
      { apply Rmult_lt_reg_r with (/ size v); [now apply Rinv_0_lt_compat|exact HS]. }
      unfold Rdiv. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply le_INR.
      apply INR_lt in Hck. lia.
    + rewrite minus_INR by lia. simpl (INR 1). assert (1 <= INR (k v)) by (apply (le_INR 1); lia). split.
      * apply Rmult_le_pos; [lra|]. left. now apply Rinv_0_lt_compat.
      * apply Rle_div_l; lra.
Qed.

(* At a known bar the upper end of a failure is printed: values in [0,1], then 0/1 values. *)
Theorem open_gate_bar (x u : list bool -> R) m :
  (forall v, bar v <= u v) ->
  (forall v, low_cert (size v) (x v) (level_pass v) (bar v)) ->
  (forall v, 1 <= u v \/ up_cert (size v) (x v) (level_fail v) (u v)) ->
  P Ds (fun S => exists later r v, shown_gate x m S = later ++ r :: v /\ missed (fun v => u v - bar v) v r) <= beta.
Proof.
  intros Hu Hl Hh. apply gate_of.
  - intros v. specialize (Hu v). lra.
  - intros v Ht. destruct (levels v). apply lower_rows with (bar v); auto. lra.
  - intros v Ht. destruct (levels v). assert (Hr := truth_range Ds (rows v) (ask v) (some_rows v)).
    destruct (Hh v) as [H1|H1]; [lra|]. apply upper_rows with (u v); auto; lra.
Qed.

Theorem open_gate_bar_counts (k : list bool -> nat) (u : list bool -> R) m : Hoeffding1956 ->
  (forall v, zero_one (ask v)) -> (forall v, bar v <= u v) ->
  (forall v, (1 <= k v <= length (select (rows v) Ds))%nat /\
     count_cert (select (rows v) Ds) (bar v) (k v) (level_pass v) /\
     (1 <= u v \/ fewer_cert (select (rows v) Ds) (u v) (k v) (level_fail v))) ->
  P Ds (fun S => exists later r v, shown_gate (fun v => INR (k v) / size v) m S = later ++ r :: v /\
    missed (fun v => u v - bar v) v r) <= beta.
Proof.
  intros H56 Hq Hu Hk. apply gate_of.
  - intros v. specialize (Hu v). lra.
  - intros v Ht. destruct (Hk v) as (Hr & Hc & _).
    assert (Hv := count_cert_valid (select (rows v) Ds) (some_rows v) (ask v) (bar v) (k v) (level_pass v) H56 (Hq v) Ht Hc).
    rewrite <- (select_P Ds (rows v)
      (fun S => emp (select (rows v) Ds) (ask v) S >= INR (k v) / Tails.n (select (rows v) Ds))) in Hv. exact Hv.
  - intros v Ht. destruct (Hk v) as (Hr & _ & Hf). assert (Hrange := truth_range Ds (rows v) (ask v) (some_rows v)).
    destruct Hf as [Hf|Hf]; [lra|].
    assert (Hv := fewer_cert_valid (select (rows v) Ds) (some_rows v) (ask v) (u v) (k v) (level_fail v) H56 (Hq v)).
    specialize (Hv ltac:(unfold Records.truth in Ht; lra) Hr Hf).
    rewrite <- (select_P Ds (rows v)
      (fun S => emp (select (rows v) Ds) (ask v) S < INR (k v) / Tails.n (select (rows v) Ds))) in Hv. exact Hv.
Qed.

End Gate.
