"""The compiled code that a server has which is attacked: the user's, or a cache of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from unittest.mock import patch

from gdl.code_cache import FOLDER_VARIABLE, cache_folder

KERNELS = "kernels.txt"
"""The file beside a cache that lists what was in it at first."""


class Cache(IntEnum):
    """Which cache a server has; whoever needs several takes the last of them."""

    SHARED = 0
    """The user's."""
    COPY = 1
    """A copy of the user's, to be damaged."""
    WARM = 2
    """A new one, with kernels and without any game; making it takes some ten seconds."""
    EMPTY = 3
    """An empty one, which the server has to warm up."""


@contextmanager
def using(cache: Cache, folder: Path) -> Iterator[None]:
    """Let servers that are started meanwhile use a cache, one of their own in a folder."""
    if cache is Cache.SHARED:
        yield
        return
    own = folder / "cache"
    if cache is Cache.COPY:
        shutil.copytree(cache_folder(), own)
    with patch.dict(os.environ, {FOLDER_VARIABLE: str(own)}):
        if cache is Cache.WARM:
            warm_up = [sys.executable, "-m", "ggp_player", "warm-up"]
            subprocess.run(warm_up, check=True, capture_output=True)
        (folder / KERNELS).write_text("\n".join(path.name for path in own.glob("*.o")))
        yield


def forget_games() -> None:
    """Delete the code of games from the cache, so that it is compiled anew; kernels stay."""
    folder = cache_folder()
    kernels = (folder.parent / KERNELS).read_text().split()
    for path in folder.glob("*.o"):
        if path.name not in kernels:
            path.unlink(missing_ok=True)
