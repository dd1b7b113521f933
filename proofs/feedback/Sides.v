(* docs/theorems/feedback.md: "gate", "sealed", "sparse-validate" and "rounding-widths" for any queries whose deviations
   of s have the probability A(s) at most, on either side. *)

From Coq Require Import Reals Lra Lia List Arith Psatz.
From dpcalc Require Import Tree Count Gate Tails Rows.
From dpcalc Require Sparse.
Import ListNotations.
Open Scope R_scope.

Definition sides {Omega Query : Type} (P : outer Omega) (emp : Query -> Omega -> R) (pop : Query -> R) (A : R -> R) : Prop :=
  forall q s, P (fun w => emp q w - pop q >= s) <= A s /\ P (fun w => pop q - emp q w >= s) <= A s.

(* Of two such bounds the lesser counts. *)
Theorem sides_min {Omega Query : Type} (P : outer Omega) (emp : Query -> Omega -> R) pop A B :
  sides P emp pop A -> sides P emp pop B -> sides P emp pop (fun s => Rmin (A s) (B s)).
Proof. intros HA HB q s. destruct (HA q s), (HB q s). split; apply Rmin_glb; auto. Qed.

Section Sides.
Context {Omega Query : Type}.
Variable P : outer Omega.
Variable emp : Query -> Omega -> R.
Variable pop : Query -> R.
Variable A : R -> R.
Hypothesis two_sides : sides P emp pop A.

Theorem gate_sides (tau : R) (analyst : list bool -> Query * R) (B m : nat) : 0 < tau ->
  P (fun w => exists later b v, transcript emp tau analyst B m w = later ++ b :: v /\
    wrong pop tau analyst v b) <= INR (N m B) * A tau.
Proof. intros Ht. apply gate_tails; auto; intros q; apply (two_sides q tau). Qed.

Theorem sealed_sides (finalists : list Query) (tau : R) :
  P (fun w => exists q, In q finalists /\ Rabs (emp q w - pop q) >= tau) <= INR (length finalists) * (2 * A tau).
Proof.
  eapply Rle_trans; [apply Pr_union|]. rewrite <- sumR_const. apply sumR_le. intros q _. destruct (two_sides q tau).
  apply Rle_trans with (P (fun w => emp q w - pop q >= tau) + P (fun w => pop q - emp q w >= tau)); [|lra].
  eapply Rle_trans; [|apply Pr_or]. apply Pr_mono. intros S HS. unfold Rabs in HS.
  destruct (Rcase_abs (emp q S - pop q)); [right|left]; lra.
Qed.

Theorem sealed_side (finalists : list Query) (tau : R) :
  P (fun w => exists q, In q finalists /\ emp q w - pop q >= tau) <= INR (length finalists) * A tau.
Proof.
  eapply Rle_trans; [apply Pr_union|]. rewrite <- sumR_const. apply sumR_le. intros q _. apply (two_sides q tau).
Qed.

Theorem sparse_sides (tau T t0 : R) (B : nat) (c : nat -> nat) (r : nat -> R)
  (analyst : list Sparse.Resp -> Query * R) (m : nat) : (forall s, 0 <= A s) ->
  Sparse.plan A tau T t0 B c r ->
  P (fun w => exists later x v, Sparse.transcript emp tau T B c analyst m w = later ++ x :: v /\
       ~ Sparse.promise pop tau t0 c analyst v x) <=
    INR (Sparse.W c m B) * A (tau - T) + sumR (seq 0 B) (fun i => INR (Sparse.Ni c m i) * r i).
Proof. intros. apply Sparse.sparse_validate; auto; intros q s; apply (two_sides q s). Qed.

(* A known bar c: a test passes from c + tau on. *)
Section Bar.
Variables c tau a : R.
Hypothesis tau_pos : 0 < tau.
Hypothesis a_nonneg : 0 <= a.
Variable analyst : list bool -> Query.
Variables B m : nat.
Definition below_bar (t : Query * R) : Prop := pop (fst t) <= snd t.
Definition far_above (t : Query * R) : Prop := snd t + 2 * tau <= pop (fst t).
Hypothesis wrong_pass : forall q, pop q <= c -> P (fun w => emp q w >= c + tau) <= a.

Theorem gate_bar_sides : (forall q, c + 2 * tau <= pop q -> P (fun w => emp q w < c + tau) <= a) ->
  P (fun w => exists later b v,
    gate_shown (fun t => emp (fst t)) (fun t => snd t + tau) (fun v => (analyst v, c)) B m w = later ++ b :: v /\
    gate_wrong below_bar far_above (fun v => (analyst v, c)) v b) <= INR (N m B) * a.
Proof.
  intros Hf. apply gate_thresholds; auto; try (intros; apply Rle_dec).
  unfold below_bar, far_above. intros t. lra.
Qed.

Theorem gate_bar_side :
  P (fun w => exists later b v,
    gate_shown (fun t => emp (fst t)) (fun t => snd t + tau) (fun v => (analyst v, c)) B m w = later ++ b :: v /\
    gate_wrong below_bar (fun _ => False) (fun v => (analyst v, c)) v b) <= INR (N m B) * a.
Proof.
  apply gate_thresholds; auto; try (intros; apply Rle_dec). intros v [].
Qed.

End Bar.
End Sides.
