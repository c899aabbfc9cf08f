"""States are drawn in a process of their own, which may fail, die and take too long."""

import asyncio
import gc
import logging
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

import gdl
from gdl.system import OutOfTimeError
from ggp_player.archive.writer import ArchiveWriter
from ggp_player.errors import PositionError
from ggp_player.events import EventBus, MatchEnded, MatchStarted, TurnAsked
from ggp_player.pages import drawer as drawer_module
from ggp_player.pages import drawing_process
from ggp_player.pages.drawer import Drawer
from ggp_player.pages.drawing_messages import (
    Answer,
    Drawing,
    DrawPosition,
    DrawState,
    DrawSteps,
    encode,
)
from ggp_player.protocol import state_text
from tests.support.hostile_names import NAMES, RULES
from tests.support.paths import GAMES
from tests.support.programs import printed_by


class FakeClock:
    """A clock that is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


CONNECT_FOUR = (GAMES / "connectFour.kif").read_text()


def first_state(rules: str) -> str:
    return state_text(gdl.interpret(gdl.parse(rules)).initial_state())


shared = pytest.mark.asyncio(loop_scope="module")
"""Of tests with the ``only_drawer``, whose process starts once."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def only_drawer() -> AsyncIterator[Drawer]:
    drawer = Drawer()
    yield drawer
    await drawer.close()


@pytest.fixture
async def drawer() -> AsyncIterator[Drawer]:
    drawer = Drawer()
    yield drawer
    await drawer.close()


@shared
async def test_a_state_is_drawn_and_a_line_is_placed(only_drawer: Drawer) -> None:
    line = (("(drop 3)", "noop"), ("noop", "(drop 3)"), ("(drop 4)", "noop"))
    request = DrawState(
        CONNECT_FOUR, first_state(CONNECT_FOUR), moves=("(drop 3)", "noop"), line=line
    )
    (drawing,) = await only_drawer.draw(request)
    assert drawing.svg.startswith("<svg")
    assert len(drawing.cells["(drop 3)"]) == 6
    assert drawing.cells["noop"] == ()
    assert drawing.line == (("0 3 1",), ("0 3 2",), ("0 4 1",))  # things fall


@shared
async def test_a_move_that_names_no_place_is_placed_where_it_puts_its_piece(
    only_drawer: Drawer,
) -> None:
    """The sudoku's next cell is the first one, though a 3 stands in another."""
    rules = (GAMES / "sudokuSmall.kif").read_text()
    moves = ("(write 2)", "(write 3)")
    request = DrawState(rules, first_state(rules), moves=moves, line=(moves[1:],))
    (drawing,) = await only_drawer.draw(request)
    assert drawing.cells == dict.fromkeys(moves, ("0 1",))
    assert drawing.line == (("0 1",),)


@shared
async def test_moves_have_names_that_are_found_once(only_drawer: Drawer) -> None:
    names = await only_drawer.names(CONNECT_FOUR)
    assert names.told(["(drop 3)", "noop"]) == {"(drop 3)": "column 3", "noop": ""}
    assert await only_drawer.names(CONNECT_FOUR) is names
    nothing = await only_drawer.names("(role x")
    assert nothing.name("(drop 3)") == "drop 3"


def test_names_are_found_without_playouts_where_these_take_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drawing_process, "NAMES_SECONDS", 1e-6)
    drawing_process._move_names.cache_clear()
    gc.disable()  # an error that is raised in a callback of it is dropped
    try:
        found = drawing_process._move_names(CONNECT_FOUR, "")
    finally:
        gc.enable()
    drawing_process._move_names.cache_clear()
    assert found.name("(drop 3)") == "column 3"


WON = (
    "( (disc 1 1 red) (disc 2 1 red) (disc 3 1 red) (disc 4 1 red) (disc 1 2 yellow) "
    "(disc 2 2 yellow) (disc 3 2 yellow) (room 5 1) (room 6 1) (turn yellow) )"
)


