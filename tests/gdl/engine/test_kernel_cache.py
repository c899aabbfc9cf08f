"""What is compiled is found again only while all the source that it was made from is the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl.engine import jit, kernels
from gdl.engine.kernels import kernel_key


def test_the_digest_is_of_the_engine_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, engine = tmp_path / "package", tmp_path / "engine"
    for folder in (package, engine):
        folder.mkdir()
        (folder / "code.py").write_text("one = 1")
    monkeypatch.setattr(jit, "__file__", str(engine / "jit.py"))
    digests = {jit.source_digest(package)}
    for folder in (package, engine):
        (folder / "code.py").write_text("one = 2")
        digests.add(jit.source_digest(package))
    (package / "deeper").mkdir()
    (package / "deeper" / "more.py").write_text("")
    digests.add(jit.source_digest(package))
    assert len(digests) == 4


def test_the_key_of_the_shared_kernels_is_all_their_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No module of the package takes anything from another one of the engine."""
    folder = Path(kernels.__file__).parent
    for file in folder.glob("*.py"):
        lines = [line for line in file.read_text().splitlines() if "import" in line]
        assert all("gdl." not in line or "gdl.engine.kernels" in line for line in lines)
        (tmp_path / file.name).write_text(file.read_text())
    monkeypatch.setattr(kernels, "__file__", str(tmp_path / "__init__.py"))
    assert kernel_key(1) != kernel_key(8)
    before = kernel_key(8)
    (tmp_path / "choice.py").write_text("")
    assert kernel_key(8) != before
