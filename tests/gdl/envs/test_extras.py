"""Without the libraries nothing fails but what needs them, and that says what to install."""

from __future__ import annotations

import pytest

from gdl.envs import MissingExtraError, require
from tests.support.programs import printed_by

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


def test_what_is_installed_is_not_asked_for() -> None:
    require("gymnasium")
    with pytest.raises(MissingExtraError, match="need no_such_library"):
        require("no_such_library")


def test_asking_says_what_to_install() -> None:
    asking = (
        "import gdl.envs\n"
        "for name in ('GdlVectorEnv', 'GdlEnv', 'GdlAecEnv', 'GdlParallelEnv'):\n"
        "    try: getattr(gdl.envs, name)\n"
        "    except ImportError as error: print(error)\n"
    )
    install = "which is not installed: pip install 'ggp-player[rl]'"
    libraries = ["gymnasium", "gymnasium", "pettingzoo", "pettingzoo"]
    expected = [f"environments need {library}, {install}" for library in libraries]
    assert printed_by(f"{HIDING}\n{asking}").splitlines() == expected


def test_the_packages_do_without() -> None:
    code = (
        "import sys, gdl, ggp_player; gdl.compile(gdl.load('nim')).block(); ggp_player.analyze;"
        "found = {'gymnasium', 'pettingzoo'} & set(sys.modules); import gdl.envs;"
        "print(sorted(found), [n for n in sys.modules if n.startswith('gdl.engine.device')])"
    )
    assert printed_by(code) == "[] []\n"


def test_there_is_nothing_else() -> None:
    import gdl.envs

    with pytest.raises(AttributeError, match="no attribute 'sing'"):
        _ = gdl.envs.sing
