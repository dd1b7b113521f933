(* docs/theorems/open.md, "open-board": the board as an instance of the cell theorem, the best truth of all that was
   submitted, and the width of its interval. *)

From Coq Require Import Reals Lra Lia List Arith Psatz Bool.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Count Gate Tails Budget Cells OpenGate Records Forever SharpCells Binomial Entropy Rows
  Looks OpenRows.
Import ListNotations.
Open Scope R_scope.

Notation node := (list nat).

(* How many of the responses raised the board. *)
Definition raises (v : node) : nat := length (filter (fun c => 0 <? c)%nat v).

Section Board.
Context {Omega : Type}.
Variable P : outer Omega.
Variable looks : node -> look P.
Variable stop : node -> bool.
Variable beta : R.
Hypothesis beta_range : 0 < beta <= 1.
Variable size : node -> R.          (* rows *)
Hypothesis size_pos : forall v, 0 < size v.
Variable s : R.                     (* the step *)
Hypothesis s_pos : 0 < s.
Variable q : node -> R.             (* the share of a raise *)
Hypothesis q_range : forall v, 0 < q v < 1.

Notation cuts v := (cuts_of P (looks v)).
Notation truth v := (truth_of P (looks v)).
Notation cut v i := (nth i (cuts v) 0).
Notation K v := (length (cuts v)).

(* What is shown: the lower cut of the cell that was shown last; nought at the start. *)
Fixpoint board (v : node) : R :=
  match v with
  | nil => 0
  | O :: v => board v
  | S i :: v => cut v i
  end.

(* The code: keep has the share 1 - q, the raise i has q (1/i - 1/(i+1)), the last one q/i. *)
Definition share (v : node) (c : nat) : R :=
  match K v with O => if (c =? 0)%nat then 1 else 0 | S k => raise (q v) k c end.
Fixpoint W (v : node) : R := match v with nil => 1 | c :: v => W v * share v c end.

(* The best truth of all that was submitted. *)
Fixpoint best (v : node) : R := match v with nil => 0 | _ :: v => Rmax (best v) (truth v) end.

Hypothesis truth_range : forall v, 0 <= truth v <= 1.
(* The cuts are in [0,1], no more than a step beyond what is shown, or beyond the cut before, up to rounding by
   [beyond v i], the number that a value below the cut i does not exceed. Where there is no cut, 1 is within a step. *)
Variable beyond : node -> nat -> R.
Hypothesis cut_range : forall v i, (i < K v)%nat -> 0 < cut v i <= 1.
Hypothesis beyond_first : forall v, (1 <= K v)%nat -> 0 <= beyond v 0 <= board v + s.
Hypothesis beyond_second : forall v, (2 <= K v)%nat -> 0 <= beyond v 1 <= cut v 0 + s.
Hypothesis last_first : forall v, K v = 0%nat -> 1 <= board v + s.
Hypothesis last_second : forall v, K v = 1%nat -> 1 <= cut v 0 + s.
Hypothesis board_rises : forall v, (1 <= K v)%nat -> board v <= cut v 0.
(* The ends are no worse than those of the relative entropy. *)
Hypothesis low_end : forall v i p level, (i < K v)%nat -> 0 < p < cut v i -> exp (- size v * kl (cut v i) p) <= level ->
  Rbar_le p (lower_of P (looks v) (cut v i) level).
Hypothesis high_end : forall v i p level, (i < K v)%nat -> beyond v i < p < 1 ->
  exp (- size v * kl (beyond v i) p) <= level -> Rbar_le (upper_of P (looks v) (cut v i) level) p.
Hypothesis looks_fit : (forall v, fits P (looks v)) \/ beta < 1 / 2 /\ 1 <= P (fun _ => True).
(* The rows are the same for all looks that are compared. *)
Variable n : R.
Hypothesis same_rows : forall v, size v = n.

Lemma share_nonneg v c : 0 <= share v c.
Proof.
  unfold share. destruct (K v); [destruct (c =? 0)%nat; lra|]. apply raise_nonneg. generalize (q_range v). lra.
