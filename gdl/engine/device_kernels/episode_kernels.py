"""Steps of environments on a device: the episodes of blocks, a thread for each word of lanes.

What a step is, is said in :mod:`gdl.engine.lane_kernels.episode`, and is the same code. What is
different: an action that is not legal holds its lane where it is, as nobody waits for a thread that
could complain. And what is done lane by lane has kernels of its own, in which neighbouring threads
read and write neighbouring bytes: a step is ``place64``, ``step``, ``observe``, ``mask`` and
``deliver_last``.

``place32(actions, given, threads)``, ``place64``
    Marks actions in rows, a thread for each of int32 or int64 (lanes, columns). ``given`` has
    planes for all actions of the first column, then for those of the second; they are 0.
``step(game, blocks, call..., illegal, threads)``
    A step of all lanes. ``game`` is the record of a game; ``blocks`` that of the first thread's
    block, the others' are a word further on; then each field of the record of a call, as that of
    the first thread; but ``actions`` is where ``given`` begins, and ``final_observations`` planes
    for what is observed at the end of episodes, and one for the lanes in which they have ended.
    ``illegal`` uint8 (lanes,) are the lanes whose actions were not legal.
``reset(game, blocks, call..., illegal, threads)``
    New episodes in the lanes that are to begin again.
``observe(rows, index, lanes, out, count, threads)``, ``mask``
    Bytes of rows, as :func:`gdl.engine.lane_kernels.delivery.emit_deliver` has them; zeros of lanes
    that are not in ``lanes``. There is a thread for each word of so many of ``count`` rows as
    :func:`.byte_kernels.bytes_at_once` says.
``deliver_last(rows, lanes, out, count, threads)``
    The same of the first ``count`` rows, and of ``lanes`` only.
``draw(masks, actions, count, seed, threads)``
    Draws legal actions, a thread for each lane, as :func:`gdl.engine.random_actions` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from llvmlite import ir

from gdl.circuit import Layout
from gdl.engine.device_kernels.byte_kernels import (
    WORD,
    emit_deliver_last,
    emit_deliver_rows,
    emit_place,
)
from gdl.engine.device_kernels.evaluators import (
    EVALUATORS,
    interpreted_evaluators,
    straight_evaluators,
)
from gdl.engine.device_kernels.plane_helpers import PlaneHelpers, module_text
from gdl.engine.device_kernels.targets import KernelTarget, signature
from gdl.engine.kernels.choice import emit_select
from gdl.engine.kernels.interpreter import emit_interpret
from gdl.engine.kernels.ir_helpers import (
    I64,
    POINTER,
    IrHelpers,
    Value,
    batches,
    each_bit,
    get_integer,
    integer,
    local_words,
    loop,
)
from gdl.engine.lane_kernels.actions import emit_choices
from gdl.engine.lane_kernels.arguments import BlockArguments, CallArguments
from gdl.engine.lane_kernels.delivery import I8
from gdl.engine.lane_kernels.draws import emit_draw_of_line
from gdl.engine.lane_kernels.episode import Emitter, Pieces, emit_episodes
from gdl.engine.stepper import SteppingPlan, call_strides

_CALL = tuple(f"i64 {name}" for name in CallArguments._fields)

_STEP_ARGUMENTS = ("game", "blocks", *_CALL, "i64 illegal", "i64 threads")
_DELIVER_ARGUMENTS = ("rows", "index", "lanes", "out", "i64 count", "i64 threads")
_PLACE_ARGUMENTS = ("actions", "given", "i64 threads")
_KERNELS = {
    "step": _STEP_ARGUMENTS,
    "reset": _STEP_ARGUMENTS,
    "observe": _DELIVER_ARGUMENTS,
    "mask": _DELIVER_ARGUMENTS,
    "deliver_last": ("rows", "lanes", "out", "i64 count", "i64 threads"),
    "place32": _PLACE_ARGUMENTS,
    "place64": _PLACE_ARGUMENTS,
    "draw": ("masks", "actions", "i64 count", "i64 seed", "i64 threads"),
}


@dataclass(frozen=True, slots=True)
class EpisodePlan:
    """What the kernels of some environments are made of.

    ``numbers`` are the fields of a game's record that are no addresses. With ``straight`` gates are
    written into the kernels, otherwise they are interpreted.
    """

    layout: Layout
    plan: SteppingPlan
    numbers: Mapping[str, int]
    threads: int
    straight: bool

    @property
    def actions(self) -> tuple[int, ...]:
        """How many actions each column has."""
        if self.plan.shared_moves is not None:
            return (self.plan.shared_moves.shape[1],)
        return tuple(self.layout.move_counts[role] for role in self.plan.columns)

    @property
    def most_actions(self) -> int:
        """The planes of a column of ``given``."""
        return max(self.actions, default=0)

    def strides(self) -> CallArguments:
        """How many bytes further on a thread's part of each array of a call begins."""
        lanes = CallArguments(*(WORD * stride for stride in call_strides(self.plan)))
        return lanes._replace(actions=WORD // 8, final_observations=WORD // 8)


def episode_source(episodes: EpisodePlan, target: KernelTarget) -> str:
    """Write the LLVM source of the kernels."""
    layout, threads = episodes.layout, episodes.threads
    module = ir.Module(name="episodes")
    helpers = PlaneHelpers(module, threads, episodes.most_actions)
    helpers.known = episodes.numbers
    emit_select(helpers)
    if not episodes.straight:
        emit_interpret(helpers)
    pieces = Pieces(
        deliver=_emit_keep_last(helpers),
        spread=_emit_spread(helpers),
        check=None,
        put=_emit_put(helpers, episodes.numbers["shared_count"]),
        choices=emit_choices(helpers),
    )
    check = _emit_hold_illegal(helpers, pieces)
    step, reset = emit_episodes(helpers, pieces, _emit_deliver_rest(helpers, pieces))
    _emit_thread(helpers, "step", episodes.strides(), [check, step], pieces)
    _emit_thread(helpers, "reset", episodes.strides(), [reset], pieces)
    emit_deliver_rows(helpers, "observe_thread", episodes.numbers["observed_count"])
    emit_deliver_rows(helpers, "mask_thread", episodes.numbers["masked_count"])
    emit_deliver_last(helpers, "deliver_last_thread")
    for bits in (32, 64):
        emit_place(helpers, f"place{bits}_thread", episodes.actions, bits)
    _emit_draw(helpers)
    straight = episodes.straight
    return "\n".join(
        [
            target.head(),
            module_text(module, EVALUATORS),
            straight_evaluators(layout, threads) if straight else interpreted_evaluators(),
            *(_kernel(name, arguments, target) for name, arguments in _KERNELS.items()),
        ]
    )


def _kernel(name: str, arguments: Sequence[str], target: KernelTarget) -> str:
    """Write a kernel whose threads call ``name_thread``, with addresses as all targets have them.

    It is given what the kernel is, but the number of the thread instead of how many there are.
    """
    arrays = [argument for argument in arguments if " " not in argument]
    cast = "addrspacecast" if target.is_gpu else "bitcast"
    casts = [f"  %{array}.any = {cast} {target.pointer} %{array} to ptr" for array in arrays]
    given = [f"{each}.any" if each in arrays else each for each in arguments[:-1]]
    call = f"  call void @{name}_thread({signature([*given, 'i64 thread'], 'ptr')})"
    return target.kernel(name, arguments, [*casts, call, "  ret void"])


# ---------------------------------------------------------------------- threads


def _emit_thread(
    helpers: IrHelpers,
    name: str,
    strides: CallArguments,
    functions: list[Value],
    pieces: Pieces,
) -> None:
    """Emit ``name_thread(game, blocks, call..., illegal, thread)``, which makes its records."""
    kinds = [POINTER, POINTER, *[I64] * len(strides), I64, I64]
    function, b = helpers.function(f"{name}_thread", ir.VoidType(), kinds)
    game, blocks, *bases, illegal, thread = function.args
    block = local_words(b, len(BlockArguments._fields))
    word = b.mul(thread, integer(WORD // 8))
    for index in range(len(BlockArguments._fields)):
        _put(b, block, index, b.add(get_integer(b, blocks, integer(index)), word))
    call = local_words(b, len(strides))
    for index, (base, stride) in enumerate(zip(bases, strides, strict=True)):
        moved = b.add(base, b.mul(thread, integer(stride)))
        none = b.icmp_signed("==", base, integer(0))
        _put(b, call, index, b.select(none, integer(0), moved))
    last = CallArguments._fields.index("final_observations")
    kept = b.inttoptr(get_integer(b, call, integer(last)), POINTER)
    helpers.store(b, helpers.zero, kept, integer(helpers.known["observed_count"]))
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


def _put(b: Value, record: Value, index: int, value: Value) -> None:
    b.store(value, b.gep(record, [integer(index)], source_etype=I64))


def _emit_draw(helpers: IrHelpers) -> None:
    """Emit ``draw_thread(masks, actions, count, seed, lane)``."""
    kinds = [POINTER, POINTER, I64, I64, I64]
    function, b = helpers.function("draw_thread", ir.VoidType(), kinds)
    masks, actions, count, seed, lane = function.args
    emit_draw_of_line(b, masks, count, seed, actions, lane)
    b.ret_void()


# ---------------------------------------------------------------------- actions


def _emit_hold_illegal(helpers: IrHelpers, pieces: Pieces) -> Value:
    """Emit the check of all actions: lanes in which one is not legal, or unknown, are held."""
    e = Emitter(helpers, "hold_illegal", ir.VoidType(), pieces)
    b = e.b
    idle = b.or_(e.mask("done"), e.row("terminal"))
    pending = e.without(e.mask("used"), idle)
    legal_lanes = helpers.variable(b, pending)
    actions = e.call.address("actions")

    def check(legal: Value, count: Value, given: Value) -> None:
        found = helpers.variable(b, helpers.zero)
        for batch in batches(b, count, helpers.batch):
            both = [b.and_(helpers.load(b, legal, a), helpers.load(b, given, a)) for a in batch]
            for some in both:
                b.store(b.or_(helpers.get(b, found), some), found)
        b.store(b.and_(helpers.get(b, legal_lanes), helpers.get(b, found)), legal_lanes)

    with b.if_else(e.game.flag("shared")) as (shared, own):
        with shared:
            check(e.rows_of("shared_rows"), e.game.number("shared_count"), actions)
        with own, loop(b, integer(0), e.game.number("roles")) as role:
            column = e.role(role, 2)
            with b.if_then(b.icmp_signed(">=", column, integer(0))):
                legal = e.rows_of("legal", e.role(role, 0))
                check(legal, e.role(role, 1), helpers.column(b, actions, column))
    e.set_mask("pending", helpers.get(b, legal_lanes))
    e.set_mask("held", e.without(pending, helpers.get(b, legal_lanes)))
    b.ret_void()
    return e.function


def _emit_put(helpers: IrHelpers, shared_count: int) -> Value:
    """Emit what ``put`` of blocks does, from rows in which actions are marked already."""
    arguments = [POINTER, I64, POINTER, I64, POINTER, POINTER]
    function, b = helpers.function("put", ir.VoidType(), arguments)
    moves, count, given, _, lanes, table = function.args
    chosen = helpers.load(b, lanes, integer(0))

    def add(batch: list[Value], named: list[Value]) -> None:
        given_lanes = [b.and_(helpers.load(b, given, action), chosen) for action in batch]
        forced = [helpers.load(b, moves, move) for move in named]
        for move, some, others in zip(named, given_lanes, forced, strict=True):
            helpers.store(b, b.or_(some, others), moves, move)

    renamed = b.icmp_signed("!=", b.ptrtoint(table, I64), integer(0))
    with b.if_else(renamed) as (shared, own):
        with shared, loop(b, integer(0), integer(shared_count)) as action:
            move = get_integer(b, table, action)
            with b.if_then(b.icmp_unsigned("<", move, count)):
                add([action], [move])
        with own:
            for batch in batches(b, count, helpers.batch):
                add(batch, batch)
    b.ret_void()
    return function


# ---------------------------------------------------------------------- delivery


def _emit_keep_last(helpers: IrHelpers) -> Value:
    """Emit the keeping of rows for a kernel that delivers them, and of the lanes behind them."""
    arguments = [POINTER, POINTER, I64, POINTER, POINTER, I64]
    function, b = helpers.function("keep_last", ir.VoidType(), arguments)
    rows, index, count, lanes, out, _ = function.args
    for batch in batches(b, count, helpers.batch):
        words = [helpers.load(b, rows, get_integer(b, index, place)) for place in batch]
        for place, word in zip(batch, words, strict=True):
            helpers.store(b, word, out, place)
    helpers.store(b, helpers.load(b, lanes, integer(0)), out, count)
    b.ret_void()
    return function


def _emit_spread(helpers: IrHelpers) -> Value:
    """Emit ``spread(mask, lanes, out, stride)``: a byte, 0 or 1, for each lane, 8 at a time.

    To multiply copies 8 bits to where each has a byte of its own.
    """
    function, b = helpers.function("spread", ir.VoidType(), [POINTER, POINTER, POINTER, I64])
    mask, _, out, _ = function.args
    word = get_integer(b, mask, integer(0))
    for part in range(WORD // 8):
        bits = b.and_(b.lshr(word, integer(8 * part)), integer(0xFF))
        low = b.mul(b.and_(bits, integer(0x7F)), integer(0x0002040810204081))
        low = b.and_(low, integer(0x0101010101010101))
        high = b.shl(b.lshr(bits, integer(7)), integer(56))
        b.store(b.or_(low, high), b.gep(out, [integer(part)], source_etype=I64), align=8)
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
