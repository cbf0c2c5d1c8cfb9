(** A comb that is as rich as covering numbers C r^-D allow, at every scale.

    Proves: the comb with gaps (C 2^D / (i + a))^(1/D) is a metric space of diameter at most 1 whose leaves
    have covers of at most C r^-D centres; and when the radius is below the gap of leaf i, the dimension
    check D has room for i + a balls.
    Idea: at scale r the leaves with gap above 2 r and one hub cover all leaves; their number is C r^-D - a
    + 1 at most.
    Uses: Comb. *)
From Coq Require Import Reals Lra Psatz Lia List.
From Abacoc Require Import Algorithm Setting Powers Radii RadiiBelow Comb Arrival.
Import ListNotations.
Local Open Scope R_scope.

Section COARSE.
Variable C : R.
Hypothesis C_ge_1 : 1 <= C.
Variable D : nat.
Hypothesis D_ge_1 : (1 <= D)%nat.
Variable a : nat.
Hypothesis a_ge_2 : (2 <= a)%nat.
Hypothesis a_wide : C * 2 ^ D <= INR a.
Let A2 := C * 2 ^ D.

(** v is one over the gap. *)
Definition v (i : nat) : R := Rpower (INR (i + a) / (C * 2 ^ D)) (/ INR D).
Definition coarse_gap (i : nat) : R := / v i.

Lemma A2_pos : 1 <= A2.
Proof. unfold A2. assert (1 <= 2 ^ D) by (apply pow_R1_Rle; lra). nra. Qed.
Lemma v_argument : forall i, 1 <= INR (i + a) / A2.
Proof.
  intros i. pose proof A2_pos. apply Rmult_le_reg_r with A2; [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_l, Rmult_1_r by lra.
  rewrite plus_INR. pose proof (pos_INR i). unfold A2 in *. lra.
Qed.
Lemma inverse_D : 0 < / INR D.
Proof. apply Rinv_0_lt_compat, lt_0_INR. lia. Qed.
Lemma v_ge_1 : forall i, 1 <= v i.
Proof. intros i. pose proof inverse_D. apply Rpower_ge_1; [apply v_argument|lra]. Qed.
Lemma v_lt : forall i j, (i < j)%nat -> v i < v j.
Proof.
  intros i j H. apply Rlt_Rpower_l; [apply inverse_D|]. pose proof (v_argument i). pose proof A2_pos. unfold A2 in *.
  split; [lra|].
  apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; lra|]. apply lt_INR. lia.
Qed.
Lemma v_pow : forall i, C * 2 ^ D * v i ^ D = INR (i + a).
Proof.
  intros i. pose proof (v_argument i). pose proof A2_pos. unfold v. fold A2. rewrite <- Rpower_pow by apply Rpower_pos.
  rewrite Rpower_mult, Rinv_l by (apply not_0_INR; lia). rewrite Rpower_1 by lra. field. lra.
Qed.

Lemma coarse_gap_pos : forall i, 0 < coarse_gap i.
Proof. intros i. apply Rinv_0_lt_compat. pose proof (v_ge_1 i). lra. Qed.
Lemma coarse_gap_lt : forall i j, (i < j)%nat -> coarse_gap j < coarse_gap i.
Proof. intros i j H. pose proof (v_ge_1 i). pose proof (v_ge_1 j). apply Rinv_lt_contravar; [nra|apply v_lt, H]. Qed.
Lemma coarse_gap_le_1 : forall i, coarse_gap i <= 1.
Proof. intros i. pose proof (v_ge_1 i). unfold coarse_gap. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. Qed.

Lemma coarse_metric : metric (comb coarse_gap).
Proof.
  repeat split.
  - apply comb_zero; [exact coarse_gap_pos|exact coarse_gap_lt].
  - apply comb_zero; [exact coarse_gap_pos|exact coarse_gap_lt].
  - apply comb_diameter; [exact coarse_gap_pos|exact coarse_gap_le_1|lra].
  - apply comb_sym.
  - apply comb_triangle; [exact coarse_gap_pos|exact coarse_gap_lt].
Qed.

Theorem coarse_covered : forall r, 0 < r <= 1 -> exists cs : list node,
  INR (length cs) <= C * Rpower r (- INR D) /\ forall i, exists c, In c cs /\ comb coarse_gap (Leaf i) c <= r.
Proof.
  intros r [Hr0 Hr1]. set (u := C * Rpower r (- INR D)).
  assert (Er : Rpower r (- INR D) * r ^ D = 1).
  { rewrite <- (Rpower_pow D r) by exact Hr0. rewrite <- Rpower_plus. replace (- INR D + INR D) with 0 by ring.
    apply Rpower_O, Hr0. }
  assert (Hpr : 0 < r ^ D) by (apply pow_lt, Hr0).
  pose proof (scale_ge_1 r (INR D) ltac:(lra) (pos_INR D)) as Hp. assert (Hu : 1 <= u) by (unfold u; nra).
  destruct (nat_above u ltac:(lra)) as (k & Hk1 & Hk2). set (j := (k - a)%nat).
  exists (Hub j :: map Leaf (seq 0 j)). split.
  - cbn [length]. rewrite map_length, seq_length, S_INR. pose proof (INR_ge2 a a_ge_2) as Ha.
    destruct (Nat.le_gt_cases k a) as [H|H].
    + replace j with O by (unfold j; lia). simpl (INR 0). lra.
    + unfold j. rewrite minus_INR by lia. lra.
  - intros i. destruct (Nat.lt_ge_cases i j) as [H|H].
    + exists (Leaf i). split; [right; apply in_map, in_seq; lia|]. rewrite (comb_refl _ coarse_gap_pos). lra.
    + exists (Hub j). split; [left; reflexivity|]. eapply Rle_trans; [apply comb_hub; [exact coarse_gap_pos|exact H]|].
      assert (Hk : u <= INR (j + a)) by (apply Rle_trans with (INR k); [lra|apply le_INR; unfold j; lia]).
      rewrite <- v_pow in Hk. unfold u in Hk. pose proof (v_ge_1 j) as Hv.
      assert (H1 : 1 <= v j * (2 * r)).
      { apply (pow_le_reg 1 (v j * (2 * r)) D D_ge_1); [lra|nra|]. rewrite pow1, !Rpow_mult_distr.
        apply Rmult_le_reg_l with C; [lra|]. apply (Rmult_le_compat_r (r ^ D)) in Hk; [|lra].
        rewrite Rmult_assoc, Er in Hk. nra. }
      unfold coarse_gap. apply Rmult_le_reg_l with (2 * v j); [lra|].
      replace (2 * v j * (/ v j / 2)) with 1 by (field; lra). lra.
Qed.

(** Room in the check of dimension D. *)
Lemma coarse_room : forall i eps, 0 < eps < coarse_gap i -> INR (i + a) <= capacity C eps D.
Proof.
  intros i eps [He Hx]. rewrite <- v_pow. unfold capacity. rewrite Rmult_assoc, <- Rpow_mult_distr.
  pose proof (v_ge_1 i).
  apply Rmult_le_compat_l; [lra|]. apply pow_incr. split; [lra|].
  apply Rmult_le_compat_l; [lra|]. rewrite <- (Rinv_inv (v i)).
  apply Rinv_le_contravar; [exact He|unfold coarse_gap in Hx; lra].
Qed.
End COARSE.
