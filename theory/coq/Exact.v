(** BASE in rational arithmetic: distances and C-hat are fractions, and every comparison with a radius is
    made with its whole powers, as in abacoc_theory.regret.exact. It equals the BASE of Algorithm.v step by
    step ([exact_update], [exact_predict]), and it runs: Extract.v makes a program of it. *)
From Coq Require Import Reals Lra Psatz Lia List Bool QArith Qreals.
From Abacoc Require Import Algorithm Powers Radii.
Import ListNotations.
Local Open Scope Q_scope.

Fixpoint qpow (q : Q) (n : nat) : Q := match n with O => 1 | S m => q * qpow q m end.
Definition qnat (n : nat) : Q := inject_Z (Z.of_nat n).

Section EXACT.
Context {X : Type}.
Variable qdist : X -> X -> Q.
Variable qC : Q.

(** g <= k^(-1/(2+d)), by the (2+d)-th power. *)
Definition inside (g : Q) (k d : nat) : bool := Qle_bool (qpow g (2 + d) * qnat k) 1.
(** n <= C (2/eps)^e with eps = k^(-1/(2+d)), by the same power. *)
Definition fits (n k d e : nat) : bool :=
  Qle_bool (qpow (qnat n) (2 + d)) (qpow (qC * qpow 2 e) (2 + d) * qpow (qnat k) e).

Fixpoint q_closest (x : X) (bs : list (ball X)) : option (list (ball X) * ball X * list (ball X)) :=
  match bs with
  | [] => None
  | b :: r =>
      match q_closest x r with
      | None => Some ([], b, r)
      | Some (l1, c, l2) =>
          if Qle_bool (qdist x (centre b)) (qdist x (centre c)) then Some ([], b, r)
          else Some (b :: l1, c, l2)
      end
  end.

Fixpoint q_dimension_for (fuel n k d e : nat) : nat :=
  match fuel with
  | O => e
  | S f => if fits n k d e then e else q_dimension_for f n k d (S e)
  end.

Definition q_add_new_ball (s : state X) (x : X) (y : bool) : state X :=
  let k := S (steps s) in
  let n := S (length (balls s)) in
  if fits n k (dim s) (dim s)
  then State (balls s ++ [new_ball x y]) k (dim s)
  else State [new_ball x y] 1 (q_dimension_for n n k (dim s) 0).

Definition q_update (s : state X) (x : X) (y : bool) : state X :=
  match q_closest x (balls s) with
  | Some (l1, b, l2) =>
      if inside (qdist x (centre b)) (S (steps s)) (dim s)
      then State (l1 ++ add_label b y :: l2) (S (steps s)) (dim s)
      else q_add_new_ball s x y
  | None => q_add_new_ball s x y
  end.

(** The counts (ones, zeros) that predict. *)
Definition q_predict (s : state X) (x : X) : option (nat * nat) :=
  match q_closest x (balls s) with None => None | Some (_, b, _) => Some (counts b) end.

