(* docs/theorems/open.md, "Cell theorem" (shares) and "open-guess": what a cell says of its truth, with the width that is
   printed. A guess holds in one cell, and has moved in the others; a score is a guess with the share 3/4 for having moved. *)

From Coq Require Import Reals Lra Lia List Arith Psatz Bool.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Count Gate Tails Budget Cells OpenGate Records Forever SharpCells Binomial Entropy Rows
  Looks OpenRows.
Import ListNotations.
Open Scope R_scope.

Notation node := (list nat).

(* Looks in cells, with the share A(c) of the budget for the cells from c on. *)
Section Shares.
Context {Omega : Type}.
Variable P : outer Omega.
Variable looks : node -> look P.
Variable stop : node -> bool.
Variable beta : R.
Hypothesis beta_range : 0 < beta <= 1.
Notation cuts v := (cuts_of P (looks v)).
Notation truth v := (truth_of P (looks v)).
Notation cut v i := (nth i (cuts v) 0).
Notation K v := (length (cuts v)).

Variable A : node -> nat -> R.
Hypothesis A_first : forall v, A v 0 = 1.
Hypothesis A_last : forall v, A v (S (K v)) = 0.
Hypothesis A_falls : forall v c, (c <= K v)%nat -> A v (S c) <= A v c.

Definition share (v : node) (c : nat) : R := if (c <=? K v)%nat then A v c - A v (S c) else 0.
Fixpoint W (v : node) : R := match v with nil => 1 | c :: v => W v * share v c end.

Lemma share_nonneg v c : 0 <= share v c.
Proof. unfold share. destruct (Nat.leb_spec c (K v)); [|lra]. specialize (A_falls v c H). lra. Qed.

Lemma W_nonneg v : 0 <= W v.
Proof. induction v; simpl; [lra|]. apply Rmult_le_pos; auto. apply share_nonneg. Qed.

Lemma shares_from v c k : (c + k = S (K v))%nat -> sumR (seq c k) (share v) = A v c.
Proof.
  revert c. induction k as [|k IH]; intros c H; simpl.
  - replace c with (S (K v)) by lia. now rewrite A_last.
  - rewrite IH by lia. unfold share. rewrite (proj2 (Nat.leb_le c (K v))) by lia. ring.
Qed.

Lemma W_sum v : sumR (seq 0 (S (K v))) (fun c => W (c :: v)) <= W v.
Proof. simpl W. rewrite sumR_scal, (shares_from v 0) by lia. rewrite A_first. lra. Qed.

Lemma up_share v c : (c <= S (K v))%nat -> up (fun v => cuts v) W (fun _ => 0) v c = W v * A v c.
Proof.
  intros Hc. unfold up. rewrite Rplus_0_r. unfold Cells.K. unfold Up. rewrite sumR_filter.
  replace (S (K v)) with (c + (S (K v) - c))%nat by lia. rewrite seq_app, sumR_app.
  rewrite (sumR_ext (seq 0 c) _ (fun _ => 0)), (sumR_ext (seq (0 + c) _) _ (fun c => W v * share v c)).
  - rewrite sumR_const, sumR_scal, Nat.add_0_l, shares_from by lia. ring.
  - intros a Ha. apply in_seq in Ha. destruct (Nat.leb_spec c a); [reflexivity|lia].
  - intros a Ha. apply in_seq in Ha. destruct (Nat.leb_spec c a); [lia|reflexivity].
Qed.

