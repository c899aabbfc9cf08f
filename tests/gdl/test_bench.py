"""``gdl bench`` and ``gdl warm-up``: what is measured, and how it is shown."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gdl.__main__ import main
from gdl.benchmark import Plan, measure_propnet, measure_reasoner
from gdl.commands.bench import short
from gdl.propnet.peak import CHAINS, TURNS, peak_ands

ROOT = Path(__file__).parents[2]
GAME = ROOT / "games" / "ticTacToe.kif"
QUICK = Plan(seconds=0.02, repetitions=2)


def run(*arguments: object, text: str | None = None) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)), input=text)


@pytest.fixture(scope="module")
def document() -> Any:
    result = run("bench", GAME, "--seconds", 0.02, "--repetitions", 2, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def test_json_names_the_circumstances(document: Any) -> None:
    assert {"processor", "cores", "load", "python"} <= document.keys()
    plan = {key: document[key] for key in ("machine", "seconds", "repetitions", "threads", "seed")}
    assert plan == {
        "machine": "propnet",
        "seconds": 0.02,
        "repetitions": 2,
        "threads": 1,
        "seed": 0,
    }


def test_figures_of_a_compiled_game(document: Any) -> None:
    (game,) = document["games"]
    network = game["network"]
    assert game["game"] == "ticTacToe"
    speed = game["states_per_processor_second"]
    assert 0 < speed["least"] <= speed["median"] <= speed["most"]
    assert game["mean_length"] == pytest.approx(7.62, abs=0.1)
    assert game["playouts_per_processor_second"] * 7.6 == pytest.approx(speed["median"], rel=0.3)
    assert network["lanes"] == 512
    assert 0 < network["transition_gates"] < 200 > network["view_gates"] > 0
    gates = network["view_gates"] + network["transition_gates"]
    assert network["share"] == pytest.approx(gates * speed["median"] / network["peak"])
    assert 0 < network["share"] < 1
    assert network["ground_seconds"] > 0
    assert game["first_state_seconds"] > 0
    assert network["code_seconds"] > 0
    assert 20e6 < game["peak_memory"] < 2e9


def test_several_threads() -> None:
    report = measure_propnet("game", GAME.read_text(), Plan(0.02, 2, threads=2))
    assert report.states_per_processor_second.least > 0
    assert report.states_per_second.least > 0


def test_the_reasoner_is_measured_the_same_way() -> None:
    report = measure_reasoner("game", GAME.read_text(), QUICK)
    assert report.network is None
    assert report.mean_length == pytest.approx(7.6, abs=1)
    assert 100 < report.states_per_processor_second.median < 10e6


def test_the_table_has_a_line_for_each_game(tmp_path: Path) -> None:
    endless = tmp_path / "endless.kif"
    endless.write_text("(role a) (init x) (legal a go) (<= (next x) (true x))")
    result = run("bench", GAME, endless, "--seconds", 0.01, "--repetitions", 1)
    assert result.exit_code == 0
    header, first, second, footer = result.stdout.splitlines()
    columns = "game states/s least most wall playouts/s length view transition rules ground s"
    assert header.split()[: len(columns.split())] == columns.split()
    assert first.split()[0] == "ticTacToe"
    assert second.split()[0] == "endless"
    assert re.search(r"\d+ cores, load [\d.]+; 1 times 0\.01 s, 1 thread\(s\)$", footer)


def test_a_game_that_cannot_be_compiled_is_named(tmp_path: Path) -> None:
    strange = tmp_path / "strange.kif"
    strange.write_text("(init a)")
    result = run("bench", strange, "--seconds", 0.01)
    assert result.exit_code == 1
    assert "strange: the rules name no role" in result.stdout


def test_threads_are_for_the_propnet() -> None:
    result = run("bench", GAME, "--machine", "reasoner", "--threads", 2)
    assert result.exit_code == 2
    assert "the reasoner runs in one thread" in result.stderr


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        (0.0, "0"),
        (0.125, "0.12"),
        (1.0, "1.00"),
        (9.994, "9.99"),
        (9.996, "10.0"),
        (99.96, "100"),
        (999.4, "999"),
        (999.6, "1.00 k"),
        (12_345, "12.3 k"),
        (211_400_000, "211 M"),
        (3.77e12, "3770 G"),
    ],
)
def test_figures_have_three_digits(figure: float, text: str) -> None:
    assert short(figure) == text


def test_the_peak_is_what_the_clock_says() -> None:
    """One second a run: the widest vectors do the most in it."""
    seconds = iter(range(100))
    assert peak_ands(lambda: float(next(seconds))) == 512.0 * CHAINS * TURNS


def test_warm_up_tells_what_it_made_and_where() -> None:
    result = run("warm-up", GAME)
    assert result.exit_code == 0
    kernels, game, folder = result.stdout.splitlines()
    assert re.fullmatch(r"kernels: \d+\.\d s", kernels)
    assert re.fullmatch(r"ticTacToe: \d+\.\d s", game)
    assert list(Path(folder.removeprefix("in ")).glob("*.o"))
