"""The command ``ggp-player matches``: the archive of matches."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

import gdl
from gdl import GdlError
from gdl.cli.options import Command
from ggp_player.archive import (
    Archive,
    ArchivedMatch,
    MatchFilter,
    MatchPage,
    MatchSummary,
    ReplayedStep,
    default_archive,
    draw_state,
    export_document,
    find_records,
    read_record,
    replay,
)
from ggp_player.archive.queries import STATUSES
from ggp_player.cli.archiving import archive_option
from ggp_player.cli.options import RULESHEET
from ggp_player.errors import ArchiveError
from ggp_player.logs import shown
from ggp_player.manager import game_name

PIPE_WIDTH = 160
"""Characters of a line if the output is no terminal."""

EXPORT_PAGE = 200
"""Matches that are looked up at once for an export."""

OUTCOMES = ("win", "draw", "loss")

_PATH = click.Path(path_type=Path)
_DATE = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"])


@click.group("matches", short_help="List, show, replay, export and import matches.")
def matches_command() -> None:
    """Look at the matches that serve, match and tournament have kept, and others' records.

    A MATCH is named by its number, as `list` shows it, or by its match id.
    """


def filter_options(command: Command) -> Command:
    """Give a command the options that choose matches."""
    for option in reversed(
        (
            click.option("--game", default="", help="A game by name, or by its rules' hash."),
            click.option("--role", default="", help="Somebody, or --player, had this role."),
            click.option("--player", default="", help="This player took part."),
            click.option("--result", default="", help="win, draw, loss, a goal value, or 50-100."),
            click.option("--since", type=_DATE, help="Begun at this time or later."),
            click.option("--until", type=_DATE, help="Begun before this time."),
            click.option("--status", default="", type=click.Choice(["", *STATUSES])),
            click.option("--id", "match_id", default="", help="This match id."),
        )
    ):
        command = option(command)
    return command


def _filter(
    result: str, since: datetime | None, until: datetime | None, **texts: str
) -> MatchFilter:
    is_outcome = result in OUTCOMES
    return MatchFilter(
        **texts,
        outcome=result if is_outcome else "",
        goals=None if is_outcome or not result else _goals(result),
        since=_milliseconds(since),
        until=_milliseconds(until),
    )


def _goals(text: str) -> tuple[int, int]:
    low, _, high = text.partition("-")
    if not low.isdecimal() or not (high or low).isdecimal() or len(text) > 20:
        expected = f"expected {', '.join(OUTCOMES)}, a goal value, or a range such as 50-100"
        raise click.BadParameter(f"{expected}; found {text}", param_hint="--result")
    return int(low), int(high or low)


def _milliseconds(time: datetime | None) -> int | None:
    return None if time is None else round(time.timestamp() * 1000)


def _archive(path: Path | None) -> Archive:
    return Archive(path or default_archive())


# ---------------------------------------------------------------------- list


@matches_command.command("list")
@filter_options
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 10_000))
@click.option("--page", default=1, show_default=True, type=click.IntRange(1, 1_000_000))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@archive_option
def list_command(
    archive: Path | None, limit: int, page: int, as_json: bool, **chosen: object
) -> None:
    """List matches, the latest first."""
    found = _archive(archive).list(_filter(**chosen), limit, (page - 1) * limit)  # type: ignore[arg-type] # click has checked them
    if as_json:
        matches = [asdict(match) for match in found.matches]
        _print_json({"total": found.total, "offset": found.offset, "matches": matches})
    else:
        _print_list(found)


def _print_list(page: MatchPage) -> None:
    table = Table("match", "begun", "game", "status", "steps", "result", "match id", box=None)
    for match in page.matches:
        table.add_row(
            str(match.number),
            _time(match.start_time),
            shown(match.game) or match.rules_hash[:8],
            match.status,
            str(match.steps),
            "  ".join(_seat_texts(match)),
            shown(match.match_id),
        )
    console = _console()
    console.print(table)
    if page.matches:
        last = page.offset + len(page.matches)
        console.print(f"{page.offset + 1} to {last} of {page.total}")
    else:
        console.print(f"none of {page.total}")


def _seat_texts(match: MatchSummary) -> Iterable[str]:
    for seat in match.seats:
        is_ours = match.side == "player" and seat.role.lower() == match.role.lower()
        player = f"={shown(seat.player)}" if seat.player else ""
        goal = "" if seat.goal is None else f" {seat.goal}"
        yield f"{'*' if is_ours else ''}{shown(seat.role)}{player}{goal}"


# ---------------------------------------------------------------------- show


@matches_command.command("show")
@click.argument("match")
@click.option("--rules", is_flag=True, help="Print the rules instead.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with what the searches thought.")
@archive_option
def show_command(match: str, archive: Path | None, rules: bool, as_json: bool) -> None:
    """Show a match: who played, every joint move, and what our searches thought."""
    found = _archive(archive).match(match)
    if rules:
        click.echo(found.rules)
    elif as_json:
        values = asdict(found)
        values["document"] = found.document.decode(errors="replace")
        _print_json(values)
    else:
        _print_match(found)


def _print_match(match: ArchivedMatch) -> None:
    console, summary = _console(), match.summary
    console.print(f"match {summary.number}: {shown(summary.match_id)}, {summary.status}")
    facts = {
        "game": f"{shown(summary.game) or 'unknown'}, rules {summary.rules_hash[:8] or 'unknown'}",
        "begun": _time(summary.start_time),
        "clocks": f"start clock {summary.start_clock} s, play clock {summary.play_clock} s",
        "seats": ", ".join(_seat_texts(summary)),
        "strategy": shown(summary.strategy),
        "manager": shown(summary.manager),
        "version": shown(summary.version),
        "reason": shown(summary.reason, 500),
    }
    for key, text in facts.items():
        if text:
            console.print(f"{key:<10}{text}")
    for step in match.steps:
        _print_step(console, match, step.step)
    for problem in match.problems:
        role = f"{shown(problem.role)}: " if problem.role else ""
        console.print(f"problem in turn {problem.turn}: {role}{shown(problem.text, 500)}")


def _print_step(console: Console, match: ArchivedMatch, number: int) -> None:
    step = next(step for step in match.steps if step.step == number)
    if number:
        moves = "  ".join(map(shown, step.joint_move))
        console.print(f"{number:4}  {moves}")
    for error in filter(None, step.errors):
        console.print(f"      error: {shown(error, 300)}")
    for choice in (choice for choice in match.choices if choice.turn == number):
        value = "" if choice.value is None else f", value {choice.value:.4g}"
        proved = ", proved" if choice.proved else ""
        note = f" ({shown(choice.note, 200)})" if choice.note else ""
        who = shown(choice.role)
        console.print(
            f"      {who}: {shown(choice.move)}{value}{proved}{note}, {choice.seconds:.2f} s"
        )
        if choice.line:
            line = "  ".join(" ".join(map(shown, joint_move)) for joint_move in choice.line[:8])
            console.print(f"      {' ' * len(who)}  expects {line}")


# ---------------------------------------------------------------------- export and import


@matches_command.command("export")
@click.argument("matches", nargs=-1, metavar="[MATCH...]")
@click.option("--output", type=_PATH, help="A file for one match, a folder for several.")
@filter_options
@archive_option
def export_command(
    matches: tuple[str, ...], output: Path | None, archive: Path | None, **chosen: object
) -> None:
    """Write the records of matches, in the JSON of ggp.org; an imported one as it was.

    Without a MATCH, all that the options choose are written to the folder --output.
    """
    source = _archive(archive)
    if len(matches) == 1 and (output is None or not output.is_dir()):
        data, _ = export_document(source.match(matches[0]))
        _write(output, data)
        return
    if output is None:
        raise click.UsageError("several matches need the folder --output")
    output.mkdir(parents=True, exist_ok=True)
    chosen_filter = _filter(**chosen)  # type: ignore[arg-type] # click has checked them
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


@matches_command.command("import")
@click.argument("paths", nargs=-1, required=True, type=_PATH, metavar="PATH...")
@click.option("--rules", type=RULESHEET, help="The rulesheet of all these matches.")
@archive_option
def import_command(paths: tuple[Path, ...], rules: Path | None, archive: Path | None) -> None:
    """Add records of matches: files in the JSON of ggp.org or the XML of Dresden, or folders.

    A record that is there is left out. The exit status is 0 if every file could be read.
    """
    target = _archive(archive)
    text, game = _rules(rules)
    added = known = failed = 0
    for found in find_records(paths):
        try:
            record = read_record(found.path, text, game)
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


# ---------------------------------------------------------------------- replay


@matches_command.command("replay")
@click.argument("match")
@click.option("--step", type=click.IntRange(min=0), help="Print the state after so many steps.")
@click.option("--facts", is_flag=True, help="Print each state as a list of facts, not drawn.")
@archive_option
def replay_command(match: str, step: int | None, facts: bool, archive: Path | None) -> None:
    """Step through a match in the terminal; all at once where the output is no terminal."""
    found = _archive(archive).match(match)
    steps = list(replay(found))
    if not steps:
        raise click.ClickException(f"match {match} has no steps")
    if step is not None:
        if step >= len(steps):
            raise click.ClickException(f"match {match} has {len(steps) - 1} steps")
        _print_position(found, steps, step, facts)
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _step_through(found, steps, facts)
    else:
        for number in range(len(steps)):
            _print_position(found, steps, number, facts)


def _step_through(match: ArchivedMatch, steps: Sequence[ReplayedStep], as_facts: bool) -> None:
    """Show the state that the user asks for, until there is no more to ask."""
    place, last = 0, len(steps) - 1
    commands: dict[str, Callable[[int], int]] = {
        "": lambda now: now + 1,
        "n": lambda now: now + 1,
        "b": lambda now: now - 1,
        "f": lambda now: 0,
        "l": lambda now: last,
    }
    while True:
        _print_position(match, steps, place, as_facts)
        prompt = "Enter: next, b: back, f: first, l: last, a number: that step, q: end"
        answer = click.prompt(prompt, default="", show_default=False, prompt_suffix=" > ").strip()
        if answer == "q" or (answer == "" and place == last):
            return
        if answer.isdecimal() and len(answer) < 10:
            place = int(answer)
        elif answer in commands:
            place = commands[answer](place)
        place = max(0, min(last, place))


def _print_position(
    match: ArchivedMatch, steps: Sequence[ReplayedStep], place: int, as_facts: bool
) -> None:
    """Print a step and its state: drawn unless facts are wanted, or there is no drawing."""
    console, step = _console(), steps[place]
    console.print(f"--- step {step.step.step} of {len(steps) - 1}")
    _print_step(console, match, step.step.step)
    before = steps[place - 1].facts if place else ()
    drawing = None if as_facts else draw_state(match.rules, step.facts, before)
    facts = shown_lines("\n".join(step.facts)) or "the state is not known"
    console.print(facts if drawing is None else drawing)


def shown_lines(text: str) -> str:
    """The lines of a text, with control characters escaped."""
    return "\n".join(shown(line, 500) for line in text.splitlines())


# ---------------------------------------------------------------------- delete


@matches_command.command("delete")
@click.argument("matches", nargs=-1, required=True, metavar="MATCH...")
@click.option("--yes", is_flag=True, help="Do not ask.")
@archive_option
def delete_command(matches: tuple[str, ...], yes: bool, archive: Path | None) -> None:
    """Delete matches for good."""
    source = _archive(archive)
    for reference in matches:
        found = source.match(reference).summary
        text = f"match {found.number}, {shown(found.match_id)} of {_time(found.start_time)}"
        if yes or click.confirm(f"delete {text}?"):
            source.delete(found.number)
            click.echo(f"deleted: {text}")


def _time(milliseconds: int) -> str:
    try:
        return f"{datetime.fromtimestamp(milliseconds / 1000):%Y-%m-%d %H:%M:%S}"
    except (ValueError, OverflowError, OSError):
        return f"{milliseconds} ms"


def _print_json(values: object) -> None:
    click.echo(json.dumps(values, indent=2))


def _console() -> Console:
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    return console
