(** From which length on: an explicit formula, for every C, D, L and every c below the constant.

    Proves: in one metric space of diameter at most 1, with one comparator that is L-Lipschitz on all of it,
    for every c < K = 3/4 sqrt C 2^(D/2) + (2+D)/(1+D) L and every T >= [threshold C D L c] there is a
    stream of exactly T examples with regret at least c T^((1+D)/(2+D)).
    Idea: a quarter of K - c for each of the four errors of [attained_at_length]. (Crude for D >= 2, where
    [arrival_size] is; Million.v has D = 1.)
    Uses: OneSpace, Climb. *)
From Coq Require Import Reals Lra Psatz Lia List.
From Abacoc Require Import Algorithm Setting Powers Radii RadiiBelow Comb Arrival Climb OneSpace.
Import ListNotations.
Local Open Scope R_scope.

(** The leading constant. *)
Definition leading_constant (C : R) (D : nat) (L : R) : R :=
  3/4 * sqrt C * Rpower 2 (INR D / 2) + (2 + INR D) / (1 + INR D) * L.

(** What the four errors allow, for c < K and an arrival of size s: e, the part of the covers that is left
    free; one over the radius at step n; V, so that V^(2+D) is about T; and delta, the part of T that is no
    use. *)
Definition free_part (C : R) (D : nat) (L c : R) : R :=
  Rmin (1/2) ((leading_constant C D L - c) / (4 * balls_constant C D)).
Definition inverse_radius (C : R) (D : nat) (L c s : R) : R :=
  let A := balls_constant C D in let b := (2 + INR D) / (1 + INR D) in
  (2 * s + 8) / (free_part C D L c * (A * A)) + 2 * (1 + L) + 4 * L * (A + 2 * b + 2) / (leading_constant C D L - c).
Definition scale (C : R) (D : nat) (L c s : R) : R :=
  let A := balls_constant C D in let b := (2 + INR D) / (1 + INR D) in let gap := leading_constant C D L - c in
  A * sqrt (inverse_radius C D L c s ^ (2 + D)) + (s + A * A) + 4 * (3/2 + 31/10 * (A * A) + 3 * b * L + s) / gap
  + 4 * c * (s + A * A) / gap + 4.
Definition waste (C : R) (D : nat) (L c s : R) : R := (s + balls_constant C D * balls_constant C D) / scale C D L c s.

Definition threshold (C : R) (D : nat) (L c : R) : R := 2 * scale C D L c (arrival_size C D) ^ (2 + D).

Lemma quotient : forall u g v, 0 < g -> 0 < v -> 4 * u / g <= v -> u / v <= g / 4.
Proof.
  intros u g v Hg Hv H. apply (Rmult_le_compat_r g) in H; [|lra].
  replace (4 * u / g * g) with (4 * u) in H by (field; lra).
  apply Rmult_le_reg_r with v; [exact Hv|]. replace (u / v * v) with u by (field; lra). lra.
Qed.

(** A quarter of K - c for each error. *)
Lemma scale_works : forall C D L c s V, 1 <= C -> (1 <= D)%nat -> 0 <= L -> 0 <= c < leading_constant C D L -> 0 <= s ->
  let A := balls_constant C D in let b := (2 + INR D) / (1 + INR D) in
  let e := free_part C D L c in let x := inverse_radius C D L c s in let delta := waste C D L c s in
  scale C D L c s <= V ->
  0 < e <= 1/2 /\ 0 <= delta <= 1 /\ 2 * (1 + L) <= x /\ 4 <= scale C D L c s /\ s + A * A <= delta * V /\
    s + A * A <= V /\
  A * A * x ^ (2 + D) <= V * V /\ 2 * s + 8 <= e * (A * A) * x /\
  c * (1 + delta) + 3/4 * A * e + (3/2 + 31/10 * (A * A) + 3 * b * L + s) / V + L / x * (A + 2 * b + 2)
    <= 3/4 * A + b * L.
