"""A circuit that a search may ask for beside a game's own: the moves that win at once.

Start in :mod:`.builder`. The view is read back from its layout (:mod:`.view_graph`), what each move
implies is propagated (:mod:`.implied_values`), and gates are copied (:mod:`.cone_copies`).
"""
