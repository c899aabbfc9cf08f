"""Small games for the tests of solved positions."""

from __future__ import annotations

import pytest

import gdl
from gdl.engine import PropnetStateMachine


@pytest.fixture(scope="session")
def tic_tac_toe() -> PropnetStateMachine:
    """Tic-tac-toe, compiled."""
    return gdl.compile(gdl.load("ticTacToe"))


@pytest.fixture(scope="session")
def dots() -> PropnetStateMachine:
    """Dots and boxes, with extra turns and many goal values, compiled."""
    return gdl.compile(gdl.load("dotsAndBoxes"))
