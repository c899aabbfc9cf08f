"""The notebooks run from their first cell to the last, and are kept without outputs.

They are plain Python, so that their cells run here without Jupyter, its kernel and its sockets.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "examples").glob("*.ipynb"))


def code_cells(path: Path) -> list[dict[str, Any]]:
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]


def shown(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; return the value of its last expression, which a notebook shows."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(ast.unparse(last), names) if last is not None else None


def test_there_are_notebooks_and_they_are_linked() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    assert NOTEBOOKS
    assert all(f"(examples/{path.name})" in index for path in NOTEBOOKS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    assert all(not cell["outputs"] and not cell["execution_count"] for cell in code_cells(path))


@pytest.mark.thorough
@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_a_notebook_runs(path: Path) -> None:
    names: dict[str, Any] = {}
    values = [shown("".join(cell["source"]), names) for cell in code_cells(path)]
    drawings = [value for value in values if hasattr(value, "_repr_svg_")]
    assert drawings, "each has a board"
    if path.stem == "minimax_by_hand":
        assert (50, len(names["values"])) in values
        answers = next(value for value in values if isinstance(value, dict))
        assert [move for move, value in answers.items() if value == 50] == ["(put b2)"]
