"""Searches for games with hidden information (GDL-II): over information sets, not over states.

:class:`InformationSetSearch` is the strategy. It chooses by what a role knows (a
:class:`.Belief`), and never by the state that the search happens to look at:

* one player against chance: :mod:`.belief_expectimax`, exact where there is time;
* small games of several players: counterfactual regret minimisation (:mod:`.counterfactual_regret`)
  on the whole game (:mod:`.extensive_form`), which approaches an equilibrium;
* all others, and until these have an answer: information-set Monte Carlo tree search
  (:mod:`.information_set_tree`, with :mod:`.playouts` from its leaves).

:mod:`.game_graph` keeps the states that they have in common.
"""

from ggp_player.strategies.information_sets.counterfactual_regret import (
    Profile,
    RegretMinimisation,
    best_response,
    node_values,
)
from ggp_player.strategies.information_sets.extensive_form import (
    ExtensiveForm,
    ExtensiveFormBuilder,
)
from ggp_player.strategies.information_sets.game_graph import GameGraph
from ggp_player.strategies.information_sets.information_set_search import InformationSetSearch

__all__ = [
    "ExtensiveForm",
    "ExtensiveFormBuilder",
    "GameGraph",
    "InformationSetSearch",
    "Profile",
    "RegretMinimisation",
    "best_response",
    "node_values",
]
