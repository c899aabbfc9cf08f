"""The command lines of ``ggp-player lab``: duels and the ledger, positions, and profiles."""
