"""The arrays of a compiled learner from the outside: they grow, change layout, go in and out.

An exception (Ctrl-C, a signal, no memory) leaves a learner as before or as after a call:

- A kernel is never interrupted: Python sees signals between two bytecodes only, and kernels
  neither raise nor allocate. It does nothing but ask for something (room, a ticket, a verdict), or
  it learns one example entirely, or many one after the other.
- What makes room writes to fresh arrays alone, a fresh header among them; ``_take_over`` then
  swaps everything by one assignment. The old arrays stay valid until it, the new ones hold the
  same balls after it.
- A drawn ticket changes the generator before the kernel uses it. So the draw is announced first,
  the kernel counts the tickets it uses, and ``settle`` takes back a draw that was not used. It may
  be interrupted itself: it is run again by whoever comes next. A verdict depends on nothing but
  the state, and stays right.

With Numba switched off kernels are Python, and only the last two of these hold.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types

from abacoc.ballset import Ball
from abacoc.base import dimension_for, exceeds
from abacoc.engine import state as S
from abacoc.engine.bits import DENSE, LEAST_RUN, N_RUNS
from abacoc.engine.handle import as_handle, bound
from abacoc.engine.loop import (
    SPARE_BLOCKS,
    SPARE_NODES,
    build,
    chance_of,
    look,
    read_centres,
    recompute_tickets,
    recursive_mean,
    run,
    take,
)
from abacoc.engine.rough import cutoff
from abacoc.engine.simd import DIGITS, STEP
from abacoc.engine.state import Floats, Ints, State
from abacoc.engine.tree import SMALLEST_PART, shelves_for

FIRST_LAYOUT = 2 * S.WIDTH  # balls after which the columns are looked at for the first time
FEWEST_BITS = 16  # fewer bit columns than this are not worth a word
FEWEST = 64  # balls for which there is room at first
MANY_BALLS = 512  # from which on fewer are added than there are
MOST = 2**31 - 1  # rows and lanes: their numbers are int32
OF_BALLS = ("ball_i", "ball_n", "ball_f", "centres", "picked")  # a row per ball
OF_TALLIES = ("tally", "links")
OF_BLOCKS = ("block_i", "lanes", "rough", "bits", "floors")
OF_NODES = ("node_i", "splits")
OF_SHELVES = ("boxes", "leaves", "first_blocks", "leaf_sizes", "n_leaves", "leaf_totals")
NO_CALLS = {"_handle": None, "look": None, "take_one": None}
NO_ARRAYS = NO_CALLS | {"_s": None}
CACHE_LINE = 64  # bytes
DRAWS_KEPT = 256  # draws after which the state of the generator is noted again
CHECKED = bool(os.environ.get("ABACOC_CHECK"))  # for debugging: look at everything after each call
if CHECKED:
    from abacoc.engine.check import check


class Engine:
    """The state of one learner and what kernels cannot do: allocate, draw, decide exactly."""

    def __init__(self, budget: Any = None) -> None:
        self.h: Ints = np.zeros(S.HEADER_INTS, dtype=np.int64)
        self.f: Floats = np.zeros(S.HEADER_FLOATS)
        self.search = "auto"
        self.budget = budget
        self.h[S.TICKET], self.h[S.VERDICT] = -1, S.UNDECIDED
        self._s: State | None = None
        self._handle: Any = None
        # for the arrays that there are; what they get has to be a `POINT`
        self.look: Any = None  # the number of the class predicted, -1 for none; -2: a bad point
        self.take_one: Any = None  # learn a point with a class: DONE, or a status
        # the generator's state after some number of discards, and the weights drawn below since
        self._draws: tuple[int, Any, list[int]] | None = None
        if budget is not None:
            self.h[S.BUDGET] = budget.limit

    @property
    def s(self) -> State | None:
        """The arrays; None before the first example."""
        return self._s

    def _take_over(self, state: State) -> None:
        """Go on with these arrays; it happens entirely or not at all."""
        handle = as_handle(state)
        new = {"h": state.h, "f": state.f, "_s": state, "_handle": handle}
        self.__dict__ = self.__dict__ | new | self._calls(handle)

    def _calls(self, handle: Any) -> dict[str, Any]:
        """What learners call with one point."""
        return {"look": bound(look, handle), "take_one": bound(take, handle, types.int64)}

    def drop(self) -> None:
        """Forget the arrays, in which nothing was learned."""
        self.__dict__ = self.__dict__ | NO_ARRAYS

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, **NO_CALLS}  # an address is of no use to a copy

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._s is not None:
            self._take_over(self._s)

    def __reduce__(self) -> Any:
        """Each array once, whoever else holds it: not every pickler keeps shared arrays shared."""
        arrays: dict[int, Any] = {}

        def place(value: Any) -> Any:
            return arrays.setdefault(id(value), (len(arrays), value))[0]

        rest = self.__getstate__()
        shared = {name: place(rest.pop(name)) for name in ("h", "f")}
        state = rest.pop("_s")
        fields = None if state is None else [place(value) for value in state]
        kept = [value for _, value in arrays.values()]
        return _restored, (type(self), rest, kept, shared, fields)

    # Allocation -----------------------------------------------------------------------------------

    def allocate(self, d: int, largest: float, k: int = 1) -> None:
        """Make the arrays for points with d coordinates and searches for the k closest."""
        h, f = np.array(self.h), np.array(self.f)
        h[S.PLAIN], h[S.LAYOUT_AT], h[S.FREE_TALLY] = self.search == "plain", FIRST_LAYOUT, -1
        f[S.LARGEST], f[S.CUTOFF] = largest, cutoff(d)
        f[S.SLACK] = 1.0 + (2 * d + 8) * 2.0**-52  # four times the rounding errors of d additions
        s = State._make([None] * len(State._fields))._replace(
            h=h,
            f=f,
            totals=_zeros((S.WIDTH,), np.float32),
            found=np.full(k, -1, dtype=np.int64),
            measures=np.full((2, k), np.inf),
            ball_i=np.zeros((FEWEST, S.BALL_INTS), dtype=np.int64),
            ball_n=np.zeros((FEWEST, S.BALL_SHORTS), dtype=np.int32),
            ball_f=np.zeros((FEWEST, S.BALL_FLOATS)),
            sample=np.zeros(S.SAMPLE),
            tally=np.zeros(FEWEST, dtype=np.int64),
            links=np.zeros((FEWEST, S.TALLY_SHORTS), dtype=np.int32),
            tickets=np.zeros(FEWEST + 1 if h[S.BUDGET] else 1, dtype=np.int64),
            free_runs=np.full(N_RUNS, -1, dtype=np.int64),
            chosen=np.zeros(d + STEP, dtype=np.int64),
            counts=_zeros((DIGITS + 1, S.GROUP // 64), np.uint64),
        )
        self._take_over(self._laid_out(s, np.arange(d), np.zeros((0, d))))

    def make_room(self) -> None:
        """After ROOM: whatever one more example might need, in arrays beside the present ones."""
        assert self.s is not None
        s = self.s._replace(h=np.array(self.h))
        h, n = s.h, int(self.h[S.N_BALLS])
        # what will be full soon grows at once: an example waits no longer for that
        if h[S.N_SLOTS] >= len(s.ball_i) >= 2 * n:
            s = self._without_gaps(s)
        elif _nearly(h[S.N_SLOTS], len(s.ball_i)) and 2 * n > len(s.ball_i):
            s = _with_tickets(_sized(s, _more(len(s.ball_i), MANY_BALLS), *OF_BALLS))
        if h[S.FREE_TALLY] < 0 and _nearly(h[S.N_TALLIES], len(s.tally)):
            s = _sized(s, _more(len(s.tally), MANY_BALLS), *OF_TALLIES)
        if not h[S.PLAIN]:
            s = self._with_room_to_search(s, n)
        self._take_over(s)

    def _with_room_to_search(self, s: State, n: int) -> State:
        h = s.h
        if n >= h[S.LAYOUT_AT]:
            h[S.LAYOUT_AT] = 2 * n
            s = self._with_better_columns(s)
        wanted = int(h[S.WANTED_BLOCKS])
        h[S.WANTED_BLOCKS] = 0
        n_blocks = int(h[S.N_BLOCKS] - h[S.FREE_BLOCKS]) + max(wanted, SPARE_BLOCKS)
        n_nodes = int(h[S.N_NODES] - h[S.FREE_NODES]) + max(2 * wanted, SPARE_NODES)
        n_shelves = int(h[S.N_SHELVES] - h[S.FREE_SHELVES]) + shelves_for(wanted)
        if _nearly(n_blocks, len(s.block_i)):
            s = _with_blocks(s, max(n_blocks, _more(len(s.block_i))))
        if _nearly(n_nodes, len(s.node_i)):
            s = _sized(s, max(n_nodes, _more(len(s.node_i))), *OF_NODES)
        if _nearly(n_shelves, len(s.leaves)):
            s = _with_shelves(s, max(n_shelves, _more(len(s.leaves))))
        needed = int(h[S.N_ROWS]) + _runs(np.array(len(s.x))) + 1
        if s.masks.shape[1] and needed > len(s.rows):
            s = _sized(s, max(needed, _more(len(s.rows))), "rows")
        return s

    def _alive(self) -> Ints:
        """The rows of the balls that exist, in order of storage."""
        assert self.s is not None
        alive = self.s.ball_i[: self.h[S.N_SLOTS], S.TALLY] >= 0
        return np.flatnonzero(alive)

    def _without_gaps(self, s: State) -> State:
        """The balls at the front of the table, in the same order."""
        alive = self._alive()
        tables = {}
        for name in ("ball_i", "ball_n", "ball_f"):
            old = getattr(s, name)
            tables[name] = np.zeros_like(old)
            tables[name][: len(alive)] = old[alive]
        s.h[S.N_SLOTS] = len(alive)
        return self._laid_out(_with_tickets(s._replace(**tables)), s.columns, self.centres())

    # Layout ---------------------------------------------------------------------------------------

    def _with_better_columns(self, s: State) -> State:
        """As bits the columns that are 0 or 1 in most centres, if there are enough of them."""
        centres = self.centres()
        binary = ((centres == 0.0) | (centres == 1.0)).mean(axis=0) >= 0.5
        if binary.sum() < FEWEST_BITS:
            binary[:] = False
        dense = np.flatnonzero(~binary)
        return s if np.array_equal(dense, s.columns) else self._laid_out(s, dense, centres)

    def _laid_out(self, s: State, dense: Ints, centres: Floats) -> State:
        """The search structure built anew, with these columns as numbers and the others as bits.

        All that ``build`` writes to is fresh; of ``s`` only the header changes.
        """
        h, (n, d) = s.h, centres.shape
        is_bit = np.ones(d, dtype=np.bool_)
        is_bit[dense] = False
        n_words = -(-d // 64) if is_bit.any() else 0
        masks = np.zeros((3, n_words), dtype=np.uint64)
        dense_of = np.full(d, -1, dtype=np.int64)
        dense_of[dense] = np.arange(len(dense))
        if n_words:
            for g in dense.tolist():
                masks[DENSE, g // 64] |= np.uint64(1 << (g % 64))
        n_rows = 0
        if n_words:
            odd = (centres != 1.0) & ((centres != 0.0) | np.signbit(centres)) & is_bit
            n_rows = _runs(odd.sum(axis=1)) + _runs(np.array(d)) + 1
        h[S.SPLITS] = self.search == "auto" and len(dense) > 0
        # one chain of blocks to begin with, then the leaves of the tree beside it
        n_blocks = n // S.WIDTH + n // SMALLEST_PART + 8
        n_nodes, n_shelves = 2 * n_blocks, shelves_for(n_blocks)
        _check_numbers(max(n_blocks, n_shelves) * S.WIDTH + n_rows)
        n_groups = _n_groups(n_blocks) if n_words and not len(dense) else 0
        x = np.zeros(d)
        s = s._replace(
            x=x,
            dense=np.zeros(len(dense)) if n_words else x,
            rough_x=np.zeros(len(dense), dtype=np.float32),
            spread=np.zeros(len(dense)),
            leaf_totals=_zeros((n_shelves, S.WIDTH), np.float32),
            shelf_totals=_zeros((_rows(n_shelves), S.WIDTH), np.float32),
            columns=dense.astype(np.int64),
            dense_of=dense_of,
            masks=masks,
            ball_n=np.array(s.ball_n),
            centres=np.empty((len(s.ball_i), len(dense))),
            picked=np.empty(len(s.ball_i), dtype=np.int64),
            stack=np.zeros((S.MAX_DEPTH + 2, 3), dtype=np.int64),
            node_i=np.zeros((n_nodes, S.NODE_INTS), dtype=np.int32),
            splits=np.zeros(n_nodes),
            block_i=np.zeros((n_blocks, S.BLOCK_INTS), dtype=np.int32),
            lanes=np.zeros((n_blocks, S.WIDTH), dtype=np.int32),
            rough=_zeros((n_blocks, len(dense), S.WIDTH), np.float32),
            boxes=_zeros((n_shelves, 2 * len(dense), S.WIDTH), np.float32),
            tops=_zeros((_rows(n_shelves), 2 * len(dense), S.WIDTH), np.float32),
            leaves=np.zeros((n_shelves, S.WIDTH), dtype=np.int32),
            first_blocks=np.zeros((n_shelves, S.WIDTH), dtype=np.int32),
            leaf_sizes=np.zeros((n_shelves, S.WIDTH), dtype=np.int32),
            n_leaves=np.zeros(n_shelves, dtype=np.int64),
            bits=_zeros((n_blocks, 2 * n_words, S.WIDTH), np.uint64),
            floors=np.zeros((n_blocks, S.WIDTH if n_words else 0), dtype=np.float32),
            rows=np.empty(n_rows),
            free_runs=np.array(s.free_runs),
            planes=_zeros((n_groups, 2 * d + 2, S.GROUP // 64), np.uint64),
        )
        build(as_handle(s), centres)
        if not h[S.PLAIN]:  # what was needed to build it goes
            s = _with_blocks(s, _more(int(h[S.N_BLOCKS])))
            s = _sized(s, _more(int(h[S.N_NODES])), *OF_NODES)
            s = _with_shelves(s, _more(int(h[S.N_SHELVES])))
        return s

    # In and out -----------------------------------------------------------------------------------

    def centres(self) -> Floats:
        """All centres, in order of storage."""
        assert self.s is not None
        centres = np.empty((int(self.h[S.N_BALLS]), len(self.s.x)))
        read_centres(self._handle, centres)
        return centres

    def counts(self, n_classes: int) -> Ints:
        """Label counts, one row per ball in order of storage."""
        assert self.s is not None
        alive = self._alive()
        counts = np.zeros((len(alive), n_classes), dtype=np.int64)
        rows, entries = np.arange(len(alive)), self.s.ball_i[alive, S.TALLY]
        while len(entries):
            classes, following = self.s.links[entries].T
            counts[rows, classes] = self.s.tally[entries]
            rows, entries = rows[following >= 0], following[following >= 0]
        return counts

    def table(self, name: str, column: int) -> Any:
        """One column of a table of balls, in order of storage."""
        return getattr(self.s, name)[self._alive(), column]

    def tallies(self, ball: int) -> dict[int, int]:
        """Label counts of one ball, those above 0."""
        assert self.s is not None
        tallies, e = {}, int(self.s.ball_i[ball, S.TALLY])
        while e >= 0:
            k, following = self.s.links[e].tolist()
            tallies[k], e = int(self.s.tally[e]), following
        return tallies

    def balls(self) -> list[Ball]:
        """The balls as the reference has them."""
        if self.s is None:
            return []
        centres, found = self.centres(), []
        for ball, centre in zip(self._alive().tolist(), centres, strict=True):
            ints, floats = self.s.ball_i[ball].tolist(), self.s.ball_f[ball].tolist()
            tallies = self.tallies(ball)
            counts = [tallies.get(k, 0) for k in range(max(tallies) + 1)]
            own = (floats[S.BIRTH], floats[S.RADIUS], ints[S.MISTAKES], ints[S.MOVED])
            found.append(Ball(centre, counts, *own))
        return found

    def restore(self, balls: Sequence[Ball]) -> None:
        """Take over balls of the reference; there are none yet."""
        assert self.s is not None
        n = len(balls)
        n_tallies = sum(sum(c > 0 for c in ball.counts) for ball in balls)
        s = _sized(self.s._replace(h=np.array(self.h)), max(FEWEST, n), *OF_BALLS)
        s = _sized(s, max(FEWEST, n_tallies), *OF_TALLIES)
        h = s.h
        for i, ball in enumerate(balls):
            s.ball_f[i] = ball.birth_radius, ball.radius
            counted = (ball.mistakes, ball.moves, sum(ball.counts), max(ball.counts), -1)
            s.ball_i[i] = counted
            s.ball_n[i, S.MAJORITY] = ball.majority()
            for k, c in enumerate(ball.counts):
                if c:
                    e = int(h[S.N_TALLIES])
                    s.tally[e], s.links[e] = c, (k, s.ball_i[i, S.TALLY])
                    s.ball_i[i, S.TALLY] = e
                    h[S.N_TALLIES] += 1
        h[S.N_BALLS] = h[S.N_SLOTS] = n
        centres = np.array([ball.centre for ball in balls]).reshape(n, len(s.x))
        self._take_over(self._laid_out(_with_tickets(s), s.columns, centres))

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays, with the room that is still free in them."""
        return 0 if self.s is None else sum(array.nbytes for array in self.s)

    # Work -----------------------------------------------------------------------------------------

    def chance(self) -> float:
        """p_t for the point looked at last."""
        p: float = chance_of(self._handle)
        return p

    def take(self, point: Floats, k: int) -> bool:
        """Learn a point; False if it cannot be taken."""
        if self._draws is not None:
            self.settle()
        status = self.take_one(point, k)
        while status != S.DONE:
            if status == S.BAD_POINT:
                return False
            self._serve(status)
            status = self.take_one(point, k)
        if CHECKED:
            check(self)
        return True

    def run(self, X: Floats, codes: Ints, learned: Any, out: tuple[Any, Any, Any]) -> None:
        """Algorithm 5 on some rows, with predictions, sizes and chances written to ``out``."""
        self.settle()
        t = run(self._handle, X, codes, learned, *out, 0)
        while self.h[S.STATUS] != S.DONE:
            self._serve(int(self.h[S.STATUS]))
            t = run(self._handle, X, codes, learned, *out, t)
        if CHECKED:
            check(self)

    def _serve(self, status: int) -> None:
        if status == S.ROOM:
            self.make_room()
            if CHECKED:
                check(self)
        elif status == S.NEEDS_TICKET:
            self._draw()
        elif status == S.NEEDS_VERDICT:
            self.h[S.VERDICT] = self._verdict()
        else:
            raise AssertionError(f"a kernel came back with status {status}")

    def _draw(self) -> None:
        """Draw a ticket; the draw is announced first, so that it can be taken back."""
        weight, generator = int(self.h[S.WEIGHT]), self.budget.generator
        if self._draws is None or len(self._draws[2]) >= DRAWS_KEPT:
            self._draws = (int(self.h[S.DISCARDS]), generator.bit_generator.state, [])
        self._draws[2].append(weight)
        self.h[S.TICKET] = generator.integers(weight)

    def settle(self) -> None:
        """Take back a draw whose ticket was not used, because of an exception."""
        if self._draws is None:
            return
        before, state, weights = self._draws
        used = int(self.h[S.DISCARDS]) - before
        if len(weights) > used:
            generator = self.budget.generator
            generator.bit_generator.state = state
            for weight in weights[:used]:
                generator.integers(weight)
            self.h[S.TICKET] = -1
            del weights[used:]

    def _verdict(self) -> int:
        """The dimension check of BASE, as in ``Base.add_new_ball``."""
        h, constant = self.h, float(self.f[S.COVERING_CONSTANT])
        size, step, d = (
            int(h[S.N_BALLS]) + 1,
            int(h[S.STEPS] + h[S.START_AT_DIAMETER]),
            int(h[S.DIMENSION]),
        )
        if not exceeds(size, constant, step, d, d):
            return S.STAYS
        return dimension_for(size if h[S.SIZE_BEFORE_RESET] else 1, constant, step, d)


