(** Real powers: what the standard library lacks, and Young's inequality, the only inequality between
    means that the development needs. It takes the place of the paper's integral, of Jensen's inequality
    and of Cauchy-Schwarz. *)
From Coq Require Import Reals Lra Psatz Lia.
Local Open Scope R_scope.

Lemma Rpower_pos : forall x a, 0 < Rpower x a.
Proof. intros. apply exp_pos. Qed.

Lemma Rpower_1_l : forall a, Rpower 1 a = 1.
Proof. intros a. unfold Rpower. rewrite ln_1, Rmult_0_r. apply exp_0. Qed.

Lemma Rpower_Rinv : forall x a, 0 < x -> Rpower (/ x) a = Rpower x (- a).
Proof. intros x a Hx. unfold Rpower. rewrite ln_Rinv by exact Hx. f_equal. ring. Qed.

(** r^-d falls in r. *)
Lemma Rpower_anti : forall r s d, 0 <= d -> 0 < r -> r <= s -> Rpower s (- d) <= Rpower r (- d).
Proof.
  intros r s d Hd Hr Hs. rewrite !Rpower_Ropp. apply Rinv_le_contravar; [apply Rpower_pos|].
  apply Rle_Rpower_l; lra.
Qed.

Lemma Rpower_ge_1 : forall x a, 1 <= x -> 0 <= a -> 1 <= Rpower x a.
Proof. intros x a Hx Ha. rewrite <- (Rpower_1_l a). apply Rle_Rpower_l; lra. Qed.

(** If y is at least c^(1/e), then y^e is at least c: how a length is chosen large enough. *)
Lemma Rpower_reaches : forall c e y, 0 < c -> 0 < e -> Rpower c (/ e) <= y -> c <= Rpower y e.
Proof.
  intros c e y Hc He H. replace c with (Rpower (Rpower c (/ e)) e).
  - apply Rle_Rpower_l; [lra|]. split; [apply Rpower_pos|exact H].
  - rewrite Rpower_mult, Rinv_l, Rpower_1; lra.
Qed.

Lemma INR_ge1 : forall k, (1 <= k)%nat -> 1 <= INR k.
Proof. intros k H. change 1 with (INR 1). apply le_INR. exact H. Qed.

Lemma INR_ge2 : forall k, (2 <= k)%nat -> 2 <= INR k.
Proof. intros k H. change 2 with (INR 2). apply le_INR. exact H. Qed.

Lemma nat_above : forall x, 0 <= x -> exists k : nat, x <= INR k <= x + 1.
Proof.
  intros x Hx. destruct (archimed x) as [U1 U2]. exists (Z.to_nat (up x)).
  rewrite INR_IZR_INZ, Z2Nat.id by (apply le_IZR; lra). lra.
Qed.

Lemma pow_le_reg : forall x y n, (1 <= n)%nat -> 0 <= x -> 0 <= y -> x ^ n <= y ^ n -> x <= y.
Proof.
  intros x y n Hn Hx Hy H. destruct (Rle_lt_dec x y) as [A|A]; [exact A|]. exfalso.
  assert (y ^ n < x ^ n); [|lra]. clear H. destruct n as [|n]; [lia|]. clear Hn.
  assert (Hxn : 0 < x ^ n) by (apply pow_lt; lra).
  assert (y ^ n <= x ^ n) by (apply pow_incr; lra). simpl. nra.
Qed.

Lemma pow_anti : forall r i j, 0 < r < 1 -> (i <= j)%nat -> r ^ j <= r ^ i.
Proof.
  intros r i j Hr H. replace j with (i + (j - i))%nat by lia. rewrite pow_add.
  assert (0 < r ^ i) by (apply pow_lt; lra).
  assert (r ^ (j - i) <= 1) by (rewrite <- (pow1 (j - i)); apply pow_incr; lra). nra.
Qed.

(** The (2+e)-th root, which is what the radius is made of. *)
Lemma root_pow : forall x e, 0 < x -> Rpower x (1 / (2 + INR e)) ^ (2 + e) = x.
Proof.
  intros x e Hx. rewrite <- Rpower_pow by apply Rpower_pos. rewrite Rpower_mult, plus_INR. simpl (INR 2).
  pose proof (pos_INR e). replace (1 / (2 + INR e) * (1 + 1 + INR e)) with 1 by (field; lra).
  apply Rpower_1. exact Hx.
Qed.

Lemma sqrt_ge_1 : forall x, 1 <= x -> 1 <= sqrt x.
Proof. intros x Hx. rewrite <- sqrt_1. apply sqrt_le_1; lra. Qed.

Lemma sqrt_bounds : 1732/1000 <= sqrt 3 /\ 14142/10000 <= sqrt 2 <= 14143/10000.
Proof.
  assert (B : forall x y, 0 <= y -> y * y <= x -> y <= sqrt x).
  { intros x y Hy H. rewrite <- (sqrt_square y) by exact Hy. apply sqrt_le_1; nra. }
  repeat split; try (apply B; lra). rewrite <- (sqrt_square (14143/10000)) by lra. apply sqrt_le_1; lra.
Qed.

(** The weighted mean of u and v, from 1 + x <= exp x. *)
Lemma young : forall u v a, 0 < u -> 0 < v -> 0 <= a <= 1 ->
  Rpower u (1 - a) * Rpower v a <= (1 - a) * u + a * v.
Proof.
  intros u v a Hu Hv [Ha Ha1]. unfold Rpower. rewrite <- exp_plus.
  set (x := ln u). set (y := ln v). set (m := exp ((1 - a) * x + a * y)).
  assert (Hm : 0 < m) by apply exp_pos.
  assert (Eu : u = m * exp (a * (x - y))).
  { unfold m. rewrite <- exp_plus. rewrite <- (exp_ln u Hu) at 1. fold x. f_equal. ring. }
  assert (Ev : v = m * exp ((1 - a) * (y - x))).
  { unfold m. rewrite <- exp_plus. rewrite <- (exp_ln v Hv) at 1. fold y. f_equal. ring. }
  pose proof (exp_ineq1_le (a * (x - y))) as P. pose proof (exp_ineq1_le ((1 - a) * (y - x))) as Q.
  clearbody m x y. rewrite Eu, Ev. clear Eu Ev.
  set (p := exp (a * (x - y))) in *. set (q := exp ((1 - a) * (y - x))) in *. clearbody p q.
  assert ((1 - a) * (1 + a * (x - y)) <= (1 - a) * p) by (apply Rmult_le_compat_l; lra).
  assert (a * (1 + (1 - a) * (y - x)) <= a * q) by (apply Rmult_le_compat_l; lra).
  assert (m * 1 <= m * ((1 - a) * p + a * q)) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.
