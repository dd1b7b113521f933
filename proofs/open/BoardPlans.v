(* As OpenPlans.v for a board with equal steps: look M raises the board for the K-th time, if it does. All looks have the
   interval of this one, until K raised or M-K+1 kept the board, if each raise was by one step. *)

From Coq Require Import Reals Lra Lia List Arith ZArith Bool Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Count Gate Tails Budget Cells OpenGate Records Binomial Rows Looks OpenRows Board Boards
  Evaluate Plans OpenPlans WidePlans.
Import ListNotations.
Open Scope R_scope.

(* The cuts of a board with the step s/d, as whole numbers over w: d for values in [0,1], and for 0/1 values the rows. The
   cut i steps above a mark k is k + rise i, rounded up. *)
Section Marks.
Variables w s d : nat.
Definition rise (i : nat) : nat := Nat.max i ((i * (s * w) + (d - 1)) / d).
Definition room (k : nat) : nat := Nat.min (w - k) ((w - k) * d / (s * w)).
Definition marks (k : nat) : list nat := map (fun i => k + rise i)%nat (seq 1 (room k)).
Fixpoint mark (v : node) : nat :=
  match v with nil => 0 | O :: v => mark v | S i :: v => nth i (marks (mark v)) 0%nat end.
Definition cuts (v : node) : list R := map (fun k => INR k / INR w) (marks (mark v)).

Lemma marks_length k : length (marks k) = room k.
Proof. unfold marks. now rewrite map_length, seq_length. Qed.

Lemma marks_at k i : (i < room k)%nat -> nth i (marks k) 0%nat = (k + rise (S i))%nat.
Proof.
  intros Hi. rewrite (nth_indep _ _ (k + rise 0)%nat) by (now rewrite marks_length). unfold marks.
  now rewrite (map_nth (fun i => k + rise i)%nat), seq_nth.
Qed.

Lemma cut_at v i : nth i (cuts v) 0 = INR (nth i (marks (mark v)) 0%nat) / INR w.
Proof.
  unfold cuts. replace 0 with (INR 0 / INR w) at 1 by (simpl; unfold Rdiv; ring). apply (map_nth (fun k => INR k / INR w)).
Qed.

Lemma rise_next i : (rise i < rise (S i))%nat.
Proof.
  unfold rise. destruct d as [|d']; [simpl; lia|]. set (a := (s * w)%nat). set (D := S d') in *.
  destruct (le_lt_dec D a) as [H|H].
  - assert (H1 := Nat.div_le_mono (i * a + (D - 1) + 1 * D) (S i * a + (D - 1)) D ltac:(lia) ltac:(lia)).
    rewrite Nat.div_add in H1 by lia. lia.
  - assert (H1 : ((i * a + (D - 1)) / D < S i)%nat) by (apply Nat.div_lt_upper_bound; nia). lia.
Qed.

Lemma rises i j : (i < j)%nat -> (rise i < rise j)%nat.
Proof. induction 1; [|eapply Nat.lt_trans; [eassumption|]]; apply rise_next. Qed.

Lemma marks_within k i : (i < room k)%nat -> (k + rise (S i) <= w)%nat.
Proof.
  unfold room, rise. intros Hi. destruct d as [|d']; [simpl in *; lia|]. set (D := S d') in *.
  destruct (Nat.eq_dec (s * w) 0) as [E|E]; [rewrite E in Hi; simpl in Hi; lia|].
  assert (H := Nat.mul_div_le ((w - k) * D) (s * w) E).
  assert (H1 : (S i * (s * w) <= (w - k) * D)%nat) by nia.
  assert (H2 : ((S i * (s * w) + (D - 1)) / D < S (w - k))%nat) by (apply Nat.div_lt_upper_bound; nia). lia.
Qed.

Lemma mark_le v : (mark v <= w)%nat.
Proof.
  induction v as [|[|i] v IH]; cbn [mark]; [lia|exact IH|]. destruct (le_lt_dec (room (mark v)) i) as [H|H].
  - rewrite nth_overflow; [lia|]. now rewrite marks_length.
  - rewrite marks_at by auto. now apply marks_within.
Qed.

