"""Strategies that solve games, or what is left of them, on the compiled engine.

A position goes in; choices come out that are proved once the search has ended. There are three:

:class:`Enumeration`
    finds all states and values them by retrograde analysis: :mod:`.enumeration`, its kernels,
    and the :mod:`.solution` that answers for each state.
:class:`Series`
    does so for games of subgames in sequence, :mod:`.series`, where the states of
    :mod:`.finished_subgames` that make no difference count as one.
:class:`Proof`
    searches with alpha-beta until the value is proved: :mod:`.proof`, its :mod:`.proof_tree`, the
    search in :mod:`.proof_kernels`, its records in :mod:`.proof_nodes`, the transposition table in
    :mod:`.proof_table`. With an evaluation of the states that it does not decide the same search
    plays on where nothing is proved.

Kernels see the states in a block of the engine through :mod:`.block_kernels`, which
:mod:`.solver_block` prepares for them. Start reading at :mod:`.enumeration` or :mod:`.proof`.
"""

from ggp_player.strategies.solver.enumeration import Enumeration
from ggp_player.strategies.solver.proof import Proof
from ggp_player.strategies.solver.proof_nodes import StateEvaluation
from ggp_player.strategies.solver.proof_tree import ENTRY_BYTES, MAX_DEPTH, ProofTree
from ggp_player.strategies.solver.series import Series
from ggp_player.strategies.solver.solver_block import MAX_MOVES, canonical_key

__all__ = [
    "ENTRY_BYTES",
    "MAX_DEPTH",
    "MAX_MOVES",
    "Enumeration",
    "Proof",
    "ProofTree",
    "Series",
    "StateEvaluation",
    "canonical_key",
]
