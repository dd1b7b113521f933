(* docs/theorems/open.md, "Decided rows": fixed plans for leads of which at most m rows of n are decided, whichever.
   Of any classes m rows serve, as a row of the value 0 may be added. *)

From Coq Require Import Reals Lra Lia List Arith Psatz.
From dpcalc Require Import Tree Count Gate Tails Binomial Records Rows Sides Certified Differences Decided Leads.
Import ListNotations.
Open Scope R_scope.

(* More rows may be called decided. *)
Lemma widen {X} (f : X -> R) Ds asked decided m : decides f f Ds asked decided ->
  (length (select decided Ds) <= m <= length (select asked Ds))%nat ->
  exists wider, decides f f Ds asked wider /\ length (select wider Ds) = m.
Proof.
  intros H. revert m. induction H as [|D Ds a d asked decided Hs Hd IH]; intros m Hm.
  - exists nil. split; [constructor|]. simpl in *. lia.
  - assert (Hself : sure D (fun x => f x = f x)).
    { unfold sure. rewrite (mean_ext D _ (fun _ => 0)); [apply mean_const|]. intros x. decide_ind. }
    destruct a, d; cbn [settled] in Hs; cbn [select length] in Hm; try contradiction.
    + destruct (IH (m - 1)%nat ltac:(lia)) as (w & Hw & Hl). exists (true :: w). split; [now constructor|].
      cbn [select length]. lia.
    + destruct (le_lt_dec m (length (select asked Ds))) as [Hle|Hlt].
      * destruct (IH m ltac:(lia)) as (w & Hw & Hl). exists (false :: w). split; [now constructor|exact Hl].
      * destruct (IH (m - 1)%nat ltac:(generalize (decides_length _ _ _ _ _ Hd); lia)) as (w & Hw & Hl).
        exists (true :: w). split; [now constructor|]. cbn [select length]. lia.
    + destruct (IH m Hm) as (w & Hw & Hl). exists (false :: w). split; [now constructor|exact Hl].
Qed.

