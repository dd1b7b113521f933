(* The relative entropy's bound e^(-n kl(x||p)) in whole numbers. It is at most (1 - p + p r)^n / r^(n x) for each r, and
   r is a power of a number near 1, so that r^(n x) loses little where n x is not whole. Powers are rounded at each step. *)

From Coq Require Import Reals Lra Lia ZArith Bool.
From dpcalc Require Import Tree Tails Entropy Evaluate.
Open Scope R_scope.

Lemma kl_dual x p r : 0 <= x <= 1 -> 0 < p < 1 -> 0 < r -> x * ln r - ln (1 - p + p * r) <= kl x p.
Proof.
  intros Hx Hp Hr. set (M := 1 - p + p * r). assert (HM : 0 < M) by (unfold M; nra).
  assert (Ha : 0 < p * r / M < 1).
  { split; [apply Rdiv_lt_0_compat; nra|]. apply Rmult_lt_reg_r with M; auto. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. unfold M. lra. }
  assert (H := kl_tangent x p (p * r / M) p Hx Hp Ha Hp).
  replace (p * r / M / p) with (r / M) in H by (field; lra).
  replace ((1 - p * r / M) / (1 - p)) with (/ M) in H by (unfold M in *; field; lra).
  unfold Rdiv in H at 1. rewrite ln_mult, ln_Rinv in H by (auto; now apply Rinv_0_lt_compat).
  replace (p * r / M * p / p) with (p * r / M) in H by (field; lra).
  replace ((1 - p * r / M) * (1 - p) / (1 - p)) with (1 - p * r / M) in H by (field; lra). lra.
Qed.

Section Power.
Variable unit : Z.
Hypothesis unit_pos : (0 < unit)%Z.

Fixpoint power (div : Z -> Z -> Z) (z : Z) (e : positive) : Z :=
  match e with
  | xH => z
  | xO e => let h := power div z e in div (h * h) unit
  | xI e => let h := power div z e in div (div (h * h) unit * z) unit
  end%Z.

Lemma times_up x y a b : 0 <= a -> 0 <= b -> a * IZR unit <= IZR x -> b * IZR unit <= IZR y ->
  a * b * IZR unit <= IZR (up (x * y) unit).
Proof.
  intros Ha Hb Hx Hy. assert (U := IZR_lt _ _ unit_pos). apply Rmult_le_reg_r with (IZR unit); auto.
  eapply Rle_trans; [|apply up_above; auto]. rewrite mult_IZR.
  replace (a * b * IZR unit * IZR unit) with ((a * IZR unit) * (b * IZR unit)) by ring.
  apply Rmult_le_compat; auto; apply Rmult_le_pos; lra.
Qed.

Lemma times_down x y a b : 0 <= IZR x -> 0 <= IZR y -> IZR x <= a * IZR unit -> IZR y <= b * IZR unit ->
  0 <= IZR (down (x * y) unit) <= a * b * IZR unit.
Proof.
  intros H0 H1 Hx Hy. assert (U := IZR_lt _ _ unit_pos). apply le_IZR in H0, H1. split.
  - apply IZR_le. unfold down. apply Z.div_pos; nia.
  - apply Rmult_le_reg_r with (IZR unit); auto. eapply Rle_trans; [apply down_below; auto|]. rewrite mult_IZR.
    replace (a * b * IZR unit * IZR unit) with ((a * IZR unit) * (b * IZR unit)) by ring.
    apply IZR_le in H0, H1. now apply Rmult_le_compat.
Qed.

Lemma power_up z b e : 0 <= b -> b * IZR unit <= IZR z -> b^(Pos.to_nat e) * IZR unit <= IZR (power up z e).
Proof.
  intros Hb Hz. assert (Hp : forall i, 0 <= b^i) by (intros; now apply pow_le).
  induction e as [e IH|e IH|]; cbn [power].
  - rewrite Pos2Nat.inj_xI. replace (S (2 * Pos.to_nat e)) with (Pos.to_nat e + Pos.to_nat e + 1)%nat by lia.
    rewrite !pow_add, pow_1. apply times_up; auto; [apply Rmult_le_pos; auto|]. now apply times_up.
  - rewrite Pos2Nat.inj_xO. replace (2 * Pos.to_nat e)%nat with (Pos.to_nat e + Pos.to_nat e)%nat by lia.
    rewrite pow_add. now apply times_up.
  - rewrite Pos2Nat.inj_1, pow_1. exact Hz.
