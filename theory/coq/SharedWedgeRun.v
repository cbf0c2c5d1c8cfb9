(** BASE on the shared wedge: one stage and its regret.

    Proves: n steps at leaf N, then k leaves with n examples each, add a regret of at least
    k (3/4 sqrt n - 8/5 - L h (sqrt n + 2)) + L (the radii of steps n+1 .. (k+1) n) - L h n, h the radius at step n.
    Idea: the first example of leaf N + i is in the middle of its line, z = -h; every later one, at step t, is on the
    line of the far leaf, radius t above with label 1 or radius t below with label 0: exactly the radius away from the
    newest ball and farther from all older ones. The labels are those of TightLabels: pairs, then a run of ones.
    Uses: SharedWedge, TightLabels, Runs. *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Setting Powers Radii Game Huber Runs RadiiBelow TightLabels Comb Copies Arrival
  SharedWedge.
Import ListNotations.
Local Open Scope R_scope.

Section RUN.
Variable C : R.
Variable D : nat.
Context {P : Type}.
Variable dP : P -> P -> R.
Hypothesis HP : metric dP.
Variable home : P.
Variable gap : nat -> R.
Hypothesis gap_pos : forall i, 0 < gap i.
Hypothesis gap_lt : forall i j, (i < j)%nat -> gap j < gap i.
Hypothesis gap_le_1 : forall i, gap i <= 1.
Variables (N n k : nat).             (* n examples at each of the leaves N + 1 .. N + k *)
Hypothesis n_ge_1 : (1 <= n)%nat.
(** The gap of leaf N + i is the radius when its examples are over. *)
Hypothesis stage_gap : forall i, (i <= k)%nat -> gap (N + i) = radius (S i * n) D.
Variable L : R.
Hypothesis L_ge_0 : 0 <= L.
Let h := radius n D.
Hypothesis h_small : h * (2 * (1 + L)) <= 1.
(** The dimension check has room for leaf N + i, beside B older balls. *)
Variable B : nat.
Hypothesis room : forall i, (1 <= i <= k)%nat -> INR (B + S i) <= capacity C (radius (S (i * n)) D) D.

Notation dist := (wedge_dist dP gap).
Notation ramp_f := (ramp_at (P := P) L).
Definition leaf (i : nat) : point := (home, (Leaf (N + i), - h)).
Definition end_ (s : R) : point := (home, (Leaf (N + S k), - h + s)).

Lemma h_pos : 0 < h. Proof. apply radius_pos. Qed.
Lemma Lh_nonneg : 0 <= L * h. Proof. pose proof h_pos. apply Rmult_le_pos; lra. Qed.
Lemma gap_le' : forall i j, (i <= j)%nat -> gap j <= gap i.
Proof. apply gap_le. exact gap_lt. Qed.

(** All balls stand at leaves before leaf N + i. *)
Definition before (i : nat) (l : list (ball (point (P := P)))) : Prop :=
  forall b, In b l -> exists m, fst (snd (centre b)) = Leaf m /\ (m < N + i)%nat.

Lemma before_next : forall i l ab, before i l -> before (S i) (l ++ [Ball (leaf i) ab]).
Proof.
  intros i l ab H b Hb. apply in_app_or in Hb. destruct Hb as [Hb|[<-|[]]].
  - destruct (H b Hb) as (m & E & Hm). exists m. split; [exact E|lia].
  - exists (N + i)%nat. split; [reflexivity|lia].
Qed.
(** They are farther than the radius from all points of leaf N + i and later, when the time of leaf N + i has come. *)
Lemma before_far : forall i l p j t, before i l -> (1 <= i <= S k)%nat -> fst (snd p) = Leaf j -> (N + i <= j)%nat ->
  (i * n <= t)%nat -> forall b, In b l -> radius (S t) D < dist p (centre b).
Proof.
  intros i l p j t Hb Hi Ep Hj Ht b Hin. destruct (Hb b Hin) as (m & Em & Hm).
  apply Rlt_le_trans with (gap m); [|apply (leaves_apart dP gap gap_pos p _ j m Ep Em); lia].
  apply Rlt_le_trans with (gap (N + (i - 1))); [|apply gap_le'; lia].
  rewrite stage_gap by lia. replace (S (i - 1)) with i by lia. apply radius_lt. nia.
Qed.

(** * One wedge *)

Fixpoint wedge (t : nat) (ys : list bool) : list (point * bool) :=
  match ys with [] => [] | y :: r => (end_ (sgn y * radius (S t) D), y) :: wedge (S t) r end.

Lemma abs_end : forall y t, Rabs (sgn y * radius t D) = radius t D.
Proof.
  intros y t. pose proof (radius_pos t D). destruct y; unfold sgn, Rabs; destruct (Rcase_abs _); lra.
Qed.

(** An end of the wedge is the radius away from the newest ball, and farther from the others. *)
Lemma end_newest : forall i l y t, before i l -> (1 <= i <= k)%nat -> (i * n <= t)%nat -> (S t <= S i * n)%nat ->
  first_closest dist (end_ (sgn y * radius (S t) D)) (leaf i) l [] /\
  dist (end_ (sgn y * radius (S t) D)) (leaf i) = radius (S t) D.
Proof.
  intros i l y t Hb Hi Ht1 Ht2.
  assert (Ei : dist (end_ (sgn y * radius (S t) D)) (leaf i) = radius (S t) D).
  { unfold end_, leaf. rewrite later_leaf; [|exact HP|exact gap_pos|lia|rewrite abs_end; apply radius_range; lia].
    rewrite abs_end, stage_gap by lia. apply Rmax_right. apply radius_mono. nia. }
  split; [|exact Ei]. split; [|intros b []]. intros b Hin. rewrite Ei.
  apply (before_far i l _ (N + S k) t Hb); [lia|reflexivity|lia|lia|exact Hin].
Qed.

Lemma wedge_run : forall ys i l ab t, before i l -> (1 <= i <= k)%nat -> (i * n <= t)%nat ->
  (t + length ys <= S i * n)%nat ->
  mistakes dist C (State (l ++ [Ball (leaf i) ab]) t D) (wedge t ys) = play ys ab /\
  run dist C (State (l ++ [Ball (leaf i) ab]) t D) (wedge t ys)
    = State (l ++ [Ball (leaf i) (tally ys ab)]) (length ys + t) D.
Proof.
  induction ys as [|y r IH]; intros i l ab t Hb Hi Ht Hl; [split; reflexivity|].
  cbn [wedge mistakes run play tally length] in *.
  destruct (end_newest i l y t Hb Hi Ht ltac:(lia)) as [HC HR].
  rewrite predict_at by exact HC. rewrite update_takes; [|exact HC|cbn [centre]; rewrite HR; lra].
  unfold add_label. cbn [centre counts].
  destruct (IH i l (count y ab) (S t) Hb Hi ltac:(lia) ltac:(lia)) as [E1 E2]. rewrite E1, E2. split; [reflexivity|].
  f_equal. lia.
Qed.

Lemma wedge_comparator : forall ys t ab, (n <= t)%nat -> let cd := tally ys ab in
  comparator ramp_f (wedge t ys)
  = INR (snd cd) - INR (snd ab) + L * h * (INR (fst cd) - INR (fst ab) - (INR (snd cd) - INR (snd ab)))
    - L * (radii (length ys + t) D - radii t D).
Proof.
  induction ys as [|y r IH]; intros t ab Ht; cbv zeta.
  - cbn. ring.
  - cbn [wedge comparator tally length]. specialize (IH (S t) (count y ab) ltac:(lia)). cbv zeta in IH. rewrite IH.
    unfold end_, ramp_at. cbn [snd]. rewrite loss_end; [|exact L_ge_0|apply h_pos|exact h_small|].
    2:{ split; [left; apply radius_pos|]. apply radius_mono. lia. }
    replace (S (length r) + t)%nat with (length r + S t)%nat by lia. cbn [radii]. destruct ab as [u w].
    set (cd1 := tally r (count y (u, w))). clearbody cd1. destruct y; unfold count; cbn [fst snd]; rewrite S_INR; ring.
Qed.

(** * The leaves one after the other *)

Definition block (i : nat) : list (point * bool) :=
  match tight n with [] => [] | y :: ys => (leaf i, y) :: wedge (S (i * n)) ys end.
Fixpoint blocks (i m : nat) : list (point * bool) :=
  match m with O => [] | S m' => block i ++ blocks (S i) m' end.

Lemma wedge_length : forall ys t, length (wedge t ys) = length ys.
Proof. induction ys as [|y r IH]; intros t; [reflexivity|]. cbn [wedge length]. rewrite IH. reflexivity. Qed.
Lemma block_length : forall i, length (block i) = n.
Proof.
  intros i. pose proof (tight_length n n_ge_1) as HL. unfold block. destruct (tight n) as [|y ys]; [exact HL|].
  cbn [length] in *. rewrite wedge_length. exact HL.
Qed.
Lemma blocks_length : forall m i, length (blocks i m) = (m * n)%nat.
Proof. induction m as [|m IH]; intros i; [reflexivity|]. cbn [blocks]. rewrite app_length, block_length, IH. lia. Qed.

(** When leaf N + i comes, i n steps are over, and the radius has just fallen below all earlier gaps. *)
Lemma leaf_opens : forall i l, (1 <= i <= k)%nat -> before i l -> (length l <= B + i)%nat ->
  update dist C (State l (i * n) D) (leaf i) true = State (l ++ [Ball (leaf i) (1, 0)%nat]) (S (i * n)) D.
Proof.
  intros i l Hi Hb Hl. apply update_opens; cbn [balls steps dim].
  - intros b Hin. cbn [balls steps dim] in *.
    apply (before_far i l _ (N + i) (i * n) Hb); [lia|reflexivity|lia|lia|exact Hin].
  - apply Rle_trans with (2 := room i Hi). apply le_INR. lia.
Qed.

Theorem blocks_regret : forall m i l, (1 <= i)%nat -> (i + m <= S k)%nat -> before i l -> (length l <= B + i)%nat ->
  INR m * (3/4 * sqrt (INR n) - 8/5 - L * h * (sqrt (INR n) + 2)) + L * (radii ((i + m) * n) D - radii (i * n) D)
  <= mistakes dist C (State l (i * n) D) (blocks i m) - comparator ramp_f (blocks i m) /\
  exists l', run dist C (State l (i * n) D) (blocks i m) = State l' ((i + m) * n) D /\
    before (i + m) l' /\ (length l' <= B + (i + m))%nat.
Proof.
  induction m as [|m IH]; intros i l Hi Hm Hb Hl.
  - rewrite Nat.add_0_r. split; [simpl; lra|]. exists l. split; [reflexivity|]. split; assumption.
  - cbn [blocks]. rewrite mistakes_app, comparator_app, run_app.
    destruct (tight_first n n_ge_1) as (ys & Et).
    pose proof (tight_play n n_ge_1) as HPl. pose proof (tight_length n n_ge_1) as HL.
    pose proof (tight_tally n n_ge_1) as HT. pose proof (tight_facts n n_ge_1) as HF. cbv zeta in HT, HF.
    set (z := Nat.div2 (n - Nat.sqrt n)) in *. unfold block. rewrite Et in *. cbn [play fst snd] in HPl.
    rewrite loss_even in HPl.
    cbn [length] in HL. cbn [tally] in HT. unfold count in HT, HPl. cbn [fst snd] in HT, HPl.
    cbn [mistakes run comparator]. rewrite (leaf_opens i l ltac:(lia) Hb Hl).
    assert (EL : loss true (ramp_f (leaf i)) = L * h)
      by (apply loss_middle; [exact L_ge_0|apply h_pos|exact h_small]). rewrite EL.
    destruct (wedge_run ys i l (1, 0)%nat (S (i * n)) Hb ltac:(lia) ltac:(lia) ltac:(nia)) as [E1 E2]. rewrite E1, E2.
    pose proof (wedge_comparator ys (S (i * n)) (1, 0)%nat ltac:(nia)) as EO. cbv zeta in EO. rewrite HT in EO.
    cbn [fst snd] in EO.
    rewrite EO. replace (length ys + S (i * n))%nat with (S i * n)%nat by nia. rewrite HT.
    specialize (IH (S i) (l ++ [Ball (leaf i) (n - z, z)%nat]) ltac:(lia) ltac:(lia) (before_next i l _ Hb)).
    rewrite app_length in IH. cbn [length] in IH. specialize (IH ltac:(lia)).
    replace (S i + m)%nat with (i + S m)%nat in IH by lia. destruct IH as [IH IHs]. split; [|exact IHs].
    pose proof (loss_nonneg true (predict dist (State l (i * n) D) (leaf i))) as H0.
    cbn [radii]. assert (Hr : radius (S (i * n)) D <= h) by (apply radius_mono; nia).
    pose proof (Rmult_le_compat_l L _ _ L_ge_0 Hr) as HLr. pose proof Lh_nonneg.
    (* ones - zeros <= sqrt n + 1 *)
    assert (Hd : INR (n - z) - 1 - (INR z - 0) <= sqrt (INR n)).
    { destruct HF as (F1 & F2 & F3 & F4 & F5). set (r := Nat.sqrt n) in *.
      assert (Hr2 : INR r <= sqrt (INR n)).
      { rewrite <- (sqrt_square (INR r)) by apply pos_INR. apply sqrt_le_1; [apply Rle_0_sqr|apply pos_INR|].
        rewrite <- mult_INR. apply le_INR. exact F2. }
      assert (Q : (n - z <= r + 1 + z)%nat) by lia. apply le_INR in Q. rewrite !plus_INR in Q. simpl (INR 1) in Q. lra.
      }
    simpl (INR 0) in *. simpl (INR 1) in *. rewrite S_INR.
    apply (Rmult_le_compat_l (L * h)) in Hd; [|lra]. lra.
Qed.

(** * Waiting at leaf N: its ball takes what comes there *)

Lemma waiting : forall w l ab t, before 0 l -> exists ab',
  run dist C (State (l ++ [Ball (leaf 0) ab]) t D) (repeat (leaf 0, true) w)
    = State (l ++ [Ball (leaf 0) ab']) (w + t) D.
Proof.
  induction w as [|w IH]; intros l ab t Hb; [exists ab; reflexivity|]. cbn [repeat run].
  assert (E0 : dist (leaf 0) (leaf 0) = 0) by (apply wedge_self; assumption).
  rewrite update_takes; cbn [centre].
  - destruct (IH l (count true ab) (S t) Hb) as (ab' & Ea). exists ab'.
    unfold add_label. cbn [centre counts]. rewrite Ea. f_equal. lia.
  - split; [|intros b []]. intros b Hin. rewrite E0. destruct (Hb b Hin) as (m & Em & Hm).
    apply Rlt_le_trans with (gap m); [apply gap_pos|].
    apply (leaves_apart dP gap gap_pos (leaf 0) _ (N + 0) m eq_refl Em). lia.
  - rewrite E0. left. apply radius_pos.
Qed.

Lemma repeat_comparator : forall w (x : point) v, loss true (ramp_f x) = v ->
  comparator ramp_f (repeat (x, true) w) = INR w * v.
Proof. intros w x v E. induction w as [|w IH]; [simpl; ring|]. cbn [repeat comparator]. rewrite IH, E, S_INR. ring. Qed.

Lemma comparator_le_length : forall l, comparator ramp_f l <= INR (length l).
Proof.
  induction l as [|[x y] l IH]; [simpl; lra|]. cbn [comparator length]. rewrite S_INR.
  pose proof (loss_range y (ramp_f x) (ramp_at_range L L_ge_0 x)). lra.
Qed.

(** A stage: what came before ([past], up to clock t with leaf N not yet or just visited), waiting up to
    clock n, blocks. *)
Theorem stage_regret : forall past l ab t w, run dist C start past = State (l ++ [Ball (leaf 0) ab]) t D ->
  before 0 l ->
  (t + w = n)%nat -> (length l <= B)%nat ->
  INR k * (3/4 * sqrt (INR n) - 8/5 - L * h * (sqrt (INR n) + 2)) + L * (radii (S k * n) D - radii n D)
  - INR n * (L * h) - INR (length past) <= regret dist C ramp_f (past ++ repeat (leaf 0, true) w ++ blocks 1 k) /\
  exists l', run dist C start (past ++ repeat (leaf 0, true) w ++ blocks 1 k) = State l' (S k * n) D /\
    before (S k) l' /\ (length l' <= B + S k)%nat.
Proof.
  intros past l ab t w E Hb Ht Hl. unfold regret. rewrite !mistakes_app, !comparator_app, !run_app, E.
  destruct (waiting w l ab t Hb) as (ab' & W2). rewrite W2. replace (w + t)%nat with (1 * n)%nat by lia.
  assert (Hb1 : before 1 (l ++ [Ball (leaf 0) ab'])) by (apply before_next; exact Hb).
  destruct (blocks_regret k 1 (l ++ [Ball (leaf 0) ab']) ltac:(lia) ltac:(lia) Hb1) as [F G].
  { rewrite app_length. simpl. lia. }
  replace (1 + k)%nat with (S k) in * by lia. rewrite Nat.mul_1_l in *. split; [|exact G].
  rewrite (repeat_comparator w (leaf 0) (L * h)) by (apply loss_middle; [exact L_ge_0|apply h_pos|exact h_small]).
  pose proof (mistakes_nonneg dist C past start). pose proof (comparator_le_length past).
  pose proof (mistakes_nonneg dist C (repeat (leaf 0, true) w) (State (l ++ [Ball (leaf 0) ab]) t D)).
  pose proof Lh_nonneg.
  assert (INR w * (L * h) <= INR n * (L * h)) by (apply Rmult_le_compat_r; [lra|apply le_INR; lia]).
  lra.
Qed.
End RUN.
