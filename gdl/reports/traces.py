"""Traces: playouts written down so that another evaluator's answers can be compared with them.

A trace is a list of JSON objects, one a line. The first names the game and its roles; each other
one describes a state by sets: its facts, the legal moves and goal values of each role, the
percepts of the joint move made. Sets are sorted by their members' text, and large ones are
replaced by their size and the SHA-256 of their members joined by newlines.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, TypeAlias

from gdl.language import Term
from gdl.playouts import Step
from gdl.state_machine import StateMachine

ORACLE = "gdl reasoner"
"""What computed the states of the traces written here."""

MAX_SHOWN_FACTS = 400
"""The largest state that is written out."""

MAX_SHOWN_MOVES = 250
"""The largest set of legal moves that is written out."""

JsonObject: TypeAlias = dict[str, Any]


def header(game: str, machine: StateMachine) -> JsonObject:
    """Build the first line of a trace."""
    return {"game": game, "roles": [str(role) for role in machine.roles], "oracle": ORACLE}


def trace_line(machine: StateMachine, playout: int, step: Step, percepts: bool) -> JsonObject:
    """Build the line of one state; with ``percepts``, also what roles see of its joint move."""
    state, roles = step.state, machine.roles
    facts = _sorted_texts(state)
    line: JsonObject = {
        "playout": playout,
        "step": step.number,
        "state": facts if len(facts) <= MAX_SHOWN_FACTS else None,
        "state_n": len(facts),
        "state_sha256": _sha256(facts),
        "terminal": machine.is_terminal(state),
        "goals": {str(role): [str(goal) for goal in machine.goals(state, role)] for role in roles},
        "legals": {str(role): _moves(machine.legal_moves(state, role)) for role in roles},
    }
    if step.joint_move is not None:
        line["moves"] = [str(move) for move in step.joint_move]
        if percepts:
            line["sees"] = {
                str(role): _sorted_texts(machine.percepts(state, step.joint_move, role))
                for role in roles
            }
    return line


def _moves(moves: Iterable[Term]) -> JsonObject:
    texts = _sorted_texts(moves)
    entry: JsonObject = {"n": len(texts), "sha256": _sha256(texts)}
    if len(texts) <= MAX_SHOWN_MOVES:
        entry["moves"] = texts
    return entry


def _sorted_texts(terms: Iterable[Term]) -> list[str]:
    return sorted(map(str, terms))


def _sha256(texts: Iterable[str]) -> str:
    """Hash the texts, encoded as Latin-1 if possible, otherwise as UTF-8."""
    text = "\n".join(texts)
    try:
        data = text.encode("latin-1")
    except UnicodeEncodeError:
        data = text.encode("utf-8")
    return hashlib.sha256(data).hexdigest()
