"""How much an archive holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

DEFAULT_BYTES = 2**30
"""How much the archive holds unless somebody says otherwise: some 100,000 short matches."""

UNLIMITED = "none"


@dataclass(frozen=True, slots=True)
class ArchiveLimit:
    """How many matches, or bytes, an archive holds; None is as many as there are."""

    matches: int | None = None
    bytes: int | None = DEFAULT_BYTES

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a number of matches, a size such as ``500MB`` or ``2GiB``, or ``none``.

        Raises ValueError.

        >>> ArchiveLimit.parse("5000"), ArchiveLimit.parse("2 KiB")
        (ArchiveLimit(matches=5000, bytes=None), ArchiveLimit(matches=None, bytes=2048))
        """
        text = text.strip().lower()
        if text == UNLIMITED:
            return cls(None, None)
        if text.isascii() and text.isdigit() and 0 < len(text) < 16:
            return cls(int(text), None)
        try:
            if not text[-1:].isalpha():
                raise ValueError("there is no unit")
            # Imported here, as lists of matches need none of it.
            from pydantic import ByteSize, TypeAdapter

            return cls(None, int(TypeAdapter(ByteSize).validate_python(text)))
        except (ValueError, OverflowError) as error:
            expected = "expected a number of matches, a size such as 500MB or 2GiB, or none"
            raise ValueError(f"{expected}; found {text[:40]}") from error


DEFAULT_LIMIT = ArchiveLimit()
