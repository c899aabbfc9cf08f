"""The match tracker: knows the rules of a match, applies its steps, and lists what is legal.

It applies the joint moves *received*, never the moves sent: a move of ours that came too late was
replaced by the game manager. A joint move that it takes for illegal is logged and applied all the
same, because the match goes on from there.

Some game managers tell a player not the joint move, but what its role sees of it. Where that says
what everybody did, as in a game without hidden information, the joint move is known all the same.
Otherwise the match goes on in the states that are possible (:class:`.Belief`), and ``state`` is one
of them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING

import gdl
from ggp_player.errors import UnplayableError
from ggp_player.events import History, ObservedStep, Step
from ggp_player.protocol import move_texts, parse_move

if TYPE_CHECKING:
    from gdl.engine import PropnetStateMachine
    from ggp_player.belief import Belief
    from ggp_player.worker.compiling import BackgroundCompiler

DID = "did"
"""What game managers call the percept ``(did role move)``, by which a role sees all moves."""

SEES = "sees"
"""The relation by which rules say what a role sees."""

MAX_TRACKED_STATES = 128
"""The most possible states that are kept to know what is legal."""

MAX_JOINT_MOVES = 1024
"""The most joint moves that are then looked at in a step: a reply waits for them."""

_log = logging.getLogger(__name__)


class MatchTracker:
    """The state of a match as seen by one role, at first that after the steps of its ``history``.

    ``on_parsed`` is called with the rules before they are evaluated, which may take long. With
    ``compile_seconds`` the rules are compiled. Where that takes longer, they are interpreted until
    :meth:`use_compiled_rules` finds them ready. With ``is_for_search`` more of the possible states
    are kept than what is legal can be known by. Raises gdl.GdlError and :class:`UnplayableError`.
    """

    _last: tuple[gdl.Term, ...] | None
    _belief: Belief | None

    def __init__(
        self,
        rules: str,
        role: str,
        compile_seconds: float | None = None,
        on_parsed: Callable[[gdl.Ruleset], None] = lambda ruleset: None,
        *,
        history: History = (),
        is_for_search: bool = False,
    ) -> None:
        self._ruleset = gdl.parse(rules, name="rules")
        on_parsed(self._ruleset)
        self._compiler: BackgroundCompiler | None = None
        if compile_seconds is not None:
            self._compiler = self._begin_compiling(compile_seconds)
        self.machine: gdl.StateMachine = self._compiled or gdl.interpret(self._ruleset)
        self.role = self._role_named(role)
        self._is_for_search = is_for_search
        self._gets_percepts = False
        self._has_percepts = any(rule.head.name.lower() == SEES for rule in self._ruleset.rules)
        self._hides_states: bool | None = None
        self.replace_history(history)

    @property
    def last_joint_move(self) -> tuple[str, ...]:
        """The joint move that has led here; empty where it is not known, or there is none."""
        return move_texts(self._last or ())

    @property
    def knows_the_state(self) -> bool:
        """Whether ``state`` is that of the match, and not only one that is possible."""
        return self._belief is None or self._belief.is_known

    @property
    def belief(self) -> Belief | None:
        """What is known of the state, if the match may hide it, now or later; else None."""
        is_told_moves = self.turn > 0 and not self._gets_percepts
        if self._belief is None and (is_told_moves or not self._may_hide_states()):
            return None
        return self._needed_belief()

    def _may_hide_states(self) -> bool:
        if self._hides_states is None:
            self._hides_states = self._has_percepts and _hides_states(self.machine)
        return self._hides_states

    @property
    def legal_moves(self) -> tuple[gdl.Term, ...]:
        """Our legal moves; none where the match is over."""
        if self.is_over:
            return ()
        return self.machine.legal_moves(self.state, self.role)

    @property
    def is_over(self) -> bool:
        """Whether the state is terminal."""
        return self.machine.is_terminal(self.state)

    @property
    def goals(self) -> Mapping[str, int | None]:
        """Every role's goal value, by the role's name."""
        return {str(role): self.machine.goal(self.state, role) for role in self.machine.roles}

    def apply_step(self, step: Step) -> None:
        """Apply a step as it was received."""
        if not isinstance(step, ObservedStep):
            self.apply_moves(step)
        elif step.missed:
            self._apply_missed(step.move)
        elif step.may_be_moves and self._are_moves(step.percepts):
            self.apply_moves(step.percepts)
        else:
            self.apply_observation(step.move, step.percepts)

    def apply_observation(self, move: str | None, percepts: Sequence[str]) -> None:
        """Apply a step of which our move, if known, and our percepts were told.

        Where these say what everybody did, the state stays known. Percepts that cannot be are
        logged, and the match goes on in states that are possible.
        """
        self.turn += 1
        self._gets_percepts = True
        own = None if move is None else self._term(move)
        seen = [self._term(text) for text in percepts]
        joint_move = self._told_joint_move(seen)
        if joint_move is not None:
            self._advance(joint_move)
            return
        belief = self._needed_belief()
        if not belief.observe(own, seen):
            found = " ".join(map(str, percepts))
            _log.warning("turn %d: no state explains move %s and (%s)", self.turn, move, found)
        self._follow(belief)

    def _apply_missed(self, move: str | None) -> None:
        """Apply a step of which nothing was told; ``move`` is what we have sent, if we have."""
        self.turn += 1
        belief = self._needed_belief()
        belief.miss(None if move is None else self._term(move))
        self._follow(belief)

    def _needed_belief(self) -> Belief:
        """The possible states so far: where the state is known, that alone."""
        if self._belief is None:
            self._belief = self._new_belief()
            if self.turn > 1 or self.state != self.machine.initial_state():
                self._belief.know(self.state)
        return self._belief

    def _new_belief(self) -> Belief:
        # Not at the top: a tracker of a match that hides nothing is there sooner without numpy.
        from ggp_player.belief import Belief, BeliefLimits

        few = BeliefLimits(
            hypotheses=MAX_TRACKED_STATES, samples=MAX_TRACKED_STATES, steps=MAX_JOINT_MOVES
        )
        limits = BeliefLimits() if self._is_for_search else few
        seed = f"{self.role} {self.turn}"
        return Belief(self.machine, self.role, seed, limits, keeps_information=self._is_for_search)

    def _follow(self, belief: Belief) -> None:
        """Go on in the possible states."""
        self.state = belief.state
        self._last = None

    def _told_joint_move(self, percepts: Sequence[gdl.Term]) -> tuple[gdl.Term, ...] | None:
        """The joint move, where the percepts have ``(did role move)`` of every role."""
        did = {
            percept.args[0]: percept.args[1]
            for percept in percepts
            if isinstance(percept, gdl.Function) and _is_did(percept)
        }
        roles = self.machine.roles
        if set(did) != set(roles) or not self.knows_the_state:
            return None
        joint_move = tuple(did[role] for role in roles)
        if not self._has_percepts:
            return joint_move
        seen = self.machine.percepts(self.state, joint_move, self.role)
        return joint_move if set(seen) == set(percepts) else None

    def _are_moves(self, texts: Sequence[str]) -> bool:
        """Whether a list of terms, moves or percepts, is the joint move of a step.

        A match in which one list was no joint move that is legal is one with percepts.
        """
        if self._gets_percepts:
            return False
        if not self._has_percepts:
            return True
        moves = [self._term(text) for text in texts]
        if len(moves) != len(self.machine.roles):
            return False
        return tuple(moves) == self._last or not self._illegal(moves)

    def _term(self, text: str) -> gdl.Term:
        return self._ruleset.spell(parse_move(text))

    def apply_moves(self, texts: Sequence[str]) -> None:
        """Apply a joint move. One that does not fit the game changes nothing but ``turn``.

        A joint move that is illegal now and was made just before is the same message sent twice; a
        lone illegal move in a game with one role is some word that means no moves yet.
        """
        self.turn += 1
        joint_move = self._joint_move([self._term(text) for text in texts])
        if joint_move is None:
            return
        illegal = self._illegal(joint_move)
        if illegal and (joint_move == self._last or len(joint_move) == 1):
            found = " ".join(map(str, joint_move))
            _log.warning("turn %d: illegal here, not applied: %s", self.turn, found)
            return
        for role, move in illegal:
            _log.warning("turn %d: %s of %s is illegal here, applied", self.turn, move, role)
        self._advance(joint_move)

    def _advance(self, joint_move: tuple[gdl.Term, ...]) -> None:
        try:
            self.state = self.machine.next_state(self.state, joint_move)
        except gdl.MoveError as error:
            _log.warning("turn %d: %s, not applied", self.turn, error)
            return
        self._last = joint_move
        self._belief = None

    def replace_history(self, history: History) -> None:
        """Go to the position after these steps."""
        self.state = self.machine.initial_state()
        self.turn = 0
        self._last = None
        self._belief = None
        for step in history:
            self.apply_step(step)

    @property
    def is_compiling(self) -> bool:
        """Whether compiled rules may yet come."""
        return self._compiler is not None and self._compiler.is_running

    @property
    def has_new_compiled_rules(self) -> bool:
        """Whether compiled rules are ready that are not in use yet."""
        return self._compiled not in (None, self.machine)

    def use_compiled_rules(self) -> bool:
        """Go on with the compiled rules if they are ready; return whether that is a change."""
        machine = self._compiled
        if machine is None or machine is self.machine:
            return False
        if self._belief is not None:
            self._belief.use_machine(machine)
            self.state = self._belief.state
        else:
            self.state = machine.state_of(self.state)
        self.machine = machine
        self._hides_states = self._hides_states or None  # more is looked at now
        assert self._compiler is not None
        message = "turn %d: the rules are compiled after %.1f s, and no longer interpreted"
        _log.info(message, self.turn, self._compiler.seconds)
        return True

    @property
    def compile_seconds(self) -> float | None:
        """How long compiling took, once there are compiled rules."""
        has_compiled = self._compiler is not None and self._compiler.machine is not None
        return self._compiler.seconds if self._compiler is not None and has_compiled else None

    def _begin_compiling(self, seconds: float) -> BackgroundCompiler | None:
        """Begin to compile, wait so long for it, and log how the match begins."""
        # Not at the top: a tracker that interprets is there sooner without the engine.
        from ggp_player.worker.compiling import BackgroundCompiler, is_warm

        if not is_warm():
            _log.info("the rules are interpreted: the warm-up of the engine is not done yet")
            return None
        compiler = BackgroundCompiler(self._ruleset)
        compiler.wait(seconds)
        if compiler.machine is not None:
            _log.info("the rules are compiled from the start, after %.1f s", compiler.seconds)
        elif compiler.is_running:
            _log.info(
                "the rules are interpreted until they are compiled: not after %.1f s", seconds
            )
        return compiler

    @property
    def _compiled(self) -> PropnetStateMachine | None:
        return self._compiler.machine if self._compiler is not None else None

    def _role_named(self, name: str) -> gdl.Constant:
        for role in self.machine.roles:
            if role.name.lower() == name.lower():
                return role
        roles = ", ".join(map(str, self.machine.roles))
        raise UnplayableError(f"expected one of the roles {roles}; found {name}")

    def _joint_move(self, moves: Sequence[gdl.Term]) -> tuple[gdl.Term, ...] | None:
        """One move per role; a single role's move may come without its list."""
        roles = self.machine.roles
        if len(moves) == len(roles):
            return tuple(moves)
        if len(roles) == 1 and len(moves) > 1 and isinstance(moves[0], gdl.Constant):
            return (gdl.Function(moves[0].name, tuple(moves[1:])),)
        found = " ".join(map(str, moves))
        message = "turn %d: expected %d moves, found %d, not applied: %s"
        _log.warning(message, self.turn, len(roles), len(moves), found)
        return None

    def _illegal(self, joint_move: Sequence[gdl.Term]) -> list[tuple[gdl.Constant, gdl.Term]]:
        return [
            (role, move)
            for role, move in zip(self.machine.roles, joint_move, strict=True)
            if move not in self.machine.legal_moves(self.state, role)
        ]


def _is_did(percept: gdl.Function) -> bool:
    return percept.name.lower() == DID and len(percept.args) == 2


def _hides_states(machine: gdl.StateMachine) -> bool:
    from ggp_player.belief import hides_states

    return hides_states(machine, Random(0))