Proof.
  intros C D L c s V HC HD HL Hc Hs A b e x delta HV.
  destruct (balls_constant_range C D HC HD) as [HA1 HA2]. fold A in HA1, HA2.
  pose proof (pos_INR D) as HD0. assert (Hb : 0 < b) by (apply Rdiv_lt_0_compat; lra).
  assert (EK : leading_constant C D L = 3/4 * A + b * L) by (unfold leading_constant, A, balls_constant, b; ring).
  set (g := leading_constant C D L - c). assert (Hg : 0 < g) by (unfold g; lra).
  set (E := 3/2 + 31/10 * (A * A) + 3 * b * L + s). set (V0 := scale C D L c s) in *.
  assert (Ee : e = Rmin (1/2) (g / (4 * A))) by reflexivity. change delta with ((s + A * A) / V0). clear delta.
  assert (Ex : x = (2 * s + 8) / (e * (A * A)) + 2 * (1 + L) + 4 * L * (A + 2 * b + 2) / g) by reflexivity.
  assert (EV0 : V0 = A * sqrt (x ^ (2 + D)) + (s + A * A) + 4 * E / g + 4 * c * (s + A * A) / g + 4) by reflexivity.
  clearbody e x V0.
  assert (Hq : 0 < g / (4 * A)) by (apply Rdiv_lt_0_compat; lra).
  assert (He : 0 < e <= 1/2) by (rewrite Ee; split; [apply Rmin_glb_lt; lra|apply Rmin_l]).
  assert (HeA : A * e <= g / 4).
  { assert (Q : e <= g / (4 * A)) by (rewrite Ee; apply Rmin_r). apply (Rmult_le_compat_l A) in Q; [|lra].
    replace (A * (g / (4 * A))) with (g / 4) in Q by (field; lra). exact Q. }
  assert (HeA2 : 0 < e * (A * A)) by (apply Rmult_lt_0_compat; lra).
  assert (HbL : 0 <= 3 * b * L) by (apply Rmult_le_pos; lra). assert (HE : 0 < E) by (unfold E; lra).
  assert (P1 : 0 <= (2 * s + 8) / (e * (A * A))) by (left; apply Rdiv_lt_0_compat; lra).
  assert (P2 : 0 <= 4 * L * (A + 2 * b + 2) / g)
    by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|left; apply Rinv_0_lt_compat, Hg]).
  assert (P3 : 0 <= 4 * E / g) by (left; apply Rdiv_lt_0_compat; lra).
  assert (P4 : 0 <= 4 * c * (s + A * A) / g)
    by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|left; apply Rinv_0_lt_compat, Hg]).
  assert (Hx : 2 <= x) by lra. assert (Hxn : 1 <= x ^ (2 + D)) by (apply pow_R1_Rle; lra).
  set (y := sqrt (x ^ (2 + D))) in *. assert (Hroot : 0 <= y) by apply sqrt_pos.
  assert (HAy : 0 <= A * y) by (apply Rmult_le_pos; lra).
  assert (HV0 : 4 <= V0) by lra.
  assert (Edel : (s + A * A) / V0 * V0 = s + A * A) by (field; lra).
  assert (Hdel : 0 <= (s + A * A) / V0 <= 1).
  { split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|]. apply Rmult_le_reg_r with V0; [lra|].
    rewrite Edel. lra. }
  split; [exact He|]. split; [exact Hdel|]. split; [lra|]. split; [exact HV0|].
  split; [rewrite <- Edel at 1; apply Rmult_le_compat_l; lra|]. split; [lra|]. split; [|split].
  - apply Rle_trans with (A * y * (A * y)).
    + replace (A * y * (A * y)) with (A * A * (y * y)) by ring. unfold y. rewrite sqrt_sqrt by lra. lra.
    + apply Rmult_le_compat; lra.
  - assert (Q : (2 * s + 8) / (e * (A * A)) <= x) by lra. apply (Rmult_le_compat_l (e * (A * A))) in Q; [|lra].
    replace (e * (A * A) * ((2 * s + 8) / (e * (A * A)))) with (2 * s + 8) in Q by (field; lra). exact Q.
  - rewrite <- EK.
    assert (E1 : c * ((s + A * A) / V0) <= g / 4).
    { replace (c * ((s + A * A) / V0)) with (c * (s + A * A) / V0) by (field; lra). apply quotient; [exact Hg|lra|].
      replace (4 * (c * (s + A * A)) / g) with (4 * c * (s + A * A) / g) by (field; lra). lra. }
    assert (E2 : E / V <= g / 4) by (apply quotient; [exact Hg|lra|]; lra).
    assert (E3 : L / x * (A + 2 * b + 2) <= g / 4).
    { replace (L / x * (A + 2 * b + 2)) with (L * (A + 2 * b + 2) / x) by (field; lra). apply quotient; [exact Hg|lra|].
      replace (4 * (L * (A + 2 * b + 2)) / g) with (4 * L * (A + 2 * b + 2) / g) by (field; lra). lra. }
    unfold g in *. lra.