Qed.

Lemma power_down z b e : 0 <= IZR z <= b * IZR unit ->
  0 <= IZR (power down z e) <= b^(Pos.to_nat e) * IZR unit.
Proof.
  intros [H0 Hz]. induction e as [e [I0 IH]|e [I0 IH]|]; cbn [power].
  - rewrite Pos2Nat.inj_xI. replace (S (2 * Pos.to_nat e)) with (Pos.to_nat e + Pos.to_nat e + 1)%nat by lia.
    rewrite !pow_add, pow_1. destruct (times_down _ _ _ _ I0 I0 IH IH). now apply times_down.
  - rewrite Pos2Nat.inj_xO. replace (2 * Pos.to_nat e)%nat with (Pos.to_nat e + Pos.to_nat e)%nat by lia.
    rewrite pow_add. now apply times_down.
  - rewrite Pos2Nat.inj_1, pow_1. now split.
Qed.

End Power.

(* e^(-n kl(x/d||a/d)) is at most u/v: powers are over 2^s, and r is a power of about its root. *)
Section Entropy.
Variable halvings : nat.
Variable parts : positive.   (* 2^halvings *)
Definition root (s d a x : Z) : Z :=
  Nat.iter halvings (fun z => Z.sqrt (z * 2^s)) (x * (d - a) * 2^s / (a * (d - x)))%Z.
Definition entropy_within (n s u v d a x : Z) : bool :=
  let r := root s d a x in
  match n, (Zpos parts * n * x / d)%Z with
  | Zpos rows, Zpos e =>
    ((0 <? a) && (a <? x) && (x <=? d) && (0 <? v) && (0 <=? u) && (0 <=? s) && (2^s <=? r) &&
     (power (2^s) up (up ((d - a) * 2^s + a * power (2^s) up r parts) d) rows * v <=? u * power (2^s) down r e))%Z
  | _, _ => false
  end.

Theorem entropy_within_valid n s u v d a x : entropy_within n s u v d a x = true ->
  0 < IZR a / IZR d /\ IZR a / IZR d < IZR x / IZR d /\ IZR x / IZR d <= 1 /\
  exp (- IZR n * kl (IZR x / IZR d) (IZR a / IZR d)) <= IZR u / IZR v.
