"""What people may know of hidden information: all that they can work out, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

import gdl
from gdl import Constant, State
from gdl.analysis.move_names import MoveNames
from gdl.drawing import move_names_of
from gdl.state_machine import RuledMachine
from ggp_player.errors import PlayError
from ggp_player.play import knowledge
from ggp_player.play.knowledge import Sight
from ggp_player.play.match_line import JointMove, MatchLine
from ggp_player.play.table import Table, told_of
from ggp_player.play.table_view import view_of
from tests.ggp_player.play.conftest import Begin, asked, move, rules_of, until

HIDING = ("phantomTicTacToe", "codeBreaker", "fourCups", "pig", "diceRace")


def random_line(machine: RuledMachine, seed: int, steps: int) -> MatchLine:
    random = Random(seed)
    line = MatchLine.begin(machine)
    while line.number < steps and not line.is_over:
        line = line.after([random.choice(moves) for moves in line.last.legal_moves])
    return line


def observed(machine: RuledMachine, line: MatchLine, role: Constant) -> list[object]:
    """All that a role is told in a match, and does."""
    place = machine.roles.index(role)
    found: list[object] = []
    for before, step in zip(line.steps, line.steps[1:], strict=False):
        percepts = machine.percepts(before.state, step.joint_move, role)
        legal = set(step.legal_moves[place]) if step.legal_moves else None
        found.append((step.joint_move[place], set(percepts), legal))
    return found


def all_lines(machine: RuledMachine, steps: int) -> Iterator[MatchLine]:
    """All matches of so many steps."""

    def extended(line: MatchLine) -> Iterator[MatchLine]:
        if line.number == steps:
            yield line
        elif not line.is_over:
            for joint_move in product(*line.last.legal_moves):
                yield from extended(line.after(joint_move))

    return extended(MatchLine.begin(machine))


def last_state(line: MatchLine) -> State:
    return line.last.state


@pytest.mark.parametrize("game", HIDING)
def test_what_is_certain_is_true(game: str) -> None:
    rules = rules_of(game)
    machine = gdl.interpret(rules)
    for seed, role in product(range(3), machine.roles):
        line = random_line(machine, seed, 30)
        for step, known in zip(line.steps, Sight(rules, machine).follow(line, [role]), strict=True):
            assert known.possible is not None
            assert step.state in known.possible
            assert known.facts is not None
            assert known.facts <= set(step.state)
            assert all(move in {made, None} for move, made in zip(known.moves, step.joint_move))  # noqa: B905 the start has no moves


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "steps"), [("phantomTicTacToe", 3), ("codeBreaker", 2), ("fourCups", 3)]
)
def test_the_possible_states_are_those_of_all_matches_that_look_the_same(
    game: str, steps: int
) -> None:
    rules = rules_of(game)
    machine = gdl.interpret(rules)
    lines = list(all_lines(machine, steps))
    for seed, role in product(range(3), machine.roles):
        line = random_line(machine, seed, steps)
        assert line.number == steps
        seen = observed(machine, line, role)
        expected = {last_state(one) for one in lines if observed(machine, one, role) == seen}
        possible = Sight(rules, machine).follow(line, [role])[-1].possible
        assert possible is not None
        assert set(possible) == expected


def test_matches_that_look_the_same_are_shown_as_the_same() -> None:
    """Cross takes b2; wherever nought marks a square, cross is shown the same."""
    shown = {json.dumps(what_is_shown(other)) for other in ("a1", "b1", "c3")}
    assert len(shown) == 1
    assert "a1" not in shown.pop()


def what_is_shown(other: str) -> object:
    rules = rules_of("phantomTicTacToe")
    machine = gdl.interpret(rules)
    table = Table(rules, machine, machine.roles[:1])
    for texts in (("(try b2)", "noop"), ("noop", f"(try {other})")):
        table.line = table.line.after([gdl.parse_term(text) for text in texts])
    facts = table.facts(2)
    assert facts is not None
    return {**view_of(table), "facts": sorted(map(str, facts)), "told": told_of(table)}


def test_all_is_shown_at_the_end() -> None:
    rules = rules_of("phantomTicTacToe")
    machine = gdl.interpret(rules)
    table = Table(rules, machine, machine.roles[:1])
    table.line = random_line(machine, 3, 50)
    assert table.line.is_over
    assert table.facts(table.line.number) == frozenset(table.line.last.state)
    assert table.moves(2) == table.line.steps[2].joint_move
    assert told_of(table) == ("What was hidden is shown now.",)


@pytest.mark.parametrize("game", ["pig", "diceRace"])
def test_nothing_is_said_to_have_been_hidden_where_percepts_told_all(game: str) -> None:
    rules = rules_of(game)
    machine = gdl.interpret(rules)
    table = Table(rules, machine, machine.roles[:1])
    table.line = random_line(machine, 3, 150)
    assert table.line.is_over
    assert told_of(table) == ()


@pytest.mark.parametrize(
    ("game", "steps", "seen", "told"),
    [
        ("pig", ["roll noop noop", "noop noop (die 3)"], "random: die 3", "first sees random: "),
        ("kuhnPoker", ["noop noop (deal queen king)"], "your card queen", "sees your card queen."),
        ("kuhnPoker", ["noop noop (deal jack king)", "bet noop noop"], "first: bet", ""),
        ("phantomTicTacToe", ["(try b2) noop"], "turn of nought, placed", "and placed."),
    ],
)
def test_percepts_are_said_as_moves_are_or_in_plain_words(
    game: str, steps: list[str], seen: str, told: str
) -> None:
    rules = rules_of(game)
    machine = gdl.interpret(rules)
    table, names = Table(rules, machine, machine.roles[:1]), move_names_of(rules)
    for joint_move in steps:
        moves = gdl.parse_term(f"(moves {joint_move})")
        table.line = table.line.after(moves.args)  # type: ignore[union-attr]
    shown = view_of(table, names=names)["moves"]
    assert shown[-1]["seen"] == seen  # type: ignore[index]
    assert told in " ".join(told_of(table, names))


def test_only_what_the_rules_always_repeat_is_said_as_a_move() -> None:
    """A percept that tells of a move by other rules, too, is no sign that it was made."""
    true = "(<= (sees ann (did ?role ?move)) (does ?role ?move))"
    lie = "(<= (sees ann (did ?role (hit 1))) (role ?role) (not (does ?role (hit 1))))"
    percept = gdl.parse_term("(did bob (hit 1))")
    said: list[str] = []
    for sees in (true, true + lie):
        rules = gdl.parse(f"(role ann) (role bob) {sees}")
        said += Sight(rules, gdl.interpret(rules)).in_words([percept], MoveNames())
    assert said == ["bob: hit 1", "did bob hit 1"]


def test_people_at_one_screen_know_together_what_each_knows() -> None:
    rules = rules_of("phantomTicTacToe")
    machine = gdl.interpret(rules)
    line = random_line(machine, 1, 6)
    assert all(known.is_complete for known in Sight(rules, machine).follow(line, machine.roles))


def test_without_percepts_nothing_is_hidden() -> None:
    rules = rules_of("ticTacToe")
    table = Table(rules, gdl.interpret(rules), gdl.interpret(rules).roles[:1])
    assert not table.is_veiled
    assert table.knows_all


@pytest.mark.parametrize("bound", ["MAX_POSSIBLE_STATES", "MAX_SUCCESSORS"])
def test_too_many_states_leave_moves_and_percepts(
    monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    monkeypatch.setattr(knowledge, bound, 5)
    rules = rules_of("phantomTicTacToe")
    machine = gdl.interpret(rules)
    line = random_line(machine, 1, 4)
    known = Sight(rules, machine).follow(line, machine.roles[:1])
    assert known[1].is_complete
    assert [one.possible for one in known[2:]] == [None, None, None]
    assert [one.facts for one in known[2:]] == [None, None, None]
    assert known[2].moves == (line.steps[2].joint_move[0], None)
    assert known[2].percepts != ((),)


def test_a_line_that_goes_on_or_back_is_followed_as_a_new_one_is() -> None:
    rules = rules_of("phantomTicTacToe")
    machine = gdl.interpret(rules)
    sight, role = Sight(rules, machine), machine.roles[:1]
    one, other = (random_line(machine, seed, 6) for seed in (1, 2))
    branch: JointMove = one.back_to(2).last.legal_moves[0][:1] + one.back_to(2).last.legal_moves[1]
    lines = [one, one.back_to(2), one.back_to(2).after(branch[:2]), other, one]
    for line in lines:
        assert sight.follow(line, role) == Sight(rules, machine).follow(line, role)
    assert sight.follow(one, machine.roles) != sight.follow(one, role)


async def test_a_session_gives_no_advice_that_tells_what_is_hidden(begin: Begin) -> None:
    async with begin("phantomTicTacToe", "cross", opponents=("legal",)) as session:
        await asked(session)
        assert {"hint", "flip"} <= session.actions
        await move(session, "(try b2)")
        await until(session, lambda: session.choosing)
        assert session.line.number >= 2
        assert not {"hint", "think", "flip", "record"} & session.actions
        with pytest.raises(PlayError, match="more of this position"):
            await session.hint(session.line.number)
        with pytest.raises(PlayError, match="more of this position"):
            await session.think(True)
        with pytest.raises(PlayError, match="seats"):
            await session.flip(session.line.number)
        await session.resign(session.line.number)
        assert "record" in session.actions


async def test_advice_is_there_where_percepts_tell_all(begin: Begin) -> None:
    async with begin("pig", opponents=("legal",), play_clock=1) as session:
        await asked(session)
        await move(session)
        await until(
            session, lambda: session.choosing and len(session.legal_moves(session.choosing[0])) > 1
        )
        assert session.line.number > 1
        assert {"hint", "think"} <= session.actions
        assert (await session.hint(session.line.number)).move
