(* Plans with numbers: a decision in whole numbers says that a plan keeps its promise. The file that dpcalc writes with
   --certificate names one theorem of these, and Coq evaluates its decision. *)

From Coq Require Import Reals Lra Lia List Arith ZArith Bool.
From dpcalc Require Import Tree Count Gate Tails Binomial ConvexOrder ConvexTail Records Rows Sides Certified BreakPoints
  Evaluate.
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

Lemma count_cert_within_valid {X : Type} (Ds : list (law X)) a k : length Ds = Z.to_nat n ->
  count_cert_within a k = true -> count_cert Ds (IZR a / IZR d) (Z.to_nat k) (IZR u / IZR v).
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

(* 0/1 values of all expectations, by groups of break points: at q/n + s/d at most q of the n values are 1. In a group the
   first has the greatest expectation of zeros, and the last the least number of them. *)
Definition few_within (s j i : Z) : bool :=
  ((n * (d - s) - j * d <=? 0) && (i <? n) || count_within n (bits e) (width e) u v (n * d) (n * (d - s) - j * d) (n - i))%Z.
Fixpoint groups_from (s j : Z) (l : list Z) : bool :=
  match l with
  | nil => n * (d - s) <? j * d
  | i :: l => (j <=? i) && (i <=? n) && few_within s j i && groups_from s (i + 1) l
  end%Z.
Definition groups_within (s : Z) (l : list Z) : bool := ((0 <? n) && (0 <? d) && (0 <? v) && (0 <=? u) && groups_from s 0 l)%Z.