Qed.

Theorem attained_from_threshold : forall C D L, 1 <= C -> (1 <= D)%nat -> 0 <= L ->
  exists (X : Type) (dist : X -> X -> R) (f : X -> R),
    metric dist /\ (forall x, 0 <= f x <= 1) /\ (forall x y, Rabs (f x - f y) <= L * dist x y) /\
    forall c (T : nat), 0 <= c < leading_constant C D L -> threshold C D L c <= INR T ->
      exists stream, length stream = T /\ setting dist C (INR D) L f stream /\
        c * Rpower (INR T) ((1 + INR D) / (2 + INR D)) <= regret dist C f stream.
Proof.
  intros C D L HC HD HL. destruct (arrival_exists C D HC HD) as (dP & home & pre & seen & Harr & Hpre & Hseen).
  exists all_wedges, (all_dist dP D), (all_ramps L).
  split; [apply all_metric, (arrival_metric _ _ _ _ _ _ Harr)|]. split; [intros; apply all_ramps_range, HL|].
  split; [intros; apply all_ramps_lipschitz; exact HL|]. intros c T Hc HT. unfold threshold in HT.
  set (s := arrival_size C D) in *. assert (Hs : 0 <= s) by (pose proof (pos_INR (length pre)); lra).
  set (V0 := scale C D L c s) in *. set (delta := waste C D L c s).
  destruct (scale_works C D L c s V0 HC HD HL Hc Hs ltac:(apply Rle_refl)) as (_ & Hdel & _ & HV0 & _).
  fold delta V0 in Hdel, HV0.
  assert (HV0n : 0 < V0 ^ (2 + D)) by (apply pow_lt; lra).
  assert (HT0 : 0 < INR T / (1 + delta)) by (apply Rdiv_lt_0_compat; lra).
  set (V := Rpower (INR T / (1 + delta)) (1 / (2 + INR D))).
  pose proof (root_pow (INR T / (1 + delta)) D HT0) as EV. fold V in EV.
  assert (HV : V0 <= V).
  { apply (pow_le_reg V0 V (2 + D)); [lia|lra|left; apply Rpower_pos|]. rewrite EV.
    apply Rmult_le_reg_l with (1 + delta); [lra|].
    replace ((1 + delta) * (INR T / (1 + delta))) with (INR T) by (field; lra).
    assert ((1 + delta) * V0 ^ (2 + D) <= 2 * V0 ^ (2 + D)) by (apply Rmult_le_compat_r; lra). lra. }
  destruct (scale_works C D L c s V HC HD HL Hc Hs HV) as (He & _ & Hx & _ & HdV & _ & HxV & HeM & Herr).
  fold delta in HdV, Herr.
  change ((1 + INR D) / (2 + INR D)) with (alpha D).
  apply (attained_at_length C D L dP home pre seen s s (free_part C D L c) delta (inverse_radius C D L c s) V c T);
    try assumption; try lra. rewrite EV. field. lra.
Qed.
