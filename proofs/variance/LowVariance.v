(* docs/theorems/variance.md, "Low-variance bound" and "Checked bounds": noisy answers to adaptively chosen queries of low
   variance, of which cells are shown. The noise is normal; the last answer may have none.

   A query comes with a function psi of a record that is at least the square of the query's distance from some centre and
   at most g^2. A sample is held at a node if the mean of psi on it is at most v, for the query that is asked there. *)

From Coq Require Import Reals Lra Lia List Psatz ClassicalDescription.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Ising Kappa Variance Line Normal Posterior Rounded Steps Tangent Joint Moments
  Constraint Certificate.
Import ListNotations.
Open Scope R_scope.

Section LowVariance.
Context {X : Type}.
Variable x0 : X.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Hypothesis support : forall D, In D Ds -> finite D.
Notation E := (prodE Ds).
Notation n := (Tails.n Ds).
Notation emp := (emp Ds).
Notation rows := (length Ds).
Notation class := (class x0 Ds).
Notation mean_on := (mean_on Ds).
Notation tilt := (tilt Ds).

Variable noises : nat -> noise.
Hypothesis all_proper : forall j, proper (noises j).
Variable ask : list cell -> query X.
Variable cuts : list cell -> list R.
Hypothesis cuts_sorted : forall u, sorted m_infty (cuts u).
Variable tau : nat -> R.
Variables count_above count_below : bool.

Variable psi : list cell -> X -> R.
Variable mid : list cell -> R.
Variables g v : nat -> R.
Hypothesis g_pos : forall j, 0 < g j.
Hypothesis v_pos : forall j, 0 < v j.
Hypothesis psi_above : forall u x, (fn (ask u) x - mid u)^2 <= psi u x.
Hypothesis psi_below : forall u x, psi u x <= (g (length u))^2.

Notation cdf := (fun j => cdf_of (noises j)).
Notation hit := (hit cdf cuts (fun u => emp (ask u)) (off Ds ask tau count_above count_below)).
Notation fails := (fails Ds cdf ask cuts tau count_above count_below).
Notation some_off := (some_off (off Ds ask tau count_above count_below)).
Notation chance := (chance cdf cuts (fun u => emp (ask u))).
Notation shown u := (cells m_infty (cuts u)).
Notation r := (Joint.r Ds noises).
Notation enough := (enough Ds noises).
Notation over_truth := (over_truth Ds).

Definition held (u : list cell) (S : list X) : Prop := mean_on (psi u) S <= v (length u).
Definition up (u : list cell) (S : list X) : R :=
  if count_above then tail (noises (length u)) (tau (length u) - over_truth (ask u) S) else 0.
Definition down (u : list cell) (S : list X) : R :=
  if count_below then tail (noises (length u)) (tau (length u) - over_truth (flip (ask u)) S) else 0.

(* What answer j reveals at the order a: the a-th root of F, or what any query of that span reveals. *)
Inductive revealed (a : R) (j : nat) : R -> Prop :=
| by_span V : enough a j V -> revealed a j (price a V (noises j))
| by_moment s V delta z k : noises j = Plain s -> 0 < kap rows (r a j) -> 0 < V -> 0 < delta < 1 -> 0 < z -> 0 < k ->
    revealed a j (Rpower (certificate n (kap rows (r a j)) (g j) (v j) a s V delta z k) (/ a)).

(* What a bound M for the mean of the power b under fresh records becomes after j answers: W M. At an order a the power is
   a/(a-1); before the first answer it is 1. *)
Inductive weight (j : nat) : R -> (R -> R) -> Prop :=
| at_order a C : 1 < a -> (forall l, (l < j)%nat -> revealed a l (C l)) ->
    weight j (a / (a - 1)) (fun M => Rpower M (1 - / a) * product C 0 j)
| at_once : j = 0%nat -> weight j 1 (fun M => M).

Definition fresh (j : nat) (f : list cell -> list X -> R) (b M : R) : Prop :=
  0 < M /\ forall u, length u = j -> E (fun S => power (f u S) b) <= M.
Definition on (event : list cell -> list X -> Prop) (f : list cell -> list X -> R) (u : list cell) (S : list X) : R :=
  ind (event u) S * f u S.

(* T_1^C: what the less likely side of answer j errs while the sample is held, whatever was shown before. *)
Inductive rarer (j : nat) : R -> Prop :=
| rarer_by_span V e h : line (noises j) e h -> enough 1 j V -> rarer j (T 1 V e h (tau j))
| rarer_by_moment e h : line (noises j) e h -> 0 < kap rows (r 1 j) ->
    rarer j (e * exp (kap rows (r 1 j) * n * v j / (g j)^2 * over_line (g j * h / (kap rows (r 1 j) * n)) - h * tau j)).

(* two_j: both sides of answer j under fresh records, of the samples that an event is about. *)
Inductive together (event : list cell -> list X -> Prop) (j : nat) (x : R) : Prop :=
| apart b W Mu Md : weight j b W -> fresh j (on event up) b Mu -> fresh j (on event down) b Md ->
    (if count_above then W Mu else 0) + (if count_below then W Md else 0) <= x -> together event j x
| joined b W M : weight j b W -> fresh j (on event (fun u S => up u S + down u S)) b M -> W M <= x ->
  together event j x.

(* eps_j: an answer is off and the sample was held so far. *)
Inductive certified (j : nat) (x : R) : Prop :=
| alike : together held j x -> certified j x
| split b W M T : weight j b W -> fresh j (on held up) b M -> fresh j (on held down) b M -> rarer j T -> W M + T <= x ->
    certified j x.

(* eta_j: the sample is not held for the first time. *)
Definition crossing (j : nat) (x : R) : Prop := exists b W K, weight j b W /\ 0 < K /\
  (forall u, length u = j -> E (ind (fun S => ~ held u S)) <= K) /\ W K <= x.

(* One answer. *)
Lemma weaker a before after psi' q ok C C' : C <= C' -> step_of Ds a before after psi' q ok C ->
  step_of Ds a before after psi' q ok C'.
Proof.
  intros HC H lam Hc. destruct (H lam Hc) as (maj & U & GU & H1 & H2 & H3 & H4 & H5). exists maj, U, GU.
  repeat split; auto; try apply H4. eapply Rle_trans; [exact H5|]. apply Rmult_le_compat_r; auto. left.
  apply Rpower_pos.
Qed.

