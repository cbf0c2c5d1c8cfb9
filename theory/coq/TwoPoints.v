(** The smallest witness: two points at distance 1/100, d = 0, C-hat = C_S = 2, L = 100 and a million examples
    with alternating labels. One ball holds both points to the end, since its radius is at least 1/100, and
    BASE errs on half of the examples; the stated bound is 193,455. *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Setting Powers Radii Game Runs Star.
Import ListNotations.
Local Open Scope R_scope.

Definition two_points (m : nat) : list (site * bool) := map (fun y => (Leaf 0 y, y)) (alternating m).
Notation dist := (star 1 (1/100)).

Lemma two_points_regret : forall m, INR (2 * m) <= 1000000 -> INR m <= regret dist 2 twin_label (two_points m).
Proof.
  intros [|m] Hm; [unfold regret; simpl; lra|].
  assert (Hin : forall x y ys, In (x, y) (map (fun y => (Leaf 0 y, y)) ys) -> x = Leaf 0 y).
  { intros x y ys H. apply in_map_iff in H. destruct H as (z & E & _). injection E as <- <-. reflexivity. }
  unfold regret. rewrite comparator_knows by (intros x y H; rewrite (Hin _ _ _ H); reflexivity). rewrite Rminus_0_r.
  set (rest := map (fun y => (Leaf 0 y, y)) (false :: alternating m)).
  destruct (held_start dist 2 rest (Leaf 0 true) true ltac:(lra)) as [E _].
  - intros x y H. rewrite (Hin _ _ _ H). apply Rle_trans with (/ 100); [destruct y; simpl; lra|].
    apply radius_above; [lia|lra|]. unfold rest. rewrite map_length. cbn [length]. rewrite alternating_length.
    replace (1 + S (2 * m))%nat with (2 * S m)%nat by lia. simpl (100 ^ _). lra.
  - change ((Leaf 0 true, true) :: rest) with (two_points (S m)) in E. rewrite E. unfold rest. rewrite map_map, map_id.
    apply (alternating_play (S m) 0 0). lia.
Qed.

Lemma two_points_setting : forall m, setting dist 2 0 100 twin_label (two_points m).
Proof.
  intros m. assert (Hn : 0 < 1/100 <= 1 / 2) by lra. destruct (star_metric 1 (1/100) Hn ltac:(lra)) as (_ & _ &
    Hsym & Htri).
  assert (Hpts : forall x, points (two_points m) x -> among 1 0 x).
  { intros x H. unfold points, two_points in H. rewrite map_map in H. apply in_map_iff in H.
    destruct H as ([|] & <- & _);
    [left; reflexivity|right; exists O; split; [lia|reflexivity]]. }
  constructor; try assumption; try lra.
  - intros r Hr. destruct (star_covered 1 (1/100) Hn ltac:(lra) 2 0 1 0) with (r := r) as (cs & H1 & H2);
      try lra; try lia; try (rewrite Rpower_O by lra; simpl; lra).
    exists cs. split; [exact H1|]. intros x Hx. apply H2, Hpts, Hx.
  - intros x Hx. destruct (Hpts x Hx) as [->|(c & _ & ->)]; simpl; lra.
  - intros x y Hx Hy. pose proof (twin_lipschitz 1 (1/100) Hn 1 0 x y (Hpts x Hx) (Hpts y Hy)) as Q.
    replace (/ (1/100)) with 100 in Q by field. exact Q.
Qed.

Theorem theorem_1_fails_at_0 : fails_at 0 1000000.
Proof.
  set (m := Z.to_nat 500000).
  assert (Em : INR m = 500000) by (unfold m; rewrite INR_IZR_INZ, Z2Nat.id by lia; reflexivity).
  assert (ET : INR (2 * m) = 1000000) by (rewrite mult_INR, Em; simpl; ring). clearbody m.
  exists site, dist, 2, 100, twin_label, (two_points m).
  split; [apply star_metric; lra|]. split; [apply two_points_setting|].
  split; [unfold two_points; rewrite map_length, alternating_length; exact ET|].
  apply Rlt_le_trans with (INR m); [|apply two_points_regret; lra]. rewrite Em. unfold stated.
  rewrite Rpower_O by lra. replace ((1 + 0) / (2 + 0)) with (/ 2) by field. rewrite Rpower_sqrt by lra.
  replace (sqrt 1000000) with 1000 by (replace 1000000 with (1000 * 1000) by ring; rewrite sqrt_square; lra).
  pose proof sqrt_bounds as [_ [_ B]]. lra.
Qed.
