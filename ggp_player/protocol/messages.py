"""The messages between game manager and player, as values; the same in every dialect.

========  ======================================  ===========================================
command   arguments                               reply
========  ======================================  ===========================================
INFO                                              :class:`InfoReply`
PING                                              ``ready``; ``nil`` in a match
PREVIEW   rules, preview clock                    ``ready``; ``busy`` in a match
START     match id, role, rules, start clock,     ``ready`` once prepared; ``busy`` in a match
          play clock
PLAY      match id, last joint move or NIL        our move
STOP      match id, last joint move or NIL        ``done``
ABORT     match id                                ``aborted``
========  ======================================  ===========================================

PLAY, STOP and ABORT for a match that we do not play get ``busy``; a message that cannot be
understood gets a sentence that begins with ``error:``. Which message is in order when, says
:mod:`ggp_player.protocol.lifecycle`.

How a message is written is a matter of the dialect, and each dialect is a file:
:mod:`ggp_player.protocol.prefix` is the only one so far. The rules of a START are text here too:
they come from strangers, and are parsed where that can do no harm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from gdl import Term

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
    """A match begins. ``rules`` is the rulesheet's text, the clocks are in seconds."""

    match_id: str
    role: str
    rules: str
    start_clock: int
    play_clock: int


@dataclass(frozen=True, slots=True)
class Play:
    """A move is asked for. ``moves`` is the joint move of the last step, in role order.

    Before the first step ``moves`` is empty, and ``word`` is what was sent instead. A manager
    that is not exact sends a lone move there: in a game with one role, ``word`` can be a move.
    """

    match_id: str
    moves: tuple[Term, ...] = ()
    word: str = NIL


@dataclass(frozen=True, slots=True)
class Stop:
    """The match is over; ``moves`` and ``word`` are as in :class:`Play`."""

    match_id: str
    moves: tuple[Term, ...] = ()
    word: str = NIL


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
