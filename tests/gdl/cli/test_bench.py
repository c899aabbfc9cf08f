"""``gdl bench`` and ``gdl warm-up``: what is measured, and how it is shown."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from gdl.__main__ import main
from gdl.benchmark import baselines
from gdl.benchmark import measure as benchmark
from gdl.benchmark.baselines import Baseline, fastest_baselines, known_baselines
from gdl.benchmark.measure import (
    MeasurementPlan,
    Quantiles,
    SpeedReport,
    measure_propnet,
    measure_reasoner,
)
from gdl.benchmark.plot import write_plot
from gdl.benchmark.roofline import CHAINS, TURNS, roofline_ands
from gdl.benchmark.tables import SpeedEntry, short
from gdl.cli import bench
from tests.support.paths import ROOT

GAME = ROOT / "games" / "ticTacToe.kif"
QUICK = MeasurementPlan(seconds=0.02, repetitions=2)


def run(*arguments: object, text: str | None = None) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)), input=text)


@pytest.fixture(scope="module")
def document() -> Any:
    result = run("bench", GAME, "--seconds", 0.02, "--repetitions", 2, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


@pytest.mark.thorough
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
    circuit = game["circuit"]
    assert game["game"] == "ticTacToe"
    speed = game["states_per_cpu_second"]
    assert 0 < speed["least"] <= speed["median"] <= speed["most"]
    assert game["mean_length"] == pytest.approx(7.62, abs=0.3)
    assert game["playouts_per_cpu_second"] * 7.6 == pytest.approx(speed["median"], rel=0.3)
    assert circuit["lanes"] == 512
    assert 0 < circuit["transition_gates"] < 200 > circuit["view_gates"] > 0
    gates = circuit["view_gates"] + circuit["transition_gates"]
    assert circuit["share"] == pytest.approx(gates * speed["median"] / circuit["roofline"])
    assert (circuit["goal_views"], circuit["goal_gates"]) == (1, 0)
    assert 0 < circuit["share"] < 1
    assert circuit["ground_seconds"] > 0
    assert game["first_state_seconds"] > 0
    assert circuit["code_seconds"] > 0
    assert 20e6 < game["peak_memory"] < 2e9


def test_of_very_many_gates_no_native_code_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "MAX_CODE_GATES", 50)
    report = measure_propnet("game", GAME.read_text(), QUICK)
    assert report.circuit is not None
    assert report.circuit.code_seconds is None
    assert report.states_per_cpu_second.least > 0


@pytest.mark.thorough
def test_deferred_goals_count_as_often_as_they_are_evaluated() -> None:
    report = measure_propnet("reversi", (ROOT / "games" / "reversi.kif").read_text(), QUICK)
    circuit = report.circuit
    assert circuit is not None
    assert 0 < circuit.goal_views < 0.1
    assert circuit.goal_gates > 5000
    whole = circuit.view_gates + circuit.transition_gates
    share = whole * report.states_per_cpu_second.median / circuit.roofline
    assert circuit.share < 0.5 * share


def test_several_threads() -> None:
    report = measure_propnet("game", GAME.read_text(), MeasurementPlan(0.02, 2, threads=2))
    assert report.states_per_cpu_second.least > 0
    assert report.states_per_second.least > 0
    assert report.mean_length == pytest.approx(7.62, abs=0.3)


def test_the_reasoner_is_measured_the_same_way() -> None:
    report = measure_reasoner("game", GAME.read_text(), QUICK)
    assert report.circuit is None
    assert report.mean_length == pytest.approx(7.6, abs=1)
    assert 100 < report.states_per_cpu_second.median < 10e6


@pytest.mark.thorough
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


@pytest.mark.thorough
def test_a_folder_stands_for_its_rulesheets(tmp_path: Path) -> None:
    for name in ("two", "one"):
        (tmp_path / f"{name}.kif").write_text("(role a) (init x) (legal a go)")
    (tmp_path / "notes.txt").write_text("none")
    result = run("bench", tmp_path, "--seconds", 0.01, "--repetitions", 1, "--json")
    assert [game["game"] for game in json.loads(result.stdout)["games"]] == ["one", "two"]


def test_a_folder_without_rulesheets_is_refused(tmp_path: Path) -> None:
    result = run("bench", tmp_path)
    assert result.exit_code == 2
    assert "expected a folder with files *.kif, found none" in result.stderr


def test_threads_are_for_the_propnet() -> None:
    result = run("bench", GAME, "--machine", "reasoner", "--threads", 2)
    assert result.exit_code == 2
    assert "the reasoner runs in one thread" in result.stderr


# ---------------------------------------------------------------------- beside other engines

HEADER = "game,engine,states_per_cpu_s,failure"
TABLE = f"{HEADER}\nticTacToe,slow,10,\nticTacToe,fast,1e4,\nother,fast,,crash\nticTacToe,lost,,"


def test_the_fastest_other_engine_of_each_game() -> None:
    assert fastest_baselines(TABLE.splitlines(), "others.csv") == {
        "ticTacToe": Baseline("fast", 1e4)
    }


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", "others.csv:1: expected the columns game, engine, states_per_cpu_s; no game"),
        ("game,engine\n", "no states_per_cpu_s"),
        (f"{HEADER}\na,b,1\na,b,quick", "others.csv:3: expected states per second above 0, found"),
        (f"{HEADER}\na,b,-1", "others.csv:2: expected states per second above 0, found '-1'"),
        (f"{HEADER}\na,b,nan", "found 'nan'"),
    ],
)
def test_tables_of_other_engines_that_make_no_sense(table: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fastest_baselines(table.splitlines(), "others.csv")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "others.csv"
    path.write_text(TABLE)
    return path


def test_the_table_in_markdown_and_a_picture(table: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "speed.svg"
    options = ["--seconds", 0.01, "--repetitions", 1, "--baselines-file", table, "--markdown"]
    result = run("bench", GAME, *options, "--plot", picture)
    assert "ticTacToe" in picture.read_text()
    written, ratios, caption = result.stdout.split("\n\n")
    rows = [line.strip("| ").split(" | ") for line in written.splitlines()]
    assert rows[0][:5] == ["game", "states/s", "ratio", "fastest other engine", "its states/s"]
    assert set(rows[1]) == {"---", "---:"}
    assert [row[0] for row in rows[2:]] == ["ticTacToe"]
    assert rows[2][3:5] == ["fast", "10.0 k"]
    assert {len(line.split("|")) for line in written.splitlines()} == {len(rows[0]) + 2}
    ratio = re.escape(rows[2][2])
    assert re.fullmatch(
        rf"ratio .* mean {ratio}, median {ratio}, least {ratio} \(ticTacToe\), over 1 game.*",
        ratios,
    )
    assert re.search(r"1 times 0\.01 s, 1 thread\(s\)$", caption.strip())


def test_a_table_of_other_engines_that_cannot_be_read(tmp_path: Path) -> None:
    result = run("bench", GAME, "--baselines-file", GAME)
    assert result.exit_code == 2
    assert "expected the columns game, engine, states_per_cpu_s" in result.stderr


def test_ratios_are_to_the_fastest_other_engine_also_by_the_old_name(table: Path) -> None:
    result = run("bench", GAME, "--seconds", 0.01, "--peers", table, "--json")
    assert result.stderr == "--peers is now called --baselines-file\n"
    (game,) = json.loads(result.stdout)["games"]
    assert game["baseline"] == {"engine": "fast", "states_per_second": 1e4}
    speed = game["states_per_cpu_second"]["median"]
    assert game["ratio"] == pytest.approx(speed / 1e4)


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a clone of a made-up collection, in which the game "known" is published twice."""
    rules = "(role a) (init x) (legal a go)"
    games = {hashlib.sha256(rules.encode()).hexdigest(): "known"}
    monkeypatch.setattr(baselines, "_game_of_digest", lambda: games)
    others = {"known": Baseline("other", 1e3), "ticTacToe": Baseline("other", 1e4)}
    monkeypatch.setattr(bench, "known_baselines", lambda: others)
    for name in ("one/a.kif", "two/b.gdl", "two/c.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(rules)
    (tmp_path / "two" / "known.kif").write_text(f"{rules} (init y)")
    return tmp_path


def test_published_games_are_recognised_by_their_text_not_by_their_name(published: Path) -> None:
    options = ["--baselines", "--seconds", 0.01, "--repetitions", 1, "--json"]
    result = run("bench", GAME, published, *options)
    assert (result.exit_code, result.stderr) == (0, "")
    assert [(game["game"], game["baseline"]) for game in json.loads(result.stdout)["games"]] == [
        ("ticTacToe", None),
        ("known", {"engine": "other", "states_per_second": 1e3}),
    ]


def test_a_folder_without_a_published_game_is_refused() -> None:
    result = run("bench", GAME.parent, "--baselines")
    assert result.exit_code == 2
    assert "expected a folder with a known rulesheet in it, found none" in result.stderr


def test_the_figures_of_other_engines_are_those_of_published_games() -> None:
    known = baselines._game_of_digest()
    assert len(known) > 80
    assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in known)
    # Its rulesheet was found in no public collection in the version that was measured.
    assert known_baselines().keys() - set(known.values()) == {"atariGo_7x7"}
    assert known_baselines()["ticTacToe"].engine == "ggplib C++ propnet"


