"""Matches of the archive as records of ggp.org, and back.

A match that was imported is exported with the same bytes. The record of any other is made of what
is known: a player knows the errors and the names of the others not, and such entries are empty.
Records are found in files and folders, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ggp_player.archive.archived_match import ArchivedMatch, ArchivedStep, NewMatch, SeatSummary
from ggp_player.archive.dresden_xml import parse_xml_record
from ggp_player.archive.replay import states_of
from ggp_player.errors import ArchiveError
from ggp_player.protocol import MatchRecord, StateTexts

MOST_PROBLEMS = 3
"""Faults of a record that one message names."""

BIGGEST = 2**63 - 1
"""The biggest number that the database holds."""

MAX_RECORD = 2**28
"""Bytes of the longest record that is read."""

_STEP_FILE = re.compile(r"step_(\d{1,9})\.xml")
_FINAL_FILE = "finalstate.xml"


def export_document(match: ArchivedMatch) -> tuple[bytes, str]:
    """Return the record of a match, and its format: ``xml`` where that was imported, or ``json``.

    Raises :class:`ArchiveError` where the states cannot be computed.
    """
    if match.document:
        return match.document, match.document_format
    return f"{match_record(match).to_json()}\n".encode(), "json"


def match_record(match: ArchivedMatch) -> MatchRecord:
    """Make the record of a match. Raises :class:`ArchiveError` where its states are not known."""
    if match.document_format == "json":
        return MatchRecord.from_json(match.document)
    summary = match.summary
    names = tuple(seat.player for seat in summary.seats)
    steps = _all_steps(match)
    count, kept = 0, StateTexts()
    for state in states_of(match):
        kept.add_text(state)
        count += 1
    if count != len(steps):
        raise ArchiveError(f"match {summary.number}: its rules are not known, and so its states")
    has_goals = summary.side == "manager" or any(s.goal is not None for s in summary.seats)
    is_completed = summary.status == "completed" and has_goals
    return MatchRecord(
        match_id=summary.match_id,
        start_time=summary.start_time,
        start_clock=summary.start_clock,
        play_clock=summary.play_clock,
        player_names_from_host=names,
        states=kept.texts or (),
        states_left_out=kept.texts is None,
        state_times=tuple(step.time for step in steps),
        moves=tuple(step.joint_move for step in steps[1:]),
        errors=tuple(step.errors or ("",) * len(names) for step in steps),
        goal_values=tuple(s.goal or 0 for s in summary.seats) if is_completed else (),
        is_completed=is_completed,
        is_aborted=summary.status == "aborted",
        scrambled=bool(match.details.get("scrambled")),
        random_token=str(match.details.get("random_token", "")),
        game_meta_url=str(match.details.get("rulesheet_url", "")),
        is_player_human=(False,) * len(names),
    )


def _all_steps(match: ArchivedMatch) -> tuple[ArchivedStep, ...]:
    """The steps from the start on, which a match may lack that was broken off at once."""
    if match.steps and match.steps[0].step == 0:
        steps = match.steps
    else:
        steps = (ArchivedStep(0, (), match.summary.start_time), *match.steps)
    if [step.step for step in steps] != list(range(len(steps))):
        raise ArchiveError(f"match {match.summary.number} lacks a step")
    return steps


def parse_json_record(data: bytes) -> NewMatch:
    """Read a record of ggp.org. Raises :class:`ArchiveError`, which says what is wrong, and where.

    Keys that some game managers leave out get values that say nothing.
    """
    try:
        values = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ArchiveError(f"it is no JSON: {error}") from error
    if not isinstance(values, dict):
        raise ArchiveError(f"expected a JSON object; found {type(values).__name__}")
    try:
        record = MatchRecord.from_json(json.dumps(_completed(values)))
    except (ValidationError, ValueError, RecursionError) as error:
        raise ArchiveError(_sentence(error)) from error
    numbers = (record.start_time, record.start_clock, record.play_clock)
    if max(map(abs, (*numbers, *record.state_times, *record.goal_values))) > BIGGEST:
        raise ArchiveError("a number is too big")
    return _new_match(record, data)


def _new_match(record: MatchRecord, data: bytes) -> NewMatch:
    names = record.player_names_from_host
    goals = record.goal_values or (None,) * len(names)
    moves = ((), *record.moves)
    steps = zip(moves, record.state_times, record.errors, strict=True)
    finished = "completed" if record.is_completed else "interrupted"
    return NewMatch(
        match_id=record.match_id,
        start_time=record.start_time,
        start_clock=record.start_clock,
        play_clock=record.play_clock,
        seats=tuple(SeatSummary("", name, goal) for name, goal in zip(names, goals, strict=True)),
        steps=tuple(ArchivedStep(number, *step) for number, step in enumerate(steps)),
        status="aborted" if record.is_aborted else finished,
        document=data,
        document_format="json",
        game=_game_at(record.game_meta_url),
    )


def _completed(values: dict[str, Any]) -> dict[str, Any]:
    """The record with what some game managers leave out."""
    states, moves = values.get("states"), values.get("moves")
    roles = _roles(values)
    if not isinstance(states, list) or not isinstance(moves, list):
        return values
    added: dict[str, Any] = {
        "playerNamesFromHost": [""] * roles,
        "errors": [[""] * roles] * len(states),
        "stateTimes": [values.get("startTime", 0)] * len(states),
    }
    return {**added, **values}


def _roles(values: dict[str, Any]) -> int:
    """How many roles there are, as far as the record shows it."""
    for key in ("playerNamesFromHost", "goalValues", "isPlayerHuman"):
        if isinstance(values.get(key), list) and values[key]:
            return len(values[key])
    moves = values.get("moves")
    is_list = isinstance(moves, list) and bool(moves) and isinstance(moves[0], list)
    return len(moves[0]) if is_list and isinstance(moves, list) else 0


def _sentence(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return f"it is no match record: {error}"
    problems = "; ".join(
        f"{'.'.join(map(str, problem['loc'])) or 'record'}: {problem['msg']}"
        for problem in error.errors()[:MOST_PROBLEMS]
    )
    return f"it is no match record: {problems}"


def _game_at(url: str) -> str:
    """The game's name in an address such as http://games.ggp.org/base/games/ticTacToe/v0/."""
    parts = [part for part in url.split("/") if part]
    while parts and parts[-1][:1] == "v" and parts[-1][1:].isdigit():
        parts.pop()
    return parts[-1].removesuffix(".kif")[:100] if len(parts) > 1 else ""


