(* Real numbers between whole numbers over a unit. An interval that is not known is None, and holds every number: so each
   rule holds without conditions, and the last comparison refuses what was not known.

   holds i x   x is in the interval i
   area        the integral of exp(-t^2/2) from 0, and half that of it all: PhiBar is 1/2 - area/(2 half) *)

From Coq Require Import Reals Lra Lia ZArith Bool List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Kappa Line Normal Tangent Series Evaluate.
Open Scope R_scope.

Definition interval := option (Z * Z).

Section Intervals.
Variables bits unit : Z.
Hypothesis bits_nonneg : (0 <= bits)%Z.
Hypothesis unit_bits : unit = (2^bits)%Z.

Lemma unit_pos : (0 < unit)%Z.
Proof. rewrite unit_bits. now apply Z.pow_pos_nonneg. Qed.

Definition holds (i : interval) (x : R) : Prop :=
  match i with Some (l, h) => IZR l <= x * IZR unit <= IZR h | None => True end.

Lemma U : 0 < IZR unit.
Proof. apply IZR_lt, unit_pos. Qed.

(* Over the unit, rounded. *)
Definition lower (y : Z) : Z := Z.shiftr y bits.
Definition upper (y : Z) : Z := (- Z.shiftr (- y) bits)%Z.

Lemma lower_is y : lower y = down y unit.
Proof. unfold lower, down. now rewrite Z.shiftr_div_pow2, <- unit_bits. Qed.
Lemma upper_is y : upper y = up y unit.
Proof. unfold upper, up. now rewrite Z.shiftr_div_pow2, <- unit_bits. Qed.

Lemma below_unit x y : x * IZR unit <= IZR y -> x <= IZR (upper y).
Proof.
  intros H. rewrite upper_is. apply Rmult_le_reg_r with (IZR unit); [apply U|].
  eapply Rle_trans; [exact H|apply up_above, unit_pos].
Qed.
Lemma above_unit x y : IZR y <= x * IZR unit -> IZR (lower y) <= x.
Proof.
  intros H. rewrite lower_is. apply Rmult_le_reg_r with (IZR unit); [apply U|].
  eapply Rle_trans; [apply down_below, unit_pos|exact H].
Qed.
Lemma lower_nonneg y : (0 <= y)%Z -> (0 <= lower y)%Z.
Proof. intros H. unfold lower. now apply Z.shiftr_nonneg. Qed.

Definition fraction (x y : Z) : interval :=
  if (0 <? y)%Z then Some (down (x * unit) y, up (x * unit) y) else None.
Definition add (i j : interval) : interval :=
  match i, j with Some (l, h), Some (l', h') => Some (l + l', h + h')%Z | _, _ => None end.
