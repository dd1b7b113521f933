(* The theorems behind rows of sensitive functions, at numbers. With a hypothesis that nobody can meet, or with one
   more, a definition does not compile. *)

From Coq Require Import Reals Lra Lia List Psatz.
From dpcalc Require Import Tree Count Gate Tails Records Sides Cvar Sensitive McDiarmid Certificate Instances.
Import ListNotations.
Open Scope R_scope.

(* 20 tests to the first pass, of functions that one record moves by at most 1/n, and a margin of .1: 300 records keep
   the failure probability .05. *)
Definition three_hundred : list (law bool) := repeat coin 300.

Lemma some_of_300 : three_hundred <> nil.
Proof. discriminate. Qed.

Lemma size_of_300 : Tails.n bool three_hundred = 300.
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

Notation function := (sensitive_query bool three_hundred 1).

Lemma side_of_300 D s : 0 < s -> mcdiarmid_side bool three_hundred D s = exp (-600 * (s / D)^2).
Proof.
  intros Hs. unfold mcdiarmid_side. destruct (Rle_dec s 0); [lra|]. rewrite size_of_300. f_equal. ring.
Qed.

Theorem gate_of_functions (a : list bool -> function * R) :
  P bool three_hundred (fun S => exists later b v,
    transcript _ function (reported bool three_hundred) (1/10) a 1 20 S = later ++ b :: v /\
    wrong _ (expectation bool three_hundred) (1/10) a v b) <= 5/100.
Proof.
  assert (H := mcdiarmid_sides bool three_hundred some_of_300 1 ltac:(lra)).
  eapply Rle_trans; [apply (gate_sides _ _ _ _ _ _ H (1/10) a 1 20 ltac:(lra))|].
  rewrite twenty_looks, side_of_300 by lra. replace (-600 * (1/10/1)^2) with (-6) by field. generalize exp_minus_6. lra.
Qed.

(* Three finalists and twice the margin, each a candidate that is held against another one. *)
Definition finalists_of_losses (f : list (function * function)) : P bool three_hundred _ <= INR (length f) * (2 * _) :=
  sealed_sides _ _ _ _ _ _ (candidate_sides bool three_hundred some_of_300 1 ltac:(lra)) f (2/10).

Lemma three_finalists : INR 3 * (2 * mcdiarmid_side bool three_hundred (2 * 1) (2/10)) <= 2/100.
Proof.
  rewrite side_of_300 by lra. replace (-600 * (2/10/(2*1))^2) with (-6) by field. generalize exp_minus_6.
  replace (INR 3) with 3 by (simpl; ring). lra.
Qed.
