"""A manager that is killed again and again: does it report each match once?

``python -m tests.attack.manager_kills --matches 10000 --players 50 --kills 20`` starts stub players
of tic-tac-toe, and the manager with a new database; begins events of so many matches by the API;
kills the manager with SIGKILL at random instants and starts it again, until all events are over.
Then it counts what the API reports, what the records say, and what the players were asked, and ends
with status 1 where a match is missing, was played to its end twice, or has an error in its record.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from tests.support.paths import ROOT
from tests.support.server_process import ServerProcess

LIMIT_SECONDS = 30.0
"""How long an answer of the API may take."""


class KilledManager(ServerProcess):
    """A manager in a process of its own, on one database: a file in the folder, or a URL."""

    def __init__(self, folder: Path, database: str = "") -> None:
        database = database or str(folder / "manager.sqlite")
        super().__init__(folder, "--database", database, command="manager")

    def ask(self, path: str, sent: object = None, method: str = "") -> Any:
        """Make a request of the API."""
        return ask_manager(self, path, sent, method)


def ask_manager(
    server: ServerProcess, path: str, sent: object = None, method: str = "", token: str = ""
) -> Any:
    """Make a request of a manager's API; return the JSON of the answer. Raises OSError if none."""
    data = None if sent is None else json.dumps(sent).encode()
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    method = method or ("GET" if data is None else "POST")
    request = Request(server.url(path), data=data, headers=headers, method=method)
    with urlopen(request, timeout=LIMIT_SECONDS) as answer:
        return json.load(answer)


@dataclass
class Report:
    """What was found at the end."""

    matches: int = 0
    problems: list[str] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    attempts: int = 0
    kills: int = 0
    seconds: float = 0.0
    steps: int = 0
    errors: Counter[str] = field(default_factory=Counter)

    def lines(self) -> Iterator[str]:
        """Say it in lines of text."""
        yield f"{self.matches} matches in {self.seconds:.0f} s, {self.kills} kills"
        yield f"statuses {dict(self.statuses)}; {self.attempts} attempts; {self.steps} steps"
        yield f"errors in records {dict(self.errors)}"
        yield from self.problems or ["each match was reported once"]


class StubProcess:
    """Players in a process of their own, at ``ports``; ``asked`` says at the end what they were.

    They are those of a module of ``tests.support``, which gets the arguments.
    """

    def __init__(self, *arguments: int, module: str = "stub_players") -> None:
        command = [sys.executable, "-m", f"tests.support.{module}", *map(str, arguments)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT)
        assert self._process.stdout is not None
        self.ports = list(map(int, self._process.stdout.readline().split()))

    def asked(self) -> Any:
        """End the process, and return what it says: how many got START and STOP, by match id."""
        output, _ = self._process.communicate("")
        return json.loads(output)

    def close(self) -> None:
        """End the process, if it is not over."""
        self._process.kill()
        self._process.communicate()


def events_of(names: list[str], matches: int) -> list[dict[str, object]]:
    """Return events of so many matches together: round robins, and Swiss events for the rest."""
    pairs, rest = len(names) * (len(names) - 1), matches
    found: list[dict[str, object]] = []
    if rounds := rest // pairs:
        found.append(_event("round_robin", names, rounds))
        rest -= rounds * pairs
    in_round = len(names) // 2 * 2
    if rounds := rest // in_round:
        found.append(_event("swiss", names, rounds))
        rest -= rounds * in_round
    if rest:
        found.append(_event("swiss", names[:rest], 1))
    return found


def _event(kind: str, names: list[str], rounds: int) -> dict[str, object]:
    clocks = {"start_clock": 1, "play_clock": 1, "seed": 7}
    games = ["ticTacToe"]
    return {
        "name": kind,
        "format": kind,
        "games": games,
        "players": names,
        "rounds": rounds,
    } | clocks


@dataclass(frozen=True, slots=True)
class Attack:
    """How much is played, and how often the manager is killed."""

    matches: int
    players: int
    kills: int
    seed: int = 0


