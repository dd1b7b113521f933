(* Binomial tails and convex tails in whole numbers. The terms of the binomial law (n, a/(a+e)) come from one near the
   mean, which counts as 2^s, each from its neighbour by their ratio, rounded up or down. They add up to 1: so bounds of
   the terms on either side of that one bound each of them. Beyond the last term that is evaluated all are less. *)

From Coq Require Import Reals Lra Lia List Arith ZArith Bool Psatz.
From dpcalc Require Import Tree Count Tails Binomial ConvexOrder ConvexTail.
Import ListNotations.
Open Scope R_scope.

Lemma C_next n k : (S k * C n (S k) = (n - k) * C n k)%nat.
Proof.
  revert k. induction n as [|n IH]; intros k; [destruct k; cbn; lia|].
  destruct k as [|k].
  - specialize (IH 0%nat). cbn [C]. rewrite !C_0 in *. lia.
  - assert (H1 := IH k). assert (H2 := IH (S k)). cbn [C]. cbn [C] in *.
    destruct (le_lt_dec (S k) n) as [H|H]; [nia|]. rewrite (C_above n (S k)), (C_above n (S (S k))) in * by lia. nia.
Qed.

Definition mass (n : nat) (p : R) (k : nat) : R := INR (C n k) * p^k * (1 - p)^(n - k).

Lemma mass_nonneg n p k : 0 <= p <= 1 -> 0 <= mass n p k.
Proof. intros H. unfold mass. repeat apply Rmult_le_pos; try apply pos_INR; apply pow_le; lra. Qed.

Lemma mass_next n p k : (k < n)%nat -> mass n p (S k) * (INR (S k) * (1 - p)) = mass n p k * (INR (n - k) * p).
Proof.
  intros H. unfold mass. assert (E := f_equal INR (C_next n k)). rewrite !mult_INR in E.
  replace (n - k)%nat with (S (n - S k)) in * by lia. cbn [pow]. set (x := (1 - p)^(n - S k)).
  replace (INR (C n (S k)) * (p * p^k) * x * (INR (S k) * (1 - p))) with
    ((INR (S k) * INR (C n (S k))) * (p * p^k * x * (1 - p))) by ring.
  rewrite E. ring.
Qed.

Lemma masses n p i j : sumR (seq j i) (mass n p) = binomial n p j - binomial n p (j + i).
Proof.
  revert j. induction i as [|i IH]; intros j; [rewrite Nat.add_0_r; simpl; ring|].
  cbn [seq sumR]. rewrite IH. unfold mass at 1. rewrite <- binomial_mass.
  replace (S j + i)%nat with (j + S i)%nat by lia. ring.
Qed.

(* A walk from one term to others, and what it bounds. *)
Section Walk.
Variable mu : Z -> R.
Variables num den : Z -> Z.
Variable dir : Z.
Variable g : Z -> Z.
Variable c : R.

Definition up (x y : Z) : Z := (- (- x / y))%Z.
Definition down (x y : Z) : Z := (x / y)%Z.

Fixpoint walk (div : Z -> Z -> Z) (steps : nat) (k w : Z) : list Z :=
  w :: match steps with O => nil | S s => walk div s (k + dir) (div (w * num k) (den k)) end%Z.
Fixpoint weigh (k : Z) (l : list Z) : Z := match l with nil => 0 | w :: l => g k * w + weigh (k + dir) l end%Z.
Fixpoint along (steps : nat) (k : Z) : R :=
  IZR (g k) * mu k + match steps with O => 0 | S s => along s (k + dir) end.
Fixpoint passable (steps : nat) (k : Z) : Prop :=
  match steps with
  | O => True
  | S s => (0 <= num k)%Z /\ (0 < den k)%Z /\ mu (k + dir) * IZR (den k) = mu k * IZR (num k) /\ passable s (k + dir)
  end.

Lemma up_above x y : (0 < y)%Z -> IZR x <= IZR (up x y) * IZR y.
Proof.
  intros H. rewrite <- mult_IZR. apply IZR_le. unfold up. generalize (Z.mul_div_le (- x) y H). lia.
Qed.

Lemma down_below x y : (0 < y)%Z -> IZR (down x y) * IZR y <= IZR x.
Proof. intros H. rewrite <- mult_IZR. apply IZR_le. unfold down. generalize (Z.mul_div_le x y H). lia. Qed.

Hypothesis g_nonneg : forall k, (0 <= g k)%Z.

Lemma walk_above steps k w : passable steps k -> c * mu k <= IZR w ->
  c * along steps k <= IZR (weigh k (walk up steps k w)) /\
  c * mu (k + dir * Z.of_nat steps)%Z <= IZR (last (walk up steps k w) 0%Z).
