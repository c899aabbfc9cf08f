"""The bodies of commands that write another rulesheet of a game: other names, other beginnings."""
