"""An event in which some players are hostile, and strangers attack the manager: is it scored right?

Two honest players are stubs, one is a player server that registers itself, one a player server that
polls. What the hostile ones did is known from themselves. So each error of a record is checked
against what happened, and each match is played once more by the rules.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

import gdl
from gdl.system import resident_memory
from ggp_player.protocol import MatchRecord
from tests.attack.event_scenario import Organiser, tokens_of
from tests.attack.manager_attacks import MANAGER_ATTACKS, Rival
from tests.attack.manager_kills import StubProcess
from tests.attack.scenario import Outcome, attacked
from tests.support.hostile_players import EXPECTED, Behaviour
from tests.support.paths import GAMES
from tests.support.server_process import ServerProcess

HONEST = ("stub0", "stub1", "server", "polling")

HOSTILE = ("hostile0", "hostile1")

ROUND = len(HONEST + HOSTILE) * (len(HONEST + HOSTILE) - 1)
"""Matches of a round: everybody meets everybody in both seatings."""

STRANGERS = ("manager: idle connections", "manager: garbage")
"""What strangers do all the while."""

LOOK = 1.0
"""Seconds between two looks at the event and at the manager's memory."""


@dataclass(frozen=True)
class Settings:
    """How many matches are played at least, with which clocks, and how hard strangers attack."""

    matches: int
    start_clock: int = 2
    play_clock: int = 1
    strength: float = 1.0
    seed: int = 0


