"""Turns events into rows: what the archive's writer does with each event."""

from __future__ import annotations

import logging
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import singledispatchmethod
from pathlib import Path
from typing import Any, Literal, TypeAlias

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.exc import IntegrityError

from ggp_player.archive.archive_limit import ArchiveLimit
from ggp_player.archive.schema import SIZE, choices, connect, matches, problems, rules, seats, steps
from ggp_player.archive.trimming import BATCH, trim
from ggp_player.database.connections import DatabaseErrors, Prepared, is_temporary, reason, writing
from ggp_player.errors import ArchiveError, UnavailableArchiveError
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
from ggp_player.events.json_lines import encode_event

SILENT_CLOCKS = 3
SILENCE_SECONDS = 60
"""A match from which nothing has come for three play clocks and a minute is interrupted."""

Outcome: TypeAlias = Literal["win", "draw", "loss", ""]

_WORD = re.compile(r"[^\s()]+")
_NUMBERED = re.compile(r"(.*?)[._-]\d{6,}$")
"""How game managers make match ids: of the game's name, and the time."""


# What is written of every move.
_ADD_STEP = Prepared(upsert(steps).on_conflict_do_nothing(), *steps.c.keys())
_PUT_STEP = Prepared(sa.insert(steps).prefix_with("OR REPLACE"), *steps.c.keys())
_PUT_CHOICE = Prepared(sa.insert(choices).prefix_with("OR REPLACE"), *choices.c.keys())

_SAME = (
    *("match_id", "rules_hash", "role", "start_clock", "play_clock"),
    *("strategy", "manager", "version"),
)
"""What the row of a match has from the event that begins it, by the same names."""

_CHANGE_STEP = sa.update(steps).where(
    steps.c.match == sa.bindparam("of"), steps.c.step == sa.bindparam("number")
)
_CHANGE_MATCH = sa.update(matches).where(matches.c.number == sa.bindparam("of"))
_PUT_PROGRESS = Prepared(_CHANGE_MATCH, "steps", "last_time", "silent_time")

_PUT_SIZE = Prepared(_CHANGE_MATCH.values(size=SIZE))

# What is written of every match.
_ADD_MATCH = sa.insert(matches)
_ADD_RULES = Prepared(upsert(rules).on_conflict_do_nothing(), *rules.c.keys())
_ADD_SEAT = Prepared(sa.insert(seats), "match", "place", "role", "player")
_IS_SEAT = (seats.c.match == sa.bindparam("of"), seats.c.place == sa.bindparam("at"))
_PUT_GOAL = Prepared(sa.update(seats).where(*_IS_SEAT), "goal", "outcome")

