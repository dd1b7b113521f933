(* docs/theorems/feedback.md: "gate", "ladder", "sparse-validate" and "sealed" on n independent records with unequal
   laws, by the tails that the rows of dpcalc have. Nothing is left as a hypothesis but the numbers of the plan and,
   for 0/1 queries, a published theorem by its name. *)

From Coq Require Import Reals Lra Lia List Arith Psatz.
From dpcalc Require Import Tree Count Gate Tails Records Binomial Entropy.
From dpcalc Require Ladder Sparse.
Import ListNotations.
Open Scope R_scope.

(* A gate with any thresholds: a test passes from its threshold on; low t says that a pass is wrong, high t that a
   failure is. *)
Section Thresholds.
Context {Omega Test : Type}.
Variable P : outer Omega.
Variable value : Test -> Omega -> R.
Variable threshold : Test -> R.
Variables low high : Test -> Prop.
Hypothesis low_dec : forall t, {low t} + {~ low t}.
Hypothesis high_dec : forall t, {high t} + {~ high t}.
Hypothesis apart : forall t, low t -> ~ high t.
Variable A : R.
Variable analyst : list bool -> Test.
Hypothesis wrong_pass : forall v, low (analyst v) ->
  P (fun w => value (analyst v) w >= threshold (analyst v)) <= A.
Hypothesis wrong_failure : forall v, high (analyst v) ->
  P (fun w => value (analyst v) w < threshold (analyst v)) <= A.
Hypothesis A_nonneg : 0 <= A.
Variable B : nat.

Definition passes_at (v : list bool) (w : Omega) : bool :=
  if Rge_dec (value (analyst v) w) (threshold (analyst v)) then true else false.
Definition gate_shown (m : nat) (w : Omega) : list bool := play passes_at (retired B) m nil w.
Definition gate_wrong (v : list bool) (b : bool) : Prop :=
  b = true /\ low (analyst v) \/ b = false /\ high (analyst v).

Theorem gate_thresholds m :
  P (fun w => exists later b v, gate_shown m w = later ++ b :: v /\ gate_wrong v b) <= INR (N m B) * A.
Proof.
  pose (pop := fun t => if low_dec t then 0 else if high_dec t then 2 else 1).
  pose (emp := fun t w => value t w - threshold t + 1).
  pose (ask := fun v => (analyst v, 0)).
  assert (H := gate P emp pop 1 A ltac:(lra) (fun x => exists v, x = ask v)).
  assert (Hp : forall t, pop t <= 0 -> low t).
  { intros t. unfold pop. destruct (low_dec t), (high_dec t); auto; lra. }
  assert (Hf : forall t, pop t >= 2 -> high t).
  { intros t. unfold pop. destruct (low_dec t), (high_dec t); auto; lra. }
  eapply Rle_trans; [|apply (H) with (analyst := ask) (B := B) (m := m)].
  - apply Pr_mono. intros w (later & b & v & Hs & Hw). exists later, b, v. split.
    + rewrite <- Hs. unfold Gate.transcript, gate_shown. clear. generalize (@nil bool).
      induction m as [|m IH]; intros v; [reflexivity|]. simpl. destruct (retired B v); auto. rewrite IH.
      f_equal. f_equal. unfold Gate.verdict, passes_at, ask, emp. simpl.
      destruct (Rge_dec (value (analyst v) w) (threshold (analyst v))),
        (Rge_dec (value (analyst v) w - threshold (analyst v) + 1) (0 + 1)); auto; lra.
    + unfold Gate.wrong, ask. destruct Hw as [[-> Hl]|[-> Hh]]; [left|right]; split; auto; unfold pop.
      * destruct (low_dec (analyst v)); [lra|tauto].
      * destruct (low_dec (analyst v)) as [Hl|Hl]; [now elim (apart _ Hl)|].
        destruct (high_dec (analyst v)); [lra|tauto].
  - intros q c (v & E) Hq. injection E as -> ->. eapply Rle_trans; [|apply (wrong_pass v (Hp _ Hq))].
    apply Pr_mono. intros w. unfold emp. lra.
  - intros q c (v & E) Hq. injection E as -> ->.
    eapply Rle_trans; [|apply (wrong_failure v); apply Hf; lra]. apply Pr_mono. intros w. unfold emp. lra.
  - exact A_nonneg.
  - intros v. now exists v.
