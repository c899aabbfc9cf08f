"""The command ``ggp-player matches``: the archive of matches."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table

from ggp_player.archive import default_archive
from ggp_player.archive.archived_match import ArchivedMatch, MatchFilter, MatchPage, MatchSummary
from ggp_player.archive.queries import Archive
from ggp_player.cli.terminal import result_console
from ggp_player.logs import shown

if TYPE_CHECKING:
    from gdl.analysis.move_names import MoveNames

OUTCOMES = ("win", "draw", "loss")


def filter_of(
    result: str, since: datetime | None, until: datetime | None, **texts: str
) -> MatchFilter:
    """Return the filter that the options of a command line describe."""
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


def archive_of(path: Path | None) -> Archive:
    """Return the archive at a path, or the user's own."""
    return Archive(path or default_archive())


# ---------------------------------------------------------------------- list


def run_list(archive: Path | None, limit: int, page: int, as_json: bool, **chosen: object) -> None:
    """List matches, the latest first."""
    found = archive_of(archive).list(filter_of(**chosen), limit, (page - 1) * limit)  # type: ignore[arg-type] # click has checked them
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
    console = result_console(wraps=False)
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


def run_show(match: str, archive: Path | None, rules: bool, as_json: bool) -> None:
    """Show a match: who played, every joint move, and what our searches thought."""
    found = archive_of(archive).match(match)
    if rules:
        click.echo(found.rules)
    elif as_json:
        values = asdict(found)
        values["document"] = found.document.decode(errors="replace")
        _print_json(values)
    else:
        _print_match(found)


def _print_match(match: ArchivedMatch) -> None:
    console, summary = result_console(wraps=False), match.summary
    console.print(f"match {summary.number}: {shown(summary.match_id)}, {summary.status}")
    facts = {
        "game": f"{shown(summary.game) or 'unknown'}, rules {summary.rules_hash[:8] or 'unknown'}",
        "begun": _time(summary.start_time),
        "clocks": f"start clock {summary.start_clock} s, play clock {summary.play_clock} s",
        "seats": ", ".join(_seat_texts(summary)),
        "kind": shown(str(match.details.get("about_game", "")), 500),
        "strategy": shown(summary.strategy),
        "manager": shown(summary.manager),
        "version": shown(summary.version),
        "reason": shown(summary.reason, 500),
    }
    for key, text in facts.items():
        if text:
            console.print(f"{key:<10}{text}")
    for step in match.steps:
        print_step(console, match, step.step)
    for problem in match.problems:
        role = f"{shown(problem.role)}: " if problem.role else ""
        console.print(f"problem in turn {problem.turn}: {role}{shown(problem.text, 500)}")


def print_step(
    console: Console, match: ArchivedMatch, number: int, names: MoveNames | None = None
) -> None:
    """Print a step of a match, and what our searches thought of it; moves are called by names."""
    step = next(step for step in match.steps if step.step == number)
    if number:
        console.print(f"{number:4}  {_joint_move(step.joint_move, names)}")
    for error in filter(None, step.errors):
        console.print(f"      error: {shown(error, 300)}")
    for choice in (choice for choice in match.choices if choice.turn == number):
        value = "" if choice.value is None else f", value {choice.value:.4g}"
        proved = ", proved" if choice.proved else ""
        note = f" ({shown(choice.note, 200)})" if choice.note else ""
        who, move = shown(choice.role), _called(choice.move, names)
        console.print(f"      {who}: {move}{value}{proved}{note}, {choice.seconds:.2f} s")
        if choice.line:
            line = "  ".join(_joint_move(moves, names, " ") for moves in choice.line[:8])
            console.print(f"      {' ' * len(who)}  expects {line}")


def _joint_move(moves: Sequence[str], names: MoveNames | None, gap: str = "  ") -> str:
    """Write a joint move; with names, without the moves of roles that only waited."""
    acting = [move for move in moves if names is None or not names.waits(move)]
    return gap.join(_called(move, names) for move in acting or moves)


def _called(move: str, names: MoveNames | None) -> str:
    return shown(move if names is None else names.name(move))


# ---------------------------------------------------------------------- delete


def run_delete(matches: tuple[str, ...], yes: bool, archive: Path | None) -> None:
    """Delete matches for good."""
    source = archive_of(archive)
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