def _zeros(shape: tuple[int, ...], dtype: Any = np.float64) -> Any:
    """An array that begins where a cache line does: vectors across two of them cost twice."""
    size = math.prod(shape)
    in_line = CACHE_LINE // np.dtype(dtype).itemsize
    room = np.zeros(size + in_line, dtype=dtype)  # pages untouched cost nothing
    start = -room.ctypes.data % CACHE_LINE // room.itemsize
    return room[start : start + size].reshape(shape)


def _copied(array: Any) -> Any:
    """The same, in memory of its own."""
    copy = _zeros(array.shape, array.dtype)
    copy[...] = array
    return copy


def _nearly(needed: int, room: int) -> bool:
    """True if there is too little room, or soon will be."""
    return 8 * needed > 7 * room


def _more(n: int, many: int = 32) -> int:
    """So many in place of n that were too few: twice as many, or a fourth more of very many."""
    return n + max(n // 4, min(n, many), 8)


def _check_numbers(n: int) -> None:
    if n > MOST:
        raise MemoryError(f"the model is too large: it would need {n:,} places")


def _sized(s: State, size: int, *arrays: str) -> State:
    """These arrays with so many rows."""
    sized = {}
    _check_numbers(size)
    for name in arrays:
        old = getattr(s, name)
        new = sized[name] = _zeros((size, *old.shape[1:]), old.dtype)
        new[: len(old)] = old[:size]
    return s._replace(**sized)


def _with_blocks(s: State, n: int) -> State:
    """Room for so many blocks, all in all."""
    _check_numbers(n * S.WIDTH)
    s = _sized(s, n, *OF_BLOCKS)
    return _sized(s, _n_groups(n), "planes") if len(s.planes) else s


def _with_shelves(s: State, n: int) -> State:
    """Room for so many shelves, all in all."""
    return _sized(_sized(s, n, *OF_SHELVES), _rows(n), "tops", "shelf_totals")


def _rows(n_shelves: int) -> int:
    """Rows of ``tops`` for so many shelves."""
    return -(-n_shelves // S.WIDTH)


def _n_groups(n_blocks: int) -> int:
    """Groups of bits for so many blocks."""
    return -(-n_blocks * S.WIDTH // S.GROUP)


def _runs(n: Ints) -> int:
    """Room for runs with so many numbers."""
    longer = np.maximum(n, LEAST_RUN)
    return int(np.where(n > 0, 2 ** np.ceil(np.log2(longer)), 0).sum())


def _with_tickets(s: State) -> State:
    """The weights of all balls found again, after their rows have changed."""
    n = len(s.ball_i) + 1 if s.h[S.BUDGET] else 1
    s = s._replace(tickets=np.zeros(n, dtype=np.int64))
    recompute_tickets(as_handle(s))
    return s


def _restored(cls: Any, rest: dict[str, Any], arrays: list[Any], shared: Any, fields: Any) -> Any:
    """An engine with arrays of its own, which can be written to wherever they were read from."""
    own = [_copied(value) if isinstance(value, np.ndarray) else value for value in arrays]
    engine = cls.__new__(cls)
    state = None if fields is None else State(*(own[k] for k in fields))
    engine.__setstate__(rest | {name: own[k] for name, k in shared.items()} | {"_s": state})
    return engine


def compile_all() -> None:
    """Compile every entry, or load it from disk; whoever is interrupted has those before."""
    engine = Engine()
    engine.allocate(1, 1.0)
    engine.f[:] = 1.0  # no division by zero where Numba is switched off
    X, flags = np.zeros((1, 1)), np.zeros(1, dtype=np.bool_)
    numbers = np.zeros(1, dtype=np.int64)
    engine.look(X[0])
    engine.chance()
    engine.centres()
    recompute_tickets(engine._handle)
    recursive_mean(flags, 0.0, 0)
    engine.take(X[0], 0)
    engine.run(X, numbers, flags, (numbers, numbers, np.zeros(1)))
