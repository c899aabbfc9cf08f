"""The laboratory: what measures how strong a search is, and whether a change has made it stronger.

:mod:`.positions` counts how often searches err in positions that are solved.
"""
