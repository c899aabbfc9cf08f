"""The measurements measure: a small run of each."""

from click.testing import CliRunner

from tests.hidden_information.__main__ import main
from tests.support.paths import GAMES


def test_a_small_run_of_each() -> None:
    runner = CliRunner()
    rules = str(GAMES / "kuhnPoker.kif")
    found = runner.invoke(main, ["beliefs", rules, "--samples", "4", "--matches", "2"])
    assert (found.exit_code, "kuhnPoker" in found.output) == (0, True), found.output
    rules = str(GAMES / "fourCups.kif")
    found = runner.invoke(main, ["values", rules, "--matches", "4", "--seconds", "1"])
    assert "4 matches at 1 s a move: seeker " in found.output
