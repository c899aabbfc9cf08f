"""What the validator checks, by subject."""

from gdl.validation.playout_checks import Finding, SimulationReport, simulate
from gdl.validation.position_checks import declared_in
from gdl.validation.validator import validate

__all__ = [
    "Finding",
    "SimulationReport",
    "declared_in",
    "simulate",
    "validate",
]
