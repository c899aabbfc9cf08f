"""Small games for duels, and pairs with results that a test chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ggp_player.lab.balance import LabGame
from ggp_player.lab.match import BalancedOpening, PairResult, PairTask, PlayedMatch
from tests.support.paths import GAMES


def lab_game(name: str) -> LabGame:
    """One of our own games."""
    return LabGame(name, (GAMES / f"{name}.kif").read_text())


NIM = lab_game("nim")
TIC_TAC_TOE = lab_game("ticTacToe")
CONNECT_FOUR = lab_game("connectFour")


def opening_after(*moves: tuple[str, ...]) -> BalancedOpening:
    """The opening after some joint moves."""
    return BalancedOpening(1, moves, 50.0)


def openings(count: int) -> Iterator[BalancedOpening]:
    """Openings without moves, told apart by their candidates."""
    return (BalancedOpening(number + 1, (), 50.0) for number in range(count))


def playing(points: Callable[[PairTask], Sequence[float]]) -> Callable[..., Iterator[PairResult]]:
    """Play pairs with the points, of each match, that a function says."""

    def play(tasks: Iterator[PairTask]) -> Iterator[PairResult]:
        for task in tasks:
            first, second = (PlayedMatch(p, 10, (7, 8), (0.1, 0.2)) for p in points(task))
            yield PairResult(task.game, task.number, task.opening, (first, second))

    return play
