"""What a strategy reports of its moves, made into the rows that all readers show.

Moves that a symmetry of the game maps to one another share their figures.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl import Constant, State, StateMachine, Term
from gdl.analysis.symmetry import find_symmetries, generated_group
from gdl.engine import PropnetStateMachine, SymmetryGroup
from ggp_player.clock import Clock, thread_cpu
from ggp_player.events import BranchThought, MoveThought
from ggp_player.events.search_view import MAX_CHILDREN, MAX_PLIES, MAX_TEXT
from ggp_player.strategies import BranchReport, Choice, MoveReport, Position
from ggp_player.strategies.solver import canonical_key

MAX_COMPARED_MOVES = 400
"""The most moves that are compared: each takes a successor, and its images."""


class SymmetricMoves:
    """Compares the states after moves, in the games of one machine after another.

    The symmetries are those that the rules themselves prove, which takes some hundredths of a
    second for a game, and is done once. There are none where the rules are interpreted.
    """

    def __init__(self, cpu_clock: Clock = thread_cpu) -> None:
        self.cpu_seconds = 0.0
        """How long finding the symmetries has taken, in CPU time."""
        self._cpu_clock = cpu_clock
        self._machine: StateMachine | None = None
        self._group: SymmetryGroup | None = None

    def classes(self, machine: StateMachine, state: State, role: Constant) -> list[list[Term]]:
        """List the moves of the role that lead to the same state but for symmetry, two or more.

        Where several roles have a choice, no moves are compared.
        """
        group = self._group_of(machine)
        moves = machine.legal_moves(state, role)
        others = {each: machine.legal_moves(state, each) for each in machine.roles if each != role}
        is_alone = all(len(legal) == 1 for legal in others.values())
        if group is None or not is_alone or not 1 < len(moves) <= MAX_COMPARED_MOVES:
            return []
        assert isinstance(machine, PropnetStateMachine)
        found: dict[bytes, list[Term]] = {}
        for move in moves:
            joint_move = [move if each == role else others[each][0] for each in machine.roles]
            after = machine.next_state(state, joint_move)
            found.setdefault(canonical_key(machine, after, group), []).append(move)
        return [equal for equal in found.values() if len(equal) > 1]

    def _group_of(self, machine: StateMachine) -> SymmetryGroup | None:
        """The symmetries that keep every role; None where there are none but the identity."""
        if machine is not self._machine:
            began = self._cpu_clock()
            self._machine, self._group = machine, None
            if isinstance(machine, PropnetStateMachine):
                group = generated_group(machine, find_symmetries(machine))
                self._group = group if len(group.facts) > 1 else None
            self.cpu_seconds += self._cpu_clock() - began
        return self._group


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


def told_tree(reports: Sequence[MoveReport]) -> tuple[BranchThought, ...]:
    """The tree of the most visited lines, bounded; empty where nothing of it is reported."""
    branches = [report.branch for report in reports if report.branch is not None]
    return _told(sorted(branches, key=lambda branch: -branch.visits))


def _told(branches: Sequence[BranchReport], ply: int = 0) -> tuple[BranchThought, ...]:
    if ply == MAX_PLIES:
        return ()
    return tuple(
        BranchThought(
            moves=tuple(str(move)[:MAX_TEXT] for move in branch.joint_move),
            value=None if branch.value is None else round(float(branch.value), 3),
            visits=int(branch.visits),
            children=_told(branch.children, ply + 1),
        )
        for branch in branches[:MAX_CHILDREN]
    )
