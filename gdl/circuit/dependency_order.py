"""The order in which things can be made that need each other: level by level."""

from __future__ import annotations

import numpy as np

from gdl.circuit.arrays import Integers, Mask, first_of_rows, grouped, ranges, sorting_order


class DependencyOrder:
    """Numbered things, of which some need others; each is ready once what it needs is done.

    ``user`` needs ``used``: int64 (n,) each, repetitions allowed. ``is_done``, bool (things,),
    marks those that are done to begin with. Where there are ``stages``, int64 (things,), things
    are ready only in their stage.
    """

    def __init__(
        self, user: Integers, used: Integers, is_done: Mask, stages: Integers | None = None
    ) -> None:
        waits = ~is_done[used]
        user, used = user[waits], used[waits]
        order = sorting_order(used)
        self._users = user[order]
        self._first_user = first_of_rows(used, len(is_done))
        self._waiting = np.bincount(user, minlength=len(is_done))
        self._stages = np.zeros(len(is_done), dtype=np.int64) if stages is None else stages
        self._by_stage = np.argsort(self._stages, kind="stable")
        self._stage = 0
        self.is_done = is_done.copy()

    def ready(self, stage: int = 0) -> Integers:
        """Begin a stage; return the things that are ready in it, in ascending order: int64 (n,)."""
        self._stage = stage
        begin, end = np.searchsorted(self._stages, [stage, stage + 1], sorter=self._by_stage)
        own = self._by_stage[begin:end]
        found: Integers = own[~self.is_done[own] & (self._waiting[own] == 0)]
        return found

    def after(self, made: Integers) -> Integers:
        """Mark things as done; return those that are ready now, in ascending order: int64 (n,)."""
        self.is_done[made] = True
        begins = self._first_user[made]
        users = self._users[ranges(begins, self._first_user[made + 1] - begins)]
        groups = grouped(users)
        users = groups.value
        self._waiting[users] -= groups.count
        is_ready = (self._waiting[users] == 0) & (self._stages[users] == self._stage)
        found: Integers = users[is_ready & ~self.is_done[users]]
        return found

    def needed_by_each_other(self) -> Integers:
        """What is in a cycle, or between cycles, of what is not done: int64 (n,), rising.

        All things that nothing else waits for are left out, again and again.
        """
        is_left = ~self.is_done
        user, used = self._users, np.repeat(np.arange(len(is_left)), np.diff(self._first_user))
        while True:
            kept = is_left[user] & is_left[used]
            user, used = user[kept], used[kept]
            is_needed = np.zeros(len(is_left), dtype=np.bool_)
            is_needed[used] = True
            if np.array_equal(is_needed, is_left):
                found: Integers = np.flatnonzero(is_left)
                return found
            is_left = is_needed
