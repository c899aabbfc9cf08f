"""What a strategy is, and how to add one.

A strategy is a class with one method, :meth:`Strategy.search`. It gets a position and yields
choices, each at least as good as the one before; the caller keeps the last choice and owns the
clock, so a strategy need not look at the time. This one plays the last legal move::

    class Last(Strategy):
        name = "last"

        def search(self, position):
            yield Choice(position.legal_moves[-1])

A class outside this package needs no listing: ``ggp-player serve --strategy ./last.py:Last``, or
``my_package.my_module:Last``; ``docs/writing_a_strategy.md`` goes through it step by step. To add
one to this package that works on any state machine, put it in a file of its own in ``textbook/``;
one that takes several files gets a folder beside it. Then list its class in ``STRATEGIES`` in
``selection/registry.py``, and ``--strategy last`` finds it. If it takes parameters, it declares
them in its constructor, with types and defaults, and is called as ``last:depth=3``.

A strategy that needs the compiled engine, to evaluate blocks of hundreds of states at once, derives
from :class:`.EngineStrategy` instead. It is handed the compiled machine itself, and in return must
yield every few hundredths of a second, as nothing can interrupt its kernels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from random import Random
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from gdl import Constant, State, StateMachine, Term
from ggp_player.clock import Deadline

if TYPE_CHECKING:
    from ggp_player.belief import Belief


class Method(StrEnum):
    """How a move was found: for readers of the log, of the pages and of the archive."""

    ONLY_MOVE = "only move"
    FIRST_MOVE = "first legal move"
    """In place of one that a search has found."""
    RANDOM_MOVE = "random move"
    GUESS = "guess"
    """Made while the legal moves are not known."""
    SOLVED = "solved"
    """By enumerating all states, or by a proof."""
    ENUMERATION = "enumeration"
    """Of all states, which bounds the value without deciding it."""
    PROOF_SEARCH = "alpha-beta, for a proof"
    ALPHA_BETA = "alpha-beta"
    LEARNED = "alpha-beta, learned"
    TREE_SEARCH = "tree search (mcts)"
    SINGLE_PLAYOUTS = "tree search (uct)"
    MINIMAX = "minimax"
    BOUNDED_MINIMAX = "minimax, bounded"
    MAX_N = "max^n"
    DELIBERATION = "deliberation"
    PLAN = "plan"
    INFORMATION_SETS = "tree search (information sets)"
    EXPECTIMAX = "expectimax"
    EQUILIBRIUM = "equilibrium"


class Limit(StrEnum):
    """Why a search has ended though its value is not proved, or why its tree grows no more."""

    DEPTH = "depth limit reached"
    NODES = "node limit reached"
    STATES = "state limit reached"
    MEMORY = "memory limit reached"
    PLAYOUTS = "playout limit reached"
    ITERATIONS = "iteration limit reached"
    STACK = "stack exhausted"
    BOUND = "bound reached"
    """The value is as good, or as bad, as it matters."""


@dataclass(frozen=True, slots=True)
class Position:
    """A state to choose a move in, seen from one role; never a terminal one.

    With a ``belief`` the role is not told the state, now or later in the match, and ``state`` is
    only one of those that are possible.

    ``work_slice`` is how much :attr:`Strategy.work` a search that counts it does from one choice to
    the next, about, for a caller who stops it by its work; None for one who stops it by a clock.

    ``deadline`` says when the caller is likely to take the last choice: advice for a search that
    has something to prepare. The search may go on for longer, as while others think. It is None
    where nobody has said so.
    """

    machine: StateMachine
    state: State
    role: Constant
    random: Random = field(default_factory=lambda: Random(0))
    belief: Belief | None = None
    work_slice: int | None = None
    deadline: Deadline | None = None

    @property
    def seconds(self) -> float | None:
        """Seconds until the deadline, by the caller's clock: 0 after it, None without one."""
        return self.deadline.remaining if self.deadline is not None else None

    def work_until(self, done: int, usual: int) -> int:
        """How much to do until the next choice, at least 1, where so much is done already.

        That is what is missing to a multiple of ``work_slice``, where that is a sixteenth of it or
        more, otherwise to the next one; or what is ``usual`` by a clock.
        """
        if self.work_slice is None:
            return usual
        missing = self.work_slice - done % self.work_slice
        return missing if 16 * missing >= self.work_slice else missing + self.work_slice

    @property
    def legal_moves(self) -> tuple[Term, ...]:
        """The role's legal moves; at least one. It knows them, whatever the state is."""
        return self.machine.legal_moves(self.state, self.role)


class Counts(NamedTuple):
    """What a search has counted, over the match or in its position; None where it does not count.

    ``depth`` is in steps. The text is what readers are told:

    >>> print(Counts(depth=5, nodes=120))
    depth 5, 120 nodes
    """

    depth: int | None = None
    playouts: int | None = None
    iterations: int | None = None
    nodes: int | None = None
    states: int | None = None

    @property
    def known(self) -> dict[str, int]:
        """Those that are counted, by name."""
        return {name: int(count) for name, count in self._asdict().items() if count is not None}

    def __str__(self) -> str:
        return ", ".join(
            f"depth {count}" if name == "depth" else f"{count} {name}"
            for name, count in self.known.items()
        )


