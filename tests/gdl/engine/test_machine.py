"""The compiled machine answers as the reasoner does, however it is made."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from unittest.mock import Mock

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

import gdl
from gdl import Ruleset, StateMachine
from gdl.circuit.options import CompileOptions
from gdl.engine import evaluators
from gdl.grounding.gringo import GroundingBudget
from gdl.playouts import play_out
from tests.support.compiled_games import (
    EVERY_GAME,
    NAMES,
    SMALL,
    machine_of,
    machine_with_code,
    reasoner_of,
    rules_of,
)
from tests.support.example_counts import examples
from tests.support.generators import rulesets
from tests.support.lockstep import assert_block_lockstep, assert_lockstep

STATES = 150
"""The states compared for each game in the ordinary test run."""

BUDGET = GroundingBudget(rules=5_000, cpu_seconds=5)
"""What random rulesets may take."""

LANES = (0, 1, 63, 64, 300, 511)

# ---------------------------------------------------------------------- lockstep


@pytest.mark.parametrize("name", EVERY_GAME)
def test_lockstep(name: str) -> None:
    assert_lockstep(machine_of(name), reasoner_of(name), STATES, seed=1)


@pytest.mark.parametrize("name", EVERY_GAME)
def test_lockstep_of_lanes(name: str) -> None:
    assert_block_lockstep(machine_of(name), reasoner_of(name), steps=10, lanes=LANES)


@pytest.mark.parametrize("name", SMALL)
def test_lockstep_of_lanes_in_native_code(name: str) -> None:
    assert_block_lockstep(machine_with_code(name), reasoner_of(name), steps=30, lanes=LANES)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", NAMES)
def test_long_lockstep_of_lanes_in_native_code(name: str) -> None:
    lanes = range(0, 512, 11)
    assert_block_lockstep(machine_with_code(name), reasoner_of(name), steps=200, lanes=lanes)


random_games = settings(
    max_examples=examples(6, 15),
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.mark.thorough
@random_games
@given(rulesets(), st.booleans(), st.booleans(), st.integers(0, 9))
def test_random_rulesets(rules: Ruleset, split: bool, group: bool, seed: int) -> None:
    rules = gdl.parse(str(rules))
    machine = compiled(rules, CompileOptions(BUDGET, decompose_rules=split, group_moves=group))
    assert_lockstep(machine, gdl.interpret(rules), 6, seed)


@pytest.mark.thorough
@random_games
@given(rulesets(in_cycles=True), st.integers(0, 9))
def test_rulesets_that_deny_themselves(rules: Ruleset, seed: int) -> None:
    """Rules that the reasoner gives a meaning have the same one here."""
    rules = gdl.parse(str(rules))
    try:
        reasoner = gdl.interpret(rules)
        assert_lockstep(reasoner, reasoner, 6, seed)
    except gdl.RulesetError:
        reject()
    assert_lockstep(compiled(rules, CompileOptions(BUDGET)), reasoner, 6, seed)


def test_a_contradiction_that_no_answer_depends_on_does_no_harm() -> None:
    game = gdl.parse("""
        (role blue) (legal blue noop) (goal blue 0) (init (f a)) (v a (f a b)) (h a)
        (<= (h (f a b)) (not (h ?x)) (h ?y ?y ?z) (v ?y ?x))
        (<= (h ?z ?x b) (h ?x) (h ?z) (true (f ?x)))
        (<= terminal (h ?x ?x (f ?y)))
    """)
    assert_lockstep(gdl.compile(game), gdl.interpret(game), 3, seed=0)


@pytest.mark.parametrize(
    ("rules", "true"),
    [
        # An instance of the rule is (v b b) from (v b b) and its negation.
        ("(v a b) (<= (v ?y ?y) (v ?x ?y) (not (v ?x ?x))) (<= (shown ?x) (v ?x ?x))", {"b"}),
        # (p a) denies itself by one instance, and holds by another.
        ("(e a b) (e a a) (<= (p ?z) (e ?z ?x) (not (p ?x))) (<= (shown ?x) (p ?x))", {"a"}),
    ],
)
def test_what_a_ground_atom_denies_of_itself_does_not_matter(rules: str, true: set[str]) -> None:
    game = gdl.parse(f"""
        (role red) (init (t a)) (<= (next (t ?x)) (true (t ?x))) {rules}
        (legal red go) (<= (legal red ?x) (shown ?x)) (<= terminal (true (t b))) (goal red 50)
    """)
    machine = gdl.compile(game)
    moves = machine.legal_moves(machine.initial_state(), machine.roles[0])
    assert set(map(str, moves)) == true | {"go"}
    assert_lockstep(machine, gdl.interpret(game), 6, seed=0)


def compiled(rules: Ruleset, options: CompileOptions) -> StateMachine:
    """Compile random rules, but for those whose terms may grow without end."""
    try:
        return gdl.compile(rules, options)
    except gdl.GroundingLimitError:
        reject()


# ---------------------------------------------------------------------- unusual games


@pytest.mark.parametrize(
    "text",
    [
        "(role a) (legal a go) (<= terminal (role b)) (goal a 50)",
        "(role a) (init x) (<= terminal (true x)) (goal a 50)",
        "(role a) (init x) (legal a go) (terminal) (goal a 50) (goal a 10) (goal a maybe)",
        "(role a) (init x) (legal a go) (<= (next y) (does a go)) (<= terminal (true y))",
        "(<= (role ?x) (p ?x)) (p a) (p b) (init x) (<= (legal ?r go) (role ?r))"
        "(<= (next (did ?r)) (does ?r go)) (<= (sees ?r (by ?q)) (does ?q go) (role ?r))",
        "(role a) (init (p (f (g 1) 2))) (<= (legal a (take ?x)) (true (p ?x)))"
        "(<= (next (q ?x ?y)) (does a (take (f ?x ?y)))) (<= (next ?f) (true ?f))"
        "(<= terminal (true (q (g ?x) ?y)))",
        "(role a) (role b) (init x) (legal a go) (legal a (go)) (<= (legal b ?m) (legal a ?m))"
        "(<= (next (both ?m)) (does a ?m) (does b ?m)) (<= (next x) (true x))",
    ],
)
def test_unusual_games(text: str) -> None:
    rules = gdl.parse(text)
    for split in (True, False):
        machine = gdl.compile(rules, CompileOptions(decompose_rules=split))
        assert_lockstep(machine, gdl.interpret(rules), 12, seed=1)
        machine.warm_up()
        assert machine.block().play(10, refill=True).states >= 0


def test_rules_without_meaning_are_refused_as_the_reasoner_does() -> None:
    for text in ("(init a)", "(role a) (<= (legal a go) (does a go))"):
        with pytest.raises(gdl.RulesetError) as ours:
            gdl.compile(gdl.parse(text))
        with pytest.raises(gdl.RulesetError) as theirs:
            gdl.interpret(gdl.parse(text))
        assert str(ours.value) == str(theirs.value)


# ---------------------------------------------------------------------- moves and roles


def term(text: str) -> gdl.Term:
    return gdl.parse_term(text)


def test_impossible_moves_are_refused() -> None:
    machine = machine_of("ticTacToe")
    state, (cross, nought) = machine.initial_state(), machine.roles
    noop = machine.legal_moves(state, nought)[0]
    for moves in ([term("fly"), noop], [noop, term("(put z9)")]):
        with pytest.raises(gdl.MoveError, match="can never make the move"):
            machine.next_state(state, moves)
        with pytest.raises(gdl.MoveError, match="can never make the move"):
            machine.percepts(state, moves, cross)
    for moves in ([], [noop], [noop] * 3):
        with pytest.raises(gdl.MoveError, match="expected 2 moves, one per role, found"):
            machine.next_state(state, moves)


def test_unknown_roles_are_refused() -> None:
    machine = machine_of("ticTacToe")
    state = machine.initial_state()
    for ask in (machine.legal_moves, machine.goal, machine.goals):
        with pytest.raises(gdl.MoveError, match="no role is called nobody"):
            ask(state, term("nobody"))


def test_capitals_do_not_matter() -> None:
    machine = machine_of("ticTacToe")
    state, (cross, nought) = machine.initial_state(), machine.roles
    move, noop = machine.legal_moves(state, cross)[0], machine.legal_moves(state, nought)[0]
    loud = [term(str(move).upper()), term(str(noop).title())]
    assert machine.next_state(state, loud) == machine.next_state(state, [move, noop])
    role = term(str(cross).upper())
    assert machine.legal_moves(state, role) == machine.legal_moves(state, cross)


# ---------------------------------------------------------------------- states


def test_states_are_values() -> None:
    machine = machine_of("ticTacToe")
    state = machine.initial_state()
    assert isinstance(state, gdl.State)
    moves = [[term("(put a1)"), term("noop")], [term("noop"), term("(put b2)")]]
    one = machine.next_state(state, moves[0])
    assert one == machine.next_state(state, moves[0])
    assert hash(one) == hash(machine.next_state(state, moves[0]))
    assert one != state
    assert len({state, one, machine.initial_state()}) == 2
    facts = list(one)
    assert len(facts) == len(set(facts)) == len(one)
    assert repr(one) == f"<state {' '.join(sorted(map(str, facts)))}>"


def test_paths_to_one_state_meet() -> None:
    machine = machine_of("ticTacToe")

    def after(*cells: str) -> gdl.State:
        state = machine.initial_state()
        for number, cell in enumerate(cells):
            moves = [term("noop"), term("noop")]
            moves[number % 2] = term(f"(put {cell})")
            state = machine.next_state(state, moves)
        return state

    assert after("a1", "b2", "c3") == after("c3", "b2", "a1")
    assert hash(after("a1", "b2", "c3")) == hash(after("c3", "b2", "a1"))
    assert after("a1", "b2", "c3") != after("a1", "c3", "b2")


def test_states_of_other_machines_are_told_apart() -> None:
    machine, other = machine_of("ticTacToe"), gdl.compile(rules_of("ticTacToe"))
    foreign = reasoner_of("ticTacToe").initial_state()
    assert machine.initial_state() != other.initial_state()
    assert machine.initial_state() != foreign
    assert machine.initial_state() != object()
    with pytest.raises(TypeError, match="expected a state of this machine"):
        machine.is_terminal(foreign)


def test_states_and_bits() -> None:
    machine = machine_of("connectFour")
    state = machine.initial_state()
    bits = machine.bits(state)
    assert bits.shape == (len(machine.facts),)
    assert bits.sum() == len(state)
    assert machine.state(bits) == state
    assert {fact for fact, bit in zip(machine.facts, bits, strict=True) if bit} == set(state)


def test_native_code_can_be_made_in_the_background() -> None:
    machine = gdl.compile(rules_of("nim"))
    interpreted = machine.engine.view.function
    thread = machine.warm_up_later()
    assert_lockstep(machine, reasoner_of("nim"), 50, seed=1)
    thread.join()
    assert machine.engine.view.function != interpreted
    assert_block_lockstep(machine, reasoner_of("nim"), steps=10, lanes=LANES)


def test_without_memory_for_native_code_the_interpreter_stays(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    machine = gdl.compile(rules_of("nim"))
    interpreted = machine.engine.view.function
    lack = RuntimeError("LLVM ended with -6: bad_alloc")
    monkeypatch.setattr(evaluators, "native_code", Mock(side_effect=lack))
    machine.warm_up_later().join()
    assert machine.engine.view.function == interpreted
    assert "no native code: LLVM ended with -6: bad_alloc" in caplog.text
    assert_lockstep(machine, reasoner_of("nim"), 50, seed=1)


@pytest.fixture
def no_garbage_collection() -> Iterator[None]:
    """Keep the callbacks of the garbage collector from running out of stack too."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_garbage_collection")
