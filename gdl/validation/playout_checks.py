"""Playout checks: problems that only show when the game is played.

Random playouts are checked for states that no game should reach. A breadth-first search of about
as many steps then looks for shorter paths to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import TypeAlias

from gdl.errors import ResourceLimitError, RulesetError, Severity
from gdl.language import Constant
from gdl.playouts import Ending, JointMove, StatePath, Step, play_out
from gdl.state_machine import State, StateMachine
from gdl.validation.position_checks import (
    POSITION_CODES,
    Declared,
    Options,
    PositionProblem,
    check_position,
)

Node: TypeAlias = StatePath[State]

EXTRA_STEPS = 200
"""How many more steps than the playouts the search for shorter paths may take."""


@dataclass(frozen=True, slots=True)
class PlayoutProblem:
    """One thing wrong with a game, with the joint moves that lead to it from the initial state.

    ``code`` is stable and meant for programs. ``is_shortest`` says that a complete search found no
    shorter path.
    """

    severity: Severity
    code: str
    message: str
    moves: tuple[JointMove, ...]
    is_shortest: bool = False


@dataclass(frozen=True, slots=True)
class PlayoutReport:
    """The problems found in playouts, and how the playouts went.

    ``problems`` has errors first. ``lengths`` are the steps of the playouts that ended,
    ``unfinished`` counts the others. ``monotonic`` are the roles that had exactly one goal value in
    every state, which never fell.
    """

    problems: tuple[PlayoutProblem, ...]
    lengths: tuple[int, ...]
    unfinished: int
    monotonic: tuple[Constant, ...]


def check_playouts(
    machine: StateMachine,
    playouts: int,
    max_steps: int,
    seed: int = 0,
    declared: Declared | None = None,
) -> PlayoutReport:
    """Run random playouts of at most ``max_steps`` steps and report what is wrong with the game.

    The same seed gives the same report. Facts and moves are checked against ``declared``.
    """
    checker = _PlayoutChecker(machine, declared or Declared())
    random = Random(seed)
    for _ in range(playouts):
        checker.playout(random, max_steps)
    checker.search(checker.steps + EXTRA_STEPS)
    return PlayoutReport(
        checker.problems(), tuple(checker.lengths), checker.unfinished, tuple(checker.monotonic)
    )


class _PlayoutChecker:
    """Checks positions and keeps the problem with the shortest path of each kind."""

    def __init__(self, machine: StateMachine, declared: Declared) -> None:
        self.lengths: list[int] = []
        self.unfinished = 0
        self.steps = 0
        self.monotonic = list(machine.roles)
        self._machine = machine
        self._declared = declared
        self._found: dict[tuple[str, str], tuple[PositionProblem, Node]] = {}
        self._searched_depth = -1

    def problems(self) -> tuple[PlayoutProblem, ...]:
        """Return the problems found, errors first."""
        found = [
            PlayoutProblem(
                problem.severity,
                problem.code,
                problem.message,
                node.moves(),
                problem.code in POSITION_CODES and node.depth <= self._searched_depth + 1,
            )
            for problem, node in self._found.values()
        ]
        return tuple(sorted(found, key=lambda f: (f.severity, f.code, len(f.moves), f.message)))

    def _note(self, problem: PositionProblem, node: Node) -> None:
        kind = problem.code, problem.subject
        if kind not in self._found or node.depth < self._found[kind][1].depth:
            self._found[kind] = problem, node

    def _check(self, node: Node, options: Options) -> None:
        for problem in check_position(self._machine, node.state, options, self._declared):
            self._note(problem, node)

    # ------------------------------------------------------------------ playouts

    def playout(self, random: Random, max_steps: int) -> None:
        """Check one random playout."""
        visited: dict[State, Node] = {}
        repeated: Node | None = None
        node: Node | None = None
        joint_move: JointMove = ()
        try:
            for step in play_out(self._machine, random, max_steps):
                node = node.after(joint_move, step.state) if node else StatePath(step.state)
                joint_move = ()
                if visited.setdefault(step.state, node) is not node:
                    repeated = repeated or node
                self._check(node, step.options)
                self._compare_goals(node)
                joint_move = step.joint_move or ()
                if step.ending is not None:
                    self._end(step, node, repeated)
        except (RulesetError, ResourceLimitError) as error:
            if node is None:
                raise
            self.unfinished += 1
            self._fail(error, node.after(joint_move, node.state) if joint_move else node)
        self.steps += node.depth if node else 0

    def _end(self, step: Step, node: Node, repeated: Node | None) -> None:
        if step.ending is Ending.TERMINAL:
            self.lengths.append(step.number)
            return
        self.unfinished += 1
        if step.ending is Ending.STEP_LIMIT:
            message = f"a playout did not end within {step.number} steps"
            if repeated is not None:
                message += "; after these moves an earlier state comes back"
            self._note(PositionProblem(Severity.WARNING, "no-end", "", message), repeated or node)

    def _fail(self, error: Exception, node: Node) -> None:
        message = f"reasoning fails after these moves: {error}"
        self._note(PositionProblem(Severity.ERROR, "no-answer", "", message), node)

    def _compare_goals(self, node: Node) -> None:
        """Drop the roles with several goal values or none, or a lower one than a step before."""
        before = node.parent
        for role in tuple(self.monotonic):
            now = self._machine.goals(node.state, role)
            earlier = self._machine.goals(before.state, role) if before else (0,)
            if len(now) != 1 or now < earlier:
                self.monotonic.remove(role)

    # ------------------------------------------------------------------ search

    def search(self, limit: int) -> None:
        """Search breadth-first for shorter paths to the problems, for at most ``limit`` steps."""
        found = self._found.values()
        depths = (node.depth for problem, node in found if problem.code in POSITION_CODES)
        nodes = [StatePath(self._machine.initial_state())]
        visited = {nodes[0].state}
        for depth in range(max(depths, default=0)):
            level = [(node, self._checked(node)) for node in nodes]
            if limit:
                self._searched_depth = depth
            nodes.clear()
            for node, joint_move in _continuations(level):
                if not limit:
                    break
                limit -= 1
                following = self._after(node, joint_move)
                if following is not None and following.state not in visited:
                    visited.add(following.state)
                    nodes.append(following)

    def _checked(self, node: Node) -> Options:
        """Check a position and return every role's legal moves in it."""
        options: Options = ()
        try:
            if not self._machine.is_terminal(node.state):
                roles = self._machine.roles
                options = tuple(self._machine.legal_moves(node.state, role) for role in roles)
            self._check(node, options)
        except (RulesetError, ResourceLimitError) as error:
            self._fail(error, node)
        return options

    def _after(self, node: Node, joint_move: JointMove) -> Node | None:
        try:
            return node.after(joint_move, self._machine.next_state(node.state, joint_move))
        except (RulesetError, ResourceLimitError) as error:
            self._fail(error, node.after(joint_move, node.state))
            return None


def _continuations(level: Iterable[tuple[Node, Options]]) -> Iterator[tuple[Node, JointMove]]:
    for node, options in level:
        for joint_move in product(*options) if options else ():
            yield node, joint_move
