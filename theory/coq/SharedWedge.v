(** The space on which the leading constant is attained at every L, and the comparator on it.

    Proves: (any metric space P of diameter at most 1) x (a comb) x (the real line, cut at distance 1), with
    the maximum distance, is a metric space of diameter at most 1, and the ramp along the line is
    L-Lipschitz on all of it.
    Idea: when leaf i of the comb has had its n examples, the radius is the gap of leaf i, and the next leaf
    opens a new ball just in time. Every ball gains L times the radius per step from examples at z = middle
    + radius with label 1 and z = middle - radius with label 0, a wedge. All balls share the ends of their
    wedges, on the line of one far leaf, so the ends cost almost no covering numbers. P is where BASE was
    before, to get to dimension D.
    Uses: combs (Comb). *)
From Coq Require Import Reals Lra Psatz Lia List.
From Abacoc Require Import Algorithm Setting Powers Radii Huber RadiiBelow Comb.
Local Open Scope R_scope.

Ltac max_cases := unfold Rmax, Rmin in *; repeat destruct (Rle_dec _ _); lra.

Lemma max_triangle : forall a b c a' b' c', a <= b + c -> a' <= b' + c' -> Rmax a a' <= Rmax b b' + Rmax c c'.
Proof. intros. max_cases. Qed.

Lemma metric_nonneg : forall X (dist : X -> X -> R), metric dist -> forall x y, 0 <= dist x y.
Proof.
  intros X dist (H0 & _ & Hs & Ht) x y. pose proof (Ht x y x) as T.
  rewrite (proj2 (H0 x x) eq_refl), (Hs y x) in T. lra.
Qed.

(** The line, cut at distance 1. *)
Definition line (s t : R) : R := Rmin 1 (Rabs (s - t)).
Lemma line_metric : metric line.
Proof.
  unfold line. repeat split.
  - intros H. pose proof (Rabs_pos (x - y)). assert (E : Rabs (x - y) = 0) by max_cases.
    revert E. unfold Rabs. destruct (Rcase_abs _); lra.
  - intros ->. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. max_cases.
  - intros. apply Rmin_l.
  - intros x y. rewrite Rabs_minus_sym. reflexivity.
  - intros x y z. pose proof (Rabs_triang (x - y) (y - z)) as T. replace (x - y + (y - z)) with (x - z) in T by ring.
    pose proof (Rabs_pos (x - y)). pose proof (Rabs_pos (y - z)). max_cases.
Qed.

(** * The product *)

Section SPACE.
Context {P : Type}.
Variable dP : P -> P -> R.
Hypothesis HP : metric dP.
Variable gap : nat -> R.
Hypothesis gap_pos : forall i, 0 < gap i.
Hypothesis gap_lt : forall i j, (i < j)%nat -> gap j < gap i.
Hypothesis gap_le_1 : forall i, gap i <= 1.

Lemma comb_metric : metric (comb gap).
Proof.
  repeat split.
  - apply comb_zero; [exact gap_pos|exact gap_lt].
  - apply comb_zero; [exact gap_pos|exact gap_lt].
  - apply comb_diameter; [exact gap_pos|exact gap_le_1|lra].
  - apply comb_sym.
  - apply comb_triangle; [exact gap_pos|exact gap_lt].
Qed.

Definition point : Type := (P * (node * R))%type.
Definition wedge_dist (p q : point) : R :=
  Rmax (dP (fst p) (fst q)) (Rmax (comb gap (fst (snd p)) (fst (snd q))) (line (snd (snd p)) (snd (snd q)))).

Theorem wedge_metric : metric wedge_dist.
Proof.
  pose proof (metric_nonneg _ _ HP) as NP. pose proof (metric_nonneg _ _ comb_metric) as NF.
  pose proof (metric_nonneg _ _ line_metric) as NL.
  destruct HP as (P0 & P1 & Ps & Pt). destruct comb_metric as (F0 & F1 & Fs & Ft).
  destruct line_metric as (L0 & L1 & Ls & Lt).
  unfold wedge_dist. repeat split.
  - destruct x as [x [u s]], y as [y [w t]]. cbn [fst snd]. intros H.
    specialize (NP x y). specialize (NF u w). specialize (NL s t).
    assert (E : dP x y = 0 /\ comb gap u w = 0 /\ line s t = 0)
      by (revert H; unfold Rmax; repeat destruct (Rle_dec _ _); lra).
    destruct E as (E1 & E2 & E3). apply (proj1 (P0 _ _)) in E1. apply (proj1 (F0 _ _)) in E2.
    apply (proj1 (L0 _ _)) in E3. congruence.
  - intros ->. rewrite (proj2 (P0 _ _) eq_refl), (proj2 (F0 _ _) eq_refl), (proj2 (L0 _ _) eq_refl). max_cases.
  - intros x y. specialize (P1 (fst x) (fst y)). specialize (F1 (fst (snd x)) (fst (snd y))).
    specialize (L1 (snd (snd x)) (snd (snd y))).
    repeat apply Rmax_lub; assumption.
  - intros x y. rewrite Ps, Fs, Ls. reflexivity.
  - intros x y z. apply max_triangle; [apply Pt|]. apply max_triangle; [apply Ft|apply Lt].
Qed.

Lemma wedge_self : forall p, wedge_dist p p = 0.
Proof. intros p. apply wedge_metric. reflexivity. Qed.
(** A copy of P at height z of leaf 0. *)
Definition old (z : R) (x : P) : point := (x, (Leaf 0, z)).
Lemma old_iso : forall z x y, wedge_dist (old z x) (old z y) = dP x y.
Proof.
  intros z x y. destruct comb_metric as (F0 & _). destruct line_metric as (L0 & _).
  pose proof (metric_nonneg _ _ HP x y).
  unfold wedge_dist, old. cbn [fst snd]. rewrite (proj2 (F0 _ _) eq_refl), (proj2 (L0 _ _) eq_refl). max_cases.
