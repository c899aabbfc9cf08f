"""How rulesheets are written: the two notations, read and written, and their layout."""

from gdl.language.formatter import Notation, convert_text, format_text, notation_of
from gdl.language.parser import decode, load, parse, parse_term, read_ruleset
from gdl.language.rules import (
    KEYWORD_ARITY,
    And,
    Atom,
    Distinct,
    Literal,
    Not,
    Or,
    RelationKey,
    Rule,
    Ruleset,
    atoms_of,
    by_relation,
    holds_distinct_variables,
    names_in,
    variables_in,
)
from gdl.language.scrambler import Scrambler
from gdl.language.terms import Constant, Function, Term, Variable, is_ground, variables_of

__all__ = [
    "KEYWORD_ARITY",
    "And",
    "Atom",
    "Constant",
    "Distinct",
    "Function",
    "Literal",
    "Not",
    "Notation",
    "Or",
    "RelationKey",
    "Rule",
    "Ruleset",
    "Scrambler",
    "Term",
    "Variable",
    "atoms_of",
    "by_relation",
    "convert_text",
    "decode",
    "format_text",
    "holds_distinct_variables",
    "is_ground",
    "load",
    "names_in",
    "notation_of",
    "parse",
    "parse_term",
    "read_ruleset",
    "variables_in",
    "variables_of",
]
