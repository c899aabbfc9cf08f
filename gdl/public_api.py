"""What ``import gdl`` offers, from wherever it is defined; :mod:`gdl` takes it from here."""

from gdl.compilation import compile
from gdl.errors import (
    GdlError,
    GdlSyntaxError,
    GroundingLimitError,
    IllegalActionError,
    MoveError,
    OpeningError,
    Problem,
    ResourceLimitError,
    RulesetError,
    Severity,
    Source,
)
from gdl.game import Game
from gdl.game_library import own_games
from gdl.language import (
    And,
    Atom,
    Constant,
    Distinct,
    Function,
    Literal,
    Not,
    Or,
    Rule,
    Ruleset,
    Term,
    Variable,
    load,
    parse,
    parse_term,
)
from gdl.reasoner import ask, interpret
from gdl.state_machine import State, StateMachine, divide, joint_moves, perft
from gdl.validation import validate

__all__ = [
    "And",
    "Atom",
    "Constant",
    "Distinct",
    "Function",
    "Game",
    "GdlError",
    "GdlSyntaxError",
    "GroundingLimitError",
    "IllegalActionError",
    "Literal",
    "MoveError",
    "Not",
    "OpeningError",
    "Or",
    "Problem",
    "ResourceLimitError",
    "Rule",
    "Ruleset",
    "RulesetError",
    "Severity",
    "Source",
    "State",
    "StateMachine",
    "Term",
    "Variable",
    "ask",
    "compile",
    "divide",
    "interpret",
    "joint_moves",
    "load",
    "own_games",
    "parse",
    "parse_term",
    "perft",
    "validate",
]
