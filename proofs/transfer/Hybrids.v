(* docs/theorems/transfer.md, "CVaR transfer" (c) with (b): sensitive queries, and minimisation, of transcripts with an
   envelope. Records have laws of finite support or any others that can be exchanged with each law; transcripts are
   finitely many.

   One record at a time is drawn afresh. The records before it and the fresh ones after it are a hybrid, given which the
   argument for linear queries applies to what is left of the sample. *)

From Coq Require Import Reals Lra Lia List Psatz ClassicalChoice.
From dpcalc Require Import Tree Count Gate Tails Weights Cvar Envelope Sensitive.
Import ListNotations.
Open Scope R_scope.

(* A draw can be exchanged with any other that is independent of it. *)
Definition swaps {X : Type} (D : law X) : Prop := forall (Y : Type) (E : law Y) (F : X -> Y -> R),
  D (fun x => E (fun y => F x y)) = E (fun y => D (fun x => F x y)).

Lemma finite_swaps {X} (l : list (X * R)) nonneg total : swaps (finite_law l nonneg total).
Proof.
  intros Y E F. simpl. rewrite mean_sum. apply sumR_ext. intros a _. now rewrite mean_scal.
Qed.

Lemma swaps_exchanges {X} (D : law X) : swaps D -> exchanges D.
Proof. intros H g. rewrite (H X D g). reflexivity. Qed.

Section Hybrids.
Context {X Pi : Type}.
Variable outcomes : list Pi.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Hypothesis draws : forall D, In D Ds -> swaps D.
Variable k : kernel X Pi.
Hypothesis k_nonneg : forall S pi, 0 <= k S pi.
Hypothesis k_total : forall S, sumR outcomes (k S) = 1.
Variable lines : R -> R -> Prop.
Hypothesis envelope : symmetric lines.
Hypothesis enveloped : has_envelope outcomes k lines.

(* The records before a place and the fresh ones after it. *)
Definition hybrid (r : place X) : law (list X * list X) := pair_law (prodE (fst r)) (prodE (snd (snd r))).

(* What is left of the sample given the records before. *)
Definition left (s : list X) : kernel X Pi := fun S => k (s ++ S).
Definition here (r : place X) : place X := (nil, snd r).
Definition rest (r : place X) : list (law X) := fst (snd r) :: snd (snd r).

Section Telescope.
Variable h : Pi -> list X -> R.
Variable e : Pi -> R.
Definition deviation (r : place X) (z : list X * list X) (pi : Pi) : R :=
  fst (snd r) (fun x => prodE (snd (snd r)) (fun t => k (fst z ++ x :: t) pi) * h pi (fst z ++ x :: snd z)) -
  fst (snd r) (fun x => prodE (snd (snd r)) (fun t => k (fst z ++ x :: t) pi)) * fst (snd r) (fun x => h pi (fst z ++
    x :: snd z)).

Lemma telescope L : forall L1, (forall D, In D L -> swaps D) ->
  prodE L1 (fun s => sumR outcomes (fun pi => e pi *
    (prodE L (fun S => k (s ++ S) pi * h pi (s ++ S)) -
     prodE L (fun S => k (s ++ S) pi) * prodE L (fun S => h pi (s ++ S))))) =
  sumR (places L1 L) (fun r => hybrid r (fun z => sumR outcomes (fun pi => e pi * deviation r z pi))).
