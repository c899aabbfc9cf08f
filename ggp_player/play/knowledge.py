"""What people may know of a match with hidden information (GDL-II), by exact enumeration.

People know the rules, their own moves, and what they see after each step: their percepts, their
legal moves, and whether the match goes on. :class:`Knowledge` holds all states that agree with
that, as long as they are few; what holds in all of them is certain. Whatever else can say which
states are possible may take its place in :class:`Sight`.

Several people at one screen know together what each of them knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product, takewhile
from typing import TypeAlias

from gdl import Constant, Function, Ruleset, State, StateMachine, Term
from gdl.analysis.move_names import MoveNames, spoken
from gdl.language import body_atoms
from ggp_player.play.match_line import JointMove, LineStep, MatchLine

MAX_POSSIBLE_STATES = 1_000
"""States that are held possible; with more, people are shown what they saw and did alone."""

MAX_SUCCESSORS = 4_000
"""States that are computed for a step, some milliseconds each at worst."""

_WORD = re.compile(r"[^\s()]+")

KnownMove: TypeAlias = Term | None
"""A move of a role, None where it is not known which."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What people know after a step.

    ``possible`` are the states that agree with all that they saw, None where they are too many.
    ``moves`` are those of the last step by role, as far as they are known, and ``percepts`` is what
    each of the people saw then.
    """

    possible: tuple[State, ...] | None
    moves: tuple[KnownMove, ...] = ()
    percepts: tuple[tuple[Term, ...], ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether only one state is possible, so that there is nothing to keep from them."""
        return self.possible is not None and len(self.possible) == 1

    @property
    def tells_all(self) -> bool:
        """Whether neither the state nor a move of the last step is unknown."""
        return self.is_complete and None not in self.moves

    @property
    def facts(self) -> frozenset[Term] | None:
        """The facts that hold in all possible states, None where these are too many."""
        if self.possible is None:
            return None
        first, *others = self.possible
        return frozenset(first).intersection(*others)


@dataclass(frozen=True, slots=True)
class _Followed:
    """What is known of the steps of a line."""

    persons: tuple[Constant, ...] = ()
    steps: tuple[LineStep, ...] = ()
    known: tuple[Knowledge, ...] = ()


