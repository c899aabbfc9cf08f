"""Blocks find winning moves, by the interpreter and by native code, and are otherwise unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

import gdl
from gdl.array_kernels import kernel
from gdl.engine.block import Block, Engine
from gdl.engine.block_view import BlockView, evaluate_view
from gdl.engine.calls import WINNING_VIEW, WINNING_VIEW_PROGRAM, call_evaluator
from gdl.engine.machine import PropnetStateMachine
from tests.support.compiled_games import machine_of, rules_of

NAMES = ["ticTacToe", "connectFour", "nim"]


@kernel
def find_winning_moves(block: BlockView) -> None:
    evaluate_view(block)
    code = block.addresses
    call_evaluator(code[WINNING_VIEW], block.rows.ctypes.data, code[WINNING_VIEW_PROGRAM])


def engines(name: str) -> Iterator[Engine]:
    """Yield engines with winning moves: interpreted, narrow, and with native code."""
    machine = machine_of(name)
    for words, is_native in ((8, False), (1, False), (8, True)):
        engine = machine.new_engine(words)
        assert engine.add_winning_moves()
        if is_native:
            engine.compile()
        yield engine


def played(machine: PropnetStateMachine, engine: Engine, steps: int) -> Block:
    """Return a block whose lanes are some random steps away from the initial state, viewed."""
    block = engine.block(seed=7)
    block.load(machine.bits(machine.initial_state())[None, :])
    for _ in range(steps):
        block.view()
        block.step()
    block.view()
    return block


def wins_of_successors(block: Block) -> NDArray[np.bool_]:
    """Make each move in each lane in which it may be made: bool (lanes, moves), where it wins.

    Other roles make their first legal move.
    """
    engine, layout = block.engine, block.engine.layout
    states, legal = block.states(), block.legal()
    first = np.zeros_like(legal)
    offsets = np.cumsum([0, *layout.move_counts])
    for start, end in pairwise(offsets.tolist()):
        first[np.arange(block.lanes), start + legal[:, start:end].argmax(axis=1)] = 1
    wins = np.zeros(legal.shape, dtype=np.bool_)
    for role, (start, end) in enumerate(pairwise(offsets.tolist())):
        own = engine.goal_table[:, 0] == role
        best = own & (engine.goal_table[:, 1] == engine.goal_table[own, 1].max())
        for move in range(start, end):
            moves = first.copy()
            moves[:, start:end] = 0
            moves[:, move] = 1
            block.load(states)
            block.view()
            block.move(moves)
            block.view()
            wins[:, move] = block.terminal() & block.goals()[:, best].any(axis=1)
    return wins & (legal == 1)


@pytest.mark.parametrize("name", NAMES)
def test_winning_moves_of_a_block_are_those_that_win(name: str) -> None:
    machine = machine_of(name)
    steps = {"ticTacToe": 6, "connectFour": 12, "nim": 5}[name]
    for engine in engines(name):
        block = played(machine, engine, steps)
        winning, legal, playing = block.winning(), block.legal(), ~block.terminal()
        expected = wins_of_successors(block)
        offsets = np.cumsum([0, *engine.layout.move_counts])
        counts = np.add.reduceat(legal, offsets[:-1], axis=1)
        for role, (start, end) in enumerate(pairwise(offsets.tolist())):
            others = np.delete(counts, role, axis=1)
            asked = playing & (others == 1).all(axis=1) & (counts[:, role] > 1)
            assert np.array_equal(winning[asked, start:end] == 1, expected[asked, start:end])
        assert expected.any()


@pytest.mark.parametrize("name", ["ticTacToe", "connectFour"])
def test_finding_winning_moves_changes_no_playout(name: str) -> None:
    machine = machine_of(name)
    for engine in engines(name):
        plain = machine.new_engine(engine.words)
        blocks = [played(machine, each, 0) for each in (engine, plain)]
        for _ in range(8):
            for block in blocks:
                block.view()
            blocks[0].winning()
            for block in blocks:
                block.step()
            assert np.array_equal(blocks[0].states(), blocks[1].states())


def test_kernels_find_the_same_rows() -> None:
    machine = machine_of("connectFour")
    for engine in engines("connectFour"):
        block = played(machine, engine, 14)
        expected = block.winning()
        assert expected.any()
        assert block.winning_moves is not None
        first = block.winning_moves.first
        block.rows[first:] = 0
        find_winning_moves(block.arrays())
        rows = np.ascontiguousarray(block.rows[first:]).view(np.uint8)
        assert np.array_equal(np.unpackbits(rows, axis=1, bitorder="little").T, expected)


def test_an_engine_has_none_unless_asked() -> None:
    engine = machine_of("nim").new_engine(1)
    block = engine.block()
    assert engine.addresses()[WINNING_VIEW] == 0
    assert len(block.rows) == engine.layout.rows
    with pytest.raises(RuntimeError, match="no winning moves when this block was made"):
        block.winning()


def test_blocks_made_before_have_no_rows_for_them() -> None:
    engine = machine_of("nim").new_engine(1)
    before = engine.block()
    assert engine.add_winning_moves()
    assert before.winning_moves is None
    with pytest.raises(RuntimeError):
        before.winning()
    assert engine.winning_moves is not None
    assert len(engine.block().rows) == engine.winning_moves.rows


def test_winning_moves_added_after_native_code_are_compiled_when_asked_again() -> None:
    engine = machine_of("nim").new_engine(1)
    engine.compile()
    assert engine.add_winning_moves()
    interpreted = engine.addresses()
    assert interpreted[WINNING_VIEW_PROGRAM] != 0
    engine.compile()
    compiled = engine.addresses()
    assert compiled[WINNING_VIEW_PROGRAM] == 0
    assert compiled[WINNING_VIEW] not in (0, interpreted[WINNING_VIEW])
    is_other = np.flatnonzero(compiled != interpreted)
    assert is_other.tolist() == [WINNING_VIEW, WINNING_VIEW_PROGRAM]


def test_a_game_without_them_says_so_twice() -> None:
    engine = gdl.compile(rules_of("hex")).new_engine(1)
    assert [engine.add_winning_moves() for _ in range(2)] == [False, False]
    assert engine.block().winning_moves is None


def test_mutex_groups_reach_the_builder() -> None:
    machine = machine_of("nim")
    plain, with_groups = machine.new_engine(1), machine.new_engine(1)
    control = [n for n, fact in enumerate(machine.facts) if str(fact).startswith("(turn")]
    assert plain.add_winning_moves()
    assert with_groups.add_winning_moves([control])
    assert plain.winning_moves is not None
    assert with_groups.winning_moves is not None
    assert len(with_groups.winning_moves.moves) < len(plain.winning_moves.moves)
