"""Matches of a strategy against a solver, from openings of so many plies: where does it err?

The solver knows what each move is worth, and makes one of the best, drawn at random. So a match
tells of every move of the strategy whether it gives value away, also in positions that a set of
solved ones would not have. It ends with the first error, and where the strategy has nothing to
lose. Openings that a symmetry of the game maps to each other, or that transpose, count once.

Every position is searched by the strategy as it is after its start clock, in a fork of the process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from gdl import State, Term
from gdl.engine import PropnetStateMachine, SymmetryGroup
from ggp_player.errors import LabError
from ggp_player.lab.balance import canonical_key
from ggp_player.lab.positions.forked_searches import PreparedSearches, SearchTask
from ggp_player.lab.positions.solving.move_solver import MoveSolver
from ggp_player.lab.positions.turns import after_choice, after_forced, chooser

MAX_OPENINGS = 2_000
"""More openings than that are refused."""

PATIENCE = 20
"""So many random games are tried for each opening."""

WON, LOST = 100, 0
"""What a role gets at best and at worst."""

Line: TypeAlias = tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class ValueLost:
    """An error: a move that leaves its role less than it could have had, in goal values."""

    move: Term
    had: int
    left: int


@dataclass(slots=True)
class SolverMatch:
    """A match from an opening, the strategy in the seat of ``role``.

    ``line`` are the choices so far, with the opening. ``value`` is what the strategy can have, None
    before that is known; of ``moves`` of the strategy all but an ``error`` have kept it.
    """

    opening: Line
    role: int
    state: State
    line: list[Term]
    value: int | None = None
    moves: int = 0
    error: ValueLost | None = None
    is_over: bool = False

    def to_json(self) -> dict[str, Any]:
        """The match as it stands, with moves as text."""
        error = self.error
        return {
            "opening": list(map(str, self.opening)),
            "role": self.role,
            "line": list(map(str, self.line)),
            "value": self.value,
            "moves": self.moves,
            "error": error and {"move": str(error.move), "had": error.had, "left": error.left},
        }


class SolverMatches:
    """The matches of a game of two rivals whose goal values add up to 100.

    They are from all openings of so many ``plies``, or from ``count`` that are drawn at random.
    ``matches`` are all of them, with what has come of them so far. Raises :class:`LabError` where
    there are no such openings, or more than ``MAX_OPENINGS`` to go through.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        solver: MoveSolver,
        searches: PreparedSearches,
        symmetries: SymmetryGroup | None,
        plies: int,
        count: int | None = None,
        seed: int = 0,
    ) -> None:
        self._machine = machine
        self._solver = solver
        self._searches = searches
        self._symmetries = symmetries
        self._seed = seed
        self._values: dict[tuple[bytes, int], int] = {}
        openings = self._openings(plies) if count is None else self._drawn(plies, count)
        if not openings:
            raise LabError(f"after {plies} choices nobody has another one: take fewer plies")
        self.matches = [
            SolverMatch(line, role, state, list(line))
            for line, state in openings
            for role in range(len(machine.roles))
        ]

    def play(self, jobs: int = 1, tell: Callable[[int], None] = lambda _: None) -> None:
        """Play all matches to their ends, ``jobs`` searches at a time.

        ``tell`` is called with the matches that have ended. Raises :class:`LabError` where a move
        takes the solver too many nodes.
        """
        while True:
            for match in self.matches:
                self._answer(match)
                tell(sum(each.is_over for each in self.matches))
            waiting = [match for match in self.matches if not match.is_over]
            if not waiting:
                return
            tasks = [self._task(match) for match in waiting]
            for number, result in self._searches.search(tasks, jobs):
                self._judge(waiting[number], result.move)
                tell(sum(each.is_over for each in self.matches))

    def _answer(self, match: SolverMatch) -> None:
        """Make the solver's moves until the strategy has a choice."""
        random = Random(f"{self._seed}:{' '.join(map(str, match.line))}:{match.role}")
        while not match.is_over:
            state = match.state
            role = None if self._machine.is_terminal(state) else chooser(self._machine, state)
            match.is_over = role is None or match.value == LOST
            if role is None or role == match.role or match.is_over:
                return
            legal = list(self._machine.legal_moves(state, self._machine.roles[role]))
            random.shuffle(legal)
            least = WON if match.value is None else WON - match.value
            values = self._values_until(state, role, legal, least)
            move = max(values, key=values.__getitem__)
            match.value = WON - values[move]
            self._make(match, role, move)

    def _judge(self, match: SolverMatch, move: Term) -> None:
        """Make a move of the strategy, unless it is an error."""
        state, role = match.state, match.role
        left = self._value(state, role, move)
        if match.value is None:
            legal = self._machine.legal_moves(state, self._machine.roles[role])
            match.value = max(self._values_until(state, role, [move, *legal], WON).values())
        if left < match.value:
            match.error = ValueLost(move, match.value, left)
        match.is_over = match.error is not None or match.value == LOST
        if not match.is_over:
            match.moves += 1
            self._make(match, role, move)

    def _make(self, match: SolverMatch, role: int, move: Term) -> None:
        machine = self._machine
        match.line.append(move)
        match.state = after_forced(machine, after_choice(machine, match.state, role, move))

    def _values_until(
        self, state: State, role: int, moves: Sequence[Term], enough: int
    ) -> dict[Term, int]:
        """The values of moves, up to the first that is worth enough."""
        values: dict[Term, int] = {}
        for move in moves:
            values[move] = self._value(state, role, move)
            if values[move] >= enough:
                break
        return values

    def _value(self, state: State, role: int, move: Term) -> int:
        """What a move is worth to the role that makes it."""
        after = after_choice(self._machine, state, role, move)
        key = self._key(after), role
        if key not in self._values:
            value, _ = self._solver.move_value(state, role, move, self._solver.nodes)
            if value is None:
                raise LabError(f"a move takes more than {self._solver.nodes} nodes to solve")
            self._values[key] = value
        return self._values[key]

    def _task(self, match: SolverMatch) -> SearchTask:
        seed = f"{self._seed}:{' '.join(map(str, match.line))}"
        return SearchTask(match.state, self._machine.roles[match.role], seed)

    def _openings(self, plies: int) -> Sequence[tuple[Line, State]]:
        """The positions after so many choices, with a line that leads to each."""
        machine = self._machine
        start: tuple[Line, State] = (), after_forced(machine, machine.initial_state())
        found = {b"": start}
        for _ in range(plies):
            after: dict[bytes, tuple[Line, State]] = {}
            for line, state in found.values():
                for move, next_state in self._moves(state):
                    after.setdefault(self._key(next_state), ((*line, move), next_state))
                if len(after) > MAX_OPENINGS:
                    what = f"there are more than {MAX_OPENINGS} openings"
                    raise LabError(f"{what}: take fewer plies, or some drawn at random")
            found = after
        return list(found.values())

    def _drawn(self, plies: int, count: int) -> Sequence[tuple[Line, State]]:
        """So many of them, by random play, or fewer where it seldom finds another."""
        machine, random = self._machine, Random(f"{self._seed}:openings")
        found: dict[bytes, tuple[Line, State]] = {}
        for _ in range(PATIENCE * count):
            line: Line = ()
            state = after_forced(machine, machine.initial_state())
            while len(line) < plies and (moves := list(self._moves(state))):
                move, state = random.choice(moves)
                line = (*line, move)
            if len(line) == plies:
                found.setdefault(self._key(state), (line, state))
            if len(found) == count:
                break
        return list(found.values())

    def _moves(self, state: State) -> Iterator[tuple[Term, State]]:
        """The moves of who has the choice, with the positions that they lead to."""
        machine, role = self._machine, chooser(self._machine, state)
        if role is None:
            return
        for move in machine.legal_moves(state, machine.roles[role]):
            after = after_forced(machine, after_choice(machine, state, role, move))
            if not machine.is_terminal(after):
                yield move, after

    def _key(self, state: State) -> bytes:
        return canonical_key(self._machine, state, self._symmetries)
