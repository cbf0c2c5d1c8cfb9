(** The coins: the sum of |y_t - p_t| is the expected number of mistakes (Section V, first lines), since
    p_t depends on the past stream alone and not on the tosses. So the theorems speak of the R_L(T) of
    Section IV-A. *)
From Coq Require Import Reals Lra List Bool.
From Abacoc Require Import Algorithm Setting Runs UpperBound.
Import ListNotations.
Local Open Scope R_scope.

(** Expectation over independent tosses, the t-th of which says 1 with probability p_t. Alg. 2, line 8. *)
Fixpoint expectation (ps : list R) (g : list bool -> R) : R :=
  match ps with
  | [] => g []
  | p :: r => p * expectation r (fun w => g (true :: w)) + (1 - p) * expectation r (fun w => g (false :: w))
  end.

(** The number of mistakes of the predictions ws. *)
Fixpoint wrong (ys ws : list bool) : R :=
  match ys, ws with
  | y :: ys', w :: ws' => (if Bool.eqb y w then 0 else 1) + wrong ys' ws'
  | _, _ => 0
  end.

Fixpoint predictions {X} (dist : X -> X -> R) (C : R) (s : state X) (stream : list (X * bool)) : list R :=
  match stream with
  | [] => []
  | (x, y) :: r => predict dist s x :: predictions dist C (update dist C s x y) r
  end.

Lemma expectation_shift : forall ps c g, expectation ps (fun w => c + g w) = c + expectation ps g.
Proof.
  induction ps as [|p r IH]; intros c g; simpl; [reflexivity|].
  rewrite (IH c (fun w => g (true :: w))), (IH c (fun w => g (false :: w))). ring.
Qed.

Theorem expected_mistakes : forall X (dist : X -> X -> R) C stream s,
  expectation (predictions dist C s stream) (wrong (map snd stream)) = mistakes dist C s stream.
Proof.
  intros X dist C. induction stream as [|[x y] r IH]; intros s; [reflexivity|].
  cbn [predictions map snd expectation mistakes wrong]. rewrite !expectation_shift, IH.
  pose proof (predict_range dist s x) as Q. unfold loss, label.
  destruct y; simpl; [rewrite Rabs_pos_eq by lra | rewrite Rabs_minus_sym, Rminus_0_r, Rabs_pos_eq by lra]; ring.
Qed.

(** The sharper theorem in the words of the paper. *)
Corollary sharper_theorem_coins : forall X (dist : X -> X -> R) C d L f stream, setting dist C d L f stream ->
  let D := whole d in
  let T := INR (length stream) in
  expectation (predictions dist C start stream) (wrong (map snd stream)) - comparator f stream
  <= (1058/1000 * sqrt C * Rpower 2 (INR D / 2) + 1586/1000 * L) * Rpower T ((1 + INR D) / (2 + INR D)).
Proof. intros X dist C d L f stream H. rewrite expected_mistakes. apply (sharper_theorem _ _ _ _ _ _ _ H). Qed.
