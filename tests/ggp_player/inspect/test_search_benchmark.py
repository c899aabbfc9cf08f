"""``gdl bench --search``: the speed of the searches, through the door that any player may use."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from gdl.__main__ import main
from gdl.benchmark.measure import MeasurementPlan
from gdl.cli import bench_search as search_bench
from gdl.errors import RulesetError
from ggp_player.inspect.search_benchmark import measure
from tests.support.paths import GAMES


def test_a_game_in_turns_has_every_figure() -> None:
    arguments = ["bench", "--search", str(GAMES / "nim.kif"), "--seconds", "0.05", "--json"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    document = json.loads(result.output)
    assert document["failures"] == {}
    figures = document["games"]["nim"]
    assert list(figures) == [
        *("length", "playouts/s", "in search"),
        *("share", "nodes/s", "proof nodes/s"),
    ]
    assert min(figures.values()) > 0
    assert figures["share"] == pytest.approx(figures["in search"] / figures["playouts/s"])
    assert 5 < figures["length"] < 9


def test_what_a_search_cannot_play_has_no_figure() -> None:
    text = (GAMES / "tron.kif").read_text(encoding="utf-8")
    figures = measure("tron", text, MeasurementPlan(seconds=0.05))
    assert "proof nodes/s" not in figures
    assert figures["in search"] > 0


def test_a_match_without_a_beginning_is_refused() -> None:
    rules = "(role x) (legal x go) (init a) (<= (next a) (does x go)) (<= terminal (true a))"
    with pytest.raises(RulesetError, match="over before it begins"):
        measure("over", f"{rules} (goal x 0)", MeasurementPlan(seconds=0.05))


def test_without_a_player_there_is_nothing_to_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_bench, "entry_points", lambda group: [])
    result = CliRunner().invoke(main, ["bench", "--search", str(GAMES / "nim.kif")])
    assert result.exit_code == 2
    assert "no search is installed" in result.output
