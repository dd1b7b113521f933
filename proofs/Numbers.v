(* Numbers that the Go code computes as well: the counts of nodes, kappa of the Ising lemma, the masses of the code with
   Beta weights, and convex tails.  Each comes from the function that the theorems are about; those over the real
   numbers have a copy over the rational numbers, with the proof that the two agree. *)

From Coq Require Import Reals QArith Qreals List Arith Lia Bool Lra.
From dpcalc Require Import Count Gate OpenGate ConvexOrder ConvexTail.
From dpcalc Require Ladder Sparse Kappa.
Import ListNotations.
Open Scope Q_scope.

Definition ofN (k : nat) : Q := inject_Z (Z.of_nat k).

Lemma Q2R_whole z : Q2R (inject_Z z) = IZR z.
Proof. unfold Q2R, inject_Z. simpl. field. Qed.

Lemma Q2R_ofN k : Q2R (ofN k) = INR k.
Proof. unfold ofN. now rewrite Q2R_whole, <- INR_IZR_INZ. Qed.

Lemma Q2R_quotient x y : ~ y == 0 -> (Q2R (x / y) = Q2R x / Q2R y)%R.
Proof. apply Q2R_div. Qed.

(* kappa of the Ising lemma. *)
Definition kappaQ (k : nat) (w : Q) : Q :=
  1 - w - (ofN k - inject_Z 4) * (w * w * w) * (1 # 12) - inject_Z 2 * (ofN k + 1) * (w * w * w * w * w) * (1 # 15).

Theorem kappaQ_is_kappa k w : Q2R (kappaQ k w) = Kappa.kappa_poly k (Q2R w).
Proof.
  unfold kappaQ, Kappa.kappa_poly.
  rewrite ?Q2R_minus, ?Q2R_mult, ?Q2R_minus, ?Q2R_plus, ?Q2R_ofN, ?Q2R_whole.
  replace (Q2R 1) with 1%R by (unfold Q2R; simpl; field).
  replace (Q2R (1 # 12)) with (/ 12)%R by (unfold Q2R; simpl; field).
  replace (Q2R (1 # 15)) with (/ 15)%R by (unfold Q2R; simpl; field).
  field.
Qed.

(* The code with Beta weights, by its shares. *)
Fixpoint codeQ (a b : Q) (v : list bool) : Q :=
  match v with
  | nil => 1
  | r :: v => let share := (a + ofN (passes v)) / (a + b + ofN (length v)) in
              codeQ a b v * (if r then share else 1 - share)
  end.

Theorem codeQ_is_beta_code a b v : 0 < a -> 0 < b -> Q2R (codeQ a b v) = beta_code (Q2R a) (Q2R b) v.
Proof.
  intros Ha Hb. assert (H1 : Q2R 1 = 1%R) by (unfold Q2R; simpl; field).
  assert (Hp : forall j, ~ a + b + ofN j == 0).
  { intros j H. apply Qeq_eqR in H. rewrite !Q2R_plus, Q2R_ofN in H.
    apply Qlt_Rlt in Ha. apply Qlt_Rlt in Hb. generalize (pos_INR j).
    replace (Q2R 0) with 0%R in * by (unfold Q2R; simpl; field). lra. }
  induction v as [|r v IH]; [exact H1|]. unfold beta_code, beta_bet in *. cbn [codeQ code].
  cbv zeta. rewrite Q2R_mult, IH. f_equal.
  destruct r; rewrite ?Q2R_minus, Q2R_quotient, !Q2R_plus, !Q2R_ofN, ?H1; auto.
Qed.

(* The convex tail. *)
Fixpoint onesQ (p : Q) (n : nat) (g : nat -> Q) : Q :=
  match n with O => g O | S n => p * onesQ p n (fun k => g (S k)) + (1 - p) * onesQ p n g end.
Definition convex_tailQ (n : nat) (p x : Q) (t : nat) : Q := onesQ p n (fun k => ofN (k - t)) / (ofN n * x - ofN t).

Theorem convex_tailQ_is_convex_tail n p x t : ofN t < ofN n * x ->
  Q2R (convex_tailQ n p x t) = convex_tail n (Q2R p) (Q2R x) t.
Proof.
  intros Ht. assert (Hones : forall g, Q2R (onesQ p n g) = ones (repeat (Q2R p) n) (fun k => Q2R (g k))).
  { clear. induction n as [|n IH]; intros g; [reflexivity|]. cbn [onesQ repeat ones].
    rewrite Q2R_plus, !Q2R_mult, Q2R_minus, !IH. replace (Q2R 1) with 1%R by (unfold Q2R; simpl; field). reflexivity. }
  unfold convex_tailQ, convex_tail, excess. rewrite Q2R_quotient.
  - rewrite Hones, Q2R_minus, Q2R_mult, !Q2R_ofN. f_equal. apply ones_ext. intros k. apply Q2R_ofN.
  - intros H. apply Qeq_eqR in H. apply Qlt_Rlt in Ht. rewrite Q2R_minus in H.
    replace (Q2R 0) with 0%R in H by (unfold Q2R; simpl; field). lra.
Qed.

Definition fraction (x : Q) : Z * Z := let y := Qred x in (Qnum y, Zpos (Qden y)).

(* All sequences of verdicts of a length. *)
Fixpoint verdicts (j : nat) : list (list bool) :=
  match j with
  | O => [nil]
  | S j => flat_map (fun v => [true :: v; false :: v]) (verdicts j)
  end.

Open Scope nat_scope.

Definition widths (i : nat) : nat := match i with 0 => 1 | 1 => 2 | 2 => 2 | _ => 4 end.

Definition gate_rows := map (fun m => map (fun B => (m, B, N m B)) (seq 1 (Nat.min m 5))) (seq 1 12).
Definition ladder_rows := map (fun m => map (fun l => (m, l, Ladder.Wl m l, Ladder.Nl m l)) (seq 0 5)) (seq 1 9).
Definition sparse_rows := map (fun m => 
  map (fun B => (m, B, Sparse.W widths m B, Sparse.Ni widths m (B - 1))) (seq 1 4)) (seq 1 8).
Definition kappa_rows := map (fun k => map (fun d =>
  (Z.of_nat k, Zpos d, fraction (kappaQ k (Qmake 1 d)))) [10; 25; 100; 1000]%positive) [4; 5; 8; 20; 100].
Definition code_rows := map (fun j => map (fun v =>
  (Z.of_nat j, Z.of_nat (passes v), fraction (codeQ (Qmake 1 2) (Qmake 2 1) v))) (verdicts j)) (seq 1 6).
(* Of five rows, with the expectation p and the mean x: each t below 5x. *)
Definition convex_rows := map (fun p => map (fun x => map (fun t =>
  (5%Z, Z.of_nat t, fraction p, fraction x, fraction (convex_tailQ 5 p x t)))
  (filter (fun t => negb (Qle_bool (ofN 5 * x) (ofN t))) (seq 0 5))) [3 # 5; 13 # 20; 1]%Q)
  [1 # 10; 1 # 4; 1 # 2]%Q.
