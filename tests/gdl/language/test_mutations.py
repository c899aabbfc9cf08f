"""A damaged rulesheet gives problems or a game: no crash, no hang, no flood of problems."""

from __future__ import annotations

import subprocess
import sys
from random import Random

import pytest

import gdl
from gdl import ResourceLimitError, Severity, Source
from gdl.language.formatter import Notation, convert_text
from gdl.language.parser import decode
from tests.support.mutations import LARGE, mutated
from tests.support.paths import CORPUS, GAMES

RULESHEETS = sorted(GAMES.glob("*.kif"))

MOST_PROBLEMS = 3000
"""More than the validator reports in the worst case."""

MEMORY = 2 * 2**30
"""Bytes of address space that suffice to validate any text."""


def check(data: bytes, name: str) -> str:
    """Validate a rulesheet, interpret it if it has no errors, and return the outcome."""
    source = Source(decode(data), name)
    problems = gdl.validate(source)
    assert len(problems) <= MOST_PROBLEMS
    for problem in problems:
        start, end = problem.span
        assert 0 <= start <= end <= len(source.text)
    for problem in problems[:3]:
        assert name in source.describe(problem)
    if any(problem.severity is Severity.ERROR for problem in problems):
        return "problems"
    try:
        machine = gdl.interpret(gdl.parse(source.text, name))
        state = machine.initial_state()
        machine.is_terminal(state)
        for role in machine.roles:
            machine.legal_moves(state, role)
            machine.goals(state, role)
    except ResourceLimitError:
        return "limit"
    return "game"


@pytest.mark.thorough
@pytest.mark.parametrize("notation", Notation)
def test_mutations_of_our_games(notation: Notation) -> None:
    outcomes = set()
    for seed in range(40):
        random = Random(f"{notation} {seed}")
        path = random.choice(RULESHEETS)
        text = path.read_text(encoding="utf-8")
        if notation is Notation.INFIX:
            text = convert_text(text, notation)
        outcomes.add(check(mutated(text.encode(), random), f"{path.stem} {seed}"))
    assert outcomes >= {"problems", "game"}


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.timeout(1800)
def test_a_thousand_mutations_of_real_rulesheets() -> None:
    sheets = sorted(CORPUS.rglob("*.kif"))
    outcomes = []
    for seed in range(1000):
        random = Random(seed)
        path = random.choice(sheets)
        outcomes.append(check(mutated(path.read_bytes(), random), f"{path.stem} {seed}"))
    assert set(outcomes) <= {"problems", "game", "limit"}
    assert outcomes.count("limit") < 10


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("mutation", LARGE, ids=lambda mutation: mutation.__name__)
def test_large_mutations_in_little_memory(mutation: object) -> None:
    name = getattr(mutation, "__name__", "")
    command = [sys.executable, "-c", IN_LITTLE_MEMORY, name, str(MEMORY), *map(str, RULESHEETS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
    assert done.stderr == ""
    assert done.stdout.split() == ["ok"] * 20


IN_LITTLE_MEMORY = """
import resource, sys
from pathlib import Path
from random import Random
from tests.support import mutations
from tests.gdl.language import test_mutations

memory = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
for seed in range(20):
    random = Random(seed)
    path = random.choice([Path(name) for name in sys.argv[3:]])
    test_mutations.check(getattr(mutations, sys.argv[1])(path.read_bytes(), random), path.stem)
    print("ok")
"""


def test_very_deep_parentheses() -> None:
    for text in (
        "(" * 100_000,
        "(" * 100_000 + ")" * 100_000,
        "(p " * 100_000 + "a" + ")" * 100_000,
    ):
        assert "too-deep" in {problem.code for problem in gdl.validate(text)}


def test_a_line_of_millions_of_letters() -> None:
    problems = gdl.validate("(role you) " + "x" * 3_000_000)
    assert "stray-text" in {problem.code for problem in problems}
    assert all(len(problem.message) < 300 for problem in problems)


def test_a_text_of_too_many_words_is_not_read() -> None:
    problems = gdl.validate("(p a) " * 400_000)
    assert "too-long" in {problem.code for problem in problems}


def test_a_hundred_bad_characters_at_the_end_of_a_long_text() -> None:
    problems = gdl.validate("(p a) " * 20_000 + "\x01 " * 200)
    assert [problem.code for problem in problems].count("bad-character") == 100
