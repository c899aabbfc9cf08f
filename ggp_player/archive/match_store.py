"""Turns events into rows: what the archive's writer does with each event."""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import singledispatchmethod
from typing import Literal, TypeAlias

from ggp_player import events
from ggp_player.archive.schema import SIZE
from ggp_player.events import (
    Event,
    GameDescribed,
    MatchEnded,
    MatchProblem,
    MatchStarted,
    MoveChosen,
    ObservedStep,
    StateReached,
    Step,
    StepMade,
    StepsTakenBack,
    Thoughts,
    TurnAsked,
)

SILENT_CLOCKS = 3
SILENCE_SECONDS = 60
"""A match from which nothing has come for three play clocks and a minute is interrupted."""

Outcome: TypeAlias = Literal["win", "draw", "loss", ""]

_WORD = re.compile(r"[^\s()]+")
_NUMBERED = re.compile(r"(.*?)[._-]\d{6,}$")
"""How game managers make match ids: of the game's name, and the time."""


@dataclass(slots=True)
class _Running:
    """A match of which events come: its row, and whose they are.

    ``words`` translates scrambled words. ``is_part`` says that the row belongs to the game manager,
    in whose process the player is.
    """

    number: int
    match_id: str
    role: str = ""
    is_part: bool = False
    words: Mapping[str, str] = field(default_factory=dict)
    silence: int = 0
    has_roles: bool = False

    def translated(self, text: str) -> str:
        """A text in the words of the rules that the row has."""
        if not self.words:
            return text
        return _WORD.sub(lambda found: self.words.get(found[0].lower(), found[0]), text)


