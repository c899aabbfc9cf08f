"""This is the hot loop of random playouts: view, results, choice of moves, transition, refill.

(That of the tree search is ``ggp_player/strategies/mcts/search_loop.py``.)

Goals are needed once a playout, but evaluated for all lanes at once: where most gates of the view
are theirs, evaluating them at every step is mostly wasted. With ``deferred_goals`` the last state
of a lane that has ended is *held*, in rows beside the block, while the lane itself plays on. Only
when a lane ends for the second time, or after the last step, are the held states swapped into the
block, the whole view evaluated, and the goals of all of them added up. The moves made and the
results are the same either way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from llvmlite import ir

from gdl.engine.kernels.ir_helpers import (
    I1,
    I64,
    POINTER,
    IrHelpers,
    Record,
    Value,
    each_bit,
    get_integer,
    integer,
    loop,
)
from gdl.engine.kernels.masked_rows import copy_in_lanes

EVALUATOR = ir.FunctionType(ir.VoidType(), [POINTER, POINTER])
"""``void evaluator(rows, program)``."""


class PlayoutArguments(NamedTuple):
    """What ``play`` works on, in this order, as int64. Addresses unless stated otherwise."""

    rows: int
    """uint64 (rows, words), the block."""
    view: int
    """The function that evaluates what each step needs of the view: without ``deferred_goals`` the
    whole view."""
    view_program: int
    whole_view: int
    """The function that evaluates the view with its goals; for deferred goals."""
    whole_view_program: int
    transition: int
    transition_program: int
    scratch: int
    random: int
    fluents: int
    """Row number of the first."""
    fluent_count: int
    """Number."""
    next: int
    """Row number of the first."""
    legal: int
    """Row number of the first."""
    moves: int
    """Row number of the first."""
    terminal: int
    """Row number."""
    goals: int
    """Row number of the first."""
    goal_count: int
    """Number."""
    goal_table: int
    """int64 (goals, 2): role and value of each goal row, by role, then by rising value."""
    roles: int
    """Number."""
    move_counts: int
    """int64 (roles,): the number of move rows of each role."""
    steps: int
    """Number of steps at most."""
    refill: int
    """1 to start a lane again when its playout has ended, 0 to leave it."""
    start: int
    """uint64 (fluents, words): each lane's state to start again from."""
    alive: int
    """uint64 (words,): the lanes that are playing; kept up to date."""
    results: int
    """int64 (lanes, 2 + roles): playouts ended, their total length, each role's goals' sum."""
    started: int
    """int64 (lanes,): the step at which the lane's playout began, 0 at first."""
    deferred_goals: int
    """1 to hold last states and evaluate their goals together, 0 to evaluate goals at each step."""
    held: int
    """uint64 (fluents, words): the last states of the lanes whose goals are still to be added."""
    held_lanes: int
    """uint64 (words,): which lanes these are; none before the first step and after the last."""
    goal_views: int
    """int64 (1,): how many times deferred goals were evaluated; added to."""


class _Reader(Record):
    """Emits the reading of playout arguments, and what they are for."""

    def __init__(self, helpers: IrHelpers, b: Value, arguments: Value) -> None:
        super().__init__(b, arguments, PlayoutArguments._fields)
        self.helpers, self.b = helpers, b

    def evaluate(self, field: str) -> None:
        """Emit the call of an evaluator, with its program, in the block."""
        given = [self.address("rows"), self.address(f"{field}_program")]
        self.helpers.call(self.b, field, self.number(field), EVALUATOR, given)

    def fluents(self, helpers: IrHelpers) -> Value:
        """Return the address of the block's first fluent."""
        return helpers.at(self.b, self.address("rows"), self.number("fluents"))


def emit_play(helpers: IrHelpers, select: Value) -> None:
    """Emit the playouts; the result is the number of steps made.

    A lane that has ended sits out the rest of the step, as the view still describes its last state,
    and starts again in the next one. The view is evaluated once more after the last step; deferred
    goals leave in its rows what belongs to other states.
    """
    function, b = helpers.function("play", I64, [POINTER])
    (arguments,) = function.args
    read = _Reader(helpers, b, arguments)
    rows, alive = read.address("rows"), read.address("alive")
    made = helpers.counter(b, 0)
    finished = function.append_basic_block("finished")
    steps = read.number("steps")
    refill = read.flag("refill")
    with loop(b, integer(0), b.add(steps, integer(1))) as step:
        b.store(step, made)
        read.evaluate("view")
        ended = b.and_(
            helpers.load(b, rows, read.number("terminal")),
            helpers.load(b, alive, integer(0)),
        )
        with b.if_then(helpers.any(b, ended)):
            _emit_results(helpers, b, ended, step, read)
            with b.if_then(b.not_(refill)):
                left = b.and_(helpers.load(b, alive, integer(0)), b.not_(ended))
                helpers.store(b, left, alive, integer(0))
                more = function.append_basic_block("more")
                b.cbranch(helpers.any(b, left), more, finished)
                b.position_at_end(more)
        go_on = function.append_basic_block("go_on")
        b.cbranch(b.icmp_signed("<", step, steps), go_on, finished)
        b.position_at_end(go_on)
        _emit_step(helpers, b, select, read)
        with b.if_then(b.and_(refill, helpers.any(b, ended))):
            _emit_refill(helpers, b, ended, read)
    b.branch(finished)
    b.position_at_end(finished)
    held = helpers.load(b, read.address("held_lanes"), integer(0))
    with b.if_then(helpers.any(b, held)):
        _emit_deferred_goals(helpers, b, held, read)
    b.ret(b.load(made, typ=I64))


