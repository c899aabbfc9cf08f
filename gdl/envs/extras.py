"""What has to be installed for environments, and how to say that it is not."""

from __future__ import annotations

from importlib.util import find_spec


class MissingExtraError(ImportError):
    """A library that an optional part of the package needs is not installed."""


def require(library: str) -> None:
    """Raise :class:`MissingExtraError`, which says what to install, where a library is missing."""
    if find_spec(library) is None:
        install = "pip install 'ggp-player[rl]'"
        raise MissingExtraError(f"environments need {library}, which is not installed: {install}")
