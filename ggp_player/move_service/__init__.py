"""The move service: from a joint move and a deadline to our move, in the server's process.

Between the match session, which says when a reply is due, and the workers
(:mod:`ggp_player.worker`), which find it. It never waits for a worker beyond its deadline.

Start reading in :mod:`.service`: one :class:`MoveService` for each match. It has two supervisors
(:mod:`.supervisor`), one for the match tracker and one for the search, which take worker processes
from the server's only :class:`Pool` (:mod:`.pool`). :mod:`.deadlines` says how long each waits,
:mod:`.health` what does not work as it should.

Who kills whom:

- A supervisor kills its worker when the match is over.
- A search that does not stop within ``STOP_GRACE`` is killed, and a spare takes over.
- A worker that dies, or sends what is no message, is replaced by a spare at once, at most
  ``MAX_REPLACEMENTS`` times in a turn. One that somebody has stopped is killed and replaced.
- Each worker leads a group of processes, and the whole group is killed with it.
- The pool kills all workers when the server stops. If the server is killed, each worker notices
  and ends its group; what is left all the same is ended by the next server.
- The launcher (:mod:`.launching`) replaces a fork server that is dead, stopped or silent, and
  starts workers directly meanwhile. The pool replaces spares that die.
"""

from ggp_player.move_service.deadlines import CancellableDeadline
from ggp_player.move_service.health import Health, HealthProblem, Subject
from ggp_player.move_service.pool import Pool, WorkerSource
from ggp_player.move_service.service import MoveService
from ggp_player.move_service.supervisor import SearchSupervisor, Setup
from ggp_player.move_service.warm_up import ensure_warm, warm_up_first

__all__ = [
    "CancellableDeadline",
    "Health",
    "HealthProblem",
    "MoveService",
    "Pool",
    "SearchSupervisor",
    "Setup",
    "Subject",
    "WorkerSource",
    "ensure_warm",
    "warm_up_first",
]
