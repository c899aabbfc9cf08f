"""Figures of a game's circuit: its size, its depth, and what each compiler pass saves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from gdl.circuit import (
    TRUE,
    CompiledGame,
    CompileOptions,
    Layout,
    compile_ground_game,
    stages,
)
from gdl.errors import GroundingLimitError
from gdl.grounding import GroundGame, GroundingBudget, RulePasses, ground_game
from gdl.language import Ruleset

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class PassFigures:
    """A game compiled with a pass and all before it; the name ``none`` means with none at all.

    ``ground_seconds`` go into rules and grounding, ``build_seconds`` into the circuit. ``failure``
    says why there are no figures, where there are none.
    """

    name: str
    ground_rules: int = 0
    view_gates: int = 0
    transition_gates: int = 0
    ground_seconds: float = 0.0
    build_seconds: float = 0.0
    failure: str | None = None


def measure_stages(
    ruleset: Ruleset, budget: GroundingBudget, clock: Clock = monotonic
) -> Iterator[PassFigures]:
    """Compile a game repeatedly, each time with one pass more, and yield the figures of each time.

    The rules are ground again only where the pass changes them. A game that is too large to ground
    without a pass is a stage with a failure.
    """
    game: GroundGame | None = None
    seconds, failure = 0.0, None
    before: CompileOptions | None = None
    for name, passes in stages():
        if before is None or _rules_differ(before, passes):
            began = clock()
            try:
                game, failure = ground_game(ruleset, passes, budget), None
            except GroundingLimitError as error:
                game, failure = None, str(error)
            seconds = clock() - began
        before = passes
        if game is None:
            yield PassFigures(name, ground_seconds=seconds, failure=failure)
            continue
        began = clock()
        layout = compile_ground_game(game, passes).layout
        yield PassFigures(
            name,
            len(game.program.heads),
            layout.view.and_count,
            layout.transition.and_count,
            seconds,
            clock() - began,
        )


def _rules_differ(one: RulePasses, other: RulePasses) -> bool:
    return any(getattr(one, f.name) != getattr(other, f.name) for f in fields(RulePasses))


def circuit_lines(parts: CompiledGame) -> Iterator[str]:
    """Write the figures of a compiled game; depth is the longest path through AND gates."""
    layout = parts.layout
    depths = _depths(layout)
    counts = zip(parts.roles, layout.move_counts, strict=True)
    yield f"moves: {', '.join(f'{role} {count}' for role, count in counts)}"
    irrelevant = layout.fluent_count - int(parts.relevant.sum())
    yield f"facts: {layout.fluent_count}, {irrelevant} of which can never matter"
    for name, program in (("view", layout.view), ("transition", layout.transition)):
        depth = depths[program.gates[:, 0]].max(initial=0)
        yield f"{name}: {program.and_count} gates, depth {depth}"
    yield f"cycles: {layout.view.cycle_count + layout.transition.cycle_count}"


def _depths(layout: Layout) -> NDArray[np.int64]:
    """The number of AND gates on the longest path to each row.

    Rows that are read before they are computed count as inputs.
    """
    depths = [0] * layout.rows
    for program in (layout.view, layout.transition):
        for row, left, right in program.gates.tolist():
            depths[row] = max(depths[left >> 1], depths[right >> 1]) + (right != TRUE)
    return np.array(depths, dtype=np.int64)
