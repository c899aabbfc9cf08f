"""Seeds follow from the event's secret alone, and are bound before they are shown."""

from __future__ import annotations

from hashlib import sha256

from ggp_player.manager_service.scheduling.seeds import EventSecrets, commitment, match_seed

PLACES = [f"{number}.nim.{players}" for number in (1, 2) for players in ("ann.bob", "bob.ann")]


def test_each_attempt_of_each_match_has_a_seed_of_its_own() -> None:
    secrets = EventSecrets.new()
    found = [secrets.of_match(place, attempt) for place in PLACES for attempt in (1, 2)]
    assert len({one.seed for one in found}) == len({one.nonce for one in found}) == 8
    assert all(0 <= one.seed < 2**53 for one in found)


def test_a_seed_that_was_given_gives_the_same_matches_again() -> None:
    one, other = EventSecrets.new("7"), EventSecrets.new("7")
    assert [one.of_match(place, 1).seed for place in PLACES] == [
        other.of_match(place, 1).seed for place in PLACES
    ]
    assert match_seed("7", "1.nim.ann.bob") == 8653677433138203
    assert commitment(one) != commitment(other)  # so that nobody can try all numbers


def test_events_without_a_seed_have_different_ones() -> None:
    seeds = {EventSecrets.new().seed for _ in range(8)}
    assert len(seeds) == 8
    assert all(len(seed) == 64 for seed in seeds)


def test_a_commitment_is_the_hash_of_what_is_shown_later() -> None:
    secrets = EventSecrets.new()
    for one in (secrets, secrets.of_match(PLACES[0], 1)):
        assert commitment(one) == sha256(f"{one.nonce}:{one.seed}".encode()).hexdigest()


def test_an_event_of_an_older_database_has_no_commitments() -> None:
    secrets = EventSecrets.of({"format": "swiss", "seed": 0})
    assert secrets == EventSecrets("0")
    assert commitment(secrets) is commitment(secrets.of_match(PLACES[0], 1)) is None