Lemma down_share v c : (c <= K v)%nat -> down (fun v => cuts v) W (fun _ => 0) v c = W v * (1 - A v (S c)).
Proof.
  intros Hc. unfold down. rewrite Rplus_0_r. unfold Cells.K. unfold Down. rewrite sumR_filter.
  assert (Ht := shares_from v 0 (S (K v)) ltac:(lia)). rewrite A_first in Ht.
  replace (S (K v)) with (S c + (K v - c))%nat in * by lia. rewrite seq_app, sumR_app in *.
  rewrite (sumR_ext (seq 0 (S c)) _ (fun c => W v * share v c)), (sumR_ext (seq (0 + S c) _) _ (fun _ => 0)).
  - rewrite sumR_const, sumR_scal. rewrite Nat.add_0_l, (shares_from v (S c)) in Ht by lia.
    replace (sumR (seq 0 (S c)) (share v)) with (1 - A v (S c)) by lra. ring.
  - intros a Ha. apply in_seq in Ha. destruct (Nat.leb_spec a c); [lia|reflexivity].
  - intros a Ha. apply in_seq in Ha. destruct (Nat.leb_spec a c); [reflexivity|lia].
Qed.

(* The ends of a cell: its lower cut, or 0 where there is none, and what a value below its upper cut does not exceed. *)
Variable size : node -> R.
Hypothesis size_pos : forall v, 0 < size v.
Variable beyond : node -> nat -> R.
Definition from (v : node) (c : nat) : R := match c with O => 0 | S i => cut v i end.

Hypothesis truth_range : forall v, 0 <= truth v <= 1.
Hypothesis cut_range : forall v i, (i < K v)%nat -> 0 < cut v i <= 1.
Hypothesis beyond_range : forall v i, (i < K v)%nat -> 0 <= beyond v i.
Hypothesis low_end : forall v i p level, (i < K v)%nat -> 0 < p < cut v i -> exp (- size v * kl (cut v i) p) <= level ->
  Rbar_le p (lower_of P (looks v) (cut v i) level).
Hypothesis high_end : forall v i p level, (i < K v)%nat -> beyond v i < p < 1 ->
  exp (- size v * kl (beyond v i) p) <= level -> Rbar_le (upper_of P (looks v) (cut v i) level) p.
Hypothesis looks_fit : (forall v, fits P (looks v)) \/ beta < 1 / 2 /\ 1 <= P (fun _ => True).

Definition level_low (v : node) (c : nat) : R := beta * (W v * A v c).
Definition level_high (v : node) (c : nat) : R := beta * (W v * (1 - A v (S c))).
Variable g : R.
Hypothesis g_pos : 0 < g.
Definition cell_low (v : node) (c : nat) : R := real (Glb_Rbar (left_low (size v) (level_low v c) (from v c))).
Definition cell_high (v : node) (c : nat) : R := real (Lub_Rbar (left_high (size v) (level_high v c) (Rmin (from v c + g) 1))).

(* The cell is no wider than g. *)
Definition narrow (v : node) (c : nat) : Prop :=
  ((c < K v)%nat -> beyond v c <= from v c + g) /\ (c = K v -> 1 <= from v c + g).

Lemma from_range v c : (c <= K v)%nat -> 0 <= from v c <= 1.
Proof. destruct c as [|i]; simpl; intros H; [lra|]. generalize (cut_range v i H). lra. Qed.

Lemma low_is v c : (c <= K v)%nat -> is_glb_Rbar (left_low (size v) (level_low v c) (from v c)) (cell_low v c).
Proof.
  intros Hc. assert (Hf := from_range v c Hc). unfold cell_low.
  assert (H := Glb_Rbar_correct (left_low (size v) (level_low v c) (from v c))).
  destruct (Glb_Rbar _) as [x| |] eqn:E; auto; exfalso; destruct H as [H1 H2].
  - apply (H1 (from v c)). split; [lra|now left].
  - apply (H2 (Finite 0)). intros y [Hy _]. simpl. lra.
Qed.

Lemma high_is v c : is_lub_Rbar (left_high (size v) (level_high v c) (Rmin (from v c + g) 1)) (cell_high v c).
Proof.
  unfold cell_high. set (y := Rmin (from v c + g) 1). assert (Hy : y <= 1) by apply Rmin_r.
  assert (H := Lub_Rbar_correct (left_high (size v) (level_high v c) y)).
  destruct (Lub_Rbar _) as [x| |] eqn:E; auto; exfalso; destruct H as [H1 H2].
  - apply (H2 (Finite 1)). intros u [Hu _]. simpl. lra.
  - apply (H1 y). split; [lra|now left].
