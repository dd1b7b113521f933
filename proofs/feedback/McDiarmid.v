(* docs/theorems/theory.md, "hoeffding", and docs/theorems/feedback.md, "Tails": McDiarmid's inequality for functions of
   the sample that one of n records moves by at most D/n. The records have any laws. *)

From Coq Require Import Reals Lra Lia List Psatz.
From dpcalc Require Import Tree Count Gate Tails Weights Records Rows Sides Cvar Sensitive.
Import ListNotations.
Open Scope R_scope.

(* Hoeffding's lemma for a function whose values differ by at most d. *)
Lemma moment_of_range {X : Type} (D : law X) (phi : X -> R) (d l : R) : (forall x y, phi x <= phi y + d) ->
  D (fun x => exp (l * (phi x - D phi))) <= exp (l^2 * d^2 / 8).
Proof.
  intros Hphi. destruct (lowest D phi d Hphi) as [lo Hlo].
  set (f := fun x => (phi x - lo) / d).
  assert (Hf : forall x, 0 <= f x <= 1 /\ phi x = lo + d * f x).
  { intros x. specialize (Hlo x). unfold f. destruct (Req_dec d 0) as [E|E].
    - replace (phi x - lo) with 0 by lra. unfold Rdiv. rewrite Rmult_0_l. lra.
    - split; [split|field; lra].
      + apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra].
      + apply Rmult_le_reg_r with d; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (E1 : D phi = lo + d * D f).
  { rewrite (mean_ext D _ _ (fun x => proj2 (Hf x))), mean_plus, mean_const, mean_scal. reflexivity. }
  set (p := D f) in *. assert (Hp : 0 <= p <= 1).
  { unfold p. split; [apply mean_nonneg; intros; apply Hf|].
    rewrite <- (mean_one D). apply mean_mono. intros; apply Hf. }
  apply Rle_trans with (D (fun x => exp (- (l * d * p)) * (1 + f x * (exp (l * d) - 1)))).
  - apply mean_mono. intros x. rewrite (proj2 (Hf x)), E1.
    replace (l * (lo + d * f x - (lo + d * p))) with (- (l * d * p) + l * d * f x) by ring. rewrite exp_plus.
    apply Rmult_le_compat_l; [left; apply exp_pos|]. generalize (exp_chord (l * d) (f x) (proj1 (Hf x))). lra.
  - rewrite mean_scal, (mean_plus D (fun _ => 1)), mean_one, mean_scal_r. fold p.
    assert (H := bernoulli_mgf p (l * d) Hp).
    apply Rle_trans with (exp (- (l * d * p)) * exp (l * d * p + (l * d)^2 / 8)).
    + apply Rmult_le_compat_l; [left; apply exp_pos|lra].
    + rewrite <- exp_plus. apply exp_le. right. field.
Qed.

(* The exponential moment, record by record. *)
Lemma moment_of_sensitive {X : Type} (Ds : list (law X)) (h : list X -> R) (d l : R) : sensitive (length Ds) d h ->
  prodE Ds (fun S => exp (l * (h S - prodE Ds h))) <= exp (INR (length Ds) * (l^2 * d^2 / 8)).
Proof.
  revert h. induction Ds as [|D Ds IH]; intros h Hh.
  - simpl. rewrite Rmult_0_l. apply exp_le. lra.
  - set (phi := fun x => prodE Ds (fun S => h (x :: S))).
    change (prodE (D :: Ds) h) with (D phi).
    change (D (fun x => prodE Ds (fun S => exp (l * (h (x :: S) - D phi)))) <=
      exp (INR (length (D :: Ds)) * (l^2 * d^2 / 8))).
    cbn [length]. rewrite S_INR, Rmult_plus_distr_r, exp_plus, Rmult_1_l, Rmult_comm.
    apply Rle_trans with (D (fun x => exp (l * (phi x - D phi)) * exp (INR (length Ds) * (l^2 * d^2 / 8)))).
    + apply mean_mono. intros x.
      rewrite (mean_ext (prodE Ds) _ (fun S => exp (l * (phi x - D phi)) * exp (l * (h (x :: S) - phi x))))
        by (intros S; rewrite <- exp_plus; f_equal; ring).
      rewrite mean_scal. apply Rmult_le_compat_l; [left; apply exp_pos|]. apply (IH (fun S => h (x :: S))).
      intros s y z t Hst. apply (Hh (x :: s)). simpl. now rewrite <- Hst.
    + rewrite mean_scal_r. apply Rmult_le_compat_r; [left; apply exp_pos|]. apply moment_of_range.
      intros x y. unfold phi. rewrite <- (mean_const (prodE Ds) d), <- mean_plus. apply prodE_mono.
      intros S HS. apply (Hh nil). simpl. now rewrite HS.
Qed.

Section McDiarmid.
Context {X : Type}.
Variable Ds : list (law X).
Hypothesis some_rows : Ds <> nil.
Notation n := (Tails.n Ds).
Notation P := (P Ds).
Notation fresh := (fresh Ds).

Theorem mcdiarmid_up (h : list X -> R) (D s : R) : 0 < D -> sensitive (length Ds) (D / n) h -> 0 <= s ->
  P (fun S => h S - fresh h >= s) <= exp (- 2 * n * (s / D)^2).
Proof.
  intros HD Hh Hs. assert (Hn := n_pos Ds some_rows). set (l := 4 * n * s / D^2).
  assert (HD2 : 0 < D^2) by (apply pow_lt; lra).
  assert (Hl : 0 <= l). { unfold l. apply Rmult_le_pos; [nra|left; now apply Rinv_0_lt_compat]. }
  eapply Rle_trans; [|eapply Rle_trans; [apply (markov Ds _ (l * s) _ (moment_of_sensitive Ds h (D / n) l Hh))|]].
  - apply Pr_mono. intros S HS. apply Rle_ge, Rmult_le_compat_l; [exact Hl|]. unfold Sensitive.fresh in HS. lra.
  - rewrite <- exp_plus. apply exp_le. right. change (INR (length Ds)) with n. unfold l. field. lra.
Qed.

Theorem mcdiarmid_down (h : list X -> R) (D s : R) : 0 < D -> sensitive (length Ds) (D / n) h -> 0 <= s ->
  P (fun S => fresh h - h S >= s) <= exp (- 2 * n * (s / D)^2).
Proof.
  intros HD Hh Hs. eapply Rle_trans; [|apply (mcdiarmid_up (fun S => - h S) D s HD (opposite _ _ _ Hh) Hs)].
  apply Pr_mono. intros S HS. unfold Sensitive.fresh in *.
  rewrite (mean_ext _ (fun S => - h S) (fun S => (-1) * h S)) by (intros; ring). rewrite mean_scal. lra.
Qed.

(* The functions of the sample that a test or a finalist may be. *)
Definition sensitive_query (D : R) : Type := { h : list X -> R | sensitive (length Ds) (D / n) h }.
Definition reported {D : R} (h : sensitive_query D) (S : list X) : R := proj1_sig h S.
Definition expectation {D : R} (h : sensitive_query D) : R := fresh (proj1_sig h).
Definition mcdiarmid_side (D s : R) : R := if Rle_dec s 0 then 1 else exp (- 2 * n * (s / D)^2).

Theorem mcdiarmid_sides (D : R) : 0 < D -> sides P (@reported D) (@expectation D) (mcdiarmid_side D).
Proof.
  intros HD [h Hh] s. unfold mcdiarmid_side, reported, expectation. cbn [proj1_sig].
  destruct (Rle_dec s 0) as [H|H]; [split; apply P_le_1|].
  split; [apply mcdiarmid_up|apply mcdiarmid_down]; auto; lra.
Qed.

(* Minimisation: the loss of one candidate less the loss of another. *)
Theorem losses_apart (D : R) (l l' : sensitive_query D) :
  sensitive (length Ds) (2 * D / n) (fun S => reported l S - reported l' S).
Proof.
  destruct l as [l Hl], l' as [l' Hl']. unfold reported. cbn [proj1_sig]. intros s x y t Hst.
  specialize (Hl s x y t Hst). specialize (Hl' s y x t Hst). unfold Rdiv in *. lra.
Qed.

Definition versus {D : R} (l l' : sensitive_query D) : sensitive_query (2 * D) :=
  exist _ (fun S => reported l S - reported l' S) (losses_apart D l l').

Theorem expected_versus (D : R) (l l' : sensitive_query D) : expectation (versus l l') = expectation l - expectation l'.
Proof.
  unfold expectation, Sensitive.fresh, versus. cbn [proj1_sig]. unfold reported.
  rewrite (mean_ext _ _ (fun S => proj1_sig l S + (-1) * proj1_sig l' S)) by (intros; ring).
  rewrite mean_plus, mean_scal. ring.
Qed.

Theorem candidate_sides (D : R) : 0 < D ->
  sides P (fun (c : sensitive_query D * sensitive_query D) S => reported (fst c) S - reported (snd c) S)
    (fun c => expectation (fst c) - expectation (snd c)) (mcdiarmid_side (2 * D)).
Proof.
  intros HD [l l'] s. cbn [fst snd]. rewrite <- expected_versus.
  apply (mcdiarmid_sides (2 * D) ltac:(lra) (versus l l') s).
Qed.

End McDiarmid.
