"""The ledger: one file for each experiment, begun before its first match and completed after it.

Whoever says first what is expected, and how much may be spent on it, cannot find out afterwards
that something else was meant; and what failed is seen, too. A file that was never completed is an
experiment that was broken off, and says so. The version has a digest of the strategies' source, as
experiments are made between releases.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import TypeAdapter, ValidationError

from gdl.system import write_whole
from gdl.version import versions
from ggp_player import strategies
from ggp_player.clock import WallClock, wall_clock
from ggp_player.errors import LabError
from ggp_player.lab.duel import Duel, DuelOutcome, End
from ggp_player.lab.report import outcome_to_json, settings_to_json

Status: TypeAlias = Literal["begun", "finished", "interrupted", "failed"]
"""How an experiment stands: ``begun`` until it ends by itself, by Ctrl-C, or by an error."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """An experiment: what was said before it, and what came of it, None until it has ended.

    ``budget`` says what it may cost, in words; ``settings`` and ``outcome`` are those of
    :mod:`.report`, without single pairs. ``began`` and ``ended`` are times of day, UTC, as in ISO
    8601.
    """

    hypothesis: str
    budget: str
    settings: dict[str, Any]
    version: str
    began: str
    status: Status = "begun"
    ended: str | None = None
    outcome: dict[str, Any] | None = None
    note: str = ""


_ENTRY = TypeAdapter(LedgerEntry)


def begin_entry(
    path: Path, hypothesis: str, duel: Duel, clock: WallClock = wall_clock
) -> LedgerEntry:
    """Write the entry of a duel that is about to begin.

    Raises :class:`LabError` where there is a file already, as no experiment replaces another; of
    two that begin at once, one has it.
    """
    try:
        path.touch(exist_ok=False)
    except FileExistsError as error:
        message = f"{path} exists: an experiment of a ledger is not replaced by another"
        raise LabError(message) from error
    games = len(duel.games)
    budget = f"at most {duel.pairs} pairs in each of {games} games, {duel.limit}"
    entry = LedgerEntry(
        hypothesis=hypothesis,
        budget=budget if games > 1 else f"at most {duel.pairs} pairs, {duel.limit}",
        settings=settings_to_json(duel),
        version=f"{versions()}, strategies {strategies_version()}",
        began=_now(clock),
    )
    _write(path, entry)
    return entry


def complete_entry(
    path: Path, entry: LedgerEntry, outcome: DuelOutcome, clock: WallClock = wall_clock
) -> LedgerEntry:
    """Write what came of the duel into its entry."""
    interrupted = outcome.end is End.INTERRUPTED
    completed = replace(
        entry,
        status="interrupted" if interrupted else "finished",
        ended=_now(clock),
        outcome=outcome_to_json(outcome, with_pairs=False),
    )
    _write(path, completed)
    return completed


def fail_entry(
    path: Path, entry: LedgerEntry, reason: str, clock: WallClock = wall_clock
) -> LedgerEntry:
    """Write into the entry why the duel could not be played."""
    failed = replace(entry, status="failed", ended=_now(clock), note=reason)
    _write(path, failed)
    return failed


def read_ledger(folder: Path) -> list[tuple[str, LedgerEntry]]:
    """Read the entries of a folder, with the names of their files; the newest comes first.

    Raises :class:`LabError` for a file that is no entry.
    """
    entries = []
    for path in sorted(folder.glob("*.json")):
        try:
            entries.append((path.stem, _ENTRY.validate_json(path.read_bytes())))
        except ValidationError as error:
            problem = error.errors()[0]
            where = ".".join(map(str, problem["loc"])) or "the file"
            raise LabError(f"{path} is no entry of a ledger: {where}: {problem['msg']}") from error
    return sorted(entries, key=lambda named: (named[1].began, named[0]), reverse=True)


def ledger_page(entries: Sequence[tuple[str, LedgerEntry]]) -> str:
    """A page of Markdown: a table of all experiments, then what each game has shown."""
    lines = [
        "# Experiments",
        "",
        "Written by `ggp-player lab ledger`; the newest comes first. Points are A's, with their "
        "95 % interval, over all games at equal weight.",
        "",
        "| experiment | hypothesis | A | B | games | pairs | points % | Elo | verdict |",
        "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | --- |",
        *(_row(name, entry) for name, entry in entries),
    ]
    for name, entry in entries:
        lines += ["", *_section(name, entry)]
    return "\n".join(lines) + "\n"


def _row(name: str, entry: LedgerEntry) -> str:
    settings, found = entry.settings, (entry.outcome or {}).get("all", {"pairs": 0})
    cells = [
        f"[{name}](#{name.lower()})",
        entry.hypothesis,
        f"`{settings['a']}`",
        f"`{settings['b']}`",
        str(len(settings["games"])),
        str(found["pairs"]),
        _points(found),
        _elo(found),
        _verdict(entry),
    ]
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _section(name: str, entry: LedgerEntry) -> list[str]:
    settings = entry.settings
    test = settings["test"]
    told = (
        f"{entry.began[:10]}, {entry.version}. Budget: {entry.budget}. Seed {settings['seed']}, "
        f"openings of {settings['plies'][0]} to {settings['plies'][1]} plies, "
        f"{test['elo0']:g} against {test['elo1']:g} Elo. Verdict: {_verdict(entry)}."
    )
    lines = [f"## {name}", "", told]
    if entry.outcome is None:
        return lines
    rows = [
        f"| {game['game']} | {game['pairs']} | {game['won']}, {game['drawn']}, {game['lost']} "
        f"| {_points(game)} | {_elo(game)} | {game.get('llr', 0):.2f} |"
        for game in entry.outcome["games"]
    ]
    head = [
        "| game | pairs | won, drawn, lost | points % | Elo | LLR |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    return [*lines, "", *head, *rows]


def _points(found: dict[str, Any]) -> str:
    if not found["pairs"]:
        return ""
    low, high = (f"{100 * bound:.1f}" for bound in found["interval"])
    return f"{100 * found['points']:.1f} ({low} to {high})"


def _elo(found: dict[str, Any]) -> str:
    if not found["pairs"] or found["elo"][0] is None:
        return ""
    return f"{found['elo'][0]:+.0f}"


def _verdict(entry: LedgerEntry) -> str:
    if entry.status == "begun":
        return "broken off"
    if entry.status == "failed":
        return f"failed: {entry.note}"
    assert entry.outcome is not None
    return str(entry.outcome["words"])


@cache
def strategies_version() -> str:
    """A digest of the source of our strategies, eight hex digits."""
    folder = Path(strategies.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        text = path.read_bytes()
        digest.update(f"{path.relative_to(folder)} {len(text)} ".encode() + text)
    return digest.hexdigest()[:8]


def _now(clock: WallClock) -> str:
    return datetime.fromtimestamp(clock() / 1000, UTC).isoformat(timespec="seconds")


def _write(path: Path, entry: LedgerEntry) -> None:
    write_whole(path, (json.dumps(asdict(entry), indent=2) + "\n").encode())
