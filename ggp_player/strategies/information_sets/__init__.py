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
