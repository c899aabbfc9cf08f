"""Search for one role: pancakes, small sudoku, peg solitaire."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from tests.independent.game import Puzzle, numbers

Stack: TypeAlias = tuple[tuple[int, ...], int]


class Pancakes(Puzzle[Stack]):
    """States: the pancakes from the top, and the flips made."""

    roles = ("cook",)

    def start(self) -> Stack:
        return (1, 6, 5, 3, 7, 4, 2), 0

    def choices(self, state: Stack) -> Sequence[str]:
        return [f"(flip {count})" for count in range(2, 8)]

    def play(self, state: Stack, move: str) -> Stack:
        stack, flips = state
        (count,) = numbers(move)
        return stack[:count][::-1] + stack[count:], flips + 1

    def result(self, state: Stack) -> tuple[int, ...] | None:
        stack, flips = state
        if stack == (1, 2, 3, 4, 5, 6, 7):
            return (100,)
        fitting = sum(abs(a - b) == 1 for a, b in pairwise(stack))
        return (10 * fitting,) if flips == 12 else None


Grid: TypeAlias = tuple[int, ...]


class SudokuSmall(Puzzle[Grid]):
    """States: the cells in reading order, 0 where empty."""

    roles = ("clerk",)

    def start(self) -> Grid:
        return (0, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 1, 0, 0, 4)

    def groups(self, grid: Grid, cell: int) -> Iterator[int]:
        """Yield the numbers in the cell's row, column and block."""
        row, column = divmod(cell, 4)
        top, left = row // 2 * 2, column // 2 * 2
        yield from grid[4 * row : 4 * row + 4]
        yield from grid[column::4]
        for line in (top, top + 1):
            yield from grid[4 * line + left : 4 * line + left + 2]

    def choices(self, state: Grid) -> Sequence[str]:
        if 0 not in state:
            return []
        held = set(self.groups(state, state.index(0)))
        return [f"(write {number})" for number in range(1, 5) if number not in held]

    def play(self, state: Grid, move: str) -> Grid:
        cell = state.index(0)
        return (*state[:cell], *numbers(move), *state[cell + 1 :])

    def result(self, state: Grid) -> tuple[int, ...] | None:
        if self.choices(state):
            return None
        return (100,) if 0 not in state else (5 * sum(number > 0 for number in state),)


HOLES = [(row, place) for row in range(5) for place in range(row + 1)]
SIX_WAYS = ((0, 1), (1, 0), (1, 1), (0, -1), (-1, 0), (-1, -1))
JUMPS = [
    tuple(HOLES.index((row + down * i, place + right * i)) + 1 for i in range(3))
    for row, place in HOLES
    for down, right in SIX_WAYS
    if (row + 2 * down, place + 2 * right) in HOLES
]
"""The holes, numbered from 1, from which, over which and to which a peg can jump."""


class PegSolitaire(Puzzle[frozenset[int]]):
    """States: the holes that hold a peg."""

    roles = ("jumper",)

    def start(self) -> frozenset[int]:
        return frozenset(range(2, 16))

    def choices(self, state: frozenset[int]) -> Sequence[str]:
        return [
            f"(jump {start} {end})"
            for start, over, end in JUMPS
            if start in state and over in state and end not in state
        ]

    def play(self, state: frozenset[int], move: str) -> frozenset[int]:
        start, end = numbers(move)
        (over,) = (b for a, b, c in JUMPS if (a, c) == (start, end))
        return state - {start, over} | {end}

    def result(self, state: frozenset[int]) -> tuple[int, ...] | None:
        if self.choices(state):
            return None
        return ({1: 100, 2: 70, 3: 40, 4: 10}.get(len(state), 0),)
