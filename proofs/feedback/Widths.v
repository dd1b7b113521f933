(* docs/theorems/feedback.md, "rounding-widths": every answer but the last is the nearest multiple of a width that is
   fixed for its query, the last is the value itself. *)

From Coq Require Import Reals ZArith Lra Lia List Arith Psatz.
From Coquelicot Require Import Rcomplements.
From dpcalc Require Import Tree Sides.
Import ListNotations.
Open Scope R_scope.

Section Widths.
Context {Omega Query : Type}.
Variable P : outer Omega.
Variable emp : Query -> Omega -> R.
Variable pop : Query -> R.
Variable A : R -> R.
Hypothesis two_sides : sides P emp pop A.
Hypothesis A_nonneg : forall s, 0 <= A s.
Variable tau : R.
Variable m : nat.

(* The half of the width of the query at the depth i, and how many multiples an interval of 2 tau has. *)
Variable half : nat -> R.
Variable c : nat -> nat.
Hypothesis half_pos : forall i, 0 < half i.
Hypothesis cells_fit : forall i, (1 <= c i)%nat /\ tau <= INR (c i) * half i.

(* The nearest whole number. *)
Variable nearest : R -> Z.
Hypothesis nearest_half : forall x, Rabs (IZR (nearest x) - x) <= 1 / 2.

(* A response is the number of a multiple or, at the end, a value. *)
Notation Resp := (Z + R)%type.
Variable analyst : list Resp -> Query.
Definition last (v : list Resp) : bool := (m <=? length v + 1)%nat.
Definition over (v : list Resp) : bool := (m <=? length v)%nat.
Definition multiple (v : list Resp) (k : Z) : R := 2 * half (length v) * IZR k.
Definition answered (v : list Resp) (w : Omega) : Resp :=
  if last v then inr (emp (analyst v) w) else inl (nearest (emp (analyst v) w / (2 * half (length v)))).

Definition close (v : list Resp) (r : Resp) : Prop :=
  match r with
  | inl k => last v = false /\ Rabs (multiple v k - pop (analyst v)) < tau
  | inr x => last v = true /\ Rabs (x - pop (analyst v)) < tau
  end.

Lemma close_dec v r : {close v r} + {~ close v r}.
Proof.
  destruct r as [k|x]; simpl; destruct (last v);
    try (right; intros [H _]; discriminate);
    [destruct (Rlt_dec (Rabs (multiple v k - pop (analyst v))) tau)|destruct (Rlt_dec (Rabs (x - pop (analyst v))) tau)]; tauto.
Qed.

(* The multiples that are within tau. *)
Definition first_of (v : list Resp) : Z := up ((pop (analyst v) - tau) / (2 * half (length v))).
Definition near (v : list Resp) : list Z := map (fun i => (first_of v + Z.of_nat i)%Z) (seq 0 (c (length v))).
Definition closes (v : list Resp) : list Resp :=
  filter (fun r => if close_dec v r then true else false) (map inl (near v)).

Lemma first_spec v : 2 * half (length v) * (IZR (first_of v) - 1) <= pop (analyst v) - tau < multiple v (first_of v).
Proof.
  unfold multiple, first_of. assert (Hh := half_pos (length v)). set (h := half (length v)) in *.
  set (y := (pop (analyst v) - tau) / (2 * h)). assert (E : pop (analyst v) - tau = 2 * h * y) by (unfold y; field; lra).
  destruct (archimed y) as [H1 H2]. rewrite E. split; [apply Rmult_le_compat_l|apply Rmult_lt_compat_l]; lra.
Qed.

