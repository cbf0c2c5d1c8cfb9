"""Streams without drift: two crescents, a curved sheet of chosen dimension, uniform points."""

from __future__ import annotations

import math

import numpy as np

from abacoc.streams.generators.common import (
    FloatArray,
    Made,
    bell,
    chance,
    cosine,
    flip,
    require,
    sine,
)

WAVE = 0.5  # period of the labels along the sheet, whose latent cube has side 1
HEIGHT = 0.25  # of the waves of the sheet, the largest, all of them together


def banana(n: int = 5_300, seed: int = 0, spread: float = 0.3) -> Made:
    """Two crescents in the plane, one per class, that reach into each other.

    Half circles of radius 1 around (0, 0) and (1, 1/2), the second upside down, plus a bounded
    bell of standard deviation `spread` in both directions. At 0.3 the best classifier errs on
    about 9 % and the nearest neighbour on 13 %, as it does on the real banana.

    >>> banana(n=200, spread=0.0).X.max(axis=0).round(2).tolist()
    [2.0, 1.0]
    """
    require(spread >= 0, f"spread is at least 0, not {spread:g}")
    u = chance("banana", 0, seed).random((n, 2))
    lower = u[:, 0] < 0.5
    angle = u[:, 1] / 2.0
    x = np.where(lower, 1.0 - cosine(angle), cosine(angle))
    y = np.where(lower, 0.5 - sine(angle), sine(angle))
    X = np.stack([x, y], axis=1) + spread * bell(chance("banana", 1, seed), n, 2)
    return Made(X, lower.astype(np.int64), ("-1", "1"), f"two crescents, spread {spread:g}")


def manifold(
    n: int = 10_000,
    seed: int = 0,
    d: int = 2,
    ambient: int = 10,
    lipschitz: float = 20.0,
    noise: float = 0.1,
) -> Made:
    """A curved sheet of dimension d in `ambient` dimensions; P(1 | x) is Lipschitz.

    Points u are uniform in the cube [0, 1)^d. The sheet is the graph of `ambient` - d sine waves
    over the cube, turned at random and shrunk until its diameter is at most 1. A graph keeps
    distances apart: |x - x'| >= |u - u'| times the shrinking, so what is Lipschitz in u is so
    in x. P(1 | x) is clip(1/2 + `lipschitz` * wave, noise, 1 - noise), where the wave is a zigzag
    of slope 1 along a random direction of the cube, measured in distances between the x.

    >>> made = manifold(n=300, d=1, ambient=3)
    >>> gaps = made.X[:, None] - made.X[None]
    >>> made.X.shape, bool(np.sqrt((gaps**2).sum(axis=2)).max() <= 1)
    ((300, 3), True)
    """
    require(d >= 1, f"d is a dimension of at least 1, not {d}")
    require(ambient >= d, f"ambient must be at least d = {d}, not {ambient}")
    require(lipschitz >= 0, f"lipschitz is at least 0, not {lipschitz:g}")
    require(0 <= noise <= 0.5, f"noise is a chance from 0 to 0.5, not {noise:g}")
    u = chance("manifold", 0, seed).random((n, d))
    form = chance("manifold", 2, seed)
    along = _unit(form.random(d) - 0.5)
    phase = form.random()
    waves = ambient - d
    parts = [u[:, i] for i in range(d)]
    for j in range(waves):
        # Faster and flatter, all as steep: waves of one length span too few dimensions.
        k = 1 + j // (2 * d)
        turns = _dot(u, k * _unit(form.random(d) - 0.5)) + form.random()
        parts.append(HEIGHT / math.sqrt(waves) / k * sine(turns))
    # A cube has diameter sqrt(d); a wave is at most 2 HEIGHT / sqrt(waves) from top to bottom.
    shrink = 1.0 / math.sqrt(d + (4.0 * HEIGHT * HEIGHT if waves else 0.0))
    turned = np.zeros((n, ambient))
    for part, axis in zip(parts, _axes(ambient, form), strict=True):
        turned += part[:, np.newaxis] * axis
    where = _dot(u, along) / WAVE + phase
    zigzag = WAVE * (0.25 - np.abs(where - np.floor(where) - 0.5)) * shrink
    likely = np.clip(0.5 + lipschitz * zigzag, noise, 1.0 - noise)
    classes = (chance("manifold", 1, seed).random(n) < likely).astype(np.int64)
    what = (
        f"a sheet of dimension {d} in {ambient}, P(1|x) {lipschitz:g}-Lipschitz"
        f" from {noise:g} to {1 - noise:g}"
    )
    return Made(turned * shrink, classes, ("0", "1"), what)


def uniform(n: int = 10_000, seed: int = 0, d: int = 5, noise: float = 0.2) -> Made:
    """Uniform points in a cube, cut in half, with flipped labels, as in `abacoc bench`.

    The class is x_1 + ... + x_d > d/2 for x uniform in [0, 1)^d. `abacoc bench` has the seed
    20140815, and noise 0.3, 0.2, 0.1 for d = 2, 5, 10.

    >>> made = uniform(n=4, d=2, noise=0.0, seed=20140815)
    >>> made.X.sum(axis=1).round(2).tolist(), made.classes.tolist()
    ([0.76, 0.33, 1.12, 1.21], [0, 0, 1, 1])
    """
    require(d >= 1, f"d is a number of attributes, not {d}")
    X = np.random.default_rng([seed, d, 0]).random((n, d))
    true = (_dot(X, np.ones(d)) > d / 2).astype(np.int64)
    classes = flip(true, 2, noise, np.random.default_rng([seed, d, 1]))
    what = f"uniform points in [0, 1)^{d} cut in half, {100 * noise:g} % of the labels flipped"
    return Made(X, classes, ("0", "1"), what)


def _dot(rows: FloatArray, vector: FloatArray) -> FloatArray:
    """The product with a vector, coordinate by coordinate."""
    total = np.zeros(len(rows))
    for column, factor in zip(rows.T, vector.tolist(), strict=True):
        total += column * factor
    return total


def _unit(vector: FloatArray) -> FloatArray:
    result: FloatArray = vector / math.sqrt(np.cumsum(vector * vector)[-1])
    return result


def _axes(k: int, rng: np.random.Generator) -> FloatArray:
    """k orthonormal vectors, by Gram and Schmidt; the second round mends what rounding broke."""
    axes = rng.random((k, k)) - 0.5
    for i in range(k):
        for _ in range(2):
            for earlier in axes[:i]:
                # A cumulative sum has an order; a plain one has not.
                axes[i] -= np.cumsum(axes[i] * earlier)[-1] * earlier
        axes[i] = _unit(axes[i])
    return axes
