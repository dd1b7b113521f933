(* docs/theorems/open.md, "Budget theorem", and one look of "Cell theorem".

   As in Tree.v: a node is the list of the responses shown so far, the latest first, and
   probability is a set function that is monotone, finitely subadditive and nought for the empty
   set, such as the outer measure of any probability space.  Nothing here is about independence:
   that enters by the tails, which are hypotheses here and proved in Records.v.

   shown m     the responses of m looks
   all_good v  every response of the node v was good
   mass c      the share of the budget that the cell c of a look has; rest, what no cell has
   high, low   cells whose claim is above the truth, and below it
   fine        a cell that is neither *)

From Coq Require Import Reals Lra Lia List Arith Bool ClassicalDescription.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Count.
Import ListNotations.
Open Scope R_scope.

Lemma sumR_filter {A} (l : list A) keep f :
  sumR (filter keep l) f = sumR l (fun a => if keep a then f a else 0).
Proof. induction l as [|a l IH]; simpl; [lra|]. destruct (keep a); simpl; lra. Qed.

(* The transcript of m looks, and that some response in it is not good at its node. *)

Section Budget.
Context {Omega Resp : Type}.
Variable P : outer Omega.
Variable resp : list Resp -> Omega -> Resp.
Variable stop : list Resp -> bool.
Variable good : list Resp -> Resp -> Prop.
Hypothesis good_dec : forall v r, {good v r} + {~ good v r}.

Definition shown (m : nat) (w : Omega) : list Resp := play resp stop m nil w.

Definition not_good (m : nat) (w : Omega) : Prop :=
  exists later r v, shown m w = later ++ r :: v /\ ~ good v r.

(* Gamma: the nodes all of whose responses were good. *)
Definition all_good (v : list Resp) : Prop :=
  forall later r u, v = later ++ r :: u -> good u r.

Lemma all_good_nil : all_good nil.
Proof. intros later r u H. now destruct later. Qed.

Lemma all_good_cons v r : all_good v -> good v r -> all_good (r :: v).
Proof.
  intros H Hr later r' u E. destruct later as [|x later]; simpl in E.
  - now injection E as <- <-.
  - injection E as <- ->. eapply H. reflexivity.
Qed.

(* The code.  W v is what is left of the budget at v.  Only this much is asked of it, and (B). *)
Variable W : list Resp -> R.
Variable beta : R.
Hypothesis beta_nonneg : 0 <= beta.
Hypothesis W_nonneg : forall v, 0 <= W v.
Hypothesis W_root : W nil <= 1.

Section Finite.
(* A finite list of the good responses. *)
Variable goods : list Resp -> list Resp.
Hypothesis goods_all : forall v r, good v r -> stop (r :: v) = false -> In r (goods v).
Hypothesis goods_only : forall v r, In r (goods v) -> good v r.

Hypothesis B : forall v, all_good v -> stop v = false ->
  P (fun w => ~ good v (resp v w)) <= beta * (W v - sumR (goods v) (fun r => W (r :: v))).

Theorem budget m : P (not_good m) <= beta.
Proof.
  apply Rle_trans with (beta * W nil).
  2:{ rewrite <- (Rmult_1_r beta) at 2. now apply Rmult_le_compat_l. }
  refine (tree_recursion P resp stop good good_dec goods goods_all all_good
            (fun _ v => beta * W v) _ all_good_nil all_good_cons goods_only _ m).
  - intros _ v. apply Rmult_le_pos; auto.
  - intros _ v Hv Hs. specialize (B v Hv Hs). unfold risk.
    eapply Rle_trans; [apply Rplus_le_compat_l, sumR_filter_le|].
    { intros r. apply Rmult_le_pos; auto. }
    rewrite sumR_scal. lra.
Qed.

(* (B) asks something only where all went well so far.  So an answer that is known from the log may be repeated
   at no cost: there W (r :: v) = W v. *)
