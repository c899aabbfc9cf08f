"""What people and other programs are told about rulesheets and games.

In come a ruleset, a compiled game, an analysis or a playout; out go texts, tables' figures,
diagrams and traces, for the commands of ``gdl.cli`` to print. Nothing is found out here that the
stages below do not know. One kind of report a module: ``relation_graph`` of rules,
``circuit_report`` and ``circuit_diagram`` of compiled games, ``analysis_text`` and ``traces``; they
share ``diagrams``, where to start reading.
"""
