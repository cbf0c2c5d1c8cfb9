(** One stream that goes on for ever, on which the leading constant is reached again and again.

    Proves: [one_stream_for_ever]: in one metric space of diameter at most 1 there are one comparator and one infinite
    sequence of examples, chosen in advance, along which the upper limit of regret / T^((1+D)/(2+D)) is exactly K.
    Idea: the stages of Stages.v one after the other, in one comb whose gaps fall from stage to stage. The
    past is a few points at the scale of a new stage, and all that is to come is one point at the scale of
    the past.
    Uses: Stages (numbers), SharedWedgeRun (one stage), SharedWedgeCover (covers from stage to stage), Climb
    (the arrival). *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Setting Powers Radii RadiiBelow Runs Comb Copies Arrival Climb SharedWedge
  SharedWedgeRun SharedWedgeCover LeadingCount OneSpace Threshold Tight Stages.
Import ListNotations.
Local Open Scope R_scope.

Section STREAM.
Variable C : R.
Hypothesis C_ge_1 : 1 <= C.
Variable D : nat.
Hypothesis D_ge_1 : (1 <= D)%nat.
Variable L : R.
Hypothesis L_ge_0 : 0 <= L.
Context {P : Type}.
Variable dP : P -> P -> R.
Variable home : P.
Variable pre : list (P * bool).
Variable seen : list P.
Hypothesis arrived : arrival C D dP home pre seen.

Let a0 := (length pre + length seen)%nat.
Notation N := (leaves_before C D L a0).
Notation u := (steps_before C D L a0).
Notation n := (per_leaf C D L a0).
Notation k := (leaf_count C D L a0).
Notation gap := (gap_of C D L a0).
Notation dist := (wedge_dist dP gap).
Notation start_of m := (leaf D home (N m) (n m) 0).
Let HP := arrival_metric _ _ _ _ _ _ arrived.
Let gpos := gap_of_pos C D L a0.
Let glt := gap_of_lt C C_ge_1 D D_ge_1 L L_ge_0 a0.
Let gle := gap_of_le_1 C C_ge_1 D D_ge_1 L L_ge_0 a0.
Let large := per_leaf_large C C_ge_1 D D_ge_1 L L_ge_0 a0.

Lemma a0_parts : (length pre <= a0 /\ length seen <= a0)%nat. Proof. unfold a0. lia. Qed.
Lemma stage_gaps : forall m i, (i <= k m)%nat -> gap (N m + i) = radius (S i * n m) D.
Proof. intros m i Hi. apply gap_stage; assumption || lia. Qed.

(** * The stream *)

Definition segment (m : nat) : list (point (P := P) * bool) :=
  repeat (start_of m, true) (n m - u m) ++ blocks D home (N m) (n m) (k m) 1 (k m).
(** Up to the first visit of stage m's first leaf. *)
Fixpoint upto (m : nat) : list (point * bool) :=
  match m with
  | O => copy (old (- radius (n 0) D)) pre
  | S m' => upto m' ++ segment m' ++ [(start_of (S m'), true)]
  end.
(** The points that were, but for the first leaf of stage m. *)
Fixpoint known (m : nat) : list point :=
  match m with O => map (old (- gap 0)) seen | S m' => known m' ++ start_of m' :: map fst (segment m') end.

Lemma segment_length : forall m, (length (segment m) + u m = S (k m) * n m)%nat.
Proof.
  intros m. pose proof (large m). unfold segment. rewrite app_length, repeat_length, blocks_length by lia. nia.
Qed.
Lemma upto_length : forall m, (length (upto m) + 1 = length pre + u m)%nat.
Proof.
  induction m as [|m IH]; [unfold steps_before; cbn [upto stage snd]; unfold copy; rewrite map_length; reflexivity|].
  cbn [upto]. rewrite !app_length. cbn [length]. rewrite steps_before_step. pose proof (segment_length m). lia.
