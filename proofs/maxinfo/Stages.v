(* docs/theorems/open.md, "Rows that arrive in stages": the laws of a sample of whose records only the first were seen. *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Kappa Variance Posterior.
From dpcalc Require Ising.
Import ListNotations.
Open Scope R_scope.

(* Independent parts of a sample. *)
Lemma prodE_parts {X} (A B : list (law X)) (f g : list X -> R) :
  prodE (A ++ B) (fun S => f (firstn (length A) S) * g (skipn (length A) S)) = prodE A f * prodE B g.
Proof.
  revert f. induction A as [|D A IH]; intros f; simpl.
  - now rewrite mean_scal.
  - rewrite <- mean_scal_r. apply mean_ext. intros x. apply (IH (fun s => f (x :: s))).
Qed.

Lemma sum_shift (F : nat -> R) k n : sumR (seq k n) F = sumR (seq 0 n) (fun i => F (k + i)%nat).
Proof.
  revert k F. induction n as [|n IH]; intros k F; [reflexivity|]. rewrite sumR_seq_S. cbn [seq sumR].
  rewrite IH, Nat.add_0_r. f_equal. apply sumR_ext. intros i _. f_equal. lia.
Qed.

Lemma sum_parts (F : nat -> R) k m : (k <= m)%nat ->
  sumR (seq 0 m) F = sumR (seq 0 k) F + sumR (seq 0 (m - k)) (fun i => F (k + i)%nat).
Proof.
  intros H. rewrite <- sum_shift. replace m with (k + (m - k))%nat at 1 by lia. now rewrite seq_app, sumR_app.
Qed.

Lemma kap_0 m : kap m 0 = 1.
Proof. unfold kap, kappa_poly. destruct (Nat.eqb m 1); auto. rewrite Rmult_0_r. field. Qed.

Section Stages.
Context {X : Type}.
Variable x0 : X.

Lemma at_first k (S : list X) i : (i < k <= length S)%nat -> at_ x0 (firstn k S) i = at_ x0 S i.
Proof.
  intros H. unfold at_. rewrite <- (firstn_skipn k S) at 2. rewrite app_nth1; auto. rewrite firstn_length_le; lia.
Qed.

Lemma at_later k (S : list X) i : (k <= length S)%nat -> at_ x0 (skipn k S) i = at_ x0 S (k + i).
Proof.
  intros H. unfold at_. rewrite <- (firstn_skipn k S) at 2.
  rewrite app_nth2; rewrite firstn_length_le by lia; [|lia]. f_equal. lia.
Qed.

Section Seen.
Variable Ds : list (law X).
Notation E := (prodE Ds).
Notation n := (Tails.n Ds).
Notation emp := (emp Ds).
Notation rows := (length Ds).

(* As [class], where records from k on have come since: no answer was about them. *)
Definition staged (k : nat) (r : R) (lam : list X -> R) : Prop :=
  exists (d : nat) (v : nat -> X -> nat -> R) (h : nat -> X -> R),
  (forall i x y, sumR (seq 0 d) (fun l => (v i x l - v i y l)^2) <= 4 * r) /\
  (forall i x l, (k <= i)%nat -> v i x l = 0) /\
  forall S, length S = rows -> lam S = dens d v h Ds (at_ x0 S).

Lemma staged_class k r lam : staged k r lam -> class x0 Ds r lam.
Proof. intros (d & v & h & Hr & _ & H). now exists d, v, h. Qed.

Hypothesis some_rows : Ds <> nil.
Hypothesis support : forall D, In D Ds -> finite D.
Variable k : nat.
Hypothesis k_rows : (0 < k <= rows)%nat.
Notation D1 := (firstn k Ds).
Notation D2 := (skipn k Ds).

Lemma first_length : length D1 = k.
Proof. apply firstn_length_le. lia. Qed.

Lemma later_length : length D2 = (rows - k)%nat.
Proof. apply skipn_length. Qed.

Lemma E_split (F f g : list X -> R) : (forall S, length S = rows -> F S = f (firstn k S) * g (skipn k S)) ->
  E F = prodE D1 f * prodE D2 g.
Proof.
  intros H. rewrite (E_rows Ds support F (fun S => f (firstn k S) * g (skipn k S))) by auto.
  assert (A := prodE_parts D1 D2 f g). rewrite first_length, (firstn_skipn k Ds) in A. exact A.
Qed.

Lemma staged_split r lam : staged k r lam -> exists l1 l2, class x0 D1 r l1 /\ class x0 D2 0 l2 /\
  forall S, length S = rows -> lam S = l1 (firstn k S) * l2 (skipn k S).
Proof.
  intros (d & v & h & Hr & H0 & H).
  exists (fun S => dens d v h D1 (at_ x0 S)), (fun S => dens 0 (fun _ _ _ => 0) (fun i => h (k + i)%nat) D2 (at_ x0 S)).
  split; [now exists d, v, h|]. split.
  - exists 0%nat, (fun _ _ _ => 0), (fun i => h (k + i)%nat). split; auto. intros. simpl. lra.
  - intros S HS. rewrite H by auto. unfold dens, Ising.I. rewrite <- exp_plus, first_length, later_length.
    assert (A1 : sumR (seq 0 rows) (fun i => h i (at_ x0 S i)) = sumR (seq 0 k) (fun i => h i (at_ x0 (firstn k S) i)) +
      sumR (seq 0 (rows - k)) (fun i => h (k + i)%nat (at_ x0 (skipn k S) i))).
    { rewrite (sum_parts _ k rows) by lia. f_equal; apply sumR_ext; intros i Hi; apply in_seq in Hi.
      - rewrite at_first; auto. lia.
      - rewrite at_later; auto. lia. }
    assert (A2 : forall l, sumR (seq 0 rows) (fun i => v i (at_ x0 S i) l) =
      sumR (seq 0 k) (fun i => v i (at_ x0 (firstn k S) i) l)).
    { intros l. rewrite (sum_parts _ k rows) by lia.
      rewrite (sumR_ext (seq 0 (rows - k)) _ (fun _ => 0)) by (intros i _; apply H0; lia).
      rewrite sumR_const, Rmult_0_r, Rplus_0_r. apply sumR_ext. intros i Hi. apply in_seq in Hi.
      rewrite at_first; auto. lia. }
    rewrite A1, (sumR_ext (seq 0 d) _ (fun l => (sumR (seq 0 k) (fun i => v i (at_ x0 (firstn k S) i) l))^2))
      by (intros l _; now rewrite A2).
    f_equal. cbn [seq sumR]. lra.
Qed.

Lemma support_1 D : In D D1 -> finite D.
Proof. intros H. apply support. rewrite <- (firstn_skipn k Ds). apply in_or_app. now left. Qed.

Lemma support_2 D : In D D2 -> finite D.
Proof. intros H. apply support. rewrite <- (firstn_skipn k Ds). apply in_or_app. now right. Qed.

(* The variance of a mean: n_1 records of k that were seen, and n - k fresh ones. *)
Theorem later_rows r lam q V t : staged k r lam -> 0 < kap k r -> (INR k / kap k r + (n - INR k)) / (4 * n^2) <= V ->
  E (fun S => lam S * exp (t * (emp q S - centre Ds lam q))) <= exp (V * t^2 / 2) * E lam.
Proof.
  intros Hs Hk HV. assert (Hn := n_pos Ds some_rows). assert (Hk0 : 0 < INR k) by (apply lt_0_INR; lia).
  destruct (Nat.eq_dec k rows) as [Ek|Ek].
  { apply (sub_gaussian x0 Ds some_rows support r); [now apply (staged_class k)|now rewrite <- Ek|].
    eapply Rle_trans; [|exact HV]. rewrite <- Ek. unfold Tails.n in *. rewrite <- Ek in *. right. field. lra. }
  destruct (staged_split r lam Hs) as (l1 & l2 & C1 & C2 & Hl).
  assert (S1 : D1 <> nil) by (intros H; generalize first_length; rewrite H; simpl; lia).
  assert (S2 : D2 <> nil) by (intros H; generalize later_length; rewrite H; simpl; lia).
  assert (N1 : Tails.n D1 = INR k) by (unfold Tails.n; now rewrite first_length).
  assert (N2 : Tails.n D2 = n - INR k) by (unfold Tails.n; rewrite later_length, minus_INR; auto; lia).
  assert (Hn2 := n_pos D2 S2). rewrite N2 in Hn2.
  assert (E1 := class_E_pos x0 D1 support_1 r l1 C1). assert (E2 := class_E_pos x0 D2 support_2 0 l2 C2).
  set (e1 := Tails.emp D1 q) in *. set (e2 := Tails.emp D2 q) in *.
  assert (Hemp : forall S, length S = rows -> emp q S = INR k / n * e1 (firstn k S) + (n - INR k) / n * e2 (skipn k S)).
  { intros S HS. unfold e1, e2, Tails.emp. rewrite N1, N2. rewrite <- (firstn_skipn k S) at 1. rewrite sumR_app.
    field. lra. }
  assert (EL : E lam = prodE D1 l1 * prodE D2 l2) by (apply E_split; auto).
  set (c1 := centre D1 l1 q). set (c2 := centre D2 l2 q).
  assert (Hc : centre Ds lam q = INR k / n * c1 + (n - INR k) / n * c2).
  { unfold centre at 1. rewrite EL.
    rewrite (E_rows Ds support (fun S => lam S * emp q S) (fun S =>
      INR k / n * ((l1 (firstn k S) * e1 (firstn k S)) * l2 (skipn k S)) +
      (n - INR k) / n * (l1 (firstn k S) * (l2 (skipn k S) * e2 (skipn k S))))).
    2:{ intros S HS. rewrite Hl, Hemp by auto. ring. }
    rewrite mean_plus, !mean_scal.
    rewrite (E_split _ (fun S => l1 S * e1 S) l2), (E_split _ l1 (fun S => l2 S * e2 S)) by auto.
    unfold c1, c2, centre. fold e1 e2. field. lra. }
  rewrite (E_split _ (fun S => l1 S * exp (t * INR k / n * (e1 S - c1)))
    (fun S => l2 S * exp (t * (n - INR k) / n * (e2 S - c2)))).
  2:{ intros S HS. rewrite Hl, Hemp, Hc by auto.
      replace (t * (_ - _)) with (t * INR k / n * (e1 (firstn k S) - c1) + t * (n - INR k) / n * (e2 (skipn k S) - c2))
        by (field; lra). rewrite exp_plus. ring. }
  assert (H1 := sub_gaussian x0 D1 S1 support_1 r l1 q (1 / (4 * INR k * kap k r)) (t * INR k / n) C1).
  rewrite first_length, N1 in H1. specialize (H1 Hk (Rle_refl _)). fold c1 in H1.
  assert (H2 := sub_gaussian x0 D2 S2 support_2 0 l2 q (1 / (4 * (n - INR k))) (t * (n - INR k) / n) C2).
  rewrite later_length, N2, kap_0 in H2. specialize (H2 ltac:(lra) ltac:(rewrite Rmult_1_r; lra)). fold c2 in H2.
  fold e1 in H1. fold e2 in H2.
  eapply Rle_trans; [apply Rmult_le_compat; [| |exact H1|exact H2]|].
  - left. apply (E_pos D1 support_1). intros S HS. apply Rmult_lt_0_compat; [now apply (class_pos x0 D1 r)|apply exp_pos].
  - left. apply (E_pos D2 support_2). intros S HS. apply Rmult_lt_0_compat; [now apply (class_pos x0 D2 0)|apply exp_pos].
  - rewrite EL.
    replace (_ * _ * (_ * _)) with
      (exp (1 / (4 * INR k * kap k r) * (t * INR k / n)^2 / 2) * exp (1 / (4 * (n - INR k)) * (t * (n - INR k) / n)^2 / 2)
        * (prodE D1 l1 * prodE D2 l2)) by ring.
    apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|]. rewrite <- exp_plus. apply exp_le.
    replace (_ + _) with ((INR k / kap k r + (n - INR k)) / (4 * n^2) * t^2 / 2) by (field; lra).
    apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; [apply pow2_ge_0|exact HV].
