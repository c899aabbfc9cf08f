"""TODO."""

from gdl.benchmark.baselines import Baseline, fastest_baselines
from gdl.benchmark.isolated_process import measured_in_isolation
from gdl.benchmark.measure import (
    Failure,
    MeasurementPlan,
    SpeedReport,
    measure_propnet,
    measure_reasoner,
)
from gdl.benchmark.plot import check_plot_file, write_plot
from gdl.benchmark.tables import SpeedEntry, comparison, markdown_table, short, terminal_table

__all__ = [
    "Baseline",
    "Failure",
    "MeasurementPlan",
    "SpeedEntry",
    "SpeedReport",
    "check_plot_file",
    "comparison",
    "fastest_baselines",
    "markdown_table",
    "measure_propnet",
    "measure_reasoner",
    "measured_in_isolation",
    "short",
    "terminal_table",
    "write_plot",
]
