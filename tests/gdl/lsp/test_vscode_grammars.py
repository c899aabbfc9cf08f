"""The colours of the VS Code extension, against the readers of both notations.

A TextMate grammar of single matches is applied as editors do: in each line the match that begins
first, of those the one that is listed first, and then what comes behind it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lark import Lark

import gdl.language
from gdl.language.formatter import Notation, convert_text
from gdl.language.keywords import KEYWORDS, RESERVED_WORDS
from tests.support.compiled_games import EVERY_GAME
from tests.support.paths import GAMES, ROOT

EXTENSION = ROOT / "docs" / "editors" / "vscode"
LANGUAGE = Path(gdl.language.__file__).parent

ODD_KIF = """(role White)(role random);comment
(<= terminal;really (not a rule)
 (not(true(cell -1 +2 2x a?b)))(distinct ?x ?Y++)
 (OR (TRUE x) (legal_x ?a)))
"""

ODD_INFIX = r"""% odd things
role("White Player") role(random)
init(cell(-1,+2,2x,"a%b","say \"no\"")).
legal(P,mark(M)) :- true(cell(M,_,_Player,_"n++")) & ~does(P,x) & distinct(M,legal_x) | [x_Y]
"""


def scopes(grammar: str, text: str) -> Iterator[tuple[int, int, str]]:
    """Yield from where to where a grammar gives which colour."""
    read = json.loads((EXTENSION / "syntaxes" / f"{grammar}.tmLanguage.json").read_text())
    patterns = [(re.compile(one["match"]), one["name"]) for one in read["patterns"]]
    begin = 0
    for line in text.splitlines(keepends=True):
        at = 0
        while found := [
            (match.start(), number, match.end(), name)
            for number, (pattern, name) in enumerate(patterns)
            if (match := pattern.search(line.rstrip("\n"), at))
        ]:
            start, _, at, name = min(found)
            yield begin + start, begin + at, name.removesuffix(".gdl")
        begin += len(line)


def expected(notation: str, text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the same from the tokens of the reader; comments are no tokens."""
    grammar = (LANGUAGE / f"{notation}.lark").read_text(encoding="utf-8")
    for token in Lark(grammar, parser="lalr", lexer="basic").lex(text):
        assert token.start_pos is not None
        assert token.end_pos is not None
        colour = ""
        if token.type in {"VARIABLE", "QUOTED_VARIABLE"}:
            colour = "variable.parameter"
        elif token.type == "QUOTED_NAME":
            colour = "string.quoted.double"
        elif token.type in {"IF", "AND", "OR", "NOT"}:
            colour = "keyword.operator"
        elif token.lower() in KEYWORDS:
            colour = "keyword.other"
        elif token.lower() in RESERVED_WORDS:
            colour = "keyword.operator"
        elif re.fullmatch("[+-]?[0-9]+", token):
            colour = "constant.numeric"
        if colour:
            yield token.start_pos, token.end_pos, colour


def compare(grammar: str, notation: str, text: str) -> None:
    found = [one for one in scopes(grammar, text) if not one[2].startswith("comment")]
    assert found == list(expected(notation, text))


@pytest.mark.parametrize("name", EVERY_GAME)
def test_games_have_the_colours_of_their_tokens(name: str) -> None:
    text = (GAMES / f"{name}.kif").read_text(encoding="utf-8")
    compare("gdl", "kif", text)
    compare("gdl-infix", "infix", convert_text(text, Notation.INFIX))


def test_what_is_rare_has_the_colours_of_its_tokens() -> None:
    compare("gdl", "kif", ODD_KIF)
    compare("gdl-infix", "infix", ODD_INFIX)
