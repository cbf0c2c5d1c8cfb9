(** A comb: a metric space made of leaves and hubs, for any falling sequence of gaps.

    Proves: the distance below is a metric; leaf i is gap(j) away from every earlier leaf j < i, and hub j
    is at most gap(j)/2 away from leaf j and from all later leaves.
    Idea: every node has an index and a height (leaves 0, hub i half its gap); two branches meet at half the
    gap of the earlier one, and a way goes up to the meeting point and down again. Of three branches the two
    highest meetings are equal (an ultrametric), and the triangle inequality follows by cases.
    Uses: nothing of the algorithm. *)
From Coq Require Import Reals Lra Psatz Lia.
Local Open Scope R_scope.

Inductive node := Leaf (i : nat) | Hub (i : nat).
Definition index (x : node) : nat := match x with Leaf i | Hub i => i end.

Section COMB.
Variable gap : nat -> R.
Hypothesis gap_pos : forall i, 0 < gap i.
Hypothesis gap_lt : forall i j, (i < j)%nat -> gap j < gap i.

Definition height (x : node) : R := match x with Leaf _ => 0 | Hub i => gap i / 2 end.
Definition meet (i j : nat) : R := if Nat.eqb i j then 0 else gap (Nat.min i j) / 2.
Definition comb (x y : node) : R :=
  2 * Rmax (meet (index x) (index y)) (Rmax (height x) (height y)) - height x - height y.

Lemma gap_le : forall i j, (i <= j)%nat -> gap j <= gap i.
Proof. intros i j H. destruct (Nat.eq_dec i j) as [->|N]; [lra|]. left. apply gap_lt. lia. Qed.

Lemma height_pos : forall x, 0 <= height x.
Proof. intros [i|i]; simpl; [lra|]. pose proof (gap_pos i). lra. Qed.
Lemma meet_apart : forall i j, i <> j -> meet i j = gap (Nat.min i j) / 2.
Proof. intros i j N. unfold meet. destruct (Nat.eqb_spec i j); [congruence|reflexivity]. Qed.
Lemma meet_pos : forall i j, 0 <= meet i j.
Proof. intros i j. unfold meet. destruct (Nat.eqb i j); [lra|]. pose proof (gap_pos (Nat.min i j)). lra. Qed.
Lemma meet_sym : forall i j, meet i j = meet j i.
Proof. intros i j. unfold meet. rewrite Nat.eqb_sym, Nat.min_comm. reflexivity. Qed.

(** Of three branches the two highest meetings are equal. *)
Lemma meet_ultra : forall i j k, meet i k <= Rmax (meet i j) (meet j k).
Proof.
  intros i j k.
  destruct (Nat.eq_dec i k) as [->|Hik].
  { unfold meet at 1. rewrite Nat.eqb_refl. eapply Rle_trans; [|apply Rmax_l]. apply meet_pos. }
  destruct (Nat.eq_dec j i) as [->|Hji]; [apply Rmax_r|].
  destruct (Nat.eq_dec j k) as [->|Hjk]; [apply Rmax_l|].
  rewrite !meet_apart by congruence. destruct (Nat.le_gt_cases i k) as [H|H].
  - eapply Rle_trans; [|apply Rmax_l]. pose proof (gap_le (Nat.min i j) (Nat.min i k) ltac:(lia)). lra.
  - eapply Rle_trans; [|apply Rmax_r]. pose proof (gap_le (Nat.min j k) (Nat.min i k) ltac:(lia)). lra.
Qed.

Ltac max_cases := unfold Rmax in *; repeat destruct (Rle_dec _ _); lra.

Lemma comb_sym : forall x y, comb x y = comb y x.
Proof. intros x y. unfold comb. rewrite meet_sym, (Rmax_comm (height x)). ring. Qed.

Lemma comb_triangle : forall x y z, comb x z <= comb x y + comb y z.
Proof.
  intros x y z. unfold comb. pose proof (meet_ultra (index x) (index y) (index z)) as U.
  set (m1 := meet (index x) (index y)) in *. set (m2 := meet (index y) (index z)) in *.
  set (m := meet (index x) (index z)) in *. set (h1 := height x). set (h2 := height y). set (h3 := height z).
  clearbody m m1 m2 h1 h2 h3. max_cases.
Qed.

Lemma comb_refl : forall x, comb x x = 0.
Proof. intros x. unfold comb, meet. rewrite Nat.eqb_refl. pose proof (height_pos x). max_cases. Qed.

Lemma comb_zero : forall x y, comb x y = 0 <-> x = y.
Proof.
  intros x y. split; [|intros ->; apply comb_refl]. intros H.
  assert (Q : height x = height y /\ meet (index x) (index y) <= height x).
  { unfold comb in H. revert H. unfold Rmax. repeat destruct (Rle_dec _ _); lra. }
  destruct Q as [Q1 Q2]. unfold meet in Q2. destruct x as [i|i], y as [j|j]; cbn [index height] in *.
  - destruct (Nat.eqb_spec i j) as [->|N]; [reflexivity|]. pose proof (gap_pos (Nat.min i j)). lra.
  - pose proof (gap_pos j). lra.
  - pose proof (gap_pos i). lra.
  - destruct (Nat.lt_total i j) as [N|[->|N]]; [|reflexivity|]; pose proof (gap_lt _ _ N); lra.
Qed.

Lemma comb_diameter : forall d, (forall i, gap i <= d) -> 0 <= d -> forall x y, comb x y <= d.
Proof.
  intros d H Hd x y. unfold comb.
  assert (Hh : forall z, height z <= d / 2) by (intros [i|i]; simpl; [lra|specialize (H i); lra]).
  assert (Hm : meet (index x) (index y) <= d / 2).
  { unfold meet. destruct (Nat.eqb _ _); [lra|]. specialize (H (Nat.min (index x) (index y))). lra. }
  pose proof (height_pos x). pose proof (height_pos y). pose proof (Hh x). pose proof (Hh y). max_cases.
Qed.

Lemma comb_leaves : forall i j, (j < i)%nat -> comb (Leaf i) (Leaf j) = gap j.
Proof.
  intros i j H. unfold comb, meet. cbn [index height]. destruct (Nat.eqb_spec i j); [lia|].
  rewrite Nat.min_r by lia. pose proof (gap_pos j). max_cases.
Qed.

Lemma comb_hub : forall i j, (j <= i)%nat -> comb (Leaf i) (Hub j) <= gap j / 2.
Proof.
  intros i j H. unfold comb, meet. cbn [index height]. pose proof (gap_pos j). rewrite Nat.min_r by lia.
  destruct (Nat.eqb i j); max_cases.
Qed.

End COMB.