@shared
async def test_what_has_decided_a_match_is_marked_at_its_end(only_drawer: Drawer, won: str) -> None:
    for state, is_over, marks in (
        (WON, True, 4),
        (WON, False, 0),
        (first_state(CONNECT_FOUR), True, 0),
    ):
        (drawing,) = await only_drawer.draw(DrawState(CONNECT_FOUR, state, is_over=is_over))
        assert drawing.svg.count('class="decisive"') == marks
        assert bool(drawing.ending) == bool(marks)
    steps = await only_drawer.draw(DrawSteps(won, "1", 0, 16, 7))
    assert [step.svg.count('class="decisive"') for step in steps] == [0] * 7 + [4]
    endings = [""] * 7 + ["Decided by red on 1,1; 1,2; 1,3 and 1,4."]
    assert [str(step.ending) for step in steps] == endings


@shared
async def test_a_match_that_nobody_has_won_says_at_its_end_no_more_whose_turn_it_is(
    only_drawer: Drawer, tmp_path: Path
) -> None:
    rules = (GAMES / "ticTacToe.kif").read_text()
    squares = ["a1", "b2", "c3", "a2", "c2", "b1", "b3", "a3", "c1"]
    puts = [f"(put {square})" for square in squares]
    moves = [(put, "noop")[:: (-1) ** turn] for turn, put in enumerate(puts)]
    steps = await only_drawer.draw(DrawSteps(archived(tmp_path, rules, moves), "1", 0, 16, 9))
    assert ["turn" in step.svg for step in steps] == [True] * 9 + [False]


def archived(folder: Path, rules: str, joint_moves: list[tuple[str, ...]]) -> str:
    """An archive with a match of these moves."""
    path, bus = folder / "matches.sqlite", EventBus()
    role = str(gdl.parse(rules).roles[0])
    with ArchiveWriter(path, bus):
        bus.publish(
            MatchStarted(
                match="k", time=1, match_id="m", role=role, rules=rules, start_clock=1, play_clock=1
            )
        )
        for turn, moves in enumerate(joint_moves, 1):
            bus.publish(TurnAsked(match="k", time=turn + 1, turn=turn, joint_move=moves))
        turns = len(joint_moves)
        bus.publish(MatchEnded(match="k", time=turns + 2, turn=turns, status="completed"))
    return str(path)


@pytest.fixture
def won(tmp_path: Path) -> str:
    """An archive with a match of connect four in which red has filled four places of a column."""
    moves = [("(drop 1)", "noop"), ("noop", "(drop 2)")]
    return archived(tmp_path, CONNECT_FOUR, [moves[turn % 2] for turn in range(7)])


@shared
async def test_hostile_names_are_escaped_in_drawings(only_drawer: Drawer) -> None:
    (drawing,) = await only_drawer.draw(DrawState(RULES, first_state(RULES)))
    assert drawing.svg
    for name in NAMES:
        assert name not in drawing.svg
    assert "<script" not in drawing.svg
    assert "<img" not in drawing.svg


@shared
async def test_rules_that_are_none_give_a_list_of_facts(only_drawer: Drawer) -> None:
    (drawing,) = await only_drawer.draw(DrawState("( ( (", "( (a 1) b )"))
    assert (drawing.svg, drawing.facts) == ("", ("(a 1)", "b"))


@shared
async def test_an_error_is_logged_and_the_next_state_is_drawn(
    only_drawer: Drawer, caplog: pytest.LogCaptureFixture
) -> None:
    assert await only_drawer.draw(DrawState(CONNECT_FOUR, "( (a ")) == ()
    assert "a state is not drawn" in caplog.text
    assert len(await only_drawer.draw(DrawState(CONNECT_FOUR, first_state(CONNECT_FOUR)))) == 1


@pytest.mark.thorough
async def test_a_process_that_dies_is_replaced_and_its_game_is_not_tried_again(
    drawer: Drawer,
) -> None:
    request = DrawState("(role x)", "( a )")
    assert await drawer.draw(request)
    first = drawer.helper.process
    assert first is not None
    drawing = asyncio.create_task(drawer.draw(DrawState(CONNECT_FOUR, "( )")))
    first.kill()
    await first.wait()
    assert await drawing == ()
    assert await drawer.draw(DrawState(CONNECT_FOUR, "( )")) == ()
    assert await drawer.draw(request)
    assert drawer.helper.process is not first


