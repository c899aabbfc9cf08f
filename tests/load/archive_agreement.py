"""Does the archive of a player server agree with the records that its game manager keeps?

Matches are played by our game manager, which keeps a record of each in the JSON of ggp.org. The
server is a process of its own, which knows of a match only what messages tell it. Then the archive
is exported by ``ggp-player matches export`` and compared, match for match.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import gdl
from gdl.system import resident_memory
from ggp_player.archive.archived_match import MatchSummary
from ggp_player.archive.queries import Archive
from ggp_player.protocol import MatchRecord
from tests.load.matches import Game, Played
from tests.support.left_behind import becomes_true
from tests.support.paths import GAMES, ROOT
from tests.support.server_process import ServerProcess

COMPARED = (
    *("start_clock", "play_clock", "states", "moves", "goal_values"),
    *("is_completed", "is_aborted"),
)
"""The keys of records that must be equal.

What is left out differs by nature: times are of two clocks, and a player is told neither the names
of the others, nor the errors, the random token, or where the rulesheet is.
"""

START_CLOCK = 10
PLAY_CLOCK = 1

SETTLING_SECONDS = 10.0
"""How long the archive's thread may take for what the last message of a match told."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """How many matches of a game are played, how many at a time, and by which strategy."""

    matches: int
    jobs: int = 1
    game: str = "ticTacToe"
    strategy: str = "legal"
    seed: int = 0


@dataclass(slots=True)
class Agreement:
    """What the comparison found: one sentence for each difference, and what matches have cost.

    ``memory`` is the resident memory of the server in bytes after a tenth of the matches and after
    the last one.
    """

    matches: int = 0
    moves: int = 0
    late: int = 0
    illegal: int = 0
    longest: float = 0.0
    memory: list[int] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)


async def play_matches(server: ServerProcess, fixture: Fixture, records: Path) -> Agreement:
    """Play the matches, and write the game manager's records to a folder."""
    found = Agreement()
    ruleset = gdl.load(GAMES / f"{fixture.game}.kif")
    game = Game(ruleset, gdl.interpret(ruleset), server.address, START_CLOCK, PLAY_CLOCK)
    numbers = iter(range(fixture.matches))

    async def play() -> None:
        for number in numbers:
            name, ours = f"{fixture.game}.{number:06}", number % 2
            played = await game.play(name, ours, fixture.seed + number)
            played.record.save(records / f"{name}.json")
            _count(found, played)
            if found.matches in {max(1, fixture.matches // 10), fixture.matches}:
                found.memory.append(resident_memory(server.process.pid))

    async with asyncio.TaskGroup() as group:
        for _ in range(fixture.jobs):
            group.create_task(play())
    return found


def _count(found: Agreement, played: Played) -> None:
    found.matches += 1
    found.moves += len(played.record.moves)
    errors = [step[played.ours] for step in played.record.errors]
    found.late += sum(error == "TO" for error in errors)
    found.illegal += sum(error not in {"", "TO"} for error in errors)
    found.longest = max(found.longest, *(reply.seconds for reply in played.replies))


def wait_until_written(archive: Path, matches: int) -> None:
    """Wait until the archive knows of so many matches that they are completed."""

    def is_written() -> bool:
        return sum(row.status == "completed" for row in _rows(archive)) >= matches

    becomes_true(is_written, SETTLING_SECONDS)


def _rows(archive: Path) -> Sequence[MatchSummary]:
    return Archive(archive).list(limit=10_000_000).matches


def export(archive: Path, folder: Path) -> None:
    """Export all matches of an archive to a folder, as a user does."""
    command = [sys.executable, "-m", "ggp_player", "matches", "export", "--output", str(folder)]
    subprocess.run([*command, "--archive", str(archive)], cwd=ROOT, check=True)


def compare(archive: Path, exported: Path, records: Path, roles: Sequence[str]) -> list[str]:
    """Compare an archive, and what was exported of it, with the records of a game manager."""
    theirs = _read(records)
    ours = _read(exported)
    found = [f"{name} is not in the archive" for name in theirs.keys() - ours.keys()]
    found += [f"{name} is in the archive alone" for name in ours.keys() - theirs.keys()]
    for name in sorted(theirs.keys() & ours.keys()):
        for key in COMPARED:
            if getattr(theirs[name], key) != getattr(ours[name], key):
                found.append(f"{name}: {key} differs")
    for match in Archive(archive).list(limit=10_000_000).matches:
        if tuple(seat.role for seat in match.seats) != tuple(roles):
            found.append(f"{match.match_id}: its roles differ")
        expected = roles[int(match.match_id.rpartition(".")[2]) % 2]
        if match.role != expected:
            found.append(f"{match.match_id}: our role is {match.role}, not {expected}")
    return found


def _read(folder: Path) -> dict[str, MatchRecord]:
    records = [MatchRecord.from_json(file.read_bytes()) for file in folder.glob("*.json")]
    found = {record.match_id: record for record in records}
    assert len(found) == len(records), "a match is there twice"
    return found


def check_agreement(folder: Path, fixture: Fixture) -> Agreement:
    """Play matches in a server that is started for it, and compare its archive with the records."""
    archive, records, exported = (folder / name for name in ("a.sqlite", "records", "exported"))
    records.mkdir()
    flags = ("--archive", str(archive), "--strategy", fixture.strategy)
    most = ("--max-matches", str(max(4, 2 * fixture.jobs)))
    with ServerProcess(folder, *flags, *most) as server:
        found = asyncio.run(play_matches(server, fixture, records))
        wait_until_written(archive, fixture.matches)
        server.stop()
    export(archive, exported)
    roles = tuple(map(str, gdl.load(GAMES / f"{fixture.game}.kif").roles))
    found.differences = compare(archive, exported, records, roles)
    return found
