"""Kernels for circuits too large for registers: rows in memory, and tiles of gates between them.

The kernels have the names of those of :mod:`.register_kernels`, their arguments, and three more:
``rows`` has a plane for each row of the layout, ``scratch`` is that of the choice of moves, both as
:mod:`.plane_helpers` lays them out; ``programs`` int64 (4, 4) has the gate programs as
:mod:`gdl.engine.kernels` takes them, for circuits that are interpreted. The choice is that of
blocks. Words have 64 lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

from llvmlite import ir

from gdl.engine.device_kernels.evaluators import EVALUATORS, evaluators_of
from gdl.engine.device_kernels.plane_helpers import (
    GROUP,
    ROW_BYTES,
    WORD,
    PlaneHelpers,
    evaluator,
    module_text,
)
from gdl.engine.device_kernels.register_kernels import (
    ARGUMENTS,
    RANDOM_PLANES,
    DeviceGame,
    add_goals,
    count_ended,
    go_on_or_finish,
    keep_counts,
)
from gdl.engine.device_kernels.targets import KernelTarget
from gdl.engine.device_kernels.tiles import TiledCircuit
from gdl.engine.device_kernels.word_emitter import ONES, ThreadEmitter
from gdl.engine.kernels.choice import emit_select, scratch_rows
from gdl.engine.kernels.interpreter import emit_interpret

PROGRAMS = {"view": 0, "transition": 1, "moves_view": 2, "goals_view": 3}
"""Which of the programs an evaluator has."""


def memory_kernel_source(
    name: str, game: DeviceGame, circuit: TiledCircuit, target: KernelTarget
) -> str:
    """Write the LLVM source of a kernel; a circuit that has no tiles is interpreted."""
    module = ir.Module(name="kernels")
    helpers = PlaneHelpers(module)
    if not circuit.has_tiles:
        emit_interpret(helpers)
    emit_select(helpers)
    e = _MemoryEmitter(circuit, target)
    _KERNELS[name](game, e)
    e.write("ret void")
    evaluators = evaluators_of(circuit, target)
    body = target.kernel(name, ("rows", "scratch", "programs", *ARGUMENTS[name]), e.lines)
    return "\n".join([target.head(), module_text(module, EVALUATORS), evaluators, body])


def scratch_size(move_counts: tuple[int, ...]) -> int:
    """Return how many rows ``scratch`` has: those of the choice, and the random state."""
    return scratch_rows(max(move_counts, default=1)) + RANDOM_PLANES


# ---------------------------------------------------------------------- rows


class _MemoryEmitter(ThreadEmitter):
    """Writes what a thread does that has rows in memory as well."""

    def __init__(self, circuit: TiledCircuit, target: KernelTarget) -> None:
        super().__init__(target.bits, target.pointer)
        self.layout = circuit.layout
        self._random = scratch_rows(max(self.layout.move_counts, default=1))
        group = self.value(f"udiv i64 %thread, {GROUP}")
        place = self.value(f"urem i64 %thread, {GROUP}")
        word = self.value(f"mul i64 {place}, {WORD // 8}")
        counts = {"rows": self.layout.rows, "scratch": scratch_size(self.layout.move_counts)}
        self._own = {}
        for array, count in counts.items():
            before = self.value(f"mul i64 {group}, {count * ROW_BYTES}")
            offset = self.value(f"add i64 {before}, {word}")
            self._own[array] = self._behind(f"%{array}", offset)

    def _behind(self, base: str, offset: int | str) -> str:
        return self.value(f"getelementptr i8, {self.pointer} {base}, i64 {offset}")

    def at(self, array: str, index: int | str) -> str:
        """Return the address of this thread's word in a row or plane of an array."""
        if array not in self._own:
            return super().at(array, index)
        if isinstance(index, str):
            return self._behind(self._own[array], self.value(f"mul i64 {index}, {ROW_BYTES}"))
        return self._behind(self._own[array], index * ROW_BYTES)

    def _generic(self, address: str) -> str:
        """Return an address as functions that all targets share take it."""
        if self.pointer == "ptr":
            return address
        return self.value(f"addrspacecast {self.pointer} {address} to ptr")

    def evaluate(self, name: str) -> None:
        """Evaluate gates in the thread's rows."""
        rows = self._generic(self.at("rows", 0))
        is_part = name == "view" and self.layout.goals_are_expensive
        number = PROGRAMS["moves_view" if is_part else name]
        program = self.value(f"getelementptr i64, {self.pointer} %programs, i64 {4 * number}")
        given = f"ptr {rows}, ptr {self._generic(program)}"
        self.write(f"call void @{evaluator(name)}({given})")

    def view_all(self) -> None:
        """Evaluate all that depends on the state."""
        self.evaluate("view")
        if self.layout.goals_are_expensive:
            self.evaluate("goals_view")

    def take_random_state(self) -> None:
        """Have the choice of moves draw from this thread's random state."""
        _copy(self, ("scratch", self._random), ("random", 0), RANDOM_PLANES)

    def give_random_state_back(self) -> None:
        """Store the random state."""
        _copy(self, ("random", 0), ("scratch", self._random), RANDOM_PLANES)

    def choose_moves(self) -> None:
        """Choose a move of each role in the thread's rows; after a view."""
        layout = self.layout
        scratch, random = (self._generic(self.at("scratch", i)) for i in (0, self._random))
        for first, count in zip(
            accumulate(layout.move_counts, initial=0), layout.move_counts, strict=False
        ):
            legal = self._generic(self.at("rows", layout.legal + first))
            moves = self._generic(self.at("rows", layout.moves + first))
            given = f"ptr {legal}, ptr {moves}, i64 {count}, ptr {scratch}, ptr {random}"
            self.write(f"call void @select({given})")


