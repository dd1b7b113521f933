(* Plans with numbers: a decision in whole numbers says that a plan keeps its promise. The file that dpcalc writes with
   --certificate names one theorem of these, and Coq evaluates its decision. *)

From Coq Require Import Reals Lra Lia List Arith ZArith Bool.
From dpcalc Require Import Tree Count Gate Tails Binomial ConvexOrder ConvexTail Records Rows Sides Certified Evaluate.
Import ListNotations.
Open Scope R_scope.

(* The coefficient C(n,i), and the sum of those up to it. *)
Fixpoint chooses (n : Z) (i : nat) : Z * Z :=
  match i with
  | O => (1, 1)
  | S j => let '(c, all) := chooses n j in let next := c * (n - Z.of_nat j) / Z.of_nat i in (next, all + next)
  end%Z.
Definition nodes (m B : Z) : Z := snd (chooses (m - 1) (Z.to_nat (Z.min B (m - 1)))).

Lemma chooses_below n i : chooses (Z.of_nat n) i = (Z.of_nat (C n i), Z.of_nat (below i (C n))).
Proof.
  induction i as [|i IH]; [simpl; now rewrite C_0|]. cbn [chooses]. rewrite IH.
  replace (Z.of_nat (C n i) * (Z.of_nat n - Z.of_nat i) / Z.of_nat (S i))%Z with (Z.of_nat (C n (S i))).
  - cbn [below]. now rewrite Nat2Z.inj_add.
  - apply Z.div_unique_exact; [lia|]. assert (E := C_next n i). destruct (le_lt_dec i n) as [H|H].
    + rewrite <- Nat2Z.inj_sub by auto. nia.
    + rewrite (C_above n i), (C_above n (S i)) by lia. lia.
Qed.

Theorem nodes_N m B : (1 <= m)%Z -> (0 <= B)%Z -> INR (N (Z.to_nat m) (Z.to_nat B)) = IZR (nodes m B).
Proof.
  intros Hm HB. unfold N, nodes. rewrite INR_IZR_INZ. f_equal.
  replace (m - 1)%Z with (Z.of_nat (Z.to_nat m - 1)) by lia. rewrite chooses_below. cbn [snd]. do 2 f_equal. lia.
Qed.

Lemma nodes_pos m B : (1 <= m)%Z -> (0 <= B)%Z -> (0 < nodes m B)%Z.
Proof. intros Hm HB. apply lt_IZR. rewrite <- nodes_N by auto. apply (lt_INR 0). generalize (N_pos (Z.to_nat m) (Z.to_nat B)). lia. Qed.

(* How finely a sum is evaluated: see Evaluate. *)
Record precision := { bits : Z; width : Z }.

Section Numbers.
Variable e : precision.
Variable n : Z.          (* rows *)
Variables u v : Z.       (* a probability *)
Variable d : Z.          (* what all expectations and values are over *)

(* A mean of at most a/d reaches x/d with probability at most u/v. *)
Definition low_within (x a t : Z) : bool :=
  ((0 <? d) && (0 <? v) && (0 <=? u) &&
   ((a <? 0) || (a <=? 0) && (0 <? x) || (d <? x) || hinge_within n (bits e) (width e) u v d a x t))%Z.

