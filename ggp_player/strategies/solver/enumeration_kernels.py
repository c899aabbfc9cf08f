"""Kernels of complete enumeration: all states are found forwards, and valued backwards.

Going back from the ends to value every state is known as retrograde analysis. The kernels take
arrays only; a :class:`StateGraph` holds those that belong together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import (
    BlockView,
    evaluate_transition,
    evaluate_view,
    is_set,
    kernel,
    load_states,
    make_all_canonical,
    prefetch,
    read_lanes,
)
from ggp_player.strategies.solver.block_kernels import (
    Words,
    bits_between,
    clear_moves,
    goal_of,
    hash_of,
    set_move,
)

COUNTERS = np.dtype(
    [
        ("states", np.int64),  # found
        ("edges", np.int64),
        ("expanded", np.int64),  # states
        ("missing", np.int64),  # room for so many more states or edges
        ("widest", np.int64),  # the most joint moves of a state
        ("backward", np.int64),  # edges to states found earlier
        ("same_level", np.int64),  # states up to the present distance from the first
    ]
)
"""How much of a graph is in use."""


class StateGraph(NamedTuple):
    """The states found, and to which of them joint moves lead. There is room for n states.

    ``states`` uint64 (n, words): packed and canonical. ``slots`` int32 (a power of 2,): a hash
    table of their indices plus 1, 0 where free. ``widths`` int32 (n, roles): how many legal moves
    each role has, 0 at an end. ``first_edge`` int64 (n + 1,): where a state's edges begin.
    ``edges`` int32 (any,): the states after its joint moves, the last role's moves varying
    fastest. ``low``, ``high`` float32 (n, roles): bounds of each role's value. ``steps`` int32 (n,
    roles): the distance of the end, or ``UNKNOWN``. ``counters`` ``COUNTERS`` (1,).
    """

    states: Words
    slots: NDArray[np.int32]
    widths: NDArray[np.int32]
    first_edge: NDArray[np.int64]
    edges: NDArray[np.int32]
    low: NDArray[np.float32]
    high: NDArray[np.float32]
    steps: NDArray[np.int32]
    counters: NDArray[np.void]


WORKING, DONE, NO_ROOM, TOO_WIDE = range(4)
"""How an expansion ended: there is more to do, or nothing, or no room, or a state is too wide."""

MAX_JOINT_MOVES = 2**24
"""A block of states with more of them is too wide."""

UNKNOWN = 2**20
"""The distance of an end that nobody can force; more than any number of steps."""

SCALE = 2**21
"""The worth of one point of value, in steps: values come first."""

LOWEST, HIGHEST = np.float32(0), np.float32(100)

PRECISION = np.float32(0.01)
"""Smaller changes of bounds are not made: means on cycles would converge for ever."""


class _LaneMoves(NamedTuple):
    """The legal moves of the states in the lanes of a block.

    ``legal`` uint64 (lanes, words): a bit for each move. ``moves`` int32 (lanes, moves): each
    role's legal moves, from the column of the role's first move on. ``totals`` int64 (lanes,): how
    many joint moves there are.
    """

    legal: Words
    moves: NDArray[np.int32]
    totals: NDArray[np.int64]


# ---------------------------------------------------------------------- states


@kernel
def expand(block: BlockView, graph: StateGraph, budget: int) -> int:
    """Expand states in the order in which they were found, until ``budget`` edges are added.

    Returns ``WORKING``, ``DONE``, ``NO_ROOM`` or ``TOO_WIDE``.
    """
    width, moves = 64 * block.rows.shape[1], block.move_offsets[-1]
    lanes = _LaneMoves(
        np.empty((width, (moves + 63) // 64), np.uint64),
        np.empty((width, moves), np.int32),
        np.zeros(width, np.int64),
    )
    counters = graph.counters[0]
    stop = counters.edges + budget
    while counters.expanded < counters.states:
        if counters.edges >= stop:
            return WORKING
        first = counters.expanded
        if first == counters.same_level:
            counters.same_level = counters.states
        count = min(width, counters.same_level - first)
        load_states(block, graph.states, np.arange(first, first + count))
        evaluate_view(block)
        total = _read_view(block, graph, lanes, first, count)
        if total > MAX_JOINT_MOVES:
            return TOO_WIDE
        if counters.edges + total > len(graph.edges) or counters.states + total > len(graph.states):
            counters.missing = total
            return NO_ROOM
        _make_moves(block, graph, lanes, first, count)
        counters.expanded += count
    return DONE


@kernel
def _read_view(
    block: BlockView, graph: StateGraph, lanes: _LaneMoves, first: int, count: int
) -> float:
    """Read the legal moves and the ends among the states in the lanes.

    Returns the number of joint moves, a float because it may be very large.
    """
    read_lanes(block.rows, block.legal, block.move_offsets[-1], lanes.legal[:count])
    total = 0.0
    for lane in range(count):
        state = first + lane
        graph.first_edge[state] = graph.counters[0].edges + int(total)
        product = 1.0
        for role in range(len(block.move_offsets) - 1):
            start, end = block.move_offsets[role], block.move_offsets[role + 1]
            width = bits_between(lanes.legal, lane, start, end, lanes.moves)
            graph.widths[state, role] = width
            product *= width
        if is_set(block.rows, block.terminal, lane):
            product = 0.0
            for role in range(graph.low.shape[1]):
                goal = np.float32(goal_of(block, role, lane))
                _set_value(graph, state, role, goal)
        elif product == 0:
            # As in minimax, a role without a move is worth 0, and its opponents 100.
            for role in range(graph.low.shape[1]):
                _set_value(graph, state, role, HIGHEST if graph.widths[state, role] else LOWEST)
        if product == 0:
            graph.widths[state] = 0
        lanes.totals[lane] = int(min(product, MAX_JOINT_MOVES + 1.0))
        total += product
    if total <= MAX_JOINT_MOVES:
        graph.first_edge[first + count] = graph.counters[0].edges + int(total)
    return total


@kernel
def _set_value(graph: StateGraph, state: int, role: int, value: np.float32) -> None:
    graph.low[state, role] = value
    graph.high[state, role] = value
    graph.steps[state, role] = 0


@kernel
def _make_moves(
    block: BlockView, graph: StateGraph, lanes: _LaneMoves, first: int, count: int
) -> None:
    """Make all joint moves of the states in the lanes: in each round one of every state."""
    roles = len(block.move_offsets) - 1
    after = np.empty((count, graph.states.shape[1]), np.uint64)
    spare, elements = np.empty(after.shape[1], np.uint64), np.empty(count, np.int32)
    widest = np.int64(0)
    for lane in range(count):
        widest = max(widest, lanes.totals[lane])
    graph.counters[0].widest = max(graph.counters[0].widest, widest)
    for number in range(widest):
        clear_moves(block)
        for lane in range(count):
            if number < lanes.totals[lane]:
                rest = number
                for role in range(roles - 1, -1, -1):
                    width = graph.widths[first + lane, role]
                    start = block.move_offsets[role]
                    set_move(block, lane, start + lanes.moves[lane, start + rest % width])
                    rest //= width
        evaluate_transition(block)
        read_lanes(block.rows, block.next, block.fluent_count, after)
        make_all_canonical(block.symmetries, after, spare, elements)
        _prefetch_slots(graph.slots, graph.states, after)
        for lane in range(count):
            if number < lanes.totals[lane]:
                edge = graph.first_edge[first + lane] + number
                graph.edges[edge] = index_of(graph, after, lane)
                graph.counters[0].edges += 1
                graph.counters[0].backward += graph.edges[edge] <= first + lane


@kernel
def _prefetch_slots(slots: NDArray[np.int32], known: Words, states: Words) -> None:
    """Prefetch the memory in which some packed states will be looked up."""
    mask = np.uint64(len(slots) - 1)
    homes = np.empty(len(states), np.int64)
    for index in range(len(states)):
        homes[index] = np.int64(hash_of(states, index, 0) & mask)
        prefetch(slots.ctypes.data + 4 * homes[index])
    for index in range(len(states)):
        candidate = slots[homes[index]] - 1
        prefetch(known.ctypes.data + 8 * known.shape[1] * candidate)


@kernel
def fill_slots(slots: NDArray[np.int32], known: Words, first: int, last: int) -> None:
    """Enter the states of a graph from ``first`` up to ``last`` into its slots."""
    mask = np.uint64(len(slots) - 1)
    for index in range(first, last):
        home = np.int64(hash_of(known, index, 0) & mask)
        prefetch(slots.ctypes.data + 4 * int(home))
    for index in range(first, last):
        slots[find_slot(slots, known, known, index)] = index + 1


@kernel
def index_of(graph: StateGraph, states: Words, row: int) -> int:
    """Return the index of one of some packed states; a state not seen before is added."""
    slot = find_slot(graph.slots, graph.states, states, row)
    if graph.slots[slot] == 0:
        index = graph.counters[0].states
        for word in range(states.shape[1]):
            graph.states[index, word] = states[row, word]
        for role in range(graph.high.shape[1]):
            graph.high[index, role] = HIGHEST
            graph.steps[index, role] = UNKNOWN
        graph.counters[0].states = index + 1
        graph.slots[slot] = index + 1
    return int(graph.slots[slot] - 1)


@kernel
def find_slot(slots: NDArray[np.int32], known: Words, states: Words, row: int) -> int:
    """Return the slot that holds the index of one of some states, or that is free for it.

    ``slots`` and ``known`` are the slots and the states of a graph.
    """
    mask = len(slots) - 1
    slot = np.int64(hash_of(states, row, 0) & np.uint64(mask))
    while slots[slot] > 0:
        index = slots[slot] - 1
        equal = True
        for word in range(states.shape[1]):
            equal &= known[index, word] == states[row, word]
        if equal:
            break
        slot = (slot + 1) & mask
    return int(slot)


# ---------------------------------------------------------------------- values


@kernel
def back_up(graph: StateGraph, by_chance: NDArray[np.bool_], order: NDArray[np.int64]) -> int:
    """Narrow the bounds of some states by those of their successors; return how many changed.

    ``by_chance`` bool (roles,): roles whose moves are valued by their mean; these have no value of
    their own. ``order`` int64 (3,): first state, the one to stop before, step.
    """
    spare = np.empty(max(1, graph.counters[0].widest), np.float64)
    changed = 0
    for state in range(order[0], order[1], order[2]):
        if graph.widths[state, 0] == 0:
            continue
        for role in range(len(by_chance)):
            if by_chance[role] or graph.low[state, role] == graph.high[state, role]:
                continue
            low = _backed_up_value(graph, graph.low, by_chance, state, role, spare)
            high = _backed_up_value(graph, graph.high, by_chance, state, role, spare)
            rise, fall = low - graph.low[state, role], graph.high[state, role] - high
            if rise > PRECISION or fall > PRECISION or (low == high and rise + fall > 0):
                graph.low[state, role] = low
                graph.high[state, role] = high
                changed += 1
    return changed


@kernel
def _backed_up_value(
    graph: StateGraph,
    values: NDArray[np.float32],
    by_chance: NDArray[np.bool_],
    state: int,
    role: int,
    spare: NDArray[np.float64],
) -> np.float32:
    first, last = graph.first_edge[state], graph.first_edge[state + 1]
    for edge in range(first, last):
        spare[edge - first] = values[graph.edges[edge], role]
    return np.float32(_chosen(spare[: last - first], graph.widths[state], role, by_chance))


@kernel
def measure_steps(graph: StateGraph, order: NDArray[np.int64]) -> int:
    """Compute the distance of the end for some states from that of their successors.

    A role that can force more than 50 hurries, and the others hold out; one that can be held to 50
    or less holds out, and the others hurry. ``order`` as in :func:`back_up`. Returns how many
    states changed.
    """
    spare = np.empty(max(1, graph.counters[0].widest), np.float64)
    nobody = np.zeros(graph.low.shape[1], np.bool_)
    changed = 0
    for state in range(order[0], order[1], order[2]):
        if graph.widths[state, 0] == 0:
            continue
        for role in range(graph.low.shape[1]):
            if graph.low[state, role] > 50 or graph.high[state, role] <= 50:
                steps = _steps(graph, state, role, nobody, spare)
                if steps < graph.steps[state, role]:
                    graph.steps[state, role] = steps
                    changed += 1
    return changed


@kernel
def _steps(
    graph: StateGraph,
    state: int,
    role: int,
    nobody: NDArray[np.bool_],
    spare: NDArray[np.float64],
) -> int:
    first, last = graph.first_edge[state], graph.first_edge[state + 1]
    hurries = graph.low[state, role] > 50
    bound = graph.low if hurries else graph.high
    sign = -1 if hurries else 1
    for edge in range(first, last):
        child = graph.edges[edge]
        spare[edge - first] = SCALE * bound[child, role] + sign * graph.steps[child, role]
    score = _chosen(spare[: last - first], graph.widths[state], role, nobody)
    steps = sign * (score - SCALE * bound[state, role])
    return int(min(steps + 1, UNKNOWN)) if steps >= 0 else UNKNOWN


@kernel
def _chosen(
    values: NDArray[np.float64],
    widths: NDArray[np.int32],
    role: int,
    by_chance: NDArray[np.bool_],
) -> float:
    """Return the value of a state for a role from the values after its joint moves.

    The others know the role's move: for each of its moves they choose the least value, or the mean
    where they move by chance; of these the role takes the greatest. ``values`` float64 (joint
    moves,) is overwritten.
    """
    others = len(values) // widths[role]
    some_chance = False
    for other in range(len(by_chance)):
        some_chance |= by_chance[other]
    if others == 1 or (others == len(values) and not some_chance):
        value = values[0]
        for index in range(1, len(values)):
            value = max(value, values[index]) if others == 1 else min(value, values[index])
        return float(value)
    left = widths.copy()
    for other in range(len(widths) - 1, -1, -1):
        if other != role:
            _reduce(values, left, other, MEAN if by_chance[other] else LEAST)
    _reduce(values, left, role, GREATEST)
    return float(values[0])


GREATEST, LEAST, MEAN = range(3)
"""How a role chooses from several values."""


@kernel
def _reduce(values: NDArray[np.float64], widths: NDArray[np.int32], role: int, how: int) -> None:
    """Reduce the axis of a role to the greatest, least or mean value; its width becomes 1."""
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
                result = _combined(result, values[(i * width + k) * inner + j], how)
            values[i * inner + j] = result / width if how == MEAN else result
    widths[role] = 1


@kernel
def _combined(result: float, value: float, how: int) -> float:
    if how == MEAN:
        return result + value
    return max(result, value) if how == GREATEST else min(result, value)
