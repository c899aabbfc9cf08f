"""The commands ``ggp-player matches export`` and ``import``: records of matches as files."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

import gdl
from gdl import GdlError
from ggp_player.archive.archived_match import MatchFilter
from ggp_player.archive.match_records import export_document, find_records, read_record
from ggp_player.archive.queries import Archive
from ggp_player.cli.matches import archive_of, filter_of
from ggp_player.errors import ArchiveError
from ggp_player.match_runner.game_manager import game_name

EXPORT_PAGE = 200
"""Matches that are looked up at once for an export."""


def run_export(
    matches: tuple[str, ...], output: Path | None, archive: Path | None, **chosen: object
) -> None:
    """Write the records of matches, in the JSON of ggp.org; an imported one as it was."""
    source = archive_of(archive)
    if len(matches) == 1 and (output is None or not output.is_dir()):
        data, _ = export_document(source.match(matches[0]))
        _write(output, data)
        return
    if output is None:
        raise click.UsageError("several matches need the folder --output")
    output.mkdir(parents=True, exist_ok=True)
    chosen_filter = filter_of(**chosen)  # type: ignore[arg-type] # click has checked them
    numbers: Sequence[str] = matches or _numbers(source, chosen_filter)
    failed = _export_all(source, numbers, output)
    click.echo(f"{len(numbers) - failed} of {len(numbers)} records in {output}", err=True)
    if failed:
        raise click.exceptions.Exit(1)


def _numbers(source: Archive, chosen: MatchFilter) -> list[str]:
    """The numbers of all matches that a filter lets pass."""
    numbers: list[str] = []
    while page := source.list(chosen, EXPORT_PAGE, len(numbers)).matches:
        numbers += [str(match.number) for match in page]
    return numbers


def _export_all(source: Archive, numbers: Iterable[str], folder: Path) -> int:
    """Write records to a folder; return how many cannot be made."""
    failed = 0
    for number in numbers:
        try:
            match = source.match(number)
            data, suffix = export_document(match)
        except ArchiveError as error:
            click.echo(str(error), err=True)
            failed += 1
        else:
            name = game_name(Path(match.summary.match_id.replace("/", "_") + ".x"))[:80]
            (folder / f"{match.summary.number}-{name}.{suffix}").write_bytes(data)
    return failed


def _write(output: Path | None, data: bytes) -> None:
    if output is None:
        sys.stdout.buffer.write(data)
        return
    try:
        output.write_bytes(data)
    except OSError as error:
        raise click.ClickException(f"{output} cannot be written: {error.strerror}") from error


def run_import(paths: tuple[Path, ...], rules: Path | None, archive: Path | None) -> None:
    """Add records of matches: files in the JSON of ggp.org or the XML of Dresden, or folders."""
    target = archive_of(archive)
    text, game = _rules(rules)
    added = known = failed = 0
    for path in find_records(paths):
        try:
            record = read_record(path, text, game)
            if target.has(record.key):
                known += 1
            else:
                target.add(record)
                added += 1
        except ArchiveError as error:
            click.echo(str(error), err=True)
            failed += 1
    click.echo(f"{added} added, {known} known before, {failed} cannot be read")
    if failed:
        raise click.exceptions.Exit(1)


def _rules(path: Path | None) -> tuple[str, str]:
    """The rules in a file as one text, and the name of their game."""
    if path is None:
        return "", ""
    try:
        return str(gdl.load(path)), game_name(path)
    except GdlError as error:
        raise click.ClickException(f"the rules cannot be used:\n{error}") from error
