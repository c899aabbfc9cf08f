"""The speed of the searches: figures for what can be played, and only for that."""

from __future__ import annotations

import pytest

from gdl.benchmark.measure import MeasurementPlan
from gdl.errors import RulesetError
from ggp_player.inspect.search_benchmark import measure_searches
from tests.support.paths import GAMES


def test_what_a_search_cannot_play_has_no_figure() -> None:
    text = (GAMES / "tron.kif").read_text(encoding="utf-8")
    figures = measure_searches("tron", text, MeasurementPlan(seconds=0.05))
    assert "proof nodes/s" not in figures
    assert figures["in search"] > 0


def test_a_match_without_a_beginning_is_refused() -> None:
    rules = "(role x) (legal x go) (init a) (<= (next a) (does x go)) (<= terminal (true a))"
    with pytest.raises(RulesetError, match="over before it begins"):
        measure_searches("over", f"{rules} (goal x 0)", MeasurementPlan(seconds=0.05))
