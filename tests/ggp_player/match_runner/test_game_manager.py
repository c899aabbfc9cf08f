"""The game manager keeps to the protocol, and keeps players to the rules and the clocks."""

import asyncio
import errno
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdl
from ggp_player.errors import MatchError, ServerError
from ggp_player.events import EventBus
from ggp_player.match_rules import LocalRules, MatchPosition
from ggp_player.match_runner import game_manager, stopwatch
from ggp_player.match_runner.game_manager import GameManager, MatchSetup, MatchStep
from ggp_player.match_runner.own_faults import LackError, SelfWatch
from ggp_player.protocol import Dialect
from ggp_player.protocol.dialects import parse_request
from ggp_player.protocol.match_record import MatchRecord
from ggp_player.protocol.messages import Abort, Play, Start, Stop
from tests.support.clocks import FakeClock

DICE = """
(role Ann) (role random) (role bob)
(init (step 0)) (succ 0 1) (succ 1 2)
(face 1) (face 2) (face 3) (face 4) (face 5) (face 6)
(<= (legal random (roll ?f)) (face ?f))
(<= (legal ?r (guess ?f)) (guesser ?r) (face ?f))
(<= (legal ?r noop) (guesser ?r))
(guesser Ann) (guesser bob)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (right ?r)) (guesser ?r) (does ?r (guess ?f)) (does random (roll ?f)))
(<= (next (right ?r)) (true (right ?r)))
(<= terminal (true (step 2)))
(<= (goal ?r 100) (true (right ?r)))
(<= (goal ?r 0) (guesser ?r) (not (true (right ?r))))
(goal random 50)
"""

STUCK = "(role you) (init (s 1)) (<= (legal you go) (true (s 1))) (<= (next (s 2)) (true (s 1)))"
STUCK += "(<= terminal (true (s 3))) (goal you 100)"

SETUP = MatchSetup(gdl.parse(DICE), "m.1", start_clock=10, play_clock=3, seed=7)


@dataclass
class Scripted:
    """A player that answers from a list: texts, errors, or functions to call."""

    name: str
    answers: Sequence[str | Exception | Callable[[], str]] = ()
    received: list[str] = field(default_factory=list)

    async def send(self, text: str) -> str:
        self.received.append(text)
        count = len(self.received) - 1
        answer = self.answers[count] if count < len(self.answers) else "noop"
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, str) else answer()

    async def close(self) -> None:
        pass


