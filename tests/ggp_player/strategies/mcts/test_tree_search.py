"""The tree search on lanes: what it proves is true, what it counts adds up, and it forgets well."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import gdl
from gdl.engine.machine import PropnetStateMachine
from gdl.state_machine import State
from ggp_player.strategies.mcts.arrays import FULL, NODES, ROOT, Settings
from ggp_player.strategies.mcts.tree_search import TreeSearch
from tests.support.paths import GAMES

FAIR_OR_NOT = """
; Both goals add up to 100 but for one end that random play hardly ever comes to: ten times "on".
(role left) (role right) (init (at 0))
(after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5)
(after 5 6) (after 6 7) (after 7 8) (after 8 9) (after 9 10)
(<= (legal left on) (true (at ?n))) (<= (legal left off) (true (at ?n)))
(<= (legal left away) (true (at ?n))) (<= (legal left out) (true (at ?n)))
(legal right wait)
(<= (next (at ?m)) (true (at ?n)) (after ?n ?m) (does left on))
(<= (next out) (not (does left on)))
(<= terminal (true (at 10))) (<= terminal (true out))
(<= (goal left 0) (true out)) (<= (goal right 100) (true out))
(<= (goal left 100) (true (at 10))) (<= (goal right 100) (true (at 10)))
"""


def compiled(name: str) -> PropnetStateMachine:
    return gdl.compile(gdl.load(GAMES / f"{name}.kif"))


def searched(machine: PropnetStateMachine, steps: int, **settings: float) -> TreeSearch:
    search = TreeSearch(machine, Settings()._replace(**settings), seed=1, memory=2**24)
    search.set_root(machine.initial_state())
    for _ in range(0, steps, 10):
        search.run(10)
    return search


def states_of(search: TreeSearch) -> list[State]:
    tree, machine = search.memory.tree, search.machine
    used = int(search.memory.counts[NODES])
    packed = tree.state[:used].astype("<u8").view(np.uint8)
    bits = np.unpackbits(packed, axis=1, count=len(machine.facts), bitorder="little")
    return [machine.state(row) for row in bits]


def value_by_minimax(machine: PropnetStateMachine) -> object:
    @cache
    def value(state: State) -> int:
        if machine.is_terminal(state):
            goal = machine.goal(state, machine.roles[0])
            assert goal is not None
            return goal
        moves = [machine.legal_moves(state, role) for role in machine.roles]
        values = [
            value(machine.next_state(state, joint)) for joint in gdl.joint_moves(machine, state)
        ]
        return max(values) if len(moves[0]) > 1 else min(values)

    return value


def test_bounds_of_all_nodes_hold_and_the_root_is_proved():
    machine = compiled("ticTacToe")
    search = searched(machine, 6000)
    value = value_by_minimax(machine)
    tree = search.memory.tree
    assert search.is_proved
    assert search.bounds(0) == (50, 50)
    assert search.nodes > 1000
    for node, state in enumerate(states_of(search)):
        assert tree.low[node, 0] <= value(state) <= tree.high[node, 0]
        assert tree.low[node, 1] <= 100 - value(state) <= tree.high[node, 1]


def test_edges_add_up_to_the_visits_of_their_node():
    search = searched(compiled("connectFour"), 300)
    moves = search.moves(0)
    visits = int(search.memory.tree.visits[search.memory.counts[ROOT]])
    assert 0.9 * visits < sum(move.visits for move in moves) <= visits
    assert [move.index for move in moves] == list(range(7))
    assert all(move.low <= move.value <= move.high for move in moves)


def test_the_same_seed_and_steps_give_the_same_tree():
    machine = compiled("breakthrough")
    first, second = (searched(machine, 100) for _ in range(2))
    assert first.moves(0) == second.moves(0)
    assert first.nodes == second.nodes
    assert (first.memory.tree.state == second.memory.tree.state).all()


def test_the_tree_is_kept_where_the_match_goes_on():
    machine = compiled("connectFour")
    search = searched(machine, 300)
    best = max(search.moves(0), key=lambda move: move.visits)
    state = machine.initial_state()
    joint = (machine.moves[0][best.index], *machine.legal_moves(state, machine.roles[1]))
    search.set_root(machine.next_state(state, joint))
    assert sum(move.visits for move in search.moves(1)) > 0.9 * best.visits


@pytest.mark.parametrize("name", ["tron", "nineBoards", "townChase"])
def test_a_full_tree_is_thinned_out_and_searched_on(name: str):
    machine = compiled(name)
    search = TreeSearch(machine, Settings(), seed=1, memory=2**19)
    search.set_root(machine.initial_state())
    for _ in range(300):
        search.run(20)
        if search.compactions:
            break
    assert search.compactions
    search.run(100)
    assert not search.memory.counts[FULL]
    tree, used = search.memory.tree, search.nodes
    assert (tree.pending_visits[:used] >= 0).all()
    assert len({bytes(state) for state in tree.state[:used]}) == used


def test_a_sum_that_is_not_constant_is_found_out():
    machine = gdl.compile(gdl.parse(FAIR_OR_NOT))
    search = searched(machine, 2000)
    assert search.memory.game.constant_sum == -1
    assert search.bounds(0) == (100, 100)


def test_roles_that_move_at_once_choose_by_themselves():
    machine = compiled("handDuel")
    search = searched(machine, 300)
    for role in range(2):
        moves = search.moves(role)
        assert len(moves) > 1
        assert min(move.visits for move in moves) > 0


def test_lines_begin_with_their_move_and_can_be_played():
    machine = compiled("connectFour")
    search = searched(machine, 300)
    for move in search.moves(0):
        line = search.line(0, move.index)
        assert line[0][0] == machine.moves[0][move.index]
        state = machine.initial_state()
        for joint in line:
            assert joint in list(gdl.joint_moves(machine, state))
            state = machine.next_state(state, joint)


def test_a_playout_without_end_is_given_up():
    rules = gdl.parse(
        "(role a) (role b) (init x) (legal a on) (legal a out) (legal b wait)"
        "(<= (next x) (does a on) (true x)) (<= (next y) (does a out))"
        "(<= terminal (true never)) (<= (goal a 70) (true x)) (<= (goal b 30) (true y))"
    )
    search = searched(gdl.compile(rules), 1200, max_playout_steps=200)
    assert search.playouts > 1000
