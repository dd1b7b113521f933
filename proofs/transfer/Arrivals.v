(* docs/theorems/open.md, "Rows that arrive in stages": the joint bound where answer j is about the first n_j records. *)

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

(* The mean that is asked for at a node; what is off, with the truth of these records. *)
Definition mean_at (v : list cell) (S : list X) : R := emp (at_hand (length v)) (ask v) (first (length v) S).
Definition off (v : list cell) (c : cell) : Prop :=
  Rounded.off (at_hand (length v)) ask tau count_above count_below v c.
Definition some_off (u : list cell) : Prop := exists later c v, u = later ++ c :: v /\ off v c.

Fixpoint chance (k : nat) (event : list cell -> R) (v : list cell) (S : list X) : R :=
  match k with
  | O => event v
  | Datatypes.S k => sumR (shown v) (fun c => mass cdf (length v) (mean_at v S) c * chance k event (c :: v) S)
  end.
Definition fails (m : nat) : R := E (chance m (ind some_off) nil).

(* The answer after k more is off. *)
Definition hit_at (v : list cell) : list X -> R :=
  Rounded.hit (at_hand (length v)) cdf ask cuts tau count_above count_below 0 v.
Fixpoint hit (k : nat) (v : list cell) (S : list X) : R :=
  match k with
  | O => hit_at v (first (length v) S)
  | Datatypes.S k => sumR (shown v) (fun c => mass cdf (length v) (mean_at v S) c * hit k (c :: v) S)
  end.

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

(* A likelihood, and its majorants at two orders. *)
Definition likelihood (a b : R) (l : nat) (lam la lb : list X -> R) : Prop :=
  prior a l la /\ prior b l lb /\ forall S, length S = size l ->
    0 <= lam S /\ lam S <= Rpower (la S) (/ a) /\ lam S <= Rpower (lb S) (/ b).

Section Composition.
Variables a b : R.
Hypothesis a_1 : 1 <= a.
Hypothesis b_1 : 1 <= b.
Variable j : nat.
Hypothesis all_noisy : forall l, (l < j)%nat -> noisy (noises l).
Variables Va Vb : nat -> R.
Hypothesis enough_a : forall l, (l < j)%nat -> enough a l (Va l).
Hypothesis enough_b : forall l, (l < j)%nat -> enough b l (Vb l).
Notation Ca := (fun l => price a (Va l) (noises l)).
Notation Cb := (fun l => price b (Vb l) (noises l)).
Variables A B : R.
Hypothesis A_nonneg : 0 <= A.
Hypothesis B_nonneg : 0 <= B.
Hypothesis last : forall v lam la lb, length v = j -> likelihood a b j lam la lb ->
  prodE (at_hand j) (fun S => lam S * hit_at v S) <=
    A * Rpower (prodE (at_hand j) la) (/ a) + B * Rpower (prodE (at_hand j) lb) (/ b).

Lemma costs_a l : (l < j)%nat -> 0 <= Ca l.
Proof. intros H. apply price_nonneg; auto. eapply enough_pos, enough_a, H. Qed.

Lemma costs_b l : (l < j)%nat -> 0 <= Cb l.
Proof. intros H. apply price_nonneg; auto. eapply enough_pos, enough_b, H. Qed.

Lemma composed k : forall l v lam la lb, (l + k = j)%nat -> length v = l -> likelihood a b l lam la lb ->
  E (fun S => lam (first l S) * hit k v S) <=
    A * product Ca l k * Rpower (prodE (at_hand l) la) (/ a) + B * product Cb l k * Rpower (prodE (at_hand l) lb) (/ b).
