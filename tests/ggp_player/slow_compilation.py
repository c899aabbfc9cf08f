"""A compilation that takes until a test says that it is over."""

from gdl.propnet.machine import PropnetStateMachine
from ggp_player.compilation import Compilation


class SlowCompilation(Compilation):
    """Has no machine before ``is_done`` is set."""

    is_done = False

    @property
    def is_running(self) -> bool:
        return not self.is_done

    def machine(self, seconds: float | None = 0.0) -> PropnetStateMachine | None:
        return super().machine(None) if self.is_done else None