Qed.

Lemma share_total v : sumR (seq 0 (S (K v))) (share v) = 1.
Proof.
  unfold share. destruct (K v) as [|k]; [simpl; lra|]. apply raise_total.
Qed.

Lemma share_le_1 v c : (c <= K v)%nat -> share v c <= 1.
Proof.
  intros Hc. rewrite <- (share_total v). apply (sumR_term _ (share v)); [intros; apply share_nonneg|]. apply in_seq. lia.
Qed.

Lemma W_nonneg v : 0 <= W v.
Proof. induction v; simpl; [lra|]. apply Rmult_le_pos; auto. apply share_nonneg. Qed.

Lemma W_sum v : sumR (seq 0 (S (K v))) (fun c => W (c :: v)) <= W v.
Proof. simpl W. rewrite sumR_scal, share_total. lra. Qed.

Lemma W_child v c : (c <= K v)%nat -> W (c :: v) <= W v.
Proof. intros Hc. simpl. generalize (share_le_1 v c Hc) (W_nonneg v). nra. Qed.

Definition said (v : node) (c : nat) : Prop := right_at P looks W beta v c.
Definition all_right (v : node) : Prop := forall later c u, v = later ++ c :: u -> (c <= K u)%nat /\ said u c.
Definition one_step (v : node) : Prop := forall c, In c v -> (c <= 1)%nat.

Lemma all_right_tail c v : all_right (c :: v) -> all_right v.
Proof. intros H later d u E. apply (H (c :: later) d u). simpl. now rewrite E. Qed.

Lemma all_right_W v later u : all_right v -> v = later ++ u -> W v <= W u.
Proof.
  revert v. induction later as [|c later IH]; intros v H E; simpl in E; subst v; [lra|].
  apply Rle_trans with (W (later ++ u)).
  - apply W_child. now apply (H nil c (later ++ u)).
  - apply (IH _ (all_right_tail _ _ H)). reflexivity.
Qed.

(* The masses above and below the cuts. *)
Lemma up_first v : (1 <= K v)%nat -> up (fun v => cuts v) W (fun _ => 0) v 1 = W v * q v.
Proof.
  intros Hk. unfold up. rewrite Rplus_0_r. unfold Cells.K. simpl W. unfold share.
  destruct (K v) as [|k] eqn:E; [lia|].
  assert (H := raise_up (q v) k 0 ltac:(lia)). simpl INR in H.
  unfold Up in *. rewrite sumR_scal. rewrite H. field.
Qed.

Lemma down_of v c : (c < K v)%nat -> down (fun v => cuts v) W (fun _ => 0) v c = W v * (1 - q v / INR (S c)).
Proof.
  intros Hk. unfold down. rewrite Rplus_0_r. unfold Cells.K. simpl W. unfold share.
  destruct (K v) as [|k] eqn:E; [lia|].
  assert (H := raise_down (q v) k c ltac:(lia)). unfold Down in *. rewrite sumR_scal. now rewrite H.
Qed.

Lemma said_raise v c : (1 <= K v)%nat -> (1 <= c <= K v)%nat -> said v c ->
  Rbar_le (lower_of P (looks v) (cut v 0) (beta * (W v * q v))) (truth v).
Proof.
  intros Hk Hc [H _]. apply Rbar_not_lt_le. intros Hlt. apply Rbar_le_not_lt in H. apply H.
  unfold lower_said, Lsharp. apply lt_max_to. exists 1%nat. split; [lia|]. simpl.
  rewrite up_first by auto. exact Hlt.
Qed.

Lemma said_below v c : (c < K v)%nat -> said v c ->
  Rbar_le (truth v) (upper_of P (looks v) (cut v c) (beta * (W v * (1 - q v / INR (S c))))).
Proof.
  intros Hk [_ H]. apply Rbar_not_lt_le. intros Hlt. apply Rbar_le_not_lt in H. apply H.
  unfold upper_said, Usharp. apply min_from_lt. exists c. split; [lia|]. unfold upper_end.
  destruct (Nat.ltb_spec c (Cells.K (fun v => cuts v) v)) as [Hl|Hl]; [|unfold Cells.K in Hl; lia].
  rewrite down_of by auto. exact Hlt.
