"""The compiled state machine: a game as a circuit, one state or many at a time."""

from __future__ import annotations

import copy
import logging
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gdl.circuit import CompileOptions, compile_game
from gdl.datalog import index_of_role
from gdl.engine.block import Block, Engine
from gdl.errors import MoveError
from gdl.language import Ruleset, Term, as_term
from gdl.state_machine import CheckedMoves, State

if TYPE_CHECKING:
    from gdl.engine.device import DeviceBlock, DeviceEngine

REMEMBERED_VIEWS = 1024

_log = logging.getLogger(__name__)


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
        return (self._facts[int(i)] for i in np.flatnonzero(_unpack(self.bits, len(self._facts))))

    def __len__(self) -> int:
        return int.from_bytes(self.bits).bit_count()

    def __repr__(self) -> str:
        return f"<state {' '.join(sorted(map(str, self)))}>"


def _unpack(bits: bytes, count: int) -> NDArray[np.uint8]:
    """Unpack bits to uint8 (count,)."""
    packed = np.frombuffer(bits, dtype=np.uint8)
    return np.unpackbits(packed, count=count, bitorder="little")


def _pack(bits: NDArray[np.uint8]) -> bytes:
    """Pack bits, uint8 (count,), into bytes."""
    return np.packbits(bits, bitorder="little").tobytes()


@dataclass(frozen=True, slots=True)
class StateView:
    """The end, the legal moves and the goals of a state."""

    terminal: bool
    legal: tuple[tuple[Term, ...], ...]
    goals: tuple[tuple[int, ...], ...]


