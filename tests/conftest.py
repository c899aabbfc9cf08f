"""What all tests share: settings of Hypothesis, where the collection of rulesheets is, and a limit.

``--until`` is a time, in seconds since 1970, after which no test begins but those of the corpus.
The files are then in an order that each run draws anew, so that in time all have their turn.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Generator, Iterator
from itertools import count
from random import Random

import pytest
from hypothesis import settings

from tests.support.paths import CORPUS
from tests.support.postgresql import new_database, postgresql_server

# No deadlines: how long one example takes says more about the computer than about the code.
settings.register_profile("quick", deadline=None, max_examples=20)
settings.register_profile("thorough", deadline=None, max_examples=20_000)
settings.load_profile("quick")


@pytest.fixture(scope="session", autouse=True)
def _no_user_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let no test, and no process that it starts, use the user's archive and learned games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        patch.delenv("GGP_PLAYER_ARCHIVE", raising=False)
        yield


@pytest.fixture(scope="session", autouse=True)
def _grounding_once(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[None]:
    """Ground each program once, in whichever process a test needs it first."""
    from tests.support.grounding import grounding_once  # not for whoever only collects

    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "grounded"
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gdl.grounding.gringo._run_gringo", grounding_once(folder))
        yield


@pytest.fixture(scope="session")
def _postgresql() -> Iterator[tuple[str, Iterator[int]]]:
    """A PostgreSQL server, and numbers for its databases."""
    with postgresql_server() as folder:
        yield folder, count()


@pytest.fixture
def postgresql(_postgresql: tuple[str, Iterator[int]]) -> str:
    """The URL of an empty database; tests that ask for it are skipped where there is no server."""
    folder, numbers = _postgresql
    return new_database(folder, f"test{next(numbers)}")


NO_TIME = "there was no time left for it"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--until", type=int, help="begin no test later, in seconds since 1970")


def pytest_configure() -> None:
    """Keep what Python compiles, also for the workers and for the processes that tests start.

    Where the environment forbids it, as images of containers do, each of them compiles all anew.
    """
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_report_header() -> str:
    found = "" if CORPUS.is_dir() else " is missing: the tests marked 'corpus' are skipped"
    return f"corpus: {CORPUS}{found}"


def pytest_collection_finish() -> None:
    """Exempt what was imported and collected from garbage collection, and collect less often.

    What is imported stays to the end, and looking for garbage as often as usual takes a tenth of
    the time of all tests.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let each worker import the files in an order of its own.

    Where nothing is compiled yet, as in a fresh clone, they would else all compile the same file at
    the same time; so most are compiled by one, and found by the others.
    """
    report = yield
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is not None and isinstance(collector, pytest.Directory) and report.passed:
        Random(worker).shuffle(report.result)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "PYTEST_XDIST_WORKER" in os.environ:  # all workers must have the same order
        items.sort(key=lambda item: item.path.parts)
    until = config.getoption("until")
    if until is not None:  # the seed, too: all workers must have the same order
        files = sorted({item.path for item in items})
        Random(until).shuffle(files)
        order = {path: place for place, path in enumerate(files)}
        items.sort(key=lambda item: (item.get_closest_marker("corpus") is None, order[item.path]))
    if CORPUS.is_dir():
        return
    missing = pytest.mark.skip(reason=f"{CORPUS} is missing")
    for item in items:
        if item.get_closest_marker("corpus"):
            item.add_marker(missing)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    until = item.config.getoption("until")
    if until is not None and time.time() > until and not item.get_closest_marker("corpus"):
        pytest.skip(NO_TIME)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.getreports("skipped")
    left = sum(NO_TIME in str(report.longrepr) for report in skipped)
    if left:
        terminalreporter.write_line(f"{left} tests have not begun: {NO_TIME}", yellow=True)
