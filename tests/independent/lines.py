"""Games about lines of equal marks: tic-tac-toe, connect four, trefoil."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.independent.game import TurnGame, numbers, words

Board = tuple[tuple[int, int, int], ...]  # (column, row, role index), sorted
Cell = tuple[int, int]

SLOPES = ((1, 0), (0, 1), (1, 1), (1, -1))


def has_line(cells: Iterable[Cell], length: int) -> bool:
    """Tell whether ``length`` of the cells stand in an unbroken line."""
    held = set(cells)
    return any(
        all((x + dx * i, y + dy * i) in held for i in range(length))
        for x, y in held
        for dx, dy in SLOPES
    )


class LineGame(TurnGame[Board]):
    """Marks are put on a board of ``width`` by ``height``; a line of ``length`` wins."""

    width: int
    height: int
    length: int

    def start(self) -> Board:
        return ()

    def mover(self, state: Board) -> int:
        return len(state) % len(self.roles)

    def free(self, state: Board) -> list[Cell]:
        """Return the free cells."""
        taken = {(x, y) for x, y, _ in state}
        cells = ((x, y) for x in range(1, self.width + 1) for y in range(1, self.height + 1))
        return [cell for cell in cells if cell not in taken]

    def put(self, state: Board, cell: Cell) -> Board:
        """Return the board with the mover's mark on the cell."""
        return tuple(sorted((*state, (*cell, self.mover(state)))))

    def winner(self, state: Board) -> int | None:
        """Return the role that has a line."""
        for role in range(len(self.roles)):
            if has_line(((x, y) for x, y, owner in state if owner == role), self.length):
                return role
        return None

    def result(self, state: Board) -> tuple[int, ...] | None:
        winner = self.winner(state)
        if winner is not None:
            return (100, 0) if winner == 0 else (0, 100)
        return None if self.free(state) else (50, 50)


class TicTacToe(LineGame):
    roles = ("cross", "nought")
    width = height = length = 3

    def choices(self, state: Board) -> Sequence[str]:
        return [f"(put {'abc'[x - 1]}{y})" for x, y in self.free(state)]

    def play(self, state: Board, move: str) -> Board:
        square = words(move)[1]
        return self.put(state, ("abc".index(square[0]) + 1, int(square[1])))


class ConnectFour(LineGame):
    roles = ("red", "yellow")
    width, height, length = 7, 6, 4

    def choices(self, state: Board) -> Sequence[str]:
        return [f"(drop {x})" for x in sorted({x for x, _ in self.free(state)})]

    def play(self, state: Board, move: str) -> Board:
        (column,) = numbers(move)
        return self.put(state, min(cell for cell in self.free(state) if cell[0] == column))


class Trefoil(LineGame):
    roles = ("red", "green", "blue")
    width = height = 5
    length = 3

    def choices(self, state: Board) -> Sequence[str]:
        return [f"(place {x} {y})" for x, y in self.free(state)]

    def play(self, state: Board, move: str) -> Board:
        x, y = numbers(move)
        return self.put(state, (x, y))

    def result(self, state: Board) -> tuple[int, ...] | None:
        winner = self.winner(state)
        if winner is not None:
            after, before = (winner + 1) % 3, (winner + 2) % 3
            return tuple({winner: 100, after: 30, before: 0}[role] for role in range(3))
        return None if self.free(state) else (40, 40, 40)
