(* What shows that the hypotheses of the rows' theorems can be satisfied, with a promise that says something. *)

From Coq Require Import Reals Lra Lia List Arith Psatz Bool.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Count Gate Tails Budget Cells OpenGate Records Forever SharpCells Binomial Entropy Rows
  Guesses Looks OpenRows Board Boards.
From dpcalc Require Ladder Sparse Kappa Normal Posterior Rounded Steps Tangent Joint.
Import ListNotations.
Open Scope R_scope.

(* A fair coin, as a law on two points. *)
Definition coin : law bool.
Proof.
  refine (finite_law [(true, 1/2); (false, 1/2)] _ _); simpl; [|lra].
  intros a [<-|[<-|[]]]; simpl; lra.
Defined.

(* One record and tau = 3/4: no deviation of a 0/1 query is likelier than 1/4. *)
Lemma binomial_1 p k : binomial 1 p k = match k with O => 1 | 1%nat => p | _ => 0 end.
Proof. destruct k as [|[|k]]; unfold binomial; simpl; ring. Qed.

Lemma one_above {X} (D : law X) : above_by [D] (3/4) (1/4).
Proof.
  intros p k Hp Hk. unfold Tails.n in Hk. simpl in *. rewrite binomial_1. destruct k as [|[|k]]; simpl in *; lra.
Qed.

Lemma one_off {X} (D : law X) : off_by [D] (3/4) (1/4).
Proof.
  intros p k k' Hp Hk Hk'. unfold Tails.n in *. simpl in *. rewrite !binomial_1.
  destruct k as [|[|k]], k' as [|[|k']]; simpl in *; try lra; try (destruct Hk' as [Hk'|Hk']; [|discriminate]);
    try lra; rewrite ?S_INR in Hk'; generalize (pos_INR k'); destruct k'; simpl in *; lra.
Qed.

(* A gate with one test of one coin: a wrong verdict has a probability of at most 1/4. *)
Theorem gate_of_a_coin (analyst : list bool -> query bool * R) : Hoeffding1956 ->
  (forall v, zero_one (fst (analyst v))) ->
  P [coin] (fun S => exists later b v,
    gate_shown (fun t => emp [coin] (fst t)) (fun t => snd t + 3/4) analyst 1 1 S = later ++ b :: v /\
    gate_wrong (too_low [coin]) (too_high [coin] (3/4)) analyst v b) <= 1/4.
Proof.
  intros H Hq. eapply Rle_trans; [apply (gate_counts [coin]) with (A := 1/4); auto; try lra|].
  - discriminate.
  - apply one_above.
  - unfold N. simpl. lra.
Qed.

Theorem sealed_coin (q : query bool) : Hoeffding1956 -> zero_one q ->
  P [coin] (fun S => exists f, In f [q] /\ Rabs (emp [coin] f S - pop [coin] f) >= 3/4) <= 1/4.
Proof.
  intros H Hq. eapply Rle_trans; [apply sealed_counts with (b := 1/4); auto|simpl; lra].
  - discriminate.
  - apply one_off.
  - intros f [<-|[]]. exact Hq.
Qed.

