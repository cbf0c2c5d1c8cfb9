(** The sum over the phases, for the paper's I (T/I)^((1+d)/(2+d)): phases of different whole dimensions up
    to D weigh c_D together in the balls' term and r_D in the radii's. The first is a geometric series,
    since an earlier phase has a smaller dimension; the second counts the phases. *)
From Coq Require Import Reals Lra Psatz Lia List.
From Abacoc Require Import Algorithm Powers Sums Radii.
Import ListNotations.
Local Open Scope R_scope.

(** A phase is (d_i, n_i); the dimensions rise, above lo and up to D. *)
Fixpoint rising (lo D : nat) (l : list (nat * nat)) : Prop :=
  match l with
  | [] => True
  | (d, n) :: r => (lo < d <= D)%nat /\ (1 <= n)%nat /\ rising d D r
  end.

(** T, the steps of all phases. *)
Definition total (l : list (nat * nat)) : R := sum (map (fun p => INR (snd p)) l).

Lemma rising_in : forall D l lo p, rising lo D l -> In p l -> (lo < fst p <= D)%nat /\ (1 <= snd p)%nat.
Proof.
  induction l as [|[d n] r IH]; intros lo p H Hp; simpl in *; [contradiction|].
  destruct H as (A & B & E). destruct Hp as [<-|Hp]; simpl; [lia|]. specialize (IH _ _ E Hp). lia.
Qed.

(** Lemma 1, i <= d_i: there are at most D phases. *)
Lemma rising_length : forall D l lo, (lo <= D)%nat -> rising lo D l -> (length l <= D - lo)%nat.
Proof.
  induction l as [|[d n] r IH]; intros lo Hlo H; simpl in *; [lia|].
  destruct H as (A & B & E). specialize (IH d ltac:(lia) E). lia.
Qed.

