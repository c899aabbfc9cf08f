"""Whether two rulesheets are the same game, and the shortest line of play where they differ.

Rulesheets whose canonical forms are equal differ in words and order alone, and are the same game.
Otherwise both are played in lockstep, breadth first: roles, legal moves, ends, goals of terminal
states and percepts are compared by their texts, upper and lower case alike. Where all pairs of
states that can be reached are seen, the games are the same; otherwise nothing more is known than
that no difference was found. Random playouts in lockstep then look deeper than the bound.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random
from typing import TypeAlias

from gdl.language import Term, canonical_form
from gdl.language.rules import Ruleset
from gdl.playouts import JointMove, StatePath, randomness
from gdl.state_machine import State, StateMachine, joint_moves

Pair: TypeAlias = tuple[State, State]

SHOWN = 5
"""How many members of a set a difference lists."""


class Verdict(StrEnum):
    """What a comparison has found."""

    SAME_RULES = "same rules"
    """The rules are the same but for names and order."""
    SAME_GAME = "same game"
    """All states that can be reached were compared."""
    DIFFERENT = "different"
    """There is a line of play after which the answers differ."""
    NOT_FOUND = "no difference found"
    """The bounds were reached before all states were compared."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far to look: pairs of states breadth first, then random playouts of bounded length."""

    states: int = 100_000
    playouts: int = 50
    max_steps: int = 500
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs after a line of play; ``is_shortest`` if no shorter line shows a difference.

    ``first`` and ``second`` are what only that game has, in words.
    """

    line: tuple[JointMove, ...]
    what: str
    first: str
    second: str
    is_shortest: bool = True


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of a comparison.

    ``states`` is the number of pairs of states that were compared, ``depth`` the number of steps to
    which all were; ``playouts`` is how many were made beyond.
    """

    verdict: Verdict
    states: int = 0
    depth: int = 0
    playouts: int = 0
    difference: Difference | None = None


def compare(
    first: Ruleset,
    second: Ruleset,
    machines: Callable[[Ruleset], StateMachine],
    bounds: Bounds | None = None,
) -> Comparison:
    """Compare two games, with machines that ``machines`` makes of their rules."""
    forms = canonical_form(first), canonical_form(second)
    if forms[0] and forms[1] and forms[0].digest == forms[1].digest:
        return Comparison(Verdict.SAME_RULES)
    lockstep = _Lockstep(machines(first), machines(second))
    limits = bounds or Bounds()
    found = lockstep.breadth_first(limits.states)
    if found.verdict is Verdict.NOT_FOUND:
        return lockstep.playouts(limits, found)
    return found


