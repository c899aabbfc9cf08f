"""A game manager on bare sockets, to test a player server from outside.

It writes byte for byte what ggp-base's manager writes, and shares no protocol code with the
package. It is as strict as the strictest manager: a reply counts only where it is ASCII, has an
exact Content-Length, ends with its connection, spells the move as it was sent, and comes in time.
The player has one role; the manager moves at random for the others, and replaces a move
that does not count.

By hand, against any player server::

    python tests/support/raw_manager.py games/ticTacToe.kif localhost:9147 --play-clock 3 --scramble
"""

from __future__ import annotations

import re
import socket
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import click

if __name__ == "__main__":
    # A script's own folder comes first on the path, and there tests/gdl would hide the package.
    sys.path[0] = str(Path(__file__).parents[2])

import gdl
from gdl import Constant, Function, Ruleset, State, Term
from gdl.language.scrambler import Scrambler

HEAD = (
    "POST / HTTP/1.0\r\n"
    "Accept: text/delim\r\n"
    "Host: {host}\r\n"
    "Sender: GAMESERVER\r\n"
    "Receiver: {receiver}\r\n"
    "Content-Type: text/acl\r\n"
    "Content-Length: {length}\r\n"
    "\r\n"
)
PLAY_GRACE = 1.0


@dataclass(frozen=True)
class Match:
    """What is played: the clocks in seconds, the role as its index from 1 in role order."""

    ruleset: Ruleset
    start_clock: int = 10
    play_clock: int = 3
    role: int = 1
    scramble: bool = False
    seed: int = 0
    match_id: str = "raw.1"


@dataclass
class Report:
    """How the player did; ``goals`` are in role order, ``longest`` is in seconds."""

    steps: int = 0
    illegal: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    longest: float = 0.0
    goals: tuple[int | None, ...] = ()

    def __str__(self) -> str:
        goals = " ".join(map(str, self.goals))
        lines = [
            f"{self.steps} steps, goals {goals}, longest reply {self.longest:.3f} s",
            f"{len(self.illegal)} illegal, {len(self.late)} late",
        ]
        return "\n".join([*lines, *self.illegal, *self.late])


class LateError(Exception):
    """No whole reply came within the limit."""


class UnreadableError(Exception):
    """The reply is not one that every manager understands."""


def exchange(address: tuple[str, int], text: str, limit: float) -> str:
    """Send one request on a connection of its own and return the reply's text."""
    data = text.encode("ascii")
    head = HEAD.format(host=address[0], receiver="", length=len(data))
    deadline = time.monotonic() + limit
    received = b""
    try:
        with socket.create_connection(address, timeout=limit) as connection:
            connection.sendall(head.encode("ascii") + data)
            while True:
                connection.settimeout(max(0.001, deadline - time.monotonic()))
                chunk = connection.recv(65536)
                if not chunk:
                    break
                received += chunk
        if time.monotonic() > deadline:
            raise TimeoutError
        return content(received)
    except TimeoutError as error:
        raise LateError(
            f"{text[:60]!r}: no whole reply in {limit:g} s, got {received!r}"
        ) from error


def content(received: bytes) -> str:
    """Return the body of an HTTP reply after checking everything that managers rely on."""
    head, _, body = received.partition(b"\r\n\r\n")
    length = re.search(rb"^content-length: *(\d+)\r?$", head, re.IGNORECASE | re.MULTILINE)
    if length is None or int(length[1]) != len(body):
        raise UnreadableError(f"no exact Content-Length in {received!r}")
    if re.search(rb"^transfer-encoding", head, re.IGNORECASE | re.MULTILINE) or not body.isascii():
        raise UnreadableError(f"chunked or not ASCII: {received!r}")
    return body.decode("ascii").strip()


def spaced(term: object) -> str:
    """Put blanks around every parenthesis of KIF, as ggp-base prints it."""
    return re.sub(r"\s+", " ", re.sub(r"([()])", r" \1 ", str(term))).strip()


