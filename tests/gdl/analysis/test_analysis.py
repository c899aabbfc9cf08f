"""What the analysis says of games whose structure is known."""

from __future__ import annotations

import doctest
from collections.abc import Callable

import pytest

import gdl
import gdl.analysis
from gdl.analysis import Choices, Confidence, Finding, Structure, analyse, analysis
from gdl.analysis.evidence.block_survey import observe_blocks
from gdl.analysis.evidence.survey import Survey, observe
from gdl.analysis.properties.length import find_size
from tests.support.analysed_games import (
    FORK,
    LADDER,
    LOTTERY,
    SCALES,
    compiled,
    structure_of,
    texts,
)
from tests.support.compiled_games import NAMES, SMALL, machine_of, reasoner_of
from tests.support.marks import thorough
from tests.support.paths import GAMES

SIMULTANEOUS = {
    "biddingTicTacToe",
    "fishery",
    "goofspiel",
    "handDuel",
    "loneNumber",
    "powderKegs",
    "ropeTeam",
    "sealedBids",
    "threeHills",
    "townChase",
    "tron",
    "twinBoards",
}
"""The games in which several roles choose at the same time, as games/README.md lists them."""

LARGE = {"amazons", "chess", "draughts", "kalah", "powderKegs", "reversi", "starHalma"}
"""Games that take long to compile or to analyse."""

FEW_AND_MANY = [
    *SMALL,
    *(
        pytest.param(name, marks=pytest.mark.slow if name in LARGE else pytest.mark.thorough)
        for name in NAMES
        if name not in SMALL
    ),
]

COUNTED = {"ticTacToe": 5478, "nim": 328}
"""Games with the number of their states."""

LONGEST = {"ticTacToe": 9, "nim": 14, "hex": 36, "dotsAndBoxes": 24, "lightsOut": 12, "pig": 40}
"""Games with the number of steps that no match passes."""


def test_the_session_in_the_docstring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GAMES.parent)
    assert doctest.testmod(gdl.analysis).failed == 0


@pytest.mark.parametrize("name", FEW_AND_MANY)
def test_who_is_to_move(name: str) -> None:
    structure = structure_of(name)
    assert structure.turns.one_at_a_time.value == (name not in SIMULTANEOUS)
    assert structure.turns.chance == next((r for r in structure.roles if r.name == "random"), None)


@pytest.mark.parametrize(
    "name",
    [
        "ticTacToe",
        "pig",
        *thorough("breakthrough", "hex"),
    ],
)
def test_turns_are_proved(name: str) -> None:
    assert structure_of(name).turns.one_at_a_time.is_proved


@pytest.mark.parametrize(
    "name",
    [
        "connectFour",
        "breakthrough",
        *thorough("tron", "pentago"),
    ],
)
def test_a_constant_sum_is_proved(name: str) -> None:
    total = structure_of(name).goals.sum
    assert (total.value, total.is_proved) == (100, True)
    assert structure_of(name).goals.is_rivalry


@pytest.mark.parametrize(
    "name",
    [
        "trefoil",
        *thorough("fishery", "loneNumber"),
        "ropeTeam",
    ],
)
def test_interests_of_their_own(name: str) -> None:
    assert structure_of(name).goals.sum.value is None


def test_cooperation_is_seen_where_random_play_never_wins() -> None:
    goals = structure_of("ropeTeam").goals
    assert goals.shared
    assert {values.value for values in goals.values.values()} == {(0, 40, 100)}


@pytest.mark.parametrize(("name", "bound"), LONGEST.items())
def test_a_bound_of_the_length(name: str, bound: int) -> None:
    length = structure_of(name).length
    assert (length.bound.value, length.bound.is_proved) == (bound, True)
    assert length.most is not None
    assert length.most <= bound


@pytest.mark.parametrize(("name", "states"), COUNTED.items())
def test_states_are_counted(name: str, states: int) -> None:
    assert structure_of(name).size.states == states


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_proved_findings_hold_in_other_playouts(name: str) -> None:
    structure, machine = structure_of(name), machine_of(name)
    other = analyse(machine, seed=7, playouts=machine.engine.words * 64)
    if structure.turns.one_at_a_time.is_proved and structure.turns.one_at_a_time.value:
        assert other.turns.one_at_a_time.value
    for role, values in structure.goals.values.items():
        if values.is_proved:
            assert set(other.goals.values[role].value) <= set(values.value)
    if structure.length.bound.value is not None and other.length.most is not None:
        assert other.length.most <= structure.length.bound.value


def test_the_same_seed_gives_the_same_structure() -> None:
    machine = machine_of("nim")
    assert analyse(machine, seed=3) == analyse(machine, seed=3)


def test_a_role_without_a_choice() -> None:
    structure = analyse(compiled(LADDER))
    assert texts(structure.turns.dummies.value) == ["watcher"]
    assert structure.turns.dummies.is_proved


def test_latches() -> None:
    latches = analyse(compiled(LADDER)).latches
    assert latches is not None
    assert texts(latches.rising) == ["(rung 4)", "(seen 0)", "(seen 1)", "(seen 2)", "(seen 3)"]
    assert texts(latches.falling) == ["(rung 0)"]


