"""The option ``--analysis`` of ``gdl show``: the structure of a game."""

from __future__ import annotations

from gdl.compiling import compile
from gdl.errors import GroundingLimitError
from gdl.reasoner import interpret
from gdl.ruleset import Ruleset


def analysis_text(ruleset: Ruleset) -> str:
    """Return what is known of a game's structure, from playouts alone where it is too large."""
    from gdl.structure import analyse
    from gdl.structure.text import report

    try:
        return report(analyse(compile(ruleset)))
    except GroundingLimitError as error:
        return f"not compiled: {error}\n{report(analyse(interpret(ruleset)))}"
