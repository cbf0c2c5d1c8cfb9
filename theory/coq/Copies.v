(** BASE on an isometric copy of a stream.

    Proves: if phi keeps all distances, BASE does on phi(x_1), phi(x_2), ... exactly what it does on x_1,
    x_2, ...: the same losses, the same balls; and the hypotheses of the theorem go over to the copy.
    Idea: BASE sees points through distances only.
    Uses: the definitions of BASE and [setting], and [run] (Runs). *)
From Coq Require Import Reals Lra List Bool.
From Abacoc Require Import Algorithm Setting Runs.
Import ListNotations.
Local Open Scope R_scope.

Section COPY.
Context {X Y : Type}.
Variable dX : X -> X -> R.
Variable dY : Y -> Y -> R.
Variable C : R.
Variable phi : X -> Y.
Hypothesis iso : forall x x', dY (phi x) (phi x') = dX x x'.

Definition copy_ball (b : ball X) : ball Y := Ball (phi (centre b)) (counts b).
Definition copy_state (s : state X) : state Y := State (map copy_ball (balls s)) (steps s) (dim s).
Definition copy (l : list (X * bool)) : list (Y * bool) := map (fun p => (phi (fst p), snd p)) l.

Lemma closest_copy : forall x bs, closest dY (phi x) (map copy_ball bs) =
  match closest dX x bs with
  | None => None
  | Some (l1, b, l2) => Some (map copy_ball l1, copy_ball b, map copy_ball l2)
  end.
Proof.
  intros x bs. induction bs as [|b r IH]; [reflexivity|]. cbn [map closest]. rewrite IH.
  destruct (closest dX x r) as [[[l1 c] l2]|]; [|reflexivity].
  pose proof (iso x (centre b)) as Eb. pose proof (iso x (centre c)) as Ec. cbn [copy_ball centre].
  destruct (Rle_dec (dY _ _) _) as [A|A]; destruct (Rle_dec (dX _ _) _) as [B|B]; try reflexivity; exfalso; lra.
Qed.

Lemma add_new_copy : forall s x y, add_new_ball C (copy_state s) (phi x) y = copy_state (add_new_ball C s x y).
Proof.
  intros s x y. unfold add_new_ball, copy_state. cbn [balls steps dim]. rewrite map_length.
  destruct (Rle_dec _ _); cbn [balls steps dim]; rewrite ?map_app; reflexivity.
Qed.

Lemma update_copy : forall s x y, update dY C (copy_state s) (phi x) y = copy_state (update dX C s x y).
Proof.
  intros s x y. unfold update at 1 2. change (balls (copy_state s)) with (map copy_ball (balls s)).
  rewrite closest_copy.
  destruct (closest dX x (balls s)) as [[[l1 b] l2]|]; [|apply add_new_copy].
  pose proof (iso x (centre b)) as Eb. cbn [copy_ball centre copy_state steps dim].
  destruct (Rle_dec (dY _ _) _) as [A|A]; destruct (Rle_dec (dX _ _) _) as [B|B]; try (exfalso; lra);
    [|apply add_new_copy].
  unfold copy_state. cbn [balls steps dim]. rewrite map_app. reflexivity.
Qed.

Lemma predict_copy : forall s x, predict dY (copy_state s) (phi x) = predict dX s x.
Proof.
  intros s x. unfold predict. change (balls (copy_state s)) with (map copy_ball (balls s)). rewrite closest_copy.
  destruct (closest dX x (balls s)) as [[[l1 b] l2]|]; reflexivity.
Qed.

Theorem run_copy : forall l s, run dY C (copy_state s) (copy l) = copy_state (run dX C s l).
Proof.
  induction l as [|[x y] r IH]; intros s; [reflexivity|]. cbn [copy map run fst snd]. rewrite update_copy. apply IH.
Qed.

Theorem mistakes_copy : forall l s, mistakes dY C (copy_state s) (copy l) = mistakes dX C s l.
Proof.
  induction l as [|[x y] r IH]; intros s; [reflexivity|]. cbn [copy map mistakes fst snd].
  rewrite update_copy, predict_copy. f_equal. apply IH.
Qed.

Lemma comparator_copy : forall f g, (forall x, g (phi x) = f x) -> forall l, comparator g (copy l) = comparator f l.
Proof.
  intros f g H. induction l as [|[x y] r IH]; [reflexivity|]. cbn [copy map comparator fst snd]. rewrite H. f_equal.
  apply IH.
Qed.

Theorem regret_copy : forall f g, (forall x, g (phi x) = f x) -> forall l, regret dY C g (copy l) = regret dX C f l.
Proof.
  intros f g H l. unfold regret. rewrite (comparator_copy f g H). f_equal.
  change (@start Y) with (copy_state (@start X)). apply mistakes_copy.
Qed.

Theorem setting_copy : forall d L f g stream, (forall x y, dY x y = dY y x) ->
  (forall x y z, dY x z <= dY x y + dY y z) ->
  (forall x, g (phi x) = f x) -> setting dX C d L f stream -> setting dY C d L g (copy stream).
Proof.
  intros d L f g stream Hs Ht Hg [_ _ Hc Hu HL Hl].
  assert (P : forall y, points (copy stream) y -> exists x, y = phi x /\ points stream x).
  { intros y Hy. unfold points, copy in *. rewrite map_map in Hy. cbn [fst] in Hy. apply in_map_iff in Hy.
    destruct Hy as (p & <- & Hp). exists (fst p). split; [reflexivity|apply in_map, Hp]. }
  constructor; [exact Hs|exact Ht| | |exact HL|].
  - intros r Hr. destruct (Hc r Hr) as (cs & H1 & H2). exists (map phi cs). rewrite map_length. split; [exact H1|].
    intros y Hy. destruct (P y Hy) as (x & -> & Hx). destruct (H2 x Hx) as (c & H3 & H4).
    exists (phi c). split; [apply in_map, H3|]. rewrite iso. exact H4.
  - intros y Hy. destruct (P y Hy) as (x & -> & Hx). rewrite Hg. apply Hu, Hx.
  - intros y y' Hy Hy'. destruct (P y Hy) as (x & -> & Hx). destruct (P y' Hy') as (x' & -> & Hx').
    rewrite !Hg, iso. apply Hl; assumption.
Qed.
End COPY.
