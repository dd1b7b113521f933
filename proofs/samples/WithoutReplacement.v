(* docs/theorems/samples.md, "Subset of a benchmark", (4): of n of N items that are drawn uniformly and without
   replacement no convex function of the sum has a greater mean than of n items that are drawn with replacement
   (W. Hoeffding 1963, Theorem 4). *)

From Coq Require Import Reals Lra Lia List Psatz.
From dpcalc Require Import Tree Tails Binomial ConvexOrder.
Import ListNotations.
Open Scope R_scope.

(* An item of a list, and the other ones. *)
Fixpoint picks {X : Type} (l : list X) : list (X * list X) :=
  match l with nil => nil | a :: l => (a, l) :: map (fun p => (fst p, a :: snd p)) (picks l) end.

(* The mean over n draws, each of them uniform among the items that are left. *)
Fixpoint draw {X : Type} (n : nat) (items : list X) (f : list X -> R) : R :=
  match n, items with
  | S n, _ :: _ => sumR (picks items) (fun p => draw n (snd p) (fun s => f (fst p :: s))) / INR (length items)
  | _, _ => f nil
  end.

Section Picks.
Context {X : Type}.
Implicit Types (A items : list X) (p : X * list X).

Lemma picks_length A : length (picks A) = length A.
Proof. induction A as [|a A IH]; simpl; auto. rewrite map_length. auto. Qed.

Lemma picks_rest A p : In p (picks A) -> length A = S (length (snd p)).
Proof.
  revert p. induction A as [|a A IH]; intros p; simpl; [tauto|]. intros [<-|H]; [reflexivity|].
  apply in_map_iff in H. destruct H as (q & <- & Hq). simpl. now rewrite (IH q Hq).
Qed.

Lemma sum_picks A g : sumR (picks A) (fun p => g (fst p)) = sumR A g.
Proof. induction A as [|a A IH]; simpl; auto. rewrite sumR_map. simpl. now rewrite IH. Qed.

Lemma sum_rest A p g : In p (picks A) -> sumR A g = g (fst p) + sumR (snd p) g.
Proof.
  revert p. induction A as [|a A IH]; intros p; simpl; [tauto|]. intros [<-|H]; [reflexivity|].
  apply in_map_iff in H. destruct H as (q & <- & Hq). simpl. rewrite (IH q Hq). ring.
Qed.

(* The first two draws in either order. *)
Lemma picks_swap A (F : X -> X -> list X -> R) :
  sumR (picks A) (fun p => sumR (picks (snd p)) (fun q => F (fst p) (fst q) (snd q))) =
  sumR (picks A) (fun p => sumR (picks (snd p)) (fun q => F (fst q) (fst p) (snd q))).
Proof.
  revert F. induction A as [|a A IH]; intros F; simpl; auto. rewrite !sumR_map. simpl.
  rewrite !sumR_plus.
  rewrite (sumR_ext (picks A) (fun p => sumR (map _ (picks (snd p))) _)
    (fun p => sumR (picks (snd p)) (fun q => F (fst p) (fst q) (a :: snd q))))
    by (intros; now rewrite sumR_map).
  rewrite (sumR_ext (picks A) (fun p => sumR (map _ (picks (snd p))) (fun q => F (fst q) (fst p) (snd q)))
    (fun p => sumR (picks (snd p)) (fun q => F (fst q) (fst p) (a :: snd q))))
    by (intros; now rewrite sumR_map).
  rewrite (IH (fun x y r => F x y (a :: r))). ring.
Qed.

Lemma size_pos A : A <> nil -> 0 < INR (length A).
Proof. intros H. apply lt_0_INR. destruct A; [congruence|simpl; lia]. Qed.

Lemma draw_S n items f : items <> nil ->
  draw (S n) items f = sumR (picks items) (fun p => draw n (snd p) (fun s => f (fst p :: s))) / INR (length items).
Proof. destruct items; [congruence|reflexivity]. Qed.

(* It is a law. *)
Program Definition draws (n : nat) (items : list X) : law (list X) := {| mean := draw n items |}.
Next Obligation.
  revert items. induction n as [|n IH]; intros [|a l]; auto. rewrite draw_S by discriminate.
  rewrite (sumR_ext _ _ (fun _ => 1)) by (intros; apply IH). rewrite sumR_const, picks_length.
  field. apply Rgt_not_eq, size_pos. discriminate.
