(* As Plans.v for "ladder": the steps of a table, each with what it may fail with, and the sum over them. *)

From Coq Require Import Reals Lra Lia List Arith ZArith Bool.
From dpcalc Require Import Tree Count Tails Binomial Records Rows Evaluate Powers Plans.
From dpcalc Require Ladder.
Import ListNotations.
Open Scope R_scope.

(* A step: its boundary, the value shown from there on, and the probabilities with which a loss that is too high passes
   the boundary before it without this one, and a loss that is too high for the value reaches it. *)
Record step := Step { edge : Z; shown : Z; high : Z; low : Z }.
Definition no_step : step := {| edge := 0; shown := 0; high := 0; low := 0 |}.

Lemma C_absorb n k : (S k * C (S n) (S k) = S n * C n k)%nat.
Proof.
  assert (H := C_next n k). cbn [C]. destruct (le_lt_dec k n) as [L|L]; [nia|].
  rewrite (C_above n k), (C_above n (S k)) by lia. lia.
Qed.

(* The sum of a table from the step l on, with W_l and N_l, but for 1 at l = 0, for m looks. *)
Fixpoint sum_from (m l W N : Z) (steps : list step) : Z :=
  match steps with
  | nil => 0
  | p :: steps => W * high p + ((if l =? 0 then 1 else 0) + N) * low p +
      sum_from m (l + 1) (W * (m + l - 1) / (l + 1)) (N * (m + l) / (l + 2)) steps
  end%Z.
Definition sum_of (m : Z) (steps : list step) : Z := sum_from m 0 1 (m - 1) steps.

Lemma quotient x y z : (0 < y)%Z -> (y * z = x)%Z -> (x / y = z)%Z.
Proof. intros Hy E. symmetry. apply Z.div_unique_exact; lia. Qed.

Lemma sum_from_valid m steps l : (2 <= m)%nat ->
  IZR (sum_from (Z.of_nat m) (Z.of_nat l) (Z.of_nat (Ladder.Wl m l)) (Z.of_nat (Ladder.Q m l)) steps) =
  sumR (seq 0 (length steps)) (fun i => INR (Ladder.Wl m (l + i)) * IZR (high (nth i steps no_step)) +
    INR (Ladder.Nl m (l + i)) * IZR (low (nth i steps no_step))).
Proof.
  intros Hm. revert l. induction steps as [|p steps IH]; intros l; [reflexivity|]. cbn [sum_from length seq sumR nth].
  rewrite <- seq_shift, sumR_map, !plus_IZR, !mult_IZR.
  replace (Z.of_nat (Ladder.Wl m l) * (Z.of_nat m + Z.of_nat l - 1) / (Z.of_nat l + 1))%Z with (Z.of_nat (Ladder.Wl m (S l))).
  2:{ symmetry. apply quotient; [lia|]. unfold Ladder.Wl. replace (m + S l - 2)%nat with (S (m + l - 2)) by lia.
      assert (E := C_absorb (m + l - 2) l). nia. }
  replace (Z.of_nat (Ladder.Q m l) * (Z.of_nat m + Z.of_nat l) / (Z.of_nat l + 2))%Z with (Z.of_nat (Ladder.Q m (S l))).
  2:{ symmetry. apply quotient; [lia|]. unfold Ladder.Q. replace (m - 1 + S l)%nat with (S (m - 1 + l)) by lia.
      replace (S l + 1)%nat with (S (l + 1)) by lia. assert (E := C_absorb (m - 1 + l) (l + 1)). nia. }
  replace (Z.of_nat l + 1)%Z with (Z.of_nat (S l)) by lia. rewrite IH, Nat.add_0_r.
  rewrite (sumR_ext _ (fun i => INR (Ladder.Wl m (S l + i)) * IZR (high (nth i steps no_step)) + _)
    (fun a => INR (Ladder.Wl m (l + S a)) * IZR (high (nth (S a) (p :: steps) no_step)) +
      INR (Ladder.Nl m (l + S a)) * IZR (low (nth (S a) (p :: steps) no_step)))).
  2:{ intros i _. now replace (S l + i)%nat with (l + S i)%nat by lia. }
  rewrite (Ladder.Nl_Q m ltac:(lia) m l) by lia. rewrite plus_INR, plus_IZR, !INR_IZR_INZ.
  replace (if Z.of_nat l =? 0 then 1 else 0)%Z with (Z.of_nat (if (l =? 0)%nat then 1 else 0)); [reflexivity|].
  destruct l; reflexivity.
