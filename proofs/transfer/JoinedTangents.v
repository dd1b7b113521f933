(* docs/theorems/transfer.md, "Joint bound", "Evaluation": the integral of N is at most the sum of its tangents'
   integrals over cells.

   v, b     the noise; the power of u in N
   a, s     u is taken at a - s z
   start    where the cells begin: before it u is 0
   p        a tangent of the integrand's logarithm: it touches ln phi at touch p; u t <= factor p exp (- fall p t)
   cells    a tangent each, with the cell's right end; the last cell has no end *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree Tails Guesses Line Normal Rounded Steps Tangent Joint OneTail StraightLine.
Import ListNotations.
Open Scope R_scope.

(* A function over a cell, and beyond the last. *)
Lemma continuous_everywhere (G g : R -> R) y : (forall x, is_derive G x (g x)) -> continuous G y.
Proof. intros H. apply (ex_derive_continuous G). eexists. apply H. Qed.

Lemma int_last a (g G : R -> R) (L : R) : (forall y, is_derive G y (g y)) -> is_lim G p_infty L ->
  integral (fun y => if Rle_dec y a then 0 else g y)
    (fun t => match t with Finite y => G (Rmax a y) | p_infty => L | m_infty => G a end).
Proof.
  intros Hd Hl. split.
  - exists [a]. intros y Hy. assert (Hya : y <> a) by (intros ->; apply Hy; simpl; auto).
    destruct (Rle_dec y a) as [H|H].
    + apply (is_derive_ext_loc (fun _ : R => G a));
        [|apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) (G a) y)].
      exists (mkposreal (a - y) ltac:(lra)). intros x Hx. apply near in Hx; simpl in *; [|lra].
      rewrite Rmax_left by lra. reflexivity.
    + apply (is_derive_ext_loc G); [|apply Hd].
      exists (mkposreal (y - a) ltac:(lra)). intros x Hx. apply near in Hx; simpl in *; [|lra].
      rewrite Rmax_right by lra. reflexivity.
  - intros y. apply (continuous_comp (fun x : R => Rmax a x) G); [|now apply (continuous_everywhere G g)].
    apply continuity_pt_filterlim. intros eps He. exists eps. split; auto. intros x (_ & Hx).
    simpl in *. unfold R_dist in *. apply Rabs_def2 in Hx. apply Rabs_def1;
      unfold Rmax; destruct (Rle_dec a x), (Rle_dec a y); lra.
  - apply (is_lim_ext_loc G); auto. exists a. intros x Hx. now rewrite Rmax_right by lra.
  - apply (is_lim_ext_loc (fun _ => G a)); [|apply is_lim_const]. exists a. intros x Hx. now rewrite Rmax_left by lra.
Qed.

Lemma int_cell lo hi (g G : R -> R) : lo <= hi -> (forall y, is_derive G y (g y)) ->
  exists I, integral (fun y => inside lo hi y (g y) 0) I /\ all I = G hi - G lo.
Proof.
  intros Hle Hd.
  exists (fun t => match t with Finite y => G (Rmin hi (Rmax lo y)) | p_infty => G hi | m_infty => G lo end).
  split; [|reflexivity]. split.
  - exists [lo; hi]. intros y Hy.
    assert (Hya : y <> lo) by (intros ->; apply Hy; simpl; auto).
    assert (Hyb : y <> hi) by (intros ->; apply Hy; simpl; auto).
    unfold inside. destruct (Rle_dec y lo) as [H1|H1]; [|destruct (Rle_dec hi y) as [H2|H2]].
    + apply (is_derive_ext_loc (fun _ : R => G lo));
        [|apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) (G lo) y)].
      exists (mkposreal (lo - y) ltac:(lra)). intros x Hx. apply near in Hx; simpl in *; [|lra].
      now rewrite Rmax_left, Rmin_right by lra.
    + apply (is_derive_ext_loc (fun _ : R => G hi));
        [|apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) (G hi) y)].
      exists (mkposreal (y - hi) ltac:(lra)). intros x Hx. apply near in Hx; simpl in *; [|lra].
      now rewrite Rmax_right, Rmin_left by lra.
    + apply (is_derive_ext_loc G); [|apply Hd]. assert (Hp : 0 < Rmin (y - lo) (hi - y)) by (apply Rmin_glb_lt; lra).
      exists (mkposreal _ Hp). intros x Hx. apply near in Hx; simpl in *; [|auto].
      assert (Ha := Rmin_l (y - lo) (hi - y)). assert (Hb := Rmin_r (y - lo) (hi - y)).
      now rewrite Rmax_right, Rmin_right by lra.
  - intros y. apply (continuous_comp (fun x : R => Rmin hi (Rmax lo x)) G); [|now apply (continuous_everywhere G g)].
    apply continuity_pt_filterlim. intros eps He. exists eps. split; auto. intros x (_ & Hx).
    simpl in *. unfold R_dist in *. apply Rabs_def2 in Hx. apply Rabs_def1; unfold Rmin, Rmax;
      destruct (Rle_dec lo x), (Rle_dec lo y); repeat (destruct (Rle_dec hi _)); lra.
  - apply (is_lim_ext_loc (fun _ => G hi)); [|apply is_lim_const]. exists hi. intros x Hx.
    now rewrite Rmax_right, Rmin_left by lra.
  - apply (is_lim_ext_loc (fun _ => G lo)); [|apply is_lim_const]. exists lo. intros x Hx.
    now rewrite Rmax_left, Rmin_right by lra.