Lemma known v r : (forall w, resp v w = r) -> good v r -> sumR (goods v) (fun r => W (r :: v)) <= W v ->
  P (fun w => ~ good v (resp v w)) <= beta * (W v - sumR (goods v) (fun r => W (r :: v))).
Proof.
  intros Hr Hg HS. rewrite Pr_none; [apply Rmult_le_pos; [auto|lra]|]. intros w H. apply H. now rewrite Hr.
Qed.

End Finite.

(* The same where a node may have infinitely many good responses.  [countable P Resp] holds for the outer
   measure of a probability space if there are countably many responses, by countable
   subadditivity. *)
Definition countable : Prop := forall (E : Resp -> Omega -> Prop) b,
  (forall l, NoDup l -> sumR l (fun r => P (E r)) <= b) -> P (fun w => exists r, E r w) <= b.

Theorem budget_countable :
  countable ->
  (forall v l, all_good v -> stop v = false -> NoDup l -> (forall r, In r l -> good v r) ->
     P (fun w => ~ good v (resp v w)) <= beta * (W v - sumR l (fun r => W (r :: v)))) ->
  forall m, P (not_good m) <= beta.
Proof.
  intros HC B m. apply Rle_trans with (beta * W nil).
  2:{ rewrite <- (Rmult_1_r beta) at 2. now apply Rmult_le_compat_l. }
  assert (H : forall m v, all_good v -> P (bad resp stop good m v) <= beta * W v).
  { clear m. induction m as [|m IH]; intros v Hv.
    - simpl. rewrite Pr_empty. apply Rmult_le_pos; auto.
    - destruct (stop v) eqn:Hs; simpl; rewrite Hs.
      { rewrite Pr_empty. apply Rmult_le_pos; auto. }
      apply Rle_trans with (P (fun w => ~ good v (resp v w)) +
        P (fun w => exists r, good v r /\ bad resp stop good m (r :: v) w)).
      { eapply Rle_trans; [|apply Pr_or]. apply Pr_mono. intros w [Hw|Hw]; [now left|].
        destruct (good_dec v (resp v w)); [right|left]; auto. eauto. }
      enough (P (fun w => exists r, good v r /\ bad resp stop good m (r :: v) w)
        <= beta * W v - P (fun w => ~ good v (resp v w))) by lra.
      apply HC. intros l Hl.
      pose (k := filter (fun r => if good_dec v r then true else false) l).
      assert (Hk : forall r, In r k -> good v r).
      { intros r Hr. apply filter_In in Hr. now destruct (good_dec v r). }
      specialize (B v k Hv Hs (NoDup_filter _ Hl) Hk).
      enough (sumR l (fun r => P (fun w => good v r /\ bad resp stop good m (r :: v) w))
        <= sumR k (fun r => beta * W (r :: v))) by (rewrite sumR_scal in H; lra).
      unfold k. rewrite sumR_filter. apply sumR_le. intros r _.
      destruct (good_dec v r) as [g|g].
      + eapply Rle_trans; [|apply IH, all_good_cons; auto]. apply Pr_mono. tauto.
      + rewrite Pr_none; [lra|]. tauto. }
  eapply Rle_trans; [|apply (H m nil all_good_nil)]. apply Pr_mono. intros w (later & r & v & Hw).
  assert (Hb : some_bad good (shown m w)) by (now exists later, r, v).
  apply (bad_play resp stop good) in Hb. destruct Hb as [Hb|Hb]; auto.
  now apply (some_bad_nil good) in Hb.
Qed.

(* For ever.  A probability is continuous from below, and so is its outer measure; a set function that is
   only finitely subadditive need not be. *)
Definition continuous_below : Prop := forall (E : nat -> Omega -> Prop) b,
  (forall m w, E m w -> E (S m) w) -> (forall m, P (E m) <= b) -> P (fun w => exists m, E m w) <= b.

