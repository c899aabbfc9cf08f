"""Sets of solved positions, their files, and the sets of our own."""

from __future__ import annotations

import json
import lzma
from collections import deque
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl import parse_term
from ggp_player.errors import PositionSetError
from ggp_player.lab.positions.solved_positions import (
    OWN_SETS,
    PositionSet,
    SolvedPosition,
    load_set,
    rules_digest,
    rules_of,
    save_set,
    sets_in,
)
from ggp_player.lab.positions.solving.move_solver import ProofSolver
from ggp_player.lab.positions.turns import chooser, replayed
from ggp_player.strategies import Position
from ggp_player.strategies.solver import Enumeration
from tests.support.textbook_solver import is_critical, solved_values

RULES = gdl.load("ticTacToe")
CORNER = SolvedPosition(
    (parse_term("(put a1)"),), {parse_term("(put b2)"): 50, parse_term("(put c3)"): 0}
)
SET = PositionSet("ticTacToe", rules_digest(RULES), [CORNER], {"seed": 7})

MOVES = st.sampled_from([parse_term(f"(put {place})") for place in ("a1", "b2", "c3")])
POSITIONS = st.builds(
    SolvedPosition,
    st.lists(MOVES, max_size=4).map(tuple),
    st.dictionaries(MOVES, st.integers(0, 100), min_size=1),
)


@given(st.lists(POSITIONS, max_size=5))
def test_a_set_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, positions: list[SolvedPosition]
) -> None:
    path = tmp_path_factory.mktemp("sets") / "ticTacToe.positions.xz"
    save_set(replace(SET, positions=positions), path)
    assert load_set(path) == replace(SET, positions=positions)
    assert sets_in(path.parent) == [path]


def test_errors_are_moves_of_less_value() -> None:
    assert CORNER.best == 50
    assert is_critical(CORNER)
    assert CORNER.is_error(parse_term("(put c3)"))
    assert not CORNER.is_error(parse_term("(put b2)"))
    assert not is_critical(SolvedPosition((), {parse_term("go"): 0, parse_term("stay"): 0}))


def test_the_digest_is_of_rules_and_not_of_text() -> None:
    rules = "(role a) (init b) ; a comment"
    assert rules_digest(gdl.parse(rules)) == rules_digest(gdl.parse("(init  b)\n(role a)"))
    assert rules_digest(gdl.parse(rules)) != rules_digest(gdl.parse("(role a) (init c)"))


def test_other_rules_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "ticTacToe.positions.xz"
    assert rules_of(SET, path).game == "ticTacToe"
    (tmp_path / "ticTacToe.kif").write_text("(role a)")
    with pytest.raises(PositionSetError, match="were solved by other rules: expected a rulesheet"):
        rules_of(SET, path)


def test_a_game_without_rules_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PositionSetError, match=r"expected the rulesheet .*strange.kif, or a game"):
        rules_of(replace(SET, game="strange"), tmp_path / "strange.positions.xz")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("[]", "expected {"),
        ('{"line": [], "values": {}}', "expected moves with goal values"),
        ('{"line": [], "values": {"101": ["go"]}}', "expected moves with goal values"),
        ('{"line": ["(go"], "values": {"1": ["go"]}}', "expected {"),
        ('{"line": [], "values": {"much": ["go"]}}', "expected {"),
    ],
)
def test_lines_that_are_no_positions_are_refused(line: str, reason: str) -> None:
    with pytest.raises(PositionSetError, match=reason):
        SolvedPosition.from_json(line)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no xz", "cannot be read"),
        (lzma.compress(b""), "expected a set of positions"),
        (lzma.compress(b"[]"), "expected a set of positions"),
        (lzma.compress(b'{"format": 2, "game": "g", "rules": ""}'), "expected format 1, found 2"),
        (lzma.compress(b'{"format": 1, "game": "g", "rules": ""}\n7'), "expected {"),
    ],
)
def test_files_that_are_no_sets_are_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "g.positions.xz"
    path.write_bytes(content)
    with pytest.raises(PositionSetError, match=reason) as caught:
        load_set(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("path", sets_in(OWN_SETS), ids=lambda path: path.name)
def test_our_own_sets_fit_their_rules(path: Path) -> None:
    """The first positions can be reached, are critical, and have each legal move."""
    found = load_set(path)
    machine = gdl.interpret(rules_of(found, path))
    for position in found.positions[:5]:
        state = replayed(machine, position.line)
        role = chooser(machine, state)
        assert role is not None
        assert set(machine.legal_moves(state, machine.roles[role])) == set(position.values)
    assert all(is_critical(position) for position in found.positions)
    assert len({position.to_json() for position in found.positions}) == len(found.positions)
    assert json.dumps(dict(found.about))


@pytest.mark.thorough
@pytest.mark.parametrize("path", sets_in(OWN_SETS), ids=lambda path: path.name)
def test_our_own_sets_have_the_values_of_another_solver(path: Path) -> None:
    """Retrograde analysis of the last positions; where that is too large, the proof search."""
    found = load_set(path)
    machine = gdl.compile(rules_of(found, path))
    late = sorted(found.positions, key=lambda position: -len(position.line))
    for solved in late[:4]:
        state = replayed(machine, solved.line)
        role = chooser(machine, state)
        assert role is not None
        position = Position(machine, state, machine.roles[role])
        enumeration = Enumeration(states=500_000)
        deque(enumeration.search(position), maxlen=0)
        if enumeration.solution is not None:
            values = {known.move: known.value for known in enumeration.report(position)}
        else:
            values = dict(solved_values(ProofSolver(machine, nodes=10**8), state) or {})
        assert values == solved.values
