"""Parquet files hold the same rows as JSON lines; without PyArrow the command says what to do."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from gdl.datasets import ArrowRows, ParquetFile, Recorder, json_lines, require_parquet
from gdl.errors import MissingLibraryError
from tests.support.compiled_games import machine_of


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
    with ParquetFile(path, arrow.schema) as file:
        for recording in recordings:
            file.write(arrow.batch(recording))
    expected = [json.loads(line) for each in recordings for line in json_lines(machine, each)]
    rows = parquet.read_table(path).to_pylist()
    for row in rows:
        if not any(row["moves"].values()):
            row["moves"] = None
            row.pop("sees", None)
    assert rows == expected


def test_without_pyarrow_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingLibraryError, match=r"pip install 'ggp-player\[parquet\]'"):
        require_parquet()
