"""OpenSpiel: every game that can be compiled as a game of OpenSpiel, registered as ``gdl``.

In comes the file of a rulesheet, out comes a ``pyspiel.Game``: with turns or simultaneous moves,
with chance nodes for the role ``random``, and with information states where the rules say what
roles see. OpenSpiel's algorithms then run on it. Start reading in :mod:`.position`: how a state
with a joint move of all roles becomes nodes at which one player, several, or chance decide.
:mod:`.description` has what the nodes need to know of a game, :mod:`.game` is the bridge, and
:mod:`.observer` writes what players know as text and tensors.

OpenSpiel is optional. Importing this package neither needs nor imports it; what needs it raises
:class:`gdl.errors.MissingLibraryError` where it is not installed.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from gdl.errors import optional_library

__all__ = ["load_game", "register"]


def register() -> None:
    """Register the game ``gdl`` with OpenSpiel, once, for ``pyspiel.load_game("gdl(file=...)")``.

    Raises :class:`gdl.errors.MissingLibraryError` without OpenSpiel.
    """
    message = "OpenSpiel is not installed: pip install 'ggp-player[openspiel]'"
    optional_library("pyspiel", message)
    import_module("gdl.openspiel.game")


def load_game(file: str | Path, **options: bool | int | float) -> Any:  # noqa: ANN401 OpenSpiel has no types
    """Load the rulesheet in a file as a ``pyspiel.Game``.

    The options are those of :class:`.description.Options`.

    Raises :class:`gdl.errors.MissingLibraryError` without OpenSpiel, :class:`gdl.GdlError` for
    rules that cannot be compiled, OSError as ``open`` does.
    """
    register()
    parameters = {"file": str(file), **options}
    if "scale" in parameters:
        parameters["scale"] = float(parameters["scale"])  # as OpenSpiel takes no integer for it
    return import_module("pyspiel").load_game("gdl", parameters)
