"""Positions of editors, in all three encodings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.errors import Source
from gdl.lsp.positions import Positions

CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}

TEXTS = st.text(st.sampled_from("a(é€🂡\ud800\u2028\x85\x0b \r\n"), max_size=30)


def units(text: str, encoding: str) -> int:
    codec, size = CODECS[encoding]
    return len(text.encode(codec, "surrogatepass")) // size


@pytest.mark.parametrize("encoding", CODECS)
@given(text=TEXTS)
def test_every_offset_has_its_position_and_comes_back(encoding: str, text: str) -> None:
    positions = Positions(text, encoding)
    for offset in range(len(text) + 1):
        line, column = Source(text).position(offset)
        start = offset - column + 1
        if text[start:offset].endswith("\r"):
            continue  # between the two characters of a line end
        assert positions.position(offset) == (line - 1, units(text[start:offset], encoding))
        assert positions.offset(positions.position(offset)) == offset
        assert positions.offset_of_column(line, column) == offset


def test_positions_beyond_the_text_and_inside_of_characters() -> None:
    positions = Positions("a🂡b\r\ncd")
    assert positions.offset((0, 2)) == positions.offset((0, 3)) == 2
    assert positions.offset((0, 100)) == 3
    assert positions.offset((1, 100)) == positions.offset((7, 0)) == 7
    assert positions.units(0, 3) == 4
