(** Theorem 1 with C_S in its bound, while BASE runs with a larger C-hat, is false for every d >= 3. On a
    star, K = q^3 balanced pairs of labels keep one leaf's ball at 1/2; then K fresh leaves come, 1/q apart
    and farther than the radius, all with label 1: that ball predicts each of them. With C-hat = K + 2 the
    dimension check never fires, though C_S = 1. The regret is T/6 at least. *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Setting Powers Radii Huber Game Runs Star.
Import ListNotations.
Local Open Scope R_scope.

Definition one (_ : site) : R := 1.
Definition visit (y : bool) (i : nat) : site * bool := (leaf i, y).

Section CROWD.
Variable q : nat.
Hypothesis q_ge_1 : (1 <= q)%nat.
Let K := (q * q * q)%nat.
Let Chat := INR (K + 2).
Notation dist := (star (/ INR q) (/ INR q / 2)).

Lemma gap_range : 0 < / INR q / 2 <= / INR q / 2 /\ / INR q <= 1.
Proof.
  pose proof (INR_ge1 q q_ge_1). assert (0 < / INR q) by (apply Rinv_0_lt_compat; lra). split; [lra|].
  rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
Qed.

Definition crowd : list (site * bool) :=
  map (fun y => visit y 0) (alternating K) ++ map (visit true) (seq 1 K).

Lemma crowd_length : length crowd = (3 * K)%nat.
Proof. unfold crowd. rewrite app_length, !map_length, alternating_length, seq_length. lia. Qed.

Lemma crowd_points : forall x, points crowd x -> among (K + 1) 0 x.
Proof.
  intros x H. right. unfold points, crowd in H. rewrite map_app, !map_map in H. apply in_app_or in H.
  destruct H as [H|H]; apply in_map_iff in H; destruct H as (i & <- & Hi); [exists O|exists i; apply in_seq in
    Hi]; split; trivial; lia.
Qed.

(** The fresh leaves: half a mistake each. *)
Lemma fresh_leaves : forall n i r ab t, snd ab = fst ab -> (1 <= i)%nat -> (K <= t)%nat -> (i + n <= K + 1)%nat ->
  map centre r = map leaf (seq 1 (i - 1)) ->
  INR n / 2 <= mistakes dist Chat (State (Ball (leaf 0) ab :: r) t 1) (map (visit true) (seq i n)).
Proof.
  induction n as [|n IH]; intros i r ab t Hab Hi Ht Hn Hr; [simpl; lra|]. cbn [seq map mistakes visit].
  assert (Hlen : length r = (i - 1)%nat) by (rewrite <- (map_length centre), Hr, map_length, seq_length; reflexivity).
  assert (Hd : forall b, In b (Ball (leaf 0) ab :: r) -> dist (leaf i) (centre b) = / INR q).
  { intros b Hb. apply (in_map centre) in Hb. cbn [map centre] in Hb. rewrite Hr in Hb.
    assert (exists a, (a < i)%nat /\ centre b = leaf a) as (a & Ha & ->).
    { destruct Hb as [<-|Hb]; [exists O; split; [lia|reflexivity]|]. apply in_map_iff in Hb.
      destruct Hb as (a & <- & Ha). apply in_seq in Ha. exists a. split; [lia|reflexivity]. }
    rewrite star_leaves. destruct (Nat.eqb_spec i a); [lia|reflexivity]. }
  assert (Hp : predict dist (State (Ball (leaf 0) ab :: r) t 1) (leaf i) = prob (fst ab) (snd ab)).
  { apply (predict_at dist (leaf i) (Ball (leaf 0) ab) [] r). split; [intros b []|]. intros b Hb. cbn [centre].
    pose proof (Hd _ (or_introl eq_refl)) as H0. cbn [centre] in H0. rewrite (Hd b (or_intror Hb)), H0. lra. }
  pose proof (loss_against (fst ab) (snd ab) true ltac:(rewrite Hab; simpl; lra)) as Hl. rewrite <- Hp in Hl.
  rewrite update_opens; cbn [balls steps dim length].
  - rewrite S_INR. specialize (IH (S i) (r ++ [new_ball (leaf i) true]) ab (S t) Hab ltac:(lia) ltac:(lia) ltac:(lia)).
    rewrite map_app, Hr in IH. cbn [map centre new_ball] in IH. change [leaf i] with (map leaf [i]) in IH.
    rewrite <- map_app in IH.
    replace (S i - 1)%nat with (S (i - 1)) in IH by lia. rewrite (seq_S (i - 1)) in IH.
    replace (1 + (i - 1))%nat with i in IH by lia. specialize (IH eq_refl). cbn [app] in *. lra.
  - intros b Hb. cbn [balls steps dim] in *. rewrite (Hd b Hb). pose proof (INR_ge1 q q_ge_1).
    apply radius_below; [lra|]. change (2 + 1)%nat with 3%nat. rewrite <- pow_INR. apply lt_INR.
    unfold K in Ht. simpl. lia.
  - rewrite Hlen. unfold capacity. rewrite pow_1. pose proof (two_over (radius (S t) 1) (radius_range (S t) 1
      ltac:(lia))).
    assert (INR (S (S (i - 1))) <= Chat) by (apply le_INR; lia). pose proof (pos_INR (S (S (i - 1)))). nra.
Qed.

Lemma crowd_regret : INR K / 2 <= regret dist Chat one crowd.
Proof.
  assert (HK : (1 <= K)%nat) by (unfold K; nia). pose proof gap_range as [Hg _].
  unfold regret, crowd. rewrite mistakes_app, comparator_app.
  assert (C1 : forall m, comparator one (map (fun y => visit y 0) (alternating m)) = INR m).
  { clear. induction m as [|m IH]; [reflexivity|]. cbn [alternating map visit comparator]. rewrite IH, S_INR.
    unfold loss, one, label, Rabs. repeat destruct (Rcase_abs _); lra. }
  rewrite C1, (comparator_knows one (map (visit true) (seq 1 K))).
  2:{ intros x y H. apply in_map_iff in H. destruct H as (i & E & _). injection E as <- <-. reflexivity. }
  assert (HC : 1 <= Chat) by (apply INR_ge1; lia).
  assert (exists m, K = S m) as (m & EK) by (exists (K - 1)%nat; lia).
  destruct (held_start dist Chat (map (fun y => visit y 0) (false :: alternating m)) (leaf 0) true HC) as [E1 E2].
  { intros x z H. apply in_map_iff in H. destruct H as (y & E & _). injection E as <- _. rewrite star_leaves. simpl.
    left. apply radius_pos. }
  change ((leaf 0, true) :: map (fun y => visit y 0) (false :: alternating m))
    with (map (fun y => visit y 0) (alternating (S m))) in E1, E2.
  assert (Es : true :: map snd (map (fun y => visit y 0) (false :: alternating m)) = alternating (S m)).
  { rewrite map_map. cbn [visit snd]. rewrite map_id. reflexivity. }
  rewrite Es, <- EK in E1, E2. rewrite alternating_tally, alternating_length in E2. rewrite E1, E2.
  pose proof (alternating_play K 0 0 ltac:(lia)) as P1.
  pose proof (fresh_leaves K 1 [] (0 + K, 0 + K)%nat (2 * K) eq_refl ltac:(lia) ltac:(lia) ltac:(lia) eq_refl). lra.
Qed.

Lemma crowd_setting : forall d, 3 <= d -> setting dist 1 d 0 one crowd.
Proof.
  intros d Hd. destruct gap_range as [Hg Hg1]. destruct (star_metric _ _ Hg Hg1) as (_ & _ & Hsym & Htri).
  pose proof (INR_ge1 q q_ge_1) as Hq.
  assert (Hsize : INR (K + 1) + 1 <= Rpower (2 * INR q) d).
  { apply Rle_trans with (Rpower (2 * INR q) (INR 3)); [|apply Rle_Rpower; [lra|simpl; lra]].
    rewrite Rpower_pow by lra. unfold K. rewrite plus_INR, !mult_INR. simpl. assert (1 <= INR q * INR q) by nra. nra. }
  assert (E : 2 / / INR q = 2 * INR q) by (field; lra). assert (E' : / (/ INR q / 2) = 2 * INR q) by (field; lra).
  constructor; try assumption; [|intros; unfold one; lra|lra|intros; unfold one, Rabs; destruct (Rcase_abs _); lra].
  intros r Hr. destruct (star_covered _ _ Hg Hg1 1 d (K + 1) 0) with (r := r) as (cs & Hn & Hc);
    rewrite ?E, ?E', ?Rmult_1_l; try lra; try lia.
  exists cs. split; [rewrite Rmult_1_l in Hn; lra|]. intros x Hx. apply Hc, crowd_points, Hx.
Qed.
End CROWD.

(** C_S = 1 is a covering constant, BASE runs with some C-hat >= 1, L = 0: regret T/6, above the stated bound. *)
Theorem theorem_1_fails_with_C_S : forall d, 3 <= d -> forall n0, exists n, (n0 <= n)%nat /\
  exists (X : Type) (dist : X -> X -> R) (Chat : R) (f : X -> R) (stream : list (X * bool)),
    metric dist /\ 1 <= Chat /\ setting dist 1 d 0 f stream /\ length stream = n /\
    INR n / 6 <= regret dist Chat f stream /\ stated 1 d 0 (INR n) < INR n / 6.
Proof.
  intros d Hd n0. set (G := 126/100 * (5/2 * 1 * Rpower 2 d + 3/2 * 0)).
  assert (HG : 0 < G) by (unfold G; pose proof (Rpower_pos 2 d); lra).
  destruct (nat_above (Rpower (6 * G + 1) (/ (1 / (2 + d)))) (Rlt_le _ _ (Rpower_pos _ _))) as (q0 & Hq0 & _).
  set (q := (n0 + S q0)%nat). assert (Hq1 : (1 <= q)%nat) by (unfold q; lia). destruct (gap_range q Hq1) as [Hg Hg1].
  assert (HqK : (q <= q * q * q)%nat) by nia.
  exists (3 * (q * q * q))%nat. split; [unfold q in *; lia|].
  exists site, (star (/ INR q) (/ INR q / 2)), (INR (q * q * q + 2)), one, (crowd q).
  split; [apply star_metric; assumption|]. split; [apply INR_ge1; lia|].
  split; [apply crowd_setting; assumption|]. split; [apply crowd_length; assumption|].
  set (T := INR (3 * (q * q * q))).
  assert (ET : T = 3 * INR (q * q * q)) by (unfold T; rewrite (mult_INR 3); simpl; ring).
  split; [pose proof (crowd_regret q Hq1); lra|].
  unfold stated. rewrite sqrt_1. fold G.
  assert (HTq : INR q0 <= T) by (unfold T; apply le_INR; unfold q in *; lia).
  assert (HT1 : 1 <= T) by (apply INR_ge1; lia).
  set (v := Rpower T ((1 + d) / (2 + d))). set (w := Rpower T (1 / (2 + d))).
  assert (Hv : 0 < v) by apply Rpower_pos.
  assert (EP : v * w = T).
  { unfold v, w. rewrite <- Rpower_plus. rewrite <- (Rpower_1 T) at 2 by lra. f_equal. field. lra. }
  assert (Hw : 6 * G + 1 <= w).
  { apply Rpower_reaches; [lra|apply Rdiv_lt_0_compat; lra|lra]. }
  nra.
Qed.
