"""Organisers use forms; nobody else does, and no page of another site."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from ggp_player.manager_service.scheduling.public_view import RunningMatch
from ggp_player.manager_service.storage.store import EventMatch
from ggp_player.manager_service.web import live_boards
from tests.support.certificates import new_certificate
from tests.support.hidden_games import THREE_DOORS
from tests.support.manager_service import CLOCKS, Asker, asker, stub
from tests.support.paths import GAMES

FORM = {
    "name": "cup",
    "format": "round_robin",
    "games": "ticTacToe",
    "players": "ann bob",
    "start_clock": "1",
    "play_clock": "1",
    "start": "true",
}


class Browser:
    """Sends forms as a browser does, with its cookies."""

    def __init__(self, asking: Asker, session: aiohttp.ClientSession, scheme: str = "http") -> None:
        self.base = f"{scheme}://127.0.0.1:{asking.service.port}"
        self.session = session

    async def get(self, path: str, **headers: str) -> tuple[int, str]:
        async with self.session.get(f"{self.base}{path}", headers=headers) as answer:
            return answer.status, await answer.text()

    async def send(
        self, path: str, form: Mapping[str, str], origin: str | None = None, **headers: str
    ) -> tuple[int, str]:
        """Send a form from our own page, or from that of another origin; none with ``""``."""
        said = {"Origin": self.base if origin is None else origin, **headers}
        said = {name: value for name, value in said.items() if value}
        async with self.session.post(f"{self.base}{path}", data=form, headers=said) as answer:
            return answer.status, await answer.text()

    async def log_in(self, token: str) -> None:
        status, text = await self.send("/login", {"token": token})
        assert (status, "Log out" in text) == (200, True)


@asynccontextmanager
async def opened(asking: Asker) -> AsyncIterator[Browser]:
    jar = aiohttp.CookieJar(unsafe=True)  # unsafe: cookies of addresses, too
    async with aiohttp.ClientSession(cookie_jar=jar) as session:
        yield Browser(asking, session)


@asynccontextmanager
async def guarded(tmp_path: Path, **settings: object) -> AsyncIterator[tuple[Asker, Browser]]:
    """Run a manager that wants tokens, with an organiser who has logged in."""
    async with asker(tmp_path, host="0.0.0.0", **settings) as asking, opened(asking) as browser:
        asking.token = asking.service.tokens.create("olga", "organiser")
        await browser.log_in(asking.token)
        yield asking, browser


async def test_a_form_of_another_site_changes_nothing(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (asking, browser), stub("ann", asking), stub("bob", asking):
        other_port = "http://127.0.0.1:1"
        for origin in (other_port, "null", "http://evil.example", ""):
            status, _ = await browser.send("/events/new", FORM, origin)
            assert status == 403, origin
        status, _ = await browser.send("/events/new", FORM, **{"Sec-Fetch-Site": "same-site"})
        assert status == 403
        assert await asking.done("GET", "/api/events") == []
        status, _ = await browser.send("/events/new", FORM)
        assert status == 200
        assert len(await asking.done("GET", "/api/events")) == 1


async def test_the_cookie_allows_no_json_from_another_site(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (_, browser):
        url = f"{browser.base}/api/players/mallory"
        for headers in ({"Origin": "http://127.0.0.1:1"}, {}):
            sent = {"address": "random"}
            async with browser.session.put(url, json=sent, headers=headers) as answer:
                assert answer.status == 403
        async with browser.session.put(url, json=sent, headers={"Origin": browser.base}) as answer:
            assert answer.status == 200


async def test_on_this_machine_another_sites_form_changes_nothing_either(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking, opened(asking) as browser:
        sent = {"name": "bot", "address": "random"}
        assert (await browser.send("/players/new", sent, "http://127.0.0.1:1"))[0] == 403
        assert (await browser.send("/players/new", sent))[0] == 200
        assert [one["name"] for one in await asking.done("GET", "/api/players")] == ["bot"]


async def test_the_session_ends_with_its_token_and_by_logging_out(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (asking, browser):
        assert (await browser.get("/invite"))[0] == 200
        await browser.send("/logout", {})
        assert (await browser.get("/invite"))[0] == 401
        await browser.log_in(asking.token)
        asking.service.tokens.revoke("olga")
        assert (await browser.get("/invite"))[0] == 401


async def test_a_cookie_is_for_encrypted_connections_where_a_proxy_says_so(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (asking, browser):
        headers = {"Origin": browser.base.replace("http", "https"), "X-Forwarded-Proto": "https"}
        url, form = f"{browser.base}/login", {"token": asking.token}
        request = browser.session.post(url, data=form, headers=headers, allow_redirects=False)
        async with request as answer:
            cookie = answer.headers["Set-Cookie"]
        for word in ("HttpOnly", "SameSite=Strict", "Secure", "Path=/"):
            assert word in cookie
        assert asking.token not in cookie


async def test_players_and_guests_find_no_forms_and_may_send_none(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (asking, _), opened(asking) as browser:
        for path in ("/events/new", "/players/new", "/invite"):
            assert (await browser.get(path))[0] == 401
        await browser.log_in(asking.service.tokens.create("red", "player"))
        for path in ("/events/new", "/players/new", "/invite", "/games", "/events/1/start"):
            assert (await browser.send(path, FORM))[0] == 403, path
        assert "New event" not in (await browser.get("/"))[1]


async def test_a_private_manager_shows_the_login_in_place_of_its_pages(tmp_path: Path) -> None:
    async with guarded(tmp_path, private=True) as (asking, organiser), opened(asking) as browser:
        for path in ("/", "/live", "/games", "/events/1", "/events/1/matches.csv"):
            status, text = await browser.get(path)
            assert (status, "Token" in text) == (401, True), path
        assert (await organiser.get("/"))[0] == 200


async def test_an_event_is_held_by_forms_alone(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (asking, browser), stub("ann", asking), stub("bob", asking):
        form = {key: value for key, value in FORM.items() if key != "start"}
        status, text = await browser.send("/events/new", {**form, "players": "ann zoe"})
        assert (status, "zoe not registered" in text, 'value="cup"' in text) == (422, True, True)
        assert (await browser.send("/events/new", {**form, "rounds": "500"}))[0] == 200
        assert (await asking.done("GET", "/api/events/1"))["status"] == "planned"
        assert (await asking.done("GET", "/api/events/1"))["seed"] is None
        assert (await browser.send("/events/1/start", {}))[0] == 200
        await asking.until("match_ended")
        assert (await browser.send("/events/1/pause", {}))[0] == 200
        assert (await browser.send("/events/1/pause", {}))[0] == 409
        assert (await browser.send("/events/1/withdraw", {"player": "zoe"}))[0] == 422
        assert (await browser.send("/events/1/withdraw", {"player": "bob"}))[0] == 200
        shown = await asking.done("GET", "/api/events/1")
        assert shown["settings"]["withdrawn"].keys() == {"bob"}
        assert shown["matches"]["cancelled"] >= 990
        assert (await browser.send("/events/1/cancel", {}))[0] == 200


async def test_a_cancelled_event_is_shown_as_cancelled_unless_it_is_delayed(
    tmp_path: Path,
) -> None:
    planned = {**FORM, "spectator_delay": "60"}
    del planned["start"]
    async with guarded(tmp_path) as (asking, browser), stub("ann", asking), stub("bob", asking):
        _, page = await browser.send("/events/new", planned)
        assert "60 s later" in page
        assert "Cancel it for good" in page
        _, page = await browser.send("/events/1/cancel", {})
        assert "<dd>cancelled</dd>" in page
        assert "Cancel it for good" not in page
        await browser.send("/events/new", {**FORM, "spectator_delay": "600"})
        cancelled = await asking.done("POST", "/api/events/2/cancel")
        assert cancelled["status"] == "cancelled"
        assert (await asking.done("GET", "/api/events/2"))["status"] == "running"
        _, page = await browser.get("/events/2")
        assert "<dd>running</dd>" in page
        assert "Cancel it for good" not in page


async def test_a_decision_counts_and_is_marked(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (asking, browser), stub("ann", asking), stub("bob", asking):
        await browser.send("/events/new", FORM)
        await asking.until("event_ended")
        sent = {"match": "1", "goals": "12, 34", "reason": "=a draw was agreed"}
        status, text = await browser.send("/events/1/decide", {**sent, "goals": "12"})
        assert (status, "expected 2 of them" in text) == (422, True)
        assert (await browser.send("/events/1/decide", {**sent, "match": "9"}))[0] == 422
        assert (await browser.send("/events/1/decide", {**sent, "goals": "1 101"}))[0] == 422
        _, page = await browser.get("/events/1")
        assert '<option value="1">ticTacToe: ann, bob (completed)</option>' in page
        status, text = await browser.send("/events/1/decide", sent)
        assert (status, "decided: =a draw was agreed" in text) == (200, True)
        result = (await asking.done("GET", "/api/matches/1"))["result"]
        assert (result["goals"], result["adjudicated"]) == ([12, 34], "=a draw was agreed")
        _, csv = await browser.get("/events/1/matches.csv")
        assert "'=a draw was agreed" in csv  # no formula for a spreadsheet
        _, whole = await browser.get("/events/1/event.json")
        found = json.loads(whole)
        assert len(found["matches"]) == 2
        assert {cell["matches"] for cell in found["crosstable"]["cells"]} == {2}


@pytest.mark.parametrize(
    ("game", "players", "goals"),
    [("ticTacToe", ["ann", "bob"], [60, 40]), ("doors", ["ann"], [70])],
    ids=["two players", "chance is the first role"],
)
async def test_a_running_match_is_broken_off_by_a_decision(
    game: str, players: list[str], goals: list[int], tmp_path: Path
) -> None:
    async with asker(tmp_path) as asking, stub("ann", asking) as ann, stub("bob", asking):
        await asking.done("PUT", "/api/games/doors", {"rules": THREE_DOORS})
        sent = {"name": "cup", "format": "single", "games": [game], **CLOCKS}
        with asking.service.scheduler.news.follow() as queue:
            await asking.done("POST", "/api/events", {**sent, "players": players})
            while json.loads(await queue.get() or "")["kind"] != "match_started":
                pass
            decision = {"goals": goals, "reason": "time"}
            await asking.done("POST", "/api/matches/1/result", decision)
            while json.loads(await queue.get() or "")["kind"] != "event_ended":
                pass
        shown = await asking.done("GET", "/api/matches/1")
        assert (shown["status"], shown["result"]["goals"]) == ("completed", goals)
        assert shown["result"]["adjudicated"] == "time"
        assert ann.stopped == [] or not ann.started


@pytest.fixture
def boards_take_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a board is not drawn in two seconds, and the page then shows none."""
    monkeypatch.setattr(live_boards, "DRAWING_SECONDS", 60.0)