def _emit_step(helpers: IrHelpers, b: Value, select: Value, read: _Reader) -> None:
    """Choose moves and make them, in all lanes."""
    rows, scratch, random = map(read.address, ("rows", "scratch", "random"))
    offset = helpers.counter(b, 0)
    with loop(b, integer(0), read.number("roles")) as role:
        count = get_integer(b, read.address("move_counts"), role)
        here = b.load(offset, typ=I64)
        legal = helpers.at(b, rows, b.add(read.number("legal"), here))
        moves = helpers.at(b, rows, b.add(read.number("moves"), here))
        b.call(select, [legal, moves, count, scratch, random])
        b.store(b.add(here, count), offset)
    read.evaluate("transition")
    with loop(b, integer(0), read.number("fluent_count")) as fluent:
        value = helpers.load(b, rows, b.add(read.number("next"), fluent))
        helpers.store(b, value, rows, b.add(read.number("fluents"), fluent))


def _emit_results(helpers: IrHelpers, b: Value, ended: Value, step: Value, read: _Reader) -> None:
    """Add up the results of every lane that has ended, its goals now or later."""
    with b.if_else(read.flag("deferred_goals")) as (later, now):
        with later:
            with _each_lane(helpers, b, ended, read) as lane:
                _emit_length(b, lane, step, read)
            _emit_hold(helpers, b, ended, read)
        with now, _each_lane(helpers, b, ended, read) as lane:
            _emit_length(b, lane, step, read)
            _emit_goals(helpers, b, lane, read)


class _Lane(NamedTuple):
    """A lane: its word and bit, its number, and where its results begin."""

    word: Value
    bit: Value
    number: Value
    base: Value


@contextmanager
def _each_lane(helpers: IrHelpers, b: Value, lanes: Value, read: _Reader) -> Iterator[_Lane]:
    """Emit what the ``with`` block emits for every lane that is set."""
    mask = helpers.variable(b, lanes)
    words = loop(b, integer(0), integer(helpers.words))
    with words as word, each_bit(b, get_integer(b, mask, word)) as bit:
        number = b.add(b.mul(word, integer(64)), bit)
        base = b.mul(number, b.add(read.number("roles"), integer(2)))
        yield _Lane(word, bit, number, base)


def _emit_length(b: Value, lane: _Lane, step: Value, read: _Reader) -> None:
    """Count a playout and its length, and note where the lane's next one begins."""
    results, started = read.address("results"), read.address("started")
    _add_to(b, results, lane.base, integer(1))
    begun = get_integer(b, started, lane.number)
    _add_to(b, results, b.add(lane.base, integer(1)), b.sub(step, begun))
    b.store(b.add(step, integer(1)), b.gep(started, [lane.number], source_etype=I64))


def _emit_goals(helpers: IrHelpers, b: Value, lane: _Lane, read: _Reader) -> None:
    """Add up a lane's goals. The lowest goal of a role counts."""
    table, results = read.address("goal_table"), read.address("results")
    last_role = helpers.counter(b, -1)
    goals = helpers.at(b, read.address("rows"), read.number("goals"))
    with loop(b, integer(0), read.number("goal_count")) as goal:
        role = get_integer(b, table, b.mul(goal, integer(2)))
        holds = b.trunc(b.lshr(helpers.load_word(b, goals, goal, lane.word), lane.bit), I1)
        is_first = b.icmp_signed("!=", role, b.load(last_role, typ=I64))
        with b.if_then(b.and_(holds, is_first)):
            value = get_integer(b, table, b.add(b.mul(goal, integer(2)), integer(1)))
            _add_to(b, results, b.add(lane.base, b.add(role, integer(2))), value)
            b.store(role, last_role)


def _emit_hold(helpers: IrHelpers, b: Value, ended: Value, read: _Reader) -> None:
    """Hold the states of the lanes that have ended; first add up goals if one is held already."""
    lanes = read.address("held_lanes")
    full = helpers.load(b, lanes, integer(0))
    with b.if_then(helpers.any(b, b.and_(full, ended))):
        _emit_deferred_goals(helpers, b, full, read)
        read.evaluate("view")
    rows = read.fluents(helpers), read.address("held")
    copy_in_lanes(helpers, b, rows, ended, read.number("fluent_count"))
    helpers.store(b, b.or_(helpers.load(b, lanes, integer(0)), ended), lanes, integer(0))


def _emit_deferred_goals(helpers: IrHelpers, b: Value, held: Value, read: _Reader) -> None:
    """Add up the goals of the states that are held, and let go of them."""
    _emit_exchange(helpers, b, read)
    read.evaluate("whole_view")
    with _each_lane(helpers, b, held, read) as lane:
        _emit_goals(helpers, b, lane, read)
    _emit_exchange(helpers, b, read)
    helpers.store(b, helpers.zero, read.address("held_lanes"), integer(0))
    _add_to(b, read.address("goal_views"), integer(0), integer(1))


def _emit_exchange(helpers: IrHelpers, b: Value, read: _Reader) -> None:
    """Exchange the states of all lanes for those that are held."""
    fluents, held = read.fluents(helpers), read.address("held")
    with loop(b, integer(0), read.number("fluent_count")) as index:
        here, there = helpers.load(b, fluents, index), helpers.load(b, held, index)
        helpers.store(b, there, fluents, index)
        helpers.store(b, here, held, index)


def _add_to(b: Value, base: Value, index: Value, value: Value) -> None:
    address = b.gep(base, [index], source_etype=I64)
    b.store(b.add(b.load(address, typ=I64), value), address)


def _emit_refill(helpers: IrHelpers, b: Value, ended: Value, read: _Reader) -> None:
    """Put the lanes that have ended back to their start."""
    rows = read.address("start"), read.fluents(helpers)
    copy_in_lanes(helpers, b, rows, ended, read.number("fluent_count"))
