"""An evaluation learned from the game while the start clock runs, and whether it pays.

:mod:`.learner` goes through the steps. Patterns are found in the rules and in states of random
playouts (:mod:`.playout_states`), and their weights are learned from many games at once
(:mod:`.pattern_learning`, on the kernels of :mod:`ggp_player.strategies.patterns`). With that
evaluation alpha-beta (:mod:`.learned_alpha_beta`) plays the tree search, which is guided by it, too
(:mod:`.duel`), and the match goes on with whichever wins (:mod:`.contest`). Outside of contests
:mod:`.learned_mcts` is the guided tree search.

With more time than a start clock :mod:`.long_learning` does the same, also on a cluster
(:mod:`.cluster_learning`); what it learns is stored for later matches (:mod:`.stored_evaluations`).
"""

from ggp_player.strategies.learning.cluster_learning import ClusterLearning
from ggp_player.strategies.learning.contest import Contest
from ggp_player.strategies.learning.learned_alpha_beta import LearnedAlphaBeta
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.learned_mcts import LearnedMonteCarlo
from ggp_player.strategies.learning.learner import Learner
from ggp_player.strategies.learning.long_learning import LearningRound, LongLearning
from ggp_player.strategies.learning.stored_evaluations import (
    FOLDER_VARIABLE,
    StoredEvaluation,
    evaluations_folder,
    read_evaluation,
)

__all__ = [
    "FOLDER_VARIABLE",
    "ClusterLearning",
    "Contest",
    "LearnedAlphaBeta",
    "LearnedEvaluation",
    "LearnedMonteCarlo",
    "Learner",
    "LearningRound",
    "LongLearning",
    "StoredEvaluation",
    "evaluations_folder",
    "read_evaluation",
]
