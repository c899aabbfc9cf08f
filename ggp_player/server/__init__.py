"""The player server: HTTP in, moves in time out.

The stages of a request, from the top: :mod:`.front` takes its connection, reads it
(:mod:`.request_reader`) and decides whether it is served (:mod:`.access`, :mod:`.connections`);
:mod:`.http` takes its text and passes it to the
:class:`Player` (:mod:`.player`), which parses it once (:mod:`ggp_player.protocol`) and finds its
:mod:`.match_session`. That gives it a deadline (:mod:`.reply_deadline`: where the time limit of a
reply is decided) and asks the :mod:`ggp_player.move_service` for a move. The reply goes back the
same way, as text.

Start reading in :mod:`.player`. :mod:`.config` has the settings, and :mod:`ggp_player.cli.serve`
makes flags of them.
"""

from ggp_player.server.access import is_loopback
from ggp_player.server.config import Config, load_config
from ggp_player.server.http import serve
from ggp_player.server.player import Player

__all__ = [
    "Config",
    "Player",
    "is_loopback",
    "load_config",
    "serve",
]
