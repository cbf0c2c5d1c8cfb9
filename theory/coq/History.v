(** What a run of BASE leaves behind: the distance of every example to the centre of the ball that took
    it, and the last state of every phase. The balls of those states are all the balls that ever were,
    with their final counts; each of the T examples is counted in exactly one of them ([ever_counts]).
    Nothing is assumed about the distance or about C. *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Sums Radii Game Runs.
Import ListNotations.
Local Open Scope R_scope.

Section HISTORY.
Context {X : Type}.
Variable dist : X -> X -> R.
Variable C : R.
Notation update := (update dist C).

(** * Definitions *)

(** The ball that takes x: the closest, if x is within the radius. Alg. 1, line 10. *)
Definition taker (s : state X) (x : X) : option (ball X) :=
  match closest dist x (balls s) with
  | Some (_, b, _) => if Rle_dec (dist x (centre b)) (radius (S (steps s)) (dim s)) then Some b else None
  | None => None
  end.

(** The distance from x to that ball's centre, 0 if x opens a ball. *)
Definition reach (s : state X) (x : X) : R :=
  match taker s x with Some b => dist x (centre b) | None => 0 end.

(** Does x end the phase? Alg. 2, line 15. *)
Definition fires (s : state X) (x : X) : bool :=
  match taker s x with
  | Some _ => false
  | None => if Rle_dec (INR (S (length (balls s)))) (capacity C (radius (S (steps s)) (dim s)) (dim s))
            then false else true
  end.

(** The distances at assignment, together. *)
Fixpoint travelled (s : state X) (stream : list (X * bool)) : R :=
  match stream with [] => 0 | (x, y) :: r => reach s x + travelled (update s x y) r end.

(** The last states of the phases, in their order; the last of them is the final state. *)
Fixpoint ends (s : state X) (stream : list (X * bool)) : list (state X) :=
  match stream with
  | [] => [s]
  | (x, y) :: r => (if fires s x then [s] else []) ++ ends (update s x y) r
  end.

(** All the balls that ever were, with their final counts. *)
Definition ever (stream : list (X * bool)) : list (ball X) := flat_map balls (ends start stream).

(** * The three things that an example can do *)

Inductive does (s : state X) (x : X) (y : bool) : Prop :=
| Takes l1 b l2 : balls s = l1 ++ b :: l2 -> predict dist s x = ball_prob b ->
    reach s x = dist x (centre b) -> reach s x <= radius (S (steps s)) (dim s) -> fires s x = false ->
    update s x y = State (l1 ++ add_label b y :: l2) (S (steps s)) (dim s) -> does s x y
| Opens : far dist s x -> reach s x = 0 -> fires s x = false ->
    INR (S (length (balls s))) <= capacity C (radius (S (steps s)) (dim s)) (dim s) ->
    update s x y = State (balls s ++ [new_ball x y]) (S (steps s)) (dim s) -> does s x y
| Fires : far dist s x -> reach s x = 0 -> fires s x = true ->
    capacity C (radius (S (steps s)) (dim s)) (dim s) < INR (S (length (balls s))) ->
    update s x y = State [new_ball x y] 1 (dimension_for C (S (length (balls s))) (S (length (balls s)))
      (radius (S (steps s)) (dim s)) 0) -> does s x y.

Lemma step_does : forall s x y, does s x y.
Proof.
  intros s x y.
  assert (N : taker s x = None -> far dist s x -> does s x y).
  { intros E F. assert (E2 : reach s x = 0) by (unfold reach; rewrite E; reflexivity).
    pose proof (update_far dist C s x y F) as U. unfold add_new_ball in U.
    assert (E3 : fires s x = if Rle_dec (INR (S (length (balls s)))) (capacity C (radius (S (steps s)) (dim s)) (dim s))
      then false else true) by (unfold fires; rewrite E; reflexivity).
    destruct (Rle_dec _ _) as [H|H]; [apply Opens|apply Fires]; try assumption. apply Rnot_le_lt, H. }
  destruct (closest dist x (balls s)) as [[[l1 b] l2]|] eqn:E.
  - destruct (closest_some _ _ _ _ _ _ E) as [Eb Hmin].
    destruct (Rle_dec (dist x (centre b)) (radius (S (steps s)) (dim s))) as [H|H] eqn:Ed.
    + assert (T : taker s x = Some b) by (unfold taker; rewrite E, Ed; reflexivity).
      apply Takes with l1 b l2; unfold reach, fires, predict, Algorithm.update; rewrite ?T, ?E, ?Ed; trivial.
    + apply N; [unfold taker; rewrite E, Ed; reflexivity|]. intros c Hc. specialize (Hmin c Hc).
      apply Rlt_le_trans with (2 := Hmin). apply Rnot_le_lt, H.
  - apply N; [unfold taker; rewrite E; reflexivity|].
    intros b Hb. rewrite (closest_none _ _ _ E) in Hb. destruct Hb.
Qed.

(** A property of states that every example keeps is a property of the ends. *)
Lemma ends_keep : forall (P : X -> Prop) (I : state X -> Prop), (forall s x y, I s -> P x -> I (update s x y)) ->
  forall stream s, I s -> (forall x y, In (x, y) stream -> P x) -> forall e, In e (ends s stream) -> I e.
Proof.
  intros P I Step. induction stream as [|[x y] r IH]; intros s Hs HP e; cbn [ends].
  - intros [<-|[]]. exact Hs.
  - intros H. apply in_app_or in H. destruct H as [H|H].
    + destruct (fires s x); [destruct H as [<-|[]]; exact Hs|destruct H].
    + apply (IH (update s x y)); [|intros u v Hu; apply (HP u v); right; exact Hu|exact H].
      apply Step; [exact Hs|]. apply (HP x y). left. reflexivity.
Qed.

(** * The books are complete *)

(** Balls are never empty and hold the steps of the phase. *)
Definition full (s : state X) : Prop :=
  (forall b, In b (balls s) -> (1 <= size b)%nat) /\ sum (map (fun b => INR (size b)) (balls s)) = INR (steps s).

Lemma size_new : forall (x : X) y, size (new_ball x y) = 1%nat.
Proof. intros x y. unfold size, new_ball. cbn [counts]. rewrite size_count. reflexivity. Qed.
Lemma size_add : forall (b : ball X) y, size (add_label b y) = S (size b).
Proof. intros b y. unfold size, add_label. cbn [counts]. apply size_count. Qed.

Lemma full_start : full start.
Proof. split; [intros b []|reflexivity]. Qed.

Lemma full_update : forall s x y, full s -> full (update s x y).
Proof.
  intros s x y [H1 H2].
  destruct (step_does s x y) as [l1 b l2 Eb _ _ _ _ E|_ _ _ _ E|_ _ _ _ E]; rewrite E; split; cbn [balls steps].
  - intros c Hc. rewrite Eb in H1. apply in_app_or in Hc. destruct Hc as [Hc|[<-|Hc]].
    + apply H1, in_or_app. left. exact Hc.
    + rewrite size_add. lia.
    + apply H1, in_or_app. right. right. exact Hc.
  - rewrite Eb in H2. rewrite map_app, sum_app in *. cbn [map sum] in *. rewrite size_add, !S_INR. lra.
  - intros c Hc. apply in_app_or in Hc. destruct Hc as [Hc|[<-|[]]]; [apply H1, Hc|rewrite size_new; lia].
  - rewrite map_app, sum_app. cbn [map sum]. rewrite size_new, H2, (S_INR (steps s)). simpl. ring.
  - intros c [<-|[]]. rewrite size_new. lia.
  - cbn [map sum]. rewrite size_new. simpl. ring.
Qed.

Lemma ends_full : forall stream e, In e (ends start stream) -> full e.
Proof.
  intros stream. apply (ends_keep (fun _ => True) full); [|apply full_start|trivial].
  intros s x y H _. apply full_update, H.
Qed.

Lemma ends_steps : forall stream s,
  sum (map (fun e => INR (steps e)) (ends s stream)) = INR (steps s) + INR (length stream).
Proof.
  induction stream as [|[x y] r IH]; intros s; cbn [ends length]; [cbn; ring|].
  rewrite map_app, sum_app, IH, S_INR.
  destruct (step_does s x y) as [l1 b l2 _ _ _ _ F E|_ _ F _ E|_ _ F _ E]; rewrite F, E; cbn [map sum steps];
  rewrite ?S_INR; simpl (INR 0); lra.
Qed.

Lemma sum_flat : forall (g : ball X -> R) l,
  sum (map g (flat_map balls l)) = sum (map (fun e => sum (map g (balls e))) l).
Proof.
  intros g l. induction l as [|e r IH]; [reflexivity|]. cbn [flat_map map sum]. rewrite map_app, sum_app, IH. ring.
Qed.

Theorem ever_counts : forall stream,
  sum (map (fun b => INR (size b)) (ever stream)) = INR (length stream) /\
  (forall b, In b (ever stream) -> (1 <= size b)%nat).
Proof.
  intros stream. pose proof (ends_full stream) as F. split.
  - unfold ever. rewrite sum_flat. pose proof (ends_steps stream start) as Q.
    simpl (INR (steps start)) in Q. rewrite Rplus_0_l in Q. rewrite <- Q. f_equal.
    apply map_ext_in. intros e He. apply (F e He).
  - intros b Hb. unfold ever in Hb. apply in_flat_map in Hb. destruct Hb as (e & He & Hb). apply (F e He), Hb.
Qed.

(** * The distances are at most the radii *)

Lemma reach_le : forall s x, reach s x <= radius (S (steps s)) (dim s).
Proof.
  intros s x. pose proof (radius_pos (S (steps s)) (dim s)).
  destruct (step_does s x true) as [l1 b l2 _ _ _ H1 _ _|_ H1 _ _ _|_ H1 _ _ _]; lra.
Qed.

Lemma travelled_le : forall stream s,
  radii (steps s) (dim s) + travelled s stream <= sum (map (fun e => radii (steps e) (dim e)) (ends s stream)).
Proof.
  induction stream as [|[x y] r IH]; intros s; cbn [ends travelled]; [cbn; lra|].
  specialize (IH (update s x y)). rewrite map_app, sum_app. pose proof (reach_le s x) as Hr.
  destruct (step_does s x y) as [l1 b l2 _ _ _ _ F E|_ _ F _ E|_ R0 F _ E]; rewrite F, E in *;
  cbn [map sum steps dim radii] in *; rewrite ?radius_1 in *; lra.
Qed.
End HISTORY.
