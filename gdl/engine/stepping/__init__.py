"""Stepping: lanes of a game as environments, from arrays of actions to arrays of observations.

A :class:`Stepper` has the lanes, and one call of native code makes a step in all of them. Start
reading in :mod:`.stepper`; the hot loop is :mod:`.episode`, on :mod:`.actions` (numbers to moves)
and :mod:`.delivery` (rows of bits to arrays of bytes). :mod:`.arguments` has the records that they
take. The kernels are emitted through llvmlite, as those of :mod:`gdl.engine.kernels` are.
"""

from gdl.engine.stepping.stepper import (
    Autoreset,
    IllegalActionError,
    Stepper,
    SteppingPlan,
    StepResult,
)

__all__ = ["Autoreset", "IllegalActionError", "StepResult", "Stepper", "SteppingPlan"]
