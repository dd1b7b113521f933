(* docs/theorems/transfer.md, "CVaR transfer" (b): transcripts with an envelope, linear queries. Records have laws of finite
   support or any others whose two draws can be exchanged; transcripts are finitely many. *)

From Coq Require Import Reals Lra Lia List Psatz.
From dpcalc Require Import Tree Count Gate Tails Weights Cvar.
Import ListNotations.
Open Scope R_scope.

Lemma finite_exchanges {X} (l : list (X * R)) nonneg total : exchanges (finite_law l nonneg total).
Proof.
  intros g. simpl. transitivity (sumR l (fun a => sumR l (fun b => snd a * (snd b * g (fst a) (fst b))))).
  - apply sumR_ext. intros a _. now rewrite sumR_scal.
  - rewrite sumR_swap. apply sumR_ext. intros a _. rewrite <- sumR_scal. apply sumR_ext. intros b _. ring.
Qed.

(* Two independent things. *)
Program Definition pair_law {A B : Type} (D : law A) (E : law B) : law (A * B) :=
  {| mean := fun g => D (fun a => E (fun b => g (a, b))) |}.
Next Obligation. rewrite (mean_ext D _ (fun _ => 1)); [apply mean_one|]. intros; apply mean_one. Qed.
Next Obligation.
  rewrite <- mean_plus. apply mean_ext. intros a. apply (mean_plus E (fun b => f (a, b)) (fun b => g (a, b))).
Qed.
Next Obligation. rewrite <- mean_scal. apply mean_ext. intros a. apply (mean_scal E c (fun b => f (a, b))). Qed.
Next Obligation. apply mean_mono. intros a. apply mean_mono. intros b. apply H. Qed.

Lemma prodE_app {X} (L1 L2 : list (law X)) F : prodE (L1 ++ L2) F = prodE L1 (fun s => prodE L2 (fun t => F (s ++ t))).
Proof.
  revert F. induction L1 as [|D L1 IH]; intros F; simpl; [reflexivity|]. apply mean_ext. intros x.
  apply (IH (fun s => F (x :: s))).
Qed.

(* The rows, each between those before and those after it. *)
Notation place X := (list (law X) * (law X * list (law X)))%type.
Fixpoint places {X : Type} (L1 L : list (law X)) : list (place X) :=
  match L with nil => nil | D :: L2 => (L1, (D, L2)) :: places (L1 ++ [D]) L2 end.

Lemma places_all {X} (L L1 : list (law X)) r : In r (places L1 L) -> fst r ++ fst (snd r) :: snd (snd r) = L1 ++ L.
Proof.
  revert L1. induction L as [|D L IH]; intros L1 Hr; simpl in Hr; [destruct Hr|]. destruct Hr as [<-|Hr]; [reflexivity|].
  rewrite (IH _ Hr). now rewrite <- app_assoc.
Qed.

Lemma places_length {X} (L L1 : list (law X)) : length (places L1 L) = length L.
Proof. revert L1. induction L as [|D L IH]; intros L1; simpl; auto. Qed.

Lemma places_laws {X} (L L1 : list (law X)) g : sumR (places L1 L) (fun r => g (fst (snd r))) = sumR L g.
Proof. revert L1. induction L as [|D L IH]; intros L1; simpl; [reflexivity|]. now rewrite IH. Qed.

(* The mean over all rows, as seen from one of them. *)
Definition at_place {X : Type} (r : place X) (F : list X -> X -> list X -> R) : R :=
  prodE (fst r) (fun s => fst (snd r) (fun x => prodE (snd (snd r)) (fun t => F s x t))).

Lemma at_place_all {X} (Ds : list (law X)) r F : In r (places nil Ds) -> at_place r (fun s x t => F (s ++ x :: t)) = prodE Ds F.
Proof.
  intros Hr. rewrite <- (places_all Ds nil r Hr : _ = Ds). now rewrite prodE_app.
Qed.

Lemma sum_at_places {X} (L L1 : list (law X)) (g : list X -> R) (f : X -> R) :
  prodE (L1 ++ L) (fun S => g S * sumR (skipn (length L1) S) f) =
  sumR (places L1 L) (fun r => at_place r (fun s x t => g (s ++ x :: t) * f x)).