Qed.

Lemma cell_within v c : (c <= K v)%nat -> narrow v c -> right_at P looks W beta v c ->
  cell_low v c <= truth v <= cell_high v c.
Proof.
  intros Hc [Hn1 Hn2] [Hlow Hhigh]. assert (Hf := from_range v c Hc). assert (Ht := truth_range v). split.
  - apply Rnot_lt_le. intros Hlt. destruct (low_is v c Hc) as [Hlb _].
    assert (Hx := Hlb (from v c) ltac:(split; [lra|now left])). simpl in Hx.
    destruct c as [|i]; [simpl in Hx; lra|].
    set (p := (truth v + cell_low v (S i)) / 2). assert (Hp : truth v < p < cell_low v (S i)) by (unfold p; lra).
    assert (Hex : exp (- size v * kl (from v (S i)) p) < level_low v (S i)).
    { apply Rnot_le_lt. intros Hle. assert (Hm := Hlb p ltac:(split; [lra|right; split; [lra|exact Hle]])). simpl in Hm. lra. }
    assert (Hl := low_end v i p (level_low v (S i)) ltac:(lia) ltac:(simpl in Hx; lra) ltac:(simpl in Hex; lra)).
    apply Rbar_le_not_lt in Hlow. apply Hlow. unfold lower_said, Lsharp. apply lt_max_to. exists (S i). split; auto.
    unfold lower_end. rewrite up_share by lia. apply Rbar_lt_le_trans with (Finite p); [simpl; lra|exact Hl].
  - apply Rnot_lt_le. intros Hlt. destruct (high_is v c) as [Hub _]. set (y := Rmin (from v c + g) 1) in *.
    assert (Hy1 : y <= 1) by apply Rmin_r.
    assert (Hx := Hub y ltac:(split; [lra|now left])). simpl in Hx.
    assert (Hy : y = from v c + g).
    { unfold y, Rmin. destruct (Rle_dec (from v c + g) 1); auto. exfalso. unfold y, Rmin in *.
      destruct (Rle_dec (from v c + g) 1); lra. }
    destruct (Nat.eq_dec c (K v)) as [E|E]; [specialize (Hn2 E); lra|].
    set (p := (truth v + cell_high v c) / 2). assert (Hp : cell_high v c < p < truth v) by (unfold p; lra).
    assert (Hex : exp (- size v * kl y p) < level_high v c).
    { apply Rnot_le_lt. intros Hle. assert (Hm := Hub p ltac:(split; [lra|right; split; [lra|exact Hle]])). simpl in Hm. lra. }
    specialize (Hn1 ltac:(lia)). assert (Hb0 := beyond_range v c ltac:(lia)).
    assert (Hkl : kl y p <= kl (beyond v c) p) by (apply kl_rises_down; lra).
    assert (Hh := high_end v c p (level_high v c) ltac:(lia) ltac:(lra)).
    specialize (Hh ltac:(apply Rle_trans with (exp (- size v * kl y p)); [apply exp_le; specialize (size_pos v); nra|lra])).
    apply Rbar_le_not_lt in Hhigh. apply Hhigh. unfold upper_said, Usharp. apply min_from_lt. exists c. split; [lia|].
    unfold upper_end. destruct (Nat.ltb_spec c (Cells.K (fun v => cuts v) v)) as [Hl|Hl]; [|unfold Cells.K in Hl; lia].
    rewrite down_share by auto. apply Rbar_le_lt_trans with (Finite p); [exact Hh|simpl; lra].
Qed.

(* A cell that is no wider than g and is shown: its truth lies in the interval, which is no wider than D. *)
Theorem cells_in_width (D : node -> nat -> R) m :
  (forall v c, wide (size v) (level_low v c) (level_high v c) g (D v c)) ->
  P (fun w => exists later c v, shown (cell_shown P looks) stop m w = later ++ c :: v /\ narrow v c /\
     ~ (cell_low v c <= truth v <= cell_high v c /\ cell_high v c - cell_low v c <= D v c)) <= beta.
