"""Kernels of learning: many games at once, whose moves are chosen by comparing their successors.

All moves of as many games as fit into a block are made in it together. When a game has ended, the
weights of its states are moved towards what came after them, as in TD(lambda).

Sources: R. Sutton, Learning to predict by the methods of temporal differences (1988); G. Tesauro,
Temporal difference learning and TD-Gammon (1995); J. Duchi, E. Hazan and Y. Singer, Adaptive
subgradient methods for online learning and stochastic optimization (2011).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import (
    BlockView,
    count_bits,
    evaluate_view,
    inlined_kernel,
    kernel,
    load_states,
    lowest,
    next_bit,
    read_lanes,
)
from ggp_player.strategies.patterns.pattern_tables import (
    Children,
    Indices,
    PatternTables,
    Scratch,
    Weights,
    Words,
    add_up,
    evaluate_moves,
    find_entries,
    find_indices,
    new_children,
    new_scratch,
)

SLOTS = 128
"""Games at once: enough for a block, whatever the number of moves."""

FEWEST_STEPS, MOST_STEPS = 64, 500
"""A game that has more steps is given up; what there are depends on memory."""

MOST_BYTES = 2**26
"""Memory for the indices of the states of all games, about."""

GAME = np.dtype(
    [
        ("chooser", np.int32),  # the role that chooses now, the first one where none has a choice
        ("others", np.int32),  # how many choose after it in the same step
        ("width", np.int32),  # its moves, but 1 where one was drawn at random
        ("drawn", np.int32),  # the number of that among its moves, -1 where there is none
        ("step", np.int32),  # steps so far
        ("opening", np.int32),  # steps that are made at random first
        ("explored", np.int32),  # whether a choice of this step was made at random
    ]
)
"""The record of a game that is under way."""


class Games(NamedTuple):
    """The games under way, of which the last is one that has only begun.

    ``states`` and ``legal`` uint64 (games, words): packed. ``indices`` uint16 (games, tables).
    ``facts``: ``GAME`` (games,). ``moves`` int32 (games, roles): for roles that do not choose now,
    the moves that they make, among those of all roles.
    """

    states: Words
    legal: Words
    indices: Indices
    facts: NDArray[np.void]
    moves: NDArray[np.int32]


class History(NamedTuple):
    """What is kept of the games under way, for each step: (games, steps, ...).

    ``indices`` uint16 of the state after the step, ``phases`` int32, and ``explored`` uint8:
    whether the step was made at random by a role that does not move by chance.
    """

    indices: Indices
    phases: NDArray[np.int32]
    explored: NDArray[np.uint8]


class SelfPlayGames(NamedTuple):
    """Games under way, and what they teach.

    ``weights`` and ``paces`` float32 (entries + 1, phases * outputs); an entry's pace is what it
    moves by, compared to one that was never met. Outputs are logits of goal values, of each
    role, or of the first of two rivals alone. ``legal`` uint64 (lanes, words): the moves that are
    legal in each of the ``children``, packed. ``chance`` uint8 (roles,): which roles move by
    chance. ``random`` uint64 (1,): the state of a generator.
    """

    block: BlockView
    tables: PatternTables
    weights: Weights
    paces: Weights
    games: Games
    children: Children
    legal: Words
    history: History
    scratch: Scratch
    chance: NDArray[np.uint8]
    random: Words


class Pace(NamedTuple):
    """How games are played, and learned from.

    ``rate`` is what the logit of a state moves by for an error of 1, ``trace`` is lambda.
    ``explored`` is the part of the moves that is made at random, ``opening`` the most random moves
    at the beginning. An entry whose squared errors add up to ``settled`` moves by about the root of
    a half of what one moves by that was never met.
    """

    rate: float
    trace: float
    explored: float
    opening: int
    settled: float


def new_games(
    block: BlockView,
    tables: PatternTables,
    weights: Weights,
    outputs: int,
    chance: Sequence[bool],
    seed: int,
) -> SelfPlayGames:
    """Make room for games whose states have so many outputs.

    ``chance`` says of each role whether it moves by chance. ``seed`` is at least 0.
    """
    moves, count = int(block.move_offsets[-1]), len(tables.sizes)
    words, move_words = -(-block.fluent_count // 64), -(-moves // 64)
    lanes = 64 * block.rows.shape[1]
    steps = int(min(MOST_STEPS, max(FEWEST_STEPS, MOST_BYTES // (2 * SLOTS * max(1, count)))))
    games = Games(
        np.zeros((SLOTS + 1, words), np.uint64),
        np.zeros((SLOTS + 1, move_words), np.uint64),
        np.zeros((SLOTS + 1, count), np.uint16),
        np.zeros(SLOTS + 1, GAME),
        np.zeros((SLOTS + 1, len(chance)), np.int32),
    )
    legal = np.zeros((lanes, move_words), np.uint64)
    children = new_children(lanes, words, outputs)
    history = History(
        np.zeros((SLOTS, steps, count), np.uint16),
        np.zeros((SLOTS, steps), np.int32),
        np.zeros((SLOTS, steps), np.uint8),
    )
    random = np.array([2 * seed + 1], np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    paces, scratch = np.ones_like(weights), new_scratch(tables, weights)
    by_chance = np.array(chance, np.uint8)
    return SelfPlayGames(
        block, tables, weights, paces, games, children, legal, history, scratch, by_chance, random
    )


@kernel
def play_on(play: SelfPlayGames, blocks: int, pace: Pace, counts: NDArray[np.int64]) -> None:
    """Evaluate so many blocks of moves.

    ``counts`` int64 (3,): the game that comes first, and games and steps so far.
    """
    lanes = len(play.children.ends)
    facts = play.games.facts
    slots = len(facts) - 1
    batch = np.empty(slots, np.int64)
    for _ in range(blocks):
        count, total = 0, 0
        while count < slots:
            game = (counts[0] + count) % slots
            width = min(facts[game].width, lanes)
            if total + width > lanes:
                break
            batch[count] = game
            count += 1
            total += width
        counts[0] = (counts[0] + count) % slots
        _make_all_moves(play, batch[:count], total)
        first = 0
        for i in range(count):
            game = batch[i]
            last = first + min(facts[game].width, lanes)
            _take_step(play, game, first, last, pace, counts)
            first = last


@kernel
def begin_games(play: SelfPlayGames, state: Words, pace: Pace) -> None:
    """Let all games begin in a state, uint64 (1, words)."""
    block, games = play.block, play.games
    start = len(games.states) - 1
    load_states(block, state, np.zeros(1, np.int64))
    evaluate_view(block)
    for word in range(state.shape[1]):
        games.states[start, word] = state[0, word]
    read_lanes(block.rows, block.legal, block.move_offsets[-1], games.legal[start : start + 1])
    find_indices(play.tables, games.states, start, games.indices, start)
    for game in range(start):
        _begin(play, game, pace)


@kernel
def _begin(play: SelfPlayGames, game: int, pace: Pace) -> None:
    """Let a game begin."""
    games = play.games
    start = len(games.states) - 1
    for word in range(games.legal.shape[1]):
        games.legal[game, word] = games.legal[start, word]
    for word in range(games.states.shape[1]):
        games.states[game, word] = games.states[start, word]
    for table in range(games.indices.shape[1]):
        games.indices[game, table] = games.indices[start, table]
    facts = games.facts[game]
    facts.step, facts.opening = 0, int(_uniform(play.random) * (pace.opening + 1))
    _begin_step(play, game, pace)


@inlined_kernel
def _draw_move(play: SelfPlayGames, game: int, pace: Pace) -> None:
    """Draw the move of a game at random, where it is time for that."""
    facts, random = play.games.facts[game], play.random
    facts.drawn = -1
    is_drawn = facts.step < facts.opening or play.chance[facts.chooser] > 0
    if (is_drawn or _uniform(random) < pace.explored) and facts.width > 1:
        facts.drawn, facts.width = int(_uniform(random) * facts.width), 1


@inlined_kernel
def _uniform(random: Words) -> float:
    """Draw a number from 0 to 1."""
    value = random[0]
    value ^= value << np.uint64(13)
    value ^= value >> np.uint64(7)
    value ^= value << np.uint64(17)
    random[0] = value
    return float(value >> np.uint64(11)) * 2.0**-53


@kernel
def _begin_step(play: SelfPlayGames, game: int, pace: Pace) -> None:
    """Find who has a choice in a game, the first role if nobody has.

    Where several have one they choose one after another, the first of them drawn at random, and
    chance last of all: each compares its moves beside those that the roles before it have chosen,
    and beside random ones of the roles after it.
    """
    facts, legal, moves = play.games.facts[game], play.games.legal, play.games.moves
    offsets, choosers = play.block.move_offsets, 0
    facts.chooser, facts.width, facts.others, facts.explored = 0, 1, 0, 0
    for role in range(len(offsets) - 1):
        moves[game, role] = next_bit(legal, game, offsets[role], offsets[role + 1])
        width = count_bits(legal, game, offsets[role], offsets[role + 1])
        if width > 1:
            choosers += 1
            facts.chooser, facts.width = role, width
    if choosers > 1:
        for role in range(len(offsets) - 1):
            width = count_bits(legal, game, offsets[role], offsets[role + 1])
            moves[game, role] = _nth_move(play, game, role, int(_uniform(play.random) * width))
        facts.chooser = int(_uniform(play.random) * (len(offsets) - 1))
        facts.others = choosers
        _let_next_choose(play, game)
    _draw_move(play, game, pace)


@inlined_kernel
def _nth_move(play: SelfPlayGames, game: int, role: int, number: int) -> int:
    """The move of a role by its number among those that are legal."""
    offsets, legal = play.block.move_offsets, play.games.legal
    last = offsets[role + 1]
    move = next_bit(legal, game, offsets[role], last)
    for _ in range(number):
        move = next_bit(legal, game, move + 1, last)
    return move


@inlined_kernel
def _let_next_choose(play: SelfPlayGames, game: int) -> None:
    """Let the next role that has a choice choose; chance only where no other is left."""
    facts, offsets, legal = play.games.facts[game], play.block.move_offsets, play.games.legal
    by_chance = 0
    for role in range(len(offsets) - 1):
        if play.chance[role] and count_bits(legal, game, offsets[role], offsets[role + 1]) > 1:
            by_chance += 1
    facts.others -= 1
    is_chance, facts.width = facts.others < by_chance, 1
    while facts.width < 2 or (play.chance[facts.chooser] > 0) != is_chance:
        facts.chooser = (facts.chooser + 1) % (len(offsets) - 1)
        first, last = offsets[facts.chooser], offsets[facts.chooser + 1]
        facts.width = count_bits(legal, game, first, last)


@kernel
def _make_all_moves(play: SelfPlayGames, batch: NDArray[np.int64], total: int) -> None:
    """Make all moves of some games, and describe the states that they lead to."""
    block, games = play.block, play.games
    legal, facts, lanes = games.legal, games.facts, len(play.children.ends)
    rows, offsets, first_row = block.rows, block.move_offsets, block.moves
    rows[first_row : first_row + offsets[-1]] = 0
    parents = np.empty(total, np.int64)
    lane = 0
    for game in batch:
        width, chooser = min(facts[game].width, lanes), facts[game].chooser
        for role in range(len(offsets) - 1):
            last = offsets[role + 1]
            move = games.moves[game, role]
            if role == chooser:
                move = _nth_move(play, game, role, max(0, facts[game].drawn))
            for i in range(lane, lane + width):
                if move < last:
                    rows[first_row + move, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
                if role == chooser:
                    move = next_bit(legal, game, move + 1, last)
        for i in range(lane, lane + width):
            parents[i] = game
        lane += width
    before = (games.states, games.indices)
    evaluate_moves(block, play.tables, play.weights, before, parents, play.children, play.scratch)
    read_lanes(rows, block.legal, offsets[-1], play.legal[:total])


@kernel
def _take_step(
    play: SelfPlayGames, game: int, first: int, last: int, pace: Pace, counts: NDArray[np.int64]
) -> None:
    """Choose one of the children of a game, and go there; learn from the game where it ends."""
    history, logits = play.history, play.children.logits
    facts = play.games.facts[game]
    outputs, step, chooser = logits.shape[1], facts.step, facts.chooser
    best = first
    if last - first > 1:
        best = first + int(_uniform(play.random) * (last - first))
        output = 0 if chooser >= outputs else chooser
        sign = -1.0 if chooser >= outputs else 1.0
        most = -math.inf
        for i in range(first, last):
            value = sign * logits[i, output]
            if value > most or (value == most and i == best):
                best, most = i, value
    if facts.drawn >= 0 and play.chance[chooser] == 0:
        facts.explored = 1
    if facts.others > 0:
        number = facts.drawn if facts.drawn >= 0 else best - first
        play.games.moves[game, chooser] = _nth_move(play, game, chooser, number)
        _let_next_choose(play, game)
        _draw_move(play, game, pace)
        return
    counts[2] += 1
    history.explored[game, step] = facts.explored
    is_over = play.children.ends[best] != 0
    if is_over or step + 1 == history.phases.shape[1]:
        if is_over:
            counts[1] += 1
            _learn(play, game, best, pace)
        _begin(play, game, pace)
        return
    games, children = play.games, play.children
    _follow(play.tables, games, children.states, game, best)
    for word in range(games.legal.shape[1]):
        games.legal[game, word] = play.legal[best, word]
    kept, indices = history.indices, games.indices
    for table in range(indices.shape[1]):
        kept[game, step, table] = indices[game, table]
    history.phases[game, step] = children.phases[best]
    facts.step = step + 1
    _begin_step(play, game, pace)


@kernel
def _follow(tables: PatternTables, games: Games, states: Words, game: int, child: int) -> None:
    """Let a game go to the state of a child."""
    starts, reached, offsets = tables.starts, tables.reached, tables.offsets
    indices = games.indices
    for word in range(states.shape[1]):
        old, new = games.states[game, word], states[child, word]
        games.states[game, word] = new
        changed = old ^ new
        while changed != 0:
            bit = lowest(changed)
            fluent = 64 * word + bit
            is_lost = old >> np.uint64(bit) & np.uint64(1) != 0
            for i in range(starts[fluent], starts[fluent + 1]):
                indices[game, reached[i]] += -offsets[i] if is_lost else offsets[i]
            changed &= changed - np.uint64(1)


@kernel
def _learn(play: SelfPlayGames, game: int, end: int, pace: Pace) -> None:
    """Move the weights of a game's states towards what came after them.

    ``end`` is the child in which the game ends. What came after a random step says nothing of what
    came before. States are evaluated anew, as other games have changed the weights meanwhile.
    """
    history, weights, paces = play.history, play.weights, play.paces
    facts = play.games.facts[game]
    explored, phases, indices = history.explored, history.phases, history.indices[game]
    outputs, count = play.children.logits.shape[1], indices.shape[1]
    entries = play.scratch.entries
    bias = np.uint32(len(weights) - 1)
    rate = pace.rate / (count + 1)
    one, half, three_eighths = np.float32(1), np.float32(0.5), np.float32(0.375)
    for output in range(outputs):
        target = 1.0 / (1.0 + math.exp(-play.children.logits[end, output]))
        for step in range(facts.step - 1, max(0, facts.opening - 1) - 1, -1):
            column = np.uint32(phases[game, step] * outputs + output)
            find_entries(play.tables, indices, step, entries)
            value = 1.0 / (1.0 + math.exp(-add_up(weights, entries, column)))
            if explored[game, step + 1]:
                target = value
                continue
            change = np.float32(rate * (target - value))
            square = np.float32((target - value) * (target - value) / pace.settled)
            weights[bias, column] += change
            for table in range(count):
                entry = entries[table]
                own = paces[entry, column]
                weights[entry, column] += change * own
                # What (1 + added) ** -0.5 begins with.
                added = square * own * own
                paces[entry, column] = own * (one - added * (half - three_eighths * added))
            target = pace.trace * target + (1 - pace.trace) * value
