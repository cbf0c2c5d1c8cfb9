(** The radius k^(-1/(2+d)) of the k-th step of a phase, the sum of the radii (the bias term in the
    proof of Lemma 2), and the capacity C (2/eps)^d of the dimension check. The paper's integral is
    replaced by Young's inequality. *)
From Coq Require Import Reals Lra Psatz Lia.
From Abacoc Require Import Algorithm Powers.
Local Open Scope R_scope.

(** The exponent (1+d)/(2+d) of Theorem 1. *)
Definition alpha (d : nat) : R := (1 + INR d) / (2 + INR d).

Lemma alpha_beta : forall d, 1 - alpha d = 1 / (2 + INR d).
Proof. intros d. unfold alpha. pose proof (pos_INR d). field. lra. Qed.

Lemma beta_pos : forall d, 0 < 1 / (2 + INR d).
Proof. intros d. pose proof (pos_INR d). apply Rdiv_lt_0_compat; lra. Qed.

Lemma alpha_range : forall d, 0 < alpha d < 1.
Proof.
  intros d. pose proof (pos_INR d). pose proof (alpha_beta d). pose proof (beta_pos d).
  split; [unfold alpha; apply Rdiv_lt_0_compat; lra | lra].
Qed.

Lemma beta_anti : forall d e, (d <= e)%nat -> 1 / (2 + INR e) <= 1 / (2 + INR d).
Proof.
  intros d e H. apply le_INR in H. pose proof (pos_INR d).
  unfold Rdiv. rewrite !Rmult_1_l. apply Rinv_le_contravar; lra.
Qed.

Lemma alpha_mono : forall d e, (d <= e)%nat -> alpha d <= alpha e.
Proof. intros d e H. pose proof (beta_anti d e H). pose proof (alpha_beta d). pose proof (alpha_beta e). lra. Qed.

(** * The radius *)

Lemma radius_1 : forall d, radius 1 d = 1.
Proof. intros. apply Rpower_1_l. Qed.

Lemma radius_pos : forall k d, 0 < radius k d.
Proof. intros. apply Rpower_pos. Qed.

Lemma radius_mono : forall k l d, (1 <= k <= l)%nat -> radius l d <= radius k d.
Proof.
  intros k l d [Hk Hl]. pose proof (INR_ge1 k Hk). apply le_INR in Hl. pose proof (beta_pos d).
  apply Rpower_anti; lra.
Qed.

Lemma radius_dim : forall k d e, (1 <= k)%nat -> (d <= e)%nat -> radius k d <= radius k e.
Proof.
  intros k d e Hk He. unfold radius. apply Rle_Rpower; [apply INR_ge1; exact Hk|].
  pose proof (beta_anti d e He). lra.
Qed.

Lemma radius_range : forall k d, (1 <= k)%nat -> 0 < radius k d <= 1.
Proof.
  intros k d H. split; [apply radius_pos|]. rewrite <- (radius_1 d). apply radius_mono. lia.
Qed.

Lemma radius_pow : forall k d, (1 <= k)%nat -> radius k d ^ (2 + d) * INR k = 1.
Proof.
  intros k d Hk. pose proof (INR_ge1 k Hk). unfold radius. rewrite Rpower_Ropp, pow_inv, root_pow by lra.
  field. lra.
Qed.

(** After more than x^(2+d) steps of a phase the radius is below 1/x, up to then it is not. *)
Lemma radius_below : forall k d x, 0 < x -> x ^ (2 + d) < INR k -> radius k d < / x.
Proof.
  intros k d x Hx H. assert (Hk : 0 < INR k) by (apply Rlt_trans with (2 := H), pow_lt, Hx).
  unfold radius. rewrite Rpower_Ropp. set (w := Rpower (INR k) (1 / (2 + INR d))).
  assert (Hw : 0 < w) by apply Rpower_pos.
  apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra|].
  destruct (Rlt_le_dec x w) as [A|A]; [exact A|]. exfalso.
  assert (w ^ (2 + d) <= x ^ (2 + d)) by (apply pow_incr; lra).
  assert (w ^ (2 + d) = INR k) by (apply root_pow, Hk). lra.
