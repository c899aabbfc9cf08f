"""The front of every server here: connections in, whole and admitted requests out.

Both the player and the manager stand behind it. :mod:`.front` takes connections and counts what
goes back, :mod:`.connections` bounds both, and :mod:`.request_reader` reads requests. Whether a
request is served is decided by what a server gives as its :data:`.admission.Access`.
"""
