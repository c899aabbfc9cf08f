"""The transposition table of the proof search, in kernels that take arrays only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import inlined_kernel
from ggp_player.strategies.solver.block_kernels import Words
from ggp_player.strategies.solver.proof_nodes import ProofSearch


@inlined_kernel
def find_entry(table: Words, hashes: NDArray[np.uint64], node: int) -> int:
    """Return the index of a node's entry, -1 if there is none."""
    first = np.int64(hashes[node, 1] & np.uint64(len(table) - 4))
    for index in range(first, first + 4):
        if table[index, 0] == hashes[node, 0]:
            return int(index)
    return -1


@inlined_kernel
def byte_of(entry: int, number: int) -> int:
    """Return a byte of an entry, counted from the lowest."""
    return int(np.int64((np.uint64(entry) >> np.uint64(8 * number)) & np.uint64(255)))


@inlined_kernel
def remember(
    search: ProofSearch, node: int, bounds: tuple[int, int], depth: int, move: int
) -> None:
    """Put a node into the table: its proved bounds, and those at the depth of its search.

    In a full bucket it replaces an older entry if there is one, then the one of the least depth.
    """
    table, facts = search.table, search.nodes.facts
    hashes, age = search.nodes.hashes, search.control[0].age
    index = find_entry(table, hashes, node)
    if index < 0:
        first = np.int64(hashes[node, 1] & np.uint64(len(table) - 4))
        least = 1 << 30
        for candidate in range(first, first + 4):
            entry = table[candidate, 1]
            worth = 0
            if table[candidate, 0] != 0:
                worth = 1 + byte_of(entry, 4) + 256 * (byte_of(entry, 5) == age)
            if worth < least:
                index, least = candidate, worth
    entry = np.uint64(facts[node].low) | np.uint64(facts[node].high) << np.uint64(8)
    entry |= np.uint64(bounds[0]) << np.uint64(16) | np.uint64(bounds[1]) << np.uint64(24)
    entry |= np.uint64(depth) << np.uint64(32) | np.uint64(age) << np.uint64(40)
    if move >= 0:
        becomes = search.block.symmetries.moves[facts[node].symmetry, move]
        entry |= np.uint64(becomes + 1) << np.uint64(48)
    table[index, 0] = hashes[node, 0]
    table[index, 1] = entry


@inlined_kernel
def recall(search: ProofSearch, node: int, depth: int) -> tuple[int, int, int]:
    """Narrow a node's proved bounds by those in the table.

    Returns its bounds at a depth, and an estimate of its value.
    """
    facts = search.nodes.facts
    low, high = facts[node].low, facts[node].high
    guess = facts[node].estimate
    index = find_entry(search.table, search.nodes.hashes, node)
    if index >= 0:
        entry = search.table[index, 1]
        low, high = max(low, byte_of(entry, 0)), min(high, byte_of(entry, 1))
        facts[node].low, facts[node].high = low, high
        deep_low, deep_high = byte_of(entry, 2), byte_of(entry, 3)
        guess = (deep_low + deep_high) >> 1
        if byte_of(entry, 4) >= depth:
            low, high = max(low, deep_low), min(high, deep_high)
    return int(low), int(max(low, high)), int(guess)


@inlined_kernel
def best_known_move(search: ProofSearch, node: int) -> int:
    """Return the best move in a node's canonical state from the table, -1 if there is none."""
    index = find_entry(search.table, search.nodes.hashes, node)
    if index < 0:
        return -1
    return int(np.int64(search.table[index, 1] >> np.uint64(48)) - 1)