class _Lockstep:
    """Two machines that make the same moves."""

    def __init__(self, first: StateMachine, second: StateMachine) -> None:
        self._first, self._second = first, second
        self._start: Pair = first.initial_state(), second.initial_state()

    def breadth_first(self, most: int) -> Comparison:
        """Compare up to so many pairs of states, in the order of their distance from the start."""
        first = _difference("roles", _list(self._first.roles), _list(self._second.roles))
        first = first or self._of_states(self._start)
        if first:
            return Comparison(Verdict.DIFFERENT, 1, difference=first)
        path = StatePath(self._start)
        queue = deque([path])
        seen = {self._start}
        while queue:
            path = queue.popleft()
            for move, after, difference in self._steps(path.state):
                found = difference
                if not found and after not in seen:
                    if len(seen) == most:
                        return Comparison(Verdict.NOT_FOUND, most, path.depth)
                    seen.add(after)
                    queue.append(path.after(move, after))
                    found = self._of_states(after)
                if found:
                    whole = replace(found, line=(*path.moves(), move))
                    return Comparison(Verdict.DIFFERENT, len(seen), path.depth, difference=whole)
        return Comparison(Verdict.SAME_GAME, len(seen), path.depth)

    def playouts(self, bounds: Bounds, before: Comparison) -> Comparison:
        """Look for a difference in random playouts; the shortest of those found is kept."""
        found = [
            difference
            for number in range(bounds.playouts)
            if (difference := self._playout(randomness(bounds.seed, number), bounds.max_steps))
        ]
        made = replace(before, playouts=bounds.playouts)
        if not found:
            return made
        shortest = min(found, key=lambda difference: len(difference.line))
        is_shortest = len(shortest.line) <= before.depth + 1
        difference = replace(shortest, is_shortest=is_shortest)
        return replace(made, verdict=Verdict.DIFFERENT, difference=difference)

    def _playout(self, random: Random, max_steps: int) -> Difference | None:
        pair, line = self._start, list[JointMove]()
        for _ in range(max_steps + 1):
            difference = self._of_states(pair)
            if difference or self._first.is_terminal(pair[0]):
                break
            options = [self._first.legal_moves(pair[0], role) for role in self._first.roles]
            if not all(options):
                break
            move = tuple(map(random.choice, options))
            line.append(move)
            difference = self._of_percepts(pair, move)
            if difference:
                break
            pair = self._after(pair, move)
        return difference and replace(difference, line=tuple(line))

    def _steps(self, pair: Pair) -> Iterator[tuple[JointMove, Pair, Difference | None]]:
        """Yield every joint move with the states after it, and how the percepts of it differ."""
        if self._first.is_terminal(pair[0]):
            return
        for move in joint_moves(self._first, pair[0]):
            yield move, self._after(pair, move), self._of_percepts(pair, move)

    def _after(self, pair: Pair, move: JointMove) -> Pair:
        first, second = pair
        return self._first.next_state(first, move), self._second.next_state(second, move)

    def _of_states(self, pair: Pair) -> Difference | None:
        """Compare the end, and then the legal moves or the goals, of two states."""
        first, second = pair
        ended = self._first.is_terminal(first)
        end = _difference("the end", *map(_end, (ended, self._second.is_terminal(second))))
        if end:
            return end
        compare_role = self._of_goals if ended else self._of_moves
        found = (compare_role(pair, role) for role in self._first.roles)
        return next(filter(None, found), None)

    def _of_goals(self, pair: Pair, role: Term) -> Difference | None:
        values = self._first.goals(pair[0], role), self._second.goals(pair[1], role)
        texts = [", ".join(map(str, each)) or "none" for each in values]
        return _difference(f"goals of {role}", *texts)

    def _of_moves(self, pair: Pair, role: Term) -> Difference | None:
        moves = self._first.legal_moves(pair[0], role), self._second.legal_moves(pair[1], role)
        return _difference_of_sets(f"legal moves of {role}", *moves)

    def _of_percepts(self, pair: Pair, move: JointMove) -> Difference | None:
        for role in self._first.roles:
            first = self._first.percepts(pair[0], move, role)
            second = self._second.percepts(pair[1], move, role)
            found = _difference_of_sets(f"percepts of {role}", first, second)
            if found:
                return found
        return None


def _end(is_terminal: bool) -> str:
    return "terminal" if is_terminal else "not terminal"


def _difference(what: str, first: str, second: str) -> Difference | None:
    return None if first.lower() == second.lower() else Difference((), what, first, second)


def _difference_of_sets(
    what: str, first: Sequence[Term], second: Sequence[Term]
) -> Difference | None:
    ones, others = ({str(t).lower(): t for t in terms} for terms in (first, second))
    if ones.keys() == others.keys():
        return None
    only_first = [term for key, term in ones.items() if key not in others]
    only_second = [term for key, term in others.items() if key not in ones]
    return Difference((), what, _only(only_first), _only(only_second))


def _only(terms: Sequence[Term]) -> str:
    more = f" and {len(terms) - SHOWN} more" if len(terms) > SHOWN else ""
    return f"only {_list(terms[:SHOWN])}{more}" if terms else "none of its own"


def _list(terms: Sequence[Term]) -> str:
    return ", ".join(map(str, terms))
