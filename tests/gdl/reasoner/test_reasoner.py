"""The reasoner gives rules the meaning that the language says they have.

One tiny rulesheet for each case that interpreters of the language are known to get wrong.
"""

from __future__ import annotations

import pytest

import gdl
from tests.support.tiny_games import (
    after,
    goals,
    interpret,
    is_terminal,
    legal,
    legal_unchecked,
    texts,
)

# One name whatever its case


def test_case_makes_no_difference() -> None:
    machine = interpret("(role White) (init (Cell 1)) (<= (legal WHITE (Go ?x)) (true (cell ?x)))")
    state, role = machine.initial_state(), machine.roles[0]
    assert texts(machine.legal_moves(state, gdl.Constant("wHITE"))) == ["(Go 1)"]
    assert texts(machine.legal_moves(state, role)) == ["(Go 1)"]
    assert texts(state) == ["(Cell 1)"]


def test_moves_are_understood_in_any_case() -> None:
    text = "(role r) (legal r (Go North)) (<= (next ?m) (does r ?m))"
    assert after(text, "(GO north)") == ["(Go North)"]


# Tests before their variables have values


@pytest.mark.parametrize(
    "body",
    [
        "(distinct ?x a) (p ?x)",
        "(not (q ?x)) (p ?x)",
        "(or (q2 ?x) (not (q ?x))) (not (distinct ?y ?x)) (p ?x) (p ?y)",
        "(not (and (q ?x) (p ?y))) (p ?x) (p ?y)",
    ],
)
def test_tests_wait_for_their_variables(body: str) -> None:
    assert legal(f"(p a) (p b) (q a) (<= (legal r ?x) {body})") == ["b"]


# Empty parentheses


def test_parentheses_around_no_arguments_make_no_difference() -> None:
    assert is_terminal("(init open) (<= (open2) (true open)) (<= (terminal) open2)")
    assert is_terminal("(init (open)) (<= open2 (true open)) (<= terminal (open2))")


# Nested connectives


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("(p ?x) (or (not (q ?x)) (s ?x))", "b c"),
        ("(or (q ?x) (s ?x))", "a c"),
        ("(or (q ?x) (or (s ?x) (and (p ?x) (not (distinct ?x b)))))", "a b c"),
        ("(p ?x) (not (or (q ?x) (s ?x)))", "b"),
        ("(p ?x) (not (and (p ?x) (q ?x)))", "b c"),
        ("(p ?x) (not (not (q ?x)))", "a"),
        ("(not (not (q ?x)))", "a"),
        ("(p ?x) (not (or (not (q ?x)) (and (s ?x) (p ?x))))", "a"),
        ("(and (p ?x) (and (distinct ?x a) (distinct ?x b)))", "c"),
        ("(p ?x) (or (distinct ?x a) (distinct ?x b))", "a b c"),
        ("(p ?x) (not (or (distinct ?x a)))", "a"),
        ("(or (and (q ?x) (s ?y)) (and (s ?x) (q ?y)))", "a c"),
        ("(p ?x) (not (distinct ?x b))", "b"),
        ("(not (distinct ?x b))", "b"),
        ("(not (distinct (f ?x b) (f c ?y))) (p ?y)", "c"),
        ("(p ?x) (or (and) (q ?x))", "a b c"),
        ("(p ?x) (not (and))", ""),
    ],
)
def test_nested_connectives(body: str, found: str) -> None:
    assert (
        legal_unchecked(f"(p a) (p b) (p c) (q a) (s c) (<= (legal r ?x) {body})") == found.split()
    )


def test_connectives_over_the_state() -> None:
    text = "(init (p a)) (init (p b)) (init (q a)) (init done) "
    text += "(<= (legal r ?x) (true (p ?x)) (not (or (true (q ?x)) (not (true done)))))"
    assert legal(text) == ["b"]


# Numbers and goals


def test_numbers_are_symbols() -> None:
    assert legal("(p 1) (q 01) (<= (legal r ?x) (p ?x) (not (q ?x)))") == ["1"]


