"""What players observe and know, as text and as tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl.openspiel.description import Description
from gdl.openspiel.position import Memory, OpenSpielPosition

MAX_MEMORY = 2_000_000
"""The most numbers of a tensor that holds all that a player remembers."""


class Observer:
    """An observer as OpenSpiel wants it: ``set_from`` fills ``tensor``, the views in ``dict`` too.

    Where nothing is hidden, an observation is the facts of the state, and the tensor has a number
    for each possible fact. Where percepts are all that a player has, an observation is its last
    move and what it saw then; with perfect recall it is all moves and percepts, step by step.
    """

    def __init__(self, game: Description, *, recalls: bool, private: bool) -> None:
        self._game = game
        self._recalls = recalls
        self._is_blind = game.has_percepts and not private
        self.dict: Mapping[str, NDArray[np.float32]] = {}
        self.tensor: NDArray[np.float32] | None = None
        if not recalls or has_memory_tensor(game):
            self._make_tensor()

    def _make_tensor(self) -> None:
        shapes = self._shapes()
        size = sum(int(np.prod(shape)) for shape in shapes.values())
        self.tensor = np.zeros(size, np.float32)
        views, first = {}, 0
        for name, shape in shapes.items():
            last = first + int(np.prod(shape))
            views[name] = self.tensor[first:last].reshape(shape)
            first = last
        self.dict = views

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        game = self._game
        shapes: dict[str, tuple[int, ...]] = {"player": (len(game.players),)}
        if self._is_blind:
            return shapes
        if game.in_turn_by_force:
            shapes["choice"] = (len(game.actions),)
        if not game.has_percepts:
            shapes["facts"] = (len(game.machine.facts),)
        else:
            rows = game.max_steps if self._recalls else 1
            shapes["steps"] = (rows, 1 + len(game.actions) + len(game.percept_texts))
        return shapes

    def set_from(self, state: Any, player: int) -> None:  # noqa: ANN401
        """Fill the tensor with what a player observes in a state."""
        if self.tensor is None:
            return
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        position: OpenSpielPosition = state.position
        if "choice" in self.dict and (choice := position.own_choice(player)):
            self.dict["choice"][self._game.action_numbers[choice]] = 1
        if "facts" in self.dict:
            self.dict["facts"][:] = self._game.machine.bits(position.state)
        if "steps" in self.dict:
            self._fill_steps(self.dict["steps"], self._remembered(position, player))

    def _fill_steps(self, rows: NDArray[np.float32], memory: Memory) -> None:
        actions = len(self._game.actions)
        for row, (own, seen) in zip(rows, memory, strict=False):
            row[0] = 1
            row[1 + self._game.action_numbers[own]] = 1
            for percept in seen:
                row[1 + actions + self._game.percept_numbers[percept]] = 1

    def string_from(self, state: Any, player: int) -> str:  # noqa: ANN401
        """Describe what a player observes in a state."""
        position: OpenSpielPosition = state.position
        if self._is_blind:
            return ""
        if not self._game.has_percepts and not self._recalls:
            text = " ".join(sorted(map(str, position.state)))
        else:
            text = "; ".join(
                f"{own} | {' '.join(seen)}" if self._game.has_percepts else " ".join(seen)
                for own, seen in self._remembered(position, player)
            )
        choice = position.own_choice(player)
        return f"p{player} {text}{' > ' + choice if choice else ''}"

    def _remembered(self, position: OpenSpielPosition, player: int) -> Memory:
        memory = position.memories[player]
        return memory if self._recalls else memory[-1:]


def has_memory_tensor(game: Description) -> bool:
    """Whether all that a player remembers is written as a tensor, too."""
    width = 1 + len(game.actions) + len(game.percept_texts)
    return game.has_percepts and game.max_steps * width <= MAX_MEMORY