Qed.
Next Obligation.
  revert items f g. induction n as [|n IH]; intros [|a l] f g; auto. rewrite !draw_S by discriminate.
  rewrite (sumR_ext _ _ (fun p => draw n (snd p) (fun s => f (fst p :: s)) +
    draw n (snd p) (fun s => g (fst p :: s)))) by (intros; apply IH).
  rewrite sumR_plus. unfold Rdiv. ring.
Qed.
Next Obligation.
  revert items f. induction n as [|n IH]; intros [|a l] f; auto. rewrite !draw_S by discriminate.
  rewrite (sumR_ext _ _ (fun p => c * draw n (snd p) (fun s => f (fst p :: s)))) by (intros; apply IH).
  rewrite sumR_scal. unfold Rdiv. ring.
Qed.
Next Obligation.
  revert items f g H. induction n as [|n IH]; intros [|a l] f g H; try (simpl; auto; fail).
  rewrite !draw_S by discriminate.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, size_pos; discriminate|].
  apply sumR_le. intros p _. apply IH. auto.
Qed.

(* A draw from n of the items has n items. *)
Lemma draw_length n items f g : (n <= length items)%nat -> (forall s, length s = n -> f s <= g s) ->
  draw n items f <= draw n items g.
Proof.
  revert items f g. induction n as [|n IH]; intros items f g Hn H.
  - destruct items; simpl; now apply H.
  - assert (Hi : items <> nil) by (destruct items; [simpl in Hn; lia|discriminate]). rewrite !draw_S by auto.
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat, size_pos|].
    apply sumR_le. intros p Hp. apply picks_rest in Hp. apply IH; [lia|]. intros s Hs. apply H. simpl. lia.
Qed.

(* All items have one sum in any order. *)
Lemma draw_all items g F : draw (length items) items (fun s => F (sumR s g)) = F (sumR items g).
Proof.
  assert (H : forall n items F, length items = n -> draw n items (fun s => F (sumR s g)) = F (sumR items g)).
  { clear. induction n as [|n IH]; intros items F Hn.
    - destruct items; [reflexivity|discriminate].
    - assert (Hi : items <> nil) by (destruct items; discriminate). rewrite draw_S by auto.
      rewrite (sumR_ext _ _ (fun _ => F (sumR items g))).
      + rewrite sumR_const, picks_length. field. now apply Rgt_not_eq, size_pos.
      + intros p Hp. rewrite (sum_rest items p g Hp). apply (IH (snd p) (fun y => F (g (fst p) + y))).
        apply picks_rest in Hp. lia. }
  now apply H.
Qed.

(* With replacement. *)
Variable items : list X.
Hypothesis some_items : items <> nil.

Program Definition uniform : law X := {| mean := fun g => sumR items g / INR (length items) |}.
Next Obligation. rewrite sumR_const. field. now apply Rgt_not_eq, size_pos. Qed.
Next Obligation. rewrite sumR_plus. unfold Rdiv. ring. Qed.
Next Obligation. rewrite sumR_scal. unfold Rdiv. ring. Qed.
Next Obligation.
  apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat, size_pos|]. apply sumR_le. auto.
Qed.

End Picks.

(* (4). *)
Section Order.
Context {X : Type}.
Variable f : X -> R.
Notation W k A w := (draw k A (fun s => w (sumR s f))).

Lemma convex_shift w c : convex w -> convex (fun y => w (c + y)).
Proof.
  intros H x y t Ht. replace (c + (t * x + (1 - t) * y)) with (t * (c + x) + (1 - t) * (c + y)) by ring. now apply H.
Qed.

Lemma mean_ext_draw k A (g h : list X -> R) : (forall s, g s = h s) -> draw k A g = draw k A h.
Proof. intros H. apply (mean_ext (draws k A)). exact H. Qed.

(* A draw that is not looked at. *)
Lemma draw_ignored k A (w : R -> R) : (k < length A)%nat ->
  sumR (picks A) (fun p => W k (snd p) w) = INR (length A) * W k A w.
