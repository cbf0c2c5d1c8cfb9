"""What a compiler has to be told: operations on all lanes of a block, and on the bits of a word.

Left to itself, Numba's compiler makes single operations of these loops. Here they are spelled
out as LLVM vectors of ``WIDTH`` lanes, which any processor can run (in as many instructions as it
needs). Lane by lane it is ordinary float64 arithmetic in the order of the columns: the Python
functions at the end do the same, and stand in where Numba is switched off.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

from abacoc.engine.state import WIDTH

I32, I64, DOUBLE = ir.IntType(32), ir.IntType(64), ir.DoubleType()
DOUBLES, WORDS = ir.VectorType(DOUBLE, WIDTH), ir.VectorType(I64, WIDTH)
FLOAT_ALIGNMENT = 8  # of NumPy's arrays; vectors would be expected to have more


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, vector: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(data, vector.as_pointer())


def _all_lanes(builder: Any, scalar: Any, vector: Any) -> Any:
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(I32, 0))
    zeros = ir.Constant(ir.VectorType(I32, WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(first, undefined, zeros)


def _loop(builder: Any, start: Any, end: Any, initial: Any, step: Any) -> Any:
    """``for j in range(start, end): value = step(j, value)``; the value in the end."""
    before = builder.block
    body, after = builder.append_basic_block("body"), builder.append_basic_block("after")
    builder.cbranch(builder.icmp_signed("<", start, end), body, after)
    builder.position_at_end(body)
    j, value = builder.phi(I64), builder.phi(initial.type)
    new = step(j, value)
    following = builder.add(j, ir.Constant(I64, 1))
    builder.cbranch(builder.icmp_signed("<", following, end), body, after)
    j.add_incoming(start, before)
    value.add_incoming(initial, before)
    j.add_incoming(following, body)
    value.add_incoming(new, body)
    builder.position_at_end(after)
    result = builder.phi(initial.type)
    result.add_incoming(initial, before)
    result.add_incoming(new, body)
    return result


@intrinsic
def _squares(
    typing: Any, values: Any, row: Any, dense: Any, start: Any, end: Any, totals: Any, limit: Any
) -> Any:
    signature = types.uint64(
        values, types.intp, dense, types.intp, types.intp, totals, types.float64
    )

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values, row, dense, start, end, totals, limit = args
        types_ = signature.args
        rows = builder.gep(_pointer(context, builder, types_[0], values, DOUBLES), [row])
        point = _pointer(context, builder, types_[2], dense, DOUBLE)
        sums = _pointer(context, builder, types_[5], totals, DOUBLES)

        def add_square(j: Any, total: Any) -> Any:
            x = _all_lanes(builder, builder.load(builder.gep(point, [j])), DOUBLES)
            column = builder.load(builder.gep(rows, [j]), align=FLOAT_ALIGNMENT)
            difference = builder.fsub(column, x)
            return builder.fadd(total, builder.fmul(difference, difference))

        zero = ir.Constant(DOUBLES, [0.0] * WIDTH)
        so_far = builder.load(sums, align=FLOAT_ALIGNMENT)
        fresh = builder.icmp_signed("==", start, ir.Constant(I64, 0))
        initial = builder.select(fresh, zero, so_far)
        total = _loop(builder, start, end, initial, add_square)
        builder.store(total, sums, align=FLOAT_ALIGNMENT)
        near = builder.fcmp_ordered("<=", total, _all_lanes(builder, limit, DOUBLES))
        return builder.zext(builder.bitcast(near, ir.IntType(WIDTH)), I64)

    return signature, generate


@intrinsic
def _add_differing_bits(
    typing: Any, bits: Any, row: Any, masks: Any, n_words: Any, totals: Any, limit: Any
) -> Any:
    signature = types.uint64(bits, types.intp, masks, types.intp, totals, types.float64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bits, row, masks, n_words, totals, limit = args
        types_ = signature.args
        rows = builder.gep(_pointer(context, builder, types_[0], bits, WORDS), [row])
        mask = _pointer(context, builder, types_[2], masks, I64)
        sums = _pointer(context, builder, types_[4], totals, DOUBLES)
        all_ones = ir.Constant(WORDS, [-1] * WIDTH)
        count = builder.module.declare_intrinsic(
            f"llvm.ctpop.v{WIDTH}i64", (), ir.FunctionType(WORDS, [WORDS])
        )

        def add_count(w: Any, total: Any) -> Any:
            ones = builder.load(builder.gep(rows, [w]), align=FLOAT_ALIGNMENT)
            in_row = builder.load(
                builder.gep(rows, [builder.add(n_words, w)]), align=FLOAT_ALIGNMENT
            )
            query = builder.load(builder.gep(mask, [builder.add(n_words, w)]))
            odd = builder.load(builder.gep(mask, [builder.add(builder.add(n_words, n_words), w)]))
            skip = builder.or_(in_row, _all_lanes(builder, odd, WORDS))
            differ = builder.xor(ones, _all_lanes(builder, query, WORDS))
            differ = builder.and_(differ, builder.xor(skip, all_ones))
            return builder.add(total, builder.call(count, [differ]))

        zero = ir.Constant(WORDS, [0] * WIDTH)
        counts = _loop(builder, ir.Constant(I64, 0), n_words, zero, add_count)
        so_far = builder.load(sums, align=FLOAT_ALIGNMENT)
        total = builder.fadd(so_far, builder.uitofp(counts, DOUBLES))
        builder.store(total, sums, align=FLOAT_ALIGNMENT)
        near = builder.fcmp_ordered("<=", total, _all_lanes(builder, limit, DOUBLES))
        return builder.zext(builder.bitcast(near, ir.IntType(WIDTH)), I64)

    return signature, generate


@intrinsic
def _lowest(typing: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


def _near(totals: np.ndarray, limit: float) -> np.uint64:
    return np.uint64(sum(1 << lane for lane in range(WIDTH) if totals[lane] <= limit))


def _squares_in_python(
    values: np.ndarray,
    row: int,
    dense: np.ndarray,
    start: int,
    end: int,
    totals: np.ndarray,
    limit: float,
) -> np.uint64:
    rows = values.reshape(-1, WIDTH)
    if start == 0:
        totals[:] = 0.0
    for j in range(start, end):
        difference = rows[row + j] - dense[j]
        totals += difference * difference
    return _near(totals, limit)


def _add_differing_bits_in_python(
    bits: np.ndarray, row: int, masks: np.ndarray, n_words: int, totals: np.ndarray, limit: float
) -> np.uint64:
    rows = bits.reshape(-1, WIDTH)
    for w in range(n_words):
        differ = (rows[row + w] ^ masks[1, w]) & ~rows[row + n_words + w] & ~masks[2, w]
        totals += np.bitwise_count(differ)
    return _near(totals, limit)


def _lowest_in_python(word: np.uint64) -> int:
    return (int(word) & -int(word)).bit_length() - 1


# squares(values, row, dense, start, end, totals, limit): add the squared differences of columns
# start to end to the totals (which begin at 0), the first column being `row` of the lanes of
# `values`; the lanes with a total of at most the limit, as bits.
squares = _squares_in_python if config.DISABLE_JIT else _squares

# add_differing_bits(bits, row, masks, n_words, totals, limit): add to the totals the number of
# columns in which a centre and the query are 0 and 1; the lanes as above.
add_differing_bits = _add_differing_bits_in_python if config.DISABLE_JIT else _add_differing_bits

# lowest(word): the place of the lowest one of a word that has one.
lowest = _lowest_in_python if config.DISABLE_JIT else _lowest