def test_a_stack_that_is_too_deep_is_told_as_such() -> None:
    block = gdl.compile(rules_of("nim")).block()
    view, rows = block.engine.view, block.rows.ctypes.data

    def view_at(depth: int) -> None:
        if depth:
            view_at(depth - 1)
        else:
            view(rows)

    limit, outcomes = sys.getrecursionlimit(), []
    for depth in range(limit - 200, limit):
        try:
            view_at(depth)
        except RecursionError:
            outcomes.append("too deep")
        else:
            outcomes.append("made")
    assert outcomes == sorted(outcomes), "from some depth on no view is evaluated"
    assert len(set(outcomes)) == 2


def test_machines_of_two_threads_do_not_disturb_each_other() -> None:
    machine = machine_of("connectFour")
    twin = machine.for_another_thread()
    assert twin.engine is machine.engine
    assert twin.initial_state() == machine.initial_state()
    expected = [list(play_out(machine, Random(seed))) for seed in range(20)]

    def plays_the_same(each: StateMachine) -> bool:
        return [list(play_out(each, Random(seed))) for seed in range(20)] == expected

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(plays_the_same, (machine, twin))) == [True, True]


def test_a_machine_with_its_own_engine_has_the_same_states() -> None:
    machine = gdl.compile(gdl.load("ticTacToe"))
    twin = machine.with_own_engine()
    assert twin.engine is not machine.engine
    state = machine.initial_state()
    assert twin.initial_state() == state
    for role in machine.roles:
        assert twin.legal_moves(state, role) == machine.legal_moves(state, role)
    moves = [machine.legal_moves(state, role)[-1] for role in machine.roles]
    assert twin.next_state(state, moves) == machine.next_state(state, moves)
    assert twin.engine.add_winning_moves()
    assert machine.engine.winning_moves is None
