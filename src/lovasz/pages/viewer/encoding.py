"""Numbers as short text, and JSON that is safe inside an HTML page."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import numpy as np

from lovasz.graphs import Graph

FULL = 65_535
"""The largest 16-bit number; it stands for 1."""
_UNSAFE = {
    ord(c): f"\\u{ord(c):04x}" for c in "<>&\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}"
}  # JSON may hold all of these, but inside a page "</script>" and "<!--" would end the script
"""Characters that JSON inside a page must not have, and how they are written instead."""


def encode_varints(numbers: np.ndarray) -> str:
    """Return whole numbers >= 0 as base64: seven bits per byte, the lowest first.

    The high bit of a byte says that another byte of the same number follows.

    >>> encode_varints(np.array([1, 127, 128]))
    'AX+AAQ=='
    """
    left = np.asarray(numbers, dtype=np.uint64)
    size = np.ones(left.size, dtype=np.int64)
    for bits in range(7, 64, 7):
        size += left >= np.uint64(1) << np.uint64(bits)
    start = np.cumsum(size) - size
    out = np.zeros(int(size.sum()), dtype=np.uint8)
    for place in range(int(size.max(initial=0))):
        chosen = size > place
        byte = (left[chosen] >> np.uint64(7 * place)) & np.uint64(127)
        more = size[chosen] > place + 1
        out[start[chosen] + place] = byte.astype(np.uint8) | (more.astype(np.uint8) << 7)
    return b64encode(out.tobytes()).decode("ascii")


def encode_shares(shares: np.ndarray) -> str:
    """Return numbers of [0, 1] as base64 of 16-bit numbers, the lower byte first.

    NaN counts as 0.

    >>> encode_shares(np.array([0.0, 1.0]))
    'AAD//w=='
    """
    clipped = np.clip(np.nan_to_num(np.asarray(shares, dtype=float)), 0, 1)
    return b64encode(np.rint(clipped * FULL).astype("<u2").tobytes()).decode("ascii")


def encode_edges(graph: Graph) -> str:
    """Return each edge once as varints: n counts, then the steps from one column to the next.

    The count of row i is the number of its neighbours j > i. The first step of a row is from i.
    """
    source, target = (np.asarray(end, dtype=np.int64) for end in graph.edges())
    counts = np.bincount(source, minlength=graph.n)
    previous = np.concatenate([[0], target[:-1]]) if target.size else target
    first = np.diff(source, prepend=-1) > 0
    steps = target - np.where(first, source, previous)
    return encode_varints(np.concatenate([counts, steps]))


def embed_json(value: Any) -> str:
    """Return JSON that can stand between script tags of a page: no name in it ends the script.

    >>> embed_json({"name": "</script>"})
    '{"name":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate(_UNSAFE)
