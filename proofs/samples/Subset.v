(* docs/theorems/samples.md, "Subset of a benchmark": (5), Serfling's bound, and the tails and gates of n of N items. *)

From Coq Require Import Reals Lra Lia List Psatz.
From dpcalc Require Import Tree Count Gate Tails Records ConvexOrder ConvexTail Certified Sides McDiarmid
  WithoutReplacement.
Import ListNotations.
Open Scope R_scope.

(* (5): the exponential moment, draw by draw. *)
Section Serfling.
Context {X : Type}.
Variable f : X -> R.
Hypothesis unit_values : forall x, 0 <= f x <= 1.
Definition average (A : list X) : R := sumR A f / INR (length A).

Lemma mean_of_one A (HA : A <> nil) l :
  sumR A (fun a => exp (l * (f a - average A))) / INR (length A) <= exp (l^2 / 8).
Proof.
  assert (H := moment_of_range (uniform A HA) f 1 l). rewrite pow1, Rmult_1_r in H. apply H.
  intros x y. generalize (unit_values x) (unit_values y). lra.
Qed.

Lemma serfling_moment n A l : (n <= length A)%nat ->
  draw n A (fun s => exp (l * (sumR s f - INR n * average A))) <=
  exp (l^2 / 8 * (INR n * (INR (length A) - INR n + 1) / INR (length A))).
Proof.
  revert A. induction n as [|n IH]; intros A Hn.
  - replace (draw 0 A _) with (exp (l * (0 - INR 0 * average A))) by (destruct A; reflexivity).
    simpl INR. apply exp_le. right. unfold Rdiv. ring.
  - assert (HA : A <> nil) by (destruct A; [simpl in Hn; lia|discriminate]). assert (HN := size_pos A HA).
    assert (Hn' := le_INR _ _ Hn). rewrite S_INR in Hn'. assert (Hn0 := pos_INR n).
    set (N := INR (length A)) in *. set (m := average A).
    destruct (Req_dec N 1) as [E1|E1].
    { assert (El : length A = 1%nat) by (apply INR_eq; exact E1).
      assert (En : n = 0%nat) by lia. subst n. destruct A as [|a [|b A]]; try discriminate.
      rewrite E1. unfold m, average. simpl. replace (f a + 0 - 1 * ((f a + 0) / 1)) with 0 by field.
      rewrite Rmult_0_r, Rplus_0_r. unfold Rdiv at 1. rewrite Rinv_1, Rmult_1_r. apply exp_le.
      replace (1 * (1 - 1 + 1) / 1) with 1 by field. assert (H := Rle_0_sqr l). unfold Rsqr in H. lra. }
    assert (H1 : 0 < N - 1).
    { assert (1 <= N) by (apply (le_INR 1); destruct A; [congruence|simpl; lia]). lra. }
    set (c := (N - 1 - INR n) / (N - 1)).
    set (rest := exp (l^2 / 8 * (INR n * (N - INR n) / (N - 1)))).
    apply Rle_trans with (sumR A (fun a => exp (l * c * (f a - m))) / N * rest).
    + apply Rle_trans with (sumR (picks A) (fun p => rest * exp (l * c * (f (fst p) - m))) / N).
      2:{ right. rewrite sumR_scal, (sum_picks A (fun a => exp (l * c * (f a - m)))). unfold Rdiv. ring. }
      rewrite draw_S by auto. fold N. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
      apply sumR_le. intros p Hin. assert (Hl := picks_rest A p Hin).
      assert (Er : INR (length (snd p)) = N - 1) by (unfold N; rewrite Hl, S_INR; ring).
      rewrite (mean_ext_draw n (snd p) _ (fun s => exp (l * c * (f (fst p) - m)) *
        exp (l * (sumR s f - INR n * average (snd p))))).
      * change (draw n (snd p)) with (mean (draws n (snd p))). rewrite mean_scal, Rmult_comm.
        apply Rmult_le_compat_r; [left; apply exp_pos|]. eapply Rle_trans; [apply IH; lia|].
        rewrite Er. unfold rest. apply exp_le. right. field. lra.
      * intros s. rewrite <- exp_plus. f_equal. cbn [sumR]. rewrite S_INR. unfold average at 1. rewrite Er.
        assert (Em : sumR (snd p) f = N * m - f (fst p)).
        { unfold m, average. fold N. rewrite (sum_rest A p f Hin). field. lra. }
        rewrite Em. unfold c. field. lra.
    + assert (Hone := mean_of_one A HA (l * c)). fold N m in Hone.
      apply Rle_trans with (exp ((l * c)^2 / 8) * rest).
      { apply Rmult_le_compat_r; [left; apply exp_pos|exact Hone]. }
      unfold rest. rewrite <- exp_plus. apply exp_le. rewrite S_INR.
      assert (Hl2 : 0 <= l^2 / 8) by (generalize (pow2_ge_0 l); lra).
      assert (Hd : 0 <= (INR n + 1) * (N - (INR n + 1) + 1) / N - (c^2 + INR n * (N - INR n) / (N - 1))).
      { replace (_ - _) with ((N - 1 - INR n) * INR n * (/ ((N - 1)^2 * N))) by (unfold c; field; lra).
        apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. left. apply Rinv_0_lt_compat.
        apply Rmult_lt_0_compat; [apply pow_lt|]; lra. }
      apply Rmult_le_compat_l with (r := l^2 / 8) in Hd; auto. rewrite Rmult_0_r in Hd.
      rewrite Rpow_mult_distr. unfold Rdiv in *. lra.
Qed.

End Serfling.

(* Queries of n of the items. *)
Section Subset.
Context {X : Type}.
Variable items : list X.
Hypothesis some_items : items <> nil.
Variable rows : nat.
Hypothesis some_rows : (0 < rows)%nat.
Hypothesis not_more : (rows <= length items)%nat.
Notation n := (INR rows).
Notation total := (INR (length items)).

Definition drawn : outer (list X) := law_outer (draws rows items).
Definition subset_mean (q : query X) (S : list X) : R := sumR S (fn q) / n.
Definition benchmark_mean (q : query X) : R := sumR items (fn q) / total.
Notation uniform := (uniform items some_items).
Notation replaced := (repeat uniform rows).

Lemma rows_pos : 0 < n.
Proof. now apply lt_0_INR. Qed.

Lemma benchmark_range q : 0 <= benchmark_mean q <= 1.
Proof. apply (mean_range q uniform). Qed.

Lemma drawn_le_1 A : drawn A <= 1.
Proof.
  rewrite <- (mean_one (draws rows items)). apply (mean_mono (draws rows items)). intros S. apply ind_range.
Qed.

(* The lists that are drawn have n items. *)
Lemma drawn_mono (A B : list X -> Prop) : (forall S, length S = rows -> A S -> B S) -> drawn A <= drawn B.
Proof. intros H. apply draw_length; auto. intros S HS. apply ind_le. auto. Qed.

(* What (4) gives for tails. *)
Lemma drawn_order q w x : convex w -> (forall y, 0 <= w y) -> (forall y, n * x <= y -> 1 <= w y) ->
  drawn (fun S => subset_mean q S >= x) <= prodE replaced (fun S => w (sumR S (fn q))).
Proof.
  intros Hw H0 H1. assert (Hn := rows_pos). eapply Rle_trans; [|apply without_replacement; auto].
  apply (mean_mono (draws rows items)). intros S. apply ind_markov; auto. intros HS. apply H1.
  unfold subset_mean in HS.
  apply Rge_le, (Rmult_le_compat_r n) in HS; [|lra]. unfold Rdiv in HS. rewrite Rmult_assoc, Rinv_l in HS by lra. lra.
Qed.

Lemma exp_convex l c : convex (fun y => exp (l * y + c)).
Proof.
  intros x y t Ht. set (z := t * x + (1 - t) * y).
  assert (H : forall u, exp (l * z + c) * (1 + (l * u - l * z)) <= exp (l * u + c)).
  { intros u. apply Rle_trans with (exp (l * z + c) * exp (l * u - l * z)).
    - apply Rmult_le_compat_l; [left; apply exp_pos|apply exp_ge_1].
    - rewrite <- exp_plus. apply exp_le. lra. }
  assert (Hx := H x). assert (Hy := H y). set (e := exp (l * z + c)) in *.
  apply Rle_trans with (t * (e * (1 + (l * x - l * z))) + (1 - t) * (e * (1 + (l * y - l * z)))).
  - right. unfold z. ring.
  - apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.

Theorem subset_moments : moments drawn subset_mean benchmark_mean n.
Proof.
  assert (Hn := rows_pos). split; [auto|apply drawn_le_1|apply benchmark_range|].
  intros q l a c p Hp Hq Hl Ha.
  eapply Rle_trans; [apply (drawn_order q (fun y => exp (l * y + - (l * n * c)))); [apply exp_convex| |]|].
  - intros y. left. apply exp_pos.
  - intros y Hy. rewrite <- exp_0. apply exp_le. nra.
  - rewrite (mean_ext _ _ (fun S => exp (sumR S (fun x => ln (exp (l * fn q x)))) * exp (- (l * n * c)))).
    2:{ intros S. rewrite <- exp_plus. f_equal. f_equal. rewrite <- sumR_scal. apply sumR_ext. intros x _.
        now rewrite ln_exp. }
    rewrite mean_scal_r. replace (n * (a - l * c)) with (n * a + - (l * n * c)) by ring. rewrite exp_plus.
    apply Rmult_le_compat_r; [left; apply exp_pos|].
    replace (n * a) with (sumR replaced (fun _ => a)) by (now rewrite sumR_const, repeat_length).
    apply prod_exp; [intros; apply exp_pos|]. intros D HD. apply repeat_spec in HD. subst D. rewrite Ha.
    assert (He : 1 <= exp l) by (generalize (exp_ge_1 l); lra).
    apply Rle_trans with (uniform (fun x => 1 + fn q x * (exp l - 1))).
    + apply mean_mono. intros x. generalize (exp_chord l (fn q x) (proj2_sig q x)). lra.
    + rewrite (mean_plus uniform (fun _ => 1)), mean_one, mean_scal_r.
      change (uniform (fn q)) with (benchmark_mean q). nra.
Qed.

Lemma hinge_convex c : convex (fun y => Rmax 0 (y - c)).
Proof.
  intros y z u Hu. assert (A := Rmax_l 0 (y - c)). assert (B := Rmax_l 0 (z - c)).
  assert (A' := Rmax_r 0 (y - c)). assert (B' := Rmax_r 0 (z - c)). apply Rmax_lub; nra.
Qed.

Theorem subset_convex q p x t : benchmark_mean q <= p -> p <= 1 -> INR t < n * x ->
  drawn (fun S => subset_mean q S >= x) <= convex_tail rows p x t.
Proof.
  intros Hq Hp Ht. set (d := n * x - INR t). assert (Hd : 0 < d) by (unfold d; lra).
  assert (Hi : 0 < / d) by now apply Rinv_0_lt_compat.
  pose (w := fun y => Rmax 0 (y - INR t)).
  eapply Rle_trans; [apply (drawn_order q (fun y => / d * w y))|].
  - intros y z u Hu. assert (H := hinge_convex (INR t) y z u Hu). apply Rmult_le_compat_l with (r := / d) in H; [|lra].
    unfold w. lra.
  - intros y. apply Rmult_le_pos; [lra|apply Rmax_l].
  - intros y Hy. rewrite <- (Rinv_l d) by lra. apply Rmult_le_compat_l; [lra|]. eapply Rle_trans; [|apply Rmax_r].
    unfold d. lra.
  - rewrite mean_scal. unfold convex_tail, Rdiv. fold d. rewrite Rmult_comm. apply Rmult_le_compat_r; [lra|].
    eapply Rle_trans; [apply values_below_ones|].
    + apply hinge_convex.
    + rewrite (ones_ext _ _ (fun k => INR (k - t))) by (intros k; apply positive_part).
      replace (map _ replaced) with (repeat (benchmark_mean q) rows).
      2:{ clear. induction rows as [|k IH]; [reflexivity|]. simpl. now f_equal. }
      assert (Hr := benchmark_range q). apply ones_rises; try lra. intros k. apply le_INR. lia.
Qed.

(* The other side is that of one minus the query. *)
Lemma benchmark_flip q : benchmark_mean (flip q) = 1 - benchmark_mean q.
Proof.
  change (uniform (fn (flip q)) = 1 - uniform (fn q)). unfold fn at 1. cbn [flip proj1_sig].
  rewrite (mean_ext uniform _ (fun x => 1 + (-1) * fn q x)) by (intros; ring).
  rewrite (mean_plus uniform (fun _ => 1)), mean_one, mean_scal. ring.
Qed.

Lemma subset_flip q S : length S = rows -> subset_mean (flip q) S = 1 - subset_mean q S.
Proof.
  intros HS. assert (Hn := rows_pos). unfold subset_mean. unfold fn at 1. cbn [flip proj1_sig].
  rewrite (sumR_ext S _ (fun x => 1 + (-1) * fn q x)) by (intros; ring).
  rewrite sumR_plus, sumR_const, sumR_scal, HS. field. lra.
Qed.

Lemma below_as_flip q s : drawn (fun S => benchmark_mean q - subset_mean q S >= s) <=
  drawn (fun S => subset_mean (flip q) S - benchmark_mean (flip q) >= s).
Proof. apply drawn_mono. intros S HS H. rewrite subset_flip, benchmark_flip by auto. lra. Qed.

(* (5), and the whole benchmark, whose mean is the truth. *)
Definition serfling_rows : R := n / (1 - (n - 1) / total).
Definition serfling_side (s : R) : R :=
  if Rle_dec s 0 then 1 else if Nat.eq_dec rows (length items) then 0 else exp (- 2 * serfling_rows * s^2).

Lemma serfling_up q s : 0 < s -> drawn (fun S => subset_mean q S - benchmark_mean q >= s) <=
  exp (- 2 * serfling_rows * s^2).
Proof.
  unfold serfling_rows. intros Hs. assert (Hn := rows_pos). assert (HN := size_pos items some_items).
  assert (Hle := le_INR _ _ not_more).
  set (v := 1 - (n - 1) / total).
  assert (Hv : 0 < v).
  { unfold v. replace (1 - (n - 1) / total) with ((total - n + 1) / total) by (field; lra).
    apply Rdiv_lt_0_compat; lra. }
  set (l := 4 * s / v). assert (Hl : 0 < l) by (unfold l; apply Rdiv_lt_0_compat; lra).
  apply Rle_trans with (draws rows items (fun S => exp (l * (sumR S (fn q) - n * average (fn q) items)) *
    exp (- (l * n * s)))).
  - apply (mean_mono (draws rows items)). intros S. apply ind_markov.
    2:{ left. apply Rmult_lt_0_compat; apply exp_pos. }
    intros HS. rewrite <- exp_plus, <- exp_0. apply exp_le.
    change (average (fn q) items) with (benchmark_mean q). unfold subset_mean in HS.
    assert (E : sumR S (fn q) = n * (sumR S (fn q) / n)) by (field; lra).
    assert (0 <= n * (sumR S (fn q) / n - benchmark_mean q - s)) by (apply Rmult_le_pos; lra). rewrite E. nra.
  - rewrite mean_scal_r. apply Rle_trans with (exp (l^2 / 8 * (n * v)) * exp (- (l * n * s))).
    + apply Rmult_le_compat_r; [left; apply exp_pos|].
      eapply Rle_trans; [apply serfling_moment; [intros x; apply (proj2_sig q)|auto]|]. apply exp_le. right.
      unfold v. field. lra.
    + rewrite <- exp_plus. apply exp_le. right. unfold l. field. lra.
Qed.

Lemma whole_benchmark q s : rows = length items -> 0 < s ->
  drawn (fun S => subset_mean q S - benchmark_mean q >= s) <= 0.
Proof.
  intros E Hs. right. unfold drawn. simpl Pr.
  change (draw rows items (ind (fun S => sumR S (fn q) / n - benchmark_mean q >= s)) = 0). unfold ind.
  pose (F := fun y =>
    if ClassicalDescription.excluded_middle_informative (y / n - benchmark_mean q >= s) then 1 else 0).
  change (draw rows items (fun S => F (sumR S (fn q))) = 0). rewrite E, draw_all. unfold F.
  destruct (ClassicalDescription.excluded_middle_informative _) as [H|]; auto. exfalso.
  unfold benchmark_mean in H. rewrite E in H. lra.
Qed.

Theorem serfling_sides : sides drawn subset_mean benchmark_mean serfling_side.
Proof.
  intros q s. unfold serfling_side. destruct (Rle_dec s 0) as [H|H]; [split; apply drawn_le_1|].
  destruct (Nat.eq_dec rows (length items)) as [E|E]; split; try (eapply Rle_trans; [apply below_as_flip|]);
    try (apply whole_benchmark; auto; lra); apply serfling_up; lra.
Qed.

(* Certificates of the tail of n rows serve n of the items. *)
Theorem subset_lower q x level l : 0 <= level -> low_cert n x level l -> benchmark_mean q <= l ->
  drawn (fun S => subset_mean q S >= x) <= level.
Proof.
  intros Hq H Hl. assert (Hr := benchmark_range q). assert (Hn := rows_pos). assert (HN := size_pos items some_items).
  assert (M := subset_moments). destruct H as [H|H|H H'|H|H0 H1 H2 H3|H0 H1|k t H0 H1 H2 H3].
  - eapply Rle_trans; [apply drawn_le_1|auto].
  - lra.
  - eapply Rle_trans; [apply (moment_zero _ _ _ _ M); lra|auto].
  - eapply Rle_trans; [now apply (moment_beyond _ _ _ _ M)|auto].
  - eapply Rle_trans; [now apply (moment_kl _ _ _ _ M q l)|auto].
  - destruct (Req_dec x (benchmark_mean q)) as [E|E].
    { eapply Rle_trans; [apply drawn_le_1|]. eapply Rle_trans; [|exact H1]. rewrite <- exp_0. apply exp_le.
      replace (x - l) with 0 by lra. lra. }
    eapply Rle_trans; [|exact H1].
    apply Rle_trans with (drawn (fun S => subset_mean q S - benchmark_mean q >= x - benchmark_mean q));
      [apply Pr_mono; intros; lra|].
    eapply Rle_trans; [apply serfling_up; lra|]. apply exp_le. unfold serfling_rows.
    assert (Hs : (x - l)^2 <= (x - benchmark_mean q)^2) by (apply pow_incr; lra).
    assert (Hle := le_INR _ _ not_more). assert (H1n : 1 <= n) by (apply (le_INR 1); lia).
    assert (Hv : 0 < 1 - (n - 1) / total <= 1).
    { replace (1 - (n - 1) / total) with ((total - n + 1) / total) by (field; lra).
      split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with total; auto. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (Hw : n <= n / (1 - (n - 1) / total)).
    { apply Rmult_le_reg_r with (1 - (n - 1) / total); [lra|]. unfold Rdiv at 2.
      rewrite Rmult_assoc, Rinv_l by lra. nra. }
    assert (Hp := pow2_ge_0 (x - l)). nra.
  - apply INR_eq in H0. subst k. eapply Rle_trans; [now apply (subset_convex q l x t)|auto].
Qed.

Theorem subset_upper q x level u : 0 <= level -> up_cert n x level u -> u <= benchmark_mean q ->
  drawn (fun S => subset_mean q S < x) <= level.
Proof.
  intros Hq H Hu. eapply Rle_trans; [|apply (subset_lower (flip q) (1 - x) level (1 - u)); auto].
  - apply drawn_mono. intros S HS HL. rewrite subset_flip by auto. lra.
  - rewrite benchmark_flip. lra.
Qed.

Lemma subset_deviation q tau b : 0 <= b -> low_cert n (benchmark_mean q + tau) b (benchmark_mean q) ->
  drawn (fun S => subset_mean q S - benchmark_mean q >= tau) <= b.
Proof.
  intros Hb H. eapply Rle_trans; [|apply (subset_lower q (benchmark_mean q + tau) b (benchmark_mean q)); auto; lra].
  apply Pr_mono. intros S. lra.
Qed.

Lemma replaced_size : Tails.n replaced = n.
Proof. unfold Tails.n. now rewrite repeat_length. Qed.

Theorem subset_sides (A : R -> R) : (forall s, 0 <= A s) -> (forall s, above_cert replaced s (A s)) ->
  sides drawn subset_mean benchmark_mean A.
Proof.
  intros H0 H q s. unfold above_cert in H. rewrite replaced_size in H.
  assert (Hu : forall q, drawn (fun S => subset_mean q S - benchmark_mean q >= s) <= A s).
  { intros p. assert (Hr := benchmark_range p). apply subset_deviation; auto.
    destruct (Rle_dec (benchmark_mean p) (1 - s)); [apply H; lra|apply low_beyond; lra]. }
  split; [apply Hu|]. eapply Rle_trans; [apply below_as_flip|apply Hu].
Qed.

(* By the relative entropy. *)
Theorem subset_kl_sides : sides drawn subset_mean benchmark_mean (side n).
Proof.
  intros q s. split; [apply (moment_side _ _ _ _ subset_moments)|].
  eapply Rle_trans; [apply below_as_flip|apply (moment_side _ _ _ _ subset_moments)].
Qed.

(* Finalists: both sides at each truth, and each by a certificate. *)
Theorem subset_off (finalists : list (query X)) (tau b : R) : off_cert replaced tau b ->
  drawn (fun S => exists q, In q finalists /\ Rabs (subset_mean q S - benchmark_mean q) >= tau) <=
    INR (length finalists) * b.
Proof.
  intros H. eapply Rle_trans; [apply Pr_union|]. rewrite <- sumR_const. apply sumR_le. intros q _.
  destruct (H (benchmark_mean q) (benchmark_range q)) as (u & v & Hu & Hv & Hb & Cu & Cv).
  rewrite replaced_size in Cu, Cv.
  apply Rle_trans with (drawn (fun S => subset_mean q S - benchmark_mean q >= tau) +
    drawn (fun S => benchmark_mean q - subset_mean q S >= tau)).
  - eapply Rle_trans; [|apply Pr_or]. apply Pr_mono. intros S HS. unfold Rabs in HS.
    destruct (Rcase_abs (subset_mean q S - benchmark_mean q)); [right|left]; lra.
  - assert (H1 := subset_deviation q tau u Hu Cu). assert (H2 := below_as_flip q tau).
    assert (H3 := subset_deviation (flip q) tau v Hv). rewrite benchmark_flip in H3. specialize (H3 Cv).
    rewrite benchmark_flip in H2. lra.
Qed.

(* A gate at a known bar c: each of the two errors by (5) or by a certificate. *)
Section Bar.
Variables c tau a : R.
Hypothesis tau_pos : 0 < tau.
Hypothesis a_nonneg : 0 <= a.
Definition subset_pass : Prop := serfling_side tau <= a \/ low_cert n (c + tau) a c.
Definition subset_failure : Prop := serfling_side tau <= a \/ up_cert n (c + tau) a (c + 2 * tau).
Variable analyst : list bool -> query X.
Variables B m : nat.
Hypothesis pass : subset_pass.

Lemma wrong_pass q : benchmark_mean q <= c -> drawn (fun S => subset_mean q S >= c + tau) <= a.
Proof.
  intros Hq. destruct pass as [H|H]; [|now apply (subset_lower q (c + tau) a c)].
  eapply Rle_trans; [|exact H]. eapply Rle_trans; [|apply (proj1 (serfling_sides q tau))]. apply Pr_mono. intros S. lra.
Qed.

Theorem gate_bar_subset : subset_failure ->
  drawn (fun S => exists later b v,
    Rows.gate_shown (fun t => subset_mean (fst t)) (fun t => snd t + tau) (fun v => (analyst v, c)) B m S =
      later ++ b :: v /\
    Rows.gate_wrong (Sides.below_bar benchmark_mean) (far_above benchmark_mean tau) (fun v => (analyst v, c)) v b)
  <= INR (N m B) * a.
Proof.
  intros Hf. apply gate_bar_sides; auto using wrong_pass. intros q Hq.
  destruct Hf as [H|H]; [|now apply (subset_upper q (c + tau) a (c + 2 * tau))].
  eapply Rle_trans; [|exact H]. eapply Rle_trans; [|apply (proj2 (serfling_sides q tau))]. apply Pr_mono. intros S. lra.
Qed.

Theorem gate_bar_subset_one_side :
  drawn (fun S => exists later b v,
    Rows.gate_shown (fun t => subset_mean (fst t)) (fun t => snd t + tau) (fun v => (analyst v, c)) B m S =
      later ++ b :: v /\
    Rows.gate_wrong (Sides.below_bar benchmark_mean) (fun _ => False) (fun v => (analyst v, c)) v b)
  <= INR (N m B) * a.
Proof. apply gate_bar_side; auto using wrong_pass. Qed.

End Bar.
End Subset.
