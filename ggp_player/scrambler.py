"""Scrambling, as the game manager does it: the same game told in other words."""

from gdl.scrambling import KEPT, Scrambler

__all__ = ["KEPT", "Scrambler"]