Lemma binomial_falls m p i i' : 0 <= p <= 1 -> (i <= i')%nat -> binomial m p i' <= binomial m p i.
Proof.
  intros Hp Hi. induction Hi as [|i' _ IH]; [lra|]. eapply Rle_trans; [|exact IH]. now apply at_least_falls, means_repeat.
Qed.

Lemma binomial_0 m k : (1 <= k)%nat -> binomial m 0 k = 0.
Proof.
  revert k. unfold binomial. induction m as [|m IH]; intros [|k] H; try lia; [reflexivity|]. cbn [repeat].
  rewrite at_least_S, (IH (S k)) by lia. ring.
Qed.

Lemma zeros_of m p q : (q <= m)%nat -> 1 - binomial m p (S q) = binomial m (1 - p) (m - q).
Proof.
  intros H. unfold binomial. generalize (zeros_at_least (repeat p m) (S q)). rewrite repeat_length, zeros_repeat.
  intros E. rewrite <- E by lia. reflexivity.
Qed.

Lemma few_within_valid s j i (q : nat) p : (0 < n)%Z -> (0 < d)%Z -> (0 < v)%Z -> (0 <= u)%Z -> few_within s j i = true ->
  p = INR q / IZR n + IZR s / IZR d -> 0 <= p <= 1 -> (j <= Z.of_nat q <= i)%Z -> (i <= n)%Z ->
  1 - binomial (Z.to_nat n) p (S q) <= IZR u / IZR v.
Proof.
  intros Hn Hd Hv Hu H Ep Hp Hq Hi. assert (Np := IZR_lt _ _ Hn). assert (Dp := IZR_lt _ _ Hd).
  rewrite zeros_of by lia.
  assert (Hz : 1 - p <= IZR (n * (d - s) - j * d) / IZR (n * d)).
  { rewrite Ep, INR_IZR_INZ, minus_IZR, !mult_IZR, minus_IZR.
    replace ((IZR n * (IZR d - IZR s) - IZR j * IZR d) / (IZR n * IZR d)) with (1 - (IZR j / IZR n + IZR s / IZR d)) by (field; lra).
    assert (IZR j / IZR n <= IZR (Z.of_nat q) / IZR n); [|lra]. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
    apply IZR_le. lia. }
  assert (Vp : 0 <= IZR u / IZR v).
  { apply Rmult_le_pos; [now apply IZR_le|]. left. now apply Rinv_0_lt_compat, IZR_lt. }
  unfold few_within in H. rewrite orb_true_iff, andb_true_iff, Z.leb_le, Z.ltb_lt in H. destruct H as [[H0 H1]|H].
  - replace (1 - p) with 0; [rewrite binomial_0 by lia; exact Vp|]. apply IZR_le in H0.
    assert (IZR (n * (d - s) - j * d) / IZR (n * d) <= 0); [|lra].
    assert (0 < / IZR (n * d)) by (apply Rinv_0_lt_compat, IZR_lt; nia). unfold Rdiv. nra.
  - assert (Hc := count_within_valid _ _ _ _ _ _ _ _ H). unfold count_within, evaluated in H. rewrite !andb_true_iff in H.
    destruct H as [[[Hs _] _] _]. destruct (sound_parts _ _ _ _ _ _ Hs) as (_ & Ha & _).
    eapply Rle_trans; [|exact Hc]. assert (Hr : 0 <= IZR (n * (d - s) - j * d) / IZR (n * d) <= 1).
    { assert (0 < IZR (n * d)) by (apply IZR_lt; nia). split; [lra|].
      apply Rmult_le_reg_r with (IZR (n * d)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_l, Rmult_1_r by lra.
      apply IZR_le. lia. }
    eapply Rle_trans; [apply binomial_rises; [lra|exact Hz|tauto]|]. apply binomial_falls; auto. lia.
Qed.

Lemma break_range (s q : Z) p : (0 < n)%Z -> (0 < d)%Z -> p = IZR q / IZR n + IZR s / IZR d -> p <= 1 -> (q * d <= n * (d - s))%Z.
Proof.
  intros Hn Hd Ep Hp. assert (Np := IZR_lt _ _ Hn). assert (Dp := IZR_lt _ _ Hd). apply le_IZR. rewrite !mult_IZR, minus_IZR.
  apply Rmult_le_compat_r with (r := IZR n * IZR d) in Hp; [|nra]. rewrite Ep in Hp.
  replace ((IZR q / IZR n + IZR s / IZR d) * (IZR n * IZR d)) with (IZR q * IZR d + IZR s * IZR n) in Hp by (field; lra). lra.
Qed.

Lemma groups_from_valid s l j (q : nat) p : (0 < n)%Z -> (0 < d)%Z -> (0 < v)%Z -> (0 <= u)%Z -> (0 < s)%Z ->
  groups_from s j l = true -> p = INR q / IZR n + IZR s / IZR d -> p <= 1 -> (j <= Z.of_nat q)%Z ->
  1 - binomial (Z.to_nat n) p (S q) <= IZR u / IZR v.
Proof.
  intros Hn Hd Hv Hu Hs. assert (Np := IZR_lt _ _ Hn). assert (Dp := IZR_lt _ _ Hd).
  revert j. induction l as [|i l IH]; intros j H Ep Hp Hj; cbn [groups_from] in H.
  - apply Z.ltb_lt in H. assert (Hb := break_range s (Z.of_nat q) p Hn Hd). rewrite <- INR_IZR_INZ in Hb. specialize (Hb Ep Hp). nia.
  - rewrite !andb_true_iff, !Z.leb_le in H. destruct H as [[[Hji Hi] H] Hl]. destruct (Z_le_gt_dec (Z.of_nat q) i) as [Hq|Hq].
    + apply (few_within_valid s j i); auto. split; auto. rewrite Ep.
      assert (0 <= INR q / IZR n) by (apply Rmult_le_pos; [apply pos_INR|left; now apply Rinv_0_lt_compat]).
      assert (0 < IZR s / IZR d) by (apply Rdiv_lt_0_compat; [now apply IZR_lt|auto]). lra.
    + apply (IH (i + 1)%Z); auto. lia.
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

(* Two tails add up to more than u/v: one is above the share y/f of it, and the other above the rest. *)
Definition both_above (n s w u v f d a k a' k' y : Z) : bool :=
  ((0 <? f) && (0 <? v) && count_above n s w y (v * f) d a k && count_above n s w (u * f - y) (v * f) d a' k')%Z.

Theorem both_above_valid n s w u v f d a k a' k' y : both_above n s w u v f d a k a' k' y = true ->
  IZR u / IZR v < binomial (Z.to_nat n) (IZR a / IZR d) (Z.to_nat k) + binomial (Z.to_nat n) (IZR a' / IZR d) (Z.to_nat k').
Proof.
  unfold both_above. rewrite !andb_true_iff, !Z.ltb_lt. intros [[[Hf Hv] H] H'].
  apply count_above_valid in H, H'. apply IZR_lt in Hf, Hv. rewrite minus_IZR, !mult_IZR in *.
  replace (IZR u / IZR v) with (IZR y / (IZR v * IZR f) + (IZR u * IZR f - IZR y) / (IZR v * IZR f)) by (field; lra). lra.
Qed.

Section Plans.
Context {X : Type}.
Variable Ds : list (law X).
Variable n : Z.
Hypothesis rows : length Ds = Z.to_nat n.
Hypothesis n_pos : (0 < n)%Z.
Variable e : precision.
Notation P := (P Ds).
Notation emp := (emp Ds).
Notation pop := (pop Ds).

Lemma some_rows : Ds <> nil.
Proof. intros H. rewrite H in rows. simpl in rows. lia. Qed.

Lemma rows_n : Tails.n Ds = IZR n.
Proof. unfold Tails.n. rewrite rows, INR_IZR_INZ. f_equal. lia. Qed.

Lemma cells_chain u v d s a l : cells_within e n u v d s a l = true ->
  chain (cell Ds (IZR s / IZR d) (IZR u / IZR v)) (IZR a / IZR d) (IZR (fst (hd (0, 0)%Z l)) / IZR d)
    (map (fun c => IZR (fst c) / IZR d) (tl l)) \/ l = nil.
Proof.
  revert a. induction l as [|[b t] l IH]; intros a H; [now right|left]. unfold cells_within in H; cbn [cells_from] in H.
  rewrite !andb_true_iff, !Z.leb_le in H. destruct H as [[[[[Ha Hab] Hb] H1] H2] H]. cbn [hd tl fst].
  assert (Hc : cell Ds (IZR s / IZR d) (IZR u / IZR v) (IZR a / IZR d) (IZR b / IZR d)).
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
  above_cert Ds (IZR s / IZR d) (IZR u / IZR v).
Proof.
  intros Hl Hd H. assert (Dp := IZR_lt _ _ Hd). destruct (cells_chain _ _ _ _ _ _ H) as [Hc|]; [|tauto].
  replace (IZR 0 / IZR d) with 0 in Hc by (field; lra). eapply (cells_above Ds some_rows); [exact Hc|].
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
    gate_shown (fun t => emp (fst t)) (fun t => snd t + IZR s / IZR d) (fun v => (analyst v, IZR c / IZR d))
      (Z.to_nat B) (Z.to_nat m) S = later ++ r :: v /\
    gate_wrong (too_low Ds) (too_high Ds (IZR s / IZR d)) (fun v => (analyst v, IZR c / IZR d)) v r) <=
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
    gate_shown (fun t => emp (fst t)) (fun t => snd t + IZR s / IZR d) (fun v => (analyst v, IZR c / IZR d))
      (Z.to_nat B) (Z.to_nat m) S = later ++ r :: v /\
    gate_wrong (too_low Ds) (fun _ => False) (fun v => (analyst v, IZR c / IZR d)) v r) <=
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
  (forall v, zero_one (analyst v)) -> gate_count_keeps m B b b' d c s k = true ->
  P (fun S => exists later r v,
    gate_shown (fun t => emp (fst t)) (fun _ => INR (Z.to_nat k) / Tails.n Ds) (fun v => (analyst v, IZR c / IZR d))
      (Z.to_nat B) (Z.to_nat m) S = later ++ r :: v /\
    gate_wrong (too_low Ds) (too_high Ds (IZR s / IZR d)) (fun v => (analyst v, IZR c / IZR d)) v r) <=
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
  (forall v, zero_one (analyst v)) -> gate_count_keeps_one_side m B b b' d c k = true ->
  P (fun S => exists later r v,
    gate_shown (fun t => emp (fst t)) (fun _ => INR (Z.to_nat k) / Tails.n Ds) (fun v => (analyst v, IZR c / IZR d))
      (Z.to_nat B) (Z.to_nat m) S = later ++ r :: v /\
    gate_wrong (too_low Ds) (fun _ => False) (fun v => (analyst v, IZR c / IZR d)) v r) <=
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
  above_cert Ds (IZR s / IZR d) (IZR u / IZR v).
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
    gate_shown (fun t => emp (fst t)) (fun t => snd t + IZR s / IZR d) analyst (Z.to_nat B) (Z.to_nat m) S =
      later ++ r :: v /\
    gate_wrong (too_low Ds) (too_high Ds (IZR s / IZR d)) analyst v r) <= IZR b / IZR b'.
