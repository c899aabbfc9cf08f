"""What a search reports while it runs: seldom, briefly, and only if somebody watches.

A strategy says what it knows of each move when it is asked between two of its choices
(:meth:`.Strategy.report`). That takes time from the search, so a report is followed by a pause that
is :data:`REST` times the CPU time that it took, but for what is done once in a match, and at most
:data:`LONGEST_REST`: whoever watches is shown something, however large the game.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from ggp_player.clock import Clock, monotonic, thread_cpu
from ggp_player.events import BranchThought, MoveThought
from ggp_player.events.search_view import MAX_LINE, MAX_LINES, MAX_TEXT, MAX_TOLD_MOVES
from ggp_player.strategies import Choice, Position, Strategy
from ggp_player.worker.interruptible import without_interruption
from ggp_player.worker.messages import SearchReport
from ggp_player.worker.move_thoughts import SymmetricMoves, move_thoughts, told_tree

INTERVAL = 0.25
"""Seconds between two reports, at least."""

REST = 50
"""How many times the CPU time of a report the search goes on before the next: it loses 2 %."""

LONGEST_REST = 5.0
"""Seconds after which the next report comes in any case: those of 0.1 s and more cost more."""

_log = logging.getLogger(__name__)


class SearchReporter:
    """Makes the reports of one search, ``number``, of the position of a turn.

    ``symmetric_moves`` finds the moves that are equal by symmetry. ``notice`` says why the search
    is not at its full strength, if so. ``cpu_clock`` measures what a report costs, so that a busy
    machine makes reports late, but not rare.
    """

    def __init__(
        self,
        send: Callable[[SearchReport], None],
        is_watched: Callable[[], bool],
        number: int,
        turn: int,
        clock: Clock = monotonic,
        *,
        symmetric_moves: SymmetricMoves | None = None,
        notice: Callable[[], str] = str,
        cpu_clock: Clock = thread_cpu,
    ) -> None:
        self._send = send
        self._is_watched = is_watched
        self._number = number
        self._turn = turn
        self._clock = clock
        self._cpu_clock = cpu_clock
        self._symmetric_moves = symmetric_moves or SymmetricMoves()
        self._notice = notice
        self._began = clock()
        self._due = self._began
        self._last: dict[str, tuple[float, int]] = {}

    def offer(self, strategy: Strategy, position: Position, choice: Choice) -> None:
        """Report if it is time to."""
        if self._clock() >= self._due and self._is_watched():
            self.report(strategy, position, choice)

    def report(self, strategy: Strategy, position: Position, choice: Choice) -> None:
        """Report now, and set the time of the next report."""
        began, cpu_before = self._clock(), self._cpu_seconds
        moves, tree = self._moves(strategy, position, choice)
        shown = enumerate(moves[:MAX_TOLD_MOVES])
        thoughts = tuple(_shortened(thought, place < MAX_LINES) for place, thought in shown)
        counts = choice.counts.known
        report = SearchReport(
            number=self._number,
            turn=self._turn,
            move=str(choice.move),
            value=choice.value,
            proved=choice.proved,
            note=choice.explanation[:MAX_TEXT],
            notice=self._notice(),
            strategy=strategy.name,
            seconds=round(began - self._began, 3),
            moves=thoughts,
            move_count=len(moves),
            tree=tree,
            playouts=counts.get("playouts"),
            nodes=counts.get("nodes"),
            depth=counts.get("depth"),
            playouts_per_second=self._rate("playouts", began, counts),
            nodes_per_second=self._rate("nodes", began, counts),
        )
        self._send(report)
        rest = min(REST * (self._cpu_seconds - cpu_before), LONGEST_REST)
        self._due = max(began + INTERVAL, self._clock() + rest)

    @property
    def _cpu_seconds(self) -> float:
        """CPU time so far, without what is done once in a match."""
        return self._cpu_clock() - self._symmetric_moves.cpu_seconds

    def _moves(
        self, strategy: Strategy, position: Position, choice: Choice
    ) -> tuple[Sequence[MoveThought], tuple[BranchThought, ...]]:
        """Ask the strategy; a report that fails costs the report, not the search."""
        try:
            position = replace(position, machine=without_interruption(position.machine))
            reports = strategy.report(position)
            moves = move_thoughts(position, reports, choice, self._symmetric_moves)
            return moves, told_tree(reports)
        except MemoryError:
            raise
        except Exception:
            _log.exception("%s cannot report what it thinks", strategy.name)
            return (), ()

    def _rate(self, name: str, now: float, counts: dict[str, int]) -> float | None:
        """How many a second since the last report; None where that is not known."""
        if name not in counts:
            return None
        before = self._last.get(name)
        self._last[name] = now, counts[name]
        if before is None or now <= before[0] or counts[name] < before[1]:
            return None
        return round((counts[name] - before[1]) / (now - before[0]), 1)


def _shortened(thought: MoveThought, has_line: bool) -> MoveThought:
    """Bound what is sent; the row keeps its texts."""
    line = thought.line[:MAX_LINE] if has_line else ()
    return replace(
        thought,
        move=thought.move[:MAX_TEXT],
        twin=thought.twin[:MAX_TEXT],
        line=tuple(tuple(text[:MAX_TEXT] for text in joint_move) for joint_move in line),
        cells=tuple(text[:MAX_TEXT] for text in thought.cells),
    )
