(** The count: from the regret of the shared wedge to its leading constant.

    Proves: with about V^2 / ((1-e) A^2) examples at each of about (1-e) A^2 V^D leaves (A = sqrt C 2^(D/2))
    the stream has about V^(2+D) examples and a regret of about (3/4 A + (2+D)/(1+D) L) V^(1+D); every error
    is written out: e, 1/V, and h, the radius after n steps. So explicit lengths can be read off
    (Threshold.v, Million.v).
    Idea: with B = V^(1+D) each term is a multiple of B, of B/V or of h B.
    Uses: the sums of radii from above (Radii) and below (RadiiBelow). *)
From Coq Require Import Reals Lra Psatz Lia.
From Abacoc Require Import Algorithm Powers Radii RadiiBelow.
Local Open Scope R_scope.

Lemma alpha_power : forall D V, 0 < V -> Rpower (V ^ (2 + D)) (alpha D) = V * V ^ D.
Proof.
  intros D V HV. pose proof (pos_INR D). rewrite <- Rpower_pow by lra. rewrite Rpower_mult.
  replace (INR (2 + D) * alpha D) with (INR (1 + D)).
  - rewrite Rpower_pow by lra. simpl. reflexivity.
  - rewrite !plus_INR. unfold alpha. simpl (INR 2). simpl (INR 1). field. lra.
Qed.

(** t x^a <= (t x)^a for t <= 1, and (t x)^a <= t x^a for t >= 1. *)
Lemma Rpower_scale_down : forall t x a, 0 < t <= 1 -> 0 < x -> 0 <= a <= 1 -> t * Rpower x a <= Rpower (t * x) a.
Proof.
  intros t x a Ht Hx Ha. rewrite <- Rpower_mult_distr by lra. apply Rmult_le_compat_r; [left; apply Rpower_pos|].
  rewrite <- (Rinv_inv t). assert (Hi : 1 <= / t) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  rewrite Rpower_Rinv, Rpower_Ropp by lra. apply Rinv_le_contravar; [apply Rpower_pos|].
  rewrite <- (Rpower_1 (/ t)) at 2 by lra. apply Rle_Rpower; lra.
Qed.
Lemma Rpower_scale_up : forall t x a, 1 <= t -> 0 < x -> 0 <= a <= 1 -> Rpower (t * x) a <= t * Rpower x a.
Proof.
  intros t x a Ht Hx Ha. rewrite <- Rpower_mult_distr by lra. apply Rmult_le_compat_r; [left; apply Rpower_pos|].
  rewrite <- (Rpower_1 t) at 2 by lra. apply Rle_Rpower; lra.
Qed.

Section COUNT.
Variables (D n k : nat) (A V e : R).
Hypothesis D_ge_1 : (1 <= D)%nat.
Hypothesis n_ge_1 : (1 <= n)%nat.
Hypothesis balls_constant_range : 1 <= A.
Hypothesis A2_range : 2 <= A * A.
Hypothesis e_range : 0 <= e <= 1/2.
Hypothesis V_ge_4 : 4 <= V.
Let q := (1 - e) * (A * A).
Hypothesis n_low : V * V <= q * INR n.
Hypothesis n_high : q * INR n <= V * V + q.
Hypothesis k_low : q * V ^ D - 1 <= INR (S k).
Hypothesis k_high : INR (S k) <= q * V ^ D.
Let N := INR n.
Let K := INR (S k).
Let W := V ^ D.
Let B := V * W.

Lemma q_range : 1 <= q <= A * A.
Proof. unfold q. split; [|nra]. apply Rle_trans with (1/2 * (A * A)); [lra|]. apply Rmult_le_compat_r; lra. Qed.
Lemma W_ge_V : V <= W.
Proof. apply pow_ge_self; [lra|exact D_ge_1]. Qed.
Lemma B_facts : V * V <= B /\ V <= B /\ 0 < B.
Proof. pose proof W_ge_V. unfold B. assert (V * V <= V * W) by (apply Rmult_le_compat_l; lra). nra. Qed.
Lemma N_ge_1 : 1 <= N.
Proof. apply INR_ge1, n_ge_1. Qed.
Lemma N_high : N <= 2 * (V * V).
Proof.
  pose proof q_range as [Q _]. pose proof N_ge_1 as HN. fold N in n_high. assert (q * (N - 1) <= V * V) by lra.
  assert (1 * (N - 1) <= q * (N - 1)) by (apply Rmult_le_compat_r; lra). clear - H H0 V_ge_4. nra.
