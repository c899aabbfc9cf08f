"""A live board and what is said beside it are of the same step, however late drawings are."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from ggp_player.manager_service.scheduling.public_view import RunningMatch
from ggp_player.manager_service.storage.store import EventMatch
from ggp_player.manager_service.web import live_boards
from ggp_player.manager_service.web.live_boards import LiveBoard, LiveBoards
from ggp_player.pages.drawing_messages import Drawing, DrawMoves


class SlowDrawer:
    """Draws when it is told to; a drawing says how many moves it is of."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.is_asked = asyncio.Event()
        self.may_draw = asyncio.Event()
        self.fails = False

    async def draw(self, request: DrawMoves) -> tuple[Drawing, ...]:
        self.asked.append(len(request.moves))
        self.is_asked.set()
        await self.may_draw.wait()
        return () if self.fails else (Drawing(f"<svg>{len(request.moves)}</svg>"),)


class Event:
    """Matches under way, each of its own game."""

    def __init__(self, count: int) -> None:
        self.running = {number: RunningMatch(_match(number)) for number in range(count)}
        self.drawer = SlowDrawer()
        public = SimpleNamespace(running=self.running, recent=list)
        store = SimpleNamespace(rules=lambda digest: (digest, ""))
        scheduler: Any = SimpleNamespace(public=public, store=store, call=_call)
        drawer: Any = self.drawer
        self.boards = LiveBoards(scheduler, drawer)

    def step(self, number: int = 0) -> None:
        running = self.running[number]
        running.take(running.step + 1, {"moves": ["noop"]})

    async def shown(self) -> list[LiveBoard]:
        return await self.boards.boards()

    async def drawn(self) -> list[LiveBoard]:
        """What is shown once drawings come, and no more are due."""
        self.drawer.may_draw.set()
        shown = await self.shown()
        while any(board.is_due for board in shown):
            shown = await self.shown()
        self.drawer.may_draw.clear()
        return shown


def _match(number: int) -> EventMatch:
    players = ("ann", "bob")
    return EventMatch(number, 1, "", "game", "rules", 1, 0, players, "running", 1, f"m{number}")


async def _call(function: Any, *arguments: Any) -> Any:
    return function(*arguments)


@pytest.fixture(autouse=True)
def _impatient_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_boards, "DRAWING_SECONDS", 0.0)


async def begun(event: Event) -> None:
    """Show boards, and have their drawings begun."""
    await event.shown()
    await event.drawer.is_asked.wait()


async def test_the_result_of_a_match_comes_with_its_last_board() -> None:
    event = Event(1)
    event.step()
    await event.drawn()
    event.step()
    event.running[0].goals = (100, 0)
    [late] = await event.shown()
    assert late.drawing == Drawing("<svg>1</svg>")
    assert (late.step, late.is_last, late.goals, late.is_due) == (1, False, (), True)
    [board] = await event.drawn()
    assert board.drawing == Drawing("<svg>2</svg>")
    assert (board.step, board.is_last, board.goals, board.is_due) == (2, True, (100, 0), False)


async def test_a_state_that_is_not_drawn_leaves_the_earlier_board_and_its_step() -> None:
    event = Event(1)
    await event.drawn()
    event.step()
    event.drawer.fails = True
    [board] = await event.drawn()
    assert (board.step, board.drawing) == (0, Drawing("<svg>0</svg>"))
    event.running[0].goals = (50, 50)
    [board] = await event.shown()
    assert (board.step, board.is_last, board.goals) == (0, False, (50, 50))
    assert event.drawer.asked == [0, 1]  # it is not tried again
    event.drawer.fails = False
    event.step()
    [board] = await event.drawn()
    assert (board.step, board.is_last) == (2, True)


async def test_states_that_newer_ones_have_overtaken_are_not_drawn() -> None:
    event = Event(2)
    await begun(event)
    for _ in range(3):
        event.step(0)
        event.step(1)
    await event.shown()
    boards = await event.drawn()
    assert [(board.step, board.drawing) for board in boards] == [(3, Drawing("<svg>3</svg>"))] * 2
    assert event.drawer.asked == [0, 3, 3]  # the second match waited while the first was drawn
