"""The strategy for hidden information: what it chooses, and that it never peeps."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from random import Random

import pytest

import gdl
from ggp_player.belief import Belief
from ggp_player.strategies import Choice, Method, Position
from ggp_player.strategies.information_sets import findings
from ggp_player.strategies.information_sets.information_set_search import InformationSetSearch
from ggp_player.strategies.selection.registry import create
from tests.support.compiled_games import machine_of, reasoner_of
from tests.support.hidden_games import coin, three_doors


def term(text: str) -> gdl.Term:
    return gdl.parse_term(text)


def told(machine: gdl.StateMachine, role: int, *steps: tuple[str, str]) -> Belief:
    """The belief of a role after its moves and percepts."""
    belief = Belief(machine, machine.roles[role], keeps_information=True)
    for move, percepts in steps:
        assert belief.observe(term(move), tuple(map(term, percepts.split())))
    return belief


def position(belief: Belief, seed: int = 0) -> Position:
    return Position(belief.machine, belief.state, belief.role, Random(seed), belief)


def last_choice(strategy: InformationSetSearch, position: Position, choices: int = 60) -> Choice:
    *_, last = islice(strategy.search(position), choices)
    return last


@pytest.mark.parametrize("compiled", [False, True])
def test_the_guest_switches(compiled: bool) -> None:
    machine = gdl.compile(three_doors()) if compiled else gdl.interpret(three_doors())
    belief = told(machine, 1, ("noop", ""), ("(choose 1)", ""), ("noop", "3"))
    choice = last_choice(InformationSetSearch(), position(belief))
    assert (str(choice.move), choice.proved) == ("switch", True)
    assert choice.value == pytest.approx(200 / 3)


@pytest.mark.thorough
@pytest.mark.parametrize(("hider", "tree"), [("random", 0), ("rival", 0), ("rival", 1000)])
def test_nobody_knows_the_coin(hider: str, tree: int) -> None:
    # A search of each possible state by itself would guess, and expect 100.
    machine = gdl.compile(coin(hider))
    belief = told(machine, 1, ("noop", ""))
    strategy = InformationSetSearch(tree=tree)
    chosen: Counter[str] = Counter()
    for seed in range(10):
        choice = last_choice(strategy, position(belief, seed), 400)
        assert choice.value is not None
        assert choice.value < 65
        chosen[str(choice.move)] += 1
    assert chosen["pass"] >= 8


@pytest.mark.thorough
def test_the_choice_is_drawn_from_a_mixture() -> None:
    # In every equilibrium of Kuhn poker the second player bets with the lowest card sometimes, and
    # always with the highest, after a check.
    machine = machine_of("kuhnPoker")
    strategy = InformationSetSearch()
    cards = {"(yourCard jack)": (0.15, 0.5), "(yourCard king)": (1.0, 1.0)}
    for card, (least, most) in cards.items():
        belief = told_of_cards(machine, card)
        chosen: Counter[str] = Counter(
            str(last_choice(strategy, position(belief, seed)).move) for seed in range(60)
        )
        assert least <= chosen["bet"] / 60 <= most


def told_of_cards(machine: gdl.StateMachine, card: str) -> Belief:
    """The belief of the second player with a card, after the first has checked."""
    random = Random(0)
    while True:
        belief = Belief(machine, machine.roles[1], keeps_information=True)
        state = machine.initial_state()
        for wanted in ("", "check"):
            joint = [random.choice(machine.legal_moves(state, role)) for role in machine.roles]
            if wanted:
                joint[0] = term(wanted)
            percepts = machine.percepts(state, joint, machine.roles[1])
            belief.observe(joint[1], percepts)
            state = machine.next_state(state, tuple(joint))
            if not wanted and card not in map(str, percepts):
                break
        else:
            return belief


@pytest.mark.parametrize(
    ("name", "machine_for"),
    [("phantomTicTacToe", machine_of), ("kuhnPoker", reasoner_of), ("codeBreaker", machine_of)],
)
def test_whole_matches_are_played(name: str, machine_for: object) -> None:
    assert callable(machine_for)
    machine, random = machine_for(name), Random(1)
    beliefs = {
        role: Belief(machine, role, keeps_information=True)
        for role in machine.roles
        if role.name != "random"
    }
    strategies = {role: InformationSetSearch(tree=500) for role in beliefs}
    state = machine.initial_state()
    while not machine.is_terminal(state):
        joint = []
        for role in machine.roles:
            legal = machine.legal_moves(state, role)
            if role in beliefs:
                assert set(beliefs[role].legal_moves) == set(legal)
                joint.append(last_choice(strategies[role], position(beliefs[role]), 3).move)
            else:
                joint.append(random.choice(legal))
            assert joint[-1] in legal
        for role, belief in beliefs.items():
            own = joint[machine.roles.index(role)]
            assert belief.observe(own, machine.percepts(state, joint, role))
        state = machine.next_state(state, tuple(joint))


def test_a_report_has_all_moves() -> None:
    machine = machine_of("phantomTicTacToe")
    strategy, here = InformationSetSearch(), position(told(machine, 0))
    assert strategy.report(here) == ()
    last = last_choice(strategy, here, 12)
    reports = {report.move: report for report in strategy.report(here)}
    assert set(reports) == set(here.legal_moves)
    assert sum(report.visits or 0 for report in reports.values()) > 12
    assert last.counts.iterations


def test_a_known_state_is_a_belief_too() -> None:
    machine = machine_of("ticTacToe")
    here = Position(machine, machine.initial_state(), machine.roles[0], Random(0))
    assert last_choice(InformationSetSearch(tree=0), here, 6).move in here.legal_moves


def test_the_search_ends_where_its_trees_are_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "MAX_NODES", 50)
    here = position(told(machine_of("phantomTicTacToe"), 0))
    choices = list(InformationSetSearch(tree=0).search(here))
    assert 2 <= len(choices) < 100
    assert not choices[-1].proved
    assert choices[-1].details.endswith("nodes, node limit reached")


def test_auto_searches_information_sets_where_the_state_is_hidden() -> None:
    machine = machine_of("phantomTicTacToe")
    belief = told(machine, 0)
    auto = create("auto")
    *_, last = islice(auto.search(position(belief)), 5)
    assert last.method in (Method.INFORMATION_SETS, Method.EQUILIBRIUM)
    assert auto.about_game == "the match hides the state"
    known = Position(machine, machine.initial_state(), machine.roles[0], Random(0))
    *_, last = islice(auto.search(known), 400)
    assert last.method in (Method.SOLVED, Method.TREE_SEARCH)
    assert auto.about_game == "two rivals for a constant sum, moves in turn"
