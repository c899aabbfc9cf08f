"""TODO."""

from gdl.benchmark.baselines import Peer, fastest_peers
from gdl.benchmark.isolated_process import measured_apart
from gdl.benchmark.measure import Failure, Plan, Report, measure_propnet, measure_reasoner
from gdl.benchmark.plot import check_plot_file, write_plot
from gdl.benchmark.tables import Entry, comparison, markdown_table, short, terminal_table

__all__ = [
    "Entry",
    "Failure",
    "Peer",
    "Plan",
    "Report",
    "check_plot_file",
    "comparison",
    "fastest_peers",
    "markdown_table",
    "measure_propnet",
    "measure_reasoner",
    "measured_apart",
    "short",
    "terminal_table",
    "write_plot",
]
