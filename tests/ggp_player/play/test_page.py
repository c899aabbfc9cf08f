"""The page of a table over real sockets: what it shows, and what it refuses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from ggp_player.events import BranchThought, SearchView
from ggp_player.pages import event_stream
from ggp_player.pages.drawer import Drawer
from ggp_player.pages.site import LANGUAGE_COOKIE
from ggp_player.play import page as page_module
from ggp_player.play import table_boards
from ggp_player.play.match_clock import TIME_CONTROLS
from ggp_player.play.page import PlayPage, listening, serve_table
from ggp_player.play.session import PlaySession
from tests.ggp_player.play.conftest import (
    FOREIGN,
    LIMIT,
    Begin,
    Browser,
    SlowDrawer,
    asked,
    begun,
    move,
    until,
)
from tests.support import hostile_names
from tests.support.clocks import FakeClock
from tests.support.paths import GAMES
from tests.support.serving import announced, pushed

pytestmark = pytest.mark.asyncio(loop_scope="module")

SHORT = """(role ann)
(legal ann wait)
(<= (next (over)) (does ann wait))
(<= terminal (true (over)))
(goal ann 100)"""


class Visitor(Browser):
    """At the page of a session."""

    def __init__(self, session: PlaySession, address: str, client: aiohttp.ClientSession) -> None:
        super().__init__(address, client)
        self.session = session

    @asynccontextmanager
    async def events(self) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
        async with self.client.get(f"{self.address}/events") as response:
            yield pushed(response)

    async def position(self) -> dict[str, Any]:
        """Load the events, and return the first position that is told."""
        async with asyncio.timeout(LIMIT), self.events() as messages:
            async for message in messages:
                if "position" in message:
                    position: dict[str, Any] = message["position"]
                    return position
        raise AssertionError("the stream has ended")


@asynccontextmanager
async def visiting(
    begin: Begin, *game_and_players: str, **settings: object
) -> AsyncIterator[Visitor]:
    """A visitor of a match of tic-tac-toe, unless another game is named, who is to move."""
    async with AsyncExitStack() as stack:
        match = begin(*(game_and_players or ("ticTacToe",)), **settings)
        session = await stack.enter_async_context(match)
        address = await stack.enter_async_context(serve_table(session, "ticTacToe"))
        client = await stack.enter_async_context(aiohttp.ClientSession())
        await asked(session)
        yield Visitor(session, address, client)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visitor() -> AsyncIterator[Visitor]:
    """At the page of a match of tic-tac-toe that nobody moves in."""
    async with visiting(begun) as found:
        await found.load()
        yield found


@pytest.mark.thorough
async def test_a_match_is_clicked_to_its_end(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_boards, "DRAWING_SECONDS", LIMIT)  # on a busy machine, too
    seen: dict[str, Any] = {}
    boards = []
    async with (
        visiting(begin) as visitor,
        asyncio.timeout(LIMIT),
        visitor.events() as messages,
    ):
        await visitor.load()
        async for message in messages:
            seen |= message
            if "position" not in message:
                continue
            table = seen["position"]
            if "board" in table:
                boards.append(table["board"])
            if table["is_over"]:
                status, record = await visitor.get("/record")
                break
            if table["choosing"]:
                moves = [m for m in ("b2", "b1", "b3") if f"(put {m})" in table["legal"]["cross"]]
                status, text = await visitor.post(
                    *["/move"],
                    role="cross",
                    move=f"(put {moves[0]})",
                    step=table["step"],
                    match=table["match"],
                )
                assert (status, text) == (200, "{}")
    assert seen["position"]["result"] == "You win."
    assert seen["position"]["goals"] == {"cross": 100, "nought": 0}
    assert boards[0]["cells"]["(put b2)"] == ["0 b2"]
    assert seen["position"]["names"] | {"(put b2)": "b2", "noop": ""} == seen["position"]["names"]
    assert all(board["svg"].startswith("<svg") for board in boards)
    assert status == 200
    assert json.loads(record)["isCompleted"]


async def test_the_rules_are_beside_the_board(visitor: Visitor) -> None:
    _, page = await visitor.get()
    assert "Cross and nought take turns to put a mark on a free square" in page
    assert '<dt>Roles</dt><dd lang="en">cross, nought (alternating' in page
    _, german = await visitor.get(**{"Accept-Language": "de"})
    assert '<dt>Rollen</dt><dd lang="en">cross, nought (alternating' in german
    status, text = await visitor.get("/rules")
    assert (status, text) == (200, (GAMES / "ticTacToe.kif").read_text())


async def test_a_wrong_address_is_a_page_for_a_browser_in_its_language(visitor: Visitor) -> None:
    assert await visitor.get("/wrong") == (404, "Not Found")
    status, page = await visitor.get("/wrong", Accept="text/html,*/*;q=0.8")
    assert status == 404
    assert "<title>Not found" in page
    assert '<a href="/">To the front page</a>' in page
    german = {"Accept": "text/html", "Accept-Language": "de"}
    status, page = await visitor.get("/wrong", **german)
    assert (status, "Unter dieser Adresse gibt es keine Seite." in page) == (404, True)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> SlowDrawer:
    drawer = SlowDrawer()
    drawer.may_draw.set()
    monkeypatch.setattr(page_module, "Drawer", lambda **_: drawer)
    return drawer


async def positions(
    messages: AsyncIterator[dict[str, Any]], session: PlaySession
) -> AsyncIterator[dict[str, Any]]:
    """The positions that a page shows, each with the board that is on the page then."""
    board: dict[str, Any] = {}
    async for message in messages:
        assert message.keys() <= {"position", "thoughts"}
        if "position" not in message:
            continue
        position = message["position"]
        board = position.setdefault("board", board)
        step = position["step"]
        assert len(position["moves"]) == step
        drawn = board["svg"] or "".join(board["facts"])
        facts = session.line.steps[step].state
        assert all(str(fact) in drawn for fact in facts), "the board is of another step"
        yield position


async def test_board_moves_and_clock_of_a_step_come_as_one(
    begin: Begin, slow: SlowDrawer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_boards, "DRAWING_SECONDS", LIMIT)
    monkeypatch.setattr(table_boards, "MOST_AHEAD", 0)
    async with visiting(begin) as visitor, asyncio.timeout(LIMIT), visitor.events() as messages:
        session = visitor.session
        shown = positions(messages, session)
        first = await anext(shown)
        assert first["step"] == 0
        slow.may_draw.clear()
        session.choose("cross", "(put b2)", 0)
        await asked(session, 2)
        waiting = asyncio.ensure_future(anext(shown))
        for _ in range(50):  # of the event loop: whatever there is to tell is told
            await asyncio.sleep(0)
        assert not waiting.done() or waiting.result()["step"] == 0
        slow.may_draw.set()
        found = await waiting
        while found["step"] < 2:
            found = await anext(shown)
        assert found["board"]["svg"]
        assert (found["step"], found["choosing"]) == (2, ["cross"])


@pytest.mark.usefixtures("slow")
async def test_the_tree_of_a_search_is_told_with_its_thoughts(begin: Begin) -> None:
    reply = BranchThought(moves=("noop", "(put c3)"), visits=3)
    branch = BranchThought(moves=("(put b2)", "noop"), value=60.5, visits=9, children=(reply,))
    async with visiting(begin) as visitor, asyncio.timeout(LIMIT), visitor.events() as messages:
        session = visitor.session
        session.tell_thoughts("cross", SearchView(move="(put b2)", tree=(branch,)))
        async for message in messages:
            if message.get("thoughts"):
                break
    told = message["thoughts"]
    assert told["view"]["tree"] == [
        {
            "moves": ["(put b2)", "noop"],
            "value": 60.5,
            "visits": 9,
            "children": [
                {"moves": ["noop", "(put c3)"], "value": None, "visits": 3, "children": []}
            ],
        }
    ]
    assert {"(put b2)", "(put c3)"} <= told["names"].keys()


async def test_a_board_that_takes_long_is_shown_as_facts_until_it_comes(
    begin: Begin, slow: SlowDrawer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_boards, "PREPARING_SECONDS", 0.0)
    slow.may_draw.clear()
    async with visiting(begin) as visitor, asyncio.timeout(LIMIT), visitor.events() as messages:
        session = visitor.session
        shown = positions(messages, session)
        found = await anext(shown)
        assert not found["board"]["svg"]
        assert "(turn cross)" in found["board"]["facts"]
        slow.may_draw.set()
        while not found["board"]["svg"]:
            found = await anext(shown)
        assert found["step"] == 0


async def test_the_page_is_not_told_what_is_hidden(begin: Begin) -> None:
    """Nought marks a1, the first legal move; cross does not see it."""
    async with visiting(begin, "phantomTicTacToe", "cross") as visitor:
        session = visitor.session
        session.choose("cross", "(try b2)", 0)
        told = ""
        async with asyncio.timeout(LIMIT), visitor.events() as messages:
            async for message in messages:
                position = message.get("position", {})
                told += json.dumps(position) + position.get("board", {}).get("svg", "")
                if position.get("step") == 2 and position.get("board", {}).get("svg"):
                    break
        assert "(try a1)" in {str(move) for move in session.line.steps[2].joint_move}
        assert "a1: nought" not in told
        assert "marked a1 nought" not in told
        assert "whole state" not in told
        assert "b2: cross" in told
        assert '"joint_move": ["noop", "?"]' in told
        assert "8 positions are possible" in told
        assert (await visitor.get("/record"))[0] == 409


@pytest.mark.usefixtures("slow")
async def test_what_comes_too_late_is_refused_with_a_sentence(begin: Begin) -> None:
    async with visiting(begin) as visitor:
        await visitor.load()
        click = {"role": "cross", "move": "(put a1)", "step": 0, "match": 1}
        assert (await visitor.post("/move", **click))[0] == 200
        await asked(visitor.session, 2)
        status, text = await visitor.post("/move", **click)
        assert (status, text) == (409, "that was for step 1, and the match is at step 3")
        for path in ("/back", "/flip", "/resign", "/hint"):
            assert (await visitor.post(path, step=0, match=1))[0] == 409
        status, _ = await visitor.post("/back", step=2, match=1)
        assert status == 200
        assert visitor.session.line.number == 0
        status, _ = await visitor.post("/new", step=0, match=1)
        assert status == 200
        status, text = await visitor.post("/move", **click)
        assert (status, text) == (409, "that was in the match before; a new one has begun")
        await visitor.session.resign(0)
        async with (
            asyncio.timeout(LIMIT),
            visitor.client.get(
                f"{visitor.address}/events", headers={"Accept-Language": "de"}
            ) as response,
        ):
            async for message in pushed(response):
                if (position := message.get("position", {})).get("is_over"):
                    assert position["result"] == "Aufgegeben von cross."
                    break


async def test_the_page_speaks_the_language_of_its_reader(visitor: Visitor) -> None:
    german = {"Accept-Language": "de-CH, en;q=0.5"}
    _, text = await visitor.get(**german)
    assert '<html lang="de"' in text
    assert ">Aufgeben</button>" in text
    assert "Sie sind am Zug" in text  # for its script
    _, text = await visitor.get(Cookie=f"{LANGUAGE_COOKIE}=en", **german)
    assert '<html lang="en"' in text
    assert "data-words" not in text
    status, text = await visitor.send(
        "/move",
        '{"role": "cross", "move": "x", "step": 7, "match": 1}',
        {"Accept-Language": "de"},
    )
    assert (status, text) == (409, "das galt für Schritt 8, und die Partie ist bei Schritt 1")
    assert (await visitor.get("/back", **german))[0] == 405


async def test_nobody_else_moves(visitor: Visitor) -> None:
    body = json.dumps({"role": "cross", "move": "(put a1)", "step": 0, "match": 1})
    for changed, status in FOREIGN:
        assert (await visitor.send("/move", body, changed))[0] == status, changed
    assert visitor.session.choosing


async def test_what_is_no_request_is_refused(visitor: Visitor) -> None:
    for body in ("", "[]", "{", '{"step": "x"}', '{"other": 1}', f'{{"move": "{"a" * 5000}"}}'):
        assert (await visitor.send("/move", body, {}))[0] == 400, body


async def test_nothing_is_changed_by_get(visitor: Visitor) -> None:
    for path in ("/move", "/back", "/new", "/resign"):
        assert (await visitor.get(path))[0] == 405
    assert (await visitor.get("/", Host="localhost.evil.example.org"))[0] == 403
    assert visitor.session.choosing


@pytest.mark.usefixtures("slow")
async def test_rules_that_come_on_one_line_are_formatted(begin: Begin) -> None:
    async with visiting(begin, SHORT.replace("\n", " ")) as visitor:
        assert "The rulesheet says nothing in plain words." in (await visitor.get())[1]
        text = (await visitor.get("/rules"))[1]
        assert text.splitlines()[:2] == ["(role ann)", "(legal ann wait)"]


@pytest.mark.usefixtures("slow")
async def test_words_of_the_rules_are_no_markup(begin: Begin) -> None:
    rules = f"; <script>alert(1)</script> said.\n{hostile_names.RULES}"
    async with (
        begin(rules) as session,
        serve_table(session, "x<b>") as address,
        aiohttp.ClientSession() as client,
        client.get(address) as response,
    ):
        text = await response.text()
    assert "&lt;script&gt;alert(1)&lt;/script&gt; said." in text
    assert hostile_names.SCRIPT not in text
    assert "x<b>" not in text


async def test_too_many_pages_are_turned_away(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp_player.play.page.MAX_VIEWERS", 1)
    async with visitor.events() as messages:
        await anext(messages)
        assert (await visitor.get("/events"))[0] == 503


async def test_a_page_ends_with_its_session(begin: Begin) -> None:
    async with begin("ticTacToe") as session:
        page = PlayPage(session, drawer := Drawer())
        await page.start()
        await page.close()
        await drawer.close()
        assert session.is_closing


@pytest.mark.usefixtures("slow")
async def test_the_server_decides_and_a_page_that_is_loaded_again_is_told(
    begin: Begin, time: FakeClock
) -> None:
    async with visiting(begin, "ticTacToe", control=TIME_CONTROLS[1], stopwatch=time) as visitor:
        session = visitor.session
        await move(session, "(put b2)")
        step = session.line.number
        for used in (0, 25):
            time.now += used
            await visitor.load()
            clocks = (await visitor.position())["clocks"]
            assert clocks[0] == {"role": "cross", "left": 60 - used, "total": 60, "runs": True}
        time.now += 40
        asked_for = {"role": "cross", "move": "(put b1)", "step": step, "match": 1}
        body = json.dumps(asked_for)
        german = {"Accept-Language": "de"}
        assert await visitor.send("/move", body, {**german}) == (409, "die Zeit ist um")
        await until(session, lambda: session.is_over)
        position = await visitor.position()
        assert position["result"] == "Your time is up: you lose."
        assert position["clocks"][0] == {"role": "cross", "left": 0, "total": 60, "runs": False}


class Pause:
    """A pause that is over when a test says so."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.is_begun, self.is_over = asyncio.Event(), asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        self.is_begun.set()
        await self.is_over.wait()


