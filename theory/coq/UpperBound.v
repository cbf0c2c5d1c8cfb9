(** The bounds on the regret for all T: with c_D and r_D, with 1.058 and 1.586 for all D, and Theorem 1 as
    corrected. Lemma 1 bounds the balls of a phase, the account bounds its regret (Lemma 2), Phases.v sums. *)
From Coq Require Import Reals Lra Psatz Lia List.
From Abacoc Require Import Algorithm Setting Powers Sums Radii History Account Refined Phases Constants Invariant.
Import ListNotations.
Local Open Scope R_scope.

(** The square root of the capacity: sqrt C 2^(e/2) n^(e/(2+e)/2). *)
Lemma capacity_root : forall C n e, 0 < C -> sqrt (capacity C (radius n e) e)
  = sqrt C * (Rpower 2 (INR e / 2) * Rpower (INR n) (INR e / (2 + INR e) / 2)).
Proof.
  intros C n e HC. rewrite capacity_radius.
  assert (0 < Rpower 2 (INR e) * Rpower (INR n) (INR e / (2 + INR e))) by (apply Rmult_lt_0_compat; apply Rpower_pos).
  rewrite <- !Rpower_sqrt by (try lra; apply Rmult_lt_0_compat; lra).
  rewrite <- !Rpower_mult_distr by (try assumption; apply Rpower_pos). rewrite !Rpower_mult. reflexivity.
Qed.

(** Lemma 2 for the balls of one phase (2.5 sqrt(C-hat) 2^(d_i) in the paper): sqrt C 2^(d_i/2) n_i^alpha. *)
Lemma phase_balls : forall X C (e : state X), 1 <= C -> full e -> (1 <= steps e)%nat ->
  INR (length (balls e)) <= capacity C (radius (steps e) (dim e)) (dim e) ->
  owed (balls e) <= sqrt C * (Rpower 2 (INR (dim e) / 2) * Rpower (INR (steps e)) (alpha (dim e))).
Proof.
  intros X C e HC [F1 F2] Hs Hc. pose proof (pos_INR (dim e)). pose proof (INR_ge1 _ Hs).
  pose proof (pos_INR (length (balls e))).
  destruct (balls_together X (balls e) F1) as [Q _]. rewrite F2 in Q. apply Rle_trans with (1 := Q).
  rewrite sqrt_mult by lra.
  apply Rle_trans with (sqrt (capacity C (radius (steps e) (dim e)) (dim e)) * sqrt (INR (steps e))).
  - apply Rmult_le_compat_r; [apply sqrt_pos|]. apply sqrt_le_1; lra.
  - rewrite capacity_root by lra. rewrite <- (Rpower_sqrt (INR (steps e))) by lra.
    rewrite !Rmult_assoc, <- Rpower_plus. right. do 3 f_equal. unfold alpha. field. lra.
Qed.

(** Lemma 2, for the regret in one phase (d_i, n_i). *)
Definition phase_bound (C L : R) (p : nat * nat) : R :=
  sqrt C * (Rpower 2 (INR (fst p) / 2) * Rpower (INR (snd p)) (alpha (fst p))) + L * radii (snd p) (fst p).

(** What a run leaves to be summed: phases of different dimensions up to D, T steps together. *)
Lemma regret_by_phases : forall X (dist : X -> X -> R) C d L f stream, setting dist C d L f stream -> stream <> [] ->
  exists l, l <> [] /\ rising 0 (whole d) l /\ total l = INR (length stream) /\
    regret dist C f stream <= sum (map (phase_bound C L) l).
Proof.
  intros X dist C d L f stream H Hne. destruct (lemma_1 _ _ _ _ _ _ _ H Hne) as (R0 & Hc & ET).
  assert (HC : 1 <= C) by (destruct stream; [congruence|exact (constant_ge_1 _ _ _ _ _ _ _ _ H)]).
  exists (map phase (ends dist C start stream)). split; [|split; [exact R0|split; [exact ET|]]].
  - intros N. rewrite N in ET. unfold total in ET. simpl in ET. apply Hne, length_zero_iff_nil, INR_eq. simpl. lra.
  - eapply Rle_trans; [apply (regret_phases _ _ _ _ _ _ (slope H) (unit_values H) (lipschitz H))|].
    rewrite map_map. apply sum_le. intros e He. unfold phase_bound. apply Rplus_le_compat_r.
    apply phase_balls; [exact HC|exact (ends_full _ _ _ _ He)| |apply Hc, He].
    apply (rising_in _ _ _ _ R0 (in_map phase _ _ He)).
Qed.

Theorem sharper_theorem_D : forall X (dist : X -> X -> R) C d L f stream, setting dist C d L f stream ->
  let D := whole d in
  let T := INR (length stream) in
  regret dist C f stream
  <= (c_ D * sqrt C * Rpower 2 (INR D / 2) + r_ D * L) * Rpower T ((1 + INR D) / (2 + INR D)).
