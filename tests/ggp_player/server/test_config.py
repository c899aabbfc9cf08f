"""Settings come from flags, the environment and a file, and are all checked at once."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from ggp_player.errors import ConfigError
from ggp_player.server import config
from ggp_player.server.config import ADDRESSES_PER_BYTE, Config, least_memory, load_config


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "player.toml"
    path.write_text('port = 9001\nname = "file"\nmargin = 2\n')
    return path


def test_the_defaults() -> None:
    config = load_config()
    assert config == Config()
    assert (config.port, config.strategy, config.margin) == (9147, "auto", None)
    assert (config.max_matches, config.memory_limit) == (1, 4096)


def test_trees_come_on_top_of_the_memory_of_a_process() -> None:
    limits = Config(memory_limit=2048, search_memory=100).memory_limits
    assert limits == ((2048 + ADDRESSES_PER_BYTE * 100) * 2**20, 100 * 2**20)
    shared = Config(max_matches=4).memory_limits
    assert 3.9 < Config().memory_limits.search / shared.search < 4.1


def test_too_little_memory_is_refused_with_the_least_that_works() -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(flags={"memory_limit": str(least_memory() - 1)})
    assert caught.value.problems == (
        f"memory_limit in the command line: with {least_memory() - 1} MiB no search works; "
        f"the least that works on this machine is {least_memory()}",
    )
    assert load_config(flags={"memory_limit": str(least_memory())}).memory_limit == least_memory()


def test_which_source_wins(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GGP_PLAYER_NAME", "environment")
    monkeypatch.setenv("GGP_PLAYER_MARGIN", "1.5")
    config = load_config(file, {"margin": "0.5", "name": None})
    assert (config.margin, config.name, config.port) == (0.5, "environment", 9001)
    assert config.host == Config().host


@pytest.mark.parametrize("text", [b"port = " + b"1" * 5000, b"a = " + b"[" * 20_000, b"\xff"])
def test_a_file_that_cannot_be_read_is_named(file: Path, text: bytes) -> None:
    file.write_bytes(text)
    with pytest.raises(ConfigError, match="cannot be read as TOML"):
        load_config(file)


def test_all_problems_are_named_at_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("margin = 0\nspeed = 9\nspares = 3\n[matches]\nmax = 2\n")
    monkeypatch.setenv("GGP_PLAYER_PORT", "many")
    monkeypatch.setenv("GGP_PLAYER_MARGN", "3")
    with pytest.raises(ConfigError) as caught:
        load_config(file, {"name": "Ann B", "strategy": "luck", "log_level": "loud"})
    sentences = "\n".join(caught.value.problems)
    assert len(caught.value.problems) == 8
    assert f"margin in the file {file} is 0; expected the seconds kept in reserve" in sentences
    assert f"speed in the file {file} is no setting; there are host, port, allow" in sentences
    assert f"matches in the file {file} is no setting" in sentences
    assert "margn in the variable GGP_PLAYER_MARGN is no setting" in sentences
    assert "port in the variable GGP_PLAYER_PORT is 'many'; expected the port" in sentences
    assert "name in the command line is 'Ann B'; expected the player's name" in sentences
    assert "strategy in the command line: there is no strategy 'luck'" in sentences
    assert "log_level in the command line is 'loud'; expected how much is logged" in sentences


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("NAME", "a\udcff", "name in the variable GGP_PLAYER_NAME is not UTF-8"),
        ("STATE_DIR", "\udcff", "state_dir in the variable GGP_PLAYER_STATE_DIR is not UTF-8"),
        ("\udcff", "1", "\\udcff in the variable GGP_PLAYER_\\UDCFF is not UTF-8"),
    ],
)
def test_what_is_not_utf_8_is_named(
    name: str, value: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"GGP_PLAYER_{name}", value)
    with pytest.raises(ConfigError) as caught:
        load_config()
    assert caught.value.problems == (sentence,)


@pytest.mark.parametrize(
    "settings",
    [
        {"port": 65536},
        {"port": -1},
        {"margin": 0.05},
        {"max_matches": 0},
        {"memory_limit": 1},
        {"search_memory": 1},
        {"idle_limit": 0},
        {"spares": -1},
        {"name": ""},
        {"name": "a(b"},
        {"name": "Zoë"},
        {"strategy": "bounded_minimax:up=1"},
        {"allow": ("somewhere",)},
        {"allow": ("192.0.2.0/33",)},
        {"token": "short"},
        {"token": "with/a/slash/in/it/0123"},
        {"max_clock": 0},
        {"max_connections": 1},
    ],
)
def test_values_out_of_range(settings: dict[str, object]) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(flags=settings)
    assert len(caught.value.problems) == 1
    assert caught.value.problems[0].startswith(f"{next(iter(settings))} in the command line")


@pytest.mark.parametrize(("taken", "matches"), [(1025, 1), (300, 4)])
def test_searches_take_no_more_memory_than_there_is(
    taken: int, matches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "total_memory", lambda: 2**30)
    settings = {"search_memory": taken, "max_matches": matches}
    with pytest.raises(ConfigError) as caught:
        load_config(flags=settings)
    [problem] = caught.value.problems
    assert problem.startswith(f"search_memory in the command line: {taken} MiB")
    assert "has 1024 MiB of memory" in problem
    fitting = {**settings, "search_memory": 1024 // matches}
    assert load_config(flags=fitting).search_memory == 1024 // matches


def test_a_file_that_is_no_toml(file: Path) -> None:
    file.write_text("port: 9147\n")
    with pytest.raises(ConfigError, match=r"player\.toml cannot be read as TOML: .*line 1"):
        load_config(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        load_config(tmp_path / "none.toml")


def test_settings_are_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Config().port = 1


def test_log_levels_are_understood_in_any_case() -> None:
    config = load_config(flags={"log_level": "WARNING"})
    assert (config.log_level, config.logging_level) == ("warning", 30)


def test_every_setting_says_what_it_is() -> None:
    assert all(field.description for field in Config.model_fields.values())


def test_lists_come_from_every_source(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('allow_host = ["a.example.org", "b.example.org"]\n')
    monkeypatch.setenv("GGP_PLAYER_ALLOW", "192.0.2.1, 198.51.100.0/24")
    config = load_config(file, {"allow_origin": ("http://a",)})
    assert config.allow == ("192.0.2.1", "198.51.100.0/24")
    assert config.allow_host == ("a.example.org", "b.example.org")
    assert config.allow_origin == ("http://a",)
    assert "b.example.org" in config.access.hosts


def test_only_this_machine_is_listened_to_unless_told_otherwise() -> None:
    assert Config().host == "127.0.0.1"
