"""What a match's player, or its game manager, calls to tell what happens in it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace

from ggp_player.clock import WallClock, wall_clock
from ggp_player.events.bus import EventBus
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
)
from ggp_player.events.search_view import SearchView
from ggp_player.events.steps import ObservedStep, Step


def new_match_key() -> str:
    """Make a key that no other match has."""
    return uuid.uuid4().hex


class MatchPublisher:
    """Publishes the events of one match, with its key and the time.

    Nothing is published after the end of the match. ``turn`` is that of the last TURN or step.
    """

    def __init__(
        self,
        bus: EventBus,
        clock: WallClock = wall_clock,
        new_key: Callable[[], str] = new_match_key,
    ) -> None:
        self.match = new_key()
        self.turn = 0
        self._bus = bus
        self._clock = clock
        self._is_over = False

    @property
    def wants_thoughts(self) -> bool:
        """Whether anybody wants thoughts."""
        return self._bus.wants_thoughts

    def started(self, event: MatchStarted, time: int | None = None) -> None:
        """Tell that the match begins; key and time of the event are filled in."""
        self.turn = len(event.history)
        now = self._clock() if time is None else time
        self._publish(replace(event, match=self.match, time=now))

    def turn_asked(self, turn: int, step: Step, clock: float, seconds: float) -> None:
        """Tell that a move is asked for, of which the clocks are in seconds."""
        self.turn = turn
        joint_move, observation = _told(step)
        self._publish(
            TurnAsked(
                match=self.match,
                time=self._clock(),
                turn=turn,
                joint_move=joint_move,
                observation=observation,
                clock=clock,
                seconds=seconds,
            )
        )

    def tell(self, event: StateReached | GameDescribed | StepMade | StepsTakenBack) -> None:
        """Tell what has happened; the key is filled in, and the time of all but a step made."""
        if isinstance(event, StepMade | StepsTakenBack):
            self.turn = event.step
        time = event.time if isinstance(event, StepMade) else self._clock()
        self._publish(replace(event, match=self.match, time=time))

    def thoughts(self, turn: int, view: SearchView) -> None:
        """Tell what a search thinks."""
        values = {name: getattr(view, name) for name in SearchView.__dataclass_fields__}
        self._publish(Thoughts(match=self.match, time=self._clock(), turn=turn, **values))

    def move_chosen(
        self, turn: int, best: BestMove, seconds: float, margin_left: float | None = None
    ) -> None:
        """Tell our move of a turn, and after how many seconds it was decided."""
        values = {name: getattr(best, name) for name in BestMove.__dataclass_fields__}
        self._publish(
            MoveChosen(
                match=self.match,
                time=self._clock(),
                turn=turn,
                **values,
                seconds=seconds,
                margin_left=margin_left,
            )
        )

    def problem(self, text: str) -> None:
        """Tell what does not work as it should, in this turn."""
        event = MatchProblem(match=self.match, time=self._clock(), turn=self.turn, text=text)
        self._publish(event)

    def ended(
        self,
        status: MatchStatusName,
        step: Step = (),
        goals: Mapping[str, int | None] | None = None,
        reason: str = "",
    ) -> None:
        """Tell that the match is over; only the first time counts."""
        joint_move, observation = _told(step)
        self._publish(
            MatchEnded(
                match=self.match,
                time=self._clock(),
                status=status,
                turn=self.turn + bool(step),
                joint_move=joint_move,
                observation=observation,
                goals=dict(goals or {}),
                reason=reason,
            )
        )
        self._is_over = True

    def _publish(self, event: Event) -> None:
        if not self._is_over:
            self._bus.publish(event)


def _told(step: Step) -> tuple[tuple[str, ...], ObservedStep | None]:
    """The joint move that a step is, or else what was observed of it."""
    return ((), step) if isinstance(step, ObservedStep) else (step, None)
