"""What can be chosen about compiling a game: its budget, its width and its passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields

from gdl.grounding import GroundingBudget, RulePasses


@dataclass(frozen=True, slots=True, kw_only=True)
class Passes(RulePasses):
    """The passes that make a circuit smaller, in their order; none of them changes an answer."""

    share_gates: bool = True
    """Make each gate once, however often it is asked for."""
    absorb: bool = True
    """Leave out a gate whose value follows from the gates that it reads."""
    group_moves: bool = True
    """Merge rules that differ only in the move they ask for: a role makes exactly one."""
    factor: bool = True
    """Take common literals out of sums of products."""
    share_pairs: bool = True
    """Make pairs of literals that many conjunctions hold into gates of their own."""


ALL_PASSES = Passes()

PASS_NAMES = tuple(each.name for each in fields(Passes))


@dataclass(frozen=True, slots=True)
class CompileOptions(Passes):
    """How a game is compiled. ``words`` is the width of a block, in 64 lanes each."""

    budget: GroundingBudget = field(default_factory=GroundingBudget)
    words: int = 8


def stages() -> Iterator[tuple[str, Passes]]:
    """Yield passes by name, each together with those before it; the first is none of them."""
    chosen = dict.fromkeys(PASS_NAMES, False)
    yield "none", Passes(**chosen)
    for name in PASS_NAMES:
        chosen[name] = True
        yield name, Passes(**chosen)
