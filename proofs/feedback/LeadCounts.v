(* docs/theorems/open.md, "Decided rows": fixed plans for leads of two declared classes of which at most m rows of n are
   decided. Sure wins fill up m at any bar; a sure win and a sure loss leave a known bar where it is. *)

From Coq Require Import Reals Lra Lia List Arith Psatz.
From dpcalc Require Import Tree Count Gate Tails Binomial Records Rows Sides Differences Decided Leads LeadPlans.
Import ListNotations.
Open Scope R_scope.

Lemma sure_losses j ps k : at_least (repeat 0 j ++ ps) k = at_least ps k.
Proof.
  induction j as [|j IH]; [reflexivity|]. destruct k as [|k]; [now rewrite !at_least_0|]. cbn [repeat app].
  rewrite at_least_S, IH. ring.
Qed.

Lemma sure_wins j ps k : at_least (repeat 1 j ++ ps) (j + k) = at_least ps k.
Proof. induction j as [|j IH]; [reflexivity|]. cbn [repeat app Nat.add]. rewrite at_least_S, IH. ring. Qed.

(* i wins and j losses that are sure. *)
Lemma padded ps i j k : Hoeffding1956 -> means ps -> ps <> nil -> total ps + 1 <= INR k ->
  let m := (i + (j + length ps))%nat in at_least ps k <= binomial m ((total ps + INR i) / INR m) (i + k).
Proof.
  intros H Hm Hn Hk m. set (all := repeat 1 i ++ (repeat 0 j ++ ps)).
  assert (Hl : length all = m) by (unfold all, m; rewrite !app_length, !repeat_length; reflexivity).
  assert (Ht : total all = total ps + INR i).
  { unfold total, all. rewrite !sumR_app. enough (forall c l, sumR (repeat c l) (fun p => p) = INR l * c) as E.
    - rewrite !E. ring.
    - intros c l. induction l as [|l IH]; [simpl; ring|]. cbn [repeat sumR]. rewrite IH, S_INR. ring. }
  rewrite <- (sure_losses j ps k), <- (sure_wins i). fold all. rewrite <- Hl, <- Ht. apply hoeffding_at_least; auto.
  - intros p Hp. unfold all in Hp. rewrite !in_app_iff in Hp.
    destruct Hp as [Hp|[Hp|Hp]]; [apply repeat_spec in Hp; lra|apply repeat_spec in Hp; lra|auto].
  - left. rewrite Ht, plus_INR. lra.
Qed.

Section Plans.
Context {X : Type}.
Variable Ds : list (law X).
Notation P := (P Ds).
Notation rows := (length Ds).
Notation n := (INR rows).
Notation all := (all Ds).
Variable m : nat.
Hypothesis m_range : (1 <= m <= rows)%nat.
Hypothesis H56 : Hoeffding1956.

Definition two_classes : Type := { f : difference X | exists decided q,
  zero_one q /\ decided_by Ds all decided f q /\ (length (select decided Ds) <= m)%nat }.
Definition count_ahead (f : two_classes) (S : list X) : R := lead Ds all (proj1_sig f) S.
Definition count_truly (f : two_classes) : R := lead_truth Ds all (proj1_sig f).

Lemma n_positive : 0 < n.
Proof. apply lt_0_INR. lia. Qed.

(* The wins on D decided rows, counted. *)
Lemma counted (f : two_classes) (x : R) : 1 <= n * (x - count_truly f) / 2 ->
  P (fun S => count_ahead f S >= x) = 0 \/
  exists ps k, means ps /\ ps <> nil /\ (length ps <= m)%nat /\
    2 * total ps = INR (length ps) + n * count_truly f /\ (INR (length ps) + n * x) / 2 <= INR k /\
    total ps + 1 <= INR k /\ P (fun S => count_ahead f S >= x) <= at_least ps k.
