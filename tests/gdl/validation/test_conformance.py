"""The cases of four other projects' test suites, row by row of the collection's table.

Where we do otherwise, ``DEVIATIONS`` says why; the check of the row then says what we do.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias
from xml.etree import ElementTree

import pytest

import gdl
from gdl import Atom, Problem, Ruleset, Severity, Source, State, StateMachine
from gdl.language.parser import decode, read_ruleset
from tests.support.paths import CORPUS

pytestmark = pytest.mark.corpus

CONFORMANCE = CORPUS / "conformance"

Row: TypeAlias = tuple[str, str, str]
"""Suite, rulesheet and kind of check."""

DEVIATIONS: dict[Row, str] = {
    ("ggp-base", "test_clean_not_distinct.kif", "state-machine+validator"): (
        "expects an error for (not (distinct a b)); games in use have it, and it means equality: "
        "a warning, and the game plays as it stands"
    ),
    ("gdl-validation", "badparens2.kif", "paren-check"): (
        "expects one error; both parentheses that close nothing are reported"
    ),
    ("gdl-validation", "misplacedDatalogKeyword3.kif", "check"): (
        "expects an error for (foo (not bar)); games in use have (contains 1 (not 18)): a warning"
    ),
    ("dresden", "othello-fourway-teamswitch.lisp + trace", "retrace"): (
        "a rule denies (onaline ... ?x ?y ...) before (coordinate ?x) and (coordinate ?y) bind the "
        "variables; the controller took it to mean 'for no ?x and ?y', where the language means "
        "'for some': the trace is replayed with that rule written as the controller read it"
    ),
    ("libgdl", "unstratrec.kif", "validator"): (
        "the row notes that one validator accepts it; there is a cycle through negation: an error"
    ),
}

NOT_OF_THE_TEXT = {"missing-role", "missing-legal", "missing-goal", "missing-terminal"}
"""Errors that fragments of rulesheets have anyway, and that their rows are not about."""


def source_of(suite: str, name: str) -> Source:
    return Source(decode((CONFORMANCE / suite / name).read_bytes()), name)


def ruleset_of(suite: str, name: str) -> Ruleset:
    return gdl.load(CONFORMANCE / suite / name)


def problems_of(suite: str, name: str, severity: Severity) -> list[Problem]:
    found = gdl.validate(source_of(suite, name))
    return [problem for problem in found if problem.severity is severity]


def names(terms: Sequence[object]) -> list[str]:
    return sorted(map(str, terms))


# ---------------------------------------------------------------------- validator

Check: TypeAlias = Callable[[str, str], None]


def accepted(suite: str, name: str) -> None:
    assert problems_of(suite, name, Severity.ERROR) == []


def accepted_with(*codes: str) -> Check:
    def check(suite: str, name: str) -> None:
        accepted(suite, name)
        assert set(codes) <= {p.code for p in problems_of(suite, name, Severity.WARNING)}

    return check


def rejected(*codes: str) -> Check:
    """Expect errors of these kinds and no others."""

    def check(suite: str, name: str) -> None:
        assert {p.code for p in problems_of(suite, name, Severity.ERROR)} == set(codes)

    return check


def one_problem(code: str, start: int, end: int) -> Check:
    def check(suite: str, name: str) -> None:
        found = gdl.validate(source_of(suite, name))
        assert [(p.code, p.span) for p in found] == [(code, (start, end))]

    return check


def one_error_in_fragment(code: str, start: int, end: int) -> Check:
    def check(suite: str, name: str) -> None:
        errors = problems_of(suite, name, Severity.ERROR)
        found = [(p.code, p.span) for p in errors if p.code not in NOT_OF_THE_TEXT]
        assert found == [(code, (start, end))]

    return check


def keyword_as_function(suite: str, name: str) -> None:
    errors = problems_of(suite, name, Severity.ERROR)
    assert {p.code for p in errors} == NOT_OF_THE_TEXT
    warnings = problems_of(suite, name, Severity.WARNING)
    assert ("keyword-as-term", (6, 9)) in [(p.code, p.span) for p in warnings]


# ---------------------------------------------------------------------- reading

PARENTHESES = {"unclosed-parenthesis", "extra-parenthesis", "no-name"}
KIF = ";\n"
"""Before a text that would be taken for infix, such as ``0123(5)``."""


def parenthesis_errors(*starts: int) -> Check:
    def check(suite: str, name: str) -> None:
        text = KIF + source_of(suite, name).text
        found = [p.span for p in gdl.validate(text) if p.code in PARENTHESES]
        shift = len(KIF)
        assert found == [(start + shift, start + 1 + shift) for start in starts]

    return check


def reads_as_empty(suite: str, name: str) -> None:
    ruleset, problems = read_ruleset(source_of(suite, name))
    assert ruleset.rules == ()
    assert problems == ()


def reads_without_problems(suite: str, name: str) -> None:
    ruleset, problems = read_ruleset(source_of(suite, name))
    assert len(ruleset.roles) == 2
    assert problems == ()


def same_variables_inside_functions(suite: str, name: str) -> None:
    (rule,) = ruleset_of(suite, name).rules
    (atom,) = rule.body
    assert isinstance(atom, Atom)
    x, inside = atom.args
    assert isinstance(inside, gdl.Function)
    assert rule.head.args == (x, *inside.args)


# ---------------------------------------------------------------------- queries


def answers(**expected: int) -> Check:
    """Expect so many answers to each query, given with ``_`` for blanks and ``X`` for ``?x``."""

    def check(suite: str, name: str) -> None:
        ruleset = ruleset_of(suite, name)
        for query, count in expected.items():
            words = query.replace("X", "?x").replace("Y", "?y").replace("_", " ")
            assert len(gdl.ask(ruleset, f"({words})")) == count

    return check


def answer(query: str, *expected: str) -> Check:
    def check(suite: str, name: str) -> None:
        assert names(gdl.ask(ruleset_of(suite, name), query)) == sorted(expected)

    return check


# ---------------------------------------------------------------------- play


class Play:
    """A match that can be queried and continued."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.machine: StateMachine = gdl.interpret(ruleset)
        self.state: State = self.machine.initial_state()

    def move(self, *moves: str) -> None:
        self.state = self.machine.next_state(self.state, [gdl.parse_term(move) for move in moves])

    def moves(self, role: int = 0) -> list[str]:
        return names(self.machine.legal_moves(self.state, self.machine.roles[role]))

    @property
    def over(self) -> bool:
        return self.machine.is_terminal(self.state)

    @property
    def goals(self) -> list[int | None]:
        return [self.machine.goal(self.state, role) for role in self.machine.roles]

    def replay(self, path: Path, **goals: int) -> int:
        """Expect every state and legal move of a trace and these goals; return its states."""
        steps = ElementTree.parse(path).getroot().findall("steps/step")
        for step in steps:
            assert names(list(self.state)) == sorted(texts(step, "state/fluent"))
            assert self.over == (step.find("terminal") is not None)
            if not self.over:
                self._step(step)
        found = dict(zip(map(str, self.machine.roles), self.goals, strict=True))
        assert found == goals
        values = by_role(steps[-1], "goal_values/goal_value")
        assert {role: [str(goal)] for role, goal in found.items()} == values
        return len(steps)

    def _step(self, step: ElementTree.Element) -> None:
        expected, made = by_role(step, "legal_moves/move"), by_role(step, "moves/move")
        roles = list(map(str, self.machine.roles))
        for index, role in enumerate(roles):
            assert self.moves(index) == sorted(expected[role])
        self.move(*(made[role][0] for role in roles))


