"""Games with pieces that move: amazons, draughts, wolf and sheep, star halma, kalah."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TypeAlias

from tests.independent.game import TurnGame, numbers, words

Cell: TypeAlias = tuple[int, int]

COMPASS = [(dx, dy) for dx, dy in product((-1, 0, 1), repeat=2) if dx or dy]


def loss_of(role: int) -> tuple[int, int]:
    """Return the goals when one of two roles has lost."""
    return (0, 100) if role == 0 else (100, 0)


# Amazons, arrows, mover, and the amazon that is to shoot.
AmazonState: TypeAlias = tuple[
    tuple[frozenset[Cell], frozenset[Cell]], frozenset[Cell], int, Cell | None
]


class Amazons(TurnGame[AmazonState]):
    roles = ("white", "black")

    def start(self) -> AmazonState:
        return (frozenset({(3, 1), (4, 1)}), frozenset({(3, 6), (4, 6)})), frozenset(), 0, None

    def mover(self, state: AmazonState) -> int:
        return state[2]

    def targets(self, state: AmazonState, start: Cell) -> Iterator[Cell]:
        """Yield the free squares in straight lines from a square."""
        (white, black), arrows, _, _ = state
        for dx, dy in COMPASS:
            x, y = start[0] + dx, start[1] + dy
            while 1 <= x <= 6 and 1 <= y <= 6 and (x, y) not in white | black | arrows:
                yield x, y
                x, y = x + dx, y + dy

    def choices(self, state: AmazonState) -> Sequence[str]:
        amazons, _, mover, shooter = state
        if shooter:
            return [f"(shoot {x} {y})" for x, y in self.targets(state, shooter)]
        return [
            f"(glide {x} {y} {x2} {y2})"
            for x, y in amazons[mover]
            for x2, y2 in self.targets(state, (x, y))
        ]

    def play(self, state: AmazonState, move: str) -> AmazonState:
        amazons, arrows, mover, shooter = state
        if shooter:
            x, y = numbers(move)
            return amazons, arrows | {(x, y)}, 1 - mover, None
        x, y, x2, y2 = numbers(move)
        both = list(amazons)
        both[mover] = both[mover] - {(x, y)} | {(x2, y2)}
        return (both[0], both[1]), arrows, mover, (x2, y2)

    def result(self, state: AmazonState) -> tuple[int, ...] | None:
        return None if self.choices(state) else loss_of(state[2])


# Pieces as (column, rank, role, is king); mover; capturing piece; quiet steps.
DraughtsState: TypeAlias = tuple[frozenset[tuple[int, int, int, bool]], int, Cell | None, int]


class Draughts(TurnGame[DraughtsState]):
    roles = ("black", "white")

    def start(self) -> DraughtsState:
        squares = [(x, y) for x, y in product(range(1, 9), repeat=2) if (x + y) % 2 == 0]
        black = {(x, y, 0, False) for x, y in squares if y <= 3}
        white = {(x, y, 1, False) for x, y in squares if y >= 6}
        return frozenset(black | white), 0, None, 0

    def mover(self, state: DraughtsState) -> int:
        return state[1]

    def ways(self, role: int, king: bool) -> Iterator[Cell]:
        """Yield the directions in which a piece goes."""
        forward = 1 if role == 0 else -1
        for dy in (forward, -forward) if king else (forward,):
            yield 1, dy
            yield -1, dy

    def moves_of(self, state: DraughtsState) -> tuple[list[str], list[str]]:
        """Return the steps and the jumps of the mover, forced or not."""
        pieces, mover, _, _ = state
        owner = {(x, y): role for x, y, role, _ in pieces}
        steps, jumps = [], []
        for x, y, role, king in pieces:
            for dx, dy in self.ways(role, king) if role == mover else ():
                near, far = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
                if near not in owner and 1 <= near[0] <= 8 and 1 <= near[1] <= 8:
                    steps.append(f"(step {x} {y} {near[0]} {near[1]})")
                on_board = 1 <= far[0] <= 8 and 1 <= far[1] <= 8
                if owner.get(near) == 1 - mover and far not in owner and on_board:
                    jumps.append(f"(jump {x} {y} {far[0]} {far[1]})")
        return steps, jumps

    def choices(self, state: DraughtsState) -> Sequence[str]:
        steps, jumps = self.moves_of(state)
        if state[2]:
            x, y = state[2]
            return [jump for jump in jumps if jump.startswith(f"(jump {x} {y} ")]
        return jumps or steps

    def play(self, state: DraughtsState, move: str) -> DraughtsState:
        pieces, mover, _, quiet = state
        x, y, x2, y2 = numbers(move)
        king = (x, y, mover, True) in pieces
        crowned = not king and y2 == (8 if mover == 0 else 1)
        middle = ((x + x2) // 2, (y + y2) // 2)
        jump = words(move)[0] == "jump"
        kept = {p for p in pieces if p[:2] != (x, y) and not (jump and p[:2] == middle)}
        after = frozenset(kept | {(x2, y2, mover, king or crowned)})
        quiet = quiet + 1 if king and not jump else 0
        going_on: DraughtsState = (after, mover, (x2, y2), quiet)
        if jump and not crowned and self.choices(going_on):
            return going_on
        return after, 1 - mover, None, quiet

    def result(self, state: DraughtsState) -> tuple[int, ...] | None:
        if not self.choices(state):
            return loss_of(state[1])
        return (50, 50) if state[3] == 40 else None


HuntState: TypeAlias = tuple[Cell, frozenset[Cell], int]


class WolfAndSheep(TurnGame[HuntState]):
    roles = ("wolf", "sheep")

    def start(self) -> HuntState:
        return (4, 8), frozenset({(1, 1), (3, 1), (5, 1), (7, 1)}), 0

    def mover(self, state: HuntState) -> int:
        return state[2]

    def choices(self, state: HuntState) -> Sequence[str]:
        wolf, sheep, mover = state
        animals = sheep if mover else [wolf]
        found = []
        for (x, y), dx, dy in product(animals, (-1, 1), (1,) if mover else (-1, 1)):
            a, b = x + dx, y + dy
            if 1 <= a <= 8 and 1 <= b <= 8 and (a, b) not in sheep and (a, b) != wolf:
                found.append(f"(go {x} {y} {a} {b})")
        return found

    def play(self, state: HuntState, move: str) -> HuntState:
        wolf, sheep, mover = state
        x, y, a, b = numbers(move)
        if mover == 0:
            return (a, b), sheep, 1
        return wolf, sheep - {(x, y)} | {(a, b)}, 0

    def result(self, state: HuntState) -> tuple[int, ...] | None:
        if state[0][1] == 1:
            return 100, 0
        return None if self.choices(state) else loss_of(state[2])


# The centre of the star is (5, 5); the third coordinate is minus the sum of the other two.
STAR = [
    (x, y)
    for x, y in product(range(1, 10), repeat=2)
    if max(x - 5, y - 5, 10 - x - y) <= 2 or min(x - 5, y - 5, 10 - x - y) >= -2
]
SIX_WAYS = ((1, 0), (0, 1), (1, -1), (-1, 0), (0, -1), (-1, 1))
TIPS = [
    frozenset((x, y) for x, y in STAR if sign * (x - 5, y - 5, 10 - x - y)[axis] > 2)
    for axis, sign in ((0, 1), (2, -1), (1, 1), (0, -1), (2, 1), (1, -1))
]
StarState: TypeAlias = tuple[tuple[frozenset[Cell], ...], int]


class StarHalma(TurnGame[StarState]):
    """States: the pegs of each role, and the steps made. Six tips, opposite ones three apart."""

    roles = ("red", "orange", "yellow", "green", "blue", "violet")

    def start(self) -> StarState:
        return tuple(TIPS), 0

    def mover(self, state: StarState) -> int:
        return state[1] % 6

    def choices(self, state: StarState) -> Sequence[str]:
        taken = frozenset().union(*state[0])
        found = []
        for (x, y), (dx, dy) in product(state[0][self.mover(state)], SIX_WAYS):
            near, far = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
            if near in STAR and near not in taken:
                found.append(f"(move {x} {y} {near[0]} {near[1]})")
            elif near in taken and far in STAR and far not in taken:
                found.append(f"(move {x} {y} {far[0]} {far[1]})")
        return found or ["pass"]

    def play(self, state: StarState, move: str) -> StarState:
        pegs, steps = list(state[0]), state[1]
        if move != "pass":
            x, y, a, b = numbers(move)
            pegs[steps % 6] = pegs[steps % 6] - {(x, y)} | {(a, b)}
        return tuple(pegs), steps + 1

    def result(self, state: StarState) -> tuple[int, ...] | None:
        pegs, steps = state
        home = [len(own & TIPS[(i + 3) % 6]) for i, own in enumerate(pegs)]
        if max(home) < 3 and steps < 120:
            return None
        return tuple((0, 30, 60, 100)[count] for count in home)


PITS = ("s1", "s2", "s3", "s4", "southStore", "n1", "n2", "n3", "n4", "northStore")
KalahState: TypeAlias = tuple[tuple[int, ...], int]


class Kalah(TurnGame[KalahState]):
    """States: the seeds in each place in the order of sowing, and the mover."""

    roles = ("south", "north")

    def start(self) -> KalahState:
        return (3, 3, 3, 3, 0) * 2, 0

    def mover(self, state: KalahState) -> int:
        return state[1]

    def choices(self, state: KalahState) -> Sequence[str]:
        seeds, mover = state
        return [f"(sow {PITS[i]})" for i in range(5 * mover, 5 * mover + 4) if seeds[i]]

    def play(self, state: KalahState, move: str) -> KalahState:
        seeds, mover = list(state[0]), state[1]
        store, enemy_store = (4, 9) if mover == 0 else (9, 4)
        at = PITS.index(words(move)[1])
        hand, seeds[at] = seeds[at], 0
        while hand:
            at = (at + 1) % 10
            if at != enemy_store:
                seeds[at] += 1
                hand -= 1
        if at == store:
            return tuple(seeds), mover
        opposite = 8 - at
        if seeds[at] == 1 and 0 <= store - at <= 4 and seeds[opposite]:
            seeds[store] += 1 + seeds[opposite]
            seeds[at] = seeds[opposite] = 0
        return tuple(seeds), 1 - mover

    def result(self, state: KalahState) -> tuple[int, ...] | None:
        south, north = state[0][:5], state[0][5:]
        if any(south[:4]) and any(north[:4]):
            return None
        lead = sum(south) - sum(north)
        return (50, 50) if lead == 0 else loss_of(0 if lead < 0 else 1)
