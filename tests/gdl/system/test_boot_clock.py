"""The time since the machine was started."""

from pathlib import Path

import pytest

from gdl.system import boot_clock, boot_instant


@pytest.mark.skipif(not Path(boot_clock.BOOT_FILE).exists(), reason="there is no such file")
def test_the_seconds_of_a_start_of_the_machine_grow() -> None:
    first, second = boot_instant(), boot_instant()
    assert first is not None
    assert second is not None
    assert first[0] == second[0] != ""
    assert 0 < first[1] <= second[1]


def test_it_is_not_known_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boot_clock, "BOOT_FILE", "/nowhere")
    assert boot_instant() is None