Qed.

End Thresholds.

Section Records.
Context {X : Type}.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Notation n := (n Ds).
Notation P := (P Ds).
Notation emp := (emp Ds).
Notation pop := (pop Ds).
Notation rows := (length Ds).

(* A bound b on P[mean >= k/n] for 0/1 queries of an expectation of at most p: the binomial tail where no unequal
   records exceed it, the relative entropy elsewhere. *)
Inductive count_cert (p : R) (k : nat) (b : R) : Prop :=
| count_all : 1 <= b -> count_cert p k b
| count_none : 0 <= b -> p <= 0 -> (0 < k)%nat -> count_cert p k b
| count_beyond : 0 <= b -> (rows < k)%nat -> count_cert p k b
| count_exact : n * p + 1 <= INR k \/ rows = 1%nat -> p <= 1 -> binomial rows p k <= b -> count_cert p k b
| count_kl : 0 < p -> p < INR k / n -> INR k / n <= 1 -> exp (- n * kl (INR k / n) p) <= b -> count_cert p k b.

Lemma count_cert_valid q p k b : Hoeffding1956 -> zero_one q -> pop q <= p -> count_cert p k b ->
  P (fun S => emp q S >= INR k / n) <= b.
Proof.
  intros H Hq Hp Hc. assert (Hn := n_pos Ds some_rows). assert (Hr := pop_range Ds some_rows q).
  destruct Hc as [Hb|Hb H0 Hk|Hb Hk|Hk H1 Hb|H0 Hk H1 Hb].
  - eapply Rle_trans; [apply P_le_1|auto].
  - eapply Rle_trans; [apply tail_zero; auto; [lra|]|auto]. apply Rdiv_lt_0_compat; auto. now apply lt_0_INR.
  - eapply Rle_trans; [apply tail_beyond; auto|auto]. apply Rmult_lt_reg_r with n; auto. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. unfold Tails.n. rewrite Rmult_1_l, Rmult_1_r. now apply lt_INR.
  - eapply Rle_trans; [apply (count_up Ds some_rows q p k); auto|auto]. destruct Hk as [Hk|Hk]; [left|now right].
    nra.
  - eapply Rle_trans; [apply (tail_kl Ds some_rows q p); auto|auto].
Qed.

(* The zeros. *)
Lemma flip_zero_one (q : query X) : zero_one q -> zero_one (flip q).
Proof. intros H x. simpl. destruct (H x) as [E|E]; rewrite E; [right|left]; ring. Qed.

Lemma ones_and_zeros q k : zero_one q -> (k <= rows)%nat ->
  P (fun S => emp q S <= INR (rows - k) / n) <= P (fun S => emp (flip q) S >= INR k / n).
Proof.
  intros Hq Hk. assert (Hn := n_pos Ds some_rows). eapply Rle_trans; [apply flip_tail; auto|].
  apply Pr_mono. intros S. rewrite minus_INR by auto. unfold Tails.n in *.
  replace (1 - (INR rows - INR k) / INR rows) with (INR k / INR rows) by (field; lra). auto.
Qed.

(* P[mean < k/n] for an expectation of at least p. *)
Definition fewer_cert (p : R) (k : nat) (b : R) : Prop := count_cert (1 - p) (S rows - k) b.

Lemma fewer_cert_valid q p k b : Hoeffding1956 -> zero_one q -> p <= pop q -> (1 <= k <= rows)%nat ->
  fewer_cert p k b -> P (fun S => emp q S < INR k / n) <= b.
Proof.
  intros H Hq Hp Hk Hc. assert (Hn := n_pos Ds some_rows).
  eapply Rle_trans; [|apply (count_cert_valid (flip q) (1 - p) (S rows - k) b); auto].
  - eapply Rle_trans; [|apply ones_and_zeros; auto; lia]. apply Pr_mono. intros S HS.
    replace (rows - (Datatypes.S rows - k))%nat with (k - 1)%nat by lia.
    destruct (sum_count q S Hq) as [c Hcnt]. unfold Tails.emp in *. rewrite Hcnt in *.
    assert (Hck : INR c < INR k).
    { apply Rmult_lt_reg_r with (/ n); [now apply Rinv_0_lt_compat|exact HS]. }
    unfold Rdiv. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply le_INR.
    apply INR_lt in Hck. lia.
  - now apply flip_zero_one.
  - rewrite pop_flip by auto. lra.
