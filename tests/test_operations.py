"""The page about operation says what the code does: its limits, its settings, its metrics."""

from __future__ import annotations

import importlib
import re
from fractions import Fraction
from typing import NamedTuple

import pytest

from ggp_player.metrics import Metrics
from ggp_player.server.config import Config
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "operations.md").read_text()

UNITS = {"": 1, "s": 1, "MiB": 2**20, "GiB": 2**30}

NO_LIMITS = {"gallery", "port"}
"""Settings with numbers that limit nothing."""


class Limit(NamedTuple):
    """A row of the table of limits."""

    what: str
    set_by: str
    default: str
    range: str
    beyond: str

    @property
    def field(self) -> str:
        return self.set_by.removeprefix("--").replace("-", "_")


def table() -> list[Limit]:
    text = PAGE.partition("\n## Limits\n")[2]
    rows = [line[1:-1].split("|") for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip().strip("`") for cell in row] for row in rows[2:]]
    return [Limit(*row) for row in cells if row[1]]


LIMITS = table()
FLAGS = [limit for limit in LIMITS if limit.set_by.startswith("--")]
CONSTANTS = [limit for limit in LIMITS if limit not in FLAGS]


def number(text: str, in_mebibytes: bool = False) -> float | None:
    """The number that a cell says, None where it says something else."""
    found = re.fullmatch(r"([\d,./]+) ?(\w*)", text)
    if found is None:
        return None
    unit = 1 if in_mebibytes else UNITS[found[2]]
    return float(Fraction(found[1].replace(",", "")) * unit)


def value_of(name: str) -> float:
    """The value of ``package.module.NAME``, or of an attribute of that."""
    found = re.fullmatch(r"([a-z_.]+)\.(_?[A-Z_]+)(?:\.(\w+))?", name)
    assert found is not None, name
    value = getattr(importlib.import_module(found[1]), found[2])
    return getattr(value, found[3]) if found[3] else value


def test_the_table_is_read() -> None:
    assert len(FLAGS) >= 6
    assert len(CONSTANTS) >= 30


@pytest.mark.parametrize("limit", CONSTANTS, ids=[limit.set_by for limit in CONSTANTS])
def test_defaults_in_the_code(limit: Limit) -> None:
    assert number(limit.default) == pytest.approx(value_of(limit.set_by))


@pytest.mark.parametrize("limit", FLAGS, ids=[limit.set_by for limit in FLAGS])
def test_defaults_and_ranges_of_flags(limit: Limit) -> None:
    field = Config.model_fields[limit.field]
    assert number(limit.default, in_mebibytes=True) == field.default
    least, most = map(number, limit.range.split(" to "))
    if limit.set_by != "--memory-limit":  # the least of that depends on the machine
        assert least in bounds(field.metadata, "ge", "gt")
    assert most in bounds(field.metadata, "le", "lt")


def bounds(metadata: list[object], *names: str) -> list[float]:
    return [getattr(item, name) for item in metadata for name in names if hasattr(item, name)]


MANAGER = re.findall(
    r"^\|[^|]*\| `(ggp_player\S+)` \| ([^|]*) \|$",
    (ROOT / "docs" / "manager_service.md").read_text(),
    re.MULTILINE,
)
"""The limits of the manager: the name in the code, and the default on its page."""


def test_the_limits_of_the_manager_are_those_of_the_code() -> None:
    assert len(MANAGER) >= 8
    for name, default in MANAGER:
        assert number(default) == value_of(name), name


def test_every_flag_that_is_a_limit_is_in_the_table() -> None:
    bounded = {
        name
        for name, field in Config.model_fields.items()
        if bounds(field.metadata, "ge", "gt", "le", "lt")
    }
    assert bounded - NO_LIMITS == {limit.field for limit in FLAGS}


def test_every_flag_on_the_page_exists() -> None:
    named = set(re.findall(r"`--([a-z-]+)", PAGE)) - {"config", "json", "ready", "signal"}
    assert named <= {name.replace("_", "-") for name in Config.model_fields}


def test_every_metric_is_on_the_page() -> None:
    text = Metrics().text().decode()
    names = set(re.findall(r"^# TYPE (ggp_player\w+)", text, re.MULTILINE))
    created = {name for name in names if name.endswith("_created")}
    assert names - created == set(re.findall(r"`(ggp_player_\w+)`", PAGE))
