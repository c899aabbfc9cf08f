"""Games that are made of parts, and games that are not."""

from __future__ import annotations

import pytest

import gdl
from gdl.analysis import Decomposition, analyse
from tests.support.analysed_games import SCALES, compiled, structure_of, texts
from tests.support.compiled_games import machine_of
from tests.support.marks import thorough
from tests.support.paths import CORPUS


def decomposition_of(name: str) -> Decomposition:
    decomposition = structure_of(name).decomposition
    assert decomposition is not None
    return decomposition


def test_scales_are_parts() -> None:
    decomposition = analyse(compiled(SCALES)).decomposition
    assert decomposition is not None
    assert len(decomposition.parts) == 3
    assert not decomposition.in_series.value
    for part, name in zip(decomposition.parts, "abc", strict=True):
        assert texts(part.facts) == [f"(at {name} {n})" for n in range(6)]
        (moves,) = part.moves.values()
        assert texts(moves) == [f"(down {name})", f"(up {name})"]
        assert part.rests
        assert not part.ends
    assert [part.is_idle for part in decomposition.parts] == [False, False, True]


def test_a_part_that_matters_for_nothing_is_irrelevant_but_for_its_moves() -> None:
    decomposition = analyse(compiled(SCALES)).decomposition
    assert decomposition is not None
    assert decomposition.irrelevant == frozenset()


def test_heaps_are_parts() -> None:
    parts = decomposition_of("nim").parts
    assert [len(part.facts) for part in parts] == [3, 5, 6]
    assert all(part.ends and part.rests and len(part.goals) == 2 for part in parts)


def test_a_series() -> None:
    decomposition = decomposition_of("countThenLine")
    assert decomposition.in_series.value
    first, second = decomposition.parts
    assert {str(move) for own in first.moves.values() for move in own} == {
        "(add 1)",
        "(add 2)",
        "(add 3)",
    }
    assert not first.ends
    assert second.ends


@pytest.mark.parametrize(
    "name",
    [
        "connectFour",
        "biddingTicTacToe",
        *thorough("hex", "lightsOut"),
    ],
)
def test_a_game_of_one_piece(name: str) -> None:
    decomposition = decomposition_of(name)
    assert decomposition.parts == ()
    assert not decomposition.in_series.value


@pytest.mark.parametrize("name", ["nim", "fourCups", "countThenLine"])
def test_parts_share_nothing(name: str) -> None:
    decomposition = decomposition_of(name)
    assert decomposition.parts
    facts = [fact for part in decomposition.parts for fact in part.facts]
    assert len(facts) == len(set(facts))
    moves = [(r, m) for part in decomposition.parts for r, own in part.moves.items() for m in own]
    assert len(moves) == len(set(moves))


def test_the_parts_of_nim_go_on_without_each_other() -> None:
    """A move in one heap leaves the facts of the others, and their moves, as they are."""
    machine = machine_of("nim")
    left, middle, _ = decomposition_of("nim").parts
    state = machine.initial_state()
    role, other = machine.roles
    move = next(move for move in machine.legal_moves(state, role) if move in left.moves[role])
    after = machine.next_state(state, [move, machine.legal_moves(state, other)[0]])
    assert {fact for fact in after if fact in middle.facts} == {
        fact for fact in state if fact in middle.facts
    }
    assert set(machine.legal_moves(after, other)) & middle.moves[other] == {
        move for move in machine.legal_moves(state, role) if move in middle.moves[role]
    }


def test_irrelevant_facts() -> None:
    assert texts(decomposition_of("nim").irrelevant) == [
        "(pebbles left 0)",
        "(pebbles middle 0)",
        "(pebbles right 0)",
    ]


def test_passes_change_nothing_that_matters() -> None:
    dials = """
    (role mover) (dial a) (dial b) (init (at a 0)) (init (at b 0)) (after 0 1) (after 1 2)
    (<= (legal mover (turn ?d)) (dial ?d))
    (<= (next (at ?d ?q)) (does mover (turn ?d)) (true (at ?d ?p)) (after ?p ?q))
    (<= (next (at ?d ?p)) (true (at ?d ?p)) (not (does mover (turn ?d))))
    (<= terminal (true (at a 2)))
    (goal mover 100)
    """
    decomposition = analyse(compiled(dials)).decomposition
    assert decomposition is not None
    assert {str(role): texts(own) for role, own in decomposition.passes.items()} == {
        "mover": ["(turn b)"]
    }


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "parts", "in_series"),
    [
        ("nim1", 3, False),
        ("asteroidsSerial", 2, True),
        ("ticTacToeSerial", 2, True),
        ("ticTacToe", 0, False),
        ("chickentictactoe", 0, False),
    ],
)
def test_parts_of_known_games(name: str, parts: int, in_series: bool) -> None:
    decomposition = analyse(
        gdl.compile(gdl.load(CORPUS / "rulesheets" / f"{name}.kif"))
    ).decomposition
    assert decomposition is not None
    assert (len(decomposition.parts), decomposition.in_series.value) == (parts, in_series)