Qed.

(* "gate". *)
Section Gates.
Variable tau : R.
Hypothesis tau_pos : 0 < tau.
Notation Test := (query X * R)%type.
Definition too_low (t : Test) : Prop := pop (fst t) <= snd t.
Definition too_high (t : Test) : Prop := snd t + 2 * tau <= pop (fst t).

Lemma too_low_dec t : {too_low t} + {~ too_low t}.
Proof. apply Rle_dec. Qed.
Lemma too_high_dec t : {too_high t} + {~ too_high t}.
Proof. apply Rle_dec. Qed.
Lemma too_apart t : too_low t -> ~ too_high t.
Proof. unfold too_low, too_high. lra. Qed.

(* 0/1 queries, any bars: A is the supremum over the means of equal records. *)
Theorem gate_counts (A : R) (analyst : list bool -> Test) (B m : nat) : Hoeffding1956 ->
  n * tau >= 1 \/ rows = 1%nat -> above_by Ds tau A -> (forall v, zero_one (fst (analyst v))) ->
  P (fun S => exists later b v,
    gate_shown (fun t => emp (fst t)) (fun t => snd t + tau) analyst B m S = later ++ b :: v /\
    gate_wrong too_low too_high analyst v b) <= INR (N m B) * A.
Proof.
  intros H Hf HA Hq. assert (Hn := n_pos Ds some_rows).
  apply gate_thresholds; auto using too_low_dec, too_high_dec, too_apart.
  - intros v Hl. eapply Rle_trans; [|apply (binomial_above Ds some_rows H tau Hf (fst (analyst v)) A); auto].
    apply Pr_mono. intros S HS. unfold too_low in Hl. lra.
  - intros v Hh. assert (Hz := flip_zero_one _ (Hq v)).
    eapply Rle_trans; [|apply (binomial_above Ds some_rows H tau Hf (flip (fst (analyst v))) A); auto].
    eapply Rle_trans; [|apply to_flip; auto]. apply Pr_mono. intros S HS. unfold too_high in Hh. lra.
  - destruct (whole_above (n * (0 + tau))) as (k & Hk & _). eapply Rle_trans; [|apply (HA 0 k); auto; lra].
    apply at_least_range. apply means_repeat. lra.
Qed.

(* A known bar c: each of the two errors by a certificate. *)
Theorem gate_bar_certified (c A : R) (analyst : list bool -> query X) (B m : nat) : 0 <= A ->
  low_cert n (c + tau) A c -> up_cert n (c + tau) A (c + 2 * tau) ->
  P (fun S => exists later b v,
    gate_shown (fun t => emp (fst t)) (fun t => snd t + tau) (fun v => (analyst v, c)) B m S = later ++ b :: v /\
    gate_wrong too_low too_high (fun v => (analyst v, c)) v b) <= INR (N m B) * A.
Proof.
  intros HA Hu Hd. apply gate_thresholds; auto using too_low_dec, too_high_dec, too_apart.
  - intros v Hl. now apply (lower_valid Ds some_rows _ _ _ c).
  - intros v Hh. now apply (upper_valid Ds some_rows _ _ _ (c + 2 * tau)).
Qed.

(* One side: a failure is never wrong. *)
Theorem gate_bar_certified_one_side (c A : R) (analyst : list bool -> query X) (B m : nat) : 0 <= A ->
  low_cert n (c + tau) A c ->
  P (fun S => exists later b v,
    gate_shown (fun t => emp (fst t)) (fun t => snd t + tau) (fun v => (analyst v, c)) B m S = later ++ b :: v /\
    gate_wrong too_low (fun _ => False) (fun v => (analyst v, c)) v b) <= INR (N m B) * A.
Proof.
  intros HA Hu. apply gate_thresholds; auto using too_low_dec; [|intros v []].
  intros v Hl. now apply (lower_valid Ds some_rows _ _ _ c).
Qed.

(* By the relative entropy. *)
Definition bar_up (c A : R) : Prop := c <= 0 \/ exp (- n * kl (c + tau) c) <= A.
Definition bar_down (c A : R) : Prop := 1 <= c + 2 * tau \/ exp (- n * kl (c + tau) (c + 2 * tau)) <= A.

