"""The gallery over real sockets: what it shows, begins and ends, and what it refuses."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

import gdl
from gdl.game_library import own_games
from ggp_player.errors import UnplayableError
from ggp_player.events import EventBus, MatchEnded
from ggp_player.pages.drawing_messages import Drawing
from ggp_player.pages.rulesheets import GameFound
from ggp_player.play import gallery as gallery_module
from ggp_player.play.gallery import Gallery, serve_gallery
from ggp_player.play.levels import LEVELS
from ggp_player.play.match_clock import TIME_CONTROLS
from ggp_player.play.play_setup import PlaySetup
from ggp_player.play.session import PlaySession
from ggp_player.server.config import load_config
from ggp_player.worker.pool import Pool
from tests.ggp_player.play.conftest import FOREIGN, LIMIT, Browser, asked
from tests.support import hostile_names
from tests.support.serving import pushed

pytestmark = pytest.mark.asyncio(loop_scope="module")

RULES = """; A game of one step.
(role ann)
(legal ann wait)
(<= (next (over)) (does ann wait))
(<= terminal (true (over)))
(goal ann 100)"""


WON = RULES + "\n(role bob)\n(legal bob wait)\n(goal bob 0)"


class Visitor(Browser):
    """At a gallery whose opponents play the first legal move."""

    def __init__(self, gallery: Gallery, address: str, client: aiohttp.ClientSession) -> None:
        super().__init__(address, client)
        self.gallery = gallery
        self.drawing_process = gallery._pages._drawer.helper.process
        self.setups: list[PlaySetup] = []
        self.events = EventBus()

    async def add(self, text: str, name: str = "mine") -> str:
        """Add a rulesheet, and return the key of its game."""
        status, answer = await self.post("/rules", name=name, text=text)
        assert status == 200
        return str(json.loads(answer)["key"])

    async def begin(
        self, game: str, *roles: str, level: int | str = 1, clock: str = ""
    ) -> PlaySession:
        wanted = {"game": game, "roles": roles, "level": level, "clock": clock}
        assert await self.post("/begin", **wanted) == (200, "{}")
        assert self.gallery.session is not None
        await asked(self.gallery.session)
        return self.gallery.session

    async def at_match(self, path: str, **values: object) -> dict[str, Any]:
        """Change the match as its page does; return what the page is told afterwards."""
        page = (await self.get("/match/"))[1]
        token = page.partition('data-token="')[2].partition('"')[0]
        assert self.gallery.session is not None
        asked_for = json.dumps({"match": self.gallery.session.match_number, "step": 0, **values})
        assert await self.send(path, asked_for, {"X-Page-Token": token}) == (200, "{}")
        async with self.client.get(f"{self.address}/match/events") as events:
            async for message in pushed(events):
                position: dict[str, Any] = message.get("position", {})
                if position.get("is_over") or position.get("choosing"):
                    return position
        raise AssertionError("the stream has ended")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def only_visitor() -> AsyncIterator[Visitor]:
    events = EventBus()
    setups: list[PlaySetup] = []
    pool = Pool(0, load_config(flags={"strategy": "legal"}).memory_limits)

    def new_setup(ruleset: gdl.Ruleset, name: str, address: str) -> PlaySetup:
        return PlaySetup(ruleset, name, 5, 3, rulesheet_url=address, events=events)

    async def new_session(setup: PlaySetup) -> PlaySession:
        setups.append(setup)
        machine = gdl.interpret(setup.ruleset)
        if not setup.adapts:
            setup = replace(setup, opponents=("legal",))
        return PlaySession(setup, machine, pool)

    async with AsyncExitStack() as stack:
        stack.push_async_callback(pool.close)
        gallery = Gallery(new_setup, new_session, 5)
        address = await stack.enter_async_context(serve_gallery(gallery))
        client = await stack.enter_async_context(aiohttp.ClientSession())
        found = Visitor(gallery, address, client)
        found.setups, found.events = setups, events
        await found.load()
        assert 'class="picture board"' in (await found.get("/match/"))[1]  # it leads back
        yield found


@pytest_asyncio.fixture(loop_scope="module")
async def visitor(only_visitor: Visitor) -> AsyncIterator[Visitor]:
    """At the gallery of all tests, where another one's match may go on."""
    only_visitor.setups.clear()
    async with asyncio.timeout(LIMIT):
        yield only_visitor


