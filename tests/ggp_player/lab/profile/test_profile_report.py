"""Profiles are told in tables, in a verdict and in JSON."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from rich.console import Console

from ggp_player.lab.profile.game_profile import GameProfile, ProfileSettings
from ggp_player.lab.profile.profile_report import (
    profile_tables,
    profiles_to_json,
    remarks,
    verdict_on_provers,
)
from ggp_player.lab.profile.search_profile import SearchProfile
from ggp_player.lab.profile.solving import Solving
from ggp_player.strategies import Component, Usage


def search(
    tree: float, proof: float, *, plies: int = 0, learning: float = 0.0, proved: bool = False
) -> SearchProfile:
    used = {Component.TREE_SEARCH: Usage(tree, Counter(playouts=2000, descents=50))}
    if proof:
        used[Component.PROOF] = Usage(proof, Counter(nodes=3_000_000), depth=9)
    if learning:
        used[Component.DUELS] = Usage(learning)
    return SearchProfile(plies, tree + proof + learning, used, proved)


EVEN = GameProfile("hex", [search(9, 1), search(8, 2, plies=30)])
GREEDY = GameProfile("reversi", [search(1, 3, learning=16), search(1, 9, plies=30)])


def printed(*profiles: GameProfile) -> str:
    console = Console(width=160)
    with console.capture() as capture:
        for table in profile_tables(profiles):
            console.print(table)
    return capture.get()


@pytest.mark.parametrize(
    ("profiles", "passed", "words"),
    [
        (
            [EVEN],
            True,
            "no prover takes more than 25 % of the time for searching; the most is proof 20 % in "
            "hex after 30 plies",
        ),
        (
            [EVEN, GREEDY],
            False,
            "provers take more than 25 % of the time for searching: proof 90 % in reversi after "
            "30 plies; proof 75 % in reversi after 0 plies",
        ),
        (
            [GameProfile("tron", [search(5, 0)])],
            True,
            "no prover takes more than 25 % of the time for searching: none was running",
        ),
        (
            [GameProfile("nim", [search(1, 9, proved=True), search(0.2, 0.7)])],
            False,
            "nothing is said of the provers: no search went on long enough without a proof",
        ),
        (
            [],
            False,
            "nothing is said of the provers: no search went on long enough without a proof",
        ),
    ],
)
def test_the_verdict_judges_provers_by_the_time_for_searching(
    profiles: list[GameProfile], passed: bool, words: str
) -> None:
    verdict = verdict_on_provers(profiles, 0.25)
    assert (verdict.is_passed, str(verdict)) == (passed, words)


def test_the_limit_itself_is_allowed() -> None:
    assert verdict_on_provers([EVEN], 0.2).is_passed
    assert not verdict_on_provers([EVEN], 0.199).is_passed


def test_tables_have_shares_counts_and_proofs() -> None:
    solved = GameProfile("quarto", solving=Solving(20, 18, 1_234_567, 2.5, 2_000_000))
    shares, counts, proofs = (
        [line.split() for line in part.splitlines() if line.strip()]
        for part in printed(GREEDY, solved)
        .replace("counted", "\0counted")
        .replace("proofs of", "\0proofs of")
        .split("\0")
    )
    assert ["reversi", "0", "20.00", "80.0", "5.0", "15.0", "75.0"] in shares
    assert ["reversi", "30", "10.00", "10.0", "90.0", "90.0"] in shares
    assert ["reversi", "tree", "search", "0", "1.00", "2,000", "50"] in counts
    assert ["reversi", "proof", "0", "3.00", "1,000,000", "9"] in counts
    assert ["quarto", "20", "18", "2.50", "1,234,567", "2,000,000"] in proofs


def test_what_is_empty_is_left_out() -> None:
    alone = GameProfile("lightsOut", remark="one player")
    assert printed(alone) == ""
    assert remarks([alone, EVEN]) == ["lightsOut: one player"]
    shown = printed(GameProfile("hex", [search(1, 0, proved=True)]))
    assert "proved" in shown
    assert "proofs of" not in shown
    assert "other threads" not in shown


def test_other_threads_have_a_column_where_there_are_some() -> None:
    shown = printed(GameProfile("hex", [SearchProfile(0, 4.0, {Component.OTHER: Usage(1.0)})]))
    assert "other threads" in shown
    assert "75.0" in shown


def test_json_has_all_that_was_measured() -> None:
    settings = ProfileSettings("auto", 5.0)
    document = profiles_to_json([GREEDY], settings, verdict_on_provers([GREEDY], 0.25))
    assert json.loads(json.dumps(document)) == document | {
        "settings": document["settings"] | {"plies": []}
    }
    first = document["games"][0]["searches"][0]
    assert (first["searching"], first["is_proved"]) == (4, False)
    assert first["components"]["proof"] == {
        "seconds": 3,
        "share": 0.15,
        "counts": {"nodes": 3_000_000},
        "depth": 9,
        "share_of_searching": 0.75,
    }
    assert list(first["components"]) == ["duels", "tree search", "proof"]
    assert [each["share"] for each in document["exceeding"]] == [0.9, 0.75]
    assert document["verdict"].startswith("provers take more than 25 %")