Lemma bar_up_cert c A : 0 <= c -> c + tau < 1 -> bar_up c A -> low_cert n (c + tau) A c.
Proof. intros H0 H1 H. destruct (Rle_dec c 0); [apply low_zero; lra|]. destruct H; [lra|]. apply low_kl; lra. Qed.

Theorem gate_bar (c A : R) (analyst : list bool -> query X) (B m : nat) : 0 <= A -> 0 <= c -> c + tau < 1 ->
  bar_up c A -> bar_down c A ->
  P (fun S => exists later b v,
    gate_shown (fun t => emp (fst t)) (fun t => snd t + tau) (fun v => (analyst v, c)) B m S = later ++ b :: v /\
    gate_wrong too_low too_high (fun v => (analyst v, c)) v b) <= INR (N m B) * A.
Proof.
  intros HA H0 H1 Hu Hd. apply gate_bar_certified; auto; [now apply bar_up_cert|]. unfold up_cert.
  destruct (Rle_dec 1 (c + 2 * tau)); [apply low_zero; lra|]. destruct Hd; [lra|].
  apply low_kl; try lra. now rewrite kl_flip.
Qed.

Theorem gate_bar_one_side (c A : R) (analyst : list bool -> query X) (B m : nat) : 0 <= A -> 0 <= c -> c + tau < 1 ->
  bar_up c A ->
  P (fun S => exists later b v,
    gate_shown (fun t => emp (fst t)) (fun t => snd t + tau) (fun v => (analyst v, c)) B m S = later ++ b :: v /\
    gate_wrong too_low (fun _ => False) (fun v => (analyst v, c)) v b) <= INR (N m B) * A.
Proof. intros HA H0 H1 Hu. apply gate_bar_certified_one_side; auto. now apply bar_up_cert. Qed.

(* 0/1 queries at a known bar pass from k ones on. *)
Theorem gate_bar_counts (c A : R) (k : nat) (analyst : list bool -> query X) (B m : nat) : Hoeffding1956 ->
  (forall v, zero_one (analyst v)) -> 0 <= A -> (1 <= k <= rows)%nat ->
  count_cert c k A -> fewer_cert (c + 2 * tau) k A ->
  P (fun S => exists later b v,
    gate_shown (fun t => emp (fst t)) (fun _ => INR k / n) (fun v => (analyst v, c)) B m S = later ++ b :: v /\
    gate_wrong too_low too_high (fun v => (analyst v, c)) v b) <= INR (N m B) * A.
Proof.
  intros H Hq HA Hk Hu Hd. apply gate_thresholds; auto using too_low_dec, too_high_dec, too_apart.
  - intros v Hl. now apply (count_cert_valid (analyst v) c).
  - intros v Hh. now apply (fewer_cert_valid (analyst v) (c + 2 * tau)).
Qed.

Theorem gate_bar_counts_one_side (c A : R) (k : nat) (analyst : list bool -> query X) (B m : nat) : Hoeffding1956 ->
  (forall v, zero_one (analyst v)) -> 0 <= A -> count_cert c k A ->
  P (fun S => exists later b v,
    gate_shown (fun t => emp (fst t)) (fun _ => INR k / n) (fun v => (analyst v, c)) B m S = later ++ b :: v /\
    gate_wrong too_low (fun _ => False) (fun v => (analyst v, c)) v b) <= INR (N m B) * A.
Proof.
  intros H Hq HA Hu. apply gate_thresholds; auto using too_low_dec.
  - intros v Hl. now apply (count_cert_valid (analyst v) c).
  - intros v Hh. destruct Hh.
Qed.

End Gates.

