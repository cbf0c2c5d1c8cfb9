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
from numba import config, from_dtype, types
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

# A vector of float64: from anywhere in memory, and only to be read.
POINT = types.Array(types.float64, 1, "A", readonly=True, aligned=False)

_HEAD = 5  # words of Numba's array before shape and strides: owner, parent, size, item size, data


class _StateType(types.Type):
    """The states of one class; the arrays of all of them are like those of the first one."""

    def __init__(self, state: Any) -> None:
        super().__init__(f"abacoc.{type(state).__name__}")
        self.arrays = {
            name: types.Array(from_dtype(array.dtype), array.ndim, "C")
            for name, array in zip(state._fields, state, strict=True)
        }
        words = [_HEAD + 2 * array.ndim for array in self.arrays.values()]
        self.places = dict(zip(self.arrays, np.cumsum([0, *words[:-1]]).tolist(), strict=True))


_TYPES: dict[type, _StateType] = {}


class Handle:
    """Holds a state and the table of its arrays, whose address is what the kernels get."""

    def __init__(self, state: Any) -> None:
        self.state = state
        if type(state) not in _TYPES:
            _TYPES[type(state)] = _StateType(state)
        self._numba_type_ = _TYPES[type(state)]  # where Numba looks for the type of an argument
        words: list[int] = []
        for array in state:
            words += [0, 0, array.size, array.itemsize, array.ctypes.data]  # 0, 0: nobody's
            words += [*array.shape, *array.strides]
        self._table = np.array(words, dtype=np.int64)
        self._address = int(self._table.ctypes.data)

    def __index__(self) -> int:
        return self._address

    def __reduce__(self) -> Any:
        return Handle, (self.state,)  # an address is of no use to a copy


def as_handle(state: Any) -> Any:
    """What to hand to a kernel."""
    return state if config.DISABLE_JIT else Handle(state)


def bound(entry: Any, handle: Any, *more: Any) -> Any:
    """An entry for a state, a `POINT` and arguments of these types, as a function of the last ones.

    Numba finds out what the arguments are at each call, which takes longer than a small search. So
    this is the compiled function itself: **whatever it gets as a point is read as one**.
    """
    if config.DISABLE_JIT:
        return partial(entry, handle)
    signature = (handle._numba_type_, POINT, *more)
    entry.compile(signature)  # or load it; the second time it is there
    return partial(entry.overloads[signature].entry_point, operator.index(handle))


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
        return state.arrays.get(name)


@lower_getattr_generic(_StateType)
def _load_array(context: Any, builder: Any, type_: Any, address: Any, name: str) -> Any:
    array = context.get_value_type(type_.arrays[name])
    place = builder.add(address, ir.Constant(ir.IntType(64), 8 * type_.places[name]))
    return builder.load(builder.inttoptr(place, array.as_pointer()))
