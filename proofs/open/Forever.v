(* docs/theorems/open.md, "Budget theorem", "Cell theorem", "open-gate" and "open-board": for ever, the analyst's coins,
   tests among cells, the code of a board, and that a pass with the truth at the bar has no small probability.

   rising D          a law whose means rise to the mean of a limit
   is_test, pval     the nodes at which a test is asked; its p-value
   raise c           the share of a raise by c steps *)

From Coq Require Import Reals Lra Lia List Arith Psatz Bool ClassicalDescription Classical.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Count Gate Tails Budget Cells OpenGate Records.
Import ListNotations.
Open Scope R_scope.

(* For ever.  Laws that are continuous along rising functions: all laws on finitely many points are, and so
   are independent records with such laws. *)

Definition rising {X : Type} (D : law X) : Prop := forall (f : nat -> X -> R) g b,
  (forall m x, f m x <= f (S m) x) ->
  (forall x e, 0 < e -> exists m, g x <= f m x + e) ->
  (forall m, D (f m) <= b) -> D g <= b.

Lemma rising_continuous {X} (D : law X) : rising D -> continuous_below (law_outer D).
Proof.
  intros HD A b Hup Hb. simpl in *. apply (HD (fun m => ind (A m))); auto.
  - intros m x. apply ind_le. apply Hup.
  - intros x e He. unfold ind at 1.
    destruct (excluded_middle_informative (exists m, A m x)) as [[m Hm]|H].
    + exists m. unfold ind. destruct (excluded_middle_informative (A m x)); [lra|tauto].
    + exists 0%nat. assert (0 <= ind (A 0%nat) x).
      { decide_ind. }
      lra.
Qed.

Lemma rising_point {X} (x : X) : rising (point x).
Proof.
  intros f g b _ Hg Hb. simpl in *. apply Rnot_lt_le. intros H.
  destruct (Hg x ((g x - b) / 2)) as [m Hm]; [lra|]. specialize (Hb m). lra.
Qed.

Lemma rising_cons {X} (D : law X) (D' : law (list X)) :
  rising D -> rising D' -> rising (cons_law D D').
