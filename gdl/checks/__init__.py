"""What the validator checks, by subject."""
