(* docs/theorems/open.md, "Cell theorem" and "open-gate": finitely many cells at each node. As Budget.v.

   h v, p v         the value on the sample of the query at the node v, and its truth
   cuts v, K v      where its cells begin but for the first; the number of cuts
   lower v x q      the end that a value of at least x promises, with the error probability q
   up v c, down v c the masses of the cells from c on, and of those up to c, with the rest
   L v c, U v c     what the cell c promises of the truth *)

From Coq Require Import Reals Lra Lia List Arith Bool ClassicalDescription.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Budget.
Import ListNotations.
Open Scope R_scope.

(* The real line is cut at the points of a list x_0 <= ... <= x_{K-1} into K+1 cells:
   below x_0, [x_0, x_1), ..., from x_{K-1} on.  A cell may be empty. *)

Fixpoint cell_of (cuts : list R) (h : R) : nat :=
  match cuts with
  | nil => 0
  | x :: cuts => if Rle_dec x h then S (cell_of cuts h) else 0
  end.

Definition ordered (cuts : list R) : Prop :=
  forall i j, (i <= j)%nat -> (j < length cuts)%nat -> nth i cuts 0 <= nth j cuts 0.

Lemma cell_of_le cuts h : (cell_of cuts h <= length cuts)%nat.
Proof. induction cuts as [|x l IH]; simpl; [lia|]. destruct (Rle_dec x h); simpl; lia. Qed.

Lemma cell_above cuts h i : (i < cell_of cuts h)%nat -> nth i cuts 0 <= h.
Proof.
  revert i. induction cuts as [|x l IH]; intros i; simpl; [lia|].
  destruct (Rle_dec x h) as [H|H]; [|lia]. destruct i; auto. intros Hi. apply IH. lia.
Qed.

Lemma ordered_tail x l : ordered (x :: l) -> ordered l.
Proof. intros H i j Hi Hj. apply (H (S i) (S j)); simpl; lia. Qed.

Lemma cell_below cuts h i : ordered cuts -> (cell_of cuts h <= i)%nat -> (i < length cuts)%nat ->
  h < nth i cuts 0.
Proof.
  revert i. induction cuts as [|x l IH]; intros i Ho; simpl; [lia|].
  destruct (Rle_dec x h) as [H|H]; intros Hi Hl.
  - destruct i as [|i]; [lia|]. apply IH; [now apply ordered_tail in Ho|lia|lia].
  - apply Rlt_le_trans with x; [lra|]. apply (Ho 0%nat i); simpl; lia.
Qed.

(* The cell c is [x_{c-1}, x_c), the first one begins at minus infinity, the last one has no end. *)
Lemma cell_of_iff cuts h c : ordered cuts ->
  cell_of cuts h = c <->
  (c <= length cuts)%nat /\
  match c with O => True | S i => nth i cuts 0 <= h end /\
  ((c < length cuts)%nat -> h < nth c cuts 0).
Proof.
  intros Ho. split.
  - intros <-. split; [apply cell_of_le|]. split.
    + destruct (cell_of cuts h) as [|i] eqn:E; auto. apply cell_above. lia.
    + intros Hc. now apply cell_below.
  - intros (Hc & Hlo & Hhi). destruct (lt_eq_lt_dec (cell_of cuts h) c) as [[H|H]|H]; auto; exfalso.
    + destruct c as [|i]; [lia|]. assert (h < nth i cuts 0) by (apply cell_below; auto; lia). lra.
    + assert (nth c cuts 0 <= h) by now apply cell_above.
      generalize (cell_of_le cuts h). intros. specialize (Hhi ltac:(lia)). lra.
Qed.

(* Running minima and maxima of bounds, which may be infinite. *)

Definition rmin (x y : Rbar) : Rbar := if Rbar_lt_dec x y then x else y.
Definition rmax (x y : Rbar) : Rbar := if Rbar_lt_dec x y then y else x.

