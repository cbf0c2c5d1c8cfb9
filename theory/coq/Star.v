(** The space of the witnesses: a hub, leaves that are delta apart and delta/2 from the hub, and a twin of
    every leaf, near to it. It is a metric space of diameter at most 1, and it has small covers: the hub
    for r >= delta/2, the leaves for r >= near, all points below. *)
From Coq Require Import Reals Lra Psatz Lia List Bool.
From Abacoc Require Import Algorithm Setting Powers.
Import ListNotations.
Local Open Scope R_scope.

Inductive site := Hub | Leaf (i : nat) (twin : bool).
Definition leaf (i : nat) : site := Leaf i false.

(** A function that knows which is the twin. *)
Definition twin_label (x : site) : R := match x with Hub => 0 | Leaf _ t => label t end.

Section STAR.
Variables delta near : R.
Hypothesis near_range : 0 < near <= delta / 2.
Hypothesis delta_range : delta <= 1.

Definition star (x y : site) : R :=
  match x, y with
  | Hub, Hub => 0
  | Hub, Leaf _ _ => delta / 2
  | Leaf _ _, Hub => delta / 2
  | Leaf i t, Leaf j u => if Nat.eqb i j then (if Bool.eqb t u then 0 else near) else delta
  end.

Lemma star_leaves : forall i j, star (leaf i) (leaf j) = if Nat.eqb i j then 0 else delta.
Proof. reflexivity. Qed.

Lemma star_metric : metric star.
Proof.
  repeat split.
  - destruct x as [|i t], y as [|j u]; simpl; intros E; try reflexivity; try lra.
    destruct (Nat.eqb_spec i j) as [->|]; [|lra]. destruct (Bool.eqb_spec t u) as [->|]; [reflexivity|lra].
  - intros ->. destruct y as [|j u]; simpl; [reflexivity|]. rewrite Nat.eqb_refl, Bool.eqb_reflx. reflexivity.
  - intros [|i t] [|j u]; simpl; try lra. destruct (Nat.eqb i j); [|lra]. destruct (Bool.eqb t u); lra.
  - intros [|i t] [|j u]; simpl; try reflexivity. rewrite (Nat.eqb_sym i j).
    destruct (Nat.eqb j i); [|reflexivity]. destruct t, u; reflexivity.
  - intros [|i t] [|j u] [|k v]; simpl; try lra;
    repeat match goal with |- context [Nat.eqb ?a ?b] => destruct (Nat.eqb_spec a b) end; subst; try congruence;
    destruct t || idtac; try destruct u; try destruct v; simpl; lra.
Qed.

(** The points of a stream that visits the leaves below top, and the twin of leaf j. *)
Definition among (top j : nat) (x : site) : Prop := x = Leaf j true \/ exists c, (c < top)%nat /\ x = leaf c.

Lemma star_covered : forall C d top j, 1 <= C -> 0 <= d -> (j < top)%nat ->
  INR top <= C * Rpower (2 / delta) d -> INR top + 1 <= C * Rpower (/ near) d ->
  forall r, 0 < r <= 1 -> exists cs : list site, INR (length cs) <= C * Rpower r (- d) /\
    forall x, among top j x -> exists c, In c cs /\ star x c <= r.
Proof.
  intros C d top j HC Hd Hj H1 H2 r [Hr0 Hr1]. set (leaves := map leaf (seq 0 top)).
  assert (Hlen : length leaves = top) by (unfold leaves; rewrite map_length, seq_length; reflexivity).
  assert (Hin : forall c, (c < top)%nat -> In (leaf c) leaves) by (intros c Hc; apply in_map, in_seq; lia).
  assert (Hsmall : forall s, r <= s -> C * Rpower s (- d) <= C * Rpower r (- d)).
  { intros s Hs. apply Rmult_le_compat_l; [lra|]. apply Rpower_anti; assumption. }
  destruct (Rle_lt_dec (delta / 2) r) as [Hbig|Hmid]; [|destruct (Rle_lt_dec near r) as [Hn|Hn]].
  - exists [Hub]. split.
    + simpl. specialize (Hsmall 1 Hr1). rewrite Rpower_1_l in Hsmall. lra.
    + intros x Hx. exists Hub. split; [left; reflexivity|]. destruct Hx as [->|(c & _ & ->)]; simpl; lra.
  - exists leaves. split.
    + rewrite Hlen. apply Rle_trans with (1 := H1). replace (2 / delta) with (/ (delta / 2)) by (field; lra).
      rewrite Rpower_Rinv by lra. apply Hsmall. lra.
    + intros x [->|(c & Hc & ->)]; [exists (leaf j)|exists (leaf c)]; (split; [apply Hin; assumption|]);
      simpl; rewrite Nat.eqb_refl; lra.
  - exists (Leaf j true :: leaves). split.
    + cbn [length]. rewrite Hlen, S_INR. apply Rle_trans with (1 := H2). rewrite Rpower_Rinv by lra. apply Hsmall. lra.
    + intros x Hx. exists x. split.
      * destruct Hx as [->|(c & Hc & ->)]; [left; reflexivity|right; apply Hin, Hc].
      * rewrite (proj2 (proj1 star_metric x x) eq_refl). lra.
Qed.

Lemma twin_lipschitz : forall top j x y, among top j x -> among top j y ->
  Rabs (twin_label x - twin_label y) <= / near * star x y.
Proof.
  intros top j x y Hx Hy. assert (E : / near * near = 1) by (field; lra).
  assert (E2 : 1 <= / near * delta) by (rewrite <- E; apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat; lra|lra]).
  destruct Hx as [->|(c & _ & ->)]; destruct Hy as [->|(c' & _ & ->)]; simpl;
  repeat match goal with |- context [Nat.eqb ?a ?b] => destruct (Nat.eqb a b) end;
  rewrite ?E, ?Rmult_0_r; unfold Rabs; destruct (Rcase_abs _); lra.
Qed.
End STAR.