def run(attack: Attack, manager: KilledManager) -> Report:
    """Play, kill, count."""
    matches, report, random = attack.matches, Report(), Random(attack.seed)
    began = time.monotonic()
    with closing(StubProcess(attack.players)) as stubs, manager:
        _begin(manager, stubs.ports, matches)
        for instant in sorted(random.uniform(0.02, 0.98) * matches for _ in range(attack.kills)):
            _wait_until(manager, instant, matches)
            time.sleep(random.uniform(0, 0.3))
            manager.kill()
            report.kills += 1
            manager.start()
        _wait_until(manager, matches, matches)
        report.seconds = time.monotonic() - began
        match_ids = _count(manager, report, matches)
        manager.stop()
        _compare(report, match_ids, stubs.asked())
    return report


def _begin(manager: KilledManager, ports: list[int], matches: int) -> None:
    names = [f"stub{number:02}" for number in range(len(ports))]
    for name, port in zip(names, ports, strict=True):
        manager.ask(f"/api/players/{name}", {"address": f"127.0.0.1:{port}"}, "PUT")
    for event in events_of(names, matches):
        manager.ask("/api/events", event)


def _compare(report: Report, match_ids: set[str], asked: dict[str, dict[str, int]]) -> None:
    """Note where what the players were asked is not what the manager reports."""
    if others := set(asked["stopped"]) - match_ids:
        report.problems.append(f"{len(others)} matches were played to their end, and not reported")
    if missing := {one for one in match_ids if asked["started"].get(one) != 2}:
        report.problems.append(f"{len(missing)} matches were reported that were not played")


def _wait_until(manager: KilledManager, ended: float, matches: int) -> None:
    pause = min(0.5, 20 / matches)
    while True:
        try:
            counts = manager.ask("/api/status")["matches"]
        except URLError:
            time.sleep(pause)
            continue
        done = counts.get("completed", 0) + counts.get("failed", 0)
        if done >= ended:
            return
        time.sleep(pause)


def _count(manager: KilledManager, report: Report, expected: int) -> set[str]:
    """Read every match and its record, note what is wrong, and return the match ids."""
    last, match_ids = 0, Counter[str]()
    places = Counter[tuple[object, ...]]()
    while batch := manager.ask(f"/api/matches?after={last}&limit=1000"):
        for match in batch:
            last = match["id"]
            report.matches += 1
            report.statuses[match["status"]] += 1
            report.attempts += match["attempts"]
            match_ids[match["match_id"]] += 1
            places[match["event"], match["game"], match["round"], *match["players"]] += 1
            record = manager.ask(f"/api/matches/{last}/record")
            report.steps += len(record["moves"])
            report.errors.update(error for step in record["errors"] for error in step if error)
            if not record["isCompleted"] or record["matchId"] != match["match_id"]:
                report.problems.append(f"the record of match {last} is not that of its end")
    if report.matches != expected or report.statuses["completed"] != expected:
        report.problems.append(f"expected {expected} completed matches")
    twice = [key for counter in (match_ids, places) for key, n in counter.items() if n > 1]
    report.problems += [f"{key} is there twice" for key in twice]
    rows = [row for one in manager.ask("/api/events") for row in _standings(manager, one["id"])]
    if sum(row["matches"] for row in rows) != 2 * expected:
        report.problems.append("the standings count other matches")
    return set(match_ids)


def _standings(manager: KilledManager, event: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = manager.ask(f"/api/events/{event}/standings")
    return found


def main() -> int:
    """Run it with the numbers of the command line; return 1 where something is wrong."""
    parser = argparse.ArgumentParser(description="Kill a manager again and again.")
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--players", type=int, default=50)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="a folder for database and log")
    parser.add_argument("--database", default="", help="the URL of an empty one, not SQLite")
    given = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        attack = Attack(given.matches, given.players, given.kills, given.seed)
        report = run(attack, KilledManager(folder, given.database))
    print(*report.lines(), sep="\n")
    return bool(report.problems)


if __name__ == "__main__":
    sys.exit(main())
