"""Each search of the planner finds plans that hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.engine.machine import PropnetStateMachine
from ggp_player.strategies.planner.beam_search import Beam, BeamSearch
from ggp_player.strategies.planner.best_first import (
    DEPTH_FIRST,
    DEPTH_FIRST_IN_BATCHES,
    GREEDY,
    MOST_CONSTRAINED_FIRST,
    WEIGHTED_A_STAR,
    BestFirstSearch,
    SearchOrder,
    fulfil_most_constrained,
)
from ggp_player.strategies.planner.heuristics import EndSimilarity, Heuristics
from ggp_player.strategies.planner.nested_search import NestedSearch, PlayoutRecord, PlayoutRecorder
from ggp_player.strategies.planner.plan_portfolio import relaxation_of_best_goal
from ggp_player.strategies.planner.search_memory import KeyTable, SearchTree
from ggp_player.strategies.planner.state_space import FoundPlan, PlanStream
from tests.support.compiled_games import machine_of
from tests.support.planner_games import QUICK_PUZZLES, space_of

MAX_STATES = 500_000

LENGTHS = {
    "blocksWorld": 8,
    "eightPuzzle": 18,
    "keyMaze": 25,
    "lightsOut": 7,
    "towersOfHanoi": 31,
    "warehouse": 27,
}
"""The shortest plans, as the rulesheets say."""


def best_of(progress: PlanStream, slices: int = 10_000) -> FoundPlan:
    """Return the best plan that a search finds in so many slices."""
    found = [each for each, _ in zip(progress, range(slices), strict=False) if each]
    return max(found, key=lambda each: each.value, default=FoundPlan(-1, ()))


def played(machine: PropnetStateMachine, found: FoundPlan) -> int:
    """Return the goal value after the moves of a plan, which must be legal."""
    state, role = machine.initial_state(), machine.roles[0]
    for index in found.moves:
        move = machine.moves[0][index]
        assert not machine.is_terminal(state)
        assert move in machine.legal_moves(state, role)
        state = machine.next_state(state, (move,))
    assert machine.is_terminal(state)
    return machine.goal(state, role) or 0


@pytest.mark.thorough
@pytest.mark.parametrize("game", LENGTHS)
def test_breadth_first_search_finds_the_shortest_plan(game: str) -> None:
    machine = machine_of(game)
    found = best_of(BeamSearch(*space_of(machine), MAX_STATES).run())
    assert (found.value, len(found.moves)) == (100, LENGTHS[game])
    assert played(machine, found) == 100


def test_breadth_first_search_without_room_proves_nothing() -> None:
    search = BeamSearch(*space_of(machine_of("eightPuzzle")), 1000)
    assert best_of(search.run()).value < 100
    assert not search.complete


def test_states_that_differ_only_in_step_counters_are_distinguished_on_demand() -> None:
    space, root = space_of(machine_of("keyMaze"))
    counts = []
    for ignore_counters in (True, False):
        before = space.states
        search = BeamSearch(space, root, MAX_STATES, ignore_counters=ignore_counters)
        assert best_of(search.run()).value == 100
        counts.append(space.states - before)
    assert counts[0] < counts[1] / 2


@pytest.mark.parametrize("heuristic", ["distance", "goal_value", "playouts"])
def test_beams_find_plans_that_hold(heuristic: str) -> None:
    machine = machine_of("blocksWorld")
    space, root = space_of(machine)
    heuristics = Heuristics(space, relaxation_of_best_goal(space, root), np.random.default_rng(1))
    found = best_of(
        BeamSearch(space, root, MAX_STATES, Beam(getattr(heuristics, heuristic), 64)).run()
    )
    assert found.value == played(machine, found)
    assert found.value >= 75


def test_a_narrow_beam_solves_the_eight_puzzle() -> None:
    space, root = space_of(machine_of("eightPuzzle"))
    heuristics = Heuristics(space, relaxation_of_best_goal(space, root), np.random.default_rng(1))
    search = BeamSearch(space, root, MAX_STATES, Beam(heuristics.distance, 100))
    assert best_of(search.run()).value == 100
    assert not search.complete
    assert space.states < 10_000


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "heuristic", "order"),
    [
        ("knightsTour", "fewest_moves", DEPTH_FIRST),
        ("sudokuSmall", "most_moves", DEPTH_FIRST_IN_BATCHES),
        ("eightPuzzle", "distance", GREEDY),
        ("warehouse", "distance", WEIGHTED_A_STAR),
        ("sudokuSmall", "distance", MOST_CONSTRAINED_FIRST),
    ],
)
def test_best_first_searches_backtrack(game: str, heuristic: str, order: SearchOrder) -> None:
    machine = machine_of(game)
    space, root = space_of(machine)
    heuristics = Heuristics(space, relaxation_of_best_goal(space, root), np.random.default_rng(1))
    search = BestFirstSearch(
        space, root, MAX_STATES, getattr(heuristics, heuristic), order, heuristics.relaxation
    )
    found = best_of(search.run(), 2000)
    assert found.value == played(machine, found)
    assert found.value == 100


@pytest.mark.parametrize("game", QUICK_PUZZLES)
def test_recorded_playouts_can_be_replayed(game: str) -> None:
    machine = machine_of(game)
    space, root = space_of(machine)
    *_, recording = PlayoutRecorder(space, 3).record(np.repeat(root, 100, axis=0))
    assert isinstance(recording, PlayoutRecord)
    for lane in range(0, 100, 9):
        found = FoundPlan(int(recording.values[lane]), recording.moves(lane))
        assert played(machine, found) == found.value
        assert len(found.moves) == recording.lengths[lane]


def test_nested_search_improves_on_its_playouts() -> None:
    machine = machine_of("pegSolitaire")
    space, root = space_of(machine)
    random = np.random.default_rng(2)
    heuristics = Heuristics(space, relaxation_of_best_goal(space, root), random)
    found = best_of(NestedSearch(space, root, heuristics, random).run(), 100)
    assert (found.value, played(machine, found)) == (100, 100)


def test_the_most_constrained_conditions_are_fulfilled_first() -> None:
    before = np.array([[0, 0, 1], [1, 1, 0]], dtype=np.bool_)
    after = np.array([[1, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 1, 0]], dtype=np.bool_)
    wanted = fulfil_most_constrained(before, after, np.array([0, 0, 0, 1, 1]))
    assert wanted.tolist() == [False, False, True, True, True]
    assert fulfil_most_constrained(before[:, :0], after[:, :0], np.array([0, 0, 0, 1, 1])).all()


@pytest.mark.parametrize(
    ("game", "informative"),
    [
        ("blocksWorld", {"distance", "goal_value", "most_moves"}),
        ("lightsOut", {"distance"}),
        ("pancakes", {"distance", "goal_value"}),
    ],
)
def test_uninformative_heuristics_are_left_out(game: str, informative: set[str]) -> None:
    space, root = space_of(machine_of(game))
    heuristics = Heuristics(space, relaxation_of_best_goal(space, root), np.random.default_rng(1))
    assert list(heuristics.informative()) == [heuristics.distance]
    best_of(BeamSearch(space, root, MAX_STATES).run(), 10)
    found = {getattr(heuristics, name) for name in informative}
    assert set(heuristics.informative()) == found
    ends = np.repeat(root, 2, axis=0)
    ends[1] = ~ends[1]
    heuristics.learn(ends, np.array([0, 100]))
    assert set(heuristics.informative()) == {*found, heuristics.similarity}


def test_similarity_weights_what_good_ends_have_in_common() -> None:
    similarity = EndSimilarity(3)
    ends = np.packbits([[1, 0, 1], [1, 1, 0], [0, 1, 0], [0, 1, 1]], axis=1, bitorder="little")
    similarity.learn(ends, np.array([100, 100, 0, 0]))
    first, second, third = similarity.of(np.array([[1], [2], [4]], dtype=np.uint8)).tolist()
    assert first > third > second


@given(st.lists(st.lists(st.integers(1, 2**64 - 1), max_size=40), max_size=12))
def test_tables_know_what_is_new(batches: list[list[int]]) -> None:
    table, known = KeyTable(10_000), set[int]()
    for batch in batches:
        expected = [key not in known and key not in batch[:i] for i, key in enumerate(batch)]
        assert table.add(np.array(batch, dtype=np.uint64)).tolist() == expected
        known |= set(batch)
        assert table.size == len(known)


def test_tables_grow() -> None:
    table, keys = KeyTable(10**6), np.arange(1, 50_001, dtype=np.uint64)
    for part in np.array_split(keys, 7):
        assert table.add(part).all()
    assert not table.add(keys).any()


def test_full_tables_report_unknown_keys_as_new() -> None:
    table = KeyTable(3)
    table.add(np.array([5, 6, 7], dtype=np.uint64))
    assert table.full
    for _ in range(2):
        assert table.add(np.array([6, 8, 8], dtype=np.uint64)).tolist() == [False, True, False]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60))
def test_trees_remember_paths(parents: list[int]) -> None:
    tree, paths = SearchTree(), list[tuple[int, ...]]([()])
    tree.add_root()
    for move, wish in enumerate(parents):
        parent = wish % len(paths)
        (node,) = tree.add(np.array([parent]), np.array([move])).tolist()
        paths.append((*paths[parent], move))
        assert tree.path(node) == paths[node]
