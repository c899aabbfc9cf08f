"""The command ``ggp-player match``: one match between strategies and player servers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

import gdl
from ggp_player.archive.archive_limit import ArchiveLimit
from ggp_player.cli.archiving import archiving
from ggp_player.cli.options import (
    compile_before_clocks,
    reporting_unplayable_game,
    save_or_print,
)
from ggp_player.errors import ConfigError
from ggp_player.manager.players import Seat, check_reachable, open_player, seat_of
from ggp_player.match_rules import LocalRules
from ggp_player.match_runner.game_manager import (
    GameManager,
    MatchSetup,
    MatchStep,
    game_name,
)
from ggp_player.match_runner.players import check_seats
from ggp_player.play.human import HumanPlayer
from ggp_player.protocol import CONNECTION_ERROR, ILLEGAL, MAX_STATE_CHARACTERS, TIMEOUT, state_text

_SENTENCES = {
    TIMEOUT: "no reply in time (TO)",
    CONNECTION_ERROR: "could not be reached (CE)",
}


def run_match(
    rulesheet: Path,
    players: tuple[str, ...],
    archive: Path | None,
    no_archive: bool,
    archive_limit: ArchiveLimit,
    save: Path | None,
    states: bool,
    **settings: int,
) -> None:
    """Play one match of the game RULESHEET, a file or the name of one of ours."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)-7s %(message)s")
    seats = [_seat(spec, settings["seed"]) for spec in players]
    with reporting_unplayable_game():
        setup = _setup(rulesheet, settings)
        machine = gdl.interpret(setup.ruleset)
        check_seats(machine.roles, len(seats))
        asyncio.run(check_reachable(seats))
        compile_before_clocks(players)
        with archiving(archive, no_archive, archive_limit) as events:
            setup = replace(setup, events=events)
            rules = LocalRules(machine, MAX_STATE_CHARACTERS if save else 0)
            unreachable = asyncio.run(_Run(setup, rules, save, states).play(seats))
    if unreachable:
        names = ", ".join(unreachable)
        raise click.ClickException(f"could not be reached at the start: {names}")


class _Run:
    """One run of the command: plays the match, prints it, and saves its record."""

    def __init__(
        self, setup: MatchSetup, rules: LocalRules, save: Path | None, states: bool
    ) -> None:
        self._setup = setup
        self._rules = rules
        self._save = save
        self._states = states
        self._console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
        self._steps: list[MatchStep] = []

    async def play(self, seats: Sequence[Seat]) -> list[str]:
        """Play the match; return the players that could not be reached at START."""
        async with AsyncExitStack() as stack:
            players = [
                await open_player(seat, stack, self._setup.events, of_one_match=True)
                for seat in seats
            ]
            for player in players:
                if isinstance(player, HumanPlayer):
                    player.rulesheet = self._setup.ruleset
            manager = GameManager(self._setup, self._rules, players, self._show_step)
            self._show_beginning(manager)
            try:
                await manager.run()
                self._show_end(manager)
            finally:
                if self._save is not None:
                    save_or_print(manager.record(), self._save)
            return self._unreachable(manager)

    def _show_beginning(self, manager: GameManager) -> None:
        setup = self._setup
        assigned = ", ".join(
            f"{role} is {seat.name if seat else 'moved by chance'}"
            for role, seat in manager.seats.items()
        )
        words = ", in invented words" if setup.scramble else ""
        self._console.print(f"match {setup.match_id}: {assigned}")
        clocks = f"start clock {setup.start_clock} s, play clock {setup.play_clock} s"
        self._console.print(f"{clocks}, seed {setup.seed}{words}")

    def _show_step(self, step: MatchStep) -> None:
        self._steps.append(step)
        moves = "  ".join(
            f"{role} {move}" for role, move in zip(self._rules.roles, step.joint_move, strict=False)
        )
        what = moves or "the players have the rules"
        self._console.print(f"{step.number:4}  {what}  {max(step.seconds):.2f} s")
        for index, error in enumerate(step.errors):
            if error:
                role, sentence = self._rules.roles[index], error_sentence(error)
                instead = f"; moves {step.joint_move[index]} instead" if step.joint_move else ""
                self._console.print(Text(f"      {role}: {sentence}{instead}", style="red"))
        if self._states:
            self._console.print(Text(f"      {state_text(self._rules.state)}", style="dim"))

    def _show_end(self, manager: GameManager) -> None:
        table = Table("role", "player", "goal", "late", "failed", "illegal", "longest reply")
        for index, (role, seat) in enumerate(manager.seats.items()):
            goal = manager.goals[index]
            errors = [step.errors[index] for step in self._steps]
            longest = max(step.seconds[index] for step in self._steps)
            table.add_row(
                str(role),
                seat.name if seat else "chance",
                "none" if goal is None else str(goal),
                str(errors.count(TIMEOUT)),
                str(errors.count(CONNECTION_ERROR)),
                str(sum(error.startswith(ILLEGAL) for error in errors)),
                f"{longest:.2f} s" if seat else "",
            )
        self._console.print(table)

    def _unreachable(self, manager: GameManager) -> list[str]:
        start = self._steps[0].errors
        seats = zip(manager.seats.values(), start, strict=True)
        return [seat.name for seat, error in seats if seat and error == CONNECTION_ERROR]


def _seat(spec: str, seed: int) -> Seat:
    try:
        return seat_of(spec, seed=seed)
    except ConfigError as error:
        raise click.BadParameter(str(error), param_hint="PLAYER") from error


def _setup(rulesheet: Path, settings: dict[str, int]) -> MatchSetup:
    now = time.time_ns() // 1_000_000
    return MatchSetup(
        gdl.load(rulesheet),
        match_id=f"{game_name(rulesheet)}.{now}",
        start_clock=settings["start_clock"],
        play_clock=settings["play_clock"],
        seed=settings["seed"],
        scramble=bool(settings["scramble"]),
        start_time=now,
        rulesheet_url=rulesheet.resolve().as_uri(),
    )


def error_sentence(error: str) -> str:
    """Explain an error of a match record."""
    kind, _, text = error.partition(" ")
    return _SENTENCES.get(kind) or f"illegal reply {text!r} (IL)"
