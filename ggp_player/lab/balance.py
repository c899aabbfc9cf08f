"""Balanced openings: random positions that a reference search takes for open.

The reference is the tree search with an amount of playouts that never changes, so the same seed
gives the same openings, whatever is compared from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from gdl import Constant, OpeningError, State
from gdl.analysis.symmetry import find_symmetries, generated_group
from gdl.engine import PropnetStateMachine
from gdl.openings import random_opening
from ggp_player.errors import LabError
from ggp_player.lab.match import BalancedOpening, choosers, machine_for
from ggp_player.search_memory import set_search_memory
from ggp_player.strategies import Position
from ggp_player.strategies.mcts import MonteCarlo
from ggp_player.strategies.solver import canonical_key

REFERENCE_PLAYOUTS = 2_000
"""Playouts of the reference search for each candidate."""

REFERENCE_BYTES = 2**24
"""Memory for its tree."""

LEAST_VALUE, MOST_VALUE = 35.0, 65.0
"""The values, of 100, of an open position."""

PATIENCE = 400
"""Candidates in a row that are no openings, or no new ones, after which there are no more."""


@dataclass(frozen=True, slots=True)
class LabGame:
    """A game of an experiment: its name, and the text of its rules."""

    name: str
    rules: str


@dataclass(frozen=True, slots=True)
class Plies:
    """How many random joint moves make an opening: each number from ``least`` to ``most``."""

    least: int = 4
    most: int = 8

    def __post_init__(self) -> None:
        if not 0 <= self.least <= self.most:
            raise LabError(f"expected plies from 0 up, found {self.least} to {self.most}")


class BalancedOpenings:
    """The balanced openings of a game, in the order of their candidates; iterate over it once.

    It ends when ``PATIENCE`` candidates in a row were none; ``found`` says how many there were.
    Raises :class:`LabError` for games that no duel is for: with percepts, or not for two players,
    or too large to be compiled, or with matches that always end within the opening.
    """

    def __init__(self, game: LabGame, seed: int, plies: Plies) -> None:
        machine = machine_for(game.rules, game.name, "reference")
        if not isinstance(machine, PropnetStateMachine):
            raise LabError(f"{game.name}: the rules cannot be compiled, so openings have no value")
        if machine.ruleset.has_percepts:
            raise LabError(f"{game.name}: a duel is for games in which all see the state")
        self._machine = machine
        try:
            self._first, self._second = choosers(machine)
        except LabError as error:
            raise LabError(f"{game.name}: {error}") from error
        self._game, self._seed, self._plies = game, seed, plies
        self._group = generated_group(machine, find_symmetries(machine))
        self.found = 0

    def __iter__(self) -> Iterator[BalancedOpening]:
        known: set[bytes] = set()
        candidate, last = 0, 0
        while candidate - last <= PATIENCE:
            candidate += 1
            random = Random(f"{self._seed} {self._game.name} {candidate}")
            plies = random.randint(self._plies.least, self._plies.most)
            try:
                opening = random_opening(self._machine, plies, random)
            except OpeningError:
                continue
            key = canonical_key(self._machine, opening.state, self._group)
            if key in known:
                continue
            known.add(key)
            value = self.value_of(opening.state, random)
            if value is None or not LEAST_VALUE <= value <= MOST_VALUE:
                continue
            last = candidate
            self.found += 1
            moves = tuple(tuple(map(str, joint_move)) for joint_move in opening.moves)
            yield BalancedOpening(candidate, moves, round(value, 1))

    def value_of(self, state: State, random: Random) -> float | None:
        """The value of a state for the first role; None where it is proved, or nobody chooses."""
        for role in (self._first, self._second):
            if len(self._machine.legal_moves(state, role)) > 1:
                value = self._searched(state, role, random)
                return value if value is None or role == self._first else 100 - value
        return None

    def _searched(self, state: State, role: Constant, random: Random) -> float | None:
        set_search_memory(REFERENCE_BYTES)
        position = Position(self._machine, state, role, random, work_slice=REFERENCE_PLAYOUTS)
        strategy = MonteCarlo()
        search = strategy.search(position)
        next(search)  # the first legal move, of which nothing is known
        choice = next(search, None)
        if choice is None:
            return None
        proved = {report.move for report in strategy.report(position) if report.proved}
        return None if choice.proved or choice.move in proved else choice.value
