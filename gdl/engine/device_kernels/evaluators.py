"""Evaluators of a game on a device: functions of a thread's rows in memory, called by name.

``view``, ``goals_view``, ``transition``: ``void f(rows, program)``, as blocks have them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdl.circuit import Layout
from gdl.engine.device_kernels.gate_emitter import CircuitEmitter
from gdl.engine.device_kernels.word_emitter import WordEmitter

EVALUATORS = ("view", "goals_view", "transition")


def interpreted_evaluators() -> str:
    """Write evaluators that hand their program to the interpreter."""
    return "\n".join(
        f"define internal void @{name}(ptr %rows, ptr %program) {{\n"
        "  call void @interpret(ptr %rows, ptr %program)\n  ret void\n}"
        for name in EVALUATORS
    )


def straight_evaluators(layout: Layout, threads: int) -> str:
    """Write evaluators with the gates in them, each once for either half of the words.

    Words of 32 lanes are half as many registers as those of 64, of which the rows are.
    """
    view_goals = not layout.goals_are_expensive
    return "\n".join(
        [
            _evaluator("view", layout, threads, lambda c, _: _view_rows(c, with_goals=view_goals)),
            _evaluator("goals_view", layout, threads, lambda c, _: _goal_rows(c)),
            _evaluator("transition", layout, threads, _transition_rows),
        ]
    )


_Rows = list[tuple[int, Sequence[str]]]
"""First rows, and the values of the rows from there on."""


def _view_rows(circuit: CircuitEmitter, *, with_goals: bool) -> _Rows:
    layout = circuit.layout
    circuit.evaluate(layout.view if with_goals else layout.moves_view)
    found: _Rows = [
        (layout.legal + move, circuit.legal(move, 1)) for move in range(sum(layout.move_counts))
    ]
    found.append((layout.terminal, [circuit.terminal()]))
    return [*found, (layout.goals, circuit.goals())] if with_goals else found


def _goal_rows(circuit: CircuitEmitter) -> _Rows:
    circuit.evaluate(circuit.layout.view)
    return [(circuit.layout.goals, circuit.goals())]


def _transition_rows(circuit: CircuitEmitter, e: _RowEmitter) -> _Rows:
    layout = circuit.layout
    moves = e.read_rows(layout.moves, sum(layout.move_counts))
    circuit.evaluate(layout.moves_view)
    following = circuit.transition(moves)
    percepts = circuit.rows(layout.percepts, layout.percept_count)
    return [(layout.next, following), (layout.percepts, percepts)]


def _evaluator(
    name: str, layout: Layout, threads: int, rows: Callable[[CircuitEmitter, _RowEmitter], _Rows]
) -> str:
    e = _RowEmitter(threads)
    circuit = CircuitEmitter(e, layout)
    circuit.put(layout.fluents, e.read_rows(layout.fluents, layout.fluent_count))
    for first, values in rows(circuit, e):
        for row, value in enumerate(values, first):
            e.store(value, e.row(row))
    e.write("ret void")
    half = [f"define internal void @{name}.half(ptr %rows) noinline optnone {{", "entry:"]
    whole = [
        f"define internal void @{name}(ptr %rows, ptr %program) {{",
        f"  call void @{name}.half(ptr %rows)",
        "  %other = getelementptr i32, ptr %rows, i64 1",
        f"  call void @{name}.half(ptr %other)",
        "  ret void",
        "}",
    ]
    return "\n".join([*half, *e.lines, "}", *whole])


class _RowEmitter(WordEmitter):
    """Writes functions of half the words of a thread's rows; ``%rows`` is where the first are."""

    def __init__(self, threads: int) -> None:
        super().__init__(32, "ptr")
        self._threads = threads

    def row(self, number: int) -> str:
        """Return the address of a half of a row."""
        return self.value(f"getelementptr i64, ptr %rows, i64 {number * self._threads}")

    def read_rows(self, first: int, count: int) -> list[str]:
        """Load halves of rows."""
        return [self.load(self.row(row)) for row in range(first, first + count)]
