"""The searches of the planner, each on its own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.engine.machine import PropnetStateMachine
from ggp_player.strategies.planner.beam_search import Beam, LevelSearch
from ggp_player.strategies.planner.best_first import (
    DEEPEST_FIRST,
    DEPTH_FIRST,
    GREEDY,
    NARROW,
    SHORT_AND_GREEDY,
    BestFirstSearch,
    SearchTree,
    scarcest,
)
from ggp_player.strategies.planner.heuristics import Heuristics, Likeness
from ggp_player.strategies.planner.nested_search import NestedSearch, PlayoutRecord, Recorder
from ggp_player.strategies.planner.plan_portfolio import within_reach
from ggp_player.strategies.planner.state_space import Found, KeyTable, Progress
from tests.support.compiled_games import machine_of
from tests.support.planner_games import PUZZLES, space_of

ROOM = 500_000

LENGTHS = {
    "blocksWorld": 8,
    "eightPuzzle": 18,
    "keyMaze": 25,
    "lightsOut": 7,
    "towersOfHanoi": 31,
    "warehouse": 27,
}
"""The shortest plans, as the rulesheets say."""


def best_of(progress: Progress, slices: int = 10_000) -> Found:
    """Return the best that a search comes upon in so many slices."""
    found = [each for each, _ in zip(progress, range(slices), strict=False) if each]
    return max(found, key=lambda each: each.value, default=Found(-1, ()))


def played(machine: PropnetStateMachine, found: Found) -> int:
    """Return the goal value after the moves of what was found, which must be legal."""
    state, role = machine.initial_state(), machine.roles[0]
    for place in found.moves:
        move = machine.moves[0][place]
        assert not machine.is_terminal(state)
        assert move in machine.legal_moves(state, role)
        state = machine.next_state(state, (move,))
    assert machine.is_terminal(state)
    return machine.goal(state, role) or 0


@pytest.mark.parametrize("game", LENGTHS)
def test_breadth_first_search_finds_the_shortest_plan(game):
    machine = machine_of(game)
    found = best_of(LevelSearch(*space_of(machine), ROOM).run())
    assert (found.value, len(found.moves)) == (100, LENGTHS[game])
    assert played(machine, found) == 100


def test_breadth_first_search_without_room_proves_nothing():
    search = LevelSearch(*space_of(machine_of("eightPuzzle")), 1000)
    assert best_of(search.run()).value < 100
    assert not search.complete


def test_states_that_differ_in_step_counters_alone_are_told_apart_on_demand():
    space, root = space_of(machine_of("keyMaze"))
    counts = []
    for without_counters in (True, False):
        before = space.states
        search = LevelSearch(space, root, ROOM, without_counters=without_counters)
        assert best_of(search.run()).value == 100
        counts.append(space.states - before)
    assert counts[0] < counts[1] / 2


@pytest.mark.parametrize("guide", ["near", "rich", "played"])
def test_beams_find_plans_that_hold(guide):
    machine = machine_of("blocksWorld")
    space, root = space_of(machine)
    guides = Heuristics(space, within_reach(space, root), np.random.default_rng(1))
    found = best_of(LevelSearch(space, root, ROOM, Beam(getattr(guides, guide), 64)).run())
    assert found.value == played(machine, found)
    assert found.value >= 75


def test_a_narrow_beam_solves_the_eight_puzzle():
    space, root = space_of(machine_of("eightPuzzle"))
    guides = Heuristics(space, within_reach(space, root), np.random.default_rng(1))
    search = LevelSearch(space, root, ROOM, Beam(guides.near, 100))
    assert best_of(search.run()).value == 100
    assert not search.complete
    assert space.states < 10_000


@pytest.mark.parametrize(
    ("game", "guide", "order"),
    [
        ("knightsTour", "tight", DEEPEST_FIRST),
        ("sudokuSmall", "open", DEPTH_FIRST),
        ("eightPuzzle", "near", GREEDY),
        ("warehouse", "near", SHORT_AND_GREEDY),
        ("sudokuSmall", "near", NARROW),
    ],
)
def test_searches_of_the_first_first_backtrack(game, guide, order):
    machine = machine_of(game)
    space, root = space_of(machine)
    guides = Heuristics(space, within_reach(space, root), np.random.default_rng(1))
    how = getattr(guides, guide), order
    found = best_of(BestFirstSearch(space, root, ROOM, guides, how).run(), 2000)
    assert found.value == played(machine, found)
    assert found.value == 100


@pytest.mark.parametrize("game", PUZZLES)
def test_recorded_playouts_can_be_replayed(game):
    machine = machine_of(game)
    space, root = space_of(machine)
    *_, recording = Recorder(space, 3).record(np.repeat(root, 100, axis=0))
    assert isinstance(recording, PlayoutRecord)
    for lane in range(0, 100, 9):
        found = Found(int(recording.values[lane]), recording.moves(lane))
        assert played(machine, found) == found.value
        assert len(found.moves) == recording.lengths[lane]


def test_nested_search_improves_on_its_playouts():
    machine = machine_of("pegSolitaire")
    space, root = space_of(machine)
    random = np.random.default_rng(2)
    guides = Heuristics(space, within_reach(space, root), random)
    found = best_of(NestedSearch(space, root, guides, random).run(), 100)
    assert (found.value, played(machine, found)) == (100, 100)


def test_conditions_with_the_fewest_ways_are_served_first():
    before = np.array([[0, 0, 1], [1, 1, 0]], dtype=np.bool_)
    after = np.array([[1, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 1, 0]], dtype=np.bool_)
    wanted = scarcest(before, after, np.array([0, 0, 0, 1, 1]))
    assert wanted.tolist() == [False, False, True, True, True]
    assert scarcest(before[:, :0], after[:, :0], np.array([0, 0, 0, 1, 1])).all()


@pytest.mark.parametrize(
    ("game", "telling"),
    [
        ("blocksWorld", {"near", "rich", "open"}),
        ("lightsOut", {"near"}),
        ("pancakes", {"near", "rich"}),
    ],
)
def test_guides_that_tell_nothing_are_left_out(game, telling):
    space, root = space_of(machine_of(game))
    guides = Heuristics(space, within_reach(space, root), np.random.default_rng(1))
    assert [guide.name for guide in guides.telling()] == ["near"]
    best_of(LevelSearch(space, root, ROOM).run(), 10)
    assert {guide.name for guide in guides.telling()} == telling
    ends = np.repeat(root, 2, axis=0)
    ends[1] = ~ends[1]
    guides.learn(ends, np.array([0, 100]))
    assert {guide.name for guide in guides.telling()} == {*telling, "alike"}


def test_likeness_weighs_what_good_ends_have():
    likeness = Likeness(3)
    ends = np.packbits([[1, 0, 1], [1, 1, 0], [0, 1, 0], [0, 1, 1]], axis=1, bitorder="little")
    likeness.learn(ends, np.array([100, 100, 0, 0]))
    first, second, third = likeness.of(np.array([[1], [2], [4]], dtype=np.uint8)).tolist()
    assert first > third > second


@given(st.lists(st.lists(st.integers(1, 2**64 - 1), max_size=40), max_size=12))
def test_tables_know_what_is_new(batches):
    table, known = KeyTable(10_000), set[int]()
    for batch in batches:
        expected = [key not in known and key not in batch[:i] for i, key in enumerate(batch)]
        assert table.add(np.array(batch, dtype=np.uint64)).tolist() == expected
        known |= set(batch)
        assert table.size == len(known)


def test_tables_grow():
    table, keys = KeyTable(10**6), np.arange(1, 50_001, dtype=np.uint64)
    for part in np.array_split(keys, 7):
        assert table.add(part).all()
    assert not table.add(keys).any()


def test_full_tables_take_the_unknown_for_new():
    table = KeyTable(3)
    table.add(np.array([5, 6, 7], dtype=np.uint64))
    assert table.full
    for _ in range(2):
        assert table.add(np.array([6, 8, 8], dtype=np.uint64)).tolist() == [False, True, False]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60))
def test_trees_remember_ways(parents):
    tree, ways = SearchTree(), [()]
    tree.add(np.array([-1]), np.array([0]))
    for move, wish in enumerate(parents):
        parent = wish % len(ways)
        (node,) = tree.add(np.array([parent]), np.array([move])).tolist()
        ways.append((*ways[parent], move))
        assert tree.way(node) == ways[node]
