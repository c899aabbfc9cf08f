"""Steps of environments on a device: the episodes of blocks, a thread for each word of lanes.

What a step is, is said in :mod:`gdl.engine.lane_kernels.episode`, and is the same code. What is
different: an action that is not legal holds its lane where it is, as nobody waits for a thread that
could complain. And what is done lane by lane has kernels of its own, in which neighbouring threads
read and write neighbouring bytes: a step is ``place64``, ``episode``, ``deliver_last``,
``episode`` again, ``observe`` and ``mask``.

``place32(actions, given, threads)``, ``place64``
    Marks actions in rows, a thread for each of int32 or int64 (lanes, columns). ``given`` has
    rows for all actions of the first column, then for those of the second; they are 0.
``episode(game, blocks, call..., illegal, part, threads)``
    A part of a step, of all lanes: :data:`PARTS`, one kernel, so that the gates are compiled once.
    ``game`` is the record of a game; ``blocks`` that of the first thread's block; then each field
    of the record of a call, as that of the first thread; but ``actions`` is where ``given`` begins.
    ``step`` goes up to the ends of episodes; ``illegal`` uint8 (lanes,) are the lanes whose actions
    were not legal. ``restart`` is the new start of lanes whose episode has ended in it, without
    actions. ``reset`` begins new episodes in the lanes that it is asked to.
``observe(rows, index, lanes, out, words, threads)``, ``mask``
    Bytes of rows; see :func:`.byte_kernels.emit_delivery`. There are whole groups of threads, each
    for so many lanes as :func:`.byte_kernels.lanes_of_group` says. With more rows than there is
    room for they are as ``deliver_last``.
``deliver_last(rows, index, lanes, out, words, threads)``
    What is observed in ``lanes`` only; see :func:`.byte_kernels.emit_deliver_last`.
``draw(masks, actions, count, seed, threads)``
    Draws legal actions, a thread for each lane, as :func:`gdl.engine.random_actions` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from llvmlite import ir

from gdl.engine.device_kernels.byte_kernels import (
    PIECE,
    emit_deliver_last,
    emit_delivery,
    emit_draw_of_bytes,
    emit_place,
    lanes_of_group,
    shared_bytes,
)
from gdl.engine.device_kernels.evaluators import EVALUATORS, evaluators_of
from gdl.engine.device_kernels.memory_kernels import scratch_size
from gdl.engine.device_kernels.plane_helpers import (
    WORD,
    PlaneHelpers,
    module_text,
    thread_offset,
)
from gdl.engine.device_kernels.register_kernels import RANDOM_PLANES
from gdl.engine.device_kernels.targets import KernelTarget, signature
from gdl.engine.device_kernels.tiles import TiledCircuit
from gdl.engine.kernels.choice import emit_select
from gdl.engine.kernels.interpreter import emit_interpret
from gdl.engine.kernels.ir_helpers import (
    I8,
    I32,
    I64,
    POINTER,
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
from gdl.engine.lane_kernels.emitter import Emitter, Pieces
from gdl.engine.lane_kernels.episode import emit_episodes
from gdl.engine.stepper import COUNTER_BITS, SteppingPlan, call_strides

_CALL = tuple(f"i64 {name}" for name in CallArguments._fields)

PARTS = {"step": 0, "restart": 1, "reset": 2}
"""The parts of a step, and their numbers."""

_EPISODE_ARGUMENTS = ("game", "blocks", *_CALL, "i64 illegal", "i64 part", "i64 threads")
_DELIVER_ARGUMENTS = ("rows", "index", "lanes", "out", "i64 words", "i64 threads")
_PLACE_ARGUMENTS = ("actions", "given", "i64 threads")
_KERNELS = {
    "episode": _EPISODE_ARGUMENTS,
    "place32": _PLACE_ARGUMENTS,
    "place64": _PLACE_ARGUMENTS,
    "draw": ("masks", "actions", "i64 count", "i64 seed", "i64 threads"),
}


@dataclass(frozen=True, slots=True)
class EpisodePlan:
    """What the kernels of some environments are made of.

    ``plan`` has the rows of ``circuit``. ``numbers`` are the fields of a game's record that are no
    addresses.
    """

    circuit: TiledCircuit
    plan: SteppingPlan
    numbers: Mapping[str, int]

    @property
    def actions(self) -> tuple[int, ...]:
        """How many actions each column has."""
        if self.plan.shared_moves is not None:
            return (self.plan.shared_moves.shape[1],)
        return tuple(self.circuit.layout.move_counts[role] for role in self.plan.columns)

    @property
    def most_actions(self) -> int:
        """The rows of a column of ``given``."""
        return max(self.actions, default=0)

    @property
    def given_rows(self) -> int:
        """The rows of ``given``."""
        return len(self.actions) * self.most_actions

    def rows_of(self, field: str) -> int:
        """Return how many rows an array of a block's record has."""
        rows = {
            "rows": self.numbers["choices"] + self.numbers["roles"],
            "scratch": scratch_size(self.circuit.layout.move_counts),
            "random": RANDOM_PLANES,
            "counters": COUNTER_BITS,
        }
        return rows.get(field, 1)