(* A step from a tilted law, where the tilt is at least 1 on the samples that count. *)
Lemma tilted_step a ra ra' d q ps w y lam C (ok : list X -> Prop) : 0 < a -> class ra lam -> 0 <= y ->
  (forall S, ok S -> mean_on ps S <= w) ->
  (exists (maj : R -> list X -> R) (U : R -> R) (GU : Rbar -> R),
    (forall t, class ra' (fun S => lam S * tilt ps w y S * maj t S)) /\
    (forall t S, length S = rows -> d (t - emp q S) <= Rpower (maj t S) (/ a)) /\
    (forall t, Rpower (E (fun S => lam S * tilt ps w y S * maj t S)) (/ a) <= U t) /\
    integral U GU /\ over GU m_infty p_infty <= C * Rpower (E lam) (/ a)) ->
  exists (maj : R -> list X -> R) (U : R -> R) (GU : Rbar -> R),
    (forall t, class ra' (fun S => lam S * maj t S)) /\
    (forall t S, length S = rows -> ok S -> d (t - emp q S) <= Rpower (maj t S) (/ a)) /\
    (forall t, Rpower (E (fun S => lam S * maj t S)) (/ a) <= U t) /\
    integral U GU /\ over GU m_infty p_infty <= C * Rpower (E lam) (/ a).
Proof.
  intros Ha Hc Hy Hok (maj & U & GU & H1 & H2 & H3 & H4 & H5). exists (fun t S => tilt ps w y S * maj t S), U, GU.
  split; [|split; [|split; [|split; auto]]].
  - intros t. apply (class_ext x0 Ds _ (fun S => lam S * tilt ps w y S * maj t S)); auto. intros; ring.
  - intros t S HS HO. eapply Rle_trans; [now apply H2|]. apply Rle_Rpower_l; [left; now apply Rinv_0_lt_compat|].
    assert (Hp := class_pos x0 Ds _ _ S (H1 t) HS). cbv beta in Hp. assert (Hl := class_pos x0 Ds _ _ S Hc HS).
    assert (Ht : 0 < tilt ps w y S) by apply exp_pos.
    assert (Hm : 0 < maj t S).
    { apply Rmult_lt_reg_l with (lam S * tilt ps w y S); [now apply Rmult_lt_0_compat|]. now rewrite Rmult_0_r. }
    split; auto. assert (1 <= tilt ps w y S) by (apply (tilt_above Ds ps w); auto; lra). nra.
  - intros t. eapply Rle_trans; [|apply (H3 t)]. right. f_equal. apply mean_ext. intros; ring.
Qed.

Lemma revealed_step a j C C' u : 1 <= a -> noisy (noises j) -> revealed a j C -> C < C' -> length u = j ->
  step_of Ds a (class (r a j)) (class (r a (S j)))
      (density_of (noises j)) (ask u) (held u) C'.
Proof.
  intros Ha Hv HC Hlt Hu. assert (Hn := n_pos Ds some_rows). destruct HC as [V HV|s V delta z k Hs Hk HV Hd Hz Hk0].
  - apply (weaker a _ _ _ _ _ (price a V (noises j))); [lra|]. apply step_passes.
  now apply (noise_step x0 Ds some_rows support).
  - destruct Hv as (_ & Hp). rewrite Hs in Hp. simpl in Hp. rewrite r_S, Hs. cbn [inverse_square density_of].
    replace (a * / s^2 / (4 * n^2)) with (a / s^2 / (4 * n^2)) by reflexivity.
    set (ra := r a j) in *. set (F := fun w => certificate n (kap rows ra) (g j) w a s V delta z k) in *.
    assert (Hi : 0 < / a) by (apply Rinv_0_lt_compat; lra).
    assert (Hgj := g_pos j). assert (Hvj := v_pos j).
    assert (HF : forall w, 0 < w -> 0 < F w).
    { intros w Hw. apply (F_pos Ds some_rows (g j) w a s ra V delta z k); auto. }
    assert (HFv := HF (v j) Hvj). assert (HC' : 0 < C') by (eapply Rlt_trans; [apply Rpower_pos|exact Hlt]).
    destruct (certificate_near n (kap rows ra) (g j) (v j) a s V delta z k (Rpower C' a)) as (e & He & HFe); auto.
    { fold (F (v j)). replace (F (v j)) with (Rpower (Rpower (F (v j)) (/ a)) a).
      - unfold Rpower at 1 3. apply exp_increasing. apply Rmult_lt_compat_l; [lra|]. apply ln_increasing; auto.
      apply Rpower_pos.
      - rewrite Rpower_mult. replace (/ a * a) with 1 by (field; lra). now apply Rpower_1. }
    fold (F (v j + e)) in HFe. intros lam Hc. assert (HE := class_E_pos x0 Ds support ra lam Hc).
    destruct (tilt_exists x0 Ds support ra lam (psi u) (v j + e) Hc) as [(y & Hy & Hm & Ht)|Hnone].
    + apply (tilted_step a ra _ _ _ (psi u) (v j + e) y lam); auto; [lra| |].
      { intros S HS. unfold held in HS. rewrite Hu in HS. lra. }
      assert (Hc' := tilt_class x0 Ds some_rows ra lam (psi u) (v j + e) y Hc).
      assert (Hb := psi_below u). rewrite Hu in Hb.
      destruct (one_answer_cost x0 Ds some_rows support (ask u) (psi u) (mid u) (g j) (v j + e) Hgj (psi_above u) Hb
        a s ra V delta z k) with (lam := fun S => lam S * tilt (psi u) (v j + e) y S) as (U & GU & HU & IU & TU); auto;
          try lra.
      exists (power_of Ds a s (ask u)), U, GU. split; [|split; [|split; [exact HU|split; [exact IU|]]]].
      * intros t. now apply power_class.
      * intros t S HS. right. symmetry. now apply power_root.
      * eapply Rle_trans; [exact TU|]. apply Rmult_le_compat; try (left; apply Rpower_pos).
        -- replace C' with (Rpower (Rpower C' a) (/ a)).
           ++ apply Rle_Rpower_l; [lra|]. split; [apply HF; lra|]. left. exact HFe.
           ++ rewrite Rpower_mult. replace (a * / a) with 1 by (field; lra). now apply Rpower_1.
        -- apply Rle_Rpower_l; [lra|]. split; auto. now apply (class_E_pos x0 Ds support ra).
    + (* No sample that counts is held: a tilt that leaves almost nothing. *)
      set (V0 := 1 / (4 * n * kap rows ra)). assert (HV0 : 0 < V0).
      { apply Rdiv_lt_0_compat; [lra|]. repeat apply Rmult_lt_0_compat; lra. }
      set (C0 := Rpower (1 + a * (V0 / s^2)) ((a - 1) / (2 * a))). assert (HC0 : 0 < C0) by apply Rpower_pos.
      set (y := 2 * a / e * (C0 / C')). assert (Hq : 0 < C0 / C') by now apply Rdiv_lt_0_compat.
      assert (Hy : 0 < y) by (apply Rmult_lt_0_compat; auto; apply Rdiv_lt_0_compat; lra).
      set (w := v j + e / 2).
      apply (tilted_step a ra _ _ _ (psi u) w y lam); auto; [lra|lra| |].
      { intros S HS. unfold held in HS. rewrite Hu in HS. unfold w. lra. }
      assert (Hc' := tilt_class x0 Ds some_rows ra lam (psi u) w y Hc).
      destruct (normal_step x0 Ds some_rows support a s ra V0 Ha Hp HV0 Hk (Rle_refl _) _ (ask u) Hc') as
        (maj & U & GU & H1 & H2 & H3 & H4 & H5).
      exists maj, U, GU. repeat split; auto; try apply H4. eapply Rle_trans; [exact H5|]. fold C0.
      set (small := exp (- y * (e / 2))).
      assert (Hle : E (fun S => lam S * tilt (psi u) w y S) <= small * E lam).
      { set (rest := fun S => lam S * Rmax 0 (tilt (psi u) w y S - small)).
        assert (Hr : E rest = 0).
        { apply Hnone. intros S HS. unfold rest. rewrite Rmax_left; [ring|]. unfold Constraint.tilt, small.
          assert (exp (- y * (mean_on (psi u) S - w)) <= exp (- y * (e / 2))); [|lra]. apply exp_le. unfold w. nra. }
        apply Rle_trans with (E (fun S => small * lam S + rest S)).
        - apply (E_le Ds support). intros S HS. assert (Hl := class_pos x0 Ds ra lam S Hc HS). unfold rest.
          generalize (Rmax_r 0 (tilt (psi u) w y S - small)). nra.
        - rewrite mean_plus, mean_scal, Hr. lra. }
      apply Rle_trans with (C0 * Rpower (small * E lam) (/ a)).
      { apply Rmult_le_compat_l; [lra|]. apply Rle_Rpower_l; [lra|]. split; auto.
        now apply (class_E_pos x0 Ds support ra). }
      assert (Hsm : 0 < small) by apply exp_pos.
      rewrite <- Rpower_mult_distr by auto. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; apply Rpower_pos|].
      assert (Es : Rpower small (/ a) = exp (- (C0 / C'))).
      { unfold Rpower, small. rewrite ln_exp. f_equal. unfold y. field. lra. }
      rewrite Es, exp_Ropp. assert (Hx := exp_ge_1 (C0 / C')).
      apply Rmult_le_reg_r with (exp (C0 / C')); [apply exp_pos|]. rewrite Rmult_assoc, Rinv_l by (apply Rgt_not_eq,
        exp_pos).
      rewrite Rmult_1_r. apply Rle_trans with (C' * (1 + C0 / C')); [|apply Rmult_le_compat_l; lra].
      replace (C' * (1 + C0 / C')) with (C' + C0) by (field; lra). lra.
Qed.


(* The mean of an event's probability after k answers more, where the sample is held until then. *)
Fixpoint along (ev : list cell -> list X -> R) (k : nat) (u : list cell) (S : list X) : R :=
  match k with
  | O => ev u S
  | Datatypes.S k => ind (held u) S * sumR (shown u) (fun c => mass cdf (length u) (emp (ask u) S) c * along ev k (c
    :: u) S)
  end.

Lemma mass_pos j F u c : In c (shown u) -> 0 <= mass cdf j F c.
Proof. apply mass_nonneg; auto. intros; now apply cdf_of_rises. Qed.

Lemma along_plus ev ev' k u S : along (fun u S => ev u S + ev' u S) k u S = along ev k u S + along ev' k u S.
Proof.
  revert u. induction k as [|k IH]; intros u; [reflexivity|]. simpl. rewrite <- Rmult_plus_distr_l, <- sumR_plus.
  f_equal.
  apply sumR_ext. intros c0 _. rewrite IH. ring.
Qed.

Lemma product_derive (F : nat -> R) l k : ex_derive (fun t => product (fun i => F i + t) l k) 0.
Proof.
  revert l. induction k as [|k IH]; intros l; simpl; [apply ex_derive_const|].
  apply (ex_derive_mult (fun t => F l + t) (fun t => product (fun i => F i + t) (S l) k)); auto.
  auto_derive. auto.
Qed.

Lemma product_ext F F' l k : (forall i, F i = F' i) -> product F l k = product F' l k.
Proof. intros H. revert l. induction k as [|k IH]; intros l; simpl; [auto|]. now rewrite H, IH. Qed.

Lemma product_same (F : nat -> R) l k : product (fun i => F i + 0) l k = product F l k.
Proof. apply product_ext. intros; ring. Qed.

Lemma product_1 F l k : (forall i, (l <= i < l + k)%nat -> F i = 1) -> product F l k = 1.
Proof.
  revert l. induction k as [|k IH]; intros l H; simpl; [auto|]. rewrite H, IH by (intros; try apply H; lia). ring.
Qed.

Lemma revealed_pos a j C : 1 <= a -> revealed a j C -> 0 <= C.
Proof.
  intros Ha [V HV|s V delta z k Hs Hk HV Hd Hz Hk0]; [|left; apply Rpower_pos].
  apply price_nonneg; auto. now apply (enough_pos Ds some_rows noises a j).
Qed.

(* kappa falls. *)
Lemma kap_before l j : (l <= j)%nat -> 0 < kap rows (r 1 j) -> 0 < kap rows (r 1 l).
Proof.
  intros Hl Hk. eapply Rlt_le_trans; [exact Hk|]. assert (Hn := n_pos Ds some_rows).
  assert (Hterm : forall i, 0 <= 1 * inverse_square (noises i) / (4 * n^2)).
  { intros i. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; generalize (pow_lt n 2 Hn); lra].
    rewrite Rmult_1_l. assert (Hp := all_proper i). destruct (noises i) as [|s|s k]; simpl in *; [lra| |];
      left; apply Rinv_0_lt_compat; nra. }
  assert (H0 : 0 <= r 1 l) by (apply sumR_nonneg; auto).
  assert (Hr : r 1 l <= r 1 j).
  { clear Hk H0. induction Hl as [|j Hl IH]; [lra|]. rewrite r_S. generalize (Hterm j). lra. }
  unfold kap. destruct (Nat.eqb rows 1); [lra|]. unfold kappa_poly.
  assert (Hm : 4 <= INR (Nat.max rows 4)).
  { replace 4 with (INR 4) by (simpl; ring). apply le_INR. lia. }
  set (K := INR (Nat.max rows 4)) in *.
  assert (H3 : (2 * r 1 l)^3 <= (2 * r 1 j)^3) by (apply pow_incr; lra).
  assert (H5 : (2 * r 1 l)^5 <= (2 * r 1 j)^5) by (apply pow_incr; lra).
  set (w := 2 * r 1 l) in *. set (w' := 2 * r 1 j) in *. assert (w <= w') by (unfold w, w'; lra).
  assert ((K - 4) * w^3 <= (K - 4) * w'^3) by (apply Rmult_le_compat_l; lra).
  assert ((K + 1) * w^5 <= (K + 1) * w'^5) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* The answers before j have normal noise. *)
Definition normal_before (j : nat) : Prop := forall l, (l < j)%nat -> exists s, noises l = Plain s.

Lemma noisy_before j l : normal_before j -> (l < j)%nat -> noisy (noises l).
Proof.
  intros H Hl. destruct (H l Hl) as (s & Hs). split; [rewrite Hs; discriminate|apply all_proper].
Qed.

Section Before.
Variable j : nat.
Hypothesis normal_noise : normal_before j.

Lemma int_before l : (l < j)%nat -> integral (density_of (noises l)) (cdf_of (noises l)).
Proof. intros. apply noise_int. now apply (noisy_before j). Qed.

Lemma along_S ev k u S : along ev (Datatypes.S k) u S <=
  ind (held u) S * sumR (shown u) (fun c => mass cdf (length u) (emp (ask u) S) c * along ev k (c :: u) S).
Proof. apply Rle_refl. Qed.

Notation compose := (composition Ds support cdf ask cuts cuts_sorted (fun _ => Ds) (fun _ S => S)
  (fun _ _ H => or_ind (fun E => E) (fun E => E) H) (fun _ _ => eq_refl) (fun _ _ => eq_refl) (fun a l => class (r a l))
  (fun a l => class_pos x0 Ds (r a l)) (fun _ => class_one x0 Ds)).

Lemma at_order_bound ev a C M : 1 < a -> (forall l, (l < j)%nat -> revealed a l (C l)) -> (forall u S, 0 <= ev u S) ->
  fresh j ev (a / (a - 1)) M -> E (along ev j nil) <= Rpower M (1 - / a) * product C 0 j.
Proof.
  intros Ha HC Hev (HM & Hf).
  rewrite <- (product_same C 0 j). apply (from_above (fun t => Rpower M (1 - / a) * product (fun i => C i + t) 0 j)).
  { apply ex_derive_scal. apply product_derive. }
  intros t Ht. rewrite <- (Rplus_0_r (Rpower M (1 - / a) * _)), <- (Rmult_0_l (product (fun i => C i + t) 0 j)).
  assert (Hst : forall u, (length u < j)%nat -> step_of Ds a (class (r a (length u))) (class (r a (S (length u))))
      (density_of (noises (length u))) (ask u) (held u) (C (length u) + t)).
  { intros u Hu. apply (revealed_step a _ (C (length u))); auto; try lra. now apply (noisy_before j). }
  assert (HCp : forall l, (l < j)%nat -> 0 <= C l + t).
  { intros l Hl. generalize (revealed_pos a l (C l) ltac:(lra) (HC l Hl)). lra. }
  apply (compose (fun l => density_of (noises l)) a a
    (fun i => C i + t) (fun i => C i + t) j int_before) with (passes := held) (value := along ev); auto; try lra.
  - intros l y _. now apply density_of_nonneg.
  - exact (along_S ev).
  - left. apply Rpower_pos.
  - intros u lam la lb Hu (Hca & _ & Hl). rewrite Rmult_0_l, Rplus_0_r. simpl.
    apply (hoelder x0 Ds support a M lam la (r a j) (ev u)); auto. intros S HS. generalize (Hl S HS). lra.
Qed.

Lemma weighted ev b W M : weight j b W -> (forall u S, 0 <= ev u S) -> fresh j ev b M -> E (along ev j nil) <= W M.
Proof.
  intros [a C Ha HC|Hj] Hev Hf; [now apply at_order_bound|]. destruct Hf as (_ & Hf). generalize (Hf nil (eq_sym Hj)).
  rewrite Hj. simpl. intros H. eapply Rle_trans; [|exact H]. apply mean_mono. intros S. unfold power.
  destruct (Rlt_dec 0 (ev nil S)); [rewrite Rpower_1; lra|]. generalize (Hev nil S). lra.
Qed.

(* One side or the other of the less likely. *)
Lemma rarer_pos T : rarer j T -> 0 < T.
Proof.
  intros [V e h Hl HV|e h Hl Hk]; destruct (line_above _ e h (all_proper j) Hl) as (He & _).
  - apply Rmult_lt_0_compat; [apply Rpower_pos|apply exp_pos].
  - apply Rmult_lt_0_compat; auto. apply exp_pos.
Qed.

Lemma rarer_side T T' u lam lb : rarer j T -> T < T' -> length u = j -> class (r 1 j) lb ->
  (forall S, length S = rows -> 0 <= lam S <= lb S) ->
  E (fun S => lam S * on held up u S) <= T' * E lb \/ E (fun S => lam S * on held down u S) <= T' * E lb.
Proof.
  intros HT Hlt Hu Hc Hlam. assert (HE := class_E_pos x0 Ds support _ lb Hc). assert (HT0 := rarer_pos T HT).
  set (q := ask u). set (I := ind (held u)). assert (HI : forall S, 0 <= I S <= 1) by (intros;
    apply ind_range).
  assert (Hpos : forall q S, 0 <= tail (noises j) (tau j - over_truth q S)) by (intros; now apply tail_nonneg).
  assert (Sum : forall lc B, (forall S, length S = rows -> lam S * I S <= lc S) -> B <= T' * E lb ->
    E (fun S => lc S * tail (noises j) (tau j - over_truth q S)) <= B \/
      E (fun S => lc S * tail (noises j) (tau j - over_truth (flip q) S)) <= B ->
    E (fun S => lam S * on held up u S) <= T' * E lb \/ E (fun S => lam S * on held down u S) <= T' * E lb).
  { intros lc B Hlc HB [H|H]; [left|right]; eapply Rle_trans; try exact HB; eapply Rle_trans; try exact H;
      apply (E_le Ds support); intros S HS; unfold on, up, down; fold I; rewrite Hu; fold q; rewrite <- Rmult_assoc.
    - destruct count_above; [apply Rmult_le_compat_r; auto|]. rewrite Rmult_0_r. apply Rmult_le_pos; auto.
      eapply Rle_trans; [|now apply Hlc]. apply Rmult_le_pos; [apply Hlam; auto|apply HI].
    - destruct count_below; [apply Rmult_le_compat_r; auto|]. rewrite Rmult_0_r. apply Rmult_le_pos; auto.
      eapply Rle_trans; [|now apply Hlc]. apply Rmult_le_pos; [apply Hlam; auto|apply HI]. }
  assert (HlamI : forall S, length S = rows -> 0 <= lam S * I S <= lb S).
  { intros S HS. destruct (Hlam S HS) as (H0 & H1). specialize (HI S). split; [apply Rmult_le_pos; lra|]. nra. }
  destruct HT as [V e h Hl HV|e h Hl Hk].
  - apply (Sum (fun S => lam S * I S) (T 1 V e h (tau j) * E lb)).
    + intros; lra.
    + apply Rmult_le_compat_r; lra.
    + apply (other_side x0 Ds some_rows support noises j V e h _ lb (noises j) q); auto.
  - set (kn := kap rows (r 1 j) * n) in *. assert (Hn := n_pos Ds some_rows).
    assert (Hkn : 0 < kn) by now apply Rmult_lt_0_compat.
    set (ol := over_line (g j * h / kn)) in *. set (B := fun w => kn * w / (g j)^2 * ol).
    destruct (right_near (fun t => e * exp (B (v j + t) - h * tau j)) T') as (t & Ht & HTt).
    { unfold B. auto_derive. auto. }
    { unfold B. rewrite Rplus_0_r. exact Hlt. }
    set (w := v j + t) in *.
    destruct (line_above _ e h (all_proper j) Hl) as (He & Hh & _).
    destruct (tilt_exists x0 Ds support (r 1 j) lb (psi u) w Hc) as [(y & Hy & Hm & Hle)|Hnone].
    + set (lc := fun S => lb S * tilt (psi u) w y S) in *.
      assert (Hc' : class (r 1 j) lc) by now apply tilt_class.
      apply (Sum lc (e * exp (B w - h * tau j) * E lc)).
      * intros S HS. destruct (Hlam S HS) as (H0 & H1). unfold lc, I, ind.
        destruct (excluded_middle_informative (held u S)) as [HS'|HS'].
        -- rewrite Rmult_1_r. assert (1 <= tilt (psi u) w y S); [|nra]. unfold held in HS'. rewrite Hu in HS'.
           apply (tilt_above Ds (psi u) (v j)); auto. unfold w. lra.
        -- rewrite Rmult_0_r. apply Rmult_le_pos; [lra|left; apply exp_pos].
      * assert (HE' := class_E_pos x0 Ds support _ lc Hc'). assert (0 < e * exp (B w - h * tau j)) by
          (apply Rmult_lt_0_compat; auto; apply exp_pos).
        apply Rle_trans with (e * exp (B w - h * tau j) * E lb); [apply Rmult_le_compat_l; lra|].
        apply Rmult_le_compat_r; lra.
      * apply (less_likely x0 Ds some_rows support (r 1 j) e h (B w) lc lc (noises j) q Hc'); auto.
        -- intros s Hs. assert (Hb := psi_below u). rewrite Hu in Hb.
           assert (Hmo := moments_both_ways x0 Ds some_rows support q (psi u) (mid u) (g j) w (g_pos j) (psi_above u)
             Hb
             (r 1 j) lc Hc' Hk Hm (h * s)). fold kn in Hmo.
           replace (Rabs (h * s)) with h in Hmo; [exact Hmo|]. rewrite Rabs_mult, (Rabs_pos_eq h) by auto.
           replace (Rabs s) with 1; [ring|]. assert ((s - 1) * (s + 1) = 0) by lra.
           apply Rmult_integral in H. unfold Rabs. destruct (Rcase_abs s); lra.
        -- intros S HS. generalize (class_pos x0 Ds _ lc S Hc' HS). lra.
    + left. apply Rle_trans with 0; [|apply Rmult_le_pos; lra]. right. apply Hnone. intros S HS. unfold on, ind.
      destruct (excluded_middle_informative (held u S)) as [HS'|HS']; [|ring]. exfalso. unfold held in HS'.
      rewrite Hu in HS'. unfold w in HS. lra.
Qed.

Lemma on_nonneg event f u S : (forall u S, 0 <= f u S) -> 0 <= on event f u S.
Proof. intros H. apply Rmult_le_pos; [apply ind_range|auto]. Qed.

Lemma up_nonneg u S : 0 <= up u S.
Proof. unfold up. destruct count_above; [now apply tail_nonneg|lra]. Qed.

Lemma down_nonneg u S : 0 <= down u S.
Proof. unfold down. destruct count_below; [now apply tail_nonneg|lra]. Qed.

Lemma split_bound b W M T : weight j b W -> fresh j (on held up) b M -> fresh j (on held down) b M -> rarer j T ->
  E (along (fun u S => on held up u S + on held down u S) j nil) <= W M + T.
Proof.
  intros HW (HM & Hup) (_ & Hdown) HT. assert (HT0 := rarer_pos T HT).
  assert (H1 : E (fun _ => 1) = 1) by apply mean_one.
  assert (Hone : forall (f : list cell -> list X -> R) S, (forall u S, 0 <= f u S) ->
    f (@nil cell) S <= power (f (@nil cell) S) 1).
  { intros f S Hf. unfold power. destruct (Rlt_dec 0 (f nil S)); [rewrite Rpower_1; lra|].
  generalize (Hf (@nil cell) S). lra. }
  assert (Hu0 : forall u S, 0 <= on held up u S) by (intros; apply on_nonneg, up_nonneg).
  assert (Hd0 : forall u S, 0 <= on held down u S) by (intros; apply on_nonneg, down_nonneg).
  destruct HW as [a C Ha HC|Hj].
  - replace (Rpower M (1 - / a) * product C 0 j + T) with
      (Rpower M (1 - / a) * product (fun i => C i + 0) 0 j + (T + 0) * product (fun _ => 1 + 0) 0 j).
    2:{ rewrite product_same, (product_1 (fun _ => 1 + 0)); [ring|intros; ring]. }
    apply (from_above (fun t => Rpower M (1 - / a) * product (fun i => C i + t) 0 j + (T + t) * product (fun _ => 1 +
      t) 0 j)).
    { apply (ex_derive_plus (fun t => Rpower M (1 - / a) * product (fun i => C i + t) 0 j)).
      - apply ex_derive_scal, product_derive.
      - apply (ex_derive_mult (fun t => T + t)); [auto_derive; auto|]. apply (product_derive (fun _ => 1)). }
    intros t Ht.
    assert (HCp : forall l, (l < j)%nat -> 0 <= C l + t).
    { intros l Hl. generalize (revealed_pos a l (C l) ltac:(lra) (HC l Hl)). lra. }
    assert (Hst : forall u, (length u < j)%nat -> step_of Ds a (class (r a (length u))) (class (r a (S (length u))))
      (density_of (noises (length u))) (ask u) (held u) (C (length u) + t)).
    { intros u Hu. apply (revealed_step a _ (C (length u))); auto; try lra. now apply (noisy_before j). }
    assert (Hk1 : forall l, (l <= j)%nat -> 0 < kap rows (r 1 l)).
    { assert (Hkj : 0 < kap rows (r 1 j)) by (destruct HT as [V e h Hl (HV & _)|e h Hl Hk]; auto).
      intros l Hl. now apply (kap_before l j). }
    assert (Hst1 : forall u, (length u < j)%nat -> step_of Ds 1 (class (r 1 (length u))) (class (r 1 (S (length u))))
      (density_of (noises (length u))) (ask u) (held u) (1 + t)).
    { intros u Hu. destruct (normal_noise _ Hu) as (s & Hs).
      apply (revealed_step 1 _ (price 1 (1 / (4 * n * kap rows (r 1 (length u)))) (noises (length u)))); auto; try lra.
      - now apply (noisy_before j).
      - apply by_span. split; [apply Hk1; lia|lra].
      - rewrite Hs. cbn [price]. replace ((1 - 1) / (2 * 1)) with 0 by field. rewrite Rpower_O; [lra|].
        assert (Hn := n_pos Ds some_rows). assert (Hp := all_proper (length u)). rewrite Hs in Hp. simpl in Hp.
        assert (0 < 1 / (4 * n * kap rows (r 1 (length u))) / s^2); [|lra].
        apply Rdiv_lt_0_compat; [|now apply pow_lt]. apply Rdiv_lt_0_compat; [lra|].
        repeat apply Rmult_lt_0_compat; try lra. apply Hk1. lia. }
    apply (compose (fun l => density_of (noises l)) a 1
      (fun i => C i + t) (fun i => 1 + t) j int_before) with (passes := held)
      (value := along (fun u S => on held up u S + on held down u S)); auto; try lra.
    + intros l y _. now apply density_of_nonneg.
    + intros; lra.
    + exact (along_S (fun u S => on held up u S + on held down u S)).
    + left. apply Rpower_pos.
    + intros u lam la lb Hu (Hca & Hcb & Hl). simpl along.
      rewrite (mean_ext E _ (fun S => lam S * on held up u S + lam S * on held down u S)) by (intros; ring).
      rewrite mean_plus. assert (HEb := class_E_pos x0 Ds support _ lb Hcb).
      rewrite Rinv_1, (Rpower_1 (E lb)) by auto.
      assert (Hho : forall f, (forall S, 0 <= f S) -> E (fun S => power (f S) (a / (a - 1))) <= M ->
        E (fun S => lam S * f S) <= Rpower M (1 - / a) * Rpower (E la) (/ a)).
      { intros f Hf HfM. apply (hoelder x0 Ds support a M lam la (r a j) f); auto. intros S HS. generalize (Hl S HS).
      lra. }
      assert (Ha1 := Hho (on held up u) (Hu0 u) (Hup u Hu)). assert (Ha2 := Hho (on held down u) (Hd0 u) (Hdown u Hu)).
      destruct (rarer_side T (T + t) u lam lb HT ltac:(lra) Hu Hcb) as [H|H]; [|lra|lra].
      intros S HS. destruct (Hl S HS) as (H3 & H4 & H5).
      rewrite Rinv_1, Rpower_1 in H5 by (now apply (class_pos x0 Ds (r 1 j))). lra.
  - rewrite <- (Rplus_0_r T). apply (from_above (fun t => M + (T + t))); [auto_derive; auto|]. intros t Ht. rewrite Hj.
  simpl along. rewrite mean_plus.
    assert (Hn0 : length (@nil cell) = j) by now rewrite Hj.
    assert (B1 : E (on held up nil) <= M).
    { eapply Rle_trans; [|apply (Hup nil Hn0)]. apply mean_mono. intros S. now apply Hone. }
    assert (B2 : E (on held down nil) <= M).
    { eapply Rle_trans; [|apply (Hdown nil Hn0)]. apply mean_mono. intros S. now apply Hone. }
    assert (Hc1 : class (r 1 j) (fun _ => 1)) by (rewrite Hj; apply class_one).
    destruct (rarer_side T (T + t) nil (fun _ => 1) (fun _ => 1) HT ltac:(lra) Hn0 Hc1) as [H|H].
    + intros; lra.
    + rewrite H1, (mean_ext E _ (on held up nil)) in H by (intros; ring). lra.
    + rewrite H1, (mean_ext E _ (on held down nil)) in H by (intros; ring). lra.
Qed.

Lemma together_bound event x : together event j x -> E (along (fun u S => on event up u S + on event down u S) j nil)
  <= x.
Proof.
  assert (Hu0 : forall u S, 0 <= on event up u S) by (intros; apply on_nonneg, up_nonneg).
  assert (Hd0 : forall u S, 0 <= on event down u S) by (intros; apply on_nonneg, down_nonneg).
  intros [b W Mu Md HW Hu Hd Hx|b W M HW (HM & Hf) Hx]; (eapply Rle_trans; [|exact Hx]).
  - rewrite (mean_ext E _ (fun S => along (on event up) j nil S + along (on event down) j nil S)) by
      (intros; apply along_plus). rewrite mean_plus.
    assert (Hnone : forall f, (forall u S, f u S = 0) -> E (along f j nil) <= 0).
    { intros f Hf. rewrite <- (mean_const E 0). apply mean_mono. intros S. right. clear -Hf. generalize (@nil cell).
      induction j as [|k IH]; intros u; simpl; [apply Hf|]. rewrite (sumR_ext _ _ (fun _ => 0)).
      - rewrite sumR_const. ring.
      - intros c0 _. rewrite IH. ring. }
    apply Rplus_le_compat.
    + destruct count_above eqn:Hc; [now apply (weighted (on event up) b)|]. apply Hnone. intros u S. unfold on, up.
    rewrite Hc. ring.
    + destruct count_below eqn:Hc; [now apply (weighted (on event down) b)|]. apply Hnone. intros u S. unfold on, down.
    rewrite Hc. ring.
  - apply (weighted (fun u S => on event up u S + on event down u S) b); auto.
    + intros u S. apply Rplus_le_le_0_compat; auto.
    + split; auto. intros u Hu. eapply Rle_trans; [|apply (Hf u Hu)]. right. apply mean_ext. intros S. f_equal.
    unfold on. ring.
Qed.

Lemma certified_bound x : certified j x -> E (along (fun u S => on held up u S + on held down u S) j nil) <= x.
Proof.
  intros [H|b W M T HW Hu Hd HT Hx]; [now apply together_bound|]. eapply Rle_trans; [|exact Hx].
  now apply (split_bound b).
Qed.

Lemma crossing_bound x : crossing j x -> E (along (fun u S => 1 - ind (held u) S) j nil) <= x.
Proof.
  intros (b & W & K & HW & HK & Hf & Hx). eapply Rle_trans; [|exact Hx]. apply (weighted _ b); auto.
  - intros u S. generalize (ind_range (held u) S). lra.
  - split; auto. intros u Hu. eapply Rle_trans; [|apply (Hf u Hu)]. right. apply mean_ext. intros S. unfold power, ind.
    destruct (excluded_middle_informative (held u S)), (excluded_middle_informative (~ held u S)); try tauto.
    + destruct (Rlt_dec 0 (1 - 1)); lra.
    + destruct (Rlt_dec 0 (1 - 0)); [|lra]. rewrite Rminus_0_r. apply Rpower_1_l.
Qed.

End Before.

(* The first failure of any kind. *)
Lemma hit_sides u S : length S = rows -> hit 0 u S <= up u S + down u S.
Proof. apply two_sides; auto. Qed.

Lemma chance_1 k u S : chance k (ind some_off) u S <= 1.
Proof.
  revert u. induction k as [|k IH]; intros u; [apply ind_range|]. simpl.
  rewrite <- (mass_total cdf (fun l => cdf_of_ends _ (all_proper l)) cuts (length u) (emp (ask u) S) u).
  apply sumR_le. intros c0 Hc. rewrite <- (Rmult_1_r (mass _ _ _ _)) at 2. apply Rmult_le_compat_l; auto.
  now apply (mass_pos _ _ u).
Qed.

Lemma hit_1 u S : hit 0 u S <= 1.
Proof.
  unfold Rounded.hit. cbn [Rounded.chance].
  rewrite <- (mass_total cdf (fun l => cdf_of_ends _ (all_proper l)) cuts (length u) (emp (ask u) S) u).
  apply sumR_le. intros c0 Hc. rewrite <- (Rmult_1_r (mass _ _ _ _)) at 2. apply Rmult_le_compat_l; [|apply ind_range].
  now apply (mass_pos _ _ u).
Qed.

Lemma cdf_up l s t : Rbar_le s t -> cdf l s <= cdf l t.
Proof. now apply cdf_of_rises. Qed.

Notation one_more := (Rounded.one_more cdf cdf_up (fun l => cdf_of_ends _ (all_proper l)) cuts cuts_sorted
  (fun u => emp (ask u)) (off Ds ask tau count_above count_below)).
Notation off_held := (fun u S => on held up u S + on held down u S).
Notation lost := (fun u S => 1 - ind (held u) S).
Notation one := (fun u S => off_held u S + lost u S).

Lemma sum_along ev u S k : sumR (shown u) (fun c => mass cdf (length u) (emp (ask u) S) c *
    sumR (seq 0 k) (fun i => along ev i (c :: u) S)) =
  sumR (seq 0 k) (fun i => sumR (shown u) (fun c => mass cdf (length u) (emp (ask u) S) c * along ev i (c :: u) S)).
Proof. rewrite sumR_swap. apply sumR_ext. intros c0 _. now rewrite sumR_scal. Qed.

Lemma held_1 u S : held u S -> ind (held u) S = 1.
Proof. intros H. decide_ind. Qed.

Lemma held_0 u S : ~ held u S -> ind (held u) S = 0.
Proof. intros H. decide_ind. Qed.

Lemma on_held f u S : held u S -> on held f u S = f u S.
Proof. intros H. unfold on. rewrite held_1 by auto. ring. Qed.

Lemma on_lost f u S : ~ held u S -> on held f u S = 0.
Proof. intros H. unfold on. rewrite held_0 by auto. ring. Qed.

(* A factor of 1 or 0 before each term. *)
Lemma times_1 (F : nat -> R) l : sumR l (fun i => 1 * F i) = sumR l F.
Proof. apply sumR_ext. intros; ring. Qed.

Lemma times_0 (F : nat -> R) l : sumR l (fun i => 0 * F i) = 0.
Proof. rewrite sumR_scal. ring. Qed.

Lemma first_failure last k u S : length S = rows -> (forall u, hit 0 u S <= last u S) ->
  chance (Datatypes.S k) (ind some_off) u S <=
    ind some_off u + sumR (seq 0 k) (fun i => along one i u S) + along last k u S.
Proof.
  intros HS Hlast. assert (Hl0 : forall u, 0 <= last u S).
  { intros w. eapply Rle_trans; [|apply Hlast]. apply hit_nonneg; auto. intros; now apply cdf_of_rises. }
  revert u. induction k as [|k IH]; intros u.
  - assert (H := one_more u S (ind some_off) (fun _ => 0)). simpl. eapply Rle_trans; [apply H|].
    + intros c0. lra.
    + rewrite (sumR_ext _ _ (fun _ => 0)) by (intros; ring). rewrite sumR_const. specialize (Hlast u). lra.
  - rewrite sumR_seq_S. cbn [along]. destruct (excluded_middle_informative (held u S)) as [Hh|Hh].
    + rewrite !(on_held _ u S Hh), (held_1 u S Hh), times_1, Rmult_1_l.
      assert (H := one_more u S (fun u => chance (Datatypes.S k) (ind some_off) u S)
        (fun u => sumR (seq 0 k) (fun i => along one i u S) + along last k u S)).
      eapply Rle_trans; [apply H|].
      * intros c0. generalize (IH (c0 :: u)). lra.
      * rewrite (sumR_ext (shown u) _ (fun c => mass cdf (length u) (emp (ask u) S) c * sumR (seq 0 k) (fun i =>
        along one i (c :: u) S) +
          mass cdf (length u) (emp (ask u) S) c * along last k (c :: u) S)) by (intros; ring).
        rewrite sumR_plus, sum_along. generalize (hit_sides u S HS). lra.
    + rewrite !(on_lost _ u S Hh), (held_0 u S Hh), times_0, Rmult_0_l.
      eapply Rle_trans; [apply chance_1|]. generalize (ind_range some_off u). lra.
Qed.

(* The low-variance bound. Whatever the analyst asks and whatever the cells are, the probability that some answer of m + 1
   is shown to be off is at most the sum of what certifies, for each answer, that it is not off while the sample is held
   and that the sample is held. The last answer may have one certificate for both. *)
Theorem low_variance (m : nat) (eps eta : nat -> R) (last : R) : normal_before m ->
  (forall j, (j < m)%nat -> certified j (eps j) /\ crossing j (eta j)) ->
  (exists e e', certified m e /\ crossing m e' /\ e + e' <= last) \/ together (fun _ _ => True) m last ->
  fails (S m) <= sumR (seq 0 m) (fun j => eps j + eta j) + last.
Proof.
  intros Hn Hc Hlast.
  assert (Hsum : forall j, E (along one j nil) = E (along off_held j nil) + E (along lost j nil)).
  { intros j. rewrite <- mean_plus. apply mean_ext. intros; apply along_plus. }
  assert (Hbefore : forall j, (j <= m)%nat -> normal_before j) by (intros j Hj l Hl; apply Hn; lia).
  assert (Hall : forall ev, (forall u S, length S = rows -> hit 0 u S <= ev u S) -> E (along ev m nil) <= last ->
    fails (S m) <= sumR (seq 0 m) (fun j => eps j + eta j) + last).
  { intros ev Hev Hx. unfold Rounded.fails.
    apply Rle_trans with (E (fun S => sumR (seq 0 m) (fun i => along one i nil S) + along ev m nil S)).
    - apply (E_le Ds support). intros S HS. eapply Rle_trans; [apply (first_failure ev m nil S HS)|]; auto.
      rewrite nothing_off. lra.
    - rewrite mean_plus, mean_sum. apply Rplus_le_compat; auto. apply sumR_le. intros j Hj. apply in_seq in Hj.
      destruct (Hc j ltac:(lia)) as (H1 & H2). rewrite Hsum.
      apply Rplus_le_compat; [apply certified_bound|apply crossing_bound]; auto; apply Hbefore; lia. }
  destruct Hlast as [(e & e' & H1 & H2 & H3)|H].
  - apply (Hall one).
    + intros u S HS. unfold on. destruct (excluded_middle_informative (held u S)) as [Hh|Hh].
      * rewrite (held_1 u S Hh). generalize (hit_sides u S HS). lra.
      * rewrite (held_0 u S Hh). generalize (hit_1 u S). lra.
    + rewrite Hsum. generalize (certified_bound m Hn e H1) (crossing_bound m Hn e' H2). lra.
  - apply (Hall (fun u S => on (fun _ _ => True) up u S + on (fun _ _ => True) down u S)).
    + intros u S HS. unfold on, ind. destruct (excluded_middle_informative True); [|tauto].
    generalize (hit_sides u S HS). lra.
    + now apply together_bound.
Qed.

(* A mechanism that checks: it answers as long as the sample is held, and stops for good once it is not. *)
Fixpoint checked_chance (k : nat) (event : list cell -> R) (u : list cell) (S : list X) : R :=
  match k with
  | O => event u
  | Datatypes.S k => ind (held u) S * sumR (shown u) (fun c => mass cdf (length u) (emp (ask u) S) c * checked_chance
    k event (c :: u) S) +
      (1 - ind (held u) S) * event u
  end.
Definition checked_fails (m : nat) : R := E (checked_chance m (ind some_off) nil).

Lemma checked_failure k u S : length S = rows ->
  checked_chance k (ind some_off) u S <= ind some_off u + sumR (seq 0 k) (fun i => along off_held i u S).
Proof.
  intros HS. revert u. induction k as [|k IH]; intros u; [simpl; lra|]. rewrite sumR_seq_S. cbn [along checked_chance].
  destruct (excluded_middle_informative (held u S)) as [Hh|Hh].
  - rewrite !(on_held _ u S Hh), (held_1 u S Hh), times_1, Rmult_1_l, Rminus_eq_0, Rmult_0_l, Rplus_0_r.
    eapply Rle_trans; [apply (one_more u S (fun u => checked_chance k (ind some_off) u S)
      (fun u => sumR (seq 0 k) (fun i => along off_held i u S))); intros c0; apply IH|].
    rewrite sum_along. generalize (hit_sides u S HS). lra.
  - rewrite !(on_lost _ u S Hh), (held_0 u S Hh), times_0, Rmult_0_l, Rminus_0_r, Rmult_1_l. lra.
Qed.

(* "Checked bounds": the probability that some answer which was given is off. Nothing is asked of how likely it is that the
   sample is held. *)
Theorem low_variance_checked (m : nat) (eps : nat -> R) : normal_before (pred m) ->
  (forall j, (j < m)%nat -> certified j (eps j)) -> checked_fails m <= sumR (seq 0 m) eps.
Proof.
  intros Hn Hc. unfold checked_fails.
  apply Rle_trans with (E (fun S => sumR (seq 0 m) (fun i => along off_held i nil S))).
  - apply (E_le Ds support). intros S HS. eapply Rle_trans; [apply checked_failure; auto|]. rewrite nothing_off. lra.
  - rewrite mean_sum. apply sumR_le. intros j Hj. apply in_seq in Hj. apply certified_bound; [|apply Hc; lia].
    intros l Hl. apply Hn. lia.
Qed.

End LowVariance.
