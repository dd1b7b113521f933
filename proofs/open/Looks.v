(* docs/theorems/open.md: looks of all kinds in any mixture, with the ends that dpcalc prints. A node is the list of the
   cells shown so far, the latest first; the look that is taken at a node is a function of it. *)

From Coq Require Import Reals Lra Lia List Arith Psatz Bool ClassicalDescription.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Count Gate Tails Budget Cells OpenGate Records SharpCells Binomial Entropy Rows.
Import ListNotations.
Open Scope R_scope.

(* One look: a value on the sample with its truth, cuts, and ends whose tails hold. *)
Section Look.
Context {Omega : Type}.
Variable P : outer Omega.

Record look := Look {
  value_of : Omega -> R;
  truth_of : R;
  cuts_of : list R;
  lower_of : R -> R -> Rbar;
  upper_of : R -> R -> Rbar;
  cuts_rise : ordered cuts_of;
  lower_holds : forall x q, In x cuts_of -> 0 <= q -> Rbar_lt truth_of (lower_of x q) ->
    P (fun w => value_of w >= x) <= q;
  upper_holds : forall x q, In x cuts_of -> 0 <= q -> Rbar_lt (upper_of x q) truth_of ->
    P (fun w => value_of w < x) <= q
}.

(* Each cell has a value that no end excludes: what the conditions (1), (2) and (3) of the page are for. *)
Definition fits (l : look) : Prop := forall c, (c <= length (cuts_of l))%nat -> exists y : R,
  (forall i q, (i < c)%nat -> Rbar_le (lower_of l (nth i (cuts_of l) 0) q) y) /\
  (forall i q, (c <= i)%nat -> (i < length (cuts_of l))%nat -> Rbar_le y (upper_of l (nth i (cuts_of l) 0) q)).

Section Looks.
Variable looks : list nat -> look.
Variable stop : list nat -> bool.
Variable W : list nat -> R.
Variable beta : R.
Hypothesis beta_nonneg : 0 <= beta.
Hypothesis W_nonneg : forall v, 0 <= W v.
Hypothesis W_root : W nil <= 1.
Hypothesis W_sum : forall v, sumR (seq 0 (S (length (cuts_of (looks v))))) (fun c => W (c :: v)) <= W v.
Hypothesis looks_fit : (forall v, fits (looks v)) \/ beta < 1 / 2 /\ 1 <= P (fun _ => True).

Definition cell_shown (v : list nat) (w : Omega) : nat := cell_of (cuts_of (looks v)) (value_of (looks v) w).
Definition lower_said (v : list nat) (c : nat) : Rbar :=
  Lsharp (fun v => cuts_of (looks v)) W (fun _ => 0) beta (fun v => lower_of (looks v)) v c.
Definition upper_said (v : list nat) (c : nat) : Rbar :=
  Usharp (fun v => cuts_of (looks v)) W (fun _ => 0) beta (fun v => upper_of (looks v)) v c.
Definition right_at (v : list nat) (c : nat) : Prop :=
  Rbar_le (lower_said v c) (truth_of (looks v)) /\ Rbar_le (truth_of (looks v)) (upper_said v c).

Theorem any_looks m :
  P (fun w => exists later c v, shown cell_shown stop m w = later ++ c :: v /\ ~ right_at v c) <= beta.
