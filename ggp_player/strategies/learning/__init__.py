"""An evaluation learned from the game while the start clock runs, and whether it pays.

:mod:`.learner` goes through the steps. States of random playouts are labelled with how their
playouts ended (:mod:`.playout_states`), and a weight for every fluent is fitted to them, as in
piece-square tables (:mod:`.logistic_regression`, :mod:`.evaluation`). With that evaluation
alpha-beta (:mod:`.learned_alpha_beta`) plays the tree search (:mod:`.duel`), and the match goes on
with whichever wins (:mod:`.contest`).

With more time than a start clock :mod:`.long_learning` does the same, and adds a small network
(:mod:`.network`) where that wins games; what it learns is stored for later matches
(:mod:`.stored_evaluations`).

Sources: M. Buro, From simple features to sophisticated evaluation functions (1998), on evaluations
fitted to the results of games; K. Waledzik and J. Mandziuk, An automatically generated evaluation
function in general game playing (2014).
"""

from ggp_player.strategies.learning.contest import Contest
from ggp_player.strategies.learning.learned_alpha_beta import LearnedAlphaBeta
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation, Model
from ggp_player.strategies.learning.learner import Learner
from ggp_player.strategies.learning.long_learning import LongLearning
from ggp_player.strategies.learning.stored_evaluations import (
    FOLDER_VARIABLE,
    DuelResult,
    StoredEvaluation,
    evaluations_folder,
    read_evaluation,
)

__all__ = [
    "FOLDER_VARIABLE",
    "Contest",
    "DuelResult",
    "LearnedAlphaBeta",
    "LearnedEvaluation",
    "Learner",
    "LongLearning",
    "Model",
    "StoredEvaluation",
    "evaluations_folder",
    "read_evaluation",
]
