"""The pages of the player over real sockets, at the port of the protocol."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import aiohttp
import pytest

from ggp_player.pages import event_stream
from ggp_player.pages.security import PAGE_HEADERS
from tests.ggp_player.pages.conftest import HTML, Served
from tests.support import hostile_names
from tests.support.hostile_names import MATCH_ID, NAMES
from tests.support.loop_watch import LoopWatch

INFO = "( ( name ggp-player ) ( status available ) )"

SECRET = "a-secret-of-some-length"

Until = Callable[[Callable[[], Awaitable[object]]], Awaitable[None]]


async def key_of(served: Served) -> str:
    key: str = (await served.matches())[0]["match"]
    return key


async def test_a_browser_gets_a_page_where_others_get_a_reply(served: Served) -> None:
    status, headers, text = await served.get("/")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "Matches of this player" in text
    assert PAGE_HEADERS.items() <= headers.items()
    for path, accept in (("/", "*/*"), ("/%28INFO%29", HTML["Accept"]), ("/", "text/acl")):
        status, headers, text = await served.get(path, {"Accept": accept})
        assert (status, headers["Content-Type"], text) == (200, "text/acl", INFO)
        assert "Content-Security-Policy" not in headers
    assert await served.send("") == INFO
    status, _, text = await served.get("/healthz")
    assert json.loads(text)["searches_failing"] is False


async def test_a_browser_at_a_wrong_address_gets_a_page_and_messages_stay(serve: Any) -> None:
    async with serve(no_archive=True) as served:
        for path in ("/wrong", "/robots.txt", "/a/b?c=d", "/archive", "/archive/1", "/information"):
            status, headers, text = await served.get(path)
            assert (status, headers["Content-Type"]) == (404, "text/html; charset=utf-8"), path
            assert PAGE_HEADERS.items() <= headers.items()
            assert "<title>Not found" in text
            assert "There is no page at this address." in text
            assert '<a href="/">To the front page</a>' in text
        status, headers, text = await served.get("/wrong", {"Accept": "*/*"})
        assert (status, headers["Content-Type"]) == (200, "text/acl")
        assert text.startswith("error: character 1: expected one of INFO")
        for path in ("/%28INFO%29", "/info", "/INFO", "/%20"):
            assert (await served.get(path))[::2] == (200, INFO), path
        assert (await served.get("/info%28%29"))[2].startswith("info(name(")
        assert (await served.get("/%28wrong%29"))[2].startswith("error: character 2")
        assert (await served.send("wrong")).startswith("error: character 1")


async def test_pages_can_be_turned_off(serve: Any) -> None:
    async with serve(pages=False) as served:
        assert (await served.get("/"))[2] == INFO
        for path in ("/archive", "/wrong"):
            assert (await served.get(path))[2].startswith("error:")


async def test_what_is_not_there_is_a_page_that_says_so(served: Served) -> None:
    for path in (
        "/static/x/nothing.js",
        "/static/x/..%2Fsite.py",
        "/static/x/%2e%2e%2f__init__.py",
        "/matches/none/events",
        "/archive/none",
        "/archive/none/data",
        "/archive/1",
    ):
        status, _, text = await served.get(path)
        assert status == 404, path
        assert "import" not in text
        assert "error:" in text or "That did not work" in text


async def test_a_match_is_pushed_as_it_is_played(served: Served, fields: str) -> None:
    assert await served.send(f"( START m.1 xena ( {fields} ) 5 5 )") == "ready"
    key = await key_of(served)
    status, _, page = await served.get(f"/matches/{key}")
    assert status == 200
    assert f'data-match="{key}"' in page
    seen: dict[str, Any] = {}
    async with served.events(f"/matches/{key}/events") as messages:
        move = await served.send("( PLAY m.1 NIL )")
        async with asyncio.timeout(20):
            async for message in messages:
                seen |= message
                turns = seen.get("turns", [])
                is_drawn = "<svg" in seen.get("board", {}).get("svg", "")
                if is_drawn and any(turn["move"] for turn in turns):
                    break
    assert seen["about"]["match_id"] == "m.1"
    assert seen["about"]["roles"] == ["xena", "Oscar"]
    assert seen["clock"]["kind"] == "play"
    assert move in {turn["move"] for turn in seen["turns"]}
    assert await served.send(f"( STOP m.1 ( {move} noop ) )") == "done"
    again: dict[str, Any] = {}
    async with served.events(f"/matches/{key}/events") as messages, asyncio.timeout(20):
        async for message in messages:  # all of it, to a viewer that comes again
            again |= message
            if again["about"]["status"] == "completed":
                break
    assert again["turns"][0]["joint_move"] == [move, "noop"]


DRAW = """(role ann) (role random) (init (step 1)) (legal ann draw) (legal random roll)
(<= (next (step 2)) (true (step 1))) (<= terminal (true (step 2))) (goal ann 90) (goal random 50)"""


async def test_chance_has_no_goal_in_the_archive(served: Served, until: Until) -> None:
    assert await served.send(f"( START m.1 ann ( {DRAW} ) 5 5 )") == "ready"
    assert await served.send("( PLAY m.1 NIL )") == "draw"
    assert await served.send("( STOP m.1 ( draw roll ) )") == "done"

    async def is_archived() -> bool:
        return "<b>90</b>" in (await served.get("/archive"))[2]

    await until(is_archived)
    for path in ("/archive", "/archive/1"):
        page = (await served.get(path))[2]
        assert "random" in page
        assert "<b>90</b>" in page
        assert "<b>50</b>" not in page


async def test_hostile_names_are_never_markup(served: Served, until: Until) -> None:
    assert await served.send(hostile_names.start()) == "ready"
    key = await key_of(served)
    move = await served.send(f"( PLAY {MATCH_ID} NIL )")
    other = move
    assert await served.send(f"( STOP {MATCH_ID} ( {move} {other} ) )") == "done"

    async def is_archived() -> bool:
        status, _, text = await served.get("/archive")
        return status == 200 and "completed" in text

    await until(is_archived)
    for path in ("/", f"/matches/{key}", "/archive", "/archive/1", f"/archive/{key}"):
        status, _, text = await served.get(path)
        assert status == 200
        assert "&lt;script&gt;" in text
        for name in NAMES:
            assert name not in text
    (first, *_) = await served.json("/archive/1/boards?first=0&count=4&length=2")
    assert first["svg"]
    assert first["ending"] == ""
    assert not any(name in first["svg"] for name in NAMES)
    for path in ("/archive/1/data", "/archive/1/boards"):
        _, headers, _ = await served.get(path)
        assert headers["Content-Type"].startswith("application/json")
        assert headers["X-Content-Type-Options"] == "nosniff"
    query = "game=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&offset=x"
    assert "<script>alert" not in (await served.get(f"/archive?{query}"))[2]


async def test_other_sites_see_no_page_and_send_no_message(served: Served) -> None:
    own = f"http://127.0.0.1:{served.port}"
    refused = (
        {"Origin": "http://evil.example.org"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Host": "evil.example.org"},
        {"Sec-Fetch-Site": "same-origin", "Host": "evil.example.org"},
        {"Sec-Fetch-Site": "same-site", "Origin": own},
    )
    for headers in refused:
        assert (await served.get("/archive", {**HTML, **headers}))[0] == 403
    same = {"Sec-Fetch-Site": "same-origin", "Origin": own}
    assert (await served.get("/archive", {**HTML, **same}))[0] == 200
    for method, path in (("POST", "/"), ("POST", "/archive"), ("GET", "/%28INFO%29")):
        request = served.session.request(method, served.url(path), headers=same, data=b"")
        async with request as response:
            assert response.status == 403


async def test_pages_behind_a_secret_stay_behind_it(serve: Any) -> None:
    async with serve(token=SECRET) as served:
        for path in ("/", "/archive", "/static/x/style.css", "/events"):
            assert (await served.get(path))[0] == 403
        for path in (f"/{SECRET}", f"/{SECRET}/", f"/{SECRET}/archive"):
            status, _, text = await served.get(path)
            assert status == 200
            assert f'href="/{SECRET}/archive"' in text
            assert f'data-base="/{SECRET}"' in text
            assert 'href="/static' not in text
        status, headers, _ = await served.get("/", {**HTML, "Authorization": f"Bearer {SECRET}"})
        assert (status, headers["Referrer-Policy"]) == (200, "no-referrer")


async def test_there_are_so_many_viewers_at_most_and_room_for_matches(serve: Any) -> None:
    async with serve(max_connections_per_address=8) as served, AsyncExitStack() as stack:
        for _ in range(4):  # half of the connections of an address
            messages = await stack.enter_async_context(served.events("/events"))
            assert await anext(messages) == {"matches": []}
        status, _, text = await served.get("/events")
        assert status == 503
        assert "too many pages are open" in text
        assert await served.send("( INFO )") == INFO


async def test_a_viewer_that_has_left_is_forgotten(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "KEEP_ALIVE_SECONDS", 0.02)
    async with serve(max_viewers=1) as served:
        url = served.url("/events")
        for _ in range(3):
            async with asyncio.timeout(10), aiohttp.ClientSession() as session:
                while not await is_free(session, url):
                    pass


@pytest.mark.thorough
async def test_a_viewer_that_has_left_is_noticed_while_others_are_told_news(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "KEEP_ALIVE_SECONDS", 0.2)
    async with serve(max_viewers=1, max_matches=2) as served, aiohttp.ClientSession() as session:
        await served.send("( START m.1 xena ( (role xena) (<= (legal xena a)) ) 1 1 )")
        key = await key_of(served)
        url = served.url(f"/matches/{key}/events")
        async with asyncio.timeout(20):
            while not await is_free(session, url):
                await served.send("( START m.2 xena ( (role xena) (<= (legal xena a)) ) 1 1 )")
                await served.send("( ABORT m.2 )")


async def is_free(session: aiohttp.ClientSession, url: str) -> bool:
    async with session.get(url) as response:
        return response.status == 200


async def test_streams_end_with_the_server(serve: Any) -> None:
    async with AsyncExitStack() as stack, serve() as served:
        messages = await stack.enter_async_context(served.events("/events"))
        await anext(messages)
        ended = asyncio.create_task(_rest(messages))
    async with asyncio.timeout(5):
        assert {} in await ended  # what tells the page not to connect again


async def _rest(messages: Any) -> list[dict[str, Any]]:
    try:
        return [message async for message in messages]
    except aiohttp.ClientError:
        return []


async def test_twenty_viewers_do_not_hold_the_event_loop(served: Served, fields: str) -> None:
    await served.send(f"( START m.1 xena ( {fields} ) 5 5 )")
    key = await key_of(served)
    async with AsyncExitStack() as stack:
        streams = [
            await stack.enter_async_context(served.events(f"/matches/{key}/events"))
            for _ in range(20)
        ]
        for messages in streams:
            await anext(messages)
        with LoopWatch() as watch:
            await served.send("( PLAY m.1 NIL )")
            async with asyncio.timeout(10):
                await asyncio.gather(*(anext(messages) for messages in streams))
        assert watch.long == []
