"""Making a set of positions into a file, so that it can be broken off and goes on.

Beside the file, ``FILE.partial`` has a line of JSON for what the set is made from, and then one for
each position as it is found, with the number of its game, or for the number of a game alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any, TextIO

import gdl
from gdl import Ruleset
from gdl.analysis.symmetry import find_symmetries, generated_group
from gdl.version import __version__
from ggp_player.errors import PositionSetError
from ggp_player.lab.positions.position_maker import PositionMaker, Recipe
from ggp_player.lab.positions.solved_positions import (
    PositionSet,
    SolvedPosition,
    load_set,
    rules_digest,
    save_set,
)
from ggp_player.lab.positions.solving.solvers import SolverName, new_solver

GAMES_BETWEEN_NOTES = 20
"""Games without a position after which their number is written down."""


@dataclass(frozen=True, slots=True)
class Order:
    """What set is wanted.

    Positions that take more than ``nodes`` nodes to solve are left out; ``games`` is how many games
    are played at most.
    """

    ruleset: Ruleset
    count: int
    seed: int
    recipe: Recipe
    solver: SolverName
    nodes: int
    games: int = 1_000_000


def make_set(order: Order, path: Path, tell: Callable[[int, int], None]) -> PositionSet:
    """Make a set of ``count`` positions and write it to a file; go on with one that was begun.

    A set that is there already and was made in the same way is made larger. ``tell`` is called with
    the games played and the positions found. Where all games give fewer positions, the set is
    smaller. Raises :class:`PositionSetError` where something else was made, or begun, in that file,
    or it has as many positions already.
    """
    ruleset = order.ruleset
    machine = gdl.compile(ruleset)
    machine.warm_up()
    symmetries = generated_group(machine, find_symmetries(machine))
    solver = new_solver(order.solver, machine, symmetries, order.nodes)
    maker = PositionMaker(machine, solver, order.recipe, order.seed, symmetries)
    about = {
        "solver": solver.description,
        "seed": order.seed,
        "recipe": asdict(order.recipe),
    }
    rules = rules_digest(ruleset)
    head = {"game": ruleset.game, "rules": rules, **about}
    partial = path.with_name(f"{path.name}.partial")
    if path.is_file() and not partial.is_file():
        _reopen(path, partial, head, order.count)
    found, game = _begun(partial, head)
    for position in found:
        maker.remember(position)
    with partial.open("a", encoding="utf-8") as notes:
        if not partial.stat().st_size:
            print(json.dumps(head), file=notes, flush=True)
        for position in _new_positions(maker, range(game, order.games), notes, tell, found):
            found.append(position)
            if len(found) >= order.count:
                break
    _, game = _begun(partial, head)
    made = {**about, "games": game, "version": __version__, "date": date.today().isoformat()}
    positions = PositionSet(ruleset.game, rules, found[: order.count], made)
    save_set(positions, path)
    partial.unlink()
    return positions


def _new_positions(
    maker: PositionMaker,
    games: range,
    notes: TextIO,
    tell: Callable[[int, int], None],
    found: list[SolvedPosition],
) -> Iterator[SolvedPosition]:
    """Yield positions of some games, and write each down."""
    for game in games:
        positions = list(maker.positions_of_game(game))
        for position in positions:
            print(json.dumps({"position": position.to_json()}), file=notes)
        if positions or game % GAMES_BETWEEN_NOTES == 0:
            print(json.dumps({"game": game}), file=notes, flush=True)
        tell(game + 1, len(found) + len(positions))
        yield from positions


def _reopen(path: Path, partial: Path, head: dict[str, Any], count: int) -> None:
    """Begin with a set that is there. Raises :class:`PositionSetError` for one made otherwise."""
    known = load_set(path)
    if len(known.positions) >= count:
        raise PositionSetError(f"{path} has {len(known.positions)} positions already")
    made = {"game": known.game, "rules": known.rules, **known.about}
    lines = [{key: made.get(key) for key in head}]
    lines += [{"position": position.to_json()} for position in known.positions]
    lines += [{"game": made.get("games", 0) - 1}]
    partial.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    try:
        _begun(partial, head)
    except PositionSetError as error:
        partial.unlink()
        raise PositionSetError(f"{path} was made otherwise; name another file") from error


def _begun(partial: Path, head: dict[str, Any]) -> tuple[list[SolvedPosition], int]:
    """Return the positions that were found before, and the number of the next game.

    Positions of a game whose number is not written down are left out: it is played again.
    """
    if not partial.is_file():
        return [], 0
    lines = [json.loads(line) for line in partial.read_text(encoding="utf-8").splitlines()]
    if lines:  # recipes had fewer parts once
        lines[0]["recipe"] = asdict(Recipe(**lines[0]["recipe"]))
    if lines and lines[0] != json.loads(json.dumps(head)):
        differing = ", ".join(key for key in head if lines[0].get(key) != head[key])
        raise PositionSetError(
            f"{partial}: a set was begun there with another {differing}; finish or delete it"
        )
    found: list[SolvedPosition] = []
    pending: list[SolvedPosition] = []
    next_game = 0
    for line in lines[1:]:
        if "position" in line:
            pending.append(SolvedPosition.from_json(line["position"]))
        else:
            found += pending
            pending, next_game = [], line["game"] + 1
    return found, next_game
