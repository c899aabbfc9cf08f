"""The tree search: what it proves is true, its visits add up, and old nodes make room for new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import pytest

import gdl
from gdl.analysis.symmetry import find_symmetries, generated_group
from gdl.engine.machine import PropnetStateMachine
from gdl.state_machine import State
from ggp_player.lab.positions.turns import replayed
from ggp_player.strategies import BranchReport
from ggp_player.strategies.mcts.arrays import (
    NODES,
    RECYCLED,
    ROOT,
    Settings,
)
from ggp_player.strategies.mcts.tree_search import (
    MAX_BRANCHES,
    MAX_CHILDREN,
    MAX_PLIES,
    TreeSearch,
)
from tests.support.compiled_games import machine_of
from tests.support.search_trees import FAIR_OR_NOT, searched, states_of
from tests.support.small_games import compiled, connect_four
from tests.support.textbook_solver import minimax_of


def test_bounds_of_all_nodes_hold_and_the_root_is_proved() -> None:
    machine = machine_of("ticTacToe")
    search, value = TreeSearch(machine, Settings(), seed=1, memory=2**24), minimax_of(machine)
    search.set_root(replayed(machine, [gdl.parse_term("(put a1)"), gdl.parse_term("(put b2)")]))
    search.run(3000)
    tree = search.memory.tree
    assert search.is_proved
    assert search.bounds(0) == (50, 50)
    assert search.nodes > 200
    for node, state in enumerate(states_of(search)):
        first, second = tree.roles[node]
        assert first["low"] <= value(state, 0) <= first["high"]
        assert second["low"] <= value(state, 1) <= second["high"]


def test_edges_add_up_to_the_visits_of_their_node() -> None:
    search = searched(machine_of("connectFour"), 300)
    moves = search.moves(0)
    visits = int(search.memory.tree.nodes[search.memory.counts[ROOT]]["visits"])
    assert 0.9 * visits < sum(move.visits for move in moves) <= visits
    assert [move.index for move in moves] == list(range(7))
    assert all(move.low <= move.value <= move.high for move in moves)


@pytest.mark.parametrize("name", ["tron", "trefoil", "townChase"])
def test_the_same_seed_and_steps_give_the_same_tree_when_nodes_are_recycled(name: str) -> None:
    machine = machine_of(name)

    def grown(slice_steps: int) -> TreeSearch:
        search = TreeSearch(machine, Settings(), seed=1, memory=2**19)
        search.set_root(machine.initial_state())
        for _ in range(2000 // slice_steps):
            search.run(slice_steps)
        return search

    first, second = grown(100), grown(20)
    assert first.memory.counts[RECYCLED] > 100
    assert (first.memory.counts == second.memory.counts).all()
    assert first.moves(0) == second.moves(0)
    assert first.memory.tree.nodes.tobytes() == second.memory.tree.nodes.tobytes()
    assert first.memory.tree.edges.tobytes() == second.memory.tree.edges.tobytes()


def test_the_tree_is_kept_where_the_match_goes_on() -> None:
    machine = machine_of("connectFour")
    search = searched(machine, 300)
    best = max(search.moves(0), key=lambda move: move.visits)
    state = machine.initial_state()
    joint_move = (machine.moves[0][best.index], *machine.legal_moves(state, machine.roles[1]))
    search.set_root(machine.next_state(state, joint_move))
    assert sum(move.visits for move in search.moves(1)) > 0.9 * best.visits


@pytest.mark.parametrize("name", ["tron", "townChase"])
def test_a_full_tree_recycles_its_oldest_nodes(name: str) -> None:
    machine = machine_of(name)
    search = TreeSearch(machine, Settings(), seed=1, memory=2**19)
    search.set_root(machine.initial_state())
    for _ in range(300):
        search.run(20)
        if search.memory.counts[RECYCLED] > 1000:
            break
    tree, counts = search.memory.tree, search.memory.counts
    assert counts[RECYCLED] > 1000
    used = tree.nodes[: counts[NODES]]
    live = used["last_descent"] >= 0
    assert live[counts[ROOT]]
    assert (used["pending"][live] >= 0).all()
    states = tree.state[: counts[NODES]][live]
    assert len({bytes(state) for state in states}) == live.sum()
    assert sum(move.visits for move in search.moves(0)) > 0


def test_a_root_that_is_open_keeps_its_rate_of_new_nodes() -> None:
    # Connect four where a draw is worth 30: rivals without a constant sum, and many proofs.
    machine = compiled(connect_four(5, 5).replace("(goal ?role 50)", "(goal ?role 30)"))
    state, random = machine.initial_state(), Random(5)
    for _ in range(5):
        joint_move = [random.choice(machine.legal_moves(state, role)) for role in machine.roles]
        state = machine.next_state(state, joint_move)
    search = TreeSearch(machine, Settings(), seed=1, memory=2**24)
    search.set_root(state)
    added = []
    for _ in range(40):
        before = search.nodes
        search.run(100)
        added.append(search.nodes - before)
    nodes = search.memory.tree.nodes[: search.memory.counts[NODES]]
    assert not search.is_proved
    assert search.memory.game.constant_sum == -1
    assert nodes["is_proved"].sum() > 500
    assert sum(added[20:]) > 0.5 * sum(added[:20])


def test_a_refuted_constant_sum_is_dropped() -> None:
    machine = gdl.compile(gdl.parse(FAIR_OR_NOT))
    # A win at once is proved without looking at what it leaves to the rival.
    search = searched(machine, 2000, decisive=False)
    assert search.memory.game.constant_sum == -1
    assert search.bounds(0) == (100, 100)


def test_all_moves_of_a_simultaneous_move_root_are_visited() -> None:
    machine = machine_of("handDuel")
    search = searched(machine, 300)
    for role in range(2):
        moves = search.moves(role)
        assert len(moves) > 1
        assert min(move.visits for move in moves) > 0


def test_lines_begin_with_their_move_and_can_be_played() -> None:
    machine = machine_of("connectFour")
    search = searched(machine, 300)
    for move in search.moves(0):
        line = search.line(0, move.index)
        assert line[0][0] == machine.moves[0][move.index]
        state = machine.initial_state()
        for joint_move in line:
            assert joint_move in list(gdl.joint_moves(machine, state))
            state = machine.next_state(state, joint_move)


def walk(
    machine: PropnetStateMachine, state: State, branches: Sequence[BranchReport], ply: int = 1
) -> Iterator[BranchReport]:
    """All branches; each can be played, and siblings stand by their visits."""
    assert ply <= MAX_PLIES or not branches
    assert len(branches) <= MAX_CHILDREN
    visits = [branch.visits for branch in branches]
    assert visits == sorted(visits, reverse=True)
    for branch in branches:
        assert branch.joint_move in list(gdl.joint_moves(machine, state))
        assert branch.visits >= max(1, sum(child.visits for child in branch.children))
        assert branch.value is None or 0 <= branch.value <= 100
        yield branch
        after = machine.next_state(state, branch.joint_move)
        yield from walk(machine, after, branch.children, ply + 1)


@pytest.mark.parametrize("name", ["connectFour", "ticTacToe", "trefoil"])
def test_branches_can_be_played_and_have_no_more_visits_than_what_they_follow(name: str) -> None:
    machine = machine_of(name)
    symmetries = generated_group(machine, find_symmetries(machine))
    search = TreeSearch(machine, Settings(), seed=1, memory=2**24, symmetries=symmetries)
    search.set_root(machine.initial_state())
    search.run(300)
    branches = search.branches(0)
    found = list(walk(machine, machine.initial_state(), list(branches.values())))
    assert MAX_BRANCHES // 2 < len(found) <= MAX_BRANCHES
    assert any(branch.children for branch in branches.values())
    moves = {move.index: move for move in search.moves(0)}
    for index, branch in branches.items():
        assert branch.joint_move[0] == machine.moves[0][index]
        assert branch.visits == moves[index].visits
        move = moves[index]
        assert branch.value == pytest.approx(min(max(move.value, move.low), move.high))
    assert min(branch.visits for branch in branches.values()) >= max(
        (move.visits for index, move in moves.items() if index not in branches), default=0
    )


def test_branches_of_a_role_that_waits_or_moves_with_others_are_not_told() -> None:
    assert searched(machine_of("connectFour"), 100).branches(1) == {}
    assert searched(machine_of("handDuel"), 100).branches(0) == {}


def test_values_of_branches_are_those_of_the_role_that_searches() -> None:
    machine = machine_of("ticTacToe")
    state = machine.initial_state()
    for texts in (("(put a1)", "noop"), ("noop", "(put b1)")):  # a mistake: the first wins
        state = machine.next_state(state, [gdl.parse_term(text) for text in texts])
    search = TreeSearch(machine, Settings(proofs=False), seed=1, memory=2**24)
    search.set_root(state)
    search.run(500)
    best = max(search.branches(0).values(), key=lambda branch: branch.visits)
    values = [best.value, *(child.value for child in best.children)]
    assert len(values) > 1
    assert min(value for value in values if value is not None) > 75


def test_an_endless_playout_is_given_up() -> None:
    rules = gdl.parse(
        "(role a) (role b) (init x) (legal a on) (legal a out) (legal b wait)"
        "(<= (next x) (does a on) (true x)) (<= (next y) (does a out))"
        "(<= terminal (true never)) (<= (goal a 70) (true x)) (<= (goal b 30) (true y))"
    )
    search = searched(gdl.compile(rules), 1200, max_playout_steps=200)
    assert search.playouts > 1000
