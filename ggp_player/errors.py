"""The exception tree of the package.

::

    GgpPlayerError
     ├── ProtocolError     a peer's message cannot be understood; the text says what was expected
     ├── ConfigError       settings that cannot be used; carries every problem found
     └── ServerError       the player server cannot start, or a player cannot be reached
"""

from __future__ import annotations


class GgpPlayerError(Exception):
    """The root of every error that this package raises on purpose."""


class ProtocolError(GgpPlayerError):
    """A message that cannot be understood: the peer's fault, and its text is the reply.

    ``offset`` is where in the message reading stopped, in characters from 0.
    """

    def __init__(self, offset: int, sentence: str) -> None:
        self.offset = offset
        self.sentence = sentence
        super().__init__(f"character {offset + 1}: {sentence}")


class ConfigError(GgpPlayerError):
    """Settings that cannot be used. ``problems`` has one sentence for each bad key."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class ServerError(GgpPlayerError):
    """The player server cannot start, or a player server cannot be reached."""
