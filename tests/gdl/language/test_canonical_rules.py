"""The canonical form does not depend on words and order, and on all else."""

from __future__ import annotations

import doctest
import re
from itertools import combinations, permutations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl import And, Distinct, Literal, Not, Or, Rule, Ruleset, Term
from gdl.language import CanonicalForm, Scrambler, canonical_form, canonical_rules, terms_of
from gdl.language.rules import Function, Variable, is_ground
from tests.support.compiled_games import EVERY_GAME, NAMES, machine_of, rules_of
from tests.support.generators import rulesets
from tests.support.marks import thorough
from tests.support.paths import CORPUS

COLLECTION = sorted((CORPUS / "rulesheets").glob("*.kif"))

GAME = """
(role white) (role black) (init (cell 1 b)) (init (cell 2 b)) (init (control white))
(succ 1 2) (index 1) (index 2)
(<= (legal ?r (mark ?n)) (true (control ?r)) (true (cell ?n b)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (cell ?n x)) (does ?r (mark ?n)))
(<= (next (cell ?n b)) (true (cell ?n b)) (does ?r (mark ?m)) (distinct ?m ?n))
(<= (next (control black)) (true (control white)))
(<= terminal (not (true (cell 1 b))))
(<= (goal white 100) (true (cell 2 b)))
(<= (goal white 0) (true (cell 2 x)))
(<= (goal black 40) (or (true (cell 1 x)) (true (cell 2 x))))
"""


def form_of(ruleset: Ruleset | str) -> CanonicalForm:
    rules = gdl.parse(ruleset) if isinstance(ruleset, str) else ruleset
    found = canonical_form(rules)
    assert found is not None
    return found


def shuffled(ruleset: Ruleset, random: Random) -> Ruleset:
    """The same rules with literals in another order, and rules too but for the roles'."""
    roles = [rule for rule in ruleset.rules if rule.head.name == "role"]
    others = [
        Rule(rule.head, shuffled_literals(rule.body, random))
        for rule in ruleset.rules
        if rule.head.name != "role"
    ]
    random.shuffle(others)
    places = sorted(random.sample(range(len(ruleset.rules)), len(roles)))
    for place, role in zip(places, roles, strict=True):
        others.insert(place, role)
    return Ruleset(tuple(others))


def shuffled_literals(literals: tuple[Literal, ...], random: Random) -> tuple[Literal, ...]:
    found = [shuffled_literal(literal, random) for literal in literals]
    random.shuffle(found)
    return tuple(found)


def shuffled_literal(literal: Literal, random: Random) -> Literal:
    if isinstance(literal, Or | And):
        return type(literal)(shuffled_literals(literal.literals, random))
    if isinstance(literal, Not):
        return Not(shuffled_literal(literal.literal, random))
    if isinstance(literal, Distinct) and random.random() < 0.5:
        return Distinct(literal.right, literal.left)
    return literal


def with_renamed_numbers(ruleset: Ruleset, kept: set[str]) -> Ruleset:
    """What a manager makes of a ruleset that scrambles all numbers but those that are kept."""
    text = re.sub(
        r"(?<=[\s(])\d+(?=[\s)])",
        lambda found: found[0] if found[0] in kept else f"word{found[0]}",
        str(ruleset),
    )
    return gdl.parse(text)


def ground_terms(ruleset: Ruleset) -> list[Term]:
    """The ground terms of a ruleset's heads."""
    found = (term for rule in ruleset.rules for term in terms_of(rule.head))
    return [term for term in found if is_ground(term)]


@pytest.mark.thorough
@given(rulesets(), st.integers())
def test_words_and_order_do_not_matter(ruleset: Ruleset, seed: int) -> None:
    random, form = Random(seed), form_of(ruleset)
    scrambler = Scrambler.of(ruleset, random)
    other = form_of(shuffled(scrambler.scramble_ruleset(ruleset), random))
    assert other.digest == form.digest
    # Where a symmetry exchanges facts, either may have either text.
    texts = sorted(form.text_of(term) for term in ground_terms(ruleset))
    scrambled = sorted(other.text_of(scrambler.scramble(t)) for t in ground_terms(ruleset))
    assert len(set(texts)) == len(set(map(str, ground_terms(ruleset))))
    assert texts == scrambled


@pytest.mark.parametrize("name", EVERY_GAME)
def test_a_scrambled_game_is_recognised(name: str) -> None:
    ruleset, random = rules_of(name), Random(name)
    scrambler = Scrambler.of(ruleset, random)
    scrambled = shuffled(scrambler.scramble_ruleset(ruleset), random)
    assert form_of(scrambled).digest == form_of(ruleset).digest


@pytest.mark.parametrize(
    "name",
    [
        "connectFour",
        "ticTacToe",
        *thorough("breakthrough", "reversi"),
    ],
)
def test_the_fluents_of_a_scrambled_game_are_recognised(name: str) -> None:
    """The states after the same moves, up to a symmetry, have the same canonical facts."""
    machine, random = machine_of(name), Random(1)
    scrambler = Scrambler.of(machine.ruleset, random)
    other = gdl.compile(shuffled(scrambler.scramble_ruleset(machine.ruleset), random))
    form, scrambled = form_of(machine.ruleset), form_of(other.ruleset)
    facts, scrambled_facts = (
        {f.text_of(fact) for fact in m.facts} for f, m in ((form, machine), (scrambled, other))
    )
    assert facts == scrambled_facts
    assert len(facts) == len(machine.facts)
    start, scrambled_start = (
        {f.text_of(fact) for fact in m.initial_state()}
        for f, m in ((form, machine), (scrambled, other))
    )
    assert start == scrambled_start


