"""What the planner searches with: spaces of states, guides, and ways to go through them."""
