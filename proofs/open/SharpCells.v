(* docs/theorems/open.md, "Cell theorem", with the running maximum and minimum the other way round: sharper.
   A cell c that is shown promises what every boundary below it promises and what every boundary above it
   promises:  max over c' <= c of lower(lo_c', beta Up(c'))  <=  truth  <=  min over c' >= c of
   upper(hi_c', beta Down(c')).  For the first cell whose lower end is above the truth takes all cells above
   it along.  This asks lower(x,q) <= x <= upper(x,q), or beta < 1/2. The letters are those of Cells.v. *)

From Coq Require Import Reals Lra Lia List Arith Bool ClassicalDescription.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Budget Cells Records.
Import ListNotations.
Open Scope R_scope.

Lemma lt_rmax (p x y : Rbar) : Rbar_lt p (rmax x y) <-> Rbar_lt p x \/ Rbar_lt p y.
Proof.
  unfold rmax. destruct (Rbar_lt_dec x y) as [H|H].
  - split; [tauto|]. intros [Hp|Hp]; auto. now apply Rbar_lt_trans with x.
  - apply Rbar_not_lt_le in H. split; [tauto|]. intros [Hp|Hp]; auto. now apply Rbar_lt_le_trans with y.
Qed.

Lemma rmin_lt (p x y : Rbar) : Rbar_lt (rmin x y) p <-> Rbar_lt x p \/ Rbar_lt y p.
Proof.
  unfold rmin. destruct (Rbar_lt_dec x y) as [H|H].
  - split; [tauto|]. intros [Hp|Hp]; auto. now apply Rbar_lt_trans with y.
  - apply Rbar_not_lt_le in H. split; [tauto|]. intros [Hp|Hp]; auto. now apply Rbar_le_lt_trans with x.
Qed.

Lemma lt_max_to (p : Rbar) f c :
  Rbar_lt p (max_to f c) <-> exists i, (i <= c)%nat /\ Rbar_lt p (f i).
Proof.
  induction c as [|c IH]; cbn [max_to].
  - split; [intros H; now exists 0%nat|]. intros (i & Hi & H). now replace 0%nat with i by lia.
  - rewrite lt_rmax, IH. split.
    + intros [H|(i & Hi & H)]; [now exists (S c)|exists i; split; auto].
    + intros (i & Hi & H). destruct (Nat.eq_dec i (S c)) as [->|]; [now left|right].
      exists i. split; auto. lia.
Qed.

Lemma min_from_lt (p : Rbar) f k c :
  Rbar_lt (min_from f c k) p <-> exists i, (c <= i <= c + k)%nat /\ Rbar_lt (f i) p.
Proof.
  revert c. induction k as [|k IH]; intros c; simpl.
  - split; [intros H; exists c; split; auto; lia|]. intros (i & Hi & H). now replace c with i by lia.
  - rewrite rmin_lt, IH. split.
    + intros [H|(i & Hi & H)]; [exists c|exists i]; split; auto; lia.
    + intros (i & Hi & H). destruct (Nat.eq_dec i c) as [->|]; [now left|right].
      exists i. split; auto. lia.
Qed.

Section Sharp.
Context {Omega : Type}.
Variable P : outer Omega.
Notation node := (list nat).
Variable h : node -> Omega -> R.
Variable p : node -> R.
Variable cuts : node -> list R.
Hypothesis cuts_ordered : forall v, ordered (cuts v).
Variable stop : node -> bool.
Variable W rest : node -> R.
Variable beta : R.
Hypothesis beta_nonneg : 0 <= beta.
Hypothesis W_nonneg : forall v, 0 <= W v.
Hypothesis W_root : W nil <= 1.
Hypothesis rest_nonneg : forall v, 0 <= rest v.
Hypothesis W_sum : forall v, sumR (seq 0 (S (K cuts v))) (fun c => W (c :: v)) + rest v <= W v.
Variable lower upper : node -> R -> R -> Rbar.
Hypothesis lower_tail : forall v x q, In x (cuts v) -> 0 <= q ->
  Rbar_lt (p v) (lower v x q) -> P (fun w => h v w >= x) <= q.
