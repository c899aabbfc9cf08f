"""Perft on blocks: the joint moves of many states at once, equal states together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gdl.engine.bits import Packed, hash_states
from gdl.engine.machine import PropnetStateMachine
from gdl.engine.successors import Expander, SuccessorBlock, expand, packed_state
from gdl.language import Term
from gdl.state_machine import State

BATCH = 2**16
"""The number of states that are collected before equal ones are merged and expanded."""

DEVICE_LANES = 2**16
"""The lanes of a block on a device."""

Paths = NDArray[np.object_]
"""object (n,): for each state, the number of paths that lead to it; such numbers grow large."""


def perft(
    machine: PropnetStateMachine, depth: int, start: State | None = None, device: str | None = None
) -> int:
    """Return the number of joint-move paths of exactly ``depth`` steps from a state.

    That is the initial state unless ``start`` is given. A path that ends earlier in a terminal
    state does not count. Moves are made on a ``device`` where one is named, such as ``cuda:0``;
    raises :class:`gdl.DeviceError` where that is not there or fails.
    """
    state = machine.initial_state() if start is None else start
    return _perft_from(machine, _expander(machine, device), state, depth)


def divide(
    machine: PropnetStateMachine, depth: int, device: str | None = None
) -> dict[tuple[Term, ...], int]:
    """Return the perft count below each joint move of the initial state, ``depth`` at least 1."""
    children = expand(machine, machine.initial_state())
    expander = _expander(machine, device)
    return {
        moves: _perft_from(machine, expander, after, depth - 1) for moves, after in children.items()
    }


def _expander(machine: PropnetStateMachine, device: str | None) -> Expander:
    if device is None:
        return Expander(machine.engine)
    from gdl.engine.device import DeviceExpander

    return DeviceExpander(machine.engine, machine.device_block(DEVICE_LANES, device))


def _perft_from(machine: PropnetStateMachine, expander: Expander, state: State, depth: int) -> int:
    return _count(expander, packed_state(machine, state), np.ones(1, dtype=object), depth)


def _count(expander: Expander, states: Packed, paths: Paths, depth: int) -> int:
    """Count the paths, ``depth`` steps on from states that paths lead to."""
    if depth == 0:
        return int(paths.sum())
    if depth == 1:
        moves = expander.choice_counts(states).astype(object).prod(axis=1)
        return int((moves * paths).sum())
    return sum(_count(expander, *batch, depth - 1) for batch in _batches(expander, states, paths))


def _batches(expander: Expander, states: Packed, paths: Paths) -> Iterator[tuple[Packed, Paths]]:
    """Yield the states after one step, a batch at a time; equal ones of a batch are merged."""
    gathered: list[SuccessorBlock] = []
    size = 0
    for children in expander.expand(states):
        gathered.append(children)
        size += len(children.states)
        if size >= BATCH:
            yield _merged(gathered, paths)
            gathered, size = [], 0
    if gathered:
        yield _merged(gathered, paths)


def _merged(gathered: list[SuccessorBlock], paths: Paths) -> tuple[Packed, Paths]:
    states = np.concatenate([children.states for children in gathered])
    parents = np.concatenate([children.parents for children in gathered])
    order = np.argsort(hash_states(states), kind="stable")
    states = states[order]
    # If two different states have one hash, equal ones may not be neighbours: they stay separate.
    is_new = np.append(True, (states[1:] != states[:-1]).any(axis=1))
    starts = np.flatnonzero(is_new)
    return states[starts], np.add.reduceat(paths[parents[order]], starts)
