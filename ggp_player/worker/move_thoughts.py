"""What a strategy reports of its moves, made into the rows that all readers show."""

from __future__ import annotations

from collections.abc import Sequence

from gdl import Term
from ggp_player.events import MoveThought
from ggp_player.strategies import Choice, MoveReport, Position
from ggp_player.worker.symmetric_moves import SymmetricMoves


def move_thoughts(
    position: Position,
    reports: Sequence[MoveReport],
    choice: Choice | None,
    symmetric_moves: SymmetricMoves,
) -> list[MoveThought]:
    """List all moves, best first: the choice, then by value; none where nothing is reported.

    Moves that the search has merged with another, to which a symmetry of the game maps them, or has
    left without a value, have the figures of this twin.
    """
    if not reports:
        return []
    known = {report.move: report for report in reports}
    moves = [*known, *(move for move in position.legal_moves if move not in known)]
    twins = _twins(position, known, symmetric_moves)
    chosen = choice and choice.move

    def rank(move: Term) -> tuple[bool, float, float, int]:
        report = known.get(twins.get(move, move)) or MoveReport(move)
        value = _shown_value(report)
        # One of two equal values may be a mere upper bound.
        best = -1.0 if value is None else value
        return move != chosen, -best, -report.bounds[0], -(report.visits or 0)

    return [_thought(move, known, twins.get(move)) for move in sorted(moves, key=rank)]


def _twins(
    position: Position, known: dict[Term, MoveReport], symmetric_moves: SymmetricMoves
) -> dict[Term, Term]:
    """Map each move without a value to the one that was searched most of those equal to it."""
    valued = {
        move: report.visits or 0
        for move, report in known.items()
        if report.value is not None or report.proved
    }
    if position.belief is not None:  # what is symmetric in one state need not be in another
        return {}
    if not valued or all(move in valued for move in position.legal_moves):
        return {}
    found = {}
    for equal in symmetric_moves.classes(position.machine, position.state, position.role):
        searched = [move for move in equal if move in valued]
        if searched:
            twin = max(searched, key=lambda move: valued[move])
            found.update({move: twin for move in equal if move not in valued})
    return found


def _shown_value(report: MoveReport) -> float | None:
    """The proved value, or else the expected one, which may not contradict what is proved."""
    low, high = report.bounds
    if report.proved:
        return low
    return None if report.value is None else min(max(report.value, low), high)


def _thought(move: Term, known: dict[Term, MoveReport], twin: Term | None) -> MoveThought:
    report = known.get(move if twin is None else twin) or MoveReport(move)
    low, high = map(float, report.bounds)
    value = _shown_value(report)
    is_own = twin is None
    return MoveThought(
        move=str(move),
        value=None if value is None else round(float(value), 3),
        visits=None if report.visits is None or not is_own else int(report.visits),
        low=low,
        high=high,
        line=tuple(tuple(map(str, step)) for step in report.line) if is_own else (),
        twin="" if twin is None else str(twin),
    )
