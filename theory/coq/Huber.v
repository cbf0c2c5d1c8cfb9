(** The prediction of Algorithm 2 as the derivative of a Huber function, and the four properties of this
    potential from which the bound of one ball follows (OneBall.v). With D = ones - zeros and
    s = sqrt(n + 2), lines 5 to 7 are p = 1/2 + phi'_s(D) / (4 s). *)
From Coq Require Import Reals Lra Psatz Lia Bool.
From Abacoc Require Import Algorithm Powers.
Local Open Scope R_scope.

Definition sgn (y : bool) : R := if y then 1 else -1.

Definition phi (s D : R) : R :=
  if Rlt_dec s D then 2 * s * D - s * s
  else if Rlt_dec D (- s) then - 2 * s * D - s * s
  else D * D.
Definition dphi (s D : R) : R :=
  if Rlt_dec s D then 2 * s else if Rlt_dec D (- s) then - 2 * s else 2 * D.

Ltac cases_lt :=
  repeat match goal with |- context [Rlt_dec ?a ?b] =>
    let H := fresh "c" in destruct (Rlt_dec a b) as [H|H]; [|apply Rnot_lt_le in H] end.

(** Alg. 2, lines 5 to 7, without the cases. *)
Lemma prob_clip : forall a b,
  let s := sqrt (INR (a + b) + 2) in
  prob a b = 1/2 + dphi s (INR a - INR b) / (4 * s).
Proof.
  intros a b s. unfold prob, dphi.
  assert (Hn : 0 <= INR (a + b)) by apply pos_INR.
  assert (Hs2 : s * s = INR (a + b) + 2) by (apply sqrt_sqrt; lra).
  assert (Hs1 : 1 <= s) by (apply sqrt_ge_1; lra).
  fold s. rewrite <- Hs2.
  set (D := INR a - INR b).
  assert (Hq : (INR a + 1) / (s * s) = 1/2 + / s * D * / s / 2).
  { unfold D. rewrite plus_INR in Hs2.
    apply Rmult_eq_reg_r with (2 * (s * s)); [|nra]. field_simplify; [|lra|lra].
    replace (s ^ 2) with (s * s) by ring. rewrite Hs2. ring. }
  rewrite Hq.
  assert (Hi : 0 < / s) by (apply Rinv_0_lt_compat; lra).
  assert (E2 : 1 / (2 * s) = / s / 2) by (field; lra). rewrite E2.
  assert (Hii : / s * s = 1) by (field; lra).
  destruct (Rlt_dec _ _) as [H1|H1]; [|destruct (Rlt_dec _ _) as [H2|H2]].
  - assert (/ s * D < -1) by nra. assert (D < - s) by nra.
    destruct (Rlt_dec s D); [lra|]. destruct (Rlt_dec D (-s)); [|lra]. field; lra.
  - assert (1 < / s * D) by nra. assert (s < D) by nra.
    destruct (Rlt_dec s D); [|lra]. field; lra.
  - assert (/ s * D <= 1) by nra. assert (-1 <= / s * D) by nra.
    assert (D <= s) by nra. assert (- s <= D) by nra.
    destruct (Rlt_dec s D); [lra|]. destruct (Rlt_dec D (-s)); [lra|]. field; lra.
Qed.

Lemma prob_range : forall a b, 0 <= prob a b <= 1.
Proof.
  intros a b. pose proof (prob_clip a b) as H. cbv zeta in H. rewrite H. clear H.
  set (s := sqrt (INR (a + b) + 2)).
  assert (Hs1 : 1 <= s) by (apply sqrt_ge_1; pose proof (pos_INR (a + b)); lra).
  assert (B : - 2 * s <= dphi s (INR a - INR b) <= 2 * s) by (unfold dphi; cases_lt; lra).
  set (e := dphi s (INR a - INR b)) in *.
  assert (E : e / (4 * s) * (4 * s) = e) by (field; lra). split; nra.
Qed.

(** (i) loss - 1/2 = - sigma phi' / (4 s) *)
Lemma loss_potential : forall a b y,
  let s := sqrt (INR (a + b) + 2) in
  loss y (prob a b) = 1/2 - sgn y * dphi s (INR a - INR b) / (4 * s).
Proof.
  intros a b y s. pose proof (prob_range a b) as R. unfold loss.
  replace (Rabs (label y - prob a b)) with (if y then 1 - prob a b else prob a b).
  - rewrite (prob_clip a b). fold s. cbv zeta.
    assert (0 < s) by (apply sqrt_lt_R0; pose proof (pos_INR (a + b)); lra).
    destruct y; simpl; field; lra.
  - destruct y; simpl; [rewrite Rabs_pos_eq | rewrite Rabs_minus_sym, Rabs_pos_eq]; lra.
Qed.

(** (ii) one more label *)
Lemma phi_step : forall s D y, 1 <= s ->
  phi s (D + sgn y) <= phi s D + sgn y * dphi s D + 1.
Proof. intros s D y Hs. unfold phi, dphi, sgn. destruct y; cases_lt; try lra; nra. Qed.

(** (iii) phi_s(D) / s falls in s *)
Lemma phi_scale : forall s s' D, 0 < s -> s <= s' -> phi s' D / s' <= phi s D / s.
Proof.
  intros s s' D Hs Hss.
  assert (H : s * phi s' D <= s' * phi s D).
  { assert (P : 0 <= s * s' * (s' - s)) by (apply Rmult_le_pos; nra).
    unfold phi. cases_lt; try lra; try nra.
    - assert (0 <= s * D * (D - s)) by (apply Rmult_le_pos; nra).
      assert (0 <= (s' - D) * (s * (2 * D - s))) by (repeat apply Rmult_le_pos; nra). nra.
    - assert (0 <= s * (- D) * (- D - s)) by (apply Rmult_le_pos; nra).
      assert (0 <= (s' + D) * (s * (- 2 * D - s))) by (repeat apply Rmult_le_pos; nra). nra. }
  apply Rmult_le_reg_r with (s * s'); [nra|].
  replace (phi s' D / s' * (s * s')) with (s * phi s' D) by (field; lra).
  replace (phi s D / s * (s * s')) with (s' * phi s D) by (field; lra). exact H.
Qed.

(** (iv) at the end *)
Lemma phi_end : forall s D, 0 < s -> Rabs D / 2 - phi s D / (4 * s) <= s / 4.
Proof.
  intros s D Hs.
  assert (H : 2 * s * Rabs D - phi s D <= s * s).
  { unfold phi, Rabs. cases_lt; destruct (Rcase_abs D); try lra; nra. }
  apply Rmult_le_reg_r with (4 * s); [lra|].
  replace ((Rabs D / 2 - phi s D / (4 * s)) * (4 * s)) with (2 * s * Rabs D - phi s D) by (field; lra).
  replace (s / 4 * (4 * s)) with (s * s) by field. exact H.
Qed.
