(* docs/theorems/open.md, "open-gate" and "Rejections in open plans": the gate without a number of looks or passes, tests,
   and the codes of a gate. Responses are verdicts, as in Gate.v.

   x v, c v, u v  the threshold at the node v; a pass says that the truth is above c v, a failure that it is at most u v
   code q         the code in which a pass at the node v has the share q v
   beta_code      the code with Beta weights a and b; rise, its closed form *)

From Coq Require Import Reals Lra Lia List Arith Bool.
From dpcalc Require Import Tree Count Gate Budget.
Import ListNotations.
Open Scope R_scope.

Section OpenGate.
Context {Omega : Type}.
Variable P : outer Omega.
(* At the node v: the value on the sample, the truth, the threshold, what a pass says, what a failure says. *)
Variable emp : list bool -> Omega -> R.
Variables pop x c u : list bool -> R.
Hypothesis c_le_u : forall v, c v <= u v.
Variable stop : list bool -> bool.

Variable W : list bool -> R.
Variable beta : R.
Hypothesis beta_nonneg : 0 <= beta.
Hypothesis W_nonneg : forall v, 0 <= W v.
Hypothesis W_root : W nil <= 1.
Hypothesis W_sum : forall v, W (true :: v) + W (false :: v) <= W v.

(* W v - W (false :: v) is the mass of a pass and what the masses leave. *)
Hypothesis pass_tail : forall v, pop v <= c v ->
  P (fun w => emp v w >= x v) <= beta * (W v - W (false :: v)).
Hypothesis fail_tail : forall v, u v < pop v ->
  P (fun w => emp v w < x v) <= beta * (W v - W (true :: v)).

Definition verdict (v : list bool) (w : Omega) : bool :=
  if Rge_dec (emp v w) (x v) then true else false.

Definition right (v : list bool) (b : bool) : Prop := if b then c v < pop v else pop v <= u v.

Definition wrong (v : list bool) (b : bool) : Prop :=
  b = true /\ pop v <= c v \/ b = false /\ u v < pop v.

Lemma right_dec v b : {right v b} + {~ right v b}.
Proof. destruct b; simpl; [apply Rlt_dec|apply Rle_dec]. Qed.

Definition rights (v : list bool) : list bool :=
  filter (fun b => if right_dec v b then true else false) [true; false].

Lemma rights_iff v b : In b (rights v) <-> right v b.
Proof.
  unfold rights. rewrite filter_In. destruct (right_dec v b); split; try tauto.
  - intros _. split; auto. destruct b; simpl; auto.
  - intros [_ H]. discriminate.
Qed.

Theorem open_gate m :
  P (fun w => exists later b v,
       shown verdict stop m w = later ++ b :: v /\ wrong v b) <= beta.
Proof.
  eapply Rle_trans; [|apply (budget P verdict stop right right_dec W beta beta_nonneg
    W_nonneg W_root rights) with (m := m)].
  - apply Pr_mono. intros w (later & b & v & H & Hw). exists later, b, v. split; auto.
    unfold wrong, right in *. destruct b; destruct Hw as [[? ?]|[? ?]]; try discriminate; lra.
  - intros v b H _. now apply rights_iff.
  - intros v b. apply rights_iff.
  - intros v _ _. specialize (c_le_u v). specialize (W_sum v). unfold rights. simpl filter.
    destruct (right_dec v true) as [Ht|Ht], (right_dec v false) as [Hf|Hf]; cbn [sumR];
      unfold right in Ht, Hf.
    + rewrite Pr_none; [apply Rmult_le_pos; [auto|lra]|]. intros w H. apply H. unfold right. destruct (verdict v w); lra.
    + eapply Rle_trans; [|eapply Rle_trans; [apply (fail_tail v); lra|]].
      * apply Pr_mono. intros w. unfold verdict. destruct (Rge_dec (emp v w) (x v)); simpl; lra.
      * apply Rmult_le_compat_l; lra.
    + eapply Rle_trans; [|eapply Rle_trans; [apply (pass_tail v); lra|]].
      * apply Pr_mono. intros w. unfold verdict. destruct (Rge_dec (emp v w) (x v)); simpl; lra.
      * apply Rmult_le_compat_l; lra.
    + exfalso. lra.
Qed.

End OpenGate.

(* Tests.  pval v w is the p-value of the test chosen at v, null v says that its null hypothesis is true. *)
Section OpenTests.
Context {Omega : Type}.
Variable P : outer Omega.
Variable pval : list bool -> Omega -> R.
Variable null : list bool -> Prop.
Hypothesis null_dec : forall v, {null v} + {~ null v}.
Variable stop : list bool -> bool.
Variable W : list bool -> R.
Variable beta : R.
Hypothesis beta_nonneg : 0 <= beta.
Hypothesis W_nonneg : forall v, 0 <= W v.
Hypothesis W_root : W nil <= 1.
Hypothesis W_sum : forall v, W (true :: v) + W (false :: v) <= W v.

(* The level of the test at v: all that a rejection may cost. *)
Definition level (v : list bool) : R := beta * (W v - W (false :: v)).
Hypothesis p_value : forall v, null v -> P (fun w => pval v w <= level v) <= level v.

