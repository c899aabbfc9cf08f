"""Worker processes, which do all that may hang, and the move service, which never waits for them.

Everything that touches a rulesheet runs in a worker. The server starts workers, tells them what
happens in the match, and at a deadline has a legal move, whatever has become of them.

==============  =================================================================================
process         what it runs
==============  =================================================================================
server          HTTP, protocol and match sessions; of this package :mod:`.service`, one
                :class:`.MoveService` for each match, with two supervisors (:mod:`.supervisor`),
                one for each worker of the match, which they take from the only :class:`.Pool`
fork server     the imports, and nothing else; every worker is forked from it (:mod:`.launching`)
match tracker   :mod:`.match_tracker` in :class:`.process.TrackerWorker`: which moves are legal
                (by its :mod:`~ggp_player.belief` where we are told only what our role may know)
search          a strategy in :class:`.search_worker.SearchWorker`; it publishes its best choice in
                the :mod:`.choice_buffer`, memory that it shares with the server
warm-up         :mod:`.compiling`: compiles kernels once for a machine, started by
                :mod:`.warm_up_process` in the server or in a command
==============  =================================================================================

Server and workers send each other lines of JSON (:mod:`.messages`): messages and moves come in;
statuses, log records and choices go out. A reply is made of what the shared memory and the last
messages hold, and of :mod:`.fallback_moves` where they hold nothing. :mod:`.health` says what does
not work as it should. Start reading in :mod:`.service`, and for what workers do in
:mod:`.process`. Only :mod:`.search_worker` imports the searches, and nothing that workers run
imports the server's side.

Who kills whom:

- A supervisor kills its worker when the match is over.
- A search that does not stop within ``STOP_GRACE`` is killed, and a spare takes over.
- A worker that dies, or sends what is no message, is replaced by a spare at once, at most
  ``MAX_REPLACEMENTS`` times in a turn. One that somebody has stopped is killed and replaced.
- A worker ends itself when it reaches its memory limit, or when the server is dead. Each leads a
  group of processes, and the whole group ends with it.
- The pool kills all workers when the server stops. What is left of a server that was killed is
  ended by the next one.
- The launcher replaces a fork server that is dead, stopped or silent, and starts workers directly
  meanwhile. The pool replaces spares that die.
"""
