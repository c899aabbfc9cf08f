"""What the commands of ``ggp-player lab`` do: duels, positions, profiles, the ledger."""