Proof.
  intros HD HD' f g b Hup Hg Hb. simpl in *.
  apply (HD (fun m x => D' (fun s => f m (x :: s)))); auto.
  - intros m x. apply mean_mono. auto.
  - intros x e He.
    destruct (classic (exists m, D' (fun s => g (x :: s)) <= D' (fun s => f m (x :: s)) + e)) as [H|H]; auto.
    exfalso. assert (D' (fun s => g (x :: s)) <= D' (fun s => g (x :: s)) - e); [|lra].
    apply (HD' (fun m s => f m (x :: s))); auto.
    intros m. apply Rnot_lt_le. intros Hm. apply H. exists m. lra.
Qed.

Lemma rising_finite {X} (l : list (X * R)) nonneg total : rising (finite_law l nonneg total).
Proof.
  intros f g b Hup Hg Hb.
  assert (Hm : forall m k x, (m <= k)%nat -> f m x <= f k x).
  { intros m k x H. induction H; [lra|]. eapply Rle_trans; [exact IHle|apply Hup]. }
  apply Rnot_lt_le. intros Hlt.
  set (e := (finite_law l nonneg total g - b) / 2). assert (He : 0 < e) by (unfold e; lra).
  assert (H : exists m, forall a, In a l -> g (fst a) <= f m (fst a) + e).
  { clearbody e. clear Hb Hlt nonneg total. induction l as [|a k IH]; [exists 0%nat; simpl; tauto|].
    destruct IH as [m1 H1]. destruct (Hg (fst a) e He) as [m2 H2]. exists (m1 + m2)%nat.
    intros a' [<-|Ha'].
    - generalize (Hm m2 (m1 + m2)%nat (fst a) ltac:(lia)). lra.
    - specialize (H1 a' Ha'). generalize (Hm m1 (m1 + m2)%nat (fst a') ltac:(lia)). lra. }
  destruct H as [m H]. specialize (Hb m).
  assert (Hs : finite_law l nonneg total g <= finite_law l nonneg total (f m) + e).
  { simpl. rewrite <- (Rmult_1_l e) at 1. rewrite <- total, Rmult_comm, <- sumR_scal, <- sumR_plus.
    apply sumR_le. intros a Ha. specialize (H a Ha). assert (Hw := nonneg a Ha). nra. }
  unfold e in Hs. lra.
Qed.

Lemma rising_records {X} (Ds : list (law X)) :
  (forall D, In D Ds -> rising D) -> rising (prodE Ds).
Proof.
  induction Ds as [|D Ds IH]; intros H; simpl; [apply rising_point|].
  apply rising_cons; [apply H; simpl; auto|]. apply IH. intros; apply H; simpl; auto.
Qed.

Theorem open_gate_beta_for_ever {X : Type} (Ds : list (law X)) (a b beta : R)
  (ask : list bool -> query X) (rows : list bool -> list bool) (bar : list bool -> R) (stop : list bool -> bool) :
  (forall D, In D Ds -> rising D) ->
  0 < a -> 0 < b -> 0 < beta <= 1 -> (forall v, select (rows v) Ds <> nil) ->
  P Ds (fun S => exists m later r v, gate_shown Ds a b beta ask rows bar stop m S = later ++ r :: v /\
     gate_wrong Ds a b beta ask rows bar v r) <= beta.
Proof.
  intros HD Ha Hb Hbeta Hr.
  pose (bd := fun v r => gate_wrong Ds a b beta ask rows bar v r).
  pose (good := fun v r => ~ bd v r).
  assert (HC := rising_continuous _ (rising_records Ds HD)).
  eapply Rle_trans; [|apply (for_ever (law_outer (prodE Ds))
    (verdict (fun v => value Ds (rows v) (ask v)) (fun v => bar v + up_margin Ds a b beta rows v))
    stop good beta HC)].
  - apply Pr_mono. intros S (m & later & r & v & H & Hw). exists m, later, r, v. split; auto.
  - intros m. eapply Rle_trans; [|apply (open_gate_beta Ds a b beta Ha Hb Hbeta ask rows Hr bar stop m)].
    apply Pr_mono. intros S (later & r & v & H & Hw). exists later, r, v. split; auto.
    now apply NNPP.
Qed.

(* Coins that are independent of the records: the analyst and everything it chooses may depend on them. *)
Theorem open_gate_beta_randomised {X Coin : Type} (Ds : list (law X)) (coins : law Coin) (a b beta : R)
  (ask : Coin -> list bool -> query X) (rows : Coin -> list bool -> list bool)
  (bar : Coin -> list bool -> R) (stop : Coin -> list bool -> bool) :
  0 < a -> 0 < b -> 0 < beta <= 1 -> (forall k v, select (rows k v) Ds <> nil) ->
  forall m, coins (fun k => P Ds (fun S => exists later r v,
     gate_shown Ds a b beta (ask k) (rows k) (bar k) (stop k) m S = later ++ r :: v /\
     gate_wrong Ds a b beta (ask k) (rows k) (bar k) v r)) <= beta.
Proof.
  intros Ha Hb Hbeta Hr m. apply Rle_trans with (coins (fun _ => beta)); [|rewrite mean_const; lra].
  apply mean_mono. intros k. now apply open_gate_beta.
Qed.

(* Mixed kinds: at each node either cells or a test. *)
Section Mixed.
Context {Omega : Type}.
Variable P : outer Omega.
Notation node := (list nat).
Variable is_test : node -> bool.
Variable pval : node -> Omega -> R.
Variable null : node -> Prop.
Hypothesis null_dec : forall v, {null v} + {~ null v}.
Variable h : node -> Omega -> R.
Variable p : node -> R.
Variable cuts : node -> list R.
Hypothesis cuts_ordered : forall v, ordered (cuts v).
Variable stop : node -> bool.
Variable W rest : node -> R.
Variable beta : R.
Hypothesis beta_nonneg : 0 <= beta.
Hypothesis W_nonneg : forall v, 0 <= W v.
Hypothesis W_root : W nil <= 1.
Hypothesis rest_nonneg : forall v, 0 <= rest v.

(* The responses to a test: 1 rejects, 0 does not. *)
Definition level_at (v : node) : R := beta * (W (1%nat :: v) + rest v).
Definition h' (v : node) (w : Omega) : R :=
  if is_test v then if Rle_dec (pval v w) (level_at v) then 1 else 0 else h v w.
Definition p' (v : node) : R := if is_test v then if null_dec v then 0 else 1 else p v.
Definition cuts' (v : node) : list R := if is_test v then [1] else cuts v.
Hypothesis W_sum : forall v, sumR (seq 0 (S (K cuts' v))) (fun c => W (c :: v)) + rest v <= W v.

Hypothesis p_value : forall v, null v -> P (fun w => pval v w <= level_at v) <= level_at v.

Variable lower upper : node -> R -> R -> Rbar.
Hypothesis lower_tail : forall v x q, In x (cuts v) -> 0 <= q ->
  Rbar_lt (p v) (lower v x q) -> P (fun w => h v w >= x) <= q.
Hypothesis upper_tail : forall v x q, In x (cuts v) -> 0 <= q ->
  Rbar_lt (upper v x q) (p v) -> P (fun w => h v w < x) <= q.

Definition lower' (v : node) (x q : R) : Rbar :=
  if is_test v then if Rle_dec (level_at v) q then Finite (1/2) else m_infty else lower v x q.
Definition upper' (v : node) (x q : R) : Rbar := if is_test v then p_infty else upper v x q.

Notation L' := (L cuts' W rest beta lower').
Notation U' := (U cuts' W rest beta upper').
Hypothesis rest_one_sided : forall v, is_test v = false -> rest v = 0 \/ Rbar_le (L' v (K cuts' v)) (U' v 0).

Definition broken (v : node) (c : nat) : Prop :=
  if is_test v then c = 1%nat /\ null v else ~ (Rbar_le (L' v c) (p v) /\ Rbar_le (p v) (U' v c)).

Theorem cells_and_tests m :
  P (fun w => exists later c v, shown (response h' cuts') stop m w = later ++ c :: v /\
     broken v c) <= beta.
Proof.
  assert (HL : forall v, is_test v = true -> L' v 1 = Finite (1/2)).
  { intros v Hv. unfold L. replace (K cuts' v - 1)%nat with 0%nat.
    2:{ unfold K, cuts'. now rewrite Hv. }
    simpl. unfold lower'. rewrite Hv. destruct (Rle_dec (level_at v) (beta * up cuts' W rest v 1)) as [H|H]; auto.
    exfalso. apply H. right. unfold level_at, up, Up, K, cuts'. rewrite Hv. simpl. ring. }
  eapply Rle_trans; [|apply (cells P h' p' cuts') with (stop := stop) (W := W) (rest := rest)
     (lower := lower') (upper := upper') (m := m)]; auto.
  - apply Pr_mono. intros w (later & c & v & H & Hb). exists later, c, v. split; auto.
    unfold broken in Hb. unfold holds, p'. destruct (is_test v) eqn:Hv; auto.
    destruct Hb as [-> Hn]. intros [H1 _]. rewrite (HL v Hv) in H1.
    destruct (null_dec v); [simpl in H1; lra|tauto].
  - intros v. unfold cuts'. destruct (is_test v); auto. intros i j Hi Hj. simpl in Hj.
    replace i with 0%nat by lia. replace j with 0%nat by lia. lra.
  - intros v x q Hx Hq. unfold lower', p', h'. unfold cuts' in Hx.
    destruct (is_test v); [|now apply lower_tail].
    destruct (Rle_dec (level_at v) q) as [Hl|Hl]; [|simpl; tauto].
    destruct (null_dec v) as [Hn|Hn]; [|simpl; lra]. intros _.
    eapply Rle_trans; [|exact Hl]. eapply Rle_trans; [|apply (p_value v Hn)]. apply Pr_mono.
    intros w. destruct Hx as [<-|[]]. destruct (Rle_dec (pval v w) (level_at v)); auto; lra.
  - intros v x q Hx Hq. unfold upper', p', h'. unfold cuts' in Hx.
    destruct (is_test v); [simpl; tauto|now apply upper_tail].
  - intros v. destruct (is_test v) eqn:Hv; [right|now apply rest_one_sided].
    unfold U. simpl. unfold upper_end, upper', K, cuts'. rewrite Hv. simpl.
    now destruct (L _ _ _ _ _ _ _).
Qed.

End Mixed.

(* The board.  Cell 0 keeps, cell i raises by i steps; the last cell takes the tail. *)
Section Board.
Variable q : R.
Variable k : nat.

Definition raise (c : nat) : R :=
  match c with
  | O => 1 - q
  | S i => if (S i <? S k)%nat then q * (1 / INR (S i) - 1 / INR (S (S i))) else q / INR (S i)
  end.

Lemma sum_seq_S (f : nat -> R) m : sumR (seq 0 (S m)) f = sumR (seq 0 m) f + f m.
Proof. rewrite seq_S, sumR_app. simpl. lra. Qed.

Lemma down_raise c : (c <= k)%nat -> sumR (seq 0 (S c)) raise = 1 - q / INR (S c).
Proof.
  induction c as [|c IH]; intros Hc.
  - simpl. field.
  - rewrite sum_seq_S, IH by lia. unfold raise. destruct (Nat.ltb_spec (S c) (S k)); [|lia].
    assert (0 < INR (S c)) by (apply lt_0_INR; lia). assert (0 < INR (S (S c))) by (apply lt_0_INR; lia).
    field. lra.
Qed.

(* The masses are a code, with the sheet's Down(raise i) = 1 - q/(i+1) and Up(raise i) = q/i. *)
Theorem raise_total : sumR (seq 0 (S (S k))) raise = 1.
Proof.
  rewrite sum_seq_S, down_raise by auto. unfold raise. destruct (Nat.ltb_spec (S k) (S k)); [lia|]. lra.
Qed.

Theorem raise_down c : (c <= k)%nat -> Down (S k) raise c = 1 - q / INR (S c).
Proof.
  intros Hc. rewrite <- down_raise by auto. unfold Down. rewrite sumR_filter.
  replace (S (S k)) with (S c + (S k - c))%nat by lia. rewrite seq_app, sumR_app.
  rewrite (sumR_ext (seq 0 (S c)) _ raise), (sumR_ext (seq (0 + S c) _) _ (fun _ => 0)).
  - rewrite sumR_const. lra.
  - intros a Ha. apply in_seq in Ha. destruct (Nat.leb_spec a c); [lia|auto].
  - intros a Ha. apply in_seq in Ha. destruct (Nat.leb_spec a c); [auto|lia].
Qed.

Theorem raise_up i : (S i <= S k)%nat -> Up (S k) raise (S i) = q / INR (S i).
Proof.
  intros Hi. assert (Ht := raise_total). assert (Hd := down_raise i ltac:(lia)).
  unfold Up. rewrite sumR_filter.
  replace (S (S k)) with (S i + (S k - i))%nat in * by lia. rewrite seq_app, sumR_app in *.
  rewrite (sumR_ext (seq 0 (S i)) _ (fun _ => 0)), (sumR_ext (seq (0 + S i) _) _ raise).
  - rewrite sumR_const. lra.
  - intros a Ha. apply in_seq in Ha. destruct (Nat.leb_spec (S i) a); [auto|lia].
  - intros a Ha. apply in_seq in Ha. destruct (Nat.leb_spec (S i) a); [lia|auto].
Qed.

Lemma raise_nonneg c : 0 <= q <= 1 -> 0 <= raise c.
Proof.
  intros Hq. destruct c as [|i]; cbn [raise]; [lra|]. assert (0 < INR (S i)) by (apply lt_0_INR; lia).
  destruct (S i <? S k)%nat.
  - apply Rmult_le_pos; [lra|]. assert (1 / INR (S (S i)) <= 1 / INR (S i)); [|lra].
    unfold Rdiv. rewrite !Rmult_1_l. apply Rinv_le_contravar; auto. rewrite (S_INR (S i)). lra.
  - apply Rmult_le_pos; [lra|]. left. now apply Rinv_0_lt_compat.
Qed.

End Board.

(* "A pass says p > c" is more than lower(x, q) gives, whose tail is asked of the truths below it only: with
   the query nought, at the bar nought, lower(0, q) = 0 is a bound, the gate passes at 0, and p = c. *)
Theorem pass_at_the_bar :
  let D := point tt in
  exists f : query unit,
    (forall q, 0 <= q -> pop [D] f < 0 -> P [D] (fun S => emp [D] f S >= 0) <= q) /\
    pop [D] f = 0 /\ P [D] (fun S => emp [D] f S >= 0) = 1.
Proof.
  intros D. assert (Hr : forall x : unit, 0 <= (fun _ => 0) x <= 1) by (intros; lra).
  exists (exist _ (fun _ => 0) Hr).
  assert (Hp : pop [D] (exist _ (fun _ => 0) Hr) = 0) by (unfold pop, n; simpl; lra).
  split; [intros; lra|]. split; auto. simpl. unfold ind.
  destruct (excluded_middle_informative _) as [H|H]; auto. exfalso. apply H. unfold emp, n. simpl. lra.
Qed.
