"""A scenario for the manager: an event of honest players, beside attacks, and what they cost.

The players answer at once and correctly, so each move that the manager replaces is a loss. The
manager listens for others, too, so that whatever changes something needs a token.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ggp_player.manager_service.rules import rules_process
from ggp_player.manager_service.rules.rules_pool import MAX_PROCESSES
from ggp_player.manager_service.storage.database import Database
from ggp_player.manager_service.storage.tokens import Role, TokenStore
from ggp_player.protocol import CONNECTION_ERROR, TIMEOUT
from tests.attack.bystander import Turns
from tests.attack.manager_attacks import MANAGER_ATTACKS, Rival
from tests.attack.manager_kills import StubProcess, ask_manager
from tests.attack.scenario import (
    Outcome,
    Scenario,
    attacked,
    few_files,
    read_log,
    run,
    sampled,
    settled,
    stop_gently,
    usual_descriptors,
)
from tests.support.left_behind import command_line
from tests.support.server_process import ServerProcess

PLAYERS = 4
"""Honest players."""

ENDING_SECONDS = 60.0
"""How long matches may go on after the event was cancelled."""

ENDED = frozenset({"completed", "failed"})
"""The statuses of matches that have a result."""


class Organiser:
    """Who holds an event; asks the manager's API with a token."""

    def __init__(self, server: ServerProcess, token: str) -> None:
        self._server = server
        self._token = token

    def ask(self, path: str, sent: object = None, method: str = "") -> Any:
        """Make a request, and return the JSON of the answer. Raises OSError where there is none."""
        return ask_manager(self._server, path, sent, method, self._token)

    def add(self, name: str, port: int) -> None:
        """Add a player that listens at a port of this machine."""
        self.ask(f"/api/players/{name}", {"address": f"127.0.0.1:{port}"}, "PUT")

    def post_event(self, sent: object) -> int:
        """Begin an event, and return its number."""
        return int(self.ask("/api/events", sent)["id"])

    def begin(self, ports: list[int]) -> int:
        """Begin an event without an end between players at these ports; return its number."""
        names = [f"honest{number}" for number in range(len(ports))]
        for name, port in zip(names, ports, strict=True):
            self.add(name, port)
        settings = {"games": ["ticTacToe"], "rounds": 0, "start_clock": 2, "play_clock": 1}
        return self.post_event(
            {"name": "attacked", "format": "ladder", "players": names, **settings}
        )

    def end(self, event: int) -> list[Mapping[str, Any]]:
        """Cancel an event, wait until its matches are over, and return them."""
        self.ask(f"/api/events/{event}/cancel", {})
        limit = time.monotonic() + ENDING_SECONDS
        while self.ask(f"/api/matches?event={event}&status=running"):
            assert time.monotonic() < limit, "matches go on after their event was cancelled"
            time.sleep(0.1)
        return [
            match for match in self.matches(event) if match["status"] in {"completed", "failed"}
        ]

    def matches(self, event: int) -> list[Mapping[str, Any]]:
        """List the matches of an event."""
        found: list[Mapping[str, Any]] = []
        while batch := self.ask(f"/api/matches?event={event}&limit=1000&after={_last(found)}"):
            found += batch
        return found


def _last(matches: list[Mapping[str, Any]]) -> int:
    return int(matches[-1]["id"]) if matches else 0


def run_event(scenario: Scenario, folder: Path) -> Outcome:
    """Run a scenario of attacks on a manager, whose log and database are in the folder."""
    outcome = Outcome()
    with ExitStack() as stack:
        stack.enter_context(few_files())
        database = folder / "manager.sqlite"
        secrets = tokens_of(database)
        flags = ("--database", str(database))
        server = ServerProcess(folder, *flags, command="manager", host="0.0.0.0")
        stack.enter_context(server)
        stubs = stack.enter_context(closing(StubProcess(PLAYERS)))
        organiser = Organiser(server, secrets["organiser"])
        before = usual_descriptors(server)
        event = organiser.begin(stubs.ports)
        attacks = [MANAGER_ATTACKS[name] for name in scenario.names]
        rival = Rival(server.address[1], scenario.seed, scenario.strength, **secrets)
        with sampled(server, outcome), attacked(attacks, rival):
            time.sleep(scenario.seconds)
        count(outcome.turns, organiser.end(event))
        allowed = before + kept_descriptors(server)
        outcome.descriptors = max(0, settled(server, allowed) - allowed)
        outcome.stop_seconds = stop_gently(server)
        outcome.processes = len(server.wait_until_alone())
        read_log(server, outcome)
    return outcome


def kept_descriptors(server: ServerProcess) -> int:
    """How many descriptors a manager keeps after its matches: players' and its rules' sockets."""
    rules = [pid for pid in server.pids() if rules_process.__name__ in command_line(pid)]
    return PLAYERS + min(len(rules), MAX_PROCESSES)


def run_alone(scenario: Scenario) -> Outcome:
    """Run a scenario in a new folder, which is deleted afterwards."""
    run_this = run_event if scenario.names[0] in MANAGER_ATTACKS else run
    with TemporaryDirectory() as name:
        return run_this(scenario, Path(name))


def tokens_of(database: Path) -> dict[str, str]:
    """Make the tokens of a player, an organiser, and a player who is a victim; by these names."""
    roles: dict[str, Role] = {
        "player": "player",
        "organiser": "organiser",
        "victim": "player",
    }
    with closing(Database(str(database))) as opened:
        tokens = TokenStore(opened.engine)
        return {name: tokens.create(name, role) for name, role in roles.items()}


def count(turns: Turns, matches: list[Mapping[str, Any]]) -> None:
    """Count the moves of honest players, and those that the manager has replaced."""
    for match in matches:
        result = match["result"]
        turns.played += result["steps"] * len(result["roles"])
        turns.longest = max([turns.longest, *result["longest_replies"]])
        if result["failure"]:
            turns.illegal += 1
            turns.note(match["match_id"], result["failure"])
        for error in (error for errors in result["errors"] for error in errors):
            is_late = error.split(" ")[1] in (TIMEOUT, CONNECTION_ERROR)
            turns.late += is_late
            turns.illegal += not is_late
            turns.note(match["match_id"], error)
