"""Simultaneous games on boards: bidding tic-tac-toe, town chase, powder kegs, rope team, twins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from tests.independent.game import NOOP, Game, numbers, words
from tests.independent.lines import has_line
from tests.independent.planning import COMPASS, plan_of

Cell: TypeAlias = tuple[int, int]
SQUARES = [f"{column}{row}" for column in "abc" for row in "123"]


def lined(squares: Iterable[str]) -> bool:
    """Tell whether three of the squares, a1 to c3, stand in a line."""
    return has_line((("abc".index(square[0]), int(square[1])) for square in squares), 3)


# Marks of both, purses, holder of the whistle, and who has won the bid.
BidState: TypeAlias = tuple[tuple[frozenset[str], frozenset[str]], tuple[int, int], int, int | None]


class BiddingTicTacToe(Game[BidState]):
    roles = ("cross", "nought")

    def start(self) -> BidState:
        return (frozenset(), frozenset()), (4, 4), 0, None

    def moves(self, state: BidState) -> tuple[Sequence[str], ...]:
        marks, purses, _, buyer = state
        if buyer is None:
            return tuple([f"(bid {n})" for n in range(purse + 1)] for purse in purses)
        free = [f"(put {s})" for s in SQUARES if s not in marks[0] | marks[1]]
        return (free, [NOOP]) if buyer == 0 else ([NOOP], free)

    def after(self, state: BidState, joint: tuple[str, ...]) -> BidState:
        marks, purses, whistle, buyer = state
        if buyer is not None:
            both = list(marks)
            both[buyer] |= {words(joint[buyer])[1]}
            return (both[0], both[1]), purses, whistle, None
        cross, nought = (numbers(move)[0] for move in joint)
        tie = cross == nought
        winner = whistle if tie else 0 if cross > nought else 1
        gain = -cross if winner == 0 else nought
        return marks, (purses[0] + gain, purses[1] - gain), whistle ^ tie, winner

    def result(self, state: BidState) -> tuple[int, ...] | None:
        for role, goals in ((0, (100, 0)), (1, (0, 100))):
            if lined(state[0][role]):
                return goals
        return (50, 50) if len(state[0][0] | state[0][1]) == 9 else None


STREETS = (
    "mill-bridge mill-church bridge-market church-market church-school market-inn market-forge "
    "school-forge school-tower forge-harbour inn-harbour inn-bridge tower-harbour tower-gate "
    "harbour-gate"
)
ChaseState: TypeAlias = tuple[tuple[str, ...], bool, int]


class TownChase(Game[ChaseState]):
    """States: where all three stand, whether the thief is caught, steps made."""

    roles = ("thief", "anna", "bert")

    def start(self) -> ChaseState:
        return ("market", "mill", "gate"), False, 0

    def moves(self, state: ChaseState) -> tuple[Sequence[str], ...]:
        options = []
        for place in state[0]:
            streets = [set(street.split("-")) for street in STREETS.split()]
            near = [(street - {place}).pop() for street in streets if place in street]
            options.append([f"(walk {there})" for there in near] + ["wait"])
        return tuple(options)

    def after(self, state: ChaseState, joint: tuple[str, ...]) -> ChaseState:
        old, _, steps = state
        new = tuple(
            place if move == "wait" else words(move)[1]
            for place, move in zip(old, joint, strict=True)
        )
        caught = any(
            new[i] == new[0] or (new[i] == old[0] and old[i] == new[0] and old[i] != new[i])
            for i in (1, 2)
        )
        return new, caught, steps + 1

    def result(self, state: ChaseState) -> tuple[int, ...] | None:
        if state[1]:
            return 0, 100, 100
        return (100, 0, 0) if state[2] == 10 else None


KegState: TypeAlias = tuple[tuple[Cell, ...], frozenset[tuple[Cell, int]], tuple[bool, ...], int]


class PowderKegs(Game[KegState]):
    """States: the gnomes' places, kegs with the steps they burn, who is out, steps made."""

    roles = ("grim", "gram")

    pillars = frozenset({(2, 2), (5, 2), (2, 5), (5, 5)})

    def start(self) -> KegState:
        return ((1, 1), (6, 6)), frozenset(), (False, False), 0

    def near(self, place: Cell) -> dict[str, Cell]:
        """Return the places around, by the direction that leads there; north is up."""
        found = {}
        for name, (dx, dy) in COMPASS.items():
            x, y = place[0] + dx, place[1] - dy
            if 1 <= x <= 6 and 1 <= y <= 6 and (x, y) not in self.pillars:
                found[name] = (x, y)
        return found

    def moves(self, state: KegState) -> tuple[Sequence[str], ...]:
        return tuple(
            [f"(walk {name})" for name in self.near(place)] + ["wait", "light"]
            for place in state[0]
        )

    def blast(self, keg: Cell) -> set[Cell]:
        """Return the places that a keg's blast fills."""
        found = {keg}
        for name, one in self.near(keg).items():
            found |= {one, self.near(one).get(name, one)}
        return found

    def after(self, state: KegState, joint: tuple[str, ...]) -> KegState:
        old, kegs, _, steps = state
        pairs = list(zip(old, joint, strict=True))
        new = tuple(
            self.near(place)[words(move)[1]] if move.startswith("(") else place
            for place, move in pairs
        )
        blasts: set[Cell] = set()
        for keg, left in kegs:
            if left == 1:
                blasts |= self.blast(keg)
        burning = {(keg, 1) for keg, left in kegs if left == 2}
        lit = {(place, 2) for place, move in pairs if move == "light"}
        return new, frozenset(burning | lit), tuple(place in blasts for place in new), steps + 1

    def result(self, state: KegState) -> tuple[int, ...] | None:
        grim, gram = state[2]
        if grim != gram:
            return (0, 100) if grim else (100, 0)
        return (50, 50) if grim or state[3] == 20 else None


