"""Games in which marks fill a board: nine boards, quarto, pentago, dots and boxes, bridges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import TypeAlias

from tests.independent.game import TurnGame, numbers, words
from tests.independent.lines import has_line

Cell: TypeAlias = tuple[int, int]
Draw = (50, 50)


def win_of(role: int) -> tuple[int, int]:
    """Return the goals when one of two roles has won."""
    return (100, 0) if role == 0 else (0, 100)


POINTS = ("nw", "n", "ne", "w", "mid", "e", "sw", "s", "se")
NineState: TypeAlias = tuple[tuple[str, ...], int, int | None]  # boards, mover, board sent to


class NineBoards(TurnGame[NineState]):
    """A board is nine signs in reading order: ``x``, ``o`` or ``.``."""

    roles = ("cross", "nought")

    def start(self) -> NineState:
        return ("." * 9,) * 9, 0, None

    def mover(self, state: NineState) -> int:
        return state[1]

    def choices(self, state: NineState) -> Sequence[str]:
        boards, _, sent = state
        bound = sent is not None and "." in boards[sent]
        return [
            f"(put {POINTS[board]} {POINTS[place]})"
            for board in ([sent] if bound and sent is not None else range(9))
            for place in range(9)
            if boards[board][place] == "."
        ]

    def play(self, state: NineState, move: str) -> NineState:
        boards, mover, _ = state
        board, place = (POINTS.index(word) for word in words(move)[1:])
        marked = boards[board][:place] + "xo"[mover] + boards[board][place + 1 :]
        return (*boards[:board], marked, *boards[board + 1 :]), 1 - mover, place

    def result(self, state: NineState) -> tuple[int, ...] | None:
        for role, sign in enumerate("xo"):
            for board in state[0]:
                if has_line(((i % 3, i // 3) for i, held in enumerate(board) if held == sign), 3):
                    return win_of(role)
        return None if any("." in board for board in state[0]) else Draw


PIECES = tuple(map("".join, product("ts", "dl", "rq", "fh")))
QuartoState: TypeAlias = tuple[tuple[str, ...], str, int]  # places, piece in hand, mover


class Quarto(TurnGame[QuartoState]):
    """The sixteen places go along the rows a1, b1, c1, d1, a2 and so on."""

    roles = ("left", "right")

    def start(self) -> QuartoState:
        return ("",) * 16, "", 0

    def mover(self, state: QuartoState) -> int:
        return state[2]

    def choices(self, state: QuartoState) -> Sequence[str]:
        places, hand, _ = state
        if hand:
            names = ("abcd"[i % 4] + str(i // 4 + 1) for i in range(16) if not places[i])
            return [f"(put {name})" for name in names]
        return [f"(hand {piece})" for piece in PIECES if piece not in places]

    def play(self, state: QuartoState, move: str) -> QuartoState:
        places, hand, mover = state
        word = words(move)[1]
        if not hand:
            return places, word, 1 - mover
        at = "abcd".index(word[0]) + 4 * (int(word[1]) - 1)
        return (*places[:at], hand, *places[at + 1 :]), "", mover

    def lines(self) -> Iterable[list[int]]:
        """Yield the places of each line."""
        for i in range(4):
            yield [4 * i + j for j in range(4)]
            yield [4 * j + i for j in range(4)]
        yield [5 * j for j in range(4)]
        yield [3 * j + 3 for j in range(4)]

    def result(self, state: QuartoState) -> tuple[int, ...] | None:
        places, _, mover = state
        for line in self.lines():
            held = [places[i] for i in line]
            traits = zip(*held, strict=True)
            if all(held) and any(len(set(signs)) == 1 for signs in traits):
                return win_of(mover)
        return Draw if all(places) else None


PentagoState: TypeAlias = tuple[tuple[frozenset[Cell], frozenset[Cell]], int, bool]
BLOCKS = {"southwest": (0, 0), "southeast": (3, 0), "northwest": (0, 3), "northeast": (3, 3)}


class Pentago(TurnGame[PentagoState]):
    roles = ("black", "white")

    def start(self) -> PentagoState:
        return (frozenset(), frozenset()), 0, False

    def mover(self, state: PentagoState) -> int:
        return state[1]

    def choices(self, state: PentagoState) -> Sequence[str]:
        marbles, _, turning = state
        if turning:
            senses = ("clockwise", "anticlockwise")
            return [f"(rotate {block} {sense})" for block in BLOCKS for sense in senses]
        cells = product(range(1, 7), repeat=2)
        return [f"(put {x} {y})" for x, y in cells if (x, y) not in marbles[0] | marbles[1]]

    def play(self, state: PentagoState, move: str) -> PentagoState:
        marbles, mover, turning = state
        if turning:
            _, block, sense = words(move)
            black, white = (self.turned(cells, BLOCKS[block], sense) for cells in marbles)
            return (black, white), 1 - mover, False
        x, y = numbers(move)
        both = list(marbles)
        both[mover] |= {(x, y)}
        return (both[0], both[1]), mover, True

    def turned(self, cells: frozenset[Cell], corner: Cell, sense: str) -> frozenset[Cell]:
        """Return the cells after a block's turn; its middle is at the corner plus (2, 2)."""
        sign = 1 if sense == "clockwise" else -1
        middle_x, middle_y = corner[0] + 2, corner[1] + 2
        turned = set()
        for x, y in cells:
            dx, dy = x - middle_x, y - middle_y
            if max(abs(dx), abs(dy)) <= 1:
                dx, dy = sign * dy, -sign * dx
            turned.add((middle_x + dx, middle_y + dy))
        return frozenset(turned)

    def result(self, state: PentagoState) -> tuple[int, ...] | None:
        marbles, _, turning = state
        lined = [has_line(cells, 5) for cells in marbles]
        if any(lined):
            return Draw if all(lined) else win_of(lined.index(True))
        full = len(marbles[0] | marbles[1]) == 36
        return Draw if full and not turning else None


