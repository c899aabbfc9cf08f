"""The exception tree of the package.

::

    GgpPlayerError
     ├── ProtocolError      a peer's message cannot be understood; the text says what was expected
     ├── ConfigError        settings that cannot be used; carries every problem found
     ├── ServerError        the player server cannot start, or a player cannot be reached
     ├── UnplayableError    a rulesheet without a meaning, or without the role that we are to play
     ├── StrategyError      a strategy that does not exist, or a parameter that it cannot take
     ├── MatchError         the game manager cannot play the match, or not to its end
     ├── PlayError          what a person asked for cannot be done now; the text says why
     ├── ManagerError       the manager's service cannot start, or not do what it was asked for
     │    └── StoppingError    it is being stopped
     ├── TournamentError    a tournament cannot be played, or not as it was begun
     ├── LabError           an experiment that cannot be made, or a ledger that cannot be read
     ├── ArchiveError       the archive of matches cannot be used, or a match or record for it
     │    └── UnavailableArchiveError    it is locked, or the disk is full, which may pass
     ├── PositionError      a position that a match, or a variation of it, does not have
     ├── AnalysisError      an analysis that cannot begin now; the text says why
     ├── PositionSetError   a set of solved positions that cannot be used, or not be made
     ├── JointMoveError     joint moves that cannot be read, or cannot be made; says which step
     └── TreeSizeError      a search tree that cannot be drawn to the depth asked for

Two exceptions stay outside the tree, as no caller sees them: a search that is interrupted
(:mod:`ggp_player.worker.interruptible`), and a game without a negamax form
(:mod:`ggp_player.strategies.textbook.negamax`).
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


class NobodyListensError(ServerError):
    """Nothing can be reached where a player server should listen."""


class UnplayableError(GgpPlayerError):
    """The rules have no meaning, or lack the role that we are to play."""


class StrategyError(GgpPlayerError, ValueError):
    """A strategy that does not exist, or a parameter that it cannot take."""


class MatchError(GgpPlayerError):
    """The match cannot be played, or not to its end."""


class PlayError(GgpPlayerError):
    """What a person asked for in a match cannot be done now."""


class ManagerError(GgpPlayerError):
    """The manager's service cannot start, or cannot do what it was asked for."""


class StoppingError(ManagerError):
    """The manager is being stopped, and does nothing more."""


class TournamentError(GgpPlayerError):
    """The tournament cannot be played, or not as it was begun."""


class LabError(GgpPlayerError):
    """An experiment that cannot be made as asked for, or a file that is no entry of a ledger."""


class ArchiveError(GgpPlayerError):
    """The archive of matches cannot be used, or a match in it, or a record that is to go there."""


class UnavailableArchiveError(ArchiveError):
    """The archive cannot be used for now: it is locked, or the disk is full."""


class JointMoveError(GgpPlayerError):
    """Joint moves that cannot be read, or cannot be made. ``step`` is the first that cannot."""

    def __init__(self, sentence: str, step: int = 0) -> None:
        self.step = step
        super().__init__(f"step {step}: {sentence}" if step else sentence)


class TreeSizeError(GgpPlayerError):
    """A tree that cannot be drawn to the depth asked for."""


class PositionError(GgpPlayerError):
    """A position that is asked for, and that the match does not have; the text says why."""


class AnalysisError(GgpPlayerError):
    """An analysis that cannot begin, or go on, now; the text says why."""


class PositionSetError(GgpPlayerError):
    """A set of solved positions that cannot be used for a game, or cannot be made of it."""
