(** What is claimed, written out: the statements of all theorems, each proved by [exact] from the file that
    has its proof. The words they use are defined in Algorithm.v (BASE, [regret]), Setting.v ([setting],
    [whole], [stated], [fails_at]) and, for the refined bound, History.v ([ends], [ever], [travelled]).
    T is the length of the stream, D = max(1, ceil d). Nothing is assumed but what is written here and the
    axioms of the standard library's real numbers (assumptions.txt). *)
From Coq Require Import Reals List Bool QArith Qreals.
From Abacoc Require Import Algorithm Setting Sums Radii Game History.
From Abacoc Require OneBall Account Refined Phases Constants Invariant UpperBound Leading Coins Exact TwoPoints NotWhole ConstantFails.
Import ListNotations.
Local Open Scope R_scope.

(** * One ball (Section V, Lemma 2) *)

(** n labels, the first predicted by somebody else at a cost of at most 1, the others by the ball's counts. The
    paper has 2.5 sqrt n. *)
Theorem one_ball : forall (y : bool) (ys : list bool) (first : R), first <= 1 ->
  let n := S (length ys) in
  let ab := tally (y :: ys) (0, 0)%nat in
  let regret := first + play ys (count y (0, 0)%nat) - Rmin (INR (fst ab)) (INR (snd ab)) in
  regret <= 3/4 * sqrt (INR n + 1) - 6/100 /\ regret <= sqrt (INR n).
Proof. exact OneBall.one_ball. Qed.

(** * Bounds without a hypothesis on the space *)

(** Any type, any function of two points, any C and L: the balls that ever were, the distances that occurred. *)
Theorem refined_theorem : forall X (dist : X -> X -> R) C L f stream,
  (forall x, points stream x -> 0 <= f x <= 1) ->
  (forall x y, points stream x -> points stream y -> Rabs (f x - f y) <= L * dist x y) ->
  regret dist C f stream
  <= sum (map (fun b => Rmin (sqrt (INR (size b))) (3/4 * sqrt (INR (size b) + 1) - 6/100)) (ever dist C stream))
     + L * travelled dist C start stream.
Proof. exact Account.refined_theorem. Qed.

(** Every example is counted in exactly one of those balls, and none of them is empty. *)
Theorem ever_counts : forall X (dist : X -> X -> R) C stream,
  sum (map (fun b => INR (size b)) (ever dist C stream)) = INR (length stream) /\
  (forall b, In b (ever dist C stream) -> (1 <= size b)%nat).
Proof. exact (@History.ever_counts). Qed.

(** B balls in all. *)
Theorem refined_number : forall X (dist : X -> X -> R) C L f stream,
  (forall x, points stream x -> 0 <= f x <= 1) ->
  (forall x y, points stream x -> points stream y -> Rabs (f x - f y) <= L * dist x y) ->
  let B := INR (length (ever dist C stream)) in
  let T := INR (length stream) in
  regret dist C f stream <= 3/4 * sqrt (B * (T + B)) + L * travelled dist C start stream.
Proof. exact Refined.refined_number. Qed.

(** Phase by phase: n steps, k balls, dimension d. *)
Theorem refined_phases : forall X (dist : X -> X -> R) C L f stream, 0 <= L ->
  (forall x, points stream x -> 0 <= f x <= 1) ->
  (forall x y, points stream x -> points stream y -> Rabs (f x - f y) <= L * dist x y) ->
  regret dist C f stream
  <= sum (map (fun e => let n := INR (steps e) in let k := INR (length (balls e)) in let d := INR (dim e) in
                        3/4 * sqrt (k * (n + k)) + L * ((2 + d) / (1 + d) * Rpower n ((1 + d) / (2 + d))))
          (ends dist C start stream)).
Proof. exact Refined.refined_phases. Qed.

(** * Lemma 1 *)

(** The dimensions of the phases rise, from above 0 up to D; a phase's balls are at most C (2/eps)^d (the paper
    has 4 for 2); the phases have T steps together. *)
Theorem lemma_1 : forall X (dist : X -> X -> R) C d L f stream, setting dist C d L f stream -> stream <> [] ->
  let phases := map (fun e => (dim e, steps e)) (ends dist C start stream) in
  Phases.rising 0 (whole d) phases /\
  (forall e, In e (ends dist C start stream) ->
     INR (length (balls e)) <= C * (2 / radius (steps e) (dim e)) ^ dim e) /\
  sum (map (fun p => INR (snd p)) phases) = INR (length stream).
Proof. exact Invariant.lemma_1. Qed.

