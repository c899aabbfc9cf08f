"""The formatter has one canonical form, keeps comments and never changes the meaning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdl
from gdl import Ruleset
from gdl.language.formatter import Notation, convert_text, format_text, notation_of
from gdl.language.pretty_printer import WIDTH
from tests.support.compiled_games import EVERY_GAME
from tests.support.paths import CORPUS, GAMES
from tests.support.syntax import rulesets

RULESHEETS = sorted(GAMES.glob("*.kif"))


def formatted(text: str) -> str:
    """Return the formatted text, which formatting once more does not change."""
    result = format_text(text)
    assert format_text(result) == result
    return result


@pytest.mark.parametrize("name", EVERY_GAME)
def test_our_games_are_in_canonical_form(name: str) -> None:
    text = (GAMES / f"{name}.kif").read_text(encoding="utf-8")
    assert format_text(text) == text


def test_a_rule_has_a_line_for_each_literal() -> None:
    text = "(<=(legal ?p(mark ?n))(true(free ?n))\r\n\t (not (taken ?n))   )"
    assert formatted(text) == (
        "(<= (legal ?p (mark ?n))\n"
        "  (true (free ?n))\n"
        "  (not (taken ?n)))\n"
    )  # fmt: skip


def test_facts_stay_on_their_lines_and_one_empty_line_stays() -> None:
    text = "(role  x)(role o)\n\n\n\n(index 1)   (index 2)\n( index 3 )\n\n"
    assert formatted(text) == "(role x) (role o)\n\n(index 1) (index 2)\n(index 3)\n"


def test_too_many_facts_on_a_line_are_spread_over_several() -> None:
    facts = [f"(index {n})" for n in range(30)]
    lines = formatted(" ".join(facts)).splitlines()
    assert all(len(line) <= WIDTH for line in lines)
    assert len(lines) == 4
    assert " ".join(lines).split(") (") == " ".join(facts).split(") (")


def test_what_is_too_long_for_a_line_is_broken() -> None:
    long = f"(true {'x' * 82})"
    assert formatted(f"(<= (goal x 100) (or {long} (not {long})))").splitlines() == [
        "(<= (goal x 100)",
        "  (or",
        f"    {long}",
        "    (not",
        f"      {long})))",
    ]


def test_comments_stay_with_what_they_are_at() -> None:
    text = """\
;;; The game


(role x)   ; the only one
  ; about the rule
(<= ; a rule
 (legal x (mark ?n)) ; its head
   ;first
 (free ?n);second
 (or ; one of
   (a ?n) ; this
   ; or
   (b ?n)
   ; or none
   ) ; done
 ; at the end
 );behind
; last"""
    assert (
        formatted(text)
        == """\
;;; The game

