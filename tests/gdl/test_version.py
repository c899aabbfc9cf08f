"""``--version`` names the package, the engine and the cache, at once."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import gdl
import ggp_player
from gdl import version
from tests.support.paths import ROOT
from tests.support.programs import printed_by


@pytest.mark.parametrize("package", ["gdl", "ggp_player"])
def test_version_is_printed_without_loading_the_engine(package: str) -> None:
    heavy = "{'numpy', 'numba', 'llvmlite', 'clingo', 'aiohttp'}"
    code = (
        f"import sys; from {package}.__main__ import main\n"
        "try: main(['--version'])\n"
        f"finally: print(sorted({heavy} & set(sys.modules)))"
    )
    first, loaded = printed_by(code).splitlines()
    name = package.replace("_", "-")
    assert first == f"{name} {gdl.__version__} (engine {_digests()[0]}, cache {_digests()[1]})"
    assert loaded == "[]"


def _digests() -> tuple[str, str]:
    return version.engine_version(), version.cache_version()


def test_there_is_one_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", gdl.__version__)
    assert ggp_player.__version__ == gdl.__version__
    project = (ROOT / "pyproject.toml").read_text()
    assert 'path = "gdl/version.py"' in project
    assert gdl.__version__ not in project
    assert f"version: {gdl.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## {gdl.__version__} " in (ROOT / "CHANGELOG.md").read_text()


def test_the_digests_follow_the_source_and_the_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _digests()
    assert all(re.fullmatch("[0-9a-f]{8}", digest) for digest in before)
    monkeypatch.setattr(version, "_COMPILER", "no-such-compiler")
    assert _digests()[0] == before[0]
    assert _digests()[1] != before[1]
    copy = tmp_path / "gdl"
    shutil.copytree(ROOT / "gdl", copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(version, "__file__", str(copy / "version.py"))
    assert _digests()[0] == before[0]
    (copy / "engine" / "block.py").write_text("# changed\n")
    assert _digests()[0] != before[0]