Proof.
  induction L as [|D L IH]; intros L1 HL.
  - simpl. rewrite (mean_ext _ _ (fun _ => 0)); [apply mean_const|]. intros s.
    rewrite (sumR_ext _ _ (fun _ => 0)); [rewrite sumR_const; ring|]. intros pi _. ring.
  - assert (HD : swaps D) by (apply HL; simpl; auto). cbn [places sumR].
    rewrite <- (IH (L1 ++ [D])) by (intros; apply HL; simpl; auto). rewrite prodE_app.
    unfold hybrid. cbn [pair_law mean fst snd]. rewrite <- mean_plus. apply mean_ext. intros s.
    change (prodE [D]) with (cons_law D (point nil)). cbn [cons_law mean point].
    rewrite mean_sum, mean_sum, <- sumR_plus. apply sumR_ext. intros pi _.
    rewrite !mean_scal, <- Rmult_plus_distr_l. f_equal.
    change (prodE (D :: L)) with (cons_law D (prodE L)). cbn [cons_law mean].
    set (K := fun x => prodE L (fun t => k (s ++ x :: t) pi)).
    set (P := fun x => prodE L (fun t => k (s ++ x :: t) pi * h pi (s ++ x :: t))).
    set (Hx := fun x => prodE L (fun t => h pi (s ++ x :: t))).
    assert (E1 : D (fun x => prodE L (fun S => k ((s ++ [x]) ++ S) pi * h pi ((s ++ [x]) ++ S)) -
      prodE L (fun S => k ((s ++ [x]) ++ S) pi) * prodE L (fun S => h pi ((s ++ [x]) ++ S))) =
      D P + (-1) * D (fun x => K x * Hx x)).
    { rewrite <- mean_scal, <- mean_plus. apply mean_ext. intros x. unfold P, K, Hx.
      rewrite (mean_ext (prodE L) (fun S => k ((s ++ [x]) ++ S) pi * h pi ((s ++ [x]) ++ S))
        (fun t => k (s ++ x :: t) pi * h pi (s ++ x :: t))) by (intros; now rewrite <- app_assoc).
      rewrite (mean_ext (prodE L) (fun S => k ((s ++ [x]) ++ S) pi) (fun t => k (s ++ x :: t) pi)) by
        (intros; now rewrite <- app_assoc).
      rewrite (mean_ext (prodE L) (fun S => h pi ((s ++ [x]) ++ S)) (fun t => h pi (s ++ x :: t))) by
        (intros; now rewrite <- app_assoc). ring. }
    rewrite E1.
    assert (E2 : prodE L (fun t => deviation (L1, (D, L)) (s, t) pi) = D (fun x => K x * Hx x) - D K * D Hx).
    { unfold deviation. cbn [fst snd].
      rewrite (mean_ext (prodE L) _ (fun t => D (fun x => K x * h pi (s ++ x :: t)) + - D K * D (fun x => h pi (s
        ++ x :: t)))) by
        (intros; unfold K; ring).
      rewrite mean_plus, mean_scal, <- (HD (list X) (prodE L) (fun x t => K x * h pi (s ++ x :: t))),
        <- (HD (list X) (prodE L) (fun x t => h pi (s ++ x :: t))).
      rewrite (mean_ext D (fun x => prodE L (fun t => K x * h pi (s ++ x :: t))) (fun x => K x * Hx x)) by
        (intros; unfold Hx; now rewrite mean_scal).
      change (fun x => prodE L (fun y => h pi (s ++ x :: y))) with Hx. ring. }
    change (fun b => deviation (L1, (D, L)) (s, b) pi) with (fun t => deviation (L1, (D, L)) (s, t) pi). rewrite E2.
    change (fun x => prodE L (fun S => k (s ++ x :: S) pi * h pi (s ++ x :: S))) with P.
    change (fun x => prodE L (fun S => k (s ++ x :: S) pi)) with K.
    change (fun x => prodE L (fun S => h pi (s ++ x :: S))) with Hx. ring.
Qed.

End Telescope.

Lemma place_in r : In r (places nil Ds) -> In (here r) (places nil (rest r)).
Proof. intros _. destruct r as [L1 [D L2]]. simpl. auto. Qed.

Lemma place_parts r : In r (places nil Ds) -> fst r ++ rest r = Ds.
Proof. intros Hr. apply (places_all Ds nil r Hr). Qed.

Lemma left_nonneg s S pi : 0 <= left s S pi.
Proof. apply k_nonneg. Qed.

Lemma left_enveloped s : has_envelope outcomes (left s) lines.
Proof. intros s' x y t T HT. unfold left. rewrite !app_assoc. now apply enveloped. Qed.

(* (c) with (b). *)
Theorem envelope_shift_sensitive (b sigma : R) : 0 < b <= 1 -> (forall s, 0 <= s <= 1 -> admissible lines b s ->
  s <= sigma) ->
  shifts_sensitive outcomes Ds k b sigma.
