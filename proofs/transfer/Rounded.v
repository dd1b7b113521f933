(* docs/theorems/transfer.md, "Joint bound": noisy answers of which cells are shown, and how a bound for one answer
   becomes one for all.

   The answer to the query asked at a node v is f(S) plus noise; what is shown of it is the one of finitely many
   intervals that it is in. The cuts may depend on what was shown before. A node is the list of the cells shown so far,
   the latest first.

   cdf j, psi j  the distribution function of the noise of answer j, and its density
   a, b          two orders; A and B are the bounds at these
   prior a j     what is asked at the order a of the likelihood of the first j answers
   Ca j, Cb j    the price of answer j, at a and at b *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Kappa Variance Line Normal Posterior.
Import ListNotations.
Open Scope R_scope.

Definition cell := (Rbar * Rbar)%type.

(* The cells between the ends of the line that a list of cuts makes. *)
Fixpoint cells (lo : Rbar) (cuts : list R) : list cell :=
  match cuts with nil => [(lo, p_infty)] | t :: cuts => (lo, Finite t) :: cells t cuts end.
Fixpoint sorted (lo : Rbar) (cuts : list R) : Prop :=
  match cuts with nil => True | t :: cuts => Rbar_le lo t /\ sorted t cuts end.

Lemma cells_order lo cuts c : sorted lo cuts -> In c (cells lo cuts) -> Rbar_le (fst c) (snd c).
Proof.
  revert lo. induction cuts as [|t cuts IH]; intros lo Hs Hc.
  - destruct Hc as [<-|[]]. simpl. destruct lo; simpl; auto.
  - destruct Hs as [Hl Hs], Hc as [<-|Hc]; [exact Hl|]. eapply IH; eauto.
Qed.

Lemma cells_total (H : Rbar -> R) lo cuts : sumR (cells lo cuts) (fun c => over H (fst c) (snd c)) = over H lo p_infty.
Proof.
  revert lo. induction cuts as [|t cuts IH]; intros lo; cbn [cells sumR fst snd].
  - lra.
  - rewrite IH. unfold over. lra.
Qed.

(* The cells above a point, and those below one. *)
Lemma cells_above (H : Rbar -> R) lo cuts (T : R) : (forall s t, Rbar_le s t -> H s <= H t) -> sorted lo cuts ->
  sumR (cells lo cuts) (fun c => over H (fst c) (snd c) * ind (fun c : cell => Rbar_le T (fst c)) c) <= over H T
    p_infty.
Proof.
  intros Hm. revert lo.
  assert (Hall : forall lo cuts, sorted lo cuts ->
    sumR (cells lo cuts) (fun c => over H (fst c) (snd c) * ind (fun c : cell => Rbar_le T (fst c)) c) <= over H lo
      p_infty).
  { intros lo cs Hs. rewrite <- (cells_total H lo cs). apply sumR_le. intros c Hc.
    assert (Ho := Hm _ _ (cells_order lo cs c Hs Hc)). unfold over, ind.
    destruct (ClassicalDescription.excluded_middle_informative _); lra. }
  induction cuts as [|t cuts IH]; intros lo Hs.
  - destruct (Rbar_le_lt_dec T lo) as [Hl|Hl].
    + eapply Rle_trans; [now apply Hall|]. unfold over. specialize (Hm _ _ Hl). lra.
    + cbn [cells sumR fst snd]. unfold ind. destruct (ClassicalDescription.excluded_middle_informative _) as [Hx|Hx].
      * now apply Rbar_lt_not_le in Hl.
      * assert (H T <= H p_infty) by (apply Hm; exact Logic.I). unfold over. lra.
  - destruct (Rbar_le_lt_dec T lo) as [Hl|Hl].
    + eapply Rle_trans; [now apply Hall|]. unfold over. specialize (Hm _ _ Hl). lra.
    + destruct Hs as [_ Hs]. cbn [cells sumR fst snd]. unfold ind at 1.
      destruct (ClassicalDescription.excluded_middle_informative _) as [Hx|Hx].
      * now apply Rbar_lt_not_le in Hl.
      * specialize (IH t Hs). lra.
Qed.

Lemma cells_below (H : Rbar -> R) lo cuts (T : R) : (forall s t, Rbar_le s t -> H s <= H t) -> sorted lo cuts ->
  Rbar_le lo T ->
  sumR (cells lo cuts) (fun c => over H (fst c) (snd c) * ind (fun c : cell => Rbar_le (snd c) T) c) <= over H lo T.
Proof.
  intros Hm. revert lo.
  assert (Hnone : forall cuts lo, sorted lo cuts -> Rbar_lt T lo ->
    sumR (cells lo cuts) (fun c => over H (fst c) (snd c) * ind (fun c : cell => Rbar_le (snd c) T) c) = 0).
  { induction cuts0 as [|t cs IH]; intros lo Hs Hl; cbn [cells sumR fst snd].
    - unfold ind. destruct (ClassicalDescription.excluded_middle_informative _) as [Hx|Hx]; [simpl in Hx; tauto|lra].
    - destruct Hs as [H1 Hs]. assert (H2 : Rbar_lt T t) by (eapply Rbar_lt_le_trans; eauto). rewrite IH by auto.
      unfold ind. destruct (ClassicalDescription.excluded_middle_informative _) as [Hx|Hx]; [|lra].
      now apply Rbar_lt_not_le in H2. }
  induction cuts as [|t cuts IH]; intros lo Hs Hl; cbn [cells sumR fst snd].
  - unfold ind. destruct (ClassicalDescription.excluded_middle_informative _) as [Hx|Hx]; [simpl in Hx; tauto|].
    specialize (Hm _ _ Hl). unfold over. lra.
  - destruct Hs as [H1 Hs]. unfold ind at 1. destruct (ClassicalDescription.excluded_middle_informative _) as [Hx|Hx].
    + specialize (IH t Hs Hx). unfold over in *. lra.
    + rewrite Hnone by (auto; now apply Rbar_not_le_lt). specialize (Hm _ _ Hl). unfold over. lra.
Qed.

(* An answer is f(S) plus noise. *)
Definition shift (F : R) (t : Rbar) : Rbar :=
  match t with Finite y => Finite (y - F) | p_infty => p_infty | m_infty => m_infty end.

Lemma shift_order F s t : Rbar_le s t -> Rbar_le (shift F s) (shift F t).
Proof. destruct s, t; simpl; auto. lra. Qed.

Lemma int_shift F g G : integral g G -> integral (fun y => g (y - F)) (fun t => G (shift F t)).
Proof.
  intros H. apply (int_ext (fun y => g ((y - F) / 1) / 1)).
  { intros y. now replace ((y - F) / 1) with (y - F) by field; field. }
  apply (int_same _ (fun t => G (rescaled F 1 t))).
  { intros [y| |]; simpl; auto. f_equal. f_equal. field. }
  apply int_rescale; auto. lra.
Qed.

(* The cells of answers, each a mean of the sample plus noise. *)
Section Shown.
Context {X : Type}.

(* The noise of answer j: P[noise <= t]. *)
Variable cdf : nat -> Rbar -> R.
Hypothesis cdf_rises : forall j s t, Rbar_le s t -> cdf j s <= cdf j t.
Hypothesis cdf_ends : forall j, cdf j m_infty = 0 /\ cdf j p_infty = 1.

(* At the node v: the cuts between the cells, the mean of the sample, and the cells that are off. *)
Variable cuts : list cell -> list R.
Hypothesis cuts_sorted : forall v, sorted m_infty (cuts v).
Variable mean_at : list cell -> list X -> R.
Variable off : list cell -> cell -> Prop.
Notation shown v := (cells m_infty (cuts v)).

Definition mass (j : nat) (F : R) (c : cell) : R := over (fun t => cdf j (shift F t)) (fst c) (snd c).

(* The mean of a function of what is shown at the end of k answers more, given the sample. *)
Fixpoint chance (k : nat) (event : list cell -> R) (v : list cell) (S : list X) : R :=
  match k with
  | O => event v
  | Datatypes.S k => sumR (shown v) (fun c => mass (length v) (mean_at v S) c * chance k event (c :: v) S)
  end.

Definition some_off (u : list cell) : Prop := exists later c v, u = later ++ c :: v /\ off v c.

(* The answer after k more is off. *)
Definition hit (k : nat) (v : list cell) (S : list X) : R :=
  chance k (fun u => sumR (shown u) (fun c => mass (length u) (mean_at u S) c * ind (off u) c)) v S.

Lemma mass_nonneg j F v c : In c (shown v) -> 0 <= mass j F c.
Proof.
  intros Hc. assert (Ho := cells_order _ _ _ (cuts_sorted v) Hc). unfold mass, over.
  assert (H := cdf_rises j _ _ (shift_order F _ _ Ho)). lra.
Qed.

Lemma mass_total j F v : sumR (shown v) (mass j F) = 1.
Proof.
  unfold mass. rewrite (cells_total (fun t => cdf j (shift F t))). unfold over. simpl.
  destruct (cdf_ends j) as [-> ->]. ring.
Qed.

Lemma chance_nonneg k event v S : (forall u, 0 <= event u) -> 0 <= chance k event v S.
Proof.
  intros H. revert v. induction k as [|k IH]; intros v; simpl; auto.
  apply sumR_nonneg. intros c Hc. apply Rmult_le_pos; auto. now apply (mass_nonneg _ _ v).
Qed.

Lemma hit_nonneg k v S : 0 <= hit k v S.
Proof.
  apply chance_nonneg. intros u. apply sumR_nonneg. intros c Hc. apply Rmult_le_pos; [|apply ind_range].
  now apply (mass_nonneg _ _ u).
Qed.

Lemma hit_S k v S : hit (Datatypes.S k) v S = sumR (shown v) (fun c => mass (length v) (mean_at v S) c * hit k (c ::
  v) S).
Proof. reflexivity. Qed.

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

(* One answer more, of what is a sum after it. *)
Lemma one_more v S (F G : list cell -> R) : (forall c, F (c :: v) <= ind some_off (c :: v) + G (c :: v)) ->
  sumR (shown v) (fun c => mass (length v) (mean_at v S) c * F (c :: v)) <=
    ind some_off v + hit 0 v S + sumR (shown v) (fun c => mass (length v) (mean_at v S) c * G (c :: v)).
Proof.
  intros H. unfold hit. cbn [chance]. set (p := mass (length v) (mean_at v S)).
  apply Rle_trans with (sumR (shown v) (fun c => ind some_off v * p c + p c * ind (off v) c + p c * G (c :: v))).
  - apply sumR_le. intros c Hc. assert (Hp : 0 <= p c) by now apply (mass_nonneg _ _ v).
    replace (ind some_off v * p c + p c * ind (off v) c + p c * G (c :: v)) with
      (p c * (ind some_off v + ind (off v) c + G (c :: v))) by ring.
    apply Rmult_le_compat_l; auto. eapply Rle_trans; [apply H|]. apply Rplus_le_compat_r. unfold ind.
    destruct (ClassicalDescription.excluded_middle_informative (some_off (c :: v))) as [Ho|Ho],
      (ClassicalDescription.excluded_middle_informative (some_off v)),
      (ClassicalDescription.excluded_middle_informative (off v c)); try lra.
    apply off_cons in Ho. tauto.
  - rewrite !sumR_plus, sumR_scal. unfold p at 1. rewrite mass_total. lra.
Qed.

(* The union over the answers. *)
Lemma union_v k v S : chance k (ind some_off) v S <= ind some_off v + sumR (seq 0 k) (fun i => hit i v S).
Proof.
  revert v. induction k as [|k IH]; intros v; [simpl; lra|]. rewrite sumR_seq_S. cbn [chance].
  eapply Rle_trans; [apply (one_more v S (fun u => chance k (ind some_off) u S)
    (fun u => sumR (seq 0 k) (fun i => hit i u S))); intros c; apply IH|].
  right. rewrite Rplus_assoc. f_equal. f_equal.
  change (fun i => hit (Datatypes.S i) v S) with
    (fun i => sumR (shown v) (fun c => mass (length v) (mean_at v S) c * hit i (c :: v) S)).
  rewrite sumR_swap. apply sumR_ext. intros c _. now rewrite sumR_scal.
Qed.

End Shown.

Section Rounded.
Context {X : Type}.
Variable x0 : X.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Hypothesis support : forall D, In D Ds -> finite D.
Notation E := (prodE Ds).
Notation n := (Tails.n Ds).
Notation emp := (emp Ds).
Notation pop := (pop Ds).
Notation rows := (length Ds).
Notation class := (class x0 Ds).

(* The noise, and the analyst: any functions of what was shown. *)
Variable cdf : nat -> Rbar -> R.
Hypothesis cdf_rises : forall j s t, Rbar_le s t -> cdf j s <= cdf j t.
Hypothesis cdf_ends : forall j, cdf j m_infty = 0 /\ cdf j p_infty = 1.
Variable ask : list cell -> query X.
Variable cuts : list cell -> list R.
Hypothesis cuts_sorted : forall v, sorted m_infty (cuts v).
Notation shown v := (cells m_infty (cuts v)).
Notation mass := (mass cdf).
Notation mean_at := (fun v => emp (ask v)).

(* A cell is off: the answer is further than tau from the truth, wherever in its cell it is. *)
Variable tau : nat -> R.
Variables count_above count_below : bool.
Definition above (v : list cell) (c : cell) : Prop := Rbar_le (pop (ask v) + tau (length v)) (fst c).
Definition below (v : list cell) (c : cell) : Prop := Rbar_le (snd c) (pop (ask v) - tau (length v)).
Definition off (v : list cell) (c : cell) : Prop := count_above = true /\ above v c \/ count_below = true /\ below v c.

(* With both sides: wherever in its cell the answer is. *)
Lemma off_everywhere v c : 0 < tau (length v) -> Rbar_le (fst c) (snd c) -> count_above = true -> count_below = true ->
  (off v c <-> forall y : R, Rbar_le (fst c) y -> Rbar_le y (snd c) -> tau (length v) <= Rabs (y - pop (ask v))).
Proof.
  intros Ht Ho Ha Hb. unfold off, above, below. destruct c as [lo hi]. cbn [fst snd] in *. split.
  - intros [[_ H]|[_ H]] y Hlo Hhi.
    + assert (L := Rbar_le_trans _ _ _ H Hlo). simpl in L. rewrite Rabs_pos_eq; lra.
    + assert (L := Rbar_le_trans _ _ _ Hhi H). simpl in L. rewrite Rabs_left; lra.
  - intros H. set (p := pop (ask v)) in *. set (t := tau (length v)) in *.
    destruct (Rbar_le_lt_dec (p + t) lo) as [H1|H1]; [now left|].
    destruct (Rbar_le_lt_dec hi (p - t)) as [H2|H2]; [now right|]. exfalso.
    assert (Hy : exists y : R, Rbar_le lo y /\ Rbar_le y hi /\ p - t < y < p + t).
    { destruct lo as [l| |], hi as [h| |]; simpl in *; try contradiction.
      - exists (Rmax l (Rmin h p)). unfold Rmax, Rmin. destruct (Rle_dec h p), (Rle_dec l _); simpl; lra.
      - exists (Rmax l p). unfold Rmax. destruct (Rle_dec l p); simpl; lra.
      - exists (Rmin h p). unfold Rmin. destruct (Rle_dec h p); simpl; lra.
      - exists p. lra. }
    destruct Hy as (y & Hl & Hh & Hy). specialize (H y Hl Hh). revert H. apply Rlt_not_le, Rabs_def1; lra.
Qed.

Notation some_off := (some_off off).
Notation hit := (hit cdf cuts mean_at off).
Definition fails (m : nat) : R := E (chance cdf cuts mean_at m (ind some_off) nil).

Theorem union m : fails m <= sumR (seq 0 m) (fun i => E (hit i nil)).
Proof.
  unfold fails. rewrite <- mean_sum. apply mean_mono. intros S. eapply Rle_trans; [now apply union_v|].
  rewrite nothing_off. lra.
Qed.

(* The two sides of one answer. *)
Definition upper (v : list cell) (S : list X) : R :=
  if count_above then 1 - cdf (length v) (Finite (pop (ask v) + tau (length v) - emp (ask v) S)) else 0.
Definition lower (v : list cell) (S : list X) : R :=
  if count_below then cdf (length v) (Finite (pop (ask v) - tau (length v) - emp (ask v) S)) else 0.

Lemma sides v S : hit 0 v S <= upper v S + lower v S.
Proof.
  unfold hit. cbn [chance]. set (F := emp (ask v) S). set (j := length v).
  set (H := fun t => cdf j (shift F t)).
  assert (Hm : forall s t, Rbar_le s t -> H s <= H t) by (intros; now apply cdf_rises, shift_order).
  apply Rle_trans with (sumR (shown v) (fun c =>
    (if count_above then over H (fst c) (snd c) * ind (above v) c else 0) +
    (if count_below then over H (fst c) (snd c) * ind (below v) c else 0))).
  - apply sumR_le. intros c Hc. change (mass j F c) with (over H (fst c) (snd c)).
    assert (H0 := mass_nonneg cdf cdf_rises cuts cuts_sorted j F v c Hc). change (mass j F c) with (over H (fst c) (snd c)) in H0.
    unfold ind, off. destruct count_above, count_below;
    destruct (ClassicalDescription.excluded_middle_informative (above v c)),
      (ClassicalDescription.excluded_middle_informative (below v c)),
      (ClassicalDescription.excluded_middle_informative _) as [Ho|Ho]; try lra; exfalso; intuition congruence.
  - rewrite sumR_plus. apply Rplus_le_compat.
    + unfold upper. destruct count_above; [|rewrite sumR_const; lra].
      eapply Rle_trans; [apply (cells_above H m_infty (cuts v) (pop (ask v) + tau j) Hm (cuts_sorted v))|].
      right. unfold over, H. simpl. f_equal; auto. apply cdf_ends.
    + unfold lower. destruct count_below; [|rewrite sumR_const; lra].
      eapply Rle_trans; [apply (cells_below H m_infty (cuts v) (pop (ask v) - tau j) Hm (cuts_sorted v));
        exact Logic.I|].
      right. unfold over, H. cbn [shift]. rewrite (proj1 (cdf_ends j)). unfold j, F. ring.
Qed.

(* What one answer costs at the order a: the a-th power of its density is below functions that stay in the class. *)
Definition step (a r r' : R) (psi : R -> R) (C : R) : Prop :=
  forall (lam : list X -> R) (q : query X),
    class r lam -> exists (maj : R -> list X -> R) (U : R -> R) (GU : Rbar -> R),
    (forall y, class r' (fun S => lam S * maj y S)) /\
    (forall y S, length S = rows -> psi (y - emp q S) <= Rpower (maj y S) (/ a)) /\
    (forall y, Rpower (E (fun S => lam S * maj y S)) (/ a) <= U y) /\
    integral U GU /\ all GU <= C * Rpower (E lam) (/ a).

(* The same of one query and of samples that pass, by what is asked of a likelihood before the answer and after it. *)
Definition step_of (a : R) (before after : (list X -> R) -> Prop) (psi : R -> R) (q : query X) (passes : list X -> Prop)
  (C : R) : Prop :=
  forall lam : list X -> R, before lam -> exists (maj : R -> list X -> R) (U : R -> R) (GU : Rbar -> R),
    (forall y, after (fun S => lam S * maj y S)) /\
    (forall y S, length S = rows -> passes S -> psi (y - emp q S) <= Rpower (maj y S) (/ a)) /\
    (forall y, Rpower (E (fun S => lam S * maj y S)) (/ a) <= U y) /\
    integral U GU /\ all GU <= C * Rpower (E lam) (/ a).

Lemma step_passes a r r' psi q passes C : step a r r' psi C -> step_of a (class r) (class r') psi q passes C.
Proof.
  intros H lam Hc. destruct (H lam q Hc) as (maj & U & GU & H1 & H2 & H3). exists maj, U, GU. split; auto.
Qed.

End Rounded.

Fixpoint product (F : nat -> R) (l k : nat) : R :=
  match k with O => 1 | S k => F l * product F (S l) k end.

Lemma product_nonneg F l k : (forall i, (l <= i < l + k)%nat -> 0 <= F i) -> 0 <= product F l k.
Proof.
  revert l. induction k as [|k IH]; intros l H; simpl; [lra|]. apply Rmult_le_pos; [apply H; lia|]. apply IH.
  intros; apply H; lia.
Qed.

(* How the costs of answers compose. Answer l is about the records at_hand l, which are the first of those of later
   answers: of a sample S they are prefix l S. *)
Section Composition.
Context {X : Type}.
Variable Ds : list (law X).
Hypothesis support : forall D, In D Ds -> finite D.
Notation E := (prodE Ds).
Variable cdf : nat -> Rbar -> R.
Variable ask : list cell -> query X.
Variable cuts : list cell -> list R.
Hypothesis cuts_sorted : forall v, sorted m_infty (cuts v).
Notation shown v := (cells m_infty (cuts v)).
Variable at_hand : nat -> list (law X).
Variable prefix : nat -> list X -> list X.
Hypothesis prefix_length : forall l S, length S = length Ds \/ length S = length (at_hand (Datatypes.S l)) ->
  length (prefix l S) = length (at_hand l).
Hypothesis prefix_prefix : forall l S, prefix l (prefix (Datatypes.S l) S) = prefix l S.
Hypothesis prefix_E : forall l g, prodE (at_hand (S l)) (fun S => g (prefix l S)) = prodE (at_hand l) g.
Definition mean_at (v : list cell) (S : list X) : R := emp (at_hand (length v)) (ask v) (prefix (length v) S).

(* The condition on a likelihood before answer l, at the order a. *)
Variable prior : R -> nat -> (list X -> R) -> Prop.
Hypothesis prior_pos : forall a l g S, prior a l g -> length S = length (at_hand l) -> 0 < g S.
Hypothesis prior_one : forall a, prior a 0%nat (fun _ => 1).

Variable psi : nat -> R -> R.
Variables a b : R.
Variables Ca Cb : nat -> R.
Variable j : nat.
Hypothesis psi_int : forall l, (l < j)%nat -> integral (psi l) (cdf l).
Hypothesis psi_nonneg : forall l y, (l < j)%nat -> 0 <= psi l y.
Hypothesis Ca_nonneg : forall l, (l < j)%nat -> 0 <= Ca l.
Hypothesis Cb_nonneg : forall l, (l < j)%nat -> 0 <= Cb l.
(* The mean given the sample, k answers before the end, of what is 0 unless the sample passes at each node on the way. *)
Variable passes : list cell -> list X -> Prop.
Variable value : nat -> list cell -> list X -> R.
Hypothesis value_S : forall k v S, value (Datatypes.S k) v S <= ind (passes v) (prefix (length v) S) *
  sumR (shown v) (fun c => mass cdf (length v) (mean_at v S) c * value k (c :: v) S).
Notation steps a C := (forall v, (length v < j)%nat ->
  step_of (at_hand (length v)) a (prior a (length v)) (fun g => prior a (S (length v)) (fun S => g (prefix (length v) S)))
    (psi (length v)) (ask v) (passes v) (C (length v))).
Hypothesis steps_a : steps a Ca.
Hypothesis steps_b : steps b Cb.
Variables A B : R.
Hypothesis A_nonneg : 0 <= A.
Hypothesis B_nonneg : 0 <= B.

(* A likelihood, and its majorants at two orders. *)
Definition likelihood (l : nat) (lam la lb : list X -> R) : Prop :=
  prior a l la /\ prior b l lb /\ forall S, length S = length (at_hand l) ->
    0 <= lam S /\ lam S <= Rpower (la S) (/ a) /\ lam S <= Rpower (lb S) (/ b).
Hypothesis last : forall v lam la lb, length v = j -> likelihood j lam la lb ->
  E (fun S => lam (prefix j S) * value 0 v S) <=
    A * Rpower (prodE (at_hand j) la) (/ a) + B * Rpower (prodE (at_hand j) lb) (/ b).

Lemma composed k : forall l v lam la lb, (l + k = j)%nat -> length v = l -> likelihood l lam la lb ->
  E (fun S => lam (prefix l S) * value k v S) <=
    A * product Ca l k * Rpower (prodE (at_hand l) la) (/ a) + B * product Cb l k * Rpower (prodE (at_hand l) lb) (/ b).
Proof.
  induction k as [|k IH]; intros l v lam la lb Hj Hv Hl.
  - replace l with j in * by lia. simpl. rewrite !Rmult_1_r. now apply last with (v := v).
  - assert (Hlj : (l < j)%nat) by lia. destruct Hl as (Hca & Hcb & Hlam).
    assert (Sa := steps_a v). assert (Sb := steps_b v). rewrite Hv in Sa, Sb.
    destruct (Sa Hlj la Hca) as (ma & Ua & GUa & Ma & Pa & UUa & Ia & Ta).
    destruct (Sb Hlj lb Hcb) as (mb & Ub & GUb & Mb & Pb & UUb & Ib & Tb).
    set (ea := Rpower (prodE (at_hand l) la) (/ a)) in *. set (eb := Rpower (prodE (at_hand l) lb) (/ b)) in *.
    set (I := fun S => ind (passes v) (prefix l S)). set (F := fun S => emp (at_hand l) (ask v) (prefix l S)).
    set (A' := A * product Ca (S l) k). set (B' := B * product Cb (S l) k).
    assert (HA' : 0 <= A') by (apply Rmult_le_pos; auto; apply product_nonneg; intros; apply Ca_nonneg; lia).
    assert (HB' : 0 <= B') by (apply Rmult_le_pos; auto; apply product_nonneg; intros; apply Cb_nonneg; lia).
    set (G := fun t => A' * GUa t + B' * GUb t).
    assert (IG : integral (fun y => A' * Ua y + B' * Ub y) G) by (apply int_plus; now apply int_scal).
    apply Rle_trans with (all G).
    2:{ unfold G, over in *. cbn [product].
        replace (A * (Ca l * product Ca (S l) k) * ea + B * (Cb l * product Cb (S l) k) * eb)
          with (A' * (Ca l * ea) + B' * (Cb l * eb)) by (unfold A', B'; ring).
        assert (A' * (GUa p_infty - GUa m_infty) <= A' * (Ca l * ea)) by now apply Rmult_le_compat_l.
        assert (B' * (GUb p_infty - GUb m_infty) <= B' * (Cb l * eb)) by now apply Rmult_le_compat_l.
        lra. }
    rewrite <- (cells_total G m_infty (cuts v)).
    apply Rle_trans with (sumR (shown v) (fun c =>
      over (fun t => E (fun S => lam (prefix l S) * I S * value k (c :: v) S * cdf l (shift (F S) t))) (fst c) (snd c))).
    + apply Rle_trans with (E (fun S => sumR (shown v) (fun c =>
        lam (prefix l S) * I S * value k (c :: v) S * mass cdf l (F S) c))).
      { apply (E_le Ds support). intros S HS. destruct (Hlam (prefix l S) (prefix_length l S (or_introl HS))) as (H0 & _).
        eapply Rle_trans; [apply Rmult_le_compat_l; [exact H0|apply value_S]|]. right.
        unfold mean_at. rewrite <- Rmult_assoc, <- sumR_scal, Hv. apply sumR_ext. intros; unfold I, F; ring. }
      right. rewrite mean_sum. apply sumR_ext. intros c _. unfold mass, over.
      rewrite (mean_ext E _ (fun S => lam (prefix l S) * I S * value k (c :: v) S * cdf l (shift (F S) (snd c)) +
        (-1) * (lam (prefix l S) * I S * value k (c :: v) S * cdf l (shift (F S) (fst c))))) by (intros; ring).
      rewrite mean_plus, mean_scal. ring.
    + apply sumR_le. intros c Hc.
      apply (int_le (fun y => E (fun S => lam (prefix l S) * I S * value k (c :: v) S * psi l (y - F S))) _
        (fun y => A' * Ua y + B' * Ub y) G).
      * apply (E_int Ds support (fun S => lam (prefix l S) * I S * value k (c :: v) S) (fun S y => psi l (y - F S))
          (fun S t => cdf l (shift (F S) t))). intros S _. apply int_shift. now apply psi_int.
      * exact IG.
      * now apply (cells_order m_infty (cuts v)).
      * intros y _ _.
        set (w := fun s => lam s * ind (passes v) s * psi l (y - emp (at_hand l) (ask v) s)).
        rewrite (mean_ext E _ (fun S => w (prefix l (prefix (Datatypes.S l) S)) * value k (c :: v) S)).
        2:{ intros S. unfold w, I, F. rewrite prefix_prefix. ring. }
        eapply Rle_trans; [apply (IH (S l) (c :: v) (fun s => w (prefix l s)) (fun s => la (prefix l s) * ma y (prefix l s))
          (fun s => lb (prefix l s) * mb y (prefix l s)))|].
        -- lia.
        -- simpl. lia.
        -- split; [exact (Ma y)|split; [exact (Mb y)|]]. intros S HS.
           assert (Pma := prior_pos a _ _ S (Ma y) HS). assert (Pmb := prior_pos b _ _ S (Mb y) HS). cbv beta in *.
           assert (Hs := prefix_length l S (or_intror HS)). set (s := prefix l S) in *.
           destruct (Hlam s Hs) as (H0 & H1 & H2). specialize (Pa y s Hs). specialize (Pb y s Hs).
           assert (Hp := psi_nonneg l (y - emp (at_hand l) (ask v) s) Hlj).
           assert (Pla := prior_pos a l la s Hca Hs). assert (Plb := prior_pos b l lb s Hcb Hs).
           assert (0 < ma y s) by (apply Rmult_lt_reg_l with (la s); [|rewrite Rmult_0_r]; auto).
           assert (0 < mb y s) by (apply Rmult_lt_reg_l with (lb s); [|rewrite Rmult_0_r]; auto).
           unfold w, ind. destruct (ClassicalDescription.excluded_middle_informative (passes v s)) as [Hok|Hok].
           2:{ rewrite Rmult_0_r, Rmult_0_l. split; [lra|]. split; left; apply exp_pos. }
           rewrite Rmult_1_r, <- !Rpower_mult_distr by auto.
           repeat split; try apply Rmult_le_compat; auto; now apply Rmult_le_pos.
        -- assert (Ea := prefix_E l (fun s => la s * ma y s)). assert (Eb := prefix_E l (fun s => lb s * mb y s)).
           cbv beta in Ea, Eb. rewrite Ea, Eb. fold A' B'. apply Rplus_le_compat; apply Rmult_le_compat_l; auto.
Qed.

Theorem composition : E (value j nil) <= A * product Ca 0 j + B * product Cb 0 j.
Proof.
  assert (H := composed j 0 nil (fun _ => 1) (fun _ => 1) (fun _ => 1) (Nat.add_0_l j) eq_refl).
  rewrite mean_one in H. assert (R1 : forall c, Rpower 1 c = 1).
  { intros c. unfold Rpower. now rewrite ln_1, Rmult_0_r, exp_0. }
  rewrite !R1, !Rmult_1_r in H.
  rewrite (mean_ext E _ (fun S => 1 * value j nil S)) by (intros; ring). apply H.
  split; [apply prior_one|split; [apply prior_one|]]. intros S _. rewrite !R1. lra.
Qed.

End Composition.
