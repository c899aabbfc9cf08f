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
from gdl.analysis import analyse
from gdl.analysis.symmetry import find_symmetries, generated_group
from gdl.engine import PropnetStateMachine
from ggp_player.errors import LabError
from ggp_player.lab.positions.forked_searches import PreparedSearches, SearchTask, Setting
from ggp_player.lab.positions.solving.solvers import SolverName, new_solver
from ggp_player.lab.positions.turns import after_choice, after_forced, chooser
from ggp_player.strategies.solver import canonical_key

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

    role: int
    state: State
    line: list[Term]
    value: int | None = None
    moves: int = 0
    error: ValueLost | None = None

    @property
    def is_lost(self) -> bool:
        """Whether the strategy had nothing to lose from the opening on."""
        return self.error is None and self.value == LOST

    def to_json(self) -> dict[str, Any]:
        """The match as it stands, with moves as text."""
        error = self.error
        return {
            "role": self.role,
            "line": list(map(str, self.line)),
            "value": self.value,
            "moves": self.moves,
            "error": error and {"move": str(error.move), "had": error.had, "left": error.left},
        }


class SolverMatches:
    """The matches of the strategy of a setting, in both seats, against a solver.

    They are from all openings of so many ``plies``, or from ``count`` that are drawn at random. The
    solver gives up a move after so many ``nodes``.
    ``matches`` are all of them, with what has come of them so far. Raises :class:`LabError` where
    the goal values of two rivals do not add up to 100, where there are no such openings, or more
    than ``MAX_OPENINGS`` to go through, and :class:`StrategyError` as the searches do.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        setting: Setting,
        solver: SolverName,
        nodes: int,
        plies: int,
        count: int | None = None,
    ) -> None:
        structure = analyse(machine)
        if not structure.goals.is_rivalry or structure.goals.sum.value != WON:
            raise LabError("a solver plays two rivals whose goal values add up to 100")
        self._machine = machine
        self._searches = PreparedSearches(setting, machine, machine.ruleset.game)
        self._symmetries = generated_group(machine, find_symmetries(machine))
        self._solver = new_solver(solver, machine, self._symmetries, nodes)
        self._seed = setting.seed
        self._values: dict[tuple[bytes, int], int] = {}
        openings = self._openings(plies) if count is None else self._drawn(plies, count)
        if not openings:
            raise LabError(f"after {plies} choices nobody has another one: take fewer plies")
        self.matches = [
            SolverMatch(role, state, list(line))
            for line, state in openings
            for role in range(len(machine.roles))
        ]

    def play(self, jobs: int = 1, tell: Callable[[], None] = lambda: None) -> None:
        """Play all matches to their ends, ``jobs`` searches at a time.

        ``tell`` is called after each match. Raises :class:`LabError` where a move takes the solver
        too many nodes.
        """
        running: Sequence[SolverMatch] = self.matches
        while running:
            waiting = []
            for match in running:
                if self._answer(match):
                    waiting.append(match)
                else:
                    tell()
            running = []
            tasks = [self._task(match) for match in waiting]
            for number, result in self._searches.search(tasks, jobs):
                if self._judge(waiting[number], result.move):
                    running.append(waiting[number])
                else:
                    tell()

    def _answer(self, match: SolverMatch) -> bool:
        """Make the solver's moves; return whether the strategy has a choice then."""
        machine = self._machine
        random = Random(f"{self._seed}:{' '.join(map(str, match.line))}:{match.role}")
        while match.value != LOST and not machine.is_terminal(match.state):
            role = chooser(machine, match.state)
            assert role is not None  # forced moves have been made
            if role == match.role:
                return True
            legal = list(machine.legal_moves(match.state, machine.roles[role]))
            random.shuffle(legal)
            least = WON if match.value is None else WON - match.value
            values = self._values_until(match.state, role, legal, least)
            move = max(values, key=values.__getitem__)
            match.value = WON - values[move]
            self._make(match, role, move)
        return False

    def _judge(self, match: SolverMatch, move: Term) -> bool:
        """Make a move of the strategy, unless it is an error; return whether the match goes on."""
        state, role = match.state, match.role
        left = self._value(state, role, move)
        if match.value is None:
            legal = self._machine.legal_moves(state, self._machine.roles[role])
            match.value = max(self._values_until(state, role, [move, *legal], WON).values())
        if left < match.value:
            match.error = ValueLost(move, match.value, left)
        if match.error is not None or match.is_lost:
            return False
        match.moves += 1
        self._make(match, role, move)
        return True

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
        seed = " ".join(map(str, match.line))
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
