"""``lovasz verify``."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from lovasz.base.rounding import format_down, format_up
from lovasz.cli.options import FORMATS, Json, Symmetrize
from lovasz.cli.output import name_graph

SYMBOLS = {"lovasz": "ϑ", "schrijver": "ϑ′", "szegedy": "ϑ⁺"}
"""What the variants are called in print."""


def verify(
    graph: Annotated[str, typer.Argument(metavar="GRAPH", help=FORMATS)],
    proof: Annotated[str, typer.Argument(help="What `lovasz theta --certificate` wrote.")],
    symmetrize: Symmetrize = False,
    json_: Json = False,
) -> None:
    """Check a saved proof of bounds on ϑ(G), in exact or outward-rounded arithmetic.

    Of the library, the checker uses what reads files and nothing of what solves. It prints what is
    proven and ends with 0, or says in one line why it refuses and ends with 1.

    Example: `lovasz theta graph.col --certificate proof.npz`, then
    `lovasz verify graph.col proof.npz`
    """
    from lovasz.graphs import as_graph
    from lovasz.verification import check_proof

    network = as_graph(graph, symmetrize=symmetrize, weights="drop")
    claim = check_proof(network, proof, weights="proof")
    exact = None if claim.exact is None else str(claim.exact)
    if json_:
        size = {"file": graph, "proof": proof, "n": network.n, "m": network.m, "accepted": True}
        print(json.dumps(size | claim._asdict() | {"exact": exact}))
        return
    number = SYMBOLS[claim.variant] + (" of the complement" if claim.complement else "")
    number += " with the weights of the proof" if claim.weighted else ""
    lower, upper = format_down(claim.lower, 9), format_up(claim.upper, 9)
    value = f"; it is {exact}" if exact else ""
    print(f"accepted: {number} of {name_graph(graph)} is between {lower} and {upper}{value}")