Proof.
  revert A w. induction k as [|k IH]; intros A w Hk.
  - rewrite (sumR_ext _ _ (fun _ => w 0)) by (intros p _; destruct (snd p); reflexivity).
    rewrite sumR_const, picks_length. destruct A; reflexivity.
  - assert (HA : A <> nil) by (destruct A; [simpl in Hk; lia|discriminate]). assert (Hp := size_pos A HA).
    set (N := INR (length A)) in *.
    assert (HN : 0 < N - 1) by (enough (1 < N) by lra; apply lt_1_INR; lia).
    rewrite (sumR_ext (picks A) _ (fun p => / (N - 1) *
      sumR (picks (snd p)) (fun q => W k (snd q) (fun y => w (f (fst q) + y))))).
    2:{ intros p Hin. assert (Hl := picks_rest A p Hin).
        assert (Hi : snd p <> nil) by (destruct (snd p); [simpl in *; lia|discriminate]).
        rewrite draw_S by auto. unfold N. rewrite Hl, S_INR. unfold Rdiv. rewrite Rmult_comm. f_equal. f_equal. ring. }
    rewrite sumR_scal, (picks_swap A (fun x y r => W k r (fun z => w (f y + z)))).
    rewrite (sumR_ext (picks A) _ (fun p => (N - 1) * W k (snd p) (fun y => w (f (fst p) + y)))).
    2:{ intros p Hin. assert (Hl := picks_rest A p Hin).
        rewrite (IH (snd p) (fun y => w (f (fst p) + y))) by lia. unfold N. rewrite Hl, S_INR. f_equal. ring. }
    rewrite sumR_scal, draw_S by auto. fold N. cbn [sumR]. field. lra.
Qed.

(* Two draws of the same item in place of two items. *)
Lemma draw_twice k A (w : R -> R) : convex w -> (S k < length A)%nat ->
  INR (length A) * W (S (S k)) A w <= sumR (picks A) (fun p => W k (snd p) (fun y => w (f (fst p) + (f (fst p) + y)))).
Proof.
  intros Hw Hk. assert (HA : A <> nil) by (destruct A; [simpl in Hk; lia|discriminate]).
  assert (Hp := size_pos A HA). set (N := INR (length A)) in *.
  assert (HN : 0 < N - 1) by (enough (1 < N) by lra; apply lt_1_INR; lia).
  set (T := fun x r => W k r (fun y => w (f x + (f x + y)))).
  rewrite draw_S by auto. fold N. unfold Rdiv. rewrite Rmult_comm, Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_trans with (/ (N - 1) * sumR (picks A) (fun p => sumR (picks (snd p)) (fun q =>
    1/2 * T (fst p) (snd q) + 1/2 * T (fst q) (snd q)))).
  - rewrite <- sumR_scal. apply sumR_le. intros p Hin. assert (Hl := picks_rest A p Hin).
    assert (Hi : snd p <> nil) by (destruct (snd p); [simpl in *; lia|discriminate]).
    rewrite draw_S by auto.
    replace (INR (length (snd p))) with (N - 1) by (unfold N; rewrite Hl, S_INR; ring).
    unfold Rdiv. rewrite Rmult_comm. apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|].
    apply sumR_le. intros q _. unfold T.
    apply Rle_trans with (draws k (snd q) (fun s => 1/2 * w (f (fst p) + (f (fst p) + sumR s f)) +
      1/2 * w (f (fst q) + (f (fst q) + sumR s f)))); [|right; now rewrite mean_plus, !mean_scal].
    apply (mean_mono (draws k (snd q))). intros s. cbn [sumR].
    assert (H := Hw (f (fst p) + (f (fst p) + sumR s f)) (f (fst q) + (f (fst q) + sumR s f)) (1/2) ltac:(lra)).
    replace (1/2 * (f (fst p) + (f (fst p) + sumR s f)) + (1 - 1/2) * (f (fst q) + (f (fst q) + sumR s f))) with
      (f (fst p) + (f (fst q) + sumR s f)) in H by field. lra.
  - right. assert (E : sumR (picks A) (fun p => sumR (picks (snd p)) (fun q => T (fst p) (snd q))) =
      (N - 1) * sumR (picks A) (fun p => T (fst p) (snd p))).
    { rewrite <- sumR_scal. apply sumR_ext. intros p Hin. assert (Hl := picks_rest A p Hin). unfold T.
      rewrite (draw_ignored k (snd p) (fun y => w (f (fst p) + (f (fst p) + y)))) by lia.
      f_equal. unfold N. rewrite Hl, S_INR. ring. }
    rewrite (sumR_ext (picks A) _ (fun p => 1/2 * sumR (picks (snd p)) (fun q => T (fst p) (snd q)) +
      1/2 * sumR (picks (snd p)) (fun q => T (fst q) (snd q))))
      by (intros; now rewrite sumR_plus, !sumR_scal).
    rewrite sumR_plus, !sumR_scal, <- (picks_swap A (fun x _ r => T x r)), E. unfold T. field. lra.
