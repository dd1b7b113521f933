(* As Plans.v for an open gate: the look with the number M of which the pass is the K-th, if it passes. All looks until
   K passed or M-K+1 failed have its threshold: none of them has less of the budget. *)

From Coq Require Import Reals Lra Lia List Arith ZArith Bool Psatz.
From dpcalc Require Import Tree Count Gate Tails Budget OpenGate Binomial ConvexTail ConvexRows Records Rows Evaluate Plans.
Import ListNotations.
Open Scope R_scope.

Definition failures (v : list bool) : nat := (length v - passes v)%nat.
(* K passed, or L failed. *)
Definition ended (K L : nat) (v : list bool) : bool := (K <=? passes v)%nat || (L <=? failures v)%nat.

(* What dpcalc's code Beta(1/2, 2) leaves after k passes and j failures. *)
Fixpoint product (t : Z) (k : nat) : Z := match k with O => 1 | S k => product t k * (t + 2 * Z.of_nat k) end%Z.

Lemma product_rise t k : IZR (product t k) = rise (IZR t / 2) k * 2^k.
Proof.
  induction k as [|k IH]; cbn [product rise pow]; [ring|]. rewrite mult_IZR, IH, plus_IZR, mult_IZR, <- INR_IZR_INZ. field.
Qed.

Lemma product_pos t k : (0 < t)%Z -> (0 < product t k)%Z.
Proof. intros H. induction k as [|k IH]; cbn [product]; lia. Qed.

Notation W := (beta_code (1/2) 2).

Lemma W_numbers v : W v = IZR (product 1 (passes v) * product 4 (failures v)) / IZR (product 5 (length v)).
Proof.
  rewrite beta_code_closed by lra. fold (failures v). rewrite mult_IZR, !product_rise.
  replace (IZR 4 / 2) with 2 by lra. replace (IZR 5 / 2) with (1/2 + 2) by lra.
  replace (2 ^ length v) with (2 ^ passes v * 2 ^ failures v) by
    (rewrite <- pow_add; f_equal; unfold failures; generalize (passes_le v); lia).
  field. assert (H := rise_pos (1/2 + 2) (length v) ltac:(lra)). repeat split; try (apply pow_nonzero; lra). lra.
Qed.

Lemma W_open v : 0 < W v.
Proof. apply code_pos, beta_bet_range; lra. Qed.

Lemma W_sum v : W (true :: v) + W (false :: v) = W v.
Proof. apply code_sum. Qed.

Lemma W_falls v w : (passes v <= passes w)%nat -> (failures v <= failures w)%nat -> W w <= W v.
Proof.
  intros Hp Hf.
  assert (Hcons : forall b u, W (b :: u) <= W u).
  { intros b u. generalize (W_sum u) (W_open (true :: u)) (W_open (false :: u)). destruct b; lra. }
  assert (Hrep : forall b i u, W (repeat b i ++ u) <= W u).
  { intros b i u. induction i as [|i IH]; cbn [repeat app]; [lra|]. eapply Rle_trans; [apply Hcons|exact IH]. }
  set (u := repeat true (passes w - passes v) ++ repeat false (failures w - failures v) ++ v).
  assert (Ep : forall b i u, passes (repeat b i ++ u) = ((if b then i else 0) + passes u)%nat).
  { clear. intros b i u. unfold passes. rewrite count_occ_app. f_equal. induction i as [|i IH]; [now destruct b|].
    destruct b; cbn; rewrite IH; reflexivity. }
  assert (El : length u = length w).
  { unfold u, failures in *. rewrite !app_length, !repeat_length. generalize (passes_le v) (passes_le w). lia. }
  assert (Eq : passes u = passes w) by (unfold u; rewrite !Ep; lia).
  replace (W w) with (W u); [unfold u; eapply Rle_trans; apply Hrep|].
  rewrite !W_numbers. unfold failures. now rewrite El, Eq.
Qed.

(* A gate of which only the looks before the end have to be right. *)
Section Until.
Context {Omega : Type}.
Variable P : outer Omega.
Variable emp : list bool -> Omega -> R.
Variables pop x c u : list bool -> R.
Variable stop : list bool -> bool.
Variable beta : R.
Hypothesis beta_nonneg : 0 <= beta.
Hypothesis c_le_u : forall v, c v <= u v.
Hypothesis pass_tail : forall v, stop v = false -> pop v <= c v -> P (fun w => emp v w >= x v) <= beta * W (true :: v).
Hypothesis fail_tail : forall v, stop v = false -> u v < pop v -> P (fun w => emp v w < x v) <= beta * W (false :: v).

Lemma open_gate_until m : P (fun w => exists later r v,
  shown (verdict emp x) stop m w = later ++ r :: v /\ OpenGate.wrong pop c u v r) <= beta.
Proof.
  pose (at_look (f : list bool -> R) y v := if stop v then y else f v).
  pose (value v w := if stop v then 0 else emp v w).
  eapply Rle_trans; [|apply (open_gate P value (at_look pop 0) (at_look x 1) (at_look c 0) (at_look u 0)) with
    (stop := stop) (W := W) (m := m)]; auto.
  - apply Pr_mono. intros w (later & r & v & H & Hw). exists later, r, v.
    assert (E : forall m v, play (verdict value (at_look x 1)) stop m v w =
      play (verdict emp x) stop m v w).
    { clear. induction m as [|m IH]; intros v; [reflexivity|]. cbn [play]. destruct (stop v) eqn:Hs; [reflexivity|].
      rewrite IH. unfold verdict, value, at_look. now rewrite Hs. }
    assert (Hs : stop v = false).
    { assert (G : forall m u, play (verdict emp x) stop m u w = later ++ r :: v ->
        (exists l, u = l ++ r :: v) \/ stop v = false).
      { clear. induction m as [|m IH]; intros u H; cbn [play] in H; [left; eauto|].
        destruct (stop u) eqn:Hs; [left; eauto|]. destruct (IH _ H) as [([|d l] & Hl)|]; [|left; exists l|now right].
        - simpl in Hl. injection Hl as _ ->. now right.
        - simpl in Hl. now injection Hl. }
      destruct (G m nil H) as [(l & Hl)|]; auto. now destruct l. }
    split; [unfold shown in *; now rewrite E|]. unfold OpenGate.wrong, at_look in *. now rewrite Hs.
  - intros v. unfold at_look. destruct (stop v); [lra|auto].
  - intros v. left. apply W_open.
  - unfold beta_code. simpl. lra.
  - intros v. rewrite W_sum. lra.
  - intros v. unfold at_look, value. replace (W v - W (false :: v)) with (W (true :: v)) by (generalize (W_sum v); lra).
    destruct (stop v) eqn:Hs; [intros _|now apply pass_tail]. rewrite Pr_none; [|intros w; lra].
    apply Rmult_le_pos; [auto|left; apply W_open].
  - intros v. unfold at_look, value. replace (W v - W (true :: v)) with (W (false :: v)) by (generalize (W_sum v); lra).
    destruct (stop v) eqn:Hs; [lra|now apply fail_tail].
Qed.
End Until.

(* What b/b' leaves to k passes and j failures. *)
Definition left_num (b : Z) (k j : nat) : Z := (b * (product 1 k * product 4 j))%Z.
Definition left_over (b' : Z) (k j : nat) : Z := (b' * product 5 (k + j))%Z.

Lemma left_valid b b' k j w : (0 <= b)%Z -> (0 < b')%Z -> (passes w <= k)%nat -> (failures w <= j)%nat ->
  0 <= IZR (left_num b k j) / IZR (left_over b' k j) <= IZR b / IZR b' * W w.
Proof.
  intros Hb Hb' Hk Hj. unfold left_num, left_over. assert (Hd := product_pos 5 (k + j) ltac:(lia)).
  assert (H1 := product_pos 1 k ltac:(lia)). assert (H4 := product_pos 4 j ltac:(lia)).
  apply IZR_le in Hb. apply IZR_lt in Hb', Hd, H1, H4. rewrite !mult_IZR. split.
  { apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; nra]. apply Rmult_le_pos; nra. }
  assert (B0 : 0 <= IZR b / IZR b') by (apply Rmult_le_pos; [auto|left; now apply Rinv_0_lt_compat]).
  assert (HW := W_falls w (repeat true k ++ repeat false j)).
  assert (Ep : passes (repeat true k ++ repeat false j) = k /\ length (repeat true k ++ repeat false j) = (k + j)%nat).
  { split; [|rewrite app_length, !repeat_length; reflexivity]. unfold passes. rewrite count_occ_app.
    rewrite count_occ_repeat_eq, count_occ_repeat_neq by congruence. lia. }
  destruct Ep as [Ep El]. unfold failures at 2 in HW. rewrite Ep, El in HW. specialize (HW Hk ltac:(lia)).
  eapply Rle_trans; [|apply Rmult_le_compat_l; [exact B0|exact HW]]. rewrite W_numbers. unfold failures. rewrite Ep, El.
  replace (k + j - k)%nat with j by lia. rewrite mult_IZR. right. field. lra.
Qed.

Section OpenPlans.
Context {X : Type}.
Variable Ds : list (law X).
Variable n : Z.
Hypothesis rows : length Ds = Z.to_nat n.
Hypothesis n_pos : (0 < n)%Z.
Variable e : precision.
Notation P := (P Ds).
Notation emp := (emp Ds).
Notation pop := (pop Ds).

(* The answers to at most M looks: a query passes whose mean on the sample is at least its threshold x. *)
Definition answered (ask : list bool -> query X) (x : list bool -> R) (K L M : nat) (S : list X) : list bool :=
  shown (verdict (fun v => emp (ask v)) x) (ended K L) M S.
(* A pass at most at the bar, or a failure more than D above it. *)
Definition mistaken (ask : list bool -> query X) (bar : list bool -> R) (D : R) (v : list bool) (r : bool) : Prop :=
  r = true /\ pop (ask v) <= bar v \/ r = false /\ bar v + D < pop (ask v).

(* Look M is pass K if it passes: u/v and u'/v' are its levels. *)
Section Look.
Variables M K b b' : Z.
Notation k := (Z.to_nat K).
Notation j := (Z.to_nat (M - K)).
Notation u := (left_num b k j).
Notation v := (left_over b' k j).
Notation u' := (left_num b (k - 1) (j + 1)).
Notation v' := (left_over b' (k - 1) (j + 1)).
Definition look : bool := ((1 <=? K) && (K <=? M) && (0 <=? b) && (0 <? b'))%Z.

Lemma look_valid (ask : list bool -> query X) (bar x : list bool -> R) D : look = true -> 0 <= D ->
  (0 <= IZR u / IZR v -> forall w, pop (ask w) <= bar w -> P (fun S => emp (ask w) S >= x w) <= IZR u / IZR v) ->
  (0 <= IZR u' / IZR v' -> forall w, bar w + D < pop (ask w) -> P (fun S => emp (ask w) S < x w) <= IZR u' / IZR v') ->
  P (fun S => exists later r v, answered ask x k (Z.to_nat (M + 1 - K)) (Z.to_nat M) S = later ++ r :: v /\
    mistaken ask bar D v r) <= IZR b / IZR b'.
Proof.
  unfold look. rewrite !andb_true_iff, !Z.leb_le, Z.ltb_lt. intros [[[HK HM] Hb] Hb'] HD Hp Hf.
  assert (Hl : forall w, ended k (Z.to_nat (M + 1 - K)) w = false -> (S (passes w) <= k)%nat /\ (failures w <= j)%nat).
  { intros w Hw. apply orb_false_elim in Hw. rewrite !Nat.leb_gt in Hw. lia. }
  assert (Ht : forall w, passes (true :: w) = S (passes w) /\ failures (true :: w) = failures w).
  { intros w. unfold failures. cbn [length]. change (passes (true :: w)) with (S (passes w)). generalize (passes_le w). lia. }
  assert (Hn : forall w, passes (false :: w) = passes w /\ failures (false :: w) = S (failures w)).
  { intros w. unfold failures. cbn [length]. change (passes (false :: w)) with (passes w). generalize (passes_le w). lia. }
  apply (open_gate_until P (fun v => emp (ask v)) (fun v => pop (ask v)) x bar (fun v => bar v + D)).
  - apply Rmult_le_pos; [now apply IZR_le|left; now apply Rinv_0_lt_compat, IZR_lt].
  - intros w. lra.
  - intros w Hw Hle. destruct (Hl w Hw), (Ht w) as [E1 E2].
    destruct (left_valid b b' k j (true :: w) Hb Hb' ltac:(lia) ltac:(lia)) as [Hu Hv].
    eapply Rle_trans; [now apply Hp|exact Hv].
  - intros w Hw Hle. destruct (Hl w Hw), (Hn w) as [E1 E2].
    destruct (left_valid b b' (k - 1) (j + 1) (false :: w) Hb Hb' ltac:(lia) ltac:(lia)) as [Hu Hv].
    eapply Rle_trans; [now apply Hf|exact Hv].
Qed.

(* At the bar c/d with the threshold x/d and the margin s/d, for values in [0,1]. *)
Definition open_bar_keeps (d c s x t t' : Z) : bool :=
  (positive d s b' && look && low_within e n u v d x c t && low_within e n u' v' d (d - x) (d - (c + 2 * s)) t')%Z.

Lemma two_margins d c s : (0 < d)%Z -> IZR (d - (c + 2 * s)) / IZR d = 1 - (IZR c / IZR d + 2 * (IZR s / IZR d)).
Proof. intros H. apply IZR_lt in H. rewrite minus_IZR, plus_IZR, mult_IZR. field. lra. Qed.

Lemma two_nonneg d s : (0 < d)%Z -> (0 < s)%Z -> 0 <= 2 * (IZR s / IZR d).
Proof. intros Hd Hs. apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [apply IZR_le; lia|left; now apply Rinv_0_lt_compat, IZR_lt]. Qed.

Theorem open_bar_plan d c s x t t' (ask : list bool -> query X) :
  open_bar_keeps d c s x t t' = true ->
  P (fun S => exists later r v,
    answered ask (fun _ => IZR x / IZR d) k (Z.to_nat (M + 1 - K)) (Z.to_nat M) S = later ++ r :: v /\
    mistaken ask (fun _ => IZR c / IZR d) (2 * (IZR s / IZR d)) v r) <= IZR b / IZR b'.
Proof.
  unfold open_bar_keeps, positive. rewrite !andb_true_iff, !Z.ltb_lt. intros [[[[[Hd Hs] _] H] H1] H2].
  assert (some := some_rows Ds n rows n_pos). assert (Dp := IZR_lt _ _ Hd).
  apply low_within_valid in H1, H2. rewrite two_margins in H2 by auto.
  replace (IZR (d - x) / IZR d) with (1 - IZR x / IZR d) in H2 by (rewrite minus_IZR; field; lra).
  rewrite <- (rows_n Ds n rows n_pos) in H1, H2.
  apply look_valid; auto using two_nonneg.
  - intros Hu w Hq. apply (lower_valid Ds some (ask w) _ _ _ Hu H1 Hq).
  - intros Hu w Hq. apply (upper_valid Ds some (ask w) _ _ _ Hu H2). lra.
Qed.

(* With the threshold of i ones for 0/1 values. *)
Definition open_count_keeps (d c s i : Z) : bool :=
  (positive d s b' && look && (1 <=? i) && (i <=? n) && count_cert_within e n u v d c i &&
   count_cert_within e n u' v' d (d - (c + 2 * s)) (n + 1 - i))%Z.

Theorem open_count_plan d c s i (ask : list bool -> query X) : Hoeffding1956 ->
  (forall v, zero_one (ask v)) -> open_count_keeps d c s i = true ->
  P (fun S => exists later r v, answered ask (fun _ => INR (Z.to_nat i) / Tails.n Ds) k
      (Z.to_nat (M + 1 - K)) (Z.to_nat M) S = later ++ r :: v /\
    mistaken ask (fun _ => IZR c / IZR d) (2 * (IZR s / IZR d)) v r) <= IZR b / IZR b'.
Proof.
  intros H56 Hq. unfold open_count_keeps, positive. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[[[[[Hd Hs] _] H] Hi1] Hi] H1] H2]. assert (some := some_rows Ds n rows n_pos).
  apply count_cert_within_valid with (1 := rows) in H1. apply count_cert_within_valid with (1 := rows) in H2.
  rewrite two_margins in H2 by auto. replace (Z.to_nat (n + 1 - i)) with (S (length Ds) - Z.to_nat i)%nat in H2 by (rewrite rows; lia).
  apply look_valid; auto using two_nonneg.
  - intros Hu w Hw. now apply (count_cert_valid Ds some (ask w) _ _ _ H56 (Hq w) Hw).
  - intros Hu w Hw. apply (fewer_cert_valid Ds some (ask w) (IZR c / IZR d + 2 * (IZR s / IZR d))); auto; [lra|rewrite rows; lia].
Qed.

End Look.
End OpenPlans.

(* No threshold y passes and fails rarely enough: at x/d both are too likely. *)
Section None.
Variable e : precision.
Variable n : Z.
Variables u v u' v' d c s : Z.      (* both levels, the bar and the margin *)

Lemma convex_tail_falls_in_mean m p x y t : 0 <= p <= 1 -> y <= x -> INR t < INR m * y -> convex_tail m p x t <= convex_tail m p y t.
Proof.
  intros Hp Hxy Ht. unfold convex_tail. assert (H0 := excess_nonneg m p t Hp). assert (Hm := pos_INR m).
  apply Rmult_le_compat_l; auto. apply Rinv_le_contravar; [lra|]. assert (INR m * y <= INR m * x) by (apply Rmult_le_compat_l; auto). lra.
Qed.

Definition no_threshold (x : Z) : bool :=
  (no_hinge n (bits e) (width e) u v d c x && no_hinge n (bits e) (width e) u' v' d (d - (c + 2 * s)) (d - x))%Z.

Theorem no_threshold_valid x : no_threshold x = true -> forall y t t', INR t < IZR n * y -> INR t' < IZR n * (1 - y) ->
  IZR u / IZR v < convex_tail (Z.to_nat n) (IZR c / IZR d) y t \/
  IZR u' / IZR v' < convex_tail (Z.to_nat n) (IZR (d - (c + 2 * s)) / IZR d) (1 - y) t'.
Proof.
  unfold no_threshold. rewrite andb_true_iff. intros [H1 H2] y t t' Ht Ht'.
  assert (Hr : forall l o a z, no_hinge n (bits e) (width e) l o d a z = true ->
    (0 < n)%Z /\ 0 < IZR d /\ 0 <= IZR a / IZR d <= 1).
  { intros l o a z H. unfold no_hinge in H. cbv zeta in H. rewrite !andb_true_iff in H. destruct H as [[[[[[[H _] _] _] _] _] _] _].
    destruct (sound_parts _ _ _ _ _ _ H) as (Hn & Ha & _). assert (Dp : 0 < IZR d) by (apply IZR_lt; lia).
    split; auto. split; auto. split; [apply Rmult_le_pos; [apply IZR_le; lia|left; now apply Rinv_0_lt_compat]|].
    apply Rmult_le_reg_r with (IZR d); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_l, Rmult_1_r by lra.
    apply IZR_le. lia. }
  destruct (Hr _ _ _ _ H1) as (Hn & Dp & Hc), (Hr _ _ _ _ H2) as (_ & _ & Hc').
  assert (En : INR (Z.to_nat n) = IZR n) by (rewrite INR_IZR_INZ; f_equal; lia). apply IZR_lt in Hn.
  assert (Ex : IZR (d - x) / IZR d = 1 - IZR x / IZR d) by (rewrite minus_IZR; field; lra).
  destruct (Rle_dec y (IZR x / IZR d)) as [H|H]; [left|right].
  - eapply Rlt_le_trans; [apply (no_hinge_valid _ _ _ _ _ _ _ _ H1 t)|apply convex_tail_falls_in_mean; auto; now rewrite En].
    assert (IZR n * y <= IZR n * (IZR x / IZR d)) by (apply Rmult_le_compat_l; lra). lra.
  - eapply Rlt_le_trans; [apply (no_hinge_valid _ _ _ _ _ _ _ _ H2 t')|apply convex_tail_falls_in_mean; auto; [rewrite Ex; lra|now rewrite En]].
    rewrite Ex. assert (IZR n * (1 - y) <= IZR n * (1 - IZR x / IZR d)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* The same for counts: at k ones a pass is too likely, and at more a failure. *)
Definition no_counts (k : Z) : bool :=
  ((0 <=? k) && (k <=? n) && count_above n (bits e) (width e) u v d c k &&
   count_above n (bits e) (width e) u' v' d (d - (c + 2 * s)) (n - k))%Z.

Theorem no_counts_valid k : no_counts k = true -> forall i, (i <= Z.to_nat n)%nat ->
  IZR u / IZR v < binomial (Z.to_nat n) (IZR c / IZR d) i \/
  IZR u' / IZR v' < binomial (Z.to_nat n) (IZR (d - (c + 2 * s)) / IZR d) (S (Z.to_nat n) - i).
Proof.
  unfold no_counts. rewrite !andb_true_iff, !Z.leb_le. intros [[[H0 Hk] H1] H2] i Hi.
  assert (Hr : forall l o a z, count_above n (bits e) (width e) l o d a z = true -> 0 <= IZR a / IZR d <= 1).
  { intros l o a z H. unfold count_above in H. rewrite !andb_true_iff in H. destruct H as [[[[[H _] _] _] _] _].
    destruct (sound_parts _ _ _ _ _ _ H) as (_ & Ha & _). assert (Dp : 0 < IZR d) by (apply IZR_lt; lia).
    split; [apply Rmult_le_pos; [apply IZR_le; lia|left; now apply Rinv_0_lt_compat]|].
    apply Rmult_le_reg_r with (IZR d); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_l, Rmult_1_r by lra.
    apply IZR_le. lia. }
  destruct (le_lt_dec i (Z.to_nat k)) as [H|H]; [left|right].
  - eapply Rlt_le_trans; [apply (count_above_valid _ _ _ _ _ _ _ _ H1)|]. apply binomial_falls; eauto.
  - eapply Rlt_le_trans; [apply (count_above_valid _ _ _ _ _ _ _ _ H2)|]. apply binomial_falls; [eauto|lia].
Qed.
End None.
