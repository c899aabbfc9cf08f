"""``ggp-player strategies`` lists what there is, also what other packages declare."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint

import pytest
from click.testing import CliRunner

from ggp_player.__main__ import main
from ggp_player.strategies.selection import STRATEGIES, parameters
from ggp_player.strategies.textbook.legal import Legal


class Bare(Legal):
    name = "bare"


def listed(*options: str) -> str:
    result = CliRunner().invoke(main, ["strategies", *options])
    assert result.exit_code == 0, result.output
    return "\n".join(line.rstrip() for line in result.output.splitlines()) + "\n"


def test_the_table_has_every_strategy_with_its_parameters() -> None:
    lines = [line.split() for line in listed().splitlines() if line.strip()]
    assert {words[0] for words in lines} >= set(STRATEGIES)
    text = listed()
    bounded = next(line for line in lines if line[0] == "bounded_minimax")
    assert " ".join(bounded[1:]).startswith("Minimax between two bounds, goal values from 0 to 100")
    assert "lower=0: whole number from 0 to 100\n" in text
    assert "ordering=true: true or false\n" in text
    assert "playouts=none: whole number from 1 or none\n" in text
    assert "exploration=0.25: number from 0\n" in text
    assert "evaluation=quick: none or mobility or proximity" in text
    assert "symmetries" not in text, "which only programs can give"
    assert text.rstrip().endswith("./file.py:Class or package.module:Class.")


def test_the_list_is_json_for_programs() -> None:
    found = {one["name"]: one for one in json.loads(listed("--json"))}
    assert list(found) == sorted(STRATEGIES)
    assert found["uct"]["parameters"] == [
        {"name": "exploration", "type": "number from 0", "default": 0.7, "is_required": False}
    ]
    assert all(
        one["summary"] and not one["package"] and not one["problem"] for one in found.values()
    )


def test_strategies_of_other_packages_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    group = "ggp_player.strategies"
    module = "tests.support.misbehaving"
    entries = {
        "announcing": EntryPoint("announcing", f"{module}:Announcing", group),
        "bare": EntryPoint("bare", f"{__name__}:Bare", group),
        "broken": EntryPoint("broken", "no_such_package:Broken", group),
        "random": EntryPoint("random", f"{module}:Illegal", group),
    }
    monkeypatch.setattr(parameters, "installed_strategies", lambda: entries)
    text = listed()
    assert "Tells its process id to whoever listens at a port of this machine" in text
    assert f"[{module}]" in text
    assert "port=0: whole number\n" in text
    assert "cannot be used: the module no_such_package cannot be imported" in text
    found = json.loads(listed("--json"))
    assert found[-2]["summary"] == "", "not that of its base class"
    assert [one["name"] for one in found][len(STRATEGIES) :] == ["announcing", "bare", "broken"]
    assert "No module named 'no_such_package'" in found[-1]["problem"]