Qed.
(** Any two points of different leaves are at least the gap of the earlier one apart. *)
Lemma leaves_apart : forall p q i m, fst (snd p) = Leaf i -> fst (snd q) = Leaf m -> (m < i)%nat ->
  gap m <= wedge_dist p q.
Proof.
  intros p q i m Ep Eq H. unfold wedge_dist. rewrite Ep, Eq, (comb_leaves _ gap_pos) by exact H.
  eapply Rle_trans; [|apply Rmax_r]. apply Rmax_l.
Qed.
(** A point of a later leaf, s higher or lower. *)
Lemma later_leaf : forall (x : P) far i z s, (i < far)%nat -> Rabs s <= 1 ->
  wedge_dist (x, (Leaf far, z + s)) (x, (Leaf i, z)) = Rmax (gap i) (Rabs s).
Proof.
  intros x far i z s H Hs. destruct HP as (P0 & _). pose proof (gap_pos i). unfold wedge_dist, line. cbn [fst snd].
  replace (z + s - z) with s by ring.
  rewrite (proj2 (P0 _ _) eq_refl), (comb_leaves _ gap_pos) by exact H. max_cases.
Qed.

(** * The comparator: a ramp along the line, 1 from z = 0 on, falling with slope L below *)

Variable L : R.
Hypothesis L_ge_0 : 0 <= L.
Let H := / (1 + L).

Definition ramp (z : R) : R := 1 + L * Rmax (- / (1 + L)) (Rmin 0 z).
Definition ramp_at (p : point) : R := ramp (snd (snd p)).

Lemma H_range : 0 < H <= 1 /\ L * H <= 1.
Proof.
  assert (E : (1 + L) * H = 1) by (unfold H; field; lra). assert (0 < H) by (apply Rinv_0_lt_compat; lra).
  assert (0 <= L * H) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma ramp_range : forall z, 1 - L * H <= ramp z <= 1.
Proof.
  intros z. pose proof H_range. unfold ramp. fold H. set (u := Rmax (- H) (Rmin 0 z)).
  assert (- H <= u <= 0) by (unfold u; max_cases).
  assert (L * (- H) <= L * u <= L * 0) by (split; apply Rmult_le_compat_l; lra). lra.
Qed.
Lemma ramp_at_range : forall p, 0 <= ramp_at p <= 1.
Proof. intros p. unfold ramp_at. pose proof H_range. pose proof (ramp_range (snd (snd p))). lra. Qed.
Lemma ramp_at_lipschitz : forall p q, Rabs (ramp_at p - ramp_at q) <= L * wedge_dist p q.
Proof.
  intros p q. set (s := snd (snd p)). set (t := snd (snd q)). apply Rle_trans with (L * line s t).
  - unfold ramp_at, ramp. fold s t H. pose proof H_range.
    replace (1 + L * Rmax (- H) (Rmin 0 s) - (1 + L * Rmax (- H) (Rmin 0 t)))
      with (L * (Rmax (- H) (Rmin 0 s) - Rmax (- H) (Rmin 0 t))) by ring.
    rewrite Rabs_mult, (Rabs_pos_eq L) by lra. apply Rmult_le_compat_l; [lra|]. unfold line.
    unfold Rmax, Rmin, Rabs. repeat destruct (Rle_dec _ _); repeat destruct (Rcase_abs _); lra.
  - apply Rmult_le_compat_l; [lra|]. unfold wedge_dist. eapply Rle_trans; [|apply Rmax_r]. apply Rmax_r.
Qed.

Variable h : R.
Hypothesis h_pos : 0 < h.
Hypothesis h_small : h * (2 * (1 + L)) <= 1.

Lemma h_H : 2 * h <= H.
Proof.
  apply Rmult_le_reg_r with (1 + L); [lra|]. replace (H * (1 + L)) with 1 by (unfold H; field; lra). lra.
Qed.
(** In the middle of a wedge, and at distance s <= h above (label 1) and below (label 0). *)
Lemma loss_middle : loss true (ramp (- h)) = L * h.
Proof.
  pose proof h_H. unfold ramp, loss, label. fold H.
  replace (Rmax (- H) (Rmin 0 (- h))) with (- h) by max_cases. assert (0 <= L * h) by (apply Rmult_le_pos; lra).
  replace (1 - (1 + L * - h)) with (L * h) by ring. apply Rabs_pos_eq. assumption.
Qed.
Lemma loss_end : forall y s, 0 <= s <= h -> loss y (ramp (- h + sgn y * s)) = (if y then L * h else 1 - L * h) - L * s.
Proof.
  intros y s Hs. pose proof h_H. unfold ramp, loss, label. fold H.
  assert (0 <= L * s <= L * h) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]).
  assert (L * h <= 1/2) by lra.
  replace (Rmax (- H) (Rmin 0 (- h + sgn y * s))) with (- h + sgn y * s) by (destruct y; unfold sgn; max_cases).
  replace (L * (- h + sgn y * s)) with (- (L * h) + sgn y * (L * s)) by ring. set (u := L * s) in *.
  set (b := L * h) in *.
  destruct y; unfold sgn; unfold Rabs; destruct (Rcase_abs _); lra.
Qed.
Lemma loss_top : loss true (ramp 0) = 0.
Proof.
  pose proof H_range. unfold ramp, loss, label. fold H. replace (Rmax (- H) (Rmin 0 0)) with 0 by max_cases.
  rewrite Rmult_0_r, Rplus_0_r, Rminus_diag_eq, Rabs_R0; reflexivity.
Qed.
End SPACE.
