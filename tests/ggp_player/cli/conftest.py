"""A machine on which the searches are not compiled yet."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ggp_player.worker import warm_up_process


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Nothing is compiled; what is done about it is noted here, in its order."""
    done: list[str] = []

    def compile_at_once(report: Callable[[str], None], _seconds: float) -> str:
        report("the searches are warm after 1.5 s")
        done.append("compiled")
        return ""

    monkeypatch.setattr(warm_up_process, "is_warm", lambda: False)
    monkeypatch.setattr(warm_up_process, "_run_through", compile_at_once)
    return done