@dataclass
class Findings:
    """What was found; ``memory`` has the manager's bytes, one after each look."""

    matches: int = 0
    moves: int = 0
    replaced: Counter[str] = field(default_factory=Counter)
    attempts: int = 0
    problems: list[str] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    seconds: float = 0.0
    outcome: Outcome = field(default_factory=Outcome)

    def lines(self) -> Iterator[str]:
        """Say it in lines of text."""
        first = self.memory[len(self.memory) // 10 :][:1] or [0]
        sizes = f"{first[0] / 1e6:.0f} MB after a tenth, {self.memory[-1] / 1e6:.0f} MB at the end"
        yield f"{self.matches} matches, {self.moves} moves in {self.seconds:.0f} s"
        yield f"{self.attempts} attempts; moves of hostile players replaced: {dict(self.replaced)}"
        yield f"memory {sizes}; log {self.outcome.log / 1e3:.0f} kB"
        yield from self.problems or ["each move is scored as it was made"]


def run(settings: Settings, folder: Path) -> Findings:
    """Hold the event; the manager's database and log are in the folder."""
    found = Findings()
    began = time.monotonic()
    with ExitStack() as stack:
        database = folder / "manager.sqlite"
        secrets = tokens_of(database)
        flags = ("--database", str(database), "--allow-addresses", "127.0.0.0/8")
        manager = ServerProcess(folder, *flags, command="manager", host="0.0.0.0")
        stack.enter_context(manager)
        stubs = stack.enter_context(closing(StubProcess(2)))
        hostile = StubProcess(len(HOSTILE), settings.seed, module="hostile_players")
        stack.enter_context(closing(hostile))
        organiser = Organiser(manager, secrets["organiser"])
        for name, port in zip((*HONEST[:2], *HOSTILE), stubs.ports + hostile.ports, strict=True):
            organiser.add(name, port)
        for server in _servers(folder, manager, secrets["player"]):
            stack.enter_context(server)
        _wait_for_players(organiser)
        event = _begin(organiser, settings)
        rival = Rival(manager.address[1], settings.seed, settings.strength, **secrets)
        with attacked([MANAGER_ATTACKS[name] for name in STRANGERS], rival):
            while organiser.ask(f"/api/events/{event}")["status"] == "running":
                found.memory.append(resident_memory(manager.process.pid))
                time.sleep(LOOK)
        found.seconds = time.monotonic() - began
        records = _records(organiser, event, found)
        found.outcome.log = manager.log.stat().st_size
        behaviour = hostile.asked()
        ports = dict(zip(HOSTILE, map(str, hostile.ports), strict=True))
    judge(records, behaviour, ports, found)
    return found


def _servers(folder: Path, manager: ServerProcess, token: str) -> Iterator[ServerProcess]:
    """Player servers, not started yet: one that registers itself, and one that polls."""
    address = "{}:{}".format(*manager.address)
    register = ("--register", f"http://{address}", "--register-token", token)
    poll = ("--poll", f"http://any:{token}@{address}/api/poll", "--as", "polling")
    for name, flags in (("server", register), ("polling", (*poll, "--poll-interval", "0.1"))):
        own = folder / name
        own.mkdir()
        yield ServerProcess(own, "--name", name, "--strategy", "legal", *flags)


def _wait_for_players(organiser: Organiser) -> None:
    names = {*HONEST, *HOSTILE}
    while names - {
        one["name"] for one in organiser.ask("/api/players") if one["status"] == "available"
    }:
        time.sleep(0.1)


def _begin(organiser: Organiser, settings: Settings) -> int:
    clocks = {"start_clock": settings.start_clock, "play_clock": settings.play_clock}
    rounds = ceil(settings.matches / ROUND)
    played = {"format": "round_robin", "games": ["ticTacToe"], "players": [*HONEST, *HOSTILE]}
    return organiser.post_event({"name": "hostile", "rounds": rounds, **played, **clocks})


def _records(organiser: Organiser, event: int, found: Findings) -> list[MatchRecord]:
    """Read all matches of the event that were played to their end."""
    records = []
    for match in organiser.matches(event):
        found.attempts += match["attempts"]
        if match["status"] != "completed":
            problem = (match.get("result") or {}).get("failure")
            found.problems.append(f"match {match['id']} is {match['status']}: {problem}")
            continue
        record = organiser.ask(f"/api/matches/{match['id']}/record")
        records.append(MatchRecord.from_json(json.dumps(record)))
    return records


def judge(
    records: list[MatchRecord], behaviour: Behaviour, ports: Mapping[str, str], found: Findings
) -> None:
    """Compare records with what the players did, and with the rules."""
    machine = gdl.compile(gdl.load(GAMES / "ticTacToe.kif"))
    for record in records:
        found.matches += 1
        found.moves += len(record.moves) * len(machine.roles)
        found.problems += _broken_rules(machine, record)
        done = behaviour.get(record.match_id, {})
        for seat, name in enumerate(record.player_names_from_host):
            errors = [step[seat] for step in record.errors]
            ways = done[ports[name]] if name in HOSTILE else [""] * len(errors)
            problems = [
                f"{record.match_id}, step {step}: {name} answered {way or 'well'}, scored {error!r}"
                for step, (way, error) in enumerate(zip(ways, errors, strict=False))
                if not _is_fair(step, way, error)
            ]
            found.problems += problems
            if len(ways) < len(errors):
                found.problems.append(f"{record.match_id}: {name} was asked {len(ways)} times")
            found.replaced.update(way for way in ways if way)


def _is_fair(step: int, way: str, error: str) -> bool:
    """Whether a reply may be scored so; START may be answered with any text in time."""
    if not way:
        return error == ""
    return error.split(" ")[0] in EXPECTED[way] | ({"", "IL"} if step == 0 else set())


def _broken_rules(machine: gdl.StateMachine, record: MatchRecord) -> Iterator[str]:
    """Play the match once more, and say where the record differs."""
    state = machine.initial_state()
    for number, moves in enumerate(record.moves, start=1):
        joint_move = tuple(map(gdl.parse_term, moves))
        for role, move in zip(machine.roles, joint_move, strict=True):
            if move not in machine.legal_moves(state, role):
                yield f"{record.match_id}, step {number}: {move} is not legal"
                return
        state = machine.next_state(state, joint_move)
    goals = tuple(machine.goal(state, role) for role in machine.roles)
    if not machine.is_terminal(state) or goals != record.goal_values:
        yield f"{record.match_id}: the goals are {goals}, recorded {record.goal_values}"