(** * Upper bounds on the regret, for every T *)

Theorem sharper_theorem : forall X (dist : X -> X -> R) C d L f stream, setting dist C d L f stream ->
  let D := whole d in
  let T := INR (length stream) in
  regret dist C f stream
  <= (1058/1000 * sqrt C * Rpower 2 (INR D / 2) + 1586/1000 * L) * Rpower T ((1 + INR D) / (2 + INR D)).
Proof. exact UpperBound.sharper_theorem. Qed.

(** The same with the constants of each D. *)
Theorem sharper_theorem_D : forall X (dist : X -> X -> R) C d L f stream, setting dist C d L f stream ->
  let D := whole d in
  let T := INR (length stream) in
  let q := Rpower 2 (- ((2 + INR D) / 2)) in
  let c := Rpower ((1 - q ^ D) / (1 - q)) (1 / (2 + INR D)) in
  let r := (2 + INR D) / (1 + INR D) * Rpower (INR D) (1 / (2 + INR D)) in
  regret dist C f stream <= (c * sqrt C * Rpower 2 (INR D / 2) + r * L) * Rpower T ((1 + INR D) / (2 + INR D)).
Proof. exact UpperBound.sharper_theorem_D. Qed.

(** They are 1 and 3/2 at D = 1, and never above 1.058 and 1.586. *)
Theorem constants : Phases.c_ 1 = 1 /\ Phases.r_ 1 = 3/2 /\
  forall D, (1 <= D)%nat -> Phases.c_ D <= 1058/1000 /\ Phases.r_ D <= 1586/1000.
Proof.
  split; [exact Constants.c_1|split; [exact Constants.r_1|]]. intros D HD.
  split; [exact (Constants.c_le D HD)|exact (Constants.r_le D HD)].
Qed.

Theorem one_dimension : forall X (dist : X -> X -> R) C d L f stream, setting dist C d L f stream -> d <= 1 ->
  regret dist C f stream <= (sqrt (2 * C) + 3/2 * L) * Rpower (INR (length stream)) (2/3).
Proof. exact UpperBound.one_dimension. Qed.

(** The leading term has the best possible constants (see the lower half), the others are of a lower order. *)
Theorem leading_theorem : forall X (dist : X -> X -> R) C d L f stream, setting dist C d L f stream ->
  let D := whole d in
  let T := INR (length stream) in
  regret dist C f stream
  <= (3/4 * sqrt C * Rpower 2 (INR D / 2) + (2 + INR D) / (1 + INR D) * L) * Rpower T ((1 + INR D) / (2 + INR D))
     + (INR D - 1) * ((sqrt C * Rpower 2 ((INR D - 1) / 2) + 3/2 * L) * Rpower T (INR D / (INR D + 1)))
     + 3/8 * (C * sqrt C) * Rpower 2 (3 * INR D / 2) * Rpower T ((INR D - 1) / (INR D + 2)).
Proof. exact Leading.leading_theorem. Qed.

(** * Theorem 1 *)

(** True with D for d and C-hat for C_S. *)
Theorem corrected_theorem_1 : forall X (dist : X -> X -> R) C d L f stream, setting dist C d L f stream ->
  let D := whole d in
  let T := INR (length stream) in
  regret dist C f stream <= 126/100 * (5/2 * sqrt C * 2 ^ D + 3/2 * L) * Rpower T ((1 + INR D) / (2 + INR D)).
Proof. exact UpperBound.corrected_theorem_1. Qed.

(** As stated, with C-hat = C_S: true for d >= 0 exactly if d is 1, 2, 3, ... *)
Theorem theorem_1_iff_whole : forall d, 0 <= d ->
  ((exists D, (1 <= D)%nat /\ d = INR D) <-> forall n, ~ fails_at d (INR n)).
Proof. exact NotWhole.theorem_1_iff_whole. Qed.

(** Where it fails, it fails for arbitrarily long streams. *)
Theorem theorem_1_fails_unless_whole : forall d, 0 <= d -> (forall D, (1 <= D)%nat -> d <> INR D) ->
  forall n0, exists n, (n0 <= n)%nat /\ fails_at d (INR n).
Proof. exact NotWhole.theorem_1_fails_unless_whole. Qed.

(** The smallest of them: d = 0 and a million examples at two points. *)
Theorem theorem_1_fails_at_0 : fails_at 0 1000000.
Proof. exact TwoPoints.theorem_1_fails_at_0. Qed.

