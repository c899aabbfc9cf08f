"""The laboratory: which of two strategies is stronger, decided by as few matches as that takes.

A duel of A against B asks whether a change is worth keeping. It is meant for two settings of one
search, thousands of short matches, and differences of 20 Elo, which 40 matches cannot show.

opening
    A position after a few random joint moves that a reference search values at 35 to 65 of 100: a
    match from there is not decided by the seat. Of positions that a symmetry of the game maps to
    one another only the first is an opening. (:mod:`.balance`)
pair
    Two matches from one opening, with the seats exchanged. Their mean result, from A's point of
    view, is one observation: the opening's bias is in both and cancels out.
points
    A's result of a match: 0.5 + 0.005 times its goal value less that of B, so 1 for a win, 0.5 for
    a draw, and what lies between in games that score.
work
    How much a search may do for a move: as much as the strategy itself counts
    (:attr:`.Strategy.work`), whatever else the machine has to do meanwhile; or seconds of CPU time.
    (:mod:`.match`)
log-likelihood ratio, bounds
    How much likelier the results are if A is ``elo1`` stronger than if it is ``elo0``; at the
    bounds the test is decided, with 5 % errors of either kind. (:mod:`.sequential_test`)
veto
    One game in which A clearly has less than 40 % of the points speaks against it, whatever it
    gains in others.
verdict
    What a duel ends with: A is stronger, it is not, it is vetoed, or nobody knows.
ledger
    A folder with a file for each experiment, which is begun before the first match: what was
    expected, what it was to cost, and what came of it. Those that failed stay. (:mod:`.ledger`)
ladder
    Ratings of whole players under real clocks, for knowing afterwards. (:mod:`.ladder`)

To start reading: :mod:`.duel` has the games take turns and ends the experiment, :mod:`.match` plays
a pair, :mod:`.pair_play` spreads pairs over processes or a cluster, and :mod:`.report` tells.
:mod:`.positions` counts how often searches err in positions that are solved, and :mod:`.profile`
shows what they do with their time; :mod:`.learning_curve` draws what learning a game gains.
The results of pairs are looked at in the order of their numbers, so that the verdict does not
depend on how many are played at a time.
"""
