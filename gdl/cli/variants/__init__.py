"""Commands that write a rulesheet anew: in the other notation, with other names, from later on."""