Qed.

(* Each step by the one before. *)
Fixpoint each (ok : step -> step -> bool) (p : step) (steps : list step) : bool :=
  match steps with nil => true | q :: steps => ok p q && each ok q steps end.

Lemma each_nth ok p steps i : each ok p steps = true -> (i < length steps)%nat ->
  ok (nth i (p :: steps) no_step) (nth (S i) (p :: steps) no_step) = true.
Proof.
  revert p i. induction steps as [|q steps IH]; intros p i H Hi; cbn [length] in Hi; [lia|].
  cbn [each] in H. apply andb_prop in H. destruct H as [H1 H2]. destruct i as [|i]; [exact H1|]. apply IH; auto. lia.
Qed.

Definition falls (p q : step) : bool :=
  ((0 <=? edge q) && (edge q <=? edge p) && (shown q <=? shown p) && (0 <=? high q) && (high q <=? high p) &&
   (0 <=? low q) && (low q <=? low p))%Z.

Section LadderPlans.
Context {X : Type}.
Variable Ds : list (law X).
Variable n : Z.
Hypothesis rows : length Ds = Z.to_nat n.
Hypothesis n_pos : (0 < n)%Z.
Variable e : precision.
Notation P := (P Ds).
Notation emp := (emp Ds).
Notation pop := (pop Ds).

(* Boundaries are over f, values over d, and probabilities over w. The table begins at the loss top/d with the margin s/d. *)
Variables f d w top s : Z.
Variable steps : list step.
Definition start : step := {| edge := f; shown := top - s; high := w; low := w |}%Z.
Definition boundary (l : nat) : R := IZR (nth l (f :: map edge steps) 0%Z) / IZR f.
Definition value (l : nat) : R := IZR (nth l ((top - s)%Z :: map shown steps) 0%Z) / IZR d.

Lemma boundary_at l : boundary l = IZR (edge (nth l (start :: steps) no_step)) / IZR f.
Proof. unfold boundary. change (f :: map edge steps) with (map edge (start :: steps)). now rewrite <- (map_nth edge). Qed.
Lemma value_at l : value l = IZR (shown (nth l (start :: steps) no_step)) / IZR d.
Proof. unfold value. change ((top - s)%Z :: map shown steps) with (map shown (start :: steps)). now rewrite <- (map_nth shown). Qed.

