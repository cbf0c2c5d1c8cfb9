(** Algorithm 2 (BASE) as a program on lists, and its regret. Every definition names the lines of the
    paper that it stands for: Alg. 1 is the template, Alg. 2 is BASE.

    It is the reading "paper" of DEVIATIONS.md, entries 1 to 5 and 7: every step of a phase is counted,
    the k-th of them has radius k^(-1/(2+d_i)), line 17 sees the size before line 16 empties S. *)
From Coq Require Import Reals List Bool.
Import ListNotations.
Local Open Scope R_scope.

(** * One ball *)

(** A ball's counts (ones, zeros): m_s = ones and n_s = ones + zeros. Alg. 2, lines 11 and 12. *)
Definition count (y : bool) (ab : nat * nat) : nat * nat :=
  if y then (S (fst ab), snd ab) else (fst ab, S (snd ab)).

(** p_t, the probability of predicting 1. Alg. 2, lines 5, 6 and 7. *)
Definition prob (ones zeros : nat) : R :=
  let n := INR (ones + zeros) in
  let q := (INR ones + 1) / (n + 2) in
  let gamma := 1 / (2 * sqrt (n + 2)) in
  if Rlt_dec q (1/2 - gamma) then 0
  else if Rlt_dec (1/2 + gamma) q then 1
  else 1/2 + (q - 1/2) / (2 * gamma).

(** l_t(p) = |y_t - p|, the probability of a mistake (Section V, first lines; Coins.v proves it). *)
Definition label (y : bool) : R := if y then 1 else 0.
Definition loss (y : bool) (p : R) : R := Rabs (label y - p).

(** eps_t at the k-th step of a phase of dimension d. Alg. 2, line 28. *)
Definition radius (k d : nat) : R := Rpower (INR k) (- (1 / (2 + INR d))).

(** * The cover *)

Record ball (X : Type) := Ball { centre : X; counts : nat * nat }.
Arguments Ball {X}. Arguments centre {X}. Arguments counts {X}.

(** S, t_i and d_i. *)
Record state (X : Type) := State { balls : list (ball X); steps : nat; dim : nat }.
Arguments State {X}. Arguments balls {X}. Arguments steps {X}. Arguments dim {X}.

Section BASE.
Context {X : Type}.
Variable dist : X -> X -> R.         (* rho *)
Variable C : R.                      (* C-hat, the covering constant *)

Definition ball_prob (b : ball X) : R := prob (fst (counts b)) (snd (counts b)).
Definition size (b : ball X) : nat := (fst (counts b) + snd (counts b))%nat.

(** Alg. 2, lines 11 and 12. *)
Definition add_label (b : ball X) (y : bool) : ball X := Ball (centre b) (count y (counts b)).
(** Alg. 2, lines 21, 22 and 23. *)
Definition new_ball (x : X) (y : bool) : ball X := Ball x (count y (0, 0)%nat).

(** The right side of the dimension check: C-hat 2^d eps^-d. Alg. 2, line 15. *)
Definition capacity (eps : R) (d : nat) : R := C * (2 / eps) ^ d.

(** The closest ball, the first of equally close ones, between the balls before it and those after it.
    Alg. 1, line 8. *)
Fixpoint closest (x : X) (bs : list (ball X)) : option (list (ball X) * ball X * list (ball X)) :=
  match bs with
  | [] => None
  | b :: r =>
      match closest x r with
      | None => Some ([], b, r)
      | Some (l1, c, l2) =>
          if Rle_dec (dist x (centre b)) (dist x (centre c)) then Some ([], b, r)
          else Some (b :: l1, c, l2)
      end
  end.

(** d_{i+1}: the smallest whole d with n <= C-hat (2/eps)^d, found by counting up. Alg. 2, line 17. *)
Fixpoint dimension_for (fuel n : nat) (eps : R) (d : nat) : nat :=
  match fuel with
  | O => d
  | S f => if Rle_dec (INR n) (capacity eps d) then d else dimension_for f n eps (S d)
  end.

(** Alg. 2, line 2. *)
Definition start : state X := State [] 0 1.

(** Alg. 1, line 9; without a ball the Laplace estimate of an empty one. *)
Definition predict (s : state X) (x : X) : R :=
  match closest x (balls s) with None => 1/2 | Some (_, b, _) => ball_prob b end.

(** Alg. 2, lines 14 to 25. *)
Definition add_new_ball (s : state X) (x : X) (y : bool) : state X :=
  let eps := radius (S (steps s)) (dim s) in
  let n := S (length (balls s)) in
  if Rle_dec (INR n) (capacity eps (dim s))                         (* line 15, negated *)
  then State (balls s ++ [new_ball x y]) (S (steps s)) (dim s)      (* lines 21 to 24 *)
  else State [new_ball x y] 1 (dimension_for n n eps 0).            (* lines 16 to 24 *)

(** One example. Alg. 1, lines 8 to 15. *)
Definition update (s : state X) (x : X) (y : bool) : state X :=
  match closest x (balls s) with
  | Some (l1, b, l2) =>
      if Rle_dec (dist x (centre b)) (radius (S (steps s)) (dim s))
      then State (l1 ++ add_label b y :: l2) (S (steps s)) (dim s)
      else add_new_ball s x y
  | None => add_new_ball s x y
  end.

(** * The regret (Section IV-A) *)

(** The sum of l_t(p_t). *)
Fixpoint mistakes (s : state X) (stream : list (X * bool)) : R :=
  match stream with
  | [] => 0
  | (x, y) :: r => loss y (predict s x) + mistakes (update s x y) r
  end.

(** The sum of l_t(f(x_t)). *)
Fixpoint comparator (f : X -> R) (stream : list (X * bool)) : R :=
  match stream with [] => 0 | (x, y) :: r => loss y (f x) + comparator f r end.

(** Against one f: a bound for every L-Lipschitz f is a bound on R_L(T). *)
Definition regret (f : X -> R) (stream : list (X * bool)) : R :=
  mistakes start stream - comparator f stream.

End BASE.
