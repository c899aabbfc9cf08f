"""Sequences of joint moves as text, and the position that they lead to.

Three forms can be read: one joint move, a list of joint moves, and a match record in JSON::

    (put a1) noop
    ((put a1) noop) (noop (put b2))
    {"moves": [["(put a1)", "noop"], ["noop", "(put b2)"]], ...}
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from pydantic import ValidationError

import gdl
from gdl import Constant, State, StateMachine, Term
from gdl.state_machine import legal_moves_text
from gdl.system import is_file, is_folder
from ggp_player.errors import JointMoveError, ProtocolError
from ggp_player.protocol import Item, MatchRecord, items_of, parse_move, tokens
from ggp_player.strategies.textbook.game_tree import Moves

MOST_ROLES = 100
"""The most moves that are looked at as a joint move for too many roles."""

LONGEST_TEXT = 80
"""The most characters of a text that a message quotes."""

_SUFFIXES = frozenset({".json", ".kif", ".txt"})
"""Endings by which a word is taken for a file's name, where there is no such file."""

JointMoveTexts: TypeAlias = tuple[tuple[str, ...], ...]
"""Joint moves; each has a text for every role."""


def _texts_in(source: str) -> tuple[str, JointMoveTexts | None]:
    """Return the text of the file of that name, or the source itself, and the moves of a record.

    Raises :class:`JointMoveError` if the file is not text, or its JSON not a match record.
    """
    if "(" in source or not is_file(source):
        return source, None
    try:
        text = Path(source).read_text(encoding="utf-8")
        moves = MatchRecord.from_json(text).moves if text.lstrip().startswith("{") else None
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc'])) or 'record'}: {problem['msg']}"
            for problem in error.errors()[:3]
        )
        raise JointMoveError(f"{source} is no match record: {problems}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise JointMoveError(f"{source} cannot be read: {error}") from error
    return text, moves


class MatchPrefix:
    """The beginning of a match: ``steps`` from the initial state, and the ``state`` they lead to.

    It has at most ``limit`` joint moves; further ones are ignored.
    """

    def __init__(
        self, ruleset: gdl.Ruleset, machine: StateMachine, limit: int | None = None
    ) -> None:
        self._limit = limit
        self._ruleset = ruleset
        self._machine = machine
        self.state: State = machine.initial_state()
        self.steps: tuple[Moves, ...] = ()

    def follow(self, source: str) -> None:
        """Append the joint moves of a text, or of the file of that name.

        Raises :class:`JointMoveError`, which names the step, the move and the legal ones.
        """
        text, moves = _texts_in(source)
        readings = [moves] if moves is not None else self._readings(text)
        failures: list[JointMoveError] = []
        for reading in readings:
            try:
                state, steps = self._made(reading)
            except JointMoveError as error:
                failures.append(error)
            else:
                self.state, self.steps = state, (*self.steps, *steps)
                return
        if not failures or (moves is None and self._is_too_short_or_long(text)):
            raise self._unreadable(text)
        # Of several readings, report the one that got furthest: it is the likeliest.
        raise max(failures, key=lambda error: error.step)

    def _readings(self, text: str) -> list[JointMoveTexts]:
        """List the readings of a text: it may be both a joint move and a list of joint moves."""
        _check_parentheses(text)
        try:
            items = list(items_of(f"({text}\n)", 0, -1))
            lists = [_elements(item) for item in items]
            inner = [_elements(element) for element in lists[0]] if len(items) == 1 else []
        except ProtocolError as error:
            raise JointMoveError(f"moves that cannot be read: {error}") from error
        if not items:
            return [()]
        count = len(self._machine.roles)
        # A term does not begin with two parentheses: an item that does is a joint move.
        is_joint_move = not any(joint_move and joint_move[0].is_list for joint_move in lists)
        candidates = [[items] if is_joint_move else [], lists, inner]
        return [
            tuple(tuple(item.text for item in joint_move) for joint_move in candidate)
            for candidate in candidates
            if candidate and all(len(joint_move) == count for joint_move in candidate)
        ]

    def _is_too_short_or_long(self, text: str) -> bool:
        """Check whether a text is legal moves, but not one for each role: ``(put b2)`` alone."""
        texts = [item.text for item in items_of(f"({text}\n)", 0, -1)]
        roles = self._machine.roles
        if len(texts) == len(roles) or len(texts) > MOST_ROLES:
            return False
        legal = {
            str(move) for role in roles for move in self._machine.legal_moves(self.state, role)
        }
        return all(text in legal for text in texts)

    def _unreadable(self, text: str) -> JointMoveError:
        """The error for a text that is no joint move and no list of them, or a missing file."""
        number = len(self.steps) + 1
        if _is_file_name(text):
            name = _cut(text)
            if is_folder(text.strip()):
                return JointMoveError(f"{name} is a folder; expected a file", number)
            return JointMoveError(f"there is no file {name}", number)
        roles = self._machine.roles
        moves = f"{len(roles)} move{'' if len(roles) == 1 else 's'}"
        expected = f"expected {moves} in a joint move, for {' '.join(map(str, roles))}"
        items = list(items_of(f"({text}\n)", 0, -1))
        lists = list(map(_elements, items))
        wrong = [n for n, joint_move in enumerate(lists) if len(joint_move) != len(roles)]
        if len(roles) > 1 and len(items) > 1 and all(item.is_list for item in items) and wrong:
            item, count = items[wrong[0]], len(lists[wrong[0]])
            return JointMoveError(
                f"{expected}; found {count}: {_cut(item.text)}", number + wrong[0]
            )
        return JointMoveError(f"{expected}, or a file; found {len(items)}: {_cut(text)}", number)

    def _made(self, reading: JointMoveTexts) -> tuple[State, list[Moves]]:
        state, steps = self.state, list[Moves]()
        room = None if self._limit is None else self._limit - len(self.steps)
        for texts in reading[:room]:
            number = len(self.steps) + len(steps) + 1
            if self._machine.is_terminal(state):
                raise JointMoveError(f"the match is over after step {number - 1}", number)
            joint_move = self._checked(state, texts, number)
            state = self._machine.next_state(state, joint_move)
            steps.append(joint_move)
        return state, steps

    def _checked(self, state: State, texts: Sequence[str], number: int) -> Moves:
        roles = self._machine.roles
        if len(texts) != len(roles):
            names = " ".join(map(str, roles))
            sentence = f"expected {len(roles)} moves in a joint move, for {names}"
            raise JointMoveError(f"{sentence}; found {len(texts)}: {' '.join(texts)}", number)
        return tuple(
            self._legal_move(state, role, text, number)
            for role, text in zip(roles, texts, strict=True)
        )

    def _legal_move(self, state: State, role: Constant, text: str, number: int) -> Term:
        try:
            move = self._ruleset.spell(parse_move(text))
        except gdl.GdlError as error:
            raise JointMoveError(f"{text} is no move of {role}:\n{error}", number) from error
        legal = self._machine.legal_moves(state, role)
        if move not in legal:
            sentence = f"{move} is not legal for {role}; {legal_moves_text(legal)}"
            raise JointMoveError(sentence, number)
        return move


def _is_file_name(text: str) -> bool:
    """Check whether a text is meant as the name of a file rather than as moves."""
    text = text.strip()
    if "(" in text or not text or len(text.split()) > 1:
        return False
    return os.sep in text or Path(text).suffix in _SUFFIXES


def _check_parentheses(text: str) -> None:
    depth = 0
    for token in tokens(text):
        depth += {"(": 1, ")": -1}.get(token.group(), 0)
        if depth < 0:
            raise JointMoveError(f"moves that cannot be read: a ')' too many in {_cut(text)}")
    if depth:
        raise JointMoveError(f"moves that cannot be read: a '(' is not closed in {_cut(text)}")


def _cut(text: str) -> str:
    text = text.strip()
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"


def _elements(item: Item) -> list[Item]:
    return list(items_of(item.text, 0, item.start)) if item.is_list else []