Proof.
  revert L1. induction L as [|D L IH]; intros L1.
  - rewrite app_nil_r. simpl. rewrite (prodE_length L1 _ (fun _ => 0)); [apply mean_const|].
    intros S HS. rewrite skipn_all2 by lia. simpl. ring.
  - simpl places. cbn [sumR]. rewrite <- IH. rewrite <- app_assoc. unfold at_place. cbn [fst snd]. simpl app at 3.
    rewrite !prodE_app. rewrite <- mean_plus. apply (prodE_length L1). intros s Hs. cbn [prodE cons_law mean].
    rewrite <- mean_plus. apply mean_ext. intros x. rewrite <- mean_plus. apply mean_ext. intros t.
    rewrite app_length. simpl length. rewrite !skipn_app, Hs, Nat.sub_diag, skipn_all2 by lia.
    rewrite (skipn_all2 s) by lia. replace (length L1 + 1 - length L1)%nat with 1%nat by lia. simpl. ring.
Qed.

(* v <= a w + b for each line: the points below a concave function, which is the least of its tangents. *)
Definition below_lines (lines : R -> R -> Prop) (v w : R) : Prop := forall a b, lines a b -> v <= a * w + b.

(* A symmetric envelope: its region has (0,0), and the mirror image of each of its points. *)
Record symmetric (lines : R -> R -> Prop) : Prop := {
  zero_in : below_lines lines 0 0;
  mirrored : forall v w, 0 <= v <= 1 -> 0 <= w <= 1 -> below_lines lines v w -> below_lines lines (1 - w) (1 - v)
}.

(* The transcript has the envelope: by how much a statement about it can differ between neighbours. *)
Definition has_envelope {X Pi : Type} (outcomes : list Pi) (k : kernel X Pi) (lines : R -> R -> Prop) : Prop :=
  forall s x y t (T : Pi -> R), (forall pi, 0 <= T pi <= 1) ->
    below_lines lines (sumR outcomes (fun pi => k (s ++ x :: t) pi * T pi))
      (sumR outcomes (fun pi => k (s ++ y :: t) pi * T pi)).

Section Envelope.
Context {X Pi : Type}.
Variable outcomes : list Pi.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Hypothesis draws : forall D, In D Ds -> exchanges D.
Variable k : kernel X Pi.
Hypothesis k_nonneg : forall S pi, 0 <= k S pi.
Hypothesis k_total : forall S, sumR outcomes (k S) = 1.

Variable lines : R -> R -> Prop.
Notation region := (below_lines lines).
Hypothesis envelope : symmetric lines.
Hypothesis enveloped : has_envelope outcomes k lines.

Lemma region_mix u v1 w1 v2 w2 : 0 <= u <= 1 -> region v1 w1 -> region v2 w2 ->
  region (u * v1 + (1 - u) * v2) (u * w1 + (1 - u) * w2).
