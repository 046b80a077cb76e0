"""Sentences that say what a colouring proves."""

from __future__ import annotations

from lovasz.base.rounding import format_down, format_up
from lovasz.colors.coloring_result import Coloring

_WORDS = {
    "coloring": ("colour", "clique", "pairwise adjacent", "ϑ of the complement"),
    "clique cover": ("clique", "independent set", "pairwise not adjacent", "ϑ of the graph"),
}


def summarize_coloring(found: Coloring) -> str:
    """One line that says how many classes there are, and how few there could be.

    >>> from lovasz import coloring
    >>> summarize_coloring(coloring([(0, 1), (1, 2)]))
    '2 colours, proven optimal: a clique of 2 nodes needs as many'
    """
    noun, witness, _, theta = _WORDS[found.kind]
    said = f"{found.size:,} {noun}{'' if found.size == 1 else 's'}"
    if not found.optimal:
        return f"{said}, at least {found.lower:,} needed ({name_lower_bound(found)})"
    if found.proof == "witness":
        plural = "" if len(found.witness) == 1 else "s"
        count = f"{len(found.witness):,} node{plural}"
        article = "an" if witness.startswith("i") else "a"
        return f"{said}, proven optimal: {article} {witness} of {count} needs as many"
    if found.proof == "ϑ":
        return f"{said}, proven optimal: {theta} ≥ {write_lower(found.theta[0])}"
    return f"{said}, proven optimal by {found.proof}"


def name_lower_bound(found: Coloring) -> str:
    """The source of the lower bound, for a summary."""
    _, witness, _, theta = _WORDS[found.kind]
    if found.proof == "witness":
        article = "an" if witness.startswith("i") else "a"
        return f"{article} {witness} of {len(found.witness):,}"
    return f"{theta} ≥ {write_lower(found.theta[0])}" if found.proof == "ϑ" else found.proof


def explain_coloring(found: Coloring) -> list[str]:
    """The bounds in whole sentences."""
    noun, witness, related, theta = _WORDS[found.kind]
    k = len(found.witness)
    first = (
        f"The largest {witness} found has {k:,} node{'' if k == 1 else 's'}, {related}. "
        f"No two of them can share a {noun}, so at least {k:,} "
        f"{noun}{' is' if k == 1 else 's are'} needed."
    )
    low, high = found.theta
    between = (
        f"The Lovász number {theta} is never below the size of this set and never above the "
        f"number of {noun}s; here it is "
        + (
            f"{write_lower(low)}."
            if low == high
            else f"proven to be in [{write_lower(low)}, {write_upper(high)}]."
        )
    )
    said = [first, between]
    if "exhaustive" in found.proof:
        said.append(
            f"Exhaustive search showed that {found.lower - 1:,} {noun}s are not enough "
            "(by backtracking, at least on a part of the graph that needs as many)."
        )
    if found.optimal:
        said.append(
            f"A solution with {found.size:,} was found, so this is the least possible number."
        )
    else:
        said.append(
            f"It is open whether fewer than {found.size:,} {noun}s are enough; at least "
            f"{found.lower:,} are needed. More time or effort may bring the two bounds closer."
        )
    return said


def write_lower(value: float) -> str:
    """Return a lower bound in text: an integer as it is, else rounded down to four places."""
    return f"{int(value):,}" if float(value).is_integer() else format_down(value, 4)


def write_upper(value: float) -> str:
    """Return an upper bound in text: an integer as it is, else rounded up to four places."""
    return f"{int(value):,}" if float(value).is_integer() else format_up(value, 4)