Definition table (m b b' : Z) (ok : step -> step -> bool) : bool :=
  ((0 <? f) && (0 <? d) && (0 <? w) && (0 <? s) && (0 <? b') && (2 <=? m) && (shown (last steps start) <=? s) &&
   each (fun p q => falls p q && ok p q) start steps && (sum_of m steps * b' <=? b * w))%Z.

Section Table.
Variables m b b' : Z.
Variable ok : step -> step -> bool.
Hypothesis holds : table m b b' ok = true.
Notation at_ l := (nth l (start :: steps) no_step).
Notation K := (S (length steps)).
Definition up_to (l : nat) : R := IZR (high (at_ (l + 1))) / IZR w.
Definition down_to (l : nat) : R := IZR (low (at_ l)) / IZR w.

Lemma parts_of : (0 < f)%Z /\ (0 < d)%Z /\ (0 < w)%Z /\ (0 < s)%Z /\ (0 < b')%Z /\ (2 <= m)%Z /\ (shown (last steps start) <= s)%Z /\
  (forall i, (i < length steps)%nat -> falls (at_ i) (at_ (S i)) = true /\ ok (at_ i) (at_ (S i)) = true) /\
  (sum_of m steps * b' <= b * w)%Z.
Proof.
  unfold table in holds. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le in holds. destruct holds as [[H He] Hs].
  repeat split; try tauto; apply (each_nth _ _ _ i) in He; auto; apply andb_prop in He; tauto.
Qed.

Lemma falls_parts p q : falls p q = true -> (0 <= edge q <= edge p)%Z /\ (shown q <= shown p)%Z /\ (0 <= high q <= high p)%Z /\
  (0 <= low q <= low p)%Z.
Proof. unfold falls. rewrite !andb_true_iff, !Z.leb_le. tauto. Qed.

Lemma falling (g : step -> Z) : (forall p q, falls p q = true -> (g q <= g p)%Z) ->
  forall l l', (l <= l')%nat -> (l' < K)%nat -> (g (at_ l') <= g (at_ l))%Z.
Proof.
  intros Hg l l' Hl. induction Hl as [|l' Hl IH]; intros H; [lia|]. destruct parts_of as (_ & _ & _ & _ & _ & _ & _ & Hf & _).
  eapply Z.le_trans; [apply Hg, Hf; lia|]. apply IH. lia.
Qed.

Lemma beyond_table l : (K <= l)%nat -> at_ l = no_step.
Proof. intros H. apply nth_overflow. cbn [length]. lia. Qed.

Lemma at_nonneg (g : step -> Z) : g no_step = 0%Z -> (0 <= g start)%Z -> (forall p q, falls p q = true -> (0 <= g q)%Z) ->
  forall l, (0 <= g (at_ l))%Z.
Proof.
  intros H0 Hs Hg l. destruct (le_lt_dec K l) as [H|H]; [rewrite beyond_table by auto; lia|].
  destruct l as [|l]; [exact Hs|]. destruct parts_of as (_ & _ & _ & _ & _ & _ & _ & Hf & _). apply (Hg (at_ l)), Hf. lia.
Qed.

Lemma over_le x y z : (0 < z)%Z -> (x <= y)%Z -> IZR x / IZR z <= IZR y / IZR z.
Proof. intros Hz H. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat, IZR_lt|now apply IZR_le]. Qed.

Lemma over_nonneg x z : (0 < z)%Z -> (0 <= x)%Z -> 0 <= IZR x / IZR z.
Proof. intros Hz H. apply Rmult_le_pos; [now apply IZR_le|left; now apply Rinv_0_lt_compat, IZR_lt]. Qed.

Ltac positive := generalize parts_of; intros (Pf & Pd & Pw & Ps & Pb & Pm & Pl & Psteps & Psum).

Lemma edge_nonneg l : (0 <= edge (at_ l))%Z.
Proof.
  positive. apply at_nonneg; [reflexivity|simpl; lia|]. intros p q H. apply falls_parts in H. tauto.
Qed.

