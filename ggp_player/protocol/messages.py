"""The messages between game manager and player, as values; the same in every dialect.

========  ======================================  ===========================================
command   arguments                               reply
========  ======================================  ===========================================
INFO                                              :class:`InfoReply`
PING                                              ``ready``; ``nil`` in a match
PREVIEW   rules, preview clock                    ``ready``; ``busy`` in a match
START     match id, role, rules, start clock,     ``ready`` once prepared; ``busy`` in a match
          play clock
PLAY      match id, last step or NIL              our move
STOP      match id, last step or NIL              ``done``
ABORT     match id                                ``aborted``
========  ======================================  ===========================================

PLAY, STOP and ABORT for a match that we do not play get ``busy``; a message that cannot be
understood gets a sentence that begins with ``error:``. Which message is in order when, says
:mod:`ggp_player.protocol.lifecycle`.

How a message is written is a matter of the dialect: :mod:`ggp_player.protocol.dialects` has the
table of them, and of which has which message. The rules of a START are text here too: they come
from strangers, and are parsed where that can do no harm.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from gdl import Term
from gdl.language import Notation

_SEES = re.compile(r"\bsees\b", re.IGNORECASE)

NIL = "NIL"
"""What a manager sends instead of moves before there are any."""

READY = "ready"
BUSY = "busy"
DONE = "done"
ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class Info:
    """The game manager asks who we are and whether we are free."""


@dataclass(frozen=True, slots=True)
class Ping:
    """The game manager asks whether we are there."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The game manager shows a rulesheet before any match; ``clock`` is in seconds."""

    rules: str
    clock: int


@dataclass(frozen=True, slots=True)
class Start:
    """A match begins. ``rules`` is the rulesheet's text, the clocks are in seconds.

    ``notation`` is that of the message, and so of all replies in the match.
    """

    match_id: str
    role: str
    rules: str
    start_clock: int
    play_clock: int
    notation: Notation = Notation.KIF

    @property
    def has_percepts(self) -> bool:
        """Whether the rules seem to say what roles see, so that a player may be told just that."""
        return _SEES.search(self.rules) is not None


@dataclass(frozen=True, slots=True)
class Observation:
    """What our role is told of a step: the move made for it, and its percepts, in no order.

    ``move`` is None where the dialect does not tell it.
    """

    move: Term | None = None
    percepts: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class StepTold:
    """What tells of the last step. ``moves`` is its joint move, in role order.

    Where our role is told only what it may know, that is in ``observation``. A dialect without
    turns sends the one list or the other, and does not say which: then it is in ``moves``, unless
    it is empty. Before the first step there is neither, and ``word`` is what was sent instead. A
    manager that is not exact sends a lone move there: in a game with one role, ``word`` can be a
    move. ``turn`` is how many steps were made, where the dialect counts them.
    """

    match_id: str
    moves: tuple[Term, ...] = ()
    word: str = NIL
    turn: int | None = None
    observation: Observation | None = None


@dataclass(frozen=True, slots=True)
class Play(StepTold):
    """A move is asked for."""


@dataclass(frozen=True, slots=True)
class Stop(StepTold):
    """The match is over."""


@dataclass(frozen=True, slots=True)
class Abort:
    """The match is given up, wherever it stands."""

    match_id: str


MatchRequest: TypeAlias = Start | Play | Stop | Abort
"""A request that belongs to a match."""

Request: TypeAlias = Info | Ping | Preview | MatchRequest


COMMANDS: Mapping[str, type[Request]] = MappingProxyType(
    {kind.__name__.upper(): kind for kind in (Info, Ping, Preview, Start, Play, Stop, Abort)}
)
"""Every request by its command."""

CHANGING_COMMANDS = frozenset({"START", "PLAY", "STOP", "ABORT"})
"""The commands of requests that begin, go on with or end a match."""


@dataclass(frozen=True, slots=True)
class InfoReply:
    """The reply to INFO. Schedulers give matches to a player whose status is ``available``.

    No value has a blank in it: managers leave blanks out.
    """

    name: str = ""
    status: str = ""
    species: str = ""
