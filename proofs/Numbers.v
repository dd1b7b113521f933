(* Numbers that the Go code computes as well: the counts of nodes, kappa of the Ising lemma, and the masses of the
   code with Beta weights.  Each comes from the function that the theorems are about; those over the real numbers
   have a copy over the rational numbers, with the proof that the two agree. *)

From Coq Require Import Reals QArith Qreals List Arith Lia Bool Lra.
From dpcalc Require Import Count Gate OpenGate.
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
