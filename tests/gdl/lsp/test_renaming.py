"""Renaming keeps what the rules mean, or is refused."""

from __future__ import annotations

import pytest

from gdl.language import Notation, canonical_form, convert_text, parse
from gdl.lsp.renaming import RenamingError, renamed
from gdl.lsp.symbols import NameTable
from tests.support.marks import thorough
from tests.support.paths import GAMES


def result(text: str, piece: str, wanted: str) -> str:
    spans, written = renamed(NameTable(text), text.index(piece), wanted)
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + written + text[end:]
    return text


@pytest.mark.parametrize("notation", [Notation.INFIX, *thorough(Notation.KIF)])
def test_every_name_of_a_game_can_be_renamed_and_the_game_stays_the_same(
    notation: Notation,
) -> None:
    text = convert_text((GAMES / "ticTacToe.kif").read_text(), notation)
    table = NameTable(text)
    before = canonical_form(parse(text))
    assert before is not None
    count = 0
    for symbol, spans in table.spans.items():
        wanted = "Fresh" if symbol.kind == "variable" else "fresh"
        if symbol.is_keyword or symbol.name.isdigit() or symbol.rule not in (None, 20):
            continue
        places, written = renamed(table, spans[0][0], wanted)
        changed = text
        for start, end in sorted(places, reverse=True):
            changed = changed[:start] + written + changed[end:]
        after = canonical_form(parse(changed))
        assert after is not None
        assert after.digest == before.digest
        count += 1
    assert count > 10


def test_what_is_written_in_infix() -> None:
    text = "role(white)\np(X) :- q(X) & ~r(X, _)\nq(white)\nr(white, white)\n"
    assert 'role("White")' in result(text, "white", '"White"')
    assert "p(Y) :- q(Y) & ~r(Y, _)" in result(text, "X)", "Y")
    for piece, wanted, reason in [
        ("white", "White", "is a variable"),
        ("X)", "x", "no variable"),
        ("_)", "Z", "variable of its own"),
        ("q(X)", "distinct", "word of the language"),
        ("q(X)", "p", "taken: it is a relation in line 2"),
        ("q(X)", "p(", "no name"),
        ("q(X)", "", "no name"),
    ]:
        with pytest.raises(RenamingError, match=reason):
            result(text, piece, wanted)


def test_the_spelling_of_a_name_can_change() -> None:
    assert result("(role r)\n(p r)\n(P R)\n", "p r", "Pq") == "(role r)\n(Pq r)\n(Pq R)\n"
    assert result("(role r)\n(p r)\n(P R)\n", "p r", "P") == "(role r)\n(P r)\n(P R)\n"


def test_a_name_that_would_change_the_notation_is_refused() -> None:
    with pytest.raises(RenamingError):
        result("(p a)\n(q a)\n", "p a", "q")
