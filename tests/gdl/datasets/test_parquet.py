"""Parquet files hold the same rows as JSON lines; without PyArrow the command says what to do."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import gdl
from gdl.cli.commands.playout import playout_command
from gdl.datasets import ArrowRows, ParquetFile, Recorder, json_lines, require_parquet
from gdl.errors import MissingLibraryError
from tests.support.compiled_games import machine_of
from tests.support.paths import GAMES


@pytest.mark.parametrize("name", ["ticTacToe", "kuhnPoker", "handDuel"])
def test_rows_are_those_of_json_lines(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    monkeypatch.setattr("gdl.datasets.parquet.ROWS", 30)
    machine = machine_of(name)
    recorder = Recorder(machine)
    recordings = [recorder.record(number, 1, playouts=5, max_steps=6) for number in range(3)]
    path = tmp_path / "rows.parquet"
    arrow = ArrowRows(machine)
    with ParquetFile(path, arrow.schema, {"game": name, "seed": "1"}) as file:
        for recording in recordings:
            file.write(arrow.batch(recording))
    expected = [json.loads(line) for each in recordings for line in json_lines(machine, each)]
    rows = parquet.read_table(path).to_pylist()
    for row in rows:
        if not any(row["moves"].values()):
            row["moves"] = None
            row.pop("sees", None)
    assert rows == expected
    assert parquet.read_schema(path).metadata == {b"game": name.encode(), b"seed": b"1"}


def test_a_goal_is_that_of_a_terminal_state(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    path = tmp_path / "rows.parquet"
    done = CliRunner().invoke(
        playout_command,
        [*(str(GAMES / "dotsAndBoxes.kif"), "--seed", "3", "--playouts", "2", "--max-steps", "99"),
         *("--format", "parquet", "--output", str(path))],
        catch_exceptions=False,
    )  # fmt: skip
    assert done.exit_code == 0
    assert parquet.read_schema(path).metadata == {
        b"game": b"dotsAndBoxes",
        b"seed": b"3",
        b"max_steps": b"99",
        b"version": gdl.__version__.encode(),
    }
    rows = parquet.read_table(path).to_pylist()
    assert sum(row["terminal"] for row in rows) == 2
    for row in rows:
        values = list(row["goals"].values())
        assert (None not in values) if row["terminal"] else values == [None, None]


def test_without_pyarrow_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingLibraryError, match=r"pip install 'ggp-player\[parquet\]'"):
        require_parquet()
