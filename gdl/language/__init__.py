"""The language: from a rulesheet's text to a ruleset, and back to text.

The first stage. In comes text in KIF or infix, out come rules as immutable values, or every mistake
with its position. The way back formats a ruleset, converts it to the other notation or renames it.
It knows what a rule looks like and which words are keywords, not what a rule means.

Start with :mod:`.rules`, the values, and :mod:`.keywords`. Reading goes from
:mod:`.kif` or :mod:`.infix` over :mod:`.forms` to :mod:`.parser`; writing from :mod:`.formatter`
over :mod:`.writers` to :mod:`.pretty_printer`. :mod:`.lexical` says what a name is,
:mod:`.scrambler` renames, and :mod:`.canonical_rules` finds what renaming leaves as it is.
"""

from gdl.language.canonical_rules import CanonicalForm, canonical_form
from gdl.language.formatter import Notation, convert_text, format_text, notation_of
from gdl.language.keywords import (
    GIVEN_LEVELS,
    HIGHEST_LEVELS,
    KEYWORDS,
    MACHINE_RELATIONS,
    RANDOM_ROLE,
    Level,
    moves_by_chance,
)
from gdl.language.lexical import COMMENT, WORD
from gdl.language.opening_comment import OpeningComment, opening_comment
from gdl.language.parser import as_term, decode, load, parse, parse_term, read_ruleset
from gdl.language.rules import (
    And,
    Atom,
    Constant,
    Distinct,
    Function,
    Literal,
    Not,
    Or,
    RelationKey,
    Rule,
    Ruleset,
    Substitution,
    Term,
    Variable,
    atoms_of,
    body_atoms,
    by_relation,
    check_ruleset,
    holds_distinct_variables,
    is_ground,
    leaves_of,
    map_atoms,
    named_in,
    names_by_argument,
    names_in,
    names_in_order,
    substitute,
    substitute_rule,
    substitute_term,
    terms_of,
    variables_in,
    variables_of,
)
from gdl.language.scrambler import Scrambler
from gdl.language.writers import infix_name

__all__ = [
    "COMMENT",
    "GIVEN_LEVELS",
    "HIGHEST_LEVELS",
    "KEYWORDS",
    "MACHINE_RELATIONS",
    "RANDOM_ROLE",
    "WORD",
    "And",
    "Atom",
    "CanonicalForm",
    "Constant",
    "Distinct",
    "Function",
    "Level",
    "Literal",
    "Not",
    "Notation",
    "OpeningComment",
    "Or",
    "RelationKey",
    "Rule",
    "Ruleset",
    "Scrambler",
    "Substitution",
    "Term",
    "Variable",
    "as_term",
    "atoms_of",
    "body_atoms",
    "by_relation",
    "canonical_form",
    "check_ruleset",
    "convert_text",
    "decode",
    "format_text",
    "holds_distinct_variables",
    "infix_name",
    "is_ground",
    "leaves_of",
    "load",
    "map_atoms",
    "moves_by_chance",
    "named_in",
    "names_by_argument",
    "names_in",
    "names_in_order",
    "notation_of",
    "opening_comment",
    "parse",
    "parse_term",
    "read_ruleset",
    "substitute",
    "substitute_rule",
    "substitute_term",
    "terms_of",
    "variables_in",
    "variables_of",
]