Qed.

(** The length fits. *)
Lemma count_length : forall p delta, 0 <= p -> 0 <= delta -> p + A * A <= delta * V ->
  p + K * N <= (1 + delta) * V ^ (2 + D).
Proof.
  intros p delta Hp Hd H. pose proof q_range as Hq. pose proof W_ge_V as HW. pose proof N_ge_1.
  pose proof B_facts as (B1 & B2 & B3).
  assert (E : V ^ (2 + D) = V * V * W) by (unfold W; rewrite pow_add; ring). rewrite E.
  assert (H1 : K * N <= (V * V + q) * W).
  { apply Rle_trans with (q * W * N); [apply Rmult_le_compat_r; [lra|exact k_high]|].
    replace (q * W * N) with (q * N * W) by ring. apply Rmult_le_compat_r; [lra|exact n_high]. }
  assert (H2 : q * W <= A * A * W) by (apply Rmult_le_compat_r; lra).
  assert (H3 : p * 1 <= p * W) by (apply Rmult_le_compat_l; lra).
  assert (H4 : (p + A * A) * W <= delta * V * W) by (apply Rmult_le_compat_r; lra).
  assert (H5 : delta * (V * W) <= delta * (V * V * W))
    by (apply Rmult_le_compat_l; [exact Hd|]; fold B; replace (V * V * W) with (V * B)
      by (unfold B; ring); clear - B3 V_ge_4; nra).
  lra.
Qed.

Variables (L p T c delta Rg : R).
Let h := radius n D.
Let b := (2 + INR D) / (1 + INR D).
Hypothesis L_ge_0 : 0 <= L.
Hypothesis Lh_half : L * h <= 1/2.
Hypothesis p_ge_0 : 0 <= p.
Hypothesis c_ge_0 : 0 <= c.
Hypothesis delta_ge_0 : 0 <= delta.
Hypothesis T_range : 0 < T <= (1 + delta) * V ^ (2 + D).
Hypothesis regret_low : INR k * (3/4 * sqrt N - 8/5 - L * h * (sqrt N + 2)) + L * (radii (S k * n) D - radii n D)
  - N * (L * h) - p <= Rg.
(** The errors: the room e, one over V, and the radius h. *)
Hypothesis errors :
  c * (1 + delta) + 3/4 * A * e + (3/2 + 31/10 * (A * A) + 3 * b * L + p) / V + L * h * (A + 2 * b + 2)
  <= 3/4 * A + b * L.

Lemma length_power : Rpower T (alpha D) <= (1 + delta) * B.
Proof.
  pose proof (alpha_range D) as Hal. assert (HV : 0 < V ^ (2 + D)) by (apply pow_lt; lra).
  apply Rle_trans with (Rpower ((1 + delta) * V ^ (2 + D)) (alpha D)); [apply Rle_Rpower_l; lra|].
  unfold B, W. rewrite <- alpha_power by lra. apply Rpower_scale_up; lra.
Qed.

