"""An archive that Numba has made holds the kernels that were called while it recorded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gdl.array_kernels import kernel
from gdl.array_kernels.archive import KernelArchive, Manifest
from gdl.array_kernels.numba_compiler import BUILD_ENVIRONMENT, build_archive, recording
from tests.support.paths import ROOT

NAME = "tests.gdl.array_kernels.test_functions"

BUILDING = f"""
import sys
from pathlib import Path
import numpy as np
from gdl.array_kernels.numba_compiler import build_archive, check_environment, recording
from {NAME} import Data, total
check_environment()
with recording() as recorded:
    total(Data(np.arange(3), 2))
build_archive(Path(sys.argv[1]), recorded, {{"{NAME}"}})
"""


@kernel
def doubled(value: int) -> int:
    return value * 2


def build(folder: Path, **environment: str) -> str:
    command = [sys.executable, "-c", BUILDING, str(folder)]
    done = subprocess.run(
        command,
        env={**os.environ, **BUILD_ENVIRONMENT, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr


@pytest.mark.thorough
def test_what_was_recorded_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert build(tmp_path / "archive") == ""
    manifest = Manifest.read(tmp_path / "archive")
    assert manifest is not None
    assert list(manifest.entries) == [f"{NAME}.total"]
    monkeypatch.setenv("GDL_CACHE", str(tmp_path / "cache"))
    entry = KernelArchive(tmp_path / "archive").entry(f"{NAME}.total")
    assert entry is not None
    assert entry((np.arange(5), 10)) == 100


def test_code_for_one_processor_is_not_built(tmp_path: Path) -> None:
    message = build(tmp_path / "archive", NUMBA_CPU_NAME="")
    assert "the environment must hold" in message
    assert not (tmp_path / "archive").exists()


def test_a_kernel_has_one_type(tmp_path: Path) -> None:
    with recording() as recorded:
        assert doubled(3) == 6
        assert doubled(1.5) == 3.0  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="doubled is called with arguments of different types"):
        build_archive(tmp_path, recorded, {__name__})