Lemma closes_ok v r : close v r -> over (r :: v) = false -> In r (closes v).
Proof.
  intros Hr Hs. unfold closes. apply filter_In. split; [|now destruct (close_dec v r)].
  unfold over in Hs. simpl in Hs. apply Nat.leb_gt in Hs.
  destruct r as [k|x]; simpl in Hr; [|destruct Hr as [Hl _]; unfold last in Hl; apply Nat.leb_le in Hl; lia].
  apply in_map. unfold near. destruct Hr as [_ Hr]. assert (Hh := half_pos (length v)).
  destruct (first_spec v) as [H1 H2]. destruct (cells_fit (length v)) as [Hc Hf]. unfold multiple in *.
  set (h := half (length v)) in *. apply Rabs_def2 in Hr.
  assert (Hlow : (first_of v <= k)%Z).
  { apply Z.lt_pred_le, lt_IZR. unfold Z.pred. rewrite plus_IZR. apply Rmult_lt_reg_l with (2 * h); lra. }
  assert (Hhigh : (k < first_of v + Z.of_nat (c (length v)))%Z).
  { apply lt_IZR. rewrite plus_IZR, <- INR_IZR_INZ. apply Rmult_lt_reg_l with (2 * h); lra. }
  apply in_map_iff. exists (Z.to_nat (k - first_of v)). split; [lia|]. apply in_seq. lia.
Qed.

(* V: what is left at most with so many queries to come at a depth. *)
Fixpoint V (k i : nat) : R :=
  match k with
  | O => 0
  | S k => if (m <=? i + 1)%nat then 2 * A tau else
      Rmax (INR (c i) * V k (S i) + A (tau - half i) + A tau)
           (INR (c i - 1) * V k (S i) + 2 * A (tau - half i))
  end.

Lemma V_nonneg k i : 0 <= V k i.
Proof.
  revert i. induction k as [|k IH]; intros i; simpl; [lra|].
  assert (H1 := A_nonneg tau). assert (H2 := A_nonneg (tau - half i)). destruct (m <=? i + 1)%nat; [lra|].
  eapply Rle_trans; [|apply Rmax_l]. assert (0 <= INR (c i) * V k (S i)) by (apply Rmult_le_pos; [apply pos_INR|auto]). lra.
Qed.

Lemma filter_none {T} (f : T -> bool) l : (forall a, f a = false) -> filter f l = nil.
Proof. intros H. induction l as [|a l IH]; simpl; [auto|]. now rewrite H. Qed.

Lemma near_length v : length (near v) = c (length v).
Proof. unfold near. now rewrite map_length, seq_length. Qed.

(* Where the last of the near multiples is within tau the next one lies beyond it. *)
Definition full (v : list Resp) : Prop := multiple v (first_of v + Z.of_nat (c (length v) - 1)) - pop (analyst v) < tau.

Lemma not_full v : ~ full v -> (length (closes v) <= c (length v) - 1)%nat.
Proof.
  intros H. unfold closes, near. destruct (cells_fit (length v)) as [Hc _].
  replace (c (length v)) with (S (c (length v) - 1)) at 1 by lia. rewrite seq_S, !map_app, filter_app, app_length. simpl.
  destruct (close_dec v (inl (first_of v + Z.of_nat (c (length v) - 1))%Z)) as [[_ Hn]|Hn].
  - exfalso. apply H. unfold full. apply Rabs_def2 in Hn. lra.
  - simpl. rewrite Nat.add_0_r. eapply Nat.le_trans; [apply filter_length_le|]. now rewrite !map_length, seq_length.
Qed.

Lemma step_risk v : last v = false -> exists a b, (a = A (tau - half (length v)) /\ b = A tau \/
    (length (closes v) <= c (length v) - 1)%nat /\ a = A (tau - half (length v)) /\ b = a) /\
  risk P answered close v <= a + b.
