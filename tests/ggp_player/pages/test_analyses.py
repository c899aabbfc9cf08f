"""Analyses that viewers ask for, over real sockets and with real search processes."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

from ggp_player.errors import AnalysisError
from ggp_player.pages import event_stream
from ggp_player.pages.analyses import STRATEGIES, Analyses, AnalysisLimits, AnalysisSubject, Means
from ggp_player.pages.drawer import Drawer
from ggp_player.pages.positions import MatchTree, ShownPosition
from ggp_player.strategies.selection import STRATEGIES as ALL_STRATEGIES
from ggp_player.worker.pool import BACKGROUND_NICENESS, Pool, WorkerHandle
from ggp_player.worker.process import MemoryLimits
from tests.ggp_player.pages.conftest import TIC_TAC_TOE, Served, played

RULES = TIC_TAC_TOE

FIRST, SECOND = "(put a1)", "(put b2)"

LIMITS = MemoryLimits(2**32, 2**26)

SUBJECT = AnalysisSubject("m.1", RULES, "mcts")

SECONDS = 60


@pytest.fixture
async def means() -> AsyncIterator[Means]:
    pool, drawer = Pool(0, LIMITS), Drawer()
    await pool.start()
    yield Means(pool.launch_in_background, drawer)
    await drawer.close()
    await pool.close()


def position(step: int = 2, line: str = "") -> ShownPosition:
    moves = ((FIRST, "noop"), ("noop", SECOND))
    return MatchTree(RULES, moves).position(step, line)


async def test_an_analysis_ends_quietly_with_the_server(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pool, drawer = Pool(0, LIMITS), Drawer()
    await pool.start()
    limits = AnalysisLimits(seconds=SECONDS, unseen=SECONDS)
    analyses = Analyses(Means(pool.launch_in_background, drawer), lambda: 0, limits)
    try:
        analyses.begin(SUBJECT, position())
        with caplog.at_level("INFO"):
            await pool.close()  # as a server does that stops, before its pages
            await analyses.close()
    finally:
        await drawer.close()
    assert "no worker is started, as the server is stopping" in caplog.text
    assert not [one for one in caplog.records if one.levelname in {"WARNING", "ERROR"}]


def test_the_strategies_that_can_be_chosen_exist() -> None:
    assert set(STRATEGIES) <= set(ALL_STRATEGIES)


async def test_workers_in_the_background_let_others_go_first_above_all_matches() -> None:
    own, pool = os.getpriority(os.PRIO_PROCESS, 0), Pool(1, LIMITS)
    behind = min(19, own + BACKGROUND_NICENESS)

    def niceness(worker: WorkerHandle) -> int:
        return os.getpriority(os.PRIO_PROCESS, worker.pid)

    await pool.start()
    try:
        early = await pool.launch_in_background()
        assert niceness(early) == own
        in_match, late = await pool.take(), await pool.launch_in_background()
        assert [niceness(worker) for worker in (early, in_match, late)] == [behind, own, behind]
        in_match.kill()
        await in_match.ended()
        assert niceness(await pool.launch_in_background()) == own
    finally:
        await pool.close()
    with pytest.raises(OSError, match="stopping"):
        await pool.launch_in_background()


@pytest.mark.thorough
async def test_an_analysis_follows_its_viewer_and_ends_at_its_limit(means: Means) -> None:
    analyses = Analyses(means, lambda: 0, AnalysisLimits(seconds=SECONDS, unseen=SECONDS))
    analysis = analyses.begin(SUBJECT, position())
    found = await _message(analysis, lambda told: told["thoughts"] and told["places"])
    assert (found["role"], found["step"], found["line"]) == ("cross", 2, "")
    assert found["thoughts"]["turn"] == 2
    analysis.go_to(position(line="0.0"))
    found = await _message(analysis, lambda told: told["thoughts"])
    assert (found["role"], found["line"], found["thoughts"]["turn"]) == ("nought", "0.0", 3)
    analysis.end()
    assert analyses.count == 0
    with pytest.raises(AnalysisError, match="has ended"):
        analysis.go_to(position())
    await analyses.close()


async def test_an_analysis_ends_by_itself(means: Means) -> None:
    hasty = Analyses(means, lambda: 0, AnalysisLimits(seconds=0.01))
    analysis = hasty.begin(SUBJECT, position())
    found = await _message(analysis, lambda told: told["is_over"])
    assert "ended after 0.01 s" in found["notice"]
    unseen = Analyses(means, lambda: 0, AnalysisLimits(unseen=0.01))
    await _message(unseen.begin(SUBJECT, position()), lambda told: told["is_over"])
    assert (hasty.count, unseen.count) == (0, 0)
    await hasty.close()
    await unseen.close()


async def test_there_is_room_for_few_and_none_beside_matches_on_all_cores(means: Means) -> None:
    matches = 0
    analyses = Analyses(means, lambda: matches, AnalysisLimits(count=2, cores=2))
    for _ in range(2):
        analyses.begin(SUBJECT, position())
    with pytest.raises(AnalysisError, match="2 analyses already"):
        analyses.begin(SUBJECT, position())
    await analyses.close()
    assert analyses.count == 0
    matches = 2
    with pytest.raises(AnalysisError, match="all its cores"):
        analyses.begin(SUBJECT, position())
    matches = 1
    analyses.begin(SUBJECT, position())
    with pytest.raises(AnalysisError, match="all its cores"):
        analyses.begin(SUBJECT, position())
    with pytest.raises(AnalysisError, match="strategies"):
        analyses.begin(AnalysisSubject("m.1", RULES, "./own.py:Own"), position())
    await analyses.close()


async def _message(analysis: Any, holds: Any) -> dict[str, Any]:
    """Wait for a message of which something holds."""
    async with asyncio.timeout(SECONDS):
        while True:
            told = json.loads(analysis.message(-1)[1])
            if holds(told):
                return told
            await analysis.news()


# ---------------------------------------------------------------------- over HTTP


archive_pages = pytest.mark.asyncio(loop_scope="module")
"""Of tests that share a player, as they change little."""


async def post(
    served: Served, path: str, token: str, values: object = None, **headers: str
) -> tuple[int, str]:
    given = {"X-Page-Token": token, "Content-Type": "application/json", **headers}
    body = json.dumps(values or {}).encode()
    async with served.session.post(served.url(path), data=body, headers=given) as response:
        return response.status, await response.text()


@archive_pages
async def test_a_position_is_told_with_its_moves_and_places(archived: tuple[Served, str]) -> None:
    served, _ = archived
    found = await served.json("/archive/1/position?step=1&line=0.0")
    assert found["step"] == 1
    assert len(found["variation"]) == 1
    assert "<svg" in found["svg"]
    assert all(found["cells"][move] for move in found["legal"]["cross"])
    for query, reason in (
        ("step=9", "no step 9"),
        ("step=1&line=0.99", "does not fit the match"),
        ("step=1&line=%3Cscript%3E", "cannot be read"),
        (f"step=1&line={'0' * 3000}", "no position that can be read"),
        ("step=x", "no position that can be read"),
        ("other=1", "no position that can be read"),
    ):
        status, headers, text = await served.get(f"/archive/1/position?{query}")
        assert (status, reason in text, "<" in text) == (400, True, False)
        assert headers["Content-Type"].startswith("text/plain")
    assert (await served.get("/archive/77/position?step=0"))[0] == 404


@archive_pages
async def test_only_a_page_of_this_server_may_analyse(archived: tuple[Served, str]) -> None:
    (served, token), path = archived, "/archive/1/analyses"
    own = f"http://127.0.0.1:{served.port}"
    assert (await post(served, path, "wrong", {"step": 1}))[0] == 403
    assert (await post(served, path, token, {"step": 1}, Origin="http://evil.example"))[0] == 403
    site = {"Origin": own, "Sec-Fetch-Site": "cross-site"}
    assert (await post(served, path, token, {"step": 1}, **site))[0] == 403
    kind = {"Content-Type": "text/plain"}
    assert (await post(served, path, token, {"step": 1}, **kind))[0] == 415
    assert (await post(served, path, token, {"step": 1, "more": 2}))[0] == 400
    assert "strategies" in (await post(served, path, token, {"strategy": "./own.py:Own"}))[1]
    assert (await served.get(path))[0] == 404  # by GET it is no page at all


@pytest.mark.thorough
async def test_an_analysis_is_pushed_and_ends_with_its_viewer(
    served: Served, until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "KEEP_ALIVE_SECONDS", 0.02)
    token, path = await played(served, until), "/archive/1/analyses"
    own = {"Origin": f"http://127.0.0.1:{served.port}", "Sec-Fetch-Site": "same-origin"}
    asked = {"step": 1, "strategy": "minimax"}
    status, text = await post(served, path, token, asked, **own)
    assert status == 200, text
    one = f"{path}/{json.loads(text)['key']}"
    async with asyncio.timeout(SECONDS), served.events(f"{one}/events") as messages:
        async for message in messages:
            if message["thoughts"]:
                break
        assert message["thoughts"]["strategy"] == "minimax"
        assert await post(served, one, token, {"step": 1, "line": "0.0"}) == (200, "{}")
        assert (await post(served, one, token, {"step": 1, "line": "7"}))[0] == 400
        async for message in messages:
            if message["line"] == "0.0":
                break
        assert message["role"] == "cross"

    async def has_ended() -> bool:
        return (await post(served, f"{one}/end", token))[0] == 409

    await until(has_ended)
    assert (await served.get(f"{one}/events"))[0] == 409


@pytest.mark.thorough
async def test_each_page_that_follows_an_analysis_counts(serve: Any, until: Any) -> None:
    async with serve(max_viewers=4) as served, AsyncExitStack() as stack:
        token, path = await played(served, until), "/archive/1/analyses"
        _, text = await post(served, path, token, {"step": 1})
        events = f"{path}/{json.loads(text)['key']}/events"
        for _ in range(3):  # one address never has all of them
            await anext(await stack.enter_async_context(served.events(events)))
        assert (await served.get(events))[0] == 503
        assert (await served.get("/events"))[0] == 503
        assert (await served.get("/archive"))[0] == 200


async def test_analyses_end_with_the_server(serve: Any, until: Any) -> None:
    async with AsyncExitStack() as stack:
        async with serve() as served:
            token, path = await played(served, until), "/archive/1/analyses"
            _, text = await post(served, path, token, {"step": 1})
            one = f"{path}/{json.loads(text)['key']}"
            messages = await stack.enter_async_context(served.events(f"{one}/events"))
            await anext(messages)
            rest = asyncio.create_task(_last(messages))
        async with asyncio.timeout(SECONDS):
            assert await rest == {}  # what tells the page not to connect again


async def _last(messages: Any) -> object:
    last = None
    async for message in messages:
        last = message
    return last


@archive_pages
async def test_a_position_that_is_being_played_is_not_analysed(
    archived: tuple[Served, str], until: Any
) -> None:
    (served, token), path = archived, "/archive/2/analyses"
    assert await served.send(f"( START m.2 cross ( {RULES} ) 5 5 )") == "ready"

    async def is_there() -> bool:
        return (await served.get("/archive/2"))[0] == 200

    await until(is_there)
    status, text = await post(served, path, token, {"step": 0})
    assert (status, "is played now" in text) == (409, True)
    assert await served.send("( ABORT m.2 )")