def find_records(paths: Iterable[Path]) -> Iterator[Path]:
    """Find the files that may hold records, in folders all that are in them, by their names.

    Of the files that the Dresden GameController has written for one match, only the last counts.
    """
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        files = sorted(file for file in path.rglob("*") if file.suffix in {".json", ".xml"})
        for file in files:
            if file.is_file() and not _is_superseded(file):
                yield file


def read_record(path: Path, rules: str = "", game: str = "") -> NewMatch:
    """Read a record, whose rules and game may be known, with the file's name in errors.

    What begins with ``<`` is XML, whatever its name. Raises :class:`ArchiveError`.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_RECORD + 1)
    except OSError as error:
        raise ArchiveError(f"{path} cannot be read: {error.strerror or error}") from error
    if len(data) > MAX_RECORD:
        raise ArchiveError(f"{path} has more than {MAX_RECORD} bytes, the most that are read")
    is_xml = data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
    parse = parse_xml_record if is_xml else parse_json_record
    try:
        found = parse(data)
    except ArchiveError as error:
        raise ArchiveError(f"{path}: {error}") from error
    return replace(found, rules=rules, game=game or found.game)


def _is_superseded(file: Path) -> bool:
    """Check whether a later file of the same match is beside this one."""
    step = _STEP_FILE.fullmatch(file.name)
    if step is None:
        return False
    if (file.parent / _FINAL_FILE).exists():
        return True
    others = (_STEP_FILE.fullmatch(other.name) for other in file.parent.glob("step_*.xml"))
    return any(other is not None and int(other[1]) > int(step[1]) for other in others)