def test_games_without_symmetries_map_fact_to_fact() -> None:
    ruleset = gdl.parse(GAME)
    scrambler = Scrambler.of(ruleset, Random(3))
    form, other = form_of(ruleset), form_of(scrambler.scramble_ruleset(ruleset))
    for term in ground_terms(ruleset):
        assert form.text_of(term) == other.text_of(scrambler.scramble(term))


def test_numbers_are_words_but_goal_values_stay() -> None:
    ruleset = gdl.parse(GAME)
    renamed = with_renamed_numbers(ruleset, {"100", "0", "40"})
    assert "word1" in str(renamed)
    assert form_of(renamed).digest == form_of(ruleset).digest
    assert form_of(GAME.replace("black 40", "black 60")).digest != form_of(ruleset).digest


def test_a_goal_of_thousands_of_digits_is_a_word() -> None:
    game = "(role red) (legal red go) (init a) (<= terminal (true a)) (goal red {})"
    assert form_of(game.format("9" * 5000)).digest == form_of(game.format("word")).digest


def test_numbers_that_may_be_goals_stay() -> None:
    text = "(role r) (value 30) (value 70) (legal r go) (<= (goal r ?v) (value ?v))"
    assert form_of(text).digest == form_of(text.replace("value", "worth")).digest
    assert form_of(text).digest != form_of(text.replace("70", "80")).digest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(succ 1 2)", "(succ 2 1)"),
        ("(role white) (role black)", "(role black) (role white)"),
        ("(init (cell 2 b))", ""),
        ("(not (true (control ?r)))", "(true (control ?r))"),
        ("(or (true (cell 1 x))", "(and (true (cell 1 x))"),
        ("(distinct ?m ?n)", "(distinct ?m 1)"),
        ("(does ?r (mark ?m))", "(does black (mark ?m))"),
        ("(role black)", "(role random)"),
        ("(cell ?n x)", "(cell x ?n)"),
        ("terminal (not", "stop (not"),
    ],
)
def test_whatever_has_a_meaning_matters(old: str, new: str) -> None:
    assert old in GAME
    assert form_of(GAME.replace(old, new)).digest != form_of(GAME).digest


def test_upper_case_does_not_matter() -> None:
    assert form_of(GAME.upper()).digest == form_of(GAME).digest


def test_a_name_may_be_a_relation_a_function_and_a_constant() -> None:
    one = form_of("(role r) (init (p p)) (init (p p p)) (p p)")
    assert one.digest == form_of("(role r) (init (f c)) (init (g c c)) (h c)").digest
    assert one.digest != form_of("(role r) (init (f c)) (init (g c d)) (h c)").digest
    assert len(set(one.names.values())) == len(one.names) == 4


def test_symmetric_variables_get_names() -> None:
    rule = "(<= (pair) (item ?x) (item ?y) (item ?z) (distinct ?x ?y) (distinct ?y ?z))"
    other = "(<= (pair) (distinct ?c ?a) (item ?b) (item ?a) (distinct ?b ?c) (item ?c))"
    assert form_of(f"(role r) {rule}").digest == form_of(f"(role r) {other}").digest


def test_the_order_of_rules_with_symmetric_variables_does_not_matter() -> None:
    rules = [f"(<= (p{n}) (item ?x) (item ?y) (distinct ?x ?y))" for n in range(3)]
    rules.append("(<= (q) (item ?x) (item ?y) (edge ?x ?z) (edge ?y ?w) (distinct ?x ?y))")
    digests = {form_of(f"(role r) {' '.join(order)}").digest for order in permutations(rules)}
    assert len(digests) == 1


def test_our_games_are_all_different() -> None:
    digests = {name: form_of(rules_of(name)).digest for name in NAMES}
    assert len(set(digests.values())) == len(NAMES)


def test_the_digest_is_what_it_was() -> None:
    """Evaluations are stored by it: if it has to change, so must the version of their format."""
    digest = form_of(GAME).digest
    assert digest == "a1af576070aecbe5768909d332ecdfed8b88c48b2fe59a3420b258b6927960eb"


def test_the_session_in_the_docstring_runs() -> None:
    failed, attempted = doctest.testmod(canonical_rules)
    assert (failed, attempted > 0) == (0, True)


def test_derived_roles_are_refused() -> None:
    assert canonical_form(gdl.parse("(player a) (<= (role ?x) (player ?x))")) is None


def test_what_would_take_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    many = "(role r)" + "".join(f"(p a{i} b{j})" for i, j in combinations(range(40), 2))
    assert canonical_form(gdl.parse(many)) is not None
    monkeypatch.setattr("gdl.language.canonical_rules.WORK", 8_000)
    assert canonical_form(gdl.parse(many)) is None


def test_thousands_of_rules_can_be_told_apart() -> None:
    chain = "".join(f"(succ n{i} n{i + 1})" for i in range(1500))
    alike = "".join(f"(init (item c{i}))" for i in range(1500))
    assert canonical_form(gdl.parse(f"(role r) {chain} {alike}")) is not None


def test_only_ground_terms_of_the_game_have_a_text() -> None:
    form = form_of(GAME)
    with pytest.raises(TypeError, match="variable"):
        form.text_of(Function("cell", (Variable("x"), Variable("y"))))
    with pytest.raises(KeyError):
        form.text_of(gdl.parse_term("(cell 7 b)"))


@pytest.mark.corpus
@pytest.mark.parametrize("path", COLLECTION, ids=lambda path: path.stem)
def test_scrambled_rulesheets_of_the_collection_are_recognised(path: Path) -> None:
    ruleset, random = gdl.load(path), Random(path.stem)
    scrambled = shuffled(Scrambler.of(ruleset, random).scramble_ruleset(ruleset), random)
    assert form_of(scrambled).digest == form_of(ruleset).digest
