(** The radii from below.

    Proves: the radius falls strictly, its (2+d)-th power is one over the step, and the radii of n steps of
    a phase of dimension d add up to at least (2+d)/(1+d) ((n+1)^alpha - 1). With [radius_sum] this is exact
    in the leading order.
    Idea: by Bernoulli's inequality, (x+1)^alpha <= x^alpha + alpha x^(alpha-1), step by step, without an
    integral.
    Uses: Young's inequality (Powers), the radius (Radii). *)
From Coq Require Import Reals Lra Psatz Lia.
From Abacoc Require Import Algorithm Powers Radii.
Local Open Scope R_scope.

Lemma pow_ge_self : forall x n, 1 <= x -> (1 <= n)%nat -> x <= x ^ n.
Proof. intros x n Hx Hn. rewrite <- (pow_1 x) at 1. apply Rle_pow; assumption. Qed.

Lemma radius_lt : forall k l d, (1 <= k < l)%nat -> radius l d < radius k d.
Proof.
  intros k l d [Hk Hl]. unfold radius. rewrite !Rpower_Ropp. pose proof (INR_ge1 k Hk). apply lt_INR in Hl.
  apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; apply Rpower_pos|].
  apply Rlt_Rpower_l; [apply beta_pos|lra].
Qed.

Lemma radius_inverse : forall m d, (1 <= m)%nat -> (/ radius m d) ^ (2 + d) = INR m.
Proof.
  intros m d Hm. unfold radius. rewrite Rpower_Ropp, Rinv_inv. pose proof (INR_ge1 m Hm). apply root_pow. lra.
Qed.

Theorem radius_sum_lower : forall n d, (2 + INR d) / (1 + INR d) * (Rpower (INR (S n)) (alpha d) - 1) <= radii n d.
Proof.
  intros n d. pose proof (alpha_range d) as Hal. pose proof (pos_INR d) as Hd.
  assert (H : Rpower (INR (S n)) (alpha d) - 1 <= alpha d * radii n d).
  { induction n as [|n IH].
    - simpl INR. rewrite Rpower_1_l. simpl radii. lra.
    - cbn [radii]. rewrite Rmult_plus_distr_l. set (x := INR (S n)) in *.
      assert (Hx : 1 <= x) by (apply INR_ge1; lia).
      assert (B : Rpower (INR (S (S n))) (alpha d) <= Rpower x (alpha d) + alpha d * radius (S n) d).
      { rewrite (S_INR (S n)). fold x.
        pose proof (young 1 (1 + / x) (alpha d) ltac:(lra)) as Y.
        assert (Hi : 0 < / x) by (apply Rinv_0_lt_compat; lra).
        specialize (Y ltac:(lra) ltac:(lra)). rewrite Rpower_1_l, Rmult_1_l in Y.
        replace (x + 1) with (x * (1 + / x)) by (field; lra).
        rewrite <- Rpower_mult_distr by lra.
        unfold radius. fold x. replace (- (1 / (2 + INR d))) with (alpha d + - (1)) by (unfold alpha; field; lra).
        rewrite Rpower_plus, (Rpower_Ropp x 1), Rpower_1 by lra.
        pose proof (Rpower_pos x (alpha d)) as Px.
        apply (Rmult_le_compat_l (Rpower x (alpha d))) in Y; [|lra]. lra. }
      lra. }
  apply Rmult_le_reg_l with (alpha d); [lra|].
  replace (alpha d * ((2 + INR d) / (1 + INR d) * (Rpower (INR (S n)) (alpha d) - 1)))
    with (Rpower (INR (S n)) (alpha d) - 1); [exact H|]. unfold alpha at 2. field. lra.
Qed.
