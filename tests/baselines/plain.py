"""The competitors and the yardsticks once more, short, to compare the package with.

Each takes points, labels and which examples are learned; each gives the predictions and the model
size after each example. Ties: `argsort` is stable and `max` takes the first of equals.
"""

import math
from collections import Counter
from fractions import Fraction

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


class Iblstreams:
    """The base is a list of pairs of a point and a label, the oldest first."""

    def __init__(self, k=16, size=5000, start=1000, reading="described"):
        self.k, self.size, self.start, self.reading = k, size, start, reading
        self.base, self.seen, self.n_learned = [], [], 0
        self.low, self.high, self.fifths = [], [], []
        self.tried, self.errors, self.lowest = [], [], None
        self.events = Counter()

    def share(self, x):
        """The point in units of the ranges; a range that is too small to divide by is none."""
        ranges = zip(x, self.low, self.high, strict=True)
        return [
            (v - low) * (1.0 / (high - low)) if high - low >= 2.0**-1022 else 0.0
            for v, low, high in ranges
        ]

    def nearest(self, x, n):
        """Pairs of distance and place in the base, the nearest first."""
        if not self.base:
            return []
        totals = squares([self.share(point) for point, _ in self.base], self.share(x))
        return sorted((math.sqrt(total), i) for i, total in enumerate(totals.tolist()))[:n]

    def say(self, near, k):
        """What the k nearest vote for."""
        votes = [self.base[i][1] for _, i in near[:k]]
        if near and near[0][0] == 0.0:
            return votes[0]
        return max(self.seen, key=votes.count) if votes else None

    def predict(self, x):
        return self.say(self.nearest(x, self.k), self.k) if self.n_learned >= self.start else None

    def learn(self, x, label):
        x = list(x)
        if label not in self.seen:
            self.seen.append(label)
        self.low = [min(pair) for pair in zip(x, self.low or x, strict=True)]
        self.high = [max(pair) for pair in zip(x, self.high or x, strict=True)]
        running = self.n_learned >= self.start
        self.n_learned += 1
        if running:
            self.adapt(x, label)
            self.edit(x, label)
        self.base.append((x, label))
        if running:
            self.detect()

    def adapt(self, x, label):
        near = self.nearest(x, self.k + 1)
        self.errors.append(self.say(near, self.k) != label)
        options = [k for k in (self.k - 1, self.k, self.k + 1) if 4 <= k <= 40]
        said = [self.say(near, k) for k in options]
        if self.reading == "moa":  # the loop ends after the first
            said[1:] = [self.seen[0]] * (len(said) - 1)
        self.tried.append([answer != label for answer in said])
        if len(self.tried) >= 100:
            wrong = dict(zip(options, map(sum, zip(*self.tried[-100:], strict=True)), strict=True))
            better = [k for k in options if wrong[k] < wrong[self.k]]
            if better:
                self.k = min(better, key=wrong.get)
                self.events["moves"] += 1
                self.tried = []

    def edit(self, x, label):
        mean = None
        if self.fifths:
            mean = 0.0
            for distance in self.fifths[-100:]:  # the sum of Python 3.12 rounds otherwise
                mean += distance
            mean /= len(self.fifths[-100:])
        near = self.nearest(x, 50)
        if len(near) >= 5:
            self.fifths.append(near[4][0])
        gone_before = len(self.base)
        while True:
            by_age = sorted(i for _, i in near)
            young = [self.base[i][1] for i in by_age[-5:]] + [label]
            (_, most), *others = Counter(young).most_common()
            leads = young.count(label) == most and (
                most - (others[0][1] if others else 0) > Fraction(len(young), len(self.seen) + 1)
            )
            same = [self.base[i][1] for i in by_age].count(label) + 1
            redundant = (
                Fraction(same, len(near) + 1) >= Fraction(98, 100)
                and set(young) == {label}
                and len(near) >= 5
                and mean is not None
                and near[4][0] < mean
            )
            gone = {}
            for _, i in near[:5]:
                if i in by_age[:25]:
                    if leads and self.base[i][1] != label:
                        gone[i] = "contradictions"
                    elif redundant:
                        gone[i] = "redundancies"
            if not gone:
                break
            self.events.update(gone.values())
            self.base = [pair for i, pair in enumerate(self.base) if i not in gone]
            near = self.nearest(x, 50)
        if len(self.base) == gone_before == self.size:
            del self.base[min(i for _, i in near[:5])]
            self.events["replacements"] += 1

    def detect(self):
        if len(self.errors) < 100:
            return
        p = Fraction(sum(self.errors[-100:]), 100)
        if self.lowest is None or upper(p, 1) < upper(self.lowest, 1):
            self.lowest = p
        q = Fraction(sum(self.errors[-10:]), 10) - self.lowest
        quarter = Fraction(1, 4)
        risen = p >= quarter and p - self.lowest > quarter and q > quarter
        if risen and upper(p, 1) > upper(self.lowest, 4):
            guessing = 1 - p <= Fraction(1, len(self.seen))
            stay = 0 if guessing else len(self.base) - math.floor(q * len(self.base))
            self.base = self.base[-max(stay, 50) :]
            self.errors, self.tried, self.lowest = [], [], None
            self.events["changes"] += 1


def upper(p, times):
    """p + times s, in a unit in which p is a whole number and s the root of one."""
    return 10.0 * int(100 * p) + times * math.sqrt(int(10_000 * p * (1 - p)))


def iblstreams(X, y, learned, **settings):
    """Predictions, model sizes, and how often what happened."""
    learner, predictions, sizes = Iblstreams(**settings), [], []
    for x, label, learn in zip(X.tolist(), y, learned, strict=True):
        predictions.append(learner.predict(x))
        if learn:
            learner.learn(x, label)
        sizes.append(len(learner.base))
    return predictions, sizes, learner.events


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