Definition opp (i : interval) : interval := match i with Some (l, h) => Some (- h, - l)%Z | None => None end.
Definition sub (i j : interval) : interval := add i (opp j).
Definition mul (i j : interval) : interval :=
  match i, j with
  | Some (l, h), Some (l', h') =>
    if ((0 <=? l) && (0 <=? l'))%Z then Some (lower (l * l'), upper (h * h')) else
    let a := (l * l')%Z in let b := (l * h')%Z in let c := (h * l')%Z in let d := (h * h')%Z in
    Some (lower (Z.min (Z.min a b) (Z.min c d)), upper (Z.max (Z.max a b) (Z.max c d)))
  | _, _ => None
  end.
Definition inv (i : interval) : interval :=
  match i with
  | Some (l, h) =>
    if (0 <? l)%Z then Some (down (unit * unit) h, up (unit * unit) l) else
    if (h <? 0)%Z then Some (- up (unit * unit) (- h), - down (unit * unit) (- l))%Z else None
  | None => None
  end.
Definition div (i j : interval) : interval := mul i (inv j).
Definition root (i : interval) : interval :=
  match i with
  | Some (l, h) => if (0 <=? l)%Z then Some (Z.sqrt (l * unit), Z.sqrt (h * unit) + 1)%Z else None
  | None => None
  end.
Definition least (i j : interval) : interval :=
  match i, j with Some (l, h), Some (l', h') => Some (Z.min l l', Z.min h h') | _, _ => None end.

Lemma fraction_holds x y : holds (fraction x y) (IZR x / IZR y).
Proof.
  unfold fraction. destruct (Z.ltb_spec 0 y) as [H|H]; [|exact I]. assert (Y := IZR_lt _ _ H). unfold holds.
  assert (E : IZR x / IZR y * IZR unit * IZR y = IZR (x * unit)) by (rewrite mult_IZR; field; lra).
  split; apply Rmult_le_reg_r with (IZR y); auto; rewrite E; [now apply down_below|now apply up_above].
Qed.

Lemma add_holds i j x y : holds i x -> holds j y -> holds (add i j) (x + y).
Proof. destruct i as [[l h]|], j as [[l' h']|]; simpl; auto. rewrite !plus_IZR. lra. Qed.

Lemma opp_holds i x : holds i x -> holds (opp i) (- x).
Proof. destruct i as [[l h]|]; simpl; auto. rewrite !opp_IZR. lra. Qed.

Lemma sub_holds i j x y : holds i x -> holds j y -> holds (sub i j) (x - y).
Proof. intros. now apply add_holds, opp_holds. Qed.

Lemma product_between a x b a' y b' : a <= x <= b -> a' <= y <= b' ->
  Rmin (Rmin (a * a') (a * b')) (Rmin (b * a') (b * b')) <= x * y <= Rmax (Rmax (a * a') (a * b')) (Rmax (b * a') (b * b')).
Proof.
  intros Hx Hy.
  assert (A : forall c, Rmin (c * a') (c * b') <= c * y <= Rmax (c * a') (c * b')).
  { intros c. unfold Rmin, Rmax. destruct (Rle_dec 0 c), (Rle_dec (c * a') (c * b')); nra. }
  assert (B : Rmin (a * y) (b * y) <= x * y <= Rmax (a * y) (b * y)).
  { unfold Rmin, Rmax. destruct (Rle_dec 0 y), (Rle_dec (a * y) (b * y)); nra. }
  assert (Ha := A a). assert (Hb := A b).
  split.
  - eapply Rle_trans; [|apply B]. apply Rmin_glb; [eapply Rle_trans; [apply Rmin_l|]|eapply Rle_trans; [apply Rmin_r|]]; lra.
  - eapply Rle_trans; [apply B|]. apply Rmax_lub; [eapply Rle_trans; [|apply Rmax_l]|eapply Rle_trans; [|apply Rmax_r]]; lra.
Qed.

Lemma min_IZR x y : IZR (Z.min x y) = Rmin (IZR x) (IZR y).
Proof.
  destruct (Z.le_gt_cases x y) as [H|H]; [rewrite Z.min_l, Rmin_left by auto using IZR_le|rewrite Z.min_r, Rmin_right
    by (try apply IZR_le; lia)]; auto.
Qed.
Lemma max_IZR x y : IZR (Z.max x y) = Rmax (IZR x) (IZR y).
Proof.
  destruct (Z.le_gt_cases x y) as [H|H]; [rewrite Z.max_r, Rmax_right by auto using IZR_le|rewrite Z.max_l, Rmax_left
    by (try apply IZR_le; lia)]; auto.
Qed.

Lemma mul_holds i j x y : holds i x -> holds j y -> holds (mul i j) (x * y).
Proof.
  destruct i as [[l h]|], j as [[l' h']|]; simpl; auto. intros Hx Hy. assert (u := U).
  assert (E : x * y * IZR unit * IZR unit = (x * IZR unit) * (y * IZR unit)) by ring.
  destruct (Z.leb_spec 0 l), (Z.leb_spec 0 l'); cbn [andb];
    try (split; [apply above_unit|apply below_unit]; rewrite E, ?min_IZR, ?max_IZR, !mult_IZR; apply product_between; auto).
  assert (A := IZR_le _ _ H). assert (B := IZR_le _ _ H0).
  split; [apply above_unit|apply below_unit]; rewrite E, mult_IZR; apply Rmult_le_compat; lra.
Qed.

Lemma inv_holds i x : holds i x -> holds (inv i) (/ x).
Proof.
  destruct i as [[l h]|]; simpl; auto. intros Hx. assert (u := U).
  assert (P : forall l h x, (0 < l)%Z -> IZR l <= x * IZR unit <= IZR h ->
    IZR (down (unit * unit) h) <= / x * IZR unit <= IZR (up (unit * unit) l)).
  { clear l h x Hx. intros l h x Hl Hx. assert (L := IZR_lt _ _ Hl). assert (X : 0 < x) by nra.
    assert (Hh : (0 < h)%Z) by (apply lt_IZR; lra). assert (H' := IZR_lt _ _ Hh).
    assert (E : forall c, / x * IZR unit * (x * c) = IZR unit * c) by (intros; field; lra).
    assert (V : 0 < / x * IZR unit) by (apply Rmult_lt_0_compat; [now apply Rinv_0_lt_compat|lra]). split.
    - apply Rmult_le_reg_r with (IZR h); auto. eapply Rle_trans; [now apply down_below|]. rewrite mult_IZR, <- E.
      apply Rmult_le_compat_l; lra.
    - apply Rmult_le_reg_r with (IZR l); auto. eapply Rle_trans; [|now apply up_above]. rewrite mult_IZR, <- E.
      apply Rmult_le_compat_l; lra. }
  destruct (Z.ltb_spec 0 l) as [Hl|Hl]; [now apply P|]. destruct (Z.ltb_spec h 0) as [Hh|Hh]; [|exact I].
  assert (H := P (- h)%Z (- l)%Z (- x) ltac:(lia)). rewrite !opp_IZR in H. specialize (H ltac:(lra)).
  unfold holds. rewrite !opp_IZR. assert (H0 := IZR_lt _ _ Hh). assert (x <> 0) by nra.
  replace (/ - x) with (- / x) in H by (field; lra). lra.
Qed.

Lemma div_holds i j x y : holds i x -> holds j y -> holds (div i j) (x / y).
Proof. intros. now apply mul_holds; [|apply inv_holds]. Qed.

Lemma root_holds i x : holds i x -> holds (root i) (sqrt x).
Proof.
  destruct i as [[l h]|]; simpl; auto. intros Hx. destruct (Z.leb_spec 0 l) as [Hl|Hl]; [|exact I]. cbn [holds].
  assert (u := U).
  assert (L := IZR_le _ _ Hl). assert (X : 0 <= x) by nra.
  assert (E : sqrt x * IZR unit * (sqrt x * IZR unit) = x * IZR unit * IZR unit).
  { rewrite <- (sqrt_sqrt x) at 3 by auto. ring. }
  assert (S0 : 0 <= sqrt x * IZR unit) by (apply Rmult_le_pos; [apply sqrt_pos|lra]).
  assert (Hh : (0 <= h)%Z) by (apply le_IZR; lra).
  destruct (Z.sqrt_spec (l * unit) ltac:(nia)) as [A _]. destruct (Z.sqrt_spec (h * unit) ltac:(nia)) as [_ B].
  apply IZR_le in A. apply IZR_lt in B. rewrite !mult_IZR in A, B. rewrite !succ_IZR in B. rewrite plus_IZR.
  assert (A0 : 0 <= IZR (Z.sqrt (l * unit))) by (apply IZR_le, Z.sqrt_nonneg).
  assert (B0 : 0 <= IZR (Z.sqrt (h * unit))) by (apply IZR_le, Z.sqrt_nonneg).
  set (a := IZR (Z.sqrt (l * unit))) in *. set (b := IZR (Z.sqrt (h * unit))) in *. set (y := sqrt x * IZR unit) in *.
  split; [|left].
  - apply Rsqr_incr_0; auto. unfold Rsqr. rewrite E. nra.
  - apply Rsqr_incrst_0; auto; [|lra]. unfold Rsqr. rewrite E. nra.
Qed.

Lemma least_holds i j x y : holds i x -> holds j y -> holds (least i j) (Rmin x y).
Proof.
  destruct i as [[l h]|], j as [[l' h']|]; simpl; auto. intros Hx Hy. assert (u := U). rewrite !min_IZR.
  unfold Rmin. destruct (Rle_dec x y) as [H|H].
  - assert (x * IZR unit <= y * IZR unit) by (apply Rmult_le_compat_r; lra). repeat destruct (Rle_dec _ _); lra.
  - assert (y * IZR unit <= x * IZR unit) by (apply Rmult_le_compat_r; lra). repeat destruct (Rle_dec _ _); lra.
Qed.

(* The exponential: Taylor's sum at a number that is halved until it is small, squared as often. *)
Fixpoint taylor (over : Z -> Z) (div : Z -> Z -> Z) (y : Z) (steps : nat) (i t : Z) : Z * Z :=
  match steps with
  | O => (t, t)
  | S k => let '(sum, rest) := taylor over div y k (i + 1) (div (over (t * y)) i) in (t + sum, rest)
  end%Z.
Fixpoint squared (over : Z -> Z) (times : nat) (x : Z) : Z :=
  match times with O => x | S k => squared over k (over (x * x)) end%Z.

Notation term k y := (/ INR (fact k) * y^k).

Lemma term_next k y : term (S k) y * INR (S k) = term k y * y.
Proof. rewrite fact_simpl, mult_INR. simpl pow. assert (H := INR_fact_neq_0 k). assert (INR (S k) <> 0) by (apply not_0_INR;
  lia). field. auto. Qed.

Lemma term_nonneg k y : 0 <= y -> 0 <= term k y.
Proof. intros H. apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, lt_0_INR, lt_O_fact|now apply pow_le]. Qed.

Lemma part_next k y : part (S k) y = part k y + term (S k) y.
Proof. reflexivity. Qed.

Lemma index k : IZR (Z.of_nat (S k)) = INR (S k).
Proof. now rewrite <- INR_IZR_INZ. Qed.

Lemma taylor_below y z : 0 <= IZR z <= y * IZR unit -> forall steps k t, 0 <= IZR t <= term k y * IZR unit ->
  0 <= IZR (fst (taylor lower down z steps (Z.of_nat (S k)) t)) <= (part (k + steps) y - part k y + term k y) * IZR unit.
Proof.
  intros Hz. assert (u := U). assert (Y : 0 <= y) by nra. induction steps as [|j IH]; intros k t Ht; cbn [taylor].
  - rewrite Nat.add_0_r. simpl. lra.
  - assert (Ht' : 0 <= IZR (down (lower (t * z)) (Z.of_nat (S k))) <= term (S k) y * IZR unit).
    { assert (Ht0 : (0 <= t * z)%Z) by (apply le_IZR; rewrite mult_IZR; apply Rmult_le_pos; lra).
      assert (Hi : (0 < Z.of_nat (S k))%Z) by lia. assert (Hi' := IZR_lt _ _ Hi). split.
      - apply IZR_le. apply Z.div_pos; auto. now apply lower_nonneg.
      - apply Rmult_le_reg_r with (IZR (Z.of_nat (S k))); auto. eapply Rle_trans; [now apply down_below|].
        rewrite index. replace (term (S k) y * IZR unit * INR (S k)) with (term (S k) y * INR (S k) * IZR unit) by ring.
        rewrite term_next. apply above_unit. rewrite mult_IZR.
        replace (term k y * y * IZR unit * IZR unit) with ((term k y * IZR unit) * (y * IZR unit)) by ring.
        apply Rmult_le_compat; lra. }
    specialize (IH (S k) _ Ht'). replace (Z.of_nat (S k) + 1)%Z with (Z.of_nat (S (S k))) by lia.
    destruct (taylor lower down z j (Z.of_nat (S (S k))) (down (lower (t * z)) (Z.of_nat (S k)))) as [sum rest].
    cbn [fst] in *. rewrite plus_IZR, part_next in *. replace (k + S j)%nat with (S k + j)%nat by lia. lra.
Qed.

Lemma taylor_above y z : 0 <= y -> y * IZR unit <= IZR z -> forall steps k t, term k y * IZR unit <= IZR t ->
  (part (k + steps) y - part k y + term k y) * IZR unit <= IZR (fst (taylor upper up z steps (Z.of_nat (S k)) t)) /\
  term (k + steps) y * IZR unit <= IZR (snd (taylor upper up z steps (Z.of_nat (S k)) t)).
Proof.
  intros Y Hz. assert (u := U). induction steps as [|j IH]; intros k t Ht; cbn [taylor].
  - rewrite Nat.add_0_r. simpl. lra.
  - assert (Ht' : term (S k) y * IZR unit <= IZR (up (upper (t * z)) (Z.of_nat (S k)))).
    { assert (Hi : (0 < Z.of_nat (S k))%Z) by lia. assert (Hi' := IZR_lt _ _ Hi).
      apply Rmult_le_reg_r with (IZR (Z.of_nat (S k))); auto. eapply Rle_trans; [|now apply up_above].
      rewrite index. replace (term (S k) y * IZR unit * INR (S k)) with (term (S k) y * INR (S k) * IZR unit) by ring.
      rewrite term_next. apply below_unit. rewrite mult_IZR.
      replace (term k y * y * IZR unit * IZR unit) with ((term k y * IZR unit) * (y * IZR unit)) by ring.
      apply Rmult_le_compat; auto; apply Rmult_le_pos; try lra. now apply term_nonneg. }
    specialize (IH (S k) _ Ht'). replace (Z.of_nat (S k) + 1)%Z with (Z.of_nat (S (S k))) by lia.
    destruct (taylor upper up z j (Z.of_nat (S (S k))) (up (upper (t * z)) (Z.of_nat (S k)))) as [sum rest].
    cbn [fst snd] in *. rewrite plus_IZR, part_next in *. replace (k + S j)%nat with (S k + j)%nat by lia. lra.
Qed.

Lemma exp_double y : exp (2 * y) = exp y * exp y.
Proof. rewrite <- exp_plus. f_equal. ring. Qed.

Lemma squared_below times : forall y x, 0 <= IZR x <= exp y * IZR unit ->
  IZR (squared lower times x) <= exp (2^times * y) * IZR unit.
Proof.
  assert (u := U). induction times as [|k IH]; intros y x Hx; cbn [squared pow]; [rewrite Rmult_1_l; lra|].
  replace (2 * 2^k * y) with (2^k * (2 * y)) by ring. apply IH. rewrite exp_double. split.
  - apply IZR_le, lower_nonneg. nia.
  - apply above_unit. rewrite mult_IZR. replace (exp y * exp y * IZR unit * IZR unit)
      with ((exp y * IZR unit) * (exp y * IZR unit)) by ring.
    apply Rmult_le_compat; lra.
Qed.

Lemma squared_above times : forall y x, exp y * IZR unit <= IZR x -> exp (2^times * y) * IZR unit <= IZR (squared upper times
    x).
Proof.
  assert (u := U). induction times as [|k IH]; intros y x Hx; cbn [squared pow]; [rewrite Rmult_1_l; lra|].
  replace (2 * 2^k * y) with (2^k * (2 * y)) by ring. apply IH. rewrite exp_double. apply below_unit. rewrite mult_IZR.
  replace (exp y * exp y * IZR unit * IZR unit) with ((exp y * IZR unit) * (exp y * IZR unit)) by ring.
  assert (0 < exp y * IZR unit) by (apply Rmult_lt_0_compat; auto; apply exp_pos). apply Rmult_le_compat; lra.
Qed.

(* e^(z/unit) for z from 0 on. *)
Definition terms : nat := Z.to_nat (bits / 9 + 2).
Definition halvings (z : Z) : Z := (Z.log2 (z / unit + 1) + 9)%Z.
Definition exp_down (z : Z) : Z :=
  let j := halvings z in squared lower (Z.to_nat j) (fst (taylor lower down (down z (2^j)) terms 1 unit)).
Definition exp_up (z : Z) : option Z :=
  let j := halvings z in let y := up z (2^j) in let '(sum, rest) := taylor upper up y terms 1 unit in
  if (2 * y <=? unit)%Z then Some (squared upper (Z.to_nat j) (sum + rest)) else None.

Lemma halvings_nonneg z : (0 <= halvings z)%Z.
Proof. unfold halvings. generalize (Z.log2_nonneg (z / unit + 1)). lia. Qed.

Lemma halved j z : (0 <= j)%Z -> 2^Z.to_nat j * (IZR z / IZR unit / IZR (2^j)) = IZR z / IZR unit.
Proof.
  intros Hj. assert (u := U). rewrite <- (Z2Nat.id j) at 2 by auto. rewrite <- pow_IZR. field.
  split; [lra|]. apply pow_nonzero. lra.
Qed.

Lemma power_2 j : (0 <= j)%Z -> (0 < 2^j)%Z.
Proof. intros. now apply Z.pow_pos_nonneg. Qed.

Lemma exp_down_valid z : (0 <= z)%Z -> IZR (exp_down z) <= exp (IZR z / IZR unit) * IZR unit.
Proof.
  intros Hz. unfold exp_down. assert (Hj := halvings_nonneg z). set (j := halvings z) in *. assert (u := U).
  assert (P := power_2 j Hj). assert (P' := IZR_lt _ _ P). rewrite <- (halved j z Hj).
  set (y := IZR z / IZR unit / IZR (2^j)).
  assert (Hy : 0 <= IZR (down z (2^j)) <= y * IZR unit).
  { split; [apply IZR_le, Z.div_pos; lia|]. apply Rmult_le_reg_r with (IZR (2^j)); auto.
    eapply Rle_trans; [now apply down_below|]. right. unfold y. field. lra. }
  assert (T0 : 0 <= IZR unit <= term 0 y * IZR unit) by (simpl; lra).
  assert (H := taylor_below y _ Hy terms 0 unit T0).
  change (Z.of_nat 1) with 1%Z in H. cbn [Nat.add] in H. replace (part 0 y) with (term 0 y) in H by (unfold part; simpl;
    reflexivity).
  assert (Y : 0 <= y) by nra. apply squared_below. split; [lra|]. eapply Rle_trans; [apply H|].
  apply Rmult_le_compat_r; [lra|]. generalize (rest_nonneg terms y Y). lra.
Qed.

Lemma exp_up_valid z r : (0 <= z)%Z -> exp_up z = Some r -> exp (IZR z / IZR unit) * IZR unit <= IZR r.
Proof.
  intros Hz. unfold exp_up. assert (Hj := halvings_nonneg z). set (j := halvings z) in *. assert (u := U).
  assert (P := power_2 j Hj). assert (P' := IZR_lt _ _ P). cbv zeta. rewrite <- (halved j z Hj).
  set (y := IZR z / IZR unit / IZR (2^j)).
  assert (Hy : y * IZR unit <= IZR (up z (2^j))).
  { apply Rmult_le_reg_r with (IZR (2^j)); auto. eapply Rle_trans; [|now apply up_above]. right. unfold y. field. lra. }
  assert (Y : 0 <= y).
  { unfold y. apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat]. apply Rmult_le_pos; [now apply IZR_le|left;
      now apply Rinv_0_lt_compat]. }
  assert (H := taylor_above y _ Y Hy terms 0 unit ltac:(simpl; lra)). change (Z.of_nat 1) with 1%Z in H. cbn [Nat.add] in H.
  replace (part 0 y) with (term 0 y) in H by (unfold part; simpl; reflexivity).
  destruct (taylor upper up (up z (2^j)) terms 1 unit) as [sum rest]. cbn [fst snd] in H.
  destruct (Z.leb_spec (2 * up z (2^j)) unit) as [Hs|Hs]; [|discriminate]. intros E. injection E as <-.
  apply squared_above. apply IZR_le in Hs. rewrite mult_IZR in Hs. rewrite plus_IZR. assert (Y2 : y <= 1/2) by nra.
  unfold terms in H. set (k := Z.to_nat (bits / 9 + 2)) in *. assert (K : exists i, k = S i).
  { exists (pred k). unfold k. assert (0 <= bits / 9)%Z by (apply Z.div_pos; lia). lia. }
  destruct K as (i & K). rewrite K in *.
  assert (R := rest_at_most i y Y). assert (E2 : exp y <= 2).
  { assert (exp y <= exp (1/2)) by now apply exp_le. assert (exp (1/2) * exp (1/2) <= 3) by
      (rewrite <- exp_double; replace (2 * (1/2)) with 1 by lra; apply exp_le_3). generalize (exp_pos (1/2)). nra. }
  assert (T1 := term_nonneg (S i) y Y). rewrite part_next in H.
  assert (exp y * (y ^ S i * / INR (fact (S i))) <= 2 * term (S i) y).
  { rewrite (Rmult_comm (y ^ S i)). apply Rmult_le_compat_r; auto. }
  nra.
Qed.

(* No exponent is far from 0, as numbers would be long: an end is moved, or is not known. *)
Definition far : Z := (8 * bits * unit)%Z.
Definition exp_above (h : Z) : option Z :=
  let z := Z.max h (- far) in
  if (far <? z)%Z then None else if (0 <=? z)%Z then exp_up z else
  if (0 <? exp_down (- z))%Z then Some (up (unit * unit) (exp_down (- z))) else None.
Definition exp_below (l : Z) : option Z :=
  let z := Z.min l far in
  if (z <? - far)%Z then Some 0%Z else if (0 <=? z)%Z then Some (exp_down z) else
  match exp_up (- z) with Some r => Some (down (unit * unit) r) | None => None end.
Definition exp_ends (l h : Z) : interval :=
  match exp_below l, exp_above h with Some l, Some h => Some (l, h) | _, _ => None end.
Definition expo (i : interval) : interval := match i with Some (l, h) => exp_ends l h | None => None end.

Lemma over_unit x : x * IZR unit / IZR unit = x.
Proof. field. generalize U. lra. Qed.

Lemma exp_opp z : exp (IZR (- z) / IZR unit) * exp (IZR z / IZR unit) = 1.
Proof. rewrite <- exp_plus, opp_IZR, <- exp_0. f_equal. field. generalize U. lra. Qed.

Lemma over_le p q : p <= q -> p / IZR unit <= q / IZR unit.
Proof. intros H. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, U|auto]. Qed.

Lemma exp_above_valid h r x : x * IZR unit <= IZR h -> exp_above h = Some r -> exp x * IZR unit <= IZR r.
Proof.
  intros Hx. unfold exp_above. cbv zeta. assert (u := U). set (z := Z.max h (- far)).
  assert (Hz : exp x <= exp (IZR z / IZR unit)).
  { apply exp_le. rewrite <- (over_unit x). apply over_le. eapply Rle_trans; [exact Hx|]. apply IZR_le. unfold z. lia. }
  assert (Hu : exp x * IZR unit <= exp (IZR z / IZR unit) * IZR unit) by (apply Rmult_le_compat_r; lra).
  destruct (far <? z)%Z; [discriminate|]. destruct (Z.leb_spec 0 z) as [H|H].
  - intros E. eapply Rle_trans; [exact Hu|]. now apply exp_up_valid.
  - destruct (Z.ltb_spec 0 (exp_down (- z))) as [Hp|Hp]; [|discriminate]. intros E. injection E as <-.
    assert (Hp' := IZR_lt _ _ Hp).
    eapply Rle_trans; [exact Hu|]. assert (V := exp_down_valid (- z) ltac:(lia)). assert (E := exp_opp z).
    apply Rmult_le_reg_r with (IZR (exp_down (- z))); auto. eapply Rle_trans; [|now apply up_above]. rewrite mult_IZR.
    replace (IZR unit * IZR unit) with (exp (IZR (- z) / IZR unit) * exp (IZR z / IZR unit) * (IZR unit * IZR unit))
      by (rewrite E; ring).
    assert (0 < exp (IZR z / IZR unit) * IZR unit) by (apply Rmult_lt_0_compat; auto; apply exp_pos). nra.
Qed.

Lemma exp_below_valid l r x : IZR l <= x * IZR unit -> exp_below l = Some r -> IZR r <= exp x * IZR unit.
Proof.
  intros Hx. unfold exp_below. cbv zeta. assert (u := U). set (z := Z.min l far).
  assert (Hz : exp (IZR z / IZR unit) <= exp x).
  { apply exp_le. rewrite <- (over_unit x). apply over_le. eapply Rle_trans; [|exact Hx]. apply IZR_le. unfold z. lia. }
  assert (Hu : exp (IZR z / IZR unit) * IZR unit <= exp x * IZR unit) by (apply Rmult_le_compat_r; lra).
  destruct (z <? - far)%Z.
  { intros E. injection E as <-. left. apply Rmult_lt_0_compat; auto. apply exp_pos. }
  destruct (Z.leb_spec 0 z) as [H|H].
  - intros E. injection E as <-. eapply Rle_trans; [|exact Hu]. now apply exp_down_valid.
  - destruct (exp_up (- z)) as [q|] eqn:Eq; [|discriminate]. intros E. injection E as <-.
    eapply Rle_trans; [|exact Hu]. assert (V := exp_up_valid (- z) q ltac:(lia) Eq). assert (E := exp_opp z).
    assert (Pz := exp_pos (IZR (- z) / IZR unit)). assert (Pq : 0 < IZR q) by nra. apply Rmult_le_reg_r with (IZR q); auto.
    eapply Rle_trans; [apply down_below; now apply lt_IZR|]. rewrite mult_IZR.
    replace (IZR unit * IZR unit) with (exp (IZR (- z) / IZR unit) * exp (IZR z / IZR unit) * (IZR unit * IZR unit))
      by (rewrite E; ring).
    assert (0 < exp (IZR z / IZR unit) * IZR unit) by (apply Rmult_lt_0_compat; auto; apply exp_pos). nra.
Qed.

Lemma expo_holds i x : holds i x -> holds (expo i) (exp x).
Proof.
  destruct i as [[l h]|]; cbn [holds expo]; auto. intros [Hl Hh]. unfold exp_ends.
  destruct (exp_below l) eqn:El; [|exact I]. destruct (exp_above h) eqn:Eh; [|exact I].
  split; [now apply (exp_below_valid l)|now apply (exp_above_valid h)].
Qed.

(* The logarithm of x is at least c + 1 - e^c/x and at most c - 1 + x/e^c, for each c: one near it. *)
Fixpoint odd_powers (t q : Z) (steps : nat) (i : Z) : Z :=
  match steps with O => 0 | S k => t / i + odd_powers (lower (t * q)) q k (i + 2) end%Z.
Definition near_ln (z : Z) : Z :=
  let e := (Z.log2 z - bits)%Z in let m := Z.shiftr z e in let t := ((m - unit) * unit / (m + unit))%Z in
  (lower (e * unit * 12786308645202655660 / 2^64 * unit) + 2 * odd_powers t (lower (t * t)) 14 1)%Z.
Definition logarithm (i : interval) : interval :=
  match i with
  | Some (l, h) =>
    if (0 <? l)%Z then
      let c := near_ln l in let e := exp_ends c c in
      match sub (Some (c + unit, c + unit)%Z) (div e (Some (l, l))), add (Some (c - unit, c - unit)%Z) (div (Some (h,
        h)) e) with
      | Some (a, _), Some (_, b) => Some (a, b)
      | _, _ => None
      end
    else None
  | None => None
  end.

Lemma logarithm_holds i x : holds i x -> holds (logarithm i) (ln x).
Proof.
  destruct i as [[l h]|]; cbn [logarithm]; auto. intros Hx. destruct (Z.ltb_spec 0 l) as [Hl|Hl]; [|exact I]. cbv zeta.
  assert (u := U). assert (L := IZR_lt _ _ Hl). simpl in Hx. assert (X : 0 < x) by nra.
  set (c := near_ln l). set (y := IZR c / IZR unit).
  assert (Self : forall z, holds (Some (z, z)) (IZR z / IZR unit)) by (intros z; simpl; split; right; field; lra).
  assert (He := expo_holds _ _ (Self c)). cbn [expo] in He. fold y in He.
  assert (A := sub_holds _ _ _ _ (Self (c + unit)%Z) (div_holds _ _ _ _ He (Self l))).
  assert (B := add_holds _ _ _ _ (Self (c - unit)%Z) (div_holds _ _ _ _ (Self h) He)).
  destruct (sub _ _) as [[a a']|]; [|exact I]. destruct (add _ _) as [[b' b]|]; [|exact I]. simpl in A, B |- *.
  replace (IZR (c + unit) / IZR unit) with (y + 1) in A by (rewrite plus_IZR; unfold y; field; lra).
  replace (IZR (c - unit) / IZR unit) with (y - 1) in B by (rewrite minus_IZR; unfold y; field; lra).
  assert (H1 := exp_ge_1 (ln x - y)). assert (H2 := exp_ge_1 (y - ln x)). unfold Rminus in H1, H2.
  rewrite exp_plus, exp_Ropp, exp_ln in H1, H2 by auto. assert (E := exp_pos y).
  assert (Ei := Rinv_0_lt_compat _ E).
  assert (El : / x <= / (IZR l / IZR unit)).
  { apply Rinv_le_contravar; [now apply Rdiv_lt_0_compat|]. rewrite <- (over_unit x). apply Rmult_le_compat_r; [left;
      now apply Rinv_0_lt_compat|lra]. }
  assert (Eh : x <= IZR h / IZR unit).
  { rewrite <- (over_unit x). apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra]. }
  assert (F1 : exp y * / x <= exp y / (IZR l / IZR unit)) by (apply Rmult_le_compat_l; lra).
  assert (F2 : x * / exp y <= IZR h / IZR unit / exp y) by (apply Rmult_le_compat_r; lra).
  split; [eapply Rle_trans; [apply A|]|eapply Rle_trans; [|apply B]]; apply Rmult_le_compat_r; lra.
Qed.

(* The integral of exp(-t^2/2): that times x + x^3/3 + x^5/(3 5) + ... *)
Fixpoint odd (k : nat) : R := match k with O => 1 | S j => odd j * INR (2 * j + 3) end.
Definition odd_term (k : nat) (x : R) : R := x^(2 * k + 1) / odd k.
Fixpoint odds (k : nat) (x : R) : R := match k with O => 0 | S j => odds j x + odd_term j x end.

Lemma odd_pos k : 0 < odd k.
Proof. induction k as [|j IH]; cbn [odd]; [lra|]. apply Rmult_lt_0_compat; auto. apply lt_0_INR. lia. Qed.

Lemma odd_term_nonneg k x : 0 <= x -> 0 <= odd_term k x.
Proof. intros H. apply Rmult_le_pos; [now apply pow_le|left; apply Rinv_0_lt_compat, odd_pos]. Qed.

Lemma odds_nonneg k x : 0 <= x -> 0 <= odds k x.
Proof. intros H. induction k as [|k IH]; cbn [odds]; [lra|]. generalize (odd_term_nonneg k x H). lra. Qed.

Lemma odd_term_next k x : odd_term (S k) x * INR (2 * k + 3) = odd_term k x * x^2.
Proof.
  unfold odd_term. cbn [odd]. assert (H := odd_pos k). assert (0 < INR (2 * k + 3)) by (apply lt_0_INR; lia).
  replace (2 * S k + 1)%nat with (2 * k + 1 + 2)%nat by lia. rewrite pow_add. field. lra.
Qed.

Lemma odd_term_slope k x : is_derive (odd_term (S k)) x (x * odd_term k x).
Proof.
  assert (H := odd_pos k). assert (H3 : 0 < INR (2 * k + 3)) by (apply lt_0_INR; lia).
  apply (is_derive_ext (fun x => / odd (S k) * x^(2 * S k + 1))); [intros; unfold odd_term; apply Rmult_comm|].
  replace (x * odd_term k x) with (/ odd (S k) * (INR (2 * S k + 1) * 1 * x^pred (2 * S k + 1))).
  - apply is_derive_scal. apply (is_derive_pow (fun y => y)). apply (is_derive_id x).
  - unfold odd_term. cbn [odd]. replace (2 * S k + 1)%nat with (2 * k + 3)%nat by lia.
    replace (pred (2 * k + 3)) with (S (2 * k + 1)) by lia. cbn [pow]. field. lra.
Qed.

Lemma odds_slope k x : is_derive (odds (S k)) x (1 + x * odds k x).
Proof.
  induction k as [|k IH].
  - assert (E : forall y : R, y = odds 1 y) by (intros; unfold odds, odd_term; simpl; field).
    apply (is_derive_ext (fun y => y)); [exact E|].
    replace (1 + x * odds 0 x) with 1 by (simpl; ring). apply (is_derive_id x).
  - replace (1 + x * odds (S k) x) with (1 + x * odds k x + x * odd_term k x) by (cbn [odds]; ring).
    apply (is_derive_plus (odds (S k)) (odd_term (S k))); [exact IH|apply odd_term_slope].
Qed.

Lemma bell_slope x : is_derive bell x (- x * bell x).
Proof. unfold bell. auto_derive; auto. replace (- (x * (x * 1)) * / 2) with (- x^2 / 2) by field. field. Qed.

Lemma bell_odds_slope k x : is_derive (fun y => bell y * odds (S k) y) x (bell x * (1 - x * odd_term k x)).
Proof.
  replace (bell x * (1 - x * odd_term k x)) with ((- x * bell x) * odds (S k) x + bell x * (1 + x * odds k x))
    by (cbn [odds]; ring).
  apply (is_derive_mult bell (odds (S k))); [apply bell_slope|apply odds_slope|intros; apply Rmult_comm].
Qed.

Lemma odds_0 k : odds k 0 = 0 /\ odd_term k 0 = 0.
Proof.
  assert (H : forall j, odd_term j 0 = 0) by (intros j; unfold odd_term; rewrite pow_ne_zero by lia; unfold Rdiv; ring).
  split; auto. induction k as [|k IH]; cbn [odds]; auto. rewrite IH, H. ring.
Qed.

Theorem area_by_odds k x : 0 <= x -> bell x * odds k x <= area x <= bell x * odds k x + odd_term k x.
Proof.
  intros Hx. destruct k as [|k].
  - assert (H0 := area_rises 0 x Hx). rewrite area_0 in H0.
    assert (H := grows (fun y => y - area y) (fun y => 1 - bell y) x Hx). cbv beta in H. rewrite area_0 in H.
    assert (0 - 0 <= x - area x); [|unfold odd_term; simpl; lra]. apply H.
    + intros y _. apply (is_derive_minus (fun y => y) area); [apply (is_derive_id y)|apply area_derive].
    + intros y _. generalize (bell_at_most_1 y). lra.
  - destruct (odds_0 (S k)) as [O1 O2]. assert (B0 := bell_pos 0). split.
    + assert (H := grows (fun y => area y - bell y * odds (S k) y) (fun y => bell y - bell y * (1 - y * odd_term k y)) x Hx).
      cbv beta in H. rewrite area_0, O1 in H. assert (0 - bell 0 * 0 <= area x - bell x * odds (S k) x); [|lra]. apply H.
      * intros y _. apply (is_derive_minus area (fun y => bell y * odds (S k) y)); [apply area_derive|apply bell_odds_slope].
      * intros y Hy. assert (B := bell_pos y). assert (T := odd_term_nonneg k y ltac:(lra)).
        assert (0 <= y * odd_term k y) by (apply Rmult_le_pos; lra). nra.
    + assert (H := grows (fun y => bell y * odds (S k) y + odd_term (S k) y - area y)
        (fun y => bell y * (1 - y * odd_term k y) + y * odd_term k y - bell y) x Hx).
      cbv beta in H. rewrite area_0, O1, O2 in H.
      assert (bell 0 * 0 + 0 - 0 <= bell x * odds (S k) x + odd_term (S k) x - area x); [|lra]. apply H.
      * intros y _. apply (is_derive_minus (fun y => bell y * odds (S k) y + odd_term (S k) y) area); [|apply area_derive].
        apply (is_derive_plus (fun y => bell y * odds (S k) y) (odd_term (S k))); [apply bell_odds_slope|apply odd_term_slope].
      * intros y Hy. assert (B := bell_at_most_1 y). assert (T := odd_term_nonneg k y ltac:(lra)).
        assert (0 <= y * odd_term k y) by (apply Rmult_le_pos; lra). nra.
Qed.

(* The terms from one on until they are small, and the next. *)
Fixpoint series (over : Z -> Z) (div : Z -> Z -> Z) (q : Z) (fuel : nat) (i t : Z) : Z * Z :=
  match fuel with
  | O => (0, t)
  | S f => if (t <=? 1)%Z then (0, t) else let '(sum, rest) := series over div q f (i + 2) (div (over (t * q)) i) in (t +
    sum, rest)
  end%Z.

Lemma odd_index k : IZR (2 * Z.of_nat k + 3) = INR (2 * k + 3) /\ (0 < 2 * Z.of_nat k + 3)%Z.
Proof. split; [rewrite INR_IZR_INZ; f_equal; lia|lia]. Qed.

Lemma series_below x q : 0 <= x -> 0 <= IZR q <= x^2 * IZR unit -> forall fuel k t, 0 <= IZR t <= odd_term k x * IZR unit ->
  exists j, 0 <= IZR (fst (series lower down q fuel (2 * Z.of_nat k + 3) t)) <= (odds j x - odds k x) * IZR unit.
Proof.
  intros Hx Hq. assert (u := U). induction fuel as [|f IH]; intros k t Ht; cbn [series]; [exists k; simpl; lra|].
  destruct (t <=? 1)%Z; [exists k; simpl; lra|]. destruct (odd_index k) as [E P]. assert (P' := IZR_lt _ _ P).
  assert (Ht' : 0 <= IZR (down (lower (t * q)) (2 * Z.of_nat k + 3)) <= odd_term (S k) x * IZR unit).
  { assert (Ht0 : (0 <= t * q)%Z) by (apply le_IZR; rewrite mult_IZR; apply Rmult_le_pos; lra). split.
    - apply IZR_le, Z.div_pos; auto. now apply lower_nonneg.
    - apply Rmult_le_reg_r with (IZR (2 * Z.of_nat k + 3)); auto. eapply Rle_trans; [now apply down_below|].
      rewrite E. replace (odd_term (S k) x * IZR unit * INR (2 * k + 3))
        with (odd_term (S k) x * INR (2 * k + 3) * IZR unit) by ring.
      rewrite odd_term_next. apply above_unit. rewrite mult_IZR.
      replace (odd_term k x * x^2 * IZR unit * IZR unit) with ((odd_term k x * IZR unit) * (x^2 * IZR unit)) by ring.
      apply Rmult_le_compat; lra. }
  destruct (IH (S k) _ Ht') as (j & Hj). exists j. replace (2 * Z.of_nat k + 3 + 2)%Z with (2 * Z.of_nat (S k) + 3)%Z by lia.
  destruct (series lower down q f _ _) as [sum rest]. cbn [fst odds] in *. rewrite plus_IZR. lra.
Qed.

Lemma series_above x q : 0 <= x -> x^2 * IZR unit <= IZR q -> forall fuel k t, odd_term k x * IZR unit <= IZR t ->
  exists j, (odds j x - odds k x) * IZR unit <= IZR (fst (series upper up q fuel (2 * Z.of_nat k + 3) t)) /\
    odd_term j x * IZR unit <= IZR (snd (series upper up q fuel (2 * Z.of_nat k + 3) t)).
Proof.
  intros Hx Hq. assert (u := U). induction fuel as [|f IH]; intros k t Ht; cbn [series]; [exists k; simpl; lra|].
  destruct (t <=? 1)%Z; [exists k; simpl; lra|]. destruct (odd_index k) as [E P]. assert (P' := IZR_lt _ _ P).
  assert (Ht' : odd_term (S k) x * IZR unit <= IZR (up (upper (t * q)) (2 * Z.of_nat k + 3))).
  { apply Rmult_le_reg_r with (IZR (2 * Z.of_nat k + 3)); auto. eapply Rle_trans; [|now apply up_above].
    rewrite E. replace (odd_term (S k) x * IZR unit * INR (2 * k + 3))
      with (odd_term (S k) x * INR (2 * k + 3) * IZR unit) by ring.
    rewrite odd_term_next. apply below_unit. rewrite mult_IZR.
    replace (odd_term k x * x^2 * IZR unit * IZR unit) with ((odd_term k x * IZR unit) * (x^2 * IZR unit)) by ring.
    apply Rmult_le_compat; auto; apply Rmult_le_pos; try lra; [now apply odd_term_nonneg|apply pow2_ge_0]. }
  destruct (IH (S k) _ Ht') as (j & Hj). exists j. replace (2 * Z.of_nat k + 3 + 2)%Z with (2 * Z.of_nat (S k) + 3)%Z by lia.
  destruct (series upper up q f _ _) as [sum rest]. cbn [fst snd odds] in *. rewrite plus_IZR. lra.
Qed.

Definition hump (i : interval) : interval := expo (opp (mul (mul i i) (fraction 1 2))).
Definition area_point (z : Z) : interval :=
  match hump (Some (z, z)) with
  | Some (l, h) =>
    let '(more, rest) := series upper up (upper (z * z)) 1000 3 z in
    Some (lower (l * fst (series lower down (lower (z * z)) 1000 3 z)), upper (h * more) + rest)%Z
  | None => None
  end.
Definition area_signed (z : Z) : interval := if (0 <=? z)%Z then area_point z else opp (area_point (- z)).
(* Far out, where the series is long, half of all is a bound. *)
Variable all : interval.
Hypothesis all_holds : holds all half.
Definition area_of (i : interval) : interval :=
  match i, all with
  | Some (l, h), Some (_, top) =>
    let c := (Z.sqrt (7 * bits / 10) * unit)%Z in
    if ((l =? h) && (h <=? c))%Z then area_signed l else
    match area_signed (Z.min l c), (if (h <=? c)%Z then area_signed h else Some (top, top)) with
    | Some (a, _), Some (_, b) => Some (a, b)
    | _, _ => None
    end
  | _, _ => None
  end.

Lemma hump_holds i x : holds i x -> holds (hump i) (bell x).
Proof.
  intros H. unfold hump, bell. replace (- x^2 / 2) with (- (x * x * (1 / 2))) by field.
  apply expo_holds, opp_holds, mul_holds; [now apply mul_holds|apply fraction_holds].
Qed.

Lemma point_holds z : holds (Some (z, z)) (IZR z / IZR unit).
Proof. simpl. assert (u := U). split; right; field; lra. Qed.

Lemma area_point_holds z : (0 <= z)%Z -> holds (area_point z) (area (IZR z / IZR unit)).
Proof.
  intros Hz. unfold area_point. assert (u := U). assert (H := hump_holds _ _ (point_holds z)).
  destruct (hump (Some (z, z))) as [[l h]|]; [|exact I]. simpl in H. set (x := IZR z / IZR unit) in *.
  assert (E : x * IZR unit = IZR z) by (unfold x; field; lra).
  assert (Z0 := IZR_le _ _ Hz). assert (X : 0 <= x) by nra.
  assert (T : odd_term 0 x * IZR unit = IZR z) by (rewrite <- E; unfold odd_term; simpl; field).
  assert (Q : x^2 * IZR unit * IZR unit = IZR (z * z)) by (rewrite mult_IZR, <- E; ring).
  assert (Ql : 0 <= IZR (lower (z * z)) <= x^2 * IZR unit).
  { split; [apply IZR_le, lower_nonneg; nia|]. apply above_unit. lra. }
  assert (Qh : x^2 * IZR unit <= IZR (upper (z * z))) by (apply below_unit; lra).
  destruct (series_below x _ X Ql 1000 0 z ltac:(lra)) as (j & Hj). destruct (series_above x _ X Qh 1000 0 z ltac:(lra)) as
    (i & Hi & Hr).
  change (2 * Z.of_nat 0 + 3)%Z with 3%Z in *. cbn [odds] in *.
  destruct (series upper up (upper (z * z)) 1000 3 z) as [more rest]. cbn [fst snd] in *.
  destruct (area_by_odds j x X) as [Al _]. destruct (area_by_odds i x X) as [_ Ah]. assert (B := bell_pos x). split.
  - apply above_unit. rewrite mult_IZR. set (sum := IZR (fst _)) in *.
    assert (IZR l * sum <= (bell x * IZR unit) * sum) by (apply Rmult_le_compat_r; lra).
    assert ((bell x * IZR unit) * sum <= (bell x * IZR unit) * ((odds j x - 0) * IZR unit)) by
      (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]).
    assert (bell x * odds j x * (IZR unit * IZR unit) <= area x * (IZR unit * IZR unit)) by (apply Rmult_le_compat_r;
      [nra|auto]). lra.
  - rewrite plus_IZR. assert (Hu : bell x * odds i x * IZR unit <= IZR (upper (h * more))).
    { apply below_unit. rewrite mult_IZR. assert (Om := odds_nonneg i x X).
      replace (bell x * odds i x * IZR unit * IZR unit) with ((bell x * IZR unit) * ((odds i x - 0) * IZR unit)) by ring.
      apply Rmult_le_compat; try lra; apply Rmult_le_pos; lra. }
    assert (area x * IZR unit <= (bell x * odds i x + odd_term i x) * IZR unit) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma area_signed_holds z : holds (area_signed z) (area (IZR z / IZR unit)).
Proof.
  unfold area_signed. destruct (Z.leb_spec 0 z) as [H|H]; [now apply area_point_holds|].
  assert (A := opp_holds _ _ (area_point_holds (- z) ltac:(lia))). rewrite opp_IZR, Ropp_div, area_odd, Ropp_involutive in A.
  exact A.
Qed.

Lemma area_below_half x : area x < half.
Proof.
  assert (H := PhiBar_pos x). assert (Hh := proj1 half_lim). unfold PhiBar in H. simpl in H.
  apply Rmult_lt_reg_r with (/ (2 * half)); [apply Rinv_0_lt_compat; lra|].
  replace (half * / (2 * half)) with (1/2) by (field; lra). unfold Rdiv in *. lra.
Qed.

Lemma area_ends l h c x bottom top : IZR l <= x * IZR unit <= IZR h -> IZR bottom <= half * IZR unit <= IZR top ->
  holds (match area_signed (Z.min l c), (if (h <=? c)%Z then area_signed h else Some (top, top)) with
    | Some (a, _), Some (_, b) => Some (a, b) | _, _ => None end) (area x).
Proof.
  intros Hx Ht. assert (u := U). assert (A := area_signed_holds (Z.min l c)). assert (B := area_signed_holds h).
  destruct (area_signed (Z.min l c)) as [[a a']|]; [|exact I]. simpl in A.
  destruct (if (h <=? c)%Z then area_signed h else Some (top, top)) as [[b' b]|] eqn:E; [|exact I]. split.
  - apply Rle_trans with (area (IZR (Z.min l c) / IZR unit) * IZR unit); [apply A|]. apply Rmult_le_compat_r; [lra|].
    apply area_rises.
    rewrite <- (over_unit x). apply over_le. apply Rle_trans with (IZR l); [apply IZR_le; lia|lra].
  - destruct (h <=? c)%Z; [rewrite E in B|injection E as _ <-].
    + apply Rle_trans with (area (IZR h / IZR unit) * IZR unit); [|apply B]. apply Rmult_le_compat_r; [lra|]. apply area_rises.
      rewrite <- (over_unit x). now apply over_le.
    + eapply Rle_trans; [|apply Ht]. apply Rmult_le_compat_r; [lra|]. left. apply area_below_half.
Qed.

Lemma area_holds i x : holds i x -> holds (area_of i) (area x).
Proof.
  destruct i as [[l h]|]; [|intros; exact I]. intros Hx. assert (u := U). unfold area_of. assert (A := all_holds).
  destruct all as [[bottom top]|]; [|exact I]. simpl in A. cbv zeta. set (c := (Z.sqrt (7 * bits / 10) * unit)%Z). simpl in Hx.
  destruct ((l =? h) && (h <=? c))%Z eqn:E; [|now apply (area_ends l h c x bottom top)].
  apply andb_prop in E. destruct E as [E _]. apply Z.eqb_eq in E. subst h.
  replace x with (IZR l / IZR unit); [apply area_signed_holds|]. apply Rmult_eq_reg_r with (IZR unit); [|lra].
  replace (IZR l / IZR unit * IZR unit) with (IZR l) by (field; lra). lra.
Qed.

(* The area up to a whole number, and at most the bell there over that number beyond. *)
Definition half_of_all : interval :=
  let x := (Z.sqrt (bits / 2) + 1)%Z in
  match area_point (x * unit), hump (Some (x * unit, x * unit))%Z with
  | Some (l, h), Some (_, b) => Some (l, h + up b x)%Z
  | _, _ => None
  end.

Lemma half_holds : holds half_of_all half.
Proof.
  unfold half_of_all. cbv zeta. set (x := (Z.sqrt (bits / 2) + 1)%Z). assert (u := U). assert (Hh := proj1 half_lim).
  assert (X : (0 < x)%Z) by (unfold x; generalize (Z.sqrt_nonneg (bits / 2)); lia). assert (X' := IZR_lt _ _ X).
  assert (A := area_point_holds (x * unit) ltac:(nia)). assert (B := hump_holds _ _ (point_holds (x * unit))).
  replace (IZR (x * unit) / IZR unit) with (IZR x) in * by (rewrite mult_IZR; field; lra).
  destruct (area_point (x * unit)) as [[l h]|]; [|exact I]. destruct (hump _) as [[b' b]|]; [|exact I]. simpl in A, B |- *.
  assert (P := PhiBar_pos (IZR x)). assert (M := mills p_infty (IZR x) Logic.I). unfold PhiBar, phi in *. cbn [Phi] in *.
  assert (E : forall y, 1 - (1/2 + y / (2 * half)) = (half - y) / (2 * half)) by (intros; field; lra). rewrite E in *.
  assert (Pa : 0 < half - area (IZR x)).
  { replace (half - area (IZR x)) with ((half - area (IZR x)) / (2 * half) * (2 * half)) by (field; lra).
    apply Rmult_lt_0_compat; lra. }
  assert (Ma : IZR x * (half - area (IZR x)) <= bell (IZR x)).
  { apply Rmult_le_reg_r with (/ (2 * half)); [apply Rinv_0_lt_compat; lra|]. unfold Rdiv in M. lra. }
  split; [nra|]. rewrite plus_IZR. assert (R : (half - area (IZR x)) * IZR unit <= IZR (up b x)); [|lra].
  apply Rmult_le_reg_r with (IZR x); auto. eapply Rle_trans; [|now apply up_above]. nra.
Qed.

(* Comparisons. *)
Definition positive (i : interval) : bool := match i with Some (l, _) => (0 <? l)%Z | None => false end.
Definition at_most (i : interval) (p q : Z) : bool := match i with Some (_, h) => (h * q <=? p * unit)%Z | None => false end.

Lemma positive_valid i x : positive i = true -> holds i x -> 0 < x.
Proof.
  destruct i as [[l h]|]; [|discriminate]. simpl. rewrite Z.ltb_lt. intros H Hx. apply IZR_lt in H. assert (u := U). nra.
Qed.

Lemma at_most_valid i p q x : (0 < q)%Z -> at_most i p q = true -> holds i x -> x <= IZR p / IZR q.
Proof.
  intros Hq. destruct i as [[l h]|]; [|discriminate]. simpl. rewrite Z.leb_le. intros H Hx. apply IZR_le in H.
  rewrite !mult_IZR in H.
  assert (Q := IZR_lt _ _ Hq). assert (u := U). apply Rmult_le_reg_r with (IZR q); auto.
  replace (IZR p / IZR q * IZR q) with (IZR p) by (field; lra). apply Rmult_le_reg_r with (IZR unit); auto. nra.
Qed.

Lemma div_zero i j : holds j 0 -> div i j = None.
Proof.
  destruct j as [[l h]|]; [|destruct i as [[? ?]|]; auto]. simpl. rewrite Rmult_0_l. intros [L H]. apply le_IZR in L, H.
  unfold div, inv. destruct (Z.ltb_spec 0 l); [lia|]. destruct (Z.ltb_spec h 0); [lia|]. destruct i as [[? ?]|]; auto.
Qed.

End Intervals.

(* Half of the whole area, evaluated with thrice the bits: the bell's digits are lost in a long sum. *)
Definition half_by (bits : Z) : interval :=
  match half_of_all (3 * bits) (2^(3 * bits)) with
  | Some (l, h) => Some (Z.shiftr l (2 * bits), - Z.shiftr (- h) (2 * bits))%Z
  | None => None
  end.

Lemma half_by_holds bits : (0 <= bits)%Z -> holds (2^bits) (half_by bits) half.
Proof.
  intros Hb. unfold half_by. assert (H := half_holds (3 * bits) (2^(3 * bits)) ltac:(lia) eq_refl).
  destruct (half_of_all _ _) as [[l h]|]; [|exact I]. cbn [holds] in *.
  replace (2^(3 * bits))%Z with (2^bits * 2^(2 * bits))%Z in H by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
  rewrite !Z.shiftr_div_pow2 by lia. assert (P : (0 < 2^(2 * bits))%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (P' := IZR_lt _ _ P).
  assert (A := down_below l _ P). assert (B := up_above h _ P). unfold down, up in A, B. rewrite mult_IZR in H.
  split; apply Rmult_le_reg_r with (IZR (2^(2 * bits))); auto; lra.
Qed.
