(** How soon: explicit lengths at D = 1, C = 1.

    Proves: for every L from 0 to 7 and every T from a million on there is a stream of T examples on which
    BASE's regret is at least 3/5 of K T^(2/3), K = 3/4 sqrt 2 + 3/2 L; for every L from 0 to 29 and from a
    billion on, 9/10 of it.
    Idea: the errors of [attained_at_length] are explicit; one example is arrival enough at D = 1.
    Uses: OneSpace, Arrival. *)
From Coq Require Import Reals Lra Psatz Lia List.
From Abacoc Require Import Algorithm Setting Powers Radii Arrival OneSpace.
Import ListNotations.
Local Open Scope R_scope.

(** D = 1, C = 1: V is the cube root of T / (1 + delta), v a bound from below, 1/x the largest radius used. *)
Lemma line_attains : forall L c e delta x v (T : nat), 0 <= L -> 0 <= c -> 0 < e <= 1/2 -> 0 <= delta -> 0 < x ->
  4 <= v ->
  (1 + delta) * v ^ 3 <= INR T -> 3 <= delta * v -> 2 * x ^ 3 <= v * v -> 2 * (1 + L) <= x -> 4 <= e * x ->
  c * (1 + delta) + 3/4 * sqrt 2 * e + (87/10 + 9/2 * L) / v + L / x * (sqrt 2 + 5) <= 3/4 * sqrt 2 + 3/2 * L ->
  exists stream, length stream = T /\ setting (all_dist (fun _ _ : unit => 0) 1) 1 1 L (all_ramps L) stream /\
    c * Rpower (INR T) (2/3) <= regret (all_dist (fun _ _ : unit => 0) 1) 1 (all_ramps L) stream.
Proof.
  intros L c e delta x v T HL Hc He Hd Hx Hv HT Hdv Hxv HLx Hex Herr.
  assert (HT0 : 0 < INR T / (1 + delta)).
  { assert (64 <= v ^ 3) by (replace 64 with (4 ^ 3) by ring; apply pow_incr; lra). apply Rdiv_lt_0_compat; nra. }
  set (V := Rpower (INR T / (1 + delta)) (1 / (2 + INR 1))). pose proof (root_pow (INR T / (1 + delta)) 1 HT0) as EV.
  fold V in EV. simpl (2 + 1)%nat in EV.
  assert (HVv : v <= V).
  { apply (pow_le_reg v V 3); [lia|lra|left; apply Rpower_pos|]. rewrite EV.
    apply Rmult_le_reg_l with (1 + delta); [lra|].
    replace ((1 + delta) * (INR T / (1 + delta))) with (INR T) by (field; lra). exact HT. }
  assert (EA2 : balls_constant 1 1 * balls_constant 1 1 = 2) by (rewrite balls_constant_square by lra; simpl; ring).
  assert (EA : balls_constant 1 1 = sqrt 2).
  { destruct (balls_constant_range 1 1 ltac:(lra) ltac:(lia)) as [H1 _]. rewrite <- EA2. rewrite sqrt_square; lra. }
  assert (Eb : (2 + INR 1) / (1 + INR 1) = 3/2) by (simpl; field).
  assert (Ea : alpha 1 = 2/3) by (unfold alpha; simpl; field).
  pose proof (attained_at_length 1 1 L (fun _ _ : unit => 0) tt [(tt, true)] [] 1 0 e delta x V c T) as Q.
  cbv zeta in Q.
  rewrite EA2, EA, Eb, Ea in Q. simpl (2 + 1)%nat in Q. simpl (INR 1) in Q.
  apply Q; try assumption; try lra; try lia; clear Q.
  - apply arrival_1. lra.
  - simpl. lra.
  - simpl. lra.
  - rewrite EV. field. lra.
  - nra.
  - nra.
  - apply Rle_trans with (2 := Herr).
    replace (3/2 + 31/10 * 2 + 3 * (3/2) * L + 1) with (87/10 + 9/2 * L) by field.
    replace (sqrt 2 + 2 * (3/2) + 2) with (sqrt 2 + 5) by field.
    assert ((87/10 + 9/2 * L) / V <= (87/10 + 9/2 * L) / v); [|lra].
    apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.

