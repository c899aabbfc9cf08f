"""Commands that write a rulesheet anew: other notation, other names, or another beginning."""
