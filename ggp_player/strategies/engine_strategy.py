"""The base class of strategies that run on the compiled engine, in blocks of states.

Apart from the base of all strategies, which knows nothing of the engine.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from gdl import StateMachine
from gdl.engine import PropnetStateMachine
from gdl.engine.kernel_library import register_archive
from ggp_player.strategies.base import Position, Strategy

KERNELS = register_archive(Path(__file__).parent)
"""The native code of the kernels of all strategies."""


def compiled_machine(machine: StateMachine) -> PropnetStateMachine | None:
    """The machine, if it is one of the compiled engine; None where the rules are interpreted."""
    return machine if isinstance(machine, PropnetStateMachine) else None


class EngineStrategy(Strategy):
    """A strategy that evaluates blocks of states where the rules are compiled.

    It is handed the compiled machine itself, which its kernels work on, not a wrapper that can
    interrupt a search; so its search must yield every few hundredths of a second. It refuses
    interpreted rules, unless a subclass says otherwise.
    """

    max_moves: ClassVar[int | None] = None
    """The most moves that all roles may have together; None for any number."""

    def refusal(self, machine: StateMachine) -> str | None:
        """Refuse interpreted rules, and games of more than ``max_moves`` moves."""
        compiled = compiled_machine(machine)
        if compiled is None:
            return f"{self.name} needs the compiled machine, and these rules are interpreted"
        moves = sum(map(len, compiled.moves))
        if self.max_moves is not None and moves > self.max_moves:
            return f"{self.name} is for games of up to {self.max_moves} moves, and this has {moves}"
        return None

    def machine_of(self, position: Position) -> PropnetStateMachine:
        """The compiled machine of a position. Raises TypeError where the rules are interpreted."""
        compiled = compiled_machine(position.machine)
        if compiled is None:
            raise TypeError(f"{self.name} was asked to search a game that it refuses")
        return compiled
