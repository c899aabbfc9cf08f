"""What can be chosen about grounding: which passes over rules come before it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePasses:
    """The passes that make fewer ground rules, in their order; none of them changes an answer."""

    split_rules: bool = True
    """Make several rules with few variables of one with many."""
    guard_relations: bool = True
    """Ground wide relations only for the arguments that somebody can ask for."""
