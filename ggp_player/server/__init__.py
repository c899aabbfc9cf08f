"""The player server: HTTP in, moves in time out.

The stages of a request, from the top: :mod:`ggp_player.front` takes its connection, reads it, and
asks :mod:`.access` whether it is served; :mod:`.http` takes its text and passes it to the
:class:`.Player` (:mod:`.player`), which parses it once (:mod:`ggp_player.protocol`) and finds its
:mod:`.match_session`. That gives it a deadline (:mod:`.reply_deadline`: where the time limit of a
reply is decided) and asks the :mod:`move service <ggp_player.worker.service>` for a move. The
reply goes back the same way, as text.

Start reading in :mod:`.player`. :mod:`.config` has the settings, and :mod:`ggp_player.cli.serve`
makes flags of them. Nothing is exported here, so that a command line can list the settings without
importing a server.
"""