Qed.

(* A primitive of exp (k x). *)
Definition growth (k x : R) : R := if Req_EM_T k 0 then x else exp (k * x) / k.

Lemma growth_slope k x : is_derive (growth k) x (exp (k * x)).
Proof.
  unfold growth. destruct (Req_EM_T k 0) as [->|Hk].
  - rewrite Rmult_0_l, exp_0. apply (is_derive_id x).
  - auto_derive; auto. field. auto.
Qed.

Record piece := Piece { touch : R; factor : R; fall : R }.

Section Cells.
Variables b a s : R.

Definition height (p : piece) : R :=
  phi (touch p) * Rpower (factor p) b * exp (- (b * fall p) * (a - s * touch p)).
Definition rate (p : piece) : R := b * fall p * s - touch p.
Definition curve (p : piece) (z : R) : R := height p * exp (rate p * (z - touch p)).

(* Its integral over a cell, and beyond a point. *)
Definition area (p : piece) (lo hi : R) : R :=
  height p * (growth (rate p) (hi - touch p) - growth (rate p) (lo - touch p)).
Definition area_beyond (p : piece) (lo : R) : R := height p * exp (rate p * (lo - touch p)) / - rate p.

(* Cells from lo on: the sum of their integrals, the order of their ends, and their tangents joined. *)
Fixpoint areas (lo : R) (cells : list (piece * R)) (last : piece) : R :=
  match cells with
  | [] => area_beyond last lo
  | (p, hi) :: rest => area p lo hi + areas hi rest last
  end.
Fixpoint rising (lo : R) (cells : list (piece * R)) : Prop :=
  match cells with [] => True | (_, hi) :: rest => lo <= hi /\ rising hi rest end.
Fixpoint joined (cells : list (piece * R)) (last : piece) (z : R) : R :=
  match cells with
  | [] => curve last z
  | (p, hi) :: rest => if Rle_dec z hi then curve p z else joined rest last z
  end.

Lemma curve_nonneg p z : 0 <= curve p z.
Proof.
  assert (H := phi_pos (touch p)). left. unfold curve, height. do 2 (apply Rmult_lt_0_compat; [|apply exp_pos]).
  apply Rmult_lt_0_compat; auto. apply Rpower_pos.
Qed.

Lemma joined_least (f : R) cells last z : f <= curve last z -> (forall p hi, In (p, hi) cells -> f <= curve p z) ->
  f <= joined cells last z.
Proof.
  intros Hl. induction cells as [|(p, hi) rest IH]; intros H; cbn [joined]; auto.
  destruct (Rle_dec z hi); [apply (H p hi)|apply IH; intros q h Hq; apply (H q h)]; simpl; auto.
Qed.

Lemma curve_slope p z : is_derive (fun x => height p * growth (rate p) (x - touch p)) z (curve p z).
Proof.
  apply is_derive_scal.
  replace (exp (rate p * (z - touch p))) with (scal 1 (exp (rate p * (z - touch p)))) by apply Rmult_1_l.
  apply (is_derive_comp (growth (rate p)) (fun x => x - touch p)); [apply growth_slope|].
  auto_derive; auto.
Qed.

Lemma curve_end p : rate p < 0 -> is_lim (fun x => height p * growth (rate p) (x - touch p)) p_infty 0.
Proof.
  intros Hr. set (k := rate p) in *. unfold growth. destruct (Req_EM_T k 0) as [E|_]; [lra|].
  apply (is_lim_ext (fun x => height p / k * exp (k * x + - (k * touch p)))).
  { intros x. replace (k * (x - touch p)) with (k * x + - (k * touch p)) by ring. field. lra. }
  replace (Finite 0) with (Rbar_mult (height p / k) 0) by (simpl; f_equal; ring).
  apply is_lim_scal_l. apply (is_lim_comp_lin exp k (- (k * touch p)) p_infty 0); [|lra].
  replace (Rbar_plus (Rbar_mult k p_infty) (- (k * touch p))) with m_infty; [apply is_lim_exp_m|].
  simpl. destruct (Rle_dec 0 k) as [H|H]; [exfalso; lra|reflexivity].
Qed.

Lemma joined_integral last : rate last < 0 -> forall cells lo, rising lo cells ->
  exists I, integral (fun z => if Rle_dec z lo then 0 else joined cells last z) I /\ all I = areas lo cells last.
