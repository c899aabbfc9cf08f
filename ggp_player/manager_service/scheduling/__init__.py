"""Which match is played when, and by whom.

``event_formats`` says which matches an event consists of, ``roster`` which players can be called
upon, ``clients`` speaks to them, ``scheduler`` plays what waits, and ``news`` tells what happens.
"""
