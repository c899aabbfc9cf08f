"""Rewriting: what is known of flattened rules, and passes that restate them with the same answers.

In comes a :class:`RuleAnalysis`, out come rules. Most modules have one pass, and most passes are
for huge games alone. :mod:`gdl.grounding.passes` lists them in their order, where each applies, and
why.
"""
