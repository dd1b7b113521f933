(* Plans of a few rows, down to their numbers: gates and finalists by the convex tail, and a lead on decided rows. *)

From Coq Require Import Reals Lra Lia List Arith.
From dpcalc Require Import Tree Count Gate Tails Binomial ConvexOrder ConvexTail Records Rows Certified Differences
  Decided Leads.
Import ListNotations.
Open Scope R_scope.

(* A bound of five rows, as a number. *)
Ltac five := unfold convex_tail, excess; cbn [repeat ones Nat.sub]; simpl INR; lra.

(* At the bar 1/10 a mean of 6/10 passes. *)
Theorem bar_instance {X : Type} (Ds : list (law X)) (analyst : list bool -> query X) (B m : nat) : length Ds = 5%nat ->
  P Ds (fun S => exists later b v,
    gate_shown (fun t => emp Ds (fst t)) (fun t => snd t + 1/2) (fun v => (analyst v, 1/10)) B m S =
      later ++ b :: v /\
    gate_wrong (too_low Ds) (fun _ => False) (fun v => (analyst v, 1/10)) v b) <= INR (N m B) * (903/100000).
Proof.
  intros H5. assert (Hd : Ds <> nil) by (intros ->; discriminate).
  apply gate_bar_certified_one_side; auto; [lra|]. unfold Tails.n. rewrite H5.
  apply low_convex with (rows := 5%nat) (t := 2%nat); [reflexivity|lra|simpl; lra|five].
Qed.

(* Any bars: four cells, each with a t of its own. The relative entropy has e^(-5E) = .064 for .0475. *)
Lemma five_above {X : Type} (Ds : list (law X)) : length Ds = 5%nat -> above_cert Ds (1/2) (19/400).
Proof.
  intros H5. assert (Hd : Ds <> nil) by (intros ->; discriminate).
  apply (cells_above Ds Hd) with (p1 := 1/5) (l := [3/10; 7/20; 1/2]); [|simpl; lra].
  unfold chain, cell, Tails.n. rewrite H5. repeat split; try lra; right.
  - exists 2%nat. repeat split; [simpl; lra|five|five].
  - exists 3%nat. repeat split; [simpl; lra|five|five].
  - exists 3%nat. repeat split; [simpl; lra|five|five].
  - exists 4%nat. repeat split; [simpl; lra|five|five].
Qed.

Theorem cells_instance {X : Type} (Ds : list (law X)) (analyst : list bool -> query X * R) (B m : nat) :
  length Ds = 5%nat ->
  P Ds (fun S => exists later b v, Gate.transcript (emp Ds) (1/2) analyst B m S = later ++ b :: v /\
    Gate.wrong (pop Ds) (1/2) analyst v b) <= INR (N m B) * (19/400).
Proof.
  intros H5. apply gate_certified; try lra; [intros ->; discriminate|now apply five_above].
Qed.

(* Three rows, of which two are decided: each is won with probability 1/4, and both with 1/16, which is the bound. *)
Definition outcome : Type := option bool.
Definition won : difference outcome.
  exists (fun x => match x with Some true => 1 | Some false => -1 | None => 0 end). intros [[|]|]; lra.
Defined.
Definition wins : query outcome.
  exists (fun x => match x with Some true => 1 | _ => 0 end). intros [[|]|]; lra.
Defined.
Definition quarter : law outcome.
  refine (finite_law [(Some true, 1/4); (Some false, 3/4)] _ _); [|simpl; lra].
  intros a [<-|[<-|[]]]; simpl; lra.
Defined.
Definition three : list (law outcome) := [quarter; quarter; point None].

Theorem lead_instance : Hoeffding1956 ->
  P three (fun S => lead three [true; true; true] won S >= 2/3) <= 1/16.
Proof.
  intros H56.
  assert (Hw : forall (A : outcome -> Prop) x, A x -> ind (fun x => ~ A x) x = 0).
  { intros A x HA. decide_ind. }
  assert (Hd : decided_by three [true; true; true] [true; true; false] won wins).
  { repeat constructor; unfold settled, sure; simpl; rewrite ?Hw; simpl; lra. }
  assert (En : size three [true; true; true] = 3) by (unfold size, Tails.n; simpl; lra).
  assert (Ed : size three [true; true; false] = 2) by (unfold size, Tails.n; simpl; lra).
  apply (lead_count_up three _ [true; true; false] ltac:(discriminate) won wins Hd H56) with
    (c := - (1/3)) (k := 2%nat).
  - intros [[|]|]; simpl; auto.
  - rewrite En, Ed. simpl. lra.
  - rewrite En, Ed. replace (among 3 2 (- (1/3))) with (1/4) by (unfold among; lra).
    apply count_exact; [left; fold (size three [true; true; false]); rewrite Ed; simpl; lra|lra|].
    unfold binomial. simpl. lra.
  - unfold lead_truth. rewrite En. simpl. lra.
Qed.