Proof.
  intros Hl. set (q := analyst v). set (h := half (length v)). assert (Hh : 0 < h) by apply half_pos.
  destruct (first_spec v) as [H1 H2]. fold h q in H1, H2. destruct (cells_fit (length v)) as [Hc Hf]. fold h in Hf.
  set (top := (first_of v + Z.of_nat (c (length v)))%Z).
  (* What is shown is within h of the value; what is wrong is a multiple below the near ones or above them. *)
  assert (Hbad : forall w, ~ close v (answered v w) -> exists k, Rabs (2 * h * IZR k - emp q w) <= h /\
    (pop q + tau <= 2 * h * IZR k \/ 2 * h * IZR k <= pop q - tau)).
  { intros w Hw. unfold answered in Hw. rewrite Hl in Hw. fold q h in Hw. exists (nearest (emp q w / (2 * h))). split.
    - assert (Hn := nearest_half (emp q w / (2 * h))). apply Rabs_le_between in Hn. apply Rabs_le_between.
      assert (E : emp q w = 2 * h * (emp q w / (2 * h))) by (field; lra). set (x := emp q w / (2 * h)) in *. rewrite E.
      split; nra.
    - destruct (Rle_dec (pop q + tau) (2 * h * IZR (nearest (emp q w / (2 * h))))) as [Ha|Ha]; [now left|right].
      apply Rnot_lt_le. intros Hb. apply Hw. split; auto. unfold multiple. fold h q. apply Rabs_def1; lra. }
  assert (Hbelow : forall k, 2 * h * IZR k <= pop q - tau -> 2 * h * IZR k <= 2 * h * (IZR (first_of v) - 1)).
  { intros k Hk. apply Rmult_le_compat_l; [lra|].
    assert (Hz : (k < first_of v)%Z) by (apply lt_IZR; unfold multiple in H2; fold h in H2; apply Rmult_lt_reg_l with (2 * h); lra).
    assert (Hz' : (k <= first_of v - 1)%Z) by lia. apply IZR_le in Hz'. rewrite minus_IZR in Hz'. lra. }
  destruct (Rlt_dec (multiple v (first_of v + Z.of_nat (c (length v) - 1)) - pop q) tau) as [Hfull|Hfull].
  - assert (Habove : forall k, pop q + tau <= 2 * h * IZR k -> 2 * h * IZR top <= 2 * h * IZR k).
    { intros k Hk. apply Rmult_le_compat_l; [lra|]. apply IZR_le.
      assert (Hz : (first_of v + Z.of_nat (c (length v) - 1) < k)%Z).
      { apply lt_IZR. unfold multiple in Hfull. fold h in Hfull. apply Rmult_lt_reg_l with (2 * h); lra. }
      unfold top. lia. }
    assert (Etop : 2 * h * IZR top = 2 * h * (IZR (first_of v) - 1) + (2 * h * INR (c (length v)) + 2 * h)).
    { unfold top. rewrite plus_IZR, <- INR_IZR_INZ. ring. }
    destruct (Rle_dec (pop q + tau + h) (2 * h * IZR top)) as [Hr|Hr].
    + exists (A (tau - h)), (A tau). split; [left; auto|]. destruct (two_sides q tau) as [Hu _].
      destruct (two_sides q (tau - h)) as [_ Hd]. rewrite Rplus_comm.
      eapply Rle_trans; [|apply Rplus_le_compat; [exact Hu|exact Hd]]. eapply Rle_trans; [|apply Pr_or].
      apply Pr_mono. intros w Hw. destruct (Hbad w Hw) as (k & Hk & Hside). apply Rabs_le_between in Hk.
      destruct Hside as [Hs|Hs]; [left; specialize (Habove k Hs)|right]; lra.
    + exists (A (tau - h)), (A tau). split; [left; auto|]. destruct (two_sides q (tau - h)) as [Hu _].
      destruct (two_sides q tau) as [_ Hd].
      eapply Rle_trans; [|apply Rplus_le_compat; [exact Hu|exact Hd]]. eapply Rle_trans; [|apply Pr_or].
      apply Pr_mono. intros w Hw. destruct (Hbad w Hw) as (k & Hk & Hside). apply Rabs_le_between in Hk.
      destruct Hside as [Hs|Hs]; [left; lra|right; specialize (Hbelow k Hs); lra].
  - exists (A (tau - h)), (A (tau - h)). split; [right; split; [now apply not_full|auto]|].
    destruct (two_sides q (tau - h)) as [Hu Hd].
    eapply Rle_trans; [|apply Rplus_le_compat; [exact Hu|exact Hd]]. eapply Rle_trans; [|apply Pr_or].
    apply Pr_mono. intros w Hw. destruct (Hbad w Hw) as (k & Hk & Hside). apply Rabs_le_between in Hk.
    destruct Hside as [Hs|Hs]; [left|right]; lra.
Qed.

Definition shown_widths (w : Omega) : list Resp := play answered over m nil w.

Theorem rounding_widths :
  P (fun w => exists later r v, shown_widths w = later ++ r :: v /\ ~ close v r) <= V m 0.
Proof.
  apply (tree_recursion P answered over close close_dec closes closes_ok (fun _ => True)
    (fun j v => V j (length v))); auto.
  - intros; apply V_nonneg.
  - intros v r Hr. unfold closes in Hr. apply filter_In in Hr. destruct Hr as [_ Hr]. now destruct (close_dec v r).
  - intros j v _ Hs. simpl length. cbn [V]. destruct (m <=? length v + 1)%nat eqn:El.
    + assert (Hover : forall r, over (r :: v) = true).
      { intros r. unfold over. simpl. apply Nat.leb_le. apply Nat.leb_le in El. lia. }
      rewrite filter_none by (intros r; now rewrite Hover). cbn [sumR].
      destruct (two_sides (analyst v) tau) as [Hu Hd]. rewrite Rplus_0_r.
      apply Rle_trans with (A tau + A tau); [|lra].
      eapply Rle_trans; [|apply Rplus_le_compat; [exact Hu|exact Hd]]. eapply Rle_trans; [|apply Pr_or].
      apply Pr_mono. intros w Hw. unfold answered, last in Hw. rewrite El in Hw.
      destruct (Rlt_dec (Rabs (emp (analyst v) w - pop (analyst v))) tau) as [H|H].
      * exfalso. apply Hw. split; auto.
      * unfold Rabs in H. destruct (Rcase_abs (emp (analyst v) w - pop (analyst v))); [right|left]; lra.
    + destruct (step_risk v El) as (a & b & Hab & Hrisk).
      assert (Hsum : sumR (filter (fun r => negb (over (r :: v))) (closes v)) (fun _ => V j (S (length v))) <=
        INR (length (closes v)) * V j (S (length v))).
      { rewrite sumR_const. apply Rmult_le_compat_r; [apply V_nonneg|]. apply le_INR, filter_length_le. }
      assert (Hall : (length (closes v) <= c (length v))%nat).
      { unfold closes. eapply Nat.le_trans; [apply filter_length_le|]. now rewrite map_length, near_length. }
      assert (HV := V_nonneg j (S (length v))). eapply Rle_trans; [apply Rplus_le_compat; [exact Hrisk|exact Hsum]|].
      destruct Hab as [[-> ->]|(Hfew & -> & ->)].
      * eapply Rle_trans; [|apply Rmax_l]. apply le_INR in Hall.
        assert (INR (length (closes v)) * V j (S (length v)) <= INR (c (length v)) * V j (S (length v)))
          by (apply Rmult_le_compat_r; auto). lra.
      * eapply Rle_trans; [|apply Rmax_r]. apply le_INR in Hfew.
        assert (INR (length (closes v)) * V j (S (length v)) <= INR (c (length v) - 1) * V j (S (length v)))
          by (apply Rmult_le_compat_r; auto). lra.
Qed.

End Widths.

(* Clipping moves no answer away from a truth in [0,1]. *)
Lemma clip_nearer x p : 0 <= p <= 1 -> Rabs (Rmax 0 (Rmin x 1) - p) <= Rabs (x - p).
Proof.
  intros Hp. unfold Rmax, Rmin. destruct (Rle_dec x 1); [destruct (Rle_dec 0 x)|destruct (Rle_dec 0 1)];
    unfold Rabs; repeat destruct (Rcase_abs _); lra.
Qed.
