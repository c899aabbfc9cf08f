"""Steps of environments on a device: the episodes of blocks, a thread for each word of lanes.

What a step is, is said in :mod:`gdl.engine.lane_kernels.episode`, and is the same code. What is
different: an action that is not legal holds its lane where it is, as nobody waits for a thread that
could complain; and bytes are delivered by kernels of their own, neighbouring threads writing
neighbouring bytes.

``step(game, blocks, call..., illegal, threads)``
    A step of all lanes. ``game`` is the record of a game; ``blocks`` that of the first thread's
    block, the others' are a word further on; then each field of the record of a call, as that of
    the first thread. ``illegal`` uint8 (lanes,) are the lanes whose actions were not legal.
``reset(game, blocks, call..., illegal, threads)``
    New episodes in the lanes that are to begin again.
``deliver(rows, index, lanes, out, count, threads)``
    Bytes of rows, as :func:`gdl.engine.lane_kernels.delivery.emit_deliver` has them. There is a
    thread for each word of each of ``count`` rows; of lanes that are not in ``lanes``, zeros.
``widen(narrow, wide, threads)``
    Copies int32 to int64, a thread for each.
``draw(masks, actions, count, seed, threads)``
    Draws legal actions, a thread for each lane, as :func:`gdl.engine.random_actions` does.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from gdl.circuit import Layout
from gdl.engine.device.evaluators import EVALUATORS, interpreted_evaluators, straight_evaluators
from gdl.engine.device.plane_helpers import PlaneHelpers, module_text
from gdl.engine.device.targets import Target
from gdl.engine.kernels.choice import emit_select
from gdl.engine.kernels.interpreter import emit_interpret
from gdl.engine.kernels.ir_helpers import I64, POINTER, IrHelpers, Value, get_integer, integer, loop
from gdl.engine.lane_kernels.actions import emit_choices, emit_put
from gdl.engine.lane_kernels.arguments import BlockArguments, CallArguments
from gdl.engine.lane_kernels.delivery import I8, each_bit, emit_spread
from gdl.engine.lane_kernels.draws import random_below
from gdl.engine.lane_kernels.episode import (
    Emitter,
    Pieces,
    emit_advance,
    emit_choose,
    emit_find_choices,
    emit_reset_block,
    emit_reward,
    emit_step_block,
)

WORD = 64
"""How many lanes a thread has."""

_CALL = tuple(f"i64 {name}" for name in CallArguments._fields)

STEP_ARGUMENTS = ("game", "blocks", *_CALL, "i64 illegal", "i64 threads")
DELIVER_ARGUMENTS = ("rows", "index", "lanes", "out", "i64 count", "i64 threads")
WIDEN_ARGUMENTS = ("narrow", "wide", "i64 threads")
DRAW_ARGUMENTS = ("masks", "actions", "i64 count", "i64 seed", "i64 threads")


def episode_source(
    layout: Layout, target: Target, threads: int, strides: CallArguments, *, straight: bool
) -> str:
    """Write the LLVM source of the kernels for so many threads.

    ``strides`` are how many bytes a thread's lanes have in each array of a call. With ``straight``
    gates are written into the kernels, otherwise they are interpreted.
    """
    module = ir.Module(name="episodes")
    helpers = PlaneHelpers(module, threads)
    emit_select(helpers)
    if not straight:
        emit_interpret(helpers)
    pieces = Pieces(
        deliver=_emit_deliver_lanes(helpers),
        spread=emit_spread(helpers),
        check=None,
        put=emit_put(helpers),
        choices=emit_choices(helpers),
    )
    choose, find = emit_choose(helpers, pieces), emit_find_choices(helpers, pieces)
    parts = {
        "advance": emit_advance(helpers, pieces, choose, find),
        "reward": emit_reward(helpers, pieces),
        "deliver_all": _emit_deliver_rest(helpers, pieces),
    }
    check = _emit_hold_illegal(helpers, pieces)
    step = emit_step_block(helpers, pieces, parts)
    reset = emit_reset_block(helpers, pieces, parts)
    _emit_thread(helpers, "step", strides, [check, step], pieces)
    _emit_thread(helpers, "reset", strides, [reset], pieces)
    _emit_draw(helpers)
    evaluators = straight_evaluators(layout, threads) if straight else interpreted_evaluators()
    return "\n".join(
        [
            target.head(),
            module_text(module, EVALUATORS),
            evaluators,
            target.kernel("step", STEP_ARGUMENTS, _thread_call("step", target)),
            target.kernel("reset", STEP_ARGUMENTS, _thread_call("reset", target)),
            target.kernel("deliver", DELIVER_ARGUMENTS, _deliver_body(target, threads)),
            target.kernel("widen", WIDEN_ARGUMENTS, _widen_body(target)),
            target.kernel("draw", DRAW_ARGUMENTS, _draw_body(target)),
        ]
    )


# ---------------------------------------------------------------------- threads


def _emit_thread(
    helpers: IrHelpers,
    name: str,
    strides: CallArguments,
    functions: list[Value],
    pieces: Pieces,
) -> None:
    """Emit ``name.thread(game, blocks, call..., illegal, thread)``: the records of one thread."""
    kinds = [POINTER, POINTER, *[I64] * len(strides), I64, I64]
    function, b = helpers.function(f"{name}_lanes", ir.VoidType(), kinds)
    game, blocks, *bases, illegal, thread = function.args
    block = _record(b, len(BlockArguments._fields))
    word = b.mul(thread, integer(WORD // 8))
    for index in range(len(BlockArguments._fields)):
        _put(b, block, index, b.add(get_integer(b, blocks, integer(index)), word))
    call = _record(b, len(strides))
    for index, (base, stride) in enumerate(zip(bases, strides, strict=True)):
        moved = b.add(base, b.mul(thread, integer(stride)))
        none = b.icmp_signed("==", base, integer(0))
        _put(b, call, index, b.select(none, integer(0), moved))
    for each in functions:
        b.call(each, [game, block, call])
    masks = {
        field: b.inttoptr(get_integer(b, block, integer(index)), POINTER)
        for index, field in enumerate(BlockArguments._fields)
    }
    out = b.inttoptr(b.add(illegal, b.mul(thread, integer(WORD))), POINTER)
    b.call(pieces.spread, [masks["held"], masks["used"], out, integer(1)])
    helpers.store(b, helpers.zero, masks["held"], integer(0))
    b.ret_void()


def _record(b: Value, size: int) -> Value:
    with b.goto_entry_block():
        address = b.alloca(ir.ArrayType(I64, size))
    address.type = POINTER
    return address


def _put(b: Value, record: Value, index: int, value: Value) -> None:
    b.store(value, b.gep(record, [integer(index)], source_etype=I64))


def _thread_call(name: str, target: Target) -> list[str]:
    numbers = ", ".join(f"i64 %{field}" for field in CallArguments._fields)
    return _call(f"{name}_lanes", ("game", "blocks"), f"{numbers}, i64 %illegal", target)


def _draw_body(target: Target) -> list[str]:
    return _call("draw_lane", ("masks", "actions"), "i64 %count, i64 %seed", target)


def _call(function: str, arrays: tuple[str, str], numbers: str, target: Target) -> list[str]:
    """Write the body of a kernel that calls a function, with addresses as all targets have them."""
    cast = [
        f"  %{array}.generic = addrspacecast {target.pointer} %{array} to ptr"
        for array in arrays
        if target.is_gpu
    ]
    suffix = ".generic" if target.is_gpu else ""
    given = ", ".join(f"ptr %{array}{suffix}" for array in arrays)
    call = f"  call void @{function}({given}, {numbers}, i64 %thread)"
    return [*cast, call, "  ret void"]


def _emit_draw(helpers: IrHelpers) -> None:
    """Emit ``draw_lane(masks, actions, count, seed, lane)``."""
    kinds = [POINTER, POINTER, I64, I64, I64]
    function, b = helpers.function("draw_lane", ir.VoidType(), kinds)
    masks, actions, count, seed, lane = function.args
    line = b.gep(masks, [b.mul(lane, count)], source_etype=I8)

    def legal(action: Value) -> Value:
        return b.icmp_unsigned("!=", get_integer(b, line, action, I8), ir.Constant(I8, 0))

    total, found = helpers.counter(b, 0), helpers.counter(b, 0)
    with loop(b, integer(0), count) as action:
        b.store(b.add(b.load(total, typ=I64), b.zext(legal(action), I64)), total)
    left = helpers.counter(b, 0)
    b.store(random_below(b, b.load(total, typ=I64), seed, lane), left)
    with loop(b, integer(0), count) as action, b.if_then(legal(action)):
        wanted = b.load(left, typ=I64)
        with b.if_then(b.icmp_signed("==", wanted, integer(0))):
            b.store(action, found)
        b.store(b.sub(wanted, integer(1)), left)
    b.store(b.load(found, typ=I64), b.gep(actions, [lane], source_etype=I64))
    b.ret_void()


# ---------------------------------------------------------------------- actions


def _emit_hold_illegal(helpers: IrHelpers, pieces: Pieces) -> Value:
    """Emit the check of all actions: lanes whose actions are not legal are held."""
    e = Emitter(helpers, "hold_illegal", ir.VoidType(), pieces)
    b = e.b
    idle = b.or_(e.mask("done"), e.row("terminal"))
    e.set_mask("pending", e.without(e.mask("used"), idle))
    held = helpers.variable(b, helpers.zero)
    actions, columns = e.call.address("actions"), e.game.number("action_columns")

    def check(legal: Value, count: Value, given: Value) -> None:
        with each_bit(b, get_integer(b, e.block.address("pending"), integer(0))) as bit:
            action = get_integer(b, given, b.mul(bit, columns))
            known = b.icmp_unsigned("<", action, count)
            row = b.select(known, action, integer(0))
            word = helpers.load_word(b, legal, row, integer(0))
            allowed = b.and_(b.lshr(word, bit), b.zext(known, I64))
            bad = b.and_(b.xor(allowed, integer(1)), integer(1))
            flag = b.bitcast(b.shl(bad, bit), helpers.row)
            b.store(b.or_(helpers.get(b, held), flag), held)

    with b.if_else(e.game.flag("shared")) as (shared, own):
        with shared:
            check(e.rows_of("shared_rows"), e.game.number("shared_count"), actions)
        with own, loop(b, integer(0), e.game.number("roles")) as role:
            column = e.role(role, 2)
            with b.if_then(b.icmp_signed(">=", column, integer(0))):
                given = b.gep(actions, [column], source_etype=I64)
                check(e.rows_of("legal", e.role(role, 0)), e.role(role, 1), given)
    e.set_mask("held", helpers.get(b, held))
    e.set_mask("pending", e.without(e.mask("pending"), helpers.get(b, held)))
    b.ret_void()
    return e.function


# ---------------------------------------------------------------------- delivery


def _emit_deliver_lanes(helpers: IrHelpers) -> Value:
    """Emit the delivery of a few lanes, byte after byte; see ``emit_deliver`` of blocks."""
    arguments = [POINTER, POINTER, I64, POINTER, POINTER, I64]
    function, b = helpers.function("deliver_lanes", ir.VoidType(), arguments)
    rows, index, count, lanes, out, stride = function.args
    chosen = get_integer(b, lanes, integer(0))
    with loop(b, integer(0), count) as place:
        word = helpers.load_word(b, rows, get_integer(b, index, place), integer(0))
        with each_bit(b, chosen) as lane:
            byte = b.trunc(b.and_(b.lshr(word, lane), integer(1)), I8)
            at = b.add(b.mul(lane, stride), place)
            b.store(byte, b.gep(out, [at], source_etype=I8))
    b.ret_void()
    return function


def _emit_deliver_rest(helpers: IrHelpers, pieces: Pieces) -> Value:
    """Emit what is delivered with a step: who moves; and note in which lanes an action is legal."""
    e = Emitter(helpers, "deliver_rest", ir.VoidType(), pieces)
    b = e.b
    used = e.block.address("used")
    second, out = e.rows_of("second_choices"), e.call.address("movers")
    with b.if_else(e.game.flag("second_choices")) as (two, more):
        with two:
            b.call(pieces.spread, [second, used, out, integer(1)])
        with more, b.if_then(e.game.flag("shared")):
            _emit_movers(e, out)
    e.set_mask("movers", e.without(e.mask("used"), b.or_(e.mask("done"), e.row("terminal"))))
    b.ret_void()
    return e.function


def _emit_movers(e: Emitter, out: Value) -> None:
    """Write for each lane which of several players has the next action: the first with a choice."""
    b, helpers = e.b, e.helpers
    left = helpers.variable(b, helpers.ones)
    with loop(b, integer(0), e.game.number("roles")) as role:
        column = e.role(role, 2)
        with b.if_then(b.icmp_signed(">=", column, integer(0))):
            several = helpers.load(b, e.rows_of("choices", role), integer(0))
            here = b.and_(helpers.get(b, left), several)
            b.store(e.without(helpers.get(b, left), several), left)
            with each_bit(b, b.bitcast(here, I64)) as lane:
                b.store(b.trunc(column, I8), b.gep(out, [lane], source_etype=I8))


def _deliver_body(target: Target, threads: int) -> list[str]:
    pointer = target.pointer
    stores = [
        line
        for lane in range(WORD)
        for line in (
            f"  %bit{lane} = lshr i64 %word, {lane}",
            f"  %low{lane} = and i64 %bit{lane}, 1",
            f"  %byte{lane} = trunc i64 %low{lane} to i8",
            f"  %step{lane} = mul i64 %count, {lane}",
            f"  %to{lane} = getelementptr i8, {pointer} %base, i64 %step{lane}",
            f"  store i8 %byte{lane}, {pointer} %to{lane}",
        )
    ]
    return [
        "  %thread32 = trunc i64 %thread to i32",
        "  %count32 = trunc i64 %count to i32",
        "  %place32 = urem i32 %thread32, %count32",
        "  %block32 = udiv i32 %thread32, %count32",
        "  %place = zext i32 %place32 to i64",
        "  %block = zext i32 %block32 to i64",
        f"  %entry_of = getelementptr i64, {pointer} %index, i64 %place",
        f"  %row = load i64, {pointer} %entry_of",
        f"  %first = mul i64 %row, {threads}",
        "  %at = add i64 %first, %block",
        f"  %from = getelementptr i64, {pointer} %rows, i64 %at",
        f"  %bits = load i64, {pointer} %from",
        f"  %mask_at = getelementptr i64, {pointer} %lanes, i64 %block",
        f"  %mask = load i64, {pointer} %mask_at",
        "  %word = and i64 %bits, %mask",
        f"  %lane0 = mul i64 %block, {WORD}",
        "  %line = mul i64 %lane0, %count",
        "  %begin = add i64 %line, %place",
        f"  %base = getelementptr i8, {pointer} %out, i64 %begin",
        *stores,
        "  ret void",
    ]


def _widen_body(target: Target) -> list[str]:
    pointer = target.pointer
    return [
        f"  %from = getelementptr i32, {pointer} %narrow, i64 %thread",
        f"  %value = load i32, {pointer} %from",
        "  %number = sext i32 %value to i64",
        f"  %to = getelementptr i64, {pointer} %wide, i64 %thread",
        f"  store i64 %number, {pointer} %to",
        "  ret void",
    ]


