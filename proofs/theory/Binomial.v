(* docs/theorems/theory.md, "Records that are not alike", "hoeffding-kl", "binomial": the tails of one query on
   records with unequal laws, those of 0/1 queries by the binomial law. *)

From Coq Require Import Reals Lra Lia List Psatz ClassicalDescription.
From dpcalc Require Import Tree Count Gate Tails.
Import ListNotations.
Open Scope R_scope.

(* P[at least k of independent 0/1 variables with the means ps are 1]. *)
Fixpoint at_least (ps : list R) (k : nat) : R :=
  match k, ps with
  | O, _ => 1
  | S _, nil => 0
  | S k', p :: ps => p * at_least ps k' + (1 - p) * at_least ps k
  end.

(* P[Bin(n,p) >= k]. *)
Definition binomial (n : nat) (p : R) (k : nat) : R := at_least (repeat p n) k.

Definition means (ps : list R) : Prop := forall p, In p ps -> 0 <= p <= 1.
Definition total (ps : list R) : R := sumR ps (fun p => p).

(* W. Hoeffding, On the distribution of the number of successes in independent trials (1956), Theorem 4. It is
   published and not proved here: a theorem below that needs it has it as a hypothesis of this name. *)
Definition Hoeffding1956 : Prop := forall ps k, means ps -> total ps + 1 <= INR k ->
  at_least ps k <= binomial (length ps) (total ps / INR (length ps)) k.

Lemma at_least_0 ps : at_least ps 0 = 1.
Proof. now destruct ps. Qed.

Lemma at_least_S p ps k : at_least (p :: ps) (S k) = p * at_least ps k + (1 - p) * at_least ps (S k).
Proof. reflexivity. Qed.

Lemma at_least_above ps k : (length ps < k)%nat -> at_least ps k = 0.
Proof.
  revert k. induction ps as [|p ps IH]; intros [|k] H; simpl in H; try lia; [reflexivity|].
  rewrite at_least_S, !IH by lia. ring.
Qed.

(* What binomial is: the masses C(n,k) p^k (1-p)^(n-k). *)
Theorem binomial_mass n p k : binomial n p k - binomial n p (S k) = INR (C n k) * p^k * (1 - p)^(n - k).
Proof.
  revert k. induction n as [|n IH]; intros k.
  - destruct k as [|k]; unfold binomial; simpl; lra.
  - unfold binomial. simpl repeat. destruct k as [|k].
    + rewrite at_least_S, !at_least_0. specialize (IH 0%nat). unfold binomial in IH. rewrite at_least_0 in IH.
      rewrite C_0 in *. rewrite Nat.sub_0_r in *.
      transitivity ((1 - p) * (1 - at_least (repeat p n) 1)); [ring|rewrite IH; simpl; ring].
    + rewrite !at_least_S. assert (H0 := IH k). assert (H1 := IH (S k)). unfold binomial in *.
      change (C (S n) (S k)) with (C n k + C n (S k))%nat. rewrite plus_INR. simpl (S n - S k)%nat.
      destruct (le_lt_dec (S k) n) as [Hk|Hk].
      * replace (n - k)%nat with (S (n - S k)) in * by lia. simpl pow in *.
        replace (p * at_least (repeat p n) k + (1 - p) * at_least (repeat p n) (S k) -
          (p * at_least (repeat p n) (S k) + (1 - p) * at_least (repeat p n) (S (S k)))) with
          (p * (at_least (repeat p n) k - at_least (repeat p n) (S k)) +
           (1 - p) * (at_least (repeat p n) (S k) - at_least (repeat p n) (S (S k)))) by ring.
        rewrite H0, H1. ring.
      * rewrite (C_above n (S k)) in * by lia. simpl pow in *. simpl (INR 0) in *.
        replace (p * at_least (repeat p n) k + (1 - p) * at_least (repeat p n) (S k) -
          (p * at_least (repeat p n) (S k) + (1 - p) * at_least (repeat p n) (S (S k)))) with
          (p * (at_least (repeat p n) k - at_least (repeat p n) (S k)) +
           (1 - p) * (at_least (repeat p n) (S k) - at_least (repeat p n) (S (S k)))) by ring.
        rewrite H0, H1. ring.
