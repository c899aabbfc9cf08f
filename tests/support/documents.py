"""What the documents show: shell commands in indented blocks, and files to be written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"`([\w.]+)`:\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"(?:\A|\n\n)((?: {4}\S.*\n(?: {4,}.*\n)*)+)")


def shell_commands(document: Path) -> list[str]:
    """List the commands of a document, one line each, without comments."""
    text = _FENCED.sub("", document.read_text(encoding="utf-8"))
    blocks = (block.replace("\\\n", " ") for block in _BLOCK.findall(text))
    lines = (line.split("  # ")[0] for block in blocks for line in block.splitlines())
    return [" ".join(line.split()) for line in lines]


def files(document: Path) -> Iterator[tuple[str, str]]:
    """Yield the files that a document asks for: "Write this to `name`:" and a block of code."""
    yield from _FILE.findall(document.read_text(encoding="utf-8"))