_UNWRITABLE = (ValueError, TypeError, OverflowError, IntegrityError, sqlite3.IntegrityError)
"""What is raised for an event that cannot be written, whatever the state of the disk."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Running:
    """A match of which events come: its row, and whose they are.

    ``words`` translates scrambled words. ``is_part`` says that the row belongs to the game manager,
    in whose process the player is. ``is_changed``: its latest time, in milliseconds, and its number
    of steps are to be written.
    """

    number: int
    match_id: str
    role: str = ""
    is_part: bool = False
    words: Mapping[str, str] = field(default_factory=dict)
    silence: int = 0
    has_roles: bool = False
    steps: int = 0
    last_time: int = 0
    is_changed: bool = False

    def progress(self) -> dict[str, object]:
        """How far the match is, for its row."""
        silent_time = self.last_time + self.silence
        return {"steps": self.steps, "last_time": self.last_time, "silent_time": silent_time}

    def translated(self, text: str) -> str:
        """A text in the words of the rules that the row has."""
        if not self.words:
            return text
        return _WORD.sub(lambda found: self.words.get(found[0].lower(), found[0]), text)


class MatchStore:
    """Writes events of any number of matches to the database at a path; close it at the end.

    Methods raise :class:`UnavailableArchiveError` where the database is locked or the disk is full,
    and :class:`ArchiveError` where it cannot be used at all.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._running: dict[str, _Running] = {}
        self._thoughts: dict[str, Thoughts] = {}
        self._connection: sa.Connection | None = None

    def write(self, events: Sequence[Event]) -> None:
        """Write events in one transaction. One of a match that is not known changes nothing.

        One that cannot be written is logged and left out, as it is no fault of the others.
        """
        if not any(map(self._changes_rows, events)):
            for event in events:
                self._write(event)
            return
        with self._opened() as connection:
            try:
                with self._undone_on_failure(), writing(connection):
                    for event in events:
                        self._write(event)
                    self._write_progress()
            except _UNWRITABLE:
                with self._undone_on_failure(), writing(connection):
                    for event in events:
                        self._write_or_leave_out(event)

    def trim(self, limit: ArchiveLimit, now: int) -> bool:
        """Delete some of what is beyond the limit; return whether there may be more."""
        with self._opened() as connection:
            return trim(connection, limit, now) == BATCH

    def forget(self) -> None:
        """Forget the running matches, of which events are lost."""
        self._running.clear()
        self._thoughts.clear()

    def close(self) -> None:
        """Release the database."""
        if self._connection is not None:
            self._connection.close()

    @contextmanager
    def _opened(self) -> Iterator[sa.Connection]:
        try:
            if self._connection is None:
                self._connection = connect(self._path)
            yield self._connection
        except DatabaseErrors as error:
            kind = UnavailableArchiveError if is_temporary(error) else ArchiveError
            raise kind(reason(error)) from error

    @contextmanager
    def _undone_on_failure(self) -> Iterator[None]:
        """Know no more than before where what is done meanwhile fails, and is rolled back."""
        running = {key: replace(match) for key, match in self._running.items()}
        thoughts = dict(self._thoughts)
        try:
            yield
        except BaseException:
            self._running, self._thoughts = running, thoughts
            raise

    def _write_or_leave_out(self, event: Event) -> None:
        try:
            with self._undone_on_failure(), self._database.begin_nested():
                self._write(event)
                self._write_progress()
        except _UNWRITABLE:
            _log.exception("an event is left out of the archive: %s", type(event).__name__)

    def _write(self, event: Event) -> None:
        if isinstance(event, MatchStarted):
            self._start(event)
        elif (match := self._running.get(event.match)) is not None:
            match.last_time = event.time
            match.is_changed |= self._changes_rows(event) and not match.is_part
            self._apply(event, match)

    def _changes_rows(self, event: Event) -> bool:
        """Whether there is something to write; the time of other events is written with the next.

        Thoughts go into the row of the move that they lead to.
        """
        if isinstance(event, StateReached):
            match = self._running.get(event.match)
            return match is None or not match.has_roles or bool(event.joint_move)
        return not isinstance(event, Thoughts)

    def _write_progress(self) -> None:
        for match in self._running.values():
            if match.is_changed:
                self._change(_PUT_PROGRESS, of=match.number, **match.progress())
                match.is_changed = False

    @property
    def _database(self) -> sa.Connection:
        assert self._connection is not None
        return self._connection

    def _execute(self, statement: sa.Executable, **values: object) -> sa.CursorResult[Any]:
        return self._database.execute(statement, values)

    def _change(self, prepared: Prepared, **values: object) -> None:
        prepared.execute(self._database, values)

    # ---------------------------------------------------------------------- beginning

    def _start(self, event: MatchStarted) -> None:
        manager = self._manager_of(event)
        if manager is not None:
            role = manager.translated(event.role)
            part = _Running(manager.number, event.match_id, role, True, manager.words)
            self._running[event.match] = part
            return
        number, count = self._resumed(event) or (self._insert(event), 0)
        running = _Running(
            number, event.match_id, event.role, words=event.words, silence=_silence(event)
        )
        running.has_roles = bool(event.roles)
        running.steps, running.last_time = count, event.time
        self._running[event.match] = running
        for turn, step in enumerate(event.history, 1):
            self._add_step(running, turn, step, event.time)

    def _manager_of(self, event: MatchStarted) -> _Running | None:
        """The running match of the game manager in this process, in which the event's player is."""
        if not event.role:
            return None
        own = (one for one in self._running.values() if not one.role and not one.is_part)
        return next((one for one in own if one.match_id == event.match_id), None)

    def _resumed(self, event: MatchStarted) -> tuple[int, int] | None:
        """The row, and the steps, of a match that goes on after a restart of its server."""
        if not event.resumed:
            return None
        ours = sa.select(matches.c.number, matches.c.steps).where(
            matches.c.match_id == event.match_id,
            matches.c.side == "player",
            matches.c.role == event.role,
            matches.c.rules_hash == event.rules_hash,
            matches.c.status.in_(("running", "suspended")),
        )
        row = self._execute(ours.order_by(matches.c.number.desc()).limit(1)).first()
        if row is None:
            return None
        values = {"key": event.match, "status": "running", "last_time": event.time}
        self._execute(_CHANGE_MATCH, of=row.number, **values)
        return row.number, row.steps

    def _insert(self, event: MatchStarted) -> int:
        numbered = _NUMBERED.match(event.match_id)
        guess = numbered[1] if numbered else ""
        game = add_rules(self._database, event.rules_hash, event.rules, event.game, guess)
        names = "rulesheet_url", "random_token", "scrambled"
        details = {name: value for name in names if (value := getattr(event, name))}
        row = {
            **{name: getattr(event, name) for name in _SAME},
            "key": event.match,
            "side": "player" if event.role else "manager",
            "game": game,
            "start_time": event.time,
            "last_time": event.time,
            "silent_time": event.time + _silence(event),
            "status": "running",
            "details": details,
        }
        number = insert_match(self._database, row)
        roles = event.roles or (event.role,)
        players = event.players or (event.player,)
        add_seats(self._database, number, roles, players)
        set_size(self._database, number)
        return number

    # ---------------------------------------------------------------------- what follows

    @singledispatchmethod
    def _apply(self, event: Event, match: _Running) -> None:
        raise TypeError(f"unknown event {event}")

    @_apply.register
    def _(self, event: TurnAsked, match: _Running) -> None:
        if not match.is_part:
            step = event.observation or event.joint_move
            self._add_step(match, event.turn, step, event.time)

    @_apply.register
    def _(self, event: StateReached, match: _Running) -> None:
        if match.is_part:
            return
        if event.joint_move:
            values = {"of": match.number, "number": event.turn, "joint_move": event.joint_move}
            self._execute(_CHANGE_STEP, **values)
        if not match.has_roles:
            self._add_roles(event, match)

    def _add_roles(self, event: StateReached, match: _Running) -> None:
        ours = seats.c.match == match.number
        player = self._execute(sa.select(seats.c.player).where(ours, seats.c.role == match.role))
        name = player.scalar() or ""
        players = [name if role.lower() == match.role.lower() else "" for role in event.roles]
        self._execute(sa.delete(seats).where(ours))
        add_seats(self._database, match.number, event.roles, players)
        match.has_roles = True

    @_apply.register
    def _(self, event: Thoughts, match: _Running) -> None:
        self._thoughts[event.match] = event

    @_apply.register
    def _(self, event: GameDescribed, match: _Running) -> None:
        details = sa.func.json_set(matches.c.details, "$.about_game", event.text)
        self._execute(_CHANGE_MATCH.values(details=details), of=match.number)

    @_apply.register
    def _(self, event: MoveChosen, match: _Running) -> None:
        thoughts = self._thoughts.pop(event.match, None)
        if thoughts is not None and thoughts.turn != event.turn:
            thoughts = None
        line = thoughts.line if thoughts is not None and thoughts.move == event.move else ()
        self._change(
            _PUT_CHOICE,
            match=match.number,
            turn=event.turn,
            role=match.role,
            move=match.translated(event.move),
            value=event.value,
            proved=event.proved,
            note=event.note,
            source=event.source,
            seconds=event.seconds,
            margin_left=event.margin_left,
            time=event.time,
            line=[[match.translated(move) for move in joint_move] for joint_move in line],
            search=b"null" if thoughts is None else encode_event(replace(thoughts, tree=())),
        )

    @_apply.register
    def _(self, event: StepMade, match: _Running) -> None:
        self._change(
            _PUT_STEP,
            match=match.number,
            step=event.step,
            joint_move=event.joint_move,
            time=event.time,
            errors=event.errors,
            seconds=event.seconds,
        )
        match.steps = max(match.steps, event.step)

    @_apply.register
    def _(self, event: StepsTakenBack, match: _Running) -> None:
        number, match.steps = match.number, event.step
        self._execute(sa.delete(steps).where(steps.c.match == number, steps.c.step > event.step))
        later = choices.c.turn >= event.step
        self._execute(sa.delete(choices).where(choices.c.match == number, later))

    @_apply.register
    def _(self, event: MatchProblem, match: _Running) -> None:
        values = {"turn": event.turn, "role": match.role, "time": event.time, "text": event.text}
        self._execute(sa.insert(problems), match=match.number, **values)

    @_apply.register
    def _(self, event: MatchEnded, match: _Running) -> None:
        del self._running[event.match]
        self._thoughts.pop(event.match, None)
        if match.is_part:
            return
        if step := event.observation or event.joint_move:
            self._add_step(match, event.turn, step, event.time)
        ending = {"status": event.status, "reason": event.reason}
        self._execute(_CHANGE_MATCH, of=match.number, **ending, **match.progress())
        if event.goals:
            set_goals(self._database, match.number, event.goals)
        set_size(self._database, match.number)

    def _add_step(self, match: _Running, turn: int, step: Step, time: int) -> None:
        told = asdict(step) if isinstance(step, ObservedStep) else step
        row = {"step": turn, "joint_move": told, "time": time, "errors": (), "seconds": ()}
        self._change(_ADD_STEP, match=match.number, **row)
        match.steps, match.is_changed = max(match.steps, turn), True


