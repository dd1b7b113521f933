(* The theorems that rows name, at numbers: each definition meets all hypotheses of one, mostly of a thousand fair
   coins. With a hypothesis that nobody can meet, or with one more, a definition does not compile. *)

From Coq Require Import Reals Lra Lia List Arith Psatz Bool.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Count Gate Tails Budget Cells OpenGate Records Binomial Chernoff Entropy Rows Guesses
  Looks OpenRows Board Boards Guess BreakPoints TwoSides Certified ConvexTail ConvexRows Sides Weights Clusters
  Differences KnownVariance Widths LeadPlans Coins Instances Examples SmallPlans.
From dpcalc Require Normal Sparse Ladder.
Import ListNotations.
Open Scope R_scope.

Definition coins (k : nat) : list (law bool) := repeat coin k.
Notation Ds := (coins 1000).
Notation cs := (rows_of Ds).
Notation w := (1 / INR (length Ds)).

Lemma thousand : Tails.n Ds = 1000.
Proof. unfold Tails.n, coins. rewrite repeat_length, INR_IZR_INZ. reflexivity. Qed.

Lemma some : Ds <> nil.
Proof. discriminate. Qed.

(* Coq would unfold a thousand coins to compare two terms. *)
Lemma coins_length k : length (coins k) = k.
Proof. apply repeat_length. Qed.

Lemma five : coins 5 <> nil.
Proof. discriminate. Qed.

Opaque coins N.

Lemma equal : weights cs w.
Proof. apply equal_weights, some. Qed.

(* A thousand looks at a gate with one pass, and a margin of ten points: at any bars, and at the bar .8. *)
Definition gate_of_rates (a : list bool -> query bool * R) :
  P Ds _ <= INR (N 1000 1) * exp (- INR 1000 * Chernoff.E (1/10)) :=
  gate_best Ds (1/10) some ltac:(lra) a 1000 1.

Definition gate_at_bar (a : list bool -> query bool) :
  P Ds _ <= INR (N 1000 1) * exp (- Tails.n Ds * kl (8/10 + 1/10) (8/10)) :=
  gate_bar_one_side Ds some (1/10) ltac:(lra) (8/10) _ a 1 1000 ltac:(left; apply exp_pos) ltac:(lra) ltac:(lra)
    (or_intror (Rle_refl _)).

(* 900 of 1,000 values are 1. *)
Lemma enough : count_cert Ds (8/10) 900 (exp (- Tails.n Ds * kl (INR 900 / Tails.n Ds) (8/10))).
Proof. apply count_kl; try apply Rle_refl; rewrite ?thousand, ?(INR_IZR_INZ 900); simpl IZR; lra. Qed.

Definition gate_of_counts (H : Hoeffding1956) (a : list bool -> query bool) (z : forall v, zero_one (a v)) :
  P Ds _ <= INR (N 1000 1) * exp (- Tails.n Ds * kl (INR 900 / Tails.n Ds) (8/10)) :=
  gate_bar_counts_one_side Ds some (8/10) _ 900 a 1 1000 H z ltac:(left; apply exp_pos) enough.