Lemma low_within_valid x a t : low_within x a t = true -> low_cert (IZR n) (IZR x / IZR d) (IZR u / IZR v) (IZR a / IZR d).
Proof.
  unfold low_within. rewrite !andb_true_iff, !orb_true_iff, andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[Hd Hv] Hu] H]. assert (Dp := IZR_lt _ _ Hd). assert (Ip : 0 < / IZR d) by now apply Rinv_0_lt_compat.
  destruct H as [[[H|[H H']]|H]|H].
  - apply low_negative. apply IZR_lt in H. unfold Rdiv. nra.
  - apply low_zero; [apply IZR_le in H; unfold Rdiv; nra|]. apply IZR_lt in H'. now apply Rdiv_lt_0_compat.
  - apply low_beyond. apply Rmult_lt_reg_r with (IZR d); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, !Rmult_1_l, Rmult_1_r by lra.
    now apply IZR_lt.
  - destruct (hinge_within_valid _ _ _ _ _ _ _ _ _ H) as [Ht Hb].
    unfold hinge_within, hinge_by, evaluated in H. rewrite !andb_true_iff in H. destruct H as [[[[[H _] _] _] _] _].
    destruct (sound_parts _ _ _ _ _ _ H) as (Hn & Ha & _). apply low_convex with (rows := Z.to_nat n) (t := Z.to_nat t); auto.
    + rewrite INR_IZR_INZ. f_equal. lia.
    + apply Rmult_le_reg_r with (IZR d); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_l, Rmult_1_r by lra.
      apply IZR_le. lia.
Qed.

(* Of values 0 and 1 of a mean of at most a/d at least k are 1. *)
Definition count_cert_within (a k : Z) : bool :=
  ((0 <? n) && (0 <? d) && (0 <? v) && (0 <=? u) &&
   ((a <=? 0) && (0 <? k) || (n <? k) || (n * a + d <=? k * d) && count_within n (bits e) (width e) u v d a k))%Z.

Lemma count_cert_within_valid (X : Type) (Ds : list (law X)) a k : length Ds = Z.to_nat n ->
  count_cert_within a k = true -> count_cert X Ds (IZR a / IZR d) (Z.to_nat k) (IZR u / IZR v).
Proof.
  intros rows. unfold count_cert_within. rewrite !andb_true_iff, !orb_true_iff, !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[[Hn Hd] Hv] Hu] H]. assert (Dp := IZR_lt _ _ Hd). assert (Ip : 0 < / IZR d) by now apply Rinv_0_lt_compat.
  assert (Hb : 0 <= IZR u / IZR v).
  { apply Rmult_le_pos; [now apply IZR_le|]. left. now apply Rinv_0_lt_compat, IZR_lt. }
  destruct H as [[[H H']|H]|[H H']].
  - apply count_none; auto; [apply IZR_le in H; unfold Rdiv; nra|lia].
  - apply count_beyond; auto. rewrite rows. lia.
  - assert (Hc := count_within_valid _ _ _ _ _ _ _ _ H'). unfold count_within, evaluated in H'. rewrite !andb_true_iff in H'.
    destruct H' as [[[Hs _] _] _]. destruct (sound_parts _ _ _ _ _ _ Hs) as (_ & Ha & _).
    apply count_exact; [left| |now rewrite rows].
    + unfold Tails.n. rewrite rows, !INR_IZR_INZ, !Z2Nat.id by nia. apply Rmult_le_reg_r with (IZR d); auto.
      replace ((IZR n * (IZR a / IZR d) + 1) * IZR d) with (IZR (n * a + d)) by (rewrite plus_IZR, mult_IZR; field; lra).
      rewrite <- mult_IZR. now apply IZR_le.
    + apply Rmult_le_reg_r with (IZR d); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_l, Rmult_1_r by lra.
      apply IZR_le. lia.
Qed.

(* No count passes the bar c/d with the margin s/d: at k ones a pass is too likely, and at more a failure. *)
Definition no_count (c s k : Z) : bool :=
  ((0 <=? k) && (k <=? n) && count_above n (bits e) (width e) u v d c k &&
   count_above n (bits e) (width e) u v d (d - (c + 2 * s)) (n - k))%Z.

Lemma no_count_valid c s k : no_count c s k = true -> forall j, (j <= Z.to_nat n)%nat ->
  IZR u / IZR v < binomial (Z.to_nat n) (IZR c / IZR d) j \/
  IZR u / IZR v < binomial (Z.to_nat n) (IZR (d - (c + 2 * s)) / IZR d) (S (Z.to_nat n) - j).
Proof.
  unfold no_count. rewrite !andb_true_iff, !Z.leb_le. intros [[[H0 Hk] H1] H2] j Hj.
  assert (Hf : forall p i i', 0 <= p <= 1 -> (i <= i')%nat -> binomial (Z.to_nat n) p i' <= binomial (Z.to_nat n) p i).
  { intros p i i' Hp Hi. induction Hi as [|i' _ IH]; [lra|]. eapply Rle_trans; [|exact IH].
    now apply at_least_falls, means_repeat. }
  assert (Hr : forall a i, count_above n (bits e) (width e) u v d a i = true -> 0 <= IZR a / IZR d <= 1).
  { intros a i H. unfold count_above in H. rewrite !andb_true_iff in H. destruct H as [[[[[H _] _] _] _] _].
    destruct (sound_parts _ _ _ _ _ _ H) as (_ & Ha & _).
    assert (Dp : 0 < IZR d) by (apply IZR_lt; lia). split.
    - apply Rmult_le_pos; [apply IZR_le; lia|left; now apply Rinv_0_lt_compat].
    - apply Rmult_le_reg_r with (IZR d); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_l, Rmult_1_r by lra.
      apply IZR_le. lia. }
  destruct (le_lt_dec j (Z.to_nat k)) as [H|H]; [left|right].
  - eapply Rlt_le_trans; [apply (count_above_valid _ _ _ _ _ _ _ _ H1)|]. apply Hf; auto. now apply (Hr _ _ H1).
  - eapply Rlt_le_trans; [apply (count_above_valid _ _ _ _ _ _ _ _ H2)|]. apply Hf; [now apply (Hr _ _ H2)|lia].
Qed.

(* All expectations, by cells from a/d on to the ends of the list, each with its t: a deviation of s/d. *)
Definition at_mean (a : Z) : Z * list Z := evaluated n (bits e) (width e) d a.
Definition end_within (s t a : Z) (r : Z * list Z) : bool :=
  ((0 <? d) && (0 <? v) && (0 <=? u) && (0 <=? t) && (0 <? n) &&
   ((a =? 0) && (t * d <? n * s) || hinge_by n (bits e) (width e) u v d a (a + s) t r))%Z.
Fixpoint cells_from (s a : Z) (r : Z * list Z) (l : list (Z * Z)) : bool :=
  match l with
  | nil => d - s <=? a
  | (b, t) :: l =>
    let r' := at_mean b in
    (0 <=? a) && (a <=? b) && (b <=? d) && end_within s t a r && end_within s t b r' && cells_from s b r' l
  end%Z.
Definition cells_within (s a : Z) (l : list (Z * Z)) : bool := cells_from s a (at_mean a) l.

Lemma end_within_valid s t a : end_within s t a (at_mean a) = true -> INR (Z.to_nat t) < IZR n * (IZR a / IZR d + IZR s / IZR d) /\
  convex_tail (Z.to_nat n) (IZR a / IZR d) (IZR a / IZR d + IZR s / IZR d) (Z.to_nat t) <= IZR u / IZR v.
Proof.
  unfold end_within. rewrite !andb_true_iff, orb_true_iff, andb_true_iff, Z.eqb_eq, !Z.ltb_lt, !Z.leb_le.
  intros [[[[[Hd Hv] Hu] Ht] Hn] H]. assert (Dp := IZR_lt _ _ Hd).
  replace (IZR a / IZR d + IZR s / IZR d) with (IZR (a + s) / IZR d) by (rewrite plus_IZR; field; lra).
  destruct H as [[-> H]|H]; [|exact (hinge_within_valid _ _ _ _ _ _ _ _ _ H)].
  assert (Et : INR (Z.to_nat t) = IZR t) by (rewrite INR_IZR_INZ; f_equal; lia). split.
  - rewrite Et, Z.add_0_l. apply Rmult_lt_reg_r with (IZR d); auto.
    replace (IZR n * (IZR s / IZR d) * IZR d) with (IZR n * IZR s) by (field; lra). rewrite <- !mult_IZR. now apply IZR_lt.
  - replace (IZR 0 / IZR d) with 0 by (field; lra). unfold convex_tail, excess.
    assert (E : forall m g, ones (repeat 0 m) g = g 0%nat).
    { clear. induction m as [|m IH]; intros g; [reflexivity|]. cbn [repeat ones]. rewrite !IH. ring. }
    rewrite E. cbn [Nat.sub INR]. unfold Rdiv at 1. rewrite Rmult_0_l. apply Rmult_le_pos; [now apply IZR_le|].
    left. now apply Rinv_0_lt_compat, IZR_lt.
Qed.

End Numbers.

Section Plans.
Variable X : Type.
Variable Ds : list (law X).
Variable n : Z.
Hypothesis rows : length Ds = Z.to_nat n.
Hypothesis n_pos : (0 < n)%Z.
Variable e : precision.
Notation P := (P X Ds).
Notation emp := (emp X Ds).
Notation pop := (pop X Ds).

Lemma some_rows : Ds <> nil.
Proof. intros H. rewrite H in rows. simpl in rows. lia. Qed.

Lemma rows_n : Tails.n X Ds = IZR n.
Proof. unfold Tails.n. rewrite rows, INR_IZR_INZ. f_equal. lia. Qed.

Lemma cells_chain u v d s a l : cells_within e n u v d s a l = true ->
  chain (cell X Ds (IZR s / IZR d) (IZR u / IZR v)) (IZR a / IZR d) (IZR (fst (hd (0, 0)%Z l)) / IZR d)
    (map (fun c => IZR (fst c) / IZR d) (tl l)) \/ l = nil.
Proof.
  revert a. induction l as [|[b t] l IH]; intros a H; [now right|left]. unfold cells_within in H; cbn [cells_from] in H.
  rewrite !andb_true_iff, !Z.leb_le in H. destruct H as [[[[[Ha Hab] Hb] H1] H2] H]. cbn [hd tl fst].
  assert (Hc : cell X Ds (IZR s / IZR d) (IZR u / IZR v) (IZR a / IZR d) (IZR b / IZR d)).
  { destruct (end_within_valid _ _ _ _ _ _ _ _ H1) as [Ht A1]. destruct (end_within_valid _ _ _ _ _ _ _ _ H2) as [_ A2].
    assert (Dp : 0 < IZR d).
    { unfold end_within in H1. rewrite !andb_true_iff, !Z.ltb_lt in H1. apply IZR_lt. tauto. }
    unfold cell. rewrite rows_n, rows. repeat split.
    - apply Rmult_le_pos; [now apply IZR_le|left; now apply Rinv_0_lt_compat].
    - apply Rmult_le_reg_r with (IZR d); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_l, Rmult_1_r by lra. now apply IZR_le.
    - right. exists (Z.to_nat t). auto. }
  specialize (IH b H). destruct l as [|[b' t'] l]; cbn [chain map]; [split; auto|]. split; auto.
  destruct IH as [IH|]; [exact IH|discriminate].
Qed.

Lemma cells_last u v d s a l : cells_within e n u v d s a l = true -> (d - s <= last (map fst l) a)%Z.
Proof.
  revert a. induction l as [|[b t] l IH]; intros a H; unfold cells_within in H; cbn [cells_from] in H.
  - apply Z.leb_le in H. exact H.
  - rewrite !andb_true_iff in H. specialize (IH b (proj2 H)). cbn [map]. destruct l as [|c l]; [exact IH|].
    assert (Ed : forall (l : list Z) x y z, last (x :: l) y = last (x :: l) z).
    { clear. induction l as [|x' l IH]; intros x y z; [reflexivity|]. apply (IH x'). }
    cbn [map] in *. change (last (fst (b, t) :: fst c :: map fst l) a) with (last (fst c :: map fst l) a).
    now rewrite (Ed _ _ a b).
Qed.

Theorem cells_within_valid u v d s l : l <> nil -> (0 < d)%Z -> cells_within e n u v d s 0 l = true ->
  above_cert X Ds (IZR s / IZR d) (IZR u / IZR v).
Proof.
  intros Hl Hd H. assert (Dp := IZR_lt _ _ Hd). destruct (cells_chain _ _ _ _ _ _ H) as [Hc|]; [|tauto].
  replace (IZR 0 / IZR d) with 0 in Hc by (field; lra). eapply (cells_above X Ds some_rows); [exact Hc|].
  assert (Hs := cells_last _ _ _ _ _ _ H). destruct l as [|c l]; [tauto|]. cbn [hd tl].
  change (IZR (fst c) / IZR d :: map (fun c => IZR (fst c) / IZR d) l) with (map (fun c => IZR (fst c) / IZR d) (c :: l)).
  assert (E : forall l a, l <> nil -> last (map (fun c : Z * Z => IZR (fst c) / IZR d) l) 0 = IZR (last (map fst l) a) / IZR d).
  { clear. induction l as [|c l IH]; intros a Hn; [tauto|]. destruct l as [|c' l]; [reflexivity|].
    specialize (IH a ltac:(discriminate)). exact IH. }
  rewrite (E (c :: l) 0%Z) by discriminate. apply Rmult_le_reg_r with (IZR d); auto. apply IZR_le in Hs.
  replace ((1 - IZR s / IZR d) * IZR d) with (IZR (d - s)) by (rewrite minus_IZR; field; lra).
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. exact Hs.
Qed.

(* "gate" at the bar c/d with the margin s/d, for values in [0,1]: both sides, or one. *)
Definition positive (d s b : Z) : bool := ((0 <? d) && (0 <? s) && (0 <? b))%Z.
Definition gate_bar_keeps (m B b b' d c s : Z) (t t' : Z) : bool :=
  let v := (b' * nodes m B)%Z in
  (positive d s b' && (0 <=? b) && (1 <=? m) && (0 <=? B) && low_within e n b v d (c + s) c t &&
   low_within e n b v d (d - (c + s)) (d - (c + 2 * s)) t')%Z.
Definition gate_bar_keeps_one_side (m B b b' d c s : Z) (t : Z) : bool :=
  (positive d s b' && (0 <=? b) && (1 <=? m) && (0 <=? B) && low_within e n b (b' * nodes m B) d (c + s) c t)%Z.

Lemma share m B b b' : (1 <= m)%Z -> (0 <= B)%Z -> (0 < b')%Z ->
  INR (N (Z.to_nat m) (Z.to_nat B)) * (IZR b / IZR (b' * nodes m B)) = IZR b / IZR b'.
Proof.
  intros Hm HB Hb. rewrite nodes_N, mult_IZR by auto. assert (H := IZR_lt _ _ (nodes_pos m B Hm HB)). apply IZR_lt in Hb.
  field. split; lra.
Qed.

Lemma share_nonneg m B b b' : (0 <= b)%Z -> (1 <= m)%Z -> (0 <= B)%Z -> (0 < b')%Z -> 0 <= IZR b / IZR (b' * nodes m B).
Proof.
  intros H Hm HB Hb. assert (Hp := nodes_pos m B Hm HB). apply Rmult_le_pos; [now apply IZR_le|].
  left. apply Rinv_0_lt_compat, IZR_lt. nia.
Qed.

Theorem gate_bar_plan m B b b' d c s t t' (analyst : list bool -> query X) : gate_bar_keeps m B b b' d c s t t' = true ->
  P (fun S => exists later r v,
    gate_shown _ _ (fun t => emp (fst t)) (fun t => snd t + IZR s / IZR d) (fun v => (analyst v, IZR c / IZR d))
      (Z.to_nat B) (Z.to_nat m) S = later ++ r :: v /\
    gate_wrong _ (too_low X Ds) (too_high X Ds (IZR s / IZR d)) (fun v => (analyst v, IZR c / IZR d)) v r) <=
  IZR b / IZR b'.
Proof.
  unfold gate_bar_keeps, positive. cbv zeta. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[[[[[Hd Hs] Hb] H0] Hm] HB] H1] H2]. rewrite <- (share m B b b') by auto.
  assert (Dp := IZR_lt _ _ Hd).
  assert (Sp : 0 < IZR s / IZR d) by (apply Rdiv_lt_0_compat; [now apply IZR_lt|auto]).
  apply low_within_valid in H1. apply low_within_valid in H2.
  apply gate_bar_certified; auto using some_rows, share_nonneg; rewrite rows_n.
  - replace (IZR c / IZR d + IZR s / IZR d) with (IZR (c + s) / IZR d) by (rewrite plus_IZR; field; lra). exact H1.
  - unfold up_cert.
    replace (1 - (IZR c / IZR d + IZR s / IZR d)) with (IZR (d - (c + s)) / IZR d) by (rewrite minus_IZR, plus_IZR; field; lra).
    replace (1 - (IZR c / IZR d + 2 * (IZR s / IZR d))) with (IZR (d - (c + 2 * s)) / IZR d)
      by (rewrite minus_IZR, plus_IZR, mult_IZR; field; lra). exact H2.
Qed.

Theorem gate_bar_plan_one_side m B b b' d c s t (analyst : list bool -> query X) :
  gate_bar_keeps_one_side m B b b' d c s t = true ->
  P (fun S => exists later r v,
    gate_shown _ _ (fun t => emp (fst t)) (fun t => snd t + IZR s / IZR d) (fun v => (analyst v, IZR c / IZR d))
      (Z.to_nat B) (Z.to_nat m) S = later ++ r :: v /\
    gate_wrong _ (too_low X Ds) (fun _ => False) (fun v => (analyst v, IZR c / IZR d)) v r) <=
  IZR b / IZR b'.
Proof.
  unfold gate_bar_keeps_one_side, positive. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[[[[Hd Hs] Hb] H0] Hm] HB] H1]. rewrite <- (share m B b b') by auto.
  assert (Dp := IZR_lt _ _ Hd).
  assert (Sp : 0 < IZR s / IZR d) by (apply Rdiv_lt_0_compat; [now apply IZR_lt|auto]).
  apply low_within_valid in H1.
  apply gate_bar_certified_one_side; auto using some_rows, share_nonneg; rewrite rows_n.
  replace (IZR c / IZR d + IZR s / IZR d) with (IZR (c + s) / IZR d) by (rewrite plus_IZR; field; lra). exact H1.
Qed.

(* The same for 0/1 values: a test passes from k ones on. *)
Definition gate_count_keeps (m B b b' d c s k : Z) : bool :=
  let v := (b' * nodes m B)%Z in
  (positive d s b' && (0 <=? b) && (1 <=? m) && (0 <=? B) && (1 <=? k) && (k <=? n) && count_cert_within e n b v d c k &&
   count_cert_within e n b v d (d - (c + 2 * s)) (n + 1 - k))%Z.
Definition gate_count_keeps_one_side (m B b b' d c k : Z) : bool :=
  (positive d d b' && (0 <=? b) && (1 <=? m) && (0 <=? B) && count_cert_within e n b (b' * nodes m B) d c k)%Z.

Theorem gate_count_plan m B b b' d c s k (analyst : list bool -> query X) : Hoeffding1956 ->
  (forall v, zero_one X (analyst v)) -> gate_count_keeps m B b b' d c s k = true ->
  P (fun S => exists later r v,
    gate_shown _ _ (fun t => emp (fst t)) (fun _ => INR (Z.to_nat k) / Tails.n X Ds) (fun v => (analyst v, IZR c / IZR d))
      (Z.to_nat B) (Z.to_nat m) S = later ++ r :: v /\
    gate_wrong _ (too_low X Ds) (too_high X Ds (IZR s / IZR d)) (fun v => (analyst v, IZR c / IZR d)) v r) <=
  IZR b / IZR b'.
Proof.
  intros H56 Hq. unfold gate_count_keeps, positive. cbv zeta. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[[[[[[[Hd Hs] Hb] H0] Hm] HB] Hk1] Hk] H1] H2]. rewrite <- (share m B b b') by auto.
  assert (Dp := IZR_lt _ _ Hd).
  assert (Sp : 0 < IZR s / IZR d) by (apply Rdiv_lt_0_compat; [now apply IZR_lt|auto]).
  apply gate_bar_counts; auto using some_rows, share_nonneg.
  - rewrite rows. lia.
  - now apply count_cert_within_valid with (1 := rows) in H1.
  - apply count_cert_within_valid with (1 := rows) in H2. unfold fewer_cert.
    replace (1 - (IZR c / IZR d + 2 * (IZR s / IZR d))) with (IZR (d - (c + 2 * s)) / IZR d)
      by (rewrite minus_IZR, plus_IZR, mult_IZR; field; lra).
    replace (S (length Ds) - Z.to_nat k)%nat with (Z.to_nat (n + 1 - k)) by (rewrite rows; lia). exact H2.
Qed.

Theorem gate_count_plan_one_side m B b b' d c k (analyst : list bool -> query X) : Hoeffding1956 ->
  (forall v, zero_one X (analyst v)) -> gate_count_keeps_one_side m B b b' d c k = true ->
  P (fun S => exists later r v,
    gate_shown _ _ (fun t => emp (fst t)) (fun _ => INR (Z.to_nat k) / Tails.n X Ds) (fun v => (analyst v, IZR c / IZR d))
      (Z.to_nat B) (Z.to_nat m) S = later ++ r :: v /\
    gate_wrong _ (too_low X Ds) (fun _ => False) (fun v => (analyst v, IZR c / IZR d)) v r) <=
  IZR b / IZR b'.
Proof.
  intros H56 Hq. unfold gate_count_keeps_one_side, positive. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[[[[Hd _] Hb] H0] Hm] HB] H1]. rewrite <- (share m B b b') by auto.
  apply count_cert_within_valid with (1 := rows) in H1.
  apply gate_bar_counts_one_side; auto using some_rows, share_nonneg.
Qed.

(* "gate" at any bars. The cells are over f d. *)
Definition any_within (u v f d s : Z) (cells : list (Z * Z)) : bool :=
  ((0 <? f) && match cells with nil => false | _ => true end && cells_within e n u v (f * d) (f * s) 0 cells)%Z.

Lemma any_within_valid u v f d s cells : (0 < d)%Z -> any_within u v f d s cells = true ->
  above_cert X Ds (IZR s / IZR d) (IZR u / IZR v).
Proof.
  intros Hd. unfold any_within. rewrite !andb_true_iff, Z.ltb_lt. intros [[Hf Hc] H].
  assert (Dp := IZR_lt _ _ Hd). assert (Fp := IZR_lt _ _ Hf).
  replace (IZR s / IZR d) with (IZR (f * s) / IZR (f * d)) by (rewrite !mult_IZR; field; lra).
  apply cells_within_valid with (l := cells); auto; [destruct cells; discriminate|nia].
Qed.

Definition gate_keeps (m B b b' d s f : Z) (cells : list (Z * Z)) : bool :=
  (positive d s b' && (0 <=? b) && (1 <=? m) && (0 <=? B) && any_within b (b' * nodes m B) f d s cells)%Z.

Theorem gate_plan m B b b' d s f cells (analyst : list bool -> query X * R) : gate_keeps m B b b' d s f cells = true ->
  P (fun S => exists later r v,
    Gate.transcript _ _ emp (IZR s / IZR d) analyst (Z.to_nat B) (Z.to_nat m) S = later ++ r :: v /\
    Gate.wrong _ pop (IZR s / IZR d) analyst v r) <= IZR b / IZR b'.
Proof.
  unfold gate_keeps, positive. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[[[[Hd Hs] Hb] H0] Hm] HB] H1]. rewrite <- (share m B b b') by auto.
  apply gate_certified; auto using some_rows, share_nonneg.
  - apply Rdiv_lt_0_compat; now apply IZR_lt.
  - now apply any_within_valid with (f := f) (cells := cells).
Qed.

(* "sealed": m finalists. *)
Definition sealed_keeps (m b b' d s f : Z) (cells : list (Z * Z)) : bool :=
  (positive d s b' && (0 <=? b) && (1 <=? m) && any_within b (b' * (2 * m)) f d s cells)%Z.
Definition sealed_keeps_one_side (m b b' d s f : Z) (cells : list (Z * Z)) : bool :=
  (positive d s b' && (0 <=? b) && (1 <=? m) && any_within b (b' * m) f d s cells)%Z.

Lemma all_finalists (l : list (query X)) m k b b' : length l = Z.to_nat m -> (1 <= m)%Z -> (0 < k)%Z -> (0 < b')%Z ->
  INR (length l) * (IZR k * (IZR b / IZR (b' * (k * m)))) = IZR b / IZR b'.
Proof.
  intros -> Hm Hk Hb. rewrite INR_IZR_INZ, Z2Nat.id, !mult_IZR by lia.
  assert (0 < IZR m) by (apply IZR_lt; lia). apply IZR_lt in Hb. apply IZR_lt in Hk. field. repeat split; lra.
Qed.

Theorem sealed_plan m b b' d s f cells (finalists : list (query X)) : length finalists = Z.to_nat m ->
  sealed_keeps m b b' d s f cells = true ->
  P (fun S => exists q, In q finalists /\ Rabs (emp q S - pop q) >= IZR s / IZR d) <= IZR b / IZR b'.
Proof.
  unfold sealed_keeps, positive. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros Hl [[[[[Hd Hs] Hb] H0] Hm] H1]. rewrite <- (all_finalists finalists m 2 b b') by (auto; lia).
  assert (Hv : 0 <= IZR b / IZR (b' * (2 * m))).
  { apply Rmult_le_pos; [now apply IZR_le|]. left. apply Rinv_0_lt_compat, IZR_lt. nia. }
  assert (Hc := any_within_valid _ _ _ _ _ _ Hd H1).
  apply finalists_union. intros q _.
  apply Rle_trans with (P (fun S => emp q S - pop q >= IZR s / IZR d) + P (fun S => pop q - emp q S >= IZR s / IZR d)).
  - eapply Rle_trans; [|apply Pr_or]. apply Pr_mono. intros S HS. unfold Rabs in HS.
    destruct (Rcase_abs (emp q S - pop q)); [right|left]; lra.
  - generalize (certified_above X Ds some_rows _ _ Hv Hc q) (certified_below X Ds some_rows _ _ Hv Hc q). lra.
Qed.

Theorem sealed_plan_one_side m b b' d s f cells (finalists : list (query X)) : length finalists = Z.to_nat m ->
  sealed_keeps_one_side m b b' d s f cells = true ->
  P (fun S => exists q, In q finalists /\ emp q S - pop q >= IZR s / IZR d) <= IZR b / IZR b'.
Proof.
  unfold sealed_keeps_one_side, positive. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros Hl [[[[[Hd Hs] Hb] H0] Hm] H1]. assert (E := all_finalists finalists m 1 b b' Hl Hm ltac:(lia) Hb).
  rewrite Z.mul_1_l, Rmult_1_l in E. rewrite <- E. apply sealed_certified_one_side; auto using some_rows.
  - apply Rmult_le_pos; [now apply IZR_le|]. left. apply Rinv_0_lt_compat, IZR_lt. nia.
  - now apply any_within_valid with (f := f) (cells := cells).
Qed.

End Plans.
