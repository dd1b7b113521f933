(* docs/theorems/transfer.md, "CVaR transfer" (c): sensitive queries, and minimisation. One record changes a value by at most
   D/n; the values themselves have no bound. Records have any laws; transcripts are finitely many. *)

From Coq Require Import Reals Lra Lia List Psatz ClassicalChoice.
From dpcalc Require Import Tree Count Gate Tails Weights Cvar.
Import ListNotations.
Open Scope R_scope.

(* A change of one of n records changes the value by at most d. *)
Definition sensitive {X : Type} (n : nat) (d : R) (q : list X -> R) : Prop :=
  forall s x y t, (length s + S (length t) = n)%nat -> q (s ++ x :: t) <= q (s ++ y :: t) + d.

(* The hybrids: the mean over the later records of a sensitive function of the sample. *)
Lemma shift_sensitive {X Pi : Type} (outcomes : list Pi) (eps d : R) (Ds : list (law X)) (k : kernel X Pi)
  (h : Pi -> list X -> R) (event : Pi -> R) : 0 <= eps -> 0 <= d -> private eps k ->
  (forall pi, sensitive (length Ds) d (h pi)) -> (forall pi, 0 <= event pi) ->
  joint outcomes Ds k (fun S pi => event pi * (h pi S - prodE Ds (h pi) - INR (length Ds) * (d * theta eps))) <= 0.
Proof.
  intros He Hd Hk Hh Hev. revert k h Hk Hh. induction Ds as [|D Ds IH]; intros k h Hk Hh; unfold joint.
  - simpl. rewrite (sumR_ext outcomes _ (fun _ => 0)); [rewrite sumR_const; lra|]. intros pi _. ring.
  - set (phi := fun pi x => prodE Ds (fun S => h pi (x :: S))).
    set (L := fun pi x => prodE Ds (fun S => k (x :: S) pi)).
    set (rest := fun x S pi => event pi * (h pi (x :: S) - phi pi x - INR (length Ds) * (d * theta eps))).
    apply Rle_trans with
      (D (fun x => joint outcomes Ds (fun S => k (x :: S)) (rest x)) +
       D (fun x => sumR outcomes (fun pi => event pi * (L pi x * (phi pi x - D (phi pi) - d * theta eps))))).
    + right. change (prodE (D :: Ds)) with (cons_law D (prodE Ds)). cbn [mean cons_law].
      rewrite <- mean_plus. apply mean_ext. intros x. unfold joint.
      rewrite (sumR_ext outcomes (fun pi => event pi * (L pi x * (phi pi x - D (phi pi) - d * theta eps)))
         (fun pi => prodE Ds (fun S => event pi * (phi pi x - D (phi pi) - d * theta eps) * k (x :: S) pi))).
      2:{ intros pi _. unfold L. rewrite mean_scal. ring. }
      rewrite <- mean_sum, <- mean_plus. apply mean_ext. intros S. rewrite <- sumR_plus.
      apply sumR_ext. intros pi _. unfold rest. cbn [length]. rewrite S_INR. unfold phi. ring.
    + assert (H1 : D (fun x => joint outcomes Ds (fun S => k (x :: S)) (rest x)) <= 0).
      { rewrite <- (mean_const D 0). apply mean_mono. intros x.
        apply (IH (fun S => k (x :: S)) (fun pi S => h pi (x :: S)) (private_cons eps k x Hk)).
        intros pi s y z t Hst. apply (Hh pi (x :: s)). simpl. now rewrite <- Hst. }
      assert (H2 : D (fun x => sumR outcomes (fun pi => event pi * (L pi x * (phi pi x - D (phi pi) - d * theta eps)))) <= 0); [|lra].
      rewrite mean_sum. replace 0 with (sumR outcomes (fun _ => 0)) by (rewrite sumR_const; lra).
      apply sumR_le. intros pi _. rewrite mean_scal.
      assert (HT : D (fun x => L pi x * phi pi x) <= (D (phi pi) + d * theta eps) * D (L pi)).
      { apply tilt_range; auto.
        - intros x. apply mean_nonneg. intros; apply Hk.
        - intros x y. unfold L. rewrite <- mean_scal. apply mean_mono. intros S. apply (proj2 Hk nil x y S pi).
        - intros x y. unfold phi. rewrite <- (mean_const (prodE Ds) d), <- mean_plus. apply prodE_mono.
          intros S HS. apply (Hh pi nil). simpl. now rewrite HS. }
      rewrite (mean_ext D _ (fun x => L pi x * phi pi x + (- (D (phi pi) + d * theta eps)) * L pi x)) by (intros; ring).
      rewrite mean_plus, mean_scal. generalize (Hev pi). nra.
