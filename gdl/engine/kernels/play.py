"""Random playouts.

Goals are asked for once a playout, but evaluated for all lanes at once: where their gates are
most of the view's, evaluating them at every step is mostly in vain. A job with ``LATE_GOALS``
evaluates them late. The last state of a lane that has ended is *held*, in rows beside the block,
while the lane itself goes on as ever; only when a lane ends a second time, or the job does, are
the held states put into the block for a moment, the whole view evaluated, and the goals of all
of them added up. Whichever way, the same moves are made and the results are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum, auto
from typing import NamedTuple

from llvmlite import ir

from gdl.engine.kernels.ir_helpers import (
    I1,
    I64,
    POINTER,
    IrHelpers,
    Value,
    get_integer,
    integer,
    loop,
    repeat,
)
from gdl.engine.kernels.states import emit_masked_copy


class PlayoutArguments(IntEnum):
    """What stands where in a playout job. Addresses unless stated; rows are row numbers."""

    ROWS = 0
    """uint64 (rows, words), the block."""
    START = auto()
    """uint64 (fluents, words): each lane's state to start again from."""
    VIEW = auto()
    """The function that evaluates what each step needs of the view, and the program it is given.

    Without late goals that is the whole view."""
    VIEW_PROGRAM = auto()
    WHOLE_VIEW = auto()
    """The function that evaluates the view with its goals, and its program; for late goals."""
    WHOLE_VIEW_PROGRAM = auto()
    TRANSITION = auto()
    TRANSITION_PROGRAM = auto()
    SCRATCH = auto()
    RANDOM = auto()
    FLUENTS = auto()
    """Row."""
    FLUENT_COUNT = auto()
    """Number."""
    NEXT = auto()
    """Row."""
    LEGAL = auto()
    """Row."""
    MOVES = auto()
    """Row."""
    TERMINAL = auto()
    """Row."""
    GOALS = auto()
    """Row."""
    GOAL_COUNT = auto()
    """Number."""
    GOAL_TABLE = auto()
    """int64 (goals, 2): role and value of each goal row, by role, then by rising value."""
    ROLES = auto()
    """Number."""
    MOVE_COUNTS = auto()
    """int64 (roles,): the number of move rows of each role."""
    STEPS = auto()
    """Number of steps at most."""
    REFILL = auto()
    """1 to start a lane again when it has ended, 0 to leave it."""
    ALIVE = auto()
    """uint64 (words,): the lanes that are playing; kept up to date."""
    RESULTS = auto()
    """int64 (lanes, 2 + roles): playouts ended, their total length, each role's goals' sum."""
    STARTED = auto()
    """int64 (lanes,): the step at which the lane's playout began, 0 at first."""
    LATE_GOALS = auto()
    """1 to hold the last states, and evaluate goals late; 0 to evaluate goals at each step."""
    HELD = auto()
    """uint64 (fluents, words): the last states of the lanes whose goals are still to be added."""
    HELD_LANES = auto()
    """uint64 (words,): which lanes these are; none at first and at last."""
    GOAL_VIEWS = auto()
    """Number of times that late goals were evaluated; added to."""


class _JobReader:
    """Emits the reading of a job's items."""

    def __init__(self, b: Value, job: Value) -> None:
        self.b, self.job = b, job

    def number(self, item: PlayoutArguments) -> Value:
        """Return a number of the job, or a row's."""
        return get_integer(self.b, self.job, integer(item))

    def flag(self, item: PlayoutArguments) -> Value:
        """Tell whether a number of the job is not 0."""
        return self.b.icmp_signed("!=", self.number(item), integer(0))

    def address(self, item: PlayoutArguments) -> Value:
        """Return an address."""
        return self.b.inttoptr(self.number(item), POINTER)

    def fluents(self, kit: IrHelpers) -> Value:
        """Return the address of the block's first fluent."""
        return kit.at(
            self.b, self.address(PlayoutArguments.ROWS), self.number(PlayoutArguments.FLUENTS)
        )


