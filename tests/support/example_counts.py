"""How many examples expensive properties are tested on: a share of what cheap ones get."""

from __future__ import annotations

from hypothesis import HealthCheck, settings


def examples(share: int, at_least: int = 20) -> int:
    """One in ``share`` of the profile's examples, but no less than ``at_least``.

    ``pytest --hypothesis-profile thorough`` tests many more.
    """
    profile = settings.get_profile(settings.get_current_profile_name())
    return max(at_least, profile.max_examples // share)


def one_in(share: int) -> settings:
    """Settings for one in ``share`` of the profile's examples, 20 at least."""
    return settings(max_examples=examples(share), suppress_health_check=[HealthCheck.too_slow])
