(** A stream that drives BASE to a phase of dimension at least D and then holds it there. In a phase of
    dimension e < D it waits at one leaf of the star for q^(2+e) steps, until the radius is below 1/q,
    then visits fresh leaves, 1/q apart, until the dimension check fires. In the end a leaf and its twin,
    which are nearer than the radius of every step to come, alternate with different labels: one ball holds
    both, and every second prediction is wrong. *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Setting Powers Radii Huber Game Runs Star.
Import ListNotations.
Local Open Scope R_scope.

Section TRAP.
Variable q : nat.                    (* the leaves are 1/q apart *)
Variable D : nat.                    (* the dimension to which BASE is driven *)
Variable B : nat.                    (* the stream is not longer *)
Hypothesis q_ge_1 : (1 <= q)%nat.
Hypothesis D_ge_1 : (1 <= D)%nat.
Hypothesis q_large : (2 * 2 ^ D <= q * q)%nat.
Let near := radius B D.              (* a leaf and its twin *)
Notation dist := (star (/ INR q) near).
Notation run := (run dist 2).

Definition K (e : nat) : nat := (q ^ (2 + e))%nat.      (* the steps of a phase before the radius is 1/q *)
Definition M (e : nat) : nat := (4 * (2 * q) ^ e)%nat.   (* leaves enough to end a phase of dimension e *)

Lemma K_pos : forall e, (1 <= K e)%nat.
Proof. intros e. unfold K. assert (q ^ (2 + e) <> 0)%nat by (apply Nat.pow_nonzero; lia). lia. Qed.
Lemma M_ge_4 : forall e, (4 <= M e)%nat.
Proof. intros e. unfold M. assert ((2 * q) ^ e <> 0)%nat by (apply Nat.pow_nonzero; lia). lia. Qed.

Lemma M_le_K : forall e, (e < D)%nat -> (M e <= K e)%nat.
Proof.
  intros e He. unfold M, K. rewrite Nat.pow_mul_l, Nat.pow_add_r.
  assert (2 ^ S e <= 2 ^ D)%nat by (apply Nat.pow_le_mono_r; lia). rewrite Nat.pow_succ_r' in H.
  replace (q ^ 2)%nat with (q * q)%nat by (simpl; lia). nia.
Qed.

(** M e balls are more than the check of dimension e allows. *)
Lemma capacity_full : forall e, (e < D)%nat -> capacity 2 (radius (K e + (M e - 1)) e) e < INR (M e).
Proof.
  intros e He. pose proof (INR_ge1 q q_ge_1) as Hq. pose proof (M_le_K e He). pose proof (M_ge_4 e).
  set (k := (K e + (M e - 1))%nat). set (w := / radius k e).
  assert (Hr : 0 < radius k e) by apply radius_pos. assert (Hw : 0 < w) by (apply Rinv_0_lt_compat, Hr).
  assert (Hk : INR k < 2 * INR q ^ (2 + e)).
  { rewrite <- pow_INR. fold (K e). replace (2 * INR (K e)) with (INR (2 * K e)) by (rewrite mult_INR; simpl; ring).
    apply lt_INR. unfold k. lia. }
  assert (Ewk : w ^ (2 + e) = INR k).
  { unfold w. rewrite pow_inv. pose proof (radius_pow k e ltac:(unfold k; lia)) as E.
    apply Rmult_eq_reg_l with (radius k e ^ (2 + e)); [|apply pow_nonzero; lra].
    rewrite E. field. apply pow_nonzero. lra. }
  unfold capacity. replace (2 / radius k e) with (2 * w) by (unfold w; field; lra).
  unfold M. rewrite mult_INR, pow_INR, mult_INR, !Rpow_mult_distr. simpl (INR 2). replace (1 + 1) with 2 by ring.
  simpl (INR 4). assert (H2 : 0 < 2 ^ e) by (apply pow_lt; lra). assert (Hqe : 0 < INR q ^ e) by (apply pow_lt; lra).
  destruct (Rlt_le_dec (w ^ e) (2 * INR q ^ e)) as [A|A]; [nra|]. exfalso.
  assert (Hwq : INR q <= w).
  { destruct (Rle_lt_dec (INR q) w) as [L|L]; [exact L|]. assert (w ^ e <= INR q ^ e) by (apply pow_incr; lra). lra. }
  rewrite <- Ewk, !pow_add in Hk. simpl (_ ^ 2) in Hk.
  assert (INR q * INR q * (2 * INR q ^ e) <= w * w * w ^ e) by (apply Rmult_le_compat; nra). nra.
Qed.

(** * The climb *)

(** Examples at leaves below top, all with label 0. *)
Definition plain (top : nat) (l : list (site * bool)) : Prop :=
  forall x y, In (x, y) l -> y = false /\ exists c, (c < top)%nat /\ x = leaf c.

Lemma plain_app : forall top l m, plain top l -> plain top m -> plain top (l ++ m).
Proof. intros top l m Hl Hm x y H. apply in_app_or in H. destruct H; [apply Hl|apply Hm]; assumption. Qed.

Lemma plain_visits : forall top i n, (i + n <= top)%nat -> plain top (map (fun j => (leaf j, false)) (seq i n)).
Proof.
  intros top i n H x y Hx. apply in_map_iff in Hx. destruct Hx as (j & E & Hj). injection E as <- <-.
  apply in_seq in Hj. split; [reflexivity|]. exists j. split; [lia|reflexivity].
Qed.

Lemma plain_repeat : forall top c n, (c < top)%nat -> plain top (repeat (leaf c, false) n).
Proof. intros top c n H x y Hx. apply repeat_spec in Hx. injection Hx as -> ->. split; [reflexivity|].
  exists c. split; [exact H|reflexivity]. Qed.

Lemma plain_weaken : forall top top' l, (top <= top')%nat -> plain top l -> plain top' l.
Proof. intros top top' l H Hl x y Hx. destruct (Hl x y Hx) as [A (c & B1 & B2)]. split; [exact A|]. exists c.
  split; [lia|exact B2]. Qed.

