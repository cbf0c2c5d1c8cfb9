(** The game of one ball: labels come, the counts predict each of them. Its regret is against the best
    constant, which is p*_s in the proof of Lemma 2. *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Powers Huber.
Import ListNotations.
Local Open Scope R_scope.

(** The counts after the labels ys. *)
Fixpoint tally (ys : list bool) (ab : nat * nat) : nat * nat :=
  match ys with [] => ab | y :: r => tally r (count y ab) end.
(** What the ball's predictions lose on them. *)
Fixpoint play (ys : list bool) (ab : nat * nat) : R :=
  match ys with [] => 0 | y :: r => loss y (prob (fst ab) (snd ab)) + play r (count y ab) end.

(** * Counts *)

Lemma lead_count : forall y ab,
  INR (fst (count y ab)) - INR (snd (count y ab)) = INR (fst ab) - INR (snd ab) + sgn y.
Proof. intros [|] [a b]; unfold count, sgn; simpl fst; simpl snd; rewrite S_INR; ring. Qed.

Lemma size_count : forall y ab, (fst (count y ab) + snd (count y ab) = S (fst ab + snd ab))%nat.
Proof. intros [|] [a b]; simpl; lia. Qed.

Lemma tally_size : forall ys ab, (fst (tally ys ab) + snd (tally ys ab) = fst ab + snd ab + length ys)%nat.
Proof. induction ys as [|y r IH]; intros ab; simpl; [lia|]. rewrite IH, size_count. lia. Qed.

Lemma tally_app : forall ys zs ab, tally (ys ++ zs) ab = tally zs (tally ys ab).
Proof. induction ys as [|y r IH]; intros zs ab; simpl; [reflexivity|]. apply IH. Qed.

Lemma play_app : forall ys zs ab, play (ys ++ zs) ab = play ys ab + play zs (tally ys ab).
Proof. induction ys as [|y r IH]; intros zs ab; simpl; [ring|]. rewrite IH. ring. Qed.

(** What the best constant loses: the rarer label. *)
Lemma best_constant : forall a b : nat, Rmin (INR a) (INR b) = (INR (a + b) - Rabs (INR a - INR b)) / 2.
Proof.
  intros a b. rewrite plus_INR. unfold Rmin, Rabs. destruct (Rle_dec _ _); destruct (Rcase_abs _); lra.
Qed.

Lemma lead_le_size : forall a b : nat, Rabs (INR a - INR b) <= INR (a + b).
Proof.
  intros a b. rewrite plus_INR. pose proof (pos_INR a). pose proof (pos_INR b).
  unfold Rabs; destruct (Rcase_abs _); lra.
Qed.

(** * Losses *)

Lemma loss_range : forall y p, 0 <= p <= 1 -> 0 <= loss y p <= 1.
Proof. intros y p H. unfold loss, label. destruct y; unfold Rabs; destruct (Rcase_abs _); lra. Qed.

Lemma loss_nonneg : forall y p, 0 <= loss y p.
Proof. intros. apply Rabs_pos. Qed.

Lemma loss_half : forall y, loss y (1/2) = 1/2.
Proof. intros [|]; unfold loss, label, Rabs; destruct (Rcase_abs _); lra. Qed.

Lemma play_nonneg : forall ys ab, 0 <= play ys ab.
Proof.
  induction ys as [|y r IH]; intros ab; simpl; [lra|].
  pose proof (loss_nonneg y (prob (fst ab) (snd ab))). specialize (IH (count y ab)). lra.
Qed.

(** The label that is not in the lead costs at least 1/2. *)
Lemma loss_against : forall a b y, sgn y * (INR a - INR b) <= 0 -> 1/2 <= loss y (prob a b).
Proof.
  intros a b y H. rewrite loss_potential. set (s := sqrt (INR (a + b) + 2)).
  assert (Hs : 0 < s) by (apply sqrt_lt_R0; pose proof (pos_INR (a + b)); lra).
  assert (Hd : sgn y * dphi s (INR a - INR b) <= 0) by (unfold dphi, sgn in *; destruct y; cases_lt; lra).
  assert (0 < / (4 * s)) by (apply Rinv_0_lt_compat; lra). unfold Rdiv at 2. nra.
Qed.

(** Labels 1, 0, 1, 0, ...: half a mistake each, if the zeros are not behind. *)
Fixpoint alternating (m : nat) : list bool :=
  match m with O => [] | S k => true :: false :: alternating k end.

Lemma alternating_length : forall m, length (alternating m) = (2 * m)%nat.
Proof. induction m as [|m IH]; [reflexivity|]. simpl. rewrite IH. lia. Qed.

Lemma alternating_play : forall m a b, (a <= b <= S a)%nat -> INR m <= play (alternating m) (a, b).
Proof.
  induction m as [|m IH]; intros a b H; [simpl; lra|]. cbn [alternating play count fst snd]. rewrite S_INR.
  assert (INR a <= INR b <= INR (S a)) by (split; apply le_INR; lia).
  pose proof (loss_against a b true ltac:(simpl; lra)). pose proof (loss_against (S a) b false ltac:(simpl sgn; lra)).
  specialize (IH (S a) (S b) ltac:(lia)). lra.
Qed.

Lemma alternating_tally : forall m a b, tally (alternating m) (a, b) = (a + m, b + m)%nat.
Proof.
  induction m as [|m IH]; intros a b; cbn; [f_equal; lia|]. rewrite IH. f_equal; lia.
Qed.
