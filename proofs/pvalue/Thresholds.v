(* Thresholds with numbers, as Plans.v for plans: p t w is the p-value of the test t on the data w, null t says that its
   null hypothesis is true. The data have any law. *)

From Coq Require Import Reals Lra Lia List Arith ZArith Bool ClassicalDescription.
From dpcalc Require Import Tree Count Gate Plans.
Import ListNotations.
Open Scope R_scope.

(* N tests that each err with probability at most g/g' err with probability at most a/a' in all. *)
Definition threshold_keeps (N g g' a a' : Z) : bool :=
  ((0 <? g') && (0 <? a') && (0 <=? g) && (N * g * a' <=? a * g'))%Z.

Lemma threshold_keeps_valid N g g' a a' : threshold_keeps N g g' a a' = true ->
  0 <= IZR g / IZR g' /\ IZR N * (IZR g / IZR g') <= IZR a / IZR a'.
Proof.
  unfold threshold_keeps. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le. intros [[[Hg' Ha'] Hg] H].
  assert (G := IZR_lt _ _ Hg'). assert (A := IZR_lt _ _ Ha'). split.
  - apply Rmult_le_pos; [now apply IZR_le|]. left. now apply Rinv_0_lt_compat.
  - apply IZR_le in H. rewrite !mult_IZR in H. apply Rmult_le_reg_r with (IZR g' * IZR a'); [nra|].
    replace (IZR N * (IZR g / IZR g') * (IZR g' * IZR a')) with (IZR N * IZR g * IZR a') by (field; lra).
    replace (IZR a / IZR a' * (IZR g' * IZR a')) with (IZR a * IZR g') by (field; lra). exact H.
Qed.

Section Thresholds.
Context {Omega Test : Type}.
Variable P : outer Omega.
Variable p : Test -> Omega -> R.
Variable null : Test -> Prop.

(* "bonferroni": the data select one of N tests. *)
Theorem description_plan N g g' a a' (tests : list Test) (selected : Omega -> Test) :
  length tests = Z.to_nat N -> (forall w, In (selected w) tests) ->
  (forall t, null t -> P (fun w => p t w <= IZR g / IZR g') <= IZR g / IZR g') ->
  (0 <=? N)%Z && threshold_keeps N g g' a a' = true ->
  P (fun w => null (selected w) /\ p (selected w) w <= IZR g / IZR g') <= IZR a / IZR a'.
Proof.
  intros HN Hin Hp. rewrite andb_true_iff, Z.leb_le. intros [H0 H].
  destruct (threshold_keeps_valid _ _ _ _ _ H) as [Hg Hl]. eapply Rle_trans; [|exact Hl].
  replace (IZR N) with (INR (length tests)) by (rewrite HN, INR_IZR_INZ; f_equal; lia). rewrite <- sumR_const.
  eapply Rle_trans; [|apply sumR_le with (f := fun t => P (fun w => null t /\ p t w <= IZR g / IZR g'))].
  - eapply Rle_trans; [|apply Pr_union]. apply Pr_mono. intros w Hw. now exists (selected w).
  - intros t _. destruct (excluded_middle_informative (null t)) as [Ht|Ht].
    + eapply Rle_trans; [|apply (Hp t Ht)]. apply Pr_mono. tauto.
    + rewrite Pr_none; [exact Hg|tauto].
Qed.

(* "gates": up to m tests, of which B reject. *)
Theorem gates_plan m B g g' a a' (chosen : list bool -> Test) :
  (forall t, null t -> P (fun w => p t w <= IZR g / IZR g') <= IZR g / IZR g') ->
  (1 <=? m)%Z && (0 <=? B)%Z && threshold_keeps (nodes m B) g g' a a' = true ->
  P (fun w => exists later v, rejections p (IZR g / IZR g') chosen (Z.to_nat B) (Z.to_nat m) w =
    later ++ true :: v /\ null (chosen v)) <= IZR a / IZR a'.
Proof.
  intros Hp. rewrite !andb_true_iff, !Z.leb_le. intros [[Hm HB] H].
  destruct (threshold_keeps_valid _ _ _ _ _ H) as [Hg Hl]. eapply Rle_trans; [|exact Hl]. rewrite <- nodes_N by auto.
  apply gate_rejections; auto. intros t. apply excluded_middle_informative.
Qed.

End Thresholds.