RopeState: TypeAlias = tuple[Cell, Cell, int]


class RopeTeam(Game[RopeState]):
    """States: where alma and bela stand, and the steps made."""

    roles = ("alma", "bela")

    plan = plan_of(["......", "..##..", "......", ".#..#.", "......"])

    def start(self) -> RopeState:
        return (1, 1), (2, 1), 0

    def moves(self, state: RopeState) -> tuple[Sequence[str], ...]:
        return tuple(
            ["wait"]
            + [
                f"(walk {name})"
                for name, (dx, dy) in COMPASS.items()
                if self.plan.get((x + dx, y + dy)) == "."
            ]
            for x, y in state[:2]
        )

    def after(self, state: RopeState, joint: tuple[str, ...]) -> RopeState:
        old = state[:2]
        ways = [(0, 0) if move == "wait" else COMPASS[words(move)[1]] for move in joint]
        alma, bela = ((x + dx, y + dy) for (x, y), (dx, dy) in zip(old, ways, strict=True))
        distance = abs(alma[0] - bela[0]) + abs(alma[1] - bela[1])
        if distance in (1, 2) and (alma, bela) != (old[1], old[0]):
            return alma, bela, state[2] + 1
        return *old, state[2] + 1

    def result(self, state: RopeState) -> tuple[int, ...] | None:
        camped = (state[0] == (6, 5)) + (state[1] == (5, 5))
        if camped < 2 and state[2] < 14:
            return None
        return ((0, 40, 100)[camped],) * 2


# For each board the columns from left to right, each a word of r and b from below.
TwinState: TypeAlias = tuple[tuple[tuple[str, ...], tuple[str, ...]], int]


class TwinBoards(Game[TwinState]):
    """States: both boards, and the steps made; red plays the first board in even steps."""

    roles = ("red", "black")

    def start(self) -> TwinState:
        return (("",) * 4,) * 2, 0

    def winner(self, board: tuple[str, ...]) -> str | None:
        """Return the colour that has a line of three."""
        for colour in "rb":
            cells = [(x, y) for x, column in enumerate(board) for y, c in enumerate(column)]
            if has_line(((x, y) for x, y in cells if board[x][y] == colour), 3):
                return colour
        return None

    def drops(self, board: tuple[str, ...]) -> list[str]:
        """Return the moves on a board, ``idle`` where it is over."""
        if self.winner(board):
            return ["idle"]
        return [f"(drop {x})" for x, c in enumerate(board, 1) if len(c) < 4] or ["idle"]

    def moves(self, state: TwinState) -> tuple[Sequence[str], ...]:
        first, second = map(self.drops, state[0])
        return (first, second) if state[1] % 2 == 0 else (second, first)

    def after(self, state: TwinState, joint: tuple[str, ...]) -> TwinState:
        boards = [list(board) for board in state[0]]
        for role, move in enumerate(joint):
            if move != "idle":
                (column,) = numbers(move)
                boards[(role + state[1]) % 2][column - 1] += "rb"[role]
        return (tuple(boards[0]), tuple(boards[1])), state[1] + 1

    def result(self, state: TwinState) -> tuple[int, ...] | None:
        if any(self.drops(board) != ["idle"] for board in state[0]):
            return None
        red = sum({"r": 50, "b": 0, None: 25}[self.winner(board)] for board in state[0])
        return red, 100 - red
