"""Making sets of critical solved positions.

A position comes from a game of the tree search against itself that is neither perfect nor random:
it opens with some random plies, and later plies are random now and then. From a ply drawn at random
the game is gone through backwards, until solving a position takes too many nodes. A position is
kept if it is critical, some moves keeping its value and some not; if a short tree search errs in it
at least once in some tries; and if the set has none that a symmetry of the game maps to it.

Where a position is not solved in a few nodes, what the tries choose is solved before the other
moves: most positions are left out because each try wins, whatever the other moves are worth.

The last condition but one makes a set hard for that search in particular: its error on the set is
no estimate of its error in play, and comparisons with searches of another kind are tilted against
it. For variants of one search they are fair as long as the tries had other seeds.

Game number n depends on the rules, the recipe and the seed alone, so that an interrupted run goes
on where it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from gdl import State, Term
from gdl.engine import PropnetStateMachine, SymmetryGroup
from ggp_player.lab.positions.solved_positions import SolvedPosition
from ggp_player.lab.positions.solving.move_solver import MoveSolution, MoveSolver
from ggp_player.lab.positions.turns import after_choice, after_forced, chooser, replayed
from ggp_player.strategies.mcts import Settings, TreeSearch, best_move
from ggp_player.strategies.mcts.tree_search import MoveStatistics
from ggp_player.strategies.solver import canonical_key

TREE_BYTES = 2**26
"""Memory for the trees of the players and of the tries."""

CHEAP_SHARE = 50
"""A position is solved after the first try if that takes this part of all nodes or less."""

STEP_GATES = 2_000
"""The cost in gates of everything in a step of the search but its gates."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How positions are found; see the module.

    ``first`` and ``last`` bound the choices that lead to a position. A game opens with up to
    ``opening`` random plies, and later ones are random with probability ``random_share``.
    ``play_gates`` and ``try_gates``, in gates evaluated, are how much the tree search thinks before
    a move in these games, and in each of ``tries`` tries of a position. At most ``per_game``
    positions come from one game. With ``doubt``, positions in which the first try expects a goal
    value of less than that, or of more than 100 less that, are left out unsolved: they are seldom
    critical, and hard even less.
    """

    first: int
    last: int
    opening: int = 6
    random_share: float = 0.15
    play_gates: int = 200_000
    try_gates: int = 2_000_000
    tries: int = 4
    per_game: int = 2
    doubt: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.first <= self.last:
            raise ValueError(f"expected 0 <= first <= last; found {self.first} and {self.last}")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A position of a game, and the choices that led to it."""

    line: tuple[Term, ...]
    state: State


class PositionMaker:
    """Finds critical positions, game by game."""

    def __init__(
        self,
        machine: PropnetStateMachine,
        solver: MoveSolver,
        recipe: Recipe,
        seed: int,
        symmetries: SymmetryGroup | None = None,
    ) -> None:
        self._machine = machine
        self._solver = solver
        self._recipe = recipe
        self._seed = seed
        self._symmetries = symmetries
        self._seen: set[bytes] = set()

    def remember(self, position: SolvedPosition) -> None:
        """Note a position that the set has already."""
        state = replayed(self._machine, position.line)
        self._seen.add(canonical_key(self._machine, state, self._symmetries))

    def positions_of_game(self, number: int) -> Iterator[SolvedPosition]:
        """Play game ``number``, and yield its positions for the set, none in most games."""
        random = Random(f"{self._seed}:{number}")
        candidates = self._play(random)
        last = random.randint(self._recipe.first, self._recipe.last)
        self._solver.forget()
        kept = 0
        for candidate in reversed(candidates[: last + 1]):
            if len(candidate.line) < self._recipe.first or kept == self._recipe.per_game:
                return
            solution = MoveSolution(self._solver, candidate.state)
            is_kept = self._is_critical_and_hard(solution, candidate.state, random)
            if solution.is_given_up:
                return
            if is_kept:
                key = canonical_key(self._machine, candidate.state, self._symmetries)
                if key not in self._seen:
                    self._seen.add(key)
                    kept += 1
                    yield SolvedPosition(candidate.line, solution.values)

    def _play(self, random: Random) -> list[Candidate]:
        """Play up to the last ply; return the positions in which somebody has a choice."""
        machine, recipe = self._machine, self._recipe
        search = self._new_search(random)
        opening = random.randint(0, recipe.opening)
        state = after_forced(machine, machine.initial_state())
        line: list[Term] = []
        found: list[Candidate] = []
        while len(line) <= recipe.last and not machine.is_terminal(state):
            found.append(Candidate(tuple(line), state))
            role = chooser(machine, state)
            assert role is not None
            if len(line) < opening or random.random() < recipe.random_share:
                move = random.choice(machine.legal_moves(state, machine.roles[role]))
            else:
                known = self._search(search, state, role, recipe.play_gates)
                move = machine.moves[role][known.index]
            line.append(move)
            state = after_forced(machine, after_choice(machine, state, role, move))
        return found

    def _is_critical_and_hard(self, solution: MoveSolution, state: State, random: Random) -> bool:
        """Whether the tree search errs at least once in some tries, and so can err.

        If so, all moves are solved. Also False where the position is given up.
        """
        recipe, role = self._recipe, solution.role
        for number in range(recipe.tries):
            search = self._new_search(random)
            tried = self._search(search, state, role, recipe.try_gates)
            if number == 0 and not recipe.doubt <= tried.value <= 100 - recipe.doubt:
                return False
            is_solved = number == 0 and solution.complete(self._solver.nodes // CHEAP_SHARE)
            if is_solved and _is_flat(solution):
                return False
            move = self._machine.moves[role][tried.index]
            value = solution.value(move)
            if value is None:
                return False
            if value == search.ceiling(role):
                continue
            if not solution.complete() or _is_flat(solution):
                return False
            if value < max(solution.values.values()):
                return True
        return recipe.tries == 0 and solution.complete() and not _is_flat(solution)

    def _new_search(self, random: Random) -> TreeSearch:
        seed = random.getrandbits(32)
        return TreeSearch(self._machine, Settings(), seed, TREE_BYTES, self._symmetries)

    def _search(self, search: TreeSearch, state: State, role: int, gates: int) -> MoveStatistics:
        """Search a state for so many gates, and return the statistics of the best move."""
        search.set_root(state)
        search.run(max(1, gates // (search.engine.layout.gate_count + STEP_GATES)))
        known = search.moves(role)
        if not known:  # the first step has not expanded the root
            search.run(1)
            known = search.moves(role)
        return best_move(known, search.bounds(role)[0])


def _is_flat(solution: MoveSolution) -> bool:
    """Whether all moves of a solved position have the same value."""
    return len(set(solution.values.values())) == 1