(** r = 2^(-(2+D)/2), and the series 1 + r + ... + r^(D-1). *)
Definition ratio (D : nat) : R := Rpower 2 (- ((2 + INR D) / 2)).
Definition series (D : nat) : R := (1 - ratio D ^ D) / (1 - ratio D).
(** The constants of dimension D, for the paper's 1.26 = D^(1/(2+D)) and 1.26 * 1.5. *)
Definition c_ (D : nat) : R := Rpower (series D) (1 / (2 + INR D)).
Definition r_ (D : nat) : R := (2 + INR D) / (1 + INR D) * Rpower (INR D) (1 / (2 + INR D)).

Lemma ratio_square : forall D, ratio D * ratio D = / 2 ^ (2 + D).
Proof.
  intros D. unfold ratio. rewrite <- Rpower_plus.
  replace (- ((2 + INR D) / 2) + - ((2 + INR D) / 2)) with (- INR (2 + D)).
  - rewrite Rpower_Ropp, Rpower_pow by lra. reflexivity.
  - rewrite plus_INR. simpl (INR 2). field.
Qed.

Lemma ratio_range : forall D, 0 < ratio D < 1.
Proof.
  intros D. assert (H : 0 < ratio D) by apply Rpower_pos. split; [exact H|].
  pose proof (ratio_square D) as E.
  assert (4 <= 2 ^ (2 + D)) by (replace 4 with (2 ^ 2) by ring; apply Rle_pow; [lra|lia]).
  assert (/ 2 ^ (2 + D) <= / 4) by (apply Rinv_le_contravar; lra). nra.
Qed.

Lemma geometric : forall D l lo, (lo <= D)%nat -> rising lo D l ->
  (1 - ratio D) * sum (map (fun p => ratio D ^ (D - fst p)) l) <= 1 - ratio D ^ (D - lo).
Proof.
  intros D. pose proof (ratio_range D) as Hr. set (r := ratio D) in *.
  induction l as [|[d n] l IH]; intros lo Hlo H; cbn [map sum fst].
  - rewrite Rmult_0_r. pose proof (pow_anti r 0 (D - lo) Hr ltac:(lia)). simpl in *. lra.
  - cbn in H. destruct H as (A & B & E). specialize (IH d ltac:(lia) E).
    pose proof (pow_anti r (S (D - d)) (D - lo) Hr ltac:(lia)) as Q. rewrite <- tech_pow_Rmult in Q. lra.
Qed.

Lemma series_max : forall D l, l <> [] -> rising 0 D l ->
  0 < sum (map (fun p => ratio D ^ (D - fst p)) l) <= series D.
Proof.
  intros D l Hl H. pose proof (ratio_range D) as Hr. split.
  - apply sum_pos; [exact Hl|]. intros. apply pow_lt. lra.
  - pose proof (geometric D l 0 ltac:(lia) H) as G. rewrite Nat.sub_0_r in G. unfold series.
    apply Rmult_le_reg_l with (1 - ratio D); [lra|].
    replace ((1 - ratio D) * ((1 - ratio D ^ D) / (1 - ratio D))) with (1 - ratio D ^ D) by (field; lra). exact G.
Qed.

(** The balls: sum 2^(d_i/2) n_i^((1+d_i)/(2+d_i)) <= c_D 2^(D/2) T^((1+D)/(2+D)). *)
Theorem phases_balls : forall D l, l <> [] -> rising 0 D l ->
  sum (map (fun p => Rpower 2 (INR (fst p) / 2) * Rpower (INR (snd p)) (alpha (fst p))) l)
  <= c_ D * Rpower 2 (INR D / 2) * Rpower (total l) (alpha D).
Proof.
  intros D l Hl H. pose proof (pos_INR D) as HD0. pose proof (alpha_range D) as Hal. set (r := ratio D).
  apply Rle_trans with (sum (map (fun p => Rpower 2 (INR D / 2) *
     (Rpower (r ^ (D - fst p)) (1 - alpha D) * Rpower (INR (snd p)) (alpha D))) l)).
  - apply sum_le. intros [d n] Hp. destruct (rising_in _ _ _ _ H Hp) as [Hd Hn]. simpl in *.
    assert (E : Rpower 2 (INR d / 2) = Rpower 2 (INR D / 2) * Rpower (r ^ (D - d)) (1 - alpha D)).
    { rewrite <- Rpower_pow by apply (ratio_range D). unfold r, ratio.
      rewrite !Rpower_mult, <- Rpower_plus. f_equal. rewrite alpha_beta, minus_INR by lia. field. lra. }
    rewrite E, Rmult_assoc.
    apply Rmult_le_compat_l; [left; apply Rpower_pos|]. apply Rmult_le_compat_l; [left; apply Rpower_pos|].
    apply Rle_Rpower; [apply INR_ge1; lia | apply alpha_mono; lia].
  - rewrite sum_scal. rewrite (Rmult_comm (c_ D)), Rmult_assoc.
    apply Rmult_le_compat_l; [left; apply Rpower_pos|].
    eapply Rle_trans.
    + apply (hoelder (fun p => r ^ (D - fst p)) (fun p => INR (snd p)) (alpha D) l); [lra | assumption | | ].
      * intros. apply pow_lt. apply ratio_range.
      * intros p Hp. destruct (rising_in _ _ _ _ H Hp). apply lt_0_INR. lia.
    + apply Rmult_le_compat_r; [left; apply Rpower_pos|]. unfold c_. rewrite <- alpha_beta.
      destruct (series_max D l Hl H) as [S0 S1]. fold r in S0, S1. apply Rle_Rpower_l; lra.
Qed.

(** The radii: their sum over all phases is at most r_D T^((1+D)/(2+D)). *)
Theorem phases_radii : forall D l, l <> [] -> rising 0 D l ->
  sum (map (fun p => radii (snd p) (fst p)) l) <= r_ D * Rpower (total l) (alpha D).
Proof.
  intros D l Hl H. pose proof (pos_INR D) as HD0. pose proof (alpha_range D) as Hal.
  assert (Hk : 0 < (2 + INR D) / (1 + INR D)) by (apply Rdiv_lt_0_compat; lra).
  apply Rle_trans with (sum (map (fun p => (2 + INR D) / (1 + INR D) * Rpower (INR (snd p)) (alpha D)) l)).
  - apply sum_le. intros [d n] Hp. destruct (rising_in _ _ _ _ H Hp) as [Hd Hn]. simpl in *.
    pose proof (radius_sum n D). pose proof (radii_dim n d D ltac:(lia)). lra.
  - rewrite sum_scal. unfold r_. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
    eapply Rle_trans.
    + apply (jensen (fun p => INR (snd p)) (alpha D) l ltac:(lra) Hl).
      intros p Hp. destruct (rising_in _ _ _ _ H Hp). apply lt_0_INR. lia.
    + fold (total l). rewrite alpha_beta. apply Rmult_le_compat_r; [left; apply Rpower_pos|].
      apply Rle_Rpower_l; [left; apply beta_pos|].
      split; [apply lt_0_INR; destruct l; [congruence|simpl; lia]|].
      apply le_INR. pose proof (rising_length D l 0 ltac:(lia) H). lia.
Qed.

(** Only the last phase can have dimension D: B for it and K for each of the others. *)
Lemma phases_last : forall A (q : A -> nat * nat) (g : A -> R) D K B l lo, 0 <= K -> 0 <= B -> (lo < D)%nat ->
  rising lo D (map q l) ->
  (forall p, In p l -> (fst (q p) < D)%nat -> g p <= K) -> (forall p, In p l -> fst (q p) = D -> g p <= B) ->
  sum (map g l) <= (INR D - 1 - INR lo) * K + B.
Proof.
  intros A q g D K B l. induction l as [|p r IH]; intros lo HK HB Hlo H H1 H2; cbn [map sum].
  - assert (INR (S lo) <= INR D) by (apply le_INR; lia). rewrite S_INR in *. nra.
  - specialize (H1 p (or_introl eq_refl)) as Q1. specialize (H2 p (or_introl eq_refl)) as Q2.
    cbn [map] in H. destruct (q p) as [d n]. simpl in H, Q1, Q2. destruct H as (A1 & A2 & E).
    assert (INR (S lo) <= INR d) by (apply le_INR; lia). rewrite S_INR in *.
    destruct (Nat.eq_dec d D) as [Ed|Ed].
    + specialize (Q2 Ed). subst d.
      assert (r = []) as -> by (destruct r as [|p' r]; [reflexivity|]; simpl in E; destruct (q p'); lia).
      cbn [map sum]. nra.
    + specialize (Q1 ltac:(lia)).
      specialize (IH d HK HB ltac:(lia) E (fun p Hp => H1 p (or_intror Hp)) (fun p Hp => H2 p (or_intror Hp))). nra.
Qed.