Hypothesis upper_tail : forall v x q, In x (cuts v) -> 0 <= q ->
  Rbar_lt (upper v x q) (p v) -> P (fun w => h v w < x) <= q.

Notation K := (K cuts).
Notation up := (up cuts W rest).
Notation down := (down cuts W rest).
Notation lower_end := (lower_end cuts W rest beta lower).
Notation upper_end := (upper_end cuts W rest beta upper).
Notation response := (response h cuts).

Definition Lsharp (v : node) (c : nat) : Rbar := max_to (lower_end v) c.
Definition Usharp (v : node) (c : nat) : Rbar := min_from (upper_end v) c (K v - c).

(* No interval is empty: the bounds lie on their sides of x, or beta is below a half. *)
Definition sane : Prop :=
  (forall v c, (c <= K v)%nat -> Rbar_le (Lsharp v c) (Usharp v c)) \/
  (beta < 1/2 /\ 1 <= P (fun _ => True)).
Hypothesis is_sane : sane.

Hypothesis rest_one_sided : forall v, rest v = 0 \/ Rbar_le (Lsharp v (K v)) (Usharp v 0).

Let end_high v c : (c <= K v)%nat -> Rbar_lt (p v) (lower_end v c) ->
  P (fun w => (c <= response v w)%nat) <= beta * up v c.
Proof. now apply end_high with (p := p). Qed.

Let end_low v c : (c <= K v)%nat -> Rbar_lt (upper_end v c) (p v) ->
  P (fun w => (response v w <= c)%nat) <= beta * down v c.
Proof. now apply end_low with (p := p). Qed.