(role x) ; the only one
; about the rule
(<= (legal x (mark ?n)) ; a rule
  ; its head
  ;first
  (free ?n) ;second
  (or ; one of
    (a ?n) ; this
    ; or
    (b ?n)
    ; or none
  ) ; done
  ; at the end
) ;behind
; last
"""
    )


def test_infix_is_formatted_as_well() -> None:
    text = (
        "role(x).   role(o). % two\nlegal(P, mark( N ))\n :- role(P)&free(N) % rest\n\n\nopen:-~a"
    )
    assert formatted(text) == (
        "role(x) role(o) % two\nlegal(P,mark(N)) :- role(P) & free(N) % rest\n\nopen :- ~a\n"
    )


def test_long_infix_rules_are_broken_and_every_underscore_stays() -> None:
    literal = f"true(cell({','.join(f'Variable{n}' for n in range(7))},_))"
    text = f"open :- {literal} & {literal}"
    assert formatted(text) == f"open :-\n  {literal} &\n  {literal}\n"


def test_comments_change_their_marker_with_the_notation() -> None:
    kif = ";; A game\n(role x) ; one\n(<= open\n  ; two\n  (p x) ; three\n  (q x)\n  ; four\n)\n"
    infix = "%% A game\nrole(x) % one\nopen :-\n  % two\n  p(x) & % three\n  q(x)\n% four\n"
    assert convert_text(kif, Notation.INFIX) == infix
    back = convert_text(infix, Notation.KIF)
    assert back == kif.replace("(q x)\n  ; four\n)", "(q x))\n; four")


def test_a_marker_in_a_quoted_name_begins_no_comment() -> None:
    text = 'p("50%",x) % yes\n'
    assert formatted(text) == text
    assert convert_text(text, Notation.KIF) == "(p 50% x) ; yes\n"


def test_rules_that_make_no_sense_are_formatted_too() -> None:
    text = "(role)\n(<= (p ?x))\n(<=)\n((a) b)\n()\nword\n(f)\n"
    assert formatted(text) == text


def test_text_that_is_not_made_of_forms_is_refused() -> None:
    with pytest.raises(gdl.GdlSyntaxError, match="never closed"):
        format_text("(role x")
    with pytest.raises(gdl.GdlSyntaxError, match="takes 1 argument"):
        convert_text("(role)", Notation.INFIX)


def test_empty_texts_stay_empty() -> None:
    assert format_text("") == ""
    assert format_text(" \n\n") == ""
    assert formatted("\n; only this") == "; only this\n"
    assert convert_text("; only this", Notation.INFIX) == "% only this\n"


def test_a_comment_that_ends_a_rule_breaks_no_line_of_it_in_infix() -> None:
    infix = convert_text("(<= p (q) ; why\n; because\n)", Notation.INFIX)
    assert infix == format_text(infix) == "p :- q % why\n% because\n"


KIF_SPACES = (
    " ",
    "  ",
    "\n",
    "\r\n\r\n\n",
    "\t",
    " ; note\n",
    "\n; (a) 'b\n",
    ";\r",
    ";;x\n \n;y\n",
)
INFIX_SPACES = (" ", "  ", "\n ", " \r\n \n ", "\t", " % note\n ", '\n % (a) "b\n ', "%\r ")


@pytest.mark.thorough
@settings(max_examples=50)
@given(rulesets(), st.integers())
def test_formatting_and_comments_never_change_what_kif_means(ruleset: Ruleset, seed: int) -> None:
    tokens = re.findall(r"[()]|[^\s()]+", str(ruleset))
    text = spread(tokens, KIF_SPACES, Random(seed))
    result = formatted(text)
    assert gdl.parse(result) == ruleset
    assert comments(result, ";") == comments(text, ";")
    infix = convert_text(text, Notation.INFIX)
    assert notation_of(infix) is Notation.INFIX
    assert gdl.parse(infix) == ruleset
    assert format_text(infix) == infix
    assert infix.count("note") == text.count("note")


@pytest.mark.thorough
@settings(max_examples=50)
@given(rulesets(), st.integers())
def test_formatting_and_comments_never_change_what_infix_means(ruleset: Ruleset, seed: int) -> None:
    statements = convert_text(str(ruleset), Notation.INFIX)
    tokens = re.findall(r'_?"(?:[^"\\]|\\.)*"\(?|\w+\(?|:-|\S', statements)
    text = spread(tokens, INFIX_SPACES, Random(seed))
    if notation_of(text) is Notation.KIF:
        text = f"% infix\n{text}"
    result = formatted(text)
    assert gdl.parse(result) == ruleset
    assert result.count("note") == text.count("note")
    assert gdl.parse(convert_text(text, Notation.KIF)) == ruleset


def spread(tokens: Sequence[str], spaces: Sequence[str], random: Random) -> str:
    """Return the tokens with blanks, line ends and comments between them."""
    return "".join(token + random.choice(spaces) for token in tokens)


def comments(text: str, marker: str) -> list[str]:
    """Return the words of every comment, in order."""
    return sorted(re.findall(rf"{marker}+[^\r\n]*", text))


@pytest.mark.corpus
@pytest.mark.parametrize(
    "path",
    sorted((CORPUS / "rulesheets").glob("*.kif")),
    ids=lambda path: path.stem,
)
def test_real_rulesheets_survive_formatting_and_conversion(path: Path) -> None:
    ruleset = gdl.load(path)
    text = gdl.language.parser.decode(path.read_bytes())
    assert gdl.parse(formatted(text)) == ruleset
    infix = convert_text(text, Notation.INFIX)
    assert gdl.parse(infix) == ruleset
    assert format_text(infix) == infix
    assert gdl.parse(convert_text(infix, Notation.KIF)) == ruleset


def test_a_comment_inside_an_atom_without_arguments_comes_after_the_connective() -> None:
    infix = convert_text("(<= (h ?x)\n (p\n ; c\n )\n (q ?x))", Notation.INFIX)
    assert infix == "h(X) :-\n  p &\n  % c\n  q(X)\n"
    assert format_text(infix) == infix
