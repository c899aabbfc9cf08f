"""An evaluation learned from the game while the start clock runs, and whether it pays.

:mod:`.learner` goes through the steps. Short searches play against themselves, and each node that
they have visited often is a labelled state (:mod:`.self_play`): its facts, and the value that the
search has found. A linear model is fitted to these (:mod:`.linear_model`): a weight for every
fluent, as piece-square tables are. Then the search with playouts cut short by the evaluation plays
the search with whole playouts (:mod:`.duel`), and the match goes on with the winner's settings.

Sources: J. Veness et al., Bootstrapping from game tree search (2009); R. Lorentz, Amazons discover
Monte-Carlo (2008) and later work on playouts cut short by an evaluation; K. Waledzik and J.
Mandziuk, An automatically generated evaluation function in general game playing (2014).
"""

from ggp_player.strategies.learning.learner import Learner

__all__ = ["Learner"]