Definition rejects (v : list bool) (w : Omega) : bool :=
  if Rle_dec (pval v w) (level v) then true else false.

Theorem open_tests m :
  P (fun w => exists later v, shown rejects stop m w = later ++ true :: v /\ null v) <= beta.
Proof.
  pose (emp := fun v w => if Rle_dec (pval v w) (level v) then 1 else 0).
  pose (pop := fun v => if null_dec v then 0 else 1).
  eapply Rle_trans; [|apply (open_gate P emp pop (fun _ => 1) (fun _ => 0) (fun _ => 1))
    with (stop := stop) (W := W) (m := m)]; auto.
  - apply Pr_mono. intros w (later & v & H & Hn). exists later, true, v. split.
    + rewrite <- H. unfold shown. clear. generalize (@nil bool).
      induction m as [|m IH]; intros v; [reflexivity|]. simpl. destruct (stop v); auto.
      rewrite IH. f_equal. f_equal. unfold verdict, rejects, emp.
      destruct (Rle_dec (pval v w) (level v)), (Rge_dec 1 1), (Rge_dec 0 1); auto; lra.
    + left. split; auto. unfold pop. destruct (null_dec v); [lra|tauto].
  - intros; lra.
  - intros v. unfold pop. destruct (null_dec v) as [Hn|]; [|lra]. intros _.
    eapply Rle_trans; [|apply (p_value v Hn)]. apply Pr_mono. intros w. unfold emp.
    destruct (Rle_dec (pval v w) (level v)); auto; lra.
  - intros v. unfold pop. destruct (null_dec v); lra.
Qed.

End OpenTests.

(* A code from predictive probabilities: q v is the bet at v on a pass. *)
Section Code.
Variable q : list bool -> R.
Hypothesis q_range : forall v, 0 <= q v <= 1.

Fixpoint code (v : list bool) : R :=
  match v with
  | nil => 1
  | b :: v => code v * (if b then q v else 1 - q v)
  end.

Lemma code_nonneg v : 0 <= code v.
Proof.
  induction v as [|b v IH]; simpl; [lra|]. apply Rmult_le_pos; auto. specialize (q_range v).
  destruct b; lra.
Qed.

Lemma code_sum v : code (true :: v) + code (false :: v) = code v.
Proof. simpl. ring. Qed.

Lemma code_le_1 v : code v <= 1.
Proof.
  induction v as [|b v IH]; [simpl; lra|]. apply Rle_trans with (code v); auto.
  generalize (code_sum v) (code_nonneg (true :: v)) (code_nonneg (false :: v)). destruct b; lra.
Qed.

Hypothesis q_open : forall v, 0 < q v < 1.

Lemma code_pos v : 0 < code v.
Proof.
  induction v as [|b v IH]; simpl; [lra|]. apply Rmult_lt_0_compat; auto. specialize (q_open v).
  destruct b; lra.
Qed.

End Code.

(* The Beta(a,b) mixture, with its closed form B(a+k, b+j-k)/B(a,b) by rising factorials. *)
Section Beta.
Variables a b : R.
Hypothesis a_pos : 0 < a.
Hypothesis b_pos : 0 < b.

Definition beta_bet (v : list bool) : R := (a + INR (passes v)) / (a + b + INR (length v)).

Lemma passes_le v : (passes v <= length v)%nat.
Proof. unfold passes. apply count_occ_bound. Qed.

Lemma beta_bet_range v : 0 < beta_bet v < 1.
Proof.
  unfold beta_bet. assert (H := le_INR _ _ (passes_le v)). assert (H0 := pos_INR (passes v)).
  split; [apply Rdiv_lt_0_compat; lra|].
  apply Rmult_lt_reg_r with (a + b + INR (length v)); [lra|]. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Definition beta_code : list bool -> R := code beta_bet.

Fixpoint rise (t : R) (k : nat) : R :=
  match k with O => 1 | S k => rise t k * (t + INR k) end.

Lemma rise_pos t k : 0 < t -> 0 < rise t k.
Proof.
  intros Ht. induction k as [|k IH]; simpl; [lra|]. apply Rmult_lt_0_compat; auto.
  generalize (pos_INR k). lra.
Qed.

Theorem beta_code_closed v :
  beta_code v = rise a (passes v) * rise b (length v - passes v) / rise (a + b) (length v).
Proof.
  unfold beta_code. induction v as [|r v IH]; [simpl; lra|].
  cbn [code length]. rewrite IH. unfold beta_bet.
  assert (Hj := le_INR _ _ (passes_le v)). assert (Hk := pos_INR (passes v)).
  assert (Hr := rise_pos (a + b) (length v) ltac:(lra)).
  destruct r.
  - replace (passes (true :: v)) with (S (passes v)) by reflexivity.
    replace (S (length v) - S (passes v))%nat with (length v - passes v)%nat by lia.
    cbn [rise]. field. repeat split; lra.
  - replace (passes (false :: v)) with (passes v) by reflexivity.
    replace (S (length v) - passes v)%nat with (S (length v - passes v)) by (generalize (passes_le v); lia).
    cbn [rise]. rewrite minus_INR by apply passes_le. field. repeat split; lra.
Qed.

End Beta.
