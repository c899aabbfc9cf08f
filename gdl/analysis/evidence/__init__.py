"""The first stage of the analysis: what is gathered of a game before anything is concluded.

In comes a compiled game (or, for a survey alone, any state machine); out goes its
:class:`Evidence`: a survey of random play with sampled states, the circuit as a graph, the
reachable states where they are few, and a prover. Start in ``evidence``. ``findings`` holds what
the later stages conclude: the fields of :class:`Structure`, each a :class:`Finding`.
"""