Lemma lt_rmin (p x y : Rbar) : Rbar_lt p (rmin x y) <-> Rbar_lt p x /\ Rbar_lt p y.
Proof.
  unfold rmin. destruct (Rbar_lt_dec x y) as [H|H].
  - split; [|tauto]. intros Hp. split; auto. now apply Rbar_lt_trans with x.
  - apply Rbar_not_lt_le in H. split; [|tauto]. intros Hp. split; auto. now apply Rbar_lt_le_trans with y.
Qed.

Lemma rmax_lt (p x y : Rbar) : Rbar_lt (rmax x y) p <-> Rbar_lt x p /\ Rbar_lt y p.
Proof.
  unfold rmax. destruct (Rbar_lt_dec x y) as [H|H].
  - split; [|tauto]. intros Hp. split; auto. now apply Rbar_lt_trans with y.
  - apply Rbar_not_lt_le in H. split; [|tauto]. intros Hp. split; auto. now apply Rbar_le_lt_trans with x.
Qed.

(* min f(c), ..., f(c+k);  max f(0), ..., f(c). *)
Fixpoint min_from (f : nat -> Rbar) (c k : nat) : Rbar :=
  match k with O => f c | S k => rmin (f c) (min_from f (S c) k) end.
Fixpoint max_to (f : nat -> Rbar) (c : nat) : Rbar :=
  match c with O => f O | S c' => rmax (f c) (max_to f c') end.

Lemma lt_min_from (p : Rbar) f k c :
  Rbar_lt p (min_from f c k) <-> forall i, (c <= i <= c + k)%nat -> Rbar_lt p (f i).
Proof.
  revert c. induction k as [|k IH]; intros c; simpl.
  - split; [|intros H; apply H; lia]. intros H i Hi. now replace i with c by lia.
  - rewrite lt_rmin, IH. split.
    + intros [H1 H2] i Hi. destruct (Nat.eq_dec i c) as [->|]; auto. apply H2. lia.
    + intros H. split; intros; apply H; lia.
Qed.

Lemma max_to_lt (p : Rbar) f c :
  Rbar_lt (max_to f c) p <-> forall i, (i <= c)%nat -> Rbar_lt (f i) p.
Proof.
  induction c as [|c IH]; cbn [max_to].
  - split; [|intros H; apply H; lia]. intros H i Hi. now replace i with 0%nat by lia.
  - rewrite rmax_lt, IH. split.
    + intros [H1 H2] i Hi. destruct (Nat.eq_dec i (S c)) as [->|]; auto. apply H2. lia.
    + intros H. split; intros; apply H; lia.
Qed.

Section CellTheorem.
Context {Omega : Type}.
Variable P : outer Omega.

Notation node := (list nat).

(* h v w: the value on the sample of the query that is asked at v; p v: its truth. *)
Variable h : node -> Omega -> R.
Variable p : node -> R.
Variable cuts : node -> list R.
Hypothesis cuts_ordered : forall v, ordered (cuts v).
Variable stop : node -> bool.

Definition K (v : node) : nat := length (cuts v).
Definition response (v : node) (w : Omega) : nat := cell_of (cuts v) (h v w).

(* The code, and what its masses leave. *)
Variable W rest : node -> R.
Variable beta : R.
Hypothesis beta_nonneg : 0 <= beta.
Hypothesis W_nonneg : forall v, 0 <= W v.
Hypothesis W_root : W nil <= 1.
Hypothesis rest_nonneg : forall v, 0 <= rest v.
Hypothesis W_sum : forall v, sumR (seq 0 (S (K v))) (fun c => W (c :: v)) + rest v <= W v.

Definition up (v : node) (c : nat) : R := Up (K v) (fun c => W (c :: v)) c + rest v.
Definition down (v : node) (c : nat) : R := Down (K v) (fun c => W (c :: v)) c + rest v.

(* A cell c that is shown at v promises that the truth is from Lo v c to Hi v c. *)
Section Promises.
Variables Lo Hi : node -> nat -> Rbar.

