"""A state as the kernels take it: the address of a table that describes its arrays.

Handing a state over costs one number instead of two dozen arrays, and kernels need not count who
uses an array, which would cost as much as the search itself. Nothing else keeps the arrays alive:
whoever holds a ``Handle`` must hold the state, as ``Handle`` itself does.
"""

from __future__ import annotations

import operator
from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    unbox,
)

from abacoc.engine.state import State

# A vector of float64: from anywhere in memory, and only to be read.
POINT = types.Array(types.float64, 1, "A", readonly=True, aligned=False)

_KINDS = {"i": types.int64, "f": types.float64, "r": types.float32, "w": types.uint64}
# kind and number of axes of each array, in order
_ARRAYS = "i1 f1 f1 f1 r1 f1 i2 r1 r2 r2 i1 f2 i1 i1 w2 i2 f2 f2 i1 f1 i2 i1 i2 f1 i2 i2 r3 r3 r3"
_ARRAYS += " i2 i2 i2 i1 w3 r2 f1 i1 w3 i1 w2"
_TYPES = {
    name: types.Array(_KINDS[array[0]], int(array[1]), "C")
    for name, array in zip(State._fields, _ARRAYS.split(), strict=True)
}
_HEAD = 5  # words of Numba's array before shape and strides: owner, parent, size, item size, data
_WORDS = [_HEAD + 2 * array.ndim for array in _TYPES.values()]
_PLACES = dict(zip(_TYPES, np.cumsum([0, *_WORDS[:-1]]).tolist(), strict=True))


class Handle:
    """Holds a state and the table of its arrays, whose address is what the kernels get."""

    _numba_type_: Any

    def __init__(self, state: State) -> None:
        self.state = state
        words: list[int] = []
        for array in state:
            words += [0, 0, array.size, array.itemsize, array.ctypes.data]  # 0, 0: nobody's
            words += [*array.shape, *array.strides]
        self._table = np.array(words, dtype=np.int64)
        self._address = int(self._table.ctypes.data)

    def __index__(self) -> int:
        return self._address


def as_handle(state: State) -> Any:
    """What to hand to a kernel."""
    return state if config.DISABLE_JIT else Handle(state)


def bound(entry: Any, handle: Any, *more: Any) -> Any:
    """An entry for a state, a `POINT` and arguments of these types, as a function of the last ones.

    Numba finds out what the arguments are at each call, which takes longer than a small search. So
    this is the compiled function itself: **whatever it gets as a point is read as one**.
    """
    if config.DISABLE_JIT:
        return partial(entry, handle)
    signature = (Handle._numba_type_, POINT, *more)
    entry.compile(signature)  # or load it; the second time it is there
    return partial(entry.overloads[signature].entry_point, operator.index(handle))


class _StateType(types.Type):
    def __init__(self) -> None:
        super().__init__("abacoc.State")


Handle._numba_type_ = _StateType()  # where Numba looks for the type of an argument first


@register_model(_StateType)
class _StateModel(models.PrimitiveModel):
    def __init__(self, manager: Any, type_: Any) -> None:
        super().__init__(manager, type_, ir.IntType(64))


@unbox(_StateType)
def _unbox(type_: Any, value: Any, c: Any) -> Any:
    native = c.pyapi.number_as_ssize_t(value)  # of a handle, or the address itself
    return NativeValue(native, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@infer_getattr
class _Attributes(AttributeTemplate):
    key = _StateType

    def generic_resolve(self, state: Any, name: str) -> Any:
        return _TYPES.get(name)


@lower_getattr_generic(_StateType)
def _load_array(context: Any, builder: Any, type_: Any, address: Any, name: str) -> Any:
    array = context.get_value_type(_TYPES[name])
    place = builder.add(address, ir.Constant(ir.IntType(64), 8 * _PLACES[name]))
    return builder.load(builder.inttoptr(place, array.as_pointer()))
