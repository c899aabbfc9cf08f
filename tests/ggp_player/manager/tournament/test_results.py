"""Results are kept through crashes, and not mistaken for those of another tournament."""

import resource
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from ggp_player.errors import TournamentError
from ggp_player.manager.tournament.results import Identity, MatchResult, ResultsFile, latest_results
from tests.support.tournament_results import IDENTITY, result

RESULTS = [
    result("xy", "100 0", errors=(("3 TO",), ())),
    result("yx", "none 40", warnings=("busy",)),
    result("xz", "", seed=2, failure="the cable"),
]


def read(path: Path, identity: Identity = IDENTITY) -> list[MatchResult]:
    with ResultsFile(path, identity) as file:
        return file.results


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "results.jsonl"
    with ResultsFile(path, IDENTITY) as file:
        for one in RESULTS:
            file.append(one)
    return path


def test_results_are_read_as_they_were_written(path: Path) -> None:
    assert read(path) == RESULTS
    assert len(path.read_bytes().splitlines()) == 1 + len(RESULTS)


def test_every_result_is_in_the_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with ResultsFile(path, IDENTITY) as file:
        for count, one in enumerate(RESULTS, start=1):
            file.append(one)
            assert len(path.read_bytes().splitlines()) == 1 + count


@settings(max_examples=30)
@given(share=st.floats(0, 1))
def test_a_file_that_was_cut_anywhere_loses_no_more_than_the_line(
    share: float, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("cut") / "results.jsonl"
    with ResultsFile(path, IDENTITY) as file:
        for one in RESULTS:
            file.append(one)
    data = path.read_bytes()
    kept = data[: round(share * len(data))]
    path.write_bytes(kept)
    whole = max(0, kept.count(b"\n") - 1)
    with ResultsFile(path, IDENTITY) as file:
        assert file.results == RESULTS[:whole]
        for one in RESULTS[whole:]:
            file.append(one)
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (replace(IDENTITY, players=("x", "q")), "players: x, y, z there, x, q here"),
        (replace(IDENTITY, players=("z", "y", "q", "v")), "players: x, y, z there, z, y, q, v"),
        (replace(IDENTITY, play_clock=9), "play clock: 1 there, 9 here"),
        (replace(IDENTITY, seed=8, scramble=True), "seed: 7 there, 8 here; scramble: False there"),
        (replace(IDENTITY, games={"nim": "9"}), "games: nim 1234, maze 5678 there, nim 9 here"),
    ],
)
def test_a_file_of_another_tournament_is_refused(
    path: Path, other: Identity, sentence: str
) -> None:
    before = path.read_bytes()
    with pytest.raises(TournamentError, match="belongs to another tournament") as caught:
        read(path, other)
    assert sentence in str(caught.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["notes", "notes\n", "{}\n", '{"games":1}\nand more', "\n"])
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes"
    path.write_text(text)
    with pytest.raises(TournamentError, match="something else"):
        read(path)
    assert path.read_text() == text


def test_a_bad_line_is_named(path: Path) -> None:
    lines = path.read_text().splitlines()
    lines[2] = "{}"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(TournamentError, match=r"results\.jsonl, line 3, is no result of a match"):
        read(path)


def test_players_join_after_those_who_are_there(path: Path) -> None:
    before = path.read_bytes()
    with ResultsFile(path, replace(IDENTITY, players=("q", "z", "y", "x"))) as file:
        assert file.results == RESULTS
        assert file.identity.players == ("x", "y", "z", "q")
        file.append(result("xq", "0 100"))
    lines = path.read_bytes().removeprefix(before).splitlines()
    assert len(lines) == 2
    assert b'"players":["x","y","z","q"]' in lines[0]
    with ResultsFile(path, replace(IDENTITY, players=("x", "y", "z", "q"))) as file:
        assert len(file.results) == 4
    with pytest.raises(TournamentError, match="players: x, y, z, q there, x, y, z here"):
        read(path)


def test_a_file_is_for_one_process_at_a_time(path: Path) -> None:
    with ResultsFile(path, IDENTITY), pytest.raises(TournamentError, match="in use"):
        read(path)
    assert read(path) == RESULTS


def test_the_last_result_of_a_match_counts() -> None:
    again = result("xz", "0 100", seed=2)
    found = latest_results([*RESULTS, again])
    assert [*found.values()] == [*RESULTS[:2], again]


@pytest.mark.parametrize(
    "change",
    [{"goals": (1,)}, {"players": ("x",)}, {"errors": ()}, {"failure": "with goals"}],
)
def test_results_that_contradict_themselves_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        replace(RESULTS[0], **change)


def test_a_full_disk_leaves_the_file_as_it_was_and_the_result_known(path: Path) -> None:
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with ResultsFile(path, IDENTITY) as file:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, hard))
        try:
            with pytest.raises(OSError, match="File too large") as caught:
                file.append(RESULTS[0])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert caught.value.filename == str(path)
        assert path.read_bytes() == before
        assert file.results == [*RESULTS, RESULTS[0]]
        file.append(RESULTS[1])
    assert read(path) == [*RESULTS, RESULTS[1]]
