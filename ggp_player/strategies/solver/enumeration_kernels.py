"""Kernels of complete enumeration: all states after each other, and values backed up through them.

They take arrays only; a :class:`Store` holds those that belong together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import allocating_kernel, is_set, make_all_canonical
from ggp_player.strategies.solver.lane_kernels import (
    FLUENTS,
    LEGAL,
    MOVES,
    NEXT,
    TERMINAL,
    Rows,
    Words,
    bits_between,
    clear_moves,
    evaluate,
    goal_of,
    hash_of,
    load_states,
    prefetch,
    read_rows,
    set_move,
)


class Store(NamedTuple):
    """States found, and how joint moves lead from one to another. n states have room.

    ``states`` uint64 (n, words): packed, each the least of its images. ``slots`` int32 (a power of
    2,): a hash table of their numbers and 1, 0 where free. ``widths`` int32 (n, roles): how many
    legal moves each role has, 0 at an end. ``first_edge`` int64 (n + 1,): where a state's edges
    begin. ``edges`` int32 (any,): the states after its joint moves, the last role's moves varying
    fastest. ``low``, ``high`` float32 (n, roles): bounds of each role's value. ``steps`` int32 (n,
    roles): how far the end is, or ``UNKNOWN``. ``used`` int64 (7,): the numbers of states, edges
    and states expanded, the room that is missing, the most joint moves of a state, the edges to
    states found earlier, the states up to the present distance from the first.
    """

    states: Words
    slots: NDArray[np.int32]
    widths: NDArray[np.int32]
    first_edge: NDArray[np.int64]
    edges: NDArray[np.int32]
    low: NDArray[np.float32]
    high: NDArray[np.float32]
    steps: NDArray[np.int32]
    used: NDArray[np.int64]


STATES, EDGES, EXPANDED, MISSING, WIDEST, BACKWARD, NEAR = range(7)
"""Places in ``Store.used``."""

WORKING, DONE, NO_ROOM, TOO_WIDE = range(4)
"""What became of an expansion: there is more to do, there is not, it needs more room, it fails."""

MAX_JOINT_MOVES = 2**24
"""A state with more of them is too wide."""

UNKNOWN = 2**20
"""Steps to an end that nobody can bring about; more than any number of steps."""

SCALE = 2**21
"""What one point of value is worth, in steps: values come first."""

LOWEST, HIGHEST = np.float32(0), np.float32(100)

PRECISION = np.float32(0.01)
"""Bounds that would change by less stay: means in circles would come closer for ever."""


class _Lanes(NamedTuple):
    """What is known of the states in the lanes of a block.

    ``legal`` uint64 (lanes, words): which moves are legal. ``moves`` int32 (lanes, moves): each
    role's legal moves, from the role's first move on. ``totals`` int64 (lanes,): joint moves.
    """

    legal: Words
    moves: NDArray[np.int32]
    totals: NDArray[np.int64]


# ---------------------------------------------------------------------- states


@allocating_kernel
def expand(rows: Rows, store: Store, budget: int) -> int:
    """Expand states in the order in which they were found, until ``budget`` edges were made.

    Returns ``WORKING``, ``DONE``, ``NO_ROOM`` or ``TOO_WIDE``.
    """
    lanes, moves = 64 * rows.block.shape[1], rows.move_ends[-1]
    held = _Lanes(
        np.empty((lanes, (moves + 63) // 64), np.uint64),
        np.empty((lanes, moves), np.int32),
        np.zeros(lanes, np.int64),
    )
    used = store.used
    stop = used[EDGES] + budget
    while used[EXPANDED] < used[STATES]:
        if used[EDGES] >= stop:
            return WORKING
        first = used[EXPANDED]
        if first == used[NEAR]:
            used[NEAR] = used[STATES]
        count = min(lanes, used[NEAR] - first)
        load_states(rows, store.states, np.arange(first, first + count))
        evaluate(rows, rows.view_code)
        total = _look(rows, store, held, first, count)
        if total > MAX_JOINT_MOVES:
            return TOO_WIDE
        if used[EDGES] + total > len(store.edges) or used[STATES] + total > len(store.states):
            used[MISSING] = total
            return NO_ROOM
        _follow(rows, store, held, first, count)
        used[EXPANDED] += count
    return DONE


@allocating_kernel
def _look(rows: Rows, store: Store, held: _Lanes, first: int, count: int) -> float:
    """Note what the view says of the states in the lanes; return the number of joint moves."""
    read_rows(rows, rows.first[LEGAL], rows.move_ends[-1], held.legal[:count])
    total = 0.0
    for lane in range(count):
        state = first + lane
        store.first_edge[state] = store.used[EDGES] + int(total)
        product = 1.0
        for role in range(len(rows.move_ends) - 1):
            start, end = rows.move_ends[role], rows.move_ends[role + 1]
            width = bits_between(held.legal, lane, start, end, held.moves)
            store.widths[state, role] = width
            product *= width
        if is_set(rows.block, rows.first[TERMINAL], lane):
            product = 0.0
            for role in range(store.low.shape[1]):
                goal = np.float32(goal_of(rows, role, lane))
                _close(store, state, role, goal)
        elif product == 0:
            # A role without a move has nothing to hope for, its opponents nothing to fear.
            for role in range(store.low.shape[1]):
                _close(store, state, role, HIGHEST if store.widths[state, role] else LOWEST)
        if product == 0:
            store.widths[state] = 0
        held.totals[lane] = int(min(product, MAX_JOINT_MOVES + 1.0))
        total += product
    if total <= MAX_JOINT_MOVES:
        store.first_edge[first + count] = store.used[EDGES] + int(total)
    return total


@allocating_kernel
def _close(store: Store, state: int, role: int, value: np.float32) -> None:
    store.low[state, role] = value
    store.high[state, role] = value
    store.steps[state, role] = 0


@allocating_kernel
def _follow(rows: Rows, store: Store, held: _Lanes, first: int, count: int) -> None:
    """Make every joint move of the states in the lanes, one of each state at a time."""
    roles = len(rows.move_ends) - 1
    after = np.empty((count, store.states.shape[1]), np.uint64)
    spare, images = np.empty(after.shape[1], np.uint64), np.empty(count, np.int32)
    widest = held.totals[:count].max()
    store.used[WIDEST] = max(store.used[WIDEST], widest)
    for number in range(widest):
        clear_moves(rows)
        for lane in range(count):
            if number < held.totals[lane]:
                rest = number
                for role in range(roles - 1, -1, -1):
                    width = store.widths[first + lane, role]
                    start = rows.move_ends[role]
                    set_move(rows, lane, start + held.moves[lane, start + rest % width])
                    rest //= width
        evaluate(rows, rows.transition_code)
        read_rows(rows, rows.first[NEXT], rows.first[MOVES] - rows.first[FLUENTS], after)
        make_all_canonical(rows.images, after, spare, images)
        _fetch(store.slots, store.states, after)
        for lane in range(count):
            if number < held.totals[lane]:
                edge = store.first_edge[first + lane] + number
                store.edges[edge] = number_of(store, after, lane)
                store.used[EDGES] += 1
                store.used[BACKWARD] += store.edges[edge] <= first + lane


@allocating_kernel
def _fetch(slots: NDArray[np.int32], known: Words, states: Words) -> None:
    """Have the memory fetched in which some packed states will be looked for."""
    mask = np.uint64(len(slots) - 1)
    homes = np.empty(len(states), np.int64)
    for place in range(len(states)):
        homes[place] = np.int64(hash_of(states, place, 0) & mask)
        prefetch(slots.ctypes.data + 4 * homes[place])
    for place in range(len(states)):
        number = slots[homes[place]] - 1
        prefetch(known.ctypes.data + 8 * known.shape[1] * number)


@allocating_kernel
def refill(slots: NDArray[np.int32], known: Words, first: int, last: int) -> None:
    """Put the numbers of some packed states, all different, into a store's slots."""
    mask = np.uint64(len(slots) - 1)
    for number in range(first, last):
        home = np.int64(hash_of(known, number, 0) & mask)
        prefetch(slots.ctypes.data + 4 * int(home))
    for number in range(first, last):
        slots[find_slot(slots, known, known, number)] = number + 1


