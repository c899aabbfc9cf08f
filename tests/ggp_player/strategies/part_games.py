"""Games of one role made of parts: towers of Hanoi, or dials to turn, any number of them."""

from __future__ import annotations

from dataclasses import dataclass

from tests.ggp_player.strategies.small_games import in_order, numbers

CLOCK = """
(init (step 0))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
"""


def towers(count: int, disks: int, steps: int, *, counting: int | None = None) -> str:
    """Towers of which those that count, all of them if not said, are to be moved within steps."""
    smaller = " ".join(f"(smaller {i} {j})" for j in range(1, disks + 1) for i in range(1, j))
    return f"""
    (role mover) {numbers("tower", count)} {numbers("counts", counting or count)}
    {numbers("disk", disks)} {smaller} (peg a) (peg b) (peg c) {in_order("succ", steps, 0)} {CLOCK}
    (<= (init (on ?t ?d a)) (tower ?t) (disk ?d))
    (<= (covered ?t ?d ?p) (true (on ?t ?e ?p)) (smaller ?e ?d))
    (<= (legal mover (shift ?t ?d ?p ?q))
      (true (on ?t ?d ?p)) (peg ?q) (distinct ?p ?q)
      (not (covered ?t ?d ?p)) (not (covered ?t ?d ?q)))
    (<= (next (on ?t ?d ?q)) (does mover (shift ?t ?d ?p ?q)))
    (<= (next (on ?t ?d ?p)) (true (on ?t ?d ?p)) (not (moved ?t ?d)))
    (<= (moved ?t ?d) (does mover (shift ?t ?d ?p ?q)))
    (<= missing (counts ?t) (disk ?d) (not (true (on ?t ?d c))))
    (<= terminal (true (step {steps})))
    (<= terminal (not missing))
    (<= (goal mover 100) (not missing))
    (<= (goal mover 0) missing)
    """


IN_SERIES = (
    towers(2, 3, 60).replace(
        "(true (on ?t ?d ?p)) (peg ?q)", "(true (on ?t ?d ?p)) (peg ?q) (open ?t)"
    )
    + """
    (<= left (disk ?d) (not (true (on 1 ?d c))))
    (<= (open 1) left)
    (<= (open 2) (not left))
"""
)
"""Two towers, the second one to be moved after the first."""


@dataclass(frozen=True, slots=True)
class Dials:
    """Dials to be turned, a place at a time and never back, each to the place ``wanted``.

    ``places``: how many places each dial has. The first ``counting`` are worth something, and
    ``steps`` is when the match ends; if ``eager`` it ends as soon as one of these is right, too.
    """

    places: tuple[int, ...]
    wanted: int
    counting: int
    steps: int
    eager: bool

    def __str__(self) -> str:
        dials = range(1, len(self.places) + 1)
        turns = " ".join(
            f"(after {dial} {place} {place + 1})"
            for dial, places in zip(dials, self.places, strict=True)
            for place in range(places - 1)
        )
        scores = " ".join(f"(worth {right} {30 * right})" for right in range(self.counting + 1))
        counts = " ".join(
            f"(<= (count {dial} ?m) (count {dial - 1} ?n) (right {dial}) (succ ?n ?m))"
            f"(<= (count {dial} ?n) (count {dial - 1} ?n) (not (right {dial})))"
            for dial in range(1, self.counting + 1)
        )
        eager = "(<= terminal (right ?d) (counts ?d))" if self.eager else ""
        return f"""
        (role mover) {numbers("dial", len(self.places))} {numbers("counts", self.counting)}
        {turns} {scores} {in_order("succ", self.steps, 0)} {CLOCK}
        (<= (init (at ?d 0)) (dial ?d))
        (<= (legal mover (turn ?d)) (true (at ?d ?p)) (after ?d ?p ?q))
        (<= (next (at ?d ?q)) (does mover (turn ?d)) (true (at ?d ?p)) (after ?d ?p ?q))
        (<= (next (at ?d ?p)) (true (at ?d ?p)) (not (does mover (turn ?d))))
        (<= (right ?d) (true (at ?d {self.wanted})))
        (count 0 0) {counts}
        (<= terminal (true (step {self.steps}))) {eager}
        (<= (goal mover ?v) (count {self.counting} ?n) (worth ?n ?v))
        """
