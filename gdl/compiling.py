"""The way to the compiled machine, which is loaded only when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl.ruleset import Ruleset

if TYPE_CHECKING:
    from gdl.propnet.machine import PropnetStateMachine
    from gdl.propnet.options import CompileOptions


def compile(ruleset: Ruleset, options: CompileOptions | None = None) -> PropnetStateMachine:
    """Return the state machine that evaluates the game as a network, 512 states at once.

    It answers through an interpreter until its ``warm_up`` or ``warm_up_later`` has made machine
    code. Raises :class:`gdl.GroundingLimitError` where the rules are too large to ground, and
    :class:`gdl.RulesetError` as :func:`gdl.interpret` does.
    """
    from gdl.propnet.machine import PropnetStateMachine
    from gdl.propnet.options import CompileOptions

    return PropnetStateMachine(ruleset, options or CompileOptions())


WIDTHS = (1, 8)
"""The widths of blocks in use, in words: single states, and blocks of 512."""


def warm_up() -> None:
    """Compile what every game shares into the cache on disk, which takes some seconds once."""
    from gdl.propnet.lanes import load_kernels

    for words in WIDTHS:
        load_kernels(words)


def is_warm() -> bool:
    """Tell whether what every game shares is compiled already."""
    from gdl.propnet.lanes import kernels_are_ready

    return all(map(kernels_are_ready, WIDTHS))
