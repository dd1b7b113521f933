(* docs/theorems/samples.md, "Weighted clusters": independent clusters with weights, the exponential moment of their
   weighted mean, and rows of equal weight as the clusters of the weight 1/n. *)

From Coq Require Import Reals Lra Lia List Psatz ClassicalDescription.
From dpcalc Require Import Tree Count Gate Tails Records.
Import ListNotations.
Open Scope R_scope.

(* A cluster is its weight and its law; what is drawn from it is a record with whatever depends on each other inside. *)
Notation cluster X := (R * law X)%type.

Section Sums.
Context {X : Type}.

Definition laws (cs : list (cluster X)) : list (law X) := map snd cs.

(* The mean h of f over the sample, and its expectation. *)
Fixpoint weighted (cs : list (cluster X)) (f : X -> R) (s : list X) : R :=
  match cs, s with c :: cs, x :: s => fst c * f x + weighted cs f s | _, _ => 0 end.
Definition expected (cs : list (cluster X)) (f : X -> R) : R := sumR cs (fun c => fst c * snd c f).

Lemma weighted_linear cs f g a b S : weighted cs (fun x => a * f x + b * g x) S = a * weighted cs f S + b * weighted cs g S.
Proof. revert S. induction cs as [|c cs IH]; intros [|x S]; simpl; try ring. rewrite IH. ring. Qed.

Lemma weighted_opp cs f S : weighted cs (fun x => - f x) S = - weighted cs f S.
Proof. revert S. induction cs as [|c cs IH]; intros [|x S]; simpl; try ring. rewrite IH. ring. Qed.

Lemma mean_opp (D : law X) f : D (fun x => - f x) = - D f.
Proof. rewrite (mean_ext D _ (fun x => (-1) * f x)) by (intros; ring). rewrite mean_scal. ring. Qed.

Lemma expected_opp cs f : expected cs (fun x => - f x) = - expected cs f.
Proof.
  unfold expected. replace (- sumR cs (fun c => fst c * snd c f)) with ((-1) * sumR cs (fun c => fst c * snd c f)) by ring.
  rewrite <- sumR_scal. apply sumR_ext. intros c _. rewrite mean_opp. ring.
Qed.

(* A law of the sample sees lists of its length. *)
Lemma prodE_length (Ds : list (law X)) F G : (forall S, length S = length Ds -> F S = G S) -> prodE Ds F = prodE Ds G.
Proof.
  revert F G. induction Ds as [|D Ds IH]; intros F G H; simpl.
  - apply H. reflexivity.
  - apply mean_ext. intros x. apply IH. intros S HS. apply H. simpl. auto.
Qed.

Lemma P_length (Ds : list (law X)) (A B : list X -> Prop) :
  (forall S, length S = length Ds -> A S -> B S) -> P Ds A <= P Ds B.
Proof.
  intros H. simpl. rewrite (prodE_length Ds (ind A) (ind (fun S => A S /\ B S))).
  - apply mean_mono. intros S. apply ind_le. tauto.
  - intros S HS. apply Rle_antisym; apply ind_le; [intros HA; split; auto|tauto].
Qed.

