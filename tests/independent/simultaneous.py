"""Games in which the roles move at the same time: tron, fishery."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from tests.independent.game import Game, numbers

Cell: TypeAlias = tuple[int, int]
Riders: TypeAlias = tuple[frozenset[Cell], tuple[Cell, Cell], tuple[bool, bool]]

DIRECTIONS = {"east": (1, 0), "west": (-1, 0), "north": (0, 1), "south": (0, -1)}


class Tron(Game[Riders]):
    """States: the walls, the places of the cycles, and who has crashed."""

    roles = ("orange", "blue")

    def start(self) -> Riders:
        return frozenset({(2, 4), (6, 4)}), ((2, 4), (6, 4)), (False, False)

    def options(self, walls: frozenset[Cell], place: Cell) -> dict[str, Cell]:
        """Return the free places around, by the move that leads there."""
        near = {
            f"(ride {name})": (place[0] + dx, place[1] + dy)
            for name, (dx, dy) in DIRECTIONS.items()
        }
        return {
            move: (x, y)
            for move, (x, y) in near.items()
            if 1 <= x <= 7 and 1 <= y <= 7 and (x, y) not in walls
        }

    def moves(self, state: Riders) -> tuple[Sequence[str], ...]:
        walls, places, _ = state
        return tuple(list(self.options(walls, place)) or ["brake"] for place in places)

    def after(self, state: Riders, joint: tuple[str, ...]) -> Riders:
        walls, places, _ = state
        aims = [self.options(walls, place).get(m) for place, m in zip(places, joint, strict=True)]
        met = aims[0] == aims[1]
        left, right = (aim or place for aim, place in zip(aims, places, strict=True))
        crashed = (met or aims[0] is None, met or aims[1] is None)
        return walls | {left, right}, (left, right), crashed

    def result(self, state: Riders) -> tuple[int, ...] | None:
        ends = {(True, True): (50, 50), (True, False): (0, 100), (False, True): (100, 0)}
        return ends.get(state[2])


Lake: TypeAlias = tuple[int, int, tuple[int, int]]


class Fishery(Game[Lake]):
    """States: season, fish in the lake, fish caught."""

    roles = ("east", "west")

    def start(self) -> Lake:
        return 1, 8, (0, 0)

    def moves(self, state: Lake) -> tuple[Sequence[str], ...]:
        return tuple([f"(cast {n})" for n in range(4)] for _ in self.roles)

    def after(self, state: Lake, joint: tuple[str, ...]) -> Lake:
        season, fish, caught = state
        east, west = (numbers(move)[0] for move in joint)
        left = fish - east - west
        if left < 0:
            east, west = min(east, fish // 2), min(west, fish // 2)
        grown = min(12, left + left // 2) if left > 0 else 0
        return season + 1, grown, (caught[0] + east, caught[1] + west)

    def result(self, state: Lake) -> tuple[int, ...] | None:
        season, fish, caught = state
        if fish and season < 9:
            return None
        return 4 * caught[0], 4 * caught[1]