(** The balls: 3/4 sqrt n each. *)
Lemma balls_gain : 3/4 * (1 - e) * A * B - 3/2 * V <= INR k * (3/4 * sqrt N).
Proof.
  pose proof q_range as Hq. pose proof N_ge_1. set (s := sqrt N). assert (Hs2 : s * s = N) by (apply sqrt_sqrt; lra).
  assert (Hs0 : 0 <= s) by apply sqrt_pos.
  assert (HsA : V <= A * s).
  { assert (X : V * V <= A * s * (A * s)); [|assert (X0 : 0 <= A * s)
      by (apply Rmult_le_pos; lra); clear - X X0 V_ge_4; nra].
    replace (A * s * (A * s)) with (A * A * (s * s)) by ring. rewrite Hs2.
    apply Rle_trans with (1 := n_low). apply Rmult_le_compat_r; lra. }
  assert (HI : 0 < / A <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
  assert (HsI : V * / A <= s).
  { apply (Rmult_le_compat_r (/ A)) in HsA; [|lra]. replace (A * s * / A) with s in HsA by (field; lra). exact HsA. }
  assert (H0 : 0 <= V * / A <= V) by (split; [apply Rmult_le_pos; lra|nra]).
  assert (Hk : q * W - 2 <= INR k) by (rewrite S_INR in k_low; fold W in k_low; lra).
  apply Rle_trans with ((q * W - 2) * (3/4 * (V * / A))).
  - assert (EE : (q * W - 2) * (3/4 * (V * / A)) = 3/4 * (1 - e) * A * B - 3/2 * (V * / A))
      by (unfold q, B; field; lra).
    rewrite EE. lra.
  - pose proof (pos_INR k).
    apply Rle_trans with (INR k * (3/4 * (V * / A))); [apply Rmult_le_compat_r; lra|apply Rmult_le_compat_l; lra].
Qed.

(** What the balls lose to the lower orders. *)
Lemma balls_loss : INR k * (8/5 + L * h * (sqrt N + 2)) <= 31/10 * (A * A) * W + L * h * A * B.
Proof.
  pose proof q_range as Hq. pose proof N_ge_1. set (s := sqrt N). assert (Hs2 : s * s = N) by (apply sqrt_sqrt; lra).
  assert (Hs0 : 0 <= s) by apply sqrt_pos.
  pose proof W_ge_V as HW. assert (Hk : INR k <= q * W) by (rewrite S_INR in k_high; fold W in k_high; lra).
  pose proof (pos_INR k) as Hk0.
  assert (Hqs : q * s <= A * V + A * A).
  { assert (X : q * s * (q * s) <= (A * V + A * A) * (A * V + A * A)).
    { replace (q * s * (q * s)) with (q * (q * (s * s))) by ring. rewrite Hs2. fold N in n_high.
      apply Rle_trans with (q * (V * V + q)); [apply Rmult_le_compat_l; lra|].
      assert (q * (V * V) <= A * A * (V * V)) by (apply Rmult_le_compat_r; [nra|lra]).
      assert (q * q <= A * A * (A * A)) by (apply Rmult_le_compat; lra).
      assert (0 <= A * V * (A * A)) by (apply Rmult_le_pos; nra). lra. }
    assert (0 <= A * V + A * A) by nra. assert (0 <= q * s) by (apply Rmult_le_pos; lra). clear - X H0 H1. nra. }
  assert (Hks : INR k * s <= A * B + A * A * W).
  { apply Rle_trans with (q * W * s); [apply Rmult_le_compat_r; lra|].
    replace (q * W * s) with (q * s * W) by ring.
    apply Rle_trans with ((A * V + A * A) * W); [apply Rmult_le_compat_r; lra|].
    unfold B. right. ring. }
  assert (HkA : INR k <= A * A * W) by (apply Rle_trans with (1 := Hk), Rmult_le_compat_r; lra).
  assert (Hh : 0 <= L * h) by (apply Rmult_le_pos; [lra|left; apply radius_pos]).
  assert (X1 : L * h * (INR k * s) <= L * h * (A * B + A * A * W)) by (apply Rmult_le_compat_l; lra).
  assert (X2 : L * h * INR k <= L * h * (A * A * W)) by (apply Rmult_le_compat_l; lra).
  assert (X3 : L * h * (A * A * W) <= 1/2 * (A * A * W)) by (apply Rmult_le_compat_r; lra).
  lra.
Qed.

(** The radii. *)
Lemma radii_low : b * (B - 3 * V) <= radii (S k * n) D.
Proof.
  pose proof q_range as Hq. pose proof W_ge_V as HW. pose proof B_facts as (B1 & B2 & B3). pose proof N_ge_1.
  pose proof N_high as HN.
  pose proof (alpha_range D) as Hal. pose proof (pos_INR D). assert (Hb : 0 < b) by (apply Rdiv_lt_0_compat; lra).
  eapply Rle_trans; [|apply radius_sum_lower]. fold b. apply Rmult_le_compat_l; [lra|].
  assert (E : V ^ (2 + D) = V * V * W) by (unfold W; rewrite pow_add; ring).
  set (t := 1 - 2 * / W). assert (HiW : 0 < / W <= 1/4).
  { split; [apply Rinv_0_lt_compat; lra|]. replace (1/4) with (/ 4) by field. apply Rinv_le_contravar; lra. }
  assert (EW : / W * W = 1) by (field; lra).
  assert (HKN : t * V ^ (2 + D) <= INR (S (S k * n))).
  { rewrite S_INR, mult_INR. fold N K. rewrite E.
    replace (t * (V * V * W)) with (V * V * W - 2 * (V * V) * (/ W * W)) by (unfold t; ring). rewrite EW.
    assert (X : (q * W - 1) * N <= K * N) by (apply Rmult_le_compat_r; [lra|exact k_low]).
    assert (Y : V * V * W <= q * N * W) by (apply Rmult_le_compat_r; [lra|exact n_low]). lra. }
  assert (HV : 0 < V ^ (2 + D)) by (apply pow_lt; lra).
  pose proof (Rpower_scale_down t (V ^ (2 + D)) (alpha D) ltac:(unfold t; lra) HV ltac:(lra)) as S1.
  rewrite alpha_power in S1 by lra. fold W B in S1.
  assert (S2 : Rpower (t * V ^ (2 + D)) (alpha D) <= Rpower (INR (S (S k * n))) (alpha D)).
  { apply Rle_Rpower_l; [lra|]. split; [|exact HKN]. apply Rmult_lt_0_compat; [unfold t; lra|exact HV]. }
  assert (S3 : t * B = B - 2 * V * (/ W * W)) by (unfold t, B; ring). rewrite EW in S3. lra.
Qed.
Lemma radii_before : radii n D <= 2 * b * h * B.
Proof.
  pose proof B_facts as (B1 & B2 & B3). pose proof N_ge_1 as HN1. pose proof N_high as HN. pose proof (pos_INR D).
  assert (Hb : 0 < b) by (apply Rdiv_lt_0_compat; lra).
  assert (Hh : 0 < h) by apply radius_pos. apply Rle_trans with (1 := radius_sum n D). fold b N.
  assert (EN : Rpower N (alpha D) = N * h).
  { unfold h, radius. fold N. rewrite <- (Rpower_1 N) at 2 by lra. rewrite <- Rpower_plus. f_equal. unfold alpha.
    field. lra. }
  rewrite EN. assert (N * h <= 2 * B * h) by (apply Rmult_le_compat_r; lra).
  apply Rle_trans with (b * (2 * B * h)); [apply Rmult_le_compat_l; lra|lra].
Qed.

Theorem leading_count : c * Rpower T (alpha D) <= Rg.
Proof.
  pose proof length_power as HP. pose proof balls_gain as G1. pose proof balls_loss as G2. pose proof radii_low as G3.
  pose proof radii_before as G4.
  pose proof W_ge_V as HW. pose proof B_facts as (B1 & B2 & B3). pose proof N_high as HN. pose proof (pos_INR D).
  assert (Hb : 0 < b) by (apply Rdiv_lt_0_compat; lra). assert (Hh : 0 < h) by apply radius_pos.
  assert (HLh : 0 <= L * h) by (apply Rmult_le_pos; lra).
  assert (G5 : N * (L * h) <= 2 * B * (L * h)) by (apply Rmult_le_compat_r; lra).
  assert (G6 : L * (b * (B - 3 * V) - 2 * b * h * B) <= L * (radii (S k * n) D - radii n D))
    by (apply Rmult_le_compat_l; lra).
  apply (Rmult_le_compat_l c) in HP; [|exact c_ge_0]. apply Rle_trans with (1 := HP).
  apply Rle_trans with (2 := regret_low).
  set (E := 3/2 + 31/10 * (A * A) + 3 * b * L + p) in *.
  assert (EV : E / V * B = E * W) by (unfold B; field; lra).
  apply (Rmult_le_compat_r B) in errors; [|lra]. rewrite !Rmult_plus_distr_r, EV in errors.
  assert (HE : 3/2 * V + 31/10 * (A * A) * W + 3 * b * L * V + p <= E * W).
  { unfold E. assert (0 <= 3 * b * L) by (apply Rmult_le_pos; lra).
    assert (3 * b * L * V <= 3 * b * L * W) by (apply Rmult_le_compat_l; lra).
    assert (p * 1 <= p * W) by (apply Rmult_le_compat_l; lra). lra. }
  lra.
Qed.
End COUNT.

(** * The numbers of a stage *)

Definition above (x : R) : nat := Z.to_nat (up x).
Lemma above_spec : forall x, 0 <= x -> x <= INR (above x) <= x + 1.
Proof.
  intros x Hx. destruct (archimed x) as [U1 U2]. unfold above.
  rewrite INR_IZR_INZ, Z2Nat.id by (apply le_IZR; lra). lra.
Qed.

(** n examples at each of k leaves: from V, the free part e of the covers, and 1/x, a bound on the radius h
    after n steps. *)
Lemma stage_numbers : forall D A V e x L s, (1 <= D)%nat -> 1 <= A -> 2 <= A * A -> 0 < e <= 1/2 -> 4 <= V -> 0 <= L ->
  0 <= s -> A * A * x ^ (2 + D) <= V * V -> 2 * (1 + L) <= x -> 2 * s + 8 <= e * (A * A) * x ->
  let q := (1 - e) * (A * A) in let n := above (V * V / q) in let k := above (q * V ^ D - 2) in let h := radius n D in
  (1 <= n)%nat /\ V * V <= q * INR n /\ q * INR n <= V * V + q /\ q * V ^ D - 1 <= INR (S k) /\
    INR (S k) <= q * V ^ D /\
  h * (2 * (1 + L)) <= 1 /\ h <= 1/2 /\ 0 <= L * h <= 1/2 /\ L * h <= L / x /\ h * (2 * s + 8) <= e * (A * A).
Proof.
  intros D A V e x L s HD HA1 HA2 He HV HL Hs HxV Hx HM q n k h.
  assert (Hq : 1 <= q < A * A) by (unfold q; clear - He HA2; nra).
  assert (HW : V <= V ^ D) by (apply pow_ge_self; [lra|exact HD]).
  assert (HVV : 0 < V * V) by (clear - HV; nra).
  destruct (above_spec (V * V / q)) as [Hn1 Hn2]; [left; apply Rdiv_lt_0_compat; lra|].
  destruct (above_spec (q * V ^ D - 2)) as [Hk1 Hk2]; [clear - Hq HW HV; nra|]. fold n in Hn1, Hn2. fold k in Hk1, Hk2.
  assert (EV : q * (V * V / q) = V * V) by (field; lra).
  assert (HnV : V * V <= q * INR n) by (rewrite <- EV; apply Rmult_le_compat_l; lra).
  assert (Hh0 : 0 < h) by apply radius_pos. assert (HxP : 0 < x ^ (2 + D)) by (apply pow_lt; lra).
  assert (Hh : h < / x).
  { apply radius_below; [lra|]. apply Rmult_lt_reg_l with q; [lra|]. apply Rlt_le_trans with (2 := HnV).
    apply Rlt_le_trans with (2 := HxV). apply Rmult_lt_compat_r; lra. }
  assert (Ex : / x * x = 1) by (field; lra). assert (Hhx : h * x <= 1) by (rewrite <- Ex; apply Rmult_le_compat_r; lra).
  assert (Hh2 : h * (2 * (1 + L)) <= 1) by (apply Rle_trans with (2 := Hhx), Rmult_le_compat_l; lra).
  assert (HLh : 0 <= L * h) by (apply Rmult_le_pos; lra).
  assert (HeA : 0 < e * (A * A)) by (apply Rmult_lt_0_compat; lra).
  assert (HMh : h * (2 * s + 8) <= e * (A * A)).
  { apply Rle_trans with (h * (e * (A * A) * x)); [apply Rmult_le_compat_l; lra|].
    replace (h * (e * (A * A) * x)) with (e * (A * A) * (h * x)) by ring.
    apply Rle_trans with (e * (A * A) * 1); [apply Rmult_le_compat_l; lra|lra]. }
  split; [destruct n; [simpl in HnV; lra|lia]|]. split; [exact HnV|]. split.
  { rewrite <- EV. replace (q * (V * V / q) + q) with (q * (V * V / q + 1)) by ring. apply Rmult_le_compat_l; lra. }
  rewrite S_INR. repeat split; try lra. apply Rmult_le_compat_l; lra.
Qed.
