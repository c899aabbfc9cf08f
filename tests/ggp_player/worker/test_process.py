"""A worker handles messages, and imports no search unless it is asked for one."""

import subprocess
import sys

from tests.support.paths import ROOT

TRACKING = """
import sys
from unittest.mock import Mock
from ggp_player.worker.messages import ApplyMoves, BeginMatch, BeginSearch, MatchStatus
from ggp_player.worker.process import handle_message

statuses = []
worker = None
rules = sys.stdin.read()
for message in (
    BeginMatch(rules, "xena", (("(claim 1)", "noop"),)),
    ApplyMoves(("noop", "(claim 2)")),
    BeginSearch(1),
):
    worker = handle_message(message, worker, Mock(), statuses.append)
assert [status.turn for status in statuses] == [1, 2], statuses
assert statuses[-1].legal_moves == ("(claim 3)",)
families = ("mcts", "planner", "selection", "solver", "textbook")
searches = tuple(f"ggp_player.strategies.{family}" for family in families)
print(*(name for name in sys.modules if name.startswith(searches)))
handle_message(BeginMatch(rules, "xena", strategy="legal"), None, Mock(), statuses.append)
assert "ggp_player.strategies.selection" in sys.modules
"""


def test_a_worker_that_tracks_a_match_imports_no_search(fields: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TRACKING],
        input=fields,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert (done.returncode, done.stderr, done.stdout.strip()) == (0, "", "")
