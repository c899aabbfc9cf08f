"""Games of chance or hidden information, and a serial game: see the class names.

The state here is all that is the case, whoever knows it; ``percepts`` says what each role sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product
from typing import TypeAlias

from tests.independent.game import NOOP, Game, TurnGame, numbers, words
from tests.independent.together import SQUARES, lined

Marks: TypeAlias = tuple[frozenset[str], frozenset[str]]
Seen: TypeAlias = tuple[frozenset[str], ...]
PhantomState: TypeAlias = tuple[Marks, Marks, int]  # marks, squares told of, mover


class PhantomTicTacToe(TurnGame[PhantomState]):
    roles = ("cross", "nought")

    def start(self) -> PhantomState:
        return (frozenset(), frozenset()), (frozenset(), frozenset()), 0

    def mover(self, state: PhantomState) -> int:
        return state[2]

    def choices(self, state: PhantomState) -> Sequence[str]:
        marks, told, mover = state
        return [f"(try {s})" for s in SQUARES if s not in marks[mover] | told[mover]]

    def play(self, state: PhantomState, move: str) -> PhantomState:
        marks, told, mover = list(state[0]), list(state[1]), state[2]
        square = words(move)[1]
        blocked = square in marks[1 - mover]
        (told if blocked else marks)[mover] |= {square}
        return (marks[0], marks[1]), (told[0], told[1]), mover if blocked else 1 - mover

    def percepts(self, state: PhantomState, joint: tuple[str, ...]) -> Seen:
        after = self.after(state, joint)
        news = "blocked" if after[2] == state[2] else "placed"
        turn = f"(turnOf {self.roles[after[2]]})"
        return tuple(frozenset({turn, news} if role == state[2] else {turn}) for role in range(2))

    def result(self, state: PhantomState) -> tuple[int, ...] | None:
        for role, goals in ((0, (100, 0)), (1, (0, 100))):
            if lined(state[0][role]):
                return goals
        return (50, 50) if len(state[0][0] | state[0][1]) == 9 else None


CountState: TypeAlias = tuple[int, int | None, Marks, int]  # sum, winner, marks, mover


class CountThenLine(TurnGame[CountState]):
    roles = ("ada", "ben")

    def start(self) -> CountState:
        return 0, None, (frozenset(), frozenset()), 0

    def mover(self, state: CountState) -> int:
        return state[3]

    def choices(self, state: CountState) -> Sequence[str]:
        total, winner, marks, _ = state
        if winner is None:
            return [f"(add {n})" for n in (1, 2, 3) if total + n <= 15]
        return [f"(put {s})" for s in SQUARES if s not in marks[0] | marks[1]]

    def play(self, state: CountState, move: str) -> CountState:
        total, winner, marks, mover = state
        if winner is None:
            total += numbers(move)[0]
            return total, mover if total == 15 else None, marks, 1 - mover
        both = list(marks)
        both[mover] |= {words(move)[1]}
        return total, winner, (both[0], both[1]), 1 - mover

    def result(self, state: CountState) -> tuple[int, ...] | None:
        _, winner, marks, _ = state
        rows = [lined(own) for own in marks]
        if not any(rows) and len(marks[0] | marks[1]) < 9:
            return None
        ada = (50 if winner == 0 else 0) + (50 if rows[0] else 0 if rows[1] else 25)
        return ada, 100 - ada


CUPS = ("red", "blue", "green", "white")
CupState: TypeAlias = tuple[int, str, str, frozenset[str]]  # step, ring, pointed at, open


class FourCups(Game[CupState]):
    roles = ("seeker", "random")

    def start(self) -> CupState:
        return 0, "", "", frozenset()

    def moves(self, state: CupState) -> tuple[Sequence[str], ...]:
        step, ring, pointed, opened = state
        if step == 0:
            return [NOOP], [f"(hide {cup})" for cup in CUPS]
        if step in (2, 4):
            kept = opened | {ring, pointed}
            return [NOOP], [f"(turnOver {cup})" for cup in CUPS if cup not in kept]
        return [f"(pointAt {cup})" for cup in CUPS if cup not in opened], [NOOP]

    def after(self, state: CupState, joint: tuple[str, ...]) -> CupState:
        step, ring, pointed, opened = state
        cup = next(words(move)[1] for move in joint if move != NOOP)
        if step == 0:
            ring = cup
        elif step in (2, 4):
            opened = opened | {cup}
        else:
            pointed = cup
        return step + 1, ring, pointed, opened

    def percepts(self, state: CupState, joint: tuple[str, ...]) -> Seen:
        seen = {0: "hidden", 2: f"(turnedOver {words(joint[1])[-1]})"}
        seen[4] = seen[2]
        return frozenset({seen[state[0]]} if state[0] in seen else ()), frozenset()

    def result(self, state: CupState) -> tuple[int, ...] | None:
        step, ring, pointed, _ = state
        return (100 if ring == pointed else 0, 50) if step == 6 else None


COLOURS = ("red", "green", "blue", "white")
CodeState: TypeAlias = tuple[tuple[str, ...], int, bool]  # secret, guesses, found


class CodeBreaker(Game[CodeState]):
    roles = ("breaker", "random")

    def start(self) -> CodeState:
        return (), 0, False

    def moves(self, state: CodeState) -> tuple[Sequence[str], ...]:
        codes = [" ".join(code) for code in product(COLOURS, repeat=3)]
        if state[0]:
            return [f"(guess {code})" for code in codes], [NOOP]
        return [NOOP], [f"(set {code})" for code in codes]

    def after(self, state: CodeState, joint: tuple[str, ...]) -> CodeState:
        secret, guesses, _ = state
        if not secret:
            return tuple(words(joint[1])[1:]), 0, False
        return secret, guesses + 1, tuple(words(joint[0])[1:]) == secret

    def percepts(self, state: CodeState, joint: tuple[str, ...]) -> Seen:
        secret = state[0]
        if not secret:
            return frozenset(), frozenset()
        guess = words(joint[0])[1:]
        pegs = sum(a == b for a, b in zip(guess, secret, strict=True))
        return frozenset({f"(answer {pegs} {len({*guess} & {*secret})})"}), frozenset()

    def result(self, state: CodeState) -> tuple[int, ...] | None:
        _, guesses, found = state
        if found:
            return (100, 100, 85, 70, 55)[guesses - 1], 50
        return (0, 50) if guesses == 5 else None


def all_see(roles: tuple[str, ...], joint: tuple[str, ...]) -> Seen:
    """Return the percepts of a game in which every role sees every move."""
    seen = frozenset(f"(did {role} {move})" for role, move in zip(roles, joint, strict=True))
    return (seen,) * len(roles)


PigState: TypeAlias = tuple[tuple[int, int], int, int, bool, int]


class Pig(Game[PigState]):
    """States: points, pot, whose turn, whether the die is to fall, steps made."""

    roles = ("first", "second", "random")

    def start(self) -> PigState:
        return (0, 0), 0, 0, False, 0

    def moves(self, state: PigState) -> tuple[Sequence[str], ...]:
        _, pot, player, rolling, _ = state
        options: list[Sequence[str]] = [[NOOP], [NOOP], [NOOP]]
        if rolling:
            options[2] = [f"(die {n})" for n in range(1, 7)]
        else:
            options[player] = ["roll", "bank"] if pot else ["roll"]
        return tuple(options)

    def after(self, state: PigState, joint: tuple[str, ...]) -> PigState:
        points, pot, player, rolling, steps = state
        if rolling:
            (face,) = numbers(joint[2])
            if face == 1:
                return points, 0, 1 - player, False, steps + 1
            return points, min(20, pot + face), player, False, steps + 1
        if joint[player] == "roll":
            return points, pot, player, True, steps + 1
        both = list(points)
        both[player] = min(20, both[player] + pot)
        return (both[0], both[1]), 0, 1 - player, False, steps + 1

    def percepts(self, state: PigState, joint: tuple[str, ...]) -> Seen:
        return all_see(self.roles, joint)

    def result(self, state: PigState) -> tuple[int, ...] | None:
        points, *_, steps = state
        if 20 in points:
            return (100, 0, 50) if points[0] == 20 else (0, 100, 50)
        return (50, 50, 50) if steps == 40 else None


HOME = 13
RaceState: TypeAlias = tuple[tuple[tuple[int, ...], tuple[int, ...]], int, int]


class DiceRace(Game[RaceState]):
    """States: the places of the runners, the die or 0, and the steps made."""

    roles = ("gold", "silver", "random")

    def start(self) -> RaceState:
        return ((0, 0), (0, 0)), 0, 0

    def moves(self, state: RaceState) -> tuple[Sequence[str], ...]:
        runners, die, steps = state
        options: list[Sequence[str]] = [[NOOP], [NOOP], [NOOP]]
        if not die:
            options[2] = [f"(throw {n})" for n in (1, 2, 3)]
        else:
            player = steps // 2 % 2
            places = enumerate(runners[player], 1)
            options[player] = [f"(run {n})" for n, place in places if place != HOME]
        return tuple(options)

    def after(self, state: RaceState, joint: tuple[str, ...]) -> RaceState:
        runners, die, steps = state
        if not die:
            return runners, numbers(joint[2])[0], steps + 1
        player = steps // 2 % 2
        (runner,) = numbers(joint[player])
        own, enemy = list(runners[player]), runners[1 - player]
        place = own[runner - 1] = min(HOME, own[runner - 1] + die)
        if place not in (4, 8, HOME):
            enemy = tuple(0 if other == place else other for other in enemy)
        both = (tuple(own), enemy) if player == 0 else (enemy, tuple(own))
        return both, 0, steps + 1

    def percepts(self, state: RaceState, joint: tuple[str, ...]) -> Seen:
        return all_see(self.roles, joint)

    def result(self, state: RaceState) -> tuple[int, ...] | None:
        gold, silver = ({*own} == {HOME} for own in state[0])
        if gold or silver:
            return (100, 0, 50) if gold else (0, 100, 50)
        return (50, 50, 50) if state[2] == 100 else None


CARDS = ("jack", "queen", "king")
KuhnState: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]  # cards, actions so far


class KuhnPoker(Game[KuhnState]):
    roles = ("first", "second", "random")

    def start(self) -> KuhnState:
        return (), ()

    def mover(self, state: KuhnState) -> int:
        return len(state[1]) % 2

    def moves(self, state: KuhnState) -> tuple[Sequence[str], ...]:
        cards, actions = state
        if not cards:
            deals = [f"(deal {one} {two})" for one, two in permutations(CARDS, 2)]
            return [NOOP], [NOOP], deals
        choices = ["fold", "call"] if "bet" in actions else ["check", "bet"]
        own = [choices if self.mover(state) == player else [NOOP] for player in range(2)]
        return own[0], own[1], [NOOP]

    def after(self, state: KuhnState, joint: tuple[str, ...]) -> KuhnState:
        cards, actions = state
        if not cards:
            return tuple(words(joint[2])[1:]), ()
        return cards, (*actions, joint[self.mover(state)])

    def percepts(self, state: KuhnState, joint: tuple[str, ...]) -> Seen:
        if not state[0]:
            one, two = words(joint[2])[1:]
            return frozenset({f"(yourCard {one})"}), frozenset({f"(yourCard {two})"}), frozenset()
        mover = self.mover(state)
        seen = frozenset({f"(acted {self.roles[mover]} {joint[mover]})"})
        return seen, seen, frozenset()

    def result(self, state: KuhnState) -> tuple[int, ...] | None:
        cards, actions = state
        if actions[-1:] == ("fold",):
            winner, chips = self.mover(state), 1
        elif actions[-1:] == ("call",) or actions == ("check", "check"):
            winner = int(CARDS.index(cards[1]) > CARDS.index(cards[0]))
            chips = 2 if "call" in actions else 1
        else:
            return None
        won = 50 + 25 * chips
        return (won, 100 - won, 50) if winner == 0 else (100 - won, won, 50)
