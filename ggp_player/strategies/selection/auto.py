"""The strategy ``auto``: it chooses a strategy by the game.

Compiled games are analysed and played by the strong searches. Interpreted games are probed by a few
playouts and played by the textbook's searches.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from gdl import StateMachine
from gdl.analysis import Analysis, Structure, Survey
from gdl.analysis.symmetry import generated_group
from gdl.engine import PropnetStateMachine, SymmetryGroup
from gdl.language import moves_by_chance
from gdl.playouts import play_out
from gdl.system import available_cpus
from ggp_player.strategies import (
    Choice,
    Component,
    EngineStrategy,
    MoveReport,
    Position,
    Strategy,
    compiled_machine,
    component,
)
from ggp_player.strategies.information_sets.information_set_search import InformationSetSearch
from ggp_player.strategies.learning import Contest, Learner
from ggp_player.strategies.mcts import MonteCarlo
from ggp_player.strategies.planner.planner import Planner
from ggp_player.strategies.selection.portfolio import Portfolio
from ggp_player.strategies.solver import Enumeration, Proof, Series
from ggp_player.strategies.textbook.alpha_beta import AlphaBeta
from ggp_player.strategies.textbook.evaluation import EvaluationName
from ggp_player.strategies.textbook.game_tree import opponents_of
from ggp_player.strategies.textbook.max_n import MaxN
from ggp_player.strategies.textbook.sequential_planning import SequentialPlanning

PROBE_PLAYOUTS = 8
"""Playouts of a probe."""

PROBE_STEPS = 150
"""The most steps of a probe: a slow or endless game must not be probed for long."""

SMALL_TREE = 1_000_000
"""Lines of play in a tree that is searched to its end rather than evaluated."""

MAX_SOLVED_STATES = 4_000_000
"""The most states that are enumerated."""

_log = logging.getLogger(__name__)


class Auto(EngineStrategy):
    """Analyses the game, then plays as the strategy that suits it. Plays every game.

    Where the match hides the state, it searches information sets. Elsewhere, where the rules are
    compiled, a single player plans. Others run Monte Carlo tree search on
    ``threads`` cores (0 for all), while provers beside it try to solve the game. Where the rules
    are interpreted, a single player plans without guidance; two rivals for a constant sum, and a
    single player against ``random``, use alpha-beta; all others max^n. The choice is made once, and
    logged; ``about_game`` says what kind of game it is, and each move which search chose it. With
    ``learn`` roles that move in turn learn an evaluation of a game that is too large to be
    enumerated; it guides the tree search, unless duels say that this does harm, and of two rivals
    alpha-beta with it takes over where it wins duels, too. In the match they learn from each
    position before they search it (:mod:`ggp_player.strategies.learning`). Where roles move at
    once, only an evaluation that ``ggp-player learn`` has stored guides it, unless that loses.
    """

    name = "auto"
    ponders = True
    plays_by_belief = True

    def __init__(self, threads: Annotated[int, Field(ge=0, le=64)] = 0, learn: bool = True) -> None:
        self._threads = threads or available_cpus()
        self._learn = learn
        self._survey: Survey | None = None
        self._analysis: Analysis | None = None
        self._chosen: Strategy | None = None
        self._by_belief = False
        self._kind = ""

    def refusal(self, machine: StateMachine) -> str | None:
        """Refuse nothing."""
        return None

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield what the chosen strategy yields, after the first legal move."""
        moves = position.legal_moves
        if not moves:
            return
        if self._chosen is None or self._by_belief != (position.belief is not None):
            first = Choice.first_of(moves, "analysing the game")
            yield first
            for _ in self._analyse(position):
                yield first
        assert self._chosen is not None
        yield from map(self._chosen.credited, self._chosen.search(position))

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Report what the chosen strategy reports."""
        return self._chosen.report(position) if self._chosen is not None else ()

    @property
    def work(self) -> int | None:
        """The work of the chosen strategy; none while the game is analysed."""
        return self._chosen.work if self._chosen is not None else 0

    @property
    def about_game(self) -> str:
        """What kind of game it is, and what the chosen strategy says of it."""
        chosen = self._chosen.about_game if self._chosen is not None else ""
        return "; ".join(filter(None, (self._kind, chosen)))

    @component(Component.ANALYSIS)
    def _analyse(self, position: Position) -> Iterator[None]:
        """Choose the strategy; yield now and then, so that the search can be stopped."""
        machine = compiled_machine(position.machine)
        if position.belief is not None:
            self._chosen, self._kind = InformationSetSearch(), "the match hides the state"
        elif machine is not None:
            if self._analysis is None:
                self._analysis = Analysis(machine, position.random.getrandbits(32))
            # Not "yield from": closing this search would end an analysis that should go on later.
            for _ in self._analysis.work:
                yield
            assert self._analysis.structure is not None
            structure = self._analysis.structure
            self._chosen = choose_for_compiled(machine, structure, self._threads, self._learn)
            self._kind = kind_of(structure)
        else:
            if self._survey is None:
                self._survey = Survey(len(position.machine.roles))
            yield from probe(position, self._survey)
            self._chosen, self._kind = choose_for_interpreted(position, self._survey)
        self._by_belief = position.belief is not None
        _log.info("%s plays as %s: %s", position.role, self._chosen.name, self._kind)


def choose_for_compiled(
    machine: PropnetStateMachine, structure: Structure, threads: int, learn: bool = True
) -> Strategy:
    """Choose a strategy for a compiled game by its structure."""
    if len(machine.roles) == 1:
        return Planner(decomposition=structure.decomposition)
    symmetries = generated_group(machine, structure.symmetries)
    turns = structure.turns.one_at_a_time.value
    if turns:
        add_winning_moves(machine, structure)
    tree = MonteCarlo(threads=threads, symmetries=symmetries)
    playing: Strategy = tree
    if provers := _provers(structure, symmetries):
        playing = Portfolio(playing, provers)
    learner = Learner(time.thread_time, symmetries, threads, tree.guide, in_turn=turns)
    if learn and not _is_small(structure) and learner.refusal(machine) is None:
        playing = Contest(playing, learner, time.thread_time, threads)
    return playing


def add_winning_moves(machine: PropnetStateMachine, structure: Structure) -> None:
    """Let the machine's blocks tell which moves win at once, for roles that take turns."""
    facts = {fact: number for number, fact in enumerate(machine.facts)}
    groups = [[facts[fact] for fact in group] for group in structure.mutex_groups]
    machine.engine.add_winning_moves(groups)