(* Hoeffding's exponent bounds each rate. *)
Lemma rate_low n x c q : 0 < n -> 0 < c <= x -> x <= 1 -> 0 < q <= 1 -> q <= exp (- n * kl x c) -> x - c <= margin n q.
Proof.
  intros Hn Hc Hx Hq H. apply Rnot_lt_le. intros Hlt. assert (Hm := margin_nonneg n q).
  destruct (Req_dec c 1) as [E|E]; [lra|].
  assert (Hk : 2 * (x - c)^2 <= kl x c).
  { replace x with (c + (x - c)) at 2 by ring. apply rate_floor; lra. }
  assert (exp (- n * kl x c) < q); [|lra].
  rewrite <- (margin_tail n q Hn Hq). apply exp_increasing.
  assert ((margin n q)^2 < (x - c)^2) by nra. nra.
Qed.

Theorem wide_hoeffding n qa qb s : 0 < n -> 0 < qa <= 1 -> 0 < qb <= 1 -> 0 <= s ->
  wide n qa qb s (margin n qa + s + margin n qb).
Proof.
  intros Hn Ha Hb Hs x c u Hx (Hc & Hl) (Hu & Hh).
  assert (Hma := margin_nonneg n qa). assert (Hmb := margin_nonneg n qb).
  assert (Hy : Rmin (x + s) 1 <= x + s) by apply Rmin_l.
  assert (Hy0 : 0 <= Rmin (x + s) 1) by (unfold Rmin; destruct (Rle_dec (x + s) 1); lra).
  assert (H1 : x - c <= margin n qa).
  { destruct Hl as [->|[H0 Hq]]; [lra|]. apply rate_low; auto; lra. }
  assert (H2 : u - Rmin (x + s) 1 <= margin n qb).
  { destruct Hh as [->|[H0 Hq]]; [lra|]. rewrite <- kl_flip in Hq.
    replace (u - Rmin (x + s) 1) with ((1 - Rmin (x + s) 1) - (1 - u)) by ring. apply rate_low; auto; lra. }
  lra.
Qed.

(* The same at any levels: an interval is never wider than 1. *)
Definition width (n qa qb s : R) : R :=
  if Rlt_dec 0 qa then if Rle_dec qa 1 then if Rlt_dec 0 qb then if Rle_dec qb 1 then
    margin n qa + s + margin n qb else 1 else 1 else 1 else 1.

Lemma wide_width n qa qb s : 0 < n -> 0 <= s -> wide n qa qb s (width n qa qb s).
Proof.
  intros Hn Hs. assert (H1 : wide n qa qb s 1).
  { intros x c u Hx ((Hc & _) & _) ((_ & Hu) & _). lra. }
  unfold width. destruct (Rlt_dec 0 qa), (Rle_dec qa 1), (Rlt_dec 0 qb), (Rle_dec qb 1); auto.
  apply wide_hoeffding; auto.
Qed.

(* An open gate on any records, at the bars that a mean of one passes, with Hoeffding's margins. More rows may come. *)
Theorem open_gate_instance {X : Type} (Ds : list (law X)) (ask : list bool -> query X) (rows : list bool -> list bool)
  (stop : list bool -> bool) m :
  (forall v, select (rows v) Ds <> nil) ->
  let n := fun v => size Ds (rows v) in
  let bar := fun v => exp (ln (level_pass (1/2) 2 (1/20) v) / n v) in
  P Ds (fun S => exists later r v,
    shown_gate Ds ask rows stop (fun _ => 1) m S = later ++ r :: v /\
    missed Ds ask rows bar (fun v => margin (n v) (level_pass (1/2) 2 (1/20) v) + 0 +
      margin (n v) (level_fail (1/2) 2 (1/20) v)) v r) <= 1/20.
Proof.
  intros Hr n bar.
  assert (Hn : forall v, 0 < n v) by (intros v; apply n_pos; auto).
  assert (HL : forall v, 0 < level_pass (1/2) 2 (1/20) v <= 1 /\ 0 < level_fail (1/2) 2 (1/20) v <= 1).
  { intros v. apply levels; lra. }
  assert (Hlt : forall v, level_pass (1/2) 2 (1/20) v < 1).
  { intros v. unfold level_pass. assert (H : 0 < 1/2) by lra.
    assert (Hw := code_le_1 (beta_bet (1/2) 2) (fun u => conj (Rlt_le _ _ (proj1 (beta_bet_range (1/2) 2 H ltac:(lra) u)))
      (Rlt_le _ _ (proj2 (beta_bet_range (1/2) 2 H ltac:(lra) u)))) (true :: v)). unfold beta_code. lra. }
  assert (Hbar : forall v, 0 < bar v < 1).
  { intros v. unfold bar. split; [apply exp_pos|].
    apply Rlt_le_trans with (exp 0); [apply exp_increasing|rewrite exp_0; lra].
    assert (ln (level_pass (1/2) 2 (1/20) v) < 0).
    { rewrite <- ln_1. apply ln_increasing; [apply HL|apply Hlt]. }
    unfold Rdiv. specialize (Hn v). assert (0 < / n v) by now apply Rinv_0_lt_compat. nra. }
  apply (open_gate_bounded Ds (1/2) 2 (1/20)); auto; try lra.
  - intros v. specialize (Hbar v). lra.
  - intros v. apply wide_hoeffding; auto; try apply HL. lra.
  - intros v. left. specialize (Hbar v). split; [lra|]. split; [lra|]. rewrite kl_one by lra. unfold bar.
    rewrite ln_exp. specialize (Hn v). fold (n v).
    replace (- n v * - (ln (level_pass (1 / 2) 2 (1 / 20) v) / n v)) with (ln (level_pass (1/2) 2 (1/20) v)) by (field; lra).
    apply exp_ln. apply HL.
Qed.

(* A board on any 0/1 records, with Hoeffding's margins: the table of every count. *)
Theorem board_instance {X : Type} (Ds : list (law X)) (rows : list bool) (some : select rows Ds <> nil)
  (ask : node -> query X) (ask_01 : forall v, zero_one (ask v)) (stop : node -> bool) (H56 : Hoeffding1956) (m : nat) :
  let N := length (select rows Ds) in
  let n := size Ds rows in
  let looks := counted_looks Ds rows some ask H56 ask_01 (every_count N) (every_count_range N) (every_count_rises N) in
  let q := fun _ : node => 1/5 in
  let low := level_low _ looks (1/20) q in
  let high := level_high _ looks (1/20) q in
  P Ds (board_fails Ds rows stop (1/20) (1 / n) q looks (fun v => width n (low v) (high v) (1 / n)) m) <= 1/20.
Proof.
  intros N n looks q low high. assert (Hn : 0 < n) by (apply n_pos; auto).
  apply open_board_table; try lra.
  - unfold n. lra.
  - intros; unfold q; lra.
  - intros v _. apply wide_width; auto. left. apply Rdiv_lt_0_compat; lra.
Qed.

(* A ladder with two values, .6 and .4, and tau = .4. *)
Theorem ladder_instance {X : Type} (Ds : list (law X)) (analyst : list nat -> query X) (m : nat) :
  Ds <> nil -> (1 <= m)%nat ->
  let n := Tails.n Ds in
  let val l := match l with O => 6/10 | _ => 4/10 end in
  P Ds (fun S => exists later l v,
    Ladder.transcript (emp Ds) 2 (fun l => match l with O => 1 | _ => 4/10 end) analyst m S = later ++ l :: v /\
    ~ Ladder.promise (pop Ds) (4/10) 1 val analyst v l) <=
  exp (- n * kl (4/10) (2/10)) + INR m * exp (- n * kl (6/10) (2/10)).
Proof.
  intros Hd Hm n val.
  eapply Rle_trans; [apply (ladder_bounded Ds Hd) with (A := fun _ => exp (- n * kl (4/10) (2/10)))
    (B := fun _ => exp (- n * kl (6/10) (2/10)))|]; auto; try lra; try (simpl; lra).
  - intros l l' H1 H2. destruct l as [|[|l]], l' as [|[|l']]; unfold val; try lra; lia.
  - intros l l' H1. destruct l as [|l], l' as [|l']; try lra; lia.
  - intros; left; apply exp_pos.
  - intros; left; apply exp_pos.
  - intros; lra.
  - intros; lra.
  - intros l Hl. destruct l; [|lia]. unfold val. cbn [Nat.add]. replace (6/10 - 4/10) with (2/10) by lra.
    apply low_kl; try lra. unfold n. lra.
  - intros l Hl. destruct l as [|[|l]]; try lia. unfold val. replace (1 - (4/10 + 4/10)) with (2/10) by lra.
    replace (1 - 4/10) with (6/10) by lra. apply low_kl; try lra. unfold n. lra.
  - unfold risk_of. simpl. unfold Ladder.Wl, Ladder.Nl. rewrite Nat.add_0_r, C_0. simpl. lra.
Qed.

(* Two flags, tau = 1/2, the threshold 1/4, cells of the width 1/2, guesses within 1/8. *)
Theorem sparse_instance {X : Type} (Ds : list (law X)) (analyst : list Sparse.Resp -> query X * R) (m : nat) :
  Ds <> nil ->
  let c := fun _ : nat => 1%nat in
  let side := Chernoff.side (Tails.n Ds) in
  P Ds (fun S => exists later x v,
    Sparse.transcript (emp Ds) (1/2) (1/4) 2 c analyst m S = later ++ x :: v /\
    ~ Sparse.promise (pop Ds) (1/2) (1/8) c analyst v x) <=
  INR (Sparse.W c m 2) * side (1/4) +
    sumR (seq 0 2) (fun i => INR (Sparse.Ni c m i) * (2 * side (1/4) + side (1/8) + side (1/4))).
Proof.
  intros Hd c side.
  assert (Hs : forall s, 0 <= side s) by (intros; apply side_nonneg).
  eapply Rle_trans; [apply (sparse_bounded Ds Hd) with (r := fun _ => 2 * side (1/4) + side (1/8) + side (1/4))|].
  split; try lra; auto.
  - intros i Hi. unfold Sparse.s, Sparse.width, c. generalize (Hs (1/8)) (Hs (1/4)). fold side.
    assert (Hq : forall x, 1/4 <= x -> side x <= side (1/4)) by (intros; now apply side_falls).
    destruct i as [|[|i]]; [| |lia]; simpl.
    + specialize (Hq (1 / 2 + 1 / 4 - 2 * (1 / 2) / (1 + 1)) ltac:(lra)). lra.
    + specialize (Hq (1 / 2 + 1 / 4) ltac:(lra)). lra.
  - intros i _ _. fold side. replace (1 / 4 - 1 / 8) with (1 / 8) by lra. generalize (Hs (1/4)). lra.
  - fold side. replace (1 / 2 - 1 / 4) with (1 / 4) by lra. lra.
Qed.

(* Two answers with errors of at most 1 on either side: noise that is cut at two standard deviations, and none. *)
Theorem joint_instance {X : Type} (x0 : X) (Ds : list (law X)) (ask : list Rounded.cell -> query X)
  (cuts : list Rounded.cell -> list R) :
  Ds <> nil -> (forall D, In D Ds -> Posterior.finite D) -> (forall v, Rounded.sorted m_infty (cuts v)) ->
  let n := Tails.n Ds in
  let noises := fun j => match j with O => Tangent.Cut 1 2 | _ => Tangent.Silent end in
  let c := (Normal.Phi 2 - Normal.Phi 0) / Tangent.share 2 * exp (Normal.phi 0 / (Normal.Phi 2 - Normal.Phi 0) * 0) in
  let h := Normal.phi 0 / (Normal.Phi 2 - Normal.Phi 0) / 1 in
  Rounded.fails Ds (fun j => Tangent.cdf_of (noises j)) ask cuts (fun _ => 1) true true 2 <=
    2 * Joint.T 1 (1 / (4 * n)) c h 1 +
    2 * (exp (- n) * Joint.price 2 (1 / (4 * n)) (Tangent.Cut 1 2)).
Proof.
  intros Hd Hf Hc n noises c h. assert (Hn := n_pos Ds Hd). fold n in Hn.
  assert (Hp : forall j, Tangent.proper (noises j)) by (intros [|j]; simpl; auto; lra).
  assert (Hk : Posterior.kap (length Ds) 0 = 1).
  { unfold Posterior.kap, Kappa.kappa_poly. destruct (Nat.eqb (length Ds) 1); auto. rewrite Rmult_0_r. field. }
  eapply Rle_trans; [apply (Joint.joint_bound x0 Ds Hd Hf noises Hp ask cuts Hc (fun _ => 1) true true 2 (fun j =>
    match j with
    O => 2 * Joint.T 1 (1 / (4 * n)) c h 1 | _ => 2 * (exp (- n) * Joint.price 2 (1 / (4 * n)) (Tangent.Cut 1 2))
      end))|].
  - intros l Hl. destruct l as [|l]; [|lia]. split; [discriminate|apply Hp].
  - intros [|[|j]] Hj; [| |lia].
    + apply (Joint.first _ _ _ _ _ _ _ _ (Joint.T 1 (1 / (4 * n)) c h 1)); auto; [|unfold Joint.both; lra].
      apply (Joint.tangent_moment x0 Ds Hd Hf); [apply Hp|apply Tangent.cut_line; lra|lra].
    + apply (Joint.alike _ _ _ _ _ _ _ _ 2 (Joint.T 2 (1 / (4 * n)) 1 (2 * n) 1) (fun _ => 1 / (4 * n))); try lra.
      * replace (2 / (2 - 1)) with 2 by field.
        apply (Joint.tangent_moment x0 Ds Hd Hf); [apply Hp|apply Tangent.silent_line; lra|lra].
      * intros l Hl. destruct l as [|l]; [|lia]. unfold Joint.enough. rewrite Joint.r_0, Hk. split; [lra|]. right.
        f_equal. unfold n. ring.
      * unfold Joint.both. cbn [Rounded.product noises]. rewrite Rmult_1_r.
        replace (Rpower (Joint.T 2 (1 / (4 * n)) 1 (2 * n) 1) (1 - / 2)) with (exp (- n)); [right; ring|].
        unfold Joint.T. rewrite Steps.Rpower_1_l, Rmult_1_l. unfold Rpower. rewrite ln_exp. f_equal. field. lra.
  - cbn [seq sumR]. lra.
Qed.