(* "ladder": losses h, boundaries u and values val. *)
Section Boards.
Variable tau hi : R.
Variable K : nat.
Hypothesis K_pos : (0 < K)%nat.
Variables val u : nat -> R.
Hypothesis val_falls : forall l l', (l <= l')%nat -> (l' < K)%nat -> val l' <= val l.
Hypothesis u_falls : forall l l', (l <= l')%nat -> u l' <= u l.
Hypothesis val_first : val 0 = hi - tau.
Hypothesis val_last : val (K - 1) <= tau.
Hypothesis tau_pos : 0 < tau.
Variables A B : nat -> R.      (* what bounds the tails at the state l and beyond *)
Hypothesis A_nonneg : forall l, 0 <= A l.
Hypothesis B_nonneg : forall l, 0 <= B l.
Hypothesis A_falls : forall l l', (l <= l')%nat -> (l' + 1 < K)%nat -> A l' <= A l.
Hypothesis B_falls : forall l l', (1 <= l <= l')%nat -> (l' < K)%nat -> B l' <= B l.

Definition risk_of (m : nat) : R :=
  sumR (seq 0 (K - 1)) (fun l => INR (Ladder.Wl m l) * A l) +
  sumR (seq 1 (K - 1)) (fun l => INR (Ladder.Nl m (l - 1)) * B l).

Theorem ladder_bounded (analyst : list nat -> query X) (m : nat) : (1 <= m)%nat ->
  (forall l, (l + 1 < K)%nat -> low_cert n (u (l + 1)) (A l) (val l - tau)) ->
  (forall l, (1 <= l < K)%nat -> low_cert n (1 - u l) (B l) (1 - (val l + tau))) ->
  P (fun S => exists later l v, Ladder.transcript emp K u analyst m S = later ++ l :: v /\
       ~ Ladder.promise pop tau hi val analyst v l) <= risk_of m.
Proof.
  intros Hm Ha Hb. apply Ladder.ladder; auto; try lra.
  - intros q. apply pop_range; auto.
  - intros q l Hl Hp. eapply Rle_trans; [|apply (lower_valid Ds some_rows q (u (l + 1)) (A l) (val l - tau)); auto; lra].
    apply Pr_mono. intros S. lra.
  - intros q l Hl Hp. eapply Rle_trans; [apply flip_tail; auto|].
    apply (lower_valid Ds some_rows (flip q) (1 - u l) (B l) (1 - (val l + tau))); auto.
    rewrite pop_flip by auto. lra.
Qed.

(* 0/1 losses: u l = (count l)/n. *)
Theorem ladder_counts (count : nat -> nat) (analyst : list nat -> query X) (m : nat) : Hoeffding1956 -> (1 <= m)%nat ->
  (forall v, zero_one (analyst v)) ->
  (forall l, (1 <= l < K)%nat -> u l = INR (count l) / n /\ (count l <= rows)%nat) ->
  (forall l, (l + 1 < K)%nat -> count_cert (val l - tau) (S (count (l + 1)%nat)) (A l)) ->
  (forall l, (1 <= l < K)%nat -> count_cert (1 - (val l + tau)) (rows - count l) (B l)) ->
  P (fun S => exists later l v, Ladder.transcript emp K u analyst m S = later ++ l :: v /\
       ~ Ladder.promise pop tau hi val analyst v l) <= risk_of m.
Proof.
  intros H Hm Hq Hu Ha Hb. assert (Hn := n_pos Ds some_rows).
  (* The models are those that the analyst submits. *)
  pose (Model := {q : query X | zero_one q}).
  pose (e := fun q : Model => emp (proj1_sig q)). pose (p := fun q : Model => pop (proj1_sig q)).
  pose (ask := fun v => exist (zero_one) (analyst v) (Hq v) : Model).
  eapply Rle_trans; [|apply (Ladder.ladder P e p) with (tau := tau) (hi := hi) (K := K) (u := u)
    (val := val) (X := A) (Y := B) (analyst := ask) (m := m)]; auto; try lra.
  - apply Pr_mono. intros S (later & l & v & Hs & Hw). exists later, l, v. split.
    + rewrite <- Hs. unfold Ladder.transcript. reflexivity.
    + intros Hp. apply Hw. unfold Ladder.promise in *.
      assert (E : forall v, Ladder.best p hi ask v = Ladder.best pop hi analyst v).
      { clear. induction v as [|l v IH]; [reflexivity|]. simpl. now rewrite IH. }
      rewrite <- E. exact Hp.
  - intros q. apply pop_range; auto.
  - intros [q Hz] l Hl Hp. unfold e, p in *. cbn [proj1_sig] in *.
    eapply Rle_trans; [|apply (count_cert_valid q (val l - tau) (S (count (l + 1)%nat)) (A l)); auto; lra].
    apply Pr_mono. intros S HS. destruct (Hu (l + 1)%nat ltac:(lia)) as [E _]. rewrite E in HS.
    destruct (sum_count q S Hz) as [c Hc]. unfold Tails.emp in *. rewrite Hc in *.
    assert (Hck : INR (count (l + 1)%nat) < INR c).
    { apply Rmult_lt_reg_r with (/ n); [now apply Rinv_0_lt_compat|exact HS]. }
    unfold Rdiv. apply Rmult_ge_compat_r; [left; now apply Rinv_0_lt_compat|]. apply Rle_ge, le_INR.
    apply INR_lt in Hck. lia.
  - intros [q Hz] l Hl Hp. unfold e, p in *. cbn [proj1_sig] in *. destruct (Hu l Hl) as [E Hc]. rewrite E.
    eapply Rle_trans; [|apply (count_cert_valid (flip q) (1 - (val l + tau)) (rows - count l) (B l)); auto].
    + eapply Rle_trans; [|apply ones_and_zeros; auto; lia]. apply Pr_mono. intros S.
      now replace (rows - (rows - count l))%nat with (count l) by lia.
    + now apply flip_zero_one.
    + rewrite pop_flip by auto. lra.
Qed.

End Boards.

(* A single submission: the score itself. hi is the loss of the baseline. *)
Theorem ladder_one (q : query X) (hi tau b : R) : P (fun S => Rabs (emp q S - pop q) >= tau) <= b ->
  P (fun S => Rabs (Rmin hi (emp q S) - Rmin hi (pop q)) >= tau) <= b.
Proof.
  intros H. eapply Rle_trans; [|exact H]. apply Pr_mono. intros S. unfold Rmin.
  destruct (Rle_dec hi (emp q S)), (Rle_dec hi (pop q)); unfold Rabs;
    destruct (Rcase_abs (emp q S - pop q)); try destruct (Rcase_abs (hi - hi)); try destruct (Rcase_abs (hi - pop q));
    try destruct (Rcase_abs (emp q S - hi)); try destruct (Rcase_abs (emp q S - pop q)); lra.
Qed.

(* "sealed". *)
Lemma finalists_union (finalists : list (query X)) (bad : query X -> list X -> Prop) b :
  (forall q, In q finalists -> P (bad q) <= b) ->
  P (fun S => exists q, In q finalists /\ bad q S) <= INR (length finalists) * b.
Proof.
  intros H. eapply Rle_trans; [apply Pr_union|]. rewrite <- sumR_const. now apply sumR_le.
Qed.

Theorem sealed_bounded (finalists : list (query X)) (tau b : R) : 0 < tau ->
  (forall p, 0 < p < 1 -> term_up Ds tau p + term_down Ds tau p <= b) ->
  P (fun S => exists q, In q finalists /\ Rabs (emp q S - pop q) >= tau) <= INR (length finalists) * b.
Proof. intros Ht Hb. apply finalists_union. intros q _. now apply hoeffding_kl. Qed.

Theorem sealed_counts (finalists : list (query X)) (tau b : R) : Hoeffding1956 ->
  n * tau >= 1 \/ rows = 1%nat -> off_by Ds tau b -> (forall q, In q finalists -> zero_one q) ->
  P (fun S => exists q, In q finalists /\ Rabs (emp q S - pop q) >= tau) <= INR (length finalists) * b.
Proof. intros H Hf Hb Hq. apply finalists_union. intros q Hin. apply binomial_off; auto. Qed.

Theorem sealed_one_side (finalists : list (query X)) (tau : R) : 0 < tau < 1 ->
  P (fun S => exists q, In q finalists /\ emp q S - pop q >= tau) <= INR (length finalists) * exp (- n * E tau).
Proof. intros Ht. apply finalists_union. intros q _. now apply tail_up. Qed.

Theorem sealed_counts_one_side (finalists : list (query X)) (tau b : R) : Hoeffding1956 ->
  n * tau >= 1 \/ rows = 1%nat -> above_by Ds tau b -> (forall q, In q finalists -> zero_one q) ->
  P (fun S => exists q, In q finalists /\ emp q S - pop q >= tau) <= INR (length finalists) * b.
Proof. intros H Hf Hb Hq. apply finalists_union. intros q Hin. apply binomial_above; auto. Qed.

End Records.
