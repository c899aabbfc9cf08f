"""The archive of kernels that is shipped is made from the kernels as they are."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import pytest

from gdl import engine
from ggp_player import strategies
from ggp_player.strategies import engine_strategy
from ggp_player.worker import kernel_build
from tests.support.kernel_archives import (
    BUILD_SECONDS,
    assert_same_archive,
    assert_up_to_date,
    builds,
)

FOLDER = Path(strategies.__file__).parent


def modules_with_kernels() -> set[str]:
    for package in (engine, strategies):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    return {module for module in kernel_build.searches_modules() if not module.startswith("tests.")}


def test_the_archive_is_up_to_date() -> None:
    assert_up_to_date(FOLDER, modules_with_kernels())
    assert engine_strategy.KERNELS.is_current


def test_every_strategy_with_kernels_is_run() -> None:
    specs = [spec for specs in kernel_build.SEARCHES.values() for spec in specs]
    assert {spec.partition(":")[0] for spec in specs} == {
        "mcts",
        "uct",
        "enumeration",
        "proof",
        "planner",
    }


@builds
@pytest.mark.slow
@pytest.mark.timeout(BUILD_SECONDS)
def test_the_same_kernels_give_the_same_archive(tmp_path: Path) -> None:
    kernel_build.build_in_a_process(tmp_path)
    assert_same_archive(FOLDER, tmp_path)