Lemma Lsharp_mono v c c' : (c <= c')%nat -> Rbar_lt (p v) (Lsharp v c) -> Rbar_lt (p v) (Lsharp v c').
Proof. unfold Lsharp. rewrite !lt_max_to. intros Hc (i & Hi & H). exists i. split; auto. lia. Qed.

Lemma Usharp_mono v c c' : (c' <= c)%nat -> (c <= K v)%nat ->
  Rbar_lt (Usharp v c) (p v) -> Rbar_lt (Usharp v c') (p v).
Proof. unfold Usharp. rewrite !min_from_lt. intros Hc Hk (i & Hi & H). exists i. split; auto. lia. Qed.

Lemma up_le v c : rest v = 0 -> up v c <= W v.
Proof.
  intros Hr. unfold Cells.up, Up. rewrite Hr, sumR_filter, Rplus_0_r.
  specialize (W_sum v). rewrite Hr, Rplus_0_r in W_sum. eapply Rle_trans; [|exact W_sum].
  apply sumR_le. intros a _. specialize (W_nonneg (a :: v)). destruct (c <=? a)%nat; lra.
Qed.

Lemma down_le v c : rest v = 0 -> down v c <= W v.
Proof.
  intros Hr. unfold Cells.down, Down. rewrite Hr, sumR_filter, Rplus_0_r.
  specialize (W_sum v). rewrite Hr, Rplus_0_r in W_sum. eapply Rle_trans; [|exact W_sum].
  apply sumR_le. intros a _. specialize (W_nonneg (a :: v)). destruct (a <=? c)%nat; lra.
Qed.

Lemma not_both v c : W v <= 1 -> (c <= K v)%nat ->
  Rbar_lt (p v) (Lsharp v c) -> Rbar_lt (Usharp v c) (p v) -> rest v = 0 -> False.
Proof.
  intros HW Hc Hl Hu Hr. destruct is_sane as [H|[Hb H1]].
  - specialize (H v c Hc). apply Rbar_le_not_lt in H. apply H. now apply Rbar_lt_trans with (p v).
  - unfold Lsharp in Hl. rewrite lt_max_to in Hl. destruct Hl as (i & Hi & Hl).
    unfold Usharp in Hu. rewrite min_from_lt in Hu. destruct Hu as (j & Hj & Hu).
    assert (Ha := end_high v i ltac:(lia) Hl). assert (Hd := end_low v j ltac:(lia) Hu).
    assert (HP : 1 <= beta * up v i + beta * down v j).
    { eapply Rle_trans; [exact H1|]. eapply Rle_trans; [|apply Rplus_le_compat; [exact Ha|exact Hd]].
      eapply Rle_trans; [|apply Pr_or]. apply Pr_mono. intros w _. lia. }
    generalize (up_le v i Hr) (down_le v j Hr). nra.
Qed.

Lemma W_child v c : (c <= K v)%nat -> W (c :: v) <= W v.
Proof.
  intros Hc. eapply Rle_trans; [|apply (W_sum v)]. specialize (rest_nonneg v).
  enough (W (c :: v) <= sumR (seq 0 (S (K v))) (fun c => W (c :: v))) by lra.
  apply (sumR_term _ (fun c => W (c :: v))); [auto|]. apply in_seq. lia.
Qed.

Notation good := (good p cuts Lsharp Usharp).
Notation goods := (goods p cuts Lsharp Usharp).

Lemma sharp_budget v : W v <= 1 ->
  P (fun w => ~ good v (response v w)) <= beta * (W v - sumR (goods v) (fun c => W (c :: v))).
Proof.
  intros HW. unfold Cells.goods.
  eapply Rle_trans; [|apply (look_budget_sharp P (K v) (fun c => W (c :: v)) (W v) (rest v) beta)
    with (cell := response v)]; auto.
  - apply Pr_mono. intros w. apply one_side_broken.
  - intros c c' Hc Hk. now apply Lsharp_mono.
  - intros c c' Hc Hk. now apply Usharp_mono.
  - destruct (rest_one_sided v) as [Hr|Hr]; auto. right. intros c c' Hc Hc' Hl Hu.
    apply Rbar_le_not_lt in Hr. apply Hr. apply Rbar_lt_trans with (p v).
    + apply (Usharp_mono v c'); auto. lia.
    + now apply (Lsharp_mono v c).
  - intros w. apply cell_of_le.
  - intros c Hc Hl Hu. destruct (rest_one_sided v) as [Hr|Hr]; [eapply not_both; eauto|].
    apply Rbar_le_not_lt in Hr. apply Hr. apply Rbar_lt_trans with (p v).
    + apply (Usharp_mono v c); auto. lia.
    + now apply (Lsharp_mono v c).
  - intros c Hc Hl Hno. apply end_high; auto. unfold Lsharp in Hl. rewrite lt_max_to in Hl.
    destruct Hl as (i & Hi & Hl). destruct (Nat.eq_dec i c) as [->|Hne]; auto.
    destruct (Hno i ltac:(lia)). unfold Lsharp. rewrite lt_max_to. exists i. auto.
  - intros c Hc Hu Hno. apply end_low; auto. unfold Usharp in Hu. rewrite min_from_lt in Hu.
    destruct Hu as (i & Hi & Hu). destruct (Nat.eq_dec i c) as [->|Hne]; auto.
    destruct (Hno i ltac:(lia)). unfold Usharp. rewrite min_from_lt. exists i. split; auto. lia.
Qed.

Lemma W_le_1 v : all_good good v -> W v <= 1.
Proof.
  induction v as [|c v IH]; auto. intros H. apply Rle_trans with (W v).
  - apply W_child. now destruct (H nil c v eq_refl).
  - apply IH. intros later r u ->. apply (H (c :: later) r u). reflexivity.
Qed.

Theorem cells_sharp m :
  P (fun w => exists later c v, shown response stop m w = later ++ c :: v /\ ~ holds p Lsharp Usharp v c)
    <= beta.
Proof. apply promises with (W := W); auto. intros v Hv. apply sharp_budget. now apply W_le_1. Qed.

(* It is sharper. *)
Theorem sharper v c : (c <= K v)%nat ->
  Rbar_le (L cuts W rest beta lower v c) (Lsharp v c) /\
  Rbar_le (Usharp v c) (U cuts W rest beta upper v c).
Proof.
  intros Hc. split; apply Rbar_not_lt_le; intros H.
  - assert (H' : Rbar_lt (Lsharp v c) (lower_end v c)).
    { eapply Rbar_lt_le_trans; [exact H|]. apply Rbar_not_lt_le. intros Hl. unfold L in Hl.
      rewrite lt_min_from in Hl. specialize (Hl c ltac:(lia)). revert Hl.
      apply Rbar_le_not_lt, Rbar_le_refl. }
    unfold Lsharp in H'. rewrite max_to_lt in H'. specialize (H' c (le_n c)). revert H'.
    apply Rbar_le_not_lt, Rbar_le_refl.
  - assert (H' : Rbar_lt (upper_end v c) (Usharp v c)).
    { eapply Rbar_le_lt_trans; [|exact H]. apply Rbar_not_lt_le. intros Hl. unfold U in Hl.
      rewrite max_to_lt in Hl. specialize (Hl c (le_n c)). revert Hl.
      apply Rbar_le_not_lt, Rbar_le_refl. }
    unfold Usharp in H'. rewrite lt_min_from in H'. specialize (H' c ltac:(lia)). revert H'.
    apply Rbar_le_not_lt, Rbar_le_refl.
Qed.

End Sharp.

(* lower(x,q) <= x <= upper(x,q) is enough. *)
Lemma sane_ends {Omega : Type} (P : outer Omega) cuts W rest beta lower upper :
  (forall v, ordered (cuts v)) ->
  (forall v (x q : R), Rbar_le (lower v x q) x /\ Rbar_le x (upper v x q)) ->
  sane P cuts W rest beta lower upper.
Proof.
  intros Ho H. left. intros v c Hc. apply Rbar_not_lt_le. intros Hlt.
  unfold Lsharp in Hlt. rewrite lt_max_to in Hlt. destruct Hlt as (i & Hi & Hlt).
  unfold Usharp in Hlt. rewrite min_from_lt in Hlt. destruct Hlt as (j & Hj & Hlt).
  revert Hlt. apply Rbar_le_not_lt. unfold lower_end, upper_end. destruct i as [|i]; [simpl; auto|].
  destruct (Nat.ltb_spec j (K cuts v)) as [Hk|Hk]; [|now destruct (lower _ _ _)].
  apply Rbar_le_trans with (Finite (nth i (cuts v) 0)); [apply H|].
  apply Rbar_le_trans with (Finite (nth j (cuts v) 0)); [|apply H].
  simpl. apply Ho; [lia|exact Hk].
Qed.

(* On records, with the best bounds that can be certified: no hypothesis on tails. *)
Theorem open_cells_sharp {X : Type} (Ds : list (law X)) (beta : R)
  (ask : list nat -> query X) (rows : list nat -> list bool) (cuts : list nat -> list R)
  (W : list nat -> R) (stop : list nat -> bool) :
  (forall v, select (rows v) Ds <> nil) -> (forall v, ordered (cuts v)) -> 0 <= beta ->
  (forall v, 0 <= W v) -> W nil <= 1 ->
  (forall v, sumR (seq 0 (S (length (cuts v)))) (fun c => W (c :: v)) <= W v) ->
  let lower v := lower_best (size Ds (rows v)) in
  let upper v := upper_best (size Ds (rows v)) in
  forall m,
  P Ds (fun S => exists later c v,
     shown (response (h Ds ask rows) cuts) stop m S = later ++ c :: v /\
     ~ (Rbar_le (Lsharp cuts W (fun _ => 0) beta lower v c) (p Ds ask rows v) /\
        Rbar_le (p Ds ask rows v) (Usharp cuts W (fun _ => 0) beta upper v c)))
  <= beta.
Proof.
  intros Hr Hc Hb HW H1 HS lower upper m.
  apply (cells_sharp (P Ds) (h Ds ask rows) (p Ds ask rows) cuts Hc stop W (fun _ => 0) beta); auto.
  - intros; lra.
  - intros v. unfold K. specialize (HS v). lra.
  - intros v x q _ Hq Hl. now apply lower_best_rows.
  - intros v x q _ Hq Hu. now apply upper_best_rows.
  - apply sane_ends; auto. intros v x q. unfold lower, upper, lower_best, upper_best. split.
    + apply (proj2 (Lub_Rbar_correct (fun l => l <= x /\ low_cert (size Ds (rows v)) x q l))). intros l [Hl _]. exact Hl.
    + apply (proj2 (Glb_Rbar_correct (fun u => x <= u /\ up_cert (size Ds (rows v)) x q u))). intros u [Hu _]. exact Hu.
Qed.
