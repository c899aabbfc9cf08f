"""Replaying a match: the state after each joint move.

States are not in the archive: they follow from the rules, and a record that was imported has its
own. Evaluating rules takes as long as they want; a server does that in a worker process.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from rich.console import RenderableType

import gdl
from gdl import GdlError, State
from gdl.analysis.boards import BoardLayout, find_layout
from gdl.analysis.move_names import MoveNames, find_move_names
from gdl.drawing import draw_text
from ggp_player.archive.archived_match import ArchivedMatch
from ggp_player.archive.dresden_xml import last_state
from ggp_player.errors import ArchiveError
from ggp_player.protocol import MatchRecord, state_text


def replay(match: ArchivedMatch) -> Iterator[tuple[str, ...]]:
    """Yield the facts of the state after each step of a match; none where they are not known.

    Raises :class:`ArchiveError`.
    """
    states = states_of(match)
    for _ in match.steps:
        yield facts_of(next(states, ""))


def states_of(match: ArchivedMatch) -> Iterator[str]:
    """Yield the states of a match as in match records; nothing where they cannot be known."""
    record = MatchRecord.from_json(match.document) if match.document_format == "json" else None
    if record is not None and not record.states_left_out:
        yield from record.states
    elif match.rules:
        yield from (state_text(state) for state in _computed(match))
    elif match.document_format == "xml":
        yield from ("",) * (len(match.steps) - 1)
        yield last_state(match.document)


def facts_of(text: str) -> tuple[str, ...]:
    """The facts of a state that reads ``( (cell 1 1 b) (control white) )``."""
    if not text.strip("() "):
        return ()
    try:
        state = gdl.parse_term(f"(state {text[1:-1]})")
    except GdlError:
        return (text,)
    return tuple(map(str, state.args)) if isinstance(state, gdl.Function) else ()


def draw_state(
    rules: str, facts: tuple[str, ...], before: tuple[str, ...] = ()
) -> RenderableType | None:
    """Draw a state for the terminal, as something that rich prints: what is new is underlined.

    Returns None where there is nothing to draw: no state, no rules, or none that a board is
    found in.
    """
    if not facts or not rules:
        return None
    try:
        earlier = [gdl.parse_term(fact) for fact in before] or None
        return draw_text(_layout(rules), [gdl.parse_term(fact) for fact in facts], earlier)
    except (GdlError, RecursionError):
        return None


@lru_cache(maxsize=8)
def names_of(rules: str) -> MoveNames:
    """Find names for the moves of a game; those of the rules remain where there are none."""
    try:
        return find_move_names(gdl.interpret(gdl.parse(rules)), _layout(rules))
    except (GdlError, RecursionError):
        return MoveNames()


@lru_cache(maxsize=8)
def _layout(rules: str) -> BoardLayout:
    return find_layout(gdl.parse(rules))


def _computed(match: ArchivedMatch) -> Iterator[State]:
    """Compute the states by the rules."""
    try:
        ruleset = gdl.parse(match.rules, name=f"the rules of match {match.summary.number}")
        machine = gdl.interpret(ruleset)
        state = machine.initial_state()
        yield state
        for joint_move in match.moves:
            if not joint_move:
                number = match.summary.number
                raise ArchiveError(f"match {number}: we were not told all moves, and so its states")
            terms = [ruleset.spell(gdl.parse_term(move)) for move in joint_move]
            state = machine.next_state(state, terms)
            yield state
    except (GdlError, RecursionError) as error:
        number = match.summary.number
        raise ArchiveError(f"match {number} cannot be replayed: {error}") from error