Proof.
  intros Hb Hs h A D HD Hh HA. assert (Hn := n_pos Ds some_rows). set (n := Tails.n Ds) in *.
  set (b' := probability outcomes Ds k A) in *. set (d := D / n) in *.
  assert (Hd : 0 <= d) by (apply Rmult_le_pos; [auto|left; now apply Rinv_0_lt_compat]).
  (* The values at one place as a query. *)
  assert (Hex : forall w : Pi * (list X * list X), exists q : query X, exists lo,
    (length (fst (snd w)) + S (length (snd (snd w))) = length Ds)%nat ->
    forall x, h (fst w) (fst (snd w) ++ x :: snd (snd w)) = lo + d * fn q x).
  { intros [pi [s t]]. cbn [fst snd].
    destruct (Nat.eq_dec (length s + S (length t)) (length Ds)) as [Hl|Hl].
    2:{ assert (q : query X) by (exists (fun _ => 0); intros; lra). exists q, 0. tauto. }
    destruct Ds as [|D0 L0] eqn:EDs; [congruence|].
    destruct (lowest D0 (fun x => h pi (s ++ x :: t)) d) as [lo Hlo].
    { intros x y. apply (Hh pi s x y t Hl). }
    set (g := fun x => (h pi (s ++ x :: t) - lo) / d).
    assert (Hg : forall x, 0 <= g x <= 1 /\ h pi (s ++ x :: t) = lo + d * g x).
    { intros x. specialize (Hlo x). unfold g. destruct (Req_dec d 0) as [E|E].
      - replace (h pi (s ++ x :: t) - lo) with 0 by lra. unfold Rdiv. rewrite Rmult_0_l. lra.
      - split; [split|field; lra].
        + apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra].
        + apply Rcomplements.Rle_div_l; lra. }
    exists (exist (fun f : X -> R => forall x, 0 <= f x <= 1) g (fun x => proj1 (Hg x))), lo. intros _ x. apply Hg. }
  apply choice in Hex. destruct Hex as [qq Hqq].
  set (f := fun (z : list X * list X) (pi : Pi) => qq (pi, z)).
  set (rs := places nil Ds).
  assert (Hsw : forall r, In r rs -> swaps (fst (snd r))).
  { intros r Hr. apply draws. rewrite <- (places_all Ds nil r Hr : _ = Ds). apply in_or_app. right. simpl. auto. }
  set (VV := fun r z => V_at outcomes (rest r) (left (fst z)) (f z) A (here r)).
  set (WW := fun r z => W_at outcomes (rest r) (left (fst z)) (f z) A (here r)).
  set (SS := fun r z => shift_at outcomes (rest r) (left (fst z)) (f z) A (here r)).
  set (CC := fun r (z : list X * list X) => sumR outcomes (fun pi => ind A pi * Cvar.chance (rest r) (left
    (fst z)) pi)).
  assert (HC : forall r, In r rs -> hybrid r (CC r) = b').
  { intros r Hr. unfold b', probability, joint, CC, Cvar.chance, left. rewrite <- (place_parts r Hr), prodE_app.
    unfold hybrid. cbn [pair_law mean fst snd]. apply mean_ext. intros s. rewrite mean_const, mean_sum.
    apply sumR_ext. intros pi _. rewrite <- mean_scal. apply mean_ext. intros S. ring. }
  assert (Hexr : forall r, In r rs -> exchanges (fst (snd (here r)))).
  { intros r Hr. apply swaps_exchanges. exact (Hsw r Hr). }
  assert (Hb1 : b' <= 1).
  { unfold b', probability, joint. apply Rle_trans with (prodE Ds (fun _ => 1)); [|rewrite mean_const; lra].
    apply mean_mono. intros S. rewrite <- (k_total S). apply sumR_le. intros pi _.
    generalize (k_nonneg S pi) (ind_range A pi). nra. }
  set (x := sumR rs (fun r => hybrid r (SS r)) / n).
  assert (Hxs : x <= sigma * b').
  { apply (averaged Ds some_rows lines envelope b b' sigma (fun r => hybrid r (VV r)) (fun r => hybrid r (WW r)));
      auto; [lra|]. intros r Hr. split; [|split; [|split]].
    - intros a c Hl. rewrite <- (mean_const (hybrid r) c), <- mean_scal, <- mean_plus. apply mean_mono. intros z.
      apply (VW_region outcomes (rest r) (left (fst z)) lines (left_enveloped (fst z)) (f z) A (here r)). exact Hl.
    - replace (hybrid r (VV r) - hybrid r (WW r)) with (hybrid r (VV r) + (-1) * hybrid r (WW r)) by ring.
      rewrite <- mean_scal, <- mean_plus. apply mean_ext. intros z. unfold SS, VV, WW.
      rewrite <- (V_minus_W outcomes (rest r) (left (fst z)) (f z) A (here r) (place_in r Hr) (Hexr r Hr)). ring.
    - rewrite <- (HC r Hr). unfold Rdiv. rewrite (Rmult_comm (hybrid r (CC r))), (Rmult_comm (hybrid r (SS r))),
        <- !mean_scal, <- !mean_plus. apply mean_mono. intros z.
      assert (H := V_plus_W outcomes (rest r) (left (fst z)) (left_nonneg (fst z)) (f z) A (here r) (place_in r
        Hr) (Hexr r Hr)).
      unfold VV, WW, SS, CC. lra.
    - split; [|split]; apply mean_nonneg; intros z;
        [apply (VW_range outcomes (rest r) (left (fst z)) (left_nonneg (fst z)) (f z) A (here r))..|apply shift_nonneg]. }
  apply Rle_trans with (D * x); [|rewrite Rmult_assoc; now apply Rmult_le_compat_l].
  (* one record at a time *)
  assert (ET := telescope h (ind A) Ds nil draws). cbn [prodE point mean] in ET. simpl app in ET.
  apply Rle_trans with (sumR rs (fun r => hybrid r (fun z => sumR outcomes (fun pi => ind A pi * deviation h r z
    pi)))).
  { right. unfold rs. rewrite <- ET. unfold average, joint, fresh. rewrite mean_sum. apply sumR_ext. intros pi _.
    rewrite (mean_ext _ (fun S => k S pi * (ind A pi * (h pi S - prodE Ds (h pi))))
      (fun S => ind A pi * (k S pi * h pi S + (- prodE Ds (h pi)) * k S pi))) by (intros; ring).
    rewrite mean_scal, mean_plus, mean_scal. change (fun S => h pi S) with (h pi). ring. }
  replace (D * x) with (sumR rs (fun r => d * hybrid r (SS r))).
  2:{ rewrite sumR_scal. unfold x, d. field. lra. }
  apply sumR_le. intros r Hr. rewrite <- mean_scal.
  (* samples of the right length alone count *)
  unfold hybrid. cbn [pair_law mean]. apply prodE_mono. intros s Hsl. apply prodE_mono. intros t Htl.
  unfold SS, shift_at. rewrite <- sumR_scal. apply sumR_le. intros pi _. cbn [fst snd].
  assert (Hl : (length s + S (length t) = length Ds)%nat).
  { rewrite Hsl, Htl, <- (place_parts r Hr), app_length. reflexivity. }
  destruct (Hqq (pi, (s, t))) as [lo Hlo]. cbn [fst snd] in Hlo. specialize (Hlo Hl).
  set (Q := fn (qq (pi, (s, t)))) in *. destruct r as [L1 [D1 L2]]. cbn [fst snd] in *.
  assert (EK : Cvar.chance (rest (L1, (D1, L2))) (left s) pi = D1 (fun y => prodE L2 (fun t => k (s ++ y ::
    t) pi))) by reflexivity.
  assert (Esn : seen (left s) (f (s, t)) (here (L1, (D1, L2))) pi = D1 (fun y => prodE L2 (fun t => k (s ++ y ::
    t) pi) * Q y)).
  { unfold seen, at_place, here, left. cbn [fst snd prodE point mean]. simpl app. apply mean_ext. intros y.
    rewrite <- mean_scal_r. reflexivity. }
  assert (Etr : truth_at (f (s, t)) (here (L1, (D1, L2))) pi = D1 Q) by reflexivity.
  set (K := fun y => prodE L2 (fun t => k (s ++ y :: t) pi)) in *.
  assert (Edev : deviation h (L1, (D1, L2)) (s, t) pi = d * (D1 (fun y => K y * Q y) - D1 K * D1 Q)).
  { unfold deviation. cbn [fst snd]. fold K.
    rewrite (mean_ext D1 (fun y => h pi (s ++ y :: t)) (fun y => lo + d * Q y)) by (intros; apply Hlo).
    rewrite (mean_ext D1 (fun y => prodE L2 (fun t0 => k (s ++ y :: t0) pi) * h pi (s ++ y :: t)) (fun y => lo * K
      y + d * (K y * Q y)))
      by (intros; rewrite Hlo; unfold K; ring).
    rewrite !mean_plus, !mean_scal, mean_const. change (fun x => K x) with K. ring. }
  rewrite Edev. unfold up_at, ind. rewrite EK, Esn, Etr. fold K.
  change (fun y => prodE L2 (fun t => k (s ++ y :: t) pi) * Q y) with (fun y => K y * Q y).
  set (a := D1 (fun y => K y * Q y)). set (c := D1 K * D1 Q).
  destruct (ClassicalDescription.excluded_middle_informative (A pi)) as [HAp|HAp],
    (ClassicalDescription.excluded_middle_informative (A pi /\ c <= a)) as [[H1 H]|H].
  - right. ring.
  - destruct (Rle_dec c a) as [Hca|Hca]; [exfalso; apply H; split; auto|]. nra.
  - tauto.
  - right. ring.
Qed.

End Hybrids.
