"""What an analysis can say of a game, and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, TypeVar

from gdl.language import Constant, Term

Value = TypeVar("Value")


class Certainty(Enum):
    """How a finding is known."""

    PROVED = "proved"
    """It follows from the rules."""
    OBSERVED = "observed"
    """All random playouts agreed with it; a match may not."""


@dataclass(frozen=True, slots=True)
class Finding(Generic[Value]):
    """An answer, and how it is known."""

    value: Value
    certainty: Certainty = Certainty.OBSERVED

    @property
    def is_proved(self) -> bool:
        """Whether the answer follows from the rules."""
        return self.certainty is Certainty.PROVED


@dataclass(frozen=True, slots=True)
class Choices:
    """A role's legal moves in the states of random playouts.

    ``mean`` counts the states in which the role has a choice, ``share`` is their part of all.
    """

    mean: float
    most: int
    share: float


@dataclass(frozen=True, slots=True)
class Turns:
    """Who is to move.

    ``one_at_a_time``: in no state does more than one role have a choice. ``alternating``: so, and
    no role has a choice at two steps running. ``dummies`` never have a choice; ``chance`` is the
    role ``random``, which is among ``choices`` too.
    """

    one_at_a_time: Finding[bool]
    alternating: Finding[bool]
    choices: Mapping[Constant, Choices]
    dummies: Finding[tuple[Constant, ...]]
    chance: Constant | None


@dataclass(frozen=True, slots=True)
class Goals:
    """What roles play for; chance, the role ``random``, is left out.

    ``values``: the goal values that each role ended with. ``means``: those of random playouts.
    ``sum``: what the utilities of all roles add up to at every end, None where that differs, where
    one role plays alone, or where the playouts all ended alike. ``rising``: the roles that have
    different utilities while a match goes on, which never fall. ``shared``: all were given the
    same at every end, and not always as much.
    """

    values: Mapping[Constant, Finding[tuple[int, ...]]]
    means: Mapping[Constant, float]
    sum: Finding[int | None]
    rising: Finding[tuple[Constant, ...]]
    shared: bool = False

    @property
    def is_rivalry(self) -> bool:
        """Whether two roles play for a constant sum: what is good for one is bad for the other."""
        return len(self.values) == 2 and self.sum.value is not None


@dataclass(frozen=True, slots=True)
class Length:
    """How long matches are, in steps.

    ``ended``: the part of the random playouts that came to an end before they were broken off;
    the figures are those of these, None where there are none. ``bound``: no match is longer, None
    where no bound was found. ``clock``: the facts whose course no move can change, such as a step
    counter or strict turns.
    """

    playouts: int
    ended: float
    least: int | None
    mean: float | None
    most: int | None
    bound: Finding[int | None]
    clock: frozenset[Term] = frozenset()


@dataclass(frozen=True, slots=True)
class Size:
    """How large a game is.

    ``lines``: estimated number of lines of play, None where no playout ended. ``states``: how many
    states can be reached, None where there are more than were counted through, ``counted``;
    ``typical``: how many there seem to be by how often random playouts meet, None where they do
    not. States that are hardly ever come to at random are not among the last.

    Source of the estimate of lines: D. Knuth, Estimating the Efficiency of Backtrack Programs
    (1975).
    """

    lines: float | None
    states: int | None
    counted: int
    typical: int | None = None


@dataclass(frozen=True, slots=True)
class Latches:
    """Facts that can change only once.

    ``rising`` stay true once they are, ``falling`` stay false once they are not. ``deciding``: a
    rising fact with the goal value that the role is bound to end with once it is true. All of
    these are proved; ``seen`` counts the facts that looked so but could not be proved.
    """

    rising: frozenset[Term] = frozenset()
    falling: frozenset[Term] = frozenset()
    deciding: Mapping[Term, tuple[tuple[Constant, int], ...]] = field(default_factory=dict)
    seen: int = 0


@dataclass(frozen=True, slots=True)
class Subgame:
    """A part of a game that later parts, or parts at its side, do not influence.

    ``facts`` and ``moves``, by role, belong to no other part. ``goals`` are the roles whose goal
    depends on it, ``ends`` tells whether the end of the match does. ``rests``: it is proved that
    its facts stay as they are while none of its moves is made.
    """

    facts: frozenset[Term]
    moves: Mapping[Constant, frozenset[Term]]
    goals: tuple[Constant, ...]
    ends: bool
    rests: bool

    @property
    def is_idle(self) -> bool:
        """Whether it matters neither to the end of the match nor to any goal.

        Its moves are then worth no more than the time that they take.
        """
        return not self.goals and not self.ends


@dataclass(frozen=True, slots=True)
class Decomposition:
    """The parts of a game, proved from what depends on what.

    Facts whose course no move can change belong to no part. ``in_series``: the parts are played
    one after the other, in their order: once one has a move, those before have none.
    ``irrelevant`` are facts on which neither moves, end nor goals depend; percepts may. ``passes``,
    by role, are moves that change no other facts: whichever of them is made, the same follows.
    """

    parts: tuple[Subgame, ...] = ()
    in_series: Finding[bool] = field(default_factory=lambda: Finding(False))
    irrelevant: frozenset[Term] = frozenset()
    passes: Mapping[Constant, frozenset[Term]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A way to exchange facts, moves and roles that leaves the game as it is: proved.

    Each is mapped to what takes its place, moves with their roles; what is not listed stays.
    """

    facts: Mapping[Term, Term]
    moves: Mapping[tuple[Constant, Term], tuple[Constant, Term]]
    roles: Mapping[Constant, Constant]


@dataclass(frozen=True, slots=True)
class Structure:
    """What is known of a game; see the parts. Made by :func:`gdl.analysis.analyse`."""

    roles: tuple[Constant, ...]
    turns: Turns
    goals: Goals
    length: Length
    size: Size
    latches: Latches | None = None
    """None, like the rest, where there is no network to find them in."""
    groups: tuple[frozenset[Term], ...] = ()
    """Sets of facts of which at most one is true at a time: proved."""
    division: Decomposition | None = None
    symmetries: tuple[Symmetry, ...] = ()
    """Generators of the group of all that were found."""
