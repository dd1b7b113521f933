(* docs/theorems/transfer.md, "Joint bound": integrals over the real line by a primitive that has limits at both ends. A
   function may jump at finitely many points. Nothing but the four rules below is used of integrals. *)

From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From dpcalc Require Import Tree.
Import ListNotations.
Open Scope R_scope.

Record integral (g : R -> R) (G : Rbar -> R) : Prop := Integral {
  slope : exists corners : list R, forall y : R, ~ In y corners -> is_derive (fun x : R => G (Finite x)) y (g y);
  joined : forall y : R, continuous (fun x : R => G (Finite x)) y;
  top : is_lim (fun x : R => G (Finite x)) p_infty (G p_infty);
  bottom : is_lim (fun x : R => G (Finite x)) m_infty (G m_infty)
}.

(* The integral from one end to another. *)
Definition over (G : Rbar -> R) (lo hi : Rbar) : R := G hi - G lo.
Notation all G := (over G m_infty p_infty).

Lemma continuous_pt (f : R -> R) y : continuous f y -> continuity_pt f y.
Proof. intros H. now apply continuity_pt_filterlim. Qed.

Lemma rises (G : R -> R) (corners : list R) : (forall y, continuous G y) -> forall a b, a <= b ->
  (forall y, a < y < b -> ~ In y corners -> exists d, is_derive G y d /\ 0 <= d) -> G a <= G b.
Proof.
  intros Hc. induction corners as [|p ps IH]; intros a b Hab H.
  - destruct (MVT_gen G a b (fun y => Rmax 0 (Derive G y))) as (c & _ & E).
    + intros y Hy. rewrite Rmin_left, Rmax_right in Hy by auto. destruct (H y Hy (fun F => F)) as (d & Hd & H0).
      rewrite (is_derive_unique _ _ _ Hd), Rmax_right; auto.
    + intros y _. now apply continuous_pt.
    + generalize (Rmax_l 0 (Derive G c)). intros. assert (0 <= Rmax 0 (Derive G c) * (b - a)); [|lra].
      apply Rmult_le_pos; lra.
  - destruct (Rle_dec p a) as [Hp|Hp]; [|destruct (Rle_dec b p) as [Hp'|Hp']].
    + apply IH; auto. intros y Hy Hn. apply H; auto. intros [->|F]; [lra|auto].
    + apply IH; auto. intros y Hy Hn. apply H; auto. intros [->|F]; [lra|auto].
    + apply Rle_trans with (G p); apply IH; try lra; intros y Hy Hn; apply H; try lra; intros [->|F]; auto; lra.
Qed.

(* Near the right of 0 a continuous function stays below what it is below at 0. *)
Lemma right_near (H : R -> R) C : ex_derive H 0 -> H 0 < C -> exists e, 0 < e /\ H e < C.
Proof.
  intros Hd HC. assert (Hc := ex_derive_continuous H 0 Hd).
  destruct (continuous_pt H 0 Hc (C - H 0) ltac:(lra)) as (d & Hd0 & Hn). exists (d / 2). split; [lra|].
  specialize (Hn (d / 2)). simpl in Hn. unfold R_dist, D_x, no_cond in Hn.
  assert (Rabs (H (d / 2) - H 0) < C - H 0); [|apply Rabs_def2 in H0; lra]. apply Hn.
  rewrite Rminus_0_r, Rabs_pos_eq by lra. repeat split; lra.
Qed.

(* What is below a function to the right of 0 is below it at 0. *)
Lemma from_above (f : R -> R) x : ex_derive f 0 -> (forall t, 0 < t -> x <= f t) -> x <= f 0.
Proof.
  intros Hd H. destruct (Rle_dec x (f 0)) as [|Hn]; auto. exfalso.
  destruct (right_near f x Hd ltac:(lra)) as (t & Ht & Hf). specialize (H t Ht). lra.
Qed.

(* Rules. *)
Lemma int_scal c g G : integral g G -> integral (fun y => c * g y) (fun y => c * G y).
Proof.
  intros [(ps & Hd) Hc Ht Hb]. split.
  - exists ps. intros y Hy. apply is_derive_scal. auto.
  - intros y. apply (continuous_mult (fun _ => c)); [apply continuous_const|auto].
  - apply (is_lim_scal_l _ c p_infty (G p_infty)). auto.
  - apply (is_lim_scal_l _ c m_infty (G m_infty)). auto.