Lemma not_good_grows m w : not_good m w -> not_good (S m) w.
Proof.
  assert (H : forall m v, bad resp stop good m v w -> bad resp stop good (S m) v w).
  { clear m. induction m as [|m IH]; intros v; [simpl; tauto|]. intros Hb. simpl in Hb |- *.
    destruct (stop v); [tauto|]. destruct Hb as [Hb|Hb]; auto. right. now apply IH. }
  intros Hn. apply (bad_play resp stop good) in Hn. apply (bad_play resp stop good (S m)).
  destruct Hn; auto.
Qed.

Lemma for_ever : continuous_below -> (forall m, P (not_good m) <= beta) ->
  P (fun w => exists m, not_good m w) <= beta.
Proof. intros HC. apply HC. exact not_good_grows. Qed.

End Budget.
Arguments countable {Omega} Resp P.

(* One look.  The responses are the cells 0, ..., K.  "high c": the claim that would go with the
   cell c is above the truth; "low c": below. *)

Section Look.
Context {Omega : Type}.
Variable P : outer Omega.
Variable K : nat.
Variable mass : nat -> R.
Variables Wv rest beta : R.
Hypothesis mass_nonneg : forall c, (c <= K)%nat -> 0 <= mass c.
Hypothesis beta_nonneg : 0 <= beta.
Hypothesis rest_nonneg : 0 <= rest.
Hypothesis total : sumR (seq 0 (S K)) mass + rest <= Wv.

(* The mass of c and the cells above it; of c and the cells below it. *)
Definition Up (c : nat) : R := sumR (filter (fun c' => c <=? c')%nat (seq 0 (S K))) mass.
Definition Down (c : nat) : R := sumR (filter (fun c' => c' <=? c)%nat (seq 0 (S K))) mass.

Variable cell : Omega -> nat.
Variables high low : nat -> Prop.
Hypothesis high_dec : forall c, {high c} + {~ high c}.
Hypothesis low_dec : forall c, {low c} + {~ low c}.
Hypothesis high_up : forall c c', (c <= c')%nat -> (c' <= K)%nat -> high c -> high c'.
Hypothesis low_down : forall c c', (c' <= c)%nat -> (c <= K)%nat -> low c -> low c'.
(* What the masses leave may be used on both sides, if no truth is below one claim and above another. *)
Hypothesis rest_ok : rest = 0 \/
  forall c c', (c <= K)%nat -> (c' <= K)%nat -> high c -> low c' -> False.
Hypothesis cell_le : forall w, (cell w <= K)%nat.

Definition fine (c : nat) : bool :=
  if high_dec c then false else if low_dec c then false else true.

Lemma Up_nonneg c : 0 <= Up c.
Proof.
  apply sumR_nonneg. intros a Ha. apply mass_nonneg. apply filter_In in Ha. destruct Ha as [Ha _].
  apply in_seq in Ha. lia.
Qed.

Lemma Down_nonneg c : 0 <= Down c.
Proof.
  apply sumR_nonneg. intros a Ha. apply mass_nonneg. apply filter_In in Ha. destruct Ha as [Ha _].
  apply in_seq in Ha. lia.
Qed.

Definition goods_mass : R := sumR (filter fine (seq 0 (S K))) mass.

(* (B) at this node, if the mass of some cells that are wrong pays for all. *)
Lemma paid_by (wrong : nat -> bool) : (forall c, (c <= K)%nat -> wrong c = true -> high c \/ low c) ->
  P (fun w => high (cell w) \/ low (cell w)) <= beta * (sumR (filter wrong (seq 0 (S K))) mass + rest) ->
  P (fun w => high (cell w) \/ low (cell w)) <= beta * (Wv - goods_mass).
Proof.
  intros Hw HP. eapply Rle_trans; [exact HP|]. apply Rmult_le_compat_l; auto.
  enough (goods_mass + sumR (filter wrong (seq 0 (S K))) mass <= sumR (seq 0 (S K)) mass) by lra.
  unfold goods_mass. rewrite !sumR_filter, <- sumR_plus. apply sumR_le. intros c Hc. apply in_seq in Hc.
  specialize (mass_nonneg c ltac:(lia)). specialize (Hw c ltac:(lia)). unfold fine.
  destruct (wrong c), (high_dec c), (low_dec c); try lra. destruct (Hw eq_refl); tauto.