Definition holds (v : node) (c : nat) : Prop := Rbar_le (Lo v c) (p v) /\ Rbar_le (p v) (Hi v c).
Definition good (v : node) (c : nat) : Prop := (c <= K v)%nat /\ holds v c.
Definition high_dec v c := Rbar_lt_dec (p v) (Lo v c).
Definition low_dec v c := Rbar_lt_dec (Hi v c) (p v).

Lemma good_dec v c : {good v c} + {~ good v c}.
Proof.
  unfold good, holds. destruct (le_dec c (K v)); [|right; tauto].
  destruct (high_dec v c) as [H|H].
  { right. intros [_ [H' _]]. now apply Rbar_le_not_lt in H'. }
  destruct (low_dec v c) as [H'|H'].
  { right. intros [_ [_ H'']]. now apply Rbar_le_not_lt in H''. }
  left. split; auto. split; now apply Rbar_not_lt_le.
Defined.

Definition goods (v : node) : list nat :=
  filter (fine _ _ (high_dec v) (low_dec v)) (seq 0 (S (K v))).

Lemma goods_iff v c : In c (goods v) <-> good v c.
Proof.
  unfold goods. rewrite filter_In, in_seq. unfold fine, good, holds.
  destruct (high_dec v c) as [H|H], (low_dec v c) as [H'|H'];
    split; intros Hc; repeat split; try (destruct Hc; discriminate || lia);
    try (now apply Rbar_not_lt_le); try (exfalso; destruct Hc as (_ & Ha & Hb);
      apply Rbar_le_not_lt in Ha; apply Rbar_le_not_lt in Hb; tauto).
Qed.

Lemma one_side_broken v w : ~ good v (response v w) ->
  Rbar_lt (p v) (Lo v (response v w)) \/ Rbar_lt (Hi v (response v w)) (p v).
Proof.
  intros H. destruct (high_dec v (response v w)) as [Hh|Hh]; auto.
  destruct (low_dec v (response v w)) as [Hl|Hl]; auto.
  destruct H. split; [apply cell_of_le|]. split; now apply Rbar_not_lt_le.
Qed.

(* With (B) they hold. *)
Lemma promises m :
  (forall v, all_good good v ->
    P (fun w => ~ good v (response v w)) <= beta * (W v - sumR (goods v) (fun c => W (c :: v)))) ->
  P (fun w => exists later c v, shown response stop m w = later ++ c :: v /\ ~ holds v c) <= beta.
Proof.
  intros B. eapply Rle_trans; [|apply (budget P response stop good good_dec W beta beta_nonneg
    W_nonneg W_root goods) with (m := m)]; auto.
  - apply Pr_mono. intros w (later & c & v & H & Hn). exists later, c, v. split; auto.
    unfold good. tauto.
  - intros v c H _. now apply goods_iff.
  - intros v c. apply goods_iff.
Qed.

End Promises.

(* Bounds for the truth, at the cell's ends. *)
Variable lower upper : node -> R -> R -> Rbar.
Hypothesis lower_tail : forall v x q, In x (cuts v) -> 0 <= q ->
  Rbar_lt (p v) (lower v x q) -> P (fun w => h v w >= x) <= q.
Hypothesis upper_tail : forall v x q, In x (cuts v) -> 0 <= q ->
  Rbar_lt (upper v x q) (p v) -> P (fun w => h v w < x) <= q.

Definition lower_end (v : node) (c : nat) : Rbar :=
  match c with
  | O => m_infty
  | S i => lower v (nth i (cuts v) 0) (beta * up v c)
  end.

Definition upper_end (v : node) (c : nat) : Rbar :=
  if (c <? K v)%nat then upper v (nth c (cuts v) 0) (beta * down v c) else p_infty.

Definition L (v : node) (c : nat) : Rbar := min_from (lower_end v) c (K v - c).
Definition U (v : node) (c : nat) : Rbar := max_to (upper_end v) c.

(* The rest is used only where no truth can be missed on both sides: as at a gate. *)
Hypothesis rest_one_sided : forall v, rest v = 0 \/ Rbar_le (L v (K v)) (U v 0).

Lemma L_mono v c c' : (c <= c')%nat -> (c' <= K v)%nat ->
  Rbar_lt (p v) (L v c) -> Rbar_lt (p v) (L v c').
Proof. unfold L. rewrite !lt_min_from. intros Hc Hk H i Hi. apply H. lia. Qed.

Lemma U_mono v c c' : (c' <= c)%nat -> Rbar_lt (U v c) (p v) -> Rbar_lt (U v c') (p v).
Proof. unfold U. rewrite !max_to_lt. intros Hc H i Hi. apply H. lia. Qed.

Lemma up_nonneg v c : 0 <= beta * up v c.
Proof.
  apply Rmult_le_pos; auto. unfold up. generalize (rest_nonneg v).
  generalize (Up_nonneg (K v) (fun c => W (c :: v)) (fun c _ => W_nonneg (c :: v)) c). lra.
Qed.

Lemma down_nonneg v c : 0 <= beta * down v c.
Proof.
  apply Rmult_le_pos; auto. unfold down. generalize (rest_nonneg v).
  generalize (Down_nonneg (K v) (fun c => W (c :: v)) (fun c _ => W_nonneg (c :: v)) c). lra.
Qed.

Lemma end_high v c : (c <= K v)%nat -> Rbar_lt (p v) (lower_end v c) ->
  P (fun w => (c <= response v w)%nat) <= beta * up v c.
Proof.
  intros Hc H. destruct c as [|i]; simpl in H; [contradiction|].
  eapply Rle_trans; [|apply (lower_tail v (nth i (cuts v) 0)); auto].
  - apply Pr_mono. intros w Hw. apply Rle_ge, cell_above. unfold response in Hw. lia.
  - apply nth_In. exact Hc.
  - apply up_nonneg.
Qed.

Lemma end_low v c : (c <= K v)%nat -> Rbar_lt (upper_end v c) (p v) ->
  P (fun w => (response v w <= c)%nat) <= beta * down v c.
Proof.
  intros Hc H. unfold upper_end in H. destruct (Nat.ltb_spec c (K v)) as [Hk|Hk]; [|contradiction].
  eapply Rle_trans; [|apply (upper_tail v (nth c (cuts v) 0)); auto].
  - apply Pr_mono. intros w Hw. apply cell_below; auto.
  - now apply nth_In.
  - apply down_nonneg.
Qed.

(* (B) at v. *)
Lemma cell_budget v :
  P (fun w => ~ good L U v (response v w)) <= beta * (W v - sumR (goods L U v) (fun c => W (c :: v))).
Proof.
  unfold goods.
  eapply Rle_trans; [|apply (look_budget P (K v) (fun c => W (c :: v)) (W v) (rest v) beta)
    with (cell := response v)]; auto.
  - apply Pr_mono. intros w. apply one_side_broken.
  - intros c c' Hc Hk. now apply L_mono.
  - intros c c' Hc Hk. now apply U_mono.
  - destruct (rest_one_sided v) as [Hr|Hr]; auto. right. intros c c' Hc Hc' Hl Hu.
    apply Rbar_le_not_lt in Hr. apply Hr. apply Rbar_lt_trans with (p v).
    + apply (U_mono v c'); auto. lia.
    + now apply (L_mono v c).
  - intros w. apply cell_of_le.
  - intros c Hc H. apply end_high; auto. unfold L in H. rewrite lt_min_from in H. apply H. lia.
  - intros c Hc H. apply end_low; auto. unfold U in H. rewrite max_to_lt in H. now apply H.
Qed.

(* The cell theorem. *)
Theorem cells m :
  P (fun w => exists later c v, shown response stop m w = later ++ c :: v /\ ~ holds L U v c) <= beta.
Proof. apply promises. intros v _. apply cell_budget. Qed.

End CellTheorem.