# ---------------------------------------------------------------------- pictures


def report(game: str, speed: float) -> SpeedReport:
    spread = Quantiles(speed, speed, speed)
    return SpeedReport(game, spread, spread, 1.0, 1.0, 5.0, 0.1, 10**8)


def test_a_picture_of_the_speeds(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    entries = [
        SpeedEntry(report("quick", 2e8), Baseline("other", 3e6)),
        SpeedEntry(report("slow", 500.0)),
    ]
    files = [tmp_path / name for name in ("first.svg", "again.svg", "third.png")]
    for file in files:
        write_plot(entries, file, "a processor")
    first, again, third = (file.read_bytes() for file in files)
    texts = {element.text for element in ElementTree.fromstring(first).iter() if element.text}
    assert {"quick", "slow", "fastest other engine", "100 M", "a processor"} <= {
        t.strip() for t in texts
    }
    assert again == first
    assert third.startswith(b"\x89PNG")


def test_pictures_have_known_kinds(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = run("bench", GAME, "--plot", tmp_path / "speed.kif")
    assert result.exit_code == 2
    assert re.search(r"expected a name that ends in one of .*\.png.*\.svg", result.stderr)


def test_without_matplotlib_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("matplotlib", "matplotlib.backend_bases"):
        monkeypatch.setitem(sys.modules, name, None)
    result = run("bench", GAME, "--plot", tmp_path / "speed.svg")
    assert result.exit_code == 2
    assert "plots need matplotlib: pip install 'ggp-player[plot]'" in result.stderr


# ---------------------------------------------------------------------- figures


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


def test_the_roofline_is_what_the_clock_says() -> None:
    """One second a run: the widest vectors do the most in it."""
    seconds = iter(range(100))
    assert roofline_ands(lambda: float(next(seconds))) == 512.0 * CHAINS * TURNS


def test_warm_up_tells_what_it_made_and_where() -> None:
    result = run("warm-up", GAME)
    assert result.exit_code == 0
    kernels, game, folder = result.stdout.splitlines()
    assert re.fullmatch(r"kernels: \d+\.\d s", kernels)
    assert re.fullmatch(r"ticTacToe: \d+\.\d s", game)
    assert list(Path(folder.removeprefix("in ")).glob("*.o"))


@pytest.mark.thorough
def test_environments_are_measured_beside_bare_playouts() -> None:
    quick = ["--env", "--envs", "512", "--seconds", "0.02", "--repetitions", "3"]
    games = [str(ROOT / "games" / f"{name}.kif") for name in ("connectFour", "tron")]
    result = CliRunner().invoke(main, ["bench", *games, *quick, "--json"])
    assert result.exit_code == 0, result.output
    one, other = json.loads(result.stdout)["games"]
    assert (one["game"], one["seats"], one["envs"]) == ("connectFour", "<turn>", 512)
    assert (other["game"], other["seats"]) == ("tron", "<all>")
    assert one["bytes_per_step"] == 5 * 6 * 7 + 8
    speeds = one["steps_per_cpu_second"]
    assert 0 < speeds["least"] <= speeds["median"] <= speeds["most"]
    assert speeds["most"] < one["states_per_cpu_second"]
    for form in ((), ("--markdown",)):
        result = CliRunner().invoke(main, ["bench", games[0], *quick, *form])
        assert result.exit_code == 0, result.output
        assert "5 x 6 x 7" in result.stdout


def test_environments_need_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gdl.envs.find_spec", lambda name: None)
    result = CliRunner().invoke(main, ["bench", str(GAME), "--env"])
    assert result.exit_code == 2
    assert "pip install 'ggp-player[rl]'" in result.output


@pytest.mark.thorough
def test_a_device_is_measured_beside_a_core() -> None:
    quick = ["--device", "host", "--lanes", "640", "--seconds", "0.02", "--repetitions", "3"]
    result = CliRunner().invoke(main, ["bench", str(GAME), *quick, "--json"])
    assert result.exit_code == 0, result.output
    (game,) = json.loads(result.stdout)["games"]
    assert (game["game"], game["lanes"], game["registers"]) == ("ticTacToe", 640, True)
    speeds = game["states_per_second"]
    assert 0 < speeds["least"] <= speeds["median"] <= speeds["most"]
    assert game["host_states_per_cpu_second"] > 0
    result = CliRunner().invoke(main, ["bench", str(GAME), *quick])
    assert "registers" in result.stdout
    envs = ["--env", "--envs", "640", "--device", "host", "--seconds", "0.02", "--repetitions", "1"]
    result = CliRunner().invoke(main, ["bench", str(GAME), *envs])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--device", "gpu"], "expected cuda, cuda:0 and so on, or host, found 'gpu'"),
        (
            ["--device", "host", "--lanes", "100"],
            "expected a multiple of 64 on a device, found 100",
        ),
        (["--device", "host", "--env", "--envs", "99"], "expected a multiple of 64 on a device"),
    ],
)
def test_devices_and_lanes_that_there_cannot_be_are_refused(options, message: str) -> None:
    result = CliRunner().invoke(main, ["bench", str(GAME), *options])
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


@pytest.mark.parametrize("measured", [[], ["--env"], ["--json"]])
def test_a_device_that_is_not_there_is_refused_before_anything_is_printed(
    measured: list[str],
) -> None:
    result = run("bench", GAME, "--device", "cuda:99", *measured)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: there is no ")  # driver, or no such GPU


@pytest.mark.parametrize("measured", [["--device", "host", "--lanes", "640"], ["--env"]])
@pytest.mark.parametrize(
    "option",
    [
        ("--machine", "propnet"),
        ("--threads", 1),
        ("--baselines",),
        ("--baselines-file", GAME),
        ("--plot", "speed.svg"),
    ],
)
def test_what_a_measurement_does_not_use_is_refused(measured: list[str], option: tuple) -> None:
    result = run("bench", GAME, *measured, *option)
    assert result.exit_code == 2
    message = f"{option[0]} is for playouts on this processor: leave it out, or {measured[0]}"
    assert message in " ".join(result.output.replace("│", " ").split())
