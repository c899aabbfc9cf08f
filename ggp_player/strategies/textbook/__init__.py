"""The strategies of the textbook, one algorithm a file, on any state machine.

A position goes in; choices come out that only improve. They evaluate one state at a time and work
on interpreted rules too; the faster strategies are tested against them. Start reading at
:mod:`.minimax`, which is the routine of the book. Adversarial searches are :mod:`.minimax`,
:mod:`.bounded_minimax`, :mod:`.alpha_beta` (with :mod:`.negamax`) and :mod:`.max_n`; one player
plays by :mod:`.deliberation` or :mod:`.sequential_planning`; :mod:`.textbook_uct` searches by
playouts; :mod:`.legal` and :mod:`.random_move` do not search. They share :mod:`.game_tree`,
:mod:`.evaluation`, :mod:`.depth_limited` and the tables of :mod:`.memory` and
:mod:`.transposition_table`.

Source: M. Genesereth and M. Thielscher, General Game Playing (2014), chapters 4 to 7.
"""
