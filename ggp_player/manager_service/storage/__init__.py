"""What the manager keeps: players, games, events, matches with their records, ratings, tokens.

``database`` has the tables, and the lock against a second manager; ``store`` the transactions on
them; ``tokens`` who may do what; ``names`` whose the names of players are.
"""
