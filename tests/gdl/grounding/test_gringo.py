"""Grounding: rules without variables, within a budget, and no process left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pytest

import gdl
from gdl.circuit.options import CompileOptions
from gdl.datalog.symbol_table import SymbolTable
from gdl.grounding import gringo, observed_gringo
from gdl.grounding.gringo import GrounderInput, GroundingBudget, GroundProgram, StatedRows, ground
from gdl.grounding.observed_gringo import UNAVAILABLE
from gdl.language.rules import RelationKey
from gdl.system import child_environment
from tests.support.grounding import run_gringo

NUMBERS = " ".join(f"(n {i})" for i in range(60))
HUGE = NUMBERS + "(<= (p ?a ?b ?c ?d) (n ?a) (n ?b) (n ?c) (n ?d))"
"""13 million instances."""


@pytest.fixture(autouse=True)
def _grounding_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start gringo at every call, for that is what is tested here."""
    monkeypatch.setattr(gringo, "_run_gringo", run_gringo)


class Ground:
    """A ground program with its atoms as texts."""

    def __init__(
        self,
        text: str,
        shown: Sequence[RelationKey],
        flows: Sequence[tuple[RelationKey, RelationKey]] = (),
        is_large: bool = False,
    ) -> None:
        symbols = SymbolTable()
        rules = gdl.parse(text).rules
        given = GrounderInput(rules=rules, flows=flows, shown=shown, is_large=is_large)
        self.program: GroundProgram = ground(given, symbols, GroundingBudget())
        self.rows = {
            relation: {tuple(str(symbols.decode(t)) for t in row): atom for row, atom in r.items()}
            for relation, r in self.program.rows.items()
        }
        self._names = {
            atom: " ".join([relation[0], *row])
            for relation, r in self.rows.items()
            for row, atom in r.items()
            if atom
        }

    def facts(self, name: str, arity: int) -> set[tuple[str, ...]]:
        """Return the rows that always hold."""
        rows = self.rows[name, arity]
        heads = self._always()
        return {row for row, atom in rows.items() if atom == 0 or atom in heads}

    def _always(self) -> set[int]:
        lengths = self.program.starts[1:] - self.program.starts[:-1]
        return set(self.program.heads[lengths == 0].tolist())

    def bodies(self, name: str) -> list[list[str]]:
        """Return the bodies of an atom, sorted; literals that are not shown are left out."""
        starts, literals = self.program.starts.tolist(), self.program.literals.tolist()
        found = []
        for i, head in enumerate(self.program.heads.tolist()):
            if self._names.get(head) == name:
                body = literals[starts[i] : starts[i + 1]]
                found.append(
                    sorted(
                        ("not " if literal < 0 else "") + self._names[abs(literal)]
                        for literal in body
                        if abs(literal) in self._names
                    )
                )
        return sorted(found)


def test_facts_hold_always() -> None:
    found = Ground("(p a) (p b) (q a b) (flag)", [("p", 1), ("q", 2), ("flag", 0)])
    assert found.facts("p", 1) == {("a",), ("b",)}
    assert found.facts("q", 2) == {("a", "b")}
    assert found.facts("flag", 0) == {()}


def test_what_is_static_is_evaluated_away() -> None:
    text = "(p a) (p b) (q a) (<= (r ?x) (p ?x) (not (q ?x))) (<= (s ?x) (p ?x) (distinct ?x a))"
    found = Ground(text, [("r", 1), ("s", 1)])
    assert found.facts("r", 1) == found.facts("s", 1) == {("b",)}


def test_relations_that_nothing_defines_are_empty() -> None:
    found = Ground(
        "(p a) (<= (r ?x) (p ?x) (missing ?x)) (<= (s ?x) (p ?x) (not (missing ?x)))",
        [("r", 1), ("s", 1), ("missing", 1), ("nowhere", 3)],
    )
    assert found.rows["r", 1] == found.rows["missing", 1] == found.rows["nowhere", 3] == {}
    assert found.facts("s", 1) == {("a",)}


