(** What comes before: BASE brought to a phase of dimension D.

    Defines: an [arrival] is a metric space of diameter at most 1 with covering numbers at most C r^-D, and
    a short stream of it after which BASE has just begun a phase of dimension D with one ball, at [home];
    [seen] lists the other points.
    Proves: D = 1 needs one example only, in a space of one point. (Climb.v: every D.)
    Uses: Runs. *)
From Coq Require Import Reals Lra List Bool.
From Abacoc Require Import Algorithm Setting Powers Runs.
Import ListNotations.
Local Open Scope R_scope.

Record arrival {P : Type} (C : R) (D : nat) (dP : P -> P ->
  R) (home : P) (pre : list (P * bool)) (seen : list P) : Prop := {
  arrival_metric : metric dP;
  arrival_run : run dP C start pre = State [Ball home (1, 0)%nat] 1 D;
  arrival_seen : forall x, points pre x -> x = home \/ In x seen;
  arrival_covered : forall r, 0 < r <= 1 -> exists cs : list P, INR (length cs) <= C * Rpower r (- INR D) /\
    forall x, x = home \/ In x seen -> exists c, In c cs /\ dP x c <= r }.

Lemma scale_ge_1 : forall r d, 0 < r <= 1 -> 0 <= d -> 1 <= Rpower r (- d).
Proof. intros r d Hr Hd. rewrite <- (Rpower_1_l (- d)). apply Rpower_anti; lra. Qed.

Theorem arrival_1 : forall C, 1 <= C -> arrival C 1 (fun _ _ : unit => 0) tt [(tt, true)] [].
Proof.
  intros C HC. constructor.
  - repeat split; intros; try lra. destruct x, y. reflexivity.
  - cbn [run]. rewrite update_start by exact HC. reflexivity.
  - intros x _. left. destruct x. reflexivity.
  - intros r Hr. exists [tt]. pose proof (scale_ge_1 r (INR 1) Hr ltac:(simpl; lra)).
    split; [cbn [length]; simpl (INR 1) in *; nra|].
    intros x _. exists tt. split; [left; reflexivity|lra].
Qed.
