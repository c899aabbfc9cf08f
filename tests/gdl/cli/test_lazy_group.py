"""Help takes few imports, and says of the commands what they say of themselves."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module

import click
import pytest

from gdl.__main__ import COMMANDS as GDL_COMMANDS
from gdl.cli.lazy_group import Target
from gdl.system import child_environment
from ggp_player.__main__ import COMMANDS as PLAYER_COMMANDS
from tests.support.paths import GAMES

OTHERS = {"aiohttp", "clingo", "llvmlite", "numba", "numpy", "platformdirs", "pydantic", "rich"}
"""Packages that take long to import, except for the parser's."""

IMPORTED = """
import json, sys
from {package}.__main__ import main
try:
    main(sys.argv[1:])
finally:
    print(json.dumps(list(sys.modules)), file=sys.stderr)
"""


def imported(package: str, *arguments: str) -> set[str]:
    """The modules that a command has imported when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED.format(package=package), *arguments],
        env=child_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("package", ["gdl", "ggp_player"])
@pytest.mark.parametrize("argument", ["--help", "--version", "--wrong", "wrong"])
def test_help_imports_neither_the_language_nor_other_packages(package: str, argument: str) -> None:
    found = imported(package, argument)
    assert "click" in found
    assert not found & {*OTHERS, "asyncio", "gdl.language", "ggp_player.strategies", "lark"}


def test_a_check_imports_the_parser_and_no_other_package() -> None:
    found = imported("gdl", "check", str(GAMES / "ticTacToe.kif"))
    assert {"gdl.validation", "lark"} <= found
    assert not found & {*OTHERS, "asyncio", "gdl.circuit", "gdl.engine", "gdl.grounding"}


@pytest.mark.parametrize("commands", [GDL_COMMANDS, PLAYER_COMMANDS], ids=["gdl", "ggp-player"])
def test_the_list_of_commands_says_what_each_says_of_itself(commands: Mapping[str, Target]) -> None:
    for name, target in commands.items():
        module, _, attribute = target.place.partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        assert (name, target.short_help) == (command.name, command.get_short_help_str(limit=100))
