"""Static tables are kept as long as what defines them stays the same."""

from __future__ import annotations

import pytest

import gdl
from gdl.datalog import Program, StaticTables, SymbolTable, domains_of
from gdl.datalog.rule_index import StaticTable

FACTS = "(n 1) (n 2) (n 3) (edge 1 2)"
RULES = """
    (<= (two ?x ?y) (n ?x) (n ?y) (distinct ?x ?y))
    (<= (far ?x ?y) (two ?x ?y) (not (edge ?x ?y)))
"""
PATHS = """
    (<= (path ?x ?y) (edge ?x ?y)) (<= (path ?x ?z) (path ?x ?y) (edge ?y ?z))
    (<= (end ?x) (path 1 ?x))
"""


class Programs:
    """Programs one after the other, which share symbols and tables."""

    def __init__(self) -> None:
        self.symbols = SymbolTable()
        self.tables = StaticTables()

    def prepare(self, text: str) -> dict[str, tuple[float, StaticTable | None]]:
        """Prepare a program; return the rows of each relation, and the table that was kept."""
        rules = sorted(gdl.parse(text).rules, key=lambda rule: len(rule.body))
        program = Program(rules, {}, domains_of(rules, ()), self.symbols)
        program.prepare({}, self.tables)
        relations = {rule.head.relation for rule in rules}
        return {
            relation[0]: (
                program.estimator.rows(relation),
                self.tables.find(relation, program.rule_index),
            )
            for relation in relations
        }


def test_tables_are_found_again() -> None:
    programs = Programs()
    before, after = programs.prepare(FACTS + RULES), programs.prepare(FACTS + RULES)
    assert {name: rows for name, (rows, _) in after.items()} == {
        "n": 3,
        "edge": 1,
        "two": 6,
        "far": 5,
    }
    assert [before[name][0] for name in after] == [rows for rows, _ in after.values()]


@pytest.mark.parametrize(
    ("added", "rows"),
    [
        ("(edge 2 1)", {"n": 3, "edge": 2, "two": 6, "far": 4}),
        ("(n 4)", {"n": 4, "edge": 1, "two": 12, "far": 11}),
        ("(two 7 8)", {"n": 3, "edge": 1, "two": 7, "far": 6}),
        ("(<= (two ?x ?x) (n ?x))", {"n": 3, "edge": 1, "two": 9, "far": 8}),
    ],
)
def test_what_has_changed_is_evaluated_anew(added: str, rows: dict[str, float]) -> None:
    programs = Programs()
    programs.prepare(FACTS + RULES)
    found = programs.prepare(FACTS + RULES + added)
    assert {name: count for name, (count, _) in found.items()} == rows
    again = programs.prepare(FACTS + RULES)
    assert {name: count for name, (count, _) in again.items()} == {
        "n": 3,
        "edge": 1,
        "two": 6,
        "far": 5,
    }


def test_what_rests_on_recursion_is_not_kept() -> None:
    programs = Programs()
    programs.prepare(FACTS + PATHS)
    found = programs.prepare(FACTS + "(edge 2 3)" + PATHS)
    assert found["path"][1] is None
    assert found["end"] == (2, None)
