"""Descriptions: what a name of a rulesheet is, as an editor shows it under the pointer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gdl.errors import Span, counted
from gdl.language import COMMENT, WORD, Level, Notation
from gdl.language.keywords import CONNECTIVES
from gdl.lsp.symbols import NameTable, RuleSymbol

MAX_COMMENT = 2_000
"""The most characters of a comment that are shown."""

_SENTENCES = {
    "role": "`(role r)`: `r` is a role, which a player takes in a match.",
    "init": "`(init f)`: the fact `f` is true in the initial state.",
    "true": "`(true f)`: the fact `f` is true in the current state.",
    "does": "`(does r m)`: the role `r` makes the move `m` in this step.",
    "legal": "`(legal r m)`: the role `r` may make the move `m` in the current state.",
    "next": "`(next f)`: the fact `f` is true in the state after this step.",
    "goal": "`(goal r n)`: the current state is worth `n`, from 0 to 100, to the role `r`.",
    "terminal": "`terminal`: the match is over in the current state.",
    "sees": "`(sees r p)`: the role `r` is told `p` after this step.",
    "base": "`(base f)`: `f` is a fact that may become true.",
    "input": "`(input r m)`: `m` is a move that may become legal for the role `r`.",
    "<=": "`(<= head body...)`: the head holds if every literal of the body does.",
    "not": "`(not l)`: the literal `l` cannot be proved.",
    "or": "`(or l...)`: one of the literals holds.",
    "and": "`(and l...)`: all of the literals hold.",
    "distinct": "`(distinct s t)`: the terms `s` and `t` are different.",
}
"""What each keyword and connective means, in a sentence."""

_LEVELS = {
    Level.STATIC: ", static: it is the same in every state",
    Level.VIEW: ", a view: it depends on the state",
    Level.TRANSITION: ": it depends on the moves of a step",
}

_WORDS = {
    Notation.KIF: re.compile(rf"{COMMENT}|{WORD.pattern}|$", re.MULTILINE),
    Notation.INFIX: re.compile(r"%|\w++|$", re.MULTILINE),
}
"""Words, and what ends the search for one: a comment, or the end of the line."""


def describe_at(table: NameTable, offset: int) -> tuple[Span, str] | None:
    """Describe the name or connective at an offset, in Markdown; None where there is neither."""
    found = table.at(offset)
    if found is None:
        return _connective_at(table, offset)
    span, symbol = found
    return span, "\n\n".join(_paragraphs(table, symbol))


def kind_of(table: NameTable, symbol: RuleSymbol) -> str:
    """Return the kind of a symbol: ``relation``, ``fluent``, ``object constant`` and so on."""
    if symbol.is_keyword:
        return "keyword"
    kind = "object constant" if symbol.kind == "constant" else symbol.kind
    return table.parts.get(symbol, kind)


def _paragraphs(table: NameTable, symbol: RuleSymbol) -> Iterator[str]:
    name = table.spelling(symbol)
    if symbol.kind in ("relation", "function"):
        name += f"/{symbol.arity}"
    level = _LEVELS[table.levels[symbol]] if kind_of(table, symbol) == "relation" else ""
    yield f"**`{_as_code(name)}`** {kind_of(table, symbol)}{level}"
    if symbol.is_keyword:
        yield _SENTENCES[symbol.name]
    definitions = table.definitions.get(symbol, [])
    if symbol.kind != "variable":
        uses = len(set(table.spans[symbol]).difference(definitions))
        rules = "rule defines" if len(definitions) == 1 else "rules define"
        yield f"{len(definitions) or 'No'} {rules} it; {counted(uses, 'use')}."
    comment = "\n".join(table.comment_above(definitions[0])) if definitions else ""
    if comment:
        yield f"```text\n{_as_code(comment[:MAX_COMMENT])}\n```"


def _as_code(text: str) -> str:
    """Leave out what would end a piece of code in Markdown."""
    return text.replace("`", "'")


def _connective_at(table: NameTable, offset: int) -> tuple[Span, str] | None:
    """Describe the word of a connective at an offset, unless it is in a comment."""
    text = table.source.text
    _, column = table.source.position(offset)
    for match in _WORDS[table.notation].finditer(text, offset - column + 1):
        word, span = match.group().lower(), match.span()
        if span[0] > offset or word.startswith(table.notation.marker):
            return None
        if offset <= span[1] and word in CONNECTIVES:
            return span, _SENTENCES[word]
    return None