class MatchStore:
    """Writes events of any number of matches to a database, within the caller's transaction."""

    def __init__(self) -> None:
        self._running: dict[str, _Running] = {}
        self._thoughts: dict[str, Thoughts] = {}
        self.connection: sqlite3.Connection | None = None

    def apply(self, connection: sqlite3.Connection, event: Event) -> None:
        """Write an event. One of a match that is not known changes nothing."""
        self.connection = connection
        if isinstance(event, MatchStarted):
            self._start(event)
        elif (match := self._running.get(event.match)) is not None:
            self._apply(event, match)
            if not match.is_part:
                self._execute(
                    "UPDATE matches SET last_time = ?, silent_time = ? WHERE number = ?",
                    (event.time, event.time + match.silence, match.number),
                )

    def forget(self) -> None:
        """Forget the running matches, of which events are lost."""
        self._running.clear()
        self._thoughts.clear()

    @contextmanager
    def undone_on_failure(self) -> Iterator[None]:
        """Know no more than before where what is done meanwhile fails, and is rolled back."""
        running = {key: replace(match) for key, match in self._running.items()}
        thoughts = dict(self._thoughts)
        try:
            yield
        except BaseException:
            self._running, self._thoughts = running, thoughts
            raise

    def _execute(self, statement: str, values: Sequence[object]) -> sqlite3.Cursor:
        assert self.connection is not None
        return self.connection.execute(statement, tuple(values))

    # ---------------------------------------------------------------------- beginning

    def _start(self, event: MatchStarted) -> None:
        manager = self._manager_of(event)
        if manager is not None:
            role = manager.translated(event.role)
            part = _Running(manager.number, event.match_id, role, True, manager.words)
            self._running[event.match] = part
            return
        number = self._resumed(event) if event.resumed else None
        if number is None:
            number = self._insert(event)
        running = _Running(
            number, event.match_id, event.role, words=event.words, silence=_silence(event)
        )
        running.has_roles = bool(event.roles)
        self._running[event.match] = running
        for turn, step in enumerate(event.history, 1):
            self._add_step(number, turn, step, event.time)

    def _manager_of(self, event: MatchStarted) -> _Running | None:
        """The running match of the game manager in this process, in which the event's player is."""
        if not event.role:
            return None
        own = (one for one in self._running.values() if not one.role and not one.is_part)
        return next((one for one in own if one.match_id == event.match_id), None)

    def _resumed(self, event: MatchStarted) -> int | None:
        """The row of a match that goes on after a restart of its server."""
        row = self._execute(
            "SELECT number FROM matches WHERE match_id = ? AND side = 'player' AND role = ?"
            " AND rules_hash = ? AND status IN ('running', 'suspended')"
            " ORDER BY number DESC LIMIT 1",
            (event.match_id, event.role, event.rules_hash),
        ).fetchone()
        if row is None:
            return None
        number: int = row[0]
        self._execute(
            "UPDATE matches SET key = ?, status = 'running', last_time = ? WHERE number = ?",
            (event.match, event.time, number),
        )
        return number

    def _insert(self, event: MatchStarted) -> int:
        game = self._add_rules(event)
        details = {
            "rulesheet_url": event.rulesheet_url,
            "random_token": event.random_token,
            "scrambled": event.scrambled,
        }
        row = {
            "key": event.match,
            "match_id": event.match_id,
            "side": "player" if event.role else "manager",
            "rules_hash": event.rules_hash,
            "game": game,
            "role": event.role,
            "start_clock": event.start_clock,
            "play_clock": event.play_clock,
            "start_time": event.time,
            "last_time": event.time,
            "silent_time": event.time + _silence(event),
            "status": "running",
            "reason": "",
            "steps": 0,
            "strategy": event.strategy,
            "manager": event.manager,
            "version": event.version,
            "details": json.dumps({key: value for key, value in details.items() if value}),
        }
        number = insert_match(self._connection, row)
        roles = event.roles or (event.role,)
        players = event.players or (event.player,)
        add_seats(self._connection, number, roles, players)
        set_size(self._connection, number)
        return number

    @property
    def _connection(self) -> sqlite3.Connection:
        assert self.connection is not None
        return self.connection

    def _add_rules(self, event: MatchStarted) -> str:
        """Keep the rules, and return the name of the game."""
        numbered = _NUMBERED.match(event.match_id)
        guess = numbered[1] if numbered else ""
        return add_rules(self._connection, event.rules_hash, event.rules, event.game, guess)

    # ---------------------------------------------------------------------- what follows

    @singledispatchmethod
    def _apply(self, event: Event, match: _Running) -> None:
        raise TypeError(f"unknown event {event}")

    @_apply.register
    def _(self, event: TurnAsked, match: _Running) -> None:
        if not match.is_part:
            step = event.observation or event.joint_move
            self._add_step(match.number, event.turn, step, event.time)

    @_apply.register
    def _(self, event: StateReached, match: _Running) -> None:
        if match.is_part:
            return
        if event.joint_move:
            self._execute(
                "UPDATE steps SET joint_move = ? WHERE match = ? AND step = ?",
                (json.dumps(event.joint_move), match.number, event.turn),
            )
        if not match.has_roles:
            self._add_roles(event, match)

    def _add_roles(self, event: StateReached, match: _Running) -> None:
        seat = self._execute(
            "SELECT player FROM seats WHERE match = ? AND role = ?", (match.number, match.role)
        ).fetchone()
        players = [
            seat["player"] if seat and _same(role, match.role) else "" for role in event.roles
        ]
        self._execute("DELETE FROM seats WHERE match = ?", (match.number,))
        add_seats(self._connection, match.number, event.roles, players)
        match.has_roles = True

    @_apply.register
    def _(self, event: Thoughts, match: _Running) -> None:
        self._thoughts[event.match] = event

    @_apply.register
    def _(self, event: GameDescribed, match: _Running) -> None:
        self._execute(
            "UPDATE matches SET details = json_set(details, '$.about_game', ?) WHERE number = ?",
            (event.text, match.number),
        )

    @_apply.register
    def _(self, event: MoveChosen, match: _Running) -> None:
        thoughts = self._thoughts.pop(event.match, None)
        if thoughts is not None and thoughts.turn != event.turn:
            thoughts = None
        search = zlib.compress(b"null" if thoughts is None else events.encode_event(thoughts))
        line = thoughts.line if thoughts is not None and thoughts.move == event.move else ()
        self._execute(
            "INSERT OR REPLACE INTO choices VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                match.number,
                event.turn,
                match.role,
                match.translated(event.move),
                event.value,
                event.proved,
                event.note,
                event.source,
                event.seconds,
                event.margin_left,
                event.time,
                _json(line, match),
                search,
            ),
        )

    @_apply.register
    def _(self, event: StepMade, match: _Running) -> None:
        self._execute(
            "INSERT OR REPLACE INTO steps VALUES (?, ?, ?, ?, ?, ?)",
            (
                match.number,
                event.step,
                json.dumps(event.joint_move),
                event.time,
                json.dumps(event.errors),
                json.dumps(event.seconds),
            ),
        )
        self._count_steps(match.number, event.step)

    @_apply.register
    def _(self, event: StepsTakenBack, match: _Running) -> None:
        values = match.number, event.step
        self._execute("DELETE FROM steps WHERE match = ? AND step > ?", values)
        self._execute("DELETE FROM choices WHERE match = ? AND turn >= ?", values)
        self._execute("UPDATE matches SET steps = ? WHERE number = ?", values[::-1])

    @_apply.register
    def _(self, event: MatchProblem, match: _Running) -> None:
        values = match.number, event.turn, match.role, event.time, event.text
        self._execute("INSERT INTO problems VALUES (?, ?, ?, ?, ?)", values)

    @_apply.register
    def _(self, event: MatchEnded, match: _Running) -> None:
        del self._running[event.match]
        self._thoughts.pop(event.match, None)
        if match.is_part:
            return
        if step := event.observation or event.joint_move:
            self._add_step(match.number, event.turn, step, event.time)
        self._execute(
            "UPDATE matches SET status = ?, reason = ? WHERE number = ?",
            (event.status, event.reason, match.number),
        )
        if event.goals:
            set_goals(self._connection, match.number, event.goals)
        set_size(self._connection, match.number)

    def _add_step(self, number: int, turn: int, step: Step, time: int) -> None:
        told = asdict(step) if isinstance(step, ObservedStep) else step
        self._execute(
            "INSERT INTO steps VALUES (?, ?, ?, ?, '[]', '[]') ON CONFLICT DO NOTHING",
            (number, turn, json.dumps(told), time),
        )
        self._count_steps(number, turn)

    def _count_steps(self, number: int, step: int) -> None:
        statement = "UPDATE matches SET steps = max(steps, ?) WHERE number = ?"
        self._execute(statement, (step, number))


