"""The belief of a role: the states that agree with what it was told, with their probabilities."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice, product
from math import prod
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl import Constant, State, StateMachine, Term
from gdl.engine import PropnetStateMachine
from gdl.language import moves_by_chance
from gdl.playouts import play_out
from ggp_player.belief.batch import Joint, Told, View, batch_machine

ROOT = 0
"""The information set of every role before the first step."""

Hypothesis: TypeAlias = tuple[State, tuple[int, ...]]
"""A state, and each role's information set in it, in role order; () where these are not kept."""

PLAYOUTS = 12
"""Playouts in which something hidden is looked for."""

STEPS = 60
"""The most steps of a playout that are looked at."""

ALL_JOINT_MOVES = 8192
"""The most joint moves that are looked at in all."""

INTERPRETED_JOINT_MOVES = 512
"""The same where the rules are interpreted, and each takes some milliseconds at worst."""

JOINT_MOVES = 64
"""The most joint moves of a state that are looked at."""

_Seen: TypeAlias = tuple[int, Term, Set[Term]]
"""An information set, and the move and the percepts that lead from it to the next."""

_Weights: TypeAlias = dict[Hypothesis, float]
_Moves: TypeAlias = tuple[Joint, float]
"""A joint move, and its probability."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BeliefLimits:
    """How much a belief may hold, and compute.

    Up to ``hypotheses`` are kept exactly; where there are more, ``samples`` stand for them. In a
    step ``steps`` joint moves are looked at, by default as many as the machine can compute within
    some hundredths of a second; where there are more, they are drawn. A set that has run dry is
    built anew ``attempts`` times at most, each time with four times as many of both.
    """

    hypotheses: int = 4096
    samples: int = 2048
    steps: int | None = None
    attempts: int = 3


@dataclass(frozen=True, slots=True)
class StepObservation:
    """A step as a role was told of it: its move and its percepts, None where it was not told."""

    move: Term | None
    percepts: frozenset[Term] | None


class InformationSets:
    """Numbers the information sets of one role.

    Equal sequences of moves and percepts have one number, of whatever machine they come from.
    """

    def __init__(self) -> None:
        self._numbers: dict[_Seen, int] = {}

    def after(self, number: int, move: Term, percepts: frozenset[Term]) -> int:
        """Return the information set that follows one by a move and what was seen then."""
        return self._numbers.setdefault((number, move, percepts), len(self._numbers) + 1)

    def __len__(self) -> int:
        return len(self._numbers) + 1


class Belief:
    """The states that agree with everything that a role has seen, with their probabilities.

    The probabilities are those before the match given what was observed: all roles make all
    their moves equally often. With ``keeps_information`` the information sets of all roles are part
    of a hypothesis. The same seed and observations give the
    same belief. Where a step is observed that no kept hypothesis explains, the belief is built anew
    from all observations, with more samples; where that fails, our move may have been replaced; and
    where that does not explain it, as after a message that cannot be, the belief goes on by the
    moves that are legal, whatever was seen, and is no longer consistent.
    """

    def __init__(
        self,
        machine: StateMachine,
        role: Constant,
        seed: str = "",
        limits: BeliefLimits | None = None,
        *,
        keeps_information: bool = False,
    ) -> None:
        self.machine: StateMachine = machine
        self.role = role
        self._own = machine.roles.index(role)
        self._seed = seed
        self._limits = limits or BeliefLimits()
        self._batch = batch_machine(machine)
        self._information = [InformationSets() for _ in machine.roles] if keeps_information else []
        self.know(machine.initial_state())

    def know(self, state: State) -> None:
        """Go on from a state that is known to be that of the match, whatever was observed."""
        self._start: Hypothesis = (state, (ROOT,) * len(self._information))
        self._weights: _Weights = {self._start: 1.0}
        self.observations: tuple[StepObservation, ...] = ()
        """The steps since the state that was known."""
        self.is_exact = True
        """Whether no state that is possible was left out."""
        self.is_consistent = True
        """Whether the states agree with everything that was observed."""

    # ------------------------------------------------------------------ what is believed

    @property
    def hypotheses(self) -> Mapping[Hypothesis, float]:
        """The possible states with the information sets in them, and their probabilities."""
        return self._weights

    @property
    def probabilities(self) -> Mapping[State, float]:
        """The possible states, and their probabilities."""
        found: dict[State, float] = {}
        for (state, _), weight in self._weights.items():
            found[state] = found.get(state, 0.0) + weight
        return found

    @property
    def states(self) -> tuple[State, ...]:
        """The possible states, the most probable first."""
        found = self.probabilities
        return tuple(sorted(found, key=lambda state: -found[state]))

    @property
    def state(self) -> State:
        """A most probable state, of those in which the match goes on, if there are any."""
        states = self.states
        return next((s for s in states if not self.machine.is_terminal(s)), states[0])

    @property
    def is_known(self) -> bool:
        """Whether there is one state that is possible, and no other."""
        return self.is_exact and len({state for state, _ in self._weights}) == 1

    @property
    def begins_at_the_start(self) -> bool:
        """Whether the observations are all those of the match, and the states agree with them."""
        return self.is_consistent and self._start[0] == self.machine.initial_state()

    @property
    def legal_moves(self) -> tuple[Term, ...]:
        """Our legal moves, the same in all states of a game whose roles know what they may do."""
        return self.machine.legal_moves(self.state, self.role)

    def open_hypotheses(self) -> Mapping[Hypothesis, float]:
        """The hypotheses in which the match goes on, which it does when our role is to move."""
        found = {h: w for h, w in self._weights.items() if not self.machine.is_terminal(h[0])}
        return _normalized(found or self._weights)

    # ------------------------------------------------------------------ what is observed

    def observe(self, move: Term | None, percepts: Sequence[Term]) -> bool:
        """Go on by a step of which our move, if known, and our percepts were told.

        Returns False if nothing that is possible agrees with them, or was found to; see the class.
        """
        return self._go_on(StepObservation(move, frozenset(percepts)))

    def miss(self, move: Term | None) -> bool:
        """Go on by a step of which no percepts were told; return False as :meth:`observe` does."""
        return self._go_on(StepObservation(move, None))

    def use_machine(self, machine: PropnetStateMachine) -> None:
        """Go on with the compiled machine of the same rules."""
        self.machine = machine
        self._batch = batch_machine(machine)
        found = {s: machine.state_of(s) for s in {self._start[0], *self.probabilities}}
        self._start = (found[self._start[0]], self._start[1])
        self._weights = {(found[s], sets): w for (s, sets), w in self._weights.items()}

    def _go_on(self, observation: StepObservation) -> bool:
        self.observations = (*self.observations, observation)
        found = self._agreeing(observation)
        if not found and observation.move is not None and observation.percepts is not None:
            _log.warning("step %d: our move was not %s", len(self.observations), observation.move)
            # By the game manager: it was late.
            replaced = StepObservation(None, observation.percepts)
            self.observations = (*self.observations[:-1], replaced)
            found = self._agreeing(replaced)
        if found:
            self._weights = found
            return True
        self.is_consistent = self.is_exact = False
        _log.warning("step %d: no state explains it", len(self.observations))
        self._weights = (
            self._advanced(self._weights, StepObservation(observation.move, None), 0)
            or self._advanced(self._weights, StepObservation(None, None), 0)
            or self._weights
        )
        return False

    def _agreeing(self, observation: StepObservation) -> _Weights:
        """The hypotheses after the last step that agree with it; none where none is found."""
        found = self._advanced(self._weights, observation, 0)
        for attempt in range(1, 1 if found else self._attempts):
            found = found or self._built_anew(attempt)
        return found

    @property
    def _attempts(self) -> int:
        """How often to try: where nothing was left out, there is nothing more to find."""
        return 1 if self.is_exact or not self.is_consistent else 1 + self._limits.attempts

    def _built_anew(self, attempt: int) -> _Weights:
        """The belief after all observations, with more samples."""
        self.is_exact = True
        weights: _Weights = {self._start: 1.0}
        for observation in self.observations:
            if not weights:
                break
            weights = self._advanced(weights, observation, attempt)
        return weights

    # ------------------------------------------------------------------ a step

    def _advanced(self, weights: _Weights, observation: StepObservation, attempt: int) -> _Weights:
        """The hypotheses after a step; none where nothing agrees with the observation."""
        random = Random(f"{self._seed} {len(self.observations)} {attempt}")
        parents = list(weights.items())
        steps = list(self._steps(parents, observation.move, attempt, random))
        states = [parents[parent][0][0] for parent, _, _ in steps]
        told = None
        if observation.percepts is not None:
            told = Told(self._own, observation.percepts)
        found: _Weights = {}
        for outcome in self._batch.outcomes(states, [joint for _, joint, _ in steps], told):
            parent, joint_move, weight = steps[outcome.number]
            before = parents[parent][0][1]
            after = outcome.state, self._informed(before, joint_move, outcome.percepts)
            found[after] = found.get(after, 0.0) + weight
        return self._bounded(_normalized(found), attempt, random)

    def _informed(
        self, before: tuple[int, ...], joint: Joint, percepts: Sequence[frozenset[Term]]
    ) -> tuple[int, ...]:
        return tuple(
            information.after(number, move, seen)
            for information, number, move, seen in zip(
                self._information, before, joint, percepts, strict=False
            )
        )

    def _steps(
        self,
        parents: Sequence[tuple[Hypothesis, float]],
        own: Term | None,
        attempt: int,
        random: Random,
    ) -> Iterator[tuple[int, Joint, float]]:
        """Yield parents, joint moves with our move, and the weights of what comes after them."""
        moves = list(self._moves_of([state for (state, _), _ in parents], own))
        limit = (self._limits.steps or self._batch.steps_at_once) * 4**attempt
        is_small = sum(prod(map(len, of_state)) for of_state in moves) <= limit
        self.is_exact = self.is_exact and is_small
        each = max(1, limit // max(1, len(parents)))
        for number, ((_, weight), of_state) in enumerate(zip(parents, moves, strict=True)):
            drawn = _all_joint(of_state) if is_small else _some_joint(of_state, each, random)
            for joint_move, probability in drawn:
                yield number, joint_move, weight * probability

    def _moves_of(
        self, states: Sequence[State], own: Term | None
    ) -> Iterator[tuple[tuple[Term, ...], ...]]:
        """Yield the moves of each role in each state: of ours only that which was made."""
        for view in self._batch.views(states):
            yield () if view.is_terminal else self._with_own(view, own)

    def _with_own(self, view: View, own: Term | None) -> tuple[tuple[Term, ...], ...]:
        if own is None:
            return view.legal
        legal = list(view.legal)
        legal[self._own] = (own,) if own in legal[self._own] else ()
        return tuple(legal)

    def _bounded(self, weights: _Weights, attempt: int, random: Random) -> _Weights:
        """No more hypotheses than there may be."""
        scale = 4**attempt
        if len(weights) <= self._limits.hypotheses * scale:
            return weights
        self.is_exact = False
        hypotheses = list(weights)
        kept, new = resample(np.array(list(weights.values())), self._limits.samples * scale, random)
        return {hypotheses[i]: w for i, w in zip(kept.tolist(), new.tolist(), strict=True)}


def _all_joint(moves: Sequence[Sequence[Term]]) -> Iterator[_Moves]:
    """Yield all joint moves with their probabilities; none where the match is over."""
    if moves and all(moves):
        probability = prod([1 / len(of_role) for of_role in moves])
        yield from ((joint_move, probability) for joint_move in product(*moves))


def _some_joint(moves: Sequence[Sequence[Term]], count: int, random: Random) -> Iterator[_Moves]:
    """Yield joint moves that stand for all: those that there are, or some that are drawn."""
    if prod(map(len, moves)) <= count:
        yield from _all_joint(moves)
        return
    for _ in range(count):
        drawn = tuple([of_role[int(random.random() * len(of_role))] for of_role in moves])
        yield drawn, 1 / count


def _normalized(weights: Mapping[Hypothesis, float]) -> _Weights:
    """The weights as probabilities, without what is impossible."""
    positive: Iterable[tuple[Hypothesis, float]] = ((h, w) for h, w in weights.items() if w > 0)
    total = sum(weights.values())
    return {hypothesis: weight / total for hypothesis, weight in positive}


def resample(
    weights: NDArray[np.float64], count: int, random: Random
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Choose at most ``count`` of some weighted things; return their numbers and new weights.

    The expected new weight of each is its old one, and their variance is the least that is
    possible: what is heavier than a threshold keeps its weight, and of the others some are drawn,
    systematically in the order given, and get the threshold as weight.

    Source: P. Fearnhead and P. Clifford, On-line inference for hidden Markov models via particle
    filters (2003).
    """
    if len(weights) <= count:
        return np.arange(len(weights)), weights
    threshold = _threshold(weights, count)
    kept = weights >= threshold
    light = np.flatnonzero(~kept)
    cumulative = np.cumsum(weights[light]) / threshold
    drawn = np.searchsorted(cumulative, np.arange(random.random(), cumulative[-1]))
    chosen = np.concatenate([np.flatnonzero(kept), light[drawn]])
    new = np.concatenate([weights[kept], np.full(len(drawn), threshold)])
    order = np.argsort(chosen, kind="stable")
    return chosen[order], new[order]


