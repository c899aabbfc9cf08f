"""The flowcharts of the documents as drawings: ``python docs/_hooks/flowcharts.py`` writes them.

The repository's pages show Mermaid, which would need three megabytes of JavaScript on the site. So
``dot`` of Graphviz draws each flowchart once, to ``PAGE_NUMBER.svg`` beside the page. What is read
is what our flowcharts use: nodes with texts, arrows with labels, and dotted lines.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from html import escape
from pathlib import Path

DOCS = Path(__file__).parents[1]

FLOWCHART = re.compile(r"^```mermaid\nflowchart TB\n(.*?)^```$", re.MULTILINE | re.DOTALL)

_NODE = r'(\w+)(?:\(\((.+?)\)\)|\["(.+?)"\]|\[(.+?)\])?'
_EDGE = re.compile(rf"\s*{_NODE} (?:-->(?:\|(.+?)\|)?|-\. (.+?) \.-) {_NODE}")


def dot_text(flowchart: str) -> str:
    """Write a flowchart as a graph of Graphviz; a line that is not understood is an error."""
    nodes: dict[str, str] = {}
    edges = []
    for line in flowchart.splitlines():
        match = _EDGE.fullmatch(line)
        if match is None:
            raise ValueError(f"no line of a flowchart: {line}")
        for name, around, quoted, plain in (match.groups()[:4], match.groups()[6:]):
            if text := around or quoted or plain:
                label = text.replace("<br>", "<br/>")
                nodes[name] = f"label=<{label}>, shape={'ellipse' if around else 'box'}"
        arrow, dotted = match.group(5, 6)
        style = "style=dotted, arrowhead=none, " if dotted else ""
        label = f" {escape(arrow or dotted or '')} "
        edges.append(f'{match[1]} -> {match[7]} [{style}label="{label}"]')
    return "\n".join(
        [
            "digraph {",
            'graph [fontname="sans-serif"]; edge [fontname="sans-serif", fontsize=11]',
            'node [fontname="sans-serif", fontsize=12, style="rounded,filled"]',
            'node [fillcolor="#eef4f3"]',
            *(f"{name} [{attributes}]" for name, attributes in nodes.items()),
            *edges,
            "}",
        ]
    )


def drawings() -> Iterator[tuple[Path, str]]:
    """Yield where the drawing of each flowchart is, and the flowchart."""
    for page in sorted(DOCS.glob("*.md")):
        for number, flowchart in enumerate(FLOWCHART.findall(page.read_text(encoding="utf-8")), 1):
            yield page.with_name(f"{page.stem}_{number}.svg"), flowchart


if __name__ == "__main__":
    for path, flowchart in drawings():
        command = ["dot", "-Tsvg", "-o", str(path)]
        subprocess.run(command, input=dot_text(flowchart), text=True, check=True)
