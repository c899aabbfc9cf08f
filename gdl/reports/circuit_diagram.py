"""The diagram of a circuit: outputs on the left, gates, and the facts and moves that they read.

Two-input gates that only one other gate reads are drawn as one gate with it. A gate that is read
only negated, and reads only negated inputs, is drawn as an ``or``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from gdl.circuit import TRUE, CompiledGame, Layout
from gdl.errors import ResourceLimitError
from gdl.language import Level
from gdl.reports.diagrams import COLOURS, Box, Diagram

MAX_GATES = 500
"""Larger circuits make pictures in which nothing can be seen."""

_GATE = {False: "and", True: "or"}


def draw_circuit(parts: CompiledGame) -> Diagram:
    """Draw the circuit of a game; raises :class:`gdl.ResourceLimitError` for over 500 gates."""
    layout = parts.layout
    gates = layout.view.and_count + layout.transition.and_count
    if gates > MAX_GATES:
        raise ResourceLimitError(
            f"the circuit has {gates} gates; one of over {MAX_GATES} is not drawn"
        )
    names = dict(_names(parts))
    reads = _reads(layout)
    ors = _ors(layout, reads)
    in_view = {*layout.view.gates[:, 0].tolist(), *layout.view.feedback[:, 0].tolist()}
    boxes: dict[str, Box] = {}
    arrows: dict[str, dict[str, bool]] = {}
    for row in dict.fromkeys([*names, *reads]):
        level = _level(layout, row, in_view)
        label = names.get(row, _GATE[row in ors])
        boxes[str(row)] = Box(str(row), label, label, COLOURS[level], row in names)
        arrows[str(row)] = {
            str(literal >> 1): bool(literal & 1) ^ (row in ors) ^ (literal >> 1 in ors)
            for literal in reads.get(row, ())
        }
    return Diagram(boxes, arrows)


def _names(parts: CompiledGame) -> Iterator[tuple[int, str]]:
    """Yield the rows that have a name, with it; constants only where a gate reads them."""
    layout = parts.layout
    if _constant_is_read(layout):
        yield 0, "false"
    for row, fact in enumerate(parts.facts, layout.fluents):
        yield row, f"true {fact}"
    row = 0
    for name, moves in zip(parts.roles, parts.moves, strict=True):
        for move in moves:
            yield layout.moves + row, f"does {name} {move}"
            yield layout.legal + row, f"legal {name} {move}"
            row += 1
    yield layout.terminal, "terminal"
    for row, (role, value) in enumerate(parts.goal_table, layout.goals):
        yield row, f"goal {parts.roles[role]} {value}"
    for row, (role, percept) in enumerate(parts.percepts, layout.percepts):
        yield row, f"sees {parts.roles[role]} {percept}"
    for row, fact in enumerate(parts.facts, layout.next):
        yield row, f"next {fact}"


def _constant_is_read(layout: Layout) -> bool:
    return any(
        bool((program.gates[:, 1] <= TRUE).any()) for program in (layout.view, layout.transition)
    )


def _reads(layout: Layout) -> dict[int, list[int]]:
    """The literals that each row is the conjunction of.

    A row that only one other reads, and not negated, is replaced by what it reads itself.
    """
    reads: dict[int, list[int]] = {}
    for program in (layout.view, layout.transition):
        for row, left, right in program.gates.tolist():
            reads[row] = [left] if right == TRUE else [left, right]
        for row, literal in program.feedback.tolist():
            reads[row] = [literal]
    uses = Counter(literal >> 1 for literals in reads.values() for literal in literals)
    named = {0, *layout.outputs}
    # Rows of feedback are read before they are computed, and stand for a path around a cycle.
    named |= {int(row) for p in (layout.view, layout.transition) for row in p.feedback[:, 0]}
    for row in list(reads):
        for step in [n >> 1 for n in reads[row] if not n & 1 and uses[n >> 1] == 1]:
            if step in reads and step not in named:
                reads[row].remove(2 * step)
                reads[row] += reads.pop(step)
    return reads


def _ors(layout: Layout, reads: Mapping[int, list[int]]) -> set[int]:
    """The rows of gates to be drawn as an ``or``, negated as they are read."""
    outputs = set(layout.outputs)
    found = {
        row
        for row, literals in reads.items()
        if len(literals) > 1 and row not in outputs and all(literal & 1 for literal in literals)
    }
    read_as_such = {n >> 1 for literals in reads.values() for n in literals if not n & 1}
    return found - read_as_such


def _level(layout: Layout, row: int, in_view: set[int]) -> Level:
    if row == 0:
        return Level.STATIC
    if row in in_view or layout.fluents <= row < layout.moves:
        return Level.VIEW
    return Level.TRANSITION
