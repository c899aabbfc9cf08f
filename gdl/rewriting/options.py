"""The switches of the passes over rules; :mod:`gdl.grounding.passes` says what each pass is for."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, kw_only=True)
class RulePasses:
    """Which passes are applied to rules before grounding; none of them changes an answer.

    The passes of every game come first, then those that huge games need besides.
    """

    constant_fluents: bool = True
    """Read facts of the state that never change as static."""
    inline_relations: bool = True
    """Replace a large relation of a single rule by the body of that rule."""
    project_moves: bool = True
    """Let decomposition use projections of moves to the arguments that are needed."""
    decompose_rules: bool = True
    """Make several rules with few variables of one with many."""
    magic_guards: bool = True
    """Ground wide relations only for the arguments that are demanded of them."""
    bound_fluents: bool = True
    """Explore a few fluents alone, and leave out the facts that no state of theirs holds."""
    functional_dependencies: bool = True
    """Divide joins of values of which a state holds one for each key."""
    expand_products: bool = True
    """Replace a static relation with all combinations of its arguments by one for each."""
    relaxed_reachability: bool = True
    """Ground the relaxed game first, for exact domains and sizes."""
    expand_disjunctions: bool = True
    """Make a rule for each alternative of a disjunction that ties variables."""
    merge_alternatives: bool = True
    """Merge rules that differ in the relation of one atom."""
    expand_cases: bool = True
    """Replace relations that only compare their arguments by their cases."""
    specialize_arguments: bool = True
    """Give a relation one version for each set of arguments that its rules constrain."""
    reduce_arguments: bool = True
    """Replace a wide negated relation by relations of fewer arguments."""

    @classmethod
    def none(cls) -> RulePasses:
        """No pass: the rules are ground as they are."""
        return cls(**{each.name: False for each in fields(RulePasses)})