Proof.
  destruct f as [f (decided & q & Hq & Hd & Hl)]. unfold count_ahead, count_truly. cbn [proj1_sig]. intros Hx.
  assert (Hn := n_positive). set (t := lead_truth Ds all f) in *.
  destruct (select decided Ds) as [|D L] eqn:E.
  - left. destruct (none_decided Ds all decided f q E Hd) as [Hnone Ht]. fold t in Ht.
    rewrite (Hnone (fun y => y >= x)). apply Pr_none. intros _ Hle. rewrite Ht in Hx. nra.
  - right. rewrite <- E in Hl. assert (Hs : select decided Ds <> nil) by (rewrite E; discriminate). clear E.
    set (d := size Ds decided). assert (Hdp : 0 < d) by (now apply Tails.n_pos).
    set (ps := truths (select decided Ds) q).
    assert (Hps : INR (length ps) = d) by (unfold ps; now rewrite truths_length).
    assert (Htot : 2 * total ps = d + n * t).
    { unfold ps. rewrite truths_total by auto. change (2 * (d * truth Ds decided q) = d + n * t).
      rewrite (truth_among Ds all decided Hs f q Hd), all_size. fold t. fold d. unfold among. field. lra. }
    destruct (whole_above ((d + n * x) / 2)) as (k & Hk & Hleast). exists ps, k. rewrite Hps.
    refine (conj _ (conj _ (conj _ (conj Htot (conj Hk (conj _ _)))))).
    + apply truths_means.
    + intros En. rewrite En in Hps. simpl in Hps. lra.
    + unfold ps. now rewrite truths_length.
    + lra.
    + unfold ps. rewrite <- (emp_at_least (select decided Ds) Hs q k Hq).
      rewrite (at_or_above Ds all decided Hs f q Hd), all_size. fold d.
      rewrite <- (select_P Ds decided
        (fun S => emp (select decided Ds) q S >= INR k / Tails.n (select decided Ds))).
      apply Pr_mono. intros S. change (value Ds decided q S >= among n d x -> value Ds decided q S >= INR k / d).
      destruct (count_value Ds decided q Hq S) as [w Hw]. rewrite Hw. fold d. intros HS.
      unfold Rdiv. apply Rmult_ge_compat_r; [left; now apply Rinv_0_lt_compat|]. apply Rle_ge, le_INR, Hleast.
      apply Rmult_ge_compat_r with (r := d) in HS; [|lra]. unfold among in HS.
      replace (INR w / d * d) with (INR w) in HS by (field; lra).
      replace ((1 + n * x / d) / 2 * d) with ((d + n * x) / 2) in HS by (field; lra). lra.
Qed.

Definition turned (f : two_classes) : two_classes.
  exists (minus (proj1_sig f)). destruct f as [f (decided & q & Hq & Hd & Hl)]. exists decided, (flip q).
  split; [now apply flip_zero_one|]. split; [now apply decides_minus|exact Hl].
Defined.

(* Any bars. *)
Theorem lead_count_above (s b : R) : 1 <= n * s / 2 -> 0 <= b ->
  (forall p k, 0 <= p <= 1 -> INR m * p + n * s / 2 <= INR k -> binomial m p k <= b) ->
  forall f, P (fun S => count_ahead f S - count_truly f >= s) <= b /\
    P (fun S => count_truly f - count_ahead f S >= s) <= b.
Proof.
  intros Hs Hb H.
  assert (Hup : forall f, P (fun S => count_ahead f S - count_truly f >= s) <= b).
  { intros f. apply Rle_trans with (P (fun S => count_ahead f S >= count_truly f + s)); [apply Pr_mono; intros S; lra|].
    destruct (counted f (count_truly f + s)) as [E|(ps & k & Hm & Hn & Hl & Ht & Hk & Hk1 & HP)]; [|lra|].
    - replace (count_truly f + s - count_truly f) with s by ring. exact Hs.
    - eapply Rle_trans; [exact HP|]. assert (Hp := padded ps (m - length ps) 0 k H56 Hm Hn Hk1).
      cbv zeta in Hp. replace (m - length ps + (0 + length ps))%nat with m in Hp by lia.
      eapply Rle_trans; [exact Hp|]. assert (HM : 0 < INR m) by (apply lt_0_INR; lia).
      assert (Hr := total_range ps Hm).
      apply H; rewrite ?plus_INR, minus_INR by lia.
      + split; [apply Rmult_le_pos; [apply le_INR in Hl; lra|left; now apply Rinv_0_lt_compat]|].
        apply Rcomplements.Rle_div_l; lra.
      + replace (INR m * ((total ps + (INR m - INR (length ps))) / INR m)) with (total ps + (INR m - INR (length ps)))
          by (field; lra). lra. }
  intros f. split; [apply Hup|]. eapply Rle_trans; [|apply (Hup (turned f))]. apply Pr_mono. intros S.
  unfold count_ahead, count_truly, turned. cbn [proj1_sig]. rewrite lead_minus, lead_truth_minus. lra.