Lemma marks_rise k i j : (i < j)%nat -> (j < length (marks k))%nat -> (nth i (marks k) 0 < nth j (marks k) 0)%nat.
Proof. rewrite marks_length. intros H Hj. rewrite !marks_at by lia. generalize (rises (S i) (S j)). lia. Qed.

Lemma marks_range k m : In m (marks k) -> (1 <= m <= w)%nat.
Proof.
  intros H. destruct (In_nth _ _ 0%nat H) as (i & Hi & <-). rewrite marks_length in Hi. rewrite marks_at by auto.
  generalize (marks_within k i Hi) (rises 0 (S i)). lia.
Qed.

Lemma cuts_rise v : ordered (cuts v).
Proof.
  intros i j Hij Hj. unfold cuts in Hj. rewrite map_length in Hj. rewrite !cut_at. destruct (Nat.eq_dec i j) as [->|]; [lra|].
  assert (H := marks_rise (mark v) i j ltac:(lia) Hj). assert (Hw := marks_range (mark v) _ (nth_In _ 0%nat Hj)).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, lt_0_INR; lia|apply le_INR; lia].
Qed.

Lemma board_mark {Omega} (P : outer Omega) looks v : (forall v, cuts_of P (looks v) = cuts v) ->
  board P looks v = INR (mark v) / INR w.
Proof.
  intros E. induction v as [|[|i] v IH]; cbn [board mark]; [simpl; unfold Rdiv; ring|exact IH|]. rewrite E. apply cut_at.
Qed.

Hypothesis w_pos : (0 < w)%nat.
Hypothesis s_pos : (0 < s)%nat.
Hypothesis d_pos : (0 < d)%nat.

Lemma over_w a b e : (d * a <= d * b + s * w + e * d)%nat ->
  INR a / INR w <= INR b / INR w + INR s / INR d + INR e * (1 / INR w).
Proof.
  intros H. apply le_INR in H. rewrite !plus_INR, !mult_INR in H. apply lt_0_INR in w_pos, d_pos.
  apply Rmult_le_reg_r with (INR d * INR w); [nra|].
  replace (INR a / INR w * (INR d * INR w)) with (INR d * INR a) by (field; lra). eapply Rle_trans; [exact H|].
  right. field. lra.
Qed.

(* A cut is at most e/w beyond its steps: marks over d are exact. *)
Variable e : nat.
Hypothesis exact : (e = 1 \/ e = 0 /\ w = d)%nat.

Lemma first_rise : (s * w <= d * rise 1 /\ d * rise 1 <= s * w + e * d /\ d * rise 2 <= d * rise 1 + s * w + e * d)%nat.
Proof.
  assert (H : forall i, (d * ((i * (s * w) + (d - 1)) / d) <= i * (s * w) + (d - 1) <
    d * S ((i * (s * w) + (d - 1)) / d))%nat).
  { intros i. split; [apply Nat.mul_div_le; lia|]. apply Nat.mul_succ_div_gt. lia. }
  assert (Hsw : (0 < s * w)%nat) by nia. generalize (H 1%nat) (H 2%nat). unfold rise.
  set (x := ((1 * _ + _) / d)%nat). set (y := ((2 * _ + _) / d)%nat). clearbody x y. intros [H1 H1'] [H2 H2'].
  assert (Hx : (1 <= x)%nat) by nia. rewrite (Nat.max_r 1 x) by lia.
  destruct exact as [->|[-> E]].
  - split; [nia|]. split; [nia|]. destruct (Nat.max_spec 2 y) as [[_ ->]|[_ ->]]; nia.
  - rewrite E in *. assert (x = s) by nia. assert (y = (2 * s)%nat) by nia. subst x y. rewrite Nat.max_r by lia. nia.
Qed.

Lemma steps k : (k <= w)%nat ->
  ((1 <= room k)%nat -> INR k / INR w <= INR (k + rise 1) / INR w <= INR k / INR w + INR s / INR d + INR e * (1 / INR w)) /\
  INR (k + rise 2) / INR w <= INR (k + rise 1) / INR w + INR s / INR d + INR e * (1 / INR w) /\
  (room k = 0%nat -> 1 <= INR k / INR w + INR s / INR d) /\
  (room k = 1%nat -> 1 <= INR (k + rise 1) / INR w + INR s / INR d).