NO_COUNTS = Counts()


@dataclass(frozen=True, slots=True)
class Choice:
    """A move, and what the strategy thinks of it.

    ``value`` is the role's expected goal value, 0 to 100, None where the strategy has no opinion.
    ``proved`` says that the value is exact under the strategy's own assumptions: further search
    cannot change the move. ``method`` says how the move was found, in the words of
    :class:`.Method`; where it is empty, the strategy's own holds. ``counts`` has what the search
    has counted, ``note`` what readers are told in place of that, if anything, and ``limit`` what
    has ended the search.
    """

    move: Term
    value: float | None = None
    proved: bool = False
    note: str = ""
    method: str = ""
    counts: Counts = NO_COUNTS
    limit: Limit | None = None

    @staticmethod
    def first_of(moves: Sequence[Term], note: str = "", limit: Limit | None = None) -> Choice:
        """The first of some legal moves, in place of one that a search has found."""
        return Choice(moves[0], note=note, method=Method.FIRST_MOVE, limit=limit)

    @property
    def details(self) -> str:
        """The note, or else the counts, and the limit, as all readers are told them."""
        return ", ".join(filter(None, (self.note or str(self.counts), self.limit)))

    @property
    def explanation(self) -> str:
        """How the move was found, and the details."""
        return "; ".join(filter(None, (self.method, self.details)))


@dataclass(frozen=True, slots=True)
class BranchReport:
    """A joint move in the tree of the lines that a search has visited most, and what follows it.

    ``value`` is the expected goal value of the role that searches, None where it is not known.
    ``visits`` counts how often the search went this way; ``children`` are the next joint moves,
    the most visited first, and have no more visits together.
    """

    joint_move: tuple[Term, ...]
    value: float | None
    visits: int
    children: tuple[BranchReport, ...] = ()


@dataclass(frozen=True, slots=True)
class MoveReport:
    """What a search has found out about one legal move, for reports and drawings.

    ``value`` is as in :class:`Choice`. ``bounds`` are the lowest and the highest value that the
    move can still have: equal where it is proved. ``visits`` counts how often the search went
    through the move, None where it does not count. ``line`` holds the joint moves, in role order,
    that the search expects from here; this move is in the first one. ``branch`` is the part of the
    tree of the most visited lines that begins with it, None where there is none.
    """

    move: Term
    value: float | None = None
    visits: int | None = None
    bounds: tuple[float, float] = (0, 100)
    line: tuple[tuple[Term, ...], ...] = ()
    branch: BranchReport | None = None

    @property
    def proved(self) -> bool:
        """Whether the value is exact."""
        low, high = self.bounds
        return low == high


class Strategy(ABC):
    """A way to choose moves. One object plays one role in one match, from start to stop."""

    name: ClassVar[str]
    method: ClassVar[str] = ""
    """How it finds moves, for readers; its name where it does not say."""
    ponders: ClassVar[bool] = False
    """Whether it gains from searching while others think."""
    looks_ahead: ClassVar[bool] = True
    """Whether it searches at all, and so gains from compiled rules."""
    plays_by_belief: ClassVar[bool] = False
    """Whether it can choose a move where the state is not known, but a :class:`.Belief` is."""

    def refusal(self, machine: StateMachine) -> str | None:
        """Say why the strategy cannot play the game; None if it can."""
        return None

    def refusal_of_belief(self) -> str | None:
        """Say why the strategy cannot play where the state is hidden; None if it can."""
        if self.plays_by_belief:
            return None
        return f"{self.name} needs to know the state, and this match hides it from the players"

    @abstractmethod
    def search(self, position: Position) -> Iterator[Choice]:
        """Yield choices that only improve.

        It may go on for ever. Where it ends and the last choice is not proved, more could be found:
        its ``limit`` says which one was reached.
        """

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Report what the search of the position, ended or stopped, knows of each legal move.

        In any order; moves may be missing, and a strategy without reports returns nothing.
        """
        return ()

    @property
    def work(self) -> int | None:
        """How much it has searched since it was made; None where it does not count.

        A search by playouts counts these, alpha-beta on blocks the nodes that it visits,
        enumeration the joint moves that it makes; a search of several parts adds them up. So equal
        work means equal means for two settings of one search, and no more than that for two kinds.
        A strategy on any state machine need not count: its work is the number of next states that
        it asks the machine for.
        """
        return None

    @property
    def steps_left(self) -> float | None:
        """How many steps the match still takes, by what the latest search has seen; or None."""
        return None

    @property
    def about_game(self) -> str:
        """What it has found out about the game as a whole; it may be more later."""
        return ""

    def credited(self, choice: Choice) -> Choice:
        """A choice of its own that says how it was found."""
        if choice.method:
            return choice
        return replace(choice, method=self.method or getattr(self, "name", type(self).__name__))


class LoneStrategy(Strategy):
    """A strategy for games of one role; it refuses other games."""

    def refusal(self, machine: StateMachine) -> str | None:
        """Refuse games in which somebody else moves."""
        if len(machine.roles) == 1:
            return None
        roles = ", ".join(map(str, machine.roles))
        return f"{self.name} is for games of one role, and this one has {roles}"