@allocating_kernel
def number_of(store: Store, states: Words, place: int) -> int:
    """Return the number of one of some packed states; a state not seen before gets the next."""
    slot = find_slot(store.slots, store.states, states, place)
    if store.slots[slot] == 0:
        number = store.used[STATES]
        for word in range(states.shape[1]):
            store.states[number, word] = states[place, word]
        for role in range(store.high.shape[1]):
            store.high[number, role] = HIGHEST
            store.steps[number, role] = UNKNOWN
        store.used[STATES] = number + 1
        store.slots[slot] = number + 1
    return int(store.slots[slot] - 1)


@allocating_kernel
def find_slot(slots: NDArray[np.int32], known: Words, states: Words, place: int) -> int:
    """Return the slot that holds the number of one of some states, or that is free for it.

    ``slots`` and ``known`` are a store's slots and states.
    """
    mask = len(slots) - 1
    slot = np.int64(hash_of(states, place, 0) & np.uint64(mask))
    while slots[slot] > 0:
        number = slots[slot] - 1
        equal = True
        for word in range(states.shape[1]):
            equal &= known[number, word] == states[place, word]
        if equal:
            break
        slot = (slot + 1) & mask
    return int(slot)


# ---------------------------------------------------------------------- values


@allocating_kernel
def back_up(store: Store, by_chance: NDArray[np.bool_], order: NDArray[np.int64]) -> int:
    """Narrow the bounds of some states by those of the states after them; return how many changed.

    ``by_chance`` bool (roles,): whose moves are valued by their mean; these roles have no value
    of their own. ``order`` int64 (3,): first state, the one to stop before, step.
    """
    spare = np.empty(max(1, store.used[WIDEST]), np.float64)
    changed = 0
    for state in range(order[0], order[1], order[2]):
        if store.widths[state, 0] == 0:
            continue
        for role in range(len(by_chance)):
            if by_chance[role] or store.low[state, role] == store.high[state, role]:
                continue
            low = _backed_up(store, store.low, by_chance, (state, role), spare)
            high = _backed_up(store, store.high, by_chance, (state, role), spare)
            rise, fall = low - store.low[state, role], store.high[state, role] - high
            if rise > PRECISION or fall > PRECISION or (low == high and rise + fall > 0):
                store.low[state, role] = low
                store.high[state, role] = high
                changed += 1
    return changed


