"""Benchmarks: how fast games run in random playouts, beside other engines.

In come rulesheets and a :class:`MeasurementPlan`; out come a :class:`SpeedReport` for each game,
tables and plots. Start reading in :mod:`.measure`; :mod:`.isolated_process` gives each game a
process of its own, :mod:`.roofline` measures what the processor can do at most, :mod:`.baselines`
knows the speeds of other engines and the public rulesheets that they were measured on.
:mod:`.coverage` measures what compiling takes, and tabulates it.
:mod:`.environment_speed` measures environments for learning, and :mod:`.device_speed`, which is
imported where there is a GPU, playouts on one.
"""