Qed.

Section Sensitive.
Context {X Pi : Type}.
Variable outcomes : list Pi.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Variable k : kernel X Pi.
Hypothesis k_nonneg : forall S pi, 0 <= k S pi.
Notation n := (Tails.n Ds).
Notation probability := (probability outcomes Ds k).
Notation average := (average outcomes Ds k).

(* The mean of a function of the sample, over fresh samples. *)
Definition fresh (q : list X -> R) : R := prodE Ds q.

(* What is left to show: an event that is likelier than b shifts the mean of a D/n-sensitive function by at most D sigma. *)
Definition shifts_sensitive (b sigma : R) : Prop := forall (h : Pi -> list X -> R) (A : Pi -> Prop) (D : R), 0 <= D ->
  (forall pi, sensitive (length Ds) (D / n) (h pi)) -> b < probability A ->
  average (fun S pi => ind A pi * (h pi S - fresh (h pi))) <= D * sigma * probability A.

(* (a) *)
Theorem pure_shift (eps b : R) : 0 <= eps -> private eps k -> shifts_sensitive b (theta eps).
Proof.
  intros He Hk h A D HD Hh _. assert (Hn := n_pos Ds some_rows).
  assert (Hd : 0 <= D / n) by (apply Rmult_le_pos; [auto|left; now apply Rinv_0_lt_compat]).
  assert (HS := shift_sensitive outcomes eps (D / n) Ds k h (ind A) He Hd Hk Hh).
  assert (Hev : forall pi, 0 <= ind A pi).
  { intros pi. decide_ind. }
  specialize (HS Hev). fold n in HS.
  apply Rle_trans with (average (fun S pi => ind A pi * (h pi S - prodE Ds (h pi) - n * (D / n * theta eps)) +
    D * theta eps * ind A pi)).
  - apply joint_le; auto. intros S pi _. right. unfold fresh. field. lra.
  - rewrite joint_plus, joint_scal. change (average (fun _ pi => ind A pi)) with (probability A).
    change (average (fun S pi => ind A pi * (h pi S - prodE Ds (h pi) - n * (D / n * theta eps)))) with
      (joint outcomes Ds k (fun S pi => ind A pi * (h pi S - prodE Ds (h pi) - n * (D / n * theta eps)))). lra.
Qed.

Variable M : list X -> Pi -> R.
Variables b q t sigma D : R.
Hypothesis b_range : 0 < b <= 1.
Hypothesis D_nonneg : 0 <= D.
Hypothesis shifts : shifts_sensitive b sigma.

Lemma opposite m d (f : list X -> R) : sensitive m d f -> sensitive m d (fun S => - f S).
Proof. intros H s x y r Hl. specialize (H s y x r Hl). lra. Qed.

(* Queries: some answer is off by t or more. *)
Section Queries.
Variable answers : Pi -> list ((list X -> R) * R).
Hypothesis queries : forall pi f a, In (f, a) (answers pi) -> sensitive (length Ds) (D / n) f.
Hypothesis M_bounds : forall S pi f a, length S = length Ds -> In (f, a) (answers pi) -> Rabs (a - f S) <= M S pi.

Theorem cvar_sensitive : t > q + average (fun S pi => Rmax 0 (M S pi - q)) / b + D * sigma ->
  probability (fun pi => exists f a, In (f, a) (answers pi) /\ Rabs (a - fresh f) >= t) <= b.
