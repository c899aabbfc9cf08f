"""Python processes that import exactly the code of this one, whatever the current folder holds.

By default Python looks for modules in the current folder first, where it runs ``-c`` or ``-m``, as
it does for every process that :mod:`multiprocessing` starts. A ``numpy.py`` there would take the
place of NumPy, and another ``gdl`` that of this one. So whatever starts a Python process gives it
the environment of this module: it has the search path of this process, and no current folder.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager

from gdl.system.strays import MARK, own_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_lock = threading.Lock()
_inside = 0
_before: dict[str, str | None] = {}


def child_environment() -> dict[str, str]:
    """Return the environment for a Python process that is to import what this one imports.

    It is that of this process, except for where modules are searched. Folders with the separator
    of paths in their names, a colon or on Windows a semicolon, cannot be passed on.
    """
    from pathlib import Path

    # An empty entry stands for the current folder; a child that has another is to keep ours.
    folders = [str(Path(entry).absolute()) for entry in sys.path]
    kept = [folder for folder in folders if os.pathsep not in folder]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(kept), "PYTHONSAFEPATH": "1"}


@contextmanager
def children_import_our_code() -> Iterator[None]:
    """Give :func:`child_environment` to the processes that are started meanwhile.

    It is for those that :mod:`multiprocessing` starts, which takes no environment: its workers, the
    fork server, and its tracker of resources. They get the mark of :mod:`.strays`, too. It changes
    the environment of this process, until the last thread that is in it has left.
    """
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _inside
    with _lock:
        if not _inside:
            ours = {**child_environment(), MARK: own_mark()}
            names = ("PYTHONPATH", "PYTHONSAFEPATH", MARK)
            _before.update({name: os.environ.get(name) for name in names})
            os.environ.update({name: ours[name] for name in names})
        _inside += 1


def _leave() -> None:
    global _inside
    with _lock:
        _inside -= 1
        if not _inside:
            for name, value in _before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


_hiding = threading.local()


@contextmanager
def main_module_hidden() -> Iterator[None]:
    """Have the processes that this thread starts meanwhile not import our main module.

    Those of :mod:`multiprocessing` do that before anything else: it can take long, and a program
    without a guard for it would run anew. What they call must not come from the main module.
    """
    _install_hiding()
    _hiding.is_on = True
    try:
        yield
    finally:
        _hiding.is_on = False


def _install_hiding() -> None:
    from multiprocessing import spawn

    with _lock:
        prepare = spawn.get_preparation_data
        if getattr(prepare, "hides_main", False):
            return

        def prepare_without_main(name: str) -> dict[str, object]:
            data = prepare(name)
            if getattr(_hiding, "is_on", False):
                for key in ("init_main_from_name", "init_main_from_path"):
                    data.pop(key, None)
            return data

        prepare_without_main.hides_main = True  # type: ignore[attr-defined]
        spawn.get_preparation_data = prepare_without_main
