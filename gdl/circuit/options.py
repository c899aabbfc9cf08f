"""What can be chosen about compiling a game: its budget, the width of a block and the passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields

from gdl.grounding import GroundingBudget, RulePasses


@dataclass(frozen=True, kw_only=True)
class CircuitPasses:
    """The passes that make a circuit smaller, in their order; none of them changes an answer."""

    structural_hashing: bool = True
    """Make each gate once, however often it is needed."""
    two_level_rewriting: bool = True
    """Leave out a gate whose value follows from the gates that it reads."""
    group_moves: bool = True
    """Merge rules that differ only in the move they need: a role makes exactly one."""
    factoring: bool = True
    """Take common literals out of sums of products."""
    cube_extraction: bool = True
    """Make pairs of literals that many conjunctions hold into gates of their own."""


ALL_PASSES = CircuitPasses()


@dataclass(frozen=True)
class CompileOptions(RulePasses, CircuitPasses):
    """How a game is compiled. ``words`` is the width of a block, in 64 lanes each."""

    budget: GroundingBudget = field(default_factory=GroundingBudget)
    words: int = 8


PASS_NAMES = tuple(each.name for kind in (RulePasses, CircuitPasses) for each in fields(kind))


def stages() -> Iterator[tuple[str, CompileOptions]]:
    """Yield options for each pass by name: with it and those before it. The first has none."""
    chosen = dict.fromkeys(PASS_NAMES, False)
    yield "none", CompileOptions(GroundingBudget(), **chosen)
    for name in PASS_NAMES:
        chosen[name] = True
        yield name, CompileOptions(GroundingBudget(), **chosen)