FLOWS = [(("start", 1), ("true", 1)), (("next", 1), ("true", 1)), (("legal", 2), ("does", 2))]
SHOWN = [("true", 1), ("does", 2), ("next", 1), ("legal", 2)]


def test_rows_flow_from_one_relation_to_another() -> None:
    """What may be true is what is at the start, and what may be true next."""
    text = """
        (start (at 0)) (after 0 1) (after 1 2) (role you)
        (<= (next (at ?y)) (true (at ?x)) (after ?x ?y) (does you go))
        (<= (legal you go) (true (at ?x)) (not (true (at 2))))
    """
    found = Ground(text, SHOWN, FLOWS)
    assert {row[0] for row in found.rows["true", 1]} == {"(at 0)", "(at 1)", "(at 2)"}
    assert found.bodies("next (at 2)") == [["does you go", "true (at 1)"]]
    assert found.bodies("legal you go") == [
        ["not true (at 2)", f"true (at {i})"] for i in range(2)
    ] + [["not true (at 2)", "true (at 2)"]]
    assert found.bodies("true (at 1)") == [], "what may be true has no definition"


def test_functions_are_terms() -> None:
    text = """
        (p (f a (g b))) (p (f (g c) d)) (p (g a)) (p a)
        (<= (q ?x ?y) (p (f ?x ?y))) (<= (r (h ?x)) (p ?x) (distinct ?x (g a)))
    """
    found = Ground(text, [("q", 2), ("r", 1), ("p", 1)])
    assert found.facts("q", 2) == {("a", "(g b)"), ("(g c)", "d")}
    assert found.facts("r", 1) == {("(h (f a (g b)))",), ("(h (f (g c) d))",), ("(h a)",)}
    assert len(found.rows["p", 1]) == 4


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        ("(or (p ?x) (q ?x))", {"a", "b", "c"}),
        ("(n ?x) (or (and (p ?x) (q ?x)) (r ?x))", {"b", "d"}),
        ("(n ?x) (or (p ?x) (or (q ?x) (r ?x))) (not (q ?x))", {"a", "d"}),
        ("(n ?x) (or (distinct ?x a) (p ?x)) (or (q ?x) (r ?x))", {"b", "c", "d"}),
        ("(and (n ?x) (p ?x))", {"a", "b"}),
        ("(n ?x) (not (distinct ?x a))", {"a"}),
        ("(or (and (p ?x) (or (q ?x) (r ?x))) (and (r ?x) (n ?x)))", {"b", "d"}),
    ],
)
def test_disjunctions(body: str, rows: set[str]) -> None:
    facts = "(n a) (n b) (n c) (n d) (p a) (p b) (q b) (q c) (r d)"
    found = Ground(f"{facts} (<= (found ?x) {body})", [("found", 1)])
    assert {row[0] for row in found.facts("found", 1)} == rows


def test_what_is_stated_holds_as_if_it_were_a_rule() -> None:
    symbols = SymbolTable()
    terms = [
        term
        for each in gdl.parse("(p a (f b (g c)))(p (f b b) a)").rules
        for term in each.head.args
    ]
    a, nested, flat, _ = (symbols.encode(term) for term in terms)
    rules = gdl.parse("(<= (q ?x ?y) on (p ?x ?y))").rules
    stated: StatedRows = {("p", 2): [(a, nested), (flat, a)], ("on", 0): [()]}
    given = GrounderInput(rules=rules, shown=[("q", 2)], stated=stated)
    program = ground(given, symbols, GroundingBudget())
    assert set(program.rows["q", 2]) == {(a, nested), (flat, a)}


