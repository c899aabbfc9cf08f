"""Fuzzing: inputs that nobody would write, and what must hold of the product for every one of them.

``python -m tests.fuzz`` runs targets one after the other and prints a table. A target
(:mod:`.target`) is a check of any bytes, with seeds to begin with and a mutator that knows how its
inputs are built; the registry of all is in :mod:`.registry`. :mod:`.session` fuzzes one target in
this process, guided by coverage where Atheris is installed, and blindly elsewhere. Everything stays
on this machine's loopback, and is bounded in time and memory.

What was found is kept in ``tests/fuzz/findings``, a folder for each target, and checked by the
ordinary tests.
"""
