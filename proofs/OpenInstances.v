(* As RowInstances.v: the theorems of rows of open plans, and more of 0/1 values, at numbers. *)

From Coq Require Import Reals Lra Lia List Arith Psatz Bool.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Count Gate Tails Budget Cells OpenGate Records SharpCells Binomial Entropy Rows
  Guesses Looks OpenRows Board Boards Guess BreakPoints Sides Coins Instances RowInstances.
From dpcalc Require Normal Sparse Ladder.
Import ListNotations.
Open Scope R_scope.
Opaque coins N.

(* All rows of a thousand coins. *)
Definition all : list bool := repeat true (length Ds).

Lemma everyone : select all Ds = Ds.
Proof. apply select_all. Qed.

Lemma someone : select all Ds <> nil.
Proof. rewrite everyone. exact some. Qed.

Lemma size_all : size Ds all = 1000.
Proof. unfold size. rewrite everyone. exact thousand. Qed.

Lemma rare k x : x <= - INR k -> exp x <= (1/2)^k.
Proof.
  intros H. eapply Rle_trans; [apply exp_le, H|]. clear H x. induction k as [|k IH].
  - simpl. rewrite Ropp_0, exp_0. lra.
  - rewrite S_INR. replace (- (INR k + 1)) with (- INR k + - (1)) by ring. rewrite exp_plus. cbn [pow].
    assert (H1 := exp_pos (- INR k)). assert (H2 := exp_pos (- (1))). assert (H3 := exp_ge_1 1).
    assert (H4 : exp (- (1)) * exp 1 = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
    assert (exp (- (1)) <= 1/2) by nra. rewrite (Rmult_comm (1/2)). apply Rmult_le_compat; lra.
Qed.

(* An open gate at the bar .8, by the code of dpcalc: ten looks without a pass. After them the bar is 0. *)
Definition on (v : list bool) : bool := ((length v <? 10) && (passes v =? 0))%nat.
Definition bar (v : list bool) : R := if on v then 8/10 else 0.
Definition upper (v : list bool) : R := if on v then 97/100 else 1.
Definition ended (v : list bool) : bool := negb (on v).

Lemma bar_below v : bar v <= upper v.
Proof. unfold bar, upper. destruct (on v); lra. Qed.

Definition two_looks : beta_code (1/2) 2 [false; true] = rise (1/2) 1 * rise 2 1 / rise (1/2 + 2) 2 :=
  beta_code_closed (1/2) 2 ltac:(lra) ltac:(lra) [false; true].

Lemma fails_left v : passes v = 0%nat -> (4/5)^(length v) <= beta_code (1/2) 2 v.
Proof.
  induction v as [|[|] v IH]; intros H; [simpl; lra|discriminate|]. change (passes v = 0%nat) in H. specialize (IH H).
  change ((4/5) * (4/5)^(length v) <= beta_code (1/2) 2 v * (1 - beta_bet (1/2) 2 v)).
  assert (H5 : beta_bet (1/2) 2 v <= 1/5).
  { unfold beta_bet. rewrite H. change (INR 0) with 0. assert (Hl := pos_INR (length v)). apply Rle_div_l; lra. }
  assert (H0 : 0 <= (4/5)^(length v)) by (apply pow_le; lra).
  replace (4/5 * (4/5)^(length v)) with ((4/5)^(length v) * (4/5)) by ring. apply Rmult_le_compat; lra.
Qed.

Lemma levels_on v : on v = true -> 1/5000 <= level_pass (1/2) 2 (1/20) v /\ 1/200 <= level_fail (1/2) 2 (1/20) v.
Proof.
  intros H. apply andb_prop in H. destruct H as [Hl Hp]. apply Nat.ltb_lt in Hl. apply Nat.eqb_eq in Hp.
  assert (HW := fails_left v Hp). set (w := beta_code (1/2) 2 v) in *.
  assert (H9 : 134/1000 <= (4/5)^(length v)).
  { destruct (length v) as [|[|[|[|[|[|[|[|[|[|k]]]]]]]]]]; [..|lia]; simpl; lra. }
  assert (Hb : 1/23 <= beta_bet (1/2) 2 v <= 1/5).
  { unfold beta_bet. rewrite Hp. assert (H0 := pos_INR (length v)). assert (INR (length v) <= 9).
    { change 9 with (IZR (Z.of_nat 9)). rewrite <- INR_IZR_INZ. apply le_INR. lia. }
    change (INR 0) with 0. split; [|apply Rle_div_l; lra].
    apply (Rle_div_r (1/23) (1/2 + 0) (1/2 + 2 + INR (length v))); lra. }
  change (level_pass (1/2) 2 (1/20) v) with (1/20 * (w * beta_bet (1/2) 2 v)).
  change (level_fail (1/2) 2 (1/20) v) with (1/20 * (w * (1 - beta_bet (1/2) 2 v))).
  assert (H1 : 134/1000 * (1/23) <= w * beta_bet (1/2) 2 v) by (apply Rmult_le_compat; lra).
  assert (H2 : 134/1000 * (4/5) <= w * (1 - beta_bet (1/2) 2 v)) by (apply Rmult_le_compat; lra). lra.
Qed.

Definition threshold (v : list bool) : R := if on v then 9/10 else 1/2.

Lemma threshold_low v : low_cert (size Ds all) (threshold v) (level_pass (1/2) 2 (1/20) v) (bar v).
Proof.
  rewrite size_all. unfold threshold, bar. destruct (on v) eqn:H; [|apply low_zero; lra].
  destruct (levels_on v H) as [Hl _]. apply low_hoeffding; [lra|]. eapply Rle_trans; [apply (rare 20)|]; simpl; lra.
Qed.

Lemma threshold_up v :
  1 <= upper v \/ up_cert (size Ds all) (threshold v) (level_fail (1/2) 2 (1/20) v) (upper v).
Proof.
  rewrite size_all. unfold threshold, upper. destruct (on v) eqn:H; [right|left; lra].
  destruct (levels_on v H) as [_ Hl]. apply low_hoeffding; [lra|]. eapply Rle_trans; [apply (rare 9)|]; simpl; lra.
Qed.

Definition open_gate_at_bar (a : list bool -> query bool) (m : nat) : P Ds _ <= 1/20 :=
  open_gate_bar Ds (1/2) 2 (1/20) ltac:(lra) ltac:(lra) ltac:(lra) a (fun _ => all) (fun _ => someone) bar ended
    threshold upper m bar_below threshold_low threshold_up.

Definition passing (v : list bool) : nat := if on v then 900%nat else 1%nat.

Lemma passing_holds v : (1 <= passing v <= length (select all Ds))%nat /\
  count_cert (select all Ds) (bar v) (passing v) (level_pass (1/2) 2 (1/20) v) /\
  (1 <= upper v \/ fewer_cert (select all Ds) (upper v) (passing v) (level_fail (1/2) 2 (1/20) v)).
Proof.
  rewrite everyone. unfold fewer_cert. rewrite coins_length. unfold passing, bar, upper. destruct (on v) eqn:H.
  - destruct (levels_on v H) as [Hp Hf]. split; [lia|]. split; [|right].
    + apply count_kl; rewrite ?thousand, ?(INR_IZR_INZ 900); simpl IZR; try lra.
      eapply Rle_trans; [apply (rare 20)|simpl; lra]. generalize (rate_floor (1/10) (8/10) ltac:(lra) ltac:(lra)).
      replace (8/10 + 1/10) with (900/1000) by lra. simpl INR. lra.
    + replace (S 1000 - 900)%nat with 101%nat by reflexivity.
      apply count_kl; rewrite ?thousand, ?(INR_IZR_INZ 101); simpl IZR; try lra.
      eapply Rle_trans; [apply (rare 9)|simpl; lra].
      generalize (rate_floor (71/1000) (1 - 97/100) ltac:(lra) ltac:(lra)).
      replace (1 - 97/100 + 71/1000) with (101/1000) by lra. simpl INR. lra.
  - destruct (levels (1/2) 2 (1/20) ltac:(lra) ltac:(lra) ltac:(lra) v) as [Hl _].
    split; [lia|]. split; [apply count_none; [lra|lra|lia]|left; lra].
Qed.

Definition open_gate_of_counts (H : Hoeffding1956) (a : list bool -> query bool) (z : forall v, zero_one (a v))
  (m : nat) : P Ds _ <= 1/20 :=
  open_gate_bar_counts Ds (1/2) 2 (1/20) ltac:(lra) ltac:(lra) ltac:(lra) a (fun _ => all) (fun _ => someone) bar
    ended passing upper m H z bar_below passing_holds.

(* A board that rises by a hundredth or more. *)
Definition hundredths (v : node) : list R := map (fun k => INR k / 100) (every_count 100 v).

Lemma hundredth v i : nth i (hundredths v) 0 = INR (nth i (every_count 100 v) 0%nat) / 100.
Proof.
  assert (E : 0 = INR 0 / 100) by (simpl; lra). rewrite E at 1. apply (map_nth (fun k => INR k / 100)).
Qed.

Lemma hundredths_length v : length (hundredths v) = (100 - at_count 100 v)%nat.
Proof. unfold hundredths. rewrite map_length. apply seq_length. Qed.

Lemma next v i : (i < length (hundredths v))%nat -> nth i (hundredths v) 0 = (INR (at_count 100 v) + INR i + 1) / 100.
Proof.
  rewrite hundredths_length, hundredth. intros Hi. unfold every_count. rewrite seq_nth by auto.
  rewrite plus_INR, S_INR. field.
Qed.

Lemma hundredths_rise v : ordered (hundredths v).
Proof. intros i j Hij Hj. rewrite !next by lia. generalize (le_INR _ _ Hij). lra. Qed.

Lemma hundred : INR 100 = 100.
Proof. now rewrite INR_IZR_INZ. Qed.

Lemma hundredths_range v i : (i < length (hundredths v))%nat -> 0 < nth i (hundredths v) 0 <= 1.
Proof.
  intros Hi. rewrite next by auto. rewrite hundredths_length in Hi. assert (H := le_INR (at_count 100 v + i + 1) 100).
  rewrite !plus_INR, hundred in H. specialize (H ltac:(lia)). simpl INR in H.
  generalize (pos_INR (at_count 100 v)) (pos_INR i). lra.
Qed.

Section BoardOfValues.
Variable a : node -> query bool.
Notation looks := (bounded_looks Ds all someone a hundredths hundredths_rise).

Lemma board_at v : board (P Ds) looks v = INR (at_count 100 v) / 100.
Proof.
  induction v as [|[|i] v IH]; cbn [at_count].
  - simpl. lra.
  - exact IH.
  - change (board (P Ds) looks (S i :: v)) with (nth i (hundredths v) 0). rewrite hundredth. reflexivity.
Qed.

Notation q := (fun _ : node => 1/5).
Notation low := (Board.level_low (P Ds) looks (1/20) q).
Notation high := (Board.level_high (P Ds) looks (1/20) q).

Lemma board_of_values (stop : node -> bool) (m : nat) :
  P Ds (board_fails Ds all stop (1/20) (1/100) q looks
    (fun v => width (size Ds all) (low v) (high v) (1/100)) m) <= 1/20.
Proof.
  apply open_board_bounded; try lra; try exact hundredths_range.
  - intros; lra.
  - intros v Hv. rewrite board_at, next by lia. simpl INR. lra.
  - intros v Hv. rewrite !next by lia. simpl INR. lra.
  - intros v Hv. rewrite hundredths_length in Hv. rewrite board_at.
    replace (at_count 100 v) with 100%nat by (generalize (at_count_le 100 v); lia). rewrite hundred. lra.
  - intros v Hv. rewrite next by lia. rewrite hundredths_length in Hv.
    replace (at_count 100 v) with 99%nat by (generalize (at_count_le 100 v); lia).
    rewrite (INR_IZR_INZ 99). simpl. lra.
  - intros v _ _ _. apply wide_width; [rewrite size_all|]; lra.
Qed.
End BoardOfValues.

(* A board of 0/1 values that rises by a row or more, and one that shows every second row. *)
Section BoardOfCounts.
Hypothesis H : Hoeffding1956.
Variable a : node -> query bool.
Hypothesis z : forall v, zero_one (a v).
Definition rows_in_all : nat := length (select all Ds).
Notation k := rows_in_all.
Notation looks := (counted_looks Ds all someone a H z (every_count k) (every_count_range k)
  (every_count_rises k)).
Notation q := (fun _ : node => 1/5).
Notation low := (Board.level_low (P Ds) looks (1/20) q).
Notation high := (Board.level_high (P Ds) looks (1/20) q).

Lemma k_thousand : INR k = 1000.
Proof. unfold k. rewrite everyone. exact thousand. Qed.

Lemma counts_length v : length (every_count k v) = (k - at_count k v)%nat.
Proof. apply seq_length. Qed.

Lemma next_count v i : (i < length (every_count k v))%nat ->
  INR (nth i (every_count k v) 0%nat) / size Ds all = (INR (at_count k v) + INR i + 1) / 1000.
Proof.
  rewrite counts_length, size_all. intros Hi. unfold every_count. rewrite seq_nth by auto.
  rewrite plus_INR, S_INR. field.
Qed.

Lemma board_at_count v : board (P Ds) looks v = INR (at_count k v) / 1000.
Proof.
  induction v as [|[|i] v IH]; cbn [at_count].
  - simpl. lra.
  - exact IH.
  - change (board (P Ds) looks (S i :: v)) with (nth i (cuts_of (P Ds) (looks v)) 0).
    destruct (le_lt_dec (length (every_count k v)) i) as [Hi|Hi].
    + rewrite !nth_overflow; auto; [simpl; lra|]. now rewrite cuts_length.
    + rewrite cut_share by auto. now rewrite size_all.
Qed.

Lemma board_of_counts (stop : node -> bool) (m : nat) :
  P Ds (board_fails Ds all stop (1/20) (1/1000) q looks
    (fun v => width (size Ds all) (low v) (high v) (1/1000)) m) <= 1/20.
Proof.
  assert (Hk := k_thousand). assert (H1 : forall v, (at_count k v <= k)%nat) by (intros; apply at_count_le).
  apply open_board_counts; try lra.
  - intros; lra.
  - intros v Hv. rewrite board_at_count, next_count, size_all by lia. simpl INR. lra.
  - intros v Hv. rewrite !next_count, size_all by lia. simpl INR. lra.
  - intros v Hv. rewrite counts_length in Hv. rewrite board_at_count.
    replace (at_count k v) with k by (specialize (H1 v); lia). lra.
  - intros v Hv. rewrite next_count by lia. rewrite counts_length in Hv.
    assert (E : INR (at_count k v + 1) = INR k) by (f_equal; specialize (H1 v); lia).
    rewrite plus_INR in E. simpl INR in *. lra.
  - intros v _ _ _. apply wide_width; [rewrite size_all|]; lra.
Qed.
End BoardOfCounts.

(* A look whose ends say nothing, with three cuts. *)
Definition quarters : list R := [1/4; 1/2; 3/4].

Lemma quarters_rise : ordered quarters.
Proof. intros [|[|[|i]]] [|[|[|j]]] H Hj; simpl in *; try lra; lia. Qed.

Definition blind (q : query bool) : look (P Ds).
Proof.
  refine (Look _ (emp Ds q) (pop Ds q) quarters (fun _ _ => m_infty) (fun _ _ => p_infty) quarters_rise
    _ _).
  - intros x level _ _ Hx. destruct Hx.
  - intros x level _ _ Hx. destruct Hx.
Defined.

Section Codes.
Variable ask : node -> query bool.
Notation blinds := (fun v => blind (ask v)).
Definition raise_share (v : node) : R := (1/2 + INR (raises v)) / (1/2 + 2 + INR (length v)).

Lemma raises_le v : (raises v <= length v)%nat.
Proof. induction v as [|[|i] v IH]; unfold raises in *; simpl; lia. Qed.

Lemma part_of k j : (k <= j)%nat -> 0 < (1/2 + INR k) / (1/2 + 2 + INR j) < 1.
Proof.
  intros H. apply le_INR in H. assert (H0 := pos_INR k). split; [apply Rdiv_lt_0_compat; lra|].
  apply Rlt_div_l; lra.
Qed.

(* A raise by one step after a look that kept the board. *)
Lemma blind_right : all_right (P Ds) blinds (1/20) raise_share [1; 0]%nat.
Proof.
  intros later c u E. split.
  - assert (Hc : In c [1; 0]%nat) by (rewrite E; apply in_elt). simpl in *. lia.
  - split; apply Rbar_not_lt_le.
    + unfold lower_said, Lsharp. rewrite lt_max_to. intros (i & Hi & Hlt). now destruct i.
    + unfold upper_said, Usharp. rewrite min_from_lt. intros (i & Hi & Hlt). unfold upper_end in Hlt.
      now destruct (i <? _)%nat.
Qed.

Definition board_budget : code _ [true; false] * (1/2)^1 <= Board.W (P Ds) blinds raise_share [1; 0]%nat :=
  board_code (P Ds) blinds (1/20) raise_share (fun v => part_of _ _ (raises_le v)) (1/2) 2 [1; 0]%nat
    (fun _ => eq_refl) blind_right ltac:(intros c [<-|[<-|[]]]; lia).

(* Two guesses that moved by a cell, and one that held; the cell 1 of three cuts. *)
Notation held := (fun _ : node => 1%nat).
Definition moved_share (v : node) : R := (1/2 + INR (passes (moves held v))) / (1/2 + 2 + INR (length (moves held v))).

Lemma moved_within v : 0 < moved_share v < 1.
Proof. apply part_of, passes_le. Qed.

Lemma by_one : one_cell Ds held blinds [0; 1; 2]%nat.
Proof.
  intros later c u E. assert (Hc : In c [0; 1; 2]%nat) by (rewrite E; apply in_elt). simpl in *. lia.
Qed.

Definition guess_left :
  code _ [true; false; true] * (1/4)^2 <= guess_budget Ds moved_share held blinds [0; 1; 2]%nat :=
  guess_code Ds moved_share moved_within held blinds (1/2) 2 [0; 1; 2]%nat (fun _ => le_S _ _ (le_S _ _ (le_n 1)))
    (fun _ => eq_refl) by_one.

Lemma wide_more n qa qb s D D' : D <= D' -> wide n qa qb s D -> wide n qa qb s D'.
Proof. intros H Hw x c u Hx Hc Hu. eapply Rle_trans; [now apply (Hw x c u)|exact H]. Qed.

(* After them, if the guess holds or moves by one cell. *)
Notation left := (guess_budget Ds moved_share held blinds [0; 1; 2]%nat).
Notation level x := (1/20 * (left * x)).
Notation share := (moved_share [0; 1; 2]%nat).
Notation holds := (width 1000 (level (1 - share / 2)) (level (1 - share / 2)) (1/100)).
Notation moved := (width 1000 (level (share / 2)) (level (1 - share / 4)) (1/100)).

Lemma fourth_guess (c : nat) : (c <= 2)%nat ->
  wide 1000 (guess_low Ds (1/20) moved_share held blinds [0; 1; 2]%nat c)
    (guess_high Ds (1/20) moved_share held blinds [0; 1; 2]%nat c) (1/100) (Rmax holds moved).
Proof.
  intros Hc. rewrite <- size_all. apply (guess_widths Ds (fun _ => all)); try lra; try lia.
  - exact moved_within.
  - intros; rewrite size_all; lra.
  - simpl. lia.
  - rewrite size_all. eapply wide_more; [apply Rmax_l|apply wide_width; lra].
  - rewrite size_all. eapply wide_more; [apply Rmax_r|apply wide_width; lra].
  - simpl. lia.
Qed.
End Codes.

(* A board of 0/1 losses with two values, .6 and .4, and a margin of .4. *)
Notation steps := (fun l : nat => match l with O => 1 | _ => 4/10 end).
Notation values := (fun l : nat => match l with O => 6/10 | _ => 4/10 end).

Lemma four_hundred : INR 400 / 1000 = 4/10.
Proof. rewrite INR_IZR_INZ. simpl. lra. Qed.

Lemma ladder_of_counts (H : Hoeffding1956) (a : list nat -> query bool) (z : forall v, zero_one (a v)) :
  P Ds (fun S => exists later l v,
    Ladder.transcript (emp Ds) 2 steps a 1000 S = later ++ l :: v /\
    ~ Ladder.promise (pop Ds) (4/10) 1 values a v l) <=
  risk_of 2 (fun _ => exp (-80)) (fun _ => exp (-80)) 1000.
Proof.
  assert (He := exp_pos (-80)). apply ladder_counts with (count := fun _ => 400%nat); auto; try (intros; lra); try lia.
  - exact some.
  - intros [|l] [|l'] H1 H2; try lra; lia.
  - intros [|l] [|l'] H1; try lra; lia.
  - simpl. lra.
  - intros [|l] Hl; [lia|]. rewrite thousand, four_hundred, coins_length. split; [reflexivity|lia].
  - intros [|l] Hl; [|lia]. apply count_kl; rewrite ?thousand, ?(INR_IZR_INZ 401); simpl IZR; try lra.
    apply exp_le. generalize (rate_floor (201/1000) (6/10 - 4/10) ltac:(lra) ltac:(lra)).
    replace (6/10 - 4/10 + 201/1000) with (401/1000) by lra. lra.
  - intros [|l] Hl; [lia|]. rewrite coins_length. replace (1000 - 400)%nat with 600%nat by reflexivity.
    apply count_kl; rewrite ?thousand, ?(INR_IZR_INZ 600); simpl IZR; try lra.
    apply exp_le. generalize (rate_floor (4/10) (1 - (4/10 + 4/10)) ltac:(lra) ltac:(lra)).
    replace (1 - (4/10 + 4/10) + 4/10) with (600/1000) by lra. lra.
Qed.

(* Guesses of 0/1 values: three flags, a margin of .1, the threshold .05, guesses within .025. *)
Notation cells := (fun i : nat => S i).
Notation side := (count_side Ds (fun x => Normal.Phi x)).
Notation promised := (fun i : nat => 2 * side (Sparse.s (1/10) (1/20) 3 cells i) + (side (1/20 - 1/40) + side (1/20))).

Lemma side_0 s : 0 <= side s.
Proof. apply count_side_nonneg, Phi_nonneg. Qed.

Lemma flags : Sparse.plan side (1/10) (1/20) (1/40) 3 cells promised.
Proof.
  split; try lra; try lia; intros; try lia.
  - generalize (side_0 (1/20 - 1/40)) (side_0 (1/20)). lra.
  - generalize (side_0 (Sparse.s (1/10) (1/20) 3 cells i)). lra.
Qed.

Definition guesses_of_counts (H : Hoeffding1956) (Z : ZubkovSerov2013 (fun x => Normal.Phi x))
  (a : list Sparse.Resp -> query bool * R) (z : forall v, zero_one (fst (a v))) :
  P Ds _ <= INR (Sparse.W cells 1000 3) * side (1/10 - 1/20) +
    sumR (seq 0 3) (fun i => INR (Sparse.Ni cells 1000 i) * promised i) :=
  sparse_counts Ds some _ Phi_rises Phi_nonneg (1/10) (1/20) (1/40) 3 cells promised a 1000 H Z z flags.

Definition one_count (H : Hoeffding1956) (Z : ZubkovSerov2013 (fun x => Normal.Phi x)) (f : list (counted bool)) :
  P Ds _ <= INR (length f) * (2 * side (1/10)) :=
  sealed_sides _ _ _ _ (count_sides Ds some _ Phi_rises Phi_nonneg H Z) f (1/10).

(* Two counts that were seen before, and a margin of ten points. *)
Definition seen (S : list bool) : list nat := [count_occ bool_dec S true; count_occ bool_dec S false].

Lemma seen_two S : length S = length Ds -> length (seen S) = 2%nat /\ forall c, In c (seen S) -> (c <= length Ds)%nat.
Proof. intros <-. split; [reflexivity|]. intros c [<-|[<-|[]]]; apply count_occ_bound. Qed.

Definition after_two_looks (f : list nat -> query bool) :
  P Ds _ <= INR (S (length Ds) ^ 2) * (2 * exp (-20)) :=
  past_counts Ds 2 seen _ _ seen_two (fun v => hoeffding_kl Ds some (f v) (1/10) _ ltac:(lra) terms).

(* One coin and a margin of 3/4: a mean of 1 at the truth 1/4 or less. *)
Lemma one_break_above j p : p = INR j / Tails.n [coin] + 3/4 -> p <= 1 ->
  1 - binomial (length [coin]) p (S j) <= 1/4.
Proof.
  unfold Tails.n. simpl length. change (INR 1) with 1. rewrite binomial_1. intros E Hp. destruct j as [|j].
  - change (INR 0) with 0 in E. lra.
  - rewrite S_INR in E. generalize (pos_INR j). lra.
Qed.

Definition counts_above_break_points : above_by [coin] (3/4) (1/4) :=
  break_points_above [coin] ltac:(discriminate) (3/4) ltac:(lra) (1/4) ltac:(lra) one_break_above.

(* A gate at the bar .4, with certificates. *)
Lemma half_above_bar : low_cert (Tails.n Ds) (4/10 + 1/10) (exp (-20)) (4/10) /\
  up_cert (Tails.n Ds) (4/10 + 1/10) (exp (-20)) (4/10 + 2 * (1/10)).
Proof. unfold up_cert. rewrite thousand. split; apply low_hoeffding; try lra; apply exp_le; lra. Qed.

Definition gate_by_certificates (a : list bool -> query bool) : P Ds _ <= INR (N 1000 1) * exp (-20) :=
  gate_bar_certified Ds some (1/10) ltac:(lra) (4/10) _ a 1 1000 ltac:(left; apply exp_pos)
    (proj1 half_above_bar) (proj2 half_above_bar).
