"""Propositional networks: a ground game as a circuit that evaluates many states at once.

Every ground atom is a row of machine words in which each bit, a *lane*, belongs to another state;
an AND of two rows is an AND in all lanes. A *block* is the rows of the states evaluated together.

The way from rules to a machine: :mod:`gdl.grounder` instantiates them, :mod:`.builder` makes the
circuit of AND gates (:mod:`.network`), :mod:`.layout` gives every gate its row, :mod:`.kernels`
and :mod:`.codegen` write it in LLVM's language, :mod:`.machine_code` compiles that, and
:mod:`.lanes` is what others use.
"""
