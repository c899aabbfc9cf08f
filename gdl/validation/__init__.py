"""What the validator checks, by subject."""

from gdl.validation.playout_checks import PlayoutFinding, SimulationReport, simulate
from gdl.validation.position_checks import declared_in
from gdl.validation.validator import validate

__all__ = [
    "PlayoutFinding",
    "SimulationReport",
    "declared_in",
    "simulate",
    "validate",
]
