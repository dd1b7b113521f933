(* The greatest width of an interval in whole numbers, and open gates at any bar. As kl(x||c) is at least
   x ln r + (1-x) ln r' + 1 - (r c + r' (1-c)) for any r and r', two such planes bound both ends at once. *)

From Coq Require Import Reals Lra Lia List Arith ZArith Bool Psatz.
From dpcalc Require Import Tree Count Gate Tails Budget OpenGate Records Entropy OpenRows Evaluate Plans OpenPlans.
Import ListNotations.
Open Scope R_scope.

(* exp(g/o) <= r/w, as exp(z/N) <= 1/(1-z/N): z is g/o, N is 2^60, and 1 counts as 2^200. *)
Fixpoint squared (i : nat) (a : Z) : Z := match i with O => a | S i => squared i (a * a / 2^200) end%Z.
Definition exp_within (g o r w : Z) : bool :=
  let a := (2^200 + (- g * 2^200) / (o * 2^60))%Z in
  ((0 <? o) && (0 <? w) && (0 <? r) && (0 <=? a) && (w * 2^200 <=? squared 60 a * r))%Z.

Lemma squared_below i a y : 0 <= y -> (0 <= a)%Z -> IZR a <= IZR (2^200) * y -> IZR (squared i a) <= IZR (2^200) * y^(2^i).
Proof.
  revert a y. induction i as [|i IH]; intros a y Hy Ha H; cbn [squared]; [simpl; lra|].
  assert (Hp : (0 < 2^200)%Z) by reflexivity. set (p := (2^200)%Z) in *. assert (Hp' := IZR_lt _ _ Hp).
  replace (y^(2^S i)) with ((y * y)^(2^i)) by (rewrite Nat.pow_succ_r', pow_mult; f_equal; ring).
  apply IH; [nra|apply Z.div_pos; nia|]. apply Rmult_le_reg_r with (IZR p); auto.
  eapply Rle_trans; [apply (down_below (a * a) p Hp)|]. rewrite mult_IZR. apply IZR_le in Ha.
  replace (IZR p * (y * y) * IZR p) with (IZR p * y * (IZR p * y)) by ring. apply Rmult_le_compat; auto.
Qed.

Lemma exp_powers z i : exp z = exp (z / INR (2^i))^(2^i).
Proof.
  rewrite <- Rpower_pow by apply exp_pos. unfold Rpower. rewrite ln_exp. f_equal. field. apply not_0_INR.
  apply Nat.pow_nonzero. lia.
Qed.

Lemma exp_within_at i g o r w a : (0 < o)%Z -> (0 < w)%Z -> (0 < r)%Z -> (0 <= a)%Z ->
  (a - 2^200 <= (- g * 2^200) / (o * Z.of_nat (2^i)))%Z -> (w * 2^200 <= squared i a * r)%Z -> exp (IZR g / IZR o) <= IZR r / IZR w.
Proof.
  intros Ho Hw Hr Ha Hle H. assert (Hp : (0 < 2^200)%Z) by reflexivity. set (p := (2^200)%Z) in *.
  set (N := INR (2^i)). assert (N0 : 0 < N) by (apply lt_0_INR; generalize (Nat.pow_nonzero 2 i); lia).
  assert (EN : IZR (Z.of_nat (2^i)) = N) by (unfold N; now rewrite INR_IZR_INZ).
  assert (HN : (0 < Z.of_nat (2^i))%Z) by (generalize (Nat.pow_nonzero 2 i); lia).
  set (z := IZR g / IZR o). set (y := 1 - z / N).
  assert (Hp' := IZR_lt _ _ Hp). assert (Ho' := IZR_lt _ _ Ho). assert (Hw' := IZR_lt _ _ Hw). assert (Hr' := IZR_lt _ _ Hr).
  assert (Hay : IZR a <= IZR p * y).
  { assert (D := down_below (- g * p) (o * Z.of_nat (2^i)) ltac:(nia)). unfold down in D.
    apply IZR_le in Hle. rewrite minus_IZR in Hle. rewrite !mult_IZR, opp_IZR, EN in D.
    assert (IZR a - IZR p <= - (IZR p * (z / N))); [|unfold y; lra].
    eapply Rle_trans; [exact Hle|]. apply Rmult_le_reg_r with (IZR o * N); [nra|]. eapply Rle_trans; [exact D|].
    right. unfold z. field. lra. }
  apply IZR_le in Ha. assert (Hy : 0 <= y) by (apply Rmult_le_reg_l with (IZR p); lra).
  assert (Hs := squared_below i a y Hy ltac:(now apply le_IZR) Hay). fold p in Hs.
  apply IZR_le in H. rewrite !mult_IZR in H.
  assert (H1 : IZR w <= y^(2^i) * IZR r).
  { apply Rmult_le_reg_r with (IZR p); auto. eapply Rle_trans; [exact H|].
    replace (y^(2^i) * IZR r * IZR p) with (IZR p * y^(2^i) * IZR r) by ring. apply Rmult_le_compat_r; lra. }
  assert (H2 : exp z * y^(2^i) <= 1).
  { rewrite (exp_powers z i), <- Rpow_mult_distr, <- (pow1 (2^i)). apply pow_incr. fold N. split.
    - apply Rmult_le_pos; auto. left. apply exp_pos.
    - assert (E := exp_ge_1 (- (z / N))). assert (P := exp_pos (z / N)).
      replace 1 with (exp (z / N) * exp (- (z / N))) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
      apply Rmult_le_compat_l; unfold y; lra. }
  assert (P := exp_pos z). apply Rmult_le_reg_r with (IZR w); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_trans with (exp z * (y^(2^i) * IZR r)); [apply Rmult_le_compat_l; lra|]. nra.
Qed.

Lemma two_60 : Z.of_nat (2^60) = (2^60)%Z.
Proof. exact (Nat2Z.inj_pow 2 60). Qed.

Theorem exp_within_valid g o r w : exp_within g o r w = true -> exp (IZR g / IZR o) <= IZR r / IZR w.
Proof.
  unfold exp_within. cbv zeta. set (a := (2^200 + _)%Z). rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[[Ho Hw] Hr] Ha] H]. apply (exp_within_at 60 g o r w a); auto. rewrite two_60. unfold a. lia.
