"""The Game Description Language: text in, states out.

Glossary, in the order in which things build on each other:

rulesheet
    The text of a game's rules, in KIF: ``(<= (legal ?r noop) (not (true (control ?r))))``.
term
    A constant (``noop``), a variable (``?r``) or a function of terms (``(cell 1 1 b)``).
atom, literal
    An atom is a relation applied to terms. A literal is an atom, or one of ``not``, ``or``,
    ``and`` and ``distinct`` around others.
rule, fact
    A head that holds where all literals of the body do; a fact is a rule without a body.
ruleset
    A rulesheet after reading: its rules as immutable values.
role
    A seat in the game. The role named ``random`` moves by chance.
state
    The facts that are true between two steps.
joint move
    One move per role, in the order of the roles; it leads from a state to the next.
goal
    A role's utility, 0 to 100.
percept
    What a role sees of a joint move, in games of imperfect information (GDL-II).
state machine
    A game as an object that answers for its states: legal moves, next state, goals.
perft
    The number of joint-move paths of a given length, a test of correctness and speed.

A session::

    >>> import gdl
    >>> rules = gdl.parse("(role you) (init a) (legal you go) (<= (next b) (does you go))"
    ...                   "(<= terminal (true b)) (<= (goal you 100) (true b))")
    >>> machine = gdl.interpret(rules)
    >>> state = machine.initial_state()
    >>> [str(move) for move in machine.legal_moves(state, machine.roles[0])]
    ['go']
    >>> after = machine.next_state(state, machine.legal_moves(state, machine.roles[0]))
    >>> machine.is_terminal(after), machine.goal(after, machine.roles[0])
    (True, 100)
"""

from gdl.compilation import compile
from gdl.errors import (
    GdlError,
    GdlSyntaxError,
    GroundingLimitError,
    MoveError,
    Problem,
    ResourceLimitError,
    RulesetError,
    Severity,
    Source,
)
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
    "GdlError",
    "GdlSyntaxError",
    "GroundingLimitError",
    "Literal",
    "MoveError",
    "Not",
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
    "parse",
    "parse_term",
    "perft",
    "validate",
]