Proof.
  apply (cells_sharp P (fun v => value_of (looks v)) (fun v => truth_of (looks v))
    (fun v => cuts_of (looks v)) (fun v => cuts_rise (looks v)) stop W (fun _ => 0) beta); auto.
  - intros; lra.
  - intros v. unfold K. specialize (W_sum v). lra.
  - intros v. apply lower_holds.
  - intros v. apply upper_holds.
  - destruct looks_fit as [H|H]; [left|now right]. intros v c Hc. destruct (H v c Hc) as (y & Hl & Hu).
    apply Rbar_le_trans with (Finite y).
    + apply Rbar_not_lt_le. unfold Lsharp. rewrite lt_max_to. intros (i & Hi & Hlt). revert Hlt.
      apply Rbar_le_not_lt. unfold lower_end. destruct i as [|i]; [exact I|]. apply Hl. lia.
    + apply Rbar_not_lt_le. unfold Usharp. rewrite min_from_lt. intros (i & Hi & Hlt). revert Hlt.
      apply Rbar_le_not_lt. unfold upper_end. destruct (Nat.ltb_spec i (K (fun v => cuts_of (looks v)) v)) as [Hk|Hk].
      * apply Hu; auto. lia.
      * exact I.
Qed.

End Looks.

(* A test: 1 rejects, at the level that a rejection is paid with. *)
Section Tests.
Variable pval : Omega -> R.
Variable null : bool.
Variable level : R.
Hypothesis p_value : null = true -> P (fun w => pval w <= level) <= level.

Program Definition test_look : look := {|
  value_of := fun w => if Rle_dec (pval w) level then 1 else 0;
  truth_of := if null then 0 else 1;
  cuts_of := [1];
  lower_of := fun _ q => if Rle_dec level q then Finite 1 else m_infty;
  upper_of := fun _ _ => p_infty
|}.
Next Obligation.
  intros i j Hi Hj. simpl in Hj. replace i with 0%nat by lia. replace j with 0%nat by lia. lra.
Qed.
Next Obligation.
  destruct (Rle_dec level q) as [Hl|Hl]; [|simpl in *; tauto]. destruct null; simpl in *; [|lra].
  eapply Rle_trans; [|exact Hl]. eapply Rle_trans; [|apply p_value; auto]. apply Pr_mono. intros w.
  destruct (Rle_dec (pval w) level); auto. intros; lra.
Qed.
Next Obligation.
  simpl in *. contradiction.
Qed.

Lemma test_fits : fits test_look.
Proof.
  intros c Hc. exists 1. split.
  - intros i q Hi. simpl. destruct (Rle_dec level q); simpl; auto. lra.
  - intros; exact I.
Qed.

End Tests.

(* A margin s(q): the look of a known variance, and of differences. *)
Section Margins.
Variable value : Omega -> R.
Variable truth : R.
Variable cuts : list R.
Hypothesis cuts_ordered : ordered cuts.
Variable margin : R -> R.
Hypothesis margin_pos : forall q, 0 < q -> 0 <= margin q.
Hypothesis tail_up : forall q, 0 < q -> P (fun w => value w - truth >= margin q) <= q.
Hypothesis tail_down : forall q, 0 < q -> P (fun w => truth - value w >= margin q) <= q.

Program Definition margin_look : look := {|
  value_of := value; truth_of := truth; cuts_of := cuts;
  lower_of := fun x q => if Rlt_dec 0 q then Finite (x - margin q) else m_infty;
  upper_of := fun x q => if Rlt_dec 0 q then Finite (x + margin q) else p_infty
|}.
Next Obligation.
  destruct (Rlt_dec 0 q) as [Hq|Hq]; simpl in *; [|tauto].
  eapply Rle_trans; [|apply (tail_up q Hq)]. apply Pr_mono. intros w. lra.
Qed.
Next Obligation.
  destruct (Rlt_dec 0 q) as [Hq|Hq]; simpl in *; [|tauto].
  eapply Rle_trans; [|apply (tail_down q Hq)]. apply Pr_mono. intros w. lra.
Qed.

Lemma margin_fits : fits margin_look.
Proof.
  intros c Hc. simpl in *. exists (nth (c - 1) cuts 0). split.
  - intros i q Hi. destruct (Rlt_dec 0 q) as [Hq|Hq]; simpl; auto. specialize (margin_pos q Hq).
    assert (nth i cuts 0 <= nth (c - 1) cuts 0) by (apply cuts_ordered; lia). lra.
  - intros i q Hi Hl. destruct (Rlt_dec 0 q) as [Hq|Hq]; simpl; auto. specialize (margin_pos q Hq).
    assert (nth (c - 1) cuts 0 <= nth i cuts 0) by (apply cuts_ordered; lia). lra.
