"""The findings of an analysis, each with its confidence: proved, or observed in playouts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, TypeVar

from gdl.language import Constant, Term

Value = TypeVar("Value")


class Confidence(Enum):
    """How far a finding can be relied on."""

    PROVED = "proved"
    """It follows from the rules."""
    OBSERVED = "observed"
    """All random playouts agreed with it; a match may not."""


@dataclass(frozen=True, slots=True)
class Finding(Generic[Value]):
    """An answer, and how it is known."""

    value: Value
    confidence: Confidence = Confidence.OBSERVED

    @property
    def is_proved(self) -> bool:
        """Whether the answer follows from the rules."""
        return self.confidence is Confidence.PROVED


@dataclass(frozen=True, slots=True)
class Choices:
    """A role's legal moves in the states of random playouts.

    ``mean`` is over the states in which the role has a choice; ``share`` is the share of these.
    """

    mean: float
    most: int
    share: float


@dataclass(frozen=True, slots=True)
class Turns:
    """Who is to move.

    ``one_at_a_time``: in no state does more than one role have a choice. ``alternating``: nor does
    any role have a choice in two successive states. ``dummies`` never have a choice; ``chance`` is
    the role ``random``, which is among ``choices`` too.
    """

    one_at_a_time: Finding[bool]
    alternating: Finding[bool]
    choices: Mapping[Constant, Choices]
    dummies: Finding[tuple[Constant, ...]]
    chance: Constant | None


@dataclass(frozen=True, slots=True)
class Goals:
    """What roles play for; chance, the role ``random``, is left out.

    ``values``: the goal values that each role ended with. ``means``: their means over random
    playouts. ``sum``: the sum of all utilities in every terminal state; None where it varies,
    where one role plays alone, or where the playouts all ended alike. ``rising``: the roles whose
    utility changes during a match but never falls. ``shared``: in every terminal state all roles
    had the same utility, and it varied from match to match.
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

    ``ended``: the share of random playouts that reached a terminal state before they were cut off;
    ``least``, ``mean`` and ``most`` are over these, None where there are none. ``bound``: no match
    is longer; None where no bound was found. ``clock``: the facts whose course no move can change,
    such as a step counter or strict turns.
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

    ``lines``: estimated number of lines of play, None where no playout ended. ``states``: the
    number of reachable states, None where there are too many to enumerate; ``counted``: how many
    were enumerated. ``typical``: an estimate of that number from how often random playouts meet in
    one state, None where they do not; it leaves out states that random play hardly ever reaches.

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

    ``rising`` stay true once they are true, ``falling`` stay false once they are false.
    ``deciding``: rising facts with the goal values that roles are bound to end with once the fact
    is true. All of these are proved; ``seen`` counts the facts that changed at most once in each
    playout but could not be proved to be latches.
    """

    rising: frozenset[Term] = frozenset()
    falling: frozenset[Term] = frozenset()
    deciding: Mapping[Term, tuple[tuple[Constant, int], ...]] = field(default_factory=dict)
    seen: int = 0


@dataclass(frozen=True, slots=True)
class Subgame:
    """A part of a game that later parts, or parallel parts, do not influence.

    ``facts`` and ``moves``, by role, belong to no other part. ``goals`` are the roles whose goal
    depends on the part; ``ends`` says whether the end of the match does. ``rests``: it is proved
    that its facts stay as they are while none of its moves is made.
    """

    facts: frozenset[Term]
    moves: Mapping[Constant, frozenset[Term]]
    goals: tuple[Constant, ...]
    ends: bool
    rests: bool

    @property
    def is_idle(self) -> bool:
        """Whether it matters neither to the end of the match nor to any goal.

        Its moves then only pass the time.
        """
        return not self.goals and not self.ends


@dataclass(frozen=True, slots=True)
class Decomposition:
    """The independent parts of a game, proved from its influence graph.

    Facts whose course no move can change belong to no part. ``in_series``: the parts are played
    one after the other, in their order: once a part has a move, the parts before it have none.
    ``irrelevant`` are facts on which neither moves, end nor goals depend; percepts may. ``passes``,
    by role, are moves that change only irrelevant facts: it does not matter which of them is made.
    """

    parts: tuple[Subgame, ...] = ()
    in_series: Finding[bool] = field(default_factory=lambda: Finding(False))
    irrelevant: frozenset[Term] = frozenset()
    passes: Mapping[Constant, frozenset[Term]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A permutation of facts, moves and roles that leaves the rules as they are: proved.

    Each is mapped to its image, moves with their roles; what is not listed maps to itself.
    """

    facts: Mapping[Term, Term]
    moves: Mapping[tuple[Constant, Term], tuple[Constant, Term]]
    roles: Mapping[Constant, Constant]


@dataclass(frozen=True, slots=True)
class Structure:
    """All that is known of a game, from :func:`gdl.analysis.analyse`."""

    roles: tuple[Constant, ...]
    turns: Turns
    goals: Goals
    length: Length
    size: Size
    latches: Latches | None = None
    """None, like the fields below, where there is no circuit to find them in."""
    mutex_groups: tuple[frozenset[Term], ...] = ()
    """Sets of facts of which at most one is true at a time: proved."""
    decomposition: Decomposition | None = None
    symmetries: tuple[Symmetry, ...] = ()
    """Generators of the group of all symmetries that were found."""
