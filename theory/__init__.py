"""Theorem 1 and its proof, step by step: exact regret, covering numbers, the ledger."""
