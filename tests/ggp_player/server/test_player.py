"""The player as a game manager sees it: texts in, texts out."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from ggp_player.events import EventBus, StateReached
from ggp_player.protocol.dialects.dresden import DID_RULE
from ggp_player.server.config import Config
from ggp_player.server.player import LONG_RULES, Message, Player
from tests.ggp_player.conftest import Ear
from tests.support.stopwatch import Stopwatch

Naming = Callable[[str], str]


@asynccontextmanager
async def player(strategy: str = "legal", **settings: object) -> AsyncIterator[Player]:
    async with Player(Config.model_validate({"strategy": strategy, **settings})) as player:
        yield player


async def assert_replies(player: Player, *lines: tuple[str, str]) -> None:
    """Send every text, and look at its reply before the next one is sent."""
    for text, reply in lines:
        assert await player.reply(text) == reply, text


def start(rules: str, clocks: str = "10 10", match_id: str = "m", role: str = "xena") -> str:
    return f"(START {match_id} {role} ({rules}) {clocks})"


AVAILABLE = "( ( name ggp-player ) ( status available ) )"
BUSY = "( ( name ggp-player ) ( status busy ) )"


async def test_a_match_from_beginning_to_end(fields: str, ear: Ear) -> None:
    async with player("minimax") as ours:
        await assert_replies(
            ours,
            ("( INFO )", AVAILABLE),
            (start(fields), "ready"),
            ("( INFO )", BUSY),
            ("( PLAY m NIL )", "(claim 3)"),
            ("( PLAY m (( claim 3 ) noop ) )", "noop"),
            ("( PLAY m (noop ( claim 1 ) ) )", "(claim 2)"),
            ("( STOP m (( claim 2 ) noop ) )", "done"),
            ("( INFO )", AVAILABLE),
        )
        await ear.hear("match m: is over: xena 100, Oscar 0")


async def test_words_are_echoed_as_received() -> None:
    rules = "(role X-Ray) (legal X-Ray (Say Hello)) (<= terminal (true b)) (goal X-Ray 0)"
    async with player() as ours:
        assert await ours.reply(start(rules, match_id="Kiosk.tTT.12-3", role="x-ray")) == "ready"
        assert await ours.reply("(play Kiosk.tTT.12-3 nil)") == "(Say Hello)"
        assert await ours.reply("(stop kiosk.ttt.12-3 nil)") == "busy"
        assert await ours.reply("(stop Kiosk.tTT.12-3 nil)") == "done"


async def test_requests_between_matches() -> None:
    async with player() as ours:
        await assert_replies(
            ours,
            ("", AVAILABLE),
            ("(ping)", "ready"),
            ("(preview ((role x)) -1)", "ready"),
            ("(play m nil)", "busy"),
            ("(stop m (a b))", "busy"),
            ("(abort m)", "busy"),
            ("(bogus)", "error: character 2: expected one of INFO, PING, PREVIEW, START, PLAY, "
             "STOP, ABORT, found 'bogus'"),
            ("(play", "error: character 6: expected ')' for the '(' at character 1, "
             "found the end of the message"),
            ("(héhé\n)", "error: character 2: expected one of INFO, PING, PREVIEW, START, PLAY, "
             "STOP, ABORT, found 'h\\xe9h\\xe9'"),
        )  # fmt: skip


async def test_a_running_match_is_not_disturbed(fields: str) -> None:
    async with player() as ours:
        await assert_replies(
            ours,
            (start(fields), "ready"),
            (start(fields), "busy"),
            (start(fields, match_id="other"), "busy"),
            ("(preview ((role x)) -1)", "busy"),
            ("(ping)", "nil"),
            ("(play other nil)", "busy"),
            ("(stop other nil)", "busy"),
            ("(abort other)", "busy"),
            ("(play m nil)", "(claim 1)"),
            (start(fields, match_id="other"), "busy"),
            ("(play m ((claim 1) noop))", "noop"),
            ("(abort m)", "aborted"),
            (start(fields, match_id="other"), "ready"),
            ("(play other nil)", "(claim 1)"),
        )


async def test_whoever_may_play_a_match_is_admitted_and_nobody_else(fields: str) -> None:
    async with player(max_matches=2) as ours:
        admitted: list[str] = []
        for sender, text in (
            ("them", "(INFO)"),
            ("us", start(fields)),
            ("them", "(PLAY m NIL)"),
            ("us", "(PLAY m NIL)"),
            ("us", "(PLAY other NIL)"),
            ("us", "(PLAY m (("),
            ("us", "(STOP m ((claim 1) noop))"),
        ):
            note = partial(admitted.append, f"{sender} {text.split()[0]}")
            message = Message(text, sender=sender, on_admitted=note)
            await ours.reply_in_time(message, ours.new_deadline())
    assert list(dict.fromkeys(admitted)) == ["us (START", "us (PLAY", "us (STOP"]


async def test_two_matches_at_a_time(fields: str) -> None:
    async with player(max_matches=2) as ours:
        await assert_replies(
            ours,
            (start(fields, match_id="a"), "ready"),
            ("( INFO )", AVAILABLE),
            (start(fields, match_id="b", role="Oscar"), "ready"),
            ("( INFO )", BUSY),
            (start(fields, match_id="c"), "busy"),
            ("(play a nil)", "(claim 1)"),
            ("(play b nil)", "noop"),
            ("(play b ((claim 2) noop))", "(claim 1)"),
            ("(play a ((claim 3) noop))", "noop"),
            ("(stop a (noop (claim 1)))", "done"),
            ("(play b (noop (claim 1)))", "noop"),
            (start(fields, match_id="c"), "ready"),
        )


# ---------------------------------------------------------------------- time


@pytest.mark.thorough
async def test_the_clocks_are_kept_whatever_the_search_does(words: str, bad: Naming) -> None:
    async with player(bad("Hanging")) as ours:
        watch = Stopwatch()
        assert await ours.reply(start(words, "1 1")) == "ready"
        assert watch.on_clock > 0.5
        assert watch.own < 1
        for moves in ("nil", "((say 1) (say 2))", "((say 2) (say 3))"):
            watch = Stopwatch()
            assert await ours.reply(f"(PLAY m {moves})") == "(say 1)"
            assert watch.on_clock > 0.5
            assert watch.own < 1


async def test_a_clock_of_no_time_at_all(words: str) -> None:
    async with player() as ours:
        assert await ours.reply(start(words, "0 0")) == "ready"
        watch = Stopwatch()
        await ours.reply("(PLAY m NIL)")
        assert watch.own < 0.5
        assert await ours.reply("(ABORT m)") == "aborted"


@pytest.mark.thorough
async def test_the_margin_is_kept(words: str, bad: Naming) -> None:
    async with player(bad("Spinning"), margin=30) as ours:
        watch = Stopwatch()
        assert await ours.reply(start(words, "2 60")) == "ready"
        assert watch.on_clock > 2 * 2 / 3 - 0.1, "at most a third of the clock"
        assert await ours.reply("(ABORT m)") == "aborted"


@pytest.mark.parametrize(("margin", "at"), [(None, 101 - 1 / 3), (0.2, 100.8), (5, 101 - 1 / 3)])
def test_a_margin_that_is_set_is_kept_from_the_first_reply(margin: float | None, at: float) -> None:
    ours = Player(Config(margin=margin), clock=lambda: 100.0)
    assert ours.new_deadline().for_clock(1).at == pytest.approx(at)


# ---------------------------------------------------------------------- requests that overlap


@pytest.mark.thorough
async def test_play_while_start_is_open(words: str, bad: Naming) -> None:
    async with player(bad("Spinning")) as ours:
        starting = asyncio.create_task(ours.reply(start(words, "3600 2")))
        await asyncio.sleep(0)
        assert await ours.reply("(PLAY m NIL)") == "(say 3)"
        assert starting.done()
        assert await starting == "ready"


@pytest.mark.thorough
async def test_play_again_while_it_is_open(fields: str, bad: Naming) -> None:
    async with player(bad("Spinning")) as ours:
        assert await ours.reply(start(fields, "1 1")) == "ready"
        replies = await asyncio.gather(*(ours.reply("(PLAY m NIL)") for _ in range(3)))
        assert replies == ["(claim 3)"] * 3
        text = "(PLAY m ((claim 2) noop))"
        replies = await asyncio.gather(*(ours.reply(text) for _ in range(3)))
        assert replies == ["noop"] * 3
        assert await ours.reply("(PLAY m (noop (claim 1)))") == "(claim 3)"


async def test_the_first_play_again_after_its_reply(words: str) -> None:
    async with player() as ours:
        await assert_replies(
            ours,
            (start(words), "ready"),
            ("(PLAY m NIL)", "(say 1)"),
            ("(PLAY m NIL)", "(say 1)"),
            ("(PLAY m ((say 2) (say 2)))", "(say 1)"),
            ("(PLAY m nil)", "(say 1)"),
        )


@pytest.mark.thorough
async def test_the_next_play_while_play_is_open(words: str, bad: Naming) -> None:
    async with player(bad("Spinning")) as ours:
        assert await ours.reply(start(words, "3 3600")) == "ready"
        first = asyncio.create_task(ours.reply("(PLAY m NIL)"))
        await asyncio.sleep(0)
        second = asyncio.create_task(ours.reply("(PLAY m ((say 1) (say 1)))"))
        assert await first == "(say 3)"
        assert await ours.reply("(STOP m ((say 1) (say 1)))") == "done"
        assert await second in {"(say 1)", "(say 3)"}


@pytest.mark.thorough
@pytest.mark.parametrize(("text", "reply"), [("(ABORT m)", "aborted"), ("(STOP m NIL)", "done")])
async def test_the_end_while_play_is_open(text: str, reply: str, words: str, bad: Naming) -> None:
    async with player(bad("Spinning")) as ours:
        assert await ours.reply(start(words, "3 3600")) == "ready"
        playing = asyncio.create_task(ours.reply("(PLAY m NIL)"))
        await asyncio.sleep(0)
        assert await ours.reply(text) == reply
        assert await playing == "(say 3)"
        assert await ours.reply("( INFO )") == AVAILABLE


async def test_abort_while_start_is_open(words: str, bad: Naming) -> None:
    async with player(bad("Spinning")) as ours:
        starting = asyncio.create_task(ours.reply(start(words, "3600 1")))
        await asyncio.sleep(0)
        assert await ours.reply("(ABORT m)") == "aborted"
        assert await starting == "ready"
        assert await ours.reply(start(words, "1 1")) == "ready"


async def test_whoever_stops_waiting_does_not_stop_the_match(fields: str, bad: Naming) -> None:
    async with player(bad("Hanging")) as ours:
        await ours.reply(start(fields, "1 1"))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(ours.reply("(PLAY m NIL)"), 0)
        assert await ours.reply("(PLAY m ((claim 2) noop))") == "noop"
        assert await ours.reply("(PLAY m (noop (claim 1)))") == "(claim 3)"


@pytest.mark.thorough
async def test_closing_answers_what_is_open(words: str, bad: Naming) -> None:
    async with player(bad("Spinning")) as ours:
        await ours.reply(start(words, "3 3600"))
        playing = asyncio.create_task(ours.reply("(PLAY m NIL)"))
        await asyncio.sleep(0)
    assert await playing == "(say 3)"


# ---------------------------------------------------------------------- bad matches


async def test_rules_that_cannot_be_read() -> None:
    async with player() as ours:
        await assert_replies(
            ours,
            (
                start("(role xena) (legal xena ?m) (not)"),
                "error: the game cannot be played: rules:1:29: error: 'not' cannot be the head of "
                "a rule [misplaced-keyword]",
            ),
            ("( INFO )", AVAILABLE),
            ("(PLAY m NIL)", "busy"),
            ("(STOP m (go))", "busy"),
        )


async def test_a_role_that_the_game_does_not_have(fields: str) -> None:
    async with player() as ours:
        reply = await ours.reply(start(fields, role="judge"))
        assert reply == (
            "error: the game cannot be played: expected one of the roles xena, Oscar; found judge"
        )


async def test_a_long_rulesheet_is_taken(fields: str) -> None:
    padding = " ".join(f"(padding {number} {number + 1})" for number in range(6_000))
    async with player() as ours:
        assert len(padding) > LONG_RULES
        assert await ours.reply(start(fields + padding, "60 10")) == "ready"
        assert await ours.reply("(PLAY m NIL)") == "(claim 1)"


async def test_a_match_that_nobody_stops_is_dropped(words: str, ear: Ear) -> None:
    async with player(idle_limit=0.01) as ours:
        assert await ours.reply(start(words, "0 0")) == "ready"
        await ear.hear("match m: no request for too long, dropped")
        assert await ours.reply("( INFO )") == AVAILABLE
        assert await ours.reply("(PLAY m NIL)") == "busy"
        assert await ours.reply(start(words, "10 10")) == "ready"


async def test_a_match_goes_on_without_any_spare(fields: str) -> None:
    async with player(spares=0) as ours:
        assert await ours.reply(start(fields)) == "ready"
        assert await ours.reply("(PLAY m NIL)") == "(claim 1)"


@pytest.mark.parametrize("clock", ["0", "-5"])
async def test_clocks_without_time_get_legal_moves(fields: str, clock: str) -> None:
    async with Player(Config(strategy="legal")) as player:
        assert await player.reply(f"(START m xena ({fields}) {clock} {clock})") == "ready"
        assert (await player.reply("(PLAY m NIL)")).startswith("(claim ")
        assert await player.reply("(PLAY m ((claim 1) noop))") == "noop"


DOORS = """
(role random) (role you) (init hidden) (door 1) (door 2)
(<= (legal random (hide ?d)) (door ?d) (true hidden))
(<= (legal random noop) (not (true hidden)))
(<= (legal you (knock ?d)) (door ?d))
(<= (sees you (sound ?d)) (does you (knock ?d)) (true (at ?d)))
(<= (next (at ?d)) (does random (hide ?d)))
(<= (next (at ?d)) (true (at ?d)))
(<= (next (heard ?d)) (does you (knock ?d)) (true (at ?d)))
(<= (next (count 1)) (true hidden))
(<= terminal (true (heard ?d)))
(<= (goal ?r 50) (role ?r))
"""


async def test_a_gap_in_the_turns_is_noticed(fields: str, ear: Ear) -> None:
    rules = fields + DID_RULE
    async with player() as ours:
        await assert_replies(
            ours,
            (start(rules), "ready"),
            ("(PLAY m 0 NIL NIL)", "(claim 1)"),
            ("(PLAY m 2 noop ((did xena noop) (did Oscar (claim 2))))", "(claim 3)"),
            ("(PLAY m 2 noop ((did Oscar (claim 2)) (did xena noop)))", "(claim 3)"),
            ("(PLAY m 1 (claim 1) ())", "(claim 3)"),
            ("(STOP m 3 (claim 3) ((did xena (claim 3)) (did Oscar noop)))", "done"),
        )
        await ear.hear("match m: 1 steps before turn 2")


async def test_a_turn_beyond_all_bounds(fields: str) -> None:
    async with player() as ours:
        await assert_replies(
            ours,
            (start(fields), "ready"),
            ("(PLAY m 0 NIL NIL)", "(claim 1)"),
        )
        assert await ours.reply("(PLAY m 999999999 noop (boo))")
        assert await ours.reply("(STOP m 999999999 noop (boo))") == "done"


async def test_turns_that_are_counted_from_one(fields: str) -> None:
    async with player() as ours:
        await assert_replies(
            ours,
            (start(fields + DID_RULE), "ready"),
            ("(PLAY m 1 NIL NIL)", "(claim 1)"),
            ("(PLAY m 2 (claim 3) ((did Oscar noop) (did xena (claim 3))))", "noop"),
            ("(STOP m 3 noop ((did Oscar (claim 1)) (did xena noop)))", "done"),
        )


async def test_percepts_go_with_the_move_that_we_have_sent() -> None:
    async with player() as ours:
        await assert_replies(
            ours,
            (start(DOORS, role="you"), "ready"),
            ("(PLAY m NIL)", "(knock 1)"),
            ("(PLAY m ())", "(knock 1)"),
            ("(PLAY m ())", "(knock 1)"),
            ("(STOP m ((sound 2)))", "done"),
        )


async def test_a_match_without_all_moves_goes_on_after_a_restart(tmp_path: Path) -> None:
    async with player(state_dir=tmp_path / "state") as ours:
        await assert_replies(
            ours,
            (start(DOORS, role="you"), "ready"),
            ("(PLAY m 0 NIL NIL)", "(knock 1)"),
            ("(PLAY m 1 (knock 1) ())", "(knock 1)"),
        )
    async with player(state_dir=tmp_path / "state") as ours:
        await assert_replies(
            ours,
            ("(PLAY m 1 (knock 1) ())", "(knock 1)"),
            ("(PLAY m 2 (knock 1) ())", "(knock 1)"),
            ("(STOP m 3 (knock 2) ((sound 2)))", "done"),
        )


async def test_a_match_in_infix_goes_on_after_a_restart(tmp_path: Path) -> None:
    rules = """role(x) role(y) init(one) legal(x,go(1)) :- true(one) legal(x,"Stay") :- ~true(one)
    legal(y,noop) terminal :- true(three) next(two) :- true(one) goal(x,50) goal(y,50)"""
    async with player(state_dir=tmp_path / "state") as ours:
        await assert_replies(
            ours, (f"start(m,x,{{{rules}}},10,10)", "ready"), ("play(m,nil)", "go(1)")
        )
    async with player(state_dir=tmp_path / "state") as ours:
        await assert_replies(
            ours, ("play(m,{go(1),noop})", '"Stay"'), ('stop(m,{"Stay",noop})', "done")
        )


async def test_joint_moves_of_a_game_with_percepts_are_told_as_such(tmp_path: Path) -> None:
    bus = EventBus()
    events = bus.subscribe("test")
    async with Player(Config(strategy="legal"), events=bus) as ours:
        await assert_replies(
            ours,
            (start(DOORS, role="you"), "ready"),
            ("(PLAY m NIL)", "(knock 1)"),
            ("(PLAY m ((hide 2) (knock 1)))", "(knock 1)"),
            ("(STOP m (noop (knock 2)))", "done"),
        )
    told = [event.joint_move for event in events.take() if isinstance(event, StateReached)]
    assert told[1:] == [("(hide 2)", "(knock 1)"), ("noop", "(knock 2)")]