Qed.

Lemma int_plus f F g G : integral f F -> integral g G -> integral (fun y => f y + g y) (fun y => F y + G y).
Proof.
  intros [(ps & Hd) Hc Ht Hb] [(ps' & Hd') Hc' Ht' Hb']. split.
  - exists (ps ++ ps'). intros y Hy. apply (is_derive_plus (fun x : R => F x) (fun x : R => G x)); [apply Hd|apply Hd'];
      intros H; apply Hy, in_app_iff; auto.
  - intros y. apply (continuous_plus (fun x : R => F x) (fun x : R => G x)); auto.
  - apply is_lim_plus'; auto.
  - apply is_lim_plus'; auto.
Qed.

Lemma int_const c : integral (fun _ => 0) (fun _ => c).
Proof.
  split.
  - exists nil. intros y _. apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) c y).
  - intros y. apply continuous_const.
  - apply is_lim_const.
  - apply is_lim_const.
Qed.

Lemma int_sum {A} (l : list A) (f : A -> R -> R) (F : A -> Rbar -> R) :
  (forall a, In a l -> integral (f a) (F a)) ->
  integral (fun y => sumR l (fun a => f a y)) (fun y => sumR l (fun a => F a y)).
Proof.
  induction l as [|a l IH]; intros H; cbn [sumR]; [apply int_const|].
  apply (int_plus (f a) (F a)); [apply H; simpl; auto|]. apply IH. intros; apply H; simpl; auto.
Qed.

(* The function may be changed at finitely many points. *)
Lemma int_but ps f g F : (forall y, ~ In y ps -> f y = g y) -> integral f F -> integral g F.
Proof.
  intros E [(qs & Hd) Hc Ht Hb]. split; auto. exists (ps ++ qs). intros y Hy.
  rewrite <- E; [apply Hd|]; intros H; apply Hy, in_app_iff; auto.
Qed.

Lemma int_ext f g F : (forall y, f y = g y) -> integral f F -> integral g F.
Proof. intros E. apply (int_but nil). auto. Qed.

Lemma int_same f F G : (forall y, F y = G y) -> integral f F -> integral f G.
Proof.
  intros E [(ps & Hd) Hc Ht Hb]. split.
  - exists ps. intros y Hy. apply (is_derive_ext (fun x : R => F x)); auto.
  - intros y. apply (continuous_ext (fun x : R => F x)); auto.
  - rewrite <- E. apply (is_lim_ext (fun x : R => F x)); auto.
  - rewrite <- E. apply (is_lim_ext (fun x : R => F x)); auto.
Qed.

(* y = (x - m)/s. *)
Definition rescaled (m s : R) (t : Rbar) : Rbar :=
  match t with Finite y => Finite ((y - m) / s) | p_infty => p_infty | m_infty => m_infty end.

Lemma int_rescale m s g G : 0 < s -> integral g G ->
  integral (fun y => g ((y - m) / s) / s) (fun t => G (rescaled m s t)).
Proof.
  intros Hs [(ps & Hd) Hc Ht Hb]. assert (Hi : 0 < / s) by now apply Rinv_0_lt_compat.
  assert (Hlin : forall y : R, is_derive (fun x : R => (x - m) / s) y (/ s)).
  { intros y. auto_derive; auto. field. lra. }
  assert (Hl : forall y : R, continuous (fun x : R => (x - m) / s) y).
  { intros y. apply (ex_derive_continuous (fun x : R => (x - m) / s)). eexists. apply Hlin. }
  split.
  - exists (map (fun p => m + s * p) ps). intros y Hy. cbn [rescaled].
    replace (g ((y - m) / s) / s) with (scal (/ s) (g ((y - m) / s))) by (unfold scal; simpl; unfold mult; simpl;
      field; lra).
    apply (is_derive_comp (fun x : R => G x) (fun x : R => (x - m) / s)); auto. apply Hd.
    intros H. apply Hy. apply in_map_iff. exists ((y - m) / s). split; auto. field. lra.
  - intros y. cbn [rescaled]. apply (continuous_comp (fun x : R => (x - m) / s) (fun x : R => G x)); auto.
  - cbn [rescaled]. apply (is_lim_ext (fun x : R => G (Finite (/ s * x + - m / s)))).
    + intros y. f_equal. f_equal. field. lra.
    + apply (is_lim_comp_lin (fun x : R => G x)); [|lra].
      replace (Rbar_plus (Rbar_mult (/ s) p_infty) (- m / s)) with p_infty; auto.
      simpl. destruct (Rle_dec 0 (/ s)) as [H|H]; [|lra]. destruct (Rle_lt_or_eq_dec 0 (/ s) H); [auto|lra].
  - cbn [rescaled]. apply (is_lim_ext (fun x : R => G (Finite (/ s * x + - m / s)))).
    + intros y. f_equal. f_equal. field. lra.
    + apply (is_lim_comp_lin (fun x : R => G x)); [|lra].
      replace (Rbar_plus (Rbar_mult (/ s) m_infty) (- m / s)) with m_infty; auto.
      simpl. destruct (Rle_dec 0 (/ s)) as [H|H]; [|lra]. destruct (Rle_lt_or_eq_dec 0 (/ s) H); [auto|lra].
