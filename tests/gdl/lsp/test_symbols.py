"""The names of rulesheets, where they are and where they are defined."""

from __future__ import annotations

import pytest

from gdl.language import Notation, convert_text
from gdl.lsp.symbols import NameTable, RuleSymbol
from tests.support.marks import thorough
from tests.support.paths import GAMES


@pytest.mark.parametrize("notation", Notation)
@pytest.mark.parametrize("game", ["ticTacToe", "kuhnPoker", *thorough("chess")])
def test_the_text_has_each_name_where_it_is_said_to_be(game: str, notation: Notation) -> None:
    table = NameTable(convert_text((GAMES / f"{game}.kif").read_text(), notation))
    assert len(table.occurrences) > 100
    for (start, end), symbol in table.occurrences:
        written = table.source.text[start:end].lower().strip('"')
        if symbol.kind != "variable":
            assert written == symbol.name
        elif notation is Notation.KIF:
            assert written == f"?{symbol.name}"
        assert table.at(start) == table.at(end - 1) == ((start, end), symbol)
    assert all(spans for spans in table.spans.values())


def test_names_in_unusual_places() -> None:
    text = (
        "(role r)\n(( p ; a comment\n x))\n( ; before the name\n q a)\n"
        "(<= (TRUTH (noop)) (Truth NOOP))"
    )
    table = NameTable(text)
    assert table.at(text.index("q a")) == (
        (text.index("q a"), text.index("q a") + 1),
        RuleSymbol("relation", "q", 1),
    )
    noop = [table.source.text[slice(*span)] for span in table.spans[RuleSymbol("constant", "noop")]]
    assert noop == ["noop", "NOOP"]
    assert len(table.spans[RuleSymbol("relation", "truth", 1)]) == 2


def test_quoted_names_of_infix() -> None:
    text = 'role("White")\n"P-q"(a) :- "R%"(_, _X)\n'
    table = NameTable(text)
    assert [text[slice(*span)] for span, _ in table.occurrences] == [
        *("role", '"White"', '"P-q"', "a", '"R%"', "_", "_X"),
    ]


def test_definitions_of_what_keywords_are_about() -> None:
    text = "(init (c 1))\n(<= (next (c 2)) (true (c ?x)) (does r go))\n(legal r go)\n(role r)\n"
    table = NameTable(text)

    def defined(piece: str, into: int = 0) -> list[str]:
        spans = table.definitions_at(text.index(piece) + into)
        return [text[slice(*span)] for span in spans]

    assert defined("true") == defined("c ?x") == ["init", "next"]
    assert defined("does") == defined("go))") == ["legal"]
    assert defined("r go") == ["role"]
    assert defined("?x", 1) == ["?x"]
    assert defined("1))") == []


def test_rules_with_mistakes_are_left_out() -> None:
    table = NameTable("(role r)\n(<= (p) (not))\n(q r)\n")
    assert len(table.errors) == 1
    assert {symbol.name for symbol in table.spans} == {"role", "r", "q"}
