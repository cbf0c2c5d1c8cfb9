(** The leading constant of BASE's regret is exactly K = 3/4 sqrt C 2^(D/2) + (2+D)/(1+D) L, at every L.

    Proves: [joint_constant_exact] (above K no long stream, below K a stream of every large length, all in
    one metric space of diameter at most 1, with one comparator); [worst_regret_limit] (the worst regret of
    T examples, divided by T^((1+D)/(2+D)), tends to K); [best_constants] (3/4 and (2+D)/(1+D) cannot be
    lowered each by itself).
    Idea: Leading.v from above, Threshold.v from below, both with explicit lengths.
    Uses: Leading, UpperBound (from above), Threshold (from below). *)
From Coq Require Import Reals Lra Psatz Lia List.
From Abacoc Require Import Algorithm Setting Powers Radii Leading UpperBound Runs Arrival OneSpace Threshold.
Import ListNotations.
Local Open Scope R_scope.

(** * From above *)

(** The factors of the lower orders in [leading_theorem], together. *)
Definition lower_orders (C : R) (D : nat) (L : R) : R :=
  (INR D - 1) * (sqrt C * Rpower 2 ((INR D - 1) / 2) + 3/2 * L) + 3/8 * (C * sqrt C) * Rpower 2 (3 * INR D / 2).

Theorem bounded_from_threshold : forall C D L c X (dist : X -> X -> R) f stream, (1 <= D)%nat -> 1 <= C ->
  leading_constant C D L < c ->
  setting dist C (INR D) L f stream ->
  (1 + lower_orders C D L / (c - leading_constant C D L)) ^ ((1 + D) * (2 + D)) <= INR (length stream) ->
  regret dist C f stream <= c * Rpower (INR (length stream)) ((1 + INR D) / (2 + INR D)).
Proof.
  intros C D L c X dist f stream HD HC Hc H HT. pose proof (INR_ge1 D HD) as HD1. pose proof (slope H) as HL.
  pose proof (leading_theorem _ _ _ _ _ _ _ H) as Q. cbv zeta in Q. rewrite whole_INR in Q by exact HD.
  set (T := INR (length stream)) in *. set (K1 := (INR D - 1) * (sqrt C * Rpower 2 ((INR D - 1) / 2) + 3/2 * L)) in *.
  set (K2 := 3/8 * (C * sqrt C) * Rpower 2 (3 * INR D / 2)) in *. pose proof (sqrt_pos C) as HsC.
  assert (HK1 : 0 <= K1) by (pose proof (Rpower_pos 2 ((INR D - 1) / 2)); apply Rmult_le_pos; [lra|nra]).
  assert (HK2 : 0 <= K2) by (apply Rmult_le_pos; [nra|left; apply Rpower_pos]).
  unfold lower_orders in HT. fold K1 K2 in HT. set (gap := c - leading_constant C D L) in *.
  assert (Hgap : 0 < gap) by (unfold gap; lra).
  set (B := (K1 + K2) / gap) in *.
  assert (HB : 0 <= B) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat, Hgap]).
  assert (HT1 : 1 <= T) by (apply Rle_trans with (2 := HT); apply pow_R1_Rle; lra).
  (* T^g is above 1 + B, g the distance of the exponents *)
  set (g := 1 / ((1 + INR D) * (2 + INR D))). assert (Hg : 0 < g) by (apply Rdiv_lt_0_compat; nra).
  assert (HTg : 1 + B <= Rpower T g).
  { apply Rpower_reaches; [lra|exact Hg|]. apply Rle_trans with (2 := HT). rewrite <- Rpower_pow by lra. right. f_equal.
    unfold g. rewrite mult_INR, !plus_INR. simpl (INR 1). simpl (INR 2). field. lra. }
  change ((1 + INR D) / (2 + INR D)) with (alpha D) in *.
  set (W := Rpower T (alpha D - g)). assert (HW : 0 < W) by apply Rpower_pos.
  assert (EW : Rpower T (alpha D) = W * Rpower T g) by (unfold W; rewrite <- Rpower_plus; f_equal; ring).
  assert (E1 : Rpower T (INR D / (INR D + 1)) = W) by (unfold W; f_equal; unfold alpha, g; field; lra).
  assert (E2 : Rpower T ((INR D - 1) / (INR D + 2)) <= W).
  { unfold W. apply Rle_Rpower; [exact HT1|]. unfold alpha.
    assert (E : (1 + INR D) / (2 + INR D) - (INR D - 1) / (INR D + 2) = 2 / (2 + INR D)) by (field; lra).
    assert (g <= 2 / (2 + INR D)); [|lra].
    unfold g. apply Rmult_le_reg_r with ((1 + INR D) * (2 + INR D)); [nra|].
    replace (1 / ((1 + INR D) * (2 + INR D)) * ((1 + INR D) * (2 + INR D))) with 1 by (field; lra).
    replace (2 / (2 + INR D) * ((1 + INR D) * (2 + INR D))) with (2 * (1 + INR D)) by (field; lra). lra. }
  apply (Rmult_le_compat_l K2) in E2; [|exact HK2]. rewrite E1 in Q. rewrite <- (Rmult_assoc (INR D - 1)) in Q.
  fold K1 in Q.
  change (3/4 * sqrt C * Rpower 2 (INR D / 2) + (2 + INR D) / (1 + INR D) * L) with (leading_constant C D L) in Q.
  assert (EB : gap * B = K1 + K2) by (unfold B; field; lra).
  assert (HE : (K1 + K2) * W <= gap * Rpower T (alpha D)).
  { rewrite EW, <- EB. replace (gap * (W * Rpower T g)) with (gap * (Rpower T g * W)) by ring. rewrite Rmult_assoc.
    apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; lra. }
  unfold gap in HE. lra.