HARD = """
(role ann) (init (at 0)) (digit 0) (digit 1) (digit 2) (digit 3) (digit 4)
(digit 5) (digit 6) (digit 7) (digit 8) (digit 9)
(<= (legal ann (go ?x)) (digit ?x))
(<= (legal ann (all ?a ?b ?c ?d ?e ?f))
    (true (at 9)) (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e) (digit ?f))
(<= (next (at ?x)) (does ann (go ?x)))
(goal ann 50)
"""
"""A game with a state in which there are a million moves."""


@pytest.fixture
def hard_match(tmp_path: Path) -> str:
    """An archive with a match of the game, in which its hard state is never reached."""
    return archived(tmp_path, HARD, [(f"(go {turn})",) for turn in (1, 2, 3)])


@pytest.mark.thorough
async def test_a_position_that_is_too_hard_costs_that_position_only(
    drawer: Drawer, hard_match: str
) -> None:
    hard = DrawPosition(hard_match, "1", 0, "9", 3)
    for _ in range(2):
        with pytest.raises(PositionError, match="too hard"):
            await drawer.position(hard, "192.0.2.7")
    position, _ = await drawer.position(DrawPosition(hard_match, "1", 0, "8", 3), "192.0.2.7")
    assert position.state == "( (at 8) )"
    assert len(await drawer.draw(DrawSteps(hard_match, "1", 0, 16, 3))) == 4
    assert await drawer.draw(DrawState(HARD, "( (at 9) )"))


