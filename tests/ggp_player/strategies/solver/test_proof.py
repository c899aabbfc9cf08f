"""The proof search proves minimax's values, with any number of interruptions."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings

import gdl
from gdl import State, Term
from gdl.circuit.options import CompileOptions
from gdl.engine import PropnetStateMachine
from ggp_player.strategies import Choice, Counts, Limit, Position
from ggp_player.strategies.base import Method
from ggp_player.strategies.patterns.cells import Cell
from ggp_player.strategies.patterns.pattern_tables import lay_out_tables
from ggp_player.strategies.solver import proof_tree
from ggp_player.strategies.solver.enumeration import Enumeration
from ggp_player.strategies.solver.proof import Proof
from ggp_player.strategies.solver.proof_kernels import (
    FUTILE_DEPTH,
    FUTILE_MARGIN,
    _can_be_left,
)
from ggp_player.strategies.solver.proof_nodes import StateEvaluation, estimate_of
from ggp_player.strategies.solver.proof_tree import ProofTree
from ggp_player.strategies.textbook.random_move import RandomMove
from tests.support.marks import thorough
from tests.support.small_games import (
    BOARDS,
    assert_moves_keep_the_value,
    assert_value_of_minimax,
    breakthrough,
    changed,
    compiled,
    compiled_tree,
    connect_four,
    game,
    games_in_turn,
    hex_board,
    sampled,
    solution_of,
)
from tests.support.tree_games import last_choice, play, position, together, turns

# ---------------------------------------------------------------------- agreement


@pytest.mark.thorough
@settings(max_examples=75)
@given(games_in_turn)
def test_moves_in_turn(machine: PropnetStateMachine) -> None:
    for role in range(len(machine.roles)):
        assert_value_of_minimax(Proof(megabytes=1), position(machine, role))


# ---------------------------------------------------------------------- perfect play


@pytest.mark.parametrize("text", BOARDS)
def test_every_move_keeps_the_value(text: str) -> None:
    # The oracle, a complete enumeration, shares nothing with the search but the block.
    machine = compiled(text)
    strategies = {role: Proof(megabytes=16) for role in machine.roles}
    assert_moves_keep_the_value(machine, solution_of(Enumeration(), machine), strategies)


@pytest.mark.parametrize(
    ("text", "value", "depth"),
    [
        (game("ticTacToe"), 50, 9),
        (hex_board(4), 100, 9),
        (breakthrough(5, 4), 0, None),
    ],
    ids=["ticTacToe", "hex4", "breakthrough5x4"],
)
def test_small_boards_are_solved(text: str, value: float, depth: int | None) -> None:
    choice = last_choice(Proof(), position(compiled(text)))
    assert (choice.value, choice.proved) == (value, True)
    assert depth is None or choice.counts.depth == depth


def test_a_win_is_played_to_its_end() -> None:
    machine = compiled(hex_board(4))
    assert play(machine, [Proof(megabytes=16), RandomMove()], Random(0)) == [100, 0]


def test_the_quickest_win_is_chosen() -> None:
    machine = compiled_tree(turns(((((100, 100), 100), 100), (50, 100), (100, 100))))
    choice = last_choice(Proof(megabytes=1), position(machine))
    assert (str(choice.move), choice.value) == ("a3", 100)
    assert choice.counts.depth == 2


def test_a_loss_is_put_off() -> None:
    machine = compiled_tree(turns((0, ((0, 0), (0, 0)))))
    choice = last_choice(Proof(megabytes=1), position(machine))
    assert (str(choice.move), choice.value, choice.proved) == ("a2", 0, True)


def test_a_state_without_facts_is_searched_like_any_other() -> None:
    rules = """
    (role max) (role min) (init start)
    (<= (legal max go) (true start)) (legal min noop)
    (<= (legal max win) (not (true start)))
    (<= (legal max lose) (not (true start)))
    (<= (next won) (does max win)) (<= (next lost) (does max lose))
    (<= terminal (true won)) (<= terminal (true lost))
    (<= (goal max 100) (true won)) (<= (goal max 0) (not (true won)))
    (<= (goal min 0) (true won)) (<= (goal min 100) (not (true won)))
    """
    assert_value_of_minimax(Proof(megabytes=1), position(compiled(rules)))


# ---------------------------------------------------------------------- budgets and memory


def test_the_same_budget_gives_the_same_tree() -> None:
    machine = compiled(connect_four(5, 4))

    def found() -> list[Choice]:
        return list(Proof(nodes=200_000, megabytes=8).search(position(machine)))

    first = found()
    assert first == found()
    assert not first[-1].proved
    assert 200_000 <= (first[-1].counts.nodes or 0) <= 200_600


def test_a_search_in_many_pieces_is_the_same_search(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = compiled(connect_four(4, 4))
    whole = last_choice(Proof(megabytes=8), position(machine))
    monkeypatch.setattr("ggp_player.strategies.solver.proof_tree.SLICE", 1)
    assert last_choice(Proof(megabytes=8, nodes=3000), position(machine)).proved is False
    monkeypatch.setattr("ggp_player.strategies.solver.proof_tree.SLICE", 777)
    assert last_choice(Proof(megabytes=8), position(machine)) == whole


def test_what_was_found_is_kept_for_the_next_step() -> None:
    machine, strategy = compiled(connect_four(4, 4)), Proof(megabytes=16)
    start = position(machine)
    move = last_choice(strategy, start).move
    after = machine.next_state(start.state, (move, gdl.parse_term("noop")))
    reply = machine.legal_moves(after, machine.roles[1])[0]
    state = machine.next_state(after, (gdl.parse_term("noop"), reply))
    kept, fresh = (
        last_choice(each, position(machine, state=state)) for each in (strategy, Proof())
    )
    assert (kept.value, kept.proved) == (fresh.value, fresh.proved)
    assert 0 < (kept.counts.nodes or 0) < (fresh.counts.nodes or 0) / 4


def test_a_small_table_forgets_but_proves_the_same() -> None:
    machine = compiled(game("ticTacToe"))
    tree = ProofTree(machine, machine.roles[0], entries=16)
    tree.start(position(machine))
    for depth in range(1, 10):
        assert not tree.proved
        *_, finished = tree.deepen(depth, 0)
        assert finished
    choice = tree.choice(gdl.parse_term("noop"))
    assert (choice.value, choice.proved) == (50, True)


@pytest.mark.parametrize(("threads", "entries"), [(2, 16), (4, 2**16)])
def test_threads_that_share_a_table_prove_the_same(
    threads: int, entries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp_player.strategies.solver.proof_tree.SLICE", 500)
    machine = compiled(game("ticTacToe"))
    for _ in range(3):
        tree = ProofTree(machine, machine.roles[0], entries, threads=threads)
        *_, last = tree.search(position(machine))
        assert (last.value, last.proved) == (50, True)


def test_helpers_visit_nodes_too() -> None:
    machine = compiled(connect_four(5, 5))
    tree = ProofTree(machine, machine.roles[0], 2**12, threads=3)
    *_, last = tree.search(position(machine), depth=8)
    assert not last.proved
    assert tree._helpers[0].nodes > 1000
    assert tree.nodes > sum(helper.nodes for helper in tree._helpers)


@pytest.mark.parametrize("name", ["connectFour", "breakthrough"])
def test_what_else_is_in_a_block_changes_blocks_alone(name: str) -> None:
    machine = compiled(game(name))
    evaluation = random_evaluation(machine, np.random.default_rng(1), 20, is_linear=True)
    found: dict[int, list[Choice]] = {}
    blocks = []
    for lanes in (1, 64, 512):
        tree = ProofTree(machine, machine.roles[0], 2**16, None, evaluation)
        control = tree._main._arrays.control
        control["lanes"], found[lanes] = lanes, []
        for state in sampled(machine, 5, Random(2)):
            role = max(machine.roles, key=lambda role: len(machine.legal_moves(state, role)))
            *_, last = tree.search(Position(machine, state, role, Random(1)), depth=5)
            found[lanes].append(replace(last, counts=Counts()))
        blocks.append(int(control[0]["block_count"]))
    assert found[1] == found[64] == found[512]
    assert blocks[0] > 1.5 * blocks[1]
    assert blocks[1] >= blocks[2]


def test_more_lanes_are_filled_where_a_block_costs_more() -> None:
    lanes = []
    for name in ("connectFour", "reversi"):
        machine = compiled(game(name))
        tree = ProofTree(machine, machine.roles[0], 2**4)
        lanes.append(int(tree._main._arrays.control[0]["lanes"]))
    assert lanes[0] == 64
    assert 128 <= lanes[1] < 256


def test_expensive_goals_are_evaluated_where_the_game_ends() -> None:
    machine = compiled(game("dotsAndBoxes"))
    assert machine.engine.deferred_goals
    ends = [
        state
        for state in sampled(machine, 60, Random(4))
        if max(len(machine.legal_moves(state, role)) for role in machine.roles) in (3, 4, 5)
    ]
    assert len(ends) > 3
    for state in ends:
        assert_value_of_minimax(Proof(megabytes=1), position(machine, 0, state))


def test_the_depth_is_a_limit() -> None:
    choice = last_choice(Proof(depth=3), position(compiled(game("ticTacToe"))))
    assert not choice.proved
    assert choice.counts.depth == 3


@cache
def with_many_moves() -> PropnetStateMachine:
    """Tic-tac-toe with moves that name a number, which goes up with each step: 5,420 in all."""
    text = changed(
        "ticTacToe",
        ("(put ?square)", "(put ?square ?number)"),
        ("(free ?square))\n(<= (legal", "(free ?square)\n(true (now ?number)))\n(<= (legal"),
        ("(square ?square))\n(<= (input", "(square ?square)\n(after ?number ?next))\n(<= (input"),
    )
    steps = " ".join(f"(after {number} {number + 1})" for number in range(300))
    text += f"(init (now 0)) {steps} (<= (base (now ?n)) (after ?n ?m))"
    return compiled(text + "(<= (next (now ?n)) (true (now ?m)) (after ?m ?n))")


def test_thousands_of_moves_change_nothing() -> None:
    machine, usual = with_many_moves(), compiled(game("ticTacToe"))
    assert sum(map(len, machine.moves)) > 4096
    assert Proof().refusal(machine) is None
    found = [last_choice(Proof(megabytes=1), position(each)) for each in (machine, usual)]
    assert found[0].proved
    assert found[0].value == found[1].value == 50


def test_thousands_of_moves_leave_room_for_fewer_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof_tree, "MOST_BYTES", 2**22)
    choice = last_choice(Proof(megabytes=1), position(with_many_moves()))
    assert (choice.counts.depth, choice.limit, choice.proved) == (4, Limit.DEPTH, False)


def test_the_first_choice_is_there_before_any_search() -> None:
    machine = compiled(game("ticTacToe"))
    move = machine.legal_moves(machine.initial_state(), machine.roles[0])[0]
    assert next(Proof().search(position(machine))) == Choice(move, method=Method.FIRST_MOVE)


def test_every_move_is_reported() -> None:
    machine = compiled_tree(turns(((3, 12, 8), (2, 4, 6), (14, 5, 2))))
    strategy, start = Proof(megabytes=1), position(machine)
    assert strategy.report(start) == ()
    assert last_choice(strategy, start).value == 3
    bounds = {str(each.move): each.bounds for each in strategy.report(start)}
    assert bounds.keys() == {"a1", "a2", "a3"}
    assert bounds["a1"] == (3, 3)
    assert bounds["a2"][1] <= 3
    assert bounds["a3"][1] <= 3


# ---------------------------------------------------------------------- what it does not do


def test_moves_at_the_same_time_end_the_search() -> None:
    machine = compiled_tree(together(((10, 90), (30, 40))))
    choice = last_choice(Proof(megabytes=1), position(machine))
    assert not choice.proved
    assert "several roles have a choice at once" in choice.note


def test_a_state_too_wide_for_a_block_is_left_unknown() -> None:
    # The first move decides between a state with 65 moves and one with 2, in blocks of 64 lanes.
    wide, narrow = tuple([100] * 65), (60, 70)
    machine = gdl.compile(turns((wide, narrow)).ruleset, CompileOptions(words=1))
    choice = last_choice(Proof(depth=5, megabytes=1), position(machine))
    assert (str(choice.move), choice.value, choice.proved) == ("a2", 60, False)


def test_chance_and_machines_without_blocks_are_refused() -> None:
    assert (
        Proof().refusal(turns((1, 2)))
        == "proof needs the compiled machine, and these rules are interpreted"
    )
    machine = compiled_tree(turns((1, 2), ("max", "random")))
    assert "without chance" in (Proof().refusal(machine) or "")
    assert Proof().refusal(compiled(game("ticTacToe"))) is None


# ---------------------------------------------------------------------- evaluation


def random_evaluation(
    machine: PropnetStateMachine, random: np.random.Generator, swing: int, *, is_linear: bool
) -> StateEvaluation:
    """An evaluation in which every pattern counts, but seldom for much: of single fluents, or more.

    Where moves often change the value by much, plain minimax goes on without end. All numbers are
    multiples of 1/64, so that sums are exact in any order.
    """
    fluents = machine.engine.layout.fluent_count
    cells = [Cell((fluent,)) for fluent in range(fluents)]
    tuples = [(fluent,) for fluent in range(fluents)]
    phases: tuple[int, ...] = ()
    if not is_linear:
        tuples += [tuple(random.choice(fluents, 3, replace=False)) for _ in range(20)]
        phases = tuple(number for number, fact in enumerate(machine.facts) if "turn" in str(fact))
    tables = lay_out_tables(cells, tuples, phases, fluents)
    shape = (tables.entries + 1, tables.phase_count)
    spread = 0.25 if is_linear else 0.06
    weights = (random.normal(0, 64 * spread, shape).round() / 64).astype(np.float32)
    weights[tables.firsts] = 0
    return StateEvaluation(tables, weights, swing)


def logit(machine: PropnetStateMachine, evaluation: StateEvaluation, state: State) -> float:
    """What an evaluation says of a state, in Python."""
    tables, weights = evaluation.tables, evaluation.weights
    bits = machine.bits(state)
    indices = np.zeros(len(tables.sizes), int)
    for fluent in np.flatnonzero(bits):
        for i in range(tables.starts[fluent], tables.starts[fluent + 1]):
            indices[tables.reached[i]] += tables.offsets[i]
    phase = next((phase for phase, fluent in enumerate(tables.phases) if bits[fluent]), 0)
    return float(weights[tables.firsts + indices, phase].sum() + weights[-1, phase])


@pytest.mark.parametrize("is_linear", [True, False])
def test_what_moves_change_adds_up_to_the_logit(is_linear: bool) -> None:
    machine, random = compiled(game("breakthrough")), np.random.default_rng(5)
    evaluation = random_evaluation(machine, random, 20, is_linear=is_linear)
    tree = ProofTree(machine, machine.roles[0], 2**10, None, evaluation)
    list(tree.search(position(machine), depth=5))
    nodes = tree._main._arrays.nodes
    (known,) = np.nonzero(nodes.facts["low"] < nodes.facts["high"])
    assert len(known) > 500
    for node in random.choice(known, 50):
        bits = np.unpackbits(nodes.states[node].view(np.uint8), bitorder="little")
        state = machine.state(bits[: machine.engine.layout.fluent_count])
        expected = 1.5 + 98 / (1 + math.exp(-logit(machine, evaluation, state)))
        found = nodes.facts["estimate"][node]
        assert found == pytest.approx(expected - 0.5, abs=0.501)


class Oracle:
    """Plain minimax with an evaluation, which goes on beyond the horizon where that changes much.

    A role may stop there, or make a move that the evaluation likes by ``swing`` points more.
    """

    def __init__(self, machine: PropnetStateMachine, evaluation: StateEvaluation) -> None:
        self.machine, self.evaluation = machine, evaluation
        self.value = cache(self.value)  # type: ignore[method-assign]

    def estimate(self, state: State) -> int:
        return int(1.5 + 98 / (1 + math.exp(-logit(self.machine, self.evaluation, state))))

    def value(self, state: State, depth: int) -> int:
        machine, mine = self.machine, self.machine.roles[0]
        if machine.is_terminal(state):
            return machine.goal(state, mine) or 0
        sign = 1 if len(machine.legal_moves(state, mine)) > 1 else -1
        following = [machine.next_state(state, move) for move in gdl.joint_moves(machine, state)]
        if depth > 0:
            values = [self.value(each, depth - 1) for each in following]
            return sign * max(sign * value for value in values)
        now = self.estimate(state)
        values = [now]
        for each in following:
            gain = sign * (self.estimate(each) - now)
            if machine.is_terminal(each) or gain >= self.evaluation.swing:
                values.append(self.value(each, 0))
        return sign * max(sign * value for value in values)


@pytest.mark.parametrize(
    ("swing", "is_linear"), [(22, True), (200, True), (45, False), (200, False)]
)
@pytest.mark.parametrize("seed", [0, *thorough(1)])
def test_the_value_of_a_depth_is_that_of_plain_minimax(
    swing: int, is_linear: bool, seed: int
) -> None:
    machine = compiled(breakthrough(3, 7))
    random = np.random.default_rng(seed)
    evaluation = random_evaluation(machine, random, swing, is_linear=is_linear)
    tree = ProofTree(machine, machine.roles[0], 2**12, None, evaluation)
    start = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
    tree.start(start)
    for depth in (1, 2):
        assert list(tree.deepen(depth))[-1]
        found = tree.choice(start.legal_moves[0])
        oracle = Oracle(machine, evaluation)
        assert found.value == oracle.value(start.state, depth)
        after = machine.next_state(start.state, joint_move_of(machine, start.state, found.move))
        assert oracle.value(after, depth - 1) == found.value


def joint_move_of(machine: PropnetStateMachine, state: State, move: Term) -> tuple[Term, ...]:
    """The joint move of the first role's move and the only ones that the others have."""
    return (move, *(machine.legal_moves(state, role)[0] for role in machine.roles[1:]))


