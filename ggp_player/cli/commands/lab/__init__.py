"""The command lines of ``ggp-player lab``: the group with duels and the ledger, and positions."""
