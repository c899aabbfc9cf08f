"""Puzzles for one role: eight puzzle, lights out, towers of Hanoi, eight queens, knight's tour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from tests.independent.game import Puzzle, numbers, words

Cell = tuple[int, int]


class EightPuzzle(Puzzle[tuple[str, int]]):
    """States: the frame in reading order with ``_`` for the gap, and the steps made."""

    roles = ("solver",)

    def start(self) -> tuple[str, int]:
        return "8136_5427", 0

    def choices(self, state: tuple[str, int]) -> Sequence[str]:
        frame, _ = state
        row, column = divmod(frame.index("_"), 3)
        near = ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1))
        return [f"(slide {frame[3 * r + c]})" for r, c in near if 0 <= r < 3 and 0 <= c < 3]

    def play(self, state: tuple[str, int], move: str) -> tuple[str, int]:
        tile = words(move)[1]
        return state[0].translate(str.maketrans(tile + "_", "_" + tile)), state[1] + 1

    def result(self, state: tuple[str, int]) -> tuple[int, ...] | None:
        frame, steps = state
        if frame == "12345678_":
            return (100,)
        home = sum(a == b for a, b in zip(frame, "12345678_", strict=True) if a != "_")
        return (10 * home,) if steps == 40 else None


class LightsOut(Puzzle[tuple[frozenset[Cell], int]]):
    """States: the lit lamps and the presses made."""

    roles = ("presser",)

    def start(self) -> tuple[frozenset[Cell], int]:
        rows = ("..###", "..###", ".####", "##.#.", "#.###")
        lit = {(r, c) for r, row in enumerate(rows, 1) for c, x in enumerate(row, 1) if x == "#"}
        return frozenset(lit), 0

    def choices(self, state: tuple[frozenset[Cell], int]) -> Sequence[str]:
        return [f"(press {r} {c})" for r in range(1, 6) for c in range(1, 6)]

    def play(self, state: tuple[frozenset[Cell], int], move: str) -> tuple[frozenset[Cell], int]:
        r, c = numbers(move)
        cross = {(r, c), (r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)}
        return state[0] ^ {(a, b) for a, b in cross if 1 <= a <= 5 and 1 <= b <= 5}, state[1] + 1

    def result(self, state: tuple[frozenset[Cell], int]) -> tuple[int, ...] | None:
        lit, steps = state
        if not lit:
            return (100,)
        return (0,) if steps == 12 else None


PEGS = ("first", "second", "third")


class TowersOfHanoi(Puzzle[tuple[tuple[int, ...], int]]):
    """States: the peg of each disc from the smallest, and the steps made."""

    roles = ("mover",)

    def start(self) -> tuple[tuple[int, ...], int]:
        return (0,) * 5, 0

    def choices(self, state: tuple[tuple[int, ...], int]) -> Sequence[str]:
        pegs, _ = state
        # The uppermost disc of a peg is the smallest on it; an empty peg takes any disc.
        top = [pegs.index(peg) if peg in pegs else len(pegs) for peg in range(3)]
        return [
            f"(move {top[a] + 1} {PEGS[b]})" for a in range(3) for b in range(3) if top[a] < top[b]
        ]

    def play(self, state: tuple[tuple[int, ...], int], move: str) -> tuple[tuple[int, ...], int]:
        _, disc, peg = words(move)
        pegs = list(state[0])
        pegs[int(disc) - 1] = PEGS.index(peg)
        return tuple(pegs), state[1] + 1

    def result(self, state: tuple[tuple[int, ...], int]) -> tuple[int, ...] | None:
        pegs, steps = state
        settled = 0
        for peg in reversed(pegs):
            if peg != 2:
                break
            settled += 1
        return (20 * settled,) if settled == 5 or steps == 40 else None


class EightQueens(Puzzle[tuple[int, ...]]):
    """States: the rows of the queens, column by column."""

    roles = ("planner",)

    def start(self) -> tuple[int, ...]:
        return ()

    def choices(self, state: tuple[int, ...]) -> Sequence[str]:
        column = len(state)
        if column == 8:
            return []
        return [
            f"(put {row})"
            for row in range(1, 9)
            if all(row != r and abs(row - r) != column - c for c, r in enumerate(state))
        ]

    def play(self, state: tuple[int, ...], move: str) -> tuple[int, ...]:
        return (*state, *numbers(move))

    def result(self, state: tuple[int, ...]) -> tuple[int, ...] | None:
        if self.choices(state):
            return None
        return (100 if len(state) == 8 else 12 * len(state),)


Tour: TypeAlias = tuple[frozenset[Cell], Cell]


class KnightsTour(Puzzle[Tour]):
    """States: the squares visited and the square of the knight."""

    roles = ("knight",)

    def start(self) -> Tour:
        return frozenset({(1, 1)}), (1, 1)

    def choices(self, state: Tour) -> Sequence[str]:
        visited, (x, y) = state
        return [
            f"(jumpTo {a} {b})"
            for a in range(1, 6)
            for b in range(1, 6)
            if {abs(a - x), abs(b - y)} == {1, 2} and (a, b) not in visited
        ]

    def play(self, state: Tour, move: str) -> Tour:
        x, y = numbers(move)
        return state[0] | {(x, y)}, (x, y)

    def result(self, state: Tour) -> tuple[int, ...] | None:
        return None if self.choices(state) else (4 * len(state[0]),)
