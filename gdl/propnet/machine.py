"""The compiled state machine: a game as a network, one state or many at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from gdl.dependencies import Level, components, dependency_graph, levels
from gdl.domains import domains_of
from gdl.errors import MoveError
from gdl.flat_rules import (
    MACHINE_RELATIONS,
    FlatRules,
    flat_rules,
    goal_value,
    index_of_role,
    ordered_roles,
    renamed,
)
from gdl.grounder import Budget, GroundProgram, Row, ground
from gdl.propnet.builder import Circuit, Inputs, build
from gdl.propnet.lanes import Block, Engine
from gdl.propnet.layout import Outputs, lay_out
from gdl.propnet.network import FALSE
from gdl.reasoning.program import Program
from gdl.relevance import guard_wide_relations
from gdl.ruleset import RelationKey, Rule, Ruleset
from gdl.splitting import Splitter
from gdl.state_machine import State
from gdl.terms import Constant, Function, Term
from gdl.vocabulary import Vocabulary

REMEMBERED_VIEWS = 1024

WIDE = 100_000
"""Relations whose arguments can be combined in more ways are guarded by what is asked for."""


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """How a game is compiled. ``words`` is the width of a block, in 64 lanes each."""

    budget: Budget = field(default_factory=Budget)
    words: int = 8
    split_rules: bool = True
    group_moves: bool = True


class PropnetState:
    """A state: which fluents are true, as bytes of one bit per fluent."""

    __slots__ = ("_facts", "bits")

    def __init__(self, facts: Sequence[Term], bits: bytes) -> None:
        self.bits = bits
        self._facts = facts

    def __hash__(self) -> int:
        return hash(self.bits)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PropnetState):
            return NotImplemented
        return self.bits == other.bits and self._facts is other._facts

    def __iter__(self) -> Iterator[Term]:
        return (self._facts[int(i)] for i in np.flatnonzero(unpack(self.bits, len(self._facts))))

    def __len__(self) -> int:
        return int.from_bytes(self.bits).bit_count()

    def __repr__(self) -> str:
        return f"<state {' '.join(sorted(map(str, self)))}>"


def unpack(bits: bytes, count: int) -> NDArray[np.uint8]:
    """Return packed bits as uint8 (count,)."""
    packed = np.frombuffer(bits, dtype=np.uint8)
    return np.unpackbits(packed, count=count, bitorder="little")


def pack(bits: NDArray[np.uint8]) -> bytes:
    """Return bits, uint8 (count,), as bytes."""
    return np.packbits(bits, bitorder="little").tobytes()


@dataclass(frozen=True, slots=True)
class View:
    """What a state's view says, ready to be asked for."""

    terminal: bool
    legal: tuple[tuple[Term, ...], ...]
    goals: tuple[tuple[int, ...], ...]


