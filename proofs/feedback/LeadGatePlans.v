(* As Plans.v for gates of leads of two declared classes, of which at most m rows of n are decided. *)

From Coq Require Import Reals Lra Lia List Arith ZArith Bool.
From dpcalc Require Import Tree Count Gate Tails Binomial Records Rows Sides BreakPoints Evaluate Plans Differences Decided
  Leads LeadPlans LeadCounts LeadGates.
Import ListNotations.
Open Scope R_scope.

Section LeadGatePlans.
Context {X : Type}.
Variable Ds : list (law X).
Variables n m : Z.
Hypothesis rows : length Ds = Z.to_nat n.
Variable e : precision.
Notation P := (P Ds).
Notation classes := (two_classes Ds (Z.to_nat m)).
Notation ahead := (count_ahead Ds (Z.to_nat m)).
Notation truly := (count_truly Ds (Z.to_nat m)).

Definition counted (M B b b' d s : Z) : bool :=
  (positive d s b' && (0 <=? b) && (1 <=? M) && (0 <=? B) && (1 <=? m) && (m <=? n) && (2 * d <=? n * s))%Z.

Lemma counted_parts M B b b' d s : counted M B b b' d s = true -> (0 < d)%Z /\ (0 < s)%Z /\ (0 < b')%Z /\ (1 <= m <= n)%Z /\
  (1 <= Z.to_nat m <= length Ds)%nat /\ INR (length Ds) = IZR n /\ 0 < IZR s / IZR d /\ 1 <= INR (length Ds) * (IZR s / IZR d) / 2 /\
  0 <= IZR b / IZR (b' * nodes M B) /\ INR (N (Z.to_nat M) (Z.to_nat B)) * (IZR b / IZR (b' * nodes M B)) = IZR b / IZR b'.
Proof.
  unfold counted, positive. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[[[[[[Hd Hs] Hb'] Hb] HM] HB] Hm] Hmn] Hf].
  assert (En : INR (length Ds) = IZR n) by (rewrite rows, INR_IZR_INZ; f_equal; lia).
  assert (Hn : (0 < n)%Z) by lia. assert (Dp := IZR_lt _ _ Hd). assert (Hs' := IZR_lt _ _ Hs).
  repeat split; auto; try lia.
  - now apply Rdiv_lt_0_compat.
  - rewrite En. apply IZR_le in Hf. rewrite !mult_IZR in Hf. apply Rmult_le_reg_r with (2 * IZR d); [lra|].
    replace (IZR n * (IZR s / IZR d) / 2 * (2 * IZR d)) with (IZR n * IZR s) by (field; lra). lra.
  - now apply (share_nonneg Ds n rows Hn).
  - now apply share.
Qed.

(* Any bars: the margin is n s / 2 m d for a mean of m wins. *)
Definition gate_lead_keeps (M B b b' d s : Z) (groups : list Z) : bool :=
  (counted M B b b' d s && (n * s <=? 2 * m * d) && groups_within e m b (b' * nodes M B) (2 * m * d) (n * s) groups)%Z.

Theorem gate_lead_plan M B b b' d s groups (analyst : list bool -> classes * R) : Hoeffding1956 ->
  gate_lead_keeps M B b b' d s groups = true ->
  P (fun S => exists later r v,
    Gate.transcript ahead (IZR s / IZR d) analyst (Z.to_nat B) (Z.to_nat M) S = later ++ r :: v /\
    Gate.wrong truly (IZR s / IZR d) analyst v r) <= IZR b / IZR b'.
Proof.
  intros H56. unfold gate_lead_keeps. rewrite !andb_true_iff, Z.leb_le. intros [[Hc Hw] H].
  destruct (counted_parts _ _ _ _ _ _ Hc) as (Hd & Hs & Hb' & Hm & Hmn & En & Sp & Hone & Hl & <-).
  set (Es := repeat (point true) (Z.to_nat m)). assert (HE : length Es = Z.to_nat m) by apply repeat_length.
  apply (gate_lead_counts Ds (Z.to_nat m) Hmn Es); auto.
  replace (INR (length Ds) * (IZR s / IZR d) / (2 * INR (Z.to_nat m))) with (IZR (n * s) / IZR (2 * m * d)).
  - apply (groups_above Es m HE ltac:(lia) e) with (l := groups); auto. nia.
  - rewrite En, INR_IZR_INZ, Z2Nat.id, !mult_IZR by lia. assert (0 < IZR d) by now apply IZR_lt.
    assert (0 < IZR m) by (apply IZR_lt; lia). field. lra.
Qed.

(* A known bar c/d: of m and m-1 rows with a truth of at most c/d rarely so many win that the lead is x/d. *)
Definition lead_within (u v d r c x : Z) : bool :=
  let a := (r * d + n * c)%Z in let k := up (r * d + n * x) (2 * d) in
  ((r <? k) || (a <=? 0) && (0 <? k) || count_within r (bits e) (width e) u v (2 * r * d) a k)%Z.
Definition leads_within (u v d c x : Z) : bool := lead_within u v d m c x && ((m <=? 1)%Z || lead_within u v d (m - 1) c x).

Lemma leads_within_valid u v d c x : leads_within u v d c x = true -> (0 < d)%Z -> (1 <= m <= n)%Z -> INR (length Ds) = IZR n ->
  0 <= IZR u / IZR v -> at_bar Ds (Z.to_nat m) (IZR c / IZR d) (IZR x / IZR d) (IZR u / IZR v).
Proof.
  unfold leads_within. rewrite andb_true_iff, orb_true_iff, Z.leb_le. intros [H1 H2] Hd Hm En Hl r p k Hr Hp Hpc Hk.
  assert (Hr' : (1 <= Z.of_nat r <= m)%Z /\ lead_within u v d (Z.of_nat r) c x = true).
  { destruct Hr as [->|[-> Hr]]; [rewrite Z2Nat.id by lia; split; [lia|auto]|].
    replace (Z.of_nat (Z.to_nat m - 1)) with (m - 1)%Z by lia. destruct H2 as [H2|H2]; [lia|]. split; [lia|auto]. }
  destruct Hr' as [Hr1 H]. set (q := Z.of_nat r) in *. assert (Er : INR r = IZR q) by (unfold q; apply INR_IZR_INZ).
  assert (Dp := IZR_lt _ _ Hd). assert (Qp : 0 < IZR q) by (apply IZR_lt; lia).
  unfold lead_within in H. cbv zeta in H. set (a := (q * d + n * c)%Z) in *. set (k' := up (q * d + n * x) (2 * d)) in *.
  assert (Hk' : (k' <= Z.of_nat k)%Z).
  { unfold k', up. assert (- Z.of_nat k <= - (q * d + n * x) / (2 * d))%Z; [|lia]. apply Z.div_le_lower_bound; [lia|].
    assert (q * d + n * x <= Z.of_nat k * (2 * d))%Z; [|lia]. apply le_IZR. rewrite plus_IZR, !mult_IZR, <- INR_IZR_INZ.
    rewrite Er, En in Hk. apply Rmult_le_compat_r with (r := 2 * IZR d) in Hk; [|lra].
    replace ((IZR q + IZR n * (IZR x / IZR d)) / 2 * (2 * IZR d)) with (IZR q * IZR d + IZR n * IZR x) in Hk by (field; lra). lra. }
  assert (Hpa : p <= IZR a / IZR (2 * q * d)).
  { eapply Rle_trans; [exact Hpc|]. unfold among, a. rewrite Er, En, plus_IZR, !mult_IZR. right. field. lra. }
  assert (Qd : 0 < IZR (2 * q * d)) by (apply IZR_lt; nia).
  rewrite !orb_true_iff, andb_true_iff, !Z.ltb_lt, Z.leb_le in H. destruct H as [[H|[H H']]|H].
  - unfold binomial. rewrite at_least_above by (rewrite repeat_length; lia). auto.
  - assert (p = 0) as ->; [|rewrite binomial_0 by lia; auto]. apply IZR_le in H.
    assert (IZR a / IZR (2 * q * d) <= 0); [|lra]. apply Rmult_le_reg_r with (IZR (2 * q * d)); auto.
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - assert (Hc := count_within_valid _ _ _ _ _ _ _ _ H). unfold count_within, evaluated in H. rewrite !andb_true_iff in H.
    destruct H as [[[Hs _] _] _]. destruct (sound_parts _ _ _ _ _ _ Hs) as (_ & Ha & _).
    replace (Z.to_nat q) with r in Hc by (unfold q; lia).
    assert (H1' : IZR a / IZR (2 * q * d) <= 1).
    { apply Rmult_le_reg_r with (IZR (2 * q * d)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_l, Rmult_1_r by lra.
      apply IZR_le. lia. }
    eapply Rle_trans; [apply binomial_rises; [lra|exact Hpa|exact H1']|].
    eapply Rle_trans; [|exact Hc]. apply binomial_falls; [lra|lia].
Qed.

Definition gate_bar_lead_keeps (M B b b' d c s : Z) : bool :=
  (counted M B b b' d s && leads_within b (b' * nodes M B) d c (c + s) && leads_within b (b' * nodes M B) d (- (c + 2 * s)) (- (c + s)))%Z.
Definition gate_bar_lead_keeps_one_side (M B b b' d c s : Z) : bool :=
  (counted M B b b' d s && leads_within b (b' * nodes M B) d c (c + s))%Z.

Notation shown c s d analyst B M S := (gate_shown (fun t => ahead (fst t)) (fun t => snd t + IZR s / IZR d)
  (fun v => (analyst v, IZR c / IZR d)) (Z.to_nat B) (Z.to_nat M) S).

Theorem gate_bar_lead_plan M B b b' d c s (analyst : list bool -> classes) : Hoeffding1956 ->
  gate_bar_lead_keeps M B b b' d c s = true ->
  P (fun S => exists later r v, shown c s d analyst B M S = later ++ r :: v /\
    gate_wrong (below_bar truly) (far_above truly (IZR s / IZR d)) (fun v => (analyst v, IZR c / IZR d)) v r) <= IZR b / IZR b'.
Proof.
  intros H56. unfold gate_bar_lead_keeps. rewrite !andb_true_iff. intros [[Hc H1] H2].
  destruct (counted_parts _ _ _ _ _ _ Hc) as (Hd & Hs & Hb' & Hm & Hmn & En & Sp & Hone & Hl & <-). assert (Dp := IZR_lt _ _ Hd).
  apply leads_within_valid in H1, H2; auto.
  replace (IZR (c + s) / IZR d) with (IZR c / IZR d + IZR s / IZR d) in H1 by (rewrite plus_IZR; field; lra).
  replace (IZR (- (c + 2 * s)) / IZR d) with (- (IZR c / IZR d + 2 * (IZR s / IZR d))) in H2
    by (rewrite opp_IZR, plus_IZR, mult_IZR; field; lra).
  replace (IZR (- (c + s)) / IZR d) with (- (IZR c / IZR d + IZR s / IZR d)) in H2 by (rewrite opp_IZR, plus_IZR; field; lra).
  now apply gate_bar_lead_counts.
Qed.

Theorem gate_bar_lead_plan_one_side M B b b' d c s (analyst : list bool -> classes) : Hoeffding1956 ->
  gate_bar_lead_keeps_one_side M B b b' d c s = true ->
  P (fun S => exists later r v, shown c s d analyst B M S = later ++ r :: v /\
    gate_wrong (below_bar truly) (fun _ => False) (fun v => (analyst v, IZR c / IZR d)) v r) <= IZR b / IZR b'.
Proof.
  intros H56. unfold gate_bar_lead_keeps_one_side. rewrite andb_true_iff. intros [Hc H1].
  destruct (counted_parts _ _ _ _ _ _ Hc) as (Hd & Hs & Hb' & Hm & Hmn & En & Sp & Hone & Hl & <-). assert (Dp := IZR_lt _ _ Hd).
  apply leads_within_valid in H1; auto.
  replace (IZR (c + s) / IZR d) with (IZR c / IZR d + IZR s / IZR d) in H1 by (rewrite plus_IZR; field; lra).
  now apply gate_bar_lead_counts_one_side.
Qed.

End LeadGatePlans.
