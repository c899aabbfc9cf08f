"""The door to the compiled engine, which is imported only when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl.language import Ruleset

if TYPE_CHECKING:
    from gdl.circuit import CompileOptions
    from gdl.engine import PropnetStateMachine


def compile(ruleset: Ruleset, options: CompileOptions | None = None) -> PropnetStateMachine:
    """Compile a ruleset to a state machine that evaluates 512 states at once.

    It answers through an interpreter until its ``warm_up`` or ``warm_up_later`` has made machine
    code. Raises :class:`gdl.GroundingLimitError` where the rules are too large to ground, and
    :class:`gdl.RulesetError` as :func:`gdl.interpret` does.
    """
    # LLVM and NumPy take a while to import; whoever only reads or interprets rules is spared.
    from gdl.circuit import CompileOptions
    from gdl.engine import PropnetStateMachine

    return PropnetStateMachine(ruleset, options or CompileOptions())
