"""The boards of a table: what a person may choose is drawn ahead, and no more than that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from ggp_player.play import table_boards
from ggp_player.play.session import PlaySession
from ggp_player.play.table_boards import TableBoards
from ggp_player.protocol import state_text
from tests.ggp_player.play.conftest import LIMIT, Begin, SlowDrawer, asked, until


@asynccontextmanager
async def drawn(session: PlaySession) -> AsyncIterator[tuple[TableBoards, SlowDrawer]]:
    drawer = SlowDrawer()
    drawer.may_draw.set()
    boards = TableBoards(session, drawer)
    boards.start()
    try:
        yield boards, drawer
    finally:
        await boards.close()


async def states_drawn(drawer: SlowDrawer) -> list[str]:
    """The states that were asked for, once whatever there is to draw is drawn."""
    for _ in range(300):  # of the event loop, in which the drawer answers at once
        await asyncio.sleep(0)
    return [request.state for request in drawer.requests]


@pytest.fixture(autouse=True)
def _on_a_slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_boards, "SLOW_SECONDS", LIMIT)


async def test_the_board_after_a_move_was_drawn_before_it(begin: Begin) -> None:
    async with (
        begin("ticTacToe", "cross", "nought") as session,
        drawn(session) as (boards, drawer),
    ):
        for step, text in enumerate(("(put b2)", "(put c3)")):
            await asked(session, step)
            found = await states_drawn(drawer)
            assert {state_text(line.last.state) for line in session.lines_ahead()} <= {*found}
            drawer.may_draw.clear()
            session.choose(session.choosing[0], text, step)
            session.tell()  # as where the step takes a while
            await asked(session, step + 1)
            await until(session, boards.newest)
            board = boards.newest()
            assert board is not None
            assert board.key.step == step + 1
            assert board.drawing.svg == state_text(session.line.last.state)
            drawer.may_draw.set()
        assert len(found) == len({*found}) == 1 + 9 + 8


@pytest.mark.parametrize(
    "game", ["biddingTicTacToe", "phantomTicTacToe"], ids=["two choose", "information is hidden"]
)
async def test_what_a_move_does_not_decide_is_not_drawn_ahead(begin: Begin, game: str) -> None:
    async with begin(game) as session, drawn(session) as (_, drawer):
        await asked(session)
        assert session.choosing
        assert not list(session.lines_ahead())
        assert len(await states_drawn(drawer)) == 1


async def test_where_rules_are_slow_nothing_is_drawn_ahead(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_boards, "SLOW_SECONDS", 0.0)
    async with begin("ticTacToe") as session, drawn(session) as (_, drawer):
        await asked(session)
        assert len(await states_drawn(drawer)) == 1


async def test_nothing_is_computed_ahead_once_the_person_has_chosen(begin: Begin) -> None:
    async with begin("ticTacToe", "cross", "nought") as session:
        await asked(session)
        ahead = session.lines_ahead()
        assert next(ahead).number == 1
        session.choose("cross", "(put b2)", 0)
        assert not list(ahead)
