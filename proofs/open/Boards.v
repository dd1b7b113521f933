(* docs/theorems/open.md, "open-board", on independent records with unequal laws: values in [0,1], 0/1 values, and a
   table of cells as an instance. *)

From Coq Require Import Reals Lra Lia List Arith Psatz Bool.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Count Gate Tails Budget Cells OpenGate Records Forever SharpCells Binomial Entropy Rows
  Looks OpenRows Board.
Import ListNotations.
Open Scope R_scope.

Lemma select_all {A} (l : list A) : select (repeat true (length l)) l = l.
Proof. induction l as [|a l IH]; [reflexivity|]. cbn [length repeat select]. now rewrite IH. Qed.

Section Boards.
Context {X : Type}.
Variable Ds : list (law X).
Notation P := (P Ds).
Variable rows : list bool.
Notation chosen := (select rows Ds).
Hypothesis some_rows : chosen <> nil.
Notation n := (size Ds rows).
Variable ask : node -> query X.
Variable stop : node -> bool.
Variable beta s : R.
Hypothesis beta_range : 0 < beta <= 1.
Hypothesis s_pos : 0 < s.
Variable q : node -> R.
Hypothesis q_range : forall v, 0 < q v < 1.

(* The promise that fails: at some time at which all raises were by one step, the best truth is outside of the interval
   or the interval is wider than D. *)
Definition board_fails (looks : node -> look P) (D : node -> R) (m : nat) (S : list X) : Prop :=
  exists later v, shown (cell_shown P looks) stop m S = later ++ v /\ v <> nil /\ one_step v /\
    ~ (board_low P looks beta q n v <= best P looks v <= board_high P looks beta s q n v /\
       board_high P looks beta s q n v - board_low P looks beta q n v <= D v).

Section Bounded.
Variable cuts : node -> list R.
Hypothesis cuts_ordered : forall v, ordered (cuts v).
Definition bounded_looks (v : node) : look P :=
  unit_look Ds (ask v) rows some_rows (cuts v) (cuts_ordered v).
Notation shown_score := (board P bounded_looks).
Hypothesis cut_range : forall v i, (i < length (cuts v))%nat -> 0 < nth i (cuts v) 0 <= 1.
Hypothesis first_cut : forall v, (1 <= length (cuts v))%nat -> shown_score v <= nth 0 (cuts v) 0 <= shown_score v + s.
Hypothesis second_cut : forall v, (2 <= length (cuts v))%nat -> nth 1 (cuts v) 0 <= nth 0 (cuts v) 0 + s.
Hypothesis no_cut : forall v, length (cuts v) = 0%nat -> 1 <= shown_score v + s.
Hypothesis one_cut : forall v, length (cuts v) = 1%nat -> 1 <= nth 0 (cuts v) 0 + s.

Theorem open_board_bounded (D : node -> R) m :
  (forall v, v <> nil -> all_right P bounded_looks beta q v -> one_step v ->
    wide n (level_low P bounded_looks beta q v) (level_high P bounded_looks beta q v) s (D v)) ->
  P (board_fails bounded_looks D m) <= beta.
Proof.
  assert (Hn : 0 < n) by (apply n_pos; auto).
  apply (open_board P bounded_looks stop beta beta_range (fun _ => n)) with
    (beyond := fun v i => nth i (cuts v) 0); auto.
  - intros v. apply (Records.truth_range Ds rows (ask v) some_rows).
  - intros v Hv. generalize (first_cut v Hv) (cut_range v 0 Hv). cbn [cuts_of bounded_looks unit_look]. lra.
  - intros v Hv. generalize (second_cut v Hv) (cut_range v 1 Hv). cbn [cuts_of bounded_looks unit_look]. lra.
  - intros v Hv. apply (first_cut v Hv).
  - intros v i p level Hi. now apply unit_low_end, cut_range.
  - intros v i p level Hi. now apply unit_high_end, cut_range.
  - left. intros v. apply unit_fits.
Qed.

End Bounded.

