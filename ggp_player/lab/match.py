"""A pair of matches: two strategies, one opening, the seats exchanged, and a limit for each move.

Nothing but the searches runs: no protocol, no processes, no wall-clock time. A strategy has one
object for a match, as in play, and what it learns in the match it keeps. Nobody searches while the
other one chooses, nor where there is no choice.

Where the limit is work, a search is stopped at the choice at which no more than a sixteenth of it
is missing; so is one whose limit is CPU time, which is read after each choice. What it did too much
or too little is made up for in its next move.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from time import thread_time

import gdl
from gdl import Constant, State, StateMachine, Term
from gdl.engine import PropnetStateMachine
from gdl.language import moves_by_chance
from gdl.system import return_large_blocks
from ggp_player.clock import Deadline
from ggp_player.errors import LabError
from ggp_player.lab.other_version import OtherVersion, version_of
from ggp_player.search_memory import set_search_memory
from ggp_player.strategies import Choice, EngineStrategy, Position, Strategy
from ggp_player.strategies.selection import create
from ggp_player.worker.interruptible import InterruptibleMachine, SearchInterrupted

MAX_MATCH_STEPS = 1000
"""Steps after which a match is broken off, and scored as a draw."""

TOLERANCE = 1 / 16
"""The part of a limit that may be missing when a search is stopped."""

GAMES_KEPT = 16
"""Games that a process keeps compiled."""


@dataclass(frozen=True, slots=True)
class MoveLimit:
    """How long a search goes on for each move: ``nodes`` of work, or ``seconds`` of CPU time.

    Just one of the two is given. Before its first move a search has ``prepare`` seconds more.
    """

    nodes: int | None = None
    seconds: float | None = None
    prepare: float = 0.0

    def __post_init__(self) -> None:
        if (self.nodes is None) == (self.seconds is None):
            raise LabError("a limit is either nodes or seconds")

    def __str__(self) -> str:
        move = (
            f"{self.nodes} nodes" if self.nodes is not None else f"{self.seconds:g} s of CPU time"
        )
        return f"{move} a move" + (f", {self.prepare:g} s to prepare" if self.prepare else "")


@dataclass(frozen=True, slots=True)
class BalancedOpening:
    """An opening: the number of its candidate, from which it can be made again, and its moves.

    The joint moves are KIF. ``value`` is what the reference search has found for the first role, of
    100.
    """

    candidate: int
    moves: tuple[tuple[str, ...], ...]
    value: float


@dataclass(frozen=True, slots=True)
class PairTask:
    """What a pair of matches depends on, for a process that knows nothing of it.

    ``players`` are A and B, as ``--strategy`` takes them. ``memory`` is for the searches of a
    player, in bytes. All randomness begins with ``seed`` and the ``number`` of the pair.
    """

    game: str
    rules: str
    players: tuple[str, str]
    limit: MoveLimit
    seed: int
    number: int
    opening: BalancedOpening
    memory: int


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match: A's points, the steps after the opening, and what A and B did: work, CPU seconds."""

    points: float
    steps: int
    work: tuple[int, int]
    cpu: tuple[float, float]


@dataclass(frozen=True, slots=True)
class PairResult:
    """A pair from an opening, with A in the first seat and then in the second."""

    game: str
    number: int
    opening: BalancedOpening
    matches: tuple[PlayedMatch, PlayedMatch]

    @property
    def points(self) -> float:
        """A's mean points."""
        return sum(match.points for match in self.matches) / 2


def choosers(machine: StateMachine) -> tuple[Constant, Constant]:
    """The two roles that do not move by chance; raises :class:`LabError` for another number."""
    roles = [role for role in machine.roles if not moves_by_chance(role)]
    if len(roles) != 2:
        raise LabError(f"a duel is for two players, and this game has {len(roles)}")
    return roles[0], roles[1]


@lru_cache(maxsize=GAMES_KEPT)
def machine_of(rules: str, game: str) -> StateMachine:
    """The machine of a game; this process keeps the latest.

    It plays no playouts, so it has no native code.
    """
    return new_machine(rules, game)


def new_machine(rules: str, game: str) -> StateMachine:
    """Make the machine of a game, compiled where that is possible."""
    ruleset = gdl.parse(rules, game)
    try:
        return gdl.compile(ruleset)
    except gdl.ResourceLimitError:
        return gdl.interpret(ruleset)


@lru_cache(maxsize=3 * GAMES_KEPT)
def machine_for(rules: str, game: str, user: str) -> StateMachine:
    """The machine of a game for one user, who shares nothing but states with others.

    What one strategy has the engine do may change what another one finds, and so would depend on
    who came first in this process.
    """
    machine = machine_of(rules, game)
    if not isinstance(machine, PropnetStateMachine):
        return machine
    own = machine.with_own_engine()
    own.warm_up()
    return own


