"""The gate interpreter."""

from __future__ import annotations

from llvmlite import ir

from gdl.engine.kernels.ir_helpers import (
    I32,
    I64,
    POINTER,
    IrHelpers,
    Value,
    get_integer,
    integer,
    loop,
    repeat,
    whole_batches,
)


def emit_interpret(helpers: IrHelpers) -> Value:
    """Emit the evaluation of a gate program in a block, gate by gate.

    Where rows are read in batches, gates of segments without feedback are evaluated in batches,
    too: none may need another of its batch (:func:`gdl.engine.device_kernels.tiles.in_batches`).
    """
    function, b = helpers.function("interpret", ir.VoidType(), [POINTER, POINTER])
    rows, program = function.args
    gates, segments = (b.inttoptr(get_integer(b, program, integer(i)), POINTER) for i in (0, 1))
    count = get_integer(b, program, integer(2))
    feedback = b.inttoptr(get_integer(b, program, integer(3)), POINTER)

    def literal(table: Value, index: Value) -> Value:
        """Return the row of a literal, flipped where it is negated."""
        number = b.zext(get_integer(b, table, index, I32), I64)
        flip = b.sub(integer(0), b.and_(number, integer(1)))
        row = helpers.load(b, rows, b.lshr(number, integer(1)))
        return b.xor(row, _splat(helpers, b, flip))

    with loop(b, integer(0), count) as segment:
        base = b.mul(segment, integer(4))
        first, last, first_loop, last_loop = (
            get_integer(b, segments, b.add(base, integer(i))) for i in range(4)
        )
        with loop(b, first_loop, last_loop) as number:
            row = b.zext(get_integer(b, feedback, b.mul(number, integer(2)), I32), I64)
            helpers.store(b, helpers.zero, rows, row)

        def evaluate(numbers: list[Value]) -> None:
            found = []
            for gate in numbers:
                index = b.mul(gate, integer(3))
                row = b.zext(get_integer(b, gates, index, I32), I64)
                left = literal(gates, b.add(index, integer(1)))
                right = literal(gates, b.add(index, integer(2)))
                found.append((row, b.and_(left, right)))
            for row, value in found:
                helpers.store(b, value, rows, row)

        with repeat(b) as again:
            # Where gates are repeated there are no batches, but all are a rest.
            straight = b.icmp_signed("==", first_loop, last_loop)
            rest = first if helpers.batch == 1 else b.select(straight, last, first)
            if helpers.batch > 1:
                for batch in whole_batches(b, first, rest, helpers.batch):
                    evaluate(batch)
            with loop(b, rest, last) as gate:
                evaluate([gate])
            changed = helpers.variable(b, helpers.zero)
            with loop(b, first_loop, last_loop) as number:
                index = b.mul(number, integer(2))
                row = b.zext(get_integer(b, feedback, index, I32), I64)
                old = helpers.load(b, rows, row)
                new = literal(feedback, b.add(index, integer(1)))
                helpers.store(b, new, rows, row)
                b.store(b.or_(helpers.get(b, changed), b.xor(old, new)), changed)
            again.append(helpers.any(b, helpers.get(b, changed)))
    b.ret_void()
    return function


def _splat(helpers: IrHelpers, b: Value, value: Value) -> Value:
    single = b.insert_element(ir.Constant(helpers.row, ir.Undefined), value, ir.Constant(I32, 0))
    mask = ir.Constant(ir.VectorType(I32, helpers.words), [0] * helpers.words)
    return b.shuffle_vector(single, ir.Constant(helpers.row, ir.Undefined), mask)