Proof.
  intros Hr. induction cells as [|(p, hi) rest IH]; intros lo Hc; cbn [joined areas].
  - eexists. split; [apply int_last; [apply curve_slope|now apply curve_end]|].
    unfold over, area_beyond, growth. destruct (Req_EM_T (rate last) 0); [lra|]. field. lra.
  - destruct Hc as [Hle Hc]. destruct (IH hi Hc) as (I & HI & EI).
    destruct (int_cell lo hi _ _ Hle (curve_slope p)) as (J & HJ & EJ).
    exists (fun t => J t + I t). split.
    + apply (int_but [hi] (fun z => inside lo hi z (curve p z) 0 + if Rle_dec z hi then 0 else joined rest last z)).
      * intros z Hz. assert (z <> hi) by (intros ->; apply Hz; simpl; auto). unfold inside.
        destruct (Rle_dec z lo), (Rle_dec z hi), (Rle_dec hi z); lra.
      * now apply int_plus.
    + unfold over, area in *. lra.
Qed.

Section Noise.
Variable v : noise.
Hypothesis b_1 : 1 <= b.

(* Tangents of ln u, of "straight_line" or "straight_steep". *)
Definition tangent_of (p : piece) : Prop :=
  0 < factor p /\ forall t, straight v t <= factor p * exp (- fall p * t).

Notation N := (fun z => phi z * power (straight v (a - s * z)) b).

Lemma below_joined cells last start z : tangent_of last -> (forall p hi, In (p, hi) cells -> tangent_of p) ->
  (forall z, 0 < z <= start -> straight v (a - s * z) <= 0) -> 0 < z ->
  N z <= if Rle_dec z start then 0 else joined cells last z.
Proof.
  intros Hl Hp H0 Hz. destruct (Rle_dec z start) as [H|H].
  - specialize (H0 z (conj Hz H)). unfold power. destruct (Rlt_dec _ _); lra.
  - apply joined_least; [|intros p hi Hin]; [destruct Hl as [Hc Ht]|destruct (Hp p hi Hin) as [Hc Ht]];
      now apply integrand_tangent.
Qed.

(* The integral of N is at most the sum of the tangents' integrals. *)
Theorem integral_below_cells start cells last I : 0 <= start -> rising start cells -> rate last < 0 ->
  tangent_of last -> (forall p hi, In (p, hi) cells -> tangent_of p) ->
  (forall z, 0 < z <= start -> straight v (a - s * z) <= 0) ->
  integral (fun z => if Rle_dec z 0 then 0 else N z) I -> over I 0 p_infty <= areas start cells last.
Proof.
  intros Hs Hc Hr Hl Hp H0 HI. destruct (joined_integral last Hr cells start Hc) as (J & HJ & EJ).
  apply Rle_trans with (over J 0 p_infty).
  - apply (int_le _ _ _ _ 0 p_infty HI HJ); [simpl; auto|]. intros z Hz _. simpl in Hz.
    destruct (Rle_dec z 0); [lra|]. now apply below_joined.
  - assert (0 <= over J m_infty 0).
    { apply (int_rises _ J m_infty 0 HJ); [simpl; auto|]. intros z _ _. destruct (Rle_dec z start); [lra|].
      apply joined_least; intros; apply curve_nonneg. }
    unfold over in *. lra.
Qed.
End Noise.
End Cells.

(* Cut noise: u is 0 from the cut on. *)
Theorem straight_cut sd k t : 0 < sd -> 0 < k -> k * sd <= t -> straight (Cut sd k) t = 0.
Proof.
  intros Hs Hk Ht. assert (0 < k * sd) by now apply Rmult_lt_0_compat. assert (Hp := share_pos k Hk).
  unfold straight. destruct (Rle_dec 0 t); [|lra]. unfold tail, cdf_of. rewrite cut_at by auto.
  assert (k <= t / sd) by (apply Rmult_le_reg_r with sd; auto; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra).
  rewrite Rmax_right, Rmin_left by lra. unfold share in *. field. lra.
Qed.

(* The joint bound's N, by cells. *)
Theorem one_tail_by_cells {X} (Ds : list (law X)) v tau b start cells last : let n := Tails.n Ds in
  let a := tau - 1 / n in let s := / (2 * sqrt n) in
  Ds <> nil -> noisy v -> 1 <= b -> ZubkovSerov2013 (fun x : R => Phi x) ->
  rising start cells -> rate b s last < 0 -> tangent_of v last -> (forall p hi, In (p, hi) cells -> tangent_of v p) ->
  (forall z, 0 < z <= start -> straight v (a - s * z) <= 0) ->
  moment Ds v tau b (power (straight v a) b / 2 + areas b a s start cells last).
Proof.
  intros n a s Hn Hv Hb HZ Hc Hr Hl Hp H0. destruct (joined_integral b a s last Hr cells start Hc) as (J & HJ & EJ).
  rewrite <- EJ. eapply (one_tail Ds Hn v Hv tau b Hb _ J HZ); [| |exact HJ].
  - intros z. cbv beta. destruct (Rle_dec z start); [lra|]. apply joined_least; intros; apply curve_nonneg.
  - intros z Hz. fold n. replace (tau - (1 / n + z / (2 * sqrt n))) with (a - s * z) by (unfold a, s, Rdiv; ring).
    now apply (below_joined b a s v Hb cells last start z).
Qed.
