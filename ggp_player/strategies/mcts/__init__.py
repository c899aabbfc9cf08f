"""Monte Carlo tree search on blocks of lanes: the strong search of games with more than one player.

:mod:`.monte_carlo` is the strategy ``mcts``; start there. It runs a :mod:`.tree_search`, a tree and
one or more threads that grow it, each over a block of the compiled engine. The data of a tree are
in :mod:`.arrays`, those of a thread in :mod:`.memory`; the kernels work on them, called from the
hot loop in :mod:`.search_loop`. :mod:`.uct` is the yardstick: the same engine with one playout at a
time.

One step of the search, for a thread and its block of lanes:

1. idle lanes get new leaves (:mod:`.selection`): paths down the tree by visits, pending visits and
   proved bounds, up to a child that is not yet in the tree; several siblings are added together,
   and several descents in a row begin at one node, the stand
2. the view of all lanes is evaluated, and the new leaves are expanded or proved (:mod:`.nodes`)
3. lanes whose playout has ended are freed; when all playouts of a leaf have ended, their sums are
   added along its path (:mod:`.backpropagation`)
4. all lanes choose a move, at random or the one that leads to the new child, and make it

Where patterns guide it (:mod:`.priors`), what they say of a state is backed up by minimax, and is
a part of the value of a move that leads there.

Threads share the whole tree (tree parallelism). A lock protects what changes its shape or proves:
that new children are linked, and leaves expanded. Descents and backpropagation add to visits and
values without it; what lies above a stand, where threads would wait for each other's memory, gets
the sum of many leaves at once. Pending visits keep threads from all following the same path.

Proved bounds of values are backed up exactly, and what is proved is not searched again. Equal
states are one node, and so are states that a symmetry of the game maps to one another. At
simultaneous-move nodes (:mod:`.simultaneous`) each role draws its move by regret matching, and the
move to make is drawn from an equilibrium of the root's payoff matrix: a player whose move can be
foreseen can be beaten. A tree that has filled its memory recycles its
oldest nodes (:mod:`.pools`). What is proved in each kind of game is said in :mod:`.bounds`.

Sources: L. Kocsis and C. Szepesvari, Bandit based Monte-Carlo planning (2006); M. Winands et al.,
Monte-Carlo tree search solver (2008); T. Cazenave and A. Saffidine, Score bounded Monte-Carlo tree
search (2010); A. Liu et al., Watch the unobserved (2020); H. Finnsson and Y. Bjornsson,
CadiaPlayer (2009); A. Saffidine, H. Finnsson and M. Buro, Alpha-beta pruning for games with
simultaneous moves (2012); M. Lanctot, V. Lisy and M. Winands, Monte Carlo tree search in
simultaneous move games with applications to Goofspiel (2013); M. Lanctot et al., Monte Carlo tree
search with heuristic evaluations using implicit minimax backups (2014); G. Chaslot, M. Winands and
J. van den Herik, Parallel Monte-Carlo tree search (2008); M. Enzenberger and M. Müller, A lock-free
multithreaded Monte-Carlo tree search algorithm (2009); K. Yoshizoe et al., Scalable distributed
Monte-Carlo tree search (2011).
"""

from ggp_player.strategies.mcts.arrays import MINIMAX_SHARE, Settings
from ggp_player.strategies.mcts.monte_carlo import MonteCarlo, best_move
from ggp_player.strategies.mcts.tree_search import TreeSearch
from ggp_player.strategies.mcts.uct import Uct

__all__ = [
    "MINIMAX_SHARE",
    "MonteCarlo",
    "Settings",
    "TreeSearch",
    "Uct",
    "best_move",
]