def kind_of(structure: Structure) -> str:
    """Say what kind of game it is."""
    players = len(structure.goals.values)
    if players == 1:
        return "one player" if structure.turns.chance is None else "one player against chance"
    in_turn = structure.turns.one_at_a_time.value
    order = "moves in turn" if in_turn else "moves at the same time"
    if structure.goals.is_rivalry:
        return f"two rivals for a constant sum, {order}"
    return f"{players} players with interests of their own, {order}"


def _is_small(structure: Structure) -> bool:
    """Whether the states can be enumerated."""
    typical = structure.size.typical
    return structure.size.states is not None or (
        typical is not None and typical < MAX_SOLVED_STATES
    )


def _provers(structure: Structure, symmetries: SymmetryGroup) -> list[Strategy]:
    """The searches beside the main one that may prove the value of a game."""
    rivals, alone = structure.goals.is_rivalry, len(structure.goals.values) == 1
    if not structure.turns.one_at_a_time.value or not (rivals or alone):
        return []
    provers: list[Strategy] = []
    if structure.decomposition is not None and structure.decomposition.in_series.is_proved:
        provers.append(Series(structure.decomposition))
    if _is_small(structure):
        provers.append(Enumeration(states=MAX_SOLVED_STATES, symmetries=symmetries))
    if rivals and structure.turns.chance is None:
        provers.append(Proof(symmetries=symmetries))
    return provers


def choose_for_interpreted(position: Position, survey: Survey) -> tuple[Strategy, str]:
    """Choose a strategy for an interpreted game by a few playouts; return it with its kind."""
    others = opponents_of(position.machine, position.role)
    rivals = [role for role in others if not moves_by_chance(role)]
    small = survey.lines is not None and survey.lines <= SMALL_TREE
    evaluation: EvaluationName = "mobility" if small else "quick"
    tree = "a small tree" if small else "a large tree"
    order = "moves at the same time" if survey.together else "moves in turn"
    if not others:
        return SequentialPlanning(), "one player"
    if not rivals:
        return AlphaBeta(evaluation=evaluation), f"one player against chance, {tree}"
    if len(rivals) == 1 and has_constant_sum(position, survey):
        kind = f"two rivals for a constant sum, {order}, {tree}"
        return AlphaBeta(evaluation=evaluation), kind
    two = "two players with interests of their own"
    players = two if len(rivals) == 1 else f"{len(rivals) + 1} players"
    return MaxN(evaluation=evaluation), f"{players}, {order}, {tree}"


def probe(position: Position, survey: Survey) -> Iterator[None]:
    """Play out from a position until the probe is complete; yield after each step."""
    machine = position.machine
    while survey.playouts < PROBE_PLAYOUTS and survey.states < PROBE_STEPS:
        left = PROBE_STEPS - survey.states - 1
        steps = play_out(machine, position.random, left, position.state)
        for _ in survey.record(machine, steps):
            yield


def has_constant_sum(position: Position, survey: Survey) -> bool:
    """Whether the utilities had the same sum at the end of each playout; chance has none."""
    players = [i for i, role in enumerate(position.machine.roles) if not moves_by_chance(role)]
    sums = {sum(max(0, outcome[i]) for i in players) for outcome in survey.outcomes}
    return len(sums) <= 1
