"""Strategies from outside this package: a file, a module, or an installed package's entry point.

A file's class is ``./last.py:Last``, a module's ``package.module:Last``, and a package that
declares an entry point in the group ``ggp_player.strategies`` gives its class a name. Whatever is
wrong with them is raised as a :class:`StrategyError` that names the line.

While a file or module is imported, its folder stands at the end of ``sys.path``: there it is found
together with what it imports, and hides nothing that is installed.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from gdl.system import is_file
from ggp_player.strategies import Strategy, StrategyError

ENTRY_POINTS = "ggp_player.strategies"
"""The group in which an installed package lists its strategies."""


def strategy_in_file(file: Path, class_name: str) -> type[Strategy]:
    """Return a strategy class of a Python file; raises StrategyError."""
    if not is_file(file):
        raise StrategyError(f"there is no file {file}")
    path = file.resolve()
    name = f"{path.stem}_{hashlib.sha256(bytes(path)).hexdigest()[:8]}"
    module = sys.modules.get(name) or _imported(
        str(file), path.parent, lambda: _executed(name, path)
    )
    return _class_in(module, class_name, str(file))


def strategy_in_module(module_name: str, class_name: str) -> type[Strategy]:
    """Return a strategy class of a module, installed or here; raises StrategyError."""
    where = f"the module {module_name}"
    module = _imported(where, Path.cwd(), lambda: importlib.import_module(module_name))
    return _class_in(module, class_name, where)


@cache
def installed_strategies() -> dict[str, EntryPoint]:
    """Find the strategies of installed packages, by their names; none is imported."""
    return {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}


def installed_strategy(entry: EntryPoint) -> type[Strategy]:
    """Import the class of an entry point; raises StrategyError."""
    return strategy_in_module(entry.module, entry.attr)


def suggestion(name: str, known: list[str]) -> str:
    """Return `` (did you mean minimax?)`` where a known name is much like the one given."""
    by_lower_case = {one.lower(): one for one in known}
    near = get_close_matches(name.lower(), by_lower_case, n=1)
    return f" (did you mean {by_lower_case[near[0]]}?)" if near else ""


def _executed(name: str, path: Path) -> ModuleType:
    """Import a file as a module, under a name that no other file has."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _imported(where: str, folder: Path, load: Callable[[], ModuleType]) -> ModuleType:
    """Load a module, and raise what goes wrong in it as a StrategyError."""
    try:
        with _last_on_path(folder):
            return load()
    except (Exception, SystemExit) as error:
        raise StrategyError(f"{where} cannot be imported: {explained(error)}") from error


@contextmanager
def _last_on_path(folder: Path) -> Iterator[None]:
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def explained(error: BaseException) -> str:
    """Say what an error in somebody's module is, and the line where it arose."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name}, line {error.lineno}: {error.msg}"
    ours = str(Path(__file__).parent)
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((ours, "<frozen", importlib.__file__))
    ]
    line = f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}: " if frames else ""
    kind = "" if isinstance(error, ImportError) else f"{type(error).__name__}: "
    return f"{line}{kind}{error}"


def _class_in(module: ModuleType, name: str, where: str) -> type[Strategy]:
    known = [
        name
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, Strategy) and not inspect.isabstract(kind)
    ]
    found = getattr(module, name, None)
    if found is None:
        names = ", ".join(known) or "none"
        raise StrategyError(
            f"there is no class {name!r} in {where}{suggestion(name, known)}; "
            f"its strategies: {names}"
        )
    if not (isinstance(found, type) and issubclass(found, Strategy)):
        raise StrategyError(
            f"{name!r} in {where} is no strategy: expected a class that derives from "
            f"{Strategy.__module__.rpartition('.')[0]}.{Strategy.__name__}"
        )
    if inspect.isabstract(found):
        missing = ", ".join(sorted(found.__abstractmethods__))
        raise StrategyError(f"{name!r} in {where} is no strategy yet: it has no method {missing}")
    return found
