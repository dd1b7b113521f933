(* The theorems behind rows of sensitive functions and of subsets of a benchmark, at numbers. With a hypothesis that
   nobody can meet, or with one more, a definition does not compile. *)

From Coq Require Import Reals Lra Lia List Psatz.
From dpcalc Require Import Tree Count Gate Tails Records Sides Certified Cvar Sensitive McDiarmid WithoutReplacement
  Subset Certificate Instances.
Import ListNotations.
Open Scope R_scope.

(* 20 tests to the first pass, of functions that one record moves by at most 1/n, and a margin of .1: 300 records keep
   the failure probability .05. *)
Definition three_hundred : list (law bool) := repeat coin 300.

Lemma some_of_300 : three_hundred <> nil.
Proof. discriminate. Qed.

Lemma size_of_300 : Tails.n three_hundred = 300.
Proof. unfold Tails.n, three_hundred. rewrite repeat_length, INR_IZR_INZ. reflexivity. Qed.

Lemma twenty_looks : INR (N 20 1) = 20.
Proof. rewrite INR_IZR_INZ. reflexivity. Qed.

Lemma exp_minus_6 : exp (-6) <= 1/400.
Proof.
  assert (H := exp_cubic (1/4) ltac:(lra)). set (e := exp (1/4)) in *.
  assert (H24 : 400 <= e^24) by (eapply Rle_trans; [|apply (pow_incr (12838/10000) e 24); lra]; lra).
  assert (E : exp (-6) * e^24 = 1).
  { unfold e. simpl pow. rewrite Rmult_1_r, <- !exp_plus. eapply eq_trans; [|apply exp_0]. f_equal. field. }
  assert (He := exp_pos (-6)). revert H24 E. generalize (e^24). intros; nra.
Qed.

Opaque three_hundred N.

Notation function := (sensitive_query three_hundred 1).

Lemma side_of_300 D s : 0 < s -> mcdiarmid_side three_hundred D s = exp (-600 * (s / D)^2).
Proof.
  intros Hs. unfold mcdiarmid_side. destruct (Rle_dec s 0); [lra|]. rewrite size_of_300. f_equal. ring.
Qed.

Theorem gate_of_functions (a : list bool -> function * R) :
  P three_hundred (fun S => exists later b v,
    transcript (reported three_hundred) (1/10) a 1 20 S = later ++ b :: v /\
    wrong (expectation three_hundred) (1/10) a v b) <= 5/100.
Proof.
  assert (H := mcdiarmid_sides three_hundred some_of_300 1 ltac:(lra)).
  eapply Rle_trans; [apply (gate_sides _ _ _ _ H (1/10) a 1 20 ltac:(lra))|].
  rewrite twenty_looks, side_of_300 by lra. replace (-600 * (1/10/1)^2) with (-6) by field. generalize exp_minus_6. lra.
Qed.

(* Three finalists and twice the margin, each a candidate that is held against another one. *)
Definition finalists_of_losses (f : list (function * function)) : P three_hundred _ <= INR (length f) * (2 * _) :=
  sealed_sides _ _ _ _ (candidate_sides three_hundred some_of_300 1 ltac:(lra)) f (2/10).

Lemma three_finalists : INR 3 * (2 * mcdiarmid_side three_hundred (2 * 1) (2/10)) <= 2/100.
Proof.
  rewrite side_of_300 by lra. replace (-600 * (2/10/(2*1))^2) with (-6) by field. generalize exp_minus_6.
  replace (INR 3) with 3 by (simpl; ring). lra.
Qed.

(* The same tests on 201 of the 600 items of any benchmark. *)
Section Benchmark.
Context {X : Type}.
Variable items : list X.
Hypothesis six_hundred : length items = 600%nat.

Lemma some_of_600 : items <> nil.
Proof. intros E. rewrite E in six_hundred. discriminate. Qed.

Lemma fewer_than_600 : (201 <= length items)%nat.
Proof. rewrite six_hundred. lia. Qed.

