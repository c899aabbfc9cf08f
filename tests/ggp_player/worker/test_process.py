"""A worker handles messages, and imports no search unless it is asked for one."""

import logging
import subprocess
import sys

from ggp_player.worker import process
from ggp_player.worker.messages import LogRecord, MessageToServer, decode_to_server, encode
from tests.support.paths import ROOT

TRACKING = """
import sys
from unittest.mock import Mock
from ggp_player.events import StateReached
from ggp_player.worker.messages import ApplyStep, BeginMatch, BeginSearch, MatchStatus
from ggp_player.worker.process import handle_message

statuses = []
worker = None
rules = sys.stdin.read()
for message in (
    BeginMatch(rules, "xena", (("(claim 1)", "noop"),)),
    ApplyStep(("noop", "(claim 2)")),
    BeginSearch(1),
):
    worker = handle_message(message, worker, Mock(), statuses.append)
told = [(type(message), message.turn) for message in statuses]
assert told == [(kind, turn) for turn in (1, 2) for kind in (MatchStatus, StateReached)], statuses
assert statuses[-2].legal_moves == ("(claim 3)",)
assert statuses[-1].state == "( (control xena) (free 3) (has Oscar 2) (has xena 1) )"
handle_message(ApplyStep(("(claim 3)", "noop")), worker, Mock(), statuses.append)
assert [type(message) for message in statuses[-2:]] == [StateReached, MatchStatus], "at the end"
assert statuses[-1].is_over
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


def test_a_log_record_that_is_no_valid_text_can_be_sent() -> None:
    sent: list[MessageToServer] = []
    record = logging.LogRecord("name", logging.INFO, "file", 1, "no %s", ("\udcff",), None)
    process._LogSender(sent.append).emit(record)
    assert sent == [LogRecord(logging.INFO, "name", "no \\udcff")]
    assert decode_to_server(encode(sent[0])) == sent[0]