Qed.

Lemma radius_above : forall k d x, (1 <= k)%nat -> 0 < x -> INR k <= x ^ (2 + d) -> / x <= radius k d.
Proof.
  intros k d x Hk Hx H. pose proof (INR_ge1 k Hk). unfold radius. rewrite Rpower_Ropp.
  apply Rinv_le_contravar; [apply Rpower_pos|].
  apply (pow_le_reg _ _ (2 + d) ltac:(lia)); [left; apply Rpower_pos|lra|]. rewrite root_pow; lra.
Qed.

(** * The sum of the radii *)

(** The sum of eps_t over the first n steps of a phase. *)
Fixpoint radii (n d : nat) : R := match n with O => 0 | S m => radii m d + radius (S m) d end.

Lemma radii_dim : forall n d e, (d <= e)%nat -> radii n d <= radii n e.
Proof.
  induction n as [|n IH]; intros d e H; simpl; [lra|].
  pose proof (IH d e H). pose proof (radius_dim (S n) d e ltac:(lia) H). lra.
Qed.

(** Section V, proof of Lemma 2, the sum over T_i: n^alpha times (d+2)/(d+1). *)
Lemma radius_sum : forall n d, radii n d <= (2 + INR d) / (1 + INR d) * Rpower (INR n) (alpha d).
Proof.
  intros n d. pose proof (pos_INR d) as Hd. pose proof (alpha_range d) as Hal.
  assert (HA : radii n d * alpha d <= Rpower (INR n) (alpha d)).
  { induction n as [|n IH]; [simpl radii; pose proof (Rpower_pos (INR 0) (alpha d)); lra|]. destruct n as [|n].
    - simpl radii. rewrite radius_1. simpl INR. rewrite Rpower_1_l. lra.
    - change (radii (S (S n)) d) with (radii (S n) d + radius (S (S n)) d).
      set (x := INR (S n)) in *.
      assert (Hx : 1 <= x) by (apply INR_ge1; lia).
      unfold radius. rewrite (S_INR (S n)). fold x.
      pose proof (young (x + 1) x (alpha d) ltac:(lra) ltac:(lra) ltac:(lra)) as Y.
      rewrite alpha_beta in Y.
      set (b := 1 / (2 + INR d)) in *.
      assert (Eb : alpha d = 1 - b) by (unfold b; rewrite <- alpha_beta; ring).
      apply (Rmult_le_compat_l (Rpower (x + 1) (- b))) in Y; [|left; apply Rpower_pos].
      assert (E1 : Rpower (x + 1) (- b) * (Rpower (x + 1) b * Rpower x (alpha d)) = Rpower x (alpha d)).
      { rewrite <- Rmult_assoc, <- Rpower_plus. replace (- b + b) with 0 by ring.
        rewrite Rpower_O by lra. ring. }
      assert (E2 : Rpower (x + 1) (- b) * (x + 1) = Rpower (x + 1) (alpha d)).
      { rewrite <- (Rpower_1 (x + 1)) at 2 by lra. rewrite <- Rpower_plus. f_equal. lra. }
      rewrite E1 in Y. rewrite Eb in Y |- *. rewrite Eb in IH, E2. nra. }
  apply Rmult_le_reg_r with (alpha d); [lra|].
  replace ((2 + INR d) / (1 + INR d) * Rpower (INR n) (alpha d) * alpha d)
    with (Rpower (INR n) (alpha d)); [exact HA|].
  unfold alpha at 3. field. lra.
Qed.

(** * The dimension check *)

Lemma two_over : forall eps, 0 < eps <= 1 -> 2 <= 2 / eps.
Proof.
  intros eps He. apply Rmult_le_reg_r with eps; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Section CAPACITY.
