"""Evaluators of a game on a device: functions of a thread's rows in memory, called by name.

``view``, ``goals_view``, ``transition``: ``void f(rows, program)``, as blocks have them. The view
has goals where these are cheap. ``void move(rows, lanes)``, where the transition is one tile, makes
it and writes the next state over the old one in some lanes: the address of their word is given.
"""

from __future__ import annotations

from collections.abc import Iterable

from gdl.circuit import GateProgram
from gdl.engine.device_kernels.gate_emitter import GateEmitter
from gdl.engine.device_kernels.plane_helpers import ROW_BYTES, evaluator
from gdl.engine.device_kernels.targets import KernelTarget
from gdl.engine.device_kernels.tiles import TiledCircuit
from gdl.engine.device_kernels.word_emitter import WordEmitter

EVALUATORS = ("view", "goals_view", "transition", "move")


def evaluators_of(circuit: TiledCircuit, target: KernelTarget) -> str:
    """Write the evaluators of a circuit, which is interpreted where it is not cut."""
    return _tiled_evaluators(circuit, target) if circuit.has_tiles else _interpreted_evaluators()


def _interpreted_evaluators() -> str:
    """Write evaluators that hand their program to the interpreter."""
    return "\n".join(
        f"define internal void @{evaluator(name)}(ptr %rows, ptr %program) {{\n"
        "  call void @interpret(ptr %rows, ptr %program)\n  ret void\n}"
        for name in EVALUATORS[:3]
    )


def _tiled_evaluators(circuit: TiledCircuit, target: KernelTarget) -> str:
    """Write evaluators that call one tile after the other, and the tiles."""
    goals = circuit.goals_view
    has_goals = not circuit.layout.goals_are_expensive
    parts = {
        "view": [*circuit.moves_view, *(goals if has_goals else ())],
        "goals_view": [] if has_goals else list(goals),
        "transition": list(circuit.transition),
    }
    functions = [
        _evaluator(evaluator(name), tiles, circuit.layout.rows, target)
        for name, tiles in parts.items()
    ]
    return "\n".join([*functions, *([_move(circuit, target)] if circuit.moves_in_place else [])])


def _move(circuit: TiledCircuit, target: KernelTarget) -> str:
    """Write the transition in some lanes: a row of the state is read before it is written."""
    layout = circuit.layout
    e = _RowEmitter(target)
    gates = GateEmitter(e, e.read_row)
    lanes = e.load("%lanes", "ptr")
    gates.evaluate(circuit.transition[0])
    for number in range(layout.fluent_count):
        new, old = gates.value(layout.next + number), gates.value(layout.fluents + number)
        e.store(e.choose(lanes, new, old), e.row(layout.fluents + number))
    for row in range(layout.percepts, layout.percepts + layout.percept_count):
        e.store(gates.value(row), e.row(row))
    e.write("ret void")
    head = f"define internal void @{evaluator('move')}(ptr %rows, ptr %lanes) noinline optnone {{"
    return "\n".join([head, "entry:", *e.lines, "}"])


def _evaluator(name: str, tiles: Iterable[GateProgram], rows: int, target: KernelTarget) -> str:
    functions, calls = [], []
    for number, tile in enumerate(tiles):
        functions.append(_tile(f"{name}.{number}", tile, rows, target))
        calls.append(f"  call void @{name}.{number}(ptr %rows)")
    head = f"define internal void @{name}(ptr %rows, ptr %program) {{"
    return "\n".join([*functions, head, *calls, "  ret void", "}"])


def _tile(name: str, tile: GateProgram, rows: int, target: KernelTarget) -> str:
    """Write the function of a tile: LLVM leaves it as it is, assemblers optimise."""
    e = _RowEmitter(target)
    circuit = GateEmitter(e, e.read_row)
    circuit.evaluate(tile, lambda row, value: e.store(value, e.row(row)) if row < rows else None)
    e.write("ret void")
    head = f"define internal void @{name}(ptr %rows) noinline optnone {{"
    return "\n".join([head, "entry:", *e.lines, "}"])


class _RowEmitter(WordEmitter):
    """Writes functions of a thread's rows; ``%rows`` is where its word of the first one is."""

    def __init__(self, target: KernelTarget) -> None:
        super().__init__(target.bits, target.pointer)
        self._base = "%rows"
        if target.is_gpu:
            self._base = self.value(f"addrspacecast ptr %rows to {target.pointer}")

    def row(self, number: int) -> str:
        """Return the address of a row."""
        place = number * ROW_BYTES
        return self.value(f"getelementptr i8, {self.pointer} {self._base}, i64 {place}")

    def read_row(self, number: int) -> str:
        """Load a row."""
        return self.load(self.row(number))