BATCH = 8
"""How many rows are read before the first is written: memory is far away."""


def _copy(e: ThreadEmitter, target: tuple[str, int], origin: tuple[str, int], count: int) -> None:
    """Copy planes of one array to those of another; both from a plane on."""
    _each(e, target, count, lambda index: _plane(e, origin, index))


def _each(
    e: ThreadEmitter, target: tuple[str, int], count: int, value: Callable[[str], str]
) -> None:
    """Write values into planes of an array, from one on; each is made for its number from 0 on."""
    for first, last, size in (
        (0, count // BATCH * BATCH, BATCH),
        (count // BATCH * BATCH, count, 1),
    ):
        if first == last:
            continue
        before, label, done = e.block, e.label("each"), e.label("all")
        e.jump(label)
        e.begin(label)
        index = e.name("index")
        e.phi(index, "i64", (str(first), before), (f"{index}.next", label))
        batch = [e.value(f"add i64 {index}, {place}") for place in range(size)]
        values = [value(number) for number in batch]
        for number, made in zip(batch, values, strict=True):
            e.store(made, _address(e, target, number))
        e.write(f"{index}.next = add i64 {index}, {size}")
        e.branch(e.value(f"icmp ult i64 {index}.next, {last}"), label, done)
        e.begin(done)


def _address(e: ThreadEmitter, array: tuple[str, int], index: str) -> str:
    return e.at(array[0], e.value(f"add i64 {index}, {array[1]}"))


def _plane(e: ThreadEmitter, array: tuple[str, int], index: str) -> str:
    return e.load(_address(e, array, index))


# ---------------------------------------------------------------------- kernels


def _emit_view(game: DeviceGame, e: _MemoryEmitter) -> None:
    layout = e.layout
    _copy(e, ("rows", layout.fluents), ("state", 0), layout.fluent_count)
    e.view_all()
    _copy(e, ("legal", 0), ("rows", layout.legal), sum(layout.move_counts))
    _copy(e, ("terminal", 0), ("rows", layout.terminal), 1)
    _copy(e, ("goals", 0), ("rows", layout.goals), layout.goal_count)


def _emit_move(game: DeviceGame, e: _MemoryEmitter) -> None:
    layout = e.layout
    _copy(e, ("rows", layout.fluents), ("state", 0), layout.fluent_count)
    e.evaluate("view")
    _copy(e, ("rows", layout.moves), ("moves", 0), sum(layout.move_counts))
    e.evaluate("transition")
    lanes = e.load(e.at("lanes", 0))
    others = e.xor(lanes, ONES)

    def moved(index: str) -> str:
        new, old = _plane(e, ("rows", layout.next), index), _plane(e, ("state", 0), index)
        return e.or_(e.and_(lanes, new), e.and_(others, old))

    _each(e, ("state", 0), layout.fluent_count, moved)


def _emit_choose(game: DeviceGame, e: _MemoryEmitter) -> None:
    layout = e.layout
    e.take_random_state()
    _copy(e, ("rows", layout.fluents), ("state", 0), layout.fluent_count)
    e.evaluate("view")
    e.choose_moves()
    _copy(e, ("moves", 0), ("rows", layout.moves), sum(layout.move_counts))
    e.give_random_state_back()


def _emit_play(game: DeviceGame, e: _MemoryEmitter) -> None:
    """Emit the playouts, as those in registers are, but for goals: none are held."""
    layout = e.layout
    fluents = ("rows", layout.fluents)
    e.take_random_state()
    _copy(e, fluents, ("state", 0), layout.fluent_count)
    first = e.load(e.at("alive", 0))
    before = e.block
    e.jump("step")
    e.begin("step")
    alive, step, made = e.name("alive"), e.name("step"), e.name("made")
    place = len(e.lines)
    e.evaluate("view")
    ended = e.and_(e.load(e.at("rows", layout.terminal)), alive)
    e.branch(e.any(ended), "results", "after")
    e.begin("results")
    if layout.goals_are_expensive:
        e.evaluate("goals_view")
    count_ended(e, ended, step)
    add_goals(game, e, e.read("rows", layout.goals, layout.goal_count), ended)
    e.jump("after")
    e.begin("after")
    left, refilled, made_next = go_on_or_finish(e, alive, ended, step, made)
    e.choose_moves()
    e.evaluate("transition")
    others = e.xor(refilled, ONES)

    def following(index: str) -> str:
        new, start = _plane(e, ("rows", layout.next), index), _plane(e, ("start", 0), index)
        return e.or_(e.and_(refilled, start), e.and_(others, new))

    _each(e, fluents, layout.fluent_count, following)
    step_next = e.value(f"add i64 {step}, 1")
    end = e.block
    e.jump("step")
    e.phi(alive, e.word, (first, before), (left, end), place=place)
    e.phi(step, "i64", ("0", before), (step_next, end), place=place)
    e.phi(made, "i64", ("0", before), (made_next, end), place=place)
    e.begin("finished")
    _copy(e, ("state", 0), fluents, layout.fluent_count)
    e.give_random_state_back()
    keep_counts(e, left, made)


_KERNELS = {"play": _emit_play, "view": _emit_view, "move": _emit_move, "choose": _emit_choose}
