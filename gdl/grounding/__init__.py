"""From rules to ground rules, which hold no variables: passes over rules, then gringo.

In comes a :class:`gdl.language.Ruleset`. Out comes a :class:`GroundGame`: the
:class:`GroundProgram` with its rules over numbered atoms, and the rows of the relations that a
machine answers for.

Start reading at :mod:`.pipeline`, which flattens the rules, applies the passes and grounds in one
attempt or two. :mod:`.passes` lists the passes in their order, each with its reason; they stand in
:mod:`gdl.rewriting`. :mod:`.gringo` runs the grounder, within a :class:`GroundingBudget`; where
many rules are expected, :mod:`.observed_gringo` does, which hands them on as arrays.
"""

from gdl.grounding.gringo import GroundingBudget, GroundProgram
from gdl.grounding.ground_rows import NO_ATOM, GroundRows, Row
from gdl.grounding.pipeline import GroundGame, ground_game
from gdl.rewriting.rule_analysis import RulePasses

__all__ = [
    "NO_ATOM",
    "GroundGame",
    "GroundProgram",
    "GroundRows",
    "GroundingBudget",
    "Row",
    "RulePasses",
    "ground_game",
]