async def test_all_games_are_there_with_what_is_known_of_them(visitor: Visitor) -> None:
    status, page = await visitor.get()
    assert status == 200
    assert page.count('class="picture board"') >= len(own_games())
    assert all(f'id="{game}" data-players=' in page for game in own_games())
    assert 'id="kuhnPoker" data-players="2" data-kinds="chance hidden"' in page
    assert "Four discs of one col" not in page  # the first sentence only
    assert '<option value="5" selected>5: all it can</option>' in page
    status, board = await visitor.get("/board/ticTacToe")
    assert (status, json.loads(board)["svg"][:4]) == (200, "<svg")
    assert 'id="ticTacToe-title"' in json.loads(board)["svg"]
    assert (await visitor.get("/board/..%2F..%2Fetc%2Fpasswd"))[0] == 404


async def test_a_board_that_could_not_be_drawn_is_asked_for_again(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = iter([Drawing(facts=("(cell 1 1 b)",)), Drawing("<svg>")])

    async def game(*_: object) -> tuple[GameFound, Drawing]:
        return GameFound(("cross", "nought")), next(drawn)

    monkeypatch.setattr(visitor.gallery._drawer, "game", game)
    boards = [json.loads((await visitor.get("/board/amazons"))[1])["svg"] for _ in range(3)]
    assert boards == ["", "<svg>", "<svg>"]


async def test_one_match_ends_another(visitor: Visitor) -> None:
    ended = visitor.events.subscribe("the test")
    first = await visitor.begin("ticTacToe", "nought")
    assert first.persons == (gdl.Constant("nought"),)
    assert "Tic-tac-toe" in (await visitor.get("/match/"))[1]
    assert "Your match of Tic-tac-toe goes on" in (await visitor.get())[1]
    old = (await visitor.get("/match/"))[1].partition('data-token="')[2].partition('"')[0]
    second = await visitor.begin("nim", level=2)
    assert first.is_closing
    assert "aborted" in {event.status for event in ended.take() if isinstance(event, MatchEnded)}
    assert visitor.gallery.session is second
    assert [(setup.match_id, setup.persons, setup.level) for setup in visitor.setups] == [
        ("ticTacToe", ("nought",), LEVELS[0]),
        ("nim", (), LEVELS[1]),
    ]
    page = (await visitor.get("/match/"))[1]
    assert '<a id="gallery" href="/">All games</a>' in page
    static = page.partition('href="/match/static/')[2].partition('"')[0]
    assert (await visitor.get(f"/match/static/{static}"))[0] == 200
    move = str(second.legal_moves(second.persons[0])[0])
    body = json.dumps({"role": "first", "move": move, "step": 0, "match": 1})
    assert (await visitor.send("/match/move", body, {"X-Page-Token": old}))[0] == 403
    assert (await visitor.send("/match/move", body, {}))[0] == 403  # the gallery's is another
    token = page.partition('data-token="')[2].partition('"')[0]
    assert (await visitor.send("/match/move", body, {"X-Page-Token": token}))[0] == 200
    assert (await visitor.send("/match/move", body + " " * 2**15, {"X-Page-Token": token}))[
        0
    ] == 413


async def test_the_level_follows_what_a_person_reaches(visitor: Visitor) -> None:
    assert ">adapts to you, now 3: looks three steps ahead</option>" in (await visitor.get())[1]
    key = await visitor.add(WON)
    session = await visitor.begin(key, "ann", level="adaptive")
    assert session.setup.level == LEVELS[2]
    over = await visitor.at_match("/match/move", role="ann", move="wait")
    told = "The next match is at level 4: searches for a moment."
    assert (over["result"], over["level"]) == ("You win.", {"number": 4, "told": told})
    going_on = await visitor.at_match("/match/new")
    assert (session.setup.level, session.names[gdl.Constant("bob")]) == (
        LEVELS[3],
        LEVELS[3].strategy,
    )
    told = "The level adapts to you. It is 4 now: searches for a moment."
    assert going_on["level"] == {"number": 4, "told": told}
    lost = await visitor.at_match("/match/resign")
    assert lost["level"]["number"] == 3


async def test_a_browser_brings_the_level_of_its_person(visitor: Visitor) -> None:
    kept = {"Cookie": "ggp_player_level=2"}
    page = (await visitor.get("/", **kept))[1]
    assert ">adapts to you, now 2: looks one step ahead</option>" in page
    assert ">adapts to you, now 3: " in (await visitor.get("/", Cookie="ggp_player_level=9"))[1]
    body = json.dumps({"game": "nim", "level": "adaptive"})
    for header, number in ((kept, 2), ({"Cookie": "ggp_player_level=x"}, 3)):
        assert (await visitor.send("/begin", body, {**header}))[0] == 200
        assert visitor.setups[-1].level == LEVELS[number - 1]
    session = visitor.gallery.session
    assert session is not None
    await visitor.get("/match/", Cookie="ggp_player_level=1")  # nothing has been moved yet
    assert session.setup.level == LEVELS[0]
    await visitor.get("/match/", Cookie="ggp_player_level=5")  # of another browser
    assert session.setup.level == LEVELS[0]


async def test_seats_that_are_changed_at_the_end_change_no_result(visitor: Visitor) -> None:
    key = await visitor.add(WON)
    session = await visitor.begin(key, "bob", level="adaptive")
    lost = await visitor.at_match("/match/move", role="bob", move="wait")
    assert (lost["result"], lost["level"]["number"]) == ("You lose.", 2)
    changed = await visitor.at_match("/match/flip", step=1)
    assert (changed["persons"], changed["level"]["number"]) == (["ann"], 2)
    await visitor.at_match("/match/new", step=1)
    assert session.setup.level == LEVELS[1]


async def test_there_is_no_level_without_an_opponent(visitor: Visitor) -> None:
    for game, roles in (("eightPuzzle", ()), ("nim", ("first", "second"))):
        session = await visitor.begin(game, *roles, level="adaptive")
        assert (session.next_level, session.told_of_level()) == (None, "")


async def test_a_level_is_not_said_to_be_what_it_is_not(visitor: Visitor) -> None:
    session = await visitor.begin("kuhnPoker", level="adaptive")
    assert session.told_of_level().endswith("3 now: where information is hidden, as level 5.")


async def test_who_had_help_stays_at_a_level(visitor: Visitor) -> None:
    key = await visitor.add(WON)
    await visitor.begin(key, "ann", level="adaptive")
    await visitor.at_match("/match/move", role="ann", move="wait")
    going_on = await visitor.at_match("/match/back", step=1)
    assert going_on["level"]["number"] == 3
    over = await visitor.at_match("/match/move", role="ann", move="wait")
    told = "You had help, so the level stays 3: looks three steps ahead."
    assert over["level"] == {"number": 3, "told": told}


async def test_a_clock_is_chosen(visitor: Visitor) -> None:
    page = (await visitor.get())[1]
    assert '<option value="30s">30 seconds a move</option>' in page
    assert "Who has no time left has lost." in page
    await visitor.begin("nim", clock="5m")
    await visitor.begin("nim")
    assert [setup.control for setup in visitor.setups] == [TIME_CONTROLS[0], None]
    assert (await visitor.post("/begin", game="nim", level=1, clock="2m"))[0] == 404


async def test_a_match_that_cannot_begin_ends_none(visitor: Visitor) -> None:
    session = await visitor.begin("nim")
    status, text = await visitor.post("/begin", game="hex", roles=["nobody"], level=1)
    assert (status, text[:35]) == (409, "there is no role nobody to take; th")
    assert (await visitor.post("/begin", game="nothing", level=1))[0] == 404
    assert visitor.gallery.session is session
    assert not session.is_closing


async def test_a_broken_rulesheet_is_shown_its_problems(visitor: Visitor) -> None:
    broken = RULES + "\n(<= (legal ann ?x) (missing ann))"
    status, text = await visitor.post("/rules", name="broken.kif", text=broken)
    problem = json.loads(text)["problems"][0]
    assert (status, problem["line"], problem["severity"]) == (200, 7, "error")
    assert problem["excerpt"].splitlines()[1].endswith(" ^^")
    assert "broken" not in (await visitor.get())[1]


async def test_a_good_rulesheet_is_played(visitor: Visitor) -> None:
    key = await visitor.add(RULES, "../mine.kif")
    page = (await visitor.get())[1]
    assert "<h2>mine</h2>" in page
    assert "A game of one step." in page
    assert (await visitor.get(f"/board/{key}"))[0] == 200
    session = await visitor.begin(key, "ann")
    assert session.persons == (gdl.Constant("ann"),)
    assert visitor.setups[0].match_id == "mine"


async def test_only_the_newest_rulesheets_are_kept(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery_module, "MAX_ADDED", 1)
    for name in ("old", "new"):
        await visitor.add(RULES, name)
    page = (await visitor.get())[1]
    assert "<h2>new</h2>" in page
    assert "<h2>old</h2>" not in page


async def test_words_of_a_rulesheet_are_no_markup(visitor: Visitor) -> None:
    text = f"; {hostile_names.SCRIPT} said.\n{hostile_names.RULES}"
    await visitor.add(text, "<b>x</b>")
    page = (await visitor.get())[1]
    assert hostile_names.SCRIPT not in page
    assert "<b>x</b>" not in page


async def test_rules_that_take_long_are_refused(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object) -> tuple[GameFound, object]:
        raise UnplayableError("the rules are too hard to be read here")

    monkeypatch.setattr("ggp_player.pages.drawer.Drawer.game", never)
    status, text = await visitor.post("/rules", name="x", text=RULES)
    assert (status, text) == (409, "the rules are too hard to be read here")


async def test_nobody_else_begins(visitor: Visitor) -> None:
    before = visitor.gallery.session
    body = json.dumps({"game": "nim", "roles": [], "level": 1})
    for changed, status in FOREIGN:
        assert (await visitor.send("/begin", body, changed))[0] == status, changed
        rules = await visitor.send("/rules", json.dumps({"text": RULES}), changed)
        assert rules[0] == status, changed
    assert visitor.gallery.session is before
    assert not visitor.setups


async def test_what_is_no_request_is_refused(visitor: Visitor) -> None:
    for body in ("", "[]", '{"game": "nim"}', '{"game": "nim", "level": 6}'):
        assert (await visitor.send("/begin", body, {}))[0] == 400, body
    assert (await visitor.send("/rules", "{}", {}))[0] == 400


async def test_what_is_too_long_is_refused(visitor: Visitor) -> None:
    most = gallery_module.MAX_RULESHEET
    long = b'{"text": "' + most * b" " + b' "}'
    assert (await visitor.send("/rules", io.BytesIO(long), {}))[0] == 400
    assert (await visitor.send("/rules", io.BytesIO(2 * most * b" " + b"{}"), {}))[0] == 413
    assert (await visitor.get("/begin"))[0] == 405


async def test_all_matches_are_drawn_by_one_process_that_is_there_before_them(
    visitor: Visitor,
) -> None:
    helper = visitor.gallery._pages._drawer.helper
    assert visitor.drawing_process is not None
    for game in ("ticTacToe", "connectFour"):
        await visitor.begin(game)
        page = visitor.gallery._pages._page
        assert page is not None
        while (board := page._boards.newest()) is None:
            await page.table.news()
        assert board.drawing.svg
        assert helper.process is visitor.drawing_process