Qed.
End Seen.

(* Rows that come: what was seen of the first m records, as a law of more. *)
Lemma more_rows (Ds : list (law X)) m r lam : (m <= length Ds)%nat -> class x0 (firstn m Ds) r lam -> 0 <= r ->
  staged Ds m r (fun S => lam (firstn m S)).
Proof.
  intros Hm (d & v & h & Hr & H) Hr0.
  exists d, (fun i x l => if (i <? m)%nat then v i x l else 0), (fun i x => if (i <? m)%nat then h i x else 0).
  split; [|split].
  - intros i x y. destruct (i <? m)%nat; auto. rewrite (sumR_ext _ _ (fun _ => 0)) by (intros; ring).
    rewrite sumR_const. lra.
  - intros i x l Hi. destruct (Nat.ltb_spec i m); [lia|auto].
  - intros S HS. assert (Hlen : length (firstn m Ds) = m) by (apply firstn_length_le; lia).
    rewrite H by (rewrite Hlen; apply firstn_length_le; lia). unfold dens, Ising.I. rewrite Hlen.
    assert (Hsum : forall F G : nat -> R, (forall i, (i < m)%nat -> F i = G i) -> (forall i, (m <= i)%nat -> G i = 0) ->
      sumR (seq 0 m) F = sumR (seq 0 (length Ds)) G).
    { intros F G H1 H2. rewrite (sum_parts G m) by lia.
      rewrite (sumR_ext (seq 0 (length Ds - m)) _ (fun _ => 0)) by (intros i _; apply H2; lia).
      rewrite sumR_const, Rmult_0_r, Rplus_0_r. apply sumR_ext. intros i Hi. apply in_seq in Hi. apply H1. lia. }
    f_equal. f_equal; [|f_equal; apply sumR_ext; intros l _; f_equal]; apply Hsum; intros i Hi;
      (destruct (Nat.ltb_spec i m); try lia; auto); rewrite at_first; auto; lia.
Qed.
End Stages.
