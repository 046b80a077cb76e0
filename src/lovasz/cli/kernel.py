"""``lovasz kernel``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

import lovasz
from lovasz.cli.options import (
    GraphFile,
    Json,
    KernelName,
    Options,
    Symmetrize,
    Weights,
    kernel_options,
)
from lovasz.cli.output import tell_notes


def kernel(
    graph: GraphFile,
    kernel: KernelName = "ls",
    kernel_option: Options = None,
    out: Annotated[
        Path | None, typer.Option(help="File: .npz (scipy), .mtx or .csv; else stdout.")
    ] = None,
    symmetrize: Symmetrize = False,
    weights: Weights = None,
    json_: Json = False,
) -> None:
    """Compute a kernel: lovasz, ls, gcn, ppr, heat and others.

    The names are lovasz, ls, gcn, adjacency, laplacian, normalized-laplacian, k-scaling, ppr, heat
    and node2vec. On stdout it is CSV with one line per non-zero: node, node, value.

    An optimal kernel K of ϑ has K ⪰ J/ϑ. lovasz has K ⪰ J/((1 + epsilon) ϑ) with epsilon=0.01, so
    it is optimal up to 1 %; with --kernel-option choice=lifted it is the optimal one that comes
    with ϑ.

    Example: `lovasz kernel graph.csv -k ppr --kernel-option alpha=0.1 --out kernel.npz`
    """
    from lovasz.kernels.export import describe_kernel, write_kernel

    options = kernel_options(kernel, kernel_option)
    network = lovasz.as_graph(graph, symmetrize=symmetrize, weights=weights)
    tell_notes(network)
    K = lovasz.kernel(network, kernel, **options)
    if out is not None:
        write_kernel(K, network, out)
    if json_:
        print(json.dumps(describe_kernel(K) | {"file": None if out is None else str(out)}))
    elif out is None:
        write_kernel(K, network, None)
    else:
        print(f"{kernel} kernel of {network.n:,} nodes, {K.nnz:,} non-zeros: {out}")
