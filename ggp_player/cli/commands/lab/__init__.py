"""The command lines of ``ggp-player lab``: its group with duels and ledger, positions, ladder."""
