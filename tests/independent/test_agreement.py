"""The rulesheets and the same games in plain Python agree, move for move."""

from __future__ import annotations

import random
import tomllib
from typing import Any

import pytest

import gdl
from tests.independent import GAMES
from tests.independent.game import perft
from tests.support.paths import ROOT

PERFT: dict[str, dict[str, Any]] = tomllib.loads(
    (ROOT / "tests" / "perft" / "perft.toml").read_text(encoding="utf-8")
)
QUICK_COUNT = 10_000
"""The largest count that is made in the ordinary run."""

COUNTS = [
    pytest.param(
        name,
        depth,
        PERFT[name]["counts"][depth - 1],
        id=f"{name}-{depth}",
        marks=[pytest.mark.slow] if PERFT[name]["counts"][depth - 1] > QUICK_COUNT else [],
    )
    for name in GAMES
    for depth in range(1, PERFT[name]["confirmed"] + 1)
]


def texts(terms: tuple[gdl.Term, ...]) -> set[str]:
    return set(map(str, terms))


@pytest.mark.parametrize(("name", "depth", "count"), COUNTS)
def test_perft(name: str, depth: int, count: int) -> None:
    assert perft(GAMES[name], depth) == count


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", range(2))
def test_a_whole_match_side_by_side(name: str, seed: int) -> None:
    machine = gdl.interpret(gdl.load(ROOT / "games" / f"{name}.kif"))
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
