"""Theorem 1 and its proof, step by step: exact regret, covering numbers, the ledger.

>>> from abacoc_theory import check_bound, tree
>>> check_bound(tree(3, 4), "opposite", 500, L=1).holds
True
"""

from .lazy import __all__ as __all__
from .lazy import __getattr__ as __getattr__