def test_goal_from_a_variable() -> None:
    text = "(score r 73) (init (bonus 20)) (<= (goal ?p ?s) (score ?p ?s))"
    assert goals(f"{text} (<= (goal ?p ?s) (role ?p) (true (bonus ?s)))") == (20, 73)


def test_goal_values_are_integers() -> None:
    assert goals("(goal r 100) (goal r 007)") == (7, 100)


@pytest.mark.parametrize("value", ["high", "-1", "1.5", "+5", "(s 0)", "1" * 5000, "٣"])
def test_goal_that_is_no_integer_has_no_value(value: str) -> None:
    machine = gdl.interpret(gdl.parse(f"(role r) (goal r {value})"))
    assert machine.goals(machine.initial_state(), machine.roles[0]) == ()


def test_missing_goal_is_no_value() -> None:
    machine = interpret("(role r) (legal r noop) (<= (goal r 100) (true won))")
    state, role = machine.initial_state(), machine.roles[0]
    assert machine.goal(state, role) is None
    assert machine.goals(state, role) == ()


def test_no_goal_rules_at_all_is_no_value() -> None:
    assert goals("(legal r noop)") == ()


def test_several_goals_give_the_lowest() -> None:
    machine = interpret("(role r) (goal r 50) (goal r 8) (goal r 100)")
    state, role = machine.initial_state(), machine.roles[0]
    assert machine.goals(state, role) == (8, 50, 100)
    assert machine.goal(state, role) == 8


# What may be missing, stated as a fact, or defined through something else


def test_undefined_relation_is_false() -> None:
    assert legal("(<= (legal r a) (nothing)) (<= (legal r b) (not (nothing x y)))") == ["b"]


def test_state_that_is_never_given_is_false() -> None:
    assert legal("(<= (legal r a) (true (f 1))) (<= (legal r b) (not (true (f 1))))") == ["b"]


def test_terminal_and_goal_through_legal() -> None:
    text = "(init (left 0)) (<= (legal r go) (true (left 1))) (<= can (legal ?r ?m)) "
    text += "(<= terminal (not can)) (<= (goal r 0) (not (legal r go))) (<= (goal r 1) can)"
    assert is_terminal(text)
    assert goals(text) == (0,)


def test_next_through_legal() -> None:
    text = "(role a) (role b) (init (free 1)) (init (free 2)) "
    text += "(<= (legal ?r (take ?n)) (role ?r) (true (free ?n))) "
    text += "(<= (next (left ?r ?m)) (legal ?r ?m) (not (does ?r ?m)))"
    assert after(text, "(take 1)", "(take 2)") == ["(left a (take 2))", "(left b (take 1))"]


def test_init_with_a_body() -> None:
    machine = interpret("(role r) (row 1) (row 2) (<= (init (cell ?x b)) (row ?x))")
    assert texts(machine.initial_state()) == ["(cell 1 b)", "(cell 2 b)"]


def test_no_init_is_an_empty_state() -> None:
    machine = interpret("(role r) (legal r go) (<= (next done) (does r go))")
    state = machine.initial_state()
    assert list(state) == []
    assert len(state) == 0
    assert texts(machine.next_state(state, [gdl.Constant("go")])) == ["done"]


def test_facts_in_place_of_rules() -> None:
    machine = interpret("(role r) (legal r go) (next (f 1)) (goal r 50) (terminal)")
    state, role = machine.initial_state(), machine.roles[0]
    assert texts(machine.legal_moves(state, role)) == ["go"]
    assert texts(machine.next_state(state, [gdl.Constant("go")])) == ["(f 1)"]
    assert machine.goal(state, role) == 50
    assert machine.is_terminal(state)


def test_everything_can_be_asked_in_terminal_states() -> None:
    machine = interpret("(role r) (init end) (legal r go) (<= terminal (true end)) (goal r 1)")
    state = machine.initial_state()
    assert machine.is_terminal(state)
    assert texts(machine.legal_moves(state, machine.roles[0])) == ["go"]
    assert texts(machine.next_state(state, [gdl.Constant("go")])) == []


