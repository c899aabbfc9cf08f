"""Chess, with king safety found by trying out every move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from tests.independent.game import TurnGame, words

Cell = tuple[int, int]

STRAIGHT = ((0, 1), (0, -1), (1, 0), (-1, 0))
SLANTING = ((1, 1), (1, -1), (-1, 1), (-1, -1))
JUMPS = tuple((dx, dy) for dx, dy in product((-2, -1, 1, 2), repeat=2) if abs(dx) != abs(dy))
SLIDES = {"R": STRAIGHT, "B": SLANTING, "Q": STRAIGHT + SLANTING}
STEPS = {"N": JUMPS, "K": STRAIGHT + SLANTING}
PROMOTIONS = {"queen": "Q", "rook": "R", "bishop": "B", "knight": "N"}

CASTLINGS = {"kingside": (7, 8, 6, (6, 7)), "queenside": (3, 1, 4, (2, 3, 4))}
"""For each side: the king's file after castling, the rook's before and after, the gap."""


@dataclass(frozen=True)
class Position:
    """The board as (square, role, kind) triples, and what else a position of chess has."""

    pieces: frozenset[tuple[Cell, int, str]]
    mover: int
    rights: frozenset[tuple[int, str]]
    passant: Cell | None
    quiet: int


Board = dict[Cell, tuple[int, str]]


def on_board(cell: Cell) -> bool:
    return 1 <= cell[0] <= 8 and 1 <= cell[1] <= 8


def targets(board: Board, start: Cell) -> Iterator[Cell]:
    """Yield the squares that a piece other than a pawn threatens."""
    _, kind = board[start]
    for dx, dy in SLIDES.get(kind, ()):
        x, y = start[0] + dx, start[1] + dy
        while on_board((x, y)):
            yield x, y
            if (x, y) in board:
                break
            x, y = x + dx, y + dy
    for dx, dy in STEPS.get(kind, ()):
        if on_board((start[0] + dx, start[1] + dy)):
            yield start[0] + dx, start[1] + dy


def strikes(role: int, start: Cell) -> list[Cell]:
    """Return the squares that a pawn threatens."""
    y = start[1] + (1 if role == 0 else -1)
    return [(x, y) for x in (start[0] - 1, start[0] + 1) if on_board((x, y))]


def threatened(board: Board, cell: Cell, by: int) -> bool:
    """Tell whether a piece of a role threatens the square."""
    return any(
        cell in (strikes(by, start) if kind == "P" else targets(board, start))
        for start, (role, kind) in board.items()
        if role == by
    )


def in_check(board: Board, role: int) -> bool:
    (king,) = (cell for cell, piece in board.items() if piece == (role, "K"))
    return threatened(board, king, 1 - role)


def moved(board: Board, start: Cell, end: Cell, kind: str) -> Board:
    """Return the board after a move: a pawn that changes file onto nothing captures en passant."""
    after = dict(board)
    role, old = after.pop(start)
    if old == "P" and start[0] != end[0] and end not in board:
        del after[end[0], start[1]]
    if old == "K" and abs(start[0] - end[0]) == 2:
        _, rook, goal, _ = CASTLINGS["kingside" if end[0] == 7 else "queenside"]
        after[goal, end[1]] = after.pop((rook, end[1]))
    after[end] = (role, kind)
    return after


class Chess(TurnGame[Position]):
    roles = ("white", "black")

    def start(self) -> Position:
        pieces = set()
        for x, kind in enumerate("RNBQKBNR", 1):
            pieces |= {((x, 1), 0, kind), ((x, 2), 0, "P"), ((x, 7), 1, "P"), ((x, 8), 1, kind)}
        rights = frozenset(product((0, 1), CASTLINGS))
        return Position(frozenset(pieces), 0, rights, None, 0)

    def mover(self, state: Position) -> int:
        return state.mover

    def reaches(self, state: Position, board: Board) -> Iterator[tuple[Cell, Cell]]:
        """Yield departures and arrivals, whether or not the king is safe afterwards."""
        forward = 1 if state.mover == 0 else -1
        for start, (role, kind) in board.items():
            if role != state.mover:
                continue
            if kind != "P":
                for end in targets(board, start):
                    if board.get(end, (None,))[0] != role:
                        yield start, end
                continue
            x, y = start
            for end in strikes(role, start):
                if end == state.passant or board.get(end, (role,))[0] != role:
                    yield start, end
            if (x, y + forward) not in board:
                yield start, (x, y + forward)
                if y == (2 if role == 0 else 7) and (x, y + 2 * forward) not in board:
                    yield start, (x, y + 2 * forward)

    def castlings(self, state: Position, board: Board) -> Iterator[tuple[Cell, Cell]]:
        rank, enemy = (1, 8)[state.mover], 1 - state.mover
        for role, side in state.rights:
            king, _, passed, gap = CASTLINGS[side]
            way = [(x, rank) for x in (5, passed, king)]
            if role != state.mover or any((x, rank) in board for x in gap):
                continue
            if not any(threatened(board, cell, enemy) for cell in way):
                yield (5, rank), (king, rank)

    def choices(self, state: Position) -> Sequence[str]:
        board: Board = {cell: (role, kind) for cell, role, kind in state.pieces}
        found = []
        for start, end in [*self.reaches(state, board), *self.castlings(state, board)]:
            kind = board[start][1]
            if in_check(moved(board, start, end, kind), state.mover):
                continue
            squares = f"{start[0]} {start[1]} {end[0]} {end[1]}"
            if kind == "P" and end[1] in (1, 8):
                found += [f"(promote {squares} {name})" for name in PROMOTIONS]
            else:
                found.append(f"(move {squares})")
        return found

    def play(self, state: Position, move: str) -> Position:
        board: Board = {cell: (role, kind) for cell, role, kind in state.pieces}
        x, y, x2, y2 = map(int, words(move)[1:5])
        kind = board[x, y][1]
        after = moved(board, (x, y), (x2, y2), PROMOTIONS.get(words(move)[-1], kind))
        touched = {(x, y), (x2, y2)}
        rights = frozenset(
            (role, side)
            for role, side in state.rights
            if not touched & {(5, (1, 8)[role]), (CASTLINGS[side][1], (1, 8)[role])}
        )
        eventful = kind == "P" or (x2, y2) in board
        return Position(
            frozenset((cell, *piece) for cell, piece in after.items()),
            1 - state.mover,
            rights,
            (x, (y + y2) // 2) if kind == "P" and abs(y - y2) == 2 else None,
            0 if eventful else state.quiet + 1,
        )

    def result(self, state: Position) -> tuple[int, ...] | None:
        board: Board = {cell: (role, kind) for cell, role, kind in state.pieces}
        if self.choices(state):
            return (50, 50) if state.quiet == 50 else None
        if not in_check(board, state.mover):
            return 50, 50
        return (0, 100) if state.mover == 0 else (100, 0)
