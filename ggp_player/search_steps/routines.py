"""Which functions of each textbook strategy are watched, and what is to be read in their frames.

Nothing here says which line does what: lines are those that run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from inspect import unwrap
from types import CodeType, MappingProxyType
from typing import Any

from gdl import Constant
from ggp_player.strategies import Strategy
from ggp_player.strategies.textbook import alpha_beta, game_tree
from ggp_player.strategies.textbook.alpha_beta import AlphaBeta, AlphaBetaTree
from ggp_player.strategies.textbook.bounded_minimax import BoundedMinimax, BoundedSearch
from ggp_player.strategies.textbook.deliberation import Deliberation, DeliberationSearch
from ggp_player.strategies.textbook.depth_limited import DepthLimitedTree
from ggp_player.strategies.textbook.max_n import MaxN, MaxNTree
from ggp_player.strategies.textbook.minimax import Minimax, MinimaxSearch
from ggp_player.strategies.textbook.negamax import NegamaxTree

Locals = Mapping[str, Any]


class RoutinePart(Enum):
    """What a function does for the tree."""

    ROOT = "a generator that compares the moves of the root: a new tree"
    CHOICE = "a role chooses, or the match ends, or the depth does"
    PASSING = "it leads on, in the same node"
    BODY = "the rest of its caller's, in the same node"
    TABLE = "it answers from a table, or leads on"
    DEEPENING = "a generator that has one tree searched after the other"
    MOVING = "it makes a joint move: no node, but it says which move leads to which state"


def _nobody(_: Locals) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Routine:
    """A watched function.

    ``chooser`` finds in a frame who chooses there, None where nobody does. ``value`` names the
    variable that has the value so far, ``shown`` those that a step shows, in which a change is a
    step. ``is_own_view`` says that values are seen by the role that chooses.
    """

    code: CodeType
    part: RoutinePart
    chooser: Callable[[Locals], Constant | None]
    value: str
    shown: tuple[str, ...]
    is_own_view: bool


def _player(frame: Locals) -> Constant | None:
    role: Constant = frame["self"].role
    return role


def _opponent(frame: Locals) -> Constant | None:
    """The opponent that follows ``moves``, None after the last."""
    chosen, opponents = len(frame["moves"]), frame["self"].opponents
    return opponents[chosen - 1] if chosen <= len(opponents) else None


def _following(frame: Locals) -> Constant | None:
    """The role that follows ``moves``, None after the last."""
    chosen, order = len(frame["moves"]), frame["self"].order
    return order[chosen] if chosen < len(order) else None


def _own(frame: Locals) -> Constant | None:
    role: Constant = frame["role"]
    return role


def _root(frame: Locals) -> Constant | None:
    role: Constant = frame["tree"].role
    return role


def _routine(
    function: Callable[..., Any],
    part: RoutinePart,
    chooser: Callable[[Locals], Constant | None] = _nobody,
    value: str = "",
    shown: tuple[str, ...] = (),
    is_own_view: bool = False,
) -> Routine:
    """Watch a function, or the table of one that is :func:`remembered` or :func:`transposed`."""
    watched = function if part is RoutinePart.TABLE else unwrap(function)
    return Routine(watched.__code__, part, chooser, value, shown, is_own_view)


def _minimax(search: type[MinimaxSearch | BoundedSearch]) -> tuple[Routine, ...]:
    return (
        _routine(search.bestmove, RoutinePart.ROOT, _player, "score", ("score",)),
        _routine(search.maxscore, RoutinePart.CHOICE, _player, "score", ("score",)),
        _routine(search.minscore, RoutinePart.CHOICE, _opponent, "score", ("score",)),
        _routine(search.maxscore, RoutinePart.TABLE),
    )


_WINDOW = ("alpha", "beta", "depth")

_DEEPENING = _routine(game_tree.iterative_deepening, RoutinePart.DEEPENING)

_ALPHA_BETA = (
    _DEEPENING,
    _routine(alpha_beta.bestmove, RoutinePart.ROOT, _root, "alpha", ("alpha", "depth")),
    _routine(AlphaBetaTree.score, RoutinePart.PASSING),
    _routine(AlphaBetaTree.maxscore, RoutinePart.CHOICE, _player, "", _WINDOW),
    _routine(AlphaBetaTree.minscore, RoutinePart.CHOICE, _opponent, "", _WINDOW),
    _routine(AlphaBetaTree.meanscore, RoutinePart.BODY, _nobody, "", ("total",)),
    _routine(NegamaxTree.score, RoutinePart.PASSING),
    _routine(NegamaxTree.negamax, RoutinePart.CHOICE, _own, "", _WINDOW, is_own_view=True),
    _routine(NegamaxTree.negamax, RoutinePart.TABLE),
    _routine(DepthLimitedTree.after, RoutinePart.MOVING),
)

_MAX_N = (
    _DEEPENING,
    _routine(MaxNTree.bestmove, RoutinePart.ROOT, _player, "", ("depth",)),
    _routine(MaxNTree.utilities, RoutinePart.TABLE),
    _routine(MaxNTree._searched, RoutinePart.PASSING),
    _routine(MaxNTree.picked, RoutinePart.CHOICE, _following, "", ("vectors", "depth")),
)

_DELIBERATION = (
    _DEEPENING,
    _routine(DeliberationSearch.bestmove, RoutinePart.ROOT, _player, "", ("depth",)),
    _routine(DeliberationSearch.maxscore, RoutinePart.CHOICE, _player, "score", ("score", "depth")),
    _routine(DeliberationSearch.maxscore, RoutinePart.TABLE),
)

ROUTINES: Mapping[type[Strategy], tuple[Routine, ...]] = MappingProxyType(
    {
        Minimax: _minimax(MinimaxSearch),
        BoundedMinimax: _minimax(BoundedSearch),
        AlphaBeta: _ALPHA_BETA,
        MaxN: _MAX_N,
        Deliberation: _DELIBERATION,
    }
)
"""The watched functions of each strategy that follows lines of play."""
