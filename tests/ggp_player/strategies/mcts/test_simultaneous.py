"""Simultaneous-move nodes: the bounds that the tree search proves hold, and it mixes its moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from statistics import fmean

import numpy as np
import pytest

import gdl
from gdl import State, StateMachine
from gdl.engine.machine import PropnetStateMachine
from ggp_player.strategies import Position
from ggp_player.strategies.mcts.arrays import ROOT, Settings, mean_of_descents
from ggp_player.strategies.mcts.tree_search import TreeSearch
from ggp_player.strategies.patterns.pattern_tables import CERTAIN
from ggp_player.strategies.selection.registry import create
from tests.support.compiled_games import machine_of
from tests.support.learned_games import numbered_evaluation
from tests.support.search_trees import FAIR_OR_NOT, searched, states_of
from tests.support.tree_games import Tree, rules_of_tree

THROW = """
; Rock, paper, scissors: once.
(role a) (role b) (init ready)
(beats rock scissors) (beats paper rock) (beats scissors paper)
(<= (legal ?role ?hand) (role ?role) (beats ?hand ?other))
(<= (next (won ?role)) (does ?role ?hand) (does ?rival ?other) (beats ?hand ?other))
(<= terminal (not (true ready)))
(<= (goal ?role 100) (true (won ?role)))
(<= (goal ?role 0) (role ?role) (true (won ?rival)) (distinct ?role ?rival))
(<= (goal ?role 50) (role ?role) (not (true (won a))) (not (true (won b))))
"""

Vector = tuple[int, ...]


Bounds = tuple[Vector, Vector]


@dataclass(frozen=True)
class Oracle:
    """Bounds of the values of all states, by plain recursion over the reasoner.

    Where several roles have a choice, they are what pure strategies assure. Where one has, the move
    is made that is best for it and then worst for the others, as far as the bounds tell.
    """

    machine: StateMachine
    constant_sum: bool

    @cache  # noqa: B019, as an oracle lives no longer than its test
    def bounds(self, state: State) -> Bounds:
        """What each role is assured of, and the most that it can get."""
        machine, roles = self.machine, range(len(self.machine.roles))
        if machine.is_terminal(state):
            goals = tuple(machine.goal(state, role) or 0 for role in machine.roles)
            return goals, goals
        after = {
            joint_move: self.bounds(machine.next_state(state, joint_move))
            for joint_move in gdl.joint_moves(machine, state)
        }
        movers = [role for role in roles if len({made[role] for made in after}) > 1]
        if len(movers) < 2 and not self.constant_sum:
            return self.bounds_of_mover(movers[0] if movers else 0, list(after.values()))
        low = tuple(
            max(
                min(worst[role] for made, (worst, _) in after.items() if made[role] == move)
                for move in machine.legal_moves(state, machine.roles[role])
            )
            for role in roles
        )
        if self.constant_sum:
            return low, tuple(100 - value for value in reversed(low))
        return low, tuple(max(best[role] for _, best in after.values()) for role in roles)

    def bounds_of_mover(self, mover: int, after: Sequence[Bounds]) -> Bounds:
        """The bounds where one role has a choice between moves with the bounds ``after``."""

        def others(values: Vector) -> int:
            return sum(values) - values[mover]

        low = max(worst[mover] for worst, _ in after)
        high = max(best[mover] for _, best in after)
        most = min(others(best) for worst, best in after if worst[mover] == low)
        kept = [
            (worst, best)
            for worst, best in after
            if best[mover] > low or (best[mover] == low and others(worst) <= most)
        ]
        if all(worst == best for worst, best in kept):
            return kept[0]
        lowest = [min(values) for values in zip(*(worst for worst, _ in kept), strict=True)]
        highest = [max(values) for values in zip(*(best for _, best in kept), strict=True)]
        if low == high:
            highest = [min(value, most) for value in highest]
        lowest[mover], highest[mover] = low, high
        return tuple(lowest), tuple(highest)

    def by_facts(self) -> dict[frozenset[str], Bounds]:
        """The bounds of all reachable states, by their facts."""
        found: dict[frozenset[str], Bounds] = {}
        waiting = [self.machine.initial_state()]
        while waiting:
            state = waiting.pop()
            found[facts_of(state)] = self.bounds(state)
            if not self.machine.is_terminal(state):
                joint_moves = gdl.joint_moves(self.machine, state)
                waiting += [self.machine.next_state(state, made) for made in joint_moves]
        return found


def facts_of(state: State) -> frozenset[str]:
    return frozenset(map(str, state))


def random_game(seed: int, roles: Sequence[str], steps: int, *, constant_sum: bool) -> gdl.Ruleset:
    """A random tree of simultaneous moves of at most ``steps`` steps."""
    random, most = Random(seed), 7 - len(roles) - steps

    def leaf() -> Tree:
        first, *others = (random.choice((0, 20, 50, 70, 100)) for _ in roles)
        return [first, 100 - first] if constant_sum else [first, *others]

    def step(steps: int) -> Tree:
        return level(steps, [random.randint(1, most) for _ in roles])

    def level(steps: int, counts: Sequence[int]) -> Tree:
        if counts:
            return tuple(level(steps, counts[1:]) for _ in range(counts[0]))
        return step(steps - 1) if steps > 1 and random.random() < 0.8 else leaf()

    return gdl.parse(rules_of_tree(step(steps), roles, simultaneous=True))


def check_bounds(search: TreeSearch, known: Mapping[frozenset[str], Bounds]) -> int:
    """Check all nodes' bounds against the oracle's; return how many nodes have any."""
    tree, telling = search.memory.tree, 0
    for node, state in enumerate(states_of(search)):
        low, high = known[facts_of(state)]
        roles = tree.roles[node]
        assert (roles["low"] <= low).all()
        assert (roles["high"] >= high).all()
        telling += bool((roles["low"] > 0).any() or (roles["high"] < 100).any())
    return telling


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("names", "steps", "constant_sum"),
    [("ab", 2, True), ("ab", 3, True), ("ab", 2, False), ("abc", 2, False)],
)
def test_bounds_of_simultaneous_move_nodes_hold(
    names: str, steps: int, constant_sum: bool, seed: int
) -> None:
    rules = random_game(seed, names, steps, constant_sum=constant_sum)
    oracle = Oracle(gdl.interpret(rules), constant_sum)
    machine, known = gdl.compile(rules), oracle.by_facts()
    for uniform in (0.0, 0.1):
        search = searched(machine, 200, uniform=uniform)
        assert check_bounds(search, known) > 0
    if constant_sum and steps == 2:
        low, high = oracle.bounds(oracle.machine.initial_state())
        assert [search.bounds(role) for role in range(2)] == list(zip(low, high, strict=True))


def test_roles_without_a_choice_are_assured_of_the_worst_only() -> None:
    # Left and chance choose at the same time; right has no choice.
    rules = rules_of_tree(
        ((([30, 0, 40],), ([60, 0, 10],)), (([0, 0, 0],), ([100, 0, 50],))),
        ("left", "random", "right"),
        simultaneous=True,
    )
    search = searched(gdl.compile(gdl.parse(rules)), 50)
    assert [search.bounds(role) for role in range(3)] == [(30, 100), (0, 0), (0, 50)]


def test_a_refuted_constant_sum_is_dropped_where_both_move() -> None:
    both = FAIR_OR_NOT.replace("(legal right wait)", "(legal right wait) (legal right rest)")
    search = searched(gdl.compile(gdl.parse(both)), 10)
    assert search.memory.game.constant_sum == 100
    while search.memory.game.constant_sum >= 0:
        search.run(10)
        assert not search.is_idle
    search.run(3000)
    assert search.bounds(0) == (100, 100)


def test_moves_that_cannot_be_better_are_pruned() -> None:
    # Whatever b does, a gets no more from its first move than its second one assures.
    game = ((20, 30), (30, 90), (60, 10))
    search = searched(gdl.compile(gdl.parse(rules_of_tree(game, "ab", simultaneous=True))), 100)
    first, second, third = search.moves(0)
    assert (first.low, first.high) == (20, 30)
    assert (second.low, second.high) == (30, 90)
    assert first.visits < 0.01 * second.visits
    assert first.probability < 0.01
    # In equilibrium a mixes the other two so that b is indifferent: 30 y + 60 z = 90 y + 10 z.
    assert third.probability == pytest.approx(60 / 110, abs=0.05)


def test_the_same_seed_and_steps_give_the_same_tree_of_joint_moves() -> None:
    machine = gdl.compile(gdl.parse(THROW))
    first, second = (searched(machine, 60) for _ in range(2))
    assert first.moves(0) == second.moves(0)
    used = first.nodes
    assert used == second.nodes
    assert (first.memory.tree.state[:used] == second.memory.tree.state[:used]).all()


def test_rock_paper_scissors_is_mixed_equally_and_drawn() -> None:
    machine = gdl.compile(gdl.parse(THROW))
    search = searched(machine, 60)
    assert search.is_idle
    probabilities = [move.probability for move in search.moves(0)]
    assert probabilities == pytest.approx([1 / 3] * 3, abs=0.03)
    thrown, strategy = set(), create("mcts:playouts=3000")
    for seed in range(12):
        position = Position(machine, machine.initial_state(), machine.roles[0], Random(seed))
        *_, last = strategy.search(position)
        assert not last.proved
        thrown.add(last.move)
    assert thrown == set(position.legal_moves)


@pytest.mark.parametrize(("weight", "mean"), [(0.0, 0.5), (0.5, 0.75), (1.0, 1.0)])
def test_what_patterns_say_of_leaves_has_its_part(weight: float, mean: float) -> None:
    machine = machine_of("tron")
    evaluation = numbered_evaluation(machine)
    weights = np.zeros_like(evaluation.weights)
    weights[-1] = CERTAIN  # the first role wins anyhow
    search = TreeSearch(machine, Settings(leaf_weight=weight), 1, 2**24)
    search.guide(evaluation.tables, weights)
    search.set_root(machine.initial_state())
    search.run(30)
    _, _, _, tree, counts, _, _ = search.memory
    for role, expected in enumerate([mean, 1 - mean]):
        found = mean_of_descents(search.memory.game, tree, int(counts[ROOT]), role)
        assert found == pytest.approx(expected, abs=0.04)


@pytest.mark.thorough
def test_a_rival_who_knows_the_probabilities_gains_little() -> None:
    machine = machine_of("threeHills")
    assert len(machine.legal_moves(machine.initial_state(), machine.roles[0])) == 28
    assert fmean(best_response(machine, seed) for seed in range(3)) < 56


def best_response(machine: PropnetStateMachine, seed: int) -> float:
    """The value of the second role's best response to the moves that are drawn for the first."""
    theirs = machine.roles[1]
    search = TreeSearch(machine, Settings(), seed, memory=2**24)

    @cache
    def best(state: State) -> float:
        if machine.is_terminal(state):
            return float(machine.goal(state, theirs) or 0)
        search.set_root(state)
        search.run(300)
        drawn = [(move.probability, machine.moves[0][move.index]) for move in search.moves(0)]
        made = [(chance, move) for chance, move in drawn if chance > 0.001]
        return max(
            sum(chance * best(machine.next_state(state, (move, other))) for chance, move in made)
            for other in machine.legal_moves(state, theirs)
        )

    return best(machine.initial_state())
