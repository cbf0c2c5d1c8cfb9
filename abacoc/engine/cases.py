"""IBLStreams' base of examples: the nearest of a point, and what is kept of what was learned.

The examples lie in blocks as those of the search do: ``WIDTH`` side by side, attribute after
attribute, each attribute as the share of its range so far. The places are filled without gaps: the
last example moves to where one goes. ``born`` tells their age, and decides ties.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from abacoc.engine.jit import entry, kernel
from abacoc.engine.search import BIT, SAME_ROOT, ZERO, first_lanes, near_lanes
from abacoc.engine.simd import lowest
from abacoc.engine.state import DISTANCE, SQUARE, WIDTH, Floats, Ints

NEIGHBOURHOOD = 50  # nearest examples that an update looks at
OLD = 25  # the oldest of them may go,
CLOSE = 5  # if they are among the nearest
YOUNG = 5  # the youngest of them tell what holds now
WINDOW, RECENT = 100, 10  # examples over which errors and distances are kept, and the last of them
LEAST_K, MOST_K = 4, 40
SMALLEST_RANGE = float(np.finfo(np.float64).tiny)  # one over a smaller number may be infinite

# of the header; the last five count what happened
(N_STORED, N_CLASSES, N_LEARNED, N_FOUND, STALE, START, FIRST_ONLY, LIMIT, K) = range(9)
(TRIED, JUDGED, N_FIFTHS, FEWEST) = range(9, 13)
(CONTRADICTIONS, REDUNDANCIES, REPLACEMENTS, MOVES, CHANGES, CASE_INTS) = range(13, 19)
LESS, SAME, MORE, PRESENT = range(4)  # whose errors: of k - 1, k and k + 1; and of the present k


class Cases(NamedTuple):
    """What the kernels work on."""

    h: Ints  # header
    x: Floats  # (d) the query, as shares of the ranges
    totals: Floats  # (WIDTH)
    ranges: Floats  # (3, d) least, greatest, one over their difference
    values: Floats  # (n_blocks, d, WIDTH) the examples as shares of the ranges
    raw: Floats  # (size, d) as they came
    label: Ints  # (size)
    born: Ints  # (size) how many had been learned before
    leaving: Ints  # (CLOSE) places of examples that go, in order
    found: Ints  # (NEIGHBOURHOOD) the examples closest to the query, the closest first
    measures: Floats  # (2, NEIGHBOURHOOD) their distances, and the squares of these
    votes: Ints  # (classes) all 0 between two votes
    wrong: Ints  # (4, WINDOW) 1 for an error, in turns
    errors: Ints  # (4) their sums
    fifths: Floats  # (WINDOW) distances of the CLOSE-th nearest, in turns


def empty(dimension: int, size: int, start: int, k: int, first_only: bool) -> Cases:
    """A base without examples; there is room for all that it will ever hold."""
    h = np.zeros(CASE_INTS, dtype=np.int64)
    h[LIMIT], h[START], h[K], h[FIRST_ONLY], h[FEWEST] = size, start, k, first_only, -1
    n_blocks = (size + WIDTH - 1) // WIDTH
    return Cases(
        h,
        x=np.zeros(dimension),
        totals=np.zeros(WIDTH),
        ranges=np.array([[math.inf], [-math.inf], [0.0]]).repeat(dimension, axis=1),
        values=np.zeros((n_blocks, dimension, WIDTH)),
        raw=np.zeros((size, dimension)),
        label=np.zeros(size, dtype=np.int64),
        born=np.zeros(size, dtype=np.int64),
        leaving=np.zeros(CLOSE, dtype=np.int64),
        found=np.zeros(NEIGHBOURHOOD, dtype=np.int64),
        measures=np.zeros((2, NEIGHBOURHOOD)),
        votes=np.zeros(8, dtype=np.int64),
        wrong=np.zeros((4, WINDOW), dtype=np.int64),
        errors=np.zeros(4, dtype=np.int64),
        fifths=np.zeros(WINDOW),
    )


# Where the examples lie ---------------------------------------------------------------------------


@kernel
def put(s: Cases, i: int) -> None:
    """Write the example of place i into its block."""
    for j in range(len(s.x)):
        s.values[i // WIDTH, j, i % WIDTH] = (s.raw[i, j] - s.ranges[0, j]) * s.ranges[2, j]


@kernel
def widen(s: Cases, X: np.ndarray, t: int) -> None:
    """Let the ranges reach to a row; if one grows, the blocks are stale."""
    for j in range(len(s.x)):
        if X[t, j] < s.ranges[0, j] or X[t, j] > s.ranges[1, j]:
            s.ranges[0, j] = min(s.ranges[0, j], X[t, j])
            s.ranges[1, j] = max(s.ranges[1, j], X[t, j])
            s.h[STALE] = 1


@kernel
def ask(s: Cases, X: np.ndarray, t: int) -> None:
    """Make a row the query, and find the examples closest to it."""
    if s.h[STALE] == 1:
        for j in range(len(s.x)):
            width = s.ranges[1, j] - s.ranges[0, j]
            s.ranges[2, j] = 1.0 / width if width >= SMALLEST_RANGE else 0.0
        for i in range(s.h[N_STORED]):
            put(s, i)
        s.h[STALE] = 0
    for j in range(len(s.x)):
        s.x[j] = (X[t, j] - s.ranges[0, j]) * s.ranges[2, j]
    find(s)


@kernel
def find(s: Cases) -> None:
    """The examples closest to the query, of equals the one that was stored first."""
    # what the loops need: to look them up in the tuple each time would take far longer
    found, distances, squared = s.found, s.measures[DISTANCE], s.measures[SQUARE]
    values, x, totals, born = s.values, s.x, s.totals, s.born
    n, room, count, limit = s.h[N_STORED], len(found), 0, np.inf
    for b in range((n + WIDTH - 1) // WIDTH):
        near = near_lanes(values, b, x, totals, limit) & first_lanes(min(WIDTH, n - b * WIDTH))
        while near != ZERO:
            lane = lowest(near)
            near &= near - BIT
            total = totals[lane]
            if total > limit:
                continue
            root, i = math.sqrt(total), b * WIDTH + lane
            place = count  # where the farther ones have moved on
            while place > 0 and (
                root < distances[place - 1]
                or (root == distances[place - 1] and born[i] < born[found[place - 1]])
            ):
                place -= 1
                if place + 1 < room:
                    found[place + 1] = found[place]
                    distances[place + 1], squared[place + 1] = distances[place], squared[place]
            if place < room:
                found[place], distances[place], squared[place] = i, root, total
                count = min(count + 1, room)
            if count == room:
                limit = squared[room - 1] * SAME_ROOT
    s.h[N_FOUND] = count


@kernel
def remove(s: Cases, i: int) -> None:
    """Take the example of place i out; the last one moves there."""
    s.h[N_STORED] -= 1
    last = s.h[N_STORED]
    if i < last:
        for j in range(len(s.x)):
            s.raw[i, j] = s.raw[last, j]
        s.label[i], s.born[i] = s.label[last], s.born[last]
        put(s, i)


# Prediction ---------------------------------------------------------------------------------------


@kernel
def vote(s: Cases, k: int) -> int:
    """The class of most of the k nearest, ties to the class learned first; -1 if there is none."""
    n = min(k, s.h[N_FOUND])
    if n == 0:
        return -1
    if s.measures[DISTANCE, 0] == 0.0:
        return s.label[s.found[0]]
    best, most = -1, 0
    for i in range(n):
        c = s.label[s.found[i]]
        s.votes[c] += 1
        if s.votes[c] > most or (s.votes[c] == most and c < best):
            best, most = c, s.votes[c]
    for i in range(n):
        s.votes[s.label[s.found[i]]] = 0
    return best


@kernel
def note(s: Cases, whose: int, turn: int, is_wrong: bool) -> None:
    """Keep whether a prediction was wrong, in the place of the one a window ago."""
    s.errors[whose] += is_wrong - s.wrong[whose, turn % WINDOW]
    s.wrong[whose, turn % WINDOW] = is_wrong


@kernel
def forget(s: Cases, first: int, last: int) -> None:
    """Begin some statistics anew."""
    for whose in range(first, last + 1):
        s.errors[whose] = 0
        for turn in range(WINDOW):
            s.wrong[whose, turn] = 0


@kernel
def judge(s: Cases, y: int) -> None:
    """Try k - 1, k and k + 1 on the query, whose class is y; k moves to the better neighbour."""
    h = s.h
    k = h[K]
    note(s, PRESENT, h[JUDGED], vote(s, k) != y)
    h[JUDGED] += 1
    asked = False
    for whose in (LESS, SAME, MORE):
        tried = k + whose - SAME
        if LEAST_K <= tried <= MOST_K:
            said = 0 if asked and h[FIRST_ONLY] == 1 else vote(s, tried)
            note(s, whose, h[TRIED], said != y)
            asked = True
    h[TRIED] += 1
    if h[TRIED] < WINDOW:
        return
    less = s.errors[LESS] if k > LEAST_K else WINDOW
    more = s.errors[MORE] if k < MOST_K else WINDOW
    if min(less, more) < s.errors[SAME]:
        h[K] += -1 if less <= more else 1
        h[MOVES] += 1
        h[TRIED] = 0
        forget(s, LESS, MORE)


# Learning -----------------------------------------------------------------------------------------


@kernel
def is_old(s: Cases, place: int) -> bool:
    """Whether an example that was found is one of the oldest of them."""
    older = 0
    for i in range(s.h[N_FOUND]):
        older += s.born[s.found[i]] < s.born[s.found[place]]
    return older < OLD


@kernel
def lead_of(s: Cases, y: int) -> tuple[int, int]:
    """By how many of the young, the query of class y among them, y leads; and how many they are."""
    label, born, found = s.label, s.born, s.found
    n_young, before = 1, s.h[N_LEARNED]
    s.votes[y] += 1
    for _ in range(min(YOUNG, s.h[N_FOUND])):  # the youngest, then the youngest before it, ...
        youngest = -1
        for i in range(s.h[N_FOUND]):
            if born[found[i]] < before and (youngest < 0 or born[found[i]] > born[youngest]):
                youngest = found[i]
        before = born[youngest]
        s.votes[label[youngest]] += 1
        n_young += 1
    second = 0
    for i in range(s.h[N_FOUND]):
        c = label[found[i]]
        if c != y:
            second = max(second, s.votes[c])
    lead = s.votes[y] - second
    for i in range(s.h[N_FOUND]):
        s.votes[label[found[i]]] = 0
    s.votes[y] = 0
    return lead, n_young


@kernel
def weed(s: Cases, y: int, usual: float) -> int:
    """Remove the old ones close to the query that contradict it or are redundant; how many."""
    h, n = s.h, s.h[N_FOUND]
    lead, n_young = lead_of(s, y)
    contradicts = lead * (h[N_CLASSES] + 1) > n_young
    agree = 1
    for i in range(n):
        agree += s.label[s.found[i]] == y
    redundant = (
        n >= CLOSE
        and 100 * agree >= 98 * (n + 1)
        and lead == n_young
        and s.measures[DISTANCE, CLOSE - 1] < usual
    )
    leaving, gone = s.leaving, 0
    for i in range(min(CLOSE, n)):
        if (redundant or (contradicts and s.label[s.found[i]] != y)) and is_old(s, i):
            place = gone  # after all that lie before it
            while place > 0 and leaving[place - 1] > s.found[i]:
                leaving[place] = leaving[place - 1]
                place -= 1
            leaving[place] = s.found[i]
            gone += 1
            h[REDUNDANCIES if s.label[s.found[i]] == y else CONTRADICTIONS] += 1
    for i in range(gone - 1, -1, -1):  # the last place first: what moves is none that leaves
        remove(s, leaving[i])
    return gone


@kernel
def usual_distance(s: Cases) -> float:
    """The mean distance of the CLOSE-th nearest over the last examples; 0 if there was none."""
    kept, total = min(s.h[N_FIFTHS], WINDOW), 0.0
    for turn in range(s.h[N_FIFTHS] - kept, s.h[N_FIFTHS]):  # added in the order of the stream
        total += s.fifths[turn % WINDOW]
    return total / kept if kept > 0 else 0.0


@kernel
def make_way(s: Cases, y: int) -> None:
    """Remove what the query, of class y, makes superfluous; or, if all is full, an old one."""
    h = s.h
    usual = usual_distance(s)
    if h[N_FOUND] >= CLOSE:
        s.fifths[h[N_FIFTHS] % WINDOW] = s.measures[DISTANCE, CLOSE - 1]
        h[N_FIFTHS] += 1
    before = h[N_STORED]
    while weed(s, y, usual) > 0:
        find(s)
    if h[N_STORED] == before == h[LIMIT]:
        oldest = s.found[0]
        for i in range(min(CLOSE, h[N_FOUND])):
            if s.born[s.found[i]] < s.born[oldest]:
                oldest = s.found[i]
        remove(s, oldest)
        h[REPLACEMENTS] += 1


@kernel
def notice_change(s: Cases) -> None:
    """If the error has risen far above its lowest, the oldest examples go."""
    h = s.h
    if h[JUDGED] < WINDOW:
        return
    wrong, least = s.errors[PRESENT], h[FEWEST]  # of WINDOW
    if least < 0 or height(wrong, 1) < height(least, 1):
        h[FEWEST] = least = wrong
    lately = 0
    for turn in range(h[JUDGED] - RECENT, h[JUDGED]):
        lately += s.wrong[PRESENT, turn % WINDOW]
    share = lately * WINDOW // RECENT - least  # in hundredths, as all here
    if height(wrong, 1) > height(least, 4) and wrong >= 25 and wrong - least > 25 and share > 25:
        n = h[N_STORED]
        gone = share * n // 100
        if (WINDOW - wrong) * h[N_CLASSES] <= WINDOW:
            gone = n
        gone = min(gone, n - NEIGHBOURHOOD)
        if gone > 0:
            first = born_after(s, gone)
            for i in range(n - 1, -1, -1):  # from the end, so that what moves was looked at
                if s.born[i] < first:
                    remove(s, i)
        h[CHANGES] += 1
        h[TRIED] = h[JUDGED] = 0
        h[FEWEST] = -1
        forget(s, LESS, PRESENT)


@kernel
def born_after(s: Cases, n: int) -> int:
    """The least number such that n examples were born before it.

    By halving: a sorted copy would ask for memory, which may fail in the middle of an example.
    """
    low, high = 0, s.h[N_LEARNED]
    while low < high:
        middle, older = (low + high) // 2, 0
        for i in range(s.h[N_STORED]):
            older += s.born[i] < middle
        if older < n:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def height(wrong: int, times: int) -> float:
    """1000 (p + times s), where p is the share of errors and s its standard deviation."""
    return 10.0 * wrong + times * math.sqrt(wrong * (WINDOW - wrong))


@kernel
def learn_case(s: Cases, X: np.ndarray, t: int, y: int) -> None:
    """Learn a row of class y; it is the query if there are predictions already."""
    h = s.h
    has_begun = h[N_LEARNED] >= h[START]
    h[N_CLASSES] = max(h[N_CLASSES], y + 1)
    widen(s, X, t)
    if has_begun:
        if h[STALE] == 1:
            ask(s, X, t)
        judge(s, y)
        make_way(s, y)
    i = h[N_STORED]
    for j in range(len(s.x)):
        s.raw[i, j] = X[t, j]
    s.label[i], s.born[i] = y, h[N_LEARNED]
    put(s, i)
    h[N_STORED] += 1
    h[N_LEARNED] += 1
    if has_begun:
        notice_change(s)


@entry
def run_cases(
    s: Cases,
    X: np.ndarray,
    codes: np.ndarray,
    learned: np.ndarray,
    predictions: np.ndarray,
    sizes: np.ndarray,
) -> None:
    """Algorithm 5 on some rows, with predictions and sizes written to the last two."""
    for t in range(len(X)):
        if s.h[N_LEARNED] >= s.h[START]:
            ask(s, X, t)
            predictions[t] = vote(s, s.h[K])
        if learned[t]:
            learn_case(s, X, t, codes[t])
        sizes[t] = s.h[N_STORED]