def emit_play(kit: IrHelpers, select: Value) -> None:
    """Emit the playouts; the result is the number of steps made.

    A lane that has ended sits the rest of the step out, as the view still tells of its last state,
    and starts again in the next. The view is evaluated once more after the last step; late goals
    leave in its rows what belongs to other states.
    """
    function, b = kit.function("play", I64, [POINTER])
    (job,) = function.args
    read = _JobReader(b, job)
    rows, alive = read.address(PlayoutArguments.ROWS), read.address(PlayoutArguments.ALIVE)
    made = kit.counter(b, 0)
    finished = function.append_basic_block("finished")
    steps = read.number(PlayoutArguments.STEPS)
    refill = read.flag(PlayoutArguments.REFILL)
    with loop(b, integer(0), b.add(steps, integer(1))) as step:
        b.store(step, made)
        _emit_view(b, read)
        ended = b.and_(
            kit.load(b, rows, read.number(PlayoutArguments.TERMINAL)),
            kit.load(b, alive, integer(0)),
        )
        with b.if_then(kit.any(b, ended)):
            _emit_results(kit, b, ended, step, read)
            with b.if_then(b.not_(refill)):
                left = b.and_(kit.load(b, alive, integer(0)), b.not_(ended))
                kit.store(b, left, alive, integer(0))
                more = function.append_basic_block("more")
                b.cbranch(kit.any(b, left), more, finished)
                b.position_at_end(more)
        go_on = function.append_basic_block("go_on")
        b.cbranch(b.icmp_signed("<", step, steps), go_on, finished)
        b.position_at_end(go_on)
        _emit_step(kit, b, select, read)
        with b.if_then(b.and_(refill, kit.any(b, ended))):
            _emit_refill(kit, b, ended, read)
    b.branch(finished)
    b.position_at_end(finished)
    held = kit.load(b, read.address(PlayoutArguments.HELD_LANES), integer(0))
    with b.if_then(kit.any(b, held)):
        _emit_late_goals(kit, b, held, read)
    b.ret(b.load(made, typ=I64))


def _emit_view(b: Value, read: _JobReader) -> None:
    """Evaluate what each step needs of the view."""
    rows = read.address(PlayoutArguments.ROWS)
    _evaluate(
        b, read.number(PlayoutArguments.VIEW), rows, read.address(PlayoutArguments.VIEW_PROGRAM)
    )


def _emit_step(kit: IrHelpers, b: Value, select: Value, read: _JobReader) -> None:
    """Choose moves and make them, in all lanes."""
    rows, scratch, random = map(
        read.address, (PlayoutArguments.ROWS, PlayoutArguments.SCRATCH, PlayoutArguments.RANDOM)
    )
    offset = kit.counter(b, 0)
    with loop(b, integer(0), read.number(PlayoutArguments.ROLES)) as role:
        count = get_integer(b, read.address(PlayoutArguments.MOVE_COUNTS), role)
        here = b.load(offset, typ=I64)
        legal = kit.at(b, rows, b.add(read.number(PlayoutArguments.LEGAL), here))
        moves = kit.at(b, rows, b.add(read.number(PlayoutArguments.MOVES), here))
        b.call(select, [legal, moves, count, scratch, random])
        b.store(b.add(here, count), offset)
    _evaluate(
        b,
        read.number(PlayoutArguments.TRANSITION),
        rows,
        read.address(PlayoutArguments.TRANSITION_PROGRAM),
    )
    with loop(b, integer(0), read.number(PlayoutArguments.FLUENT_COUNT)) as fluent:
        value = kit.load(b, rows, b.add(read.number(PlayoutArguments.NEXT), fluent))
        kit.store(b, value, rows, b.add(read.number(PlayoutArguments.FLUENTS), fluent))


def _evaluate(b: Value, evaluator: Value, rows: Value, program: Value) -> None:
    """Emit the call of ``void evaluator(rows, program)``, given by its address."""
    kind = ir.FunctionType(ir.VoidType(), [POINTER, POINTER])
    b.call(b.inttoptr(evaluator, ir.PointerType(kind)), [rows, program])


def _emit_results(kit: IrHelpers, b: Value, ended: Value, step: Value, read: _JobReader) -> None:
    """Add up the results of every lane that has ended, its goals now or late."""
    with b.if_else(read.flag(PlayoutArguments.LATE_GOALS)) as (late, now):
        with late:
            with _each_lane(kit, b, ended, read) as lane:
                _emit_length(b, lane, step, read)
            _emit_hold(kit, b, ended, read)
        with now, _each_lane(kit, b, ended, read) as lane:
            _emit_length(b, lane, step, read)
            _emit_goals(kit, b, lane, read)


class _Lane(NamedTuple):
    """A lane: its word and bit, its number, and where its results begin."""

    word: Value
    bit: Value
    number: Value
    base: Value


@contextmanager
def _each_lane(kit: IrHelpers, b: Value, lanes: Value, read: _JobReader) -> Iterator[_Lane]:
    """Emit what the ``with`` block emits for every lane that is set."""
    place = kit.variable(b, lanes)
    bits = kit.counter(b, 0)
    with loop(b, integer(0), integer(kit.words)) as word:
        b.store(get_integer(b, place, word), bits)
        some = b.icmp_signed("!=", b.load(bits, typ=I64), integer(0))
        with b.if_then(some), repeat(b) as again:
            left = b.load(bits, typ=I64)
            bit = b.cttz(left, ir.Constant(I1, 1))
            number = b.add(b.mul(word, integer(64)), bit)
            base = b.mul(number, b.add(read.number(PlayoutArguments.ROLES), integer(2)))
            yield _Lane(word, bit, number, base)
            rest = b.and_(left, b.sub(left, integer(1)))
            b.store(rest, bits)
            again.append(b.icmp_signed("!=", rest, integer(0)))


