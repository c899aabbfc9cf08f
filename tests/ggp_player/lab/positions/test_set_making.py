"""Making a set of positions into a file, also in pieces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import gdl
from ggp_player.errors import PositionSetError
from ggp_player.lab.positions.position_maker import Recipe
from ggp_player.lab.positions.set_making import Order, make_set
from ggp_player.lab.positions.solved_positions import PositionSet, load_set, rules_of, save_set

pytestmark = pytest.mark.usefixtures("compiled_once")

RECIPE = Recipe(1, 5, opening=3, play_gates=1, try_gates=1, per_game=1)
ORDER = Order(gdl.load("ticTacToe"), 3, 1, RECIPE, "proof", 10_000)


class Stopped(Exception):  # noqa: N818 it stands for Ctrl-C
    pass


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> PositionSet:
    """The set that is made in one go."""
    path = tmp_path_factory.mktemp("sets") / "whole.positions.xz"
    return make_set(ORDER, path, lambda *_: None)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> PositionSet:
    """A set of two positions."""
    path = tmp_path_factory.mktemp("sets") / "small.positions.xz"
    return make_set(replace(ORDER, count=2), path, lambda *_: None)


def test_a_set_is_made_and_kept(tmp_path: Path) -> None:
    path, told = tmp_path / "set.positions.xz", []
    made = make_set(ORDER, path, lambda games, found: told.append((games, found)))
    assert load_set(path) == made
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert len(made.positions) == 3
    assert told[-1] == (made.about["games"], 3)
    assert {"solver", "seed", "recipe", "version", "date"} <= set(made.about)
    assert rules_of(made, path).game == "ticTacToe"


def test_a_set_that_was_broken_off_goes_on(tmp_path: Path, whole: PositionSet) -> None:
    path = tmp_path / "set.positions.xz"

    def stop(_games: int, found: int) -> None:
        if found == 2:
            raise Stopped

    with pytest.raises(Stopped):
        make_set(ORDER, path, stop)
    assert not path.exists()
    with pytest.raises(PositionSetError, match="a set was begun there with another seed"):
        make_set(replace(ORDER, seed=2), path, lambda *_: None)
    assert make_set(ORDER, path, lambda *_: None) == whole


def test_a_set_is_made_larger(tmp_path: Path, small: PositionSet) -> None:
    path = tmp_path / "set.positions.xz"
    save_set(small, path)
    with pytest.raises(PositionSetError, match="has 2 positions already"):
        make_set(replace(ORDER, count=2), path, lambda *_: None)
    with pytest.raises(PositionSetError, match="was made otherwise; name another file"):
        make_set(replace(ORDER, seed=3), path, lambda *_: None)
    large = make_set(ORDER, path, lambda *_: None)
    assert large.positions[:2] == small.positions
    assert len(large.positions) == 3


def test_a_set_of_an_older_recipe_is_made_larger(tmp_path: Path, small: PositionSet) -> None:
    """Its file does not name what recipes had not then."""
    path = tmp_path / "set.positions.xz"
    recipe = {part: value for part, value in small.about["recipe"].items() if part != "doubt"}
    save_set(replace(small, about={**small.about, "recipe": recipe}), path)
    assert make_set(ORDER, path, lambda *_: None).positions[:2] == small.positions


def test_games_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "set.positions.xz"
    made = make_set(replace(ORDER, count=1000, games=3), path, lambda *_: None)
    assert made.about["games"] <= 3
    assert len(made.positions) < 1000