class Sight:
    """Follows a line, and says what the people of some roles know of each of its steps.

    It may be asked in several threads.
    """

    def __init__(self, ruleset: Ruleset, machine: StateMachine) -> None:
        self.hides = ruleset.has_percepts
        self._repeating = _percepts_that_repeat_moves(ruleset)
        self._machine = machine
        self._followed = _Followed()

    def follow(self, line: MatchLine, persons: Sequence[Constant]) -> tuple[Knowledge, ...]:
        """Return what is known of each step of a line; of those seen before, at once."""
        old = self._followed
        if tuple(persons) != old.persons:
            old = _Followed(tuple(persons))
        pairs = zip(old.steps, line.steps, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
        known = list(old.known[:same])
        for number in range(same, len(line.steps)):
            known.append(self._after(line.steps[: number + 1], known, old.persons))
        if same < len(line.steps):
            self._followed = _Followed(old.persons, line.steps, tuple(known))
        return tuple(known)

    def in_words(self, percepts: Sequence[Term], names: MoveNames) -> tuple[str, ...]:
        """Say percepts in plain words: ``random: die 3``, ``your card queen``.

        One that repeats a role's move is said as that move is; it is left out where that role only
        waits.
        """
        return tuple(words for one in percepts if (words := self._percept_in_words(one, names)))

    def _percept_in_words(self, percept: Term, names: MoveNames) -> str:
        if isinstance(percept, Function) and _function_of(percept) in self._repeating:
            role, move = percept.args
            return "" if names.waits(move) else f"{role}: {names.name(move)}"
        return " ".join(map(spoken, _WORD.findall(str(percept))))

    def _after(
        self, steps: Sequence[LineStep], known: Sequence[Knowledge], persons: Sequence[Constant]
    ) -> Knowledge:
        """What is known of the last of some steps, from what was known of those before."""
        step = steps[-1]
        if len(steps) == 1:
            return Knowledge((step.state,))
        machine, before = self._machine, steps[-2].state
        percepts = tuple(machine.percepts(before, step.joint_move, role) for role in persons)
        seen = _Seen(machine, persons, step, percepts)
        possible = known[-1].possible
        if possible is None or not _hold(seen, possible):
            return Knowledge(None, seen.own_moves(), percepts)
        return Knowledge(tuple(seen.states), seen.known_moves(), percepts)


def _percepts_that_repeat_moves(ruleset: Ruleset) -> frozenset[tuple[str, int]]:
    """The functions of percepts that are a role and the move that it does, in each of their rules.

    It is read off the rules alone: by the moves made, words would tell whether a percept is true.
    """
    repeats: dict[tuple[str, int], bool] = {}
    for rule in ruleset.rules:
        percept = rule.head.args[1] if rule.head.relation == ("sees", 2) else None
        if isinstance(percept, Function):
            done = [atom.args for atom, holds in body_atoms(rule) if holds and atom.name == "does"]
            function = _function_of(percept)
            repeats[function] = repeats.get(function, True) and percept.args in done
    return frozenset(function for function, always in repeats.items() if always)


def _function_of(term: Function) -> tuple[str, int]:
    return term.name.lower(), len(term.args)


def _hold(seen: _Seen, possible: Sequence[State]) -> bool:
    """Find the states after a step; return whether they are few enough."""
    for number, (state, joint_move) in enumerate(seen.candidates(possible)):
        if number >= MAX_SUCCESSORS or len(seen.states) > MAX_POSSIBLE_STATES:
            return False
        seen.try_out(state, joint_move)
    return len(seen.states) <= MAX_POSSIBLE_STATES


class _Seen:
    """What people saw of a step, and the states and moves that agree with it."""

    def __init__(
        self,
        machine: StateMachine,
        persons: Sequence[Constant],
        step: LineStep,
        percepts: Sequence[Sequence[Term]],
    ) -> None:
        self._machine = machine
        self._step = step
        self._places = {role: machine.roles.index(role) for role in persons}
        self._percepts = list(map(frozenset, percepts))
        self.states: dict[State, None] = {}
        self._moves: list[set[Term]] = [set() for _ in machine.roles]

    def candidates(self, possible: Sequence[State]) -> Iterator[tuple[State, JointMove]]:
        """The states before, each with the joint moves in which people did what they did."""
        own = {place: (self._step.joint_move[place],) for place in self._places.values()}
        for state in possible:
            legal = [
                own.get(place) or self._machine.legal_moves(state, role)
                for place, role in enumerate(self._machine.roles)
            ]
            for joint_move in product(*legal):
                yield state, joint_move

    def try_out(self, state: State, joint_move: JointMove) -> None:
        """Note the state after a joint move, if people would have seen what they saw."""
        machine = self._machine
        for role, seen in zip(self._places, self._percepts, strict=True):
            if frozenset(machine.percepts(state, joint_move, role)) != seen:
                return
        after = machine.next_state(state, joint_move)
        if after not in self.states and not self._looks_the_same(after):
            return
        self.states[after] = None
        for moves, move in zip(self._moves, joint_move, strict=True):
            moves.add(move)

    def _looks_the_same(self, state: State) -> bool:
        """Whether people are asked in a state as they were asked in the true one."""
        machine, legal = self._machine, self._step.legal_moves
        if machine.is_terminal(state) is bool(legal):
            return False
        return not legal or all(
            frozenset(machine.legal_moves(state, role)) == frozenset(legal[place])
            for role, place in self._places.items()
        )

    def own_moves(self) -> tuple[KnownMove, ...]:
        """The moves of the people."""
        own = set(self._places.values())
        joint_move = self._step.joint_move
        return tuple(move if place in own else None for place, move in enumerate(joint_move))

    def known_moves(self) -> tuple[KnownMove, ...]:
        """The moves of the people, and those of others where no other is possible."""
        pairs = zip(self._step.joint_move, self._moves, strict=True)
        return tuple(move if moves == {move} else None for move, moves in pairs)
