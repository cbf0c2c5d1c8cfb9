(** The hypotheses of Theorem 1, read so that they can hold, and the number D that stands for d.
    [setting] is what all theorems about regret assume, [stated] is the bound that the paper prints. *)
From Coq Require Import Reals Lra Lia List.
From Abacoc Require Import Algorithm.
Import ListNotations.
Local Open Scope R_scope.

(** The set S of the points of the stream (Theorem 1). *)
Definition points {X} (stream : list (X * bool)) (x : X) : Prop := In x (map fst stream).

Record setting (X : Type) (dist : X -> X -> R) (C d L : R) (f : X -> R) (stream : list (X * bool)) : Prop := {
  (** rho is symmetric with the triangle inequality; neither rho(x, x) = 0 nor a diameter is needed *)
  symmetric : forall x y, dist x y = dist y x;
  triangle : forall x y z, dist x z <= dist x y + dist y z;
  (** Section III: S has an r-cover of at most C r^-d balls, for 0 < r <= 1 (DEVIATIONS.md, entry 8) *)
  covered : forall r, 0 < r <= 1 -> exists cs : list X,
    INR (length cs) <= C * Rpower r (- d) /\
    forall x, points stream x -> exists c, In c cs /\ dist x c <= r;
  (** Section IV-A: f is in F_L, on the points of the stream *)
  unit_values : forall x, points stream x -> 0 <= f x <= 1;
  slope : 0 <= L;
  lipschitz : forall x y, points stream x -> points stream y -> Rabs (f x - f y) <= L * dist x y }.

Arguments symmetric {X dist C d L f stream}. Arguments triangle {X dist C d L f stream}.
Arguments covered {X dist C d L f stream}. Arguments unit_values {X dist C d L f stream}.
Arguments slope {X dist C d L f stream}. Arguments lipschitz {X dist C d L f stream}.
Arguments setting {X}.

(** D = max(1, ceil d), where the paper has d. The stdlib's [up r] is the whole number with r < up r <= r + 1. *)
Definition ceil (d : R) : Z := (1 - up (- d))%Z.
Definition whole (d : R) : nat := Nat.max 1 (Z.to_nat (ceil d)).

(** The right side of Theorem 1 as printed. *)
Definition stated (C d L T : R) : R :=
  126/100 * (5/2 * sqrt C * Rpower 2 d + 3/2 * L) * Rpower T ((1 + d) / (2 + d)).

(** A metric space of diameter at most 1. *)
Definition metric {X} (dist : X -> X -> R) : Prop :=
  (forall x y, dist x y = 0 <-> x = y) /\ (forall x y, dist x y <= 1) /\
  (forall x y, dist x y = dist y x) /\ (forall x y z, dist x z <= dist x y + dist y z).

(** Theorem 1 fails at d and T, with C-hat = C_S = C: a metric space of diameter at most 1 and a stream of
    length T whose regret is above the stated bound. *)
Definition fails_at (d T : R) : Prop :=
  exists (X : Type) (dist : X -> X -> R) (C L : R) (f : X -> R) (stream : list (X * bool)),
    metric dist /\ setting dist C d L f stream /\ INR (length stream) = T /\
    stated C d L T < regret dist C f stream.

Lemma ceil_spec : forall d, IZR (ceil d) - 1 < d <= IZR (ceil d).
Proof. intros d. unfold ceil. rewrite minus_IZR. pose proof (archimed (- d)). lra. Qed.

Lemma whole_ge_1 : forall d, (1 <= whole d)%nat.
Proof. intros. apply Nat.le_max_l. Qed.

Lemma whole_above : forall d, d <= INR (whole d).
Proof.
  intros d. pose proof (ceil_spec d) as [_ H]. unfold whole.
  apply Rle_trans with (1 := H). rewrite INR_IZR_INZ. apply IZR_le. lia.
Qed.

Lemma whole_least : forall d n, (1 <= n)%nat -> d <= INR n -> (whole d <= n)%nat.
Proof.
  intros d n Hn Hd. pose proof (ceil_spec d) as [H _]. unfold whole. rewrite INR_IZR_INZ in Hd.
  assert (ceil d < Z.of_nat n + 1)%Z by (apply lt_IZR; rewrite plus_IZR; lra). lia.
Qed.

Lemma whole_INR : forall D, (1 <= D)%nat -> whole (INR D) = D.
Proof.
  intros D HD. apply Nat.le_antisymm; [apply whole_least; [exact HD|lra]|]. apply INR_le, whole_above.
Qed.

(** A point of the stream has a cover of at least one ball at r = 1: C >= 1. *)
Lemma constant_ge_1 : forall X (dist : X -> X -> R) C d L f p stream,
  setting dist C d L f (p :: stream) -> 1 <= C.
Proof.
  intros X dist C d L f p stream H.
  destruct (covered H 1 ltac:(lra)) as (cs & Hn & Hc).
  destruct (Hc (fst p) (or_introl eq_refl)) as (c & Hin & _).
  assert (E : Rpower 1 (- d) = 1) by (unfold Rpower; rewrite ln_1, Rmult_0_r; apply exp_0).
  rewrite E, Rmult_1_r in Hn. apply Rle_trans with (2 := Hn). change 1 with (INR 1). apply le_INR.
  destruct cs; [destruct Hin|simpl; lia].
Qed.

Lemma point_in : forall X (stream : list (X * bool)) x y, In (x, y) stream -> points stream x.
Proof. intros X stream x y H. apply (in_map fst) in H. exact H. Qed.
