"""What a match's player, or its game manager, calls to tell what happens in it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ggp_player.clock import WallClock, wall_clock
from ggp_player.events.bus import EventBus
from ggp_player.events.match_events import (
    BestMove,
    Event,
    MatchEnded,
    MatchProblem,
    MatchStarted,
    MatchStatusName,
    MoveChosen,
    StepMade,
    StepsTakenBack,
    Thoughts,
    TurnAsked,
)
from ggp_player.events.search_view import SearchView
from ggp_player.events.steps import ObservedStep, Step


class MatchPublisher:
    """Publishes the events of one match, with its key and the time.

    Nothing is published after the end of the match. ``match`` is a key that no other match has, and
    ``turn`` that of the last TURN or step.
    """

    def __init__(self, bus: EventBus, clock: WallClock = wall_clock) -> None:
        self.match = uuid.uuid4().hex
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
        self._publish(event, self._clock() if time is None else time)

    def turn_asked(self, turn: int, step: Step, clock: float, seconds: float) -> None:
        """Tell that a move is asked for, of which the clocks are in seconds."""
        self.turn = turn
        joint_move, seen = _told(step)
        self.tell(
            TurnAsked(
                turn=turn, joint_move=joint_move, observation=seen, clock=clock, seconds=seconds
            )
        )

    def tell(self, event: Event) -> None:
        """Tell what has happened; the key is filled in, and the time of all but a step made."""
        if isinstance(event, StepMade | StepsTakenBack):
            self.turn = event.step
        self._publish(event, event.time if isinstance(event, StepMade) else self._clock())

    def thoughts(self, turn: int, view: SearchView) -> None:
        """Tell what a search thinks."""
        self.tell(Thoughts(turn=turn, **_fields(view)))

    def move_chosen(
        self, turn: int, best: BestMove, seconds: float, margin_left: float | None = None
    ) -> None:
        """Tell our move of a turn, and after how many seconds it was decided."""
        self.tell(MoveChosen(turn=turn, seconds=seconds, margin_left=margin_left, **_fields(best)))

    def problem(self, text: str) -> None:
        """Tell what does not work as it should, in this turn."""
        self.tell(MatchProblem(turn=self.turn, text=text))

    def ended(
        self,
        status: MatchStatusName,
        step: Step = (),
        goals: Mapping[str, int | None] | None = None,
        reason: str = "",
    ) -> None:
        """Tell that the match is over; only the first time counts."""
        joint_move, seen = _told(step)
        turn = self.turn + bool(step)
        self.tell(
            MatchEnded(
                status=status,
                turn=turn,
                joint_move=joint_move,
                observation=seen,
                goals=dict(goals or {}),
                reason=reason,
            )
        )
        self._is_over = True

    def _publish(self, event: Event, time: int) -> None:
        if not self._is_over:
            self._bus.publish(replace(event, match=self.match, time=time))


def _fields(record: SearchView | BestMove) -> dict[str, Any]:
    """The fields of a record, without those that a kind of it has besides, by name."""
    kind = SearchView if isinstance(record, SearchView) else BestMove
    return {name: getattr(record, name) for name in kind.__dataclass_fields__}


def _told(step: Step) -> tuple[tuple[str, ...], ObservedStep | None]:
    """The joint move that a step is, or else what was observed of it."""
    return ((), step) if isinstance(step, ObservedStep) else (step, None)
