(* docs/theorems/transfer.md, "Joint bound", one tail without the tangent: no mean of independent values in [0,1] is
   above the mean of as many equal 0/1 records in the convex order (W. Hoeffding 1956, Theorem 3). *)

From Coq Require Import Reals Lra Lia List Psatz Permutation.
From dpcalc Require Import Tree Tails Binomial.
Import ListNotations.
Open Scope R_scope.

(* The mean of a function of the number of ones among independent 0/1 variables. *)
Fixpoint ones (ps : list R) (g : nat -> R) : R :=
  match ps with nil => g 0%nat | p :: ps => p * ones ps (fun k => g (S k)) + (1 - p) * ones ps g end.

Definition convex_steps (g : nat -> R) : Prop := forall k, 2 * g (S k) <= g k + g (S (S k)).
Definition convex (w : R -> R) : Prop := forall x y t,
  0 <= t <= 1 -> w (t * x + (1 - t) * y) <= t * w x + (1 - t) * w y.

Lemma ones_ext ps g h : (forall k, g k = h k) -> ones ps g = ones ps h.
Proof.
  revert g h. induction ps as [|p ps IH]; intros g h H; simpl; [auto|].
  rewrite (IH g h H), (IH (fun k => g (S k)) (fun k => h (S k))); auto.
Qed.

Lemma ones_perm ps qs g : Permutation ps qs -> ones ps g = ones qs g.
Proof.
  intros H. revert g. induction H as [|p ps qs H IH|p q ps|ps qs rs H1 IH1 H2 IH2]; intros g; simpl; auto.
  - now rewrite !IH.
  - ring.
  - now rewrite IH1, IH2.
Qed.

(* Two means that are brought nearer to one another. *)
Lemma ones_nearer p q p' q' ps g : means ps -> convex_steps g -> p + q = p' + q' -> p * q <= p' * q' ->
  ones (p :: q :: ps) g <= ones (p' :: q' :: ps) g.
Proof.
  intros Hm Hg Hs Hpq. simpl.
  set (g0 := ones ps g). set (g1 := ones ps (fun k => g (S k))). set (g2 := ones ps (fun k => g (S (S k)))).
  assert (H : 2 * g1 <= g0 + g2).
  { unfold g0, g1, g2. clear -Hm Hg. revert g Hg. induction ps as [|x ps IH]; intros g Hg; simpl; [apply Hg|].
    apply means_cons in Hm. destruct Hm as [Hx Hm]. assert (A1 := IH Hm g Hg).
    assert (A2 := IH Hm (fun k => g (S k)) (fun k => Hg (S k))). nra. }
  replace q' with (p + q - p') in * by lra. nra.
Qed.

Theorem hoeffding_convex ps g m : means ps -> convex_steps g -> total ps = INR (length ps) * m ->
  ones ps g <= ones (repeat m (length ps)) g.
