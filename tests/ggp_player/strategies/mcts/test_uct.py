"""The yardstick: its tree takes the memory that there is, and playouts go on where it is full."""

from __future__ import annotations

from itertools import islice
from random import Random

import numpy as np
import pytest

from gdl.engine import as_words, packed_state
from ggp_player import search_memory
from ggp_player.strategies import Limit, Position
from ggp_player.strategies.mcts.uct import (
    MAX_NODES,
    MIN_NODES,
    Uct,
    is_full,
    new_uct_tree,
    nodes_in,
    run_playouts,
)
from tests.support.compiled_games import machine_of

SLICES = 25
"""Slices of 200 playouts: several times as many as the smallest tree has nodes."""


def test_playouts_go_on_where_the_tree_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_memory, "_set", 1)
    machine = machine_of("connectFour")
    position = Position(machine, machine.initial_state(), machine.roles[0], Random(0))
    _, *choices = islice(Uct().search(position), SLICES + 1)
    assert [choice.counts.playouts for choice in choices] == list(range(200, 200 * SLICES + 1, 200))
    assert (choices[0].limit, choices[-1].limit) == (None, Limit.NODES)
    nodes = choices[-1].counts.nodes
    assert nodes is not None
    assert 0 < nodes <= MIN_NODES
    assert choices[-1].details == f"{200 * SLICES} playouts, {nodes} nodes, node limit reached"
    assert len({choice.value for choice in choices[-10:]}) > 1, "values still change"


@pytest.mark.parametrize("nodes", [1, 2, 50])
def test_a_tree_never_grows_beyond_its_arrays(nodes: int) -> None:
    machine = machine_of("connectFour")
    engine = machine.new_engine(words=1)
    engine.compile()
    tree = new_uct_tree(machine, engine, 1, nodes)
    tree.state[:] = as_words(packed_state(machine, machine.initial_state()))[0]
    run_playouts(tree, 0.7, 3000)
    grown, edges, playouts = tree.counts.tolist()
    assert (grown, playouts, is_full(tree)) == (nodes, 3000, True)
    assert edges <= len(tree.move)
    first, choices = tree.first_edge[0, 0], tree.choices[0, 0]
    visits = tree.visits[first : first + choices]
    assert visits.sum() == 3000, "each playout counts at the root"
    assert np.all(tree.total[first : first + choices] <= visits)


def test_the_tree_is_as_large_as_its_memory() -> None:
    assert nodes_in(0, 2) == MIN_NODES
    assert nodes_in(2**62, 2) == MAX_NODES
    machine = machine_of("connectFour")
    tree = new_uct_tree(machine, machine.new_engine(words=1), 1, nodes_in(2**24, 2))
    grows = (tree.first_edge, tree.choices, tree.move, tree.visits, tree.total, tree.child)
    size = sum(array.nbytes for array in (*grows, tree.incoming))
    assert 0.99 * 2**24 < size <= 2**24
