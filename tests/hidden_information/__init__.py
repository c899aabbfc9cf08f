"""Measures the play of hidden information: how exact beliefs are, and what the player reaches.

``python -m tests.hidden_information --help`` lists the measurements.
"""
