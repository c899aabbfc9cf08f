"""What patterns say of a position is what alpha-beta believes, in the words of the rules."""

from __future__ import annotations

from math import log
from random import Random

import numpy as np
import pytest

from ggp_player.inspect.pattern_report import report_patterns
from ggp_player.strategies import Position
from ggp_player.strategies.learning import LearnedEvaluation
from ggp_player.strategies.patterns.cells import Cell, find_cells
from ggp_player.strategies.patterns.pattern_tables import lay_out_tables
from ggp_player.strategies.patterns.supports import with_supports
from ggp_player.strategies.solver import ProofTree
from tests.support.compiled_games import machine_of
from tests.support.learned_games import learned
from tests.support.small_games import breakthrough, compiled, sampled


@pytest.mark.parametrize("role", [0, 1])
def test_the_value_is_that_of_a_search_that_looks_at_nothing_else(role: int) -> None:
    machine = compiled(breakthrough(4, 5))
    evaluation = learned(machine)
    for state in sampled(machine, 5, Random(1)):
        report = report_patterns(machine, evaluation, state, role)
        tree = ProofTree(machine, machine.roles[role], 2**4, None, evaluation.seen_from(role))
        tree.start(Position(machine, state, machine.roles[role], Random(1)))
        estimate = tree._main._arrays.nodes.facts["estimate"][0]
        assert estimate == pytest.approx(1 + 0.98 * report.value, abs=0.51)
        logit = log(report.value / (100 - report.value))
        bias = evaluation.seen_from(role).weights[-1]
        total = sum(pattern.weight for pattern in report.patterns)
        assert min(abs(total + each - logit) for each in bias.tolist()) < 1e-4
        weights = [abs(pattern.weight) for pattern in report.patterns]
        assert weights == sorted(weights, reverse=True)


def test_a_pattern_names_what_holds_and_which_cells_are_empty() -> None:
    machine = machine_of("ticTacToe")
    states = np.array([machine.bits(state) for state in sampled(machine, 60, Random(1))])
    cells = find_cells(machine.facts, states, machine.relevant_fluents)
    numbers = {str(machine.facts[cell.fluents[0]]): number for number, cell in enumerate(cells)}
    line = tuple(numbers[f"(marked {square} cross)"] for square in ("a1", "b2", "c3"))
    tables = lay_out_tables(cells, [line], (), len(machine.facts))
    weights = np.arange(tables.entries + 1, dtype=np.float32)[:, None]
    state = machine.initial_state()
    for joint_move in ("(put b2)", "noop"), ("noop", "(put a2)"):
        moves = [
            next(move for move in machine.legal_moves(state, role) if str(move) == text)
            for role, text in zip(machine.roles, joint_move, strict=True)
        ]
        state = machine.next_state(state, tuple(moves))
    (pattern,) = report_patterns(machine, LearnedEvaluation(tables, weights), state, 0).patterns
    assert pattern.facts == ("(marked b2 cross)",)
    assert pattern.empty == ("(marked a1 ?)", "(marked c3 ?)")
    assert pattern.weight in (3.0, 6.0)  # the digit of the middle, 1 or 2
    assert str(pattern) == "(marked b2 cross); no (marked a1 ?), (marked c3 ?)"


def test_cells_whose_facts_count_alike_are_cells_still() -> None:
    machine = machine_of("connectFour")
    cells = [Cell((0, 1, 2), digits=(1, 1, 2)), Cell((3,)), Cell((4, 5))]
    tables = lay_out_tables(cells, [(0, 1, 2)], (), len(machine.facts))
    weights = np.zeros((tables.entries + 1, 1), np.float32)
    nothing = machine.state(np.zeros(len(machine.facts), np.uint8))
    (pattern,) = report_patterns(machine, LearnedEvaluation(tables, weights), nothing, 0).patterns
    assert (pattern.facts, len(pattern.empty)) == ((), 3)


def test_cells_whose_facts_all_count_alike_have_no_supports() -> None:
    machine = machine_of("ticTacToe")
    numbers = {str(fact): number for number, fact in enumerate(machine.facts)}
    squares = "a1", "b2", "c3"
    cells = [
        Cell(tuple(numbers[f"(marked {at} {who})"] for who in ("cross", "nought")), digits=(1, 1))
        for at in squares
    ]
    tables = lay_out_tables(cells, [(0, 1, 2)], (), len(machine.facts))
    weights = np.zeros((tables.entries + 1, 1), np.float32)
    nothing = machine.state(np.zeros(len(machine.facts), np.uint8))
    (pattern,) = report_patterns(machine, LearnedEvaluation(tables, weights), nothing, 0).patterns
    assert pattern.empty == tuple(f"(marked {at} ?)" for at in squares)


def test_an_empty_cell_with_supports_is_named_by_facts_that_are_its_own() -> None:
    machine = machine_of("connectFour")
    numbers = {str(fact): number for number, fact in enumerate(machine.facts)}
    below, middle, above = (
        Cell(tuple(numbers[f"(disc 3 {level} {role})"] for role in machine.roles))
        for level in (1, 2, 3)
    )
    cells = with_supports([below, middle, above], [(), (0,), (1,)])
    tables = lay_out_tables(cells, [(1, 2)], (), len(machine.facts))
    weights = np.arange(tables.entries + 1, dtype=np.float32)[:, None]
    evaluation = LearnedEvaluation(tables, weights)
    bits = np.zeros(len(machine.facts), np.uint8)
    for facts, empty, digits in [
        ((), ("(disc 3 2 yellow)", "(disc 3 3 yellow)"), (0, 0)),
        (("(disc 3 1 red)",), ("(disc 3 2 yellow)", "(disc 3 3 yellow)"), (1, 0)),
        (("(disc 3 1 red)", "(disc 3 2 yellow)"), ("(disc 3 3 yellow)",), (3, 1)),
    ]:
        bits[[numbers[fact] for fact in facts]] = 1
        (pattern,) = report_patterns(machine, evaluation, machine.state(bits), 0).patterns
        assert (pattern.facts, pattern.empty) == (facts, empty)
        assert pattern.weight == digits[0] + 4 * digits[1]
