(** The regret of one ball with n labels is at most 3/4 sqrt(n+1) - 0.06, and at most sqrt n, where the
    paper has 2.5 sqrt n (Section V, proof of Lemma 2). The first prediction is another ball's and costs
    at most 1; after it a telescoping sum of Huber potentials bounds the losses. *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Powers Huber Game.
Import ListNotations.
Local Open Scope R_scope.

(** 1/sqrt(x+1) <= 2 (sqrt(x+1) - sqrt x): the integral, without an integral. *)
Lemma root_sum_step : forall x, 0 <= x -> / sqrt (x + 1) <= 2 * (sqrt (x + 1) - sqrt x).
Proof.
  intros x Hx.
  assert (H1 : sqrt x * sqrt x = x) by (apply sqrt_sqrt; lra).
  assert (H2 : sqrt (x + 1) * sqrt (x + 1) = x + 1) by (apply sqrt_sqrt; lra).
  assert (0 < sqrt (x + 1)) by (apply sqrt_lt_R0; lra).
  apply Rmult_le_reg_r with (sqrt (x + 1)); [assumption|].
  rewrite Rinv_l by lra.
  pose proof (Rle_0_sqr (sqrt (x + 1) - sqrt x)) as Q. unfold Rsqr in Q. nra.
Qed.

(** What a ball with n labels and lead D = ones - zeros may have lost: the telescoped potential. *)
Definition U (n : nat) (D : R) : R :=
  if Nat.eqb n 1 then 1
  else INR n / 2 + 1/2 + 1 / (4 * sqrt 3) + (sqrt (INR n + 1) - sqrt 2) / 2
       - phi (sqrt (INR n + 1)) D / (4 * sqrt (INR n + 1)).
(** The same of a ball's counts. *)
Definition potential (ab : nat * nat) : R := U (fst ab + snd ab) (INR (fst ab) - INR (snd ab)).

Lemma potential_first : forall y, potential (count y (0, 0)%nat) = 1.
Proof. intros [|]; reflexivity. Qed.

(** One more label is paid for by the potential. *)
Lemma potential_step : forall ab y, (1 <= fst ab + snd ab)%nat ->
  potential ab + loss y (prob (fst ab) (snd ab)) <= potential (count y ab).
Proof.
  intros ab y Hn. unfold potential. rewrite lead_count, size_count.
  destruct ab as [a b]. simpl fst in *. simpl snd in *.
  pose proof (loss_potential a b y) as HL. cbv zeta in HL. rewrite HL. clear HL.
  set (n := (a + b)%nat) in *. set (D := INR a - INR b).
  pose proof (INR_ge1 n Hn) as Hn1.
  set (s := sqrt (INR n + 2)).
  assert (Hs1 : 1 <= s) by (apply sqrt_ge_1; lra).
  pose proof (phi_step s D y Hs1) as Hstep.
  unfold U at 2. destruct (Nat.eqb_spec (S n) 1) as [E|_]; [lia|].
  rewrite S_INR. replace (INR n + 1 + 1) with (INR n + 2) by ring. fold s.
  assert (HS : sgn y * dphi s D / (4 * s) >= (phi s (D + sgn y) - phi s D - 1) / (4 * s)).
  { apply Rle_ge. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | lra]. }
  replace ((phi s (D + sgn y) - phi s D - 1) / (4 * s))
    with (phi s (D + sgn y) / (4 * s) - phi s D / s / 4 - / s / 4) in HS by (field; lra).
  unfold U. destruct (Nat.eqb_spec n 1) as [E|E].
  - (* the second label: D = 1 or -1, s = sqrt 3 *)
    assert (HD : phi s D = 1).
    { assert (HD1 : D = 1 \/ D = -1).
      { unfold D. assert ((a = 1 /\ b = 0)%nat \/ (a = 0 /\ b = 1)%nat) as [[-> ->]|[-> ->]] by lia;
        simpl; [left|right]; ring. }
      clearbody D. unfold phi. destruct HD1 as [HD1|HD1]; rewrite HD1; cases_lt; lra. }
    assert (EN : INR n = 1) by (rewrite E; reflexivity).
    assert (Es : s = sqrt 3) by (unfold s; rewrite EN; f_equal; lra).
    rewrite HD in HS. rewrite EN.
    pose proof (root_sum_step 2 ltac:(lra)) as Hr. replace (2 + 1) with 3 in Hr by ring.
    rewrite <- Es in Hr |- *.
    replace (1 / (4 * s)) with (/ s / 4) in * by (field; lra).
    replace (1 / s / 4) with (/ s / 4) in HS by (field; lra). lra.
  - pose proof (INR_ge2 n ltac:(lia)).
    set (s0 := sqrt (INR n + 1)).
    assert (0 < s0) by (apply sqrt_lt_R0; lra).
    assert (s0 <= s) by (apply sqrt_le_1; lra).
    pose proof (phi_scale s0 s D ltac:(lra) ltac:(lra)) as Hsc.
    pose proof (root_sum_step (INR n + 1) ltac:(lra)) as Hr.
    replace (INR n + 1 + 1) with (INR n + 2) in Hr by ring. fold s s0 in Hr.
    replace (phi s0 D / (4 * s0)) with (phi s0 D / s0 / 4) by (field; lra). lra.
Qed.

(** [ball_bound n]: what one ball with n labels can cost. It is 1 for n = 1, and the second for n >= 2. *)
Definition ball_bound (n : nat) : R := Rmin (sqrt (INR n)) (3/4 * sqrt (INR n + 1) - 6/100).

Lemma ball_bound_1 : ball_bound 1 = 1.
Proof.
  unfold ball_bound. simpl INR. rewrite sqrt_1. replace (1 + 1) with 2 by ring.
  pose proof sqrt_bounds. apply Rmin_left. lra.
Qed.

Lemma ball_bound_2 : forall n, (2 <= n)%nat -> ball_bound n = 3/4 * sqrt (INR n + 1) - 6/100.
Proof.
  intros n Hn. apply Rmin_right. pose proof (INR_ge2 n Hn).
  assert (Hx : sqrt (INR n) * sqrt (INR n) = INR n) by (apply sqrt_sqrt; lra).
  assert (Hy : sqrt (INR n + 1) * sqrt (INR n + 1) = INR n + 1) by (apply sqrt_sqrt; lra).
  pose proof (sqrt_pos (INR n)). pose proof (sqrt_pos (INR n + 1)). nra.
Qed.

(** The end: |D|/2 is what the best constant has below n/2. *)
Lemma U_end : forall n D, (1 <= n)%nat -> Rabs D <= INR n ->
  U n D - (INR n - Rabs D) / 2 <= ball_bound n.
Proof.
  intros n D Hn HD. pose proof sqrt_bounds as [H3 [H2 H2']]. unfold U.
  destruct (Nat.eqb_spec n 1) as [->|E]; [rewrite ball_bound_1; simpl INR in *; lra|].
  rewrite ball_bound_2 by lia. pose proof (INR_ge2 n ltac:(lia)).
  set (s := sqrt (INR n + 1)). assert (Hs : 0 < s) by (apply sqrt_lt_R0; lra).
  pose proof (phi_end s D Hs).
  assert (1 / (4 * sqrt 3) <= 14435/100000).
  { apply Rmult_le_reg_r with (4 * sqrt 3); [lra|].
    replace (1 / (4 * sqrt 3) * (4 * sqrt 3)) with 1 by (field; lra). nra. }
  lra.
Qed.

Lemma potential_end : forall ab, (1 <= fst ab + snd ab)%nat ->
  potential ab - Rmin (INR (fst ab)) (INR (snd ab)) <= ball_bound (fst ab + snd ab).
Proof. intros ab H. rewrite best_constant. apply U_end; [exact H|apply lead_le_size]. Qed.

Lemma play_potential : forall ys ab, (1 <= fst ab + snd ab)%nat -> potential ab + play ys ab <= potential (tally ys ab).
Proof.
  induction ys as [|y r IH]; intros ab H; simpl; [lra|].
  pose proof (potential_step ab y H). specialize (IH (count y ab) ltac:(rewrite size_count; lia)). lra.
Qed.

(** Section V, Lemma 2: the sum over x_t -> x_s of l_t(p_t) - l_t(p*_s), for the paper's 2.5 sqrt n. *)
Theorem one_ball : forall (y : bool) (ys : list bool) (first : R), first <= 1 ->
  let n := S (length ys) in
  let ab := tally (y :: ys) (0, 0)%nat in
  let regret := first + play ys (count y (0, 0)%nat) - Rmin (INR (fst ab)) (INR (snd ab)) in
  regret <= 3/4 * sqrt (INR n + 1) - 6/100 /\ regret <= sqrt (INR n).
Proof.
  intros y ys first Hf n ab regret. unfold regret.
  assert (Hsz : (fst ab + snd ab = n)%nat) by (unfold ab; rewrite tally_size; reflexivity).
  pose proof (play_potential ys (count y (0,0)%nat) ltac:(rewrite size_count; lia)) as P.
  rewrite potential_first in P. change (tally ys (count y (0,0)%nat)) with ab in P.
  pose proof (potential_end ab ltac:(unfold n in Hsz; lia)) as Q. rewrite Hsz in Q. unfold ball_bound in Q.
  pose proof (Rmin_l (sqrt (INR n)) (3/4 * sqrt (INR n + 1) - 6/100)).
  pose proof (Rmin_r (sqrt (INR n)) (3/4 * sqrt (INR n + 1) - 6/100)). lra.
Qed.
