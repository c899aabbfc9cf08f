"""The Game Description Language: text in, states out.

The stages of a rulesheet, a package each; every stage knows only those before it:

========================  ===================================================================
:mod:`gdl.language`       text to rules, and rules to text
:mod:`gdl.datalog`        a general evaluator of rules: join plans, compiled to Python
:mod:`gdl.reasoner`       the state machine on that evaluator: the oracle of the faster one
:mod:`gdl.validation`     what is wrong or odd about a rulesheet; a side branch
:mod:`gdl.grounding`      rules to ground rules, without variables
:mod:`gdl.circuit`        ground rules to a circuit of AND gates
:mod:`gdl.engine`         the circuit as a state machine that evaluates 512 states at once
:mod:`gdl.analysis`       what can be known of a game: turns, parts, symmetries, bounds
========================  ===================================================================

:mod:`gdl.state_machine` is what both state machines offer. :mod:`gdl.drawing`
draws states, :mod:`gdl.oracle` answers other programs, :mod:`gdl.datasets` writes playouts,
:mod:`gdl.openspiel` makes games of OpenSpiel of them, and
:mod:`gdl.reports`, :mod:`gdl.benchmark` and :mod:`gdl.cli` show and measure all this.

Glossary, in the order in which things build on each other:

rulesheet
    The text of a game's rules, in KIF: ``(<= (legal ?r noop) (not (true (control ?r))))``, or in
    infix: ``legal(R,noop) :- ~true(control(R))``.
term
    A constant (``noop``), a variable (``?r``) or a function of terms (``(cell 1 1 b)``).
atom, literal
    An atom is a relation applied to terms. A literal is an atom, or one of ``not``, ``or``,
    ``and`` and ``distinct`` around others.
rule, fact
    A head that holds if all literals of the body do; a fact is a rule without a body.
ruleset
    A parsed rulesheet: its rules as immutable values.
role
    A seat in the game. The role named ``random`` moves by chance.
state
    The facts that are true between two steps of a match.
joint move
    One move per role, in the order of the roles; it leads from a state to the next.
goal
    A role's utility, 0 to 100.
percept
    What a role sees of a joint move, in games of imperfect information (GDL-II).
state machine
    A game as an object that answers questions about states: legal moves, next state, goals.
playout
    A match in which every role moves at random.
perft
    The number of joint-move paths of a given length, a test of correctness and speed.

A session::

    >>> import gdl
    >>> rules = gdl.parse("(role you) (init a) (legal you go) (<= (next b) (does you go))"
    ...                   "(<= terminal (true b)) (<= (goal you 100) (true b))")
    >>> machine = gdl.interpret(rules)
    >>> state = machine.initial_state()
    >>> machine.roles, machine.legal_moves(state, "you")
    ((you,), (go,))
    >>> after = machine.step(state, ["go"])
    >>> machine.is_terminal(after), machine.goal(after, "you")
    (True, 100)

Roles and moves are terms or text; ``repr`` of a term is its KIF. ``step`` checks a joint move and
says what would be legal, ``next_state`` does not check. :class:`gdl.Game` is a match for people.
"""

import importlib

from gdl.version import __version__ as __version__

TYPE_CHECKING = False
"""As :data:`typing.TYPE_CHECKING`, which is slow to import for a process that grounds one game."""

if TYPE_CHECKING:
    from gdl.public_api import *  # noqa: F403
else:

    def __getattr__(name: str) -> object:
        """Import the public names when the first of them is asked for.

        A process that needs no rules, such as a command that prints its help, does without them.
        """
        if name.startswith("__") and name != "__all__":
            raise AttributeError(f"module 'gdl' has no attribute {name!r}")
        public_api = importlib.import_module("gdl.public_api")
        names = public_api.__all__
        globals().update({each: getattr(public_api, each) for each in names}, __all__=names)
        if name not in globals():
            raise AttributeError(f"module 'gdl' has no attribute {name!r}")
        return globals()[name]
