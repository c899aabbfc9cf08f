"""Board games for two roles: breakthrough, nim, reversi, hex."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TypeAlias

from tests.independent.game import TurnGame, numbers, words

Cell: TypeAlias = tuple[int, int]
Stones: TypeAlias = tuple[frozenset[Cell], frozenset[Cell]]
Position: TypeAlias = tuple[Stones, int]  # the stones of both roles, and who is to move

EIGHT = range(1, 9)


class Breakthrough(TurnGame[Position]):
    roles = ("white", "black")

    def start(self) -> Position:
        white = frozenset(product(EIGHT, (1, 2)))
        black = frozenset(product(EIGHT, (7, 8)))
        return (white, black), 0

    def mover(self, state: Position) -> int:
        return state[1]

    def choices(self, state: Position) -> Sequence[str]:
        pawns, mover = state
        own, enemy = pawns[mover], pawns[1 - mover]
        found = []
        for x, y in own:
            y2 = y + (1, -1)[mover]
            for x2 in (x - 1, x, x + 1):
                blocked = (x2, y2) in own or (x2 == x and (x2, y2) in enemy)
                if x2 in EIGHT and y2 in EIGHT and not blocked:
                    found.append(f"(step {x} {y} {x2} {y2})")
        return found

    def play(self, state: Position, move: str) -> Position:
        pawns, mover = state
        x, y, x2, y2 = numbers(move)
        own, enemy = pawns[mover] - {(x, y)} | {(x2, y2)}, pawns[1 - mover] - {(x2, y2)}
        return ((own, enemy) if mover == 0 else (enemy, own)), 1 - mover

    def result(self, state: Position) -> tuple[int, ...] | None:
        (white, black), _ = state
        if any(y == 8 for _, y in white) or not black:
            return 100, 0
        if any(y == 1 for _, y in black) or not white:
            return 0, 100
        return None


HEAPS = ("left", "middle", "right")


class Nim(TurnGame[tuple[tuple[int, ...], int]]):
    roles = ("first", "second")

    def start(self) -> tuple[tuple[int, ...], int]:
        return (3, 5, 6), 0

    def mover(self, state: tuple[tuple[int, ...], int]) -> int:
        return state[1]

    def choices(self, state: tuple[tuple[int, ...], int]) -> Sequence[str]:
        sizes = zip(HEAPS, state[0], strict=True)
        return [f"(take {heap} {n})" for heap, size in sizes for n in range(1, size + 1)]

    def play(self, state: tuple[tuple[int, ...], int], move: str) -> tuple[tuple[int, ...], int]:
        _, heap, count = words(move)
        sizes = list(state[0])
        sizes[HEAPS.index(heap)] -= int(count)
        return tuple(sizes), 1 - state[1]

    def result(self, state: tuple[tuple[int, ...], int]) -> tuple[int, ...] | None:
        if any(state[0]):
            return None
        return (0, 100) if state[1] == 0 else (100, 0)


COMPASS = [(dx, dy) for dx, dy in product((-1, 0, 1), repeat=2) if dx or dy]


class Reversi(TurnGame[Position]):
    roles = ("black", "white")

    def start(self) -> Position:
        return (frozenset({(4, 4), (5, 5)}), frozenset({(4, 5), (5, 4)})), 0

    def mover(self, state: Position) -> int:
        return state[1]

    def flips(self, stones: Stones, mover: int, cell: Cell) -> set[Cell]:
        """Return the enemy discs that a disc of the mover on the cell outflanks."""
        found: set[Cell] = set()
        for dx, dy in COMPASS:
            x, y = cell[0] + dx, cell[1] + dy
            line = []
            while (x, y) in stones[1 - mover]:
                line.append((x, y))
                x, y = x + dx, y + dy
            if (x, y) in stones[mover]:
                found.update(line)
        return found

    def places(self, stones: Stones, mover: int) -> Iterator[Cell]:
        """Yield the cells on which the mover may place a disc."""
        for cell in product(EIGHT, EIGHT):
            if cell not in stones[0] | stones[1] and self.flips(stones, mover, cell):
                yield cell

    def choices(self, state: Position) -> Sequence[str]:
        return [f"(place {x} {y})" for x, y in self.places(*state)] or ["pass"]

    def play(self, state: Position, move: str) -> Position:
        stones, mover = state
        if move == "pass":
            return stones, 1 - mover
        x, y = numbers(move)
        flips = self.flips(stones, mover, (x, y))
        own, enemy = stones[mover] | flips | {(x, y)}, stones[1 - mover] - flips
        return ((own, enemy) if mover == 0 else (enemy, own)), 1 - mover

    def result(self, state: Position) -> tuple[int, ...] | None:
        stones, _ = state
        if any(next(self.places(stones, mover), None) for mover in (0, 1)):
            return None
        lead = len(stones[0]) - len(stones[1])
        return (100, 0) if lead > 0 else (0, 100) if lead < 0 else (50, 50)


class Hex(TurnGame[Stones]):
    roles = ("red", "blue")

    size = 6

    def start(self) -> Stones:
        return frozenset(), frozenset()

    def mover(self, state: Stones) -> int:
        return len(state[0]) - len(state[1])

    def choices(self, state: Stones) -> Sequence[str]:
        side = range(1, self.size + 1)
        cells = product(side, side)
        return [f"(place {x} {y})" for x, y in cells if (x, y) not in state[0] | state[1]]

    def play(self, state: Stones, move: str) -> Stones:
        x, y = numbers(move)
        added = list(state)
        added[self.mover(state)] |= {(x, y)}
        return added[0], added[1]

    def joined(self, cells: frozenset[Cell], axis: int) -> bool:
        """Tell whether the cells join the first line of an axis to its last."""
        frontier = [cell for cell in cells if cell[axis] == 1]
        seen = set(frontier)
        while frontier:
            x, y = frontier.pop()
            if (x, y)[axis] == self.size:
                return True
            near = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1), (x + 1, y - 1), (x - 1, y + 1)}
            fresh = near & cells - seen
            seen |= fresh
            frontier.extend(fresh)
        return False

    def result(self, state: Stones) -> tuple[int, ...] | None:
        if self.joined(state[0], 1):
            return 100, 0
        return (0, 100) if self.joined(state[1], 0) else None
