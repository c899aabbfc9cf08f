"""A game whose words are markup: shown unescaped anywhere, they would run scripts in a page."""

from __future__ import annotations

SCRIPT = "<script>document.title=1</script>"
IMAGE = '<img/src="x"/onerror="document.title=2">'
ATTRIBUTE = '"/onmouseover="document.title=3'

NAMES = (SCRIPT, IMAGE, ATTRIBUTE)

MATCH_ID = f"{SCRIPT}{IMAGE}"

RULES = f"""
(role {SCRIPT}) (role {ATTRIBUTE})
(init (cell 1 1 {IMAGE})) (init (cell 1 2 {SCRIPT})) (init (cell 2 1 {ATTRIBUTE}))
(init (cell 2 2 {IMAGE})) (init ({SCRIPT} 1)) (init (step 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal ?r ({IMAGE} ?x)) (role ?r) (true (cell ?x 1 ?c)))
(<= (legal ?r {ATTRIBUTE}) (role ?r))
(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)))
(<= (next ({SCRIPT} ?n)) (true ({SCRIPT} ?n)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 3)))
(<= (goal ?r 50) (role ?r))
"""


def start(match_id: str = MATCH_ID, clock: int = 5) -> str:
    """The message that starts a match of it."""
    return f"( START {match_id} {SCRIPT} ( {RULES} ) {clock} {clock} )"
