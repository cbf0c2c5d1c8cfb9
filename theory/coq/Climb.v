(** BASE can be taken to any dimension D by a stream of explicitly bounded length.

    Proves: for every D >= 1 and C >= 1 there is an [arrival] of at most (3 C 2^D + 10)^((D+2)^(D-1))
    examples and points.
    Idea: one climb, from a phase of dimension e < D that has just begun at leaf j of the coarse comb: with
    x large enough, k = C (2x)^e leaves are more than the check of dimension e allows before step x^(2+e);
    but the comb has D > e dimensions, so the gap of leaf j + k is still above 2/x. Wait until the radius is
    below that gap, then visit fresh leaves: the check fires at one of them, and the new dimension is above
    e and at most D.
    Uses: CoarseComb, Runs. *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Setting Powers Radii Game Runs RadiiBelow Comb Arrival CoarseComb.
Import ListNotations.
Local Open Scope R_scope.

Section CLIMB.
Variable C : R.
Hypothesis C_ge_1 : 1 <= C.
Variable D : nat.
Hypothesis D_ge_1 : (1 <= D)%nat.
Variable a : nat.
Hypothesis a_ge_2 : (2 <= a)%nat.
Hypothesis a_wide : C * 2 ^ D <= INR a.

Notation gap := (coarse_gap C D a).
Notation dist := (comb gap).
Let gap_pos := coarse_gap_pos C C_ge_1 D D_ge_1 a a_ge_2 a_wide.
Let gap_lt' := coarse_gap_lt C C_ge_1 D D_ge_1 a a_ge_2 a_wide.
Let gap_le' := gap_le gap gap_lt'.

(** All balls stand at leaves before leaf i. *)
Definition below (i : nat) (l : list (ball node)) : Prop :=
  forall b, In b l -> exists m, centre b = Leaf m /\ (m < i)%nat.

Lemma below_far : forall e i l t, below i l -> (1 <= i)%nat -> radius (S t) e < gap (i - 1) ->
  far dist (State l t e) (Leaf i).
Proof.
  intros e i l t Hb Hi Hr b Hin. cbn [balls steps dim] in *. destruct (Hb b Hin) as (m & -> & Hm).
  rewrite comb_leaves by assumption. apply Rlt_le_trans with (1 := Hr). apply gap_le'. lia.
Qed.

(** The check fires at leaf i: a new phase, of a dimension above e and up to D. *)
Lemma fires : forall e i l t, below i l -> (1 <= i)%nat -> (length l <= i)%nat ->
  radius (S t) e < gap (i - 1) -> capacity C (radius (S t) e) e < INR (S (length l)) ->
  exists e', (e < e' <= D)%nat /\ update dist C (State l t e) (Leaf i) true = State [Ball (Leaf i) (1, 0)%nat] 1 e'.