Proof.
  unfold entropy_within. cbv zeta. destruct n as [|rows|]; try discriminate.
  destruct (Zpos parts * Zpos rows * x / d)%Z as [|e|] eqn:Ee; try discriminate.
  rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le. intros [[[[[[[Ha Hx] Hd] Hv] Hu] Hs] Hr] H].
  set (r := root s d a x) in *. set (one := (2^s)%Z) in *.
  assert (Op : (0 < one)%Z) by (unfold one; lia). assert (O := IZR_lt _ _ Op).
  assert (A := IZR_lt _ _ Ha). assert (AX := IZR_lt _ _ Hx). assert (XD := IZR_le _ _ Hd).
  assert (V := IZR_lt _ _ Hv). assert (U := IZR_le _ _ Hu). assert (D : 0 < IZR d) by lra.
  assert (Hi : forall y, IZR y / IZR d * IZR d = IZR y) by (intros; field; lra).
  assert (P0 : 0 < IZR a / IZR d) by now apply Rdiv_lt_0_compat.
  assert (P1 : IZR a / IZR d < IZR x / IZR d) by (apply Rmult_lt_reg_r with (IZR d); auto; now rewrite !Hi).
  assert (P2 : IZR x / IZR d <= 1) by (apply Rmult_le_reg_r with (IZR d); auto; rewrite Hi; lra).
  repeat split; auto.
  set (b := IZR r / IZR one). assert (Eb : b * IZR one = IZR r) by (unfold b; field; lra).
  assert (B1 : 1 <= b).
  { apply Rmult_le_reg_r with (IZR one); auto. rewrite Eb, Rmult_1_l. now apply IZR_le. }
  set (k := Pos.to_nat parts). set (p := IZR a / IZR d) in *. set (y := IZR x / IZR d) in *.
  set (M := 1 - p + p * b^k). assert (Bk : forall i, 1 <= b^i) by (intros; now apply pow_R1_Rle).
  assert (M1 : 1 <= M) by (unfold M; generalize (Bk k); nra).
  assert (HM : M * IZR one <= IZR (up ((d - a) * one + a * power one up r parts) d)).
  { apply Rmult_le_reg_r with (IZR d); auto. eapply Rle_trans; [|apply up_above; lia]. rewrite plus_IZR, !mult_IZR, minus_IZR.
    assert (Hk := power_up one Op r b parts ltac:(lra) ltac:(lra)). fold k in Hk.
    unfold M, p. replace ((1 - IZR a / IZR d + IZR a / IZR d * b^k) * IZR one * IZR d) with
      ((IZR d - IZR a) * IZR one + IZR a * (b^k * IZR one)) by (field; lra).
    apply Rplus_le_compat_l. apply Rmult_le_compat_l; lra. }
  assert (Hn := power_up one Op _ M rows ltac:(lra) HM).
  destruct (power_down one Op r b e) as [_ He]; [split; [rewrite <- Eb; nra|lra]|].
  set (i := Pos.to_nat rows) in *. set (j := Pos.to_nat e) in *.
  assert (Hc : M^i * IZR v <= IZR u * b^j).
  { apply IZR_le in H. rewrite !mult_IZR in H. apply Rmult_le_reg_r with (IZR one); auto.
    apply Rmult_le_compat_l with (r := IZR u) in He; auto. apply Rmult_le_compat_r with (r := IZR v) in Hn; lra. }
  assert (Hj : INR j <= INR k * (INR i * y)).
  { unfold j, k, i. rewrite !INR_IZR_INZ, !positive_nat_Z, <- Ee. apply Rmult_le_reg_r with (IZR d); auto.
    eapply Rle_trans; [apply (down_below _ d); lia|]. rewrite !mult_IZR. right. unfold y. field. lra. }
  assert (Hkl := kl_dual y p (b^k) ltac:(lra) ltac:(lra) ltac:(generalize (Bk k); lra)). fold M in Hkl.
  rewrite ln_pow in Hkl by lra.
  assert (L : 0 <= ln b) by (rewrite <- ln_1; apply Rcomplements.ln_le; lra).
  assert (I0 : 0 <= INR i) by apply pos_INR.
  apply Rle_trans with (exp (INR i * ln M - INR j * ln b)).
  - assert (Hle : - IZR (Z.pos rows) * kl y p <= INR i * ln M - INR j * ln b); [|destruct Hle as [Hle| ->]; [left; now apply exp_increasing|lra]].
    replace (IZR (Z.pos rows)) with (INR i) by (unfold i; now rewrite INR_IZR_INZ, positive_nat_Z).
    apply Rmult_le_compat_l with (r := INR i) in Hkl; auto. apply Rmult_le_compat_r with (r := ln b) in Hj; auto. nra.
  - unfold Rminus. rewrite exp_plus, exp_Ropp, <- !ln_pow, !exp_ln by (try apply pow_lt; lra).
    assert (J := Bk j). apply Rmult_le_reg_r with (IZR v); auto. replace (IZR u / IZR v * IZR v) with (IZR u) by (field; lra).
    apply Rmult_le_reg_r with (b^j); [lra|]. replace (M^i * / b^j * IZR v * b^j) with (M^i * IZR v) by (field; lra). exact Hc.
Qed.

End Entropy.
