"""How a run goes over time: accuracy, kappa and NoChange in windows of the stream."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

BLOCKS = 1024  # at most twice as many are kept: more than a picture is wide
CLASSES = 256  # with more of them there is no kappa in windows: its counts would fill the memory
WINDOWS = 20  # in a stream, where nobody asks for another length
STEPS = 16  # in which a window of a given length slides, or fewer

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Windows(NamedTuple):
    """A table with a row for each window."""

    end: Ints  # the number of examples up to the end of the window
    accuracy: Floats
    kappa: Floats  # nan where chance is always right, and in a stream of more than CLASSES classes
    no_change: Floats  # the accuracy of repeating the last label
    n_balls: Ints  # the model size at the end of the window


class Trace:
    """Counts of a run in blocks of equal size, which doubles: a long stream takes no more room.

    What it says of windows is exact, since they are whole blocks. A block counts labels and
    predictions by class, not their pairs: kappa needs no more. ``window`` is the length of a window
    in examples, of which the last may lack some; without it, a twentieth of the stream. A window is
    never shorter than a block, so there are at most 2048, which are longer then than was asked for.

    >>> trace = Trace(window=2)
    >>> trace.add([0, 1, 1], [-1, 0, 1], [1, 2, 2])
    >>> trace.add([0, 0], [0, 0], [2, 3])
    >>> trace.n, trace.ends.tolist(), trace.running.round(3).tolist(), trace.sizes.tolist()
    (5, [1, 2, 3, 4, 5], [0.0, 0.0, 0.333, 0.5, 0.6], [1, 2, 2, 2, 3])
    >>> trace.windows().accuracy.tolist(), trace.windows().no_change.tolist()
    ([0.0, 1.0, 1.0], [0.0, 0.5, 1.0])
    """

    def __init__(self, window: int | None = None) -> None:
        if window is not None and window < 1:
            raise ValueError(f"a window has at least 1 example, not {window}")
        self.window = window
        # a power of two of them fills a window, and does so when they have doubled
        self.block = 1 if window is None else window // min(STEPS, window & -window)
        self.n = 0
        self._last = -1
        self._tally: Ints = np.zeros((0, 2), dtype=np.int64)  # by block: hits, labels that stay
        self._sizes: Ints = np.zeros(0, dtype=np.int64)
        # by block, labels or predictions, and class; dropped where there are too many classes
        self._classes: Ints | None = np.zeros((0, 2, 2), dtype=np.int64)

    def __len__(self) -> int:
        return -(-self.n // self.block)

    def add(self, labels: Any, predictions: Any, sizes: Any) -> None:
        """Go on with these examples.

        Labels and predictions are numbers of classes, -1 for no prediction. Of the sizes of the
        model those at ``ends_of_blocks`` are looked at.
        """
        if not len(labels):
            return
        labels, said = np.asarray(labels), np.asarray(predictions)
        n = self.n + len(labels)
        while n > 2 * BLOCKS * self.block:
            self._double()
        at = np.arange(self.n, n) // self.block
        new = slice(int(at[0]), int(at[-1]) + 1)
        self._make_room(new.stop, 1 + max(int(labels.max()), int(said.max())))
        at -= new.start
        stays = labels == np.concatenate([[self._last], labels[:-1]])
        for k, counted in enumerate((labels == said, stays)):
            self._tally[new, k] += np.bincount(at[counted], minlength=new.stop - new.start)
        ends = np.minimum(self.block * np.arange(new.start + 1, new.stop + 1), n)
        self._sizes[new] = np.asarray(sizes)[ends - self.n - 1]
        if self._classes is not None:
            part = self._classes[new]
            for k, codes in enumerate((labels, said)):
                cells = (at * part.shape[2] + codes)[codes >= 0]
                counts = np.bincount(cells, minlength=part.shape[0] * part.shape[2])
                part[:, k] += counts.reshape(part.shape[0], part.shape[2])
        self._last, self.n = int(labels[-1]), n

    def ends_of_blocks(self, n: int) -> NDArray[np.bool_]:
        """Which of the next ``n`` examples end a block when they come; the last counts as one."""
        t = np.arange(self.n + 1, self.n + n + 1)
        block = np.full(n, self.block)
        while (late := t > 2 * BLOCKS * block).any():
            block[late] *= 2
        ends = np.asarray(t % block == 0)
        ends[-1:] = True
        return ends

    @property
    def ends(self) -> Ints:
        """The number of examples up to the end of each block."""
        return np.minimum(self.block * np.arange(1, len(self) + 1), self.n)

    @property
    def running(self) -> Floats:
        """Accuracy on all examples so far, at the ends of the blocks."""
        return np.asarray(np.cumsum(self._tally[: len(self), 0]) / self.ends, dtype=np.float64)

    @property
    def sizes(self) -> Ints:
        """The model size at the ends of the blocks."""
        return self._sizes[: len(self)]

    @property
    def length(self) -> int:
        """The length of a window in examples."""
        return self._blocks_of_a_window * self.block

    @property
    def _blocks_of_a_window(self) -> int:
        if self.window is None:
            return max(1, -(-len(self) // WINDOWS))
        return max(1, self.window // self.block)

    def windows(self, *, sliding: bool = False) -> Windows:
        """One window after the other, or with ``sliding`` one that ends at each block.

        The last of the former may be shorter. The latter begin with the first end that has a whole
        window before it, or with the last end.
        """
        n_blocks, width = len(self), self._blocks_of_a_window
        if sliding:
            stop = np.arange(max(1, min(width, n_blocks)), n_blocks + 1)
            start = np.maximum(stop - width, 0)
        else:
            start = np.arange(0, n_blocks, width)
            stop = np.minimum(start + width, n_blocks)
        ends = np.array([0, *self.ends])
        n = ends[stop] - ends[start]
        hits, stays = _between(self._tally, start, stop).T
        kappa = np.full(len(n), np.nan)
        if self._classes is not None:
            counts = _between(self._classes, start, stop)
            agree = (counts[:, 0] * counts[:, 1]).sum(axis=1)
            # in whole numbers, as in `Scores`
            np.divide(n * hits - agree, n * n - agree, out=kappa, where=n * n > agree)
        return Windows(ends[stop], hits / n, kappa, stays / n, self._sizes[stop - 1])

    def _double(self) -> None:
        """Two blocks become one."""
        n_blocks = len(self)
        firsts = np.arange(0, n_blocks, 2)
        self._sizes[: len(firsts)] = self._sizes[np.minimum(firsts + 1, n_blocks - 1)]
        for counts in (self._tally, self._classes):
            if counts is not None and n_blocks:
                counts[: len(firsts)] = np.add.reduceat(counts[:n_blocks], firsts)
                counts[len(firsts) :] = 0
        self.block *= 2

    def _make_room(self, n_blocks: int, n_classes: int) -> None:
        """Twice as much of whatever is too small."""
        if n_blocks > len(self._sizes):
            more = 2 * n_blocks
            self._tally, self._sizes = _grown(self._tally, more, 2), _grown(self._sizes, more)
        if self._classes is None:
            return
        if n_classes > CLASSES:
            self._classes = None
        elif n_blocks > len(self._classes) or n_classes > self._classes.shape[2]:
            width = self._classes.shape[2]
            width = width if n_classes <= width else 2 * n_classes
            self._classes = _grown(self._classes, len(self._sizes), 2, width)


def _grown(array: Ints, *shape: int) -> Ints:
    """The same numbers with zeros behind them."""
    larger = np.zeros(shape, dtype=np.int64)
    larger[tuple(slice(0, length) for length in array.shape)] = array
    return larger


def _between(counts: Ints, start: Ints, stop: Ints) -> Ints:
    """Sums of the rows from each start up to each stop."""
    totals = np.zeros((1 + int(stop[-1]) if len(stop) else 1, *counts.shape[1:]), dtype=np.int64)
    np.cumsum(counts[: len(totals) - 1], axis=0, out=totals[1:])
    return np.asarray(totals[stop] - totals[start])