async def test_a_viewer_who_asks_for_much_waits_behind_others(
    drawer: Drawer, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []

    async def answer(request: DrawState) -> Answer:
        order.append(request.state)
        await asyncio.sleep(0)
        return Answer((Drawing(),))

    monkeypatch.setattr(drawer, "_answer", answer)
    wanted = [("greedy", f"greedy {n}") for n in range(9)] + [("other", "other"), ("", "live")]
    asking = [drawer.draw(DrawState("(role x)", state), asker) for asker, state in wanted]
    await asyncio.gather(*asking)
    assert {"other", "live"} <= set(order[:4])
    assert [state for state in order if "greedy" in state] == [state for _, state in wanted[:9]]


async def test_a_request_that_takes_too_long_is_remembered_and_others_of_its_game_are_drawn(
    drawer: Drawer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    hard, easy = DrawState(CONNECT_FOUR, "( )"), DrawState(CONNECT_FOUR, "( (control red) )")
    with monkeypatch.context() as patched:
        patched.setattr(drawer_module, "DRAWING_SECONDS", 0.0)
        assert await drawer.draw(hard) == ()
    assert "has not answered for 0 s" in caplog.text
    assert await drawer.draw(hard) == ()
    assert drawer.helper.process is None  # it was not tried
    assert len(await drawer.draw(easy)) == 1


async def test_a_request_that_took_too_long_is_tried_again_after_a_pause_that_grows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[float] = []
    answers: list[Answer | Exception] = [TimeoutError() for _ in range(3)]
    answers.append(Answer((Drawing("<svg>"),)))

    async def ask(line: bytes, seconds: float) -> bytes:
        tried.append(clock.now)
        if isinstance(answer := answers.pop(0), Exception):
            raise answer
        return encode(answer)

    drawer = Drawer(clock := FakeClock())
    monkeypatch.setattr(drawer.helper, "ask", ask)
    request = DrawState("(role x)", "( )")
    for clock.now in (0.0, 59.0, 60.0, 179.0, 180.0):
        assert await drawer.draw(request) == ()
    assert tried == [0.0, 60.0, 180.0]
    clock.now = 420.0
    assert await drawer.draw(request) == (Drawing("<svg>"),)
    answers[:] = [TimeoutError(), TimeoutError()]
    for clock.now in (500.0, 560.0):  # as at first, since it has been drawn
        assert await drawer.draw(request) == ()
    assert tried[-2:] == [500.0, 560.0]


def test_a_game_whose_boards_take_too_long_has_its_states_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drawing_process, "LAYOUT_SECONDS", 1e-6)
    drawing_process._layout.cache_clear()
    gc.disable()  # Hypothesis counts its time in a callback, from which nothing can be raised
    try:
        (drawing,) = drawing_process.answer(DrawState(CONNECT_FOUR, "( (a 1) )")).drawings
    finally:
        gc.enable()
        drawing_process._layout.cache_clear()
    assert (drawing.svg, drawing.facts) == ("", ("(a 1)",))


def test_a_limit_that_went_unheard_is_raised_again() -> None:
    unheard = 0

    def spend() -> None:
        while time.process_time() < 600:
            sum(range(1000))

    def spend_unheard() -> None:
        nonlocal unheard
        with drawing_process._at_most(0.02):  # not so soon that it is raised before the try
            try:
                spend()
            except OutOfTimeError:
                unheard += 1
            spend()

    with pytest.raises(OutOfTimeError):
        spend_unheard()
    assert unheard == 1


def test_the_system_ends_a_request_that_nothing_else_can_end() -> None:
    program = (
        "from ggp_player.pages import drawing_process as process; process.REQUEST_SECONDS = 0.1; "
        "process.answer = lambda _: sum(iter(int, 1)); "  # no Python runs
        """process._answer_line(b'{"kind": "NameMoves", "rules": ""}')"""
    )
    ended = subprocess.run([sys.executable, "-c", program], check=False)
    assert ended.returncode == -signal.SIGVTALRM


async def cancel_drawing(drawer: Drawer, request: DrawState) -> None:
    """Ask for a drawing, and wait for it no longer once it has begun."""
    drawing = asyncio.create_task(drawer.draw(request))
    await asyncio.sleep(0)
    drawing.cancel()
    await asyncio.wait([drawing])
    assert drawing.cancelled()


async def test_closing_waits_for_the_process_of_a_drawing_that_is_cancelled(
    drawer: Drawer,
) -> None:
    await drawer.warm_up()
    process = drawer.helper.process
    assert process is not None
    assert await drawer.draw(DrawState("(role x)", "( a )"))
    assert drawer.helper.process is process  # which is warm
    request = DrawState(CONNECT_FOUR, first_state(CONNECT_FOUR))
    await cancel_drawing(drawer, request)
    await drawer.close()
    assert process.returncode is not None


IMPORTED = """
import sys
from pathlib import Path
from ggp_player.pages import drawing_process
lean = {"aiohttp", "asyncio", "numpy", "ggp_player.strategies", "sqlalchemy"} & set(sys.modules)
drawing_process.prepare_archives()
before = set(sys.modules)
drawing_process.open_archive(Path(sys.argv[1])).match("1")
print(sorted(lean), sorted(set(sys.modules) - before))
"""


def test_the_process_imports_little_and_what_reads_archives_before_it_is_asked(won: str) -> None:
    assert printed_by(IMPORTED, won) == "[] []\n"


@shared
async def test_a_drawing_that_nobody_waits_for_any_more_leaves_the_process_to_the_next(
    only_drawer: Drawer,
) -> None:
    request = DrawState(CONNECT_FOUR, first_state(CONNECT_FOUR))
    assert len(await only_drawer.draw(request)) == 1
    process = only_drawer.helper.process
    assert process is not None
    await cancel_drawing(only_drawer, request)
    assert len(await only_drawer.draw(request)) == 1
    assert only_drawer.helper.process is process


async def test_a_drawing_that_nobody_waits_for_any_more_ends_soon(
    drawer: Drawer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawer_module, "ABANDONED_SECONDS", 0.0)
    has_begun, is_ended = asyncio.Event(), asyncio.Event()

    async def ask(_line: bytes, _seconds: float) -> bytes:
        has_begun.set()
        try:
            return await asyncio.Future()
        finally:
            is_ended.set()

    monkeypatch.setattr(drawer.helper, "ask", ask)
    drawing = asyncio.create_task(drawer.draw(DrawState("(role x)", "( )")))
    async with asyncio.timeout(30):
        await has_begun.wait()
        drawing.cancel()
        await is_ended.wait()
