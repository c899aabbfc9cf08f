"""Public names of a package whose modules are imported when they are asked for.

Apart, since it is about this project, and all other modules here about the system: it is here
because packages import it before anything else.
"""

import importlib

TYPE_CHECKING = False
"""As :data:`typing.TYPE_CHECKING`, which is slow to import."""

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def imported_later(package: str, places: "Mapping[str, str]") -> "Callable[[str], object]":
    """Return a ``__getattr__`` for a package: a command then imports only what it needs.

    ``places`` has the module of each name, in full. The function raises AttributeError for other
    names, as :pep:`562` asks.
    """

    def module_attribute(name: str) -> object:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(places[name]), name)

    return module_attribute
