"""Games against itself teach what wins, and nothing of them is lost."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import gdl
from gdl.engine import PropnetStateMachine
from ggp_player.inspect.pattern_report import report_patterns
from ggp_player.lab.positions.position_test import LoadedSet
from ggp_player.lab.positions.solved_positions import OWN_SETS, SUFFIX
from ggp_player.lab.positions.turns import chooser, replayed
from ggp_player.strategies import Position
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.pattern_learning import Learning, first_paces
from ggp_player.strategies.patterns.cells import Cell
from ggp_player.strategies.patterns.pattern_tables import lay_out_tables
from ggp_player.strategies.solver import ProofTree
from tests.support.compiled_games import machine_of
from tests.support.learned_games import exhaust, learned, ticking
from tests.support.small_games import breakthrough, changed, compiled, connect_four


def test_what_was_learned_beats_random_moves_without_looking_ahead() -> None:
    machine, random = machine_of("ticTacToe"), Random(1)
    evaluation = learned(machine)
    assert evaluation.games > 500
    assert evaluation.is_zero_sum
    role, other = machine.roles
    tree = ProofTree(machine, role, 2**10, None, evaluation.seen_from(0))
    points = 0
    for _ in range(60):
        state = machine.initial_state()
        while not machine.is_terminal(state):
            *_, last = tree.search(Position(machine, state, role, Random(1)), depth=1)
            reply = random.choice(machine.legal_moves(state, other))
            state = machine.next_state(state, (last.move, reply))
        points += machine.goal(state, role) or 0
    assert points >= 90 * 60  # random moves alone win 65 %


def test_the_same_seed_learns_the_same() -> None:
    machine = compiled(breakthrough(4, 5))
    one, other = learned(machine), learned.__wrapped__(machine)
    np.testing.assert_array_equal(one.weights, other.weights)
    assert np.abs(one.weights).max() > 0.1


def test_rivals_see_opposite_values() -> None:
    evaluation = learned(machine_of("connectFour"))
    one, other = map(evaluation.seen_from, range(2))
    assert (one.weights == -other.weights).all()
    assert one.swing == other.swing > 0


def test_rivals_without_a_constant_sum_have_weights_of_their_own() -> None:
    machine = compiled(changed("ticTacToe", ("(<= (goal ?role 50)", "(<= (goal ?role 0)")))
    evaluation = learned(machine)
    assert evaluation.outputs == 2
    assert not evaluation.is_zero_sum
    one, other = map(evaluation.seen_from, range(2))
    assert one.weights.shape == other.weights.shape == (evaluation.tables.entries + 1, 2)
    assert not np.allclose(one.weights, -other.weights)


def test_each_of_three_roles_has_weights_of_its_own() -> None:
    machine = machine_of("trefoil")
    evaluation = learned(machine)
    assert evaluation.outputs == 3
    seen = [evaluation.seen_from(role).weights for role in range(3)]
    assert all(np.abs(weights).max() > 0.01 for weights in seen)
    assert not np.allclose(seen[0], seen[1])
    assert not np.allclose(seen[1], seen[2])


def learned_for_long(machine: PropnetStateMachine) -> LearnedEvaluation:
    learning = Learning(machine, 1)
    exhaust(learning.work(20.0, ticking(0.01)))
    assert learning.evaluation is not None
    return learning.evaluation


DICE = """
(role one) (role random) (role two) (init (turn one)) (die a) (die b) (die c) (die d)
(<= (legal one left) (true (turn one))) (<= (legal one right) (true (turn one)))
(<= (legal random ?d) (true (turn random)) (die ?d))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (turn random)) (true (turn one)))
(<= (next (took ?side)) (does one ?side) (distinct ?side wait))
(<= (next (took ?side)) (true (took ?side)))
(<= (next (rolled ?d)) (does random ?d) (distinct ?d wait))
(<= terminal (true (rolled ?d)))
(<= wins (true (took left)) (true (rolled a)))
(<= wins (true (took right)) (true (rolled ?d)) (distinct ?d a))
(<= (goal one 100) wins) (<= (goal one 0) (not wins))
(<= (goal two 100) (not wins)) (<= (goal two 0) wins) (goal random 0)
"""


def test_what_a_roll_decides_is_worth_what_comes_of_it_on_average() -> None:
    machine = compiled(DICE)
    evaluation = learned_for_long(machine)
    assert evaluation.outputs == 3
    values = {}
    for side in ("left", "right"):
        moves = tuple(gdl.parse_term(move) for move in (side, "wait", "wait"))
        state = machine.next_state(machine.initial_state(), moves)
        values[side] = [report_patterns(machine, evaluation, state, role).value for role in (0, 2)]
        assert sum(values[side]) == pytest.approx(100, abs=1)
    assert values["left"][0] == pytest.approx(25, abs=6)
    assert values["right"][0] == pytest.approx(75, abs=6)


BIDS = """
(role one) (role two) (init (round 1)) (succ 1 2) (succ 2 3)
(bid 0) (bid 1) (bid 2) (more 2 0) (more 2 1) (more 1 0)
(<= (legal ?r (bid ?n)) (role ?r) (bid ?n))
(<= (next (round ?k)) (true (round ?i)) (succ ?i ?k))
(<= (next (bid ?i ?r ?n)) (does ?r (bid ?n)) (true (round ?i)))
(<= (next (bid ?i ?r ?n)) (true (bid ?i ?r ?n)))
(<= terminal (true (round 3)))
(<= (above ?r ?i) (true (bid ?i ?r ?n)) (true (bid ?i ?s ?k)) (more ?n ?k))
(<= (wins ?r) (above ?r 1) (not (lags ?r 2)))
(<= (wins ?r) (above ?r 2) (not (lags ?r 1)))
(<= (lags ?r ?i) (role ?r) (above ?s ?i) (distinct ?r ?s))
(<= (goal ?r 100) (wins ?r))
(<= (goal ?r 0) (role ?r) (wins ?s) (distinct ?r ?s))
(<= (goal ?r 50) (role ?r) (not (wins one)) (not (wins two)))
"""


def test_roles_that_move_at_once_all_choose() -> None:
    """Who bids more in the first of two rounds mostly wins, as the second is mostly a tie."""
    machine = compiled(BIDS)
    evaluation = learned_for_long(machine)
    worth = {}
    for one, two in ((2, 1), (1, 2), (1, 1)):
        moves = tuple(gdl.parse_term(f"(bid {number})") for number in (one, two))
        state = machine.next_state(machine.initial_state(), moves)
        worth[one - two] = report_patterns(machine, evaluation, state, 0).value
    assert worth[1] > 75
    assert worth[0] == pytest.approx(50, abs=8)
    assert worth[-1] < 25


def test_who_moves_beside_chance_does_not_know_what_it_will_do() -> None:
    """Right wins in three rolls of four; who knew the roll would always win.

    One roll, which is then another, tells what is better, so that left is chosen now and then.
    """
    together = DICE.replace("(true (turn random)) (die ?d)", "(true (turn one)) (die ?d)")
    together = together.replace("(next (turn random)) (true (turn one))", "(next (turn one))")
    together = together.replace("(init (turn one))", "(init (turn none))")
    together = together.replace("(not (true (turn ?r)))", "(true (turn none))")
    machine = compiled(together + "(<= (legal two wait) (true (turn one)))")
    evaluation = learned_for_long(machine)
    state = machine.next_state(machine.initial_state(), (gdl.parse_term("wait"),) * 3)
    assert 55 < report_patterns(machine, evaluation, state, 0).value < 80


def test_more_time_means_more_games_and_what_was_learned_stays() -> None:
    machine = compiled(breakthrough(4, 5))
    learning = Learning(machine, 1)
    assert learning.evaluation is None
    exhaust(learning.work(2.0, ticking(0.01)))
    first = learning.evaluation
    assert first is not None
    kept = first.weights.copy()
    exhaust(learning.work(2.0, ticking(0.01)))
    second = learning.evaluation
    assert second is not None
    assert 0 < first.games < second.games
    np.testing.assert_array_equal(first.weights, kept)
    again = Learning(machine, 2, second)
    exhaust(again.work(2.0, ticking(0.01)))
    assert again.games > second.games
    third = again.evaluation
    assert third is not None
    np.testing.assert_array_equal(third.tables.sizes, second.tables.sizes)


def test_threads_learn_the_same_weights_from_games_of_their_own() -> None:
    machine = compiled(breakthrough(4, 5))
    games = []
    for threads in 1, 2:
        learning = Learning(machine, 1, threads=threads)
        exhaust(learning.work(2.0, ticking(0.01)))
        exhaust(learning.work_from(machine.initial_state(), 2.0, ticking(0.01)))
        games.append(learning.games)
        evaluation = learning.evaluation
        assert evaluation is not None
        assert evaluation.games == learning.games
        assert 0.1 < np.abs(evaluation.weights).max() < 20
    assert 1.8 * games[0] < games[1] < 2.2 * games[0]


def test_learned_for_long_digits_say_what_cells_lack() -> None:
    machine = machine_of("dotsAndBoxes")
    sizes = []
    for is_long in False, True:
        learning = Learning(machine, 1, is_long=is_long)
        exhaust(learning.work(0.1, ticking(0.01)))
        assert learning.evaluation is not None
        sizes.append(set(learning.evaluation.tables.sizes.tolist()))
    assert 3 + 4 in sizes[1] - sizes[0]  # a box: nobody's, with up to four sides, or somebody's


def test_entries_that_many_lines_share_move_by_less() -> None:
    tables = learned(compiled(connect_four(12, 8))).tables
    paces = first_paces(tables)[:, 0]
    firsts, times = np.unique(tables.firsts, return_counts=True)
    shared = int(firsts[times == 108][0])
    counts = paces[shared : shared + 25].reshape(5, 5)
    assert counts[0, 0] == pytest.approx(1 / 108)
    assert counts[0, 1] == counts[1, 0] == pytest.approx(1 / (108 * 4 * (1 / 6) * (2 / 3) ** 3))
    assert counts[0, 1] < counts[0, 2] < counts[0, 3] < counts[0, 4] == 1
    assert (np.delete(paces, range(shared, shared + 25)) == 1).all()


def test_large_tables_that_many_share_are_not_over_counts() -> None:
    """They may come from a file, in which anything can stand."""
    cells = [Cell(tuple(range(40)))]
    images = (np.arange(1600)[None, :] + 40 * np.arange(40)[:, None]) % 1600
    tables = lay_out_tables(cells, [(0,)], (), 1600, images)
    assert len(tables.sizes) == 40
    assert (first_paces(tables) == 1).all()


@pytest.mark.thorough
def test_games_that_begin_in_a_position_teach_what_to_do_there() -> None:
    """With one step of looking ahead, on positions whose values are known."""
    positions = LoadedSet(OWN_SETS / f"connectFour{SUFFIX}", count=20)
    machine, errors = positions.machine, [0, 0]
    general = Learning(machine, 1)
    exhaust(general.work(30.0, ticking(0.01)))
    known = general.evaluation
    assert known is not None
    for position in positions.positions:
        state = replayed(machine, position.line)
        mover = chooser(machine, state)
        assert mover is not None
        learning = Learning(machine, 1, known)
        exhaust(learning.work_from(state, 60.0, ticking(0.01)))
        found = learning.evaluation
        assert found is not None
        for number, evaluation in enumerate((known, found)):
            role = machine.roles[mover]
            tree = ProofTree(machine, role, 2**10, None, evaluation.seen_from(mover))
            *_, last = tree.search(Position(machine, state, role, Random(1)), depth=1)
            errors[number] += position.is_error(last.move)
    before, after = errors
    assert after < before / 2


def test_of_too_few_states_nothing_is_learned() -> None:
    learning = Learning(machine_of("reversi"), 1)
    exhaust(learning.work(1.0, ticking(10.0)))
    assert learning.evaluation is None