def insert_match(connection: sqlite3.Connection, row: Mapping[str, object]) -> int:
    """Insert a row of the matches; return its number."""
    names = ", ".join(row)
    marks = ", ".join("?" * len(row))
    cursor = connection.execute(
        f"INSERT INTO matches ({names}) VALUES ({marks})", tuple(row.values())
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def set_size(connection: sqlite3.Connection, number: int) -> None:
    """Note how much of the archive a match takes."""
    connection.execute(f"UPDATE matches SET size = {SIZE} WHERE number = ?", (number,))


def add_rules(
    connection: sqlite3.Connection, rules_hash: str, rules: str, game: str, guess: str = ""
) -> str:
    """Keep rules; return the name of their game: the one given, one known before, or the guess."""
    connection.execute(
        "INSERT INTO rules VALUES (?, ?, ?) ON CONFLICT (hash) DO NOTHING",
        (rules_hash, zlib.compress(rules.encode(errors="replace")), game),
    )
    if game:
        statement = "UPDATE rules SET game = ? WHERE hash = ? AND game = ''"
        connection.execute(statement, (game, rules_hash))
        return game
    row = connection.execute("SELECT game FROM rules WHERE hash = ?", (rules_hash,)).fetchone()
    return row[0] or guess


def add_seats(
    connection: sqlite3.Connection, number: int, roles: Sequence[str], players: Sequence[str]
) -> None:
    """Note who plays which role, in role order."""
    rows = zip(roles, players, strict=True)
    connection.executemany(
        "INSERT INTO seats (match, place, role, player) VALUES (?, ?, ?, ?)",
        [(number, place, role, player) for place, (role, player) in enumerate(rows)],
    )


def set_goals(connection: sqlite3.Connection, number: int, goals: Mapping[str, int | None]) -> None:
    """Note the goal values by role, and who has won."""
    seats = connection.execute(
        "SELECT place, role FROM seats WHERE match = ? ORDER BY place", (number,)
    ).fetchall()
    by_role = {role.lower(): goal for role, goal in goals.items()}
    values = [by_role.get(seat["role"].lower()) for seat in seats]
    set_goal_values(connection, number, values)


def set_goal_values(
    connection: sqlite3.Connection, number: int, goals: Sequence[int | None]
) -> None:
    """Note the goal values in role order, and who has won."""
    connection.executemany(
        "UPDATE seats SET goal = ?, outcome = ? WHERE match = ? AND place = ?",
        [
            (goal, outcome, number, place)
            for place, (goal, outcome) in enumerate(zip(goals, outcomes(goals), strict=True))
        ],
    )


def outcomes(goals: Sequence[int | None]) -> list[Outcome]:
    """Say who has more than all others, as much as the best of them, or less.

    A lone player wins with 100 and loses with 0. Where goal values are missing there is no outcome.

    >>> outcomes([100, 0]), outcomes([50, 50]), outcomes([100]), outcomes([None, 3])
    (['win', 'loss'], ['draw', 'draw'], ['win'], ['', ''])
    """
    known = [goal for goal in goals if goal is not None]
    if len(known) < len(goals):
        return [""] * len(goals)
    return [_outcome(goal, known[:place] + known[place + 1 :]) for place, goal in enumerate(known)]


def _outcome(goal: int, others: Sequence[int]) -> Outcome:
    low, high = (max(others), max(others)) if others else (1, 99)
    if goal > high:
        return "win"
    return "loss" if goal < low else "draw"


def _silence(event: MatchStarted) -> int:
    """Milliseconds of silence after which the match is taken for interrupted."""
    return 1000 * (max(event.start_clock, SILENT_CLOCKS * event.play_clock) + SILENCE_SECONDS)


def _same(one: str, other: str) -> bool:
    return one.lower() == other.lower()


def _json(line: Sequence[Sequence[str]], match: _Running) -> str:
    return json.dumps([[match.translated(move) for move in joint_move] for joint_move in line])