class PropnetStateMachine(CheckedMoves):
    """A game evaluated by its circuit; see :class:`gdl.StateMachine`.

    ``engine`` evaluates blocks of states. In a block's bits, fluents stand in the order of
    ``facts``, moves role after role in the order of ``moves``, goals in the order of
    ``engine.goal_table``; ``percept_rows`` has the role, by index, and the percept of each percept.
    ``relevant_fluents``, uint8 (fluents,), marks those on which the legal moves, the end or the
    goals of some later state can depend: states that agree in them are interchangeable. A machine
    is for one thread; its engine may be shared.
    """

    def __init__(self, ruleset: Ruleset, options: CompileOptions) -> None:
        self.ruleset = ruleset
        parts = compile_game(ruleset, options)
        self.roles = parts.roles
        self.facts = parts.facts
        self.moves = parts.moves
        self.words = options.words
        # A single state is fastest in the narrowest block, and the interpreter is enough for it.
        self._lane = Engine(parts.layout, parts.goal_table, len(self.roles), words=1)
        self._goal_table = parts.goal_table
        self.relevant_fluents = parts.relevant
        self.ground_rules = parts.ground_rules
        self.percept_rows = parts.percepts
        self._initial = _pack(parts.initial)
        self._fact_count = len(self.facts)
        # Found when a role first moves, for all machines of a game: there may be 100,000s of moves.
        self._move_indices: dict[int, dict[Term, int]] = {}
        self._offsets = np.cumsum([0, *map(len, self.moves)]).tolist()
        self._device_engines: dict[str, DeviceEngine] = {}
        self._begin()

    def _begin(self) -> None:
        """Make what belongs to one thread: the block of single states, and what it holds."""
        self._block = self._lane.block()
        self._rows = self._block.rows[:, 0]
        self._held: State | None = None
        self._view = lru_cache(maxsize=REMEMBERED_VIEWS)(self._new_view)
        self.percepts_of = lru_cache(maxsize=REMEMBERED_VIEWS)(self._new_percepts_of)

    def for_another_thread(self) -> PropnetStateMachine:
        """Make a machine that has the same states and the same engine, for another thread."""
        _ = self.engine  # made once, for both
        twin = copy.copy(self)
        twin._begin()
        return twin

    def with_own_engine(self) -> PropnetStateMachine:
        """Make a machine that has the same states, and an engine that shares nothing with this one.

        What a search adds to its engine, such as rows for winning moves, no other search then has.
        """
        twin = copy.copy(self)
        twin.__dict__.pop("engine", None)
        twin._begin()
        return twin

    @cached_property
    def engine(self) -> Engine:
        """The engine for blocks of ``words`` words, made when it is first used."""
        return self.new_engine(self.words)

    def new_engine(self, words: int) -> Engine:
        """Make an engine for blocks of ``words`` words."""
        initial = self.bits(self.initial_state())
        return Engine(self._lane.layout, self._goal_table, len(self.roles), words, initial)

    def warm_up(self) -> None:
        """Make native code, and wait for it.

        Raises RuntimeError if LLVM runs out of memory.
        """
        self.engine.compile()

    def warm_up_later(self) -> threading.Thread:
        """Make native code in the background; the interpreter answers meanwhile.

        If there is no memory or no process for it, that is logged, and the interpreter stays.
        """
        thread = threading.Thread(target=self._warm_up_if_possible, daemon=True)
        thread.start()
        return thread

    def _warm_up_if_possible(self) -> None:
        try:
            self.warm_up()
        except (MemoryError, OSError, RuntimeError) as error:
            _log.warning("no native code: %s", error)

    def block(self, seed: int = 0) -> Block:
        """Return a block whose lanes all hold the initial state."""
        block = self.engine.block(seed)
        block.load(self.bits(self.initial_state())[None, :])
        return block

    def device_engine(self, device: str = "cuda:0") -> DeviceEngine:
        """Return the engine for blocks on a device: ``cuda:0``, or ``host`` for this processor.

        Raises :class:`gdl.DeviceError` where there is no such device.
        """
        from gdl.engine.device import DeviceEngine, open_device

        if device not in self._device_engines:
            initial = self.bits(self.initial_state())
            game = self._lane.layout, self._goal_table, len(self.roles), initial
            self._device_engines[device] = DeviceEngine(*game, open_device(device))
        return self._device_engines[device]

    def device_block(
        self, lanes: int = 2**20, device: str = "cuda:0", seed: int = 0
    ) -> DeviceBlock:
        """Return a block on a device whose lanes all hold the initial state.

        ``lanes`` is a multiple of 64. Raises :class:`gdl.DeviceError`; see :meth:`device_engine`.
        """
        from gdl.engine.device import DeviceBlock

        return DeviceBlock(self.device_engine(device), lanes, seed)

    def bits(self, state: State) -> NDArray[np.uint8]:
        """Return a state of this machine as the fluents' bits: uint8 (fluents,)."""
        if not isinstance(state, PropnetState):
            raise TypeError(f"expected a state of this machine, found {type(state).__name__}")
        return _unpack(state.bits, self._fact_count)

    def state(self, bits: NDArray[np.uint8]) -> State:
        """Return the state with the given fluents' bits."""
        return PropnetState(self.facts, _pack(bits))

    def state_of(self, facts: Iterable[Term]) -> State:
        """Return the state in which just the given facts are true, of any machine of the game."""
        true = {str(fact) for fact in facts}
        return self.state(np.array([str(fact) in true for fact in self.facts], dtype=np.uint8))

    # ------------------------------------------------------------------ answers

    def initial_state(self) -> State:
        """Return the state in which a match begins."""
        return PropnetState(self.facts, self._initial)

    def legal_moves(self, state: State, role: Term | str) -> tuple[Term, ...]:
        """Return the role's legal moves, sorted by their text."""
        return self._view(state).legal[index_of_role(self.ruleset, self.roles, role)]

    def is_terminal(self, state: State) -> bool:
        """Check whether the match is over."""
        return self._view(state).terminal

    def goal(self, state: State, role: Term | str) -> int | None:
        """Return the role's lowest goal value, None where none holds."""
        return min(self.goals(state, role), default=None)

    def goals(self, state: State, role: Term | str) -> tuple[int, ...]:
        """Return every goal value that holds for the role, in rising order."""
        return self._view(state).goals[index_of_role(self.ruleset, self.roles, role)]

    def next_state(self, state: State, joint_move: Sequence[Term | str]) -> State:
        """Return the state after the joint move, which is not checked; ``step`` checks it.

        Raises :class:`gdl.MoveError` for a move that no chain of rules could make legal.
        """
        self._make(state, joint_move)
        return self.state((self._block.next[:, 0] & 1).astype(np.uint8))

    def next_with_percepts(
        self, state: State, joint_move: Sequence[Term | str]
    ) -> tuple[State, tuple[frozenset[Term], ...]]:
        """Return the next state, and what each role sees, by a single evaluation."""
        self._make(state, joint_move)
        following = self.state((self._block.next[:, 0] & 1).astype(np.uint8))
        return following, self._seen()

    def _seen(self) -> tuple[frozenset[Term], ...]:
        """Return the percepts of each role after the step that was evaluated last."""
        layout = self._lane.layout
        seen = self._rows[layout.percepts : layout.percepts + layout.percept_count] & 1
        return self.percepts_of(seen.astype(np.uint8).tobytes())

    def _new_percepts_of(self, bits: bytes) -> tuple[frozenset[Term], ...]:
        """Return what each role sees by the percept rows of a lane, one byte each."""
        seen: list[set[Term]] = [set() for _ in self.roles]
        for (role, term), holds in zip(self.percept_rows, bits, strict=True):
            if holds:
                seen[role].add(term)
        return tuple(map(frozenset, seen))

    def percepts(
        self, state: State, joint_move: Sequence[Term | str], role: Term | str
    ) -> tuple[Term, ...]:
        """The percepts that a role receives after a joint move, sorted by text."""
        index = index_of_role(self.ruleset, self.roles, role)
        self._make(state, joint_move)
        return tuple(sorted(self._seen()[index], key=str))

    def _make(self, state: State, joint_move: Sequence[Term | str]) -> None:
        """Evaluate the transition by a joint move in the machine's own block."""
        if len(joint_move) != len(self.roles):
            message = f"expected {len(self.roles)} moves, one per role, found {len(joint_move)}"
            raise MoveError(message)
        first = self._lane.layout.moves
        rows = [
            first + offset + self._index_of_move(role, move)
            for role, (offset, move) in enumerate(zip(self._offsets, joint_move, strict=False))
        ]
        self._hold(state)
        self._rows[first : first + self._offsets[-1]] = 0
        self._rows[rows] = 1
        self._block.transition()

    def _hold(self, state: State) -> None:
        """Load a state into the machine's own block and evaluate its view."""
        if self._held is not state:
            self._block.fluents[:, 0] = self.bits(state)
            self._block.view()
            self._held = state

    def _index_of_move(self, role: int, move: Term | str) -> int:
        indices = self._move_indices.get(role)
        if indices is None:
            indices = {own: index for index, own in enumerate(self.moves[role])}
            self._move_indices[role] = indices
        term = as_term(move)
        index = indices.get(term)
        if index is None:
            index = indices.get(self.ruleset.spell(term))
        if index is None:
            raise MoveError(f"{self.roles[role]} can never make the move {move}")
        return index

    def _new_view(self, state: State) -> StateView:
        self._hold(state)
        layout, offsets = self._lane.layout, self._offsets
        legal = self._rows[layout.legal : layout.legal + offsets[-1]] & 1
        goals = self._rows[layout.goals : layout.goals + layout.goal_count] & 1
        values: list[set[int]] = [set() for _ in self.roles]
        for role, value in self._lane.goal_table[goals.nonzero()[0]].tolist():
            values[role].add(value)
        return StateView(
            bool(self._rows[layout.terminal] & 1),
            tuple(
                tuple([moves[i] for i in legal[start : start + len(moves)].nonzero()[0].tolist()])
                for start, moves in zip(offsets, self.moves, strict=False)
            ),
            tuple(tuple(sorted(found)) for found in values),
        )
