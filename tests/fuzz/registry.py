"""All targets by name. A target's module is imported only when it is fuzzed, to be instrumented."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from tests.fuzz.target import Target

FINDINGS = Path(__file__).with_name("findings")
"""Inputs that were found, in a folder for each target; all are mended."""


@dataclass(frozen=True)
class Entry:
    """Where a target is defined, and whose branches are counted as coverage."""

    module: str
    covers: tuple[str, ...]

    def load(self) -> Target:
        """Import the target, and whatever it checks."""
        target = importlib.import_module(f"tests.fuzz.{self.module}").TARGET
        assert isinstance(target, Target)
        return target


_LANGUAGE = ("gdl.language", "gdl.errors")
_EVALUATION = ("gdl.datalog", "gdl.reasoner", "gdl.validation")
_COMPILATION = ("gdl.grounding", "gdl.rewriting", "gdl.circuit")
_FRONT = ("ggp_player.front", "ggp_player.server.access")
_SERVER = ("ggp_player.front", "ggp_player.server", "ggp_player.protocol")

ENTRIES: Mapping[str, Entry] = MappingProxyType(
    {
        "messages": Entry("messages", ("ggp_player.protocol", *_LANGUAGE)),
        "matches": Entry("matches", ("ggp_player.protocol", "ggp_player.worker", *_EVALUATION)),
        "http-requests": Entry("http_requests", _FRONT),
        "http": Entry("http_server", _SERVER),
        "rulesheets": Entry("rulesheets", (*_LANGUAGE, *_EVALUATION)),
        "machines": Entry("machines", (*_EVALUATION, *_COMPILATION)),
        "replies": Entry("replies", ("ggp_player.manager.players", "ggp_player.protocol")),
        "files": Entry("files", ("ggp_player", "gdl.code_cache")),
    }
)


def findings(name: str) -> list[Path]:
    """The inputs that were found with a target."""
    return sorted(path for path in (FINDINGS / name).glob("*") if path.is_file())
