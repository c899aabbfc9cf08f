"""What decides a match: the line, the path or the piece by which a role has won, or a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import inf
from time import process_time

from gdl.analysis.boards import words_of
from gdl.language import Constant, Rule, Ruleset, Term, moves_by_chance
from gdl.reasoner import interpret
from gdl.state_machine import RuledMachine, State, StateMachine

TERMINAL = ("terminal", 0)

MAX_TRIED_FACTS = 500
"""With more facts in a state none is said to decide: each is tried."""

MAX_ENDING_RULES = 12
"""With more rules for ``terminal`` none is said to end a match: each is tried."""

MAX_SHARE = 0.5
"""If more than this part of the facts is needed, they say nothing."""


def winner_of(machine: StateMachine, state: State) -> Constant | None:
    """Return the role whose goal value is the highest in a state; None where it shares that."""
    goals = {role: machine.goal(state, role) for role in machine.roles if not moves_by_chance(role)}
    best = max((goal for goal in goals.values() if goal is not None), default=None)
    best_roles = [role for role, goal in goals.items() if goal == best]
    return best_roles[0] if best and len(goals) > 1 and len(best_roles) == 1 else None


def decisive_facts(machine: RuledMachine, state: State, seconds: float = inf) -> frozenset[Term]:
    """Return the facts of a terminal state from which it follows that its winner has won.

    These are as few as still give the winner its goal value, none of which can be left out. Facts
    without which it has not won are among them; they alone, where they are enough. Empty where
    nobody has won, where most facts are needed or none is, and where it depends on the others, too,
    as where pieces are counted; also where it takes more than so many ``seconds`` of CPU time.
    """
    winner = winner_of(machine, state) if len(state) <= MAX_TRIED_FACTS else None
    if winner is None:
        return frozenset()
    goal, facts, end = machine.goal(state, winner), frozenset(state), process_time() + seconds

    def wins(left: Iterable[Term]) -> bool:
        if process_time() > end:
            raise TimeoutError
        return machine.goal(machine.state_of(left), winner) == goal

    try:
        needed = frozenset(fact for fact in facts if not wins(facts - {fact}))
        found = needed if needed and wins(needed) else _fewest(facts, needed, wins)
        is_sure = len(found) <= MAX_SHARE * len(facts) and _is_enough(facts, found, wins)
    except TimeoutError:
        return frozenset()
    return found if is_sure else frozenset()


def _fewest(
    facts: frozenset[Term], needed: frozenset[Term], wins: Callable[[Iterable[Term]], bool]
) -> frozenset[Term]:
    """Leave out one fact after the other, but none that is needed, as long as the rest wins."""
    left = set(facts)
    for fact in sorted(facts - needed, key=str):
        if wins(left - {fact}):
            left.remove(fact)
    return frozenset(left)


def _is_enough(
    facts: frozenset[Term], found: frozenset[Term], wins: Callable[[Iterable[Term]], bool]
) -> bool:
    """Whether the facts found also win with others, as far as is seen: less those with one word.

    So where pieces are counted they do not, with all pieces of the loser and no more of their own.
    """
    words = {fact: frozenset(words_of(fact)) for fact in facts}
    named = sorted(frozenset().union(*words.values()))
    return all(
        wins(fact for fact in facts if fact in found or word not in words[fact]) for word in named
    )


def ending_rules(ruleset: Ruleset, state: Iterable[Term], seconds: float = inf) -> tuple[Rule, ...]:
    """Return the rules for ``terminal`` by which a state is one, in the order of the rulesheet.

    Empty in other states, where there are more than :data:`MAX_ENDING_RULES`, and where it takes
    more than so many ``seconds`` of CPU time to try them.
    """
    ways = [rule for rule in ruleset.rules if rule.head.relation == TERMINAL]
    if len(ways) > MAX_ENDING_RULES:
        return ()
    others = tuple(rule for rule in ruleset.rules if rule.head.relation != TERMINAL)
    facts, end = tuple(state), process_time() + seconds
    found = []
    for way in ways:
        if process_time() > end:
            return ()
        machine = interpret(replace(ruleset, rules=(*others, way)))
        if machine.is_terminal(machine.state_of(facts)):
            found.append(way)
    return tuple(found)