def episode_source(episodes: EpisodePlan, target: KernelTarget) -> str:
    """Write the LLVM source of the kernels."""
    circuit, numbers = episodes.circuit, episodes.numbers
    module = ir.Module(name="episodes")
    helpers = PlaneHelpers(module, episodes.most_actions)
    helpers.known, helpers.moves_in_place = numbers, circuit.moves_in_place
    emit_select(helpers)
    if not circuit.has_tiles:
        emit_interpret(helpers)
    pieces = Pieces(
        deliver=None,
        spread=_emit_spread(helpers),
        check=None,
        put=_emit_put(helpers, numbers["shared_count"]),
        choices=emit_choices(helpers),
    )
    check = _emit_hold_illegal(helpers, pieces)
    parts = emit_episodes(helpers, pieces, _emit_deliver_rest(helpers, pieces))
    functions = {
        "step": [check, parts["step_lanes"]],
        "restart": [parts["begin_again"]],
        "reset": [parts["reset_block"]],
    }
    _emit_thread(helpers, episodes, functions)
    observed, masked = numbers["observed_count"], numbers["masked_count"]
    groups = []
    for name, count, emit in (
        ("observe", observed, emit_delivery),
        ("mask", masked, emit_delivery),
        ("deliver_last", observed, emit_deliver_last),
    ):
        if count:
            emit = emit if lanes_of_group(count) else emit_deliver_last
            phases = emit(helpers, name, count, episodes.rows_of("rows"))
            size = shared_bytes(count) if len(phases) > 1 else 4
            groups.append(target.group_kernel(name, _DELIVER_ARGUMENTS, phases, size))
    for bits in (32, 64):
        emit_place(helpers, f"place{bits}_thread", episodes.actions, bits)
    emit_draw_of_bytes(helpers, "draw_thread")
    evaluators = evaluators_of(circuit, target)
    kernels = [_kernel(name, arguments, target) for name, arguments in _KERNELS.items()]
    return "\n".join(
        [target.head(), module_text(module, EVALUATORS), evaluators, *kernels, *groups]
    )


def _kernel(name: str, arguments: Sequence[str], target: KernelTarget) -> str:
    """Write a kernel whose threads call ``name_thread``, with addresses as all targets have them.

    It is given what the kernel is, but the number of the thread instead of how many there are.
    """
    given = [f"{each}.any" if " " not in each else each for each in arguments[:-1]]
    call = f"  call void @{name}_thread({signature([*given, 'i64 thread'], 'ptr')})"
    return target.kernel(name, arguments, [*target.casts(arguments), call, "  ret void"])


# ---------------------------------------------------------------------- threads


