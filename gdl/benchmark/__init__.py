"""Benchmarks: how fast games run in random playouts, beside other engines.

In come rulesheets and a :class:`MeasurementPlan`; out come a :class:`SpeedReport` for each game,
tables and plots. Start reading in :mod:`.measure`; :mod:`.isolated_process` gives each game a
process of its own, :mod:`.roofline` measures what the processor can do at most, :mod:`.baselines`
knows the speeds of other engines and the public rulesheets that they were measured on.
:mod:`.coverage` measures what compiling takes, and tabulates it.
:mod:`.environment_speed` measures environments for learning, and :mod:`.device_speed`, which is
imported where there is a GPU, playouts on one.
"""

from gdl.benchmark.baselines import (
    Baseline,
    fastest_baselines,
    known_baselines,
    known_game,
    known_games,
)
from gdl.benchmark.circumstances import circumstances
from gdl.benchmark.coverage import (
    Coverage,
    CoverageLimits,
    coverage_page,
    coverage_summary,
    measure_coverage,
)
from gdl.benchmark.environment_speed import (
    EnvironmentBenchmark,
    check_environments,
    environment_rows,
)
from gdl.benchmark.isolated_process import measured_in_isolation
from gdl.benchmark.measure import (
    Failure,
    MeasurementPlan,
    SpeedReport,
    measure_propnet,
    measure_reasoner,
)
from gdl.benchmark.plot import check_plot_file, save_figure, write_plot
from gdl.benchmark.tables import (
    SpeedEntry,
    comparison,
    markdown_of,
    markdown_table,
    short,
    table_of,
    terminal_table,
)

__all__ = [
    "Baseline",
    "Coverage",
    "CoverageLimits",
    "EnvironmentBenchmark",
    "Failure",
    "MeasurementPlan",
    "SpeedEntry",
    "SpeedReport",
    "check_environments",
    "check_plot_file",
    "circumstances",
    "comparison",
    "coverage_page",
    "coverage_summary",
    "environment_rows",
    "fastest_baselines",
    "known_baselines",
    "known_game",
    "known_games",
    "markdown_of",
    "markdown_table",
    "measure_coverage",
    "measure_propnet",
    "measure_reasoner",
    "measured_in_isolation",
    "save_figure",
    "short",
    "table_of",
    "terminal_table",
    "write_plot",
]