Qed.

Lemma above_c c1 : (c1 <= K)%nat -> high c1 -> (forall c, (c <= K)%nat -> high c \/ low c -> (c1 <= c)%nat) ->
  P (fun w => (c1 <= cell w)%nat) <= beta * (Up c1 + rest) ->
  P (fun w => high (cell w) \/ low (cell w)) <= beta * (Wv - goods_mass).
Proof.
  intros Hk H1 Hc HP. apply (paid_by (fun c => c1 <=? c)%nat).
  - intros c Hc' E. left. apply Nat.leb_le in E. now apply (high_up c1).
  - eapply Rle_trans; [|exact HP]. apply Pr_mono. intros w. apply Hc, cell_le.
Qed.

Lemma below_c c2 : (c2 <= K)%nat -> low c2 -> (forall c, (c <= K)%nat -> high c \/ low c -> (c <= c2)%nat) ->
  P (fun w => (cell w <= c2)%nat) <= beta * (Down c2 + rest) ->
  P (fun w => high (cell w) \/ low (cell w)) <= beta * (Wv - goods_mass).
Proof.
  intros Hk H2 Hc HP. apply (paid_by (fun c => c <=? c2)%nat).
  - intros c Hc' E. right. apply Nat.leb_le in E. now apply (low_down c2).
  - eapply Rle_trans; [|exact HP]. apply Pr_mono. intros w. apply Hc, cell_le.
Qed.

Lemma both_sides c1 d : (d < c1)%nat -> (c1 <= K)%nat -> high c1 -> low d -> rest = 0 ->
  (forall c, (c <= K)%nat -> high c \/ low c -> (c1 <= c)%nat \/ (c <= d)%nat) ->
  P (fun w => (c1 <= cell w)%nat) <= beta * (Up c1 + rest) ->
  P (fun w => (cell w <= d)%nat) <= beta * (Down d + rest) ->
  P (fun w => high (cell w) \/ low (cell w)) <= beta * (Wv - goods_mass).
Proof.
  intros Hd Hk H1 H2 H0 Hc HP1 HP2. apply (paid_by (fun c => (c1 <=? c) || (c <=? d))%nat).
  - intros c Hc' E. apply orb_prop in E. rewrite !Nat.leb_le in E. destruct E as [E|E]; [left|right].
    + now apply (high_up c1).
    + apply (low_down d); auto. lia.
  - apply Rle_trans with (beta * (Up c1 + rest) + beta * (Down d + rest)).
    + eapply Rle_trans; [|apply Rplus_le_compat; [exact HP1|exact HP2]].
      eapply Rle_trans; [|apply Pr_or]. apply Pr_mono. intros w H. apply Hc; auto.
    + rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; auto. rewrite H0, !Rplus_0_r.
      unfold Up, Down. rewrite !sumR_filter, <- sumR_plus. apply sumR_le. intros c _.
      destruct (Nat.leb_spec c1 c), (Nat.leb_spec c d); simpl; lia || lra.
Qed.

Lemma none_wrong : (forall c, (c <= K)%nat -> ~ (high c \/ low c)) ->
  P (fun w => high (cell w) \/ low (cell w)) <= beta * (Wv - goods_mass).
Proof.
  intros H. apply (paid_by (fun _ => false)); [discriminate|].
  rewrite Pr_none; [|intros w; apply H, cell_le]. apply Rmult_le_pos; auto.
  rewrite sumR_filter, sumR_const. lra.
Qed.

