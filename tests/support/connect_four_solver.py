"""An exact solver of connect four, 7 columns of 6 levels, to know the values of positions.

It knows the game and nothing of GDL. Positions are two sets of cells, seven bits to a column of
which the highest stays empty: the stones of the role to move, and all stones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

COLUMNS, LEVELS = 7, 6

BOTTOM = sum(1 << 7 * column for column in range(COLUMNS))
BOARD = BOTTOM * (2**LEVELS - 1)
FROM_THE_MIDDLE = [63 << 7 * column for column in (3, 2, 4, 1, 5, 0, 6)]

WIN, DRAW, LOSS = 1, 0, -1


class ConnectFourSolver:
    """Tells the values of positions, which are given by the columns, 0 to 6, of the moves made."""

    def __init__(self) -> None:
        self._bounds: dict[int, tuple[int, int]] = {}

    def value(self, columns: Sequence[int]) -> int | None:
        """What it is for the role to move, ``WIN``, ``DRAW`` or ``LOSS``; None if it is over."""
        found = stones_of(columns)
        return None if found is None else self._search(*found, LOSS, WIN)

    def _search(self, own: int, mask: int, alpha: int, beta: int) -> int:
        """Alpha-beta with a table of bounds."""
        moves = (mask + BOTTOM) & BOARD
        if not moves:
            return DRAW
        if winning_cells(own, mask) & moves:
            return WIN
        moves = not_losing(moves, winning_cells(own ^ mask, mask))
        if not moves:
            return LOSS
        key = own + mask + BOTTOM
        low, high = self._bounds.get(key, (LOSS, WIN))
        alpha, beta = max(alpha, low), min(beta, high)
        if alpha >= beta:
            return alpha
        best, first_alpha = LOSS, alpha
        for move in ordered(own, mask, moves):
            value = -self._search(own ^ mask, mask | move, -beta, -alpha)
            best, alpha = max(best, value), max(alpha, value)
            if alpha >= beta:
                break
        if best > first_alpha:
            low = max(low, best)
        if best < beta:
            high = min(high, best)
        self._bounds[key] = low, high
        return best


def stones_of(columns: Sequence[int]) -> tuple[int, int] | None:
    """The stones of the role to move, and all stones; None if four are in a line."""
    own = other = 0
    for column in columns:
        mask = own | other
        move = (mask + (1 << 7 * column)) & (63 << 7 * column)
        if winning_cells(own, mask) & move:
            return None
        own, other = other, own | move
    return own, own | other


def can_win_at_once(own: int, mask: int) -> bool:
    """Whether the role to move completes four with one stone."""
    return bool(winning_cells(own, mask) & (mask + BOTTOM))


def winning_cells(stones: int, mask: int) -> int:
    """The empty cells with which four stones are in a line, supported or not."""
    found = stones << 1 & stones << 2 & stones << 3
    for step in (6, 7, 8):
        up = stones << step & stones << 2 * step
        down = stones >> step & stones >> 2 * step
        found |= up & (stones << 3 * step | stones >> step)
        found |= down & (stones >> 3 * step | stones << step)
    return found & BOARD & ~mask


def not_losing(moves: int, threats: int) -> int:
    """The moves after which the other role cannot win at once where it has ``threats``."""
    forced = moves & threats
    if forced:
        moves = forced if not forced & (forced - 1) else 0
    return moves & ~(threats >> 1)


def ordered(own: int, mask: int, moves: int) -> Iterator[int]:
    """The moves, those that make most threats first."""
    found = [move for column in FROM_THE_MIDDLE if (move := moves & column)]
    return iter(sorted(found, key=lambda move: -winning_cells(own | move, mask | move).bit_count()))