Proof.
  intros Hk. destruct first_rise as (H1 & H2 & H3). assert (W0 := lt_0_INR _ w_pos).
  assert (Hend : forall a, (d * w <= d * a + s * w)%nat -> 1 <= INR a / INR w + INR s / INR d).
  { intros a Ha. assert (H := over_w w a 0 ltac:(lia)). simpl INR in H. replace 1 with (INR w / INR w) by (field; lra). lra. }
  assert (Hsw : (0 < s * w)%nat) by nia.
  split; [|split; [|split]].
  - intros _. split; [|apply over_w; lia].
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|apply le_INR; lia].
  - apply over_w. lia.
  - unfold room. intros H. apply Hend. assert (Hdiv := Nat.mul_succ_div_gt ((w - k) * d) (s * w) ltac:(lia)).
    destruct (Nat.min_spec (w - k) ((w - k) * d / (s * w))) as [[_ E]|[_ E]]; rewrite E in H; [nia|].
    rewrite H in Hdiv. nia.
  - unfold room. intros H. apply Hend. assert (Hdiv := Nat.mul_succ_div_gt ((w - k) * d) (s * w) ltac:(lia)).
    destruct (Nat.min_spec (w - k) ((w - k) * d / (s * w))) as [[_ E]|[_ E]]; rewrite E in H.
    + assert (1 <= rise 1)%nat by (generalize (rises 0 1); lia). nia.
    + rewrite H in Hdiv. nia.
Qed.
End Marks.

Definition raised (c : nat) : bool := (0 <? c)%nat.
(* The share of a raise. *)
Definition bet (v : node) : R := beta_bet (1/2) 2 (map raised v).

Lemma passes_raised v : passes (map raised v) = raises v.
Proof. induction v as [|c v IH]; [reflexivity|]. unfold raises, passes in *. simpl. destruct c; simpl; now rewrite IH. Qed.

Lemma bet_range v : 0 < bet v < 1.
Proof. apply beta_bet_range; lra. Qed.

Section BoardPlans.
Context {X : Type}.
Variable Ds : list (law X).
Variable n : Z.
Hypothesis rows : length Ds = Z.to_nat n.
Hypothesis n_pos : (0 < n)%Z.
Notation P := (P Ds).
Definition all : list bool := repeat true (length Ds).

Lemma all_rows : select all Ds = Ds.
Proof. apply select_all. Qed.

Lemma some : select all Ds <> nil.
Proof. rewrite all_rows. exact (some_rows Ds n rows n_pos). Qed.

Lemma all_n : size Ds all = IZR n.
Proof. unfold size. rewrite all_rows. apply (rows_n Ds n rows n_pos). Qed.

(* The looks at queries of values in [0,1], and of 0/1 values, whose cuts are counts. *)
Definition board_of_values (ask : node -> query X) (s d : Z) : node -> Looks.look P :=
  bounded_looks Ds all some ask (cuts (Z.to_nat d) (Z.to_nat s) (Z.to_nat d)) (cuts_rise _ _ _).
Definition board_of_counts (ask : node -> query X) (H : Hoeffding1956) (ask_01 : forall v, zero_one (ask v)) (s d : Z) :
  node -> Looks.look P :=
  let w := length (select all Ds) in
  counted_looks Ds all some ask H ask_01 (fun v => marks w (Z.to_nat s) (Z.to_nat d) (mark w (Z.to_nat s) (Z.to_nat d) v))
    (fun v => marks_range _ _ _ _) (fun v => marks_rise _ _ _ _).

(* The cells of the first m looks, the latest first, and the lower end of the interval after a list of cells. *)
Definition board_cells (looks : node -> Looks.look P) (m : nat) (S : list X) : node :=
  shown (cell_shown P looks) (fun _ => false) m S.
