"""Small streams for the golden digests, the same to the last bit on every machine.

They are made of whole numbers by a linear congruential generator; what is no whole number is one
times a power of two. Each is made for something that it has to reach, see test_golden.py. A stream
never changes: a better one gets a new name, and new digests.
"""

import numpy as np


class Numbers:
    """Knuth's 64-bit generator; the high bits only.

    >>> numbers = Numbers(1)
    >>> [numbers.below(10) for _ in range(5)]
    [3, 6, 0, 4, 5]
    """

    def __init__(self, seed):
        self.state = seed
        self.below(2)  # the first one is nearly the seed itself

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n

    def points(self, d, n=1024):
        """d coordinates of the form k / n; n is a power of two."""
        return [self.below(n) / n for _ in range(d)]


def ties():
    """Few places on a grid, three classes at random: ties everywhere; half of the zeros are -0."""
    r = Numbers(1)
    zero = (0.0, -0.0)
    rows = [[float(r.below(5)) or zero[r.below(2)] for _ in range(2)] for _ in range(300)]
    return rows, [r.below(3) for _ in rows]


def duplicates():
    """Twelve different points, often the same twice in a row; a quarter of the labels is wrong."""
    r = Numbers(2)
    places = [r.points(3, 64) for _ in range(12)]
    rows, labels = [], []
    while len(rows) < 240:
        i = r.below(12)
        for _ in range(1 + r.below(3)):
            rows.append(places[i])
            labels.append((i + (r.below(4) == 0)) % 3)
    return rows, labels


def late():
    """Two classes; a third and a fourth after two hundred examples, a fifth in the last."""
    r = Numbers(3)
    rows = [r.points(2) for _ in range(320)]
    labels = [int(x > y) + 2 * (t > 200 and r.below(3) == 0) for t, (x, y) in enumerate(rows)]
    return rows, [*labels[:-1], 4]


def single():
    """One class."""
    r = Numbers(4)
    return [r.points(2) for _ in range(120)], [1] * 120


def phases():
    """Points of a cube of five dimensions: BASE has to start one phase after the other."""
    r = Numbers(5)
    rows = [r.points(5) for _ in range(600)]
    return rows, [int(sum(x) * 1024 > 2560) ^ (r.below(8) == 0) for x in rows]


def leaves():
    """BASE's dimension check is at its border: in step k there is room for 2 k^(1/3) balls.

    Ten points equally far apart, each of which comes for the first time as soon as there is
    room for its ball; the sixth in step 27, the eighth in 64, the tenth in 125, where the room
    is exactly 6, 8 and 10. What follows is at random.
    """
    r = Numbers(6)
    first = {1: 0, 2: 1, 4: 2, 9: 3, 16: 4, 27: 5, 43: 6, 64: 7, 92: 8, 125: 9}
    rows, labels, known = [], [], 0
    for k in range(1, 301):
        known = first.get(k, known)
        leaf = known if k in first else r.below(known + 1)
        rows.append([0.625 if j == leaf else 0.0 for j in range(10)])
        labels.append((leaf ^ (r.below(5) == 0)) & 1)
    return rows, labels


def crowded():
    """Four classes at random in the plane: balls err, and new ones are opened all the time."""
    r = Numbers(7)
    rows = [r.points(2) for _ in range(500)]
    return rows, [r.below(4) for _ in rows]


def bits():
    """Seventy 0/1 columns, two words of bits, among them two dense ones."""
    r = Numbers(8)
    rows, labels = [], []
    for _ in range(260):
        kind = r.below(4)
        row = [float(r.below(8) < (6 if j % 4 == kind else 2)) for j in range(70)]
        rows.append([*row[:30], *r.points(1, 16), *row[30:], *r.points(1, 16)])
        labels.append(kind if r.below(4) else r.below(4))
    return rows, labels


def only_bits():
    """Twenty 0/1 columns and nothing else; now and then one half in one of them, or -0."""
    r = Numbers(9)
    values = (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, -0.0, 0.5)
    rows = [
        [values[r.below(40) % (10 if r.below(9) == 0 else 8)] for _ in range(20)]
        for _ in range(400)
    ]
    return rows, [int(sum(x) > 10) ^ (r.below(3) == 0) for x in rows]


def tree():
    """Points that come from left to right, so that a search tree grows lopsided."""
    r = Numbers(10)
    rows = [[(8 * t + r.below(64)) / 8192, r.below(256) / 8192] for t in range(1200)]
    return rows, [r.below(3) for _ in rows]


def huge():
    """Coordinates whose squares are just below the largest float."""
    r = Numbers(11)
    rows = [[(r.below(511) - 255) * 2.0**500 for _ in range(2)] for _ in range(250)]
    return rows, [int(x < y) ^ (r.below(6) == 0) for x, y in rows]


def tiny():
    """Coordinates of all sizes whose squares are 0, below the normal floats, or just above."""
    r = Numbers(12)
    rows = [[r.below(1024) * 2.0 ** -(510 + r.below(48)) for _ in range(2)] for _ in range(250)]
    return rows, [int(x < y) ^ (r.below(6) == 0) for x, y in rows]


def lattice():
    """Whole numbers in space: distances that are exactly a radius, and that are equal."""
    r = Numbers(13)
    rows = [[float(r.below(4)) for _ in range(3)] for _ in range(400)]
    return rows, [(int(sum(x)) // 2 + (r.below(5) == 0)) % 4 for x in rows]


def constant():
    """Columns that never change, at 7, at 0, at 0 that is sometimes -0; two of different span."""
    r = Numbers(14)
    zero = (0.0, -0.0)
    rows = [[7.0, *r.points(1), 0.0, *r.points(1, 64), zero[r.below(2)]] for _ in range(250)]
    rows = [[*row[:3], 16 * row[3], row[4]] for row in rows]
    return rows, [int(16 * x[1] > x[3]) ^ (r.below(7) == 0) for x in rows]


def wide():
    """Forty dense columns: a search may give a block up before it has seen them all."""
    r = Numbers(15)
    rows, labels = [], []
    for _ in range(220):
        kind = r.below(3)
        rows.append([(r.below(256) + 96 * (j % 3 == kind)) / 512 for j in range(40)])
        labels.append(kind if r.below(6) else r.below(3))
    return rows, labels


def drift():
    """Four clusters that wander; the classes change places in the middle."""
    r = Numbers(16)
    rows, labels = [], []
    for t in range(500):
        kind = r.below(4)
        place = ((t + 250 * (kind & 1)) / 512, (t + 250 * (kind >> 1)) / 512, kind / 8)
        rows.append([p + (r.below(128) + r.below(128)) / 1024 for p in place])
        labels.append(kind if t < 250 else (kind + 1) % 4)
    return rows, labels


MAKERS = (ties, duplicates, late, single, phases, leaves, crowded, bits, only_bits, tree)
MAKERS += (huge, tiny, lattice, constant, wide, drift)


def streams():
    """All of them by name: a matrix and a list of labels.

    >>> made = streams()
    >>> len(made), made["leaves"][0].shape
    (16, (300, 10))
    """
    made = {}
    for maker in MAKERS:
        rows, labels = maker()
        made[maker.__name__.replace("_", "-")] = np.array(rows), [int(y) for y in labels]
    return made
