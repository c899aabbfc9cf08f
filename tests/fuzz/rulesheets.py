"""Rulesheets as text: any text gives problems with positions, or a game that can be interpreted."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from random import Random

import gdl
from gdl import ResourceLimitError, Ruleset, RulesetError, Severity, Source
from gdl.language import canonical_form
from gdl.language.formatter import Notation, convert_text, format_text
from gdl.language.parser import decode
from gdl.language.scrambler import Scrambler
from ggp_player.worker.fallback_moves import move_legal_by_facts
from tests.fuzz.mutators import DONORS, mutate_expressions, token_mutator
from tests.fuzz.pieces import HARD, PIECES
from tests.fuzz.rule_mutators import cross_rules, rule_mutator
from tests.fuzz.target import Target, TooSlowError, cpu_limit
from tests.support.paths import GAMES

EVALUATION_SECONDS = 0.5
"""CPU time for evaluating rules. It has no bound of its own: a worker can be killed."""

STEPS = 4

RULES_SHARE = 0.4
"""How many mutations of KIF leave rules."""

INFIX = (
    b"role(x) & init(a)\nlegal(x,go) :- true(a)\nnext(b) :- does(x,go)\nterminal :- true(b)\n",
    b"p(X) :- q(X) & ~r(X,'a b') | distinct(X,\"c\") ; comment\n p(_)\nq([a,b]).\n% c\n",
)

_INFIX_DONORS = (
    *(donor.encode() for donor in DONORS),
    *(b":-", b"&", b"|", b"~", b",", b".", b"[", b"]", b"'", b'"', b"_", b"X", b"%", b"#", b"\\"),
    *(b"p(X)", b"~p(X)", b"p(X) :- q(X)\n", b"distinct(X,Y)", b"true(p(X))", b"()", b"'a'", b"\n"),
)

_mutate_infix = token_mutator(rb"\s+|[\w?]+|[^\w\s?]", _INFIX_DONORS)


def check(data: bytes) -> None:
    """Read, validate, rewrite and interpret a rulesheet."""
    source = Source(decode(data), "fuzz")
    problems = gdl.validate(source)
    for problem in problems:
        start, end = problem.span
        assert 0 <= start <= end <= len(source.text)
        assert "fuzz:" in source.describe(problem)
    try:
        ruleset = gdl.parse(source.text, "fuzz")
    except gdl.GdlSyntaxError as error:
        assert error.problems
        assert set(error.problems) <= set(problems)
        return
    _check_texts(source.text, ruleset)
    is_sound = all(problem.severity is not Severity.ERROR for problem in problems)
    _check_meaning(ruleset, is_sound)


def _check_texts(text: str, ruleset: Ruleset) -> None:
    """Check everything that writes rules."""
    for written in (str(ruleset), format_text(text)):
        assert gdl.parse(written).rules == ruleset.rules
    formatted = format_text(text)
    assert format_text(formatted) == formatted
    for notation in Notation:
        with suppress(gdl.GdlSyntaxError):  # such as names that infix cannot write
            assert gdl.parse(convert_text(text, notation)).rules == ruleset.rules
    canonical_form(ruleset)
    scrambled = Scrambler.of(ruleset, Random(1)).scramble_ruleset(ruleset)
    assert len(scrambled.rules) == len(ruleset.rules)


def _check_meaning(ruleset: Ruleset, is_sound: bool) -> None:
    """Interpret the rules; those without an error have a meaning."""
    for role in ruleset.roles[:2]:
        move_legal_by_facts(ruleset, str(role))
    try:
        with cpu_limit(EVALUATION_SECONDS):
            _play(gdl.interpret(ruleset), Random(1))
    except ResourceLimitError:
        pass
    except RulesetError:
        assert not is_sound
    except (TooSlowError, MemoryError):
        pass  # a worker has limits of its own


def _play(machine: gdl.StateMachine, random: Random) -> None:
    state = machine.initial_state()
    for _ in range(STEPS):
        options = [machine.legal_moves(state, role) for role in machine.roles]
        for role in machine.roles:
            machine.goals(state, role)
        if machine.is_terminal(state) or not all(options):
            return
        moves = [random.choice(own) for own in options]
        for role in machine.roles:
            machine.percepts(state, moves, role)
        state = machine.next_state(state, moves)


_mutate_rules = rule_mutator([piece.encode() for piece in PIECES])


@cache
def seeds() -> tuple[bytes, ...]:
    """Our own games in both notations, the small ones, and hard pieces."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(GAMES.glob("*.kif"))]
    small = [text for text in texts if len(text) < 2000]
    infix = [convert_text(text, Notation.INFIX) for text in small[:6]]
    return (*INFIX, *(text.encode() for text in (*small, *infix, *HARD.values())))


def mutate(data: bytes, random: Random) -> bytes:
    """Change expressions where the text is KIF, words and signs where it is infix."""
    is_infix = b":-" in data or b"~" in data
    if is_infix or random.random() < 0.1:
        return _mutate_infix(data, random)
    if random.random() < RULES_SHARE:
        return _mutate_rules(data, random)
    return mutate_expressions(data, random)


TARGET = Target("rulesheets", check, seeds, mutate, cross_rules, seconds=3.0, max_bytes=6000)