(* Lyapunov's inequality: a share u of an exponent has at most that share of the cumulant. *)
Lemma lyapunov (D : law X) (g : X -> R) (b u : R) : 0 <= u <= 1 -> D (fun x => exp (g x)) <= exp b ->
  D (fun x => exp (u * g x)) <= exp (u * b).
Proof.
  intros Hu Hb.
  assert (H : D (fun x => exp (u * (g x - b))) <= 1).
  { apply Rle_trans with (D (fun x => (1 - u) + (u * exp (- b)) * exp (g x))).
    - apply mean_mono. intros x. rewrite Rmult_comm. eapply Rle_trans; [apply exp_chord; exact Hu|].
      assert (E : exp (g x - b) = exp (g x) * exp (- b)) by apply exp_plus. rewrite E. lra.
    - rewrite (mean_plus D (fun _ => 1 - u)), mean_const, mean_scal.
      assert (u * exp (- b) * D (fun x => exp (g x)) <= u * exp (- b) * exp b).
      { apply Rmult_le_compat_l; auto. apply Rmult_le_pos; [lra|left; apply exp_pos]. }
      assert (exp (- b) * exp b = 1) by (rewrite <- exp_plus; replace (- b + b) with 0 by ring; apply exp_0).
      nra. }
  rewrite (mean_ext D _ (fun x => exp (u * b) * exp (u * (g x - b)))).
  - rewrite mean_scal. assert (0 < exp (u * b)) by apply exp_pos. nra.
  - intros x. rewrite <- exp_plus. f_equal. ring.
Qed.

(* The moment of a weighted sum, by those of the clusters. *)
Lemma prod_weighted (cs : list (cluster X)) (f : X -> R) (l : R) (b : cluster X -> R) :
  (forall c, In c cs -> snd c (fun x => exp (l * fst c * f x)) <= exp (b c)) ->
  prodE (laws cs) (fun S => exp (l * weighted cs f S)) <= exp (sumR cs b).
Proof.
  induction cs as [|c cs IH]; intros H; simpl.
  - rewrite Rmult_0_r. lra.
  - rewrite (mean_ext (snd c) _ (fun x => exp (l * fst c * f x) * prodE (laws cs) (fun S => exp (l * weighted cs f S)))).
    + rewrite mean_scal_r, exp_plus. apply Rmult_le_compat.
      * apply mean_nonneg. intros; left; apply exp_pos.
      * apply mean_nonneg. intros; left; apply exp_pos.
      * apply H. simpl; auto.
      * apply IH. intros; apply H; simpl; auto.
    + intros x. rewrite <- mean_scal. apply mean_ext. intros S. rewrite <- exp_plus. f_equal. ring.
Qed.

Lemma markov (Ds : list (law X)) (h : list X -> R) (x : R) (B : R) :
  prodE Ds (fun S => exp (h S)) <= B -> P Ds (fun S => h S >= x) <= B * exp (- x).
Proof.
  intros H. apply Rle_trans with (prodE Ds (fun S => exp (h S) * exp (- x))).
  - simpl. apply mean_mono. intros S. apply ind_markov.
    + intros HS. rewrite <- exp_plus, <- exp_0. apply exp_le. lra.
    + left. apply Rmult_lt_0_compat; apply exp_pos.
  - rewrite mean_scal_r. apply Rmult_le_compat_r; [left; apply exp_pos|exact H].
Qed.

End Sums.

(* Clusters whose weights are at most w and add up to 1. *)
Record weights {X : Type} (cs : list (cluster X)) (w : R) : Prop := {
  weight_pos : 0 < w;
  weight_range : forall c, In c cs -> 0 <= fst c <= w;
  weight_total : sumR cs fst = 1
}.

Section Weighted.
Context {X : Type}.
Variable cs : list (cluster X).
Variable w : R.
Hypothesis ws : weights cs w.
Notation P := (P (laws cs)).
Notation h := (weighted cs).

(* (3): with the cumulants b at l of the clusters, the bound is that of 1/w rows of equal weight. *)
Theorem clusters (f : X -> R) (b : law X -> R) (l x : R) :
  (forall c, In c cs -> snd c (fun x => exp (l * f x)) <= exp (b (snd c))) ->
  0 <= l -> P (fun S => h f S >= x) <= exp ((1 / w) * (sumR cs (fun c => fst c * b (snd c)) - l * x)).
Proof.
  intros H [Hl|<-].
  2:{ eapply Rle_trans; [apply (P_le_1)|]. apply Rle_trans with (exp 0); [rewrite exp_0; lra|]. apply exp_le.
      assert (Hw := weight_pos _ _ ws). assert (Hi : 0 < 1 / w) by (apply Rdiv_lt_0_compat; lra).
      apply Rmult_le_pos; [now left|]. enough (0 <= sumR cs (fun c => fst c * b (snd c))) by lra.
      apply sumR_nonneg. intros c Hc. apply Rmult_le_pos; [apply (weight_range _ _ ws c Hc)|].
      assert (H1 : 1 <= exp (b (snd c))).
      { eapply Rle_trans; [|apply (H c Hc)]. rewrite <- (mean_one (snd c)). apply Req_le, mean_ext.
        intros y. now rewrite Rmult_0_l, exp_0. }
      destruct (Rle_lt_dec 0 (b (snd c))) as [Hb|Hb]; auto. apply exp_increasing in Hb. rewrite exp_0 in Hb. lra. }
  assert (Hw := weight_pos _ _ ws). assert (Hlw : 0 < l / w) by now apply Rdiv_lt_0_compat.
  assert (Hm : prodE (laws cs) (fun S => exp (l / w * h f S)) <= exp (sumR cs (fun c => fst c / w * b (snd c)))).
  { apply prod_weighted. intros c Hc. assert (Hr := weight_range _ _ ws c Hc).
    rewrite (mean_ext (snd c) _ (fun y => exp (fst c / w * (l * f y)))) by (intros; f_equal; field; lra).
    apply lyapunov; auto. split.
    - apply Rmult_le_pos; [lra|]. left. now apply Rinv_0_lt_compat.
    - apply Rmult_le_reg_r with w; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  eapply Rle_trans; [|eapply Rle_trans; [apply (markov (laws cs) _ (l / w * x) _ Hm)|]].
  - apply Pr_mono. intros S HS. apply Rle_ge, Rmult_le_compat_l; lra.
  - rewrite <- exp_plus. apply exp_le. right.
    rewrite (sumR_ext cs _ (fun c => (1 / w) * (fst c * b (snd c)))) by (intros; field; lra).
    rewrite sumR_scal. field. lra.
Qed.

Lemma weighted_const a : sumR cs (fun c => fst c * a) = a.
Proof.
  rewrite (sumR_ext cs _ (fun c => a * fst c)) by (intros; ring). rewrite sumR_scal, (weight_total _ _ ws). ring.
Qed.

Lemma weighted_mono f g : (forall c, In c cs -> f c <= g c) -> sumR cs (fun c => fst c * f c) <= sumR cs (fun c => fst c * g c).
Proof. intros H. apply sumR_le. intros c Hc. apply Rmult_le_compat_l; auto. apply (weight_range _ _ ws c Hc). Qed.

(* ln is concave. *)
Lemma ln_jensen (m : cluster X -> R) (M : R) : 0 < M -> sumR cs (fun c => fst c * m c) <= M ->
  sumR cs (fun c => fst c * (ln M + (m c - M) / M)) <= ln M.
Proof.
  intros HM H. rewrite (sumR_ext cs _ (fun c => fst c * (ln M - 1) + (/ M) * (fst c * m c))) by (intros; field; lra).
  rewrite sumR_plus, sumR_scal, weighted_const.
  assert (/ M * sumR cs (fun c => fst c * m c) <= / M * M).
  { apply Rmult_le_compat_l; auto. left. now apply Rinv_0_lt_compat. }
  rewrite Rinv_l in H0 by lra. lra.
Qed.

Lemma exp_tangent m M : 0 < M -> m <= exp (ln M + (m - M) / M).
Proof.
  intros HM. rewrite exp_plus, exp_ln by auto. apply Rle_trans with (M * (1 + (m - M) / M)).
  - right. field. lra.
  - apply Rmult_le_compat_l; [lra|apply exp_ge_1].
Qed.

(* One minus a query. *)
Lemma weighted_flip f S : length S = length (laws cs) -> h (fun x => 1 - f x) S = 1 - h f S.
Proof.
  assert (E : forall l S, length S = length (laws l) ->
    weighted l (fun x => 1 - f x) S = sumR l fst - weighted l f S).
  { induction l as [|c l IH]; intros [|x s] H; simpl in *; try discriminate; [ring|]. rewrite IH by lia. ring. }
  intros H. rewrite (E cs S H), (weight_total _ _ ws). ring.
Qed.

Lemma expected_flip f : expected cs (fun x => 1 - f x) = 1 - expected cs f.
Proof.
  unfold expected. rewrite (sumR_ext cs _ (fun c => fst c + (-1) * (fst c * snd c f))).
  - rewrite sumR_plus, sumR_scal, (weight_total _ _ ws). ring.
  - intros c _. rewrite (mean_ext (snd c) _ (fun x => 1 + (-1) * f x)) by (intros; ring).
    rewrite mean_plus, mean_one, mean_scal. ring.
Qed.

End Weighted.

(* Rows of equal weight: the mean over the rows, whatever is asked of it. *)
Definition rows_of {X : Type} (Ds : list (law X)) : list (cluster X) := map (fun D => (1 / INR (length Ds), D)) Ds.

Lemma laws_of_rows {X} (Ds : list (law X)) : laws (rows_of Ds) = Ds.
Proof. unfold laws, rows_of. rewrite map_map. apply map_id. Qed.

Lemma equal_weights {X} (Ds : list (law X)) : Ds <> nil -> weights (rows_of Ds) (1 / INR (length Ds)).
Proof.
  intros H. assert (Hn : 0 < INR (length Ds)) by (apply lt_0_INR; destruct Ds; [congruence|simpl; lia]).
  assert (Hw : 0 < 1 / INR (length Ds)) by (apply Rdiv_lt_0_compat; lra). split; auto.
  - intros c Hc. apply in_map_iff in Hc. destruct Hc as (D & <- & _). simpl. lra.
  - unfold rows_of. rewrite sumR_map. cbn [fst]. rewrite sumR_const. field. lra.
Qed.

Theorem weighted_rows {X} (Ds : list (law X)) (A : ((X -> R) -> R) -> Prop) :
  P (laws (rows_of Ds)) (fun S => A (fun f => weighted (rows_of Ds) f S)) =
  P Ds (fun S => A (fun f => sumR S f / INR (length Ds))).
Proof.
  rewrite laws_of_rows.
  assert (E : forall S, length S = length Ds -> forall f, weighted (rows_of Ds) f S = sumR S f / INR (length Ds)).
  { unfold rows_of. generalize (INR (length Ds)). intros n. induction Ds as [|D l IH]; intros [|x S] H f; simpl in *;
      try discriminate; [unfold Rdiv; ring|]. rewrite (IH S ltac:(lia) f). unfold Rdiv. ring. }
  apply Rle_antisym; apply P_length; intros S HS HA;
    replace (fun f => sumR S f / INR (length Ds)) with (fun f => weighted (rows_of Ds) f S) in *; auto;
    apply FunctionalExtensionality.functional_extensionality; intros f; auto.
Qed.
