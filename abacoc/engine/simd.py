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

from abacoc.engine.state import GROUP, WIDTH

I32, I64, WORDS = ir.IntType(32), ir.IntType(64), ir.VectorType(ir.IntType(64), WIDTH)
FLOATS = {types.float64: ir.DoubleType(), types.float32: ir.FloatType()}
LANES = ir.VectorType(I64, GROUP // 64)
ALIGNMENT = 4  # of NumPy's arrays at least; vectors would be expected to have more
DIGITS, STEP = 12, 16  # binary digits of a count of differing bits; planes that are added at once
MANY = 2**DIGITS - 1  # the greatest count


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, vector: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(data, vector.as_pointer())


def _all_lanes(builder: Any, scalar: Any, vector: Any) -> Any:
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(I32, 0))
    zeros = ir.Constant(ir.VectorType(I32, vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, undefined, zeros)


def _loop(builder: Any, start: Any, end: Any, initial: list[Any], step: Any, by: int = 1) -> Any:
    """``for j in range(start, end, by): values = step(j, values)``; the values in the end."""
    before = builder.block
    body, after = builder.append_basic_block("body"), builder.append_basic_block("after")
    builder.cbranch(builder.icmp_signed("<", start, end), body, after)
    builder.position_at_end(body)
    j, values = builder.phi(I64), [builder.phi(value.type) for value in initial]
    new = step(j, values)
    following = builder.add(j, ir.Constant(I64, by))
    builder.cbranch(builder.icmp_signed("<", following, end), body, after)
    builder.position_at_end(after)
    results = [builder.phi(value.type) for value in initial]
    for at, first, last in [(j, start, following), *zip(values, initial, new, strict=True)]:
        at.add_incoming(first, before)
        at.add_incoming(last, body)
    for at, first, last in zip(results, initial, new, strict=True):
        at.add_incoming(first, before)
        at.add_incoming(last, body)
    return results


def _as_mask(builder: Any, near: Any) -> Any:
    return builder.zext(builder.bitcast(near, ir.IntType(WIDTH)), I64)


def _adds_squares(name: str, n_values: int, gap: Any) -> Any:
    """An operation that adds to the totals, column by column, the square of a difference."""

    def typed(
        typing: Any,
        values: Any,
        row: Any,
        point: Any,
        start: Any,
        end: Any,
        totals: Any,
        at: Any,
        limit: Any,
    ) -> Any:
        real, n = totals.dtype, types.intp
        signature = types.uint64(values, n, point, n, n, totals, n, real)
        number = FLOATS[real]
        lanes = ir.VectorType(number, WIDTH)

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            values, row, point, start, end, totals, at, limit = args
            types_ = signature.args
            rows = builder.gep(_pointer(context, builder, types_[0], values, lanes), [row])
            coordinates = _pointer(context, builder, types_[2], point, number)
            sums = builder.gep(_pointer(context, builder, types_[5], totals, lanes), [at])

            def add_square(j: Any, totals: Any) -> Any:
                x = _all_lanes(builder, builder.load(builder.gep(coordinates, [j])), lanes)
                first = builder.mul(j, ir.Constant(I64, n_values))
                columns = []
                for i in range(n_values):
                    place = builder.gep(rows, [builder.add(first, ir.Constant(I64, i))])
                    columns.append(builder.load(place, align=ALIGNMENT))
                difference = gap(builder, x, *columns)
                return [builder.fadd(totals[0], builder.fmul(difference, difference))]

            so_far = builder.load(sums, align=ALIGNMENT)
            fresh = builder.icmp_signed("==", start, ir.Constant(I64, 0))
            initial = builder.select(fresh, ir.Constant(lanes, [0.0] * WIDTH), so_far)
            (total,) = _loop(builder, start, end, [initial], add_square)
            builder.store(total, sums, align=ALIGNMENT)
            near = builder.fcmp_ordered("<", total, _all_lanes(builder, limit, lanes))
            return _as_mask(builder, near)

        return signature, generate

    typed.__name__ = name
    return intrinsic(typed)


def _greater(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def _to_point(builder: Any, x: Any, column: Any) -> Any:
    return builder.fsub(column, x)


def _to_box(builder: Any, x: Any, low: Any, high: Any) -> Any:
    outside = _greater(builder, builder.fsub(low, x), builder.fsub(x, high))
    return _greater(builder, outside, ir.Constant(outside.type, [0.0] * WIDTH))


_squares = _adds_squares("squares", 1, _to_point)
_box_squares = _adds_squares("box_squares", 2, _to_box)


@intrinsic
def _within(typing: Any, totals: Any, at: Any, limit: Any) -> Any:
    lanes = ir.VectorType(FLOATS[totals.dtype], WIDTH)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        sums = _pointer(context, builder, signature.args[0], args[0], lanes)
        total = builder.load(builder.gep(sums, [args[1]]), align=ALIGNMENT)
        near = builder.fcmp_ordered("<", total, _all_lanes(builder, args[2], lanes))
        return _as_mask(builder, near)

    return types.uint64(totals, types.intp, totals.dtype), generate


@intrinsic
def _least(typing: Any, totals: Any, at: Any) -> Any:
    lanes = ir.VectorType(FLOATS[totals.dtype], WIDTH)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        sums = _pointer(context, builder, signature.args[0], args[0], lanes)
        total = least = builder.load(builder.gep(sums, [args[1]]), align=ALIGNMENT)
        n = WIDTH
        while n > 1:
            n //= 2
            low, high = (
                builder.shuffle_vector(
                    least,
                    ir.Constant(least.type, ir.Undefined),
                    ir.Constant(ir.VectorType(I32, n), list(range(start, start + n))),
                )
                for start in (0, n)
            )
            least = builder.select(builder.fcmp_ordered("<", low, high), low, high)
        least = builder.extract_element(least, ir.Constant(I32, 0))
        at_least = builder.fcmp_ordered("<=", total, _all_lanes(builder, least, lanes))
        return _as_mask(builder, at_least)

    return types.uint64(totals, types.intp), generate


@intrinsic
def _add_differing_bits(
    typing: Any, bits: Any, row: Any, masks: Any, n_words: Any, totals: Any, limit: Any
) -> Any:
    signature = types.uint64(bits, types.intp, masks, types.intp, totals, totals.dtype)
    lanes = ir.VectorType(FLOATS[totals.dtype], WIDTH)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bits, row, masks, n_words, totals, limit = args
        types_ = signature.args
        rows = builder.gep(_pointer(context, builder, types_[0], bits, WORDS), [row])
        mask = _pointer(context, builder, types_[2], masks, I64)
        sums = _pointer(context, builder, types_[4], totals, lanes)
        all_ones = ir.Constant(WORDS, [-1] * WIDTH)
        count = builder.module.declare_intrinsic(
            f"llvm.ctpop.v{WIDTH}i64", (), ir.FunctionType(WORDS, [WORDS])
        )

        def add_count(w: Any, totals: Any) -> Any:
            ones = builder.load(builder.gep(rows, [w]), align=ALIGNMENT)
            in_row = builder.load(builder.gep(rows, [builder.add(n_words, w)]), align=ALIGNMENT)
            query = builder.load(builder.gep(mask, [builder.add(n_words, w)]))
            odd = builder.load(builder.gep(mask, [builder.add(builder.add(n_words, n_words), w)]))
            skip = builder.or_(in_row, _all_lanes(builder, odd, WORDS))
            differ = builder.xor(ones, _all_lanes(builder, query, WORDS))
            differ = builder.and_(differ, builder.xor(skip, all_ones))
            return [builder.add(totals[0], builder.call(count, [differ]))]

        zero = ir.Constant(WORDS, [0] * WIDTH)
        (counts,) = _loop(builder, ir.Constant(I64, 0), n_words, [zero], add_count)
        so_far = builder.load(sums, align=ALIGNMENT)
        total = builder.fadd(so_far, builder.uitofp(counts, lanes))
        builder.store(total, sums, align=ALIGNMENT)
        near = builder.fcmp_ordered("<", total, _all_lanes(builder, limit, lanes))
        return _as_mask(builder, near)

    return signature, generate


@intrinsic
def _count_planes(
    typing: Any, planes: Any, group: Any, chosen: Any, n: Any, most: Any, counts: Any
) -> Any:
    signature = types.uint64(planes, types.intp, chosen, types.intp, types.int64, counts)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        planes, group, chosen, n, most, counts = args
        types_ = signature.args
        n_planes = context.make_array(types_[0])(context, builder, planes).shape
        n_planes = builder.extract_value(n_planes, 1)
        first = builder.mul(group, n_planes)
        rows = builder.gep(_pointer(context, builder, types_[0], planes, LANES), [first])
        numbers = _pointer(context, builder, types_[2], chosen, I64)
        digits = _pointer(context, builder, types_[5], counts, LANES)

        def add(a: Any, b: Any, c: Any) -> tuple[Any, Any]:
            """Sum and carry of three digits."""
            some = builder.and_(builder.or_(a, b), c)
            return builder.xor(builder.xor(a, b), c), builder.or_(builder.and_(a, b), some)

        def add_planes(j: Any, values: Any) -> Any:
            """Sixteen planes are added to the lowest four digits, and the carry to the others."""
            *total, beyond = values
            ones = []
            for i in range(STEP):
                number = builder.load(builder.gep(numbers, [builder.add(j, ir.Constant(I64, i))]))
                ones.append(builder.load(builder.gep(rows, [number]), align=ALIGNMENT))
            digit = 0
            while len(ones) > 1:
                carries = []
                for a, b in zip(ones[::2], ones[1::2], strict=True):
                    total[digit], carry = add(total[digit], a, b)
                    carries.append(carry)
                digit, ones = digit + 1, carries
            carry = ones[0]
            for at in range(digit, DIGITS):
                total[at], carry = builder.xor(total[at], carry), builder.and_(total[at], carry)
            return [*total, builder.or_(beyond, carry)]

        # begin so far up that more than `most` runs over
        room = builder.sub(ir.Constant(I64, MANY), most)
        one, zero = ir.Constant(I64, 1), ir.Constant(I64, 0)
        initial = []
        for digit in range(DIGITS):
            bit = builder.and_(builder.lshr(room, ir.Constant(I64, digit)), one)
            initial.append(_all_lanes(builder, builder.sub(zero, bit), LANES))
        initial.append(ir.Constant(LANES, [0] * LANES.count))
        *total, beyond = _loop(builder, zero, n, initial, add_planes, STEP)
        in_use = builder.gep(rows, [builder.sub(n_planes, ir.Constant(I64, 2))])
        near = builder.load(in_use, align=ALIGNMENT)
        near = builder.and_(near, builder.xor(beyond, ir.Constant(LANES, [-1] * LANES.count)))
        for at, value in enumerate([*total, near]):
            place = builder.gep(digits, [ir.Constant(I64, at)])
            builder.store(value, place, align=ALIGNMENT)
        some = builder.icmp_signed("!=", near, ir.Constant(LANES, [0] * LANES.count))
        return builder.zext(builder.bitcast(some, ir.IntType(LANES.count)), I64)

    return signature, generate


def _of_one_word(name: str, generate: Any) -> Any:
    """An operation on a word."""

    def typed(typing: Any, word: Any) -> Any:
        return types.int64(types.uint64), generate

    typed.__name__ = name
    return intrinsic(typed)


EXACT = ir.Constant(ir.IntType(1), 1)  # the word has a one


def _lowest(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.cttz(args[0], EXACT)


def _highest(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.sub(ir.Constant(I64, 63), builder.ctlz(args[0], EXACT))


def _ones_of(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.ctpop(args[0])


def _near(totals: np.ndarray, limit: float) -> np.uint64:
    return np.uint64(sum(1 << lane for lane in range(WIDTH) if totals[lane] < limit))


def _squares_in_python(
    values: np.ndarray,
    row: int,
    point: np.ndarray,
    start: int,
    end: int,
    totals: np.ndarray,
    at: int,
    limit: float,
) -> np.uint64:
    columns = values.reshape(-1, WIDTH)[row + start : row + end]
    with np.errstate(over="ignore", invalid="ignore"):  # lanes without a centre hold anything
        return _add_in_python(columns - point[start:end, np.newaxis], start, totals, at, limit)


def _box_squares_in_python(
    boxes: np.ndarray,
    row: int,
    point: np.ndarray,
    start: int,
    end: int,
    totals: np.ndarray,
    at: int,
    limit: float,
) -> np.uint64:
    edges = boxes.reshape(-1, WIDTH)[row + 2 * start : row + 2 * end]
    x = point[start:end, np.newaxis]
    with np.errstate(over="ignore", invalid="ignore"):
        outside = np.maximum(edges[::2] - x, x - edges[1::2])
        return _add_in_python(np.maximum(outside, 0), start, totals, at, limit)


def _add_in_python(
    differences: np.ndarray, start: int, totals: np.ndarray, at: int, limit: float
) -> np.uint64:
    totals = totals.reshape(-1, WIDTH)[at]
    if start == 0:
        totals[:] = 0.0
    for difference in differences:
        totals += difference * difference
    return _near(totals, limit)


def _within_in_python(totals: np.ndarray, at: int, limit: float) -> np.uint64:
    return _near(totals.reshape(-1, WIDTH)[at], limit)


def _least_in_python(totals: np.ndarray, at: int) -> np.uint64:
    totals = totals.reshape(-1, WIDTH)[at]
    return np.uint64(sum(1 << lane for lane in range(WIDTH) if totals[lane] == totals.min()))


def _add_differing_bits_in_python(
    bits: np.ndarray, row: int, masks: np.ndarray, n_words: int, totals: np.ndarray, limit: float
) -> np.uint64:
    rows = bits.reshape(-1, WIDTH)
    for w in range(n_words):
        differ = (rows[row + w] ^ masks[1, w]) & ~rows[row + n_words + w] & ~masks[2, w]
        totals += np.bitwise_count(differ)
    return _near(totals, limit)


def _count_planes_in_python(
    planes: np.ndarray, group: int, chosen: np.ndarray, n: int, most: int, counts: np.ndarray
) -> np.uint64:
    ones = np.unpackbits(planes[group, chosen[:n]].view(np.uint8), axis=1, bitorder="little")
    total = MANY - most + ones.sum(axis=0, dtype=np.int64)
    for digit in range(DIGITS):
        counts[digit] = np.packbits(total >> digit & 1 != 0, bitorder="little").view(np.uint64)
    near = np.packbits(total <= MANY, bitorder="little").view(np.uint64) & planes[group, -2]
    counts[DIGITS] = near
    return np.uint64(near.any())


def _lowest_in_python(word: np.uint64) -> int:
    return (int(word) & -int(word)).bit_length() - 1


def _either(compiled: Any, python: Any) -> Any:
    """The operation, and beside it what stands in for it in Python."""
    compiled.py_func = python
    return python if config.DISABLE_JIT else compiled


# squares(values, row, point, start, end, totals, at, limit): add the squared differences of columns
# start to end to row `at` of the totals (which begin at 0), the first column being `row` of the
# lanes of `values`; the lanes whose total is below the limit, as bits. All are of one type.
squares = _either(_squares, _squares_in_python)

# box_squares(boxes, row, point, start, end, totals, at, limit): the same of the distances to boxes,
# of which each column has a row with the least values and one with the greatest. Rounded as they
# are, the total of a box is at most that of any point in it: no operation reverses an order.
box_squares = _either(_box_squares, _box_squares_in_python)

# within(totals, at, limit): the lanes of a row of totals that are below the limit.
# least(totals, at): the lanes with the least total of a row.
within = _either(_within, _within_in_python)
least = _either(_least, _least_in_python)

# add_differing_bits(bits, row, masks, n_words, totals, limit): add to the totals the number of
# columns in which a centre and the query are 0 and 1; the lanes as above.
add_differing_bits = _either(_add_differing_bits, _add_differing_bits_in_python)

# count_planes(planes, group, chosen, n, most, counts): writes the number of ones that each lane of
# a group has in the n chosen planes, plus MANY - most, in binary digits; after them the lanes in
# use that have at most `most`; 0 if there are none.
count_planes = _either(_count_planes, _count_planes_in_python)

# lowest(word), highest(word): the place of the lowest, or highest, one of a word that has one;
# ones_of(word): how many ones it has.
lowest = _either(_of_one_word("lowest", _lowest), _lowest_in_python)
highest = _either(_of_one_word("highest", _highest), lambda word: int(word).bit_length() - 1)
ones_of = _either(_of_one_word("ones_of", _ones_of), lambda word: int(word).bit_count())
