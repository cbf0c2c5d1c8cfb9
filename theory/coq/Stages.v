(** Numbers for one stream that goes on for ever.

    Proves: with the numbers below, stage after stage, there is one falling sequence of gaps that has in
    stage m exactly the gaps that stage m needs, and the regret at the end of stage m is at least
    (K - 1/(m+1)) T^((1+D)/(2+D)).
    Idea: stage m has n examples at each of k leaves, n so large that all that was before, u steps, N
    leaves, is nothing beside it; n and k come from the formula of Threshold.v. The gaps of stage m are the
    radii after n, 2n, ..., (k+2) n steps, and the next stage's n is above (k+2) n.
    Uses: Threshold (the scale), LeadingCount. *)
From Coq Require Import Reals Lra Psatz Lia.
From Abacoc Require Import Algorithm Powers Radii RadiiBelow OneSpace LeadingCount Threshold.
Local Open Scope R_scope.

Section STAGES.
Variable C : R.
Hypothesis C_ge_1 : 1 <= C.
Variable D : nat.
Hypothesis D_ge_1 : (1 <= D)%nat.
Variable L : R.
Hypothesis L_ge_0 : 0 <= L.
Notation K := (leading_constant C D L).
Let A := balls_constant C D.

(** * One stage, for a past of size s *)

Definition examples (c s : R) : nat :=
  above (scale C D L c s * scale C D L c s / ((1 - free_part C D L c) * (balls_constant C D * balls_constant C D))).
Definition leaves (c s : R) : nat :=
  above ((1 - free_part C D L c) * (balls_constant C D * balls_constant C D) * scale C D L c s ^ D - 2).

Theorem stage_facts : forall c s, 0 <= c < K -> 0 <= s ->
  let V := scale C D L c s in let e := free_part C D L c in
  let n := examples c s in let k := leaves c s in let h := radius n D in
  (1 <= n)%nat /\ h * (2 * (1 + L)) <= 1 /\ h <= 1/2 /\ 0 < e < 1 /\ 1 <= V /\ V * V <= (1 - e) * (C * 2 ^ D) * INR n /\
  INR (S k) <= (1 - e) * (C * 2 ^ D) * V ^ D /\ h * (2 * s + 8) <= e * (C * 2 ^ D) /\ 4 * s <= INR n /\
  forall p T Rg, 0 <= p <= s -> 0 < T <= p + INR (S k) * INR n ->
    INR k * (3/4 * sqrt (INR n) - 8/5 - L * h * (sqrt (INR n) + 2)) + L * (radii (S k * n) D - radii n D)
    - INR n * (L * h) - p <= Rg -> c * Rpower T (alpha D) <= Rg.
Proof.
  intros c s Hc Hs V e n k h. destruct (balls_constant_range C D C_ge_1 D_ge_1) as [HA1 HA2]. fold A in HA1, HA2.
  pose proof (balls_constant_square C D C_ge_1) as EA. fold A in EA.
  destruct (scale_works C D L c s V C_ge_1 D_ge_1 L_ge_0 Hc Hs ltac:(apply Rle_refl))
    as (He & Hdel & Hx & HV & HdV & HsV & HxV & HeM & Herr). fold A e V in He, HV, HdV, HsV, HxV, HeM, Herr.
  set (x := inverse_radius C D L c s) in *. set (delta := waste C D L c s) in *.
  pose proof (stage_numbers D A V e x L s D_ge_1 HA1 HA2 He HV L_ge_0 Hs HxV Hx HeM) as Hnum. cbv zeta in Hnum.
  set (q := (1 - e) * (A * A)) in *. change (above (V * V / q)) with n in Hnum.
  change (above (q * V ^ D - 2)) with k in Hnum.
  fold h in Hnum. destruct Hnum as (Hn0 & HnV & HnV2 & HK1 & HK2 & Hh2 & Hh_half & HLh & HLx & Hnarrow).
  assert (Hq : 1 <= q < A * A) by (unfold q; clear - He HA2; nra). clearbody n k x delta V e.
  split; [exact Hn0|]. split; [exact Hh2|]. split; [exact Hh_half|]. split; [lra|]. split; [lra|]. rewrite <- EA.
  fold q.
  split; [exact HnV|]. split; [exact HK2|]. split; [exact Hnarrow|]. split.
  - apply Rmult_le_reg_l with q; [lra|]. apply Rle_trans with (2 := HnV).
    apply Rle_trans with ((s + A * A) * (s + A * A)); [|apply Rmult_le_compat; lra].
    assert (q * (4 * s) <= A * A * (4 * s)) by (apply Rmult_le_compat_r; lra).
    pose proof (Rle_0_sqr (s - A * A)) as Q. unfold Rsqr in Q. lra.
  - intros p T Rg Hp HT HR. pose proof (pos_INR D).
    apply (leading_count D n k A V e D_ge_1 Hn0 HA1 HA2 ltac:(lra) HV HnV HnV2 HK1 HK2 L s T c delta Rg L_ge_0);
      fold h; try lra.
    + split; [lra|]. apply Rle_trans with (s + INR (S k) * INR n); [lra|].
      apply (count_length D n k A V e); assumption || lra.
    + apply Rle_trans with (2 := Herr). 
      assert (0 < (2 + INR D) / (1 + INR D)) by (apply Rdiv_lt_0_compat; lra).
      assert (L * h * (A + 2 * ((2 + INR D) / (1 + INR D)) + 2) <= L / x * (A + 2 * ((2 + INR D) / (1 + INR D)) + 2))
        by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** * All stages: N leaves and u steps before, s the size of the past; a0 the size of the arrival *)

