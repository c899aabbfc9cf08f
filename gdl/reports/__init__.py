"""What people and other programs are told about rulesheets and games.

In come a ruleset, a compiled game, an analysis or a playout; out go texts, tables' figures,
diagrams and traces, for the commands of ``gdl.cli`` to print. Nothing is found out here that the
stages below do not know. One kind of report a module: ``relation_graph`` of rules,
``circuit_report`` and ``circuit_diagram`` of compiled games, ``analysis_text`` and ``traces``; they
share ``diagrams``, where to start reading.
"""

from gdl.reports.analysis_report import analysis_text
from gdl.reports.circuit_diagram import draw_circuit
from gdl.reports.circuit_report import PassFigures, Summary, measure_stages, summary
from gdl.reports.diagrams import (
    Diagram,
    DrawingError,
    dot_text,
    draw_dot,
    escaped,
    quoted,
    svg_text,
)
from gdl.reports.relation_graph import (
    RelationGraph,
    build_relation_graph,
    draw_relations,
    fluents,
    moves,
    relation_text,
)
from gdl.reports.traces import header, trace_line

__all__ = [
    "Diagram",
    "DrawingError",
    "PassFigures",
    "RelationGraph",
    "Summary",
    "analysis_text",
    "build_relation_graph",
    "dot_text",
    "draw_circuit",
    "draw_dot",
    "draw_relations",
    "escaped",
    "fluents",
    "header",
    "measure_stages",
    "moves",
    "quoted",
    "relation_text",
    "summary",
    "svg_text",
    "trace_line",
]