def _threshold(weights: NDArray[np.float64], count: int) -> float:
    """The c for which the sum of min(weight / c, 1) is ``count``."""
    descending = np.sort(weights)[::-1]
    lighter = np.cumsum(descending[::-1])[::-1]  # the sum of this one and all after it
    for heavy in range(count):
        threshold = lighter[heavy] / (count - heavy)
        if descending[heavy] < threshold:
            return float(threshold)
    return float(lighter[count - 1])


def hides_states(machine: StateMachine, random: Random) -> bool:
    """Whether some role that does not move by chance may be left in doubt about the state.

    Random playouts are searched for a state, known to all, after which some role can see the same
    in two different states. That none is found is no proof that there is none.
    """
    is_compiled = isinstance(machine, PropnetStateMachine)
    left = ALL_JOINT_MOVES if is_compiled else INTERPRETED_JOINT_MOVES
    for _ in range(PLAYOUTS):
        for step in islice(play_out(machine, random, STEPS), STEPS):
            if step.joint_move is None or left <= 0:
                break
            left -= min(JOINT_MOVES, prod(map(len, step.options)))
            if _leaves_doubt(machine, step.state, step.options, random):
                return True
    return False


def _leaves_doubt(
    machine: StateMachine, state: State, options: Sequence[Sequence[Term]], random: Random
) -> bool:
    """Whether two joint moves lead to different states in which some role saw the same."""
    if prod(map(len, options)) <= JOINT_MOVES:
        joint_moves = list(product(*options))
    else:
        joint_moves = [tuple(map(random.choice, options)) for _ in range(JOINT_MOVES)]
    after = [machine.next_state(state, joint_move) for joint_move in joint_moves]
    for number, role in enumerate(machine.roles):
        if moves_by_chance(role):
            continue
        known: dict[tuple[Term, frozenset[Term]], State] = {}
        for joint_move, following in zip(joint_moves, after, strict=True):
            seen = frozenset(machine.percepts(state, joint_move, role))
            if known.setdefault((joint_move[number], seen), following) != following:
                return True
    return False
