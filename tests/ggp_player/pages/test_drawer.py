"""States are drawn in a process of their own, which may fail, die and take too long."""

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest

import gdl
from ggp_player.pages import drawer as drawer_module
from ggp_player.pages.drawer import Drawer
from ggp_player.pages.drawing_process import DrawState
from ggp_player.protocol import state_text
from tests.support.hostile_names import NAMES, RULES
from tests.support.paths import GAMES

CONNECT_FOUR = (GAMES / "connectFour.kif").read_text()


def first_state(rules: str) -> str:
    return state_text(gdl.interpret(gdl.parse(rules)).initial_state())


@pytest.fixture
async def drawer() -> AsyncIterator[Drawer]:
    drawer = Drawer()
    yield drawer
    await drawer.close()


async def test_a_state_is_drawn_and_a_line_is_placed(drawer: Drawer) -> None:
    line = (("(drop 3)", "noop"), ("noop", "(drop 3)"), ("(drop 4)", "noop"))
    request = DrawState(
        CONNECT_FOUR, first_state(CONNECT_FOUR), moves=("(drop 3)", "noop"), line=line
    )
    (drawing,) = await drawer.draw(request)
    assert drawing.svg.startswith("<svg")
    assert len(drawing.cells["(drop 3)"]) == 6
    assert drawing.cells["noop"] == ()
    assert drawing.line == (("0 3 1",), ("0 3 2",), ("0 4 1",))  # things fall


async def test_hostile_names_are_escaped_in_drawings(drawer: Drawer) -> None:
    (drawing,) = await drawer.draw(DrawState(RULES, first_state(RULES)))
    assert drawing.svg
    for name in NAMES:
        assert name not in drawing.svg
    assert "<script" not in drawing.svg
    assert "<img" not in drawing.svg


async def test_rules_that_are_none_give_a_list_of_facts(drawer: Drawer) -> None:
    (drawing,) = await drawer.draw(DrawState("( ( (", "( (a 1) b )"))
    assert (drawing.svg, drawing.facts) == ("", ("(a 1)", "b"))


async def test_an_error_is_logged_and_the_next_state_is_drawn(
    drawer: Drawer, caplog: pytest.LogCaptureFixture
) -> None:
    assert await drawer.draw(DrawState(CONNECT_FOUR, "( (a ")) == ()
    assert "a state is not drawn" in caplog.text
    assert len(await drawer.draw(DrawState(CONNECT_FOUR, first_state(CONNECT_FOUR)))) == 1


@pytest.mark.thorough
async def test_a_process_that_dies_is_replaced_and_its_game_is_not_tried_again(
    drawer: Drawer,
) -> None:
    request = DrawState("(role x)", "( a )")
    assert await drawer.draw(request)
    first = drawer.process
    assert first is not None
    drawing = asyncio.create_task(drawer.draw(DrawState(CONNECT_FOUR, "( )")))
    first.kill()
    await first.wait()
    assert await drawing == ()
    assert await drawer.draw(DrawState(CONNECT_FOUR, "( )")) == ()
    assert await drawer.draw(request)
    assert drawer.process is not first


async def test_what_takes_too_long_is_given_up(
    drawer: Drawer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    monkeypatch.setattr(drawer_module, "DRAWING_SECONDS", 0.0)
    assert await drawer.draw(DrawState("(role x)", "( a )")) == ()
    assert "has not answered for 0 s" in caplog.text
    assert drawer.process is None


async def test_closing_ends_the_process() -> None:
    drawer = Drawer()
    await drawer.draw(DrawState("(role x)", "( a )"))
    process = drawer.process
    assert process is not None
    await drawer.close()
    assert process.returncode is not None


async def test_closing_waits_for_the_process_of_a_drawing_that_is_cancelled(
    drawer: Drawer,
) -> None:
    await drawer.warm_up()
    process = drawer.process
    assert process is not None
    request = DrawState(CONNECT_FOUR, first_state(CONNECT_FOUR))
    drawing = asyncio.create_task(drawer.draw(request))
    await asyncio.sleep(0)
    drawing.cancel()
    await asyncio.wait([drawing])
    assert drawing.cancelled()
    await drawer.close()
    assert process.returncode is not None
    assert len(await drawer.draw(request)) == 1


async def test_a_process_that_is_warm_is_used(drawer: Drawer) -> None:
    await drawer.warm_up()
    process = drawer.process
    assert process is not None
    assert await drawer.draw(DrawState("(role x)", "( a )"))
    assert drawer.process is process
