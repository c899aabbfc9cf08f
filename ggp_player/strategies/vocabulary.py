"""The words in which searches say how a move was found, and why they have ended without a proof.

They are for readers of the log, of the pages and of the archive, so each says one thing only.
"""

from __future__ import annotations

from enum import StrEnum


class Method(StrEnum):
    """How a move was found."""

    ONLY_MOVE = "only move"
    FIRST_MOVE = "first legal move"
    """In place of one that a search has found."""
    RANDOM_MOVE = "random move"
    GUESS = "guess"
    """Made while the legal moves are not known."""
    SOLVED = "solved"
    """By enumerating all states, or by a proof."""
    ENUMERATION = "enumeration"
    """Of all states, which bounds the value without deciding it."""
    PROOF_SEARCH = "alpha-beta, for a proof"
    ALPHA_BETA = "alpha-beta"
    LEARNED = "alpha-beta, learned"
    TREE_SEARCH = "tree search (mcts)"
    SINGLE_PLAYOUTS = "tree search (uct)"
    MINIMAX = "minimax"
    BOUNDED_MINIMAX = "minimax, bounded"
    MAX_N = "max^n"
    DELIBERATION = "deliberation"
    PLAN = "plan"
    INFORMATION_SETS = "tree search (information sets)"
    EXPECTIMAX = "expectimax"
    EQUILIBRIUM = "equilibrium"


class Limit(StrEnum):
    """Why a search has ended though its value is not proved, or why its tree grows no more."""

    DEPTH = "depth limit reached"
    NODES = "node limit reached"
    STATES = "state limit reached"
    MEMORY = "memory limit reached"
    PLAYOUTS = "playout limit reached"
    ITERATIONS = "iteration limit reached"
    STACK = "stack exhausted"
    BOUND = "bound reached"
    """The value is as good, or as bad, as it matters."""
