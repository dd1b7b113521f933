(* docs/theorems/feedback.md, "gate" and "sealed": any bars, by certificates of one query's tail at each expectation,
   such as the convex tail; and the convex tail at all expectations by finitely many cells. *)

From Coq Require Import Reals Lra Lia List Arith Psatz.
From dpcalc Require Import Tree Count Gate Tails Binomial ConvexTail Records Rows Sides.
Import ListNotations.
Open Scope R_scope.

Section Certified.
Context {X : Type}.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Notation n := (n Ds).
Notation P := (P Ds).
Notation emp := (emp Ds).
Notation pop := (pop Ds).
Notation rows := (length Ds).

(* b bounds a deviation of tau, on one side and on both, at each expectation. *)
Definition above_cert (tau b : R) : Prop := forall p, 0 <= p <= 1 - tau -> low_cert n (p + tau) b p.
Definition off_cert (tau b : R) : Prop := forall p, 0 <= p <= 1 -> exists u v, 0 <= u /\ 0 <= v /\ u + v <= b /\
  low_cert n (p + tau) u p /\ low_cert n (1 - p + tau) v (1 - p).

(* The rate of the relative entropy. *)
Theorem rate_above tau : 0 < tau < 1 -> above_cert tau (exp (- n * E tau)).
Proof.
  intros Ht p Hp. destruct (Req_dec p 0) as [->|H0]; [apply low_zero; lra|].
  apply low_kl; try lra. apply exp_le. assert (Hn := n_pos Ds some_rows).
  assert (H := E_le tau p Ht ltac:(lra)). apply (Rmult_le_compat_l n) in H; lra.
Qed.

Lemma deviation q tau b : 0 <= b -> low_cert n (pop q + tau) b (pop q) -> P (fun S => emp q S - pop q >= tau) <= b.
Proof.
  intros Hb H. eapply Rle_trans; [|apply (lower_valid Ds some_rows q (pop q + tau) b (pop q)); auto; lra].
  apply Pr_mono. intros S. lra.
Qed.

Theorem certified_above tau b : 0 <= b -> above_cert tau b -> forall q, P (fun S => emp q S - pop q >= tau) <= b.
Proof.
  intros Hb H q. assert (Hr := pop_range Ds some_rows q). apply deviation; auto.
  destruct (Rle_dec (pop q) (1 - tau)); [apply H; lra|apply low_beyond; lra].
Qed.

Theorem certified_below tau b : 0 <= b -> above_cert tau b -> forall q, P (fun S => pop q - emp q S >= tau) <= b.
Proof. intros Hb H q. eapply Rle_trans; [apply to_flip; auto|now apply certified_above]. Qed.

Theorem certified_off tau b : off_cert tau b -> forall q, P (fun S => Rabs (emp q S - pop q) >= tau) <= b.
Proof.
  intros H q. destruct (H (pop q) (pop_range Ds some_rows q)) as (u & v & Hu & Hv & Hb & Cu & Cv).
  apply Rle_trans with (P (fun S => emp q S - pop q >= tau) + P (fun S => pop q - emp q S >= tau)).
  - eapply Rle_trans; [|apply Pr_or]. apply Pr_mono. intros S HS. unfold Rabs in HS.
    destruct (Rcase_abs (emp q S - pop q)); [right|left]; lra.
  - assert (H1 := deviation q tau u Hu Cu). assert (H2 := to_flip Ds some_rows q tau).
    assert (H3 := deviation (flip q) tau v Hv). rewrite pop_flip in H3 by auto. specialize (H3 Cv).
    rewrite pop_flip in H2 by auto. lra.
Qed.

(* For the methods that ask for a bound on each side at every deviation. *)
Theorem certified_sides (A : R -> R) : (forall s, 0 <= A s) -> (forall s, above_cert s (A s)) -> sides P emp pop A.
Proof. intros H0 H q s. split; [now apply certified_above|now apply certified_below]. Qed.

