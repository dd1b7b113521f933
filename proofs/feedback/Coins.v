(* docs/theorems/feedback.md: "Tree lemma", the analyst's coins; "transcripts", past looks. *)

From Coq Require Import Reals Lra Lia List Arith.
From dpcalc Require Import Tree Tails Weights.
Import ListNotations.
Open Scope R_scope.

(* What holds for an analyst with any coins that are fixed holds for random ones that are independent of the sample. *)
Theorem randomised {X Coin : Type} (Ds : list (law X)) (coins : law Coin) (fails : Coin -> list X -> Prop) (beta : R) :
  (forall c, P Ds (fails c) <= beta) -> coins (fun c => P Ds (fails c)) <= beta.
Proof.
  intros H. rewrite <- (mean_const coins beta). now apply mean_mono.
Qed.

(* The same for a probability that is a number, the one of answers with noise. *)
Theorem randomised_number {Coin : Type} (coins : law Coin) (fails : Coin -> R) (beta : R) :
  (forall c, fails c <= beta) -> coins fails <= beta.
Proof. intros H. rewrite <- (mean_const coins beta). now apply mean_mono. Qed.

(* Whatever was seen of the sample is one of finitely many things: an analyst who goes on as if it had seen v fails with
   probability at most beta for each v. *)
Theorem past_looks {Omega Seen : Type} (P : outer Omega) (values : list Seen) (seen : Omega -> Seen)
  (fails : Seen -> Omega -> Prop) (beta : R) :
  (forall w, In (seen w) values) -> (forall v, In v values -> P (fails v) <= beta) ->
  P (fun w => fails (seen w) w) <= INR (length values) * beta.
Proof.
  intros Hs Hb. eapply Rle_trans; [|rewrite <- sumR_const; apply sumR_le; exact Hb].
  eapply Rle_trans; [|apply Pr_union]. apply Pr_mono. intros w H. exists (seen w). auto.
Qed.

(* The counts of K 0/1 queries on n rows: (n+1)^K sequences. *)
Fixpoint sequences (n k : nat) : list (list nat) :=
  match k with O => [nil] | S k => flat_map (fun v => map (fun c => c :: v) (seq 0 (S n))) (sequences n k) end.

Theorem sequences_all n k v : length v = k -> (forall c, In c v -> (c <= n)%nat) -> In v (sequences n k).
Proof.
  revert v. induction k as [|k IH]; intros v Hl Hc.
  - destruct v; [now left|discriminate].
  - destruct v as [|c v]; [discriminate|]. cbn [sequences]. apply in_flat_map. exists v. split.
    + apply IH; [simpl in Hl; lia|]. intros; apply Hc; simpl; auto.
    + apply (in_map (fun c => c :: v)), in_seq. specialize (Hc c ltac:(simpl; auto)). lia.
Qed.

Theorem sequences_count n k : length (sequences n k) = (S n ^ k)%nat.
Proof.
  assert (H : forall l : list (list nat),
    length (flat_map (fun v => map (fun c => c :: v) (seq 0 (S n))) l) = (length l * S n)%nat).
  { induction l as [|v l IH]; [reflexivity|]. cbn [flat_map length]. rewrite app_length, map_length, seq_length, IH. lia. }
  induction k as [|k IH]; [reflexivity|]. cbn [sequences]. rewrite H, IH. simpl. lia.
Qed.

(* Whatever K 0/1 queries were asked, one after another: the counts that were seen are one of (n+1)^K sequences. *)
Theorem past_counts {X : Type} (Ds : list (law X)) (k : nat) (seen : list X -> list nat)
  (fails : list nat -> list X -> Prop) (beta : R) :
  (forall S, length S = length Ds -> length (seen S) = k /\ forall c, In c (seen S) -> (c <= length Ds)%nat) ->
  (forall v, P Ds (fails v) <= beta) ->
  P Ds (fun S => fails (seen S) S) <= INR (Datatypes.S (length Ds) ^ k) * beta.
Proof.
  intros Hseen Hb. rewrite <- sequences_count, <- sumR_const.
  eapply Rle_trans; [|apply sumR_le; intros v _; apply (Hb v)].
  eapply Rle_trans; [|apply Pr_union]. apply P_length. intros S HS HF. exists (seen S). split; auto.
  destruct (Hseen S HS) as [Hl Hc]. now apply sequences_all.
Qed.
