"""What students may hand in for ``docs/examples/exercises.py``: solutions, and usual mistakes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from math import inf

from gdl import Constant, Function, State, StateMachine, Term
from gdl.playouts import play_out
from ggp_player.strategies import Choice, Position, Strategy


class Illegal(Strategy):
    """Makes a move that no game has."""

    name = "illegal"

    def search(self, position: Position) -> Iterator[Choice]:
        yield Choice(Constant("resign"))


class Undecided(Strategy):
    """Follows a line of play for ever, and chooses nothing."""

    name = "undecided"

    def search(self, position: Position) -> Iterator[Choice]:
        while True:
            list(play_out(position.machine, position.random, start=position.state))
        yield Choice(position.legal_moves[0])


class Last(Strategy):
    """Makes the last legal move."""

    name = "last"

    def search(self, position: Position) -> Iterator[Choice]:
        yield Choice(position.legal_moves[-1])


class Greedy(Strategy):
    """Takes a win in one move, or else the first move."""

    name = "greedy"

    def search(self, position: Position) -> Iterator[Choice]:
        machine, role = position.machine, position.role
        yield Choice(position.legal_moves[0])
        for move in position.legal_moves:
            after = successor(machine, position.state, role, move)
            if machine.is_terminal(after) and machine.goal(after, role) == 100:
                yield Choice(move, 100)
                return


class Optimist(Strategy):
    """Goes where the best leaf is, as if all roles helped."""

    name = "optimist"

    def search(self, position: Position) -> Iterator[Choice]:
        machine, role = position.machine, position.role

        def best(state: State) -> int:
            if machine.is_terminal(state):
                return machine.goal(state, role) or 0
            mover = mover_in(machine, state)
            moves = machine.legal_moves(state, mover)
            return max(best(successor(machine, state, mover, move)) for move in moves)

        values = {
            move: best(successor(machine, position.state, role, move))
            for move in position.legal_moves
        }
        move = max(values, key=values.__getitem__)
        yield Choice(move, values[move])


class Deepening(Strategy):
    """Alpha-beta with iterative deepening, and the best move of the depth before first."""

    name = "deepening"

    def __init__(self) -> None:
        self._first: dict[State, Term] = {}
        self._is_cut = False

    def search(self, position: Position) -> Iterator[Choice]:
        machine, role = position.machine, position.role
        best = Choice(position.legal_moves[0])
        for depth in range(100):
            self._is_cut = False
            alpha = -inf
            for move in self._ordered(position.state, position.legal_moves):
                after = successor(machine, position.state, role, move)
                value = self._value(machine, after, role, depth, alpha, inf)
                if value > alpha:
                    alpha, best = value, Choice(move, value)
                    self._first[position.state] = move
                yield best
            if not self._is_cut:
                return

    def _value(
        self,
        machine: StateMachine,
        state: State,
        role: Constant,
        depth: int,
        alpha: float,
        beta: float,
    ) -> float:
        """The value for a role, exact between alpha and beta."""
        if machine.is_terminal(state):
            return machine.goal(state, role) or 0
        if depth == 0:
            self._is_cut = True
            return self.evaluation(state, role)
        mover = mover_in(machine, state)
        for move in self._ordered(state, machine.legal_moves(state, mover)):
            after = successor(machine, state, mover, move)
            value = self._value(machine, after, role, depth - 1, alpha, beta)
            if mover == role and value > alpha:
                alpha, self._first[state] = value, move
            elif mover != role and value < beta:
                beta, self._first[state] = value, move
            if alpha >= beta:
                break
        return alpha if mover == role else beta

    def _ordered(self, state: State, moves: tuple[Term, ...]) -> list[Term]:
        first = self._first.get(state)
        return sorted(moves, key=lambda move: move != first)

    def evaluation(self, state: State, role: Constant) -> float:
        return 50


class Lines(Deepening):
    """The same for connect four: it counts the lines that only one role can still complete."""

    name = "lines"

    def evaluation(self, state: State, role: Constant) -> float:
        discs = {
            (int(str(column)), int(str(level))): 1 if owner == role else -1
            for fact in state
            if isinstance(fact, Function) and str(fact.name) == "disc"
            for column, level, owner in [fact.args]
        }
        total = 0
        for line in LINES:
            owners = [discs.get(place, 0) for place in line]
            if 1 not in owners or -1 not in owners:
                total += sum(owners) * abs(sum(owners))
        return 50 + 49 * math.tanh(total / 40)


LINES = [
    [(column + step * right, level + step * up) for step in range(4)]
    for column in range(1, 8)
    for level in range(1, 7)
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
    if column + 3 * right <= 7 and 1 <= level + 3 * up <= 6
]
"""The places of each line of four."""


class HandMadeUct(Strategy):
    """Monte Carlo tree search, with a table of states in place of a tree."""

    name = "hand_made_uct"

    def search(self, position: Position) -> Iterator[Choice]:
        machine, index = position.machine, position.machine.roles.index(position.role)
        table: dict[State, list[dict[Term, list[float]]]] = {}
        while True:
            state, path = position.state, []
            while state in table:
                moves = [upper_bound_move(tried) for tried in table[state]]
                path.append((state, moves))
                state = machine.next_state(state, moves)
            if not machine.is_terminal(state):
                legal = (machine.legal_moves(state, role) for role in machine.roles)
                table[state] = [{move: [0, 0] for move in moves} for moves in legal]
            *_, last = play_out(machine, position.random, start=state)
            goals = [machine.goal(last.state, role) or 0 for role in machine.roles]
            for before, moves in path:
                for tried, move, goal in zip(table[before], moves, goals, strict=True):
                    tried[move][0] += 1
                    tried[move][1] += goal
            mine = table[position.state][index]
            move = max(mine, key=lambda each: mine[each][0])
            yield Choice(move, mine[move][1] / max(1, mine[move][0]))


def upper_bound_move(tried: dict[Term, list[float]]) -> Term:
    total = sum(visits for visits, _ in tried.values())

    def bound(move: Term) -> float:
        visits, goals = tried[move]
        return goals / visits + 60 * math.sqrt(math.log(total) / visits) if visits else inf

    return max(tried, key=bound)


def mover_in(machine: StateMachine, state: State) -> Constant:
    """The role that does something, in a game in which roles take turns."""
    for role in machine.roles:
        if machine.legal_moves(state, role)[0] != Constant("noop"):
            return role
    raise AssertionError("every role waits")


def successor(machine: StateMachine, state: State, mover: Constant, move: Term) -> State:
    """The state after a move, while the others wait."""
    joint_move = [
        move if role == mover else machine.legal_moves(state, role)[0] for role in machine.roles
    ]
    return machine.next_state(state, joint_move)