Proof.
  intros HD. eapply Rle_trans; [|apply (any_looks P looks stop W beta) with (m := m)].
  - apply Pr_mono. intros w (later & c & v & Hs & Hn & Hno). exists later, c, v. split; auto. intros Hr. apply Hno.
    assert (Hc : (c <= K v)%nat).
    { assert (Hin : forall j x l, play (cell_shown P looks) stop j x w = l ++ c :: v ->
        (exists l', x = l' ++ c :: v) \/ (c <= K v)%nat).
      { clear. induction j as [|j IH]; intros x l E; simpl in E; [left; eauto|].
        destruct (stop x); [left; eauto|]. destruct (IH _ _ E) as [(l' & E')|H]; [|now right].
        destruct l' as [|d l']; simpl in E'; injection E' as E1 E2; [right|left; eauto].
        rewrite <- E1, <- E2. apply cell_of_le. }
      destruct (Hin m nil later Hs) as [(l' & E')|H]; auto. now destruct l'. }
    split; [now apply cell_within|].
    assert (Hw := HD v c). unfold wide in Hw. specialize (fun x u => Hw (from v c) x u (from_range v c Hc)).
    destruct (low_is v c Hc) as [_ Hg]. destruct (high_is v c) as [_ Hl].
    assert (Hlow : cell_high v c - D v c <= cell_low v c).
    { apply (Hg (Finite (cell_high v c - D v c))). intros x Hx. simpl.
      assert (Hh : Rbar_le (Finite (cell_high v c)) (Finite (x + D v c))).
      { apply (Hl (Finite (x + D v c))). intros u Hu. simpl. specialize (Hw x u Hx Hu). lra. }
      simpl in Hh. lra. }
    lra.
  - lra.
  - apply W_nonneg.
  - simpl. lra.
  - apply W_sum.
  - exact looks_fit.
Qed.

End Shares.

(* "open-guess": down cuts below the cell that holds, which has the number down; K cuts in all. To have moved has the
   share q, a half of it on each side, of which i cells or more have 1/i. *)
Definition guess_share (q : R) (down K c : nat) : R :=
  if (c =? 0)%nat then 1 else if (K <? c)%nat then 0
  else if (c <=? down)%nat then 1 - q / 2 / INR (S down - c) else q / 2 / INR (c - down).

Lemma guess_share_ends q down K : guess_share q down K 0 = 1 /\ guess_share q down K (S K) = 0.
Proof. unfold guess_share. split; [reflexivity|]. cbn [Nat.eqb]. destruct (Nat.ltb_spec K (S K)); [reflexivity|lia]. Qed.

Lemma part_range q i : 0 < q < 1 -> (1 <= i)%nat -> 0 < q / 2 / INR i <= q / 2.
Proof.
  intros Hq Hi. assert (H1 : 1 <= INR i) by (apply (le_INR 1); auto). split; [apply Rdiv_lt_0_compat; lra|].
  apply Rle_div_l; nra.
Qed.

Lemma part_falls q i j : 0 < q < 1 -> (1 <= i <= j)%nat -> q / 2 / INR j <= q / 2 / INR i.
Proof.
  intros Hq [Hi Hj]. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; [apply lt_0_INR; lia|now apply le_INR].
Qed.

