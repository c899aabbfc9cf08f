"""The command lines of ``ggp-player lab``: duels and ledger, positions, profiles, the ladder."""
