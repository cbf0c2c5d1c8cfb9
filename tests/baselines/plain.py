"""The competitors and the yardsticks once more, short, to compare the package with.

Each takes points, labels and which examples are learned; each gives the predictions and the model
size after each example. Ties: `argsort` is stable and `max` takes the first of equals.
"""

import math

import numpy as np
from hypothesis import strategies as st


def squares(stored, x):
    """Squared distances of all stored points, added attribute by attribute in order."""
    totals = np.zeros(len(stored))
    for column, value in zip(np.reshape(stored, (len(stored), len(x))).T, x, strict=True):
        difference = column - value
        totals += difference * difference
    return totals


def neighbours(X, y, learned, k=3, condensed=False):
    points, labels, seen, predictions, sizes = [], [], [], [], []
    for x, label, learn in zip(X, y, learned, strict=True):
        near = np.argsort(np.sqrt(squares(points, x)), kind="stable")[:k]
        votes = [labels[i] for i in near]
        predictions.append(max(seen, key=votes.count, default=None))
        if learn and not (condensed and predictions[-1] == label):
            points.append(x)
            labels.append(label)
        if learn and label not in seen:
            seen.append(label)
        sizes.append(len(points))
    return predictions, sizes


def labels_only(y, learned, last):
    """NoChange if ``last``, else Majority."""
    known, predictions, sizes = [], [], []
    for label, learn in zip(y, learned, strict=True):
        ranked = known[-1:] if last else sorted(dict.fromkeys(known), key=known.count, reverse=True)
        predictions.append(ranked[0] if ranked else None)
        known += [label] * bool(learn)
        sizes.append(min(1, len(known)) if last else len(set(known)))
    return predictions, sizes


def perceptron(X, y, learned, gamma):
    points, signs, seen, predictions, sizes, scores = [], [], [], [], [], {}
    for x, label, learn in zip(X, y, learned, strict=True):
        scores = dict.fromkeys(seen, 0.0)
        for square, (plus, minus) in zip(squares(points, x).tolist(), signs, strict=True):
            value = math.exp(-gamma * square)
            scores[plus] += value
            if minus is not None:
                scores[minus] -= value
        predictions.append(max(seen, key=scores.get, default=None))
        rival = max((other for other in seen if other != label), key=scores.get, default=None)
        beaten = rival is not None and scores[rival] >= scores.get(label, -math.inf)
        if learn and (label not in seen or beaten):
            points.append(x)
            signs.append((label, rival))
        if learn and label not in seen:
            seen.append(label)
        sizes.append(len(points))
    return predictions, sizes, scores  # the scores of the last example


def streams(longest=500):
    """Streams full of ties and copies, long enough for leaves to split and bits to be packed."""
    return st.builds(stream, st.integers(0, 2**32), st.just(longest))


def stream(seed, longest):
    rng = np.random.default_rng(seed)
    n, d = rng.choice([1, 7, longest // 4, longest // 2, longest]), rng.choice([1, 2, 3, 8])
    kinds = ["uniform", "lattice", "few", "sorted", "bits", "mixed", "drift", "same"]
    kind = rng.choice(kinds)
    X = rng.random((n, d))
    if kind == "lattice":
        X = rng.integers(0, rng.integers(2, 6), (n, d)).astype(float)
    elif kind == "few":
        X = X[rng.integers(0, min(n, 20), n)]
    elif kind == "sorted":
        X = np.sort(X, axis=0)
    elif kind in ("bits", "mixed"):
        X = (rng.random((n, rng.integers(16, 150))) < 0.1).astype(float)
        if kind == "mixed":
            X[:, :3] = rng.integers(0, 9, (n, 3)) * rng.choice([0.1, 1.0, 50.0])
            X[rng.random(X.shape) < 0.002] = -0.0
            X[rng.random(X.shape) < 0.002] = 0.3
        X = X[rng.integers(0, n, n)]  # copies
    elif kind == "drift":
        X += np.linspace(0, 30, n)[:, np.newaxis]
    elif kind == "same":
        X[:] = X[0]
    X *= rng.choice([1.0, 1.0, 1.0, 1e-3, 1e9, 1e-162, 1e-310, 1e149])
    y = rng.integers(0, rng.choice([1, 2, 3, 40]), n)
    if rng.random() < 0.3:
        y = np.arange(n)  # then the vote tells which examples are near
    elif rng.random() < 0.5:
        y[-1] = 77  # a class that comes late
    return X, y, rng.random(n) < rng.choice([1.0, 1.0, 0.5])