@pytest.mark.usefixtures("boards_take_their_time")
async def test_boards_show_what_is_public_and_nothing_hidden(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (asking, _), opened(asking) as browser:
        await asking.done("PUT", "/api/players/carl", {"address": "human"})
        await asking.done("PUT", "/api/games/doors", {"rules": THREE_DOORS})
        running = asking.service.scheduler.public.running
        games = {game["name"]: game for game in await asking.done("GET", "/api/games")}
        digest = games["doors"]["digest"]
        match = EventMatch(7, 1, "1.doors.carl", "doors", digest, 1, 0, ("carl",), "running", 1)
        running[7] = RunningMatch(match)
        running[7].take(1, {"errors": [""]})
        _, text = await browser.get("/live")
        assert "not shown before it is over" in text
        assert "(car" not in text
        running[7].moves.append(("(hide 2)", "noop"))
        assert "hide 2" in (await browser.get("/live"))[1]  # as this would show it


async def test_an_invitation_makes_players_and_can_be_revoked(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (asking, organiser), opened(asking) as browser:
        _, text = await organiser.send("/invite", {"days": "3"})
        path = f"/join/{text.partition('/join/')[2].partition('<')[0]}"
        assert "<svg" in text
        before = asking.service.tokens.list()
        assert (await browser.get(path))[0] == 200
        assert asking.service.tokens.list() == before
        assert (await browser.send(path, {"name": "red team"}))[0] == 422
        status, text = await browser.send(path, {"name": "red"})
        assert (status, "--register-token" in text) == (200, True)
        assert (await browser.send(path, {"name": "olga"}))[0] == 409
        [red] = [one for one in asking.service.tokens.list() if one.name == "red"]
        assert red.role == "player"
        late = f"{int(path[6:].partition('-')[0], 16) + 1:x}-{path.partition('-')[2]}"
        assert (await browser.send(f"/join/{late}", {"name": "blue"}))[0] == 403
        await organiser.send("/invite", {"action": "revoke"})
        assert (await browser.send(path, {"name": "blue"}))[0] == 403


async def test_a_certificate_encrypts_all(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    certificate, key = new_certificate(tmp_path)
    trusting = ssl.create_default_context(cafile=str(certificate))
    connector = aiohttp.TCPConnector(ssl=trusting)
    jar = aiohttp.CookieJar(unsafe=True)
    settings = {"host": "0.0.0.0", "tls_cert": certificate, "tls_key": key}
    async with (
        asker(tmp_path, **settings) as asking,
        aiohttp.ClientSession(connector=connector, cookie_jar=jar) as session,
    ):
        browser = Browser(asking, session, "https")
        await browser.log_in(asking.service.tokens.create("olga", "organiser"))
        assert all(cookie["secure"] for cookie in jar)
        assert (await browser.get("/invite"))[0] == 200
        _, text = await browser.send("/invite", {"days": "1"})
        assert f"{browser.base}/join/" in text
        with pytest.raises(aiohttp.ClientError):
            await session.get(browser.base.replace("https", "http"))
        port = asking.service.port
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusting)
        writer.write(b"GET /login HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert (await reader.readline()).split()[1] == b"200"
        writer.close()  # before all of the answer is read, as browsers do, too
        await writer.wait_closed()
        await browser.get("/login")  # the manager has seen the end of the other by now
    assert [record.message for record in caplog.records if record.name == "asyncio"] == []


@pytest.mark.usefixtures("boards_take_their_time")
async def test_live_boards_say_who_has_made_which_move_and_how_it_ended(tmp_path: Path) -> None:
    async with guarded(tmp_path) as (asking, _), opened(asking) as browser:
        sent = {"rules": (GAMES / "connectFour.kif").read_text()}
        digest = (await asking.done("PUT", "/api/games/four", sent))["digest"]
        match = EventMatch(7, 1, "1.c.a", "four", digest, 1, 0, ("ann", "bob"), "running", 1)
        running = asking.service.scheduler.public.running
        running[7] = RunningMatch(match)
        running[7].take(1, {"moves": ["(drop 4)", "noop"]})
        _, text = await browser.get("/live")
        assert 'ann <span class="soft small">red</span>' in text
        assert "step 1 · ann: column 4</p>" in text
        running[7].goals = (100, 0)
        _, text = await browser.get("/live")
        assert "</span> <strong>100</strong>, bob" in text
        assert "over after 1 step · " in text
