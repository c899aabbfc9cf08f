"""Recorded playouts as JSON lines: one object for each state."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from gdl.datasets.recording import NO_GOAL, NO_MOVE, Recording
from gdl.engine import Bits, PropnetStateMachine
from gdl.language import Term

Texts: TypeAlias = Sequence[str]


def json_lines(machine: PropnetStateMachine, recording: Recording) -> Iterator[str]:
    """Yield a line for each state of a recording, without line ends."""
    writer = _Writer(machine)
    return writer.lines(recording)


class _Writer:
    """Puts lines together of the texts of terms, each of which is written as JSON once."""

    def __init__(self, machine: PropnetStateMachine) -> None:
        self._facts = _quoted(machine.facts)
        self._moves = [_quoted(moves) for moves in machine.moves]
        self._roles = _quoted(machine.roles)
        self._offsets = np.cumsum([0, *map(len, machine.moves)]).tolist()
        self._percepts = [(role, json.dumps(str(term))) for role, term in machine.percept_rows]

    def lines(self, recording: Recording) -> Iterator[str]:
        """Yield the lines of a recording."""
        states = _lists(recording.facts, self._facts)
        legal = [
            _lists(recording.legal[:, first:last], texts)
            for (first, last), texts in zip(pairwise(self._offsets), self._moves, strict=True)
        ]
        columns = zip(
            recording.playouts.tolist(),
            recording.steps.tolist(),
            states,
            zip(*legal, strict=True),
            recording.moves.tolist(),
            recording.goals.tolist(),
            recording.terminal.tolist(),
            strict=True,
        )
        sees = self._sees(recording)
        for row, (playout, step, state, options, moves, goals, terminal) in enumerate(columns):
            yield (
                f'{{"playout":{playout},"step":{step},"state":{state},'
                f'"legal":{self._by_role(options)},"moves":{self._joint_move(moves)},'
                f'"goals":{self._by_role(map(_goal, goals))},'
                f'"terminal":{"true" if terminal else "false"}{sees.get(row, "")}}}'
            )

    def _by_role(self, values: Iterator[str] | Sequence[str]) -> str:
        pairs = zip(self._roles, values, strict=True)
        return f"{{{','.join(f'{role}:{value}' for role, value in pairs)}}}"

    def _joint_move(self, moves: Sequence[int]) -> str:
        if moves[0] == NO_MOVE:
            return "null"
        return self._by_role([own[i] for own, i in zip(self._moves, moves, strict=True)])

    def _sees(self, recording: Recording) -> Mapping[int, str]:
        """The last part of the rows in which a move is made, where the game has percepts."""
        if not self._percepts:
            return {}
        found: dict[int, list[list[str]]] = {
            row: [[] for _ in self._roles]
            for row in np.flatnonzero(recording.moves[:, 0] != NO_MOVE).tolist()
        }
        for row, column in zip(*map(np.ndarray.tolist, recording.percepts.nonzero()), strict=True):
            role, text = self._percepts[column]
            found[row][role].append(text)
        return {
            row: f',"sees":{self._by_role(list(map(_list, by_role)))}'
            for row, by_role in found.items()
        }


def _list(texts: Texts) -> str:
    return f"[{','.join(texts)}]"


def _goal(value: int) -> str:
    return "null" if value == NO_GOAL else str(value)


def _quoted(terms: Sequence[Term]) -> Texts:
    return [json.dumps(str(term)) for term in terms]


def _lists(bits: Bits, texts: Texts) -> Iterator[str]:
    """Yield, for each row of bits, the list of the texts whose bits are set."""
    rows, columns = bits.nonzero()
    ends = np.searchsorted(rows, np.arange(len(bits)), side="right").tolist()
    chosen = [texts[column] for column in columns.tolist()]
    first = 0
    for end in ends:
        yield _list(chosen[first:end])
        first = end
