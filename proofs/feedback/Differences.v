(* docs/theorems/feedback.md, "Differences": values in [-1,1] with a mean size of at most d, on independent clusters with
   weights of at most w, which are worth n = 1/w rows; rows of equal weight are the clusters Weights.rows_of. *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Count Gate Tails Records Weights Sides.
Import ListNotations.
Open Scope R_scope.

(* A difference has values in [-1,1]. *)
Definition difference X := { f : X -> R | forall x, -1 <= f x <= 1 }.
Definition dn {X} (q : difference X) : X -> R := proj1_sig q.
Definition as_query {X} (q : difference X) : query X.
  exists (fun x => / 2 * (1 + dn q x)). intros x. destruct q as [f Hf]. simpl. specialize (Hf x). lra.
Defined.
Definition minus {X} (q : difference X) : difference X.
  exists (fun x => - dn q x). intros x. destruct q as [f Hf]. simpl. specialize (Hf x). lra.
Defined.

Lemma cosh_ge_1 l : 1 <= cosh l.
Proof.
  unfold cosh. assert (H := exp_ge_1 l). assert (H' := exp_ge_1 (- l)). lra.
Qed.

Lemma sinh_pos l : 0 < l -> 0 < sinh l.
Proof. intros H. unfold sinh. assert (exp (- l) < exp l) by (apply exp_increasing; lra). lra. Qed.

(* A parabola of |x| and x above the exponential: equality at -1, 0 and 1. *)
Lemma exp_angle l x : -1 <= x <= 1 -> exp (l * x) <= 1 + Rabs x * (cosh l - 1) + x * sinh l.
Proof.
  intros Hx. unfold cosh, sinh. destruct (Rle_dec 0 x) as [H|H].
  - rewrite Rabs_pos_eq by lra. assert (Hc := exp_chord l x ltac:(lra)). lra.
  - rewrite Rabs_left by lra. assert (Hc := exp_chord (- l) (- x) ltac:(lra)).
    replace (- l * - x) with (l * x) in Hc by ring. lra.
Qed.

(* G_d(l). *)
Definition G (d l : R) : R :=
  if Rle_dec (1 + d * (exp l - 1)) (sinh l / l) then ln (1 + d * (exp l - 1)) - l * d
  else ln (sinh l / l) - l * (sinh l / l - 1 - d * (cosh l - 1)) / sinh l.

(* The tangent of ln at M, at which no pair of the means a of the positive and b of the negative parts exceeds G. *)
Lemma G_greatest d l : 0 < l -> 0 < d -> exists M, 0 < M /\ forall a b, 0 <= a -> 0 <= b -> a + b <= d ->
  ln M + (1 + a * (exp l - 1) + b * (exp (- l) - 1) - M) / M - l * (a - b) <= G d l.
Proof.
  intros Hl Hd. assert (Hs := sinh_pos l Hl). assert (He : 1 < exp l) by (rewrite <- exp_0; now apply exp_increasing).
  assert (Hi : exp l * exp (- l) = 1) by (rewrite <- exp_plus; replace (l + - l) with 0 by ring; apply exp_0).
  assert (Hpos := exp_pos (- l)).
  assert (Hle : l <= sinh l).
  { apply Rnot_lt_le. intros Hlt.
    assert (H0 : sinh 0 - 0 <= sinh l - l).
    { apply (convex_at_0 (fun y => sinh y - y) (fun y => cosh y - 1) sinh l).
      - intros y _. unfold sinh, cosh. auto_derive; auto. field.
      - intros y _. unfold sinh, cosh. auto_derive; auto. field.
      - intros y Hy. rewrite Rmin_left, Rmax_right in Hy by lra. destruct (Req_dec y 0) as [->|].
        + rewrite sinh_0. lra.
        + left. apply sinh_pos. lra.
      - rewrite cosh_0. ring. }
    rewrite sinh_0 in H0. lra. }
  unfold G. destruct (Rle_dec (1 + d * (exp l - 1)) (sinh l / l)) as [Hc|Hc].
  - set (M := 1 + d * (exp l - 1)) in *. assert (HM : 0 < M) by (unfold M; nra). exists M. split; auto.
    intros a b Ha Hb Hab.
    assert (HlM : l * M <= sinh l).
    { apply Rmult_le_compat_l with (r := l) in Hc; [|lra]. replace (l * (sinh l / l)) with (sinh l) in Hc by (field; lra). lra. }
    assert (HA : l <= (exp l - 1) / M).
    { apply Rle_div_r; auto. unfold sinh in HlM. generalize (cosh_ge_1 l). unfold cosh. lra. }
    assert (HB : 2 * l <= (exp l - exp (- l)) / M).
    { apply (proj1 (Rle_div_r (2 * l) _ M HM)). unfold sinh in HlM. lra. }
    replace ((1 + a * (exp l - 1) + b * (exp (- l) - 1) - M) / M) with
      (a * ((exp l - 1) / M) + b * ((exp l - 1) / M - (exp l - exp (- l)) / M) - d * ((exp l - 1) / M))
      by (unfold M; field; fold M; lra).
    set (u := (exp l - 1) / M) in *. set (v := (exp l - exp (- l)) / M) in *.
    assert (0 <= (d - a - b) * (u - l)) by (apply Rmult_le_pos; lra).
    assert (0 <= b * (v - 2 * l)) by (apply Rmult_le_pos; lra). lra.
  - set (M := sinh l / l). assert (HM : 0 < M) by (unfold M; apply Rdiv_lt_0_compat; lra). exists M. split; auto.
    intros a b Ha Hb Hab.
    assert (HA : 0 <= (cosh l - 1) * (l / sinh l)).
    { apply Rmult_le_pos; [generalize (cosh_ge_1 l); lra|]. left. now apply Rdiv_lt_0_compat. }
    replace (ln M + (1 + a * (exp l - 1) + b * (exp (- l) - 1) - M) / M - l * (a - b)) with
      (ln M - l * (M - 1) / sinh l + (a + b) * ((cosh l - 1) * (l / sinh l))).
    + replace (ln M - l * (M - 1 - d * (cosh l - 1)) / sinh l) with
        (ln M - l * (M - 1) / sinh l + d * ((cosh l - 1) * (l / sinh l))) by (field; lra).
      apply Rplus_le_compat_l, Rmult_le_compat_r; auto.
    + replace (cosh l) with (exp l - sinh l) by (unfold sinh, cosh; field).
      replace (exp (- l)) with (exp l - 2 * sinh l) by (unfold sinh; field).
      generalize (ln M). intros u. unfold M. field. lra.
Qed.

(* The bound exp(-n I_d(s)), the least over all l > 0. *)
Definition tail_of (bound : R -> R) : R := real (Glb_Rbar (fun y => exists l, 0 < l /\ y = bound l)).

Lemma tail_of_below bound (p : R) : (forall l, 0 < l -> p <= bound l) -> p <= tail_of bound.
Proof.
  intros H. unfold tail_of. assert (HG := Glb_Rbar_correct (fun y => exists l, 0 < l /\ y = bound l)).
  destruct HG as [H1 H2]. specialize (H2 (Finite p)). simpl in H2.
  assert (HF : Rbar_le p (Glb_Rbar (fun y => exists l, 0 < l /\ y = bound l))).
  { apply H2. intros y (l & Hl & ->). simpl. auto. }
  destruct (Glb_Rbar _) as [x| |]; simpl in *; auto; try contradiction.
  specialize (H1 (bound 1)). simpl in H1. exfalso. apply H1. exists 1. split; auto. lra.
Qed.

Section Differences.
Context {X : Type}.
Variable cs : list (cluster X).
Variable w : R.
Hypothesis ws : weights cs w.
Notation P := (P (laws cs)).
Notation n := (1 / w).
Variable d : R.
Hypothesis d_pos : 0 < d.

(* The differences with a mean size of at most d, their means and their truths. *)
Definition differing := { q : difference X | expected cs (fun x => Rabs (dn q x)) <= d }.
Definition gap (q : differing) (S : list X) : R := weighted cs (dn (proj1_sig q)) S.
Definition gap_truth (q : differing) : R := expected cs (dn (proj1_sig q)).
Definition turned (q : differing) : differing.
  exists (minus (proj1_sig q)). destruct q as [q Hq]. cbn [proj1_sig]. eapply Rle_trans; [|exact Hq].
  unfold expected. right. apply sumR_ext. intros c _. f_equal. apply mean_ext. intros x. simpl. apply Rabs_Ropp.
Defined.

Lemma n_pos : 0 < n.
Proof. assert (H := weight_pos _ _ ws). apply Rdiv_lt_0_compat; lra. Qed.

(* The moment of a cluster, by the tangent of ln at M. *)
Lemma difference_moment (q : differing) (l M : R) : 0 < M -> 0 <= l ->
  forall c : cluster X, snd c (fun x => exp (l * dn (proj1_sig q) x)) <=
    exp (ln M + (1 + (snd c (fun x => Rabs (dn (proj1_sig q) x)) * (cosh l - 1) + snd c (dn (proj1_sig q)) * sinh l) - M) / M).
Proof.
  intros HM Hl c. destruct q as [[f Hf] Hq]. cbn [proj1_sig dn]. eapply Rle_trans; [|apply exp_tangent; exact HM].
  apply Rle_trans with (snd c (fun x => 1 + (Rabs (f x) * (cosh l - 1) + f x * sinh l))).
  - apply mean_mono. intros x. generalize (exp_angle l (f x) (Hf x)). lra.
  - rewrite (mean_plus (snd c) (fun _ => 1)), mean_one, (mean_plus (snd c) (fun x => Rabs (f x) * (cosh l - 1))),
      !mean_scal_r. lra.
Qed.

Theorem difference_up (q : differing) (l s : R) : 0 < l ->
  P (fun S => gap q S - gap_truth q >= s) <= exp (- n * (l * s - G d l)).
Proof.
  intros Hl. assert (Hn := n_pos). destruct (G_greatest d l Hl d_pos) as (M & HM & HG).
  set (f := dn (proj1_sig q)). set (size := expected cs (fun x => Rabs (f x))). assert (Hd : size <= d) by apply (proj2_sig q).
  set (t := gap_truth q).
  eapply Rle_trans; [|eapply Rle_trans; [apply (clusters cs w ws f (fun D => ln M +
    (1 + (D (fun x => Rabs (f x)) * (cosh l - 1) + D f * sinh l) - M) / M) l (t + s))|]].
  - apply Pr_mono. intros S. unfold gap. fold f t. lra.
  - intros c _. apply difference_moment; lra.
  - lra.
  - apply exp_le. replace (- n * (l * s - G d l)) with (n * (G d l - l * s)) by ring.
    apply Rmult_le_compat_l; [lra|].
    specialize (HG ((size + t) / 2) ((size - t) / 2)).
    assert (Ht : - size <= t <= size).
    { unfold t, gap_truth, size, expected. fold f. split.
      - replace (- sumR cs (fun c => fst c * snd c (fun x => Rabs (f x)))) with
          (sumR cs (fun c => fst c * - snd c (fun x => Rabs (f x)))).
        + apply (weighted_mono cs w ws (fun c => - snd c (fun x => Rabs (f x))) (fun c => snd c f)). intros c _.
          rewrite <- mean_opp. apply mean_mono. intros x. generalize (Rle_abs (- f x)). rewrite Rabs_Ropp. lra.
        + rewrite (sumR_ext cs _ (fun c => (-1) * (fst c * snd c (fun x => Rabs (f x))))) by (intros; ring).
          rewrite sumR_scal. ring.
      - apply (weighted_mono cs w ws). intros c _. apply mean_mono. intros x. apply Rle_abs. }
    specialize (HG ltac:(lra) ltac:(lra) ltac:(lra)).
    rewrite (sumR_ext cs _ (fun c => fst c * (ln M + (1 - M) / M) +
      ((cosh l - 1) / M * (fst c * snd c (fun x => Rabs (f x))) + sinh l / M * (fst c * snd c f)))) by (intros; field; lra).
    rewrite !sumR_plus, !sumR_scal, (weighted_const cs w ws).
    change (sumR cs (fun c => fst c * snd c (fun x => Rabs (f x)))) with size.
    change (sumR cs (fun c => fst c * snd c f)) with t.
    assert (E : ln M + (1 - M) / M + ((cosh l - 1) / M * size + sinh l / M * t) =
      ln M + (1 + (size + t) / 2 * (exp l - 1) + (size - t) / 2 * (exp (- l) - 1) - M) / M).
    { unfold cosh, sinh. field. lra. }
    lra.
Qed.

(* exp(-n I_d(s)). *)
Definition difference_side (s : R) : R := if Rle_dec s 0 then 1 else tail_of (fun l => exp (- n * (l * s - G d l))).

Lemma gap_turned q S : gap (turned q) S = - gap q S.
Proof. unfold gap. destruct q as [[f Hf] Hq]. cbn. apply weighted_opp. Qed.

Lemma truth_turned q : gap_truth (turned q) = - gap_truth q.
Proof. unfold gap_truth. destruct q as [[f Hf] Hq]. cbn. apply expected_opp. Qed.

Theorem difference_sides : sides P gap gap_truth difference_side.
Proof.
  assert (H : forall q s, P (fun S => gap q S - gap_truth q >= s) <= difference_side s).
  { intros q s. unfold difference_side. destruct (Rle_dec s 0); [apply P_le_1|].
    apply tail_of_below. intros l Hl. now apply difference_up. }
  intros q s. split; [apply H|]. eapply Rle_trans; [|apply (H (turned q) s)]. apply Pr_mono. intros S HS.
  rewrite gap_turned, truth_turned. lra.
Qed.

(* A known mean of at most c: every l gives a bound, exp(-n J) the least. *)
Definition J_bound (c x l : R) : R := exp (- n * (l * x - ln (1 + d * (cosh l - 1) + c * sinh l))).

Theorem difference_bar (q : differing) (c x : R) : - d <= c -> d <= 1 -> gap_truth q <= c ->
  P (fun S => gap q S >= x) <= tail_of (J_bound c x).
Proof.
  intros Hc Hd1 Hq. apply tail_of_below. intros l Hl. assert (Hn := n_pos). assert (Hs := sinh_pos l Hl).
  assert (Hch := cosh_ge_1 l).
  set (f := dn (proj1_sig q)). set (size := expected cs (fun x => Rabs (f x))). assert (Hd : size <= d) by apply (proj2_sig q).
  set (M := 1 + d * (cosh l - 1) + c * sinh l).
  assert (HM : 0 < M).
  { unfold M. assert (E : cosh l - sinh l = exp (- l)) by (unfold cosh, sinh; field). assert (Hp := exp_pos (- l)).
    assert (0 <= (c + d) * sinh l) by (apply Rmult_le_pos; lra). assert (d * exp (- l) + (1 - d) > 0) by nra. nra. }
  eapply Rle_trans; [apply (clusters cs w ws f (fun D => ln M +
    (1 + (D (fun x => Rabs (f x)) * (cosh l - 1) + D f * sinh l) - M) / M) l x)|].
  - intros k _. apply difference_moment; lra.
  - lra.
  - unfold J_bound. fold M. apply exp_le. replace (- n * (l * x - ln M)) with (n * (ln M - l * x)) by ring.
    apply Rmult_le_compat_l; [lra|]. apply Rplus_le_compat_r.
    apply (ln_jensen cs w ws (fun k => 1 + (snd k (fun x => Rabs (f x)) * (cosh l - 1) + snd k f * sinh l))); auto.
    rewrite (sumR_ext cs _ (fun k => fst k * 1 + ((cosh l - 1) * (fst k * snd k (fun x => Rabs (f x))) +
      sinh l * (fst k * snd k f)))) by (intros; ring).
    rewrite !sumR_plus, !sumR_scal, (weighted_const cs w ws).
    change (sumR cs (fun c => fst c * snd c (fun x => Rabs (f x)))) with size.
    change (sumR cs (fun c => fst c * snd c f)) with (gap_truth q). unfold M.
    assert ((cosh l - 1) * size <= (cosh l - 1) * d) by (apply Rmult_le_compat_l; lra).
    assert (sinh l * gap_truth q <= sinh l * c) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* Below: the mean of -f. *)
Theorem difference_bar_down (q : differing) (c x : R) : c <= d -> d <= 1 -> c <= gap_truth q ->
  P (fun S => gap q S < x) <= tail_of (J_bound (- c) (- x)).
Proof.
  intros Hc Hd Hq. eapply Rle_trans; [|apply (difference_bar (turned q) (- c) (- x)); rewrite ?truth_turned; lra].
  apply Pr_mono. intros S HS. rewrite gap_turned. lra.
Qed.

End Differences.

(* A gate at a known bar c: what bounds a wrong pass, and a wrong failure. *)
Section Bar.
Context {X : Type}.
Variable cs : list (cluster X).
Variable w : R.
Hypothesis ws : weights cs w.
Variable d : R.
Hypothesis d_range : 0 < d <= 1.
Variables c tau a : R.
Hypothesis tau_pos : 0 < tau.
Hypothesis a_nonneg : 0 <= a.
Notation P := (P (laws cs)).

(* An expectation is never outside of [-d,d]. *)
Definition difference_pass : Prop := c < - d \/ tail_of (J_bound w d (Rmin c d) (c + tau)) <= a.
Definition difference_failure : Prop :=
  - (c + 2 * tau) < - d \/ tail_of (J_bound w d (Rmin (- (c + 2 * tau)) d) (- (c + tau))) <= a.

Lemma gap_range q : - d <= gap_truth cs d q <= d.
Proof.
  assert (H : forall q, gap_truth cs d q <= d).
  { intros [q0 Hq]. eapply Rle_trans; [|exact Hq]. apply (weighted_mono cs w ws). intros k _. apply mean_mono.
    intros x. apply Rle_abs. }
  split; [|apply H]. specialize (H (turned cs d q)). rewrite truth_turned in H. lra.
Qed.

Lemma above_bar b x : b < - d \/ tail_of (J_bound w d (Rmin b d) x) <= a ->
  forall q, gap_truth cs d q <= b -> P (fun S => gap cs d q S >= x) <= a.
Proof.
  intros H q Hq. assert (Hr := gap_range q). destruct H as [H|H]; [lra|].
  eapply Rle_trans; [|exact H]. apply (difference_bar cs w ws d (proj1 d_range)); [|lra|].
  - unfold Rmin. destruct (Rle_dec b d); lra.
  - apply Rmin_glb; lra.
Qed.

Theorem gate_bar_differences (analyst : list bool -> differing cs d) (B m : nat) :
  difference_pass -> difference_failure ->
  P (fun S => exists later b v,
    Rows.gate_shown (fun t => gap cs d (fst t)) (fun t => snd t + tau) (fun v => (analyst v, c)) B m S =
      later ++ b :: v /\
    Rows.gate_wrong (below_bar (gap_truth cs d)) (far_above (gap_truth cs d) tau) (fun v => (analyst v, c)) v b)
  <= INR (N m B) * a.
Proof.
  intros Hp Hf. apply gate_bar_sides; auto; [apply (above_bar c (c + tau) Hp)|].
  intros q Hq. eapply Rle_trans; [|apply (above_bar _ _ Hf (turned cs d q)); rewrite truth_turned; lra].
  apply Pr_mono. intros S HS. rewrite gap_turned. lra.
Qed.

Theorem gate_bar_differences_one_side (analyst : list bool -> differing cs d) (B m : nat) :
  difference_pass ->
  P (fun S => exists later b v,
    Rows.gate_shown (fun t => gap cs d (fst t)) (fun t => snd t + tau) (fun v => (analyst v, c)) B m S =
      later ++ b :: v /\
    Rows.gate_wrong (below_bar (gap_truth cs d)) (fun _ => False) (fun v => (analyst v, c)) v b)
  <= INR (N m B) * a.
Proof. intros Hp. apply gate_bar_side; auto. apply (above_bar c (c + tau) Hp). Qed.

End Bar.
