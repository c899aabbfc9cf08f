"""The ends of playouts: what comes of them goes up to the root."""

from __future__ import annotations

import numpy as np

from gdl.engine.kernel_library import (
    GOALS_VIEW,
    GOALS_VIEW_PROGRAM,
    ONE,
    ZERO,
    call_evaluator,
    goal_values,
    inlined_kernel,
    kernel,
    lowest,
    population,
)
from ggp_player.strategies.mcts.arrays import (
    FREE,
    PLAYOUTS,
    STATES,
    STEP,
    GameArrays,
    Lanes,
    Memory,
    PendingLeaves,
    Settings,
    Words,
)
from ggp_player.strategies.mcts.nodes import back_up, share_moves

REFILL = 64
"""Idle lanes for which it is worth looking for new leaves."""


@inlined_kernel
def land(memory: Memory, settings: Settings) -> None:
    """Stop the lanes that have ended; count their playouts once there are enough idle lanes."""
    game, lanes, _, _, counts, _ = memory
    expired = counts[STEP] % 256 == 255
    for word in range(lanes.alive.shape[0]):
        alive = lanes.alive[word]
        ended = lanes.rows[game.terminal, word] & alive
        if expired:
            ended |= _expired(lanes, counts[STEP] - settings.longest, word)
        counts[STATES] += population(alive)
        lanes.alive[word] = alive & ~ended
        lanes.over[word] |= ended
    if idle_lanes(lanes) >= REFILL:
        view_goals(game, lanes)
        _count_playouts(memory, settings)


@inlined_kernel
def idle_lanes(lanes: Lanes) -> int:
    """Return how many lanes play nothing."""
    idle = 64 * lanes.alive.shape[0]
    for word in range(lanes.alive.shape[0]):
        idle -= population(lanes.alive[word])
    return idle


@inlined_kernel
def view_goals(game: GameArrays, lanes: Lanes) -> None:
    """Bring the goal rows up to date with the view of this step."""
    if game.late_goals:
        rows = lanes.rows.ctypes.data
        call_evaluator(game.code[GOALS_VIEW], rows, game.code[GOALS_VIEW_PROGRAM])


@inlined_kernel
def _count_playouts(memory: Memory, settings: Settings) -> None:
    """Take in the results of the playouts that are over; goals must have been evaluated."""
    game, lanes, flights, _, _, _ = memory
    over = lanes.over
    for word in range(over.shape[0]):
        if over[word] != ZERO:
            _take_values(game, lanes, flights, word, over[word])
    if settings.equivalence:
        _note_results(game, lanes, over)
        _take_moves(game, lanes, flights, over)
    for word in range(over.shape[0]):
        left = over[word]
        over[word] = ZERO
        while left != ZERO:
            flight = lanes.flight[word * 64 + lowest(left)]
            left &= left - ONE
            flights.pending[flight] -= 1
            if flights.pending[flight] == 0:
                _end_flight(memory, settings, flight)


@inlined_kernel
def _take_values(
    game: GameArrays, lanes: Lanes, flights: PendingLeaves, word: int, over: np.uint64
) -> None:
    """Add the goal values of a word's playouts that are over to those of their flights.

    The lowest of several goal values of a role counts.
    """
    role, unvalued = -1, over
    for goal in range(game.goal_table.shape[0]):
        if game.goal_table[goal, 0] != role:
            role, unvalued = game.goal_table[goal, 0], over
        given = lanes.rows[game.goals + goal, word] & unvalued
        unvalued &= ~given
        value = 0.01 * game.goal_table[goal, 1]
        while given != ZERO and value > 0.0:
            lane = word * 64 + lowest(given)
            given &= given - ONE
            flights.sums[lanes.flight[lane], role] += value


@kernel
def _note_results(game: GameArrays, lanes: Lanes, over: Words) -> None:
    """Note the goal values of each playout that is over."""
    for word in range(over.shape[0]):
        left = over[word]
        while left != ZERO:
            lane = word * 64 + lowest(left)
            left &= left - ONE
            goal_values(lanes.rows, game.goals, game.goal_table, lane, lanes.values)
            for role in range(lanes.values.shape[0]):
                lanes.results[lane, role] = np.float32(0.01 * lanes.values[role])


@kernel
def _take_moves(game: GameArrays, lanes: Lanes, flights: PendingLeaves, ended: Words) -> None:
    """Add the moves of playouts that have ended, with their values, to those of the flights."""
    words = ended.shape[0]
    for role in range(game.chance.shape[0]):
        for move in range(game.offsets[role], game.offsets[role + 1]):
            first = np.uint64(move * words)
            some = ZERO
            for word in range(np.uint64(words)):
                some |= lanes.played[first + np.uint64(word)] & ended[np.uint64(word)]
            if some == ZERO:
                continue
            for word in range(words):
                found = lanes.played[move * words + word] & ended[word]
                while found != ZERO:
                    lane = word * 64 + lowest(found)
                    found &= found - ONE
                    flights.made[lanes.flight[lane], move] += 1
                    flights.gains[lanes.flight[lane], move] += lanes.results[lane, role]


@inlined_kernel
def _end_flight(memory: Memory, settings: Settings, flight: int) -> None:
    """Tell the path of a flight of which the last playout has ended."""
    game, _, flights, tree, counts, _ = memory
    if settings.equivalence:
        share_moves(game, tree, flights, flight)
    back_up(tree, flights, flight, flights.size[flight])
    counts[PLAYOUTS] += flights.size[flight]
    flights.free[counts[FREE]] = flight
    counts[FREE] += 1


@kernel
def _expired(lanes: Lanes, limit: int, word: int) -> np.uint64:
    """Return the living lanes of a word that began before a step."""
    found, alive = ZERO, lanes.alive[word]
    for bit in range(64):
        if (alive >> np.uint64(bit)) & ONE and lanes.begun[word * 64 + bit] < limit:
            found |= ONE << np.uint64(bit)
    return found
