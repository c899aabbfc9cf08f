"""Exploration of a small ground game: what holds in the states that matches can reach.

States are columns of Boolean matrices. Each atom is evaluated for all states of a layer at once,
and then for all pairs of a state and a joint move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.datalog import counterpart, strongly_connected_components
from gdl.grounding.gringo import GroundProgram
from gdl.grounding.ground_rows import NO_ATOM, Row
from gdl.language import RelationKey

MAX_EXPLORED_STATES = 30_000
"""Games with more states are not explored."""

MAX_WORK = 200_000_000
"""Truth values that are computed for a game at most: about a second of CPU time."""

MAX_VALUES = 40_000_000
"""Truth values that are held at once, a byte each."""

OTHER_MOVE: RelationKey = (" other move", 1)
"""The roles that can make a move which nothing reads."""

Mask: TypeAlias = NDArray[np.bool_]
Integers: TypeAlias = NDArray[np.int64]


def possible_relation(move: RelationKey) -> RelationKey:
    """Return the relation of the moves that can be made."""
    return f" possible {move[0]}", move[1]


def reached_rows(
    program: GroundProgram, fluents: Sequence[RelationKey], moves: Sequence[RelationKey]
) -> dict[RelationKey, list[Row]]:
    """Return the rows of each fluent that hold in some state; nothing where that is too much work.

    The ``moves`` are those that the fluents follow from. The program has the rows of fluents with
    those of ``init`` and ``next``, of moves and of what is possible of them, of ``OTHER_MOVE``,
    ``terminal`` and ``role``.
    """
    explorer = _Explorer(program, fluents, moves)
    reached = explorer.explore() if explorer.is_acyclic else None
    if reached is None:
        return {}
    found: dict[RelationKey, list[Row]] = {}
    begin = 0
    for relation in fluents:
        rows = program.rows[relation].arguments
        found[relation] = list(map(tuple, rows[reached[begin : begin + len(rows)]].tolist()))
        begin += len(rows)
    return found


class _Explorer:
    """Evaluates the atoms of a program for many states, and goes from layer to layer.

    ``fluents`` and ``following`` are the atoms of each fact in this state and the next,
    ``options`` for each role the atoms of what is possible and of the moves themselves.
    """

    def __init__(
        self, program: GroundProgram, fluents: Sequence[RelationKey], moves: Sequence[RelationKey]
    ) -> None:
        self._rows = program.rows
        self._number = _numbers(program, [*fluents, *moves])
        self._size = 2 + int(self._number.max())  # The last atom never holds.
        self._bodies = self._bodies_by_head(program)
        components = strongly_connected_components(
            {
                atom: {abs(literal) for body in own for literal in body}
                for atom, own in self._bodies.items()
            }
        )
        self.is_acyclic = all(len(component) == 1 for component in components)
        self._order = [atom for (atom, *_) in components if atom in self._bodies]
        begin, following = ([counterpart(each, of) for each in fluents] for of in ("init", "next"))
        self.fluents = self._atoms_as(fluents, fluents)
        self.initial = self._atoms_as(fluents, begin) != NO_ATOM
        self.following = self._atoms_as(fluents, following)
        self.options = list(self._options(moves))
        self._terminal = self._number[self._rows["terminal", 0].get((), NO_ATOM)]
        self._work = 0

    def explore(self) -> Mask | None:
        """Find which facts hold in some state: bool (facts,); None where it is too much work."""
        reached = np.zeros(len(self.fluents), dtype=np.bool_)
        seen: set[bytes] = set()
        states = self.initial[:, None]
        while states.shape[1]:
            reached |= states.any(axis=1)
            following = self._after(states)
            if following is None:
                return None
            keys = [column.tobytes() for column in np.packbits(following, axis=0).T]
            fresh = {key: i for i, key in enumerate(keys) if key not in seen}
            seen |= fresh.keys()
            if len(seen) > MAX_EXPLORED_STATES:
                return None
            states = following[:, list(fresh.values())]
        return reached

    def _after(self, states: Mask) -> Mask | None:
        """Make all joint moves in states, which come as columns; None where it is too much work."""
        holds = self._evaluated(states, np.zeros((0, states.shape[1]), dtype=np.int64))
        if holds is None:
            return None
        at, made = self._joint_moves(holds, np.flatnonzero(~holds[self._terminal]))
        holds = self._evaluated(states[:, at], made)
        return None if holds is None else holds[self.following]

    def _joint_moves(self, holds: Mask, at: Integers) -> tuple[Integers, Integers]:
        """List the joint moves in some states, by number: the states again, and the moves' atoms.

        The moves are int64 (roles, joint moves), the last atom where a role has none that is read.
        """
        made = np.zeros((0, len(at)), dtype=np.int64)
        for possible, own in self.options:
            can = holds[possible][:, at]
            can[0] |= ~can.any(axis=0)
            choice, index = np.nonzero(can)
            at, made = at[index], np.concatenate([made[:, index], own[choice][None]])
            if at.size * self._size > MAX_VALUES:
                break
        return at, made

    def _evaluated(self, states: Mask, made: Integers) -> Mask | None:
        """Evaluate all atoms for some states, which come as columns, and moves made in them."""
        values = self._size * states.shape[1]
        self._work += values
        if values > MAX_VALUES or self._work > MAX_WORK:
            return None
        holds = np.zeros((self._size, states.shape[1]), dtype=np.bool_)
        for moves in made:
            holds[moves, np.arange(len(moves))] = True
        holds[self.fluents] = states
        holds[0], holds[-1] = True, False
        for atom in self._order:
            for body in self._bodies[atom]:
                holds[atom] |= np.logical_and.reduce(
                    [holds[literal] if literal >= 0 else ~holds[-literal] for literal in body]
                )
        return holds

    def _atoms_as(self, facts: Sequence[RelationKey], known_as: Sequence[RelationKey]) -> Integers:
        """The atoms that the rows of some relations have in others, -1 where there is none."""
        found = [
            self._rows[relation].atoms_of(self._rows[fact].arguments)
            for fact, relation in zip(facts, known_as, strict=True)
        ]
        return self._numbered([np.zeros(0, dtype=np.int64), *found])

    def _numbered(self, atoms: Sequence[Integers]) -> Integers:
        numbers: Integers = self._number[np.concatenate(atoms)]
        return numbers

    def _options(self, moves: Sequence[RelationKey]) -> Iterator[tuple[Integers, Integers]]:
        """Yield for each role the atoms of what is possible, and of the moves: -1 for another.

        That comes first.
        """
        for (role,), _ in self._rows["role", 1].items():
            possible = [np.array([self._rows[OTHER_MOVE].get((role,), NO_ATOM)])]
            made = [np.array([NO_ATOM])]
            for move in moves:
                arguments = self._rows[move].arguments
                own = arguments[arguments[:, 0] == role]
                possible.append(self._rows[possible_relation(move)].atoms_of(own))
                made.append(self._rows[move].atoms_of(own))
            yield self._numbered(possible), self._numbered(made)

    def _bodies_by_head(self, program: GroundProgram) -> dict[int, list[list[int]]]:
        """The bodies of each atom, without those that hold the atom itself, which say nothing."""
        found: dict[int, list[list[int]]] = {}
        heads = self._number[program.heads].tolist()
        literals = (np.sign(program.literals) * self._number[np.abs(program.literals)]).tolist()
        for head, (begin, end) in zip(heads, pairwise(program.starts.tolist()), strict=True):
            body = literals[begin:end]
            if head not in body:
                found.setdefault(head, []).append(body or [0])
        return found


def _numbers(program: GroundProgram, given: Sequence[RelationKey]) -> Integers:
    """Number the atoms that rules hold or that are given, from 0, which always holds.

    All others have -1, and so has the place of ``NO_ATOM``.
    """
    atoms = [program.heads, np.abs(program.literals), *(program.rows[each].atoms for each in given)]
    known = np.unique(np.concatenate([[0], *atoms]))
    numbers = np.full(known[-1] + 2, NO_ATOM, dtype=np.int64)
    numbers[known] = np.arange(len(known))
    return numbers