Proof.
  intros e i l t Hb Hi Hl Hr Hc. pose proof (below_far e i l t Hb Hi Hr) as Hfar.
  rewrite (update_far dist C _ _ _ Hfar). unfold add_new_ball. cbn [balls steps dim].
  set (eps := radius (S t) e) in *. set (sz := S (length l)) in *.
  assert (He : 0 < eps <= 1) by (apply radius_range; lia).
  destruct (Rle_dec _ _) as [H|_]; [lra|]. eexists. split; [|reflexivity]. split; [apply dimension_grows; assumption|].
  destruct (dimension_for_least C C_ge_1 sz sz eps 0 He ltac:(lia) ltac:(intros; lia)) as [_ Hd2].
  set (e' := dimension_for C sz sz eps 0) in *.
  destruct (Nat.le_gt_cases e' D) as [H|H]; [exact H|]. specialize (Hd2 D H).
  pose proof (coarse_room C C_ge_1 D D_ge_1 a a_ge_2 a_wide (i - 1) eps ltac:(lra)) as Q.
  assert (INR sz <= INR (i - 1 + a)) by (apply le_INR; unfold sz; lia). lra.
Qed.

(** A stretch of examples at leaves up to j. *)
Definition leaves_to (j : nat) (pre : list (node * bool)) : Prop :=
  forall x, points pre x -> exists i, x = Leaf i /\ (i <= j)%nat.

(** Fresh leaves, one visit each, until the check fires: at the latest when it must. *)
Lemma sweep : forall k e i l t, below i l -> (1 <= i)%nat -> (length l <= i)%nat ->
  radius (S t) e < gap (i + k) -> capacity C (radius (S (t + k)) e) e < INR (S (length l + k)) ->
  exists j e' pre, (e < e' <= D)%nat /\ run dist C (State l t e) pre = State [Ball (Leaf j) (1, 0)%nat] 1 e' /\
    leaves_to j pre /\ (i <= j <= i + k)%nat /\ (length pre <= S k)%nat.
Proof.
  induction k as [|k IH]; intros e i l t Hb Hi Hl Hr Hc.
  - rewrite !Nat.add_0_r in *. pose proof (gap_le' (i - 1) i ltac:(lia)) as G.
    destruct (fires e i l t Hb Hi Hl ltac:(lra) Hc) as (e' & He & E).
    exists i, e', [(Leaf i, true)]. split; [exact He|]. split; [exact E|]. split; [|split; [lia|simpl; lia]].
    intros x [<-|[]]. exists i. split; [reflexivity|lia].
  - assert (Hr1 : radius (S t) e < gap (i - 1)) by (pose proof (gap_le' (i - 1) (i + S k) ltac:(lia)); lra).
    destruct (Rle_lt_dec (INR (S (length l))) (capacity C (radius (S t) e) e)) as [H|H].
    + pose proof (update_opens dist C (State l t e) (Leaf i) true (below_far e i l t Hb Hi Hr1) H) as E.
      cbn [balls steps dim] in E.
      change (new_ball (Leaf i) true) with (Ball (Leaf i) (1, 0)%nat) in E.
      destruct (IH e (S i) (l ++ [Ball (Leaf i) (1, 0)%nat]) (S t)) as (j & e' & pre & He & Ea & Ho & Hj & Hlen).
      * intros b Hin. apply in_app_or in Hin. destruct Hin as [Hin|[<-|[]]].
        -- destruct (Hb b Hin) as (z & Ez & Hz). exists z. split; [exact Ez|lia].
        -- exists i. split; [reflexivity|lia].
      * lia.
      * rewrite app_length. simpl. lia.
      * replace (S i + k)%nat with (i + S k)%nat by lia. apply Rle_lt_trans with (2 := Hr). apply radius_mono. lia.
      * rewrite app_length. cbn [length]. replace (S t + k)%nat with (t + S k)%nat by lia.
        replace (length l + 1 + k)%nat with (length l + S k)%nat by lia. exact Hc.
      * exists j, e', ((Leaf i, true) :: pre). split; [exact He|]. cbn [run]. rewrite E. split; [exact Ea|].
        split; [|split; [lia|simpl; lia]]. intros x [<-|Hx]; [exists i; split; [reflexivity|lia]|exact (Ho x Hx)].
    + destruct (fires e i l t Hb Hi Hl Hr1 H) as (e' & He & E).
      exists i, e', [(Leaf i, true)]. split; [exact He|]. split; [exact E|]. split; [|split; [lia|simpl; lia]].
      intros x [<-|[]]. exists i. split; [reflexivity|lia].
Qed.

Definition base : R := C * 2 ^ D + 2 ^ D + INR a + 6.

(** How long to wait (w) and how many leaves to visit (k). *)
Lemma plan : forall e j, (1 <= e < D)%nat -> exists k w,
  radius (S (w + 1)) e < gap (S j + k) /\ capacity C (radius (S (w + 1 + k)) e) e < INR (S (1 + k)) /\
  INR (S (w + 1 + k)) <= (base + INR j) ^ (2 + e).
Proof.
  intros e j [He1 HeD]. set (x := base + INR j).
  assert (H2D : 1 <= 2 ^ D) by (apply pow_R1_Rle; lra). pose proof (pos_INR j) as Hj. pose proof (pos_INR a) as Ha0.
  assert (HC2 : 0 <= C * 2 ^ D) by nra.
  assert (Hx : 7 <= x) by (unfold x, base; lra).
  assert (Hxe : 1 <= x ^ e) by (apply pow_R1_Rle; lra).
  assert (HxD : x ^ e <= x ^ (D - 1)) by (apply Rle_pow; [lra|lia]).
  assert (H2e : 2 ^ e <= 2 ^ D) by (apply Rle_pow; [lra|lia]).
  assert (H2e1 : 1 <= 2 ^ e) by (apply pow_R1_Rle; lra).
  set (K := C * (2 * x) ^ e). assert (EK : K = C * 2 ^ e * x ^ e) by (unfold K; rewrite Rpow_mult_distr; ring).
  assert (HK0 : 0 <= K) by (rewrite EK; apply Rmult_le_pos; [nra|lra]).
  assert (HKe : K <= C * 2 ^ D * x ^ e) by (rewrite EK; apply Rmult_le_compat_r; [lra|nra]).
  assert (HKD : K <= C * 2 ^ D * x ^ (D - 1)) by (apply Rle_trans with (1 := HKe); apply Rmult_le_compat_l; lra).
  destruct (nat_above K HK0) as (k & Hk1 & Hk2).
  set (V := v C D a (S j + k)). pose proof (v_ge_1 C C_ge_1 D D_ge_1 a a_ge_2 a_wide (S j + k)) as HV1. fold V in HV1.
  pose proof (v_pow C C_ge_1 D D_ge_1 a a_ge_2 a_wide (S j + k)) as EV. fold V in EV.
  (* the gap is above 2/x *)
  assert (HVx : V <= x / 2).
  { apply (pow_le_reg V (x / 2) D D_ge_1); [lra|lra|]. apply Rmult_le_reg_l with (C * 2 ^ D); [nra|]. rewrite EV.
    rewrite Rmult_assoc, <- Rpow_mult_distr. replace (2 * (x / 2)) with x by field.
    replace (INR (S j + k + a)) with (INR j + INR a + 1 + INR k) by (rewrite !plus_INR, S_INR; ring).
    replace (x ^ D) with (x * x ^ (D - 1)) by (rewrite tech_pow_Rmult; f_equal; lia).
    set (y := x ^ (D - 1)) in *. assert (Hy : 1 <= y) by lra.
    assert (E1 : C * (x * y) = C * 2 ^ D * (C * y) + 2 ^ D * (C * y) + (INR j + INR a + 6) * (C * y))
      by (unfold x, base; ring).
    rewrite E1. assert (HCy : 1 <= C * y) by nra.
    assert (INR j + INR a + 6 <= (INR j + INR a + 6) * (C * y)) by nra.
    assert (0 <= C * 2 ^ D * (C * y)) by (apply Rmult_le_pos; lra).
    replace (2 ^ D * (C * y)) with (C * 2 ^ D * y) by ring. lra. }
  (* the wait *)
  assert (HVp : 0 <= V ^ (2 + e)) by (apply pow_le; lra).
  destruct (nat_above (V ^ (2 + e)) HVp) as (w & Hw1 & Hw2).
  assert (Hm : INR (S (w + 1 + k)) <= x ^ (2 + e)).
  { rewrite S_INR, !plus_INR. simpl (INR 1).
    assert (HV8 : V ^ (2 + e) <= x * x * x ^ e / 4).
    { apply Rle_trans with ((x / 2) ^ (2 + e)); [apply pow_incr; lra|]. rewrite pow_add.
      assert ((x / 2) ^ e <= x ^ e) by (apply pow_incr; lra).
      assert (0 <= (x / 2) ^ e) by (apply pow_le; lra). simpl ((x / 2) ^ 2). nra. }
    rewrite pow_add. simpl (x ^ 2).
    assert (Hbig : (C * 2 ^ D + 4) * x ^ e <= x * x / 2 * x ^ e).
    { apply Rmult_le_compat_r; [lra|]. assert (C * 2 ^ D + 4 <= x) by (unfold x, base; lra). nra. }
    assert (0 <= x * x * x ^ e) by (apply Rmult_le_pos; nra).
    lra. }
  exists k, w. split; [|split; [|exact Hm]].
  - unfold coarse_gap. fold V. apply radius_below; [lra|]. rewrite S_INR, plus_INR. simpl (INR 1). lra.
  - pose proof (radius_above (S (w + 1 + k)) e x ltac:(lia) ltac:(lra) Hm) as HR.
    apply Rle_lt_trans with K.
    + apply Rle_trans with (capacity C (/ x) e); [apply capacity_eps; [exact C_ge_1|apply Rinv_0_lt_compat;
        lra|exact HR]|].
      unfold capacity, K, Rdiv. rewrite Rinv_inv. lra.
    + rewrite S_INR, plus_INR. simpl (INR 1). lra.
Qed.

Lemma climb_once : forall e j, (1 <= e < D)%nat -> exists j' e' pre, (e < e' <= D)%nat /\
  run dist C (State [Ball (Leaf j) (1, 0)%nat] 1 e) pre = State [Ball (Leaf j') (1, 0)%nat] 1 e' /\
  leaves_to j' pre /\ (j <= j')%nat /\ INR (length pre) <= (base + INR j) ^ (2 + e) /\
    INR j' <= INR j + (base + INR j) ^ (2 + e).
Proof.
  intros e j He. destruct (plan e j He) as (k & w & H1 & H2 & H3).
  destruct (held dist C (repeat (Leaf j, true) w) [] (Leaf j) (1, 0)%nat [] 1 e) as [_ E].
  { intros x y Hx. apply repeat_spec in Hx. injection Hx as -> ->. split; [split; intros b []|].
    rewrite (comb_refl _ gap_pos). left. apply radius_pos. }
  cbn [app] in E. rewrite repeat_length, (Nat.add_comm 1 w) in E.
  destruct (sweep k e (S j) [Ball (Leaf j) (tally (map snd (repeat (Leaf j, true) w)) (1, 0)%nat)] (w + 1))
    as (j' & e' & pre & He' & Ea & Ho & Hj & Hlen).
  - intros b [<-|[]]. exists j. split; [reflexivity|lia].
  - lia.
  - simpl. lia.
  - exact H1.
  - exact H2.
  - exists j', e', (repeat (Leaf j, true) w ++ pre). split; [exact He'|]. rewrite run_app, E. split; [exact Ea|].
    split; [|split; [lia|split]].
    + intros x Hx. unfold points in Hx. rewrite map_app in Hx. apply in_app_or in Hx.
      destruct Hx as [Hx|Hx]; [|exact (Ho x Hx)].
      apply in_map_iff in Hx. destruct Hx as (z & <- & Hz). apply repeat_spec in Hz. subst z. exists j.
      split; [reflexivity|lia].
    + apply Rle_trans with (2 := H3). rewrite app_length, repeat_length. apply le_INR. lia.
    + apply Rle_trans with (INR j + INR (S (w + 1 + k))); [|lra]. rewrite <- plus_INR. apply le_INR. lia.
Qed.

(** m climbs: the sizes grow from Z to Z^(D+2) each time. *)
Lemma climb : forall m e j z Z, (1 <= e <= D)%nat -> (D - e <= m)%nat -> 0 <= z -> base + INR j + z <= Z ->
  exists j' pre,
  run dist C (State [Ball (Leaf j) (1, 0)%nat] 1 e) pre = State [Ball (Leaf j') (1, 0)%nat] 1 D /\
  leaves_to j' pre /\ (j <= j')%nat /\ base + INR j' + (z + INR (length pre)) <= Z ^ ((D + 2) ^ m).
Proof.
  assert (Hbase : 7 <= base).
  { unfold base. assert (1 <= 2 ^ D) by (apply pow_R1_Rle; lra). pose proof (pos_INR a). nra. }
  induction m as [|m IH]; intros e j z Z He Hm Hz HZ; pose proof (pos_INR j) as Hj.
  - exists j, []. replace e with D by lia. split; [reflexivity|]. split; [intros x []|]. split; [lia|]. simpl. lra.
  - destruct (Nat.eq_dec e D) as [->|N].
    { exists j, []. split; [reflexivity|]. split; [intros x []|]. split; [lia|]. simpl length. simpl (INR 0).
      apply Rle_trans with Z; [lra|]. apply pow_ge_self; [lra|]. apply Nat.neq_0_lt_0, Nat.pow_nonzero. lia. }
    destruct (climb_once e j ltac:(lia)) as (j1 & e1 & pre1 & H1 & E1 & O1 & Hj1 & Hl1 & Hl2).
    destruct (IH e1 j1 (z + INR (length pre1)) (Z ^ (D + 2)) ltac:(lia) ltac:(lia)) as (j2 & pre2 & E2 & O2 & Hj2 &
      Hl3).
    { pose proof (pos_INR (length pre1)). lra. }
    { assert (Hx : (base + INR j) ^ (2 + e) <= Z ^ (D + 1)).
      { apply Rle_trans with (Z ^ (2 + e)); [apply pow_incr; lra|apply Rle_pow; [lra|lia]]. }
      assert (HZ1 : Z <= Z ^ (D + 1)) by (apply pow_ge_self; [lra|lia]).
      assert (EZ : Z ^ (D + 2) = Z * Z ^ (D + 1)) by (replace (D + 2)%nat with (S (D + 1)) by lia; reflexivity).
      assert (7 * Z ^ (D + 1) <= Z * Z ^ (D + 1)) by (apply Rmult_le_compat_r; lra). lra. }
    exists j2, (pre1 ++ pre2). rewrite run_app, E1. split; [exact E2|]. split; [|split; [lia|]].
    + intros x Hx. unfold points in Hx. rewrite map_app in Hx. apply in_app_or in Hx.
      destruct Hx as [Hx|Hx]; [|exact (O2 x Hx)].
      destruct (O1 x Hx) as (i & -> & Hi). exists i. split; [reflexivity|lia].
    + rewrite <- pow_mult in Hl3. rewrite app_length, plus_INR.
      change ((D + 2) ^ S m)%nat with ((D + 2) * (D + 2) ^ m)%nat. lra.
Qed.
End CLIMB.

(** The size of an arrival at dimension D, crude but explicit. *)
Definition arrival_size (C : R) (D : nat) : R := (3 * (C * 2 ^ D) + 10) ^ ((D + 2) ^ (D - 1)).

Theorem arrival_exists : forall C D, 1 <= C -> (1 <= D)%nat -> exists (dist : node -> node -> R) home pre seen,
  arrival C D dist home pre seen /\ INR (length pre) <= arrival_size C D /\ INR (length seen) <= arrival_size C D.
Proof.
  intros C D HC HD. assert (H2 : 1 <= 2 ^ D) by (apply pow_R1_Rle; lra). assert (HC2 : 2 ^ D <= C * 2 ^ D) by nra.
  destruct (nat_above (C * 2 ^ D) ltac:(lra)) as (k & Hk1 & Hk2). set (a := (k + 2)%nat).
  assert (Ha : (2 <= a)%nat) by (unfold a; lia).
  assert (Ea : INR a = INR k + 2) by (unfold a; rewrite plus_INR; simpl; lra).
  assert (Hw : C * 2 ^ D <= INR a) by lra.
  destruct (climb C HC D HD a Ha Hw (D - 1) 1 0 1 (3 * (C * 2 ^ D) + 10)) as (j & pre & E & O & _ & Hs);
    [lia|lia|lra| |].
  { unfold base. simpl (INR 0). lra. }
  fold (arrival_size C D) in Hs. unfold base in Hs. pose proof (pos_INR j) as Hj.
  pose proof (pos_INR (length pre)) as Hp.
  exists (comb (coarse_gap C D a)), (Leaf j), ((Leaf 0, true) :: pre), (map Leaf (seq 0 (S j))). split; [|split].
  - constructor.
    + apply coarse_metric; assumption.
    + cbn [run]. rewrite update_start by exact HC. exact E.
    + intros x [<-|Hx]; right; [apply (in_map Leaf), in_seq; lia|]. destruct (O x Hx) as (i & -> & Hi).
      apply in_map, in_seq. lia.
    + intros r Hr. destruct (coarse_covered C HC D HD a Ha Hw r Hr) as (cs & H3 & H4). exists cs. split; [exact H3|].
      intros x Hx. assert (Q : exists i, x = Leaf i).
      { destruct Hx as [->|Hx]; [eexists; reflexivity|]. apply in_map_iff in Hx. destruct Hx as (i & <- & _).
        eexists; reflexivity. }
      destruct Q as (i & ->). apply H4.
  - cbn [length]. rewrite S_INR. lra.
  - rewrite map_length, seq_length, S_INR. lra.
Qed.
