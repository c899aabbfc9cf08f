"""The second stage of the analysis: single properties of a game.

In comes :class:`gdl.analysis.evidence.Evidence`, or a survey alone; out go findings. One property
a module: ``turns``, ``goals``, ``length`` (and size), ``latches`` and ``mutex_groups``. Start in
``turns``. The ``observed_*`` functions conclude from random playouts; the others prove what they
can, from the reachable states or with the prover.
"""
