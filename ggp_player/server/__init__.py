"""The player server: HTTP in, moves in time out.

The stages of a request, from the top: :mod:`ggp_player.front` takes its connection, reads it, and
asks :mod:`.access` whether it is served; :mod:`.http` takes its text and passes it to the
:class:`Player` (:mod:`.player`), which parses it once (:mod:`ggp_player.protocol`) and finds its
:mod:`.match_session`. That gives it a deadline (:mod:`.reply_deadline`: where the time limit of a
reply is decided) and asks the :mod:`move service <ggp_player.worker.service>` for a move. The
reply goes back the same way, as text.

Start reading in :mod:`.player`. :mod:`.config` has the settings, and :mod:`ggp_player.cli.serve`
makes flags of them.
"""

from typing import TYPE_CHECKING

from gdl.system import imported_later

if TYPE_CHECKING:
    from ggp_player.server.access import is_loopback, names_loopback
    from ggp_player.server.config import Config, load_config
    from ggp_player.server.http import serve
    from ggp_player.server.player import Player

_PLACES = {
    "Config": "ggp_player.server.config",
    "Player": "ggp_player.server.player",
    "is_loopback": "ggp_player.server.access",
    "load_config": "ggp_player.server.config",
    "names_loopback": "ggp_player.server.access",
    "serve": "ggp_player.server.http",
}

__getattr__ = imported_later(__name__, _PLACES)

__all__ = [
    "Config",
    "Player",
    "is_loopback",
    "load_config",
    "names_loopback",
    "serve",
]
