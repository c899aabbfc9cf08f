"""How the game ``gdl`` is registered with OpenSpiel, and loaded."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gdl.errors import MissingLibraryError

MISSING = "OpenSpiel is not installed: pip install 'ggp-player[openspiel]'"


def register() -> None:
    """Register the game ``gdl`` with OpenSpiel, once, for ``pyspiel.load_game("gdl(file=...)")``.

    Raises :class:`gdl.errors.MissingLibraryError` without OpenSpiel.
    """
    if find_spec("pyspiel") is None:
        raise MissingLibraryError(MISSING)
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
