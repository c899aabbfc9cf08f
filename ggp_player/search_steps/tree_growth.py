"""Records how the tree of the lane search grows, from one slice of playouts to the next.

Its hot loop is compiled, and hundreds of playouts run in it side by side, so there are no lines to
watch and no playouts to show one by one: a step is a slice. What it shows is what the strategy
reports of itself: the most visited lines, with visits and means.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gdl import State, StateMachine, Term
from ggp_player.clock import Deadline
from ggp_player.protocol import state_text
from ggp_player.search_steps.step_log import LoggedNode, StepLog
from ggp_player.search_steps.texts import choosing_roles, move_label, number, shortened
from ggp_player.search_steps.value_recorder import LONGEST_TITLE
from ggp_player.strategies import BranchReport, Choice, MoveReport, Position
from ggp_player.strategies.mcts import MonteCarlo
from ggp_player.strategies.mcts.search_loop import run_search

SLICE_PLAYOUTS = 512
"""Playouts of a step, about: as many as a block of the search has lanes."""

MAX_SLICES = 100
"""The most steps; a person sees the tree grow to some fifty thousand playouts."""

HOT_LOOP = inspect.unwrap(run_search).__code__
"""The function whose lines stand beside the tree."""

_Path = tuple[tuple[Term, ...], ...]


class TreeGrowth:
    """The steps of one search, which go to a log."""

    def __init__(self, log: StepLog, strategy: MonteCarlo, position: Position) -> None:
        self._log = log
        self._strategy = strategy
        self._position = position
        self._states: dict[_Path, State] = {(): position.state}
        self._nodes: dict[_Path, LoggedNode] = {}

    def choices(self, deadline: Deadline) -> Iterator[Choice]:
        """Yield the choice of each slice, and note its step, until the time is over."""
        sliced = replace(self._position, work_slice=SLICE_PLAYOUTS)
        for count, choice in enumerate(self._strategy.search(sliced)):
            if choice.counts.playouts:  # the first is made before there are any
                self._note(choice)
            yield choice
            if count == MAX_SLICES or deadline.has_passed:
                return

    def _note(self, choice: Choice) -> None:
        """Make a step of what the search knows now; it is at the end of the line expected."""
        step, root = self._log.next_number(), self._node((), "")
        moves = sorted(self._strategy.report(self._position), key=lambda one: -(one.visits or 0))
        end, best = root, -1
        for move in moves:
            if move.branch is None:
                self._look_again(move, step)
                continue
            grown = self._grow((), move.branch, step)
            if move.move == choice.move:
                end, best = self._last_of((), move.branch), grown.number
        root.born = 0
        root.look(step, self._shape(()), "", _visits(sum(one.visits or 0 for one in moves)), best)
        said = f"{choice.counts}; the most visited is {move_label(choice.move)}"
        if choice.value is not None:
            said += f", {'proved' if choice.proved else 'on average'} {number(choice.value)}"
        self._log.add_at(end, _while_line(), (), dict(map(_shown, moves[:8])), said)

    def _look_again(self, move: MoveReport, step: int) -> None:
        """Bring up to date a move at the root that the report shows no more."""
        place = self._machine.roles.index(self._position.role)
        for path, node in self._nodes.items():
            if len(path) == 1 and path[0][place] == move.move and move.value is not None:
                visits = _visits(move.visits or 0)
                node.look(step, self._shape(path), number(move.value), visits, -1)

    def _last_of(self, above: _Path, branch: BranchReport) -> LoggedNode:
        """The end of the line that goes on with the most visited moves."""
        path = (*above, branch.joint_move)
        return self._last_of(path, branch.children[0]) if branch.children else self._nodes[path]

    def _grow(self, above: _Path, branch: BranchReport, step: int) -> LoggedNode:
        """Show a branch of the tree as it is now; return its first node."""
        path = (*above, branch.joint_move)
        if path not in self._states:
            state = self._states[above]
            self._states[path] = self._machine.next_state(state, branch.joint_move)
        node = self._node(path, self._edge(above, branch.joint_move))
        if node.born < 0:
            node.born = step
        mean = "" if branch.value is None else number(branch.value)
        node.look(step, self._shape(path), mean, _visits(branch.visits), -1)
        for child in branch.children:
            self._grow(path, child, step)
        return node

    def _node(self, path: _Path, edge: str) -> LoggedNode:
        if path not in self._nodes:
            parent = self._nodes[path[:-1]].number if path else -1
            title = shortened(state_text(self._states[path]), LONGEST_TITLE)
            self._nodes[path] = self._log.new_node(0, parent, edge, title)
        return self._nodes[path]

    @property
    def _machine(self) -> StateMachine:
        return self._position.machine

    def _edge(self, above: _Path, joint_move: Sequence[Term]) -> str:
        roles = self._machine.roles
        chosen = choosing_roles(self._machine, self._states[above], roles)
        return " / ".join(move_label(joint_move[roles.index(role)]) for role in chosen)

    def _shape(self, path: _Path) -> str:
        state = self._states[path]
        if self._machine.is_terminal(state):
            return "leaf"
        chosen = choosing_roles(self._machine, state, self._machine.roles)
        return "up" if self._position.role in chosen else "down"


def _while_line() -> tuple[int, int]:
    """Where the hot loop begins a turn."""
    lines, first = inspect.getsourcelines(HOT_LOOP)
    return 0, first + next(place for place, line in enumerate(lines) if "while True" in line)


def _shown(move: MoveReport) -> tuple[str, str]:
    mean = "" if move.value is None else f"{number(move.value)}, "
    low, high = move.bounds
    proved = f", proved {number(low)}" if low == high else ""
    return move_label(move.move), f"{mean}{_visits(move.visits or 0)}{proved}"


def _visits(count: int) -> str:
    return f"{count:,} visit{'' if count == 1 else 's'}"
