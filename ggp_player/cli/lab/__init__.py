"""What the commands of ``ggp-player lab`` do: duels of two strategies, and the page of a ledger."""
