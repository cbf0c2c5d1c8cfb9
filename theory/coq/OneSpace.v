(** One space and one comparator for all lengths.

    Proves: the shared wedges for n = 1, 2, 3, ... fit together into one metric space of diameter at most 1,
    with one comparator that is L-Lipschitz with values in [0, 1] on the whole of it; and for every length T
    for which the count of LeadingCount comes out there is a stream of exactly T examples in it with regret
    at least c T^((1+D)/(2+D)).
    Idea: points of different wedges are at distance 1. Each wedge has diameter at most 1, so the triangle
    inequality holds; the ramp falls by at most L in all, so f is Lipschitz across. The
    stream stays in one wedge, and w examples on which f loses nothing make up the length.
    Uses: SharedWedge*, LeadingCount, Copies. *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Setting Powers Radii RadiiBelow Runs Comb Copies Arrival SharedWedge
  SharedWedgeRun SharedWedgeCover LeadingCount.
Import ListNotations.
Local Open Scope R_scope.

(** The gaps for n examples a leaf. *)
Definition fine_gap (D n i : nat) : R := radius (S i * n) D.
Lemma fine_gap_pos : forall D n i, 0 < fine_gap D n i.
Proof. intros. apply radius_pos. Qed.
Lemma fine_gap_lt : forall D n, (1 <= n)%nat -> forall i j, (i < j)%nat -> fine_gap D n j < fine_gap D n i.
Proof. intros D n Hn i j H. apply radius_lt. nia. Qed.
Lemma fine_gap_le_1 : forall D n, (1 <= n)%nat -> forall i, fine_gap D n i <= 1.
Proof. intros D n Hn i. apply radius_range. nia. Qed.

Section SUM.
Context {P : Type}.
Variable dP : P -> P -> R.
Hypothesis HP : metric dP.
Variable D : nat.
Variable L : R.
Hypothesis L_ge_0 : 0 <= L.

Definition all_wedges : Type := (nat * point (P := P))%type.
Definition all_dist (p q : all_wedges) : R :=
  if Nat.eq_dec (fst p) (fst q) then wedge_dist dP (fine_gap D (S (fst p))) (snd p) (snd q) else 1.
Definition all_ramps (p : all_wedges) : R := ramp_at L (snd p).

Theorem all_metric : metric all_dist.
Proof.
  assert (M : forall m, metric (wedge_dist dP (fine_gap D (S m)))).
  { intros m. apply wedge_metric; [exact HP|apply fine_gap_pos|apply fine_gap_lt; lia|apply fine_gap_le_1; lia]. }
  unfold all_dist. repeat split.
  - destruct x as [m x], y as [m' y]. cbn [fst snd]. destruct (Nat.eq_dec m m') as [->|N]; intros H; [|lra].
    apply (proj1 (proj1 (M m') _ _)) in H. congruence.
  - intros ->. destruct (Nat.eq_dec _ _) as [_|N]; [|congruence]. apply (M (fst y)). reflexivity.
  - intros x y. destruct (Nat.eq_dec _ _); [apply (M (fst x))|lra].
  - intros [m x] [m' y]. cbn [fst snd].
    destruct (Nat.eq_dec m m') as [->|N]; destruct (Nat.eq_dec m' _) as [E|N']; try congruence.
    apply (M m').
  - intros [m x] [m' y] [m'' z]. cbn [fst snd]. pose proof (metric_nonneg _ _ (M m) x y).
    pose proof (metric_nonneg _ _ (M m') y z).
    pose proof (proj1 (proj2 (M m)) x z). destruct (M m) as (_ & _ & _ & Mt). specialize (Mt x y z).
    repeat destruct (Nat.eq_dec _ _); subst; try congruence; lra.
Qed.

Theorem all_ramps_range : forall p, 0 <= all_ramps p <= 1.
Proof. intros p. apply ramp_at_range, L_ge_0. Qed.

Theorem all_ramps_lipschitz : forall p q, Rabs (all_ramps p - all_ramps q) <= L * all_dist p q.
Proof.
  intros [m x] [m' y]. unfold all_ramps, all_dist. cbn [fst snd].
  destruct (Nat.eq_dec m m') as [->|N]; [apply ramp_at_lipschitz; exact L_ge_0|].
  pose proof (H_range L L_ge_0) as [H1 _]. pose proof (ramp_range L L_ge_0 (snd (snd x))).
  pose proof (ramp_range L L_ge_0 (snd (snd y))). unfold ramp_at.
  assert (L * / (1 + L) <= L * 1) by (apply Rmult_le_compat_l; lra).
  unfold Rabs. destruct (Rcase_abs _); lra.
Qed.
End SUM.

(** * The streams *)

Definition balls_constant (C : R) (D : nat) : R := sqrt C * Rpower 2 (INR D / 2).

Lemma balls_constant_square : forall C D, 1 <= C -> balls_constant C D * balls_constant C D = C * 2 ^ D.
Proof.
  intros C D HC. unfold balls_constant. replace (sqrt C * Rpower 2 (INR D / 2) * (sqrt C * Rpower 2 (INR D / 2)))
    with (sqrt C * sqrt C * (Rpower 2 (INR D / 2) * Rpower 2 (INR D / 2))) by ring.
  rewrite sqrt_sqrt by lra. rewrite <- Rpower_plus. replace (INR D / 2 + INR D / 2) with (INR D) by field.
  rewrite Rpower_pow by lra. reflexivity.
Qed.
Lemma balls_constant_range : forall C D, 1 <= C -> (1 <= D)%nat ->
  1 <= balls_constant C D /\ 2 <= balls_constant C D * balls_constant C D.
Proof.
  intros C D HC HD. assert (H0 : 0 < balls_constant C D)
    by (apply Rmult_lt_0_compat; [apply sqrt_lt_R0; lra|apply Rpower_pos]).
  assert (H2 : 2 <= balls_constant C D * balls_constant C D); [|nra]. rewrite balls_constant_square by exact HC.
  pose proof (pow_ge_self 2 D ltac:(lra) HD). nra.
Qed.

(** p and M bound the arrival's length and number of points; 1/x bounds the radius h after n steps. *)
Theorem attained_at_length : forall C D L {P : Type} (dP : P -> P -> R) home pre seen p M e delta x V c (T : nat),
  let A := balls_constant C D in let b := (2 + INR D) / (1 + INR D) in
  1 <= C -> (1 <= D)%nat -> 0 <= L -> arrival C D dP home pre seen -> INR (length pre) <= p -> INR (length seen) <= M ->
  0 < e <= 1/2 -> 0 <= delta -> 0 < x -> 4 <= V -> 0 <= c ->
  INR T = (1 + delta) * V ^ (2 + D) -> p + A * A <= delta * V ->
  A * A * x ^ (2 + D) <= V * V -> 2 * (1 + L) <= x -> 2 * M + 8 <= e * (A * A) * x ->
  c * (1 + delta) + 3/4 * A * e + (3/2 + 31/10 * (A * A) + 3 * b * L + p) / V + L / x * (A + 2 * b + 2)
    <= 3/4 * A + b * L ->
  exists stream, length stream = T /\ setting (all_dist dP D) C (INR D) L (all_ramps L) stream /\
    c * Rpower (INR T) (alpha D) <= regret (all_dist dP D) C (all_ramps L) stream.
Proof.
  intros C D L P dP home pre seen p M e delta x V c T A b HC HD HL Harr Hp HM He Hdel Hx HV Hc HT Hlen Hn Hx2 HMx Herr.
  destruct (balls_constant_range C D HC HD) as [HA1 HA2]. fold A in HA1, HA2.
  pose proof (balls_constant_square C D HC) as EA. fold A in EA.
  pose proof (pos_INR (length pre)) as Hp0. pose proof (pos_INR (length seen)) as HM0.
  pose proof (pos_INR D) as HD0. assert (Hb : 0 < b) by (apply Rdiv_lt_0_compat; lra).
  pose proof (stage_numbers D A V e x L M HD HA1 HA2 He HV HL ltac:(lra) Hn Hx2 HMx) as Hnum. cbv zeta in Hnum.
  set (q := (1 - e) * (A * A)) in *. set (n := above (V * V / q)) in *. set (k := above (q * V ^ D - 2)) in *.
  set (h := radius n D) in *. destruct Hnum as (Hn0 & HnV & HnV2 & HK1 & HK2 & Hh2 & Hh_half & HLh & HLx & Hnarrow).
  clearbody n k. assert (Hh0 : 0 < h) by apply radius_pos. rewrite EA in Hnarrow.
  set (gap := fine_gap D n).
  assert (Egap : forall i, (i <= k)%nat -> gap (0 + i)%nat = radius (S i * n) D) by reflexivity.
  pose proof (fine_gap_lt D n Hn0) as Glt. pose proof (fine_gap_le_1 D n Hn0) as Gle. fold gap in Glt, Gle.
  pose proof (fine_gap_pos D n : forall i, 0 < gap i) as Gpos.
  set (known := map (old (- gap 0%nat)) seen). assert (Eknown : length known = length seen) by apply map_length.
  assert (G0 : gap 0%nat = h) by (unfold gap, fine_gap, h; rewrite Nat.mul_1_l; reflexivity).
  assert (Hnarrow' : h * (2 * (INR (length known) + INR 0) + 8) <= e * (C * 2 ^ D))
    by (rewrite Eknown; simpl (INR 0); apply Rle_trans with (2 := Hnarrow); apply Rmult_le_compat_l; lra).
  unfold q in HnV, HK2. rewrite EA in HnV, HK2.
  pose proof (room_for_leaves C HC D HD n k Hn0 Hh_half e V ltac:(lra) ltac:(lra) HnV HK2 known 0 Hnarrow') as Hroom'.
  assert (Hroom : forall i, (1 <= i <= k)%nat -> INR (0 + S i) <= capacity C (radius (S (i * n)) D) D)
    by (intros i Hi; apply Hroom'; lia).
  (* the stream, made up to length T *)
  assert (Hfit : p + INR (S k) * INR n <= INR T).
  { rewrite HT. rewrite <- EA in HnV, HK2. apply (count_length D n k A V e); assumption || lra. }
  assert (HfitN : (length pre + S k * n <= T)%nat) by (apply INR_le; rewrite plus_INR, mult_INR; lra).
  pose proof (arrival_metric _ _ _ _ _ _ Harr) as HP. set (dist := wedge_dist dP gap).
  set (past := copy (old (- h)) pre).
  set (first := repeat (leaf D home 0 n 0, true) (n - 1) ++ blocks D home 0 n k 1 k).
  set (rest := repeat (end_ D home 0 n k h, true) (T + 1 - (length pre + S k * n))).
  assert (HR0 : run dist C start past = State ([] ++ [Ball (leaf D home 0 n 0) (1, 0)%nat]) 1 D).
  { unfold past. change (@start (point (P := P))) with (copy_state (old (P := P) (- h)) start).
    rewrite (run_copy dP dist C (old (- h))) by (apply old_iso; assumption).
    rewrite (arrival_run _ _ _ _ _ _ Harr). reflexivity. }
  destruct (stage_regret C D dP HP home gap Gpos Glt Gle 0 n k Hn0 Egap L HL Hh2 0 Hroom past []
    (1, 0)%nat 1 (n - 1) HR0) as [Q _]; [intros b' []|lia|simpl; lia|]. fold h first in Q.
  assert (Epast : length past = length pre) by apply map_length. rewrite Epast in Q.
  assert (Hsites : forall q0, In q0 (map fst (past ++ first ++ rest)) -> In q0 known \/ site D home 0 n k q0).
  { intros q0 Hq0. apply in_map_iff in Hq0. destruct Hq0 as ([u y] & <- & H). cbn [fst].
    apply in_app_or in H. destruct H as [H|H]; [|apply in_app_or in H; destruct H as [H|H]].
    - unfold past, copy in H. apply in_map_iff in H. destruct H as ([v0 b0] & E & H). injection E as <- _. cbn [fst].
      destruct (arrival_seen _ _ _ _ _ _ Harr v0 (point_in _ _ _ _ H)) as [->|Hs].
      + right. left. exists 0%nat. split; [lia|reflexivity].
      + left. unfold known. rewrite G0. apply in_map, Hs.
    - unfold first in H. apply in_app_or in H. destruct H as [H|H].
      + apply repeat_spec in H. injection H as -> _. right. left. exists 0%nat. split; [lia|reflexivity].
      + right. apply (blocks_sites D HD home 0 n k Hn0 k 1 u y); [lia|lia|exact H].
    - apply repeat_spec in H. injection H as -> _. right. right. exists h. split; [|reflexivity].
      rewrite Rabs_pos_eq; [apply Rle_refl|lra]. }
  (* in the sum of all wedges *)
  set (phi := fun z : point (P := P) => ((n - 1)%nat, z)).
  assert (iso : forall y z, all_dist dP D (phi y) (phi z) = dist y z).
  { intros y z. unfold all_dist, phi. cbn [fst snd]. destruct (Nat.eq_dec _ _); [|congruence].
    replace (S (n - 1)) with n by lia. reflexivity. }
  destruct (all_metric dP HP D) as (_ & _ & Ss & St).
  destruct (wedge_metric dP HP gap Gpos Glt Gle) as (_ & _ & Ws & Wt).
  exists (copy phi (past ++ first ++ rest)). split; [|split].
  - unfold copy, rest. rewrite map_length, !app_length, repeat_length, Epast. unfold first.
    rewrite app_length, repeat_length, blocks_length by exact Hn0. nia.
  - apply (setting_copy dist (all_dist dP D) C phi iso (INR D) L (ramp_at L) (all_ramps L));
      [exact Ss|exact St|reflexivity|].
    constructor; [exact Ws|exact Wt| |intros; apply ramp_at_range, HL|exact HL|intros; apply ramp_at_lipschitz, HL].
    apply (covers_last C HC D HD dP HP home gap Gpos Glt Gle 0 n k Hn0 Egap Hh_half e V ltac:(lra) ltac:(lra) HnV HK2
      known 0 Hnarrow');
      [|exact Hsites]. apply (arrival_covers C D HD dP home gap Gpos pre seen Harr).
  - rewrite (regret_copy dist (all_dist dP D) C phi iso (ramp_at L) (all_ramps L)) by reflexivity.
    assert (Q' : regret dist C (ramp_at L) (past ++ first) <= regret dist C (ramp_at L) (past ++ first ++ rest)).
    { rewrite app_assoc. unfold regret.
      rewrite (mistakes_app dist C (past ++ first)), (comparator_app _ (past ++ first)).
      unfold rest at 2. rewrite (repeat_comparator L _ _ 0).
      - pose proof (mistakes_nonneg dist C rest (run dist C start (past ++ first))). lra.
      - unfold ramp_at, end_. cbn [snd]. fold h. replace (- h + h) with 0 by ring. apply loss_top, HL. }
    rewrite <- EA in HnV, HK2. pose proof (pos_INR (length pre)).
    apply (leading_count D n k A V e HD Hn0 HA1 HA2 ltac:(lra) HV HnV HnV2 HK1 HK2 L p (INR T) c delta _ HL (proj2 HLh)
      ltac:(lra) Hc Hdel); fold h b.
    + split; [|lra]. rewrite HT. apply Rmult_lt_0_compat; [lra|apply pow_lt; lra].
    + apply Rle_trans with (2 := Q'). apply Rle_trans with (2 := Q). lra.
    + assert (L * h * (A + 2 * b + 2) <= L / x * (A + 2 * b + 2)) by (apply Rmult_le_compat_r; lra). lra.
Qed.