def play_of(suite: str, name: str) -> Play:
    return Play(ruleset_of(suite, name))


def tic_tac_toe(suite: str, name: str) -> None:
    play = play_of(suite, name)
    assert names(play.machine.roles) == ["oplayer", "xplayer"]
    assert [str(role) for role in play.machine.roles] == ["xplayer", "oplayer"]
    assert not play.over
    assert gdl.perft(play.machine, 1) == 9
    assert len(play.moves(0)) == 9
    assert play.moves(1) == ["noop"]
    cells = ["(mark 1 1)", "(mark 1 3)", "(mark 3 1)", "(mark 2 2)", "(mark 2 1)"]
    for number, cell in enumerate(cells):
        play.move(*((cell, "noop") if number % 2 == 0 else ("noop", cell)))
        assert play.over == (number == 4)
    assert play.goals == [100, 0]


def one_way(*, first: str, goal: int = 100) -> Check:
    """Expect one legal move, after which the match is over with this goal."""

    def check(suite: str, name: str) -> None:
        play = play_of(suite, name)
        assert not play.over
        assert play.moves() == [first]
        play.move(first)
        assert play.over
        assert play.goals == [goal]

    return check


def goal_at_all_times(suite: str, name: str) -> None:
    assert play_of(suite, name).goals == [100]
    one_way(first="proceed")(suite, name)


