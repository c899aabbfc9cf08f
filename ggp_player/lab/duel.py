"""A duel: pairs in all games by turns, until the sequential test has decided or all are played."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ggp_player.errors import LabError
from ggp_player.lab.balance import BalancedOpenings, LabGame, Plies
from ggp_player.lab.match import BalancedOpening, MoveLimit, PairResult, PairTask
from ggp_player.lab.pair_play import PairPlay
from ggp_player.lab.sequential_test import (
    MIN_PAIRS,
    Estimate,
    PairSums,
    SequentialTest,
    SequentialVerdict,
    at_equal_weight,
)

VETO_SHARE = 0.4
"""A game in which A clearly has less of the points vetoes."""

VETO_QUANTILE = 2.575829
"""How clearly: in standard errors, 0.5 % on either side, as it is looked at again and again."""


@dataclass(frozen=True, slots=True)
class Duel:
    """The settings of a duel of A against B, ``players``, in some games.

    ``pairs`` is the most for each game. ``memory`` is for the searches of one player, in bytes.
    """

    players: tuple[str, str]
    games: tuple[LabGame, ...]
    limit: MoveLimit
    test: SequentialTest = field(default_factory=SequentialTest)
    pairs: int = 1000
    plies: Plies = field(default_factory=Plies)
    seed: int = 0
    veto: bool = True
    memory: int = 2**28

    def __post_init__(self) -> None:
        names = [game.name for game in self.games]
        if not names or len(set(names)) < len(names):
            raise LabError(f"expected games of different names, found {', '.join(names) or 'none'}")


class End(StrEnum):
    """Why a duel has ended, or that it has not."""

    DECIDED = "decided"
    VETO = "veto"
    PAIRS = "all pairs played"
    OPENINGS = "no more openings"
    INTERRUPTED = "interrupted"
    RUNNING = "running"


@dataclass(slots=True)
class GameScore:
    """The pairs of one game so far, in their order."""

    game: str
    sums: PairSums = field(default_factory=PairSums)
    pairs: list[PairResult] = field(default_factory=list)
    openings_ended: bool = False
    """Whether there were fewer openings than pairs wanted."""

    @property
    def estimate(self) -> Estimate:
        """A's mean points."""
        return self.sums.estimate

    @property
    def is_vetoing(self) -> bool:
        """Whether A has clearly too few points."""
        estimate = self.estimate
        return estimate.pairs >= MIN_PAIRS and estimate.bounds(VETO_QUANTILE)[1] < VETO_SHARE


@dataclass(slots=True)
class DuelOutcome:
    """How a duel stands: the games' scores, why it has ended, and what that decides."""

    duel: Duel
    scores: dict[str, GameScore]
    end: End = End.RUNNING

    @property
    def estimate(self) -> Estimate:
        """A's mean points over all games that have been played, at equal weight."""
        return at_equal_weight([s.estimate for s in self.scores.values() if s.sums.pairs])

    @property
    def ratio(self) -> float:
        """The log-likelihood ratio over all games."""
        return self.duel.test.ratio(self.estimate)

    @property
    def vetoing(self) -> list[str]:
        """The games that veto; none where there is to be no veto."""
        return [s.game for s in self.scores.values() if self.duel.veto and s.is_vetoing]

    @property
    def verdict(self) -> SequentialVerdict:
        """What the test says of all games, if each has had pairs enough."""
        if any(score.sums.pairs < MIN_PAIRS for score in self.scores.values()):
            return SequentialVerdict.OPEN
        return self.duel.test.verdict(self.estimate)

    def add(self, pair: PairResult) -> None:
        """Count a pair."""
        score = self.scores[pair.game]
        score.sums.add(pair.points)
        score.pairs.append(pair)


def run_duel(
    duel: Duel,
    play: PairPlay,
    watch: Callable[[DuelOutcome], None] = lambda outcome: None,
    openings: Sequence[Iterator[BalancedOpening]] | None = None,
) -> DuelOutcome:
    """Play a duel to its end; ``watch`` is called after each pair.

    Games take turns: all have had their nth pair before any has its next but one, and the test is
    looked at when a round is complete. KeyboardInterrupt ends it with what there is. ``openings``
    of each game are the balanced ones unless others are given. Raises :class:`LabError` where a
    game cannot be played, or has no openings at all.
    """
    outcome = DuelOutcome(duel, {game.name: GameScore(game.name) for game in duel.games})
    schedule = _Schedule(duel, openings or [_openings_of(duel, game) for game in duel.games])
    try:
        for result in play(schedule.tasks()):
            outcome.add(result)
            watch(outcome)
            if schedule.is_last_of_round(result) and (end := _end_after_round(outcome)):
                outcome.end = end
                break
    except KeyboardInterrupt:
        outcome.end = End.INTERRUPTED
    for name in schedule.exhausted:
        outcome.scores[name].openings_ended = True
    if outcome.end is End.RUNNING:
        outcome.end = End.OPENINGS if schedule.exhausted else End.PAIRS
    return outcome


def _openings_of(duel: Duel, game: LabGame) -> Iterator[BalancedOpening]:
    return iter(BalancedOpenings(game, duel.seed, duel.plies))


def _end_after_round(outcome: DuelOutcome) -> End | None:
    if outcome.vetoing:
        return End.VETO
    return End.DECIDED if outcome.verdict is not SequentialVerdict.OPEN else None


class _Schedule:
    """The tasks of a duel, round by round."""

    def __init__(self, duel: Duel, openings: Sequence[Iterator[BalancedOpening]]) -> None:
        self._duel = duel
        self._openings = dict(zip(duel.games, openings, strict=True))
        self._last_of_round: dict[int, str] = {}
        self.exhausted: list[str] = []
        """The games that had fewer openings than pairs."""

    def tasks(self) -> Iterator[PairTask]:
        """Yield the tasks; a game without further openings is left out from then on."""
        for number in range(self._duel.pairs):
            found = [
                (game, opening)
                for game in self._duel.games
                if game.name not in self.exhausted and (opening := self._next(game, number))
            ]
            if not found:
                return
            self._last_of_round[number] = found[-1][0].name
            for game, opening in found:
                yield self._task(game, number, opening)

    def _next(self, game: LabGame, number: int) -> BalancedOpening | None:
        opening = next(self._openings[game], None)
        if opening is None:
            if not number:
                raise LabError(
                    f"{game.name} has no balanced opening of {self._duel.plies.least} to "
                    f"{self._duel.plies.most} plies: try others"
                )
            self.exhausted.append(game.name)
        return opening

    def _task(self, game: LabGame, number: int, opening: BalancedOpening) -> PairTask:
        duel = self._duel
        return PairTask(
            game=game.name,
            rules=game.rules,
            players=duel.players,
            limit=duel.limit,
            seed=duel.seed,
            number=number,
            opening=opening,
            memory=duel.memory,
        )

    def is_last_of_round(self, result: PairResult) -> bool:
        """Whether all games have now had a pair of this number."""
        return self._last_of_round[result.number] == result.game
