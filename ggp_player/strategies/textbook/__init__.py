"""The strategies of the textbook, one algorithm a file, on any state machine.

A position goes in; choices come out that only improve. They evaluate one state at a time and work
on interpreted rules too; the faster strategies are tested against them. Start reading at
:mod:`.minimax`, which is the routine of the book. Adversarial searches are :mod:`.minimax`,
:mod:`.bounded_minimax`, :mod:`.alpha_beta` (with :mod:`.negamax`) and :mod:`.max_n`; one player
plays by :mod:`.deliberation` or :mod:`.sequential_planning`; :mod:`.legal` and :mod:`.random_move`
do not search. They share :mod:`.game_tree`, :mod:`.evaluation`, :mod:`.depth_limited` and the
tables of :mod:`.memory` and :mod:`.transposition_table`.

Source: M. Genesereth and M. Thielscher, General Game Playing (2014), chapters 4 to 7.
"""

from gdl.language import moves_by_chance
from ggp_player.strategies.textbook.alpha_beta import AlphaBeta, AlphaBetaTree
from ggp_player.strategies.textbook.bounded_minimax import BoundedMinimax, BoundedSearch
from ggp_player.strategies.textbook.deliberation import Deliberation
from ggp_player.strategies.textbook.depth_limited import DepthLimitedTree
from ggp_player.strategies.textbook.evaluation import EvaluationName, Evaluator
from ggp_player.strategies.textbook.game_tree import (
    Moves,
    in_role_order,
    opponents_of,
    own_first,
    playout,
    utility,
)
from ggp_player.strategies.textbook.legal import Legal
from ggp_player.strategies.textbook.max_n import MaxN, MaxNTree, Utilities
from ggp_player.strategies.textbook.memory import MemoTable
from ggp_player.strategies.textbook.minimax import Minimax, MinimaxSearch
from ggp_player.strategies.textbook.negamax import NegamaxTree, flipped
from ggp_player.strategies.textbook.random_move import RandomMove
from ggp_player.strategies.textbook.sequential_planning import SequentialPlanning

__all__ = [
    "AlphaBeta",
    "AlphaBetaTree",
    "BoundedMinimax",
    "BoundedSearch",
    "Deliberation",
    "DepthLimitedTree",
    "EvaluationName",
    "Evaluator",
    "Legal",
    "MaxN",
    "MaxNTree",
    "MemoTable",
    "Minimax",
    "MinimaxSearch",
    "Moves",
    "NegamaxTree",
    "RandomMove",
    "SequentialPlanning",
    "Utilities",
    "flipped",
    "in_role_order",
    "moves_by_chance",
    "opponents_of",
    "own_first",
    "playout",
    "utility",
]
