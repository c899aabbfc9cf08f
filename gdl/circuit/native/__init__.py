"""Native code for circuits of many gates: what loops over gates one by one, or sorts millions.

:mod:`.kernels` has the kernels, :mod:`.archive` the archive in which they are shipped, which
:mod:`.kernel_build` builds, and :mod:`.gate_table` the hash table of gates that they fill. Small
circuits are made by NumPy and Python alone, with the same result.
"""
