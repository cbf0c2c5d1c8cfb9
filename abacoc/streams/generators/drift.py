"""Streams whose concept changes: the SEA concepts and the rotating hyperplane."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from abacoc.streams.generators.common import FloatArray, IntArray, Made, chance, flip, require

# Which attributes count (from 0), and the threshold of each block.
SEA_VARIANTS: dict[str, tuple[tuple[int, int], tuple[float, ...]]] = {
    "street-kim": ((0, 1), (8.0, 9.0, 7.0, 9.5)),
    "file": ((1, 2), (8.0, 9.0, 7.0, 9.0)),  # as found in the registered set, see the tests
}


def sea(
    n: int = 60_000,
    seed: int = 0,
    noise: float = 0.1,
    block: int = 15_000,
    variant: str = "street-kim",
) -> Made:
    """SEA concepts: the sum of two of three numbers against a threshold that jumps.

    Street and Kim, KDD 2001. Attributes are uniform in [0, 10); the label is 1 if the sum of the
    first two is above 8, 9, 7, 9.5 in turn, a `block` of examples each, and round again; a share
    `noise` of the labels is flipped. The variant ``file`` does what the registered set ``sea``
    does: the *last* two attributes count, and the fourth threshold is 9. (To distances it is the
    same which of the attributes counts.)

    >>> made = sea(n=4, noise=0.0, block=1)
    >>> (made.X[:, 0] + made.X[:, 1]).round(2).tolist(), made.classes.tolist()
    ([3.84, 11.08, 10.58, 11.58], [0, 1, 1, 1])
    """
    require(block >= 1, f"block is a number of examples, not {block}")
    require(
        variant in SEA_VARIANTS,
        f"variant is one of {', '.join(SEA_VARIANTS)}, not {variant!r}",
    )
    (a, b), thresholds = SEA_VARIANTS[variant]
    X = chance("sea", 0, seed).random((n, 3)) * 10.0
    theta = np.array(thresholds)[np.arange(n) // block % len(thresholds)]
    true = (X[:, a] + X[:, b] > theta).astype(np.int64)
    classes = flip(true, 2, noise, chance("sea", 1, seed))
    listed = ", ".join(f"{value:g}" for value in thresholds)
    what = (
        f"SEA concepts, x{a + 1} + x{b + 1} > {listed} in blocks of {block:,},"
        f" {100 * noise:g} % of the labels flipped"
    )
    return Made(X, classes, ("0", "1"), what)


def hyperplane(
    n: int = 100_000,
    seed: int = 0,
    d: int = 10,
    classes: int = 5,
    drifting: int = 10,
    magnitude: float = 0.1,
    period: int = 1_000,
    reverse: float = 0.1,
    noise: float = 0.05,
    low: float = 0.0,
    width: float = 0.0,
) -> Made:
    """Rotating hyperplane: strips between parallel hyperplanes that turn all the time.

    After Hulten, Spencer and Domingos (KDD 2001) and Fan (KDD 2004), for several classes. Points
    are uniform in [0, 1)^d, weights start uniform in [`low`, 1). The first `drifting` of them
    change steadily, by `magnitude` per `period` of examples; after each period every one of them
    turns back with chance `reverse`. The class says in which of `classes` strips w.x lies. Their
    borders follow w: they are the quantiles of a normal distribution with the mean and the
    variance of w.x, so that all classes are about alike frequent. With a `width` above 0 the inner
    strips are that many standard deviations of w.x wide instead, evenly about its mean: the wider
    they are, the more examples lie in the middle. A share `noise` of the labels is replaced.

    The size is that of the paper's hyperPlane. Of the drift in that file we know nothing: the
    defaults here are usual ones of the literature, not fitted to the paper's results.

    >>> still = hyperplane(n=50_000, magnitude=0.0, noise=0.0)
    >>> turning = hyperplane(n=50_000, noise=0.0)
    >>> changed = still.classes != turning.classes
    >>> [round(float(changed[t : t + 1000].mean()), 2) for t in (0, 3_000, 49_000)]
    [0.1, 0.61, 0.87]
    """
    require(d >= 1, f"d is a number of attributes, not {d}")
    require(classes >= 2, f"classes must be at least 2, not {classes}")
    require(0 <= drifting <= d, f"drifting is a number of attributes from 0 to {d}, not {drifting}")
    require(0 <= magnitude <= 1000, f"magnitude is a change from 0 to 1000, not {magnitude:g}")
    require(period >= 1, f"period is a number of examples, not {period}")
    require(0 <= reverse <= 1, f"reverse is a chance from 0 to 1, not {reverse:g}")
    require(-1 <= low < 1, f"low is a weight from -1 to below 1, not {low:g}")
    require(0 <= width <= 10, f"width is a number of deviations from 0 to 10, not {width:g}")
    X = chance("hyperplane", 0, seed).random((n, d))
    weights = low + (1.0 - low) * chance("hyperplane", 2, seed).random(d)
    start, direction = _courses(weights, -(-n // period), drifting, magnitude, reverse, seed)
    phase, step = np.divmod(np.arange(n), period)
    done = step / period
    score, squares = np.zeros(n), np.zeros(n)
    for i in range(d):
        w = start[phase, i] + direction[phase, i] * done
        score += w * (X[:, i] - 0.5)  # w.x less its mean
        squares += w * w
    deviation = np.sqrt(squares / 12.0)  # a uniform number has variance 1/12
    strip: IntArray = np.zeros(n, dtype=np.int64)
    for k in range(1, classes):
        # Rounded, because the last bits come from the logarithm of the machine.
        quantile = round(NormalDist().inv_cdf(k / classes), 12)
        z = width * (k - classes / 2) if width else quantile
        strip += score > z * deviation
    labels = flip(strip, classes, noise, chance("hyperplane", 1, seed))
    what = (
        f"{classes} strips between rotating hyperplanes, {drifting} of {d} weights change by"
        f" {magnitude:g} in {period:,} examples, {100 * noise:g} % of the labels replaced"
    )
    return Made(X, labels, tuple(map(str, range(classes))), what)


def _courses(
    weights: FloatArray, periods: int, drifting: int, magnitude: float, reverse: float, seed: int
) -> tuple[FloatArray, FloatArray]:
    """The weights at the start of each period, and what is added to them in it."""
    d = len(weights)
    coins = chance("hyperplane", 3, seed).random((periods, d))
    signs = np.where(coins[0] < 0.5, -1.0, 1.0)
    start, change = np.empty((periods, d)), np.empty((periods, d))
    moves = np.arange(d) < drifting
    for k in range(periods):
        if k > 0:
            signs = np.where(coins[k] < reverse, -signs, signs)
        start[k], change[k] = weights, np.where(moves, signs * magnitude, 0.0)
        weights = weights + change[k]
    return start, change
