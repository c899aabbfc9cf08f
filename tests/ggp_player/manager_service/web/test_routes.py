"""The API does what its document says, refuses what it cannot do, and says why."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from contextlib import AsyncExitStack
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import validate

from ggp_player.manager_service.rules import rules_pool
from ggp_player.manager_service.scheduling import roster
from ggp_player.manager_service.web.admission import MAX_NAMES
from ggp_player.manager_service.web.openapi import openapi_document
from ggp_player.manager_service.web.routes import ROUTES
from ggp_player.protocol import MatchRecord
from tests.support.manager_service import CLOCKS, Asker, asker, stub

EVENT = {"name": "cup", "format": "round_robin", "games": ["ticTacToe"], **CLOCKS}


def test_the_document_is_valid_openapi() -> None:
    validate(openapi_document(ROUTES))


async def test_the_document_has_all_routes_and_no_others(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking:
        document = await asking.done("GET", "/api/openapi.json")
        listed = {
            (method.upper(), path)
            for path, methods in document["paths"].items()
            for method in methods
        }
        assert listed == {(route.method, route.path) for route in ROUTES}
        for method, path in listed - {("GET", "/api/news")}:
            asked = re.sub(r"{id}", "77", re.sub(r"{name}", "nobody", path))
            status, found = await asking.ask(method, asked)
            is_missing = status == 404 and found["error"]["what"] == "Not Found"
            assert status != 405, (method, path)
            assert not is_missing, (method, path)


async def test_a_browser_at_a_wrong_address_gets_a_page_and_programs_json(tmp_path: Path) -> None:
    html = {"Accept": "text/html,*/*;q=0.8"}
    async with asker(tmp_path) as asking:
        url = f"http://127.0.0.1:{asking.service.port}"
        async with asking.session.get(f"{url}/wrong", headers=html) as answer:
            assert (answer.status, answer.content_type) == (404, "text/html")
            page = await answer.text()
        assert "<title>Not found" in page
        assert "There is no page at this address." in page
        assert '<a href="/">To the front page</a>' in page
        for method, path in (("GET", "/api/wrong"), ("POST", "/wrong")):
            status, found = await asking.ask(method, path, **html)
            assert (status, found["error"]["what"]) == (404, "Not Found")
        assert (await asking.ask("GET", "/wrong"))[0] == 404


def test_nobody_changes_anything_without_a_role() -> None:
    for_everybody = {route.request for route in ROUTES if route.role is None}
    assert for_everybody
    assert all(request.startswith("GET ") for request in for_everybody)
    assert {route.role for route in ROUTES if route.path == "/api/tokens"} == {"admin"}


def test_every_operation_has_a_name_of_its_own() -> None:
    paths = openapi_document(ROUTES)["paths"].values()
    names = [operation["operationId"] for methods in paths for operation in methods.values()]
    assert len(set(names)) == len(names) == len(ROUTES)


async def test_an_event_is_played_and_reported(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking, AsyncExitStack() as stack:
        names = ["ann", "bob", "cid"]
        players = [await stack.enter_async_context(stub(name, asking)) for name in names]
        event = await asking.done("POST", "/api/events", {**EVENT, "players": names})
        await asking.until("event_ended", event=event["id"])
        shown = await asking.done("GET", f"/api/events/{event['id']}")
        assert (shown["status"], shown["matches"]) == ("completed", {"completed": 6})
        matches = await asking.done("GET", f"/api/matches?event={event['id']}&status=completed")
        assert len({tuple(match["players"]) for match in matches}) == 6
        for match in matches:
            record = await asking.done("GET", f"/api/matches/{match['id']}/record")
            found = MatchRecord.from_json(json.dumps(record))
            assert found.is_completed
            assert found.player_names_from_host == tuple(match["players"])
            assert found.goal_values == tuple(match["result"]["goals"])
            assert not any(error for step in found.errors for error in step)
        rows = await asking.done("GET", f"/api/events/{event['id']}/standings")
        assert [row["matches"] for row in rows] == [4, 4, 4]
        assert all(row["rating"]["low"] < row["rating"]["value"] for row in rows)
        assert sum(len(player.started) for player in players) == 12


async def test_an_event_is_followed_live_and_on_pages_that_load_nothing_from_elsewhere(
    tmp_path: Path,
) -> None:
    async with asker(tmp_path) as asking, stub("ann", asking), stub("bob", asking):
        url = f"http://127.0.0.1:{asking.service.port}/api/news"
        async with asking.session.get(url) as stream:
            assert stream.content_type == "text/event-stream"
            sent = {**EVENT, "name": "<b>cup</b>", "format": "single", "players": ["ann", "bob"]}
            event = await asking.done("POST", "/api/events", sent)
            kinds = []
            async for line in stream.content:
                if line.startswith(b"data: "):
                    kinds.append(json.loads(line[6:])["kind"])
                if "event_ended" in kinds:
                    break
        assert kinds[:2] == ["event_started", "match_started"]
        assert kinds[-2:] == ["match_ended", "event_ended"]
        assert 5 <= kinds.count("match_step") - 1 <= 9
        for path in ("/", f"/events/{event['id']}"):
            url = f"http://127.0.0.1:{asking.service.port}{path}"
            async with asking.session.get(url) as page:
                text = await page.text()
                assert page.status == 200
                assert "default-src 'none'" in page.headers["Content-Security-Policy"]
            assert "&lt;b&gt;cup" in text
            assert "<b>cup" not in text
            assert "/api/matches/1/record" in text
            assert not re.search(r"(src|href)=\"(https?:)?//", text)
            assert not re.search('<form[^>]* action="(?!/)', text)


async def test_a_match_goes_on_when_a_player_dies(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking, stub("ann", asking):
        async with stub("bob", asking):
            pass
        sent = {**EVENT, "format": "single", "players": ["ann", "bob"]}
        asking.service.scheduler.roster.presences["bob"].away_since = None
        await asking.done("POST", "/api/events", sent)
        ended = await asking.until("match_ended")
        assert sum(ended["goals"]) == 100
        match = await asking.done("GET", f"/api/matches/{ended['match']}")
        assert {error.split()[1] for error in match["result"]["errors"][1]} == {"CE"}
        assert match["result"]["errors"][0] == []


async def test_a_cancelled_event_ends(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking, stub("ann", asking), stub("bob", asking):
        sent = {**EVENT, "players": ["ann", "bob"], "rounds": 1000}
        event = await asking.done("POST", "/api/events", sent)
        await asking.until("match_ended")
        found = await asking.done("POST", f"/api/events/{event['id']}/cancel")
        assert found["status"] == "cancelled"
        assert found["matches"]["cancelled"] >= 1900
        status, refused = await asking.ask("POST", f"/api/events/{event['id']}/cancel")
        assert (status, refused["error"]["where"]) == (409, "id")


REFUSED: list[tuple[str, str, Any, int, str]] = [
    ("POST", "/api/events", {}, 422, "name"),
    ("POST", "/api/events", {**EVENT, "extra": 1}, 422, "extra"),
    ("POST", "/api/events", {**EVENT, "play_clock": -1}, 422, "play_clock"),
    ("POST", "/api/events", {**EVENT, "seed": 1.5}, 422, "seed"),
    ("POST", "/api/events", {**EVENT, "seed": "two words"}, 422, "seed"),
    ("POST", "/api/events", {**EVENT, "spectator_delay": -1}, 422, "spectator_delay"),
    ("POST", "/api/events", {**EVENT, "games": ["noSuchGame"]}, 404, "games"),
    ("POST", "/api/events", {**EVENT, "players": ["zoe"]}, 422, "players"),
    ("POST", "/api/events", {**EVENT, "format": "lottery"}, 422, "format"),
    ("PUT", "/api/players/ann", {"address": "nonsense!"}, 422, "address"),
    ("PUT", "/api/players/ann", {"address": "./evil.py:Class"}, 422, "address"),
    ("PUT", "/api/players/ann", {"address": "127.0.0.1:99999"}, 422, "address"),
    ("PUT", "/api/players/an%20n", {"address": "127.0.0.1:9147"}, 422, "name"),
    (
        "PUT",
        "/api/players/ann",
        {"address": "127.0.0.1:1", "dialects": ["X"]},
        422,
        "dialects.0",
    ),
    ("PUT", "/api/games/bad", {"rules": "(role a"}, 422, "rules"),
    ("PUT", "/api/games/bad", {"rules": ""}, 422, "rules"),
    ("GET", "/api/matches/12", None, 404, "id"),
    ("GET", "/api/matches/x", None, 404, "id"),
    ("GET", "/api/matches?limit=many", None, 422, "limit"),
    ("GET", "/api/players/nobody", None, 404, "name"),
]
"""Requests, and the status of what refuses them, with the place that it names."""


async def test_what_cannot_be_done_is_refused_with_a_reason(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking:
        for method, path, sent, status, where in REFUSED:
            found = await asking.ask(method, path, sent)
            assert found[0] == status, (method, path, sent, found)
            assert found[1]["error"]["where"] == where, (method, path, sent, found)
            assert found[1]["error"]["what"]


async def test_a_body_that_is_no_json_is_refused(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking:
        url = f"http://127.0.0.1:{asking.service.port}/api/events"
        for body, kind, status in (
            (b"{", "application/json", 422),
            (b"\xff", "application/json", 422),
            (b"name=cup", "application/x-www-form-urlencoded", 415),
        ):
            async with asking.session.post(
                url, data=body, headers={"Content-Type": kind}
            ) as answer:
                assert answer.status == status
                assert (await answer.json())["error"]["what"]


async def test_rules_that_take_too_long_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules_pool, "CHECK_SECONDS", 0.01)
    async with asker(tmp_path) as asking:
        status, found = await asking.ask("PUT", "/api/games/slow", {"rules": "(role a)"})
        assert (status, found["error"]["where"]) == (422, "rules")
        assert "take more than 0.01 s" in found["error"]["what"]


async def test_a_service_for_others_wants_tokens_for_changes(tmp_path: Path) -> None:
    async with asker(tmp_path, host="0.0.0.0") as asking, stub_token(asking, "player") as player:
        body = {"address": "127.0.0.1:1", "lifetime": 60}
        status, found = await asking.ask("PUT", "/api/players/ann", body)
        assert (status, found["error"]["where"]) == (401, "Authorization")
        assert (await asking.ask("GET", "/api/players"))[0] == 200
        assert (await player.ask("PUT", "/api/players/ann", body))[0] == 200
        assert (await player.ask("PUT", "/api/players/bob", {"address": "127.0.0.1:1"}))[0] == 403
        assert (await player.ask("POST", "/api/events", EVENT))[0] == 403
        async with stub_token(asking, "player", "other") as other:
            assert (await other.ask("DELETE", "/api/players/ann"))[0] == 403
        async with stub_token(asking, "admin", "boss") as admin:
            assert (await admin.ask("DELETE", "/api/tokens/tok"))[0] == 200
            assert all(one["secret"] is None for one in await admin.done("GET", "/api/tokens"))
        assert (await player.ask("DELETE", "/api/players/ann"))[0] == 401


async def test_a_token_has_so_many_names(tmp_path: Path) -> None:
    async with asker(tmp_path, host="0.0.0.0") as asking, stub_token(asking, "player") as player:
        body = {"address": "127.0.0.1:1", "lifetime": 60}
        names = [f"/api/players/ann{number}" for number in range(MAX_NAMES + 3)]
        answers = await asyncio.gather(*(player.ask("PUT", name, body) for name in names))
        refused = [found["error"] for status, found in answers if status == 409]
        assert [status for status, _ in answers].count(200) == MAX_NAMES
        assert {error["what"] for error in refused} == {
            "this token has 8 names already, which is the most"
        }
        taken = next(name for name, answer in zip(names, answers, strict=True) if answer[0] == 200)
        assert (await player.ask("PUT", taken, body))[0] == 200
        assert (await player.ask("DELETE", taken))[0] == 200  # the name stays the token's
        free = next(name for name, answer in zip(names, answers, strict=True) if answer[0] == 409)
        assert (await player.ask("PUT", free, body))[0] == 409
        assert (await player.ask("PUT", taken, body))[0] == 200


async def test_the_players_are_bounded_where_no_token_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roster, "MAX_PLAYERS", 3)
    async with asker(tmp_path) as asking:
        for number in range(3):
            await asking.done("PUT", f"/api/players/bot{number}", {"address": "random"})
        status, found = await asking.ask("PUT", "/api/players/bot3", {"address": "random"})
        assert (status, found["error"]["what"]) == (
            409,
            "3 players are registered, which is the most",
        )


async def test_a_player_is_registered_where_it_is_or_where_that_is_allowed(tmp_path: Path) -> None:
    networks = (ip_network("192.0.2.6/31"),)
    async with (
        asker(tmp_path, host="0.0.0.0", networks=networks) as asking,
        stub_token(asking, "player") as player,
        stub_token(asking, "organiser", "org") as organiser,
    ):
        asking.service.scheduler.roster.check = nobody_is_asked  # type: ignore[method-assign,assignment]
        for address, status in (
            ("127.0.0.1:1", 200),  # where the request comes from
            ("192.0.2.7:9147", 200),
            ("192.0.2.8:9147", 403),
            ("169.254.169.254:80/latest", 403),
            ("[::1]:9147", 403),
            ("localhost:9147", 403),
            ("random", 403),
        ):
            body = {"address": address, "lifetime": 60}
            found, answer = await player.ask("PUT", "/api/players/ann", body)
            assert found == status, address
            assert status == 200 or answer["error"]["where"] == "address"
            assert (await organiser.ask("PUT", "/api/players/bob", body))[0] == 200, address


async def nobody_is_asked(_name: str) -> None:
    """Stand for asking players whether they are there."""


class stub_token:  # noqa: N801 - used as a context
    """An asker with a token of a role."""

    def __init__(self, asking: Asker, role: str, name: str = "tok") -> None:
        self._asking, self._role, self._name = asking, role, name

    async def __aenter__(self) -> Asker:
        service = self._asking.service
        token = service.tokens.create(self._name, self._role)  # type: ignore[arg-type]
        return Asker(service, self._asking.session, token)

    async def __aexit__(self, *_: object) -> None:
        return None


async def test_a_private_service_shows_nothing_without_a_token(tmp_path: Path) -> None:
    async with asker(tmp_path, host="0.0.0.0", private=True) as asking:
        for path in ("/api/players", "/api/matches", "/api/openapi.json"):
            status, found = await asking.ask("GET", path)
            assert status == 401, found
        async with stub_token(asking, "spectator") as spectator:
            assert (await spectator.ask("GET", "/api/players"))[0] == 200
            given = base64.b64encode(f"any:{spectator.token}".encode()).decode()
            url = f"http://127.0.0.1:{asking.service.port}/"
            headers = {"Authorization": f"Basic {given}"}
            async with asking.session.get(url, headers=headers) as page:
                assert page.status == 200


async def test_other_sites_in_a_browser_here_change_nothing(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking:
        body = {"address": "127.0.0.1:1"}
        for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            assert (await asking.ask("PUT", "/api/players/ann", body, **headers))[0] == 401
            assert (await asking.ask("GET", "/api/news", **headers))[0] == 403
        assert (await asking.ask("PUT", "/api/players/ann", body))[0] == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2"])
async def test_a_manager_of_this_machine_answers_to_its_names_only(
    tmp_path: Path, host: str
) -> None:
    async with asker(tmp_path, host=host) as asking, stub_token(asking, "spectator") as reader:
        address = f"{host}:{asking.service.port}"
        for path in ("/", "/api/players", "/api/openapi.json", "/api/news", "/people/ann/"):
            for name in ("evil.example", f"evil.example:{asking.service.port}", "192.0.2.7"):
                status, text = await fetch(asking, f"http://{address}{path}", Host=name)
                assert status == 403, (path, name)
                assert f"not called {name}" in text
        for name in (address, "127.0.0.1", "localhost:80", "LOCALHOST.", "[::1]:80", "127.9.8.7"):
            assert (await fetch(asking, f"http://{address}/api/players", Host=name))[0] == 200
        bearer = {"Authorization": f"Bearer {reader.token}", "Host": "evil.example"}
        assert (await fetch(asking, f"http://{address}/api/players", **bearer))[0] == 200


async def fetch(asking: Asker, url: str, **headers: str) -> tuple[int, str]:
    """Return the status and the text of an answer."""
    async with asking.session.get(url, headers=headers) as answer:
        return answer.status, await answer.text()


async def test_a_name_belongs_to_the_token_that_made_it(tmp_path: Path) -> None:
    seat, body = {"name": "ann"}, {"address": "127.0.0.1:1", "lifetime": 60}
    for_others: dict[str, Any] = {"host": "0.0.0.0"}
    async with asker(tmp_path, **for_others) as asking, stub_token(asking, "player", "red") as red:
        assert (await red.ask("PUT", "/api/players/ann", body))[0] == 200
        await asking.service.scheduler.remove_player("ann")  # as when it has expired
        async with stub_token(asking, "admin", "boss") as boss:
            assert (await boss.ask("DELETE", "/api/tokens/red"))[0] == 200
    async with (
        asker(tmp_path, **for_others) as asking,
        stub_token(asking, "player", "blue") as rival,
        stub_token(asking, "organiser", "org") as organiser,
    ):
        attempts = (
            ("PUT", "/api/players/ann", body),
            ("POST", "/api/people", seat),
            ("GET", "/api/poll?recipient=ann", None),
        )
        for method, path, sent in attempts:
            status, found = await rival.ask(method, path, sent)
            assert (status, found["error"]["where"]) == (403, "name")
            assert "belongs to another token" in found["error"]["what"]
            assert "organiser releases this one" in found["error"]["expected"]
        assert (await rival.ask("DELETE", "/api/names/ann"))[0] == 403
        [shown] = await organiser.done("GET", "/api/names")
        assert (shown["name"], shown["owner"]) == ("ann", "red")
        assert (await organiser.ask("PUT", "/api/players/ann", body))[0] == 200
        assert (await organiser.done("GET", "/api/names"))[0]["owner"] == "red"
        assert (await rival.ask("PUT", "/api/players/ann", body))[0] == 403
        assert (await organiser.ask("DELETE", "/api/names/ann"))[0] == 200
        assert (await organiser.ask("DELETE", "/api/names/ann"))[0] == 404
        assert (await rival.ask("PUT", "/api/players/ann", body))[0] == 200
        [shown] = await organiser.done("GET", "/api/names")
        assert (shown["name"], shown["owner"]) == ("ann", "blue")


@pytest.mark.parametrize(
    ("method", "path", "sent"),
    [
        ("PUT", "/api/players/ann", {"address": "127.0.0.1:1", "lifetime": 60}),
        ("POST", "/api/people", {"name": "ann"}),
    ],
)
async def test_on_this_machine_a_token_keeps_its_names_and_others_are_nobodys(
    tmp_path: Path, method: str, path: str, sent: dict[str, Any]
) -> None:
    async with asker(tmp_path) as asking, stub_token(asking, "player", "red") as red:
        assert (await asking.ask(method, path, sent))[0] < 300
        assert (await red.ask(method, path, sent))[0] == 403  # somebody is there
        assert (await asking.ask("DELETE", "/api/players/ann"))[0] == 200
        assert (await red.ask(method, path, sent))[0] < 300
        await asking.service.scheduler.remove_player("ann")
        status, found = await asking.ask(method, path, sent)
        assert status == 403
        assert "belongs to the token red" in found["error"]["what"]
        assert (await red.ask(method, path, sent))[0] < 300


async def test_a_name_is_not_taken_from_a_player_that_answers(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking, stub("ann", asking):
        body = {"address": "127.0.0.1:1", "lifetime": 60}
        status, found = await asking.ask("PUT", "/api/players/ann", body)
        assert (status, found["error"]["where"]) == (409, "name")
