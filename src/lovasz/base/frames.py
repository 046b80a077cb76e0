"""Tables for pandas, which is optional."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lovasz.base.extras import needed_for


def make_frame(columns: Mapping[str, Any]) -> Any:
    """Return a pandas DataFrame of columns by name."""
    with needed_for("to_frame"):
        import pandas as pd
    return pd.DataFrame(dict(columns))
