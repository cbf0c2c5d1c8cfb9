"""The methods, and the epoch of their answers.

A stored run carries the epoch of its method. Whoever changes what a method answers, be it one
prediction or one model size on one stream, raises its epoch by one, and the runs of the epoch
before are computed anew where they are needed. What changes no answer (a name, a layout, a
faster search) leaves the epoch alone, and every stored run stays valid. ``tests/golden.json``
has digests of the answers: a changed digest without a raised epoch is a red test.
"""

from __future__ import annotations

EPOCHS: dict[str, int] = {
    "base": 2,  # the dimension check is exact
    "base-adj": 2,  # the same
    "auto": 1,
    "auto-adj": 1,
    "auto-adj-fix": 1,
    "nn3": 1,
    "cnn": 1,
    "k-perc": 1,
    "vfdt": 1,
    "rules": 1,
}
