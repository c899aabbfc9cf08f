"""OpenSpiel: every game that can be compiled as a game of OpenSpiel, registered as ``gdl``.

In comes the file of a rulesheet, out comes a ``pyspiel.Game``: with turns or simultaneous moves,
with chance nodes for the role ``random``, and with information states where the rules say what
roles see. OpenSpiel's algorithms then run on it. Start reading in :mod:`.position`: how a state
with a joint move of all roles becomes nodes at which one player, several, or chance decide.
:mod:`.description` has what the nodes need to know of a game, :mod:`.game` is the bridge, and
:mod:`.observer` writes what players know as text and tensors.

OpenSpiel is optional. Importing this package neither needs nor imports it; what needs it raises
:class:`gdl.errors.MissingLibraryError` where it is not installed.
"""

from gdl.openspiel.registration import load_game, register

__all__ = ["load_game", "register"]
