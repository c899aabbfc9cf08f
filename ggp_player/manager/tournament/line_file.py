"""A file to which lines are added, each of which is on disk when that returns.

It is locked against other processes. If the process is killed, half a line may be left at the end,
which :meth:`LineFile.drop_half_line` drops.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from gdl.system import lock_file
from ggp_player.errors import TournamentError


class LineFile:
    """An open file of lines, which is created where there is none.

    Raises :class:`TournamentError` if it is in use or no file, OSError if it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        if path.exists() and not path.is_file():
            raise TournamentError(f"{path} is not a file that can hold results")
        self.path = path
        self._file = path.open("a+b", buffering=0)
        if not lock_file(self._file):
            self._file.close()
            raise TournamentError(f"{path} is in use by another process")

    def close(self) -> None:
        """Close the file, for other processes to open it."""
        self._file.close()

    def read(self) -> bytes:
        """Return all that is in the file, half a line at the end included."""
        self._file.seek(0)
        return self._file.read()

    def clear(self) -> None:
        """Remove all that is in the file."""
        self._file.truncate(0)

    def drop_half_line(self) -> None:
        """Remove what follows the last whole line."""
        self._file.truncate(self.read().rfind(b"\n") + 1)

    def add(self, line: bytes) -> None:
        """Add a line. Raises OSError, which names the file, where it cannot be written.

        The file is as it was then.
        """
        whole = self._file.seek(0, os.SEEK_END)
        try:
            rest = line + b"\n"
            # The file has no buffer, as what is left in one would be written again at its close.
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(whole)
            raise OSError(error.errno, error.strerror, str(self.path)) from error
