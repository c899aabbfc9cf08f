"""Groups of fluents: by relation, by arguments, each once."""

from __future__ import annotations

import pytest

import gdl
from gdl import Term
from ggp_player.strategies.learning import feature_groups as module
from ggp_player.strategies.learning.feature_groups import feature_groups

RULES = """
(role a) (legal a go) (goal a 100)
(row 1) (row 2)
(<= (init (cell ?x ?y b)) (row ?x) (row ?y))
(init (step 1)) (init start)
"""


def facts() -> list[Term]:
    machine = gdl.interpret(gdl.parse(RULES))
    return sorted(machine.initial_state(), key=str)


def members() -> set[frozenset[str]]:
    known = facts()
    groups = feature_groups(known)
    assert groups.shape[0] == len(known)
    return {
        frozenset(str(known[row]) for row in range(len(known)) if column[row])
        for column in groups.T
    }


def test_fluents_are_grouped_by_their_arguments() -> None:
    cells = {f"(cell {x} {y} b)" for x in (1, 2) for y in (1, 2)}
    expected = {
        frozenset(cells),
        *(frozenset(f"(cell {x} {y} b)" for y in (1, 2)) for x in (1, 2)),
        *(frozenset(f"(cell {x} {y} b)" for x in (1, 2)) for y in (1, 2)),
        *(frozenset([fact]) for fact in (*cells, "(step 1)", "start")),
    }
    assert members() == expected


def test_no_group_stands_twice() -> None:
    groups = feature_groups(facts())
    assert len({tuple(column) for column in groups.T}) == groups.shape[1]


def test_the_finest_groups_are_left_out_where_there_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_GROUPS", 8)
    found = members()
    assert len(found) <= 8
    assert frozenset(f"(cell {x} {y} b)" for x in (1, 2) for y in (1, 2)) in found
