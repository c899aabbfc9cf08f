"""What the log says of requests: a line each, but one a minute for polls."""

from ggp_player.protocol import Abort, Info, Ping
from ggp_player.server.request_log import MAX_SHOWN, SUMMARY_SECONDS, RequestLog
from tests.ggp_player.conftest import Ear


async def test_polls_are_summed_up(ear: Ear) -> None:
    now = 0.0
    log = RequestLog(lambda: now)
    for _ in range(3600):
        log.note("10.0.0.1", Info(), ("( INFO )", "( ( status busy ) )"), now)
        now += 1
    log.note("10.0.0.2", Ping(), ("(ping)", "nil"), now)
    assert ear.messages[0] == "10.0.0.1: ( INFO ) -> ( ( status busy ) ), 0.00 s"
    assert ear.messages[1] == "INFO or PING 60 times in 60 s, at last from 10.0.0.1 -> " + (
        "( ( status busy ) )"
    )
    assert len(ear.messages) == 1 + 3600 / SUMMARY_SECONDS


async def test_other_requests_have_a_line_each(ear: Ear) -> None:
    log = RequestLog(lambda: 5.0)
    log.note("::1", Abort("m"), ("( ABORT\n m )", "busy"), 4.0)
    log.note("::1", None, ("\x1b[2J" + "x" * 10**7, "error: \x00"), 5.0)
    assert ear.messages[0] == "::1: ( ABORT m ) -> busy, 1.00 s"
    assert ear.messages[1].startswith("::1: \\x1b[2Jxxx")
    assert len(ear.messages[1]) < 2 * MAX_SHOWN
