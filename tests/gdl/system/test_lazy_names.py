"""Names of a package that are imported when they are asked for."""

from __future__ import annotations

import pytest

from gdl.system import imported_later


def test_a_name_is_imported_from_its_module() -> None:
    module_attribute = imported_later("package", {"sqrt": "math", "mean": "statistics"})
    assert getattr(module_attribute("sqrt"), "__module__", "") == "math"
    with pytest.raises(AttributeError, match="module 'package' has no attribute 'cbrt'"):
        module_attribute("cbrt")
