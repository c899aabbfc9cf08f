"""Who plays on the ladder: names with versions, and the anchors, whose versions make no difference.

A rating belongs to a version. Of an anchor all versions are one player: it is left as it is, and
the ladder hangs on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gdl.version import __version__
from ggp_player.errors import LabError
from ggp_player.lab.ledger import strategies_version
from ggp_player.manager.players import RemotePlayer
from ggp_player.strategies.selection import STRATEGIES

ANCHOR = "uct"
"""The anchor with 0 Elo."""

ANCHORS = (ANCHOR, "alpha_beta:depth=3")
"""Strategies that are anchors in every version."""

FIRST_RELEASE = "mcts 0.1.0"
"""The tree search as it was released first, from a server of that release: an anchor, too."""


@dataclass(frozen=True, slots=True)
class LadderPlayer:
    """A player: what it is called, and its version, a word."""

    name: str
    version: str

    @classmethod
    def read(cls, text: str) -> LadderPlayer:
        """Read ``NAME VERSION``; raises :class:`LabError` where one of them is missing."""
        name, _, version = text.strip().rpartition(" ")
        if not name:
            raise LabError(f"expected a name and a version such as 'Sancho 1.61c', found {text!r}")
        return cls(name.strip(), version)

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def rated_as(self) -> str:
        """What has the rating: an anchor by its name, any other player by its version too."""
        return self.name if self.name in ANCHORS else str(self)

    @property
    def release(self) -> LadderPlayer:
        """The same with a version of ours cut to the release: all builds of it are one player."""
        if not self.has_versions:
            return self
        return LadderPlayer(self.name, self.version.partition("+")[0])

    @property
    def is_anchor(self) -> bool:
        """Whether this player never changes."""
        return self.rated_as in (*ANCHORS, FIRST_RELEASE)

    @property
    def is_ours(self) -> bool:
        """Whether this is a strategy of this package, of whatever version."""
        return self.name.partition(":")[0] in STRATEGIES

    @property
    def has_versions(self) -> bool:
        """Whether this is a strategy of this package that becomes stronger or weaker."""
        return self.is_ours and self.name not in ANCHORS


def ladder_players(specs: Sequence[str], names: Sequence[str]) -> dict[str, LadderPlayer]:
    """Return who plays, by what ``match`` takes: our strategies, and addresses with their names.

    Raises :class:`LabError` where there is not a name for each address, where the players are not
    two, and for a strategy of one's own, which has no version.
    """
    addresses = [spec for spec in specs if RemotePlayer.named(spec) is not None]
    if len(addresses) != len(names):
        raise LabError(
            f"expected a --name for each address, in their order; found {len(names)} for "
            f"{', '.join(addresses) or 'none'}"
        )
    players = dict(zip(addresses, map(LadderPlayer.read, names), strict=True))
    found = {spec: players.get(spec) or _own(spec) for spec in specs}
    if len({player.rated_as for player in found.values()}) < len(specs):
        raise LabError(f"expected two players, found {' and '.join(map(str, found.values()))}")
    return found


def _own(spec: str) -> LadderPlayer:
    player = LadderPlayer(spec, f"{__version__}+{strategies_version()}")
    if not player.is_ours:
        raise LabError(
            f"{spec} is no strategy of this package, and has no version: have a player server play "
            "it, and give its address and a --name"
        )
    return player
