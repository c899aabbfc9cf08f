"""A General Game Playing agent: a player server, its strategies, and a game manager to test it.

The journey of a request: :mod:`server <ggp_player.server>` (HTTP) ->
:mod:`protocol <ggp_player.protocol>` -> match session ->
:mod:`move service <ggp_player.worker.service>` -> :mod:`worker <ggp_player.worker>` process ->
:mod:`strategy <ggp_player.strategies>` -> choice buffer -> reply.

Glossary:

game manager
    The program that runs matches: it sends the rules, the clocks and every joint move.
player server
    This program: it answers a game manager's requests over HTTP.
match
    One play-through of a game, known by its match id.
match session
    A match in the server: its open requests, each with its deadline.
move service
    What finds the moves of a match in time, whatever happens to its workers.
worker
    A process of one match: the match tracker, which knows the legal moves, or the search.
strategy
    A way to choose moves: ``minimax``, ``random`` and so on, one in a file.
choice
    A move that a strategy has found, and its value; the choice buffer holds the best so far.
start clock, play clock
    Seconds to prepare before the first move, and to choose each move.
deadline
    The instant, on a monotonic clock, at which a reply must leave.
margin
    Seconds of a clock kept in reserve before its end, so that the reply arrives in time.
"""

from gdl.version import __version__ as __version__

TYPE_CHECKING = False
"""As :data:`typing.TYPE_CHECKING`, which is slow to import for a process that needs little else."""

if TYPE_CHECKING:
    from ggp_player.python_api import analyze as analyze
    from ggp_player.python_api import play_match as play_match


def __getattr__(name: str) -> object:
    """Import what programs call when the first of it is asked for: commands do without it."""
    if name not in ("analyze", "play_match"):
        raise AttributeError(f"module 'ggp_player' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module("ggp_player.python_api"), name)