class SeatedStrategy:
    """A strategy in one seat of one match: it is asked for moves, and held to its limit."""

    def __init__(self, spec: str, machine: StateMachine, limit: MoveLimit) -> None:
        self.strategy: Strategy = create(spec)
        refusal = self.strategy.refusal(machine)
        if refusal is not None:
            raise LabError(refusal)
        self.cpu = 0.0
        self._limit = limit
        self._to_prepare = limit.prepare
        self._carried = 0.0
        self._should_stop: Callable[[], bool] = lambda: False
        self._counting: InterruptibleMachine | None = None
        self.machine = machine
        if not isinstance(self.strategy, EngineStrategy):
            self._counting = InterruptibleMachine(machine, lambda: self._should_stop())
            self.machine = self._counting
        if limit.nodes is not None and self._counting is None and self.strategy.work is None:
            raise LabError(f"{spec} does not count its work: it can only be limited by seconds")

    @property
    def work(self) -> int:
        """What the strategy has done so far: what it counts, or the states that it asked for."""
        counted = self.strategy.work
        if counted is None and self._counting is not None:
            return self._counting.states
        return counted or 0

    def choose(
        self, state: State, role: Constant, random: Random, history: Sequence[Sequence[Term]] = ()
    ) -> Term:
        """The move for a position in which there is a choice; ``history`` has led to it."""
        spent = thread_time
        began = spent()
        if self._to_prepare:
            self._prepare(state, role, random)
        counts = self._limit.nodes is not None
        measure: Callable[[], float] = (lambda: self.work) if counts else spent
        limit = float(self._limit.nodes or self._limit.seconds or 0)
        first, allowed = measure(), max(limit / 2, limit + self._carried)
        piece = max(1, int(allowed)) if counts else None
        deadline = None if counts else Deadline(first + allowed, spent)
        position = Position(self.machine, state, role, random, work_slice=piece, deadline=deadline)
        self._should_stop = lambda: measure() - first >= allowed
        choice, is_full = self._search(
            position, lambda: measure() - first >= (1 - TOLERANCE) * allowed
        )
        # A search that found its proof sooner has no claim to the rest.
        self._carried = min(limit, max(-limit, allowed - (measure() - first))) if is_full else 0.0
        self.cpu += spent() - began
        return choice.move

    def _prepare(self, state: State, role: Constant, random: Random) -> None:
        """Search for the seconds before the first move."""
        deadline = Deadline.after(self._to_prepare, thread_time)
        self._to_prepare = 0.0
        self._should_stop = lambda: deadline.has_passed
        position = Position(self.machine, state, role, random, deadline=deadline)
        self._search(position, self._should_stop)

    def _search(self, position: Position, is_enough: Callable[[], bool]) -> tuple[Choice, bool]:
        """The last choice until it is enough, and whether it was; otherwise the search ended."""
        search = self.strategy.search(position)
        choice: Choice | None = None
        try:
            for choice in search:
                if choice.proved:
                    return choice, False
                if is_enough():
                    return choice, True
        except SearchInterrupted:
            return choice or Choice.first_of(position.legal_moves), True
        finally:
            if isinstance(search, Generator):
                search.close()
        return choice or Choice.first_of(position.legal_moves), False


def _player(task: PairTask, spec: str) -> SeatedStrategy | OtherVersion:
    """The player of a match, of this version or of another one."""
    if version_of(spec)[1] is None:
        return SeatedStrategy(spec, machine_for(task.rules, task.game, spec), task.limit)
    if task.limit.seconds is None:
        raise LabError(f"{spec} can only be limited by seconds: versions count work differently")
    limit = (task.limit.seconds, task.limit.prepare)
    return OtherVersion(spec, task.rules, task.game, task.memory, limit)


def play_pair(task: PairTask) -> PairResult:
    """Play two matches from the opening of a task, A first in the first seat.

    Raises :class:`LabError` where a strategy refuses the game, or does not count its work.
    """
    set_search_memory(task.memory)
    return_large_blocks()  # trees are new for each match, and were written anew as a whole
    machine = machine_of(task.rules, task.game)
    opening = [tuple(map(gdl.parse_term, moves)) for moves in task.opening.moves]
    first, second = (_play_match(task, machine, opening, seat) for seat in range(2))
    return PairResult(task.game, task.number, task.opening, (first, second))


def _play_match(
    task: PairTask, machine: StateMachine, opening: Sequence[tuple[Term, ...]], seat: int
) -> PlayedMatch:
    """Play a match; ``seat`` is that of A, among the roles that do not move by chance."""
    history, state = list(opening), machine.initial_state()
    for joint_move in opening:
        state = machine.next_state(state, joint_move)
    seats = choosers(machine)
    a, b = (_player(task, spec) for spec in task.players)
    playing = (a, b) if seat == 0 else (b, a)
    origin = f"{task.seed} {task.game} {task.number}"
    dice, steps = Random(f"{origin} dice"), 0
    while not machine.is_terminal(state) and steps < MAX_MATCH_STEPS:
        moves = []
        for role in machine.roles:
            legal = machine.legal_moves(state, role)
            if role not in seats:
                moves.append(dice.choice(legal))
            elif len(legal) == 1:
                moves.append(legal[0])
            else:
                number = seats.index(role)
                random = Random(f"{origin} {seat} {number} {steps}")
                moves.append(playing[number].choose(state, role, random, history))
        history.append(tuple(moves))
        state = machine.next_state(state, moves)
        steps += 1
    points = _points(machine, state, seats[seat], seats[1 - seat])
    return PlayedMatch(points, steps, (a.work, b.work), (a.cpu, b.cpu))


def _points(machine: StateMachine, state: State, own: Constant, other: Constant) -> float:
    if not machine.is_terminal(state):
        return 0.5
    return 0.5 + 0.005 * ((machine.goal(state, own) or 0) - (machine.goal(state, other) or 0))
