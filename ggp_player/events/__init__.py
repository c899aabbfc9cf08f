"""What happens in matches, as typed events, for whoever wants to watch.

Whoever plays a match (the player server, the game manager) publishes; an archive, a page or another
program subscribes. Publishing takes microseconds, never waits and never fails, so that no move is
the later for it.

=========================  =====================================================================
event                      when
=========================  =====================================================================
:class:`MatchStarted`      a match begins, or goes on after a restart
:class:`TurnAsked`         the game manager asks for a move, or has made the joint move before
:class:`StateReached`      the state of that turn is known
:class:`Thoughts`          now and then while a search runs: what it thinks of each move
:class:`GameDescribed`     our player has found out what kind of game it is
:class:`MoveChosen`        our move is decided
:class:`StepMade`          a joint move as the game manager knows it: errors, seconds, state
:class:`StepsTakenBack`    a match that a person plays goes on from an earlier step
:class:`MatchProblem`      something does not work as it should, and the match goes on
:class:`MatchEnded`        the match is over, however it ended
=========================  =====================================================================

Start reading in :mod:`.match_events`; :mod:`.bus` delivers them, :mod:`.publisher` is what those
who play call, and :mod:`.json_lines` writes them for other programs. :mod:`.steps` is what a
player may have been told of a step.
"""

from ggp_player.events.bus import EventBus, Subscription, SubscriptionOverrunError
from ggp_player.events.match_events import (
    BestMove,
    Event,
    GameDescribed,
    MatchEnded,
    MatchProblem,
    MatchStarted,
    MatchStatusName,
    MoveChosen,
    StateReached,
    StepMade,
    StepsTakenBack,
    Thoughts,
    TurnAsked,
    rules_hash,
)
from ggp_player.events.move_table import COLUMNS, line_text, move_table_lines, value_text
from ggp_player.events.publisher import MatchPublisher
from ggp_player.events.search_view import BranchThought, MoveThought, SearchView
from ggp_player.events.steps import History, ObservedStep, Step

__all__ = [
    "COLUMNS",
    "BestMove",
    "BranchThought",
    "Event",
    "EventBus",
    "GameDescribed",
    "History",
    "MatchEnded",
    "MatchProblem",
    "MatchPublisher",
    "MatchStarted",
    "MatchStatusName",
    "MoveChosen",
    "MoveThought",
    "ObservedStep",
    "SearchView",
    "StateReached",
    "Step",
    "StepMade",
    "StepsTakenBack",
    "Subscription",
    "SubscriptionOverrunError",
    "Thoughts",
    "TurnAsked",
    "line_text",
    "move_table_lines",
    "rules_hash",
    "value_text",
]