@allocating_kernel
def _backed_up(
    store: Store,
    values: NDArray[np.float32],
    by_chance: NDArray[np.bool_],
    place: tuple[int, int],
    spare: NDArray[np.float64],
) -> np.float32:
    state, role = place
    first, last = store.first_edge[state], store.first_edge[state + 1]
    for edge in range(first, last):
        spare[edge - first] = values[store.edges[edge], role]
    return np.float32(_chosen(spare[: last - first], store.widths[state], role, by_chance))


@allocating_kernel
def measure(store: Store, order: NDArray[np.int64]) -> int:
    """Find steps to the end for some states from those of the states after them.

    Who can force more than 50 hurries, and the others hold out; who can be held to 50 or less holds
    out, and the others hurry. ``order`` as in :func:`back_up`. Returns how many changed.
    """
    spare = np.empty(max(1, store.used[WIDEST]), np.float64)
    nobody = np.zeros(store.low.shape[1], np.bool_)
    changed = 0
    for state in range(order[0], order[1], order[2]):
        if store.widths[state, 0] == 0:
            continue
        for role in range(store.low.shape[1]):
            if store.low[state, role] > 50 or store.high[state, role] <= 50:
                steps = _steps(store, state, role, nobody, spare)
                if steps < store.steps[state, role]:
                    store.steps[state, role] = steps
                    changed += 1
    return changed


@allocating_kernel
def _steps(
    store: Store,
    state: int,
    role: int,
    nobody: NDArray[np.bool_],
    spare: NDArray[np.float64],
) -> int:
    first, last = store.first_edge[state], store.first_edge[state + 1]
    hurries = store.low[state, role] > 50
    bound = store.low if hurries else store.high
    sign = -1 if hurries else 1
    for edge in range(first, last):
        child = store.edges[edge]
        spare[edge - first] = SCALE * bound[child, role] + sign * store.steps[child, role]
    score = _chosen(spare[: last - first], store.widths[state], role, nobody)
    steps = sign * (score - SCALE * bound[state, role])
    return int(min(steps + 1, UNKNOWN)) if steps >= 0 else UNKNOWN


@allocating_kernel
def _chosen(
    values: NDArray[np.float64],
    widths: NDArray[np.int32],
    role: int,
    by_chance: NDArray[np.bool_],
) -> float:
    """Return the value of a state for a role, of the values after its joint moves.

    The role chooses the largest after the others, who know its move, have chosen the smallest, or
    the mean where they move by chance. ``values`` float64 (joint moves,) is overwritten.
    """
    others = len(values) // widths[role]
    if others == 1:
        return float(values.max())
    if others == len(values) and not by_chance.any():
        return float(values.min())
    left = widths.copy()
    for other in range(len(widths) - 1, -1, -1):
        if other != role:
            _reduce(values, left, other, MEAN if by_chance[other] else LEAST)
    _reduce(values, left, role, GREATEST)
    return float(values[0])


GREATEST, LEAST, MEAN = range(3)
"""What a role chooses of some values."""


@allocating_kernel
def _reduce(values: NDArray[np.float64], widths: NDArray[np.int32], role: int, how: int) -> None:
    """Let a role choose the greatest, the least or the mean value. Its width becomes 1."""
    width = widths[role]
    outer, inner = 1, 1
    for i in range(role):
        outer *= widths[i]
    for i in range(role + 1, len(widths)):
        inner *= widths[i]
    for i in range(outer):
        for j in range(inner):
            result = values[i * width * inner + j]
            for k in range(1, width):
                result = _joined(result, values[(i * width + k) * inner + j], how)
            values[i * inner + j] = result / width if how == MEAN else result
    widths[role] = 1


@allocating_kernel
def _joined(result: float, value: float, how: int) -> float:
    if how == MEAN:
        return result + value
    return max(result, value) if how == GREATEST else min(result, value)