Qed.

Lemma term_plane x p r : 0 <= x -> 0 <= p -> (p = 0 -> x = 0) -> 0 < r -> x * ln r + x - r * p <= x * ln (x / p).
Proof.
  intros Hx Hp H0 Hr. destruct (Req_dec p 0) as [->|Hp0]; [rewrite (H0 eq_refl); lra|].
  assert (H := term_tangent x p r 1 Hx ltac:(lra) Hr ltac:(lra)). replace (r / 1) with r in H by field.
  replace (r * p / 1) with (r * p) in H by field. exact H.
Qed.

Lemma kl_plane x p r r' : 0 <= x <= 1 -> 0 <= p <= 1 -> (p = 0 -> x = 0) -> (p = 1 -> x = 1) -> 0 < r -> 0 < r' ->
  x * ln r + (1 - x) * ln r' + 1 - (r * p + r' * (1 - p)) <= kl x p.
Proof.
  intros Hx Hp H0 H1 Hr Hr'. unfold kl. assert (A := term_plane x p r ltac:(lra) ltac:(lra) H0 Hr).
  assert (B := term_plane (1 - x) (1 - p) r' ltac:(lra) ltac:(lra) ltac:(intros E; rewrite (H1 ltac:(lra)); ring) Hr'). lra.
Qed.

Lemma kl_same x : 0 <= x <= 1 -> kl x x = 0.
Proof.
  intros Hx. destruct (Req_dec x 0) as [->|H0]; [|destruct (Req_dec x 1) as [->|H1]; [|apply kl_self; lra]]; unfold kl.
  - replace ((1 - 0) / (1 - 0)) with 1 by field. rewrite ln_1. ring.
  - replace (1 / 1) with 1 by field. rewrite ln_1. ring.
Qed.

(* Two planes with their weights, the factors r over a unit, lower bounds of their logarithms and upper bounds of ln of 1
   over the levels, over another. *)
Record planes := Planes { weight : Z; weight' : Z; unit : Z; r1 : Z; r1' : Z; r2 : Z; r2' : Z;
  ln_unit : Z; g1 : Z; g1' : Z; g2 : Z; g2' : Z; h1 : Z; h2 : Z }.