Qed.
Lemma known_length : forall m, (length (known m) + 1 <= length seen + u m)%nat.
Proof.
  induction m as [|m IH]; [unfold steps_before; cbn [known stage snd]; rewrite map_length; lia|].
  cbn [known]. rewrite app_length. cbn [length]. rewrite map_length, steps_before_step. pose proof (segment_length m).
  lia.
Qed.

(** * The covers *)

Lemma segment_sites : forall m q, In q (map fst (segment m)) -> site D home (N m) (n m) (k m) q.
Proof.
  intros m q Hq. apply in_map_iff in Hq. destruct Hq as ([x y] & <- & H). cbn [fst]. unfold segment in H.
  apply in_app_or in H. destruct H as [H|H].
  - apply repeat_spec in H. injection H as -> _. left. exists 0%nat. split; [lia|reflexivity].
  - apply (blocks_sites D D_ge_1 home (N m) (n m) (k m) (proj1 (large m)) (k m) 1 x y); [lia|lia|exact H].
Qed.

Lemma narrow_enough : forall m, let h := radius (n m) D in
  h * (2 * (INR (length (known m)) + INR (S (N m))) + 8) <= free_part C D L (target C D L m) * (C * 2 ^ D).
Proof.
  intros m h.
  destruct (stage_facts C C_ge_1 D D_ge_1 L L_ge_0 _ _ (target_range C C_ge_1 D D_ge_1 L L_ge_0 m) (past_size_nonneg C
    D L a0 m))
    as (_ & _ & _ & _ & _ & _ & _ & H & _). apply Rle_trans with (2 := H). fold (n m). fold h.
  apply Rmult_le_compat_l; [left; apply radius_pos|]. rewrite past_size_value, <- plus_INR. pose proof (known_length m).
  assert (INR (length (known m) + S (N m)) <= INR (a0 + N m + u m)) by (apply le_INR; pose proof a0_parts; lia). lra.
Qed.

Lemma covers_all : forall m, covers_from C D dP home gap (N m) (known m).
Proof.
  induction m as [|m IH].
  - apply (arrival_covers C D D_ge_1 dP home gap gpos pre seen arrived).
  - destruct (stage_facts C C_ge_1 D D_ge_1 L L_ge_0 _ _ (target_range C C_ge_1 D D_ge_1 L L_ge_0 m) (past_size_nonneg
      C D L a0 m))
      as (F1 & F2 & Hh & F3 & F4 & F5 & F6 & _).
    apply (covers_step C C_ge_1 D D_ge_1 dP HP home gap gpos glt gle (N m) (n m) (k m) F1 (stage_gaps m) Hh
      _ _ F3 F4 F5 F6 (known m) (S (N m)) (narrow_enough m) (N (S m)) (known (S m)) IH); [rewrite leaves_before_step;
        lia|lia|].
    intros q Hq. cbn [known] in Hq. apply in_app_or in Hq. destruct Hq as [Hq|[<-|Hq]]; [left; exact Hq| |].
    + right. left. exists 0%nat. split; [lia|reflexivity].
    + right. apply segment_sites, Hq.
Qed.

(** * The run *)

Lemma ready : forall m, exists l ab, run dist C start (upto m) = State (l ++ [Ball (start_of m) ab]) (u m) D /\
  before (N m) 0 l /\ (length l <= S (N m))%nat.
