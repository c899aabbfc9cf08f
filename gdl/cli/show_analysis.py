"""The option ``--analysis`` of ``gdl show``: the structure of a game."""

from __future__ import annotations

import gdl
from gdl.errors import GroundingLimitError
from gdl.language import Ruleset
from gdl.reasoner import interpret


def analysis_text(ruleset: Ruleset) -> str:
    """Return what is known of a game's structure, from playouts alone where it is too large."""
    from gdl.analysis import analyse
    from gdl.reports import report

    try:
        return report(analyse(gdl.compile(ruleset)))
    except GroundingLimitError as error:
        return f"not compiled: {error}\n{report(analyse(interpret(ruleset)))}"