Proof.
  unfold gate_keeps, positive. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[[[[Hd Hs] Hb] H0] Hm] HB] H1]. rewrite <- (share m B b b') by auto.
  assert (Sp : 0 < IZR s / IZR d) by (apply Rdiv_lt_0_compat; now apply IZR_lt).
  assert (Hl := share_nonneg m B b b' H0 Hm HB Hb). apply any_within_valid in H1; auto.
  apply gate_thresholds; auto using too_low_dec, too_high_dec, too_apart; intros v; unfold too_low, too_high; intros Hv.
  - eapply Rle_trans; [|apply (certified_above Ds some_rows _ _ Hl H1 (fst (analyst v)))]. apply Pr_mono. intros S. lra.
  - eapply Rle_trans; [|apply (certified_below Ds some_rows _ _ Hl H1 (fst (analyst v)))]. apply Pr_mono. intros S. lra.
Qed.

(* 0/1 values at any bars. *)
Definition gate_any_count_keeps (m B b b' d s : Z) (groups : list Z) : bool :=
  (positive d s b' && (0 <=? b) && (1 <=? m) && (0 <=? B) && (s <=? d) && (d <=? n * s) &&
   groups_within e n b (b' * nodes m B) d s groups)%Z.

Lemma margin_ge_1 d s : (0 < d)%Z -> (d <= n * s)%Z -> Tails.n Ds * (IZR s / IZR d) >= 1.
Proof.
  intros Hd H. rewrite rows_n. assert (Dp := IZR_lt _ _ Hd). apply Rle_ge. apply Rmult_le_reg_r with (IZR d); auto.
  replace (IZR n * (IZR s / IZR d) * IZR d) with (IZR (n * s)) by (rewrite mult_IZR; field; lra). rewrite Rmult_1_l. now apply IZR_le.
Qed.

Lemma margin_range d s : (0 < d)%Z -> (0 < s <= d)%Z -> 0 < IZR s / IZR d <= 1.
Proof.
  intros Hd Hs. assert (Dp := IZR_lt _ _ Hd). split; [apply Rdiv_lt_0_compat; [apply IZR_lt; tauto|auto]|].
  apply Rmult_le_reg_r with (IZR d); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_l, Rmult_1_r by lra.
  apply IZR_le. tauto.
Qed.

Lemma groups_above u v d s l : (0 < s <= d)%Z -> groups_within e n u v d s l = true ->
  above_by Ds (IZR s / IZR d) (IZR u / IZR v).
Proof.
  intros Hs. unfold groups_within. rewrite !andb_true_iff, !Z.ltb_lt, Z.leb_le. intros [[[[_ Hd] Hv] Hu] H].
  apply (break_points_above Ds some_rows _ (margin_range d s Hd Hs)).
  - apply Rmult_le_pos; [now apply IZR_le|]. left. now apply Rinv_0_lt_compat, IZR_lt.
  - intros j p Ep Hp. rewrite rows. rewrite rows_n in Ep. apply (groups_from_valid e n u v d s l 0 j p); auto; lia.
Qed.

Theorem gate_any_count_plan m B b b' d s groups (analyst : list bool -> query X * R) : Hoeffding1956 ->
  (forall v, zero_one (fst (analyst v))) -> gate_any_count_keeps m B b b' d s groups = true ->
  P (fun S => exists later r v,
    gate_shown (fun t => emp (fst t)) (fun t => snd t + IZR s / IZR d) analyst (Z.to_nat B) (Z.to_nat m) S =
      later ++ r :: v /\
    gate_wrong (too_low Ds) (too_high Ds (IZR s / IZR d)) analyst v r) <= IZR b / IZR b'.
Proof.
  intros H56 Hq. unfold gate_any_count_keeps, positive. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[[[[[[Hd Hs] Hb] H0] Hm] HB] Hsd] Hone] H1]. rewrite <- (share m B b b') by auto.
  apply gate_counts; auto using some_rows.
  - apply (margin_range d s); auto.
  - left. now apply margin_ge_1.
  - now apply groups_above with (l := groups).
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
  - generalize (certified_above Ds some_rows _ _ Hv Hc q) (certified_below Ds some_rows _ _ Hv Hc q). lra.
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

Definition sealed_count_keeps_one_side (m b b' d s : Z) (groups : list Z) : bool :=
  (positive d s b' && (0 <=? b) && (1 <=? m) && (s <=? d) && (d <=? n * s) && groups_within e n b (b' * m) d s groups)%Z.

Theorem sealed_count_plan_one_side m b b' d s groups (finalists : list (query X)) : Hoeffding1956 ->
  (forall q, In q finalists -> zero_one q) -> length finalists = Z.to_nat m ->
  sealed_count_keeps_one_side m b b' d s groups = true ->
  P (fun S => exists q, In q finalists /\ emp q S - pop q >= IZR s / IZR d) <= IZR b / IZR b'.
Proof.
  intros H56 Hq Hl. unfold sealed_count_keeps_one_side, positive. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[[[[[Hd Hs] Hb] H0] Hm] Hsd] Hone] H1]. assert (E := all_finalists finalists m 1 b b' Hl Hm ltac:(lia) Hb).
  rewrite Z.mul_1_l, Rmult_1_l in E. rewrite <- E. apply sealed_counts_one_side; auto using some_rows.
  - left. now apply margin_ge_1.
  - now apply groups_above with (l := groups).
Qed.

(* Both sides: of a group's level u/v the share y/f is for few ones, and the rest for many. *)
Definition many_within (u v d s j i : Z) : bool :=
  let k := (- (- (j * d + 2 * n * s) / d))%Z in
  ((n <? k) || count_within n (bits e) (width e) u v (n * d) (i * d + n * s) k)%Z.
Fixpoint pairs_from (u v f d s j : Z) (l : list (Z * Z)) : bool :=
  match l with
  | nil => n * (d - s) <? j * d
  | (i, y) :: l => (j <=? i) && (i * d <=? n * (d - s)) && (0 <=? y) && (y <=? u * f) && few_within e n y (v * f) d s j i &&
      many_within (u * f - y) (v * f) d s j i && pairs_from u v f d s (i + 1) l
  end%Z.

Lemma pairs_from_valid u v f d s l j (q k : nat) p : (0 < d)%Z -> (0 < v)%Z -> (0 < f)%Z -> (0 < s)%Z -> (0 <= j)%Z ->
  pairs_from u v f d s j l = true -> p = INR q / IZR n + IZR s / IZR d -> p <= 1 -> IZR n * (p + IZR s / IZR d) <= INR k ->
  (j <= Z.of_nat q)%Z -> outside (Z.to_nat n) q k p <= IZR u / IZR v.
Proof.
  intros Hd Hv Hf Hs. assert (Np := IZR_lt _ _ n_pos). assert (Dp := IZR_lt _ _ Hd).
  revert j. induction l as [|[i y] l IH]; intros j H0 H Ep Hp Hk Hj; cbn [pairs_from] in H.
  - apply Z.ltb_lt in H. assert (Hb := break_range n d s (Z.of_nat q) p n_pos Hd). rewrite <- INR_IZR_INZ in Hb.
    specialize (Hb Ep Hp). nia.
  - rewrite !andb_true_iff, !Z.leb_le in H. destruct H as [[[[[[Hji Hi] Hy] Hyu] H1] H2] Hl].
    destruct (Z_le_gt_dec (Z.of_nat q) i) as [Hq|Hq]; [|apply (IH (i + 1)%Z); auto; lia].
    assert (Hvf : (0 < v * f)%Z) by nia.
    assert (P0 : 0 < IZR s / IZR d) by (apply Rdiv_lt_0_compat; [now apply IZR_lt|auto]).
    assert (Q0 : 0 <= INR q / IZR n) by (apply Rmult_le_pos; [apply pos_INR|left; now apply Rinv_0_lt_compat]).
    assert (Hfew : 1 - binomial (Z.to_nat n) p (S q) <= IZR y / IZR (v * f)).
    { apply (few_within_valid e n y (v * f) d s j i); auto; [lra|nia]. }
    assert (Hmany : binomial (Z.to_nat n) p k <= IZR (u * f - y) / IZR (v * f)).
    { unfold many_within in H2. set (k' := (- (- (j * d + 2 * n * s) / d))%Z) in *.
      assert (Hk' : (k' <= Z.of_nat k)%Z).
      { unfold k'. assert (Hle : (j * d + 2 * n * s <= Z.of_nat k * d)%Z).
        { apply le_IZR. rewrite plus_IZR, !mult_IZR. rewrite Ep, INR_IZR_INZ, (INR_IZR_INZ k) in Hk.
          apply Rmult_le_compat_r with (r := IZR d) in Hk; [|lra].
          replace (IZR n * (IZR (Z.of_nat q) / IZR n + IZR s / IZR d + IZR s / IZR d) * IZR d) with
            (IZR (Z.of_nat q) * IZR d + 2 * IZR n * IZR s) in Hk by (field; lra).
          assert (IZR j * IZR d <= IZR (Z.of_nat q) * IZR d) by (apply Rmult_le_compat_r; [lra|now apply IZR_le]). lra. }
        assert (- Z.of_nat k <= - (j * d + 2 * n * s) / d)%Z; [|lia]. apply Z.div_le_lower_bound; lia. }
      apply orb_prop in H2. destruct H2 as [H2|H2].
      - apply Z.ltb_lt in H2. unfold binomial. rewrite at_least_above by (rewrite repeat_length; lia).
        apply Rmult_le_pos; [apply IZR_le; lia|]. left. now apply Rinv_0_lt_compat, IZR_lt.
      - assert (Hc := count_within_valid _ _ _ _ _ _ _ _ H2). unfold count_within, evaluated in H2. rewrite !andb_true_iff in H2.
        destruct H2 as [[[Hsd _] _] _]. destruct (sound_parts _ _ _ _ _ _ Hsd) as (_ & Ha & _).
        assert (0 < IZR (n * d)) by (apply IZR_lt; nia).
        assert (Hr : p <= IZR (i * d + n * s) / IZR (n * d) <= 1).
        { split.
          - rewrite Ep, INR_IZR_INZ, plus_IZR, !mult_IZR.
            replace ((IZR i * IZR d + IZR n * IZR s) / (IZR n * IZR d)) with (IZR i / IZR n + IZR s / IZR d) by (field; lra).
            apply Rplus_le_compat_r. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. now apply IZR_le.
          - apply Rmult_le_reg_r with (IZR (n * d)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_l, Rmult_1_r by lra.
            apply IZR_le. nia. }
        eapply Rle_trans; [|exact Hc]. eapply Rle_trans; [apply (binomial_rises _ p (IZR (i * d + n * s) / IZR (n * d))); lra|].
        apply binomial_falls; [lra|]. lia. }
    unfold outside. apply IZR_lt in Hv, Hf. rewrite minus_IZR, !mult_IZR in *.
    replace (IZR u / IZR v) with (IZR y / (IZR v * IZR f) + (IZR u * IZR f - IZR y) / (IZR v * IZR f)) by (field; lra). lra.
Qed.

Definition sealed_count_keeps (m b b' f d s : Z) (pairs : list (Z * Z)) : bool :=
  (positive d s b' && (0 <? f) && (0 <=? b) && (1 <=? m) && (s <=? d) && (d <=? n * s) && pairs_from b (b' * m) f d s 0 pairs)%Z.

Theorem sealed_count_plan m b b' f d s pairs (finalists : list (query X)) : Hoeffding1956 ->
  (forall q, In q finalists -> zero_one q) -> length finalists = Z.to_nat m ->
  sealed_count_keeps m b b' f d s pairs = true ->
  P (fun S => exists q, In q finalists /\ Rabs (emp q S - pop q) >= IZR s / IZR d) <= IZR b / IZR b'.
Proof.
  intros H56 Hq Hl. unfold sealed_count_keeps, positive. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[[[[[[Hd Hs] Hb] Hf] H0] Hm] Hsd] Hone] H1]. assert (E := all_finalists finalists m 1 b b' Hl Hm ltac:(lia) Hb).
  rewrite Z.mul_1_l, Rmult_1_l in E. rewrite <- E. apply sealed_counts; auto using some_rows.
  - left. now apply margin_ge_1.
  - apply (break_points Ds some_rows _ (margin_range d s Hd (conj Hs Hsd))). intros j k p Ep Hp Hk. rewrite rows.
    rewrite rows_n in Ep, Hk. apply (pairs_from_valid b (b' * m) f d s pairs 0 j k p); auto; nia.
Qed.

End Plans.
