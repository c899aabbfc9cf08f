"""The front of every server here: connections in, whole and admitted requests out to aiohttp.

Both the player and the manager stand behind it. :mod:`.front` takes connections,
:mod:`.connections` bounds them, :mod:`.request_reader` reads requests, and :mod:`.reply_transport`
and :mod:`.streams` count what goes back. Whether a request is served is decided by what a server
gives as its :class:`Access`.
"""

from ggp_player.front.admission import Access, Admission, OpenAccess, plain_address
from ggp_player.front.connections import ConnectionBounds, Timeouts
from ggp_player.front.front import MAX_LINE, Front, FrontSettings, FrontSite, front_of
from ggp_player.front.request_reader import (
    MAX_HEAD,
    MAX_MESSAGE,
    Reading,
    Refusal,
    RequestHead,
)
from ggp_player.front.streams import Streams

__all__ = [
    "MAX_HEAD",
    "MAX_LINE",
    "MAX_MESSAGE",
    "Access",
    "Admission",
    "ConnectionBounds",
    "Front",
    "FrontSettings",
    "FrontSite",
    "OpenAccess",
    "Reading",
    "Refusal",
    "RequestHead",
    "Streams",
    "Timeouts",
    "front_of",
    "plain_address",
]
