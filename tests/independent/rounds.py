"""Simultaneous choice without a board: hand duel, Goofspiel, three hills, lone number, bids."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TypeAlias

from tests.independent.game import Game, numbers, words

BEATS = {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")}
Hand: TypeAlias = tuple[tuple[str, int], ...]
DuelState: TypeAlias = tuple[tuple[Hand, Hand], int]
BidState: TypeAlias = tuple[tuple[tuple[int, ...], ...], tuple[int, int]]


def by_lead(lead: int) -> tuple[int, int]:
    """Return the goals of two roles when the first leads by so much."""
    return (100, 0) if lead > 0 else (0, 100) if lead < 0 else (50, 50)


class HandDuel(Game[DuelState]):
    """States: the cards of both, and the lead of left."""

    roles = ("left", "right")

    def start(self) -> DuelState:
        hand = (("paper", 2), ("rock", 3), ("scissors", 2))
        return (hand, hand), 0

    def moves(self, state: DuelState) -> tuple[Sequence[str], ...]:
        return tuple([f"(show {kind})" for kind, count in hand if count] for hand in state[0])

    def after(self, state: DuelState, joint: tuple[str, ...]) -> DuelState:
        shown = [words(move)[1] for move in joint]
        left, right = (
            tuple((kind, count - (kind == card)) for kind, count in hand)
            for hand, card in zip(state[0], shown, strict=True)
        )
        lead = ((shown[0], shown[1]) in BEATS) - ((shown[1], shown[0]) in BEATS)
        return (left, right), state[1] + lead

    def result(self, state: DuelState) -> tuple[int, ...] | None:
        return None if any(count for _, count in state[0][0]) else by_lead(state[1])


class Goofspiel(Game[BidState]):
    """States: the cards of both, and their points."""

    roles = ("left", "right")

    def start(self) -> BidState:
        return ((1, 2, 3, 4, 5),) * 2, (0, 0)

    def moves(self, state: BidState) -> tuple[Sequence[str], ...]:
        return tuple([f"(show {card})" for card in hand] for hand in state[0])

    def after(self, state: BidState, joint: tuple[str, ...]) -> BidState:
        hands, points = state
        shown = [numbers(move)[0] for move in joint]
        left, right = (
            tuple(card for card in hand if card != used)
            for hand, used in zip(hands, shown, strict=True)
        )
        prize = len(hands[0])  # the highest comes first
        mine, theirs = points
        mine += prize * (shown[0] > shown[1])
        theirs += prize * (shown[0] < shown[1])
        return (left, right), (mine, theirs)

    def result(self, state: BidState) -> tuple[int, ...] | None:
        hands, (mine, theirs) = state
        return None if hands[0] else by_lead(mine - theirs)


class ThreeHills(Game[tuple[int, int]]):
    """States: rounds played, and the lead of north."""

    roles = ("north", "south")

    values = ((1, 1, 1), (1, 2, 1), (2, 1, 2))

    def start(self) -> tuple[int, int]:
        return 0, 0

    def moves(self, state: tuple[int, int]) -> tuple[Sequence[str], ...]:
        divisions = [d for d in product(range(7), repeat=3) if sum(d) == 6]
        options = [f"(post {a} {b} {c})" for a, b, c in divisions]
        return options, options

    def after(self, state: tuple[int, int], joint: tuple[str, ...]) -> tuple[int, int]:
        played, lead = state
        north, south = map(numbers, joint)
        for value, mine, theirs in zip(self.values[played], north, south, strict=True):
            lead += value * ((mine > theirs) - (mine < theirs))
        return played + 1, lead

    def result(self, state: tuple[int, int]) -> tuple[int, ...] | None:
        return by_lead(state[1]) if state[0] == 3 else None


Won: TypeAlias = tuple[int, tuple[int, ...]]


class LoneNumber(Game[Won]):
    """States: rounds played, and rounds won by each role."""

    roles = ("north", "east", "south", "west")

    def start(self) -> Won:
        return 0, (0, 0, 0, 0)

    def moves(self, state: Won) -> tuple[Sequence[str], ...]:
        return tuple([f"(name {n})" for n in range(1, 6)] for _ in self.roles)

    def after(self, state: Won, joint: tuple[str, ...]) -> Won:
        lone = [move for move in joint if joint.count(move) == 1]
        best = min(lone, default=None)
        won = tuple(n + (move == best) for n, move in zip(state[1], joint, strict=True))
        return state[0] + 1, won

    def result(self, state: Won) -> tuple[int, ...] | None:
        return tuple(20 * n for n in state[1]) if state[0] == 5 else None


Sale: TypeAlias = tuple[int, tuple[int, ...], tuple[int, ...]]


class SealedBids(Game[Sale]):
    """States: paintings sold, coins left, points owned."""

    roles = ("vera", "otto", "ines")

    def start(self) -> Sale:
        return 0, (9, 9, 9), (0, 0, 0)

    def moves(self, state: Sale) -> tuple[Sequence[str], ...]:
        return tuple([f"(bid {n})" for n in range(coins + 1)] for coins in state[1])

    def after(self, state: Sale, joint: tuple[str, ...]) -> Sale:
        sold, coins, points = state
        bids = [numbers(move)[0] for move in joint]
        top = max(bids)
        wins = [bid == top and bids.count(top) == 1 for bid in bids]
        paid = tuple(c - top * won for c, won in zip(coins, wins, strict=True))
        value = (10, 15, 20, 25, 30)[sold]
        return sold + 1, paid, tuple(p + value * won for p, won in zip(points, wins, strict=True))

    def result(self, state: Sale) -> tuple[int, ...] | None:
        return state[2] if state[0] == 5 else None
