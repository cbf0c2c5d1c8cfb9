(** The refined bound phase by phase, and with the number of balls alone. Cauchy-Schwarz over the balls
    of a phase is the step 2.5 sqrt(|S_i| n_i) in the proof of Lemma 2. [refined_phases] is what
    abacoc_theory.regret.bounds.refined_bound computes from a run. *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Setting Powers Sums Radii OneBall History Account.
Import ListNotations.
Local Open Scope R_scope.

(** k balls with n examples: sqrt (k n), and 3/4 sqrt (k (n + k)). *)
Lemma balls_together : forall X (bs : list (ball X)), (forall b, In b bs -> (1 <= size b)%nat) ->
  let n := sum (map (fun b => INR (size b)) bs) in
  let k := INR (length bs) in
  owed bs <= sqrt (k * n) /\ owed bs <= 3/4 * sqrt (k * (n + k)).
Proof.
  intros X bs H n k.
  assert (H1 : forall b, In b bs -> 1 <= INR (size b)) by (intros b Hb; apply INR_ge1, H, Hb).
  split; unfold owed.
  - apply Rle_trans with (sum (map (fun b => sqrt (INR (size b))) bs)).
    + apply sum_le. intros b _. apply Rmin_l.
    + apply cauchy_schwarz. intros b Hb. specialize (H1 b Hb). lra.
  - apply Rle_trans with (sum (map (fun b => 3/4 * sqrt (INR (size b) + 1)) bs)).
    + apply sum_le. intros b _. unfold ball_bound. eapply Rle_trans; [apply Rmin_r|lra].
    + rewrite sum_scal. apply Rmult_le_compat_l; [lra|].
      replace (n + k) with (sum (map (fun b => INR (size b) + 1) bs)) by (rewrite sum_plus, sum_const; unfold
        n, k; ring).
      apply cauchy_schwarz. intros b Hb. specialize (H1 b Hb). lra.
Qed.

(** Each phase pays for its balls and for its radii. *)
Lemma regret_phases : forall X (dist : X -> X -> R) C L f stream, 0 <= L ->
  (forall x, points stream x -> 0 <= f x <= 1) ->
  (forall x y, points stream x -> points stream y -> Rabs (f x - f y) <= L * dist x y) ->
  regret dist C f stream
  <= sum (map (fun e => owed (balls e) + L * radii (steps e) (dim e)) (ends dist C start stream)).
Proof.
  intros X dist C L f stream HL0 Hf HL. pose proof (refined_theorem X dist C L f stream Hf HL) as A.
  unfold ever in A. rewrite sum_flat in A. pose proof (travelled_le dist C stream start) as B.
  cbn [start steps dim radii] in B. apply (Rmult_le_compat_l L) in B; [|exact HL0].
  rewrite sum_plus, sum_scal. unfold owed. lra.
Qed.

(** B balls in all. *)
Corollary refined_number : forall X (dist : X -> X -> R) C L f stream,
  (forall x, points stream x -> 0 <= f x <= 1) ->
  (forall x y, points stream x -> points stream y -> Rabs (f x - f y) <= L * dist x y) ->
  let B := INR (length (ever dist C stream)) in
  let T := INR (length stream) in
  regret dist C f stream <= 3/4 * sqrt (B * (T + B)) + L * travelled dist C start stream.
Proof.
  intros X dist C L f stream Hf HL B T. pose proof (refined_theorem X dist C L f stream Hf HL) as A.
  destruct (ever_counts dist C stream) as [E1 E2].
  destruct (balls_together X _ E2) as [_ Q]. rewrite E1 in Q. fold B T in Q. unfold owed in Q. lra.
Qed.

(** n steps, k balls and dimension d in each phase. *)
Corollary refined_phases : forall X (dist : X -> X -> R) C L f stream, 0 <= L ->
  (forall x, points stream x -> 0 <= f x <= 1) ->
  (forall x y, points stream x -> points stream y -> Rabs (f x - f y) <= L * dist x y) ->
  regret dist C f stream
  <= sum (map (fun e => let n := INR (steps e) in let k := INR (length (balls e)) in let d := INR (dim e) in
                        3/4 * sqrt (k * (n + k)) + L * ((2 + d) / (1 + d) * Rpower n ((1 + d) / (2 + d))))
          (ends dist C start stream)).
Proof.
  intros X dist C L f stream HL0 Hf HL. eapply Rle_trans; [apply regret_phases; eassumption|].
  apply sum_le. intros e He. destruct (ends_full dist C stream e He) as [F1 F2].
  destruct (balls_together X (balls e) F1) as [_ Q]. rewrite F2 in Q. cbv zeta.
  pose proof (radius_sum (steps e) (dim e)) as HR. apply (Rmult_le_compat_l L) in HR; [|exact HL0].
  unfold alpha in HR. lra.
Qed.
