"""Validation: what is wrong or odd about a rulesheet, found from its rules and by playing it.

In comes a rulesheet as text or as a ruleset, out come problems with their positions:
:func:`validate` reads nothing but the rules, :func:`check_playouts` watches random playouts of a
state machine. No stage after this one needs it; the reasoner and the compiler refuse bad rules
themselves, with the first mistake only.

Start with :mod:`.validator`, which lists the checks in order. Those of :mod:`.keywords`,
:mod:`.names`, :mod:`.safety` and :mod:`.stratification` look at the rules, the last with the help
of :mod:`.ground_dependencies`; :mod:`.position_checks` and :mod:`.playout_checks` look at states.
"""