Qed.

Theorem binomial_ends n p : binomial n p 0 = 1 /\ binomial n p (S n) = 0.
Proof.
  split; [apply at_least_0|]. apply at_least_above. rewrite repeat_length. lia.
Qed.

Lemma means_cons p ps : means (p :: ps) -> 0 <= p <= 1 /\ means ps.
Proof. intros H. split; [apply H; simpl; auto|]. intros q Hq. apply H. simpl; auto. Qed.

Lemma at_least_range ps k : means ps -> 0 <= at_least ps k <= 1.
Proof.
  revert k. induction ps as [|p ps IH]; intros [|k] H; try (simpl; lra).
  apply means_cons in H. destruct H as [Hp H]. rewrite at_least_S.
  generalize (IH k H) (IH (S k) H). nra.
Qed.

Lemma at_least_falls ps k : means ps -> at_least ps (S k) <= at_least ps k.
Proof.
  revert k. induction ps as [|p ps IH]; intros [|k] H; try (simpl; lra).
  - rewrite at_least_0. now apply at_least_range.
  - apply means_cons in H. destruct H as [Hp H]. rewrite !at_least_S.
    generalize (IH k H) (IH (S k) H). nra.
Qed.

Lemma means_repeat p n : 0 <= p <= 1 -> means (repeat p n).
Proof. intros H q Hq. apply repeat_spec in Hq. now subst. Qed.

Lemma binomial_rises n p p' k : 0 <= p -> p <= p' -> p' <= 1 -> binomial n p k <= binomial n p' k.
Proof.
  intros H0 H H1. unfold binomial. revert k. induction n as [|n IH]; intros [|k]; try (simpl; lra).
  simpl repeat. rewrite !at_least_S.
  assert (Hf := at_least_falls (repeat p n) k (means_repeat p n ltac:(lra))).
  generalize (IH k) (IH (S k)). nra.
Qed.

(* Zeros for ones. *)
Definition zeros (ps : list R) : list R := map (fun p => 1 - p) ps.

Lemma zeros_at_least ps k : (k <= S (length ps))%nat -> at_least (zeros ps) (S (length ps) - k) = 1 - at_least ps k.
Proof.
  revert k. induction ps as [|p ps IH]; intros k Hk; simpl in Hk.
  - destruct k as [|[|k]]; simpl; lra || lia.
  - destruct k as [|j].
    + rewrite at_least_0, at_least_above; [lra|]. unfold zeros. rewrite map_length. simpl. lia.
    + destruct (Nat.eq_dec j (S (length ps))) as [->|Hj].
      * simpl length. rewrite Nat.sub_diag, at_least_0, at_least_above; [lra|simpl; lia].
      * simpl length. replace (S (S (length ps)) - S j)%nat with (S (length ps - j)) by lia.
        simpl zeros. rewrite !at_least_S.
        assert (H1 := IH (S j) ltac:(lia)). assert (H0 := IH j ltac:(lia)). unfold zeros in *.
        replace (S (length ps) - S j)%nat with (length ps - j)%nat in H1 by lia.
        replace (S (length ps) - j)%nat with (S (length ps - j)) in H0 by lia. rewrite H0, H1. ring.
Qed.

Lemma zeros_means ps : means ps -> means (zeros ps).
Proof. intros H q Hq. apply in_map_iff in Hq. destruct Hq as (p & <- & Hp). specialize (H p Hp). lra. Qed.

Lemma zeros_total ps : total (zeros ps) = INR (length ps) - total ps.
Proof.
  unfold total, zeros. induction ps as [|p ps IH]; [simpl; lra|]. cbn [map sumR length]. rewrite S_INR, IH. lra.
Qed.

Lemma zeros_repeat p n : zeros (repeat p n) = repeat (1 - p) n.
Proof. unfold zeros. induction n; simpl; congruence. Qed.

