"""Compilation: :func:`gdl.compile`, which imports the compiled engine only when it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl.language import Ruleset, check_ruleset

if TYPE_CHECKING:
    from gdl.circuit import CompileOptions
    from gdl.engine import PropnetStateMachine


def compile(ruleset: Ruleset, options: CompileOptions | None = None) -> PropnetStateMachine:
    """Compile a ruleset to a state machine that evaluates 512 states at once.

    It runs in an interpreter until its ``warm_up`` or ``warm_up_later`` has made native code.
    Raises :class:`gdl.GroundingLimitError` if the rules are too large to ground, and
    :class:`gdl.RulesetError` and TypeError as :func:`gdl.interpret` does.
    """
    check_ruleset(ruleset)
    # LLVM and NumPy are slow to import; programs that only parse or interpret rules do without.
    from gdl.circuit import CompileOptions
    from gdl.engine import PropnetStateMachine

    return PropnetStateMachine(ruleset, options or CompileOptions())
