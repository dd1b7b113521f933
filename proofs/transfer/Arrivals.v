(* docs/theorems/open.md, "Rows that arrive in stages": the joint bound where answer j is about the first n_j records.

   size j, at_hand j  n_j, and the laws of these records; first j S, these records of a sample
   seen j             the records of which something was seen before answer j
   r, enough          as in Joint.v, with the records that each answer was about *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Line Normal Posterior Stages Rounded Steps Tangent Joint Endless.
Import ListNotations.
Open Scope R_scope.

Section Arrivals.
Context {X : Type}.
Variable x0 : X.
Variable Ds : list (law X).
Hypothesis support : forall D, In D Ds -> finite D.
Notation E := (prodE Ds).

(* Answer j is about the first records, so many of them; they do not fall. *)
Variable size : nat -> nat.
Hypothesis size_range : forall j, (0 < size j <= length Ds)%nat.
Hypothesis size_rises : forall j, (size j <= size (S j))%nat.
Notation at_hand j := (firstn (size j) Ds).
Notation first j S := (firstn (size j) S).

Variable noises : nat -> noise.
Hypothesis all_proper : forall j, proper (noises j).
Variable ask : list cell -> query X.
Variable cuts : list cell -> list R.
Hypothesis cuts_sorted : forall v, sorted m_infty (cuts v).
Variable tau : nat -> R.
Variables count_above count_below : bool.
Notation psi := (fun j => density_of (noises j)).
Notation cdf := (fun j => cdf_of (noises j)).
Notation shown v := (cells m_infty (cuts v)).

(* An answer is off from the truth of these records. *)
Notation mean_at := (mean_at ask (fun j => at_hand j) (fun j S => first j S)).
Definition off (v : list cell) (c : cell) : Prop :=
  Rounded.off (at_hand (length v)) ask tau count_above count_below v c.
Notation some_off := (some_off off).
Notation hit := (hit cdf cuts mean_at off).
Definition fails (m : nat) : R := E (chance cdf cuts mean_at m (ind some_off) nil).

(* The records before answer j of which something was seen, the squares of the answers before it, and V. *)
Definition seen (j : nat) : nat := match j with O => size 0 | S l => size l end.
Definition r (a : R) (j : nat) : R := sumR (seq 0 j) (fun l => a * inverse_square (noises l) / (4 * (INR (size l))^2)).
Definition enough (a : R) (j : nat) (V : R) : Prop := 0 < kap (seen j) (r a j) /\
  (INR (seen j) / kap (seen j) (r a j) + (INR (size j) - INR (seen j))) / (4 * (INR (size j))^2) <= V.

Lemma at_hand_length j : length (at_hand j) = size j.
Proof. apply firstn_length_le. generalize (size_range j). lia. Qed.

Lemma at_hand_n j : Tails.n (at_hand j) = INR (size j).
Proof. unfold Tails.n. now rewrite at_hand_length. Qed.

Lemma at_hand_some j : at_hand j <> nil.
Proof. intros H. generalize (at_hand_length j) (size_range j). rewrite H. simpl. lia. Qed.

Lemma at_hand_support j D : In D (at_hand j) -> finite D.
Proof. intros H. apply support. rewrite <- (firstn_skipn (size j) Ds). apply in_or_app. now left. Qed.

Lemma size_pos j : 0 < INR (size j).
Proof. apply lt_0_INR, size_range. Qed.

Lemma seen_range j : (0 < seen j <= size j)%nat.
Proof. destruct j as [|j]; simpl; [generalize (size_range 0)|generalize (size_range j) (size_rises j)]; lia. Qed.

Lemma r_S a j : r a (S j) = r a j + a * inverse_square (noises j) / (4 * (INR (size j))^2).
Proof. unfold r. rewrite seq_S, sumR_app. cbn [sumR]. simpl (0 + j)%nat. lra. Qed.

Lemma r_nonneg a j : 1 <= a -> 0 <= r a j.
Proof.
  intros Ha. apply sumR_nonneg. intros l _. assert (Hs := size_pos l).
  assert (0 <= inverse_square (noises l)).
  { generalize (all_proper l). destruct (noises l) as [|s|s k]; simpl; [lra| |]; intros Hp; left; apply Rinv_0_lt_compat;
      assert (0 < s) by (apply Hp || exact Hp); generalize (pow_lt s 2); simpl; auto. }
  apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. left. apply Rinv_0_lt_compat. generalize (pow_lt (INR (size l)) 2 Hs). lra.
Qed.

Lemma enough_pos a j V : enough a j V -> 0 < V.
Proof.
  intros (Hk & HV). assert (Hs := size_pos j). assert (Hr := seen_range j). eapply Rlt_le_trans; [|exact HV].
  apply Rdiv_lt_0_compat; [|generalize (pow_lt _ 2 Hs); lra].
  assert (0 < INR (seen j)) by (apply lt_0_INR; lia). assert (INR (seen j) <= INR (size j)) by (apply le_INR; lia).
  assert (0 < INR (seen j) / kap (seen j) (r a j)) by now apply Rdiv_lt_0_compat. lra.
Qed.

(* One answer, whatever was seen. *)
Notation prior a j := (staged x0 (at_hand j) (seen j) (r a j)).

Lemma narrow a j V : enough a j V -> forall lam q t, prior a j lam ->
  prodE (at_hand j) (fun S => lam S * exp (t * (emp (at_hand j) q S - centre (at_hand j) lam q))) <=
    exp (V * t^2 / 2) * prodE (at_hand j) lam.
Proof.
  intros (Hk & HV) lam q t Hl.
  apply (later_rows x0 (at_hand j) (at_hand_some j) (at_hand_support j) (seen j)) with (r := r a j); auto.
  - rewrite at_hand_length. apply seen_range.
  - now rewrite at_hand_n.
Qed.

Lemma one_step a j V : 1 <= a -> noisy (noises j) -> enough a j V ->
  step_from x0 (at_hand j) (prior a j) a (r a (S j)) (psi j) (price a V (noises j)).
Proof.
  intros Ha Hv He. rewrite r_S, <- at_hand_n.
  refine (noise_step_from x0 (at_hand j) (prior a j) a (r a j) V (noises j) (at_hand_some j) (at_hand_support j) Ha
    (enough_pos a j V He) Hv _ (narrow a j V He)).
  intros lam. apply staged_class.
Qed.

(* Rows that come. *)
Lemma E_first (L : list (law X)) m g : (forall D, In D L -> finite D) -> (0 < m <= length L)%nat ->
  prodE L (fun S => g (firstn m S)) = prodE (firstn m L) g.
Proof.
  intros HL Hm. rewrite (E_split L HL m Hm _ g (fun _ => 1)) by (intros; ring).
  rewrite (mean_one (prodE (skipn m L))). ring.
Qed.

Lemma first_first l S : firstn (size l) (firstn (size (Datatypes.S l)) S) = first l (S : list X).
Proof. rewrite firstn_firstn. f_equal. generalize (size_rises l). lia. Qed.

Lemma first_at_hand l : firstn (size l) (at_hand (S l)) = at_hand l.
Proof. rewrite firstn_firstn. f_equal. generalize (size_rises l). lia. Qed.

Lemma E_grown l g : prodE (at_hand (S l)) (fun S => g (first l S)) = prodE (at_hand l) g.
Proof.
  rewrite (E_first (at_hand (S l)) (size l)), first_at_hand; auto; [apply at_hand_support|].
  rewrite at_hand_length. generalize (size_range l) (size_rises l). lia.
Qed.

Lemma E_all l g : E (fun S => g (first l S)) = prodE (at_hand l) g.
Proof. apply E_first; auto. Qed.

Lemma grown a l g : 1 <= a -> class x0 (at_hand l) (r a (S l)) g -> prior a (S l) (fun S => g (first l S)).
Proof.
  intros Ha H. apply more_rows; [| |now apply r_nonneg].
  - rewrite at_hand_length. apply size_rises.
  - now rewrite first_at_hand.
Qed.

(* The union over the answers. *)
Lemma rises j s t : Rbar_le s t -> cdf j s <= cdf j t.
Proof. now apply cdf_of_rises. Qed.

Lemma ends j : cdf j m_infty = 0 /\ cdf j p_infty = 1.
Proof. now apply cdf_of_ends. Qed.

Lemma union m : fails m <= sumR (seq 0 m) (fun i => E (hit i nil)).
Proof.
  unfold fails. rewrite <- mean_sum. apply mean_mono. intros S. eapply Rle_trans; [apply (union_v cdf rises ends cuts cuts_sorted)|].
  rewrite nothing_off. lra.
Qed.

(* The conditions for an error eps of answer j, with the records of this answer. *)
Notation certified := (certified noises tau count_above count_below (fun j => at_hand j) enough).

Theorem one_answer j eps : (forall l, (l < j)%nat -> noisy (noises l)) -> certified j eps -> E (hit j nil) <= eps.
Proof.
  refine (one_answer_at_hand x0 Ds support noises all_proper ask cuts cuts_sorted tau count_above count_below
    (fun j => at_hand j) at_hand_some at_hand_support (fun j S => first j S) _ first_first E_grown E_all
    (fun a j => prior a j) r _ _ enough enough_pos narrow _ j eps).
  - intros l S [H|H]; rewrite at_hand_length in *; apply firstn_length_le; rewrite H; [apply size_range|apply size_rises].
  - intros a l g. apply staged_class.
  - intros a. change (staged x0 (at_hand 0) (size 0) 0 (fun S => (fun _ => 1) (firstn (size 0) S))).
    apply more_rows; [|apply class_one|lra]. rewrite at_hand_length. lia.
  - intros a l V q Ha Hv He lam Hc. destruct (one_step a l V Ha Hv He lam q Hc) as (maj & U & GU & H1 & H2 & H3).
    exists maj, U, GU. split; [intros y; exact (grown a l _ Ha (H1 y))|split; auto].
Qed.

(* The joint bound where rows arrive. *)
Theorem arrivals (m : nat) (eps : nat -> R) : (forall l, (S l < m)%nat -> noisy (noises l)) ->
  (forall j, (j < m)%nat -> certified j (eps j)) -> fails m <= sumR (seq 0 m) eps.
Proof.
  intros Hn Hc. eapply Rle_trans; [apply union|]. apply sumR_le. intros j Hj. apply in_seq in Hj.
  apply one_answer; [intros; apply Hn; lia|]. apply Hc. lia.
Qed.

(* The same without a number of answers: "gaussian-open". *)
Theorem endless_arrivals (eps : nat -> R) (beta : R) (m : nat) : 0 <= beta -> (forall j, noisy (noises j)) ->
  (forall j, (j < m)%nat -> certified j (eps j)) -> (forall j, (j < m)%nat -> eps j <= part beta j) -> fails m <= beta.
Proof.
  intros Hb Hn Hc Hp. eapply Rle_trans; [apply (arrivals m eps); auto|].
  eapply Rle_trans; [apply sumR_le|now apply (parts_below beta m)]. intros j Hj. apply in_seq in Hj. apply Hp. lia.
Qed.

End Arrivals.