Definition board_start (b b' : Z) (looks : node -> Looks.look P) : node -> R :=
  board_low P looks (IZR b / IZR b') bet (size Ds all).

Section Plan.
Variables M K b b' d s t : Z.     (* the failure probability b/b', and over d the step and the margin *)
Variables keeping raising : planes.
Notation k := (Z.to_nat (K - 1)).
Notation j := (Z.to_nat (M - K)).

(* Some look before K raised or M-K+1 kept the board has the best truth below the lower end, or beyond two margins above it. *)
Definition missed (looks : node -> Looks.look P) (S : list X) : Prop := exists later c v,
  board_cells looks (Z.to_nat M) S = later ++ c :: v /\
  one_step (c :: v) /\ ended (Z.to_nat K) (Z.to_nat (M + 1 - K)) (map raised v) = false /\
  let start := board_start b b' looks (c :: v) in ~ (start <= best P looks (c :: v) <= start + 2 * (IZR t / IZR d)).

(* Each raise before look M left half of its share. *)
Notation halves := (2 ^ (K - 1))%Z.
Notation over x y := (left_over b' x y * halves)%Z.
Notation after_keep := (left_num b k (j + 1)).
Notation after_raise := (left_num b (k + 1) j).
Definition board_keeps : bool :=
  (positive d s b' && look M K b b' && (0 <? b) && (b <=? b') &&
   wide_keeps n (left_num b k j) (over k j) after_keep (over k (j + 1)) d s (2 * t) keeping &&
   wide_keeps n after_raise (over (k + 1) j) (2 * after_keep + after_raise) (2 * over k (j + 1)) d s (2 * t) raising)%Z.

Hypothesis keeps : board_keeps = true.
Notation beta := (IZR b / IZR b').
Notation width v := (if ended (Z.to_nat K) (Z.to_nat (M + 1 - K)) (map raised (tl v)) then 1 else 2 * (IZR t / IZR d)).

Lemma half_falls i m : (i <= m)%nat -> (1/2)^m <= (1/2)^i.
Proof. induction 1 as [|m H IH]; [lra|]. simpl. assert (0 < (1/2)^m) by (apply pow_lt; lra). lra. Qed.

Lemma widths looks v : v <> nil -> all_right P looks beta bet v -> one_step v ->
  wide (IZR n) (level_low P looks beta bet v) (level_high P looks beta bet v) (IZR s / IZR d) (width v).
Proof.
  intros Hv Hr H1. destruct v as [|c v]; [easy|]. cbn [tl].
  destruct (ended _ _ _) eqn:He; [intros x c' u Hx [Hc _] [Hu _]; lra|].
  assert (H := keeps). unfold board_keeps, positive, look in H. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le in H.
  destruct H as [[[[[[[Hd Hs] Hb'] [[[HK HM] _] _]] Hb] Hbb] W1] W2].
  apply wide_keeps_valid in W1, W2.
  apply orb_false_elim in He. rewrite !Nat.leb_gt, passes_raised in He. destruct He as [Hk Hj].
  assert (Hk' : (raises v <= k)%nat) by lia. assert (Hj' : (failures (map raised v) <= j)%nat) by lia. clear Hk Hj.
  assert (Hru := all_right_tail _ _ _ _ _ _ Hr).
  assert (HW := board_code P looks beta bet bet_range (1/2) 2 v).
  specialize (HW ltac:(intros u; unfold bet, beta_bet; now rewrite passes_raised, map_length) Hru).
  specialize (HW ltac:(intros x Hx; apply H1; now right)).
  change (code _ _) with (W (map raised v)) in HW. set (w := map raised v) in *.
  set (h := (1/2)^(raises v)) in *. assert (Hh : (1/2)^k <= h) by now apply half_falls.
  assert (Hp : 0 < (1/2)^k) by (apply pow_lt; lra). set (g := (1/2)^k) in *.
  assert (Ht' : forall r, failures (r :: w) = (if r then failures w else S (failures w)) /\
    passes (r :: w) = (if r then S (passes w) else passes w)).
  { intros r. unfold failures. generalize (passes_le w). destruct r; cbn [length];
    [change (passes (true :: w)) with (S (passes w))|change (passes (false :: w)) with (passes w)]; lia. }
  assert (Ew : passes w = raises v) by apply passes_raised. destruct (Ht' true) as [F1 F2], (Ht' false) as [F3 F4].
  assert (L1 := left_valid b b' k j w ltac:(lia) Hb' ltac:(lia) ltac:(lia)).
  assert (L2 := left_valid b b' k (j + 1) (false :: w) ltac:(lia) Hb' ltac:(lia) ltac:(lia)).
  assert (L3 := left_valid b b' (k + 1) j (true :: w) ltac:(lia) Hb' ltac:(lia) ltac:(lia)).
  change (W (false :: w)) with (W w * (1 - bet v)) in L2. change (W (true :: w)) with (W w * bet v) in L3.
  assert (Hq := bet_range v). assert (HB : 0 < beta) by (apply IZR_lt in Hb, Hb'; now apply Rdiv_lt_0_compat).
  assert (Hg : IZR halves = / g).
  { unfold g. replace (K - 1)%Z with (Z.of_nat k) by lia. rewrite <- pow_IZR, Nat2Z.id.
    replace (1/2) with (/ 2) by field. rewrite <- Rinv_pow by lra. now rewrite Rinv_involutive by (apply pow_nonzero; lra). }
  assert (Ho : forall x y, 0 < IZR (left_over b' x y)).
  { intros x y. apply IZR_lt. unfold left_over. generalize (product_pos 5 (x + y) ltac:(lia)). nia. }
  assert (E : forall x o, 0 < o -> x / (o * / g) = x / o * g) by (intros; field; lra).
  assert (Eo : left_over b' (k + 1) j = left_over b' k (j + 1)) by (unfold left_over; do 2 f_equal; lia).
  rewrite Eo in *. rewrite plus_IZR, !mult_IZR, Hg in W2. rewrite !mult_IZR, Hg in W1.
  assert (O1 := Ho k j). assert (O2 := Ho k (j + 1)%nat).
  set (o1 := IZR (left_over b' k j)) in *. set (o2 := IZR (left_over b' k (j + 1))) in *.
  replace ((2 * IZR after_keep + IZR after_raise) / (2 * (o2 * / g))) with
    ((IZR after_keep / o2 + IZR after_raise / o2 / 2) * g) in W2 by (field; lra).
  rewrite (E _ o1), (E _ o2) in W1 by auto. rewrite (E _ o2) in W2 by auto.
  replace (2 * IZR t / IZR d) with (2 * (IZR t / IZR d)) in W1, W2 by (unfold Rdiv; ring).
  set (l1 := IZR (left_num b k j) / o1) in *. set (l2 := IZR after_keep / o2) in *.
  set (l3 := IZR after_raise / o2) in *. set (B := beta) in *.
  assert (HWn := code_pos _ (beta_bet_range (1/2) 2 ltac:(lra) ltac:(lra)) w). change (code _ w) with (W w) in HWn.
  assert (Low : forall l y, 0 <= l <= B * (W w * y) -> 0 <= y -> l * g <= B * (Board.W P looks bet v * y)).
  { intros l y Hl Hy. apply Rle_trans with (B * (W w * y) * h); [apply Rmult_le_compat; lra|].
    replace (B * (W w * y) * h) with (B * (W w * h * y)) by ring. apply Rmult_le_compat_l; [lra|]. now apply Rmult_le_compat_r. }
  destruct c as [|c]; cbn [level_low level_high].
  - apply (wide_falls _ _ _ _ _ _ _) with (3 := W1).
    + replace (Board.W P looks bet v) with (Board.W P looks bet v * 1) by ring. apply Low; lra.
    + apply Low; lra.
  - apply (wide_falls _ _ _ _ _ _ _) with (3 := W2); apply Low; lra.
Qed.

Lemma missed_fails looks S : missed looks S ->
  board_fails Ds all (fun _ => false) beta (IZR s / IZR d) bet looks (fun v => width v) (Z.to_nat M) S.
Proof.
  intros (later & c & v & Hs & H1 & He & Hno). exists later, (c :: v). split; [exact Hs|]. split; [easy|]. split; [exact H1|].
  cbn [tl]. rewrite He. unfold board_start in Hno. lra.
Qed.

Lemma ranges : 0 < beta <= 1 /\ 0 < IZR s / IZR d /\ (0 < Z.to_nat s)%nat /\ (0 < Z.to_nat d)%nat.
Proof.
  assert (H := keeps). unfold board_keeps, positive in H. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le in H.
  destruct H as [[[[[[[Hd Hs] Hb'] _] Hb] Hbb] _] _]. repeat split; try lia.
  - apply IZR_lt in Hb, Hb'. now apply Rdiv_lt_0_compat.
  - apply IZR_lt in Hb'. apply IZR_le in Hbb. apply Rle_div_l; lra.
  - apply IZR_lt in Hd, Hs. now apply Rdiv_lt_0_compat.
Qed.

Lemma step_is : INR (Z.to_nat s) / INR (Z.to_nat d) = IZR s / IZR d.
Proof. destruct ranges as (_ & _ & Hs & Hd). rewrite !INR_IZR_INZ, !Z2Nat.id by lia. reflexivity. Qed.

Notation D := (Z.to_nat d).
Notation T := (Z.to_nat s).
Notation w := (length (select all Ds)).

Theorem board_plan_of_values (ask : node -> query X) : P (missed (board_of_values ask s d)) <= beta.
Proof.
  destruct ranges as (Hb & Hs & Hs' & Hd'). eapply Rle_trans; [apply Pr_mono, missed_fails|].
  assert (Hm : forall v, board P (board_of_values ask s d) v = INR (mark D T D v) / INR D) by (intros v; now apply board_mark).
  assert (Hst := fun v => steps D T D Hd' Hs' Hd' 0 ltac:(lia) _ (mark_le D T D v)). simpl INR in Hst. rewrite step_is in Hst.
  assert (Hl : forall v, length (cuts D T D v) = room D T D (mark D T D v)).
  { intros v. unfold cuts. now rewrite map_length, marks_length. }
  apply open_board_bounded; auto using bet_range.
  - intros v i Hi. rewrite cut_at. rewrite Hl in Hi.
    assert (H := marks_range D T D (mark D T D v) _ (nth_In _ 0%nat ltac:(rewrite marks_length; exact Hi))).
    destruct H as [Ha Hz]. apply le_INR in Ha, Hz. simpl (INR 1) in Ha. apply lt_0_INR in Hd'.
    split; [apply Rdiv_lt_0_compat; lra|apply Rle_div_l; lra].
  - intros v Hv. fold (board_of_values ask s d). rewrite Hl in Hv. rewrite Hm, cut_at, marks_at by auto.
    destruct (Hst v) as (H & _). specialize (H Hv). lra.
  - intros v Hv. rewrite Hl in Hv. rewrite !cut_at, !marks_at by lia. destruct (Hst v) as (_ & H & _). lra.
  - intros v Hv. fold (board_of_values ask s d). rewrite Hl in Hv. rewrite Hm. now apply Hst.
  - intros v Hv. rewrite Hl in Hv. rewrite cut_at, marks_at by lia. now apply Hst.
  - intros v. rewrite all_n. apply widths.
Qed.

Theorem board_plan_of_counts (ask : node -> query X) (H : Hoeffding1956) (ask_01 : forall v, zero_one (ask v)) :
  P (missed (board_of_counts ask H ask_01 s d)) <= beta.
Proof.
  destruct ranges as (Hb & Hs & Hs' & Hd'). eapply Rle_trans; [apply Pr_mono, missed_fails|].
  assert (Hw : (0 < w)%nat) by (rewrite all_rows, rows; lia).
  assert (Hm : forall v, board P (board_of_counts ask H ask_01 s d) v = INR (mark w T D v) / INR w).
  { intros v. now apply board_mark. }
  assert (Hst := fun v => steps w T D Hw Hs' Hd' 1 ltac:(lia) _ (mark_le w T D v)). simpl (INR 1) in Hst. rewrite step_is in Hst.
  apply open_board_counts; auto using bet_range; change (size Ds all) with (INR w).
  - intros v Hv. fold (board_of_counts ask H ask_01 s d). rewrite marks_length in Hv. rewrite Hm, marks_at by auto.
    destruct (Hst v) as (E & _). specialize (E Hv). lra.
  - intros v Hv. rewrite marks_length in Hv. rewrite !marks_at by lia. destruct (Hst v) as (_ & E & _). lra.
  - intros v Hv. fold (board_of_counts ask H ask_01 s d). rewrite marks_length in Hv. rewrite Hm. now apply Hst.
  - intros v Hv. rewrite marks_length in Hv. rewrite marks_at by lia. now apply Hst.
  - intros v. change (INR w) with (size Ds all). rewrite all_n. apply widths.
Qed.
End Plan.
End BoardPlans.
