"""What a duel has shown: a table, a sentence, and JSON with every pair."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite
from typing import Any

from rich.table import Table

from ggp_player.lab.duel import Duel, DuelOutcome, End, GameScore
from ggp_player.lab.match import PairResult
from ggp_player.lab.sequential_test import Estimate, SequentialVerdict

WORDS = {
    SequentialVerdict.H1: "stronger",
    SequentialVerdict.H0: "not stronger",
    SequentialVerdict.OPEN: "open",
}
"""What a verdict says of A."""


def outcome_table(outcome: DuelOutcome) -> Table:
    """A row for each game, and one for all at equal weight.

    The verdict of a single game is what the test would say of it alone.
    """
    table = Table("game", "pairs", "points %", "95 %", "Elo", "95 %", "LLR", "verdict")
    for column in table.columns[1:7]:
        column.justify = "right"
    test = outcome.duel.test
    for score in outcome.scores.values():
        word = "veto" if score.game in outcome.vetoing else WORDS[test.verdict(score.estimate)]
        table.add_row(score.game, *_figures(score.estimate, test.ratio(score.estimate)), word)
    if len(outcome.scores) > 1:
        table.add_section()
        figures = _figures(outcome.estimate, outcome.ratio)
        table.add_row("all, equal weight", *figures, WORDS[outcome.verdict])
    return table


def _figures(estimate: Estimate, ratio: float) -> list[str]:
    if not estimate.pairs:
        return ["0", "", "", "", "", ""]
    low, high = (f"{100 * bound:.1f}" for bound in estimate.interval)
    elo, least, most = map(_elo_text, estimate.elo)
    mean = f"{100 * estimate.mean:.1f}"
    return [
        str(estimate.pairs),
        mean,
        f"{low} to {high}",
        elo,
        f"{least} to {most}",
        f"{ratio:.2f}",
    ]


def _elo_text(elo: float) -> str:
    return f"{elo:+.0f}" if isfinite(elo) else ("inf" if elo > 0 else "-inf")


def verdict_line(outcome: DuelOutcome) -> str:
    """The verdict in words."""
    a, b = outcome.duel.players
    test = outcome.duel.test
    if outcome.end is End.VETO:
        games = " and ".join(outcome.vetoing)
        return f"{a} is vetoed: clearly less than 40 % of the points in {games}"
    if outcome.end is End.DECIDED and outcome.verdict is SequentialVerdict.H1:
        return f"{a} is stronger than {b}: {test.elo1:+g} Elo is accepted against {test.elo0:+g}"
    if outcome.end is End.DECIDED:
        accepted = f"{test.elo0:+g} Elo is accepted against {test.elo1:+g}"
        return f"{a} is not stronger than {b}: {accepted}"
    low, high = test.bounds
    standing = f"LLR {outcome.ratio:.2f} between {low:.2f} and {high:.2f}"
    short = [f"{s.game} has {s.sums.pairs}" for s in outcome.scores.values() if s.openings_ended]
    more = f"; too few balanced openings: {', '.join(short)}" if short else ""
    return f"not decided ({outcome.end.value}), {standing}{more}"


def settings_to_json(duel: Duel) -> dict[str, Any]:
    """The settings of a duel, without the rules of its games."""
    return {
        "a": duel.players[0],
        "b": duel.players[1],
        "games": [game.name for game in duel.games],
        "limit": {name: value for name, value in asdict(duel.limit).items() if value},
        "test": asdict(duel.test),
        "pairs": duel.pairs,
        "plies": [duel.plies.least, duel.plies.most],
        "seed": duel.seed,
        "veto": duel.veto,
        "memory": duel.memory,
    }


def outcome_to_json(outcome: DuelOutcome, *, with_pairs: bool = True) -> dict[str, Any]:
    """What came of a duel; infinite figures are None."""
    test = outcome.duel.test
    games = [
        {"game": s.game, **_estimate_to_json(s.estimate, test.ratio(s.estimate)), **_counts(s)}
        | ({"played": [_pair_to_json(pair) for pair in s.pairs]} if with_pairs else {})
        for s in outcome.scores.values()
    ]
    return {
        "end": outcome.end.value,
        "verdict": outcome.verdict.value,
        "vetoing": outcome.vetoing,
        "words": verdict_line(outcome),
        "all": _estimate_to_json(outcome.estimate, outcome.ratio),
        "games": games,
    }


def _counts(score: GameScore) -> dict[str, Any]:
    """How many matches A has won, drawn and lost, and what both did."""
    matches = [match for pair in score.pairs for match in pair.matches]
    points = [match.points for match in matches]
    return {
        "won": sum(point > 0.5 for point in points),
        "drawn": sum(point == 0.5 for point in points),
        "lost": sum(point < 0.5 for point in points),
        "work": [sum(match.work[side] for match in matches) for side in range(2)],
        "cpu": [round(sum(match.cpu[side] for match in matches), 2) for side in range(2)],
    }


def _estimate_to_json(estimate: Estimate, ratio: float) -> dict[str, Any]:
    if not estimate.pairs:
        return {"pairs": 0}
    return {
        "pairs": estimate.pairs,
        "points": round(estimate.mean, 4),
        "interval": [round(bound, 4) for bound in estimate.interval],
        "elo": [round(elo, 1) if isfinite(elo) else None for elo in estimate.elo],
        "llr": round(ratio, 3),
    }


def _pair_to_json(pair: PairResult) -> dict[str, Any]:
    return {
        "pair": pair.number,
        "opening": asdict(pair.opening),
        "points": pair.points,
        "matches": [asdict(match) for match in pair.matches],
    }
