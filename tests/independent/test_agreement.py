"""The rulesheets and the same games in plain Python agree, move for move."""

from __future__ import annotations

import random
import tomllib
from typing import Any

import pytest

import gdl
from tests.independent import GAMES
from tests.independent.game import perft
from tests.support.compiled_games import EVERY_GAME, SAMPLE, reasoner_of
from tests.support.marks import thorough
from tests.support.paths import ROOT

PERFT: dict[str, dict[str, Any]] = tomllib.loads(
    (ROOT / "tests" / "perft" / "perft.toml").read_text(encoding="utf-8")
)
QUICK_COUNT = 10_000
"""The largest count that is made in the ordinary run."""

FEW_PATHS = 500
"""Counts up to here are made of all our games in the ordinary run."""

COUNTS = [
    pytest.param(name, depth, count, id=f"{name}-{depth}", marks=marks)
    for name in GAMES
    for depth, count in enumerate(PERFT[name]["counts"][: PERFT[name]["confirmed"]], 1)
    for marks in [
        [pytest.mark.slow]
        if count > QUICK_COUNT
        else [pytest.mark.thorough]
        if count > FEW_PATHS and name not in SAMPLE
        else []
    ]
]


def texts(terms: tuple[gdl.Term, ...]) -> set[str]:
    return set(map(str, terms))


@pytest.mark.parametrize(("name", "depth", "count"), COUNTS)
def test_perft(name: str, depth: int, count: int) -> None:
    assert perft(GAMES[name], depth) == count


@pytest.mark.parametrize("name", EVERY_GAME)
@pytest.mark.parametrize("seed", [0, *thorough(1)])
def test_a_whole_match_side_by_side(name: str, seed: int) -> None:
    machine = reasoner_of(name)
    game, chance = GAMES[name], random.Random(seed)
    assert tuple(map(str, machine.roles)) == game.roles
    state, twin = machine.initial_state(), game.start()
    while (result := game.result(twin)) is None:
        assert not machine.is_terminal(state)
        options = [machine.legal_moves(state, role) for role in machine.roles]
        assert list(map(texts, options)) == list(map(set, game.moves(twin)))
        joint = [chance.choice(moves) for moves in options]
        names = tuple(map(str, joint))
        seen = [texts(machine.percepts(state, joint, role)) for role in machine.roles]
        assert seen == list(map(set, game.percepts(twin, names)))
        state, twin = machine.next_state(state, joint), game.after(twin, names)
    assert machine.is_terminal(state)
    assert tuple(machine.goal(state, role) for role in machine.roles) == result
