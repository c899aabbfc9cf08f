"""Whole matches without the network: any messages, one after the other, to a tracker of the match.

Each expression of an input is a message. What the protocol's lifecycle makes of it is handed to a
match tracker as the worker process does, also over its lines of JSON.
"""

from __future__ import annotations

import gc
import logging
from functools import cache
from random import Random
from unittest.mock import Mock, patch

from ggp_player.errors import ProtocolError
from ggp_player.events import ObservedStep
from ggp_player.protocol import (
    Abort,
    Matches,
    MatchRequest,
    Outcome,
    Play,
    Start,
    Stop,
    parse_request,
)
from ggp_player.protocol.lifecycle import Phase
from ggp_player.worker.messages import (
    ApplyStep,
    BeginMatch,
    MatchStatus,
    MessageToServer,
    MessageToWorker,
    decode_to_server,
    decode_to_worker,
    encode,
)
from ggp_player.worker.process import TrackerWorker, handle_message
from tests.fuzz.mutators import mutate_expressions, read_nested, write_nested
from tests.fuzz.pieces import PIECES
from tests.fuzz.quiet import no_log
from tests.fuzz.target import Target, TooSlowError, cpu_limit

EVALUATION_SECONDS = 0.5
"""CPU time for evaluating the rules of a match; a worker has as much as its clocks allow."""

MAX_MESSAGES = 12

MOVES = ("NIL", "((f 1) (f 1))", "((f 2) (f 1))", "(go (r 2))", "(go (r 1))", "(to 2)", "((to 2))")

TURNS = ("0 NIL NIL", "1 (f 1) ((did a (f 1)) (did b (f 1)))", "1 nil ()", "3 (f 2) (seen)")


class Tracker:
    """The tracker of one match, and what it has told the server."""

    def __init__(self) -> None:
        self.told: list[MessageToServer] = []
        self._worker: TrackerWorker | None = None

    def tell(self, message: MessageToWorker) -> None:
        """Hand it a message, as a line of JSON."""
        line = decode_to_worker(encode(message).rstrip(b"\n"))
        worker = handle_message(line, self._worker, Mock(), self._send)
        assert worker is None or isinstance(worker, TrackerWorker)
        self._worker = worker

    def _send(self, message: MessageToServer) -> None:
        line = encode(message)
        assert line.count(b"\n") == 1
        self.told.append(decode_to_server(line))


def check(data: bytes) -> None:
    """Hand messages to a player with one seat."""
    matches, trackers = Matches(1), dict[str, Tracker]()
    try:
        with (
            cpu_limit(EVALUATION_SECONDS),
            patch.object(gc, "freeze"),
            no_log(logging.WARNING),  # illegal moves are warnings
        ):
            for node in read_nested(data.decode("utf-8", "replace"))[:MAX_MESSAGES]:
                _receive(write_nested([node]), matches, trackers)
    except (TooSlowError, MemoryError):
        pass  # the server kills such a worker


def _receive(text: str, matches: Matches, trackers: dict[str, Tracker]) -> None:
    try:
        request = parse_request(text)
    except ProtocolError:
        return
    if not isinstance(request, MatchRequest):
        return
    match, outcome = matches.receive(request, "here")
    assert (match is None) <= (outcome is Outcome.BUSY)
    assert len(matches) <= 1
    if isinstance(request, Start) and outcome is Outcome.PREPARE:
        trackers[request.match_id] = Tracker()
        trackers[request.match_id].tell(BeginMatch(rules=request.rules, role=request.role))
    elif outcome in {Outcome.CHOOSE, Outcome.FINISH} and not isinstance(request, Start | Abort):
        _apply(request, trackers[request.match_id])
    if match is not None and isinstance(request, Start | Play) and match.phase is not Phase.OVER:
        match.replied(request)


def _apply(request: Play | Stop, tracker: Tracker) -> None:
    before, seen = len(tracker.told), request.observation
    moves = tuple(map(str, request.moves))
    if seen is not None:
        move = None if seen.move is None else str(seen.move)
        step = ObservedStep(move, tuple(map(str, seen.percepts)))
        tracker.tell(ApplyStep(step=step))
    elif request.turn is not None:
        tracker.tell(ApplyStep(step=ObservedStep(missed=True)))
    else:
        tracker.tell(ApplyStep(step=moves))
        tracker.tell(ApplyStep(step=ObservedStep(None, moves, may_be_moves=True)))
    for message in tracker.told[before:]:
        if isinstance(message, MatchStatus):
            assert message.is_over or isinstance(message.legal_moves, tuple)


@cache
def seeds() -> tuple[bytes, ...]:
    """Matches of small games, from START to STOP."""
    found = []
    for rules in PIECES:
        plays = "\n".join(f"(PLAY m {moves})" for moves in MOVES)
        turns = "\n".join(f"(PLAY m {turn})" for turn in TURNS)
        found.append(f"(START m a ({rules}) 10 5)\n{plays}\n(STOP m {MOVES[1]})\n(ABORT m)")
        found.append(f"(START m a ({rules}) 10 5)\n{turns}\n(STOP m {TURNS[-1]})")
    return tuple(text.encode() for text in found)


def mutate(data: bytes, random: Random) -> bytes:
    """Change expressions of the messages."""
    return mutate_expressions(data, random)


TARGET = Target("matches", check, seeds, mutate, seconds=2.0, max_bytes=4096)
