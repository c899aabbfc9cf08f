"""How rulesheets are written: the two notations, read and written, and their layout."""