def test_large_programs_are_ground_as_others_are() -> None:
    text = """
        (start 0) (after 0 1) (after 1 2) (role you) (loud)
        (<= (next ?y) (true ?x) (after ?x ?y) (does you go) (not (true 2)))
        (<= (legal you go) (true ?x) (not (true 2))) (<= (quiet) (not (loud)))
    """
    shown = [*SHOWN, ("loud", 0), ("quiet", 0)]
    few, many = (Ground(text, shown, FLOWS, is_large).program for is_large in (False, True))
    assert few.rows == many.rows
    assert len(few.rows["true", 1]) == 3
    assert few.rows["loud", 0] == {(): 0}
    for name in ("heads", "starts", "literals"):
        assert np.array_equal(getattr(few, name), getattr(many, name))


def test_large_programs_are_ground_where_gringo_cannot_be_observed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = tmp_path / "worker.py"
    worker.write_text(f"import sys\nsys.exit({UNAVAILABLE})\n", encoding="utf-8")
    monkeypatch.setattr(observed_gringo, "__file__", str(worker))
    found = Ground("(p a) (q b) (<= (r ?x) (p ?x))", [("r", 1)], is_large=True)
    assert found.facts("r", 1) == {("a",)}


def test_large_programs_are_not_read_where_a_part_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = tmp_path / "worker.py"
    program = "sys.stdout.buffer.write(bytes([1]) + bytes(39))\nsys.exit('it was ended')\n"
    worker.write_text(f"import sys\n{program}", encoding="utf-8")
    monkeypatch.setattr(observed_gringo, "__file__", str(worker))
    with pytest.raises(gdl.GroundingLimitError, match="it was ended"):
        Ground("(p a) (q b) (<= (r ?x) (p ?x))", [("r", 1)], is_large=True)


def test_recursion_is_followed_to_its_end() -> None:
    links = " ".join(f"(link {i} {i + 1})" for i in range(30))
    text = f"{links} (<= (path ?x ?y) (link ?x ?y)) (<= (path ?x ?z) (path ?x ?y) (link ?y ?z))"
    assert len(Ground(text, [("path", 2)]).facts("path", 2)) == 30 * 31 // 2


def test_names_of_all_kinds() -> None:
    """Constants that mean something to the grounder mean nothing here."""
    names = ["nots", "#show", "01", "-3", "x_1", "'", "Ähre", "%", "{}", "a.b", "_", "inf"]
    facts = " ".join(f"(p {name})" for name in names)
    found = Ground(f"{facts} (<= (q ?x) (p ?x) (distinct ?x inf))", [("q", 1)])
    assert {row[0] for row in found.facts("q", 1)} == set(names) - {"inf"}