Side: TypeAlias = tuple[str, int, int]
DotsState: TypeAlias = tuple[frozenset[Side], tuple[int, int], int]


class DotsAndBoxes(TurnGame[DotsState]):
    """States: the sides drawn, the boxes of each role, and the mover."""

    roles = ("left", "right")

    def start(self) -> DotsState:
        return frozenset(), (0, 0), 0

    def mover(self, state: DotsState) -> int:
        return state[2]

    def choices(self, state: DotsState) -> Sequence[str]:
        flat = [("flat", x, y) for x in range(1, 4) for y in range(1, 5)]
        upright = [("upright", x, y) for x in range(1, 5) for y in range(1, 4)]
        left = [side for side in flat + upright if side not in state[0]]
        return [f"(draw {kind} {x} {y})" for kind, x, y in left]

    def boxes(self, drawn: frozenset[Side]) -> int:
        """Return the number of closed boxes."""
        return sum(
            {("flat", x, y), ("flat", x, y + 1), ("upright", x, y), ("upright", x + 1, y)} <= drawn
            for x in range(1, 4)
            for y in range(1, 4)
        )

    def play(self, state: DotsState, move: str) -> DotsState:
        drawn, owned, mover = state
        _, kind, x, y = words(move)
        after = drawn | {(kind, int(x), int(y))}
        gained = self.boxes(after) - self.boxes(drawn)
        counts = list(owned)
        counts[mover] += gained
        return after, (counts[0], counts[1]), mover if gained else 1 - mover

    def result(self, state: DotsState) -> tuple[int, ...] | None:
        if sum(state[1]) < 9:
            return None
        return tuple(11 * count + (count > 4) for count in state[1])


Site: TypeAlias = tuple[str, int, int]
BridgeState: TypeAlias = tuple[frozenset[Site], frozenset[Site]]


class Bridges(TurnGame[BridgeState]):
    """States: the sites at which each role has built."""

    roles = ("red", "blue")

    def start(self) -> BridgeState:
        return frozenset(), frozenset()

    def mover(self, state: BridgeState) -> int:
        return len(state[0]) - len(state[1])

    def choices(self, state: BridgeState) -> Sequence[str]:
        sites = [("long", x, y) for x in range(1, 5) for y in range(1, 5)]
        sites += [("cross", x, y) for x in range(1, 4) for y in range(1, 4)]
        left = [site for site in sites if site not in state[0] | state[1]]
        return [f"(build {kind} {x} {y})" for kind, x, y in left]

    def play(self, state: BridgeState, move: str) -> BridgeState:
        _, kind, x, y = words(move)
        built = list(state)
        built[self.mover(state)] |= {(kind, int(x), int(y))}
        return built[0], built[1]

    def joined(self, sites: frozenset[Site]) -> bool:
        """Tell whether red's sites lead from row 1 to row 5; posts are merged as they join."""
        group = {(x, y): (0, 1) if y == 1 else (x, y) for x in range(1, 5) for y in range(1, 6)}
        for kind, x, y in sites:
            one, two = ((x, y), (x, y + 1)) if kind == "long" else ((x, y + 1), (x + 1, y + 1))
            old, new = group[one], group[two]
            group = {post: new if name == old else name for post, name in group.items()}
        return any(group[x, 5] == group[1, 1] for x in range(1, 5))

    def result(self, state: BridgeState) -> tuple[int, ...] | None:
        red, blue = state
        if self.joined(red):
            return win_of(0)
        # Blue's posts lie like red's with columns and rows exchanged.
        return win_of(1) if self.joined(frozenset((k, y, x) for k, x, y in blue)) else None
