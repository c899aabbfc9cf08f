"""Openings: positions after some random moves, from which matches can begin.

Two players who always begin in the initial state play the same few matches again and again, and in
many games whoever moves first wins them all. From openings a match says more about its players.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random

from gdl.errors import OpeningError, RulesetError, Source, counted
from gdl.language import Atom, Rule, Ruleset, Term, body_atoms
from gdl.playouts import Ending, play_out
from gdl.state_machine import State, StateMachine

ATTEMPTS = 64
"""Random matches that are tried for one opening."""

INIT = ("init", 1)


@dataclass(frozen=True, slots=True)
class Opening:
    """A position that is not terminal, and the joint moves, in role order, that led to it."""

    state: State
    moves: tuple[tuple[Term, ...], ...]


def random_opening(machine: StateMachine, plies: int, random: Random) -> Opening:
    """Make ``plies`` random joint moves from the initial state, to a position that is not terminal.

    Every role picks uniformly among its legal moves, ``random`` by chance as ever; each has a legal
    move in the position. Matches that end too soon are begun again. Raises
    :class:`gdl.OpeningError` where all of ``ATTEMPTS`` did.
    """
    longest = 0
    for _ in range(ATTEMPTS):
        steps = list(play_out(machine, random, plies))
        if steps[-1].ending is Ending.STEP_LIMIT:
            moves = tuple(step.joint_move for step in steps if step.joint_move is not None)
            return Opening(steps[-1].state, moves)
        longest = max(longest, steps[-1].number)
    raise OpeningError(
        f"no position after {counted(plies, 'joint move')}: of {ATTEMPTS} random matches the "
        f"longest ended after {longest}"
    )


def rules_from(ruleset: Ruleset, facts: Iterable[Term]) -> Ruleset:
    """Return the rules of the same game that begins with just the given facts, such as a state's.

    The facts stand where the first rule for ``init`` stood, sorted by their text; the rules have no
    positions in a text any more. Raises :class:`gdl.RulesetError` where another rule reads
    ``init``, as it would then say something else, and where the game has percepts: the initial
    state is known to all roles, and a position of such a game is not.
    """
    if ruleset.has_percepts:
        raise RulesetError(
            f"{ruleset.game} has percepts: rules that begin in a position of it would tell all "
            "roles what some of them may not know"
        )
    rules = ruleset.rules
    if any(atom.relation == INIT for rule in rules for atom, _ in body_atoms(rule)):
        raise RulesetError(f"{ruleset.game}: a rule reads init, so it cannot be replaced")
    initial = [Rule(Atom("init", (ruleset.spell(fact),))) for fact in sorted(facts, key=str)]
    first = next((n for n, rule in enumerate(rules) if rule.head.relation == INIT), len(rules))
    others = [rule for rule in rules[first:] if rule.head.relation != INIT]
    changed = (*rules[:first], *initial, *others)
    text = "".join(f"{rule}\n" for rule in changed)
    return replace(ruleset, rules=changed, source=Source(text, ruleset.source.name), warnings=())
