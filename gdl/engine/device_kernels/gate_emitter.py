"""Gates as straight lines of words: a circuit evaluated in registers."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gdl.circuit import GateProgram, Layout
from gdl.engine.device_kernels.word_emitter import ONES, ZERO, WordEmitter

Gate = tuple[int, int]
"""The two literals of which a row is the conjunction."""


class GateEmitter:
    """Writes gates, each when its row is first asked for.

    So values are made shortly before they are used, and fewer of them are kept at a time. ``read``
    writes the reading of a row that no gate makes.
    """

    def __init__(self, e: WordEmitter, read: Callable[[int], str] | None = None) -> None:
        self.e = e
        self._read = read
        self._values: dict[int, str] = {0: ZERO}
        self._gates: dict[int, Gate] = {}

    def evaluate(
        self, program: GateProgram, keep: Callable[[int, str], None] | None = None
    ) -> None:
        """Take the gates of a program, and write those up to its last segment with feedback.

        With ``keep`` all are written, and it is called with each row and its value.
        """
        gates, feedback = program.gates.tolist(), program.feedback.tolist()
        for first, last, first_loop, last_loop in program.segments.tolist():
            own, repeated = gates[first:last], feedback[first_loop:last_loop]
            if repeated:
                self._write_loop(own, repeated)
            else:
                self._gates.update((row, (left, right)) for row, left, right in own)
            if keep is not None:
                for row, *_ in own + repeated:
                    keep(row, self.value(row))

    def value(self, row: int) -> str:
        """Return the value of a row, with the gates that it needs written."""
        values, gates = self._values, self._gates
        stack = [row]
        while stack:
            top = stack[-1]
            if top in values:
                stack.pop()
                continue
            if top not in gates and self._read is not None:
                values[top] = self._read(top)
                continue
            left, right = gates[top]
            missing = [literal >> 1 for literal in (right, left) if literal >> 1 not in values]
            if missing:
                stack += missing
            else:
                values[top] = self.e.and_(self._literal(left), self._literal(right))
        return values[row]

    def _literal(self, literal: int) -> str:
        if literal == 1:
            return ONES
        value = self.value(literal >> 1)
        return self.e.not_(value) if literal & 1 else value

    def _write_loop(self, gates: list[list[int]], feedback: list[list[int]]) -> None:
        """Repeat gates until no row that is read early changes; those begin with no lane set."""
        e = self.e
        rows = [row for row, _ in feedback]
        inside = {row for row, _, _ in gates}.union(rows)
        for _, *literals in [*gates, *feedback]:
            for literal in literals:
                if literal >> 1 not in inside:
                    self.value(literal >> 1)
        before, label, done = e.block, e.label("fix"), e.label("fixed")
        e.jump(label)
        e.begin(label)
        early = {row: e.name("early") for row in rows}
        place = len(e.lines)
        self._values.update(early)
        for row, left, right in gates:
            self._values[row] = e.and_(self._literal(left), self._literal(right))
        late = {row: self._literal(literal) for row, literal in feedback}
        changed = ZERO
        for row in rows:
            changed = e.or_(changed, e.xor(early[row], late[row]))
        again = e.any(changed)
        for row in rows:
            e.phi(early[row], e.word, (ZERO, before), (late[row], label), place=place)
        self._values.update(late)
        e.branch(again, label, done)
        e.begin(done)


class CircuitEmitter(GateEmitter):
    """Writes the gates of a game, from its state to what a step asks for.

    What is asked for in a block that may be skipped, ask of a :meth:`branch`.
    """

    def __init__(self, e: WordEmitter, layout: Layout) -> None:
        super().__init__(e)
        self.layout = layout

    def branch(self) -> CircuitEmitter:
        """Return a twin that knows the same values; what it writes, this one does not know."""
        twin = CircuitEmitter(self.e, self.layout)
        twin._values, twin._gates = self._values.copy(), self._gates
        return twin

    def put(self, first: int, values: Iterable[str]) -> None:
        """Say what the rows from ``first`` on are."""
        self._values.update(enumerate(values, first))

    def rows(self, first: int, count: int) -> list[str]:
        """Return the values of rows."""
        return [self.value(row) for row in range(first, first + count)]

    def legal(self, first: int, count: int) -> list[str]:
        """Return which moves are legal, some of all roles' moves; after a view."""
        return self.rows(self.layout.legal + first, count)

    def terminal(self) -> str:
        """Return which lanes have ended; after a view."""
        return self.value(self.layout.terminal)

    def goals(self) -> list[str]:
        """Return which goals hold; after a view."""
        return self.rows(self.layout.goals, self.layout.goal_count)

    def transition(self, moves: Iterable[str]) -> list[str]:
        """Return the state that moves lead to; after a view."""
        self.put(self.layout.moves, moves)
        self.evaluate(self.layout.transition)
        return self.rows(self.layout.next, self.layout.fluent_count)
