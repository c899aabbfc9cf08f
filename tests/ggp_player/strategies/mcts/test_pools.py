"""The pools of the tree: what is allocated, freed and recycled stays consistent."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp_player.strategies.mcts.arrays import (
    DESCENTS,
    EDGES,
    FREE_JOINT_MOVE,
    JOINT_MOVES,
    NODES,
    RECYCLED,
    ROOT,
    GameArrays,
    Ints,
    Settings,
    TreeArrays,
    new_counts,
    new_game,
    new_tree,
)
from ggp_player.strategies.mcts.memory import NEXT_EDGE, SPARE_EDGES, Share, new_share
from ggp_player.strategies.mcts.nodes import find_child
from ggp_player.strategies.mcts.pools import (
    CLAIMED,
    allocate_edges,
    allocate_node,
    find_or_add_node,
    free_edges,
    free_node,
    insert_node,
    live_child,
    pin_node,
    set_joint_child,
)
from ggp_player.strategies.mcts.simultaneous import SIMULTANEOUS
from ggp_player.strategies.mcts.tree_search import TreeSearch
from tests.support.compiled_games import machine_of
from tests.support.pool_checks import check_runs, links
from tests.support.small_games import compiled, connect_four

NODES_OF_POOL = 8
MOST_CHOICES = 6


@cache
def some_game() -> GameArrays:
    """A game of two roles; the pools need to know no more of it."""
    machine = machine_of("ticTacToe")
    return new_game(machine.block(), machine.roles)


def empty_pools() -> tuple[TreeArrays, Ints]:
    """Pools for eight nodes, 48 edges and 16 joint moves."""
    return new_tree(NODES_OF_POOL, 1, 2, MOST_CHOICES), new_counts()


def add(tree: TreeArrays, counts: Ints, state: int) -> int:
    """Find or add the node of a state, with a descent through it."""
    counts[DESCENTS] += 1
    node = int(find_or_add_node(some_game(), tree, counts, np.array([state], np.uint64)))
    if node >= 0:
        tree.nodes[node]["last_descent"] = counts[DESCENTS]
    return node


def allocate(tree: TreeArrays, counts: Ints, size: int, share: Share | None = None) -> int:
    """Allocate a run of edges; without a share for a thread that has taken none in advance."""
    return int(allocate_edges(some_game(), tree, counts, share or new_share(8), size))


# ---------------------------------------------------------------------- nodes


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from(("see", "hold", "release")))))
def test_nodes_are_found_again_until_they_are_recycled(steps: list[tuple[int, str]]) -> None:
    tree, counts = empty_pools()
    node_of: dict[int, int] = {}
    held: set[int] = set()
    serials: dict[int, int] = {}
    for state, action in steps:
        node = add(tree, counts, state)
        free_to_go = set(range(NODES_OF_POOL)) - held - {int(counts[ROOT])}
        assert node >= 0 or not free_to_go
        if node < 0:
            continue
        recycled = tree.nodes[node]["serial"] != serials.get(node, 0)
        assert not (recycled and node in held)
        assert int(tree.state[node, 0]) == state
        if node_of.get(state) == node:
            assert not recycled
        node_of = {known: other for known, other in node_of.items() if other != node}
        node_of[state], serials[node] = node, int(tree.nodes[node]["serial"])
        if action == "hold" and node not in held:
            tree.nodes[node]["pending"] += 1
            held.add(node)
        elif action == "release" and node in held:
            tree.nodes[node]["pending"] -= 1
            held.remove(node)
        assert counts[NODES] <= NODES_OF_POOL
    for state, node in node_of.items():
        assert add(tree, counts, state) == node


@pytest.mark.thorough
def test_an_edge_notices_that_its_child_was_recycled() -> None:
    tree, counts = empty_pools()
    add(tree, counts, 0)
    child = add(tree, counts, 1)
    edge = allocate(tree, counts, 3)
    tree.edges[edge]["child"], tree.edges[edge]["serial"] = child, tree.nodes[child]["serial"]
    tree.edges[edge]["visits"] = 7
    assert live_child(tree, edge) == child
    for state in range(2, 20):
        add(tree, counts, state)
    assert counts[RECYCLED] == 20 - NODES_OF_POOL
    assert live_child(tree, edge) == -1
    assert tree.edges[edge]["visits"] == 7


@pytest.mark.thorough
def test_of_two_nodes_for_one_state_the_second_is_given_back() -> None:
    tree, counts = empty_pools()
    state, other = np.array([5], np.uint64), np.array([6], np.uint64)
    first, second = (int(allocate_node(some_game(), tree, counts)) for _ in range(2))
    assert insert_node(some_game(), tree, first, state, 1) == first
    assert insert_node(some_game(), tree, second, state, 1) == first
    assert tree.nodes[first]["pending"] == 2
    assert tree.nodes[second]["pending"] == CLAIMED
    free_node(tree, counts, second)
    assert pin_node(tree, state) == first
    assert pin_node(tree, other) == -1
    assert allocate_node(some_game(), tree, counts) == second
    assert insert_node(some_game(), tree, second, other, 1) == second
    assert tree.nodes[second]["pending"] == 1
    assert pin_node(tree, other) == second


@pytest.mark.thorough
def test_nobody_finds_a_node_that_is_being_recycled() -> None:
    tree, counts = empty_pools()
    node = add(tree, counts, 5)
    tree.nodes[node]["pending"] = CLAIMED
    assert pin_node(tree, np.array([5], np.uint64)) == -1
    assert tree.nodes[node]["pending"] == CLAIMED


def test_a_pool_whose_nodes_are_all_in_use_has_no_room() -> None:
    tree, counts = empty_pools()
    for state in range(NODES_OF_POOL):
        tree.nodes[add(tree, counts, state)]["pending"] = 1
    assert add(tree, counts, 99) == -1
    assert counts[RECYCLED] == 0


# ---------------------------------------------------------------------- edges


@pytest.mark.thorough
@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, MOST_CHOICES) | st.integers(-20, -1), max_size=60))
def test_edges_are_reused_only_when_they_are_free(steps: list[int]) -> None:
    tree, counts = empty_pools()
    runs: list[tuple[int, int]] = []
    for step in steps:
        if step < 0 and runs:
            free_edges(tree, *runs.pop(step % len(runs)))
        elif step > 0:
            first = allocate(tree, counts, step)
            if first < 0:
                assert not any(tree.free_edges[step:])
                assert counts[EDGES] + step > len(tree.edges)
                continue
            runs.append((first, step))
        check_runs(tree, counts, runs)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(1, MOST_CHOICES)), max_size=100))
def test_threads_take_edges_in_advance(steps: list[tuple[int, int]]) -> None:
    tree, counts = new_tree(2048, 1, 2, MOST_CHOICES, is_shared=True), new_counts()
    shares = [new_share(8), new_share(8)]
    runs = [(allocate(tree, counts, size, shares[thread]), size) for thread, size in steps]
    spare = [(int(s.counts[NEXT_EDGE]), int(s.counts[SPARE_EDGES])) for s in shares]
    assert all(size < len(tree.edges) // 256 for _, size in spare)
    check_runs(tree, counts, runs + spare)


# ---------------------------------------------------------------------- joint moves


def simultaneous_node(tree: TreeArrays, counts: Ints, state: int) -> tuple[int, list[int]]:
    """A node where both roles choose between three moves; return it with their first edges."""
    node = add(tree, counts, state)
    tree.nodes[node]["mover"], tree.nodes[node]["is_expanded"] = SIMULTANEOUS, 1
    firsts = [allocate(tree, counts, 3) for _ in range(2)]
    tree.roles[node]["first_edge"], tree.roles[node]["choices"] = firsts, 3
    tree.known_joint_moves[firsts[0] : firsts[0] + 3] = 0
    tree.known_joint_moves[firsts[1] : firsts[1] + 3] = 0
    return node, firsts


@pytest.mark.thorough
@settings(max_examples=30, deadline=None)
@given(st.sets(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1))
def test_joint_moves_are_unlinked_with_their_node(made: set[tuple[int, int]]) -> None:
    tree, counts = empty_pools()
    add(tree, counts, 0)
    node, firsts = simultaneous_node(tree, counts, 1)
    joint_moves = [np.array([firsts[0] + i, firsts[1] + j], np.int32) for i, j in made]
    child = add(tree, counts, 2)
    for edges in joint_moves:
        set_joint_child(tree, counts, node, edges, child)
        assert find_child(tree, node, edges) == child
    known = tree.known_joint_moves[firsts[0] : firsts[0] + 3]
    assert known.tolist() == [sum(i == own for i, _ in made) for own in range(3)]
    tree.nodes[child]["pending"] = 1
    for state in range(3, 20):
        add(tree, counts, state)
    assert all(find_child(tree, node, edges) == -1 for edges in joint_moves)
    free = list(links(int(counts[FREE_JOINT_MOVE]), tree.joint_moves["next"]))
    assert sorted(free) == list(range(len(made)))
    assert not tree.joint_buckets.any()
    assert {allocate(tree, counts, 3) for _ in range(2)} == {6, 9}


@pytest.mark.thorough
def test_a_joint_move_notices_that_its_child_was_recycled() -> None:
    tree, counts = empty_pools()
    node, firsts = simultaneous_node(tree, counts, 0)
    assert node == counts[ROOT]
    edges = np.array(firsts, np.int32)
    set_joint_child(tree, counts, node, edges, add(tree, counts, 1))
    for state in range(2, 20):
        add(tree, counts, state)
    assert find_child(tree, node, edges) == -1
    again = add(tree, counts, 1)
    set_joint_child(tree, counts, node, edges, again)
    assert find_child(tree, node, edges) == again
    assert counts[JOINT_MOVES] == 1


# ---------------------------------------------------------------------- a search whose pool is full


def test_a_full_pool_takes_as_many_new_nodes_as_before() -> None:
    machine = compiled(connect_four(5, 5))
    search = TreeSearch(machine, Settings(), seed=1, memory=2**20)
    search.set_root(machine.initial_state())
    added: dict[bool, list[int]] = {False: [], True: []}
    for _ in range(60):
        full, before = bool(search.memory.counts[RECYCLED]), search.nodes
        search.run(100)
        added[full].append(search.nodes - before)
    assert len(added[True]) > 20
    assert np.median(added[True]) > 0.8 * np.median(added[False])
    assert min(added[True]) > 0.25 * np.median(added[False])  # there is no pause
