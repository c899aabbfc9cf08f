"""Strategies from files, from modules in the current folder, and from installed packages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from ggp_player.strategies import StrategyError
from ggp_player.strategies.selection import create, own_strategies, registry, strategy_class

LAST = """
from ggp_player.strategies import Choice, Strategy


class Last(Strategy):
    name = "last"

    def __init__(self, count: int = 1) -> None:
        self.count = count

    def search(self, position):
        yield Choice(position.legal_moves[-1])
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with a file ``last_move.py`` in it; what is imported is forgotten."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "last_move.py").write_text(LAST)
    before, path = set(sys.modules), list(sys.path)
    yield tmp_path
    assert sys.path == path
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.parametrize(
    "spec",
    ["./last_move.py:Last:count=3", "last_move.py:Last:count=3", "last_move:Last:count=3"],
)
def test_a_class_in_the_current_folder(folder: Path, spec: str) -> None:
    strategy = create(spec)
    assert type(strategy).__name__ == "Last"
    assert vars(strategy) == {"count": 3}
    assert type(create(spec)) is type(strategy), "imported once"


def test_a_file_by_its_whole_path_and_what_lies_beside_it(folder: Path) -> None:
    inner = folder / "inner"
    inner.mkdir()
    (inner / "helper.py").write_text("COUNT = 7\n")
    (inner / "mine.py").write_text(f"from helper import COUNT\n{LAST}".replace("= 1", "= COUNT"))
    assert vars(create(f"{inner}/mine.py:Last")) == {"count": 7}


def test_files_of_one_name_are_two_modules(folder: Path) -> None:
    (folder / "other").mkdir()
    (folder / "other" / "last_move.py").write_text(LAST.replace("= 1", "= 2"))
    assert vars(create("last_move.py:Last")) == {"count": 1}
    assert vars(create("other/last_move.py:Last")) == {"count": 2}


def test_a_file_hides_nothing_that_is_installed(folder: Path) -> None:
    (folder / "calendar.py").write_text(LAST)
    sys.modules.pop("calendar", None)
    with pytest.raises(StrategyError, match="there is no class 'Last' in the module calendar"):
        create("calendar:Last")
    assert type(create("./calendar.py:Last")).__name__ == "Last"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("import no_such_thing\n", "mine.py, line 1: No module named 'no_such_thing'"),
        ("x = 1\ny = x + z\n", "mine.py, line 2: NameError: name 'z' is not defined"),
        ("x = 1\nclass Last(:\n", "mine.py, line 2: invalid syntax"),
        ("def f():\n    return 1 / 0\n\nf()\n", "mine.py, line 2: ZeroDivisionError: division"),
        ("raise SystemExit(3)\n", "mine.py, line 1: SystemExit: 3"),
        ("Last = 5\n", "'Last' in .*mine.* is no strategy: expected a class that derives from"),
        ("", "there is no class 'Last' in .*mine.*; its strategies: none"),
        (LAST.replace("Last", "Lost"), r"'Last' .* \(did you mean Lost\?\); its strategies: Lost"),
        (LAST.replace("def search", "def find"), "is no strategy yet: it has no method search"),
        (
            LAST.replace("self.count = count", "self.count = [][count]"),
            "mine.*:Last cannot be created: mine.py, line 9: IndexError: list index out of range",
        ),
    ],
)
@pytest.mark.parametrize("spec", ["./mine.py:Last", "mine:Last"])
def test_what_is_wrong_with_a_file_is_said_with_its_line(
    folder: Path, spec: str, text: str, sentence: str
) -> None:
    (folder / "mine.py").write_text(text)
    with pytest.raises(StrategyError, match=sentence):
        create(spec)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("./no_such.py:Last", "there is no file no_such.py"),
        (f"{'a' * 300}.py:Last", "there is no file aaa"),
        ("./last_move.py", "'./last_move.py' names a file: write ./last_move.py:Class"),
        ("last_move.py:count=3", "names a file: write last_move.py:Class"),
        (".:Last", r"the module \. cannot be imported"),
        ("./:Last", r"there is no file \."),
        ("no_such:Last", "the module no_such cannot be imported: No module named 'no_such'"),
        ("last_move", "there is no strategy 'last_move'"),
    ],
)
def test_what_there_is_not(folder: Path, spec: str, sentence: str) -> None:
    with pytest.raises(StrategyError, match=sentence):
        create(spec)


def test_strategies_of_installed_packages(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [
        EntryPoint("last", "last_move:Last", own_strategies.ENTRY_POINTS),
        EntryPoint("broken", "no_such_package:Last", own_strategies.ENTRY_POINTS),
    ]
    by_name = {entry.name: entry for entry in found}
    monkeypatch.setattr(registry, "installed_strategies", lambda: by_name)
    assert vars(create("last:count=4")) == {"count": 4}
    assert strategy_class("last").__name__ == "Last"
    with pytest.raises(StrategyError, match="the module no_such_package cannot be imported"):
        create("broken")
    with pytest.raises(
        StrategyError,
        match=r"did you mean last\?.*broken, .*last, learned_alpha_beta, learned_mcts, legal",
    ):
        create("lost")


def test_entry_points_are_those_of_the_group(monkeypatch: pytest.MonkeyPatch) -> None:
    own_strategies.installed_strategies.cache_clear()
    groups = []

    def entry_points(group: str) -> list[EntryPoint]:
        groups.append(group)
        return [EntryPoint("last", "last_move:Last", group)]

    monkeypatch.setattr(own_strategies, "entry_points", entry_points)
    assert list(own_strategies.installed_strategies()) == ["last"]
    assert groups == ["ggp_player.strategies"]
    own_strategies.installed_strategies.cache_clear()