# ---------------------------------------------------------------------- the budget


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that grounding starts, kept for inspection."""
    started: list[subprocess.Popen[bytes]] = []

    class Recorded(subprocess.Popen):
        def __init__(self, *args: object, **options: object) -> None:
            super().__init__(*args, **options)  # type: ignore[call-overload]
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Recorded)
    return started


@pytest.fixture(autouse=True)
def nothing_runs_on(processes: list[subprocess.Popen[bytes]]) -> Iterator[None]:
    yield
    assert processes
    assert all(process.returncode is not None for process in processes)


def test_gringo_buffers_its_output_also_where_ours_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    environments: list[dict[str, str]] = []
    start = subprocess.Popen

    def recorded(*args: Any, **options: Any) -> subprocess.Popen[bytes]:
        environments.append(options["env"])
        return start(*args, **options)

    monkeypatch.setattr(subprocess, "Popen", recorded)
    assert Ground("(p a)", [("p", 1)]).facts("p", 1) == {("a",)}
    assert ["PYTHONUNBUFFERED" in environment for environment in environments] == [False]


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        (GroundingBudget(rules=50_000), "over 50000 rules"),
        (GroundingBudget(seconds=0.2), r"over 0\.2 seconds"),
        (GroundingBudget(seconds=0.001), r"over 0\.001 seconds"),
        pytest.param(GroundingBudget(memory=150 * 2**20), "memory", marks=pytest.mark.thorough),
        (GroundingBudget(memory=2**20), "memory"),
    ],
)
@pytest.mark.parametrize("is_large", [False, True])
def test_the_budget_is_kept(budget: GroundingBudget, message: str, is_large: bool) -> None:
    began = monotonic()
    given = GrounderInput(rules=gdl.parse(HUGE).rules, shown=[("p", 4)], is_large=is_large)
    with pytest.raises(gdl.GroundingLimitError, match=message):
        ground(given, SymbolTable(), budget)
    assert monotonic() - began < 20


@pytest.mark.thorough
def test_the_system_ends_a_grounder_that_has_used_its_cpu_time(
    processes: list[subprocess.Popen[bytes]],
) -> None:
    """clingo, which handles SIGXCPU, may not get to the end of that."""
    with pytest.raises(gdl.GroundingLimitError, match="over 1 seconds of CPU time"):
        ground(
            GrounderInput(rules=gdl.parse(HUGE).rules),
            SymbolTable(),
            GroundingBudget(cpu_seconds=1),
        )
    assert [process.returncode for process in processes] == [-signal.SIGPROF]


def test_terms_that_grow_without_end_are_stopped() -> None:
    text = "(p a) (<= (p (f ?x)) (p ?x))"
    with pytest.raises(gdl.GroundingLimitError):
        ground(
            GrounderInput(rules=gdl.parse(text).rules, shown=[("p", 1)]),
            SymbolTable(),
            GroundingBudget(rules=2_000, seconds=20),
        )


def test_an_interrupted_caller_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("threading.Timer", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ground(GrounderInput(rules=gdl.parse(HUGE).rules), SymbolTable(), GroundingBudget())


def test_a_game_too_large_keeps_its_reasoner() -> None:
    rules = gdl.parse(
        f"(role you) (init a) (legal you go) {HUGE} (<= terminal (p 1 2 3 4) (true b))"
    )
    options = CompileOptions(budget=GroundingBudget(rules=1000), magic_guards=False)
    with pytest.raises(gdl.GroundingLimitError) as caught:
        gdl.compile(rules, options)
    assert isinstance(caught.value, gdl.ResourceLimitError)
    assert gdl.interpret(rules).initial_state()


def test_facts_that_no_rule_mentions_are_left_out() -> None:
    text = "(n 1) (n 2) (init (a 1)) (<= (next (b ?x)) (true (a ?x)) (n ?x)) (<= (m ?x) (n ?x))"
    found = Ground(text, [("n", 1)], [(("init", 1), ("true", 1))])
    assert found.rows["n", 1].keys() == {("1",), ("2",)}
    assert len(found.program.heads) == 1


def test_nothing_to_ground() -> None:
    found = Ground("(n 1)", [("m", 1)])
    assert found.rows == {("m", 1): {}}
    assert len(found.program.heads) == 0
    assert found.program.starts.tolist() == [0]


def test_an_atom_that_only_occurs_negated_has_a_number_too() -> None:
    text = "(p f c) (above 4 3) (<= (win ?h c) (p ?x ?z) (not (win ?l ?x)) (above ?h ?l))"
    found = Ground(text, [("win", 2)])
    assert found.rows["win", 2].keys() == {("4", "c")}


def test_negations_of_what_cannot_hold_are_left_out() -> None:
    """The two relations depend on each other, so that gringo does not see it."""
    text = """(a 1) (a 2) (<= (c ?x) (b ?x) (not (d ?x)) (not (b 2)))
              (<= (d ?x) (c ?x) (b 3))"""
    found = Ground(text, [("b", 1), ("c", 1)], flows=[(("a", 1), ("b", 1))])
    negated = {-literal for literal in found.program.literals.tolist() if literal < 0}
    assert negated == {found.rows["b", 1]["2",]}
    assert len(found.rows["c", 1]) == 2


def test_a_grounder_whose_parent_has_ended_before_does_nothing() -> None:
    given = ("1000000000", "60", gringo._clingo_library(), str(os.getppid()))
    done = subprocess.run(
        [sys.executable, "-S", "-c", gringo._WORKER, *given],
        input=b"p.",
        env=child_environment(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, b"")