Proof.
  induction m as [|m (l & ab & E & Hb & Hl)].
  - exists [], (1, 0)%nat. split; [|split; [intros b []|simpl; lia]]. cbn [upto].
    change (@start (point (P := P))) with (copy_state (old (P := P) (- radius (n 0) D)) start).
    rewrite (run_copy dP dist C (old (- radius (n 0) D))) by (apply old_iso; assumption).
    rewrite (arrival_run _ _ _ _ _ _ arrived). reflexivity.
  - destruct (stage_facts C C_ge_1 D D_ge_1 L L_ge_0 _ _ (target_range C C_ge_1 D D_ge_1 L L_ge_0 m) (past_size_nonneg
      C D L a0 m))
      as (F1 & F2 & Hh & F3 & F4 & F5 & F6 & _).
    pose proof (room_for_leaves C C_ge_1 D D_ge_1 (n m) (k m) F1 Hh _ _ F3 F4 F5 F6 (known m) (S (N m)) (narrow_enough
      m)) as Hroom.
    destruct (stage_regret C D dP HP home gap gpos glt gle (N m) (n m) (k m) F1 (stage_gaps m) L L_ge_0 F2 (S (N m))
      ltac:(intros i Hi; apply Hroom; lia) (upto m) l ab (u m) (n m - u m) E Hb ltac:(pose proof (large m); lia) Hl)
      as (_ & l' & E' & Hb' & Hl').
    exists l', (1, 0)%nat. cbn [upto]. rewrite app_assoc, run_app. unfold segment. rewrite E'. cbn [run].
    rewrite update_opens; cbn [balls steps dim].
    + rewrite steps_before_step. split; [reflexivity|]. rewrite leaves_before_step. split; [|lia].
      intros b Hin. destruct (Hb' b Hin) as (j & Ej & Hj). exists j. split; [exact Ej|lia].
    + intros b Hin. cbn [balls steps dim] in *.
      apply (before_far D dP gap gpos glt (N m) (n m) (k m) F1 (stage_gaps m) (S (k m)) l' _ (N (S m) + 0) (S (k m) * n
        m) Hb');
        [lia|reflexivity|rewrite leaves_before_step; lia|lia|exact Hin].
    + apply Rle_trans with (2 := Hroom (S (k m)) ltac:(lia)). apply le_INR. lia.
Qed.

Theorem stage_end : forall m, let T := INR (length (upto m ++ segment m)) in
  target C D L m * Rpower T (alpha D) <= regret dist C (ramp_at L) (upto m ++ segment m).
Proof.
  intros m T. destruct (ready m) as (l & ab & E & Hb & Hl).
  destruct (stage_facts C C_ge_1 D D_ge_1 L L_ge_0 _ _ (target_range C C_ge_1 D D_ge_1 L L_ge_0 m) (past_size_nonneg C
    D L a0 m))
    as (F1 & F2 & Hh & F3 & F4 & F5 & F6 & _ & _ & F9).
  pose proof (room_for_leaves C C_ge_1 D D_ge_1 (n m) (k m) F1 Hh _ _ F3 F4 F5 F6 (known m) (S (N m)) (narrow_enough
    m)) as Hroom.
  destruct (stage_regret C D dP HP home gap gpos glt gle (N m) (n m) (k m) F1 (stage_gaps m) L L_ge_0 F2 (S (N m))
    ltac:(intros i Hi; apply Hroom; lia) (upto m) l ab (u m) (n m - u m) E Hb ltac:(pose proof (large m);
      lia) Hl) as [Q _].
  pose proof (upto_length m) as HU. pose proof (segment_length m) as HS.
  pose proof (steps_before_gt C C_ge_1 D D_ge_1 L L_ge_0 a0 m).
  pose proof (large m). apply (F9 (INR (length (upto m)))); [| |exact Q].
  - split; [apply pos_INR|]. rewrite past_size_value. apply le_INR. pose proof a0_parts. lia.
  - fold (n m) (k m). unfold T. rewrite <- mult_INR, <- plus_INR, app_length.
    split; [apply lt_0_INR; nia|apply le_INR; lia].
Qed.

(** * As a sequence *)

Definition example (t : nat) : point (P := P) * bool := nth t (upto (S t)) ((home, (Leaf 0, 0)), true).

Lemma upto_extends : forall m j, exists r, upto (m + j) = upto m ++ r.
Proof.
  intros m. induction j as [|j (r & IH)]; [exists []; rewrite Nat.add_0_r, app_nil_r; reflexivity|].
  replace (m + S j)%nat with (S (m + j)) by lia. cbn [upto]. rewrite IH, <- app_assoc. eexists. reflexivity.
Qed.
Lemma upto_long : forall m, (m <= length (upto m))%nat.
Proof. intros m. pose proof (upto_length m). pose proof (steps_before_gt C C_ge_1 D D_ge_1 L L_ge_0 a0 m). lia. Qed.
Lemma prefix_of : forall m l r, upto m = l ++ r -> map example (seq 0 (length l)) = l.
Proof.
  intros m l r E. set (d := ((home, (Leaf 0, 0)), true) : point (P := P) * bool). apply (nth_ext _ _ (example 0) d).
  - rewrite map_length, seq_length. reflexivity.
  - intros t Ht. rewrite map_length, seq_length in Ht. rewrite map_nth, seq_nth by exact Ht. simpl (0 + t)%nat.
    unfold example. fold d.
    destruct (upto_extends (S t) m) as (r1 & E1). destruct (upto_extends m (S t)) as (r2 & E2).
    rewrite Nat.add_comm, E1, E in E2. pose proof (upto_long (S t)).
    rewrite <- (app_nth1 (upto (S t)) r1 d) by lia. rewrite E2, <- app_assoc. apply app_nth1. exact Ht.
Qed.

Lemma known_extends : forall m j q, In q (known m) -> In q (known (m + j)).
Proof.
  intros m. induction j as [|j IH]; intros q H; [rewrite Nat.add_0_r; exact H|].
  replace (m + S j)%nat with (S (m + j)) by lia. cbn [known]. apply in_or_app. left. apply IH, H.
Qed.
Lemma upto_points : forall m q, In q (map fst (upto m)) -> In q (known (S m)).
Proof.
  induction m as [|m IH]; intros q H; cbn [upto] in H.
  - unfold copy in H. rewrite map_map in H. cbn [fst] in H. apply in_map_iff in H. destruct H as ([x y] & <- & H).
    cbn [fst].
    cbn [known]. apply in_or_app. destruct (arrival_seen _ _ _ _ _ _ arrived x (point_in _ _ _ _ H)) as [->|Hs].
    + right. left. reflexivity.
    + left. rewrite (gap_start C D D_ge_1 L a0 0 : gap 0 = _). apply in_map, Hs.
  - rewrite !map_app in H. change (known (S (S m))) with (known (S m) ++ start_of (S m) :: map fst (segment (S m))).
    apply in_app_or in H. destruct H as [H|H]; [apply in_or_app; left; apply IH, H|].
    apply in_app_or in H. destruct H as [H|[<-|[]]].
    + apply in_or_app. left. cbn [known]. apply in_or_app. right. right. exact H.
    + apply in_or_app. right. left. reflexivity.
Qed.

Lemma stream_setting : forall T, setting dist C (INR D) L (ramp_at L) (map example (seq 0 T)).
Proof.
  intros T. destruct (wedge_metric dP HP gap gpos glt gle) as (_ & _ & Ws & Wt).
  constructor; [exact Ws|exact Wt| |intros; apply ramp_at_range, L_ge_0|exact L_ge_0|intros;
    apply ramp_at_lipschitz, L_ge_0].
  intros r Hr. assert (Hi : 0 < / r) by (apply Rinv_0_lt_compat; lra).
  set (m := (S T + above ((/ r) ^ (2 + D)) + 1)%nat).
  assert (Hg : gap (N m) <= r).
  { rewrite gap_start by assumption. left. rewrite <- (Rinv_inv r). apply radius_below; [exact Hi|].
    destruct (above_spec ((/ r) ^ (2 + D))) as [Q _]; [apply pow_le; lra|]. apply Rle_lt_trans with (1 := Q).
    apply lt_INR.
    pose proof (large m). pose proof (leaves_before_ge C D D_ge_1 L a0 m). unfold m in *. lia. }
  destruct (covers_all m r ltac:(lra)) as (cs & H1 & H2 & _). exists cs. split; [exact H1|]. intros q Hq.
  apply H2. unfold m. rewrite <- Nat.add_assoc. apply known_extends. apply upto_points.
  pose proof (upto_long T) as HT. rewrite <- (firstn_skipn T (upto T)), map_app. apply in_or_app. left.
  rewrite <- (prefix_of T (firstn T (upto T)) (skipn T (upto T))) by (symmetry; apply firstn_skipn).
  rewrite firstn_length, Nat.min_l by exact HT. exact Hq.
Qed.
End STREAM.

Theorem one_stream_for_ever : forall C D L, 1 <= C -> (1 <= D)%nat -> 0 <= L ->
  let K := 3/4 * sqrt C * Rpower 2 (INR D / 2) + (2 + INR D) / (1 + INR D) * L in
  exists (X : Type) (dist : X -> X -> R) (f : X -> R) (z : nat -> X * bool),
    metric dist /\ (forall x, 0 <= f x <= 1) /\ (forall x y, Rabs (f x - f y) <= L * dist x y) /\
    (forall T, setting dist C (INR D) L f (map z (seq 0 T))) /\
    (forall c, K < c -> exists T0, forall T, (T0 <= T)%nat ->
       regret dist C f (map z (seq 0 T)) <= c * Rpower (INR T) ((1 + INR D) / (2 + INR D))) /\
    (forall c, c < K -> forall T0, exists T, (T0 <= T)%nat /\
       c * Rpower (INR T) ((1 + INR D) / (2 + INR D)) <= regret dist C f (map z (seq 0 T))).
Proof.
  intros C D L HC HD HL K. destruct (arrival_exists C D HC HD) as (dP & home & pre & seen & Harr & _ & _).
  set (a0 := (length pre + length seen)%nat). set (gap := gap_of C D L a0).
  exists (point (P := node)), (wedge_dist dP gap), (ramp_at L), (example C D L home pre seen).
  split; [apply wedge_metric; [apply (arrival_metric _ _ _ _ _ _ Harr)|apply gap_of_pos|apply gap_of_lt; assumption|
    apply gap_of_le_1; assumption]|].
  split; [intros; apply ramp_at_range, HL|]. split; [intros; apply ramp_at_lipschitz, HL|].
  pose proof (stream_setting C HC D HD L HL dP home pre seen Harr) as Hset. split; [exact Hset|]. split.
  { intros c Hc. destruct (proj1 (joint_constant_exact C D L HC HD HL) c Hc) as (T0 & H0). exists T0. intros T HT.
    pose proof (H0 _ _ _ _ (Hset T)) as Q. rewrite map_length, seq_length in Q. exact (Q HT). }
  intros c Hc T0. change K with (leading_constant C D L) in Hc. set (g := leading_constant C D L - c). assert (Hg : 0 < g) by (unfold g; lra).
  assert (Hi : 0 < / g) by (apply Rinv_0_lt_compat, Hg).
  set (m := (T0 + above (/ g))%nat). destruct (above_spec (/ g)) as [Q _]; [lra|].
  set (l := upto C D L home pre seen m ++ segment C D L home pre seen m).
  exists (length l). pose proof (upto_long C HC D HD L HL home pre seen m) as HU.
  split; [unfold l; rewrite app_length; unfold m in *; lia|].
  rewrite (prefix_of C HC D HD L HL home pre seen (S m) l
    [(leaf D home (leaves_before C D L a0 (S m)) (per_leaf C D L a0 (S m)) 0, true)])
      by (cbn [upto]; rewrite app_assoc; reflexivity).
  apply Rle_trans with (2 := stage_end C HC D HD L HL dP home pre seen Harr m). fold l.
  apply Rmult_le_compat_r; [left; apply Rpower_pos|]. unfold target.
  assert (/ INR (S m) <= g); [|unfold g in *; lra]. rewrite <- (Rinv_inv g). apply Rinv_le_contravar; [exact Hi|].
  apply Rle_trans with (1 := Q). apply le_INR. unfold m. lia.
Qed.
