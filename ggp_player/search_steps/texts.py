"""Moves and numbers as trees show them. Apart, as drawings and the steps of a search both do."""

from __future__ import annotations

from gdl import Term

LONGEST_LABEL = 18
"""The most characters of a move on an edge."""


def number(value: float) -> str:
    """Write a value, with one decimal place unless it is whole."""
    return f"{value:.1f}".removesuffix(".0")


def move_label(move: Term) -> str:
    """Write a move for an edge: short, and without the outer parentheses."""
    text = str(move)
    return shortened(text[1:-1] if text.startswith("(") else text, LONGEST_LABEL)


def shortened(text: str, length: int) -> str:
    """Cut a text to a length, with an ellipsis."""
    return text if len(text) <= length else f"{text[: length - 1]}…"