(* 0/1 values: cuts are counts. A value below the count k is at most k-1. *)
Section Counted.
Hypothesis H56 : Hoeffding1956.
Hypothesis ask_01 : forall v, zero_one (ask v).
Variable counts : node -> list nat.
Hypothesis counts_range : forall v k, In k (counts v) -> (1 <= k <= length chosen)%nat.
Hypothesis counts_rise : forall v i j, (i < j)%nat -> (j < length (counts v))%nat ->
  (nth i (counts v) 0 < nth j (counts v) 0)%nat.
Definition counted_looks (v : node) : look P :=
  count_look Ds H56 (ask v) (ask_01 v) rows some_rows (counts v) (counts_range v) (counts_rise v).
Notation shown_score := (board P counted_looks).
Notation share v i := (INR (nth i (counts v) 0%nat) / n).
Hypothesis first_count : forall v, (1 <= length (counts v))%nat -> shown_score v <= share v 0 <= shown_score v + s + 1 / n.
Hypothesis second_count : forall v, (2 <= length (counts v))%nat -> share v 1 <= share v 0 + s + 1 / n.
Hypothesis no_count : forall v, length (counts v) = 0%nat -> 1 <= shown_score v + s.
Hypothesis one_count : forall v, length (counts v) = 1%nat -> 1 <= share v 0 + s.

Lemma cuts_length v : length (cuts_of P (counted_looks v)) = length (counts v).
Proof. apply map_length. Qed.

Lemma cut_share v i : (i < length (counts v))%nat -> nth i (cuts_of P (counted_looks v)) 0 = share v i.
Proof. apply count_cut. Qed.

Lemma share_range v i : (i < length (counts v))%nat -> 1 / n <= share v i <= 1.
Proof. apply (count_range Ds rows some_rows (counts v) (counts_range v)). Qed.

Theorem open_board_counts (D : node -> R) m :
  (forall v, v <> nil -> all_right P counted_looks beta q v -> one_step v ->
    wide n (level_low P counted_looks beta q v) (level_high P counted_looks beta q v) s (D v)) ->
  P (board_fails counted_looks D m) <= beta.
Proof.
  assert (Hn : 0 < n) by (apply n_pos; auto). assert (H1n : 0 < 1 / n) by (apply Rdiv_lt_0_compat; lra).
  apply (open_board P counted_looks stop beta beta_range (fun _ => n)) with
    (beyond := fun v i => share v i - 1 / n); auto.
  - intros v. apply (Records.truth_range Ds rows (ask v) some_rows).
  - intros v i Hi. rewrite cuts_length in Hi. rewrite cut_share by auto. generalize (share_range v i Hi). lra.
  - intros v Hv. rewrite cuts_length in Hv. generalize (first_count v Hv) (share_range v 0 Hv). lra.
  - intros v Hv. rewrite cuts_length in Hv. rewrite cut_share by lia.
    generalize (second_count v Hv) (share_range v 1 Hv). lra.
  - intros v Hv. rewrite cuts_length in Hv. auto.
  - intros v Hv. rewrite cuts_length in Hv. rewrite cut_share by lia. auto.
  - intros v Hv. rewrite cuts_length in Hv. rewrite cut_share by lia. apply (first_count v Hv).
  - intros v i p level Hi. rewrite cuts_length in Hi. rewrite cut_share by auto.
    apply (count_low_end Ds rows some_rows (counts v) (counts_range v)); auto.
  - intros v i p level Hi. rewrite cuts_length in Hi. rewrite cut_share by auto.
    apply (count_high_end Ds rows some_rows (counts v) (counts_range v)); auto.
  - left. intros v. apply count_fits.
Qed.

End Counted.
End Boards.

(* A table of cells that the hypotheses of open_board_counts allow: every count above the one shown, 0/1 values, a step
   of at least a row. *)
Section Table.
Variable N : nat.

Fixpoint at_count (v : node) : nat :=
  match v with nil => 0 | O :: v => at_count v | S i :: v => nth i (seq (S (at_count v)) (N - at_count v)) 0%nat end.
Definition every_count (v : node) : list nat := seq (S (at_count v)) (N - at_count v).

