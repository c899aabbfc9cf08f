"""What ``import ggp_player`` offers to programs and notebooks: matches and analyses.

>>> import ggp_player
>>> record = ggp_player.play_match(["legal", "random"], "nim", play_clock=1)
>>> record.is_completed, sorted(record.goal_values)
(True, [0, 100])
"""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import gdl
from gdl import Game, Ruleset, Term
from gdl.system import child_environment
from ggp_player.errors import GgpPlayerError, MatchError
from ggp_player.inspect.timed_search import (
    TimedSearch,
    machine_for,
    searching_role,
    strategy_for,
    timed_search,
)
from ggp_player.manager.players import compile_searches_of, seat_of
from ggp_player.match_runner.game_manager import game_name
from ggp_player.match_runner.players import check_seats
from ggp_player.protocol import MatchRecord
from ggp_player.strategies import Position

__all__ = ["analyze", "play_match"]

_log = logging.getLogger("ggp_player")


def play_match(
    players: Sequence[str],
    game: Ruleset | str | Path,
    *,
    start_clock: int = 5,
    play_clock: int = 1,
    seed: int = 0,
    scramble: bool = False,
) -> MatchRecord:
    """Play one match and return its record; its ``save`` writes it to a file.

    There is one of ``players`` for each role but ``random``: a strategy, such as ``mcts``, or the
    address of a player server, ``host:port``. ``game`` is a ruleset, a file or the name of one of
    our games. Clocks are whole seconds; on a new machine the searches are compiled before they
    start, which a warning of the log says. Raises :class:`GgpPlayerError` for players that cannot
    take a seat, and :class:`gdl.GdlError` for rules that cannot be played.
    """
    ruleset = _ruleset(game)
    machine = gdl.interpret(ruleset)
    check_seats(machine.roles, len(players))
    for player in players:
        seat_of(player)  # raises what is wrong with it here, not in another process
    compile_searches_of(players, _log.warning)
    flags = [f"--start-clock={start_clock}", f"--play-clock={play_clock}", f"--seed={seed}"]
    # In a process of its own, as a notebook has an event loop that runs already.
    with TemporaryDirectory() as folder:
        rules = Path(folder, f"{game_name(Path(ruleset.source.name))}.kif")
        rules.write_text(ruleset.source.text or str(ruleset), encoding="utf-8")
        saved = Path(folder, "record.json")
        command = [sys.executable, "-m", "ggp_player", "match", f"--save={saved}", "--no-archive"]
        command += [*flags, *(["--scramble"] if scramble else []), "--", str(rules), *players]
        done = subprocess.run(
            command, env=child_environment(), capture_output=True, text=True, check=False
        )
        if not saved.exists():
            raise MatchError(done.stderr.strip() or f"the match ended with {done.returncode}")
        return MatchRecord.from_json(saved.read_bytes())


def analyze(
    game: Game | Ruleset | str | Path,
    moves: Iterable[Sequence[Term | str]] = (),
    *,
    role: str | None = None,
    strategy: str = "auto",
    seconds: float = 5.0,
) -> TimedSearch:
    """Search a position for some seconds: its value, its best move and what is thought of each.

    The position is that of a :class:`gdl.Game`, or the one after joint ``moves`` in a game given
    as for :func:`play_match`. The role is the first that has a choice unless it is named. Raises
    :class:`gdl.MoveError` for illegal moves, :class:`GgpPlayerError` where there is nothing to
    search and for a strategy that does not exist or cannot play the game.
    """
    played = game if isinstance(game, Game) else Game(_ruleset(game))
    joint_moves = [*played.history, *moves]
    compile_searches_of((strategy,), _log.warning)
    machine = machine_for(played.machine.ruleset, _log.warning)
    checked = Game(played.machine)
    for joint_move in joint_moves:
        checked.play(*joint_move)
    if checked.over:
        raise GgpPlayerError("the match is over in this position: there is nothing to search")
    state = machine.initial_state()
    for joint_move in checked.history:
        state = machine.next_state(state, joint_move)
    position = Position(machine, state, searching_role(machine, state, role))
    return timed_search(strategy_for(strategy, machine, _log.warning), position, seconds)


def _ruleset(game: Ruleset | str | Path) -> Ruleset:
    return game if isinstance(game, Ruleset) else gdl.load(game)
