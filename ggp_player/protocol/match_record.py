"""Match records: what happened in a match, in the JSON form of ggp.org.

Per role, an error is ``""`` for none, ``TO`` for a reply that came too late, ``CE`` for a failed
connection, or ``IL`` and the text of an illegal reply. Entry 0 of ``errors`` belongs to the start
message, entry n to step n; entry 0 of ``states`` is the initial state. Times are milliseconds
since 1970. A state reads ``( (cell 1 1 b) (control white) )``, its facts in alphabetical order.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from pydantic import ConfigDict, TypeAdapter, model_validator
from pydantic.alias_generators import to_camel
from pydantic.dataclasses import dataclass

from gdl import State, Term

TIMEOUT = "TO"
"""The error of a reply that came too late or not at all."""

CONNECTION_ERROR = "CE"
"""The error of a player that could not be reached."""

ILLEGAL = "IL"
"""The first word of the error of an illegal reply; the reply's text follows."""


def _key(name: str) -> str:
    """The JSON key of a field: in camel case, but for the one with a spelling of its own."""
    return "gameMetaURL" if name == "game_meta_url" else to_camel(name)


_CONFIG = ConfigDict(alias_generator=_key, validate_by_name=True, serialize_by_alias=True)


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

    @model_validator(mode="after")
    def _agree(self) -> Self:
        lengths = {"stateTimes": len(self.state_times), "errors": len(self.errors)}
        for key, length in {**lengths, "moves": len(self.moves) + 1}.items():
            if length != len(self.states):
                expected = len(self.states) - (key == "moves")
                raise ValueError(f"{len(self.states)} states need {expected} {key}")
        roles = len(self.player_names_from_host)
        if any(len(entry) != roles for entry in (*self.moves, *self.errors)):
            raise ValueError(f"every entry of moves and errors needs {roles} values, one per role")
        if len(self.goal_values) != (roles if self.is_completed else 0):
            raise ValueError(f"a completed match needs {roles} goalValues, any other none")
        return self

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
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with temporary.open("w", encoding="utf-8") as file:
                file.write(self.to_json() + "\n")
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


_ADAPTER = TypeAdapter(MatchRecord)


def state_text(state: State) -> str:
    """Format a state as in a match record."""
    return " ".join(["(", *sorted(map(str, state)), ")"])


def move_texts(joint_move: Iterable[Term]) -> tuple[str, ...]:
    """Format a joint move as in a match record."""
    return tuple(map(str, joint_move))