Lemma guess_share_falls q down K c : 0 < q < 1 -> (c <= K)%nat -> guess_share q down K (S c) <= guess_share q down K c.
Proof.
  intros Hq Hc. unfold guess_share. destruct (Nat.eqb_spec (S c) 0); [lia|].
  assert (Hp : forall i, (1 <= i)%nat -> 0 < q / 2 / INR i <= q / 2) by (intros; now apply part_range).
  destruct (Nat.eqb_spec c 0) as [->|H0].
  - destruct (K <? 1)%nat; [lra|]. destruct (Nat.leb_spec 1 down) as [H|H].
    + generalize (Hp (S down - 1)%nat ltac:(lia)). lra.
    + generalize (Hp (1 - down)%nat ltac:(lia)). lra.
  - destruct (Nat.ltb_spec K c) as [H9|_]; [lia|]. destruct (Nat.ltb_spec K (S c)) as [H|H].
    + destruct (Nat.leb_spec c down) as [H1|H1]; [generalize (Hp (S down - c)%nat ltac:(lia)); lra|].
      generalize (Hp (c - down)%nat ltac:(lia)). lra.
    + destruct (Nat.leb_spec (S c) down) as [H1|H1], (Nat.leb_spec c down) as [H2|H2]; try lia.
      * assert (q / 2 / INR (S down - c) <= q / 2 / INR (S down - S c)) by (apply part_falls; auto; lia). lra.
      * generalize (Hp (S down - c)%nat ltac:(lia)) (Hp (S c - down)%nat ltac:(lia)). lra.
      * apply part_falls; auto. lia.
Qed.

(* The shares at the cell that holds and at its neighbours. *)
Lemma guess_share_near q down K : 0 < q < 1 -> (down <= K)%nat ->
  1 - q / 2 <= guess_share q down K down /\ 1 - q / 2 <= 1 - guess_share q down K (S down) /\
  ((S down <= K)%nat -> q / 2 <= guess_share q down K (S down)) /\ 1 - q / 4 <= 1 - guess_share q down K (S (S down)) /\
  (forall c, S c = down -> 1 - q / 4 <= guess_share q down K c) /\
  (forall c, S c = down -> q / 2 <= 1 - guess_share q down K (S c)).
Proof.
  intros Hq Hd. unfold guess_share.
  assert (H1 : (S down - down)%nat = 1%nat) by lia. assert (H2 : (S (S down) - down)%nat = 2%nat) by lia.
  rewrite H1, H2, !Nat.leb_refl. cbn [Nat.eqb].
  assert (E1 : (S down <=? down)%nat = false) by (apply Nat.leb_gt; lia).
  assert (E2 : (S (S down) <=? down)%nat = false) by (apply Nat.leb_gt; lia). rewrite E1, E2.
  change (INR 1) with 1. change (INR 2) with (1 + 1).
  repeat split.
  - destruct (Nat.ltb_spec K down); [lia|]. destruct (down =? 0)%nat; lra.
  - destruct (K <? S down)%nat; lra.
  - intros H. destruct (Nat.ltb_spec K (S down)); [lia|lra].
  - destruct (K <? S (S down))%nat; lra.
  - intros c <-. destruct (Nat.eqb_spec c 0); [lra|]. destruct (Nat.ltb_spec K c); [lia|].
    destruct (Nat.leb_spec c (S c)); [|lia]. replace (S (S c) - c)%nat with 2%nat by lia. change (INR 2) with (1 + 1). lra.
  - intros c <-. cbn [Nat.eqb]. destruct (Nat.ltb_spec K (S c)); [lia|]. rewrite Nat.leb_refl.
    replace (S (S c) - S c)%nat with 1%nat by lia. change (INR 1) with 1. lra.
Qed.

Section Guesses.
Context {X : Type}.
Variable Ds : list (law X).
Notation P := (P Ds).
Variable ask : node -> query X.
Variable rows : node -> list bool.
Hypothesis some_rows : forall v, select (rows v) Ds <> nil.
Notation n v := (size Ds (rows v)).
Variable stop : node -> bool.
Variable beta g : R.
Hypothesis beta_range : 0 < beta <= 1.
Hypothesis g_pos : 0 < g.
Variable q : node -> R.
Hypothesis q_range : forall v, 0 < q v < 1.
Variable down : node -> nat.

Section AnyLooks.
Variable looks : node -> look P.
Definition guess_part (v : node) (c : nat) : R := guess_share (q v) (down v) (length (cuts_of P (looks v))) c.
Definition guess_budget : node -> R := W P looks guess_part.
Definition guess_low (v : node) (c : nat) : R := level_low P looks beta guess_part v c.
Definition guess_high (v : node) (c : nat) : R := level_high P looks beta guess_part v c.