Lemma total_range ps : means ps -> 0 <= total ps <= INR (length ps).
Proof.
  intros H. unfold total. split; [apply sumR_nonneg; intros a Ha; now apply H|].
  rewrite <- (Rmult_1_r (INR _)), <- sumR_const. apply sumR_le. intros a Ha. now apply H.
Qed.

(* One variable, or a count that is one beyond the mean: no law with this mean exceeds the binomial tail. *)
Definition far_up (ps : list R) (k : nat) : Prop := total ps + 1 <= INR k \/ length ps = 1%nat.
Definition far_down (ps : list R) (k : nat) : Prop := INR k <= total ps \/ length ps = 1%nat.

Lemma one_variable ps k : length ps = 1%nat -> at_least ps k = binomial (length ps) (total ps / INR (length ps)) k.
Proof.
  intros H. destruct ps as [|p [|]]; try discriminate. unfold binomial, total. simpl.
  replace ((p + 0) / 1) with p by field. reflexivity.
Qed.

Lemma hoeffding_at_least ps k : Hoeffding1956 -> means ps -> far_up ps k ->
  at_least ps k <= binomial (length ps) (total ps / INR (length ps)) k.
Proof.
  intros H Hm [Hk|H1]; [now apply H|]. rewrite <- (one_variable ps k H1). lra.
Qed.

Lemma hoeffding_less ps k : Hoeffding1956 -> means ps -> ps <> nil -> far_down ps k ->
  binomial (length ps) (total ps / INR (length ps)) k <= at_least ps k.
