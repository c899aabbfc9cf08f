"""A background compiler that is done when a test says so."""

import gdl
from gdl.engine.machine import PropnetStateMachine
from ggp_player.worker.compiling import BackgroundCompiler


class SlowCompiler(BackgroundCompiler):
    """Has no machine before ``is_done`` is set."""

    is_done = False
    seconds = 7.0

    def __init__(self, ruleset: gdl.Ruleset) -> None:
        self._slow = gdl.compile(ruleset)

    @property
    def machine(self) -> PropnetStateMachine | None:  # type: ignore[override]  # it is read only
        return self._slow if self.is_done else None

    @property
    def is_running(self) -> bool:
        return not self.is_done

    def wait(self, seconds: float) -> None:
        pass