Proof.
  induction k as [|k IH]; intros l v lam la lb Hj Hv Hl.
  - replace l with j in * by lia. cbn [product hit]. rewrite !Rmult_1_r.
    rewrite (mean_ext E _ (fun S => lam (first j S) * hit_at v (first j S))) by (intros; now rewrite Hv).
    eapply Rle_trans; [right; exact (E_all j (fun s => lam s * hit_at v s))|]. now apply last.
  - assert (Hlj : (l < j)%nat) by lia. destruct Hl as (Hca & Hcb & Hlam).
    destruct (one_step a l (Va l) a_1 (all_noisy l Hlj) (enough_a l Hlj) la (ask v) Hca) as (ma & Ua & GUa & Ma & Pa & UUa & Ia & Ta).
    destruct (one_step b l (Vb l) b_1 (all_noisy l Hlj) (enough_b l Hlj) lb (ask v) Hcb) as (mb & Ub & GUb & Mb & Pb & UUb & Ib & Tb).
    set (A' := A * product Ca (S l) k). set (B' := B * product Cb (S l) k).
    assert (HA' : 0 <= A') by (apply Rmult_le_pos; auto; apply product_nonneg; intros; apply costs_a; lia).
    assert (HB' : 0 <= B') by (apply Rmult_le_pos; auto; apply product_nonneg; intros; apply costs_b; lia).
    set (G := fun t => A' * GUa t + B' * GUb t).
    assert (IG : integral (fun y => A' * Ua y + B' * Ub y) G) by (apply int_plus; now apply int_scal).
    apply Rle_trans with (all G).
    2:{ unfold G, over in *. cbn [product].
        replace (A * (Ca l * product Ca (S l) k) * Rpower (prodE (at_hand l) la) (/ a) +
          B * (Cb l * product Cb (S l) k) * Rpower (prodE (at_hand l) lb) (/ b))
          with (A' * (Ca l * Rpower (prodE (at_hand l) la) (/ a)) + B' * (Cb l * Rpower (prodE (at_hand l) lb) (/ b)))
          by (unfold A', B'; ring).
        assert (A' * (GUa p_infty - GUa m_infty) <= A' * (Ca l * Rpower (prodE (at_hand l) la) (/ a))) by now apply Rmult_le_compat_l.
        assert (B' * (GUb p_infty - GUb m_infty) <= B' * (Cb l * Rpower (prodE (at_hand l) lb) (/ b))) by now apply Rmult_le_compat_l.
        lra. }
    rewrite <- (cells_total G m_infty (cuts v)).
    apply Rle_trans with (sumR (shown v) (fun c =>
      over (fun t => E (fun S => lam (first l S) * hit k (c :: v) S * cdf l (shift (mean_at v S) t))) (fst c) (snd c))).
    + right. transitivity (E (fun S => sumR (shown v) (fun c =>
        lam (first l S) * hit k (c :: v) S * mass cdf l (mean_at v S) c))).
      { apply mean_ext. intros S. cbn [hit]. rewrite <- sumR_scal, Hv. apply sumR_ext. intros; ring. }
      rewrite mean_sum. apply sumR_ext. intros c _. unfold mass, over.
      rewrite (mean_ext E _ (fun S => lam (first l S) * hit k (c :: v) S * cdf l (shift (mean_at v S) (snd c)) +
        (-1) * (lam (first l S) * hit k (c :: v) S * cdf l (shift (mean_at v S) (fst c))))) by (intros; ring).
      rewrite mean_plus, mean_scal. ring.
    + apply sumR_le. intros c Hc.
      apply (int_le (fun y => E (fun S => lam (first l S) * hit k (c :: v) S * psi l (y - mean_at v S))) _
        (fun y => A' * Ua y + B' * Ub y) G).
      * apply (E_int Ds support (fun S => lam (first l S) * hit k (c :: v) S) (fun S y => psi l (y - mean_at v S))
          (fun S t => cdf l (shift (mean_at v S) t))). intros S _. apply (int_shift (mean_at v S) (psi l)). apply noise_int. auto.
      * exact IG.
      * now apply (cells_order m_infty (cuts v)).
      * intros y _ _.
        set (w := fun s => lam (first l s) * psi l (y - emp (at_hand l) (ask v) (first l s))).
        rewrite (mean_ext E _ (fun S => w (first (Datatypes.S l) S) * hit k (c :: v) S)).
        2:{ intros S. unfold w. rewrite first_first. unfold mean_at. rewrite Hv. ring. }
        eapply Rle_trans; [apply (IH (S l) (c :: v) w (fun S => la (first l S) * ma y (first l S))
          (fun S => lb (first l S) * mb y (first l S)))|].
        -- lia.
        -- simpl. lia.
        -- split; [|split].
           ++ exact (grown a l _ a_1 (Ma y)).
           ++ exact (grown b l _ b_1 (Mb y)).
           ++ intros S HS. unfold w. set (s := first l S). assert (Hs : length s = length (at_hand l)).
              { rewrite at_hand_length. apply firstn_length_le. rewrite HS. apply size_rises. }
              assert (Hs' : length s = size l) by (now rewrite Hs, at_hand_length).
              destruct (Hlam s Hs') as (H0 & H1 & H2).
              assert (Hp := density_of_nonneg (noises l) (y - emp (at_hand l) (ask v) s) (all_proper l)).
              specialize (Pa y s Hs). specialize (Pb y s Hs).
              assert (Hpos : forall r' g m, class x0 (at_hand l) r' (fun S => g S * m S) -> 0 < g s -> 0 < m s).
              { intros r' g m Hm Hg. assert (H3 := class_pos x0 _ r' _ s Hm Hs). cbv beta in H3.
                apply Rmult_lt_reg_l with (g s); auto. now rewrite Rmult_0_r. }
              assert (La := class_pos x0 _ _ la s (staged_class _ _ _ _ _ Hca) Hs).
              assert (Lb := class_pos x0 _ _ lb s (staged_class _ _ _ _ _ Hcb) Hs).
              rewrite <- !Rpower_mult_distr by
                (auto; try exact (Hpos _ la (ma y) (Ma y) La); try exact (Hpos _ lb (mb y) (Mb y) Lb)).
              repeat split; try apply Rmult_le_compat; auto; now apply Rmult_le_pos.
        -- assert (Ea := E_grown l (fun s => la s * ma y s)). assert (Eb := E_grown l (fun s => lb s * mb y s)).
           cbv beta in Ea, Eb. rewrite Ea, Eb. fold A' B'.
           apply Rplus_le_compat; apply Rmult_le_compat_l; auto.
Qed.

Theorem composition : E (hit j nil) <= A * product Ca 0 j + B * product Cb 0 j.
Proof.
  assert (H := composed j 0 nil (fun _ => 1) (fun _ => 1) (fun _ => 1) (Nat.add_0_l j) eq_refl).
  rewrite mean_one in H. assert (R1 : forall c, Rpower 1 c = 1).
  { intros c. unfold Rpower. now rewrite ln_1, Rmult_0_r, exp_0. }
  rewrite !R1, !Rmult_1_r in H.
  rewrite (mean_ext E _ (fun S => 1 * hit j nil S)) by (intros; ring). apply H.
  assert (H1 : forall c, prior c 0 (fun _ => 1)).
  { intros c. change (staged x0 (at_hand 0) (size 0) 0 (fun S => (fun _ => 1) (firstn (size 0) S))). apply more_rows; [|apply class_one|lra].
    rewrite at_hand_length. lia. }
  split; [apply H1|split; [apply H1|]]. intros S _. rewrite !R1. lra.
Qed.
End Composition.

(* The union over the answers. *)
Lemma rises j s t : Rbar_le s t -> cdf j s <= cdf j t.
Proof. now apply cdf_of_rises. Qed.

Lemma ends j : cdf j m_infty = 0 /\ cdf j p_infty = 1.
Proof. now apply cdf_of_ends. Qed.

Lemma off_cons v c : some_off (c :: v) -> off v c \/ some_off v.
Proof.
  intros (later & c' & v' & H & Hb). destruct later as [|x later]; simpl in H; injection H as -> H.
  - subst. now left.
  - right. now exists later, c', v'.
Qed.

Lemma nothing_off : ind some_off nil = 0.
Proof.
  unfold ind. destruct (ClassicalDescription.excluded_middle_informative (some_off nil)) as [(l & c & v & H & _)|H]; auto.
  now destruct l.
Qed.

Lemma hit_0 v S : hit 0 v S = sumR (shown v) (fun c => mass cdf (length v) (mean_at v S) c * ind (off v) c).
Proof. reflexivity. Qed.

Lemma union_v k v S : chance k (ind some_off) v S <= ind some_off v + sumR (seq 0 k) (fun i => hit i v S).
Proof.
  revert v. induction k as [|k IH]; intros v; [simpl; lra|]. rewrite sumR_seq_S, hit_0. cbn [chance].
  set (p := mass cdf (length v) (mean_at v S)).
  assert (Hp : forall c, In c (shown v) -> 0 <= p c) by (intros; now apply (mass_nonneg cdf rises cuts cuts_sorted _ _ v)).
  apply Rle_trans with (sumR (shown v) (fun c => ind some_off v * p c + p c * ind (off v) c +
    p c * sumR (seq 0 k) (fun i => hit i (c :: v) S))).
  - apply sumR_le. intros c Hc. specialize (Hp c Hc).
    replace (ind some_off v * p c + p c * ind (off v) c + p c * sumR (seq 0 k) (fun i => hit i (c :: v) S)) with
      (p c * (ind some_off v + ind (off v) c + sumR (seq 0 k) (fun i => hit i (c :: v) S))) by ring.
    apply Rmult_le_compat_l; auto. eapply Rle_trans; [apply IH|]. apply Rplus_le_compat_r. unfold ind.
    destruct (ClassicalDescription.excluded_middle_informative (some_off (c :: v))) as [Ho|Ho],
      (ClassicalDescription.excluded_middle_informative (some_off v)),
      (ClassicalDescription.excluded_middle_informative (off v c)); try lra.
    apply off_cons in Ho. tauto.
  - rewrite !sumR_plus, sumR_scal. unfold p at 1. rewrite (mass_total cdf ends cuts).
    rewrite Rmult_1_r, Rplus_assoc. right. f_equal. f_equal.
    change (fun i => hit (Datatypes.S i) v S) with (fun i => sumR (shown v) (fun c => p c * hit i (c :: v) S)).
    rewrite sumR_swap. apply sumR_ext. intros c _. now rewrite sumR_scal.
Qed.

Lemma union m : fails m <= sumR (seq 0 m) (fun i => E (hit i nil)).
Proof.
  unfold fails. rewrite <- mean_sum. apply mean_mono. intros S. eapply Rle_trans; [apply union_v|].
  rewrite nothing_off. lra.
Qed.

(* What certifies eps for answer j: as in [Joint.certified], with the records of this answer. *)
Notation both := (both count_above count_below).
Inductive certified (j : nat) (eps : R) : Prop :=
| at_first M : j = 0%nat -> moment (at_hand 0) (noises 0) (tau 0) 1 M -> both M <= eps -> certified j eps
| alike a M V : 1 < a -> moment (at_hand j) (noises j) (tau j) (a / (a - 1)) M ->
    (forall l, (l < j)%nat -> enough a l (V l)) ->
    both (Rpower M (1 - / a) * product (fun l => price a (V l) (noises l)) 0 j) <= eps -> certified j eps
| apart a M V V1 c h : 1 < a -> moment (at_hand j) (noises j) (tau j) (a / (a - 1)) M ->
    (forall l, (l < j)%nat -> enough a l (V l)) ->
    line (noises j) c h -> (forall l, (l <= j)%nat -> enough 1 l (V1 l)) ->
    Rpower M (1 - / a) * product (fun l => price a (V l) (noises l)) 0 j +
    T 1 (V1 j) c h (tau j) * product (fun l => price 1 (V1 l) (noises l)) 0 j <= eps -> certified j eps.

Section OneAnswer.
Variable j : nat.
Notation up v := (fun S => tail (noises j) (tau j - over_truth (at_hand j) (ask v) S)).
Notation down v := (fun S => tail (noises j) (tau j - over_truth (at_hand j) (flip (ask v)) S)).

Lemma split_sides v lam : length v = j -> (forall S, length S = size j -> 0 <= lam S) ->
  prodE (at_hand j) (fun S => lam S * hit_at v S) <=
    (if count_above then prodE (at_hand j) (fun S => lam S * up v S) else 0) +
    (if count_below then prodE (at_hand j) (fun S => lam S * down v S) else 0).
Proof.
  intros Hv Hl. apply Rle_trans with (prodE (at_hand j) (fun S =>
    (if count_above then lam S * up v S else 0) + (if count_below then lam S * down v S else 0))).
  - apply (E_le (at_hand j) (at_hand_support j)). intros S HS.
    assert (H := two_sides (at_hand j) (at_hand_some j) noises all_proper ask cuts cuts_sorted tau count_above
      count_below v S HS).
    unfold hit_at. rewrite Hv in H |- *. rewrite at_hand_length in HS.
    eapply Rle_trans; [apply Rmult_le_compat_l; [now apply Hl|exact H]|].
    right. destruct count_above, count_below; ring.
  - rewrite mean_plus. right. f_equal; [destruct count_above|destruct count_below]; auto; apply mean_const.
Qed.

Theorem one_answer eps : (forall l, (l < j)%nat -> noisy (noises l)) -> certified j eps -> E (hit j nil) <= eps.
Proof.
  intros Hnoisy H. destruct H as [M Hj HM He|a M V Ha HM HV He|a M V V1 c h Ha HM HV Hl HV1 He].
  - eapply Rle_trans; [|exact He]. assert (HS := split_sides nil (fun _ => 1) (eq_sym Hj) ltac:(intros; lra)).
    assert (E0 : E (hit j nil) = prodE (at_hand j) (fun S => 1 * hit_at nil S)).
    { rewrite Hj. rewrite <- (E_all 0 (fun S => 1 * hit_at nil S)). apply mean_ext. intros S. cbn [hit length]. ring. }
    rewrite E0. eapply Rle_trans; [exact HS|]. rewrite Hj. destruct HM as (HM & Hq).
    assert (Hone : forall q, prodE (at_hand 0) (fun S => 1 * tail (noises 0) (tau 0%nat - over_truth (at_hand 0) q S)) <= M).
    { intros q. eapply Rle_trans; [|apply (Hq q)]. apply mean_mono. intros S.
      assert (H0 := tail_nonneg (noises 0) (tau 0%nat - over_truth (at_hand 0) q S) (all_proper 0)). unfold power.
      destruct (Rlt_dec _ _); [rewrite Rpower_1 by auto|]; lra. }
    assert (H1 := Hone (ask nil)). assert (H2 := Hone (flip (ask nil))).
    unfold Joint.both. destruct count_above, count_below; lra.
  - eapply Rle_trans; [|exact He]. assert (HMp := Rpower_pos M (1 - / a)).
    eapply Rle_trans; [apply (composition a a) with (Va := V) (Vb := V) (A := both (Rpower M (1 - / a))) (B := 0); auto; try lra;
      try (unfold Joint.both; destruct count_above, count_below; lra)|].
    2:{ unfold Joint.both. destruct count_above, count_below; lra. }
    intros v lam la lb Hv (Hca & _ & Hl).
    eapply Rle_trans; [apply (split_sides v lam Hv); intros S HS; apply (Hl S HS)|].
    assert (Hone : forall q, prodE (at_hand j) (fun S => lam S * tail (noises j) (tau j - over_truth (at_hand j) q S)) <=
      Rpower M (1 - / a) * Rpower (prodE (at_hand j) la) (/ a)).
    { intros q. apply (one_side x0 (at_hand j) (at_hand_support j) a M lam la (r a j)); auto.
      - now apply staged_class in Hca.
      - intros S HS. rewrite at_hand_length in HS. generalize (Hl S HS). lra. }
    assert (H1 := Hone (ask v)). assert (H2 := Hone (flip (ask v))).
    assert (0 <= Rpower M (1 - / a) * Rpower (prodE (at_hand j) la) (/ a)) by (apply Rmult_le_pos; left; apply Rpower_pos).
    unfold Joint.both. destruct count_above, count_below; lra.
  - eapply Rle_trans; [|exact He]. assert (HMp := Rpower_pos M (1 - / a)).
    destruct (line_above _ _ _ (all_proper j) Hl) as (Hc0 & _).
    assert (HT : 0 < T 1 (V1 j) c h (tau j)) by (apply Rmult_lt_0_compat; [apply Rpower_pos|apply exp_pos]).
    apply (composition a 1) with (Va := V) (Vb := V1); auto; try lra.
    { intros l Hlj. apply HV1. lia. }
    intros v lam la lb Hv (Hca & Hcb & Hl0).
    eapply Rle_trans; [apply (split_sides v lam Hv); intros S HS; apply (Hl0 S HS)|].
    assert (Cb := staged_class _ _ _ _ _ Hcb). assert (Ca := staged_class _ _ _ _ _ Hca).
    assert (HEb := class_E_pos x0 (at_hand j) (at_hand_support j) _ lb Cb).
    rewrite Rinv_1, (Rpower_1 (prodE (at_hand j) lb)) by auto.
    assert (Hone : forall q, prodE (at_hand j) (fun S => lam S * tail (noises j) (tau j - over_truth (at_hand j) q S)) <=
      Rpower M (1 - / a) * Rpower (prodE (at_hand j) la) (/ a)).
    { intros q. apply (one_side x0 (at_hand j) (at_hand_support j) a M lam la (r a j)); auto.
      intros S HS. rewrite at_hand_length in HS. generalize (Hl0 S HS). lra. }
    assert (H1 := Hone (ask v)). assert (H2 := Hone (flip (ask v))).
    assert (0 <= Rpower M (1 - / a) * Rpower (prodE (at_hand j) la) (/ a)) by (apply Rmult_le_pos; left; apply Rpower_pos).
    assert (0 <= T 1 (V1 j) c h (tau j) * prodE (at_hand j) lb) by (apply Rmult_le_pos; lra).
    assert (Hnarrow := narrow 1 j (V1 j) (HV1 j (Nat.le_refl j)) lb).
    destruct (less_likely x0 (at_hand j) (at_hand_some j) (at_hand_support j) (r 1 j) c h (V1 j * h^2 / 2) lam lb (noises j)
      (ask v) Cb (all_proper j) Hl) with (t := tau j) as [Ho|Ho].
    + intros g Hg. assert (Hn := Hnarrow (ask v) (h * g) Hcb). replace ((h * g)^2) with (g * g * h^2) in Hn by ring.
      now rewrite Hg, Rmult_1_l in Hn.
    + intros S HS. assert (HS' := HS). rewrite at_hand_length in HS'. destruct (Hl0 S HS') as (H3 & H4 & H5).
      rewrite Rinv_1, Rpower_1 in H5 by (now apply (class_pos x0 (at_hand j) (r 1 j))). lra.
    + assert (ET : c * exp (V1 j * h^2 / 2 - h * tau j) = T 1 (V1 j) c h (tau j)).
      { unfold T. rewrite Rpower_1, !Rmult_1_l by auto. reflexivity. }
      rewrite ET in Ho. destruct count_above, count_below; lra.
    + assert (ET : c * exp (V1 j * h^2 / 2 - h * tau j) = T 1 (V1 j) c h (tau j)).
      { unfold T. rewrite Rpower_1, !Rmult_1_l by auto. reflexivity. }
      rewrite ET in Ho. destruct count_above, count_below; lra.
Qed.
End OneAnswer.

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