Section Wide.
Variables n u v u' v' d s t : Z.    (* rows, both levels, the gap and the width over d *)
Variable a : planes.
Definition wide_keeps : bool :=
  let '(l, l', w, o) := (weight a, weight' a, unit a, ln_unit a) in
  let most := (d * (l * h1 a + l' * h2 a))%Z in
  ((0 <? n) && (0 <? d) && (0 <=? s) && (s <=? t) && (t <=? d) && (0 <? l) && (0 <? l') && (0 <=? h1 a) && (0 <=? h2 a) &&
   (exp_within (g1 a) o (r1 a) w && exp_within (g1' a) o (r1' a) w && exp_within (g2 a) o (r2 a) w &&
    exp_within (g2' a) o (r2' a) w && exp_within (- h1 a) o u v && exp_within (- h2 a) o u' v') && (r2 a <=? r2' a) &&
   (d * (l * r1' a) + l' * (r2 a * t + r2' a * (d - t)) <=? (l + l') * w * d) &&
   (l * (r1 a * (d - t) + r1' a * t) + d * (l' * r2 a) <=? (l + l') * w * d) &&
   (most <? n * (d * (l * g1' a) + l' * (s * g2 a + (d - s) * g2' a))) &&
   (most <? n * (l * ((d - s) * g1 a + s * g1' a) + d * (l' * g2 a))))%Z.

Ltac spread H := repeat (rewrite plus_IZR in H || rewrite minus_IZR in H || rewrite mult_IZR in H).

Lemma linear_below p q y c : 0 <= c <= y -> p <= 0 -> p + q * y <= 0 -> p + q * c <= 0.
Proof. intros Hc H0 H1. destruct (Rle_dec q 0); nra. Qed.

Lemma linear_above p q y c : 0 <= c <= y -> 0 < p -> 0 < p + q * y -> 0 < p + q * c.
Proof. intros Hc H0 H1. destruct (Rle_dec q 0); nra. Qed.

Lemma ln_above g o r w : exp_within g o r w = true -> 0 < IZR r / IZR w /\ IZR g / IZR o <= ln (IZR r / IZR w).
Proof.
  intros H. assert (E := exp_within_valid _ _ _ _ H). assert (P := exp_pos (IZR g / IZR o)). split; [lra|].
  rewrite <- (ln_exp (IZR g / IZR o)). destruct E as [E|E]; [left; now apply ln_increasing|rewrite E; lra].
Qed.

Theorem wide_keeps_valid : wide_keeps = true ->
  wide (IZR n) (IZR u / IZR v) (IZR u' / IZR v') (IZR s / IZR d) (IZR t / IZR d).
Proof.
  unfold wide_keeps. destruct a as [l l' w R1 R1' R2 R2' o G1 G1' G2 G2' H1 H2].
  cbn [weight weight' unit r1 r1' r2 r2' ln_unit g1 g1' g2 g2' h1 h2]. cbv zeta.
  rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[[[[[[[[[[[[Hn Hd] Hs] Hst] Ht] Hl] Hl'] Hh1] Hh2] [[[[[E1 E1'] E2] E2'] F1] F2]] Hr] L0] L1] M0] M1].
  assert (Ow : (0 < o)%Z /\ (0 < w)%Z).
  { unfold exp_within in E1. cbv zeta in E1. rewrite !andb_true_iff, !Z.ltb_lt in E1. tauto. }
  destruct Ow as [Ho Hw]. apply ln_above in E1, E1', E2, E2'. apply exp_within_valid in F1, F2.
  destruct E1 as [P1 A1], E1' as [P1' A1'], E2 as [P2 A2], E2' as [P2' A2'].
  apply IZR_lt in Hn, Hd, Hl, Hl', Ho, Hw, M0, M1. apply IZR_le in Hs, Hst, Ht, Hr, L0, L1, Hh1, Hh2.
  spread L0. spread L1. spread M0. spread M1.
  set (N := IZR n) in *. set (D := IZR t / IZR d). set (z := IZR s / IZR d).
  set (q1 := IZR R1 / IZR w) in *. set (q1' := IZR R1' / IZR w) in *. set (q2 := IZR R2 / IZR w) in *. set (q2' := IZR R2' / IZR w) in *.
  set (k1 := IZR G1 / IZR o) in *. set (k1' := IZR G1' / IZR o) in *. set (k2 := IZR G2 / IZR o) in *. set (k2' := IZR G2' / IZR o) in *.
  set (m1 := IZR H1 / IZR o). set (m2 := IZR H2 / IZR o).
  assert (Ez : IZR s = IZR d * z /\ IZR t = IZR d * D) by (unfold z, D; split; field; lra). destruct Ez as [Ez ED].
  assert (Eq : IZR R1 = IZR w * q1 /\ IZR R1' = IZR w * q1' /\ IZR R2 = IZR w * q2 /\ IZR R2' = IZR w * q2').
  { unfold q1, q1', q2, q2'. repeat split; field; lra. }
  assert (Ek : IZR G1 = IZR o * k1 /\ IZR G1' = IZR o * k1' /\ IZR G2 = IZR o * k2 /\ IZR G2' = IZR o * k2' /\
    IZR H1 = IZR o * m1 /\ IZR H2 = IZR o * m2).
  { unfold k1, k1', k2, k2', m1, m2. repeat split; field; lra. }
  clearbody q1 q1' q2 q2' k1 k1' k2 k2' m1 m2 z D.
  destruct Eq as (Q1 & Q1' & Q2 & Q2'), Ek as (K1 & K1' & K2 & K2' & Hm1 & Hm2).
  rewrite Q1', Q2, Q2', ED in L0. rewrite Q1, Q1', Q2, ED in L1. rewrite K1', K2, K2', Hm1, Hm2, Ez in M0.
  rewrite K1, K1', K2, Hm1, Hm2, Ez in M1. rewrite Q2, Q2' in Hr. rewrite Ez in Hs. rewrite Ez, ED in Hst. rewrite ED in Ht.
  rewrite Hm1 in Hh1. rewrite Hm2 in Hh2.
  set (x1 := IZR l) in *. set (x2 := IZR l') in *. set (dd := IZR d) in *. set (ww := IZR w) in *. set (oo := IZR o) in *.
  assert (Z0 : 0 <= z) by (apply Rmult_le_reg_l with dd; lra). assert (ZD : z <= D) by (apply Rmult_le_reg_l with dd; lra).
  assert (D1 : D <= 1) by (apply Rmult_le_reg_l with dd; lra). assert (Hq : q2 <= q2') by (apply Rmult_le_reg_l with ww; lra).
  assert (m0 : 0 <= m1 /\ 0 <= m2) by (split; apply Rmult_le_reg_l with oo; lra).
  (* over the units *)
  assert (L0' : x1 * q1' + x2 * (q2 * D + q2' * (1 - D)) - (x1 + x2) <= 0).
  { apply Rmult_le_reg_l with (dd * ww); [now apply Rmult_lt_0_compat|].
    match type of L0 with ?e <= ?f => apply Rle_trans with (e - f); [right; ring|lra] end. }
  assert (L1' : x1 * (q1 * (1 - D) + q1' * D) + x2 * q2 - (x1 + x2) <= 0).
  { apply Rmult_le_reg_l with (dd * ww); [now apply Rmult_lt_0_compat|].
    match type of L1 with ?e <= ?f => apply Rle_trans with (e - f); [right; ring|lra] end. }
  assert (M0' : 0 < N * (x1 * k1' + x2 * (z * k2 + (1 - z) * k2')) - (x1 * m1 + x2 * m2)).
  { apply Rmult_lt_reg_l with (dd * oo); [now apply Rmult_lt_0_compat|].
    match type of M0 with ?e < ?f => apply Rlt_le_trans with (f - e); [lra|right; ring] end. }
  assert (M1' : 0 < N * (x1 * ((1 - z) * k1 + z * k1') + x2 * k2) - (x1 * m1 + x2 * m2)).
  { apply Rmult_lt_reg_l with (dd * oo); [now apply Rmult_lt_0_compat|].
    match type of M1 with ?e < ?f => apply Rlt_le_trans with (f - e); [lra|right; ring] end. }
  clear L0 L1 M0 M1.
  (* No c and u further apart are left at x and x+z. *)
  assert (Main : forall x c y, 0 <= x <= 1 - z -> 0 <= c <= x -> x + z <= y <= 1 -> (c = 0 -> x = 0) -> (y = 1 -> x + z = 1) ->
    N * kl x c <= m1 -> N * kl (x + z) y <= m2 -> y - c <= D).
  { intros x c y Hx Hc Hy Hc0 Hy1 B1 B2. apply Rnot_lt_le. intros Hlt.
    assert (A := kl_plane x c q1 q1' ltac:(lra) ltac:(lra) Hc0 ltac:(lra) P1 P1').
    assert (B := kl_plane (x + z) y q2 q2' ltac:(lra) ltac:(lra) ltac:(lra) Hy1 P2 P2').
    assert (Lin : x1 * (q1 * c + q1' * (1 - c)) + x2 * (q2 * y + q2' * (1 - y)) <= x1 + x2).
    { assert (q2 * y + q2' * (1 - y) <= q2 * (c + D) + q2' * (1 - (c + D))).
      { assert (0 <= (q2' - q2) * (y - (c + D))) by (apply Rmult_le_pos; lra). lra. }
      assert (x2 * (q2 * y + q2' * (1 - y)) <= x2 * (q2 * (c + D) + q2' * (1 - (c + D)))) by (apply Rmult_le_compat_l; lra).
      assert (L := linear_below (x1 * q1' + x2 * (q2 * D + q2' * (1 - D)) - (x1 + x2)) (x1 * (q1 - q1') + x2 * (q2 - q2')) (1 - D) c
        ltac:(lra) L0'). assert (LH : x1 * q1' + x2 * (q2 * D + q2' * (1 - D)) - (x1 + x2) + (x1 * (q1 - q1') + x2 * (q2 - q2')) * (1 - D) <= 0).
      { eapply Rle_trans; [|exact L1']. right. ring. }
      specialize (L LH). lra. }
    assert (Form := linear_above (N * (x1 * k1' + x2 * (z * k2 + (1 - z) * k2')) - (x1 * m1 + x2 * m2))
      (N * (x1 * (k1 - k1') + x2 * (k2 - k2'))) (1 - z) x ltac:(lra) M0').
    assert (FH : 0 < N * (x1 * k1' + x2 * (z * k2 + (1 - z) * k2')) - (x1 * m1 + x2 * m2) + N * (x1 * (k1 - k1') + x2 * (k2 - k2')) * (1 - z)).
    { eapply Rlt_le_trans; [exact M1'|]. right. ring. }
    specialize (Form FH).
    assert (T1 : x * k1 + (1 - x) * k1' <= x * ln q1 + (1 - x) * ln q1').
    { apply Rplus_le_compat; apply Rmult_le_compat_l; lra. }
    assert (T2 : (x + z) * k2 + (1 - (x + z)) * k2' <= (x + z) * ln q2 + (1 - (x + z)) * ln q2').
    { apply Rplus_le_compat; apply Rmult_le_compat_l; lra. }
    assert (S1 : x1 * (x * k1 + (1 - x) * k1' + 1 - (q1 * c + q1' * (1 - c))) <= x1 * kl x c) by (apply Rmult_le_compat_l; lra).
    assert (S2 : x2 * ((x + z) * k2 + (1 - (x + z)) * k2' + 1 - (q2 * y + q2' * (1 - y))) <= x2 * kl (x + z) y) by (apply Rmult_le_compat_l; lra).
    assert (S : x1 * (x * k1 + (1 - x) * k1') + x2 * ((x + z) * k2 + (1 - (x + z)) * k2') <= x1 * kl x c + x2 * kl (x + z) y) by lra.
    apply Rmult_le_compat_l with (r := N) in S; [|lra].
    assert (U1 : x1 * (N * kl x c) <= x1 * m1) by (apply Rmult_le_compat_l; lra).
    assert (U2 : x2 * (N * kl (x + z) y) <= x2 * m2) by (apply Rmult_le_compat_l; lra). lra. }
  assert (Low : forall x c, 0 <= x <= 1 -> left_low N (IZR u / IZR v) x c -> 0 <= c <= x /\ (c = 0 -> x = 0) /\ N * kl x c <= m1).
  { intros x c Hx [Hc [->|[H0 H]]].
    - rewrite kl_same by auto. repeat split; lra.
    - repeat split; try lra. assert (E : exp (- m1) <= exp (- N * kl x c)).
      { eapply Rle_trans; [|exact H]. eapply Rle_trans; [|exact F1]. right. f_equal. rewrite opp_IZR, Hm1. field. lra. }
      destruct E as [E|E]; [apply exp_lt_inv in E|apply exp_inv in E]; lra. }
  assert (High : forall x c, 0 <= x <= 1 -> left_high N (IZR u' / IZR v') x c -> x <= c <= 1 /\ (c = 1 -> x = 1) /\ N * kl x c <= m2).
  { intros x c Hx [Hc [->|[H0 H]]].
    - rewrite kl_same by auto. repeat split; lra.
    - repeat split; try lra. assert (E : exp (- m2) <= exp (- N * kl x c)).
      { eapply Rle_trans; [|exact H]. eapply Rle_trans; [|exact F2]. right. f_equal. rewrite opp_IZR, Hm2. field. lra. }
      destruct E as [E|E]; [apply exp_lt_inv in E|apply exp_inv in E]; lra. }
  intros x c y Hx Hc Hy. destruct (Low x c Hx Hc) as (C1 & C2 & C3).
  destruct (Rle_dec x (1 - z)) as [Hxz|Hxz].
  - rewrite Rmin_left in Hy by lra. destruct (High (x + z) y ltac:(lra) Hy) as (Y1 & Y2 & Y3). apply (Main x c y); auto; lra.
  - rewrite Rmin_right in Hy by lra. destruct Hy as [Hy _]. assert (y = 1) by lra. subst y.
    destruct (Rle_dec c (1 - z)) as [Hcz|Hcz]; [|lra]. apply (Main (1 - z) c 1); try lra.
    + eapply Rle_trans; [|exact C3]. apply Rmult_le_compat_l; [lra|].
      destruct (Req_dec c 0) as [E|Hc0]; [specialize (C2 E); lra|]. apply kl_rises; lra.
    + replace (1 - z + z) with 1 by ring. rewrite kl_same; lra.
Qed.

End Wide.

(* More is left: x, c and the other end over f d. *)
Definition too_wide (n u v u' v' d s t f x c y o k1 k1' k2 k2' : Z) : bool :=
  let w := (f * d)%Z in let z := (x + f * s)%Z in
  ((0 <? f) && (0 <? d) && (0 <=? n) && (0 <=? s) && (0 <? c) && (c <=? x) && (z <=? y) && (y <? w) && (0 <? u) && (0 <? v) &&
   (0 <? u') && (0 <? v') && exp_within k1 o c x && exp_within k1' o (w - c) (w - x) && exp_within k2 o y z &&
   exp_within k2' o (w - y) (w - z) && exp_within (- (n * (x * k1 + (w - x) * k1'))) (w * o) v u &&
   exp_within (- (n * (z * k2 + (w - z) * k2'))) (w * o) v' u' && (f * t <? y - c))%Z.

Lemma left_there (n w o x c k k' u v : Z) : (0 <= n)%Z -> (0 < w)%Z -> (0 < x < w)%Z -> (0 < c < w)%Z -> (0 < u)%Z -> (0 < v)%Z ->
  exp_within k o c x = true -> exp_within k' o (w - c) (w - x) = true ->
  exp_within (- (n * (x * k + (w - x) * k'))) (w * o) v u = true ->
  IZR u / IZR v <= exp (- IZR n * kl (IZR x / IZR w) (IZR c / IZR w)).
Proof.
  intros Hn Hw Hx Hc Hu Hv H1 H2 H3.
  assert (Ho : (0 < o)%Z) by (unfold exp_within in H1; cbv zeta in H1; rewrite !andb_true_iff, !Z.ltb_lt in H1; tauto).
  assert (Hxw : (0 < w - x)%Z) by lia. assert (Hcw : (0 < w - c)%Z) by lia. destruct Hx as [Hx _], Hc as [Hc _].
  apply exp_within_valid in H3. apply ln_above in H1, H2. destruct H1 as [_ H1], H2 as [_ H2].
  assert (Ew : forall a, IZR (w - a) = IZR w * (1 - IZR a / IZR w)).
  { intros a. apply IZR_lt in Hw. rewrite minus_IZR. field. lra. }
  apply IZR_lt in Hw, Hx, Hc, Hu, Hv, Ho, Hxw, Hcw. apply IZR_le in Hn.
  rewrite opp_IZR, !mult_IZR, plus_IZR, !mult_IZR in H3. rewrite !Ew in *.
  set (q := IZR x / IZR w) in *. set (p := IZR c / IZR w) in *.
  assert (Ex : IZR x = IZR w * q) by (unfold q; field; lra). assert (Ec : IZR c = IZR w * p) by (unfold p; field; lra).
  clearbody q p. rewrite Ex, Ec in H1. rewrite Ex in H3.
  assert (Hq : 0 < q < 1) by (split; apply Rmult_lt_reg_l with (IZR w); lra).
  assert (Hp : 0 < p < 1) by (split; apply Rmult_lt_reg_l with (IZR w); lra).
  replace (IZR w * p / (IZR w * q)) with (/ (q / p)) in H1 by (field; lra).
  replace (IZR w * (1 - p) / (IZR w * (1 - q))) with (/ ((1 - q) / (1 - p))) in H2 by (field; lra).
  rewrite ln_Rinv in H1, H2 by (apply Rdiv_lt_0_compat; lra).
  assert (HK : q * (IZR k / IZR o) + (1 - q) * (IZR k' / IZR o) <= - kl q p).
  { unfold kl. assert (q * (IZR k / IZR o) <= q * - ln (q / p)) by (apply Rmult_le_compat_l; lra).
    assert ((1 - q) * (IZR k' / IZR o) <= (1 - q) * - ln ((1 - q) / (1 - p))) by (apply Rmult_le_compat_l; lra). lra. }
  apply Rmult_le_compat_l with (r := IZR n) in HK; auto.
  match type of H3 with exp (- ?z / ?y) <= _ => set (e := z / y); replace (- z / y) with (- e) in H3 by (unfold e; field; lra) end.
  assert (Ee : e = IZR n * (q * (IZR k / IZR o) + (1 - q) * (IZR k' / IZR o))) by (unfold e; field; lra).
  apply Rle_trans with (exp e); [|apply exp_le; rewrite Ee; lra]. rewrite exp_Ropp in H3. assert (Pe := exp_pos e).
  apply Rinv_le_contravar in H3; [|now apply Rinv_0_lt_compat]. rewrite Rinv_involutive in H3 by lra.
  replace (/ (IZR v / IZR u)) with (IZR u / IZR v) in H3 by (field; lra). exact H3.
Qed.

Theorem too_wide_valid n u v u' v' d s t f x c y o k1 k1' k2 k2' :
  too_wide n u v u' v' d s t f x c y o k1 k1' k2 k2' = true ->
  ~ wide (IZR n) (IZR u / IZR v) (IZR u' / IZR v') (IZR s / IZR d) (IZR t / IZR d).
Proof.
  unfold too_wide. cbv zeta. set (w := (f * d)%Z). set (z := (x + f * s)%Z). rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le.
  intros [[[[[[[[[[[[[[[[[[Hf Hd] Hn] Hs] Hc] Hcx] Hzy] Hyw] Hu] Hv] Hu'] Hv'] E1] E1'] E2] E2'] F1] F2] Ht] H.
  assert (Hw : (0 < w)%Z) by (unfold w; nia). assert (Hxz : (x <= z)%Z) by (unfold z; nia).
  assert (L := left_there n w o x c k1 k1' u v Hn Hw ltac:(lia) ltac:(lia) Hu Hv E1 E1' F1).
  assert (R := left_there n w o z y k2 k2' u' v' Hn Hw ltac:(lia) ltac:(lia) Hu' Hv' E2 E2' F2).
  assert (Wp := IZR_lt _ _ Hw). assert (Hle : forall a b, (a <= b)%Z -> IZR a / IZR w <= IZR b / IZR w).
  { intros a b Hab. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|now apply IZR_le]. }
  assert (Hlt : forall a b, (a < b)%Z -> IZR a / IZR w < IZR b / IZR w).
  { intros a b Hab. apply Rmult_lt_compat_r; [now apply Rinv_0_lt_compat|now apply IZR_lt]. }
  assert (E0 : IZR 0 / IZR w = 0) by (field; lra). assert (Ew : IZR w / IZR w = 1) by (field; lra).
  assert (A1 := Hlt 0%Z c Hc). assert (A2 := Hle c x Hcx). assert (A3 := Hle z y Hzy). assert (A4 := Hlt y w Hyw).
  assert (A5 := Hle x z Hxz). rewrite E0 in A1. rewrite Ew in A4.
  assert (F0 := IZR_lt _ _ Hf). assert (D0 := IZR_lt _ _ Hd).
  assert (Ez : IZR x / IZR w + IZR s / IZR d = IZR z / IZR w).
  { unfold z, w. rewrite plus_IZR, !mult_IZR. field. lra. }
  assert (Hw1 := H (IZR x / IZR w) (IZR c / IZR w) (IZR y / IZR w) ltac:(lra)). rewrite Ez, Rmin_left in Hw1 by lra.
  specialize (Hw1 ltac:(split; [lra|right; split; [lra|exact L]]) ltac:(split; [lra|right; split; [lra|exact R]])).
  apply IZR_lt in Ht. rewrite mult_IZR, minus_IZR in Ht.
  assert (Et : IZR f * IZR t = IZR w * (IZR t / IZR d)) by (unfold w; rewrite mult_IZR; field; lra).
  assert (Eyc : IZR y - IZR c = IZR w * (IZR y / IZR w - IZR c / IZR w)) by (field; lra).
  rewrite Et, Eyc in Ht. apply Rmult_lt_reg_l in Ht; lra.
Qed.

(* An open gate at any bars: a threshold is the mean at which the bound by relative entropy is the level l of a pass. Where no
   mean has it, none passes. *)
Definition threshold_of (n l bar x : R) : Prop :=
  bar < x <= 1 /\ exp (- n * kl x bar) = l \/ 1 < x /\ l <= exp (- n * kl 1 bar).

Definition open_any_keeps (n M K b b' d s g h : Z) (a : planes) : bool :=
  let k := Z.to_nat K in let j := Z.to_nat (M - K) in
  (positive d s b' && look M K b b' && (0 <? h) && (g * left_over b' k j =? left_num b k j * h) &&
   wide_keeps n (left_num b k j) (left_over b' k j) (left_num b (k - 1) (j + 1)) (left_over b' (k - 1) (j + 1)) d 0 (2 * s) a)%Z.

Theorem open_any_plan {X : Type} (Ds : list (law X)) n : length Ds = Z.to_nat n -> (0 < n)%Z ->
  forall M K b b' d s g h a (ask : list bool -> query X) (bar x : list bool -> R), (forall v, 0 < bar v < 1) ->
  (forall v, threshold_of (IZR n) (IZR g / IZR h) (bar v) (x v)) -> open_any_keeps n M K b b' d s g h a = true ->
  P Ds (fun S => exists later r v, answered Ds ask x (Z.to_nat K) (Z.to_nat (M + 1 - K)) (Z.to_nat M) S = later ++ r :: v /\
    mistaken Ds ask bar (2 * (IZR s / IZR d)) v r) <= IZR b / IZR b'.
Proof.
  intros rows Hn M K b b' d s g h a ask bar x Hbar Hx. unfold open_any_keeps, positive. cbv zeta.
  rewrite !andb_true_iff, !Z.ltb_lt, Z.eqb_eq. intros [[[[[[Hd Hs] Hb'] Hl] Hh] Eg] Hw].
  assert (some := some_rows Ds n rows Hn). assert (En := rows_n Ds n rows Hn).
  apply wide_keeps_valid in Hw. assert (D0 := IZR_lt _ _ Hd).
  replace (IZR 0 / IZR d) with 0 in Hw by (field; lra).
  replace (IZR (2 * s) / IZR d) with (2 * (IZR s / IZR d)) in Hw by (rewrite mult_IZR; field; lra).
  assert (Hover : (0 < left_over b' (Z.to_nat K) (Z.to_nat (M - K)))%Z).
  { unfold left_over. generalize (product_pos 5 (Z.to_nat K + Z.to_nat (M - K)) ltac:(lia)). nia. }
  assert (El : IZR g / IZR h = IZR (left_num b (Z.to_nat K) (Z.to_nat (M - K))) / IZR (left_over b' (Z.to_nat K) (Z.to_nat (M - K)))).
  { apply (f_equal IZR) in Eg. rewrite !mult_IZR in Eg. apply IZR_lt in Hover, Hh.
    apply Rmult_eq_reg_r with (IZR h * IZR (left_over b' (Z.to_nat K) (Z.to_nat (M - K)))); [|nra].
    match goal with |- ?e1 / ?e2 * (?e2 * ?e3) = ?e4 / ?e3 * (?e2 * ?e3) =>
      replace (e1 / e2 * (e2 * e3)) with (e1 * e3) by (field; lra); replace (e4 / e3 * (e2 * e3)) with (e4 * e2) by (field; lra) end.
    exact Eg. }
  rewrite El in Hx. set (l := IZR _ / IZR (left_over b' (Z.to_nat K) (Z.to_nat (M - K)))) in *.
  set (l' := IZR _ / IZR (left_over b' (Z.to_nat K - 1) _)) in *. set (D := 2 * (IZR s / IZR d)) in *.
  assert (Hsame : forall y, 0 <= y <= 1 -> left_high (IZR n) l' y y) by (intros y Hy; split; [lra|now left]).
  assert (Width : forall y c u, 0 <= y <= 1 -> 0 < c <= y -> l <= exp (- IZR n * kl y c) -> left_high (IZR n) l' y u -> u - c <= D).
  { intros y c u Hy Hc Hle Hu. apply (Hw y c u Hy); [split; [lra|right; tauto]|]. rewrite Rplus_0_r, Rmin_left by lra. exact Hu. }
  apply (look_valid Ds n); auto.
  - unfold D. now apply (two_nonneg Ds n).
  - fold l. intros Hl0 w Hle. destruct (Hx w) as [[Hr E]|[Hr _]]; (eapply Rle_trans; [apply (lower_valid Ds some (ask w) (x w) l (bar w))|lra]);
      auto; rewrite En; [apply low_kl; specialize (Hbar w); lra|now apply low_beyond].
  - fold l'. intros Hl0 w Hlt. assert (Hr := pop_range Ds some (ask w)). assert (Hb := Hbar w).
    destruct (Hx w) as [[Hxr E]|[Hxr E]].
    + assert (Hxp : x w < pop Ds (ask w)).
      { assert (H := Width (x w) (bar w) (x w) ltac:(lra) ltac:(lra) ltac:(lra) (Hsame (x w) ltac:(lra))). lra. }
      set (u := (Rmax (x w) (bar w + D) + pop Ds (ask w)) / 2).
      assert (Hm : Rmax (x w) (bar w + D) < pop Ds (ask w)) by (unfold Rmax; destruct (Rle_dec (x w) (bar w + D)); lra).
      generalize (Rmax_l (x w) (bar w + D)) (Rmax_r (x w) (bar w + D)). intros M1 M2.
      eapply Rle_trans; [apply (Pr_mono _ _ (fun S => emp Ds (ask w) S <= x w)); intros S; lra|].
      eapply Rle_trans; [apply (tail_kl_down Ds some (ask w) u (x w)); unfold u; lra|]. rewrite En.
      apply Rnot_lt_le. intros Hbig.
      assert (H := Width (x w) (bar w) u ltac:(lra) ltac:(lra) ltac:(lra)).
      specialize (H ltac:(split; [unfold u; lra|right; split; [unfold u; lra|left; exact Hbig]])). unfold u in H. lra.
    + assert (H := Width 1 (bar w) 1 ltac:(lra) ltac:(lra) E (Hsame 1 ltac:(lra))). lra.
Qed.