class PropnetStateMachine:
    """A game, answered for by its network; see :class:`gdl.StateMachine`.

    ``engine`` evaluates blocks of states. In a block's bits, fluents stand in the order of
    ``facts``, moves role after role in the order of ``moves``, goals in the order of
    ``engine.goal_table``. One machine is for one thread; its engine may be shared.
    """

    def __init__(self, ruleset: Ruleset, options: CompileOptions) -> None:
        self.ruleset = ruleset
        parts = _Parts(ruleset, options)
        self.roles = parts.roles
        self.facts = parts.facts
        self.moves = parts.moves
        self.words = options.words
        # A single state is quickest in the narrowest block, and the interpreter does for it.
        self._lane = Engine(parts.layout, parts.goal_table, len(self.roles), words=1)
        self._goal_table = parts.goal_table
        self._block = self._lane.block()
        self._rows = self._block.rows[:, 0]
        self._address = self._block.rows.ctypes.data
        self._held: State | None = None
        self.ground_rules = len(parts.program.heads)
        self._percepts = parts.percepts
        self._initial = pack(parts.initial)
        self._fact_count = len(self.facts)
        self._places = [{move: i for i, move in enumerate(moves)} for moves in self.moves]
        self._offsets = np.cumsum([0, *map(len, self.moves)]).tolist()
        self._view = lru_cache(maxsize=REMEMBERED_VIEWS)(self._new_view)

    @cached_property
    def engine(self) -> Engine:
        """What evaluates blocks of ``words`` words; made when it is first asked for."""
        return Engine(self._lane.layout, self._goal_table, len(self.roles), self.words)

    def warm_up(self) -> None:
        """Make machine code, and wait for it."""
        self.engine.compile()

    def warm_up_later(self) -> threading.Thread:
        """Make machine code in a thread of its own; the interpreter answers meanwhile."""
        thread = threading.Thread(target=self.engine.compile, daemon=True)
        thread.start()
        return thread

    def block(self, seed: int = 0) -> Block:
        """Return a block whose lanes all hold the initial state."""
        block = self.engine.block(seed)
        block.load(self.bits(self.initial_state())[None, :])
        return block

    def bits(self, state: State) -> NDArray[np.uint8]:
        """Return a state of this machine as the fluents' bits: uint8 (fluents,)."""
        if not isinstance(state, PropnetState):
            raise TypeError(f"expected a state of this machine, found {type(state).__name__}")
        return unpack(state.bits, self._fact_count)

    def state(self, bits: NDArray[np.uint8]) -> State:
        """Return the state with the given fluents' bits."""
        return PropnetState(self.facts, pack(bits))

    # ------------------------------------------------------------------ answers

    def initial_state(self) -> State:
        """Return the state in which a match begins."""
        return PropnetState(self.facts, self._initial)

    def legal_moves(self, state: State, role: Term) -> tuple[Term, ...]:
        """Return the role's legal moves, sorted by their text."""
        return self._view(state).legal[index_of_role(self.ruleset, self.roles, role)]

    def is_terminal(self, state: State) -> bool:
        """Tell whether the match is over."""
        return self._view(state).terminal

    def goal(self, state: State, role: Term) -> int | None:
        """Return the role's lowest goal value, None where none holds."""
        return min(self.goals(state, role), default=None)

    def goals(self, state: State, role: Term) -> tuple[int, ...]:
        """Return every goal value that holds for the role, in rising order."""
        return self._view(state).goals[index_of_role(self.ruleset, self.roles, role)]

    def next_state(self, state: State, joint_move: Sequence[Term]) -> State:
        """Return the state after the joint move, which is not checked for legality.

        Raises :class:`gdl.MoveError` for a move that no chain of rules could make legal.
        """
        self._make(state, joint_move)
        layout = self._lane.layout
        following = self._rows[layout.next : layout.next + layout.fluent_count] & 1
        return self.state(following.astype(np.uint8))

    def percepts(self, state: State, joint_move: Sequence[Term], role: Term) -> tuple[Term, ...]:
        """Return what the role sees of the joint move, sorted by its text."""
        place = index_of_role(self.ruleset, self.roles, role)
        self._make(state, joint_move)
        layout = self._lane.layout
        seen = self._rows[layout.percepts : layout.percepts + layout.percept_count] & 1
        found = [
            term
            for (r, term), holds in zip(self._percepts, seen, strict=True)
            if holds and r == place
        ]
        return tuple(sorted(found, key=str))

    def _make(self, state: State, joint_move: Sequence[Term]) -> None:
        """Evaluate the transition by a joint move in the machine's own block."""
        if len(joint_move) != len(self.roles):
            message = f"expected {len(self.roles)} moves, one per role, found {len(joint_move)}"
            raise MoveError(message)
        first = self._lane.layout.moves
        places = [
            first + offset + self._place(role, move)
            for role, (offset, move) in enumerate(zip(self._offsets, joint_move, strict=False))
        ]
        self._hold(state)
        self._rows[first : first + self._offsets[-1]] = 0
        self._rows[places] = 1
        self._lane.transition(self._address)

    def _hold(self, state: State) -> None:
        """Put a state into the machine's own block and evaluate its view."""
        if self._held is not state:
            first = self._lane.layout.fluents
            self._rows[first : first + self._fact_count] = self.bits(state)
            self._lane.view(self._address)
            self._held = state

    def _place(self, role: int, move: Term) -> int:
        places = self._places[role]
        place = places.get(move)
        if place is None:
            place = places.get(self.ruleset.spell(move))
        if place is None:
            raise MoveError(f"{self.roles[role]} can never make the move {move}")
        return place

    def _new_view(self, state: State) -> View:
        self._hold(state)
        layout, offsets = self._lane.layout, self._offsets
        legal = self._rows[layout.legal : layout.legal + offsets[-1]] & 1
        goals = self._rows[layout.goals : layout.goals + layout.goal_count] & 1
        values: list[set[int]] = [set() for _ in self.roles]
        for role, value in self._lane.goal_table[goals.nonzero()[0]].tolist():
            values[role].add(value)
        return View(
            bool(self._rows[layout.terminal] & 1),
            tuple(
                tuple([moves[i] for i in legal[start : start + len(moves)].nonzero()[0].tolist()])
                for start, moves in zip(offsets, self.moves, strict=False)
            ),
            tuple(tuple(sorted(found)) for found in values),
        )