Qed.

(* The ends of the interval for the best truth, after the look that was answered last. *)
Definition level_low (v : node) : R :=
  match v with nil => 1 | O :: u => beta * W u | S _ :: u => beta * (W u * q u) end.
Definition level_high (v : node) : R :=
  match v with nil => 1 | O :: u => beta * (W u * (1 - q u)) | S _ :: u => beta * (W u * (1 - q u / 2)) end.

Definition board_low (v : node) : R := real (Glb_Rbar (left_low n (level_low v) (board v))).
Definition board_high (v : node) : R := real (Lub_Rbar (left_high n (level_high v) (Rmin (board v + s) 1))).

Lemma board_nonneg v : all_right v -> 0 <= board v <= 1.
Proof.
  induction v as [|[|i] v IH]; intros H; simpl; [lra|apply IH; now apply all_right_tail in H|].
  assert (Hc : (S i <= K v)%nat) by now apply (H nil (S i) v). generalize (cut_range v i ltac:(lia)). lra.
Qed.

Lemma low_finite v : all_right v -> is_glb_Rbar (left_low n (level_low v) (board v)) (board_low v).
Proof.
  intros Hv. assert (Hb := board_nonneg v Hv). unfold board_low.
  assert (H := Glb_Rbar_correct (left_low n (level_low v) (board v))).
  destruct (Glb_Rbar _) as [x| |] eqn:E; auto; exfalso; destruct H as [H1 H2].
  - apply (H1 (board v)). split; [lra|now left].
  - apply (H2 (Finite 0)). intros c [Hc _]. simpl. lra.
Qed.

Lemma high_finite v : all_right v ->
  is_lub_Rbar (left_high n (level_high v) (Rmin (board v + s) 1)) (board_high v).
Proof.
  intros Hv. assert (Hb := board_nonneg v Hv). unfold board_high. set (y := Rmin (board v + s) 1).
  assert (Hy : y <= 1) by apply Rmin_r.
  assert (H := Lub_Rbar_correct (left_high n (level_high v) y)).
  destruct (Lub_Rbar _) as [x| |] eqn:E; auto; exfalso; destruct H as [H1 H2].
  - apply (H2 (Finite 1)). intros u [Hu _]. simpl. lra.
  - apply (H1 y). split; [lra|now left].
Qed.

(* The last raise before: its level is at least what is left now. *)
Lemma raised v : all_right v -> one_step v -> board v = 0 \/
  exists later u, v = later ++ 1%nat :: u /\ (1 <= K u)%nat /\ board v = cut u 0 /\ said u 1 /\
    W v <= W u * q u.