(* Finalists, and a margin of ten points: 2 e^-20 is Hoeffding's number. *)
Lemma terms p : 0 < p < 1 -> term_up Ds (1/10) p + term_down Ds (1/10) p <= 2 * exp (-20).
Proof.
  intros Hp. unfold term_up, term_down. rewrite thousand. assert (He := exp_pos (-20)).
  assert (H : forall x, 0 < x <= 1 - 1/10 -> exp (- (1000) * kl (x + 1/10) x) <= exp (-20)).
  { intros x Hx. apply exp_le. generalize (rate_floor (1/10) x ltac:(lra) ltac:(lra)). lra. }
  assert (H1 : (if Rle_dec (p + 1/10) 1 then exp (- (1000) * kl (p + 1/10) p) else 0) <= exp (-20)).
  { destruct (Rle_dec (p + 1/10) 1); [apply H; split|]; lra. }
  assert (H2 : (if Rle_dec (1/10) p then exp (- (1000) * kl (p - 1/10) p) else 0) <= exp (-20)).
  { destruct (Rle_dec (1/10) p); [|lra]. rewrite <- kl_flip.
    replace (1 - (p - 1/10)) with (1 - p + 1/10) by ring. apply H; lra. }
  lra.
Qed.

Definition finalists_of_values (f : list (query bool)) : P Ds _ <= INR (length f) * (2 * exp (-20)) :=
  sealed_bounded Ds some f (1/10) _ ltac:(lra) terms.

Definition finalists_one_side (f : list (query bool)) :
  P Ds _ <= INR (length f) * exp (- Tails.n Ds * Chernoff.E (1/10)) :=
  sealed_one_side Ds some f (1/10) ltac:(lra).

Definition ladder_without_baseline (q : query bool) (hi : R) : P Ds _ <= 2 * exp (-20) :=
  ladder_one Ds q hi (1/10) _ (hoeffding_kl Ds some q (1/10) _ ltac:(lra) terms).

(* The same by Zubkov and Serov: a record less than the margin. *)
Definition normal_bound : R := Normal.Phi (- sqrt (4 * 1000 * (99/1000)^2)).

Lemma Phi_rises x y : x <= y -> Normal.Phi x <= Normal.Phi y.
Proof. intros H. now apply Normal.Phi_rises. Qed.

Lemma Phi_nonneg x : 0 <= Normal.Phi (Finite x).
Proof. apply Normal.Phi_range. Qed.

Lemma at_any_truth p : 0 <= p <= 1 -> normal_tail Ds (fun x => Normal.Phi x) (1/10) p <= normal_bound.
Proof.
  intros Hp. assert (H0 := Phi_nonneg (- sqrt (4 * 1000 * (99/1000)^2))). unfold normal_tail, normal_bound.
  rewrite thousand. replace (1/10 - 1/1000) with (99/1000) by lra.
  destruct (Rlt_dec _ _); [destruct (Rle_dec _ _)|]; try lra. apply Phi_rises, Ropp_le_contravar, sqrt_le_1_alt.
  generalize (rate_floor (99/1000) p ltac:(lra) ltac:(lra)). lra.
Qed.

Lemma more_than_a_row : 1 < Tails.n Ds * (1/10).
Proof. rewrite thousand. lra. Qed.

Definition finalists_of_counts (H : Hoeffding1956) (Z : ZubkovSerov2013 (fun x => Normal.Phi x)) (f : list (query bool))
  (z : forall q, In q f -> zero_one q) : P Ds _ <= INR (length f) * normal_bound :=
  sealed_counts_one_side Ds some f (1/10) _ H (or_introl (Rgt_ge _ _ more_than_a_row))
    (zubkov_serov_above Ds some _ Phi_rises Phi_nonneg (1/10) more_than_a_row _ Z at_any_truth) z.

Lemma at_any_truth_off p : 0 <= p <= 1 ->
  normal_tail Ds (fun x => Normal.Phi x) (1/10) p + normal_tail Ds (fun x => Normal.Phi x) (1/10) (1 - p) <=
  2 * normal_bound.
Proof.
  intros Hp. assert (H1 := at_any_truth p Hp). assert (H2 : 0 <= 1 - p <= 1) by (split; lra).
  apply at_any_truth in H2. lra.
Qed.

Definition counts_off (Z : ZubkovSerov2013 (fun x => Normal.Phi x)) : off_by Ds (1/10) (2 * normal_bound) :=
  zubkov_serov_off Ds some _ Phi_rises Phi_nonneg (1/10) more_than_a_row _ Z at_any_truth_off.

(* One coin, and a margin of 3/4. *)
Lemma one_break j k p : p = INR j / Tails.n [coin] + 3/4 -> p <= 1 -> Tails.n [coin] * (p + 3/4) <= INR k ->
  outside 1 j k p <= 1/4.
Proof.
  unfold Tails.n. simpl length. change (INR 1) with 1. intros E Hp Hk. destruct j as [|j].
  - change (INR 0) with 0 in E. replace p with (3/4) in * by lra. unfold outside. rewrite !binomial_1.
    destruct k as [|[|k]]; simpl in *; lra.
  - rewrite S_INR in E. generalize (pos_INR j). lra.
Qed.

Definition counts_at_break_points : off_by [coin] (3/4) (1/4) :=
  break_points [coin] ltac:(discriminate) (3/4) ltac:(lra) (1/4) one_break.

(* Five rows by the convex tail, and as many rows or fewer. *)
Definition at_a_half (s : R) : R := if Req_EM_T s (1/2) then 19/400 else 1.

Lemma at_a_half_above s : above_cert (coins 5) s (at_a_half s).
Proof.
  unfold at_a_half. destruct (Req_EM_T s (1/2)) as [->|_]; [apply five_above, coins_length|].
  intros p _. apply low_all. lra.
Qed.

Lemma at_a_half_nonneg s : 0 <= at_a_half s.
Proof. unfold at_a_half. destruct (Req_EM_T _ _); lra. Qed.

Definition finalists_of_five (f : list (query bool)) : P (coins 5) _ <= INR (length f) * at_a_half (1/2) :=
  sealed_side _ _ _ at_a_half
    (certified_sides (coins 5) five at_a_half at_a_half_nonneg at_a_half_above) f (1/2).

Definition five_rows_for_two : exists t,
  INR t < INR 5 * (9/10) /\ convex_tail 5 (1/2) (9/10) t <= convex_tail 2 (1/2) (9/10) 1 :=
  convex_tail_falls 2 5 (1/2) (9/10) 1 ltac:(lia) ltac:(lra) ltac:(simpl; lra).

(* Both errors of finalists on two rows, by five cells. *)
Lemma two_rows_off : off_cert [coin; coin] (3/4) (1/10).
Proof.
  assert (Hn : Tails.n [coin; coin] = 2).
  { unfold Tails.n. simpl. lra. }
  assert (T : forall p, 0 <= p -> convex_tail 2 p (p + 3/4) 1 = p^2 / (2 * p + 1/2)).
  { intros p Hp. unfold convex_tail, excess. simpl. replace ((1 + 1) * (p + 3/4) - 1) with (2 * p + 1/2) by lra.
    f_equal. ring. }
  assert (T' : forall p y, 0 <= p -> p^2 <= y * (2 * p + 1/2) -> convex_tail 2 p (p + 3/4) 1 <= y).
  { intros p y Hp Hy. rewrite T by lra. apply Rmult_le_reg_r with (2 * p + 1/2); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (C : forall b p0 p1, 0 <= p0 -> 0 <= p1 <= 1 -> p0^2 <= b * (2 * p0 + 1/2) -> p1^2 <= b * (2 * p1 + 1/2) ->
    cell [coin; coin] (3/4) b p0 p1).
  { intros b p0 p1 H0 H1 A0 A1. split; [exact H0|split; [lra|]]. right. exists 1%nat. rewrite Hn.
    split; [simpl; lra|]. split; apply T'; lra. }
  assert (D : forall b p0 p1, 1/4 < p0 -> p1 <= 1 -> cell [coin; coin] (3/4) b p0 p1).
  { intros b p0 p1 H0 H1. split; [lra|split; [lra|]]. left. lra. }
  apply (cells_off [coin; coin] ltac:(discriminate) (3/4) (1/10) (1/4) [3/10; 7/10; 3/4; 1]); [|simpl; lra].
  assert (B : forall u v p0 p1, 0 <= u -> 0 <= v -> u + v <= 1/10 -> cell [coin; coin] (3/4) u p0 p1 ->
    cell [coin; coin] (3/4) v (1 - p1) (1 - p0) -> both_cell [coin; coin] (3/4) (1/10) p0 p1).
  { intros u v p0 p1 Hu Hv Huv. exists u, v. auto. }
  cbn [chain]. split; [|split; [|split; [|split; [|split; [|exact I]]]]];
    [apply (B (1/10) 0)|apply (B (1/10) 0)|apply (B 0 0)|apply (B 0 (1/10))|apply (B 0 (1/10))]; try lra;
    solve [apply D; lra|apply C; lra].
Qed.

Definition finalists_on_two_rows (f : list (query bool)) : P [coin; coin] _ <= INR (length f) * (1/10) :=
  sealed_certified [coin; coin] ltac:(discriminate) f (3/4) (1/10) two_rows_off.

(* Two clusters, one of twice the weight. *)
Notation two := [(1/3, coin); (2/3, coin)].

Lemma two_weights : weights two (2/3).
Proof. split; [lra| |simpl; lra]. intros c [<-|[<-|[]]]; simpl; lra. Qed.

Definition finalists_of_clusters (f : list (query bool)) :
  P (laws two) _ <= INR (length f) *
    Rmin (Chernoff.side (1 / (2/3)) (1/10)) (hoeffding_side two (1/10)) :=
  sealed_side _ _ _ _ (sides_min _ _ _ _ _ (cluster_sides two _ two_weights)
    (cluster_hoeffding two _ two_weights))
    f (1/10).

Lemma both_terms p : 0 < p < 1 ->
  cluster_term (2/3) (1/10) p + cluster_term (2/3) (1/10) (1 - p) <= 2 * exp (- (1 / (2/3)) * Chernoff.E (1/10)).
Proof.
  assert (H : forall p, 0 < p -> cluster_term (2/3) (1/10) p <= exp (- (1 / (2/3)) * Chernoff.E (1/10))).
  { intros x Hx. unfold cluster_term. destruct (Rle_dec (x + 1/10) 1); [|left; apply exp_pos].
    apply exp_le. assert (HE := Chernoff.E_le (1/10) x ltac:(lra) ltac:(lra)). lra. }
  intros Hp. assert (H1 := H p ltac:(lra)). assert (H2 := H (1 - p) ltac:(lra)). lra.
Qed.

Lemma both_nonneg : 0 <= 2 * exp (- (1 / (2/3)) * Chernoff.E (1/10)).
Proof. generalize (exp_pos (- (1 / (2/3)) * Chernoff.E (1/10))). lra. Qed.

Definition both_errors_of_clusters (f : list (query bool)) :
  P (laws two) _ <= INR (length f) * (2 * exp (- (1 / (2/3)) * Chernoff.E (1/10))) :=
  cluster_finalists two _ two_weights f (1/10) _ ltac:(lra) both_nonneg both_terms.

Lemma hoeffding_side_nonneg : 0 <= hoeffding_side two (1/10).
Proof. unfold hoeffding_side. destruct (Rle_dec _ _); [lra|]. left. apply exp_pos. Qed.

Definition gate_of_clusters (a : list bool -> query bool) :
  P (laws two) _ <= INR (N 10 1) * hoeffding_side two (1/10) :=
  gate_bar_clusters two _ two_weights (1/2) (1/10) _ a 1 10 ltac:(lra) hoeffding_side_nonneg ltac:(lra) ltac:(lra)
    (or_introl (Rle_refl _)) (or_introl (Rle_refl _)).

Definition gate_of_clusters_one_side (a : list bool -> query bool) :
  P (laws two) _ <= INR (N 10 1) * hoeffding_side two (1/10) :=
  gate_bar_clusters_one_side two _ two_weights (1/2) (1/10) _ a 1 10 ltac:(lra) hoeffding_side_nonneg ltac:(lra)
    ltac:(lra) (or_introl (Rle_refl _)).

(* A variance of .09, and a second moment of .36. *)
Definition gate_of_a_variance (a : list bool -> steady cs (1/10)) :
  P (laws cs) _ <= INR (N 1000 1) * variance_side w (1/10) (1/10) :=
  gate_bar_variance cs _ equal (1/10) ltac:(lra) (1/2) (1/10) _ a 1 1000 ltac:(lra) (variance_side_nonneg w (1/10) (1/10))
    ltac:(lra) ltac:(lra) (or_introl (Rle_refl _)) (or_introl (Rle_refl _)).

Definition gate_of_a_variance_one_side (a : list bool -> steady cs (1/10)) :
  P (laws cs) _ <= INR (N 1000 1) * variance_side w (1/10) (1/10) :=
  gate_bar_variance_one_side cs _ equal (1/10) ltac:(lra) (1/2) (1/10) _ a 1 1000 ltac:(lra) (variance_side_nonneg w (1/10) (1/10))
    ltac:(lra) ltac:(lra) (or_introl (Rle_refl _)).

Definition finalists_of_a_moment (f : list (small cs (36/100))) :
  P (laws cs) _ <= INR (length f) * moment_side w (36/100) (1/10) (1/20) :=
  sealed_side _ _ _ _ (moment_sides cs _ equal (36/100) ltac:(lra) (1/10) ltac:(lra) ltac:(lra)) f (1/20).

Definition nine_of_ten_right (q : query bool) (r : 9/10 <= cluster_truth cs q) :
  sumR cs (fun c => fst c * variance (snd c) (fn q)) <= (1 - 9/10) * (1 - (1 - 9/10)) :=
  variance_of_errors cs _ equal q (9/10) ltac:(lra) r.

Definition rows_as_clusters (f : list (steady cs (1/10))) :
  P Ds _ <= INR (length f) * variance_side w (1/10) (1/20) :=
  sealed_side _ _ _ _ (sides_of_rows Ds (fun q => fn (proj1_sig q)) _ _
    (variance_sides cs _ equal (1/10) ltac:(lra))) f (1/20).

(* Differences on at most a tenth of the rows, at the bar .05. *)
Notation passing := (tail_of (J_bound w (1/10) (Rmin (1/20) (1/10)) (1/20 + 1/20))).
Notation failing := (tail_of (J_bound w (1/10) (Rmin (- (1/20 + 2 * (1/20))) (1/10)) (- (1/20 + 1/20)))).
Definition wrong_verdict : R := Rmax 0 (Rmax passing failing).

Lemma wrong_verdict_above : 0 <= wrong_verdict /\ difference_pass w (1/10) (1/20) (1/20) wrong_verdict /\
  difference_failure w (1/10) (1/20) (1/20) wrong_verdict.
Proof.
  assert (H := Rmax_r 0 (Rmax passing failing)). unfold wrong_verdict, difference_pass, difference_failure.
  repeat split; [apply Rmax_l|right..]; (eapply Rle_trans; [|exact H]); [apply Rmax_l|apply Rmax_r].
Qed.

Definition gate_of_differences (a : list bool -> differing cs (1/10)) :
  P (laws cs) _ <= INR (N 1000 1) * wrong_verdict :=
  gate_bar_differences cs _ equal (1/10) ltac:(lra) (1/20) (1/20) _ ltac:(lra) (proj1 wrong_verdict_above) a 1 1000
    (proj1 (proj2 wrong_verdict_above)) (proj2 (proj2 wrong_verdict_above)).

Definition gate_of_differences_one_side (a : list bool -> differing cs (1/10)) :
  P (laws cs) _ <= INR (N 1000 1) * wrong_verdict :=
  gate_bar_differences_one_side cs _ equal (1/10) ltac:(lra) (1/20) (1/20) _ (proj1 wrong_verdict_above) a 1 1000
    (proj1 (proj2 wrong_verdict_above)).

(* Leads of at most 100 decided rows. *)
Definition lead_side (s : R) : R :=
  if Rle_dec s 0 then 1 else exp (- 2 * INR 100 * (INR (length Ds) * s / (2 * INR 100))^2).

Lemma lead_side_nonneg s : 0 <= lead_side s.
Proof. unfold lead_side. destruct (Rle_dec s 0); [lra|]. left. apply exp_pos. Qed.

Lemma lead_side_low s p : 0 <= p <= 1 - INR (length Ds) * s / (2 * INR 100) ->
  low_cert (INR 100) (p + INR (length Ds) * s / (2 * INR 100)) (lead_side s) p.
Proof.
  intros _. unfold lead_side. destruct (Rle_dec s 0) as [H|H]; [apply low_all; lra|].
  assert (0 <= INR (length Ds) * s / (2 * INR 100)).
  { change (INR (length Ds)) with (Tails.n Ds). rewrite thousand, (INR_IZR_INZ 100). simpl IZR. lra. }
  apply low_hoeffding; [lra|]. apply Req_le. f_equal. ring.
Qed.

Definition finalists_of_leads (f : list (sharing Ds 100)) : P Ds _ <= INR (length f) * lead_side (1/20) :=
  sealed_side _ _ _ _ (lead_sides Ds 100 ltac:(rewrite coins_length; lia) lead_side
    lead_side_nonneg lead_side_low) f (1/20).

(* A clipped answer. *)
Definition clipped : Rabs (Rmax 0 (Rmin (11/10) 1) - 9/10) <= Rabs (11/10 - 9/10) :=
  clip_nearer (11/10) (9/10) ltac:(lra).
