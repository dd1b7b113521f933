(* docs/theorems/transfer.md, "Joint bound": noisy answers to adaptively chosen queries on independent records, of which
   cells are shown. The noise is normal or is normal and cut; the last answer may have none. *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Kappa Variance Line Normal Posterior Rounded Steps Tangent.
Import ListNotations.
Open Scope R_scope.

(* Powers of numbers that may be 0. *)
Definition power (x b : R) : R := if Rlt_dec 0 x then Rpower x b else 0.

Lemma power_nonneg x b : 0 <= power x b.
Proof. unfold power. destruct (Rlt_dec 0 x); [left; apply Rpower_pos|lra]. Qed.

Lemma power_le x y b : 0 <= b -> x <= y -> power x b <= power y b.
Proof.
  intros Hb H. unfold power. destruct (Rlt_dec 0 x), (Rlt_dec 0 y); try lra.
  - apply Rle_Rpower_l; auto.
  - left. apply Rpower_pos.
Qed.

(* The power of what is at most a tail, by an exponential above the tail. *)
Lemma power_line v c h b t x y : proper v -> line v c h -> 0 <= b -> y <= tail v (t - x) ->
  power y b <= Rpower c b * exp (- (b * h * t)) * exp (b * h * x).
Proof.
  intros Hp Hl Hb Hy. destruct (line_above v c h Hp Hl) as (Hc & Hh & Hbelow).
  assert (H : 0 < c * exp (- h * (t - x))) by (apply Rmult_lt_0_compat; auto; apply exp_pos).
  eapply Rle_trans; [apply power_le; [exact Hb|eapply Rle_trans; [exact Hy|apply Hbelow]]|]. unfold power.
  destruct (Rlt_dec 0 (c * exp (- h * (t - x)))); [|lra].
  rewrite <- Rpower_mult_distr by (auto; apply exp_pos). right. rewrite Rmult_assoc. f_equal. unfold Rpower.
  rewrite ln_exp, <- exp_plus. f_equal. ring.
Qed.

(* What an answer of one noise multiplies a majorant by, at the order a and the variance V. *)
Definition price (a V : R) (v : noise) : R :=
  match v with
  | Silent => 1
  | Plain s => Rpower (1 + a * (V / s^2)) ((a - 1) / (2 * a))
  | Cut s k => Rpower (1 + a * (V / s^2)) ((a - 1) / (2 * a)) * Rmin 1 (cut_factor a s V k) / share k
  end.
Definition inverse_square (v : noise) : R := match v with Silent => 0 | Plain s => / s^2 | Cut s _ => / s^2 end.

(* The bound of one tail by an exponential above the noise's tail: c^b exp(V (bh)^2/2 - bh tau). *)
Definition T (b V c h tau : R) : R := Rpower c b * exp (V * (b * h)^2 / 2 - b * h * tau).

Lemma noise_step_from {X} (x0 : X) Ds (prior : (list X -> R) -> Prop) a r V v :
  Ds <> nil -> (forall D, In D Ds -> finite D) -> 1 <= a -> 0 < V -> noisy v ->
  (forall lam, prior lam -> class x0 Ds r lam) ->
  (forall lam q t, prior lam -> prodE Ds (fun S => lam S * exp (t * (emp Ds q S - centre Ds lam q))) <=
    exp (V * t^2 / 2) * prodE Ds lam) ->
  step_from x0 Ds prior a (r + a * inverse_square v / (4 * (Tails.n Ds)^2)) (density_of v) (price a V v).
Proof.
  intros some_rows support Ha HV0 Hv Hc Hn. destruct v as [|s|s k]; destruct Hv as (Hs & Hp); [congruence| |];
    cbn [proper density_of price inverse_square] in *.
  - replace (a * / s^2) with (a / s^2) by reflexivity. now apply normal_step_from.
  - destruct Hp as [Hp Hk0]. assert (Hz := share_pos k Hk0).
    assert (Hi : 0 < / share k) by now apply Rinv_0_lt_compat.
    replace (a * / s^2) with (a / s^2) by reflexivity.
    set (C := Rpower (1 + a * (V / s^2)) ((a - 1) / (2 * a))).
    replace (C * Rmin 1 (cut_factor a s V k) / share k) with (/ share k * (C * Rmin 1 (cut_factor a s V k))) by
      (field; lra).
    apply step_scal with (r := r); auto; [lra|].
    unfold Rmin. destruct (Rle_dec 1 (cut_factor a s V k)).
    + rewrite Rmult_1_r. apply (step_less x0 Ds _ _ _ _ (density 0 s)); [now apply normal_step_from|].
      intros w. unfold cut_density, inside. assert (Hd := density_pos 0 s w Hp).
      destruct (Rle_dec _ _); [lra|]. destruct (Rle_dec _ _); lra.
    + now apply cut_step_from.
Qed.

Section OneAnswer.
Context {X : Type}.
Variable x0 : X.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Hypothesis support : forall D, In D Ds -> finite D.
Notation E := (prodE Ds).
Notation n := (Tails.n Ds).
Notation emp := (emp Ds).
Notation pop := (pop Ds).
Notation rows := (length Ds).
Notation class := (class x0 Ds).

Variable noises : nat -> noise.
Hypothesis all_proper : forall j, proper (noises j).
Variable ask : list cell -> query X.
Variable cuts : list cell -> list R.
Hypothesis cuts_sorted : forall v, sorted m_infty (cuts v).
Variable tau : nat -> R.
Variables count_above count_below : bool.

Notation psi := (fun j => density_of (noises j)).
Notation cdf := (fun j => cdf_of (noises j)).
Notation hit := (hit cdf cuts (fun v => emp (ask v)) (off Ds ask tau count_above count_below)).

(* The squares of the answers before j, and V. *)
Definition r (a : R) (j : nat) : R := sumR (seq 0 j) (fun l => a * inverse_square (noises l) / (4 * n^2)).
Definition enough (a : R) (j : nat) (V : R) : Prop := 0 < kap rows (r a j) /\ 1 / (4 * n * kap rows (r a j)) <= V.

Lemma r_S a j : r a (S j) = r a j + a * inverse_square (noises j) / (4 * n^2).
Proof. unfold r. rewrite seq_S, sumR_app. cbn [sumR]. simpl (0 + j)%nat. lra. Qed.

Lemma enough_pos a j V : enough a j V -> 0 < V.
Proof.
  intros (Hk & HV). assert (Hn := n_pos Ds some_rows).
  assert (0 < 1 / (4 * n * kap rows (r a j))); [|lra]. apply Rdiv_lt_0_compat; [lra|].
  repeat apply Rmult_lt_0_compat; lra.
Qed.

Lemma noise_step a j V : 1 <= a -> noisy (noises j) -> enough a j V ->
  step x0 Ds a (r a j) (r a (S j)) (psi j) (price a V (noises j)).
Proof.
  intros Ha Hv He. assert (HV := enough_pos a j V He). destruct He as (Hk & He). rewrite r_S.
  refine (noise_step_from x0 Ds (class (r a j)) a (r a j) V (noises j) some_rows support Ha HV Hv (fun _ H => H) _).
  intros lam q t Hc. now apply (sub_gaussian x0 Ds some_rows support (r a j)).
Qed.

Lemma price_nonneg a V v : 1 <= a -> 0 < V -> proper v -> 0 <= price a V v.
Proof.
  intros Ha HV Hp. destruct v as [|s|s k]; cbn [price]; [lra|left; apply Rpower_pos|].
  destruct Hp as [Hs Hk]. apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat, share_pos].
  apply Rmult_le_pos; [left; apply Rpower_pos|]. apply Rmin_glb; [lra|]. unfold cut_factor.
  apply Rplus_le_le_0_compat; [left; apply Rpower_pos|]. apply Rmult_le_pos; [|left; apply Rpower_pos].
  unfold outer. apply Rmult_le_pos; [|left; apply PhiBar_pos]. generalize (phi_pos k) (phi_pos 0). intros H1 H2.
  apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [apply sqrt_pos|left; now apply Rinv_0_lt_compat].
Qed.

(* One tail under fresh records. *)
Definition over_truth (q : query X) (S : list X) : R := emp q S - pop q.
Definition moment (v : noise) (t b M : R) : Prop := 0 < M /\
  forall q, E (fun S => power (tail v (t - over_truth q S)) b) <= M.

Lemma E_emp q : E (emp q) = pop q.
Proof.
  unfold Tails.emp, Tails.pop, Rdiv. rewrite mean_scal_r. f_equal. clear. induction Ds as [|D L IH]; [reflexivity|].
  cbn [prodE cons_law mean sumR]. rewrite (mean_ext D _ (fun x => fn q x + prodE L (fun S => sumR S (fn q)))).
  - rewrite mean_plus, mean_const, IH. reflexivity.
  - intros x. rewrite (mean_plus (prodE L) (fun _ => fn q x)), mean_const. reflexivity.
Qed.

Lemma fresh_moment q h : E (fun S => exp (h * over_truth q S)) <= exp (1 / (4 * n) * h^2 / 2).
Proof.
  assert (Hk : kap rows 0 = 1).
  { unfold kap, kappa_poly. destruct (Nat.eqb rows 1); auto. rewrite Rmult_0_r. field. }
  assert (H := sub_gaussian x0 Ds some_rows support 0 (fun _ => 1) q (1 / (4 * n)) h (class_one x0 Ds)).
  rewrite Hk in H. specialize (H ltac:(lra) ltac:(rewrite Rmult_1_r; lra)).
  unfold centre in H. rewrite (mean_ext E (fun S => 1 * emp q S) (emp q)), E_emp, mean_one in H by (intros; ring).
  replace (pop q / 1) with (pop q) in H by field. rewrite Rmult_1_r in H.
  rewrite (mean_ext E _ (fun S => 1 * exp (h * (emp q S - pop q)))) by (intros; unfold over_truth; ring). exact H.
Qed.

(* "One tail by a tangent." *)
Theorem tangent_moment v c h t b : proper v -> line v c h -> 0 <= b -> moment v t b (T b (1 / (4 * n)) c h t).
Proof.
  intros Hp Hl Hb. split.
  - apply Rmult_lt_0_compat; [apply Rpower_pos|apply exp_pos].
  - intros q. apply Rle_trans with (E (fun S => Rpower c b * exp (- (b * h * t)) * exp (b * h * over_truth q S))).
    + apply mean_mono. intros S. apply (power_line v); auto. apply Rle_refl.
    + rewrite mean_scal. unfold T. rewrite Rmult_assoc. apply Rmult_le_compat_l; [left; apply Rpower_pos|].
      apply Rle_trans with (exp (- (b * h * t)) * exp (1 / (4 * n) * (b * h)^2 / 2)).
      * apply Rmult_le_compat_l; [left; apply exp_pos|apply fresh_moment].
      * rewrite <- exp_plus. apply exp_le. lra.
Qed.

(* The two sides of an answer, as the tails of a query and of its complement. *)
Lemma flip_over q S : length S = rows -> over_truth (flip q) S = - over_truth q S.
Proof.
  intros HS. unfold over_truth. rewrite pop_flip by auto. assert (Hn := n_pos Ds some_rows).
  assert (H : sumR S (fn (flip q)) = INR (length S) - sumR S (fn q)).
  { clear. induction S as [|x S IH]; [simpl; lra|]. cbn [sumR length]. rewrite S_INR, IH. simpl. lra. }
  unfold Tails.emp. rewrite H, HS. unfold Tails.n in *. field. lra.
Qed.

Notation up v := (fun S => tail (noises (length v)) (tau (length v) - over_truth (ask v) S)).
Notation down v := (fun S => tail (noises (length v)) (tau (length v) - over_truth (flip (ask v)) S)).

Lemma two_sides v S : length S = rows -> hit 0 v S <= (if count_above then up v S else 0) + (if count_below then down
  v S else 0).
Proof.
  intros HS. eapply Rle_trans; [apply sides; auto|].
  - intros; now apply cdf_of_rises.
  - intros; now apply cdf_of_ends.
  - apply Rplus_le_compat.
    + unfold upper. destruct count_above; [|lra].
      replace (pop (ask v) + tau (length v) - emp (ask v) S) with (tau (length v) - over_truth (ask v) S) by (unfold
        over_truth; ring).
      now apply tail_up.
    + unfold lower. destruct count_below; [|lra]. rewrite flip_over by auto.
      replace (pop (ask v) - tau (length v) - emp (ask v) S) with (- (tau (length v) - - over_truth (ask v) S)) by
        (unfold over_truth; ring).
      now apply tail_down.
Qed.

(* Hoelder's inequality for one side. *)
Lemma hoelder a M lam la rr g : 1 < a -> class rr la -> 0 < M -> (forall S, 0 <= g S) ->
  E (fun S => power (g S) (a / (a - 1))) <= M -> (forall S, length S = rows -> 0 <= lam S <= Rpower (la S) (/ a)) ->
  E (fun S => lam S * g S) <= Rpower M (1 - / a) * Rpower (E la) (/ a).
Proof.
  intros Ha Hc HM Hg0 Hq Hl. assert (HA := class_E_pos x0 Ds support rr la Hc). set (A := E la) in *.
  assert (Hth : 0 < / a < 1).
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  set (th := / a) in *. set (K := Rpower A th * Rpower M (1 - th)).
  assert (HK : 0 < K) by (apply Rmult_lt_0_compat; apply Rpower_pos).
  assert (HKA : 0 <= K * th / A) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|left; now apply Rinv_0_lt_compat]).
  assert (HKM : 0 <= K * (1 - th) / M) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|left;
    now apply Rinv_0_lt_compat]).
  apply Rle_trans with (E (fun S => K * th / A * la S + K * (1 - th) / M * power (g S) (a / (a - 1)))).
  - apply (E_le Ds support). intros S HS. destruct (Hl S HS) as (H0 & H1).
    assert (Hla := class_pos x0 Ds rr la S Hc HS). assert (Hg := Hg0 S). unfold power.
    destruct (Rlt_dec 0 (g S)) as [Hgp|Hgp].
    + set (rr' := Rpower (g S) (a / (a - 1))).
      assert (Er : g S = Rpower rr' (1 - th)).
      { unfold rr'. rewrite Rpower_mult. replace (a / (a - 1) * (1 - th)) with 1 by (unfold th; field; lra).
        now rewrite Rpower_1. }
      apply Rle_trans with (Rpower (la S) th * Rpower rr' (1 - th)).
      * rewrite <- Er. apply Rmult_le_compat_r; auto.
      * eapply Rle_trans; [apply (young th (la S) rr' A M); auto; [lra|apply Rpower_pos]|]. fold K. right. field. lra.
    + replace (g S) with 0 by lra. rewrite !Rmult_0_r, Rplus_0_r. apply Rmult_le_pos; lra.
  - rewrite mean_plus, !mean_scal. fold A.
    apply Rle_trans with (K * th / A * A + K * (1 - th) / M * M).
    + apply Rplus_le_compat_l. now apply Rmult_le_compat_l.
    + right. unfold K. field. lra.
Qed.

Lemma one_side a M lam la rr q v t : 1 < a -> class rr la -> moment v t (a / (a - 1)) M -> proper v ->
  (forall S, length S = rows -> 0 <= lam S <= Rpower (la S) (/ a)) ->
  E (fun S => lam S * tail v (t - over_truth q S)) <= Rpower M (1 - / a) * Rpower (E la) (/ a).
Proof.
  intros Ha Hc (HM & Hq) Hp Hl. apply (hoelder a M lam la rr (fun S => tail v (t - over_truth q S))); auto.
  intros S. now apply tail_nonneg.
Qed.

(* The less likely of two sides, whatever was shown, by the moments of a law of the sample either way. *)
Lemma less_likely r c h B lam lb v q : class r lb -> proper v -> line v c h ->
  (forall g, g * g = 1 -> E (fun S => lb S * exp (h * g * (emp q S - centre Ds lb q))) <= exp B * E lb) ->
  forall t, (forall S, length S = rows -> 0 <= lam S <= lb S) ->
  E (fun S => lam S * tail v (t - over_truth q S)) <= c * exp (B - h * t) * E lb \/
  E (fun S => lam S * tail v (t - over_truth (flip q) S)) <= c * exp (B - h * t) * E lb.
Proof.
  intros Hc Hp Hl HB t Hlam. destruct (line_above v c h Hp Hl) as (Hc0 & Hh & Ht).
  assert (HE := class_E_pos x0 Ds support _ lb Hc). set (mu := centre Ds lb q) in *. set (Q := mu - pop q).
  assert (Side : forall g, g * g = 1 -> g * Q <= 0 -> forall Y : list X -> R, (forall S,
    length S = rows -> Y S = g * over_truth q S) ->
    E (fun S => lam S * tail v (t - Y S)) <= c * exp (B - h * t) * E lb).
  { intros g Hg HQ Y HY.
    apply Rle_trans with (E (fun S => c * exp (- h * t + h * (g * Q)) * (lb S * exp (h * g * (emp q S - mu))))).
    - apply (E_le Ds support). intros S HS. destruct (Hlam S HS) as (H0 & H1).
      apply Rle_trans with (lb S * (c * exp (- h * (t - Y S)))).
      + apply Rmult_le_compat; auto. now apply tail_nonneg.
      + right. rewrite HY by auto.
        replace (- h * (t - g * over_truth q S)) with (- h * t + h * (g * Q) + h * g * (emp q S - mu)) by (unfold Q,
          over_truth; ring).
        rewrite exp_plus. ring.
    - rewrite mean_scal. apply Rle_trans with (c * exp (- h * t + h * (g * Q)) * (exp B * E lb)).
      + apply Rmult_le_compat_l; auto. apply Rmult_le_pos; [lra|left; apply exp_pos].
      + rewrite (Rmult_assoc c), (Rmult_assoc c). apply Rmult_le_compat_l; [lra|].
        rewrite <- Rmult_assoc, <- exp_plus. apply Rmult_le_compat_r; [lra|]. apply exp_le.
        assert (h * (g * Q) <= 0) by nra. lra. }
  destruct (Rle_dec Q 0) as [HQ|HQ]; [left|right].
  - apply (Side 1); try lra. intros; ring.
  - apply (Side (-1)); try lra. intros S HS. rewrite flip_over by auto. ring.
Qed.

(* "The other side": the less likely of the two, whatever was shown. *)
Lemma other_side j V c h lam lb v q : enough 1 j V -> class (r 1 j) lb -> proper v -> line v c h -> forall t,
  (forall S, length S = rows -> 0 <= lam S <= lb S) ->
  E (fun S => lam S * tail v (t - over_truth q S)) <= T 1 V c h t * E lb \/
  E (fun S => lam S * tail v (t - over_truth (flip q) S)) <= T 1 V c h t * E lb.
Proof.
  intros (Hk & HV) Hc Hp Hl t Hlam. destruct (line_above v c h Hp Hl) as (Hc0 & _).
  replace (T 1 V c h t) with (c * exp (V * h^2 / 2 - h * t)).
  2:{ unfold T. rewrite Rpower_1, !Rmult_1_l by auto. reflexivity. }
  apply (less_likely (r 1 j) c h (V * h^2 / 2) lam lb v q); auto. intros g Hg.
  assert (H := sub_gaussian x0 Ds some_rows support _ lb q V (h * g) Hc Hk HV).
  replace ((h * g)^2) with (g * g * h^2) in H by ring. now rewrite Hg, Rmult_1_l in H.
Qed.

End OneAnswer.

(* The same of answers that are each about some of the records, as in [Rounded.composition]. *)
Section Answers.
Context {X : Type}.
Variable x0 : X.
Variable Ds : list (law X).
Hypothesis support : forall D, In D Ds -> finite D.
Notation E := (prodE Ds).
Variable noises : nat -> noise.
Hypothesis all_proper : forall j, proper (noises j).
Variable ask : list cell -> query X.
Variable cuts : list cell -> list R.
Hypothesis cuts_sorted : forall v, sorted m_infty (cuts v).
Variable tau : nat -> R.
Variables count_above count_below : bool.
Notation psi := (fun j => density_of (noises j)).
Notation cdf := (fun j => cdf_of (noises j)).

Variable at_hand : nat -> list (law X).
Hypothesis at_hand_some : forall l, at_hand l <> nil.
Hypothesis at_hand_support : forall l D, In D (at_hand l) -> finite D.
Variable prefix : nat -> list X -> list X.
Hypothesis prefix_length : forall l S, length S = length Ds \/ length S = length (at_hand (Datatypes.S l)) ->
  length (prefix l S) = length (at_hand l).
Hypothesis prefix_prefix : forall l S, prefix l (prefix (Datatypes.S l) S) = prefix l S.
Hypothesis prefix_E : forall l g, prodE (at_hand (S l)) (fun S => g (prefix l S)) = prodE (at_hand l) g.
Hypothesis prefix_all : forall l g, E (fun S => g (prefix l S)) = prodE (at_hand l) g.
Notation hit := (hit cdf cuts (mean_at ask at_hand prefix)
  (fun v => off (at_hand (length v)) ask tau count_above count_below v)).

(* The condition on a likelihood before answer l, and a V that is enough for every such likelihood. *)
Variable prior : R -> nat -> (list X -> R) -> Prop.
Variable r : R -> nat -> R.
Hypothesis prior_class : forall a l g, prior a l g -> class x0 (at_hand l) (r a l) g.
Hypothesis prior_one : forall a, prior a 0%nat (fun _ => 1).
Variable enough : R -> nat -> R -> Prop.
Hypothesis enough_pos : forall a l V, enough a l V -> 0 < V.
Hypothesis narrow : forall a l V, enough a l V -> forall lam q t, prior a l lam ->
  prodE (at_hand l) (fun S => lam S * exp (t * (emp (at_hand l) q S - centre (at_hand l) lam q))) <=
    exp (V * t^2 / 2) * prodE (at_hand l) lam.
Hypothesis price_step : forall a l V q, 1 <= a -> noisy (noises l) -> enough a l V ->
  step_of (at_hand l) a (prior a l) (fun g => prior a (S l) (fun S => g (prefix l S))) (psi l) q (fun _ => True)
    (price a V (noises l)).

(* What certifies eps for the answer after j others: u for each side that counts, or less for the other of two sides. *)
Definition both (u : R) : R := (if count_above then u else 0) + (if count_below then u else 0).

Inductive certified (j : nat) (eps : R) : Prop :=
| first M : j = 0%nat -> moment (at_hand 0) (noises 0) (tau 0) 1 M -> both M <= eps -> certified j eps
| alike a M V : 1 < a -> moment (at_hand j) (noises j) (tau j) (a / (a - 1)) M ->
    (forall l, (l < j)%nat -> enough a l (V l)) ->
    both (Rpower M (1 - / a) * product (fun l => price a (V l) (noises l)) 0 j) <= eps -> certified j eps
| apart a M V V1 c h : 1 < a -> moment (at_hand j) (noises j) (tau j) (a / (a - 1)) M ->
    (forall l, (l < j)%nat -> enough a l (V l)) ->
    line (noises j) c h -> (forall l, (l <= j)%nat -> enough 1 l (V1 l)) ->
    Rpower M (1 - / a) * product (fun l => price a (V l) (noises l)) 0 j +
    T 1 (V1 j) c h (tau j) * product (fun l => price 1 (V1 l) (noises l)) 0 j <= eps -> certified j eps.

Section One.
Variable j : nat.
Notation side lam q := (prodE (at_hand j) (fun S => lam S * tail (noises j) (tau j - over_truth (at_hand j) q S))).

Lemma split_sides v lam : length v = j -> (forall S, length S = length (at_hand j) -> 0 <= lam S) ->
  E (fun S => lam (prefix j S) * hit 0 v S) <=
    (if count_above then side lam (ask v) else 0) + (if count_below then side lam (flip (ask v)) else 0).
Proof.
  intros Hv Hl. set (H := fun S => sumR (cells m_infty (cuts v)) (fun c =>
    mass cdf j (emp (at_hand j) (ask v) S) c * ind (off (at_hand j) ask tau count_above count_below v) c)).
  assert (E0 : E (fun S => lam (prefix j S) * hit 0 v S) = prodE (at_hand j) (fun S => lam S * H S)).
  { rewrite <- (prefix_all j (fun S => lam S * H S)). apply mean_ext. intros S. unfold H, Rounded.hit. cbn [chance].
    unfold mean_at. cbv beta. now rewrite Hv. }
  rewrite E0. set (t := fun q S => tail (noises j) (tau j - over_truth (at_hand j) q S)).
  apply Rle_trans with (prodE (at_hand j) (fun S =>
    (if count_above then lam S * t (ask v) S else 0) + (if count_below then lam S * t (flip (ask v)) S else 0))).
  - apply (E_le (at_hand j) (at_hand_support j)). intros S HS.
    assert (H2 := two_sides (at_hand j) (at_hand_some j) noises all_proper ask cuts cuts_sorted tau count_above
      count_below v S HS). unfold Rounded.hit in H2. cbn [chance] in H2. cbv beta in H2. rewrite Hv in H2.
    eapply Rle_trans; [apply Rmult_le_compat_l; [now apply Hl|exact H2]|].
    right. unfold t. destruct count_above, count_below; ring.
  - rewrite mean_plus. right. f_equal; [destruct count_above|destruct count_below]; auto; apply mean_const.
Qed.

Theorem one_answer_at_hand eps : (forall l, (l < j)%nat -> noisy (noises l)) -> certified j eps -> E (hit j nil) <= eps.
Proof.
  intros Hnoisy H.
  assert (Hint : forall l, (l < j)%nat -> integral (psi l) (cdf l)) by (intros; apply noise_int; auto).
  assert (Hpsi : forall l y, (l < j)%nat -> 0 <= psi l y) by (intros; now apply density_of_nonneg).
  assert (Hprice : forall a V, 1 <= a -> (forall l, (l < j)%nat -> enough a l (V l)) -> forall l, (l < j)%nat ->
    0 <= price a (V l) (noises l)).
  { intros a V Ha HV l Hl. apply price_nonneg; auto. eapply enough_pos; eauto. }
  assert (Hhit : forall k v S, hit (Datatypes.S k) v S <= ind (fun _ => True) (prefix (length v) S) *
    sumR (cells m_infty (cuts v)) (fun c => mass cdf (length v) (mean_at ask at_hand prefix v S) c * hit k (c :: v) S)).
  { intros k v S. rewrite hit_S. unfold ind. destruct (ClassicalDescription.excluded_middle_informative True); [lra|tauto]. }
  assert (Hpos : forall a l g S, prior a l g -> length S = length (at_hand l) -> 0 < g S).
  { intros a l g S Hg HS. now apply (class_pos x0 (at_hand l) (r a l)); [apply prior_class|]. }
  assert (Hall : forall a b V W A B, 1 <= a -> 1 <= b -> (forall l, (l < j)%nat -> enough a l (V l)) ->
    (forall l, (l < j)%nat -> enough b l (W l)) -> 0 <= A -> 0 <= B ->
    (forall v lam la lb, length v = j -> likelihood at_hand prior a b j lam la lb ->
      E (fun S => lam (prefix j S) * hit 0 v S) <=
        A * Rpower (prodE (at_hand j) la) (/ a) + B * Rpower (prodE (at_hand j) lb) (/ b)) ->
    E (hit j nil) <= A * product (fun l => price a (V l) (noises l)) 0 j + B * product (fun l => price b (W l) (noises l)) 0 j).
  { intros a b V W A B Ha Hb HV HW HA HB Hlast.
    exact (composition Ds support cdf ask cuts cuts_sorted at_hand prefix prefix_length prefix_prefix prefix_E prior Hpos
      prior_one psi a b _ _ j Hint Hpsi (Hprice a V Ha HV) (Hprice b W Hb HW) (fun _ _ => True) hit Hhit
      (fun v Hv => price_step a _ _ _ Ha (Hnoisy _ Hv) (HV _ Hv)) (fun v Hv => price_step b _ _ _ Hb (Hnoisy _ Hv) (HW _ Hv))
      A B HA HB Hlast). }
  assert (Hone : forall a b M lam la lb, 1 < a -> moment (at_hand j) (noises j) (tau j) (a / (a - 1)) M ->
    likelihood at_hand prior a b j lam la lb -> forall q,
    side lam q <= Rpower M (1 - / a) * Rpower (prodE (at_hand j) la) (/ a)).
  { intros a b M lam la lb Ha HM (Hc & _ & Hl) q.
    apply (one_side x0 (at_hand j) (at_hand_support j) a M lam la (r a j)); auto.
    intros S HS. generalize (Hl S HS). lra. }
  destruct H as [M Hj HM He|a M V Ha HM HV He|a M V V1 c h Ha HM HV Hl HV1 He]; (eapply Rle_trans; [|exact He]).
  - rewrite (mean_ext E _ (fun S => 1 * hit 0 nil S)) by (intros; rewrite Hj; ring).
    eapply Rle_trans; [apply (split_sides nil (fun _ => 1) (eq_sym Hj)); intros; lra|]. rewrite Hj.
    destruct HM as (HM & Hq).
    assert (H0 : forall q, prodE (at_hand 0) (fun S => 1 * tail (noises 0) (tau 0%nat - over_truth (at_hand 0) q S)) <= M).
    { intros q. eapply Rle_trans; [|apply (Hq q)]. apply mean_mono. intros S.
      assert (H0 := tail_nonneg (noises 0) (tau 0%nat - over_truth (at_hand 0) q S) (all_proper 0)). unfold power.
      destruct (Rlt_dec _ _); [rewrite Rpower_1 by auto|]; lra. }
    assert (H1 := H0 (ask nil)). assert (H2 := H0 (flip (ask nil))). unfold both. destruct count_above, count_below; lra.
  - assert (HMp := Rpower_pos M (1 - / a)).
    assert (HB : 0 <= both (Rpower M (1 - / a))) by (unfold both; destruct count_above, count_below; lra).
    eapply Rle_trans; [apply (Hall a a V V _ 0 ltac:(lra) ltac:(lra) HV HV HB (Rle_refl 0))|
      unfold both; destruct count_above, count_below; lra].
    intros v lam la lb Hv HL. eapply Rle_trans; [apply (split_sides v lam Hv); intros S HS; apply (proj2 (proj2 HL) S HS)|].
    assert (H1 := Hone a a M lam la lb Ha HM HL (ask v)). assert (H2 := Hone a a M lam la lb Ha HM HL (flip (ask v))).
    unfold both. destruct count_above, count_below; lra.
  - assert (HMp := Rpower_pos M (1 - / a)). destruct (line_above _ _ _ (all_proper j) Hl) as (Hc0 & _).
    assert (HT : 0 < T 1 (V1 j) c h (tau j)) by (apply Rmult_lt_0_compat; [apply Rpower_pos|apply exp_pos]).
    apply (Hall a 1 V V1); try lra; auto.
    { intros l Hlj. apply HV1. lia. }
    intros v lam la lb Hv HL. eapply Rle_trans; [apply (split_sides v lam Hv); intros S HS; apply (proj2 (proj2 HL) S HS)|].
    assert (H1 := Hone a 1 M lam la lb Ha HM HL (ask v)). assert (H2 := Hone a 1 M lam la lb Ha HM HL (flip (ask v))).
    destruct HL as (_ & Hb & HL). assert (Cb := prior_class _ _ _ Hb).
    assert (HEb := class_E_pos x0 (at_hand j) (at_hand_support j) _ lb Cb).
    rewrite Rinv_1, (Rpower_1 (prodE (at_hand j) lb)) by auto.
    assert (0 <= Rpower M (1 - / a) * Rpower (prodE (at_hand j) la) (/ a)) by (apply Rmult_le_pos; left; apply Rpower_pos).
    assert (0 <= T 1 (V1 j) c h (tau j) * prodE (at_hand j) lb) by (apply Rmult_le_pos; lra).
    assert (ET : c * exp (V1 j * h^2 / 2 - h * tau j) = T 1 (V1 j) c h (tau j)).
    { unfold T. now rewrite Rpower_1, !Rmult_1_l by auto. }
    destruct (less_likely x0 (at_hand j) (at_hand_some j) (at_hand_support j) (r 1 j) c h (V1 j * h^2 / 2) lam lb (noises j)
      (ask v) Cb (all_proper j) Hl) with (t := tau j) as [Ho|Ho];
      try (rewrite ET in Ho; destruct count_above, count_below; lra).
    + intros g Hg. assert (Hn := narrow 1 j (V1 j) (HV1 j (Nat.le_refl j)) lb (ask v) (h * g) Hb).
      replace ((h * g)^2) with (g * g * h^2) in Hn by ring. now rewrite Hg, Rmult_1_l in Hn.
    + intros S HS. destruct (HL S HS) as (H3 & H4 & H5).
      rewrite Rinv_1, Rpower_1 in H5 by (now apply (class_pos x0 (at_hand j) (r 1 j))). lra.
Qed.
End One.
End Answers.

Section Joint.
Context {X : Type}.
Variable x0 : X.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Hypothesis support : forall D, In D Ds -> finite D.
Variable noises : nat -> noise.
Hypothesis all_proper : forall j, proper (noises j).
Variable ask : list cell -> query X.
Variable cuts : list cell -> list R.
Hypothesis cuts_sorted : forall v, sorted m_infty (cuts v).
Variable tau : nat -> R.
Variables count_above count_below : bool.
Notation cdf := (fun j => cdf_of (noises j)).
Notation hit := (hit cdf cuts (fun v => emp Ds (ask v)) (off Ds ask tau count_above count_below)).
Notation fails := (fails Ds cdf ask cuts tau count_above count_below).
Notation certified := (certified noises tau count_above count_below (fun _ => Ds) (enough Ds noises)).

Lemma r_0 a : r Ds noises a 0 = 0.
Proof. reflexivity. Qed.

Theorem one_answer j eps : (forall l, (l < j)%nat -> noisy (noises l)) -> certified j eps ->
  prodE Ds (hit j nil) <= eps.
Proof.
  refine (one_answer_at_hand x0 Ds support noises all_proper ask cuts cuts_sorted tau count_above count_below (fun _ => Ds)
    (fun _ => some_rows) (fun _ => support) (fun _ S => S) _ (fun _ _ => eq_refl) (fun _ _ => eq_refl) (fun _ _ => eq_refl)
    (fun a l => class x0 Ds (r Ds noises a l)) (r Ds noises) (fun _ _ _ H => H) (fun _ => class_one x0 Ds)
    (enough Ds noises) (enough_pos Ds some_rows noises) _ _ j eps).
  - intros l S [H|H]; exact H.
  - intros a l V (Hk & HV) lam q t Hl. now apply (sub_gaussian x0 Ds some_rows support (r Ds noises a l)).
  - intros a l V q Ha Hv He. now apply step_passes, (noise_step x0 Ds some_rows support).
Qed.

(* The joint bound: whatever the analyst asks and whatever the cells are, the probability that some answer of m is shown
   to be off is at most the sum of what certifies the answers. *)
Theorem joint_bound (m : nat) (eps : nat -> R) : (forall l, (S l < m)%nat -> noisy (noises l)) ->
  (forall j, (j < m)%nat -> certified j (eps j)) -> fails m <= sumR (seq 0 m) eps.
Proof.
  intros Hn Hc. eapply Rle_trans; [apply union; auto|].
  - intros; now apply cdf_of_rises.
  - intros; now apply cdf_of_ends.
  - apply sumR_le. intros j Hj. apply in_seq in Hj. apply one_answer; [intros; apply Hn; lia|]. apply Hc. lia.
Qed.

End Joint.
