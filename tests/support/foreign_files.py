"""Files of another user: a real one where the tests run as root, otherwise we are another one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

OTHER_USER = 54321


def disown(path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Make a file or folder another user's, and return that user's number."""
    if os.getuid() == 0:
        os.chown(path, OTHER_USER, -1)
        return OTHER_USER
    owner = path.stat().st_uid
    monkeypatch.setattr(os, "getuid", lambda: OTHER_USER)
    return owner