# Repeated variables, nested functions, duplicates


def test_repeated_variables_are_equal() -> None:
    text = "(p a b) (p c c) (<= (q ?x ?x) (p ?x ?y)) "
    assert legal(f"{text} (<= (legal r ?x) (p ?x ?x))") == ["c"]
    assert legal(f"{text} (<= (legal r (m ?x ?y)) (q ?x ?y))") == ["(m a a)", "(m c c)"]
    text = "(p (f a b)) (p (f c c)) (p (f (g d) (g d))) (<= (legal r ?x) (p (f ?x ?x)))"
    assert legal(text) == ["(g d)", "c"]
    text = "(init (f a b)) (init (f c c)) (<= (legal r ?x) (true (f ?x ?x)))"
    assert legal(text) == ["c"]


def test_one_role_may_be_asked_for_in_two_places() -> None:
    text = "(role a) (role b) (legal a (hit a)) (legal b (hit a)) "
    text += "(<= (next (hurt ?r)) (does ?r (hit ?r)))"
    assert after(text, "(hit a)", "(hit a)") == ["(hurt a)"]


def test_deeply_nested_functions() -> None:
    deep = "(s " * 25 + "z" + ")" * 25
    text = f"(init (n {deep})) (<= (legal r (m ?x)) (true (n (s (s ?x)))))"
    assert legal(text) == [f"(m {deep[6:-2]})"]
    text = f"(p {deep}) (<= (p ?x) (p (s ?x))) (<= (legal r ok) (p z))"
    assert legal(text) == ["ok"]


def test_functions_are_taken_apart_and_made() -> None:
    text = "(p (f (g a 1) b)) (p (f c b)) (p (h a)) "
    assert legal(f"{text} (<= (legal r (n ?y (k ?x ?z))) (p (f (g ?x ?y) ?z)))") == [
        "(n 1 (k a b))"
    ]
    assert legal(f"{text} (<= (legal r ?f) (p ?f) (not (p (f c ?f))))") == [
        "(f (g a 1) b)",
        "(f c b)",
        "(h a)",
    ]


def test_duplicates_are_harmless() -> None:
    rule = (
        "(<= (legal r ?x) (p ?x) (p ?x) (not (q ?x)) (not (q ?x)) (distinct ?x a) (distinct ?x a))"
    )
    assert legal(f"(p b) (p b) {rule} {rule}") == ["b"]


def test_rules_equal_but_for_their_variables_are_harmless() -> None:
    assert legal("(p b) (<= (legal r ?x) (p ?x)) (<= (legal r ?y) (p ?y))") == ["b"]


# Facts, moves and names of every shape


def test_variables_for_whole_facts_and_moves() -> None:
    text = "(role a) (role b) (init x) (init (f 1)) (init (f 1 2)) (legal a go) (legal b (go x)) "
    text += "(<= (next ?f) (true ?f)) (<= (next (did ?r ?m)) (does ?r ?m)) "
    text += "(<= (next (could ?r ?m)) (legal ?r ?m)) (<= (next ?m) (does b ?m))"
    assert after(text, "go", "(go x)") == [
        "(could a go)",
        "(could b (go x))",
        "(did a go)",
        "(did b (go x))",
        "(f 1 2)",
        "(f 1)",
        "(go x)",
        "x",
    ]


def test_facts_pass_through_ordinary_relations() -> None:
    text = "(init x) (init (f 1)) (init (g 1 (h 2))) (keep x) (keep (g 1 (h 2))) "
    text += "(<= (kept ?f) (true ?f) (keep ?f)) (<= (legal r (see ?f)) (kept ?f))"
    assert legal(text) == ["(see (g 1 (h 2)))", "(see x)"]
    assert legal(text + "(<= (legal r ?f) (true ?f) (not (kept ?f)))") == [
        "(f 1)",
        "(see (g 1 (h 2)))",
        "(see x)",
    ]


