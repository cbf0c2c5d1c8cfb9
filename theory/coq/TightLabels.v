(** One ball is tight: 3/4 sqrt n is the worst that n labels can do to it, up to a constant.

    Proves: for every n there are n labels on which a ball loses at least 3/4 sqrt n - 3/5 more than the
    best constant ([one_ball_tight]; 3/4 sqrt n - 11/10 if its first prediction is its own, 1/2).
    Idea: m times "one, zero", then a run of about sqrt n ones. In a pair the balanced ball loses 1/2 and
    the ball with one label too many 1/2 + 1/(2 sqrt(2j+3)): together sqrt(2m)/2 above the m that every
    constant loses. The run costs 1/2, 1/2 - 1/(2s), 1/2 - 2/(2s), ... with s = sqrt(2m+2): together s/4,
    and the constant 1 loses nothing.
    Uses: the prediction as the slope of a Huber function (Huber), [one_ball] for the other side. *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Powers Game Huber OneBall.
Import ListNotations.
Local Open Scope R_scope.

Lemma tally_ones : forall k a b, tally (repeat true k) (a, b) = (a + k, b)%nat.
Proof.
  induction k as [|k IH]; intros a b; [rewrite Nat.add_0_r; reflexivity|].
  cbn [repeat tally count fst snd]. rewrite IH. f_equal. lia.
Qed.

(** * The pairs *)

Lemma loss_even : forall j y, loss y (prob j j) = 1/2.
Proof.
  intros j y. pose proof (loss_potential j j y) as H. cbv zeta in H. rewrite H. clear H.
  pose proof (pos_INR (j + j)). assert (0 < sqrt (INR (j + j) + 2)) by (apply sqrt_lt_R0; lra).
  replace (INR j - INR j) with 0 by ring.
  assert (E : dphi (sqrt (INR (j + j) + 2)) 0 = 0) by (unfold dphi; cases_lt; lra).
  rewrite E. field. lra.
Qed.

Lemma loss_odd : forall j, loss false (prob (S j) j) = 1/2 + / sqrt (2 * INR j + 3) / 2.
Proof.
  intros j. pose proof (loss_potential (S j) j false) as H. cbv zeta in H. rewrite H. clear H.
  replace (INR (S j + j) + 2) with (2 * INR j + 3) by (rewrite plus_INR, S_INR; ring).
  rewrite S_INR. replace (INR j + 1 - INR j) with 1 by ring. pose proof (pos_INR j).
  set (s := sqrt (2 * INR j + 3)). assert (1 <= s) by (apply sqrt_ge_1; lra).
  assert (E : dphi s 1 = 2) by (unfold dphi; cases_lt; lra).
  rewrite E. unfold sgn. field. lra.
Qed.

(** 1/sqrt x >= sqrt(x + 1.1) - sqrt(x - 0.9): the sum over the pairs, without an integral. *)
Lemma root_gap : forall x, 3 <= x -> sqrt (x + 11/10) - sqrt (x - 9/10) <= / sqrt x.
Proof.
  intros x Hx. set (r := sqrt x). set (a := sqrt (x + 11/10)). set (b := sqrt (x - 9/10)).
  assert (Hr : r * r = x) by (apply sqrt_sqrt; lra). assert (Ha : a * a = x + 11/10) by (apply sqrt_sqrt; lra).
  assert (Hb : b * b = x - 9/10) by (apply sqrt_sqrt; lra).
  assert (0 < r) by (apply sqrt_lt_R0; lra). assert (0 < a) by (apply sqrt_lt_R0; lra).
  assert (0 < b) by (apply sqrt_lt_R0; lra).
  assert (Hab : x - 1/10 <= a * b).
  { destruct (Rle_lt_dec (x - 1/10) (a * b)) as [Hq|Hq]; [exact Hq|]. exfalso.
    assert (0 < a * b) by (apply Rmult_lt_0_compat; lra).
    assert ((a * b) * (a * b) < (x - 1/10) * (x - 1/10)) by nra.
    replace ((a * b) * (a * b)) with ((a * a) * (b * b)) in * by ring. rewrite Ha, Hb in *. nra. }
  assert (H2 : 2 * r <= a + b) by nra.
  apply Rmult_le_reg_r with r; [assumption|]. rewrite Rinv_l by lra.
  assert ((a - b) * (a + b) = 2) by nra. assert (0 <= a - b) by nra. nra.
Qed.

Lemma play_pairs : forall m j r,
  INR m + (sqrt (2 * INR (j + m) + 21/10) - sqrt (2 * INR j + 21/10)) / 2 + play r (j + m, j + m)%nat
  <= play (alternating m ++ r) (j, j).
Proof.
  induction m as [|m IH]; intros j r; [rewrite Nat.add_0_r; simpl; lra|].
  cbn [alternating app play count fst snd]. rewrite loss_even, loss_odd.
  specialize (IH (S j) r). replace (S j + m)%nat with (j + S m)%nat in IH by lia.
  pose proof (root_gap (2 * INR j + 3) ltac:(pose proof (pos_INR j); lra)) as G.
  rewrite !S_INR in *.
  replace (2 * INR j + 3 + 11/10) with (2 * (INR j + 1) + 21/10) in G by field.
  replace (2 * INR j + 3 - 9/10) with (2 * INR j + 21/10) in G by field. lra.
Qed.

(** * The run of ones *)

Lemma loss_run : forall m i, 1/2 - INR i / (2 * sqrt (2 * INR m + 2)) <= loss true (prob (m + i) m).
Proof.
  intros m i. pose proof (loss_potential (m + i) m true) as H. cbv zeta in H. rewrite H. clear H.
  pose proof (pos_INR m). pose proof (pos_INR i).
  replace (INR (m + i + m) + 2) with (2 * INR m + 2 + INR i) by (rewrite !plus_INR; ring).
  rewrite plus_INR. replace (INR m + INR i - INR m) with (INR i) by ring.
  set (s := sqrt (2 * INR m + 2 + INR i)). set (s0 := sqrt (2 * INR m + 2)).
  assert (0 < s0) by (apply sqrt_lt_R0; lra). assert (s0 <= s) by (apply sqrt_le_1; lra).
  unfold sgn. rewrite Rmult_1_l.
  assert (Q1 : dphi s (INR i) / (4 * s) <= INR i / (2 * s)).
  { apply Rmult_le_reg_r with (4 * s); [lra|].
    replace (dphi s (INR i) / (4 * s) * (4 * s)) with (dphi s (INR i)) by (field; lra).
    replace (INR i / (2 * s) * (4 * s)) with (2 * INR i) by (field; lra). unfold dphi. cases_lt; lra. }
  assert (Q2 : INR i / (2 * s) <= INR i / (2 * s0)).
  { apply Rmult_le_compat_l; [assumption|]. apply Rinv_le_contravar; lra. }
  lra.
Qed.

Lemma play_run : forall k m i, let s := sqrt (2 * INR m + 2) in
  INR k / 2 - (2 * INR i * INR k + INR k * (INR k - 1)) / (4 * s) <= play (repeat true k) (m + i, m)%nat.
Proof.
  induction k as [|k IH]; intros m i s.
  - simpl. unfold Rdiv. lra.
  - cbn [repeat play count fst snd]. pose proof (loss_run m i) as H. fold s in H.
    specialize (IH m (S i)). cbv zeta in IH. fold s in IH. replace (m + S i)%nat with (S (m + i)) in IH by lia.
    rewrite !S_INR in *. pose proof (pos_INR m). assert (0 < s) by (apply sqrt_lt_R0; lra).
    replace ((2 * INR i * (INR k + 1) + (INR k + 1) * (INR k + 1 - 1)) / (4 * s))
      with ((2 * (INR i + 1) * INR k + INR k * (INR k - 1)) / (4 * s) + INR i / (2 * s)) by (field; lra).
    lra.
Qed.

(** * Together *)

(** With r = floor(sqrt n): m = floor((n - r) / 2) pairs and the rest, r or r + 1, ones. *)
Definition tight (n : nat) : list bool :=
  let m := Nat.div2 (n - Nat.sqrt n) in alternating m ++ repeat true (n - 2 * m).

Lemma tight_facts : forall n, (1 <= n)%nat ->
  let r := Nat.sqrt n in let m := Nat.div2 (n - r) in
  (1 <= r)%nat /\ (r * r <= n)%nat /\ (n <= r * r + 2 * r)%nat /\ (r <= n - 2 * m <= r + 1)%nat /\ (2 * m <= n)%nat.
Proof.
  intros n Hn r m. pose proof (Nat.sqrt_spec n ltac:(lia)) as [A B]. fold r in A, B.
  assert (1 <= r)%nat by nia. assert (r <= n)%nat by nia.
  pose proof (Nat.div2_odd (n - r)) as E. fold m in E.
  destruct (Nat.odd (n - r)); simpl Nat.b2n in E; repeat split; lia.
Qed.

Lemma tight_length : forall n, (1 <= n)%nat -> length (tight n) = n.
Proof.
  intros n Hn. pose proof (tight_facts n Hn) as F. cbv zeta in F. unfold tight.
  rewrite app_length, alternating_length, repeat_length. lia.
Qed.
Lemma tight_tally : forall n, (1 <= n)%nat ->
  let m := Nat.div2 (n - Nat.sqrt n) in tally (tight n) (0, 0)%nat = (n - m, m)%nat.
Proof.
  intros n Hn m. pose proof (tight_facts n Hn) as F. cbv zeta in F. fold m in F.
  unfold tight. fold m. rewrite tally_app, alternating_tally, tally_ones. f_equal; lia.
Qed.

Lemma tight_play : forall n, (1 <= n)%nat ->
  INR (Nat.div2 (n - Nat.sqrt n)) + 3/4 * sqrt (INR n) - 11/10 <= play (tight n) (0, 0)%nat.
Proof.
  intros n Hn. pose proof (tight_facts n Hn) as F. cbv zeta in F. unfold tight.
  set (r := Nat.sqrt n) in *. set (m := Nat.div2 (n - r)) in *. destruct F as (F1 & F2 & F3 & F4 & F5).
  assert (F6 : (2 * m + r <= n)%nat) by lia.
  pose proof (play_pairs m 0 (repeat true (n - 2 * m))) as Hp. simpl (0 + m)%nat in Hp.
  replace (n - 2 * m)%nat with (r + (n - 2 * m - r))%nat in * by lia.
  rewrite repeat_app, play_app in Hp. rewrite repeat_app.
  pose proof (play_nonneg (repeat true (n - 2 * m - r)) (tally (repeat true r) (m, m))) as H0.
  pose proof (play_run r m 0) as Hr. cbv zeta in Hr. rewrite Nat.add_0_r in Hr.
  simpl (INR 0) in *. pose proof (pos_INR m) as Hm0.
  set (s := sqrt (2 * INR m + 2)) in *. assert (Hs : 0 < s) by (apply sqrt_lt_R0; lra).
  assert (Hss : s * s = 2 * INR m + 2) by (apply sqrt_sqrt; lra).
  assert (Hs1 : s <= sqrt (2 * INR m + 21/10)) by (apply sqrt_le_1; lra).
  assert (Hc : sqrt (2 * 0 + 21/10) <= 14492/10000).
  { rewrite <- (sqrt_square (14492/10000)) by lra. apply sqrt_le_1; lra. }
  assert (R1 : 1 <= INR r) by (change 1 with (INR 1); apply le_INR; lia).
  (* s is within 1 of r *)
  assert (E1 : INR r * INR r - INR r + 1 <= s * s).
  { rewrite Hss. assert (Q : (r * r + 1 <= 2 * m + 2 + r)%nat) by lia. apply le_INR in Q.
    rewrite !plus_INR, !mult_INR in Q. simpl in Q. lra. }
  assert (E2 : s * s <= INR r * INR r + INR r + 2).
  { rewrite Hss. assert (Q : (2 * m + 2 <= r * r + r + 2)%nat) by lia. apply le_INR in Q.
    rewrite !plus_INR, !mult_INR in Q. simpl in Q. lra. }
  assert (B1 : INR r - 1 <= s) by nra. assert (B2 : s <= INR r + 1) by nra.
  assert (Hrun : s / 4 <= INR r / 2 - (2 * 0 * INR r + INR r * (INR r - 1)) / (4 * s)).
  { apply Rmult_le_reg_r with (4 * s); [lra|].
    replace ((INR r / 2 - (2 * 0 * INR r + INR r * (INR r - 1)) / (4 * s)) * (4 * s))
      with (2 * INR r * s - INR r * (INR r - 1)) by (field; lra).
    assert ((s - INR r) * (s - INR r) <= 1) by nra. nra. }
  (* and within 1/2 below sqrt n *)
  set (w := sqrt (INR n)). assert (Hw : w * w = INR n) by (apply sqrt_sqrt, pos_INR).
  assert (Hw0 : 0 <= w) by apply sqrt_pos.
  assert (Hrw : INR r <= w).
  { apply le_INR in F2. rewrite mult_INR in F2. nra. }
  assert (Hsw : w - 1/2 <= s).
  { assert (Q : (n + 1 <= 2 * m + 2 + r)%nat) by lia. apply le_INR in Q.
    rewrite !plus_INR, !mult_INR in Q. simpl in Q. nra. }
  lra.
Qed.

Lemma tight_first : forall n, (1 <= n)%nat -> exists ys, tight n = true :: ys.
Proof.
  intros n Hn. pose proof (tight_facts n Hn) as F. cbv zeta in F. unfold tight.
  destruct (Nat.div2 (n - Nat.sqrt n)) as [|m]; [|eexists; reflexivity].
  cbn [alternating app]. destruct (n - 2 * 0)%nat as [|k] eqn:E; [lia|]. exists (repeat true k). reflexivity.
Qed.

(** In the words of [one_ball]: [first] is the loss of the first label, somebody else's. The constant 1
    (which loses the zeros) is as good as any. *)
Theorem one_ball_lower : forall n, (1 <= n)%nat -> exists ys : list bool, S (length ys) = n /\
  let ab := tally (true :: ys) (0, 0)%nat in
  (snd ab <= fst ab)%nat /\
  forall first, 3/4 * sqrt (INR n) - 8/5 + first
    <= first + play ys (count true (0, 0)%nat) - Rmin (INR (fst ab)) (INR (snd ab)).
Proof.
  intros n Hn. destruct (tight_first n Hn) as (ys & E). exists ys.
  pose proof (tight_length n Hn) as HL. pose proof (tight_tally n Hn) as HT. pose proof (tight_play n Hn) as HP.
  pose proof (tight_facts n Hn) as F. cbv zeta in F, HT. rewrite E in *. set (m := Nat.div2 (n - Nat.sqrt n)) in *.
  split; [exact HL|]. cbv zeta. rewrite HT. cbn [fst snd]. split; [lia|]. intros first.
  assert (HM : Rmin (INR (n - m)) (INR m) = INR m) by (apply Rmin_right, le_INR; lia). rewrite HM.
  cbn [play fst snd] in HP. rewrite loss_even in HP. lra.
Qed.

(** W(n), from both sides. *)
Theorem one_ball_tight : forall n, (1 <= n)%nat ->
  (forall y ys first, S (length ys) = n -> first <= 1 ->
     let ab := tally (y :: ys) (0, 0)%nat in
     first + play ys (count y (0, 0)%nat) - Rmin (INR (fst ab)) (INR (snd ab)) <= 3/4 * sqrt (INR n + 1) - 6/100) /\
  (exists y ys, S (length ys) = n /\
     let ab := tally (y :: ys) (0, 0)%nat in
     3/4 * sqrt (INR n) - 3/5 <= 1 + play ys (count y (0, 0)%nat) - Rmin (INR (fst ab)) (INR (snd ab))).
Proof.
  intros n Hn. split.
  - intros y ys first E Hf ab. pose proof (one_ball y ys first Hf) as Q. cbv zeta in Q. rewrite E in Q. apply Q.
  - destruct (one_ball_lower n Hn) as (ys & E & _ & H). exists true, ys. split; [exact E|]. specialize (H 1). cbv zeta.
    lra.
Qed.
