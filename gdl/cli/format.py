"""The command ``gdl format``: rulesheets in the canonical layout."""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path

import click

from gdl.cli.arguments import FILE, STDIN
from gdl.cli.options import print_text, read_source
from gdl.errors import Source
from gdl.language import format_text
from gdl.system import write_whole


@click.command("format")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FILE)
@click.option("--in-place", is_flag=True, help="Write the result back to each FILE.")
@click.option(
    "--check", is_flag=True, help="Show what would change; exit with status 1 if anything would."
)
def format_command(files: tuple[Path, ...], in_place: bool, check: bool) -> None:
    """Bring rulesheets into the canonical layout.

    A rule has its head on the first line and every literal of its body on a line of its own,
    indented by two. Facts stay where they are; comments stay with what they belong to. The meaning
    never changes. Without an option, the result goes to the standard output.

    \b
    Examples:
        gdl format mygame.kif
        gdl format --in-place games/*.kif
        gdl format --check games/*.kif
    """
    if in_place and check:
        raise click.UsageError("--in-place and --check exclude each other")
    changed = False
    for file in files:
        source = read_source(file)
        formatted = format_text(source.text, source.name)
        changed |= formatted != source.text
        if check:
            click.echo(_difference(source, formatted), nl=False)
        elif not in_place or file == STDIN:
            print_text(formatted)
        elif formatted != source.text:
            write_whole(file, formatted.encode())
            click.echo(f"{source.name}: formatted")
    if check and changed:
        raise SystemExit(1)


def _difference(source: Source, formatted: str) -> str:
    lines = unified_diff(
        source.text.splitlines(keepends=True),
        formatted.splitlines(keepends=True),
        source.name,
        f"{source.name} (formatted)",
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
