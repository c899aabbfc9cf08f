"""The steps of a match, as a player receives them.

A step is a joint move, a tuple of one move per role, or an :class:`ObservedStep` where the game
manager tells only what our role may know, as in games with hidden information.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class ObservedStep:
    """A step of which our role was told no more than its percepts; terms are text here.

    ``move`` is the one made for our role, None where that is not known. ``percepts`` have no order.
    With ``may_be_moves`` they may be the joint move itself: the message does not say, and only the
    rules can. ``missed`` says that the step was made, and nothing of it was told.
    """

    move: str | None = None
    percepts: tuple[str, ...] = ()
    may_be_moves: bool = False
    missed: bool = False


JointMoveTexts: TypeAlias = tuple[str, ...]
"""One move per role, in role order."""

Step: TypeAlias = JointMoveTexts | ObservedStep
"""What is known of a step of the match."""

History: TypeAlias = tuple[Step, ...]
"""The steps of a match so far."""
