"""The lifecycle of matches: which request is in order when, and what to do about it.

Theory of operation
===================

A game manager sends START, then PLAY again and again, then STOP; ABORT ends a match anywhere.
That is the plan. In fact requests overlap, repeat and go astray, because managers do not wait
for us beyond the clock and nothing in the protocol marks a request that is sent twice::

                     PLAY              our reply
      START         +------> CHOOSING ----------+
    --------> STARTING          ^               |
                    |           | PLAY          v
                    +--------------------> WAITING        STOP, ABORT or a long silence
                      our reply                           lead from every phase to OVER,
                                                          and so do rules without a meaning

A match is *starting* while START is open, *waiting* between our reply and the next request,
*choosing* while a PLAY is open, and *over* when its id means nothing any more. :data:`TABLE` holds
every event in every phase with the next phase and the outcome, which says what to do. The rules
behind its lines:

- The newest request is what the game manager wants now. A request that is still open is answered
  at once with the best move so far, and the newer one is served. This covers PLAY while START
  is open (the other players were faster), the next PLAY while a PLAY is open (our reply was late
  or lost), and STOP and ABORT, where both requests are answered.
- Moves are applied once. A PLAY equal to the one that is open is the same PLAY sent again, and
  gets the same reply. After our reply it cannot be distinguished from a new turn in which everybody
  moved as before; it counts as a new turn, and the match tracker, which knows the legal moves,
  decides. A PLAY without moves can only be the first: after the first it brings nothing new, and
  gets the last reply again.
- Where steps are counted, a PLAY of a turn that we have had is the same PLAY, whenever it comes,
  and gets the same reply.
- A running match is never disturbed by the START of another, nor by a second START of its own:
  both are answered ``busy``, as are requests for a match that we do not play.
- A match belongs to the sender of its START. To everybody else it is unknown.
- A match that nobody stops ends by itself, or it would block other matches for ever; and one whose
  rules cannot be played ends when that is known.

Nothing here waits or computes; :mod:`ggp_player.server.player` acts on the outcomes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from ggp_player.protocol.messages import NIL, Abort, MatchRequest, Observation, Play, Start, Stop


class Phase(StrEnum):
    """Where a match stands."""

    ABSENT = "absent"
    STARTING = "starting"
    WAITING = "waiting"
    CHOOSING = "choosing"
    OVER = "over"


class Event(StrEnum):
    """What can happen to a match."""

    START = "START"
    PLAY = "PLAY"
    PLAY_AGAIN = "PLAY again"
    STOP = "STOP"
    ABORT = "ABORT"
    REPLIED = "our reply"
    SILENCE = "a long silence"
    UNPLAYABLE = "the rules cannot be played"


class Outcome(StrEnum):
    """What to do about an event."""

    PREPARE = "search until the start clock is over, then reply ready"
    CHOOSE = "answer what is open, apply the moves, search, reply with a move"
    REPEAT = "reply as to the same request before, once that reply is there"
    FINISH = "answer what is open, apply the moves, reply done"
    GIVE_UP = "answer what is open, reply aborted"
    DROP = "drop the match"
    BUSY = "reply busy"
    NOTHING = "nothing"


_NOT_OURS = {
    Event.PLAY: (Phase.ABSENT, Outcome.BUSY),
    Event.PLAY_AGAIN: (Phase.ABSENT, Outcome.BUSY),
    Event.STOP: (Phase.ABSENT, Outcome.BUSY),
    Event.ABORT: (Phase.ABSENT, Outcome.BUSY),
    Event.REPLIED: (Phase.ABSENT, Outcome.NOTHING),
    Event.SILENCE: (Phase.ABSENT, Outcome.NOTHING),
    Event.UNPLAYABLE: (Phase.ABSENT, Outcome.NOTHING),
}

_FROM_EVERYWHERE = {
    Event.STOP: (Phase.OVER, Outcome.FINISH),
    Event.ABORT: (Phase.OVER, Outcome.GIVE_UP),
    Event.SILENCE: (Phase.OVER, Outcome.DROP),
    Event.UNPLAYABLE: (Phase.OVER, Outcome.DROP),
}

TABLE: Mapping[Phase, Mapping[Event, tuple[Phase, Outcome]]] = MappingProxyType(
    {
        Phase.ABSENT: {
            Event.START: (Phase.STARTING, Outcome.PREPARE),
            **_NOT_OURS,
        },
        Phase.STARTING: {
            Event.START: (Phase.STARTING, Outcome.BUSY),
            Event.PLAY: (Phase.CHOOSING, Outcome.CHOOSE),
            Event.PLAY_AGAIN: (Phase.CHOOSING, Outcome.CHOOSE),
            Event.REPLIED: (Phase.WAITING, Outcome.NOTHING),
            **_FROM_EVERYWHERE,
        },
        Phase.WAITING: {
            Event.START: (Phase.WAITING, Outcome.BUSY),
            Event.PLAY: (Phase.CHOOSING, Outcome.CHOOSE),
            Event.PLAY_AGAIN: (Phase.WAITING, Outcome.REPEAT),
            Event.REPLIED: (Phase.WAITING, Outcome.NOTHING),
            **_FROM_EVERYWHERE,
        },
        Phase.CHOOSING: {
            Event.START: (Phase.CHOOSING, Outcome.BUSY),
            Event.PLAY: (Phase.CHOOSING, Outcome.CHOOSE),
            Event.PLAY_AGAIN: (Phase.CHOOSING, Outcome.REPEAT),
            Event.REPLIED: (Phase.WAITING, Outcome.NOTHING),
            **_FROM_EVERYWHERE,
        },
        Phase.OVER: {
            Event.START: (Phase.OVER, Outcome.BUSY),
            **{event: (Phase.OVER, outcome) for event, (_, outcome) in _NOT_OURS.items()},
        },
    }
)
"""The next phase and the outcome, for every event in every phase."""


@dataclass(slots=True)
class Match:
    """One match, from its START to its end. ``newest`` is the latest START or PLAY accepted.

    ``owner`` is the sender whose requests count, ``match_id`` what the game manager calls it.
    """

    start: Start
    owner: str = ""
    phase: Phase = Phase.ABSENT
    newest: Start | Play = field(init=False)
    match_id: str = field(init=False)

    def __post_init__(self) -> None:
        self.newest, self.match_id = self.start, self.start.match_id

    def receive(self, request: MatchRequest) -> Outcome:
        """Decide what a request with this match's id leads to, and move to its next phase."""
        outcome = self.apply(self._event(request))
        if outcome is Outcome.CHOOSE and isinstance(request, Play):
            self.newest = request
        return outcome

    def replied(self, request: Start | Play) -> None:
        """Note that a request has its reply. Only the newest request changes the phase."""
        if request is self.newest:
            self.apply(Event.REPLIED)

    def apply(self, event: Event) -> Outcome:
        """Move to the phase that follows an event, and return what to do about it."""
        self.phase, outcome = TABLE[self.phase][event]
        return outcome

    def _event(self, request: MatchRequest) -> Event:
        match request:
            case Start():
                return Event.START
            case Play():
                return Event.PLAY_AGAIN if self._is_repeated(request) else Event.PLAY
            case Stop():
                return Event.STOP
            case Abort():
                return Event.ABORT

    def _is_repeated(self, play: Play) -> bool:
        if isinstance(self.newest, Start):
            return False
        if play.turn is not None and self.newest.turn is not None:
            return play.turn <= self.newest.turn
        brings_nothing = not play.moves and play.word.upper() == NIL
        if play.observation is not None:
            brings_nothing = play.observation == Observation() and not self.start.has_percepts
        return brings_nothing or (self.phase is Phase.CHOOSING and play == self.newest)