class _Parts:
    """What a machine is put together from."""

    def __init__(self, ruleset: Ruleset, options: CompileOptions) -> None:
        self.vocabulary = Vocabulary()
        self.flat = flat_rules(ruleset, MACHINE_RELATIONS)
        if options.split_rules:
            self.flat = replace(self.flat, rules=_split(self.flat, self.vocabulary))
        self.program = _ground(self.flat, self.vocabulary, options.budget)
        self.roles = ordered_roles(
            ruleset, (self.vocabulary.decode(row[0]) for row in self.program.rows["role", 1])
        )
        fluents = self._fluents()
        moves = [self._moves(role) for role in self.roles]
        inputs = Inputs(
            [self.program.rows[relation][row] for relation, row, _ in fluents],
            [[self.program.rows[relation][row] for relation, row, _ in own] for own in moves],
        )
        circuit = build(self.program, inputs, options.group_moves)
        self.facts: tuple[Term, ...] = tuple(term for _, _, term in fluents)
        self.moves = tuple(tuple(term for _, _, term in own) for own in moves)
        holds = [
            row in self.program.rows[renamed(relation, "init")] for relation, row, _ in fluents
        ]
        self.initial = np.array(holds, dtype=np.uint8)
        goals = self._goals(circuit)
        self.goal_table = [(role, value) for role, value, _ in goals]
        percepts = self._seen(circuit)
        self.percepts: list[tuple[int, Term]] = [(role, term) for role, term, _ in percepts]
        outputs = Outputs(
            legal=[self._derived(circuit, r, row, "legal") for own in moves for r, row, _ in own],
            terminal=self._literal(circuit, self.program.rows["terminal", 0].get(())),
            goals=[literal for _, _, literal in goals],
            percepts=[literal for _, _, literal in percepts],
            next=[self._derived(circuit, r, row, "next") for r, row, _ in fluents],
        )
        self.layout = lay_out(circuit.network, len(fluents), [len(own) for own in moves], outputs)

    def _fluents(self) -> list[tuple[RelationKey, Row, Term]]:
        """Return the ground fluents: relation, row and fact, sorted by the facts' text."""
        found = [
            (relation, row, self._term(row, function and function[0]))
            for relation, function in self.flat.fluents
            for row in self.program.rows[relation]
        ]
        return sorted(found, key=lambda fluent: str(fluent[2]))

    def _moves(self, role: Constant) -> list[tuple[RelationKey, Row, Term]]:
        """Return a role's ground moves: relation, row and move, sorted by the moves' text."""
        role_id = self.vocabulary.constant(role.name)
        found = [
            (relation, row, self._term(row[1:], function and function[0]))
            for relation, function in self.flat.moves
            for row in self.program.rows[relation]
            if row[0] == role_id
        ]
        return sorted(found, key=lambda move: str(move[2]))

    def _term(self, row: Row, function: str | None) -> Term:
        terms = tuple(map(self.vocabulary.decode, row))
        return terms[0] if function is None else Function(function, terms)

    def _goals(self, circuit: Circuit) -> list[tuple[int, int, int]]:
        """Return role, value and literal of every goal, in this order."""
        found = []
        for row, atom in self.program.rows["goal", 2].items():
            role, value = (self.vocabulary.decode(term) for term in row)
            number = goal_value(value)
            if number is not None and role in self.roles:
                literal = self._literal(circuit, atom)
                found.append((self.roles.index(Constant(str(role))), number, literal))
        return sorted(found)

    def _seen(self, circuit: Circuit) -> list[tuple[int, Term, int]]:
        found = []
        for row, atom in self.program.rows["sees", 2].items():
            role, percept = (self.vocabulary.decode(term) for term in row)
            if role in self.roles:
                place = self.roles.index(Constant(str(role)))
                found.append((place, percept, self._literal(circuit, atom)))
        return sorted(found, key=lambda seen: (seen[0], str(seen[1])))

    def _derived(self, circuit: Circuit, relation: RelationKey, row: Row, name: str) -> int:
        rows: Mapping[Row, int] = self.program.rows[renamed(relation, name)]
        return self._literal(circuit, rows.get(row))

    def _literal(self, circuit: Circuit, atom: int | None) -> int:
        return FALSE if atom is None else circuit.literal_of.get(atom, FALSE)


def _split(flat: FlatRules, vocabulary: Vocabulary) -> list[Rule]:
    """Return the rules in the form that has the fewest ground instances."""
    moves = {relation: Level.TRANSITION for relation, _ in flat.moves}
    given = {relation: Level.VIEW for relation, _ in flat.fluents} | moves
    domains = domains_of(flat.rules, flat.column_flows())
    program = Program(flat.rules, given, domains, vocabulary)
    program.prepare({relation: renamed(relation, "init") for relation, _ in flat.fluents})
    statistics = program.statistics
    statistics.widen(program.rulebook.order, given)
    rules = Splitter(statistics, moves).split(flat.rules)
    graph = dependency_graph(rules)
    level = levels(graph, components(graph), given)
    return guard_wide_relations(
        rules,
        flat.flows(),
        lambda relation: level.get(relation, Level.STATIC),
        lambda relation: statistics.domain_size(relation) > WIDE,
    )


def _ground(flat: FlatRules, vocabulary: Vocabulary, budget: Budget) -> GroundProgram:
    shown = [("role", 1), ("goal", 2), ("terminal", 0), ("sees", 2)]
    for relation, _ in flat.fluents:
        shown += [relation, renamed(relation, "init"), renamed(relation, "next")]
    for relation, _ in flat.moves:
        shown += [relation, renamed(relation, "legal")]
    return ground(flat.rules, flat.flows(), shown, vocabulary, budget)