@pytest.mark.parametrize("depth", range(6))
def test_near_the_horizon_a_node_is_left_that_cuts_by_a_margin(depth: int) -> None:
    machine = compiled(breakthrough(3, 5))
    evaluation = random_evaluation(machine, np.random.default_rng(1), 10, is_linear=True)
    tree = ProofTree(machine, machine.roles[0], 2**10, None, evaluation)
    list(tree.search(position(machine), depth=1))
    search = tree._main._arrays
    number = int(search.stack.order[0, 0])
    frame, child = search.stack.frames[0], search.nodes.facts[number]
    assert child["role"] == 1  # which likes low values
    frame["alpha"], frame["beta"] = 50, 51
    for logit in np.linspace(-4, 1, 151, dtype=np.float32):
        child["logit"], child["estimate"] = logit, estimate_of(logit)
        for scouts in (0, 1):
            frame["scouts"] = scouts
            is_near = depth == 0 or (depth <= FUTILE_DEPTH and scouts == 1)
            expected = is_near and estimate_of(float(logit) + FUTILE_MARGIN * depth) <= 50
            assert _can_be_left(search, 0, number, depth) == expected


@pytest.mark.thorough
def test_an_evaluation_does_not_change_what_is_proved() -> None:
    machine = compiled(breakthrough(3, 5))
    linear, patterns = (
        random_evaluation(machine, np.random.default_rng(1), 10, is_linear=is_linear)
        for is_linear in (True, False)
    )
    values = []
    for evaluation in (None, linear, patterns):
        tree = ProofTree(machine, machine.roles[0], 2**14, None, evaluation)
        tree.start(Position(machine, machine.initial_state(), machine.roles[0], Random(1)))
        depth = 0
        while not tree.proved:
            depth += 1
            for _ in tree.deepen(depth):
                pass
        values.append(
            tree.choice(machine.legal_moves(machine.initial_state(), machine.roles[0])[0])
        )
    assert [choice.value for choice in values] == [values[0].value] * 3
    assert all(choice.proved for choice in values)


def test_logits_beyond_all_bounds_are_values_in_range() -> None:
    machine = compiled(breakthrough(3, 5))
    known = random_evaluation(machine, np.random.default_rng(1), 10, is_linear=False)
    for sign in (1, -1):
        evaluation = known._replace(weights=np.full_like(known.weights, sign * 1000))
        tree = ProofTree(machine, machine.roles[0], 2**10, None, evaluation)
        start = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
        choice = list(tree.search(start, depth=2))[-1]
        assert choice.value == (99 if sign > 0 else 1)


def test_what_the_table_knows_of_other_moves_is_no_choice() -> None:
    """After a search that was stopped, bad moves are known at once, and the good ones are not."""
    machine = compiled(breakthrough(4, 6))
    evaluation = random_evaluation(machine, np.random.default_rng(1), 40, is_linear=False)
    tree = ProofTree(machine, machine.roles[0], 2**16, None, evaluation)
    start = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
    tree.start(start)
    for depth in range(1, 8):
        for finished in tree.deepen(depth, 0):
            root = tree._main.root_frame
            assert finished or not tree.has_choice or root["index"] > 0
        assert tree.has_choice
    list(tree.deepen(8, tree.nodes + 1))
    assert not tree.has_choice
