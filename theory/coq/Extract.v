(** Extraction of the rational BASE to OCaml: [run_sites], which runs.ml drives (prove.py --runs). *)
From Coq Require Import Extraction ExtrOcamlBasic.
From Abacoc Require Import Exact.
Extraction Language OCaml.
Extraction "exact_base.ml" run_sites.
