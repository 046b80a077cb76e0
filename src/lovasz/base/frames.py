"""Tables for pandas, which is optional."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def make_frame(columns: Mapping[str, Any]) -> Any:
    """Return a pandas DataFrame of columns by name."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError(
            "to_frame needs pandas; pip install 'lovasz[pandas]'", name="pandas"
        ) from None
    return pd.DataFrame(dict(columns))
