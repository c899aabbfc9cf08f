"""What the commands of ``ggp-player lab`` do: duels, ledger, positions, profiles, the ladder."""
