"""Games composed of subgames: towers of Hanoi and dials for one role, rows of marks for two."""

from __future__ import annotations

from dataclasses import dataclass

from tests.support.small_games import in_order, numbers

CLOCK = """
(init (step 0))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
"""


def towers(count: int, disks: int, steps: int, *, counting: int | None = None) -> str:
    """Return towers, of which ``counting``, or all, have to be moved within so many steps."""
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
    """Dials to be turned, one position at a time and never back, each to the position ``wanted``.

    ``places``: how many positions each dial has. The first ``counting`` dials are worth something.
    The match ends after ``steps``; if ``eager`` it also ends as soon as one of these is right.
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
        scores = " ".join(
            f"(worth {right} {100 // self.counting * right})" for right in range(self.counting + 1)
        )
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


def two_rows(goals: str) -> str:
    """Return the rules of two games in series: in each, three adjacent marks of five win.

    In both of them red moves first. ``goals``: the rules of the goals.
    """
    squares = " ".join(f"(square {i})" for i in range(1, 6))
    lines = " ".join(f"(line {i} {i + 1} {i + 2})" for i in range(1, 4))
    return f"""
    (role red) (role blue) (opponent red blue) (opponent blue red) (game 1) (game 2)
    {squares} {lines} (init (turn 1 red)) (init (turn 2 red))
    (<= (taken ?game ?s) (true (mark ?game ?s ?role)))
    (<= (won ?game ?role)
      (line ?a ?b ?c) (true (mark ?game ?a ?role)) (true (mark ?game ?b ?role))
      (true (mark ?game ?c ?role)))
    (<= (over ?game) (won ?game ?role))
    (<= (room ?game) (square ?s) (game ?game) (not (taken ?game ?s)))
    (<= (over ?game) (game ?game) (not (room ?game)))
    (<= (played 1) (not (over 1)))
    (<= (played 2) (over 1))
    (<= (legal ?role (put ?game ?s))
      (played ?game) (true (turn ?game ?role)) (square ?s) (not (taken ?game ?s)))
    (<= (legal ?role noop) (played ?game) (opponent ?role ?other) (true (turn ?game ?other)))
    (<= (next (mark ?game ?s ?role)) (does ?role (put ?game ?s)))
    (<= (next (mark ?game ?s ?role)) (true (mark ?game ?s ?role)))
    (<= (next (turn ?game ?role)) (played ?game) (opponent ?role ?other) (true (turn ?game ?other)))
    (<= (next (turn ?game ?role)) (true (turn ?game ?role)) (not (played ?game)))
    (<= terminal (over 2))
    {goals}
    """


@dataclass(frozen=True, slots=True)
class Walks:
    """Two walks in series for two roles, who take turns to move a token along arrows.

    ``arrows``: for each walk, the targets from each node; a walk ends where there are none.
    ``prizes``: the goals of the first role by the last nodes of both walks; the other role gets the
    rest. A wheel turns for ever, at every step except those to node 0 of the first walk; if
    ``wheel_seen``, it decides when the second walk may begin.
    """

    arrows: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]
    prizes: tuple[int, ...]
    wheel_seen: bool

    def __str__(self) -> str:
        arrows = " ".join(
            f"(arrow {walk} {here} {there})"
            for walk, places in enumerate(self.arrows, 1)
            for here, following in enumerate(places)
            for there in following
        )
        size = max(map(len, self.arrows))
        prizes = " ".join(
            f"(prize {i} {j} {self.prizes[(i * size + j) % len(self.prizes)]})"
            for i in range(size)
            for j in range(size)
        )
        rests = " ".join(f"(rest {prize} {100 - prize})" for prize in set(self.prizes))
        ready = "(true (wheel up))" if self.wheel_seen else ""
        return f"""
        (role red) (role blue) (opponent red blue) (opponent blue red) {arrows} {prizes} {rests}
        (init (at 1 0)) (init (at 2 0)) (init (turn 1 red)) (init (turn 2 red)) (init (wheel up))
        (<= (goes ?walk) (true (at ?walk ?p)) (arrow ?walk ?p ?q))
        (<= (played 1) (goes 1))
        (<= (played 2) (not (goes 1)))
        (<= (legal ?role (go ?walk ?q))
          (played ?walk) (true (turn ?walk ?role)) (true (at ?walk ?p)) (arrow ?walk ?p ?q)
          (can ?walk))
        (can 1)
        (<= (can 2) {ready})
        (<= (can 2) (true (at 2 0)))
        (<= (legal red pause) (played 2) (true (turn 2 red)) (not (can 2)))
        (<= (legal blue pause) (played 2) (true (turn 2 blue)) (not (can 2)))
        (<= (legal ?role noop) (played ?walk) (opponent ?role ?other) (true (turn ?walk ?other)))
        (<= (went ?walk) (does ?role (go ?walk ?q)))
        (<= (next (at ?walk ?q)) (does ?role (go ?walk ?q)))
        (<= (next (at ?walk ?p)) (true (at ?walk ?p)) (not (went ?walk)))
        (<= (next (turn ?walk ?role)) (went ?walk) (opponent ?role ?other)
          (true (turn ?walk ?other)))
        (<= (next (turn ?walk ?role)) (not (went ?walk)) (true (turn ?walk ?role)))
        (<= held (does ?role (go 1 0)))
        (<= (next (wheel down)) (true (wheel up)) (not held))
        (<= (next (wheel up)) (true (wheel down)) (not held))
        (<= (next (wheel ?way)) (true (wheel ?way)) held)
        (<= terminal (not (goes 1)) (not (goes 2)))
        (<= (last ?p ?q) (true (at 1 ?p)) (true (at 2 ?q)))
        (<= (goal red ?v) (last ?p ?q) (prize ?p ?q ?v))
        (<= (goal blue ?v) (last ?p ?q) (prize ?p ?q ?w) (rest ?w ?v))
        """
