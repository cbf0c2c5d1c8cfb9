(** Theorem 1 as the paper states it, with C-hat = C_S, holds for a dimension d >= 0 exactly if d is one of
    1, 2, 3, ... For the others the trap takes BASE to a dimension of at least D = ceil(d) > d (1 if d = 0),
    where its regret grows as T; the exponent (1+d)/(2+d) and L = T^(1/(2+D)) give less than T. *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Setting Powers Radii Star Trap UpperBound.
Import ListNotations.
Local Open Scope R_scope.

(** The stated bound is below T/4 once T is large, if L = B^(1/(2+D)) for a B >= T and d < D. *)
Lemma stated_small : forall d D, 0 <= d -> d < INR D -> exists B0, forall B T, B0 <= B -> 1 <= T <= B ->
  stated 2 d (Rpower B (1 / (2 + INR D))) T < B / 4.
Proof.
  intros d D Hd HD. set (e := (INR D - d) / ((2 + d) * (2 + INR D))).
  assert (He : 0 < e) by (apply Rdiv_lt_0_compat; [lra|nra]).
  assert (H2d : 1 <= Rpower 2 d) by (apply Rpower_ge_1; lra).
  set (G := 126/100 * (5/2 * sqrt 2 * Rpower 2 d + 3/2)). pose proof sqrt_bounds as [_ H2].
  set (a := 5/2 * sqrt 2 * Rpower 2 d) in *. assert (Ha : 0 < a) by (unfold a; nra).
  assert (HG : 0 < G) by (unfold G; lra).
  exists (Rpower (4 * G + 1) (/ e)). intros B T HB [HT1 HTB].
  set (u := Rpower B (1 / (2 + INR D))). set (v := Rpower B ((1 + d) / (2 + d))).
  assert (Hu : 1 <= u) by (apply Rpower_ge_1; [lra|left; apply beta_pos]).
  assert (Hal : 0 < (1 + d) / (2 + d)) by (apply Rdiv_lt_0_compat; lra).
  assert (HTv : Rpower T ((1 + d) / (2 + d)) <= v) by (apply Rle_Rpower_l; lra).
  assert (Hv : 0 < v) by apply Rpower_pos.
  assert (Hbig : 4 * G + 1 <= Rpower B e) by (apply Rpower_reaches; [lra|exact He|exact HB]).
  assert (EP : u * v * Rpower B e = B).
  { unfold u, v. rewrite <- !Rpower_plus. rewrite <- (Rpower_1 B) at 2 by lra. f_equal. unfold e. field. lra. }
  assert (Huv : 0 < u * v) by (apply Rmult_lt_0_compat; lra).
  unfold stated. fold a. apply Rle_lt_trans with (G * (u * v)); [|nra].
  apply Rle_trans with (G * u * v); [|lra]. apply Rmult_le_compat; [nra|left; apply Rpower_pos| |exact HTv].
  unfold G. nra.
Qed.

(** The number of leaves is below 2 (2q)^d, if d > D - 1 or D = 1. *)
Lemma top_small : forall d D, (1 <= D)%nat -> 0 <= d -> (D = 1%nat \/ INR D - 1 < d) ->
  exists q, (1 <= q)%nat /\ (2 * 2 ^ D <= q * q)%nat /\ INR (top q D) <= 2 * Rpower (2 * INR q) d.
Proof.
  intros d D HD Hd Hcase. set (g := d - (INR D - 1)).
  destruct (nat_above (Rpower (2 * INR D) (/ g)) (Rlt_le _ _ (Rpower_pos _ _))) as (q0 & Hq0 & _).
  set (q := (2 * 2 ^ D + q0)%nat). assert (H2D : (1 <= 2 ^ D)%nat) by (pose proof (Nat.pow_nonzero 2 D); lia).
  exists q. assert (Hq1 : (2 * 2 ^ D <= q)%nat) by (unfold q; lia). split; [lia|].
  split; [nia|].
  pose proof (INR_ge1 q ltac:(lia)) as Hq. assert (1 <= Rpower (2 * INR q) d) by (apply Rpower_ge_1; lra).
  unfold top, Mx, M. destruct Hcase as [->|Hcase]; [rewrite Nat.sub_diag, Nat.mul_0_l; simpl (INR (0 + 1)); lra|].
  rewrite plus_INR, !mult_INR, pow_INR, mult_INR, minus_INR by exact HD. simpl (INR 2). simpl (INR 4). simpl (INR 1).
  replace (1 + 1) with 2 by ring.
  assert (Hg : 0 < g) by (unfold g; lra). pose proof (INR_ge1 D HD).
  assert (H2 : 2 * INR D <= Rpower (2 * INR q) g).
  { apply Rpower_reaches; [lra|exact Hg|]. assert (INR q0 <= INR q) by (apply le_INR; unfold q; lia). lra. }
  assert (E : Rpower (2 * INR q) d = Rpower (2 * INR q) g * (2 * INR q) ^ (D - 1)).
  { rewrite <- Rpower_pow by lra. rewrite <- Rpower_plus. f_equal. unfold g. rewrite minus_INR by lia. simpl. ring. }
  rewrite E. assert (H1 : 1 <= (2 * INR q) ^ (D - 1)) by (apply pow_R1_Rle; lra).
  set (z := (2 * INR q) ^ (D - 1)) in *. apply Rle_trans with (2 * (2 * INR D * z)); [nra|].
  apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; lra.
Qed.

(** No whole number: arbitrarily long counterexamples. *)
Theorem theorem_1_fails_unless_whole : forall d, 0 <= d -> (forall D, (1 <= D)%nat -> d <> INR D) ->
  forall n0, exists n, (n0 <= n)%nat /\ fails_at d (INR n).
Proof.
  intros d Hd Hnot n0. set (D := whole d). pose proof (whole_ge_1 d) as HD. fold D in HD.
  pose proof (whole_above d) as HdD. fold D in HdD. pose proof (INR_ge1 D HD) as HD1.
  assert (Hlt : d < INR D) by (destruct (Rle_lt_or_eq_dec _ _ HdD) as [A|A]; [exact A|destruct (Hnot D HD A)]).
  assert (Hcase : D = 1%nat \/ INR D - 1 < d).
  { destruct (Nat.eq_dec D 1) as [A|A]; [left; exact A|]. right.
    destruct (Rlt_le_dec (INR D - 1) d) as [L|L]; [exact L|]. exfalso.
    assert (whole d <= D - 1)%nat; [|unfold D in *; lia].
    apply whole_least; [lia|]. rewrite minus_INR by lia. simpl. lra. }
  destruct (top_small d D HD Hd Hcase) as (q & Hq1 & Hql & Htop). pose proof (INR_ge1 q Hq1) as Hq.
  destruct (stated_small d D Hd Hlt) as (B0 & HB0).
  (* the length *)
  destruct (nat_above (Rabs B0) (Rabs_pos B0)) as (big & Hbig & _). pose proof (Rle_abs B0).
  set (x := (top q D + 2 * q)%nat). set (pre := prefix q D).
  set (m := (pre + x ^ (2 + D) + n0 + big)%nat). set (B := (pre + 2 * m)%nat). set (near := radius B D).
  assert (Hpre : (1 <= pre)%nat) by apply Nat.le_add_r.
  assert (Hx1 : INR (top q D) + 1 <= INR x).
  { unfold x. rewrite plus_INR, mult_INR. simpl (INR 2). lra. }
  assert (Hx : 0 < INR x) by (pose proof (pos_INR (top q D)); lra).
  assert (Hnear : 0 < near < / INR x).
  { split; [apply radius_pos|]. apply radius_below; [exact Hx|]. rewrite <- pow_INR. apply lt_INR. unfold B, m. lia. }
  assert (Hu : INR x <= / near).
  { rewrite <- (Rinv_inv (INR x)). apply Rinv_le_contravar; lra. }
  assert (Hsmall : near <= / INR q / 2).
  { apply Rle_trans with (/ INR x); [lra|]. replace (/ INR q / 2) with (/ (2 * INR q)) by (field; lra).
    apply Rinv_le_contravar; [lra|]. unfold x. rewrite plus_INR, mult_INR. simpl (INR 2).
    pose proof (pos_INR (top q D)). lra. }
  assert (Hdelta : / INR q <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  destruct (trap_stream q D B Hq1 HD Hql m ltac:(unfold B; lia)) as (j & stream & Hj & Hlen & Hpts & Hregret).
  fold near in Hregret. exists (length stream). split; [unfold m in Hlen; lia|].
  pose proof (star_metric (/ INR q) near (conj (proj1 Hnear) Hsmall) Hdelta) as HM.
  exists site, (star (/ INR q) near), 2, (/ near), twin_label, stream.
  split; [exact HM|]. split; [|split; [reflexivity|]].
  - destruct HM as (_ & _ & Hsym & Htri). constructor; try assumption.
    + intros r Hr. destruct (star_covered (/ INR q) near (conj (proj1 Hnear) Hsmall) Hdelta 2 d (top q D) j)
        with (r := r)
        as (cs & Hn & Hc); try lra; try assumption.
      * replace (2 / / INR q) with (2 * INR q) by (field; lra). exact Htop.
      * assert (H1 : 1 <= / near) by (pose proof (pos_INR (top q D)); lra).
        destruct Hcase as [E|E].
        -- assert (ET : top q D = 1%nat) by (unfold top; rewrite E; reflexivity). rewrite ET. simpl.
           pose proof (Rpower_ge_1 (/ near) d H1 Hd). lra.
        -- destruct (Nat.eq_dec D 1) as [E1|E1].
           { assert (ET : top q D = 1%nat) by (unfold top; rewrite E1; reflexivity). rewrite ET. simpl.
             pose proof (Rpower_ge_1 (/ near) d H1 Hd). lra. }
           assert (2 <= INR D) by (apply INR_ge2; lia).
           assert (/ near <= Rpower (/ near) d); [|lra].
           rewrite <- (Rpower_1 (/ near)) at 1 by lra. apply Rle_Rpower; lra.
      * exists cs. split; [exact Hn|]. intros y Hy. apply Hc, Hpts, Hy.
    + intros y Hy. destruct (Hpts y Hy) as [->|(c & _ & ->)]; simpl; lra.
    + left. apply Rinv_0_lt_compat, Hnear.
    + intros y z Hy Hz. apply (twin_lipschitz (/ INR q) near (conj (proj1 Hnear) Hsmall) (top q D) j); apply
        Hpts; assumption.
  - apply Rlt_le_trans with (2 := Hregret). apply Rlt_le_trans with (INR B / 4).
    + replace (/ near) with (Rpower (INR B) (1 / (2 + INR D))) by (unfold near, radius; rewrite Rpower_Ropp,
        Rinv_inv; reflexivity).
      apply HB0; [|split; [apply INR_ge1; unfold m in Hlen; lia|apply le_INR; unfold B; lia]].
      assert (INR big <= INR B) by (apply le_INR; unfold B, m; lia). lra.
    + assert (H4 : INR B <= INR (4 * m)) by (apply le_INR; unfold B, m; lia). rewrite mult_INR in H4.
      simpl (INR 4) in H4. lra.
Qed.

Theorem theorem_1_iff_whole : forall d, 0 <= d ->
  ((exists D, (1 <= D)%nat /\ d = INR D) <-> forall n, ~ fails_at d (INR n)).
Proof.
  intros d Hd. split.
  - intros (D & HD & ->) n (X & dist & C & L & f & stream & _ & Hset & Hlen & Hlt).
    pose proof (corrected_theorem_1 X dist C (INR D) L f stream Hset) as Q. cbv zeta in Q.
    rewrite (whole_INR D HD), Hlen in Q. unfold stated in Hlt. rewrite Rpower_pow in Hlt by lra. lra.
  - intros H. destruct (Req_dec d (INR (whole d))) as [E|E]; [exists (whole d); split; [apply whole_ge_1|exact
      E]|]. exfalso.
    destruct (theorem_1_fails_unless_whole d Hd) with (n0 := O) as (n & _ & Hn); [|exact (H n Hn)].
    intros D HD ED. apply E. rewrite ED, (whole_INR D HD). reflexivity.
Qed.
