(** Finite sums over lists, and Hoelder's inequality for them, from Young's. Its case 1/2 is the
    Cauchy-Schwarz inequality over balls of Lemma 2, its general case sums over the phases. *)
From Coq Require Import Reals Lra Lia List.
From Abacoc Require Import Powers.
Import ListNotations.
Local Open Scope R_scope.

Fixpoint sum (l : list R) : R := match l with [] => 0 | x :: r => x + sum r end.

Lemma sum_app : forall l m, sum (l ++ m) = sum l + sum m.
Proof. induction l as [|x r IH]; intros m; simpl; [ring|]. rewrite IH. ring. Qed.

Section SUMS.
Context {A : Type}.
Implicit Types (f g : A -> R) (l : list A).

Lemma sum_le : forall f g l, (forall x, In x l -> f x <= g x) -> sum (map f l) <= sum (map g l).
Proof.
  intros f g l. induction l as [|x r IH]; intros H; simpl; [lra|].
  pose proof (H x (or_introl eq_refl)). specialize (IH (fun z Hz => H z (or_intror Hz))). lra.
Qed.

Lemma sum_scal : forall f c l, sum (map (fun x => c * f x) l) = c * sum (map f l).
Proof. intros f c l. induction l as [|x r IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma sum_plus : forall f g l, sum (map (fun x => f x + g x) l) = sum (map f l) + sum (map g l).
Proof. intros f g l. induction l as [|x r IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma sum_const : forall c l, sum (map (fun _ => c) l) = INR (length l) * c.
Proof. intros c l. induction l as [|x r IH]; [simpl; ring|]. cbn [map sum length]. rewrite IH, S_INR. ring. Qed.

Lemma sum_nonneg : forall f l, (forall x, In x l -> 0 <= f x) -> 0 <= sum (map f l).
Proof. intros f l H. pose proof (sum_le (fun _ => 0) f l H) as Q. rewrite sum_const in Q. lra. Qed.

Lemma sum_pos : forall f l, l <> [] -> (forall x, In x l -> 0 < f x) -> 0 < sum (map f l).
Proof.
  intros f [|x r] N H; [congruence|]. simpl. pose proof (H x (or_introl eq_refl)).
  pose proof (sum_nonneg f r (fun z Hz => Rlt_le _ _ (H z (or_intror Hz)))). lra.
Qed.

Lemma sum_in : forall f l x, (forall z, In z l -> 0 <= f z) -> In x l -> f x <= sum (map f l).
Proof.
  intros f l x H Hx. apply in_split in Hx. destruct Hx as (l1 & l2 & ->). rewrite map_app, sum_app. cbn [map sum].
  assert (0 <= sum (map f l1)) by (apply sum_nonneg; intros z Hz; apply H, in_or_app; left; exact Hz).
  assert (0 <= sum (map f l2)) by (apply sum_nonneg; intros z Hz; apply H, in_or_app; right; right; exact Hz).
  lra.
Qed.

(** sum a^(1-al) n^al <= (sum a)^(1-al) (sum n)^al *)
Lemma hoelder : forall (a n : A -> R) al l, 0 <= al <= 1 -> l <> [] ->
  (forall x, In x l -> 0 < a x) -> (forall x, In x l -> 0 < n x) ->
  sum (map (fun x => Rpower (a x) (1 - al) * Rpower (n x) al) l)
  <= Rpower (sum (map a l)) (1 - al) * Rpower (sum (map n l)) al.
Proof.
  intros a n al l Hal Hl Ha Hn.
  set (sa := sum (map a l)). set (sn := sum (map n l)).
  assert (Hsa : 0 < sa) by (apply sum_pos; assumption).
  assert (Hsn : 0 < sn) by (apply sum_pos; assumption).
  set (K := Rpower sa (1 - al) * Rpower sn al).
  assert (HK : 0 < K) by (apply Rmult_lt_0_compat; apply Rpower_pos).
  assert (E : forall u s e, 0 < u -> 0 < s -> Rpower u e = Rpower (u / s) e * Rpower s e).
  { intros u s e Hu Hs. rewrite Rpower_mult_distr by (try apply Rdiv_lt_0_compat; assumption).
    f_equal. field. lra. }
  apply Rle_trans with (sum (map (fun x => K * ((1 - al) * (a x / sa) + al * (n x / sn))) l)).
  - apply sum_le. intros x Hx. pose proof (Ha x Hx) as Hax. pose proof (Hn x Hx) as Hnx.
    rewrite (E (a x) sa), (E (n x) sn) by assumption.
    pose proof (young (a x / sa) (n x / sn) al ltac:(apply Rdiv_lt_0_compat; assumption)
      ltac:(apply Rdiv_lt_0_compat; assumption) Hal) as Y.
    apply (Rmult_le_compat_l K) in Y; [|lra]. unfold K in *. lra.
  - rewrite sum_scal, sum_plus, !sum_scal. unfold Rdiv.
    rewrite (map_ext (fun x => a x * / sa) (fun x => / sa * a x)), sum_scal by (intros; ring).
    rewrite (map_ext (fun x => n x * / sn) (fun x => / sn * n x)), sum_scal by (intros; ring).
    fold sa sn. rewrite !Rinv_l by lra. lra.
Qed.

(** The case a = 1, which is Jensen's inequality: sum n^al <= k^(1-al) (sum n)^al for k terms. *)
Lemma jensen : forall (n : A -> R) al l, 0 <= al <= 1 -> l <> [] -> (forall x, In x l -> 0 < n x) ->
  sum (map (fun x => Rpower (n x) al) l) <= Rpower (INR (length l)) (1 - al) * Rpower (sum (map n l)) al.
Proof.
  intros n al l Hal Hl Hn. pose proof (hoelder (fun _ => 1) n al l Hal Hl ltac:(intros; lra) Hn) as Q.
  rewrite sum_const, Rmult_1_r in Q. erewrite map_ext; [exact Q|].
  intros x. cbv beta. rewrite Rpower_1_l. ring.
Qed.

(** Cauchy-Schwarz: sum sqrt n <= sqrt (k sum n) *)
Lemma cauchy_schwarz : forall (n : A -> R) l, (forall x, In x l -> 0 < n x) ->
  sum (map (fun x => sqrt (n x)) l) <= sqrt (INR (length l) * sum (map n l)).
Proof.
  intros n l Hn. destruct l as [|x r]; [simpl; apply sqrt_pos|]. set (l := x :: r) in *.
  assert (Hl : l <> []) by discriminate. pose proof (jensen n (/ 2) l ltac:(lra) Hl Hn) as Q.
  assert (Hs : 0 < sum (map n l)) by (apply sum_pos; assumption).
  assert (Hk : 0 < INR (length l)) by (apply lt_0_INR; simpl; lia).
  replace (1 - / 2) with (/ 2) in Q by field. rewrite !Rpower_sqrt in Q by assumption.
  rewrite sqrt_mult by lra. apply Rle_trans with (2 := Q). apply sum_le. intros z Hz.
  rewrite Rpower_sqrt; [lra|apply Hn, Hz].
Qed.
End SUMS.
