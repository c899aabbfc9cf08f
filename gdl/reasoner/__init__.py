"""TODO."""

from gdl.reasoner.reasoner import ask, interpret

__all__ = [
    "ask",
    "interpret",
]