Qed.

End Margins.
End Look.

Section OnRecords.
Context {X : Type}.
Variable Ds : list (law X).
Notation sample := (list X).
Notation P := (P Ds).

(* Values in [0,1] on some of the rows. *)
Section Unit.
Variable q : query X.
Variable rows : list bool.
Hypothesis some_rows : select rows Ds <> nil.
Variable cuts : list R.
Hypothesis cuts_ordered : ordered cuts.
Notation size := (size Ds rows).

Program Definition unit_look : look P := {|
  value_of := value Ds rows q; truth_of := truth Ds rows q; cuts_of := cuts;
  lower_of := lower_best size; upper_of := upper_best size
|}.
Next Obligation.
  now apply lower_best_rows.
Qed.
Next Obligation.
  now apply upper_best_rows.
Qed.

(* The ends are no worse than those of the relative entropy. *)
Lemma unit_low_end x p level : x <= 1 -> 0 < p < x -> exp (- size * kl x p) <= level -> Rbar_le p (lower_best size x level).
Proof. intros Hx Hp. now apply best_kl. Qed.

Lemma unit_high_end x p level : 0 < x -> x < p < 1 -> exp (- size * kl x p) <= level -> Rbar_le (upper_best size x level) p.
Proof.
  intros Hx Hp Hle. apply (proj1 (Glb_Rbar_correct (fun u => x <= u /\ up_cert size x level u))).
  split; [lra|]. unfold up_cert. apply low_kl; try lra. now rewrite kl_flip.
Qed.

Lemma unit_fits : fits P unit_look.
Proof.
  intros c Hc. cbn [cuts_of lower_of upper_of unit_look] in *. exists (nth (c - 1) cuts 0). split.
  - intros i level Hi. apply Rbar_le_trans with (Finite (nth i cuts 0)).
    + apply (proj2 (Lub_Rbar_correct _)). intros l [Hl _]. exact Hl.
    + simpl. apply cuts_ordered; lia.
  - intros i level Hi Hl. apply Rbar_le_trans with (Finite (nth i cuts 0)).
    + simpl. apply cuts_ordered; lia.
    + apply (proj2 (Glb_Rbar_correct _)). intros u [Hu _]. exact Hu.
Qed.

End Unit.

(* 0/1 values: cuts are counts. *)
Section Counted.
Hypothesis H56 : Hoeffding1956.
Variable q : query X.
Hypothesis q_01 : zero_one q.
Variable rows : list bool.
Notation chosen := (select rows Ds).
Hypothesis some_rows : chosen <> nil.
Notation size := (size Ds rows).
Variable counts : list nat.
Hypothesis counts_range : forall k, In k counts -> (1 <= k <= length chosen)%nat.
Hypothesis counts_rise : forall i j, (i < j)%nat -> (j < length counts)%nat -> (nth i counts 0 < nth j counts 0)%nat.

Definition lower_count (x level : R) : Rbar :=
  Lub_Rbar (fun l => l <= x /\ exists k, x = INR k / size /\ count_cert chosen l k level).
Definition upper_count (x level : R) : Rbar :=
  Glb_Rbar (fun u => x - 1 / size <= u /\ exists k, x = INR k / size /\ fewer_cert chosen u k level).

Lemma size_pos : 0 < size.
Proof. now apply n_pos. Qed.

Lemma same_count k k' : INR k / size = INR k' / size -> k = k'.
Proof.
  intros H. assert (Hs := size_pos). apply INR_eq. apply Rmult_eq_reg_r with (/ size); auto.
  apply Rinv_neq_0_compat. lra.
Qed.

