"""The traces of the collection: seeded playouts as another evaluator played them, line by line."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SUFFIX = ".trace.jsonl.gz"


def read_trace(path: Path) -> list[Any]:
    """Return the header of a trace and its lines, one for each state."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def digest(texts: Iterable[str]) -> str:
    """Return the digest by which traces stand for large sets; the texts are to be sorted."""
    return hashlib.sha256("\n".join(texts).encode("latin-1")).hexdigest()