Proof.
  assert (H : forall k ps g, length ps = k -> means ps -> convex_steps g -> total ps = INR k * m ->
    ones ps g <= ones (repeat m k) g).
  { clear. induction k as [|k IH]; intros ps g Hl Hm Hg Ht.
    - destruct ps; [simpl; lra|discriminate].
    - destruct ps as [|p ps]; [discriminate|]. injection Hl as Hl. apply means_cons in Hm. destruct Hm as [Hp Hm].
      assert (Hrange : 0 <= m <= 1).
      { assert (Hr := total_range (p :: ps)). assert (means (p :: ps)) by (intros x [<-|Hx]; auto).
        specialize (Hr H). cbn [length] in Hr. rewrite Hl, Ht in Hr.
        assert (Hk : 0 < INR (S k)) by (apply lt_0_INR; lia). nra. }
      assert (Hend : forall rest, length rest = k -> means rest -> total rest = INR k * m ->
        ones (p :: ps) g <= ones (m :: rest) g -> ones (p :: ps) g <= ones (repeat m (S k)) g).
      { intros rest H1 H2 H3 H4. eapply Rle_trans; [exact H4|]. cbn [repeat ones].
        apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; apply IH; auto. intros i. apply Hg. }
      assert (Ht' : p + total ps = INR k * m + m) by (unfold total in *; cbn [sumR] in Ht; rewrite S_INR in Ht; lra).
      destruct (Req_dec p m) as [->|Hpm].
      { apply (Hend ps); auto; lra. }
      assert (Hq : exists q, In q ps /\ (p - m) * (q - m) < 0).
      { destruct (Classical_Prop.classic (exists q, In q ps /\ (p - m) * (q - m) < 0)) as [Hx|Hx]; auto. exfalso.
        assert (Hall : 0 <= sumR ps (fun q => (p - m) * (q - m))).
        { apply sumR_nonneg. intros q Hq. apply Rnot_lt_le. intros Hn. apply Hx. now exists q. }
        rewrite sumR_scal in Hall.
        assert (Es : sumR ps (fun q => q - m) = total ps - INR k * m).
        { unfold total. rewrite <- Hl. rewrite <- (sumR_const ps m). unfold Rminus. rewrite sumR_plus. f_equal.
          rewrite (sumR_ext ps (fun _ => - m) (fun _ => (-1) * m)) by (intros; ring). rewrite sumR_scal. ring. }
        rewrite Es in Hall. replace (total ps - INR k * m) with (- (p - m)) in Hall by lra.
        assert (0 < (p - m) * (p - m)) by (apply Rlt_0_sqr; lra). lra. }
      destruct Hq as (q & Hq & Hneg). assert (Hq01 := Hm q Hq).
      destruct (in_split q ps Hq) as (l1 & l2 & Eps). set (tl := l1 ++ l2).
      assert (HP : Permutation ps (q :: tl)) by (rewrite Eps; symmetry; apply Permutation_middle).
      assert (Hmtl : means tl) by (intros x Hx; apply Hm; eapply Permutation_in; [symmetry; exact HP|right; exact Hx]).
      assert (Htl : total ps = q + total tl).
      { unfold total. rewrite Eps, sumR_app. unfold tl. rewrite sumR_app. cbn [sumR]. lra. }
      apply (Hend (p + q - m :: tl)).
      + rewrite <- Hl. apply Permutation_length in HP. simpl in *. lia.
      + intros x [<-|Hx]; [|auto]. destruct (Rlt_dec p m) as [Hlt|Hge].
        * assert (m < q) by nra. lra.
        * assert (q < m) by nra. lra.
      + unfold total in *. cbn [sumR]. lra.
      + rewrite (ones_perm (p :: ps) (p :: q :: tl)) by (now constructor). apply ones_nearer; auto; [lra|].
        assert (m * (p + q - m) - p * q = - ((p - m) * (q - m))) by ring. lra. }
  intros. now apply H.
Qed.

(* Values in [0,1] and 0/1 values of the same means. *)
Theorem values_below_ones {X : Type} (Ds : list (law X)) (q : query X) (w : R -> R) : convex w ->
  prodE Ds (fun S => w (sumR S (fn q))) <= ones (map (fun D : law X => D (fn q)) Ds) (fun k => w (INR k)).
Proof.
  revert w. induction Ds as [|D Ds IH]; intros w Hw; [simpl; lra|].
  cbn [map ones prodE cons_law mean].
  assert (Hw1 : convex (fun s => w (1 + s))).
  { intros x y t Ht. replace (1 + (t * x + (1 - t) * y)) with (t * (1 + x) + (1 - t) * (1 + y)) by ring. now apply Hw. }
  set (e1 := prodE Ds (fun S => w (1 + sumR S (fn q)))). set (e0 := prodE Ds (fun S => w (sumR S (fn q)))).
  apply Rle_trans with (D (fun x => fn q x * e1 + (1 - fn q x) * e0)).
  - apply mean_mono. intros x. unfold e1, e0. rewrite <- !mean_scal, <- mean_plus. apply mean_mono. intros S.
    cbn [sumR].
    assert (Hx := proj2_sig q x). set (s := sumR S (fn q)).
    replace (fn q x + s) with (fn q x * (1 + s) + (1 - fn q x) * s) by ring. apply Hw. exact Hx.
  - assert (Hp := mean_range q D).
    rewrite (mean_ext D _ (fun x => fn q x * (e1 - e0) + e0)) by (intros; ring).
    rewrite mean_plus, mean_scal_r, mean_const.
    assert (H1 := IH _ Hw1). assert (H0 := IH _ Hw). fold e1 in H1. fold e0 in H0.
    rewrite (ones_ext _ _ (fun k => w (INR (S k)))) in H1 by (intros k; now rewrite S_INR, Rplus_comm).
    set (o1 := ones _ (fun k => w (INR (S k)))) in *. set (o0 := ones _ (fun k => w (INR k))) in *.
    change (e1 <= o1) in H1. change (D (fun x : X => fn q x)) with (D (fn q)).
    assert (D (fn q) * e1 <= D (fn q) * o1) by (apply Rmult_le_compat_l; lra).
    assert ((1 - D (fn q)) * e0 <= (1 - D (fn q)) * o0) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* Summation by parts. *)
Lemma ones_tails ps g : ones ps g = g 0%nat + sumR (seq 0 (length ps)) (fun k => (g (S k) - g k) * at_least ps (S k)).
Proof.
  revert g. induction ps as [|p ps IH]; intros g; [simpl; ring|]. cbn [ones length].
  rewrite (IH g), (IH (fun k => g (S k))). set (N := length ps).
  rewrite (sumR_ext (seq 0 (S N)) _ (fun k => p * ((g (S k) - g k) * at_least ps k) + (1 - p) * ((g (S k) - g k) *
    at_least ps (S k))))
    by (intros; rewrite at_least_S; ring).
  rewrite sumR_plus, !sumR_scal.
  assert (H1 : sumR (seq 0 (S N)) (fun k => (g (S k) - g k) * at_least ps k) =
    g 1%nat - g 0%nat + sumR (seq 0 N) (fun k => (g (S (S k)) - g (S k)) * at_least ps (S k))).
  { cbn [seq sumR]. rewrite at_least_0, Rmult_1_r. f_equal. now rewrite <- seq_shift, sumR_map. }
  assert (H2 : sumR (seq 0 (S N)) (fun k => (g (S k) - g k) * at_least ps (S k)) =
    sumR (seq 0 N) (fun k => (g (S k) - g k) * at_least ps (S k))).
  { rewrite seq_S, sumR_app. cbn [sumR]. rewrite at_least_above by (simpl; unfold N; lia). ring. }
  rewrite H1, H2. ring.
Qed.
