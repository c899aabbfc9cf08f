"""What is told about rulesheets and games: graphs, figures, traces, speed."""

from gdl.reports.circuit_diagram import network_diagram
from gdl.reports.circuit_report import PassFigures, Summary, measure_stages, summary
from gdl.reports.diagrams import Diagram, dot_text, svg_text
from gdl.reports.relation_graph import (
    RelationGraph,
    build_relation_graph,
    fluents,
    moves,
    relation_diagram,
    relation_text,
)
from gdl.reports.structure_text import report
from gdl.reports.traces import has_percepts, header, trace_line

__all__ = [
    "Diagram",
    "PassFigures",
    "RelationGraph",
    "Summary",
    "build_relation_graph",
    "dot_text",
    "fluents",
    "has_percepts",
    "header",
    "measure_stages",
    "moves",
    "network_diagram",
    "relation_diagram",
    "relation_text",
    "report",
    "summary",
    "svg_text",
    "trace_line",
]
