"""How fast the searches are: what ``ggp-player bench`` measures."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter, thread_time

import gdl
from gdl.benchmark.measure import MeasurementPlan
from gdl.engine import PropnetStateMachine
from gdl.errors import RulesetError
from ggp_player.inspect.timed_search import searching_role
from ggp_player.search_slices import slice_seconds
from ggp_player.strategies import Position
from ggp_player.strategies.mcts import Settings, TreeSearch
from ggp_player.strategies.solver import Proof, ProofTree

STEPS = 200
"""Steps of a block between two readings of the clock."""

TABLE_ENTRIES = 2**22
"""The size of the proof's transposition table."""


def measure_searches(game: str, text: str, plan: MeasurementPlan) -> dict[str, float]:
    """Measure searches from the initial state, per second of one core's CPU time.

    ``playouts/s`` are those of bare blocks, ``in search`` those of the tree search, ``share`` the
    second over the first; ``nodes/s`` are new nodes of its tree, ``proof nodes/s`` states visited
    by alpha-beta on blocks, left out where that cannot play the game. ``length`` is the mean length
    of playouts. Where ``plan.threads`` are several, ``N threads`` are the playouts per second of
    wall-clock time in a tree that they grow together, and ``speed-up`` is that over what one thread
    makes. Meant for an isolated process. Raises :class:`gdl.GdlError` for bad rules.
    """
    machine = gdl.compile(gdl.parse(text, game))
    machine.warm_up()
    if machine.is_terminal(machine.initial_state()):
        raise RulesetError(
            f"{game}: the match is over before it begins; there is nothing to search"
        )
    bare, length = _bare(machine, plan)
    playouts, nodes = _tree_search(machine, plan, 1, thread_time)
    figures = {"length": length, "playouts/s": bare, "in search": playouts}
    figures |= {"share": playouts / bare, "nodes/s": nodes}
    if plan.threads > 1:
        alone, _ = _tree_search(machine, plan, 1, perf_counter)
        together, _ = _tree_search(machine, plan, plan.threads, perf_counter)
        figures |= {f"{plan.threads} threads": together, "speed-up": together / alone}
    proof = _proof(machine, plan)
    return figures if proof is None else figures | {"proof nodes/s": proof}


def _bare(machine: PropnetStateMachine, plan: MeasurementPlan) -> tuple[float, float]:
    """Return playouts per second, and the mean length of playouts."""
    block = machine.block(plan.seed)
    ended = length = 0
    began = thread_time()
    while thread_time() - began < plan.seconds or not ended:
        block.load(machine.bits(machine.initial_state())[None, :])
        played = block.play(10 * STEPS, refill=True)
        ended += int(played.ended.sum())
        length += int(played.steps.sum())
    return ended / (thread_time() - began), length / ended


def _tree_search(
    machine: PropnetStateMachine, plan: MeasurementPlan, threads: int, clock: Callable[[], float]
) -> tuple[float, float]:
    """Return playouts and new nodes per second of a clock; what is proved is searched anew.

    A slice takes as long as those of a match, as the threads wait for each other at its end.
    """
    playouts = nodes = seed = 0
    used = 0.0
    while used < plan.seconds:
        steps = STEPS
        search = TreeSearch(machine, Settings(), plan.seed + seed, threads=threads)
        seed += 1
        search.set_root(machine.initial_state())
        search.run(1)
        began = clock()
        while used + clock() - began < plan.seconds and not search.is_proved:
            before, start = search.nodes, clock()
            search.run(steps)
            nodes += max(0, search.nodes - before)
            steps = 1 + int(steps * slice_seconds() / max(clock() - start, slice_seconds() / 2))
        used += clock() - began
        playouts += search.playouts
    return playouts / used, nodes / used


def _proof(machine: PropnetStateMachine, plan: MeasurementPlan) -> float | None:
    if Proof().refusal(machine) is not None:
        return None
    role = searching_role(machine, machine.initial_state(), None)
    tree = ProofTree(machine, role, TABLE_ENTRIES)
    search = tree.search(Position(machine, machine.initial_state(), role))
    next(search, None)  # the first step loads the kernels
    before, began = tree.nodes, thread_time()
    for _ in search:
        if thread_time() - began > plan.seconds:
            break
    return None if tree.problem else (tree.nodes - before) / (thread_time() - began)