(* What is promised of a response c at v, and fails: the truth is in the interval of the cell, no wider than D. *)
Definition guess_fails (beyond : node -> nat -> R) (D : node -> nat -> R) (m : nat) (S : list X) : Prop :=
  exists later c v, shown (cell_shown P looks) stop m S = later ++ c :: v /\
    narrow P looks beyond g v c /\
    ~ (cell_low P looks beta guess_part (fun v => n v) v c <= truth_of P (looks v) <=
         cell_high P looks beta guess_part (fun v => n v) g v c /\
       cell_high P looks beta guess_part (fun v => n v) g v c - cell_low P looks beta guess_part (fun v => n v) v c
         <= D v c).

(* The plan: the budget that is left if each guess that moved did so by one cell. *)
Fixpoint moves (v : node) : list bool := match v with nil => nil | c :: v => negb (c =? down v)%nat :: moves v end.
Definition one_cell (v : node) : Prop := forall later c u, v = later ++ c :: u ->
  (c <= length (cuts_of P (looks u)))%nat /\ (down u <= c + 1)%nat /\ (c <= down u + 1)%nat.

Theorem guess_code (a b : R) v : (forall u, (down u <= length (cuts_of P (looks u)))%nat) ->
  (forall u, q u = (a + INR (passes (moves u))) / (a + b + INR (length (moves u)))) -> one_cell v ->
  code (fun u => (a + INR (passes u)) / (a + b + INR (length u))) (moves v) * (1 / 4)^(passes (moves v)) <= guess_budget v.