Qed.

(* A known bar: of m and m-1 rows the one that has as many more than D as there are pairs. *)
Definition at_bar (c x b : R) : Prop := forall r p k, r = m \/ (r = m - 1)%nat /\ (1 <= r)%nat ->
  0 <= p <= 1 -> p <= among n (INR r) c -> (INR r + n * x) / 2 <= INR k -> binomial r p k <= b.

Theorem lead_count_bar (c x b : R) (f : two_classes) : 1 <= n * (x - c) / 2 -> 0 <= b -> at_bar c x b ->
  count_truly f <= c -> P (fun S => count_ahead f S >= x) <= b.
Proof.
  intros Hx Hb H Hc. assert (Hn0 := n_positive).
  destruct (counted f x) as [E|(ps & k & Hm & Hn & Hl & Ht & Hk & Hk1 & HP)]; [nra|lra|].
  eapply Rle_trans; [exact HP|].
  assert (Hlen : (1 <= length ps)%nat) by (destruct ps; [congruence|simpl; lia]).
  set (j := Nat.div2 (m - length ps)).
  assert (Hr : exists r, (r = j + (j + length ps))%nat /\ (r = m \/ (r = m - 1)%nat /\ (1 <= r)%nat)).
  { exists (j + (j + length ps))%nat. split; auto. unfold j.
    destruct (Nat.Even_or_Odd (m - length ps)) as [Ev|Od].
    - apply Nat.Even_double in Ev. unfold Nat.double in Ev. left. lia.
    - apply Nat.Odd_double in Od. unfold Nat.double in Od. right. lia. }
  destruct Hr as (r & Er & Hr). assert (Hp := padded ps j j k H56 Hm Hn Hk1). cbv zeta in Hp. rewrite <- Er in Hp.
  eapply Rle_trans; [exact Hp|]. assert (HR : 0 < INR r) by (apply lt_0_INR; lia).
  assert (Hrange := total_range ps Hm). assert (Hj := pos_INR j).
  assert (ER : INR r = INR j + (INR j + INR (length ps))) by (rewrite Er, !plus_INR; ring).
  apply (H r); auto.
  - split; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|].
    apply Rcomplements.Rle_div_l; lra.
  - apply Rmult_le_reg_r with (INR r); auto. unfold among, Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    replace ((1 + n * c * / INR r) * / 2 * INR r) with ((INR r + n * c) / 2) by (field; lra).
    assert (n * count_truly f <= n * c) by (apply Rmult_le_compat_l; lra). lra.
  - rewrite plus_INR. lra.
Qed.

Theorem gate_bar_lead_counts (c tau a : R) (analyst : list bool -> two_classes) (B looks : nat) : 0 < tau -> 0 <= a ->
  1 <= n * tau / 2 -> at_bar c (c + tau) a -> at_bar (- (c + 2 * tau)) (- (c + tau)) a ->
  P (fun S => exists later b v,
    gate_shown (fun t => count_ahead (fst t)) (fun t => snd t + tau) (fun v => (analyst v, c)) B looks S =
      later ++ b :: v /\
    gate_wrong (below_bar count_truly) (far_above count_truly tau) (fun v => (analyst v, c)) v b) <=
  INR (N looks B) * a.
Proof.
  intros Ht Ha Hf Hu Hd. apply gate_bar_sides; auto; intros f Hq.
  - apply (lead_count_bar c (c + tau) a); auto. replace (c + tau - c) with tau by ring. exact Hf.
  - eapply Rle_trans; [|apply (lead_count_bar (- (c + 2 * tau)) (- (c + tau)) a (turned f)); auto].
    + apply Pr_mono. intros S HS. unfold count_ahead, turned in *. cbn [proj1_sig]. rewrite lead_minus. lra.
    + replace (- (c + tau) - - (c + 2 * tau)) with tau by ring. exact Hf.
    + unfold count_truly, turned in *. cbn [proj1_sig]. rewrite lead_truth_minus. lra.
Qed.

End Plans.
