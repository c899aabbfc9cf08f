"""Inside the reasoner: join plans, and the Python functions that they are compiled to."""
