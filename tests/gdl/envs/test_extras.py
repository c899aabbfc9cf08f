"""Without the libraries nothing fails but what needs them, and that says what to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gdl.envs import MissingExtraError
from gdl.envs.extras import require

HIDING = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("gymnasium", "pettingzoo"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Hidden())
import importlib.util
real = importlib.util.find_spec
def find_spec(name, package=None):
    return None if name in ("gymnasium", "pettingzoo") else real(name, package)
importlib.util.find_spec = find_spec
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_what_is_installed_is_not_asked_for() -> None:
    require("gymnasium")
    with pytest.raises(MissingExtraError, match="need no_such_library"):
        require("no_such_library")


@pytest.mark.parametrize("name", ["GdlVectorEnv", "GdlEnv", "GdlAecEnv", "GdlParallelEnv"])
def test_asking_says_what_to_install(name: str) -> None:
    asking = f"try:\n gdl.envs.{name}\nexcept ImportError as error:\n print(error)"
    code = f"{HIDING}\nimport gdl.envs\n{asking}"
    library = "pettingzoo" if name in ("GdlAecEnv", "GdlParallelEnv") else "gymnasium"
    assert run(code) == (
        f"environments need {library}, which is not installed: pip install 'ggp-player[rl]'\n"
    )


def test_the_packages_do_without() -> None:
    code = (
        "import sys, gdl, ggp_player; gdl.compile(gdl.load('nim')); ggp_player.analyze;"
        "print(sorted({'gymnasium', 'pettingzoo'} & set(sys.modules)))"
    )
    assert run(code) == "[]\n"


def test_there_is_nothing_else() -> None:
    import gdl.envs

    with pytest.raises(AttributeError, match="no attribute 'sing'"):
        _ = gdl.envs.sing