def test_what_a_latch_decides() -> None:
    latches = analyse(compiled(LADDER)).latches
    assert latches is not None
    decided = {str(fact): [(str(r), v) for r, v in to] for fact, to in latches.deciding.items()}
    assert decided["(seen 2)"] == [("climber", 100), ("watcher", 0)]


def test_a_goal_that_cannot_be_reached_is_no_goal_value() -> None:
    values = analyse(compiled(LOTTERY)).goals.values
    assert [(str(role), found.value, found.is_proved) for role, found in values.items()] == [
        ("r", (0,), True)
    ]


def test_a_step_counter() -> None:
    length = analyse(compiled(SCALES)).length
    assert length.bound.value == 6
    assert texts(length.clock) == [f"(step {n})" for n in range(7)]


def test_a_game_that_is_not_compiled_is_played_by_the_reasoner() -> None:
    structure = analyse(reasoner_of("ticTacToe"))
    assert structure.turns.one_at_a_time.value
    assert not structure.turns.one_at_a_time.is_proved
    assert structure.goals.sum.value == 100
    assert structure.latches is None
    assert structure.decomposition is None


def test_the_reasoner_and_blocks_record_the_same() -> None:
    of_steps = observe(gdl.interpret(gdl.parse(FORK)), seed=0, playouts=8)
    of_blocks, _ = observe_blocks(compiled(FORK), seed=0, playouts=8)
    assert (of_blocks.pairs[0], of_blocks.meetings[0]) == (28, 28)
    of_blocks.pairs.clear()  # those of steps do not look whether they meet
    of_blocks.meetings.clear()
    assert of_steps.joint_moves.counts == {2: 8, 3: 8}  # those of blocks are not counted
    of_steps.joint_moves.counts.clear()
    assert of_steps == of_blocks
    assert of_steps.line_counts == [6] * 8


@pytest.mark.parametrize("make", [gdl.compile, gdl.interpret])
def test_figures(make: Callable[[gdl.Ruleset], gdl.StateMachine]) -> None:
    structure = analyse(make(gdl.parse(FORK)))
    assert structure.size.lines == 6
    assert structure.turns.alternating.value
    assert list(structure.turns.choices.values()) == [Choices(3, 3, 0.5), Choices(2, 2, 0.5)]
    assert {str(role): mean for role, mean in structure.goals.means.items()} == {"r": 20, "s": 70}


def test_goals_that_never_fall() -> None:
    structure = analyse(compiled(LADDER))
    assert texts(structure.goals.rising.value) == ["climber"]
    assert structure.goals.rising.is_proved


def test_a_role_that_chooses_again() -> None:
    turns = structure_of("dotsAndBoxes").turns
    assert not turns.alternating.value
    assert turns.alternating.is_proved


def test_playouts_are_counted() -> None:
    structure = analyse(machine_of("nim"), playouts=700)
    assert structure.length.playouts == 700
    assert structure.length.ended == 1


def test_a_game_without_end_is_broken_off() -> None:
    endless = "(role r) (init a) (legal r go) (<= (next a) (true a)) (<= terminal (true b))"
    structure = analyse(gdl.compile(gdl.parse(endless)))
    assert isinstance(structure, Structure)
    assert structure.length.ended == 0
    assert structure.length.bound.value is None
    assert structure.size.lines is None


def test_a_game_that_is_over_at_once() -> None:
    over = "(role r) (init a) (legal r go) (<= terminal (true a)) (goal r 70)"
    structure = analyse(gdl.compile(gdl.parse(over)))
    assert (structure.length.most, structure.length.bound.value) == (0, 0)
    assert structure.size.states == 1
    assert structure.goals.values[structure.roles[0]].value == (70,)


def test_a_role_that_never_has_a_move() -> None:
    stuck = "(role r) (role s) (init a) (legal r go) (legal r stay) (<= terminal (true b))"
    structure = analyse(gdl.compile(gdl.parse(stuck)))
    assert structure.length.ended == 0
    assert texts(structure.turns.dummies.value) == ["s"]


def test_there_must_be_a_playout() -> None:
    with pytest.raises(ValueError, match="at least one playout"):
        analyse(machine_of("nim"), playouts=0)


@pytest.mark.thorough
def test_playouts_meet_where_states_are_few() -> None:
    assert structure_of("wolfAndSheep").size.typical in range(100_000, 895_280)
    assert structure_of("connectFour").size.typical is None


@pytest.mark.parametrize(
    ("pairs", "meetings", "typical"),
    [
        ([120, 120, 120], [120, 12, 3], 8),
        ([20_000] * 20, [100] * 20, 4_000),
        ([20_000] * 20, [100] * 10 + [0] * 10, None),
        ([20_000, 200, 100], [20_000, 0, 0], 3),
    ],
)
def test_states_are_estimated_from_meetings(
    pairs: list[int], meetings: list[int], typical: int | None
) -> None:
    record = Survey(1, pairs=pairs, meetings=meetings)
    assert find_size(record, None, 0).typical == typical


def test_a_circuit_with_too_many_gates_is_only_surveyed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(analysis, "MAX_GATES", 0)
    structure = analyse(machine_of("ticTacToe"))
    assert structure.turns.one_at_a_time == Finding(True, Confidence.OBSERVED)
    assert structure.goals.sum == Finding(100, Confidence.OBSERVED)
    assert structure.length.bound.confidence is Confidence.OBSERVED
    assert (structure.latches, structure.decomposition, structure.symmetries) == (None, None, ())
