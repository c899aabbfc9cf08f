"""What a page shows of a match, by its events."""

import pytest

from ggp_player.events import (
    GameDescribed,
    MatchEnded,
    MatchProblem,
    MatchStarted,
    MoveChosen,
    StateReached,
    StepMade,
    Thoughts,
    TurnAsked,
)
from ggp_player.pages.drawing_messages import Drawing
from ggp_player.pages.match_view import MAX_PROBLEMS, MAX_TURNS, MatchView, Turn

START = MatchStarted(
    match="k", time=1000, match_id="m", rules="(role x)", start_clock=9, play_clock=4, role="x"
)


@pytest.fixture
def view() -> MatchView:
    return MatchView(START)


def asked(turn: int, *joint_move: str, time: int = 2000) -> TurnAsked:
    return TurnAsked(match="k", time=time, turn=turn, joint_move=joint_move, clock=4, seconds=3)


def reached(turn: int, state: str) -> StateReached:
    return StateReached(match="k", time=2100, turn=turn, roles=("x", "o"), state=state)


def chosen(turn: int, move: str) -> MoveChosen:
    return MoveChosen(match="k", time=3000, turn=turn, move=move, value=60.0, seconds=0.9)


def turns(view: MatchView, version: int = 0) -> list[Turn]:
    found = view.shown().changes_since(version).get("turns", [])
    assert isinstance(found, list)
    return found


def test_a_viewer_that_begins_gets_all_and_then_what_is_new(view: MatchView) -> None:
    assert view.shown().changes_since(0).keys() == {"about", "clock"}
    view.apply(asked(0))
    view.apply(chosen(0, "a"))
    before = view.version
    assert view.shown().changes_since(before) == {}
    view.apply(asked(1, "a", "b"))
    assert [turn.turn for turn in turns(view, before)] == [0, 1]
    assert [turn.turn for turn in turns(view)] == [0, 1]
    first, second = turns(view)
    assert (first.joint_move, first.move, first.value) == (("a", "b"), "a", 60.0)
    assert (second.joint_move, second.move) == ((), None)


def test_the_kind_of_game_stands_with_what_the_match_is(view: MatchView) -> None:
    before = view.version
    view.apply(GameDescribed(match="k", time=1500, text="two rivals"))
    changed = view.shown().changes_since(before)
    assert changed.keys() == {"about"}
    about = changed["about"]
    assert isinstance(about, dict)
    assert about["about_game"] == "two rivals"


def test_clocks(view: MatchView) -> None:
    assert view.shown().changes_since(0)["clock"] == {
        "kind": "start",
        "asked": 1000,
        "clock": 9,
        "seconds": 9,
        "chosen": None,
    }
    view.apply(asked(0))
    view.apply(chosen(0, "a"))
    clock = view.shown().changes_since(0)["clock"]
    assert isinstance(clock, dict)
    assert (clock["kind"], clock["asked"], clock["chosen"]) == ("play", 2000, 3000)


def test_the_state_before_is_that_of_the_turn_before(view: MatchView) -> None:
    view.apply(reached(0, "( 0 )"))
    assert view.before == ""
    view.apply(reached(1, "( 1 )"))
    assert view.before == "( 0 )"
    view.apply(reached(1, "( 1 )"))
    assert view.before == "( 0 )"
    view.apply(reached(3, "( 3 )"))
    assert view.before == ""


def test_boards_lines_and_thoughts_are_sections(view: MatchView) -> None:
    state = reached(0, "( 0 )")
    view.apply(state)
    view.set_drawing(state, Drawing("<svg/>"))
    view.set_places((("a", "b"),), (("0 1 1",),))
    view.apply(Thoughts(match="k", time=2500, turn=0, move="a", value=50.0))
    found = view.shown().changes_since(0)
    board, places = found["board"], found["places"]
    assert isinstance(board, dict)
    assert (board["turn"], board["svg"]) == (0, "<svg/>")
    assert places == {"turn": 0, "line": (("0 1 1",),)}
    assert found["thoughts"] is view.thoughts


def test_the_end(view: MatchView) -> None:
    view.apply(asked(0))
    ended = MatchEnded(
        match="k", time=9, status="completed", turn=1, joint_move=("a", "b"), goals={"x": 100}
    )
    view.apply(ended)
    assert view.is_over
    assert turns(view)[0].joint_move == ("a", "b")
    assert view.summary()["goals"] == {"x": 100}
    assert view.summary()["status"] == "completed"


def test_what_our_game_manager_tells(view: MatchView) -> None:
    step = StepMade(
        match="k", time=5, step=1, joint_move=("a", "b"), errors=("TO", ""), seconds=(1.0, 2.0),
        state="( 1 )",
    )  # fmt: skip
    view.apply(step)
    assert turns(view)[0].errors == ("TO", "")
    assert view.state is not None
    assert view.state.turn == 1


def test_a_long_match_and_many_problems_are_bounded(view: MatchView) -> None:
    for turn in range(MAX_TURNS + 10):
        view.apply(asked(turn))
        view.apply(MatchProblem(match="k", time=1, turn=turn, text=f"{turn}"))
    assert len(turns(view)) == MAX_TURNS
    assert turns(view)[0].turn == 10
    problems = view.shown().changes_since(0)["problems"]
    assert isinstance(problems, list)
    assert [len(problems), problems[-1]["text"]] == [MAX_PROBLEMS, str(MAX_TURNS + 9)]


def test_a_match_that_goes_on_shows_what_was_before() -> None:
    start = MatchStarted(
        match="k", time=1, match_id="m", rules="", start_clock=1, play_clock=1,
        history=(("a", "b"), ("c", "d")),
    )  # fmt: skip
    assert [turn.joint_move for turn in turns(MatchView(start))] == [("a", "b"), ("c", "d")]
