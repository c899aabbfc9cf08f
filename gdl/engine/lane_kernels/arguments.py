"""What the kernels of stepping work on: three records of numbers and addresses, as int64.

``W`` is the number of words of a row. A *player* is a role that does not move by chance; a *column*
is a place for a player's actions, or its rewards, in arrays that have several.
"""

from __future__ import annotations

from typing import NamedTuple


class GameArguments(NamedTuple):
    """What all blocks have in common. Addresses unless stated otherwise."""

    view: int
    """The function that evaluates what each step needs of the view."""
    view_program: int
    goals_view: int
    """The function that evaluates goals after that; 0 where the view has them."""
    goals_view_program: int
    transition: int
    transition_program: int
    select: int
    fluents: int
    """Row number of the first, as all the following."""
    next: int
    legal: int
    moves: int
    terminal: int
    goals: int
    percepts: int
    choices: int
    """For each role the lanes in which it has more than one legal move; behind the rows of gates,
    as the next."""
    shared_rows: int
    """For each shared action the lanes in which it is legal."""
    fluent_count: int
    """Number, as all the following."""
    goal_count: int
    percept_count: int
    move_count: int
    """The moves of all roles."""
    roles: int
    role_table: int
    """int64 (roles, 4): first move, number of moves, column of actions, column of rewards; a column
    is -1 where there is none: then moves are made at random, and rewards for nobody."""
    goal_table: int
    """int64 (goals, 2): role and value of each goal row, by role, then by rising value."""
    rewards: int
    """float64 (goals,): what each goal row is worth."""
    reward_columns: int
    """Number."""
    action_columns: int
    """Number."""
    shared: int
    """1 where one action is for whichever player has a choice, 0 where each column has its role."""
    shared_moves: int
    """int64 (roles, shared_count): a role's move for each shared action, -1 where it has none."""
    shared_count: int
    """Number."""
    skips: int
    """1 to go on by itself while no player with a column has a choice, 0 to make one step."""
    hides: int
    """1 where moves and percepts are observed; a lane that begins again has none."""
    limit: int
    """Number of steps after which a lane is truncated; 0 for none."""
    counter_bits: int
    """Number of rows of a block's counters."""
    start: int
    """uint64 (fluents, W): the initial state in all lanes."""
    observed: int
    """int64 (observed_count,): the rows that are observed."""
    observed_count: int
    """Number."""
    masked: int
    """int64 (masked_count,): the rows that are the legal actions."""
    masked_count: int
    """Number."""
    second_choices: int
    """Row number: where the second of two players has a choice; 0 unless actions are shared."""


class BlockArguments(NamedTuple):
    """What is one block's: addresses. Masks of lanes are uint64 (W,)."""

    rows: int
    scratch: int
    random: int
    used: int
    """The lanes that there are."""
    done: int
    """The lanes whose episode has ended and that wait for the next."""
    held: int
    """The lanes that others wait for: they make no step."""
    pending: int
    """The lanes that make a step now."""
    resetting: int
    """The lanes that begin again now."""
    ended: int
    """The lanes that have come to a terminal state in this call."""
    truncated: int
    """The lanes that were cut off in this call."""
    movers: int
    """The lanes that a role makes actions in; to work with."""
    stuck: int
    """The lanes in which a role has no legal move at all."""
    counters: int
    """uint64 (counter_bits, W): the steps made in each lane, bit by bit, the lowest first."""


class CallArguments(NamedTuple):
    """What one call reads and writes: addresses of the arrays of all lanes, of all blocks."""

    actions: int
    """int64 (lanes, action_columns)."""
    observations: int
    """uint8 (lanes, observed_count)."""
    masks: int
    """uint8 (lanes, masked_count)."""
    actors: int
    """uint8 (lanes,): the column of rewards of whoever acts, where actions are shared."""
    movers: int
    """uint8 (lanes,): 1 where the second of two players has the next action, 0 where the first."""
    rewards: int
    """float64 (lanes, reward_columns), zeros."""
    own_rewards: int
    """float64 (lanes,), zeros: the rewards of actors."""
    terminated: int
    """uint8 (lanes,)."""
    truncated: int
    """uint8 (lanes,)."""
    final_observations: int
    """uint8 (lanes, observed_count): written in lanes that have ended where they begin again."""
    autoreset: int
    """Number: see :class:`gdl.engine.stepper.Autoreset`."""
