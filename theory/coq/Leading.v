(** The leading term: 3/4 sqrt C 2^(D/2) + (2+D)/(1+D) L, the best possible (Tight.v), and the lower order
    terms written out. Only the last phase can have dimension D; the others are of a lower order in T. *)
From Coq Require Import Reals Lra Psatz Lia List.
From Abacoc Require Import Algorithm Setting Powers Sums Radii History Account Refined Phases Constants
  Invariant UpperBound.
Import ListNotations.
Local Open Scope R_scope.

(** The balls of one phase: 3/4 sqrt(k (n + k)) where k <= C (2/eps)^e. *)
Lemma phase_balls_sharp : forall X C (s : state X), 1 <= C -> full s -> (1 <= steps s)%nat ->
  let n := INR (steps s) in let e := INR (dim s) in
  INR (length (balls s)) <= capacity C (radius (steps s) (dim s)) (dim s) ->
  owed (balls s) <= 3/4 * sqrt C * (Rpower 2 (e / 2) * Rpower n (alpha (dim s)))
    + 3/8 * (C * sqrt C) * Rpower 2 (3 * e / 2) * Rpower n ((e - 1) / (e + 2)).
Proof.
  intros X C s HC [F1 F2] Hs n e Hc. pose proof (INR_ge1 _ Hs) as Hn. fold n in Hn.
  assert (He : 0 <= e) by apply pos_INR. pose proof (pos_INR (length (balls s))) as HS0.
  set (k := INR (length (balls s))) in *. set (A := capacity C (radius (steps s) (dim s)) (dim s)) in *.
  destruct (balls_together X (balls s) F1) as [_ Q]. rewrite F2 in Q. fold k n in Q.
  set (q := sqrt n). assert (Hq2 : q * q = n) by (apply sqrt_sqrt; lra).
  assert (Hq : 1 <= q) by (apply sqrt_ge_1; lra).
  (* sqrt(n + A) <= sqrt n + A / (2 sqrt n) *)
  assert (H2 : sqrt (n + A) <= q + A / (2 * q)).
  { assert (Ht : 0 <= A / (2 * q)) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
    rewrite <- (sqrt_square (q + A / (2 * q))) by lra.
    assert (E : (q + A / (2 * q)) * (q + A / (2 * q)) = n + A + (A / (2 * q)) * (A / (2 * q))) by (rewrite <-
      Hq2; field; lra).
    apply sqrt_le_1; nra. }
  apply Rle_trans with (3/4 * (sqrt A * (q + A / (2 * q)))).
  { apply Rle_trans with (1 := Q). apply Rmult_le_compat_l; [lra|].
    apply Rle_trans with (sqrt (A * (n + A))); [apply sqrt_le_1; nra|].
    rewrite sqrt_mult by lra. apply Rmult_le_compat_l; [apply sqrt_pos|exact H2]. }
  right. replace (3/4 * (sqrt A * (q + A / (2 * q)))) with (3/4 * (sqrt A * q) + 3/8 * (sqrt A * A * / q)) by
    (field; lra).
  unfold A. rewrite capacity_root, capacity_radius by lra. fold n e.
  assert (Eq1 : q = Rpower n (/2)) by (unfold q; rewrite Rpower_sqrt by lra; reflexivity).
  assert (Eqi : / q = Rpower n (- / 2)) by (rewrite Eq1, Rpower_Ropp; reflexivity).
  f_equal.
  - rewrite Eq1, !Rmult_assoc, <- Rpower_plus. do 4 f_equal. unfold alpha. fold e. field. lra.
  - rewrite Eqi.
    replace (Rpower 2 (3 * e / 2)) with (Rpower 2 (e / 2) * Rpower 2 e) by (rewrite <- Rpower_plus; f_equal; field).
    replace (Rpower n ((e - 1) / (e + 2))) with
      (Rpower n (e / (2 + e) / 2) * Rpower n (e / (2 + e)) * Rpower n (- / 2))
      by (rewrite <- !Rpower_plus; f_equal; field; lra).
    ring.
Qed.

