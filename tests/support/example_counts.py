"""How many examples expensive properties are tested on: a share of what cheap ones get."""

from __future__ import annotations

from hypothesis import HealthCheck, settings


def one_in(share: int) -> settings:
    """Return settings for one in ``share`` of the profile's examples, 20 at least.

    ``pytest --hypothesis-profile thorough`` tests many more.
    """
    examples = settings.get_profile(settings.get_current_profile_name()).max_examples
    return settings(
        max_examples=max(20, examples // share), suppress_health_check=[HealthCheck.too_slow]
    )