Proof.
  revert k w. induction steps as [|s IH]; intros k w Hp Hw.
  - cbn [along walk weigh last]. rewrite Z.mul_0_r, !Z.add_0_r. split; auto. rewrite mult_IZR.
    assert (Hg := IZR_le _ _ (g_nonneg k)). nra.
  - destruct Hp as (Hn & Hd & E & Hp). assert (Hd' := IZR_lt _ _ Hd). assert (Hn' := IZR_le _ _ Hn).
    assert (Hw' : c * mu (k + dir) <= IZR (up (w * num k) (den k))).
    { apply Rmult_le_reg_r with (IZR (den k)); auto. eapply Rle_trans; [|apply up_above; auto].
      rewrite Rmult_assoc, E, mult_IZR. nra. }
    destruct (IH _ _ Hp Hw') as [H1 H2]. split.
    + cbn [along walk weigh]. rewrite plus_IZR, mult_IZR. assert (Hg := IZR_le _ _ (g_nonneg k)). nra.
    + replace (k + dir * Z.of_nat (S s))%Z with (k + dir + dir * Z.of_nat s)%Z by lia.
      replace (last (walk up (S s) k w) 0%Z) with (last (walk up s (k + dir) (up (w * num k) (den k))) 0%Z); auto.
      cbn [walk]. destruct s; reflexivity.
Qed.

Lemma walk_below steps k w : passable steps k -> IZR w <= c * mu k ->
  IZR (weigh k (walk down steps k w)) <= c * along steps k.
Proof.
  revert k w. induction steps as [|s IH]; intros k w Hp Hw.
  - cbn [along walk weigh]. rewrite Z.add_0_r, mult_IZR. assert (Hg := IZR_le _ _ (g_nonneg k)). nra.
  - destruct Hp as (Hn & Hd & E & Hp). assert (Hd' := IZR_lt _ _ Hd). assert (Hn' := IZR_le _ _ Hn).
    assert (Hw' : IZR (down (w * num k) (den k)) <= c * mu (k + dir)).
    { apply Rmult_le_reg_r with (IZR (den k)); auto. eapply Rle_trans; [apply down_below; auto|].
      rewrite Rmult_assoc, E, mult_IZR. nra. }
    assert (H := IH _ _ Hp Hw'). cbn [along walk weigh]. rewrite plus_IZR, mult_IZR.
    assert (Hg := IZR_le _ _ (g_nonneg k)). nra.
Qed.

End Walk.

(* The walks of the law (n, a/(a+e)). *)
Section Law.
Variables n a e : Z.
Hypothesis n_pos : (0 < n)%Z.
Hypothesis a_pos : (0 < a)%Z.
Hypothesis e_pos : (0 < e)%Z.
Notation rows := (Z.to_nat n).
Notation p := (IZR a / (IZR a + IZR e)).
Notation mu k := (mass rows p (Z.to_nat k)).

Definition up_num (k : Z) : Z := ((n - k) * a)%Z.
Definition up_den (k : Z) : Z := ((k + 1) * e)%Z.
Definition down_num (k : Z) : Z := (k * e)%Z.
Definition down_den (k : Z) : Z := ((n - k + 1) * a)%Z.

Lemma p_range : 0 < p < 1.
Proof.
  assert (Ha := IZR_lt _ _ a_pos). assert (He := IZR_lt _ _ e_pos). split; [apply Rdiv_lt_0_compat; lra|].
  apply Rmult_lt_reg_r with (IZR a + IZR e); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma mu_pos k : (0 <= k <= n)%Z -> 0 < mu k.
Proof.
  intros Hk. assert (Hp := p_range). unfold mass. repeat apply Rmult_lt_0_compat; try (apply pow_lt; lra).
  apply lt_0_INR, C_pos. lia.
Qed.

Lemma mu_next k : (0 <= k < n)%Z -> mu (k + 1) * IZR (up_den k) = mu k * IZR (up_num k).
Proof.
  intros Hk. assert (Ha := IZR_lt _ _ a_pos). assert (He := IZR_lt _ _ e_pos).
  assert (H := mass_next rows p (Z.to_nat k) ltac:(lia)). replace (Z.to_nat (k + 1)) with (S (Z.to_nat k)) by lia.
  unfold up_den, up_num. rewrite !mult_IZR.
  replace (INR (S (Z.to_nat k))) with (IZR (k + 1)) in H by (rewrite INR_IZR_INZ; f_equal; lia).
  replace (INR (rows - Z.to_nat k)) with (IZR (n - k)) in H by (rewrite INR_IZR_INZ; f_equal; lia).
  apply Rmult_eq_reg_r with (/ (IZR a + IZR e)); [|apply Rinv_neq_0_compat; lra].
  replace (1 - p) with (IZR e / (IZR a + IZR e)) in H by (field; lra). unfold Rdiv in H.
  rewrite !Rmult_assoc in *. exact H.
Qed.

Lemma passes_up steps k : (0 <= k)%Z -> (k + Z.of_nat steps <= n)%Z -> passable (fun k => mu k) up_num up_den 1 steps k.
Proof.
  revert k. induction steps as [|s IH]; intros k H0 Hk; cbn [passable]; auto.
  split; [unfold up_num; nia|]. split; [unfold up_den; nia|]. split; [apply mu_next; lia|]. apply IH; lia.
Qed.

Lemma passes_down steps k : (k <= n)%Z -> (Z.of_nat steps <= k)%Z ->
  passable (fun k => mu k) down_num down_den (-1) steps k.
Proof.
  revert k. induction steps as [|s IH]; intros k H0 Hk; cbn [passable]; auto.
  split; [unfold down_num; nia|]. split; [unfold down_den; nia|]. split; [|apply IH; lia].
  assert (H := mu_next (k - 1) ltac:(lia)). unfold up_den, up_num, down_num, down_den in *.
  replace (k - 1 + 1)%Z with k in H by lia. replace (n - (k - 1))%Z with (n - k + 1)%Z in H by lia.
  replace (k + -1)%Z with (k - 1)%Z by lia. symmetry. exact H.
Qed.

Definition mean_of (g : Z -> Z) : R := sumR (seq 0 (S rows)) (fun k => IZR (g (Z.of_nat k)) * mass rows p k).

Lemma along_up g steps k : (0 <= k)%Z ->
  along (fun k => mu k) 1 g steps k = sumR (seq (Z.to_nat k) (S steps)) (fun k => IZR (g (Z.of_nat k)) * mass rows p k).
Proof.
  revert k. induction steps as [|s IH]; intros k Hk.
  - cbn [along seq sumR]. rewrite Z2Nat.id by auto. ring.
  - cbn [along]. rewrite IH by lia. replace (Z.to_nat (k + 1)) with (S (Z.to_nat k)) by lia.
    change (seq (Z.to_nat k) (S (S s))) with (Z.to_nat k :: seq (S (Z.to_nat k)) (S s)). cbn [sumR].
    now rewrite Z2Nat.id by auto.
Qed.

Lemma along_down g steps k : (Z.of_nat steps <= k)%Z -> along (fun k => mu k) (-1) g steps k =
  sumR (seq (Z.to_nat k - steps) (S steps)) (fun k => IZR (g (Z.of_nat k)) * mass rows p k).
Proof.
  revert k. induction steps as [|s IH]; intros k Hk.
  - cbn [along]. rewrite Nat.sub_0_r. cbn [seq sumR]. rewrite Z2Nat.id by lia. ring.
  - cbn [along]. rewrite IH by lia. replace (Z.to_nat (k + -1) - s)%nat with (Z.to_nat k - S s)%nat by lia.
    rewrite (seq_S (S s)), sumR_app. cbn [sumR]. replace (Z.to_nat k - S s + S s)%nat with (Z.to_nat k) by lia.
    rewrite Z2Nat.id by lia. ring.
Qed.

(* Beyond a term that is not less than the next, all are less. *)
Lemma falls_up k j : (0 <= k)%Z -> (up_num k <= up_den k)%Z -> (k <= j <= n)%Z -> mu j <= mu k.
Proof.
  intros Hk Hr Hj. replace j with (k + Z.of_nat (Z.to_nat (j - k)))%Z by lia.
  assert (H : (k + Z.of_nat (Z.to_nat (j - k)) <= n)%Z) by lia. revert H. generalize (Z.to_nat (j - k)). clear j Hj.
  induction n0 as [|i IH]; intros H; [rewrite Z.add_0_r; lra|]. eapply Rle_trans; [|apply IH; lia].
  set (l := (k + Z.of_nat i)%Z). replace (k + Z.of_nat (S i))%Z with (l + 1)%Z by lia.
  assert (E := mu_next l ltac:(lia)). assert (Hd : (0 < up_den l)%Z) by (unfold up_den; nia).
  assert (Hl : (up_num l <= up_den l)%Z) by (unfold up_num, up_den in *; unfold l; nia).
  apply Rmult_le_reg_r with (IZR (up_den l)); [now apply IZR_lt|]. rewrite E.
  apply Rmult_le_compat_l; [left; apply mu_pos; lia|now apply IZR_le].
Qed.

Lemma falls_down k j : (k <= n)%Z -> (down_num k <= down_den k)%Z -> (0 <= j <= k)%Z -> mu j <= mu k.
Proof.
  intros Hk Hr Hj. replace j with (k - Z.of_nat (Z.to_nat (k - j)))%Z by lia.
  assert (H : (0 <= k - Z.of_nat (Z.to_nat (k - j)))%Z) by lia. revert H. generalize (Z.to_nat (k - j)). clear j Hj.
  induction n0 as [|i IH]; intros H; [rewrite Z.sub_0_r; lra|]. eapply Rle_trans; [|apply IH; lia].
  set (l := (k - Z.of_nat (S i))%Z). replace (k - Z.of_nat i)%Z with (l + 1)%Z by lia.
  assert (E := mu_next l ltac:(lia)). assert (Hd : (0 < up_den l)%Z) by (unfold up_den; nia).
  assert (Hl : (up_den l <= up_num l)%Z) by (unfold up_num, up_den, down_num, down_den in *; unfold l; nia).
  apply Rmult_le_reg_r with (IZR (up_den l)); [now apply IZR_lt|]. rewrite E.
  apply Rmult_le_compat_l; [left; apply mu_pos; lia|now apply IZR_le].
Qed.

(* How fine, and how far: the first term counts as 2^s, and walks have at most w steps. *)
Variables s w : Z.
Definition centre : Z := (n * a / (a + e))%Z.
Definition steps_up : nat := Z.to_nat (Z.min w (n - centre)).
Definition steps_down : nat := Z.to_nat (Z.min w centre).
Definition ups (div : Z -> Z -> Z) : list Z := walk up_num up_den 1 div steps_up centre (2^s)%Z.
Definition downs (div : Z -> Z -> Z) : list Z := walk down_num down_den (-1) div steps_down centre (2^s)%Z.
Definition one (_ : Z) : Z := 1%Z.
Definition top : Z := (centre + Z.of_nat steps_up)%Z.
Definition bottom : Z := (centre - Z.of_nat steps_down)%Z.

(* What all terms come to, at least and at most, and what a function's mean does. *)
Definition all_down : Z := (weigh 1 one centre (ups down) + weigh (-1) one centre (downs down) - 2^s)%Z.
Definition ends_fall : bool := ((up_num top <=? up_den top) && (down_num bottom <=? down_den bottom))%Z.
Definition all_up : Z := (weigh 1 one centre (ups up) + weigh (-1) one centre (downs up) - 2^s +
  (n - top) * last (ups up) 0 + bottom * last (downs up) 0)%Z.
Definition sum_over (l : list Z) (g : Z -> Z) (most : Z) : Z := (weigh 1 g centre l + (n - top) * most * last l 0)%Z.
Definition sum_up (g : Z -> Z) (most : Z) : Z := sum_over (ups up) g most.
Definition sum_down (g : Z -> Z) : Z := weigh 1 g centre (ups down).

Lemma centre_range : (0 <= centre < n)%Z.
Proof.
  unfold centre. split; [apply Z.div_pos; nia|]. apply Z.div_lt_upper_bound; nia.
Qed.

Lemma top_range : (centre <= top <= n)%Z.
Proof. generalize centre_range. unfold top, steps_up. lia. Qed.
Lemma bottom_range : (0 <= bottom <= centre)%Z.
Proof. generalize centre_range. unfold bottom, steps_down. lia. Qed.

Notation c := (IZR (2^s) / mu centre).

Lemma c_pos : (0 <= s)%Z -> 0 < c.
Proof. intros Hs. apply Rdiv_lt_0_compat; [apply IZR_lt; lia|]. apply mu_pos. generalize centre_range. lia. Qed.

Lemma c_start : c * mu centre = IZR (2^s).
Proof. field. apply Rgt_not_eq, mu_pos. generalize centre_range. lia. Qed.

Lemma terms_nonneg l : 0 <= sumR l (mass rows p).
Proof. apply sumR_nonneg. intros k _. apply mass_nonneg. generalize p_range. lra. Qed.

Lemma all_terms : sumR (seq 0 (S rows)) (mass rows p) = 1.
Proof. rewrite masses. destruct (binomial_ends rows p) as [-> E]. cbn [Nat.add]. rewrite E. ring. Qed.

Lemma split i j : (i <= j <= rows)%nat ->
  seq 0 (S rows) = seq 0 i ++ seq i (S (j - i)) ++ seq (S j) (rows - j).
Proof.
  intros H. replace (S rows) with (i + (S (j - i) + (rows - j)))%nat by lia. rewrite seq_app, seq_app.
  replace (0 + i + S (j - i))%nat with (S j) by lia. reflexivity.
Qed.

Lemma one_sum l : sumR l (fun k => IZR (one (Z.of_nat k)) * mass rows p k) = sumR l (mass rows p).
Proof. apply sumR_ext. intros k _. unfold one. ring. Qed.

Lemma middle : sumR (seq (Z.to_nat bottom) (S (Z.to_nat top - Z.to_nat bottom))) (mass rows p) =
  along (fun k => mu k) 1 one steps_up centre + along (fun k => mu k) (-1) one steps_down centre - mu centre.
Proof.
  assert (Hc := centre_range). assert (Ht := top_range). assert (Hb := bottom_range).
  rewrite along_up, along_down, !one_sum by (unfold bottom in *; lia).
  replace (S (Z.to_nat top - Z.to_nat bottom)) with (steps_down + S steps_up)%nat by (unfold top, bottom in *; lia).
  rewrite seq_app, sumR_app. replace (Z.to_nat bottom + steps_down)%nat with (Z.to_nat centre) by (unfold bottom in *; lia).
  replace (Z.to_nat centre - steps_down)%nat with (Z.to_nat bottom) by (unfold bottom; lia).
  rewrite (seq_S steps_down), sumR_app. replace (Z.to_nat bottom + steps_down)%nat with (Z.to_nat centre) by (unfold bottom in *; lia).
  cbn [sumR]. ring.
Qed.

Lemma one_nonneg k : (0 <= one k)%Z.
Proof. unfold one. lia. Qed.

Lemma all_at_least : (0 <= s)%Z -> IZR all_down <= c.
Proof.
  intros Hs. assert (Hc := centre_range). assert (Hp := c_pos Hs). unfold all_down. rewrite minus_IZR, plus_IZR.
  assert (H1 := walk_below (fun k => mu k) up_num up_den 1 one c one_nonneg steps_up centre (2^s)
    (passes_up steps_up centre (proj1 Hc) ltac:(generalize top_range; unfold top; lia)) (Req_le _ _ (eq_sym c_start))).
  assert (H2 := walk_below (fun k => mu k) down_num down_den (-1) one c one_nonneg steps_down centre (2^s)
    (passes_down steps_down centre ltac:(lia) ltac:(generalize bottom_range; unfold bottom; lia)) (Req_le _ _ (eq_sym c_start))).
  fold (ups down) in H1. fold (downs down) in H2.
  assert (Hm : sumR (seq (Z.to_nat bottom) (S (Z.to_nat top - Z.to_nat bottom))) (mass rows p) <= 1).
  { rewrite <- all_terms, (split (Z.to_nat bottom) (Z.to_nat top)) by (generalize top_range bottom_range; lia).
    rewrite !sumR_app. generalize (terms_nonneg (seq 0 (Z.to_nat bottom))) (terms_nonneg (seq (S (Z.to_nat top)) (rows - Z.to_nat top))). lra. }
  rewrite middle in Hm. assert (Hs' := c_start). apply Rmult_le_compat_l with (r := c) in Hm; [|lra].
  rewrite Rmult_minus_distr_l, Rmult_plus_distr_l in Hm. lra.
Qed.

Lemma terms_at_most l b : (forall k, In k l -> mass rows p k <= b) -> sumR l (mass rows p) <= INR (length l) * b.
Proof. intros H. rewrite <- sumR_const. now apply sumR_le. Qed.

Lemma all_at_most : (0 <= s)%Z -> ends_fall = true -> c <= IZR all_up.
Proof.
  intros Hs He. apply andb_prop in He. destruct He as [He1 He2]. apply Z.leb_le in He1, He2.
  assert (Hc := centre_range). assert (Hp := c_pos Hs). assert (Ht := top_range). assert (Hb := bottom_range).
  unfold all_up. rewrite !plus_IZR, minus_IZR, plus_IZR, !mult_IZR.
  destruct (walk_above (fun k => mu k) up_num up_den 1 one c one_nonneg steps_up centre (2^s)
    (passes_up steps_up centre (proj1 Hc) ltac:(generalize top_range; unfold top; lia)) (Req_le _ _ c_start)) as [H1 L1].
  destruct (walk_above (fun k => mu k) down_num down_den (-1) one c one_nonneg steps_down centre (2^s)
    (passes_down steps_down centre ltac:(lia) ltac:(generalize bottom_range; unfold bottom; lia)) (Req_le _ _ c_start)) as [H2 L2].
  fold (ups up) in H1, L1. fold (downs up) in H2, L2.
  replace (centre + 1 * Z.of_nat steps_up)%Z with top in L1 by (unfold top; lia).
  replace (centre + -1 * Z.of_nat steps_down)%Z with bottom in L2 by (unfold bottom; lia).
  assert (Hm := all_terms). rewrite (split (Z.to_nat bottom) (Z.to_nat top)) in Hm by lia.
  rewrite !sumR_app, middle in Hm.
  assert (R1 : sumR (seq 0 (Z.to_nat bottom)) (mass rows p) <= IZR bottom * mu bottom).
  { eapply Rle_trans; [apply (terms_at_most _ (mu bottom))|].
    - intros k Hk. apply in_seq in Hk. rewrite <- (Nat2Z.id k). apply falls_down; auto; lia.
    - rewrite seq_length, INR_IZR_INZ, Z2Nat.id by lia. lra. }
  assert (R2 : sumR (seq (S (Z.to_nat top)) (rows - Z.to_nat top)) (mass rows p) <= IZR (n - top) * mu top).
  { eapply Rle_trans; [apply (terms_at_most _ (mu top))|].
    - intros k Hk. apply in_seq in Hk. rewrite <- (Nat2Z.id k). apply falls_up; auto; lia.
    - rewrite seq_length, INR_IZR_INZ. replace (Z.of_nat (rows - Z.to_nat top)) with (n - top)%Z by lia. lra. }
  assert (Hs' := c_start). assert (B0 := IZR_le _ _ (proj1 Hb)). assert (T0 : 0 <= IZR (n - top)) by (apply IZR_le; lia).
  assert (c * (IZR bottom * mu bottom) <= IZR bottom * IZR (last (downs up) 0%Z)) by
    (rewrite (Rmult_comm (IZR bottom)), <- Rmult_assoc, Rmult_comm; now apply Rmult_le_compat_l).
  assert (c * (IZR (n - top) * mu top) <= IZR (n - top) * IZR (last (ups up) 0%Z)) by
    (rewrite (Rmult_comm (IZR (n - top))), <- Rmult_assoc, Rmult_comm; now apply Rmult_le_compat_l).
  apply (f_equal (Rmult c)) in Hm. rewrite !Rmult_plus_distr_l, Rmult_minus_distr_l, Rmult_plus_distr_l in Hm.
  apply Rmult_le_compat_l with (r := c) in R1; [|lra]. apply Rmult_le_compat_l with (r := c) in R2; [|lra]. lra.
Qed.

Variable g : Z -> Z.
Hypothesis g_nonneg : forall k, (0 <= g k)%Z.

Theorem mean_at_most most : (0 <= s)%Z -> (up_num top <= up_den top)%Z -> (0 < all_down)%Z -> (0 <= most)%Z ->
  (forall k, (0 <= k <= n)%Z -> (g k <= most)%Z) -> (forall k, (0 <= k < centre)%Z -> g k = 0%Z) ->
  mean_of g <= IZR (sum_up g most) / IZR all_down.
Proof.
  intros Hs Hf Ha Hm Hg H0. assert (Hc := centre_range). assert (Hp := c_pos Hs). assert (Ht := top_range).
  destruct (walk_above (fun k => mu k) up_num up_den 1 g c g_nonneg steps_up centre (2^s)
    (passes_up steps_up centre (proj1 Hc) ltac:(generalize top_range; unfold top; lia)) (Req_le _ _ c_start)) as [H1 L1].
  fold (ups up) in H1, L1. replace (centre + 1 * Z.of_nat steps_up)%Z with top in L1 by (unfold top; lia).
  assert (Hu : c * mean_of g <= IZR (sum_up g most)).
  { unfold mean_of, sum_up, sum_over. rewrite (split (Z.to_nat centre) (Z.to_nat top)) by lia. rewrite !sumR_app.
    replace (S (Z.to_nat top - Z.to_nat centre)) with (S steps_up) by (unfold top in *; lia).
    rewrite <- (along_up g steps_up centre) by lia.
    replace (sumR (seq 0 (Z.to_nat centre)) (fun k => IZR (g (Z.of_nat k)) * mass rows p k)) with 0.
    2:{ rewrite (sumR_ext _ _ (fun _ => 0)); [rewrite sumR_const; ring|]. intros k Hk. apply in_seq in Hk.
      rewrite H0 by lia. ring. }
    assert (R2 : sumR (seq (S (Z.to_nat top)) (rows - Z.to_nat top)) (fun k => IZR (g (Z.of_nat k)) * mass rows p k) <=
      IZR (n - top) * (IZR most * mu top)).
    { eapply Rle_trans; [apply (sumR_le _ _ (fun _ => IZR most * mu top))|].
      - intros k Hk. apply in_seq in Hk. apply Rmult_le_compat.
        + apply IZR_le, g_nonneg.
        + apply mass_nonneg. generalize p_range. lra.
        + apply IZR_le, Hg. lia.
        + rewrite <- (Nat2Z.id k) at 1. apply falls_up; auto; lia.
      - rewrite sumR_const, seq_length, INR_IZR_INZ. replace (Z.of_nat (rows - Z.to_nat top)) with (n - top)%Z by lia. lra. }
    rewrite plus_IZR, !mult_IZR. assert (T0 : 0 <= IZR (n - top)) by (apply IZR_le; lia). assert (M0 := IZR_le _ _ Hm).
    assert (Hl : c * (IZR (n - top) * (IZR most * mu top)) <= IZR (n - top) * IZR most * IZR (last (ups up) 0%Z)).
    { replace (c * (IZR (n - top) * (IZR most * mu top))) with (IZR (n - top) * IZR most * (c * mu top)) by ring.
      apply Rmult_le_compat_l; auto. now apply Rmult_le_pos. }
    apply Rmult_le_compat_l with (r := c) in R2; [|lra]. rewrite !Rmult_plus_distr_l, Rmult_0_r. lra. }
  assert (Hd := all_at_least Hs). assert (Ha' := IZR_lt _ _ Ha).
  assert (0 <= mean_of g).
  { apply sumR_nonneg. intros k _. apply Rmult_le_pos; [apply IZR_le, g_nonneg|apply mass_nonneg; generalize p_range; lra]. }
  apply Rmult_le_reg_r with (IZR all_down); auto. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

Theorem mean_at_least : (0 <= s)%Z -> ends_fall = true -> (0 < all_up)%Z -> IZR (sum_down g) / IZR all_up <= mean_of g.
Proof.
  intros Hs Hf Ha. assert (Hc := centre_range). assert (Hp := c_pos Hs). assert (Ht := top_range).
  assert (H1 := walk_below (fun k => mu k) up_num up_den 1 g c g_nonneg steps_up centre (2^s)
    (passes_up steps_up centre (proj1 Hc) ltac:(generalize top_range; unfold top; lia)) (Req_le _ _ (eq_sym c_start))).
  fold (ups down) in H1. fold (sum_down g) in H1.
  assert (Hn : forall l, 0 <= sumR l (fun k => IZR (g (Z.of_nat k)) * mass rows p k)).
  { intros l. apply sumR_nonneg. intros k _.
    apply Rmult_le_pos; [apply IZR_le, g_nonneg|apply mass_nonneg; generalize p_range; lra]. }
  assert (Hu : IZR (sum_down g) <= c * mean_of g).
  { eapply Rle_trans; [exact H1|]. apply Rmult_le_compat_l; [lra|]. unfold mean_of.
    rewrite (split (Z.to_nat centre) (Z.to_nat top)), !sumR_app by lia.
    replace (S (Z.to_nat top - Z.to_nat centre)) with (S steps_up) by (unfold top in *; lia).
    rewrite <- (along_up g steps_up centre) by lia.
    generalize (Hn (seq 0 (Z.to_nat centre))) (Hn (seq (S (Z.to_nat top)) (rows - Z.to_nat top))). lra. }
  assert (Hd := all_at_most Hs Hf). assert (Ha' := IZR_lt _ _ Ha).
  assert (0 <= mean_of g) by apply Hn.
  apply Rmult_le_reg_r with (IZR all_up); auto. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

End Law.

(* Both kinds of tails are means. *)
Definition from (k i : Z) : Z := if (k <=? i)%Z then 1%Z else 0%Z.
Definition beyond (t i : Z) : Z := Z.max 0 (i - t).

Lemma from_nonneg k i : (0 <= from k i)%Z.
Proof. unfold from. destruct (k <=? i)%Z; lia. Qed.

Lemma beyond_nonneg t i : (0 <= beyond t i)%Z.
Proof. unfold beyond. lia. Qed.

Lemma binomial_mean n a e k : (0 <= k <= n + 1)%Z ->
  binomial (Z.to_nat n) (IZR a / (IZR a + IZR e)) (Z.to_nat k) = mean_of n a e (from k).
Proof.
  intros Hk. unfold mean_of. replace (S (Z.to_nat n)) with (Z.to_nat k + (S (Z.to_nat n) - Z.to_nat k))%nat by lia.
  rewrite seq_app, sumR_app.
  rewrite (sumR_ext (seq 0 _) _ (fun _ => 0)).
  2:{ intros i Hi. apply in_seq in Hi. unfold from. destruct (Z.leb_spec k (Z.of_nat i)); [lia|ring]. }
  rewrite (sumR_ext (seq (0 + _) _) _ (mass (Z.to_nat n) (IZR a / (IZR a + IZR e)))).
  2:{ intros i Hi. apply in_seq in Hi. unfold from. destruct (Z.leb_spec k (Z.of_nat i)); [ring|lia]. }
  rewrite sumR_const, masses, Nat.add_0_l.
  replace (Z.to_nat k + (S (Z.to_nat n) - Z.to_nat k))%nat with (S (Z.to_nat n)) by lia.
  rewrite (proj2 (binomial_ends _ _)). ring.
Qed.

Lemma excess_mean n a e t : (0 <= t)%Z ->
  excess (Z.to_nat n) (IZR a / (IZR a + IZR e)) (Z.to_nat t) = mean_of n a e (beyond t).
Proof.
  intros Ht. rewrite excess_mass. apply sumR_ext. intros i _. unfold mass, beyond. f_equal.
  rewrite INR_IZR_INZ. f_equal. lia.
Qed.

Lemma excess_floor m p t : 0 <= p <= 1 -> INR m * p - INR t <= excess m p t.
Proof.
  intros Hp. assert (H : forall m s, INR m * p - s <= ones (repeat p m) (fun k => Rmax 0 (INR k - s))).
  { clear m t. induction m as [|m IH]; intros s; cbn [repeat ones].
    - simpl. rewrite Rmult_0_l. rewrite Rminus_0_l. eapply Rle_trans; [|apply Rmax_r]. lra.
    - assert (A := IH s). assert (B := IH (s - 1)). rewrite S_INR.
      rewrite (ones_ext _ (fun k => Rmax 0 (INR (S k) - s)) (fun k => Rmax 0 (INR k - (s - 1))))
        by (intros k; rewrite S_INR; f_equal; ring).
      apply Rmult_le_compat_l with (r := p) in B; [|lra]. apply Rmult_le_compat_l with (r := 1 - p) in A; lra. }
  eapply Rle_trans; [apply H|]. right. apply ones_ext. intros k. apply positive_part.
Qed.

(* Decisions: a probability is at most u/v, the expectation a/d, the value x/d. *)
Section Decide.
Variables n s w : Z.
Variables u v d : Z.

(* What all terms come to at least, and the terms from the one near the mean on, at most: evaluated once. *)
Definition evaluated (a : Z) : Z * list Z := (all_down n a (d - a) s w, ups n a (d - a) s w up).

Definition sound_by (a all : Z) : bool :=
  ((0 <? n) && (0 <? a) && (a <? d) && (0 <=? s) && (0 <? v) && (0 <? all) &&
   (up_num n a (top n a (d - a) w) <=? up_den (d - a) (top n a (d - a) w)))%Z.
Definition sound (a : Z) : bool := sound_by a (all_down n a (d - a) s w).

Definition count_within (a k : Z) : bool :=
  let '(all, terms) := evaluated a in
  (sound_by a all && (centre n a (d - a) <=? k) && (k <=? n + 1) &&
   (sum_over n a (d - a) w terms (from k) 1 * v <=? u * all))%Z.

Definition hinge_by (a x t : Z) (r : Z * list Z) : bool :=
  let '(all, terms) := r in
  (sound_by a all && (centre n a (d - a) <=? t + 1) && (0 <=? t) && (t <=? n) && (t * d <? n * x) &&
   (sum_over n a (d - a) w terms (beyond t) (n - t) * v * d <=? u * (n * x - t * d) * all))%Z.
Definition hinge_within (a x t : Z) : bool := hinge_by a x t (evaluated a).

Lemma mean_of_fraction a : IZR a + IZR (d - a) = IZR d.
Proof. rewrite <- plus_IZR. f_equal. lia. Qed.

Lemma sound_parts a : sound a = true -> (0 < n)%Z /\ (0 < a < d)%Z /\ (0 <= s)%Z /\ (0 < v)%Z /\
  (0 < all_down n a (d - a) s w)%Z /\ (up_num n a (top n a (d - a) w) <= up_den (d - a) (top n a (d - a) w))%Z.
Proof. unfold sound, sound_by. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le. tauto. Qed.

Lemma fraction_le x y p q : (0 < y)%Z -> (0 < q)%Z -> (x * q <= p * y)%Z -> IZR x / IZR y <= IZR p / IZR q.
Proof.
  intros Hy Hq H. apply IZR_le in H. rewrite !mult_IZR in H. assert (A := IZR_lt _ _ Hy). assert (B := IZR_lt _ _ Hq).
  apply Rmult_le_reg_r with (IZR y); auto. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rmult_le_reg_r with (IZR q); auto. replace (IZR p / IZR q * IZR y * IZR q) with (IZR p * IZR y) by (field; lra). lra.
Qed.

Theorem count_within_valid a k : count_within a k = true -> binomial (Z.to_nat n) (IZR a / IZR d) (Z.to_nat k) <= IZR u / IZR v.
Proof.
  unfold count_within, evaluated. fold (sound a). rewrite !andb_true_iff, !Z.leb_le. intros [[[H Hc] Hk] Hl].
  destruct (sound_parts _ H) as (Hn & Ha & Hs & Hv & Hd & Hf). assert (C0 := centre_range n a (d - a) Hn ltac:(lia) ltac:(lia)).
  rewrite <- (mean_of_fraction a), binomial_mean by lia.
  eapply Rle_trans; [apply (mean_at_most n a (d - a) Hn) with (s := s) (w := w) (most := 1%Z); auto; try lia|].
  - intros; apply from_nonneg.
  - intros i _. unfold from. destruct (k <=? i)%Z; lia.
  - intros i Hi. unfold from. destruct (Z.leb_spec k i); lia.
  - unfold sum_up. apply fraction_le; auto.
Qed.

(* It is more than u/v. *)
Definition count_above (a k : Z) : bool :=
  (sound a && ends_fall n a (d - a) w && (0 <? all_up n a (d - a) s w) && (0 <=? k) && (k <=? n + 1) &&
   (u * all_up n a (d - a) s w <? sum_down n a (d - a) s w (from k) * v))%Z.

Theorem count_above_valid a k : count_above a k = true ->
  IZR u / IZR v < binomial (Z.to_nat n) (IZR a / IZR d) (Z.to_nat k).
Proof.
  unfold count_above. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le. intros [[[[[H He] Hm] H0] Hk] Hl].
  destruct (sound_parts _ H) as (Hn & Ha & Hs & Hv & Hd & Hf). assert (Mp := IZR_lt _ _ Hm). assert (Vp := IZR_lt _ _ Hv).
  assert (Hlo := mean_at_least n a (d - a) Hn ltac:(lia) ltac:(lia) s w (from k) (from_nonneg k) Hs He Hm).
  rewrite <- (mean_of_fraction a), binomial_mean by lia. eapply Rlt_le_trans; [|exact Hlo].
  apply IZR_lt in Hl. rewrite !mult_IZR in Hl. apply Rmult_lt_reg_r with (IZR v); auto. unfold Rdiv at 1.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. apply Rmult_lt_reg_r with (IZR (all_up n a (d - a) s w)); auto.
  match goal with |- _ < ?e / ?y * ?z * ?y => replace (e / y * z * y) with (e * z) by (field; lra) end. exact Hl.
Qed.

Theorem hinge_within_valid a x t : hinge_within a x t = true -> INR (Z.to_nat t) < IZR n * (IZR x / IZR d) /\
  convex_tail (Z.to_nat n) (IZR a / IZR d) (IZR x / IZR d) (Z.to_nat t) <= IZR u / IZR v.
Proof.
  unfold hinge_within, hinge_by, evaluated. fold (sound a). rewrite !andb_true_iff, !Z.leb_le, Z.ltb_lt. intros [[[[[H Hc] Ht] Htn] Hx] Hl].
  destruct (sound_parts _ H) as (Hn & Ha & Hs & Hv & Hd & Hf).
  assert (Dp : 0 < IZR d) by (apply IZR_lt; lia).
  assert (En : INR (Z.to_nat n) = IZR n) by (rewrite INR_IZR_INZ; f_equal; lia).
  assert (Et : INR (Z.to_nat t) = IZR t) by (rewrite INR_IZR_INZ; f_equal; lia).
  assert (Ex : IZR n * (IZR x / IZR d) - IZR t = IZR (n * x - t * d) / IZR d) by (rewrite minus_IZR, !mult_IZR; field; lra).
  assert (Hx' : 0 < IZR (n * x - t * d)) by (apply IZR_lt; lia).
  assert (Hq : 0 < IZR (n * x - t * d) / IZR d) by now apply Rdiv_lt_0_compat.
  split; [lra|]. unfold convex_tail. rewrite En, Et, Ex. rewrite <- (mean_of_fraction a), excess_mean by lia.
  rewrite (mean_of_fraction a).
  apply Rmult_le_reg_r with (IZR (n * x - t * d) / IZR d); auto. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  eapply Rle_trans; [apply (mean_at_most n a (d - a) Hn) with (s := s) (w := w) (most := (n - t)%Z); auto; try lia|].
  - intros; apply beyond_nonneg.
  - intros i Hi. unfold beyond. lia.
  - intros i Hi. unfold beyond. lia.
  - replace (IZR u / IZR v * (IZR (n * x - t * d) / IZR d)) with (IZR (u * (n * x - t * d)) / IZR (v * d)).
    + unfold sum_up. apply fraction_le; auto; nia.
    + rewrite !mult_IZR. field. split; apply Rgt_not_eq; auto. apply IZR_lt; auto.
Qed.

(* Nothing of it is enough: no whole t gives u/v. *)
Fixpoint beats (x most t : Z) (l : list Z) : Z * Z * bool :=
  match l with
  | nil => (0, 0, true)
  | r :: l =>
    let '(above, all, ok) := beats x most (t + 1) l in
    (above + all, all + r, ok && ((n * x <=? t * d) || (u * (n * x - t * d) * most <? (above + all) * v * d)))
  end%Z.

Definition no_hinge (a x : Z) : bool :=
  let most := all_up n a (d - a) s w in
  (sound a && ends_fall n a (d - a) w && (0 <? most) && (0 <=? u) && (u <=? v) &&
   (n * x <=? (top n a (d - a) w + 1) * d) && (u * (n * x - (centre n a (d - a) - 1) * d) <? v * d) &&
   snd (beats x most (centre n a (d - a)) (ups n a (d - a) s w down)))%Z.

Lemma beats_sums x most t l : fst (fst (beats x most t l)) = weigh 1 (beyond t) t l /\
  snd (fst (beats x most t l)) = weigh 1 one t l.
Proof.
  assert (Hz : forall l t i, (t <= i)%Z -> weigh 1 (beyond (t - 1)) i l = (weigh 1 (beyond t) i l + weigh 1 one i l)%Z).
  { clear. induction l as [|r l IH]; intros t i Hi; cbn [weigh]; [lia|]. rewrite IH by lia. unfold beyond, one. rewrite !Z.max_r by lia. ring. }
  revert t. induction l as [|r l IH]; intros t; [auto|]. cbn [beats weigh]. specialize (IH (t + 1)%Z).
  destruct (beats x most (t + 1) l) as [[above all] ok]. cbn [fst snd] in *. destruct IH as [-> ->].
  assert (H := Hz l (t + 1)%Z (t + 1)%Z ltac:(lia)). replace (t + 1 - 1)%Z with t in H by lia. rewrite H.
  split; [replace (beyond t t) with 0%Z by (unfold beyond; lia)|change (one t) with 1%Z]; ring.
Qed.

Lemma beats_each x most t l : snd (beats x most t l) = true -> forall i, (0 <= i < Z.of_nat (length l))%Z ->
  (n * x <= (t + i) * d)%Z \/
  (u * (n * x - (t + i) * d) * most < weigh 1 (beyond (t + i)) t l * v * d)%Z.
Proof.
  revert t. induction l as [|r l IH]; intros t H i Hi; [cbn [length] in Hi; lia|]. cbn [length] in Hi.
  cbn [beats] in H. specialize (IH (t + 1)%Z). assert (Hs := beats_sums x most t (r :: l)). cbn [beats] in Hs.
  destruct (beats x most (t + 1) l) as [[above all] ok]. cbn [fst snd] in *.
  apply andb_prop in H. destruct H as [Hok H]. destruct (Z.eq_dec i 0) as [->|Hi0].
  - rewrite Z.add_0_r, <- (proj1 Hs). apply orb_prop in H. rewrite Z.leb_le, Z.ltb_lt in H. exact H.
  - specialize (IH Hok (i - 1)%Z ltac:(lia)). replace (t + 1 + (i - 1))%Z with (t + i)%Z in IH by lia.
    destruct IH as [IH|IH]; [now left|right]. cbn [weigh]. unfold beyond at 1. replace (Z.max 0 (t - (t + i))) with 0%Z by lia. lia.
Qed.

Theorem no_hinge_valid a x : no_hinge a x = true -> forall t, INR t < IZR n * (IZR x / IZR d) ->
  IZR u / IZR v < convex_tail (Z.to_nat n) (IZR a / IZR d) (IZR x / IZR d) t.
Proof.
  unfold no_hinge. cbv zeta. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le. intros [[[[[[[H He] Hm] Hu] Huv] Htop] Hlow] Hb].
  destruct (sound_parts _ H) as (Hn & Ha & Hs & Hv & Hd & Hf). intros t Ht.
  assert (Dp : 0 < IZR d) by (apply IZR_lt; lia). assert (Vp := IZR_lt _ _ Hv).
  assert (En : INR (Z.to_nat n) = IZR n) by (rewrite INR_IZR_INZ; f_equal; lia).
  assert (Et : INR t = IZR (Z.of_nat t)) by apply INR_IZR_INZ. set (z := Z.of_nat t) in *.
  assert (Ex : IZR n * (IZR x / IZR d) - IZR z = IZR (n * x - z * d) / IZR d) by (rewrite minus_IZR, !mult_IZR; field; lra).
  assert (Hz : (z * d < n * x)%Z).
  { apply lt_IZR. rewrite !mult_IZR. rewrite Et in Ht. apply Rmult_lt_compat_r with (r := IZR d) in Ht; auto.
    replace (IZR n * (IZR x / IZR d) * IZR d) with (IZR n * IZR x) in Ht by (field; lra). exact Ht. }
  assert (Hx' : 0 < IZR (n * x - z * d)) by (apply IZR_lt; lia).
  assert (Hq : 0 < IZR (n * x - z * d) / IZR d) by now apply Rdiv_lt_0_compat.
  assert (Hc := centre_range n a (d - a) Hn ltac:(lia) ltac:(lia)). set (k0 := centre n a (d - a)) in *.
  assert (Htp := top_range n a (d - a) Hn ltac:(lia) ltac:(lia) w). fold k0 in Htp.
  unfold convex_tail. rewrite En, Et, Ex. apply Rmult_lt_reg_r with (IZR (n * x - z * d) / IZR d); auto.
  match goal with |- _ < ?e / ?y * ?y => replace (e / y * y) with e by (field; lra) end.
  replace (IZR u / IZR v * (IZR (n * x - z * d) / IZR d)) with (IZR (u * (n * x - z * d)) / IZR (v * d))
    by (rewrite !mult_IZR; field; lra).
  assert (VD : 0 < IZR (v * d)) by (apply IZR_lt; nia).
  replace t with (Z.to_nat z) by (unfold z; lia).
  destruct (Z_lt_le_dec z k0) as [Hlt|Hge].
  - apply Rlt_le_trans with (INR (Z.to_nat n) * (IZR a / IZR d) - INR (Z.to_nat z)).
    + rewrite En. replace (INR (Z.to_nat z)) with (IZR z) by (rewrite INR_IZR_INZ; f_equal; lia).
      replace (IZR n * (IZR a / IZR d) - IZR z) with (IZR (n * a - z * d) / IZR d) by (rewrite minus_IZR, !mult_IZR; field; lra).
      apply Rmult_lt_reg_r with (IZR (v * d)); auto. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      replace (IZR (n * a - z * d) / IZR d * IZR (v * d)) with (IZR ((n * a - z * d) * v)) by (rewrite !mult_IZR; field; lra).
      apply IZR_lt. assert (Hk : (d * k0 <= n * a)%Z).
      { unfold k0, centre. replace (a + (d - a))%Z with d by lia. apply Z.mul_div_le. lia. }
      assert (u * (n * x - z * d) = u * (n * x - (k0 - 1) * d) + u * (k0 - 1 - z) * d)%Z by ring.
      assert (u * (k0 - 1 - z) * d <= v * (k0 - 1 - z) * d)%Z by (repeat apply Z.mul_le_mono_nonneg_r; lia).
      assert ((n * a - z * d) * v >= (k0 * d - z * d) * v)%Z by (apply Z.le_ge, Z.mul_le_mono_nonneg_r; lia). nia.
    + apply excess_floor. assert (0 < IZR a) by (apply IZR_lt; lia). assert (IZR a < IZR d) by (apply IZR_lt; lia).
      split; [left; now apply Rdiv_lt_0_compat|]. apply Rmult_le_reg_r with (IZR d); auto. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra. lra.
  - destruct (beats_each _ _ _ _ Hb (z - k0)%Z) as [Hbad|Hg].
    + assert (Hl : forall num den div i k r, length (walk num den 1 div i k r) = S i).
      { clear. induction i as [|i IH]; intros k r; cbn [walk length]; [auto|now rewrite IH]. }
      unfold ups. rewrite Hl. assert (z < top n a (d - a) w + 1)%Z by nia. unfold top in *. fold k0 in Htp |- *. unfold k0 in *. lia.
    + replace (k0 + (z - k0))%Z with z in Hbad by lia. lia.
    + replace (k0 + (z - k0))%Z with z in Hg by lia.
      assert (Hlo := mean_at_least n a (d - a) Hn ltac:(lia) ltac:(lia) s w (beyond z) (beyond_nonneg z) Hs He Hm).
      rewrite <- excess_mean in Hlo by lia. rewrite (mean_of_fraction a) in Hlo. eapply Rlt_le_trans; [|exact Hlo].
      assert (Mp := IZR_lt _ _ Hm). apply Rmult_lt_reg_r with (IZR (v * d)); auto.
      unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      apply Rmult_lt_reg_r with (IZR (all_up n a (d - a) s w)); auto.
      replace (IZR (sum_down n a (d - a) s w (beyond z)) / IZR (all_up n a (d - a) s w) * IZR (v * d) * IZR (all_up n a (d - a) s w))
        with (IZR (sum_down n a (d - a) s w (beyond z)) * IZR (v * d)) by (field; lra).
      rewrite <- !mult_IZR. apply IZR_lt. unfold sum_down. fold k0. lia.
Qed.

End Decide.
