"""All commands of both programs take rulesheets, clocks and outputs alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from pydantic import ValidationError

import gdl.__main__
import ggp_player.__main__
from gdl.benchmark.coverage import CoverageLimits
from gdl.cli.arguments import OutputPath, RulesheetPath
from gdl.oracle.comparison import Bounds
from gdl.oracle.limits import Limits
from ggp_player.archive.archive_limit import DEFAULT_LIMIT
from ggp_player.archive.archived_match import STATUSES
from ggp_player.cli.commands import learn, manager, matches, tournament
from ggp_player.manager.tournament.match_play import DEFAULT_MAX_STEPS
from ggp_player.manager_service.storage.tokens import ROLES
from ggp_player.manager_service.web.models import EventToPost
from ggp_player.strategies.learning import FOLDER_VARIABLE
from tests.support.paths import GAMES

NO_RULESHEETS = {
    ("gdl bench", "baselines_file"),
    ("gdl bench", "peers"),
    ("ggp-player lab ladder table", "folder"),
    ("ggp-player lab ledger", "folder"),
    ("ggp-player lab positions test", "sets"),
    ("ggp-player doctor", "config"),
    ("ggp-player serve", "config"),
    *(("ggp-player manager", name) for name in ("players", "tls_cert", "tls_key")),
    *(
        (f"ggp-player manager event {name}", "token_file")
        for name in ("create", "list", "start", "pause", "cancel", "withdraw")
    ),
}
"""Files that commands read and that are no rulesheets."""

RULESHEET_COMMANDS = {
    *(f"gdl {name}" for name in gdl.__main__.COMMANDS if name not in {"lsp", "serve-oracle"}),
    *(f"ggp-player {name}" for name in ("match", "play", "analyze", "learn", "bench")),
    *("ggp-player tournament", "ggp-player matches import"),
    *(f"ggp-player lab {name}" for name in ("duel", "ladder play", "profile")),
    *(f"ggp-player lab positions {name}" for name in ("make", "play")),
}


def parameters() -> Iterator[tuple[str, click.Parameter]]:
    """Every parameter of every command, with the command's name."""
    yield from _walk("gdl", gdl.__main__.main)
    yield from _walk("ggp-player", ggp_player.__main__.main)


def _walk(name: str, command: click.Command) -> Iterator[tuple[str, click.Parameter]]:
    for parameter in command.params:
        yield name, parameter
    if isinstance(command, click.Group):
        context = click.Context(command)
        for sub in command.list_commands(context):
            found = command.get_command(context, sub)
            assert found is not None
            yield from _walk(f"{name} {sub}", found)


def test_every_command_that_takes_a_rulesheet_takes_the_name_of_a_game() -> None:
    takers = {}
    for name, parameter in parameters():
        kind = parameter.type
        is_read = isinstance(kind, click.Path) and kind.exists
        if is_read and (name, parameter.name) not in NO_RULESHEETS:
            takers[name] = kind.convert("CONNECTfour", parameter, None)
    assert set(takers) == RULESHEET_COMMANDS
    assert {Path(str(file)).resolve() for file in takers.values()} == {
        (GAMES / "connectFour.kif").resolve()
    }


def test_all_rulesheets_are_of_one_type() -> None:
    kinds = {type(p.type) for _, p in parameters() if p.name in {"file", "files", "rulesheet"}}
    assert kinds == {RulesheetPath}


def test_all_clocks_are_bound_alike() -> None:
    clocks = [
        (name, parameter)
        for name, parameter in parameters()
        if parameter.name in {"start_clock", "play_clock"}
    ]
    assert {name for name, _ in clocks} == {
        *("ggp-player match", "ggp-player play", "ggp-player tournament"),
        *("ggp-player lab ladder play", "ggp-player manager event create"),
    }
    for _, parameter in clocks:
        with pytest.raises(click.BadParameter, match="0 is not in the range 1<=x<=86400"):
            parameter.type.convert("0", parameter, None)
        assert parameter.type.convert("1", parameter, None) == 1


@pytest.mark.parametrize("clock", ["start_clock", "play_clock"])
def test_events_of_the_manager_have_the_same_clocks(clock: str) -> None:
    with pytest.raises(ValidationError, match="greater than or equal to 1"):
        EventToPost.model_validate({clock: 0})


def test_a_match_in_which_no_reply_could_come_is_refused() -> None:
    arguments = ["match", "nim", "legal", "legal", "--play-clock", "0", "--no-archive"]
    result = CliRunner().invoke(ggp_player.__main__.main, arguments)
    assert result.exit_code == 2
    assert "0 is not in the range" in result.output


def test_outputs_are_of_one_type() -> None:
    written = [
        (name, p)
        for name, p in parameters()
        if p.name in {"output", "save", "csv", "svg", "plot", "dictionary"}
    ]
    assert len(written) > 10
    unchecked = {name for name, p in written if not isinstance(p.type, OutputPath)}
    assert unchecked == {"ggp-player matches export"}  # a folder, which is made


def test_command_lines_say_what_the_modules_below_say() -> None:
    found = {f"{name} --{p.name}": p.default for name, p in parameters()}
    assert found["gdl coverage --seconds"] == CoverageLimits().seconds
    assert found["gdl coverage --megabytes"] == CoverageLimits().memory // 2**20
    assert found["gdl diff --states"] == Bounds().states
    assert found["gdl diff --playouts"] == Bounds().playouts
    assert found["gdl diff --max_steps"] == Bounds().max_steps
    assert found["gdl serve-oracle --seconds"] == Limits().seconds
    assert found["gdl serve-oracle --games"] == Limits().games
    assert matches.STATUSES == STATUSES
    assert manager.ROLES == ROLES
    assert learn.FOLDER_VARIABLE == FOLDER_VARIABLE
    assert tournament.DEFAULT_MAX_STEPS == DEFAULT_MAX_STEPS
    limit = next(p for n, p in parameters() if (n, p.name) == ("ggp-player match", "archive_limit"))
    assert limit.type.convert(limit.default, limit, None) == DEFAULT_LIMIT