Qed.

(* The part beyond a point, and the part before one. *)
Definition beyond (a : R) (t : Rbar) : Rbar :=
  match t with Finite y => Finite (Rmax a y) | p_infty => p_infty | m_infty => Finite a end.
Definition before (b : R) (t : Rbar) : Rbar :=
  match t with Finite y => Finite (Rmin b y) | p_infty => Finite b | m_infty => m_infty end.

Lemma near y d x : 0 < d -> ball (M := R_UniformSpace) y d x -> y - d < x < y + d.
Proof.
  intros Hd Hx. unfold ball in Hx. simpl in Hx. unfold AbsRing_ball, abs, minus, plus, opp in Hx. simpl in Hx.
  apply Rabs_def2 in Hx. lra.
Qed.

Lemma int_beyond a g G : integral g G ->
  integral (fun y => if Rle_dec y a then 0 else g y) (fun t => G (beyond a t)).
Proof.
  intros [(ps & Hd) Hc Ht Hb]. split.
  - exists (a :: ps). intros y Hy. cbn [beyond].
    assert (Hya : y <> a) by (intros ->; apply Hy; simpl; auto).
    destruct (Rle_dec y a) as [H|H].
    + apply (is_derive_ext_loc (fun x : R => G a));
        [|apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) (G a) y)].
      exists (mkposreal (a - y) ltac:(lra)). intros x Hx. apply near in Hx; simpl in *; [|lra].
      rewrite Rmax_left by lra. reflexivity.
    + apply (is_derive_ext_loc (fun x : R => G x)); [|apply Hd; intros F; apply Hy; simpl; auto].
      exists (mkposreal (y - a) ltac:(lra)). intros x Hx. apply near in Hx; simpl in *; [|lra].
      rewrite Rmax_right by lra. reflexivity.
  - intros y. cbn [beyond]. apply (continuous_comp (fun x : R => Rmax a x) (fun x : R => G x)); auto.
    apply continuity_pt_filterlim. intros eps He. exists eps. split; auto. intros x (_ & Hx).
    simpl in *. unfold R_dist in *. apply Rabs_def2 in Hx. apply Rabs_def1;
      unfold Rmax; destruct (Rle_dec a x), (Rle_dec a y); lra.
  - cbn [beyond]. apply (is_lim_ext_loc (fun x : R => G x)); auto. exists a. intros x Hx. now rewrite Rmax_right by lra.
  - cbn [beyond]. apply (is_lim_ext_loc (fun _ => G a)); [|apply is_lim_const]. exists a. intros x Hx.
    now rewrite Rmax_left by lra.
Qed.

Lemma int_before b g G : integral g G ->
  integral (fun y => if Rle_dec b y then 0 else g y) (fun t => G (before b t)).
