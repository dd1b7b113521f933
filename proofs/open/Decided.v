(* docs/theorems/open.md, "Decided rows": a candidate and the incumbent predict the same on all rows but D of n, so that
   their difference f is 0 there whatever the labels are. The mean of f over the n rows is (2W-D)/n, W a sum of (1+f)/2
   over the D rows; of two classes W is a count. *)

From Coq Require Import Reals Lra Lia List Arith Psatz ClassicalDescription.
From dpcalc Require Import Tree Count Gate Tails Binomial Records Rows Weights Differences.
Import ListNotations.
Open Scope R_scope.

Section Decided.
Context {X : Type}.

(* What a law is sure of. *)
Definition sure (D : law X) (A : X -> Prop) : Prop := D (ind (fun x => ~ A x)) = 0.

Lemma sure_mean D A (F G : X -> R) c : sure D A -> (forall x, A x -> F x = G x) -> (forall x, Rabs (F x - G x) <= c) ->
  D F = D G.
Proof.
  intros HA He Hc.
  assert (H : forall F G : X -> R, (forall x, A x -> F x = G x) -> (forall x, Rabs (F x - G x) <= c) -> D F <= D G).
  { clear F G He Hc. intros F G He Hc. apply Rle_trans with (D (fun x => G x + c * ind (fun x => ~ A x) x)).
    - apply mean_mono. intros x. unfold ind. destruct (excluded_middle_informative (~ A x)) as [H|H].
      + generalize (Hc x) (Rle_abs (F x - G x)). lra.
      + rewrite He by (now apply Classical_Prop.NNPP). lra.
    - rewrite mean_plus, mean_scal. unfold sure in HA. change (D (fun x => ind (fun x => ~ A x) x)) with
        (D (ind (fun x => ~ A x))). rewrite HA. lra. }
  apply Rle_antisym; apply H; auto; intros x; [symmetry; auto|]. rewrite Rabs_minus_sym. apply Hc.
Qed.

(* Of the rows that a look is asked of some are decided. There f is g, and on the others f is 0. *)
Definition settled (f g : X -> R) (D : law X) (asked decided : bool) : Prop :=
  match asked, decided with
  | true, true => sure D (fun x => f x = g x)
  | true, false => sure D (fun x => f x = 0)
  | false, false => True
  | false, true => False
  end.
Inductive decides (f g : X -> R) : list (law X) -> list bool -> list bool -> Prop :=
| decides_nil : decides f g nil nil nil
| decides_cons D Ds a d asked decided : settled f g D a d -> decides f g Ds asked decided ->
    decides f g (D :: Ds) (a :: asked) (d :: decided).

Lemma decided_sum f g Ds asked decided : decides f g Ds asked decided -> forall A : R -> Prop,
  P Ds (fun S => A (sumR (select asked S) f)) = P Ds (fun S => A (sumR (select decided S) g)).