Proof.
  intros X dist C d L f stream H D T. pose proof (slope H) as HL. pose proof (sqrt_pos C) as HC.
  destruct stream as [|p r].
  - unfold regret. cbn [mistakes comparator]. rewrite Rminus_0_r. pose proof (c_pos D). pose proof (r_pos D).
    pose proof (Rpower_pos 2 (INR D / 2)). apply Rmult_le_pos; [|left; apply Rpower_pos].
    apply Rplus_le_le_0_compat; [repeat apply Rmult_le_pos; lra|nra].
  - destruct (regret_by_phases _ _ _ _ _ _ _ H ltac:(discriminate)) as (l & Hl & Hd & ET & A). fold D in Hd.
    fold T in ET.
    pose proof (phases_balls D l Hl Hd) as HB. pose proof (phases_radii D l Hl Hd) as HR. rewrite ET in HB, HR.
    unfold phase_bound in A. rewrite sum_plus, !sum_scal in A.
    apply (Rmult_le_compat_l (sqrt C)) in HB; [|exact HC]. apply (Rmult_le_compat_l L) in HR; [|exact HL].
    change ((1 + INR D) / (2 + INR D)) with (alpha D). lra.
Qed.

Theorem sharper_theorem : forall X (dist : X -> X -> R) C d L f stream, setting dist C d L f stream ->
  let D := whole d in
  let T := INR (length stream) in
  regret dist C f stream
  <= (1058/1000 * sqrt C * Rpower 2 (INR D / 2) + 1586/1000 * L) * Rpower T ((1 + INR D) / (2 + INR D)).
Proof.
  intros X dist C d L f stream H D T. pose proof (sharper_theorem_D _ _ _ _ _ _ _ H) as Q. cbv zeta in Q.
  fold D T in Q. apply Rle_trans with (1 := Q). apply Rmult_le_compat_r; [left; apply Rpower_pos|].
  pose proof (slope H). pose proof (sqrt_pos C). pose proof (Rpower_pos 2 (INR D / 2)).
  pose proof (c_le D (whole_ge_1 d)). pose proof (r_le D (whole_ge_1 d)).
  apply Rplus_le_compat; repeat apply Rmult_le_compat_r; lra.
Qed.

(** Theorem 1 with D for d and C-hat for C_S: true for every d. *)
Corollary corrected_theorem_1 : forall X (dist : X -> X -> R) C d L f stream, setting dist C d L f stream ->
  let D := whole d in
  let T := INR (length stream) in
  regret dist C f stream <= 126/100 * (5/2 * sqrt C * 2 ^ D + 3/2 * L) * Rpower T ((1 + INR D) / (2 + INR D)).
Proof.
  intros X dist C d L f stream H D T. pose proof (sharper_theorem _ _ _ _ _ _ _ H) as Q.
  cbv zeta in Q. fold D T in Q. pose proof (slope H).
  apply Rle_trans with (1 := Q). apply Rmult_le_compat_r; [left; apply Rpower_pos|].
  assert (Rpower 2 (INR D / 2) <= 2 ^ D).
  { rewrite <- Rpower_pow by lra. apply Rle_Rpower; [lra|]. pose proof (pos_INR D). lra. }
  pose proof (sqrt_pos C). pose proof (pow_lt 2 D ltac:(lra)). nra.
Qed.

(** Up to dimension 1 there is one phase. *)
Corollary one_dimension : forall X (dist : X -> X -> R) C d L f stream, setting dist C d L f stream -> d <= 1 ->
  regret dist C f stream <= (sqrt (2 * C) + 3/2 * L) * Rpower (INR (length stream)) (2/3).
Proof.
  intros X dist C d L f stream H Hd.
  assert (E : whole d = 1%nat) by (apply Nat.le_antisymm; [apply whole_least; [lia|simpl; lra]|apply whole_ge_1]).
  destruct stream as [|p r].
  - unfold regret. cbn [mistakes comparator]. rewrite Rminus_0_r. pose proof (sqrt_pos (2 * C)). pose proof (slope H).
    apply Rmult_le_pos; [lra|left; apply Rpower_pos].
  - pose proof (constant_ge_1 _ _ _ _ _ _ _ _ H) as HC. pose proof (sharper_theorem_D _ _ _ _ _ _ _ H) as Q.
    cbv zeta in Q.
    rewrite E, c_1, r_1 in Q. simpl (INR 1) in Q. apply Rle_trans with (1 := Q). right.
    replace ((1 + 1) / (2 + 1)) with (2/3) by field. f_equal. f_equal.
    replace (1 / 2) with (/ 2) by field. rewrite Rpower_sqrt, sqrt_mult by lra. ring.
Qed.
