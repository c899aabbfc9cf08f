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
from gdl.analysis.move_names import MoveNames
from gdl.drawing import draw_text, layout_of, move_names_of
from ggp_player.archive.archived_match import ArchivedMatch
from ggp_player.archive.dresden_xml import last_state
from ggp_player.errors import ArchiveError
from ggp_player.protocol import MatchRecord, move_texts, parse_state, state_text


def replay(match: ArchivedMatch) -> Iterator[str]:
    """Yield the state after each step of a match; an empty text where it is not known.

    Raises :class:`ArchiveError`.
    """
    states = states_of(match)
    for _ in match.steps:
        yield next(states, "")


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


def facts_of(state: str) -> tuple[str, ...]:
    """The facts of a state as text; the state itself where it cannot be read."""
    try:
        return move_texts(parse_state(state))
    except GdlError:
        return (state,)


def draw_state(rules: str, state: str, before: str = "") -> RenderableType | None:
    """Draw a state for the terminal, as something that rich prints: what is new is underlined.

    Returns None where there is nothing to draw: no state, no rules, or none that a board is
    found in.
    """
    if not rules:
        return None
    try:
        facts, earlier = parse_state(state), parse_state(before)
        return draw_text(layout_of(_parsed(rules)), facts, earlier or None) if facts else None
    except (GdlError, RecursionError):
        return None


def names_of(rules: str) -> MoveNames:
    """Find names for the moves of a game; those of the rules remain where there are none."""
    try:
        return move_names_of(_parsed(rules))
    except (GdlError, RecursionError):
        return MoveNames()


_parsed = lru_cache(maxsize=8)(gdl.parse)


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