Lemma at_count_le v : (at_count v <= N)%nat.
Proof.
  induction v as [|[|i] v IH]; simpl; try lia. destruct (le_lt_dec (N - at_count v) i) as [H|H].
  - rewrite nth_overflow; [lia|]. now rewrite seq_length.
  - rewrite seq_nth by auto. lia.
Qed.

Lemma every_count_range v k : In k (every_count v) -> (1 <= k <= N)%nat.
Proof. intros H. apply in_seq in H. generalize (at_count_le v). lia. Qed.

Lemma every_count_rises v i j : (i < j)%nat -> (j < length (every_count v))%nat ->
  (nth i (every_count v) 0 < nth j (every_count v) 0)%nat.
Proof. unfold every_count. rewrite seq_length. intros H Hj. rewrite !seq_nth by lia. lia. Qed.

End Table.

Theorem open_board_table {X : Type} (Ds : list (law X)) (rows : list bool) (some : select rows Ds <> nil)
  (ask : node -> query X) (ask_01 : forall v, zero_one (ask v)) (stop : node -> bool) (beta s : R) (q : node -> R)
  (H56 : Hoeffding1956) (D : node -> R) (m : nat) :
  let N := length (select rows Ds) in
  let looks := counted_looks Ds rows some ask H56 ask_01 (every_count N) (every_count_range N) (every_count_rises N) in
  0 < beta <= 1 -> 1 / size Ds rows <= s -> (forall v, 0 < q v < 1) ->
  (forall v, v <> nil -> wide (size Ds rows) (level_low _ looks beta q v) (level_high _ looks beta q v) s (D v)) ->
  P Ds (board_fails Ds rows stop beta s q looks D m) <= beta.
Proof.
  intros N looks Hb Hs Hq HD. assert (Hn : 0 < size Ds rows) by (apply n_pos; auto).
  assert (HN : INR N = size Ds rows) by reflexivity.
  assert (H1 : 0 < 1 / size Ds rows) by (apply Rdiv_lt_0_compat; lra).
  assert (Hstep : forall k, INR (S k) / size Ds rows = INR k / size Ds rows + 1 / size Ds rows).
  { intros k. rewrite S_INR. field. lra. }
  assert (Hlen : forall v, length (every_count N v) = (N - at_count N v)%nat) by (intros; apply seq_length).
  assert (Hat : forall v i, (i < N - at_count N v)%nat -> nth i (every_count N v) 0%nat = S (at_count N v + i)).
  { intros v i Hi. unfold every_count. now rewrite seq_nth. }
  assert (Hboard : forall v, board _ looks v = INR (at_count N v) / size Ds rows).
  { induction v as [|[|i] v IH]; simpl at_count.
    - simpl. unfold Rdiv. ring.
    - exact IH.
    - change (board _ looks (S i :: v)) with (nth i (cuts_of _ (looks v)) 0).
      destruct (le_lt_dec (length (every_count N v)) i) as [H|H].
      + rewrite !nth_overflow; auto; [simpl; unfold Rdiv; ring|]. unfold looks. now rewrite cuts_length.
      + unfold looks. rewrite cut_share by auto. reflexivity. }
  apply open_board_counts; auto; try lra.
  - intros v Hv. rewrite Hlen in Hv. fold looks. rewrite Hboard, Hat, Nat.add_0_r, Hstep by lia. lra.
  - intros v Hv. rewrite Hlen in Hv. rewrite !Hat by lia. rewrite Nat.add_0_r, Nat.add_1_r, (Hstep (S _)). lra.
  - intros v Hv. rewrite Hlen in Hv. fold looks. rewrite Hboard.
    replace (at_count N v) with N by (generalize (at_count_le N v); lia). rewrite HN. unfold Rdiv. rewrite Rinv_r; lra.
  - intros v Hv. rewrite Hlen in Hv. rewrite Hat by lia.
    replace (S (at_count N v + 0)) with N by lia. rewrite HN. unfold Rdiv. rewrite Rinv_r; lra.
Qed.