def _emit_length(b: Value, lane: _Lane, step: Value, read: _JobReader) -> None:
    """Count a playout and its length, and note where the lane's next one begins."""
    results, started = (
        read.address(PlayoutArguments.RESULTS),
        read.address(PlayoutArguments.STARTED),
    )
    _add_to(b, results, lane.base, integer(1))
    begun = get_integer(b, started, lane.number)
    _add_to(b, results, b.add(lane.base, integer(1)), b.sub(step, begun))
    b.store(b.add(step, integer(1)), b.gep(started, [lane.number], source_etype=I64))


def _emit_goals(kit: IrHelpers, b: Value, lane: _Lane, read: _JobReader) -> None:
    """Add up a lane's goals. The lowest goal of a role counts."""
    table, results = (
        read.address(PlayoutArguments.GOAL_TABLE),
        read.address(PlayoutArguments.RESULTS),
    )
    last_role = kit.counter(b, -1)
    goals = kit.at(b, read.address(PlayoutArguments.ROWS), read.number(PlayoutArguments.GOALS))
    with loop(b, integer(0), read.number(PlayoutArguments.GOAL_COUNT)) as goal:
        role = get_integer(b, table, b.mul(goal, integer(2)))
        at = b.add(b.mul(goal, integer(kit.words)), lane.word)
        holds = b.trunc(b.lshr(get_integer(b, goals, at), lane.bit), I1)
        is_first = b.icmp_signed("!=", role, b.load(last_role, typ=I64))
        with b.if_then(b.and_(holds, is_first)):
            value = get_integer(b, table, b.add(b.mul(goal, integer(2)), integer(1)))
            _add_to(b, results, b.add(lane.base, b.add(role, integer(2))), value)
            b.store(role, last_role)


def _emit_hold(kit: IrHelpers, b: Value, ended: Value, read: _JobReader) -> None:
    """Hold the states of the lanes that have ended, after adding up goals where one holds one."""
    lanes = read.address(PlayoutArguments.HELD_LANES)
    full = kit.load(b, lanes, integer(0))
    with b.if_then(kit.any(b, b.and_(full, ended))):
        _emit_late_goals(kit, b, full, read)
        _emit_view(b, read)
    rows, count = (
        (read.fluents(kit), read.address(PlayoutArguments.HELD)),
        read.number(PlayoutArguments.FLUENT_COUNT),
    )
    emit_masked_copy(kit, b, rows, ended, count)
    kit.store(b, b.or_(kit.load(b, lanes, integer(0)), ended), lanes, integer(0))


def _emit_late_goals(kit: IrHelpers, b: Value, held: Value, read: _JobReader) -> None:
    """Add up the goals of the states that are held, and hold none any more."""
    rows = read.address(PlayoutArguments.ROWS)
    _emit_exchange(kit, b, read)
    _evaluate(
        b,
        read.number(PlayoutArguments.WHOLE_VIEW),
        rows,
        read.address(PlayoutArguments.WHOLE_VIEW_PROGRAM),
    )
    with _each_lane(kit, b, held, read) as lane:
        _emit_goals(kit, b, lane, read)
    _emit_exchange(kit, b, read)
    kit.store(b, kit.zero, read.address(PlayoutArguments.HELD_LANES), integer(0))
    _add_to(b, read.job, integer(PlayoutArguments.GOAL_VIEWS), integer(1))


def _emit_exchange(kit: IrHelpers, b: Value, read: _JobReader) -> None:
    """Exchange the states of all lanes for those that are held."""
    fluents, held = read.fluents(kit), read.address(PlayoutArguments.HELD)
    with loop(b, integer(0), read.number(PlayoutArguments.FLUENT_COUNT)) as index:
        here, there = kit.load(b, fluents, index), kit.load(b, held, index)
        kit.store(b, there, fluents, index)
        kit.store(b, here, held, index)


def _add_to(b: Value, base: Value, index: Value, value: Value) -> None:
    place = b.gep(base, [index], source_etype=I64)
    b.store(b.add(b.load(place, typ=I64), value), place)


def _emit_refill(kit: IrHelpers, b: Value, ended: Value, read: _JobReader) -> None:
    """Put the lanes that have ended back to their start."""
    rows, count = (
        (read.address(PlayoutArguments.START), read.fluents(kit)),
        read.number(PlayoutArguments.FLUENT_COUNT),
    )
    emit_masked_copy(kit, b, rows, ended, count)
