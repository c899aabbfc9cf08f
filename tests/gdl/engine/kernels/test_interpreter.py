"""The interpreter and native code leave the rows that plain numpy does, at every width."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl.circuit.aig import TRUE
from gdl.circuit.layout import GateProgram
from gdl.engine import llvm_codegen as codegen
from gdl.engine.evaluators import ProgramEvaluator
from gdl.engine.llvm_codegen import program_source, sequence_source
from gdl.native_code import NativeCode, compile_source
from tests.support.compiled_games import machine_of, machine_with_code
from tests.support.example_counts import examples
from tests.support.marks import thorough
from tests.support.slow_blocks import evaluate, gate_programs, kernels, random_rows

WIDTHS = (1, 2, 8)


def array_of(program: GateProgram) -> np.ndarray:
    addresses = [program.gates.ctypes.data, program.segments.ctypes.data]
    return np.array(
        [*addresses, len(program.segments), program.feedback.ctypes.data], dtype=np.int64
    )


@given(gate_programs(), st.sampled_from(WIDTHS), st.integers(0, 99))
def test_the_interpreter(case: tuple[GateProgram, int], words: int, seed: int) -> None:
    program, rows = case
    found, expected = random_rows(rows, words, seed), random_rows(rows, words, seed)
    array = array_of(program)
    ProgramEvaluator(kernels(words).address("interpret"), array.ctypes.data)(found.ctypes.data)
    evaluate(program, expected)
    assert np.array_equal(found, expected)


@settings(max_examples=examples(10, 15))
@given(gate_programs(), st.sampled_from(WIDTHS), st.integers(0, 99))
def test_native_code(case: tuple[GateProgram, int], words: int, seed: int) -> None:
    """Rows that others read are as they should be; what one function alone needs may be absent."""
    program, rows = case
    found, expected = random_rows(rows, words, seed), random_rows(rows, words, seed)
    outputs = program.gates[::3, 0].tolist()
    code = NativeCode(compile_source(source_of(program, words, outputs)))
    ProgramEvaluator(code.address("main"), 0)(found.ctypes.data)
    evaluate(program, expected)
    visible = [*range(7), *outputs, *program.feedback[:, 0].tolist()]
    assert np.array_equal(found[visible], expected[visible])


def source_of(program: GateProgram, words: int, outputs: list[int]) -> str:
    arrays = program.gates, program.segments, program.feedback
    return program_source("main", *arrays, words, outputs)


@pytest.mark.parametrize("gates", [49, 50, 51, 100, 101])
def test_chains_across_functions(gates: int) -> None:
    """Each gate needs the one before: the last of a function goes to the first of the next."""
    program, rows = chain(gates)
    found, expected = random_rows(rows, 8, 1), random_rows(rows, 8, 1)
    code = NativeCode(compile_source(source_of(program, 8, [])))
    ProgramEvaluator(code.address("main"), 0)(found.ctypes.data)
    evaluate(program, expected)
    assert np.array_equal(found[-1], expected[-1])


def chain(gates: int) -> tuple[GateProgram, int]:
    """Return a program of gates that each flip and mask the one before."""
    rows = 3 + gates
    made = [(row, 2 * (row - 1) + 1, 2 * (1 + row % 2)) for row in range(3, rows)]
    whole = np.array([[0, gates, 0, 0]], dtype=np.int64)
    empty = np.zeros((0, 2), dtype=np.int32)
    return GateProgram(np.array(made, dtype=np.int32), whole, empty), rows


def test_functions_are_short() -> None:
    program, _ = chain(codegen.GATES_PER_FUNCTION * 3)
    first, *functions = source_of(program, 8, []).split("define internal")
    assert first == ""
    assert [text.count(" and ") for text in functions] == [codegen.GATES_PER_FUNCTION] * 3


def test_a_sequence_calls_one_after_the_other() -> None:
    """The second reads what the first has written."""
    first, rows = chain(60)
    flip = np.array([[rows, 2 * (rows - 1) + 1, TRUE]], dtype=np.int32)
    second = GateProgram(flip, np.array([[0, 1, 0, 0]]), np.zeros((0, 2), dtype=np.int32))
    sources = [
        program_source(name, each.gates, each.segments, each.feedback, 2, [rows - 1, rows])
        for name, each in (("first", first), ("second", second))
    ]
    sources.append(sequence_source("both", ["first", "second"]))
    found, expected = random_rows(rows + 1, 2, 1), random_rows(rows + 1, 2, 1)
    code = NativeCode(compile_source("\n".join(sources)))
    ProgramEvaluator(code.address("both"), 0)(found.ctypes.data)
    for program in (first, second):
        evaluate(program, expected)
    assert np.array_equal(found[-1], expected[-1])


# ---------------------------------------------------------------------- an engine's evaluators


@pytest.mark.parametrize("with_code", [False, True], ids=["interpreter", "native code"])
@pytest.mark.parametrize(
    "name",
    [
        "biddingTicTacToe",
        "phantomTicTacToe",
        *thorough("nim", "reversi"),
    ],
)
def test_the_view_is_that_of_moves_and_then_that_of_goals(name: str, with_code: bool) -> None:
    """What the one leaves can be asked for at once, and goals after the other."""
    machine = machine_with_code(name) if with_code else machine_of(name)
    engine, layout = machine.engine, machine.engine.layout
    whole, parts, other = (machine.block(seed=3) for _ in range(3))
    for _ in range(12):
        whole.view()
        other.rows[:] = parts.rows
        engine.moves_view(parts.rows.ctypes.data)
        moves = slice(layout.legal, layout.goals)
        assert np.array_equal(parts.rows[moves], whole.rows[moves])
        engine.goals_view(parts.rows.ctypes.data)
        goals = slice(layout.goals, layout.percepts)
        assert np.array_equal(parts.rows[goals], whole.rows[goals])
        engine.moves_view(other.rows.ctypes.data)
        made = whole.choose()
        for block in (whole, parts, other):
            block.move(made)
        assert np.array_equal(parts.states(), whole.states())
        assert np.array_equal(other.states(), whole.states()), "a step needs no goals"
        assert np.array_equal(other.percepts(), whole.percepts())
