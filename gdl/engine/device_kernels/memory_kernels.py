"""Kernels for circuits too large for registers: rows in memory, gates interpreted from arrays.

The kernels have the names of those of :mod:`.register_kernels`, their arguments, and three more:
``rows`` has a plane for each row of the layout, ``scratch`` is that of the choice of moves, and
``programs`` int64 (4, 4) has the gate programs as :mod:`gdl.engine.kernels` takes them. The
interpreter and the choice are those of blocks, with rows that are far apart: the words of all
threads for one row are neighbours. Words have 64 lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

from llvmlite import ir

from gdl.engine.device_kernels.plane_helpers import PlaneHelpers, module_text
from gdl.engine.device_kernels.register_kernels import (
    CHOOSE_ARGUMENTS,
    MOVE_ARGUMENTS,
    PLAY_ARGUMENTS,
    VIEW_ARGUMENTS,
    DeviceGame,
    add_goals,
    count_ended,
    go_on_or_finish,
    keep_counts,
)
from gdl.engine.device_kernels.targets import KernelTarget
from gdl.engine.device_kernels.word_emitter import ThreadEmitter
from gdl.engine.kernels.choice import emit_select
from gdl.engine.kernels.interpreter import emit_interpret

MEMORY_ARGUMENTS = ("rows", "scratch", "programs")

MEMORY_WORD = 64
"""How many lanes a word has."""

VIEW_PROGRAM, TRANSITION_PROGRAM = 0, 1


def memory_kernel_source(name: str, game: DeviceGame, target: KernelTarget, threads: int) -> str:
    """Write the LLVM source of a kernel, for so many threads."""
    module = ir.Module(name="kernels")
    helpers = PlaneHelpers(module, threads)
    emit_interpret(helpers)
    emit_select(helpers)
    arguments, emit = _KERNELS[name]
    e = ThreadEmitter(target.bits, target.pointer)
    emit(game, e)
    e.write("ret void")
    body = target.kernel(name, (*MEMORY_ARGUMENTS, *arguments), e.lines)
    return "\n".join([target.head(), module_text(module), body])


# ---------------------------------------------------------------------- rows


def _generic(e: ThreadEmitter, address: str) -> str:
    """Return an address as functions that all targets share take it."""
    if e.pointer == "ptr":
        return address
    return e.value(f"addrspacecast {e.pointer} {address} to ptr")


def _evaluate(e: ThreadEmitter, program: int) -> None:
    """Evaluate a gate program in the thread's rows."""
    rows = _generic(e, e.at("rows", 0))
    array = _generic(e, e.value(f"getelementptr i64, {e.pointer} %programs, i64 {4 * program}"))
    e.write(f"call void @interpret(ptr {rows}, ptr {array})")


def _copy(e: ThreadEmitter, target: tuple[str, int], origin: tuple[str, int], count: int) -> None:
    """Copy planes of one array to those of another; both from a plane on."""
    _each(e, count, lambda index: e.store(_plane(e, origin, index), _address(e, target, index)))


def _address(e: ThreadEmitter, array: tuple[str, int], index: str) -> str:
    return e.at(array[0], e.value(f"add i64 {index}, {array[1]}"))


def _plane(e: ThreadEmitter, array: tuple[str, int], index: str) -> str:
    return e.load(_address(e, array, index))


def _each(e: ThreadEmitter, count: int, emit: Callable[[str], None]) -> None:
    """Emit a loop over the numbers below ``count``; what it does may have no blocks."""
    if count == 0:
        return
    before, label, done = e.block, e.label("each"), e.label("all")
    e.jump(label)
    e.begin(label)
    index = e.name("index")
    e.phi(index, "i64", ("0", before), (f"{index}.next", label))
    emit(index)
    e.write(f"{index}.next = add i64 {index}, 1")
    e.branch(e.value(f"icmp ult i64 {index}.next, {count}"), label, done)
    e.begin(done)


