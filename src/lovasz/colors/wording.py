"""What a colouring proves, in words."""

from __future__ import annotations

from lovasz.base.rounding import format_down, format_up
from lovasz.colors.result import Coloring

_WORDS = {
    "coloring": ("colour", "clique", "pairwise adjacent", "ϑ of the complement"),
    "clique cover": ("clique", "independent set", "pairwise not adjacent", "ϑ of the graph"),
}


def summary(found: Coloring) -> str:
    """A line: how many classes, and how few there could be.

    >>> from lovasz import coloring
    >>> summary(coloring([(0, 1), (1, 2)]))
    '2 colours, proven optimal: a clique of 2 nodes needs as many'
    """
    noun, witness, _, theta = _WORDS[found.kind]
    said = f"{found.size:,} {noun}{'' if found.size == 1 else 's'}"
    if not found.optimal:
        return f"{said}, at least {found.lower:,} needed ({reason(found)})"
    if found.proof == "witness":
        plural = "" if len(found.witness) == 1 else "s"
        count = f"{len(found.witness):,} node{plural}"
        article = "an" if witness.startswith("i") else "a"
        return f"{said}, proven optimal: {article} {witness} of {count} needs as many"
    if found.proof == "ϑ":
        return f"{said}, proven optimal: {theta} ≥ {write_lower(found.theta[0])}"
    return f"{said}, proven optimal by {found.proof}"


def reason(found: Coloring) -> str:
    """What the lower bound comes from."""
    _, witness, _, theta = _WORDS[found.kind]
    if found.proof == "witness":
        article = "an" if witness.startswith("i") else "a"
        return f"{article} {witness} of {len(found.witness):,}"
    return f"{theta} ≥ {write_lower(found.theta[0])}" if found.proof == "ϑ" else found.proof


def explain(found: Coloring) -> list[str]:
    """The bounds in full sentences."""
    noun, witness, related, theta = _WORDS[found.kind]
    k = len(found.witness)
    first = (
        f"The largest {witness} found has {k:,} node{'' if k == 1 else 's'}, {related}. "
        f"No two of them can share a {noun}, so no fewer than {k:,} "
        f"{noun}{' does' if k == 1 else 's do'}."
    )
    low, high = found.theta
    between = (
        f"The Lovász number {theta} is never below the first and never above the number of "
        f"{noun}s; here it is "
        + (
            f"{write_lower(low)}."
            if low == high
            else f"proven to be in [{write_lower(low)}, {write_upper(high)}]."
        )
    )
    said = [first, between]
    if "exhaustive" in found.proof:
        said.append(
            f"That {found.lower - 1:,} {noun}s are not enough was shown by trying all ways "
            "(backtracking, at least on a part of the graph that needs as many)."
        )
    if found.optimal:
        said.append(f"{found.size:,} is reached, so it is the least possible.")
    else:
        said.append(
            f"Whether fewer than {found.size:,} {noun}s do is open: at least {found.lower:,} are "
            "needed. More time or effort may bring the two closer."
        )
    return said


def write_lower(value: float) -> str:
    """Return a lower bound in text: an integer as it is, else rounded down to four places."""
    return f"{int(value):,}" if float(value).is_integer() else format_down(value, 4)


def write_upper(value: float) -> str:
    """Return an upper bound in text: an integer as it is, else rounded up to four places."""
    return f"{int(value):,}" if float(value).is_integer() else format_up(value, 4)
