"""The native code of kernels is found again only while all that they call is the same."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from numba.core.dispatcher import Dispatcher
from numba.extending import _Intrinsic

from gdl import engine
from gdl.engine import jit
from ggp_player import strategies
from tests.support.paths import ROOT

ENGINE = Path(jit.__file__).parent


def compiled_functions() -> dict[str, Dispatcher]:
    packages = [engine, strategies]
    names = [
        module.name
        for package in packages
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    return {
        f"{name}.{key}": value
        for name in names
        for key, value in vars(importlib.import_module(name)).items()
        if isinstance(value, Dispatcher)
    }


def called(function: Dispatcher) -> set[Path]:
    """Return the files of the compiled functions that a function's text names."""
    code = function.py_func.__code__
    known = function.py_func.__globals__
    found = [known.get(name) for name in code.co_names]
    functions = [f.py_func for f in found if isinstance(f, Dispatcher)]
    functions += [f._defn for f in found if isinstance(f, _Intrinsic)]
    return {Path(f.__code__.co_filename) for f in functions}


def test_a_folder_of_kernels_is_named_after_all_that_they_call() -> None:
    """The digest is of the kernel's own package, and of the modules of the engine."""
    functions = compiled_functions()
    assert len(functions) > 50
    assert any(ENGINE / "calls.py" in called(function) for function in functions.values())
    for name, function in functions.items():
        package = Path(function.py_func.__code__.co_filename).parent
        for file in called(function):
            covered = file.is_relative_to(package) or file.parent == ENGINE
            assert covered, f"{name} calls {file.relative_to(ROOT)}"
