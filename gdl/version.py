"""The version of both packages, and those of the engine and of its cache of compiled code.

``pyproject.toml`` reads ``__version__`` from here. Nothing of the engine is imported for the
others, so that ``--version`` answers at once; and nothing at all for ``__version__`` alone, as each
process that grounds a game imports this module.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__version__ = "0.1.0"

_COMPILER = "llvmlite"


def engine_version() -> str:
    """A digest of the source of what turns rules into blocks of states, eight hex digits."""
    from pathlib import Path

    package = Path(__file__).parent
    folders = ("language", "datalog", "rewriting", "grounding", "circuit", "engine")
    sources = (path for folder in folders for path in sorted((package / folder).rglob("*.py")))
    return _digest(path.read_bytes() for path in sources)


def cache_version() -> str:
    """A digest of the engine and of LLVM, eight hex digits: compiled code depends on both."""
    return _digest(text.encode() for text in (engine_version(), _installed(_COMPILER)))


def versions() -> str:
    """All of them in one line, for ``--version``."""
    return f"{__version__} (engine {engine_version()}, cache {cache_version()})"


def _installed(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow, and seldom needed

    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} missing"


def _digest(parts: Iterable[bytes]) -> str:
    import hashlib

    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)} ".encode() + part)
    return digest.hexdigest()[:8]