(* (B) at this node, with tails at all cells that are wrong. *)
Lemma look_budget :
  (forall c, (c <= K)%nat -> high c -> P (fun w => (c <= cell w)%nat) <= beta * (Up c + rest)) ->
  (forall c, (c <= K)%nat -> low c -> P (fun w => (cell w <= c)%nat) <= beta * (Down c + rest)) ->
  P (fun w => high (cell w) \/ low (cell w)) <= beta * (Wv - goods_mass).
Proof.
  intros high_tail low_tail.
  destruct (least high high_dec K) as [Hh|(c1 & Hc1 & Hq1 & Hm1)];
  destruct (greatest low low_dec K) as [Hl|(c2 & Hc2 & Hq2 & Hm2)].
  - apply none_wrong. intros c Hc. specialize (Hh c Hc). specialize (Hl c Hc). tauto.
  - apply (below_c c2); auto. intros c Hc [H|H]; [now apply Hh in H|].
    destruct (le_lt_dec c c2); auto. now apply Hm2 in H.
  - apply (above_c c1); auto. intros c Hc [H|H]; [|now apply Hl in H].
    destruct (le_lt_dec c1 c); auto. now apply Hm1 in H.
  - assert (H0 : rest = 0).
    { destruct rest_ok as [H|H]; auto. exfalso. apply (H c1 c2); auto. }
    assert (Hge : forall c, high c -> (c1 <= c)%nat).
    { intros c H. destruct (le_lt_dec c1 c); auto. now apply Hm1 in H. }
    (* Where claims are high and low at once, all cells are wrong: cut below c1. *)
    destruct (le_lt_dec c1 c2) as [H|H].
    + destruct c1 as [|d].
      * apply (above_c 0); auto. intros; lia.
      * assert (low d) by (apply (low_down c2); auto; lia).
        apply (both_sides (S d) d); auto; [|apply low_tail; auto; lia].
        intros c _ _. lia.
    + apply (both_sides c1 c2); auto. intros c Hc [Hh|Hl]; auto. right.
      destruct (le_lt_dec c c2); auto. now apply Hm2 in Hl.
Qed.

(* (B) at this node, with tails at the first and the last cell that is wrong, where no cell is both. *)
Lemma look_budget_sharp :
  (forall c, (c <= K)%nat -> high c -> low c -> False) ->
  (forall c, (c <= K)%nat -> high c -> (forall c', (c' < c)%nat -> ~ high c') ->
     P (fun w => (c <= cell w)%nat) <= beta * (Up c + rest)) ->
  (forall c, (c <= K)%nat -> low c -> (forall c', (c < c' <= K)%nat -> ~ low c') ->
     P (fun w => (cell w <= c)%nat) <= beta * (Down c + rest)) ->
  P (fun w => high (cell w) \/ low (cell w)) <= beta * (Wv - goods_mass).
Proof.
  intros not_both high_tail low_tail.
  destruct (least high high_dec K) as [Hh|(c1 & Hc1 & Hq1 & Hm1)];
  destruct (greatest low low_dec K) as [Hl|(c2 & Hc2 & Hq2 & Hm2)].
  - apply none_wrong. intros c Hc. specialize (Hh c Hc). specialize (Hl c Hc). tauto.
  - apply (below_c c2); auto. intros c Hc [H|H]; [now apply Hh in H|].
    destruct (le_lt_dec c c2); auto. now apply Hm2 in H.
  - apply (above_c c1); auto. intros c Hc [H|H]; [|now apply Hl in H].
    destruct (le_lt_dec c1 c); auto. now apply Hm1 in H.
  - assert (H0 : rest = 0).
    { destruct rest_ok as [H|H]; auto. exfalso. apply (H c1 c2); auto. }
    destruct (le_lt_dec c1 c2) as [H|H].
    + exfalso. apply (not_both c2); auto. apply (high_up c1); auto.
    + apply (both_sides c1 c2); auto. intros c Hc [Hh|Hl]; [left|right].
      * destruct (le_lt_dec c1 c); auto. now apply Hm1 in Hh.
      * destruct (le_lt_dec c c2); auto. now apply Hm2 in Hl.
Qed.

End Look.