Notation P := (drawn items 201).
Notation score := (subset_mean 201).
Notation truth := (benchmark_mean items).
Notation serfling := (serfling_side items 201).
Notation serfling_bounds := (serfling_sides items some_of_600 201 ltac:(lia) fewer_than_600).
Notation bounds := (sides_min _ _ _ _ _ serfling_bounds
  (subset_kl_sides items some_of_600 201 ltac:(lia) fewer_than_600)).

Lemma serfling_at_600 : serfling (1/10) <= 1/400.
Proof.
  unfold serfling_side, serfling_rows. rewrite six_hundred. destruct (Rle_dec _ _); [lra|].
  destruct (Nat.eq_dec _ _) as [E|_]; [discriminate|]. rewrite !INR_IZR_INZ. simpl IZR.
  eapply Rle_trans; [|exact exp_minus_6]. apply exp_le.
  replace (201 / (1 - (201 - 1) / 600)) with (603/2) by field. lra.
Qed.

Theorem gate_of_a_subset (a : list bool -> query X * R) :
  P (fun S => exists later b v, transcript score (1/10) a 1 20 S = later ++ b :: v /\ wrong truth (1/10) a v b) <=
  5/100.
Proof.
  eapply Rle_trans; [apply (gate_sides _ _ _ _ bounds (1/10) a 1 20 ltac:(lra))|].
  assert (H := Rmin_l (serfling (1/10)) (Chernoff.side (INR 201) (1/10))). rewrite twenty_looks.
  assert (H' := serfling_at_600). lra.
Qed.

Lemma serfling_positive : 0 <= serfling (1/10).
Proof.
  unfold serfling_side. destruct (Rle_dec _ _); [lra|]. destruct (Nat.eq_dec _ _); [lra|]. left. apply exp_pos.
Qed.

Definition gate_at_the_bar (a : list bool -> query X) : P _ <= INR (N 20 1) * serfling (1/10) :=
  gate_bar_subset items some_of_600 201 ltac:(lia) fewer_than_600 (8/10) (1/10) _ ltac:(lra) serfling_positive a 1 20
    (or_introl (Rle_refl _)) (or_introl (Rle_refl _)).

Definition gate_at_the_bar_one_side (a : list bool -> query X) : P _ <= INR (N 20 1) * serfling (1/10) :=
  gate_bar_subset_one_side items some_of_600 201 ltac:(lia) fewer_than_600 (8/10) (1/10) _ serfling_positive a 1 20
    (or_introl (Rle_refl _)).

(* Certificates of 201 rows. *)
Notation replaced := (repeat (uniform items some_of_600) 201).
Definition of_rows (s : R) : R := if Rle_dec s 0 then 1 else exp (- 2 * Tails.n replaced * s^2).

Lemma of_rows_range s : 0 <= of_rows s.
Proof. unfold of_rows. destruct (Rle_dec s 0); [lra|]. left. apply exp_pos. Qed.

Lemma of_rows_low s p : low_cert (Tails.n replaced) (p + s) (of_rows s) p.
Proof.
  unfold of_rows. destruct (Rle_dec s 0); [apply low_all; lra|]. apply low_hoeffding; [lra|].
  apply Req_le. f_equal. ring.
Qed.

Definition certified_subset : sides P score truth of_rows :=
  subset_sides items some_of_600 201 ltac:(lia) fewer_than_600 of_rows of_rows_range (fun s p _ => of_rows_low s p).

Lemma of_rows_off : off_cert replaced (1/10) (2 * of_rows (1/10)).
Proof.
  intros p _. exists (of_rows (1/10)), (of_rows (1/10)). assert (H := of_rows_range (1/10)).
  repeat split; try lra; apply of_rows_low.
Qed.

Definition finalists_of_a_subset (f : list (query X)) : P _ <= INR (length f) * (2 * of_rows (1/10)) :=
  subset_off items some_of_600 201 ltac:(lia) fewer_than_600 f (1/10) _ of_rows_off.

End Benchmark.
