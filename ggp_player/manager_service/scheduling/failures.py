"""Why a match could not be played to its end, and whether it is to be played again.

Apart from the scheduler, which plays a match again or not, and does not ask whose fault it was.
"""

from __future__ import annotations

import logging

from gdl import GdlError
from ggp_player.errors import GgpPlayerError
from ggp_player.match_runner.own_faults import LackError, lack_in

MAX_LACKS = 5
"""How often a match may be broken off for a lack of the manager's own, before it has failed."""

_log = logging.getLogger(__name__)


def failure_of(error: Exception, match_id: str, is_last: bool) -> str:
    """Say why a match has failed, and log it.

    Raises :class:`LackError` where a lack of the manager's own has broken it off, unless this was
    the last time that it is played.
    """
    if what := lack_in(error):
        if not is_last:
            raise LackError(what, was_sent=True) from error
        return f"the manager lacked {what} each time that it played this, {MAX_LACKS} times"
    if isinstance(error, GgpPlayerError | GdlError | OSError | RecursionError):
        failure = " ".join(str(error).split()) or type(error).__name__
        _log.warning("the match %s has failed: %s", match_id, failure)
        return failure
    _log.error("the match %s has failed", match_id, exc_info=error)
    return f"an error of the manager: {type(error).__name__}"
