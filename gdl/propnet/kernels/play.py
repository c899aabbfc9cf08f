"""Random playouts."""

from __future__ import annotations

from enum import IntEnum, auto

from llvmlite import ir

from gdl.propnet.kernels.kit import I1, I64, POINTER, Kit, Value, get_integer, integer, loop, repeat


class Job(IntEnum):
    """What stands where in a playout job. Addresses unless stated; rows are row numbers."""

    ROWS = 0
    """uint64 (rows, words), the block."""
    START = auto()
    """uint64 (fluents, words): each lane's state to start again from."""
    VIEW = auto()
    """The function that evaluates the view, and the program it is given."""
    VIEW_PROGRAM = auto()
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


class _JobReader:
    """Emits the reading of a job's items."""

    def __init__(self, b: Value, job: Value) -> None:
        self.b, self.job = b, job

    def number(self, item: Job) -> Value:
        """Return a number of the job, or a row's."""
        return get_integer(self.b, self.job, integer(item))

    def address(self, item: Job) -> Value:
        """Return an address."""
        return self.b.inttoptr(self.number(item), POINTER)


def emit_play(kit: Kit, select: Value) -> None:
    """Emit the playouts; the result is the number of steps made.

    A lane that has ended sits the rest of the step out, as the view still tells of its last state,
    and starts again in the next. The view is evaluated once more after the last step.
    """
    function, b = kit.function("play", I64, [POINTER])
    (job,) = function.args

    read = _JobReader(b, job)

    rows, alive = read.address(Job.ROWS), read.address(Job.ALIVE)
    made, offset = kit.counter(b, 0), kit.counter(b, 0)
    finished = function.append_basic_block("finished")
    steps = read.number(Job.STEPS)
    with loop(b, integer(0), b.add(steps, integer(1))) as step:
        b.store(step, made)
        _evaluate(b, read.number(Job.VIEW), rows, read.address(Job.VIEW_PROGRAM))
        ended = b.and_(kit.load(b, rows, read.number(Job.TERMINAL)), kit.load(b, alive, integer(0)))
        refill = b.icmp_signed("!=", read.number(Job.REFILL), integer(0))
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
        b.store(integer(0), offset)
        with loop(b, integer(0), read.number(Job.ROLES)) as role:
            count = get_integer(b, read.address(Job.MOVE_COUNTS), role)
            here = b.load(offset, typ=I64)
            legal = kit.at(b, rows, b.add(read.number(Job.LEGAL), here))
            moves = kit.at(b, rows, b.add(read.number(Job.MOVES), here))
            b.call(
                select, [legal, moves, count, read.address(Job.SCRATCH), read.address(Job.RANDOM)]
            )
            b.store(b.add(here, count), offset)
        _evaluate(b, read.number(Job.TRANSITION), rows, read.address(Job.TRANSITION_PROGRAM))
        with loop(b, integer(0), read.number(Job.FLUENT_COUNT)) as fluent:
            value = kit.load(b, rows, b.add(read.number(Job.NEXT), fluent))
            kit.store(b, value, rows, b.add(read.number(Job.FLUENTS), fluent))
        with b.if_then(b.and_(refill, kit.any(b, ended))):
            _emit_refill(kit, b, ended, read)
    b.branch(finished)
    b.position_at_end(finished)
    b.ret(b.load(made, typ=I64))


def _evaluate(b: Value, evaluator: Value, rows: Value, program: Value) -> None:
    """Emit the call of ``void evaluator(rows, program)``, given by its address."""
    kind = ir.FunctionType(ir.VoidType(), [POINTER, POINTER])
    b.call(b.inttoptr(evaluator, ir.PointerType(kind)), [rows, program])


def _emit_results(kit: Kit, b: Value, ended: Value, step: Value, read: _JobReader) -> None:
    """Add up the results of every lane that has ended, and note where its next playout begins."""
    place = kit.variable(b, ended)
    bits = kit.counter(b, 0)
    with loop(b, integer(0), integer(kit.words)) as word:
        b.store(get_integer(b, place, word), bits)
        some = b.icmp_signed("!=", b.load(bits, typ=I64), integer(0))
        with b.if_then(some), repeat(b) as again:
            left = b.load(bits, typ=I64)
            bit = b.cttz(left, ir.Constant(I1, 1))
            _emit_result(kit, b, (word, bit), step, read)
            rest = b.and_(left, b.sub(left, integer(1)))
            b.store(rest, bits)
            again.append(b.icmp_signed("!=", rest, integer(0)))


def _emit_result(
    kit: Kit, b: Value, place: tuple[Value, Value], step: Value, read: _JobReader
) -> None:
    """Add up the results of the lane at a word and a bit. The lowest goal of a role counts."""
    word, bit = place
    results, started = read.address(Job.RESULTS), read.address(Job.STARTED)
    lane = b.add(b.mul(word, integer(64)), bit)
    base = b.mul(lane, b.add(read.number(Job.ROLES), integer(2)))
    _add_to(b, results, base, integer(1))
    _add_to(b, results, b.add(base, integer(1)), b.sub(step, get_integer(b, started, lane)))
    b.store(b.add(step, integer(1)), b.gep(started, [lane], source_etype=I64))
    table, last_role = read.address(Job.GOAL_TABLE), kit.counter(b, -1)
    goals = kit.at(b, read.address(Job.ROWS), read.number(Job.GOALS))
    with loop(b, integer(0), read.number(Job.GOAL_COUNT)) as goal:
        role = get_integer(b, table, b.mul(goal, integer(2)))
        at = b.add(b.mul(goal, integer(kit.words)), word)
        holds = b.trunc(b.lshr(get_integer(b, goals, at), bit), I1)
        is_first = b.icmp_signed("!=", role, b.load(last_role, typ=I64))
        with b.if_then(b.and_(holds, is_first)):
            value = get_integer(b, table, b.add(b.mul(goal, integer(2)), integer(1)))
            _add_to(b, results, b.add(base, b.add(role, integer(2))), value)
            b.store(role, last_role)


def _add_to(b: Value, base: Value, index: Value, value: Value) -> None:
    place = b.gep(base, [index], source_etype=I64)
    b.store(b.add(b.load(place, typ=I64), value), place)


def _emit_refill(kit: Kit, b: Value, ended: Value, read: _JobReader) -> None:
    """Put the lanes that have ended back to their start."""
    start = read.address(Job.START)
    fluents = kit.at(b, read.address(Job.ROWS), read.number(Job.FLUENTS))
    with loop(b, integer(0), read.number(Job.FLUENT_COUNT)) as index:
        old = b.and_(kit.load(b, fluents, index), b.not_(ended))
        new = b.and_(kit.load(b, start, index), ended)
        kit.store(b, b.or_(old, new), fluents, index)