Proof.
  intros Hu H1 H2 a b Hl. specialize (H1 a b Hl). specialize (H2 a b Hl).
  assert (u * v1 <= u * (a * w1 + b)) by (apply Rmult_le_compat_l; lra).
  assert ((1 - u) * v2 <= (1 - u) * (a * w2 + b)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Notation chance := (Cvar.chance Ds k).

Section Shift.
Variable f : Pi -> query X.
Variable A : Pi -> Prop.
Notation g pi := (fn (f pi)).
Definition seen (r : place X) (pi : Pi) : R := at_place r (fun s x t => k (s ++ x :: t) pi * g pi x).
Definition truth_at (r : place X) (pi : Pi) : R := fst (snd r) (g pi).
(* The event, where the mean of the record given the transcript is no less than its truth. *)
Definition up_at (r : place X) (pi : Pi) : R := ind (fun pi => A pi /\ chance pi * truth_at r pi <= seen r pi) pi.
Definition shift_at (r : place X) : R := sumR outcomes (fun pi => up_at r pi * (seen r pi - chance pi * truth_at r pi)).

Lemma g_range pi x : 0 <= g pi x <= 1.
Proof. destruct (f pi) as [h Hh]. apply Hh. Qed.

Lemma chance_nonneg pi : 0 <= chance pi.
Proof. apply mean_nonneg. auto. Qed.

Lemma truth_range r pi : 0 <= truth_at r pi <= 1.
Proof. apply mean_range. Qed.

Lemma seen_range r pi : In r (places nil Ds) -> 0 <= seen r pi <= chance pi.
Proof.
  intros Hr. split.
  - apply mean_nonneg. intros s. apply mean_nonneg. intros x. apply mean_nonneg. intros t.
    apply Rmult_le_pos; [auto|apply g_range].
  - unfold Cvar.chance. rewrite <- (at_place_all Ds r (fun S => k S pi) Hr). unfold seen, at_place.
    apply mean_mono. intros s. apply mean_mono. intros x. apply mean_mono. intros t.
    generalize (k_nonneg (s ++ x :: t) pi) (g_range pi x). nra.
Qed.

(* Two draws at a place. *)
Notation drawn := (list X * (X * (X * list X)))%type.
Definition twice (r : place X) : law drawn :=
  pair_law (prodE (fst r)) (pair_law (fst (snd r)) (pair_law (fst (snd r)) (prodE (snd (snd r))))).
Definition first (z : drawn) : list X := fst z ++ fst (snd z) :: snd (snd (snd z)).
Definition second (z : drawn) : list X := fst z ++ fst (snd (snd z)) :: snd (snd (snd z)).
Definition swap (z : drawn) : drawn := (fst z, (fst (snd (snd z)), (fst (snd z), snd (snd (snd z))))).

Lemma twice_swap r F : exchanges (fst (snd r)) -> twice r F = twice r (fun z => F (swap z)).
Proof.
  intros Hr. simpl. apply mean_ext. intros s.
  apply (Hr (fun x y => prodE (snd (snd r)) (fun t => F (s, (x, (y, t)))))).
Qed.

Definition more (pi : Pi) (z : drawn) : R := Rmax 0 (g pi (fst (snd z)) - g pi (fst (snd (snd z)))).
Definition V_at (r : place X) : R := twice r (fun z => sumR outcomes (fun pi => k (first z) pi * (up_at r pi * more pi z))).
Definition W_at (r : place X) : R := twice r (fun z => sumR outcomes (fun pi => k (second z) pi * (up_at r pi * more pi z))).

Lemma more_range pi z : 0 <= more pi z <= 1.
Proof.
  unfold more. generalize (g_range pi (fst (snd z))) (g_range pi (fst (snd (snd z)))). unfold Rmax.
  destruct (Rle_dec 0 _); lra.
Qed.

Lemma VW_region r : region (V_at r) (W_at r).
Proof.
  intros a b Hl. unfold V_at, W_at. rewrite <- mean_scal.
  eapply Rle_trans; [|right; apply f_equal; apply (mean_const (twice r) b)]. rewrite <- mean_plus.
  apply mean_mono. intros z.
  apply (enveloped (fst z) (fst (snd z)) (fst (snd (snd z))) (snd (snd (snd z))) (fun pi => up_at r pi * more pi z)); auto.
  intros pi. generalize (ind_range (fun pi => A pi /\ chance pi * truth_at r pi <= seen r pi) pi) (more_range pi z).
  unfold up_at. nra.
Qed.

Lemma W_other r : exchanges (fst (snd r)) ->
  W_at r = twice r (fun z => sumR outcomes (fun pi => k (first z) pi * (up_at r pi * more pi (swap z)))).
Proof. intros Hr. unfold W_at. now rewrite (twice_swap r _ Hr). Qed.

(* Means over two draws of what concerns one of them. *)
Lemma twice_seen r pi : twice r (fun z => k (first z) pi * g pi (fst (snd z))) = seen r pi.
Proof.
  simpl. unfold seen, at_place. apply mean_ext. intros s. apply mean_ext. intros x.
  etransitivity; [|apply (mean_const (fst (snd r)))]. apply mean_ext. intros y. reflexivity.
Qed.

Lemma twice_truth r pi h : In r (places nil Ds) ->
  twice r (fun z => k (first z) pi * h (fst (snd z)) * g pi (fst (snd (snd z)))) =
  truth_at r pi * at_place r (fun s x t => k (s ++ x :: t) pi * h x).
Proof.
  intros Hr. unfold at_place. rewrite <- mean_scal. simpl. apply mean_ext. intros s. rewrite <- mean_scal. apply mean_ext. intros x.
  unfold truth_at. rewrite Rmult_comm, <- mean_scal. apply mean_ext. intros y. unfold first. cbn [fst snd].
  rewrite (Rmult_comm (prodE _ _)), <- mean_scal. apply mean_ext. intros t. ring.
Qed.

Lemma V_minus_W r : In r (places nil Ds) -> exchanges (fst (snd r)) -> V_at r - W_at r = shift_at r.
Proof.
  intros Hr He. rewrite (W_other r He). unfold V_at, shift_at.
  transitivity (twice r (fun z => sumR outcomes (fun pi => up_at r pi *
    (k (first z) pi * g pi (fst (snd z)) + (-1) * (k (first z) pi * 1 * g pi (fst (snd (snd z)))))))).
  - rewrite <- (Rplus_0_r (_ - _)). match goal with |- ?a - ?b + 0 = _ => replace (a - b + 0) with (a + (-1) * b) by ring end.
    rewrite <- mean_scal, <- mean_plus. apply mean_ext. intros z. rewrite <- sumR_scal, <- sumR_plus. apply sumR_ext.
    intros pi _. unfold more, swap. cbn [fst snd]. set (u := g pi (fst (snd z))). set (v := g pi (fst (snd (snd z)))).
    unfold Rmax. destruct (Rle_dec 0 (u - v)), (Rle_dec 0 (v - u)); try ring; [|lra]. replace v with u by lra. ring.
  - rewrite mean_sum. apply sumR_ext. intros pi _. rewrite mean_scal, mean_plus, mean_scal, twice_seen,
      (twice_truth r pi (fun _ => 1) Hr).
    rewrite <- (at_place_all Ds r (fun S => k S pi) Hr : _ = chance pi).
    assert (E : at_place r (fun s x t => k (s ++ x :: t) pi * 1) = at_place r (fun s x t => k (s ++ x :: t) pi)).
    { unfold at_place. apply mean_ext. intros s. apply mean_ext. intros x. apply mean_ext. intros t. ring. }
    rewrite E. ring.
Qed.

Lemma scalar K a p : 0 <= p <= 1 -> 0 <= K -> K * p <= a -> a <= K -> a + K * p - 2 * a * p <= K / 2 + (a - K * p) / 2.
Proof.
  intros Hp HK H1 H2.
  assert (Hmul : (a + K * p - 2 * a * p - K / 2 - (a - K * p) / 2) * (K * (1 - p)) <= 0).
  { replace ((a + K * p - 2 * a * p - K / 2 - (a - K * p) / 2) * (K * (1 - p))) with
      (- ((K - a) * K * ((1 - 2 * p)^2 / 2) + (a - K * p) * K * (p / 2))) by field.
    assert (0 <= (K - a) * K * ((1 - 2 * p)^2 / 2)).
    { apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. generalize (pow2_ge_0 (1 - 2 * p)). lra. }
    assert (0 <= (a - K * p) * K * (p / 2)) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]). lra. }
  destruct (Req_dec K 0) as [->|HK0]; [replace a with 0 by lra; lra|].
  destruct (Req_dec p 1) as [->|Hp1]; [replace a with K by lra; lra|].
  assert (0 < K * (1 - p)) by (apply Rmult_lt_0_compat; lra). nra.
