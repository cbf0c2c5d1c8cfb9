"""Baselines whose model is the arrays of their kernels, which Python can run as well."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from abacoc.baselines.examples import ExampleLearner
from abacoc.engine.handle import as_handle
from abacoc.engine.jit import in_python
from abacoc.engine.rows import Answer
from abacoc.engine.state import Flags, Floats

PIECE = 16  # rows that Python runs on one copy of the arrays


class ArrayLearner(ExampleLearner):
    """Kernels are never interrupted. Python is, and runs on a copy, which is taken over at the end.

    So nothing has to be handed over when the kernels come.
    """

    def __init__(self) -> None:
        super().__init__()
        self._state: Any = None
        self._handle: Any = None

    @property
    def n_bytes(self) -> int:
        """Memory of the model in bytes, with the room that is allocated ahead."""
        return 0 if self._state is None else sum(array.nbytes for array in self._state)

    def _count(self, place: int) -> int:
        """A number of the header."""
        return 0 if self._state is None else int(self._state.h[place])

    @abstractmethod
    def _entry(self) -> Any:
        """The kernel that runs rows."""

    @abstractmethod
    def _go(
        self, run: Any, state: Callable[[], Any], X: Floats, learned: Flags, out: Answer
    ) -> None:
        """Run all rows; ``state`` gives the arrays as they are now, as ``run`` takes them."""

    def _run_compiled(self, X: Floats, learned: Flags, out: Answer) -> None:
        self._go(self._entry(), self._handed, X, learned, out)

    def _handed(self) -> Any:
        if self._handle is None or self._handle.state is not self._state:
            self._handle = as_handle(self._state)
        return self._handle

    def _run_in_python(self, X: Floats, learned: Flags, out: Answer) -> int:
        n, draft = min(PIECE, len(X)), object.__new__(type(self))
        draft.__dict__ |= self.__dict__
        draft._state = type(self._state)(*map(np.array, self._state))
        with np.errstate(all="ignore"):  # as kernels do
            draft._go(in_python(self._entry()), lambda: draft._state, X[:n], learned[:n], out)
        self._state = draft._state
        return n