def insert_match(connection: sa.Connection, row: Mapping[str, object]) -> int:
    """Insert a row of the matches; return its number."""
    return connection.execute(_ADD_MATCH, dict(row)).lastrowid


def set_size(connection: sa.Connection, number: int) -> None:
    """Note how much of the archive a match takes."""
    _PUT_SIZE.execute(connection, {"of": number})


def add_rules(
    connection: sa.Connection, rules_hash: str, text: str, game: str, guess: str = ""
) -> str:
    """Keep rules; return the name of their game: the one given, one known before, or the guess."""
    row = {"hash": rules_hash, "text": text.encode(errors="replace"), "game": game}
    _ADD_RULES.execute(connection, row)
    ours = rules.c.hash == rules_hash
    if game:
        connection.execute(sa.update(rules).where(ours, rules.c.game == "").values(game=game))
        return game
    return connection.scalar(sa.select(rules.c.game).where(ours)) or guess


def add_seats(
    connection: sa.Connection, number: int, roles: Sequence[str], players: Sequence[str]
) -> None:
    """Note who plays which role, in role order."""
    for place, (role, player) in enumerate(zip(roles, players, strict=True)):
        row = {"match": number, "place": place, "role": role, "player": player}
        _ADD_SEAT.execute(connection, row)


def set_goals(connection: sa.Connection, number: int, goals: Mapping[str, int | None]) -> None:
    """Note the goal values by role, and who has won."""
    query = sa.select(seats.c.role).where(seats.c.match == number).order_by(seats.c.place)
    by_role = {role.lower(): goal for role, goal in goals.items()}
    values = [by_role.get(role.lower()) for role in connection.scalars(query)]
    set_goal_values(connection, number, values)


def set_goal_values(connection: sa.Connection, number: int, goals: Sequence[int | None]) -> None:
    """Note the goal values in role order, and who has won."""
    for place, (goal, outcome) in enumerate(zip(goals, outcomes(goals), strict=True)):
        values = {"of": number, "at": place, "goal": goal, "outcome": outcome}
        _PUT_GOAL.execute(connection, values)


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