Qed.

Lemma V_plus_W r : In r (places nil Ds) -> exchanges (fst (snd r)) ->
  V_at r + W_at r <= sumR outcomes (fun pi => ind A pi * chance pi) / 2 + shift_at r / 2.
Proof.
  intros Hr He. rewrite (W_other r He). unfold V_at.
  apply Rle_trans with (twice r (fun z => sumR outcomes (fun pi => up_at r pi *
    (k (first z) pi * g pi (fst (snd z)) + (k (first z) pi * 1 * g pi (fst (snd (snd z))) +
      (-2) * (k (first z) pi * g pi (fst (snd z)) * g pi (fst (snd (snd z))))))))).
  - rewrite <- mean_plus. apply mean_mono. intros z. rewrite <- sumR_plus. apply sumR_le. intros pi _.
    assert (Hu := ind_range (fun pi => A pi /\ chance pi * truth_at r pi <= seen r pi) pi).
    assert (Hk := k_nonneg (first z) pi). unfold up_at. set (e := ind _ pi) in *. set (K := k (first z) pi) in *.
    unfold more, swap. cbn [fst snd]. assert (Ha := g_range pi (fst (snd z))). assert (Hb := g_range pi (fst (snd (snd z)))).
    set (u := g pi (fst (snd z))) in *. set (v := g pi (fst (snd (snd z)))) in *.
    apply Rle_trans with ((e * K) * Rabs (u - v)).
    + right. unfold Rmax, Rabs. destruct (Rle_dec 0 (u - v)), (Rle_dec 0 (v - u)), (Rcase_abs (u - v)); try lra; try ring;
        replace v with u by lra; ring.
    + replace (e * (K * u + (K * 1 * v + -2 * (K * u * v)))) with ((e * K) * (u + v - 2 * u * v)) by ring.
      apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. unfold Rabs. destruct (Rcase_abs (u - v)); nra.
  - rewrite mean_sum. unfold shift_at. replace (sumR outcomes (fun pi => ind A pi * chance pi) / 2 +
      sumR outcomes (fun pi => up_at r pi * (seen r pi - chance pi * truth_at r pi)) / 2) with
      (sumR outcomes (fun pi => / 2 * (ind A pi * chance pi) + / 2 * (up_at r pi * (seen r pi - chance pi * truth_at r pi))))
      by (rewrite sumR_plus, !sumR_scal; field).
    apply sumR_le. intros pi _.
    rewrite mean_scal, mean_plus, mean_plus, mean_scal, twice_seen, (twice_truth r pi (fun _ => 1) Hr), (twice_truth r pi (g pi) Hr).
    assert (E : at_place r (fun s x t => k (s ++ x :: t) pi * 1) = chance pi).
    { unfold Cvar.chance. rewrite <- (at_place_all Ds r (fun S => k S pi) Hr). unfold at_place.
      apply mean_ext. intros s. apply mean_ext. intros x. apply mean_ext. intros t. ring. }
    rewrite E. change (at_place r (fun s x t => k (s ++ x :: t) pi * g pi x)) with (seen r pi).
    assert (Hp := truth_range r pi). assert (HK := chance_nonneg pi). assert (Ha := seen_range r pi Hr).
    unfold up_at, ind. destruct (ClassicalDescription.excluded_middle_informative (A pi /\ _)) as [[HA Hge]|Hno].
    + destruct (ClassicalDescription.excluded_middle_informative (A pi)); [|tauto].
      generalize (scalar (chance pi) (seen r pi) (truth_at r pi) Hp HK Hge (proj2 Ha)). lra.
    + destruct (ClassicalDescription.excluded_middle_informative (A pi)); lra.
