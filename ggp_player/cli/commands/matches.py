"""The command line of ``ggp-player matches``."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from gdl.cli.arguments import options, runs
from ggp_player.cli.commands.arguments import RULESHEET, archive_option

STATUSES = (
    *("running", "interrupted", "completed", "aborted"),
    *("expired", "unplayable", "suspended"),
)
"""How a match can stand."""

_PATH = click.Path(path_type=Path)

_text_option = partial(click.option, default="", show_default=False)

_DATE = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"])


@click.group("matches", short_help="List, show, replay, export and import matches.")
def matches_command() -> None:
    """Look at the matches that serve, match and tournament have kept, and others' records.

    A MATCH is named by its number, as `list` shows it, or by its match id.
    """


filter_options = options(
    _text_option("--game", help="A game by name, or by its rules' hash."),
    _text_option("--role", help="Somebody, or --player, had this role."),
    _text_option("--player", help="This player took part."),
    _text_option("--result", help="win, draw, loss, a goal value, or 50-100."),
    click.option("--since", type=_DATE, help="Begun at this time or later."),
    click.option("--until", type=_DATE, help="Begun before this time."),
    _text_option("--status", type=click.Choice(["", *STATUSES])),
    _text_option("--id", "match_id", help="This match id."),
)
"""The options that choose matches."""


@matches_command.command("list")
@filter_options
@click.option("--limit", default=20, type=click.IntRange(1, 10_000))
@click.option("--page", default=1, type=click.IntRange(1, 1_000_000))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@archive_option
@runs("ggp_player.cli.matches:run_list")
def list_command() -> None:
    """List matches, the latest first."""


@matches_command.command("show")
@click.argument("match")
@click.option("--rules", is_flag=True, help="Print the rules instead.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with what the searches thought.")
@archive_option
@runs("ggp_player.cli.matches:run_show")
def show_command() -> None:
    """Show a match: who played, every joint move, and what our searches thought."""


@matches_command.command("export")
@click.argument("matches", nargs=-1, metavar="[MATCH...]")
@click.option("--output", type=_PATH, help="A file for one match, a folder for several.")
@filter_options
@archive_option
@runs("ggp_player.cli.match_files:run_export")
def export_command() -> None:
    """Write the records of matches, in the JSON of ggp.org; an imported one as it was.

    Without a MATCH, all that the options choose are written to the folder --output.
    """


@matches_command.command("import")
@click.argument("paths", nargs=-1, required=True, type=_PATH, metavar="PATH...")
@click.option("--rules", type=RULESHEET, help="The rulesheet of all these matches.")
@archive_option
@runs("ggp_player.cli.match_files:run_import")
def import_command() -> None:
    """Add records of matches: files in the JSON of ggp.org or the XML of Dresden, or folders.

    A record that is there is left out. The exit status is 0 if every file could be read.
    """


@matches_command.command("replay")
@click.argument("match")
@click.option("--step", type=click.IntRange(min=0), help="Print the state after so many steps.")
@click.option("--facts", is_flag=True, help="Print each state as a list of facts, not drawn.")
@archive_option
@runs("ggp_player.cli.match_replay:run_replay")
def replay_command() -> None:
    """Step through a match in the terminal; all at once where the output is no terminal."""


@matches_command.command("delete")
@click.argument("matches", nargs=-1, required=True, metavar="MATCH...")
@click.option("--yes", is_flag=True, help="Do not ask.")
@archive_option
@runs("ggp_player.cli.matches:run_delete")
def delete_command() -> None:
    """Delete matches for good."""
