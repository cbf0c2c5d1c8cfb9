(** Lemma 1: the dimensions of the phases rise from 1 and stay at most D = max(1, ceil d), and the number of
    balls is at most C-hat (2/eps_t)^(d_i) (the paper has 4 for 2). Centres are pairwise farther apart than
    the radius, and such a set is not larger than a cover of half the radius. *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Setting Powers Sums Radii Runs History Phases.
Import ListNotations.
Local Open Scope R_scope.

Section INVARIANT.
Context {X : Type}.
Variable dist : X -> X -> R.
Variable C : R.
Hypothesis dist_sym : forall x y, dist x y = dist y x.
Hypothesis dist_tri : forall x y z, dist x z <= dist x y + dist y z.
Hypothesis C_ge_1 : 1 <= C.

(** * Packing against covering *)

Fixpoint separated (e : R) (l : list X) : Prop :=
  match l with [] => True | x :: r => (forall z, In z r -> e < dist x z) /\ separated e r end.

Lemma separated_weaken : forall e e' l, e' <= e -> separated e l -> separated e' l.
Proof.
  intros e e' l He. induction l as [|x r IH]; simpl; [trivial|].
  intros [A B]. split; [intros z Hz; specialize (A z Hz); lra | apply IH, B].
Qed.

Lemma separated_app : forall e l x, separated e l -> (forall z, In z l -> e < dist z x) ->
  separated e (l ++ [x]).
Proof.
  intros e l x. induction l as [|z r IH]; simpl; intros H K.
  - split; [intros w []|trivial].
  - destruct H as [A B]. split; [|apply IH; [exact B|intros w Hw; apply K; right; exact Hw]].
    intros w Hw. apply in_app_or in Hw. destruct Hw as [Hw|[<-|[]]]; [apply A, Hw|]. apply K. left. reflexivity.
Qed.

Lemma packing : forall e l cs, separated e l ->
  (forall x, In x l -> exists c, In c cs /\ dist x c <= e / 2) -> (length l <= length cs)%nat.
Proof.
  intros e l. induction l as [|x r IH]; intros cs Hs Hc; simpl; [lia|].
  destruct Hs as [A B]. destruct (Hc x (or_introl eq_refl)) as (c & Hin & Hd).
  destruct (in_split _ _ Hin) as (c1 & c2 & ->).
  assert (length r <= length (c1 ++ c2))%nat.
  { apply IH; [exact B|]. intros z Hz. destruct (Hc z (or_intror Hz)) as (c' & Hin' & Hd').
    exists c'. split; [|exact Hd'].
    apply in_app_or in Hin'. apply in_or_app. destruct Hin' as [H|[H|H]]; [left; exact H| |right; exact H].
    exfalso. subst c'. specialize (A z Hz). pose proof (dist_tri x c z) as T.
    rewrite (dist_sym c z) in T. lra. }
  rewrite app_length in *. simpl. lia.
Qed.

Variable P : X -> Prop.              (* the points of the stream *)
Variable d : R.                      (* the metric dimension *)
Variable D : nat.
Hypothesis D_ge_1 : (1 <= D)%nat.
Hypothesis d_le_D : d <= INR D.
Hypothesis covering : forall r, 0 < r <= 1 -> exists cs : list X,
  INR (length cs) <= C * Rpower r (- d) /\ forall x, P x -> exists c, In c cs /\ dist x c <= r.

(** A separated set of the stream's points fits the capacity of D. *)
Lemma size_covered : forall eps l, 0 < eps <= 1 -> separated eps l -> (forall x, In x l -> P x) ->
  INR (length l) <= capacity C eps D.
Proof.
  intros eps l He Hs HP. destruct (covering (eps / 2) ltac:(lra)) as (cs & Hn & Hc).
  assert (Hl : (length l <= length cs)%nat) by (apply (packing eps); [exact Hs|]; intros x Hx; apply Hc, HP, Hx).
  apply le_INR in Hl. apply Rle_trans with (1 := Hl). apply Rle_trans with (1 := Hn).
  unfold capacity. apply Rmult_le_compat_l; [lra|]. pose proof (two_over eps He).
  replace (eps / 2) with (/ (2 / eps)) by (field; lra). rewrite Rpower_Rinv, Ropp_involutive by lra.
  rewrite <- Rpower_pow by lra. apply Rle_Rpower; lra.
Qed.

(** * The invariant *)

Record inv (s : state X) : Prop := Inv {
  inv_dim : (1 <= dim s <= D)%nat;
  inv_points : forall b, In b (balls s) -> P (centre b);
  inv_start : steps s = O -> balls s = [];
  inv_separated : separated (radius (steps s) (dim s)) (map centre (balls s));
  inv_size : (1 <= steps s)%nat -> INR (length (balls s)) <= capacity C (radius (steps s) (dim s)) (dim s) }.

Lemma inv_init : inv start.
Proof. constructor; simpl; try lia; tauto. Qed.

(** A point that no ball takes is separated from all the centres. *)
Lemma far_separated : forall s x, inv s -> far dist s x ->
  separated (radius (S (steps s)) (dim s)) (map centre (balls s) ++ [x]).
Proof.
  intros s x I Hfar. apply separated_app.
  - destruct (Nat.eq_dec (steps s) 0) as [Z|Z]; [rewrite (inv_start _ I Z); exact Logic.I|].
    apply separated_weaken with (2 := inv_separated _ I). apply radius_mono. lia.
  - intros z Hz. apply in_map_iff in Hz. destruct Hz as (b & <- & Hb). rewrite dist_sym. apply Hfar, Hb.
Qed.

Lemma inv_update : forall s x y, inv s -> P x -> inv (update dist C s x y) /\
  if fires dist C s x then (dim s < dim (update dist C s x y))%nat /\ (1 <= steps s)%nat
  else dim (update dist C s x y) = dim s.
Proof.
  intros s x y I Hx. set (eps := radius (S (steps s)) (dim s)).
  assert (He : 0 < eps <= 1) by (apply radius_range; lia). pose proof (inv_dim _ I) as Hdim.
  destruct (step_does dist C s x y) as [l1 b l2 Eb _ _ _ F E|Hfar _ F Hc E|Hfar _ F Hc E]; rewrite E, F.
  - assert (Ec : map centre (l1 ++ add_label b y :: l2) = map centre (balls s)) by (rewrite Eb, !map_app; reflexivity).
    assert (Hst : (1 <= steps s)%nat).
    { destruct (Nat.eq_dec (steps s) 0) as [Z|Z]; [|lia]. rewrite (inv_start _ I Z) in Eb. destruct l1; discriminate. }
    split; [|reflexivity]. constructor; cbn [dim steps balls]; [exact Hdim| |discriminate| |].
    + intros c Hc. apply (in_map centre) in Hc. rewrite Ec in Hc. apply in_map_iff in Hc.
      destruct Hc as (c' & <- & Hc'). apply (inv_points _ I), Hc'.
    + rewrite Ec. apply separated_weaken with (2 := inv_separated _ I). apply radius_mono. lia.
    + intros _. rewrite <- (map_length centre), Ec, map_length. apply Rle_trans with (1 := inv_size _ I Hst).
      apply capacity_eps; [exact C_ge_1|apply radius_pos|]. apply radius_mono. lia.
  - split; [|reflexivity]. constructor; cbn [dim steps balls]; [exact Hdim| |discriminate| |].
    + intros c H. apply in_app_or in H. destruct H as [H|[<-|[]]]; [apply (inv_points _ I c H)|exact Hx].
    + rewrite map_app. apply far_separated; assumption.
    + intros _. rewrite app_length, Nat.add_1_r. exact Hc.
  - fold eps in Hc. set (n := S (length (balls s))) in *.
    pose proof (dimension_grows C C_ge_1 n eps (dim s) He Hc) as He1. fold eps.
    destruct (dimension_for_least C C_ge_1 n n eps 0 He ltac:(lia) ltac:(intros; lia)) as [_ Hd2].
    assert (HeD : (dimension_for C n n eps 0 <= D)%nat).
    { destruct (Nat.le_gt_cases (dimension_for C n n eps 0) D) as [H|H]; [exact H|]. specialize (Hd2 D H).
      assert (HP : forall z, In z (map centre (balls s) ++ [x]) -> P z).
      { intros z Hz. apply in_app_or in Hz. destruct Hz as [Hz|[<-|[]]]; [|exact Hx].
        apply in_map_iff in Hz. destruct Hz as (b & <- & Hb). apply (inv_points _ I b Hb). }
      pose proof (size_covered eps _ He (far_separated s x I Hfar) HP) as Q.
      rewrite app_length, map_length, Nat.add_1_r in Q. fold n in Q. lra. }
    split; [|split; [exact He1|]].
    + constructor; cbn [dim steps balls]; [lia| |discriminate| |].
      * intros b [<-|[]]. exact Hx.
      * simpl. split; [intros z []|exact Logic.I].
      * intros _. simpl length. rewrite radius_1. apply capacity_1; lra.
    + destruct (Nat.eq_dec (steps s) 0) as [Z|Z]; [|lia]. exfalso.
      pose proof (capacity_1 C C_ge_1 eps (dim s) He). unfold n in Hc. rewrite (inv_start _ I Z) in Hc.
      simpl in Hc. lra.
Qed.

(** The phases of a run. *)
Definition phase (e : state X) : nat * nat := (dim e, steps e).

Lemma run_rising : forall stream s lo, inv s -> (lo < dim s)%nat -> (1 <= steps s + length stream)%nat ->
  (forall x y, In (x, y) stream -> P x) -> rising lo D (map phase (ends dist C s stream)).
Proof.
  induction stream as [|[x y] r IH]; intros s lo I Hlo Hn HP; cbn [ends].
  - cbn in *. pose proof (inv_dim _ I). repeat split; lia.
  - assert (Hx : P x) by (apply (HP x y); left; reflexivity). destruct (inv_update s x y I Hx) as [I' H].
    assert (Hst : (1 <= steps (update dist C s x y))%nat).
    { destruct (step_does dist C s x y) as [l1 b l2 _ _ _ _ _ E|_ _ _ _ E|_ _ _ _ E]; rewrite E; simpl; lia. }
    assert (HP' : forall u v, In (u, v) r -> P u) by (intros u v Hu; apply (HP u v); right; exact Hu).
    destruct (fires dist C s x); cbn [app map].
    + destruct H as [H1 H2]. cbn [rising phase]. pose proof (inv_dim _ I). split; [lia|]. split; [exact H2|].
      apply IH; [exact I'|exact H1|lia|exact HP'].
    + apply IH; [exact I'|rewrite H; exact Hlo|lia|exact HP'].
Qed.

Lemma ends_inv : forall stream, (forall x y, In (x, y) stream -> P x) ->
  forall e, In e (ends dist C start stream) -> inv e.
Proof.
  intros stream HP. apply (ends_keep dist C P inv); [|apply inv_init|exact HP].
  intros s x y I Hx. apply (inv_update s x y I Hx).
Qed.
End INVARIANT.

(** Lemma 1 for a stream in the setting of Theorem 1. *)
Theorem lemma_1 : forall X (dist : X -> X -> R) C d L f stream, setting dist C d L f stream -> stream <> [] ->
  rising 0 (whole d) (map phase (ends dist C start stream)) /\
  (forall e, In e (ends dist C start stream) ->
     INR (length (balls e)) <= capacity C (radius (steps e) (dim e)) (dim e)) /\
  total (map phase (ends dist C start stream)) = INR (length stream).
Proof.
  intros X dist C d L f [|p r] H Hne; [congruence|]. set (stream := p :: r) in *.
  pose proof (constant_ge_1 _ _ _ _ _ _ _ _ H) as HC. pose proof (whole_ge_1 d) as HD.
  assert (R0 : rising 0 (whole d) (map phase (ends dist C start stream))).
  { apply (run_rising dist C (symmetric H) (triangle H) HC (points stream) d (whole d) HD (whole_above d) (covered H));
      [apply inv_init, HD|simpl; lia|simpl; lia|apply point_in]. }
  split; [exact R0|]. split.
  - intros e He. pose proof (rising_in _ _ _ _ R0 (in_map phase _ _ He)) as [_ Hs].
    apply (inv_size dist C (points stream) (whole d) e); [|exact Hs].
    apply (ends_inv dist C (symmetric H) (triangle H) HC (points stream) d (whole d) HD (whole_above d)
      (covered H) stream);
      [apply point_in|exact He].
  - unfold total. rewrite map_map. cbn [phase snd]. rewrite ends_steps. simpl (INR (steps start)). ring.
Qed.
