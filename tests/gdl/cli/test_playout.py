"""``gdl playout`` writes traces, and rows as JSON lines and Parquet."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gdl.__main__ import main
from gdl.datasets import BLOCK
from tests.support.paths import GAMES

NIM = GAMES / "nim.kif"


def playout(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["playout", str(NIM), *map(str, arguments)])


def test_a_trace_is_written_unless_told_otherwise(tmp_path: Path) -> None:
    done = playout("--seed", 3)
    assert json.loads(done.stdout.splitlines()[0])["oracle"] == "gdl reasoner"
    path = tmp_path / "nim.jsonl"
    assert playout("--seed", 3, "--output", path).exit_code == 0
    assert path.read_text() == done.stdout


def test_rows_are_written_for_every_playout(tmp_path: Path) -> None:
    path, count = tmp_path / "nim.jsonl", BLOCK + 2
    asked = ("--format", "jsonl", "--seed", 3, "--playouts")
    assert playout(*asked, count, "--output", path).exit_code == 0
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["playout"] for row in rows if row["step"] == 0] == list(range(count))
    assert sum(row["terminal"] for row in rows) == count
    few = [json.loads(line) for line in playout(*asked, 3).stdout.splitlines()]
    assert few == rows[: len(few)]


@pytest.mark.thorough
def test_parquet_has_the_same_rows(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    path = tmp_path / "nim.parquet"
    assert playout("--format", "parquet", "--playouts", 5, "--output", path).exit_code == 0
    lines = playout("--format", "jsonl", "--playouts", 5).stdout.splitlines()
    states = [json.loads(line)["state"] for line in lines]
    assert parquet.read_table(path).column("state").to_pylist() == states


def test_what_parquet_needs_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "--output PATH" in playout("--format", "parquet").stderr
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    done = playout("--format", "parquet", "--output", tmp_path / "nim.parquet")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "Error: Parquet needs PyArrow: pip install 'ggp-player[parquet]'\n"


def test_rows_have_seeds_of_natural_numbers() -> None:
    done = playout("--format", "jsonl", "--seed", -1)
    assert done.exit_code == 2
    assert "must be 0 or more" in done.stderr


@pytest.mark.parametrize("device", [(), ("--device", "host")])
def test_results_have_a_line_for_every_match(device: tuple[str, ...]) -> None:
    done = playout("--format", "results", "--playouts", 600, "--seed", 2, *device)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["playout"] for row in rows] == list(range(600))
    assert all(row["terminal"] and row["steps"] > 0 for row in rows)
    assert {tuple(row["goals"].values()) for row in rows} == {(0, 100), (100, 0)}
    assert list(rows[0]["goals"]) == ["first", "second"]


def test_a_match_that_is_cut_off_has_no_result() -> None:
    done = playout("--format", "results", "--max-steps", 1)
    assert done.stdout == (
        '{"playout":0,"steps":null,"goals":{"first":null,"second":null},"terminal":false}\n'
    )


def test_where_matches_are_played_must_fit_what_is_written() -> None:
    assert "--device is for results: --format results" in playout("--device", "host").stderr
    done = playout("--format", "results", "--ray", "auto")
    assert "--ray is for rows: --format jsonl or parquet, not results" in done.stderr