Variable a0 : nat.
Definition target (m : nat) : R := K - / INR (S m).
Definition size_of (Nu : nat * nat) : R := INR (a0 + fst Nu + snd Nu).
Fixpoint stage (m : nat) : nat * nat :=
  match m with
  | O => (0, 1)%nat
  | S m' => let c := target m' in let s := size_of (stage m') in
            (fst (stage m') + leaves c s + 2, S (S (leaves c s) * examples c s))%nat
  end.
Definition leaves_before (m : nat) : nat := fst (stage m).
Definition steps_before (m : nat) : nat := snd (stage m).
Definition past_size (m : nat) : R := size_of (stage m).
Definition per_leaf (m : nat) : nat := examples (target m) (past_size m).
Definition leaf_count (m : nat) : nat := leaves (target m) (past_size m).

Lemma leaves_before_step : forall m, leaves_before (S m) = (leaves_before m + leaf_count m + 2)%nat. Proof.
  reflexivity. Qed.
Lemma steps_before_step : forall m, steps_before (S m) = S (S (leaf_count m) * per_leaf m). Proof. reflexivity. Qed.
Lemma past_size_value : forall m, past_size m = INR (a0 + leaves_before m + steps_before m). Proof. reflexivity. Qed.

Lemma target_range : forall m, 0 <= target m < K.
Proof.
  intros m. destruct (balls_constant_range C D C_ge_1 D_ge_1) as [HA1 HA2]. fold A in HA1, HA2. pose proof (pos_INR D).
  assert (HK : 1 <= K).
  { replace K with (3/4 * A + (2 + INR D) / (1 + INR D) * L) by (unfold leading_constant, A, balls_constant; ring).
    assert (0 <= (2 + INR D) / (1 + INR D) * L)
      by (apply Rmult_le_pos; [left; apply Rdiv_lt_0_compat; lra|exact L_ge_0]). nra. }
  unfold target. pose proof (INR_ge1 (S m) ltac:(lia)).
  assert (0 < / INR (S m)) by (apply Rinv_0_lt_compat; lra).
  assert (/ INR (S m) <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra). lra.
Qed.
Lemma past_size_nonneg : forall m, 0 <= past_size m. Proof. intros m. apply pos_INR. Qed.

Lemma per_leaf_large : forall m, (1 <= per_leaf m /\ 4 * (a0 + leaves_before m + steps_before m) <= per_leaf m)%nat.
Proof.
  intros m. destruct (stage_facts (target m) (past_size m) (target_range m) (past_size_nonneg m))
    as (H1 & _ & _ & _ & _ & _ & _ & _ & H2 & _).
  split; [exact H1|]. apply INR_le. rewrite mult_INR. rewrite past_size_value in H2 at 1. simpl (INR 4).
  fold (per_leaf m) in H2. lra.
Qed.
Lemma steps_before_gt : forall m, (m < steps_before m)%nat.
Proof.
  induction m as [|m IH]; [unfold steps_before; simpl; lia|]. rewrite steps_before_step. pose proof (per_leaf_large m).
  nia.
Qed.
Lemma leaves_before_lt : forall m m', (m < m')%nat -> (leaves_before m < leaves_before m')%nat.
Proof. intros m m' H. induction H as [|m' H IH]; rewrite leaves_before_step; lia. Qed.
Lemma leaves_before_le : forall m m', (m <= m')%nat -> (leaves_before m <= leaves_before m')%nat.
Proof.
  intros m m' H. destruct (Nat.eq_dec m m') as [->|E]; [lia|]. pose proof (leaves_before_lt m m' ltac:(lia)). lia.
Qed.
Lemma leaves_before_ge : forall m, (m <= leaves_before m)%nat.
Proof. induction m as [|m IH]; [lia|]. rewrite leaves_before_step. lia. Qed.

(** * One sequence of gaps *)

Fixpoint find (fuel m i : nat) : nat :=
  match fuel with O => m | S f => if Nat.ltb i (leaves_before (S m)) then m else find f (S m) i end.
Definition gap_of (i : nat) : R := let m := find (S i) 0 i in radius (S (i - leaves_before m) * per_leaf m) D.

Lemma find_stage : forall fuel a i m, (a <= m < a + fuel)%nat -> (leaves_before m <= i < leaves_before (S m))%nat ->
  find fuel a i = m.
Proof.
  induction fuel as [|fuel IH]; intros a i m Ha Hi; [lia|]. cbn [find].
  destruct (Nat.ltb_spec i (leaves_before (S a))) as [H|H].
  - destruct (Nat.eq_dec a m) as [E|E]; [exact E|]. pose proof (leaves_before_le (S a) m ltac:(lia)). lia.
  - destruct (Nat.eq_dec a m) as [->|E]; [lia|]. apply IH; [lia|exact Hi].
Qed.
Lemma some_stage : forall i, exists m, (leaves_before m <= i < leaves_before (S m))%nat.
Proof.
  intros i. assert (G : forall j, (i < leaves_before j)%nat ->
    exists m, (leaves_before m <= i < leaves_before (S m))%nat).
  { induction j as [|j IH]; intros H; [unfold leaves_before in H; simpl in H; lia|].
    destruct (Nat.lt_ge_cases i (leaves_before j)) as [Q|Q]; [exact (IH Q)|]. exists j. lia. }
  apply (G (S i)). pose proof (leaves_before_ge (S i)). lia.
Qed.
Lemma gap_stage : forall m i, (i <= S (leaf_count m))%nat -> gap_of (leaves_before m + i) = radius (S i * per_leaf m) D.
Proof.
  intros m i Hi. unfold gap_of. rewrite (find_stage (S (leaves_before m + i)) 0 (leaves_before m + i) m).
  - replace (leaves_before m + i - leaves_before m)%nat with i by lia. reflexivity.
  - pose proof (leaves_before_ge m). lia.
  - rewrite leaves_before_step. lia.
Qed.
Lemma gap_start : forall m, gap_of (leaves_before m) = radius (per_leaf m) D.
Proof. intros m. pose proof (gap_stage m 0 ltac:(lia)) as E. rewrite Nat.add_0_r, Nat.mul_1_l in E. exact E. Qed.
Lemma gap_of_pos : forall i, 0 < gap_of i. Proof. intros i. apply radius_pos. Qed.
Lemma gap_of_le_1 : forall i, gap_of i <= 1.
Proof. intros i. unfold gap_of. apply radius_range. pose proof (per_leaf_large (find (S i) 0 i)). nia. Qed.
Lemma gap_of_lt : forall i j, (i < j)%nat -> gap_of j < gap_of i.
Proof.
  assert (G : forall i, gap_of (S i) < gap_of i).
  { intros i. destruct (some_stage i) as (m & H1 & H2). rewrite leaves_before_step in H2.
    set (j := (i - leaves_before m)%nat).
    replace i with (leaves_before m + j)%nat by (unfold j; lia). rewrite (gap_stage m j) by (unfold j; lia).
    pose proof (per_leaf_large m). destruct (Nat.eq_dec j (S (leaf_count m))) as [E|E].
    - replace (S (leaves_before m + j)) with (leaves_before (S m)) by (rewrite leaves_before_step; lia).
      rewrite gap_start. apply radius_lt.
      pose proof (per_leaf_large (S m)) as Q. rewrite steps_before_step in Q. rewrite E. nia.
    - replace (S (leaves_before m + j)) with (leaves_before m + S j)%nat by lia.
      rewrite gap_stage by (unfold j in *; lia).
      apply radius_lt. nia. }
  intros i j H. induction H as [|j H IH]; [apply G|]. pose proof (G j). lra.
Qed.
End STAGES.