(* The rows. *)
Theorem gate_certified (tau A : R) (analyst : list bool -> query X * R) (B m : nat) : 0 < tau -> 0 <= A ->
  above_cert tau A ->
  P (fun S => exists later b v, Gate.transcript emp tau analyst B m S = later ++ b :: v /\
    Gate.wrong pop tau analyst v b) <= INR (N m B) * A.
Proof. intros Ht HA H. apply gate_tails; auto; [now apply certified_above|now apply certified_below]. Qed.

Theorem sealed_certified (finalists : list (query X)) (tau b : R) : off_cert tau b ->
  P (fun S => exists q, In q finalists /\ Rabs (emp q S - pop q) >= tau) <= INR (length finalists) * b.
Proof. intros H. apply finalists_union. intros q _. now apply certified_off. Qed.

Theorem sealed_certified_one_side (finalists : list (query X)) (tau b : R) : 0 <= b -> above_cert tau b ->
  P (fun S => exists q, In q finalists /\ emp q S - pop q >= tau) <= INR (length finalists) * b.
Proof. intros Hb H. apply finalists_union. intros q _. now apply certified_above. Qed.

(* Cells: one t serves from p0 to p1 if its bounds at both ends do. *)
Definition cell (tau b p0 p1 : R) : Prop := 0 <= p0 /\ p1 <= 1 /\ (1 - tau < p0 \/ exists t, INR t < n * (p0 + tau) /\
  convex_tail rows p0 (p0 + tau) t <= b /\ convex_tail rows p1 (p1 + tau) t <= b).
Definition both_cell (tau b p0 p1 : R) : Prop := exists u v, 0 <= u /\ 0 <= v /\ u + v <= b /\
  cell tau u p0 p1 /\ cell tau v (1 - p1) (1 - p0).

Lemma cell_cert tau b p0 p1 p : cell tau b p0 p1 -> p0 <= p <= p1 -> low_cert n (p + tau) b p.
Proof.
  intros (H0 & H1 & [H|(t & Ht & A0 & A1)]) Hp; [apply low_beyond; lra|].
  assert (Hn := n_pos Ds some_rows). apply low_convex with (rows := rows) (t := t); [reflexivity|lra| |].
  - eapply Rlt_le_trans; [exact Ht|]. apply Rmult_le_compat_l; lra.
  - eapply Rle_trans; [apply (convex_tail_cell rows tau t p0 p1 p); auto; lra|]. now apply Rmax_lub.
Qed.

(* Cells side by side, from p0 over p1 and those of the list. *)
Fixpoint chain (Q : R -> R -> Prop) (p0 p1 : R) (l : list R) : Prop :=
  Q p0 p1 /\ match l with nil => True | p2 :: l => chain Q p1 p2 l end.

Lemma chain_covers Q p0 p1 l p : chain Q p0 p1 l -> p0 <= p <= last (p1 :: l) 0 -> exists a c, a <= p <= c /\ Q a c.
Proof.
  revert p0 p1. induction l as [|p2 l IH]; intros p0 p1 [HQ Hc] Hp; [exists p0, p1; auto|].
  destruct (Rle_dec p p1); [exists p0, p1; split; auto; lra|]. apply (IH p1 p2 Hc). cbn [last] in *. lra.
Qed.

Theorem cells_above tau b p1 l : chain (cell tau b) 0 p1 l -> 1 - tau <= last (p1 :: l) 0 -> above_cert tau b.
Proof.
  intros Hc Hl p Hp. destruct (chain_covers _ _ _ _ p Hc) as (a & c & Ha & H); [lra|]. now apply (cell_cert _ _ a c).
Qed.

Theorem cells_off tau b p1 l : chain (both_cell tau b) 0 p1 l -> 1 <= last (p1 :: l) 0 -> off_cert tau b.
Proof.
  intros Hc Hl p Hp. destruct (chain_covers _ _ _ _ p Hc) as (a & c & Ha & u & v & Hu & Hv & Hb & H & H'); [lra|].
  exists u, v. repeat split; auto; [now apply (cell_cert _ _ a c)|]. apply (cell_cert _ _ (1 - c) (1 - a)); auto. lra.
Qed.

End Certified.
