"""UCT as in the textbook: Monte Carlo tree search, one playout at a time, on any state machine.

Each playout has four parts. *Selection* descends the tree by upper confidence bounds, *expansion*
adds one node, *simulation* plays at random to the end, and *backpropagation* carries the goals back
to the root. The search :mod:`ggp_player.strategies.mcts` does the same on blocks of playouts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Annotated

from pydantic import Field

from gdl import Constant, State, StateMachine, Term
from gdl.language import moves_by_chance
from gdl.playouts import play_out
from ggp_player.strategies import Choice, Counts, Limit, Method, Position, Strategy
from ggp_player.strategies.textbook.evaluation import LONGEST_PLAYOUT
from ggp_player.strategies.textbook.game_tree import Moves, utility


class TextbookUct(Strategy):
    """UCT on any state machine; it starts a new tree for each move. Plays every game.

    Every role selects its own move by what it has gained with it so far, so that roles may move at
    the same time; ``random`` moves at random. ``exploration`` weighs moves that were tried rarely
    against those that did well. The search ends after ``playouts``.

    Sources: L. Kocsis and C. Szepesvari, Bandit based Monte-Carlo planning (2006); M. Genesereth
    and M. Thielscher, General Game Playing (2014), chapter 8.
    """

    name = "textbook_uct"
    method = Method.SINGLE_PLAYOUTS

    def __init__(
        self,
        playouts: Annotated[int, Field(ge=1)] = 100_000,
        exploration: Annotated[float, Field(ge=0)] = 0.7,
    ) -> None:
        self.playouts = playouts
        self.exploration = exploration

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the most visited move after each playout."""
        if not position.legal_moves:
            return iter(())
        search = UctSearch(position.machine, position.state, position.random, self.exploration)
        return search.bestmove(position.role, self.playouts)


@dataclass(slots=True)
class MoveTotal:
    """How often a role has made a move in a node, and the sum of its goal values after that."""

    visits: int = 0
    total: float = 0.0


@dataclass(slots=True, eq=False)
class PlayoutNode:
    """A state in the tree. ``moves`` has for each role what its moves have gained so far.

    ``totals`` are the sums of all roles' goal values after ``visits`` playouts.
    """

    state: State
    moves: tuple[dict[Term, MoveTotal], ...]
    totals: list[float]
    visits: int = 0
    children: dict[Moves, PlayoutNode] = field(default_factory=dict)


class UctSearch:
    """One search: a tree that grows by one node with each playout."""

    def __init__(
        self, machine: StateMachine, state: State, random: Random, exploration: float
    ) -> None:
        self.machine = machine
        self.random = random
        self.exploration = exploration
        self.root = self._new_node(state)

    def bestmove(self, role: Constant, playouts: int) -> Iterator[Choice]:
        """Yield the role's most visited move after each playout."""
        moves = self.root.moves[self.machine.roles.index(role)]
        for number in range(1, playouts + 1):
            self.play_once()
            move = max(moves, key=lambda each: moves[each].visits)
            mean = moves[move].total / moves[move].visits
            best = Choice(move, mean, counts=Counts(playouts=number))
            yield best
        yield replace(best, limit=Limit.PLAYOUTS)

    def play_once(self) -> None:
        """Make one playout: select, expand, simulate, backpropagate."""
        node, path = self.root, []
        while not self.machine.is_terminal(node.state):
            joint_move = tuple(self.select(node, role) for role in self.machine.roles)
            path.append((node, joint_move))
            is_new = joint_move not in node.children
            node = self.expand(node, joint_move) if is_new else node.children[joint_move]
            if is_new:
                break
        goals = self.simulate(node.state)
        self.backpropagate(path, node, goals)

    def select(self, node: PlayoutNode, role: Constant) -> Term:
        """Return the move with the highest upper confidence bound; new moves come first."""
        moves = node.moves[self.machine.roles.index(role)]
        if moves_by_chance(role):
            return self.random.choice(list(moves))
        best, highest = None, -1.0
        for move, tried in moves.items():
            if tried.visits == 0:
                return move
            rarity = math.sqrt(math.log(node.visits) / tried.visits)
            bound = tried.total / tried.visits / 100 + self.exploration * rarity
            if bound > highest:
                best, highest = move, bound
        assert best is not None
        return best

    def expand(self, node: PlayoutNode, joint_move: Moves) -> PlayoutNode:
        """Add the node that a joint move leads to."""
        child = self._new_node(self.machine.next_state(node.state, joint_move))
        node.children[joint_move] = child
        return child

    def simulate(self, state: State) -> tuple[int, ...]:
        """Play at random to the end; return the goals of all roles."""
        *_, last = play_out(self.machine, self.random, LONGEST_PLAYOUT, state)
        return tuple(utility(self.machine, last.state, role) for role in self.machine.roles)

    def backpropagate(
        self, path: list[tuple[PlayoutNode, Moves]], node: PlayoutNode, goals: tuple[int, ...]
    ) -> None:
        """Add the goals to the new node, and to the nodes and moves on the path to it."""
        self.add_goals(node, goals)
        for above, joint_move in reversed(path):
            self.add_goals(above, goals)
            for moves, move, goal in zip(above.moves, joint_move, goals, strict=True):
                moves[move].visits += 1
                moves[move].total += goal

    def add_goals(self, node: PlayoutNode, goals: tuple[int, ...]) -> None:
        """Count a playout through a node."""
        node.visits += 1
        node.totals = [total + goal for total, goal in zip(node.totals, goals, strict=True)]

    def _new_node(self, state: State) -> PlayoutNode:
        roles = self.machine.roles
        if self.machine.is_terminal(state):
            return PlayoutNode(state, tuple({} for _ in roles), [0.0] * len(roles))
        legal = (self.machine.legal_moves(state, role) for role in roles)
        moves = tuple({move: MoveTotal() for move in each} for each in legal)
        return PlayoutNode(state, moves, [0.0] * len(roles))