def repeated_variables(suite: str, name: str) -> None:
    one_way(first="(draw 1 1 1 2)")(suite, name)
    play = play_of(suite, name)
    play.move("(draw 1 1 1 2)")
    assert "done" in names(list(play.state))


def cycles_without_a_base(suite: str, name: str) -> None:
    ruleset = ruleset_of(suite, name)
    held = [query for query in ("(r 0)", "(r 1)", "(p left)") if gdl.ask(ruleset, query)]
    assert held == ["(r 0)"]
    one_way(first="proceed")(suite, name)


def swapped_arguments(suite: str, name: str) -> None:
    assert "(sTrue 1 2)" in names(list(play_of(suite, name).state))
    one_way(first="proceed")(suite, name)


def left_recursion(suite: str, name: str) -> None:
    heaps = [f"(reduce a {n})" for n in range(2)] + [f"(reduce c {n})" for n in range(5)]
    assert play_of(suite, name).moves() == heaps


def late_binding(suite: str, name: str) -> None:
    play = play_of(suite, name)
    assert play.moves() == ["(do a b)", "(do b a)"]
    play.move("(do a b)")
    assert play.over
    assert play.goals == [100]


def equality(suite: str, name: str) -> None:
    accepted_with("negated-distinct")(suite, name)
    one_way(first="proceed")(suite, name)
    assert len(play_of(suite, name).machine.roles) == 1


def three_puzzle(suite: str, name: str) -> None:
    play = play_of(suite, name)
    assert not play.over
    assert play.goals == [0]
    play.move("right")
    cells = ["(cell 1 1 3)", "(cell 1 2 b)", "(cell 2 1 2)", "(cell 2 2 1)"]
    assert names(list(play.state)) == [*cells, "(step 2)"]
    play = play_of(suite, name)
    for move in ("down", "right", "up", "left", "down", "right"):
        assert not play.over
        play.move(move)
    assert play.over
    assert play.goals == [100]


def joint_moves(count: int) -> Check:
    def check(suite: str, name: str) -> None:
        assert gdl.perft(play_of(suite, name).machine, 1) == count

    return check


def same_trace(states: int, **goals: int) -> Check:
    """Expect every state, legal move and goal of a match to be as its controller saw them."""

    def check(suite: str, name: str) -> None:
        rulesheet, trace = (CONFORMANCE / suite / part for part in name.split(" + "))
        assert Play(gdl.load(rulesheet)).replay(trace, **goals) == states

    return check


def othello_as_the_controller_read_it(suite: str, name: str) -> None:
    rulesheet = CONFORMANCE / suite / name.split(" + ")[0]
    trace = rulesheet.with_suffix(".trace.xml")
    goals = {"whiterow": 100, "whitecol": 0, "blackrow": 0, "blackcol": 100}
    with pytest.raises(AssertionError, match="cell c5 c4"):
        Play(gdl.load(rulesheet)).replay(trace, **goals)
    text = decode(rulesheet.read_bytes())
    for own, other in (("white", "black"), ("black", "white")):
        denied = f"(not (onaline ?i ?j {own} ?x ?y {other} ?odir))"
        assert text.count(denied) == 1
        text = text.replace(denied, f"(not (onsomeline ?i ?j {own} {other} ?odir))")
    text += "(<= (onsomeline ?i ?j ?own ?other ?d) (onaline ?i ?j ?own ?x ?y ?other ?d))"
    assert Play(gdl.parse(text)).replay(trace, **goals) == 121


