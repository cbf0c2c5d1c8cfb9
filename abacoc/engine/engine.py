"""The arrays of a compiled learner from the outside: they grow, change layout, go in and out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from abacoc.ballset import Ball
from abacoc.base import dimension_for, exceeds
from abacoc.engine.bits import DENSE
from abacoc.engine.handle import as_handle
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
from abacoc.engine.state import (
    BAD_POINT,
    BALL_FLOATS,
    BALL_INTS,
    BIRTH,
    BLOCK_INTS,
    BUDGET,
    CLASS,
    COUNT,
    COVERING_CONSTANT,
    DIMENSION,
    DONE,
    FREE_BLOCKS,
    FREE_NODES,
    FREE_ROW,
    FREE_TALLY,
    HEADER_FLOATS,
    HEADER_INTS,
    LARGEST,
    LAYOUT_AT,
    MAJORITY,
    MAX_DEPTH,
    MISTAKES,
    MOST,
    MOVED,
    N_BALLS,
    N_BLOCKS,
    N_NODES,
    N_ROWS,
    N_SLOTS,
    N_TALLIES,
    NEEDS_TICKET,
    NEEDS_VERDICT,
    NEXT_TALLY,
    NODE_FLOATS,
    NODE_INTS,
    PLAIN,
    RADIUS,
    RETRY_AT,
    ROOM,
    SIZE_BEFORE_RESET,
    SLACK,
    SPLITS,
    START_AT_DIAMETER,
    STATUS,
    STAYS,
    STEPS,
    TALLY,
    TALLY_INTS,
    TICKET,
    TOTAL,
    UNDECIDED,
    VERDICT,
    WANTED_BLOCKS,
    WEIGHT,
    WIDTH,
    Floats,
    Ints,
    State,
)

FIRST_LAYOUT = 2 * WIDTH  # balls after which the columns are looked at for the first time
FEWEST_BITS = 16  # fewer bit columns than this are not worth a word
NEVER = 2**62


class Engine:
    """The state of one learner and what kernels cannot do: allocate, draw, decide exactly."""

    def __init__(self, budget: Any = None) -> None:
        self.h: Ints = np.zeros(HEADER_INTS, dtype=np.int64)
        self.f: Floats = np.zeros(HEADER_FLOATS)
        self.search = "auto"
        self.budget = budget
        self.h[TICKET], self.h[VERDICT] = -1, UNDECIDED
        self._s: State | None = None
        self._handle: Any = None
        if budget is not None:
            self.h[BUDGET] = budget.limit

    @property
    def s(self) -> State | None:
        """The arrays; None before the first example."""
        return self._s

    @s.setter
    def s(self, state: State) -> None:
        self._s, self._handle = state, as_handle(state)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_handle": None}  # an address is of no use to a copy

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._s is not None:
            self.s = self._s

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

    def allocate(self, d: int, largest: float) -> None:
        """Make the arrays for points with d coordinates."""
        h = self.h
        plain = self.search == "plain"
        h[PLAIN], h[SPLITS] = plain, self.search in ("auto", "tree")
        h[RETRY_AT] = NEVER if self.search == "auto" else -1
        h[LAYOUT_AT] = FIRST_LAYOUT
        self.f[LARGEST] = largest
        # twice the rounding errors of d additions and of the bound of a cell at any depth
        self.f[SLACK] = 1.0 + (2 * d + 6 * MAX_DEPTH) * 2.0**-52
        n, x = 64, np.zeros(d)
        self.s = State(
            h=h,
            f=self.f,
            x=x,
            dense=x,
            side=np.zeros(d),
            to_visit=np.zeros((MAX_DEPTH + 2, 4), dtype=np.int64),
            bounds=np.zeros((MAX_DEPTH + 2, 3)),
            totals=np.zeros(WIDTH),
            columns=np.arange(d, dtype=np.int64),
            dense_of=np.arange(d, dtype=np.int64),
            masks=np.zeros((3, 0), dtype=np.uint64),
            ball_i=np.zeros((n, BALL_INTS), dtype=np.int64),
            ball_f=np.zeros((n, BALL_FLOATS)),
            tally=np.zeros((n, TALLY_INTS), dtype=np.int64),
            tickets=np.zeros(n + 1 if h[BUDGET] else 1, dtype=np.int64),
            node_i=np.zeros((2 * SPARE_NODES, NODE_INTS), dtype=np.int64),
            node_f=np.zeros((2 * SPARE_NODES, NODE_FLOATS)),
            block_i=np.zeros((2 * SPARE_BLOCKS, BLOCK_INTS), dtype=np.int64),
            lanes=np.zeros((2 * SPARE_BLOCKS, WIDTH), dtype=np.int64),
            values=np.zeros((2 * SPARE_BLOCKS, d, WIDTH)),
            bits=np.zeros((2 * SPARE_BLOCKS, 0, WIDTH), dtype=np.uint64),
            floors=np.zeros((2 * SPARE_BLOCKS, WIDTH)),
            rows=np.zeros((n if plain else 0, d)),
        )
        self.h[FREE_TALLY] = -1
        build(self._handle, np.zeros((0, d)))

    def make_room(self) -> None:
        """After ROOM: whatever one more example might need."""
        assert self.s is not None
        h, s = self.h, self.s
        n = int(h[N_BALLS])
        if h[N_SLOTS] >= len(s.ball_i):
            if 2 * n <= len(s.ball_i):
                self._close_gaps()
            else:
                self._grow(2 * len(s.ball_i), "ball_i", "ball_f")
                if h[PLAIN]:
                    self._grow(2 * len(s.rows), "rows")
                if h[BUDGET]:
                    self.s = self.s._replace(
                        tickets=np.zeros(len(self.s.ball_i) + 1, dtype=np.int64)
                    )
                    self.count_tickets()
        if h[FREE_TALLY] < 0 and h[N_TALLIES] >= len(s.tally):
            self._grow(2 * len(s.tally), "tally")
        if h[PLAIN]:
            return
        if h[N_BALLS] >= h[LAYOUT_AT]:
            h[LAYOUT_AT] = 2 * n
            self._choose_columns()
        elif h[SPLITS] and h[RETRY_AT] == 0:
            h[SPLITS], h[RETRY_AT] = 0, 2 * n
            self._lay_out(self.s.columns)
        elif not h[SPLITS] and 0 <= h[RETRY_AT] <= n:
            h[SPLITS], h[RETRY_AT] = 1, NEVER
            self._lay_out(self.s.columns)
        self._grow_tree(int(h[WANTED_BLOCKS]))
        h[WANTED_BLOCKS] = 0
        if self.s.masks.shape[1] and h[FREE_ROW] < 0 and h[N_ROWS] >= len(self.s.rows):
            self._grow(max(16, 2 * len(self.s.rows)), "rows")

    def _grow_tree(self, wanted: int) -> None:
        """Room for so many blocks more, and their nodes."""
        h, s = self.h, self.s
        assert s is not None
        needed = int(h[N_BLOCKS] - h[FREE_BLOCKS]) + max(wanted, SPARE_BLOCKS)
        if needed > len(s.block_i):
            size = max(needed, len(s.block_i) * 3 // 2)
            self._grow(size, "block_i", "lanes", "values", "bits", "floors")
        needed = int(h[N_NODES] - h[FREE_NODES]) + max(2 * wanted, SPARE_NODES)
        if needed > len(s.node_i):
            self._grow(max(needed, len(s.node_i) * 3 // 2), "node_i", "node_f")

    def _grow(self, size: int, *arrays: str) -> None:
        assert self.s is not None
        grown = {}
        for name in arrays:
            old = getattr(self.s, name)
            new = np.empty((size, *old.shape[1:]), dtype=old.dtype)  # pages untouched cost nothing
            new[: len(old)] = old
            grown[name] = new
        self.s = self.s._replace(**grown)

    def _alive(self) -> Ints:
        """The rows of the balls that exist, in order of storage."""
        assert self.s is not None
        alive = self.s.ball_i[: self.h[N_SLOTS], TALLY] >= 0
        return np.flatnonzero(alive)

    def _close_gaps(self) -> None:
        """Move the balls to the front of the table, in the same order."""
        assert self.s is not None
        s, alive, centres = self.s, self._alive(), self.centres()
        s.ball_i[: len(alive)] = s.ball_i[alive]
        s.ball_f[: len(alive)] = s.ball_f[alive]
        self.h[N_SLOTS] = len(alive)
        self.count_tickets()
        self._build(centres)

    # Layout ---------------------------------------------------------------------------------------

    def _choose_columns(self) -> None:
        """Keep as bits the columns that are 0 or 1 in most centres, if there are enough of them."""
        assert self.s is not None
        centres = self.centres()
        binary = ((centres == 0.0) | (centres == 1.0)).mean(axis=0) >= 0.5
        if binary.sum() < FEWEST_BITS:
            binary[:] = False
        dense = np.flatnonzero(~binary)
        if not np.array_equal(dense, self.s.columns):
            self._lay_out(dense, centres)

    def _lay_out(self, dense: Ints, centres: Floats | None = None) -> None:
        """Build the search structure anew, with these columns as numbers and the others as bits."""
        assert self.s is not None
        if centres is None:
            centres = self.centres()
        d = len(self.s.x)
        is_bit = np.ones(d, dtype=np.bool_)
        is_bit[dense] = False
        n_words = -(-d // 64) if is_bit.any() else 0
        masks = np.zeros((3, n_words), dtype=np.uint64)
        dense_of = np.full(d, -1, dtype=np.int64)
        dense_of[dense] = np.arange(len(dense))
        if n_words:
            for g in dense.tolist():
                masks[DENSE, g // 64] |= np.uint64(1 << (g % 64))
        if self.search == "auto" and len(dense) == 0:  # nothing to split
            self.h[SPLITS], self.h[RETRY_AT] = 0, NEVER
        elif self.search == "auto" and self.h[RETRY_AT] == NEVER:
            self.h[SPLITS] = 1
        n_blocks = len(self.s.block_i)
        self.s = self.s._replace(
            dense=np.zeros(len(dense)) if n_words else self.s.x,
            side=np.zeros(len(dense)),
            columns=dense.astype(np.int64),
            dense_of=dense_of,
            masks=masks,
            values=np.empty((n_blocks, len(dense), WIDTH)),
            bits=np.zeros((n_blocks, 2 * n_words, WIDTH), dtype=np.uint64),
            floors=np.zeros((n_blocks, WIDTH)),
            rows=np.empty((len(self.s.ball_i) if n_words else 0, d)),
        )
        self._build(centres)

    def _build(self, centres: Floats) -> None:
        assert self.s is not None
        self.h[N_BLOCKS] = self.h[N_NODES] = self.h[FREE_BLOCKS] = self.h[FREE_NODES] = 0
        # one chain of blocks to begin with, then the leaves of the tree beside it
        self._grow_tree(len(centres) // WIDTH + len(centres) // (WIDTH // 4) + 8)
        build(self._handle, centres)

    # In and out -----------------------------------------------------------------------------------

    def centres(self) -> Floats:
        """All centres, in order of storage."""
        assert self.s is not None
        centres = np.empty((int(self.h[N_BALLS]), len(self.s.x)))
        read_centres(self._handle, centres)
        return centres

    def counts(self, n_classes: int) -> Ints:
        """Label counts, one row per ball in order of storage."""
        assert self.s is not None
        alive = self._alive()
        counts = np.zeros((len(alive), n_classes), dtype=np.int64)
        rows, entries = np.arange(len(alive)), self.s.ball_i[alive, TALLY]
        while len(entries):
            tally = self.s.tally[entries]
            counts[rows, tally[:, CLASS]] = tally[:, COUNT]
            following = tally[:, NEXT_TALLY]
            rows, entries = rows[following >= 0], following[following >= 0]
        return counts

    def table(self, ints: int | None = None, floats: int | None = None) -> Any:
        """One column of the table of balls, in order of storage."""
        assert self.s is not None
        alive = self._alive()
        return self.s.ball_i[alive, ints] if floats is None else self.s.ball_f[alive, floats]

    def balls(self) -> list[Ball]:
        """The balls as the reference has them."""
        if self.s is None:
            return []
        centres, found = self.centres(), []
        for ball, centre in zip(self._alive().tolist(), centres, strict=True):
            ints, floats = self.s.ball_i[ball].tolist(), self.s.ball_f[ball].tolist()
            tallies, e = {}, ints[TALLY]
            while e >= 0:
                k, n, e = self.s.tally[e].tolist()
                tallies[k] = n
            counts = [tallies.get(k, 0) for k in range(max(tallies) + 1)]
            found.append(
                Ball(centre, counts, floats[BIRTH], floats[RADIUS], ints[MISTAKES], ints[MOVED])
            )
        return found

    def restore(self, balls: Sequence[Ball]) -> None:
        """Take over balls of the reference; there are none yet."""
        assert self.s is not None
        h, n = self.h, len(balls)
        n_tallies = sum(sum(c > 0 for c in ball.counts) for ball in balls)
        self._grow(max(64, n), "ball_i", "ball_f")
        self._grow(max(64, n_tallies), "tally")
        if h[PLAIN]:
            self._grow(max(64, n), "rows")
        for i, ball in enumerate(balls):
            self.s.ball_f[i] = ball.birth_radius, ball.radius
            self.s.ball_i[i] = 0
            self.s.ball_i[i, [MISTAKES, MOVED, TOTAL, MAJORITY, MOST, TALLY]] = (
                ball.mistakes,
                ball.moves,
                sum(ball.counts),
                ball.majority(),
                max(ball.counts),
                -1,
            )
            for k, c in enumerate(ball.counts):
                if c:
                    self.s.tally[h[N_TALLIES]] = k, c, self.s.ball_i[i, TALLY]
                    self.s.ball_i[i, TALLY] = h[N_TALLIES]
                    h[N_TALLIES] += 1
        h[N_BALLS] = h[N_SLOTS] = n
        if h[BUDGET]:
            self.s = self.s._replace(tickets=np.zeros(len(self.s.ball_i) + 1, dtype=np.int64))
        self.count_tickets()
        centres = np.array([ball.centre for ball in balls]).reshape(n, len(self.s.x))
        self._lay_out(self.s.columns, centres)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays, with the room that is still free in them."""
        return 0 if self.s is None else sum(array.nbytes for array in self.s)

    # Work -----------------------------------------------------------------------------------------

    def look(self, point: Floats) -> int:
        """Number of the class predicted, -1 for none, -2 for a point that cannot be taken."""
        found: int = look(self._handle, point.reshape(1, -1))
        return found

    def count_tickets(self) -> None:
        """Find the weights of all balls again, after their rows have changed."""
        recompute_tickets(self._handle)

    def mean(self, hits: Any, m: float, t: int) -> float:
        """M_t by the recursion of Algorithm 5, from M_(t - 1) on."""
        result: float = recursive_mean(hits, m, t)
        return result

    def chance(self) -> float:
        """p_t for the point looked at last."""
        p: float = chance_of(self._handle)
        return p

    def take(self, point: Floats, k: int) -> bool:
        """Learn a point; False if it cannot be taken."""
        row = point.reshape(1, -1)
        status = take(self._handle, row, k)
        while status != DONE:
            if status == BAD_POINT:
                return False
            self._serve(status)
            status = take(self._handle, row, k)
        return True

    def run(self, X: Floats, codes: Ints, learned: Any, out: tuple[Any, Any, Any]) -> None:
        """Algorithm 5 on some rows, with predictions, sizes and chances written to ``out``."""
        t = run(self._handle, X, codes, learned, *out, 0)
        while self.h[STATUS] != DONE:
            self._serve(int(self.h[STATUS]))
            t = run(self._handle, X, codes, learned, *out, t)

    def _serve(self, status: int) -> None:
        if status == ROOM:
            self.make_room()
        elif status == NEEDS_TICKET:
            self.h[TICKET] = self.budget.generator.integers(self.h[WEIGHT])
        elif status == NEEDS_VERDICT:
            self.h[VERDICT] = self._verdict()
        else:
            raise AssertionError(f"a kernel came back with status {status}")

    def _verdict(self) -> int:
        """The dimension check of BASE, as in ``Base.add_new_ball``."""
        h, constant = self.h, float(self.f[COVERING_CONSTANT])
        size, step, d = int(h[N_BALLS]) + 1, int(h[STEPS] + h[START_AT_DIAMETER]), int(h[DIMENSION])
        if not exceeds(size, constant, step, d, d):
            return STAYS
        return dimension_for(size if h[SIZE_BEFORE_RESET] else 1, constant, step, d)


def _restored(cls: Any, rest: dict[str, Any], arrays: list[Any], shared: Any, fields: Any) -> Any:
    """An engine with arrays of its own, which can be written to wherever they were read from."""
    own = [np.array(value) if isinstance(value, np.ndarray) else value for value in arrays]
    engine = cls.__new__(cls)
    state = None if fields is None else State(*(own[k] for k in fields))
    engine.__setstate__(rest | {name: own[k] for name, k in shared.items()} | {"_s": state})
    return engine
