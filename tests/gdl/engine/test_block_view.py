"""Kernels that see a block through its one record do what the block itself does."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import gdl.engine
from gdl.array_kernels import kernel
from gdl.array_kernels.functions import KernelFunction
from gdl.engine.bits import as_words, packed_from_rows
from gdl.engine.block import Block
from gdl.engine.block_view import (
    BlockView,
    advance,
    choose_moves,
    evaluate_transition,
    evaluate_view,
    load_states,
)
from tests.support.compiled_games import machine_of, machine_with_code


@kernel
def step(block: BlockView) -> None:
    evaluate_view(block)
    for role in range(block.move_offsets.shape[0] - 1):
        choose_moves(block, role)
    evaluate_transition(block)
    advance(block)


def blocks(name: str) -> Iterator[tuple[Block, Block]]:
    for machine in (machine_of(name, words=1), machine_of(name), machine_with_code(name)):
        yield machine.block(seed=5), machine.block(seed=5)


@pytest.mark.parametrize("name", ["nim", "biddingTicTacToe"])
def test_steps_of_a_kernel_are_those_of_the_block(name: str) -> None:
    for block, other in blocks(name):
        view = block.arrays()
        for _ in range(4):
            step(view)
            other.view()
            other.step()
            assert np.array_equal(block.states(), other.states())


def test_states_are_loaded_lane_by_lane() -> None:
    machine = machine_of("connectFour")
    block, other = machine.block(seed=1), machine.block(seed=1)
    other.view()
    other.step()
    states = as_words(packed_from_rows(other.fluents))
    chosen = np.random.default_rng(2).permutation(block.lanes)
    load_states(block.arrays(), states, chosen)
    assert np.array_equal(block.states(), other.states()[chosen])
    load_states(block.arrays(), states, chosen[:70])
    assert np.array_equal(block.states()[:70], other.states()[chosen[:70]])
    assert not block.states()[70:128].any()


def test_the_record_says_where_everything_stands() -> None:
    machine = machine_of("nim")
    block = machine.block()
    view, layout = block.arrays(), machine.engine.layout
    assert view.rows is block.rows
    assert view.move_offsets.tolist() == [0, *np.cumsum(layout.move_counts).tolist()]
    assert (view.symmetries.facts == np.arange(layout.fluent_count)).all()
    for name in ("fluents", "fluent_count", "moves", "legal", "terminal", "goals", "next"):
        assert getattr(view, name) == getattr(layout, name)
    assert isinstance(step, KernelFunction)
    assert gdl.engine.BlockView is BlockView