Lemma boundary_falls l l' : (l <= l')%nat -> boundary l' <= boundary l.
Proof.
  intros Hl. positive. rewrite !boundary_at. apply over_le; auto. destruct (le_lt_dec K l') as [H|H].
  - rewrite (beyond_table l') by auto. apply edge_nonneg.
  - apply falling; auto. intros p q Hq. apply falls_parts in Hq. tauto.
Qed.

Lemma value_falls l l' : (l <= l')%nat -> (l' < K)%nat -> value l' <= value l.
Proof.
  intros Hl H. positive. rewrite !value_at. apply over_le; auto. apply falling; auto. intros p q Hq. apply falls_parts in Hq. tauto.
Qed.

Lemma up_to_falls l l' : (l <= l')%nat -> (l' + 1 < K)%nat -> up_to l' <= up_to l.
Proof.
  intros Hl H. positive. apply over_le; auto. apply falling; auto; [|lia]. intros p q Hq. apply falls_parts in Hq. tauto.
Qed.

Lemma down_to_falls l l' : (1 <= l <= l')%nat -> (l' < K)%nat -> down_to l' <= down_to l.
Proof.
  intros Hl H. positive. apply over_le; auto. apply falling; auto; [|lia]. intros p q Hq. apply falls_parts in Hq. tauto.
Qed.

Lemma up_to_nonneg l : 0 <= up_to l.
Proof.
  positive. apply over_nonneg; auto. apply at_nonneg; [reflexivity|simpl; lia|]. intros p q H. apply falls_parts in H. tauto.
Qed.

Lemma down_to_nonneg l : 0 <= down_to l.
Proof.
  positive. apply over_nonneg; auto. apply at_nonneg; [reflexivity|simpl; lia|]. intros p q H. apply falls_parts in H. tauto.
Qed.

Lemma value_first : value 0 = IZR top / IZR d - IZR s / IZR d.
Proof. positive. apply IZR_lt in Pd. unfold value. cbn [nth]. rewrite minus_IZR. field. lra. Qed.

Lemma value_last : value (K - 1) <= IZR s / IZR d.
Proof.
  positive. rewrite value_at. apply over_le; auto. replace (K - 1)%nat with (length steps) by lia.
  replace (at_ (length steps)) with (last steps start); auto. clear. generalize start as p.
  induction steps as [|q l IH]; intros p; [reflexivity|]. cbn [length]. change (nth (S (length l)) (p :: q :: l) no_step) with
    (nth (length l) (q :: l) no_step). rewrite <- IH. destruct l; [reflexivity|]. cbn [last]. clear. revert s0.
  induction l; intros; [reflexivity|apply IHl].
Qed.

Lemma sum_enough : risk_of K up_to down_to (Z.to_nat m) <= IZR b / IZR b'.
Proof.
  positive. unfold risk_of. replace (K - 1)%nat with (length steps) by lia.
  replace (seq 1 (length steps)) with (map S (seq 0 (length steps))) by apply seq_shift. rewrite sumR_map, <- sumR_plus.
  assert (E := sum_from_valid (Z.to_nat m) steps 0 ltac:(lia)).
  replace (Z.of_nat (Ladder.Wl (Z.to_nat m) 0)) with 1%Z in E by now rewrite Ladder.Wl_0.
  replace (Z.of_nat (Ladder.Q (Z.to_nat m) 0)) with (m - 1)%Z in E by (rewrite Ladder.Q_0; lia).
  rewrite Z2Nat.id in E by lia. change (Z.of_nat 0) with 0%Z in E. fold (sum_of m steps) in E.
  rewrite (sumR_ext _ _ (fun i => / IZR w * (INR (Ladder.Wl (Z.to_nat m) (0 + i)) * IZR (high (nth i steps no_step)) +
    INR (Ladder.Nl (Z.to_nat m) (0 + i)) * IZR (low (nth i steps no_step))))).
  - rewrite sumR_scal, <- E. rewrite Rmult_comm. now apply fraction_le.
  - intros i _. unfold up_to, down_to. replace (i + 1)%nat with (S i) by lia. cbn [nth Nat.add].
    replace (S i - 1)%nat with i by lia. unfold Rdiv. ring.
Qed.

End Table.

(* Losses in [0,1], over f = d. *)
Definition low_entropy (u x a : Z) : bool :=
  ((0 <=? u) && ((a <=? 0) && (0 <? x) || entropy_within 32 (2^32) n (bits e) u w d a x))%Z.

Lemma low_entropy_valid u x a : (0 < d)%Z -> low_entropy u x a = true ->
  low_cert (IZR n) (IZR x / IZR d) (IZR u / IZR w) (IZR a / IZR d).
Proof.
  intros Hd. unfold low_entropy. rewrite andb_true_iff, orb_true_iff, andb_true_iff, Z.ltb_lt, !Z.leb_le.
  assert (Ip : 0 < / IZR d) by now apply Rinv_0_lt_compat, IZR_lt. intros [Hu [[Ha Hx]|H]].
  - apply low_zero; [apply IZR_le in Ha; unfold Rdiv; nra|]. apply IZR_lt in Hx. now apply Rmult_lt_0_compat.
  - apply entropy_within_valid in H. destruct H as (H0 & H1 & H2 & H3). now apply low_kl.
Qed.

Definition step_within (p q : step) : bool :=
  low_entropy (high q) (edge q) (shown p - s) && low_entropy (low q) (d - edge q) (d - (shown q + s)).

Definition ladder_keeps (m b b' : Z) : bool := ((f =? d)%Z && table m b b' step_within).

Theorem ladder_plan m b b' (analyst : list nat -> query X) : ladder_keeps m b b' = true ->
  P (fun S => exists later l v,
    Ladder.transcript emp (Datatypes.S (length steps)) boundary analyst (Z.to_nat m) S = later ++ l :: v /\
    ~ Ladder.promise pop (IZR s / IZR d) (IZR top / IZR d) value analyst v l) <= IZR b / IZR b'.
Proof.
  unfold ladder_keeps. rewrite andb_true_iff, Z.eqb_eq. intros [Ef H].
  destruct (parts_of _ _ _ _ H) as (Pf & Pd & Pw & Ps & Pb & Pm & Pl & Psteps & Psum).
  assert (D := IZR_lt _ _ Pd).
  eapply Rle_trans; [|apply (sum_enough _ _ _ _ H)].
  apply ladder_bounded; eauto using some_rows, boundary_falls, value_falls, value_first, value_last, up_to_falls, down_to_falls,
    up_to_nonneg, down_to_nonneg; try lia.
  - apply Rdiv_lt_0_compat; auto. now apply IZR_lt.
  - intros l Hl. destruct (Psteps l ltac:(lia)) as [_ Hq]. apply andb_prop in Hq. destruct Hq as [Hq _].
    rewrite (rows_n Ds n rows n_pos). rewrite boundary_at, value_at. unfold up_to. replace (l + 1)%nat with (S l) by lia. rewrite Ef.
    apply low_entropy_valid in Hq; auto. rewrite minus_IZR in Hq. now replace (IZR (shown (nth l (start :: steps) no_step)) / IZR d - IZR s / IZR d)
      with ((IZR (shown (nth l (start :: steps) no_step)) - IZR s) / IZR d) by (field; lra).
  - intros l Hl. destruct l as [|l]; [lia|]. destruct (Psteps l ltac:(lia)) as [_ Hq]. apply andb_prop in Hq. destruct Hq as [_ Hq].
    rewrite (rows_n Ds n rows n_pos). rewrite boundary_at, value_at. unfold down_to. rewrite Ef. set (q := nth (S l) (start :: steps) no_step) in *.
    apply low_entropy_valid in Hq; auto. rewrite !minus_IZR, plus_IZR in Hq.
    replace (1 - IZR (edge q) / IZR d) with ((IZR d - IZR (edge q)) / IZR d) by (field; lra).
    now replace (1 - (IZR (shown q) / IZR d + IZR s / IZR d)) with ((IZR d - (IZR (shown q) + IZR s)) / IZR d) by (field; lra).
Qed.

(* One look shows the score itself. *)
Theorem ladder_one_plan b b' g cells (model : query X) (hi : R) : sealed_keeps n e 1 b b' d s g cells = true ->
  P (fun S => Rabs (Rmin hi (emp model S) - Rmin hi (pop model)) >= IZR s / IZR d) <= IZR b / IZR b'.
Proof.
  intros H. apply ladder_one. eapply Rle_trans; [|apply (sealed_plan Ds n rows n_pos e 1 b b' d s g cells [model] eq_refl H)].
  apply Pr_mono. intros S HS. exists model. split; [now left|exact HS].
Qed.

Theorem ladder_one_count_plan b b' g pairs (model : query X) (hi : R) : Hoeffding1956 -> zero_one model ->
  sealed_count_keeps n e 1 b b' g d s pairs = true ->
  P (fun S => Rabs (Rmin hi (emp model S) - Rmin hi (pop model)) >= IZR s / IZR d) <= IZR b / IZR b'.
Proof.
  intros H56 Hz H. apply ladder_one. eapply Rle_trans; [|apply (sealed_count_plan Ds n rows n_pos e 1 b b' g d s pairs [model] H56)];
    auto; [|intros q [<-|[]]; auto].
  apply Pr_mono. intros S HS. exists model. split; [now left|exact HS].
Qed.

(* 0/1 losses: boundaries are counts, over f = n. *)
Definition step_counted (p q : step) : bool :=
  ((edge q <=? n)%Z && count_cert_within e n (high q) w d (shown p - s) (edge q + 1) &&
   count_cert_within e n (low q) w d (d - (shown q + s)) (n - edge q)).

Definition ladder_count_keeps (m b b' : Z) : bool := ((f =? n)%Z && table m b b' step_counted).

Theorem ladder_count_plan m b b' (analyst : list nat -> query X) : Hoeffding1956 -> (forall v, zero_one (analyst v)) ->
  ladder_count_keeps m b b' = true ->
  P (fun S => exists later l v,
    Ladder.transcript emp (Datatypes.S (length steps)) boundary analyst (Z.to_nat m) S = later ++ l :: v /\
    ~ Ladder.promise pop (IZR s / IZR d) (IZR top / IZR d) value analyst v l) <= IZR b / IZR b'.
Proof.
  intros H56 Hz. unfold ladder_count_keeps. rewrite andb_true_iff, Z.eqb_eq. intros [Ef H].
  destruct (parts_of _ _ _ _ H) as (Pf & Pd & Pw & Ps & Pb & Pm & Pl & Psteps & Psum).
  assert (D := IZR_lt _ _ Pd).
  eapply Rle_trans; [|apply (sum_enough _ _ _ _ H)].
  apply ladder_counts with (count := fun l => Z.to_nat (edge (nth l (start :: steps) no_step)));
    eauto using some_rows, boundary_falls, value_falls, value_first, value_last, up_to_falls, down_to_falls,
    up_to_nonneg, down_to_nonneg; try lia.
  - apply Rdiv_lt_0_compat; auto. now apply IZR_lt.
  - intros l Hl. destruct l as [|l]; [lia|]. destruct (Psteps l ltac:(lia)) as [_ Hq]. unfold step_counted in Hq.
    rewrite !andb_true_iff, Z.leb_le in Hq. assert (E0 := edge_nonneg _ _ _ _ H (S l)). split; [|rewrite rows; lia].
    rewrite (rows_n Ds n rows n_pos), boundary_at, Ef, INR_IZR_INZ, Z2Nat.id; auto.
  - intros l Hl. destruct (Psteps l ltac:(lia)) as [_ Hq]. unfold step_counted in Hq. rewrite !andb_true_iff in Hq.
    destruct Hq as [[_ Hq] _]. apply (count_cert_within_valid _ _ _ _ _ Ds) in Hq; auto. rewrite minus_IZR in Hq.
    assert (E0 := edge_nonneg _ _ _ _ H (S l)). rewrite value_at. unfold up_to. replace (l + 1)%nat with (S l) by lia.
    replace (S (Z.to_nat (edge (nth (S l) (start :: steps) no_step)))) with (Z.to_nat (edge (nth (S l) (start :: steps) no_step) + 1)) by lia.
    now replace (IZR (shown (nth l (start :: steps) no_step)) / IZR d - IZR s / IZR d)
      with ((IZR (shown (nth l (start :: steps) no_step)) - IZR s) / IZR d) by (field; lra).
  - intros l Hl. destruct l as [|l]; [lia|]. destruct (Psteps l ltac:(lia)) as [_ Hq]. unfold step_counted in Hq.
    rewrite !andb_true_iff in Hq. destruct Hq as [_ Hq]. apply (count_cert_within_valid _ _ _ _ _ Ds) in Hq; auto.
    assert (E0 := edge_nonneg _ _ _ _ H (S l)). rewrite value_at. unfold down_to. set (q := nth (S l) (start :: steps) no_step) in *.
    rewrite minus_IZR, plus_IZR in Hq. rewrite rows. replace (Z.to_nat n - Z.to_nat (edge q))%nat with (Z.to_nat (n - edge q)) by lia.
    now replace (1 - (IZR (shown q) / IZR d + IZR s / IZR d)) with ((IZR d - (IZR (shown q) + IZR s)) / IZR d) by (field; lra).
Qed.

End LadderPlans.
