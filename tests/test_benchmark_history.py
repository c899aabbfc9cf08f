"""The history of speed and strength: lines are added as benchmarks report, and the page has all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pydantic import ValidationError

from ggp_player.manager.tournament.standings import Interval

measurements = pytest.importorskip("benchmarks.history.measurements", reason="not in the sdist")
page = pytest.importorskip("benchmarks.history.page")
command = pytest.importorskip("benchmarks.history.__main__")

PLAYOUTS = {
    "machine": "propnet",
    "games": [
        {"game": "nim", "states_per_cpu_second": {"median": 2e8, "least": 1e8, "most": 3e8}},
    ],
}
SEARCHES = {"games": {"nim": {"nodes/s": 5e5, "share": 0.2}}}


def measurement(date: str, measured: str, **figures: Interval) -> Any:
    machine = measurements.Machine("a processor", 2, 0.5)
    return measurements.Measurement(
        date, "0.1.0", "1234567", machine, "gdl bench games", measured, figures, "a note"
    )


def test_what_is_kept_reads_and_is_on_the_page() -> None:
    history = measurements.read_history()
    dates = [one.date for one in history]
    assert dates == sorted(dates)
    kept = measurements.HISTORY.with_suffix(".md").read_text()
    assert kept == page.history_page(history, "history.svg"), "python -m benchmarks.history page"


def test_lines_come_back_as_they_were(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    lines = [measurement(date, "speed", nim=Interval(2, 1, 3)) for date in ("1", "2")]
    for line in lines:
        measurements.append(line, file)
    assert measurements.read_history(file) == lines
    file.write_text('{"date": "2026-01-01"}\n')
    with pytest.raises(ValidationError):
        measurements.read_history(file)


def test_figures_are_those_of_the_benchmarks() -> None:
    measured, figures = measurements.figures_of(PLAYOUTS)
    assert measured == "Random playouts, states per second of CPU time"
    assert figures == {"nim": Interval(2e8, 1e8, 3e8)}
    slower, _ = measurements.figures_of({**PLAYOUTS, "machine": "reasoner"})
    assert slower != measured
    assert measurements.figures_of(SEARCHES)[1] == {"nim": Interval(5e5, 5e5, 5e5)}
    with pytest.raises(ValueError, match="name others by --figure"):
        measurements.figures_of({"games": [{"game": "nim", "steps_per_second": 1}]})


@pytest.mark.parametrize("words", [("gdl", "check"), ("ls",), ("gdl",)])
def test_other_commands_are_not_run(words: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="expected gdl bench or ggp-player bench"):
        measurements.measure(words)


def test_figures_by_hand_run_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    added: list[Any] = []
    monkeypatch.setattr(command, "append", added.append)
    words = ["--of", "Elo above mcts", "--figure", "better", "20", "-5", "45"]
    duel = ["ggp-player", "lab", "duel", "better", "mcts", "--pairs", "20"]
    result = CliRunner().invoke(command.main, ["add", *words, *duel])
    assert result.exit_code == 0, result.output
    assert added[0].command == " ".join(duel)
    assert added[0].figures == {"better": Interval(20, -5, 45)}
    assert CliRunner().invoke(command.main, ["add", *words[2:], *duel]).exit_code == 2


@pytest.mark.thorough
def test_a_benchmark_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    added: list[Any] = []
    monkeypatch.setattr(command, "append", added.append)
    bench = ["gdl", "bench", "games/ticTacToe.kif", "--seconds", "0.01", "--repetitions", "1"]
    result = CliRunner().invoke(command.main, ["add", "--note", "short", *bench])
    assert result.exit_code == 0, result.output
    [one] = added
    assert list(one.figures) == ["ticTacToe"]
    assert (one.note, one.command) == ("short", " ".join(bench))


def test_the_page_has_a_table_for_each_kind() -> None:
    history = [
        measurement("2026-01-01", "speed", nim=Interval(2e6, 1e6, 3e6)),
        measurement("2026-01-02", "Elo above uct", mcts=Interval(20, -5, 45)),
        measurement("2026-01-03", "speed", nim=Interval(4e6, 4e6, 4e6), hex=Interval(5, 5, 5)),
    ]
    text = page.history_page(history, "plot.svg")
    assert "| nim | 2.00 M | 4.00 M |\n| hex |  | 5.00 |" in text
    assert "## Elo above uct\n\n|  | 2026-01-02, 1234567 |" in text
    assert "| mcts | +20 |" in text
    assert "`gdl bench games`; 0.1.0, a processor, 2 cores, load 0.5. a note" in text


def test_the_plot_has_every_line(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    history = [
        measurement("2026-01-01", "speed", nim=Interval(2e6, 1e6, 3e6)),
        measurement("2026-01-02", "Elo above uct", mcts=Interval(20, -5, 45)),
    ]
    file = tmp_path / "history.svg"
    page.write_history_plot(history, file)
    text = file.read_text()
    for words in ("speed", "nim", "Elo above uct", "mcts", "2026-01-01"):
        assert f">{words}" in text, words