@dataclass
class Waiting(Scripted):
    """A player that answers no PLAY, and says when it gets one."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, text: str) -> str:
        await super().send(text)
        if "PLAY" in text:
            self.asked.set()
            await asyncio.Event().wait()
        return "ready"


def manager(players: Sequence[Scripted], setup: MatchSetup = SETUP, **options: Any) -> GameManager:
    options.setdefault("clock", FakeClock())
    return GameManager(setup, LocalRules(gdl.interpret(setup.ruleset)), players, **options)


async def play(*players: Scripted, setup: MatchSetup = SETUP, **options: Any) -> MatchRecord:
    return await manager(players, setup, **options).run()


# ---------------------------------------------------------------------- what is sent


async def test_a_match_is_sent_in_the_texts_of_ggp_base() -> None:
    ann, bob = Scripted("a", ["ready", "(guess 1)"]), Scripted("b", ["ready", "noop", "(guess 2)"])
    record = await play(ann, bob)
    start, first, second, stop = ann.received
    assert start.startswith("( START m.1 Ann (( role Ann ) ( role random ) ( role bob ) ( init ( s")
    assert start.endswith("( goal random 50 ) ) 10 3)")
    assert bob.received[0] == start.replace("START m.1 Ann", "START m.1 bob")
    assert first == "( PLAY m.1 NIL )"
    assert second == f"( PLAY m.1 (( guess 1 ) {_spaced(record.moves[0][1])} noop ) )"
    assert stop == f"( STOP m.1 (noop {_spaced(record.moves[1][1])} ( guess 2 ) ) )"
    assert bob.received[1:] == ann.received[1:]


def _spaced(move: str) -> str:
    return move.replace("(", "( ").replace(")", " )")


async def test_requests_go_to_all_players_at_once() -> None:
    both_asked = asyncio.Barrier(2)

    @dataclass
    class Meeting(Scripted):
        async def send(self, text: str) -> str:
            await both_asked.wait()
            return await super().send(text)

    record = await play(Meeting("a"), Meeting("b"))
    assert record.errors == (("", "", ""),) * 3


async def test_a_match_that_begins_terminal_is_stopped_without_a_move() -> None:
    rules = gdl.parse("(role you) (init s) (legal you go) (<= terminal (true s)) (goal you 70)")
    you = Scripted("y")
    record = await play(you, setup=replace(SETUP, ruleset=rules))
    assert you.received[1:] == ["( STOP m.1 NIL )"]
    assert (record.states, record.moves, record.goal_values) == (("( s )",), (), (70,))


async def test_a_scrambled_match_is_sent_in_other_words_and_recorded_in_the_rulesheets() -> None:
    ann, bob = Reader("a"), Reader("b")
    record = await play(ann, bob, setup=replace(SETUP, scramble=True))
    sent = " ".join(ann.received + bob.received)
    assert not any(word in sent for word in ("Ann", "bob", "guess", "noop", "step", "face"))
    assert "( role random )" in sent
    assert record.errors == (("", "", ""),) * 3
    assert record.scrambled
    assert {moves[0] for moves in record.moves} == {"(guess 1)"}
    assert isinstance(parse_request(ann.received[-1]), Stop)


@dataclass
class Reader(Scripted):
    """A player that knows nothing but the requests: it follows the match and moves legally."""

    async def send(self, text: str) -> str:
        await super().send(text)
        request = parse_request(text)
        if isinstance(request, Start):
            self.machine = gdl.interpret(gdl.parse(request.rules))
            self.role = gdl.parse_term(request.role)
            self.state = self.machine.initial_state()
        if isinstance(request, Play | Stop) and request.moves:
            self.state = self.machine.next_state(self.state, request.moves)
        if not isinstance(request, Play):
            return "ready"
        return str(self.machine.legal_moves(self.state, self.role)[0])


# ---------------------------------------------------------------------- what goes wrong


def late(clock: FakeClock, seconds: float) -> Callable[[], str]:
    def answer() -> str:
        clock.now += seconds
        return "noop"

    return answer


ERRORS = [
    ("(guess 7)", "IL (guess 7)"),
    ("(roll 1)", "IL (roll 1)"),
    ("guess 1", "IL guess 1"),
    ("(guess", "IL (guess"),
    ("", "IL "),
    ("?x", "IL ?x"),
    ("busy\r\n\x1b[2J", "IL busy [2J"),
    ("x" * 5000, f"IL {'x' * 200}"),
    (ServerError("refused"), "CE"),
    (TimeoutError(), "TO"),
]


@pytest.mark.parametrize(("answer", "error"), ERRORS)
async def test_a_bad_reply_is_recorded_and_replaced_by_a_legal_move(
    answer: str | Exception, error: str
) -> None:
    ann, bob = Scripted("a", ["ready", answer]), Scripted("b")
    record = await play(ann, bob)
    assert record.errors == (("", "", ""), (error, "", ""), ("", "", ""))
    legal = {"noop", *(f"(guess {face})" for face in range(1, 7))}
    assert record.moves[0][0] in legal
    assert f"( PLAY m.1 ({_spaced(record.moves[0][0])} " in bob.received[2]
    assert record.is_completed


@pytest.mark.parametrize(
    ("seconds", "limit_is_kept"), [(3.0, True), (4.0, True), (4.01, False), (999.0, False)]
)
async def test_a_move_has_a_second_beyond_the_play_clock(
    seconds: float, limit_is_kept: bool
) -> None:
    clock = FakeClock()
    ann = Scripted("a", ["ready", late(clock, seconds)])
    record = await play(ann, Scripted("b"), clock=clock)
    assert record.errors[1][0] == ("" if limit_is_kept else "TO")


@pytest.mark.parametrize(("seconds", "limit_is_kept"), [(10.0, True), (10.01, False)])
async def test_the_start_clock_has_no_grace(seconds: float, limit_is_kept: bool) -> None:
    clock = FakeClock()
    record = await play(Scripted("a", [late(clock, seconds)]), Scripted("b"), clock=clock)
    assert record.errors[0][0] == ("" if limit_is_kept else "TO")
    assert record.errors[1:] == (("", "", ""),) * 2


async def test_a_player_that_never_answers_stalls_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_manager, "PLAY_GRACE", 0.01)
    record = await play(Waiting("a"), Scripted("b"), setup=replace(SETUP, play_clock=0))
    assert [errors[0] for errors in record.errors] == ["", "TO", "TO"]
    assert record.is_completed


async def test_a_player_that_we_could_not_ask_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(game_manager, "RETRY_PAUSES", (0.0, 0.0))
    lack = LackError("open files", was_sent=False)
    ann = Scripted("a", ["ready", lack, lack, "(guess 2)"])
    record = await play(ann, Scripted("b"))
    assert not any(map(any, record.errors))
    assert record.moves[0][0] == "(guess 2)"
    assert ann.received[1] == ann.received[3]


@pytest.mark.parametrize(
    "answers",
    [
        [LackError("threads", was_sent=True)],
        [LackError("threads", was_sent=False)] * 3,
        [RuntimeError("can't start new thread")],
        [OSError(errno.EMFILE, "Too many open files")],
    ],
    ids=repr,
)
async def test_a_match_is_broken_off_where_we_cannot_ask(
    answers: list[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_manager, "RETRY_PAUSES", (0.0, 0.0))
    ann, bob = Scripted("a", ["ready", *answers]), Waiting("b")
    broken_off = manager([ann, bob])
    with pytest.raises(LackError):
        await broken_off.run()
    assert bob.received[-1] == "( ABORT m.1 )"
    assert broken_off.record().is_aborted
    assert len(broken_off.record().moves) == 0


async def test_what_we_lack_at_the_end_changes_nothing() -> None:
    lack = LackError("open files", was_sent=False)
    ann, bob = Scripted("a", ["ready", "noop", "noop", lack]), Scripted("b")
    assert (await play(ann, bob)).is_completed
    assert "STOP" in bob.received[-1]


async def test_a_reply_that_came_while_our_loop_stood_still_is_in_time() -> None:
    clock = FakeClock()
    own = SelfWatch(clock)

    def come_unseen() -> str:
        own.tick()
        return late(clock, 60)()

    ann = Scripted("a", ["ready", come_unseen])
    record = await play(ann, Scripted("b"), clock=clock, own=own)
    assert record.errors[1][0] == ""


async def test_replies_to_start_and_stop_do_not_matter() -> None:
    record = await play(Scripted("a", ["busy"]), Scripted("b", [")(", "noop", "noop", "((("]))
    assert record.errors == (("", "", ""),) * 3


@pytest.mark.parametrize("text", ["( GUESS 1 )", "(Guess 1)", "\n(guess\t1)\r\n", "(guess 1) ; !"])
async def test_capitals_blanks_and_comments_do_not_matter(text: str) -> None:
    record = await play(Scripted("a", ["ready", text]), Scripted("b"))
    assert record.moves[0][0] == "(guess 1)"
    assert record.errors[1] == ("", "", "")


async def test_original_names_are_illegal_in_a_scrambled_match() -> None:
    setup = replace(SETUP, scramble=True)
    record = await play(Scripted("a", ["ready", "noop"]), Reader("b"), setup=setup)
    assert record.errors[1][0].startswith("IL ")
    assert record.errors[1][2] == ""


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=30) | st.sampled_from(["(guess 1)", "NOOP", "(", "()"])))
def test_whatever_a_player_answers_the_match_is_played_legally(answers: list[str]) -> None:
    record = asyncio.run(play(Scripted("a", answers), Scripted("b")))
    legal = {"noop", *(f"(guess {face})" for face in range(1, 7))}
    assert record.is_completed
    assert all(moves[0] in legal for moves in record.moves)
    assert all(errors[0] == "" or errors[0].startswith("IL ") for errors in record.errors)


# ---------------------------------------------------------------------- chance


async def test_the_same_seed_gives_the_same_match() -> None:
    bad = ["ready", "?", "?"]
    records = [await play(Scripted("a", bad), Scripted("b", bad)) for _ in range(2)]
    assert records[0] == records[1]


async def test_other_seeds_give_other_dice_and_errors_do_not() -> None:
    async def dice(seed: int, answer: str) -> tuple[str, ...]:
        setup = replace(SETUP, seed=seed)
        record = await play(Scripted("a", ["ready", answer, answer]), Scripted("b"), setup=setup)
        return tuple(moves[1] for moves in record.moves)

    assert len({await dice(seed, "noop") for seed in range(20)}) > 5
    for seed in range(5):
        assert await dice(seed, "noop") == await dice(seed, "?")


# ---------------------------------------------------------------------- seats, ends, records


@pytest.mark.parametrize("count", [0, 1, 3])
def test_the_number_of_players_must_fit(count: int) -> None:
    players = [Scripted(str(n)) for n in range(count)]
    expected = rf"needs 2 players \(Ann, bob\), given {count} \(nobody is assigned to random\)"
    with pytest.raises(MatchError, match=expected):
        manager(players)


async def test_the_record_and_the_steps_describe_the_match() -> None:
    clock, steps = FakeClock(), list[MatchStep]()
    ann = Scripted("anna", [late(clock, 2.0), late(clock, 1.5)])
    setup = replace(SETUP, start_time=5000, rulesheet_url="file:///dice.kif")
    run = manager([ann, Scripted("bobby")], setup, on_step=steps.append, clock=clock)
    record = await run.run()
    assert record == run.record()
    assert record.player_names_from_host == ("anna", "random", "bobby")
    assert (record.match_id, record.start_clock, record.play_clock) == ("m.1", 10, 3)
    assert (record.is_completed, record.is_aborted) == (True, False)
    assert record.state_times == (5000, 8500, 8500)
    assert record.start_time == 5000
    assert record.states[0] == "( (step 0) )"
    assert record.game_meta_url == "file:///dice.kif"
    assert record.goal_values == run.goals
    assert [step.number for step in steps] == [0, 1, 2]
    assert steps[0].seconds == (2.0, 0.0, 0.0)
    assert steps[1].seconds == (1.5, 0.0, 0.0)
    assert [tuple(map(str, step.joint_move)) for step in steps[1:]] == list(record.moves)


async def test_a_cancelled_match_is_aborted_and_its_record_kept() -> None:
    ann, bob = Waiting("a"), Scripted("b")
    run = manager([ann, bob])
    task = asyncio.create_task(run.run())
    await ann.asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert isinstance(parse_request(ann.received[-1]), Abort)
    assert ann.received[-1] == bob.received[-1] == "( ABORT m.1 )"
    record = run.record()
    assert (record.is_aborted, record.is_completed, record.goal_values) == (True, False, ())
    assert (len(record.states), record.moves) == (1, ())


@dataclass
class Unreachable(Scripted):
    """A player elsewhere that takes no connection."""

    dialect = Dialect.GGP_BASE
    asked: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, text: str, on_sent: Callable[[], None] = lambda: None) -> str:
        self.asked.set()
        return await asyncio.Future()


async def test_a_match_is_broken_off_without_waiting_for_who_takes_no_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stopwatch, "SEND_LIMIT", 3600.0)
    monkeypatch.setattr(game_manager, "ABORT_SECONDS", 0.05)
    ann, bob = Scripted("a"), Unreachable("b")
    task = asyncio.create_task(manager([ann, bob]).run())
    await bob.asked.wait()
    task.cancel()
    done, _ = await asyncio.wait([task], timeout=60)
    assert done
    assert isinstance(parse_request(ann.received[-1]), Abort)


async def test_a_role_without_a_legal_move_breaks_the_match_off() -> None:
    you = Scripted("y", ["ready", "go"])
    with pytest.raises(MatchError, match="the rules give you no legal move for step 2"):
        await play(you, setup=replace(SETUP, ruleset=gdl.parse(STUCK)))
    assert you.received[-1] == "( ABORT m.1 )"


async def test_a_role_without_a_goal_is_distinguished_from_one_with_zero() -> None:
    rules = gdl.parse("(role you) (init s) (legal you go) (<= terminal (true s))")
    run = manager([Scripted("y")], replace(SETUP, ruleset=rules))
    record = await run.run()
    assert run.goals == (None,)
    assert record.goal_values == (0,)


# ---------------------------------------------------------------------- what is kept


async def test_of_a_match_only_the_moves_are_kept() -> None:
    rules = LocalRules(gdl.interpret(SETUP.ruleset), recorded=0)
    steps: list[MatchStep] = []
    run = GameManager(SETUP, rules, [Scripted("a"), Scripted("b")], steps.append, FakeClock())
    record = await run.run()
    assert (record.states, record.states_left_out) == ((), True)
    assert record.moves == tuple(tuple(map(str, step.joint_move)) for step in steps[1:])
    assert len(record.state_times) == len(record.errors) == 3


async def test_a_reply_of_more_words_than_any_move_is_illegal_unparsed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("it was parsed")

    reply = "(guess " + "(a) " * 10_000 + ")"
    ann, bob = Scripted("a", ["ready", reply, reply]), Scripted("b", ["ready"])
    run = manager([ann, bob])
    monkeypatch.setattr(run._messages, "move", lambda role, text: fail() if role == 0 else MOVE)
    record = await run.run()
    assert all(errors[0].startswith("IL (guess (a) (a)") for errors in record.errors[1:])


MOVE = gdl.Constant("noop")


async def test_a_move_of_many_words_is_a_move_where_it_is_legal() -> None:
    word = " ".join(["x"] * 100)
    rules = f"(role you) (init s) (legal you (m {word})) (<= (next t) (true s)) (goal you 1)"
    ruleset = gdl.parse(f"{rules} (<= terminal (true t))")
    you = Scripted("y", ["ready", f"(m {word})"])
    record = await play(you, setup=replace(SETUP, ruleset=ruleset))
    assert record.errors == (("",), ("",))


# ---------------------------------------------------------------------- at the table


@dataclass
class AtTheTable:
    """A player that sees the match itself: it moves always alike, is late, or thinks for ever."""

    name: str
    move: str = "noop"
    thinks: asyncio.Event = field(default_factory=asyncio.Event)

    async def choose(self) -> str:
        if self.move == "late":
            raise TimeoutError
        if self.move == "think":
            self.thinks.set()
            await asyncio.Event().wait()
        return self.move


class RulesWithMemory(LocalRules):
    """Keeps all positions, to go back to, and the states of them."""

    def begin(self) -> MatchPosition:
        self.known = [(super().begin(), self.state)]
        return self.known[0][0]

    def advance(self, joint_move: Sequence[gdl.Term]) -> MatchPosition:
        self.known.append((super().advance(joint_move), self.state))
        return self.known[-1][0]

    def back_to(self, step: int) -> MatchPosition:
        del self.known[step + 1 :]
        position, self.state = self.known[-1]
        return position


def at_the_table(*players: AtTheTable, seed: int = 7) -> tuple[GameManager, RulesWithMemory]:
    rules = RulesWithMemory(gdl.interpret(SETUP.ruleset))
    setup = replace(SETUP, seed=seed, repeats=True, events=EventBus())
    return GameManager(setup, rules, players, clock=FakeClock()), rules


async def test_players_at_the_table_get_no_requests_and_keep_their_own_time() -> None:
    run, _ = at_the_table(AtTheTable("a", "(guess 1)"), AtTheTable("b", "late"))
    record = await run.run()
    assert {moves[0] for moves in record.moves} == {"(guess 1)"}
    assert record.errors == (("", "", ""), ("", "", "TO"), ("", "", "TO"))


async def test_the_same_moves_after_going_back_lead_to_the_same_dice() -> None:
    run, rules = at_the_table(AtTheTable("a", "late"), AtTheTable("b"))
    await run.play()
    before = run.record().moves
    for step in (1, 0):
        run.go_back(step, rules.back_to(step))
        assert not run.is_over
        await run.go_on()
        assert run.record().moves == before
    other, _ = at_the_table(AtTheTable("a", "late"), AtTheTable("b"), seed=8)
    assert (await other.run()).moves != before


async def test_a_match_that_is_interrupted_goes_on_with_others() -> None:
    ann = AtTheTable("a", "think")
    run, _ = at_the_table(ann, AtTheTable("b"))
    run.begin()
    asking = asyncio.create_task(run.go_on())
    await ann.thinks.wait()
    assert [str(role) for role in run.awaited] == ["Ann"]
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    run.change_seats([AtTheTable("c", "(guess 2)"), AtTheTable("d")])
    await run.go_on()
    record = run.record()
    assert record.player_names_from_host == ("c", "random", "d")
    assert [moves[0] for moves in record.moves] == ["(guess 2)"] * 2
    assert not run.awaited


async def test_what_is_taken_back_is_told_and_a_match_that_was_over_is_told_anew() -> None:
    run, rules = at_the_table(AtTheTable("a"), AtTheTable("b"))
    told = run.setup.events.subscribe("the test")
    await run.play()
    kinds = [event.kind for event in told.take()]
    assert kinds == ["MatchStarted", "StepMade", "StepMade", "StepMade", "MatchEnded"]
    run.go_back(1, rules.back_to(1))
    run.go_back(0, rules.back_to(0))
    anew = told.take()
    kinds = [event.kind for event in anew]
    assert kinds == ["MatchStarted", "StepMade", "StepMade", "StepsTakenBack"]
    assert len({event.match for event in anew}) == 1