class Matches:
    """The matches that a player is in, at most ``limit`` at a time."""

    def __init__(self, limit: int = 1) -> None:
        self._limit = limit
        self._matches: dict[str, Match] = {}

    def __len__(self) -> int:
        return len(self._matches)

    @property
    def free(self) -> int:
        """How many more matches there can be."""
        return max(0, self._limit - len(self._matches))

    @property
    def are_full(self) -> bool:
        """Whether a START would be answered ``busy``."""
        return self.free == 0

    def resume(self, start: Start, owner: str = "") -> Match:
        """Go on with a match that was begun before a restart, and waits for its next PLAY."""
        match = self._matches[start.match_id] = Match(start, owner, Phase.WAITING)
        return match

    def are_for(self, sender: str, match_id: str) -> bool:
        """Whether there is a match of this id that belongs to this sender."""
        match = self._matches.get(match_id)
        return match is not None and match.owner == sender

    def receive(self, request: MatchRequest, sender: str = "") -> tuple[Match | None, Outcome]:
        """Hand a request to its match, None for an unknown id, and decide what it leads to.

        The id of a match that belongs to another sender is as unknown as any other. A START makes a
        match if there is room for one. A match that the request ends is no longer counted when this
        returns.
        """
        match = self._matches.get(request.match_id)
        if match is None:
            if not isinstance(request, Start) or self.are_full:
                return None, Outcome.BUSY
            match = self._matches[request.match_id] = Match(request, sender)
        if match.owner != sender:
            return None, Outcome.BUSY
        outcome = match.receive(request)
        self._clear(match)
        return match, outcome

    def end(self, match: Match, event: Event) -> Outcome:
        """End a match after a long silence, or as its rules cannot be played."""
        outcome = match.apply(event)
        self._clear(match)
        return outcome

    def _clear(self, match: Match) -> None:
        if match.phase is Phase.OVER and self._matches.get(match.match_id) is match:
            del self._matches[match.match_id]
