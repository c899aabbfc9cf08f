"""Several threads grow one tree: what they prove is true, and nothing that they add is lost."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import gdl
from ggp_player.strategies.mcts.arrays import (
    EDGES,
    NODES,
    PLAYOUTS,
    RECYCLED,
    ROOT,
    Settings,
)
from ggp_player.strategies.mcts.memory import (
    FREE_LEAVES,
    FREE_STANDS,
    NEW_LEAVES,
    STAND,
    PendingLeaves,
)
from ggp_player.strategies.mcts.monte_carlo import MonteCarlo
from ggp_player.strategies.mcts.tree_search import TreeSearch
from ggp_player.strategies.textbook.max_n import MaxN
from tests.support.compiled_games import machine_of
from tests.support.pool_checks import check_pools, pending_nodes
from tests.support.search_trees import FAIR_OR_NOT
from tests.support.small_games import compiled, compiled_tree, game
from tests.support.tree_games import last_choice, position, turns

THREADS = (2, 4)

DROP, NOOP = gdl.parse_term("(drop 4)"), gdl.parse_term("noop")


def search_of(
    machine: gdl.engine.PropnetStateMachine, threads: int, memory: int = 2**22, seed: int = 1
) -> TreeSearch:
    search = TreeSearch(machine, Settings(), seed, memory, threads=threads)
    search.set_root(machine.initial_state())
    return search


def check_leaves(search: TreeSearch) -> None:
    """Check that pending visits are those of the leaves under way, and lanes belong to them."""
    tree, counts = search.memory.tree, search.memory.counts
    nodes = np.zeros(int(counts[NODES]), np.int64)
    edges = np.zeros(len(tree.edges), np.int64)
    for memory in search.memories:
        leaves, lanes = memory.leaves, memory.lanes
        pending = np.flatnonzero(leaves.playing > 0)
        assert leaves.counts[FREE_LEAVES] + len(pending) == len(leaves.free)
        assert leaves.counts[NEW_LEAVES] <= len(pending)
        free = leaves.free[: leaves.counts[FREE_LEAVES]].tolist()
        assert sorted([*free, *pending.tolist()]) == list(range(len(leaves.free)))
        playing = sum(int(word).bit_count() for word in lanes.playing)
        finished = sum(int(word).bit_count() for word in lanes.finished)
        assert leaves.playing[pending].sum() == playing + finished
        for leaf in pending:
            stand = leaves.stand[leaf]
            first = leaves.stands.length[stand] if stand >= 0 else 0
            path = leaves.nodes[leaf, first : leaves.length[leaf] + 1]
            np.add.at(nodes, path[path >= 0], 1)
            taken = leaves.edges[leaf, first : leaves.length[leaf]]
            np.add.at(edges, taken[taken >= 0], 1)
        check_stands(search, leaves, nodes, edges)
    live = tree.nodes[: len(nodes)]["last_descent"] >= 0
    assert (tree.nodes[: len(nodes)]["pending"][live] == nodes[live]).all()
    assert not nodes[~live].any()
    used = edges > 0
    assert (tree.edges["pending"][used] == edges[used]).all()


def check_stands(
    search: TreeSearch, leaves: PendingLeaves, nodes: np.ndarray, edges: np.ndarray
) -> None:
    """Check that stands are those of pending leaves, and add the pending visits of their paths."""
    stands, batch = leaves.stands, search.settings.batch
    used = sorted(
        {*range(len(stands.free))} - {*stands.free[: stands.counts[FREE_STANDS]].tolist()}
    )
    below = leaves.stand[leaves.playing > 0]
    for stand in used:
        is_current = stand == stands.counts[STAND]
        assert stands.pending[stand] == (below == stand).sum() + is_current > 0
        length = stands.length[stand]
        paths = leaves.nodes[(leaves.playing > 0) & (leaves.stand == stand), : length + 1]
        assert (paths == stands.nodes[stand, : length + 1]).all()
        np.add.at(nodes, stands.nodes[stand, :length], batch)
        nodes[stands.nodes[stand, length]] += 1
        taken = stands.edges[stand, :length]
        np.add.at(edges, taken[taken >= 0], batch)
    assert {*below.tolist()} <= {-1, *used}


# ---------------------------------------------------------------------- what is proved


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize(
    ("rules", "value"),
    [(game("ticTacToe"), 50), (game("nim"), 0)],
    ids=["ticTacToe", "nim"],
)
def test_the_value_of_minimax_is_proved(rules: str, value: int, threads: int) -> None:
    strategy = MonteCarlo(threads, playouts=300_000)
    choice = last_choice(strategy, position(compiled(rules)))
    assert (choice.value, choice.proved) == (value, True)
    assert strategy._search is not None
    check_proved_edges(strategy._search)


def check_proved_edges(search: TreeSearch) -> None:
    """Check that the value of each move that is called proved is known."""
    tree, used = search.memory.tree, search.memory.counts[NODES]
    for known, roles in zip(tree.nodes[:used], tree.roles, strict=False):
        if known["last_descent"] >= 0 and known["is_expanded"] and known["mover"] >= 0:
            own = roles[known["mover"]]
            edges = tree.edges[own["first_edge"] :][: own["choices"]]
            assert (edges["low"] == edges["high"])[edges["is_proved"] == 1].all()


@pytest.mark.thorough
@pytest.mark.parametrize("threads", THREADS)
def test_the_values_of_max_n_are_proved(threads: int) -> None:
    random = Random(threads)
    for _ in range(6):
        machine = compiled_tree(turns(random_tree(random, 3), ("one", "two", "three")))
        exact = last_choice(MaxN(), position(machine))
        choice = last_choice(MonteCarlo(threads, playouts=20_000), position(machine))
        assert (choice.value, choice.proved) == (exact.value, True)


def random_tree(random: Random, depth: int):
    """A tree of three roles' utilities, two or three moves at each node."""
    if depth == 0:
        return [random.choice((0, 20, 50, 70, 100)) for _ in range(3)]
    return tuple(random_tree(random, depth - 1) for _ in range(random.randint(2, 3)))


