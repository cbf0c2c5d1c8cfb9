(** One ball against a comparator that moves: the run of ones and the slope do not exclude each other.

    Proves: against the constant q one ball's regret is at most (1/2 + (q - 1/2)^2) sqrt(n+1) - 0.06
    ([one_ball_at]); against any values within w of q it is at most (3/4 - w + w^2) sqrt(n+1) + n w - 0.06
    ([one_ball_joint]). For small w this is 3/4 sqrt n + n w: both terms of the leading constant at once, as
    in SharedWedgeRun from below.
    Idea: the comparator pays at least ones (1/2 - d - m) + zeros (1/2 + d - m), m its gain per example and
    d its lead; Huber's potential gives d (ones - zeros) - phi/(4s) <= d^2 s, and |d| <= 1/2 - m.
    Uses: OneBall (the potential), Huber. *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Powers Huber Game OneBall.
Import ListNotations.
Local Open Scope R_scope.

Lemma phi_end_at : forall s x d, 0 < s -> -(1/2) <= d <= 1/2 -> d * x - phi s x / (4 * s) <= d * d * s.
Proof.
  intros s x d Hs Hd. apply Rmult_le_reg_r with (4 * s); [lra|].
  replace ((d * x - phi s x / (4 * s)) * (4 * s)) with (4 * s * d * x - phi s x) by (field; lra).
  replace (d * d * s * (4 * s)) with (4 * (d * s) * (d * s)) by ring. unfold phi. cases_lt.
  - assert (0 <= (s * (1 - 2 * d)) * (s * (1 - 2 * d))) by apply Rle_0_sqr.
    assert (0 <= s * (1 - 2 * d) * (x - s)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). nra.
  - assert (0 <= (s * (1 + 2 * d)) * (s * (1 + 2 * d))) by apply Rle_0_sqr.
    assert (0 <= s * (1 + 2 * d) * (- x - s)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). nra.
  - pose proof (Rle_0_sqr (2 * d * s - x)) as Q. unfold Rsqr in Q. nra.
Qed.

(** Whoever pays at least ones (1/2 - d - m) + zeros (1/2 + d - m). *)
Lemma one_ball_against : forall (y : bool) (ys : list bool) (first d m paid : R), first <= 1 -> -(1/2) <= d <= 1/2 ->
  (1 <= length ys)%nat ->
  let n := INR (S (length ys)) in let ab := tally (y :: ys) (0, 0)%nat in
  INR (fst ab) * (1/2 - d - m) + INR (snd ab) * (1/2 + d - m) <= paid ->
  first + play ys (count y (0, 0)%nat) - paid <= (1/2 + d * d) * sqrt (n + 1) + n * m - 6/100.
Proof.
  intros y ys first d m paid Hf Hd Hl n ab HP.
  assert (Hsz : (fst ab + snd ab = S (length ys))%nat) by (unfold ab; rewrite tally_size; reflexivity).
  pose proof (play_potential ys (count y (0,0)%nat) ltac:(rewrite size_count; lia)) as P.
  rewrite potential_first in P. change (tally ys (count y (0,0)%nat)) with ab in P. unfold potential in P.
  rewrite Hsz in P.
  unfold U in P. destruct (Nat.eqb_spec (S (length ys)) 1) as [E|_]; [lia|]. fold n in P.
  assert (Hn : 2 <= n) by (apply INR_ge2; lia).
  assert (EN : n = INR (fst ab) + INR (snd ab)) by (unfold n; rewrite <- Hsz; apply plus_INR).
  set (o := INR (fst ab)) in *. set (z := INR (snd ab)) in *. clearbody o z n.
  set (s := sqrt (n + 1)) in *. assert (Hs : 0 < s) by (apply sqrt_lt_R0; lra).
  pose proof (phi_end_at s (o - z) d Hs Hd) as H. pose proof sqrt_bounds as [H3 [H2 H2']].
  assert (1 / (4 * sqrt 3) <= 14435/100000).
  { apply Rmult_le_reg_r with (4 * sqrt 3); [lra|].
    replace (1 / (4 * sqrt 3) * (4 * sqrt 3)) with 1 by (field; lra). clear - H3; nra. }
  replace (o * (1/2 - d - m) + z * (1/2 + d - m)) with (n / 2 - d * (o - z) - n * m) in HP by (rewrite EN; field). lra.
Qed.

(** Against a constant q: from 1/2 sqrt n at q = 1/2 to 3/4 sqrt n at q = 0 and q = 1. *)
Theorem one_ball_at : forall (y : bool) (ys : list bool) (first q : R), first <= 1 -> 0 <= q <= 1 ->
  (1 <= length ys)%nat ->
  let n := INR (S (length ys)) in let ab := tally (y :: ys) (0, 0)%nat in
  first + play ys (count y (0, 0)%nat) - (INR (fst ab) * (1 - q) + INR (snd ab) * q)
  <= (1/2 + (q - 1/2) * (q - 1/2)) * sqrt (n + 1) - 6/100.
Proof.
  intros y ys first q Hf Hq Hl n ab.
  pose proof (one_ball_against y ys first (q - 1/2) 0 (INR (fst ab) * (1 - q) + INR (snd ab) * q) Hf ltac:(lra) Hl) as
    Q.
  cbv zeta in Q. fold n ab in Q. rewrite Rmult_0_r in Q. specialize (Q ltac:(lra)). lra.
Qed.

(** What an example can add: at most w, and never more than the constant q loses on it. *)
Lemma gain_at : forall (y : bool) q v w, 0 <= v <= 1 -> Rabs (v - q) <= w ->
  loss y q - Rmin w (loss y q) <= loss y v.
Proof.
  intros y q v w Hv H. pose proof (loss_nonneg y v) as P. unfold loss in *.
  assert (Rabs (label y - q) <= Rabs (label y - v) + Rabs (v - q)).
  { replace (label y - q) with ((label y - v) + (v - q)) by ring. apply Rabs_triang. }
  unfold Rmin. destruct (Rle_dec _ _); lra.
Qed.

Fixpoint paid (ys : list bool) (vs : list R) : R :=
  match ys, vs with y :: r, v :: q => loss y v + paid r q | _, _ => 0 end.

Lemma paid_lower : forall q w, 0 <= q <= 1 -> forall ys vs ab, length vs = length ys ->
  (forall v, In v vs -> 0 <= v <= 1 /\ Rabs (v - q) <= w) ->
  (INR (fst (tally ys ab)) - INR (fst ab)) * (1 - q - Rmin w (1 - q))
  + (INR (snd (tally ys ab)) - INR (snd ab)) * (q - Rmin w q) <= paid ys vs.
Proof.
  intros q w Hq. induction ys as [|y r IH]; intros vs ab Hl Hv; [simpl; lra|].
  destruct vs as [|v vs]; [discriminate Hl|]. cbn [tally paid].
  specialize (IH vs (count y ab) ltac:(simpl in Hl; lia) ltac:(intros; apply Hv; right; assumption)).
  destruct (Hv v (or_introl eq_refl)) as [V1 V2]. pose proof (gain_at y q v w V1 V2) as G.
  assert (E : loss y q = if y then 1 - q else q) by (unfold loss, label, Rabs; destruct y; destruct (Rcase_abs _); lra).
  rewrite E in G. set (cd := tally r (count y ab)) in *. clearbody cd. destruct ab as [a b].
  destruct y; unfold count in IH; cbn [fst snd] in *; rewrite S_INR in IH; lra.
Qed.

Theorem one_ball_joint : forall (y : bool) (ys : list bool) (vs : list R) (first q w : R), first <= 1 -> 0 <= q <= 1 ->
  0 <= w ->
  (1 <= length ys)%nat -> length vs = S (length ys) -> (forall v, In v vs -> 0 <= v <= 1 /\ Rabs (v - q) <= w) ->
  let n := INR (S (length ys)) in
  first + play ys (count y (0, 0)%nat) - paid (y :: ys) vs <= (3/4 - w + w * w) * sqrt (n + 1) + n * w - 6/100.
Proof.
  intros y ys vs first q w Hf Hq Hw Hl Hlen Hv n.
  pose proof (paid_lower q w Hq (y :: ys) vs (0, 0)%nat Hlen Hv) as HP. set (ab := tally (y :: ys) (0, 0)%nat) in *.
  cbn [fst snd] in HP. change (INR 0) with 0 in HP. rewrite !Rminus_0_r in HP.
  set (u1 := Rmin w (1 - q)) in *. set (u0 := Rmin w q) in *.
  assert (A1 : 0 <= u1 <= w /\ u1 <= 1 - q) by (unfold u1, Rmin; destruct (Rle_dec _ _); lra).
  assert (A0 : 0 <= u0 <= w /\ u0 <= q) by (unfold u0, Rmin; destruct (Rle_dec _ _); lra). clearbody u1 u0.
  set (m := (u1 + u0) / 2). set (d := q - 1/2 + (u1 - u0) / 2).
  assert (Hm : 0 <= m <= w) by (unfold m; lra). assert (Hd : m - 1/2 <= d <= 1/2 - m) by (unfold d, m; lra).
  pose proof (one_ball_against y ys first d m (paid (y :: ys) vs) Hf ltac:(lra) Hl) as Q. cbv zeta in Q. fold n ab in Q.
  specialize (Q ltac:(apply Rle_trans with (2 := HP); unfold d, m; lra)).
  assert (Hn : 2 <= n) by (apply INR_ge2; lia). set (s := sqrt (n + 1)) in *.
  assert (Hs : 0 < s) by (apply sqrt_lt_R0; lra).
  assert (Hss : s * s = n + 1) by (apply sqrt_sqrt; lra). assert (Hsn : s <= n) by (clear - Hs Hss Hn; nra).
  assert (Hdd : d * d * s <= (1/2 - m) * (1/2 - m) * s) by (apply Rmult_le_compat_r; [lra|]; clear - Hd; nra).
  (* the bound grows with m <= w *)
  assert (G : 0 <= (w - m) * (n - s + s * (m + w))).
  { apply Rmult_le_pos; [lra|]. assert (0 <= s * (m + w)) by (apply Rmult_le_pos; lra). lra. }
  lra.
Qed.