Proof.
  intros Hd Hq. induction v as [|c v IH]; intros H1; [simpl; lra|].
  assert (H1' : one_cell v) by (intros later d u E; apply (H1 (c :: later) d u); simpl; now rewrite E).
  specialize (IH H1'). destruct (H1 nil c v eq_refl) as (Hk & Hc1 & Hc2).
  unfold guess_budget in *. cbn [moves code W]. rewrite <- Hq. assert (Hqr := q_range v). specialize (Hd v).
  set (k := length (cuts_of P (looks v))) in *.
  assert (HW : 0 <= W P looks guess_part v).
  { apply W_nonneg. intros u i Hi. apply guess_share_falls; auto. }
  set (x := code _ (moves v)) in *. set (y := (1 / 4)^(passes (moves v))) in *. set (w := W _ _ _ v) in *.
  assert (Hshare : share P looks guess_part v c = guess_part v c - guess_part v (S c)).
  { unfold share. fold k. now rewrite (proj2 (Nat.leb_le c k)). }
  rewrite Hshare. unfold guess_part. fold k.
  assert (Hcode : 0 <= x * y).
  { apply Rmult_le_pos; [|apply pow_le; lra]. unfold x. clear - Hq q_range. induction v as [|c v IH]; cbn [moves code]; [lra|].
    apply Rmult_le_pos; auto. rewrite <- Hq. generalize (q_range v). destruct (negb (c =? down v)%nat); lra. }
  destruct (Nat.eqb_spec c (down v)) as [->|Hne].
  - change (passes (negb true :: moves v)) with (passes (moves v)). fold y. cbn [negb].
    assert (Hge : 1 - q v <= guess_share (q v) (down v) k (down v) - guess_share (q v) (down v) k (S (down v))).
    { unfold guess_share. destruct (Nat.eqb_spec (S (down v)) 0); [lia|]. destruct (Nat.ltb_spec k (down v)); [lia|].
      destruct (Nat.leb_spec (S (down v)) (down v)); [lia|]. destruct (Nat.leb_spec (down v) (down v)); [|lia].
      replace (S (down v) - down v)%nat with 1%nat by lia. simpl INR.
      destruct (down v =? 0)%nat, (k <? S (down v))%nat; lra. }
    apply Rle_trans with (w * (1 - q v)); [|apply Rmult_le_compat_l; lra].
    replace (x * (1 - q v) * y) with (x * y * (1 - q v)) by ring. apply Rmult_le_compat_r; lra.
  - change (passes (negb false :: moves v)) with (S (passes (moves v))). cbn [negb pow]. fold y.
    assert (Hge : q v / 4 <= guess_share (q v) (down v) k c - guess_share (q v) (down v) k (S c)).
    { unfold guess_share. destruct (Nat.eqb_spec (S c) 0); [lia|]. destruct (Nat.ltb_spec k c); [lia|].
      destruct (Nat.leb_spec c (down v)) as [H2|H2].
      - replace (S (down v) - c)%nat with 2%nat by lia. destruct (Nat.ltb_spec k (S c)); [lia|].
        destruct (Nat.leb_spec (S c) (down v)); [|lia]. replace (S (down v) - S c)%nat with 1%nat by lia. simpl INR.
        destruct (c =? 0)%nat; lra.
      - replace (c - down v)%nat with 1%nat by lia. destruct (Nat.leb_spec (S c) (down v)); [lia|].
        replace (S c - down v)%nat with 2%nat by lia. simpl INR. destruct (Nat.eqb_spec c 0); [lia|].
        destruct (k <? S c)%nat; lra. }
    apply Rle_trans with (w * (q v / 4)); [|apply Rmult_le_compat_l; lra].
    replace (x * q v * (1 / 4 * y)) with (x * y * (q v / 4)) by field. apply Rmult_le_compat_r; lra.
Qed.

(* The two widths of the plan: of a guess that holds, and of one that moved by one cell or its mirror image. *)
Theorem guess_widths v (D : R) : (forall v, 0 < n v) -> (down v <= length (cuts_of P (looks v)))%nat ->
  let w := guess_budget v in
  wide (n v) (beta * (w * (1 - q v / 2))) (beta * (w * (1 - q v / 2))) g D ->
  wide (n v) (beta * (w * (q v / 2))) (beta * (w * (1 - q v / 4))) g D ->
  forall c, (c <= length (cuts_of P (looks v)))%nat -> (down v <= c + 1)%nat -> (c <= down v + 1)%nat ->
  wide (n v) (guess_low v c) (guess_high v c) g D.
Proof.
  intros Hn Hd w Hhold Hmoved c Hc H1 H2. assert (Hq := q_range v).
  assert (Hw : 0 <= w).
  { apply W_nonneg. intros u i Hi. apply guess_share_falls; auto. }
  unfold guess_low, guess_high, level_low, level_high. fold guess_budget. fold w. unfold guess_part.
  set (k := length (cuts_of P (looks v))) in *.
  assert (Hlevel : forall x y, x <= y -> beta * (w * x) <= beta * (w * y)).
  { intros x y Hxy. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; auto. }
  assert (Hcases : c = down v \/ c = S (down v) \/ S c = down v) by lia.
  destruct (guess_share_near (q v) (down v) k Hq Hd) as (F1 & F2 & F3 & F4 & F5 & F6).
  destruct Hcases as [->|[->|E]].
  - apply (wide_falls _ _ _ _ _ _ _ (Hlevel _ _ F1) (Hlevel _ _ F2) Hhold).
  - apply (wide_falls _ _ _ _ _ _ _ (Hlevel _ _ (F3 Hc)) (Hlevel _ _ F4) Hmoved).
  - apply (wide_falls _ _ _ _ _ _ _ (Hlevel _ _ (F5 c E)) (Hlevel _ _ (F6 c E))). now apply wide_mirror.
Qed.

End AnyLooks.

(* Values in [0,1]. *)
Section Bounded.
Variable cuts : node -> list R.
Hypothesis cuts_ordered : forall v, ordered (cuts v).
Hypothesis cut_range : forall v i, (i < length (cuts v))%nat -> 0 < nth i (cuts v) 0 <= 1.
Definition bounded_guesses (v : node) : look P :=
  unit_look Ds (ask v) (rows v) (some_rows v) (cuts v) (cuts_ordered v).

Theorem open_guess_bounded (D : node -> nat -> R) m :
  (forall v c, wide (n v) (guess_low bounded_guesses v c) (guess_high bounded_guesses v c) g (D v c)) ->
  P (guess_fails bounded_guesses (fun v i => nth i (cuts v) 0) D m) <= beta.
Proof.
  intros HD. apply (cells_in_width P bounded_guesses stop beta beta_range (guess_part bounded_guesses)); auto.
  - intros v. apply (proj2 (guess_share_ends (q v) (down v) _)).
  - intros v c Hc. now apply guess_share_falls.
  - intros v. now apply n_pos.
  - intros v. now apply (Records.truth_range Ds (rows v) (ask v)).
  - intros v i Hi. generalize (cut_range v i Hi). lra.
  - intros v i p level Hi. now apply unit_low_end, cut_range.
  - intros v i p level Hi. now apply unit_high_end, cut_range.
  - left. intros v. apply unit_fits.
Qed.

End Bounded.

(* 0/1 values: cuts are counts. *)
Section Counted.
Hypothesis H56 : Hoeffding1956.
Hypothesis ask_01 : forall v, zero_one (ask v).
Variable counts : node -> list nat.
Hypothesis counts_range : forall v k, In k (counts v) -> (1 <= k <= length (select (rows v) Ds))%nat.
Hypothesis counts_rise : forall v i j, (i < j)%nat -> (j < length (counts v))%nat ->
  (nth i (counts v) 0 < nth j (counts v) 0)%nat.
Definition counted_guesses (v : node) : look P :=
  count_look Ds H56 (ask v) (ask_01 v) (rows v) (some_rows v) (counts v) (counts_range v) (counts_rise v).

Theorem open_guess_counts (D : node -> nat -> R) m :
  (forall v c, wide (n v) (guess_low counted_guesses v c) (guess_high counted_guesses v c) g (D v c)) ->
  P (guess_fails counted_guesses (fun v i => INR (nth i (counts v) 0%nat) / n v - 1 / n v) D m) <= beta.
Proof.
  intros HD.
  assert (Hlen : forall v, length (cuts_of P (counted_guesses v)) = length (counts v)) by (intros; apply map_length).
  assert (Hcut : forall v i, (i < length (counts v))%nat ->
    nth i (cuts_of P (counted_guesses v)) 0 = INR (nth i (counts v) 0%nat) / n v) by (intros; now apply count_cut).
  assert (H1n : forall v, 0 < 1 / n v) by (intros v; assert (Hn : 0 < n v) by (now apply n_pos); apply Rdiv_lt_0_compat; lra).
  apply (cells_in_width P counted_guesses stop beta beta_range (guess_part counted_guesses)); auto.
  - intros v. apply (proj2 (guess_share_ends (q v) (down v) _)).
  - intros v c Hc. now apply guess_share_falls.
  - intros v. now apply n_pos.
  - intros v. now apply (Records.truth_range Ds (rows v) (ask v)).
  - intros v i Hi. rewrite Hlen in Hi. rewrite Hcut by auto.
    generalize (count_range Ds (rows v) (some_rows v) (counts v) (counts_range v) i Hi) (H1n v). lra.
  - intros v i Hi. rewrite Hlen in Hi.
    generalize (count_range Ds (rows v) (some_rows v) (counts v) (counts_range v) i Hi). lra.
  - intros v i p level Hi. rewrite Hlen in Hi. rewrite Hcut in * by auto. apply (count_low_end Ds (rows v) (some_rows v) (counts v) (counts_range v)); auto.
  - intros v i p level Hi. rewrite Hlen in Hi. rewrite Hcut in * by auto. apply (count_high_end Ds (rows v) (some_rows v) (counts v) (counts_range v)); auto.
  - left. intros v. apply count_fits.
Qed.

End Counted.
End Guesses.
