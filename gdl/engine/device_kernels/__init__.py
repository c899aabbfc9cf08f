"""The kernels of devices, as LLVM source: each thread works on the lanes of one word.

Start reading in :mod:`.register_kernels`: the kernels of a game that fits into registers, with its
gates in them. :mod:`.word_emitter` writes words, :mod:`.gate_emitter` gates, and
:mod:`.choice_emitter` the choice of a move. :mod:`.memory_kernels` has the kernels of games that do
not fit: :mod:`.tiles` of gates between rows that :mod:`.plane_helpers` finds, or the interpreter of
blocks. Environments are :mod:`.episode_kernels`, with rows and a game's :mod:`.evaluators` as
there, and :mod:`.byte_kernels` where lanes
become bytes. :mod:`.targets` says what a kernel is, on a GPU and on the host.
"""