def texts(step: ElementTree.Element, path: str) -> list[str]:
    return [element.text or "" for element in step.findall(path)]


def by_role(step: ElementTree.Element, path: str) -> dict[str, list[str]]:
    result: dict[str, list[str]] = {}
    for element in step.findall(path):
        result.setdefault(element.get("role", ""), []).append(element.text or "")
    return result


# ---------------------------------------------------------------------- the rows

GGP_BASE: dict[tuple[str, str], Check] = {
    ("ticTacToe", "state-machine"): tic_tac_toe,
    ("test_case_1a", "state-machine"): goal_at_all_times,
    ("test_case_3c", "state-machine"): one_way(first="win"),
    ("test_case_5a", "state-machine"): one_way(first="proceed"),
    ("test_case_5b", "state-machine"): repeated_variables,
    ("test_case_5c", "state-machine"): cycles_without_a_base,
    ("test_case_5d", "state-machine"): swapped_arguments,
    ("test_case_5e", "state-machine"): left_recursion,
    ("test_distinct_beginning_rule", "state-machine"): late_binding,
    ("test_clean_not_distinct", "state-machine+validator"): equality,
    ("connectFour", "validator"): accepted,
    ("simpleMutex", "validator"): accepted,
    ("ticTacToe", "validator"): accepted,
    ("test_case_1a", "validator"): accepted_with("empty-body"),
    ("test_case_1b", "validator"): accepted,
    ("test_case_2a", "validator"): accepted,
    ("test_case_2b", "validator"): accepted,
    ("test_case_2c", "validator"): accepted,
    ("test_case_3a", "validator"): accepted_with("empty-parentheses"),
    ("test_case_3b", "validator"): rejected("unsafe-variable"),
    ("test_case_3c", "validator"): accepted_with("undefined-relation"),
    ("test_case_3d", "validator"): accepted,
    ("test_case_3e", "validator"): rejected("unsafe-variable"),
    ("test_case_3f", "validator"): rejected("unsafe-variable"),
    ("test_case_4a", "validator"): accepted,
    ("test_case_5a", "validator"): accepted,
    ("test_case_5b", "validator"): accepted,
    ("test_case_5c", "validator"): accepted,
    ("test_invalid_function_arities_differ", "validator"): accepted_with("function-arities"),
    ("test_invalid_sentence_arities_differ", "validator"): accepted_with("relation-arities"),
}

GDL_VALIDATION: dict[tuple[str, str], Check] = {
    ("badparens1", "paren-check"): parenthesis_errors(4),
    ("badparens2", "paren-check"): parenthesis_errors(8, 10),
    ("badparens3", "paren-check"): parenthesis_errors(16),
    ("badparens4", "paren-check"): parenthesis_errors(3),
    ("badparens5", "paren-check"): parenthesis_errors(2),
    ("misplacedDatalogKeyword1", "check"): one_error_in_fragment("misplaced-keyword", 0, 18),
    ("misplacedDatalogKeyword2", "check"): one_error_in_fragment("misplaced-keyword", 5, 8),
    ("misplacedDatalogKeyword3", "check"): keyword_as_function,
    ("varInTopLevelSentence", "validator"): one_problem("variable-in-fact", 10, 15),
    ("emptyDisjunction", "validator"): one_problem("keyword-arity", 31, 36),
    ("baseDependsOnTrue", "validator"): one_problem("depends-on-state", 15, 25),
    ("commentEof", "parser"): reads_as_empty,
    ("ticTacToe", "parser"): reads_without_problems,
}

