"""Exercises for a strategy of your own, from a legal player to one that beats alpha_beta.

    python docs/examples/exercises.py ./mine.py:Sampler

Each exercise is played, and its verdict is a sentence. The status is 0 where all are passed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from random import Random

import gdl
from gdl import Constant, State, StateMachine
from ggp_player.errors import GgpPlayerError
from ggp_player.inspect.timed_search import timed_search
from ggp_player.strategies import Choice, Position
from ggp_player.strategies.selection import create

SECONDS = 0.2
"""For each move."""

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


def choose(strategy: str, position: Position) -> Choice:
    """The last choice of a strategy after its seconds; it must be legal."""
    search = timed_search(create(strategy), position, SECONDS)
    if search.choice is None:
        raise GgpPlayerError(f"it made no choice in {SECONDS:g} s")
    if search.choice.move not in position.legal_moves:
        raise GgpPlayerError(f"{search.choice.move} is not legal for {position.role}")
    return search.choice


def play(machine: StateMachine, strategies: list[str], seed: int) -> list[int]:
    """Play a match; return the goals of all roles."""
    state, random = machine.initial_state(), Random(seed)
    while not machine.is_terminal(state):
        moves = []
        for strategy, role in zip(strategies, machine.roles, strict=True):
            position = Position(machine, state, role, random)
            legal = position.legal_moves
            moves.append(legal[0] if len(legal) == 1 else choose(strategy, position).move)
        state = machine.next_state(state, moves)
    return [machine.goal(state, role) or 0 for role in machine.roles]


def points(game: str, mine: str, other: str, matches: int) -> float:
    """The mean goal of a strategy against another, in both roles."""
    machine = gdl.compile(gdl.load(game))
    goals = []
    for number in range(matches):
        index = number % 2
        seats = [mine, other] if index == 0 else [other, mine]
        goals.append(play(machine, seats, number)[index])
    return sum(goals) / matches


def legal_player(mine: str) -> str:
    """Write a legal player."""
    points("ticTacToe", mine, "random", 2)
    points("breakthrough", mine, "random", 2)
    return ""


def takes_a_win(mine: str) -> str:
    """Take a win in one move."""
    machine = gdl.interpret(gdl.load("ticTacToe"))
    moves = (["put a3", "noop"], ["noop", "put a1"], ["put b3", "noop"], ["noop", "put a2"])
    state = after(machine, *moves)
    move = choose(mine, Position(machine, state, machine.roles[0])).move
    return "" if str(move) == "(put c3)" else f"(put c3) wins at once, and it chose {move}"


def after(machine: gdl.StateMachine, *moves: list[str]) -> State:
    """The state after some joint moves from the beginning."""
    state = machine.initial_state()
    for joint_move in moves:
        texts = (move if " " not in move else f"({move})" for move in joint_move)
        state = machine.next_state(state, [gdl.parse_term(text) for text in texts])
    return state


def minimax_value(mine: str) -> str:
    """Choose by minimax: what can be forced, and not what could happen."""
    machine = gdl.interpret(gdl.parse(TREE))
    choice = choose(mine, Position(machine, machine.initial_state(), Constant("max")))
    if str(choice.move) != "a1":
        return f"a1 forces 3, other moves 2; it chose {choice.move}"
    return "" if choice.value == 3 else f"the value of a1 is 3, and it says {choice.value}"


def beats(game: str, other: str, matches: int, least: float, mine: str) -> str:
    """Win against a strategy."""
    mean = points(game, mine, other, matches)
    said = f"{mean:.0f} points a match against {other} in {game}, in {matches} matches"
    return "" if mean >= least else f"{said}; it takes {least:g}"


EXERCISES: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("write a legal player", legal_player),
    ("take a win in one move", takes_a_win),
    ("beat random", partial(beats, "ticTacToe", "random", 12, 85)),
    ("find what can be forced", minimax_value),
    ("never lose tic-tac-toe to minimax", partial(beats, "ticTacToe", "bounded_minimax", 4, 50)),
    ("beat alpha_beta", partial(beats, "connectFour", "alpha_beta", 8, 60)),
)
"""The exercises, from easy to hard: each returns what is missing, nothing where it is passed."""


def verdicts(mine: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each exercise, and what is missing."""
    for name, exercise in EXERCISES:
        try:
            yield name, exercise(mine)
        except Exception as error:  # whatever a strategy does, the next exercise is tried
            yield name, f"{type(error).__name__}: {error}"


def main() -> None:
    """Print a verdict for each exercise."""
    if len(sys.argv) != 2:
        sys.exit("expected one strategy, as in: python docs/examples/exercises.py ./mine.py:Mine")
    passed = 0
    for number, (name, missing) in enumerate(verdicts(sys.argv[1]), 1):
        passed += not missing
        print(f"{number}. {name}: {f'not yet. {missing}' if missing else 'passed'}", flush=True)
    print(f"{passed} of {len(EXERCISES)} passed")
    sys.exit(passed < len(EXERCISES))


if __name__ == "__main__":
    main()
