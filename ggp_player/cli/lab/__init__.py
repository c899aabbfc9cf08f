"""What the commands of ``ggp-player lab`` do: duels, ledger, solved positions, and the ladder."""
