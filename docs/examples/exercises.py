"""Exercises for a strategy of your own, from a legal player to one that beats alpha_beta.

    python docs/examples/exercises.py ./mine.py:Sampler

Each exercise is played, and its verdict is a sentence. The status is 0 where all are passed.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random

import gdl
import ggp_player
from gdl import Constant, State, StateMachine
from gdl.playouts import play_out
from ggp_player.errors import GgpPlayerError
from ggp_player.strategies import Choice, EngineStrategy, Position
from ggp_player.strategies.selection import create
from ggp_player.worker.interruptible import InterruptibleMachine, SearchInterrupted

STATES = 500
"""How many next states a strategy may ask for in each move, unless an exercise says otherwise."""

MOST_CHOICES = 100_000
"""After so many choices a search ends, whatever it asks for."""

TREE = """
(role max) (role min) (init (at root)) (init (turn max)) (other max min) (other min max)
(child root a1 a) (child root a2 b) (child root a3 c)
(child a b1 3) (child a b2 12) (child a b3 8) (child b b1 2) (child b b2 4) (child b b3 6)
(child c b1 14) (child c b2 5) (child c b3 2)
(<= (legal ?r ?m) (true (turn ?r)) (true (at ?n)) (child ?n ?m ?x))
(<= (legal ?r noop) (true (turn ?q)) (other ?q ?r))
(<= (next (at ?x)) (true (turn ?r)) (does ?r ?m) (true (at ?n)) (child ?n ?m ?x))
(<= (next (turn ?q)) (true (turn ?r)) (other ?r ?q))
(<= inner (true (at ?n)) (child ?n ?m ?x))
(<= terminal (not inner))
(<= (goal max ?n) (true (at ?n)) (not inner))
"""
"""The tree of docs/minimax.md: max can force 3, by a1."""


class Player:
    """A strategy in one match. It may ask for so many next states in each move."""

    def __init__(self, name: str, machine: StateMachine, states: int = STATES) -> None:
        self.strategy = create(name)
        self.states = states
        # A strategy may keep its machine from move to move, so it is the same in all of them.
        self.machine = InterruptibleMachine(machine, lambda: self.machine.states > self.states)
        if isinstance(self.strategy, EngineStrategy):
            raise GgpPlayerError("states are counted one by one, and it evaluates blocks of them")

    def choose(self, state: State, role: Constant, random: Random) -> Choice:
        """Its last choice before it asks for more; it must be legal."""
        legal = self.machine.machine.legal_moves(state, role)
        if len(legal) == 1:
            return Choice(legal[0])
        self.machine.states = 0
        choice = None
        with suppress(SearchInterrupted):
            search = self.strategy.search(Position(self.machine, state, role, random))
            if not isinstance(search, Iterator):
                returned = type(search).__name__
                raise GgpPlayerError(f"search returned a {returned}; it must yield its choices")
            for choice in islice(search, MOST_CHOICES):
                if not isinstance(choice, Choice):
                    raise GgpPlayerError(f"search yielded {choice!r}, expected Choice(move)")
        if choice is None:
            raise GgpPlayerError(
                f"it made no choice in {self.states} next states; yield a first one at once"
            )
        if choice.move not in legal:
            kind = type(choice.move).__name__
            move = f"the {kind} {choice.move!r}" if isinstance(choice.move, str) else choice.move
            raise GgpPlayerError(
                f"{move} is not legal for {role}; expected one of position.legal_moves, "
                f"such as {legal[0]}"
            )
        return choice


def play(machine: StateMachine, players: Sequence[Player], state: State, seed: int) -> list[int]:
    """Play a match from a state on; return the goals of all roles."""
    randoms = [Random(f"{seed} {role}") for role in machine.roles]
    while not machine.is_terminal(state):
        seats = zip(players, machine.roles, randoms, strict=True)
        moves = [player.choose(state, role, random).move for player, role, random in seats]
        state = machine.next_state(state, moves)
    return [machine.goal(state, role) or 0 for role in machine.roles]


def points(
    game: str, mine: str, other: str, matches: int, plies: int = 0, states: int = STATES
) -> float:
    """The mean goal of a strategy against another, in both roles after each opening.

    An opening has some plies at random, which are the same whenever it is played: against itself
    a strategy gets half of the points.
    """
    machine = gdl.compile(gdl.load(game))
    goals = []
    for number in range(matches):
        opening, index = divmod(number, 2)
        *_, last = play_out(machine, Random(opening), max_steps=plies)
        names = [mine, other] if index == 0 else [other, mine]
        players = [Player(name, machine, states) for name in names]
        goals.append(play(machine, players, last.state, opening)[index])
    return sum(goals) / matches


def legal_player(mine: str) -> str:
    """Write a legal player."""
    for game in ("ticTacToe", "breakthrough"):
        points(game, mine, "random", matches=2, plies=0, states=50)
    return ""


def takes_a_win(mine: str) -> str:
    """Take a win in one move."""
    machine = gdl.interpret(gdl.load("ticTacToe"))
    moves = (["put a3", "noop"], ["noop", "put a1"], ["put b3", "noop"], ["noop", "put a2"])
    state = machine.initial_state()
    for joint_move in moves:
        state = machine.step(state, joint_move)
    move = Player(mine, machine).choose(state, machine.roles[0], Random(0)).move
    return "" if str(move) == "(put c3)" else f"(put c3) wins at once, and it chose {move}"


def minimax_value(mine: str) -> str:
    """Choose by minimax: what can be forced, and not what could happen."""
    machine = gdl.interpret(gdl.parse(TREE))
    choice = Player(mine, machine).choose(machine.initial_state(), Constant("max"), Random(0))
    if str(choice.move) != "a1":
        return f"a1 forces 3, other moves 2; it chose {choice.move}"
    said = "has no value" if choice.value is None else f"has the value {choice.value}"
    return "" if choice.value == 3 else f"a1 is right, and worth 3; its Choice {said}"


def beats(
    other: str, game: str, least: float, matches: int, plies: int, states: int, mine: str
) -> str:
    """Win against a strategy."""
    mean = points(game, mine, other, matches, plies, states)
    said = f"{mean:.0f} points a match against {other} in {game}, in {matches} matches"
    return "" if mean >= least else f"{said}; it takes {least:g}"


EXERCISES: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("write a legal player", legal_player),
    ("take a win in one move", takes_a_win),
    ("beat random", partial(beats, "random", "ticTacToe", 85, 20, 1, 1000)),
    ("find what can be forced", minimax_value),
    (
        "never lose tic-tac-toe to minimax",
        partial(beats, "bounded_minimax", "ticTacToe", 50, 6, 1, 20_000),
    ),
    ("beat alpha_beta", partial(beats, "alpha_beta", "connectFour", 65, 12, 2, 2000)),
)
"""The exercises, from easy to hard: each returns what is missing, nothing where it is passed."""


def verdicts(mine: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each exercise, and what is missing."""
    for name, exercise in EXERCISES:
        try:
            yield name, exercise(mine)
        except Exception as error:  # whatever a strategy does, the next exercise is tried
            yield name, in_words(error)


def in_words(error: Exception) -> str:
    """What went wrong, and for a mistake in a strategy's own code the file and line."""
    packages = {Path(package.__file__ or "").parent for package in (gdl, ggp_player)}
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if file != Path(__file__) and packages.isdisjoint(file.parents):
            return f"{file.name}, line {frame.lineno}, raised {type(error).__name__}: {error}"
    return str(error)


def main() -> None:
    """Print a verdict for each exercise."""
    if len(sys.argv) != 2:
        sys.exit("expected one strategy, as in: python docs/examples/exercises.py ./mine.py:Mine")
    try:
        Player(sys.argv[1], gdl.interpret(gdl.parse(TREE)))
    except GgpPlayerError as error:
        sys.exit(f"{sys.argv[1]} cannot play: {error}")
    passed = 0
    for number, (name, missing) in enumerate(verdicts(sys.argv[1]), 1):
        passed += not missing
        print(f"{number}. {name}: {f'not yet. {missing}' if missing else 'passed'}", flush=True)
    print(f"{passed} of {len(EXERCISES)} passed")
    sys.exit(passed < len(EXERCISES))


if __name__ == "__main__":
    main()