(** For each example the counts that predict it, and (balls, t_i, d_i) after it. *)
Fixpoint q_run (s : state X) (stream : list (X * bool)) : list (option (nat * nat) * (nat * nat * nat)) :=
  match stream with
  | [] => []
  | (x, y) :: r =>
      let s' := q_update s x y in
      (q_predict s x, (length (balls s'), steps s', dim s')) :: q_run s' r
  end.

(** * Agreement *)

Hypothesis qdist_pos : forall x y, 0 <= qdist x y.
Hypothesis qC_pos : 0 < qC.
Local Open Scope R_scope.
Notation dist := (fun x y => Q2R (qdist x y)).
Notation C := (Q2R qC).

Lemma Q2R_qpow : forall q n, Q2R (qpow q n) = Q2R q ^ n.
Proof.
  intros q n. induction n as [|n IH]; simpl; [unfold Q2R; simpl; field|]. rewrite Q2R_mult, IH. reflexivity.
Qed.
Lemma Q2R_qnat : forall n, Q2R (qnat n) = INR n.
Proof. intros n. unfold qnat, inject_Z, Q2R. simpl. rewrite INR_IZR_INZ. field. Qed.
Lemma Qle_bool_R : forall a b, Qle_bool a b = true <-> Q2R a <= Q2R b.
Proof. intros a b. rewrite Qle_bool_iff. split; [apply Qle_Rle | apply Rle_Qle]. Qed.
Lemma Q2R_nonneg : forall q, (0 <= q)%Q -> 0 <= Q2R q.
Proof. intros q H. apply Qle_Rle in H. unfold Q2R at 1 in H. simpl in H. lra. Qed.

Lemma pow_le_iff : forall a b n, (1 <= n)%nat -> 0 <= a -> 0 <= b -> (a <= b <-> a ^ n <= b ^ n).
Proof. intros a b n Hn Ha Hb. split; intros H; [apply pow_incr; lra|]. apply (pow_le_reg a b n); assumption. Qed.

Lemma inside_spec : forall g k d, (0 <= g)%Q -> (1 <= k)%nat ->
  (inside g k d = true <-> Q2R g <= radius k d).
Proof.
  intros g k d Hg Hk. unfold inside. rewrite Qle_bool_R, Q2R_mult, Q2R_qpow, Q2R_qnat.
  pose proof (Q2R_nonneg g Hg). pose proof (radius_range k d Hk) as [Hr _]. pose proof (INR_ge1 k Hk).
  replace (Q2R 1) with 1 by (unfold Q2R; simpl; field). rewrite <- (radius_pow k d Hk).
  rewrite (pow_le_iff (Q2R g) (radius k d) (2 + d)) by (lia || lra).
  split; intros HH; [|apply Rmult_le_compat_r; lra]. apply Rmult_le_reg_r with (INR k); lra.
Qed.

Lemma fits_spec : forall n k d e, (1 <= k)%nat ->
  (fits n k d e = true <-> INR n <= capacity C (radius k d) e).
Proof.
  intros n k d e Hk. unfold fits, capacity.
  rewrite Qle_bool_R, Q2R_mult, !Q2R_qpow, !Q2R_qnat, Q2R_mult, Q2R_qpow.
  replace (Q2R 2) with 2 by (unfold Q2R; simpl; field).
  pose proof (radius_range k d Hk) as [Hr _]. pose proof (INR_ge1 k Hk).
  assert (HC : 0 <= C) by (apply Q2R_nonneg; apply Qlt_le_weak, qC_pos).
  assert (H2 : 0 <= 2 / radius k d) by (left; apply Rdiv_lt_0_compat; lra).
  assert (E : (C * 2 ^ e) ^ (2 + d) * INR k ^ e = (C * (2 / radius k d) ^ e) ^ (2 + d)).
  { rewrite !Rpow_mult_distr, Rmult_assoc. f_equal.
    assert (Ek : INR k = (/ radius k d) ^ (2 + d)).
    { pose proof (radius_pow k d Hk) as Q. rewrite pow_inv.
      apply Rmult_eq_reg_l with (radius k d ^ (2 + d)); [|apply pow_nonzero; lra].
      rewrite Q. field. apply pow_nonzero. lra. }
    rewrite Ek at 1. unfold Rdiv. rewrite Rpow_mult_distr, Rpow_mult_distr. f_equal.
    rewrite <- !pow_mult. f_equal. lia. }
  rewrite E. symmetry. apply pow_le_iff; [lia|apply pos_INR|]. apply Rmult_le_pos; [exact HC|]. apply pow_le, H2.
Qed.

Lemma if_dec : forall (A : Type) (P : Prop) (c : {P} + {~ P}) (b : bool) (u v : A),
  (b = true <-> P) -> (if b then u else v) = (if c then u else v).
Proof.
  intros A P c b u v H. destruct b; destruct c as [p|n]; try reflexivity.
  - exfalso. apply n, H. reflexivity.
  - apply H in p. discriminate.
Qed.

Lemma exact_closest : forall x bs, q_closest x bs = closest dist x bs.
Proof.
  intros x bs. induction bs as [|b r IH]; [reflexivity|]. simpl. rewrite IH.
  destruct (closest dist x r) as [[[l1 c] l2]|]; [|reflexivity]. apply if_dec, Qle_bool_R.
Qed.

Lemma exact_dimension : forall fuel n k d e, (1 <= k)%nat ->
  q_dimension_for fuel n k d e = dimension_for C fuel n (radius k d) e.
Proof.
  induction fuel as [|f IH]; intros n k d e Hk; [reflexivity|]. simpl.
  rewrite IH by exact Hk. apply if_dec, fits_spec, Hk.
Qed.

Theorem exact_update : forall s x y, q_update s x y = update dist C s x y.
Proof.
  intros s x y. unfold q_update, update. rewrite exact_closest.
  assert (A : q_add_new_ball s x y = add_new_ball C s x y).
  { unfold q_add_new_ball, add_new_ball. cbv zeta. rewrite exact_dimension by lia. apply if_dec, fits_spec. lia. }
  rewrite A. destruct (closest dist x (balls s)) as [[[l1 b] l2]|]; [|reflexivity].
  apply if_dec, inside_spec; [apply qdist_pos|lia].
Qed.

Theorem exact_predict : forall s x, predict dist s x =
  match q_predict s x with None => 1/2 | Some ab => prob (fst ab) (snd ab) end.
Proof.
  intros s x. unfold predict, q_predict. rewrite exact_closest.
  destruct (closest dist x (balls s)) as [[[l1 b] l2]|]; reflexivity.
Qed.
End EXACT.

(** Sites 0, 1, ... with a matrix of distances: what the program runs. *)
Definition site_dist (m : list (list Q)) (i j : nat) : Q := nth j (nth i m []) 0%Q.
Definition run_sites (m : list (list Q)) (c : Q) (stream : list (nat * bool)) :=
  q_run (site_dist m) c start stream.
