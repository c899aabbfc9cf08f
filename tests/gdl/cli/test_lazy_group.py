"""Help takes few imports, and says of the commands what they say of themselves."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from inspect import signature
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from gdl.__main__ import COMMANDS as GDL_COMMANDS
from gdl.__main__ import main as gdl_main
from gdl.cli.lazy_group import LazyGroup, Target
from gdl.system import child_environment
from ggp_player.__main__ import COMMANDS as PLAYER_COMMANDS
from ggp_player.__main__ import main as player_main
from tests.support.paths import GAMES, ROOT
from tests.support.programs import printed_by

OTHERS = {"aiohttp", "clingo", "llvmlite", "numba", "numpy", "platformdirs", "pydantic", "rich"}
"""Packages that take long to import, except for the parser's."""

HEAVY = {
    *("numpy", "numba", "llvmlite", "clingo", "scipy"),
    *("aiohttp", "jinja2", "sqlalchemy", "prometheus_client"),
}
"""Packages that no command needs which plays, searches and serves nothing."""

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
@pytest.mark.parametrize("argument", ["--help", "wrong"])
def test_help_imports_neither_the_language_nor_other_packages(package: str, argument: str) -> None:
    found = imported(package, argument)
    assert "click" in found
    assert not found & {*OTHERS, "asyncio", "gdl.language", "ggp_player.strategies", "lark"}


HELPS = """
import click, json, sys
from {package}.__main__ import main
def walk(command, path):
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            walk(command.get_command(click.Context(command), name), [*path, name])
    try:
        main([*path, "--help"])
    except SystemExit:
        print(json.dumps([path, list(sys.modules)]), file=sys.stderr)
walk(main, [])
"""


@pytest.mark.parametrize("package", ["gdl", "ggp_player"])
def test_no_help_of_a_command_imports_what_the_command_does(package: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HELPS.format(package=package)],
        env=child_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    helps = [json.loads(line) for line in done.stderr.splitlines()]
    assert len(helps) > 14
    assert helps[-1][0] == []
    found = set(helps[-1][1])
    assert not found & HEAVY
    # The settings of a server are a model of pydantic, which makes the help.
    assert ("pydantic" in found) == (package == "ggp_player")


@pytest.mark.parametrize(
    "arguments", [["play"], ["matches", "list", "--archive", "none"], ["serve", "--help"]]
)
def test_short_commands_import_little(arguments: list[str], tmp_path: Path) -> None:
    if "--archive" in arguments:
        arguments = [*arguments[:-1], str(tmp_path / "matches.sqlite")]
    found = imported("ggp_player", *arguments)
    assert "click" in found
    of_archive = {"asyncio", "sqlalchemy"} if "--archive" in arguments else set()
    assert not found & ({*HEAVY, "asyncio", "lark", "ggp_player.strategies"} - of_archive)


def test_what_a_server_imports_before_it_listens_has_no_database() -> None:
    code = "import ggp_player.cli.serve, ggp_player.server.http, sys; print(*sys.modules)"
    assert not set(printed_by(code).split()) & {"alembic", "sqlalchemy", "sqlite3"}


def test_a_check_imports_the_parser_and_no_other_package() -> None:
    found = imported("gdl", "check", str(GAMES / "ticTacToe.kif"))
    assert {"gdl.validation", "lark"} <= found
    assert not found & {*OTHERS, "asyncio", "gdl.circuit", "gdl.engine", "gdl.grounding"}


@pytest.mark.parametrize(
    ("main", "commands"), [(gdl_main, GDL_COMMANDS), (player_main, PLAYER_COMMANDS)]
)
def test_the_list_of_commands_says_what_each_says_of_itself(
    main: LazyGroup, commands: Mapping[str, Target]
) -> None:
    for name, target in commands.items():
        command = main.get_command(click.Context(main), name)
        assert isinstance(command, click.Command)
        assert (name, target.short_help) == (command.name, command.get_short_help_str(limit=100))


RUN = re.compile(r'(@click\.pass_context\n)?@runs\("([\w.]+):(\w+)"\)\ndef (\w+)')


def test_what_a_command_runs_takes_its_options() -> None:
    files = [*ROOT.glob("gdl/cli/commands/**/*.py"), *ROOT.glob("ggp_player/cli/commands/**/*.py")]
    count = 0
    for file in files:
        module = import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
        for context, place, name, described in RUN.findall(file.read_text()):
            options = [one.name for one in getattr(module, described).params if one.expose_value]
            function = getattr(import_module(place), name)
            signature(function).bind(*([None] if context else []), **dict.fromkeys(options))
            count += 1
    assert count > 30


@pytest.mark.parametrize(
    ("error", "is_told"),
    [
        (RuntimeError("can't start new thread"), True),
        (MemoryError(), True),
        (RuntimeError("a fault of ours"), False),
    ],
)
def test_too_little_memory_is_told_in_a_sentence(error: Exception, is_told: bool) -> None:

    class Failing(LazyGroup):
        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
            raise error

    result = CliRunner().invoke(Failing(package="gdl.cli", targets={}), ["work"])
    assert result.exit_code == 1
    assert ("too little memory" in result.output) == is_told
    assert isinstance(result.exception, SystemExit) == is_told
