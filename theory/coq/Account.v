(** The account of BASE, which is Lemma 2 without a hypothesis on the space: every ball pays the bound of
    one ball, every example pays L times its distance to the centre. So the regret is at most the sum of
    both over the balls and distances that really occurred ([refined_theorem]). Neither symmetry nor the
    triangle inequality is used, neither C >= 1 nor a cover. *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Setting Powers Sums Radii Huber Game OneBall Runs History.
Import ListNotations.
Local Open Scope R_scope.

Section ACCOUNT.
Context {X : Type}.
Variable dist : X -> X -> R.
Variable C : R.
Variable P : X -> Prop.              (* the points of the stream *)
Variable f : X -> R.
Variable L : R.
Hypothesis f_range : forall x, P x -> 0 <= f x <= 1.
Hypothesis f_lip : forall x y, P x -> P y -> Rabs (f x - f y) <= L * dist x y.
Notation update := (update dist C).

(** What the constant f(x_s) loses in the ball. *)
Definition at_centre (b : ball X) : R :=
  INR (fst (counts b)) * (1 - f (centre b)) + INR (snd (counts b)) * f (centre b).
(** What the ball may have lost more than f(x_s). *)
Definition psi (b : ball X) : R := potential (counts b) - at_centre b.

(** The end of a ball: l_t(p*_s) <= l_t(f(x_s)), and the bound of one ball. *)
Lemma psi_end : forall b, P (centre b) -> (1 <= size b)%nat -> psi b <= ball_bound (size b).
Proof.
  intros b HP Hs. unfold psi. pose proof (potential_end (counts b) Hs) as H. fold (size b) in H.
  assert (Rmin (INR (fst (counts b))) (INR (snd (counts b))) <= at_centre b); [|lra].
  unfold at_centre. pose proof (f_range _ HP).
  pose proof (pos_INR (fst (counts b))). pose proof (pos_INR (snd (counts b))).
  unfold Rmin. destruct (Rle_dec _ _); nra.
Qed.

(** One more label. Section V, proof of Lemma 2: l_t(f(x_s)) - l_t(f(x_t)) <= L rho(x_s, x_t). *)
Lemma psi_add : forall b x y, P (centre b) -> P x -> (1 <= size b)%nat ->
  psi b + loss y (ball_prob b) - loss y (f x) <= psi (add_label b y) + L * dist x (centre b).
Proof.
  intros b x y HP Hx Hs. pose proof (potential_step (counts b) y Hs) as HU.
  assert (E : at_centre (add_label b y) = at_centre b + loss y (f (centre b))).
  { pose proof (f_range _ HP). destruct b as [c [a z]]. unfold at_centre, add_label, loss, label, count. simpl in *.
    destruct y; cbn [fst snd]; rewrite S_INR; unfold Rabs; destruct (Rcase_abs _); lra. }
  assert (loss y (f (centre b)) - loss y (f x) <= L * dist x (centre b)).
  { apply Rle_trans with (Rabs (f x - f (centre b))); [|apply f_lip; assumption].
    unfold loss. eapply Rle_trans; [apply Rabs_triang_inv|].
    replace (label y - f (centre b) - (label y - f x)) with (f x - f (centre b)) by ring. lra. }
  unfold psi. rewrite E. unfold ball_prob, add_label. cbn [counts]. lra.
Qed.

(** The first label of a ball: its prediction is another ball's. *)
Lemma psi_new : forall x y p, P x -> 0 <= p <= 1 -> loss y p - loss y (f x) <= psi (new_ball x y).
Proof.
  intros x y p Hx Hp. pose proof (loss_range y p Hp) as Hl. pose proof (f_range x Hx).
  unfold psi, new_ball. cbn [counts]. rewrite potential_first. unfold at_centre, loss, label, count in *.
  cbn [counts centre].
  destruct y; cbn [fst snd] in *; simpl INR; revert Hl; unfold Rabs; repeat destruct (Rcase_abs _); lra.
Qed.

Definition good (s : state X) : Prop := forall b, In b (balls s) -> P (centre b) /\ (1 <= size b)%nat.

Lemma good_update : forall s x y, good s -> P x -> good (update s x y).
Proof.
  intros s x y G Hx.
  assert (Gn : P (centre (new_ball x y)) /\ (1 <= size (new_ball x y))%nat) by (split; [exact Hx|rewrite
    size_new; lia]).
  destruct (step_does dist C s x y) as [l1 b l2 Eb _ _ _ _ E|_ _ _ _ E|_ _ _ _ E]; rewrite E; intros c Hc; cbn
    [balls] in Hc.
  - assert (Hb : In b (balls s)) by (rewrite Eb; apply in_elt). unfold good in G. rewrite Eb in *.
    apply in_app_or in Hc. destruct Hc as [Hc|[<-|Hc]].
    + apply G, in_or_app. left. exact Hc.
    + split; [apply (G b Hb)|rewrite size_add; lia].
    + apply G, in_or_app. right. right. exact Hc.
  - apply in_app_or in Hc. destruct Hc as [Hc|[<-|[]]]; [apply G, Hc|exact Gn].
  - destruct Hc as [<-|[]]. exact Gn.
Qed.

Definition owed (bs : list (ball X)) : R := sum (map (fun b => ball_bound (size b)) bs).

Lemma balls_end : forall s, good s -> sum (map psi (balls s)) <= owed (balls s).
Proof. intros s G. apply sum_le. intros b Hb. destruct (G b Hb). apply psi_end; assumption. Qed.

(** Every example pays for itself. *)
Lemma pays : forall s x y, good s -> P x ->
  sum (map psi (balls s)) + loss y (predict dist s x) - loss y (f x)
  <= owed (if fires dist C s x then balls s else []) + sum (map psi (balls (update s x y))) + L * reach dist s x.
Proof.
  intros s x y G Hx. pose proof (psi_new x y (predict dist s x) Hx (predict_range dist s x)) as Hnew.
  destruct (step_does dist C s x y) as [l1 b l2 Eb Ep Er _ F E|_ Er F _ E|_ Er F _ E]; rewrite E, F, Er; cbn [balls].
  - destruct (G b ltac:(rewrite Eb; apply in_elt)) as [HPb Hb1].
    rewrite Ep, Eb, !map_app, !sum_app. unfold owed. cbn [map sum]. pose proof (psi_add b x y HPb Hx Hb1). lra.
  - rewrite map_app, sum_app. unfold owed. cbn [map sum]. lra.
  - pose proof (balls_end s G). cbn [map sum]. lra.
Qed.

Lemma run_pays : forall stream s, good s -> (forall x y, In (x, y) stream -> P x) ->
  sum (map psi (balls s)) + mistakes dist C s stream - comparator f stream
  <= owed (flat_map balls (ends dist C s stream)) + L * travelled dist C s stream.
Proof.
  induction stream as [|[x y] r IH]; intros s G HP; cbn [mistakes comparator ends travelled flat_map].
  - rewrite app_nil_r. pose proof (balls_end s G). lra.
  - assert (Hx : P x) by (apply (HP x y); left; reflexivity). pose proof (pays s x y G Hx) as A.
    specialize (IH (update s x y) (good_update s x y G Hx) (fun u v H => HP u v (or_intror H))).
    unfold owed in *. rewrite flat_map_app, map_app, sum_app, Rmult_plus_distr_l.
    destruct (fires dist C s x); cbn [flat_map map sum] in *; rewrite ?app_nil_r; lra.
Qed.
End ACCOUNT.

(** Any type, any function of two points for a distance, any C, any L. *)
Theorem refined_theorem : forall X (dist : X -> X -> R) C L f stream,
  (forall x, points stream x -> 0 <= f x <= 1) ->
  (forall x y, points stream x -> points stream y -> Rabs (f x - f y) <= L * dist x y) ->
  regret dist C f stream
  <= sum (map (fun b => ball_bound (size b)) (ever dist C stream)) + L * travelled dist C start stream.
Proof.
  intros X dist C L f stream Hf HL.
  pose proof (run_pays dist C (points stream) f L Hf HL stream start ltac:(intros b []) (point_in X stream)) as A.
  cbn [start balls map sum] in A. unfold regret, ever, owed in *. lra.
Qed.
