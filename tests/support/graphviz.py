"""What tests of drawings need: the program dot, or to do without it."""

from __future__ import annotations

from importlib.util import find_spec
from shutil import which

import pytest

CAN_DRAW = which("dot") is not None and find_spec("graphviz") is not None

needs_graphviz = pytest.mark.skipif(
    not CAN_DRAW, reason="draws SVG: needs the program dot and the Python package graphviz"
)
