(* docs/theorems/pvalue.md, "Slack, once": steps whose bound holds but for a slack, which is added at the end. Outcomes are
   finitely many; a step has masses. *)

From Coq Require Import Reals Lra Lia List Psatz ClassicalChoice.
From dpcalc Require Import Tree Count Gate Tails.
Import ListNotations.
Open Scope R_scope.

Section Slack.
Context {Sample Y : Type}.
Variable PS : law Sample.
Variable outcomes : list Y.

(* The mass of the outcome y, given the sample and the outcomes before (the latest first). *)
Definition masses := Sample -> list Y -> Y -> R.
Definition is_step (K : masses) : Prop :=
  (forall s before y, 0 <= K s before y) /\ forall s before, sumR outcomes (K s before) = 1.

(* W bounds a part u of the masses, and what is left has a mass of at most b, whatever the law g of the sample has become
   by the outcomes before. *)
Definition bounded_but_for (K : masses) (W : R -> R) (b : R) : Prop :=
  forall (before : list Y) (g : Sample -> R), (forall s, 0 <= g s) -> exists u : Sample -> Y -> R,
    (forall s y, 0 <= u s y <= K s before y) /\
    (forall (f : Sample -> Y -> R) (c : R), (forall s y, 0 <= f s y <= 1) -> 0 <= c <= 1 ->
      (forall y, PS (fun s => f s y) <= c) -> PS (fun s => sumR outcomes (fun y => u s y * f s y)) <= W c) /\
    PS (fun s => g s * sumR outcomes (fun y => K s before y - u s y)) <= b * PS g.

Notation step := (masses * ((R -> R) * R))%type.
Fixpoint run (Ks : list step) (before : list Y) (f : Sample -> list Y -> R) (s : Sample) : R :=
  match Ks with
  | nil => f s before
  | K :: Ks => sumR outcomes (fun y => fst K s before y * run Ks (y :: before) f s)
  end.
Definition compose (Ks : list step) (gamma : R) : R := fold_right (fun K c => fst (snd K) c) gamma Ks.
Definition slack (Ks : list step) : R := sumR Ks (fun K => snd (snd K)).

Theorem slack_once (Ks : list step) (f : Sample -> list Y -> R) (gamma : R) :
  (forall K, In K Ks -> is_step (fst K) /\ bounded_but_for (fst K) (fst (snd K)) (snd (snd K)) /\
    forall c, 0 <= c <= 1 -> 0 <= fst (snd K) c <= 1) ->
  (forall s y, 0 <= f s y <= 1) -> 0 <= gamma <= 1 -> (forall y, PS (fun s => f s y) <= gamma) ->
  PS (run Ks nil f) <= compose Ks gamma + slack Ks.
Proof.
  intros HK Hf Hg Hfix.
  assert (H : 0 <= compose Ks gamma <= 1 /\ forall before g, (forall s, 0 <= g s) -> exists r : Sample -> R,
    (forall s, 0 <= r s <= 1) /\ PS r <= compose Ks gamma /\
    PS (fun s => g s * run Ks before f s) <= PS (fun s => g s * r s) + slack Ks * PS g).
  { induction Ks as [|[K [W b]] Ks IH].
    - split; [exact Hg|]. intros before g H0. exists (fun s => f s before). split; [auto|]. split; [apply Hfix|].
      unfold slack. simpl. lra.
    - destruct IH as [Hc IH]; [intros; apply HK; simpl; auto|].
      destruct (HK _ (or_introl eq_refl)) as ((HK0 & HK1) & Hb & HW). cbn [fst snd] in *.
      split; [simpl; now apply HW|]. intros before g H0.
      destruct (Hb before g H0) as (u & Hu & Hub & Hslack).
      assert (Hr : forall y, exists r : Sample -> R, (forall s, 0 <= r s <= 1) /\ PS r <= compose Ks gamma /\
        PS (fun s => g s * K s before y * run Ks (y :: before) f s) <=
        PS (fun s => g s * K s before y * r s) + slack Ks * PS (fun s => g s * K s before y)).
      { intros y. apply IH. intros s. apply Rmult_le_pos; auto. }
      apply choice in Hr. destruct Hr as [r Hr].
      assert (Hsum : forall s, 0 <= sumR outcomes (fun y => u s y * r y s) <= 1).
      { intros s. split.
        - apply sumR_nonneg. intros y _. apply Rmult_le_pos; [apply Hu|apply Hr].
        - rewrite <- (HK1 s before). apply sumR_le. intros y _. destruct (Hu s y). destruct (Hr y) as [Hr1 _].
          specialize (Hr1 s). nra. }
      exists (fun s => sumR outcomes (fun y => u s y * r y s)). split; [exact Hsum|]. split.
      + simpl. apply (Hub (fun s y => r y s)); auto; intros; apply Hr.
      + apply Rle_trans with (sumR outcomes (fun y => PS (fun s => g s * K s before y * r y s) +
          slack Ks * PS (fun s => g s * K s before y))).
        * apply Rle_trans with (sumR outcomes (fun y => PS (fun s => g s * K s before y * run Ks (y :: before) f s))).
          -- right. rewrite <- mean_sum. apply mean_ext. intros s. simpl. rewrite <- sumR_scal. apply sumR_ext. intros; ring.
          -- apply sumR_le. intros y _. apply Hr.
        * rewrite sumR_plus, sumR_scal, <- !mean_sum.
          assert (E : PS (fun s => sumR outcomes (fun y => g s * K s before y)) = PS g).
          { apply mean_ext. intros s. rewrite sumR_scal, HK1. ring. }
          rewrite E. unfold slack. cbn [sumR snd]. fold (slack Ks).
          assert (Hd : PS (fun s => sumR outcomes (fun y => g s * K s before y * r y s)) <=
            PS (fun s => g s * sumR outcomes (fun y => u s y * r y s)) + b * PS g).
          { eapply Rle_trans; [|apply Rplus_le_compat_l; exact Hslack]. rewrite <- mean_plus. apply mean_mono. intros s.
            rewrite <- !sumR_scal, <- sumR_plus. apply sumR_le. intros y _. destruct (Hu s y). destruct (Hr y) as [Hr1 _].
            specialize (Hr1 s). specialize (H0 s).
            assert (0 <= g s * ((K s before y - u s y) * (1 - r y s))) by (apply Rmult_le_pos; [auto|apply Rmult_le_pos; lra]).
            lra. }
          unfold slack in *. lra. }
  destruct H as [_ H]. destruct (H nil (fun _ => 1) ltac:(intros; lra)) as (r & _ & Hr & HP).
  rewrite mean_one in HP. rewrite (mean_ext PS (run Ks nil f) (fun s => 1 * run Ks nil f s)) by (intros; ring).
  rewrite (mean_ext PS (fun s => 1 * r s) r) in HP by (intros; ring). lra.
Qed.

End Slack.
Arguments masses : clear implicits.