Proof.
  intros [(ps & Hd) Hc Ht Hb]. split.
  - exists (b :: ps). intros y Hy. cbn [before].
    assert (Hya : y <> b) by (intros ->; apply Hy; simpl; auto).
    destruct (Rle_dec b y) as [H|H].
    + apply (is_derive_ext_loc (fun x : R => G b));
        [|apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) (G b) y)].
      exists (mkposreal (y - b) ltac:(lra)). intros x Hx. apply near in Hx; simpl in *; [|lra].
      rewrite Rmin_left by lra. reflexivity.
    + apply (is_derive_ext_loc (fun x : R => G x)); [|apply Hd; intros F; apply Hy; simpl; auto].
      exists (mkposreal (b - y) ltac:(lra)). intros x Hx. apply near in Hx; simpl in *; [|lra].
      rewrite Rmin_right by lra. reflexivity.
  - intros y. cbn [before]. apply (continuous_comp (fun x : R => Rmin b x) (fun x : R => G x)); auto.
    apply continuity_pt_filterlim. intros eps He. exists eps. split; auto. intros x (_ & Hx).
    simpl in *. unfold R_dist in *. apply Rabs_def2 in Hx. apply Rabs_def1;
      unfold Rmin; destruct (Rle_dec b x), (Rle_dec b y); lra.
  - cbn [before]. apply (is_lim_ext_loc (fun _ => G b)); [|apply is_lim_const]. exists b. intros x Hx.
    now rewrite Rmin_left by lra.
  - cbn [before]. apply (is_lim_ext_loc (fun x : R => G x)); auto. exists b. intros x Hx. now rewrite Rmin_right by lra.
Qed.

(* The part between two points. *)
Definition clamp (a b : R) (t : Rbar) : Rbar := before b (beyond a t).
Definition inside (a b y : R) (u w : R) : R := if Rle_dec y a then w else if Rle_dec b y then w else u.

Lemma int_inside a b g G : integral g G -> integral (fun y => inside a b y (g y) 0) (fun t => G (clamp a b t)).
Proof. intros H. exact (int_beyond a _ _ (int_before b g G H)). Qed.

(* Order. *)
Lemma int_rises g G lo hi : integral g G -> Rbar_le lo hi ->
  (forall y : R, Rbar_lt lo y -> Rbar_lt y hi -> 0 <= g y) -> 0 <= over G lo hi.
Proof.
  intros [(ps & Hd) Hc Ht Hb] Hl Hg. unfold over.
  assert (Hf : forall a b : R, a <= b -> (forall y, a < y < b -> 0 <= g y) -> G a <= G b).
  { intros a b Hab H. apply (rises (fun x : R => G x) ps); auto. intros y Hy Hn. exists (g y). auto. }
  destruct lo as [a| |], hi as [b| |]; simpl in Hl; try tauto; try lra.
  - assert (G a <= G b); [|lra]. apply Hf; auto. intros y Hy. apply Hg; simpl; lra.
  - assert (Rbar_le (G a) (G p_infty)); [|simpl in *; lra].
    apply (is_lim_le_loc (fun _ => G a) (fun x : R => G x) p_infty); auto; [|apply is_lim_const].
    exists a. intros x Hx. apply Hf; [lra|]. intros y Hy. apply Hg; simpl; auto; lra.
  - assert (Rbar_le (G m_infty) (G b)); [|simpl in *; lra].
    apply (is_lim_le_loc (fun x : R => G x) (fun _ => G b) m_infty); auto; [|apply is_lim_const].
    exists b. intros x Hx. apply Hf; [lra|]. intros y Hy. apply Hg; simpl; auto; lra.
  - assert (Rbar_le (G m_infty) (G 0)).
    { apply (is_lim_le_loc (fun x : R => G x) (fun _ => G 0) m_infty); auto; [|apply is_lim_const].
      exists 0. intros x Hx. apply Hf; [lra|]. intros y Hy. apply Hg; simpl; auto; lra. }
    assert (Rbar_le (G 0) (G p_infty)); [|simpl in *; lra].
    apply (is_lim_le_loc (fun _ => G 0) (fun x : R => G x) p_infty); auto; [|apply is_lim_const].
    exists 0. intros x Hx. apply Hf; [lra|]. intros y Hy. apply Hg; simpl; auto; lra.
Qed.

Theorem int_le f F g G lo hi : integral f F -> integral g G -> Rbar_le lo hi ->
  (forall y : R, Rbar_lt lo y -> Rbar_lt y hi -> f y <= g y) -> over F lo hi <= over G lo hi.
Proof.
  intros Hf Hg Hl H.
  assert (Hi := int_plus g G _ _ Hg (int_scal (-1) f F Hf)).
  assert (H0 := int_rises _ _ lo hi Hi Hl). unfold over in *.
  assert (0 <= G hi + -1 * F hi - (G lo + -1 * F lo)); [|lra]. apply H0.
  intros y H1 H2. specialize (H y H1 H2). lra.
Qed.
