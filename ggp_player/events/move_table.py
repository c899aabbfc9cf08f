"""The table of moves that people are shown: its columns, and how figures are written in them.

The pages, the terminal and ``ggp-player analyze`` show these texts as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

COLUMNS = ("move", "value", "proved", "visits", "expected")
"""What :func:`move_cells` writes, in this order."""

SHOWN_STEPS = 8
"""The most steps of a line that are shown."""


def move_cells(
    move: str,
    value: float | None,
    visits: int | None,
    bounds: tuple[float, float],
    line: Sequence[Sequence[str]],
    twin: str = "",
) -> tuple[str, ...]:
    """Write a row: a proved value in place of an expected one, and where the figures come from.

    >>> move_cells("(put b2)", 49.96, 1200, (0, 100), [["(put b2)", "noop"], ["noop", "(put a1)"]])
    ('(put b2)', '50', '', '1,200', '(put b2), (put a1)')
    >>> move_cells("(put c3)", 99.2, None, (100, 100), (), "(put a1)")
    ('(put c3)', '100', 'yes', '', 'as (put a1), by symmetry')
    """
    low, high = bounds
    return (
        move,
        value_text(low if low == high else value),
        _proof(low, high),
        "" if visits is None else f"{visits:,}",
        f"as {twin}, by symmetry" if twin else line_text(line),
    )


def value_text(value: float | None) -> str:
    """Write a value between 0 and 100, with one decimal place unless it is whole.

    >>> value_text(50.0), value_text(33.333), value_text(None)
    ('50', '33.3', '')
    """
    return "" if value is None else f"{value:.1f}".removesuffix(".0")


def _proof(low: float, high: float) -> str:
    if low == high:
        return "yes"
    if high < 100:
        is_range = low > 0
        return f"{value_text(low)} to {value_text(high)}" if is_range else f"≤ {value_text(high)}"
    return f"≥ {value_text(low)}" if low > 0 else ""


def line_text(line: Sequence[Sequence[str]]) -> str:
    """Write joint moves, without the moves of roles that seem to wait.

    A constant beside a move with arguments is taken for a noop.
    """
    steps = []
    for joint_move in line[:SHOWN_STEPS]:
        acting = [text for text in joint_move if text.startswith("(")]
        steps.append(" + ".join(acting or joint_move))
    return ", ".join([*steps, "…"] if len(line) > SHOWN_STEPS else steps)


def move_table_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Write rows below their columns, for a terminal without tables."""
    table = [COLUMNS, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)) for row in table)
    return [line.rstrip() for line in lines]