Qed.

Lemma VW_range r : 0 <= V_at r /\ 0 <= W_at r.
Proof.
  assert (Hpos : forall z pi, 0 <= up_at r pi * more pi z).
  { intros z pi. apply Rmult_le_pos; [apply ind_range|apply more_range]. }
  split; apply mean_nonneg; intros z; apply sumR_nonneg; intros pi _; apply Rmult_le_pos; auto.
Qed.

Lemma shift_nonneg r : 0 <= shift_at r.
Proof.
  apply sumR_nonneg. intros pi _. unfold up_at, ind.
  destruct (ClassicalDescription.excluded_middle_informative _) as [[_ H]|H]; lra.
Qed.

End Shift.

(* s(b) is at most sigma: no larger s is admissible. *)
Definition admissible (b s : R) : Prop := region (b * (1 + 3 * s) / 4) (b * (1 - s) / 4).

(* A point of the region whose difference is x, and whose sum is at most half of b' + x: the segment to its mirror image. *)
Lemma segment (b b' sigma V W x : R) : 0 < b < b' -> b' <= 1 -> (forall s, 0 <= s <= 1 -> admissible b s -> s <= sigma) ->
  region V W -> V - W = x -> V + W <= b' / 2 + x / 2 -> 0 <= V -> 0 <= W -> 0 <= x -> x <= sigma * b'.
Proof.
  intros Hb Hb1 Hs Hreg Hdiff Hsum HV HW Hx0.
  assert (Hxb : x <= b') by lra.
  (* the segment to the mirror image *)
  assert (Hadm : admissible b' (x / b')).
  { unfold admissible. replace (b' * (1 + 3 * (x / b')) / 4) with ((b' / 2 + x / 2 + x) / 2) by (field; lra).
    replace (b' * (1 - x / b') / 4) with ((b' / 2 + x / 2 - x) / 2) by (field; lra).
    set (y := b' / 2 + x / 2) in *. assert (Hm := mirrored lines envelope V W ltac:(unfold y in *; lra) ltac:(unfold y in *; lra) Hreg).
    destruct (Req_dec (V + W) 1) as [E1|E1].
    - assert (y = 1) by (unfold y in *; lra). replace ((y + x) / 2) with V by lra. replace ((y - x) / 2) with W by lra. exact Hreg.
    - assert (Hlt : V + W < 1) by (unfold y in *; lra).
      set (u := (2 - (V + W) - y) / (2 - 2 * (V + W))).
      assert (Hu : 0 <= u <= 1).
      { unfold u. split.
        - apply Rmult_le_pos; [unfold y; lra|left; apply Rinv_0_lt_compat; lra].
        - apply Rcomplements.Rle_div_l; lra. }
      assert (Hmix := region_mix u V W (1 - W) (1 - V) Hu Hreg Hm).
      replace ((y + x) / 2) with (u * V + (1 - u) * (1 - W)); [replace ((y - x) / 2) with (u * W + (1 - u) * (1 - V)); [exact Hmix|]|];
        rewrite <- Hdiff; unfold u; field; lra. }
  assert (Hadm' : admissible b (x / b')).
  { unfold admissible in *. set (s := x / b') in *.
    assert (Hmix := region_mix (b / b') _ _ _ _ ltac:(split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|
      apply Rcomplements.Rle_div_l; lra]) Hadm (zero_in lines envelope)).
    replace (b * (1 + 3 * s) / 4) with (b / b' * (b' * (1 + 3 * s) / 4) + (1 - b / b') * 0) by (field; lra).
    replace (b * (1 - s) / 4) with (b / b' * (b' * (1 - s) / 4) + (1 - b / b') * 0) by (field; lra). exact Hmix. }
  assert (Hs' : x / b' <= sigma).
  { apply Hs; auto. split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
    apply Rcomplements.Rle_div_l; lra. }
  replace x with (x / b' * b') by (field; lra). apply Rmult_le_compat_r; lra.
Qed.

(* The same of means over the rows. *)
Lemma averaged (b b' sigma : R) (V W x : place X -> R) : 0 < b < b' -> b' <= 1 ->
  (forall s, 0 <= s <= 1 -> admissible b s -> s <= sigma) ->
  (forall r, In r (places nil Ds) -> region (V r) (W r) /\ V r - W r = x r /\ V r + W r <= b' / 2 + x r / 2 /\
    0 <= V r /\ 0 <= W r /\ 0 <= x r) ->
  sumR (places nil Ds) x / Tails.n Ds <= sigma * b'.
Proof.
  intros Hb Hb1 Hs Hr. assert (Hn := n_pos Ds some_rows). set (n := Tails.n Ds) in *. set (rs := places nil Ds) in *.
  assert (Hlen : INR (length rs) = n) by (unfold rs; rewrite places_length; reflexivity).
  assert (Hle : forall h1 h2, (forall r, In r rs -> h1 r <= h2 r) -> sumR rs h1 / n <= sumR rs h2 / n).
  { intros h1 h2 H. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. now apply sumR_le. }
  assert (Hpos : forall h, (forall r, In r rs -> 0 <= h r) -> 0 <= sumR rs h / n).
  { intros h H. apply Rmult_le_pos; [now apply sumR_nonneg|left; now apply Rinv_0_lt_compat]. }
  apply (segment b b' sigma (sumR rs V / n) (sumR rs W / n)); auto; try (apply Hpos; intros r Hi; now apply Hr).
  - intros a c Hl. apply Rle_trans with (sumR rs (fun r => a * W r + c) / n).
    + apply Hle. intros r Hi. now apply (proj1 (Hr r Hi)).
    + rewrite sumR_plus, sumR_scal, sumR_const, Hlen. right. field. lra.
  - rewrite (sumR_ext rs x (fun r => V r + (-1) * W r)).
    + rewrite sumR_plus, sumR_scal. field. lra.
    + intros r Hi. generalize (proj1 (proj2 (Hr r Hi))). lra.
  - apply Rle_trans with (sumR rs (fun r => b' / 2 + / 2 * x r) / n).
    + replace (sumR rs V / n + sumR rs W / n) with (sumR rs (fun r => V r + W r) / n) by (rewrite sumR_plus; field; lra).
      apply Hle. intros r Hi. generalize (proj1 (proj2 (proj2 (Hr r Hi)))). lra.
    + rewrite sumR_plus, sumR_scal, sumR_const, Hlen. right. field. lra.
Qed.

Theorem envelope_shift (b sigma : R) : 0 < b <= 1 -> (forall s, 0 <= s <= 1 -> admissible b s -> s <= sigma) ->
  shifts_by outcomes Ds k b sigma.
Proof.
  intros Hb Hs f A HA. assert (Hn := n_pos Ds some_rows). set (n := Tails.n Ds) in *.
  set (b' := probability outcomes Ds k A) in *.
  set (rs := places nil Ds). assert (Hex : forall r, In r rs -> exchanges (fst (snd r))).
  { intros r Hr. apply draws. rewrite <- (places_all Ds nil r Hr : _ = Ds). apply in_or_app. right. simpl. auto. }
  assert (Eb : sumR outcomes (fun pi => ind A pi * chance pi) = b').
  { unfold b', probability, joint, Cvar.chance. rewrite mean_sum. apply sumR_ext. intros pi _. rewrite mean_scal_r. ring. }
  assert (Hb1 : b' <= 1).
  { rewrite <- Eb. apply Rle_trans with (sumR outcomes chance).
    - apply sumR_le. intros pi _. generalize (ind_range A pi) (chance_nonneg pi). nra.
    - unfold Cvar.chance. rewrite <- mean_sum. rewrite (mean_ext _ _ (fun _ => 1)); [rewrite mean_one; lra|apply k_total]. }
  set (x := sumR rs (shift_at f A) / n).
  assert (Hle : forall h1 h2, (forall r, In r rs -> h1 r <= h2 r) -> sumR rs h1 / n <= sumR rs h2 / n).
  { intros h1 h2 H. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. now apply sumR_le. }
  assert (Hxs : x <= sigma * b').
  { apply (averaged b b' sigma (V_at f A) (W_at f A)); auto; [lra|]. intros r Hr. split; [apply VW_region|].
    split; [now apply V_minus_W; auto|]. split; [rewrite <- Eb; now apply V_plus_W; auto|].
    destruct (VW_range f A r). split; [|split]; [assumption|assumption|apply shift_nonneg]. }
  eapply Rle_trans; [|exact Hxs].
  (* the event shifts the mean by no more than x *)
  apply Rle_trans with (sumR rs (fun r => sumR outcomes (fun pi => ind A pi *
    (seen f r pi - chance pi * truth_at f r pi))) / n).
  - right. rewrite sumR_swap. unfold average, joint. rewrite mean_sum. unfold Rdiv. rewrite Rmult_comm, <- sumR_scal.
    apply sumR_ext. intros pi _.
    rewrite (mean_ext _ _ (fun S => (ind A pi * / n) * (k S pi * sumR S (fn (f pi)) +
      (- sumR Ds (fun D => D (fn (f pi)))) * k S pi))).
    2:{ intros S. unfold emp, pop. fold n. field. lra. }
    assert (Es : prodE Ds (fun S => k S pi * sumR S (fn (f pi))) = sumR rs (fun r => seen f r pi))
      by apply (sum_at_places Ds nil (fun S => k S pi) (fn (f pi))).
    rewrite mean_scal, mean_plus, mean_scal, Es, sumR_scal.
    rewrite (sumR_ext rs (fun r => seen f r pi - chance pi * truth_at f r pi)
      (fun r => seen f r pi + (- chance pi) * truth_at f r pi)) by (intros; ring).
    rewrite sumR_plus, sumR_scal. unfold truth_at, rs. rewrite (places_laws Ds nil (fun D => D (fn (f pi)))).
    unfold seen, Cvar.chance. ring.
  - unfold x. apply Hle. intros r _. apply sumR_le. intros pi _. unfold up_at, ind.
    destruct (ClassicalDescription.excluded_middle_informative (A pi)),
      (ClassicalDescription.excluded_middle_informative (A pi /\ _)) as [[_ H]|H]; try lra; try tauto.
    assert (~ chance pi * truth_at f r pi <= seen f r pi) by tauto. lra.
Qed.

End Envelope.

(* (b): the promise. *)
Theorem cvar_envelope {X Pi : Type} (outcomes : list Pi) (Ds : list (law X)) (k : kernel X Pi) (lines : R -> R -> Prop)
  (answers : Pi -> list (query X * R)) (M : list X -> Pi -> R) (b q t sigma : R) :
  Ds <> nil -> (forall D, In D Ds -> exchanges D) ->
  (forall S pi, 0 <= k S pi) -> (forall S, sumR outcomes (k S) = 1) ->
  symmetric lines -> has_envelope outcomes k lines ->
  (forall S pi f a, In (f, a) (answers pi) -> Rabs (a - emp Ds f S) <= M S pi) ->
  0 < b <= 1 -> (forall s, 0 <= s <= 1 -> admissible lines b s -> s <= sigma) ->
  t > q + average outcomes Ds k (fun S pi => Rmax 0 (M S pi - q)) / b + sigma ->
  probability outcomes Ds k (off Ds answers t) <= b.
Proof.
  intros Hd He Hk Ht Hm Hl HM Hb Hs. apply cvar_of_shift with (M := M); auto.
  apply (envelope_shift outcomes Ds Hd He k Hk Ht lines); auto.
Qed.

(* (eps,delta)-privacy: the three lines of its envelope, and the bound in full. *)
Definition approximate (eps delta a b : R) : Prop :=
  a = 0 /\ b = 1 \/ a = exp eps /\ b = delta \/ a = exp (- eps) /\ b = 1 - exp (- eps) * (1 - delta).

Lemma approximate_mirror eps delta v w : 0 <= v <= 1 -> 0 <= w <= 1 ->
  below_lines (approximate eps delta) v w -> below_lines (approximate eps delta) (1 - w) (1 - v).
Proof.
  intros Hv Hw H a b [[-> ->]|[[-> ->]|[-> ->]]].
  - lra.
  - assert (H3 := H _ _ (or_intror (or_intror (conj eq_refl eq_refl)))).
    assert (E : exp eps * exp (- eps) = 1) by (rewrite <- exp_plus; replace (eps + - eps) with 0 by ring; apply exp_0).
    apply Rmult_le_compat_l with (r := exp eps) in H3; [|left; apply exp_pos].
    replace (exp eps * (exp (- eps) * w + (1 - exp (- eps) * (1 - delta)))) with
      (exp eps * exp (- eps) * (w - (1 - delta)) + exp eps) in H3 by ring. rewrite E in H3. lra.
  - assert (H2 := H _ _ (or_intror (or_introl (conj eq_refl eq_refl)))).
    assert (E : exp eps * exp (- eps) = 1) by (rewrite <- exp_plus; replace (eps + - eps) with 0 by ring; apply exp_0).
    apply Rmult_le_compat_l with (r := exp (- eps)) in H2; [|left; apply exp_pos].
    replace (exp (- eps) * (exp eps * w + delta)) with (exp eps * exp (- eps) * w + exp (- eps) * delta) in H2 by ring.
    rewrite E in H2. lra.
Qed.

Theorem approximate_symmetric eps delta : 0 <= eps -> 0 <= delta -> symmetric (approximate eps delta).
Proof.
  intros He Hd. split; [|apply approximate_mirror]. assert (Hp := exp_pos (- eps)).
  assert (exp (- eps) <= 1) by (rewrite <- exp_0; apply exp_le; lra).
  intros a c [[-> ->]|[[-> ->]|[-> ->]]]; [lra|lra|nra].
Qed.

(* What is admissible is at most (e^eps - 1 + 4 delta/b)/(e^eps + 3). *)
Theorem approximate_admissible eps delta b s : 0 < b -> admissible (approximate eps delta) b s ->
  s <= (exp eps - 1 + 4 * delta / b) / (exp eps + 3).
Proof.
  intros Hb H. assert (H2 := H _ _ (or_intror (or_introl (conj eq_refl eq_refl)))). assert (He := exp_pos eps).
  apply Rmult_le_reg_r with (b * (exp eps + 3)); [apply Rmult_lt_0_compat; lra|].
  replace ((exp eps - 1 + 4 * delta / b) / (exp eps + 3) * (b * (exp eps + 3))) with (b * (exp eps - 1) + 4 * delta)
    by (field; lra). lra.
Qed.
