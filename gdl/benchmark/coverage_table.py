"""What compiling many rulesheets takes, as a page in Markdown: a summary, then a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil
from typing import Any

from gdl.benchmark.coverage import Coverage

SHOWN_REFUSAL = 160
"""The most characters of a refusal that the table shows."""


def coverage_page(found: Sequence[Coverage], facts: Mapping[str, Any]) -> str:
    """Write the page; ``facts`` are the circumstances of the measurement."""
    rows = "\n".join(f"| {' | '.join(row)} |" for row in _rows(found))
    return f"# Coverage\n\n{_INTRODUCTION}\n\n{coverage_summary(found, facts)}\n\n{rows}\n"


def coverage_summary(found: Sequence[Coverage], facts: Mapping[str, Any]) -> str:
    """Summarise the figures as a list in Markdown: counts, quantiles, the largest, the machine."""
    refused = [each for each in found if each.refusal is not None]
    compiled = [each for each in found if each.refusal is None]
    lines = [f"{len(found)} rulesheets: {len(compiled)} compiled, {len(refused)} refused"]
    if compiled:
        lines += [
            _quantiles("CPU seconds", compiled, lambda each: each.seconds or 0.0, ".2f"),
            _quantiles("MB", compiled, lambda each: (each.memory or 0) / 1e6, ".0f"),
            _quantiles("ground rules", compiled, lambda each: each.ground_rules or 0, ",.0f"),
            _quantiles("gates", compiled, lambda each: each.gates or 0, ",.0f"),
        ]
    load = "" if facts["load"] is None else f", load {facts['load']:.1f}"
    lines.append(f"{facts['processor']}, {facts['cores']} cores{load}")
    return "\n".join(f"- {line}" for line in lines)


def _quantiles(
    name: str, found: Sequence[Coverage], figure: Callable[[Coverage], float], form: str
) -> str:
    ordered = sorted(found, key=figure)
    half, most = (figure(ordered[ceil(share * len(ordered)) - 1]) for share in (0.5, 0.9))
    last = ordered[-1]
    return (
        f"{name}: half up to {half:{form}}, nine in ten up to {most:{form}}, "
        f"the most {figure(last):{form}} ({last.game})"
    )


def _rows(found: Sequence[Coverage]) -> Iterator[list[str]]:
    yield ["game", "CPU s", "ground rules", "gates", "MB", "refused"]
    yield ["---", *["---:"] * 4, "---"]
    for each in found:
        yield [
            each.game,
            "" if each.seconds is None else f"{each.seconds:.2f}",
            "" if each.ground_rules is None else str(each.ground_rules),
            "" if each.gates is None else str(each.gates),
            "" if each.memory is None else f"{each.memory / 1e6:.0f}",
            _cell(each.refusal or ""),
        ]


def _cell(text: str) -> str:
    """Make one line of a text that does not end a cell of the table."""
    line = " ".join(text.split()).replace("|", "\\|")
    return line if len(line) <= SHOWN_REFUSAL else f"{line[:SHOWN_REFUSAL]} ..."


_INTRODUCTION = """\
What it takes to compile each rulesheet: CPU seconds from the text to the legal moves of the first
state, with those of the grounder; the ground rules and the gates that come of it; and the most
memory that the process or the grounder held. What is refused is played by the reasoner.
`gdl coverage --help` says how the table is made."""
