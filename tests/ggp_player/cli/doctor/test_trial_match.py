"""The match of ``ggp-player doctor``: what is said of it, and what its servers are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp_player.cli.doctor import trial_match
from ggp_player.cli.doctor.trial_match import judge
from ggp_player.errors import ServerError
from ggp_player.match_runner.game_manager import MatchStep
from ggp_player.server.config import Config, load_config


def steps(*seconds: float, error: str = "") -> list[MatchStep]:
    """The replies of one role to START and to each PLAY; the last has the error."""
    errors = ["" for _ in seconds[1:]] + [error]
    return [
        MatchStep(number, (), (wrong,), (each,), 0)
        for number, (each, wrong) in enumerate(zip(seconds, errors, strict=True))
    ]


def test_a_good_match() -> None:
    verdict, sentence = judge(steps(1.5, 0.25, 0.75))
    assert verdict == "ok"
    assert "2 steps, every move legal, nothing late; the slowest reply left 0.25 s" in sentence
    assert "0.50 s before that of the start clock" in sentence


def test_a_narrow_match() -> None:
    verdict, sentence = judge(steps(1.5, 0.95))
    assert verdict == "warning"
    assert "--margin" in sentence


def test_a_server_that_complains() -> None:
    verdict, sentence = judge(steps(1.5, 0.5), ["the searches fail"])
    assert verdict == "warning"
    assert sentence.endswith("the searches fail")


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (steps(1.5, 1.25), "step 1: a reply came too late, 1 in all"),
        (steps(2.5, 0.5), "step 0: a reply came too late"),
        (steps(1.5, 0.5, error="IL (put z9)"), "step 1: illegal reply '(put z9)' (IL)"),
        (steps(1.5, 2.5, error="TO"), "step 1: no reply in time (TO), 1 in all"),
    ],
)
def test_faults_are_problems(found: list[MatchStep], text: str) -> None:
    verdict, sentence = judge(found)
    assert verdict == "problem"
    assert text in sentence


def test_servers_have_the_settings_but_touch_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Config(
        host="0.0.0.0",
        port=9000,
        allow=("192.0.2.7", "192.0.2.8"),
        poll="http://manager:8000",
        strategy="uct",
        state_dir=tmp_path / "real",
        margin=0.25,
        pages=False,
    )
    for name, text in trial_match._variables(settings, tmp_path / "trial").items():
        if name.startswith("GGP_PLAYER_"):
            monkeypatch.setenv(name, text)
    loaded = load_config()
    changed = {name for name, value in loaded if value != getattr(settings, name)}
    assert changed == {"host", "port", "no_archive", "poll", "state_dir", "log_level"}
    assert (loaded.host, loaded.port, loaded.state_dir) == ("127.0.0.1", 0, tmp_path / "trial")


async def test_a_server_that_does_not_listen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial_match, "PROGRAM", "raise SystemExit(3)")
    with pytest.raises(ServerError, match="ended before it listened"):
        await trial_match.play_trial_match(Config(), "A")


async def test_a_server_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial_match, "PROGRAM", "import time; time.sleep(100)")
    monkeypatch.setattr(trial_match, "MOST_SECONDS", 0.2)
    with pytest.raises(TimeoutError):
        await trial_match.play_trial_match(Config(), "A")