(** As stated, with C_S in the bound and a larger C-hat in the algorithm: false for every d >= 3, even L = 0. *)
Theorem theorem_1_fails_with_C_S : forall d, 3 <= d -> forall n0, exists n, (n0 <= n)%nat /\
  exists (X : Type) (dist : X -> X -> R) (Chat : R) (f : X -> R) (stream : list (X * bool)),
    metric dist /\ 1 <= Chat /\ setting dist 1 d 0 f stream /\ length stream = n /\
    INR n / 6 <= regret dist Chat f stream /\ stated 1 d 0 (INR n) < INR n / 6.
Proof. exact ConstantFails.theorem_1_fails_with_C_S. Qed.

(** * What BASE computes *)

(** The sum of |y_t - p_t| is the expected number of mistakes over the tosses of line 8. *)
Theorem expected_mistakes : forall X (dist : X -> X -> R) C stream s,
  Coins.expectation (Coins.predictions dist C s stream) (Coins.wrong (map snd stream)) = mistakes dist C s stream.
Proof. exact Coins.expected_mistakes. Qed.

(** The program in fractions does what BASE does in real numbers, and its counts predict what BASE predicts. *)
Theorem exact_update : forall X (qdist : X -> X -> Q) (qC : Q), (forall x y, 0 <= qdist x y)%Q -> (0 < qC)%Q ->
  forall s x y, Exact.q_update qdist qC s x y = update (fun x y => Q2R (qdist x y)) (Q2R qC) s x y.
Proof. exact (@Exact.exact_update). Qed.

Theorem exact_predict : forall X (qdist : X -> X -> Q) s x,
  predict (fun x y => Q2R (qdist x y)) s x
  = match Exact.q_predict qdist s x with None => 1/2 | Some ab => prob (fst ab) (snd ab) end.
Proof. exact (@Exact.exact_predict). Qed.

(* lower half *)
From Abacoc Require TightLabels OneBallSlope Threshold Tight Million OneStream.

(** * One ball, from both sides *)

(** The worst regret of one ball is between 3/4 sqrt n - 3/5 and 3/4 sqrt(n+1) - 0.06, for every n >= 1. *)
Theorem one_ball_tight : forall n, (1 <= n)%nat ->
  (forall y ys first, S (length ys) = n -> first <= 1 ->
     let ab := tally (y :: ys) (0, 0)%nat in
     first + play ys (count y (0, 0)%nat) - Rmin (INR (fst ab)) (INR (snd ab)) <= 3/4 * sqrt (INR n + 1) - 6/100) /\
  (exists y ys, S (length ys) = n /\
     let ab := tally (y :: ys) (0, 0)%nat in
     3/4 * sqrt (INR n) - 3/5 <= 1 + play ys (count y (0, 0)%nat) - Rmin (INR (fst ab)) (INR (snd ab))).
Proof. exact TightLabels.one_ball_tight. Qed.

(** Against a comparator whose values vs are within w of q: 3/4 sqrt n and n w at once, no trade in the leading order. *)
Theorem one_ball_joint : forall (y : bool) (ys : list bool) (vs : list R) (first q w : R),
  first <= 1 -> 0 <= q <= 1 -> 0 <= w -> (1 <= length ys)%nat -> length vs = S (length ys) ->
  (forall v, In v vs -> 0 <= v <= 1 /\ Rabs (v - q) <= w) ->
  let n := INR (S (length ys)) in
  first + play ys (count y (0, 0)%nat) - OneBallSlope.paid (y :: ys) vs
  <= (3/4 - w + w * w) * sqrt (n + 1) + n * w - 6/100.
Proof. exact OneBallSlope.one_ball_joint. Qed.

(** * The leading constant is exact, at every L *)

(** Above K: no stream that is long enough. Below K: a stream of every large enough length, all of them in one metric
    space of diameter at most 1, against one comparator that is L-Lipschitz on all of it. *)
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
Proof. exact Tight.joint_constant_exact. Qed.

(** In other words: the worst regret of T examples exists, and divided by T^((1+D)/(2+D)) it tends to K. *)
Theorem worst_regret_exists : forall C D L T, 1 <= C -> (1 <= D)%nat -> 0 <= L ->
  exists w, is_lub (Tight.a_regret C D L T) w.
Proof. exact Tight.worst_regret_exists. Qed.

