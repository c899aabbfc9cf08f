"""The archive of the kernels for circuits is made from the kernels as they are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gdl.array_kernels.functions import KERNELS
from gdl.array_kernels.numba_compiler import BUILD_ENVIRONMENT
from gdl.circuit import native
from gdl.circuit.native import kernels
from gdl.system import child_environment
from tests.support.kernel_archives import (
    BUILD_SECONDS,
    assert_same_archive,
    assert_up_to_date,
    builds,
    shipped,
)

FOLDER = Path(native.__file__).parent


def test_the_archive_is_up_to_date() -> None:
    assert_up_to_date(FOLDER, {kernels.__name__})
    assert native.KERNELS.is_current


def test_every_kernel_that_others_call_is_in_it() -> None:
    own = {name for name in KERNELS if name.startswith(f"{kernels.__name__}.")}
    assert {name for name in own if "._" not in name} == set(shipped(FOLDER).entries)


@builds
@pytest.mark.slow
@pytest.mark.timeout(BUILD_SECONDS)
def test_the_same_kernels_give_the_same_archive(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gdl.circuit.native.kernel_build", str(tmp_path)]
    environment = {**os.environ, **child_environment(), **BUILD_ENVIRONMENT}
    subprocess.run(command, env=environment, check=True)
    assert_same_archive(FOLDER, tmp_path)
