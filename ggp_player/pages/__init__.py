"""The pages that a browser shows: HTML, style sheets and ES modules, and what they are served with.

:mod:`.site` renders templates and serves the static files, :mod:`.security` has the headers of
every page and decides on requests that change something, and :mod:`.event_stream` pushes what
happens to a page. These three are for any page; the pages of the player server are the rest:
:mod:`.live_matches` follows the events of its matches and :mod:`.player_pages` answers requests;
:mod:`.position_pages` has moves tried by hand, :mod:`.analyses` searches that
viewers ask for, and :mod:`.step_pages` goes through one node by node. :mod:`.page_file` writes a
page as one file.

Whatever comes from a rulesheet or a game manager is text here, never markup: Jinja2 escapes it in
templates, and the modules set it as text.

Nothing is exported: import the modules. The drawing process would otherwise begin with the imports
of a server, and is waited for by whoever opens the first page.
"""