async def test_searches_think_in_peoples_time_only_while_somebody_looks(
    begin: Begin, bad: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "KEEP_ALIVE_SECONDS", 0.01)  # so that leaving is noticed
    pause, drawer = Pause(), Drawer(for_person=True)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(asyncio.timeout(2 * LIMIT))
        port, calls = await stack.enter_async_context(announced())
        opponent = f"{bad('Pondering')}:port={port}"
        session = await stack.enter_async_context(
            begin("ticTacToe", opponents=(opponent,), start_clock=1, play_clock=1)
        )
        page = PlayPage(session, drawer, pause=pause)
        stack.push_async_callback(drawer.close)
        address = await stack.enter_async_context(listening(page.application(), 0))
        await page.start()
        stack.push_async_callback(page.close)
        client = await stack.enter_async_context(aiohttp.ClientSession())
        visitor = Visitor(session, address, client)

        def searches() -> bool:
            (engine,) = session._engines.playing.values()
            return engine._search.is_wanted

        async def leave() -> None:
            await pause.is_begun.wait()
            pause.is_over.set()
            assert page._leaving is not None
            await page._leaving

        async with visitor.events() as messages:
            await anext(messages)
            await asked(session)
            await move(session)
            assert searches()
            while not calls.empty():
                calls.get_nowait()
            pause.is_begun.clear()
        await leave()
        assert not searches()
        assert set(pause.seconds) == {page_module.UNSEEN_SECONDS}
        await move(session)  # in its own turn it thinks all the same
        await calls.get()
        assert not searches()
        async with visitor.events() as messages:
            await anext(messages)
            await calls.get()
            assert searches()