Lemma count_cut i : (i < length counts)%nat ->
  nth i (map (fun k => INR k / size) counts) 0 = INR (nth i counts 0%nat) / size.
Proof.
  intros H. rewrite (nth_indep _ 0 (INR 0 / size)) by (now rewrite map_length).
  apply (map_nth (fun k => INR k / size)).
Qed.

Lemma below_count t k level : Rbar_lt (Finite t) (lower_count (INR k / size) level) ->
  exists l, t <= l /\ count_cert chosen l k level.
Proof.
  intros H. apply Classical_Prop.NNPP. intros Hno. revert H. apply Rbar_le_not_lt. apply (proj2 (Lub_Rbar_correct _)).
  intros l (Hl & k' & E & Hc). simpl. apply Rnot_lt_le. intros Hlt. apply Hno. exists l.
  rewrite (same_count _ _ E). split; [lra|auto].
Qed.

Lemma above_count t k level : Rbar_lt (upper_count (INR k / size) level) (Finite t) ->
  exists u, u <= t /\ fewer_cert chosen u k level.
Proof.
  intros H. apply Classical_Prop.NNPP. intros Hno. revert H. apply Rbar_le_not_lt. apply (proj2 (Glb_Rbar_correct _)).
  intros u (Hu & k' & E & Hc). simpl. apply Rnot_lt_le. intros Hlt. apply Hno. exists u.
  rewrite (same_count _ _ E). split; [lra|auto].
Qed.

Program Definition count_look : look P := {|
  value_of := value Ds rows q; truth_of := truth Ds rows q;
  cuts_of := map (fun k => INR k / size) counts;
  lower_of := lower_count; upper_of := upper_count
|}.
Next Obligation.
  intros i j Hi Hj. rewrite map_length in Hj. rewrite !count_cut by lia.
  destruct (Nat.eq_dec i j) as [->|]; [lra|]. apply Rmult_le_compat_r.
  - left. apply Rinv_0_lt_compat, size_pos.
  - apply le_INR. specialize (counts_rise i j ltac:(lia) Hj). lia.
Qed.
Next Obligation.
  apply in_map_iff in H. destruct H as (k & <- & Hk). apply below_count in H1. destruct H1 as (l & Hl & Hc).
  assert (Hv := count_cert_valid chosen some_rows q l k q0 H56 q_01 Hl Hc).
  rewrite <- (select_P Ds rows (fun S => emp chosen q S >= INR k / Tails.n chosen)) in Hv. exact Hv.
Qed.
Next Obligation.
  apply in_map_iff in H. destruct H as (k & <- & Hk). apply above_count in H1. destruct H1 as (u & Hu & Hc).
  assert (Hv := fewer_cert_valid chosen some_rows q u k q0 H56 q_01 Hu (counts_range k Hk) Hc).
  rewrite <- (select_P Ds rows (fun S => emp chosen q S < INR k / Tails.n chosen)) in Hv. exact Hv.
Qed.

(* The ends are no worse than those of the relative entropy, below a count k at (k-1)/n. *)
Lemma count_range i : (i < length counts)%nat -> 1 / size <= INR (nth i counts 0%nat) / size <= 1.
Proof.
  intros Hi. assert (Hn := size_pos). destruct (counts_range (nth i counts 0%nat) ltac:(apply nth_In; auto)) as [H1 H2].
  apply le_INR in H1. apply le_INR in H2. simpl (INR 1) in H1. assert (0 < / size) by now apply Rinv_0_lt_compat.
  split; unfold Rdiv; [apply Rmult_le_compat_r; lra|]. apply Rmult_le_reg_r with size; auto.
  rewrite Rmult_assoc, Rinv_l by lra. unfold Records.size, Tails.n. lra.
Qed.

Lemma count_low_end i p level : (i < length counts)%nat -> 0 < p < INR (nth i counts 0%nat) / size ->
  exp (- size * kl (INR (nth i counts 0%nat) / size) p) <= level ->
  Rbar_le p (lower_count (INR (nth i counts 0%nat) / size) level).
Proof.
  intros Hi Hp Hle. apply (proj1 (Lub_Rbar_correct _)). split; [lra|]. exists (nth i counts 0%nat). split; [reflexivity|].
  generalize (count_range i Hi). intros. now apply count_kl.
Qed.

Lemma count_high_end i p level : (i < length counts)%nat -> INR (nth i counts 0%nat) / size - 1 / size < p < 1 ->
  exp (- size * kl (INR (nth i counts 0%nat) / size - 1 / size) p) <= level ->
  Rbar_le (upper_count (INR (nth i counts 0%nat) / size) level) p.
Proof.
  intros Hi Hp Hle. assert (Hn := size_pos). assert (Hr := count_range i Hi).
  destruct (counts_range (nth i counts 0%nat) ltac:(apply nth_In; auto)) as [H1 H2].
  apply (proj1 (Glb_Rbar_correct _)). split; [lra|]. exists (nth i counts 0%nat). split; [reflexivity|].
  assert (E : INR (S (length chosen) - nth i counts 0%nat) / Tails.n chosen =
    1 - (INR (nth i counts 0%nat) / size - 1 / size)).
  { rewrite minus_INR, S_INR by lia. unfold Records.size, Tails.n in *. field. lra. }
  unfold fewer_cert. apply count_kl; rewrite ?E; try lra. rewrite kl_flip. exact Hle.
Qed.

Lemma count_fits : fits P count_look.
Proof.
  assert (Hs := size_pos). assert (Hi : 0 < / size) by now apply Rinv_0_lt_compat.
  intros c Hc. cbn [cuts_of lower_of upper_of count_look] in *. rewrite map_length in Hc.
  assert (Hstep : forall i j, (i < j)%nat -> (j < length counts)%nat ->
    INR (nth i counts 0%nat) / size + 1 / size <= INR (nth j counts 0%nat) / size).
  { intros i j H1 H2. unfold Rdiv. rewrite <- Rmult_plus_distr_r. apply Rmult_le_compat_r; [lra|].
    change 1 with (INR 1). rewrite <- plus_INR. apply le_INR. specialize (counts_rise i j H1 H2). lia. }
  assert (H1n : 0 < 1 / size) by (unfold Rdiv; lra).
  destruct c as [|c].
  - exists (INR (nth 0 counts 0%nat) / size - 1 / size). split; [intros; lia|].
    intros i level _ Hl. rewrite map_length in Hl. rewrite count_cut by auto.
    apply Rbar_le_trans with (Finite (INR (nth i counts 0%nat) / size - 1 / size)).
    + simpl. destruct i; [lra|]. specialize (Hstep 0%nat (S i) ltac:(lia) Hl). lra.
    + apply (proj2 (Glb_Rbar_correct _)). intros u [Hu _]. exact Hu.
  - exists (INR (nth c counts 0%nat) / size). split.
    + intros i level Hi'. rewrite count_cut by lia.
      apply Rbar_le_trans with (Finite (INR (nth i counts 0%nat) / size)).
      * apply (proj2 (Lub_Rbar_correct _)). intros l [Hl _]. exact Hl.
      * simpl. destruct (Nat.eq_dec i c) as [->|]; [lra|]. specialize (Hstep i c ltac:(lia) ltac:(lia)). lra.
    + intros i level Hi' Hl. rewrite map_length in Hl. rewrite count_cut by auto.
      apply Rbar_le_trans with (Finite (INR (nth i counts 0%nat) / size - 1 / size)).
      * simpl. specialize (Hstep c i ltac:(lia) Hl). lra.
      * apply (proj2 (Glb_Rbar_correct _)). intros u [Hu _]. exact Hu.
Qed.

End Counted.
End OnRecords.