def test_constant_and_functions_of_one_name() -> None:
    text = "(init (f 1)) (init (f 1 2)) (init f) (f 1) (f 1 2) (<= f (f 1)) "
    assert legal(f"{text} (<= (legal r (m ?x)) (true (f ?x)) (f ?x) f)") == ["(m 1)"]
    assert legal(f"{text} (<= (legal r (m ?x ?y)) (true (f ?x ?y)) (f ?x ?y))") == ["(m 1 2)"]
    assert legal(f"{text} (<= (legal r f) (true f) (not (true (f 2))))") == ["f"]


def test_one_relation_name_and_one_function_name_with_two_arities() -> None:
    text = "(p (f 1 2) 3) (p 4 (f 5) 6) "
    text += "(<= (legal r (m ?x ?y)) (p (f ?x ?y) ?z)) (<= (legal r (n ?x)) (p ?x (f ?y) ?z))"
    assert legal(text) == ["(m 1 2)", "(n 4)"]


def test_keywords_as_terms() -> None:
    text = "(init (does r go)) (legal r (does true)) (<= (legal r (next ?x)) (true (does r ?x))) "
    text += "(<= (legal r (not ?x)) (p (or ?x true))) (p (or 1 true))"
    assert legal(text) == ["(does true)", "(next go)", "(not 1)"]


def test_move_that_no_rule_knows_matches_nothing() -> None:
    text = "(role r) (legal r go) (<= (next done) (does r ?m)) (<= (next went) (does r go))"
    machine = interpret(text)
    state = machine.next_state(machine.initial_state(), [gdl.parse_term("(unheard of)")])
    assert texts(state) in ([], ["done"])


# Roles, noop, percepts


def test_noop_is_an_ordinary_move() -> None:
    text = "(role a) (role b) (legal a noop) (legal b (pass noop)) (<= (next ?m) (does ?r ?m))"
    assert after(text, "noop", "(pass noop)") == ["(pass noop)", "noop"]


def test_joint_moves_are_in_the_order_of_the_roles() -> None:
    text = "(role zoe) (role abe) (legal zoe 1) (legal abe 2) (<= (next (did ?r ?m)) (does ?r ?m))"
    assert list(map(str, interpret(text).roles)) == ["zoe", "abe"]
    assert after(text, "1", "2") == ["(did abe 2)", "(did zoe 1)"]


def test_roles_by_rules_come_after_those_stated() -> None:
    text = "(role z) (team red) (team blue) (<= (role ?t) (team ?t)) (<= (legal ?r x) (role ?r))"
    machine = gdl.interpret(gdl.parse(text))
    assert list(map(str, machine.roles)) == ["z", "blue", "red"]
    assert texts(machine.legal_moves(machine.initial_state(), gdl.Constant("red"))) == ["x"]


def test_percepts_are_of_the_joint_move() -> None:
    text = "(role random) (role r) (init (card 1)) (legal random (deal 1)) (legal random (deal 2)) "
    text += "(legal r noop) (<= (sees r (dealt ?c)) (does random (deal ?c))) "
    text += "(<= (sees ?p ?f) (role ?p) (true ?f) (does random (deal 2)))"
    machine = interpret(text)
    state, (chance, role) = machine.initial_state(), machine.roles
    first, second = gdl.joint_moves(machine, state)
    assert texts(machine.percepts(state, first, role)) == ["(dealt 1)"]
    assert texts(machine.percepts(state, second, role)) == ["(card 1)", "(dealt 2)"]
    assert machine.percepts(state, first, chance) == ()


def test_percepts_of_one_function_alone() -> None:
    machine = interpret("(role r) (legal r a) (<= (sees r (did ?m)) (does r ?m))")
    seen = machine.percepts(machine.initial_state(), [gdl.Constant("a")], machine.roles[0])
    assert texts(seen) == ["(did a)"]


def test_percepts_without_chance() -> None:
    machine = interpret("(role r) (legal r a) (sees r everything) (sees r 5)")
    seen = machine.percepts(machine.initial_state(), [gdl.Constant("a")], machine.roles[0])
    assert texts(seen) == ["5", "everything"]