Variable C : R.
Hypothesis C_ge_1 : 1 <= C.

Lemma capacity_mono : forall eps i j, 0 < eps <= 1 -> (i <= j)%nat -> capacity C eps i <= capacity C eps j.
Proof.
  intros eps i j He H. unfold capacity. apply Rmult_le_compat_l; [lra|].
  pose proof (two_over eps He). apply Rle_pow; [lra|exact H].
Qed.

Lemma capacity_eps : forall e e' i, 0 < e' -> e' <= e -> capacity C e i <= capacity C e' i.
Proof.
  intros e e' i He H. unfold capacity. apply Rmult_le_compat_l; [lra|].
  apply pow_incr. split; [left; apply Rdiv_lt_0_compat; lra|].
  apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.

Lemma capacity_1 : forall eps i, 0 < eps <= 1 -> 1 <= capacity C eps i.
Proof.
  intros eps i He. apply Rle_trans with (capacity C eps 0); [unfold capacity; simpl; lra|].
  apply capacity_mono; [exact He|lia].
Qed.

Lemma capacity_size : forall eps n, 0 < eps <= 1 -> INR n <= capacity C eps n.
Proof.
  intros eps n He. pose proof (two_over eps He) as H2. induction n as [|n IH]; [unfold capacity; simpl; lra|].
  pose proof (capacity_1 eps n He). rewrite S_INR. unfold capacity in *. simpl. nra.
Qed.

(** C (2/eps)^e at step n is C 2^e n^(e/(2+e)). *)
Lemma capacity_radius : forall n e, capacity C (radius n e) e
  = C * (Rpower 2 (INR e) * Rpower (INR n) (INR e / (2 + INR e))).
Proof.
  intros n e. pose proof (pos_INR e). pose proof (radius_pos n e). unfold capacity. f_equal.
  rewrite <- Rpower_pow by (apply Rdiv_lt_0_compat; lra).
  unfold radius. rewrite Rpower_Ropp. unfold Rdiv at 1. rewrite Rinv_inv.
  rewrite <- Rpower_mult_distr; [|lra|apply Rpower_pos]. f_equal. rewrite Rpower_mult. f_equal. field. lra.
Qed.

(** Alg. 2, line 17: the loop finds the smallest dimension. *)
Lemma dimension_for_least : forall fuel n eps e, 0 < eps <= 1 -> (n <= e + fuel)%nat ->
  (forall i, (i < e)%nat -> capacity C eps i < INR n) ->
  INR n <= capacity C eps (dimension_for C fuel n eps e) /\
  forall i, (i < dimension_for C fuel n eps e)%nat -> capacity C eps i < INR n.
Proof.
  induction fuel as [|k IH]; intros n eps e He Hs Hi; simpl.
  - split; [|exact Hi]. apply Rle_trans with (capacity C eps n); [apply capacity_size, He|].
    apply capacity_mono; [exact He|lia].
  - destruct (Rle_dec _ _) as [H|H]; [split; assumption|].
    apply IH; [exact He|lia|]. intros i Hlt. apply Rnot_le_lt in H.
    destruct (Nat.eq_dec i e) as [->|N]; [exact H|]. apply Hi. lia.
Qed.

(** So a phase that ends at dimension d is followed by one of a larger dimension. *)
Lemma dimension_grows : forall n eps d, 0 < eps <= 1 -> capacity C eps d < INR n -> (d < dimension_for C n n eps 0)%nat.
Proof.
  intros n eps d He H. destruct (dimension_for_least n n eps 0 He ltac:(lia) ltac:(intros; lia)) as [A _].
  destruct (Nat.lt_ge_cases d (dimension_for C n n eps 0)) as [G|G]; [exact G|].
  pose proof (capacity_mono eps _ d He G). lra.
Qed.
End CAPACITY.