Qed.

(** * Both sides *)

Theorem joint_constant_exact : forall C D L, 1 <= C -> (1 <= D)%nat -> 0 <= L ->
  let K := 3/4 * sqrt C * Rpower 2 (INR D / 2) + (2 + INR D) / (1 + INR D) * L in
  (forall c, K < c -> exists T0 : nat, forall (X : Type) (dist : X -> X -> R) f stream,
     setting dist C (INR D) L f stream -> (T0 <= length stream)%nat ->
     regret dist C f stream <= c * Rpower (INR (length stream)) ((1 + INR D) / (2 + INR D))) /\
  (exists (X : Type) (dist : X -> X -> R) (f : X -> R),
     metric dist /\ (forall x, 0 <= f x <= 1) /\ (forall x y, Rabs (f x - f y) <= L * dist x y) /\
     forall c, c < K -> exists T0 : nat, forall T, (T0 <= T)%nat -> exists stream,
       length stream = T /\ setting dist C (INR D) L f stream /\
       c * Rpower (INR T) ((1 + INR D) / (2 + INR D)) <= regret dist C f stream).
Proof.
  intros C D L HC HD HL K. fold (leading_constant C D L) in K. split.
  - intros c Hc. set (t := (1 + lower_orders C D L / (c - leading_constant C D L)) ^ ((1 + D) * (2 + D))).
    destruct (nat_above (Rmax 0 t)) as (T0 & H0 & _); [apply Rmax_l|]. exists T0. intros X dist f stream H1 H2.
    apply (bounded_from_threshold C D L c); [exact HD|exact HC|exact Hc|exact H1|]. fold t.
    apply Rle_trans with (1 := Rmax_r 0 t). apply Rle_trans with (1 := H0). apply le_INR, H2.
  - destruct (attained_from_threshold C D L HC HD HL) as (X & dist & f & HM & Hf & Hlip & Hatt).
    exists X, dist, f. split; [exact HM|]. split; [exact Hf|]. split; [exact Hlip|]. intros c Hc.
    destruct (balls_constant_range C D HC HD) as [HA _]. pose proof (pos_INR D) as HD0.
    assert (HK : 0 < K).
    { unfold K, leading_constant. fold (balls_constant C D). rewrite Rmult_assoc. fold (balls_constant C D).
      assert (0 <= (2 + INR D) / (1 + INR D) * L); [|lra].
      apply Rmult_le_pos; [left; apply Rdiv_lt_0_compat; lra|exact HL]. }
    set (c' := Rmax 0 c). assert (Hc' : 0 <= c' < K /\ c <= c') by (unfold c', Rmax; destruct (Rle_dec _ _); lra).
    destruct (nat_above (Rmax 0 (threshold C D L c'))) as (T0 & H0 & _); [apply Rmax_l|]. exists T0. intros T HT.
    destruct (Hatt c' T (proj1 Hc')) as (stream & H1 & H2 & H3).
    { apply Rle_trans with (1 := Rmax_r 0 _). apply Rle_trans with (1 := H0). apply le_INR, HT. }
    exists stream. split; [exact H1|]. split; [exact H2|]. apply Rle_trans with (2 := H3).
    apply Rmult_le_compat_r; [left; apply Rpower_pos|apply Hc'].
Qed.

(** * The worst regret of T examples *)

Definition a_regret (C : R) (D : nat) (L : R) (T : nat) (r : R) : Prop :=
  exists (X : Type) (dist : X -> X -> R) f stream, metric dist /\ length stream = T /\
    setting dist C (INR D) L f stream /\ r = regret dist C f stream.

(** It exists: the regrets of T examples are bounded, and there are some. *)
Lemma worst_regret_exists : forall C D L T, 1 <= C -> (1 <= D)%nat -> 0 <= L -> exists w, is_lub (a_regret C D L T) w.
Proof.
  intros C D L T HC HD HL. destruct (completeness (a_regret C D L T)) as (w & Hw).
  - exists ((1058/1000 * sqrt C * Rpower 2 (INR D / 2) + 1586/1000 * L) * Rpower (INR T) ((1 + INR D) / (2 + INR D))).
    intros r (X & dist & f & stream & _ & <- & H & ->). pose proof (sharper_theorem _ _ _ _ _ _ _ H) as Q.
    cbv zeta in Q. rewrite whole_INR in Q by exact HD. exact Q.
  - eexists. exists unit, (fun _ _ => 0), (fun _ => 1), (repeat (tt, true) T).
    split; [apply (arrival_metric _ _ _ _ _ _ (arrival_1 C HC))|]. split; [apply repeat_length|]. split; [|reflexivity].
    constructor; intros; try lra.
    + exists [tt]. pose proof (scale_ge_1 r (INR D) H (pos_INR D)). split; [simpl length; simpl (INR 1); nra|].
      intros x _. exists tt. split; [left; reflexivity|lra].
    + rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - exists w. exact Hw.
Qed.

Theorem worst_regret_limit : forall C D L (W : nat -> R), 1 <= C -> (1 <= D)%nat -> 0 <= L ->
  (forall T, is_lub (a_regret C D L T) (W T)) ->
  Un_cv (fun T => W T / Rpower (INR T) ((1 + INR D) / (2 + INR D)))
    (3/4 * sqrt C * Rpower 2 (INR D / 2) + (2 + INR D) / (1 + INR D) * L).
Proof.
  intros C D L W HC HD HL HW eps Heps.
  destruct (joint_constant_exact C D L HC HD HL) as [Hup (X & dist & f & HM & _ & _ & Hlow)].
  set (K := 3/4 * sqrt C * Rpower 2 (INR D / 2) + (2 + INR D) / (1 + INR D) * L) in *.
  destruct (Hup (K + eps / 2) ltac:(lra)) as (T1 & H1). destruct (Hlow (K - eps / 2) ltac:(lra)) as (T2 & H2).
  exists (Nat.max T1 T2). intros T HT. unfold R_dist. set (P := Rpower (INR T) ((1 + INR D) / (2 + INR D))).
  assert (HP : 0 < P) by apply Rpower_pos. destruct (HW T) as [Hub Hleast].
  assert (U : W T <= (K + eps / 2) * P).
  { apply Hleast. intros r (Y & dY & g & s & _ & <- & HS & ->). apply H1; [exact HS|lia]. }
  assert (Lo : (K - eps / 2) * P <= W T).
  { destruct (H2 T ltac:(lia)) as (s & E & HS & HR). apply Rle_trans with (1 := HR). apply Hub. exists X, dist, f, s.
    split; [exact HM|]. split; [exact E|]. split; [exact HS|reflexivity]. }
  assert (E : W T / P * P = W T) by (field; lra). set (q := W T / P) in *.
  assert (q <= K + eps / 2) by (apply Rmult_le_reg_r with P; lra).
  assert (K - eps / 2 <= q) by (apply Rmult_le_reg_r with P; lra).
  unfold Rabs. destruct (Rcase_abs _); lra.
Qed.

(** * Each constant by itself *)

(** (a, b) is valid if, for every L, all streams that are long enough have regret at most (a sqrt C 2^(D/2)
    + b L) T^((1+D)/(2+D)). *)
Definition valid (C : R) (D : nat) (a b : R) : Prop :=
  forall L, 0 <= L -> exists T0 : nat, forall (X : Type) (dist : X -> X -> R) f stream,
    setting dist C (INR D) L f stream -> (T0 <= length stream)%nat ->
    regret dist C f stream
    <= (a * sqrt C * Rpower 2 (INR D / 2) + b * L) * Rpower (INR (length stream)) ((1 + INR D) / (2 + INR D)).

Lemma valid_above_K : forall C D a b, 1 <= C -> (1 <= D)%nat -> valid C D a b ->
  forall L, 0 <= L -> leading_constant C D L <= a * sqrt C * Rpower 2 (INR D / 2) + b * L.
Proof.
  intros C D a b HC HD Hval L HL. set (B := a * sqrt C * Rpower 2 (INR D / 2) + b * L).
  destruct (Rle_lt_dec (leading_constant C D L) B) as [H|H]; [exact H|]. exfalso.
  destruct (Hval L HL) as (T1 & H1). fold B in H1.
  destruct (joint_constant_exact C D L HC HD HL) as [_ (X & dist & f & _ & _ & _ & Hlow)].
  fold (leading_constant C D L) in Hlow. destruct (Hlow ((B + leading_constant C D L) / 2) ltac:(lra)) as (T2 & H2).
  destruct (H2 (Nat.max T1 T2) ltac:(lia)) as (s & E & HS & HR). specialize (H1 X dist f s HS ltac:(lia)).
  rewrite E in H1.
  pose proof (Rpower_pos (INR (Nat.max T1 T2)) ((1 + INR D) / (2 + INR D))). nra.
Qed.

Theorem best_constants : forall C D, 1 <= C -> (1 <= D)%nat ->
  (forall a, 3/4 < a -> valid C D a ((2 + INR D) / (1 + INR D))) /\
  (forall a b, valid C D a b -> 3/4 <= a /\ (2 + INR D) / (1 + INR D) <= b).
Proof.
  intros C D HC HD. destruct (balls_constant_range C D HC HD) as [HA _]. split.
  - intros a Ha L HL. apply (joint_constant_exact C D L HC HD HL). rewrite !Rmult_assoc. fold (balls_constant C D).
    assert (3/4 * balls_constant C D < a * balls_constant C D) by (apply Rmult_lt_compat_r; lra). lra.
  - intros a b Hval. pose proof (valid_above_K C D a b HC HD Hval) as H. unfold leading_constant in H.
    rewrite !Rmult_assoc in H.
    fold (balls_constant C D) in H.
    set (k := (2 + INR D) / (1 + INR D)) in *. split.
    + specialize (H 0 ltac:(lra)). nra.
    + destruct (Rle_lt_dec k b) as [Hb|Hb]; [exact Hb|]. exfalso.
      set (L := (Rabs (a * balls_constant C D) + 1) / (k - b)). pose proof (Rabs_pos (a * balls_constant C D)).
      pose proof (Rle_abs (a * balls_constant C D)).
      assert (EL : (k - b) * L = Rabs (a * balls_constant C D) + 1) by (unfold L; field; lra).
      assert (HL : 0 <= L) by (left; apply Rdiv_lt_0_compat; lra). specialize (H L HL). lra.
Qed.
