"""Where the archive is, unless somebody says otherwise.

Apart from the archive itself, which is told where it is.
"""

from __future__ import annotations

from pathlib import Path

import platformdirs

ARCHIVE_VARIABLE = "GGP_PLAYER_ARCHIVE"
"""The environment variable that names another file."""


def default_archive() -> Path:
    """Return the file in the user's data folder."""
    return Path(platformdirs.user_data_dir("ggp-player", appauthor=False)) / "matches.sqlite"
