"""Where the tests find rulesheets."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The checkout."""

GAMES = ROOT / "games"
"""Our own rulesheets."""

CORPUS = ROOT.parent / "shared" / "corpus"
"""A collection of real rulesheets beside the checkout; it need not be there."""