Proof.
  assert (Hind : forall (E : law (list X)) A B, Rabs (E (ind A) - E (ind B)) <= 1).
  { intros E A B. assert (H : forall A, 0 <= E (ind A) <= 1).
    { intros C. split; [apply mean_nonneg; intros; apply ind_range|]. rewrite <- (mean_one E).
      apply mean_mono. intros; apply ind_range. }
    generalize (H A) (H B). intros. apply Rabs_le. lra. }
  intros H. induction H as [|D Ds a d asked decided Hs Hd IH]; intros A; [reflexivity|].
  assert (IH' : forall y, prodE Ds (ind (fun S => A (y + sumR (select asked S) f))) =
    prodE Ds (ind (fun S => A (y + sumR (select decided S) g)))) by (intros y; apply (IH (fun t => A (y + t)))).
  change (D (fun x => prodE Ds (ind (fun S => A (sumR (select (a :: asked) (x :: S)) f)))) =
    D (fun x => prodE Ds (ind (fun S => A (sumR (select (d :: decided) (x :: S)) g))))).
  destruct a, d; cbn [settled] in Hs; cbn [select sumR]; try contradiction.
  - rewrite (mean_ext D _ (fun x => prodE Ds (ind (fun S => A (f x + sumR (select decided S) g)))))
      by (intros; apply IH').
    apply (sure_mean D (fun x => f x = g x)) with (c := 1); auto. intros x ->. reflexivity.
  - rewrite (mean_ext D _ (fun x => prodE Ds (ind (fun S => A (f x + sumR (select decided S) g)))))
      by (intros; apply IH').
    apply (sure_mean D (fun x => f x = 0)) with (c := 1); auto. intros x ->.
    apply mean_ext. intros S. unfold ind. now rewrite Rplus_0_l.
  - apply mean_ext. intros x. apply (IH A).
Qed.

Lemma decided_means f g Ds asked decided : (forall x, -1 <= f x <= 1) -> (forall x, -1 <= g x <= 1) ->
  decides f g Ds asked decided ->
  sumR (select asked Ds) (fun D => D f) = sumR (select decided Ds) (fun D => D g).
Proof.
  intros Hf Hg H. induction H as [|D Ds a d asked decided Hs Hd IH]; [reflexivity|].
  assert (Hb : forall y z, -1 <= y <= 1 -> -1 <= z <= 1 -> Rabs (y - z) <= 2) by (intros; apply Rabs_le; lra).
  destruct a, d; cbn [settled] in Hs; cbn [select sumR]; try contradiction; auto.
  - rewrite IH. f_equal. apply (sure_mean D (fun x => f x = g x)) with (c := 2); auto.
  - rewrite IH, (sure_mean D (fun x => f x = 0) f (fun _ => 0) 2); auto; [rewrite mean_const; ring|].
    intros x. apply Hb; auto. lra.
Qed.

Lemma decides_length f g Ds asked decided : decides f g Ds asked decided ->
  (length (select decided Ds) <= length (select asked Ds))%nat.
Proof.
  intros H. induction H as [|D Ds a d asked decided Hs Hd IH]; [auto|].
  destruct a, d; cbn [settled] in Hs; cbn [select length]; try contradiction; lia.
Qed.

Lemma select_length {A B : Type} (l : list A) (k : list B) mask :
  length l = length k -> length (select mask l) = length (select mask k).
Proof.
  revert k mask. induction l as [|x l IH]; intros [|y k] mask H; try discriminate; [now destruct mask|].
  destruct mask as [|[|] mask]; simpl in *; auto.
Qed.

(* The lead of the candidate, its mean over the rows that were asked, and its truth. *)
Variable Ds : list (law X).
Variables asked decided : list bool.
Notation n := (size Ds asked).
Notation d := (size Ds decided).
Definition lead (f : difference X) (S : list X) : R := sumR (select asked S) (dn f) / n.
Definition lead_truth (f : difference X) : R := sumR (select asked Ds) (fun D => D (dn f)) / n.

(* q has the values in [0,1] that the decided rows have. *)
Definition decided_by (f : difference X) (q : query X) : Prop :=
  decides (dn f) (fun x => 2 * fn q x - 1) Ds asked decided.

Lemma spread (q : query X) x : -1 <= 2 * fn q x - 1 <= 1.
Proof. destruct q as [g Hg]. simpl. specialize (Hg x). lra. Qed.

Theorem decided_rows f q : select decided Ds <> nil -> decided_by f q ->
  (forall A : R -> Prop,
     P Ds (fun S => A (lead f S)) = P Ds (fun S => A ((2 * value Ds decided q S - 1) * d / n))) /\
  lead_truth f = (2 * truth Ds decided q - 1) * d / n.
Proof.
  intros Hd H. assert (Hd0 : 0 < d) by (now apply Tails.n_pos).
  assert (Esum : forall l : list X, sumR l (fun x => 2 * fn q x - 1) = 2 * sumR l (fn q) - INR (length l)).
  { intros l. induction l as [|x l IH]; [simpl; ring|]. cbn [sumR length]. rewrite IH, S_INR. ring. }
  split.
  - intros A. unfold lead. rewrite (decided_sum _ _ _ _ _ H (fun y => A (y / n))).
    assert (E : forall S, length S = length Ds ->
      sumR (select decided S) (fun x => 2 * fn q x - 1) / n = (2 * value Ds decided q S - 1) * d / n).
    { intros S HS. rewrite Esum, (select_length S Ds decided HS). unfold value, emp.
      change (INR (length (select decided Ds))) with d. change (Tails.n (select decided Ds)) with d.
      unfold Rdiv. f_equal. field. lra. }
    apply Rle_antisym; apply P_length; intros S HS; now rewrite E.
  - unfold lead_truth. rewrite (decided_means (dn f) _ _ _ _ (proj2_sig f) (spread q) H). unfold truth, pop.
    change (Tails.n (select decided Ds)) with d.
    rewrite (sumR_ext _ _ (fun D : law X => 2 * D (fn q) + - (1))).
    + rewrite sumR_plus, sumR_scal, sumR_const. change (INR (length (select decided Ds))) with d.
      unfold Rdiv. f_equal. field. lra.
    + intros D _. rewrite (mean_ext D _ (fun x => 2 * fn q x + - (1))) by (intros; ring).
      rewrite mean_plus, mean_scal, mean_const. reflexivity.
Qed.

(* No row is decided: nothing leads. *)
Theorem none_decided f q : select decided Ds = nil -> decided_by f q ->
  (forall A : R -> Prop, P Ds (fun S => A (lead f S)) = P Ds (fun _ => A 0)) /\ lead_truth f = 0.
Proof.
  intros Hd H. split.
  - intros A. unfold lead. rewrite (decided_sum _ _ _ _ _ H (fun y => A (y / n))).
    apply Rle_antisym; apply P_length; intros S HS; assert (Hl := select_length S Ds decided HS); rewrite Hd in Hl;
      (destruct (select decided S); [|discriminate]); cbn [sumR]; unfold Rdiv; now rewrite Rmult_0_l.
  - unfold lead_truth. rewrite (decided_means (dn f) _ _ _ _ (proj2_sig f) (spread q) H), Hd. simpl. unfold Rdiv. ring.
Qed.

End Decided.
