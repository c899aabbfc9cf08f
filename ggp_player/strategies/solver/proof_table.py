"""The transposition table of the proof search, in kernels that take arrays only.

Threads share it without a lock: what a slot holds of the hash is combined with the entry, so that a
slot that two threads have written at once belongs to no node.

Source: R. Hyatt and T. Mann, A lock-less transposition table implementation for parallel search
chess engines (2002).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import inlined_kernel
from ggp_player.strategies.solver.block_kernels import Words
from ggp_player.strategies.solver.proof_nodes import ProofSearch

NO_ENTRY = 0
"""An entry is never 0, as it has the depth plus 1."""


@inlined_kernel
def find_entry(table: Words, hashes: NDArray[np.uint64], node: int) -> int:
    """Return a node's entry, ``NO_ENTRY`` if there is none."""
    first = np.int64(hashes[node, 1] & np.uint64(len(table) - 4))
    for slot in range(first, first + 4):
        entry = table[slot, 1]
        if entry != NO_ENTRY and table[slot, 0] ^ entry == hashes[node, 0]:
            return entry  # type: ignore[no-any-return]
    return np.uint64(NO_ENTRY)  # type: ignore[return-value]


@inlined_kernel
def byte_of(entry: int, number: int) -> int:
    """Return a byte of an entry, counted from the lowest."""
    return int(np.int64((np.uint64(entry) >> np.uint64(8 * number)) & np.uint64(255)))


@inlined_kernel
def depth_of(entry: int) -> int:
    """Return the depth of the search that an entry is from."""
    return byte_of(entry, 4) - 1


@inlined_kernel
def remember(
    search: ProofSearch, node: int, bounds: tuple[int, int], depth: int, move: int
) -> None:
    """Put a node into the table: its proved bounds, and those at the depth of its search.

    In a full bucket it replaces an older entry if there is one, then the one of the least depth.
    """
    facts, hashes, age = search.nodes.facts, search.nodes.hashes, search.control[0].age
    entry = np.uint64(facts[node].low) | np.uint64(facts[node].high) << np.uint64(8)
    entry |= np.uint64(bounds[0]) << np.uint64(16) | np.uint64(bounds[1]) << np.uint64(24)
    entry |= np.uint64(depth + 1) << np.uint64(32) | np.uint64(age) << np.uint64(40)
    if move >= 0:
        becomes = search.block.symmetries.moves[facts[node].symmetry, move]
        entry |= np.uint64(becomes + 1) << np.uint64(48)
    slot = _slot_for(search.table, hashes, node, age)
    search.table[slot, 0] = hashes[node, 0] ^ entry
    search.table[slot, 1] = entry


@inlined_kernel
def _slot_for(table: Words, hashes: NDArray[np.uint64], node: int, age: int) -> int:
    """Return the slot of a node's entry, or the one of its bucket that is worth least."""
    first = np.int64(hashes[node, 1] & np.uint64(len(table) - 4))
    found, least = first, 1 << 30
    for slot in range(first, first + 4):
        entry = table[slot, 1]
        if entry == NO_ENTRY:
            worth = 0
        elif table[slot, 0] ^ entry == hashes[node, 0]:
            return int(slot)
        else:
            worth = 1 + depth_of(entry) + 256 * (byte_of(entry, 5) == age)
        if worth < least:
            found, least = np.int64(slot), worth
    return int(found)


@inlined_kernel
def recall(search: ProofSearch, node: int, depth: int) -> tuple[int, int, int]:
    """Narrow a node's proved bounds by those in the table.

    Returns its bounds at a depth, and an estimate of its value.
    """
    facts = search.nodes.facts
    low, high = facts[node].low, facts[node].high
    guess = facts[node].estimate
    entry = find_entry(search.table, search.nodes.hashes, node)
    if entry != NO_ENTRY:
        low, high = max(low, byte_of(entry, 0)), min(high, byte_of(entry, 1))
        facts[node].low, facts[node].high = low, high
        deep_low, deep_high = byte_of(entry, 2), byte_of(entry, 3)
        guess = (deep_low + deep_high) >> 1
        if depth_of(entry) >= depth:
            low, high = max(low, deep_low), min(high, deep_high)
    return int(low), int(max(low, high)), int(guess)


@inlined_kernel
def best_known_move(search: ProofSearch, node: int) -> int:
    """Return the best move in a node's canonical state from the table, -1 if there is none."""
    entry = find_entry(search.table, search.nodes.hashes, node)
    return int(np.int64(np.uint64(entry) >> np.uint64(48)) - 1)