@pytest.mark.parametrize("threads", THREADS)
def test_all_threads_stop_when_the_constant_sum_is_refuted(threads: int) -> None:
    machine = gdl.compile(gdl.parse(FAIR_OR_NOT))
    for seed in range(5):
        search = TreeSearch(machine, Settings(decisive=False), seed, 2**22, threads=threads)
        search.set_root(machine.initial_state())
        assert search.memory.game.constant_sum == 100
        while search.memory.game.constant_sum >= 0:
            search.run(20)
        assert not search.is_idle
        assert all(memory.game.constant_sum == -1 for memory in search.memories)
        check_leaves(search)
        search.run(500)
        assert search.bounds(0) == (100, 100)
        check_pools(search)


# ---------------------------------------------------------------------- nothing is lost


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("name", ["connectFour", "tron"])
def test_no_visit_is_lost(name: str, threads: int) -> None:
    search = search_of(machine_of(name), threads, 2**25)
    counts = search.memory.counts
    for _ in range(10):
        search.run(20)
        check_leaves(search)
    assert counts[RECYCLED] == 0
    for node in range(int(counts[NODES])):
        check_visits(search, node)


@pytest.mark.parametrize("threads", THREADS)
def test_descents_and_playouts_of_all_threads_are_visits_of_the_root(threads: int) -> None:
    settings = Settings(leaf_lanes=1, fan=1, proofs=False, batch=1)
    machine = machine_of("connectFour")
    search = TreeSearch(machine, settings, 1, 2**25, threads=threads)
    search.set_root(machine.initial_state())
    counts = search.memory.counts
    for _ in range(20):
        search.run(30)
        root = search.memory.tree.nodes[counts[ROOT]]
        under_way = sum(int((memory.leaves.playing > 0).sum()) for memory in search.memories)
        assert root["pending"] == under_way
        assert root["visits"] == counts[PLAYOUTS]
        assert root["visits"] + root["pending"] == search.descents


@pytest.mark.parametrize("threads", [1, *THREADS])
def test_what_is_found_below_stands_reaches_the_root(threads: int) -> None:
    machine = machine_of("connectFour")
    settings = Settings(leaf_lanes=1, fan=1, proofs=False)
    search = TreeSearch(machine, settings, 1, 2**25, threads=threads)
    search.set_root(machine.initial_state())
    for _ in range(10):
        search.run(30)
        check_leaves(search)
    counts = search.memory.counts
    root = search.memory.tree.nodes[counts[ROOT]]
    assert any((memory.leaves.stand >= 0).any() for memory in search.memories)
    assert root["visits"] < counts[PLAYOUTS]
    search.set_root(machine.next_state(machine.initial_state(), [DROP, NOOP]))
    assert root["visits"] == counts[PLAYOUTS]
    assert root["pending"] == 0
    role = search.memory.tree.roles[counts[ROOT]]
    assert 0 < role["total"][0] < search.memory.tree.nodes[counts[ROOT]]["visits"]


