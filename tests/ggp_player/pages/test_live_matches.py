"""A match on its page: board, moves and clock are of one turn, however long drawings take."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from gdl.analysis.move_names import MoveNames
from ggp_player.events import EventBus, MatchStarted, StateReached, TurnAsked
from ggp_player.pages import live_matches
from ggp_player.pages.drawer import Drawer
from ggp_player.pages.drawing_messages import Drawing, DrawingRequest, DrawState
from ggp_player.pages.live_matches import LiveMatches
from ggp_player.pages.match_view import UNDRAWN

LIMIT = 30

START = MatchStarted(
    match="k", time=1000, match_id="m", rules="(role x)", start_clock=9, play_clock=4, role="x"
)


class SlowDrawer(Drawer):
    """Draws the states that it is allowed to, as their texts."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted: asyncio.Queue[str] = asyncio.Queue()
        self.allowed: asyncio.Queue[str] = asyncio.Queue()

    async def warm_up(self) -> None:
        """There is no process."""

    async def names(self, rules: str, layout_file: str = "", asker: str = "") -> MoveNames:
        return MoveNames()

    async def draw(self, request: DrawingRequest, asker: str = "") -> tuple[Drawing, ...]:
        assert isinstance(request, DrawState)
        self.wanted.put_nowait(request.state)
        assert await self.allowed.get() == request.state
        return (Drawing(svg=request.state),)


class Viewer:
    """A page: what it shows is what it was sent."""

    def __init__(self, live: LiveMatches) -> None:
        self.live = live
        self.version = 0
        self.shown: dict[str, Any] = {}
        self.turns: dict[int, dict[str, Any]] = {}

    def look(self) -> None:
        self.version, body = self.live.message("k", self.version)
        if not body:
            return
        message = json.loads(body)
        for turn in message.get("turns", ()):
            self.turns[turn["turn"]] = turn
        old = self.shown.get("board", {"turn": 0})["turn"]
        self.shown |= message
        board = self.shown["board"]
        assert board["turn"] == max(self.turns) >= old
        assert self.shown["about"]["turn"] == board["turn"]
        assert board["svg"] in {f"state {board['turn']}", ""}

    async def until_turn(self, turn: int) -> None:
        while self.shown.get("board", {}).get("turn") != turn:
            self.look()
            if self.shown.get("board", {}).get("turn") != turn:
                await self.live.news()


def play(bus: EventBus, turn: int) -> None:
    moves = ("a",) if turn else ()
    bus.publish(TurnAsked(match="k", time=turn, turn=turn, joint_move=moves, clock=4, seconds=3))
    bus.publish(StateReached(match="k", time=turn, turn=turn, roles=("x",), state=f"state {turn}"))


async def test_a_turn_waits_for_its_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_matches, "DRAWING_SECONDS", LIMIT)
    bus, drawer = EventBus(), SlowDrawer()
    async with asyncio.timeout(LIMIT), LiveMatches(bus, drawer) as live:
        with live.look("k"):
            bus.publish(START)
            play(bus, 0)
            viewer = Viewer(live)
            while await drawer.wanted.get() != "state 0":
                pass
            play(bus, 1)
            await live.news()
            viewer.look()
            assert viewer.shown == {}
            drawer.allowed.put_nowait("state 0")  # comes when the match has gone on
            await viewer.until_turn(0)
            assert viewer.turns.keys() == {0}
            assert not viewer.turns[0]["joint_move"]
            assert await drawer.wanted.get() == "state 1"
            viewer.look()
            assert viewer.shown["board"]["turn"] == 0
            drawer.allowed.put_nowait("state 1")
            await viewer.until_turn(1)
            assert viewer.turns[0]["joint_move"] == ["a"]


async def test_a_board_that_takes_too_long_is_left_out_until_it_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live_matches, "DRAWING_SECONDS", 0.0)
    bus, drawer = EventBus(), SlowDrawer()
    async with asyncio.timeout(LIMIT), LiveMatches(bus, drawer) as live:
        with live.look("k"):
            bus.publish(START)
            play(bus, 0)
            viewer = Viewer(live)
            await drawer.wanted.get()
            await viewer.until_turn(0)
            assert viewer.shown["board"]["facts"] == [UNDRAWN]
            drawer.allowed.put_nowait("state 0")
            while not viewer.shown["board"]["svg"]:
                await live.news()
                viewer.look()