Proof.
  induction v as [|[|i] v IH]; intros Hr H1; [now left| |].
  - assert (Hr' := all_right_tail _ _ Hr).
    destruct (IH Hr' ltac:(intros c Hc; apply H1; simpl; auto)) as [H|(later & u & -> & Hk & Hb & Hs & HW)]; [now left|].
    right. exists (0%nat :: later), u. split; [reflexivity|]. split; [exact Hk|]. split; [exact Hb|].
    split; [exact Hs|]. eapply Rle_trans; [|exact HW]. apply W_child. lia.
  - assert (i = 0%nat) by (specialize (H1 (S i) ltac:(simpl; auto)); lia). subst i.
    destruct (Hr nil 1%nat v eq_refl) as [Hk Hs]. right. exists nil, v. split; [reflexivity|].
    split; [exact Hk|]. split; [reflexivity|]. split; [exact Hs|]. simpl.
    apply Rmult_le_compat_l; [apply W_nonneg|]. unfold share. destruct (K v) as [|k] eqn:E; [lia|].
    unfold raise. generalize (q_range v). destruct (1 <? S k)%nat; simpl INR; lra.
Qed.

(* Each truth is within the ends of its own response. *)
Lemma each_below v later c u : all_right v -> one_step v -> v = later ++ c :: u ->
  forall p level, Rmin (board v + s) 1 < p -> p < 1 ->
  level <= beta * W (c :: u) \/ later = nil /\ level <= level_high v ->
  exp (- n * kl (Rmin (board v + s) 1) p) <= level -> truth u <= p.
Proof.
  intros Hr H1 E p level Hyp Hp1 Hlevel Hex.
  assert (Hc : (c <= 1)%nat) by (apply H1; rewrite E; apply in_or_app; right; simpl; auto).
  destruct (Hr later c u E) as [Hk Hs].
  assert (Htail : all_right (c :: u)).
  { clear - Hr E. revert v Hr E. induction later as [|d later IH]; intros v Hr E; simpl in E; subst v; auto.
    apply (IH _ (all_right_tail _ _ Hr)). reflexivity. }
  (* The board does not fall. *)
  assert (Hmono : board (c :: u) <= board v).
  { clear - Hr E H1 board_rises. revert v Hr H1 E. induction later as [|d later IH]; intros v Hr H1 E; simpl in E; subst v; [lra|].
    assert (Hr' := all_right_tail _ _ Hr).
    specialize (IH _ Hr' ltac:(intros x Hx; apply H1; simpl; auto) eq_refl).
    destruct d as [|i]; [exact IH|]. assert (i = 0%nat) by (specialize (H1 (S i) ltac:(simpl; auto)); lia). subst i.
    destruct (Hr nil 1%nat (later ++ c :: u) eq_refl) as [Hk' _].
    change (board (1%nat :: later ++ c :: u)) with (cut (later ++ c :: u) 0).
    eapply Rle_trans; [exact IH|]. now apply board_rises. }
  assert (Hbv := board_nonneg v Hr). assert (Hbc := board_nonneg _ Htail).
  assert (Hbs : board v + s < p).
  { revert Hyp. unfold Rmin. destruct (Rle_dec (board v + s) 1); lra. }
  assert (Hmin : Rmin (board v + s) 1 = board v + s) by (apply Rmin_left; lra). rewrite Hmin in *.
  assert (HWu := W_nonneg u). assert (Hq := q_range u).
  (* The cell c is not the last: what its response says of the truth. *)
  assert (Hend : forall y, (c < K u)%nat -> 0 <= beyond u c <= board v + s -> q u / INR (S c) = y ->
    level <= beta * (W u * (1 - y)) -> truth u <= p).
  { intros y Hcut Hz <- Hl. assert (Hb := said_below u c Hcut Hs).
    assert (Hlev : exp (- size u * kl (beyond u c) p) <= beta * (W u * (1 - q u / INR (S c)))).
    { rewrite same_rows. eapply Rle_trans; [|exact Hl]. eapply Rle_trans; [|exact Hex]. apply exp_le.
      assert (kl (board v + s) p <= kl (beyond u c) p) by (apply kl_rises_down; lra).
      specialize (size_pos u). rewrite same_rows in size_pos. nra. }
    assert (Hh := high_end u c p _ Hcut ltac:(lra) Hlev).
    assert (Ht : Rbar_le (truth u) p) by (eapply Rbar_le_trans; [exact Hb|exact Hh]). exact Ht. }
  destruct c as [|[|c]]; [| |lia]; simpl in Hmono.
  - (* kept *)
    destruct (K u) as [|k] eqn:EK; [generalize (last_first u EK) (truth_range u); lra|].
    apply (Hend (q u)); [lia|generalize (beyond_first u ltac:(lia)); lra|simpl; field|].
    destruct Hlevel as [Hl|[-> Hl]].
    + eapply Rle_trans; [exact Hl|]. apply Rmult_le_compat_l; [lra|]. simpl. unfold share. rewrite EK. simpl. lra.
    + simpl in E. rewrite E in Hl. exact Hl.
  - (* raised by one step *)
    destruct (K u) as [|[|k]] eqn:EK; [lia|generalize (last_second u EK) (truth_range u); lra|].
    apply (Hend (q u / 2)); [lia|generalize (beyond_second u ltac:(lia)); lra|simpl INR; f_equal; ring|].
    destruct Hlevel as [Hl|[-> Hl]].
    + eapply Rle_trans; [exact Hl|]. apply Rmult_le_compat_l; [lra|]. simpl. unfold share. rewrite EK. simpl.
      apply Rmult_le_compat_l; lra.
    + simpl in E. rewrite E in Hl. exact Hl.
Qed.

Lemma best_attained v : all_right v -> v = nil \/ exists later c u, v = later ++ c :: u /\ best v <= truth u.
Proof.
  induction v as [|c v IH]; intros Hr; [now left|]. right. simpl. unfold Rmax.
  destruct (Rle_dec (best v) (truth v)) as [H|H]; [exists nil, c, v; split; auto; lra|].
  destruct (IH (all_right_tail _ _ Hr)) as [->|(later & d & u & -> & Hu)].
  - simpl in H. generalize (truth_range nil). simpl in *. lra.
  - exists (c :: later), d, u. split; [reflexivity|exact Hu].
Qed.

Lemma best_ge v later c u : v = later ++ c :: u -> truth u <= best v.
Proof.
  revert v. induction later as [|d later IH]; intros v E; simpl in E; subst v; simpl; [apply Rmax_r|].
  eapply Rle_trans; [apply (IH _ eq_refl)|apply Rmax_l].
Qed.

Lemma best_nonneg v : 0 <= best v.
Proof. induction v; simpl; [lra|]. eapply Rle_trans; [exact IHv|apply Rmax_l]. Qed.

Lemma level_low_least v later u : all_right v -> one_step v -> v = later ++ 1%nat :: u ->
  level_low v <= beta * (W u * q u).
Proof.
  intros Hr H1 E. destruct v as [|c v]; [destruct later; discriminate|].
  assert (Hr' := all_right_tail _ _ Hr). assert (Hq := q_range u).
  destruct later as [|d later]; simpl in E; injection E as -> ->; simpl; [lra|].
  assert (HW : W (later ++ 1%nat :: u) <= W u * q u).
  { assert (Hru : all_right (1%nat :: u)).
    { intros l x w Ew. apply (Hr (d :: later ++ l) x w). simpl. rewrite Ew, app_assoc_reverse. reflexivity. }
    eapply Rle_trans; [apply (all_right_W _ later (1%nat :: u) Hr' eq_refl)|]. simpl.
    destruct (Hru nil 1%nat u eq_refl) as [Hk _]. apply Rmult_le_compat_l; [apply W_nonneg|].
    unfold share. destruct (K u) as [|k]; [lia|]. unfold raise. destruct (1 <? S k)%nat; simpl INR; lra. }
  assert (HWn := W_nonneg (later ++ 1%nat :: u)). assert (Hqd := q_range (later ++ 1%nat :: u)).
  destruct d; apply Rmult_le_compat_l; nra.
Qed.

(* All that was said being right, the best truth lies in the interval. *)
Theorem best_within v : all_right v -> one_step v -> v <> nil -> board_low v <= best v <= board_high v.
Proof.
  intros Hr H1 Hne. assert (Hb := board_nonneg v Hr). split.
  - apply Rnot_lt_le. intros Hlt. destruct (low_finite v Hr) as [Hlb _].
    assert (Hbest := best_nonneg v).
    destruct (raised v Hr H1) as [H0|(later & u & E & Hk & Hc & Hs & _)].
    + assert (H := Hlb (board v) ltac:(split; [lra|now left])). simpl in H. lra.
    + assert (H := Hlb (board v) ltac:(split; [lra|now left])). simpl in H.
      set (p := (best v + board_low v) / 2). assert (Hp : best v < p < board_low v) by (unfold p; lra).
      assert (Hex : exp (- n * kl (board v) p) < level_low v).
      { apply Rnot_le_lt. intros Hle.
        assert (Hm := Hlb p ltac:(split; [lra|right; split; [lra|exact Hle]])). simpl in Hm. lra. }
      assert (Hl := low_end u 0 p (beta * (W u * q u)) ltac:(lia) ltac:(lra)).
      rewrite same_rows, <- Hc in Hl. specialize (Hl ltac:(generalize (level_low_least v later u Hr H1 E); lra)).
      assert (Ht := said_raise u 1 Hk ltac:(lia) Hs). rewrite <- Hc in Ht.
      assert (Hpt : Rbar_le p (truth u)) by (eapply Rbar_le_trans; [exact Hl|exact Ht]). simpl in Hpt.
      generalize (best_ge v later 1%nat u E). lra.
  - apply Rnot_lt_le. intros Hlt. destruct (high_finite v Hr) as [Hub _].
    destruct (best_attained v Hr) as [->|(later & c & u & E & Hu)]; [now elim Hne|].
    set (y := Rmin (board v + s) 1) in *.
    assert (H := Hub y ltac:(split; [unfold y; generalize (Rmin_r (board v + s) 1); lra|now left])). simpl in H.
    assert (Ht := truth_range u).
    set (p := (truth u + board_high v) / 2). assert (Hp : board_high v < p < truth u) by (unfold p; lra).
    assert (Hex : exp (- n * kl y p) < level_high v).
    { apply Rnot_le_lt. intros Hle.
      assert (Hm := Hub p ltac:(split; [lra|right; split; [lra|exact Hle]])). simpl in Hm. lra. }
    assert (Hle : truth u <= p); [|lra].
    apply (each_below v later c u Hr H1 E p (level_high v)); fold y; try lra.
    destruct later as [|d later]; [right; split; [reflexivity|lra]|left].
    rewrite E in Hr |- *. simpl in Hr. assert (Hr' := all_right_tail _ _ Hr).
    assert (HW := all_right_W _ later (c :: u) Hr' eq_refl).
    assert (HWn := W_nonneg (later ++ c :: u)). assert (Hq := q_range (later ++ c :: u)).
    destruct d; cbn [app level_high]; apply Rmult_le_compat_l; nra.
Qed.

(* "open-board": whatever the analyst submits, the best truth is within half of D of the middle of its interval at all
   times up to m at which all raises were by one step; D is the greatest width, [wide] at the two levels. *)
Theorem open_board (D : node -> R) m :
  (forall v, v <> nil -> all_right v -> one_step v -> wide n (level_low v) (level_high v) s (D v)) ->
  P (fun w => exists later v, shown (cell_shown P looks) stop m w = later ++ v /\ v <> nil /\
     one_step v /\ ~ (board_low v <= best v <= board_high v /\ board_high v - board_low v <= D v)) <= beta.
Proof.
  intros HD. eapply Rle_trans; [|apply (any_looks P looks stop W beta) with (m := m)].
  - apply Pr_mono. intros w (later & v & Hs & Hne & H1 & Hno).
    apply Classical_Prop.NNPP. intros Hgood. apply Hno.
    assert (Hr : all_right v).
    { intros l c u E. split.
      - assert (Hin : forall j x l, play (cell_shown P looks) stop j x w = l ++ c :: u ->
           (exists l', x = l' ++ c :: u) \/ (c <= K u)%nat).
        { clear. induction j as [|j IH]; intros x l E; simpl in E; [left; eauto|].
          destruct (stop x); [left; eauto|]. destruct (IH _ _ E) as [(l' & E')|H]; [|now right].
          destruct l' as [|d l']; simpl in E'; injection E' as E1 E2; [right|left; eauto].
          rewrite <- E1, <- E2. apply cell_of_le. }
        unfold shown in Hs. rewrite E in Hs. rewrite app_assoc in Hs.
        destruct (Hin m nil (later ++ l) Hs) as [(l' & E')|H]; auto. now destruct l'.
      - apply Classical_Prop.NNPP. intros Hn. apply Hgood. exists (later ++ l), c, u. split; [|exact Hn].
        rewrite Hs, E, app_assoc. reflexivity. }
    split; [now apply best_within|].
    assert (Hb := board_nonneg v Hr). assert (Hw := HD v Hne Hr H1). unfold wide in Hw.
    specialize (fun c u => Hw (board v) c u Hb).
    destruct (low_finite v Hr) as [_ Hg]. destruct (high_finite v Hr) as [_ Hl].
    assert (Hlow : board_high v - D v <= board_low v).
    { apply (Hg (Finite (board_high v - D v))). intros c Hc. simpl.
      assert (Hh : Rbar_le (Finite (board_high v)) (Finite (c + D v))).
      { apply (Hl (Finite (c + D v))). intros u Hu. simpl. specialize (Hw c u Hc Hu). lra. }
      simpl in Hh. lra. }
    lra.
  - lra.
  - apply W_nonneg.
  - simpl. lra.
  - apply W_sum.
  - exact looks_fit.
Qed.

(* The levels of the plan: the bets with Beta weights, and for each raise before a half. *)
Theorem board_code (a b : R) v : (forall u, q u = (a + INR (raises u)) / (a + b + INR (length u))) ->
  all_right v -> one_step v ->
  code (fun u => (a + INR (passes u)) / (a + b + INR (length u))) (map (fun c => (0 <? c)%nat) v) *
    (1 / 2)^(raises v) <= W v.
Proof.
  intros Hq. induction v as [|c v IH]; intros Hr H1; [simpl; lra|].
  assert (Hr' := all_right_tail _ _ Hr). specialize (IH Hr' ltac:(intros x Hx; apply H1; simpl; auto)).
  destruct (Hr nil c v eq_refl) as [Hk _]. assert (Hc := H1 c ltac:(simpl; auto)).
  assert (Hp : forall u, passes (map (fun c => (0 <? c)%nat) u) = raises u).
  { clear. induction u as [|c u IH]; [reflexivity|]. unfold raises, passes in *. simpl.
    destruct c; simpl; rewrite IH; reflexivity. }
  cbn [map code]. rewrite Hp, map_length, <- Hq. assert (Hqr := q_range v).
  assert (Hcode : 0 <= code (fun u => (a + INR (passes u)) / (a + b + INR (length u))) (map (fun c => (0 <? c)%nat) v) *
    (1 / 2)^(raises v)).
  { apply Rmult_le_pos; [|apply pow_le; lra]. clear - Hq Hp q_range. induction v as [|c v IH]; simpl; [lra|].
    apply Rmult_le_pos; auto. rewrite Hp, map_length, <- Hq. generalize (q_range v). destruct (0 <? c)%nat; lra. }
  destruct c as [|[|c]]; [| |lia].
  - change (0 <? 0)%nat with false. cbv iota. change (raises (0%nat :: v)) with (raises v). simpl W.
    assert (1 - q v <= share v 0) by (unfold share; destruct (K v); simpl; lra).
    assert (HW := W_nonneg v). set (x := code _ _) in *. set (y := (1 / 2)^(raises v)) in *.
    assert (0 <= 1 - q v) by lra. assert (x * y * (1 - q v) <= W v * (1 - q v)) by (apply Rmult_le_compat_r; lra).
    apply Rle_trans with (W v * (1 - q v)); [lra|apply Rmult_le_compat_l; lra].
  - change (raises (1%nat :: v)) with (S (raises v)). change (0 <? 1)%nat with true. cbv iota. simpl W. simpl pow.
    assert (q v * (1 / 2) <= share v 1).
    { unfold share. destruct (K v) as [|[|k]] eqn:E; [lia| |]; simpl; lra. }
    assert (HW := W_nonneg v). set (x := code _ _) in *. set (y := (1 / 2)^(raises v)) in *.
    assert (x * y * (q v * (1 / 2)) <= W v * (q v * (1 / 2))) by (apply Rmult_le_compat_r; lra).
    apply Rle_trans with (W v * (q v * (1 / 2))); [lra|apply Rmult_le_compat_l; lra].
Qed.

End Board.
