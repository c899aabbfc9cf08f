"""The lexical rules of KIF: which characters a name has, and what a comment is.

The grammar ``kif.lark`` states them once more for Lark, which cannot take them from here; a test
compares the two.
"""

from __future__ import annotations

import re

_NOT_IN_NAMES = r"\s();\x00-\x1f\x7f\ufeff"

NAME_CHARACTER = rf"[^{_NOT_IN_NAMES}]"
"""Any character but white space, control characters, parentheses, ``;`` and a byte order mark."""

COMMENT = r";[^\r\n]*+"

NAME = re.compile(rf"[^?{_NOT_IN_NAMES}]{NAME_CHARACTER}*")
"""The name of a constant, a function or a relation."""

VARIABLE = re.compile(rf"\?{NAME_CHARACTER}+")

WORD = re.compile(rf"{NAME_CHARACTER}++")
"""A name, or a variable with its question mark."""
