"""Match records: what happened in a match, in the JSON form of ggp.org.

Per role, an error is ``""`` for none, ``TO`` for a reply that came too late, ``CE`` for a failed
connection, or ``IL`` and the text of an illegal reply. Entry 0 of ``errors`` belongs to the start
message, entry n to step n; entry 0 of ``states`` is the initial state. Times are milliseconds
since 1970. A state reads ``( (cell 1 1 b) (control white) )``, its facts in alphabetical order.
Where the states would be longer than :data:`MAX_STATE_CHARACTERS`, there are none, and
``statesLeftOut`` is true: they follow from the moves.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Self

from pydantic import (
    ConfigDict,
    SerializerFunctionWrapHandler,
    TypeAdapter,
    model_serializer,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.dataclasses import dataclass

import gdl
from gdl import State, Term
from gdl.system import write_whole

TIMEOUT = "TO"
"""The error of a reply that came too late or not at all."""

CONNECTION_ERROR = "CE"
"""The error of a player that could not be reached."""

ILLEGAL = "IL"
"""The first word of the error of an illegal reply; the reply's text follows."""

MAX_STATE_CHARACTERS = 8 * 2**20
"""Characters of all states of a record together."""


def _key(name: str) -> str:
    """The JSON key of a field: in camel case, but for the one with a spelling of its own."""
    return "gameMetaURL" if name == "game_meta_url" else to_camel(name)


_CONFIG = ConfigDict(
    alias_generator=_key, validate_by_name=True, serialize_by_alias=True, defer_build=True
)
"""Many a process knows of records and never makes one, so their check is built for the first."""


@dataclass(frozen=True, slots=True, config=_CONFIG)
class MatchRecord:
    """One match, finished or not. Raises pydantic's ValidationError where lengths disagree."""

    match_id: str
    start_time: int
    start_clock: int
    play_clock: int
    player_names_from_host: tuple[str, ...]
    """One name per role, in role order."""
    states: tuple[str, ...]
    state_times: tuple[int, ...]
    """When each state was reached."""
    moves: tuple[tuple[str, ...], ...]
    """The joint move of each step."""
    errors: tuple[tuple[str, ...], ...]
    goal_values: tuple[int, ...] = ()
    """One per role once the match is completed, and none before."""
    is_completed: bool = False
    is_aborted: bool = False
    scrambled: bool = False
    random_token: str = ""
    game_meta_url: str = ""
    """Where the rulesheet is."""
    is_player_human: tuple[bool, ...] = ()
    tournament_name_from_host: str = ""
    preview_clock: int = -1
    """Seconds; -1 because no match has a preview."""
    states_left_out: bool = False
    """Whether there are no ``states``, as they would be too long."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        states = len(self.state_times if self.states_left_out else self.states)
        lengths = {"stateTimes": len(self.state_times), "errors": len(self.errors)}
        for key, length in {**lengths, "moves": len(self.moves) + 1}.items():
            if length != states:
                raise ValueError(f"{states} states need {states - (key == 'moves')} {key}")
        if self.states_left_out and self.states:
            raise ValueError("expected no states where statesLeftOut is true")
        roles = len(self.player_names_from_host)
        if any(len(entry) != roles for entry in (*self.moves, *self.errors)):
            raise ValueError(f"every entry of moves and errors needs {roles} values, one per role")
        if len(self.goal_values) != (roles if self.is_completed else 0):
            raise ValueError(f"a completed match needs {roles} goalValues, any other none")
        return self

    @model_serializer(mode="wrap")
    def _serialized(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        """The keys of ggp.org; the other one only where it says something."""
        found: dict[str, object] = write(self)
        if not self.states_left_out:
            found.pop("statesLeftOut", None)
        return found

    def to_json(self) -> str:
        """Format the record as indented JSON."""
        return _ADAPTER.dump_json(self, indent=2).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> MatchRecord:
        """Read a record; keys that it does not have are ignored.

        Raises pydantic's ValidationError, which names every key in which the text is wrong.
        """
        return _ADAPTER.validate_json(text)

    def save(self, path: Path) -> None:
        """Write the record to the file, which at any moment is whole or absent.

        Raises OSError where the file cannot be written; a file of that name is replaced.
        """
        write_whole(path, f"{self.to_json()}\n".encode())


_ADAPTER = TypeAdapter(MatchRecord)


class StateTexts:
    """Collects the states of a match for its record; all are left out where they are too long."""

    def __init__(self, limit: int = MAX_STATE_CHARACTERS) -> None:
        self._left = limit
        self._texts: list[str] | None = []

    @property
    def texts(self) -> tuple[str, ...] | None:
        """The states so far, None where they are left out."""
        return None if self._texts is None else tuple(self._texts)

    def add(self, state: State) -> None:
        """Add the next state, which is not written where it is too large at any rate."""
        if 2 * len(state) > self._left:  # each fact has a character and a blank
            self._texts = None
        elif self._texts is not None:
            self.add_text(state_text(state))

    def add_text(self, text: str) -> None:
        """Add the next state as text."""
        self._left -= len(text)
        if self._left < 0:
            self._texts = None
        elif self._texts is not None:
            self._texts.append(text)


def state_text(state: State) -> str:
    """Format a state as in a match record."""
    return " ".join(["(", *sorted(map(str, state)), ")"])


@lru_cache(maxsize=64)
def parse_state(text: str) -> tuple[Term, ...]:
    """Parse the facts of a state as in a match record. Raises :class:`gdl.GdlSyntaxError`."""
    facts = text.strip()[1:-1].strip()
    state = gdl.parse_term(f"(state {facts})") if facts else None
    return tuple(state.args) if isinstance(state, gdl.Function) else ()


def move_texts(joint_move: Iterable[Term]) -> tuple[str, ...]:
    """Format a joint move as in a match record."""
    return tuple(map(str, joint_move))