(* The incumbent's lead. *)
Lemma decides_minus {X} (f : difference X) (q : query X) Ds asked decided :
  decides (dn f) (fun x => 2 * fn q x - 1) Ds asked decided ->
  decides (dn (minus f)) (fun x => 2 * fn (flip q) x - 1) Ds asked decided.
Proof.
  assert (Hm : forall D (A B : X -> Prop), sure D A -> (forall x, A x -> B x) -> sure D B).
  { intros D A B HA H. unfold sure in *. apply Rle_antisym; [|apply mean_nonneg; intros; apply ind_range].
    rewrite <- HA. apply mean_mono. intros x. apply ind_le. auto. }
  intros H. induction H as [|D Ds a d asked decided Hs Hd IH]; constructor; auto.
  destruct a, d; cbn [settled] in *; auto; eapply Hm; try exact Hs; intros x; simpl; intros E; rewrite E; ring.
Qed.

Section Plans.
Context {X : Type}.
Variable Ds : list (law X).
Notation P := (P Ds).
Notation rows := (length Ds).
Notation n := (INR rows).
Variable m : nat.
Hypothesis m_range : (1 <= m <= rows)%nat.
Definition all : list bool := repeat true rows.

Lemma all_rows : select all Ds = Ds.
Proof. unfold all. generalize Ds. clear. induction Ds; cbn [repeat length select]; congruence. Qed.

Lemma all_size : size Ds all = n.
Proof. unfold size, Tails.n. now rewrite all_rows. Qed.

(* Any classes. *)
Definition sharing : Type := { f : difference X |
  exists decided, decides (dn f) (dn f) Ds all decided /\ (length (select decided Ds) <= m)%nat }.
Definition ahead (q : sharing) (S : list X) : R := lead Ds all (proj1_sig q) S.
Definition truly (q : sharing) : R := lead_truth Ds all (proj1_sig q).

Lemma shared (q : sharing) : exists decided, select decided Ds <> nil /\ size Ds decided = INR m /\
  decided_by Ds all decided (proj1_sig q) (as_query (proj1_sig q)).
Proof.
  destruct q as [f (decided & Hd & Hl)]. cbn [proj1_sig].
  destruct (widen _ _ _ _ m Hd) as (w & Hw & E); [rewrite all_rows; lia|]. exists w. split; [|split].
  - intros En. rewrite En in E. simpl in E. lia.
  - unfold size, Tails.n. now rewrite E.
  - now apply as_query_decided.
Qed.

(* A known bar. *)
Theorem gate_bar_leads (c tau a : R) (analyst : list bool -> sharing) (B looks : nat) : 0 < tau -> 0 <= a ->
  low_cert (INR m) (among n (INR m) (c + tau)) a (among n (INR m) c) ->
  up_cert (INR m) (among n (INR m) (c + tau)) a (among n (INR m) (c + 2 * tau)) ->
  P (fun S => exists later b v,
    gate_shown (fun t => ahead (fst t)) (fun t => snd t + tau) (fun v => (analyst v, c)) B looks S =
      later ++ b :: v /\
    gate_wrong (below_bar truly) (far_above truly tau) (fun v => (analyst v, c)) v b) <= INR (N looks B) * a.
Proof.
  intros Ht Ha Hl Hu. rewrite <- all_size in Hl, Hu. apply gate_bar_sides; auto; intros q Hq;
    destruct (shared q) as (decided & Hd & E & Hb); rewrite <- E in Hl, Hu.
  - now apply (lead_up Ds all decided Hd (proj1_sig q) _ Hb c).
  - now apply (lead_down Ds all decided Hd (proj1_sig q) _ Hb (c + 2 * tau)).
Qed.

(* Any bars: a deviation of s is one of ns/2m on m rows. *)
Definition turn (q : sharing) : sharing.
  exists (minus (proj1_sig q)). destruct q as [f (decided & Hd & Hl)]. exists decided.
  split; [|exact Hl]. cbn [proj1_sig].
  assert (E : forall g : difference X, (fun x => 2 * fn (as_query g) x - 1) = dn g).
  { intros g. apply FunctionalExtensionality.functional_extensionality. intros x. simpl. lra. }
  assert (Ef : (fun x => 2 * fn (flip (as_query f)) x - 1) = dn (minus f)).
  { apply FunctionalExtensionality.functional_extensionality. intros x. simpl. lra. }
  rewrite <- Ef at 2. apply decides_minus. now rewrite E.
Defined.

Lemma lead_minus f S : lead Ds all (minus f) S = - lead Ds all f S.
Proof.
  unfold lead. rewrite (sumR_ext _ _ (fun x => (-1) * dn f x)) by (intros; simpl; ring). rewrite sumR_scal.
  unfold Rdiv. ring.
Qed.

Lemma lead_truth_minus f : lead_truth Ds all (minus f) = - lead_truth Ds all f.
Proof.
  unfold lead_truth. rewrite (sumR_ext _ _ (fun D : law X => (-1) * D (dn f))).
  - rewrite sumR_scal. unfold Rdiv. ring.
  - intros D _. rewrite <- mean_scal. apply mean_ext. intros x. simpl. ring.
Qed.

(* A lead that is off by tau is a mean of m records that is off by n tau/2m, so that a bound for s, at each mean, serves
   where s is no more. *)
Lemma lead_deviation (tau s b : R) : 0 <= b -> s <= n * tau / (2 * INR m) ->
  (forall p, 0 <= p <= 1 - s -> low_cert (INR m) (p + s) b p) ->
  forall q, P (fun S => ahead q S - truly q >= tau) <= b /\ P (fun S => truly q - ahead q S >= tau) <= b.
Proof.
  intros Hb Hs H. assert (Hm : 0 < INR m) by (apply lt_0_INR; lia). assert (Hn : 0 < n) by (apply lt_0_INR; lia).
  assert (Hup : forall q, P (fun S => ahead q S - truly q >= tau) <= b).
  { intros q. destruct (shared q) as (decided & Hd & E & Hq).
    unfold ahead, truly. set (f := proj1_sig q) in *. set (t := lead_truth Ds all f). set (y := 2 * INR m * s / n).
    assert (Hy : y <= tau).
    { apply Rmult_le_reg_r with (n / (2 * INR m)); [apply Rdiv_lt_0_compat; lra|]. unfold y.
      replace (2 * INR m * s / n * (n / (2 * INR m))) with s by (field; lra).
      replace (tau * (n / (2 * INR m))) with (n * tau / (2 * INR m)) by (field; lra). exact Hs. }
    assert (Et := truth_among Ds all decided Hd f _ Hq). rewrite E, all_size in Et. fold t in Et.
    assert (Hr := truth_range Ds decided (as_query f) Hd). rewrite Et in Hr.
    assert (Es : among n (INR m) (t + y) = among n (INR m) t + s) by (unfold among, y; field; lra).
    eapply Rle_trans; [|apply (lead_up Ds all decided Hd f _ Hq t (t + y) b Hb); [|apply Rle_refl]].
    - apply Pr_mono. intros S. lra.
    - rewrite E, all_size, Es. destruct (Rle_dec (among n (INR m) t) (1 - s)); [apply H|apply low_beyond]; lra. }
  intros q. split; [apply Hup|]. eapply Rle_trans; [|apply (Hup (turn q))]. apply Pr_mono. intros S.
  unfold ahead, truly, turn. cbn [proj1_sig]. rewrite lead_minus, lead_truth_minus. lra.
Qed.

Theorem lead_sides (A : R -> R) : (forall s, 0 <= A s) ->
  (forall s p, 0 <= p <= 1 - n * s / (2 * INR m) -> low_cert (INR m) (p + n * s / (2 * INR m)) (A s) p) ->
  sides P ahead truly A.
Proof. intros HA H q s. apply (lead_deviation s (n * s / (2 * INR m))); auto. lra. Qed.

(* The tail of m records, at every mean. *)
Theorem gate_leads {Y : Type} (Es : list (law Y)) (tau s A : R) (analyst : list bool -> sharing * R) (B looks : nat) :
  length Es = m -> 0 < tau -> 0 <= A -> s <= n * tau / (2 * INR m) -> above_cert Es s A ->
  P (fun S => exists later b v, Gate.transcript ahead tau analyst B looks S = later ++ b :: v /\
    Gate.wrong truly tau analyst v b) <= INR (N looks B) * A.
Proof.
  intros Hl Ht HA Hs Hc. unfold above_cert, Tails.n in Hc. rewrite Hl in Hc.
  apply gate_tails; auto; intros q; now apply (lead_deviation tau s).
Qed.

End Plans.