Proof.
  intros H Hm Hn [Hk|H1]; [|rewrite <- (one_variable ps k H1); lra].
  assert (Hl : 0 < INR (length ps)) by (apply lt_0_INR; destruct ps; [congruence|simpl; lia]).
  assert (Ht := total_range ps Hm).
  assert (Hk' : (k <= length ps)%nat) by (apply INR_le; lra).
  assert (Hz := H (zeros ps) (S (length ps) - k)%nat (zeros_means ps Hm)).
  rewrite zeros_total, minus_INR, S_INR, zeros_at_least in Hz by lia. specialize (Hz ltac:(lra)).
  unfold zeros in Hz. rewrite map_length in Hz. fold (zeros ps) in Hz.
  replace ((INR (length ps) - total ps) / INR (length ps)) with (1 - total ps / INR (length ps)) in Hz by (field; lra).
  unfold binomial in *. rewrite <- zeros_repeat in Hz.
  assert (E := zeros_at_least (repeat (total ps / INR (length ps)) (length ps)) k).
  rewrite repeat_length in E. specialize (E ltac:(lia)). rewrite E in Hz. lra.
Qed.

(* 0/1 queries on records. *)
Section Counts.
Context {X : Type}.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Notation n := (n Ds).
Notation P := (P Ds).
Notation emp := (emp Ds).
Notation pop := (pop Ds).
Notation rows := (length Ds).

Definition zero_one (q : query X) : Prop := forall x, fn q x = 0 \/ fn q x = 1.
Definition truths (q : query X) : list R := map (fun D : law X => D (fn q)) Ds.

Lemma truths_means q : means (truths q).
Proof. intros p Hp. apply in_map_iff in Hp. destruct Hp as (D & <- & _). apply mean_range. Qed.

Lemma truths_length q : length (truths q) = rows.
Proof. apply map_length. Qed.

Lemma truths_total q : total (truths q) = n * pop q.
Proof.
  assert (Hn := n_pos Ds some_rows). unfold total, truths. rewrite sumR_map. unfold Tails.pop. field. lra.
Qed.

Lemma truths_mean q : total (truths q) / INR (length (truths q)) = pop q.
Proof.
  assert (Hn := n_pos Ds some_rows). rewrite truths_total, truths_length. fold n. unfold Tails.n in *. field. lra.
Qed.

Lemma sum_count q S : zero_one q -> exists c, sumR S (fn q) = INR c.
Proof.
  intros Hq. induction S as [|x S (c & IH)]; [now exists 0%nat|]. cbn [sumR]. rewrite IH.
  destruct (Hq x) as [->| ->]; [exists c|exists (Datatypes.S c); rewrite S_INR]; lra.
Qed.

Lemma sum_tail (L : list (law X)) q k : zero_one q ->
  prodE L (ind (fun S => sumR S (fn q) >= INR k)) = at_least (map (fun D : law X => D (fn q)) L) k.
Proof.
  intros Hq. revert k. induction L as [|D L IH]; intros k.
  - simpl. unfold ind. destruct (excluded_middle_informative _) as [H|H]; destruct k as [|k]; auto.
    + rewrite S_INR in H. simpl in H. generalize (pos_INR k). lra.
    + exfalso. apply H. simpl. lra.
  - destruct k as [|k].
    + rewrite at_least_0. rewrite (mean_ext _ _ (fun _ => 1)); [apply mean_one|]. intros S. unfold ind.
      destruct (excluded_middle_informative _) as [H|H]; auto. exfalso. apply H.
      destruct (sum_count q S Hq) as [c ->]. apply Rle_ge, le_INR. lia.
    + cbn [map]. rewrite at_least_S, <- !IH. cbn [prodE cons_law mean].
      rewrite (mean_ext D _ (fun x =>
        fn q x * prodE L (ind (fun S => sumR S (fn q) >= INR k)) +
        (1 + (-1) * fn q x) * prodE L (ind (fun s => sumR s (fn q) >= INR (S k))))).
      * rewrite mean_plus, !mean_scal_r. rewrite mean_plus, mean_one, mean_scal. ring.
      * intros x. rewrite S_INR. destruct (Hq x) as [E|E]; rewrite E.
        -- rewrite Rmult_0_l, Rmult_0_r, Rplus_0_l, Rplus_0_r, Rmult_1_l. apply mean_ext. intros S. unfold ind.
           cbn [sumR]. rewrite E.
           destruct (excluded_middle_informative _), (excluded_middle_informative _); auto; exfalso; lra.
        -- rewrite Rmult_1_l. replace (1 + -1 * 1) with 0 by ring. rewrite Rmult_0_l, Rplus_0_r.
           apply mean_ext. intros S. unfold ind. cbn [sumR]. rewrite E.
           destruct (excluded_middle_informative _), (excluded_middle_informative _); auto; exfalso; lra.
Qed.

(* The two tails at a count, exactly. *)
Lemma emp_at_least q k : zero_one q -> P (fun S => emp q S >= INR k / n) = at_least (truths q) k.
Proof.
  intros Hq. assert (Hn := n_pos Ds some_rows). unfold truths. rewrite <- (sum_tail Ds q k Hq). simpl.
  apply mean_ext. intros S. unfold ind, Tails.emp.
  assert (E : sumR S (fn q) / n >= INR k / n <-> sumR S (fn q) >= INR k).
  { split; intros H.
    - apply Rmult_ge_compat_r with (r := n) in H; [|lra]. unfold Rdiv in H.
      rewrite !Rmult_assoc, Rinv_l, !Rmult_1_r in H by lra. exact H.
    - unfold Rdiv. apply Rmult_ge_compat_r; [|exact H]. left. now apply Rinv_0_lt_compat. }
  destruct (excluded_middle_informative _), (excluded_middle_informative _); auto; tauto.
Qed.

Lemma P_complement A : P (fun S => ~ A S) = 1 - P A.
Proof.
  simpl. rewrite (mean_ext _ (ind (fun S => ~ A S)) (fun S => 1 + (-1) * ind A S)).
  - rewrite mean_plus, mean_one, mean_scal. ring.
  - intros S. decide_ind.
Qed.

Lemma emp_less q k : zero_one q -> P (fun S => emp q S < INR k / n) = 1 - at_least (truths q) k.
Proof.
  intros Hq. rewrite <- (emp_at_least q k Hq), <- P_complement. apply Rle_antisym; apply Pr_mono; intros S H; lra.
Qed.

(* "Records that are not alike": a mean known to be at most p, or at least p. *)
Theorem count_up q p k : Hoeffding1956 -> zero_one q -> pop q <= p -> p <= 1 ->
  n * pop q + 1 <= INR k \/ rows = 1%nat ->
  P (fun S => emp q S >= INR k / n) <= binomial rows p k.
Proof.
  intros H Hq Hp H1 Hk. rewrite emp_at_least by auto. assert (Hr := pop_range Ds some_rows q).
  eapply Rle_trans; [apply hoeffding_at_least; auto; [apply truths_means|]|].
  - unfold far_up. rewrite truths_total, truths_length. auto.
  - rewrite truths_mean, truths_length. apply binomial_rises; lra.
Qed.

Theorem count_down q p k : Hoeffding1956 -> zero_one q -> p <= pop q -> 0 <= p ->
  INR k <= n * pop q \/ rows = 1%nat ->
  P (fun S => emp q S < INR k / n) <= 1 - binomial rows p k.
Proof.
  intros H Hq Hp H0 Hk. rewrite emp_less by auto. assert (Hr := pop_range Ds some_rows q).
  assert (Hb := hoeffding_less (truths q) k H (truths_means q)).
  rewrite truths_mean, truths_length in Hb.
  assert (binomial rows p k <= binomial rows (pop q) k) by (apply binomial_rises; lra).
  assert (binomial rows (pop q) k <= at_least (truths q) k); [|lra]. apply Hb.
  - unfold truths. destruct Ds; [congruence|discriminate].
  - unfold far_down. rewrite truths_total, truths_length. auto.
Qed.

(* The least whole number that is not below y. *)
Lemma whole_above y : exists k : nat, y <= INR k /\ forall c : nat, y <= INR c -> (k <= c)%nat.
Proof.
  destruct (Rle_lt_dec y 0) as [Hy|Hy].
  - exists 0%nat. split; [simpl; lra|]. intros; lia.
  - destruct (archimed y) as [H1 H2].
    assert (Hz : (0 < up y)%Z) by (apply lt_IZR; lra).
    set (k := Z.to_nat (up y)).
    assert (Ek : INR k = IZR (up y)) by (unfold k; rewrite INR_IZR_INZ, Z2Nat.id; auto; lia).
    destruct (Rle_lt_dec y (INR (k - 1))) as [H|H].
    + exists (k - 1)%nat. split; auto. intros c Hc. assert (Hk : (0 < k)%nat) by (unfold k; lia).
      apply INR_le. rewrite minus_INR in * by lia. simpl (INR 1) in *.
      assert (INR k - 1 = y) by lra. lra.
    + exists k. split; [lra|]. intros c Hc. destruct (le_lt_dec k c) as [Hl|Hl]; auto. exfalso.
      assert (INR c <= INR (k - 1)) by (apply le_INR; lia). lra.
Qed.

(* The deviations of a 0/1 query, by the supremum over the means of equal records. *)
Section Deviation.
Variable H56 : Hoeffding1956.
Variable tau : R.
Hypothesis fine : n * tau >= 1 \/ rows = 1%nat.

Definition above_by (b : R) : Prop := forall p k, 0 <= p <= 1 -> n * (p + tau) <= INR k -> binomial rows p k <= b.
Definition off_by (b : R) : Prop := forall p k k', 0 <= p <= 1 -> n * (p + tau) <= INR k ->
  INR k' - 1 <= n * (p - tau) \/ k' = 0%nat -> binomial rows p k + (1 - binomial rows p k') <= b.

Lemma deviation_up q : zero_one q -> exists k, n * (pop q + tau) <= INR k /\
  P (fun S => emp q S - pop q >= tau) <= binomial rows (pop q) k.
Proof.
  intros Hq. assert (Hn := n_pos Ds some_rows). destruct (whole_above (n * (pop q + tau))) as (k & Hk & Hl).
  exists k. split; auto. eapply Rle_trans; [|apply (count_up q (pop q) k); auto; try lra].
  - apply Pr_mono. intros S HS. destruct (sum_count q S Hq) as [c Hc]. unfold Tails.emp in *. rewrite Hc in *.
    unfold Rdiv. apply Rmult_ge_compat_r; [left; now apply Rinv_0_lt_compat|]. apply Rle_ge, le_INR, Hl.
    apply Rmult_le_reg_r with (/ n); [now apply Rinv_0_lt_compat|].
    replace (n * (pop q + tau) * / n) with (pop q + tau) by (field; lra). unfold Rdiv in HS. lra.
  - apply (pop_range Ds some_rows q).
  - destruct fine; [left|now right]. lra.
Qed.

Lemma deviation_down q : zero_one q -> exists k, (INR k - 1 <= n * (pop q - tau) \/ k = 0%nat) /\
  P (fun S => pop q - emp q S >= tau) <= 1 - binomial rows (pop q) k.
Proof.
  intros Hq. assert (Hn := n_pos Ds some_rows). assert (Hr := pop_range Ds some_rows q).
  assert (Hdiv : forall c, emp q c <= pop q - tau -> sumR c (fn q) <= n * (pop q - tau)).
  { intros S HS. unfold Tails.emp in HS. apply Rmult_le_reg_r with (/ n); [now apply Rinv_0_lt_compat|].
    replace (n * (pop q - tau) * / n) with (pop q - tau) by (field; lra). exact HS. }
  destruct (Rlt_dec (n * (pop q - tau)) 0) as [Hneg|Hpos].
  - exists 0%nat. split; auto. replace (binomial rows (pop q) 0) with 1 by (symmetry; apply binomial_ends).
    rewrite Pr_none; [lra|]. intros S HS. destruct (sum_count q S Hq) as [c Hc].
    specialize (Hdiv S ltac:(lra)). rewrite Hc in Hdiv. generalize (pos_INR c). lra.
  - assert (Hkk : exists k' : nat, INR k' - 1 <= n * (pop q - tau) /\ n * (pop q - tau) < INR k').
    { destruct (archimed (n * (pop q - tau))) as [H1 H2].
      assert (Hz : (0 < up (n * (pop q - tau)))%Z) by (apply lt_IZR; lra).
      exists (Z.to_nat (up (n * (pop q - tau)))). rewrite INR_IZR_INZ, Z2Nat.id by lia. split; lra. }
    destruct Hkk as (k' & H1 & H2). exists k'. split; [now left|].
    eapply Rle_trans; [|apply (count_down q (pop q) k'); auto; try lra].
    + apply Pr_mono. intros S HS. unfold Tails.emp in *. unfold Rdiv.
      apply Rmult_lt_compat_r; [now apply Rinv_0_lt_compat|]. specialize (Hdiv S). unfold Tails.emp in Hdiv.
      assert (sumR S (fn q) / n <= pop q - tau) by lra. specialize (Hdiv H). lra.
    + destruct fine; [left|now right]. lra.
Qed.

Theorem binomial_above q b : zero_one q -> above_by b -> P (fun S => emp q S - pop q >= tau) <= b.
Proof.
  intros Hq Hb. destruct (deviation_up q Hq) as (k & Hk & H). eapply Rle_trans; [exact H|]. apply Hb; auto.
  now apply pop_range.
Qed.

Theorem binomial_off q b : zero_one q -> off_by b -> P (fun S => Rabs (emp q S - pop q) >= tau) <= b.
Proof.
  intros Hq Hb. destruct (deviation_up q Hq) as (k & Hk & H), (deviation_down q Hq) as (k' & Hk' & H').
  apply Rle_trans with (P (fun S => emp q S - pop q >= tau) + P (fun S => pop q - emp q S >= tau)).
  - eapply Rle_trans; [|apply Pr_or]. apply Pr_mono. intros S HS. unfold Rabs in HS.
    destruct (Rcase_abs (emp q S - pop q)); [right|left]; lra.
  - assert (Hr := pop_range Ds some_rows q). specialize (Hb (pop q) k k' Hr Hk Hk'). lra.
Qed.

End Deviation.
End Counts.