Proof.
  set (off := fun pi => exists f a, In (f, a) (answers pi) /\ Rabs (a - fresh f) >= t). assert (Hn := n_pos Ds some_rows).
  assert (H : forall pi, exists h : list X -> R, sensitive (length Ds) (D / n) h /\
    (off pi -> forall S, length S = length Ds -> t <= M S pi + (h S - fresh h))).
  { intros pi. destruct (Classical_Prop.classic (off pi)) as [(f & a & Hin & Ho)|H].
    - destruct (Rle_dec 0 (a - fresh f)) as [Hs|Hs].
      + exists f. split; [eauto|]. intros _ S HS. rewrite Rabs_pos_eq in Ho by lra.
        generalize (M_bounds S pi f a HS Hin) (Rle_abs (a - f S)). lra.
      + exists (fun S => - f S). split; [apply opposite; eauto|]. intros _ S HS. rewrite Rabs_left in Ho by lra.
        assert (E : fresh (fun S => - f S) = - fresh f).
        { unfold fresh. rewrite (mean_ext _ _ (fun S => (-1) * f S)) by (intros; ring). rewrite mean_scal. ring. }
        rewrite E. generalize (M_bounds S pi f a HS Hin) (Rle_abs (- (a - f S))). rewrite Rabs_Ropp. lra.
    - exists (fun _ => 0). split; [|tauto]. intros s x y r _.
      assert (0 <= D / n) by (apply Rmult_le_pos; [auto|left; now apply Rinv_0_lt_compat]). lra. }
  apply choice in H. destruct H as [h Hh]. intros Ht.
  apply (likely_event outcomes Ds k k_nonneg M off (fun S pi => h pi S - fresh (h pi)) b q t (D * sigma)); auto.
  - intros Hb. apply shifts; auto. intros pi. apply Hh.
  - intros S pi HS Ho. now apply (proj2 (Hh pi)).
Qed.

End Queries.

(* Minimisation: an answer is a loss of Theta and of the sample, its least value on each sample, and the point that is chosen. *)
Section Minimisation.
Context {Theta : Type}.
Definition least (v : Theta -> R) (m : R) : Prop := (forall c, m <= v c) /\ forall l, (forall c, l <= v c) -> l <= m.
Variable answers : Pi -> list ((Theta -> list X -> R) * (list X -> R) * Theta).
Hypothesis losses : forall pi L l c, In (L, l, c) (answers pi) ->
  (forall c, sensitive (length Ds) (D / n) (L c)) /\ forall S, least (fun c => L c S) (l S).
Hypothesis M_bounds : forall S pi L l c, length S = length Ds -> In (L, l, c) (answers pi) -> L c S - l S <= M S pi.

Theorem cvar_minimisation : t > q + average (fun S pi => Rmax 0 (M S pi - q)) / b + 2 * D * sigma ->
  probability (fun pi => exists L l c m, In (L, l, c) (answers pi) /\ least (fun c => fresh (L c)) m /\
    fresh (L c) - m >= t) <= b.
Proof.
  set (off := fun pi => exists L l c m, In (L, l, c) (answers pi) /\ least (fun c => fresh (L c)) m /\ fresh (L c) - m >= t).
  assert (Hn := n_pos Ds some_rows).
  assert (H : forall pi, exists h : list X -> R, sensitive (length Ds) (2 * D / n) h /\
    (off pi -> forall S, length S = length Ds -> t <= M S pi + (h S - fresh h))).
  { intros pi. destruct (Classical_Prop.classic (off pi)) as [(L & l & c & m & Hin & Hm & Ho)|H].
    - destruct (losses pi L l c Hin) as [HL Hl]. exists (fun S => l S - L c S). split.
      + intros s x y r Hs.
        assert (H1 : l (s ++ x :: r) - D / n <= l (s ++ y :: r)).
        { apply (proj2 (Hl (s ++ y :: r))). intros c'. generalize (proj1 (Hl (s ++ x :: r)) c') (HL c' s x y r Hs). lra. }
        replace (2 * D / n) with (D / n + D / n) by (field; lra). specialize (HL c s y x r Hs). lra.
      + intros _ S HS.
        assert (E : fresh (fun S => l S - L c S) = fresh l - fresh (L c)).
        { unfold fresh. rewrite (mean_ext _ _ (fun S => l S + (-1) * L c S)) by (intros; ring).
          rewrite mean_plus, mean_scal. ring. }
        assert (H2 : fresh l <= m).
        { apply (proj2 Hm). intros c'. apply mean_mono. intros S'. apply (proj1 (Hl S')). }
        rewrite E. generalize (M_bounds S pi L l c HS Hin). lra.
    - exists (fun _ => 0). split; [|tauto]. intros s x y r _.
      assert (0 <= 2 * D / n) by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]). lra. }
  apply choice in H. destruct H as [h Hh]. intros Ht.
  apply (likely_event outcomes Ds k k_nonneg M off (fun S pi => h pi S - fresh (h pi)) b q t (2 * D * sigma)); auto.
  - intros Hb. apply shifts; [lra| |auto]. intros pi. apply Hh.
  - intros S pi HS Ho. now apply (proj2 (Hh pi)).
Qed.

End Minimisation.
End Sensitive.
