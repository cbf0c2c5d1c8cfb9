"""The streams of the adversaries, as points and labels: `abacoc run adversary:NAME,...`.

An entry point names this module: the library imports it when such a stream is asked for.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from abacoc.streams.generators import register
from abacoc.streams.generators.common import Made, require

from . import adversaries, spaces
from .sites import SiteBase

NAMES = tuple(adversaries.adversaries(1.0))
# Spaces that are points under the Euclidean distance, with the size that they have if none is
# given: points, points per side, or levels.
SIZES = {"interval": 401, "square": 24, "cube": 8, "cantor": 6, "sierpinski": 5}


def adversary(
    name: str,
    n: int = 10_000,
    seed: int = 0,
    space: str = "interval",
    size: int = 0,
    lipschitz: float = 1.0,
    covering: float = 1.0,
) -> Made:
    """A stream that an adversary chose, looking at BASE all the time.

    `size` 0 is the usual one of the space. `covering` is the covering constant of BASE. Only the
    adversary ``smooth`` has a use for `lipschitz`. The horizon n is known to most of them: a short
    stream is in general *not* the beginning of a longer one.

    >>> made = adversary("opposite", n=4, size=3)
    >>> made.X.ravel().tolist(), made.classes.tolist()
    ([1.0, 0.0, 0.5, 1.0], [1, 0, 0, 1])
    """
    require(space in SIZES, f"space is one of {', '.join(SIZES)}, not {space!r}")
    require(size >= 0, f"size is at least 1, or 0 for the usual one, not {size}")
    require(lipschitz >= 0, f"lipschitz is at least 0, not {lipschitz:g}")
    size = size or SIZES[space]
    where = getattr(spaces, space)(size)
    learner = SiteBase(where, covering)
    played = adversaries.play(learner, adversaries.adversaries(lipschitz)[name], n, seed)
    X = np.ascontiguousarray(where.points[played.sites], dtype=np.float64)
    what = f"the adversary {name} against BASE on {where.name}, covering constant {covering:g}"
    return Made(X, np.asarray(played.labels, dtype=np.int64), ("0", "1"), what)


for _name in NAMES:
    register(f"adversary:{_name}", partial(adversary, _name))
