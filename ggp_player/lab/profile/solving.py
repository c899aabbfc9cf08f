"""What the proof search needs to prove stored positions, whose values are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import thread_time

from gdl import Ruleset
from gdl.engine import PropnetStateMachine
from ggp_player.errors import LabError
from ggp_player.lab.positions.solved_positions import (
    OWN_SETS,
    SUFFIX,
    SolvedPosition,
    load_set,
    rules_digest,
)
from ggp_player.lab.positions.turns import chooser, replayed
from ggp_player.strategies import Choice, Position
from ggp_player.strategies.solver import Proof


@dataclass(frozen=True, slots=True)
class Solving:
    """How many of some positions were proved, within ``limit`` nodes each, and at what cost.

    ``nodes`` and CPU ``seconds`` are those of all positions, also of those that were given up.
    """

    positions: int
    solved: int
    nodes: int
    seconds: float
    limit: int


def stored_positions(
    game: str, ruleset: Ruleset, count: int, folder: Path = OWN_SETS
) -> Sequence[SolvedPosition]:
    """The first stored positions of a game; none where there is no set of it, or of other rules."""
    path = folder / f"{game}{SUFFIX}"
    if not count or not path.is_file():
        return ()
    found = load_set(path)
    return found.positions[:count] if found.rules == rules_digest(ruleset) else ()


def solve_positions(
    machine: PropnetStateMachine,
    positions: Sequence[SolvedPosition],
    limit: int,
    clock: Callable[[], float] = thread_time,
) -> Solving:
    """Prove positions, each with an empty table.

    Raises :class:`LabError` where a proof contradicts what is stored.
    """
    solved = nodes = 0
    seconds = 0.0
    for number, stored in enumerate(positions, 1):
        proof, began = Proof(nodes=limit), clock()
        choice = _last_choice(proof, machine, stored)
        seconds += clock() - began
        nodes += proof.work
        if not choice.proved:
            continue
        solved += 1
        if choice.value != stored.best:
            raise LabError(
                f"stored position {number} is worth {stored.best}, and the proof search has proved "
                f"{choice.value}: one of the two is wrong"
            )
    return Solving(len(positions), solved, nodes, seconds, limit)


def _last_choice(proof: Proof, machine: PropnetStateMachine, stored: SolvedPosition) -> Choice:
    state = replayed(machine, stored.line)
    role = chooser(machine, state)
    assert role is not None, "a stored position has a choice"
    *_, last = proof.search(Position(machine, state, machine.roles[role]))
    return last
