"""Renaming: a name in a rulesheet for another one, such that the rules mean the same.

What cannot be renamed is refused with a sentence: words to which the language gives a meaning, and
names that are taken. The renamed text is read again, so nothing is renamed by halves.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl.errors import GdlError, Span
from gdl.language import RANDOM_ROLE, Function, Notation, Variable, parse_term
from gdl.language.keywords import RESERVED_WORDS
from gdl.lsp.symbols import NameTable, RuleSymbol


class RenamingError(GdlError):
    """A name that cannot be changed, or not into what was asked for; says why."""


def renamable_at(table: NameTable, offset: int) -> tuple[Span, RuleSymbol]:
    """Return the name at an offset with its span; raises :class:`RenamingError`."""
    found = table.at(offset)
    if found is None:
        raise RenamingError("there is no name here that the rules use")
    span, symbol = found
    written = table.source.text[slice(*span)]
    if _is_reserved(symbol.name, symbol):
        raise RenamingError(f"'{written}' is a word of the language: it keeps its name")
    if symbol.kind == "constant" and symbol.name.isdigit():
        raise RenamingError(f"'{written}' is a number, which may be a goal value")
    if written == "_":
        raise RenamingError("every '_' is a variable of its own, and has no name")
    if table.errors:
        line, _ = table.source.position(table.errors[0].span[0])
        raise RenamingError(f"mend line {line} first: what cannot be read cannot be renamed")
    return span, symbol


def renamed(table: NameTable, offset: int, wanted: str) -> tuple[Sequence[Span], str]:
    """Return the places of the name at an offset, and what to write there for the name wanted.

    Raises :class:`RenamingError`.
    """
    _, symbol = renamable_at(table, offset)
    if _is_reserved(wanted.strip().strip('"').lower(), symbol):
        raise RenamingError(f"'{wanted}' is a word of the language")
    name, written = _read(wanted.strip(), symbol, table.notation)
    _check_free(table, symbol, name, written)
    spans = table.spans[symbol]
    _check_result(table, symbol, name, _replaced(table.source.text, spans, written))
    return spans, written


def _is_reserved(name: str, symbol: RuleSymbol) -> bool:
    """Return True if a name has a meaning of its own as that of such a symbol."""
    return symbol.kind != "variable" and name in {*RESERVED_WORDS, RANDOM_ROLE}


def _read(wanted: str, symbol: RuleSymbol, notation: Notation) -> tuple[str, str]:
    """Read a name as the notation would; return it in lower case, and as it is written."""
    if notation is Notation.KIF and symbol.kind == "variable" and not wanted.startswith("?"):
        wanted = f"?{wanted}"
    try:
        term = parse_term(f"f({wanted})" if notation is Notation.INFIX else f"(f {wanted})")
    except GdlError:
        term = None
    arguments = term.args if isinstance(term, Function) else ()
    if len(arguments) != 1 or isinstance(arguments[0], Function):
        raise RenamingError(f"'{wanted}' is no name")
    if isinstance(arguments[0], Variable) != (symbol.kind == "variable"):
        kind = "a variable" if isinstance(arguments[0], Variable) else "no variable"
        raise RenamingError(f"'{wanted}' is {kind}, other than what it would replace")
    return arguments[0].name.lower(), wanted


def _check_free(table: NameTable, symbol: RuleSymbol, name: str, written: str) -> None:
    """Refuse a name that another symbol has: of the same rule for variables, else of any kind."""
    for other in table.spans:
        if other.name == name != symbol.name and other.rule == symbol.rule:
            line, _ = table.source.position(min(table.spans[other])[0])
            raise RenamingError(f"'{written}' is taken: it is a {other.kind} in line {line}")


def _replaced(text: str, spans: Sequence[Span], written: str) -> str:
    parts, last = [], 0
    for start, end in sorted(spans):
        parts += [text[last:start], written]
        last = end
    return "".join([*parts, text[last:]])


def _check_result(table: NameTable, symbol: RuleSymbol, name: str, text: str) -> None:
    """Refuse a renaming that would change anything else of what is read."""
    changed = RuleSymbol(symbol.kind, name, symbol.arity, symbol.rule)
    wanted = [changed if one == symbol else one for _, one in table.occurrences]
    result = NameTable(text)
    if result.errors or [one for _, one in result.occurrences] != wanted:
        raise RenamingError("the rules would mean something else with this name")