(** A phase of at most T steps and dimension of at most e costs at most this. *)
Lemma early_phase : forall C L p e T, 0 <= L -> (1 <= fst p <= e)%nat -> (1 <= snd p)%nat -> INR (snd p) <= T ->
  phase_bound C L p <= (sqrt C * Rpower 2 (INR e / 2) + 3/2 * L) * Rpower T (alpha e).
Proof.
  intros C L [u n] e T HL Hu Hn HT. cbn [fst snd] in *. unfold phase_bound. cbn [fst snd].
  pose proof (INR_ge1 n Hn) as Hn1. pose proof (alpha_range e) as Ha. pose proof (INR_ge1 u ltac:(lia)) as Hu1.
  assert (Hpow : Rpower (INR n) (alpha u) <= Rpower T (alpha e)).
  { apply Rle_trans with (Rpower (INR n) (alpha e)).
    - apply Rle_Rpower; [exact Hn1|]. apply alpha_mono. lia.
    - apply Rle_Rpower_l; lra. }
  assert (H2 : Rpower 2 (INR u / 2) <= Rpower 2 (INR e / 2)).
  { apply Rle_Rpower; [lra|]. assert (INR u <= INR e) by (apply le_INR; lia). lra. }
  assert (Hf : 0 <= (2 + INR u) / (1 + INR u) <= 3/2).
  { split; [left; apply Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with (1 + INR u); [lra|].
    unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (HR : radii n u <= 3/2 * Rpower T (alpha e)).
  { apply Rle_trans with (1 := radius_sum n u). apply Rmult_le_compat; try lra. left. apply Rpower_pos. }
  apply (Rmult_le_compat_l L) in HR; [|exact HL].
  assert (HB : Rpower 2 (INR u / 2) * Rpower (INR n) (alpha u) <= Rpower 2 (INR e / 2) * Rpower T (alpha e)).
  { apply Rmult_le_compat; try assumption; left; apply Rpower_pos. }
  apply (Rmult_le_compat_l (sqrt C)) in HB; [|apply sqrt_pos]. lra.
Qed.

Theorem leading_theorem : forall X (dist : X -> X -> R) C d L f stream, setting dist C d L f stream ->
  let D := whole d in
  let T := INR (length stream) in
  regret dist C f stream
  <= (3/4 * sqrt C * Rpower 2 (INR D / 2) + (2 + INR D) / (1 + INR D) * L) * Rpower T ((1 + INR D) / (2 + INR D))
     + (INR D - 1) * ((sqrt C * Rpower 2 ((INR D - 1) / 2) + 3/2 * L) * Rpower T (INR D / (INR D + 1)))
     + 3/8 * (C * sqrt C) * Rpower 2 (3 * INR D / 2) * Rpower T ((INR D - 1) / (INR D + 2)).
Proof.
  intros X dist C d L f stream H D T. pose proof (slope H) as HL. pose proof (sqrt_pos C) as HC0.
  pose proof (whole_ge_1 d) as HD. fold D in HD. pose proof (INR_ge1 D HD) as HD1.
  set (K := (sqrt C * Rpower 2 ((INR D - 1) / 2) + 3/2 * L) * Rpower T (INR D / (INR D + 1))).
  set (B1 := (3/4 * sqrt C * Rpower 2 (INR D / 2) + (2 + INR D) / (1 + INR D) * L) * Rpower T ((1 + INR D) / (2
    + INR D))).
  set (B2 := 3/8 * (C * sqrt C) * Rpower 2 (3 * INR D / 2) * Rpower T ((INR D - 1) / (INR D + 2))).
  assert (Hk : 0 < (2 + INR D) / (1 + INR D)) by (apply Rdiv_lt_0_compat; lra).
  assert (HK : 0 <= K).
  { pose proof (Rpower_pos 2 ((INR D - 1) / 2)). apply Rmult_le_pos; [nra|left; apply Rpower_pos]. }
  assert (HB1 : 0 <= B1).
  { pose proof (Rpower_pos 2 (INR D / 2)). apply Rmult_le_pos; [|left; apply Rpower_pos]. nra. }
  assert (HB2 : 0 <= B2).
  { assert (0 <= C * sqrt C) by (destruct (Rle_lt_dec 0 C); [nra|rewrite sqrt_neg_0; lra]).
    pose proof (Rpower_pos 2 (3 * INR D / 2)). apply Rmult_le_pos; [nra|left; apply Rpower_pos]. }
  destruct stream as [|p r]; [unfold regret; simpl; nra|]. set (stream := p :: r) in *.
  pose proof (constant_ge_1 _ _ _ _ _ _ _ _ H) as HC.
  destruct (lemma_1 _ _ _ _ _ _ _ H ltac:(discriminate)) as (R0 & Hc & ET). fold D in R0. fold T in ET.
  eapply Rle_trans; [apply (regret_phases _ _ _ _ _ _ HL (unit_values H) (lipschitz H))|].
  pose proof (phases_last _ phase (fun e => owed (balls e) + L * radii (steps e) (dim e)) D K (B1 + B2)
    (ends dist C start stream) 0 HK ltac:(lra) ltac:(lia) R0) as Q.
  assert (Hin : forall e, In e (ends dist C start stream) -> full e /\ (1 <= dim e <= D)%nat /\ (1 <= steps
    e)%nat /\ INR (steps e) <= T).
  { intros e He. pose proof (rising_in _ _ _ _ R0 (in_map phase _ _ He)) as [A1 A2]. cbn [phase fst snd] in *.
    split; [exact (ends_full _ _ _ _ He)|]. split; [lia|]. split; [exact A2|]. rewrite <- ET. unfold total.
    apply (sum_in (fun p => INR (snd p)) _ (phase e)); [intros; apply pos_INR|apply in_map, He]. }
  apply Rle_trans with ((INR D - 1 - INR 0) * K + (B1 + B2)); [apply Q|simpl (INR 0); lra].
  - (* dimension below D *)
    intros e He Hlt. destruct (Hin e He) as (F & Hd & Hs & HT). cbn [phase fst] in Hlt.
    pose proof (phase_balls X C e HC F Hs (Hc e He)).
    pose proof (early_phase C L (dim e, steps e) (D - 1) T HL ltac:(cbn [fst]; lia) Hs HT) as A.
    assert (Hm : INR (D - 1) = INR D - 1) by (rewrite minus_INR by lia; reflexivity).
    replace (alpha (D - 1)) with (INR D / (INR D + 1)) in A by (unfold alpha; rewrite Hm; field; lra).
    rewrite Hm in A. fold K in A. unfold phase_bound in A. cbn [fst snd] in A. lra.
  - (* dimension D *)
    intros e He Hd. destruct (Hin e He) as (F & _ & Hs & HT). cbn [phase fst] in Hd.
    pose proof (phase_balls_sharp X C e HC F Hs (Hc e He)) as A. rewrite Hd in *. pose proof (INR_ge1 _ Hs).
    assert (M1 : Rpower (INR (steps e)) (alpha D) <= Rpower T (alpha D)) by (pose proof (alpha_range D); apply
      Rle_Rpower_l; lra).
    assert (M2 : Rpower (INR (steps e)) ((INR D - 1) / (INR D + 2)) <= Rpower T ((INR D - 1) / (INR D + 2))).
    { apply Rle_Rpower_l; [|lra]. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra. }
    pose proof (radius_sum (steps e) D) as HR. pose proof (Rpower_pos 2 (INR D / 2)).
    pose proof (Rpower_pos 2 (3 * INR D / 2)).
    assert (HR2 : L * radii (steps e) D <= L * ((2 + INR D) / (1 + INR D) * Rpower T (alpha D))).
    { apply Rmult_le_compat_l; [exact HL|]. apply Rle_trans with (1 := HR). apply Rmult_le_compat_l; lra. }
    apply (Rmult_le_compat_l (3/4 * sqrt C * Rpower 2 (INR D / 2))) in M1; [|repeat apply Rmult_le_pos; lra].
    apply (Rmult_le_compat_l (3/8 * (C * sqrt C) * Rpower 2 (3 * INR D / 2))) in M2; [|repeat apply Rmult_le_pos; lra].
    unfold B1, B2. fold (alpha D). lra.
Qed.
