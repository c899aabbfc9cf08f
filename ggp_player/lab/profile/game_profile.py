"""The profile of a game: searches of its initial state and of later ones, and stored positions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from gdl import Constant, StateMachine
from gdl.engine import PropnetStateMachine
from gdl.playouts import Step
from ggp_player.lab.balance import LabGame
from ggp_player.lab.match import new_machine
from ggp_player.lab.profile.places import (
    beginning_and_middle,
    place_to_search,
    searching_role,
)
from ggp_player.lab.profile.search_profile import CpuClocks, SearchProfile, SearchProfiler
from ggp_player.lab.profile.solving import Solving, solve_positions, stored_positions
from ggp_player.search_memory import search_memory, set_search_memory
from ggp_player.strategies import Position
from ggp_player.strategies.selection import create

MEMORY = 2**28
"""Bytes for the searches of a game."""


@dataclass(frozen=True, slots=True)
class ProfileSettings:
    """What is measured, in each game alike. Times are seconds of CPU time.

    The first search begins after ``prepare`` seconds in the initial state, which are not measured.
    ``plies`` says after how many random joint moves positions are searched; where it is empty, that
    is in the beginning and after half of a playout's length. The first ``solve`` stored positions
    are proved, within ``solve_nodes`` nodes each.
    """

    strategy: str
    seconds: float
    prepare: float = 0.0
    plies: tuple[int, ...] = ()
    seed: int = 0
    solve: int = 20
    solve_nodes: int = 2_000_000


@dataclass(frozen=True, slots=True)
class GameProfile:
    """What was measured in a game; ``remark`` says what could not be, and why."""

    game: str
    searches: Sequence[SearchProfile] = ()
    solving: Solving | None = None
    remark: str = ""


def profile_game(
    game: LabGame,
    settings: ProfileSettings,
    tell: Callable[[str], None] = lambda stage: None,
    clocks: CpuClocks | None = None,
) -> GameProfile:
    """Profile a game; ``tell`` hears what is measured next.

    One object of the strategy searches all positions, the early ones first, as in a match. Raises
    :class:`gdl.GdlError` for rules that cannot be played, and :class:`StrategyError` for a strategy
    that does not exist.
    """
    tell("compiling")
    machine = new_machine(game.rules, game.name)
    strategy = create(settings.strategy)
    if len(machine.roles) == 1:
        return GameProfile(game.name, remark="one player, who plans: no prover runs beside")
    if (refusal := strategy.refusal(machine)) is not None:
        return GameProfile(game.name, remark=refusal)
    if isinstance(machine, PropnetStateMachine):
        machine.warm_up()  # otherwise a thread does it during the first search
    tell("choosing positions")
    role = searching_role(machine)
    plies = sorted(settings.plies or beginning_and_middle(machine, settings.seed))
    places = [place_to_search(machine, role, wanted, settings.seed) for wanted in plies]
    memory = search_memory()
    set_search_memory(min(memory, MEMORY))
    try:
        profiler = SearchProfiler(strategy, machine, clocks)
        known = [place for place in places if place is not None]
        searches = list(_searches(profiler, role, known, settings, tell))
        solving = _solving(game.name, machine, settings, tell)
    finally:
        set_search_memory(memory)
    missing = [str(wanted) for wanted, place in zip(plies, places, strict=True) if place is None]
    remark = f"{role} has no choice left after {' or '.join(missing)} plies" if missing else ""
    return GameProfile(game.name, searches, solving, remark)


def _searches(
    profiler: SearchProfiler,
    role: Constant,
    places: Sequence[Step],
    settings: ProfileSettings,
    tell: Callable[[str], None],
) -> Iterator[SearchProfile]:
    """Prepare, and search one place after the other."""
    for number, place in enumerate(places):
        random = Random(f"{settings.seed} {place.number}")
        position = Position(profiler.machine, place.state, role, random)
        if settings.prepare and not number:
            tell("preparing")
            profiler.search(position, place.number, settings.prepare)
        tell(f"searching after {place.number} plies")
        yield profiler.search(position, place.number, settings.seconds)


def _solving(
    game: str, machine: StateMachine, settings: ProfileSettings, tell: Callable[[str], None]
) -> Solving | None:
    """Prove the stored positions of a game; None where it has none."""
    if not isinstance(machine, PropnetStateMachine):
        return None
    positions = stored_positions(game, machine.ruleset, settings.solve)
    if not positions:
        return None
    tell(f"proving {len(positions)} stored positions")
    return solve_positions(machine, positions, settings.solve_nodes)