Qed.

(* The last draw from all items. *)
Lemma draw_last k A (w : R -> R) : convex w -> (k < length A)%nat ->
  INR (length A) * W (S k) A w <= sumR A (fun a => W k A (fun y => w (f a + y))).
Proof.
  revert A w. induction k as [|k IH]; intros A w Hw Hk.
  - assert (HA : A <> nil) by (destruct A; [simpl in Hk; lia|discriminate]). assert (Hp := size_pos A HA).
    right. rewrite draw_S by auto. rewrite (sumR_ext (picks A) _ (fun p => w (f (fst p) + 0)))
      by (intros p _; destruct (snd p); reflexivity).
    rewrite (sum_picks A (fun a => w (f a + 0))).
    rewrite (sumR_ext A (fun a => draw 0 A _) (fun a => w (f a + 0))) by (intros; destruct A; reflexivity).
    field. lra.
  - assert (HA : A <> nil) by (destruct A; [simpl in Hk; lia|discriminate]).
    assert (Hp := size_pos A HA). set (N := INR (length A)) in *.
    assert (HN : 0 < N - 1) by (enough (1 < N) by lra; apply lt_1_INR; lia).
    set (M := W (S (S k)) A w).
    assert (E : sumR A (fun a => W (S k) A (fun y => w (f a + y))) = / N * sumR (picks A) (fun q =>
      sumR A (fun a => W k (snd q) (fun y => w (f a + (f (fst q) + y)))))).
    { rewrite sumR_swap, <- sumR_scal. apply sumR_ext. intros a _. rewrite draw_S by auto. fold N.
      unfold Rdiv. apply Rmult_comm. }
    rewrite E. apply Rle_trans with (/ N * (N * M + (N - 1) * (N * M))); [right; field; lra|].
    apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|].
    rewrite (sumR_ext (picks A) _ (fun q => W k (snd q) (fun y => w (f (fst q) + (f (fst q) + y))) +
      sumR (snd q) (fun a => W k (snd q) (fun y => w (f (fst q) + (f a + y)))))).
    2:{ intros q Hin.
        rewrite (sum_rest A q (fun a => W k (snd q) (fun y => w (f a + (f (fst q) + y)))) Hin). f_equal.
        apply sumR_ext. intros a _. apply mean_ext_draw. intros s. f_equal. ring. }
    rewrite sumR_plus. apply Rplus_le_compat; [now apply draw_twice|].
    apply Rle_trans with (sumR (picks A) (fun q => (N - 1) * W (S k) (snd q) (fun y => w (f (fst q) + y)))).
    + right. rewrite sumR_scal. f_equal. unfold M. rewrite (draw_S (S k)) by auto. fold N. cbn [sumR]. field. lra.
    + apply sumR_le. intros q Hin. assert (Hl := picks_rest A q Hin).
      replace (N - 1) with (INR (length (snd q))) by (unfold N; rewrite Hl, S_INR; ring).
      apply (IH (snd q) (fun y => w (f (fst q) + y)) (convex_shift w _ Hw)). lia.
Qed.

Theorem without_replacement n items (H : items <> nil) (w : R -> R) : convex w -> (n <= length items)%nat ->
  draws n items (fun s => w (sumR s f)) <= prodE (repeat (uniform items H) n) (fun s => w (sumR s f)).
Proof.
  assert (Hp := size_pos items H). cbn [mean draws]. revert w. induction n as [|n IH]; intros w Hw Hn.
  - destruct items; simpl; lra.
  - apply Rmult_le_reg_l with (INR (length items)); auto. eapply Rle_trans; [apply draw_last; auto; lia|].
    change (prodE (repeat (uniform items H) (S n)) (fun s => w (sumR s f))) with
      (sumR items (fun a => prodE (repeat (uniform items H) n) (fun s => w (f a + sumR s f))) / INR (length items)).
    unfold Rdiv. rewrite Rmult_comm, Rmult_assoc, Rinv_l, Rmult_1_r by lra. apply sumR_le. intros a _.
    apply (IH (fun y => w (f a + y)) (convex_shift w _ Hw)). lia.
Qed.
End Order.