(** One phase. *)
Lemma climb_once : forall e c, (1 <= e < D)%nat -> exists j pts e',
  (c <= j <= c + M e)%nat /\ (length pts <= K e + M e)%nat /\ plain (c + M e) pts /\ (e < e')%nat /\
  run (State [new_ball (leaf c) false] 1 e) pts = State [new_ball (leaf j) false] 1 e'.
Proof.
  intros e c He. pose proof (K_pos e) as HK. pose proof (M_ge_4 e) as HM.
  set (wait := repeat (leaf c, false) (K e - 1)).
  destruct (held dist 2 wait [] (leaf c) (0, 1)%nat [] 1 e) as [_ W].
  { intros x y Hx. apply repeat_spec in Hx. injection Hx as -> _. split; [split; intros b []|].
    rewrite star_leaves, Nat.eqb_refl. left. apply radius_pos. }
  unfold wait in W at 3. rewrite repeat_length in W. replace (1 + (K e - 1))%nat with (K e) in W by lia. cbn [app] in W.
  destruct (sweep dist 2 leaf false (M e - 2) (run (State [new_ball (leaf c) false] 1 e) wait) (S c)) as (n &
    e' & Hn & He' & R).
  - lra.
  - change (new_ball (leaf c) false) with (Ball (leaf c) (0, 1)%nat). rewrite W. intros b [<-|[]]. exists c.
    split; [lia|reflexivity].
  - change (new_ball (leaf c) false) with (Ball (leaf c) (0, 1)%nat). rewrite W. cbn [steps dim]. intros a j Ha.
    rewrite star_leaves. destruct (Nat.eqb_spec j a); [lia|]. pose proof (INR_ge1 q q_ge_1).
    apply radius_below; [lra|]. rewrite <- pow_INR. apply lt_INR. unfold K. lia.
  - change (new_ball (leaf c) false) with (Ball (leaf c) (0, 1)%nat). rewrite W. cbn [steps dim balls length].
    replace (S (K e + (M e - 2))) with (K e + (M e - 1))%nat by lia. replace (S (1 + (M e - 2))) with (M e) by lia.
    apply capacity_full. lia.
  - change (new_ball (leaf c) false) with (Ball (leaf c) (0, 1)%nat) in He' at 1. rewrite W in He'. cbn [dim] in He'.
    exists (S c + n)%nat, (wait ++ map (fun j => (leaf j, false)) (seq (S c) (S n))), e'.
    split; [lia|]. split; [|split; [|split; [exact He'|]]].
    + unfold wait. rewrite app_length, repeat_length, map_length, seq_length. lia.
    + apply plain_app; [apply plain_repeat; lia|apply plain_visits; lia].
    + rewrite run_app. exact R.
Qed.

(** All phases: n climbs at most, if n + 1 dimensions are to be reached. *)
Definition Mx : nat := M (D - 1).
Definition Kx : nat := K D.

Lemma climb : forall n e c, (1 <= e)%nat -> (D <= e + n)%nat -> exists j pts e',
  (j <= c + n * Mx)%nat /\ (length pts <= n * (Kx + Mx))%nat /\ plain (c + n * Mx + 1) pts /\ (D <= e')%nat /\
  run (State [new_ball (leaf c) false] 1 e) pts = State [new_ball (leaf j) false] 1 e'.
Proof.
  induction n as [|n IH]; intros e c He1 HD; (destruct (Nat.le_gt_cases D e) as [H|H];
    [exists c, [], e; split; [lia|]; split; [simpl; lia|]; split; [intros x y []|]; split; [exact
      H|reflexivity]|]); [lia|].
  assert (M e <= Mx)%nat by (apply Nat.mul_le_mono_l, Nat.pow_le_mono_r; lia).
  assert (K e <= Kx)%nat by (apply Nat.pow_le_mono_r; lia).
  destruct (climb_once e c ltac:(lia)) as (j & l1 & e' & Hj & Hl & Hp & He' & R).
  destruct (IH e' j ltac:(lia) ltac:(lia)) as (j' & l2 & e'' & Hj' & Hl2 & Hp2 & He'' & R2).
  exists j', (l1 ++ l2), e''. split; [simpl; lia|]. split; [|split; [|split; [exact He''|]]].
  - rewrite app_length. simpl. lia.
  - apply plain_app; [apply plain_weaken with (2 := Hp)|apply plain_weaken with (2 := Hp2)]; simpl; lia.
  - rewrite run_app, R. exact R2.
Qed.

(** * The stream *)

Definition top : nat := ((D - 1) * Mx + 1)%nat.
Definition prefix : nat := (1 + (D - 1) * (Kx + Mx))%nat.
Definition twins (j m : nat) : list (site * bool) := map (fun y => (Leaf j y, y)) (alternating m).

Lemma trap_stream : forall m, (2 * m + 1 <= B)%nat -> exists j stream,
  (j < top)%nat /\ (2 * m <= length stream <= prefix + 2 * m)%nat /\ (forall x, points stream x -> among top j x) /\
  INR m <= regret dist 2 twin_label stream.
Proof.
  intros m Hm. destruct (climb (D - 1) 1 0 ltac:(lia) ltac:(lia)) as (j & pre & e & Hj & Hl & Hp & He & R).
  set (first := (leaf 0, false)). exists j, ((first :: pre) ++ twins j m).
  assert (Hlen : length (twins j m) = (2 * m)%nat) by (unfold twins; rewrite map_length, alternating_length;
    reflexivity).
  assert (Hpre : plain top (first :: pre)).
  { apply (plain_app top [first]); [apply (plain_visits top 0 1); unfold top; lia|exact Hp]. }
  assert (Htwin : forall x y, In (x, y) (twins j m) -> x = Leaf j y).
  { intros x y H. apply in_map_iff in H. destruct H as (z & E & _). injection E as <- <-. reflexivity. }
  split; [unfold top; lia|]. split; [|split].
  - rewrite app_length, Hlen. unfold prefix. simpl length. lia.
  - intros x Hx. unfold points in Hx. apply in_map_iff in Hx. destruct Hx as ([x' y] & <- & H). cbn [fst].
    apply in_app_or in H. destruct H as [H|H].
    + destruct (Hpre _ _ H) as (_ & A). right. exact A.
    + rewrite (Htwin _ _ H). destruct y; [left; reflexivity|]. right. exists j. split; [unfold top; lia|reflexivity].
  - unfold regret. rewrite comparator_knows, mistakes_app.
    + pose proof (mistakes_nonneg dist 2 (first :: pre) start) as H0.
      unfold first in *. cbn [Runs.run]. rewrite update_start, R by lra.
      destruct (held dist 2 (twins j m) [] (leaf j) (0, 1)%nat [] 1 e) as [E _].
      * intros x y H. rewrite (Htwin _ _ H). split; [split; intros b []|].
        apply Rle_trans with near; [simpl; rewrite Nat.eqb_refl; assert (0 < near) by apply radius_pos;
          destruct y; simpl; lra|].
        rewrite Hlen. unfold near. apply Rle_trans with (radius (1 + 2 * m) D); [apply radius_mono; lia|apply
          radius_dim; lia].
      * cbn [app] in E. change (new_ball (leaf j) false) with (Ball (leaf j) (0, 1)%nat). rewrite E. unfold twins.
        rewrite map_map, map_id. pose proof (alternating_play m 0 1 ltac:(lia)). lra.
    + intros x y H. apply in_app_or in H. destruct H as [H|H]; [|rewrite (Htwin _ _ H); reflexivity].
      destruct (Hpre _ _ H) as (-> & c & _ & ->). reflexivity.
Qed.
End TRAP.
