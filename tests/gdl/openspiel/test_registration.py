"""OpenSpiel is optional: it is imported when it is asked for, and missed with a sentence."""

from __future__ import annotations

import sys

import pytest

from gdl.errors import MissingLibraryError
from gdl.openspiel import load_game, register
from tests.support.paths import GAMES
from tests.support.programs import printed_by

OPTIONAL = {"pyspiel", "open_spiel", "pyarrow"}


def test_without_openspiel_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(MissingLibraryError, match=r"pip install 'ggp-player\[openspiel\]'"):
        register()
    with pytest.raises(MissingLibraryError):
        load_game(GAMES / "nim.kif")


@pytest.mark.parametrize("module", ["gdl", "gdl.openspiel", "gdl.datasets", "ggp_player"])
def test_optional_libraries_are_not_imported(module: str) -> None:
    assert not OPTIONAL & set(printed_by(f"import {module}, sys; print(*sys.modules)").split())


def test_registering_twice_is_harmless() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="needs the extra openspiel")
    register()
    register()
    assert pyspiel.registered_names().count("gdl") == 1
