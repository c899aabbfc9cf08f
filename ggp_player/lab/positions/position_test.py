"""Tests of strategies on sets of solved positions: how often they give value away.

Each position is searched by a strategy as it is after its start clock. Its time is CPU time of the
thread, read after each choice; slices are made shorter than in a match for it. Searches that have
threads or processes of their own take more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, sqrt
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import gdl
from gdl import Constant
from gdl.engine import PropnetStateMachine
from ggp_player.errors import LabError, PositionSetError
from ggp_player.lab.other_version import SeatProcess
from ggp_player.lab.positions.forked_searches import (
    TREE_BYTES,
    PreparedSearches,
    SearchResult,
    SearchTask,
    Setting,
)
from ggp_player.lab.positions.solved_positions import SolvedPosition, load_set, rules_of
from ggp_player.lab.positions.turns import chooser, joint_moves, replayed

SIGNIFICANCE = 0.05
"""A difference this probable, or more, by chance alone is called none."""


@dataclass(frozen=True, slots=True)
class SetResult:
    """How a setting did on a set: the move and the CPU seconds for each position, in order."""

    setting: Setting
    game: str
    searches: Sequence[SearchResult]
    errors: Sequence[bool]

    @property
    def share(self) -> float:
        """The share of errors, 0 to 1."""
        return sum(self.errors) / len(self.errors) if self.errors else 0.0

    @property
    def standard_error(self) -> float:
        """The standard error of that share."""
        return sqrt(self.share * (1 - self.share) / len(self.errors)) if self.errors else 0.0

    @property
    def seconds(self) -> float:
        """The mean CPU time of a search."""
        return mean(search.seconds for search in self.searches) if self.searches else 0.0


class LoadedSet:
    """A set of positions, with the compiled game and the states of the positions.

    ``count`` limits it to the first positions. Raises :class:`PositionSetError` for a file that
    cannot be used, with its name.
    """

    def __init__(self, path: Path, count: int | None = None) -> None:
        found = load_set(path)
        self.game = found.game
        ruleset = rules_of(found, path)
        self._rules = "\n".join(map(str, ruleset.rules))
        self.machine: PropnetStateMachine = gdl.compile(ruleset)
        self.machine.warm_up()
        self.positions: Sequence[SolvedPosition] = found.positions[:count]
        self._tasks: list[SearchTask] = []
        for number, position in enumerate(self.positions, 1):
            try:
                self._tasks.append(self._task(position, number))
            except PositionSetError as error:
                raise PositionSetError(f"{path}: position {number}: {error}") from error

    def _task(self, position: SolvedPosition, number: int) -> SearchTask:
        machine = self.machine
        state = replayed(machine, position.line)
        role = None if machine.is_terminal(state) else chooser(machine, state)
        if role is None:
            raise PositionSetError("expected a position in which somebody has a choice")
        legal = machine.legal_moves(state, machine.roles[role])
        if set(legal) != set(position.values):
            raise PositionSetError("expected the value of every legal move, and of no other")
        return SearchTask(state, machine.roles[role], str(number))

    def test(
        self, setting: Setting, jobs: int = 1, tell: Callable[[], None] = lambda: None
    ) -> SetResult:
        """Let a strategy choose a move in each position.

        ``tell`` is called after each. Raises :class:`StrategyError` where the strategy refuses the
        game, or a search fails.
        """
        if setting.is_of_other_version:
            found = self._of_other_version(setting)
        else:
            found = PreparedSearches(setting, self.machine, self.game).search(self._tasks, jobs)
        results: dict[int, SearchResult] = {}
        for number, result in found:
            results[number] = result
            tell()
        searches = [results[number] for number in range(len(self.positions))]
        pairs = zip(searches, self.positions, strict=True)
        errors = [position.is_error(result.move) for result, position in pairs]
        return SetResult(setting, self.game, searches, errors)

    def _of_other_version(self, setting: Setting) -> Iterator[tuple[int, SearchResult]]:
        """Let another version search the positions, one after the other."""
        if setting.seconds is None:
            raise LabError("a strategy of another version can only be limited by seconds")
        with ExitStack() as processes:
            prepared: dict[Constant, SeatProcess] = {}
            for number, task in enumerate(self._tasks):
                role = task.role
                if role not in prepared:
                    seat = processes.enter_context(closing(SeatProcess(setting.strategy)))
                    seat.begin(self._rules, self.game, TREE_BYTES)
                    seat.choose((), role, 0, 0.0, prepare=setting.start_clock)
                    prepared[role] = seat
                seed = Random(f"{setting.seed}:{task.seed}").getrandbits(32)
                history = joint_moves(self.machine, self.positions[number].line)
                found = prepared[role].choose(history, role, seed, setting.seconds, fork=True)
                yield number, SearchResult(*found)


def by_game(results: Iterable[SetResult]) -> list[SetResult]:
    """Put together what a setting did on several sets of one game, in the order of the sets."""
    found: dict[tuple[Setting, str], SetResult] = {}
    for result in results:
        key = result.setting, result.game
        if (before := found.get(key)) is not None:
            searches = [*before.searches, *result.searches]
            result = replace(before, searches=searches, errors=[*before.errors, *result.errors])
        found[key] = result
    return list(found.values())


def settings_of(results: Iterable[SetResult]) -> list[Setting]:
    """The settings, in the order of the results."""
    return list(dict.fromkeys(result.setting for result in results))


def mean_share(results: Sequence[SetResult], setting: Setting) -> float:
    """The share of errors of a setting, games weighing the same."""
    return mean(result.share for result in results if result.setting == setting)


@dataclass(frozen=True, slots=True)
class PairedErrors:
    """On how many positions only the first of two searches errs, and on how many the second."""

    only_first: int
    only_second: int

    @property
    def p_value(self) -> float:
        """The probability of a difference at least as large if both err equally often.

        McNemar's exact test, with two sides. Source: Q. McNemar, Note on the sampling error of the
        difference between correlated proportions or percentages (1947).
        """
        discordant = self.only_first + self.only_second
        fewer = min(self.only_first, self.only_second)
        ways = sum(comb(discordant, count) for count in range(fewer + 1))
        return min(1.0, float(Fraction(2 * ways, 2**discordant)))

    @property
    def verdict(self) -> str:
        """Which search errs less often, in words."""
        if self.p_value >= SIGNIFICANCE:
            return "no difference that chance could not make"
        better = "second" if self.only_first > self.only_second else "first"
        return f"the {better} errs less often"


def paired(first: Sequence[bool], second: Sequence[bool]) -> PairedErrors:
    """Compare errors on the same positions, in the same order. Raises ValueError for other ones."""
    both = list(zip(first, second, strict=True))
    return PairedErrors(
        sum(one and not other for one, other in both),
        sum(other and not one for one, other in both),
    )


def comparisons(
    results: Sequence[SetResult], first: Setting, second: Setting
) -> dict[str, PairedErrors]:
    """Compare two settings for each game; the last entry, ``all``, has all positions together."""
    found: dict[str, PairedErrors] = {}
    all_first: list[bool] = []
    all_second: list[bool] = []
    others = {result.game: result for result in results if result.setting == second}
    for result in results:
        if result.setting == first and result.game in others:
            other = others[result.game]
            found[result.game] = paired(result.errors, other.errors)
            all_first += result.errors
            all_second += other.errors
    return {**found, "all": paired(all_first, all_second)}


def as_json(
    results: Sequence[SetResult], pairs: Sequence[tuple[Setting, Setting]]
) -> dict[str, Any]:
    """All results: for each setting and game the counts, and the positions that were wrong."""
    return {
        "results": [
            {
                "strategy": result.setting.strategy,
                "seconds": result.setting.seconds,
                "start_clock": result.setting.start_clock,
                "seed": result.setting.seed,
                "game": result.game,
                "positions": len(result.errors),
                "errors": sum(result.errors),
                "used_seconds": round(result.seconds, 5),
                "wrong": [number for number, wrong in enumerate(result.errors, 1) if wrong],
            }
            for result in results
        ],
        "comparisons": [
            {
                "first": str(first),
                "second": str(second),
                "game": game,
                "only_first_errs": found.only_first,
                "only_second_errs": found.only_second,
                "p_value": found.p_value,
                "verdict": found.verdict,
            }
            for first, second in pairs
            for game, found in comparisons(results, first, second).items()
        ],
    }
