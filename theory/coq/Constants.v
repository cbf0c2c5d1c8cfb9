(** The constants c_D and r_D: 1 and 3/2 for D = 1, at most 1.058 and 1.586 for all D. The proofs compare
    whole powers. *)
From Coq Require Import Reals Lra Psatz Lia List.
From Abacoc Require Import Algorithm Powers Sums Radii Phases.
Local Open Scope R_scope.

Lemma c_pos : forall D, 0 < c_ D.
Proof. intros. apply Rpower_pos. Qed.
Lemma r_pos : forall D, 0 < r_ D.
Proof.
  intros D. pose proof (pos_INR D). apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|apply Rpower_pos].
Qed.

Lemma c_1 : c_ 1 = 1.
Proof.
  unfold c_, series. pose proof (ratio_range 1). rewrite pow_1.
  replace ((1 - ratio 1) / (1 - ratio 1)) with 1 by (field; lra). apply Rpower_1_l.
Qed.
Lemma r_1 : r_ 1 = 3/2.
Proof. unfold r_. simpl INR. rewrite Rpower_1_l. field. Qed.

Lemma root_bound : forall x c D, 0 < x -> 0 < c -> x <= c ^ (2 + D) -> Rpower x (1 / (2 + INR D)) <= c.
Proof.
  intros x c D Hx Hc H. apply (pow_le_reg _ _ (2 + D)); [lia|left; apply Rpower_pos|lra|].
  rewrite root_pow; assumption.
Qed.

Lemma series_bound : forall D, (1 <= D)%nat -> 0 < series D <= (1058/1000) ^ (2 + D).
Proof.
  intros D HD. pose proof (ratio_range D) as Hr. pose proof (ratio_square D) as E.
  unfold series. set (r := ratio D) in *.
  assert (H1 : r ^ D <= r) by (pose proof (pow_anti r 1 D Hr HD) as Q; rewrite pow_1 in Q; exact Q).
  set (x := (1 - r ^ D) / (1 - r)).
  assert (Ex : (1 - r) * x = 1 - r ^ D) by (unfold x; field; lra).
  assert (Hx : 0 < x) by (apply Rdiv_lt_0_compat; lra). split; [exact Hx|]. clearbody x.
  destruct D as [|[|[|D]]]; [lia| | |].
  - simpl (2 + 1)%nat. rewrite pow_1 in Ex. assert (x = 1) by nra. subst x. simpl. lra.
  - simpl in E. assert (r = / 4) by nra. clearbody r. subst r. simpl in *. lra.
  - assert (32 <= 2 ^ (2 + S (S (S D)))) by (replace 32 with (2 ^ 5) by ring; apply Rle_pow; [lra|lia]).
    assert (/ 2 ^ (2 + S (S (S D))) <= / 32) by (apply Rinv_le_contravar; lra).
    assert (r <= 18/100) by nra.
    assert (0 < r ^ S (S (S D))) by (apply pow_lt; lra).
    assert (x <= 122/100) by nra.
    apply Rle_trans with ((1058/1000) ^ 5); [|apply Rle_pow; [lra|lia]].
    simpl. lra.
Qed.

Lemma phases_count : forall D, (1 <= D)%nat -> INR D <= (1586/1000 * alpha D) ^ (2 + D).
Proof.
  intros D HD.
  destruct D as [|[|[|[|D]]]]; [lia| | | |]. 1-3: unfold alpha; simpl; field_simplify; lra.
  apply Rle_trans with ((12688/10000) ^ (2 + S (S (S (S D))))).
  - clear HD. induction D as [|D IH]; [simpl; lra|].
    rewrite S_INR. change (2 + S (S (S (S (S D)))))%nat with (S (2 + S (S (S (S D)))))%nat.
    rewrite <- tech_pow_Rmult.
    assert (4 <= INR (S (S (S (S D))))) by (replace 4 with (INR 4) by (simpl; ring); apply le_INR; lia).
    lra.
  - apply pow_incr. split; [lra|].
    assert (A : alpha 3 <= alpha (S (S (S (S D))))) by (apply alpha_mono; lia).
    assert (alpha 3 = 4/5) by (unfold alpha; simpl; field). lra.
Qed.

Lemma c_le : forall D, (1 <= D)%nat -> c_ D <= 1058/1000.
Proof. intros D HD. destruct (series_bound D HD). apply root_bound; [assumption|lra|assumption]. Qed.

Lemma r_le : forall D, (1 <= D)%nat -> r_ D <= 1586/1000.
Proof.
  intros D HD. unfold r_. pose proof (alpha_range D). pose proof (INR_ge1 D HD).
  assert (Q : Rpower (INR D) (1 / (2 + INR D)) <= 1586/1000 * alpha D).
  { apply root_bound; [lra|lra|]. apply phases_count, HD. }
  apply Rle_trans with ((2 + INR D) / (1 + INR D) * (1586/1000 * alpha D)).
  - apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra|exact Q].
  - right. unfold alpha. field. lra.
Qed.
