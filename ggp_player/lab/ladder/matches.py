"""The matches of the ladder: balanced openings, and files of JSON lines, each whole in itself.

Openings are rulesheets, which players are sent as any others.

Who adds matches to a file finds those that were played there before: same players, same opening,
same clocks. So a file may hold those of many pairings, and an interrupted command is given again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

import gdl
from gdl.openings import rules_from
from ggp_player.clock import WallClock, wall_clock
from ggp_player.errors import LabError
from ggp_player.lab.balance import BalancedOpenings, LabGame, Plies
from ggp_player.lab.ladder.players import LadderPlayer
from ggp_player.lab.match import choosers, machine_of
from ggp_player.manager.tournament.games import TournamentGame
from ggp_player.manager.tournament.results import Identity, LineFile, MatchResult, ResultsLog


@dataclass(frozen=True, slots=True)
class LadderOpening:
    """What an opening can be made from again, and a digest of its facts.

    ``plies`` are the least and the most, ``value`` is what the reference search has found for the
    first role, of 100.
    """

    game: str
    seed: int
    plies: tuple[int, int]
    candidate: int
    value: float
    facts: str

    @property
    def name(self) -> str:
        """The name of the game that begins here."""
        return f"{self.game}-{self.candidate}"


def ladder_openings(
    game: LabGame, count: int, seed: int, plies: Plies
) -> dict[LadderOpening, TournamentGame]:
    """The first ``count`` balanced openings of a game, and the games that begin in them.

    There are fewer where a game has no more. Raises :class:`LabError` where it has none, or cannot
    be played from openings, and :class:`gdl.RulesetError` where its rules read ``init``.
    """
    ruleset = gdl.parse(game.rules, game.name)
    machine = machine_of(game.rules, game.name)
    found = {}
    for opening in islice(BalancedOpenings(game, seed, plies), count):
        state = machine.initial_state()
        for joint_move in opening.moves:
            state = machine.next_state(state, [gdl.parse_term(move) for move in joint_move])
        facts = "\n".join(sorted(map(str, state)))
        digest = hashlib.sha256(facts.encode()).hexdigest()[:16]
        made = LadderOpening(
            game.name, seed, (plies.least, plies.most), opening.candidate, opening.value, digest
        )
        roles = tuple(map(str, choosers(machine)))
        found[made] = TournamentGame(made.name, rules_from(ruleset, state), roles)
    if not found:
        raise LabError(
            f"{game.name} has no balanced opening after {plies.least} to {plies.most} plies"
        )
    return found


SUFFIX = ".jsonl"
"""The ending of a file of matches."""


@dataclass(frozen=True, slots=True)
class LadderMatch:
    """A match: its day, UTC, as in ISO 8601, its opening, its clocks in seconds, and its result.

    The result's game is that of the opening, and its players are called by name and version.
    """

    date: str
    opening: LadderOpening
    start_clock: int
    play_clock: int
    result: MatchResult


_LINE = TypeAdapter(LadderMatch)


def read_ladder(folder: Path) -> list[LadderMatch]:
    """Read the matches in all files of a folder; raises :class:`LabError` where one is none."""
    paths = sorted(folder.glob(f"*{SUFFIX}"))
    return [match for path in paths for match in matches_of(path.read_bytes(), path)]


def matches_of(data: bytes, path: Path) -> list[LadderMatch]:
    """Read the whole lines of a file; raises :class:`LabError` where one is no match."""
    matches = []
    for number, line in enumerate(data[: data.rfind(b"\n") + 1].splitlines(), start=1):
        try:
            matches.append(_LINE.validate_json(line))
        except ValidationError as error:
            problem = error.errors()[0]
            where = ".".join(map(str, problem["loc"])) or "the line"
            raise LabError(
                f"{path}, line {number}, is no match of a ladder: {where}: {problem['msg']}"
            ) from error
    return matches


class LadderFile(ResultsLog):
    """The results of a tournament from ``openings``, in a file of the ladder.

    ``openings`` are by the names of the tournament's games, ``players`` by the names that it has
    for them. ``results`` are those that the file has of this tournament already; what else there is
    in the file stays. The constructor locks the file, or raises :class:`TournamentError`;
    it raises :class:`LabError` where a line is no match.
    """

    def __init__(
        self,
        path: Path,
        identity: Identity,
        openings: Mapping[str, LadderOpening],
        players: Mapping[str, LadderPlayer],
        clock: WallClock = wall_clock,
    ) -> None:
        super().__init__(identity)
        self._openings, self._players, self._clock = openings, players, clock
        self._file = LineFile(path)
        try:
            matches = matches_of(self._file.read(), path)
            self._file.drop_half_line()
        except BaseException:
            self._file.close()
            raise
        self.results = [found for match in matches if (found := self._result(match)) is not None]

    def close(self) -> None:
        """Close the file, for other processes to add to it."""
        self._file.close()

    def append(self, result: MatchResult) -> None:
        """Add a result; it is on disk when this returns. Raises OSError as ``ResultsFile`` does."""
        super().append(result)
        opening = self._openings[result.game]
        players = tuple(str(self._players[player]) for player in result.players)
        match = LadderMatch(
            date=datetime.fromtimestamp(self._clock() / 1000, UTC).date().isoformat(),
            opening=opening,
            start_clock=self.identity.start_clock,
            play_clock=self.identity.play_clock,
            result=replace(result, game=opening.game, players=players),
        )
        self._file.add(_LINE.dump_json(match))

    def _result(self, match: LadderMatch) -> MatchResult | None:
        """The result of a match as the tournament has it, None if it is no match of that."""
        games = {opening: name for name, opening in self._openings.items()}
        specs = {str(player): spec for spec, player in self._players.items()}
        clocks = (self.identity.start_clock, self.identity.play_clock)
        result = match.result
        if match.opening not in games or (match.start_clock, match.play_clock) != clocks:
            return None
        if not specs.keys() >= set(result.players):
            return None
        players = tuple(specs[player] for player in result.players)
        return replace(result, game=games[match.opening], players=players)
