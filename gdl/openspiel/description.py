"""What the bridge to OpenSpiel has to know of a game, found once for each rulesheet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

import gdl
from gdl.analysis import Structure, analyse
from gdl.engine import PropnetStateMachine
from gdl.errors import RulesetError
from gdl.language import Term, moves_by_chance
from gdl.playouts import play_out, randomness

LegalMoves: TypeAlias = tuple[tuple[Term, ...], ...]
"""The legal moves of each role."""

SURVEYED = 32
"""How many random playouts show which moves are idle."""

SURVEYED_STEPS = 100
"""How long they are at most."""


@dataclass(frozen=True)
class Options:
    """The parameters of the game ``gdl`` in OpenSpiel."""

    file: str
    """The rulesheet."""
    turn_based: bool = False
    """Players who decide at the same time do so one after the other, without seeing it."""
    max_steps: int = 1000
    """A match that is longer is cut off, and a draw."""
    scale: float = 1.0
    """The utility of a goal of 100; 50 is a utility of 0, and a goal of 0 is minus that."""
    perfect_recall: bool = True
    """Where the rules hide nothing, information states are all moves so far, not the state alone.

    What players choose at the same time is hidden until all have chosen in either case.
    """


class Description:
    """A compiled game, with numbers for its players and their actions.

    Actions are numbered in the order of their text, the same for all players; those of chance, the
    role ``random``, have numbers of their own. One object for each game and its options: copies
    and what is unpickled are that object.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        rules = gdl.load(options.file)
        self.machine: PropnetStateMachine = gdl.compile(rules)
        self.structure: Structure = analyse(self.machine)
        roles = self.machine.roles
        self.chance = next((i for i, role in enumerate(roles) if moves_by_chance(role)), None)
        self.players = tuple(i for i in range(len(roles)) if i != self.chance)
        if not self.players:
            raise RulesetError(f"{options.file}: nobody plays but chance")
        terms = {str(move): move for p in self.players for move in self.machine.moves[p]}
        self.actions: tuple[Term, ...] = tuple(terms[text] for text in sorted(terms))
        self.number_of: Mapping[Term, int] = {move: i for i, move in enumerate(self.actions)}
        self.outcomes = () if self.chance is None else tuple(self.machine.moves[self.chance])
        self.has_percepts = any(rule.head.relation == ("sees", 2) for rule in rules.rules)
        survey = _survey(self.machine)
        self.idle = _idle_moves(survey, len(roles))
        choosing = (sum(len(options[p]) > 1 for p in self.players) for options in survey)
        self.together = any(number > 1 for number in choosing)
        """Whether two players may have a choice at the same time."""

    def __deepcopy__(self, memo: object) -> Description:
        return self

    def __reduce__(self) -> tuple[Callable[[Options], Description], tuple[Options]]:
        return describe, (self.options,)

    # ------------------------------------------------------------------ of the whole game

    @cached_property
    def in_turn_by_force(self) -> bool:
        """Whether players who decide at the same time are made to decide one after the other."""
        return self.options.turn_based and self.together

    @property
    def in_turn(self) -> bool:
        """Whether at most one player at a time decides, or they are made to decide in turn."""
        return self.options.turn_based or not self.together

    @property
    def recalls(self) -> bool:
        """Whether information states are all that a player remembers."""
        return self.has_percepts or self.options.perfect_recall

    @property
    def hides(self) -> bool:
        """Whether a player may not know the state."""
        return self.has_percepts or self.in_turn_by_force

    @cached_property
    def max_steps(self) -> int:
        """The most steps of a match."""
        bound = self.structure.length.bound.value
        return self.options.max_steps if bound is None else min(bound, self.options.max_steps)

    @property
    def max_length(self) -> int:
        """The most decisions of players in a match; a decision of several at once is one."""
        return max(1, self.max_steps * (len(self.players) if self.in_turn_by_force else 1))

    @property
    def utility_sum(self) -> float | None:
        """The sum of the players' utilities where it is the same at all ends, otherwise None."""
        total = self.structure.goals.sum.value
        return None if total is None else (total - 50 * len(self.players)) / 50 * self.options.scale

    @property
    def utilities(self) -> tuple[float, float]:
        """The least and the greatest utility of a player."""
        table = self.machine.engine.goal_table
        goals = [50, *(value for role, value in table.tolist() if role in self.players)]
        return self.utility(min(goals)), self.utility(max(goals))

    def utility(self, goal: int | None) -> float:
        """The utility of a goal value; having none is as bad as 0."""
        return ((goal or 0) - 50) / 50 * self.options.scale

    # ------------------------------------------------------------------ of states

    @cached_property
    def action_numbers(self) -> Mapping[str, int]:
        """The number of each action by its text."""
        return {str(move): number for move, number in self.number_of.items()}

    @cached_property
    def percept_texts(self) -> Sequence[str]:
        """The texts of all percepts of any player, sorted."""
        possible = self.machine.percept_rows
        return sorted({str(term) for role, term in possible if role in self.players})

    @cached_property
    def percept_numbers(self) -> Mapping[str, int]:
        """The number of each percept by its text."""
        return {text: number for number, text in enumerate(self.percept_texts)}


@lru_cache(maxsize=64)
def describe(options: Options) -> Description:
    """Describe a game, once for each process."""
    return Description(options)


def _survey(machine: PropnetStateMachine) -> list[LegalMoves]:
    """The legal moves of all roles in the states of some random playouts."""
    playouts = (play_out(machine, randomness(0, n), SURVEYED_STEPS) for n in range(SURVEYED))
    return [step.options for steps in playouts for step in steps if step.options]


def _idle_moves(survey: Sequence[LegalMoves], roles: int) -> tuple[frozenset[Term], ...]:
    """Each role's moves that mean waiting: its only ones while another role has a choice."""
    chosen = [options for options in survey if any(len(moves) > 1 for moves in options)]
    return tuple(
        frozenset(options[role][0] for options in chosen if len(options[role]) == 1)
        for role in range(roles)
    )
