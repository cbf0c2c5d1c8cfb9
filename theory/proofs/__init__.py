"""The ledger: every step of the proofs, its check, and what came out."""
