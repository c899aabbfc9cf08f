"""Duels: short matches between two searches, with equal CPU time for each move.

When a duel is decided, and for whom, is a sequential test, truncated. It tests :data:`EQUAL`
against :data:`BETTER` by the likelihood ratio of the points, match after match. A draw counts as
half a match won and half a match lost, which can only make errors rarer than without draws. What it
accepts how often, and after how many matches, is in ``docs/search.md``.

Source: A. Wald, Sequential tests of statistical hypotheses (1945).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from enum import Enum
from math import log
from random import Random
from typing import Annotated, Protocol

from pydantic import ConfigDict, Field, NonNegativeInt
from pydantic.dataclasses import dataclass as checked_dataclass

from gdl import State, Term
from gdl.engine import PropnetStateMachine
from gdl.language import moves_by_chance
from gdl.playouts import Ending, play_out
from ggp_player.clock import Clock
from ggp_player.strategies import Component, Position, component
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.mcts import MINIMAX_SHARE, Settings, TreeSearch, best_move
from ggp_player.strategies.solver import ProofTree

OPENING = 4
"""Random moves before a match, the same for both seats."""

PIECES = 16
"""Readings of the clock in a move, about: a piece of work between two takes this part of it."""

FIRST_STEPS, FIRST_NODES = 8, 1_000
"""The pieces of the tree search, in steps of its block, and of alpha-beta, before a measurement."""

LEAST_NODES = 500
"""In smaller pieces alpha-beta would spend its time between them."""

ENTRIES = 2**20
"""Entries of the transposition table in a duel."""

MEMORY = 2**26
"""Bytes of a tree search in duels."""

COMPARISON_MOVE, GUIDED_COMPARISON_MOVE = 0.003, 0.02
"""CPU time for a move where two evaluations are compared, by alpha-beta and by the tree search; by
this it is less where one match in each seat would take longer than there is time."""

MAX_MATCH_STEPS = 1_000
"""A match of so many steps ends as it stands, since rules can let matches go on for ever."""

EQUAL, BETTER = 0.5, 0.75
"""The shares of the points between which a duel decides."""

FALSE_ALARM, MISS = 0.08, 0.12
"""How often a challenger worth ``EQUAL`` may be taken, and one worth ``BETTER`` may not, about."""

MAX_MATCHES = 26
"""After so many matches the more likely of the two holds."""


class ChallengeVerdict(Enum):
    """Who should play the match."""

    OPEN = "open"
    CHALLENGER = "challenger"
    CHAMPION = "champion"


@checked_dataclass(slots=True, config=ConfigDict(extra="forbid", strict=True))
class Score:
    """The points of a challenger, from 0 to 1 for each of so many matches."""

    points: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    matches: NonNegativeInt

    @property
    def share(self) -> float:
        """The part of the points that it has won."""
        return self.points / self.matches if self.matches else 0.5

    @property
    def lead(self) -> float:
        """The points by which the challenger is ahead of the other."""
        return 2 * self.points - self.matches

    @property
    def verdict(self) -> ChallengeVerdict:
        """What the test says."""
        lost = self.matches - self.points
        ratio = self.points * log(BETTER / EQUAL) + lost * log((1 - BETTER) / (1 - EQUAL))
        if ratio >= log((1 - MISS) / FALSE_ALARM):
            return ChallengeVerdict.CHALLENGER
        if ratio <= log(MISS / (1 - FALSE_ALARM)):
            return ChallengeVerdict.CHAMPION
        if self.matches < MAX_MATCHES:
            return ChallengeVerdict.OPEN
        return ChallengeVerdict.CHALLENGER if ratio >= 0 else ChallengeVerdict.CHAMPION


class Duelist(Protocol):
    """Takes part in duels, in either seat."""

    def move(self, state: State, role: int, seconds: float) -> Term:
        """Choose the move of a role that has a choice, within so many seconds of CPU time."""


class Allowance:
    """The CPU time of a player's moves: what one took too much or too little the next makes up for.

    ``piece`` is how much work to do between two readings of the clock, by what the last move did.
    """

    def __init__(self, clock: Clock, piece: int, least: int = 1) -> None:
        self.piece = piece
        self._least = least
        self._clock = clock
        self._began = 0.0
        self._allowed = 0.0
        self._carried = 0.0
        self._seconds = 0.0

    def begin(self, seconds: float) -> None:
        """Begin a move that may take so many seconds."""
        self._began = self._clock()
        self._seconds = seconds
        self._allowed = max(seconds / 2, seconds + self._carried)

    @property
    def passed(self) -> float:
        """The seconds of the move so far."""
        return self._clock() - self._began

    @property
    def is_used_up(self) -> bool:
        """Whether the time for the move is over."""
        return self.passed >= self._allowed

    def end(self, work: int, *, has_ended: bool) -> None:
        """End a move that did so much work. A search that ended sooner has no claim to the rest."""
        passed, seconds = self.passed, self._seconds
        left = min(seconds, max(-seconds, self._allowed - passed))
        self._carried = min(0.0, left) if has_ended else left
        if passed > 0 and work > 0:
            self.piece = max(self._least, round(work * seconds / passed / PIECES))


class TreeSearchDuelist:
    """The tree search in duels."""

    def __init__(self, search: TreeSearch, clock: Clock, random: Random) -> None:
        self._search = search
        self._random = random
        self._time = Allowance(clock, FIRST_STEPS)

    def move(self, state: State, role: int, seconds: float) -> Term:
        """Choose the best move."""
        search, time, steps = self._search, self._time, 1
        time.begin(seconds)
        search.set_root(state)
        search.run(1)
        while not (search.is_proved or time.is_used_up):
            search.run(time.piece)
            steps += time.piece
        move = self._best_move(state, role)
        time.end(steps, has_ended=search.is_proved)
        return move

    def _best_move(self, state: State, role: int) -> Term:
        search, machine = self._search, self._search.machine
        found = search.moves(role)
        if not found:
            return machine.legal_moves(state, machine.roles[role])[0]
        best = best_move(found, search.bounds(role)[0], self._random.random())
        return machine.moves[role][best.index]


def tree_search_for_duels(
    machine: PropnetStateMachine,
    random: Random,
    evaluation: LearnedEvaluation | None = None,
    minimax_share: float = MINIMAX_SHARE,
) -> TreeSearch:
    """Make a tree search, which an evaluation guides if there is one."""
    search = TreeSearch(machine, Settings(), random.getrandbits(30), MEMORY)
    if evaluation is not None:
        search.guide(evaluation.tables, evaluation.weights, minimax_share)
    return search


class AlphaBetaDuelist:
    """Alpha-beta with a learned evaluation in duels."""

    def __init__(
        self, machine: PropnetStateMachine, evaluation: LearnedEvaluation, clock: Clock
    ) -> None:
        self._machine = machine
        self._trees = [
            ProofTree(machine, role, ENTRIES, None, evaluation.seen_from(number))
            for number, role in enumerate(machine.roles)
        ]
        self._time = Allowance(clock, FIRST_NODES, LEAST_NODES)

    def move(self, state: State, role: int, seconds: float) -> Term:
        """Choose the best move."""
        machine, tree, time = self._machine, self._trees[role], self._time
        time.begin(seconds)
        position = Position(machine, state, machine.roles[role], Random(0), work_slice=time.piece)
        move, has_ended = position.legal_moves[0], True
        for choice in tree.search(position):
            move = choice.move
            if time.is_used_up:
                has_ended = False
                break
        time.end(tree.nodes, has_ended=has_ended)
        return move


def random_position(machine: PropnetStateMachine, random: Random, steps: int) -> State:
    """The state after so many random moves, or before the end if that comes first."""
    playout = play_out(machine, random, steps)
    *_, last = (step.state for step in playout if step.ending is not Ending.TERMINAL)
    return last


def play_in_all_seats(
    machine: PropnetStateMachine,
    challenger: Duelist,
    champion: Duelist,
    random: Random,
    seconds: float,
) -> Iterator[Score]:
    """Play matches without end, one in each seat from each opening; yield after each move.

    The champion has all other seats, and both so many seconds for each move. Where roles are more
    than two, a match is worth to the challenger what it gets above the mean of the others.
    """
    score, seats = Score(0, 0), seats_of(machine)
    while True:
        opening = random_position(machine, random, random.randint(0, OPENING))
        for seat in seats:
            players = [
                challenger if role == seat else champion for role in range(len(machine.roles))
            ]
            state, steps = opening, 0
            while not machine.is_terminal(state) and steps < MAX_MATCH_STEPS:
                state = _after_move(machine, players, state, random, seconds)
                steps += 1
                yield score
            goals = {role: machine.goal(state, machine.roles[role]) or 0 for role in seats}
            own = goals.pop(seat)
            score.points += 0.5 + 0.005 * (own - sum(goals.values()) / len(goals))
            score.matches += 1
            yield score


def seats_of(machine: PropnetStateMachine) -> list[int]:
    """The roles that players have, by their indices: all that do not move by chance."""
    return [number for number, role in enumerate(machine.roles) if not moves_by_chance(role)]


def _after_move(
    machine: PropnetStateMachine,
    players: Sequence[Duelist],
    state: State,
    random: Random,
    seconds: float,
) -> State:
    """The state after all have made their moves; who has no choice does not search."""
    moves = []
    for number, (role, player) in enumerate(zip(machine.roles, players, strict=True)):
        legal_moves = machine.legal_moves(state, role)
        if len(legal_moves) == 1:
            moves.append(legal_moves[0])
        elif moves_by_chance(role):
            moves.append(random.choice(legal_moves))
        else:
            moves.append(player.move(state, number, seconds))
    return machine.next_state(state, tuple(moves))


@component(Component.COMPARISON)
def compare_evaluations(
    machine: PropnetStateMachine,
    challenger: LearnedEvaluation,
    champion: LearnedEvaluation,
    random: Random,
    seconds: float,
    clock: Clock,
    *,
    by_alpha_beta: bool,
) -> Generator[None, None, Score]:
    """Let searches play matches with two evaluations; return the challenger's score.

    They play ``by_alpha_beta``, or otherwise by tree searches that are guided. Yields after each
    move, for so many seconds; each has every seat equally often.
    """
    began, score, seats = clock(), Score(0, 0), len(seats_of(machine))
    one: Duelist
    other: Duelist
    if by_alpha_beta:
        one, other = (AlphaBetaDuelist(machine, each, clock) for each in (challenger, champion))
        pace = COMPARISON_MOVE
    else:
        trees = [tree_search_for_duels(machine, random, each) for each in (challenger, champion)]
        one, other = (TreeSearchDuelist(tree, clock, random) for tree in trees)
        pace = min(GUIDED_COMPARISON_MOVE, seconds / seats / trees[0].playout_length)
    for score in play_in_all_seats(machine, one, other, random, pace):
        yield
        if score.matches and score.matches % seats == 0 and clock() - began >= seconds:
            break
    return score
