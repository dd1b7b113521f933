(* docs/theorems/open.md, "Tails of open plans", "Cell theorem" and "open-gate": open plans on independent records with
   unequal laws, as in Tails.v, without hypotheses on tails. The rows that are asked may depend on the node.

   select mask l     the elements of l that the mask marks
   size, value       the number of rows that a mask marks; the mean on them, and truth for its truth
   low_cert, up_cert the ends of an interval that the bounds of a tail certify
   margin n q        Hoeffding's margin *)

From Coq Require Import Reals Lra Lia List Psatz Bool ClassicalDescription Classical.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Count Gate Tails Budget Cells OpenGate ConvexTail.
From dpcalc Require Export Chernoff.
Import ListNotations.
Open Scope R_scope.

Notation E := Chernoff.E (only parsing).

(* Certificates: l is a lower bound for the truth at the value x and the level q. *)
Inductive low_cert (n x q l : R) : Prop :=
| low_all : 1 <= q -> low_cert n x q l
| low_negative : l < 0 -> low_cert n x q l
| low_zero : l <= 0 -> 0 < x -> low_cert n x q l
| low_beyond : 1 < x -> low_cert n x q l
| low_kl : 0 < l -> l < x -> x <= 1 -> exp (- n * kl x l) <= q -> low_cert n x q l
| low_hoeffding : l <= x -> exp (- 2 * n * (x - l)^2) <= q -> low_cert n x q l
| low_convex rows t : n = INR rows -> l <= 1 -> INR t < n * x -> convex_tail rows l x t <= q -> low_cert n x q l.

Definition up_cert (n x q u : R) : Prop := low_cert n (1 - x) q (1 - u).

Section Full.
Context {X : Type}.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Notation n := (n Ds).
Notation P := (P Ds).
Notation emp := (emp Ds).
Notation pop := (pop Ds).

Lemma rows_moments : moments P emp pop n.
Proof.
  split; [now apply n_pos|exact (P_le_1 Ds)|intros; now apply pop_range|].
  intros q l a c p. now apply chernoff.
Qed.

Lemma tail_beyond q x : 1 < x -> P (fun S => emp q S >= x) <= 0.
Proof. apply (moment_beyond _ _ _ _ rows_moments). Qed.

Lemma tail_zero q x : pop q <= 0 -> 0 < x -> P (fun S => emp q S >= x) <= 0.
Proof. apply (moment_zero _ _ _ _ rows_moments). Qed.

Theorem tail_kl q p x : pop q <= p -> 0 < p -> p < x -> x <= 1 -> P (fun S => emp q S >= x) <= exp (- n * kl x p).
Proof. apply (moment_kl _ _ _ _ rows_moments). Qed.

(* "Tails" in full: the rate E, the means 0 and 1 - s, and what is beyond. *)
Theorem tail_up q s : 0 < s < 1 -> P (fun S => emp q S - pop q >= s) <= exp (- n * E s).
Proof. apply (moment_up _ _ _ _ rows_moments). Qed.

Theorem tail_up_1 q s : 1 <= s -> P (fun S => emp q S - pop q >= s) <= 0.
Proof. apply (moment_up_1 _ _ _ _ rows_moments). Qed.

Lemma to_flip q s : P (fun S => pop q - emp q S >= s) <= P (fun S => emp (flip q) S - pop (flip q) >= s).
Proof.
  eapply Rle_trans; [|eapply Rle_trans; [apply (flip_tail Ds some_rows q (pop q - s))|]].
  - apply Pr_mono. intros S. lra.
  - apply Pr_mono. intros S. rewrite pop_flip by auto. lra.
Qed.

Theorem tail_down q s : 0 < s < 1 -> P (fun S => pop q - emp q S >= s) <= exp (- n * E s).
Proof. intros Hs. eapply Rle_trans; [apply to_flip|now apply tail_up]. Qed.

Theorem tail_down_1 q s : 1 <= s -> P (fun S => pop q - emp q S >= s) <= 0.
Proof. intros Hs. eapply Rle_trans; [apply to_flip|now apply tail_up_1]. Qed.

Theorem lower_valid q x level l : 0 <= level -> low_cert n x level l -> pop q <= l ->
  P (fun S => emp q S >= x) <= level.
Proof.
  intros Hq H Hl. assert (Hr := pop_range Ds some_rows q). assert (Hn := n_pos Ds some_rows).
  destruct H as [H|H|H H'|H|H0 H1 H2 H3|H0 H1|rows t H0 H1 H2 H3].
  - eapply Rle_trans; [apply (P_le_1 Ds)|auto].
  - lra.
  - eapply Rle_trans; [apply tail_zero; lra|auto].
  - eapply Rle_trans; [now apply tail_beyond|auto].
  - eapply Rle_trans; [now apply (tail_kl q l)|auto].
  - eapply Rle_trans; [|exact H1].
    apply Rle_trans with (P (fun S => emp q S - pop q >= x - pop q)); [apply Pr_mono; intros; lra|].
    eapply Rle_trans; [apply hoeffding_up; auto; lra|]. apply exp_le.
    assert ((x - l)^2 <= (x - pop q)^2) by (apply pow_incr; lra). nra.
  - apply INR_eq in H0. subst rows. eapply Rle_trans; [now apply (convex_up Ds some_rows q l x t)|auto].
Qed.

Theorem upper_valid q x level u : 0 <= level -> up_cert n x level u -> u <= pop q ->
  P (fun S => emp q S < x) <= level.
Proof.
  intros Hq H Hu. eapply Rle_trans; [|apply (lower_valid (flip q) (1 - x) level (1 - u)); auto].
  - eapply Rle_trans; [|apply (flip_tail Ds some_rows q x)]. apply Pr_mono. intros S. lra.
  - rewrite pop_flip by auto. lra.
Qed.

End Full.

(* Rows: a mask says which of the records a query is asked of. *)
Fixpoint select {A : Type} (mask : list bool) (l : list A) : list A :=
  match mask, l with
  | b :: mask, a :: l => if b then a :: select mask l else select mask l
  | _, _ => nil
  end.

Lemma select_law {X} (Ds : list (law X)) : forall mask (g : list X -> R),
  prodE Ds (fun S => g (select mask S)) = prodE (select mask Ds) g.
Proof.
  induction Ds as [|D Ds IH]; intros mask g.
  - now destruct mask.
  - destruct mask as [|[|] mask]; simpl.
    + rewrite (mean_ext D _ (fun _ => g nil)); [apply mean_const|]. intros x. apply mean_const.
    + apply mean_ext. intros x. apply (IH mask (fun S => g (x :: S))).
    + rewrite (mean_ext D _ (fun _ => prodE (select mask Ds) g)); [apply mean_const|].
      intros x. apply IH.
Qed.

Lemma select_P {X} (Ds : list (law X)) mask (A : list X -> Prop) :
  P Ds (fun S => A (select mask S)) = P (select mask Ds) A.
Proof. apply (select_law Ds mask (ind A)). Qed.

Section Records.
Context {X : Type}.
Variable Ds : list (law X).

Definition size (mask : list bool) : R := n (select mask Ds).
Definition value (mask : list bool) (q : query X) (S : list X) : R := emp (select mask Ds) q (select mask S).
Definition truth (mask : list bool) (q : query X) : R := pop (select mask Ds) q.

Lemma truth_range mask q : select mask Ds <> nil -> 0 <= truth mask q <= 1.
Proof. intros H. now apply pop_range. Qed.

Lemma lower_rows mask q x level l : select mask Ds <> nil -> 0 <= level ->
  low_cert (size mask) x level l -> truth mask q <= l ->
  P Ds (fun S => value mask q S >= x) <= level.
Proof.
  intros Hm H0 Hc Ht. unfold value. rewrite (select_P Ds mask (fun S => emp (select mask Ds) q S >= x)).
  now apply lower_valid with l.
Qed.

Lemma upper_rows mask q x level u : select mask Ds <> nil -> 0 <= level ->
  up_cert (size mask) x level u -> u <= truth mask q ->
  P Ds (fun S => value mask q S < x) <= level.
Proof.
  intros Hm H0 Hc Ht. unfold value. rewrite (select_P Ds mask (fun S => emp (select mask Ds) q S < x)).
  now apply upper_valid with u.
Qed.

(* The cell theorem on records; the query, the rows, the cuts and the bounds are functions of the node. *)
Section Cells.
Notation node := (list nat).
Variable ask : node -> query X.
Variable rows : node -> list bool.
Hypothesis some_rows : forall v, select (rows v) Ds <> nil.
Variable cuts : node -> list R.
Hypothesis cuts_ordered : forall v, ordered (cuts v).
Variable stop : node -> bool.
Variable W rest : node -> R.
Variable beta : R.
Hypothesis beta_nonneg : 0 <= beta.
Hypothesis W_nonneg : forall v, 0 <= W v.
Hypothesis W_root : W nil <= 1.
Hypothesis rest_nonneg : forall v, 0 <= rest v.
Hypothesis W_sum : forall v, sumR (seq 0 (S (K cuts v))) (fun c => W (c :: v)) + rest v <= W v.

Definition h (v : node) (S : list X) : R := value (rows v) (ask v) S.
Definition p (v : node) : R := truth (rows v) (ask v).

Section Certified.
Variable lower upper : node -> R -> R -> Rbar.
Hypothesis lower_cert : forall v x q, In x (cuts v) -> 0 <= q ->
  match lower v x q with
  | Finite l => l <= 0 \/ low_cert (size (rows v)) x q l
  | p_infty => False
  | m_infty => True
  end.
Hypothesis upper_cert : forall v x q, In x (cuts v) -> 0 <= q ->
  match upper v x q with
  | Finite u => 1 <= u \/ up_cert (size (rows v)) x q u
  | m_infty => False
  | p_infty => True
  end.
Hypothesis rest_one_sided : forall v, rest v = 0 \/
  Rbar_le (L cuts W rest beta lower v (K cuts v)) (U cuts W rest beta upper v 0).

Theorem cells_on_records m :
  P Ds (fun S => exists later c v,
     shown (response h cuts) stop m S = later ++ c :: v /\
     ~ (Rbar_le (L cuts W rest beta lower v c) (p v) /\ Rbar_le (p v) (U cuts W rest beta upper v c)))
  <= beta.
Proof.
  apply (cells (P Ds) h p cuts cuts_ordered stop W rest beta); auto.
  - intros v x q Hx Hq Hl. specialize (lower_cert v x q Hx Hq).
    destruct (lower v x q) as [l| |]; simpl in Hl; try contradiction.
    generalize (truth_range (rows v) (ask v) (some_rows v)). intros Hr. unfold p in Hl.
    destruct lower_cert as [Hz|Hz]; [lra|]. apply lower_rows with l; auto. now left.
  - intros v x q Hx Hq Hl. specialize (upper_cert v x q Hx Hq).
    destruct (upper v x q) as [u| |]; simpl in Hl; try contradiction.
    generalize (truth_range (rows v) (ask v) (some_rows v)). intros Hr. unfold p in Hl.
    destruct upper_cert as [Hz|Hz]; [lra|]. apply upper_rows with u; auto. now left.
Qed.

End Certified.
End Cells.
End Records.

(* Hoeffding's margin. *)
Definition margin (n q : R) : R := sqrt (ln (1 / q) / (2 * n)).

Lemma margin_nonneg n q : 0 <= margin n q.
Proof. apply sqrt_pos. Qed.

Lemma margin_tail n q : 0 < n -> 0 < q <= 1 -> exp (- 2 * n * (margin n q)^2) = q.
Proof.
  intros Hn Hq. unfold margin. rewrite pow2_sqrt.
  - replace (-2 * n * (ln (1 / q) / (2 * n))) with (- ln (1 / q)) by (field; lra).
    replace (1 / q) with (/ q) by (field; lra). rewrite ln_Rinv by lra.
    rewrite Ropp_involutive. apply exp_ln. lra.
  - apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; lra].
    replace (1 / q) with (/ q) by (field; lra). rewrite ln_Rinv by lra.
    assert (ln q <= 0); [|lra]. rewrite <- ln_1. destruct Hq as [Hq [H|H]].
    + left. now apply ln_increasing.
    + right. now rewrite H.
Qed.

Definition lower_hoeffding (n x q : R) : Rbar :=
  if Rle_dec q 0 then m_infty else Finite (x - margin n (Rmin q 1)).
Definition upper_hoeffding (n x q : R) : Rbar :=
  if Rle_dec q 0 then p_infty else Finite (x + margin n (Rmin q 1)).

Lemma hoeffding_low_cert n x q : 0 < n -> 0 < q -> low_cert n x q (x - margin n (Rmin q 1)).
Proof.
  intros Hn Hq. destruct (Rle_dec q 1) as [H|H].
  - apply low_hoeffding; [generalize (margin_nonneg n (Rmin q 1)); lra|].
    replace (x - (x - margin n (Rmin q 1))) with (margin n (Rmin q 1)) by ring.
    rewrite margin_tail; auto.
    + apply Rmin_l.
    + unfold Rmin. destruct (Rle_dec q 1); lra.
  - apply low_all. lra.
Qed.

Lemma hoeffding_up_cert n x q : 0 < n -> 0 < q -> up_cert n x q (x + margin n (Rmin q 1)).
Proof.
  intros Hn Hq. unfold up_cert.
  replace (1 - (x + margin n (Rmin q 1))) with (1 - x - margin n (Rmin q 1)) by ring.
  now apply hoeffding_low_cert.
Qed.

(* The cell theorem without hypotheses on tails: any cuts, any code, any rows. *)
Theorem open_cells_hoeffding {X : Type} (Ds : list (law X)) (beta : R)
  (ask : list nat -> query X) (rows : list nat -> list bool) (cuts : list nat -> list R)
  (W : list nat -> R) (stop : list nat -> bool) :
  (forall v, select (rows v) Ds <> nil) -> (forall v, ordered (cuts v)) -> 0 <= beta ->
  (forall v, 0 <= W v) -> W nil <= 1 ->
  (forall v, sumR (seq 0 (S (length (cuts v)))) (fun c => W (c :: v)) <= W v) ->
  let lower v := lower_hoeffding (size Ds (rows v)) in
  let upper v := upper_hoeffding (size Ds (rows v)) in
  forall m,
  P Ds (fun S => exists later c v,
     shown (response (h Ds ask rows) cuts) stop m S = later ++ c :: v /\
     ~ (Rbar_le (L cuts W (fun _ => 0) beta lower v c) (p Ds ask rows v) /\
        Rbar_le (p Ds ask rows v) (U cuts W (fun _ => 0) beta upper v c)))
  <= beta.
Proof.
  intros Hr Hc Hb HW H1 HS lower upper m.
  assert (Hn : forall v, 0 < size Ds (rows v)) by (intros v; apply n_pos; auto).
  apply cells_on_records; auto.
  - intros; lra.
  - intros v. unfold K. specialize (HS v). lra.
  - intros v x q _ Hq. unfold lower, lower_hoeffding. destruct (Rle_dec q 0); auto.
    right. apply hoeffding_low_cert; auto; lra.
  - intros v x q _ Hq. unfold upper, upper_hoeffding. destruct (Rle_dec q 0); auto.
    right. apply hoeffding_up_cert; auto; lra.
Qed.

(* The best bounds that can be certified: for values in [0,1] the sheet's root of n kl(x || p) = ln(1/q), or
   what Hoeffding's tail gives where the list of certificates has no better, and x where nothing can exceed x. *)
Definition lower_best (n x q : R) : Rbar := Lub_Rbar (fun l => l <= x /\ low_cert n x q l).
Definition upper_best (n x q : R) : Rbar := Glb_Rbar (fun u => x <= u /\ up_cert n x q u).

Lemma below_best n x q t : Rbar_lt (Finite t) (lower_best n x q) -> exists l, t < l /\ low_cert n x q l.
Proof.
  intros H. apply NNPP. intros Hno. revert H. apply Rbar_le_not_lt.
  apply (proj2 (Lub_Rbar_correct (fun l => l <= x /\ low_cert n x q l))). intros l [_ Hl]. simpl.
  apply Rnot_lt_le. intros Ht. apply Hno. eauto.
Qed.

Lemma above_best n x q t : Rbar_lt (upper_best n x q) (Finite t) -> exists u, u < t /\ up_cert n x q u.
Proof.
  intros H. apply NNPP. intros Hno. revert H. apply Rbar_le_not_lt.
  apply (proj2 (Glb_Rbar_correct (fun u => x <= u /\ up_cert n x q u))). intros u [_ Hu]. simpl.
  apply Rnot_lt_le. intros Ht. apply Hno. eauto.
Qed.

Lemma lower_best_rows {X} (Ds : list (law X)) mask q x level : select mask Ds <> nil -> 0 <= level ->
  Rbar_lt (truth Ds mask q) (lower_best (size Ds mask) x level) -> P Ds (fun S => value Ds mask q S >= x) <= level.
Proof.
  intros Hm H0 H. apply below_best in H. destruct H as (l & Hl & Hc). apply lower_rows with l; auto. now left.
Qed.

Lemma upper_best_rows {X} (Ds : list (law X)) mask q x level : select mask Ds <> nil -> 0 <= level ->
  Rbar_lt (upper_best (size Ds mask) x level) (truth Ds mask q) -> P Ds (fun S => value Ds mask q S < x) <= level.
Proof.
  intros Hm H0 H. apply above_best in H. destruct H as (u & Hu & Hc). apply upper_rows with u; auto. now left.
Qed.

(* They are at least as good as every bound by the relative entropy. *)
Lemma best_kl n x q l : 0 < l < x -> x <= 1 -> exp (- n * kl x l) <= q -> Rbar_le l (lower_best n x q).
Proof.
  intros Hl Hx Hq. apply (proj1 (Lub_Rbar_correct (fun l => l <= x /\ low_cert n x q l))).
  split; [lra|]. apply low_kl; lra.
Qed.

Theorem open_cells_best {X : Type} (Ds : list (law X)) (beta : R)
  (ask : list nat -> query X) (rows : list nat -> list bool) (cuts : list nat -> list R)
  (W : list nat -> R) (stop : list nat -> bool) :
  (forall v, select (rows v) Ds <> nil) -> (forall v, ordered (cuts v)) -> 0 <= beta ->
  (forall v, 0 <= W v) -> W nil <= 1 ->
  (forall v, sumR (seq 0 (S (length (cuts v)))) (fun c => W (c :: v)) <= W v) ->
  let lower v := lower_best (size Ds (rows v)) in
  let upper v := upper_best (size Ds (rows v)) in
  forall m,
  P Ds (fun S => exists later c v,
     shown (response (h Ds ask rows) cuts) stop m S = later ++ c :: v /\
     ~ (Rbar_le (L cuts W (fun _ => 0) beta lower v c) (p Ds ask rows v) /\
        Rbar_le (p Ds ask rows v) (U cuts W (fun _ => 0) beta upper v c)))
  <= beta.
Proof.
  intros Hr Hc Hb HW H1 HS lower upper m.
  apply (cells (P Ds) (h Ds ask rows) (p Ds ask rows) cuts Hc stop W (fun _ => 0) beta); auto.
  - intros; lra.
  - intros v. unfold K. specialize (HS v). lra.
  - intros v x q _ Hq Hl. now apply lower_best_rows.
  - intros v x q _ Hq Hu. now apply upper_best_rows.
Qed.

(* The open gate on records.  x is the threshold, c the bar, u what a failure says. *)
Theorem open_gate_records {X : Type} (Ds : list (law X)) (beta : R)
  (ask : list bool -> query X) (rows : list bool -> list bool) (x c u : list bool -> R)
  (W : list bool -> R) (stop : list bool -> bool) :
  (forall v, select (rows v) Ds <> nil) -> 0 <= beta ->
  (forall v, 0 <= W v) -> W nil <= 1 -> (forall v, W (true :: v) + W (false :: v) <= W v) ->
  (forall v, c v <= u v) ->
  (forall v, low_cert (size Ds (rows v)) (x v) (beta * (W v - W (false :: v))) (c v)) ->
  (forall v, 1 <= u v \/ up_cert (size Ds (rows v)) (x v) (beta * (W v - W (true :: v))) (u v)) ->
  let emp v := value Ds (rows v) (ask v) in
  let pop v := truth Ds (rows v) (ask v) in
  forall m,
  P Ds (fun S => exists later b v,
     shown (verdict emp x) stop m S = later ++ b :: v /\
     wrong pop c u v b) <= beta.
Proof.
  intros Hr Hb HW H1 HS Hcu Hlow Hup emp pop m.
  apply open_gate with (W := W); auto.
  - intros v Hp. apply lower_rows with (c v); auto.
    apply Rmult_le_pos; auto. generalize (HS v) (HW (true :: v)). lra.
  - intros v Hp. generalize (truth_range Ds (rows v) (ask v) (Hr v)). intros Ht.
    destruct (Hup v) as [Hz|Hz]; [unfold pop in Hp; lra|].
    apply upper_rows with (u v); auto; [|now left].
    apply Rmult_le_pos; auto. generalize (HS v) (HW (false :: v)). lra.
Qed.

(* No hypothesis is left: any analyst, any bars, rows that are a function of the verdicts, any number of looks;
   W is the Beta(a,b) code. *)
Section BetaGate.
Context {X : Type}.
Variable Ds : list (law X).
Variables a b beta : R.
Hypothesis a_pos : 0 < a.
Hypothesis b_pos : 0 < b.
Hypothesis beta_range : 0 < beta <= 1.
Variable ask : list bool -> query X.
Variable rows : list bool -> list bool.
Hypothesis some_rows : forall v, select (rows v) Ds <> nil.
Variable bar : list bool -> R.
Variable stop : list bool -> bool.

Definition W (v : list bool) : R := beta_code a b v.
Definition up_margin (v : list bool) : R := margin (size Ds (rows v)) (beta * W (true :: v)).
Definition down_margin (v : list bool) : R := margin (size Ds (rows v)) (beta * W (false :: v)).

Definition gate_shown (m : nat) (S : list X) : list bool :=
  shown (verdict (fun v => value Ds (rows v) (ask v))
    (fun v => bar v + up_margin v)) stop m S.

Definition gate_wrong (v : list bool) (r : bool) : Prop :=
  r = true /\ truth Ds (rows v) (ask v) <= bar v \/
  r = false /\ bar v + up_margin v + down_margin v < truth Ds (rows v) (ask v).

Lemma W_range v : 0 < beta * W v <= 1.
Proof.
  assert (Hr := beta_bet_range a b a_pos b_pos).
  assert (0 < W v) by (apply code_pos; intros u; specialize (Hr u); lra).
  assert (W v <= 1) by (apply code_le_1; intros u; specialize (Hr u); lra). nra.
Qed.

Theorem open_gate_beta m :
  P Ds (fun S => exists later r v, gate_shown m S = later ++ r :: v /\ gate_wrong v r) <= beta.
Proof.
  assert (Hr := beta_bet_range a b a_pos b_pos).
  assert (Hc : forall v, W (true :: v) + W (false :: v) = W v) by (intros v; apply code_sum).
  apply (open_gate_records Ds beta ask rows (fun v => bar v + up_margin v) bar
    (fun v => bar v + up_margin v + down_margin v) W stop); auto; try lra.
  - intros v. apply code_nonneg. intros u. specialize (Hr u). lra.
  - unfold W. simpl. lra.
  - intros v. rewrite Hc. lra.
  - intros v. generalize (margin_nonneg (size Ds (rows v)) (beta * W (true :: v)))
      (margin_nonneg (size Ds (rows v)) (beta * W (false :: v))). unfold up_margin, down_margin. lra.
  - intros v. replace (W v - W (false :: v)) with (W (true :: v)) by (generalize (Hc v); lra).
    apply low_hoeffding; unfold up_margin.
    + generalize (margin_nonneg (size Ds (rows v)) (beta * W (true :: v))). lra.
    + replace (bar v + _ - bar v) with (margin (size Ds (rows v)) (beta * W (true :: v))) by ring.
      right. apply margin_tail; [now apply n_pos|apply W_range].
  - intros v. replace (W v - W (true :: v)) with (W (false :: v)) by (generalize (Hc v); lra).
    right. apply low_hoeffding; unfold down_margin.
    + generalize (margin_nonneg (size Ds (rows v)) (beta * W (false :: v))). lra.
    + match goal with |- exp (_ * ?t ^ 2) <= _ =>
        replace t with (margin (size Ds (rows v)) (beta * W (false :: v))) by ring end.
      right. apply margin_tail; [now apply n_pos|apply W_range].
Qed.

End BetaGate.

(* "gate" for unequal records at the tail exp(-n E(tau)), by name of its page. *)
Theorem gate_best {X : Type} (Ds : list (law X)) (tau : R) :
  Ds <> nil -> 0 < tau < 1 ->
  forall (analyst : list bool -> query X * R) (m B : nat),
  P Ds (fun S => exists later b v,
       Gate.transcript (emp Ds) tau analyst B m S = later ++ b :: v /\
       Gate.wrong (pop Ds) tau analyst v b)
    <= INR (N m B) * exp (- INR (length Ds) * E tau).
Proof.
  intros Hd Ht analyst m B. apply (gate_tails (P Ds) (emp Ds) (pop Ds)); [lra| |].
  - intros q. now apply (tail_up Ds Hd q tau).
  - intros q. now apply (tail_down Ds Hd q tau).
Qed.
