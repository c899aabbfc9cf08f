"""The front of every server here: connections in, whole and admitted requests out.

Both the player and the manager stand behind it. :mod:`.front` takes connections and counts what
goes back, :mod:`.connections` bounds both, and :mod:`.request_reader` reads requests. Whether a
request is served is decided by what a server gives as its :class:`Access`.
"""

from ggp_player.front.admission import Admission, OpenAccess, plain_address
from ggp_player.front.connections import ConnectionBounds, Streams, Timeouts
from ggp_player.front.front import MAX_LINE, Front, FrontSettings, FrontSite, Responder, front_of
from ggp_player.front.request_reader import (
    MAX_HEAD,
    MAX_MESSAGE,
    HttpRequest,
    Reading,
    Refusal,
    RequestHead,
    response,
)

__all__ = [
    "MAX_HEAD",
    "MAX_LINE",
    "MAX_MESSAGE",
    "Admission",
    "ConnectionBounds",
    "Front",
    "FrontSettings",
    "FrontSite",
    "HttpRequest",
    "OpenAccess",
    "Reading",
    "Refusal",
    "RequestHead",
    "Responder",
    "Streams",
    "Timeouts",
    "front_of",
    "plain_address",
    "response",
]