def _choose(game: DeviceGame, e: ThreadEmitter) -> None:
    """Choose a move of each role in the thread's rows; after a view."""
    layout = game.layout
    scratch, random = (_generic(e, e.at(array, 0)) for array in ("scratch", "random"))
    for first, count in zip(
        accumulate(layout.move_counts, initial=0), layout.move_counts, strict=False
    ):
        legal = _generic(e, e.at("rows", layout.legal + first))
        moves = _generic(e, e.at("rows", layout.moves + first))
        given = f"ptr {legal}, ptr {moves}, i64 {count}, ptr {scratch}, ptr {random}"
        e.write(f"call void @select({given})")


# ---------------------------------------------------------------------- kernels


def _emit_view(game: DeviceGame, e: ThreadEmitter) -> None:
    layout = game.layout
    _copy(e, ("rows", layout.fluents), ("state", 0), layout.fluent_count)
    _evaluate(e, VIEW_PROGRAM)
    _copy(e, ("legal", 0), ("rows", layout.legal), sum(layout.move_counts))
    _copy(e, ("terminal", 0), ("rows", layout.terminal), 1)
    _copy(e, ("goals", 0), ("rows", layout.goals), layout.goal_count)


def _emit_move(game: DeviceGame, e: ThreadEmitter) -> None:
    layout = game.layout
    _copy(e, ("rows", layout.fluents), ("state", 0), layout.fluent_count)
    _evaluate(e, VIEW_PROGRAM)
    _copy(e, ("rows", layout.moves), ("moves", 0), sum(layout.move_counts))
    _evaluate(e, TRANSITION_PROGRAM)
    lanes = e.load(e.at("lanes", 0))

    def take(index: str) -> None:
        new, old = _plane(e, ("rows", layout.next), index), _plane(e, ("state", 0), index)
        e.store(e.choose(lanes, new, old), _address(e, ("state", 0), index))

    _each(e, layout.fluent_count, take)


def _emit_choose(game: DeviceGame, e: ThreadEmitter) -> None:
    layout = game.layout
    _copy(e, ("rows", layout.fluents), ("state", 0), layout.fluent_count)
    _evaluate(e, VIEW_PROGRAM)
    _choose(game, e)
    _copy(e, ("moves", 0), ("rows", layout.moves), sum(layout.move_counts))


def _emit_play(game: DeviceGame, e: ThreadEmitter) -> None:
    """Emit the playouts, as those in registers are, but for goals: none are held."""
    layout = game.layout
    fluents = ("rows", layout.fluents)
    _copy(e, fluents, ("state", 0), layout.fluent_count)
    first = e.load(e.at("alive", 0))
    before = e.block
    e.jump("step")
    e.begin("step")
    alive, step, made = e.name("alive"), e.name("step"), e.name("made")
    place = len(e.lines)
    _evaluate(e, VIEW_PROGRAM)
    ended = e.and_(e.load(e.at("rows", layout.terminal)), alive)
    e.branch(e.any(ended), "results", "after")
    e.begin("results")
    count_ended(e, ended, step)
    add_goals(game, e, e.read("rows", layout.goals, layout.goal_count), ended)
    e.jump("after")
    e.begin("after")
    left, refilled, made_next = go_on_or_finish(e, alive, ended, step, made)
    _choose(game, e)
    _evaluate(e, TRANSITION_PROGRAM)

    def advance(index: str) -> None:
        new, start = _plane(e, ("rows", layout.next), index), _plane(e, ("start", 0), index)
        e.store(e.choose(refilled, start, new), _address(e, fluents, index))

    _each(e, layout.fluent_count, advance)
    step_next = e.value(f"add i64 {step}, 1")
    end = e.block
    e.jump("step")
    e.phi(alive, e.word, (first, before), (left, end), place=place)
    e.phi(step, "i64", ("0", before), (step_next, end), place=place)
    e.phi(made, "i64", ("0", before), (made_next, end), place=place)
    e.begin("finished")
    _copy(e, ("state", 0), fluents, layout.fluent_count)
    keep_counts(e, left, made)


_KERNELS: dict[str, tuple[tuple[str, ...], Callable[[DeviceGame, ThreadEmitter], None]]] = {
    "play": (PLAY_ARGUMENTS, _emit_play),
    "view": (VIEW_ARGUMENTS, _emit_view),
    "move": (MOVE_ARGUMENTS, _emit_move),
    "choose": (CHOOSE_ARGUMENTS, _emit_choose),
}
