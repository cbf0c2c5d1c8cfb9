(** Covers of the shared wedge: at most C r^-D centres at every scale r, and room for every new ball.

    Proves: if V^2 <= (1-e) C 2^D n, k + 1 <= (1-e) C 2^D V^D and h (2 M + 8) <= e C 2^D (h the radius at
    step n, M older points and balls), a stage keeps the covering numbers, the dimension check never fires,
    and the next stage can follow.
    Idea: above scale h the older cover does, since all that is to come is near one hub. Below, with x =
    1/(2r): the older points, the leaves with gap above 2r, one hub, and h/r + 1 points of the segment. Leaf
    i's gap is above 2r while (i+1) n < x^(2+D), so these leaves are at most (1-e) C 2^D x^D + 1: for x <= V
    because x^2 <= V^2, for x > V because there are no more.
    Uses: SharedWedge, SharedWedgeRun (the points of a stage), Arrival (the first cover). *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Setting Powers Radii Huber RadiiBelow TightLabels Comb Copies Arrival SharedWedge
  SharedWedgeRun.
Import ListNotations.
Local Open Scope R_scope.

(** m intervals of length 2 r, from -h on. *)
Lemma segment_covered : forall h r s m, 0 <= r -> - h <= s -> s <= - h + 2 * INR m * r -> (1 <= m)%nat ->
  exists i, (i < m)%nat /\ Rabs (s - (- h + (2 * INR i + 1) * r)) <= r.
Proof.
  intros h r s m Hr Hs. induction m as [|m IH]; intros Hm H1; [lia|].
  destruct (Nat.eq_dec m 0) as [->|N].
  { exists 0%nat. split; [lia|]. simpl in *. unfold Rabs; destruct (Rcase_abs _); lra. }
  destruct (Rle_lt_dec s (- h + 2 * INR m * r)) as [A|A].
  - destruct (IH A ltac:(lia)) as (i & Hi & H). exists i. split; [lia|exact H].
  - exists m. split; [lia|]. rewrite S_INR in Hm. unfold Rabs; destruct (Rcase_abs _); lra.
Qed.

Section COVER.
Variable C : R.
Hypothesis C_ge_1 : 1 <= C.
Variable D : nat.
Hypothesis D_ge_1 : (1 <= D)%nat.
Context {P : Type}.
Variable dP : P -> P -> R.
Hypothesis HP : metric dP.
Variable home : P.
Variable gap : nat -> R.
Hypothesis gap_pos : forall i, 0 < gap i.
Hypothesis gap_lt : forall i j, (i < j)%nat -> gap j < gap i.
Hypothesis gap_le_1 : forall i, gap i <= 1.
Notation dist := (wedge_dist dP gap).

Definition within (cs : list (point (P := P))) (r : R) (q : point) : Prop := exists c, In c cs /\ dist q c <= r.

(** Down to scale gap N there are covers of what was and of all that is to come, at leaf N and later. *)
Definition covers_from (N : nat) (past : list point) : Prop :=
  forall r, gap N <= r <= 1 -> exists cs, INR (length cs) <= C * Rpower r (- INR D) /\
    (forall q, In q past -> within cs r q) /\
    (forall i z, (N <= i)%nat -> - (2 * gap N) <= z <= 0 -> within cs r (home, (Leaf i, z))).

(** One hub covers all that is to come. *)
Lemma hub_covers : forall r N c i z, gap N <= r -> (N <= i)%nat -> - (2 * gap N) <= z <= 0 -> dP home c <= r ->
  dist (home, (Leaf i, z)) (c, (Hub N, - gap N)) <= r.
Proof.
  intros r N c i z Hr Hi Hz Hc. pose proof (gap_pos N). pose proof (comb_hub _ gap_pos i N Hi).
  unfold wedge_dist, line. cbn [fst snd]. apply Rmax_lub; [exact Hc|]. apply Rmax_lub; [lra|].
  eapply Rle_trans; [apply Rmin_r|]. unfold Rabs; destruct (Rcase_abs _); lra.
Qed.

Lemma arrival_covers : forall pre seen, arrival C D dP home pre seen -> covers_from 0 (map (old (- gap 0)) seen).
Proof.
  intros pre seen arrived r Hr. pose proof (gap_pos 0) as G0.
  destruct (arrival_covered _ _ _ _ _ _ arrived r ltac:(lra)) as (cs & H1 & H2).
  exists (map (fun c => (c, (Hub 0, - gap 0))) cs). rewrite map_length. split; [exact H1|]. split.
  - intros q Hq. apply in_map_iff in Hq. destruct Hq as (x & <- & Hx).
    destruct (H2 x ltac:(auto)) as (c & Hc & Hd).
    exists (c, (Hub 0, - gap 0)). split; [apply (in_map (fun c => (c, (Hub 0, - gap 0)))), Hc|].
    pose proof (comb_hub _ gap_pos 0 0 ltac:(lia)). unfold wedge_dist, line, old. cbn [fst snd].
    rewrite Rminus_diag_eq, Rabs_R0 by reflexivity.
    apply Rmax_lub; [exact Hd|]. apply Rmax_lub; [lra|]. eapply Rle_trans; [apply Rmin_r|lra].
  - intros i z Hi Hz. destruct (H2 home ltac:(auto)) as (c & Hc & Hd).
    exists (c, (Hub 0, - gap 0)). split; [apply (in_map (fun c => (c, (Hub 0, - gap 0)))), Hc|].
    apply hub_covers; [lra|lia|exact Hz|exact Hd].
Qed.

(** * One stage *)

Variables (N n k : nat).
Hypothesis n_ge_1 : (1 <= n)%nat.
Hypothesis stage_gap : forall i, (i <= k)%nat -> gap (N + i) = radius (S i * n) D.
Let h := radius n D.
Hypothesis h_half : h <= 1/2.
Variables e V : R.
Let A2 := C * 2 ^ D.
Hypothesis e_range : 0 < e < 1.
Hypothesis V_ge_1 : 1 <= V.
Hypothesis enough : V * V <= (1 - e) * A2 * INR n.
Hypothesis few : INR (S k) <= (1 - e) * A2 * V ^ D.
Variable past : list (point (P := P)).
Variable B : nat.                    (* older balls *)
Hypothesis narrow : h * (2 * (INR (length past) + INR B) + 8) <= e * A2.

Lemma A2_ge_1 : 1 <= A2.
Proof. unfold A2. assert (1 <= 2 ^ D) by (apply pow_R1_Rle; lra). nra. Qed.
Lemma gap_N : gap N = h.
Proof. pose proof (stage_gap 0 ltac:(lia)) as E. rewrite Nat.add_0_r, Nat.mul_1_l in E. exact E. Qed.
Lemma h_pos : 0 < h. Proof. apply radius_pos. Qed.

(** Fewer leaves than the capacity at every scale 1/x. *)
Lemma leaves_fit : forall x i, 0 < x -> (i <= S k)%nat -> INR i * INR n <= x ^ (2 + D) ->
  INR i <= (1 - e) * A2 * x ^ D.
Proof.
  intros x i Hx Hi H. apply le_INR in Hi. pose proof A2_ge_1. pose proof (INR_ge1 n n_ge_1).
  assert (HxD : 0 < x ^ D) by (apply pow_lt, Hx).
  destruct (Rle_lt_dec x V) as [HV|HV].
  - rewrite pow_add in H. assert (x ^ 2 <= (1 - e) * A2 * INR n) by (simpl; nra).
    assert (x ^ 2 * x ^ D <= (1 - e) * A2 * INR n * x ^ D) by (apply Rmult_le_compat_r; lra).
    apply Rmult_le_reg_r with (INR n); [lra|]. lra.
  - apply Rle_trans with (1 := Hi). apply Rle_trans with (1 := few). apply Rmult_le_compat_l; [nra|].
    apply pow_incr. lra.
Qed.

(** What is left over at scale 1/x, x > 1/(2h), is enough for the past, a few more points and the segment. *)
Lemma left_over : forall x, 1 <= x * (2 * h) -> INR (length past) + INR B + 3 + 2 * h * x <= e * (A2 * x ^ D).
Proof.
  intros x Hx. pose proof h_pos. pose proof A2_ge_1. pose proof (pos_INR (length past)). pose proof (pos_INR B).
  set (M := INR (length past) + INR B) in *.
  assert (Hx1 : 1 <= x) by nra. pose proof (pow_ge_self x D Hx1 D_ge_1) as HxD.
  assert (M + 3 <= (M + 3) * (x * (2 * h))) by (unfold M in *; nra).
  assert (h * (2 * M + 8) * x <= e * A2 * x) by (apply Rmult_le_compat_r; lra).
  assert (e * A2 * x <= e * A2 * x ^ D) by (apply Rmult_le_compat_l; [nra|exact HxD]). lra.
Qed.

Theorem room_for_leaves : forall i, (1 <= i <= S k)%nat -> INR (B + S i) <= capacity C (radius (S (i * n)) D) D.
Proof.
  intros i Hi. set (eps := radius (S (i * n)) D). set (x := / eps). assert (He : 0 < eps) by apply radius_pos.
  assert (Hx : 0 < x) by (apply Rinv_0_lt_compat, He).
  pose proof (radius_inverse (S (i * n)) D ltac:(lia)) as E. fold eps in E. fold x in E.
  pose proof (leaves_fit x i Hx ltac:(lia)) as F. rewrite E, S_INR, mult_INR in F. specialize (F ltac:(lra)).
  assert (Ecap : capacity C eps D = A2 * x ^ D).
  { unfold capacity, A2, x, Rdiv. rewrite Rpow_mult_distr. ring. }
  rewrite Ecap, plus_INR, S_INR. assert (Heh : eps <= h) by (apply radius_mono; nia).
  assert (Exe : x * eps = 1) by (unfold x; field; lra). pose proof h_pos.
  pose proof (left_over x ltac:(nra)) as Q. pose proof (pos_INR (length past)).
  assert (0 <= 2 * h * x) by (repeat apply Rmult_le_pos; lra). lra.
Qed.

(** The points of the stage. *)
Definition site (q : point) : Prop :=
  (exists i, (i <= k)%nat /\ q = leaf D home N n i) \/ (exists s, Rabs s <= h /\ q = end_ D home N n k s).

Lemma site_later : forall q, site q -> exists i z, q = (home, (Leaf i, z)) /\ (N <= i)%nat /\ - (2 * gap N) <= z <= 0.
Proof.
  pose proof h_pos. rewrite gap_N. intros q [(i & Hi & ->)|(s & Hs & ->)]; unfold leaf, end_; fold h.
  - exists (N + i)%nat, (- h). split; [reflexivity|]. split; [lia|lra].
  - exists (N + S k)%nat, (- h + s). split; [reflexivity|]. split; [lia|]. revert Hs.
    unfold Rabs; destruct (Rcase_abs _); lra.
Qed.

Lemma wedge_sites : forall ys t x y, (n <= t)%nat -> In (x, y) (wedge D home N n k t ys) -> site x.
Proof.
  induction ys as [|b r IH]; intros t x y Ht H; [destruct H|]. cbn [wedge] in H. destruct H as [H|H].
  - injection H as <- _. right. eexists. split; [|reflexivity]. rewrite abs_end. apply radius_mono. lia.
  - apply (IH (S t) x y); [lia|exact H].
Qed.
Lemma blocks_sites : forall m i x y, (1 <= i)%nat -> (i + m <= S k)%nat ->
  In (x, y) (blocks D home N n k i m) -> site x.
Proof.
  induction m as [|m IH]; intros i x y Hi Hm H; [destruct H|]. cbn [blocks] in H. apply in_app_or in H.
  destruct H as [H|H].
  - unfold block in H. destruct (tight n) as [|b ys]; [destruct H|]. destruct H as [H|H].
    + injection H as <- _. left. exists i. split; [lia|reflexivity].
    + apply (wedge_sites ys (S (i * n)) x y); [nia|exact H].
  - apply (IH (S i) x y); [lia|lia|exact H].
Qed.

(** Below scale h, with a few more centres to choose. *)
Lemma covered_below : forall r extra, 0 < r < h -> (length extra <= B)%nat ->
  exists cs, INR (length cs) <= C * Rpower r (- INR D) /\ (forall c, In c extra -> In c cs) /\
  forall q, In q past \/ site q -> within cs r q.
Proof.
  intros r extra [Hr Hh] Hextra. apply le_INR in Hextra. pose proof A2_ge_1 as HA. set (x := / (2 * r)).
  assert (Hx : 0 < x) by (apply Rinv_0_lt_compat; lra).
  assert (Ex : x * (2 * r) = 1) by (unfold x; field; lra).
  pose proof (INR_ge1 n n_ge_1) as Hn1. assert (HxP : 0 < x ^ (2 + D)) by (apply pow_lt, Hx).
  assert (HK0 : 0 < x ^ (2 + D) / INR n) by (apply Rdiv_lt_0_compat; lra).
  destruct (nat_above (x ^ (2 + D) / INR n) ltac:(lra)) as (K0 & HK1 & HK2).
  assert (EK0 : x ^ (2 + D) / INR n * INR n = x ^ (2 + D)) by (field; lra).
  set (kap := Nat.min (S k) K0).     (* the leaves with gap above 2r *)
  assert (Hq : 0 < h / r) by (apply Rdiv_lt_0_compat; lra). assert (Eq : h / r * r = h) by (field; lra).
  destruct (nat_above (h / r) ltac:(lra)) as (K1 & HS1 & HS2).
  set (mid := fun i => end_ D home N n k (- h + (2 * INR i + 1) * r)).
  exists (extra ++ past ++ map (leaf D home N n) (seq 0 kap) ++ (home, (Hub (N + kap), - h)) :: map mid (seq 0 K1)).
  split; [|split; [intros c Hc; apply in_or_app; left; exact Hc|]].
  - rewrite !app_length. cbn [length]. rewrite !map_length, !seq_length, !plus_INR, S_INR.
    assert (Ecap : C * Rpower r (- INR D) = A2 * x ^ D).
    { rewrite Rpower_Ropp, Rpower_pow by lra. unfold A2, x. rewrite Rinv_mult, Rpow_mult_distr, !pow_inv.
      field. split; apply pow_nonzero; lra. }
    rewrite Ecap.
    assert (Hk : INR kap <= (1 - e) * A2 * x ^ D + 1).
    { assert (Hs : INR (kap - 1) <= (1 - e) * A2 * x ^ D).
      { apply leaves_fit; [exact Hx|unfold kap; lia|]. rewrite <- EK0. apply Rmult_le_compat_r; [lra|].
        destruct (Nat.eq_dec kap 0) as [Z|Z]; [rewrite Z; change (INR (0 - 1)) with 0; lra|].
        assert (Q : (kap - 1 + 1 <= K0)%nat) by (unfold kap in *; lia). apply le_INR in Q. rewrite plus_INR in Q.
        simpl (INR 1) in Q. lra. }
      assert (INR kap <= INR (kap - 1) + 1) by (rewrite <- S_INR; apply le_INR; lia). lra. }
    assert (Hseg : INR K1 <= 2 * h * x + 1).
    { replace (2 * h * x) with (h / r); [lra|]. unfold x. field. lra. }
    pose proof (left_over x ltac:(nra)). lra.
  - intros q [Hpast|[(i & Hi & ->)|(s & Hs & ->)]].
    + exists q. split; [apply in_or_app; right; apply in_or_app; left; exact Hpast|]. rewrite wedge_self by assumption.
      lra.
    + destruct (Nat.lt_ge_cases i kap) as [H|H].
      * exists (leaf D home N n i).
        split; [do 2 (apply in_or_app; right); apply in_or_app; left; apply in_map, in_seq; lia|].
        rewrite wedge_self by assumption. lra.
      * exists (home, (Hub (N + kap), - h)).
        split; [do 3 (apply in_or_app; right); left; reflexivity|].
        assert (EK : kap = K0) by (unfold kap in *; lia).
        assert (Hg : gap (N + kap) <= 2 * r).
        { assert (E2r : / x = 2 * r) by (unfold x; apply Rinv_inv). rewrite stage_gap by lia.
          assert (radius (S kap * n) D < / x); [|lra]. apply radius_below; [exact Hx|].
          rewrite mult_INR, S_INR, EK. apply (Rmult_le_compat_r (INR n)) in HK1; [|lra]. rewrite EK0 in HK1. nra. }
        destruct HP as (P0 & _). unfold wedge_dist, leaf, line. fold h. cbn [fst snd].
        rewrite (proj2 (P0 _ _) eq_refl), Rminus_diag_eq, Rabs_R0 by reflexivity.
        pose proof (comb_hub _ gap_pos (N + i) (N + kap) ltac:(lia)). repeat apply Rmax_lub; try lra.
        eapply Rle_trans; [apply Rmin_r|lra].
    + assert (Hs2 : - h <= s <= h) by (revert Hs; unfold Rabs; destruct (Rcase_abs _); lra).
      assert (HK : h <= INR K1 * r) by (rewrite <- Eq; apply Rmult_le_compat_r; lra).
      destruct (segment_covered h r s K1 ltac:(lra) ltac:(lra) ltac:(lra)) as (i & Hi & Hd).
      { destruct K1; [simpl in HS1; lra|lia]. }
      exists (mid i). split.
      { do 3 (apply in_or_app; right). right. apply in_map, in_seq. lia. }
      destruct HP as (P0 & _). unfold wedge_dist, mid, end_, line. fold h. cbn [fst snd].
      rewrite (proj2 (P0 _ _) eq_refl), (comb_refl _ gap_pos). repeat apply Rmax_lub; try lra.
      eapply Rle_trans; [apply Rmin_r|].
      replace (- h + s - (- h + (- h + (2 * INR i + 1) * r))) with (s - (- h + (2 * INR i + 1) * r)) by ring. exact Hd.
Qed.

(** The next stage finds covers again. *)
Theorem covers_step : forall N' past', covers_from N past -> (N <= N')%nat -> (1 <= B)%nat ->
  (forall q, In q past' -> In q past \/ site q) -> covers_from N' past'.
Proof.
  intros N' past' HC HN HB Hsub r Hr. pose proof (gap_le gap gap_lt N N' HN) as Hle. pose proof gap_N as EN.
  pose proof (gap_pos N') as G'. destruct (Rle_lt_dec h r) as [Hbig|Hsmall].
  - destruct (HC r ltac:(lra)) as (cs & H1 & H2 & H3). exists cs. split; [exact H1|]. split.
    + intros q Hq. destruct (Hsub q Hq) as [Hp|Hs]; [apply H2, Hp|].
      destruct (site_later q Hs) as (i & z & -> & Hi & Hz). apply H3; assumption.
    + intros i z Hi Hz. apply H3; [lia|lra].
  - destruct (covered_below r [(home, (Hub N', - gap N'))] ltac:(lra) ltac:(simpl; lia)) as (cs & H1 & H2 & H3).
    exists cs. split; [exact H1|]. split; [intros q Hq; apply H3, Hsub, Hq|].
    intros i z Hi Hz. exists (home, (Hub N', - gap N')). split; [apply H2; left; reflexivity|]. destruct HP as (P0 & _).
    apply hub_covers; [lra|exact Hi|exact Hz|]. rewrite (proj2 (P0 _ _) eq_refl). lra.
Qed.

(** If nothing is to come: covers at all scales. *)
Theorem covers_last : forall past', covers_from N past -> (forall q, In q past' -> In q past \/ site q) ->
  forall r, 0 < r <= 1 -> exists cs, INR (length cs) <= C * Rpower r (- INR D) /\ forall q, In q past' -> within cs r q.
Proof.
  intros past' HC Hsub r Hr. destruct (Rle_lt_dec h r) as [Hbig|Hsmall].
  - destruct (HC r ltac:(rewrite gap_N; lra)) as (cs & H1 & H2 & H3). exists cs. split; [exact H1|].
    intros q Hq. destruct (Hsub q Hq) as [Hp|Hs]; [apply H2, Hp|].
    destruct (site_later q Hs) as (i & z & -> & Hi & Hz). apply H3; assumption.
  - destruct (covered_below r [] ltac:(lra) ltac:(simpl; lia)) as (cs & H1 & _ & H3). exists cs.
    split; [exact H1|]. intros q Hq. apply H3, Hsub, Hq.
Qed.
End COVER.
