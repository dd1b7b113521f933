(* docs/theorems/open.md, "open-guess": a score without a guess is a guess around a reference, which has moved with the
   share 3/4. *)

From Coq Require Import Reals Lra Lia List Arith.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Budget Cells SharpCells Binomial Rows Looks OpenRows Records Guess.
Import ListNotations.
Open Scope R_scope.

Definition moved : node -> R := fun _ => 3 / 4.

(* The cell of the reference has the share 1/4, and one that is i cells away has 3/8 of 1/i - 1/(i+1), of 1/i at an end. *)
Lemma score_share (reference K c i : nat) : (reference <= K)%nat -> (c <= K)%nat ->
  let part := guess_share (3 / 4) reference K c - guess_share (3 / 4) reference K (S c) in
  (c = reference -> 1 / 4 <= part) /\
  ((1 <= i)%nat -> c = (reference + i)%nat \/ reference = (c + i)%nat -> 3 / 8 * (1 / INR i - 1 / INR (S i)) <= part).
Proof.
  intros Hr Hc part. unfold part, guess_share. cbn [Nat.eqb]. destruct (Nat.ltb_spec K c) as [H|_]; [lia|]. split.
  - intros ->. rewrite Nat.leb_refl. replace (S reference - reference)%nat with 1%nat by lia. change (INR 1) with 1.
    destruct (Nat.leb_spec (S reference) reference); [lia|].
    destruct (reference =? 0)%nat, (K <? S reference)%nat; lra.
  - intros Hi Hci. assert (H1 : 0 < INR i) by (apply lt_0_INR; lia). assert (H2 : 0 < INR (S i)) by (apply lt_0_INR; lia).
    assert (H3 : 0 < / INR (S i)) by now apply Rinv_0_lt_compat.
    assert (H4 : / INR i <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; [lra|apply (le_INR 1); lia]).
    unfold Rdiv. destruct Hci as [->| ->].
    + destruct (Nat.eqb_spec (reference + i) 0); [lia|]. destruct (Nat.leb_spec (reference + i) reference); [lia|].
      destruct (Nat.leb_spec (S (reference + i)) reference); [lia|].
      replace (reference + i - reference)%nat with i by lia.
      replace (S (reference + i) - reference)%nat with (S i) by lia. destruct (K <? S (reference + i))%nat; lra.
    + destruct (Nat.ltb_spec K (S c)); [lia|]. destruct (Nat.leb_spec c (c + i)); [|lia].
      destruct (Nat.leb_spec (S c) (c + i)); [|lia]. replace (S (c + i) - c)%nat with (S i) by lia.
      replace (S (c + i) - S c)%nat with i by lia. destruct (c =? 0)%nat; lra.
Qed.

Section Scores.
Context {X : Type}.
Variable Ds : list (law X).
Notation P := (P Ds).
Variable ask : node -> query X.
Variable rows : node -> list bool.
Hypothesis some_rows : forall v, select (rows v) Ds <> nil.
Notation n v := (size Ds (rows v)).
Variable stop : node -> bool.
Variable beta g : R.
Hypothesis beta_range : 0 < beta <= 1.
Hypothesis g_pos : 0 < g.
Variable reference : node -> nat.

(* What is promised of a score in the cell c, and fails: the truth is in the interval of the cell, no wider than D. *)
Notation score_fails := (guess_fails Ds rows stop beta g moved reference).
Notation low := (guess_low Ds beta moved reference).
Notation high := (guess_high Ds beta moved reference).

(* Values in [0,1]. *)
Corollary score_bounded (cuts : node -> list R) (cuts_ordered : forall v, ordered (cuts v))
  (cut_range : forall v i, (i < length (cuts v))%nat -> 0 < nth i (cuts v) 0 <= 1) (D : node -> nat -> R) (m : nat) :
  let looks := bounded_guesses Ds ask rows some_rows cuts cuts_ordered in
  (forall v c, wide (n v) (low looks v c) (high looks v c) g (D v c)) ->
  P (score_fails looks (fun v i => nth i (cuts v) 0) D m) <= beta.
Proof. intros looks. apply open_guess_bounded; auto. intros v. unfold moved. lra. Qed.

(* 0/1 values. *)
Corollary score_counts (H56 : Hoeffding1956) (ask_01 : forall v, zero_one (ask v)) (counts : node -> list nat)
  (counts_range : forall v k, In k (counts v) -> (1 <= k <= length (select (rows v) Ds))%nat)
  (counts_rise : forall v i j, (i < j)%nat -> (j < length (counts v))%nat ->
    (nth i (counts v) 0 < nth j (counts v) 0)%nat) (D : node -> nat -> R) (m : nat) :
  let looks := counted_guesses Ds ask rows some_rows H56 ask_01 counts counts_range counts_rise in
  (forall v c, wide (n v) (low looks v c) (high looks v c) g (D v c)) ->
  P (score_fails looks (fun v i => INR (nth i (counts v) 0%nat) / n v - 1 / n v) D m) <= beta.
Proof. intros looks. apply open_guess_counts; auto. intros v. unfold moved. lra. Qed.

End Scores.
