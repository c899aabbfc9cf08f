"""Games that are nothing but trees, to see what a search does in them; and two with cycles.

A tree is written as in a textbook: a tuple is a node, its elements what the moves lead to; a leaf
is the first role's utility, or a list with the utility of every role.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from random import Random
from typing import TypeAlias

from hypothesis import strategies as st

import gdl
from gdl import Constant, State, StateMachine, Term
from gdl.reasoner.reasoner import ReasonerStateMachine
from ggp_player.strategies import Choice, Position, Strategy

Tree: TypeAlias = "int | list[int] | tuple[Tree, ...]"

TWO_PLY: Tree = ((3, 12, 8), (2, 4, 6), (14, 5, 2))
"""Russell and Norvig, figure 5.2: the value is 3, the first move is best."""

THREE_PLAYERS: Tree = (
    (([1, 2, 6], [4, 2, 3]), ([6, 1, 2], [7, 4, 1])),
    (([5, 1, 1], [1, 5, 2]), ([7, 7, 1], [5, 4, 5])),
)
"""Russell and Norvig, figure 5.4: for C (1 2 6) is better than (4 2 3). A may choose (1 2 6) or
(1 5 2)."""

CORRIDOR = """
; A corridor of rooms 0 to 5 without a step limit; the way out is in room 5.
(role walker) (init (room 2))
(after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5)
(<= (legal walker back) (true (room ?n)) (after ?m ?n))
(<= (legal walker on) (true (room ?n)) (after ?n ?m))
(<= (next (room ?m)) (true (room ?n)) (does walker on) (after ?n ?m))
(<= (next (room ?m)) (true (room ?n)) (does walker back) (after ?m ?n))
(<= terminal (true (room 5)))
(<= (goal walker 100) (true (room 5)))
"""

LOOP = """
; From a, "on" leads to b and back again, for ever; "out" ends the match.
(role max) (role min) (init (at a)) (other a b) (other b a)
(legal max on) (legal max out) (legal min wait)
(<= (next (at ?b)) (true (at ?a)) (other ?a ?b) (does max on))
(<= (next (at end)) (does max out))
(<= terminal (true (at end)))
(<= (goal max 70) (true (at end)))
"""

utilities = st.sampled_from((0, 1, 20, 50, 51, 99, 100)) | st.integers(0, 100)
trees: st.SearchStrategy[Tree] = st.lists(
    st.recursive(
        utilities, lambda below: st.lists(below, min_size=1, max_size=3).map(tuple), max_leaves=14
    ),
    min_size=1,
    max_size=3,
).map(tuple)


def matrices(below: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    """Return nodes in which both roles choose at once among one to three moves."""

    def of_width(width: int) -> st.SearchStrategy[Tree]:
        row = st.lists(below, min_size=width, max_size=width).map(tuple)
        return st.lists(row, min_size=1, max_size=3).map(tuple)

    return st.integers(1, 3).flatmap(of_width)


def turns(tree: Tree, roles: Sequence[str] = ("max", "min")) -> ReasonerStateMachine:
    """The game in which the roles move in turn, a level of the tree each."""
    return _game(tree, roles, simultaneous=False)


def together(tree: Tree, roles: Sequence[str] = ("max", "min")) -> ReasonerStateMachine:
    """The game in which all roles move at the same time: a step is one level for each role.

    All nodes of a level below one state must have the same number of moves.
    """
    return _game(tree, roles, simultaneous=True)


def rules_of_tree(tree: Tree, roles: Sequence[str], *, simultaneous: bool = False) -> str:
    """The rulesheet of a tree."""
    lines = [*(f"(role {role})" for role in roles), "(init (at n))"]
    lines += _rules(tree, "n", roles, 0, simultaneous)
    return "\n".join(lines)


def _game(tree: Tree, roles: Sequence[str], *, simultaneous: bool) -> ReasonerStateMachine:
    return _interpreted(rules_of_tree(tree, roles, simultaneous=simultaneous))


@lru_cache(maxsize=64)
def _interpreted(rules: str) -> ReasonerStateMachine:
    return gdl.interpret(gdl.parse(rules))


def _rules(
    tree: Tree, name: str, roles: Sequence[str], mover: int, simultaneous: bool
) -> Iterator[str]:
    here = f"(true (at {name}))"
    if not isinstance(tree, tuple):
        utilities = tree if isinstance(tree, list) else [tree, *[100 - tree] * (len(roles) - 1)]
        yield f"(<= terminal {here})"
        for role, utility in zip(roles, utilities, strict=True):
            yield f"(<= (goal {role} {utility}) {here})"
        return
    legal = [_moves(tree, level, mover, simultaneous) for level in range(len(roles))]
    for role, moves in zip(roles, legal, strict=True):
        yield from (f"(<= (legal {role} {move}) {here})" for move in moves)
    for number, joint_move in enumerate(product(*legal)):
        does = " ".join(f"(does {r} {m})" for r, m in zip(roles, joint_move, strict=True))
        after = f"{name}_{number}"
        yield f"(<= (next (at {after})) {here} {does})"
        child = _child(tree, joint_move)
        yield from _rules(child, after, roles, (mover + 1) % len(roles), simultaneous)


def _moves(tree: Tree, level: int, mover: int, simultaneous: bool) -> list[str]:
    if not simultaneous and level != mover:
        return ["noop"]
    for _ in range(level if simultaneous else 0):
        assert isinstance(tree, tuple)
        tree = tree[0]
    assert isinstance(tree, tuple)
    return [f"a{number}" for number in range(1, len(tree) + 1)]


def _child(tree: Tree, joint_move: Sequence[str]) -> Tree:
    for move in joint_move:
        if move != "noop":
            assert isinstance(tree, tuple)
            tree = tree[int(move[1:]) - 1]
    return tree


class Counting:
    """A state machine that counts the leaves: terminal states whose goal is asked for."""

    def __init__(self, machine: StateMachine) -> None:
        self._machine = machine
        self.roles = machine.roles
        self.initial_state = machine.initial_state
        self.legal_moves = machine.legal_moves
        self.next_state = machine.next_state
        self.is_terminal = machine.is_terminal
        self.goals = machine.goals
        self.percepts = machine.percepts
        self.leaves = 0

    def goal(self, state: State, role: Term) -> int | None:
        self.leaves += self.is_terminal(state)
        return self._machine.goal(state, role)


def position(machine: StateMachine, role: int = 0, state: State | None = None) -> Position:
    """The initial state, or another, as the position of the role with that index."""
    state = machine.initial_state() if state is None else state
    return Position(machine, state, machine.roles[role], Random(1))


def last_choice(strategy: Strategy, position: Position) -> Choice:
    """The last choice of a strategy that searches to its end."""
    *_, last = strategy.search(position)
    return last


def play(machine: StateMachine, strategies: Sequence[Strategy], random: Random) -> list[int]:
    """Play a match in which each strategy searches to its end; return the goals."""
    state = machine.initial_state()
    while not machine.is_terminal(state):
        joint_move = []
        for strategy, role in zip(strategies, machine.roles, strict=True):
            start = Position(machine, state, role, random)
            only = start.legal_moves if len(start.legal_moves) == 1 else None
            joint_move.append(only[0] if only else last_choice(strategy, start).move)
        state = machine.next_state(state, joint_move)
    return [machine.goal(state, role) or 0 for role in machine.roles]


def constants(*names: str) -> tuple[Constant, ...]:
    """Return the constants of these names."""
    return tuple(map(Constant, names))