def _emit_thread(
    helpers: PlaneHelpers, episodes: EpisodePlan, functions: Mapping[str, Sequence[Value]]
) -> None:
    """Emit ``episode_thread(game, blocks, call..., illegal, part, thread)``.

    It makes the records of its thread, and calls the functions of a part with them.
    """
    kinds = [POINTER, POINTER, *[I64] * len(CallArguments._fields), I64, I64, I64]
    function, b = helpers.function("episode_thread", ir.VoidType(), kinds)
    game, blocks, *bases, illegal, part, thread = function.args
    block = local_words(b, len(BlockArguments._fields))
    for index, field in enumerate(BlockArguments._fields):
        offset = thread_offset(b, episodes.rows_of(field), thread)
        _put(b, block, index, b.add(get_integer(b, blocks, integer(index)), offset))
    call = local_words(b, len(bases))
    strides = call_strides(episodes.plan)._replace(actions=0)
    for index, (base, stride) in enumerate(zip(bases, strides, strict=True)):
        moved = b.add(base, b.mul(thread, integer(WORD * stride)))
        if index == CallArguments._fields.index("actions"):
            moved = b.add(base, thread_offset(b, episodes.given_rows, thread))
        none = b.icmp_signed("==", base, integer(0))
        _put(b, call, index, b.select(none, integer(0), moved))
    for name, number in PARTS.items():
        with b.if_then(b.icmp_signed("==", part, integer(number))):
            for each in functions[name]:
                b.call(each, [game, block, call])
    with b.if_then(b.icmp_signed("==", part, integer(PARTS["step"]))):
        held = _address_in(b, block, "held")
        out = b.inttoptr(b.add(illegal, b.mul(thread, integer(WORD))), POINTER)
        b.call(helpers.module.globals["spread"], [held, held, out, integer(1)])
        helpers.store(b, helpers.zero, held, integer(0))
    b.ret_void()


def _address_in(b: Value, block: Value, field: str) -> Value:
    index = BlockArguments._fields.index(field)
    return b.inttoptr(get_integer(b, block, integer(index)), POINTER)


def _put(b: Value, record: Value, index: int, value: Value) -> None:
    b.store(value, b.gep(record, [integer(index)], source_etype=I64))


# ---------------------------------------------------------------------- actions


def _emit_hold_illegal(helpers: PlaneHelpers, pieces: Pieces) -> Value:
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


def _emit_put(helpers: PlaneHelpers, shared_count: int) -> Value:
    """Emit what ``put`` of blocks does, from rows in which actions are marked already."""
    arguments = [POINTER, I64, POINTER, I64, POINTER, POINTER]
    function, b = helpers.function("put", ir.VoidType(), arguments)
    moves, count, given, _, lanes, table = function.args
    chosen = helpers.load(b, lanes, integer(0))
    renamed = b.icmp_signed("!=", b.ptrtoint(table, I64), integer(0))

    def add(batch: list[Value], named: list[Value]) -> None:
        """Add the lanes of actions to the moves of these numbers, where there are such."""
        known = [b.icmp_unsigned("<", move, count) for move in named]
        named = [b.select(k, move, integer(0)) for k, move in zip(known, named, strict=True)]
        given_lanes = [b.and_(helpers.load(b, given, action), chosen) for action in batch]
        forced = [helpers.load(b, moves, move) for move in named]
        for k, move, *both in zip(known, named, given_lanes, forced, strict=True):
            with b.if_then(k):
                helpers.store(b, b.or_(*both), moves, move)

    with b.if_else(renamed) as (shared, own):
        with shared:
            for batch in batches(b, integer(shared_count), helpers.batch):
                add(batch, [get_integer(b, table, action) for action in batch])
        with own:
            for batch in batches(b, count, helpers.batch):
                add(batch, batch)
    b.ret_void()
    return function


# ---------------------------------------------------------------------- delivery


def _emit_spread(helpers: PlaneHelpers) -> Value:
    """Emit ``spread(mask, lanes, out, stride)``: a byte, 0 or 1, for each lane, 16 at a time.

    To multiply copies 8 bits to where each has a byte of its own.
    """
    function, b = helpers.function("spread", ir.VoidType(), [POINTER, POINTER, POINTER, I64])
    mask, _, out, _ = function.args
    word = get_integer(b, mask, integer(0))
    pair = ir.VectorType(I64, 2)
    for part in range(WORD // PIECE):
        value = ir.Constant(pair, ir.Undefined)
        for half in range(2):
            bits = b.and_(b.lshr(word, integer(PIECE * part + 8 * half)), integer(0xFF))
            low = b.mul(b.and_(bits, integer(0x7F)), integer(0x0002040810204081))
            low = b.and_(low, integer(0x0101010101010101))
            high = b.shl(b.lshr(bits, integer(7)), integer(56))
            value = b.insert_element(value, b.or_(low, high), ir.Constant(I32, half))
        b.store(value, b.gep(out, [integer(part)], source_etype=pair), align=PIECE)
    b.ret_void()
    return function


def _emit_deliver_rest(helpers: PlaneHelpers, pieces: Pieces) -> Value:
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