def check_visits(search: TreeSearch, node: int) -> None:
    """Check that the visits of a role's moves add up to those of the node that led on."""
    tree = search.memory.tree
    record = tree.nodes[node]
    if not record["is_expanded"]:
        return
    sums = []
    for own in tree.roles[node]:
        if own["first_edge"] >= 0:
            edges = tree.edges[own["first_edge"] : own["first_edge"] + own["choices"]]
            sums.append((int(edges["visits"].sum()), int(edges["pending"].sum())))
    assert len(set(sums)) == 1  # each descent follows one edge of each role
    assert sums[0][0] <= record["visits"]
    assert sums[0][1] <= record["pending"]


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("name", ["tron", "trefoil"])
def test_all_memory_is_in_use_or_free_while_nodes_are_recycled(name: str, threads: int) -> None:
    search = search_of(machine_of(name), threads, 2**19)
    counts = search.memory.counts
    root = int(counts[ROOT])
    for _ in range(300):
        search.run(20)
        nodes = search.memory.tree.nodes
        assert all(nodes[node]["last_descent"] >= 0 for node in pending_nodes(search))
        assert all(nodes[node]["pending"] > 0 for node in pending_nodes(search))
        assert (counts[ROOT], nodes[root]["serial"]) == (root, 0)
        if counts[RECYCLED] > 2000:
            break
    assert counts[RECYCLED] > 2000
    tree = search.memory.tree
    assert max(counts[NODES] / len(tree.nodes), counts[EDGES] / len(tree.edges)) > 0.99
    check_pools(search)
    check_leaves(search)


@pytest.mark.parametrize("threads", THREADS)
def test_pending_leaves_of_all_threads_are_dropped_with_a_new_root(threads: int) -> None:
    machine = machine_of("connectFour")
    search, state = search_of(machine, threads), machine.initial_state()
    for _ in range(6):
        search.run(30)
        assert any((memory.leaves.playing > 0).any() for memory in search.memories)
        state = machine.next_state(
            state, [machine.legal_moves(state, role)[0] for role in machine.roles]
        )
        search.set_root(state)
        assert not any((memory.leaves.playing > 0).any() for memory in search.memories)
        used = search.memory.tree.nodes[: search.memory.counts[NODES]]
        assert not used["pending"][used["last_descent"] >= 0].any()
        check_leaves(search)
    check_pools(search)


@pytest.mark.parametrize("threads", THREADS)
def test_the_threads_share_the_steps(threads: int) -> None:
    search = search_of(machine_of("connectFour"), threads)
    for steps in (1, 7, 100):
        before = sum(int(memory.lanes.step[0]) for memory in search.memories)
        search.run(steps)
        made = sum(int(memory.lanes.step[0]) for memory in search.memories) - before
        assert made == steps * threads


def test_all_threads_are_idle_when_nothing_is_left_to_search() -> None:
    # Both choose one of two moves, once: all is known, but pure strategies assure nothing.
    rules = (
        "(role a) (role b) (init on) "
        "(<= (legal ?r ?m) (role ?r) (move ?m)) (move rock) (move paper)"
        "(<= (next same) (does a ?m) (does b ?m)) (<= terminal (not (true on)))"
        "(<= (goal a 100) (true same)) (<= (goal a 0) (not (true same)))"
        "(<= (goal b 0) (true same)) (<= (goal b 100) (not (true same)))"
    )
    search = search_of(gdl.compile(gdl.parse(rules)), 3)
    search.run(200)
    assert search.is_idle
    assert not search.is_proved
    check_leaves(search)


def test_one_thread_is_the_default_and_gives_the_same_tree_again() -> None:
    machine = machine_of("connectFour")
    given, default = search_of(machine, 1), TreeSearch(machine, Settings(), 1, 2**22)
    default.set_root(machine.initial_state())
    for search in (given, default):
        for _ in range(10):
            search.run(20)
    assert (given.memory.counts == default.memory.counts).all()
    assert given.memory.tree.nodes.tobytes() == default.memory.tree.nodes.tobytes()
    assert given.memory.tree.edges.tobytes() == default.memory.tree.edges.tobytes()
