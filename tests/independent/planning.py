"""Planning for one role: blocks world, key maze, warehouse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from tests.independent.game import Puzzle, words

Cell: TypeAlias = tuple[int, int]
Towers: TypeAlias = tuple[frozenset[str], int]

COMPASS = {"east": (1, 0), "west": (-1, 0), "south": (0, 1), "north": (0, -1)}


def plan_of(rows: Sequence[str]) -> dict[Cell, str]:
    """Return what a drawn map shows at each place, from (1, 1) at the upper left."""
    return {(x, y): sign for y, row in enumerate(rows, 1) for x, sign in enumerate(row, 1)}


class BlocksWorld(Puzzle[Towers]):
    """States: the towers as words from the table up, and the steps made."""

    roles = ("builder",)

    def start(self) -> Towers:
        return frozenset({"eac", "d", "bf"}), 0

    def choices(self, state: Towers) -> Sequence[str]:
        towers, _ = state
        found = []
        for tower in towers:
            block = tower[-1]
            found += [f"(put {block} {other[-1]})" for other in towers if other != tower]
            if len(tower) > 1:
                found.append(f"(put {block} table)")
        return found

    def play(self, state: Towers, move: str) -> Towers:
        _, block, target = words(move)
        towers = {tower.removesuffix(block) for tower in state[0]} - {""}
        onto = next((tower for tower in towers if tower[-1] == target), "")
        return frozenset(towers - {onto} | {onto + block}), state[1] + 1

    def result(self, state: Towers) -> tuple[int, ...] | None:
        towers, steps = state
        if "fedcba" in towers:
            return (100,)
        if steps < 12:
            return None
        # Blocks placed: the longest start of the finished tower that stands on the table.
        placed = max(
            size
            for size in range(7)
            if not size or any(tower.startswith("fedcba"[:size]) for tower in towers)
        )
        return (15 * placed,)


Search: TypeAlias = tuple[Cell, frozenset[str], int]


class KeyMaze(Puzzle[Search]):
    """States: the explorer's place, the keys carried, and the steps made."""

    roles = ("explorer",)

    plan = plan_of(["S..#b.", ".#.##.", ".#.A..", "a#.###", "...B.T"])

    def start(self) -> Search:
        return (1, 1), frozenset(), 0

    def choices(self, state: Search) -> Sequence[str]:
        (x, y), keys, _ = state
        found = []
        for name, (dx, dy) in COMPASS.items():
            sign = self.plan.get((x + dx, y + dy), "#")
            if sign != "#" and (sign not in "AB" or sign.lower() in keys):
                found.append(f"(walk {name})")
        return found

    def play(self, state: Search, move: str) -> Search:
        (x, y), keys, steps = state
        dx, dy = COMPASS[words(move)[1]]
        place = x + dx, y + dy
        return place, keys | ({self.plan[place]} & {"a", "b"}), steps + 1

    def result(self, state: Search) -> tuple[int, ...] | None:
        place, keys, steps = state
        if self.plan[place] == "T":
            return (100,)
        return (20 * len(keys),) if steps == 32 else None


Yard: TypeAlias = tuple[Cell, frozenset[Cell], int]


class Warehouse(Puzzle[Yard]):
    """States: the worker's place, the crates, and the steps made."""

    roles = ("worker",)

    plan = plan_of(["..#...", ".....W", ".#.#..", "..C.#*", "...C*."])

    def start(self) -> Yard:
        (worker,) = (place for place, sign in self.plan.items() if sign == "W")
        return worker, frozenset(place for place, sign in self.plan.items() if sign == "C"), 0

    def free(self, place: Cell, crates: frozenset[Cell]) -> bool:
        """Tell whether a crate or the worker can stand at a place."""
        return self.plan.get(place, "#") != "#" and place not in crates

    def choices(self, state: Yard) -> Sequence[str]:
        (x, y), crates, _ = state
        found = []
        for name, (dx, dy) in COMPASS.items():
            near, far = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
            if self.free(near, crates) or (near in crates and self.free(far, crates)):
                found.append(f"(walk {name})")
        return found

    def play(self, state: Yard, move: str) -> Yard:
        (x, y), crates, steps = state
        dx, dy = COMPASS[words(move)[1]]
        near = x + dx, y + dy
        if near in crates:
            crates = crates - {near} | {(x + 2 * dx, y + 2 * dy)}
        return near, crates, steps + 1

    def result(self, state: Yard) -> tuple[int, ...] | None:
        _, crates, steps = state
        delivered = sum(self.plan[place] == "*" for place in crates)
        if delivered == 2:
            return (100,)
        return (40 * delivered,) if steps == 34 else None