LIBGDL: dict[tuple[str, str], Check] = {
    ("variable_parsing", "parser"): same_variables_inside_functions,
    ("notunstrat", "validator"): rejected("negation-cycle"),
    ("unstratrec", "validator"): rejected("negation-cycle"),
    ("recurseunstrat", "validator"): rejected("unrestricted-recursion"),
    # recursive, too, with an argument that occurs nowhere else
    ("headsafe", "validator"): rejected("unsafe-variable", "unrestricted-recursion"),
    ("notsafe", "validator"): rejected("unsafe-variable"),
    ("orsafe", "validator"): rejected("unsafe-variable"),
    ("base_depen", "validator"): rejected("depends-on-state"),
    ("input_depen", "validator"): rejected("depends-on-state"),
    ("init_depen", "validator"): rejected("depends-on-state"),
    ("legal_depen", "validator"): rejected("depends-on-moves"),
    ("ndef_role", "validator"): rejected("missing-role"),
    ("ndef_legal", "validator"): rejected("missing-legal"),
    ("ndef_terminal", "validator"): rejected("missing-terminal"),
    ("ndef_goal", "validator"): rejected("missing-goal"),
    ("opt1", "query"): answers(test2_X_Y=2),
    ("recurse", "query"): answers(ancestor_X_Y=10, ancestor_1_1=0),
    ("mgu_check", "query"): answers(input_X_Y=48),
    ("question1", "query"): answer("(engineer ?x)", "(engineer bajaj)"),
    ("question2", "query"): answer("(married cam ?x)", "(married cam carrie)"),
    ("3puzzle", "state-machine"): three_puzzle,
    ("nine_board_tictactoe", "state-machine"): joint_moves(81),
}


DRESDEN: dict[tuple[str, str], Check] = {
    ("maze.lisp + maze.trace.xml", "retrace"): same_trace(10, robot=0),
    ("8puzzle.lisp + 8puzzle.trace.xml", "retrace"): same_trace(61, player=0),
    ("checkers.lisp + checkers.trace.xml", "retrace"): same_trace(102, black=0, white=100),
    ("othello-fourway-teamswitch.lisp + trace", "retrace"): othello_as_the_controller_read_it,
}

CHECKS: dict[Row, Check] = {
    **{("ggp-base", f"{name}.kif", kind): check for (name, kind), check in GGP_BASE.items()},
    **{("gdl-validation", f"{n}.kif", kind): check for (n, kind), check in GDL_VALIDATION.items()},
    **{("libgdl", f"{name}.kif", kind): check for (name, kind), check in LIBGDL.items()},
    **{("dresden", name, kind): check for (name, kind), check in DRESDEN.items()},
}


@cache
def table() -> tuple[Row, ...]:
    path: Path = CONFORMANCE / "expected.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return tuple((r["suite"], r["rulesheet"], r["kind"]) for r in csv.DictReader(file))


def test_every_row_has_its_check() -> None:
    assert len(table()) == 69
    assert sorted(table()) == sorted(CHECKS)
    assert set(table()) > DEVIATIONS.keys()


@pytest.mark.parametrize("row", CHECKS, ids=" ".join)
def test_row(row: Row) -> None:
    suite, name, _ = row
    CHECKS[row](suite, name)


# ---------------------------------------------------------------------- real rulesheets

SHEETS = sorted(
    path for folder in ("rulesheets", "bench") for path in (CORPUS / folder).glob("*.kif")
)
REFUSED = {
    "transit": {"keyword-in-body"},  # three rules for `sees` ask for `next`, which only heads may
}
"""Real rulesheets with errors: they can be played, but break the letter of the language."""


def test_the_collection_is_there() -> None:
    assert len(SHEETS) == 67 + 16


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.stem)
def test_real_rulesheet_has_no_errors(path: Path) -> None:
    problems = gdl.validate(Source(decode(path.read_bytes()), path.name))
    errors = {problem.code for problem in problems if problem.severity is Severity.ERROR}
    assert errors == REFUSED.get(path.stem, set())