Theorem worst_regret_limit : forall C D L (W : nat -> R), 1 <= C -> (1 <= D)%nat -> 0 <= L ->
  (forall T, is_lub (fun r => exists (X : Type) (dist : X -> X -> R) f stream, metric dist /\ length stream = T /\
     setting dist C (INR D) L f stream /\ r = regret dist C f stream) (W T)) ->
  Un_cv (fun T => W T / Rpower (INR T) ((1 + INR D) / (2 + INR D)))
    (3/4 * sqrt C * Rpower 2 (INR D / 2) + (2 + INR D) / (1 + INR D) * L).
Proof. exact Tight.worst_regret_limit. Qed.

(** One infinite stream, chosen in advance: along it the upper limit of regret / T^((1+D)/(2+D)) is exactly K. *)
Theorem one_stream_for_ever : forall C D L, 1 <= C -> (1 <= D)%nat -> 0 <= L ->
  let K := 3/4 * sqrt C * Rpower 2 (INR D / 2) + (2 + INR D) / (1 + INR D) * L in
  exists (X : Type) (dist : X -> X -> R) (f : X -> R) (z : nat -> X * bool),
    metric dist /\ (forall x, 0 <= f x <= 1) /\ (forall x y, Rabs (f x - f y) <= L * dist x y) /\
    (forall T, setting dist C (INR D) L f (map z (seq 0 T))) /\
    (forall c, K < c -> exists T0, forall T, (T0 <= T)%nat ->
       regret dist C f (map z (seq 0 T)) <= c * Rpower (INR T) ((1 + INR D) / (2 + INR D))) /\
    (forall c, c < K -> forall T0, exists T, (T0 <= T)%nat /\
       c * Rpower (INR T) ((1 + INR D) / (2 + INR D)) <= regret dist C f (map z (seq 0 T))).
Proof. exact OneStream.one_stream_for_ever. Qed.

(** Each constant by itself: (a, b) is [valid] if, for every L, (a sqrt C 2^(D/2) + b L) T^((1+D)/(2+D)) bounds the
    regret of all streams that are long enough. *)
Theorem best_constants : forall C D, 1 <= C -> (1 <= D)%nat ->
  (forall a, 3/4 < a -> Tight.valid C D a ((2 + INR D) / (1 + INR D))) /\
  (forall a b, Tight.valid C D a b -> 3/4 <= a /\ (2 + INR D) / (1 + INR D) <= b).
Proof. exact Tight.best_constants. Qed.

(** * From which length on *)

(** Explicit for every C, D, L and c; crude for D >= 2, where BASE must climb to dimension D first. *)
Theorem attained_from_threshold : forall C D L, 1 <= C -> (1 <= D)%nat -> 0 <= L ->
  exists (X : Type) (dist : X -> X -> R) (f : X -> R),
    metric dist /\ (forall x, 0 <= f x <= 1) /\ (forall x y, Rabs (f x - f y) <= L * dist x y) /\
    forall c (T : nat),
      0 <= c < 3/4 * sqrt C * Rpower 2 (INR D / 2) + (2 + INR D) / (1 + INR D) * L ->
      Threshold.threshold C D L c <= INR T ->
      exists stream, length stream = T /\ setting dist C (INR D) L f stream /\
        c * Rpower (INR T) ((1 + INR D) / (2 + INR D)) <= regret dist C f stream.
Proof. exact Threshold.attained_from_threshold. Qed.

(** D = 1, C = 1: 60 % of K T^(2/3) from a million examples on, 90 % from a billion on. *)
Theorem three_fifths_from_a_million : forall L, 0 <= L <= 7 -> exists (X : Type) (dist : X -> X -> R) (f : X -> R),
  metric dist /\ (forall x, 0 <= f x <= 1) /\ (forall x y, Rabs (f x - f y) <= L * dist x y) /\
  forall T : nat, 1000000 <= INR T -> exists stream, length stream = T /\ setting dist 1 1 L f stream /\
    3/5 * (3/4 * sqrt 2 + 3/2 * L) * Rpower (INR T) (2/3) <= regret dist 1 f stream.
Proof. exact Million.three_fifths_from_a_million. Qed.

Theorem nine_tenths_from_a_billion : forall L, 0 <= L <= 29 -> exists (X : Type) (dist : X -> X -> R) (f : X -> R),
  metric dist /\ (forall x, 0 <= f x <= 1) /\ (forall x y, Rabs (f x - f y) <= L * dist x y) /\
  forall T : nat, 1000000000 <= INR T -> exists stream, length stream = T /\ setting dist 1 1 L f stream /\
    9/10 * (3/4 * sqrt 2 + 3/2 * L) * Rpower (INR T) (2/3) <= regret dist 1 f stream.
Proof. exact Million.nine_tenths_from_a_billion. Qed.
