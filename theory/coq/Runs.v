(** How BASE runs: what one example does to a state that is known, and what a stretch of examples does
    that one ball takes. All the streams of the witnesses and of the lower bounds are put together from
    these lemmas. *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Powers Radii Huber Game.
Import ListNotations.
Local Open Scope R_scope.

Section RUNS.
Context {X : Type}.
Variable dist : X -> X -> R.
Variable C : R.
Notation closest := (closest dist).
Notation predict := (predict dist).
Notation update := (update dist C).
Notation mistakes := (mistakes dist C).

(** * The closest ball *)

Lemma closest_none : forall x bs, closest x bs = None -> bs = [].
Proof.
  intros x [|b r]; [trivial|]. simpl. destruct (closest x r) as [[[l1 c] l2]|]; [|congruence].
  destruct (Rle_dec _ _); congruence.
Qed.

Lemma closest_some : forall x bs l1 b l2, closest x bs = Some (l1, b, l2) ->
  bs = l1 ++ b :: l2 /\ forall c, In c bs -> dist x (centre b) <= dist x (centre c).
Proof.
  intros x bs. induction bs as [|b0 r IH]; intros l1 b l2 H; simpl in H; [congruence|].
  destruct (closest x r) as [[[m1 c] m2]|] eqn:E.
  - destruct (IH _ _ _ eq_refl) as [E1 E2].
    destruct (Rle_dec _ _) as [Hle|Hgt]; injection H as <- <- <-.
    + split; [reflexivity|]. intros z [<-|Hz]; [lra|]. specialize (E2 z Hz). lra.
    + split; [simpl; congruence|]. apply Rnot_le_lt in Hgt.
      intros z [<-|Hz]; [lra|]. apply E2, Hz.
  - injection H as <- <- <-. apply closest_none in E. subst r.
    split; [reflexivity|]. intros z [<-|[]]. lra.
Qed.

(** c is the first of the closest centres. *)
Definition first_closest (x c : X) (l1 l2 : list (ball X)) : Prop :=
  (forall b, In b l1 -> dist x c < dist x (centre b)) /\ (forall b, In b l2 -> dist x c <= dist x (centre b)).

Lemma closest_at : forall x b l1 l2, first_closest x (centre b) l1 l2 ->
  closest x (l1 ++ b :: l2) = Some (l1, b, l2).
Proof.
  intros x b l1 l2 [H1 H2]. induction l1 as [|c l1 IH]; cbn [app Algorithm.closest].
  - destruct (closest x l2) as [[[m1 c] m2]|] eqn:E.
    + destruct (closest_some _ _ _ _ _ E) as [E2 _]. specialize (H2 c ltac:(rewrite E2; apply in_elt)).
      destruct (Rle_dec _ _); [reflexivity|lra].
    + reflexivity.
  - rewrite IH by (intros d Hd; apply H1; right; exact Hd). specialize (H1 c (or_introl eq_refl)).
    destruct (Rle_dec _ _); [lra|reflexivity].
Qed.

Lemma predict_range : forall s x, 0 <= predict s x <= 1.
Proof.
  intros s x. unfold Algorithm.predict. destruct (closest x (balls s)) as [[[l1 b] l2]|]; [|lra].
  apply prob_range.
Qed.

Lemma predict_at : forall x b l1 l2 n e, first_closest x (centre b) l1 l2 ->
  predict (State (l1 ++ b :: l2) n e) x = ball_prob b.
Proof. intros x b l1 l2 n e H. unfold Algorithm.predict. cbn [balls]. rewrite closest_at by exact H. reflexivity. Qed.

(** * One example *)

Lemma update_takes : forall x y b l1 l2 n e, first_closest x (centre b) l1 l2 -> dist x (centre b) <= radius (S n) e ->
  update (State (l1 ++ b :: l2) n e) x y = State (l1 ++ add_label b y :: l2) (S n) e.
Proof.
  intros x y b l1 l2 n e H Hr. unfold Algorithm.update. cbn [balls steps dim]. rewrite closest_at by exact H.
  destruct (Rle_dec _ _); [reflexivity|contradiction].
Qed.

Definition far (s : state X) (x : X) : Prop :=
  forall b, In b (balls s) -> radius (S (steps s)) (dim s) < dist x (centre b).

Lemma update_far : forall s x y, far s x -> update s x y = add_new_ball C s x y.
Proof.
  intros s x y H. unfold Algorithm.update. destruct (closest x (balls s)) as [[[l1 b] l2]|] eqn:E; [|reflexivity].
  destruct (closest_some _ _ _ _ _ E) as [Eb _]. specialize (H b ltac:(rewrite Eb; apply in_elt)).
  destruct (Rle_dec _ _); [lra|reflexivity].
Qed.

(** The dimension check has room: a new ball. *)
Lemma update_opens : forall s x y, far s x ->
  INR (S (length (balls s))) <= capacity C (radius (S (steps s)) (dim s)) (dim s) ->
  update s x y = State (balls s ++ [new_ball x y]) (S (steps s)) (dim s).
Proof.
  intros s x y H Hc. rewrite update_far by exact H. unfold add_new_ball.
  destruct (Rle_dec _ _); [reflexivity|contradiction].
Qed.

(** It has none: a new phase, of a larger dimension. *)
Lemma update_fires : forall s x y, 1 <= C -> far s x ->
  capacity C (radius (S (steps s)) (dim s)) (dim s) < INR (S (length (balls s))) ->
  exists e, (dim s < e)%nat /\ update s x y = State [new_ball x y] 1 e.
Proof.
  intros s x y HC H Hc. rewrite update_far by exact H. unfold add_new_ball.
  destruct (Rle_dec _ _); [lra|]. eexists. split; [|reflexivity].
  apply dimension_grows; [exact HC|apply radius_range; lia|exact Hc].
Qed.

Lemma update_start : forall x y, 1 <= C -> update start x y = State [new_ball x y] 1 1.
Proof.
  intros x y HC. rewrite update_opens; [reflexivity|intros b []|]. cbn [start balls steps dim length].
  rewrite radius_1. apply capacity_1; lra.
Qed.

(** * Many examples *)

Fixpoint run (s : state X) (stream : list (X * bool)) : state X :=
  match stream with [] => s | (x, y) :: r => run (update s x y) r end.

Lemma run_app : forall l m s, run s (l ++ m) = run (run s l) m.
Proof. induction l as [|[x y] r IH]; intros m s; simpl; [reflexivity|]. apply IH. Qed.

Lemma mistakes_app : forall l m s, mistakes s (l ++ m) = mistakes s l + mistakes (run s l) m.
Proof. induction l as [|[x y] r IH]; intros m s; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma mistakes_nonneg : forall l s, 0 <= mistakes s l.
Proof.
  induction l as [|[x y] r IH]; intros s; simpl; [lra|].
  pose proof (loss_nonneg y (predict s x)). specialize (IH (update s x y)). lra.
Qed.

Lemma comparator_app : forall (f : X -> R) l m, comparator f (l ++ m) = comparator f l + comparator f m.
Proof. induction l as [|[x y] r IH]; intros m; simpl; [ring|]. rewrite IH. ring. Qed.

(** A comparator that knows the labels loses nothing. *)
Lemma comparator_knows : forall (f : X -> R) l, (forall x y, In (x, y) l -> f x = label y) -> comparator f l = 0.
Proof.
  intros f l. induction l as [|[x y] r IH]; intros H; [reflexivity|]. cbn [comparator].
  rewrite IH by (intros; apply H; right; assumption). unfold loss.
  rewrite (H x y (or_introl eq_refl)), Rminus_diag_eq, Rabs_R0 by reflexivity. ring.
Qed.

(** One ball takes a whole stretch: BASE plays the game of Game.v with its labels. *)
Lemma held : forall stream l1 c ab l2 n e,
  (forall x y, In (x, y) stream -> first_closest x c l1 l2 /\ dist x c <= radius (n + length stream) e) ->
  mistakes (State (l1 ++ Ball c ab :: l2) n e) stream = play (map snd stream) ab /\
  run (State (l1 ++ Ball c ab :: l2) n e) stream
    = State (l1 ++ Ball c (tally (map snd stream) ab) :: l2) (n + length stream) e.
Proof.
  induction stream as [|[x y] r IH]; intros l1 c ab l2 n e H.
  - cbn. rewrite Nat.add_0_r. split; reflexivity.
  - destruct (H x y (or_introl eq_refl)) as [Hx Hr]. cbn [length] in *.
    cbn [Algorithm.mistakes run map snd play tally]. rewrite predict_at by exact Hx.
    rewrite update_takes; [|exact Hx|apply Rle_trans with (1 := Hr), radius_mono; lia].
    unfold add_label. cbn [centre counts]. replace (n + S (length r))%nat with (S n + length r)%nat in * by lia.
    destruct (IH l1 c (count y ab) l2 (S n) e (fun u v Hu => H u v (or_intror Hu))) as [E1 E2].
    rewrite E1, E2. split; reflexivity.
Qed.

(** The same from the start: the first example opens the ball, and 1/2 is what empty counts predict. *)
Lemma held_start : forall stream c y, 1 <= C ->
  (forall x z, In (x, z) stream -> dist x c <= radius (1 + length stream) 1) ->
  let ys := y :: map snd stream in
  mistakes start ((c, y) :: stream) = play ys (0, 0)%nat /\
  run start ((c, y) :: stream) = State [Ball c (tally ys (0, 0)%nat)] (length ys) 1.
Proof.
  intros stream c y HC H ys. unfold ys. cbn [Algorithm.mistakes run play tally length].
  rewrite update_start by exact HC.
  destruct (held stream [] c (count y (0, 0)%nat) [] 1 1) as [E1 E2].
  - intros x z Hx. split; [split; intros b []|exact (H x z Hx)].
  - cbn [app] in E1, E2. unfold new_ball. rewrite E1, E2, map_length. split; [|reflexivity]. f_equal. f_equal.
    change (predict start c) with (1/2). pose proof (prob_clip 0 0) as P. cbv zeta in P. cbn [fst snd]. rewrite P.
    assert (0 < sqrt (INR (0 + 0) + 2)) by (apply sqrt_lt_R0; simpl; lra).
    simpl (INR 0 - INR 0). rewrite Rminus_0_r. unfold dphi. cases_lt; lra.
Qed.

(** Fresh points one after the other, each far from all before it, until the dimension check fires:
    at the latest when it must. *)
Lemma sweep : forall (leaf : nat -> X) y k s i, 1 <= C ->
  (forall b, In b (balls s) -> exists a, (a < i)%nat /\ centre b = leaf a) ->
  (forall a j, (a < j <= i + k)%nat -> radius (S (steps s)) (dim s) < dist (leaf j) (leaf a)) ->
  capacity C (radius (S (steps s + k)) (dim s)) (dim s) < INR (S (length (balls s) + k)) ->
  exists n e, (n <= k)%nat /\ (dim s < e)%nat /\
    run s (map (fun j => (leaf j, y)) (seq i (S n))) = State [new_ball (leaf (i + n)%nat) y] 1 e.
Proof.
  intros leaf y. induction k as [|k IH]; intros s i HC Hb Hfar Hc.
  all: assert (F : far s (leaf i)) by (intros b Hin; destruct (Hb b Hin) as (a & Ha & ->); apply Hfar; lia).
  all: destruct (Rle_lt_dec (INR (S (length (balls s)))) (capacity C (radius (S (steps s)) (dim s)) (dim s))) as [H|H].
  all: try (destruct (update_fires s (leaf i) y HC F H) as (e & He & E); exists O, e;
    split; [lia|]; split; [exact He|]; cbn [seq map run]; rewrite E, Nat.add_0_r; reflexivity).
  - rewrite !Nat.add_0_r in Hc. lra.
  - pose proof (update_opens s (leaf i) y F H) as E.
    destruct (IH (update s (leaf i) y) (S i) HC) as (n & e & Hn & He & R); rewrite E in *; cbn [balls steps dim] in *.
    + intros b Hin. apply in_app_or in Hin. destruct Hin as [Hin|[<-|[]]]; [|exists i; split; [lia|reflexivity]].
      destruct (Hb b Hin) as (a & Ha & Ea). exists a. split; [lia|exact Ea].
    + intros a j Ha. apply Rle_lt_trans with (radius (S (steps s)) (dim s)); [apply radius_mono; lia|apply Hfar; lia].
    + rewrite app_length. cbn [length]. replace (S (steps s) + k)%nat with (steps s + S k)%nat by lia.
      replace (length (balls s) + 1 + k)%nat with (length (balls s) + S k)%nat by lia. exact Hc.
    + exists (S n), e. split; [lia|]. split; [exact He|].
      change (seq i (S (S n))) with (i :: seq (S i) (S n)). cbn [map run]. rewrite E.
      replace (i + S n)%nat with (S i + n)%nat by lia. exact R.
Qed.
End RUNS.