Lemma line_space : forall L, 0 <= L ->
  metric (all_dist (fun _ _ : unit => 0) 1) /\ (forall x, 0 <= all_ramps (P := unit) L x <= 1) /\
  forall x y, Rabs (all_ramps L x - all_ramps L y) <= L * all_dist (fun _ _ : unit => 0) 1 x y.
Proof.
  intros L HL. pose proof (arrival_metric _ _ _ _ _ _ (arrival_1 1 ltac:(lra))) as M.
  split; [apply all_metric, M|].
  split; [intros x; apply all_ramps_range, HL|intros x y; apply all_ramps_lipschitz; assumption].
Qed.

Theorem three_fifths_from_a_million : forall L, 0 <= L <= 7 -> exists (X : Type) (dist : X -> X -> R) (f : X -> R),
  metric dist /\ (forall x, 0 <= f x <= 1) /\ (forall x y, Rabs (f x - f y) <= L * dist x y) /\
  forall T : nat, 1000000 <= INR T -> exists stream, length stream = T /\ setting dist 1 1 L f stream /\
    3/5 * (3/4 * sqrt 2 + 3/2 * L) * Rpower (INR T) (2/3) <= regret dist 1 f stream.
Proof.
  intros L HL. exists all_wedges, (all_dist (fun _ _ : unit => 0) 1), (all_ramps L).
  destruct (line_space L ltac:(lra)) as (H1 & H2 & H3).
  split; [exact H1|]. split; [exact H2|]. split; [exact H3|]. intros T HT. pose proof sqrt_bounds as [_ Hs].
  apply (line_attains L (3/5 * (3/4 * sqrt 2 + 3/2 * L)) (1/4) (1/20) 16 98 T); try lra.
  apply Rle_trans with (3/5 * (3/4 * sqrt 2 + 3/2 * L) * (1 + 1/20) + 3/4 * sqrt 2 * (1/4) + (87/10 + 9/2 * L) / 98 + L
    / 16 * (14143/10000 + 5)); [|lra].
  assert (L / 16 * (sqrt 2 + 5) <= L / 16 * (14143/10000 + 5)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Theorem nine_tenths_from_a_billion : forall L, 0 <= L <= 29 -> exists (X : Type) (dist : X -> X -> R) (f : X -> R),
  metric dist /\ (forall x, 0 <= f x <= 1) /\ (forall x y, Rabs (f x - f y) <= L * dist x y) /\
  forall T : nat, 1000000000 <= INR T -> exists stream, length stream = T /\ setting dist 1 1 L f stream /\
    9/10 * (3/4 * sqrt 2 + 3/2 * L) * Rpower (INR T) (2/3) <= regret dist 1 f stream.
Proof.
  intros L HL. exists all_wedges, (all_dist (fun _ _ : unit => 0) 1), (all_ramps L).
  destruct (line_space L ltac:(lra)) as (H1 & H2 & H3).
  split; [exact H1|]. split; [exact H2|]. split; [exact H3|]. intros T HT. pose proof sqrt_bounds as [_ Hs].
  apply (line_attains L (9/10 * (3/4 * sqrt 2 + 3/2 * L)) (4/75) (1/250) 75 998 T); try lra.
  apply Rle_trans with (9/10 * (3/4 * sqrt 2 + 3/2 * L) * (1 + 1/250) + 3/4 * sqrt 2 * (4/75) + (87/10 + 9/2 * L) / 998
    + L / 75 * (14143/10000 + 5)); [|lra].
  assert (L / 75 * (sqrt 2 + 5) <= L / 75 * (14143/10000 + 5)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
