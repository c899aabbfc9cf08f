"""Actions: numbers per lane that become moves in rows, once they are known to be legal."""

from __future__ import annotations

from llvmlite import ir

from gdl.engine.kernels.ir_helpers import (
    I1,
    I64,
    POINTER,
    IrHelpers,
    Value,
    batches,
    each_bit,
    get_integer,
    integer,
    local,
    loop,
)


def emit_check(helpers: IrHelpers) -> Value:
    """Emit ``check(legal, count, actions, stride, lanes)``: the first lane whose action is illegal.

    It is -1 where there is none. ``legal`` are the rows of ``count`` actions; each lane ``n`` of
    those in ``lanes`` does ``actions[n * stride]``, int64.
    """
    function, b = helpers.function("check", I64, [POINTER, I64, POINTER, I64, POINTER])
    legal, count, actions, stride, lanes = function.args
    with loop(b, integer(0), integer(helpers.words)) as word:
        chosen, first = get_integer(b, lanes, word), b.shl(word, integer(6))
        with each_bit(b, chosen) as bit:
            lane = b.or_(first, bit)
            action = get_integer(b, actions, b.mul(lane, stride))
            known = b.icmp_unsigned("<", action, count)
            row = b.select(known, action, integer(0))
            allowed = b.trunc(b.lshr(helpers.load_word(b, legal, row, word), bit), I1)
            with b.if_then(b.not_(b.and_(known, allowed)), likely=False):
                b.ret(lane)
                b.position_at_end(function.append_basic_block("unreachable"))
    b.ret(integer(-1))
    return function


def emit_put(helpers: IrHelpers) -> Value:
    """Emit ``put(moves, count, actions, stride, lanes, table)``: mark actions in rows of moves.

    ``moves`` are the rows of ``count`` moves; lane ``n`` of those in ``lanes`` makes the move
    ``table[actions[n * stride]]``, int64, or the one numbered as its action where ``table`` is
    null. Actions have been checked; the rows are 0 in these lanes.
    """
    arguments = [POINTER, I64, POINTER, I64, POINTER, POINTER]
    function, b = helpers.function("put", ir.VoidType(), arguments)
    moves, count, actions, stride, lanes, table = function.args
    renamed = b.icmp_signed("!=", b.ptrtoint(table, I64), integer(0))
    with loop(b, integer(0), integer(helpers.words)) as word:
        chosen, first = get_integer(b, lanes, word), b.shl(word, integer(6))
        with each_bit(b, chosen) as bit:
            action = get_integer(b, actions, b.mul(b.or_(first, bit), stride))
            move = local(b, I64, action)
            with b.if_then(renamed):
                b.store(get_integer(b, table, action), move)
            found = b.load(move, typ=I64)
            with b.if_then(b.icmp_unsigned("<", found, count)):
                address = helpers.word_at(b, moves, found, word)
                b.store(b.or_(b.load(address, typ=I64), b.shl(integer(1), bit)), address)
    b.ret_void()
    return function


def emit_choices(helpers: IrHelpers) -> Value:
    """Emit ``choices(legal, count, several, stuck)``: the lanes with more than one of some rows.

    They become the row ``several``; lanes with none at all are added to the row ``stuck``.
    """
    arguments = [POINTER, I64, POINTER, POINTER]
    function, b = helpers.function("choices", ir.VoidType(), arguments)
    legal, count, several, stuck = function.args
    one, two = helpers.variable(b, helpers.zero), helpers.variable(b, helpers.zero)
    for batch in batches(b, count, helpers.batch):
        for row in [helpers.load(b, legal, move) for move in batch]:
            seen = helpers.get(b, one)
            b.store(b.or_(helpers.get(b, two), b.and_(seen, row)), two)
            b.store(b.or_(seen, row), one)
    helpers.store(b, helpers.get(b, two), several, integer(0))
    none = b.not_(helpers.get(b, one))
    known = helpers.load(b, stuck, integer(0))
    helpers.store(b, b.or_(known, none), stuck, integer(0))
    b.ret_void()
    return function
