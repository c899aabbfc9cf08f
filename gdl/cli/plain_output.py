"""Output on terminals whose encoding has few characters: others stand in for those it lacks."""

from __future__ import annotations

import codecs
import sys
from io import TextIOWrapper
from unicodedata import normalize

ERRORS = "gdl-plain"
"""The name of what is done with characters that an encoding lacks."""

_STAND_INS = {
    "·": ".",
    "•": "*",
    "●": "@",
    "○": "o",
    "\N{MULTIPLICATION SIGN}": "x",
    "÷": "/",
    "—": "-",
    "\N{EN DASH}": "-",
    "\N{MINUS SIGN}": "-",
    "…": "...",
    "→": ">",
    "←": "<",
    "│": "|",
    "┃": "|",
    "─": "-",
    "━": "-",
    "╸": "-",
    "╺": "-",
    "≥": ">=",
    "≤": "<=",
    "µ": "u",
    "“": '"',
    "”": '"',
    "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
}


def make_outputs_plain() -> None:
    """Have the standard streams write stand-ins for what their encodings lack, and not fail."""
    codecs.register_error(ERRORS, _stand_in)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors=ERRORS)


def writes_unicode() -> bool:
    """Whether the standard output has every character."""
    try:
        return codecs.lookup(sys.stdout.encoding).name.startswith("utf")
    except (LookupError, TypeError):
        return False


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that the terminal's encoding lacks; a handler for :mod:`codecs`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(map(_plain, missing)), error.end


def _plain(character: str) -> str:
    """The ASCII characters that stand in for a character: its letter without accents, or ``?``."""
    letter = normalize("NFKD", character).encode("ascii", "ignore").decode()
    return _STAND_INS.get(character) or letter or "?"
