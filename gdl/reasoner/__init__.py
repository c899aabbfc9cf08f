"""The reasoner: the state machine that evaluates the rules of a game themselves.

A ruleset comes in; a :class:`gdl.StateMachine` (:func:`interpret`), the answers to a query
(:func:`ask`) or the rows of static relations (:func:`evaluate_static`) come out. It is far slower
than the compiled engine, but ready at once, and it is the oracle that the engine is tested against.
Start reading in :mod:`~gdl.reasoner.reasoner`, which runs a :class:`gdl.datalog.Program`;
:mod:`~gdl.reasoner.encoding` turns facts and moves into its rows.
"""

from gdl.reasoner.reasoner import ask, evaluate_static, interpret

__all__ = ["ask", "evaluate_static", "interpret"]
