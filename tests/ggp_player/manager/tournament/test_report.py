"""Reports of a tournament for people and for programs."""

import io

from rich.console import Console

from ggp_player.manager.tournament.report import TournamentReport, result_line
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.standings import Interval, standings
from tests.support.tournament_results import IDENTITY, result

RATINGS = {player: Interval(10.0, -5.4, 25.0) for player in "xyz"}


def report(*results: MatchResult, ratings: dict[str, Interval] = RATINGS) -> TournamentReport:
    table = standings(results, IDENTITY.players, list(IDENTITY.games))
    broke_off = sum(bool(one.failure) for one in results)
    return TournamentReport(IDENTITY, table, ratings, 9, len(results) - broke_off, broke_off)


def printed(report: TournamentReport, width: int = 100) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    with console.capture() as capture:
        console.print(report.to_tables())
    return [" ".join(line.split()) for line in capture.get().splitlines()]


def test_the_tables_have_every_player_every_game_and_every_pairing() -> None:
    lines = printed(
        report(
            result("xy", "100 0", seed=1),
            result("xz", "50 50", seed=2),
            result("yx", "", seed=3, failure="the cable", errors=((), ("1 TO", "2 IL a"))),
        )
    )
    assert lines[0].startswith("2 of 9 matches played, 1 broke off, 6 to be played")
    for title in ("all games", "nim", "maze", "pairings"):
        assert title in lines
    assert "player matches points % W/D/L score % rating late illegal" in lines
    assert "x 2 75 [20 97] 1/1/0 75 [20 97] +10 [-5 +25] 1 1" in lines
    assert "x y 1 100 [21 100] 1/0/0 100 [21 100] 1 1" in lines


def test_columns_without_entries_are_left_out() -> None:
    lines = printed(report(result("xy", "100 0"), ratings={}))
    assert "player matches points % W/D/L score %" in lines


def test_a_name_with_brackets_is_printed_as_it_is() -> None:
    name = "[red]x"
    table = standings([result((name, "y"), "100 0")], [name, "y"], ["nim"])
    assert any(
        line.startswith(name) for line in printed(TournamentReport(IDENTITY, table, {}, 1, 1, 0))
    )


def test_csv_has_bounds_beside_figures_and_gaps_for_the_unknown() -> None:
    head, *lines = report(result("xy", "100 0")).to_csv().splitlines()
    assert head.split(",")[:8] == [
        *["scope", "player", "game", "opponent", "matches", "broke_off", "points", "points_low"]
    ]
    assert len(lines) == 3 + 6 + 6
    cells = dict(zip(head.split(","), lines[0].split(","), strict=True))
    assert (cells["player"], cells["points"], cells["rating_low"]) == ("x", "1.0", "-5.4")
    unknown = dict(zip(head.split(","), lines[-1].split(","), strict=True))
    assert (unknown["scope"], unknown["points"], unknown["rating"]) == ("pairing", "", "")


def test_a_line_has_goals_and_faults() -> None:
    errors = (("0 TO", "2 TO", "3 IL (go x)"), ("4 CE",))
    assert result_line(result("xy", "none 40", errors=errors)) == (
        "nim, round 1: role0 x none, role1 y 40; 5 steps; x 2 late, 1 illegal; y 1 failed"
    )
    assert result_line(result("xy", "", failure="the cable")) == (
        "nim, round 1: role0 x, role1 y; 5 steps; broke off: the cable"
    )
