"""What all matches share is compiled once, and nobody believes it is before it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl.propnet import codegen, jit
from ggp_player import warming


def test_a_mark_says_that_everything_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GDL_CACHE", str(tmp_path))
    monkeypatch.setattr(warming, "COMPILED", {})
    assert not warming.is_warm()
    warming.warm_up()
    assert warming.is_warm()
    assert codegen.cache_folder() == tmp_path
    next(tmp_path.glob("warm-*")).unlink()
    assert not warming.is_warm()


def test_other_source_is_kept_elsewhere(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    file.write_text("one = 1")
    first = jit.source_digest(tmp_path)
    assert jit.source_digest(tmp_path) == first
    file.write_text("one = 2")
    assert jit.source_digest(tmp_path) != first


def test_every_strategy_with_kernels_is_run() -> None:
    specs = [spec for specs in warming.COMPILED.values() for spec in specs]
    assert {spec.partition(":")[0] for spec in specs} == {
        "mcts",
        "uct",
        "enumeration",
        "proof",
        "planner",
    }
