"""Checks by playing: what only shows when a game is played.

Random playouts are watched for positions that no game should have. A breadth-first search, about
as long as the playouts were, then looks for shorter ways to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import TypeAlias

from gdl.errors import ResourceLimitError, RulesetError, Severity
from gdl.language import Constant, Term
from gdl.playouts import Ending, Step, play_out
from gdl.state_machine import State, StateMachine
from gdl.validation.position_checks import OF_POSITIONS, Declared, Options, PositionFault, faults_of

JointMove: TypeAlias = tuple[Term, ...]

EXTRA_STEPS = 200
"""How many steps the search for shorter ways may take beyond those of the playouts."""


@dataclass(frozen=True, slots=True)
class PlayoutFinding:
    """One thing wrong with a game, with the joint moves that lead to it from the initial state.

    ``code`` is stable and made for programs. ``is_shortest`` tells that fewer moves never lead
    to the same, according to a complete search.
    """

    severity: Severity
    code: str
    message: str
    moves: tuple[JointMove, ...]
    is_shortest: bool = False


@dataclass(frozen=True, slots=True)
class SimulationReport:
    """What a number of playouts showed.

    ``findings`` has errors first. ``lengths`` are the steps of the playouts that ended,
    ``unfinished`` counts the others. ``monotonic`` are the roles that had one goal value in every
    state, which never fell.
    """

    findings: tuple[PlayoutFinding, ...]
    lengths: tuple[int, ...]
    unfinished: int
    monotonic: tuple[Constant, ...]


def simulate(
    machine: StateMachine,
    playouts: int,
    max_steps: int,
    seed: int = 0,
    declared: Declared | None = None,
) -> SimulationReport:
    """Play random playouts of at most ``max_steps`` steps and report what is wrong with the game.

    The same seed gives the same report. Facts and moves are compared with ``declared``.
    """
    watch = _Watch(machine, declared or Declared())
    random = Random(seed)
    for _ in range(playouts):
        watch.playout(random, max_steps)
    watch.search(watch.steps + EXTRA_STEPS)
    return SimulationReport(
        watch.findings(), tuple(watch.lengths), watch.unfinished, tuple(watch.monotonic)
    )


@dataclass(frozen=True, slots=True)
class _Node:
    """A state with the way by which it was reached."""

    state: State
    parent: _Node | None = None
    joint_move: JointMove = ()
    depth: int = 0

    def after(self, joint_move: JointMove, state: State) -> _Node:
        """Return the node of the state that a joint move leads to."""
        return _Node(state, self, joint_move, self.depth + 1)

    def moves(self) -> tuple[JointMove, ...]:
        """Return the joint moves that lead here."""
        moves: list[JointMove] = []
        node = self
        while node.parent is not None:
            moves.append(node.joint_move)
            node = node.parent
        return tuple(reversed(moves))


class _Watch:
    """Looks at positions and remembers the nearest fault of each kind."""

    def __init__(self, machine: StateMachine, declared: Declared) -> None:
        self.lengths: list[int] = []
        self.unfinished = 0
        self.steps = 0
        self.monotonic = list(machine.roles)
        self._machine = machine
        self._declared = declared
        self._found: dict[tuple[str, str], tuple[PositionFault, _Node]] = {}
        self._searched_depth = -1

    def findings(self) -> tuple[PlayoutFinding, ...]:
        """Return what was found, errors first."""
        found = [
            PlayoutFinding(
                fault.severity,
                fault.code,
                fault.message,
                node.moves(),
                fault.code in OF_POSITIONS and node.depth <= self._searched_depth + 1,
            )
            for fault, node in self._found.values()
        ]
        return tuple(sorted(found, key=lambda f: (f.severity, f.code, len(f.moves), f.message)))

    def _note(self, fault: PositionFault, node: _Node) -> None:
        kind = fault.code, fault.subject
        if kind not in self._found or node.depth < self._found[kind][1].depth:
            self._found[kind] = fault, node

    def _look(self, node: _Node, options: Options) -> None:
        for fault in faults_of(self._machine, node.state, options, self._declared):
            self._note(fault, node)

    # ------------------------------------------------------------------ playouts

    def playout(self, random: Random, max_steps: int) -> None:
        """Watch one random playout."""
        visited: dict[State, _Node] = {}
        repeated: _Node | None = None
        node: _Node | None = None
        joint_move: JointMove = ()
        try:
            for step in play_out(self._machine, random, max_steps):
                node = node.after(joint_move, step.state) if node else _Node(step.state)
                joint_move = ()
                if visited.setdefault(step.state, node) is not node:
                    repeated = repeated or node
                self._look(node, step.options)
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

    def _end(self, step: Step, node: _Node, repeated: _Node | None) -> None:
        if step.ending is Ending.TERMINAL:
            self.lengths.append(step.number)
            return
        self.unfinished += 1
        if step.ending is Ending.STEP_LIMIT:
            message = f"a playout did not end within {step.number} steps"
            if repeated is not None:
                message += "; after these moves an earlier state comes back"
            self._note(PositionFault(Severity.WARNING, "no-end", "", message), repeated or node)

    def _fail(self, error: Exception, node: _Node) -> None:
        message = f"reasoning fails after these moves: {error}"
        self._note(PositionFault(Severity.ERROR, "no-answer", "", message), node)

    def _compare_goals(self, node: _Node) -> None:
        """Strike out the roles whose goal is unclear or lower than in the state before."""
        before = node.parent
        for role in tuple(self.monotonic):
            now = self._machine.goals(node.state, role)
            earlier = self._machine.goals(before.state, role) if before else (0,)
            if len(now) != 1 or now < earlier:
                self.monotonic.remove(role)

    # ------------------------------------------------------------------ search

    def search(self, limit: int) -> None:
        """Search breadth-first for nearer faults, for at most ``limit`` steps."""
        found = (node.depth for fault, node in self._found.values() if fault.code in OF_POSITIONS)
        nodes = [_Node(self._machine.initial_state())]
        visited = {nodes[0].state}
        for depth in range(max(found, default=0)):
            level = [(node, self._looked_at(node)) for node in nodes]
            if limit:
                self._searched_depth = depth
            nodes.clear()
            for node, joint_move in _ways_on(level):
                if not limit:
                    break
                limit -= 1
                following = self._after(node, joint_move)
                if following is not None and following.state not in visited:
                    visited.add(following.state)
                    nodes.append(following)

    def _looked_at(self, node: _Node) -> Options:
        """Look at a position and return every role's legal moves in it."""
        options: Options = ()
        try:
            if not self._machine.is_terminal(node.state):
                roles = self._machine.roles
                options = tuple(self._machine.legal_moves(node.state, role) for role in roles)
            self._look(node, options)
        except (RulesetError, ResourceLimitError) as error:
            self._fail(error, node)
        return options

    def _after(self, node: _Node, joint_move: JointMove) -> _Node | None:
        try:
            return node.after(joint_move, self._machine.next_state(node.state, joint_move))
        except (RulesetError, ResourceLimitError) as error:
            self._fail(error, node.after(joint_move, node.state))
            return None


def _ways_on(level: Iterable[tuple[_Node, Options]]) -> Iterator[tuple[_Node, JointMove]]:
    for node, options in level:
        for joint_move in product(*options) if options else ():
            yield node, joint_move
