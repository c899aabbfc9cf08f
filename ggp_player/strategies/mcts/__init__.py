"""Monte Carlo tree search on blocks of lanes.

One step of the search, for a block of lanes (:mod:`.flying` is the hot loop):

1. the view of all lanes is evaluated; playouts that have ended give their lanes back
2. when all lanes of a leaf have ended, their sums are added along its path, root to leaf
3. idle lanes go to new leaves: down the tree by what is known and what is in flight, until a move
   whose child is yet to be made; several children of one node are made together
4. all lanes choose a move, uniformly or the one that makes the child, and make it

Bounds of values that are proved are backed up exactly: what is proved is searched no more. Equal
states are one node, and so are images of each other by a symmetry of the game. Where several roles
have a choice at once, each draws its moves so that it regrets none (:mod:`.joint`), and the move to
make is drawn from an equilibrium of what is known of the joint moves (:mod:`.equilibrium`): a
player whose move is known beforehand can be beaten.

Sources: L. Kocsis and C. Szepesvari, Bandit based Monte-Carlo planning (2006); M. Winands et al.,
Monte-Carlo tree search solver (2008); T. Cazenave and A. Saffidine, Score bounded Monte-Carlo tree
search (2010); A. Liu et al., Watch the unobserved (2020); H. Finnsson and Y. Bjornsson,
CadiaPlayer (2009); A. Saffidine, H. Finnsson and M. Buro, Alpha-beta pruning for games with
simultaneous moves (2012); M. Lanctot, V. Lisy and M. Winands, Monte Carlo tree search in
simultaneous move games with applications to Goofspiel (2013).
"""

from ggp_player.strategies.mcts.arrays import Settings
from ggp_player.strategies.mcts.monte_carlo import MonteCarlo
from ggp_player.strategies.mcts.tree_search import TreeSearch
from ggp_player.strategies.mcts.uct import Uct

__all__ = [
    "MonteCarlo",
    "Settings",
    "TreeSearch",
    "Uct",
]