class RawManager:
    """Plays one match against the player server at the address."""

    def __init__(self, address: tuple[str, int], match: Match) -> None:
        self.address = address
        self.match = match
        self.machine = gdl.interpret(match.ruleset)
        self.random = Random(match.seed)
        self.report = Report()
        self.words = Scrambler.of(match.ruleset, Random(match.seed))

    @property
    def role(self) -> Constant:
        return self.machine.roles[self.match.role - 1]

    def run(self) -> Report:
        """Play the match from START to STOP."""
        state = self.machine.initial_state()
        self.start()
        moves = "NIL"
        while not self.machine.is_terminal(state):
            reply = self.ask(f"( PLAY {self.match.match_id} {moves} )", self.play_limit)
            joint_move = self.joint_move(state, reply)
            moves = f"({''.join(self.scrambled(move) + ' ' for move in joint_move)})"
            state = self.machine.next_state(state, joint_move)
            self.report.steps += 1
        self.report.goals = tuple(self.machine.goal(state, role) for role in self.machine.roles)
        self.ask(f"( STOP {self.match.match_id} {moves} )", self.play_limit)
        return self.report

    @property
    def play_limit(self) -> float:
        return self.match.play_clock + PLAY_GRACE

    def start(self) -> None:
        match, rules = self.match, self.match.ruleset
        if match.scramble:
            rules = self.words.scramble_ruleset(rules)
        text = "".join(f"{spaced(rule)} " for rule in rules.rules)
        clocks = f"{match.start_clock} {match.play_clock}"
        start = f"( START {match.match_id} {self.scrambled(self.role)} ({text}) {clocks})"
        self.ask(start, match.start_clock)

    def ask(self, text: str, limit: float) -> str | None:
        """Return the reply, None where none counts; keep the longest time."""
        asked = time.monotonic()
        try:
            return exchange(self.address, text, limit)
        except LateError as error:
            self.report.late.append(str(error))
        except UnreadableError as error:
            self.report.illegal.append(str(error))
        finally:
            self.report.longest = max(self.report.longest, time.monotonic() - asked)
        return None

    def joint_move(self, state: State, reply: str | None) -> tuple[Term, ...]:
        """Return the player's move, where it is one, with random moves of all others."""
        legal = {role: self.machine.legal_moves(state, role) for role in self.machine.roles}
        chosen = {role: self.random.choice(moves) for role, moves in legal.items()}
        if reply is not None:
            spellings = {self.scrambled(move): move for move in legal[self.role]}
            move = spellings.get(spaced(reply))
            if move is None:
                self.report.illegal.append(f"step {self.report.steps + 1}: {reply!r}")
            else:
                chosen[self.role] = move
        return tuple(chosen.values())

    def scrambled(self, term: Constant | Function | Term) -> str:
        return spaced(self.words.scramble(term) if self.match.scramble else term)


@click.command()
@click.argument("rulesheet", type=click.Path(exists=True, path_type=Path))
@click.argument("address")
@click.option("--start-clock", default=10, show_default=True, help="Seconds.")
@click.option("--play-clock", default=3, show_default=True, help="Seconds.")
@click.option(
    "--role",
    default=1,
    show_default=True,
    help="The player's role: 1 for the first.",
)
@click.option("--scramble", is_flag=True, help="Send the rules in other words.")
@click.option("--seed", default=0, show_default=True, help="For moves and words.")
def main(rulesheet: Path, address: str, **options: Any) -> None:
    """Play RULESHEET against the player server at ADDRESS, host:port."""
    host, _, port = address.rpartition(":")
    match = Match(gdl.load(rulesheet), match_id=f"raw.{time.time_ns()}", **options)
    report = RawManager((host, int(port)), match).run()
    click.echo(report)
    sys.exit(bool(report.illegal or report.late))


if __name__ == "__main__":
    main()
